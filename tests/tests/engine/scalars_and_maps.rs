//! Operators on scalars and maps that real upgraders want: entries that a filter finds by their
//! keys, and conversions that have a name.

// What the structs hold is read by their upgrades alone.
#![allow(dead_code)]

use std::collections::BTreeMap;

use upstate::testing::Hostile;
use upstate::upgrade::DowngradeRequest;
use upstate::{CurrentModel, Object, Registry, Resource, UpgradeRequest};

/// The upgraded state and what was dropped, or the first line of each diagnostic.
#[track_caller]
fn up<T: CurrentModel>(state: &str) -> String {
    let response = Registry::new().with::<T>().upgrade(&UpgradeRequest::json(
        T::TYPE_NAME,
        0,
        state.as_bytes(),
    ));
    match response.state() {
        Some(state) => {
            let dropped = response
                .dropped()
                .iter()
                .map(|dropped| format!("\ndropped {}", dropped.path));
            format!(
                "{}{}",
                String::from_utf8_lossy(state),
                dropped.collect::<String>()
            )
        }
        None => {
            let said = response
                .diagnostics()
                .iter()
                .map(|error| error.detail().lines().next().unwrap_or_default().to_owned());
            said.collect::<Vec<_>>().join("\n")
        }
    }
}

/// The older state and the losses, or the first line of each diagnostic.
#[track_caller]
fn down<T: CurrentModel>(state: &str) -> String {
    let request = DowngradeRequest::json(T::TYPE_NAME, T::VERSION, 0, state.as_bytes());
    let response = Registry::new()
        .with::<T>()
        .downgrade(&request.allow_loss(true));
    match response.state() {
        Some(state) => {
            let losses = response
                .losses()
                .iter()
                .map(|loss| format!("\nlost {loss}"));
            format!(
                "{}{}",
                String::from_utf8_lossy(state),
                losses.collect::<String>()
            )
        }
        None => {
            let said = response
                .diagnostics()
                .iter()
                .map(|error| error.detail().lines().next().unwrap_or_default().to_owned());
            said.collect::<Vec<_>>().join("\n")
        }
    }
}

/// What both directions keep.
fn verdicts<T: CurrentModel>() -> [String; 2] {
    let registry = Registry::new().with::<T>();
    let history = registry.definitions().next().unwrap().history().unwrap();
    let verdicts = history.verdicts(&history.steps()[0]);
    [verdicts.up.to_string(), verdicts.down.to_string()]
}

mod keys {
    use super::*;

    /// `google_dataproc_cluster`: labels that the service puts there are not the user's.
    #[derive(Resource)]
    #[resource(type_name = "google_dataproc_cluster", version = 1)]
    #[upgrade_from(0 => 1, copy(labels => effective_labels), filter(labels, key = "goog-dataproc-{_..}"))]
    pub struct Cluster {
        labels: Option<BTreeMap<String, String>>,
        #[attribute(computed)]
        effective_labels: Option<BTreeMap<String, String>>,
    }

