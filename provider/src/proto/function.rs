//! The messages about functions.

use std::collections::BTreeMap;

use prost::Message;

use super::{Diagnostic, DynamicValue};

messages! {
    pub(crate) struct Function {
        [message, repeated, tag = "1"] parameters: Vec<Parameter>,
        [message, optional, tag = "2"] variadic_parameter: Option<Parameter>,
        [message, optional, tag = "3"] r#return: Option<Return>,
        [string, tag = "4"] summary: String,
        [string, tag = "5"] description: String,
        /// 0 plain, 1 Markdown.
        [int32, tag = "6"] description_kind: i32,
        [string, tag = "7"] deprecation_message: String,
    }

    pub(crate) struct Parameter {
        [string, tag = "1"] name: String,
        [bytes = "vec", tag = "2"] r#type: Vec<u8>,
        [bool, tag = "3"] allow_null_value: bool,
        [bool, tag = "4"] allow_unknown_values: bool,
        [string, tag = "5"] description: String,
        [int32, tag = "6"] description_kind: i32,
    }

    pub(crate) struct Return {
        [bytes = "vec", tag = "1"] r#type: Vec<u8>,
    }

    pub(crate) struct GetFunctionsResponse {
        [btree_map = "string, message", tag = "1"] functions: BTreeMap<String, Function>,
        [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct CallFunctionRequest {
        [string, tag = "1"] name: String,
        [message, repeated, tag = "2"] arguments: Vec<DynamicValue>,
    }

    pub(crate) struct CallFunctionResponse {
        [message, optional, tag = "1"] result: Option<DynamicValue>,
        [message, optional, tag = "2"] error: Option<FunctionError>,
    }

    pub(crate) struct FunctionError {
        [string, tag = "1"] text: String,
        /// The argument at fault, counted from 0.
        [int64, optional, tag = "2"] function_argument: Option<i64>,
    }
}
