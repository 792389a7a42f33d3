//! The store by itself: the transactions of a create, an upload and a read, called as functions.
//!
//! They are those that the service asks for: who has the token or signed URL of each request, the
//! workspace and the version that each decides on or shows, the two commits, and the line of the
//! audit log that says who read.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use upstate_server::__internal::content::Content;
use upstate_server::__internal::model::{
    AuditEntry, Backing, ContentKind, Holder, HolderKind, Organization, OrganizationId,
    Permissions, Project, Status, Team, TeamId, Timestamp, Token, TokenId, TokenKind, Version,
    VersionId, Workspace, WorkspaceId,
};
use upstate_server::__internal::store::sqlite::Sqlite;
use upstate_server::__internal::store::{Change, Commit, Committed, NewContent, Store};

use super::Measured;
use super::states::States;

/// A store with a workspace for each thread.
pub struct Bare {
    runtime: Runtime,
    store: Box<dyn Store>,
    organization: OrganizationId,
    token: TokenId,
    workspaces: Vec<(WorkspaceId, AtomicU64)>,
    _folder: Option<TempDir>,
}

/// The hash of the token.
const HASH: [u8; 32] = [7; 32];

pub fn audit(
    organization: &OrganizationId,
    workspace: Option<&WorkspaceId>,
    action: &'static str,
) -> AuditEntry {
    AuditEntry {
        at: Timestamp::now(),
        who: "user owner".to_owned(),
        action: action.into(),
        organization: Some(organization.clone()),
        workspace: workspace.cloned(),
        subject: "bench".to_owned(),
        detail: "serial 1, pending".to_owned(),
    }
}

/// Who makes the versions.
pub fn holder() -> Holder {
    Holder {
        kind: HolderKind::User,
        id: "user-bench".to_owned(),
        name: "bench".to_owned(),
        lock_id: None,
    }
}

/// A workspace that is made now.
pub fn workspace(organization: &OrganizationId, name: &str) -> Workspace {
    let now = Timestamp::now();
    Workspace {
        id: WorkspaceId::new(),
        organization: organization.clone(),
        project: Project::default_of(organization),
        shared: false,
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
        created_at: now,
        updated_at: now,
    }
}

/// A version that waits for its bytes.
pub fn version(workspace: &WorkspaceId, seq: i64, serial: u64, md5: String) -> Version {
    Version {
        id: VersionId::new(),
        workspace: workspace.clone(),
        seq,
        serial: serial as i64,
        lineage: String::new(),
        md5,
        status: Status::Pending,
        backing: Backing::Available,
        has_json_state: false,
        finalized: None,
        forced: false,
        creator: holder(),
        created_at: Timestamp::now(),
        run: None,
        rollback_of: None,
        upgraded_from: None,
        downgraded_to: None,
        job: None,
    }
}

/// The change that gives a version its bytes.
pub fn finalize(
    version: &Version,
    from: Option<VersionId>,
    state: Bytes,
    content: &Content,
) -> Change {
    let content_of_version = NewContent {
        state,
        compressed: None,
        json_state: None,
        finalized: content.finalized(Timestamp::now()),
        summary: content.summary.clone(),
        outputs: content.outputs_of(&version.id),
        types: content.types.clone(),
        report: None,
    };
    Change::Finalize {
        version: version.id.clone(),
        from,
        lineage: content.lineage.clone(),
        content: Box::new(content_of_version),
    }
}

impl Bare {
    pub fn new(clients: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = Runtime::new().expect("a runtime");
        let store: Box<dyn Store> = Box::new(
            runtime
                .block_on(Sqlite::open(folder.path()))
                .expect("a store"),
        );
        let organization = Organization {
            id: OrganizationId::new(),
            name: "bench".to_owned(),
            created_at: Timestamp::now(),
        };
        let added = store.add_organization(
            &organization,
            audit(&organization.id, None, "organization.create"),
        );
        assert!(runtime.block_on(added).expect("a store that is written"));
        let team = Team {
            id: TeamId::new(),
            organization: organization.id.clone(),
            name: "bench".to_owned(),
            permissions: Permissions::ALL,
        };
        let added = store.add_team(&team, audit(&organization.id, None, "team.create"));
        assert!(runtime.block_on(added).expect("a store that is written"));
        let token = Token {
            id: TokenId::new(),
            hash: HASH,
            kind: TokenKind::Team(team.id),
            description: String::new(),
            created_at: Timestamp::now(),
            expires_at: None,
        };
        let added = store.add_token(&token, audit(&organization.id, None, "token.create"));
        assert!(runtime.block_on(added).expect("a store that is written"));
        let workspaces = (0..clients).map(|number| {
            let workspace = workspace(&organization.id, &format!("client-{number}"));
            let added = store.add_workspace(
                &workspace,
                audit(&organization.id, Some(&workspace.id), "workspace.create"),
            );
            assert!(runtime.block_on(added).expect("a store that is written"));
            (workspace.id, AtomicU64::new(0))
        });
        let workspaces = workspaces.collect();
        Self {
            runtime,
            store,
            organization: organization.id,
            token: token.id,
            workspaces,
            _folder: Some(folder),
        }
    }

