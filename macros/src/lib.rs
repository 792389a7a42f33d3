//! Derive macros of upstate, which re-exports them. Depend on that crate, not on this one.
//!
//! Data flows one way: `attr` reads what the user wrote, `model` checks it and settles every name and version, `expand` writes code.

#[cfg(test)]
mod advice;
mod any_of;
mod attr;
mod errors;
mod expand;
#[cfg(test)]
mod golden;
mod lock;
mod model;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use self::errors::Errors;
use self::model::Derive;

/// Makes a struct a model: the shape of a resource at one schema version.
///
/// ```
/// # extern crate renamed as upstate;
/// use upstate::Resource;
///
/// /// A thing, as version 1 stores it.
/// #[derive(Debug, PartialEq, Resource)]
/// #[resource(type_name = "example_thing", version = 1)]
/// #[upgrade_from(0, model = ThingV0)]
/// struct Thing {
///     /// Assigned by the API.
///     #[attribute(computed)]
///     id: String,
///     size: Option<i64>,
/// }
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_thing", version = 0)]
/// struct ThingV0 {
///     id: String,
/// }
///
/// impl From<ThingV0> for Thing {
///     fn from(prior: ThingV0) -> Self {
///         Thing { id: prior.id, size: None }
///     }
/// }
///
/// let thing: Thing = upstate::upgrade_json(0, r#"{"id": "a"}"#)?;
/// assert_eq!(thing, Thing { id: "a".into(), size: None });
/// # Ok::<(), upstate::Diagnostics>(())
/// ```
///
/// It implements `upstate::Resource` and `upstate::Object`: the schema, a decoder and an encoder as constant tables, and the route
/// from each stored version to this one. Doc comments become descriptions. The struct has named fields and no parameters.
///
/// # `#[resource(…)]`, on the struct
///
/// | option | |
/// |---|---|
/// | `version = 2` | the schema version, a literal; 0 unless given |
/// | `prior` | only a shape that other models are upgraded from: no upgrader has to lead to it, and no registry accepts it |
/// | `stateless` | it is never stored: the model of a data source, an ephemeral resource, a list, an action or a function. The lock does not pin it |
/// | `type_name = "…"` | the resource's type; the struct's name in `snake_case` without a trailing `V<n>` unless given |
/// | `oldest = 1` | the oldest stored version that can still be read; 0 unless given |
/// | `migrate_state = path` | flat state (of Terraform 0.11) older than `oldest` is first brought to that version by `fn(u64, BTreeMap<String, String>, &mut UpgradeContext<'_>) -> Result<BTreeMap<String, String>, E>` |
/// | `since("1.4.0" => 2, …)` | the release that first wrote each version; messages about versions name it |
/// | `identity = ThingIdentity` | the model of the resource's identity, a struct that derives `Resource` with versions of its own |
/// | `plan` | `create` and `update` of a provider get a type of its own, `ThingPlan`, in which what the provider says is `upstate::Computed`; and `Thing::PATHS` has the paths of all fields |
/// | `deprecated = "…"` | the resource is deprecated; the message says what to use instead. [There are more options](#declared-facts) |
/// | `conflicts_with(a, b)` | the user sets at most one of these fields. Several constraints of one kind: `conflicts_with((a, b), (a, c))`. [More on constraints](#declared-facts) |
/// | `exactly_one_of(a, b)` | the user sets exactly one of these fields |
/// | `at_least_one_of(a, b)` | the user sets one of these fields or more |
/// | `required_with(a, b)` | if the user sets one of these fields, all must be set |
/// | `id_format = "{project}/{name}"` | how `id` is made from fields |
/// | `import_format = "{project}/{name}"` | a form of id that can be imported; may be given several times |
/// | `read = none` | outside the state there is nothing to read |
/// | `tier = preview` | how stable it is: `stable` (the default), `preview`, `experimental` |
/// | `destroy = "…"` | what destroying it does, in a word of yours: `"abandons"` |
/// | `behaviour("restarts on resize", since = "3.0.0", flag = field)` | something that it does in another way since a release, which no schema shows; `flag` is the `bool` that switches it on, if there is one |
/// | `allow("rule", reason = "…", until = "3.0.0")` | a waiver: findings of the rule, or of several rules, do not fail here; `path = "…"` names a removed attribute |
/// | `crate = ::path` | where the upstate crate is, if it is not `::upstate` |
///
#[doc = include_str!("../docs/upgraders.md")]
///
#[doc = include_str!("../docs/operators.md")]
///
#[doc = include_str!("../docs/facts.md")]
///
/// # `#[attribute(…)]`, on a field
///
/// A field's type is one that implements `upstate::AttributeType`: `bool`, `String`, `upstate::Number`, integers of up to 64 bits, `f64`,
/// `upstate::Dynamic`, an enum that derives [`StringEnum`], a struct that derives [`Object`]; an `Option`, `Box`, `Vec`, tuple, set or map
/// with `String` keys of those; `upstate::SingleBlock` and `upstate::ZeroAsNull` for values that earlier releases stored in another shape.
///
/// | option | |
/// |---|---|
/// | `required` | the user must set it; the default for any type other than `Option` |
/// | `optional` | the user may set it; the default for an `Option` |
/// | `computed` | the provider sets it; with `optional`, it does if the user does not |
/// | `sensitive` | upstate never shows its value; take care that your own messages don't |
/// | `write_only` | its value is never stored; the type is an `Option`, with `required` too if the user must set it |
/// | `requires_replace` | changing it replaces the resource |
/// | `requires_replace_if = path` | changing it replaces the resource where a function says so: `fn(&T, &T) -> bool` of the prior and the planned field, `fn(T, T) -> bool`, or `fn(Option<&T>, Option<&T>) -> bool` for an `Option<T>`. A value that is not known yet replaces |
/// | `name = "…"` | its name in state; the default is the field's name |
/// | `renamed_from = "…"` | its former name in state, or `renamed_from("…", "…")` for several that were merged. Not needed with an upgrader of operators |
/// | `deprecated = "…"` | it is deprecated; the message says what to use instead. [There are more options](#declared-facts) |
/// | `default = expression` | the provider's value if the user sets none. It is part of the schema only: stored state is read without it. Converted with `Into` |
/// | `api_default = expression` | the API's value if none is sent; written as `default` is |
/// | `format = "…"` | the form of its values, by a name of yours: `"uri"`, `"epoch"` |
/// | `accepts = "…"`, `accepts("…", "…")` | other forms that a configuration may use |
/// | `length = 1..=64` | how many characters a configured string has, or elements a list, set or map; also `1..` and `..=64` |
/// | `bytes = ..=255` | how many bytes a configured string has in UTF-8 |
/// | `range = 1..=100` | between which numbers a configured number is; also `0.5..` and `..=100` |
/// | `pattern = "^[a-z]+$"` | the regular expression that a configured string matches, as the crate `regex-lite` reads it |
/// | `pattern_message = "must be …"` | what users read in place of the regular expression |
/// | `one_of("a", "b")`, `none_of("a", "b")` | which strings, or numbers, may be configured, or may not |
/// | `each(length = 1..)`, `keys(pattern = "…")` | checks of each element of a list, set or map, or of each key of a map: all of those above and `validate` |
/// | `validate = path` | any other check of a configured value: `fn(&T) -> Result<(), E>` for a `T` or `Option<T>`, where `E` converts into `Diagnostics` |
/// | `set` | a `Vec`, or an `Option` of one, that is stored as a set |
/// | `as_string` | stored as a string, through `Display` and `FromStr`; also inside an `Option` |
/// | `with = module` | stored as `S`, through the module's `fn read(S) -> Result<T, E>`, `E: Display`, and `fn write(&T) -> S` |
/// | `plan` | the struct in it has a plan of its own, `RulePlan`; needed where that has computed fields and the resource says `plan` |
/// | `allow(…)` | a waiver as on the struct, for this attribute and everything inside it |
///
/// # `#[block(…)]`, on a field
///
/// The field holds nested blocks: it is an `Option`, `Vec`, set or map of a struct that derives [`Object`].
///
/// | option | |
/// |---|---|
/// | `plan` | as on attributes |
/// | `min = 1`, `max = 2` | how many the user must and may write; part of the schema only |
/// | `name = "…"` | their name in state; the default is the field's name |
/// | `renamed_from`, `deprecated`, `allow` | as on attributes |
#[proc_macro_derive(Resource, attributes(resource, upgrade_from, move_from, attribute, block, object, string_enum, serde))]
pub fn resource(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive(Derive::Resource, input.into()).into()
}

