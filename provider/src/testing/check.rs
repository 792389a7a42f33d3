//! Plans and states, as Terraform shows them.

use serde_json::Value;

/// The value at a path of members; null if there is none.
fn get<'v>(value: &'v Value, names: &[&str]) -> &'v Value {
    static NULL: Value = Value::Null;
    names.iter().try_fold(value, |value, name| value.get(name)).unwrap_or(&NULL)
}

use super::Failure;

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
        let Some(change) = changes(plan).find(|change| change["address"] == address) else {
            let all: Vec<&str> = changes(plan).filter_map(|change| change["address"].as_str()).collect();
            return Err(Failure(format!("{address} is not in the plan, which has {}", listed(&all))));
        };
        let actions: Vec<&str> =
            get(change, &["change", "actions"]).as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if Self::of(&actions) == Some(self) {
            return Ok(());
        }
        Err(Failure(format!("the plan of {address} is {}, expected {self:?}", actions.join(" and "))))
    }
}

fn changes(plan: &Value) -> impl Iterator<Item = &Value> {
    plan["resource_changes"].as_array().into_iter().flatten()
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// The changes of a plan: resources and outputs.
pub(super) fn changed(plan: &Value) -> Vec<String> {
    let differs = |change: &&Value| {
        get(change, &["change", "actions"]).as_array().is_none_or(|actions| actions != &["no-op"] && actions != &["read"])
    };
    let resources = changes(plan).filter(differs).filter_map(|change| change["address"].as_str()).map(str::to_owned);
    let outputs = plan["output_changes"].as_object().into_iter().flatten();
    let outputs = outputs.filter(|(_, change)| change["actions"] != serde_json::json!(["no-op"]));
    resources.chain(outputs.map(|(name, _)| format!("output {name}"))).collect()
}

/// Looks at a state as JSON.
type Look = dyn Fn(&Value) -> Result<(), String>;

/// One thing that holds after a step.
pub(super) enum Check {
    Equals { address: String, attribute: String, value: Value },
    Set { address: String, attribute: String },
    Absent { address: String },
    Output { name: String, value: Value },
    Function(Box<Look>),
}

impl Check {
    pub(super) fn look(&self, state: &Value) -> Result<(), Failure> {
        match self {
            Self::Equals { address, attribute, value } => {
                let resource = resource(state, address)?;
                let found = at(&resource["values"], attribute);
                if found == Some(value) {
                    return Ok(());
                }
                // What is sensitive is not shown.
                let hidden = at(&resource["sensitive_values"], attribute).is_some_and(|mark| mark != &Value::Bool(false));
                let found = match found {
                    Some(_) if hidden => "another value, which is sensitive".to_owned(),
                    Some(found) => found.to_string(),
                    None => "no such attribute".to_owned(),
                };
                let expected = if hidden { "the given value".to_owned() } else { value.to_string() };
                Err(Failure(format!("{address}: {attribute}: expected {expected}, found {found}")))
            }
            Self::Set { address, attribute } => match at(&resource(state, address)?["values"], attribute) {
                Some(found) if !found.is_null() => Ok(()),
                _ => Err(Failure(format!("{address}: {attribute} is not set"))),
            },
            Self::Absent { address } => match resource(state, address) {
                Ok(_) => Err(Failure(format!("{address} is in the state, expected that it is not"))),
                Err(_) => Ok(()),
            },
            Self::Output { name, value } => {
                let output = get(state, &["values", "outputs", name]);
                if output["value"] == *value {
                    return Ok(());
                }
                let hidden = output["sensitive"] == Value::Bool(true);
                let found = if hidden { "another value, which is sensitive".to_owned() } else { output["value"].to_string() };
                let expected = if hidden { "the given value".to_owned() } else { value.to_string() };
                Err(Failure(format!("output {name}: expected {expected}, found {found}")))
            }
            Self::Function(check) => check(state).map_err(Failure),
        }
    }
}

/// All resources of a state, of child modules too.
fn resources(state: &Value) -> Vec<&Value> {
    fn of<'s>(module: &'s Value, all: &mut Vec<&'s Value>) {
        all.extend(module["resources"].as_array().into_iter().flatten());
        module["child_modules"].as_array().into_iter().flatten().for_each(|child| of(child, all));
    }
    let mut all = Vec::new();
    of(get(state, &["values", "root_module"]), &mut all);
    all
}

