//! Organizations, users, accounts and runs, as far as clients ask for them.

use axum::extract::Path;
use serde_json::{Value, json};

use super::App;
use super::auth::Caller;
use super::document::{self, answer_data, answer_including, paged, written};
use super::error::{ApiResult, visible};
use super::places::project_document;
use super::query::Query;
use super::state_versions::run_document;
use crate::model::{HolderKind, OrganizationId, Permission, Principal, Project, UserId, Version};
use crate::rules::Refusal;
use crate::service::Failure;

pub(super) async fn account(Caller(_, principal): Caller) -> ApiResult {
    Ok(answer_data(document::account(&principal)))
}

pub(super) async fn user(Caller(app, principal): Caller, Path(id): Path<UserId>) -> ApiResult {
    let user = app.service.user(&principal, &id).await?;
    Ok(answer_data(document::user(&user)))
}

/// The version that was written for a run, if the caller may see it.
async fn version_of_run(app: &App, principal: &Principal, run: &str) -> ApiResult<Version> {
    let unknown = || Refusal::not_found(format!("run {run:?}"));
    // Run ids are made by clients: another organization may use the same.
    let organizations: Vec<OrganizationId> =
        principal.organizations().into_iter().cloned().collect();
    let version = app
        .service
        .store()
        .version_of_run(run, &organizations)
        .await?
        .ok_or_else(unknown)?;
    match app.service.workspace(principal, &version.workspace).await {
        Ok((access, _)) => {
            access.require(Permission::ReadState)?;
            Ok(version)
        }
        Err(Failure::Refused(_)) => Err(unknown().into()),
        Err(failure) => Err(failure.into()),
    }
}

fn creator(version: &Version) -> Option<&str> {
    match version.creator.kind {
        HolderKind::User => Some(&version.creator.id),
        HolderKind::Team | HolderKind::Workspace | HolderKind::Workload => None,
    }
}

pub(super) async fn run(Caller(app, principal): Caller, Path(id): Path<String>) -> ApiResult {
    let version = version_of_run(&app, &principal, &id).await?;
    Ok(answer_data(run_document(&id, creator(&version))))
}

pub(super) async fn run_creator(
    Caller(app, principal): Caller,
    Path(id): Path<String>,
) -> ApiResult {
    let version = version_of_run(&app, &principal, &id).await?;
    let unknown = || Refusal::not_found(format!("the creator of run {id:?}"));
    let user = app
        .service
        .user(
            &principal,
            &UserId::from_text(creator(&version).ok_or_else(unknown)?),
        )
        .await?;
    Ok(answer_data(document::user(&user)))
}

pub(super) async fn organizations(Caller(app, principal): Caller, query: Query) -> ApiResult {
    let page = query.page()?;
    let all = app.service.store().organizations().await?;
    let visible: Vec<_> = all
        .iter()
        .filter(|one| principal.sees(&one.id) && query.names(&one.name))
        .collect();
    let total = u64::try_from(visible.len()).unwrap_or(u64::MAX);
    let data: Vec<Value> = page
        .of(visible)
        .map(|one| document::organization(one, principal.permissions(&one.id)))
        .collect();
    Ok(paged(data, query.pagination(&app, page, total)))
}

pub(super) async fn organization(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let (access, organization) = app.service.organization(&principal, &org).await?;
    let data = document::organization(&organization, access.permissions);
    if !query.includes("default_project") {
        return Ok(answer_data(data));
    }
    let id = Project::default_of(&organization.id);
    let found = visible(app.service.project(&principal, &id).await)?;
    let shown = found.map(|(access, project)| {
        written(&project_document(
            &project,
            &organization.name,
            access.permissions,
        ))
    });
    let included = Some(shown.transpose()?.into_iter().collect());
    Ok(answer_including(data, included))
}

/// The abilities of the server. It runs nothing, and says so here and in every workspace.
pub(super) async fn entitlements(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
) -> ApiResult {
    let (_, organization) = app.service.organization(&principal, &org).await?;
    let data = json!({
        "id": organization.id.as_str(),
        "type": "entitlement-sets",
        "attributes": {
            "agents": false,
            "audit-logging": true,
            "cost-estimation": false,
            "operations": false,
            "policy-enforcement": false,
            "private-module-registry": false,
            "sentinel": false,
            "state-storage": true,
            "teams": true,
            "vcs-integrations": false,
        },
        "links": { "self": format!("/api/v2/entitlement-sets/{}", organization.id) },
    });
    Ok(answer_data(data))
}
