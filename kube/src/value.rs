//! Values under the rules of a shape: pruned, completed with defaults, and judged, as the server
//! does it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use crate::declared::ListType;
use crate::schema::{Kind, Member, Node, Object, OwnLimits};

/// True if two values are one in Kubernetes, which writes `1.0` as `1`.
pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64() && is_small(one) && is_small(other)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, one)| other.get(name).is_some_and(|other| is_same(one, other)))
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => one == other,
    }
}

/// True if a float holds the number and its neighbours.
pub(crate) fn is_small(number: &serde_json::Number) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.as_f64().is_some_and(|float| float.abs() < EXACT)
}

/// Calls `visit` for each part of a value that has a node of its own.
pub(crate) fn each<'n>(
    node: &'n Node,
    value: &mut Value,
    visit: &mut dyn FnMut(&'n Node, &mut Value),
) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if let Some(node) = node.inner(Some(name)) {
                    visit(node, value);
                }
            }
        }
        Value::Array(elements) => {
            if let Some(items) = node.inner(None) {
                for value in elements {
                    visit(items, value);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Removes members that are not named, and those that are null and may not be; true if there was
/// any.
pub(crate) fn prune(node: &Node, value: &mut Value) -> bool {
    let mut is_changed = false;
    if let (Kind::Object(_) | Kind::Map(_), Value::Object(members)) = (&node.kind, &mut *value) {
        let before = members.len();
        let is_open = matches!(&node.kind, Kind::Object(object) if object.is_open);
        members.retain(|name, value| match node.inner(Some(name)) {
            Some(node) => !value.is_null() || node.keeps_null(),
            None => is_open,
        });
        is_changed = members.len() != before;
    }
    if has_parts(node) {
        each(node, value, &mut |node, value| {
            is_changed |= prune(node, value);
        });
    }
    is_changed
}

/// Puts defaults where a member of an object that is there is absent, or null and may not be; true
/// if there was any.
pub(crate) fn complete(node: &Node, value: &mut Value) -> bool {
    if !node.has_defaults {
        return false;
    }
    let mut is_changed = false;
    if let (Kind::Object(object), Value::Object(members)) = (&node.kind, &mut *value) {
        for (name, Member { node, .. }) in &object.members {
            if let Some(default) = &node.default
                && members
                    .get(*name)
                    .is_none_or(|value| value.is_null() && !node.keeps_null())
            {
                members.insert((*name).to_owned(), default.clone());
                is_changed = true;
            }
        }
    }
    each(node, value, &mut |node, value| {
        is_changed |= complete(node, value);
    });
    is_changed
}

/// True if there are nodes below: most elements are scalars, of which nothing is visited.
fn has_parts(node: &Node) -> bool {
    matches!(node.kind, Kind::Object(_)) || node.kind.elements().is_some_and(has_parts)
}

/// The problem of a list whose elements nobody can tell apart.
pub(crate) const ONE_KEY: &str = "has two elements with one key";

/// A place where a value is not one that the server would store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// Names, indexes and keys, the innermost first.
    steps: Vec<String>,
    /// The value, if it may be shown and says more than the problem.
    found: Option<String>,
    pub(crate) problem: Cow<'static, str>,
}

/// The problem, without its place.
impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(found) = &self.found {
            write!(f, "is {found}, and ")?;
        }
        f.write_str(&self.problem)
    }
}

impl Misfit {
    fn new(problem: impl Into<Cow<'static, str>>) -> Self {
        Self {
            steps: Vec::new(),
            found: None,
            problem: problem.into(),
        }
    }

    /// A value that is not one of those that may be there.
    fn other_than(value: &Value, problem: String) -> Self {
        const LONGEST: usize = 200;
        let text = value.to_string();
        let mut found: String = text.chars().take(LONGEST).collect();
        if found.len() < text.len() {
            found.push('…');
        }
        Self {
            found: Some(found),
            ..Self::new(problem)
        }
    }

