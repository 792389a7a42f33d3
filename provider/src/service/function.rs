//! Functions.

use upstate::Diagnostics;
use upstate::schema::{Attribute, Type};

use super::Service;
use crate::function::{AnyFunction, Failure};
use crate::proto::function::{
    CallFunctionRequest, CallFunctionResponse, Function, FunctionError, GetFunctionsResponse,
    Parameter, Return,
};
use crate::wire::diagnostics::to_wire;
use crate::wire::schema::MARKDOWN;
use crate::wire::value::{from_wire, msgpack_to_wire};

impl Service {
    pub(super) fn functions(&self) -> GetFunctionsResponse {
        GetFunctionsResponse {
            functions: self.described_functions(),
            diagnostics: to_wire(self.0.parts.problems()),
        }
    }

    pub(super) fn described_functions(&self) -> std::collections::BTreeMap<String, Function> {
        self.0
            .parts
            .functions
            .iter()
            .map(|(name, function)| ((*name).to_owned(), described(function)))
            .collect()
    }

    pub(super) async fn call_function(&self, request: CallFunctionRequest) -> CallFunctionResponse {
        let service = self.clone();
        let called = self
            .until_stopped(None, async move { service.called(&request) })
            .await;
        let stopped = || {
            Failure::from(
                "Terraform is stopping, so the provider did not wait for the function to end."
                    .to_owned(),
            )
        };
        match called.unwrap_or_else(|| Err(stopped())) {
            Ok(result) => CallFunctionResponse {
                result: Some(msgpack_to_wire(result)),
                error: None,
            },
            Err(Failure { text, argument }) => {
                let function_argument = argument.and_then(|argument| i64::try_from(argument).ok());
                CallFunctionResponse {
                    result: None,
                    error: Some(FunctionError {
                        text,
                        function_argument,
                    }),
                }
            }
        }
    }

    fn called(&self, request: &CallFunctionRequest) -> Result<Vec<u8>, Failure> {
        let Some(function) = self.0.parts.functions.get(&*request.name) else {
            return Err(format!("The provider has no function named {:?}.", request.name).into());
        };
        function.takes(request.arguments.len())?;
        let mut arguments = Vec::with_capacity(request.arguments.len());
        for (at, argument) in request.arguments.iter().enumerate() {
            let Some(ty) = function.argument_type(at) else {
                continue;
            };
            let joined = |errors: Diagnostics| {
                errors
                    .iter()
                    .map(|error| error.detail().to_owned())
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            let value = from_wire(Some(argument), &ty, "argument");
            arguments.push(value.map_err(|errors| Failure {
                text: joined(errors),
                argument: Some(at),
            })?);
        }
        function.call(arguments)
    }
}

fn described(function: &AnyFunction) -> Function {
    let schema = (function.arguments)();
    let block = schema.block();
    let parameters: Vec<Parameter> = (0..function.parameters.len())
        .filter_map(|at| {
            let name = function.parameters.get(at)?;
            let attribute = block
                .attributes()
                .iter()
                .find(|attribute| attribute.name() == *name)?;
            let allowed = (function.takes_null(at), function.takes_unknown(at));
            Some(parameter(attribute, &function.argument_type(at)?, allowed))
        })
        .collect();
    let fixed = function.fixed();
    let description = schema.description();
    Function {
        variadic_parameter: parameters.get(fixed).cloned(),
        parameters: parameters.into_iter().take(fixed).collect(),
        r#return: Some(Return {
            r#type: (function.output)().to_string().into_bytes(),
        }),
        summary: description.lines().next().unwrap_or_default().to_owned(),
        description: description.to_owned(),
        description_kind: MARKDOWN,
        deprecation_message: schema.deprecated().unwrap_or_default().to_owned(),
    }
}

fn parameter(
    attribute: &Attribute,
    ty: &Type,
    (allow_null_value, allow_unknown_values): (bool, bool),
) -> Parameter {
    Parameter {
        name: attribute.name().to_owned(),
        r#type: ty.to_string().into_bytes(),
        allow_null_value,
        allow_unknown_values,
        description: attribute.description().to_owned(),
        description_kind: MARKDOWN,
    }
}