/// Makes a struct a nested object: an attribute, or nested blocks, with attributes of its own.
///
/// ```
/// # extern crate renamed as upstate;
/// use upstate::{Object, Resource};
///
/// #[derive(Object)]
/// struct Rule {
///     port: u16,
///     /// The default is everybody.
///     source: Option<String>,
/// }
///
/// #[derive(Resource)]
/// #[resource(version = 0)]
/// struct Firewall {
///     #[block(min = 1)]
///     rule: Vec<Rule>,
///     fallback: Option<Rule>,
/// }
///
/// let firewall: Firewall = upstate::from_json(r#"{"rule": [{"port": 22}]}"#)?;
/// assert_eq!(firewall.rule[0].port, 22);
/// # Ok::<(), upstate::DecodeError>(())
/// ```
///
/// It implements `upstate::Object` and `upstate::AttributeType`. Fields take `#[attribute(…)]` and `#[block(…)]` as those of
/// [`Resource`] do. The struct itself takes `#[object(crate = ::path)]`, which says where the upstate crate is if it is not
/// `::upstate`, and `#[object(plan)]`, which makes a plan of it, `RulePlan`, for resources with `plan`. A nested object has no version, since it is upgraded as part of its resource.
///
/// # `#[upgrade_from(model = RuleV0, …)]`, on the struct
///
/// Declares how the object is made from the struct that it was in an earlier version of its resource: `carry`, or
/// [operators](derive@Resource#operators). Fields that hold the object, also in an `Option`, a collection or blocks, are then carried from fields
/// that hold the prior one. It may be given several times, for several prior structs.
///
/// ```
/// # extern crate renamed as upstate;
/// use upstate::{Object, Resource};
///
/// #[derive(Object)]
/// #[upgrade_from(model = RuleV0, rename(from_port => port))]
/// struct Rule { port: u16 }
///
/// #[derive(Object)]
/// struct RuleV0 { from_port: u16 }
///
/// #[derive(Resource)]
/// #[resource(version = 1)]
/// #[upgrade_from(0, model = FirewallV0, carry)]
/// struct Firewall { rules: Vec<Rule> }
///
/// #[derive(Resource)]
/// #[resource(type_name = "firewall", version = 0)]
/// struct FirewallV0 { rules: Vec<RuleV0> }
///
/// let firewall: Firewall = upstate::upgrade_json(0, r#"{"rules": [{"from_port": 22}]}"#)?;
/// assert_eq!(firewall.rules[0].port, 22);
/// # Ok::<(), upstate::Diagnostics>(())
/// ```
#[proc_macro_derive(Object, attributes(object, upgrade_from, attribute, block, resource, move_from, string_enum, serde))]
pub fn object(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive(Derive::Object, input.into()).into()
}

