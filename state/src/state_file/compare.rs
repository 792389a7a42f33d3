//! Two state files beside each other, and values looked for in one.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use upstate::{AttributePath, Registry, ResourceDefinition, Value};

use super::address::{Address, Mode};
use super::changes::{
    Change, Known, Marks, Node, Shown, compared, hide_secrets, node, shown, texts_of, value_of,
};
use super::parse::{Instance, StateFile};
use super::secrets::Secrets;

/// An instance that differs between two state files.
#[derive(Debug, Clone, Copy)]
pub struct Difference<'a, 't, 'u> {
    old: Option<&'a Instance<'t>>,
    new: Option<&'a Instance<'u>>,
}

impl<'a, 't, 'u> Difference<'a, 't, 'u> {
    /// The instance in the older file; nothing if it was added.
    pub fn old(&self) -> Option<&'a Instance<'t>> {
        self.old
    }

    /// The instance in the newer file; nothing if it was removed.
    pub fn new_instance(&self) -> Option<&'a Instance<'u>> {
        self.new
    }

    /// The differences of its attributes, as far as they may be shown: sensitive values are hidden,
    /// and so is everything of a type that is not registered. Empty if only the schema version
    /// differs, or members other than the attributes.
    pub fn changes(&self, registry: &Registry) -> Vec<Change> {
        differences(self.old, self.new, registry)
    }
}

impl<'t> StateFile<'t> {
    /// The instances that differ from those of a newer file: added, removed, or with other
    /// attributes or another schema version. In the order of the newer file; what is missing there
    /// comes last.
    pub fn differences<'a, 'u>(&'a self, newer: &'a StateFile<'u>) -> Vec<Difference<'a, 't, 'u>> {
        let mut before: HashMap<String, &'a Instance<'t>> =
            HashMap::with_capacity(self.instances().len());
        before.extend(
            self.instances()
                .iter()
                .map(|instance| (named(instance.address()), instance)),
        );
        let mut different = Vec::new();
        for new in newer.instances() {
            let old = before.remove(&named(new.address()));
            if !old.is_some_and(|old| is_same(old, new)) {
                different.push(Difference {
                    old,
                    new: Some(new),
                });
            }
        }
        let gone = self
            .instances()
            .iter()
            .filter(|instance| before.contains_key(&named(instance.address())));
        different.extend(gone.map(|old| Difference {
            old: Some(old),
            new: None,
        }));
        different
    }
}

/// The address as text, which identifies an instance in both files.
fn named(address: &Address<'_>) -> String {
    address.to_string()
}

fn is_same(old: &Instance<'_>, new: &Instance<'_>) -> bool {
    old.schema_version() == new.schema_version()
        && old.sensitive_attributes() == new.sensitive_attributes()
        && match (old.attributes(), new.attributes()) {
            (Some(old_text), Some(new_text)) => {
                old_text == new_text || value_of(old) == value_of(new)
            }
            (None, None) => old.attributes_flat() == new.attributes_flat(),
            (Some(_), None) | (None, Some(_)) => false,
        }
}

impl Instance<'_> {
    /// The places of the scalar values to whose path and text `wanted` says yes. Sensitive values
    /// are not looked at, nor are those of a type that is not registered.
    pub fn find(
        &self,
        registry: &Registry,
        wanted: &dyn Fn(&AttributePath, &str) -> bool,
    ) -> Vec<AttributePath> {
        found(self, registry, wanted)
    }

    /// The values of its attributes, as far as they may be shown, without those that are null. An
    /// attribute that is sensitive only in part comes in several parts. Of a type that is not
    /// registered, and of a data source, nothing is known: that is one [`Shown::Undefined`] without
    /// a path.
    pub fn values(&self, registry: &Registry) -> Vec<(AttributePath, Shown)> {
        let mut values = Vec::new();
        let look = |root: &Node<'_>| {
            root.children
                .iter()
                .for_each(|(_, child)| parts(child, &mut values));
        };
        if looked_into(self, registry, look).is_none() {
            values.push((AttributePath::new(), Shown::Undefined));
        }
        values
    }
}

