//! `azurerm_synapse_role_assignment`: the service gave its roles new names.

use upstate::Resource;

/// A role somebody has in a workspace.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_synapse_role_assignment", version = 1)]
#[upgrade_from(0, model = SynapseRoleAssignmentV0)]
pub struct SynapseRoleAssignment {
    #[attribute(computed)]
    pub id: Option<String>,
    pub role_name: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_synapse_role_assignment", version = 0)]
pub struct SynapseRoleAssignmentV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub role_name: String,
}

impl From<SynapseRoleAssignmentV0> for SynapseRoleAssignment {
    fn from(prior: SynapseRoleAssignmentV0) -> Self {
        let role_name = match prior.role_name.as_str() {
            "Workspace Admin" => "Synapse Administrator",
            "Apache Spark Admin" => "Apache Spark Administrator",
            "Sql Admin" => "Synapse SQL Administrator",
            unchanged => unchanged,
        };
        Self { id: prior.id, role_name: role_name.to_owned() }
    }
}