    /// Lets a thread for every workspace do so many cycles.
    pub fn run(&self, states: &States, each: usize) -> Measured {
        let begins = Barrier::new(self.workspaces.len() + 1);
        thread::scope(|scope| {
            let run = |workspace| {
                let begins = &begins;
                scope.spawn(move || self.work(workspace, states, each, begins))
            };
            let threads: Vec<_> = self.workspaces.iter().map(run).collect();
            begins.wait();
            let began = Instant::now();
            let cycles: Vec<Duration> = threads
                .into_iter()
                .flat_map(|thread| thread.join().expect("a thread fails"))
                .collect();
            Measured {
                took: began.elapsed(),
                cycles,
            }
        })
    }

    fn work(
        &self,
        (workspace, serial): &(WorkspaceId, AtomicU64),
        states: &States,
        each: usize,
        begins: &Barrier,
    ) -> Vec<Duration> {
        let first = serial.fetch_add(each as u64, Ordering::Relaxed);
        // What the service reads out of a state is not the store's work, and what a client writes
        // and hashes is nobody's here.
        let prepared = (first..first + each as u64).map(|serial| {
            let (state, md5) = states.state(serial);
            let content = Content::read(&state);
            (serial, Bytes::from(state), md5, content)
        });
        let prepared: Vec<_> = prepared.collect();
        let mut cycles = Vec::with_capacity(each);
        begins.wait();
        for (serial, state, md5, content) in prepared {
            let began = Instant::now();
            self.runtime.block_on(self.cycle(
                workspace,
                States::serial(serial),
                state,
                md5,
                &content,
            ));
            cycles.push(began.elapsed());
        }
        cycles
    }

    async fn cycle(
        &self,
        workspace: &WorkspaceId,
        serial: u64,
        state: Bytes,
        md5: String,
        content: &Content,
    ) {
        self.principal().await;
        let snapshot = self.snapshot(workspace).await;
        let version = version(workspace, snapshot.workspace.last_seq + 1, serial, md5);
        self.commit(
            workspace,
            snapshot.workspace.revision,
            Change::Insert(Box::new(version.clone())),
        )
        .await;
        self.shown(&version.id).await;

        self.verified(&version.id).await;
        let snapshot = self.snapshot(workspace).await;
        let change = finalize(&version, snapshot.workspace.head, state.clone(), content);
        self.commit(workspace, snapshot.workspace.revision, change)
            .await;

        self.principal().await;
        self.shown(&version.id).await;

        self.verified(&version.id).await;
        let bytes = self
            .store
            .bytes(&version.id, ContentKind::State)
            .await
            .expect("a store that is read");
        assert!(bytes == Some(state), "other bytes came back");
        let read = audit(&self.organization, Some(workspace), "state.read");
        self.store
            .record(read)
            .await
            .expect("a store that is written");
    }

    /// For whom the token speaks.
    async fn principal(&self) {
        let found = self.store.principal(&HASH).await;
        found.expect("a store that is read").expect("the token");
    }

    /// The version of a signed URL.
    async fn verified(&self, version: &VersionId) {
        let found = self.store.principal_and_version(&self.token, version).await;
        let (principal, version) = found.expect("a store that is read");
        assert!(principal.is_some() && version.is_some());
    }

    /// A version with what is shown beside it.
    async fn shown(&self, version: &VersionId) {
        let found = self.store.version_beside(version).await;
        let (version, _, beside) = found.expect("a store that is read").expect("the version");
        if beside.is_none() {
            let beside = self.store.beside(std::slice::from_ref(&version)).await;
            beside.expect("a store that is read");
        }
    }

    async fn snapshot(
        &self,
        workspace: &WorkspaceId,
    ) -> upstate_server::__internal::rules::Snapshot {
        self.store
            .snapshot(workspace)
            .await
            .expect("a store that is read")
            .expect("the workspace")
    }

    async fn commit(&self, workspace: &WorkspaceId, expected: i64, change: Change) {
        let entry = audit(&self.organization, Some(workspace), "state-version.create");
        let commit = Commit {
            workspace: workspace.clone(),
            expected,
            at: Timestamp::now(),
            changes: vec![change],
            audit: vec![entry],
        };
        assert_eq!(
            self.store
                .commit(commit)
                .await
                .expect("a store that is written"),
            Committed::Done
        );
    }
}
