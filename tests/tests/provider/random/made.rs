//! The values of all types as they are made, and their imports.

use serde_json::{Value, json};
use upstate_provider::testing::{Comparison, Known, PlannedAction, Step};

use super::{resource, test, values};

/// A resource of a test in Go: its type, its name, its configuration, and what its attributes
/// match.
type Made = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const UUID: &str = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
const OVERRIDE: &str = "  length = 4\n  override_special = \"!\"\n  lower = false\n  upper = false\n  numeric = false\n";
const MIN: &str = "  length = 12\n  override_special = \"!#@\"\n  min_lower = 2\n  min_upper = 3\n  min_special = 1\n  min_numeric = 4\n";
const OF_MIN: &[(&str, &str)] = &[
    ("result", "^.{12}$"),
    ("result", "([a-z].*){2,}"),
    ("result", "([A-Z].*){3,}"),
    ("result", "([0-9].*){4,}"),
    ("result", "[!#@]"),
];

/// `TestAccResourceBytes`, `…ID`, `…ID_ImportWithPrefix`, `…Pet`, `…Pet_Length`, `…_Prefix`,
/// `…_Separator`, `…String_Import`, `…_Override`, `…_Min`, the same of `…Password`,
/// `…Password_OverrideSpecialUTF8`, `…UUID`, `…UUIDV4` and `…UUIDV7`.
static MADE: [Made; 17] = [
    (
        "random_bytes",
        "basic",
        "  length = 32\n",
        &[
            ("base64", "^[A-Za-z0-9/+]{43}=$"),
            ("hex", "^[a-f0-9]{64}$"),
            ("length", "^32$"),
        ],
    ),
    (
        "random_id",
        "foo",
        "  byte_length = 4\n",
        &[
            ("b64_url", "^.{6}$"),
            ("b64_std", "^.{8}$"),
            ("hex", "^.{8}$"),
            ("dec", "^.+$"),
        ],
    ),
    (
        "random_id",
        "bar",
        "  byte_length = 4\n  prefix = \"cloud-\"\n",
        &[
            ("b64_url", "^.{12}$"),
            ("b64_std", "^.{14}$"),
            ("hex", "^.{14}$"),
            ("dec", "^.+$"),
        ],
    ),
    ("random_pet", "pet_1", "", &[("id", "^[a-z]+-[a-z]+$")]),
    (
        "random_pet",
        "length",
        "  length = 4\n",
        &[("id", "^[a-z]+-[a-z]+-[a-z]+-[a-z]+$")],
    ),
    (
        "random_pet",
        "prefix",
        "  prefix = \"consul\"\n",
        &[("id", "^consul-[a-z]+-[a-z]+$")],
    ),
    (
        "random_pet",
        "separator",
        "  length = 3\n  separator = \"_\"\n",
        &[("id", "^[a-z]+_[a-z]+_[a-z]+$")],
    ),
    (
        "random_string",
        "basic",
        "  length = 12\n",
        &[("result", "^.{12}$")],
    ),
    (
        "random_string",
        "override",
        OVERRIDE,
        &[("result", "^!!!!$")],
    ),
    ("random_string", "min", MIN, OF_MIN),
    (
        "random_password",
        "basic",
        "  length = 12\n",
        &[("result", "^.{12}$")],
    ),
    (
        "random_password",
        "override",
        OVERRIDE,
        &[("result", "^!!!!$")],
    ),
    (
        "random_password",
        "utf8",
        "  length = 10\n  override_special = \"°\"\n  lower = false\n  upper = false\n  numeric = false\n",
        &[("result", "^°°°°°°°°°°$")],
    ),
    ("random_password", "min", MIN, OF_MIN),
    ("random_uuid", "basic", "", &[("result", UUID)]),
    ("random_uuid4", "basic", "", &[("result", UUID)]),
    ("random_uuid7", "basic", "", &[("result", UUID)]),
];

/// A test of `random_shuffle` in Go: its name, its input as HCL, `result_count`, and the result.
type Shuffled = (
    &'static str,
    &'static str,
    Option<usize>,
    &'static [&'static str],
);

