//! JSON:API documents as clients read them.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::App;
use crate::model::{
    Backing, ContentKind, HolderKind, Organization, Output, Permission, Permissions, Principal,
    Project, Retention, Status, TokenKind, User, VersionId, Workspace,
};
use crate::service::{Shown, Signed, Use};
use crate::store::{NAMED_OUTPUTS, StoreError};

/// The media type of every answer of the API; Terraform reads the snapshot header of no other.
pub(super) const MEDIA_TYPE: &str = "application/vnd.api+json";

/// A resource, already written: what outputs hold must not go through a number type.
pub(super) type Written = Box<RawValue>;

/// A document.
#[derive(Debug, Serialize)]
pub(super) struct Document<D> {
    pub(super) data: D,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) included: Option<Vec<Written>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) links: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) meta: Option<Value>,
}

impl<D> Document<D> {
    pub(super) const fn of(data: D) -> Self {
        Self {
            data,
            included: None,
            links: None,
            meta: None,
        }
    }
}

/// Answers with data alone.
pub(super) fn answer_data<D: Serialize>(data: D) -> Response {
    answer(StatusCode::OK, &Document::of(data))
}

/// Answers with data, and with what the request includes.
pub(super) fn answer_including<D: Serialize>(data: D, included: Option<Vec<Written>>) -> Response {
    let document = Document {
        included,
        ..Document::of(data)
    };
    answer(StatusCode::OK, &document)
}

/// Answers with a part of a list, with its links and its numbers.
pub(super) fn paged<D: Serialize>(data: D, numbers: (Value, Value)) -> Response {
    paged_including(data, None, numbers)
}

/// Answers with a part of a list, and with what the request includes.
pub(super) fn paged_including<D: Serialize>(
    data: D,
    included: Option<Vec<Written>>,
    (links, meta): (Value, Value),
) -> Response {
    let document = Document {
        data,
        included,
        links: Some(links),
        meta: Some(meta),
    };
    answer(StatusCode::OK, &document)
}

/// Answers with a document.
pub(super) fn answer<D: Serialize>(status: StatusCode, document: &Document<D>) -> Response {
    match serde_json::to_vec(document) {
        Ok(body) => (
            status,
            [(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE))],
            body,
        )
            .into_response(),
        Err(error) => {
            tracing::error!(%error, "a document was not written");
            super::error::document(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Internal Server Error",
                "The answer was not written",
                None,
            )
        }
    }
}

/// Writes a resource.
pub(super) fn written(resource: &impl Serialize) -> Result<Written, StoreError> {
    to_raw_value(resource)
        .map_err(|error| StoreError::new("a document was not written").because(error))
}

#[derive(Serialize)]
struct Resource<A> {
    id: String,
    #[serde(rename = "type")]
    type_name: &'static str,
    attributes: A,
    relationships: Value,
    links: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct VersionAttributes<'a> {
    created_at: String,
    size: Option<u64>,
    hosted_state_download_url: Option<String>,
    hosted_json_state_download_url: Option<String>,
    hosted_state_upload_url: Option<String>,
    hosted_json_state_upload_url: Option<String>,
    status: &'static str,
    backing_data_status: &'static str,
    intermediate: bool,
    serial: i64,
    lineage: &'a str,
    md5: &'a str,
    state_version: Option<i64>,
    terraform_version: Option<&'a str>,
    resources_processed: bool,
    modules: Option<&'a RawValue>,
    providers: Option<&'a RawValue>,
    resources: Option<&'a RawValue>,
    unreadable: Option<&'a str>,
    vcs_commit_sha: Option<()>,
    vcs_commit_url: Option<()>,
    forced: bool,
}

/// The URL of a version's bytes, signed for whom it is shown to, if they may use it.
fn object_url(
    app: &App,
    Shown {
        version, access, ..
    }: &Shown,
    kind: ContentKind,
    on: Use,
) -> Option<String> {
    let Signed {
        token,
        expires,
        signature,
    } = app.service.sign(access, &version.id, kind, on)?;
    let base = &app.options.base_url;
    let (id, kind) = (&version.id, kind.name());
    Some(format!(
        "{base}/objects/state-versions/{id}/{kind}?token={token}&expires={expires}&signature={signature}"
    ))
}

/// The related documents that a client requests with a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Uploads {
    /// The upload URLs, also where nothing is missing: a client that asked for them would otherwise
    /// upload to nowhere for minutes.
    Always,
    /// Those of what is missing.
    WhereMissing,
}

