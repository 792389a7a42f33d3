//! The suite. Each function gets a store on which nothing was done.

mod accounts;
mod audit;
mod commits;
mod deliveries;
mod jobs;
mod kept_bytes;
mod numbers;
mod places;
mod retention;
mod trusts;
mod versions;
mod workspaces;

pub(crate) use accounts::{
    names_are_taken_once, the_first_token_is_added_once, tokens_grant_what_their_owners_may,
};
pub(crate) use audit::{
    lines_of_the_audit_log_are_filtered, secrets_stay_the_same, what_is_done_is_audited,
};
pub(crate) use commits::{
    a_commit_is_written_whole_or_not_at_all, a_head_moves_only_from_where_it_is_expected,
    any_text_is_kept, of_racing_commits_one_is_written,
};
pub(crate) use deliveries::one_process_delivers_to_a_receiver;
pub(crate) use jobs::{
    a_job_ends_without_its_workspaces, a_job_stops_and_goes_on, a_job_that_runs_is_not_resumed,
    a_large_job_has_all_its_workspaces, a_stopped_job_ends_with_its_last_workspace,
    a_workspace_of_a_job_is_the_work_of_one_process, heads_are_listed_by_name, job,
    locks_that_end_by_themselves_are_found, processes_that_look_for_work_share_it,
    the_newest_outcome_of_a_version_is_found, work_goes_on_while_the_store_is_copied,
    workspaces_that_a_job_changed_are_found,
};
pub(crate) use kept_bytes::{
    a_version_waits_for_its_bytes, bytes_come_back_as_they_went_in,
    discarded_bytes_are_gone_and_shared_ones_stay, late_bytes_are_kept_aside,
    what_is_gone_is_deleted_once, what_is_used_is_no_garbage,
};
pub(crate) use numbers::size_and_backups_are_known;
pub(crate) use places::{
    a_job_may_what_its_requester_may_now, nothing_refers_to_what_is_gone, projects_hold_workspaces,
    teams_may_something_in_a_part, who_leaves_loses_everything, who_lost_something_has_no_new_job,
};
pub(crate) use retention::{all_expired, what_a_policy_lets_go_is_found};
pub(crate) use trusts::{
    jobs_may_what_their_trust_grants, subjects_and_sessions_are_of_users,
    what_is_of_use_once_is_used_once,
};
pub(crate) use versions::{
    neighbours_are_finalized_versions, outputs_are_kept_with_their_version,
    versions_are_listed_newest_first, who_made_a_version_is_known_by_their_id,
};
pub(crate) use workspaces::{
    a_deleted_workspace_keeps_its_name_for_what_it_manages,
    a_restored_workspace_takes_no_former_name_back,
    deleted_workspaces_free_their_name_until_they_are_purged, details_change_and_names_stay_unique,
    names_lead_to_who_had_them_last, no_name_is_taken_from_a_lock_of_http,
    workspaces_are_found_by_name_and_tags,
};

use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use upstate_server::__internal::model::{
    AuditEntry, Backing, Finalized, Holder, HolderKind, Organization, OrganizationId, Output,
    OutputId, Project, Status, Summary, Timestamp, Version, VersionId, Workspace, WorkspaceId,
};
use upstate_server::__internal::rules::Snapshot;
use upstate_server::__internal::store::{Change, Commit, Committed, NewContent, Page, Store};

pub(crate) type Shared = Arc<dyn Store>;

const FIRST: Page = Page {
    number: 1,
    size: 20,
};

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
    let organization = Organization {
        id: OrganizationId::new(),
        name: name.to_owned(),
        created_at: at(1),
    };
    assert!(
        store
            .add_organization(&organization, entry("organization.create"))
            .await
            .expect("a store")
    );
    organization.id
}

pub(crate) fn new_workspace(organization: &OrganizationId, name: &str) -> Workspace {
    Workspace {
        id: WorkspaceId::new(),
        organization: organization.clone(),
        project: Project::default_of(organization),
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
        shared: false,
        retention: None,
        created_at: at(1),
        updated_at: at(1),
    }
}

/// Adds a workspace; false if there is one of this name.
pub(crate) async fn added(store: &Shared, workspace: &Workspace) -> bool {
    store
        .add_workspace(workspace, entry("x"))
        .await
        .expect("a store")
}

pub(crate) async fn workspace(store: &Shared) -> WorkspaceId {
    let organization = organization(store, "acme").await;
    let workspace = new_workspace(&organization, "net");
    assert!(
        store
            .add_workspace(&workspace, entry("workspace.create"))
            .await
            .expect("a store")
    );
    workspace.id
}

pub(crate) fn holder() -> Holder {
    Holder {
        kind: HolderKind::User,
        id: "user-a".to_owned(),
        name: "a".to_owned(),
        lock_id: None,
    }
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
        job: None,
    }
}

fn content(version: &VersionId, bytes: &[u8], json: Option<&[u8]>) -> Box<NewContent> {
    Box::new(NewContent {
        state: Bytes::copy_from_slice(bytes),
        compressed: None,
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
    store
        .snapshot(id)
        .await
        .expect("a store")
        .expect("a workspace")
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
    assert_eq!(
        store
            .commit(commit(&snapshot, changes))
            .await
            .expect("a store"),
        Committed::Done
    );
}

fn finalize(snapshot: &Snapshot, version: &Version, bytes: &[u8]) -> Change {
    Change::Finalize {
        version: version.id.clone(),
        from: snapshot.workspace.head.clone(),
        lineage: version.lineage.clone(),
        content: content(&version.id, bytes, None),
    }
}

pub(crate) async fn write(
    store: &Shared,
    id: &WorkspaceId,
    serial: i64,
    bytes: &[u8],
) -> VersionId {
    let snapshot = snapshot(store, id).await;
    let version = version(&snapshot, serial);
    let changes = vec![
        Change::Insert(Box::new(version.clone())),
        finalize(&snapshot, &version, bytes),
    ];
    assert_eq!(
        store
            .commit(commit(&snapshot, changes))
            .await
            .expect("a store"),
        Committed::Done
    );
    version.id
}
