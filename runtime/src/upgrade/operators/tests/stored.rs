//! Tests of what declared upgraders do with stored values that are null, out of range, or used
//! twice: nothing is lost in silence, and a stored value that does not fit is named with what is
//! allowed, all of them together.

use std::collections::BTreeMap;

use crate::upgrade::UpgradeRequest;
use crate::{CurrentModel, Object, Registry, Resource, StringEnum};

/// The answer, what was dropped, and what was refused (the first paragraph of each error).
struct Answer {
    state: Option<String>,
    dropped: Vec<String>,
    errors: Vec<String>,
}

fn upgraded<T: CurrentModel>(state: &str) -> Answer {
    let registry = Registry::new().with::<T>();
    let response = registry.upgrade(&UpgradeRequest::json(T::TYPE_NAME, 0, state.as_bytes()));
    Answer {
        state: response
            .state()
            .map(|state| String::from_utf8(state.to_vec()).unwrap()),
        dropped: response
            .dropped()
            .iter()
            .map(|dropped| format!("{}: {}", dropped.path, dropped.reason))
            .collect(),
        errors: response
            .diagnostics()
            .iter()
            .map(|error| error.detail().split("\n\n").next().unwrap().to_owned())
            .collect(),
    }
}

#[track_caller]
fn becomes<T: CurrentModel>(state: &str, expected: &str) {
    let Answer {
        state: made,
        dropped,
        errors,
    } = upgraded::<T>(state);
    assert_eq!(errors, [""; 0], "{state}");
    assert_eq!(made.as_deref(), Some(expected), "{state}");
    assert_eq!(dropped, [""; 0], "{state}");
}

#[track_caller]
fn is_refused<T: CurrentModel>(state: &str, expected: &[&str]) {
    let Answer {
        state: made,
        errors,
        ..
    } = upgraded::<T>(state);
    assert_eq!(errors, expected, "{state}");
    assert_eq!(made, None);
}

mod combined {
    use super::*;

