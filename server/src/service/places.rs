//! Projects, what teams may do in a part of an organization, and who is in it.

use std::time::Instant;

use super::accounts::check_description;
use super::{ATTEMPTS, Access, Failure, Service, access, audit, changes_too_quickly, who};
use crate::model::{
    AccessId, AuditEntry, Organization, OrganizationId, Permission, Permissions, Place, Principal,
    Project, ProjectId, Team, TeamAccess, TeamId, User, UserId, Workspace, WorkspaceId,
};
use crate::rules::{Refusal, RefusalKind};
use crate::store::{Committed, ConsumerChange};
use crate::traffic;

/// The longest name of a project, as the clients' own service has it.
const LONGEST_NAME: usize = 40;

/// Refuses what cannot be the name of a project.
pub(crate) fn check_project_name(name: &str) -> Result<(), Refusal> {
    let is_letter =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | ' ');
    if (3..=LONGEST_NAME).contains(&name.len())
        && name.chars().all(is_letter)
        && name.trim() == name
    {
        return Ok(());
    }
    let detail = format!(
        "The name of a project must be 3 to {LONGEST_NAME} letters, digits, spaces, - and _, found {name:?}"
    );
    Err(Refusal::unprocessable("/data/attributes/name", detail))
}

pub(super) fn name_taken() -> Failure {
    Refusal::unprocessable("/data/attributes/name", "Name has already been taken").into()
}

impl Service {
    /// The projects of an organization in which a principal has a permission.
    pub async fn projects(
        &self,
        principal: &Principal,
        organization: &str,
    ) -> Result<(Organization, Vec<Project>), Failure> {
        let (_, organization) = self.organization(principal, organization).await?;
        let mut projects = self.store.projects(&organization.id).await?;
        projects.retain(|project| {
            Access::in_project(principal, &organization.id, &project.id).is_some()
        });
        Ok((organization, projects))
    }

    /// A project in which a principal has a permission.
    pub async fn project(
        &self,
        principal: &Principal,
        id: &ProjectId,
    ) -> Result<(Access, Project), Failure> {
        let unknown = || Refusal::not_found(format!("project {id}"));
        let project = self.store.project(id).await?.ok_or_else(unknown)?;
        let access =
            Access::in_project(principal, &project.organization, id).ok_or_else(unknown)?;
        Ok((access, project))
    }

    /// A project of one organization in which a principal may do something: the one that is named,
    /// or the first.
    pub(super) async fn project_for(
        &self,
        principal: &Principal,
        organization: &OrganizationId,
        named: Option<&ProjectId>,
        needs: Permission,
    ) -> Result<Project, Failure> {
        let default = Project::default_of(organization);
        let id = named.unwrap_or(&default);
        let unknown = || {
            Refusal::unprocessable(
                "/data/relationships/project",
                format!("project {id} not found"),
            )
        };
        let found = self
            .store
            .project(id)
            .await?
            .filter(|project| project.organization == *organization);
        let project = found.ok_or_else(unknown)?;
        match Access::in_project(principal, organization, id) {
            Some(access) => access.require(needs)?,
            None if named.is_some() => return Err(unknown().into()),
            None => {
                let bearer = (&principal.token, principal.owner(), principal.name.as_str());
                return Err(access::lacking(bearer, needs, "the first project").into());
            }
        }
        Ok(project)
    }

