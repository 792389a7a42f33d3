//! Strings and passwords: the states of earlier releases, and what is refused.

use serde_json::{Value, json};
use upstate_provider::testing::{Known, PlannedAction, Step};

use super::{hash, letters_of, resource, state_file, stored, test, with};

/// A resource that an earlier release stored.
struct Old {
    type_name: &'static str,
    name: String,
    version: u64,
    stored: Value,
    /// Its configuration today.
    attributes: &'static str,
    planned: PlannedAction,
    /// What it has then.
    expected: Vec<(&'static str, Known)>,
}

const RESULT: &str = "Z=:cbrJE?Ltg";
const LENGTH: &str = "  length = 12\n";
const TYPES: [&str; 2] = ["random_string", "random_password"];

/// The attributes that releases with a schema version stored: `bcrypt_hash` and `numeric` came
/// later than the others.
fn of_version(type_name: &str, version: u64, result: &str) -> Value {
    let mut stored = letters_of(type_name, result);
    let (hashes_from, numeric_from) = if type_name == "random_password" {
        (1, 2)
    } else {
        (u64::MAX, 2)
    };
    if version >= hashes_from {
        stored["bcrypt_hash"] = hash(result).into();
    }
    if version >= numeric_from {
        stored["numeric"] = true.into();
    }
    stored
}

/// The attributes of a configuration with nothing but a length.
fn usual() -> Vec<(&'static str, Known)> {
    let bools =
        ["lower", "number", "numeric", "special", "upper"].map(|name| (name, Known::from(true)));
    let numbers =
        ["min_lower", "min_numeric", "min_special", "min_upper"].map(|name| (name, Known::from(0)));
    bools
        .into_iter()
        .chain(numbers)
        .chain([("result", RESULT.into()), ("length", 12.into())])
        .collect()
}

/// `TestAccResourcePassword_StateUpgradeV0toV3`, `…_StateUpgradeV1toV3`,
/// `TestAccResourceString_StateUpgradeV1toV2`: `number` as it is stored, which is also true where
/// the configuration had none, and `numeric` in the configuration of today.
fn numbers(all: &mut Vec<Old>) {
    for (type_name, version) in [
        ("random_password", 0),
        ("random_password", 1),
        ("random_string", 1),
    ] {
        for number in [true, false] {
            for (attributes, numeric) in [
                (LENGTH, true),
                ("  length = 12\n  numeric = true\n", true),
                ("  length = 12\n  numeric = false\n", false),
            ] {
                let mut expected = vec![
                    ("number", Known::from(numeric)),
                    ("numeric", numeric.into()),
                ];
                if type_name == "random_password" {
                    expected.push(("bcrypt_hash", Known::set()));
                }
                all.push(Old {
                    type_name,
                    name: format!("number_{version}_{}", all.len()),
                    version,
                    stored: with(
                        of_version(type_name, version, RESULT),
                        &json!({"number": number}),
                    ),
                    attributes,
                    planned: if number == numeric {
                        PlannedAction::Nothing
                    } else {
                        PlannedAction::Replace
                    },
                    expected,
                });
            }
        }
    }
}

/// `TestAccResourcePassword_UpgradeFromVersion2_2_1`, `…3_2_0`, `…3_3_2`, and those of strings.
fn mixed(all: &mut Vec<Old>) {
    const MIXED: &str = "aB3!cD4#E567";
    let attributes = "  length = 12\n  override_special = \"!#@\"\n  min_lower = 2\n  min_upper = 3\n  min_special = 1\n  min_numeric = 4\n";
    let least = json!({"override_special": "!#@", "min_lower": 2, "min_upper": 3, "min_special": 1, "min_numeric": 4});
    for (type_name, versions) in [("random_password", 0..=2), ("random_string", 1..=2)] {
        for version in versions {
            let bools = ["lower", "number", "numeric", "special", "upper"]
                .map(|name| (name, Known::from(true)));
            let numbers = [
                ("min_lower", 2),
                ("min_upper", 3),
                ("min_special", 1),
                ("min_numeric", 4),
            ];
            let numbers = numbers.map(|(name, least)| (name, Known::from(least)));
            let hash = (type_name == "random_password").then(|| ("bcrypt_hash", Known::set()));
            all.push(Old {
                type_name,
                name: format!("min_{version}"),
                version,
                stored: with(of_version(type_name, version, MIXED), &least),
                attributes,
                planned: PlannedAction::Nothing,
                expected: bools
                    .into_iter()
                    .chain(numbers)
                    .chain(hash)
                    .chain([("result", MIXED.into())])
                    .collect(),
            });
        }
    }
}

/// `TestAccResourcePassword_Import_FromVersion3_1_3`, `…3_2_0`, `…3_4_2`, and those of strings: the
/// first imports left null what an id does not show.
fn imports(all: &mut Vec<Old>) {
    let nulls = json!({"length": null, "lower": null, "number": null, "special": null, "upper": null,
        "min_lower": null, "min_numeric": null, "min_special": null, "min_upper": null});
    for (type_name, version) in [
        ("random_password", 0),
        ("random_password", 1),
        ("random_string", 1),
    ] {
        all.push(Old {
            type_name,
            name: format!("import_{version}"),
            version,
            stored: with(of_version(type_name, version, RESULT), &nulls),
            attributes: LENGTH,
            planned: PlannedAction::Nothing,
            expected: usual(),
        });
    }
    for type_name in TYPES {
        let mut expected = usual();
        expected.push(("override_special", Known::null()));
        all.push(Old {
            type_name,
            name: "import_3_4_2".to_owned(),
            version: 2,
            stored: with(
                of_version(type_name, 2, RESULT),
                &json!({"keepers": {}, "override_special": ""}),
            ),
            attributes: LENGTH,
            planned: PlannedAction::Update,
            expected,
        });
    }
}

/// `TestAccResourcePassword_OverrideSpecial_FromVersion3_3_2`, `…3_4_2`, and those of strings: the
/// one stored null, and the other an empty string.
fn overrides(all: &mut Vec<Old>) {
    for type_name in TYPES {
        for (release, special, planned) in [
            ("3_3_2", Value::Null, PlannedAction::Nothing),
            ("3_4_2", json!(""), PlannedAction::Update),
        ] {
            all.push(Old {
                type_name,
                name: format!("override_{release}"),
                version: 2,
                stored: with(
                    of_version(type_name, 2, RESULT),
                    &json!({"override_special": special}),
                ),
                attributes: LENGTH,
                planned,
                expected: vec![
                    ("override_special", Known::null()),
                    ("result", RESULT.into()),
                ],
            });
        }
    }
}

/// `TestAccResourcePassword_BcryptHash_FromVersion3_3_2`, `…3_4_2`: the one stored the password's
/// hash, and the other that of another password.
fn hashes(all: &mut Vec<Old>) {
    let fits = |hash: &Value| match bcrypt::verify(RESULT, hash.as_str().unwrap_or_default()) {
        Ok(true) => Ok(()),
        Ok(false) => Err("it is the hash of another password".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let right = hash(RESULT);
    for (release, stored, expected) in [
        ("3_3_2", right.clone(), Known::from(right)),
        ("3_4_2", hash("sesame"), Known::judged_by(fits)),
    ] {
        all.push(Old {
            type_name: "random_password",
            name: format!("hash_{release}"),
            version: 2,
            stored: with(
                of_version("random_password", 2, RESULT),
                &json!({"bcrypt_hash": stored}),
            ),
            attributes: LENGTH,
            planned: PlannedAction::Nothing,
            expected: vec![("bcrypt_hash", expected)],
        });
    }
}

#[test]
fn states_of_earlier_releases_go_on() {
    let mut all = Vec::new();
    for add in [numbers, mixed, imports, overrides, hashes] {
        add(&mut all);
    }
    let resources: Vec<Value> = all
        .iter()
        .map(|old| stored(old.type_name, &old.name, old.version, &old.stored))
        .collect();
    let config: String = all
        .iter()
        .map(|old| resource(old.type_name, &old.name, old.attributes))
        .collect();
    let mut step = Step::apply(config);
    for old in all {
        let address = format!("{}.{}", old.type_name, old.name);
        step = step.plans(&*address, old.planned);
        for (attribute, known) in old.expected {
            step = step.has(&*address, attribute, known);
        }
    }
    test().from_state(state_file(&resources)).step(step).run();
}

/// `TestAccResourceString_LengthErrors`, `…_NumericFalse`, `…_NumberFalse`, `…_NumericNumberFalse`,
/// those of passwords, and `TestAccResourcePassword_NumberNumericErrors`.
#[test]
fn what_no_letters_could_be_is_refused() {
    let none = |more: &str| {
        format!("  length = 12\n  special = false\n  upper = false\n  lower = false\n{more}")
    };
    let one_of =
        |last: &str| format!("At least one of upper, lower, special and {last} must be true.");
    let mut cases = vec![
        (
            "random_string",
            "  length = 2\n  min_lower = 3\n".to_owned(),
            "2 is less than the letters that must come".to_owned(),
        ),
        (
            "random_string",
            "  length = 0\n".to_owned(),
            "length must be at least 1".to_owned(),
        ),
        (
            "random_password",
            "  length = 1\n  number = false\n  numeric = true\n".to_owned(),
            "number and numeric have different values.".to_owned(),
        ),
    ];
    for type_name in TYPES {
        cases.push((type_name, none("  numeric = false\n"), one_of("numeric")));
        cases.push((type_name, none("  number = false\n"), one_of("number")));
        cases.push((
            type_name,
            none("  numeric = false\n  number = false\n"),
            one_of("numeric"),
        ));
    }
    let refused = |(type_name, attributes, text): (&str, String, String)| {
        Step::refused(resource(type_name, "test", &attributes), text)
    };
    cases
        .into_iter()
        .map(refused)
        .fold(test(), upstate_provider::testing::Acceptance::step)
        .run();
}