    /// A value that is out of its limits. One with parts is not shown: a part may be secret.
    fn out_of_limits(value: &Value, limit: String) -> Self {
        match value {
            Value::Bool(_) | Value::Number(_) | Value::String(_) => Self::other_than(value, limit),
            Value::Null | Value::Array(_) | Value::Object(_) => Self::new(limit),
        }
    }

    /// This misfit in a value of the node, without what is secret there. A part of a secret is one,
    /// too: the path ends before the first key of a map in it.
    fn shown_by(mut self, node: &Node) -> Self {
        if node.sensitive {
            self.found = None;
            let key = self.steps.iter().rposition(|step| step.starts_with("[\""));
            if let Some(key) = key {
                self.steps.drain(..=key);
            }
        }
        self
    }

    fn inside(mut self, step: impl Into<String>) -> Self {
        self.steps.push(step.into());
        self
    }

    /// The path below `root`, such as `spec.paint.gloss` or `spec.masts[2]`.
    pub(crate) fn path(&self, root: &str) -> String {
        self.steps
            .iter()
            .rev()
            .fold(root.to_owned(), |path, step| format!("{path}{step}"))
    }
}

/// Judges a value; members that are required may be absent if it `is_partial`.
pub(crate) fn check(node: &Node, value: &Value, is_partial: bool) -> Result<(), Misfit> {
    judge(node, value, is_partial).map_err(|misfit| misfit.shown_by(node))
}

fn judge(node: &Node, value: &Value, is_partial: bool) -> Result<(), Misfit> {
    let refuse = |problem: &'static str| Err(Misfit::new(problem));
    match (&node.kind, value) {
        (_, Value::Null) if node.takes_null() => Ok(()),
        (Kind::Any, _)
        | (Kind::Boolean, Value::Bool(_))
        | (Kind::String | Kind::IntOrString, Value::String(_))
        | (Kind::Number, Value::Number(_)) => Ok(()),
        (Kind::Boolean, _) => refuse("is not a boolean"),
        (Kind::OneOf(texts), Value::String(text)) if texts.contains(&text.as_str()) => Ok(()),
        (Kind::OneOf(texts), Value::String(_)) => {
            let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
            let problem = format!("must be one of {}", texts.join(", "));
            Err(Misfit::other_than(value, problem))
        }
        (Kind::String | Kind::OneOf(_), _) => refuse("is not a string"),
        (Kind::Integer { min, max }, Value::Number(number)) => {
            if number
                .as_i64()
                .is_some_and(|number| number >= *min && number <= *max)
            {
                Ok(())
            } else {
                let problem = format!("must be an integer from {min} to {max}");
                Err(Misfit::other_than(value, problem))
            }
        }
        (Kind::IntOrString, Value::Number(number)) if number.is_i64() => Ok(()),
        (Kind::IntOrString, _) => refuse("is neither an integer nor a string"),
        (Kind::Integer { .. }, _) => refuse("is not an integer"),
        (Kind::Number, _) => refuse("is not a number"),
        (Kind::List { items, len }, Value::Array(elements)) => {
            if let Some(len) = len.filter(|len| *len != elements.len()) {
                return Err(Misfit::new(format!("must be an array of length {len}")));
            }
            check_elements(items, elements, is_partial)?;
            if let Some(ListType::Map(keys)) = &node.declared.list {
                let mut known = BTreeSet::new();
                let key = |element: &Value| {
                    keys.iter()
                        .map(|key| element.get(key).map(Value::to_string))
                        .collect::<Vec<_>>()
                };
                // The server would store it, and refuse every later write of it.
                if !elements.iter().all(|element| known.insert(key(element))) {
                    return refuse(ONE_KEY);
                }
            }
            Ok(())
        }
        (Kind::Set(items), Value::Array(elements)) => {
            check_elements(items, elements, is_partial)?;
            let mut texts = BTreeSet::new();
            if elements
                .iter()
                .all(|element| texts.insert(element.to_string()))
            {
                Ok(())
            } else {
                refuse("has an element twice")
            }
        }
        (Kind::List { .. } | Kind::Set(_), _) => refuse("is not an array"),
        (Kind::Map(values), Value::Object(members)) => {
            members.iter().try_for_each(|(key, value)| {
                check(values, value, is_partial)
                    .map_err(|misfit| misfit.inside(format!("[{key:?}]")))
            })
        }
        (Kind::Object(object), Value::Object(members)) => check_object(object, members, is_partial),
        (Kind::Map(_) | Kind::Object(_), _) => refuse("is not an object"),
    }
}

