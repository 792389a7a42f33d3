//! A provider whose one resource stores what a configuration gives the provider: so that a test
//! sees an ephemeral value, which is stored nowhere else.

use upstate::{Diagnostics, Dynamic, Object, Resource};

use crate::{Configuration, Context, ManagedResource, Provider};

/// The address of the provider.
pub(super) const ADDRESS: &str = "example.com/upstate/echo";

#[derive(Object)]
struct Config {
    /// Any value.
    data: Option<Dynamic>,
}

/// The value that the provider had when this was made.
#[derive(Resource)]
#[resource(type_name = "echo", version = 0)]
struct Echo {
    #[attribute(computed)]
    data: Option<Dynamic>,
}

impl ManagedResource for Echo {
    type Client = Option<Dynamic>;

    const STABLE: &'static [&'static str] = &["data"];

    async fn create(_: Self, context: &mut Context<Option<Dynamic>>) -> Result<Self, Diagnostics> {
        Ok(Self {
            data: context.client().clone(),
        })
    }

    async fn read(
        state: Self,
        _: &mut Context<Option<Dynamic>>,
    ) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(
        plan: Self,
        _: Self,
        _: &mut Context<Option<Dynamic>>,
    ) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<Option<Dynamic>>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

/// A plan may know nothing of the value yet.
async fn configure(configuration: Configuration<Config>) -> Result<Option<Dynamic>, Diagnostics> {
    Ok(configuration.known()?.data)
}

pub(super) fn provider() -> Provider<Option<Dynamic>> {
    Provider::configured_by(ADDRESS, configure).with::<Echo>()
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_a_provider() {
        super::provider().check().unwrap();
    }
}
