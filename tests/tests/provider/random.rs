//! The acceptance tests of hashicorp/random 3.9 for its port: those of `random_integer` here, and
//! those of the other types beside it. Tests in Go that do not meet are one configuration here, so
//! that Terraform runs seldom.

mod ephemeral;
mod keepers;
mod letters;
mod made;

use serde_json::{Value, json};
use upstate_provider::testing::{Acceptance, PlannedAction, Step, Terraform};

use super::real::terraform::V1_15;

fn test() -> Acceptance {
    let terraform =
        Terraform::program(env!("CARGO_BIN_EXE_terraform_client")).argument(V1_15.library());
    Acceptance::of(&terraform, random::provider).always()
}

/// A resource of a configuration.
fn resource(type_name: &str, name: &str, attributes: &str) -> String {
    format!("resource \"{type_name}\" \"{name}\" {{\n{attributes}}}\n")
}

/// The attributes of a resource in a state as Terraform shows it.
fn values<'s>(state: &'s Value, address: &str) -> &'s Value {
    let resources = state["values"]["root_module"]["resources"]
        .as_array()
        .unwrap();
    &resources
        .iter()
        .find(|resource| resource["address"] == address)
        .unwrap()["values"]
}

/// A resource of a state file, as the SDK wrote it.
fn stored(type_name: &str, name: &str, version: u64, attributes: &Value) -> Value {
    json!({"mode": "managed", "type": type_name, "name": name, "provider": format!("provider[{:?}]", random::ADDRESS),
        "instances": [{"schema_version": version, "attributes": attributes, "private": "bnVsbA=="}]})
}

fn state_file(resources: &[Value]) -> String {
    let file = json!({"version": 4, "terraform_version": "1.5.0", "serial": 7, "lineage": "8a1f", "outputs": {}, "check_results": null,
        "resources": resources});
    file.to_string()
}

/// An object with these members, too, in place of those that it has of their names.
fn with(mut object: Value, members: &Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        object[name] = value.clone();
    }
    object
}

/// The attributes that a string or a password has had since the first release, of a configuration
/// with nothing but a length.
fn letters_of(type_name: &str, result: &str) -> Value {
    let id = if type_name == "random_password" {
        "none"
    } else {
        result
    };
    json!({"id": id, "result": result, "keepers": null, "length": result.len(), "override_special": null, "lower": true, "number": true,
        "special": true, "upper": true, "min_lower": 0, "min_numeric": 0, "min_special": 0, "min_upper": 0})
}

/// A hash that costs little to compare.
fn hash(password: &str) -> String {
    bcrypt::hash(password, 4).unwrap()
}

const IT: &str = "random_integer.integer_1";

fn integer(seed: &str) -> String {
    resource(
        "random_integer",
        "integer_1",
        &format!("  min = 1\n  max = 3\n{seed}"),
    )
}

/// `TestAccResourceInteger`, `_ImportWithoutKeepersProducesNoPlannedChanges`, `_ChangeSeed`,
/// `_SeedlessToSeeded`, `_SeededToSeedless`, `_Big`.
#[test]
fn an_integer_follows_its_seed() {
    let (seeded, other, seedless) = (
        integer("  seed = \"12345\"\n"),
        integer("  seed = \"123456\"\n"),
        integer(""),
    );
    let big = "resource \"random_integer\" \"integer_1\" {\n  max = 7227701560655103598\n  min = 7227701560655103597\n  seed = 12345\n}\n";
    test()
        .step(Step::apply(&*seeded).has(IT, "result", 3))
        .step(Step::import(IT, "3,1,3,12345"))
        .step(Step::import_block(IT, "3,1,3,12345").plans(IT, PlannedAction::Nothing))
        .step(Step::apply(other).has(IT, "result", 2))
        .step(Step::apply(seedless).has_some(IT, "result"))
        .step(Step::apply(seeded).has(IT, "result", 3))
        .step(Step::apply(big).plans(IT, PlannedAction::Replace))
        .step(Step::import(
            IT,
            "7227701560655103598,7227701560655103597,7227701560655103598,12345",
        ))
        .run();
}
