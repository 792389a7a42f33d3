//! By magic_migrate.

use magic_migrate::TryMigrate;
use serde::{Deserialize, Serialize};

use crate::workloads::magic::{Failed, Json};

#[derive(Debug, Serialize, Deserialize, TryMigrate)]
#[try_migrate(from = EventV1)]
#[serde(deny_unknown_fields)]
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

#[derive(Debug, Deserialize, TryMigrate)]
#[try_migrate(from = EventV0)]
#[serde(deny_unknown_fields)]
pub struct EventV1 {
    at: u64,
    change: ChangeV1,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum ChangeV1 {
    Opened,
    Sold { item: String, cents: u64 },
    Refunded { item: String },
    Coupon {},
}

impl From<EventV1> for Event {
    fn from(prior: EventV1) -> Self {
        let change = match prior.change {
            ChangeV1::Opened | ChangeV1::Coupon {} => Change::Opened,
            ChangeV1::Sold { item, cents } => Change::Sold {
                item,
                amount: cents,
            },
            ChangeV1::Refunded { item } => Change::Refunded { item },
        };
        Self {
            at: prior.at,
            change,
        }
    }
}

#[derive(Debug, Deserialize, TryMigrate)]
#[try_migrate(from = None, error = Failed, deserializer = Json::new)]
#[serde(deny_unknown_fields)]
pub struct EventV0 {
    at: u64,
    change: ChangeV0,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum ChangeV0 {
    Opened,
    Sale { item: String, cents: u64 },
    Coupon {},
}

impl From<EventV0> for EventV1 {
    fn from(prior: EventV0) -> Self {
        let change = match prior.change {
            ChangeV0::Opened => ChangeV1::Opened,
            ChangeV0::Sale { item, cents } => ChangeV1::Sold { item, cents },
            ChangeV0::Coupon {} => ChangeV1::Coupon {},
        };
        Self {
            at: prior.at,
            change,
        }
    }
}

pub fn read(json: &str) -> Result<Event, String> {
    match Event::try_from_str_migrations(json) {
        Some(Ok(event)) => Ok(event),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("no version fits".to_owned()),
    }
}

pub fn write(event: &Event) -> String {
    serde_json::to_string(event).expect("an event is JSON")
}
