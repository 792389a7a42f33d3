//! A provider whose upgrades and functions do what their stored or configured `behaviour` says,
//! good and bad.

use std::time::Duration;

use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::upgrade::ClosureUpgrader;
use upstate::{
    AttributePath, Diagnostic, Diagnostics, Object, Resource, ResourceDefinition, UpgradeContext,
    Value,
};
use upstate_provider::{Configuration, Context, IdentifiedResource, ManagedResource, Provider};

use super::crane::{Berths, Crane};
use super::gauge::Gauge;
use super::pier::Pier;
use super::probe::{Echo, First, Lease, Meta, Probe, Tell};

#[derive(Debug, Object)]
struct Config {
    /// What the client knows.
    #[attribute(default = "by the client")]
    label: Option<String>,
    /// What nobody else may know.
    #[attribute(sensitive)]
    token: Option<String>,
}

/// What the configuration makes.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) label: String,
    pub(crate) token: String,
    pub(crate) terraform_version: String,
}

/// A berth, version 1: the size is a number, and the client knows a label.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "quay_berth", version = 1, identity = BerthIdentity)]
#[upgrade_from(0, model = BerthV0, with = upgrade_berth)]
pub(crate) struct Berth {
    #[attribute(computed)]
    pub(crate) id: String,
    pub(crate) behaviour: String,
    pub(crate) size: i64,
    #[attribute(computed)]
    pub(crate) label: String,
    #[attribute(sensitive)]
    pub(crate) pin: Option<String>,
}

/// Version 0 of the identity called it a name.
#[derive(Debug, Resource)]
#[resource(type_name = "quay_berth_identity", version = 1)]
#[upgrade_from(0, model = BerthIdentityV0)]
pub(crate) struct BerthIdentity {
    pub(crate) id: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "quay_berth_identity", version = 0)]
struct BerthIdentityV0 {
    name: String,
}

impl From<BerthIdentityV0> for BerthIdentity {
    fn from(prior: BerthIdentityV0) -> Self {
        Self { id: prior.name }
    }
}

impl IdentifiedResource for Berth {
    type Identity = BerthIdentity;

    fn identity(&self) -> BerthIdentity {
        BerthIdentity {
            id: self.id.clone(),
        }
    }
}

#[derive(Debug, Resource)]
#[resource(type_name = "quay_berth", version = 0)]
struct BerthV0 {
    #[attribute(computed)]
    id: String,
    behaviour: String,
    size: String,
    #[attribute(sensitive)]
    pin: Option<String>,
}

fn upgrade_berth(prior: BerthV0, context: &mut UpgradeContext<'_>) -> Result<Berth, Diagnostics> {
    let size = AttributePath::new().attribute("size");
    match prior.behaviour.as_str() {
        "refuse" => {
            let detail = "It is given in furlongs. Convert it with release 0.9, then upgrade.";
            return Err(Diagnostic::error("Unknown Size", detail).at(size).into());
        }
        "warn" => context.warn(
            Diagnostic::warning("Rounded Size", "Sizes are whole metres now.").at(size.clone()),
        ),
        "panic" => panic!("the pin is {}", prior.size),
        "tell" => return Err(format!("wrong pin {}", prior.pin.unwrap_or_default()).into()),
        _ => {}
    }
    let metres = prior
        .size
        .parse()
        .map_err(|_| Diagnostic::error("Unknown Size", "The stored size is no number.").at(size))?;
    let label = context.client::<Client>().map_or_else(
        || "without a client".to_owned(),
        |client| client.label.clone(),
    );
    Ok(Berth {
        id: prior.id,
        behaviour: prior.behaviour,
        size: metres,
        label,
        pin: None,
    })
}

impl ManagedResource for Berth {
    type Client = Client;

