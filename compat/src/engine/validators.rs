//! The accepted values.

use serde_json::{Map, Value as Json};
use upstate::__internal::Canonical;
use upstate_words::lock::{
    INSIDE, OWN, integers, is_exact_in_f32, is_integer_of_documents, is_integer_within, is_within,
};

use super::Context;
use crate::inside::{Narrowed, TakenOver, narrowed, taken_over, unbounded};
use crate::release::Semver;
use crate::rule::{Bump, Level, Rule};
use crate::rules as R;
use crate::snapshot::AttributeSnapshot;

pub(super) fn compare(
    cx: &mut Context<'_>,
    path: &str,
    old: &AttributeSnapshot,
    new: &AttributeSnapshot,
) {
    let first = cx.findings.len();
    inside(cx, path, old, new);
    for (name, before) in old.validators.iter().filter(|(name, _)| *name != INSIDE) {
        match new.validators.get(name) {
            Some(after) if before == after => {}
            // No finding, because nothing is known of what an author's own type reads.
            Some(after) if name == STORED_FORM && (is_own(before) || is_own(after)) => {}
            None if name == STORED_FORM && is_own(before) => {}
            Some(after) => changed(cx, path, name, before, after, new),
            // If the attribute has another type, the finding about the type says so.
            None if name.starts_with(STORED) && old.ty != new.ty => {}
            // No finding, because a float of 32 bits holds each of them.
            None if name == STORED_INTEGER && is_exact(before, new.validators.get(STORED_FORM)) => {
            }
            None if name == STORED_INTEGER => widened(cx, path, before),
            None => {
                cx.report(&R::VALIDATOR_REMOVED, path)
                    .was(words(name, before));
            }
        }
    }
    let is_new = |name: &str| name != INSIDE && !old.validators.contains_key(name);
    for (name, after) in new.validators.iter().filter(|(name, _)| is_new(name)) {
        let was = old.validators.get(STORED_INTEGER);
        let knows_values =
            cx.knows_forms || old.validators.keys().any(|name| name.starts_with(STORED));
        if name == STORED_FORM
            && (!knows_values || is_own(after) || was.is_some_and(|was| is_exact(was, Some(after))))
        {
            continue;
        }
        let form = old.validators.get(STORED_FORM);
        // No finding, because locks of before have no fact of these.
        if name == STORED_INTEGER
            && after.as_str().is_some_and(is_integer_of_documents)
            && form.is_none_or(is_own)
        {
            continue;
        }
        // If the attribute has another type, the finding about the type says so.
        if name == STORED_INTEGER && old.ty == new.ty {
            cx.report(&R::TYPE_NARROWED, path)
                .was("number")
                .now(integer_words(after));
        } else if !name.starts_with(STORED) || old.ty == new.ty {
            tightening(cx, &R::VALIDATOR_ADDED, path).now(words(name, after));
        }
    }
    for finding in cx
        .findings
        .iter_mut()
        .skip(first)
        .filter(|finding| finding.level >= Level::Potential)
    {
        if !finding.kind.is_stored() {
            continue;
        }
        let about = finding.was_or_is();
        if about.starts_with(STORED)
            || *finding.rule == R::ENUM_VALUE_REMOVED && new.validators.contains_key(STORED_VALUES)
        {
            finding
                .needs(Bump::YES)
                .note("stored values are read by the same check, so such a value is refused");
        }
    }
}

/// The prefix of checks that the field itself makes when state is read.
const STORED: &str = "stored ";
const STORED_VALUES: &str = "stored values";
const STORED_INTEGER: &str = "stored integer";
const STORED_FORM: &str = "stored form";

/// Reports whole numbers in place of which any number is taken now.
fn widened(cx: &mut Context<'_>, path: &str, integer: &Json) {
    cx.report(&R::TYPE_WIDENED, path)
        .was(integer_words(integer))
        .now("number")
        .graded(Level::Potential, Semver::Minor)
        .note("an `f64` loses digits of whole numbers above 2^53; a `Number` loses none");
}

/// Reports null, keys and scalars inside of the values that are not taken any more, and whole
/// numbers that may be rounded now.
fn inside(cx: &mut Context<'_>, path: &str, old: &AttributeSnapshot, new: &AttributeSnapshot) {
    // Imported entries are left out, because they do not say which values they take.
    if cx
        .types
        .resources
        .get(cx.resource)
        .is_some_and(|resource| resource.imported)
    {
        return;
    }
    for Narrowed { path, was, is } in narrowed(path, old, new, cx.knows_forms) {
        match (was, is) {
            (_, None) if cx.kind.is_stored() => {
                cx.report(&R::NULL_REFUSED, &path);
            }
            (_, None) => {}
            (None, Some(is)) => {
                tightening(cx, &R::VALIDATOR_ADDED, &path).now(words(name_of(is), is));
            }
            (Some(was), Some(is)) => {
                tightening(cx, &R::VALIDATOR_TIGHTENED, &path)
                    .was(words(name_of(was), was))
                    .now(words(name_of(is), is));
            }
        }
    }
    for (path, integer) in unbounded(path, old, new) {
        widened(cx, &path, integer);
    }
    for TakenOver { path, was, is } in taken_over(path, old, new, cx.knows_forms) {
        cx.report(&R::UNION_TAGGING_CHANGED, &path).was(was).now(is);
    }
}

