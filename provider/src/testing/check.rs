//! Plans and states, as Terraform shows them.

use serde_json::Value;

/// The value at a path of members; null if there is none.
pub(super) fn get<'v>(value: &'v Value, names: &[&str]) -> &'v Value {
    static NULL: Value = Value::Null;
    names
        .iter()
        .try_fold(value, |value, name| value.get(name))
        .unwrap_or(&NULL)
}

use super::known::{Comparison, Known};
use super::{Failure, Look};

/// The action of a plan on a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlannedAction {
    /// Nothing.
    Nothing,
    /// It is made.
    Create,
    /// It is changed where it is.
    Update,
    /// It is replaced, in either order.
    Replace,
    /// It is deleted.
    Delete,
}

impl PlannedAction {
    fn of(actions: &[&str]) -> Option<Self> {
        Some(match actions {
            ["no-op"] => Self::Nothing,
            ["create"] => Self::Create,
            ["update"] => Self::Update,
            ["delete", "create"] | ["create", "delete"] => Self::Replace,
            ["delete"] => Self::Delete,
            _ => return None,
        })
    }

    pub(super) fn check(self, plan: &Value, address: &str) -> Result<(), Failure> {
        let change = change_of(plan, address)?;
        let actions: Vec<&str> = get(change, &["change", "actions"])
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if Self::of(&actions) == Some(self) {
            return Ok(());
        }
        Err(Failure(format!(
            "the plan of {address} is {}, expected {self:?}",
            actions.join(" and ")
        )))
    }
}

fn changes(plan: &Value) -> impl Iterator<Item = &Value> {
    plan["resource_changes"].as_array().into_iter().flatten()
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}

/// The changes of a plan: resources and outputs.
pub(super) fn changed(plan: &Value) -> Vec<String> {
    let differs = |change: &&Value| {
        get(change, &["change", "actions"])
            .as_array()
            .is_none_or(|actions| actions != &["no-op"] && actions != &["read"])
    };
    let resources = changes(plan)
        .filter(differs)
        .filter_map(|change| change["address"].as_str())
        .map(str::to_owned);
    let outputs = plan["output_changes"].as_object().into_iter().flatten();
    let outputs = outputs.filter(|(_, change)| change["actions"] != serde_json::json!(["no-op"]));
    resources
        .chain(outputs.map(|(name, _)| format!("output {name}")))
        .collect()
}

/// One thing that a plan has to be, each of a resource and its attribute, or of an output.
pub(super) enum PlanCheck {
    Action(String, PlannedAction),
    Nothing,
    Value(String, String, Known),
    Unknown(String, String),
    Sensitive(String, String),
    Output(String, Known),
    UnknownOutput(String),
}

impl PlanCheck {
    pub(super) fn look(&self, plan: &Value) -> Result<(), Failure> {
        match self {
            Self::Action(address, action) => action.check(plan, address),
            Self::Nothing => match changed(plan) {
                changed if changed.is_empty() => Ok(()),
                changed => Err(Failure(format!(
                    "the plan changes {}, expected nothing",
                    changed.join(", ")
                ))),
            },
            Self::Value(address, attribute, known) => {
                let change = &change_of(plan, address)?["change"];
                if is_marked(&change["after_unknown"], attribute) {
                    return Err(Failure(format!(
                        "the plan of {address}: {attribute} is known only after the apply, expected {known}"
                    )));
                }
                let hidden = is_marked(&change["after_sensitive"], attribute);
                let checked = known.check(at(&change["after"], attribute), hidden);
                checked.map_err(|problem| {
                    Failure(format!("the plan of {address}: {attribute}: {problem}"))
                })
            }
            Self::Unknown(address, attribute) => {
                let change = &change_of(plan, address)?["change"];
                let known = match Extent::of(&change["after_unknown"], attribute) {
                    Extent::Whole => return Ok(()),
                    Extent::Part => "known in part",
                    Extent::Nothing => "known",
                };
                Err(Failure(format!(
                    "the plan of {address}: {attribute} is {known}, expected that it is known only after the apply"
                )))
            }
            Self::Sensitive(address, attribute) => {
                let change = &change_of(plan, address)?["change"];
                let sensitive = match Extent::of(&change["after_sensitive"], attribute) {
                    Extent::Whole => return Ok(()),
                    Extent::Part => "sensitive in part",
                    Extent::Nothing => "not sensitive",
                };
                Err(Failure(format!(
                    "the plan of {address}: {attribute} is {sensitive}"
                )))
            }
            Self::Output(name, known) => {
                let change = change_of_output(plan, name)?;
                if change.unknown != Extent::Nothing {
                    return Err(Failure(format!(
                        "the plan of output {name} is known only after the apply, expected {known}"
                    )));
                }
                let hidden = change.sensitive != Extent::Nothing;
                let checked = known.check(change.after, hidden);
                checked.map_err(|problem| Failure(format!("the plan of output {name}: {problem}")))
            }
            Self::UnknownOutput(name) => {
                let known = match change_of_output(plan, name)?.unknown {
                    Extent::Whole => return Ok(()),
                    Extent::Part => "known in part",
                    Extent::Nothing => "known",
                };
                Err(Failure(format!(
                    "the plan of output {name} is {known}, expected that it is known only after the apply"
                )))
            }
        }
    }
}

