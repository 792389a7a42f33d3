//! Options of documents: those of upstate's own attributes, and those that serde has words for,
//! which mean the same here.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::meta::ParseNestedMeta;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, LitStr, Meta, Path, Token, Type};

use super::case::Case;
use super::operators::unquoted;
use super::value::{spelt, spelt_option, spelt_value, word};
use crate::errors::Errors;
use crate::likeness;

/// Attributes that hold options of a struct or enum.
const CONTAINERS: [&str; 5] = ["serde", "document", "union", "object", "string_enum"];
/// Attributes that hold options of a field or variant.
const PARTS: [&str; 4] = ["serde", "attribute", "union", "value"];

/// Options of a struct or enum that mean the same as with serde.
const OF_CONTAINERS: [&str; 12] = [
    "rename",
    "rename_all",
    "rename_all_fields",
    "deny_unknown_fields",
    "default",
    "tag",
    "content",
    "untagged",
    "transparent",
    "from",
    "try_from",
    "into",
];
/// Options of a field or variant that mean the same as with serde.
const OF_PARTS: [&str; 12] = [
    "rename",
    "rename_all",
    "alias",
    "default",
    "skip",
    "skip_serializing_if",
    "flatten",
    "with",
    "deserialize_with",
    "serialize_with",
    "other",
    "untagged",
];

/// Options of serde that a document has no use for, so that they are not misspellings.
const ONLY_OF_SERDE: [&str; 2] = ["remote", "getter"];

/// Words of serde and of other tools for what no option says. `FIELD` is the field's name, `OLD`
/// the one that it had.
const OF_OTHERS: [(&str, &str); 7] = [
    (
        "bound",
        "remove it; the derive writes the bounds of parameters by itself",
    ),
    (
        "remote",
        "remove it; a field of another crate's type is stored by a module of yours: `#[attribute(with = module)]`",
    ),
    (
        "transform",
        "remove it; what changes between versions is in `#[upgrade_from(…)]`",
    ),
    (
        "added",
        "remove it; the version that has the field says so: `#[upgrade_from(0 => 1, set(FIELD = value))]`",
    ),
    (
        "changed",
        "remove it; the version that has the field says so: `#[upgrade_from(0 => 1, rename(OLD => FIELD))]`",
    ),
    (
        "deprecated",
        "write Rust's own attribute above the field: `#[deprecated = \"why\"]`",
    ),
    (
        "bounds",
        "remove it; the derive writes the bounds of parameters by itself",
    ),
];

/// Names that serde and other tools have for options of a document's field, and the option here.
const ELSEWHERE: [(&str, &str); 8] = [
    ("rename", "name"),
    ("skip_serializing_if", "skip_if"),
    ("renamed_from", "alias"),
    ("extra", "rest"),
    ("secret", "sensitive"),
    ("serde", "json"),
    ("default_value", "default"),
    ("schema_version", "version"),
];

/// Words of a custom resource.
const OF_KUBE: [&str; 14] = [
    "group",
    "kind",
    "plural",
    "singular",
    "shortname",
    "short_names",
    "namespaced",
    "scope",
    "categories",
    "status",
    "column",
    "printcolumn",
    "scale",
    "selectable",
];

