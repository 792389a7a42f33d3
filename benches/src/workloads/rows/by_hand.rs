//! By hand, with serde's derives.

use serde::{Deserialize, Serialize};

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

#[derive(Deserialize)]
struct EventV1 {
    at: u64,
    change: ChangeV1,
}

#[derive(Deserialize)]
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

#[derive(Deserialize)]
struct EventV0 {
    at: u64,
    change: ChangeV0,
}

#[derive(Deserialize)]
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

pub fn read(version: u64, json: &str) -> Result<Event, String> {
    let event = match version {
        0 => serde_json::from_str::<EventV0>(json).map(|event| EventV1::from(event).into()),
        1 => serde_json::from_str::<EventV1>(json).map(Event::from),
        2 => serde_json::from_str(json),
        newer => return Err(format!("version {newer} is newer than this program")),
    };
    event.map_err(|error| error.to_string())
}

pub fn write(event: &Event) -> String {
    serde_json::to_string(event).expect("an event is JSON")
}