/// Removes what does not fit wherever it may be absent, the innermost members; an error is a place
/// where a value must be.
pub(crate) fn leave_out(node: &Node, value: &mut Value) -> Result<(), Misfit> {
    let Err(misfit) = check(node, value, false) else {
        return Ok(());
    };
    if let (Kind::Object(_) | Kind::Map(_), Value::Object(members)) = (&node.kind, &mut *value) {
        members.retain(|name, value| {
            node.inner(Some(name))
                .is_none_or(|node| leave_out(node, value).is_ok())
        });
    } else if let (Kind::List { items, .. }, Value::Array(elements)) = (&node.kind, &mut *value) {
        elements
            .iter_mut()
            .try_for_each(|element| leave_out(items, element))?;
    } else {
        return Err(misfit);
    }
    check(node, value, false)
}

fn check_elements(items: &Node, elements: &[Value], is_partial: bool) -> Result<(), Misfit> {
    let mut each = elements.iter().enumerate();
    each.try_for_each(|(index, element)| {
        check(items, element, is_partial).map_err(|misfit| misfit.inside(format!("[{index}]")))
    })
}

fn check_object(
    object: &Object,
    members: &Map<String, Value>,
    is_partial: bool,
) -> Result<(), Misfit> {
    for (name, Member { node, required }) in &object.members {
        match members.get(*name) {
            Some(value) => check(node, value, is_partial)
                .map_err(|misfit| misfit.inside(format!(".{name}")))?,
            None if *required && !is_partial => {
                return Err(
                    Misfit::new("is missing, and must have a value").inside(format!(".{name}"))
                );
            }
            None => {}
        }
    }
    if !is_partial && !object.has_whole_parts(&|name| members.contains_key(name)) {
        return Err(Misfit::new(
            "has members of a part, and lacks others that the part must have",
        ));
    }
    let tag = object
        .variants
        .first()
        .and_then(|variant| members.get(variant.tag.as_deref()?)?.as_str());
    let is_fitting = is_partial || is_one_variant(object, &|name| members.contains_key(name), tag);
    if is_fitting {
        Ok(())
    } else {
        Err(Misfit::new("is not one of the variants"))
    }
}

/// True if an object that has these members, and this text at its tag, is one of its variants.
pub(crate) fn is_one_variant(
    object: &Object,
    has: &dyn Fn(&str) -> bool,
    tagged: Option<&str>,
) -> bool {
    let fitting = object.variants.iter().filter(|variant| {
        let has_all = variant.required.iter().all(|name| has(name));
        // Another variant's member is refused, because it would be a second one that fits.
        let Some(tag) = &variant.tag else {
            return has_all;
        };
        let is_other = |name: &str| {
            name != tag && !variant.members.contains(name) && has(name) && !object.is_own(name)
        };
        tagged == Some(variant.name) && has_all && !object.members.keys().any(|name| is_other(name))
    });
    object.variants.is_empty() || fitting.count() == 1
}

/// True if the limits of the schema take whatever differs from the value `before`. Rules of CEL are
/// the server's alone.
pub(crate) fn takes_changes(node: &Node, before: Option<&Value>, value: &Value) -> bool {
    check_changes(node, before, value).is_ok()
}

/// Judges by the limits of the schema whatever differs from the value `before`.
fn check_changes(node: &Node, before: Option<&Value>, value: &Value) -> Result<(), Misfit> {
    if value.is_null() || before.is_some_and(|before| is_same(before, value)) {
        return Ok(());
    }
    judge_changes(node, before, value).map_err(|misfit| misfit.shown_by(node))
}

