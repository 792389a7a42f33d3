//! Literals, and which values they match.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

use super::super::value::ungrouped;
use super::{Constant, Literal, LiteralValue, Match};

/// The kind of a literal, for messages.
const LITERALS: &str =
    "help: write a string in quotes, a number, `true`, `false`, `null`, `[]` or `{}`";

impl Literal {
    /// The literal that `expr` is; `None` if it is none.
    fn find(expr: &Expr) -> Option<syn::Result<Self>> {
        let value = LiteralValue::find(expr)?;
        Some(value.map(|value| Self {
            value,
            span: expr.span(),
        }))
    }

    pub(super) fn read(expr: &Expr) -> syn::Result<Self> {
        Self::find(expr).unwrap_or_else(|| Err(no_literal(expr, LITERALS)))
    }

    /// The null that an operator means where nothing else is written.
    pub(super) const fn null(span: Span) -> Self {
        Self {
            value: LiteralValue::Null,
            span,
        }
    }

    /// As its author would write it.
    pub(crate) fn spelt(&self) -> String {
        match &self.value {
            LiteralValue::Null => "null".to_owned(),
            LiteralValue::Bool(bool) => bool.to_string(),
            LiteralValue::Number(digits) => digits.clone(),
            LiteralValue::String(text) => format!("{text:?}"),
            LiteralValue::EmptyList => "[]".to_owned(),
            LiteralValue::EmptyMap => "{}".to_owned(),
        }
    }
}

impl LiteralValue {
    fn find(expr: &Expr) -> Option<syn::Result<Self>> {
        Some(match ungrouped(expr) {
            Expr::Lit(ExprLit { lit, .. }) => Self::of(lit, ""),
            Expr::Unary(ExprUnary {
                op: UnOp::Neg(_),
                expr,
                ..
            }) => match ungrouped(expr) {
                Expr::Lit(ExprLit {
                    lit: lit @ (Lit::Int(_) | Lit::Float(_)),
                    ..
                }) => Self::of(lit, "-"),
                _ => return None,
            },
            Expr::Path(path) if path.path.is_ident("null") => Ok(Self::Null),
            Expr::Array(array) if array.elems.is_empty() => Ok(Self::EmptyList),
            Expr::Block(block) if block.label.is_none() && block.block.stmts.is_empty() => {
                Ok(Self::EmptyMap)
            }
            _ => return None,
        })
    }

    fn of(lit: &Lit, sign: &str) -> syn::Result<Self> {
        let (digits, suffix) = match lit {
            Lit::Str(text) => return Ok(Self::String(text.value())),
            Lit::Bool(bool) => return Ok(Self::Bool(bool.value)),
            Lit::Int(int) => (int.base10_digits(), int.suffix()),
            Lit::Float(float) => (float.base10_digits(), float.suffix()),
            other => {
                return Err(syn::Error::new_spanned(
                    other,
                    format_args!("state holds no such value\n{LITERALS}"),
                ));
            }
        };
        // `1.` is a number in Rust, but not in JSON.
        let digits = digits.trim_end_matches('.');
        if !suffix.is_empty() {
            let message =
                format!("a number in state has no type suffix\nhelp: write `{sign}{digits}`");
            return Err(syn::Error::new_spanned(lit, message));
        }
        Ok(Self::Number(format!("{sign}{digits}")))
    }
}

impl Constant {
    pub(super) fn read(expr: Expr) -> syn::Result<Self> {
        let wrapped = match ungrouped(&expr) {
            Expr::Path(path) if path.path.is_ident("None") => {
                Some("`None` is Rust's; state holds `null`\nhelp: write `null`".to_owned())
            }
            Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some")) =>
            {
                let inner = call.args.to_token_stream();
                Some(format!(
                    "an optional field takes the value itself\nhelp: write `{inner}`"
                ))
            }
            _ => None,
        };
        if let Some(message) = wrapped {
            return Err(syn::Error::new_spanned(expr, message));
        }
        match Literal::find(&expr) {
            Some(literal) => literal.map(Self::Literal),
            None => Ok(Self::Expr(expr)),
        }
    }
}

impl Match {
    pub(super) fn read(expr: &Expr) -> syn::Result<Self> {
        match ungrouped(expr) {
            Expr::Path(path) if path.path.is_ident("empty") => Ok(Self::Empty),
            _ => Literal::find(expr)
                .unwrap_or_else(|| {
                    Err(no_literal(
                        expr,
                        "help: write a string in quotes, a number, `true`, `false`, `null`, `[]`, `{}` or `empty`",
                    ))
                })
                .map(Self::Literal),
        }
    }
}

fn no_literal(expr: &Expr, help: &str) -> syn::Error {
    let message = match ungrouped(expr) {
        Expr::Path(path) => match path.path.get_ident() {
            Some(word) if word == "None" => {
                "`None` is Rust's; state holds `null`\nhelp: write `null`".to_owned()
            }
            Some(word) => format!("`{word}` is not a literal\n{help}"),
            None => format!(
                "`{}` is not a literal\n{help}",
                super::super::value::spelt(&path.path)
            ),
        },
        _ => format!("this is not a literal\n{help}"),
    };
    syn::Error::new_spanned(expr.to_token_stream(), message)
}
