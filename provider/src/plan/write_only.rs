//! Write-only attributes, and those that are stored in their place.

use upstate::schema::Block;
use upstate::{AttributePath, Diagnostics, Value};

use super::nested::{Members, each_object, elements, member};
use crate::diagnostics;

/// The paths at which the configuration gives a write-only attribute a value.
pub(crate) fn write_only_given(block: &Block, config: &Value) -> Vec<AttributePath> {
    let mut found = Vec::new();
    each_object(Members::Block(block), config, &mut |of, object, at| {
        for attribute in of
            .attributes()
            .iter()
            .filter(|attribute| attribute.is_write_only())
        {
            if !member(object, attribute.name()).is_null() {
                found.push(at.clone().attribute(attribute.name().to_owned()));
            }
        }
    });
    found
}

/// A warning wherever the configuration sets an attribute that is stored, and could set the
/// write-only one.
pub(crate) fn stored_instead(block: &Block, config: &Value, pairs: &[(&str, &str)]) -> Diagnostics {
    let mut warnings = Diagnostics::new();
    for (stored, write_only) in pairs {
        let names: Vec<&str> = stored.split('.').collect();
        let instead = write_only.rsplit('.').next().unwrap_or(write_only);
        warn(
            Members::Block(block),
            config,
            &AttributePath::new(),
            &names,
            instead,
            &mut warnings,
        );
    }
    warnings
}

fn warn(
    of: Members<'_>,
    config: &Value,
    at: &AttributePath,
    names: &[&str],
    instead: &str,
    warnings: &mut Diagnostics,
) {
    let Some((first, rest)) = names.split_first() else {
        return;
    };
    if rest.is_empty() {
        // Passed by, because a value that is not known yet may turn out to be null.
        if !matches!(member(config, first), Value::Null | Value::Unknown) {
            let path = at.clone().attribute((*first).to_owned());
            warnings.push(diagnostics::write_only_offered(path, instead));
        }
        return;
    }
    for (_, nesting, inner) in of.nested().filter(|(name, ..)| name == first) {
        for (step, element) in elements(nesting, member(config, first)) {
            let at = at.clone().attribute((*first).to_owned());
            warn(
                inner,
                element,
                &step.into_iter().fold(at, AttributePath::step),
                rest,
                instead,
                warnings,
            );
        }
    }
}

/// The first of these pairs that are not a stored attribute and a write-only one beside it.
pub(crate) fn mispaired<'p>(
    block: &Block,
    pairs: &'p [(&'p str, &'p str)],
) -> Option<&'p (&'p str, &'p str)> {
    fn is_write_only(of: Members<'_>, names: &[&str]) -> Option<bool> {
        let (first, rest) = names.split_first()?;
        if rest.is_empty() {
            return of
                .attributes()
                .iter()
                .find(|attribute| attribute.name() == *first)
                .map(upstate::schema::Attribute::is_write_only);
        }
        of.nested()
            .find(|(name, ..)| name == first)
            .and_then(|(.., inner)| is_write_only(inner, rest))
    }
    let kind =
        |path: &str| is_write_only(Members::Block(block), &path.split('.').collect::<Vec<_>>());
    let parent = |path: &str| path.rsplit_once('.').map(|(parent, _)| parent.to_owned());
    pairs.iter().find(|(stored, write_only)| {
        kind(stored) != Some(false)
            || kind(write_only) != Some(true)
            || parent(stored) != parent(write_only)
    })
}
