//! Workspaces: their details, their tags, deleted ones.

use upstate_server::__internal::model::{
    AuditFilter, ContentKind, Lock, Place, Project, ProjectId, Retention, Timestamp, Workspace,
    WorkspaceId,
};
use upstate_server::__internal::store::{Change, Committed, Details, Page, WorkspaceFilter};

use super::{
    FIRST, Shared, added, all_expired, at, change, commit, entry, holder, new_workspace,
    organization, snapshot, workspace, write,
};

pub(crate) async fn details_change_and_names_stay_unique(store: Shared) {
    let id = workspace(&store).await;
    let organization = snapshot(&store, &id).await.workspace.organization;
    assert!(added(&store, &new_workspace(&organization, "taken")).await);
    let details = Details {
        name: "new".to_owned(),
        description: "d".to_owned(),
        terraform_version: "1.9.0".to_owned(),
        tags: vec![
            ("a".to_owned(), None),
            ("b".to_owned(), Some("v".to_owned())),
        ],
        project: Project::default_of(&organization),
        shared: true,
        retention: Some(Retention::Days(9)),
    };
    change(
        &store,
        &id,
        vec![Change::Details(Box::new(details.clone()))],
    )
    .await;
    let now = snapshot(&store, &id).await;
    let Workspace {
        name,
        description,
        terraform_version,
        tags,
        project,
        shared,
        retention,
        ..
    } = now.workspace.clone();
    assert_eq!(
        Details {
            name,
            description,
            terraform_version,
            tags,
            shared,
            project,
            retention
        },
        details
    );
    let never = Details {
        retention: Some(Retention::Never),
        ..details.clone()
    };
    change(&store, &id, vec![Change::Details(Box::new(never))]).await;
    let now = snapshot(&store, &id).await;
    assert_eq!(now.workspace.retention, Some(Retention::Never));

    let taken = Details {
        name: "taken".to_owned(),
        tags: Vec::new(),
        ..details
    };
    let committed = store
        .commit(commit(&now, vec![Change::Details(Box::new(taken))]))
        .await
        .expect("a store");
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
        let workspace = Workspace {
            tags,
            ..new_workspace(&acme, name)
        };
        assert!(added(&store, &workspace).await);
    }
    let found = async |filter: WorkspaceFilter| {
        let listed = store
            .workspaces(&acme, &filter, FIRST)
            .await
            .expect("a store");
        assert_eq!(
            listed.total,
            u64::try_from(listed.items.len()).expect("a count")
        );
        listed
            .items
            .into_iter()
            .map(|one| one.name)
            .collect::<Vec<_>>()
    };
    let none = WorkspaceFilter::default;
    let all = ["app-dev", "app-prod", "net_100%"];
    assert_eq!(found(none()).await, all);
    let within = async |parts: Vec<Place>| {
        found(WorkspaceFilter {
            within: Some(parts),
            ..none()
        })
        .await
    };
    // More than a statement has room for conditions.
    let elsewhere = || (0..1500).map(|_| Place::Project(ProjectId::new()));
    let net = store.workspace(&acme, "net_100%").await.expect("a store");
    let net = Place::Workspace(net.expect("a workspace").id);
    let first = Place::Project(Project::default_of(&acme));
    assert_eq!(within(elsewhere().chain([net]).collect()).await, all[2..]);
    assert_eq!(within(elsewhere().chain([first]).collect()).await, all);
    assert_eq!(within(vec![Place::Organization]).await, all);
    assert_eq!(within(vec![]).await, Vec::<String>::new());
    assert_eq!(
        found(WorkspaceFilter {
            name: Some("APP-".to_owned()),
            ..none()
        })
        .await,
        ["app-dev", "app-prod"]
    );
    for (pattern, expected) in [
        ("APP-*", vec!["app-dev", "app-prod"]),
        ("*-prod", vec!["app-prod"]),
        ("*p-*", vec!["app-dev", "app-prod"]),
        ("app-dev", vec!["app-dev"]),
        ("pp-*", vec![]),
        ("*-pro", vec![]),
        ("app_dev", vec![]),
    ] {
        let filter = WorkspaceFilter {
            pattern: Some(pattern.to_owned()),
            ..none()
        };
        assert_eq!(found(filter).await, expected, "{pattern}");
    }
    // Not a pattern: a wildcard of SQL means itself.
    assert_eq!(
        found(WorkspaceFilter {
            name: Some("0%".to_owned()),
            ..none()
        })
        .await,
        ["net_100%"]
    );
    assert_eq!(
        found(WorkspaceFilter {
            name: Some("p_p".to_owned()),
            ..none()
        })
        .await,
        Vec::<String>::new()
    );
    assert_eq!(
        found(WorkspaceFilter {
            tags: vec![tag("env", Some("dev"))],
            ..none()
        })
        .await,
        ["app-dev"]
    );
    let both = vec![tag("app", None), tag("env", None)];
    assert_eq!(
        found(WorkspaceFilter {
            tags: both,
            ..none()
        })
        .await,
        ["app-dev", "app-prod"]
    );
    assert_eq!(
        found(WorkspaceFilter {
            without_tags: vec!["app".to_owned()],
            ..none()
        })
        .await,
        ["net_100%"]
    );
    let second = store
        .workspaces(&acme, &none(), Page { number: 2, size: 2 })
        .await
        .expect("a store");
    assert_eq!(
        (second.total, second.items[0].name.as_str()),
        (3, "net_100%")
    );
    // Each tag is counted where it is, in this organization.
    let other = organization(&store, "other").await;
    let elsewhere = Workspace {
        tags: vec![tag("app", None)],
        ..new_workspace(&other, "app")
    };
    assert!(added(&store, &elsewhere).await);
    let counted = |key: &str, value: Option<&str>, number: u64| {
        (key.to_owned(), value.map(str::to_owned), number)
    };
    let used = store.used_tags(&acme).await.expect("a store");
    assert_eq!(
        used,
        [
            counted("app", None, 2),
            counted("env", Some("dev"), 1),
            counted("env", Some("prod"), 1)
        ]
    );
    let tagged = async |key: &str, value: Option<&str>| {
        let mut names = Vec::new();
        for id in store.with_tag(&acme, key, value).await.expect("a store") {
            names.push(snapshot(&store, &id).await.workspace.name);
        }
        names.sort();
        names
    };
    assert_eq!(tagged("app", None).await, ["app-dev", "app-prod"]);
    assert_eq!(tagged("env", None).await, ["app-dev", "app-prod"]);
    assert_eq!(tagged("env", Some("dev")).await, ["app-dev"]);
    assert_eq!(
        tagged("app", Some("")).await,
        Vec::<String>::new(),
        "it has no value"
    );
    let deleted = store
        .workspace(&acme, "app-dev")
        .await
        .expect("a store")
        .expect("a workspace");
    change(&store, &deleted.id, vec![Change::Remove]).await;
    let used = store.used_tags(&acme).await.expect("a store");
    assert_eq!(
        used,
        [counted("app", None, 1), counted("env", Some("prod"), 1)]
    );
    assert_eq!(tagged("app", None).await, ["app-prod"]);
}

