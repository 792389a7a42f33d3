//! Which values are accepted.

use serde_json::{Map, Value as Json};

use super::Context;
use crate::compat::release::Semver;
use crate::compat::rule::{Level, Rule};
use crate::compat::rules as R;
use crate::compat::snapshot::AttributeSnapshot;

pub(super) fn compare(cx: &mut Context<'_>, path: &str, old: &AttributeSnapshot, new: &AttributeSnapshot) {
    for (name, before) in &old.validators {
        match new.validators.get(name) {
            Some(after) if before == after => {}
            Some(after) => changed(cx, path, name, before, after, new),
            None => {
                cx.report(&R::VALIDATOR_REMOVED, path).was(words(name, before));
            }
        }
    }
    for (name, after) in new.validators.iter().filter(|(name, _)| !old.validators.contains_key(*name)) {
        tightening(cx, &R::VALIDATOR_ADDED, path).now(words(name, after));
    }
}

fn words(name: &str, check: &Json) -> String {
    format!("{name} {check}")
}

/// Reports a check that refuses more than before, graded as the options say.
fn tightening<'c>(cx: &'c mut Context<'_>, rule: &'static Rule, path: &str) -> &'c mut crate::compat::Finding {
    let semver = cx.options.validation_tightening;
    let finding = cx.report(rule, path);
    match semver {
        Some(semver) if semver < Semver::Major => finding.graded(Level::Potential, semver),
        _ => finding,
    }
}

fn changed(cx: &mut Context<'_>, path: &str, name: &str, before: &Json, after: &Json, new: &AttributeSnapshot) {
    let (was, now) = (words(name, before), words(name, after));
    match (before, after) {
        (Json::Array(before), Json::Array(after)) => {
            for value in before.iter().filter(|value| !after.contains(value)) {
                tightening(cx, &R::ENUM_VALUE_REMOVED, path).was(value.to_string());
            }
            for value in after.iter().filter(|value| !before.contains(value)) {
                let finding = cx.report(&R::ENUM_VALUE_ADDED, path).now(value.to_string());
                if new.computed {
                    finding.graded(Level::Potential, Semver::Minor);
                }
            }
            return;
        }
        (Json::Object(before), Json::Object(after)) if is_interval(before) && is_interval(after) => {
            let tightened = bound(after, "min", f64::NEG_INFINITY) > bound(before, "min", f64::NEG_INFINITY)
                || bound(after, "max", f64::INFINITY) < bound(before, "max", f64::INFINITY);
            if tightened {
                tightening(cx, &R::VALIDATOR_TIGHTENED, path).was(was).now(now);
            } else {
                cx.report(&R::VALIDATOR_LOOSENED, path).was(was).now(now);
            }
            return;
        }
        _ => {}
    }
    match after.get("relation").and_then(Json::as_str) {
        Some("wider") => {
            cx.report(&R::VALIDATOR_LOOSENED, path).was(was).now(now);
        }
        Some("narrower") => {
            tightening(cx, &R::VALIDATOR_TIGHTENED, path).was(was).now(now);
        }
        _ => {
            cx.report(&R::VALIDATOR_CHANGED_OPAQUE, path).was(was).now(now);
        }
    }
}

fn is_interval(check: &Map<String, Json>) -> bool {
    check.iter().all(|(name, value)| matches!(name.as_str(), "min" | "max") && (value.is_number() || value.is_null()))
}

fn bound(check: &Map<String, Json>, name: &str, unbounded: f64) -> f64 {
    check.get(name).and_then(Json::as_f64).unwrap_or(unbounded)
}