/// A state version.
pub(super) fn version(app: &App, shown: &Shown, uploads: Uploads) -> Result<Written, StoreError> {
    let Shown {
        version,
        beside,
        access: _,
    } = shown;
    let has_bytes = version.status == Status::Finalized && version.backing == Backing::Available;
    let takes = |is_missing: bool| {
        uploads == Uploads::Always || (is_missing && version.status == Status::Pending)
    };
    let url = |wanted: bool, kind, on| {
        if wanted {
            object_url(app, shown, kind, on)
        } else {
            None
        }
    };
    let finalized = version.finalized.as_ref();
    let summary = beside.summary.as_ref();
    let attributes = VersionAttributes {
        created_at: version.created_at.to_string(),
        size: finalized.map(|finalized| finalized.size),
        hosted_state_download_url: url(has_bytes, ContentKind::State, Use::Get),
        hosted_json_state_download_url: url(
            has_bytes && version.has_json_state,
            ContentKind::JsonState,
            Use::Get,
        ),
        hosted_state_upload_url: url(takes(true), ContentKind::State, Use::Put),
        hosted_json_state_upload_url: url(
            takes(!version.has_json_state),
            ContentKind::JsonState,
            Use::Put,
        ),
        status: version.status.name(),
        backing_data_status: version.backing.name(),
        intermediate: false,
        serial: version.serial,
        lineage: &version.lineage,
        md5: &version.md5,
        state_version: finalized.and_then(|finalized| finalized.format_version),
        terraform_version: finalized.map(|finalized| finalized.terraform_version.as_str()),
        resources_processed: finalized.is_some(),
        modules: summary.and_then(|summary| serde_json::from_str(&summary.modules).ok()),
        providers: summary.and_then(|summary| serde_json::from_str(&summary.providers).ok()),
        resources: summary.and_then(|summary| serde_json::from_str(&summary.resources).ok()),
        unreadable: summary.and_then(|summary| summary.unreadable.as_deref()),
        vcs_commit_sha: None,
        vcs_commit_url: None,
        forced: version.forced,
    };
    let named = |type_name: &str, id: &str| json!({ "data": { "id": id, "type": type_name } });
    let maybe = |type_name: &str, id: Option<&str>| {
        id.map_or_else(|| json!({ "data": null }), |id| named(type_name, id))
    };
    let creator = &version.creator.id;
    let created_by = match version.creator.kind {
        HolderKind::User => json!({
            "data": { "id": creator, "type": "users" },
            "links": { "self": format!("/api/v2/users/{creator}"), "related": format!("/api/v2/users/{creator}") },
        }),
        HolderKind::Team | HolderKind::Workspace | HolderKind::Workload => json!({ "data": null }),
    };
    let links = json!({ "related": format!("/api/v2/state-versions/{}/outputs", version.id) });
    let ids = beside
        .outputs
        .iter()
        .map(|id| json!({ "id": id.as_str(), "type": "state-version-outputs" }));
    let outputs = if beside.outputs.len() <= NAMED_OUTPUTS as usize {
        json!({ "data": ids.collect::<Vec<_>>(), "links": links })
    } else {
        json!({ "links": links })
    };
    let mut relationships = json!({
        "run": maybe("runs", version.run.as_deref()),
        "created-by": created_by,
        "workspace": named("workspaces", version.workspace.as_str()),
        "outputs": outputs,
        "next-state-version": maybe("state-versions", beside.next.as_ref().map(VersionId::as_str)),
        "previous-state-version": maybe("state-versions", beside.previous.as_ref().map(VersionId::as_str)),
    });
    let from = if version.downgraded_to.is_some() {
        "downgraded-from-state-version"
    } else {
        "upgraded-from-state-version"
    };
    if let (Some(job), Some(members)) = (&version.job, relationships.as_object_mut()) {
        members.insert("job".to_owned(), named("upstate-jobs", job.as_str()));
    }
    let of = [
        ("rollback-state-version", &version.rollback_of),
        (from, &version.upgraded_from),
    ];
    for (name, id) in of {
        if let (Some(id), Some(members)) = (id, relationships.as_object_mut()) {
            members.insert(name.to_owned(), named("state-versions", id.as_str()));
        }
    }
    written(&Resource {
        id: version.id.to_string(),
        type_name: "state-versions",
        attributes,
        relationships,
        links: json!({ "self": format!("/api/v2/state-versions/{}", version.id) }),
    })
}

