//! `aws_autoscaling_group`: a switch that late releases of version 0 had already, without its default.

use upstate::Resource;

/// Machines in a number that follows their load.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_autoscaling_group", version = 1)]
#[upgrade_from(0 => 1, default(ignore_failed_scaling_activities = false))]
pub struct AutoscalingGroup {
    #[attribute(computed)]
    pub id: Option<String>,
    pub capacity_rebalance: Option<bool>,
    pub health_check_grace_period: Option<i64>,
    pub ignore_failed_scaling_activities: Option<bool>,
    pub max_instance_lifetime: Option<i64>,
}
