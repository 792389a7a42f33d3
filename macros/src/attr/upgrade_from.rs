//! `#[upgrade_from(N, model = …)]`, where the version comes without a key, and `#[move_from(…)]`.

use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, ExprRange, Lit, LitStr, Path, RangeLimits};

use super::list::{self, Listed};
use super::operators::{self, Call, Operators};
use super::options::{MoveFromOptions, UpgradeFromOptions};
use super::spec::{MOVE_FROM, OF_STRUCTS, Spec, UPGRADE_FROM};
use super::value::{Flag, Given, ItemPath, Right, Value, Version, described, spelt, ungrouped};
use crate::errors::Errors;

/// One `#[upgrade_from(…)]` with what it must have.
#[derive(Debug)]
pub(crate) struct RawEdge {
    /// `None` on a nested object.
    pub(crate) from: Option<Versions>,
    pub(crate) via: RawVia,
    pub(crate) when: Option<When>,
}

/// One `#[move_from(…)]` with what it must have.
#[derive(Debug)]
pub(crate) struct RawMove {
    pub(crate) type_name: LitStr,
    pub(crate) provider: Option<LitStr>,
    pub(crate) via: RawVia,
    pub(crate) when: Option<When>,
}

/// The stored versions that an edge is for: both ends included, and the same for a single one.
#[derive(Debug, Clone)]
pub(crate) struct Versions {
    pub(crate) first: Version,
    pub(crate) last: Version,
}

impl Versions {
    /// How they are written.
    pub(crate) fn spelt(&self) -> String {
        let (first, last) = (self.first.number, self.last.number);
        if first == last { first.to_string() } else { format!("{first}..={last}") }
    }

    /// How a sentence names them.
    pub(crate) fn named(&self) -> String {
        let (first, last) = (self.first.number, self.last.number);
        if first == last { format!("version {first}") } else { format!("versions {first} to {last}") }
    }
}

/// What makes the model.
#[derive(Debug)]
pub(crate) enum RawVia {
    Conversion {
        model: Path,
    },
    Function {
        model: Path,
        function: Path,
        is_async: bool,
    },
    Raw {
        function: Path,
        is_async: bool,
    },
    Declared {
        model: Path,
        operators: Operators,
    },
    Unsupported {
        text: LitStr,
    },
    /// `carry` without a model: the current shape under earlier versions.
    Unchanged,
}

/// Which of several shapes that were stored under one version an edge is for.
#[derive(Debug)]
pub(crate) enum When {
    Has(LitStr),
    Lacks(LitStr),
    Is(Path),
}

const SHAPES: &str =
    "help: write `when = has(\"name\")`, `when = lacks(\"name\")`, or `when = path` with `fn(RawState<'_>) -> bool`";

impl Value for When {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let error = |place: &dyn ToTokens, message: String| {
            Err(syn::Error::new_spanned(place.to_token_stream(), format_args!("{message}\n{SHAPES}")))
        };
        let expr = match &right {
            Right::Nothing => return error(key, "`when` has no value".to_owned()),
            Right::Tokens(tokens) => return error(tokens, "`when` takes a condition".to_owned()),
            Right::Expr(expr) => ungrouped(expr),
        };
        match expr {
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
                    (Some(Expr::Lit(ExprLit { lit: Lit::Str(name), .. })), None) => name,
                    (Some(name @ Expr::Path(_)), None) => {
                        let text = name.to_token_stream().to_string();
                        let message =
                            format!("`{word}` takes the name in stored state, as text\nhelp: write `{word}(\"{text}\")`");
                        return Err(syn::Error::new_spanned(name, message));
                    }
                    (None, _) => return error(&call, format!("`{word}` does not say which name")),
                    _ => return error(&call, format!("`{word}` takes one name, as text")),
                };
                match word.as_str() {
                    "has" => Ok(Self::Has(name.clone())),
                    "lacks" => Ok(Self::Lacks(name.clone())),
                    _ => error(&call.func, format!("there is no condition `{word}` for a stored shape")),
                }
            }
            other => error(&other, format!("`when` takes a condition, not {}", described(other))),
        }
    }
}

