//! Schemas on the wire.

use upstate::schema::{Attribute, Block, NestedBlock, Nesting, Presence, Schema, Shape};
use upstate::{AttributePath, Diagnostics};

use crate::diagnostics;
use crate::proto::schema::{v5, v6};

pub(crate) const MARKDOWN: i32 = 1;

fn nesting(nesting: Nesting) -> i32 {
    match nesting {
        Nesting::Single => 1,
        Nesting::List => 2,
        Nesting::Set => 3,
        Nesting::Map => 4,
    }
}

/// The writer of an attribute, as in the protocol.
struct Setters {
    required: bool,
    optional: bool,
    computed: bool,
}

impl Setters {
    fn of(attribute: &Attribute) -> Self {
        // The provider may put a default only into what is announced as computed too.
        let presence = if attribute.has_default() {
            Presence::OptionalComputed
        } else {
            attribute.presence()
        };
        Self {
            required: presence == Presence::Required,
            optional: matches!(presence, Presence::Optional | Presence::OptionalComputed),
            computed: matches!(presence, Presence::Computed | Presence::OptionalComputed),
        }
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The greatest number of blocks. Of one block Terraform wants to hear both numbers: none if it may
/// be missing, 1 if not.
fn counted(nested: &NestedBlock) -> (i64, i64) {
    match nested.nesting() {
        Nesting::Single if nested.min_items() > 0 => (1, 1),
        Nesting::Single => (0, 0),
        Nesting::List | Nesting::Set | Nesting::Map => {
            (signed(nested.min_items()), signed(nested.max_items()))
        }
    }
}

/// Adds the functions that are the same for both protocols but for their messages.
macro_rules! conversions {
    ($version:ident) => {
        pub(crate) fn schema(schema: &Schema, problems: &mut Diagnostics) -> $version::Schema {
            let mut block = block(schema.block(), &AttributePath::new(), problems);
            block.description = schema.description().to_owned();
            block.deprecated = schema.deprecated().is_some();
            block.deprecation_message = schema.deprecated().unwrap_or_default().to_owned();
            $version::Schema {
                version: signed(schema.version()),
                block: Some(block),
            }
        }

        /// The schema of a provider's configuration. It is nothing the provider could set; a
        /// default in it is between the provider and its user.
        pub(crate) fn configuration(
            schema: &Schema,
            problems: &mut Diagnostics,
        ) -> $version::Schema {
            let mut schema = self::schema(schema, problems);
            schema.block.iter_mut().for_each(users_own);
            schema
        }

        fn users_own(block: &mut $version::Block) {
            block.attributes.iter_mut().for_each(users_attribute);
            block
                .block_types
                .iter_mut()
                .filter_map(|nested| nested.block.as_mut())
                .for_each(users_own);
        }

        fn block(
            block: &Block,
            path: &AttributePath,
            problems: &mut Diagnostics,
        ) -> $version::Block {
            let below = |name: &str| path.clone().attribute(name.to_owned());
            $version::Block {
                attributes: block
                    .attributes()
                    .iter()
                    .map(|it| attribute(it, &below(it.name()), problems))
                    .collect(),
                block_types: block
                    .blocks()
                    .iter()
                    .map(|it| nested_block(it, &below(it.name()), problems))
                    .collect(),
                description: block.description().to_owned(),
                description_kind: MARKDOWN,
                deprecated: block.deprecated().is_some(),
                deprecation_message: block.deprecated().unwrap_or_default().to_owned(),
            }
        }

        /// The facts of an attribute in both protocols, which find themselves if it is sensitive.
        fn announced(attribute: &Attribute, r#type: Vec<u8>) -> $version::Attribute {
            let setters = Setters::of(attribute);
            $version::Attribute {
                name: attribute.name().to_owned(),
                r#type,
                description: attribute.description().to_owned(),
                required: setters.required,
                optional: setters.optional,
                computed: setters.computed,
                description_kind: MARKDOWN,
                deprecated: attribute.deprecated().is_some(),
                write_only: attribute.is_write_only(),
                deprecation_message: attribute.deprecated().unwrap_or_default().to_owned(),
                ..$version::Attribute::default()
            }
        }

        fn nested_block(
            nested: &NestedBlock,
            path: &AttributePath,
            problems: &mut Diagnostics,
        ) -> $version::NestedBlock {
            let (min_items, max_items) = counted(nested);
            $version::NestedBlock {
                type_name: nested.name().to_owned(),
                block: Some(block(nested.block(), path, problems)),
                nesting: nesting(nested.nesting()),
                min_items,
                max_items,
            }
        }
    };
}

pub(crate) mod p6 {
    use super::{
        Attribute, AttributePath, Block, Diagnostics, MARKDOWN, NestedBlock, Schema, Setters,
        Shape, counted, nesting, signed, v6,
    };

    conversions!(v6);

    fn users_attribute(attribute: &mut v6::Attribute) {
        attribute.computed = false;
        attribute
            .nested_type
            .iter_mut()
            .flat_map(|nested| &mut nested.attributes)
            .for_each(users_attribute);
    }

    #[expect(
        clippy::only_used_in_recursion,
        reason = "as for protocol 5, which may have problems"
    )]
    fn attribute(
        attribute: &Attribute,
        path: &AttributePath,
        problems: &mut Diagnostics,
    ) -> v6::Attribute {
        let (ty, nested_type) = match attribute.shape() {
            Shape::Plain(ty) => (ty.to_string().into_bytes(), None),
            Shape::Nested(nested) => {
                let below = |name: &str| path.clone().attribute(name.to_owned());
                let attributes = nested
                    .attributes()
                    .iter()
                    .map(|it| self::attribute(it, &below(it.name()), problems))
                    .collect();
                (
                    Vec::new(),
                    Some(v6::Object {
                        attributes,
                        nesting: nesting(nested.nesting()),
                    }),
                )
            }
        };
        v6::Attribute {
            sensitive: attribute.is_sensitive(),
            nested_type,
            ..announced(attribute, ty)
        }
    }
}