/// A planned output, or a part of one.
struct PlannedOutput<'p> {
    after: Option<&'p Value>,
    unknown: Extent,
    sensitive: Extent,
}

/// The planned value of an output, or of what is at a path in it: `rules.0.port`.
fn change_of_output<'p>(plan: &'p Value, path: &str) -> Result<PlannedOutput<'p>, Failure> {
    let (name, inside) = in_output(path);
    let change = get(plan, &["output_changes", name]);
    if change.is_null() {
        let all: Vec<&str> = plan["output_changes"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        return Err(Failure(format!(
            "output {name} is not in the plan, which has {}",
            listed(&all)
        )));
    }
    let extent = |mark: &str| match inside {
        Some(inside) => Extent::of(&change[mark], inside),
        None if change[mark] == Value::Bool(true) => Extent::Whole,
        None => Extent::Nothing,
    };
    let after = change
        .get("after")
        .and_then(|after| inside.map_or(Some(after), |inside| at(after, inside)));
    Ok(PlannedOutput {
        after,
        unknown: extent("after_unknown"),
        sensitive: extent("after_sensitive"),
    })
}

/// The name of an output, and the path in it. A name has no dot.
fn in_output(path: &str) -> (&str, Option<&str>) {
    path.split_once('.')
        .map_or((path, None), |(name, inside)| (name, Some(inside)))
}

/// The extent to which a mark holds for an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    Part,
    Nothing,
}

impl Extent {
    fn of(marks: &Value, attribute: &str) -> Self {
        fn any(mark: &Value) -> bool {
            match mark {
                Value::Bool(mark) => *mark,
                Value::Array(marks) => marks.iter().any(any),
                Value::Object(marks) => marks.values().any(any),
                Value::Null | Value::Number(_) | Value::String(_) => false,
            }
        }
        let found = led(marks, attribute, true);
        match found {
            Some(Value::Bool(true)) => Self::Whole,
            Some(mark) if any(mark) => Self::Part,
            Some(_) | None => Self::Nothing,
        }
    }
}

/// True if a mark holds for an attribute, or for something in it.
fn is_marked(marks: &Value, attribute: &str) -> bool {
    Extent::of(marks, attribute) != Extent::Nothing
}

/// The change of a resource in a plan.
pub(super) fn change_of<'p>(plan: &'p Value, address: &str) -> Result<&'p Value, Failure> {
    changes(plan)
        .find(|change| change["address"] == address)
        .ok_or_else(|| {
            let all: Vec<&str> = changes(plan)
                .filter_map(|change| change["address"].as_str())
                .collect();
            Failure(format!(
                "{address} is not in the plan, which has {}",
                listed(&all)
            ))
        })
}