    /// Makes a project.
    pub async fn create_project(
        &self,
        principal: &Principal,
        organization: &str,
        name: &str,
        description: &str,
    ) -> Result<Project, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::Admin)?;
        check_project_name(name)?;
        check_description(description)?;
        let project = self.new_project(organization.id, name, description);
        let entry = self.about_project(principal, &project, "project.create");
        if self.store.add_project(&project, entry).await? {
            Ok(project)
        } else {
            Err(name_taken())
        }
    }

    /// The project of this name, made if need be.
    pub(crate) async fn ensure_project(
        &self,
        by: &str,
        organization: &OrganizationId,
        name: &str,
    ) -> Result<Project, Failure> {
        let named = async || {
            Ok::<_, Failure>(
                self.store
                    .projects(organization)
                    .await?
                    .into_iter()
                    .find(|one| one.name == name),
            )
        };
        if let Some(found) = named().await? {
            return Ok(found);
        }
        check_project_name(name)?;
        let project = self.new_project(organization.clone(), name, "");
        if self
            .store
            .add_project(
                &project,
                self.of_project(by.to_owned(), &project, "project.create"),
            )
            .await?
        {
            return Ok(project);
        }
        // Somebody else made it meanwhile.
        Ok(named()
            .await?
            .ok_or_else(|| Refusal::not_found(format!("project {name:?}")))?)
    }

    /// Changes the name and the description of a project: what is `None` stays, also as somebody
    /// else changes it at the same time.
    pub async fn change_project(
        &self,
        principal: &Principal,
        id: &ProjectId,
        name: Option<&str>,
        description: Option<&str>,
    ) -> Result<Project, Failure> {
        for _ in 0..ATTEMPTS {
            let (access, before) = self.project(principal, id).await?;
            access.require(Permission::Admin)?;
            if let Some(name) = name {
                check_project_name(name)?;
            }
            if let Some(description) = description
                && description != before.description
            {
                check_description(description)?;
            }
            let project = Project {
                name: name.unwrap_or(&before.name).to_owned(),
                description: description.unwrap_or(&before.description).to_owned(),
                ..before.clone()
            };
            let entry = self.about_project(principal, &project, "project.update");
            match self.store.change_project(&before, &project, entry).await? {
                Committed::Done => return Ok(project),
                Committed::NameTaken => return Err(name_taken()),
                Committed::Gone | Committed::ProjectGone | Committed::Stale => {}
            }
        }
        Err(changes_too_quickly("project").into())
    }

    /// Removes a project in which there is no workspace.
    pub async fn remove_project(
        &self,
        principal: &Principal,
        id: &ProjectId,
    ) -> Result<(), Failure> {
        let (_, project) = self.project(principal, id).await?;
        let everywhere = Access::of(principal, &project.organization)
            .ok_or_else(|| Refusal::not_found(format!("project {id}")))?;
        everywhere.require(Permission::Admin)?;
        if project.is_default() {
            return Err(Refusal::conflict(
                "The first project of an organization cannot be deleted: new workspaces go there",
            )
            .into());
        }
        let entry = self.about_project(principal, &project, "project.remove");
        if self
            .store
            .remove_project(id, &Project::default_of(&project.organization), entry)
            .await?
        {
            return Ok(());
        }
        let detail = format!(
            "The project {} has workspaces; move them to another project or delete them first",
            project.name
        );
        Err(Refusal::conflict(detail).into())
    }

    fn new_project(&self, organization: OrganizationId, name: &str, description: &str) -> Project {
        let (name, description) = (name.to_owned(), description.to_owned());
        Project {
            id: ProjectId::new(),
            organization,
            name,
            description,
            created_at: self.now(),
        }
    }

    fn about_project(
        &self,
        principal: &Principal,
        project: &Project,
        action: &'static str,
    ) -> AuditEntry {
        self.of_project(who(principal), project, action)
    }

    fn of_project(&self, by: String, project: &Project, action: &'static str) -> AuditEntry {
        AuditEntry {
            detail: project.name.clone(),
            ..self.audit_now(by, action, Some(project.organization.clone()), &project.id)
        }
    }

    /// The organization of a place whose teams a principal administrates, and the project of a
    /// workspace: it may be moved away from who administrates it before something is written.
    async fn administrated(
        &self,
        principal: &Principal,
        place: &Place,
    ) -> Result<(OrganizationId, Option<ProjectId>), Failure> {
        let (access, project) = match place {
            Place::Organization => {
                return Err(Refusal::not_found("the project or workspace").into());
            }
            Place::Project(id) => (self.project(principal, id).await?.0, None),
            Place::Workspace(id) => {
                let (access, snapshot) = self.workspace(principal, id).await?;
                (access, Some(snapshot.workspace.project))
            }
        };
        access.require(Permission::Admin)?;
        Ok((access.organization, project))
    }

    /// The name of a project or a workspace, or its id if it is gone.
    pub(crate) async fn place_name(&self, place: &Place) -> Result<String, Failure> {
        let name = match place {
            Place::Organization => None,
            Place::Project(id) => self.store.project(id).await?.map(|project| project.name),
            Place::Workspace(id) => self
                .store
                .snapshot(id)
                .await?
                .map(|found| found.workspace.name),
        };
        Ok(name.unwrap_or_else(|| place.id().unwrap_or_default().to_owned()))
    }

    /// The permissions of teams at a place itself.
    pub async fn team_accesses(
        &self,
        principal: &Principal,
        place: &Place,
    ) -> Result<Vec<TeamAccess>, Failure> {
        self.administrated(principal, place).await?;
        Ok(self.store.team_accesses(place).await?)
    }

    /// The access of a team to a place that a principal administrates.
    pub async fn team_access(
        &self,
        principal: &Principal,
        id: &AccessId,
    ) -> Result<TeamAccess, Failure> {
        Ok(self.access_at(principal, id).await?.0)
    }

    /// The access of a team to a place that a principal administrates, and that place as
    /// [`administrated`](Self::administrated) finds it.
    async fn access_at(
        &self,
        principal: &Principal,
        id: &AccessId,
    ) -> Result<(TeamAccess, OrganizationId, Option<ProjectId>), Failure> {
        let unknown = || Refusal::not_found(format!("team access {id}"));
        let access = self.store.team_access(id).await?.ok_or_else(unknown)?;
        match self.administrated(principal, &access.place).await {
            Ok((organization, project)) => Ok((access, organization, project)),
            Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::NotFound => {
                Err(unknown().into())
            }
            Err(failure) => Err(failure),
        }
    }

    /// Lets a team do something at a place.
    pub async fn add_team_access(
        &self,
        principal: &Principal,
        team: &TeamId,
        place: Place,
        permissions: Permissions,
    ) -> Result<TeamAccess, Failure> {
        let unknown =
            || Refusal::unprocessable("/data/relationships/team", format!("team {team} not found"));
        let access = TeamAccess {
            id: AccessId::new(),
            team: team.clone(),
            place,
            permissions,
        };
        for _ in 0..ATTEMPTS {
            let (organization, project) = self.administrated(principal, &access.place).await?;
            let found = self
                .store
                .team_by_id(team)
                .await?
                .filter(|found| found.organization == organization);
            let found = found.ok_or_else(unknown)?;
            let entry = self.about_access(
                principal,
                organization,
                &access,
                &found,
                "team-access.create",
            );
            let added = self
                .store
                .add_team_access(&access, project.as_ref(), entry)
                .await;
            if added.map_err(|error| Failure::of_body(error, "/data/relationships"))? {
                return Ok(access);
            }
            // Otherwise the workspace was moved meanwhile.
            let there = self.store.team_accesses(&access.place).await?;
            if there.iter().any(|other| other.team == *team) {
                let place = access.place.name();
                let detail = format!(
                    "The team {} has its access to this {place} already; change that one",
                    found.name
                );
                return Err(Refusal::unprocessable("/data/relationships/team", detail).into());
            }
        }
        Err(changes_too_quickly("access of the team").into())
    }

    /// Changes what a team may do at a place to what `to` makes of what it may until then.
    pub async fn change_team_access(
        &self,
        principal: &Principal,
        id: &AccessId,
        to: impl Fn(Permissions) -> Result<Permissions, Refusal>,
    ) -> Result<TeamAccess, Failure> {
        for _ in 0..ATTEMPTS {
            let (before, organization, project) = self.access_at(principal, id).await?;
            let permissions = to(before.permissions)?;
            let access = TeamAccess {
                permissions,
                ..before.clone()
            };
            let team = self.team_of(&access).await?;
            let entry = self.about_access(
                principal,
                organization,
                &access,
                &team,
                "team-access.update",
            );
            if self
                .store
                .set_team_access(&before, permissions, project.as_ref(), entry)
                .await?
            {
                return Ok(access);
            }
        }
        Err(changes_too_quickly("access of the team").into())
    }

    /// Takes away what a team may do at a place.
    pub async fn remove_team_access(
        &self,
        principal: &Principal,
        id: &AccessId,
    ) -> Result<(), Failure> {
        for _ in 0..ATTEMPTS {
            let (access, organization, project) = self.access_at(principal, id).await?;
            let access = TeamAccess {
                permissions: Permissions::NONE,
                ..access
            };
            let team = self.team_of(&access).await?;
            let entry = self.about_access(
                principal,
                organization,
                &access,
                &team,
                "team-access.remove",
            );
            if self
                .store
                .remove_team_access(&access, project.as_ref(), entry)
                .await?
            {
                return Ok(());
            }
        }
        Err(changes_too_quickly("access of the team").into())
    }

    async fn team_of(&self, access: &TeamAccess) -> Result<Team, Failure> {
        let team = self.store.team_by_id(&access.team).await?;
        Ok(team.ok_or_else(|| Refusal::not_found(format!("team access {}", access.id)))?)
    }

    fn about_access(
        &self,
        principal: &Principal,
        organization: OrganizationId,
        access: &TeamAccess,
        team: &Team,
        action: &'static str,
    ) -> AuditEntry {
        let workspace: Option<WorkspaceId> = match &access.place {
            Place::Workspace(id) => Some(id.clone()),
            Place::Organization | Place::Project(_) => None,
        };
        let place = access.place.id().unwrap_or_default();
        let detail = format!("in {} {place}: {}", access.place.name(), access.permissions);
        AuditEntry {
            workspace,
            detail,
            ..self.audit_now(who(principal), action, Some(organization), &team.name)
        }
    }

    /// The workspaces that may read a workspace's state, by name; those that the principal may see.
    pub async fn consumers(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
    ) -> Result<Vec<Workspace>, Failure> {
        self.workspace(principal, id).await?;
        let mut visible = Vec::new();
        for consumer in self.store.consumers(id).await? {
            if let Some(found) = self.found(&consumer).await?
                && Access::on(principal, &found.workspace).is_some()
            {
                visible.push(found.workspace);
            }
        }
        Ok(visible)
    }

    /// Changes which workspaces may read a workspace's state. Those that are added must be of the
    /// same organization, and seen by the principal.
    pub async fn change_consumers(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        change: &ConsumerChange,
    ) -> Result<(), Failure> {
        let began = Instant::now();
        // Because many consumers take a while, in which the workspace may be moved out of reach.
        for _ in 0..ATTEMPTS {
            let snapshot = self.allowed(principal, id, Permission::Admin).await?;
            let mut names = Vec::new();
            for consumer in &change.add {
                let found = self.found(consumer).await?.map(|found| found.workspace);
                let found = found.filter(|found| {
                    found.organization == snapshot.workspace.organization
                        && Access::on(principal, found).is_some()
                });
                let unknown =
                    || Refusal::unprocessable("/data", format!("workspace {consumer} not found"));
                names.push(found.ok_or_else(unknown)?.name);
            }
            let mut entry = audit(
                principal,
                &snapshot,
                self.now(),
                "workspace.share",
                &snapshot.workspace.name,
                String::new(),
            );
            let removed = match (change.replace, change.remove.len()) {
                (true, _) => "with no others any more".to_owned(),
                (false, count) => format!("no more with {count}"),
            };
            entry.detail = format!(
                "with {}; {removed}",
                if names.is_empty() {
                    "no further one".to_owned()
                } else {
                    names.join(", ")
                }
            );
            let project = &snapshot.workspace.project;
            // The principal may be removed in that time, too.
            if began.elapsed() > traffic::AT_ONCE {
                self.still_may(principal).await?;
            }
            if self
                .store
                .change_consumers(id, project, change, entry)
                .await?
            {
                return Ok(());
            }
        }
        Err(changes_too_quickly("workspace").into())
    }

    /// The users that have a token or a team in an organization, for an administrator.
    pub async fn users(
        &self,
        principal: &Principal,
        organization: &str,
    ) -> Result<Vec<User>, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::Admin)?;
        Ok(self.store.users_of(&organization.id).await?)
    }

    /// Takes a user out of an organization: out of its teams, and with every token that they have
    /// there.
    pub async fn remove_user(
        &self,
        principal: &Principal,
        organization: &str,
        id: &UserId,
    ) -> Result<(), Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::Admin)?;
        let unknown = || Refusal::not_found(format!("user {id} in this organization"));
        let found = self
            .store
            .users_of(&organization.id)
            .await?
            .into_iter()
            .find(|user| user.id == *id);
        let user = found.ok_or_else(unknown)?;
        self.remove_named(&who(principal), &user, Some(&organization.id))
            .await?;
        Ok(())
    }

    /// Takes a user out of an organization, or out of all; true if they were in any.
    pub async fn remove_named(
        &self,
        by: &str,
        user: &User,
        of: Option<&OrganizationId>,
    ) -> Result<bool, Failure> {
        let entry = self.audit_now(by.to_owned(), "user.remove", of.cloned(), &user.name);
        Ok(self.store.remove_user(&user.id, of, entry).await?)
    }

    /// The team of this name, made with these permissions if need be.
    pub async fn ensure_team(
        &self,
        by: &str,
        organization: &OrganizationId,
        name: &str,
        permissions: Permissions,
    ) -> Result<Team, Failure> {
        let added = self
            .add_team(by.to_owned(), organization, name, permissions)
            .await?;
        if let Some(team) = added {
            return Ok(team);
        }
        let found = self
            .store
            .teams(organization)
            .await?
            .into_iter()
            .find(|team| team.name == name);
        Ok(found.ok_or_else(|| Refusal::not_found(format!("team {name:?}")))?)
    }

    /// Makes the user of this name, made if need be, a member of a team.
    pub async fn join(&self, by: &str, team: &Team, user: &str) -> Result<User, Failure> {
        let user = self.ensure_user(by, user).await?;
        if !self.store.members(&team.id).await?.contains(&user) {
            self.set_member_by(by.to_owned(), team, &user, true).await?;
        }
        Ok(user)
    }
}
