//! The acceptance tests of `random_integer` in hashicorp/random 3.9, all of them, for its port.

use serde_json::{Value, json};
use upstate_provider::testing::{Acceptance, Comparison, Known, PlannedAction, Step, Terraform};

use super::real::terraform::V1_15;

fn test() -> Acceptance {
    let terraform = Terraform::program(env!("CARGO_BIN_EXE_terraform_client")).argument(V1_15.library());
    Acceptance::of(&terraform, random::provider).always()
}

const IT: &str = "random_integer.integer_1";

fn integer(seed: &str) -> String {
    format!("resource \"random_integer\" \"integer_1\" {{\n  min = 1\n  max = 3\n{seed}}}\n")
}

/// `TestAccResourceInteger`, `_ImportWithoutKeepersProducesNoPlannedChanges`, `_ChangeSeed`, `_SeedlessToSeeded`, `_SeededToSeedless`, `_Big`.
#[test]
fn an_integer_follows_its_seed() {
    let (seeded, other, seedless) = (integer("  seed = \"12345\"\n"), integer("  seed = \"123456\"\n"), integer(""));
    let big = "resource \"random_integer\" \"integer_1\" {\n  max = 7227701560655103598\n  min = 7227701560655103597\n  seed = 12345\n}\n";
    test()
        .step(Step::apply(&*seeded).has(IT, "result", 3))
        .step(Step::import(IT, "3,1,3,12345"))
        .step(Step::import_block(IT, "3,1,3,12345").plans(IT, PlannedAction::Nothing))
        .step(Step::apply(other).has(IT, "result", 2))
        .step(Step::apply(seedless).has_some(IT, "result"))
        .step(Step::apply(seeded).has(IT, "result", 3))
        .step(Step::apply(big).plans(IT, PlannedAction::Replace))
        .step(Step::import(IT, "7227701560655103598,7227701560655103597,7227701560655103598,12345"))
        .run();
}