pub(crate) async fn deleted_workspaces_free_their_name_until_they_are_purged(store: Shared) {
    let id = workspace(&store).await;
    let organization = snapshot(&store, &id).await.workspace.organization;
    let version = write(&store, &id, 1, b"1").await;
    change(&store, &id, vec![Change::Remove]).await;
    assert_eq!(store.snapshot(&id).await.expect("a store"), None);
    assert_eq!(
        store
            .workspace(&organization, "net")
            .await
            .expect("a store"),
        None
    );
    assert_eq!(store.version(&version).await.expect("a store"), None);
    assert_eq!(all_expired(&store).await, []);
    let deleted = store.deleted_workspaces().await.expect("a store");
    assert_eq!(
        deleted
            .iter()
            .map(|(workspace, when)| (&workspace.id, *when))
            .collect::<Vec<_>>(),
        [(&id, at(50))]
    );
    // Back under another name, with all it had; and gone once more.
    assert_eq!(
        store
            .restore_workspace(&id, "back", entry("workspace.restore"))
            .await
            .expect("a store"),
        Committed::Done
    );
    assert_eq!(
        store
            .restore_workspace(&id, "back", entry("workspace.restore"))
            .await
            .expect("a store"),
        Committed::Gone
    );
    assert_eq!(store.deleted_workspaces().await.expect("a store"), []);
    let back = snapshot(&store, &id).await;
    assert_eq!(
        (back.workspace.name.as_str(), back.workspace.head.as_ref()),
        ("back", Some(&version))
    );
    assert!(
        store
            .bytes(&version, ContentKind::State)
            .await
            .expect("a store")
            .is_some()
    );
    change(&store, &id, vec![Change::Remove]).await;
    assert!(added(&store, &new_workspace(&organization, "net")).await);
    let audited = store
        .audit(&AuditFilter::default(), FIRST)
        .await
        .expect("a store")
        .total;
    assert_eq!(
        store
            .restore_workspace(&id, "net", entry("workspace.restore"))
            .await
            .expect("a store"),
        Committed::NameTaken
    );
    assert_eq!(
        store
            .audit(&AuditFilter::default(), FIRST)
            .await
            .expect("a store")
            .total,
        audited
    );
    // It was deleted at 50.
    assert_eq!(
        store
            .purge_workspaces(at(50), entry("workspace.purge"))
            .await
            .expect("a store"),
        0
    );
    assert!(
        store
            .bytes(&version, ContentKind::State)
            .await
            .expect("a store")
            .is_some()
    );
    assert_eq!(
        store
            .purge_workspaces(at(51), entry("workspace.purge"))
            .await
            .expect("a store"),
        1
    );
    assert_eq!(
        store
            .bytes(&version, ContentKind::State)
            .await
            .expect("a store"),
        None
    );
    assert!(
        store
            .workspace(&organization, "net")
            .await
            .expect("a store")
            .is_some()
    );
}

