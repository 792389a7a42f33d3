//! A resource type that two releases of a provider know: what `state_versions_service` upgrades and
//! `terraform-provider-ferry` serves.

use upstate::Resource;

/// A boat, as release 2 has it.
#[derive(Debug, Clone, PartialEq, Eq, Resource)]
#[resource(type_name = "ferry_boat", version = 1)]
#[upgrade_from(0, model = BoatV0, rename(title => name))]
pub(crate) struct Boat {
    #[attribute(computed)]
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    #[attribute(sensitive)]
    pub(crate) key: Option<String>,
}

/// The ferry, as release 1 has it.
#[derive(Debug, Clone, PartialEq, Eq, Resource)]
#[resource(type_name = "ferry_boat", version = 0)]
pub(crate) struct BoatV0 {
    #[attribute(computed)]
    pub(crate) id: Option<String>,
    pub(crate) title: String,
    #[attribute(sensitive)]
    pub(crate) key: Option<String>,
}
