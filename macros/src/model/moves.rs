//! State that comes from other types.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use syn::{Attribute, LitStr};

use super::declared::{Current, Made};
use super::difference::kind_of;
use super::types::is_itself;
use super::{UpgraderKind, names};
use crate::attr::{self, RawKind, RawMove, When};
use crate::errors::{Errors, line};

/// The way from another type.
#[derive(Debug)]
pub(crate) struct Move {
    pub(crate) type_name: LitStr,
    pub(crate) provider: Option<LitStr>,
    pub(crate) kind: UpgraderKind,
    pub(crate) when: Option<When>,
}

/// The moves, in the order written.
pub(super) fn moves(
    ident: &Ident,
    attributes: &[Attribute],
    current: Current<'_>,
    errors: &mut Errors,
) -> Vec<Move> {
    let mut first: BTreeMap<(String, Option<String>), (usize, bool)> = BTreeMap::new();
    let mut moves = Vec::new();
    for RawMove {
        type_name,
        provider,
        kind,
        when,
    } in attr::moves(attributes, errors).into_iter().flatten()
    {
        names::type_name_of_another("type_name", &type_name, errors);
        if let Some(provider) = &provider {
            provider_address(provider, errors);
        }
        let key = (type_name.value(), provider.as_ref().map(LitStr::value));
        match first.get(&key) {
            Some((first, guarded)) if !(*guarded && when.is_some()) => {
                let name = &key.0;
                errors.push(
                    &type_name,
                    format_args!(
                        "the move from `{name}` is declared twice\nhelp: keep one of the two, or give each a `when = …` if two shapes were stored\nnote: first declared on line {first}"
                    ),
                );
            }
            Some(_) => {}
            None => {
                first.insert(key, (line(&type_name), when.is_some()));
            }
        }
        if let RawKind::Conversion { model }
        | RawKind::Function { model, .. }
        | RawKind::Declared { model, .. } = &kind
            && is_itself(ident, model)
        {
            errors.push(
                model,
                format_args!(
                    "`{ident}` cannot be moved from itself\nhelp: name the struct that derives `Resource` for `{}`",
                    type_name.value()
                ),
            );
        }
        let kind = kind_of(kind, Made::Current(current), errors);
        moves.push(Move {
            type_name,
            provider,
            kind,
            when,
        });
    }
    moves
}

/// A provider's address: `host/namespace/name`, or the last one or two parts of it.
fn provider_address(literal: &LitStr, errors: &mut Errors) {
    let address = literal.value();
    let parts: Vec<&str> = address.split('/').collect();
    let fits = parts.len() <= 3
        && parts.iter().all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c))
        });
    if !fits {
        errors.push(
            literal,
            format_args!(
                "`{address}` is not a provider's address\nhelp: write `provider = \"host/namespace/name\"`, or the end of it, `provider = \"hashicorp/aws\"`"
            ),
        );
    }
}
