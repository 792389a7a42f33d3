//! `#[kube(…)]`: what Kubernetes wants to know of a document that is a custom resource.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, LitInt, LitStr, Meta, Path, Token};
use upstate_words::case::pascal;
use upstate_words::custom_resource::Maturity;

use super::list::rest_of_piece;
use super::value::{spelt, spelt_option, spelt_value, string, word};
use super::{ATTRIBUTE, AttributeOptions};
use crate::errors::Errors;
use crate::likeness;

/// The options, in the order in which messages list them.
const OPTIONS: [&str; 14] = [
    "group",
    "kind",
    "plural",
    "singular",
    "short_names",
    "categories",
    "scope",
    "status",
    "version",
    "column",
    "selectable",
    "scale",
    "rule",
    "crate",
];
/// Options of the document, but for `version`, which is one here, too.
const OF_DOCUMENTS: [&str; 8] = [
    "type_name",
    "prior",
    "oldest",
    "rename_all",
    "rename_all_fields",
    "deny_unknown_fields",
    "default",
    "lenient",
];
const OF_VERSIONS: [&str; 3] = ["served", "deprecated", "storage"];
const OF_COLUMNS: [&str; 6] = ["name", "path", "type", "format", "description", "priority"];
const OF_SCALE: [&str; 3] = ["spec", "status", "selector"];
const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
/// The options of a field.
const OF_FIELDS: [&str; 13] = [
    "int_or_string",
    "schema",
    "nullable",
    "list_type",
    "list_map_keys",
    "map_type",
    "rule",
    "length",
    "range",
    "pattern",
    "one_of",
    "none_of",
    "each",
];
/// Those that are checks, as a resource of Terraform has them in `#[attribute(…)]`.
const CHECKS: [&str; 6] = ["length", "range", "pattern", "one_of", "none_of", "each"];
const LIST_TYPES: [&str; 3] = ["atomic", "set", "map"];
const MAP_TYPES: [&str; 2] = ["atomic", "granular"];
/// The longest text that the server takes for `deprecationWarning`.
const LONGEST_WARNING: usize = 256;

/// A custom resource.
#[derive(Debug, Default)]
pub(crate) struct Kube {
    /// The place of the attribute.
    pub(crate) place: Option<Path>,
    pub(crate) group: Option<LitStr>,
    pub(crate) kind: Option<LitStr>,
    pub(crate) plural: Option<LitStr>,
    pub(crate) singular: Option<LitStr>,
    pub(crate) short_names: Vec<LitStr>,
    pub(crate) categories: Vec<LitStr>,
    pub(crate) is_cluster_wide: bool,
    pub(crate) status: Option<Path>,
    pub(crate) versions: Vec<Version>,
    pub(crate) columns: Vec<Column>,
    pub(crate) selectable: Vec<LitStr>,
    pub(crate) scale: Option<Scale>,
    /// Rules of the whole spec, each with its message.
    pub(crate) rules: Vec<(LitStr, LitStr)>,
    pub(crate) crate_path: Option<Path>,
}

/// An option of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfField {
    IntOrString,
    OwnSchema,
    Nullable,
    ListType,
    ListMapKey,
    MapType,
    Rule,
    RuleMessage,
}

/// A version.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) number: u64,
    pub(crate) literal: LitInt,
    pub(crate) name: LitStr,
    pub(crate) served: bool,
    pub(crate) storage: Option<Span>,
    pub(crate) is_deprecated: bool,
    pub(crate) warning: Option<LitStr>,
}

/// A column of `kubectl get`.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: LitStr,
    pub(crate) path: LitStr,
    pub(crate) ty: LitStr,
    pub(crate) format: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) priority: Option<LitInt>,
}

/// The paths of the scale subresource.
#[derive(Debug)]
pub(crate) struct Scale {
    pub(crate) spec: LitStr,
    pub(crate) status: LitStr,
    pub(crate) selector: Option<LitStr>,
}

