//! A resource with things in every kind of collection, each with an id that lasts.

use std::collections::BTreeMap;
use std::time::Duration;

use upstate::{AttributePath, Diagnostics, Object, Resource};
use upstate_provider::{Context, ManagedResource, Planned, Timeouts, within};

use super::quay::Client;

/// What a pier has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Bollard {
    #[attribute(computed)]
    id: Option<String>,
    size: i64,
    #[attribute(requires_replace)]
    kind: Option<String>,
    /// Another one after each change.
    #[attribute(computed)]
    load: Option<i64>,
}

/// A pier.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "quay_pier", version = 0)]
pub(crate) struct Pier {
    #[attribute(computed)]
    id: String,
    name: String,
    bollards: Option<Vec<Bollard>>,
    named: Option<BTreeMap<String, Bollard>>,
    #[attribute(set)]
    lamps: Option<Vec<Bollard>>,
    first: Option<Bollard>,
    #[block]
    crane: Vec<Bollard>,
    #[block]
    timeouts: Option<Timeouts>,
}

impl Pier {
    fn all(&mut self) -> impl Iterator<Item = &mut Bollard> {
        let lists = [&mut self.bollards, &mut self.lamps]
            .into_iter()
            .flatten()
            .flatten();
        lists
            .chain(self.named.iter_mut().flat_map(BTreeMap::values_mut))
            .chain(&mut self.first)
            .chain(&mut self.crane)
    }

    /// What has no id gets one that no other had.
    fn made(mut self, before: usize) -> Self {
        self.id = "pier".to_owned();
        for (number, bollard) in (before..).zip(self.all()) {
            let id = format!("made-{number}-{}", bollard.size);
            bollard.id.get_or_insert(id);
            bollard.load.get_or_insert(7);
        }
        self
    }
}

impl ManagedResource for Pier {
    type Client = Client;
    const STABLE: &'static [&'static str] = &[
        "id",
        "bollards.id",
        "named.id",
        "lamps.id",
        "first.id",
        "crane.id",
    ];

    async fn create(plan: Self, context: &mut Context<Client>) -> Result<Self, Diagnostics> {
        let limit = plan
            .timeouts
            .unwrap_or_default()
            .create_or(Duration::from_mins(1));
        let slow = plan.name == "slow";
        let made = plan.made(0);
        context.save(&made);
        let building = async {
            tokio::time::sleep(Duration::from_secs(if slow { 60 } else { 0 })).await;
            Ok::<(), Diagnostics>(())
        };
        within(limit, building).await?;
        Ok(made)
    }

    async fn read(
        state: Self,
        _context: &mut Context<Client>,
    ) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(
        plan: Self,
        _prior: Self,
        _context: &mut Context<Client>,
    ) -> Result<Self, Diagnostics> {
        Ok(plan.made(100))
    }

    async fn delete(_state: Self, _context: &mut Context<Client>) -> Result<(), Diagnostics> {
        Ok(())
    }

    async fn modify_plan(
        plan: &mut Planned<Self>,
        _context: &mut Context<Client>,
    ) -> Result<(), Diagnostics> {
        let bollard = |index| AttributePath::from("bollards").index(index);
        match plan.get("name").as_str() {
            Some("keep loads") => {
                for index in 0..plan.get("bollards").as_list().map_or(0, <[_]>::len) as u64 {
                    plan.keep(bollard(index).attribute("load"));
                }
                plan.keep(AttributePath::from("named").key("a").attribute("load"));
                plan.keep(AttributePath::from("first").attribute("load"));
                plan.set(AttributePath::from("crane").index(0).attribute("load"), 8);
            }
            Some("replace") if plan.changes(bollard(0).attribute("size")) => {
                plan.require_replace(bollard(0).attribute("size"))
            }
            Some("misplace") => plan.set(bollard(9).attribute("load"), 8),
            _ => {}
        }
        Ok(())
    }
}
