//! Workspaces.

use super::accounts::check_description;
use super::places::name_taken;
use super::{Access, Decided, Failure, Service, audit, who};
use crate::model::{
    AuditEntry, OrganizationId, Permission, Principal, ProjectId, Retention, Timestamp, Workspace,
    WorkspaceId,
};
use crate::rules::{Refusal, RefusalKind, Snapshot};
use crate::store::{Change, Committed, Details, Listed, Page, WorkspaceFilter};

/// A workspace to be made.
#[derive(Debug, Clone, Default)]
pub struct NewWorkspace {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// The Terraform version that a client writes there.
    pub terraform_version: String,
    /// Tags.
    pub tags: Vec<(String, Option<String>)>,
    /// The project it is in; `None`: the first one of the organization.
    pub project: Option<ProjectId>,
    /// True if every workspace of the organization may read its state.
    pub shared: bool,
}

/// Changes to a workspace: what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceChange {
    /// Its name.
    pub name: Option<String>,
    /// Its purpose.
    pub description: Option<String>,
    /// The Terraform version that a client writes there.
    pub terraform_version: Option<String>,
    /// All its tags.
    pub tags: Option<Vec<(String, Option<String>)>>,
    /// Tags that are added, or get another value.
    pub add_tags: Vec<(String, Option<String>)>,
    /// Tags that go.
    pub remove_tags: Vec<String>,
    /// The project it is in.
    pub project: Option<ProjectId>,
    /// True if every workspace of the organization may read its state.
    pub shared: Option<bool>,
    /// The policy for keeping its versions; `Some(None)`: the server's.
    pub retention: Option<Option<Retention>>,
}

/// The longest name, as the clients' own service has it.
const LONGEST_NAME: usize = 90;

/// The longest Terraform version that a client writes at a workspace, in bytes.
const LONGEST_VERSION: usize = 100;

/// The most tags of a workspace.
const MOST_TAGS: usize = 1000;

/// Refuses what cannot be the Terraform version of a workspace.
fn check_terraform_version(version: &str) -> Result<(), Refusal> {
    if version.len() <= LONGEST_VERSION {
        return Ok(());
    }
    let detail = format!("terraform-version must have at most {LONGEST_VERSION} characters");
    Err(Refusal::unprocessable(
        "/data/attributes/terraform-version",
        detail,
    ))
}

/// Refuses more tags than a workspace may have, unless it has as many already.
fn check_tags(before: usize, tags: usize) -> Result<(), Refusal> {
    if tags <= MOST_TAGS.max(before) {
        return Ok(());
    }
    let detail = format!("A workspace has at most {MOST_TAGS} tags, found {tags}");
    Err(Refusal::unprocessable("/data", detail))
}

