//! The values that an older version cannot hold.

use std::collections::BTreeSet;
use std::fmt;

use crate::path::{AttributePath, Container, PathStep};
use crate::schema::Members;
use crate::value::{Value, set};

/// A value of the current version that the older version cannot hold: upgraded again, it would be
/// another one, or none.
#[derive(Clone, PartialEq, Eq)]
pub struct Loss {
    path: AttributePath,
    /// Nothing if it must not be shown.
    value: Option<String>,
    is_defined: bool,
}

impl Loss {
    /// A stored value that the current schema does not define.
    pub(super) fn undefined(path: &AttributePath) -> Self {
        Self {
            path: path.clone(),
            value: None,
            is_defined: false,
        }
    }

    /// The loss of `count` more stored values that the current schema does not define.
    pub(super) fn unnamed(count: usize) -> Self {
        Self {
            path: AttributePath::new(),
            value: Some(format!("{count} more values that no schema defines")),
            is_defined: false,
        }
    }

    /// A stored value that must not be shown.
    pub(super) fn secret(path: &AttributePath) -> Self {
        Self {
            path: path.clone(),
            value: None,
            is_defined: true,
        }
    }

    /// The path of the value in the state of the current version.
    pub fn path(&self) -> &AttributePath {
        &self.path
    }

    /// The value, cut where it is long; `None` where it must not be shown: it is sensitive, or no
    /// schema defines it.
    pub fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }

    /// The words for it in a sentence.
    pub(super) fn description(&self) -> String {
        match &self.value {
            Some(value) => format!("the value {value} (at {})", self.path),
            None if self.is_defined => format!("the value, which is sensitive (at {})", self.path),
            None => format!("the value at {}, which no schema defines", self.path),
        }
    }
}

/// Path and value: `pinned: true`.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}: {value}", self.path),
            None if self.is_defined => write!(f, "{}: (sensitive)", self.path),
            None => write!(f, "{}: (not defined)", self.path),
        }
    }
}

__debug_parts! {
    /// Says where, not what.
    Loss |self| {
        path: self.path.to_string(),
    }
}

/// The losses where `again` differs from `value`: both are complete values of the schema with these
/// members. `hides` says by its name whether an attribute is sensitive in any version.
pub(super) fn losses(
    mut value: Value,
    mut again: Value,
    members: Members<'_>,
    hides: &dyn Fn(&str) -> bool,
) -> Vec<Loss> {
    let mut found = Vec::new();
    // A set has no order.
    let ty = members.implied_type();
    set::arrange(&mut value, &ty);
    set::arrange(&mut again, &ty);
    differ(&value, &again, &mut Vec::new(), members, &mut found);
    for loss in &mut found {
        if let Some(PathStep::Attribute(name)) = loss.path.steps().first()
            && hides(name)
        {
            let path = std::mem::take(&mut loss.path);
            *loss = Loss {
                path: path.truncated(1),
                value: None,
                is_defined: true,
            };
        }
    }
    found.dedup();
    found
}

fn differ(
    value: &Value,
    again: &Value,
    path: &mut Vec<PathStep>,
    members: Members<'_>,
    found: &mut Vec<Loss>,
) {
    if value == again {
        return;
    }
    let visible = members.visible(path);
    if visible.sensitive {
        let path: AttributePath = path.iter().cloned().collect();
        found.push(Loss {
            path: path.truncated(visible.len),
            value: None,
            is_defined: true,
        });
        return;
    }
    let container = members.container_at(path);
    let before = found.len();
    match (value, again) {
        (Value::Map(value), Value::Map(again)) => {
            let names: BTreeSet<&String> = value.keys().chain(again.keys()).collect();
            for name in names {
                let step = match container {
                    Container::Map => PathStep::Key(name.clone()),
                    Container::Set | Container::Other => PathStep::Attribute(name.clone().into()),
                };
                if container == Container::Map && !value.contains_key(name) {
                    continue;
                }
                let (value, again) = (
                    value.get(name).unwrap_or(&Value::Null),
                    again.get(name).unwrap_or(&Value::Null),
                );
                path.push(step);
                differ(value, again, path, members, found);
                path.pop();
            }
        }
        (Value::List(value), Value::List(again)) if container == Container::Set => {
            path.push(PathStep::Element(None));
            found.extend(
                set::missing(value, again, set::compare)
                    .into_iter()
                    .map(|element| loss(element, path, members)),
            );
            path.pop();
        }
        (Value::List(value), Value::List(again)) => {
            for (index, element) in (0..).zip(value) {
                let other = usize::try_from(index)
                    .ok()
                    .and_then(|index| again.get(index));
                path.push(PathStep::Index(index));
                match other {
                    Some(other) => differ(element, other, path, members, found),
                    None => found.push(loss(element, path, members)),
                }
                path.pop();
            }
        }
        _ => {}
    }
    // A collection that would hold more than it does has no member to name, so that it is named as
    // a whole.
    if found.len() == before {
        found.push(loss(value, path, members));
    }
}

fn loss(value: &Value, path: &[PathStep], members: Members<'_>) -> Loss {
    let visible = members.visible(path);
    let path: AttributePath = path.iter().cloned().collect();
    let hidden = visible.sensitive || holds_sensitive(members, path.steps());
    Loss {
        path: path.truncated(visible.len),
        value: (!hidden).then(|| shown(value)),
        is_defined: true,
    }
}

/// True if something sensitive is below a path.
fn holds_sensitive(members: Members<'_>, steps: &[PathStep]) -> bool {
    let mut members = members;
    for step in steps {
        let PathStep::Attribute(name) = step else {
            continue;
        };
        match members.get(name) {
            Some(node) => match node.objects() {
                Some((inner, ..)) => members = inner,
                None => return false,
            },
            None => return false,
        }
    }
    members.names().any(|name| members.hides_below(name))
}

/// A value as a message may show it.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 60;
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(bool) => bool.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let start: String = text.chars().take(LONGEST).collect();
            format!(
                "{start:?}{}",
                if start.len() < text.len() { "…" } else { "" }
            )
        }
        Value::List(list) if list.is_empty() => "[]".to_owned(),
        Value::Map(map) if map.is_empty() => "{}".to_owned(),
        Value::List(list) => {
            let inner: Vec<String> = list.iter().take(3).map(shown).collect();
            format!(
                "[{}{}]",
                inner.join(", "),
                if list.len() > 3 { ", …" } else { "" }
            )
        }
        Value::Map(map) => {
            let inner: Vec<String> = map
                .iter()
                .take(5)
                .map(|(name, value)| format!("{name}: {}", shown(value)))
                .collect();
            format!(
                "{{{}{}}}",
                inner.join(", "),
                if map.len() > 5 { ", …" } else { "" }
            )
        }
        Value::Dynamic(dynamic) => shown(&dynamic.1),
        Value::Unknown => "unknown".to_owned(),
    }
}
