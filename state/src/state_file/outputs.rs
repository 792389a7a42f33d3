//! The root module's outputs.

use std::borrow::Cow;
use std::ops::Range;

use upstate::__internal::Kind;
use upstate::Value;
use upstate::codec::UnknownAttributes;
use upstate::schema::Type;

use super::names::{Quoted, Short};
use super::scan::{Scanned, Scanner};

/// An output of the root module.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) value: Value,
    pub(super) ty: Type,
    pub(super) sensitive: bool,
    /// The advice to use another output, which `OpenTofu` stores; empty if there is none.
    pub(super) deprecated: String,
    /// The bytes of the value; `None` if it is missing, which means null.
    pub(super) value_at: Option<Range<usize>>,
    /// The bytes of the type.
    pub(super) type_at: Option<Range<usize>>,
}

/// Reads the outputs, and checks that each value has the type that is written with it.
pub(super) fn read<'t>(
    scanner: &mut Scanner<'t>,
    mut each: impl FnMut(Cow<'t, str>, Output),
) -> Scanned<()> {
    scanner.entries("`outputs`", |scanner, name| {
        let start = scanner.start()?;
        let (mut value, mut ty, mut sensitive, mut deprecated) =
            (None, None, false, Cow::Borrowed(""));
        let is_object = scanner.members("an output", |scanner, member| {
            match member {
                "value" => value = Some(scanner.skip()?),
                "type" => ty = Some(scanner.skip()?),
                "sensitive" => sensitive = scanner.bool("`sensitive` of an output")?,
                // Terraform does not read it, so a value of another kind is let pass.
                "deprecated" if scanner.reader.peek()? == Kind::String => {
                    (deprecated, _) = scanner.text("`deprecated`")?;
                }
                _ => scanner.reader.skip()?,
            }
            Ok(())
        })?;
        if !is_object {
            return Ok(());
        }
        let text = scanner.reader.text();
        let json = |range: &Option<Range<usize>>| {
            range
                .clone()
                .and_then(|range| text.get(range))
                .unwrap_or("null")
        };
        let Ok(parsed) = Type::parse(json(&ty)) else {
            let message = format!(
                "the `type` of output {} is not a type that Terraform knows",
                Quoted(&name)
            );
            scanner.problem(ty.unwrap_or(start..start + 1), message);
            return Ok(());
        };
        match Value::from_json(json(&value).as_bytes(), &parsed, UnknownAttributes::Deny) {
            Ok(read) => {
                let deprecated = deprecated.into_owned();
                each(
                    name,
                    Output {
                        value: read,
                        ty: parsed,
                        sensitive,
                        deprecated,
                        value_at: value,
                        type_at: ty,
                    },
                );
            }
            Err(error) => {
                let message = format!(
                    "the value of output {} is not of its type {}: {}",
                    Quoted(&name),
                    Short(&parsed.to_string()),
                    error.problem()
                );
                scanner.secret_problem(value.unwrap_or(start..start + 1), message);
            }
        }
        Ok(())
    })
}