/// Makes an enum an attribute that holds one of a fixed set of strings.
///
/// ```
/// # extern crate renamed as upstate;
/// use upstate::{Resource, StringEnum};
///
/// #[derive(Debug, PartialEq, StringEnum)]
/// enum Size {
///     Small,
///     #[value(name = "xl")]
///     ExtraLarge,
/// }
///
/// #[derive(Resource)]
/// #[resource(version = 0)]
/// struct Thing {
///     size: Size,
/// }
///
/// let thing: Thing = upstate::from_json(r#"{"size": "xl"}"#)?;
/// assert_eq!(thing.size, Size::ExtraLarge);
/// # Ok::<(), upstate::DecodeError>(())
/// ```
///
/// It implements `upstate::StringEnum` and `upstate::AttributeType`. A variant has no data; its string is its name in `snake_case`, or
/// the one in `#[value(name = "…")]`. The enum itself takes `#[string_enum(crate = ::path)]`, which says where the upstate crate
/// is if it is not `::upstate`.
#[proc_macro_derive(
    StringEnum,
    attributes(string_enum, value, object, resource, upgrade_from, move_from, attribute, block, serde)
)]
pub fn string_enum(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive(Derive::StringEnum, input.into()).into()
}

/// Makes a struct a versioned document: settings, a row, a message, stored by the rules of JSON and serde.
///
/// ```
/// # extern crate renamed as upstate;
/// use upstate::{Document, Union};
///
/// #[derive(Debug, PartialEq, Document)]
/// #[document(type_name = "app.settings", version = 1, rename_all = "camelCase")]
/// #[upgrade_from(0 => 1, rename(width: u32 => window_width))]
/// struct Settings {
///     window_width: u32,
///     #[attribute(default = 3)]
///     retries: u32,
///     theme: Theme,
/// }
///
/// #[derive(Debug, PartialEq, Union)]
/// #[union(tag = "kind", rename_all = "camelCase")]
/// enum Theme {
///     Plain,
///     Custom { accent: String },
/// }
///
/// let stored = r#"{"width": 80, "theme": {"kind": "custom", "accent": "blue"}}"#;
/// let settings: Settings = upstate::upgrade_json(0, stored)?;
/// assert_eq!(settings, Settings { window_width: 80, retries: 3, theme: Theme::Custom { accent: "blue".into() } });
/// # Ok::<(), upstate::Diagnostics>(())
/// ```
///
/// A nested struct, a newtype and a tuple struct derive it, too; only the struct on top has a version. Options are written in serde's words,
/// `#[serde(…)]`, or here: `#[document(…)]` on the struct and `#[attribute(…)]` on a field. A struct that derives serde's traits as well says them
/// once.
///
/// # `#[document(…)]`, on the struct
///
/// | option | |
/// |---|---|
/// | `version`, `type_name`, `oldest`, `since`, `prior`, `deprecated`, `crate` | as on a [`Resource`]; a type name is any string |
/// | `rename_all = "camelCase"` | the case of stored names, as serde has them |
/// | `deny_unknown_fields` | members that no field names are an error; otherwise they are reported |
/// | `default` | fields that are not stored are those of the struct's `Default` |
/// | `transparent` | a struct of one field is stored as that field |
/// | `lenient` | it is read by Terraform's rules: `"7"` is a number |
///
/// # `#[attribute(…)]`, on a field
///
/// | option | |
/// |---|---|
/// | `name = "…"`, `alias = "…"` | the stored name, and others that are read |
/// | `default`, `default = 3` | the value where the field is not stored |
/// | `skip`, `skip_if = path` | it is never stored, or not if the function says so |
/// | `flatten`, `rest` | its members be next to the others; a map takes the members that no field names |
/// | `json` | any type of serde, stored as its JSON |
/// | `as_string`, `with = module`, `sensitive` | as on a [`Resource`] |
/// | `recursive` | the type holds the struct itself by way of another type; the derive sees it where the field names the struct |
///
/// # `#[kube(…)]`, on the struct and on fields
///
/// With the crate `upstate-kube`, which describes it, the document is the spec of a custom resource of Kubernetes.
#[proc_macro_derive(Document, attributes(document, upgrade_from, attribute, serde, kube))]
pub fn document(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive(Derive::Document, input.into()).into()
}

