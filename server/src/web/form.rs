//! Forms that a browser sends.

use axum::body::Body;
use axum::http::HeaderMap;

use crate::rules::Refusal;
use crate::traffic::Budget;

/// The most that a form has, in bytes.
const MOST: usize = 64 << 10;

/// The fields of a form.
#[derive(Debug)]
pub(super) struct Form {
    fields: Vec<(String, String)>,
    /// True if who sent it may have lost a permission meanwhile.
    pub(super) took_long: bool,
}

impl Form {
    /// Reads a form.
    pub(super) async fn read(
        budget: &Budget,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, Refusal> {
        let held = budget.read(headers, body, MOST).await?;
        Ok(Self {
            fields: form_urlencoded::parse(&held.bytes).into_owned().collect(),
            took_long: held.took_long,
        })
    }

    /// A field.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.as_str())
    }

    /// A field without white space around it, if anything is left.
    pub(super) fn filled(&self, name: &str) -> Option<&str> {
        self.get(name)
            .map(str::trim)
            .filter(|value| !value.is_empty())
    }

    /// All values of a field, such as boxes that are ticked.
    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        self.fields
            .iter()
            .filter(|(field, _)| field == name)
            .map(|(_, value)| value.as_str())
            .collect()
    }
}
