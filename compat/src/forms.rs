//! The forms of strings that declared upgraders rewrite:
//! `reformat(topic, "{project}/{name}" => "projects/{project}/topics/{name}")` says what no type
//! shows, that stored and configured values have another form since that version.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use upstate::upgrade::History;
use upstate_words::lock::path as path_of;

/// The forms that strings of a stored version are rewritten from and to, by today's path.
pub(super) fn reformatted(
    history: &'static History,
    version: u64,
) -> BTreeMap<String, (String, String)> {
    let mut found: BTreeMap<String, (String, String)> = BTreeMap::new();
    // The last upgrader comes first, so that an earlier one gives the form that the version stored.
    for (later, upgrader) in history.upgraders_from(version) {
        let Some(json) = later
            .whole_upgrader(upgrader)
            .and_then(|upgrader| serde_json::to_value(upgrader).ok())
        else {
            continue;
        };
        let renames = upstate::__internal::renames(history, later.version());
        let renames: BTreeMap<String, Vec<String>> = renames
            .into_iter()
            .map(|(from, goals)| {
                (
                    path_of(&from),
                    goals.iter().map(|goal| path_of(goal)).collect(),
                )
            })
            .collect();
        for (path, (was, now)) in forms(&json, &[]) {
            let path = match renames.get(&path).map(Vec::as_slice) {
                None => path,
                Some([only]) => only.clone(),
                // It was split, and has no one form.
                Some(_) => continue,
            };
            found
                .entry(path)
                .and_modify(|(first, _)| first.clone_from(&was))
                .or_insert((was, now));
        }
    }
    found
}

/// The elements of a list in JSON; none of anything else.
fn elements(json: Option<&Json>) -> &[Json] {
    json.and_then(Json::as_array).map_or(&[][..], Vec::as_slice)
}

/// The strings among them.
fn texts(json: Option<&Json>) -> impl Iterator<Item = &str> {
    elements(json).iter().filter_map(Json::as_str)
}

/// The forms in an upgrader's operators and in those of nested objects, by path.
fn forms(operators: &Json, above: &[&str]) -> Vec<(String, (String, String))> {
    let mut found = Vec::new();
    for production in elements(operators.get("productions")) {
        let target = texts(production.get("target"));
        let path = path_of(&above.iter().copied().chain(target).collect::<Vec<_>>());
        let rewrites =
            |stage: &&Json| stage.get("operator").and_then(Json::as_str) == Some("reformat");
        for form in elements(production.get("stages"))
            .iter()
            .filter(rewrites)
            .flat_map(|stage| elements(stage.get("forms")))
        {
            let (was, now) = (pattern(form.get("pattern")), pattern(form.get("template")));
            // Other letter case is the same form, so that it does not count as a change.
            if was != now {
                found.push((path.clone(), (was, now)));
            }
        }
    }
    for object in elements(operators.get("objects")) {
        let at = texts(object.get("at")).collect::<Vec<_>>();
        if let Some(operators) = object.get("operators") {
            found.extend(forms(operators, &at));
        }
    }
    found
}

/// A pattern or template as its author wrote it, without what happens to letters.
fn pattern(parts: Option<&Json>) -> String {
    let part = |part: &Json| {
        let text = |name: &str| part.get(name).and_then(Json::as_str).unwrap_or_default();
        let path = texts(part.get("prior")).collect::<Vec<_>>();
        let name = ["part", "rest", "found"].map(text).concat() + &path.join(".");
        // An optional part includes the text that separates it, as in the pattern.
        let name = if name.is_empty() {
            name
        } else {
            format!("{{{name}}}")
        };
        format!("{}{}{name}{}", text("text"), text("before"), text("behind"))
    };
    elements(parts).iter().map(part).collect()
}
