//! No sensitive value appears in any error, debug output, plan or schema.

use std::collections::BTreeMap;
use std::process::Command;

use upstate::codec::UnknownAttributes;
use upstate::schema::Type;
use upstate::{Object, Registry, Resource, SingleBlock, UpgradeRequest, Value, upgrade_json};
use upstate_state::StateFile;

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
        Self {
            id: prior.id,
            pin: prior.pin,
            token,
        }
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
            let mut texts = vec![
                format!("{request:?}"),
                format!("{response:?}"),
                response.diagnostics().to_string(),
            ];
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
    let schema = serde_json::to_string(Login::schema()).unwrap();
    assert!(schema.contains(r#""sensitive":true"#));
}

#[test]
fn no_state_file_output_holds_a_secret() {
    for state in states()
        .into_iter()
        .filter(|state| state.ends_with('}') && !state.contains('\\'))
    {
        let file = format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"example_login","name":"l","provider":"provider.example","instances":[{{"schema_version":0,"attributes":{state}}}]}}]}}"#
        );
        let parsed = StateFile::parse(file.as_bytes()).unwrap();
        assert!(!format!("{parsed:?}").contains(SECRET));
        let upgrade = parsed.upgrade(&registry()).unwrap();
        assert!(!format!("{upgrade:?}").contains(SECRET), "{state}");
    }
}

/// The program below runs as the command line would, in a process of its own.
#[test]
fn no_plan_holds_a_secret() {
    if let Some(path) = std::env::var_os("UPSTATE_TEST_PLAN") {
        for command in ["plan", "upgrade"] {
            for format in ["text", "json"] {
                upstate_cli::run(
                    registry(),
                    [
                        "login".into(),
                        command.into(),
                        path.clone(),
                        "--all".into(),
                        "--format".into(),
                        format.into(),
                    ],
                );
            }
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    for state in states()
        .into_iter()
        .filter(|state| !state.contains("panic"))
    {
        let file = format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"example_login","name":"l","provider":"provider.example","instances":[{{"schema_version":0,"attributes":{state}}}]}}]}}"#
        );
        std::fs::write(&path, file).unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "sensitive::no_plan_holds_a_secret",
                "--nocapture",
            ])
            .env("UPSTATE_TEST_PLAN", &path)
            .output()
            .unwrap();
        let printed = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(printed.contains("terraform.tfstate"), "{printed}");
        assert!(!printed.contains(SECRET), "{printed}");
    }
}

mod guarded {
    pub(crate) fn read(stored: Option<String>) -> Result<Option<String>, String> {
        match stored {
            Some(text) if !text.starts_with("ok") => Err(format!("met {text}")),
            stored => Ok(stored),
        }
    }

    pub(crate) fn write(value: &Option<String>) -> Option<String> {
        value.clone()
    }
}

#[derive(Debug, Object)]
struct Vault {
    #[attribute(sensitive)]
    keys: Option<BTreeMap<String, f64>>,
}

/// Secrets in every corner that a path or a message could reach.
#[derive(Debug, Resource)]
#[resource(type_name = "example_corners", version = 1)]
#[upgrade_from(0, model = CornersV0)]
struct Corners {
    id: String,
    #[attribute(sensitive)]
    keys: Option<BTreeMap<String, f64>>,
    single: SingleBlock<Vault>,
    #[attribute(sensitive, with = guarded)]
    word: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_corners", version = 0)]
struct CornersV0 {
    #[attribute(sensitive)]
    id: String,
    name: Option<String>,
}

impl TryFrom<CornersV0> for Corners {
    type Error = String;