    #[test]
    fn entries_with_a_prefix_are_left_out_and_come_back_from_a_copy() {
        let stored = r#"{"labels":{"goog-dataproc-uuid":"1","team":"a"}}"#;
        let now =
            r#"{"effective_labels":{"goog-dataproc-uuid":"1","team":"a"},"labels":{"team":"a"}}"#;
        assert_eq!(up::<Cluster>(stored), now);
        assert_eq!(down::<Cluster>(now), stored);
        assert_eq!(
            up::<Cluster>(r#"{"labels":null}"#),
            r#"{"effective_labels":null,"labels":null}"#
        );
        // The user's map has become null.
        assert_eq!(
            down::<Cluster>(r#"{"effective_labels":{"goog-dataproc-uuid":"1"},"labels":null}"#),
            "{\"labels\":{\"goog-dataproc-uuid\":\"1\"}}\nlost labels: null"
        );
        // What only the copy has, and does not fit the pattern, has no place.
        assert_eq!(
            down::<Cluster>(r#"{"effective_labels":{"other":"1"},"labels":{}}"#),
            "{\"labels\":{}}\nlost effective_labels[\"other\"]: \"1\""
        );
        Hostile::new::<Cluster>().sample(0, stored).check();
    }

    #[derive(Resource)]
    #[resource(type_name = "example_tagged", version = 1)]
    #[upgrade_from(0, model = TaggedV0,
        filter(tags, "", key = ("aws:{_..}", "Owner")),
        rename(parts => pieces), filter(pieces, key = "old-{_}"),
        filter(secrets, key = "old"))]
    pub struct Tagged {
        tags: BTreeMap<String, Option<String>>,
        pieces: BTreeMap<String, Part>,
        #[attribute(sensitive)]
        secrets: Option<BTreeMap<String, String>>,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_tagged", version = 0)]
    pub struct TaggedV0 {
        tags: BTreeMap<String, Option<String>>,
        parts: BTreeMap<String, PartV0>,
        #[attribute(sensitive)]
        secrets: Option<BTreeMap<String, String>>,
    }

    #[derive(Object)]
    #[upgrade_from(model = PartV0, convert(size, empty = refuse))]
    pub struct Part {
        size: i64,
    }

    #[derive(Object)]
    pub struct PartV0 {
        size: String,
    }

    const TAGGED: &str = r#"{"tags":{"aws:a":"1","Owner":"2","owner":"3","b":"","xaws:":null},
        "parts":{"old-a":{"size":"x"},"old-":{"size":"1"},"new":{"size":"2"}},"secrets":{"old":"p4ss","new":"w0rd"}}"#;

    #[test]
    fn several_keys_and_values_are_left_out_of_maps_of_anything() {
        assert_eq!(
            up::<Tagged>(TAGGED),
            r#"{"pieces":{"new":{"size":2},"old-":{"size":1}},"secrets":{"new":"w0rd"},"tags":{"owner":"3","xaws:":null}}
dropped parts["old-a"]
dropped secrets
dropped tags["Owner"]
dropped tags["aws:a"]"#
        );
        let now = r#"{"pieces":{"new":{"size":2}},"secrets":{"new":"w0rd"},"tags":{"Owner":"2","owner":"3"}}"#;
        assert_eq!(
            down::<Tagged>(now),
            "{\"parts\":{\"new\":{\"size\":\"2\"}},\"secrets\":{\"new\":\"w0rd\"},\"tags\":{\"Owner\":\"2\",\"owner\":\"3\"}}\nlost tags[\"Owner\"]: \"2\""
        );
        Hostile::new::<Tagged>().sample(0, TAGGED).check();
    }

    #[test]
    fn verdicts_say_what_is_filtered_out() {
        let [up, down] = verdicts::<Tagged>();
        assert!(
            up.contains("secrets (the entries whose keys are filtered out)"),
            "{up}"
        );
        assert!(
            down.contains("secrets (an entry whose key the filter leaves out)"),
            "{down}"
        );
        let [up, down] = verdicts::<Cluster>();
        assert_eq!(up, "lossless");
        assert_eq!(
            down,
            "lossy: effective_labels (a value that differs from the one it is a copy of), labels (an entry whose key the filter leaves out)"
        );
    }
}

mod named {
    use super::*;

    /// `signalfx_detector`: a time range before now was a string, and is a number of seconds.
    #[derive(Resource)]
    #[resource(type_name = "signalfx_detector", version = 1)]
    #[upgrade_from(0 => 1, reformat(time_range: Option<String>, "-{length}" => "{length}"), convert(time_range, seconds))]
    pub struct Detector {
        time_range: Option<i64>,
    }