fn resource<'s>(state: &'s Value, address: &str) -> Result<&'s Value, Failure> {
    let all = resources(state);
    all.iter().find(|resource| resource["address"] == address).copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().filter_map(|resource| resource["address"].as_str()).collect();
        Failure(format!("{address} is not in the state, which has {}", listed(&names)))
    })
}

/// The value that names and indexes lead to.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |value, step| match value {
        Value::Array(list) => list.get(step.parse::<usize>().ok()?),
        Value::Object(members) => members.get(step),
        // A mark of all of it holds for each of its parts.
        Value::Bool(_) => Some(value),
        Value::Null | Value::Number(_) | Value::String(_) => None,
    })
}

/// True if a resource has the same attributes in both states. Values are not shown: they may be sensitive.
pub(super) fn same(address: &str, before: &Value, imported: &Value, ignored: &[String]) -> Result<(), Failure> {
    let (before, imported) = (&resource(before, address)?["values"], &resource(imported, address)?["values"]);
    let names = before.as_object().into_iter().flatten().map(|(name, _)| name);
    let differs = |name: &&String| !ignored.contains(*name) && before[name.as_str()] != imported[name.as_str()];
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
            "outputs": {"open": {"value": 1, "sensitive": false}, "pin": {"value": "sesame", "sensitive": true}},
            "root_module": {
                "resources": [{"address": "a_b.it", "values": {"list": [{"x": 1}], "pin": "sesame", "none": null},
                    "sensitive_values": {"list": [{}], "pin": true}}],
                "child_modules": [{"resources": [{"address": "module.m.a_b.it", "values": {"x": "y"}, "sensitive_values": {}}]}]
            }
        }})
    }

    fn told(check: &Check) -> String {
        check.look(&state()).map_or_else(|failure| failure.0, |()| "passed".to_owned())
    }

    fn equals(address: &str, attribute: &str, value: impl Into<Value>) -> String {
        told(&Check::Equals { address: address.to_owned(), attribute: attribute.to_owned(), value: value.into() })
    }

    #[test]
    fn attributes_are_found_by_their_paths_and_secrets_are_not_shown() {
        assert_eq!(equals("a_b.it", "list.0.x", 1), "passed");
        assert_eq!(equals("module.m.a_b.it", "x", "y"), "passed");
        assert_eq!(equals("a_b.it", "list.0.x", 2), "a_b.it: list.0.x: expected 2, found 1");
        assert_eq!(equals("a_b.it", "list.1.x", 2), "a_b.it: list.1.x: expected 2, found no such attribute");
        assert_eq!(
            equals("a_b.it", "pin", "mellon"),
            "a_b.it: pin: expected the given value, found another value, which is sensitive"
        );
        assert_eq!(equals("a_b.us", "pin", 1), "a_b.us is not in the state, which has a_b.it, module.m.a_b.it");
        let output = |name: &str| told(&Check::Output { name: name.to_owned(), value: json!(2) });
        assert_eq!(output("open"), "output open: expected 2, found 1");
        assert_eq!(output("pin"), "output pin: expected the given value, found another value, which is sensitive");
        assert_eq!(told(&Check::Set { address: "a_b.it".to_owned(), attribute: "none".to_owned() }), "a_b.it: none is not set");
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
            Err(Failure::new("the plan of b is create and delete, expected Update"))
        );
        assert_eq!(PlannedAction::Nothing.check(&plan, "d"), Err(Failure::new("d is not in the plan, which has a, b, c")));
    }

    #[test]
    fn an_import_has_the_attributes_that_there_were() {
        let other = json!({"values": {"root_module": {"resources": [{"address": "a_b.it", "values": {"list": [{"x": 1}], "pin": null}}]}}});
        let told = same("a_b.it", &state(), &other, &[]).unwrap_err().0;
        assert_eq!(
            told,
            "a_b.it is imported with other values than it had: pin. If they cannot be read back, say `ignoring([…])`"
        );
        assert_eq!(same("a_b.it", &state(), &other, &["pin".to_owned()]), Ok(()));
    }
}
