//! By native_model, which asks for every conversion in both directions.

use native_model::{Model, native_model};
use serde::{Deserialize, Serialize};

use crate::workloads::native::Json;

#[native_model(id = 1, version = 2, with = Json, from = EventV1)]
#[derive(Debug, Serialize, Deserialize)]
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

#[native_model(id = 1, version = 1, with = Json, from = EventV0)]
#[derive(Serialize, Deserialize)]
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

impl From<Event> for EventV1 {
    fn from(next: Event) -> Self {
        let change = match next.change {
            Change::Opened => ChangeV1::Opened,
            Change::Sold { item, amount } => ChangeV1::Sold {
                item,
                cents: amount,
            },
            Change::Refunded { item } => ChangeV1::Refunded { item },
        };
        Self {
            at: next.at,
            change,
        }
    }
}

#[native_model(id = 1, version = 0, with = Json)]
#[derive(Serialize, Deserialize)]
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

impl From<EventV1> for EventV0 {
    fn from(next: EventV1) -> Self {
        let change = match next.change {
            // A refund becomes what it is not, because a conversion cannot fail.
            ChangeV1::Opened | ChangeV1::Refunded { .. } => ChangeV0::Opened,
            ChangeV1::Sold { item, cents } => ChangeV0::Sale { item, cents },
            ChangeV1::Coupon {} => ChangeV0::Coupon {},
        };
        Self {
            at: next.at,
            change,
        }
    }
}

pub fn read(version: u64, json: &str) -> Result<Event, String> {
    let version = u32::try_from(version).map_err(|error| error.to_string())?;
    Event::native_model_decode_upgrade_body(json.into(), 1, version)
        .map_err(|error| error.to_string())
}

pub fn write(event: &Event) -> String {
    serde_json::to_string(event).expect("an event is JSON")
}

pub fn back(json: &str) -> Result<String, String> {
    let older = read(2, json)?
        .native_model_encode_downgrade_body(1)
        .map_err(|error| error.to_string())?;
    String::from_utf8(older).map_err(|error| error.to_string())
}
