//! No sensitive value appears in any error, debug output, plan or schema.

use std::process::Command;

use upstate::state_file::StateFile;
use upstate::{Registry, Resource, UpgradeRequest, upgrade_json};

const SECRET: &str = "hunter2-7316";

#[derive(Resource)]
#[resource(type_name = "example_login", version = 1)]
#[upgrade_from(0, model = LoginV0)]
#[allow(dead_code)]
struct Login {
    id: String,
    #[attribute(sensitive)]
    pin: i64,
    #[attribute(sensitive)]
    token: String,
}

#[derive(Resource)]
#[resource(type_name = "example_login", version = 0)]
struct LoginV0 {
    id: String,
    #[attribute(sensitive)]
    pin: i64,
    #[attribute(sensitive)]
    token: Option<String>,
    #[attribute(sensitive)]
    keys: Option<std::collections::BTreeMap<String, std::collections::BTreeSet<i64>>>,
}

impl From<LoginV0> for Login {
    fn from(prior: LoginV0) -> Self {
        let token = prior.token.expect("a token");
        assert!(!token.starts_with("panic"), "met {token}");
        Self { id: prior.id, pin: prior.pin, token }
    }
}

/// Stored states whose secrets stand in every place where something can go wrong.
fn states() -> Vec<String> {
    vec![
        format!(r#"{{"id":"a","pin":1,"token":"{SECRET}"}}"#),
        format!(r#"{{"id":"a","pin":"{SECRET}","token":"x"}}"#),
        format!(r#"{{"id":"a","pin":["{SECRET}"],"token":"x"}}"#),
        format!(r#"{{"id":"a","pin":1,"token":["{SECRET}"]}}"#),
        format!(r#"{{"id":"a","pin":1,"token":{{"{SECRET}":1}}}}"#),
        format!(r#"{{"id":"a","pin":1,"token":"panic {SECRET}"}}"#),
        format!(r#"{{"id":"a","keys":{{"{SECRET}":[1,true]}},"pin":1,"token":"x"}}"#),
        format!(r#"{{"id":"a","keys":{{"{SECRET}":[1,1]}},"pin":1,"token":"x"}}"#),
        format!(r#"{{"id":"a","pin":1,"token":"{SECRET}"#),
        format!(r#"{{"id":"a","pin":1,"token":"\x{SECRET}"}}"#),
    ]
}

fn registry() -> Registry {
    Registry::new().with::<Login>()
}

#[test]
fn no_error_and_no_debug_output_holds_a_secret() {
    for state in states() {
        for version in 0..3 {
            let request = UpgradeRequest::json("example_login", version, state.as_bytes());
            let response = registry().upgrade(&request);
            let mut texts = vec![format!("{request:?}"), format!("{response:?}"), response.diagnostics().to_string()];
            if !state.contains("panic")
                && let Err(error) = upgrade_json::<Login>(version, &state)
            {
                texts.push(format!("{error} {error:?}"));
            }
            if let Err(error) = upstate::from_json::<Login>(&state) {
                texts.push(format!("{error} {error:?}"));
            }
            for text in texts {
                assert!(!text.contains(SECRET), "version {version}, {state}: {text}");
            }
        }
    }
    let schema = serde_json::to_string(Login::SCHEMA).unwrap();
    assert!(schema.contains(r#""sensitive":true"#));
}

#[test]
fn no_state_file_output_holds_a_secret() {
    for state in states().into_iter().filter(|state| state.ends_with('}') && !state.contains('\\')) {
        let file = format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"example_login","name":"l","instances":[{{"schema_version":0,"attributes":{state}}}]}}]}}"#
        );
        let parsed = StateFile::parse(file.as_bytes()).unwrap();
        assert!(!format!("{parsed:?}").contains(SECRET));
        let upgrade = parsed.upgrade(&registry());
        assert!(!format!("{upgrade:?}").contains(SECRET), "{state}");
    }
}

/// The program below runs as the command line would, in a process of its own.
#[test]
fn no_plan_holds_a_secret() {
    if let Some(path) = std::env::var_os("UPSTATE_TEST_PLAN") {
        for command in ["plan", "upgrade"] {
            for format in ["text", "json"] {
                upstate_cli::run(registry(), ["login".into(), command.into(), path.clone(), "--format".into(), format.into()]);
            }
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    for state in states().into_iter().filter(|state| !state.contains("panic")) {
        let file = format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"example_login","name":"l","instances":[{{"schema_version":0,"attributes":{state}}}]}}]}}"#
        );
        std::fs::write(&path, file).unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "no_plan_holds_a_secret", "--nocapture"])
            .env("UPSTATE_TEST_PLAN", &path)
            .output()
            .unwrap();
        let printed = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(printed.contains("terraform.tfstate"), "{printed}");
        assert!(!printed.contains(SECRET), "{printed}");
    }
}
