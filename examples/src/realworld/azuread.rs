//! `hashicorp/azuread`.

use upstate::Resource;

/// A group of a directory. Its id says what it is the id of.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azuread_group", version = 1)]
#[upgrade_from(0 => 1, reformat(id, "{uuid}" => "/groups/{uuid}"))]
pub struct Group {
    #[attribute(computed)]
    pub id: String,
    pub display_name: Option<String>,
}
