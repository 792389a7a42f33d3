//! hashicorp/random, as release 3.9 in Go is: ten resources with the schema versions that they ever had, and two ephemeral resources.
//!
//! State and configurations of the provider in Go need no change. `docs/src/start-provider.md` compares the two.

/// Whatever is random stays as it was made: there is nothing to read, to change or to delete.
macro_rules! stays {
    () => {
        async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
            Ok(Some(state))
        }

        async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
            Ok(plan)
        }

        async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
            Ok(())
        }
    };
}

mod bytes;
mod id;
mod integer;
mod keepers;
mod letters;
mod password;
mod pet;
mod seeded;
mod shuffle;
mod string;
mod uuid;

pub use bytes::{Bytes, EphemeralBytes};
pub use id::Id;
pub use integer::Integer;
pub use password::{EphemeralPassword, Password};
pub use pet::Pet;
pub use shuffle::Shuffle;
pub use string::RandomString;
pub use uuid::{Uuid, Uuid4, Uuid7};

use upstate::Object;
use upstate_provider::Provider;

/// The address of the provider, as configurations name it.
pub const ADDRESS: &str = "registry.terraform.io/hashicorp/random";

/// Users configure nothing.
#[derive(Debug, Object)]
pub struct Config {}

/// The provider.
pub fn provider() -> Provider<()> {
    Provider::new(ADDRESS, async |_: Config| Ok(()))
        .with::<Bytes>()
        .with::<Id>()
        .with::<Integer>()
        .with::<Password>()
        .with::<Pet>()
        .with::<Shuffle>()
        .with::<RandomString>()
        .with::<Uuid>()
        .with::<Uuid4>()
        .with::<Uuid7>()
        .with_ephemeral_resource::<EphemeralBytes>()
        .with_ephemeral_resource::<EphemeralPassword>()
}