/// Adds to `values` what may be shown of a value, in as few parts as hide no more than must be
/// hidden.
fn parts(node: &Node<'_>, values: &mut Vec<(AttributePath, Shown)>) {
    match shown(node) {
        None => {}
        // Only something inside is hidden.
        Some(Shown::Hidden | Shown::Undefined)
            if node.hidden.is_none() && !node.children.is_empty() =>
        {
            node.children
                .iter()
                .for_each(|(_, child)| parts(child, values));
        }
        Some(shown) => values.push((node.path.clone(), shown)),
    }
}

/// The changes from `old` to `new`, which took its place; either may be missing.
fn differences(
    old: Option<&Instance<'_>>,
    new: Option<&Instance<'_>>,
    registry: &Registry,
) -> Vec<Change> {
    // Both have the same address, so the same definition knows both.
    let (old_value, new_value) = (old.and_then(value_of), new.and_then(value_of));
    let Some(definition) = old
        .or(new)
        .and_then(|instance| definition_of(instance, registry))
    else {
        if old_value == new_value {
            return Vec::new();
        }
        let undefined = |value: Option<Value>| value.map(|_| Shown::Undefined);
        return vec![Change {
            path: AttributePath::new(),
            old: undefined(old_value),
            new: undefined(new_value),
        }];
    };
    let schemas = |instance: Option<&Instance<'_>>| {
        Known::of(
            definition,
            instance.map_or_else(|| definition.version(), Instance::schema_version),
        )
    };
    let (old_schemas, new_schemas) = (schemas(old), schemas(new));
    let marks = |instance: Option<&Instance<'_>>| {
        instance.map_or_else(Marks::default, |instance| {
            Marks::of(&instance.sensitive_attributes())
        })
    };
    let (old_marks, new_marks) = (marks(old), marks(new));
    let nothing = Value::Map(BTreeMap::new());
    let value = |value: Option<Value>| value.unwrap_or_else(|| nothing.clone());
    compared(
        (&value(old_value), &old_schemas, &old_marks),
        (&value(new_value), &new_schemas, &new_marks),
    )
}

/// Lets `look` see the attributes of an instance with everything hidden that is sensitive, or a
/// secret elsewhere in it; unless no definition knows them.
fn looked_into<R>(
    instance: &Instance<'_>,
    registry: &Registry,
    look: impl FnOnce(&Node<'_>) -> R,
) -> Option<R> {
    let (definition, value) = (definition_of(instance, registry)?, value_of(instance)?);
    let (schemas, marks) = (
        Known::of(definition, instance.schema_version()),
        Marks::of(&instance.sensitive_attributes()),
    );
    let mut secrets = Secrets::default();
    let mut root = node(
        &value,
        &mut Vec::new(),
        &schemas,
        Some(&marks),
        &mut secrets,
    );
    let mut texts = HashSet::new();
    texts_of(&root, &mut texts);
    let shown: HashSet<&str> = texts.iter().map(|text| &**text).collect();
    hide_secrets(&mut root, &secrets.among(&shown));
    Some(look(&root))
}

/// The places of values that may be shown and whose text `wanted` says yes to.
fn found(
    instance: &Instance<'_>,
    registry: &Registry,
    wanted: &dyn Fn(&AttributePath, &str) -> bool,
) -> Vec<AttributePath> {
    let mut places = Vec::new();
    looked_into(instance, registry, |root| find(root, wanted, &mut places));
    places
}

fn find(
    node: &Node<'_>,
    wanted: &dyn Fn(&AttributePath, &str) -> bool,
    places: &mut Vec<AttributePath>,
) {
    if node.hidden.is_some() {
        return;
    }
    let text = match node.value {
        Value::String(text) => Some(Cow::Borrowed(text.as_str())),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
        Value::Null | Value::Unknown | Value::List(_) | Value::Map(_) | Value::Dynamic(_) => None,
    };
    if text.is_some_and(|text| wanted(&node.path, &text)) {
        places.push(node.path.clone());
    }
    for (_, child) in &node.children {
        find(child, wanted, places);
    }
}

/// The definition that knows what an instance means: that of another mode has the same name and
/// another schema.
fn definition_of<'r>(
    instance: &Instance<'_>,
    registry: &'r Registry,
) -> Option<&'r ResourceDefinition> {
    match instance.mode() {
        Mode::Managed => registry.get(instance.type_name()),
        Mode::Data => None,
    }
}

