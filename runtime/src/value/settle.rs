//! The demands of a schema on a value beyond its type: nothing write-only is stored, and a null
//! block means that there is none.

use std::collections::BTreeMap;

use super::Value;
use crate::schema::{Attribute, Block, Members, NestedBlock, Nesting, Node, Shape};

impl Block {
    /// Makes the values of write-only attributes null, at any depth, and null blocks that are
    /// collections empty.
    pub(crate) fn settle(&self, value: &mut Value) {
        let Value::Map(members) = value else { return };
        settle_attributes(self.attributes(), members);
        for nested in self.blocks() {
            settle_block(nested, members);
        }
    }
}

impl Members<'_> {
    /// Settles the one attribute or block of this name.
    pub(crate) fn settle_one(self, name: &str, members: &mut BTreeMap<String, Value>) {
        match self.get(name) {
            Some(Node::Attribute(attribute)) => {
                settle_attributes(std::slice::from_ref(attribute), members);
            }
            Some(Node::Block(block)) => settle_block(block, members),
            None => {}
        }
    }
}

fn settle_block(nested: &NestedBlock, members: &mut BTreeMap<String, Value>) {
    let settle = |value: &mut Value| nested.block().settle(value);
    match (
        nested.nesting(),
        members.entry(nested.name().to_owned()).or_default(),
    ) {
        (Nesting::List | Nesting::Set, value @ Value::Null) => *value = Value::List(Vec::new()),
        (Nesting::Map, value @ Value::Null) => *value = Value::Map(BTreeMap::new()),
        (nesting, value) => each(nesting, value, settle),
    }
}

fn settle_attributes(attributes: &[Attribute], members: &mut BTreeMap<String, Value>) {
    for attribute in attributes {
        let Some(value) = members.get_mut(attribute.name()) else {
            continue;
        };
        if attribute.is_write_only() {
            *value = Value::Null;
        } else if let Shape::Nested(nested) = attribute.shape() {
            each(nested.nesting(), value, |object| {
                if let Value::Map(members) = object {
                    settle_attributes(nested.attributes(), members);
                }
            });
        }
    }
}

/// Does something with each object of an arrangement.
fn each(nesting: Nesting, value: &mut Value, mut object: impl FnMut(&mut Value)) {
    match (nesting, value) {
        (Nesting::Single, value) => object(value),
        (Nesting::List | Nesting::Set, Value::List(list)) => list.iter_mut().for_each(object),
        (Nesting::Map, Value::Map(map)) => map.values_mut().for_each(object),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Nested, Presence, Type};

    #[test]
    fn write_only_values_are_null_and_null_blocks_empty_at_any_depth() {
        let pin = || Attribute::new("pin", Type::String, Presence::Optional).write_only();
        let drawer = NestedBlock::new("drawer", Nesting::List, Block::new([pin()]));
        let inner = Block::new([Attribute::nested(
            "safe",
            Nested::new(Nesting::Map, vec![pin()]),
            Presence::Optional,
        )]);
        let block = Block::new([pin()])
            .with_blocks([drawer, NestedBlock::new("room", Nesting::Single, inner)]);
        let schema = block.implied_type();
        let read = |json: &str| {
            Value::from_json(
                json.as_bytes(),
                &schema,
                crate::codec::UnknownAttributes::Deny,
            )
            .unwrap()
        };
        let mut value = read(
            r#"{"pin": "1", "drawer": [{"pin": "2"}], "room": {"safe": {"a": {"pin": "3"}, "b": null}}}"#,
        );
        block.settle(&mut value);
        assert_eq!(
            value,
            read(
                r#"{"pin": null, "drawer": [{"pin": null}], "room": {"safe": {"a": {"pin": null}, "b": null}}}"#
            )
        );
        let mut nothing = read("{}");
        block.settle(&mut nothing);
        assert_eq!(nothing, read(r#"{"drawer": []}"#));
    }
}
