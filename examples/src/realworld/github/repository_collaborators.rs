//! `github_repository_collaborators`: whether the owner is among them depends on who the provider works for. Nothing before
//! version 1 is known.

use std::collections::BTreeSet;

use upstate::{Diagnostic, Object, Resource, UpgradeContext};

use super::api::client;

/// Who may work on a repository.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_repository_collaborators", version = 2, oldest = 1)]
#[upgrade_from(1, model = RepositoryCollaboratorsV1, with = with_owner)]
pub struct RepositoryCollaborators {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed)]
    pub owner_configured: Option<bool>,
    pub repository: String,
    #[attribute(computed)]
    pub repository_id: Option<i64>,
    pub user: Option<BTreeSet<Collaborator>>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_repository_collaborators", version = 1, prior)]
pub struct RepositoryCollaboratorsV1 {
    #[attribute(computed)]
    pub id: String,
    pub repository: String,
    #[attribute(computed)]
    pub repository_id: Option<i64>,
    pub user: Option<BTreeSet<Collaborator>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
pub struct Collaborator {
    pub permission: Option<String>,
    pub username: String,
}

fn with_owner(
    prior: RepositoryCollaboratorsV1,
    context: &mut UpgradeContext<'_>,
) -> Result<RepositoryCollaborators, Diagnostic> {
    let owner = &client(context)?.owner;
    let is_listed = prior
        .user
        .iter()
        .flatten()
        .any(|user| user.username.eq_ignore_ascii_case(&owner.name));
    Ok(RepositoryCollaborators {
        id: prior.id,
        owner_configured: Some(!owner.is_organization && is_listed),
        repository: prior.repository,
        repository_id: prior.repository_id,
        user: prior.user,
    })
}
