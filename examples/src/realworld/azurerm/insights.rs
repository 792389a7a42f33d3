//! Four resources of Azure Monitor, which spelt `microsoft.insights` with small letters in what it answered.

use std::collections::BTreeSet;

use upstate::Resource;

/// Whom an alert tells.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_monitor_action_group", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Insights/actionGroups/{name}",
        ignore_case
    ),
)]
pub struct ActionGroup {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub short_name: Option<String>,
    pub enabled: Option<bool>,
}

/// An alert on a measured value.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_monitor_metric_alert", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Insights/metricAlerts/{name}",
        ignore_case
    ),
)]
pub struct MetricAlert {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub scopes: Option<BTreeSet<String>>,
    pub severity: Option<i64>,
}

/// An alert on what a query finds.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_monitor_scheduled_query_rules_alert", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Insights/scheduledQueryRules/{name}",
        ignore_case
    ),
)]
pub struct ScheduledQueryRulesAlert {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub query: Option<String>,
    pub frequency: Option<i64>,
    pub time_window: Option<i64>,
}

/// A saved query over an application's telemetry, everybody's or the user's own.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_application_insights_analytics_item", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Insights/components/{app}/analyticsItems/{name}",
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Insights/components/{app}/myAnalyticsItems/{name}",
        ignore_case
    ),
)]
pub struct AnalyticsItem {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub content: Option<String>,
    pub scope: Option<String>,
}
