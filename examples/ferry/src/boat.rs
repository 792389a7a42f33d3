//! The custom resource, with the versions that came before.

use upstate::Document;
use upstate_kube::CustomObject;

/// A boat, as kube-rs' clients have it.
pub type Boat = CustomObject<BoatSpec>;

/// A boat of the ferry line.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.boat", version = 2)]
#[upgrade_from(1 => 2, rename(title => name))]
#[upgrade_from(0 => 1, nest(colour => paint), set(paint.gloss = null), convert(berth: String, empty = null))]
#[kube(
    group = "ferry.example.com",
    kind = "Boat",
    status = BoatStatus,
    version(0 = "v1alpha1", deprecated = "ferry.example.com/v1alpha1 ends in 2027; use v1"),
    version(1 = "v1beta1"),
    version(2 = "v1", storage),
    column(name = "Stops", path = ".status.stops", type = "integer")
)]
pub struct BoatSpec {
    /// Its name, as passengers know it.
    #[kube(length = 1..=40)]
    pub name: Option<String>,
    /// Its looks.
    pub paint: Paint,
    /// The number of its berth.
    #[kube(range = 1..=99)]
    pub berth: Option<u8>,
    /// The ports, in the order of the line.
    #[kube(list_type = "map", list_map_keys("port"), length = 0..=50)]
    pub stops: Vec<Stop>,
}

/// The paint of a boat.
#[derive(Debug, Clone, PartialEq, Eq, Document)]
pub struct Paint {
    /// A word for it.
    pub colour: String,
    /// In percent.
    #[kube(range = 0..=100)]
    pub gloss: Option<u8>,
}

/// A stop of the line.
#[derive(Debug, Clone, PartialEq, Eq, Document)]
pub struct Stop {
    /// The name of the port.
    pub port: String,
    /// The minutes from the stop before.
    pub minutes: u16,
}

/// The findings of the controller.
#[derive(Debug, Clone, PartialEq, Eq, Document)]
pub struct BoatStatus {
    /// The number of stops in the timetable.
    pub stops: u32,
}
