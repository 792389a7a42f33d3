//! What is written together, and under which condition.

use std::sync::Arc;

use upstate_server::__internal::model::{
    AuditFilter, ContentKind, Holder, Lock, Unlocked, Version, VersionId, WorkspaceId,
};
use upstate_server::__internal::store::{Change, Commit, Committed, Details, Page};

use super::{
    FIRST, Shared, at, change, commit, content, finalize, holder, snapshot, version, workspace,
    write,
};

pub(crate) async fn a_commit_is_written_whole_or_not_at_all(store: Shared) {
    let id = workspace(&store).await;
    let before = snapshot(&store, &id).await;
    let lock = Lock {
        holder: holder(),
        reason: "why".to_owned(),
        at: at(7),
        client: "c".to_owned(),
        info: Some("{}".to_owned()),
        until: None,
    };
    change(&store, &id, vec![Change::Lock(lock.clone())]).await;
    let locked = snapshot(&store, &id).await;
    assert_eq!(locked.workspace.lock, Some(lock));
    assert!(locked.workspace.revision > before.workspace.revision);

    // The old snapshot: nothing of it is written, the audit log included.
    let version = version(&before, 1);
    let changes = vec![
        Change::Unlock(None),
        Change::Insert(Box::new(version.clone())),
        finalize(&before, &version, b"state"),
    ];
    let audited = store
        .audit(&AuditFilter::default(), FIRST)
        .await
        .expect("a store")
        .total;
    assert_eq!(
        store
            .commit(commit(&before, changes))
            .await
            .expect("a store"),
        Committed::Stale
    );
    assert_eq!(snapshot(&store, &id).await, locked);
    assert_eq!(store.version(&version.id).await.expect("a store"), None);
    assert_eq!(
        store
            .audit(&AuditFilter::default(), FIRST)
            .await
            .expect("a store")
            .total,
        audited
    );

    let unlocked = Unlocked {
        holder: holder(),
        at: at(8),
    };
    change(&store, &id, vec![Change::Unlock(Some(unlocked.clone()))]).await;
    let after = snapshot(&store, &id).await;
    assert_eq!(
        (after.workspace.lock, after.workspace.unlocked),
        (None, Some(unlocked))
    );
    let nowhere = Commit {
        workspace: WorkspaceId::new(),
        ..commit(&before, Vec::new())
    };
    assert_eq!(
        store.commit(nowhere).await.expect("a store"),
        Committed::Stale
    );
}

pub(crate) async fn of_racing_commits_one_is_written(store: Shared) {
    let id = workspace(&store).await;
    for round in 1..=5 {
        let before = snapshot(&store, &id).await;
        let mut racing = tokio::task::JoinSet::new();
        for racer in 0..8 {
            let (store, before) = (Arc::clone(&store), before.clone());
            racing.spawn(async move {
                let version = version(&before, round);
                let bytes = format!("round {round} of {racer}");
                let changes = vec![
                    Change::Insert(Box::new(version.clone())),
                    finalize(&before, &version, bytes.as_bytes()),
                ];
                let committed = store
                    .commit(commit(&before, changes))
                    .await
                    .expect("a store");
                (committed, version.id, bytes)
            });
        }
        let results = racing.join_all().await;
        let written: Vec<_> = results
            .iter()
            .filter(|(committed, ..)| *committed == Committed::Done)
            .collect();
        assert_eq!(written.len(), 1, "{results:?}");
        let (_, winner, bytes) = written[0];
        let after = snapshot(&store, &id).await;
        assert_eq!(after.workspace.head.as_ref(), Some(winner));
        assert_eq!(
            store
                .bytes(winner, ContentKind::State)
                .await
                .expect("a store")
                .as_deref(),
            Some(bytes.as_bytes())
        );
    }
    let all = store
        .versions(
            &id,
            &[],
            Page {
                number: 1,
                size: 100,
            },
        )
        .await
        .expect("a store");
    assert_eq!(
        all.items
            .iter()
            .map(|version| version.serial)
            .collect::<Vec<_>>(),
        [5, 4, 3, 2, 1]
    );
}

