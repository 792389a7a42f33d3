//! The suite. Each function gets a store on which nothing was done.

use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use upstate_server::model::{
    AuditEntry, AuditFilter, Backing, ContentKind, Finalized, Holder, HolderKind, Lock, Organization, OrganizationId, Output,
    OutputId, Permission, Permissions, QuarantineId, Quarantined, Retention, Status, Summary, Team, TeamId, Timestamp, Token,
    TokenId, TokenKind, Unlocked, User, UserId, Version, VersionId, Workspace, WorkspaceId,
};
use upstate_server::rules::{Expired, Expiry, Snapshot};
use upstate_server::store::{Change, Commit, Committed, Details, Garbage, NewContent, Page, Store, WorkspaceFilter};

pub(crate) use crate::jobs::{
    a_job_ends_without_its_workspaces, a_job_stops_and_goes_on, a_workspace_of_a_job_is_the_work_of_one_process,
    heads_are_listed_by_name, locks_that_end_by_themselves_are_found, processes_that_look_for_work_share_it,
};

pub(crate) type Shared = Arc<dyn Store>;

const FIRST: Page = Page { number: 1, size: 20 };

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub(crate) fn entry(action: &'static str) -> AuditEntry {
    AuditEntry {
        at: at(1),
        who: "test".to_owned(),
        action: action.into(),
        organization: None,
        workspace: None,
        subject: "subject".to_owned(),
        detail: String::new(),
    }
}

pub(crate) async fn organization(store: &Shared, name: &str) -> OrganizationId {
    let organization = Organization { id: OrganizationId::new(), name: name.to_owned(), created_at: at(1) };
    assert!(store.add_organization(&organization, entry("organization.create")).await.expect("a store"));
    organization.id
}

pub(crate) fn new_workspace(organization: &OrganizationId, name: &str) -> Workspace {
    Workspace {
        id: WorkspaceId::new(),
        organization: organization.clone(),
        name: name.to_owned(),
        revision: 0,
        last_seq: 0,
        head: None,
        pending: None,
        max_serial: None,
        lock: None,
        unlocked: None,
        description: String::new(),
        terraform_version: String::new(),
        tags: Vec::new(),
        retention: None,
        created_at: at(1),
        updated_at: at(1),
    }
}

pub(crate) async fn workspace(store: &Shared) -> WorkspaceId {
    let organization = organization(store, "acme").await;
    let workspace = new_workspace(&organization, "net");
    assert!(store.add_workspace(&workspace, entry("workspace.create")).await.expect("a store"));
    workspace.id
}

pub(crate) fn holder() -> Holder {
    Holder { kind: HolderKind::User, id: "user-a".to_owned(), name: "a".to_owned(), lock_id: None }
}

pub(crate) fn version(snapshot: &Snapshot, serial: i64) -> Version {
    Version {
        id: VersionId::new(),
        workspace: snapshot.workspace.id.clone(),
        seq: snapshot.workspace.last_seq + 1,
        serial,
        lineage: "l".to_owned(),
        md5: "0123456789abcdef0123456789abcdef".to_owned(),
        status: Status::Pending,
        backing: Backing::Available,
        has_json_state: false,
        finalized: None,
        forced: false,
        creator: holder(),
        created_at: at(10 + serial),
        run: None,
        rollback_of: None,
        upgraded_from: None,
        downgraded_to: None,
    }
}

fn content(version: &VersionId, bytes: &[u8], json: Option<&[u8]>) -> Box<NewContent> {
    Box::new(NewContent {
        state: Bytes::copy_from_slice(bytes),
        json_state: json.map(Bytes::copy_from_slice),
        finalized: Finalized {
            size: u64::try_from(bytes.len()).expect("a size"),
            sha256: Sha256::digest(bytes).into(),
            format_version: Some(4),
            terraform_version: "1.15.5".to_owned(),
            at: at(99),
        },
        summary: Summary {
            modules: "{\"root\":{}}".to_owned(),
            providers: "{}".to_owned(),
            resources: "[]".to_owned(),
            unreadable: None,
        },
        outputs: vec![Output {
            id: OutputId::new(),
            version: version.clone(),
            name: "password".to_owned(),
            sensitive: true,
            kind: "string".to_owned(),
            detailed_type: "\"string\"".to_owned(),
            value: "\"s3cret\"".to_owned(),
        }],
        types: r#"[{"type":"example_thing"}]"#.to_owned(),
        report: None,
    })
}

pub(crate) async fn snapshot(store: &Shared, id: &WorkspaceId) -> Snapshot {
    store.snapshot(id).await.expect("a store").expect("a workspace")
}

pub(crate) fn commit(snapshot: &Snapshot, changes: Vec<Change>) -> Commit {
    Commit {
        workspace: snapshot.workspace.id.clone(),
        expected: snapshot.workspace.revision,
        at: at(50),
        changes,
        audit: vec![entry("test.commit")],
    }
}

pub(crate) async fn change(store: &Shared, id: &WorkspaceId, changes: Vec<Change>) {
    let snapshot = snapshot(store, id).await;
    assert_eq!(store.commit(commit(&snapshot, changes)).await.expect("a store"), Committed::Done);
}