/// A test of keepers: its name in Go, the keepers of its two steps as HCL, and how many there are then.
type Kept = (&'static str, &'static str, &'static str, [Option<usize>; 2]);

const NULL: &str = "{ key = null }";
const NULLS: &str = "{ key1 = null, key2 = null }";
const ONE: &str = "{ key = \"123\" }";
const TWO: &str = "{ key1 = \"123\", key2 = \"456\" }";
const HALF: &str = "{ key1 = \"123\", key2 = null }";

/// `TestAccResourceInteger_Keepers_Keep_…`.
const KEEP: [Kept; 8] = [
    ("EmptyMap", "{}", "{}", [Some(0), Some(0)]),
    ("EmptyMapToNullValue", "{}", NULL, [Some(0), Some(1)]),
    ("NullMap", "null", "null", [None, None]),
    ("NullMapToNullValue", "null", NULL, [None, Some(1)]),
    ("NullValue", NULL, NULL, [Some(1), Some(1)]),
    ("NullValues", NULLS, NULLS, [Some(2), Some(2)]),
    ("Value", ONE, ONE, [Some(1), Some(1)]),
    ("Values", TWO, TWO, [Some(2), Some(2)]),
];

/// `TestAccResourceInteger_Keepers_Replace_…`.
const REPLACE: [Kept; 7] = [
    ("EmptyMapToValue", "{}", ONE, [Some(0), Some(1)]),
    ("NullMapToValue", "null", ONE, [None, Some(1)]),
    ("NullValueToValue", NULL, ONE, [Some(1), Some(1)]),
    ("ValueToEmptyMap", ONE, "{}", [Some(1), Some(0)]),
    ("ValueToNullMap", ONE, "null", [Some(1), None]),
    ("ValueToNullValue", ONE, NULL, [Some(1), Some(1)]),
    ("ValueToNewValue", ONE, "{ key = \"456\" }", [Some(1), Some(1)]),
];

/// `TestAccResourceInteger_Keepers_FrameworkMigration_…`: the first step is one of release 3.3.2, which the SDK served. It stored no nulls.
const MIGRATE: [(Kept, bool); 6] = [
    (("NullMapToNullValue", NULL, NULL, [None, Some(1)]), true),
    (("NullMapToValue", NULL, ONE, [None, Some(1)]), false),
    (("NullMapToMultipleNullValue", NULLS, NULLS, [None, Some(2)]), true),
    (("NullMapToMultipleValue", NULLS, TWO, [None, Some(2)]), false),
    (("NullMapValue", HALF, HALF, [Some(1), Some(2)]), true),
    (("NullMapValueToValue", HALF, TWO, [Some(1), Some(2)]), false),
];

fn resource(name: &str, keepers: &str) -> String {
    format!("resource \"random_integer\" \"{name}\" {{\n  min = 1\n  max = 100000000\n  keepers = {keepers}\n}}\n")
}

fn size(of: Option<usize>) -> Known {
    of.map_or_else(Known::null, Known::of_size)
}

/// All tests are resources of one configuration, so that Terraform runs for two steps and not for thirty.
#[test]
fn keepers_replace_what_they_are_kept_for() {
    let cases: Vec<(Kept, bool)> = KEEP.map(|case| (case, true)).into_iter().chain(REPLACE.map(|case| (case, false))).collect();
    let comparisons = cases.iter().map(|&(_, kept)| if kept { Comparison::same() } else { Comparison::different() });
    let comparisons: Vec<Comparison> = comparisons.collect();
    let name = |case: &Kept, kept: bool| format!("{}_{}", if kept { "Keep" } else { "Replace" }, case.0);
    let step = |at: usize| {
        let config = cases
            .iter()
            .map(|(case, kept)| resource(&name(case, *kept), if at == 0 { case.1 } else { case.2 }))
            .collect::<String>();
        cases.iter().zip(&comparisons).fold(Step::apply(config), |step, ((case, kept), comparison)| {
            let address = format!("random_integer.{}", name(case, *kept));
            step.compares(&*address, "id", comparison).has(address, "keepers", size(case.3[at]))
        })
    };
    test().step(step(0)).step(step(1)).run();
}

/// Also `TestAccResourceInteger_UpgradeFromVersion3_3_2`.
#[test]
fn a_state_of_the_sdk_goes_on() {
    let instance = |name: &str, attributes: Value| {
        json!({"mode": "managed", "type": "random_integer", "name": name, "provider": format!("provider[{:?}]", random::ADDRESS),
            "instances": [{"schema_version": 0, "attributes": attributes, "private": "bnVsbA=="}]})
    };
    let stored = |case: &Kept| {
        let keepers = case.3[0].map(|_| json!({"key1": "123"}));
        instance(case.0, json!({"id": "7", "result": 7, "min": 1, "max": 100_000_000, "seed": null, "keepers": keepers}))
    };
    let mut resources: Vec<Value> = MIGRATE.iter().map(|(case, _)| stored(case)).collect();
    resources.push(instance("integer_1", json!({"id": "3", "result": 3, "min": 1, "max": 3, "seed": "12345", "keepers": null})));
    let state = json!({"version": 4, "terraform_version": "1.5.0", "serial": 7, "lineage": "8a1f", "outputs": {}, "check_results": null,
        "resources": resources});
    let seeded = integer("  seed = \"12345\"\n");
    let config = MIGRATE.iter().map(|(case, _)| resource(case.0, case.2)).collect::<String>() + &seeded;
    let apply = Step::apply(config).plans(IT, PlannedAction::Nothing).has(IT, "result", 3);
    let step = MIGRATE.iter().fold(apply, |step, (case, kept)| {
        let address = format!("random_integer.{}", case.0);
        let id = if *kept {
            Known::from("7")
        } else {
            Known::judged_by(|id| if id == "7" { Err("it is kept".into()) } else { Ok(()) })
        };
        step.has(&*address, "id", id).has(address, "keepers", size(case.3[1]))
    });
    test().from_state(state.to_string()).step(step).run();
}
