//! `aws_ssm_association`: the id is that of the association, not the name of its document.

use upstate::Resource;

/// A document that is applied to machines.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_ssm_association", version = 1)]
#[upgrade_from(0 => 1, copy(association_id => id), drop(id, "it was the name"))]
pub struct SsmAssociation {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed)]
    pub association_id: String,
    pub instance_id: Option<String>,
    pub name: String,
}
