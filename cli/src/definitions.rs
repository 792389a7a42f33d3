//! Files with definitions of custom resources, as `kubectl get crd` and `crd` print them.

use serde_json::Value;

/// The contents of a file.
pub(crate) enum Contents {
    Definitions(Vec<Value>),
    /// The output of `terraform providers schema -json`.
    ProviderSchemas,
    Others,
}

/// Reads a file, which may have several documents or lists of definitions.
pub(crate) fn read(path: &str, text: &str) -> Result<Contents, String> {
    let json = serde_json::Deserializer::from_str(text)
        .into_iter::<Value>()
        .collect::<Result<Vec<Value>, _>>();
    let documents = match json {
        Ok(values) => values,
        Err(error) if text.trim_start().starts_with('{') => {
            return Err(format!("{path} is not JSON: {error}"));
        }
        Err(_) => yaml(path, text)?,
    };
    if documents
        .iter()
        .any(|document| document.get("provider_schemas").is_some())
    {
        return Ok(Contents::ProviderSchemas);
    }
    let mut found = Vec::new();
    for document in documents {
        match document.get("kind").and_then(Value::as_str) {
            Some("CustomResourceDefinition") => found.push(document),
            Some("List" | "CustomResourceDefinitionList") => {
                let items = document
                    .get("items")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten();
                found.extend(
                    items
                        .filter(|item| item.pointer("/spec/names").is_some())
                        .cloned(),
                );
            }
            Some(_) | None => {}
        }
    }
    Ok(if found.is_empty() {
        Contents::Others
    } else {
        Contents::Definitions(found)
    })
}

/// True if a definition has one of these kinds or names, or if there are none.
pub(crate) fn is_wanted(definition: &Value, types: &[String]) -> bool {
    let text = |pointer: &str| {
        definition
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    types.is_empty()
        || types
            .iter()
            .any(|wanted| *wanted == text("/spec/names/kind") || *wanted == text("/metadata/name"))
}

#[cfg(feature = "yaml")]
fn yaml(path: &str, text: &str) -> Result<Vec<Value>, String> {
    serde_saphyr::from_multiple(text)
        .map_err(|error| format!("{path} is neither JSON nor YAML: {error}"))
}

#[cfg(not(feature = "yaml"))]
fn yaml(path: &str, _: &str) -> Result<Vec<Value>, String> {
    Err(format!(
        "{path} is not JSON, and this program does not read YAML: `kubectl get crd NAME -o json` prints JSON; its author can build `upstate-cli` with the feature `yaml`"
    ))
}
