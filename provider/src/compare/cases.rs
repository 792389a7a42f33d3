//! The states and configurations to compare with, from files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use upstate::Value;
use upstate::schema::{Block, Type};

use super::difference::Way;
use crate::secrets::Secrets;

/// Arguments of a resource that are Terraform's own.
const META: [&str; 7] = [
    "connection",
    "count",
    "depends_on",
    "for_each",
    "lifecycle",
    "provider",
    "provisioner",
];

/// A stored state of one resource, its configuration, or both.
#[derive(Debug)]
pub(super) struct Case {
    file: PathBuf,
    address: String,
    pub(super) type_name: String,
    pub(super) state: Option<Stored>,
    /// As JSON, whose numbers are those of the file: `serde_json::Value` would round them.
    pub(super) config: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) version: i64,
    pub(super) json: Bytes,
    /// The ways to what Terraform marked as sensitive, such as a variable's value.
    sensitive: Vec<Way>,
}

impl Stored {
    /// The ways to what must not be shown in values of these types and versions.
    ///
    /// An upgrade may have put what is marked elsewhere. It is in the attribute that still has its
    /// name, and otherwise anywhere, so that nothing is shown then.
    pub(super) fn hidden(&self, values: [(&Type, i64); 2]) -> Vec<Way> {
        let hidden = |way: &Way| -> Way {
            let attribute = way.iter().take(1);
            let is_in = |ty: &Type| match ty {
                Type::Object(fields) => attribute
                    .clone()
                    .all(|name| fields.iter().any(|field| field.name() == name)),
                Type::Bool
                | Type::String
                | Type::Number
                | Type::Dynamic
                | Type::List(_)
                | Type::Set(_)
                | Type::Map(_)
                | Type::Tuple(_)
                | Type::Json
                | Type::Union(_) => false,
            };
            if !values.iter().all(|(ty, _)| is_in(ty)) {
                Way::new()
            } else if values.iter().all(|(_, version)| *version == self.version) {
                way.clone()
            } else {
                attribute.cloned().collect()
            }
        };
        self.sensitive.iter().map(hidden).collect()
    }

    /// Adds the values that are marked, and those that these blocks do not show.
    pub(super) fn add_secrets(&self, blocks: [&Block; 2], secrets: &mut Secrets) {
        // Otherwise it is not upgraded either, and there is nothing to show.
        let Ok(stored) = Value::from_any_json(&self.json) else {
            return;
        };
        for block in blocks {
            secrets.add(block, &stored);
        }
        for value in self.sensitive.iter().filter_map(|way| at(&stored, way)) {
            secrets.add_value(value);
        }
    }
}

/// The value to which names, keys and indices lead.
fn at<'v>(value: &'v Value, way: &[String]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, step| match value {
        Value::Map(members) => members.get(step),
        Value::List(elements) => elements.get(step.parse::<usize>().ok()?),
        Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Dynamic(_) => None,
    })
}

impl Case {
    pub(super) fn shown(&self) -> String {
        format!("{} in {}", self.address, self.file.display())
    }
}

/// All cases of some files.
#[derive(Debug)]
pub(super) struct Cases {
    pub(super) all: Vec<Case>,
    /// The configuration of the provider, as JSON.
    pub(super) provider: String,
    /// The cases that can't be compared, each with the reason.
    pub(super) left_out: Vec<String>,
}

impl Cases {
    /// The cases of these files, and of the files in these folders. `provider` is its name in a
    /// configuration.
    pub(super) fn read(paths: &[String], provider: &str) -> Result<Self, String> {
        let mut cases = Self {
            all: Vec::new(),
            provider: "{}".to_owned(),
            left_out: Vec::new(),
        };
        let (mut states, mut configs) = (Vec::new(), Vec::new());
        for path in paths {
            let path = Path::new(path);
            if path.is_dir() {
                let unreadable = |error| format!("{} can't be read: {error}", path.display());
                for entry in fs::read_dir(path).map_err(unreadable)? {
                    sort(entry.map_err(unreadable)?.path(), &mut states, &mut configs);
                }
            } else if !sort(path.to_owned(), &mut states, &mut configs) {
                return Err(format!(
                    "{} is neither a state (*.tfstate), a configuration (*.tf.json) nor a folder",
                    path.display()
                ));
            }
        }
        states.sort();
        configs.sort();
        let mut written = Vec::new();
        for path in configs {
            cases.config(&path, provider, &mut written)?;
        }
        for path in states {
            cases.state(&path, &mut written)?;
        }
        // Those without a state are created.
        cases.all.extend(
            written
                .into_iter()
                .filter(|(_, is_used)| !is_used)
                .map(|(case, _)| case),
        );
        Ok(cases)
    }

