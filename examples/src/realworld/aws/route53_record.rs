//! `aws_route53_record`: a trailing dot went, then two attributes became blocks.

use upstate::{Object, Resource};

/// A name in a hosted zone.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_route53_record", version = 2)]
#[upgrade_from(
    1,
    model = RecordV1,
    rename(failover => failover_routing_policy.kind, weight => weighted_routing_policy.weight),
    null_if(failover_routing_policy.kind, ""),
    // 0 is a weight; only -1 stood for "none".
    null_if(weighted_routing_policy.weight, -1)
)]
pub struct Record {
    #[attribute(computed)]
    pub id: Option<String>,
    pub failover_routing_policy: Option<Vec<FailoverRoutingPolicy>>,
    pub name: Option<String>,
    pub weighted_routing_policy: Option<Vec<WeightedRoutingPolicy>>,
}

/// The name while its routing policies were plain attributes.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_route53_record", version = 1)]
#[upgrade_from(0 => 1, reformat(name, "{name..}." => "{name}", _ => keep))]
pub struct RecordV1 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub failover: Option<String>,
    pub name: Option<String>,
    pub weight: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct FailoverRoutingPolicy {
    #[attribute(name = "type")]
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct WeightedRoutingPolicy {
    pub weight: i64,
}
