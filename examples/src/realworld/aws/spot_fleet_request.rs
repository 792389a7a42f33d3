//! `aws_spot_fleet_request`: an address is no longer asked for the fleet as a whole.

use upstate::Resource;

/// Machines at the price of the hour.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_spot_fleet_request", version = 1)]
#[upgrade_from(0 => 1,
    set(associate_public_ip_address = false),
    drop(associate_public_ip_address, "each launch specification says it"),
)]
pub struct SpotFleetRequest {
    #[attribute(computed)]
    pub id: Option<String>,
    pub associate_public_ip_address: Option<bool>,
    pub iam_fleet_role: Option<String>,
}
