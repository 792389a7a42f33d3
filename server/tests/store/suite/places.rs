//! Projects, what teams may do in a part of an organization, and who is in it.

use upstate_server::__internal::model::{
    AccessId, AuditFilter, Holder, HolderKind, Job, JobId, JobStatus, NewItem, OrganizationId,
    Permission, Permissions, Place, Project, ProjectId, Team, TeamAccess, TeamId, Token, TokenId,
    TokenKind, User, UserId, Workspace,
};
use upstate_server::__internal::store::{Change, Committed, Details, Page, WorkspaceFilter};

use super::{Shared, added, at, commit, entry, new_workspace, organization, snapshot};

const ALL: Page = Page {
    number: 1,
    size: 100,
};

pub(crate) async fn projects_hold_workspaces(store: Shared) {
    let (acme, other) = (
        organization(&store, "acme").await,
        organization(&store, "other").await,
    );
    let first = Project::default_of(&acme);
    let project = |name: &str| Project {
        id: ProjectId::new(),
        organization: acme.clone(),
        name: name.to_owned(),
        description: String::new(),
        created_at: at(2),
    };
    let prod = project("prod");
    assert!(store.add_project(&prod, entry("x")).await.expect("a store"));
    assert!(
        !store
            .add_project(&project("prod"), entry("x"))
            .await
            .expect("a store")
    );
    assert!(
        store
            .add_project(
                &Project {
                    organization: other,
                    ..project("prod")
                },
                entry("x")
            )
            .await
            .expect("a store")
    );
    assert_eq!(
        store.project(&prod.id).await.expect("a store"),
        Some(prod.clone())
    );
    let names: Vec<String> = store
        .projects(&acme)
        .await
        .expect("a store")
        .into_iter()
        .map(|one| one.name)
        .collect();
    assert_eq!(names, ["Default Project", "prod"]);
    let renamed = Project {
        name: "live".to_owned(),
        description: "d".to_owned(),
        ..prod.clone()
    };
    // A change of what was read before another change is not made.
    for expected in [Committed::Done, Committed::Stale] {
        assert_eq!(
            store
                .change_project(&prod, &renamed, entry("x"))
                .await
                .expect("a store"),
            expected
        );
    }
    assert_eq!(
        store.project(&prod.id).await.expect("a store"),
        Some(renamed.clone())
    );
    let taken = Project {
        name: "Default Project".to_owned(),
        ..prod.clone()
    };
    assert_eq!(
        store
            .change_project(&renamed, &taken, entry("x"))
            .await
            .expect("a store"),
        Committed::NameTaken
    );
    let none = project("none");
    assert_eq!(
        store
            .change_project(&none, &none, entry("x"))
            .await
            .expect("a store"),
        Committed::Stale
    );

    let net = Workspace {
        project: prod.id.clone(),
        ..new_workspace(&acme, "net")
    };
    for workspace in [
        &net,
        &new_workspace(&acme, "app"),
        &new_workspace(&acme, "db"),
    ] {
        assert!(
            store
                .add_workspace(workspace, entry("x"))
                .await
                .expect("a store")
        );
    }
    let found = async |filter: WorkspaceFilter| -> Vec<String> {
        let listed = store
            .workspaces(&acme, &filter, ALL)
            .await
            .expect("a store");
        assert_eq!(listed.total, listed.items.len() as u64);
        listed
            .items
            .into_iter()
            .map(|workspace| workspace.name)
            .collect()
    };
    let of = |project: &ProjectId| WorkspaceFilter {
        project: Some(project.clone()),
        ..WorkspaceFilter::default()
    };
    let within = |places: Vec<Place>| WorkspaceFilter {
        within: Some(places),
        ..WorkspaceFilter::default()
    };
    assert_eq!(found(of(&prod.id)).await, ["net"]);
    assert_eq!(found(of(&first)).await, ["app", "db"]);
    assert_eq!(found(within(Vec::new())).await, Vec::<String>::new());
    assert_eq!(
        found(within(vec![Place::Project(first.clone())])).await,
        ["app", "db"]
    );
    let app = store
        .workspace(&acme, "app")
        .await
        .expect("a store")
        .expect("one")
        .id;
    let both = vec![Place::Workspace(app), Place::Project(prod.id.clone())];
    assert_eq!(found(within(both.clone())).await, ["app", "net"]);
    assert_eq!(
        found(WorkspaceFilter {
            name: Some("n".to_owned()),
            ..within(both)
        })
        .await,
        ["net"]
    );

    // A project with workspaces stays, and so do those that are deleted and may come back; they do
    // not keep it.
    let gone = Workspace {
        project: prod.id.clone(),
        ..new_workspace(&acme, "gone")
    };
    assert!(added(&store, &gone).await);
    super::change(&store, &gone.id, vec![Change::Remove]).await;
    assert!(
        !store
            .remove_project(&prod.id, &first, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(
        store
            .restore_workspace(&gone.id, "gone", entry("x"))
            .await
            .expect("a store"),
        Committed::Done
    );
    assert_eq!(found(of(&prod.id)).await, ["gone", "net"]);
    super::change(&store, &gone.id, vec![Change::Remove]).await;
    super::change(&store, &net.id, vec![Change::Remove]).await;
    assert!(
        store
            .remove_project(&prod.id, &first, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(store.project(&prod.id).await.expect("a store"), None);
    assert_eq!(
        store
            .restore_workspace(&net.id, "net", entry("x"))
            .await
            .expect("a store"),
        Committed::Done
    );
    assert_eq!(found(of(&first)).await, ["app", "db", "net"]);
}

async fn team(store: &Shared, organization: &OrganizationId, permissions: Permissions) -> Team {
    let team = Team {
        id: TeamId::new(),
        organization: organization.clone(),
        name: "ops".to_owned(),
        permissions,
    };
    assert!(store.add_team(&team, entry("x")).await.expect("a store"));
    team
}

async fn token(store: &Shared, number: u8, kind: TokenKind) -> Token {
    let token = Token {
        id: TokenId::new(),
        hash: [number; 32],
        kind,
        description: String::new(),
        created_at: at(1),
        expires_at: None,
    };
    assert!(store.add_token(&token, entry("x")).await.expect("a store"));
    token
}

pub(crate) async fn teams_may_something_in_a_part(store: Shared) {
    let acme = organization(&store, "acme").await;
    let team = team(&store, &acme, Permissions::NONE).await;
    let (net, app) = (new_workspace(&acme, "net"), new_workspace(&acme, "app"));
    for workspace in [&net, &app] {
        assert!(
            store
                .add_workspace(workspace, entry("x"))
                .await
                .expect("a store")
        );
    }
    token(&store, 1, TokenKind::Team(team.id.clone())).await;
    let principal = async || {
        store
            .principal(&[1; 32])
            .await
            .expect("a store")
            .expect("a principal")
    };
    let lock = Permissions::NONE.with(Permission::Lock);
    let access = |place, permissions| TeamAccess {
        id: AccessId::new(),
        team: team.id.clone(),
        place,
        permissions,
    };
    let on_net = access(Place::Workspace(net.id.clone()), lock);
    assert!(
        store
            .add_team_access(&on_net, None, entry("x"))
            .await
            .expect("a store")
    );
    assert!(
        !store
            .add_team_access(&access(on_net.place.clone(), lock), None, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(principal().await.permissions_on(&net), lock);
    assert_eq!(principal().await.permissions_on(&app), Permissions::NONE);
    assert_eq!(principal().await.permissions(&acme), Permissions::NONE);
    assert!(principal().await.sees(&acme));
    let project = Project::default_of(&acme);
    let in_project = access(Place::Project(project.clone()), Permissions::READ);
    assert!(
        store
            .add_team_access(&in_project, None, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(
        principal().await.permissions_on(&net),
        lock.or(Permissions::READ)
    );
    assert_eq!(
        principal().await.permissions_in(&acme, &project),
        Permissions::READ
    );
    assert_eq!(
        store.team_accesses(&on_net.place).await.expect("a store"),
        std::slice::from_ref(&on_net)
    );
    assert_eq!(
        store
            .team_accesses(&in_project.place)
            .await
            .expect("a store"),
        std::slice::from_ref(&in_project)
    );
    assert_eq!(
        store.team_access(&on_net.id).await.expect("a store"),
        Some(on_net.clone())
    );
    // Nothing is changed, because the workspace is not in the project any more.
    let (here, elsewhere) = (Some(&project), ProjectId::new());
    let moved = Some(&elsewhere);
    let on_app = access(Place::Workspace(app.id.clone()), lock);
    for (project, is_changed) in [(moved, false), (here, true)] {
        let added = store.add_team_access(&on_app, project, entry("x"));
        assert_eq!(added.await.expect("a store"), is_changed);
    }
    for (project, is_changed) in [(moved, false), (here, true)] {
        let removed = store.remove_team_access(&on_app, project, entry("x"));
        assert_eq!(removed.await.expect("a store"), is_changed);
    }
    // A change of what was read before another change is not made.
    for (project, to, is_changed) in [
        (moved, Permissions::NONE, false),
        (here, Permissions::ALL, true),
        (here, Permissions::NONE, false),
    ] {
        let set = store.set_team_access(&on_net, to, project, entry("x"));
        assert_eq!(set.await.expect("a store"), is_changed);
    }
    assert_eq!(principal().await.permissions_on(&net), Permissions::ALL);
    assert!(
        store
            .remove_team_access(&on_net, None, entry("x"))
            .await
            .expect("a store")
    );
    assert!(
        !store
            .remove_team_access(&on_net, None, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(principal().await.permissions_on(&net), Permissions::READ);
    assert!(
        store
            .remove_team(&team.id, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(
        store.team_access(&in_project.id).await.expect("a store"),
        None
    );
}

/// Another request may remove what one has looked up.
pub(crate) async fn nothing_refers_to_what_is_gone(store: Shared) {
    let acme = organization(&store, "acme").await;
    let ops = team(&store, &acme, Permissions::NONE).await;
    let user = User {
        id: UserId::new(),
        name: "ann".to_owned(),
        created_at: at(3),
    };
    assert!(store.add_user(&user, entry("x")).await.expect("a store"));
    let net = new_workspace(&acme, "net");
    assert!(added(&store, &net).await);
    let (team, project) = (TeamId::new(), ProjectId::new());
    let token = Token {
        id: TokenId::new(),
        hash: [7; 32],
        kind: TokenKind::Team(team.clone()),
        description: String::new(),
        created_at: at(1),
        expires_at: None,
    };
    let access = |team: &TeamId, place| TeamAccess {
        id: AccessId::new(),
        team: team.clone(),
        place,
        permissions: Permissions::READ,
    };
    let of_no_team = access(&team, Place::Workspace(net.id.clone()));
    let in_no_project = access(&ops.id, Place::Project(project.clone()));
    let elsewhere = Workspace {
        project: project.clone(),
        ..new_workspace(&acme, "app")
    };
    let written = [
        store.set_member(&team, &user.id, true, entry("x")).await,
        store.add_token(&token, entry("x")).await.map(drop),
        store
            .add_team_access(&of_no_team, None, entry("x"))
            .await
            .map(drop),
        store
            .add_team_access(&in_no_project, None, entry("x"))
            .await
            .map(drop),
        store.add_workspace(&elsewhere, entry("x")).await.map(drop),
    ];
    for (number, written) in written.into_iter().enumerate() {
        let error = written.expect_err("a row that refers to none");
        assert!(error.breaks_reference(), "{number}: {error}");
    }
    let before = snapshot(&store, &net.id).await;
    let moved = Details {
        name: net.name,
        description: String::new(),
        terraform_version: String::new(),
        tags: Vec::new(),
        shared: false,
        project,
        retention: None,
    };
    assert_eq!(
        store
            .commit(commit(&before, vec![Change::Details(Box::new(moved))]))
            .await
            .expect("a store"),
        Committed::ProjectGone
    );
    assert_eq!(snapshot(&store, &net.id).await, before);
}

pub(crate) async fn who_leaves_loses_everything(store: Shared) {
    let (acme, other) = (
        organization(&store, "acme").await,
        organization(&store, "other").await,
    );
    let user = User {
        id: UserId::new(),
        name: "ann".to_owned(),
        created_at: at(3),
    };
    assert!(store.add_user(&user, entry("x")).await.expect("a store"));
    for organization in [&acme, &other] {
        let team = team(&store, organization, Permissions::ALL).await;
        store
            .set_member(&team.id, &user.id, true, entry("x"))
            .await
            .expect("a store");
    }
    let member = |organization: &OrganizationId| TokenKind::Member {
        user: user.id.clone(),
        organization: organization.clone(),
        within: Permissions::ALL,
    };
    let in_acme = token(&store, 1, member(&acme)).await;
    let (of_another, workspaces) = super::job(&store, "third", 1, 1, false).await;
    let item = NewItem {
        workspace: workspaces[0].clone(),
        expected: None,
    };
    let requested = async |kind: HolderKind, id: String, name: String| {
        let requested_by = Holder {
            kind,
            id,
            name,
            ..of_another.requested_by.clone()
        };
        let job = Job {
            id: JobId::new(),
            requested_by,
            ..of_another.clone()
        };
        let items = std::slice::from_ref(&item);
        let added = store.add_job(None, &job, None, items, entry("x"));
        assert!(added.await.expect("a store"));
        job
    };
    let ops = team(&store, &of_another.organization, Permissions::ALL).await;
    let own = requested(HolderKind::User, user.id.to_string(), "ann".to_owned()).await;
    let of_team = requested(HolderKind::Team, ops.id.to_string(), "ops".to_owned()).await;
    // Somebody else took the user's id as their name.
    let namesake = of_another.requested_by.id.clone();
    let of_namesake = requested(HolderKind::User, namesake, user.id.to_string()).await;
    let runs = async |job: &Job| {
        let found = store.job(&job.id).await.expect("a store").expect("a job");
        found.0.status == JobStatus::Running
    };
    token(&store, 2, member(&other)).await;
    token(&store, 3, TokenKind::User(user.id.clone())).await;
    assert_eq!(
        store.users_of(&acme).await.expect("a store"),
        std::slice::from_ref(&user)
    );
    assert!(
        store
            .remove_user(&user.id, Some(&acme), entry("x"))
            .await
            .expect("a store")
    );
    assert!(
        !store
            .remove_user(&user.id, Some(&acme), entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(store.principal(&[1; 32]).await.expect("a store"), None);
    assert!(
        !store
            .add_token(
                &Token {
                    id: TokenId::new(),
                    ..in_acme
                },
                entry("x")
            )
            .await
            .expect("a store")
    );
    let everywhere = store
        .principal(&[3; 32])
        .await
        .expect("a store")
        .expect("a principal");
    assert_eq!(
        (
            everywhere.permissions(&acme),
            everywhere.permissions(&other)
        ),
        (Permissions::NONE, Permissions::ALL)
    );
    assert!(store.users_of(&acme).await.expect("a store").is_empty());
    assert!(!store.is_user_of(&user.id, &acme).await.expect("a store"));
    assert!(store.is_user_of(&user.id, &other).await.expect("a store"));
    assert!(runs(&own).await);
    assert!(
        store
            .remove_user(&user.id, None, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!((runs(&own).await, runs(&of_team).await), (false, true));
    // A removed team's jobs stop, too.
    assert!(
        store
            .remove_team(&ops.id, entry("x"))
            .await
            .expect("a store")
    );
    let left = (runs(&of_team).await, runs(&of_another).await);
    assert_eq!(left, (false, true));
    assert!(runs(&of_namesake).await);
    let filter = AuditFilter::default();
    let lines = store.audit(&filter, ALL).await.expect("a store").items;
    let stopped: Vec<(String, String)> = lines
        .into_iter()
        .filter(|line| line.action == "job.stop")
        .map(|line| (line.subject, line.detail))
        .collect();
    let line = |job: &Job| (job.id.to_string(), format!("requested by {}", job.who));
    assert_eq!(stopped, [line(&of_team), line(&own)]);
    assert!(store.tokens().await.expect("a store").is_empty());
    assert!(!store.is_user_of(&user.id, &other).await.expect("a store"));
    // The user is remembered: versions that they made name them.
    assert_eq!(store.user("ann").await.expect("a store"), Some(user));
}

/// A request may lose its token, or a permission, while its workspaces are looked up.
pub(crate) async fn who_lost_something_has_no_new_job(store: Shared) {
    let (first, workspaces) = super::job(&store, "acme", 1, 1, false).await;
    let team = team(&store, &first.organization, Permissions::ALL).await;
    let token = token(&store, 1, TokenKind::Team(team.id.clone())).await;
    let principal = store.principal_of(&token.id).await.expect("a store");
    let principal = principal.expect("a principal");
    let item = NewItem {
        workspace: workspaces[0].clone(),
        expected: None,
    };
    let added = async || {
        let job = Job {
            id: JobId::new(),
            ..first.clone()
        };
        let (by, items) = (Some(&principal), std::slice::from_ref(&item));
        let added = store.add_job(by, &job, None, items, entry("x"));
        added.await.expect("a store")
    };
    for (permissions, is_added) in [
        (Permissions::ALL, true),
        (Permissions::READ, false),
        (Permissions::ALL, true),
    ] {
        let set = store.set_team_permissions(&team.id, permissions, entry("x"));
        assert!(set.await.expect("a store"));
        assert_eq!(added().await, is_added, "{permissions}");
    }
    let removed = store.remove_token(&token.id, entry("x"));
    assert!(removed.await.expect("a store"));
    assert!(!added().await);
    let jobs = store.jobs(&first.organization, ALL).await.expect("a store");
    assert_eq!(jobs.total, 3);
}

/// A token that is removed leaves nothing; somebody in a browser may what their teams may.
pub(crate) async fn a_job_may_what_its_requester_may_now(store: Shared) {
    let (first, _) = super::job(&store, "acme", 1, 1, false).await;
    let team = team(&store, &first.organization, Permissions::ALL).await;
    let token = token(&store, 1, TokenKind::Team(team.id.clone())).await;
    let user = User {
        id: UserId::new(),
        name: "ann".to_owned(),
        created_at: at(3),
    };
    assert!(store.add_user(&user, entry("x")).await.expect("a store"));
    let joins = store.set_member(&team.id, &user.id, true, entry("x"));
    joins.await.expect("a store");
    let by_token = Job {
        token: Some(token.id.clone()),
        ..first.clone()
    };
    let in_browser = Job {
        requested_by: Holder {
            id: user.id.to_string(),
            ..first.requested_by.clone()
        },
        ..first
    };
    let now = async |job: &Job| store.requester_permissions(job).await.expect("a store");
    assert_eq!(now(&by_token).await, Some(Permissions::ALL));
    assert_eq!(now(&in_browser).await, Some(Permissions::ALL));
    let set = store.set_team_permissions(&team.id, Permissions::READ, entry("x"));
    assert!(set.await.expect("a store"));
    assert_eq!(now(&by_token).await, Some(Permissions::READ));
    assert_eq!(now(&in_browser).await, Some(Permissions::READ));
    let leaves = store.set_member(&team.id, &user.id, false, entry("x"));
    leaves.await.expect("a store");
    let removed = store.remove_token(&token.id, entry("x"));
    assert!(removed.await.expect("a store"));
    assert_eq!(now(&by_token).await, None);
    assert_eq!(now(&in_browser).await, Some(Permissions::NONE));
}
