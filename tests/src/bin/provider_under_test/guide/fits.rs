//! The guide's example of a function.

pub(super) fn add(provider: upstate_provider::Provider<()>) -> upstate_provider::Provider<()> {
    provider.with_function::<Fits>()
}

use upstate::{Diagnostics, Resource};
use upstate_provider::Function;

/// Whether a ship fits into a berth.
#[derive(Resource)]
#[resource(stateless)]
struct Fits {
    /// In metres.
    ship: f64,
    /// In metres.
    berth: f64,
}

impl Function for Fits {
    const PARAMETERS: &'static [&'static str] = &["ship", "berth"];
    type Output = bool;

    fn call(self) -> Result<bool, Diagnostics> {
        Ok(self.ship <= self.berth)
    }
}
