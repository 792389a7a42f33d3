//! Workspaces: find, make, change, lock, tag, delete.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::App;
use super::auth::{self, Caller};
use super::body::{SMALL, Sent, SentResource};
use super::document::{
    self, Document, Written, answer, answer_data, answer_including, paged, paged_including, written,
};
use super::error::{ApiResult, visible};
use super::outputs::room;
use super::places::project_document;
use super::query::Query;
use crate::model::{
    HolderKind, Organization, Output, Permission, Principal, ProjectId, Retention, UserId,
    Workspace, WorkspaceId,
};
use crate::rules::{Refusal, RefusalKind};
use crate::service::{LockRequest, NewWorkspace, WorkspaceChange};
use crate::store::{ConsumerChange, Page, StoreError, WorkspaceFilter};

type Tags = Vec<(String, Option<String>)>;

/// Answers with a workspace as it is now.
async fn show(app: &App, principal: &Principal, id: &WorkspaceId) -> ApiResult {
    let (_, snapshot) = app.service.workspace(principal, id).await?;
    shown(app, principal, &snapshot.workspace, StatusCode::OK).await
}

async fn shown(
    app: &App,
    principal: &Principal,
    workspace: &Workspace,
    status: StatusCode,
) -> ApiResult {
    let organization = organization_of(app, workspace).await?;
    let permissions = principal.permissions_on(workspace);
    let data = document::workspace(workspace, &organization.name, permissions);
    Ok(answer(status, &Document::of(data)))
}

async fn organization_of(app: &App, workspace: &Workspace) -> ApiResult<Organization> {
    let missing = || StoreError::new("the organization of a workspace is missing");
    let found = app
        .service
        .store()
        .organization_by_id(&workspace.organization)
        .await?;
    Ok(found.ok_or_else(missing)?)
}

/// Answers with a workspace and what the request includes.
async fn read(app: &App, principal: &Principal, workspace: &Workspace, query: &Query) -> ApiResult {
    let organization = organization_of(app, workspace).await?;
    let permissions = principal.permissions_on(workspace);
    let mut data = document::workspace(workspace, &organization.name, permissions);
    let mut included = include(app, principal, std::slice::from_ref(workspace), query).await?;
    if let Some(included) = &mut included
        && query.includes("outputs")
    {
        let outputs = outputs_of(app, principal, workspace).await?;
        let _room = room(app, &outputs)?;
        included.extend(document::with_outputs(&mut data, &outputs)?);
    }
    Ok(answer_including(data, included))
}

/// The outputs of a workspace's current state. A workspace without a state has none. A client that
/// may not read them is refused, because `tfe_outputs` would take an empty list for all outputs.
async fn outputs_of(
    app: &App,
    principal: &Principal,
    workspace: &Workspace,
) -> ApiResult<Vec<Output>> {
    if workspace.head.is_none() {
        return Ok(Vec::new());
    }
    let all = Page::first(u32::MAX);
    let listed = app
        .service
        .current_outputs(principal, &workspace.id, all)
        .await?;
    Ok(listed.items)
}

/// The related documents in a request, each once. Others than these are left out, because no
/// workspace has them here, such as a run.
async fn include(
    app: &App,
    principal: &Principal,
    workspaces: &[Workspace],
    query: &Query,
) -> ApiResult<Option<Vec<Written>>> {
    if query.get("include").is_none() {
        return Ok(None);
    }
    let mut included: BTreeMap<String, Written> = BTreeMap::new();
    // Each is asked for once, because a list has up to a hundred workspaces of the same ones.
    let (mut known, mut seen) = (None::<Organization>, BTreeSet::new());
    for workspace in workspaces {
        let organization = match known.take() {
            Some(organization) if organization.id == workspace.organization => organization,
            Some(_) | None => organization_of(app, workspace).await?,
        };
        if query.includes("organization") && principal.sees(&organization.id) {
            let permissions = principal.permissions(&organization.id);
            let shown = written(&document::organization(&organization, permissions))?;
            included.insert(organization.id.to_string(), shown);
        }
        if query.includes("project") && seen.insert(workspace.project.to_string()) {
            let found = visible(app.service.project(principal, &workspace.project).await)?;
            if let Some((access, project)) = found {
                let shown = project_document(&project, &organization.name, access.permissions);
                included.insert(project.id.to_string(), written(&shown)?);
            }
        }
        let holder = workspace.lock.as_ref().map(|lock| &lock.holder);
        if let Some(holder) = holder.filter(|holder| holder.kind == HolderKind::User)
            && query.includes("locked_by")
            && seen.insert(holder.id.clone())
        {
            let id = UserId::from_text(&holder.id);
            if let Some(user) = visible(app.service.user(principal, &id).await)? {
                included.insert(user.id.to_string(), written(&document::user(&user))?);
            }
        }
        known = Some(organization);
    }
    Ok(Some(included.into_values().collect()))
}