fn finalize(snapshot: &Snapshot, version: &Version, bytes: &[u8]) -> Change {
    Change::Finalize {
        version: version.id.clone(),
        from: snapshot.workspace.head.clone(),
        lineage: version.lineage.clone(),
        content: content(&version.id, bytes, None),
    }
}

pub(crate) async fn write(store: &Shared, id: &WorkspaceId, serial: i64, bytes: &[u8]) -> VersionId {
    let snapshot = snapshot(store, id).await;
    let version = version(&snapshot, serial);
    let changes = vec![Change::Insert(Box::new(version.clone())), finalize(&snapshot, &version, bytes)];
    assert_eq!(store.commit(commit(&snapshot, changes)).await.expect("a store"), Committed::Done);
    version.id
}

pub(crate) async fn names_are_taken_once(store: Shared) {
    let acme = organization(&store, "acme").await;
    let again = Organization { id: OrganizationId::new(), name: "acme".to_owned(), created_at: at(2) };
    assert!(!store.add_organization(&again, entry("x")).await.expect("a store"));
    assert_eq!(store.organization("acme").await.expect("a store").expect("one").id, acme);
    assert_eq!(store.organization("nobody").await.expect("a store"), None);
    assert_eq!(store.organization_by_id(&acme).await.expect("a store").expect("one").name, "acme");
    let other = organization(&store, "other").await;

    let user = User { id: UserId::new(), name: "ann".to_owned(), created_at: at(3) };
    assert!(store.add_user(&user, entry("x")).await.expect("a store"));
    assert!(!store.add_user(&User { id: UserId::new(), ..user.clone() }, entry("x")).await.expect("a store"));
    assert_eq!(store.user("ann").await.expect("a store"), Some(user.clone()));
    assert_eq!(store.user_by_id(&user.id).await.expect("a store"), Some(user));

    let workspace = new_workspace(&acme, "net");
    assert!(store.add_workspace(&workspace, entry("x")).await.expect("a store"));
    assert!(!store.add_workspace(&new_workspace(&acme, "net"), entry("x")).await.expect("a store"));
    assert!(store.add_workspace(&new_workspace(&other, "net"), entry("x")).await.expect("a store"));
    assert_eq!(store.workspace(&acme, "net").await.expect("a store"), Some(workspace));
    let names: Vec<_> = store.organizations().await.expect("a store").into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["acme", "other"]);
}

