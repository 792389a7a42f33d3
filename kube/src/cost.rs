//! Rules of CEL that servers may refuse as too costly: they estimate what a rule costs at most, and
//! a list without a greatest length has as many elements as a request has room for.

use serde_json::Value;

/// The words of CEL that look at each element.
const LOOPS: [&str; 5] = [".all(", ".exists(", ".exists_one(", ".map(", ".filter("];

/// A sentence about the first rule that looks at all elements of a list or map which has no
/// greatest length.
pub(crate) fn unbounded(definition: &Value) -> Option<String> {
    let versions = definition
        .pointer("/spec/versions")
        .and_then(Value::as_array);
    versions.into_iter().flatten().find_map(|version| {
        let (path, rule, field) = below(version.pointer("/schema/openAPIV3Schema")?, "")?;
        let name = version.get("name").and_then(Value::as_str).unwrap_or_default();
        Some(format!(
            "The rule `{rule}` of `{path}` in {name} looks at all of `{field}`, which has no greatest length, so that Kubernetes may refuse it as too \
             costly; write a `length` there, such as `#[kube(length = ..=100)]`."
        ))
    })
}

/// The path of a rule in a schema, the rule, and what it looks at.
fn below<'s>(schema: &'s Value, path: &str) -> Option<(String, &'s str, String)> {
    let rules = schema
        .get("x-kubernetes-validations")
        .and_then(Value::as_array);
    let mut rules = rules
        .into_iter()
        .flatten()
        .filter_map(|rule| rule.get("rule")?.as_str());
    let own = rules.find_map(|rule| {
        let field = looked_at(rule).find(|field| is_unbounded(schema, field))?;
        Some((path.to_owned(), rule, format!("{path}{field}")))
    });
    let of = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    let mut members = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let mut elements = ["items", "additionalProperties"]
        .iter()
        .filter_map(|word| schema.get(*word));
    own.or_else(|| members.find_map(|(name, schema)| below(schema, &of(name))))
        .or_else(|| elements.find_map(|schema| below(schema, &format!("{path}[]"))))
}

/// The paths below `self` that a rule looks at element by element.
fn looked_at(rule: &str) -> impl Iterator<Item = &str> {
    let is_end = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '.');
    let ends = LOOPS.iter().flat_map(move |word| rule.match_indices(*word));
    let subjects = ends
        .filter_map(move |(end, _)| rule.get(..end)?.rsplit(is_end).next()?.strip_prefix("self"));
    subjects.filter(|subject| subject.is_empty() || subject.starts_with('.'))
}

fn is_unbounded(schema: &Value, path: &str) -> bool {
    let mut names = path.split('.').skip(1);
    let field = names.try_fold(schema, |schema, name| schema.get("properties")?.get(name));
    field.is_some_and(|field| {
        let is_map = field.get("additionalProperties").is_some();
        let is_list = field.get("type").is_some_and(|ty| ty == "array");
        is_list && field.get("maxItems").is_none() || is_map && field.get("maxProperties").is_none()
    })
}
