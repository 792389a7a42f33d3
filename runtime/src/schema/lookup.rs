//! Finding what a schema says about a path.

use super::{Attribute, Nesting, Shape, Type};
use crate::path::PathStep;

/// What stands at a path: an attribute of its own, or a value inside one.
enum At<'s> {
    Objects(&'s [Attribute], Nesting),
    Object(&'s [Attribute]),
    Type(&'s Type),
}

impl Type {
    /// Whether the value at `steps` is a map.
    pub(crate) fn is_map_at(&self, steps: &[PathStep]) -> bool {
        matches!(descend(At::Type(self), steps), Some(At::Type(Type::Map(_)) | At::Objects(_, Nesting::Map)))
    }
}

/// Whether the value at `steps` inside an object with these attributes is a map.
pub(crate) fn is_map_at(attributes: &[Attribute], steps: &[PathStep]) -> bool {
    matches!(descend(At::Object(attributes), steps), Some(At::Type(Type::Map(_)) | At::Objects(_, Nesting::Map)))
}

fn descend<'s>(mut at: At<'s>, steps: &[PathStep]) -> Option<At<'s>> {
    for step in steps {
        at = match (at, step) {
            (At::Object(attributes), PathStep::Attribute(name)) => {
                match attributes.iter().find(|attribute| attribute.name() == name)?.shape() {
                    Shape::Plain(ty) => At::Type(ty),
                    Shape::Nested(nested) if nested.nesting() == Nesting::Single => At::Object(nested.attributes()),
                    Shape::Nested(nested) => At::Objects(nested.attributes(), nested.nesting()),
                }
            }
            (At::Objects(attributes, _), PathStep::Index(_) | PathStep::Key(_)) => At::Object(attributes),
            (At::Type(Type::List(element) | Type::Set(element)), PathStep::Index(_))
            | (At::Type(Type::Map(element)), PathStep::Key(_)) => At::Type(element),
            (At::Type(Type::Tuple(types)), PathStep::Index(index)) => At::Type(types.get(usize::try_from(*index).ok()?)?),
            (At::Type(Type::Object(fields)), PathStep::Attribute(name)) => {
                At::Type(fields.iter().find(|field| field.name() == name)?.ty())
            }
            _ => return None,
        };
    }
    Some(at)
}