const FIVE: &str = "[\"a\", \"b\", \"c\", \"d\", \"e\"]";

/// `TestAccResourceShuffle`, `…_ResultCount_Zero`, `…_Shorter`, `…_Longer`, `…_Input_Empty`,
/// `…_Input_One`.
static SHUFFLED: [Shuffled; 6] = [
    ("default_length", FIVE, None, &["a", "c", "b", "e", "d"]),
    ("zero", FIVE, Some(0), &[]),
    ("shorter_length", FIVE, Some(3), &["a", "c", "b"]),
    (
        "longer_length",
        FIVE,
        Some(12),
        &["a", "c", "b", "e", "d", "a", "e", "d", "c", "b", "a", "b"],
    ),
    ("empty_length", "[]", Some(12), &[]),
    ("one_length", "[\"a\"]", Some(1), &["a"]),
];

/// An import in Go: the type, the configuration, the id as HCL, and what has the same values, or
/// some of the values.
type Imported = (&'static str, &'static str, &'static str, Expected);

enum Expected {
    /// The values of the resource that was made.
    Of(&'static str),
    /// These, of `TestAccResource…_ImportWithoutKeepers…`.
    Known(&'static [(&'static str, &'static str)]),
}

static IMPORTED: [Imported; 15] = [
    (
        "random_bytes",
        "  length = 32\n",
        "nonsensitive(random_bytes.basic.base64)",
        Expected::Of("basic"),
    ),
    (
        "random_id",
        "  byte_length = 4\n",
        "random_id.foo.id",
        Expected::Of("foo"),
    ),
    (
        "random_id",
        "  byte_length = 4\n  prefix = \"cloud-\"\n",
        "\"cloud-,${random_id.bar.id}\"",
        Expected::Of("bar"),
    ),
    (
        "random_string",
        "  length = 12\n",
        "random_string.basic.id",
        Expected::Of("basic"),
    ),
    (
        "random_password",
        "  length = 12\n",
        "nonsensitive(random_password.basic.result)",
        Expected::Of("basic"),
    ),
    (
        "random_uuid",
        "",
        "random_uuid.basic.id",
        Expected::Of("basic"),
    ),
    (
        "random_uuid4",
        "",
        "random_uuid4.basic.id",
        Expected::Of("basic"),
    ),
    (
        "random_uuid7",
        "",
        "random_uuid7.basic.id",
        Expected::Of("basic"),
    ),
    (
        "random_bytes",
        "  length = 32\n",
        "\"hkvbcU5f8qGysTFhkI4gzf3yRWC1jXW3aRLCNQFOtNw=\"",
        Expected::Known(&[
            ("base64", "hkvbcU5f8qGysTFhkI4gzf3yRWC1jXW3aRLCNQFOtNw="),
            (
                "hex",
                "864bdb714e5ff2a1b2b13161908e20cdfdf24560b58d75b76912c235014eb4dc",
            ),
        ]),
    ),
    (
        "random_id",
        "  byte_length = 4\n",
        "\"p-9hUg\"",
        Expected::Known(&[("id", "p-9hUg")]),
    ),
    (
        "random_string",
        "  length = 12\n",
        "\"Z=:cbrJE?Ltg\"",
        Expected::Known(&[("result", "Z=:cbrJE?Ltg")]),
    ),
    (
        "random_password",
        "  length = 12\n",
        "\"Z=:cbrJE?Ltg\"",
        Expected::Known(&[("result", "Z=:cbrJE?Ltg")]),
    ),
    (
        "random_uuid",
        "",
        "\"6b0f8e7c-3ea6-4523-88a2-5a70419ee954\"",
        Expected::Known(&[("id", "6b0f8e7c-3ea6-4523-88a2-5a70419ee954")]),
    ),
    (
        "random_uuid4",
        "",
        "\"6b0f8e7c-3ea6-4523-88a2-5a70419ee954\"",
        Expected::Known(&[("id", "6b0f8e7c-3ea6-4523-88a2-5a70419ee954")]),
    ),
    (
        "random_uuid7",
        "",
        "\"6b0f8e7c-3ea6-7523-88a2-5a70719ee957\"",
        Expected::Known(&[("id", "6b0f8e7c-3ea6-7523-88a2-5a70719ee957")]),
    ),
];

/// The resources that are made, and bytes of this length.
fn made(length: usize) -> String {
    let made = MADE
        .iter()
        .map(|(type_name, name, attributes, _)| resource(type_name, name, attributes));
    let shuffled = SHUFFLED.iter().map(|(name, input, count, _)| {
        let count = count.map_or_else(String::new, |count| format!("  result_count = {count}\n"));
        resource(
            "random_shuffle",
            name,
            &format!("  input = {input}\n  seed = \"-\"\n{count}"),
        )
    });
    let more = [
        resource("random_bytes", "test", &format!("  length = {length}\n")),
        resource("random_password", "test", "  length = 73\n"),
    ];
    made.chain(shuffled).chain(more).collect()
}

/// The step with the checks of what is made.
fn checked(mut step: Step, length: usize, bytes: &Comparison) -> Step {
    for (type_name, name, _, attributes) in &MADE {
        for (attribute, pattern) in *attributes {
            step = step.has(
                format!("{type_name}.{name}"),
                *attribute,
                Known::matching(pattern),
            );
        }
    }
    for (name, _, _, result) in &SHUFFLED {
        step = step.has(format!("random_shuffle.{name}"), "result", json!(result));
    }
    step.has("random_bytes.test", "length", length)
        .has(
            "random_bytes.test",
            "hex",
            Known::matching(&format!("^[a-f0-9]{{{}}}$", 2 * length)),
        )
        .compares("random_bytes.test", "base64", bytes)
        .holds(|state| {
            // `TestAccResourcePassword_BcryptHash`: only the first 72 letters of the 73 are hashed.
            let password = values(state, "random_password.test");
            let (result, hash) = (
                password["result"].as_str().unwrap(),
                password["bcrypt_hash"].as_str().unwrap(),
            );
            assert_eq!(result.len(), 73);
            if bcrypt::verify(result, hash).unwrap() {
                Ok(())
            } else {
                Err("the hash is of another password".to_owned())
            }
        })
}

/// The values without those that an import makes again.
fn compared(state: &Value, address: &str) -> Value {
    let mut values = values(state, address).clone();
    values.as_object_mut().unwrap().remove("bcrypt_hash");
    values
}

/// Also `TestAccResourceBytes_Length_ForceReplacement`. The imports are blocks of the second step,
/// and each is of a resource of its own.
#[test]
fn what_is_made_is_imported() {
    let bytes = Comparison::different();
    let first = checked(Step::apply(made(1)), 1, &bytes);
    let (mut config, mut imports) = (made(2), Vec::new());
    for (number, (type_name, attributes, id, expected)) in IMPORTED.iter().enumerate() {
        let name = format!("imported_{number}");
        let address = format!("{type_name}.{name}");
        config += &resource(type_name, &name, attributes);
        config += &format!("import {{\n  to = {address}\n  id = {id}\n}}\n");
        imports.push((address, type_name, expected));
    }
    let mut second =
        checked(Step::apply(config), 2, &bytes).plans("random_bytes.test", PlannedAction::Replace);
    for (address, type_name, expected) in imports {
        second = second.plans(&*address, PlannedAction::Nothing);
        match expected {
            Expected::Of(made) => {
                let made = format!("{type_name}.{made}");
                second = second.holds(move |state| {
                    let (made, imported) = (compared(state, &made), compared(state, &address));
                    // The values of a password are not to be seen in a message.
                    if made == imported {
                        Ok(())
                    } else {
                        Err(format!(
                            "{address} has other values than what it is an import of"
                        ))
                    }
                });
            }
            Expected::Known(attributes) => {
                for (attribute, value) in *attributes {
                    second = second.has(&*address, *attribute, *value);
                }
            }
        }
    }
    test().step(first).step(second).run();
}

/// `TestAccResourceBytes_LengthErrors`.
#[test]
fn no_bytes_at_all_are_refused() {
    let config = resource("random_bytes", "invalid_length", "  length = 0\n");
    test()
        .step(Step::refused(config, "length must be at least 1"))
        .run();
}