/// The help that moves the options of a custom resource to their attribute, and leaves the others
/// of the attribute `name`. With another `#[kube]` beside it, group, kind and version are there.
fn kube_options(name: &str, attribute: &Attribute, beside: &[Attribute]) -> String {
    let list = attribute
        .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        .unwrap_or_default();
    let [mut group, mut kind, mut version] = [const { None::<String> }; 3];
    let mut number = "0".to_owned();
    let (mut moved, mut others, mut has_columns) = (Vec::new(), Vec::new(), false);
    for option in &list {
        let key = spelt(option.path());
        let value = match option {
            Meta::NameValue(pair) => Some(spelt_value(&pair.value)),
            Meta::Path(_) | Meta::List(_) => None,
        };
        match (key.as_str(), value) {
            ("group", Some(value)) => group = Some(value),
            ("kind", Some(value)) => kind = Some(value),
            ("version", Some(value)) if value.starts_with('"') => version = Some(value),
            ("version", Some(value)) => {
                others.push(format!("version = {value}"));
                number = value;
            }
            // Left out, because that is the default.
            ("namespaced", _) => {}
            ("printcolumn", _) => has_columns = true,
            ("scale", Some(_)) => moved
                .push("scale(spec = \".spec.replicas\", status = \".status.replicas\")".to_owned()),
            ("scope", Some(value)) => moved.push(format!("scope = {}", value.trim_matches('"'))),
            ("shortname", Some(value)) => moved.push(format!("short_names({value})")),
            ("short_names" | "categories" | "selectable", Some(value)) => {
                moved.push(format!("{key}({value})"));
            }
            (key, _) if OF_KUBE.contains(&key) => moved.push(spelt_option(option)),
            (_, _) => others.push(spelt_option(option)),
        }
    }
    let is_beside = beside.iter().any(|other| other.path().is_ident("kube"));
    let needed = |text: &str| (!is_beside).then(|| text.to_owned());
    let is_named = version.is_some();
    let version = version.or_else(|| needed("\"v1\""));
    let names = match (is_named, &version) {
        (true, _) => ", with the name of each version",
        // Not exact, because the name is the author's, and objects are stored with it.
        (false, Some(_)) => ", or another name of the version",
        (false, None) => "",
    };
    let options: Vec<String> = [("group", group), ("kind", kind)]
        .into_iter()
        .filter_map(|(key, value)| {
            let value = value.or_else(|| needed("\"…\""))?;
            Some(format!("{key} = {value}"))
        })
        .chain(moved)
        .chain(version.map(|version| format!("version({number} = {version}, storage)")))
        .collect();
    let written: Vec<String> = [(name, others), ("kube", options)]
        .into_iter()
        .filter(|(_, options)| !options.is_empty())
        .map(|(name, options)| format!("#[{name}({})]", options.join(", ")))
        .collect();
    let columns = if has_columns {
        "; each `printcolumn` becomes a `column(name = \"…\", path = \"…\", type = \"…\")` of it"
    } else {
        ""
    };
    if written.is_empty() {
        return format!("remove it{columns}");
    }
    format!("write `{}`{names}{columns}", written.join(" "))
}

/// Words of upstate's own attributes of a struct or enum.
const OWN_OF_CONTAINERS: [&str; 13] = [
    "version",
    "type_name",
    "prior",
    "oldest",
    "rename_all",
    "rename_all_fields",
    "deny_unknown_fields",
    "default",
    "tag",
    "content",
    "untagged",
    "transparent",
    "lenient",
];
/// Words of upstate's own attributes of a field or variant.
const OWN_OF_PARTS: [&str; 14] = [
    "name",
    "alias",
    "default",
    "skip",
    "skip_if",
    "flatten",
    "rest",
    "json",
    "with",
    "as_string",
    "sensitive",
    "recursive",
    "other",
    "untagged",
];

/// The value of a field that is not stored.
#[derive(Debug, Clone)]
pub(crate) enum Absent {
    /// The type's own, and the place of the word.
    Default(Span),
    /// An expression.
    Value(Box<Expr>),
    /// A function's.
    Function(Path),
}

/// The options of a struct or enum.
#[derive(Debug, Default)]
pub(crate) struct Container {
    /// The struct's own name, where it is stored.
    pub(crate) name: Option<String>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) rename_all_fields: Option<(Case, Span)>,
    pub(crate) denies_unknown: Option<Span>,
    pub(crate) default: Option<Absent>,
    pub(crate) default_at: Option<Span>,
    pub(crate) tag: Option<LitStr>,
    pub(crate) content: Option<LitStr>,
    pub(crate) untagged: Option<Span>,
    pub(crate) transparent: Option<Span>,
    pub(crate) lenient: bool,
    pub(crate) from: Option<(Type, bool)>,
    pub(crate) into: Option<Type>,
    pub(crate) crate_path: Option<Path>,
}

