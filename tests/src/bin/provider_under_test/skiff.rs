//! A provider of which there are two releases; `SKIFF_RELEASE` says which one runs, 2 unless it is 1.
//!
//! A boat changed so that its schema version was raised, a buoy gained an attribute without that.

use upstate::{Diagnostics, Object, Registry, Resource};
use upstate_provider::{Context, ManagedResource, Provider};

/// There is nothing to configure.
#[derive(Debug, Object)]
struct Config {}

/// Everything is stored as it is planned, with an id.
macro_rules! stored_as_planned {
    ($model:ty, $id:literal, |$state:ident| $read:expr) => {
        impl ManagedResource for $model {
            type Client = ();

            async fn create(plan: Self, _context: &mut Context<()>) -> Result<Self, Diagnostics> {
                let $state = Self { id: $id.to_owned(), ..plan };
                Ok($read)
            }

            async fn read($state: Self, _context: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
                Ok(Some($read))
            }

            async fn update(plan: Self, _prior: Self, _context: &mut Context<()>) -> Result<Self, Diagnostics> {
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

    stored_as_planned!(Boat, "boat-1", |state| state);
    stored_as_planned!(Buoy, "buoy-1", |state| state);
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

    stored_as_planned!(Boat, "boat-1", |state| state);
    stored_as_planned!(Buoy, "buoy-1", |state| Self { depth: state.depth.or(Some(12)), ..state });
}

/// What the commands of release 2 know.
pub(crate) fn registry() -> Registry {
    Registry::new().with::<second::Boat>().with::<second::Buoy>()
}

pub(crate) fn provider() -> Provider<()> {
    let provider = Provider::new("example.com/upstate/skiff", async |_: Config| Ok(()));
    if std::env::var_os("SKIFF_RELEASE").is_some_and(|release| release == "1") {
        provider.with::<first::Boat>().with::<first::Buoy>()
    } else {
        provider.with::<second::Boat>().with::<second::Buoy>()
    }
}
