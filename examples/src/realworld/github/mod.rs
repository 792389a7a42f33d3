//! `integrations/github`.

mod actions_organization_secret;
mod actions_secret;
mod api;
mod branch_default;
mod emu_group_mapping;
mod release;
mod repository;
mod repository_collaborators;
mod repository_custom_property;
mod repository_file;

pub use actions_organization_secret::ActionsOrganizationSecret;
pub use actions_secret::ActionsSecret;
pub use api::{Api, Client, Owner, RepositoryFacts};
pub use branch_default::BranchDefault;
pub use emu_group_mapping::EmuGroupMapping;
pub use release::Release;
pub use repository::{Branch, Repository};
pub use repository_collaborators::{
    Collaborator, RepositoryCollaborators, RepositoryCollaboratorsV1,
};
pub use repository_custom_property::RepositoryCustomProperty;
pub use repository_file::{RepositoryFile, RepositoryFileV0};