#[derive(Serialize)]
struct OutputAttributes<'a> {
    name: &'a str,
    sensitive: bool,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(rename = "output-type", skip_serializing_if = "Option::is_none")]
    kind_in_workspace: Option<&'a str>,
    value: Option<Written>,
    #[serde(rename = "detailed-type")]
    detailed_type: Option<Written>,
}

/// The type of an output that is included with its workspace.
const WORKSPACE_OUTPUTS: &str = "workspace-outputs";

/// An output; lists hide the values of sensitive ones.
pub(super) fn output(output: &Output, in_list: bool) -> Result<Written, StoreError> {
    output_as("state-version-outputs", output, in_list)
}

/// Names the outputs of a workspace in its document; the documents of these, for which clients have
/// words of their own.
pub(super) fn with_outputs(
    workspace: &mut Value,
    outputs: &[Output],
) -> Result<Vec<Written>, StoreError> {
    let named: Vec<Value> = outputs
        .iter()
        .map(|output| json!({ "id": output.id.as_str(), "type": WORKSPACE_OUTPUTS }))
        .collect();
    if let Some(relationships) = workspace
        .get_mut("relationships")
        .and_then(Value::as_object_mut)
    {
        relationships.insert("outputs".to_owned(), json!({ "data": named }));
    }
    outputs
        .iter()
        .map(|output| output_as(WORKSPACE_OUTPUTS, output, true))
        .collect()
}

fn output_as(
    type_name: &'static str,
    output: &Output,
    in_list: bool,
) -> Result<Written, StoreError> {
    let raw = |text: &String| {
        RawValue::from_string(text.clone())
            .map(Some)
            .map_err(|error| StoreError::new("an output is damaged").because(error))
    };
    let attributes = OutputAttributes {
        name: &output.name,
        sensitive: output.sensitive,
        kind: (type_name != WORKSPACE_OUTPUTS).then_some(&*output.kind),
        kind_in_workspace: (type_name == WORKSPACE_OUTPUTS).then_some(&*output.kind),
        value: if output.sensitive && in_list {
            None
        } else {
            raw(&output.value)?
        },
        detailed_type: raw(&output.detailed_type)?,
    };
    written(&Resource {
        id: output.id.to_string(),
        type_name,
        attributes,
        relationships: json!({}),
        links: json!({ "self": format!("/api/v2/state-version-outputs/{}", output.id) }),
    })
}

/// A workspace, with what the caller may do there: Terraform panics where `permissions` are
/// missing.
pub(super) fn workspace(
    workspace: &Workspace,
    organization: &str,
    permissions: Permissions,
) -> Value {
    let can = |permission| permissions.allow(permission);
    let lock = workspace.lock.as_ref();
    let tags: Vec<&String> = workspace
        .tags
        .iter()
        .filter(|(_, value)| value.is_none())
        .map(|(key, _)| key)
        .collect();
    let head = workspace.head.as_ref().map(VersionId::as_str);
    let by = lock.map(|lock| {
        let type_name = match lock.holder.kind {
            HolderKind::User => "users",
            HolderKind::Team => "teams",
            HolderKind::Workspace => "workspaces",
            HolderKind::Workload => "upstate-trusts",
        };
        json!({ "id": lock.holder.id, "type": type_name })
    });
    let policy = policy(workspace).map(|(id, type_name, _)| json!({ "id": id, "type": type_name }));
    let terraform_version = if workspace.terraform_version.is_empty() {
        "latest"
    } else {
        &workspace.terraform_version
    };
    json!({
        "id": workspace.id.as_str(),
        "type": "workspaces",
        "attributes": {
            "name": workspace.name,
            "description": workspace.description,
            "created-at": workspace.created_at.to_string(),
            "updated-at": workspace.updated_at.to_string(),
            "execution-mode": "local",
            "operations": false,
            "auto-apply": false,
            "environment": "default",
            "terraform-version": terraform_version,
            "working-directory": "",
            "global-remote-state": workspace.shared,
            "locked": lock.is_some(),
            "locked-reason": lock.map(|lock| lock.reason.as_str()),
            "locked-at": lock.map(|lock| lock.at.to_string()),
            "tag-names": tags,
            // pytfe takes no value that HashiCorp's platform does not have.
            "source": "tfe-api",
            "permissions": {
                "can-create-state-versions": can(Permission::WriteState),
                "can-destroy": can(Permission::Admin),
                "can-force-delete": can(Permission::Admin),
                "can-force-unlock": can(Permission::ForceUnlock),
                "can-lock": can(Permission::Lock),
                "can-manage-tags": can(Permission::WriteState),
                "can-queue-apply": false,
                "can-queue-destroy": false,
                "can-queue-run": false,
                "can-read-settings": true,
                "can-read-state-outputs": can(Permission::ReadOutputs) || can(Permission::ReadState),
                "can-read-state-versions": can(Permission::ReadState),
                "can-read-variable": false,
                "can-unlock": can(Permission::Lock),
                "can-update": can(Permission::Admin),
                "can-update-variable": false,
            },
            "actions": { "is-destroyable": can(Permission::Admin) },
        },
        "relationships": {
            "organization": { "data": { "id": organization, "type": "organizations" } },
            "project": { "data": { "id": workspace.project.as_str(), "type": "projects" } },
            "current-state-version": {
                "data": head.map(|id| json!({ "id": id, "type": "state-versions" })),
                "links": { "related": format!("/api/v2/workspaces/{}/current-state-version", workspace.id) },
            },
            "locked-by": { "data": by },
            "data-retention-policy": { "data": policy },
        },
        "links": { "self": format!("/api/v2/organizations/{organization}/workspaces/{}", workspace.name) },
    })
}

