//! `azurerm_synapse_role_assignment`: the service gave its roles new names.

use upstate::Resource;

/// A role somebody has in a workspace.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_synapse_role_assignment", version = 1)]
#[upgrade_from(0 => 1,
    values(
        role_name,
        "Workspace Admin" => "Synapse Administrator",
        "Apache Spark Admin" => "Apache Spark Administrator",
        "Sql Admin" => "Synapse SQL Administrator",
        _ => keep
    ),
)]
pub struct SynapseRoleAssignment {
    #[attribute(computed)]
    pub id: Option<String>,
    pub role_name: String,
}
