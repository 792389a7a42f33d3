//! Projects, what teams may do in projects and workspaces, and the users of an organization.

use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use serde_json::{Value, json};

use super::App;
use super::admin::granted;
use super::auth::Caller;
use super::body::{Sent, SentResource};
use super::document::{self, Document, answer, answer_data, paged};
use super::error::ApiResult;
use super::query::Query;
use crate::model::{
    AccessId, Permission, Permissions, Place, Principal, Project, ProjectId, TeamAccess, TeamId,
    UserId, WorkspaceId,
};
use crate::rules::Refusal;

pub(super) fn project_document(
    project: &Project,
    organization: &str,
    permissions: Permissions,
) -> Value {
    let is_admin = permissions.allow(Permission::Admin);
    json!({
        "id": project.id.as_str(),
        "type": "projects",
        "attributes": {
            "name": project.name,
            "description": project.description,
            "created-at": project.created_at.to_string(),
            "is-default": project.is_default(),
            "permissions": {
                "can-create-workspace": permissions.allow(Permission::WriteState),
                "can-destroy": is_admin,
                "can-manage-teams": is_admin,
                "can-move-workspace": is_admin,
                "can-read": true,
                "can-update": is_admin,
            },
        },
        "relationships": { "organization": { "data": { "id": organization, "type": "organizations" } } },
        "links": { "self": format!("/api/v2/projects/{}", project.id) },
    })
}

pub(super) async fn projects(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let page = query.page()?;
    let (_, mut projects) = app.service.projects(&principal, &org).await?;
    projects.retain(|project| query.names(&project.name));
    let total = u64::try_from(projects.len()).unwrap_or(u64::MAX);
    let data: Vec<Value> = page
        .of(&projects)
        .map(|project| {
            project_document(
                project,
                &org,
                principal.permissions_in(&project.organization, &project.id),
            )
        })
        .collect();
    Ok(paged(data, query.pagination(&app, page, total)))
}

async fn shown(
    app: &App,
    principal: &Principal,
    project: &Project,
    status: StatusCode,
) -> ApiResult {
    let organization = app
        .service
        .store()
        .organization_by_id(&project.organization)
        .await?;
    let name = organization.map(|one| one.name).unwrap_or_default();
    let permissions = principal.permissions_in(&project.organization, &project.id);
    Ok(answer(
        status,
        &Document::of(project_document(project, &name, permissions)),
    ))
}

/// Refuses what would be dropped silently: a project has no tags here.
fn is_untagged(resource: &SentResource<'_>) -> Result<(), Refusal> {
    let pointer = "/data/relationships/tag-bindings";
    let tags = resource.all_related("tag-bindings", pointer)?;
    if tags.unwrap_or_default().is_empty() {
        return Ok(());
    }
    let detail = "A project has no tags here; tag its workspaces";
    Err(Refusal::unprocessable(pointer, detail))
}

pub(super) async fn create_project(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    request: Request,
) -> ApiResult {
    let (access, _) = app.service.organization(&principal, &org).await?;
    access.require(Permission::Admin)?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("projects")?;
    is_untagged(&resource)?;
    let name = resource
        .string("name", "/data/attributes/name")?
        .unwrap_or_default();
    let description = resource
        .string("description", "/data/attributes/description")?
        .unwrap_or_default();
    let project = app
        .service
        .create_project(&principal, &org, &name, &description)
        .await?;
    shown(&app, &principal, &project, StatusCode::CREATED).await
}

pub(super) async fn show_project(
    Caller(app, principal): Caller,
    Path(id): Path<ProjectId>,
) -> ApiResult {
    let (_, project) = app.service.project(&principal, &id).await?;
    shown(&app, &principal, &project, StatusCode::OK).await
}

