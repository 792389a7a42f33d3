//! Misfits: what the fields of a model do not take of a value that operators made, though its
//! schema does. They are looked for only once an upgrade has failed.

use super::faults::is_needed;
use crate::codec::json::Reader;
use crate::codec::{AttributeType, one_of};
use crate::path::PathStep;
use crate::schema::{Holds, Members, Nesting, Node, Schema, Shape, Takes, Type};
use crate::value::{Number, Value};

/// A value that a field does not take.
pub(in crate::upgrade) struct Misfit<'v> {
    pub(in crate::upgrade) path: Vec<PathStep>,
    pub(in crate::upgrade) value: &'v Value,
    /// The problem with the value.
    pub(in crate::upgrade) problem: String,
}

/// All of them. What is unknown was not made.
pub(in crate::upgrade) fn misfits<'v>(made: &'v Value, schema: &Schema) -> Vec<Misfit<'v>> {
    let mut search = Search {
        in_document: schema.is_document(),
        found: Vec::new(),
    };
    search.object(made, schema.block().members(), &mut Vec::new());
    search.found
}

struct Search<'v> {
    /// Values of documents are read by other rules.
    in_document: bool,
    found: Vec<Misfit<'v>>,
}

impl<'v> Search<'v> {
    fn note(&mut self, path: &[PathStep], value: &'v Value, problem: String) {
        self.found.push(Misfit {
            path: path.to_vec(),
            value,
            problem,
        });
    }

    fn object(&mut self, value: &'v Value, members: Members<'_>, path: &mut Vec<PathStep>) {
        let Value::Map(object) = value else { return };
        let mut names: Vec<&str> = members.names().collect();
        names.sort_unstable();
        for name in names {
            path.push(PathStep::Attribute(name.to_owned().into()));
            match (object.get(name), members.get(name)) {
                (Some(value), Some(Node::Attribute(attribute))) => {
                    let holds = &attribute.aside().holds;
                    match attribute.shape() {
                        _ if attribute.is_write_only() || holds.lenient => {}
                        Shape::Plain(ty) => self.plain(value, holds, ty, path),
                        Shape::Nested(nested) => {
                            self.arranged(value, holds, nested.members(), nested.nesting(), path);
                        }
                    }
                }
                (Some(value), Some(Node::Block(block))) if !block.aside().holds.lenient => {
                    self.arranged(
                        value,
                        &Holds::ANYTHING.or_null(),
                        block.block().members(),
                        block.nesting(),
                        path,
                    );
                }
                // A value of a resource has all members.
                (None, Some(Node::Attribute(attribute))) if is_needed(attribute, true) => {
                    self.note(path, &Value::Null, "expected a value".to_owned());
                }
                (Some(_) | None, Some(Node::Attribute(_) | Node::Block(_)) | None) => {}
            }
            path.pop();
        }
    }

    /// Notes a null that is not taken, and says whether the value is one.
    fn is_null(&mut self, value: &'v Value, holds: &Holds, path: &[PathStep]) -> bool {
        if value.is_null() && !holds.nullable {
            self.note(path, value, "expected a value".to_owned());
        }
        value.is_null()
    }

    fn arranged(
        &mut self,
        value: &'v Value,
        holds: &Holds,
        members: Members<'_>,
        nesting: Nesting,
        path: &mut Vec<PathStep>,
    ) {
        if self.is_null(value, holds, path) {
            return;
        }
        if nesting == Nesting::Single {
            return self.object(value, members, path);
        }
        let element = holds.elements.unwrap_or(&Holds::ANYTHING);
        each(
            value,
            nesting == Nesting::Set,
            path,
            &mut |value, _, path| {
                if !self.is_null(value, element, path) {
                    self.object(value, members, path);
                }
            },
        );
    }

    fn plain(&mut self, value: &'v Value, holds: &Holds, ty: &Type, path: &mut Vec<PathStep>) {
        if holds.lenient || self.is_null(value, holds, path) {
            return;
        }
        match (ty, holds.takes, holds.elements) {
            (Type::List(inner) | Type::Set(inner) | Type::Map(inner), _, Some(element)) => {
                let in_set = matches!(ty, Type::Set(_));
                each(value, in_set, path, &mut |value, _, path| {
                    self.plain(value, element, inner, path);
                });
            }
            (Type::Tuple(types), Takes::Tuples(elements), _) => {
                each(value, false, path, &mut |value, index, path| {
                    if let (Some(ty), Some(element)) = (types.get(index), elements.get(index)) {
                        self.plain(value, element, ty, path);
                    }
                });
            }
            (Type::Number | Type::String, takes, _) => {
                if let Some(problem) = problem(value, takes, self.in_document) {
                    self.note(path, value, problem);
                }
            }
            _ => {}
        }
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
                path.push(if in_set {
                    PathStep::Element(None)
                } else {
                    PathStep::Index(index as u64)
                });
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
        Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Dynamic(_) => {}
    }
}

/// The reason that a scalar is not one of those that are taken; nothing if it is.
fn problem(value: &Value, takes: Takes, in_document: bool) -> Option<String> {
    match (value, takes) {
        (Value::Number(number), Takes::Integers { min, max }) => {
            let whole = number
                .as_i64()
                .map(i128::from)
                .or_else(|| number.as_u64().map(i128::from));
            let fits = whole.is_some_and(|whole| min <= whole && whole <= max);
            (!fits).then(|| format!("expected a whole number from {min} to {max}"))
        }
        (Value::Number(number), Takes::Floats) => is_float(number, in_document).err(),
        (Value::String(text), Takes::Texts(texts)) if !texts.contains(&text.as_str()) => {
            Some(format!("expected {}", one_of(texts)))
        }
        _ => None,
    }
}

/// Checks that a 64-bit float holds the number, by the decoder of floats.
fn is_float(number: &Number, in_document: bool) -> Result<(), String> {
    let text = number.to_string();
    let mut reader = Reader::new(&text);
    if in_document {
        reader.read_exactly();
    }
    f64::decode(&mut reader)
        .map(drop)
        .map_err(|error| error.problem())
}
