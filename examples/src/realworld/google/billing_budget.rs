//! `google_billing_budget`: a full resource path became the last part of it.

use upstate::Resource;

/// A budget of a billing account.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_billing_budget", version = 1)]
#[upgrade_from(0 => 1, reformat(name, "{_..|}/{name}" => "{name}"))]
pub struct BillingBudget {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(computed)]
    pub name: String,
}
