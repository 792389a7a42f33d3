//! Values without a key.

use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, Path};

use crate::attr::operators;
use crate::attr::spec::{OF_STRUCTS, Spec};
use crate::attr::value::spelt;
use crate::errors::Errors;

/// True if a word is a type or function whose key was forgotten. A word that is close to an option or an operator is not.
pub(super) fn is_bare(spec: &Spec, path: &Path) -> bool {
    let word = spelt(path);
    let of_another = OF_STRUCTS.iter().any(|other: &&Spec| other.has(&word));
    !of_another && !operators::is_operator(&word) && !spec.is_near(&word)
}

/// A value that has no key, beside the version.
pub(super) fn stray(value: &Expr, has_model: bool, has_with: bool, prior_model: &str, errors: &mut Errors) {
    let text = value.to_token_stream();
    let message = match value {
        Expr::Path(_) if !has_model => {
            format!("`{text}` is given without a name\nhelp: write `model = {text}`")
        }
        Expr::Lit(ExprLit { lit: Lit::Str(written), .. }) if !has_model => {
            if written.value().contains(' ') {
                errors.push(value, format_args!("this string has no key\nhelp: write `reason = {text}`"));
                return;
            }
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
