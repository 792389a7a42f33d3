//! The messages that describe schemas. They differ between the protocols in an attribute's fields,
//! and so in all that hold one; and the list of what there is.

/// The messages of one protocol: the numbers of an attribute's last fields and of the list of
/// actions, and what an attribute has beside the fields that both know.
macro_rules! schema_messages {
    (write_only = $write_only:tt, deprecation_message = $deprecation_message:tt, actions = $actions:tt, { $($more:tt)* }) => {
        use std::collections::BTreeMap;

        use prost::Message;

        use crate::proto::function::Function;
        use crate::proto::{Diagnostic, ServerCapabilities, TypeName};

        messages! {
            pub(crate) struct Schema {
                [int64, tag = "1"] version: i64,
                [message, optional, tag = "2"] block: Option<Block>,
            }

            pub(crate) struct Block {
                [message, repeated, tag = "2"] attributes: Vec<Attribute>,
                [message, repeated, tag = "3"] block_types: Vec<NestedBlock>,
                [string, tag = "4"] description: String,
                /// 0 plain, 1 Markdown.
                [int32, tag = "5"] description_kind: i32,
                [bool, tag = "6"] deprecated: bool,
                [string, tag = "7"] deprecation_message: String,
            }

            pub(crate) struct Attribute {
                [string, tag = "1"] name: String,
                [bytes = "vec", tag = "2"] r#type: Vec<u8>,
                [string, tag = "3"] description: String,
                [bool, tag = "4"] required: bool,
                [bool, tag = "5"] optional: bool,
                [bool, tag = "6"] computed: bool,
                [bool, tag = "7"] sensitive: bool,
                [int32, tag = "8"] description_kind: i32,
                [bool, tag = "9"] deprecated: bool,
                [bool, tag = $write_only] write_only: bool,
                [string, tag = $deprecation_message] deprecation_message: String,
                $($more)*
            }

            pub(crate) struct NestedBlock {
                [string, tag = "1"] type_name: String,
                [message, optional, tag = "2"] block: Option<Block>,
                /// 1 single, 2 list, 3 set, 4 map.
                [int32, tag = "3"] nesting: i32,
                [int64, tag = "4"] min_items: i64,
                [int64, tag = "5"] max_items: i64,
            }

            pub(crate) struct GetMetadataResponse {
                [message, optional, tag = "1"] server_capabilities: Option<ServerCapabilities>,
                [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
                [message, repeated, tag = "3"] data_sources: Vec<TypeName>,
                [message, repeated, tag = "4"] resources: Vec<TypeName>,
                [message, repeated, tag = "5"] functions: Vec<TypeName>,
                [message, repeated, tag = "6"] ephemeral_resources: Vec<TypeName>,
                [message, repeated, tag = "7"] list_resources: Vec<TypeName>,
                [message, repeated, tag = $actions] actions: Vec<TypeName>,
            }

            pub(crate) struct GetProviderSchemaResponse {
                [message, optional, tag = "1"] provider: Option<Schema>,
                [btree_map = "string, message", tag = "2"] resource_schemas: BTreeMap<String, Schema>,
                [btree_map = "string, message", tag = "3"] data_source_schemas: BTreeMap<String, Schema>,
                [message, repeated, tag = "4"] diagnostics: Vec<Diagnostic>,
                [message, optional, tag = "5"] provider_meta: Option<Schema>,
                [message, optional, tag = "6"] server_capabilities: Option<ServerCapabilities>,
                [btree_map = "string, message", tag = "7"] functions: BTreeMap<String, Function>,
                [btree_map = "string, message", tag = "8"] ephemeral_resource_schemas: BTreeMap<String, Schema>,
                [btree_map = "string, message", tag = "9"] list_resource_schemas: BTreeMap<String, Schema>,
                [btree_map = "string, message", tag = "11"] action_schemas: BTreeMap<String, ActionSchema>,
            }

            pub(crate) struct ActionSchema {
                [message, optional, tag = "1"] schema: Option<Schema>,
            }
        }
    };
}

/// Protocol 5: no nested attributes.
pub(crate) mod v5 {
    schema_messages!(
        write_only = "10",
        deprecation_message = "11",
        actions = "8",
        {}
    );
}

/// Protocol 6.
pub(crate) mod v6 {
    schema_messages!(write_only = "11", deprecation_message = "12", actions = "9", {
        /// In place of `type`.
        [message, optional, tag = "10"] nested_type: Option<Object>,
    });

    messages! {
        pub(crate) struct Object {
            [message, repeated, tag = "1"] attributes: Vec<Attribute>,
            /// 1 single, 2 list, 3 set, 4 map.
            [int32, tag = "3"] nesting: i32,
        }
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::{v5, v6};

    /// The beginning of a message that is one field: its number, and how it is written.
    fn begins(message: &impl Message) -> u8 {
        message.encode_to_vec()[0]
    }

    #[test]
    fn the_last_fields_of_an_attribute_have_other_numbers_in_each_protocol() {
        let (flag, text) = (|number: u8| number << 3, |number: u8| number << 3 | 2);
        let old = v5::Attribute::default;
        assert_eq!(
            begins(&v5::Attribute {
                deprecated: true,
                ..old()
            }),
            flag(9)
        );
        assert_eq!(
            begins(&v5::Attribute {
                write_only: true,
                ..old()
            }),
            flag(10)
        );
        assert_eq!(
            begins(&v5::Attribute {
                deprecation_message: "x".to_owned(),
                ..old()
            }),
            text(11)
        );
        let new = v6::Attribute::default;
        assert_eq!(
            begins(&v6::Attribute {
                deprecated: true,
                ..new()
            }),
            flag(9)
        );
        assert_eq!(
            begins(&v6::Attribute {
                nested_type: Some(v6::Object::default()),
                ..new()
            }),
            text(10)
        );
        assert_eq!(
            begins(&v6::Attribute {
                write_only: true,
                ..new()
            }),
            flag(11)
        );
        assert_eq!(
            begins(&v6::Attribute {
                deprecation_message: "x".to_owned(),
                ..new()
            }),
            text(12)
        );
    }
}
