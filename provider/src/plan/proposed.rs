//! The state that Terraform proposes: what is configured, and what was there where the provider may
//! decide.

use upstate::Value;
use upstate::path::PathStep;
use upstate::schema::{Attribute, Block, Nesting, Presence, Shape};

use super::nested::{Members, counterpart, member};
use super::unset::is_filled;

/// The state that Terraform proposes for a configuration; null if the resource is to be deleted.
pub(crate) fn proposed(block: &Block, prior: &Value, config: &Value) -> Value {
    object(Members::Block(block), prior, config)
}

fn object(of: Members<'_>, prior: &Value, config: &Value) -> Value {
    let Value::Map(configured) = config else {
        return config.clone();
    };
    let mut proposed = configured.clone();
    for attribute in of.attributes() {
        let (before, given) = (
            member(prior, attribute.name()),
            member(config, attribute.name()),
        );
        let value = match attribute.shape() {
            _ if is_filled(attribute) && given.is_null() => {
                if was_configured(attribute, before) {
                    Value::Null
                } else {
                    before.clone()
                }
            }
            Shape::Nested(nested) => arranged(
                nested.nesting(),
                Members::Attributes(nested.attributes()),
                before,
                given,
            ),
            Shape::Plain(_) => given.clone(),
        };
        proposed.insert(attribute.name().to_owned(), value);
    }
    if let Members::Block(block) = of {
        for nested in block.blocks() {
            let (before, given) = (member(prior, nested.name()), member(config, nested.name()));
            let value = arranged(
                nested.nesting(),
                Members::Block(nested.block()),
                before,
                given,
            );
            proposed.insert(nested.name().to_owned(), value);
        }
    }
    Value::Map(proposed)
}

/// Elements of lists and maps have the prior ones of the same index or key, those of sets the first
/// that they can have become.
fn arranged(nesting: Nesting, of: Members<'_>, prior: &Value, config: &Value) -> Value {
    let before = |step: PathStep, element: &Value| {
        object(
            of,
            counterpart(nesting, prior, Some(&step), element),
            element,
        )
    };
    match (nesting, config) {
        (Nesting::Single, config) => object(of, prior, config),
        (Nesting::List, Value::List(elements)) => Value::List(
            (0..)
                .zip(elements)
                .map(|(index, element)| before(PathStep::Index(index), element))
                .collect(),
        ),
        (Nesting::Map, Value::Map(elements)) => elements
            .iter()
            .map(|(key, element)| (key.clone(), before(PathStep::Key(key.clone()), element)))
            .collect(),
        (Nesting::Set, Value::List(elements)) => {
            let mut left: Vec<&Value> = prior.as_list().into_iter().flatten().collect();
            let mut element = |config: &Value| {
                let found = left.iter().position(|prior| can_become(of, prior, config));
                let prior = found.map_or(&Value::Null, |found| left.swap_remove(found));
                object(of, prior, config)
            };
            Value::List(elements.iter().map(&mut element).collect())
        }
        (Nesting::List | Nesting::Map | Nesting::Set, _) => config.clone(),
    }
}

/// True if an object that is computed when nothing is configured holds what only a configuration
/// can have said.
fn was_configured(attribute: &Attribute, before: &Value) -> bool {
    fn holds(of: &[Attribute], nesting: Nesting, value: &Value) -> bool {
        let object = |value: &Value| {
            of.iter().any(|attribute| {
                let value = member(value, attribute.name());
                !value.is_null()
                    && (!is_filled(attribute)
                        || match attribute.shape() {
                            Shape::Plain(_) => false,
                            Shape::Nested(nested) => {
                                holds(nested.attributes(), nested.nesting(), value)
                            }
                        })
            })
        };
        match (nesting, value) {
            (Nesting::Single, value) => object(value),
            (Nesting::List | Nesting::Set, Value::List(elements)) => elements.iter().any(object),
            (Nesting::Map, Value::Map(elements)) => elements.values().any(object),
            (Nesting::List | Nesting::Set | Nesting::Map, _) => false,
        }
    }
    match attribute.shape() {
        Shape::Nested(nested) if attribute.presence() != Presence::Computed => {
            holds(nested.attributes(), nested.nesting(), before)
        }
        Shape::Nested(_) | Shape::Plain(_) => false,
    }
}

/// True if the prior object can have been made from this configuration: only what is computed and
/// not configured differs.
fn can_become(of: Members<'_>, prior: &Value, config: &Value) -> bool {
    if prior == config {
        return true;
    }
    let (Value::Map(_), Value::Map(_)) = (prior, config) else {
        return false;
    };
    let plain = |attribute: &Attribute| {
        let (prior, config) = (
            member(prior, attribute.name()),
            member(config, attribute.name()),
        );
        matches!(attribute.shape(), Shape::Nested(_))
            || prior == config
            || is_filled(attribute) && config.is_null()
    };
    let nested = |name: &str, nesting: Nesting, inner: Members<'_>| {
        let (prior, config) = (member(prior, name), member(config, name));
        prior == config
            || match (nesting, prior, config) {
                (Nesting::Single, prior, config) => can_become(inner, prior, config),
                (Nesting::List, Value::List(prior), Value::List(config)) => {
                    prior.len() == config.len()
                        && prior
                            .iter()
                            .zip(config)
                            .all(|(prior, config)| can_become(inner, prior, config))
                }
                (Nesting::Map, Value::Map(prior), Value::Map(config)) => {
                    prior.iter().all(|(key, prior)| {
                        config
                            .get(key)
                            .is_some_and(|config| can_become(inner, prior, config))
                    })
                }
                // Sets inside of sets are not looked into.
                (Nesting::List | Nesting::Map | Nesting::Set, ..) => false,
            }
    };
    of.attributes().iter().all(plain)
        && of
            .nested()
            .all(|(name, nesting, inner)| nested(name, nesting, inner))
}
