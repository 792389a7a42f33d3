//! By version-migrate.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use version_migrate::{IntoDomain, MigratesTo, Migrator, Versioned, migrator};

#[derive(Debug, Serialize, Deserialize, Versioned)]
#[versioned(version = "2.0.0")]
pub struct Event {
    pub at: u64,
    pub change: Change,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Change {
    Opened,
    Sold { item: String, amount: u64 },
    Refunded { item: String },
}

#[derive(Serialize, Deserialize, Versioned)]
#[versioned(version = "1.0.0")]
struct EventV1 {
    at: u64,
    change: ChangeV1,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum ChangeV1 {
    Opened,
    Sold { item: String, cents: u64 },
    Refunded { item: String },
    Coupon {},
}

#[derive(Serialize, Deserialize, Versioned)]
#[versioned(version = "0.0.0")]
struct EventV0 {
    at: u64,
    change: ChangeV0,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum ChangeV0 {
    Opened,
    Sale { item: String, cents: u64 },
    Coupon {},
}

impl MigratesTo<EventV1> for EventV0 {
    fn migrate(self) -> EventV1 {
        let change = match self.change {
            ChangeV0::Opened => ChangeV1::Opened,
            ChangeV0::Sale { item, cents } => ChangeV1::Sold { item, cents },
            ChangeV0::Coupon {} => ChangeV1::Coupon {},
        };
        EventV1 {
            at: self.at,
            change,
        }
    }
}

impl MigratesTo<Event> for EventV1 {
    fn migrate(self) -> Event {
        let change = match self.change {
            ChangeV1::Opened | ChangeV1::Coupon {} => Change::Opened,
            ChangeV1::Sold { item, cents } => Change::Sold {
                item,
                amount: cents,
            },
            ChangeV1::Refunded { item } => Change::Refunded { item },
        };
        Event {
            at: self.at,
            change,
        }
    }
}

impl IntoDomain<Event> for Event {
    fn into_domain(self) -> Event {
        self
    }
}

static MIGRATOR: LazyLock<Migrator> = LazyLock::new(|| {
    migrator!("event" => [EventV0, EventV1, Event, Event]).expect("the path is sound")
});

pub fn read(version: u64, json: &str) -> Result<Event, String> {
    let envelope = format!(r#"{{"version":"{version}.0.0","data":{json}}}"#);
    MIGRATOR
        .load("event", &envelope)
        .map_err(|error| error.to_string())
}

pub fn write(event: &Event) -> String {
    serde_json::to_string(event).expect("an event is JSON")
}