/// Reads every `#[upgrade_from(…)]` of a resource. `None` stands for one that is not complete.
///
/// `prior_model` makes a name for the model of a version, for messages.
pub(crate) fn edges(attributes: &[Attribute], prior_model: impl Fn(u64) -> String, errors: &mut Errors) -> Vec<Option<RawEdge>> {
    super::named(&UPGRADE_FROM, attributes).map(|attribute| edge(attribute, &prior_model, errors)).collect()
}

fn edge(attribute: &Attribute, prior_model: &impl Fn(u64) -> String, errors: &mut Errors) -> Option<RawEdge> {
    let path = attribute.path();
    let listed = list::read::<UpgradeFromOptions>(&UPGRADE_FROM, [attribute], |path| is_bare(&UPGRADE_FROM, path), errors);
    let Listed { options, bare, calls, mut complete } = listed;
    let mut bare = bare.into_iter();
    let first = bare.next();
    if first.is_none() && options.is_empty() && calls.is_empty() {
        if complete {
            let example = prior_model(0);
            let help = format!("help: write `#[upgrade_from(0, model = {example})]`");
            errors.push(path, format_args!("`#[upgrade_from]` needs a prior version and its model\n{help}"));
        }
        return None;
    }
    for value in bare {
        stray(&value, options.model.is_some(), options.with.is_some(), &prior_model(0), errors);
        complete = false;
    }
    let model = options.model.as_ref().and_then(|model| model.value.as_ref().ok()).map(|ItemPath(model)| spelt(model));

    let from = match first {
        Some(Expr::Path(word)) => {
            let text = spelt(&word.path);
            let example = if options.model.is_none() { text.clone() } else { prior_model(0) };
            let message =
                format!("`{text}` is not a version\nhelp: the version comes first: `#[upgrade_from(0, model = {example})]`");
            errors.push(&word, message);
            return None;
        }
        Some(Expr::Range(range)) => errors.take(versions(&range)),
        Some(expr) => {
            errors.take(Version::read_positional(&expr)).map(|version| Versions { first: version.clone(), last: version })
        }
        None => {
            if complete {
                let what = match (&options.raw, &options.unsupported) {
                    (None, None) if options.model.is_none() && options.carry.is_some() => "carry".to_owned(),
                    (Some(_), _) => "raw = path".to_owned(),
                    (None, Some(_)) => "unsupported = \"…\"".to_owned(),
                    (None, None) => format!("model = {}", model.unwrap_or_else(|| prior_model(0))),
                };
                errors.push(
                    path,
                    format_args!(
                        "`#[upgrade_from]` does not say which version the upgrade starts at\nhelp: write `#[upgrade_from(0, {what})]`"
                    ),
                );
            }
            None
        }
    };
    let missing = |errors: &mut Errors| {
        let (spelt, named, number) = from
            .as_ref()
            .map_or(("0".to_owned(), "version 0".to_owned(), 0), |from| (from.spelt(), from.named(), from.last.number));
        let example = prior_model(number);
        errors.push(
            path,
            format_args!(
                "`#[upgrade_from]` does not name the model of {named}\nhelp: write `#[upgrade_from({spelt}, model = {example})]`"
            ),
        );
    };
    if options.is_only_carry() && calls.is_empty() {
        let carry = options.carry.and_then(|carry| errors.take(carry.value));
        let when = match options.when {
            None => Some(None),
            Some(given) => errors.take(given.value).map(Some),
        };
        return Some(RawEdge { from: Some(from?), via: carry.map(|Flag| RawVia::Unchanged)?, when: when? });
    }
    let (via, when) = way(options, calls, complete, missing, errors);
    Some(RawEdge { from: Some(from?), via: via?, when: when? })
}

/// Reads every `#[upgrade_from(…)]` of a nested object. `None` stands for one that is not complete.
pub(crate) fn object_edges(attributes: &[Attribute], errors: &mut Errors) -> Vec<Option<RawEdge>> {
    super::named(&UPGRADE_FROM, attributes).map(|attribute| object_edge(attribute, errors)).collect()
}

