//! `google_cloudbuild_trigger`: nothing but a new number, then a location.

use upstate::Resource;

/// What starts a build.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_cloudbuild_trigger", version = 2)]
#[upgrade_from(0..=1, model = TriggerV1, set(location = "global"))]
pub struct Trigger {
    #[attribute(computed)]
    pub id: Option<String>,
    pub location: Option<String>,
    #[attribute(optional, computed)]
    pub name: Option<String>,
}

/// Version 1 changed how variables are planned, not how they are stored.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_cloudbuild_trigger", version = 1, prior)]
pub struct TriggerV1 {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(optional, computed)]
    pub name: Option<String>,
}
