//! What the conversions share: lists that become single objects, texts that become numbers or null.

use std::any::type_name;
use std::str::FromStr;

use upstate::{AttributePath, Diagnostic};

/// The path of one attribute of the resource.
pub(super) fn path(name: &'static str) -> AttributePath {
    AttributePath::new().attribute(name)
}

/// The same diagnostic, `parent` steps further in.
pub(super) fn below(parent: AttributePath, diagnostic: Diagnostic) -> Diagnostic {
    let inner = diagnostic.path().cloned().unwrap_or_default();
    let full = inner.steps().iter().cloned().fold(parent, AttributePath::step);
    diagnostic.at(full)
}

/// The element of a list that may hold one at most; none for an empty list.
pub(super) fn at_most_one<T>(name: &'static str, list: Option<Vec<T>>) -> Result<Option<T>, Diagnostic> {
    let mut elements = list.into_iter().flatten();
    let first = elements.next();
    match elements.count() {
        0 => Ok(first),
        more => Err(Diagnostic::error(
            "More Than One Block",
            format!(
                "`{name}` became a single object, and this state holds {} of them. Remove all but one with the provider \
                 release that wrote the state, then upgrade again.",
                more + 1
            ),
        )
        .at(path(name))),
    }
}

/// The same, upgrading the element; an error inside it names the way there.
pub(super) fn unwrapped<A, B: TryFrom<A, Error = Diagnostic>>(
    name: &'static str,
    list: Option<Vec<A>>,
) -> Result<Option<B>, Diagnostic> {
    let element = at_most_one(name, list)?;
    element.map(B::try_from).transpose().map_err(|diagnostic| below(path(name).index(0), diagnostic))
}

/// The element of a list that must hold one.
pub(super) fn exactly_one<T>(name: &'static str, list: Option<Vec<T>>) -> Result<T, Diagnostic> {
    at_most_one(name, list)?.ok_or_else(|| {
        Diagnostic::error("Missing Block", format!("`{name}` is required, and this state holds none.")).at(path(name))
    })
}

/// Upgrades every element of a list; an error names the element.
pub(super) fn each<A, B>(
    name: &'static str,
    list: Option<Vec<A>>,
    mut upgrade: impl FnMut(A) -> Result<B, Diagnostic>,
) -> Result<Option<Vec<B>>, Diagnostic> {
    let Some(list) = list else { return Ok(None) };
    let upgraded =
        (0..).zip(list).map(|(index, element)| upgrade(element).map_err(|diagnostic| below(path(name).index(index), diagnostic)));
    upgraded.collect::<Result<_, _>>().map(Some)
}

/// Turns a list of objects into a list of their current form.
pub(super) fn map_each<A, B: From<A>>(list: Option<Vec<A>>) -> Option<Vec<B>> {
    list.map(|elements| elements.into_iter().map(B::from).collect())
}

/// An empty text meant "not set".
pub(super) fn empty_as_null(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// Reads a number or bool that was stored as text, where the empty text stood for 0 or false.
pub(super) fn parse_or_zero<T: FromStr + Default>(name: &'static str, text: Option<String>) -> Result<Option<T>, Diagnostic> {
    let Some(text) = text else { return Ok(None) };
    if text.is_empty() {
        return Ok(Some(T::default()));
    }
    text.parse().map(Some).map_err(|_| {
        Diagnostic::error(
            "Text That Is No Value",
            format!("`{name}` was stored as text and is now of type {}, which {text:?} can't be read as.", type_name::<T>()),
        )
        .at(path(name))
    })
}