/// One thing that holds after a step, each of a resource and its attribute, or of an output.
pub(super) enum Check {
    Value(String, String, Known),
    Set(String, String),
    Sensitive(String, String),
    Compared(String, String, Comparison),
    Among {
        address: String,
        path: String,
        other: String,
        attribute: String,
    },
    Absent(String),
    Identity(String, Known),
    IdentifiedBy(String, String),
    Output(String, Known),
    Function(Look),
}

impl Check {
    pub(super) fn look(&self, state: &Value) -> Result<(), Failure> {
        match self {
            Self::Value(address, attribute, known) => {
                let resource = resource(state, address)?;
                let hidden = is_marked(&resource["sensitive_values"], attribute);
                let checked = known.check(at(&resource["values"], attribute), hidden);
                checked.map_err(|problem| Failure(format!("{address}: {attribute}: {problem}")))
            }
            Self::Set(address, attribute) => {
                match at(&resource(state, address)?["values"], attribute) {
                    Some(found) if !found.is_null() => Ok(()),
                    _ => Err(Failure(format!("{address}: {attribute} is not set"))),
                }
            }
            Self::Sensitive(address, attribute) => {
                let marks = &resource(state, address)?["sensitive_values"];
                let sensitive = match Extent::of(marks, attribute) {
                    Extent::Whole => return Ok(()),
                    Extent::Part => "sensitive in part",
                    Extent::Nothing => "not sensitive",
                };
                Err(Failure(format!("{address}: {attribute} is {sensitive}")))
            }
            Self::Compared(address, attribute, with) => {
                let found =
                    at(&resource(state, address)?["values"], attribute).unwrap_or(&Value::Null);
                with.check(found)
                    .map_err(|problem| Failure(format!("{address}: {attribute}: {problem}")))
            }
            Self::Among {
                address,
                path,
                other,
                attribute,
            } => {
                let value = at(&resource(state, other)?["values"], attribute)
                    .filter(|value| !value.is_null());
                let Some(value) = value else {
                    return Err(Failure(format!("{other}: {attribute} is not set")));
                };
                if all_at(&resource(state, address)?["values"], path).contains(&value) {
                    return Ok(());
                }
                // Values are not shown, because they may be sensitive.
                Err(Failure(format!(
                    "{address}: {path}: no value is that of {attribute} of {other}"
                )))
            }
            Self::Absent(address) => match resource(state, address) {
                Ok(_) => Err(Failure(format!(
                    "{address} is in the state, expected that it is not"
                ))),
                Err(_) => Ok(()),
            },
            Self::Identity(address, known) => {
                let identity = resource(state, address)?.get("identity");
                known
                    .check(identity, false)
                    .map_err(|problem| Failure(format!("the identity of {address}: {problem}")))
            }
            Self::IdentifiedBy(address, attribute) => {
                let resource = resource(state, address)?;
                let (identity, value) = (
                    at(&resource["identity"], attribute),
                    at(&resource["values"], attribute),
                );
                // Values are not shown, because those of the resource may be sensitive.
                let problem = match (identity, value) {
                    (None, _) => "no such attribute",
                    (Some(_), None) => "the resource has no such attribute",
                    (Some(identity), Some(value)) if identity == value => return Ok(()),
                    (Some(_), Some(_)) => "it has another value than the resource",
                };
                Err(Failure(format!(
                    "the identity of {address}: {attribute}: {problem}"
                )))
            }
            Self::Output(name, known) => {
                let (output, inside) = in_output(name);
                let output = get(state, &["values", "outputs", output]);
                let value = output
                    .get("value")
                    .and_then(|value| inside.map_or(Some(value), |inside| at(value, inside)));
                let checked = known.check(value, output["sensitive"] == Value::Bool(true));
                checked.map_err(|problem| Failure(format!("output {name}: {problem}")))
            }
            Self::Function(check) => check(state).map_err(Failure),
        }
    }
}

/// One thing that a query finds.
pub(super) enum Found {
    /// As many by this list.
    Many(String, usize),
    /// As many or more by this list.
    AtLeast(String, usize),
    /// One that fits by this list.
    Fitting(String, Known),
    /// None that fits by this list.
    NoneFitting(String, Known),
}