/// The attribute, if there is one; mistakes in its form are recorded.
pub(crate) fn kube(attributes: &[Attribute], errors: &mut Errors) -> Option<Kube> {
    let mut kube = Kube::default();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("kube"))
    {
        kube.place.get_or_insert_with(|| attribute.path().clone());
        let mut is_of_document = false;
        let read = attribute.parse_nested_meta(|meta| {
            let key = word(&meta);
            if !OF_DOCUMENTS.contains(&key.as_str()) {
                return kube.option(&meta, errors);
            }
            // All of them are one mistake.
            if !std::mem::replace(&mut is_of_document, true) {
                let help = document_options(attribute, attributes);
                errors.push(
                    &meta.path,
                    format_args!(
                        "`{key}` belongs in `#[document(…)]`, not in `#[kube(…)]`\nhelp: {help}"
                    ),
                );
            }
            skip(&meta)
        });
        if let Err(error) = read {
            errors.absorb(error);
        }
    }
    kube.place.is_some().then_some(kube)
}

/// The help that moves the options of a document to their attribute, and leaves the others.
fn document_options(attribute: &Attribute, beside: &[Attribute]) -> String {
    let list = attribute
        .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        .unwrap_or_default();
    let (moved, others): (Vec<&Meta>, Vec<&Meta>) = list
        .iter()
        .partition(|option| OF_DOCUMENTS.contains(&spelt(option.path()).as_str()));
    let [moved, others] = [moved, others].map(|options| {
        let options: Vec<String> = options.into_iter().map(spelt_option).collect();
        options.join(", ")
    });
    if beside.iter().any(|other| other.path().is_ident("document")) {
        format!("move `{moved}` there")
    } else if others.is_empty() {
        format!("write `#[document({moved})]`")
    } else {
        format!("write `#[document({moved})] #[kube({others})]`")
    }
}

/// The text of an option; `once` is where it goes.
fn once(
    meta: &ParseNestedMeta<'_>,
    once: &mut Option<LitStr>,
    errors: &mut Errors,
) -> syn::Result<()> {
    let value = string(&word(meta), meta.value()?)?;
    if once.replace(value).is_some() {
        errors.push(
            &meta.path,
            format_args!(
                "`{}` is written twice\nhelp: remove one of them",
                word(meta)
            ),
        );
    }
    Ok(())
}

/// A list in parentheses.
fn list<T: Parse>(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<T>> {
    let inside;
    syn::parenthesized!(inside in meta.input);
    Ok(inside
        .parse_terminated(T::parse, Token![,])?
        .into_iter()
        .collect())
}

/// Refuses an option, and skips its value so that the others are read.
fn unknown(
    meta: &ParseNestedMeta<'_>,
    of: &str,
    known: &[&str],
    errors: &mut Errors,
) -> syn::Result<()> {
    let key = word(meta);
    let nearest = likeness::nearest(&key, known);
    let help = match nearest {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("there are `{}`", known.join("`, `")),
    };
    errors.push(
        &meta.path,
        format_args!("{of} has no option `{key}` [U0010]\nhelp: {help}"),
    );
    skip(meta)
}

/// Skips the value of an option.
fn skip(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let inside;
        syn::parenthesized!(inside in meta.input);
        inside.parse::<TokenStream>()?;
    }
    Ok(())
}

/// A rule and its message.
fn rule(meta: &ParseNestedMeta<'_>, errors: &mut Errors) -> syn::Result<Option<(LitStr, LitStr)>> {
    let inside;
    syn::parenthesized!(inside in meta.input);
    let rule: LitStr = inside.parse()?;
    let mut message = None;
    if inside.peek(Token![,]) {
        inside.parse::<Token![,]>()?;
        if !inside.is_empty() {
            let key: Ident = inside.parse()?;
            inside.parse::<Token![=]>()?;
            let text: LitStr = inside.parse()?;
            if key == "message" {
                message = Some(text);
            } else {
                errors.push(
                    &key,
                    format_args!(
                        "a rule has no option `{key}` [U0010]\nhelp: write `message = {}`",
                        text.token()
                    ),
                );
                return Ok(None);
            }
        }
    }
    match message {
        _ if rule.value().trim().is_empty() => {
            errors.push(&rule, "this rule is empty\nhelp: write an expression of CEL, such as `\"self <= 300\"`");
        }
        None => errors.push(
            &rule,
            format_args!("a rule has a message for the user whom it refuses\nhelp: write `rule({}, message = \"…\")` with the values that are allowed", rule.token()),
        ),
        // Refused, since the server refuses a definition with such a message.
        Some(text) if text.value().trim().is_empty() || text.value().contains('\n') => {
            errors.push(&text, "the message of a rule is one line\nhelp: describe the allowed values");
        }
        Some(message) => return Ok(Some((rule, message))),
    }
    Ok(None)
}

