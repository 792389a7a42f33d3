//! What of a value that operators made the fields of its model do not take, though its schema does. Looked for only once an upgrade has
//! failed.

use crate::codec::AttributeType;
use crate::codec::json::Reader;
use crate::path::PathStep;
use crate::schema::{Holds, Members, Nesting, Node, Presence, Shape, Takes, Type};
use crate::value::{Number, Value};

/// A value that a field does not take.
pub(in crate::upgrade) struct Misfit<'v> {
    pub(in crate::upgrade) path: Vec<PathStep>,
    pub(in crate::upgrade) value: &'v Value,
    /// What is wrong with it.
    pub(in crate::upgrade) problem: String,
}

/// All of them. What is unknown was not made.
pub(in crate::upgrade) fn misfits<'v>(made: &'v Value, members: Members<'_>) -> Vec<Misfit<'v>> {
    let mut found = Vec::new();
    object(made, members, &mut Vec::new(), &mut found);
    found
}

fn object<'v>(value: &'v Value, members: Members<'_>, path: &mut Vec<PathStep>, found: &mut Vec<Misfit<'v>>) {
    let Value::Map(object) = value else { return };
    let mut names: Vec<&str> = members.names().collect();
    names.sort_unstable();
    for name in names {
        let Some(value) = object.get(name) else {
            // Only in a document. A member may be absent if it has a default, or is of a part that may be.
            if let Some(Node::Attribute(attribute)) = members.get(name)
                && attribute.presence() == Presence::Required
                && !attribute.is_filled_in()
                && !attribute.is_nullable()
            {
                path.push(PathStep::Attribute(name.to_owned().into()));
                found.push(Misfit { path: path.clone(), value: &Value::Null, problem: "expected a value".to_owned() });
                path.pop();
            }
            continue;
        };
        path.push(PathStep::Attribute(name.to_owned().into()));
        match members.get(name) {
            Some(Node::Attribute(attribute)) if !attribute.is_write_only() && !attribute.aside().holds.lenient => {
                let holds = &attribute.aside().holds;
                match attribute.shape() {
                    Shape::Plain(ty) => plain(value, holds, ty, path, found),
                    Shape::Nested(nested) => {
                        arranged(value, holds, nested.members(), nested.nesting(), path, found);
                    }
                }
            }
            Some(Node::Block(block)) if !block.aside().holds.lenient => {
                arranged(value, &Holds::ANYTHING.or_null(), block.block().members(), block.nesting(), path, found);
            }
            Some(Node::Attribute(_) | Node::Block(_)) | None => {}
        }
        path.pop();
    }
}

/// Notes a null that is not taken, and says whether the value is one.
fn is_null<'v>(value: &'v Value, holds: &Holds, path: &[PathStep], found: &mut Vec<Misfit<'v>>) -> bool {
    if value.is_null() && !holds.nullable {
        found.push(Misfit { path: path.to_vec(), value, problem: "expected a value".to_owned() });
    }
    value.is_null()
}

fn arranged<'v>(
    value: &'v Value,
    holds: &Holds,
    members: Members<'_>,
    nesting: Nesting,
    path: &mut Vec<PathStep>,
    found: &mut Vec<Misfit<'v>>,
) {
    if is_null(value, holds, path, found) {
        return;
    }
    if nesting == Nesting::Single {
        return object(value, members, path, found);
    }
    let element = holds.elements.unwrap_or(&Holds::ANYTHING);
    each(value, nesting == Nesting::Set, path, &mut |value, _, path| {
        if !is_null(value, element, path, found) {
            object(value, members, path, found);
        }
    });
}

fn plain<'v>(value: &'v Value, holds: &Holds, ty: &Type, path: &mut Vec<PathStep>, found: &mut Vec<Misfit<'v>>) {
    if holds.lenient || is_null(value, holds, path, found) {
        return;
    }
    match (ty, holds.takes, holds.elements) {
        (Type::List(inner) | Type::Set(inner) | Type::Map(inner), _, Some(element)) => {
            let in_set = matches!(ty, Type::Set(_));
            each(value, in_set, path, &mut |value, _, path| plain(value, element, inner, path, found));
        }
        (Type::Tuple(types), Takes::Tuples(elements), _) => each(value, false, path, &mut |value, index, path| {
            if let (Some(ty), Some(element)) = (types.get(index), elements.get(index)) {
                plain(value, element, ty, path, found);
            }
        }),
        (Type::Number | Type::String, takes, _) => {
            found.extend(problem(value, takes).map(|problem| Misfit { path: path.clone(), value, problem }));
        }
        _ => {}
    }
}

/// Does something at each element or entry.
fn each<'v>(
    value: &'v Value,
    in_set: bool,
    path: &mut Vec<PathStep>,
    look: &mut dyn FnMut(&'v Value, usize, &mut Vec<PathStep>),
) {
    match value {
        Value::List(list) => {
            for (index, value) in list.iter().enumerate() {
                path.push(if in_set { PathStep::Element(None) } else { PathStep::Index(index as u64) });
                look(value, index, path);
                path.pop();
            }
        }
        Value::Map(map) => {
            for (index, (key, value)) in map.iter().enumerate() {
                path.push(PathStep::Key(key.clone()));
                look(value, index, path);
                path.pop();
            }
        }
        Value::Null | Value::Unknown | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Dynamic(_) => {}
    }
}

/// Why a scalar is not one of those that are taken; nothing if it is.
fn problem(value: &Value, takes: Takes) -> Option<String> {
    match (value, takes) {
        (Value::Number(number), Takes::Integers { min, max }) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            let fits = whole.is_some_and(|whole| min <= whole && whole <= max);
            (!fits).then(|| format!("expected a whole number from {min} to {max}"))
        }
        (Value::Number(number), Takes::Floats) => is_float(number).err(),
        (Value::String(text), Takes::Texts(texts)) if !texts.contains(&text.as_str()) => {
            let known: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
            Some(format!("expected one of {}", known.join(", ")))
        }
        _ => None,
    }
}

/// Whether a 64-bit float holds it, by the decoder of floats.
fn is_float(number: &Number) -> Result<(), String> {
    let text = number.to_string();
    f64::decode(&mut Reader::new(&text)).map(drop).map_err(|error| error.problem())
}