impl Found {
    /// Shows the names of what is found and no more: its attributes may be secrets.
    pub(super) fn look(&self, found: &[Value]) -> Result<(), Failure> {
        let of = |list: &str| {
            found
                .iter()
                .filter(|it| it["address"] == list)
                .collect::<Vec<_>>()
        };
        let fits = |known: &Known, it: &Value| known.check(Some(it), false).is_ok();
        let names = |all: &[&Value]| {
            listed(
                &all.iter()
                    .filter_map(|it| it["display_name"].as_str())
                    .collect::<Vec<_>>(),
            )
        };
        match self {
            Self::Many(list, count) => match of(list) {
                all if all.len() == *count => Ok(()),
                all => Err(Failure(format!(
                    "{list} finds {}, expected {count}: {}",
                    all.len(),
                    names(&all)
                ))),
            },
            Self::AtLeast(list, count) => match of(list) {
                all if all.len() >= *count => Ok(()),
                all => Err(Failure(format!(
                    "{list} finds {}, expected at least {count}: {}",
                    all.len(),
                    names(&all)
                ))),
            },
            Self::Fitting(list, known) => match of(list) {
                all if all.iter().any(|it| fits(known, it)) => Ok(()),
                all => Err(Failure(format!(
                    "{list} finds {}, expected {known}",
                    names(&all)
                ))),
            },
            Self::NoneFitting(list, known) => {
                let fitting: Vec<&Value> =
                    of(list).into_iter().filter(|it| fits(known, it)).collect();
                match fitting.as_slice() {
                    [] => Ok(()),
                    fitting => Err(Failure(format!(
                        "{list} finds {}, expected nothing that is {known}",
                        names(fitting)
                    ))),
                }
            }
        }
    }
}

/// One thing that an invoked action reports.
pub(super) enum Reported {
    /// Reports that hold these strings, in this order, among others.
    Texts(String, Vec<String>),
    /// As many reports.
    Many(String, usize),
}

impl Reported {
    /// Looks at the events of an apply.
    pub(super) fn look(&self, events: &[Value]) -> Result<(), Failure> {
        let reports = |action: &str| -> Vec<&str> {
            let own = |event: &&Value| {
                event["type"] == "action_progress"
                    && get(event, &["hook", "action", "addr"]) == action
            };
            events
                .iter()
                .filter(own)
                .filter_map(|event| get(event, &["hook", "message"]).as_str())
                .collect()
        };
        match self {
            Self::Texts(action, texts) => {
                let all = reports(action);
                let mut rest = all.iter();
                match texts
                    .iter()
                    .find(|text| !rest.any(|report| report.contains(*text)))
                {
                    Some(missing) => Err(Failure(format!(
                        "{action} reports {}, expected {missing:?}",
                        listed(&all)
                    ))),
                    None => Ok(()),
                }
            }
            Self::Many(action, count) => match reports(action) {
                all if all.len() == *count => Ok(()),
                all => Err(Failure(format!(
                    "{action} reports {} times, expected {count}: {}",
                    all.len(),
                    listed(&all)
                ))),
            },
        }
    }
}

/// All resources of a state, of child modules too.
fn resources(state: &Value) -> Vec<&Value> {
    fn of<'s>(module: &'s Value, all: &mut Vec<&'s Value>) {
        all.extend(module["resources"].as_array().into_iter().flatten());
        module["child_modules"]
            .as_array()
            .into_iter()
            .flatten()
            .for_each(|child| of(child, all));
    }
    let mut all = Vec::new();
    of(get(state, &["values", "root_module"]), &mut all);
    all
}

pub(super) fn resource<'s>(state: &'s Value, address: &str) -> Result<&'s Value, Failure> {
    let all = resources(state);
    all.iter()
        .find(|resource| resource["address"] == address)
        .copied()
        .ok_or_else(|| {
            let names: Vec<&str> = all
                .iter()
                .filter_map(|resource| resource["address"].as_str())
                .collect();
            Failure(format!(
                "{address} is not in the state, which has {}",
                listed(&names)
            ))
        })
}

/// The value that names and indexes lead to.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    led(value, path, false)
}

