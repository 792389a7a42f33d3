//! What the upgrades that are functions share.

use std::any::type_name;
use std::str::FromStr;

use upstate::{AttributePath, Diagnostic};

/// The path of one attribute of the resource.
pub(super) fn path(name: &'static str) -> AttributePath {
    AttributePath::new().attribute(name)
}

/// The diagnostic, `parent` steps further in.
pub(super) fn below(parent: AttributePath, diagnostic: Diagnostic) -> Diagnostic {
    let inner = diagnostic.path().cloned().unwrap_or_default();
    let full = inner
        .steps()
        .iter()
        .cloned()
        .fold(parent, AttributePath::step);
    diagnostic.at(full)
}

/// Reads a number or bool that was stored as text, where the empty text stood for 0 or false.
pub(super) fn parse_or_zero<T: FromStr + Default>(
    name: &'static str,
    text: Option<String>,
) -> Result<Option<T>, Diagnostic> {
    let Some(text) = text else { return Ok(None) };
    if text.is_empty() {
        return Ok(Some(T::default()));
    }
    text.parse().map(Some).map_err(|_| {
        Diagnostic::error(
            "Invalid Block Value",
            format!("`{name}` was stored as a string and is now of type {}, which {text:?} can't be read as.", type_name::<T>()),
        )
        .at(path(name))
    })
}
