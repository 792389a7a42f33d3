//! By revision, whose rows are binary and have their versions inside, but no names.

use revision::{Error, revisioned};

#[revisioned(revision = 1, walk = false)]
#[derive(Debug)]
pub struct Event {
    pub at: u64,
    pub change: Change,
}

#[revisioned(revision = 3, walk = false)]
#[derive(Debug)]
pub enum Change {
    Opened,
    Sold {
        item: String,
        amount: u64,
    },
    #[revision(start = 2)]
    Refunded {
        item: String,
    },
    #[revision(end = 3, convert_fn = "drop_coupon")]
    Coupon {
        code: String,
    },
}

impl Change {
    fn drop_coupon(coupon: ChangeCouponFields, _revision: u16) -> Result<Self, Error> {
        drop(coupon.code);
        Ok(Self::Opened)
    }
}

pub fn read(row: &[u8]) -> Result<Event, String> {
    revision::from_slice(row).map_err(|error| error.to_string())
}

pub fn write(event: &Event) -> Vec<u8> {
    revision::to_vec(event).expect("a vector takes what is written")
}