pub(crate) async fn tokens_grant_what_their_owners_may(store: Shared) {
    let (acme, other) = (organization(&store, "acme").await, organization(&store, "other").await);
    let user = User { id: UserId::new(), name: "ann".to_owned(), created_at: at(3) };
    assert!(store.add_user(&user, entry("x")).await.expect("a store"));
    let team = Team { id: TeamId::new(), organization: acme.clone(), name: "ops".to_owned(), permissions: Permissions::READ };
    assert!(store.add_team(&team, entry("x")).await.expect("a store"));
    assert!(!store.add_team(&Team { id: TeamId::new(), ..team.clone() }, entry("x")).await.expect("a store"));
    let lock = Permissions::NONE.with(Permission::Lock);
    let kinds = [
        TokenKind::User { user: user.id.clone(), scope: None },
        TokenKind::User { user: user.id.clone(), scope: Some((other.clone(), lock)) },
        TokenKind::Team(team.id.clone()),
        TokenKind::Organization(acme.clone()),
    ];
    let mut tokens = Vec::new();
    for (number, kind) in (0u8..).zip(kinds) {
        let token = Token {
            id: TokenId::new(),
            hash: [number; 32],
            kind,
            description: "d".to_owned(),
            created_at: at(i64::from(number)),
            expires_at: (number == 2).then(|| at(77)),
        };
        assert!(store.add_token(&token, entry("x")).await.expect("a store"));
        tokens.push(token);
    }
    let same_hash = Token { id: TokenId::new(), ..tokens[0].clone() };
    assert!(!store.add_token(&same_hash, entry("x")).await.expect("a store"));

    let grants = |hash: u8| {
        let store = Arc::clone(&store);
        async move { store.principal(&[hash; 32]).await.expect("a store").expect("a principal") }
    };
    assert!(grants(0).await.grants.is_empty());
    store.set_member(&team.id, &user.id, true, entry("x")).await.expect("a store");
    assert_eq!(grants(0).await.permissions(&acme), Permissions::READ);
    store.set_team_permissions(&team.id, Permissions::ALL, entry("x")).await.expect("a store");
    assert_eq!(grants(0).await.permissions(&acme), Permissions::ALL);
    assert_eq!((grants(1).await.permissions(&other), grants(1).await.permissions(&acme)), (lock, Permissions::NONE));
    assert_eq!((grants(2).await.name, grants(2).await.expires_at), ("ops".to_owned(), Some(at(77))));
    assert_eq!(grants(3).await.permissions(&acme), Permissions::READ);
    assert_eq!(grants(3).await.name, "acme");
    store.set_member(&team.id, &user.id, false, entry("x")).await.expect("a store");
    assert!(grants(0).await.grants.is_empty());

    let listed = store.tokens().await.expect("a store");
    tokens.reverse();
    assert_eq!(listed, tokens);
    assert!(store.remove_token(&tokens[0].id, entry("x")).await.expect("a store"));
    assert!(!store.remove_token(&tokens[0].id, entry("x")).await.expect("a store"));
    assert_eq!(store.principal(&[3; 32]).await.expect("a store"), None);
}

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
    let changes = vec![Change::Unlock(None), Change::Insert(Box::new(version.clone())), finalize(&before, &version, b"state")];
    let audited = store.audit(&AuditFilter::default(), FIRST).await.expect("a store").total;
    assert_eq!(store.commit(commit(&before, changes)).await.expect("a store"), Committed::Stale);
    assert_eq!(snapshot(&store, &id).await, locked);
    assert_eq!(store.version(&version.id).await.expect("a store"), None);
    assert_eq!(store.audit(&AuditFilter::default(), FIRST).await.expect("a store").total, audited);

    let unlocked = Unlocked { holder: holder(), at: at(8) };
    change(&store, &id, vec![Change::Unlock(Some(unlocked.clone()))]).await;
    let after = snapshot(&store, &id).await;
    assert_eq!((after.workspace.lock, after.workspace.unlocked), (None, Some(unlocked)));
    let nowhere = Commit { workspace: WorkspaceId::new(), ..commit(&before, Vec::new()) };
    assert_eq!(store.commit(nowhere).await.expect("a store"), Committed::Stale);
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
                let changes = vec![Change::Insert(Box::new(version.clone())), finalize(&before, &version, bytes.as_bytes())];
                let committed = store.commit(commit(&before, changes)).await.expect("a store");
                (committed, version.id, bytes)
            });
        }
        let results = racing.join_all().await;
        let written: Vec<_> = results.iter().filter(|(committed, ..)| *committed == Committed::Done).collect();
        assert_eq!(written.len(), 1, "{results:?}");
        let (_, winner, bytes) = written[0];
        let after = snapshot(&store, &id).await;
        assert_eq!(after.workspace.head.as_ref(), Some(winner));
        assert_eq!(store.bytes(winner, ContentKind::State).await.expect("a store").as_deref(), Some(bytes.as_bytes()));
    }
    let all = store.versions(&id, &[], Page { number: 1, size: 100 }).await.expect("a store");
    assert_eq!(all.items.iter().map(|version| version.serial).collect::<Vec<_>>(), [5, 4, 3, 2, 1]);
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
    let committed = store.commit(commit(&now, vec![Change::Insert(Box::new(next.clone())), wrong])).await;
    assert_eq!(committed.expect("a store"), Committed::Stale);
    assert_eq!(snapshot(&store, &id).await.workspace.head, Some(first));
    assert_eq!(store.version(&next.id).await.expect("a store"), None);
}

pub(crate) async fn bytes_come_back_as_they_went_in(store: Shared) {
    let id = workspace(&store).await;
    let mut large = vec![0u8; 3 << 20];
    for (index, byte) in large.iter_mut().enumerate() {
        *byte = u8::try_from((index * 2_654_435_761) >> 7 & 0xff).expect("a byte");
    }
    let contents: [&[u8]; 4] = [b"{}", b"\xff\x00 not text", &large, b"{\"a\":\"<>&\\u003c\"}\n"];
    for (serial, bytes) in (1..).zip(contents) {
        let version = write(&store, &id, serial, bytes).await;
        let back = store.bytes(&version, ContentKind::State).await.expect("a store").expect("bytes");
        assert!(back == bytes, "{serial}");
        assert_eq!(store.bytes(&version, ContentKind::JsonState).await.expect("a store"), None);
        let kept = store.version(&version).await.expect("a store").expect("a version");
        assert_eq!(kept.finalized.map(|finalized| finalized.size), u64::try_from(bytes.len()).ok());
    }
    assert_eq!(store.bytes(&VersionId::new(), ContentKind::State).await.expect("a store"), None);
}