pub(super) async fn update_project(
    Caller(app, principal): Caller,
    Path(id): Path<ProjectId>,
    request: Request,
) -> ApiResult {
    app.service
        .project(&principal, &id)
        .await?
        .0
        .require(Permission::Admin)?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("projects")?;
    is_untagged(&resource)?;
    let name = resource.string("name", "/data/attributes/name")?;
    let description = resource.string("description", "/data/attributes/description")?;
    let project = app
        .service
        .change_project(&principal, &id, name.as_deref(), description.as_deref())
        .await?;
    shown(&app, &principal, &project, StatusCode::OK).await
}

pub(super) async fn remove_project(
    Caller(app, principal): Caller,
    Path(id): Path<ProjectId>,
) -> ApiResult {
    app.service.remove_project(&principal, &id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The kind of place of a route, with the words that its documents use.
#[derive(Clone, Copy)]
enum Of {
    Project,
    Workspace,
}

impl Of {
    const fn type_name(self) -> &'static str {
        match self {
            Self::Project => "team-projects",
            Self::Workspace => "team-workspaces",
        }
    }

    const fn relationship(self) -> (&'static str, &'static str) {
        match self {
            Self::Project => ("project", "/data/relationships/project"),
            Self::Workspace => ("workspace", "/data/relationships/workspace"),
        }
    }

    const fn filter(self) -> &'static str {
        match self {
            Self::Project => "filter[project][id]",
            Self::Workspace => "filter[workspace][id]",
        }
    }

    fn place(self, id: &str) -> Place {
        match self {
            Self::Project => Place::Project(ProjectId::from_text(id)),
            Self::Workspace => Place::Workspace(WorkspaceId::from_text(id)),
        }
    }

    const fn is(self, place: &Place) -> bool {
        matches!(
            (self, place),
            (Self::Project, Place::Project(_)) | (Self::Workspace, Place::Workspace(_))
        )
    }
}

/// The permissions that clients know by one word.
pub(super) const LEVELS: [(&str, Permissions); 4] = [
    ("read", Permissions::READ),
    (
        "write",
        Permissions::READ
            .with(Permission::WriteState)
            .with(Permission::Lock),
    ),
    (
        "maintain",
        Permissions::READ
            .with(Permission::WriteState)
            .with(Permission::Lock)
            .with(Permission::ForceUnlock),
    ),
    ("admin", Permissions::ALL),
];

/// The permissions in a request: `grants`, by name; or `access`, as other clients have it, where
/// parts of `custom` that are left out stay as they were before.
fn access_of(
    resource: &SentResource<'_>,
    of: Of,
    before: Option<Permissions>,
) -> Result<Option<Permissions>, Refusal> {
    if let Some(granted) = granted(resource)? {
        return Ok(Some(granted));
    }
    let pointer = "/data/attributes/access";
    let Some(word) = resource.string("access", pointer)? else {
        let parts = Custom::read(resource, of)?;
        // go-tfe leaves the word out where it changes a part.
        let Some(before) = before.filter(|_| parts != Custom::default()) else {
            return Ok(None);
        };
        if before.and(Custom::ALL) != before {
            let detail = "access is missing: with \"custom\", the team keeps no more than read-state, write-state, read-outputs and lock";
            return Err(Refusal::unprocessable(pointer, detail));
        }
        return parts.permissions(before).map(Some);
    };
    // Plans run elsewhere: who may make one reads.
    let word = if word == "plan" {
        "read"
    } else {
        word.as_str()
    };
    if let Some((_, permissions)) = LEVELS.iter().find(|(level, _)| *level == word) {
        return Ok(Some(*permissions));
    }
    if word != "custom" {
        let detail =
            format!("access must be read, plan, write, maintain, admin or custom, found {word:?}");
        return Err(Refusal::unprocessable(pointer, detail));
    }
    let parts = Custom::read(resource, of)?;
    parts.permissions(before.unwrap_or_default()).map(Some)
}

/// The parts of `custom` that are about states.
#[derive(Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Custom {
    state_versions: Option<String>,
    locking: Option<bool>,
}

impl Custom {
    /// The most that it can grant.
    const ALL: Permissions = Permissions::CLIENT;

