//! What is nested blocks today and was something else: the written type decides.

use std::collections::BTreeMap;

use upstate::{Object, Registry, Resource, UpgradeRequest};

#[derive(Debug, Object)]
struct Label {
    label: String,
    value: String,
}

#[derive(Debug, Object)]
struct Schedule {
    cron: String,
}

fn schedule(text: Option<String>) -> Result<Vec<Schedule>, String> {
    Ok(text.into_iter().map(|cron| Schedule { cron }).collect())
}

type Tags = Option<BTreeMap<String, String>>;

#[derive(Debug, Resource)]
#[resource(type_name = "map", version = 1)]
#[upgrade_from(0 => 1, rekey(labels: Option<BTreeMap<String, String>>, key = "label", value = "value"))]
struct OfMap {
    #[block]
    labels: Vec<Label>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "renamed_map", version = 1)]
#[upgrade_from(0 => 1, rename(tags: Tags => labels), rekey(labels, key = "label", value = "value"))]
struct OfRenamedMap {
    #[block]
    labels: Vec<Label>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "inferred_map", version = 1)]
#[upgrade_from(0 => 1, rekey(labels, key = "label", value = "value"))]
struct OfInferredList {
    #[block]
    labels: BTreeMap<String, Schedule>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "function", version = 1)]
#[upgrade_from(0 => 1, convert(schedule: Option<String>, with = schedule))]
struct OfFunction {
    #[block(max = 1)]
    schedule: Vec<Schedule>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "text", version = 2)]
#[upgrade_from(1 => 2, wrap(schedule: Option<Schedule>))]
#[upgrade_from(0 => 1, convert(schedule: Option<String>, json))]
struct OfText {
    #[block]
    schedule: Vec<Schedule>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "reused", version = 1)]
#[upgrade_from(0 => 1, rename(runs => schedule), drop(schedule: Option<String>, "the name was a string before"))]
struct Reused {
    #[block]
    schedule: Vec<Schedule>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "inside", version = 1)]
#[upgrade_from(0 => 1, within(task, rekey(labels: Tags, key = "label", value = "value"), convert(schedule: Option<String>, with = schedule)))]
struct Inside {
    #[block]
    task: Option<Task>,
}

#[derive(Debug, Object)]
struct Task {
    #[block]
    labels: Vec<Label>,
    #[block]
    schedule: Vec<Schedule>,
}

#[derive(Debug, Object)]
struct RunsV0 {
    name: String,
    #[block]
    schedule: Vec<Schedule>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = RunsV0, carry)]
struct Runs {
    name: String,
    schedule: Option<Vec<Schedule>>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "blocks_in_blocks", version = 1)]
#[upgrade_from(0 => 1, unwrap(#[block(max = 1)] runs: Vec<RunsV0>), within(place, unwrap(#[block] runs: Vec<RunsV0>)))]
struct BlocksInBlocks {
    runs: Option<Runs>,
    #[block]
    place: Vec<Place>,
}

#[derive(Debug, Object)]
struct Place {
    runs: Option<Runs>,
}

#[derive(Debug, Object)]
struct Settings {
    #[block]
    rules: Vec<RunsV0>,
    name: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "into_blocks", version = 1)]
#[upgrade_from(0 => 1, rename(rules => settings.rules), within(outer, rename(rules => settings.rules)))]
struct IntoBlocks {
    #[block]
    settings: Option<Settings>,
    #[block]
    outer: Vec<Outer>,
}

#[derive(Debug, Object)]
struct Outer {
    #[block]
    settings: Option<Settings>,
}

/// What becomes of a state of version 0; nothing of it may be left out.
#[track_caller]
fn upgraded(type_name: &str, json: &str) -> String {
    let registry = Registry::new()
        .with::<OfMap>()
        .with::<OfRenamedMap>()
        .with::<OfInferredList>()
        .with::<OfFunction>()
        .with::<OfText>()
        .with::<Reused>()
        .with::<Inside>()
        .with::<BlocksInBlocks>()
        .with::<IntoBlocks>();
    let response = registry.upgrade(&UpgradeRequest::json(type_name, 0, json.as_bytes()));
    assert!(
        response.diagnostics().is_empty(),
        "{}",
        response.diagnostics()
    );
    let undefined: Vec<String> = response
        .undefined()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(undefined.is_empty(), "{undefined:?}");
    String::from_utf8(response.state().unwrap().to_vec()).unwrap()
}