/// The value, or the mark, that names and indexes lead to.
fn led<'v>(value: &'v Value, path: &str, is_mark: bool) -> Option<&'v Value> {
    // A mark of all of it holds for each of its parts.
    if is_mark && value.is_boolean() {
        return Some(value);
    }
    // The key of a map may have dots.
    if let Some(found) = value.as_object().and_then(|members| members.get(path)) {
        return Some(found);
    }
    let (step, rest) = path
        .split_once('.')
        .map_or((path, None), |(step, rest)| (step, Some(rest)));
    let inside = match value {
        Value::Array(list) => list.get(step.parse::<usize>().ok()?)?,
        Value::Object(members) => members.get(step)?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    rest.map_or(Some(inside), |rest| led(inside, rest, is_mark))
}

/// The values that names, indexes and `*` lead to, which is each element.
fn all_at<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    path.split('.').fold(vec![value], |found, step| {
        let next = |value: &'v Value| -> Vec<&'v Value> {
            match (step, value) {
                ("*", Value::Array(elements)) => elements.iter().collect(),
                ("*", Value::Object(members)) => members.values().collect(),
                (step, value) => at(value, step).into_iter().collect(),
            }
        };
        found.into_iter().flat_map(next).collect()
    })
}

/// True if a resource has the same attributes in both states. Values are not shown: they may be
/// sensitive.
pub(super) fn same(
    address: &str,
    before: &Value,
    imported: &Value,
    ignored: &[String],
) -> Result<(), Failure> {
    let (before, imported) = (
        &resource(before, address)?["values"],
        &resource(imported, address)?["values"],
    );
    let names = before
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name);
    let differs = |name: &&String| {
        !ignored.contains(*name) && before[name.as_str()] != imported[name.as_str()]
    };
    let differing: Vec<&str> = names.filter(differs).map(String::as_str).collect();
    if differing.is_empty() {
        return Ok(());
    }
    Err(Failure(format!(
        "{address} is imported with other values than it had: {}. If they cannot be read back, say `ignoring([…])`",
        differing.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn state() -> Value {
        json!({"values": {
            "outputs": {"open": {"value": 1, "sensitive": false}, "rules": {"value": [{"port": 2}], "sensitive": false}, "pin": {"value": "sesame", "sensitive": true}},
            "root_module": {
                "resources": [{"address": "a_b.it", "identity": {"name": "it"}, "values": {"list": [{"x": 1}], "pin": "sesame", "none": null},
                    "sensitive_values": {"list": [{}], "pin": true}}],
                "child_modules": [{"resources": [{"address": "module.m.a_b.it", "values": {"x": "y"}, "sensitive_values": {}}]}]
            }
        }})
    }

    fn found(check: &Check) -> String {
        check
            .look(&state())
            .map_or_else(|failure| failure.0, |()| "passed".to_owned())
    }

    fn equals(address: &str, attribute: &str, value: impl Into<Known>) -> String {
        found(&Check::Value(
            address.to_owned(),
            attribute.to_owned(),
            value.into(),
        ))
    }

    #[test]
    fn attributes_are_found_by_their_paths_and_secrets_are_not_shown() {
        assert_eq!(equals("a_b.it", "list.0.x", 1), "passed");
        assert_eq!(equals("module.m.a_b.it", "x", "y"), "passed");
        assert_eq!(
            equals("a_b.it", "list.0.x", 2),
            "a_b.it: list.0.x: expected 2, found 1"
        );
        assert_eq!(
            equals("a_b.it", "list.1.x", 2),
            "a_b.it: list.1.x: expected 2, found no such attribute"
        );
        assert_eq!(
            equals("a_b.it", "pin", "mellon"),
            "a_b.it: pin: expected the given value, found another value, which is sensitive"
        );
        assert_eq!(
            equals("a_b.us", "pin", 1),
            "a_b.us is not in the state, which has a_b.it, module.m.a_b.it"
        );
        let output = |name: &str| found(&Check::Output(name.to_owned(), 2.into()));
        assert_eq!(output("open"), "output open: expected 2, found 1");
        assert_eq!(output("rules.0.port"), "passed");
        assert_eq!(
            output("rules.1.port"),
            "output rules.1.port: expected 2, found no such attribute"
        );
        assert_eq!(
            output("pin"),
            "output pin: expected the given value, found another value, which is sensitive"
        );
        assert_eq!(
            found(&Check::Set("a_b.it".to_owned(), "none".to_owned())),
            "a_b.it: none is not set"
        );
    }

    #[test]
    fn a_key_has_dots_and_its_secret_is_not_shown() {
        let state = json!({"values": {"root_module": {"resources": [{"address": "a_b.it",
            "values": {"labels": {"acme.com/pin": "sesame", "acme.com/name": "it"}, "rules": [{"tags": {"a.b": 1}}]},
            "sensitive_values": {"labels": {"acme.com/pin": true}}}]}}});
        let equals = |attribute: &str, value: Known| {
            let check = Check::Value("a_b.it".to_owned(), attribute.to_owned(), value);
            check
                .look(&state)
                .map_or_else(|failure| failure.0, |()| "passed".to_owned())
        };
        assert_eq!(equals("labels.acme.com/name", "it".into()), "passed");
        assert_eq!(equals("rules.0.tags.a.b", 1.into()), "passed");
        assert_eq!(
            equals("labels.acme.com/pin", "mellon".into()),
            "a_b.it: labels.acme.com/pin: expected the given value, found another value, which is sensitive"
        );
    }

    #[test]
    fn a_value_is_among_those_of_a_collection() {
        let state = json!({"values": {"root_module": {"resources": [
            {"address": "a_b.it", "values": {"list": [{"id": 1}, {"id": 2}, {}], "map": {"k": 2, "l": 4}, "pin": "sesame", "flag": true, "flags": [true]}},
            {"address": "a_c.it", "values": {"id": 2, "rules": [{"id": 3}], "none": null, "on": true}}]}}});
        let among = |path: &str, attribute: &str| {
            let [address, other, path, attribute] =
                ["a_b.it", "a_c.it", path, attribute].map(str::to_owned);
            let check = Check::Among {
                address,
                path,
                other,
                attribute,
            };
            check
                .look(&state)
                .map_or_else(|failure| failure.0, |()| "passed".to_owned())
        };
        assert_eq!(
            [among("list.*.id", "id"), among("map.*", "id")],
            ["passed", "passed"]
        );
        assert_eq!(
            among("list.*.id", "rules.0.id"),
            "a_b.it: list.*.id: no value is that of rules.0.id of a_c.it"
        );
        assert_eq!(
            among("pin.*", "id"),
            "a_b.it: pin.*: no value is that of id of a_c.it"
        );
        // Otherwise a check of what is inside of a bool would pass for its mark.
        assert_eq!(among("flags.*", "on"), "passed");
        assert_eq!(
            among("flag.*", "on"),
            "a_b.it: flag.*: no value is that of on of a_c.it"
        );
        assert_eq!(
            among("flags.*.name", "on"),
            "a_b.it: flags.*.name: no value is that of on of a_c.it"
        );
        assert_eq!(among("flags.*", "on.name"), "a_c.it: on.name is not set");
        assert_eq!(among("map.*", "none"), "a_c.it: none is not set");
        assert_eq!(among("map.*", "no"), "a_c.it: no is not set");
    }

    #[test]
    fn reports_are_in_an_order_and_of_one_action() {
        let report = |action: &str, message: &str| json!({"type": "action_progress", "hook": {"action": {"addr": action}, "message": message}});
        let done = json!({"type": "action_complete", "hook": {"action": {"addr": "action.a.it"}}});
        let events = [
            report("action.a.it", "one of two"),
            report("action.a.us", "other"),
            report("action.a.it", "two of two"),
            done,
        ];
        let look = |check: Reported| check.look(&events).map_err(|failure| failure.0);
        let texts = |texts: &[&str]| {
            look(Reported::Texts(
                "action.a.it".to_owned(),
                texts.iter().map(|text| (*text).to_owned()).collect(),
            ))
        };
        assert_eq!(
            (
                texts(&["one", "two of"]),
                texts(&["two of two"]),
                texts(&[])
            ),
            (Ok(()), Ok(()), Ok(()))
        );
        let failed = "action.a.it reports one of two, two of two, expected \"one\"";
        assert_eq!(texts(&["two of two", "one"]).unwrap_err(), failed);
        assert!(texts(&["other"]).is_err());
        let many = |count: usize| look(Reported::Many("action.a.it".to_owned(), count));
        assert_eq!(many(2), Ok(()));
        assert_eq!(
            many(3).unwrap_err(),
            "action.a.it reports 2 times, expected 3: one of two, two of two"
        );
    }

    #[test]
    fn an_identity_is_whole_or_has_some_members() {
        let identity = |known: Known| found(&Check::Identity("a_b.it".to_owned(), known));
        assert_eq!(identity(json!({"name": "it"}).into()), "passed");
        let other = "the identity of a_b.it: expected {\"name\":\"us\"}, found {\"name\":\"it\"}";
        assert_eq!(identity(json!({"name": "us"}).into()), other);
        let none = found(&Check::Identity("module.m.a_b.it".to_owned(), Known::set()));
        assert_eq!(
            none,
            "the identity of module.m.a_b.it: expected a value, found no such attribute"
        );
    }

    #[test]
    fn an_identity_has_what_the_resource_has() {
        let state = json!({"values": {"root_module": {"resources": [
            {"address": "a_b.it", "identity": {"name": "it", "port": 1, "old": 1}, "values": {"name": "it", "port": 2}}]}}});
        let by = |attribute: &str| {
            let check = Check::IdentifiedBy("a_b.it".to_owned(), attribute.to_owned());
            check
                .look(&state)
                .map_or_else(|failure| failure.0, |()| "passed".to_owned())
        };
        assert_eq!(by("name"), "passed");
        assert_eq!(
            by("port"),
            "the identity of a_b.it: port: it has another value than the resource"
        );
        assert_eq!(
            by("old"),
            "the identity of a_b.it: old: the resource has no such attribute"
        );
        assert_eq!(by("new"), "the identity of a_b.it: new: no such attribute");
    }

    #[test]
    fn a_query_finds_enough_and_nothing_that_it_should_not() {
        let one = |name: &str| json!({"address": "list.a.all", "display_name": name, "identity": {"name": name}});
        let all = [one("one"), one("two"), json!({"address": "list.a.none"})];
        let look = |check: Found| check.look(&all).map_err(|failure| failure.0);
        let least = |count: usize| look(Found::AtLeast("list.a.all".to_owned(), count));
        assert_eq!((least(0), least(2)), (Ok(()), Ok(())));
        assert_eq!(
            least(3).unwrap_err(),
            "list.a.all finds 2, expected at least 3: one, two"
        );
        let none = |name: &str| {
            let known = Known::with(json!({"identity": {"name": name}}));
            look(Found::NoneFitting("list.a.all".to_owned(), known))
        };
        assert_eq!(none("three"), Ok(()));
        let found = "list.a.all finds two, expected nothing that is an object with {\"identity\":{\"name\":\"two\"}}";
        assert_eq!(none("two").unwrap_err(), found);
    }

    #[test]
    fn parts_of_planned_outputs_are_known_or_not() {
        let plan = json!({"output_changes": {
            "all": {"actions": ["create"], "after_unknown": true, "after_sensitive": false},
            "some": {"actions": ["create"], "after": [{"port": 2}, {}], "after_unknown": [{}, {"port": true}], "after_sensitive": false}}});
        let look = |check: PlanCheck| check.look(&plan).map_err(|failure| failure.0);
        let value = |name: &str| look(PlanCheck::Output(name.to_owned(), 2.into()));
        let unknown = |name: &str| look(PlanCheck::UnknownOutput(name.to_owned()));
        assert_eq!(
            (value("some.0.port"), unknown("some.1.port"), unknown("all")),
            (Ok(()), Ok(()), Ok(()))
        );
        assert_eq!(
            value("some.1.port").unwrap_err(),
            "the plan of output some.1.port is known only after the apply, expected 2"
        );
        assert_eq!(
            unknown("some.0.port").unwrap_err(),
            "the plan of output some.0.port is known, expected that it is known only after the apply"
        );
        assert_eq!(
            unknown("none").unwrap_err(),
            "output none is not in the plan, which has all, some"
        );
    }

    #[test]
    fn an_attribute_of_which_a_part_is_marked_is_not_marked() {
        let plan = json!({
            "resource_changes": [{"address": "a_b.it", "change": {"actions": ["create"], "after": {"rules": [{"port": 2}], "pin": null},
                "after_unknown": {"rules": [{"id": true}], "id": true}, "after_sensitive": {"rules": [{"port": true}], "pin": true}}}],
            "output_changes": {"all": {"actions": ["create"], "after_unknown": {"rules": [{"id": true}]}, "after_sensitive": false}}});
        let look = |check: PlanCheck| {
            check
                .look(&plan)
                .map_or_else(|failure| failure.0, |()| "passed".to_owned())
        };
        let it = |attribute: &str| ("a_b.it".to_owned(), attribute.to_owned());
        let unknown = |attribute: &str| {
            let (address, attribute) = it(attribute);
            look(PlanCheck::Unknown(address, attribute))
        };
        let sensitive = |attribute: &str| {
            let (address, attribute) = it(attribute);
            look(PlanCheck::Sensitive(address, attribute))
        };
        for passed in [
            unknown("id"),
            unknown("rules.0.id"),
            sensitive("pin"),
            sensitive("rules.0.port"),
        ] {
            assert_eq!(passed, "passed");
        }
        assert_eq!(
            unknown("rules"),
            "the plan of a_b.it: rules is known in part, expected that it is known only after the apply"
        );
        assert_eq!(
            sensitive("rules"),
            "the plan of a_b.it: rules is sensitive in part"
        );
        assert_eq!(
            look(PlanCheck::UnknownOutput("all.rules".to_owned())),
            "the plan of output all.rules is known in part, expected that it is known only after the apply"
        );
        let hides = |attribute: &str| {
            let (address, attribute) = it(attribute);
            found(&Check::Sensitive(address, attribute))
        };
        assert_eq!(
            [hides("pin"), hides("list")],
            ["passed", "a_b.it: list is not sensitive"]
        );
        let state = json!({"values": {"root_module": {"resources": [
            {"address": "a_b.it", "values": {"list": [{"x": 1}]}, "sensitive_values": {"list": [{"x": true}]}}]}}});
        let (address, attribute) = it("list");
        assert_eq!(
            Check::Sensitive(address, attribute)
                .look(&state)
                .unwrap_err()
                .0,
            "a_b.it: list is sensitive in part"
        );
    }

    #[test]
    fn plans_are_what_they_do() {
        let change = |address: &str, actions: &[&str]| json!({"address": address, "change": {"actions": actions}});
        let plan = json!({"resource_changes": [change("a", &["no-op"]), change("b", &["create", "delete"]), change("c", &["read"])],
            "output_changes": {"o": {"actions": ["update"]}, "p": {"actions": ["no-op"]}}});
        assert_eq!(changed(&plan), ["b", "output o"]);
        assert_eq!(PlannedAction::Replace.check(&plan, "b"), Ok(()));
        assert_eq!(
            PlannedAction::Update.check(&plan, "b"),
            Err(Failure::new(
                "the plan of b is create and delete, expected Update"
            ))
        );
        assert_eq!(
            PlannedAction::Nothing.check(&plan, "d"),
            Err(Failure::new("d is not in the plan, which has a, b, c"))
        );
    }

    #[test]
    fn an_import_has_the_attributes_that_there_were() {
        let other = json!({"values": {"root_module": {"resources": [{"address": "a_b.it", "values": {"list": [{"x": 1}], "pin": null}}]}}});
        let reported = same("a_b.it", &state(), &other, &[]).unwrap_err().0;
        assert_eq!(
            reported,
            "a_b.it is imported with other values than it had: pin. If they cannot be read back, say `ignoring([…])`"
        );
        assert_eq!(
            same("a_b.it", &state(), &other, &["pin".to_owned()]),
            Ok(())
        );
    }
}