#[cfg(test)]
mod tests {
    use upstate::Resource;

    use super::*;

    #[derive(Resource)]
    #[resource(type_name = "example_account", version = 1)]
    #[upgrade_from(0, model = AccountV0, rename(title => name))]
    struct Account {
        name: String,
        #[attribute(sensitive)]
        password: Option<String>,
        note: Option<String>,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_account", version = 0)]
    struct AccountV0 {
        title: String,
        #[attribute(sensitive)]
        password: Option<String>,
        note: Option<String>,
    }

    fn state(instances: &str) -> String {
        format!(r#"{{"version":4,"resources":[{instances}]}}"#)
    }

    fn resource(mode: &str, type_name: &str, name: &str, version: u64, attributes: &str) -> String {
        format!(
            r#"{{"mode":"{mode}","type":"{type_name}","name":"{name}","provider":"provider.p",
                "instances":[{{"schema_version":{version},"attributes":{attributes}}}]}}"#
        )
    }

    fn differences(old: &str, new: &str) -> Vec<String> {
        let registry = Registry::new().with::<Account>();
        let (old, new) = (state(old), state(new));
        let (old, new) = (
            StateFile::parse(old.as_bytes()).unwrap(),
            StateFile::parse(new.as_bytes()).unwrap(),
        );
        let mut differences = Vec::new();
        for difference in old.differences(&new) {
            let instance = difference
                .new_instance()
                .map(Instance::address)
                .or(difference.old().map(Instance::address))
                .unwrap();
            differences.push(format!(
                "{instance} {:?}",
                (
                    difference.old().is_some(),
                    difference.new_instance().is_some()
                )
            ));
            for change in difference.changes(&registry) {
                differences.push(format!(
                    "  {} {:?} {:?}",
                    change.path(),
                    change.old(),
                    change.new_value()
                ));
            }
        }
        differences
    }