pub(crate) async fn a_version_waits_for_its_bytes(store: Shared) {
    let id = workspace(&store).await;
    let before = snapshot(&store, &id).await;
    let waiting = Version { run: Some("run-1".to_owned()), forced: true, ..version(&before, 4) };
    change(&store, &id, vec![Change::Insert(Box::new(waiting.clone()))]).await;
    let pending = snapshot(&store, &id).await;
    assert_eq!((pending.head.clone(), pending.pending.clone()), (None, Some(waiting.clone())));
    assert_eq!(pending.workspace.last_seq, 1);
    assert_eq!(pending.workspace.max_serial, None);
    assert_eq!(store.bytes(&waiting.id, ContentKind::State).await.expect("a store"), None);
    assert_eq!(store.pending_before(at(14)).await.expect("a store"), []);
    assert_eq!(store.pending_before(at(15)).await.expect("a store"), [(id.clone(), waiting.id.clone())]);

    // The JSON state may come first.
    let json = Change::JsonState { version: waiting.id.clone(), bytes: Bytes::from_static(b"{\"json\":1}") };
    change(&store, &id, vec![json]).await;
    change(&store, &id, vec![finalize(&pending, &waiting, b"state")]).await;
    let after = snapshot(&store, &id).await;
    let head = after.head.expect("a head");
    assert_eq!((head.id.clone(), head.status, head.has_json_state), (waiting.id.clone(), Status::Finalized, true));
    assert_eq!((head.run.as_deref(), head.forced, after.pending), (Some("run-1"), true, None));
    assert_eq!(after.workspace.max_serial, Some(4));
    let json = store.bytes(&waiting.id, ContentKind::JsonState).await.expect("a store");
    assert_eq!(json.as_deref(), Some(&b"{\"json\":1}"[..]));
    assert_eq!(store.version_of_run("run-1").await.expect("a store").map(|version| version.id), Some(waiting.id));
    assert_eq!(store.version_of_run("run-2").await.expect("a store"), None);
}

pub(crate) async fn discarded_bytes_are_gone_and_shared_ones_stay(store: Shared) {
    let id = workspace(&store).await;
    let before = snapshot(&store, &id).await;
    let waiting = version(&before, 1);
    let json = Change::JsonState { version: waiting.id.clone(), bytes: Bytes::from_static(b"{\"shared\":1}") };
    change(&store, &id, vec![Change::Insert(Box::new(waiting.clone())), json]).await;
    change(&store, &id, vec![Change::Discard(waiting.id.clone())]).await;
    let after = snapshot(&store, &id).await;
    assert_eq!((after.pending, after.workspace.pending.clone(), after.head), (None, None, None));
    let discarded = store.version(&waiting.id).await.expect("a store").expect("a version");
    assert_eq!((discarded.status, discarded.has_json_state), (Status::Discarded, false));

    // Equal bytes are in two versions: the one that goes does not take them along.
    let old = write(&store, &id, 2, b"same").await;
    let new = write(&store, &id, 3, b"same").await;
    change(&store, &id, vec![Change::Delete(old.clone())]).await;
    assert_eq!(store.version(&old).await.expect("a store"), None);
    assert_eq!(store.bytes(&new, ContentKind::State).await.expect("a store").as_deref(), Some(&b"same"[..]));

    let newest = write(&store, &id, 4, b"other").await;
    let to = |to| vec![Change::Backing { version: new.clone(), to }];
    change(&store, &id, to(Backing::SoftDeleted)).await;
    assert!(store.bytes(&new, ContentKind::State).await.expect("a store").is_some());
    change(&store, &id, to(Backing::Available)).await;
    change(&store, &id, to(Backing::PermanentlyDeleted)).await;
    assert_eq!(store.bytes(&new, ContentKind::State).await.expect("a store"), None);
    assert_eq!(store.outputs(&new, FIRST).await.expect("a store").total, 0);
    assert_eq!(store.version(&new).await.expect("a store").expect("a version").backing, Backing::PermanentlyDeleted);
    assert_eq!(store.bytes(&newest, ContentKind::State).await.expect("a store").as_deref(), Some(&b"other"[..]));
}

pub(crate) async fn what_is_gone_is_deleted_once(store: Shared) {
    let id = workspace(&store).await;
    let old = write(&store, &id, 1, b"1").await;
    write(&store, &id, 2, b"2").await;
    change(&store, &id, vec![Change::Delete(old.clone())]).await;
    // Another process is as far with its upkeep: the second delete is no change, and no line of the audit log.
    let before = snapshot(&store, &id).await;
    let audited = store.audit(&AuditFilter::default(), FIRST).await.expect("a store").total;
    let again = store.commit(commit(&before, vec![Change::Delete(old)])).await.expect("a store");
    assert_eq!(again, Committed::Gone);
    assert_eq!(snapshot(&store, &id).await, before);
    assert_eq!(store.audit(&AuditFilter::default(), FIRST).await.expect("a store").total, audited);
}

