//! Differences of two values of one resource, without what must not be shown.

use std::collections::{BTreeMap, BTreeSet};

use upstate::path::PathStep;
use upstate::schema::{Nesting, Type};
use upstate::{AttributePath, Value};

use crate::plan::{Members, member};
use crate::secrets::Secrets;

/// Longer values are cut.
const LONGEST: usize = 80;

/// A place where the values differ, with each as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) path: AttributePath,
    pub(super) own: String,
    pub(super) other: String,
}

/// The members of both sides, where they have some.
type Both<'s> = (Option<Members<'s>>, Option<Members<'s>>);

/// The kind of the values at a path.
#[derive(Clone, Copy)]
enum Place<'s> {
    Object(Both<'s>),
    /// A list, set or map of objects.
    Elements(Both<'s>),
    /// Values without members of a schema.
    Plain,
}

/// The way to a value, by names, keys and indices.
pub(super) type Way = Vec<String>;

/// Values that must not be shown.
#[derive(Default)]
pub(super) struct Sensitive {
    /// The ways to what a state marks.
    pub(super) ways: Vec<Way>,
    /// The values there, and in attributes that are not shown: they may be elsewhere too.
    pub(super) secrets: Secrets,
}

/// The differences so far.
struct Found<'w> {
    differences: Vec<Difference>,
    sensitive: &'w Sensitive,
}

impl Found<'_> {
    /// True if a path leads to what is marked, into it, or to what it is in.
    fn hides(&self, path: &AttributePath) -> bool {
        let name = |step: &PathStep| match step {
            PathStep::Attribute(name) => name.to_string(),
            PathStep::Key(key) => key.clone(),
            PathStep::Index(index) => index.to_string(),
            PathStep::Element(_) => String::new(),
        };
        let way: Way = path.steps().iter().map(name).collect();
        self.sensitive.ways.iter().any(|sensitive| {
            way.iter()
                .zip(sensitive)
                .all(|(step, sensitive)| step == sensitive)
        })
    }
}

/// The differences, in the order of their paths.
pub(super) fn differences(
    (own, other): (Members<'_>, Members<'_>),
    (one, two): (&Value, &Value),
    sensitive: &Sensitive,
) -> Vec<Difference> {
    let mut found = Found {
        differences: Vec::new(),
        sensitive,
    };
    find(
        Place::Object((Some(own), Some(other))),
        &AttributePath::new(),
        (one, two),
        &mut found,
    );
    found.differences
}

fn find(
    place: Place<'_>,
    path: &AttributePath,
    (one, two): (&Value, &Value),
    found: &mut Found<'_>,
) {
    if one == two {
        return;
    }
    match (one, two) {
        (Value::Map(ones), Value::Map(twos)) => {
            let names: BTreeSet<&String> = ones.keys().chain(twos.keys()).collect();
            for name in names {
                let values = (member(one, name), member(two, name));
                match place {
                    Place::Object(of) if values.0 != values.1 && is_secret(of, name) => {
                        push(&path.clone().attribute(name.clone()), values, true, found);
                    }
                    Place::Object(of) => find(
                        inside(of, name),
                        &path.clone().attribute(name.clone()),
                        values,
                        found,
                    ),
                    Place::Elements(of) => find(
                        Place::Object(of),
                        &path.clone().key(name.clone()),
                        values,
                        found,
                    ),
                    Place::Plain => {
                        find(Place::Plain, &path.clone().key(name.clone()), values, found);
                    }
                }
            }
        }
        (Value::List(ones), Value::List(twos)) if ones.len() == twos.len() => {
            let element = match place {
                Place::Elements(of) => Place::Object(of),
                Place::Object(_) | Place::Plain => Place::Plain,
            };
            for (index, values) in (0..).zip(ones.iter().zip(twos)) {
                find(element, &path.clone().index(index), values, found);
            }
        }
        _ => {
            let hides = match place {
                Place::Object((own, other)) | Place::Elements((own, other)) => {
                    [own, other].into_iter().flatten().any(has_secret)
                }
                Place::Plain => false,
            };
            push(path, (one, two), hides, found);
        }
    }
}

