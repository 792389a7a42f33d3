//! `hashicorp/tfe`.

use upstate::Resource;

/// A workspace. Its id survives a rename.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "tfe_workspace", version = 1)]
#[upgrade_from(0 => 1, copy(external_id => id), drop(id, "it was made of the two names that may change"))]
pub struct Workspace {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed, deprecated = "Use `id`.")]
    pub external_id: String,
    pub name: Option<String>,
}
