//! By obake.

use obake::AnyVersion;
use serde::{Deserialize, Serialize};

#[obake::versioned]
#[obake(version("0.0.0"))]
#[obake(version("1.0.0"))]
#[obake(version("2.0.0"))]
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Change {
    Opened,
    #[obake(cfg("0.0.0"))]
    Sale {
        item: String,
        cents: u64,
    },
    #[obake(cfg(">=1.0.0"))]
    Sold {
        item: String,
        #[obake(cfg("1.0.0"))]
        cents: u64,
        #[obake(cfg("2.0.0"))]
        amount: u64,
    },
    #[obake(cfg(">=1.0.0"))]
    Refunded {
        item: String,
    },
    #[obake(cfg("<2.0.0"))]
    Coupon {},
}

type ChangeV0 = Change!["0.0.0"];
type ChangeV1 = Change!["1.0.0"];

impl From<ChangeV0> for ChangeV1 {
    fn from(prior: ChangeV0) -> Self {
        match prior {
            ChangeV0::Opened => Self::Opened,
            ChangeV0::Sale { item, cents } => Self::Sold { item, cents },
            ChangeV0::Coupon {} => Self::Coupon {},
        }
    }
}

impl From<ChangeV1> for Change {
    fn from(prior: ChangeV1) -> Self {
        match prior {
            ChangeV1::Opened | ChangeV1::Coupon {} => Self::Opened,
            ChangeV1::Sold { item, cents } => Self::Sold {
                item,
                amount: cents,
            },
            ChangeV1::Refunded { item } => Self::Refunded { item },
        }
    }
}

#[obake::versioned]
#[obake(version("0.0.0"))]
#[obake(version("1.0.0"))]
#[obake(version("2.0.0"))]
#[derive(Debug, Serialize, Deserialize)]
pub struct Event {
    pub at: u64,
    #[obake(inherit)]
    pub change: Change,
}

impl From<Event!["0.0.0"]> for Event!["1.0.0"] {
    fn from(prior: Event!["0.0.0"]) -> Self {
        Self {
            at: prior.at,
            change: prior.change.into(),
        }
    }
}

impl From<Event!["1.0.0"]> for Event!["2.0.0"] {
    fn from(prior: Event!["1.0.0"]) -> Self {
        Self {
            at: prior.at,
            change: prior.change.into(),
        }
    }
}

pub fn read(version: u64, json: &str) -> Result<Event, String> {
    let event: serde_json::Result<AnyVersion<Event>> = match version {
        0 => serde_json::from_str::<Event!["0.0.0"]>(json).map(Into::into),
        1 => serde_json::from_str::<Event!["1.0.0"]>(json).map(Into::into),
        2 => serde_json::from_str::<Event!["2.0.0"]>(json).map(Into::into),
        newer => return Err(format!("version {newer} is newer than this program")),
    };
    event.map(Into::into).map_err(|error| error.to_string())
}

pub fn write(event: &Event) -> String {
    serde_json::to_string(event).expect("an event is JSON")
}
