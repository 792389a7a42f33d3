//! A configuration worked out from a state: what `-generate-config-out` writes.

use std::convert::Infallible;
use std::fmt;

use upstate::codec::UnknownAttributes;
use upstate::schema::{Attribute, Block, Presence, Type};
use upstate::{AttributePath, Object, Value};

use super::fill_stored;
use super::nested::{Members, at, each_nested, place};

/// The part of a state that a user could have written: without what only the provider sets, what is
/// deprecated or write-only, and what is a default.
pub(crate) fn configuration_of(block: &Block, state: &Value) -> Value {
    let mut config = state.clone();
    members(Members::Block(block), &mut config);
    config
}

fn members(of: Members<'_>, config: &mut Value) {
    if let Some(values) = config.as_map_mut() {
        for attribute in of.attributes() {
            if let Some(value) = values
                .get_mut(attribute.name())
                .filter(|value| !is_written(attribute, value))
            {
                *value = Value::Null;
            }
        }
    }
    let Ok(()) = each_nested(of, &Value::Null, config, |_, inner, _, element| {
        members(inner, element);
        Ok::<(), Infallible>(())
    });
}

/// True if a user would write the attribute to get this value.
fn is_written(attribute: &Attribute, value: &Value) -> bool {
    let default = attribute.default_json();
    let computed_id =
        attribute.name() == "id" && attribute.presence() == Presence::OptionalComputed;
    // A required one has to be there, whatever else it is.
    attribute.presence() == Presence::Required
        || !(attribute.presence() == Presence::Computed && default.is_none()
            || computed_id
            || attribute.deprecated().is_some()
            || attribute.is_write_only()
            || default.is_some_and(|json| is_default(attribute, &json, value)))
}

fn is_default(attribute: &Attribute, json: &str, value: &Value) -> bool {
    Value::from_json(
        json.as_bytes(),
        &attribute.implied_type(),
        UnknownAttributes::Deny,
    )
    .is_ok_and(|default| default == *value)
}

/// The configuration that Terraform is about to write for a resource of model `T` that was found or
/// imported, to be adjusted.
///
/// Everything that only the provider sets is left out of it already, and so is what is deprecated,
/// write-only or a default.
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
///
/// Values in a list, a map, a nested object or a block have a path, as in a [plan](crate::Planned);
/// elements of a set have none:
///
/// ```
/// # use upstate_provider::GeneratedConfig;
/// use upstate::{AttributePath, Object, Resource};
///
/// #[derive(Resource)]
/// struct Wall {
///     #[block]
///     rule: Vec<Rule>,
/// }
///
/// #[derive(Object)]
/// struct Rule {
///     /// Give this or `service`.
///     port: Option<u16>,
///     service: Option<String>,
/// }
///
/// fn generate_config(config: &mut GeneratedConfig<Wall>) {
///     let rules = config.get("rule").as_list().map_or(0, <[_]>::len);
///     for rule in (0..).take(rules).map(|index| AttributePath::from("rule").index(index)) {
///         if !config.get(rule.clone().attribute("service")).is_null() {
///             config.unset(rule.attribute("port"));
///         }
///     }
/// }
/// ```
pub struct GeneratedConfig<T> {
    config: Value,
    state: Value,
    ty: Type,
    misplaced: Vec<AttributePath>,
    model: std::marker::PhantomData<fn() -> T>,
}

impl<T: Object> GeneratedConfig<T> {
    pub(crate) fn new(state: Value, config: Value, ty: Type) -> Self {
        Self {
            config,
            state,
            ty,
            misplaced: Vec::new(),
            model: std::marker::PhantomData,
        }
    }

    /// The configuration, and the paths that were written and do not exist.
    pub(crate) fn into_parts(self) -> (Value, Vec<AttributePath>) {
        (self.config, self.misplaced)
    }

    /// The state that the configuration is for, if it fits the model.
    pub fn state(&self) -> Option<T> {
        fill_stored(&self.state, &self.ty)
            .ok()
            .map(|filled| filled.model)
    }

    /// The configured value of an attribute, by its name or by its path: null if there is none.
    pub fn get(&self, attribute: impl Into<AttributePath>) -> &Value {
        at(&self.config, &attribute.into())
    }

    /// Writes this value for an attribute. A value for an attribute or element that does not exist
    /// is refused.
    pub fn set(&mut self, attribute: impl Into<AttributePath>, value: impl Into<Value>) {
        let path = attribute.into();
        match place(&mut self.config, &path) {
            Some(place) => *place = value.into(),
            None => self.misplaced.push(path),
        }
    }

    /// Leaves an attribute out.
    pub fn unset(&mut self, attribute: impl Into<AttributePath>) {
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
                Attribute::nested(
                    "inside",
                    Nested::new(Nesting::List, inner()),
                    Presence::Optional,
                ),
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

    #[derive(upstate::Object)]
    struct Wall {
        owner: Option<Owner>,
        #[block]
        rule: Vec<Owner>,
    }

    #[derive(upstate::Object)]
    struct Owner {
        name: Option<String>,
    }

    #[test]
    fn what_is_nested_has_a_path_and_what_is_nowhere_is_noted() {
        let json = br#"{"owner":{"name":"a"},"rule":[{"name":"b"},{"name":"c"}]}"#;
        let ty = upstate::schema::Schema::of::<Wall>().implied_type();
        let state = Value::from_json(json, &ty, UnknownAttributes::Deny).unwrap();
        let mut config = GeneratedConfig::<Wall>::new(state.clone(), state, ty);
        let rule = |index| AttributePath::from("rule").index(index).attribute("name");
        assert_eq!(config.get(rule(1)).as_str(), Some("c"));
        assert!(config.get(rule(2)).is_null());
        config.unset(rule(0));
        config.set(AttributePath::from("owner").attribute("name"), "d");
        config.set(rule(2), "e");
        config.unset("onwer");
        assert_eq!(config.state().unwrap().rule.len(), 2);
        let (config, misplaced) = config.into_parts();
        let expected = br#"{"owner":{"name":"d"},"rule":[{"name":null},{"name":"c"}]}"#;
        assert_eq!(config, Value::from_untyped_json(expected).unwrap());
        assert_eq!(misplaced, [rule(2), AttributePath::from("onwer")]);
    }
}