/// The name of a check that a field itself makes, by the values that it takes.
fn name_of(values: &Json) -> &'static str {
    match values {
        Json::String(name) if integers(name.as_bytes()).is_some() => STORED_INTEGER,
        Json::String(_) => STORED_FORM,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
            STORED_VALUES
        }
    }
}

/// True if a field that took whole numbers takes floats of 32 bits now, and these hold each of the
/// former.
fn is_exact(integer: &Json, form: Option<&Json>) -> bool {
    form.and_then(Json::as_str) == Some("f32")
        && integer
            .as_str()
            .is_some_and(|name| is_exact_in_f32(name.as_bytes()))
}

fn is_own(form: &Json) -> bool {
    form.as_str() == Some(OWN)
}

fn integer_words(name: &Json) -> String {
    format!("whole number ({})", name.as_str().unwrap_or_default())
}

fn words(name: &str, check: &Json) -> String {
    format!("{name} {}", Canonical(check))
}

/// Reports a check that refuses more than before, graded as the options say.
fn tightening<'c>(
    cx: &'c mut Context<'_>,
    rule: &'static Rule,
    path: &str,
) -> &'c mut crate::Finding {
    let semver = cx.options.validation_tightening;
    let finding = cx.report(rule, path);
    match semver {
        Some(semver) if semver < Semver::Major => finding.graded(Level::Potential, semver),
        Some(_) | None => finding,
    }
}

fn changed(
    cx: &mut Context<'_>,
    path: &str,
    name: &str,
    before: &Json,
    after: &Json,
    new: &AttributeSnapshot,
) {
    let is_looser = match (before, after) {
        (Json::Array(before), Json::Array(after)) => {
            for value in before.iter().filter(|value| !after.contains(value)) {
                tightening(cx, &R::ENUM_VALUE_REMOVED, path).was(Canonical(value).to_string());
            }
            for value in after.iter().filter(|value| !before.contains(value)) {
                let finding = cx
                    .report(&R::ENUM_VALUE_ADDED, path)
                    .now(Canonical(value).to_string());
                if new.computed {
                    finding.graded(Level::Potential, Semver::Minor);
                }
            }
            return;
        }
        (Json::Object(before), Json::Object(after))
            if is_interval(before) && is_interval(after) =>
        {
            let tightened = bound(after, "min", f64::NEG_INFINITY)
                > bound(before, "min", f64::NEG_INFINITY)
                || bound(after, "max", f64::INFINITY) < bound(before, "max", f64::INFINITY);
            Some(!tightened)
        }
        (Json::String(before), Json::String(after)) if name == STORED_INTEGER => {
            Some(is_integer_within(before, after) == Some(true))
        }
        (Json::String(before), Json::String(after)) if name == STORED_FORM => {
            Some(is_within(before.as_bytes(), after.as_bytes()))
        }
        _ => None,
    };
    let finding = match is_looser {
        Some(true) => cx.report(&R::VALIDATOR_LOOSENED, path),
        Some(false) => tightening(cx, &R::VALIDATOR_TIGHTENED, path),
        None => cx.report(&R::VALIDATOR_CHANGED_OPAQUE, path),
    };
    finding.was(words(name, before)).now(words(name, after));
}

fn is_interval(check: &Map<String, Json>) -> bool {
    check.iter().all(|(name, value)| {
        matches!(name.as_str(), "min" | "max") && (value.is_number() || value.is_null())
    })
}

fn bound(check: &Map<String, Json>, name: &str, unbounded: f64) -> f64 {
    check.get(name).and_then(Json::as_f64).unwrap_or(unbounded)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value as Json, json};

    use crate::{Level, Options, Snapshot};

    fn served(release: &str, inside: &Json) -> Snapshot {
        let sizes = json!({ "type": ["list", ["tuple", ["number", "string"]]], "validators": { "stored inside": inside } });
        let thing =
            serde_json::from_value(json!({ "version": 0, "attributes": { "sizes": sizes } }))
                .unwrap();
        let resources = BTreeMap::from([("example_thing".to_owned(), thing)]);
        Snapshot {
            release: Some(release.parse().unwrap()),
            resources,
            ..Snapshot::default()
        }
    }

    #[test]
    fn large_whole_numbers_inside_of_a_type_may_be_rounded() {
        let (was, is) = (
            served("1.0.0", &json!({ "[*][0]": "u64" })),
            served("1.1.0", &json!({})),
        );
        let report = crate::compare(&was, &is, &Options::default());
        let found: Vec<_> = report
            .findings
            .iter()
            .map(|finding| (finding.rule.id(), finding.path.as_str(), finding.level))
            .collect();
        assert_eq!(found, [("type-widened", "sizes[*][0]", Level::Potential)]);
    }
}
