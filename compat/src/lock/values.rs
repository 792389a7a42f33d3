//! The values of their type that fields take, of two schemas as data: they may not narrow under a
//! released version.

use serde_json::Value as Json;
use upstate_words::lock::{
    OWN, integers, is_exact_in_f32, is_integer_of_documents, is_integer_within, is_within,
};

use crate::inside::{TakenOver, narrowed, taken_over};
use crate::snapshot::AttributeSnapshot;

/// The beginning of the names of checks that a field makes itself when it is read.
pub(super) const STORED: &str = "stored ";
/// The strings that a field takes.
pub(super) const VALUES: &str = "stored values";

/// The values that `was` took and `is` refuses, as the end of a sentence. An attribute without a
/// form took any string or number where the lock `knows_forms`.
pub(super) fn narrowed_snapshot(
    was: &AttributeSnapshot,
    is: &AttributeSnapshot,
    knows_forms: bool,
) -> Option<String> {
    // An imported schema does not say which values it took.
    was.nullable?;
    let of = |attribute: &AttributeSnapshot, name: &str| attribute.validators.get(name).cloned();
    let form = of(was, "stored form");
    let form = form.as_ref().and_then(Json::as_str);
    if let Some(Json::String(now)) = of(is, "stored integer") {
        let took = of(was, "stored integer");
        let took = took.as_ref().and_then(Json::as_str);
        integers(now.as_bytes())?;
        let has_form = form.is_some_and(|form| form != OWN);
        let is_known = took.is_some() || has_form || !is_integer_of_documents(&now);
        let fits = took.is_some_and(|took| is_integer_within(took, &now) == Some(true));
        return (is_known && !fits).then(|| {
            let before = took.map_or_else(
                || "any number was stored".to_owned(),
                |took| format!("was stored as {took}"),
            );
            format!("is read as {now} now, and {before}")
        });
    }
    if let Some(Json::String(now)) = of(is, "stored form") {
        let took = ["stored integer", "stored values"]
            .into_iter()
            .find_map(|name| of(was, name));
        let is_exact = took
            .as_ref()
            .and_then(Json::as_str)
            .is_some_and(|took| is_exact_in_f32(took.as_bytes()));
        let before = match (form, &took) {
            (None, None) if knows_forms && now != OWN => {
                "anything of its type was stored".to_owned()
            }
            (None, None) => return None,
            (Some(form), _) if is_within(form.as_bytes(), now.as_bytes()) => return None,
            (Some(form), _) => format!("{form} was stored"),
            (None, Some(_)) if now == "f32" && is_exact => return None,
            (None, Some(_)) if now == OWN => return None,
            (None, Some(took)) => format!(
                "{} was stored",
                took.as_str()
                    .map_or_else(|| took.to_string(), str::to_owned)
            ),
        };
        return Some(format!(
            "takes only values of the form {now} now, and {before}"
        ));
    }
    let Some(Json::Array(now)) = of(is, "stored values") else {
        return None;
    };
    if let Some(Json::Array(took)) = of(was, "stored values") {
        return took
            .iter()
            .find(|text| !now.contains(text))
            .map(|text| format!("no longer takes {text}"));
    }
    let before = form.filter(|form| *form != OWN).unwrap_or("any string");
    let mut texts: Vec<String> = now.iter().take(12).map(Json::to_string).collect();
    if now.len() > texts.len() {
        texts.push("…".to_owned());
    }
    Some(format!(
        "takes only {} now, and {before} was stored",
        texts.join(", ")
    ))
}

/// The first null, key or scalar inside of the values of an attribute that `was` took and `is`
/// refuses, as a sentence. Without a fact any string was a key where the lock `knows_keys`.
pub(super) fn narrowed_inside(
    path: &str,
    was: &AttributeSnapshot,
    is: &AttributeSnapshot,
    knows_keys: bool,
) -> Option<String> {
    let first = narrowed(path, was, is, knows_keys).into_iter().next()?;
    let of = |values: &Json| {
        values
            .as_str()
            .map_or_else(|| values.to_string(), str::to_owned)
    };
    let path = first.path;
    let was = first.was.map_or_else(|| "any string".to_owned(), of);
    Some(match (first.is, first.was) {
        (None, _) => format!("`{path}` no longer takes null"),
        (Some(Json::String(now)), Some(_)) if integers(now.as_bytes()).is_some() => {
            format!("`{path}` is read as {now} now, and was stored as {was}")
        }
        (Some(Json::String(now)), None) if integers(now.as_bytes()).is_some() => {
            format!("`{path}` is read as {now} now, and {was} was stored")
        }
        (Some(Json::String(now)), _) => {
            format!("`{path}` takes only values of the form {now} now, and {was} was stored")
        }
        (Some(now), _) => format!("`{path}` takes only {now} now, and {was} was stored"),
    })
}

/// The first variant without a tag whose values are read as an earlier one now, as a sentence.
pub(super) fn read_as_earlier(
    path: &str,
    was: &AttributeSnapshot,
    is: &AttributeSnapshot,
    knows_inside: bool,
) -> Option<String> {
    let found = taken_over(path, was, is, knows_inside).into_iter().next();
    found.map(|TakenOver { path, was, is }| {
        format!("`{path}` reads values of the variant {was:?} as {is:?} now, which takes more than it did")
    })
}
