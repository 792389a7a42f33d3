//! The states and configurations to compare with, from files.

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

/// Arguments of a resource that are Terraform's own.
const META: [&str; 7] = ["connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"];

/// A stored state of one resource, its configuration, or both.
#[derive(Debug)]
pub(super) struct Case {
    file: PathBuf,
    address: String,
    pub(super) type_name: String,
    pub(super) state: Option<Stored>,
    pub(super) config: Option<Json>,
}

#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) version: i64,
    pub(super) json: Bytes,
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
    /// The configuration of the provider.
    pub(super) provider: Json,
    /// The cases that can't be compared, each with the reason.
    pub(super) left_out: Vec<String>,
}

impl Cases {
    /// The cases of these files, and of the files in these folders. `provider` is its name in a configuration.
    pub(super) fn read(paths: &[String], provider: &str) -> Result<Self, String> {
        let mut cases = Self { all: Vec::new(), provider: json!({}), left_out: Vec::new() };
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
        cases.all.extend(written.into_iter().filter(|(_, is_used)| !is_used).map(|(case, _)| case));
        Ok(cases)
    }

    fn config(&mut self, path: &Path, provider: &str, written: &mut Vec<(Case, bool)>) -> Result<(), String> {
        let json = parsed(path)?;
        if let Some(config) = first(json.pointer(&format!("/provider/{provider}"))) {
            if has_expression(config) {
                return Err(format!("{}: the configuration of the provider has an expression; write its value", path.display()));
            }
            self.provider = without_meta(config);
        }
        let types = json.get("resource").and_then(Json::as_object).into_iter().flatten();
        for (type_name, resources) in types {
            for (name, config) in resources.as_object().into_iter().flatten() {
                let Some(config) = first(Some(config)) else { continue };
                let address = format!("{type_name}.{name}");
                if has_expression(config) || config.get("count").is_some() || config.get("for_each").is_some() {
                    self.left_out
                        .push(format!("{address} in {}: it has expressions, which only Terraform evaluates", path.display()));
                    continue;
                }
                let (type_name, config) = (type_name.clone(), Some(without_meta(config)));
                written.push((Case { file: path.to_owned(), address, type_name, state: None, config }, false));
            }
        }
        Ok(())
    }

    fn state(&mut self, path: &Path, written: &mut [(Case, bool)]) -> Result<(), String> {
        let json = parsed(path)?;
        if json.get("version").and_then(Json::as_u64) != Some(4) {
            return Err(format!("{} is not a state file of format 4", path.display()));
        }
        let text = |of: &Json, name: &str| of.get(name).and_then(Json::as_str).map(str::to_owned);
        for resource in json.get("resources").and_then(Json::as_array).into_iter().flatten() {
            let (Some(type_name), Some(name)) = (text(resource, "type"), text(resource, "name")) else { continue };
            if text(resource, "mode").as_deref() != Some("managed") {
                continue;
            }
            let module = text(resource, "module").map(|module| module + ".").unwrap_or_default();
            let resource_address = format!("{module}{type_name}.{name}");
            for instance in resource.get("instances").and_then(Json::as_array).into_iter().flatten() {
                let key = instance.get("index_key").map(|key| format!("[{key}]")).unwrap_or_default();
                let address = format!("{resource_address}{key}");
                let Some(attributes) = instance.get("attributes") else {
                    self.left_out.push(format!("{address} in {}: it has no attributes in JSON", path.display()));
                    continue;
                };
                let version = instance.get("schema_version").and_then(Json::as_i64).unwrap_or_default();
                let state = Some(Stored { version, json: attributes.to_string().into() });
                let config = written.iter_mut().find(|(case, _)| case.address == resource_address).map(|(case, is_used)| {
                    *is_used = true;
                    case.config.clone()
                });
                let config = config.flatten();
                self.all.push(Case { file: path.to_owned(), address, type_name: type_name.clone(), state, config });
            }
        }
        Ok(())
    }
}

/// Puts a file with those of its kind; false if it is of neither.
fn sort(path: PathBuf, states: &mut Vec<PathBuf>, configs: &mut Vec<PathBuf>) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
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

fn parsed(path: &Path) -> Result<Json, String> {
    let bytes = fs::read(path).map_err(|error| format!("{} can't be read: {error}", path.display()))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{}:{}:{} is not JSON", path.display(), error.line(), error.column()))
}

/// The object, or the first of a list of them: Terraform's JSON has both.
fn first(json: Option<&Json>) -> Option<&Json> {
    match json? {
        Json::Array(elements) => elements.first(),
        other => Some(other),
    }
}

fn without_meta(config: &Json) -> Json {
    let members = config.as_object().into_iter().flatten().filter(|(name, _)| !META.contains(&name.as_str()));
    Json::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
}

/// True if a string is more than its text.
fn has_expression(json: &Json) -> bool {
    match json {
        Json::String(text) => text.contains("${") || text.contains("%{"),
        Json::Array(elements) => elements.iter().any(has_expression),
        Json::Object(members) => {
            members.iter().filter(|(name, _)| !META.contains(&name.as_str())).any(|(_, value)| has_expression(value))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_the_configuration_of_their_address() {
        let folder = tempfile::tempdir().unwrap();
        let state = json!({"version": 4, "resources": [
            {"mode": "managed", "type": "acme_a", "name": "x", "instances": [
                {"index_key": "k", "schema_version": 2, "attributes": {"id": "1"}}, {"attributes_flat": {"id": "2"}}]},
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
                (case.address.as_str(), version, case.config.as_ref().map(ToString::to_string))
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("acme_a.x[\"k\"]", Some(2), Some(r#"{"name":"n"}"#.to_owned())),
                ("module.m.acme_a.x", Some(0), None),
                ("acme_a.y", None, Some(r#"{"name":"m"}"#.to_owned())),
            ]
        );
        assert_eq!(cases.provider, json!({"token": "t", "alias": "a"}));
        assert_eq!(cases.left_out.len(), 2, "{:?}", cases.left_out);
        let other = folder.path().join("c.txt").display().to_string();
        assert!(Cases::read(&[other], "acme").unwrap_err().ends_with("nor a folder"));
    }
}
