//! The keepers of all types: what a change of them replaces.

use serde_json::{Value, json};
use upstate_provider::testing::{Comparison, Known, PlannedAction, Step};

use super::{IT, hash, integer, letters_of, state_file, stored, test, with};

/// A type as the tests of keepers in Go have it.
struct Type {
    name: &'static str,
    /// The rest of the configuration.
    rest: &'static str,
    /// The attribute that is another where the resource was replaced.
    compared: &'static str,
}

static TYPES: [Type; 10] = [
    Type {
        name: "random_bytes",
        rest: "  length = 12\n",
        compared: "hex",
    },
    Type {
        name: "random_id",
        rest: "  byte_length = 4\n",
        compared: "id",
    },
    Type {
        name: "random_integer",
        rest: "  min = 1\n  max = 100000000\n",
        compared: "id",
    },
    Type {
        name: "random_password",
        rest: "  length = 12\n",
        compared: "result",
    },
    Type {
        name: "random_pet",
        rest: "",
        compared: "id",
    },
    Type {
        name: "random_shuffle",
        rest: "  input = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\", \"j\", \"k\"]\n",
        compared: "result",
    },
    Type {
        name: "random_string",
        rest: "  length = 12\n",
        compared: "id",
    },
    Type {
        name: "random_uuid",
        rest: "",
        compared: "id",
    },
    Type {
        name: "random_uuid4",
        rest: "",
        compared: "id",
    },
    Type {
        name: "random_uuid7",
        rest: "",
        compared: "id",
    },
];

/// A test of keepers: its name in Go, the keepers of its two steps as HCL, and how many there are
/// then.
type Kept = (&'static str, [&'static str; 2], [Option<usize>; 2]);

const NULL: &str = "{ key = null }";
const NULLS: &str = "{ key1 = null, key2 = null }";
const ONE: &str = "{ key = \"123\" }";
const TWO: &str = "{ key1 = \"123\", key2 = \"456\" }";
const HALF: &str = "{ key1 = \"123\", key2 = null }";

/// `TestAccResource…_Keepers_Keep_…`.
static KEEP: [Kept; 8] = [
    ("EmptyMap", ["{}", "{}"], [Some(0), Some(0)]),
    ("EmptyMapToNullValue", ["{}", NULL], [Some(0), Some(1)]),
    ("NullMap", ["null", "null"], [None, None]),
    ("NullMapToNullValue", ["null", NULL], [None, Some(1)]),
    ("NullValue", [NULL, NULL], [Some(1), Some(1)]),
    ("NullValues", [NULLS, NULLS], [Some(2), Some(2)]),
    ("Value", [ONE, ONE], [Some(1), Some(1)]),
    ("Values", [TWO, TWO], [Some(2), Some(2)]),
];

/// `TestAccResource…_Keepers_Replace_…`.
static REPLACE: [Kept; 7] = [
    ("EmptyMapToValue", ["{}", ONE], [Some(0), Some(1)]),
    ("NullMapToValue", ["null", ONE], [None, Some(1)]),
    ("NullValueToValue", [NULL, ONE], [Some(1), Some(1)]),
    ("ValueToEmptyMap", [ONE, "{}"], [Some(1), Some(0)]),
    ("ValueToNullMap", [ONE, "null"], [Some(1), None]),
    ("ValueToNullValue", [ONE, NULL], [Some(1), Some(1)]),
    (
        "ValueToNewValue",
        [ONE, "{ key = \"456\" }"],
        [Some(1), Some(1)],
    ),
];

/// `TestAccResource…_Keepers_FrameworkMigration_…`, and whether the value is kept: the first step
/// is one of release 3.3.2, which the SDK served. It stored no nulls.
static MIGRATE: [(Kept, bool); 6] = [
    (("NullMapToNullValue", [NULL, NULL], [None, Some(1)]), true),
    (("NullMapToValue", [NULL, ONE], [None, Some(1)]), false),
    (
        (
            "NullMapToMultipleNullValue",
            [NULLS, NULLS],
            [None, Some(2)],
        ),
        true,
    ),
    (
        ("NullMapToMultipleValue", [NULLS, TWO], [None, Some(2)]),
        false,
    ),
    (("NullMapValue", [HALF, HALF], [Some(1), Some(2)]), true),
    (
        ("NullMapValueToValue", [HALF, TWO], [Some(1), Some(2)]),
        false,
    ),
];

fn resource(of: &Type, name: &str, keepers: &str) -> String {
    super::resource(
        of.name,
        name,
        &format!("{}  keepers = {keepers}\n", of.rest),
    )
}

fn size(of: Option<usize>) -> Known {
    of.map_or_else(Known::null, Known::of_size)
}

/// All tests of all types are resources of one configuration, so that Terraform runs for two steps
/// and not for three hundred.
#[test]
fn keepers_replace_what_they_are_kept_for() {
    let mut cases = Vec::new();
    for of in &TYPES {
        let keep = KEEP
            .iter()
            .map(|case| (format!("Keep_{}", case.0), case, true));
        let replace = REPLACE
            .iter()
            .map(|case| (format!("Replace_{}", case.0), case, false));
        for (name, case, kept) in keep.chain(replace) {
            // The SDK never served `random_bytes`, so that a null is a keeper as any other is, and
            // Go has no such tests of it.
            if of.name == "random_bytes" && case.0.ends_with("MapToNullValue") {
                continue;
            }
            let comparison = if kept {
                Comparison::same()
            } else {
                Comparison::different()
            };
            cases.push((of, name, case, comparison));
        }
    }
    let step = |at: usize| {
        let config: String = cases
            .iter()
            .map(|(of, name, case, _)| resource(of, name, case.1[at]))
            .collect();
        cases
            .iter()
            .fold(Step::apply(config), |step, (of, name, case, comparison)| {
                let address = format!("{}.{name}", of.name);
                step.compares(&*address, of.compared, comparison).has(
                    address,
                    "keepers",
                    size(case.2[at]),
                )
            })
    };
    test().step(step(0)).step(step(1)).run();
}