fn object_edge(attribute: &Attribute, errors: &mut Errors) -> Option<RawEdge> {
    let path = attribute.path();
    let listed = list::read::<UpgradeFromOptions>(&UPGRADE_FROM, [attribute], |path| is_bare(&UPGRADE_FROM, path), errors);
    let Listed { options, bare, calls, mut complete } = listed;
    for value in bare {
        complete = false;
        if matches!(value, Expr::Lit(_) | Expr::Range(_)) {
            let help = match options.model.as_ref().and_then(|model| model.value.as_ref().ok()) {
                Some(ItemPath(model)) => format!("write `#[upgrade_from(model = {}, …)]`", spelt(model)),
                None => "name the prior struct alone: `#[upgrade_from(model = …, carry)]`".to_owned(),
            };
            errors.push(
                value,
                format_args!(
                    "a nested object has no version of its own\nhelp: {help}\nnote: it is upgraded as part of its resource"
                ),
            );
        } else {
            stray(&value, options.model.is_some(), true, "Prior", errors);
        }
    }
    let mut refused = false;
    let others = [
        options.with.as_ref().map(|given| &given.key),
        options.is_async.as_ref().map(|given| &given.key),
        options.raw.as_ref().map(|given| &given.key),
        options.unsupported.as_ref().map(|given| &given.key),
        options.when.as_ref().map(|given| &given.key),
    ];
    for key in others.into_iter().flatten() {
        refused = true;
        let word = spelt(key);
        let help = match word.as_str() {
            "with" | "raw" | "async" => "write operators, or upgrade the whole resource with a function",
            _ => "write it on the resource",
        };
        errors.push(key, format_args!("`{word}` belongs to the edges of a resource\nhelp: {help}"));
    }
    if refused {
        return None;
    }
    let missing = |errors: &mut Errors| {
        errors.push(
            path,
            "`#[upgrade_from]` does not name the struct that this object was\nhelp: write `#[upgrade_from(model = …, carry)]`",
        );
    };
    let no_way = options.carry.is_none() && calls.is_empty();
    let (via, _) = way(options, calls, complete, missing, errors);
    let via = via?;
    if let (RawVia::Conversion { model }, true) = (&via, no_way && complete) {
        let name = spelt(model);
        errors.push(
            model,
            format_args!(
                "nothing says how the object comes from `{name}`\nhelp: write `model = {name}, carry`, or operators such as `rename(old => new)`"
            ),
        );
        return None;
    }
    Some(RawEdge { from: None, via, when: None })
}

/// Reads every `#[move_from(…)]`. `None` stands for one that is not complete.
pub(crate) fn moves(attributes: &[Attribute], errors: &mut Errors) -> Vec<Option<RawMove>> {
    super::named(&MOVE_FROM, attributes).map(|attribute| move_from(attribute, errors)).collect()
}

fn move_from(attribute: &Attribute, errors: &mut Errors) -> Option<RawMove> {
    let path = attribute.path();
    let listed = list::read::<MoveFromOptions>(&MOVE_FROM, [attribute], |path| is_bare(&MOVE_FROM, path), errors);
    let Listed { options, bare, calls, mut complete } = listed;
    for value in bare {
        complete = false;
        match &value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if options.type_name.is_none() => {
                let text = text.to_token_stream();
                errors.push(&value, format_args!("this text has no name\nhelp: write `type_name = {text}`"));
            }
            Expr::Lit(_) | Expr::Range(_) => errors.push(
                &value,
                "a move has no version here\nhelp: remove it; the version is that of the model, which its own edges lead up to",
            ),
            _ => stray(&value, options.model.is_some(), options.with.is_some(), "OtherModel", errors),
        }
    }
    let MoveFromOptions { type_name, provider, model, carry, with, is_async, when } = options;
    if type_name.is_none() && model.is_none() && complete {
        let help = "help: write `#[move_from(type_name = \"other_thing\", model = OtherThing)]`";
        errors.push(path, format_args!("`#[move_from]` needs the other type and its model\n{help}"));
        return None;
    }
    if type_name.is_none() && complete {
        let model = model.as_ref().and_then(|model| model.value.as_ref().ok()).map(|ItemPath(model)| spelt(model));
        let model = model.unwrap_or_else(|| "OtherThing".to_owned());
        errors.push(
            path,
            format_args!(
                "`#[move_from]` does not say which type the state comes from\nhelp: write `#[move_from(type_name = \"other_thing\", model = {model})]`"
            ),
        );
    }
    let missing = |errors: &mut Errors| {
        errors.push(
            path,
            "`#[move_from]` does not name the model of the other type\nhelp: write `model = …` with the struct that derives `Resource` for it",
        );
    };
    let options = UpgradeFromOptions { model, carry, with, is_async, when, ..UpgradeFromOptions::default() };
    let (via, when) = way(options, calls, complete, missing, errors);
    let type_name = type_name.and_then(|given| errors.take(given.value));
    let provider = match provider {
        None => Some(None),
        Some(given) => errors.take(given.value).map(Some),
    };
    Some(RawMove { type_name: type_name?, provider: provider?, via: via?, when: when? })
}

