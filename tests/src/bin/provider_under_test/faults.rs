//! Resources of the attic whose authors forget something, or whose states do.

use std::collections::BTreeMap;

use upstate::meaning::Timestamp;
use upstate::{Diagnostics, Object, Resource, StringEnum};
use upstate_provider::{Context, IdentifiedResource, ManagedResource};

/// What a clock shows.
#[derive(Debug, Clone, PartialEq, Object)]
pub(crate) struct Hand {
    name: String,
    #[attribute(computed)]
    angle: i64,
}

/// A resource that does not say what `forgets` names.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "attic_clock")]
pub(crate) struct Clock {
    #[attribute(computed)]
    id: String,
    name: Option<String>,
    forgets: Option<String>,
    #[attribute(computed)]
    port: i64,
    #[attribute(computed)]
    speed: f64,
    #[attribute(computed)]
    bells: Vec<String>,
    #[attribute(computed, set)]
    owners: Vec<String>,
    #[attribute(computed)]
    labels: BTreeMap<String, bool>,
    #[attribute(computed)]
    found: Vec<Hand>,
    #[attribute(computed, as_string)]
    at: Timestamp,
    hands: Option<Vec<Hand>>,
}

impl Clock {
    fn made(self) -> Result<Self, Diagnostics> {
        let plan = self.clone();
        let forgets = self.forgets.clone();
        let at = "2026-01-02T03:04:05Z".parse().map_err(|_| "a time")?;
        let made = Self {
            id: "c".to_owned(),
            port: 443,
            speed: 0.5,
            bells: vec!["b".to_owned()],
            owners: vec!["o".to_owned()],
            labels: BTreeMap::from([("l".to_owned(), false)]),
            found: vec![Hand {
                name: "f".to_owned(),
                angle: 0,
            }],
            at,
            hands: self.hands.map(|hands| {
                hands
                    .into_iter()
                    .map(|hand| Hand { angle: 90, ..hand })
                    .collect()
            }),
            ..plan.clone()
        };
        Ok(match forgets.as_deref() {
            Some("port") => Self {
                port: plan.port,
                ..made
            },
            Some("speed") => Self {
                speed: plan.speed,
                ..made
            },
            Some("bells") => Self {
                bells: plan.bells,
                ..made
            },
            Some("owners") => Self {
                owners: plan.owners,
                ..made
            },
            Some("labels") => Self {
                labels: plan.labels,
                ..made
            },
            Some("found") => Self {
                found: plan.found,
                ..made
            },
            Some("at") => Self {
                at: plan.at,
                ..made
            },
            Some("hands") => Self {
                hands: plan.hands,
                ..made
            },
            _ => made,
        })
    }
}

impl ManagedResource for Clock {
    type Client = ();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        plan.made()
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        plan.made()
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

/// How a lamp shines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, StringEnum)]
pub(crate) enum Light {
    Dim,
    Bright,
}

/// A resource that is imported by its id alone; `read` forgets whether it is on if the id says so.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "attic_lamp")]
pub(crate) struct Lamp {
    #[attribute(computed)]
    id: String,
    light: Light,
    #[attribute(as_string)]
    since: Timestamp,
    on: bool,
    #[attribute(default = 1)]
    sockets: u8,
}

impl ManagedResource for Lamp {
    type Client = ();

    const IMPORT_ID: Option<&'static str> = Some("id");

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(Self {
            id: "lamp".to_owned(),
            ..plan
        })
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        let since = "2026-01-02T03:04:05Z".parse().map_err(|_| "a time")?;
        let all = Self {
            light: Light::Dim,
            since,
            on: false,
            sockets: 0,
            ..state.clone()
        };
        Ok(Some(match state.id.as_str() {
            "forgetful" => Self {
                on: state.on,
                ..all
            },
            "vague" => Self {
                light: state.light,
                ..all
            },
            "timeless" => Self {
                since: state.since,
                ..all
            },
            _ => all,
        }))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

/// As `random_string` of the provider in Go, whose version 2 may have stored null everywhere.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "attic_relic")]
pub(crate) struct Relic {
    #[attribute(computed)]
    id: String,
    #[attribute(requires_replace)]
    length: i64,
    #[attribute(default = true, requires_replace)]
    lower: bool,
    #[attribute(default = 0, requires_replace)]
    min_lower: i64,
    keepers: Option<BTreeMap<String, String>>,
    #[attribute(computed)]
    result: String,
}

impl ManagedResource for Relic {
    type Client = ();

    const STABLE: &'static [&'static str] = &["id", "result"];

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(Self {
            id: "none".to_owned(),
            result: "x".repeat(usize::try_from(plan.length).unwrap_or_default()),
            ..plan
        })
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

/// A resource whose identity is its name, which it changes.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "attic_key", identity = KeyIdentity)]
pub(crate) struct Key {
    #[attribute(computed)]
    id: String,
    name: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "attic_key_identity")]
pub(crate) struct KeyIdentity {
    name: String,
}

impl IdentifiedResource for Key {
    type Identity = KeyIdentity;

    fn identity(&self) -> KeyIdentity {
        KeyIdentity {
            name: self.name.clone(),
        }
    }
}

impl ManagedResource for Key {
    type Client = ();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(Self {
            id: "key".to_owned(),
            ..plan
        })
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        let name = if state.name == "drifts" {
            "drifted".to_owned()
        } else {
            state.name.clone()
        };
        Ok(Some(Self { name, ..state }))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}