    fn config(
        &mut self,
        path: &Path,
        provider: &str,
        written: &mut Vec<(Case, bool)>,
    ) -> Result<(), String> {
        let json = parsed(path)?;
        let json = members(&json);
        let providers = json
            .get("provider")
            .map(|all| members(all))
            .unwrap_or_default();
        if let Some(config) = providers.get(provider).and_then(|config| unaliased(config)) {
            if has_expression(config) {
                return Err(format!(
                    "{}: the configuration of the provider has an expression; write its value",
                    path.display()
                ));
            }
            self.provider = without_meta(config);
        }
        for (type_name, resources) in json
            .get("resource")
            .map(|types| members(types))
            .unwrap_or_default()
        {
            for (name, config) in members(resources) {
                let Some(config) = first(config) else {
                    continue;
                };
                let address = format!("{type_name}.{name}");
                let arguments = members(config);
                let is_repeated =
                    arguments.contains_key("count") || arguments.contains_key("for_each");
                if is_repeated || has_expression(config) {
                    self.left_out.push(format!(
                        "{address} in {}: it has expressions, which only Terraform evaluates",
                        path.display()
                    ));
                    continue;
                }
                let (type_name, config) = (type_name.clone(), Some(without_meta(config)));
                written.push((
                    Case {
                        file: path.to_owned(),
                        address,
                        type_name,
                        state: None,
                        config,
                    },
                    false,
                ));
            }
        }
        Ok(())
    }

    fn state(&mut self, path: &Path, written: &mut [(Case, bool)]) -> Result<(), String> {
        let json = parsed(path)?;
        let json = members(&json);
        if json
            .get("version")
            .and_then(|version| read(version).as_u64())
            != Some(4)
        {
            return Err(format!(
                "{} is not a state file of format 4",
                path.display()
            ));
        }
        let text = |of: &Members<'_>, name: &str| {
            of.get(name)
                .and_then(|text| read(text).as_str().map(str::to_owned))
        };
        for resource in json
            .get("resources")
            .map(|all| elements(all))
            .unwrap_or_default()
            .into_iter()
            .map(members)
        {
            let (Some(type_name), Some(name)) = (text(&resource, "type"), text(&resource, "name"))
            else {
                continue;
            };
            if text(&resource, "mode").as_deref() != Some("managed") {
                continue;
            }
            let module = text(&resource, "module")
                .map(|module| module + ".")
                .unwrap_or_default();
            let resource_address = format!("{module}{type_name}.{name}");
            for instance in resource
                .get("instances")
                .map(|all| elements(all))
                .unwrap_or_default()
                .into_iter()
                .map(members)
            {
                let key = instance
                    .get("index_key")
                    .map(|key| format!("[{}]", key.get()))
                    .unwrap_or_default();
                let address = format!("{resource_address}{key}");
                let Some(attributes) = instance.get("attributes") else {
                    self.left_out.push(format!(
                        "{address} in {}: it has no attributes in JSON",
                        path.display()
                    ));
                    continue;
                };
                let version = instance
                    .get("schema_version")
                    .and_then(|version| read(version).as_i64())
                    .unwrap_or_default();
                let json = Bytes::copy_from_slice(attributes.get().as_bytes());
                let sensitive = instance
                    .get("sensitive_attributes")
                    .map(|ways| sensitive(ways))
                    .unwrap_or_default();
                let state = Some(Stored {
                    version,
                    json,
                    sensitive,
                });
                let config = written
                    .iter_mut()
                    .find(|(case, _)| case.address == resource_address)
                    .map(|(case, is_used)| {
                        *is_used = true;
                        case.config.clone()
                    });
                let config = config.flatten();
                self.all.push(Case {
                    file: path.to_owned(),
                    address,
                    type_name: type_name.clone(),
                    state,
                    config,
                });
            }
        }
        Ok(())
    }
}

/// Puts a file with those of its kind; false if it is of neither.
fn sort(path: PathBuf, states: &mut Vec<PathBuf>, configs: &mut Vec<PathBuf>) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let list = if name.ends_with(".tfstate") {
        states
    } else if name.ends_with(".tf.json") {
        configs
    } else {
        return false;
    };
    list.push(path);
    true
}

