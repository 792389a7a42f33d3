//! Values that a test writes: a configuration, a state.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use upstate::codec::UnknownAttributes;
use upstate::schema::{Block, Nesting, Type};
use upstate::{AttributePath, Diagnostic, Diagnostics, Value};

use crate::plan::Members;

/// The attributes and blocks of a configuration or a state, for a test. What is left out is null, as in a configuration.
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
        Self { json, unknown: Vec::new() }
    }
}

impl Values {
    /// Makes an attribute unknown, by its name or by its path: it depends on something that is not applied yet.
    #[must_use]
    pub fn unknown(mut self, attribute: impl Into<AttributePath>) -> Self {
        self.unknown.push(attribute.into());
        self
    }

    /// The values as Terraform sends them.
    pub(super) fn read(&self, block: &Block, ty: &Type) -> Result<Value, Diagnostics> {
        let mut value = Value::from_json(self.json.to_string().as_bytes(), ty, UnknownAttributes::Deny)
            .map_err(|error| invalid(error.path().cloned(), &error.problem()))?;
        complete(Members::Block(block), &mut value);
        for path in &self.unknown {
            value.set(path, Value::Unknown).map_err(|error| invalid(Some(error.path().clone()), &error.to_string()))?;
        }
        // An unknown attribute that does not exist is found here; sets are put in order.
        let bytes = crate::wire::value::to_wire(&value, ty, "value of the test")?;
        let mut value = crate::wire::value::from_wire(Some(&bytes), ty, "value of the test")?;
        arrange(&mut value, ty);
        Ok(value)
    }
}

/// Puts the elements of sets in an order of their own, at any depth, as Terraform does before it sends them: equal sets
/// are sent in the same way, wherever they come from. Terraform's order is another one.
pub(super) fn arrange(value: &mut Value, ty: &Type) {
    match (value, ty) {
        (Value::List(elements), Type::Set(ty)) => {
            for value in elements.iter_mut() {
                arrange(value, ty);
            }
            elements.sort_by_cached_key(ToString::to_string);
        }
        (Value::List(elements), Type::List(ty)) => elements.iter_mut().for_each(|value| arrange(value, ty)),
        (Value::List(elements), Type::Tuple(types)) => {
            elements.iter_mut().zip(types.iter()).for_each(|(value, ty)| arrange(value, ty));
        }
        (Value::Map(elements), Type::Map(ty)) => elements.values_mut().for_each(|value| arrange(value, ty)),
        (Value::Map(members), Type::Object(fields)) => {
            for field in fields.iter() {
                if let Some(value) = members.get_mut(field.name()) {
                    arrange(value, field.ty());
                }
            }
        }
        (Value::Dynamic(dynamic), _) => {
            let (ty, value) = &mut **dynamic;
            arrange(value, ty);
        }
        _ => {}
    }
}

fn invalid(path: Option<AttributePath>, problem: &str) -> Diagnostics {
    let diagnostic = Diagnostic::error("Invalid Values In Test", format!("The values do not fit the schema: {problem}."));
    match path.filter(|path| !path.is_empty()) {
        Some(path) => diagnostic.at(path).into(),
        None => diagnostic.into(),
    }
}

/// Puts in the blocks that are not there: Terraform has an empty collection for them, never null.
fn complete(of: Members<'_>, value: &mut Value) {
    let Some(members) = value.as_map_mut() else { return };
    let is_block = |name: &str| match of {
        Members::Block(block) => block.blocks().iter().any(|block| block.name() == name),
        Members::Attributes(_) => false,
    };
    for (name, nesting, inner) in of.nested() {
        let value = members.entry(name.to_owned()).or_default();
        match (nesting, value) {
            (Nesting::List | Nesting::Set, value @ Value::Null) if is_block(name) => *value = Value::List(Vec::new()),
            (Nesting::Map, value @ Value::Null) if is_block(name) => *value = Value::Map(BTreeMap::new()),
            (Nesting::Single, value) => complete(inner, value),
            (Nesting::List | Nesting::Set, Value::List(elements)) => elements.iter_mut().for_each(|value| complete(inner, value)),
            (Nesting::Map, Value::Map(elements)) => elements.values_mut().for_each(|value| complete(inner, value)),
            (Nesting::List | Nesting::Set | Nesting::Map, _) => {}
        }
    }
}