    /// The parts that a request names.
    fn read(resource: &SentResource<'_>, of: Of) -> Result<Self, Refusal> {
        Ok(match of {
            Of::Workspace => Self {
                state_versions: resource
                    .string("state-versions", "/data/attributes/state-versions")?,
                locking: resource.attribute(
                    "workspace-locking",
                    "/data/attributes/workspace-locking",
                    "true or false",
                )?,
            },
            Of::Project => resource
                .attribute(
                    "workspace-access",
                    "/data/attributes/workspace-access",
                    "an object with state-versions and locking",
                )?
                .unwrap_or_default(),
        })
    }

    /// The permissions with these parts, the others as they were before.
    fn permissions(&self, before: Permissions) -> Result<Permissions, Refusal> {
        let states = match self.state_versions.as_deref() {
            None => before.and(Permissions::READ.with(Permission::WriteState)),
            Some("none") => Permissions::NONE,
            Some("read-outputs") => Permissions::NONE.with(Permission::ReadOutputs),
            Some("read") => Permissions::READ,
            Some("write") => Permissions::READ.with(Permission::WriteState),
            Some(other) => {
                let detail = format!(
                    "state-versions must be none, read-outputs, read or write, found {other:?}"
                );
                return Err(Refusal::unprocessable(
                    "/data/attributes/state-versions",
                    detail,
                ));
            }
        };
        let is_locking = self
            .locking
            .unwrap_or_else(|| before.allow(Permission::Lock));
        Ok(if is_locking {
            states.with(Permission::Lock)
        } else {
            states
        })
    }
}

fn access_document(access: &TeamAccess, of: Of) -> Value {
    let permissions = access.permissions;
    let level = LEVELS
        .iter()
        .find(|(_, level)| *level == permissions)
        .map_or("custom", |(name, _)| name);
    let states = if permissions.allow(Permission::WriteState) {
        "write"
    } else if permissions.allow(Permission::ReadState) {
        "read"
    } else if permissions.allow(Permission::ReadOutputs) {
        "read-outputs"
    } else {
        "none"
    };
    let locking = permissions.allow(Permission::Lock);
    let is_admin = permissions.allow(Permission::Admin);
    let attributes = match of {
        Of::Workspace => json!({
            "access": level,
            "grants": permissions.to_string(),
            "runs": "read",
            "variables": "none",
            "state-versions": states,
            "sentinel-mocks": "none",
            "workspace-locking": locking,
            "run-tasks": false,
        }),
        Of::Project => json!({
            "access": level,
            "grants": permissions.to_string(),
            "project-access": {
                "settings": if is_admin { "delete" } else { "read" },
                "teams": if is_admin { "manage" } else { "none" },
                "variable-sets": "none",
            },
            "workspace-access": {
                "create": permissions.allow(Permission::WriteState),
                "delete": is_admin,
                "locking": locking,
                "move": is_admin,
                "run-tasks": false,
                "runs": "read",
                "sentinel-mocks": "none",
                "state-versions": states,
                "variables": "none",
            },
        }),
    };
    let (name, _) = of.relationship();
    let id = access.place.id().unwrap_or_default();
    json!({
        "id": access.id.as_str(),
        "type": of.type_name(),
        "attributes": attributes,
        "relationships": {
            "team": { "data": { "id": access.team.as_str(), "type": "teams" } },
            name: { "data": { "id": id, "type": format!("{name}s") } },
        },
        "links": { "self": format!("/api/v2/{}/{}", of.type_name(), access.id) },
    })
}

async fn accesses(app: &App, principal: &Principal, query: &Query, of: Of) -> ApiResult {
    let place = of.place(query.required(of.filter())?);
    let found = app.service.team_accesses(principal, &place).await?;
    let page = query.page()?;
    let total = u64::try_from(found.len()).unwrap_or(u64::MAX);
    let data: Vec<Value> = page
        .of(&found)
        .map(|access| access_document(access, of))
        .collect();
    Ok(paged(data, query.pagination(app, page, total)))
}

