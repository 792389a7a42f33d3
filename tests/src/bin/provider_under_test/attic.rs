//! A provider with what a user need not write in every kind of nesting, with and without an
//! `Option`; and with everything that can be deprecated.

use std::collections::BTreeMap;

use upstate::{Diagnostics, Object, Resource};
use upstate_provider::{
    Action, Context, DataSource, EphemeralResource, Found, IdentifiedResource, ListResource,
    ManagedResource, Opened, Progress, Provider,
};

use super::faults::{Clock, Key, Lamp, Relic};

#[derive(Debug, Clone, Object)]
struct Config {
    #[attribute(deprecated("The API has one region.", remove_in = "2.0.0"))]
    region: Option<String>,
    #[attribute(default = 3)]
    retries: i64,
    proxy: Option<Setting>,
    #[block]
    mirror: Vec<Setting>,
}

/// What only its user sets, with a default.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Setting {
    name: String,
    #[attribute(default = 80)]
    port: i64,
    #[attribute(default = 8)]
    weight: Option<i64>,
}

/// What its user sets in part, and the provider in part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Rule {
    name: String,
    #[attribute(default = 80)]
    port: i64,
    #[attribute(default = 8)]
    weight: Option<i64>,
    #[attribute(computed)]
    id: String,
    #[attribute(computed)]
    number: i64,
    #[attribute(computed)]
    load: Option<i64>,
    #[attribute(optional, computed)]
    place: String,
    #[attribute(deprecated = "Nobody reads it.")]
    note: Option<String>,
    tags: Option<Vec<Tag>>,
}

/// Something inside of that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Tag {
    key: String,
    #[attribute(computed)]
    value: String,
    #[attribute(default = true)]
    shown: bool,
}

impl Rule {
    fn made(&mut self) {
        let Self {
            name,
            id,
            number,
            load,
            place,
            tags,
            ..
        } = self;
        *id = format!("r-{name}");
        *number = 7;
        load.get_or_insert(9);
        if place.starts_with('(') {
            *place = "here".to_owned();
        }
        tags.iter_mut()
            .flatten()
            .for_each(|tag| tag.value = format!("v-{}", tag.key));
    }
}

/// Adds a model that has rules in every nesting, and what it does with them.
macro_rules! nestings {
    ($(#[$attribute:meta])* $name:ident, $type_name:literal) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, Resource)]
        #[resource(type_name = $type_name)]
        pub(crate) struct $name {
            #[attribute(computed)]
            id: String,
            title: Option<String>,
            #[attribute(default = "plain")]
            style: String,
            single: Option<Rule>,
            list: Option<Vec<Rule>>,
            #[attribute(set)]
            set: Option<Vec<Rule>>,
            map: Option<BTreeMap<String, Rule>>,
            #[block]
            one: Option<Rule>,
            #[block]
            many: Vec<Rule>,
            #[block]
            named: BTreeMap<String, Rule>,
        }

        impl $name {
            fn made(mut self) -> Self {
                self.id = "w".to_owned();
                let Self { single, list, set, map, one, many, named, .. } = &mut self;
                let lists = list.iter_mut().chain(set).flatten().chain(many);
                let maps = map.iter_mut().chain([named]).flat_map(BTreeMap::values_mut);
                single.iter_mut().chain(one).chain(lists).chain(maps).for_each(Rule::made);
                self
            }
        }
    };
}

nestings!(Wall, "attic_wall");
nestings!(View, "attic_view");
nestings!(Pass, "attic_pass");

impl ManagedResource for Wall {
    type Client = ();

    const STABLE: &'static [&'static str] = &[
        "id",
        "single.id",
        "list.id",
        "set.id",
        "map.id",
        "one.id",
        "many.id",
        "named.id",
    ];

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

impl DataSource for View {
    type Client = ();

    async fn read(config: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(config.made())
    }
}

impl EphemeralResource for Pass {
    type Client = ();

    async fn open(config: Self, _: &mut Context<()>) -> Result<Opened<Self>, Diagnostics> {
        Ok(Opened::new(config.made()))
    }
}

/// An old trunk.
#[derive(Debug, Clone, Resource)]
#[resource(
    type_name = "attic_trunk",
    identity = TrunkIdentity,
    deprecated("Trunks are heavy.", replaced_by = "attic_wall", remove_in = "2.0.0")
)]
pub(crate) struct Trunk {
    #[attribute(computed)]
    id: String,
    #[attribute(deprecated(
        "The lock is broken",
        replaced_by = "latch",
        since = "1.1.0",
        remove_in = "2.0.0"
    ))]
    lock: Option<String>,
    latch: Option<String>,
    single: Option<Rule>,
    list: Option<Vec<Rule>>,
    #[attribute(set)]
    set: Option<Vec<Rule>>,
    #[block(deprecated("It never kept anything warm.", no_replacement = "use a wall"))]
    lining: Vec<Setting>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "attic_trunk_identity")]