pub(super) async fn list(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let page = query.page()?;
    is_of_this_list(&query)?;
    let listed = app
        .service
        .workspaces(&principal, &org, &filter(&query)?, page)
        .await?;
    let data: Vec<Value> = listed
        .items
        .iter()
        .map(|workspace| document::workspace(workspace, &org, principal.permissions_on(workspace)))
        .collect();
    let included = include(&app, &principal, &listed.items, &query).await?;
    let numbers = query.pagination(&app, page, listed.total);
    Ok(paged_including(data, included, numbers))
}

/// Refuses what would be left out silently.
fn is_of_this_list(query: &Query) -> Result<(), Refusal> {
    if let Some(order) = query.get("sort").filter(|order| *order != "name") {
        let detail = format!("sort must be name, the order of this list, found {order:?}");
        return Err(Refusal::new(RefusalKind::BadRequest, detail));
    }
    let status = "filter[current-run][status]";
    if query.get(status).is_some() {
        let detail = format!("{status} selects nothing here: this server runs nothing");
        return Err(Refusal::new(RefusalKind::BadRequest, detail));
    }
    if query.includes("outputs") {
        let detail = "Invalid include parameter: outputs are included with one workspace, not with a list of them";
        return Err(Refusal::new(RefusalKind::BadRequest, detail));
    }
    Ok(())
}

/// The most tags by which a list is filtered: each is a condition of its statement.
const MOST_FILTERED: usize = 100;