fn judge_changes(node: &Node, before: Option<&Value>, value: &Value) -> Result<(), Misfit> {
    if let Some(limit) = node.declared.refuses(node.limited_as(), value) {
        return Err(Misfit::out_of_limits(value, limit));
    }
    match value {
        Value::Object(members) => {
            let variant = if let Kind::Object(object) = &node.kind {
                object.variant(members)
            } else {
                None
            };
            let content = variant.and_then(|variant| variant.content.as_ref());
            let judge_member = |name: &str, value: &Value| -> Result<(), Misfit> {
                if let Some(part) = node.inner(Some(name)) {
                    let before = before.and_then(|before| before.get(name));
                    check_changes(part, before, value)?;
                }
                if let Some(variant) = variant {
                    check_own(&variant.limits, name, value)?;
                }
                let content = content.filter(|content| content.name == name);
                let Some((content, members)) = content.zip(value.as_object()) else {
                    return Ok(());
                };
                members.iter().try_for_each(|(name, value)| {
                    check_own(&content.limits, name, value)
                        .map_err(|misfit| misfit.inside(format!(".{name}")))
                })
            };
            members.iter().try_for_each(|(name, value)| {
                judge_member(name, value).map_err(|misfit| {
                    misfit.inside(if matches!(node.kind, Kind::Map(_)) {
                        format!("[{name:?}]")
                    } else {
                        format!(".{name}")
                    })
                })
            })
        }
        Value::Array(elements) => {
            let Some(items) = node.inner(None) else {
                return Ok(());
            };
            elements.iter().enumerate().try_for_each(|(index, value)| {
                let before = before.and_then(|before| before.get(index));
                check_changes(items, before, value)
                    .map_err(|misfit| misfit.inside(format!("[{index}]")))
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// Judges a member by the limits that a variant has of its own; without the value, because another
/// place says whether it is secret.
fn check_own(limits: &OwnLimits, name: &str, value: &Value) -> Result<(), Misfit> {
    let limit = limits
        .get(name)
        .filter(|_| !value.is_null())
        .and_then(|(of, limits)| limits.refuses(*of, value));
    limit.map_or(Ok(()), |limit| Err(Misfit::new(limit)))
}

/// A default below `path` that the server would refuse, and the misfit in it: the server judges all
/// parts of one.
pub(crate) fn refused_default(node: &Node, path: &str) -> Option<(String, Misfit)> {
    if let Some(default) = &node.default
        && let Err(misfit) = judge_changes(node, None, default)
    {
        return Some((path.to_owned(), misfit.shown_by(node)));
    }
    let found = if let Kind::Object(object) = &node.kind {
        let mut members = object.members.iter();
        members.find_map(|(name, member)| refused_default(&member.node, &format!("{path}.{name}")))
    } else {
        refused_default(node.kind.elements()?, &format!("{path}[]"))
    };
    found.map(|(path, misfit)| (path, misfit.shown_by(node)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::{check, complete, leave_out, prune};
    use crate::schema::{Kind, Member, Node, Object};

    fn boat() -> Node {
        let mut length = Node::plain(Kind::Integer { min: -5, max: 300 });
        length.default = Some(json!(7));
        let mut mast = Node::plain(Kind::String);
        mast.nullable = true;
        let masts = Node::plain(Kind::List {
            items: Box::new(mast),
            len: None,
        });
        let tags = Node::plain(Kind::Map(Box::new(Node::plain(Kind::Number))));
        let member = |node, required| Member { node, required };
        let mut boat = Node::plain(Kind::Object(Object {
            members: BTreeMap::from([
                ("length", member(length, false)),
                ("masts", member(masts, false)),
                ("name", member(Node::plain(Kind::String), true)),
                (
                    "ports",
                    member(
                        Node::plain(Kind::Set(Box::new(Node::plain(Kind::OneOf(vec![
                            "hull", "york",
                        ]))))),
                        false,
                    ),
                ),
                ("tags", member(tags, false)),
            ]),
            ..Object::default()
        }));
        boat.note_defaults();
        boat
    }

    #[test]
    fn what_no_field_names_and_what_is_null_is_pruned() {
        let mut value =
            json!({"name": null, "x": 1, "masts": ["a", null], "tags": {"a": null, "b": 1}});
        prune(&boat(), &mut value);
        assert_eq!(value, json!({"masts": ["a", null], "tags": {"b": 1}}));
    }

    #[test]
    fn a_default_is_where_nothing_or_null_is() {
        for mut value in [json!({}), json!({"length": null})] {
            complete(&boat(), &mut value);
            assert_eq!(value, json!({"length": 7}));
        }
    }

    #[test]
    fn what_does_not_fit_is_left_out_where_it_may_be_absent() {
        let cases = [
            (
                json!({"name": "a", "length": 301, "tags": {"b": "1", "c": 2}}),
                Ok(json!({"name": "a", "tags": {"c": 2}})),
            ),
            (
                json!({"name": "a", "ports": ["rome"], "masts": ["x", 1]}),
                Ok(json!({"name": "a"})),
            ),
            (
                json!({"name": "a", "masts": [null, "x"]}),
                Ok(json!({"name": "a", "masts": [null, "x"]})),
            ),
            (
                json!({"name": 1, "length": 7}),
                Err("spec.name is missing, and must have a value".to_owned()),
            ),
            (json!([]), Err("spec is not an object".to_owned())),
        ];
        for (mut value, expected) in cases {
            let left = leave_out(&boat(), &mut value);
            assert_eq!(
                left.map(|()| value)
                    .map_err(|misfit| format!("{} {misfit}", misfit.path("spec"))),
                expected
            );
        }
    }

    #[test]
    fn a_misfit_names_its_place() {
        let misfits = [
            (json!({}), "spec.name is missing, and must have a value"),
            (json!({"name": 1}), "spec.name is not a string"),
            (
                json!({"name": "a", "length": 301}),
                "spec.length is 301, and must be an integer from -5 to 300",
            ),
            (
                json!({"name": "a", "length": 1.5}),
                "spec.length is 1.5, and must be an integer from -5 to 300",
            ),
            (
                json!({"name": "a", "masts": [null, 1]}),
                "spec.masts[1] is not a string",
            ),
            (
                json!({"name": "a", "tags": {"x.y": "1"}}),
                "spec.tags[\"x.y\"] is not a number",
            ),
            (
                json!({"name": "a", "ports": ["hull", "hull"]}),
                "spec.ports has an element twice",
            ),
            (
                json!({"name": "a", "ports": ["rome"]}),
                "spec.ports[0] is \"rome\", and must be one of \"hull\", \"york\"",
            ),
            (json!([]), "spec is not an object"),
        ];
        for (value, message) in misfits {
            let misfit = check(&boat(), &value, false).unwrap_err();
            assert_eq!(format!("{} {misfit}", misfit.path("spec")), message);
        }
        assert_eq!(check(&boat(), &json!({}), true), Ok(()));
    }

    #[test]
    fn a_misfit_shows_no_secret() {
        let port = Node::plain(Kind::Integer { min: 1, max: 9 });
        let mut ports = Node::plain(Kind::List {
            items: Box::new(port),
            len: Some(1),
        });
        ports.sensitive = true;
        for (value, message) in [
            (json!([10]), "spec[0] must be an integer from 1 to 9"),
            (json!([1, 2]), "spec must be an array of length 1"),
        ] {
            let misfit = check(&ports, &value, false).unwrap_err();
            assert_eq!(format!("{} {misfit}", misfit.path("spec")), message);
        }
        let mut codes = Node::plain(Kind::Map(Box::new(ports)));
        codes.sensitive = true;
        let misfit = check(&codes, &json!({"hush": [10]}), false).unwrap_err();
        assert_eq!(
            format!("{} {misfit}", misfit.path("spec")),
            "spec must be an integer from 1 to 9"
        );
    }
}