fn renamed(of: &Workspace, name: &str) -> Vec<Change> {
    let details = Details {
        name: name.to_owned(),
        description: String::new(),
        terraform_version: String::new(),
        tags: Vec::new(),
        project: Project::default_of(&of.organization),
        shared: false,
        retention: None,
    };
    vec![Change::Details(Box::new(details))]
}

async fn rename(store: &Shared, id: &WorkspaceId, name: &str) {
    let workspace = snapshot(store, id).await.workspace;
    change(store, id, renamed(&workspace, name)).await;
}

/// Makes a version with these resources current, the first one of a workspace.
async fn holds(store: &Shared, id: &WorkspaceId, resources: &str) {
    let snapshot = snapshot(store, id).await;
    let version = super::version(&snapshot, 1);
    let mut content = super::content(&version.id, b"1", None);
    resources.clone_into(&mut content.summary.resources);
    let finalized = Change::Finalize {
        version: version.id.clone(),
        from: None,
        lineage: version.lineage.clone(),
        content,
    };
    let changes = vec![Change::Insert(Box::new(version)), finalized];
    change(store, id, changes).await;
}

/// Nothing is made once more where a state had nothing but what it reads.
pub(crate) async fn a_deleted_workspace_keeps_its_name_for_what_it_manages(store: Shared) {
    let acme = organization(&store, "acme").await;
    let (data, managed) = (
        r#"{"count":1,"name":"a","type":"data.example_thing"}"#,
        r#"{"count":1,"name":"a","type":"example_thing"}"#,
    );
    for (name, resources, is_kept) in [
        ("nothing", "[]".to_owned(), false),
        ("data", format!("[{data}]"), false),
        ("managed", format!("[{managed}]"), true),
        ("both", format!("[{data},{managed}]"), true),
        ("others", format!("[{managed},{data}]"), true),
    ] {
        let workspace = new_workspace(&acme, name);
        assert!(added(&store, &workspace).await);
        holds(&store, &workspace.id, &resources).await;
        change(&store, &workspace.id, vec![Change::Remove]).await;
        let found = store.named(&acme, name).await.expect("a store");
        assert_eq!(found.is_some(), is_kept, "{name}");
    }
}

/// The name leads to another one that had it since the first one was deleted.
pub(crate) async fn a_restored_workspace_takes_no_former_name_back(store: Shared) {
    let first = workspace(&store).await;
    let acme = snapshot(&store, &first).await.workspace.organization;
    change(&store, &first, vec![Change::Remove]).await;
    let second = new_workspace(&acme, "net");
    assert!(added(&store, &second).await);
    rename(&store, &second.id, "lan").await;
    let restored = store.restore_workspace(&first, "back", entry("workspace.restore"));
    assert_eq!(restored.await.expect("a store"), Committed::Done);
    for (name, to) in [("net", &second.id), ("lan", &second.id), ("back", &first)] {
        let found = store.named(&acme, name).await.expect("a store");
        assert_eq!(
            found.map(|(found, _)| found.id).as_ref(),
            Some(to),
            "{name}"
        );
    }
    // If it gets the name again, it is who had it last.
    change(&store, &first, vec![Change::Remove]).await;
    let restored = store.restore_workspace(&first, "net", entry("workspace.restore"));
    assert_eq!(restored.await.expect("a store"), Committed::Done);
    rename(&store, &first, "wan").await;
    let found = store.named(&acme, "net").await.expect("a store");
    assert_eq!(found.map(|(found, _)| found.id), Some(first));
}