pub(crate) async fn any_text_is_kept(store: Shared) {
    let id = workspace(&store).await;
    let now = snapshot(&store, &id).await;
    let odd = |what: &str| format!("{what} \0 \u{ffff}0 \u{10ffff} ' \" \\ $1 {}", what.repeat(3000));
    let version = Version {
        lineage: odd("lineage"),
        run: Some(odd("run")),
        creator: Holder { name: odd("who"), ..holder() },
        ..version(&now, 1)
    };
    let mut content = content(&version.id, b"1", None);
    content.finalized.terraform_version = odd("terraform");
    content.summary.unreadable = Some(odd("unreadable"));
    content.outputs[0].name = odd("name");
    let finalize = Change::Finalize { version: version.id.clone(), from: None, lineage: odd("lineage"), content };
    let details = Details {
        name: "net".to_owned(),
        description: odd("description"),
        terraform_version: odd("terraform"),
        tags: vec![(odd("key"), Some(odd("value")))],
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
    assert_eq!((&head.lineage, &head.run, &head.creator), (&version.lineage, &version.run, &version.creator));
    let beside = store.beside(std::slice::from_ref(&head)).await.expect("a store").remove(0);
    assert_eq!(beside.summary.expect("it is finalized").unreadable, Some(odd("unreadable")));
    let finalized = head.finalized.expect("it is finalized");
    assert_eq!(finalized.terraform_version, odd("terraform"));
    assert_eq!((after.workspace.description, after.workspace.tags), (details.description, details.tags));
    assert_eq!(after.workspace.lock, Some(lock));
    let outputs = store.outputs(&version.id, FIRST).await.expect("a store");
    assert_eq!(outputs.items[0].name, odd("name"));
    assert_eq!(store.version_of_run(&odd("run")).await.expect("a store").map(|found| found.id), Some(version.id));
    // Names that nobody can have are looked for, and not found.
    assert_eq!(store.workspace(&after.workspace.organization, "a\0b").await.expect("a store"), None);
    assert_eq!(store.version(&VersionId::from_text("sv-\0")).await.expect("a store"), None);
}

pub(crate) async fn what_is_used_is_no_garbage(store: Shared) {
    let id = workspace(&store).await;
    let version = write(&store, &id, 1, b"used").await;
    let late = Timestamp::now().after(std::time::Duration::from_hours(1000));
    assert_eq!(store.collect_garbage(late, true).await.expect("a store"), Garbage::default());
    assert_eq!(store.collect_garbage(late, false).await.expect("a store"), Garbage::default());
    assert_eq!(store.bytes(&version, ContentKind::State).await.expect("a store").as_deref(), Some(&b"used"[..]));
}

pub(crate) async fn versions_are_listed_newest_first(store: Shared) {
    let id = workspace(&store).await;
    for serial in 1..=25 {
        write(&store, &id, serial, format!("{serial}").as_bytes()).await;
    }
    let now = snapshot(&store, &id).await;
    change(&store, &id, vec![Change::Insert(Box::new(version(&now, 26)))]).await;
    let page = store.versions(&id, &[], Page { number: 2, size: 20 }).await.expect("a store");
    assert_eq!((page.total, page.items.iter().map(|one| one.serial).collect::<Vec<_>>()), (26, vec![6, 5, 4, 3, 2, 1]));
    let page = store.versions(&id, &[], Page { number: 999, size: 20 }).await.expect("a store");
    assert_eq!((page.total, page.items.len()), (26, 0));
    let pending = store.versions(&id, &[Status::Pending], FIRST).await.expect("a store");
    assert_eq!((pending.total, pending.items[0].serial), (1, 26));
    let some = store.versions(&id, &[Status::Finalized, Status::Discarded], FIRST).await.expect("a store");
    assert_eq!((some.total, some.items[0].serial), (25, 25));
    // Its current version never goes.
    assert_eq!(all_expired(&store).await.len(), 24);

    // With versions gone in between, at either end, or nowhere: the same pages.
    let mut serials: Vec<i64> = (1..=26).rev().collect();
    for gone in [1, 2, 9, 17, 18] {
        let all = store.versions(&id, &[], Page { number: 1, size: 100 }).await.expect("a store").items;
        let gone = all.iter().find(|version| version.serial == gone).expect("it is there");
        change(&store, &id, vec![Change::Delete(gone.id.clone())]).await;
        serials.retain(|serial| *serial != gone.serial);
        for size in [1, 4, 7, 50] {
            let mut found = Vec::new();
            for number in 1..=30 {
                let page = store.versions(&id, &[], Page { number, size }).await.expect("a store");
                assert_eq!(page.total, serials.len() as u64);
                found.extend(page.items.iter().map(|one| one.serial));
            }
            assert_eq!(found, serials, "pages of {size}");
        }
    }
}

/// Everything that the strictest policy lets go.
pub(crate) async fn all_expired(store: &Shared) -> Vec<Expired> {
    let strictest = Expiry { keep_last: 0, now: at(i64::MAX), before: Some(at(i64::MAX)) };
    store.expired(strictest, None, 1000).await.expect("a store")
}

/// A version as the rule of retention looks at it.
#[derive(Debug, Clone)]
struct Old {
    expired: Expired,
    is_head: bool,
    rollback_of: Option<VersionId>,
    own: Option<Retention>,
}

/// The rule, by looking at everything.
fn lets_go(all: &[Old], expiry: Expiry) -> Vec<Expired> {
    let mut newest_first: Vec<&Old> = all.iter().collect();
    newest_first.sort_by_key(|old| (old.expired.created_at, old.expired.id.clone()));
    newest_first.reverse();
    let goes = |(newer, old): (usize, &Old)| {
        let before = match old.own {
            None => expiry.before,
            Some(Retention::Never) => None,
            Some(Retention::Days(days)) => Some(expiry.now.before(std::time::Duration::from_secs(u64::from(days) * 86_400))),
        };
        newer >= expiry.keep_last && !old.is_head && before.is_some_and(|before| old.expired.created_at < before)
    };
    let goes: Vec<(&Old, bool)> = newest_first.iter().enumerate().map(|(newer, old)| (*old, goes((newer, old)))).collect();
    let is_source = |id: &VersionId| goes.iter().any(|(old, goes)| !goes && old.rollback_of.as_ref() == Some(id));
    let mut going: Vec<Expired> =
        goes.iter().filter(|(old, goes)| *goes && !is_source(&old.expired.id)).map(|(old, _)| old.expired.clone()).collect();
    going.reverse();
    going
}

pub(crate) async fn what_a_policy_lets_go_is_found(store: Shared) {
    const DAY: i64 = 86_400_000;
    let organization = organization(&store, "acme").await;
    let policies = [None, None, Some(Retention::Never), Some(Retention::Days(3)), Some(Retention::Days(30)), None];
    let mut all: Vec<Old> = Vec::new();
    for (number, own) in policies.iter().enumerate() {
        let workspace = new_workspace(&organization, &format!("w{number}"));
        assert!(store.add_workspace(&Workspace { retention: *own, ..workspace.clone() }, entry("x")).await.expect("a store"));
        let mut here: Vec<Old> = Vec::new();
        for serial in 1..=9_i64 {
            let now = snapshot(&store, &workspace.id).await;
            // Some are made at the same moment, also in other workspaces; every third goes back to an older one.
            let created_at = at(i64::midpoint(serial * 7, i64::try_from(number).expect("small")) * DAY);
            let rollback_of = if serial % 3 == 0 { here.get(here.len() / 2).map(|old| old.expired.id.clone()) } else { None };
            let version = Version { created_at, rollback_of: rollback_of.clone(), ..version(&now, serial) };
            let changes = vec![Change::Insert(Box::new(version.clone())), finalize(&now, &version, b"state")];
            assert_eq!(store.commit(commit(&now, changes)).await.expect("a store"), Committed::Done);
            let expired = Expired { created_at, id: version.id, workspace: workspace.id.clone() };
            here.push(Old { expired, is_head: serial == 9, rollback_of, own: *own });
        }
        if number == 5 {
            change(&store, &workspace.id, vec![Change::Remove]).await;
        } else {
            let now = snapshot(&store, &workspace.id).await;
            change(&store, &workspace.id, vec![Change::Insert(Box::new(version(&now, 10)))]).await;
            all.extend(here);
        }
    }
    let mut sizes = std::collections::BTreeSet::new();
    for keep_last in [0, 1, 2, 20, 44, 45, 46, 1000, usize::MAX] {
        for before in [None, Some(0), Some(9), Some(16), Some(30), Some(50)] {
            for now in [0, 20, 33, 70] {
                let expiry = Expiry { keep_last, now: at(now * DAY), before: before.map(|day| at(day * DAY)) };
                let expected = lets_go(&all, expiry);
                sizes.insert(expected.len());
                assert_eq!(store.expired(expiry, None, 1000).await.expect("a store"), expected, "{expiry:?}");
                let mut found: Vec<Expired> = Vec::new();
                loop {
                    let some = store.expired(expiry, found.last(), 4).await.expect("a store");
                    assert!(some.len() <= 4);
                    if some.is_empty() {
                        break;
                    }
                    found.extend(some);
                }
                assert_eq!(found, expected, "{expiry:?}");
            }
        }
    }
    assert!(sizes.len() > 10, "the policies let go as many as each other: {sizes:?}");
}

pub(crate) async fn the_first_token_is_added_once(store: Shared) {
    let acme = organization(&store, "acme").await;
    let token = |number: u8| Token {
        id: TokenId::new(),
        hash: [number; 32],
        kind: TokenKind::Organization(acme.clone()),
        description: String::new(),
        created_at: at(1),
        expires_at: None,
    };
    let mut racing = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (store, token) = (Arc::clone(&store), token(number));
        racing.spawn(async move { store.add_first_token(&token, entry("x")).await.expect("a store") });
    }
    let added = racing.join_all().await;
    assert_eq!(added.iter().filter(|added| **added).count(), 1);
    assert_eq!(store.tokens().await.expect("a store").len(), 1);
    assert!(!store.add_first_token(&token(9), entry("x")).await.expect("a store"));
    let last = store.tokens().await.expect("a store").remove(0);
    assert!(store.remove_token(&last.id, entry("x")).await.expect("a store"));
    assert!(store.add_first_token(&token(9), entry("x")).await.expect("a store"));
}