/// True if one of the sides must not show the attribute.
fn is_secret((own, other): Both<'_>, name: &str) -> bool {
    let hides = |of: Members<'_>| {
        of.attributes()
            .iter()
            .any(|attribute| attribute.name() == name && attribute.is_secret())
    };
    [own, other].into_iter().flatten().any(hides)
}

fn has_secret(of: Members<'_>) -> bool {
    of.attributes()
        .iter()
        .any(upstate::schema::Attribute::is_secret)
        || of.nested().any(|(_, _, inner)| has_secret(inner))
}

/// The kind of a member of an object.
fn inside<'s>((own, other): Both<'s>, name: &str) -> Place<'s> {
    let nested = |of: Option<Members<'s>>| {
        of.and_then(|of| of.nested().find(|(nested, ..)| *nested == name))
    };
    let (own, other) = (nested(own), nested(other));
    let of = (own.map(|(_, _, of)| of), other.map(|(_, _, of)| of));
    match own.or(other).map(|(_, nesting, _)| nesting) {
        None => Place::Plain,
        Some(Nesting::Single) => Place::Object(of),
        Some(Nesting::List | Nesting::Set | Nesting::Map) => Place::Elements(of),
    }
}

fn push(path: &AttributePath, (one, two): (&Value, &Value), hides: bool, found: &mut Found<'_>) {
    let Sensitive { secrets, .. } = found.sensitive;
    let hides = hides || found.hides(path) || secrets.are_in(one) || secrets.are_in(two);
    let shown = |value: &Value| match value {
        Value::Null => "null".to_owned(),
        Value::Unknown => "not known yet".to_owned(),
        Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Dynamic(_)
            if hides =>
        {
            "another (sensitive value)".to_owned()
        }
        value => {
            let text = value.to_string();
            match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
                None => text,
            }
        }
    };
    // A key may be a secret too.
    let is_shown = |step: &&PathStep| !matches!(step, PathStep::Key(key) if secrets.show_in(key));
    let path = path.steps().iter().take_while(is_shown).cloned().collect();
    found.differences.push(Difference {
        path,
        own: shown(one),
        other: shown(two),
    });
}

