//! Names in state: which are possible, and which to offer in place of one that is not.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::LitStr;
use syn::ext::IdentExt;

use super::Derive;
use crate::attr::Given;
use crate::errors::Errors;

/// The names that Terraform keeps for itself at the root of a resource.
const RESERVED: [&str; 7] = [
    "connection",
    "count",
    "depends_on",
    "for_each",
    "lifecycle",
    "provider",
    "provisioner",
];

const RULE: &str = "note: a name in state has lower-case letters, digits and underscores, and does not start with a digit";

/// The type name that was given, or the one that the struct's name means.
pub(super) fn type_name(
    derive: Derive,
    ident: &Ident,
    given: Option<Given<LitStr>>,
    errors: &mut Errors,
) -> Option<String> {
    let Some(given) = given else {
        let made = default_type_name(&ident.unraw().to_string());
        // Outside Terraform any string is a name, so that `type_name` may be `app.settings`.
        if derive != Derive::Document && !is_name(&made) {
            let message = format!(
                "no type name can be made from `{ident}`\nhelp: add `type_name = \"…\"` to `#[resource(…)]`\n{RULE}"
            );
            errors.push(ident, message);
        }
        return Some(made);
    };
    let literal = errors.take(given.value)?;
    let name = literal.value();
    if name.is_empty() {
        let made = default_type_name(&ident.unraw().to_string());
        errors.push(
            &literal,
            format_args!("the type name is empty\nhelp: leave `type_name` out to have `{made}`, made from the struct's name"),
        );
    } else if derive != Derive::Document && !is_name(&name) {
        let help = match suggestion(&name) {
            Some(better) => format!("help: write `type_name = \"{better}\"`\n"),
            None => String::new(),
        };
        errors.push(
            &literal,
            format_args!("`{name}` is not a type name\n{help}{RULE}"),
        );
    }
    Some(name)
}

/// Refuses a string that no resource type can be called.
pub(super) fn type_name_of_another(key: &str, literal: &LitStr, errors: &mut Errors) {
    let name = literal.value();
    if !is_name(&name) {
        let help = match suggestion(&name) {
            Some(better) => format!("help: write `{key} = \"{better}\"`\n"),
            None => String::new(),
        };
        let what = if name.is_empty() {
            "the type name is empty".to_owned()
        } else {
            format!("`{name}` is not a type name")
        };
        errors.push(literal, format_args!("{what}\n{help}{RULE}"));
    }
}

/// The name of the attribute or block of the field `ident`, and the tokens that it comes from.
pub(super) fn member_name(
    derive: Derive,
    owner: &Ident,
    helper: &str,
    ident: &Ident,
    given: Option<Given<LitStr>>,
    errors: &mut Errors,
) -> Option<(String, proc_macro2::TokenStream)> {
    let (name, place, is_given) = match given {
        None => (ident.unraw().to_string(), ident.to_token_stream(), false),
        Some(given) => {
            let literal = errors.take(given.value)?;
            (literal.value(), literal.to_token_stream(), true)
        }
    };
    let write = |name: &str| {
        if is_given {
            format!("help: write `name = \"{name}\"`")
        } else {
            format!("help: rename the field, or add `#[{helper}(name = \"{name}\")]`")
        }
    };
    if name.is_empty() && derive != Derive::Document {
        let own = ident.unraw();
        errors.push(
            &place,
            format_args!(
                "the name is empty\nhelp: leave `name` out to have `{own}`, the field's own"
            ),
        );
    } else if derive != Derive::Document && !is_name(&name) {
        let help = match suggestion(&name) {
            Some(better) => format!("{}\n", write(&better)),
            None if is_given => String::new(),
            None => format!("{}\n", write("…")),
        };
        errors.push(
            &place,
            format_args!("`{name}` is not a name for an attribute\n{help}{RULE}"),
        );
    } else if derive == Derive::Resource && RESERVED.contains(&name.as_str()) {
        errors.push(
            &place,
            format_args!(
                "`{name}` is reserved by Terraform at the root of a resource\n{}\nnote: so are {}",
                write(&format!(
                    "{}_{name}",
                    default_type_name(&owner.unraw().to_string())
                )),
                RESERVED
                    .iter()
                    .filter(|reserved| **reserved != name)
                    .map(|reserved| format!("`{reserved}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        );
    }
    Some((name, place))
}

/// True if `name` can be the name of an attribute, a block or a type.
pub(super) fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_lowercase() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A possible name close to `name`, if there is one.
fn suggestion(name: &str) -> Option<String> {
    let plain: String = name
        .trim()
        .chars()
        .map(|c| {
            if c == '-' || c == ' ' || c == '.' {
                '_'
            } else {
                c
            }
        })
        .collect();
    Some(snake_case(&plain)).filter(|better| is_name(better))
}

/// The `snake_case` of a struct's name without the `V<n>` that prior models end in.
pub(super) fn default_type_name(ident: &str) -> String {
    snake_case(base_name(ident))
}

/// `ident` without the `V<n>` that prior models end in.
pub(super) fn base_name(ident: &str) -> &str {
    let base = ident.trim_end_matches(|c: char| c.is_ascii_digit());
    match base.strip_suffix('V') {
        Some(base) if !base.is_empty() && ident.len() > base.len() + 1 => base,
        _ => ident,
    }
}

pub(super) fn snake_case(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut snake = String::new();
    for (index, &c) in chars.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| chars.get(before));
        let after = chars.get(index + 1);
        let starts_word = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_ascii_digit()
                    || before.is_uppercase() && after.is_some_and(|after| after.is_lowercase())
            });
        if starts_word {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_follow_from_struct_names() {
        for (ident, name) in [
            ("Thing", "thing"),
            ("ThingV0", "thing"),
            ("ThingV12", "thing"),
            ("VpcEndpointV2", "vpc_endpoint"),
            ("HTTPServer", "http_server"),
            ("S3Bucket", "s3_bucket"),
            ("Ipv4", "ipv4"),
            ("V1", "v1"),
            ("TV", "tv"),
            ("Thing2", "thing2"),
        ] {
            assert_eq!(default_type_name(ident), name);
        }
    }

    #[test]
    fn names_are_terraform_identifiers() {
        for name in ["a", "_a", "size_2", "http2"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "Size", "2nd", "a-b", "größe", "a b"] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn a_close_name_is_offered() {
        assert_eq!(suggestion("diskSize").as_deref(), Some("disk_size"));
        assert_eq!(suggestion("Disk-Size").as_deref(), Some("disk_size"));
        assert_eq!(suggestion("2nd"), None);
    }
}