pub(crate) async fn neighbours_are_finalized_versions(store: Shared) {
    let id = workspace(&store).await;
    let first = write(&store, &id, 1, b"1").await;
    let now = snapshot(&store, &id).await;
    let discarded = version(&now, 2);
    change(&store, &id, vec![Change::Insert(Box::new(discarded.clone())), Change::Discard(discarded.id.clone())]).await;
    let second = write(&store, &id, 2, b"2").await;
    let third = write(&store, &id, 3, b"3").await;
    let mut versions = Vec::new();
    for id in [&first, &second, &third] {
        versions.push(store.version(id).await.expect("a store").expect("a version"));
    }
    let beside = store.beside(&versions).await.expect("a store");
    let links: Vec<_> = beside.iter().map(|one| (one.previous.clone(), one.next.clone())).collect();
    assert_eq!(links, [(None, Some(second.clone())), (Some(first.clone()), Some(third.clone())), (Some(second.clone()), None)]);
    assert!(beside.iter().all(|one| one.outputs.len() == 1));
    change(&store, &id, vec![Change::Delete(first)]).await;
    let beside = store.beside(&versions[1..2]).await.expect("a store");
    assert_eq!((beside[0].previous.clone(), beside[0].next.clone()), (None, Some(third)));
}

pub(crate) async fn outputs_are_kept_with_their_version(store: Shared) {
    let id = workspace(&store).await;
    let version = write(&store, &id, 1, b"1").await;
    let listed = store.outputs(&version, FIRST).await.expect("a store");
    assert_eq!((listed.total, &*listed.items[0].value, listed.items[0].sensitive), (1, "\"s3cret\"", true));
    let one = store.output(&listed.items[0].id).await.expect("a store");
    assert_eq!(one.as_ref(), Some(&listed.items[0]));
    assert!(!format!("{one:?}").contains("s3cret"));
    assert_eq!(store.output(&OutputId::new()).await.expect("a store"), None);
}

