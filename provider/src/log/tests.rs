use std::cell::RefCell;

use upstate::schema::{Attribute, Block, Presence, Type};

use super::*;

thread_local! {
    static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// The log lines written while `run` runs.
fn logged(level: Level, run: impl FnOnce()) -> Vec<Value> {
    let write = |line: &str| LINES.with_borrow_mut(|lines| lines.push(line.to_owned()));
    tracing::subscriber::with_default(subscriber(level, write), run);
    LINES.take().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_level_is_that_of_the_provider_then_of_providers_then_of_everything() {
    let asked = |set: &[(&str, &str)]| {
        let variable = |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned());
        level("example.com/acme/big-harbor", &variable)
    };
    assert_eq!(asked(&[]), None);
    assert_eq!(asked(&[("TF_LOG", "")]), None);
    assert_eq!(asked(&[("TF_LOG", "off")]), None);
    assert_eq!(asked(&[("TF_LOG", "warn")]), Some(Level::WARN));
    assert_eq!(asked(&[("TF_LOG", "JSON")]), Some(Level::TRACE));
    assert_eq!(asked(&[("TF_LOG", "1")]), Some(Level::TRACE));
    assert_eq!(asked(&[("TF_LOG", "TRACE"), ("TF_LOG_PROVIDER", "ERROR")]), Some(Level::ERROR));
    assert_eq!(asked(&[("TF_LOG_PROVIDER", "ERROR"), ("TF_LOG_PROVIDER_BIG_HARBOR", "INFO")]), Some(Level::INFO));
}

#[test]
fn a_line_holds_the_event_and_the_fields_of_its_spans() {
    let lines = logged(Level::DEBUG, || {
        let outer = tracing::error_span!("rpc", tf_rpc = "ReadResource", tf_resource_type = tracing::field::Empty);
        outer.record("tf_resource_type", "test_buoy");
        let _outer = outer.entered();
        tracing::info!(attempts = 3, ratio = 0.5, done = true, kind = ?Level::INFO, "asked the API");
        tracing::trace!("too fine");
        tracing::warn!(target: "h2::codec", "a frame");
    });
    let [line] = &lines[..] else { panic!("{lines:?}") };
    let mut line = line.clone();
    let timestamp = line.as_object_mut().unwrap().remove("@timestamp").unwrap();
    assert_eq!(timestamp.as_str().unwrap().len(), "2026-11-22T05:31:14.123456Z".len(), "{timestamp}");
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
    secrets.add(&block, &upstate::Value::from_untyped_json(br#"{"pin": "904217788"}"#).unwrap());
    let hidden = Hidden::new(Arc::new(secrets));
    let tell = || tracing::error!(pin = 904_217_788_u64, nested = ?Some("904217788"), "the pin is 904217788");
    let lines = logged(Level::ERROR, tell);
    let blot = "(sensitive value)";
    assert_eq!(lines[0]["pin"], blot);
    assert_eq!(lines[0]["nested"], format!("Some(\"{blot}\")"));
    assert_eq!(lines[0]["@message"], format!("the pin is {blot}"));
    drop(hidden);
    assert_eq!(logged(Level::ERROR, tell)[0]["@message"], "the pin is 904217788");
}

#[test]
fn a_long_text_is_cut() {
    let text = format!("x{}", "é".repeat(LONGEST));
    let lines = logged(Level::INFO, || tracing::info!("{text}"));
    let message = lines[0]["@message"].as_str().unwrap();
    assert!(message.ends_with("é…") && message.len() < LONGEST + 4, "{}", message.len());
}
