//! Types as they are written: containers of the standard library, and names of the struct itself.
//! The derive sees no others.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Lit, Path, PathArguments, PathSegment, Type, TypePath};
use upstate_words::lock::{integers, is_atomic, leaves_out_zero};

/// The last name of a type of the standard library, as far as can be seen from how it is written.
fn of_std(ty: &Type) -> Option<&PathSegment> {
    let path = match ty {
        Type::Path(ty) if ty.qself.is_none() => &ty.path,
        Type::Group(group) => return of_std(&group.elem),
        Type::Paren(paren) => return of_std(&paren.elem),
        _ => return None,
    };
    let from_std = path.segments.len() == 1
        || path.segments.first().is_some_and(|first| {
            ["std", "core", "alloc"]
                .iter()
                .any(|root| first.ident == root)
        });
    path.segments.last().filter(|_| from_std)
}

/// The type inside one of the standard library's `Option<…>` or `Vec<…>`, as far as can be seen
/// from how it is written.
pub(crate) fn inside<'a>(container: &str, ty: &'a Type) -> Option<&'a Type> {
    let last = of_std(ty).filter(|last| last.ident == container)?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) if arguments.args.len() == 1 => {
            match arguments.args.first() {
                Some(GenericArgument::Type(inner)) => Some(inner),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The type of the values inside one of the standard library's maps of strings, as far as can be
/// seen from how it is written.
fn inside_map(ty: &Type) -> Option<&Type> {
    let last = of_std(ty).filter(|last| last.ident == "BTreeMap" || last.ident == "HashMap")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let mut arguments = arguments.args.iter();
    match (arguments.next(), arguments.next(), arguments.next()) {
        (Some(GenericArgument::Type(key)), Some(GenericArgument::Type(inner)), None)
            if is_string(key) =>
        {
            Some(inner)
        }
        _ => None,
    }
}

/// True if a type is written as one whose values a lock has in this stored form. A type of the
/// author's may have the same name.
pub(crate) fn is_stored_as(stored: &str, ty: &Type) -> bool {
    let (form, values) = stored.split_once('\t').unwrap_or((stored, ""));
    match form.strip_suffix(" null") {
        Some(form) => inside("Option", ty).is_some_and(|ty| is_of_form(form, values, ty)),
        None => is_of_form(form, values, ty),
    }
}

/// That of a form without null, as far as scalars and collections of them go.
fn is_of_form(form: &str, values: &str, ty: &Type) -> bool {
    let is_named = |name: &str| matches!(ty, Type::Path(ty) if ty.path.is_ident(name));
    match form {
        "\"string\"" => is_named("String"),
        "\"bool\"" => is_named("bool"),
        "\"number\"" if values.is_empty() => is_named("f64") || is_called("Number", ty),
        "\"number\"" => is_named(values),
        "\"dynamic\"" => is_called("Dynamic", ty),
        _ => {
            let list = form
                .strip_prefix("[\"")
                .and_then(|form| form.strip_suffix(']'));
            let Some((word, form)) = list.and_then(|list| list.split_once("\",")) else {
                return false;
            };
            let element = match word {
                "list" => inside("Vec", ty),
                "set" => inside("BTreeSet", ty),
                "map" => inside_map(ty),
                _ => None,
            };
            element.is_some_and(|ty| is_of_form(form, "", ty))
        }
    }
}

/// True if a type is what blocks can be in, as far as its name says.
pub(crate) fn is_container(ty: &Type) -> bool {
    const CONTAINERS: [&str; 6] = [
        "Option", "Vec", "BTreeSet", "HashSet", "BTreeMap", "HashMap",
    ];
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| CONTAINERS.iter().any(|name| last.ident == name)),
        _ => false,
    }
}

/// The noun of a type whose name says that its values are numbers or `true` and `false`.
pub(super) fn noun_of(ty: &Type) -> Option<&'static str> {
    let Type::Path(path) = ty else { return None };
    match path.path.get_ident()?.to_string().as_str() {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128"
        | "isize" | "f32" | "f64" => Some("a number"),
        "bool" => Some("a `bool`"),
        _ => None,
    }
}

/// The literal in quotes, of a type that [`noun_of`] knows; nothing if it is of another kind or out
/// of the type's range.
pub(super) fn literal_of(ty: &Type, text: &str) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let name = path.path.get_ident()?.to_string();
    let is_float = matches!(name.as_str(), "f32" | "f64");
    // Not by what Rust reads from a string, because `+1`, `.5` and `inf` are no literals.
    match syn::parse_str::<Lit>(text).ok()? {
        Lit::Bool(_) if name == "bool" => Some(text.to_owned()),
        Lit::Float(number) if is_float && number.suffix().is_empty() => Some(text.to_owned()),
        Lit::Int(number) if number.suffix().is_empty() => {
            if is_float {
                return Some(format!("{}.0", number.base10_digits()));
            }
            // Because a literal is of no such type.
            if leaves_out_zero(name.as_bytes()) || is_atomic(name.as_bytes()) {
                return None;
            }
            let (min, max) = integers(name.as_bytes())?;
            let number: i128 = number.base10_digits().parse().ok()?;
            let fits = min <= number && (number < 0 || number.unsigned_abs() <= max);
            fits.then(|| text.to_owned())
        }
        _ => None,
    }
}

