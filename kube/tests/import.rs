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

#[path = "imported/definitions.rs"]
mod definitions;

use std::fs;

use upstate_compat::import::{Definition, custom_resources};

use definitions::{DEFINITIONS, definition, folder};

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
