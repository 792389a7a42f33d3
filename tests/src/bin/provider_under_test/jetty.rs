//! Two releases of a provider: one whose resource has moved to Rust, and the one beside it, which
//! serves the rest and behaves badly on demand.

use std::io::Write as _;
use std::sync::Arc;

use upstate::{Diagnostics, Object, Resource};
use upstate_provider::{
    Beside, Context, DataSource, Function, IdentifiedResource, ManagedResource, Provider,
};

const ADDRESS: &str = "example.com/upstate/jetty";

#[derive(Object)]
pub(crate) struct OldConfig {
    #[attribute(sensitive)]
    token: Option<String>,
    color: Option<String>,
}

#[derive(Object)]
pub(crate) struct NewConfig {
    token: Option<String>,
    label: Option<String>,
}

/// A plank as the old provider stores it.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "jetty_plank")]
struct OldPlank {
    #[attribute(computed)]
    id: String,
    width: String,
}

/// A plank that has moved to Rust.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "jetty_plank", version = 1)]
#[upgrade_from(0, model = OldPlank)]
struct Plank {
    #[attribute(computed)]
    id: String,
    width: i64,
    /// What the client knows.
    #[attribute(computed)]
    label: Option<String>,
}

impl TryFrom<OldPlank> for Plank {
    type Error = String;

    fn try_from(OldPlank { id, width }: OldPlank) -> Result<Self, String> {
        let width = width
            .parse()
            .map_err(|_| "The stored width is not a number.")?;
        Ok(Self {
            id,
            width,
            label: None,
        })
    }
}

/// A resource that only the old provider has.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "jetty_rope")]
struct Rope {
    #[attribute(computed)]
    id: String,
    #[attribute(requires_replace)]
    length: i64,
    #[attribute(sensitive)]
    code: Option<String>,
    behaviour: Option<String>,
}

/// A buoy as the old provider has it.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "jetty_buoy")]
struct OldBuoy {
    #[attribute(computed)]
    id: String,
    #[attribute(requires_replace, range = 1..=40)]
    depth: i64,
    #[attribute(sensitive, default = "s-old-4477")]
    code: String,
}

/// A buoy that has moved to Rust, with mistakes.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "jetty_buoy")]
struct Buoy {
    #[attribute(computed)]
    id: String,
    depth: i64,
    #[attribute(sensitive, default = "s-new-8811")]
    code: String,
}

/// A raft as the old provider has it.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "jetty_raft", identity = RaftIdentity)]
struct OldRaft {
    #[attribute(computed)]
    id: String,
    name: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "jetty_raft_identity")]
struct RaftIdentity {
    name: String,
}

impl IdentifiedResource for OldRaft {
    type Identity = RaftIdentity;

    fn identity(&self) -> RaftIdentity {
        RaftIdentity {
            name: self.name.clone(),
        }
    }
}

/// A raft that has moved to Rust without its identity.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "jetty_raft")]
struct Raft {
    #[attribute(computed)]
    id: String,
    name: String,
}

/// A data source that only the old provider has.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "jetty_gossip", stateless)]
struct Gossip {
    #[attribute(sensitive)]
    about: String,
    behaviour: Option<String>,
    #[attribute(computed)]
    color: Option<String>,
}

/// The length of a rope in knots.
#[derive(Debug, Resource)]
#[resource(stateless, type_name = "knots")]
struct Knots {
    length: i64,
}

impl Function for Knots {
    const PARAMETERS: &'static [&'static str] = &["length"];
    type Output = i64;

    fn call(self) -> Result<i64, Diagnostics> {
        Ok(self.length / 7)
    }
}

macro_rules! kept {
    ($model:ident: $client:ty, $made:expr, $found:expr) => {
        impl ManagedResource for $model {
            type Client = $client;

            const IMPORT_ID: Option<&'static str> = Some("id");

            async fn create(
                plan: Self,
                context: &mut Context<$client>,
            ) -> Result<Self, Diagnostics> {
                let make: fn(Self, &$client) -> Self = $made;
                Ok(make(plan, context.client()))
            }

            async fn read(
                state: Self,
                _: &mut Context<$client>,
            ) -> Result<Option<Self>, Diagnostics> {
                let find: fn(Self) -> Self = $found;
                Ok(Some(find(state)))
            }

            async fn update(
                plan: Self,
                prior: Self,
                context: &mut Context<$client>,
            ) -> Result<Self, Diagnostics> {
                Ok(Self {
                    id: prior.id,
                    ..Self::create(plan, context).await?
                })
            }

            async fn delete(_: Self, _: &mut Context<$client>) -> Result<(), Diagnostics> {
                Ok(())
            }
        }
    };
}

