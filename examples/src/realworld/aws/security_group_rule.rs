//! `aws_security_group_rule`: an id hashed from what the rule says instead of from where it stood.

use std::fmt::Write;

use upstate::Resource;

/// Who may talk to the members of a group, or whom they may talk to.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_security_group_rule", version = 1)]
#[upgrade_from(0, model = SecurityGroupRuleV0)]
pub struct SecurityGroupRule {
    #[attribute(computed)]
    pub id: String,
    pub cidr_blocks: Option<Vec<String>>,
    pub from_port: i64,
    pub protocol: String,
    #[attribute(name = "self")]
    pub is_self: Option<bool>,
    pub security_group_id: String,
    pub source_security_group_id: Option<String>,
    pub to_port: i64,
    #[attribute(name = "type")]
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_security_group_rule", version = 0)]
pub struct SecurityGroupRuleV0 {
    #[attribute(computed)]
    pub id: String,
    pub cidr_blocks: Option<Vec<String>>,
    pub from_port: i64,
    pub protocol: String,
    #[attribute(name = "self")]
    pub is_self: Option<bool>,
    pub security_group_id: String,
    pub source_security_group_id: Option<String>,
    pub to_port: i64,
    #[attribute(name = "type")]
    pub kind: String,
}

impl From<SecurityGroupRuleV0> for SecurityGroupRule {
    fn from(prior: SecurityGroupRuleV0) -> Self {
        Self {
            id: format!("sgrule-{}", crc32fast::hash(said(&prior).as_bytes())),
            cidr_blocks: prior.cidr_blocks,
            from_port: prior.from_port,
            protocol: prior.protocol,
            is_self: prior.is_self,
            security_group_id: prior.security_group_id,
            source_security_group_id: prior.source_security_group_id,
            to_port: prior.to_port,
            kind: prior.kind,
        }
    }
}

/// What the rule says, in one text: the same for the same rule.
fn said(rule: &SecurityGroupRuleV0) -> String {
    let mut text = format!("{}-", rule.security_group_id);
    for port in [rule.from_port, rule.to_port] {
        if port > 0 {
            // Writing into a string never fails.
            let _ = write!(text, "{port}-");
        }
    }
    let _ = write!(text, "{}-{}-", rule.protocol, rule.kind);
    let mut blocks: Vec<&String> = rule.cidr_blocks.iter().flatten().collect();
    blocks.sort_unstable();
    for block in blocks {
        let _ = write!(text, "{block}-");
    }
    let itself = Some(&rule.security_group_id).filter(|_| rule.is_self == Some(true));
    let mut groups: Vec<&String> = rule.source_security_group_id.iter().chain(itself).collect();
    groups.sort_unstable();
    for group in groups {
        // A group has an id and, in the oldest accounts only, a name.
        let _ = write!(text, "{group}--");
    }
    text
}