pub(crate) mod p5 {
    use super::{
        Attribute, AttributePath, Block, Diagnostics, MARKDOWN, NestedBlock, Schema, Setters,
        Shape, counted, diagnostics, nesting, signed, v5,
    };

    conversions!(v5);

    fn users_attribute(attribute: &mut v5::Attribute) {
        attribute.computed = false;
    }

    /// Protocol 5 has no nested attributes: they are announced as values of an object type, if
    /// nothing is lost by that.
    fn attribute(
        attribute: &Attribute,
        path: &AttributePath,
        problems: &mut Diagnostics,
    ) -> v5::Attribute {
        let setters = Setters::of(attribute);
        let settable = setters.required || setters.optional;
        let mut sensitive = attribute.is_sensitive();
        if let Shape::Nested(nested) = attribute.shape() {
            for inner in nested.attributes() {
                flatten(
                    inner,
                    &path.clone().attribute(inner.name().to_owned()),
                    settable,
                    &mut sensitive,
                    problems,
                );
            }
        }
        v5::Attribute {
            sensitive,
            ..announced(attribute, attribute.implied_type().to_string().into_bytes())
        }
    }

    /// Notes what of a nested attribute its parent has to say instead, and what nothing can say.
    fn flatten(
        inner: &Attribute,
        path: &AttributePath,
        settable: bool,
        sensitive: &mut bool,
        problems: &mut Diagnostics,
    ) {
        *sensitive |= inner.is_sensitive();
        let setters = Setters::of(inner);
        let lost = if inner.is_write_only() {
            Some("write-only")
        } else if setters.computed && settable {
            Some("computed")
        } else {
            None
        };
        if let Some(lost) = lost {
            let detail = format!(
                "The attribute {path} is {lost}, which plugin protocol 5 can't say of an attribute inside another one; authors make it a block."
            );
            problems.push(diagnostics::needs_protocol_6(detail).at(path.clone()));
        }
        if let Shape::Nested(nested) = inner.shape() {
            for deeper in nested.attributes() {
                flatten(
                    deeper,
                    &path.clone().attribute(deeper.name().to_owned()),
                    settable,
                    sensitive,
                    problems,
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use upstate::schema::{Field, Nested, Type};

    use super::*;

    fn attribute(presence: Presence) -> Attribute {
        Attribute::new("port", Type::Number, presence)
    }

    #[test]
    fn a_default_is_announced_as_optional_and_computed() {
        let schema = Schema::new(
            3,
            Block::new([attribute(Presence::Optional)
                .with_default("8080")
                .sensitive()]),
        );
        let wire = p6::schema(&schema, &mut Diagnostics::new());
        assert_eq!(wire.version, 3);
        let port = &wire.block.unwrap().attributes[0];
        assert!(port.optional && port.computed && port.sensitive && !port.required);
        assert_eq!(port.r#type, b"\"number\"");
    }

    #[test]
    fn nothing_in_a_configuration_is_computed_at_any_depth() {
        let port = || attribute(Presence::Optional).with_default("1");
        let racks = Attribute::nested(
            "racks",
            Nested::new(Nesting::Map, vec![port()]),
            Presence::Optional,
        );
        let shelf = NestedBlock::new("shelf", Nesting::Single, Block::new([port()]));
        let schema = Schema::new(0, Block::new([port(), racks]).with_blocks([shelf]));
        let wire = p6::configuration(&schema, &mut Diagnostics::new())
            .block
            .unwrap();
        let nested = wire
            .attributes
            .iter()
            .filter_map(|it| it.nested_type.as_ref())
            .flat_map(|nested| &nested.attributes);
        let inside = wire
            .block_types
            .iter()
            .filter_map(|it| it.block.as_ref())
            .flat_map(|block| &block.attributes);
        let computed = wire
            .attributes
            .iter()
            .chain(nested)
            .chain(inside)
            .map(|it| it.computed)
            .collect::<Vec<_>>();
        assert_eq!(computed, [false; 4]);
    }

    #[test]
    fn of_one_block_both_numbers_are_announced() {
        let door = |min| NestedBlock::new("door", Nesting::Single, Block::new([])).items(min, 1);
        assert_eq!([counted(&door(0)), counted(&door(1))], [(0, 0), (1, 1)]);
        let list = NestedBlock::new("door", Nesting::List, Block::new([])).items(1, 3);
        assert_eq!(counted(&list), (1, 3));
    }

    #[test]
    fn nested_attributes_are_an_object_type_in_protocol_5() {
        let inner = vec![attribute(Presence::Required).sensitive()];
        let racks = Attribute::nested(
            "racks",
            Nested::new(Nesting::List, inner),
            Presence::Optional,
        );
        let schema = Schema::new(0, Block::new([racks]));
        let mut problems = Diagnostics::new();
        let old = p5::schema(&schema, &mut problems)
            .block
            .unwrap()
            .attributes
            .remove(0);
        assert!(problems.is_empty());
        assert!(old.sensitive);
        let object = Type::list(Type::object([Field::new("port", Type::Number)]));
        assert_eq!(old.r#type, object.to_string().into_bytes());
        let new = p6::schema(&schema, &mut problems)
            .block
            .unwrap()
            .attributes
            .remove(0);
        assert!(!new.sensitive && new.r#type.is_empty());
        assert!(new.nested_type.unwrap().attributes[0].sensitive);
    }

    #[test]
    fn what_protocol_5_cannot_say_is_refused() {
        let inner = vec![attribute(Presence::Optional).with_default("1")];
        let racks = Attribute::nested(
            "racks",
            Nested::new(Nesting::Map, inner),
            Presence::Optional,
        );
        let mut problems = Diagnostics::new();
        p5::schema(&Schema::new(0, Block::new([racks])), &mut problems);
        let problem = problems.iter().next().unwrap();
        assert_eq!(problem.summary(), "Schema Needs Protocol 6");
        assert!(
            problem
                .detail()
                .starts_with("The attribute racks.port is computed"),
            "{problem}"
        );
    }
}
