//! The events of an account, as three releases stored them.

use cqrs_es::event_sink::EventSink;
use cqrs_es::persist::{EventUpcaster, SerializedEvent};
use cqrs_es::{Aggregate, DomainEvent};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use upstate::{AnyOf, Resource};
use upstate_state::document::Format;

/// The format of an event since release 2: its type and version beside what it says.
const EVENTS: Format<'static> = Format::new().attributes_member("data");

/// An account was opened. Release 2 called the owner `name`.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "account_opened", version = 1)]
#[upgrade_from(0 => 1, rename(name => owner))]
pub(crate) struct Opened {
    owner: String,
}

/// Money came in. Release 1 stored dollars.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "money_deposited", version = 1)]
#[upgrade_from(0, model = DepositedV0)]
pub(crate) struct Deposited {
    cents: i64,
}

/// A deposit, as release 1 stored it.
#[derive(Debug, Resource)]
#[resource(type_name = "money_deposited", version = 0, prior)]
pub(crate) struct DepositedV0 {
    dollars: i64,
}

impl TryFrom<DepositedV0> for Deposited {
    type Error = &'static str;

    fn try_from(prior: DepositedV0) -> Result<Self, Self::Error> {
        let cents = prior
            .dollars
            .checked_mul(100)
            .ok_or("the deposit has more cents than this release can count")?;
        Ok(Self { cents })
    }
}

/// An event of an account.
#[derive(Debug, Clone, PartialEq, AnyOf)]
pub(crate) enum Event {
    Opened(Opened),
    Deposited(Deposited),
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        EVENTS.serialize_any(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        EVENTS.deserialize_any(deserializer)
    }
}

impl DomainEvent for Event {
    fn event_type(&self) -> String {
        self.definition().type_name().to_owned()
    }

    fn event_version(&self) -> String {
        self.definition().version().to_string()
    }
}

/// The upcaster of events from before upstate: release 1 stored what `derive(Serialize)` makes of an enum, `{"Deposited": {"dollars": 5}}`.
///
/// It only says which document that is, of version 0. Documents need no upcaster, because reading them upgrades them.
pub(crate) struct Upcaster;

impl EventUpcaster for Upcaster {
    fn can_upcast(&self, event_type: &str, _: &str) -> bool {
        document_type(event_type).is_some()
    }

    fn upcast(&self, mut event: SerializedEvent) -> SerializedEvent {
        if let (Some(type_name), Value::Object(variant)) =
            (document_type(&event.event_type), &mut event.payload)
            && let Some(data) = variant.remove(&event.event_type)
        {
            event.payload = json!({"type": type_name, "schema_version": 0, "data": data});
            type_name.clone_into(&mut event.event_type);
            "0".clone_into(&mut event.event_version);
        }
        event
    }
}

/// The type of the documents that an enum's variant became.
fn document_type(variant: &str) -> Option<&'static str> {
    match variant {
        "Opened" => Some("account_opened"),
        "Deposited" => Some("money_deposited"),
        _ => None,
    }
}

/// An account, as its events make it.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Account {
    owner: String,
    cents: i64,
}

impl Account {
    /// The event of a deposit.
    pub(crate) fn deposit(cents: i64) -> Event {
        Event::Deposited(Deposited { cents })
    }
}

impl Aggregate for Account {
    const TYPE: &'static str = "account";
    type Command = i64;
    type Event = Event;
    type Error = std::convert::Infallible;
    type Services = ();

    async fn handle(
        &mut self,
        cents: i64,
        (): &(),
        sink: &EventSink<Self>,
    ) -> Result<(), Self::Error> {
        sink.write(Self::deposit(cents), self).await;
        Ok(())
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Opened(Opened { owner }) => self.owner = owner,
            Event::Deposited(Deposited { cents }) => self.cents += cents,
        }
    }
}