    const STABLE: &'static [&'static str] = &["id", "label"];

    async fn create(plan: Self, context: &mut Context<Client>) -> Result<Self, Diagnostics> {
        let label = context.client().label.clone();
        context.private_mut().set("crane", "north");
        let made = Self {
            id: format!("berth-{}", plan.size),
            label,
            ..plan.clone()
        };
        match plan.behaviour.as_str() {
            // The id stays what it was in the plan, which is not known.
            "forget" => {
                return Ok(Self {
                    id: plan.id,
                    ..made
                });
            }
            "fail" => return Err("the crane broke".into()),
            "fail half-way" => {
                context.save(&made);
                return Err("the crane broke when the berth was there".into());
            }
            "panic" => panic!("the pin is {}", plan.pin.unwrap_or_default()),
            "panic elsewhere" => {
                let pin = plan.pin.clone();
                let elsewhere = tokio::task::spawn_blocking(move || {
                    panic!("the pin is {}", pin.unwrap_or_default())
                });
                return elsewhere.await.map_err(|error| error.to_string().into());
            }
            "tell" => return Err(format!("wrong pin {}", plan.pin.unwrap_or_default()).into()),
            "wait" => {
                context.save(&made);
                if let Some(signal) = std::env::var_os("QUAY_WAITING") {
                    std::fs::write(signal, std::process::id().to_string())
                        .map_err(|error| error.to_string())?;
                }
                tokio::select! {
                    () = context.stopping() => return Err("stopped".into()),
                    () = tokio::time::sleep(Duration::from_secs(60)) => {}
                }
            }
            _ => {}
        }
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
        context: &mut Context<Client>,
    ) -> Result<Self, Diagnostics> {
        match context.private().get("crane") {
            Some(b"north") => Ok(plan),
            _ => Err("nobody knows which crane it was".into()),
        }
    }

    async fn delete(_state: Self, _context: &mut Context<Client>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

/// A resource whose upgrade from version 0 is a closure that answers what the stored `answer` says.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "quay_answer", version = 1, oldest = 1)]
struct Answer {
    #[attribute(computed)]
    id: String,
    answer: String,
    size: Option<i64>,
}

impl ManagedResource for Answer {
    type Client = Client;

    async fn create(plan: Self, _context: &mut Context<Client>) -> Result<Self, Diagnostics> {
        Ok(Self {
            id: "answer".to_owned(),
            ..plan
        })
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
        Ok(plan)
    }

    async fn delete(_state: Self, _context: &mut Context<Client>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

/// The upgrade of `quay_answer` as somebody might write it by hand.
fn by_hand() -> Result<ResourceDefinition, Diagnostics> {
    let before = Schema::new(
        0,
        Block::new([
            Attribute::new("id", Type::String, Presence::Computed),
            Attribute::new("answer", Type::String, Presence::Required),
        ]),
    );
    let upgrade = ClosureUpgrader::new(0, |mut state: Value, _context| {
        let answer = state
            .as_map()
            .and_then(|state| state.get("answer"))
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        let Some(members) = state.as_map_mut() else {
            return Err("the state is no object");
        };
        match answer.as_str() {
            "null" => return Ok(Value::Null),
            "empty" => members.clear(),
            "unknown" => {
                members.insert("size".to_owned(), Value::Unknown);
            }
            "extra" => {
                members.insert("bogus".to_owned(), true.into());
            }
            "wrong type" => {
                members.insert("size".to_owned(), "wide".into());
            }
            "null required" => {
                members.insert("answer".to_owned(), Value::Null);
            }
            // Whatever else is left out is null.
            _ => {}
        }
        Ok(state)
    });
    ResourceDefinition::builder("quay_answer", Answer::schema().clone())
        .unsupported(0..=u64::MAX)
        .upgrader(upgrade.prior_schema(&before))
        .build()
}

pub(crate) fn provider() -> Provider<Client> {
    let configure = async |configuration: Configuration<Config>| {
        let known = configuration.is_known("label");
        let config = configuration.known()?;
        let label = if known {
            config.label.unwrap_or_default()
        } else {
            "not known yet".to_owned()
        };
        let token = config.token.unwrap_or_default();
        tracing::warn!(token, "configured");
        Ok(Client {
            label,
            token,
            terraform_version: configuration.terraform_version().to_owned(),
        })
    };
    let provider = Provider::configured_by("example.com/upstate/quay", configure)
        .with_identified::<Berth>()
        .with::<Answer>()
        .with::<Gauge>()
        .with::<Pier>()
        .with_meta::<Meta>()
        .with_data_source::<Probe>()
        .with_ephemeral_resource::<Lease>()
        .with_list_resource::<Berths>()
        .with_action::<Crane>()
        .with_function::<Tell>()
        .with_function::<Echo>()
        .with_function::<First>();
    match by_hand() {
        Ok(definition) => provider.upgraded_by(definition),
        // A test that needs it will fail.
        Err(_) => provider,
    }
}