    fn try_from(prior: CornersV0) -> Result<Self, String> {
        match prior.name.as_deref() {
            Some("nan") => {
                let keys = BTreeMap::from([(SECRET.to_owned(), f64::NAN)]);
                Ok(Self {
                    id: "x".to_owned(),
                    keys: Some(keys),
                    single: SingleBlock(None),
                    word: None,
                })
            }
            _ => Err("the name is not known".to_owned()),
        }
    }
}

#[test]
fn no_corner_of_a_message_holds_a_secret() {
    let registry = Registry::new().with::<Corners>();
    for (version, json) in [
        (
            1,
            format!(r#"{{"id":"a","single":{{"keys":{{"{SECRET}":"x"}}}}}}"#),
        ),
        (
            1,
            format!(r#"{{"id":"a","single":[{{"keys":{{"{SECRET}":"x"}}}}]}}"#),
        ),
        (
            1,
            format!(r#"{{"id":"a","undefined":{{"{SECRET}":"\ud800"}}}}"#),
        ),
        (1, format!(r#"{{"id":"a","word":"{SECRET}"}}"#)),
        (0, format!(r#"{{"id":"{SECRET}"}}"#)),
        (0, r#"{"id":"a","name":"nan"}"#.to_owned()),
    ] {
        let response = registry.upgrade(&UpgradeRequest::json(
            "example_corners",
            version,
            json.as_bytes(),
        ));
        assert_eq!(response.state(), None, "{json}");
        assert!(
            !response.diagnostics().to_string().contains(SECRET),
            "{json}: {}",
            response.diagnostics()
        );
    }
    for flat in [
        BTreeMap::from([
            ("keys.%".to_owned(), "1".to_owned()),
            (format!("keys.{SECRET}"), "x".to_owned()),
        ]),
        BTreeMap::from([
            ("keys.%".to_owned(), "1".to_owned()),
            (
                format!("keys.{SECRET}"),
                "74D93920-ED26-11E3-AC10-0800200C9A66".to_owned(),
            ),
        ]),
    ] {
        let response = registry.upgrade(&UpgradeRequest::flatmap("example_corners", 1, &flat));
        assert_eq!(response.state(), None);
        assert!(
            response.diagnostics().to_string().contains("keys"),
            "{}",
            response.diagnostics()
        );
        assert!(
            !response.diagnostics().to_string().contains(SECRET),
            "{}",
            response.diagnostics()
        );
    }
    let bytes = [
        b"\x81\xa4keys\x81".as_slice(),
        &[0xa0 + SECRET.len() as u8],
        SECRET.as_bytes(),
        b"\xc3",
    ]
    .concat();
    let error = upstate::from_msgpack::<Vault>(&bytes).unwrap_err();
    assert!(
        error.to_string().contains("keys") && !error.to_string().contains(SECRET),
        "{error}"
    );
    // The notation of a dynamic value is stored content too.
    let dynamic = format!(r#"{{"type":"{SECRET}","value":1}}"#);
    let error = Value::from_json(
        dynamic.as_bytes(),
        &Type::Dynamic,
        UnknownAttributes::Ignore,
    )
    .unwrap_err();
    assert!(!error.to_string().contains(SECRET), "{error}");
}

mod written {
    //! Prior fields that became sensitive ones, whose types are written.

    use super::{Object, Resource};

    #[derive(Resource)]
    #[resource(type_name = "example_written", version = 1)]
    #[upgrade_from(0 => 1,
        split(conn: String, "{user}:{password}"),
        rename(old: String => token),
        convert(pin: String, empty = refuse),
        rename(deep: String => auth.key),
        unnest(inner: Option<{ code: Option<String>, note: Option<String> }> => code, note),
        convert(one: String, two: String => both, with = joined),
    )]
    pub struct Written {
        user: String,
        #[attribute(sensitive)]
        password: String,
        #[attribute(sensitive)]
        token: String,
        #[attribute(sensitive)]
        pin: i64,
        auth: Option<Auth>,
        #[attribute(sensitive)]
        code: Option<String>,
        note: Option<String>,
        #[attribute(sensitive)]
        both: String,
    }

    #[derive(Object)]
    pub struct Auth {
        #[attribute(sensitive)]
        key: Option<String>,
        realm: Option<String>,
    }

    fn joined(one: String, two: String) -> Result<String, std::convert::Infallible> {
        Ok(one + &two)
    }
}

#[test]
fn what_became_sensitive_is_sensitive_though_its_type_is_written() {
    let definition = written::Written::DEFINITION;
    let [block] = definition.prior_schemas_of(0)[..] else {
        panic!("version 0 has one shape")
    };
    let sensitive = block
        .attributes()
        .iter()
        .filter(|attribute| attribute.is_sensitive())
        .map(|attribute| attribute.name());
    assert_eq!(
        sensitive.collect::<Vec<_>>(),
        ["conn", "deep", "old", "one", "pin", "two"]
    );
    let inner = block
        .attributes()
        .iter()
        .find(|attribute| attribute.name() == "inner")
        .unwrap();
    let upstate::schema::Shape::Nested(inner) = inner.shape() else {
        panic!("it holds objects")
    };
    let sensitive = inner
        .attributes()
        .iter()
        .filter(|attribute| attribute.is_sensitive())
        .map(|attribute| attribute.name());
    assert_eq!(sensitive.collect::<Vec<_>>(), ["code"]);

    // A connection string in another form is not quoted.
    let state = format!(r#"{{"conn":"{SECRET}","old":"x","pin":"1","one":"1","two":"2"}}"#);
    let error = upgrade_json::<written::Written>(0, &state)
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("does not have the form") && !error.contains(SECRET),
        "{error}"
    );
}