/// True unless the name of a type says that it is a scalar, or made of nothing else.
pub(crate) fn may_hold_objects(ty: &Type) -> bool {
    const SCALARS: [&str; 13] = [
        "String", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f64", "Number",
        "Dynamic",
    ];
    const COLLECTIONS: [&str; 7] = [
        "Option", "Vec", "BTreeMap", "BTreeSet", "HashMap", "HashSet", "Box",
    ];
    let Type::Path(TypePath {
        qself: None, path, ..
    }) = ty
    else {
        return true;
    };
    let Some(last) = path.segments.last() else {
        return true;
    };
    let is_plain = |name: &str| last.ident == name;
    match &last.arguments {
        PathArguments::None => !SCALARS.iter().any(|name| is_plain(name)),
        PathArguments::AngleBracketed(inner) => !COLLECTIONS.iter().any(|name| is_plain(name))
            || last.ident.to_string().ends_with("Map")
                && !matches!(inner.args.first(), Some(GenericArgument::Type(key)) if !may_hold_objects(key) && is_string(key))
            || inner.args.iter().any(
                |argument| !matches!(argument, GenericArgument::Type(ty) if !may_hold_objects(ty)),
            ),
        PathArguments::Parenthesized(_) => true,
    }
}

/// Types that Terraform has none for, and what to write in their place.
const OF_NO_TERRAFORM: [(&str, &str); 8] = [
    ("u128", "write `u64`"),
    ("usize", "write `u64`"),
    ("i128", "write `i64`"),
    ("isize", "write `i64`"),
    ("f32", "write `f64`"),
    (
        "Duration",
        "store its seconds as a `u64`, or a form of yours: `#[attribute(with = module)]` above the field",
    ),
    (
        "SystemTime",
        "store it as a `String`, or in a form of yours: `#[attribute(with = module)]` above the field",
    ),
    (
        "Value",
        "write `upstate::Dynamic`, which holds any value and its type",
    ),
];

/// The type in this one that Terraform has none for, with its name and the help, if its tokens
/// tell.
pub(crate) fn of_no_terraform(ty: &Type) -> Option<(&Type, String, String)> {
    if let Some((key, written)) = map_without_strings(ty) {
        return Some((
            key,
            written,
            "write `String`, which the keys of a map are".to_owned(),
        ));
    }
    let ty = innermost(ty);
    let (name, help) = match ty {
        Type::Path(TypePath {
            qself: None, path, ..
        }) => {
            let name = path.segments.last()?.ident.to_string();
            let (_, help) = OF_NO_TERRAFORM.iter().find(|(known, _)| *known == name)?;
            (name, (*help).to_owned())
        }
        Type::Tuple(tuple) if tuple.elems.is_empty() => (
            "()".to_owned(),
            "remove the field, which holds nothing".to_owned(),
        ),
        Type::Array(array) => (spelt(ty), format!("write `Vec<{}>`", spelt(&array.elem))),
        _ => return None,
    };
    Some((ty, name, help))
}

/// The key of a map that is not a `String`, and the map as it is written.
fn map_without_strings(ty: &Type) -> Option<(&Type, String)> {
    const NUMBERS: [&str; 11] = [
        "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "bool", "char",
    ];
    let Type::Path(TypePath { path, .. }) = ty else {
        return None;
    };
    let last = path.segments.last()?;
    let PathArguments::AngleBracketed(inner) = &last.arguments else {
        return None;
    };
    match (inner.args.first()?, inner.args.len()) {
        (GenericArgument::Type(key), 2) if NUMBERS.iter().any(|number| is_called(number, key)) => {
            Some((key, format!("{}<{}, …>", last.ident, spelt(key))))
        }
        (GenericArgument::Type(inside), 1) => map_without_strings(inside),
        _ => None,
    }
}

/// A type without lifetimes as it is written.
pub(crate) fn spelt(ty: &Type) -> String {
    ty.to_token_stream()
        .to_string()
        .replace(' ', "")
        .replace(';', "; ")
        .replace(',', ", ")
}

/// The last type between angle brackets, of those between its own, and so on; or the type itself.
pub(crate) fn innermost(ty: &Type) -> &Type {
    let Type::Path(TypePath { path, .. }) = ty else {
        return ty;
    };
    match path.segments.last().map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(inner)) => match inner.args.last() {
            Some(GenericArgument::Type(inside)) => innermost(inside),
            _ => ty,
        },
        _ => ty,
    }
}

/// True if the tokens of a type say that it is a string.
pub(super) fn is_string(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "String"))
}

/// True if a type's last name is this one, whatever is between its angle brackets.
pub(super) fn is_called(name: &str, ty: &Type) -> bool {
    match ty {
        Type::Path(ty) => ty
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == name),
        Type::Group(group) => is_called(name, &group.elem),
        Type::Paren(paren) => is_called(name, &paren.elem),
        _ => false,
    }
}

