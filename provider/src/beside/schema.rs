//! Schemas as they come from the wire, in both protocols.

use upstate::schema::{Attribute, Block, Nested, NestedBlock, Nesting, Presence, Type};

use crate::proto::schema::{v5, v6};

/// Adds the conversion of messages from one protocol to the other.
macro_rules! conversion {
    ($from:ident => $to:ident, { $($more:tt)* }) => {
        pub(in crate::beside) fn response(
            from: $from::GetProviderSchemaResponse,
        ) -> Result<$to::GetProviderSchemaResponse, String> {
            Ok($to::GetProviderSchemaResponse {
                provider: from.provider.map(schema).transpose()?,
                resource_schemas: schemas(from.resource_schemas)?,
                data_source_schemas: schemas(from.data_source_schemas)?,
                diagnostics: from.diagnostics,
                provider_meta: from.provider_meta.map(schema).transpose()?,
                server_capabilities: from.server_capabilities,
                functions: from.functions,
                ephemeral_resource_schemas: schemas(from.ephemeral_resource_schemas)?,
                list_resource_schemas: schemas(from.list_resource_schemas)?,
                action_schemas: from
                    .action_schemas
                    .into_iter()
                    .map(|(name, action)| {
                        let schema = action.schema.map(schema).transpose().map_err(|problem| format!("{name}.{problem}"))?;
                        Ok((name, $to::ActionSchema { schema }))
                    })
                    .collect::<Result<_, String>>()?,
            })
        }

        fn schemas(from: BTreeMap<String, $from::Schema>) -> Result<BTreeMap<String, $to::Schema>, String> {
            let one = |(name, from)| match schema(from) {
                Ok(schema) => Ok((name, schema)),
                Err(problem) => Err(format!("{name}.{problem}")),
            };
            from.into_iter().map(one).collect()
        }

        fn schema(from: $from::Schema) -> Result<$to::Schema, String> {
            Ok($to::Schema { version: from.version, block: from.block.map(block).transpose()? })
        }

        fn block(from: $from::Block) -> Result<$to::Block, String> {
            Ok($to::Block {
                attributes: from.attributes.into_iter().map(attribute).collect::<Result<_, _>>()?,
                block_types: from.block_types.into_iter().map(nested_block).collect::<Result<_, _>>()?,
                description: from.description,
                description_kind: from.description_kind,
                deprecated: from.deprecated,
                deprecation_message: from.deprecation_message,
            })
        }

        fn nested_block(from: $from::NestedBlock) -> Result<$to::NestedBlock, String> {
            let block = from.block.map(block).transpose().map_err(|problem| format!("{}.{problem}", from.type_name))?;
            Ok($to::NestedBlock {
                type_name: from.type_name,
                block,
                nesting: from.nesting,
                min_items: from.min_items,
                max_items: from.max_items,
            })
        }

        fn attribute(from: $from::Attribute) -> Result<$to::Attribute, String> {
            expressible(&from)?;
            Ok($to::Attribute {
                name: from.name,
                r#type: from.r#type,
                description: from.description,
                required: from.required,
                optional: from.optional,
                computed: from.computed,
                sensitive: from.sensitive,
                description_kind: from.description_kind,
                deprecated: from.deprecated,
                write_only: from.write_only,
                deprecation_message: from.deprecation_message,
                $($more)*
            })
        }
    };
}

/// From protocol 5 to 6, which has all of it.
pub(super) mod raised {
    use std::collections::BTreeMap;

    use super::{v5, v6};

    conversion!(v5 => v6, { nested_type: None, });

    #[expect(clippy::unnecessary_wraps, reason = "as in the other direction")]
    fn expressible(_: &v5::Attribute) -> Result<(), String> {
        Ok(())
    }
}

/// From protocol 6 to 5; the error is the path of an attribute that 5 can't express.
pub(super) mod lowered {
    use std::collections::BTreeMap;

    use super::{v5, v6};

    conversion!(v6 => v5, {});

    fn expressible(attribute: &v6::Attribute) -> Result<(), String> {
        if attribute.nested_type.is_some() {
            Err(attribute.name.clone())
        } else {
            Ok(())
        }
    }
}

/// The block that a message describes, as far as values need it.
///
/// # Errors
/// Names what is not part of the protocol.
pub(super) fn block(message: &v6::Block) -> Result<Block, String> {
    let attributes = message
        .attributes
        .iter()
        .map(attribute)
        .collect::<Result<Vec<_>, _>>()?;
    let blocks = message
        .block_types
        .iter()
        .map(nested_block)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Block::new(attributes).with_blocks(blocks))
}

fn attribute(message: &v6::Attribute) -> Result<Attribute, String> {
    let presence = match (message.required, message.optional, message.computed) {
        (true, ..) => Presence::Required,
        (false, true, true) => Presence::OptionalComputed,
        (false, _, true) => Presence::Computed,
        (false, _, false) => Presence::Optional,
    };
    let name = message.name.clone();
    let attribute = if let Some(nested) = &message.nested_type {
        let inner = nested
            .attributes
            .iter()
            .map(attribute)
            .collect::<Result<Vec<_>, _>>()?;
        Attribute::nested(
            name,
            Nested::new(nesting(nested.nesting, &message.name)?, inner),
            presence,
        )
    } else {
        let notation = String::from_utf8_lossy(&message.r#type);
        let ty = Type::parse(&notation)
            .map_err(|error| format!("the type of {:?} can't be read: {error}", message.name))?;
        Attribute::new(name, ty, presence)
    };
    let attribute = if message.sensitive {
        attribute.sensitive()
    } else {
        attribute
    };
    let attribute = if message.deprecated {
        attribute.deprecate(message.deprecation_message.clone())
    } else {
        attribute
    };
    Ok(if message.write_only {
        attribute.write_only()
    } else {
        attribute
    })
}

fn nested_block(message: &v6::NestedBlock) -> Result<NestedBlock, String> {
    let inner = message
        .block
        .as_ref()
        .map(block)
        .transpose()?
        .unwrap_or_else(|| Block::new([]));
    let items = |number: i64| u64::try_from(number).unwrap_or_default();
    let nested = NestedBlock::new(
        message.type_name.clone(),
        nesting(message.nesting, &message.type_name)?,
        inner,
    );
    Ok(nested.items(items(message.min_items), items(message.max_items)))
}

fn nesting(number: i32, name: &str) -> Result<Nesting, String> {
    match number {
        // 5 is a group: one object that is always there.
        1 | 5 => Ok(Nesting::Single),
        2 => Ok(Nesting::List),
        3 => Ok(Nesting::Set),
        4 => Ok(Nesting::Map),
        other => Err(format!(
            "{name:?} is nested in a way that the protocol does not have: {other}"
        )),
    }
}