pub(crate) async fn a_head_moves_only_from_where_it_is_expected(store: Shared) {
    let id = workspace(&store).await;
    let first = write(&store, &id, 1, b"one").await;
    let now = snapshot(&store, &id).await;
    let next = version(&now, 2);
    let wrong = Change::Finalize {
        version: next.id.clone(),
        from: None,
        lineage: String::new(),
        content: content(&next.id, b"two", None),
    };
    let committed = store
        .commit(commit(
            &now,
            vec![Change::Insert(Box::new(next.clone())), wrong],
        ))
        .await;
    assert_eq!(committed.expect("a store"), Committed::Stale);
    assert_eq!(snapshot(&store, &id).await.workspace.head, Some(first));
    assert_eq!(store.version(&next.id).await.expect("a store"), None);
}

pub(crate) async fn any_text_is_kept(store: Shared) {
    let id = workspace(&store).await;
    let now = snapshot(&store, &id).await;
    let odd = |what: &str| {
        format!(
            "{what} \0 \u{ffff}0 \u{10ffff} ' \" \\ $1 {}",
            what.repeat(3000)
        )
    };
    let version = Version {
        lineage: odd("lineage"),
        run: Some(odd("run")),
        creator: Holder {
            name: odd("who"),
            ..holder()
        },
        ..version(&now, 1)
    };
    let mut content = content(&version.id, b"1", None);
    content.finalized.terraform_version = odd("terraform");
    content.summary.unreadable = Some(odd("unreadable"));
    content.outputs[0].name = odd("name");
    let finalize = Change::Finalize {
        version: version.id.clone(),
        from: None,
        lineage: odd("lineage"),
        content,
    };
    let details = Details {
        name: "net".to_owned(),
        description: odd("description"),
        terraform_version: odd("terraform"),
        tags: vec![(odd("key"), Some(odd("value")))],
        project: now.workspace.project.clone(),
        shared: true,
        retention: None,
    };
    let lock = Lock {
        holder: holder(),
        reason: odd("reason"),
        at: at(1),
        client: odd("client"),
        info: Some(odd("info")),
        until: Some(at(9)),
    };
    let changes = vec![
        Change::Insert(Box::new(version.clone())),
        finalize,
        Change::Details(Box::new(details.clone())),
        Change::Lock(lock.clone()),
    ];
    change(&store, &id, changes).await;
    let after = snapshot(&store, &id).await;
    let head = after.head.expect("a head");
    assert_eq!(
        (&head.lineage, &head.run, &head.creator),
        (&version.lineage, &version.run, &version.creator)
    );
    let beside = store
        .beside(std::slice::from_ref(&head))
        .await
        .expect("a store")
        .remove(0);
    assert_eq!(
        beside.summary.expect("it is finalized").unreadable,
        Some(odd("unreadable"))
    );
    let finalized = head.finalized.expect("it is finalized");
    assert_eq!(finalized.terraform_version, odd("terraform"));
    assert_eq!(
        (after.workspace.description, after.workspace.tags),
        (details.description, details.tags)
    );
    assert_eq!(after.workspace.lock, Some(lock));
    let outputs = store.outputs(&version.id, FIRST).await.expect("a store");
    assert_eq!(outputs.items[0].name, odd("name"));
    assert_eq!(
        store
            .version_of_run(
                &odd("run"),
                std::slice::from_ref(&after.workspace.organization)
            )
            .await
            .expect("a store")
            .map(|found| found.id),
        Some(version.id)
    );
    // Names that nobody can have are looked for, and not found.
    assert_eq!(
        store
            .workspace(&after.workspace.organization, "a\0b")
            .await
            .expect("a store"),
        None
    );
    assert_eq!(
        store
            .version(&VersionId::from_text("sv-\0"))
            .await
            .expect("a store"),
        None
    );
}
