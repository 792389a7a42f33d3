//! `#[upgrade_from(N, model = …)]`, where the version comes without a key, and `#[move_from(…)]`.

mod kind;
mod stray;
mod versions;
mod when;

use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Path};

use self::kind::{downgrade_of, kind_of};
use self::stray::{is_bare, stray};
pub(crate) use self::versions::Versions;
use self::versions::versions;
pub(crate) use self::when::When;
use super::case::Case;
use super::list::{self, Listed};
use super::operators::Operators;
use super::options::{MoveFromOptions, UpgradeFromOptions};
use super::spec::{MOVE_FROM, UPGRADE_FROM};
use super::value::{
    Derives, Flag, Given, ItemPath, StructName, Version, is_constant, keys, spelt, value_of,
};
use crate::errors::Errors;

/// One `#[upgrade_from(…)]` with what it must have.
#[derive(Debug)]
pub(crate) struct RawUpgrader {
    pub(crate) from: Versions,
    /// The version after the arrow; `None` is the current one.
    pub(crate) to: Option<Version>,
    pub(crate) kind: RawKind,
    pub(crate) when: Option<When>,
    /// The struct that a difference makes of its version.
    pub(crate) made: Option<MadeStruct>,
    /// The name of the struct that it leads to, if the later version has several shapes.
    pub(crate) to_struct: Option<Ident>,
    /// As it is written.
    pub(crate) attribute: Attribute,
    /// The function of the downgrade.
    pub(crate) downgrade: Option<Path>,
    /// The reason why the version was raised, or the upgrader changed after its release.
    pub(crate) reason: Option<LitStr>,
}

impl RawUpgrader {
    /// The options and operators, as they are written behind the versions.
    pub(crate) fn behind_versions(&self) -> String {
        behind_versions(&self.attribute).unwrap_or_else(|| "…".to_owned())
    }
}

/// `as = ThingV1, derive(Debug, Clone)`
#[derive(Debug, Clone)]
pub(crate) struct MadeStruct {
    pub(crate) ident: Ident,
    pub(crate) derives: Vec<Path>,
}

/// One `#[move_from(…)]` with what it must have.
#[derive(Debug)]
pub(crate) struct RawMove {
    pub(crate) type_name: LitStr,
    pub(crate) provider: Option<LitStr>,
    pub(crate) kind: RawKind,
    pub(crate) when: Option<When>,
}

/// The kind of an upgrader, as written.
#[derive(Debug)]
pub(crate) enum RawKind {
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
    NeverReleased,
    /// Operators without a model: the prior version stored what the later one stores, but for what
    /// they name.
    Difference {
        operators: Operators,
    },
    /// `carry` without a model: the same shape under earlier versions.
    Unchanged,
}

/// Reads every `#[upgrade_from(…)]` of a resource. `None` means one that is not complete.
///
/// `prior_model` makes a name for the model of a version, for messages.
pub(crate) fn upgraders(
    attributes: &[Attribute],
    prior_model: impl Fn(u64) -> String,
    errors: &mut Errors,
) -> Vec<Option<RawUpgrader>> {
    super::named(&UPGRADE_FROM, attributes)
        .map(|attribute| upgrader(attribute, &prior_model, errors))
        .collect()
}