fn parsed(path: &Path) -> Result<Box<RawValue>, String> {
    let bytes =
        fs::read(path).map_err(|error| format!("{} can't be read: {error}", path.display()))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        format!(
            "{}:{}:{} is not JSON",
            path.display(),
            error.line(),
            error.column()
        )
    })
}

/// An object's members, each as it is written.
type Members<'j> = BTreeMap<String, &'j RawValue>;

/// The members, none if it is not an object.
fn members(json: &RawValue) -> Members<'_> {
    serde_json::from_str(json.get()).unwrap_or_default()
}

/// The elements, none if it is not a list.
fn elements(json: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(json.get()).unwrap_or_default()
}

/// The value, for what is not a number with many digits.
fn read(json: &RawValue) -> Json {
    serde_json::from_str(json.get()).unwrap_or_default()
}

/// The ways that a state marks.
fn sensitive(ways: &RawValue) -> Vec<Way> {
    let name = |step: &RawValue| match members(step).get("value").map(|value| read(value)) {
        Some(Json::String(name)) => name,
        // It is an index, so its value has its type beside it.
        Some(index) => index.get("value").map_or_else(String::new, |key| {
            key.as_str().map_or_else(|| key.to_string(), str::to_owned)
        }),
        None => String::new(),
    };
    elements(ways)
        .into_iter()
        .map(|way| elements(way).into_iter().map(name).collect())
        .collect()
}

/// The object, or the first of a list of them: Terraform's JSON has both.
fn first(json: &RawValue) -> Option<&RawValue> {
    if json.get().starts_with('[') {
        elements(json).into_iter().next()
    } else {
        Some(json)
    }
}

/// The configuration that resources have which name none: the one without an alias, or the first.
fn unaliased(config: &RawValue) -> Option<&RawValue> {
    let all = if config.get().starts_with('[') {
        elements(config)
    } else {
        vec![config]
    };
    let default = all
        .iter()
        .find(|config| !members(config).contains_key("alias"));
    default.or(all.first()).copied()
}

fn without_meta(config: &RawValue) -> String {
    let mut arguments = members(config);
    arguments.retain(|name, _| !META.contains(&name.as_str()));
    serde_json::to_string(&arguments).unwrap_or_default()
}