/// Refuses what cannot be the name of a workspace.
pub fn check_workspace_name(name: &str) -> Result<(), Refusal> {
    let is_valid = (1..=LONGEST_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if is_valid {
        return Ok(());
    }
    let detail = format!("Name must be 1 to {LONGEST_NAME} letters, digits, - and _");
    Err(Refusal::unprocessable("/data/attributes/name", detail))
}

/// The words of the audit log for a change of who may read a state.
fn sharing(before: bool, after: bool) -> String {
    let words = match (before, after) {
        (false, true) => "shared with every workspace of the organization",
        (true, false) => "no longer shared with every workspace of the organization",
        (false, false) | (true, true) => "",
    };
    words.to_owned()
}

impl Service {
    /// Makes a workspace.
    pub async fn create_workspace(
        &self,
        principal: &Principal,
        organization: &str,
        new: NewWorkspace,
    ) -> Result<Workspace, Failure> {
        let (_, organization) = self.organization(principal, organization).await?;
        let project = self
            .project_for(
                principal,
                &organization.id,
                new.project.as_ref(),
                // As for a change, because more people may read the state then.
                if new.shared {
                    Permission::Admin
                } else {
                    Permission::WriteState
                },
            )
            .await?;
        self.is_not_in_use(Some(principal), &organization.id, &new.name, None)
            .await?;
        // Not of an import, in which an administrator takes what another server has.
        check_description(&new.description)?;
        check_terraform_version(&new.terraform_version)?;
        check_tags(0, new.tags.len())?;
        self.make_workspace(who(principal), organization.id, project.id, new)
            .await
    }

    /// Makes a workspace for somebody who may.
    pub(super) async fn make_workspace(
        &self,
        by: String,
        organization: OrganizationId,
        project: ProjectId,
        new: NewWorkspace,
    ) -> Result<Workspace, Failure> {
        check_workspace_name(&new.name)?;
        let at = self.now();
        let workspace = Workspace {
            id: WorkspaceId::new(),
            organization: organization.clone(),
            project,
            name: new.name,
            revision: 0,
            last_seq: 0,
            head: None,
            pending: None,
            max_serial: None,
            lock: None,
            unlocked: None,
            description: new.description,
            terraform_version: new.terraform_version,
            tags: sorted(new.tags),
            shared: new.shared,
            retention: None,
            created_at: at,
            updated_at: at,
        };
        let entry = AuditEntry {
            at,
            who: by,
            action: "workspace.create".into(),
            organization: Some(organization),
            workspace: Some(workspace.id.clone()),
            subject: workspace.name.clone(),
            detail: sharing(false, workspace.shared),
        };
        let added = self.store.add_workspace(&workspace, entry).await;
        if added.map_err(|error| Failure::of_body(error, "/data/relationships/project"))? {
            return Ok(workspace);
        }
        Err(name_taken())
    }

    /// Refuses the name that a workspace had before it was renamed.
    pub async fn is_not_former(
        &self,
        principal: &Principal,
        organization: &str,
        name: &str,
    ) -> Result<(), Failure> {
        let (_, found) = self.organization(principal, organization).await?;
        match self.store.named(&found.id, name).await? {
            // Otherwise who may not see it would learn that it has another name now.
            Some((workspace, deleted_at)) if workspace.name != name => {
                Err(match Access::on(principal, &workspace) {
                    Some(_) => gone(organization, name, &workspace, deleted_at).into(),
                    None => name_taken(),
                })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses a name by which an apply knows another workspace: its state could not be stored any
    /// more. Without a principal the operator asks, who sees all.
    async fn is_not_in_use(
        &self,
        principal: Option<&Principal>,
        organization: &OrganizationId,
        name: &str,
        by: Option<&WorkspaceId>,
    ) -> Result<(), Failure> {
        let Some((workspace, None)) = self.store.named(organization, name).await? else {
            return Ok(());
        };
        let is_other = workspace.name != name && by != Some(&workspace.id);
        let Some(lock) = workspace
            .lock
            .as_ref()
            .filter(|lock| is_other && lock.is_of_http())
        else {
            return Ok(());
        };
        if principal.is_some_and(|principal| Access::on(principal, &workspace).is_none()) {
            return Err(name_taken());
        }
        // Because an operator may have no token with that permission.
        let instead = if principal.is_none() {
            ", or name another one with --name"
        } else {
            ""
        };
        let detail = format!(
            "Workspace {}, {name} before, is locked by {} since {}, and its state may still come to the name {name}. \
             Try again once it is unlocked; force-unlock takes away a lock that was left behind{instead}",
            workspace.name, lock.holder, lock.at
        );
        Err(Refusal::unprocessable("/data/attributes/name", detail).into())
    }

    /// A page of the workspaces of an organization.
    pub async fn workspaces(
        &self,
        principal: &Principal,
        organization: &str,
        filter: &WorkspaceFilter,
        page: Page,
    ) -> Result<Listed<Workspace>, Failure> {
        let (_, organization) = self.organization(principal, organization).await?;
        let filter = WorkspaceFilter {
            within: principal.parts(&organization.id),
            ..filter.clone()
        };
        let mut listed = self
            .store
            .workspaces(&organization.id, &filter, page)
            .await?;
        listed
            .items
            .iter_mut()
            .for_each(|workspace| self.drop_ended_lock(workspace));
        Ok(listed)
    }

    /// Changes a workspace.
    pub async fn change_workspace(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        change: &WorkspaceChange,
    ) -> Result<(), Failure> {
        let (access, now) = self.workspace(principal, id).await?;
        let project = change
            .project
            .as_ref()
            .filter(|project| **project != now.workspace.project);
        let is_moved = change.name.is_some()
            || change.retention.is_some()
            || change.shared.is_some()
            || project.is_some();
        let needs = if is_moved {
            Permission::Admin
        } else {
            Permission::WriteState
        };
        access.require(needs)?;
        if project.is_some() {
            // Those who administrate only one of both could take it away from the others, or put it
            // before them.
            self.project_for(principal, &access.organization, project, Permission::Admin)
                .await?;
        }
        if let Some(name) = &change.name {
            check_workspace_name(name)?;
            self.is_not_in_use(Some(principal), &access.organization, name, Some(id))
                .await?;
        }
        // Clients send what is there again, which may be older than these limits.
        if let Some(description) = &change.description
            && *description != now.workspace.description
        {
            check_description(description)?;
        }
        if let Some(version) = &change.terraform_version
            && *version != now.workspace.terraform_version
        {
            check_terraform_version(version)?;
        }
        self.change_allowed(principal, id, needs, |snapshot, at| {
            // It may have been moved meanwhile, away from where it was to stay.
            if change.project.is_some() && snapshot.workspace.project != now.workspace.project {
                return Err(changed_meanwhile().into());
            }
            let before = details(snapshot);
            let mut tags = change.tags.clone().unwrap_or_else(|| before.tags.clone());
            tags.retain(|(key, _)| {
                !change.remove_tags.contains(key)
                    && !change.add_tags.iter().any(|(added, _)| added == key)
            });
            tags.extend(change.add_tags.iter().cloned());
            let after = Details {
                name: change.name.clone().unwrap_or_else(|| before.name.clone()),
                description: change
                    .description
                    .clone()
                    .unwrap_or_else(|| before.description.clone()),
                terraform_version: change
                    .terraform_version
                    .clone()
                    .unwrap_or_else(|| before.terraform_version.clone()),
                tags: sorted(tags),
                project: change
                    .project
                    .clone()
                    .unwrap_or_else(|| before.project.clone()),
                shared: change.shared.unwrap_or(before.shared),
                retention: change.retention.unwrap_or(before.retention),
            };
            if after == before {
                return Ok(Decided::Nothing(()));
            }
            check_tags(before.tags.len(), after.tags.len())?;
            let entry = audit(
                principal,
                snapshot,
                at,
                "workspace.update",
                &after.name,
                sharing(before.shared, after.shared),
            );
            Ok(Decided::Write {
                changes: vec![Change::Details(Box::new(after))],
                audit: vec![entry],
                result: (),
            })
        })
        .await
    }

    /// Brings a deleted workspace back, under its own name or another; that name.
    pub async fn restore_workspace(
        &self,
        by: &str,
        id: &WorkspaceId,
        name: Option<&str>,
    ) -> Result<String, Failure> {
        let deleted = self.store.deleted_workspaces().await?;
        let gone = || {
            Refusal::new(
                RefusalKind::NotFound,
                format!("There is no deleted workspace {id}; `workspace deleted` lists them"),
            )
        };
        let (workspace, _) = deleted
            .into_iter()
            .find(|(workspace, _)| workspace.id == *id)
            .ok_or_else(gone)?;
        let name = name.unwrap_or(&workspace.name);
        check_workspace_name(name)?;
        self.is_not_in_use(None, &workspace.organization, name, Some(id))
            .await?;
        let entry = AuditEntry {
            at: self.now(),
            who: by.to_owned(),
            action: "workspace.restore".into(),
            organization: Some(workspace.organization),
            workspace: Some(id.clone()),
            subject: name.to_owned(),
            detail: String::new(),
        };
        match self.store.restore_workspace(id, name, entry).await? {
            Committed::Done => Ok(name.to_owned()),
            Committed::Stale | Committed::Gone | Committed::ProjectGone => Err(gone().into()),
            Committed::NameTaken => {
                let detail = format!(
                    "There is another workspace {name} by now; name another one with --name"
                );
                Err(Refusal::unprocessable("/data/attributes/name", detail).into())
            }
        }
    }

    /// Refuses a workspace that has resources, or may have.
    async fn manages_nothing(&self, snapshot: &Snapshot) -> Result<(), Failure> {
        let Some(head) = &snapshot.head else {
            return Ok(());
        };
        let beside = self.store.beside(std::slice::from_ref(head)).await?;
        let summary = beside
            .into_iter()
            .next()
            .and_then(|beside| beside.summary)
            .unwrap_or_default();
        let manages = match &summary.unreadable {
            Some(why) => format!("its resources are not known, {why}"),
            None if manages_resources(&summary.resources) => {
                "it is still managing resources. Destroy them, or force the delete".to_owned()
            }
            None => return Ok(()),
        };
        let name = &snapshot.workspace.name;
        Err(Refusal::conflict(format!(
            "Workspace {name} cannot be safely deleted: {manages}"
        ))
        .into())
    }

    /// Deletes a workspace. Safely: not while it is locked, and not while its state has resources.
    pub async fn delete_workspace(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        safely: bool,
    ) -> Result<(), Failure> {
        let snapshot = self.allowed(principal, id, Permission::Admin).await?;
        if safely {
            is_idle(&snapshot)?;
            self.manages_nothing(&snapshot).await?;
        }
        let before = snapshot.workspace.head;
        self.change_allowed(principal, id, Permission::Admin, |snapshot, at| {
            if safely {
                is_idle(snapshot)?;
                if snapshot.workspace.head != before {
                    return Err(changed_meanwhile().into());
                }
            }
            let detail = snapshot
                .head
                .as_ref()
                .map(|head| format!("its state was {}", head.id))
                .unwrap_or_default();
            let entry = audit(
                principal,
                snapshot,
                at,
                "workspace.delete",
                &snapshot.workspace.name,
                detail,
            );
            Ok(Decided::Write {
                changes: vec![Change::Remove],
                audit: vec![entry],
                result: (),
            })
        })
        .await
    }
}

/// The refusal at a name that a workspace had. Terraform would take a new one in its place for no
/// state, and make everything once more.
pub(super) fn gone(
    organization: &str,
    name: &str,
    workspace: &Workspace,
    deleted_at: Option<Timestamp>,
) -> Refusal {
    let Workspace { id, name: now, .. } = workspace;
    let detail = match deleted_at {
        None => format!(
            "Workspace {name} is now {now}: use that name, in backend \"http\" the address /http/{organization}/{now}"
        ),
        Some(at) => {
            let before = if now == name {
                String::new()
            } else {
                format!(", {name} before,")
            };
            format!(
                "Workspace {now}{before} was deleted at {at} with resources in its state, or with a state that cannot be read: \
                 `upstate-server workspace restore {id}` brings it back"
            )
        }
    };
    Refusal::new(
        RefusalKind::Gone,
        format!(
            "{detail}. To begin a new state of this name, make a workspace with POST /api/v2/organizations/{organization}/workspaces"
        ),
    )
}

fn changed_meanwhile() -> Refusal {
    Refusal::conflict("The workspace changed while it was looked at; try again")
}

/// Refuses a workspace in which somebody works.
fn is_idle(snapshot: &Snapshot) -> Result<(), Refusal> {
    let name = &snapshot.workspace.name;
    if let Some(lock) = &snapshot.workspace.lock {
        return Err(Refusal::conflict(format!(
            "Workspace {name} cannot be safely deleted while it is locked by {}",
            lock.holder
        )));
    }
    if let Some(pending) = &snapshot.pending {
        return Err(Refusal::conflict(format!(
            "Workspace {name} cannot be safely deleted: {} is being processed",
            pending.id
        )));
    }
    Ok(())
}

/// True if a summary counts managed resources; data sources are only read.
fn manages_resources(resources: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Counted {
        #[serde(rename = "type")]
        type_name: String,
        count: u64,
    }
    let counted: Result<Vec<Counted>, _> = serde_json::from_str(resources);
    counted.map_or(true, |all| {
        all.iter()
            .any(|one| one.count > 0 && !one.type_name.starts_with("data."))
    })
}

fn details(snapshot: &Snapshot) -> Details {
    let Workspace {
        name,
        description,
        terraform_version,
        tags,
        project,
        shared,
        retention,
        ..
    } = snapshot.workspace.clone();
    Details {
        name,
        description,
        terraform_version,
        tags,
        shared,
        project,
        retention,
    }
}

/// By key, each once.
fn sorted(mut tags: Vec<(String, Option<String>)>) -> Vec<(String, Option<String>)> {
    tags.sort();
    tags.dedup_by(|later, earlier| later.0 == earlier.0);
    tags
}
