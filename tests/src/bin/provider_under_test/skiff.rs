//! A provider of which there are three releases; `SKIFF_RELEASE` says which one runs, 2 unless it
//! is 0 or 1.
//!
//! A boat changed so that its schema version was raised, a buoy gained an attribute without that, a
//! mooring has an identity since release 1, whose version release 2 raised.

use std::collections::BTreeMap;

use upstate::upgrade::{RawState, UpgradedState};
use upstate::{Diagnostics, Object, Registry, Resource, UpgradeContext, Value};
use upstate_provider::{Context, IdentifiedResource, ManagedResource, Provider};

/// There is nothing to configure.
#[derive(Debug, Object)]
struct Config {}

/// Everything is stored as it is planned, with an id.
macro_rules! stored_as_planned {
    ($model:ty, $id:literal, |$state:ident| $read:expr) => {
        impl ManagedResource for $model {
            type Client = ();

            async fn create(plan: Self, _context: &mut Context<()>) -> Result<Self, Diagnostics> {
                let $state = Self {
                    id: $id.to_owned(),
                    ..plan
                };
                Ok($read)
            }

            async fn read(
                $state: Self,
                _context: &mut Context<()>,
            ) -> Result<Option<Self>, Diagnostics> {
                Ok(Some($read))
            }

            async fn update(
                plan: Self,
                _prior: Self,
                _context: &mut Context<()>,
            ) -> Result<Self, Diagnostics> {
                Ok(plan)
            }

            async fn delete(_state: Self, _context: &mut Context<()>) -> Result<(), Diagnostics> {
                Ok(())
            }
        }
    };
}

/// What release 1 had.
mod first {
    use super::*;

    #[derive(Debug, Clone, Object)]
    pub(super) struct Sail {
        area: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[resource(type_name = "skiff_boat")]
    pub(super) struct Boat {
        #[attribute(computed)]
        id: String,
        title: String,
        length: String,
        flag: Option<String>,
        crew: Option<Vec<String>>,
        #[block]
        sail: Vec<Sail>,
    }

    #[derive(Debug, Clone, Resource)]
    #[resource(type_name = "skiff_buoy")]
    pub(super) struct Buoy {
        #[attribute(computed)]
        id: String,
        name: String,
    }

    /// What a mooring is known by, outside of its state.
    #[derive(Debug, Resource)]
    #[resource(type_name = "skiff_mooring_identity")]
    pub(super) struct MooringIdentity {
        place: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[resource(type_name = "skiff_mooring", identity = MooringIdentity)]
    pub(super) struct Mooring {
        #[attribute(computed)]
        id: String,
        place: String,
    }

    impl IdentifiedResource for Mooring {
        type Identity = MooringIdentity;

        fn identity(&self) -> MooringIdentity {
            MooringIdentity {
                place: self.place.clone(),
            }
        }
    }

    stored_as_planned!(Boat, "boat-1", |state| state);
    stored_as_planned!(Buoy, "buoy-1", |state| state);
    stored_as_planned!(Mooring, "mooring-1", |state| state);
}

/// What release 0 had: moorings without identities.
mod before {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[resource(type_name = "skiff_mooring")]
    pub(super) struct Mooring {
        #[attribute(computed)]
        id: String,
        place: String,
    }

    stored_as_planned!(Mooring, "mooring-1", |state| state);
}

/// What release 2 has.
mod second {
    use super::*;

    #[derive(Debug, Clone, Object)]
    pub(super) struct Sail {
        area: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[resource(type_name = "skiff_boat", version = 1)]
    #[upgrade_from(0 => 1,
        rename(title => name),
        convert(length: String, empty = refuse),
        convert(sail.area: String, empty = refuse),
        drop(flag: Option<String>, "the port decides it"),
        set(harbour = "home"),
    )]
    pub(super) struct Boat {
        #[attribute(computed)]
        id: String,
        name: String,
        length: i64,
        #[attribute(default = "home")]
        harbour: Option<String>,
        crew: Option<Vec<String>>,
        #[block]
        sail: Vec<Sail>,
    }