/// The options of a field.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) name: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) default: Option<Absent>,
    pub(crate) skip: Option<Span>,
    pub(crate) skip_if: Option<(Path, Span)>,
    pub(crate) flatten: Option<Span>,
    pub(crate) json: Option<Span>,
    /// A module of functions for serde.
    pub(crate) with: Option<Path>,
    /// A module of functions for upstate.
    pub(crate) module: Option<Path>,
    pub(crate) deserialize_with: Option<Path>,
    pub(crate) serialize_with: Option<Path>,
    pub(crate) as_string: Option<Span>,
    pub(crate) sensitive: Option<Span>,
    /// The type holds the struct itself.
    pub(crate) recursive: bool,
    pub(crate) rename_all: Option<Case>,
    pub(crate) other: Option<Span>,
    /// A variant whose values an earlier one may take.
    pub(crate) shadowed: bool,
    /// True if a variant is read where no tag fits.
    pub(crate) untagged: bool,
    /// The words of all options, and their places.
    pub(crate) words: Vec<(String, Span)>,
}

/// The input behind the `=` of an option.
fn value<'a>(meta: &ParseNestedMeta<'a>) -> syn::Result<ParseStream<'a>> {
    if !meta.input.peek(syn::token::Paren) {
        return meta.value();
    }
    let (key, inside) = (word(meta), parenthesized(meta)?);
    let written = match syn::parse2::<Expr>(inside) {
        Ok(Expr::Path(path)) => spelt(&path.path),
        Ok(Expr::Lit(literal)) => literal.to_token_stream().to_string(),
        Ok(_) | Err(_) => "…".to_owned(),
    };
    Err(syn::Error::new_spanned(
        &meta.path,
        format_args!("`{key}` takes its value behind `=`\nhelp: write `{key} = {written}`"),
    ))
}

/// The path that a string or an expression names.
fn path(meta: &ParseNestedMeta<'_>) -> syn::Result<Path> {
    let value = value(meta)?;
    let path: Path = if value.peek(LitStr) {
        value.parse::<LitStr>()?.parse()?
    } else {
        value.parse()?
    };
    if value.peek(syn::token::Paren) {
        let inside = parenthesized(meta)?;
        let module = if inside.is_empty() {
            "module".to_owned()
        } else {
            inside.to_string().replace(' ', "")
        };
        let message = format!(
            "`{}` takes nothing in parentheses\nhelp: for a module with `serialize` and `deserialize`, write `#[serde(with = \"{module}\")]`",
            spelt(&path)
        );
        return Err(syn::Error::new_spanned(path, message));
    }
    Ok(path)
}

/// The tokens in the parentheses that come next.
fn parenthesized(meta: &ParseNestedMeta<'_>) -> syn::Result<TokenStream> {
    let inside;
    syn::parenthesized!(inside in meta.input);
    inside.parse()
}

/// The type that a string names.
fn ty(meta: &ParseNestedMeta<'_>) -> syn::Result<Type> {
    let value = value(meta)?;
    if value.peek(LitStr) {
        value.parse::<LitStr>()?.parse()
    } else {
        value.parse()
    }
}

fn string(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    super::value::string(&word(meta), value(meta)?)
}

/// Skips the value of an option that means nothing here.
fn ignore(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        parenthesized(meta)?;
    }
    Ok(())
}

/// The name that serde has both for reading and for writing; two names are an error.
fn one_name(meta: &ParseNestedMeta<'_>, errors: &mut Errors) -> syn::Result<Option<LitStr>> {
    if !meta.input.peek(syn::token::Paren) {
        return string(meta).map(Some);
    }
    let (mut read, mut written) = (None, None);
    meta.parse_nested_meta(|inner| {
        let name = string(&inner)?;
        match word(&inner).as_str() {
            "serialize" => written = Some(name),
            "deserialize" => read = Some(name),
            other => {
                return Err(inner.error(format_args!(
                    "`{}` has no `{other}`\nhelp: write `{} = \"{}\"`",
                    word(meta),
                    word(meta),
                    name.value()
                )));
            }
        }
        Ok(())
    })?;
    match (read, written) {
        (Some(read), Some(written)) if read.value() == written.value() => Ok(Some(read)),
        (read, written) => {
            let shown = read
                .as_ref()
                .or(written.as_ref())
                .map(LitStr::value)
                .unwrap_or_default();
            errors.push(
                &meta.path,
                format_args!(
                    "a document reads its own output, so a name is for both\nhelp: write `{} = \"{shown}\"`; another name that is read is an `alias`, and a rename between versions is `#[upgrade_from(0 => 1, rename(old => new))]`",
                    word(meta)
                ),
            );
            Ok(read.or(written))
        }
    }
}

