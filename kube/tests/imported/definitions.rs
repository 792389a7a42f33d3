//! The definitions on record, for the test that imports them and the one that compiles the models.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

pub(crate) const DEFINITIONS: [&str; 7] = [
    "gateways",
    "gitrepositories",
    "helmreleases",
    "ipaddressclaims",
    "machinedrainrules",
    "machinehealthchecks",
    "referencegrants",
];

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/imported")
}

pub(crate) fn definition(name: &str) -> Value {
    serde_saphyr::from_str(
        &fs::read_to_string(folder().join(format!("definitions/{name}.yaml"))).unwrap(),
    )
    .unwrap()
}
