//! Definitions of public projects, imported. The test `imported` compiles the models.
//!
//! `UPDATE=1` writes them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use upstate_compat::import::{Definition, custom_resources};

const DEFINITIONS: [&str; 7] = [
    "gateways",
    "gitrepositories",
    "helmreleases",
    "ipaddressclaims",
    "machinedrainrules",
    "machinehealthchecks",
    "referencegrants",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/imported")
}

fn definition(name: &str) -> Value {
    serde_saphyr::from_str(
        &fs::read_to_string(folder().join(format!("definitions/{name}.yaml"))).unwrap(),
    )
    .unwrap()
}

#[test]
fn models_are_those_on_record() {
    let definitions = DEFINITIONS.map(|name| Definition::parse(&definition(name)).unwrap());
    for file in custom_resources(&definitions).files {
        let place = folder().join("models").join(&file.name);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&place, &file.text).unwrap();
        }
        assert_eq!(
            fs::read_to_string(&place).unwrap_or_default(),
            file.text,
            "{}",
            file.name
        );
    }
}
