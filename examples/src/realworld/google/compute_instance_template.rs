//! `google_compute_instance_template`: an attribute moved into a block that may have held it already.

use upstate::{Object, Resource};

/// A template for virtual machines.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_instance_template", version = 1)]
#[upgrade_from(0 => 1,
    rename(automatic_restart: Option<bool> => scheduling.automatic_restart, existing = refuse),
    drop(on_host_maintenance: Option<String>, "the provider reads it again, into the block"),
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
