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

        #[derive(Clone, PartialEq, Message)]
        pub(crate) struct Schema {
            #[prost(int64, tag = "1")]
            pub(crate) version: i64,
            #[prost(message, optional, tag = "2")]
            pub(crate) block: Option<Block>,
        }

        #[derive(Clone, PartialEq, Message)]
        pub(crate) struct Block {
            #[prost(message, repeated, tag = "2")]
            pub(crate) attributes: Vec<Attribute>,
            #[prost(message, repeated, tag = "3")]
            pub(crate) block_types: Vec<NestedBlock>,
            #[prost(string, tag = "4")]
            pub(crate) description: String,
            /// 0 plain, 1 Markdown.
            #[prost(int32, tag = "5")]
            pub(crate) description_kind: i32,
            #[prost(bool, tag = "6")]
            pub(crate) deprecated: bool,
            #[prost(string, tag = "7")]
            pub(crate) deprecation_message: String,
        }

        #[derive(Clone, PartialEq, Message)]
        pub(crate) struct Attribute {
            #[prost(string, tag = "1")]
            pub(crate) name: String,
            #[prost(bytes = "vec", tag = "2")]
            pub(crate) r#type: Vec<u8>,
            #[prost(string, tag = "3")]
            pub(crate) description: String,
            #[prost(bool, tag = "4")]
            pub(crate) required: bool,
            #[prost(bool, tag = "5")]
            pub(crate) optional: bool,
            #[prost(bool, tag = "6")]
            pub(crate) computed: bool,
            #[prost(bool, tag = "7")]
            pub(crate) sensitive: bool,
            #[prost(int32, tag = "8")]
            pub(crate) description_kind: i32,
            #[prost(bool, tag = "9")]
            pub(crate) deprecated: bool,
            #[prost(bool, tag = $write_only)]
            pub(crate) write_only: bool,
            #[prost(string, tag = $deprecation_message)]
            pub(crate) deprecation_message: String,
            $($more)*
        }

        #[derive(Clone, PartialEq, Message)]
        pub(crate) struct NestedBlock {
            #[prost(string, tag = "1")]
            pub(crate) type_name: String,
            #[prost(message, optional, tag = "2")]
            pub(crate) block: Option<Block>,
            /// 1 single, 2 list, 3 set, 4 map.
            #[prost(int32, tag = "3")]
            pub(crate) nesting: i32,
            #[prost(int64, tag = "4")]
            pub(crate) min_items: i64,
            #[prost(int64, tag = "5")]
            pub(crate) max_items: i64,
        }

        #[derive(Clone, PartialEq, Message)]
        pub(crate) struct GetMetadataResponse {
            #[prost(message, optional, tag = "1")]
            pub(crate) server_capabilities: Option<ServerCapabilities>,
            #[prost(message, repeated, tag = "2")]
            pub(crate) diagnostics: Vec<Diagnostic>,
            #[prost(message, repeated, tag = "3")]
            pub(crate) data_sources: Vec<TypeName>,
            #[prost(message, repeated, tag = "4")]
            pub(crate) resources: Vec<TypeName>,
            #[prost(message, repeated, tag = "5")]
            pub(crate) functions: Vec<TypeName>,
            #[prost(message, repeated, tag = "6")]
            pub(crate) ephemeral_resources: Vec<TypeName>,
            #[prost(message, repeated, tag = "7")]
            pub(crate) list_resources: Vec<TypeName>,
            #[prost(message, repeated, tag = $actions)]
            pub(crate) actions: Vec<TypeName>,
        }

        #[derive(Clone, PartialEq, Message)]
        pub(crate) struct GetProviderSchemaResponse {
            #[prost(message, optional, tag = "1")]
            pub(crate) provider: Option<Schema>,
            #[prost(btree_map = "string, message", tag = "2")]
            pub(crate) resource_schemas: BTreeMap<String, Schema>,
            #[prost(btree_map = "string, message", tag = "3")]
            pub(crate) data_source_schemas: BTreeMap<String, Schema>,
            #[prost(message, repeated, tag = "4")]
            pub(crate) diagnostics: Vec<Diagnostic>,
            #[prost(message, optional, tag = "5")]
            pub(crate) provider_meta: Option<Schema>,
            #[prost(message, optional, tag = "6")]
            pub(crate) server_capabilities: Option<ServerCapabilities>,
            #[prost(btree_map = "string, message", tag = "7")]
            pub(crate) functions: BTreeMap<String, Function>,
            #[prost(btree_map = "string, message", tag = "8")]
            pub(crate) ephemeral_resource_schemas: BTreeMap<String, Schema>,
            #[prost(btree_map = "string, message", tag = "9")]
            pub(crate) list_resource_schemas: BTreeMap<String, Schema>,
            #[prost(btree_map = "string, message", tag = "11")]
            pub(crate) action_schemas: BTreeMap<String, ActionSchema>,
        }

        #[derive(Clone, PartialEq, Message)]
        pub(crate) struct ActionSchema {
            #[prost(message, optional, tag = "1")]
            pub(crate) schema: Option<Schema>,
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
        #[prost(message, optional, tag = "10")]
        pub(crate) nested_type: Option<Object>,
    });

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct Object {
        #[prost(message, repeated, tag = "1")]
        pub(crate) attributes: Vec<Attribute>,
        /// 1 single, 2 list, 3 set, 4 map.
        #[prost(int32, tag = "3")]
        pub(crate) nesting: i32,
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
