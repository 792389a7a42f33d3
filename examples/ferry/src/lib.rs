//! An operator for boats of a ferry line: three versions of the custom resource, a controller that writes a timetable for each boat, and the webhook
//! that converts between the versions.

mod boat;
mod controller;

pub use boat::{Boat, BoatSpec, BoatStatus, Paint, Stop};
pub use controller::{control, reconcile, timetable};
