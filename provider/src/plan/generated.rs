//! A configuration worked out from a state: what `-generate-config-out` writes.

use std::convert::Infallible;
use std::fmt;

use upstate::codec::UnknownAttributes;
use upstate::schema::{Attribute, Block, Presence, Type};
use upstate::{Object, Value};

use super::fill;
use super::nested::{Members, each_nested, member};

/// What of a state a user could have written: without what only the provider sets, what is deprecated or write-only, and what is a default.
pub(crate) fn configuration_of(block: &Block, state: &Value) -> Value {
    let mut config = state.clone();
    members(Members::Block(block), &mut config);
    config
}

fn members(of: Members<'_>, config: &mut Value) {
    if let Some(values) = config.as_map_mut() {
        for attribute in of.attributes() {
            if let Some(value) = values.get_mut(attribute.name()).filter(|value| !is_written(attribute, value)) {
                *value = Value::Null;
            }
        }
    }
    let Ok(()) = each_nested(of, &Value::Null, config, |_, inner, _, element| {
        members(inner, element);
        Ok::<(), Infallible>(())
    });
}

/// Whether a user would write the attribute to get this value.
fn is_written(attribute: &Attribute, value: &Value) -> bool {
    let default = attribute.default_json();
    let computed_id = attribute.name() == "id" && attribute.presence() == Presence::OptionalComputed;
    // A required one has to be there, whatever else it is.
    attribute.presence() == Presence::Required
        || !(attribute.presence() == Presence::Computed && default.is_none()
            || computed_id
            || attribute.deprecated().is_some()
            || attribute.is_write_only()
            || default.is_some_and(|json| is_default(attribute, &json, value)))
}

fn is_default(attribute: &Attribute, json: &str, value: &Value) -> bool {
    Value::from_json(json.as_bytes(), &attribute.implied_type(), UnknownAttributes::Deny).is_ok_and(|default| default == *value)
}

/// The configuration that Terraform is about to write for a resource of model `T` that was found or imported, to be adjusted.
///
/// Everything that only the provider sets is left out of it already, and so is what is deprecated, write-only or a default.
///
/// ```
/// use upstate::Resource;
/// use upstate_provider::GeneratedConfig;
///
/// #[derive(Resource)]
/// struct Boat {
///     /// Give this or `length_in_feet`.
///     length: Option<f64>,
///     length_in_feet: Option<f64>,
/// }
///
/// /// The state has both; a configuration has one.
/// fn generate_config(config: &mut GeneratedConfig<Boat>) {
///     if !config.get("length").is_null() {
///         config.unset("length_in_feet");
///     }
/// }
/// ```
pub struct GeneratedConfig<T> {
    config: Value,
    state: Value,
    ty: Type,
    model: std::marker::PhantomData<fn() -> T>,
}

impl<T: Object> GeneratedConfig<T> {
    pub(crate) fn new(state: Value, config: Value, ty: Type) -> Self {
        Self { config, state, ty, model: std::marker::PhantomData }
    }

    pub(crate) fn into_value(self) -> Value {
        self.config
    }

    /// The state that the configuration is for, if it fits the model.
    pub fn state(&self) -> Option<T> {
        fill(&self.state, &self.ty).ok().map(|filled| filled.model)
    }

    /// The configured value of an attribute: null if there is none.
    pub fn get(&self, attribute: &str) -> &Value {
        member(&self.config, attribute)
    }

    /// Writes this value for an attribute.
    pub fn set(&mut self, attribute: &str, value: impl Into<Value>) {
        if let Some(members) = self.config.as_map_mut() {
            members.insert(attribute.to_owned(), value.into());
        }
    }

    /// Leaves an attribute out.
    pub fn unset(&mut self, attribute: &str) {
        self.set(attribute, Value::Null);
    }
}

/// Says nothing of the values: they may be secrets.
impl<T> fmt::Debug for GeneratedConfig<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeneratedConfig").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use upstate::schema::{Nested, Nesting};

    use super::*;

    #[test]
    fn what_a_user_would_not_write_is_left_out_at_every_depth() {
        let text = |name: &'static str, presence| Attribute::new(name, Type::String, presence);
        let inner = || {
            vec![
                text("given", Presence::Optional),
                text("made", Presence::Computed),
                text("usual", Presence::Optional).with_default("\"u\""),
            ]
        };
        let block = Block::new(
            [
                text("id", Presence::OptionalComputed),
                text("either", Presence::OptionalComputed),
                text("old", Presence::Optional).deprecate("use another"),
                Attribute::nested("inside", Nested::new(Nesting::List, inner()), Presence::Optional),
            ]
            .into_iter()
            .chain(inner()),
        );
        let state = br#"{"id": "i", "either": "e", "old": "o", "given": "g", "made": "m", "usual": "u",
            "inside": [{"given": "g", "made": "m", "usual": "u"}, {"given": null, "made": "m", "usual": "v"}]}"#;
        let config = configuration_of(&block, &Value::from_untyped_json(state).unwrap());
        let expected = br#"{"id": null, "either": "e", "old": null, "given": "g", "made": null, "usual": null,
            "inside": [{"given": "g", "made": null, "usual": null}, {"given": null, "made": null, "usual": "v"}]}"#;
        assert_eq!(config, Value::from_untyped_json(expected).unwrap());
    }
}