    #[test]
    fn what_differs_is_shown_without_secrets() {
        let account = |name: &str, version, attributes: &str| {
            resource("managed", "example_account", name, version, attributes)
        };
        let old = [
            account("same", 1, r#"{"name":"a","password":"p","note":null}"#),
            account(
                "old",
                0,
                r#"{"title":"t","password":"hunter22","note":"x"}"#,
            ),
            account(
                "gone",
                1,
                r#"{"name":"g","password":"hunter33","note":null}"#,
            ),
            resource("managed", "other_thing", "o", 0, r#"{"secret":"hunter44"}"#),
            resource("data", "example_account", "d", 0, r#"{"name":"hunter55"}"#),
        ];
        let new = [
            account(
                "new",
                1,
                r#"{"name":"n","password":"hunter66","note":null}"#,
            ),
            account("same", 1, r#"{"name": "a", "password": "p", "note": null}"#),
            account(
                "old",
                1,
                r#"{"name":"t","password":"hunter77","note":"hunter22"}"#,
            ),
            resource("managed", "other_thing", "o", 0, r#"{"secret":"hunter88"}"#),
            resource("data", "example_account", "d", 0, r#"{"name":"hunter99"}"#),
        ];
        let differences = differences(&old.join(","), &new.join(","));
        assert_eq!(
            differences,
            [
                "example_account.new (false, true)",
                "  name None Some(Json(\"\\\"n\\\"\"))",
                "  password None Some(Hidden)",
                "example_account.old (true, true)",
                "  name None Some(Json(\"\\\"t\\\"\"))",
                "  note Some(Json(\"\\\"x\\\"\")) Some(Hidden)",
                "  password Some(Hidden) Some(Hidden)",
                "  title Some(Json(\"\\\"t\\\"\")) None",
                "other_thing.o (true, true)",
                "   Some(Undefined) Some(Undefined)",
                "data.example_account.d (true, true)",
                "   Some(Undefined) Some(Undefined)",
                "example_account.gone (true, false)",
                "  name Some(Json(\"\\\"g\\\"\")) None",
                "  password Some(Hidden) None",
            ]
        );
    }

    #[derive(Resource)]
    #[resource(type_name = "example_site")]
    struct Site {
        name: String,
        login: Option<Login>,
        logins: Vec<Login>,
        tags: BTreeMap<String, String>,
    }

    #[derive(upstate::Object)]
    struct Login {
        user: String,
        #[attribute(sensitive)]
        key: Option<String>,
    }

    #[test]
    fn values_are_shown_unless_they_are_sensitive() {
        let registry = Registry::new().with::<Account>().with::<Site>();
        let values = |resource: &str| -> Vec<String> {
            let state = state(resource);
            let state = StateFile::parse(state.as_bytes()).unwrap();
            let values = state.instances()[0].values(&registry);
            values
                .into_iter()
                .map(|(path, shown)| format!("{path} {shown:?}"))
                .collect()
        };
        let account =
            |attributes: &str| values(&resource("managed", "example_account", "a", 1, attributes));
        assert_eq!(
            account(r#"{"name":"blue","password":"hunter22","note":null}"#),
            ["name Json(\"\\\"blue\\\"\")", "password Hidden"]
        );
        // A value that is a secret elsewhere is one here, and a value without a schema may be one.
        assert_eq!(
            account(r#"{"name":"hunter22","password":"hunter22","extra":"x"}"#),
            ["extra Undefined", "name Hidden", "password Hidden"]
        );
        let site = r#"{"name":"s","login":{"user":"u","key":"hunter33"},"logins":[{"user":"v","key":null}],"tags":{"a":"b"}}"#;
        let marked = |marks: &str| {
            let site = resource("managed", "example_site", "s", 0, site);
            values(&site.replace("}]}", &format!(r#","sensitive_attributes":{marks}}}]}}"#)))
        };
        let open = [
            "login.key Hidden",
            "login.user Json(\"\\\"u\\\"\")",
            "logins Json(\"[{\\\"key\\\":null,\\\"user\\\":\\\"v\\\"}]\")",
            "name Json(\"\\\"s\\\"\")",
        ];
        assert_eq!(marked("[]")[..4], open);
        assert_eq!(marked("[]")[4], "tags Json(\"{\\\"a\\\":\\\"b\\\"}\")");
        // The configuration marks a value as well.
        let mark = r#"[[{"type":"get_attr","value":"tags"},{"type":"index","value":{"value":"a","type":"string"}}]]"#;
        assert_eq!(marked(mark)[4], "tags[\"a\"] Hidden");
        assert_eq!(
            values(&resource(
                "managed",
                "other_thing",
                "o",
                0,
                r#"{"secret":"hunter44"}"#
            )),
            [" Undefined"]
        );
        assert_eq!(
            values(&resource(
                "data",
                "example_account",
                "d",
                1,
                r#"{"name":"hunter55"}"#
            )),
            [" Undefined"]
        );
    }

    #[test]
    fn values_are_found_unless_they_are_sensitive() {
        let registry = Registry::new().with::<Account>();
        let find = |attributes: &str, text: &str| -> Vec<String> {
            let state = state(&resource("managed", "example_account", "a", 1, attributes));
            let state = StateFile::parse(state.as_bytes()).unwrap();
            let places = state.instances()[0].find(&registry, &|_, value| value.contains(text));
            places.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            find(
                r#"{"name":"blue","password":"hunter22","note":"deep blue"}"#,
                "blue"
            ),
            ["name", "note"]
        );
        assert!(
            find(
                r#"{"name":"blue","password":"hunter22","note":null}"#,
                "hunter"
            )
            .is_empty()
        );
        // A secret that is repeated elsewhere is one there too.
        assert!(
            find(
                r#"{"name":"hunter22","password":"hunter22","note":"is hunter22"}"#,
                "hunter"
            )
            .is_empty()
        );
    }
}