/// True if a string is more than its text.
fn has_expression(json: &RawValue) -> bool {
    match json.get().as_bytes().first() {
        Some(b'"') => read(json)
            .as_str()
            .is_some_and(|text| text.contains("${") || text.contains("%{")),
        Some(b'[') => elements(json).into_iter().any(has_expression),
        Some(b'{') => members(json)
            .into_iter()
            .any(|(name, value)| !META.contains(&name.as_str()) && has_expression(value)),
        Some(_) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use upstate::schema::Field;

    use super::*;

    #[test]
    fn numbers_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let number = "12345678901234567890.123456789";
        let state = format!(
            r#"{{"version": 4, "resources": [{{"mode": "managed", "type": "acme_a", "name": "x",
                "instances": [{{"attributes": {{"n": {number}}}}}]}}]}}"#
        );
        let config = format!(
            r#"{{"provider": {{"acme": {{"n": {number}}}}}, "resource": {{"acme_a": {{"x": {{"n": {number}}}}}}}}}"#
        );
        fs::write(folder.path().join("a.tfstate"), state).unwrap();
        fs::write(folder.path().join("b.tf.json"), config).unwrap();
        let cases = Cases::read(&[folder.path().display().to_string()], "acme").unwrap();
        let [case] = cases.all.as_slice() else {
            panic!("expected one case, got {:?}", cases.all)
        };
        let written = format!("{{\"n\":{number}}}");
        assert_eq!(
            (cases.provider.as_str(), case.config.as_deref()),
            (written.as_str(), Some(written.as_str()))
        );
        assert_eq!(
            case.state.as_ref().unwrap().json,
            format!("{{\"n\": {number}}}")
        );
    }

    #[test]
    fn the_provider_is_configured_by_what_has_no_alias() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tf.json");
        for (written, expected) in [
            (json!([{"alias": "a", "n": 1}, {"n": 2}]), r#"{"n":2}"#),
            (json!([{"alias": "a", "n": 1}]), r#"{"alias":"a","n":1}"#),
            (json!({"n": 3}), r#"{"n":3}"#),
        ] {
            fs::write(&path, json!({"provider": {"acme": written}}).to_string()).unwrap();
            let cases = Cases::read(&[path.display().to_string()], "acme").unwrap();
            assert_eq!(cases.provider, expected);
        }
    }

    #[test]
    fn what_an_upgrade_may_have_moved_is_not_shown_either() {
        let ty = |names: &[&str]| {
            let fields = names
                .iter()
                .map(|name| Field::new((*name).to_owned(), Type::String));
            Type::object(fields)
        };
        let stored = Stored {
            version: 1,
            json: Bytes::new(),
            sensitive: vec![vec!["rules".to_owned(), "0".to_owned(), "pin".to_owned()]],
        };
        let (same, renamed) = (ty(&["rules", "name"]), ty(&["lines", "name"]));
        assert_eq!(
            stored.hidden([(&same, 1), (&same, 1)]),
            [["rules", "0", "pin"]]
        );
        assert_eq!(stored.hidden([(&same, 2), (&same, 1)]), [["rules"]]);
        // The way to everything, because the mark leads nowhere.
        assert_eq!(stored.hidden([(&renamed, 2), (&same, 1)]), [Way::new()]);
    }

    #[test]
    fn what_is_marked_is_a_secret_in_other_values_too() {
        let stored = Stored {
            version: 0,
            json: Bytes::from_static(br#"{"rules": [{"pin": "ab-c-12"}], "name": "me-2"}"#),
            sensitive: vec![vec!["rules".to_owned(), "0".to_owned(), "pin".to_owned()]],
        };
        let (block, mut secrets) = (Block::new([]), Secrets::default());
        stored.add_secrets([&block, &block], &mut secrets);
        assert!(secrets.show_in("me:ab-c-12") && secrets.show_in("ab-c"));
        assert!(!secrets.show_in("me-2"));
    }

    #[test]
    fn states_have_the_configuration_of_their_address() {
        let folder = tempfile::tempdir().unwrap();
        let state = json!({"version": 4, "resources": [
            {"mode": "managed", "type": "acme_a", "name": "x", "instances": [
                {"index_key": "k", "schema_version": 2, "attributes": {"id": "1"}, "sensitive_attributes": [
                    [{"type": "get_attr", "value": "labels"}, {"type": "index", "value": {"value": "a", "type": "string"}}],
                    [{"type": "get_attr", "value": "rules"}, {"type": "index", "value": {"value": 0, "type": "number"}}]]},
                {"attributes_flat": {"id": "2"}}]},
            {"mode": "data", "type": "acme_a", "name": "x", "instances": [{"attributes": {}}]},
            {"module": "module.m", "mode": "managed", "type": "acme_a", "name": "x", "instances": [{"attributes": {}}]},
        ]});
        let config = json!({
            "provider": {"acme": [{"token": "t", "alias": "a"}]},
            "resource": {"acme_a": {
                "x": {"name": "n", "lifecycle": {"ignore_changes": ["${x}"]}},
                "y": [{"name": "m"}],
                "z": {"name": "${var.name}"},
            }},
        });
        fs::write(folder.path().join("a.tfstate"), state.to_string()).unwrap();
        fs::write(folder.path().join("b.tf.json"), config.to_string()).unwrap();
        fs::write(folder.path().join("c.txt"), "no JSON").unwrap();
        let cases = Cases::read(&[folder.path().display().to_string()], "acme").unwrap();
        let shown: Vec<_> = cases
            .all
            .iter()
            .map(|case| {
                let version = case.state.as_ref().map(|state| state.version);
                (case.address.as_str(), version, case.config.as_deref())
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("acme_a.x[\"k\"]", Some(2), Some(r#"{"name":"n"}"#)),
                ("module.m.acme_a.x", Some(0), None),
                ("acme_a.y", None, Some(r#"{"name":"m"}"#)),
            ]
        );
        let sensitive = &cases.all[0].state.as_ref().unwrap().sensitive;
        assert_eq!(*sensitive, [["labels", "a"], ["rules", "0"]]);
        assert_eq!(cases.provider, r#"{"alias":"a","token":"t"}"#);
        assert_eq!(cases.left_out.len(), 2, "{:?}", cases.left_out);
        let other = folder.path().join("c.txt").display().to_string();
        assert!(
            Cases::read(&[other], "acme")
                .unwrap_err()
                .ends_with("nor a folder")
        );
    }
}