fn absent(meta: &ParseNestedMeta<'_>, is_serde: bool) -> syn::Result<Absent> {
    if !meta.input.peek(Token![=]) {
        return Ok(Absent::Default(meta.path.span()));
    }
    let value = meta.value()?;
    if is_serde && value.peek(LitStr) {
        return value.parse::<LitStr>()?.parse().map(Absent::Function);
    }
    value.parse().map(|value| Absent::Value(Box::new(value)))
}

/// The name that a field had, as other tools write it: `changed(from_name = "old")`.
fn former(meta: &ParseNestedMeta<'_>) -> Option<String> {
    let group = meta.input.fork().parse::<Group>().ok()?;
    // Not in the text of the tokens, because the compiler keeps the blanks of the author in it.
    let mut tokens = group.stream().into_iter();
    tokens.find(|token| matches!(token, TokenTree::Ident(key) if key == "from_name"))?;
    let behind: TokenStream = tokens.take(2).collect();
    let read = |input: ParseStream<'_>| {
        input.parse::<Token![=]>()?;
        input.parse::<LitStr>()
    };
    unquoted(&read.parse2(behind).ok()?)
}

fn options(
    attributes: &[Attribute],
    names: &[&str],
    words: &[&str],
    field: Option<&Ident>,
    errors: &mut Errors,
    mut each: impl FnMut(&ParseNestedMeta<'_>, &str, bool, &mut Errors) -> syn::Result<bool>,
) {
    for attribute in attributes {
        let Some(name) = names.iter().find(|name| attribute.path().is_ident(name)) else {
            continue;
        };
        let is_serde = *name == "serde";
        if matches!(attribute.meta, Meta::Path(_)) {
            continue;
        }
        let mut is_of_kube = false;
        let read = attribute.parse_nested_meta(|meta| {
            let key = word(&meta);
            if each(&meta, &key, is_serde, errors)? {
                return Ok(());
            }
            let known = if ONLY_OF_SERDE.contains(&key.as_str()) { &[][..] } else { words };
            if is_serde && let Some(word) = likeness::nearest(&key, known) {
                errors.push(&meta.path, format_args!("serde has no `{key}`\nhelp: did you mean `{word}`?"));
            } else if is_serde {
                errors.push(
                    &meta.path,
                    format_args!("a document does not know serde's `{key}`\nhelp: remove it, or derive only serde's traits and store the value with `#[attribute(json)]`"),
                );
            } else if names == CONTAINERS && OF_KUBE.contains(&key.as_str()) {
                // All of them are one mistake.
                if !std::mem::replace(&mut is_of_kube, true) {
                    let help = kube_options(name, attribute, attributes);
                    errors.push(
                        &meta.path,
                        format_args!("`{key}` belongs in `#[kube(…)]`, not in `#[{name}(…)]`\nhelp: {help}"),
                    );
                }
            } else {
                let known = if names == CONTAINERS { &OWN_OF_CONTAINERS[..] } else { &OWN_OF_PARTS };
                let nearest = likeness::nearest(&key, known);
                let elsewhere = ELSEWHERE.iter().find(|(word, meant)| *word == key && known.contains(meant));
                let of_others = OF_OTHERS.iter().find(|(word, _)| *word == key);
                let help = match (elsewhere, nearest, of_others) {
                    (Some((_, meant)), _, _) => format!("write `{meant}`"),
                    (None, Some(word), _) => format!("did you mean `{word}`?"),
                    (None, None, Some((_, help))) => {
                        let field = field.map_or_else(|| "field".to_owned(), Ident::to_string);
                        let old = former(&meta).unwrap_or_else(|| "old".to_owned());
                        help.replace("FIELD", &field).replace("OLD", &old)
                    }
                    (None, None, None) => format!("remove it; documents have `{}`", known.join("`, `")),
                };
                errors.push(&meta.path, format_args!("`#[{name}]` has no option `{key}` for documents [U0010]\nhelp: {help}"));
            }
            ignore(&meta)
        });
        if let Err(error) = read {
            errors.absorb(error);
        }
    }
}

/// The options of a struct or enum, also those of its versions, which are read elsewhere.
pub(crate) fn container(attributes: &[Attribute], errors: &mut Errors) -> Container {
    let mut container = Container::default();
    options(
        attributes,
        &CONTAINERS,
        &OF_CONTAINERS,
        None,
        errors,
        |meta, key, is_serde, errors| {
            match key {
                "rename_all" => {
                    container.rename_all =
                        one_name(meta, errors)?.and_then(|name| Case::of(&name, errors));
                }
                "rename_all_fields" => {
                    let case = one_name(meta, errors)?.and_then(|name| Case::of(&name, errors));
                    container.rename_all_fields = case.map(|case| (case, meta.path.span()));
                }
                "deny_unknown_fields" => container.denies_unknown = Some(meta.path.span()),
                "default" => {
                    container.default = Some(absent(meta, is_serde)?);
                    container.default_at = Some(meta.path.span());
                }
                "tag" => container.tag = Some(string(meta)?),
                "content" => container.content = Some(string(meta)?),
                "untagged" => container.untagged = Some(meta.path.span()),
                "transparent" => container.transparent = Some(meta.path.span()),
                "lenient" if !is_serde => container.lenient = true,
                "from" => container.from = Some((ty(meta)?, false)),
                "try_from" => container.from = Some((ty(meta)?, true)),
                "into" => container.into = Some(ty(meta)?),
                "crate" if !is_serde => container.crate_path = Some(path(meta)?),
                // Not for documents: they change messages or bounds of serde's code.
                "rename" if is_serde => {
                    container.name = one_name(meta, errors)?.map(|name| name.value());
                }
                "expecting" | "bound" | "crate" | "variant_identifier" | "field_identifier"
                    if is_serde =>
                {
                    ignore(meta)?;
                }
                // The options of versions, which `attr::options` reads.
                "version" | "prior" | "type_name" | "oldest" | "since" | "deprecated"
                    if !is_serde =>
                {
                    ignore(meta)?;
                }
                _ => return Ok(false),
            }
            Ok(true)
        },
    );
    container
}

/// The options of a field or variant; `field` is its name if it is a field that has one.
pub(crate) fn part(attributes: &[Attribute], field: Option<&Ident>, errors: &mut Errors) -> Part {
    let mut part = Part::default();
    options(
        attributes,
        &PARTS,
        &OF_PARTS,
        field,
        errors,
        |meta, key, is_serde, errors| {
            part.words.push((key.to_owned(), meta.path.span()));
            match key {
                "rename" if is_serde => part.name = one_name(meta, errors)?,
                "name" if !is_serde => part.name = one_name(meta, errors)?,
                "alias" => part.aliases.push(string(meta)?),
                "default" => part.default = Some(absent(meta, is_serde)?),
                "skip" => part.skip = Some(meta.path.span()),
                "skip_serializing_if" | "skip_if" => {
                    part.skip_if = Some((path(meta)?, meta.path.span()));
                }
                "flatten" | "rest" => part.flatten = Some(meta.path.span()),
                "json" if !is_serde => part.json = Some(meta.path.span()),
                "with" if is_serde => part.with = Some(path(meta)?),
                "with" => part.module = Some(path(meta)?),
                "deserialize_with" if is_serde => part.deserialize_with = Some(path(meta)?),
                "serialize_with" if is_serde => part.serialize_with = Some(path(meta)?),
                "as_string" if !is_serde => part.as_string = Some(meta.path.span()),
                "sensitive" if !is_serde => part.sensitive = Some(meta.path.span()),
                "recursive" if !is_serde => part.recursive = true,
                "rename_all" => {
                    part.rename_all =
                        one_name(meta, errors)?.and_then(|name| Case::of(&name, errors));
                }
                "other" => part.other = Some(meta.path.span()),
                "shadowed" if !is_serde => part.shadowed = true,
                "untagged" => part.untagged = true,
                "skip_serializing" | "skip_deserializing" if is_serde => {
                    errors.push(
                    &meta.path,
                    format_args!("`{key}` alone makes reading and writing differ\nhelp: remove it; `skip` is for a field that is not stored, and `skip_serializing_if` leaves out a value that `default` fills in"),
                );
                    ignore(meta)?;
                }
                "bound" | "borrow" if is_serde => ignore(meta)?,
                _ => return Ok(false),
            }
            Ok(true)
        },
    );
    part
}

impl ToTokens for Absent {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Default(span) => quote_spanned!(*span=> ::core::default::Default::default()),
            Self::Value(value)
                if matches!(
                    **value,
                    Expr::Lit(syn::ExprLit {
                        lit: syn::Lit::Str(_),
                        ..
                    })
                ) =>
            {
                quote_spanned!(value.span()=> (#value).into())
            }
            Self::Value(value) => value.to_token_stream(),
            Self::Function(path) => {
                quote_spanned!(path.span()=> __upstate::DefaultFrom::value(#path()))
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use syn::{Attribute, Ident, parse_quote};

    use super::{OF_CONTAINERS, OF_PARTS, OWN_OF_CONTAINERS, OWN_OF_PARTS, container, part};
    use crate::errors::Errors;

    /// The lists that help names are of words that are read.
    #[test]
    fn every_word_that_help_proposes_is_read() {
        let is_known = |attribute: &str, word: &str, is_container: bool| {
            let [attribute, word] =
                [attribute, word].map(|name| Ident::new(name, proc_macro2::Span::call_site()));
            let attribute: Attribute = parse_quote!(#[#attribute(#word = "snake_case")]);
            let mut errors = Errors::default();
            if is_container {
                container(&[attribute], &mut errors);
            } else {
                part(&[attribute], None, &mut errors);
            }
            let messages = errors.messages().join("\n");
            !["no option", "does not know", "has no"]
                .iter()
                .any(|words| messages.contains(words))
        };
        for (attribute, words, is_container) in [
            ("serde", &OF_CONTAINERS[..], true),
            ("serde", &OF_PARTS, false),
            ("document", &OWN_OF_CONTAINERS, true),
            ("attribute", &OWN_OF_PARTS, false),
        ] {
            for word in words {
                assert!(
                    is_known(attribute, word, is_container),
                    "{attribute}({word})"
                );
            }
            assert!(!is_known(attribute, "nonsense", is_container));
        }
    }

    #[test]
    fn helps_about_versions_name_the_field() {
        let field: Ident = parse_quote!(zone);
        let helps = |attribute: Attribute, field: Option<&Ident>| {
            let mut errors = Errors::default();
            part(&[attribute], field, &mut errors);
            errors.messages().join("\n")
        };
        let changed: Attribute = parse_quote!(#[attribute(changed(from_name = "region"))]);
        assert!(helps(changed, Some(&field)).contains("rename(region => zone)"));
        let changed: Attribute = parse_quote!(#[attribute(changed(since = "v1", from_name = "old-name", from_type = "u8"))]);
        assert!(helps(changed, Some(&field)).contains("rename(\"old-name\" => zone)"));
        let changed: Attribute = parse_quote!(#[attribute(changed(from_name = "type"))]);
        assert!(helps(changed, Some(&field)).contains("rename(r#type => zone)"));
        let changed: Attribute = parse_quote!(#[attribute(changed(since = "v1"))]);
        assert!(helps(changed, None).contains("rename(old => field)"));
        let added: Attribute = parse_quote!(#[attribute(added)]);
        assert!(helps(added, Some(&field)).contains("set(zone = value)"));
    }
}