fn filter(query: &Query) -> Result<WorkspaceFilter, Refusal> {
    let names = |key: &str| -> Vec<String> {
        let names = query.get(key).unwrap_or_default().split(',').map(str::trim);
        names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let mut tags: Tags = names("search[tags]")
        .into_iter()
        .map(|name| (name, None))
        .collect();
    // filter[tagged][0][key]=k&filter[tagged][0][value]=v
    let mut tagged: BTreeMap<&str, (Option<&str>, Option<&str>)> = BTreeMap::new();
    for (key, value) in query.pairs() {
        let Some((index, part)) = key
            .strip_prefix("filter[tagged][")
            .and_then(|rest| rest.split_once("]["))
        else {
            continue;
        };
        let entry = tagged.entry(index).or_default();
        match part {
            "key]" => entry.0 = Some(value),
            "value]" => entry.1 = Some(value).filter(|value| !value.is_empty()),
            _ => {}
        }
    }
    tags.extend(
        tagged
            .into_values()
            .filter_map(|(key, value)| Some((key?.to_owned(), value.map(str::to_owned)))),
    );
    let without_tags = names("search[exclude-tags]");
    let number = tags.len() + without_tags.len();
    if number > MOST_FILTERED {
        let detail = format!(
            "The list is filtered by {number} tags, and {MOST_FILTERED} are the most that are taken"
        );
        return Err(Refusal::new(RefusalKind::BadRequest, detail));
    }
    Ok(WorkspaceFilter {
        name: query
            .get("search[name]")
            .map(|name| name.trim_matches('*').to_owned())
            .filter(|name| !name.is_empty()),
        pattern: query
            .get("search[wildcard-name]")
            .filter(|pattern| !pattern.trim_matches('*').is_empty())
            .map(str::to_owned),
        tags,
        without_tags,
        project: query.get("filter[project][id]").map(ProjectId::from_text),
        within: None,
    })
}

pub(super) async fn by_name(
    Caller(app, principal): Caller,
    Path((org, name)): Path<(String, String)>,
    query: Query,
) -> ApiResult {
    let (_, workspace) = app.service.named_workspace(&principal, &org, &name).await?;
    read(&app, &principal, &workspace, &query).await
}

pub(super) async fn by_id(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    query: Query,
) -> ApiResult {
    let (_, snapshot) = app.service.workspace(&principal, &id).await?;
    read(&app, &principal, &snapshot.workspace, &query).await
}

pub(super) async fn create(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    request: Request,
) -> ApiResult {
    let (access, _) = app.service.organization(&principal, &org).await?;
    // The body says in which project; nothing is read for a client that may make workspaces in
    // none.
    if !principal
        .permissions_in_some_project(&access.organization)
        .allow(Permission::WriteState)
    {
        access.require(Permission::WriteState)?;
    }
    let is_terraform = request.headers().contains_key("terraform-version");
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("workspaces")?;
    is_local(&resource)?;
    is_not_of_a_project(&resource)?;
    let name = resource
        .string("name", "/data/attributes/name")?
        .unwrap_or_default();
    if is_terraform {
        // Because `terraform init` makes what its configuration names, and asks nobody: the next
        // plan would make everything once more.
        app.service.is_not_former(&principal, &org, &name).await?;
    }
    let new = NewWorkspace {
        name,
        description: resource
            .string("description", "/data/attributes/description")?
            .unwrap_or_default(),
        terraform_version: resource
            .string("terraform-version", "/data/attributes/terraform-version")?
            .unwrap_or_default(),
        tags: tags_of(&resource)?.unwrap_or_default(),
        project: project_of(&resource)?,
        shared: shared(&resource)?.unwrap_or_default(),
    };
    let workspace = app.service.create_workspace(&principal, &org, new).await?;
    shown(&app, &principal, &workspace, StatusCode::CREATED).await
}

/// Runs are executed where the client is, so a workspace cannot be of another kind.
fn is_local(resource: &SentResource<'_>) -> Result<(), Refusal> {
    let pointer = "/data/attributes/execution-mode";
    match resource.string("execution-mode", pointer)?.as_deref() {
        None | Some("" | "local") => Ok(()),
        Some(mode) => {
            let detail = format!(
                "execution-mode must be \"local\": this server keeps states and runs nothing; found {mode:?}"
            );
            Err(Refusal::unprocessable(pointer, detail))
        }
    }
}

/// True if every workspace of the organization may read the state, as far as a request says.
fn shared(resource: &SentResource<'_>) -> Result<Option<bool>, Refusal> {
    resource.attribute(
        "global-remote-state",
        "/data/attributes/global-remote-state",
        "true or false",
    )
}

/// Refuses what would be dropped silently: a state is not shared with a project.
fn is_not_of_a_project(resource: &SentResource<'_>) -> Result<(), Refusal> {
    let pointer = "/data/attributes/project-remote-state";
    match resource.attribute("project-remote-state", pointer, "true or false")? {
        None | Some(false) => Ok(()),
        Some(true) => Err(Refusal::unprocessable(
            pointer,
            "project-remote-state must be false: share the state by global-remote-state, or with the workspaces of a list",
        )),
    }
}

/// The project that a request names.
fn project_of(resource: &SentResource<'_>) -> Result<Option<ProjectId>, Refusal> {
    Ok(resource
        .related("project", "/data/relationships/project")?
        .map(|(_, id)| ProjectId::from_text(id)))
}

/// The tags in the relationships of a workspace, old and new form.
fn tags_of(resource: &SentResource<'_>) -> Result<Option<Tags>, Refusal> {
    let plain = resource.all_related("tags", "/data/relationships/tags")?;
    let bindings = resource.all_related("tag-bindings", "/data/relationships/tag-bindings")?;
    if plain.is_none() && bindings.is_none() {
        return Ok(None);
    }
    let mut tags = read_tags(&plain.unwrap_or_default(), "/data/relationships/tags")?;
    tags.extend(read_tags(
        &bindings.unwrap_or_default(),
        "/data/relationships/tag-bindings",
    )?);
    Ok(Some(tags))
}

/// `tags` with a name, or `tag-bindings` with key and value.
fn read_tags(resources: &[SentResource<'_>], pointer: &'static str) -> Result<Tags, Refusal> {
    let read = resources.iter().map(|resource| {
        let name = match resource.string("key", pointer)? {
            Some(key) => Some(key),
            None => resource.string("name", pointer)?,
        };
        let name = name
            .or_else(|| resource.id().map(str::to_owned))
            .filter(|name| !name.is_empty());
        let name =
            name.ok_or_else(|| Refusal::unprocessable(pointer, "a tag must have a name or a key"))?;
        let value = resource
            .string("value", pointer)?
            .filter(|value| !value.is_empty());
        if name.len() > 255 || value.as_ref().is_some_and(|value| value.len() > 255) {
            return Err(Refusal::unprocessable(
                pointer,
                "the key and the value of a tag have at most 255 letters",
            ));
        }
        Ok((name, value))
    });
    read.collect()
}

async fn id_of(app: &App, principal: &Principal, org: &str, name: &str) -> ApiResult<WorkspaceId> {
    Ok(app
        .service
        .named_workspace(principal, org, name)
        .await?
        .1
        .id)
}

pub(super) async fn update(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    update_id(&app, &principal, id, request).await
}

pub(super) async fn update_by_name(
    Caller(app, principal): Caller,
    Path((org, name)): Path<(String, String)>,
    request: Request,
) -> ApiResult {
    let id = id_of(&app, &principal, &org, &name).await?;
    update_id(&app, &principal, id, request).await
}

async fn update_id(
    app: &App,
    principal: &Principal,
    id: WorkspaceId,
    request: Request,
) -> ApiResult {
    app.service
        .allowed(principal, &id, Permission::WriteState)
        .await?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("workspaces")?;
    is_local(&resource)?;
    is_not_of_a_project(&resource)?;
    let change = WorkspaceChange {
        name: resource.string("name", "/data/attributes/name")?,
        description: resource.string("description", "/data/attributes/description")?,
        terraform_version: resource
            .string("terraform-version", "/data/attributes/terraform-version")?,
        tags: tags_of(&resource)?,
        project: project_of(&resource)?,
        shared: shared(&resource)?,
        ..WorkspaceChange::default()
    };
    app.service
        .change_workspace(principal, &id, &change)
        .await?;
    show(app, principal, &id).await
}

async fn delete_id(app: &App, principal: &Principal, id: &WorkspaceId, safely: bool) -> ApiResult {
    app.service.delete_workspace(principal, id, safely).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

type ByName = Path<(String, String)>;

pub(super) async fn delete(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
) -> ApiResult {
    delete_id(&app, &principal, &id, false).await
}

pub(super) async fn delete_by_name(
    Caller(app, principal): Caller,
    Path((org, name)): ByName,
) -> ApiResult {
    let id = id_of(&app, &principal, &org, &name).await?;
    delete_id(&app, &principal, &id, false).await
}

pub(super) async fn safe_delete(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
) -> ApiResult {
    delete_id(&app, &principal, &id, true).await
}

pub(super) async fn safe_delete_by_name(
    Caller(app, principal): Caller,
    Path((org, name)): ByName,
) -> ApiResult {
    let id = id_of(&app, &principal, &org, &name).await?;
    delete_id(&app, &principal, &id, true).await
}

pub(super) async fn lock(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    // Nothing is read for a client that may not lock.
    app.service
        .allowed(&principal, &id, Permission::Lock)
        .await?;
    let (parts, body) = request.into_parts();
    let held = app.read(&parts, body, SMALL).await?;
    let request = LockRequest {
        reason: reason(&held.bytes)?,
        client: auth::client(&parts.headers),
        ..LockRequest::default()
    };
    app.service.lock(&principal, &id, request).await?;
    show(&app, &principal, &id).await
}

pub(super) async fn unlock(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
) -> ApiResult {
    app.service.unlock(&principal, &id, None).await?;
    show(&app, &principal, &id).await
}

pub(super) async fn force_unlock(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
) -> ApiResult {
    app.service.force_unlock(&principal, &id).await?;
    show(&app, &principal, &id).await
}

/// pytfe sends `{"reason": …}`; go-tfe a resource whose type is empty.
fn reason(body: &[u8]) -> Result<String, Refusal> {
    let sent = Sent::read(body)?;
    let inside = match sent.any_resource()? {
        Some(resource) => resource.string("reason", "/data/attributes/reason")?,
        None => None,
    };
    let reason = inside
        .or_else(|| sent.reason().map(str::to_owned))
        .unwrap_or_default();
    Ok(reason.chars().take(1000).collect())
}

/// The tags of a workspace, as resources of this type.
async fn bindings(
    app: &App,
    principal: &Principal,
    id: &WorkspaceId,
    type_name: &str,
) -> ApiResult {
    let (_, snapshot) = app.service.workspace(principal, id).await?;
    let bindings = snapshot.workspace.tags.iter().map(|(key, value)| {
        json!({
            "id": format!("{}:{key}", snapshot.workspace.id),
            "type": type_name,
            "attributes": { "key": key, "value": value.as_deref().unwrap_or_default() },
        })
    });
    Ok(answer_data(bindings.collect::<Vec<Value>>()))
}

pub(super) async fn tag_bindings(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
) -> ApiResult {
    bindings(&app, &principal, &id, "tag-bindings").await
}

/// A project has no tags that its workspaces could inherit, so that they are the same.
pub(super) async fn effective_tag_bindings(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
) -> ApiResult {
    bindings(&app, &principal, &id, "effective-tag-bindings").await
}

pub(super) async fn tags(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    query: Query,
) -> ApiResult {
    let page = query.page_or_all()?;
    let (_, snapshot) = app.service.workspace(&principal, &id).await?;
    // `q` is in HCP's documentation, and go-tfe sends `name`.
    let part = query.get("q").or_else(|| query.get("name"));
    let part = part.unwrap_or_default();
    let plain = snapshot.workspace.tags.iter();
    let keys: Vec<&String> = plain
        .filter(|(key, value)| value.is_none() && key.contains(part))
        .map(|(key, _)| key)
        .collect();
    let total = u64::try_from(keys.len()).unwrap_or(u64::MAX);
    let data: Vec<Value> = page
        .of(keys)
        .map(|key| json!({ "id": key, "type": "tags", "attributes": { "name": key } }))
        .collect();
    Ok(paged(data, query.pagination(&app, page, total)))
}

/// Reads tags out of a request, and changes a workspace as `change` makes of them.
async fn change_tags(
    app: &App,
    principal: &Principal,
    id: &WorkspaceId,
    request: Request,
    change: impl FnOnce(Tags) -> WorkspaceChange + Send,
) -> ApiResult<()> {
    app.service
        .allowed(principal, id, Permission::WriteState)
        .await?;
    let held = app.small(request).await?;
    let tags = read_tags(&Sent::read(&held.bytes)?.resources()?, "/data")?;
    Ok(app
        .service
        .change_workspace(principal, id, &change(tags))
        .await?)
}

fn adding(add_tags: Tags) -> WorkspaceChange {
    WorkspaceChange {
        add_tags,
        ..WorkspaceChange::default()
    }
}

fn removing(tags: Tags) -> WorkspaceChange {
    WorkspaceChange {
        remove_tags: tags.into_iter().map(|(key, _)| key).collect(),
        ..WorkspaceChange::default()
    }
}

pub(super) async fn add_tag_bindings(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    change_tags(&app, &principal, &id, request, adding).await?;
    tag_bindings(Caller(app, principal), Path(id)).await
}

pub(super) async fn add_tags(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    change_tags(&app, &principal, &id, request, adding).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn remove_tags(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    change_tags(&app, &principal, &id, request, removing).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn consumers(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    query: Query,
) -> ApiResult {
    let page = query.page()?;
    let found = app.service.consumers(&principal, &id).await?;
    let mut data: Vec<Value> = Vec::new();
    let skipped = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    for workspace in found
        .iter()
        .skip(skipped)
        .take(usize::try_from(page.size).unwrap_or(usize::MAX))
    {
        let organization = app
            .service
            .store()
            .organization_by_id(&workspace.organization)
            .await?;
        let name = organization.map(|one| one.name).unwrap_or_default();
        data.push(document::workspace(
            workspace,
            &name,
            principal.permissions_on(workspace),
        ));
    }
    Ok(paged(
        data,
        query.pagination(&app, page, u64::try_from(found.len()).unwrap_or(u64::MAX)),
    ))
}

/// Reads workspaces out of a request, and changes who may read a state as `change` makes of them.
async fn share(
    app: &App,
    principal: &Principal,
    id: &WorkspaceId,
    request: Request,
    change: impl FnOnce(Vec<WorkspaceId>) -> ConsumerChange + Send,
) -> ApiResult {
    app.service
        .allowed(principal, id, Permission::Admin)
        .await?;
    let held = app.small(request).await?;
    let named = Sent::read(&held.bytes)?.resources()?;
    let ids = named
        .iter()
        .map(|one| WorkspaceId::from_text(one.id().unwrap_or_default()))
        .collect();
    app.service
        .change_consumers(principal, id, &change(ids))
        .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn add_consumers(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    share(&app, &principal, &id, request, |add| ConsumerChange {
        add,
        ..ConsumerChange::default()
    })
    .await
}

pub(super) async fn set_consumers(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    share(&app, &principal, &id, request, |add| ConsumerChange {
        replace: true,
        add,
        remove: Vec::new(),
    })
    .await
}

pub(super) async fn remove_consumers(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    share(&app, &principal, &id, request, |remove| ConsumerChange {
        remove,
        ..ConsumerChange::default()
    })
    .await
}

pub(super) async fn retention(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
) -> ApiResult {
    let (_, snapshot) = app.service.workspace(&principal, &id).await?;
    let none = || Refusal::not_found("a data retention policy of this workspace");
    let policy = document::retention(&snapshot.workspace).ok_or_else(none)?;
    Ok(answer_data(policy))
}

pub(super) async fn set_retention(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    app.service
        .allowed(&principal, &id, Permission::Admin)
        .await?;
    let held = app.small(request).await?;
    let sent = Sent::read(&held.bytes)?;
    let retention = read_retention(&sent)?;
    let change = WorkspaceChange {
        retention: Some(Some(retention)),
        ..WorkspaceChange::default()
    };
    app.service
        .change_workspace(&principal, &id, &change)
        .await?;
    self::retention(Caller(app, principal), Path(id)).await
}

/// The policy in a request: a word that is wrong must not keep for ever what was to be deleted, nor
/// the other way round.
fn read_retention(sent: &Sent<'_>) -> Result<Retention, Refusal> {
    let resource = sent.any_resource()?.ok_or_else(|| {
        Refusal::unprocessable("/data", "The body has no data: a data retention policy")
    })?;
    let pointer = "/data/attributes/delete-older-than-n-days";
    let days: Option<u32> = resource.attribute(
        "delete-older-than-n-days",
        pointer,
        "a number of days from 1 on",
    )?;
    match (resource.type_name(), days) {
        // `data-retention-policies` is an older name, accepted because go-tfe still sends it.
        ("data-retention-policies" | document::DELETE_OLDERS, Some(0)) => Err(
            Refusal::unprocessable(pointer, "delete-older-than-n-days must be 1 or greater"),
        ),
        ("data-retention-policies" | document::DELETE_OLDERS, Some(days)) => {
            Ok(Retention::Days(days))
        }
        ("data-retention-policies" | document::DELETE_OLDERS, None) => Err(Refusal::unprocessable(
            pointer,
            "delete-older-than-n-days is missing: after how many days versions are deleted",
        )),
        (document::DONT_DELETES, None) => Ok(Retention::Never),
        (document::DONT_DELETES, Some(_)) => {
            let detail = format!(
                "A policy of type {:?} deletes nothing, so it has no delete-older-than-n-days",
                document::DONT_DELETES
            );
            Err(Refusal::unprocessable(pointer, detail))
        }
        (found, _) => {
            let detail = format!(
                "data.type must be {:?} or {:?}, found {found:?}",
                document::DELETE_OLDERS,
                document::DONT_DELETES
            );
            Err(Refusal::unprocessable("/data/type", detail))
        }
    }
}

pub(super) async fn remove_retention(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
) -> ApiResult<Response> {
    let change = WorkspaceChange {
        retention: Some(None),
        ..WorkspaceChange::default()
    };
    app.service
        .change_workspace(&principal, &id, &change)
        .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