/// An organization. Clients know it by its name, which is its id for them.
pub(super) fn organization(organization: &Organization, permissions: Permissions) -> Value {
    json!({
        "id": organization.name,
        "type": "organizations",
        "attributes": {
            "name": organization.name,
            "external-id": organization.id.as_str(),
            "created-at": organization.created_at.to_string(),
            "default-execution-mode": "local",
            "permissions": {
                "can-create-workspace": permissions.allow(Permission::WriteState),
                "can-create-project": permissions.allow(Permission::Admin),
                "can-create-team": permissions.allow(Permission::Admin),
                "can-update": permissions.allow(Permission::Admin),
                "can-destroy": false,
            },
        },
        "relationships": {
            "default-project": {
                "data": { "id": Project::default_of(&organization.id).as_str(), "type": "projects" },
            },
        },
        "links": { "self": format!("/api/v2/organizations/{}", organization.name) },
    })
}

/// A user.
pub(super) fn user(user: &User) -> Value {
    json!({
        "id": user.id.as_str(),
        "type": "users",
        "attributes": { "username": user.name, "is-service-account": false, "avatar-url": null, "v2-only": true },
        "links": { "self": format!("/api/v2/users/{}", user.id) },
    })
}

/// The account of a token.
pub(super) fn account(principal: &Principal) -> Value {
    let (id, is_service) = match &principal.kind {
        TokenKind::User(user) | TokenKind::Session(user) | TokenKind::Member { user, .. } => {
            (user.as_str(), false)
        }
        TokenKind::Team(team) => (team.as_str(), true),
        TokenKind::Organization(organization) => (organization.as_str(), true),
        TokenKind::Workspace { workspace, .. } => (workspace.as_str(), true),
        TokenKind::Workload { trust, .. } => (trust.as_str(), true),
    };
    json!({
        "id": id,
        "type": "users",
        "attributes": {
            "username": principal.name,
            "is-service-account": is_service,
            "avatar-url": null,
            "v2-only": true,
            "token-expires-at": principal.expires_at.map(|at| at.to_string()),
        },
        "links": { "self": format!("/api/v2/users/{id}") },
    })
}

/// The type of a policy that deletes nothing, and of one that deletes what is older than it says.
pub(super) const DONT_DELETES: &str = "data-retention-policy-dont-deletes";
pub(super) const DELETE_OLDERS: &str = "data-retention-policy-delete-olders";

/// The workspace's policy for keeping versions, if it has one: its id, its type and its attributes.
fn policy(workspace: &Workspace) -> Option<(String, &'static str, Value)> {
    let id = format!("drp-{}", workspace.id.as_str().trim_start_matches("ws-"));
    let (type_name, attributes) = match workspace.retention? {
        Retention::Never => (DONT_DELETES, json!({})),
        Retention::Days(days) => (DELETE_OLDERS, json!({ "delete-older-than-n-days": days })),
    };
    Some((id, type_name, attributes))
}

/// That policy as a document.
pub(super) fn retention(workspace: &Workspace) -> Option<Value> {
    policy(workspace).map(|(id, type_name, attributes)| {
        json!({ "id": id, "type": type_name, "attributes": attributes })
    })
}
