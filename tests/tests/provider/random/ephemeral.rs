//! The ephemeral resources, whose values the provider `echo` stores.

use upstate_provider::testing::{Known, Step};

use super::{test, values};

fn ephemeral(type_name: &str, name: &str, attributes: &str) -> String {
    format!("ephemeral \"{type_name}\" \"{name}\" {{\n{attributes}}}\n")
}

/// `TestAccEphemeralResourceBytes_basic`, `TestAccEphemeralResourcePassword_basic`, `…_BcryptHash`,
/// `…_Override`, `…_Min`.
#[test]
fn each_is_made_as_configured() {
    let none = "  lower = false\n  upper = false\n  numeric = false\n";
    let least = "  min_lower = 2\n  min_upper = 3\n  min_special = 1\n  min_numeric = 4\n";
    let config = [
        ephemeral("random_bytes", "test", "  length = 32\n"),
        ephemeral("random_password", "basic", "  length = 20\n"),
        ephemeral("random_password", "long", "  length = 73\n"),
        ephemeral("random_password", "override", &format!("  length = 4\n  override_special = \"!\"\n{none}")),
        ephemeral("random_password", "min", &format!("  length = 12\n  override_special = \"!#@\"\n{least}")),
        "provider \"echo\" {\n  data = {\n    bytes    = ephemeral.random_bytes.test\n    basic    = ephemeral.random_password.basic\n    \
             long     = ephemeral.random_password.long\n    override = ephemeral.random_password.override\n    \
             min      = ephemeral.random_password.min\n  }\n}\n\nresource \"echo\" \"it\" {}\n"
            .to_owned(),
    ];
    let matching = [
        ("bytes.base64", "^[A-Za-z0-9/+]{43}=$"),
        ("bytes.hex", "^[a-f0-9]{64}$"),
        ("basic.result", "^.{20}$"),
        ("override.result", "^!!!!$"),
        ("min.result", "^.{12}$"),
        ("min.result", "([a-z].*){2,}"),
        ("min.result", "([A-Z].*){3,}"),
        ("min.result", "([0-9].*){4,}"),
        ("min.result", "[!#@]"),
    ];
    let mut step = Step::apply(config.concat()).has("echo.it", "data.bytes.length", 32);
    for (attribute, pattern) in matching {
        step = step.has(
            "echo.it",
            format!("data.{attribute}"),
            Known::matching(pattern),
        );
    }
    for name in ["special", "upper", "lower", "numeric"] {
        step = step.has("echo.it", format!("data.basic.{name}"), true);
    }
    for name in ["min_numeric", "min_upper", "min_lower", "min_special"] {
        step = step.has("echo.it", format!("data.basic.{name}"), 0);
    }
    let hashed = step.holds(|state| {
        let long = &values(state, "echo.it")["data"]["long"];
        let (result, hash) = (
            long["result"].as_str().unwrap(),
            long["bcrypt_hash"].as_str().unwrap(),
        );
        if bcrypt::verify(result, hash).unwrap() {
            Ok(())
        } else {
            Err("the hash is of another password".to_owned())
        }
    });
    test().echoing().step(hashed).run();
}

/// `TestAccEphemeralResourceBytes_Length_ValidationError_AtLeast`,
/// `TestAccEphemeralResourcePassword_Numeric_ValidationError`, `…_Length_ValidationError_SumOf`,
/// `…_AtLeast`.
#[test]
fn what_cannot_be_is_refused() {
    let refused = |type_name: &str, attributes: &str, text: &str| {
        Step::refused(ephemeral(type_name, "test", attributes), text)
    };
    let none =
        "  length = 12\n  special = false\n  upper = false\n  lower = false\n  numeric = false\n";
    let sum =
        "  length = 11\n  min_upper = 3\n  min_lower = 3\n  min_numeric = 3\n  min_special = 3\n";
    test()
        .step(refused(
            "random_bytes",
            "  length = 0\n",
            "length must be at least 1",
        ))
        .step(refused(
            "random_password",
            none,
            "At least one of upper, lower, special and numeric must be true.",
        ))
        .step(refused(
            "random_password",
            sum,
            "11 is less than the letters that must come",
        ))
        .step(refused(
            "random_password",
            "  length = 0\n",
            "length must be at least 1",
        ))
        .run();
}
