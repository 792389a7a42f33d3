//! Values without a key.

use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, Path};

use crate::attr::operators;
use crate::attr::spec::{OF_STRUCTS, Spec};
use crate::attr::value::spelt;
use crate::errors::Errors;

/// True if a word is a type or function whose key was forgotten. A word that is close to an option
/// or an operator is not.
pub(super) fn is_bare(spec: &Spec, path: &Path) -> bool {
    let word = spelt(path);
    let of_another = OF_STRUCTS.iter().any(|other: &&Spec| other.has(&word));
    !of_another && !operators::is_operator(&word) && !spec.is_near(&word)
}

/// A value that has no key, beside the version.
pub(super) fn stray(
    value: &Expr,
    has_model: bool,
    has_with: bool,
    prior_model: &str,
    errors: &mut Errors,
) {
    let text = value.to_token_stream();
    let message = match value {
        Expr::Path(_) if !has_model => {
            format!("`{text}` is given without a name\nhelp: write `model = {text}`")
        }
        Expr::Lit(ExprLit { lit: Lit::Str(written), .. }) if !has_model => {
            if let Some(operator) = of_sql(&written.value()) {
                let message = format!("operators say what changed, and not SQL\nhelp: write `{operator}`");
                errors.push(value, message);
                return;
            }
            if written.value().contains(' ') {
                errors.push(value, format_args!("this string has no key\nhelp: write `reason = {text}`"));
                return;
            }
            let written = if written.value().is_empty() { prior_model.to_owned() } else { written.value() };
            format!("the model is a path, not a string\nhelp: write `model = {written}`")
        }
        Expr::Path(_) if !has_with => format!("`{text}` is given without a name\nhelp: write `with = {text}`"),
        Expr::Lit(_) | Expr::Range(_) => {
            "an upgrade starts at one version\nhelp: write one `#[upgrade_from(…)]` for each version, or a range such as `0..=1` if they share one shape".to_owned()
        }
        _ => "this is neither the version, nor an option, nor an operator\nhelp: write `model = …`, and what happens to its fields".to_owned(),
    };
    errors.push(value, message);
}

/// The operator for a statement that changes a table.
fn of_sql(statement: &str) -> Option<String> {
    let words: Vec<&str> = statement.trim_end_matches(';').split_whitespace().collect();
    let [alter, table, _, change, rest @ ..] = words.as_slice() else {
        return None;
    };
    if !alter.eq_ignore_ascii_case("alter") || !table.eq_ignore_ascii_case("table") {
        return None;
    }
    let rest = match rest {
        [column, rest @ ..] if column.eq_ignore_ascii_case("column") => rest,
        rest => rest,
    };
    match (change.to_ascii_lowercase().as_str(), rest) {
        ("add", [field, ..]) => Some(format!("set({field} = null)")),
        ("drop", [field, ..]) => Some(format!("drop({field}, \"why\")")),
        ("rename", [old, to, new]) if to.eq_ignore_ascii_case("to") => {
            Some(format!("rename({old} => {new})"))
        }
        _ => None,
    }
}
