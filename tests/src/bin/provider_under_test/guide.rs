//! The examples of `docs/src/provider.md` that have a resource, each as it is written there, for a
//! real Terraform.

mod berth;
mod depth;
mod directory;
mod dock;
mod fits;
mod mooring;

use upstate::Object;
use upstate_provider::Provider;

#[derive(Object)]
struct Config {}

/// All that need no API.
pub(crate) fn provider() -> Provider<()> {
    let provider = Provider::new("example.com/upstate/guide", async |_: Config| Ok(()));
    mooring::add(fits::add(dock::add(depth::add(berth::add(provider)))))
}

/// That which asks one.
pub(crate) fn asking() -> Provider<directory::Harbor> {
    directory::add(Provider::new(
        "example.com/upstate/guide-api",
        async |_: Config| Ok(directory::Harbor),
    ))
}
