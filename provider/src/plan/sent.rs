//! Values as Terraform sends them.

use std::collections::BTreeMap;

use upstate::Value;
use upstate::schema::{Nesting, Type};

use super::nested::Members;

/// Puts the elements of sets in an order of their own, at any depth, as Terraform does before it
/// sends them: equal sets are sent in the same way, wherever they come from. Terraform's order is
/// another one.
pub(crate) fn arrange(value: &mut Value, ty: &Type) {
    match (value, ty) {
        (Value::List(elements), Type::Set(ty)) => {
            for value in elements.iter_mut() {
                arrange(value, ty);
            }
            elements.sort_by_cached_key(ToString::to_string);
        }
        (Value::List(elements), Type::List(ty)) => {
            for value in elements {
                arrange(value, ty);
            }
        }
        (Value::List(elements), Type::Tuple(types)) => {
            for (value, ty) in elements.iter_mut().zip(types.iter()) {
                arrange(value, ty);
            }
        }
        (Value::Map(elements), Type::Map(ty)) => {
            for value in elements.values_mut() {
                arrange(value, ty);
            }
        }
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

/// Puts in the blocks that are not there: Terraform has an empty collection for them, never null.
pub(crate) fn complete(of: Members<'_>, value: &mut Value) {
    let Some(members) = value.as_map_mut() else {
        return;
    };
    let is_block = |name: &str| match of {
        Members::Block(block) => block.blocks().iter().any(|block| block.name() == name),
        Members::Attributes(_) => false,
    };
    for (name, nesting, inner) in of.nested() {
        let value = members.entry(name.to_owned()).or_default();
        match (nesting, value) {
            (Nesting::List | Nesting::Set, value @ Value::Null) if is_block(name) => {
                *value = Value::List(Vec::new());
            }
            (Nesting::Map, value @ Value::Null) if is_block(name) => {
                *value = Value::Map(BTreeMap::new());
            }
            (Nesting::Single, value) => complete(inner, value),
            (Nesting::List | Nesting::Set, Value::List(elements)) => {
                for value in elements {
                    complete(inner, value);
                }
            }
            (Nesting::Map, Value::Map(elements)) => elements
                .values_mut()
                .for_each(|value| complete(inner, value)),
            (Nesting::List | Nesting::Set | Nesting::Map, _) => {}
        }
    }
}
