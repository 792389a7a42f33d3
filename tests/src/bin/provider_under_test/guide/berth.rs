//! The guide's example of checks.

use upstate::Diagnostics;
use upstate_provider::{Context, ManagedResource};

pub(super) fn add(provider: upstate_provider::Provider<()>) -> upstate_provider::Provider<()> {
    provider.with::<Berth>()
}

impl ManagedResource for Berth {
    type Client = ();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "harbor_berth")]
struct Berth {
    #[attribute(length = 1..=20, pattern = "^[a-z][a-z0-9-]*$")]
    name: String,
    #[attribute(range = 0.5..=30)]
    depth: f64,
    #[attribute(one_of("north", "south"))]
    side: Option<String>,
    #[attribute(validate = even)]
    bollards: Option<i64>,
}

fn even(bollards: &i64) -> Result<(), String> {
    if bollards % 2 == 0 {
        Ok(())
    } else {
        Err("Bollards come in pairs.".to_owned())
    }
}
