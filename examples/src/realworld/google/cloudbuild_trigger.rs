//! `google_cloudbuild_trigger`: nothing but a new number, then a location.

use upstate::Resource;

/// What starts a build.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_cloudbuild_trigger", version = 2)]
#[upgrade_from(0..=1 => 2, set(location = "global"))]
pub struct Trigger {
    #[attribute(computed)]
    pub id: Option<String>,
    pub location: Option<String>,
    #[attribute(optional, computed)]
    pub name: Option<String>,
}
