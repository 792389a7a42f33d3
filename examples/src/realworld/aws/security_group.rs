//! `aws_security_group`: whether rules go first when a group does, with its default.

use upstate::Resource;

/// Rules for who may talk to whom.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_security_group", version = 1)]
#[upgrade_from(0 => 1, set(revoke_rules_on_delete = false))]
pub struct SecurityGroup {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(optional, computed)]
    pub name: Option<String>,
    pub revoke_rules_on_delete: Option<bool>,
}
