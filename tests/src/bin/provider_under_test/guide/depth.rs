//! The guide's example of a data source.

pub(super) fn add(provider: upstate_provider::Provider<()>) -> upstate_provider::Provider<()> {
    provider.with_data_source::<Depth>()
}

use upstate::{Diagnostics, Resource};
use upstate_provider::{Context, DataSource};

/// How deep the water is.
#[derive(Resource)]
#[resource(type_name = "harbor_depth", stateless)]
struct Depth {
    /// Where.
    quay: String,
    /// In metres.
    #[attribute(computed)]
    metres: f64,
}

impl DataSource for Depth {
    type Client = ();

    async fn read(config: Self, _context: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(Depth {
            metres: 12.5,
            ..config
        })
    }
}