/// Neither one that is made, nor one that is renamed, nor one that comes back.
pub(crate) async fn no_name_is_taken_from_a_lock_of_http(store: Shared) {
    let id = workspace(&store).await;
    let acme = snapshot(&store, &id).await.workspace.organization;
    let lock = |info: Option<&str>| Lock {
        holder: holder(),
        reason: String::new(),
        at: at(7),
        client: String::new(),
        info: info.map(str::to_owned),
        until: None,
    };
    let gone = new_workspace(&acme, "gone");
    let other = new_workspace(&acme, "other");
    assert!(added(&store, &gone).await && added(&store, &other).await);
    change(&store, &gone.id, vec![Change::Remove]).await;
    let taken = vec![Change::Lock(lock(Some("{}")))];
    change(&store, &id, taken).await;
    rename(&store, &id, "lan").await;
    let second = new_workspace(&acme, "net");
    assert!(!added(&store, &second).await);
    let before = snapshot(&store, &other.id).await;
    let changes = renamed(&other, "net");
    let outcome = store.commit(commit(&before, changes)).await;
    assert_eq!(outcome.expect("a store"), Committed::NameTaken);
    let restored = store.restore_workspace(&gone.id, "net", entry("workspace.restore"));
    assert_eq!(restored.await.expect("a store"), Committed::NameTaken);
    // Nothing of it is written.
    assert_eq!(snapshot(&store, &other.id).await, before);
    let found = store.named(&acme, "net").await.expect("a store");
    assert_eq!(found.map(|(found, _)| found.id).as_ref(), Some(&id));
    // It may have its own name again, and another lock keeps none.
    rename(&store, &id, "net").await;
    rename(&store, &id, "lan").await;
    let taken = vec![Change::Unlock(None), Change::Lock(lock(None))];
    change(&store, &id, taken).await;
    assert!(added(&store, &second).await);
}

/// A name leads to who has it, else to who had it last.
pub(crate) async fn names_lead_to_who_had_them_last(store: Shared) {
    let id = workspace(&store).await;
    let acme = snapshot(&store, &id).await.workspace.organization;
    let leads = async |name: &str| {
        let found = store.named(&acme, name).await.expect("a store");
        found.map(|(workspace, deleted_at)| (workspace.id, deleted_at))
    };
    let rename = async |id: &WorkspaceId, name: &str| rename(&store, id, name).await;
    let to = |id: &WorkspaceId| Some((id.clone(), None::<Timestamp>));
    assert_eq!((leads("net").await, leads("lan").await), (to(&id), None));
    // Every name that it had leads to it, also after it has one of them again.
    rename(&id, "lan").await;
    rename(&id, "wan").await;
    for name in ["net", "lan", "wan"] {
        assert_eq!(leads(name).await, to(&id), "{name}");
    }
    rename(&id, "lan").await;
    for name in ["net", "lan", "wan"] {
        assert_eq!(leads(name).await, to(&id), "{name}");
    }
    let other = organization(&store, "other").await;
    assert_eq!(store.named(&other, "net").await.expect("a store"), None);
    // Not if another one gets the name: by being made, or renamed.
    let second = new_workspace(&acme, "net");
    assert!(added(&store, &second).await);
    rename(&second.id, "wan").await;
    assert_eq!(
        (leads("net").await, leads("wan").await),
        (to(&second.id), to(&second.id))
    );
    // One that is deleted keeps its names while its state has resources.
    let removed = |id: &WorkspaceId| Some((id.clone(), Some(at(50))));
    change(&store, &second.id, vec![Change::Remove]).await;
    assert_eq!((leads("net").await, leads("wan").await), (None, None));
    holds(&store, &id, r#"[{"type":"example_thing","count":1}]"#).await;
    change(&store, &id, vec![Change::Remove]).await;
    assert_eq!(leads("lan").await, removed(&id));
    // It comes back under another name, and then is gone with all of them.
    assert_eq!(
        store
            .restore_workspace(&id, "back", entry("workspace.restore"))
            .await
            .expect("a store"),
        Committed::Done
    );
    assert_eq!(
        (leads("lan").await, leads("back").await),
        (to(&id), to(&id))
    );
    change(&store, &id, vec![Change::Remove]).await;
    assert_eq!(leads("lan").await, removed(&id));
    store
        .purge_workspaces(at(51), entry("workspace.purge"))
        .await
        .expect("a store");
    assert_eq!((leads("lan").await, leads("back").await), (None, None));
}
