//! State files of medium instances, as Terraform lays them out.

use std::io::{self, Write};

use super::Document;
use super::medium;
use crate::case::Case;
use upstate::{CurrentModel, Registry};
use upstate_state::{StateFile, UpgradeOptions};

/// The parts of a file that stand before, between and behind its instances.
const BEGIN: &str = "{\n  \"version\": 4,\n  \"terraform_version\": \"1.15.5\",\n  \"serial\": 7,\n  \"lineage\": \"5e1ab6a5-87b4-4b1c-9d54-3a2b4f1c6d7e\",\n  \"outputs\": {},\n  \"resources\": [";
const END: &str = "\n      ]\n    }\n  ],\n  \"check_results\": null\n}\n";

/// Writes a file of so many instances of the medium type, a hundred to a resource, stored at
/// version 0.
pub fn generate(out: &mut dyn Write, instances: usize) -> io::Result<()> {
    write(out, &medium::workload().documents, 0, instances)
}

/// These documents, as that version stores them.
fn write(
    out: &mut dyn Write,
    documents: &[Document],
    version: usize,
    instances: usize,
) -> io::Result<()> {
    let lay_out = |document: &Document| {
        let pretty = serde_json::to_string_pretty(&document.0[version]).expect("a value is JSON");
        pretty.replace('\n', "\n          ")
    };
    let attributes: Vec<String> = documents.iter().map(lay_out).collect();
    out.write_all(BEGIN.as_bytes())?;
    for index in 0..instances {
        let within = index % 100;
        if within == 0 {
            if index > 0 {
                write!(out, "\n      ]\n    }},")?;
            }
            write!(
                out,
                "\n    {{\n      \"mode\": \"managed\",\n      \"type\": \"example_instance\",\n      \"name\": \"fleet_{}\",\n      \"provider\": \"provider[\\\"registry.terraform.io/example/example\\\"]\",\n      \"instances\": [",
                index / 100
            )?;
        } else {
            write!(out, ",")?;
        }
        write!(
            out,
            "\n        {{\n          \"index_key\": {within},\n          \"schema_version\": {version},\n          \"attributes\": {},\n          \"sensitive_attributes\": [],\n          \"private\": \"eyJzY2hlbWFfdmVyc2lvbiI6IjAifQ==\",\n          \"dependencies\": [\n            \"example_network.main\",\n            \"data.example_image.base\"\n          ]\n        }}",
            attributes[index % attributes.len()]
        )?;
    }
    out.write_all(END.as_bytes())
}

/// Upgrades of a file of as many instances as there are documents to the model `T`, on one thread;
/// and the file that should come of it.
fn case<T: CurrentModel>(name: &'static str) -> (Case, serde_json::Value) {
    let documents = medium::workload().documents;
    let file = |version| {
        let mut file = Vec::new();
        write(&mut file, &documents, version, documents.len()).expect("a buffer can be written");
        file
    };
    let mut expected: serde_json::Value =
        serde_json::from_slice(&file(2)).expect("the file is JSON");
    expected["serial"] = 8.into();
    let registry = std::rc::Rc::new(Registry::new().with::<T>());
    let upgrade = move |file: &[u8]| {
        let state = StateFile::parse_to_upgrade(file).expect("it is a state file");
        let options = UpgradeOptions::new().threads(std::num::NonZeroUsize::MIN);
        let mut out = Vec::with_capacity(file.len());
        let totals = state
            .upgrade_to(&registry, &options, &mut out, |_| Ok(()))
            .expect("the upgrade is written");
        assert!(totals.may_be_written());
        out
    };
    (Case::json(name, vec![file(0)], upgrade), expected)
}

/// Upgrades of a whole file: through functions, and through operators.
///
/// # Panics
/// If an answer is wrong.
pub fn cases() -> [Case; 2] {
    [
        case::<medium::Instance>("functions"),
        case::<medium::Declarative>("operators"),
    ]
    .map(|(case, expected)| {
        case.check("state file", &[expected]);
        case
    })
}

/// How many instances the file of [`cases`] has.
pub fn instances() -> usize {
    medium::workload().documents.len()
}