#[test]
fn a_map_that_became_blocks_is_read_as_a_map() {
    let labels = r#"{"labels":[{"label":"a","value":"b"}]}"#;
    assert_eq!(upgraded("map", r#"{"labels": {"a": "b"}}"#), labels);
    // The alias says nothing of what it is; the type behind it does.
    assert_eq!(upgraded("renamed_map", r#"{"tags": {"a": "b"}}"#), labels);
    assert_eq!(
        upgraded(
            "inferred_map",
            r#"{"labels": [{"label": "a", "value": {"cron": "c"}}]}"#
        ),
        r#"{"labels":{"a":{"cron":"c"}}}"#
    );
}

#[test]
fn a_string_that_became_blocks_is_read_as_a_string() {
    let schedule = r#"{"schedule":[{"cron":"0 0 * * *"}]}"#;
    assert_eq!(
        upgraded("function", r#"{"schedule": "0 0 * * *"}"#),
        schedule
    );
    assert_eq!(
        upgraded("function", r#"{"schedule": null}"#),
        r#"{"schedule":[]}"#
    );
    assert_eq!(
        upgraded("text", r#"{"schedule": "{\"cron\": \"0 0 * * *\"}"}"#),
        schedule
    );
    assert_eq!(
        upgraded(
            "reused",
            r#"{"schedule": "old", "runs": [{"cron": "0 0 * * *"}]}"#
        ),
        schedule
    );
}

#[test]
fn the_written_type_decides_inside_of_blocks_too() {
    let state = r#"{"task": {"labels": {"a": "b"}, "schedule": "0 0 * * *"}}"#;
    let task =
        r#"{"task":{"labels":[{"label":"a","value":"b"}],"schedule":[{"cron":"0 0 * * *"}]}}"#;
    assert_eq!(upgraded("inside", state), task);
}

#[test]
fn blocks_are_written_as_in_a_struct() {
    let state = r#"{"runs": [{"name": "a", "schedule": [{"cron": "c"}]}], "place": [{"runs": [{"name": "b", "schedule": [{"cron": "d"}]}]}]}"#;
    let expected = r#"{"place":[{"runs":{"name":"b","schedule":[{"cron":"d"}]}}],"runs":{"name":"a","schedule":[{"cron":"c"}]}}"#;
    assert_eq!(upgraded("blocks_in_blocks", state), expected);
}

#[test]
fn blocks_that_moved_into_blocks_were_blocks() {
    let rules = r#"[{"name": "a", "schedule": [{"cron": "c"}]}]"#;
    let state = format!(
        r#"{{"rules": {rules}, "settings": {{"name": "n"}}, "outer": [{{"rules": {rules}}}]}}"#
    );
    let expected = concat!(
        r#"{"outer":[{"settings":{"name":null,"rules":[{"name":"a","schedule":[{"cron":"c"}]}]}}],"#,
        r#""settings":{"name":"n","rules":[{"name":"a","schedule":[{"cron":"c"}]}]}}"#
    );
    assert_eq!(upgraded("into_blocks", &state), expected);
}

#[test]
fn null_and_nothing_are_one_where_there_are_blocks_now() {
    assert_eq!(upgraded("map", r#"{"labels": null}"#), r#"{"labels":[]}"#);
    assert_eq!(upgraded("map", r#"{"labels": {}}"#), r#"{"labels":[]}"#);
    let verdicts = |history: &'static upstate::upgrade::History| {
        history.verdicts(&history.steps()[0]).up.to_string()
    };
    assert!(
        verdicts(OfMap::HISTORY)
            .contains("labels (whether null or an empty collection was stored)"),
        "{}",
        verdicts(OfMap::HISTORY)
    );
    assert!(
        !verdicts(BlocksInBlocks::HISTORY).contains("null or an empty"),
        "{}",
        verdicts(BlocksInBlocks::HISTORY)
    );
}