/// How the model is made, and for which shape. `missing` says that there is no model.
fn way(
    options: UpgradeFromOptions,
    calls: Vec<Call>,
    complete: bool,
    missing: impl FnOnce(&mut Errors),
    errors: &mut Errors,
) -> (Option<RawVia>, Option<Option<When>>) {
    let when = match options.when {
        None => Some(None),
        Some(given) => errors.take(given.value).map(Some),
    };
    let carry = options.carry.map(|given| (given.key, given.value));
    let (is_async, async_key) = match options.is_async {
        None => (Some(false), None),
        Some(Given { key, value }) => (errors.take(value).map(|Flag| true), Some(key)),
    };
    let first_call = calls.first().map(|call| call.word.clone());
    let (operators, all_read) = operators::read(calls, errors);

    if let Some(unsupported) = options.unsupported {
        let others = [
            options.model.map(|given| given.key.to_token_stream()),
            options.with.map(|given| given.key.to_token_stream()),
            options.raw.map(|given| given.key.to_token_stream()),
            async_key.map(ToTokens::into_token_stream),
            carry.map(|(key, _)| key.into_token_stream()),
            first_call.map(ToTokens::into_token_stream),
        ];
        let text = errors.take(unsupported.value);
        if let Some(text) = &text
            && text.value().trim().is_empty()
        {
            errors.push(text, "this says nothing to the people whose state it is\nhelp: say what to do instead, such as \"upgrade with release 2.x first\"");
        }
        if let Some(other) = others.into_iter().flatten().next() {
            let word = other.to_string();
            errors.push(
                other,
                format_args!("`unsupported` refuses every state, so `{word}` would never be used\nhelp: keep one of the two"),
            );
            return (None, when);
        }
        return (text.map(|text| RawVia::Unsupported { text }), when);
    }

    if let Some(raw) = options.raw {
        if let Some(Given { key, .. }) = options.model {
            errors.push(
                key,
                "`raw` takes the state as it is stored, so there is no prior model\nhelp: remove `model`, or write `with = path` in place of `raw = path`",
            );
        }
        if let Some(Given { key, .. }) = options.with {
            errors.push(key, "`raw` and `with` exclude each other\nhelp: keep `with` if the function takes the prior model, `raw` if it takes the stored state");
        }
        exclusive("raw", carry.map(|(key, _)| key), first_call, errors);
        let function = errors.take(raw.value).map(|ItemPath(function)| function);
        let via = function.zip(is_async).map(|(function, is_async)| RawVia::Raw { function, is_async });
        return (via, when);
    }

    if options.model.is_none() && complete {
        missing(errors);
    }
    let model = options.model.and_then(|model| errors.take(model.value)).map(|ItemPath(model)| model);
    if let Some(with) = options.with {
        exclusive("with", carry.map(|(key, _)| key), first_call, errors);
        let function = errors.take(with.value).map(|ItemPath(function)| function);
        let via = match (model, function, is_async) {
            (Some(model), Some(function), Some(is_async)) => Some(RawVia::Function { model, function, is_async }),
            _ => None,
        };
        return (via, when);
    }
    if let Some(key) = async_key {
        errors.push(
            key,
            "`async` is for a function, and there is none here\nhelp: write `with = path, async` with an `async fn`, or remove `async`",
        );
        return (None, when);
    }
    let carries = match carry {
        Some((key, value)) => {
            if errors.take(value).is_none() {
                return (None, when);
            }
            if let Some(word) = &first_call {
                errors.push(
                    key,
                    format_args!(
                        "`carry` stands alone, but `{word}` is beside it\nhelp: remove `carry`; what no operator names is carried anyway"
                    ),
                );
            }
            true
        }
        None => first_call.is_some(),
    };
    let via = model
        .filter(|_| all_read)
        .map(|model| if carries { RawVia::Declared { model, operators } } else { RawVia::Conversion { model } });
    (via, when)
}

