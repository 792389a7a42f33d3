//! `terraform-provider-ferry`, release 1 if it is in a folder called `old`, else release 2.

#[path = "../ferry.rs"]
mod ferry;

use std::process::ExitCode;

use ferry::{Boat, BoatV0};
use upstate::{Diagnostics, Object};
use upstate_provider::{Context, ManagedResource, Provider};

const ADDRESS: &str = "example.com/upstate/ferry";

/// There is nothing to configure.
#[derive(Object)]
struct Config {}

macro_rules! remembers {
    ($($boat:ident)*) => {$(
        impl ManagedResource for $boat {
            type Client = ();

            async fn create(plan: Self, _context: &mut Context<()>) -> Result<Self, Diagnostics> {
                Ok(Self { id: Some("boat-1".to_owned()), ..plan })
            }

            async fn read(state: Self, _context: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
                Ok(Some(state))
            }

            async fn update(plan: Self, _prior: Self, _context: &mut Context<()>) -> Result<Self, Diagnostics> {
                Ok(plan)
            }

            async fn delete(_state: Self, _context: &mut Context<()>) -> Result<(), Diagnostics> {
                Ok(())
            }
        }
    )*};
}

remembers! { Boat BoatV0 }

fn main() -> ExitCode {
    let is_old = std::env::args()
        .next()
        .is_some_and(|path| path.contains("/old/"));
    let provider = Provider::new(ADDRESS, async |_: Config| Ok(()));
    if is_old {
        provider.with::<BoatV0>().serve()
    } else {
        provider.with::<Boat>().serve()
    }
}