    #[test]
    fn durations_become_seconds() {
        for (stored, seconds) in [
            ("-15m", 900),
            ("-1h", 3600),
            ("-2d", 172_800),
            ("-1w", 604_800),
        ] {
            assert_eq!(
                up::<Detector>(&format!(r#"{{"time_range":"{stored}"}}"#)),
                format!(r#"{{"time_range":{seconds}}}"#)
            );
        }
        assert_eq!(
            up::<Detector>(r#"{"time_range":null}"#),
            r#"{"time_range":null}"#
        );
        assert_eq!(
            down::<Detector>(r#"{"time_range":5400}"#),
            r#"{"time_range":"-1h30m0s"}"#
        );
        assert_eq!(
            up::<Detector>(r#"{"time_range":"-5M"}"#),
            "\"5M\" is not a duration, such as \"1h30m\" or \"90s\": each number has its unit (at time_range)."
        );
        assert_eq!(
            up::<Detector>(r#"{"time_range":"-1.5s"}"#),
            "\"1.5s\" is not a whole number of seconds (at time_range)."
        );
        Hostile::new::<Detector>()
            .sample(0, r#"{"time_range":"-1h"}"#)
            .check();
    }

    /// `random_password`: states that were imported once lack the length.
    #[derive(Resource)]
    #[resource(type_name = "random_password", version = 1)]
    #[upgrade_from(0, model = PasswordV0, only_if(lacks(length), copy(result => length, declassified = "the length of a secret is shown by its provider"), convert(length, length)))]
    pub struct Password {
        length: i64,
        #[attribute(computed, sensitive)]
        result: String,
    }

    #[derive(Resource)]
    #[resource(type_name = "random_password", version = 0)]
    pub struct PasswordV0 {
        length: Option<i64>,
        #[attribute(computed, sensitive)]
        result: String,
    }

    #[test]
    fn a_string_has_a_length() {
        assert_eq!(
            up::<Password>(r#"{"length":null,"result":"héllo"}"#),
            r#"{"length":6,"result":"héllo"}"#
        );
        assert_eq!(
            up::<Password>(r#"{"length":3,"result":"hello"}"#),
            r#"{"length":3,"result":"hello"}"#
        );
        assert_eq!(
            down::<Password>(r#"{"length":5,"result":"hello"}"#),
            r#"{"length":5,"result":"hello"}"#
        );
        Hostile::new::<Password>().check();
    }

    #[derive(Resource)]
    #[resource(type_name = "example_timed", version = 1)]
    #[upgrade_from(0, model = TimedV0,
        convert(timeout, milliseconds), convert(written, seconds), convert(any, milliseconds),
        convert(name, trimmed), each(convert(names, trimmed)),
        default(secret = " 1s"), convert(secret, trimmed), convert(secret, seconds))]
    pub struct Timed {
        timeout: u32,
        written: Option<String>,
        any: f64,
        name: Option<String>,
        names: Vec<String>,
        #[attribute(sensitive)]
        secret: i64,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_timed", version = 0)]
    pub struct TimedV0 {
        timeout: String,
        written: Option<f64>,
        any: String,
        name: Option<String>,
        names: Vec<String>,
        #[attribute(sensitive)]
        secret: Option<String>,
    }

    const TIMED: &str = r#"{"timeout":"1m0.25s","written":90,"any":"1h","name":" a b\n","names":["x"," y"],"secret":null}"#;

    #[test]
    fn named_conversions_go_both_ways() {
        let now = r#"{"any":3600000,"name":"a b","names":["x","y"],"secret":1,"timeout":60250,"written":"1m30s"}"#;
        assert_eq!(up::<Timed>(TIMED), now);
        assert_eq!(
            down::<Timed>(now),
            r#"{"any":"1h0m0s","name":"a b","names":["x","y"],"secret":"1s","timeout":"1m0.25s","written":90}"#
        );
        assert_eq!(
            up::<Timed>(
                r#"{"timeout":"-1s","written":1.5,"any":"","name":null,"names":[],"secret":"p4ssw0rd"}"#
            ),
            "\"\" is not a duration, such as \"1h30m\" or \"90s\": each number has its unit (at any).\n\
             a string (sensitive) is not a duration, such as \"1h30m\" or \"90s\": each number has its unit (at secret).\n\
             1.5 is not a whole number of seconds (at written).\n\
             -1000 does not fit schema version 1: expected a whole number from 0 to 4294967295 (at timeout)."
        );
        let [up, down] = verdicts::<Timed>();
        assert!(
            up.contains("timeout (the spelling of the duration)") && !up.contains("written"),
            "{up}"
        );
        assert!(
            down.contains("written (another spelling of the duration)")
                && !down.contains("timeout"),
            "{down}"
        );
        assert!(
            up.contains("names (the white space around the string)"),
            "{up}"
        );
        Hostile::new::<Timed>().sample(0, TIMED).check();
    }

    #[derive(Resource)]
    #[resource(type_name = "example_host", version = 1)]
    #[upgrade_from(0 => 1, convert(name, lowercase), each(convert(aliases, lowercase)))]
    pub struct Host {
        name: String,
        aliases: Vec<String>,
    }

    #[test]
    fn a_string_becomes_small_and_stays_so() {
        let now = r#"{"aliases":["é"],"name":"a.example"}"#;
        assert_eq!(up::<Host>(r#"{"name":"A.Example","aliases":["É"]}"#), now);
        assert_eq!(down::<Host>(now), now);
        let [up, down] = verdicts::<Host>();
        assert!(
            up.contains("lossy: name (which letters were capitals)"),
            "{up}"
        );
        assert!(down.contains("name (capital letters)"), "{down}");
        Hostile::new::<Host>().check();
    }
}