/// The options of a field, and its checks; mistakes are recorded.
pub(crate) fn field(
    attributes: &[Attribute],
    errors: &mut Errors,
) -> (Vec<(OfField, LitStr)>, AttributeOptions) {
    let mut facts = Vec::new();
    let mut checks = Vec::<TokenStream>::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("kube"))
    {
        if let Err(error) =
            attribute.parse_nested_meta(|meta| field_option(&meta, &mut facts, &mut checks, errors))
        {
            errors.absorb(error);
        }
    }
    let one_of = checks.iter().any(|check| {
        check
            .clone()
            .into_iter()
            .next()
            .is_some_and(|word| word.to_string() == "one_of")
    });
    let checks = super::options(
        &ATTRIBUTE,
        &[syn::parse_quote!(#[attribute(#(#checks),*)])],
        errors,
    )
    .given;
    let first = |wanted: OfField| {
        facts
            .iter()
            .find(|(about, _)| *about == wanted)
            .map(|(_, text)| text)
    };
    if let Some(nullable) = first(OfField::Nullable)
        && one_of
    {
        errors.push(
            nullable,
            "Kubernetes does not take null with the values of `one_of`\nhelp: remove `nullable`: a field that is absent is `None`, too",
        );
    }
    if let (Some(schema), Some(_)) = (first(OfField::OwnSchema), first(OfField::IntOrString)) {
        errors.push(
            schema,
            "the schema of a type says whether it is a number or a string\nhelp: remove `int_or_string`, or `schema` if the type has none",
        );
    }
    let is_map = first(OfField::ListType).is_some_and(|text| text.value() == "map");
    match (first(OfField::ListType), first(OfField::ListMapKey)) {
        (Some(list_type), None) if is_map => errors.push(
            list_type,
            "a list that is a map has keys\nhelp: write `list_map_keys(\"name\")`, the stored names of the fields that tell its elements apart",
        ),
        (_, Some(key)) if !is_map => {
            errors.push(key, "a list with keys is a map\nhelp: write `list_type = \"map\"` too, or remove `list_map_keys`");
        }
        _ => {}
    }
    (facts, checks)
}

fn field_option(
    meta: &ParseNestedMeta<'_>,
    facts: &mut Vec<(OfField, LitStr)>,
    checks: &mut Vec<TokenStream>,
    errors: &mut Errors,
) -> syn::Result<()> {
    let key = word(meta);
    if CHECKS.contains(&key.as_str()) {
        let path = &meta.path;
        checks.push(if meta.input.peek(Token![=]) {
            let value: syn::Expr = meta.value()?.parse()?;
            quote!(#path = #value)
        } else {
            let inside;
            syn::parenthesized!(inside in meta.input);
            let inside: TokenStream = inside.parse()?;
            quote!(#path(#inside))
        });
        return Ok(());
    }
    let mut one_of = |about: OfField, words: &[&str]| {
        let text: LitStr = meta.value()?.parse()?;
        if words.contains(&text.value().as_str()) {
            facts.push((about, text));
        } else {
            let help = format!("there are `\"{}\"`", words.join("\"`, `\""));
            errors.push(
                &text,
                format_args!("Kubernetes has no such `{key}`\nhelp: {help}"),
            );
        }
        Ok(())
    };
    match key.as_str() {
        "int_or_string" | "nullable" | "schema" => {
            let place = meta
                .path
                .get_ident()
                .map_or_else(Span::call_site, Ident::span);
            let about = match key.as_str() {
                "nullable" => OfField::Nullable,
                "schema" => OfField::OwnSchema,
                _ => OfField::IntOrString,
            };
            facts.push((about, LitStr::new("true", place)));
            Ok(())
        }
        "list_type" => one_of(OfField::ListType, &LIST_TYPES),
        "map_type" => one_of(OfField::MapType, &MAP_TYPES),
        "list_map_keys" => {
            facts.extend(
                list(meta)?
                    .into_iter()
                    .map(|key| (OfField::ListMapKey, key)),
            );
            Ok(())
        }
        "rule" => {
            if let Some((rule, message)) = rule(meta, errors)? {
                facts.extend([(OfField::Rule, rule), (OfField::RuleMessage, message)]);
            }
            Ok(())
        }
        "preserve_unknown_fields" => {
            errors.push(
                &meta.path,
                "the type of the field says whether members that no field names are kept\nhelp: write `#[attribute(rest)]` on a map in the struct that has them, or `#[attribute(json)]` here for any JSON",
            );
            skip(meta)
        }
        key if OPTIONS.contains(&key) => {
            errors.push(
                &meta.path,
                format_args!(
                    "`{key}` is an option of a custom resource\nhelp: write it on the struct"
                ),
            );
            skip(meta)
        }
        _ => unknown(meta, "`#[kube]` of a field", &OF_FIELDS, errors),
    }
}

impl Kube {
    fn option(&mut self, meta: &ParseNestedMeta<'_>, errors: &mut Errors) -> syn::Result<()> {
        match word(meta).as_str() {
            "group" => once(meta, &mut self.group, errors),
            "kind" => once(meta, &mut self.kind, errors),
            "plural" => once(meta, &mut self.plural, errors),
            "singular" => once(meta, &mut self.singular, errors),
            "short_names" => list(meta).map(|names| self.short_names.extend(names)),
            "categories" => list(meta).map(|names| self.categories.extend(names)),
            "selectable" => list(meta).map(|paths| self.selectable.extend(paths)),
            "status" => meta.value()?.parse().map(|path| self.status = Some(path)),
            "crate" => meta
                .value()?
                .parse()
                .map(|path| self.crate_path = Some(path)),
            "scope" => {
                let scope: Ident = meta.value()?.parse()?;
                match scope.to_string().as_str() {
                    "Cluster" => self.is_cluster_wide = true,
                    "Namespaced" => {}
                    _ => errors.push(&scope, "a custom resource is `Namespaced` or `Cluster`\nhelp: write `scope = Namespaced`, which is the default, or `scope = Cluster`"),
                }
                Ok(())
            }
            "version" => self.version(meta, errors),
            "column" => self.column(meta, errors),
            "scale" => self.scale(meta, errors),
            "rule" => {
                self.rules.extend(rule(meta, errors)?);
                Ok(())
            }
            key if OF_FIELDS.contains(&key) => {
                let value = rest_of_piece(&meta.input.fork())?.to_string();
                let blank = if value.starts_with('=') { " " } else { "" };
                errors.push(
                    &meta.path,
                    format_args!("`{key}` is an option of a field\nhelp: write `#[kube({key}{blank}{value})]` on the field"),
                );
                skip(meta)
            }
            _ => unknown(meta, "`#[kube]`", &OPTIONS, errors),
        }
    }

    fn version(&mut self, meta: &ParseNestedMeta<'_>, errors: &mut Errors) -> syn::Result<()> {
        if meta.input.peek(Token![=]) {
            let value: syn::Expr = meta.value()?.parse()?;
            let value = spelt_value(&value);
            // Not exact without a name, because it is the author's, and objects are stored with it.
            let (number, name, or) = if value.starts_with('"') {
                ("0", value.as_str(), "")
            } else {
                (value.as_str(), "\"v1\"", ", or another name")
            };
            errors.push(
                &meta.path,
                format_args!("a version is a number of the document and its name in Kubernetes\nhelp: write `version({number} = {name}, storage)`{or}"),
            );
            return Ok(());
        }
        let inside;
        syn::parenthesized!(inside in meta.input);
        let literal: LitInt = inside.parse()?;
        let number = literal.base10_parse()?;
        inside.parse::<Token![=]>()?;
        let name: LitStr = inside.parse()?;
        let mut version = Version {
            number,
            literal,
            name,
            served: true,
            storage: None,
            is_deprecated: false,
            warning: None,
        };
        while !inside.is_empty() {
            inside.parse::<Token![,]>()?;
            if inside.is_empty() {
                break;
            }
            let key: Ident = inside.parse()?;
            match key.to_string().as_str() {
                "storage" => version.storage = Some(key.span()),
                "served" => {
                    inside.parse::<Token![=]>()?;
                    version.served = inside.parse::<syn::LitBool>()?.value;
                }
                "deprecated" => {
                    version.is_deprecated = true;
                    if inside.peek(Token![=]) {
                        inside.parse::<Token![=]>()?;
                        version.warning = Some(inside.parse()?);
                    }
                }
                other => {
                    let nearest = likeness::nearest(other, OF_VERSIONS);
                    let help = nearest.map_or_else(
                        || "there are `served = false`, `deprecated = \"…\"`, `storage`".to_owned(),
                        |word| format!("did you mean `{word}`?"),
                    );
                    errors.push(
                        &key,
                        format_args!("a version has no option `{other}` [U0010]\nhelp: {help}"),
                    );
                    if inside.peek(Token![=]) {
                        inside.parse::<Token![=]>()?;
                        inside.parse::<syn::Expr>()?;
                    }
                }
            }
        }
        self.versions.push(version);
        Ok(())
    }

    fn column(&mut self, meta: &ParseNestedMeta<'_>, errors: &mut Errors) -> syn::Result<()> {
        let [mut name, mut path, mut ty, mut format, mut description] =
            [const { None::<LitStr> }; 5];
        let mut priority = None;
        meta.parse_nested_meta(|inner| match word(&inner).as_str() {
            "name" => once(&inner, &mut name, errors),
            "path" => once(&inner, &mut path, errors),
            "type" => once(&inner, &mut ty, errors),
            "format" => once(&inner, &mut format, errors),
            "description" => once(&inner, &mut description, errors),
            "priority" => inner
                .value()?
                .parse()
                .map(|number: LitInt| priority = Some(number)),
            _ => unknown(&inner, "a column", &OF_COLUMNS, errors),
        })?;
        match (name, path, ty) {
            (Some(name), Some(path), Some(ty)) => {
                if !TYPES.contains(&ty.value().as_str()) {
                    let help = format!("there are `{}`", TYPES.join("`, `"));
                    errors.push(
                        &ty,
                        format_args!("a column has no type {:?}\nhelp: {help}", ty.value()),
                    );
                }
                self.columns.push(Column {
                    name,
                    path,
                    ty,
                    format,
                    description,
                    priority,
                });
            }
            (name, path, ty) => {
                let [name, path, ty] = [name, path, ty].map(|text| {
                    text.map_or_else(|| "\"…\"".to_owned(), |text| text.token().to_string())
                });
                let types = TYPES.join("`, `");
                errors.push(
                    &meta.path,
                    format_args!("a column has a name, a path and a type\nhelp: write `column(name = {name}, path = {path}, type = {ty})`; the types are `{types}`"),
                );
            }
        }
        Ok(())
    }

    fn scale(&mut self, meta: &ParseNestedMeta<'_>, errors: &mut Errors) -> syn::Result<()> {
        let [mut spec, mut status, mut selector] = [const { None::<LitStr> }; 3];
        meta.parse_nested_meta(|inner| match word(&inner).as_str() {
            "spec" => once(&inner, &mut spec, errors),
            "status" => once(&inner, &mut status, errors),
            "selector" => once(&inner, &mut selector, errors),
            _ => unknown(&inner, "`scale`", &OF_SCALE, errors),
        })?;
        match (spec, status) {
            (Some(spec), Some(status)) => self.scale = Some(Scale { spec, status, selector }),
            _ => errors.push(
                &meta.path,
                "the scale subresource has a path of the spec and one of the status\nhelp: write `scale(spec = \".spec.replicas\", status = \".status.replicas\")`",
            ),
        }
        Ok(())
    }

    /// Checks all that needs no document; the struct's name and version, if it has one, are for
    /// helps.
    pub(crate) fn check(&self, ident: &Ident, current: Option<u64>, errors: &mut Errors) {
        let Some(place) = &self.place else {
            return;
        };
        match &self.group {
            None => errors.push(place, "a custom resource has a group\nhelp: write `group = \"example.com\"`, a domain of yours"),
            Some(group) if !is_subdomain(&group.value()) => {
                let lower = group.value().to_lowercase();
                let below = format!("{lower}.example.com");
                // As it is first, because a domain may lack nothing but small letters.
                let mut own = [lower.as_str(), below.as_str()].into_iter();
                let example = own.find(|name| is_subdomain(name));
                let example = example.unwrap_or("ferry.example.com");
                errors.push(
                    group,
                    format_args!("a group is a domain: labels of small letters, digits and `-`, with a dot between them\nhelp: write `group = \"{example}\"`"),
                );
            }
            Some(_) => {}
        }
        match &self.kind {
            None => errors.push(
                place,
                format_args!(
                    "a custom resource has a kind\nhelp: write `kind = \"{}\"`",
                    kind_of(ident)
                ),
            ),
            Some(kind) if !is_label(&kind.value().to_lowercase()) => {
                let example = kind_of(ident);
                errors.push(kind, format_args!("a kind is letters and digits, and begins with a letter\nhelp: write `kind = \"{example}\"`"));
            }
            Some(_) => {}
        }
        for (names, of) in [
            (self.plural.as_slice(), "plural"),
            (self.singular.as_slice(), "singular"),
            (self.short_names.as_slice(), "short name"),
            (self.categories.as_slice(), "category"),
        ] {
            for name in names.iter().filter(|name| !is_label(&name.value())) {
                let help = fitting(&name.value());
                errors.push(
                    name,
                    format_args!(
                        "a {of} is small letters, digits and `-`, and begins with a letter{help}"
                    ),
                );
            }
        }
        self.check_versions(place, current, errors);
        for column in &self.columns {
            if !column.path.value().starts_with('.') {
                errors.push(
                    &column.path,
                    format_args!(
                        "the path of a column begins with a dot\nhelp: write `path = \".{}\"`",
                        column.path.value()
                    ),
                );
            }
        }
        for path in self
            .selectable
            .iter()
            .filter(|path| !path.value().starts_with(".spec."))
        {
            errors.push(path, "a selectable field is one of the spec\nhelp: write its path, such as `\".spec.colour\"`");
        }
        if let Some(scale) = &self.scale {
            for (path, start) in [
                (Some(&scale.spec), ".spec."),
                (Some(&scale.status), ".status."),
                (scale.selector.as_ref(), ".status."),
            ] {
                if let Some(path) = path.filter(|path| !path.value().starts_with(start)) {
                    errors.push(
                        path,
                        format_args!(
                            "this path begins with `{start}`\nhelp: write `\"{start}replicas\"`"
                        ),
                    );
                }
            }
            if self.status.is_none() {
                errors.push(
                    &scale.status,
                    format_args!("this custom resource has no status, so there is nothing to scale by\nhelp: add `status = {}Status` to `#[kube(…)]`, or the document that is its status", ident.unraw()),
                );
            }
        }
    }

    fn check_versions(&self, place: &Path, current: Option<u64>, errors: &mut Errors) {
        if self.versions.is_empty() {
            let current = current.unwrap_or_default();
            errors.push(
                place,
                format_args!(
                    "a custom resource has a version\nhelp: write `version({current} = \"v1alpha1\", storage)`"
                ),
            );
            return;
        }
        for (index, version) in self.versions.iter().enumerate() {
            let before = self.versions.get(..index).unwrap_or_default();
            let name = version.name.value();
            if before.iter().any(|other| other.number == version.number) {
                errors.push(
                    &version.literal,
                    format_args!(
                        "version {} is named twice\nhelp: remove one of the names",
                        version.number
                    ),
                );
            }
            if before.iter().any(|other| other.name.value() == name) {
                errors.push(
                    &version.name,
                    format_args!(
                        "two versions are named `{name}`\nhelp: give one of them another name"
                    ),
                );
            }
            if !is_version(&name) {
                errors.push(
                    &version.name,
                    format_args!("`{name}` is not the name of a version of Kubernetes\nhelp: write `\"v1alpha1\"`, `\"v1beta1\"`, `\"v1\"` or the like: the order of versions and the deprecation policy follow from the name"),
                );
            }
            if let Some(warning) = &version.warning {
                let text = warning.value();
                if text.chars().count() > LONGEST_WARNING || text.chars().any(char::is_control) {
                    errors.push(
                        warning,
                        format_args!("Kubernetes takes a warning of one line and at most {LONGEST_WARNING} characters\nhelp: shorten it, or write `deprecated` alone, for a warning of Kubernetes' own"),
                    );
                }
            }
            if let (Some(span), Some(first)) = (
                version.storage,
                before.iter().find(|other| other.storage.is_some()),
            ) {
                errors.push(
                    Ident::new("storage", span),
                    format_args!(
                        "objects are stored in one version, and `{}` is it already\nhelp: remove one `storage`",
                        first.name.value()
                    ),
                );
            }
        }
        if self
            .versions
            .iter()
            .all(|version| version.storage.is_none())
        {
            let newest = self.versions.iter().max_by_key(|version| version.number);
            let example = newest.map(|version| {
                format!(
                    "version({} = \"{}\", storage)",
                    version.number,
                    version.name.value()
                )
            });
            errors.push(
                place,
                format_args!(
                    "no version is the one that objects are stored in\nhelp: write `{}`",
                    example.unwrap_or_default()
                ),
            );
        }
    }

    /// Checks the versions against those of the document.
    pub(crate) fn check_numbers(&self, oldest: u64, current: u64, errors: &mut Errors) {
        for version in &self.versions {
            if version.number > current {
                errors.push(
                    &version.literal,
                    format_args!("the document's version is {current}, so there is no version {} yet\nhelp: raise `version` in `#[document(…)]`, or name an earlier one", version.number),
                );
            } else if version.number < oldest {
                errors.push(
                    &version.literal,
                    format_args!("the oldest version that is supported is {oldest}, so version {} cannot be served\nhelp: remove it here, or write `oldest = {}` in `#[document(…)]`", version.number, version.number),
                );
            }
        }
        if !self.versions.is_empty()
            && self
                .versions
                .iter()
                .all(|version| version.number != current)
            && let Some(place) = &self.place
        {
            errors.push(
                place,
                format_args!(
                    "version {current}, which the struct describes, has no name\nhelp: write `version({current} = \"v1\")`"
                ),
            );
        }
    }
}

/// The name of a struct as a kind, if Kubernetes takes it.
fn kind_of(ident: &Ident) -> String {
    let kind = pascal(&ident.unraw().to_string());
    if is_label(&kind.to_lowercase()) {
        kind
    } else {
        "Boat".to_owned()
    }
}

/// The help for a name that Kubernetes does not take, if small letters are all that it lacks.
fn fitting(name: &str) -> String {
    let lower = name.to_lowercase();
    if is_label(&lower) {
        format!("\nhelp: write `\"{lower}\"`")
    } else {
        String::new()
    }
}

/// A label of RFC 1035 in small letters.
fn is_label(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.len() <= 63
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.ends_with('-')
        && name.bytes().all(is_inner)
}

fn is_subdomain(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(is_inner)
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    name.len() <= 253 && name.contains('.') && name.split('.').all(is_part)
}

/// `v1`, `v1beta2`, `v12alpha1`.
fn is_version(name: &str) -> bool {
    Maturity::of(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::{is_label, is_subdomain, is_version};

    #[test]
    fn names_are_those_that_kubernetes_takes() {
        for (name, fits) in [
            ("v1", true),
            ("v1beta2", true),
            ("v12alpha1", true),
            ("v1.2", false),
            ("foo", false),
            ("v0", false),
            ("v1beta", false),
        ] {
            assert_eq!(is_version(name), fits, "{name}");
        }
        for (name, fits) in [
            ("boats", true),
            ("b", true),
            ("b-1", true),
            ("Boats", false),
            ("1b", false),
            ("b-", false),
            ("", false),
            ("-", false),
        ] {
            assert_eq!(is_label(name), fits, "{name}");
        }
        for (name, fits) in [
            ("ferry.example.com", true),
            ("example", false),
            ("a..b", false),
            ("A.b", false),
            ("a.-b", false),
        ] {
            assert_eq!(is_subdomain(name), fits, "{name}");
        }
    }
}