/// The schema version of a type in release 3.3.2, and what that stored of it beside the keepers. It
/// had no bytes, and one kind of UUID.
fn of_the_sdk(type_name: &str) -> Option<(u64, Value)> {
    Some(match type_name {
        "random_id" => {
            let forms = json!({"b64_url": "p-9hUg", "b64_std": "p+9hUg==", "hex": "a7ef6152", "dec": "2817483090"});
            (
                0,
                with(
                    json!({"id": "p-9hUg", "byte_length": 4, "prefix": null}),
                    &forms,
                ),
            )
        }
        "random_integer" => (
            0,
            json!({"id": "7", "result": 7, "min": 1, "max": 100_000_000, "seed": null}),
        ),
        "random_password" => {
            let result = "Z=:cbrJE?Ltg";
            (
                2,
                with(
                    letters_of(type_name, result),
                    &json!({"numeric": true, "bcrypt_hash": hash(result)}),
                ),
            )
        }
        "random_pet" => (
            0,
            json!({"id": "loving-heron", "length": 2, "prefix": null, "separator": "-"}),
        ),
        "random_shuffle" => {
            let result = ["k", "j", "i", "h", "g", "f", "e", "d", "c", "b", "a"];
            let input = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
            (
                0,
                json!({"id": "-", "input": input, "result": result, "result_count": null, "seed": null}),
            )
        }
        "random_string" => (
            2,
            with(
                letters_of(type_name, "Z=:cbrJE?Ltg"),
                &json!({"numeric": true}),
            ),
        ),
        "random_uuid" => {
            let uuid = "6b0f8e7c-3ea6-4523-88a2-5a70419ee954";
            (0, json!({"id": uuid, "result": uuid}))
        }
        _ => return None,
    })
}

/// Also `TestAccResource…_UpgradeFromVersion3_3_2` of all types but strings and passwords.
#[test]
fn a_state_of_the_sdk_goes_on() {
    let seeded = integer("  seed = \"12345\"\n");
    let upgraded = [
        (
            "random_id",
            "bar",
            "  byte_length = 4\n  prefix = \"cloud-\"\n",
        ),
        ("random_pet", "pet_1", "  prefix = \"consul\"\n"),
        (
            "random_shuffle",
            "default_length",
            "  input = [\"a\", \"b\", \"c\", \"d\", \"e\"]\n  seed = \"-\"\n",
        ),
        ("random_uuid", "basic", ""),
    ];
    let forms = json!({"b64_url": "cloud-p-9hUg", "b64_std": "cloud-p+9hUg==", "hex": "cloud-a7ef6152", "dec": "cloud-2817483090"});
    let changed = [
        with(forms, &json!({"prefix": "cloud-"})),
        json!({"id": "consul-loving-heron", "prefix": "consul"}),
        json!({"input": ["a", "b", "c", "d", "e"], "result": ["a", "c", "b", "e", "d"], "seed": "-"}),
        json!({}),
    ];
    let mut resources = vec![stored(
        "random_integer",
        "integer_1",
        0,
        &json!({"id": "3", "result": 3, "min": 1, "max": 3, "seed": "12345", "keepers": null}),
    )];
    let (mut config, mut checks) = (seeded, Vec::new());
    for ((type_name, name, attributes), changed) in upgraded.into_iter().zip(&changed) {
        let (version, usual) = of_the_sdk(type_name).unwrap();
        let kept = with(with(usual, changed), &json!({"keepers": null}));
        resources.push(stored(type_name, name, version, &kept));
        config += &super::resource(type_name, name, attributes);
        checks.push((format!("{type_name}.{name}"), kept));
    }
    let mut migrated = Vec::new();
    for of in &TYPES {
        let Some((version, attributes)) = of_the_sdk(of.name) else {
            continue;
        };
        for (case, kept) in &MIGRATE {
            let keepers = case.2[0].map(|_| json!({"key1": "123"}));
            resources.push(stored(
                of.name,
                case.0,
                version,
                &with(attributes.clone(), &json!({"keepers": keepers})),
            ));
            config += &resource(of, case.0, case.1[1]);
            let before = attributes[of.compared].clone();
            let value = if *kept {
                Known::from(before)
            } else {
                Known::judged_by(move |value| {
                    if *value == before {
                        Err("it is kept".to_owned())
                    } else {
                        Ok(())
                    }
                })
            };
            migrated.push((
                format!("{}.{}", of.name, case.0),
                of.compared,
                value,
                size(case.2[1]),
            ));
        }
    }
    let mut step = Step::apply(config)
        .plans(IT, PlannedAction::Nothing)
        .has(IT, "result", 3);
    for (address, attributes) in checks {
        step = step.plans(&*address, PlannedAction::Nothing);
        for (name, value) in attributes.as_object().unwrap() {
            step = step.has(&*address, name, value.clone());
        }
    }
    for (address, compared, value, keepers) in migrated {
        step = step
            .has(&*address, compared, value)
            .has(address, "keepers", keepers);
    }
    test().from_state(state_file(&resources)).step(step).run();
}
