//! `#[upgrade_from(N, model = …)]`: the version comes without a key.

use quote::ToTokens;
use syn::{Attribute, Expr, Path};

use super::list;
use super::options::UpgradeFromOptions;
use super::spec::{OF_STRUCTS, Spec, UPGRADE_FROM};
use super::value::{ItemPath, Version, spelt};
use crate::errors::Errors;

/// One `#[upgrade_from(…)]` with what it must have.
#[derive(Debug)]
pub(crate) struct RawEdge {
    pub(crate) from: Version,
    pub(crate) model: Path,
    pub(crate) with: Option<Path>,
}

/// Reads every `#[upgrade_from(…)]`. `None` stands for one that is not complete.
///
/// `prior_model` makes a name for the model of a version, for messages.
pub(crate) fn edges(attributes: &[Attribute], prior_model: impl Fn(u64) -> String, errors: &mut Errors) -> Vec<Option<RawEdge>> {
    super::named(&UPGRADE_FROM, attributes).map(|attribute| edge(attribute, &prior_model, errors)).collect()
}

fn edge(attribute: &Attribute, prior_model: &impl Fn(u64) -> String, errors: &mut Errors) -> Option<RawEdge> {
    let path = attribute.path();
    // A word that is no attribute's option is a type whose `model =` was forgotten.
    let is_bare = |path: &Path| !OF_STRUCTS.iter().any(|spec: &&Spec| spec.has(&spelt(path)));
    let listed = list::read::<UpgradeFromOptions>(&UPGRADE_FROM, [attribute], is_bare, errors);
    let UpgradeFromOptions { model, with } = listed.options;
    let mut complete = listed.complete;

    let mut bare = listed.bare.into_iter();
    let first = bare.next();
    if first.is_none() && model.is_none() && with.is_none() {
        if complete {
            let example = prior_model(0);
            let help = format!("help: write `#[upgrade_from(0, model = {example})]`");
            errors.push(path, format_args!("`#[upgrade_from]` needs a prior version and its model\n{help}"));
        }
        return None;
    }
    for stray in bare {
        let text = stray.to_token_stream();
        let message = match &stray {
            Expr::Path(_) if model.is_none() => {
                format!("`{text}` is given without a name\nhelp: write `model = {text}`")
            }
            Expr::Lit(literal) if model.is_none() && matches!(literal.lit, syn::Lit::Str(_)) => {
                let written = match &literal.lit {
                    syn::Lit::Str(text) => text.value(),
                    _ => prior_model(0),
                };
                format!("the model is a path, not a string\nhelp: write `model = {written}`")
            }
            Expr::Path(_) if with.is_none() => format!("`{text}` is given without a name\nhelp: write `with = {text}`"),
            Expr::Lit(_) => "an upgrade starts at one version\nhelp: write one `#[upgrade_from(…)]` for each version".to_owned(),
            _ => "this is neither the version nor an option\nhelp: the options are `model = …` and `with = …`".to_owned(),
        };
        errors.push(stray, message);
        complete = false;
    }

    let from = match first {
        Some(Expr::Path(word)) => {
            let text = spelt(&word.path);
            errors.push(
                &word,
                format_args!(
                    "`{text}` is not a version\nhelp: the version comes first: `#[upgrade_from(0, model = {})]`",
                    if model.is_none() { text.clone() } else { prior_model(0) }
                ),
            );
            return None;
        }
        Some(Expr::Range(range)) => {
            errors.push(range, "an upgrade starts at one version\nhelp: write one `#[upgrade_from(…)]` for each version");
            return None;
        }
        Some(expr) => errors.take(Version::read_positional(&expr)),
        None => {
            if complete {
                let model = model.as_ref().and_then(|model| model.value.as_ref().ok());
                let model = model.map_or_else(|| prior_model(0), |ItemPath(model)| spelt(model));
                errors.push(
                    path,
                    format_args!(
                        "`#[upgrade_from]` does not say which version the upgrade starts at\nhelp: write `#[upgrade_from(0, model = {model})]`"
                    ),
                );
            }
            None
        }
    };
    if model.is_none() && complete {
        let number = from.as_ref().map_or(0, |from| from.number);
        let example = prior_model(number);
        errors.push(
            path,
            format_args!(
                "`#[upgrade_from]` does not name the model of version {number}\nhelp: write `#[upgrade_from({number}, model = {example})]`"
            ),
        );
    }
    let model = model.and_then(|model| errors.take(model.value));
    let with = match with {
        Some(with) => Some(errors.take(with.value)?.0),
        None => None,
    };
    Some(RawEdge { from: from?, model: model?.0, with })
}