pub(crate) async fn details_change_and_names_stay_unique(store: Shared) {
    let id = workspace(&store).await;
    let organization = snapshot(&store, &id).await.workspace.organization;
    assert!(store.add_workspace(&new_workspace(&organization, "taken"), entry("x")).await.expect("a store"));
    let details = Details {
        name: "new".to_owned(),
        description: "d".to_owned(),
        terraform_version: "1.9.0".to_owned(),
        tags: vec![("a".to_owned(), None), ("b".to_owned(), Some("v".to_owned()))],
        retention: Some(Retention::Days(9)),
    };
    change(&store, &id, vec![Change::Details(Box::new(details.clone()))]).await;
    let now = snapshot(&store, &id).await;
    let Workspace { name, description, terraform_version, tags, retention, .. } = now.workspace.clone();
    assert_eq!(Details { name, description, terraform_version, tags, retention }, details);
    let never = Details { retention: Some(Retention::Never), ..details.clone() };
    change(&store, &id, vec![Change::Details(Box::new(never))]).await;
    let now = snapshot(&store, &id).await;
    assert_eq!(now.workspace.retention, Some(Retention::Never));

    let taken = Details { name: "taken".to_owned(), tags: Vec::new(), ..details };
    let committed = store.commit(commit(&now, vec![Change::Details(Box::new(taken))])).await.expect("a store");
    assert_eq!(committed, Committed::NameTaken);
    assert_eq!(snapshot(&store, &id).await, now);
}

pub(crate) async fn workspaces_are_found_by_name_and_tags(store: Shared) {
    let acme = organization(&store, "acme").await;
    let tag = |key: &str, value: Option<&str>| (key.to_owned(), value.map(str::to_owned));
    let with = [
        ("app-prod", vec![tag("app", None), tag("env", Some("prod"))]),
        ("app-dev", vec![tag("app", None), tag("env", Some("dev"))]),
        ("net_100%", vec![]),
    ];
    for (name, tags) in with {
        let workspace = Workspace { tags, ..new_workspace(&acme, name) };
        assert!(store.add_workspace(&workspace, entry("x")).await.expect("a store"));
    }
    let found = async |filter: WorkspaceFilter| {
        let listed = store.workspaces(&acme, &filter, FIRST).await.expect("a store");
        assert_eq!(listed.total, u64::try_from(listed.items.len()).expect("a count"));
        listed.items.into_iter().map(|one| one.name).collect::<Vec<_>>()
    };
    let none = WorkspaceFilter::default;
    assert_eq!(found(none()).await, ["app-dev", "app-prod", "net_100%"]);
    assert_eq!(found(WorkspaceFilter { name: Some("APP-".to_owned()), ..none() }).await, ["app-dev", "app-prod"]);
    // Not a pattern: what stands for anything in SQL stands for itself.
    assert_eq!(found(WorkspaceFilter { name: Some("0%".to_owned()), ..none() }).await, ["net_100%"]);
    assert_eq!(found(WorkspaceFilter { name: Some("p_p".to_owned()), ..none() }).await, Vec::<String>::new());
    assert_eq!(found(WorkspaceFilter { tags: vec![tag("env", Some("dev"))], ..none() }).await, ["app-dev"]);
    let both = vec![tag("app", None), tag("env", None)];
    assert_eq!(found(WorkspaceFilter { tags: both, ..none() }).await, ["app-dev", "app-prod"]);
    assert_eq!(found(WorkspaceFilter { without_tags: vec!["app".to_owned()], ..none() }).await, ["net_100%"]);
    let second = store.workspaces(&acme, &none(), Page { number: 2, size: 2 }).await.expect("a store");
    assert_eq!((second.total, second.items[0].name.as_str()), (3, "net_100%"));
}

