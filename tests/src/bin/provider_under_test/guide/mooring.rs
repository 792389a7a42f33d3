//! The guide's example of a plan that is a type of its own.

pub(super) fn add(provider: upstate_provider::Provider<()>) -> upstate_provider::Provider<()> {
    provider.with::<Mooring>()
}

use upstate::{AttributeNames, Diagnostics, Object, Resource};
use upstate_provider::{Context, ManagedResource};

/// Ropes from a ship to the quay.
#[derive(Resource)]
#[resource(type_name = "harbor_mooring", plan)]
struct Mooring {
    #[attribute(computed)]
    id: String,
    /// A bool needs no filler here.
    #[attribute(computed)]
    safe: bool,
    ship: String,
    #[attribute(plan)]
    ropes: Vec<Rope>,
}

#[derive(Object)]
#[object(plan)]
struct Rope {
    length: i64,
    #[attribute(computed)]
    number: i64,
}

impl ManagedResource for Mooring {
    type Client = ();

    const STABLE_PATHS: &'static [AttributeNames] = &[Mooring::PATHS.ropes.number.names()];

    async fn create(plan: MooringPlan, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        let rope = |(position, rope): (i64, RopePlan)| Rope {
            length: rope.length,
            number: rope.number.unwrap_or(position),
        };
        Ok(Mooring {
            id: plan
                .id
                .unwrap_or_else(|| format!("mooring of {}", plan.ship)),
            safe: plan.safe.unwrap_or(plan.ropes.len() > 1),
            ropes: (1..).zip(plan.ropes).map(rope).collect(),
            ship: plan.ship,
        })
    }

    async fn update(
        plan: MooringPlan,
        _: Self,
        context: &mut Context<()>,
    ) -> Result<Self, Diagnostics> {
        Self::create(plan, context).await
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}