/// Makes an enum with data part of documents, stored as serde does it.
///
/// A stored value names its variant: as the one member of an object or a string (the default), by a `tag` beside the content, by a `tag` and a
/// `content`, or by what fits first (`untagged`). Options are serde's, in `#[union(…)]` or `#[serde(…)]`.
///
/// ```
/// # extern crate renamed as upstate;
/// use upstate::{Document, Union};
///
/// #[derive(Debug, PartialEq, Union)]
/// enum Shape {
///     Circle { radius: u32 },
///     Text(String),
///     Nothing,
/// }
///
/// #[derive(Debug, PartialEq, Document)]
/// struct Drawing {
///     shapes: Vec<Shape>,
/// }
///
/// let drawing: Drawing = upstate::from_json(r#"{"shapes": [{"Circle": {"radius": 2}}, "Nothing"]}"#)?;
/// assert_eq!(drawing.shapes, [Shape::Circle { radius: 2 }, Shape::Nothing]);
/// # Ok::<(), upstate::DecodeError>(())
/// ```
#[proc_macro_derive(Union, attributes(union, attribute, serde))]
pub fn union(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive(Derive::Union, input.into()).into()
}

/// Makes an enum of models one of several documents, known by the type name that is stored with each: events, messages.
///
/// ```
/// # extern crate renamed as upstate;
/// use upstate::{AnyOf, Resource};
///
/// #[derive(Debug, PartialEq, Resource)]
/// #[resource(type_name = "account_opened")]
/// struct Opened { owner: String }
///
/// #[derive(Debug, PartialEq, Resource)]
/// #[resource(type_name = "money_deposited")]
/// struct Deposited { cents: i64 }
///
/// #[derive(Debug, PartialEq, AnyOf)]
/// enum Event { Opened(Opened), Deposited(Deposited) }
///
/// let event = Event::from_current("account_opened", br#"{"owner":"ada"}"#).unwrap()?;
/// assert_eq!(event, Event::Opened(Opened { owner: "ada".to_owned() }));
/// # Ok::<(), upstate::DecodeError>(())
/// ```
///
/// It implements `upstate::AnyOf`. Each variant holds one model, and no two models have one type name, which the compiler checks.
/// `upstate_state::document::Format::read_any` reads what any release wrote of them.
#[proc_macro_derive(AnyOf)]
pub fn any_of(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse::<DeriveInput>(input) {
        Ok(input) => any_of::any_of(&input).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

/// The impls, or every mistake and impls that hold nothing.
fn derive(derive: Derive, input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::default();
    #[cfg(feature = "kube")]
    if derive == Derive::Document
        && let Some(tokens) = custom_resource(&input)
    {
        return tokens;
    }
    let expanded = match derive {
        Derive::Resource => model::resource(&input, &mut errors).as_ref().map(expand::resource),
        Derive::Object => model::object(&input, &mut errors).as_ref().map(expand::nested_object),
        Derive::StringEnum => model::string_enum(&input, &mut errors).as_ref().map(expand::string_enum),
        Derive::Document => model::document(&input, &mut errors).map(|document| match document {
            model::Document::Root(resource) => expand::document_root(&resource),
            model::Document::Part(structure) => expand::document_part(&structure),
        }),
        Derive::Union => model::union::union(&input, &mut errors).as_ref().map(expand::union),
    };
    // Reading the options once more is worth it only where there is something to say.
    let expanded = expanded.map(|mut tokens| {
        // For a document none are foreign, since it reads serde's attributes itself.
        let foreign = if matches!(derive, Derive::Document | Derive::Union) { Vec::new() } else { attr::foreign(&input) };
        if !foreign.is_empty() {
            let crate_path = model::crate_path(derive, &input);
            tokens.extend(expand::foreign(&input.ident, crate_path.as_ref(), &foreign));
        }
        tokens
    });
    expanded.unwrap_or_else(|| {
        let crate_path = model::crate_path(derive, &input);
        let mut tokens = errors.into_compile_errors();
        tokens.extend(expand::stub(derive, &input, crate_path.as_ref()));
        tokens
    })
}

/// The impls of a document that is a custom resource; `None` if it is none.
#[cfg(feature = "kube")]
fn custom_resource(input: &DeriveInput) -> Option<TokenStream> {
    let mut errors = Errors::default();
    let kube = attr::kube::kube(&input.attrs, &mut errors)?;
    let mut document = model::document(input, &mut Errors::default());
    match &mut document {
        Some(model::Document::Root(resource)) => {
            if errors.is_empty() {
                kube.check_numbers(resource.oldest, resource.version, &mut errors);
            }
            if errors.is_empty() {
                resource.facts.custom_resource = Some(expand::kube::crate_path(&kube));
                let mut tokens = expand::document_root(resource);
                tokens.extend(expand::kube::custom_resource(&kube, resource));
                return Some(tokens);
            }
        }
        Some(model::Document::Part(_)) => {
            if let Some(place) = &kube.place {
                errors.push(place, "a custom resource is a struct with named fields and without parameters [U0016]\nhelp: write its spec as such a struct");
            }
        }
        // What is wrong with the document is found again, so that it is reported with the mistakes here.
        None => drop(model::document(input, &mut errors)),
    }
    let mut tokens = errors.into_compile_errors();
    let crate_path = model::crate_path(Derive::Document, input);
    match &document {
        Some(model::Document::Root(resource)) => tokens.extend(expand::document_root(resource)),
        Some(model::Document::Part(structure)) => tokens.extend(expand::document_part(structure)),
        None => tokens.extend(expand::stub(Derive::Document, input, crate_path.as_ref())),
    }
    if !matches!(document, Some(model::Document::Part(_))) && input.generics.params.is_empty() {
        tokens.extend(expand::kube::facts(&kube, &input.ident, ""));
    }
    Some(tokens)
}