pub(crate) struct TrunkIdentity {
    id: String,
}

impl IdentifiedResource for Trunk {
    type Identity = TrunkIdentity;

    fn identity(&self) -> TrunkIdentity {
        TrunkIdentity {
            id: self.id.clone(),
        }
    }
}

impl ManagedResource for Trunk {
    type Client = ();

    async fn create(mut plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        plan.id = "t".to_owned();
        let Self {
            single, list, set, ..
        } = &mut plan;
        single
            .iter_mut()
            .chain(list.iter_mut().chain(set).flatten())
            .for_each(Rule::made);
        Ok(plan)
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _: Self, context: &mut Context<()>) -> Result<Self, Diagnostics> {
        Self::create(plan, context).await
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

/// A model of settings alone.
macro_rules! settings {
    ($name:ident, $type_name:literal) => {
        #[derive(Debug, Clone, Resource)]
        #[resource(type_name = $type_name, deprecated = "It is dusty.")]
        pub(crate) struct $name {
            #[attribute(deprecated = "Too many.", default = 1)]
            amount: i64,
            settings: Option<Vec<Setting>>,
            #[block]
            one: Option<Setting>,
        }
    };
}

settings!(Dust, "attic_dust");
settings!(Moths, "attic_moths");
settings!(Trunks, "attic_trunk");
settings!(Sweep, "attic_sweep");

impl DataSource for Dust {
    type Client = ();

    async fn read(config: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(config)
    }
}

impl EphemeralResource for Moths {
    type Client = ();

    async fn open(config: Self, _: &mut Context<()>) -> Result<Opened<Self>, Diagnostics> {
        Ok(Opened::new(config))
    }
}

impl ListResource for Trunks {
    type Resource = Trunk;

    async fn list(
        config: Self,
        found: &mut Found<Trunk>,
        _: &mut Context<()>,
    ) -> Result<(), Diagnostics> {
        for number in 0..config.amount {
            let id = format!("t-{number}");
            let lining = config.settings.clone().unwrap_or_default();
            let trunk = Trunk {
                id: id.clone(),
                lock: None,
                latch: None,
                single: None,
                list: None,
                set: None,
                lining,
            };
            if found.add(&trunk, id).await.is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl Action for Sweep {
    type Client = ();

    async fn invoke(
        config: Self,
        progress: &Progress,
        _: &mut Context<()>,
    ) -> Result<(), Diagnostics> {
        let ports: Vec<i64> = config
            .settings
            .iter()
            .flatten()
            .chain(&config.one)
            .map(|setting| setting.port)
            .collect();
        progress.report(format!("{} times, {ports:?}", config.amount));
        Ok(())
    }
}

pub(crate) fn provider() -> Provider<()> {
    let configure = async |config: Config| {
        let ports: Vec<i64> = config
            .proxy
            .iter()
            .chain(&config.mirror)
            .map(|setting| setting.port)
            .collect();
        if ports.iter().any(|port| *port != 80)
            || config.retries != 3
            || config.region.as_deref() == Some("nowhere")
        {
            return Err(format!("{} {ports:?}", config.retries).into());
        }
        Ok(())
    };
    Provider::new("example.com/upstate/attic", configure)
        .with::<Wall>()
        .with_data_source::<View>()
        .with_ephemeral_resource::<Pass>()
        .with_identified::<Trunk>()
        .with_data_source::<Dust>()
        .with_ephemeral_resource::<Moths>()
        .with_list_resource::<Trunks>()
        .with_action::<Sweep>()
        .with::<Clock>()
        .with::<Lamp>()
        .with::<Relic>()
        .with_identified::<Key>()
}