/// True if the type `owner` occurs in `tokens` by its bare name or as `Self`.
pub(super) fn names_type(owner: &Ident, tokens: TokenStream) -> bool {
    let (mut tokens, mut after_colon) = (tokens.into_iter().peekable(), false);
    while let Some(token) = tokens.next() {
        let is_colon = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
        let found = match token {
            TokenTree::Ident(ident) => {
                let before_colon = matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
                !after_colon && !before_colon && (ident == "Self" || ident == *owner)
            }
            TokenTree::Group(group) => names_type(owner, group.stream()),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        };
        if found {
            return true;
        }
        after_colon = is_colon;
    }
    false
}

/// True if a path names the struct itself.
pub(super) fn is_itself(ident: &Ident, model: &Path) -> bool {
    let mut segments = model.segments.iter().map(|segment| &segment.ident);
    match (
        model.leading_colon,
        segments.next(),
        segments.next(),
        segments.next(),
    ) {
        (None, Some(only), None, None) => only == ident || only == "Self",
        (None, Some(first), Some(last), None) => first == "self" && last == ident,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use quote::{format_ident, quote};
    use syn::parse_quote;

    use super::*;

    #[test]
    fn a_literal_in_quotes_is_one_of_the_type() {
        let of = |ty: &str, text: &str| literal_of(&syn::parse_str(ty).unwrap(), text);
        for (ty, text, literal) in [
            ("u8", "7", "7"),
            ("i8", "-128", "-128"),
            ("usize", "300", "300"),
            ("f64", "0.5", "0.5"),
            ("f64", "-3", "-3.0"),
            ("bool", "true", "true"),
        ] {
            assert_eq!(of(ty, text).as_deref(), Some(literal), "{ty} {text}");
        }
        for (ty, text) in [
            ("u8", "300"),
            ("u8", "-1"),
            ("u8", "0.5"),
            ("u8", "+7"),
            ("u8", "7i64"),
            ("f64", "inf"),
            ("f64", ".5"),
            ("u8", "true"),
            ("bool", "1"),
            ("u8", ""),
            ("NonZeroU8", "7"),
            ("AtomicU8", "7"),
        ] {
            assert_eq!(of(ty, text), None, "{ty} {text}");
        }
    }

    #[test]
    fn containers_are_known_by_how_they_are_written() {
        assert!(inside("Option", &parse_quote!(Option<String>)).is_some());
        assert!(inside("Option", &parse_quote!(::core::option::Option<Vec<u8>>)).is_some());
        assert!(inside("Vec", &parse_quote!(std::vec::Vec<u8>)).is_some());
        assert!(inside("Option", &parse_quote!(my::Option<String>)).is_none());
        assert!(inside("Option", &parse_quote!(Vec<Option<String>>)).is_none());
        assert!(inside("Option", &parse_quote!(Option)).is_none());
    }

    #[test]
    fn types_are_known_by_the_lines_of_a_lock() {
        for (stored, ty) in [
            ("\"string\"", parse_quote!(String)),
            ("\"string\"\tdate", parse_quote!(String)),
            ("\"bool\" null", parse_quote!(Option<bool>)),
            ("\"number\"", parse_quote!(f64)),
            ("\"number\"", parse_quote!(upstate::Number)),
            ("\"number\" null\tu16", parse_quote!(Option<u16>)),
            ("\"dynamic\"", parse_quote!(Dynamic)),
            (
                r#"["map",["list","string"]]"#,
                parse_quote!(std::collections::BTreeMap<String, Vec<String>>),
            ),
            (r#"["set","bool"]"#, parse_quote!(BTreeSet<bool>)),
        ] {
            let ty: Type = ty;
            assert!(is_stored_as(stored, &ty), "{stored}");
        }
        for (stored, ty) in [
            ("\"string\"", parse_quote!(my::String)),
            ("\"string\" null", parse_quote!(String)),
            ("\"string\"", parse_quote!(Option<String>)),
            ("\"number\"", parse_quote!(f32)),
            ("\"number\"\ti64", parse_quote!(f64)),
            (r#"["map","string"]"#, parse_quote!(BTreeMap<u8, String>)),
            (r#"["list","string"]"#, parse_quote!(BTreeSet<String>)),
            (r#"["tuple",["string"]]"#, parse_quote!((String,))),
            ("nested single", parse_quote!(Rule)),
        ] {
            let ty: Type = ty;
            assert!(!is_stored_as(stored, &ty), "{stored}");
        }
    }

    #[test]
    fn a_struct_inside_itself_is_found() {
        let rule = format_ident!("Rule");
        for inside in [
            quote!(Vec<Rule>),
            quote!(Option<Box<Self>>),
            quote!((Rule, u8)),
        ] {
            assert!(names_type(&rule, inside.clone()), "{inside}");
        }
        for other in [quote!(Vec<prior::Rule>), quote!(Rule::Inner), quote!(Rules)] {
            assert!(!names_type(&rule, other.clone()), "{other}");
        }
    }
}
