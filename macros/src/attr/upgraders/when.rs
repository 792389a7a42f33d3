//! `when = …`: which of several shapes.

use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, LitStr, Path};

use crate::attr::value::{Given, Right, Value, described, expression, spelt, ungrouped};
use crate::errors::Errors;

/// The condition by which an upgrader is for one of several shapes of a version.
#[derive(Debug)]
pub(crate) enum When {
    Has(LitStr),
    Lacks(LitStr),
    Is(Path),
}

const SHAPES: &str = "help: write `when = has(\"name\")`, `when = lacks(\"name\")`, or `when = path` with `fn(RawState<'_>) -> bool`";

impl When {
    /// The name in stored state that it asks for.
    pub(crate) fn name(&self) -> Option<&LitStr> {
        match self {
            Self::Has(name) | Self::Lacks(name) => Some(name),
            Self::Is(_) => None,
        }
    }

    /// The value of a `when` that may have been given. The error is recorded.
    pub(super) fn given(
        given: Option<Given<Self>>,
        errors: &mut Errors,
    ) -> Result<Option<Self>, ()> {
        match given {
            None => Ok(None),
            Some(given) => errors.take(given.value).map(Some).ok_or(()),
        }
    }
}

impl Value for When {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let error = |place: &dyn ToTokens, message: String| {
            Err(syn::Error::new_spanned(
                place.to_token_stream(),
                format_args!("{message}\n{SHAPES}"),
            ))
        };
        match ungrouped(expression(key, &right, "a condition", SHAPES)?) {
            Expr::Path(path) if path.qself.is_none() => {
                let word = spelt(&path.path);
                if word == "has" || word == "lacks" {
                    return error(&path, format!("`{word}` does not say which name"));
                }
                Ok(Self::Is(path.path.clone()))
            }
            Expr::Call(call) => {
                let word = call.func.to_token_stream().to_string();
                let mut names = call.args.iter().map(ungrouped);
                let name = match (names.next(), names.next()) {
                    (
                        Some(Expr::Lit(ExprLit {
                            lit: Lit::Str(name),
                            ..
                        })),
                        None,
                    ) => name,
                    (Some(name @ Expr::Path(_)), None) => {
                        let text = name.to_token_stream().to_string();
                        let message = format!(
                            "`{word}` takes the name in stored state, as a string\nhelp: write `{word}(\"{text}\")`"
                        );
                        return Err(syn::Error::new_spanned(name, message));
                    }
                    (None, _) => return error(&call, format!("`{word}` does not say which name")),
                    _ => return error(&call, format!("`{word}` takes one name, as a string")),
                };
                match word.as_str() {
                    "has" => Ok(Self::Has(name.clone())),
                    "lacks" => Ok(Self::Lacks(name.clone())),
                    _ => error(
                        &call.func,
                        format!("there is no condition `{word}` for a stored shape"),
                    ),
                }
            }
            other => error(
                &other,
                format!("`when` takes a condition, not {}", described(other)),
            ),
        }
    }
}
