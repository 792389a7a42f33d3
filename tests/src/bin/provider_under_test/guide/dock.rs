//! The guide's example of timeouts.

pub(super) fn add(provider: upstate_provider::Provider<()>) -> upstate_provider::Provider<()> {
    provider.with::<Dock>()
}

async fn pumped_dry(name: &str) -> Result<(), Diagnostics> {
    if name == "deep" {
        Err("There is water in it.".into())
    } else {
        Ok(())
    }
}

impl upstate_provider::ManagedResource for Dock {
    type Client = ();

    async fn create(plan: Self, context: &mut Context<()>) -> Result<Self, Diagnostics> {
        create(plan, context).await
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

use std::time::Duration;

use backon::{ConstantBuilder, Retryable};
use upstate::{Diagnostics, Resource};
use upstate_provider::{Context, Timeouts, within};

/// A dry dock.
#[derive(Clone, Resource)]
#[resource(type_name = "harbor_dock")]
struct Dock {
    name: String,
    #[block]
    timeouts: Option<Timeouts>,
}

async fn create(plan: Dock, context: &mut Context<()>) -> Result<Dock, Diagnostics> {
    let limit = plan
        .timeouts
        .unwrap_or_default()
        .create_or(Duration::from_mins(20));
    context.save(&plan); // what was begun is not forgotten
    let often = ConstantBuilder::new()
        .with_delay(Duration::from_secs(5))
        .without_max_times();
    within(limit, (|| pumped_dry(&plan.name)).retry(often)).await?;
    Ok(plan)
}