    #[expect(
        clippy::needless_pass_by_value,
        clippy::unnecessary_wraps,
        reason = "the signature that operators ask for"
    )]
    fn address(host: String, port: u16) -> Result<String, String> {
        Ok(format!("{host}:{port}"))
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "required", version = 1)]
    #[upgrade_from(0 => 1, convert(host: String, port: u16 => address, with = address))]
    struct Required {
        address: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "optional", version = 1)]
    #[upgrade_from(0 => 1, convert(host: Option<String>, port: Option<u16> => address, with = address))]
    struct Optional {
        address: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "stays", version = 1)]
    #[upgrade_from(0 => 1, fill(host, port => address, with = address))]
    struct Stays {
        address: Option<String>,
        host: Option<String>,
        port: Option<u16>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "dropped", version = 1)]
    #[upgrade_from(0 => 1, convert(host: Option<String>, port: Option<u16> => address, with = address), drop(host, "the API has it"))]
    struct DroppedToo {
        address: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "inside", version = 1)]
    #[upgrade_from(0 => 1, convert(at.host: Option<String>, at.port: Option<u16> => at.address, with = address))]
    struct Inside {
        at: Option<At>,
    }

    #[derive(Debug, Object)]
    struct At {
        address: Option<String>,
        zone: Option<String>,
    }

    const UNCALLED: &str = "it goes together with a value that is null, so nothing is made of it";

    #[test]
    fn null_in_a_required_field_is_refused() {
        becomes::<Required>(r#"{"host":"a","port":1}"#, r#"{"address":"a:1"}"#);
        is_refused::<Required>(
            r#"{"host":"kept?"}"#,
            &[
                "The stored state does not fit schema version 0: the stored state lacks this attribute, which must have a value (at port). If nobody edited it, a release stored it so: report this to the authors. For the authors: make the model's field an `Option`.",
            ],
        );
        is_refused::<Required>(
            r#"{"host":"kept?","port":null}"#,
            &[
                "The stored state does not fit schema version 0: the stored value is null, but must not be (at port). If nobody edited it, a release stored it so: report this to the authors. For the authors: make the model's field an `Option`.",
            ],
        );
    }

    #[test]
    fn of_optional_fields_what_nothing_is_made_of_is_reported() {
        let Answer {
            state,
            dropped,
            errors,
        } = upgraded::<Optional>(r#"{"host":"kept?"}"#);
        assert_eq!(state.as_deref(), Some(r#"{"address":null}"#));
        assert_eq!(dropped, [format!("host: {UNCALLED}")]);
        assert_eq!(errors, [""; 0]);
        assert_eq!(
            upgraded::<Optional>(r#"{"port":7}"#).dropped,
            [format!("port: {UNCALLED}")]
        );
        becomes::<Optional>("{}", r#"{"address":null}"#);
        becomes::<Optional>(r#"{"host":"a","port":1}"#, r#"{"address":"a:1"}"#);
        assert_eq!(
            upgraded::<Inside>(r#"{"at":{"host":"a","port":null,"zone":"z"}}"#).dropped,
            [format!("at.host: {UNCALLED}")]
        );
        becomes::<Inside>(r#"{"at":null}"#, r#"{"at":null}"#);
        becomes::<Inside>(
            r#"{"at":{"host":"a","port":2,"zone":"z"}}"#,
            r#"{"at":{"address":"a:2","zone":"z"}}"#,
        );
    }

    #[test]
    fn what_stays_or_is_dropped_by_name_is_not_reported_so() {
        becomes::<Stays>(
            r#"{"host":"a","port":null}"#,
            r#"{"address":null,"host":"a","port":null}"#,
        );
        assert_eq!(
            upgraded::<DroppedToo>(r#"{"host":"a","port":null}"#).dropped,
            ["host: the API has it"]
        );
        becomes::<DroppedToo>(r#"{"host":"a","port":1}"#, r#"{"address":"a:1"}"#);
    }
}

mod merged {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "null_if", version = 1)]
    #[upgrade_from(0 => 1, null_if(x: Option<Vec<BTreeMap<String, String>>>, []), merge(x))]
    struct NullIf {
        x: Option<BTreeMap<String, String>>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "default", version = 1)]
    #[upgrade_from(0 => 1, default(x: Option<Vec<BTreeMap<String, String>>> = []), merge(x))]
    struct Default {
        x: Option<BTreeMap<String, String>>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "after", version = 1)]
    #[upgrade_from(0 => 1, merge(x: Option<Vec<BTreeMap<String, String>>>), null_if(x, {}))]
    struct After {
        x: Option<BTreeMap<String, String>>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "plain", version = 1)]
    #[upgrade_from(0 => 1, merge(x: Option<Vec<BTreeMap<String, String>>>))]
    struct Plain {
        x: Option<BTreeMap<String, String>>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "renamed", version = 1)]
    #[upgrade_from(0 => 1, rename(y: Vec<BTreeMap<String, String>> => x), merge(x))]
    struct Renamed {
        x: BTreeMap<String, String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "both", version = 1)]
    #[upgrade_from(0 => 1, merge(a: Vec<BTreeMap<String, String>>, b: Option<Vec<BTreeMap<String, String>>> => x))]
    struct Both {
        x: BTreeMap<String, String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "either", version = 1)]
    #[upgrade_from(0 => 1, merge(a: Option<Vec<BTreeMap<String, String>>>, b: Option<Vec<BTreeMap<String, String>>> => x))]
    struct Either {
        x: Option<BTreeMap<String, String>>,
    }

    #[test]
    fn an_empty_list_beside_null_makes_an_empty_map() {
        for state in [r#"{"a":[],"b":null}"#, r#"{"a":[],"b":[]}"#] {
            becomes::<Both>(state, r#"{"x":{}}"#);
            becomes::<Either>(state, r#"{"x":{}}"#);
        }
        becomes::<Both>(r#"{"a":[{"k":"v"}],"b":null}"#, r#"{"x":{"k":"v"}}"#);
        becomes::<Either>(r#"{"a":null,"b":[]}"#, r#"{"x":{}}"#);
        becomes::<Either>(r#"{"a":null,"b":[{"k":"v"}]}"#, r#"{"x":{"k":"v"}}"#);
        becomes::<Either>(r#"{"a":null,"b":null}"#, r#"{"x":null}"#);
    }

    #[test]
    fn operators_before_merge_count() {
        for two in [
            r#"{"x":[{"a":"1"},{"b":"2"}]}"#,
            r#"{"x":[{"a":"1","b":"2"}]}"#,
        ] {
            becomes::<NullIf>(two, r#"{"x":{"a":"1","b":"2"}}"#);
            becomes::<Default>(two, r#"{"x":{"a":"1","b":"2"}}"#);
            becomes::<After>(two, r#"{"x":{"a":"1","b":"2"}}"#);
            becomes::<Plain>(two, r#"{"x":{"a":"1","b":"2"}}"#);
            becomes::<Renamed>(&two.replacen('x', "y", 1), r#"{"x":{"a":"1","b":"2"}}"#);
        }
        becomes::<NullIf>(r#"{"x":[]}"#, r#"{"x":null}"#);
        becomes::<NullIf>(r#"{"x":null}"#, r#"{"x":null}"#);
        becomes::<Default>(r#"{"x":null}"#, r#"{"x":{}}"#);
        becomes::<Default>("{}", r#"{"x":{}}"#);
        becomes::<After>(r#"{"x":[]}"#, r#"{"x":null}"#);
        becomes::<Plain>(r#"{"x":[]}"#, r#"{"x":{}}"#);
        becomes::<Plain>(r#"{"x":null}"#, r#"{"x":null}"#);
        becomes::<Renamed>(r#"{"y":[]}"#, r#"{"x":{}}"#);
        is_refused::<Plain>(
            r#"{"x":[{"a":"1"},{"a":"2"}]}"#,
            &["two of the merged maps have different values for one key (at x[1][\"a\"])."],
        );
    }
}

mod null {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "unwrapped", version = 1)]
    #[upgrade_from(0 => 1, unwrap(x: Option<Vec<String>>, empty = refuse))]
    struct Unwrapped {
        x: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "unwrapped", version = 1)]
    #[upgrade_from(0 => 1, unwrap(x: Option<Vec<String>>, empty = refuse))]
    struct UnwrappedOptional {
        x: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "nested", version = 1)]
    #[upgrade_from(0 => 1, nest(a, b => x))]
    struct Nested {
        x: Members,
    }

    #[derive(Debug, Object)]
    struct Members {
        a: Option<String>,
        b: Option<i64>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "nested", version = 1)]
    #[upgrade_from(0 => 1, nest(a, b => x.y))]
    struct NestedTwice {
        x: Holder,
    }

    #[derive(Debug, Object)]
    struct Holder {
        y: Members,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "nested", version = 1)]
    #[upgrade_from(0 => 1, nest(a, b => x.y), rename(z => x.z))]
    struct NestedOptional {
        x: Option<Two>,
    }

    #[derive(Debug, Object)]
    struct Two {
        y: Members,
        z: Option<String>,
    }

    #[test]
    fn empty_refuse_refuses_null_too() {
        let refused = ["expected one element, found null (at x)."];
        for state in [r#"{"x":null}"#, "{}"] {
            is_refused::<Unwrapped>(state, &refused);
            is_refused::<UnwrappedOptional>(state, &refused);
        }
        is_refused::<Unwrapped>(r#"{"x":[]}"#, &["expected one element, found none (at x)."]);
        becomes::<Unwrapped>(r#"{"x":["a"]}"#, r#"{"x":"a"}"#);
    }

    #[test]
    fn a_required_object_is_made_of_nulls() {
        becomes::<Nested>("{}", r#"{"x":{"a":null,"b":null}}"#);
        becomes::<Nested>(r#"{"a":"1","b":null}"#, r#"{"x":{"a":"1","b":null}}"#);
        becomes::<NestedTwice>("{}", r#"{"x":{"y":{"a":null,"b":null}}}"#);
        becomes::<NestedOptional>("{}", r#"{"x":null}"#);
        becomes::<NestedOptional>(r#"{"z":"1"}"#, r#"{"x":{"y":{"a":null,"b":null},"z":"1"}}"#);
        becomes::<NestedOptional>(r#"{"b":2}"#, r#"{"x":{"y":{"a":null,"b":2},"z":null}}"#);
    }
}

mod faults {
    use super::*;

    #[derive(Debug, StringEnum)]
    enum Kind {
        A,
        B,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "faults", version = 1)]
    #[upgrade_from(0 => 1,
        convert(a: String, empty = refuse), convert(b: i64), convert(c: String), convert(d: String, empty = refuse),
        convert(e: Option<String>, json), rename(old: i64 => g), convert(g), convert(#[attribute(sensitive)] h: String))]
    struct Faults {
        a: i64,
        b: u8,
        c: Kind,
        d: u8,
        e: Option<Vec<String>>,
        g: i32,
        #[attribute(sensitive)]
        h: Kind,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "chained", version = 2)]
    #[upgrade_from(1 => 2, rename(size => lanes))]
    #[upgrade_from(0 => 1, convert(size: i64))]
    struct Chained {
        lanes: u8,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "lists", version = 1)]
    #[upgrade_from(0 => 1, each(convert(xs: Vec<i64>)))]
    struct Lists {
        xs: Vec<u8>,
    }

    fn state(change: &[(&str, &str)]) -> String {
        let mut all = BTreeMap::from([
            ("a", "\"1\""),
            ("b", "2"),
            ("c", "\"a\""),
            ("d", "\"3\""),
            ("e", "null"),
            ("h", "\"b\""),
            ("old", "4"),
        ]);
        all.extend(change.iter().copied());
        let members: Vec<String> = all
            .iter()
            .map(|(name, value)| format!("\"{name}\":{value}"))
            .collect();
        format!("{{{}}}", members.join(","))
    }

    #[test]
    fn a_value_that_does_not_fit_is_named_with_what_is_allowed() {
        becomes::<Faults>(
            &state(&[]),
            r#"{"a":1,"b":2,"c":"a","d":3,"e":null,"g":4,"h":"b"}"#,
        );
        let refused = |change: (&str, &str), expected: &str| {
            is_refused::<Faults>(&state(&[change]), &[expected]);
        };
        refused(
            ("b", "300"),
            "300 does not fit schema version 1: expected a whole number from 0 to 255 (at b).",
        );
        refused(
            ("d", "\"300\""),
            "300 does not fit schema version 1: expected a whole number from 0 to 255 (at d).",
        );
        refused(
            ("d", "\"1.5\""),
            "1.5 does not fit schema version 1: expected a whole number from 0 to 255 (at d).",
        );
        refused(
            ("c", "\"zz\""),
            r#""zz" does not fit schema version 1: expected one of "a", "b" (at c)."#,
        );
        refused(
            ("e", r#""[\"x\",null]""#),
            "null does not fit schema version 1: expected a value (at e[1]).",
        );
        refused(
            ("h", "\"hunter2\""),
            r#"a string (sensitive) does not fit schema version 1: expected one of "a", "b" (at h)."#,
        );
        refused(
            ("old", "3000000000"),
            "3000000000 does not fit schema version 1: expected a whole number from -2147483648 to 2147483647 (at g). g is made from `old` of version 0.",
        );
        is_refused::<Chained>(
            r#"{"size":300}"#,
            &[
                "300 does not fit schema version 1: expected a whole number from 0 to 255 (at size).",
            ],
        );
        is_refused::<Lists>(
            r#"{"xs":[1,300,2,-1]}"#,
            &[
                "300 does not fit schema version 1: expected a whole number from 0 to 255 (at xs[1]).",
                "-1 does not fit schema version 1: expected a whole number from 0 to 255 (at xs[3]).",
            ],
        );
    }

    #[test]
    fn all_that_does_not_fit_is_reported_at_once() {
        is_refused::<Faults>(
            &state(&[("a", "\"n\""), ("b", "300"), ("c", "\"zz\"")]),
            &[
                "\"n\" cannot be converted to a number (at a).",
                "300 does not fit schema version 1: expected a whole number from 0 to 255 (at b).",
                r#""zz" does not fit schema version 1: expected one of "a", "b" (at c)."#,
            ],
        );
        let many: Vec<String> = (0..60).map(|_| "300".to_owned()).collect();
        let errors = upgraded::<Lists>(&format!(r#"{{"xs":[{}]}}"#, many.join(","))).errors;
        assert_eq!(errors.len(), 51);
        assert_eq!(errors[50], "10 more values do not fit.");
    }

    #[test]
    fn nulls_of_required_fields_are_reported_at_once() {
        let errors =
            upgraded::<Faults>(&state(&[("b", "null"), ("c", "null"), ("d", "\"300\"")])).errors;
        assert_eq!(errors.len(), 3, "{errors:#?}");
        assert!(errors[0].ends_with("the stored value is null, but must not be (at b). If nobody edited it, a release stored it so: report this to the authors. For the authors: make the model's field an `Option`."), "{errors:#?}");
        assert!(
            errors[1].contains("(at c)") && errors[2].contains("(at d)"),
            "{errors:#?}"
        );
    }
}

mod durations {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "text", version = 1)]
    #[upgrade_from(0 => 1, convert(x: String, seconds))]
    struct FromText {
        x: i64,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "number", version = 1)]
    #[upgrade_from(0 => 1, convert(x: crate::Number, milliseconds))]
    struct FromNumber {
        x: String,
    }

    #[test]
    fn the_refusal_of_a_duration_shows_what_one_is() {
        becomes::<FromText>(r#"{"x":"1h30m"}"#, r#"{"x":5400}"#);
        for state in [r#"{"x":"5400"}"#, r#"{"x":5400}"#] {
            is_refused::<FromText>(
                state,
                &[
                    "\"5400\" is not a duration, such as \"1h30m\" or \"90s\": each number has its unit (at x).",
                ],
            );
        }
        is_refused::<FromText>(
            r#"{"x":"1500ms"}"#,
            &["\"1500ms\" is not a whole number of seconds (at x)."],
        );
        is_refused::<FromText>(
            r#"{"x":"99999999999h"}"#,
            &[
                "\"99999999999h\" is longer than a duration can be, which is 2562047h47m16.854775807s (64 bits of nanoseconds, as in Go) (at x).",
            ],
        );
        becomes::<FromNumber>(r#"{"x":5400000}"#, r#"{"x":"1h30m0s"}"#);
        is_refused::<FromNumber>(
            r#"{"x":1.5}"#,
            &["1.5 is not a whole number of milliseconds (at x)."],
        );
        is_refused::<FromNumber>(
            r#"{"x":9223372036854775807}"#,
            &[
                "9223372036854775807 milliseconds are longer than a duration can be, which is 2562047h47m16.854775807s (64 bits of nanoseconds, as in Go) (at x).",
            ],
        );
    }
}

mod unchanged {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "set", version = 1)]
    #[upgrade_from(0 => 1, set(x = 5), drop(x: i64, "it is always five"))]
    struct Set {
        x: i64,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "guarded", version = 1)]
    #[upgrade_from(0 => 1, only_if(is(kind, "a"), set(x = 5)), drop(x, "it is always five"))]
    struct Guarded {
        kind: String,
        x: i64,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "copied", version = 1)]
    #[upgrade_from(0 => 1, copy(y => x), drop(x: Option<String>, "it is y"))]
    struct Copied {
        x: Option<String>,
        y: Option<String>,
    }

    #[test]
    fn a_value_that_stays_is_not_reported_as_dropped() {
        becomes::<Set>(r#"{"x":5}"#, r#"{"x":5}"#);
        becomes::<Set>(r#"{"x":5.0}"#, r#"{"x":5}"#);
        assert_eq!(
            upgraded::<Set>(r#"{"x":6}"#).dropped,
            ["x: it is always five"]
        );
        becomes::<Guarded>(r#"{"kind":"a","x":5}"#, r#"{"kind":"a","x":5}"#);
        becomes::<Guarded>(r#"{"kind":"b","x":6}"#, r#"{"kind":"b","x":6}"#);
        assert_eq!(
            upgraded::<Guarded>(r#"{"kind":"a","x":6}"#).dropped,
            ["x: it is always five"]
        );
        becomes::<Copied>(r#"{"x":"1","y":"1"}"#, r#"{"x":"1","y":"1"}"#);
        assert_eq!(
            upgraded::<Copied>(r#"{"x":"1","y":"2"}"#).dropped,
            ["x: it is y"]
        );
        assert_eq!(
            upgraded::<Copied>(r#"{"x":"1","y":null}"#).dropped,
            ["x: it is y"]
        );
    }
}

mod dynamic {
    use super::*;
    use crate::Dynamic;

    #[derive(Debug, Resource)]
    #[resource(type_name = "dynamic", version = 1)]
    #[upgrade_from(0 => 1, convert(list: Option<Vec<String>>), convert(map: Option<BTreeMap<String, i64>>), convert(text: Option<String>, json))]
    struct Values {
        list: Option<Dynamic>,
        map: Option<Dynamic>,
        text: Option<Dynamic>,
    }

    #[test]
    fn a_dynamic_value_has_the_type_that_it_had() {
        becomes::<Values>(
            r#"{"list":["a","b"],"map":{"a":1},"text":"[1]"}"#,
            r#"{"list":{"value":["a","b"],"type":["list","string"]},"map":{"value":{"a":1},"type":["map","number"]},"text":{"value":[1],"type":["tuple",["number"]]}}"#,
        );
        becomes::<Values>(
            r#"{"list":[]}"#,
            r#"{"list":{"value":[],"type":["list","string"]},"map":null,"text":null}"#,
        );
    }
}
