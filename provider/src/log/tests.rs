use std::cell::RefCell;

use tracing::Level;
use upstate::schema::{Attribute, Block, Presence, Type};

use super::*;

thread_local! {
    static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// The log lines written while `run` runs.
fn logged(level: Level, run: impl FnOnce()) -> Vec<Value> {
    logged_at(
        Levels {
            all: LevelFilter::from_level(level),
            subsystems: Vec::new(),
        },
        run,
    )
}

fn logged_at(levels: Levels, run: impl FnOnce()) -> Vec<Value> {
    let write = |line: &str| LINES.with_borrow_mut(|lines| lines.push(line.to_owned()));
    tracing::subscriber::with_default(subscriber(levels, write), run);
    LINES
        .take()
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The levels of the provider `big-harbor` with these variables.
fn levels(set: &[(&str, &str)]) -> Levels {
    let variables = set
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Levels::read("example.com/acme/big-harbor", &variables.collect())
}

#[test]
fn the_level_is_that_of_the_provider_then_of_providers_then_of_everything() {
    let all = |set: &[(&str, &str)]| levels(set).all;
    assert_eq!(all(&[]), LevelFilter::OFF);
    assert_eq!(all(&[("TF_LOG", "")]), LevelFilter::OFF);
    assert_eq!(all(&[("TF_LOG", "off")]), LevelFilter::OFF);
    assert_eq!(all(&[("TF_LOG", "warn")]), LevelFilter::WARN);
    assert_eq!(all(&[("TF_LOG", "JSON")]), LevelFilter::TRACE);
    assert_eq!(all(&[("TF_LOG", "1")]), LevelFilter::TRACE);
    assert_eq!(
        all(&[("TF_LOG", "TRACE"), ("TF_LOG_PROVIDER", "ERROR")]),
        LevelFilter::ERROR
    );
    assert_eq!(
        all(&[
            ("TF_LOG_PROVIDER", "ERROR"),
            ("TF_LOG_PROVIDER_BIG_HARBOR", "INFO")
        ]),
        LevelFilter::INFO
    );
}

#[test]
fn a_subsystem_has_a_level_of_its_own() {
    let levels = levels(&[
        ("TF_LOG_PROVIDER_BIG_HARBOR", "info"),
        ("TF_LOG_PROVIDER_BIG_HARBOR_CLIENT", "debug"),
        ("TF_LOG_PROVIDER_BIG_HARBOR_CLIENT_RETRY", "off"),
        ("TF_LOG_PROVIDER_BIG_HARBOR_HYPER", "trace"),
        ("TF_LOG_PROVIDER_BIG_HARBOR_DOCK", ""),
        ("TF_LOG_PROVIDER_OTHER_DOCK", "trace"),
    ]);
    assert_eq!(levels.of("big_harbor::dock"), LevelFilter::INFO);
    assert_eq!(levels.of("client"), LevelFilter::DEBUG);
    assert_eq!(levels.of("big_harbor::client::tests"), LevelFilter::DEBUG);
    assert_eq!(levels.of("big_harbor::clients"), LevelFilter::INFO);
    assert_eq!(levels.of("big_harbor::client::retry"), LevelFilter::OFF);
    // The transport of the calls logs if it is named.
    assert_eq!(
        (levels.of("hyper::client"), levels.of("h2")),
        (LevelFilter::DEBUG, LevelFilter::OFF)
    );
    assert_eq!(
        (levels.of("hyper::proto"), levels.most()),
        (LevelFilter::TRACE, LevelFilter::TRACE)
    );
    let lines = logged_at(levels, || {
        tracing::debug!(target: "big_harbor::client", "a request");
        tracing::debug!(target: "big_harbor::dock", "too fine");
        tracing::error!(target: "big_harbor::client::retry", "off");
    });
    assert_eq!(
        lines
            .iter()
            .map(|line| &line["@message"])
            .collect::<Vec<_>>(),
        ["a request"]
    );
}

#[test]
fn a_subsystem_logs_where_nothing_else_does() {
    let levels = levels(&[("TF_LOG_PROVIDER_BIG_HARBOR_CLIENT", "warn")]);
    assert_eq!(
        (levels.of("big_harbor"), levels.of("client"), levels.most()),
        (LevelFilter::OFF, LevelFilter::WARN, LevelFilter::WARN)
    );
}

#[test]
fn a_line_holds_the_event_and_the_fields_of_its_spans() {
    let lines = logged(Level::DEBUG, || {
        let outer = tracing::error_span!(
            "rpc",
            tf_rpc = "ReadResource",
            tf_resource_type = tracing::field::Empty
        );
        outer.record("tf_resource_type", "test_buoy");
        let _outer = outer.entered();
        tracing::info!(attempts = 3, ratio = 0.5, done = true, kind = ?Level::INFO, "asked the API");
        tracing::trace!("too fine");
        tracing::warn!(target: "h2::codec", "a frame");
    });
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    let mut line = line.clone();
    let timestamp = line.as_object_mut().unwrap().remove("@timestamp").unwrap();
    assert_eq!(
        timestamp.as_str().unwrap().len(),
        "2026-11-22T05:31:14.123456Z".len(),
        "{timestamp}"
    );
    let expected = serde_json::json!({
        "@level": "info", "@message": "asked the API", "@module": "upstate_provider::log::tests",
        "tf_rpc": "ReadResource", "tf_resource_type": "test_buoy",
        "attempts": 3, "ratio": 0.5, "done": true, "kind": "Level(Info)",
    });
    assert_eq!(line, expected);
}

#[test]
fn secrets_are_in_no_line_while_they_are_hidden() {
    let mut secrets = Secrets::default();
    let block = Block::new([Attribute::new("pin", Type::String, Presence::Optional).sensitive()]);
    secrets.add(
        &block,
        &upstate::Value::from_untyped_json(br#"{"pin": "904217788"}"#).unwrap(),
    );
    let hidden = Hidden::new(Arc::new(secrets));
    let report = || tracing::error!(pin = 904_217_788_u64, nested = ?Some("904217788"), "the pin is 904217788");
    let lines = logged(Level::ERROR, report);
    let redacted = "(sensitive value)";
    assert_eq!(lines[0]["pin"], redacted);
    assert_eq!(lines[0]["nested"], format!("Some(\"{redacted}\")"));
    assert_eq!(lines[0]["@message"], format!("the pin is {redacted}"));
    drop(hidden);
    assert_eq!(
        logged(Level::ERROR, report)[0]["@message"],
        "the pin is 904217788"
    );
}

#[test]
fn a_long_text_is_cut() {
    let text = format!("x{}", "é".repeat(LONGEST));
    let lines = logged(Level::INFO, || tracing::info!("{text}"));
    let message = lines[0]["@message"].as_str().unwrap();
    assert!(
        message.ends_with("é…") && message.len() < LONGEST + 4,
        "{}",
        message.len()
    );
}

#[test]
fn a_secret_where_a_long_text_is_cut_is_hidden() {
    let mut secrets = Secrets::default();
    let block = Block::new([Attribute::new("pin", Type::String, Presence::Optional).sensitive()]);
    secrets.add(
        &block,
        &upstate::Value::from_untyped_json(br#"{"pin": "715003926"}"#).unwrap(),
    );
    let _hidden = Hidden::new(Arc::new(secrets));
    let text = format!("{} 715003926 {}", "x".repeat(LONGEST - 6), "y".repeat(99));
    let lines = logged(Level::INFO, || tracing::info!("{text}"));
    let message = lines[0]["@message"].as_str().unwrap();
    assert!(
        message.ends_with("x (sens…") && !message.contains("71"),
        "{message}"
    );
}
