//! Projects, and the places in an organization where a team may do something.

use super::{
    AccessId, Organization, OrganizationId, Permissions, ProjectId, TeamId, Timestamp, WorkspaceId,
};

/// A project of an organization: every workspace is in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// The organization's id.
    pub organization: OrganizationId,
    /// Its name, unique in the organization.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Project {
    /// The name of an organization's first project, until somebody changes it.
    pub const DEFAULT_NAME: &str = "Default Project";

    /// The id of an organization's first project: workspaces that name no other are in it.
    pub fn default_of(organization: &OrganizationId) -> ProjectId {
        let rest = organization
            .as_str()
            .strip_prefix(OrganizationId::PREFIX)
            .unwrap_or(organization.as_str());
        ProjectId::from_text(format!("{}{rest}", ProjectId::PREFIX))
    }

    /// An organization's first project.
    pub(crate) fn first_of(organization: &Organization) -> Self {
        Self {
            id: Self::default_of(&organization.id),
            organization: organization.id.clone(),
            name: Self::DEFAULT_NAME.to_owned(),
            description: String::new(),
            created_at: organization.created_at,
        }
    }

    /// True if it is the first one of its organization.
    pub fn is_default(&self) -> bool {
        self.id == Self::default_of(&self.organization)
    }
}

/// A part of an organization. What is granted there is granted in all that is inside.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// All of it.
    Organization,
    /// A project and its workspaces.
    Project(ProjectId),
    /// A workspace.
    Workspace(WorkspaceId),
}

impl Place {
    /// Its kind, for messages.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::Project(_) => "project",
            Self::Workspace(_) => "workspace",
        }
    }

    /// Its id, unless it is a whole organization.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Organization => None,
            Self::Project(id) => Some(id.as_str()),
            Self::Workspace(id) => Some(id.as_str()),
        }
    }

    /// The place of two columns, of which one has an id at most.
    pub(crate) fn of_columns(project: Option<String>, workspace: Option<String>) -> Self {
        match (project, workspace) {
            (None, None) => Self::Organization,
            (_, Some(workspace)) => Self::Workspace(WorkspaceId::from_text(workspace)),
            (Some(project), None) => Self::Project(ProjectId::from_text(project)),
        }
    }

    /// The two columns of a place.
    pub(crate) fn columns(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::Organization => (None, None),
            Self::Project(id) => (Some(id.as_str()), None),
            Self::Workspace(id) => (None, Some(id.as_str())),
        }
    }
}

/// The permissions of a team in a project or a workspace, beside those in its whole organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamAccess {
    /// Its id.
    pub id: AccessId,
    /// The team's id.
    pub team: TeamId,
    /// The project or the workspace.
    pub place: Place,
    /// The permissions there.
    pub permissions: Permissions,
}