    /// Still version 0: state without `depth` is read as it is, and `read` fills it in.
    #[derive(Debug, Clone, Resource)]
    #[resource(type_name = "skiff_buoy")]
    pub(super) struct Buoy {
        #[attribute(computed)]
        id: String,
        name: String,
        #[attribute(optional, computed)]
        depth: Option<i64>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "skiff_mooring_identity", version = 1)]
    #[upgrade_from(0 => 1, rename(place => berth), set(port = "home"))]
    pub(super) struct MooringIdentity {
        berth: String,
        port: Option<String>,
    }

    #[derive(Debug, Clone, Resource)]
    #[resource(type_name = "skiff_mooring", version = 1, identity = MooringIdentity)]
    #[upgrade_from(0 => 1, rename(place => berth))]
    pub(super) struct Mooring {
        #[attribute(computed)]
        id: String,
        berth: String,
    }

    impl IdentifiedResource for Mooring {
        type Identity = MooringIdentity;

        fn identity(&self) -> MooringIdentity {
            let (port, berth) = self.berth.split_once('/').unwrap_or(("home", &self.berth));
            MooringIdentity {
                berth: berth.to_owned(),
                port: Some(port.to_owned()),
            }
        }
    }

    stored_as_planned!(Mooring, "mooring-1", |state| state);

    /// Version 0 was stored by Terraform 0.11 only, in its flat form.
    #[derive(Debug, Clone, Resource)]
    #[resource(type_name = "skiff_anchor", version = 2, oldest = 1, migrate_state = migrate)]
    #[upgrade_from(1, raw = weigh)]
    pub(super) struct Anchor {
        #[attribute(computed)]
        id: String,
        weight: i64,
    }

    fn migrate(
        version: u64,
        mut state: BTreeMap<String, String>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<BTreeMap<String, String>, Diagnostics> {
        let stones = state
            .remove("stones")
            .ok_or_else(|| format!("version {version} has no stones"))?;
        state.insert(
            "pounds".to_owned(),
            format!("{}", stones.parse::<i64>().unwrap_or_default() * 14),
        );
        Ok(state)
    }

    /// Version 1 had pounds.
    fn weigh(raw: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<UpgradedState, Diagnostics> {
        let flat = raw.flatmap().ok_or("no release stored version 1 as JSON")?;
        let pounds = flat
            .get("pounds")
            .and_then(|pounds| pounds.parse::<i64>().ok())
            .unwrap_or_default();
        let id = flat
            .get("id")
            .map_or(Value::Null, |id| Value::from(id.as_str()));
        Ok(Value::Map(BTreeMap::from([
            ("id".to_owned(), id),
            ("weight".to_owned(), Value::from(pounds / 2)),
        ]))
        .into())
    }

    stored_as_planned!(Boat, "boat-1", |state| state);
    stored_as_planned!(Buoy, "buoy-1", |state| Self {
        depth: state.depth.or(Some(12)),
        ..state
    });
    stored_as_planned!(Anchor, "anchor-1", |state| state);
}

/// The release that runs.
fn release() -> u8 {
    match std::env::var("SKIFF_RELEASE").as_deref() {
        Ok("0") => 0,
        Ok("1") => 1,
        Ok(_) | Err(_) => 2,
    }
}

/// What the commands of a release know.
pub(crate) fn registry() -> Registry {
    match release() {
        0 => Registry::new().with::<before::Mooring>(),
        1 => Registry::new()
            .with::<first::Boat>()
            .with::<first::Buoy>()
            .with::<first::Mooring>(),
        _ => Registry::new()
            .with::<second::Boat>()
            .with::<second::Buoy>()
            .with::<second::Mooring>(),
    }
}

pub(crate) fn provider() -> Provider<()> {
    let provider = Provider::new("example.com/upstate/skiff", async |_: Config| Ok(()));
    match release() {
        0 => provider.with::<before::Mooring>(),
        1 => provider
            .with::<first::Boat>()
            .with::<first::Buoy>()
            .with_identified::<first::Mooring>(),
        _ => {
            let provider = provider
                .with::<second::Boat>()
                .with::<second::Buoy>()
                .with::<second::Anchor>();
            provider.with_identified::<second::Mooring>()
        }
    }
}
