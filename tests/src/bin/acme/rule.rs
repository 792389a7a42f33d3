//! Rules of buckets.

use upstate::Object;

/// When an object goes.
#[derive(Object)]
pub(crate) struct Rule {
    pub(crate) prefix: Option<String>,
    /// In days.
    pub(crate) age: String,
}