/// Refuses operators beside a function.
fn exclusive(option: &str, carry: Option<Path>, call: Option<syn::Ident>, errors: &mut Errors) {
    if let Some(word) = call {
        errors.push(
            &word,
            format_args!(
                "`{word}` and `{option}` exclude each other\nhelp: do all of it in the function, or all of it with operators; `convert(field, with = path)` calls a function for one field"
            ),
        );
    } else if let Some(carry) = carry {
        errors.push(carry, format_args!("`carry` and `{option}` exclude each other\nhelp: keep one of the two"));
    }
}

/// `0..=2` or `0..3`.
fn versions(range: &ExprRange) -> syn::Result<Versions> {
    let (Some(start), Some(end)) = (&range.start, &range.end) else {
        let start = range.start.as_ref().map_or_else(|| "0".to_owned(), |start| start.to_token_stream().to_string());
        let end = range.end.as_ref().map_or_else(|| "2".to_owned(), |end| end.to_token_stream().to_string());
        let message = format!("a range of versions has two ends\nhelp: write `{start}..={end}`");
        return Err(syn::Error::new_spanned(range, message));
    };
    let (first, last) = (Version::read_positional(start)?, Version::read_positional(end)?);
    let number = match range.limits {
        RangeLimits::Closed(_) => Some(last.number),
        RangeLimits::HalfOpen(_) => last.number.checked_sub(1),
    };
    match number {
        Some(number) if number >= first.number => Ok(Versions { first, last: Version { number, ..last } }),
        _ => {
            let help = if last.number < first.number {
                format!("the lower version comes first: `{}..={}`", last.number, first.number)
            } else {
                format!("write `{}` for one version", first.number)
            };
            Err(syn::Error::new_spanned(range, format_args!("there is no version in this range\nhelp: {help}")))
        }
    }
}

/// Whether a word is a type or function whose key was forgotten. A word that is close to an option or an operator is not.
fn is_bare(spec: &Spec, path: &Path) -> bool {
    let word = spelt(path);
    let of_another = OF_STRUCTS.iter().any(|other: &&Spec| other.has(&word));
    !of_another && !operators::is_operator(&word) && !spec.is_near(&word)
}

/// A value that has no key, beside the version.
fn stray(value: &Expr, has_model: bool, has_with: bool, prior_model: &str, errors: &mut Errors) {
    let text = value.to_token_stream();
    let message = match value {
        Expr::Path(_) if !has_model => {
            format!("`{text}` is given without a name\nhelp: write `model = {text}`")
        }
        Expr::Lit(ExprLit { lit: Lit::Str(written), .. }) if !has_model => {
            let written = if written.value().is_empty() { prior_model.to_owned() } else { written.value() };
            format!("the model is a path, not a string\nhelp: write `model = {written}`")
        }
        Expr::Path(_) if !has_with => format!("`{text}` is given without a name\nhelp: write `with = {text}`"),
        Expr::Lit(_) => {
            "an upgrade starts at one version\nhelp: write one `#[upgrade_from(…)]` for each version, or a range such as `0..=1` if they share one shape".to_owned()
        }
        _ => "this is neither the version, nor an option, nor an operator\nhelp: write `model = …`, and what happens to its fields".to_owned(),
    };
    errors.push(value, message);
}