fn upgrader(
    attribute: &Attribute,
    prior_model: &impl Fn(u64) -> String,
    errors: &mut Errors,
) -> Option<RawUpgrader> {
    let path = attribute.path();
    let Listed {
        mut options,
        bare,
        calls,
        target,
        mut complete,
    } = list::read::<UpgradeFromOptions>(&UPGRADE_FROM, [attribute], is_bare, errors);
    let mut bare = bare.into_iter();
    let first = bare.next();
    let has_target = target.is_some();
    if let (Some(from), Some(to)) = (&first, &target) {
        errors.take(Version::refuse_strings(from, " => ", to))?;
    }
    // Beside operators, it is likelier a version than a model.
    let is_alone = options.is_empty() && calls.is_empty();
    let to = match target {
        Some(Expr::Path(word)) if is_alone && !is_constant(&word.path) => {
            let (from, model) = (
                first.to_token_stream().to_string().replace(' ', ""),
                spelt(&word.path),
            );
            let message =
                format!("`{model}` is not a version\nhelp: write `{from}, model = {model}, carry`");
            errors.push(quote!(#first #word), message);
            return None;
        }
        Some(expr) => errors.take(Version::read_target(&expr)).map(Some),
        None => Some(None),
    };
    if first.is_none() && options.is_empty() && calls.is_empty() {
        if complete {
            let example = prior_model(0);
            let help = format!("help: write `#[upgrade_from(0, model = {example})]`");
            errors.push(
                path,
                format_args!("`#[upgrade_from]` needs a prior version and its model\n{help}"),
            );
        }
        return None;
    }
    for value in bare {
        stray(
            &value,
            options.model.is_some(),
            options.with.is_some(),
            &prior_model(0),
            errors,
        );
        complete = false;
    }
    let from = match first {
        Some(Expr::Path(word)) => {
            let text = spelt(&word.path);
            let example = if options.model.is_none() {
                text.clone()
            } else {
                prior_model(0)
            };
            let message = format!(
                "`{text}` is not a version\nhelp: the version comes first: `#[upgrade_from(0, model = {example})]`"
            );
            errors.push(&word, message);
            return None;
        }
        Some(Expr::Range(range)) => errors.take(versions(&range)),
        Some(expr) => errors
            .take(Version::read_positional(&expr))
            .map(|version| Versions {
                first: version.clone(),
                last: version,
            }),
        None => {
            if complete {
                let what = written(attribute);
                let is_difference = (options.carry.is_some() || !calls.is_empty())
                    && options.model.is_none()
                    && options.raw.is_none()
                    && options.unsupported.is_none()
                    && options.never_released.is_none();
                let versions = if is_difference { "0 => 1" } else { "0" };
                errors.push(
                    path,
                    format_args!(
                        "`#[upgrade_from]` does not say which version the upgrade starts at\nhelp: write `#[upgrade_from({versions}, {what})]`"
                    ),
                );
            }
            None
        }
    };
    let behind = match behind_versions(attribute) {
        Some(behind) if behind.is_empty() => String::new(),
        Some(behind) => format!(", {behind}"),
        None if is_alone => String::new(),
        None => ", …".to_owned(),
    };
    let missing = |errors: &mut Errors| {
        let (spelt, named, number) = from
            .as_ref()
            .map_or(("0".to_owned(), "version 0".to_owned(), 0), |from| {
                (from.spelt(), from.named(), from.last.number)
            });
        if has_target {
            let message = format!(
                "nothing says what {named} stored [U0008]\nhelp: write operators for the differences, such as `rename(old => new)`, or `carry` if there are none"
            );
            errors.push(path, message);
            return;
        }
        let example = prior_model(number);
        errors.push(
            path,
            format_args!(
                "`#[upgrade_from]` does not name the model of {named}\nhelp: write `#[upgrade_from({spelt}, model = {example}{behind})]`"
            ),
        );
    };
    let example = prior_model(from.as_ref().map_or(0, |from| from.last.number));
    let made = made_struct(&mut options, &example, errors);
    let to_struct = match options.to.take() {
        None => Some(None),
        Some(given) => errors
            .take(given.value)
            .map(|StructName(ident)| Some(ident)),
    };
    let attribute = attribute.clone();
    let downgrade = options.downgrade.take();
    let reason = reason(&mut options, errors);
    if let (Some(never), Some(when)) = (&options.never_released, &options.when) {
        errors.push(
            &when.key,
            format_args!(
                "`{}` says that no state has this version, so there is none to tell apart\nhelp: remove `when`",
                spelt(&never.key)
            ),
        );
        return None;
    }
    let when = When::given(options.when.take(), errors);
    let kind = if options.is_only_carry() && calls.is_empty() && matches!(made, Ok(None)) {
        options
            .carry
            .and_then(|carry| errors.take(carry.value))
            .map(|Flag| RawKind::Unchanged)
    } else {
        kind_of(options, calls, complete, true, missing, errors)
    };
    let downgrade = downgrade_of(downgrade, kind.as_ref(), errors);
    let (made, to_struct, downgrade) = (made.ok()?, to_struct?, downgrade.ok()?);
    Some(RawUpgrader {
        from: from?,
        to: to?,
        kind: kind?,
        when: when.ok()?,
        made,
        to_struct,
        attribute,
        downgrade,
        reason,
    })
}

/// The content of an attribute's parentheses, if that is on one line.
fn written(attribute: &Attribute) -> String {
    let list = attribute.meta.require_list().ok();
    let inside = list.map(|list| list.tokens.to_string());
    // The compiler breaks what is long, and a line of a help has no end.
    inside
        .filter(|inside| !inside.contains('\n'))
        .unwrap_or_else(|| "…".to_owned())
}

/// The options and operators that are written behind the versions; nothing if these are not first.
fn behind_versions(attribute: &Attribute) -> Option<String> {
    let inside = written(attribute);
    let (versions, behind) = inside.split_once(',')?;
    let are_first = versions.starts_with(|sign: char| sign.is_ascii_digit());
    are_first.then(|| behind.trim().to_owned())
}

/// The reason why a version was raised although no stored shape changed, or what was corrected in
/// an upgrader that was released.
fn reason(options: &mut UpgradeFromOptions, errors: &mut Errors) -> Option<LitStr> {
    let Given { key, value } = options.reason.take()?;
    if let Some(other) = keys!(options: unsupported never_released).next() {
        let word = spelt(other);
        errors.push(
            &key,
            format_args!(
                "nothing is upgraded here, so there is nothing to give a reason for\nhelp: remove `reason`, and keep `{word}`"
            ),
        );
        return None;
    }
    let text = errors.take(value)?;
    if text.value().trim().is_empty() {
        errors
            .push(&text, "the reason is empty\nhelp: say why the version was raised or the upgrader corrected: `reason = \"…\"`");
    }
    Some(text)
}

/// `as = …` and `derive(…)`, which belong to a difference; `example` is a name for the struct. The
/// error is recorded.
fn made_struct(
    options: &mut UpgradeFromOptions,
    example: &str,
    errors: &mut Errors,
) -> Result<Option<MadeStruct>, ()> {
    let (name, derive) = (options.as_struct.take(), options.derive.take());
    let Some(name) = name else {
        let Some(derive) = derive else {
            return Ok(None);
        };
        errors.push(
            &derive.key,
            format_args!("`derive` is for the struct of a prior version, and there is none here\nhelp: add `as = {example}` to this upgrader"),
        );
        return Err(());
    };
    if let Some(other) = keys!(options: model with raw unsupported never_released).next() {
        let word = spelt(other);
        errors.push(
            &name.key,
            format_args!("`as` makes a struct of what operators say, and `{word}` is not an operator\nhelp: remove `as`, or write operators in place of `{word}`"),
        );
        return Err(());
    }
    let derives = match derive {
        Some(given) => errors
            .take(given.value)
            .map(|Derives(paths)| paths)
            .ok_or(())?,
        None => Vec::new(),
    };
    let StructName(ident) = errors.take(name.value).ok_or(())?;
    Ok(Some(MadeStruct { ident, derives }))
}

/// Reads every `#[upgrade_from(…)]` of a nested object, which has no versions. `None` means one
/// that is not complete. `prior_model` is a name for a prior struct, for messages.
pub(crate) fn object_upgraders(
    attributes: &[Attribute],
    prior_model: &str,
    errors: &mut Errors,
) -> Vec<Option<RawKind>> {
    super::named(&UPGRADE_FROM, attributes)
        .map(|attribute| object_upgrader(attribute, prior_model, errors))
        .collect()
}

fn object_upgrader(
    attribute: &Attribute,
    prior_model: &str,
    errors: &mut Errors,
) -> Option<RawKind> {
    let path = attribute.path();
    let Listed {
        options,
        bare,
        calls,
        target,
        mut complete,
    } = list::read::<UpgradeFromOptions>(&UPGRADE_FROM, [attribute], is_bare, errors);
    let is_alone = bare.len() == 1 && options.is_empty() && calls.is_empty();
    for value in bare {
        complete = false;
        if matches!(value, Expr::Lit(_) | Expr::Range(_)) {
            let version = value.to_token_stream().to_string().replace(' ', "");
            let help = match options
                .model
                .as_ref()
                .and_then(|model| model.value.as_ref().ok())
            {
                Some(_) => format!("remove `{version}`"),
                // Not the version alone, because an arrow and another version are behind it.
                None if target.is_some() => format!(
                    "name the prior struct alone: `#[upgrade_from(model = {prior_model}, …)]`"
                ),
                None if is_alone => format!("write `model = {prior_model}, carry`"),
                // The others are mistakes, too, and a list of options would be written over them.
                None if calls.is_empty() && options.carry.is_none() => {
                    format!("remove `{version}`")
                }
                None => format!("write `model = {prior_model}`"),
            };
            errors.push(
                value,
                format_args!("a nested object has no version\nhelp: {help}\nnote: it is upgraded as part of its resource"),
            );
        } else {
            stray(&value, options.model.is_some(), true, prior_model, errors);
        }
    }
    let mut refused = false;
    let others = keys!(
        options: with is_async raw unsupported never_released
        when as_struct derive to downgrade reason
    );
    for key in others {
        refused = true;
        let word = spelt(key);
        let help = match word.as_str() {
            "with" => {
                "write operators; or let the field that holds the objects call it: `convert(field, with = path)`, `each(convert(field, with = path))` for a list of them"
            }
            "raw" | "async" | "downgrade" => {
                "write operators, or upgrade the whole resource with a function"
            }
            _ => "write it on the resource",
        };
        errors.push(
            key,
            format_args!("`{word}` belongs to the upgraders of a resource\nhelp: {help}"),
        );
    }
    if refused {
        return None;
    }
    let has_operators = !calls.is_empty();
    let missing = |errors: &mut Errors| {
        let what = if has_operators {
            written(attribute)
        } else {
            "carry".to_owned()
        };
        errors.push(
            path,
            format_args!(
                "`#[upgrade_from]` does not name the struct that this object was\nhelp: write `#[upgrade_from(model = {prior_model}, {what})]`"
            ),
        );
    };
    let is_plain = options.carry.is_none() && !has_operators;
    let kind = kind_of(options, calls, complete, false, missing, errors)?;
    if let (RawKind::Conversion { model }, true) = (&kind, is_plain && complete) {
        let name = spelt(model);
        errors.push(
            model,
            format_args!(
                "nothing says how the object comes from `{name}`\nhelp: write `model = {name}, carry`, or operators such as `rename(old => new)`"
            ),
        );
        return None;
    }
    Some(kind)
}

/// Reads every `#[move_from(…)]`. `None` means one that is not complete.
pub(crate) fn moves(attributes: &[Attribute], errors: &mut Errors) -> Vec<Option<RawMove>> {
    super::named(&MOVE_FROM, attributes)
        .map(|attribute| move_from(attribute, errors))
        .collect()
}

fn move_from(attribute: &Attribute, errors: &mut Errors) -> Option<RawMove> {
    let path = attribute.path();
    let Listed {
        options,
        bare,
        calls,
        target: _,
        mut complete,
    } = list::read::<MoveFromOptions>(&MOVE_FROM, [attribute], is_bare, errors);
    for value in bare {
        complete = false;
        match &value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if options.type_name.is_none() => {
                let (model, text) = (Case::Pascal.of_field(&text.value()), text.to_token_stream());
                let model = if options.model.is_none() { format!(", model = {model}") } else { String::new() };
                errors.push(&value, format_args!("this string has no name\nhelp: write `type_name = {text}{model}`"));
            }
            Expr::Lit(_) | Expr::Range(_) => errors.push(
                &value,
                "a move has no version here\nhelp: remove it; the version is that of the model, which its own upgraders lead up to",
            ),
            _ => stray(&value, options.model.is_some(), options.with.is_some(), "OtherModel", errors),
        }
    }
    let MoveFromOptions {
        type_name,
        provider,
        model,
        carry,
        with,
        is_async,
        when,
    } = options;
    if type_name.is_none() && model.is_none() && complete {
        let help = "help: write `#[move_from(type_name = \"other_thing\", model = OtherThing)]`";
        errors.push(
            path,
            format_args!("`#[move_from]` needs the other type and its model\n{help}"),
        );
        return None;
    }
    if type_name.is_none() && complete {
        let model = model
            .as_ref()
            .and_then(|model| model.value.as_ref().ok())
            .map(|ItemPath(model)| spelt(model));
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
    let when = When::given(when, errors);
    let options = UpgradeFromOptions {
        model,
        carry,
        with,
        is_async,
        ..UpgradeFromOptions::default()
    };
    let kind = kind_of(options, calls, complete, false, missing, errors);
    let type_name = value_of(type_name, errors);
    let provider = match provider {
        None => Some(None),
        Some(given) => errors.take(given.value).map(Some),
    };
    Some(RawMove {
        type_name: type_name?,
        provider: provider?,
        kind: kind?,
        when: when.ok()?,
    })
}