pub(crate) async fn deleted_workspaces_free_their_name_until_they_are_purged(store: Shared) {
    let id = workspace(&store).await;
    let organization = snapshot(&store, &id).await.workspace.organization;
    let version = write(&store, &id, 1, b"1").await;
    change(&store, &id, vec![Change::Remove]).await;
    assert_eq!(store.snapshot(&id).await.expect("a store"), None);
    assert_eq!(store.workspace(&organization, "net").await.expect("a store"), None);
    assert_eq!(store.version(&version).await.expect("a store"), None);
    assert_eq!(all_expired(&store).await, []);
    let deleted = store.deleted_workspaces().await.expect("a store");
    assert_eq!(deleted.iter().map(|(workspace, when)| (&workspace.id, *when)).collect::<Vec<_>>(), [(&id, at(50))]);
    // Back under another name, with all it had; and gone once more.
    assert_eq!(store.restore_workspace(&id, "back", entry("workspace.restore")).await.expect("a store"), Committed::Done);
    assert_eq!(store.restore_workspace(&id, "back", entry("workspace.restore")).await.expect("a store"), Committed::Gone);
    assert_eq!(store.deleted_workspaces().await.expect("a store"), []);
    let back = snapshot(&store, &id).await;
    assert_eq!((back.workspace.name.as_str(), back.workspace.head.as_ref()), ("back", Some(&version)));
    assert!(store.bytes(&version, ContentKind::State).await.expect("a store").is_some());
    change(&store, &id, vec![Change::Remove]).await;
    assert!(store.add_workspace(&new_workspace(&organization, "net"), entry("x")).await.expect("a store"));
    let audited = store.audit(&AuditFilter::default(), FIRST).await.expect("a store").total;
    assert_eq!(store.restore_workspace(&id, "net", entry("workspace.restore")).await.expect("a store"), Committed::NameTaken);
    assert_eq!(store.audit(&AuditFilter::default(), FIRST).await.expect("a store").total, audited);
    // It was deleted at 50.
    assert_eq!(store.purge_workspaces(at(50), entry("workspace.purge")).await.expect("a store"), 0);
    assert!(store.bytes(&version, ContentKind::State).await.expect("a store").is_some());
    assert_eq!(store.purge_workspaces(at(51), entry("workspace.purge")).await.expect("a store"), 1);
    assert_eq!(store.bytes(&version, ContentKind::State).await.expect("a store"), None);
    assert!(store.workspace(&organization, "net").await.expect("a store").is_some());
}

pub(crate) async fn late_bytes_are_kept_aside(store: Shared) {
    let id = workspace(&store).await;
    let version = VersionId::new();
    let late = |bytes: &'static [u8]| Quarantined {
        id: QuarantineId::new(),
        workspace: id.clone(),
        version: version.clone(),
        at: at(5),
        reason: "late".to_owned(),
        size: u64::try_from(bytes.len()).expect("a size"),
        bytes: Bytes::from_static(bytes),
    };
    change(&store, &id, vec![Change::Quarantine(Box::new(late(b"only copy")))]).await;
    change(&store, &id, vec![Change::Quarantine(Box::new(late(b"only copy")))]).await;
    let kept = store.quarantined(&id).await.expect("a store");
    assert_eq!((kept.len(), kept[0].size, kept[0].bytes.len()), (1, 9, 0));
    let whole = store.quarantined_bytes(&kept[0].id).await.expect("a store").expect("one");
    assert_eq!((&whole.bytes[..], &whole.version, whole.reason.as_str()), (&b"only copy"[..], &version, "late"));
    assert_eq!(store.quarantined_bytes(&QuarantineId::new()).await.expect("a store"), None);
    // What else is swept does not take it along.
    let old = write(&store, &id, 1, b"1").await;
    write(&store, &id, 2, b"2").await;
    change(&store, &id, vec![Change::Delete(old)]).await;
    assert!(store.quarantined_bytes(&kept[0].id).await.expect("a store").is_some());
}

pub(crate) async fn what_is_done_is_audited(store: Shared) {
    let id = workspace(&store).await;
    let organization = snapshot(&store, &id).await.workspace.organization;
    let here = AuditEntry { workspace: Some(id.clone()), organization: Some(organization.clone()), ..entry("here") };
    store.record(here.clone()).await.expect("a store");
    store.record(entry("elsewhere")).await.expect("a store");
    let all = store.audit(&AuditFilter::default(), FIRST).await.expect("a store");
    let actions: Vec<_> = all.items.iter().map(|one| one.action.to_string()).collect();
    assert_eq!((all.total, &actions[..2]), (4, &["elsewhere".to_owned(), "here".to_owned()][..]));
    let filter = AuditFilter { workspace: Some(id), organization: Some(organization) };
    assert_eq!(store.audit(&filter, FIRST).await.expect("a store").items, [here]);
}

pub(crate) async fn secrets_stay_the_same(store: Shared) {
    store.ready().await.expect("ready");
    let first = store.secret("a").await.expect("a store");
    assert_eq!(store.secret("a").await.expect("a store"), first);
    assert_ne!(store.secret("b").await.expect("a store"), first);
    assert_ne!(first, [0; 32]);
    assert!(!store.describe().is_empty());
}
