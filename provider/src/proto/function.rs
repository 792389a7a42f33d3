//! The messages about functions.

use std::collections::BTreeMap;

use prost::Message;

use super::{Diagnostic, DynamicValue};

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Function {
    #[prost(message, repeated, tag = "1")]
    pub(crate) parameters: Vec<Parameter>,
    #[prost(message, optional, tag = "2")]
    pub(crate) variadic_parameter: Option<Parameter>,
    #[prost(message, optional, tag = "3")]
    pub(crate) r#return: Option<Return>,
    #[prost(string, tag = "4")]
    pub(crate) summary: String,
    #[prost(string, tag = "5")]
    pub(crate) description: String,
    /// 0 plain, 1 Markdown.
    #[prost(int32, tag = "6")]
    pub(crate) description_kind: i32,
    #[prost(string, tag = "7")]
    pub(crate) deprecation_message: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Parameter {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) r#type: Vec<u8>,
    #[prost(bool, tag = "3")]
    pub(crate) allow_null_value: bool,
    #[prost(bool, tag = "4")]
    pub(crate) allow_unknown_values: bool,
    #[prost(string, tag = "5")]
    pub(crate) description: String,
    #[prost(int32, tag = "6")]
    pub(crate) description_kind: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Return {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) r#type: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GetFunctionsResponse {
    #[prost(btree_map = "string, message", tag = "1")]
    pub(crate) functions: BTreeMap<String, Function>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CallFunctionRequest {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(crate) arguments: Vec<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CallFunctionResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) result: Option<DynamicValue>,
    #[prost(message, optional, tag = "2")]
    pub(crate) error: Option<FunctionError>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct FunctionError {
    #[prost(string, tag = "1")]
    pub(crate) text: String,
    /// The argument at fault, counted from 0.
    #[prost(int64, optional, tag = "2")]
    pub(crate) function_argument: Option<i64>,
}