/// The members of two objects that have one name and one type in both.
pub(super) fn in_both(
    (own, own_type): (&Value, &Type),
    (other, other_type): (&Value, &Type),
) -> (Value, Value) {
    let (Value::Map(ones), Value::Map(twos), Type::Object(fields), Type::Object(others)) =
        (own, other, own_type, other_type)
    else {
        return (own.clone(), other.clone());
    };
    let is_shared = |name: &str| {
        fields.iter().any(|field| {
            field.name() == name
                && others
                    .iter()
                    .any(|other| other.name() == name && other.ty() == field.ty())
        })
    };
    let part = |members: &BTreeMap<String, Value>| {
        let shared = members.iter().filter(|(name, _)| is_shared(name));
        Value::Map(
            shared
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    };
    (part(ones), part(twos))
}

#[cfg(test)]
mod tests {
    use upstate::Object;
    use upstate::codec::UnknownAttributes;
    use upstate::schema::Schema;

    use super::*;

    #[derive(Object)]
    struct Wall {
        name: String,
        #[attribute(sensitive)]
        token: Option<String>,
        labels: Option<BTreeMap<String, String>>,
        rules: Option<Vec<Rule>>,
    }

    #[derive(Object)]
    struct Rule {
        port: i64,
        #[attribute(sensitive)]
        secret: Option<String>,
    }

    fn found(one: &str, two: &str) -> Vec<String> {
        found_beside(&[], &[], one, two)
    }

    fn found_beside(sensitive: &[&[&str]], secrets: &[Value], one: &str, two: &str) -> Vec<String> {
        let block = Schema::of::<Wall>().block();
        let read = |json: &str| {
            Value::from_json(
                json.as_bytes(),
                &block.implied_type(),
                UnknownAttributes::Deny,
            )
            .unwrap()
        };
        let mut sensitive = Sensitive {
            ways: sensitive
                .iter()
                .map(|way| way.iter().map(ToString::to_string).collect())
                .collect(),
            secrets: Secrets::default(),
        };
        for value in secrets {
            sensitive.secrets.add_value(value);
        }
        let found = differences(
            (Members::Block(block), Members::Block(block)),
            (&read(one), &read(two)),
            &sensitive,
        );
        found
            .into_iter()
            .map(|Difference { path, own, other }| format!("{path}: {own}, {other}"))
            .collect()
    }

    #[test]
    fn what_a_state_marks_as_sensitive_is_not_shown() {
        let one = r#"{"name": "a", "labels": {"k": "v", "l": "v"}, "rules": [{"port": 1}]}"#;
        let two = r#"{"name": "b", "labels": {"k": "w", "l": "w"}, "rules": [{"port": 2}]}"#;
        let hidden = "another (sensitive value), another (sensitive value)";
        let sensitive: &[&[&str]] = &[&["labels", "k"], &["rules"]];
        assert_eq!(
            found_beside(sensitive, &[], one, two),
            [
                format!("labels[\"k\"]: {hidden}"),
                "labels[\"l\"]: \"v\", \"w\"".to_owned(),
                "name: \"a\", \"b\"".to_owned(),
                format!("rules[0].port: {hidden}"),
            ]
        );
        let without = r#"{"name": "a", "rules": [{"port": 1}]}"#;
        assert_eq!(
            found_beside(sensitive, &[], one, without),
            ["labels: another (sensitive value), null"]
        );
    }

    #[test]
    fn copies_and_parts_of_what_is_marked_are_not_shown_anywhere() {
        let one =
            r#"{"name": "me:ab-c-12@here", "labels": {"k": "ab-c"}, "rules": [{"port": 2071}]}"#;
        let two =
            r#"{"name": "me", "labels": {"k": "w", "has ab-c-12": "x"}, "rules": [{"port": 443}]}"#;
        let secrets = [
            Value::String("ab-c-12".to_owned()),
            Value::from_untyped_json(b"20715").unwrap(),
        ];
        let hidden = "another (sensitive value), another (sensitive value)";
        assert_eq!(
            found_beside(&[], &secrets, one, two),
            [
                "labels: null, \"x\"".to_owned(),
                format!("labels[\"k\"]: {hidden}"),
                format!("name: {hidden}"),
                format!("rules[0].port: {hidden}"),
            ]
        );
    }

    #[test]
    fn each_place_is_shown_and_no_secret_is() {
        let one = r#"{"name": "a", "token": "t-1", "labels": {"k": "v"}, "rules": [{"port": 1, "secret": "s-1"}]}"#;
        assert_eq!(found(one, one), [""; 0]);
        let two = r#"{"name": "b", "token": "t-2", "labels": {"k": "w"}, "rules": [{"port": 2, "secret": "s-2"}]}"#;
        assert_eq!(
            found(one, two),
            [
                "labels[\"k\"]: \"v\", \"w\"",
                "name: \"a\", \"b\"",
                "rules[0].port: 1, 2",
                "rules[0].secret: another (sensitive value), another (sensitive value)",
                "token: another (sensitive value), another (sensitive value)",
            ]
        );
        let longer = r#"{"name": "a", "rules": [{"port": 1, "secret": "s-1"}, {"port": 2, "secret": "s-2"}]}"#;
        assert_eq!(
            found(one, longer),
            [
                "labels: {\"k\":\"v\"}, null",
                "rules: another (sensitive value), another (sensitive value)",
                "token: another (sensitive value), null",
            ]
        );
    }
}
