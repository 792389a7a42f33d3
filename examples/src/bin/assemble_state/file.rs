//! Terraform's state file format 4, as far as it is written here: the fields in Terraform's order.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(crate) struct State {
    pub(crate) version: u64,
    pub(crate) terraform_version: &'static str,
    pub(crate) serial: u64,
    pub(crate) lineage: &'static str,
    pub(crate) outputs: BTreeMap<&'static str, Output>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) check_results: Vec<CheckResult>,
}

#[derive(Serialize)]
pub(crate) struct Output {
    pub(crate) value: Value,
    #[serde(rename = "type")]
    pub(crate) kind: Value,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) sensitive: bool,
}

#[derive(Serialize)]
pub(crate) struct Resource {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) module: Option<&'static str>,
    pub(crate) mode: &'static str,
    #[serde(rename = "type")]
    pub(crate) type_name: &'static str,
    pub(crate) name: &'static str,
    pub(crate) provider: String,
    pub(crate) instances: Vec<Instance>,
}

#[derive(Default, Serialize)]
pub(crate) struct Instance {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index_key: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deposed: Option<&'static str>,
    pub(crate) schema_version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) attributes: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) attributes_flat: Option<BTreeMap<&'static str, &'static str>>,
    pub(crate) sensitive_attributes: Vec<Vec<Step>>,
    pub(crate) identity_schema_version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) identity: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) private: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) dependencies: Vec<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) create_before_destroy: bool,
}

/// One step of the path to a sensitive attribute.
#[derive(Serialize)]
pub(crate) struct Step {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) value: &'static str,
}

#[derive(Serialize)]
pub(crate) struct CheckResult {
    pub(crate) object_kind: &'static str,
    pub(crate) config_addr: &'static str,
    pub(crate) status: &'static str,
    pub(crate) objects: Vec<CheckedObject>,
}

#[derive(Serialize)]
pub(crate) struct CheckedObject {
    pub(crate) object_addr: &'static str,
    pub(crate) status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) failure_messages: Vec<&'static str>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde calls it with"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The text of the file. Go's JSON writer, and so Terraform's, escapes the characters that would be markup in HTML.
pub(crate) fn write(state: &State) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string_pretty(state)?;
    Ok(text
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        + "\n")
}