async fn add(app: &App, principal: &Principal, request: Request, of: Of) -> ApiResult {
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource(of.type_name())?;
    let (name, pointer) = of.relationship();
    let missing = |what: &str, pointer| {
        Refusal::unprocessable(pointer, format!("relationships.{what} is missing"))
    };
    let (_, place) = resource
        .related(name, pointer)?
        .ok_or_else(|| missing(name, pointer))?;
    let pointer = "/data/relationships/team";
    let (_, team) = resource
        .related("team", pointer)?
        .ok_or_else(|| missing("team", pointer))?;
    let nothing = || {
        Refusal::unprocessable(
            "/data/attributes/access",
            "access is missing: name what the team may do",
        )
    };
    let permissions = access_of(&resource, of, None)?.ok_or_else(nothing)?;
    let access = app
        .service
        .add_team_access(
            principal,
            &TeamId::from_text(team),
            of.place(&place),
            permissions,
        )
        .await?;
    Ok(answer(
        StatusCode::CREATED,
        &Document::of(access_document(&access, of)),
    ))
}

/// The access of a team to a place of the route's kind.
async fn found(app: &App, principal: &Principal, id: &AccessId, of: Of) -> ApiResult<TeamAccess> {
    let access = app.service.team_access(principal, id).await?;
    if of.is(&access.place) {
        Ok(access)
    } else {
        Err(Refusal::not_found(format!("team access {id}")).into())
    }
}

async fn change(
    app: &App,
    principal: &Principal,
    id: &AccessId,
    request: Request,
    of: Of,
) -> ApiResult {
    found(app, principal, id, of).await?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource(of.type_name())?;
    let access = app
        .service
        .change_team_access(principal, id, |before| {
            Ok(access_of(&resource, of, Some(before))?.unwrap_or(before))
        })
        .await?;
    Ok(answer_data(access_document(&access, of)))
}

async fn remove(app: &App, principal: &Principal, id: &AccessId, of: Of) -> ApiResult {
    found(app, principal, id, of).await?;
    app.service.remove_team_access(principal, id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

macro_rules! access_handlers {
    ($of:ident: $list:ident $create:ident $show:ident $update:ident $remove:ident) => {
        pub(super) async fn $list(Caller(app, principal): Caller, query: Query) -> ApiResult {
            accesses(&app, &principal, &query, Of::$of).await
        }

        pub(super) async fn $create(Caller(app, principal): Caller, request: Request) -> ApiResult {
            add(&app, &principal, request, Of::$of).await
        }

        pub(super) async fn $show(
            Caller(app, principal): Caller,
            Path(id): Path<AccessId>,
        ) -> ApiResult {
            let access = found(&app, &principal, &id, Of::$of).await?;
            Ok(answer_data(access_document(&access, Of::$of)))
        }

        pub(super) async fn $update(
            Caller(app, principal): Caller,
            Path(id): Path<AccessId>,
            request: Request,
        ) -> ApiResult {
            change(&app, &principal, &id, request, Of::$of).await
        }

        pub(super) async fn $remove(
            Caller(app, principal): Caller,
            Path(id): Path<AccessId>,
        ) -> ApiResult {
            remove(&app, &principal, &id, Of::$of).await
        }
    };
}

access_handlers!(Workspace: team_workspaces create_team_workspace team_workspace update_team_workspace remove_team_workspace);
access_handlers!(Project: team_projects create_team_project team_project update_team_project remove_team_project);

pub(super) async fn users(Caller(app, principal): Caller, Path(org): Path<String>) -> ApiResult {
    let users = app.service.users(&principal, &org).await?;
    Ok(answer_data(
        users.iter().map(document::user).collect::<Vec<_>>(),
    ))
}

pub(super) async fn remove_user(
    Caller(app, principal): Caller,
    Path((org, id)): Path<(String, String)>,
) -> ApiResult {
    app.service
        .remove_user(&principal, &org, &UserId::from_text(id))
        .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
