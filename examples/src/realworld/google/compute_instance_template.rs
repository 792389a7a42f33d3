//! `google_compute_instance_template`: an attribute moved into a block that may have held it already.

use upstate::{Object, Resource};

/// A template for virtual machines.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_instance_template", version = 1)]
#[upgrade_from(
    0,
    model = InstanceTemplateV0,
    rename(automatic_restart => scheduling.automatic_restart, existing = refuse),
    drop(on_host_maintenance, "the provider reads it again, into the block")
)]
pub struct InstanceTemplate {
    #[attribute(computed)]
    pub id: Option<String>,
    pub scheduling: Option<Vec<Scheduling>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Scheduling {
    pub automatic_restart: Option<bool>,
}

/// The template while restarting could be set in two places.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_instance_template", version = 0)]
pub struct InstanceTemplateV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub automatic_restart: Option<bool>,
    pub on_host_maintenance: Option<String>,
    pub scheduling: Option<Vec<Scheduling>>,
}
