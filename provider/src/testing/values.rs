//! Values that a test writes: a configuration, a state.

use serde_json::Value as Json;
use upstate::codec::UnknownAttributes;
use upstate::schema::{Block, Type};
use upstate::{AttributePath, Diagnostic, Diagnostics, Value};

use crate::plan::{Members, arrange, complete};

/// The attributes and blocks of a configuration or a state, for a test. What is left out is null,
/// as in a configuration.
///
/// ```
/// use serde_json::json;
/// use upstate_provider::testing::Values;
///
/// let shopping = Values::from(json!({"title": "shopping"}));
/// // As where the text comes from a resource that is not there yet.
/// let unknown = Values::from(json!({"title": "shopping"})).unknown("text");
/// # let _ = (shopping, unknown);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    json: Json,
    unknown: Vec<AttributePath>,
}

impl From<Json> for Values {
    fn from(json: Json) -> Self {
        Self {
            json,
            unknown: Vec::new(),
        }
    }
}

impl Values {
    /// Makes an attribute unknown, by its name or by its path: it depends on something that is not
    /// applied yet.
    #[must_use]
    pub fn unknown(mut self, attribute: impl Into<AttributePath>) -> Self {
        self.unknown.push(attribute.into());
        self
    }

    /// The values as Terraform sends them.
    pub(super) fn read(&self, block: &Block, ty: &Type) -> Result<Value, Diagnostics> {
        let mut value = Value::from_json(
            self.json.to_string().as_bytes(),
            ty,
            UnknownAttributes::Deny,
        )
        .map_err(|error| invalid(error.path().cloned(), &error.problem()))?;
        complete(Members::Block(block), &mut value);
        for path in &self.unknown {
            value
                .set(path, Value::Unknown)
                .map_err(|error| invalid(Some(error.path().clone()), &error.to_string()))?;
        }
        // An unknown attribute that does not exist is found here; sets are put in order.
        let bytes = crate::wire::value::to_wire(&value, ty, "value of the test")?;
        let mut value = crate::wire::value::from_wire(Some(&bytes), ty, "value of the test")?;
        arrange(&mut value, ty);
        Ok(value)
    }
}

fn invalid(path: Option<AttributePath>, problem: &str) -> Diagnostics {
    let diagnostic = Diagnostic::error(
        "Invalid Values In Test",
        format!("The values do not fit the schema: {problem}."),
    );
    match path.filter(|path| !path.is_empty()) {
        Some(path) => diagnostic.at(path).into(),
        None => diagnostic.into(),
    }
}