kept!(OldPlank: Arc<OldConfig>, |plan, _| OldPlank { id: format!("old plank {}", plan.width), ..plan }, |state| state);
kept!(Plank: Arc<NewConfig>, |plan, client| Plank { id: format!("plank {}", plan.width), label: client.label.clone(), ..plan }, |state| state);
kept!(Rope: Arc<OldConfig>, |plan, _| {
    misbehave(plan.behaviour.as_deref(), plan.code.as_deref().unwrap_or_default());
    Rope { id: format!("rope {}", plan.length), ..plan }
}, |state| {
    let length = state.id.strip_prefix("rope ").and_then(|length| length.parse().ok());
    Rope { length: length.unwrap_or(state.length), ..state }
});

kept!(OldBuoy: Arc<OldConfig>, |plan, _| OldBuoy { id: format!("buoy {}", plan.depth), ..plan }, |state| state);
kept!(Buoy: Arc<NewConfig>, |plan, _| Buoy { id: format!("buoy {}", plan.depth), ..plan }, |state| state);
kept!(OldRaft: Arc<OldConfig>, |plan, _| OldRaft { id: format!("raft {}", plan.name), ..plan }, |state| state);
kept!(Raft: Arc<NewConfig>, |plan, _| Raft { id: format!("raft {}", plan.name), ..plan }, |state| state);

/// True if both providers have rafts.
fn has_rafts() -> bool {
    std::env::var_os("JETTY_RAFTS").is_some()
}

/// True if both providers have buoys.
fn has_buoys() -> bool {
    std::env::var_os("JETTY_BUOYS").is_some()
}

impl DataSource for Gossip {
    type Client = Arc<OldConfig>;

    async fn read(
        config: Self,
        context: &mut Context<Arc<OldConfig>>,
    ) -> Result<Self, Diagnostics> {
        misbehave(config.behaviour.as_deref(), &config.about);
        if config.behaviour.as_deref() == Some("tell") {
            print(&format!(
                "they say {} about {:?}",
                config.about,
                context.client().token
            ));
            print(&format!(
                r#"{{"@level":"warn","@message":"a line of {}","@module":"old"}}"#,
                config.about
            ));
        }
        context.warn(
            upstate::Diagnostic::warning("Gossip", "It may not be true.")
                .at(upstate::AttributePath::new().attribute("about")),
        );
        Ok(Self {
            color: context.client().color.clone(),
            ..config
        })
    }
}

fn misbehave(behaviour: Option<&str>, secret: &str) {
    match behaviour {
        Some("exit") => {
            print(&format!("panic: the secret is {secret}"));
            std::process::exit(3);
        }
        Some("abort") => std::process::abort(),
        _ => {}
    }
}

/// Prints without hiding anything, as a provider in Go may.
fn print(text: &str) {
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}

/// The provider before anything moved.
pub(crate) fn old() -> Provider<Arc<OldConfig>> {
    if let Some(file) = std::env::var_os("JETTY_PID") {
        let _ = std::fs::write(file, std::process::id().to_string());
    }
    let provider = Provider::new(ADDRESS, async |config: OldConfig| Ok(Arc::new(config)))
        .with::<OldPlank>()
        .with::<Rope>()
        .with_data_source::<Gossip>()
        .with_function::<Knots>();
    let provider = if has_rafts() {
        provider.with_identified::<OldRaft>()
    } else {
        provider
    };
    if has_buoys() {
        provider.with::<OldBuoy>()
    } else {
        provider
    }
}

/// The provider in Rust, with the old one beside it.
pub(crate) fn new() -> Provider<Arc<NewConfig>> {
    let old = Beside::new(std::env::var_os("JETTY_BESIDE").unwrap_or_else(|| "old-jetty".into()));
    let patience = std::env::var("JETTY_PATIENCE")
        .ok()
        .and_then(|seconds| seconds.parse().ok());
    let old = match patience {
        Some(seconds) => old.within(std::time::Duration::from_secs(seconds)),
        None => old,
    };
    let provider = Provider::new(ADDRESS, async |config: NewConfig| Ok(Arc::new(config)))
        .with::<Plank>()
        .beside(old);
    let provider = if has_rafts() {
        provider.with::<Raft>()
    } else {
        provider
    };
    if has_buoys() {
        provider.with::<Buoy>()
    } else {
        provider
    }
}
