//! A block that is not stored, one that is null and one without elements are the same to operators,
//! conditions, functions and structs, and on both ways: straight over the bytes and over values.

use std::collections::BTreeMap;

use upstate::{CurrentModel, Object, Registry, Resource, UpgradeRequest};

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Header {
    name: String,
    value: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Limit {
    cpu: Option<i64>,
    #[block]
    header: Vec<Header>,
}

/// What becomes of a state, with what is said to be discarded; on both ways the same.
fn upgraded<T: Resource + CurrentModel>(json: &str) -> Result<String, String> {
    let registry = Registry::new().with::<T>();
    let upgrade = |json: &str| {
        let response = registry.upgrade(&UpgradeRequest::json(T::TYPE_NAME, 0, json.as_bytes()));
        let discarded: Vec<String> = response
            .dropped()
            .iter()
            .map(|dropped| dropped.path.to_string())
            .collect();
        match response.state() {
            Some(state) => Ok(format!("{} {discarded:?}", String::from_utf8_lossy(state))),
            None => Err(response.diagnostics().to_string()),
        }
    };
    let interpreted = if json == "{}" {
        r#"{"zzz":1}"#.to_owned()
    } else {
        json.replacen('{', r#"{"zzz":1,"#, 1)
    };
    let answer = upgrade(json);
    assert_eq!(
        answer.is_ok(),
        upgrade(&interpreted).is_ok(),
        "{json}: {answer:?}"
    );
    if answer.is_ok() {
        assert_eq!(answer, upgrade(&interpreted), "{json}");
    }
    answer
}

/// Asserts that the three ways to store no block, and their neighbours, end the same.
#[track_caller]
fn same_of_nothing<T: Resource + CurrentModel>(
    block: &str,
    nothing: &str,
    beside: &str,
    expected: &str,
) {
    let state = |member: &str| {
        format!(
            "{{{}}}",
            [member, beside]
                .iter()
                .filter(|part| !part.is_empty())
                .copied()
                .collect::<Vec<_>>()
                .join(",")
        )
    };
    for member in [
        String::new(),
        format!(r#""{block}":null"#),
        format!(r#""{block}":{nothing}"#),
    ] {
        let state = state(&member);
        assert_eq!(upgraded::<T>(&state).as_deref(), Ok(expected), "{state}");
    }
}

mod function {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, convert(header, with = count), rename(entry => keys), convert(keys, with = keys))]
    pub struct Thing {
        header: i64,
        keys: Vec<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        #[block]
        header: Vec<Header>,
        #[block]
        entry: BTreeMap<String, Header>,
    }

    fn count(headers: Vec<Header>) -> Result<i64, String> {
        Ok(i64::try_from(headers.len()).unwrap_or(i64::MAX))
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the signature that operators ask for"
    )]
    fn keys(entries: BTreeMap<String, Header>) -> Result<Vec<String>, String> {
        Ok(entries.into_keys().collect())
    }

    #[test]
    fn a_function_gets_no_elements() {
        same_of_nothing::<Thing>("header", "[]", "", r#"{"header":0,"keys":[]} []"#);
        same_of_nothing::<Thing>(
            "entry",
            "{}",
            r#""header":[{"name":"a"}]"#,
            r#"{"header":1,"keys":[]} []"#,
        );
    }
}

mod unwrap {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, unwrap(limit, empty = object), unwrap(other))]
    pub struct Thing {
        limit: Option<Size>,
        other: Option<Size>,
    }

    #[derive(Debug, Object)]
    pub struct Size {
        cpu: Option<i64>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        #[block]
        limit: Vec<Size>,
        #[block]
        other: Vec<Size>,
    }

    #[test]
    fn no_element_is_what_the_operator_says() {
        same_of_nothing::<Thing>(
            "limit",
            "[]",
            "",
            r#"{"limit":{"cpu":null},"other":null} []"#,
        );
        same_of_nothing::<Thing>(
            "other",
            "[]",
            "",
            r#"{"limit":{"cpu":null},"other":null} []"#,
        );
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, unwrap(limit, empty = refuse), unwrap(other))]
    pub struct Strict {
        limit: Size,
        other: Option<Size>,
    }

    #[test]
    fn a_block_that_has_to_be_there_is_asked_for_in_one_way() {
        for state in ["{}", r#"{"limit":null}"#, r#"{"limit":[]}"#] {
            let refused = upgraded::<Strict>(state).unwrap_err();
            assert!(
                refused.contains("expected one element, found none (at limit)"),
                "{state}: {refused}"
            );
        }
    }
}

mod conditions {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(
        0,
        model = ThingV0,
        only_if(has(header), set(has = true)),
        only_if(lacks(header), set(lacks = true)),
        only_if(is(header, []), set(is_empty_list = true)),
        only_if(is(header, null), set(is_null = true)),
        only_if(is(header, empty), set(is_empty = true)),
        only_if(is(entry, {}), set(is_empty_map = true)),
        only_if(has(limit.header), set(has_inner = true)),
        only_if(is(limit.header, []), set(is_inner_empty = true)),
    )]
    pub struct Thing {
        #[block]
        header: Vec<Header>,
        #[block]
        entry: BTreeMap<String, Header>,
        #[block]
        limit: Vec<Limit>,
        has: Option<bool>,
        lacks: Option<bool>,
        is_empty_list: Option<bool>,
        is_null: Option<bool>,
        is_empty: Option<bool>,
        is_empty_map: Option<bool>,
        has_inner: Option<bool>,
        is_inner_empty: Option<bool>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        #[block]
        header: Vec<Header>,
        #[block]
        entry: BTreeMap<String, Header>,
        #[block]
        limit: Vec<Limit>,
    }

    fn answer(json: &str) -> serde_json::Value {
        let answer = upgraded::<Thing>(json).unwrap();
        serde_json::from_str(answer.strip_suffix(" []").unwrap()).unwrap()
    }

    #[test]
    fn guards_do_not_tell_them_apart() {
        for state in [
            "{}",
            r#"{"header":null,"entry":null}"#,
            r#"{"header":[],"entry":{}}"#,
        ] {
            let answer = answer(state);
            for name in [
                "lacks",
                "is_empty_list",
                "is_null",
                "is_empty",
                "is_empty_map",
            ] {
                assert_eq!(answer[name], true, "{name} of {state}");
            }
            assert!(answer["has"].is_null(), "{state}");
        }
        let full = answer(r#"{"header":[{"name":"a"}],"entry":{"k":{"name":"b"}}}"#);
        assert_eq!(full["has"], true);
        for name in [
            "lacks",
            "is_empty_list",
            "is_null",
            "is_empty",
            "is_empty_map",
        ] {
            assert!(full[name].is_null(), "{name}");
        }
    }

    #[test]
    fn nor_in_blocks_inside_of_blocks() {
        for state in [
            r#"{"limit":[{"cpu":1}]}"#,
            r#"{"limit":[{"cpu":1,"header":null}]}"#,
            r#"{"limit":[{"cpu":1,"header":[]}]}"#,
        ] {
            let answer = answer(state);
            assert!(answer["has_inner"].is_null(), "{state}");
            assert_eq!(answer["is_inner_empty"], true, "{state}");
        }
        assert_eq!(
            answer(r#"{"limit":[{"header":[{"name":"a"}]}]}"#)["has_inner"],
            true
        );
    }
}

mod existing {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        #[block]
        old: Vec<Header>,
        #[block]
        new: Vec<Header>,
    }

    macro_rules! models {
        ($($name:ident: $existing:ident;)*) => {$(
            #[derive(Debug, Resource)]
            #[resource(type_name = "example_thing", version = 1)]
            #[upgrade_from(0, model = ThingV0, rename(old => new, existing = $existing))]
            pub struct $name {
                #[block]
                new: Vec<Header>,
            }
        )*};
    }

    models! {
        Keep: keep;
        Replace: replace;
        Refuse: refuse;
    }

    const A: &str = r#"[{"name":"a"}]"#;

    #[test]
    fn a_block_without_elements_is_no_value() {
        let a = r#"{"new":[{"name":"a","value":null}]} []"#;
        same_of_nothing::<Keep>("new", "[]", &format!(r#""old":{A}"#), a);
        same_of_nothing::<Replace>("new", "[]", &format!(r#""old":{A}"#), a);
        same_of_nothing::<Refuse>("new", "[]", &format!(r#""old":{A}"#), a);
        same_of_nothing::<Keep>("old", "[]", &format!(r#""new":{A}"#), a);
        same_of_nothing::<Replace>("old", "[]", &format!(r#""new":{A}"#), a);
        same_of_nothing::<Refuse>("old", "[]", &format!(r#""new":{A}"#), a);
    }

    #[test]
    fn the_one_that_does_not_count_is_named() {
        let both = format!(r#"{{"old":{A},"new":[{{"name":"b"}}]}}"#);
        assert_eq!(
            upgraded::<Keep>(&both).unwrap(),
            r#"{"new":[{"name":"b","value":null}]} ["old"]"#
        );
        assert_eq!(
            upgraded::<Replace>(&both).unwrap(),
            r#"{"new":[{"name":"a","value":null}]} ["new"]"#
        );
        assert!(
            upgraded::<Refuse>(&both)
                .unwrap_err()
                .contains("they differ")
        );
        let same = format!(r#"{{"old":{A},"new":{A}}}"#);
        assert_eq!(
            upgraded::<Keep>(&same).unwrap(),
            r#"{"new":[{"name":"a","value":null}]} []"#
        );
        assert_eq!(
            upgraded::<Replace>(&same).unwrap(),
            r#"{"new":[{"name":"a","value":null}]} []"#
        );
    }
}

mod carried {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, rename(entry => entries), wrap(limit))]
    pub struct Thing {
        /// A block before.
        header: Vec<Header>,
        entries: Option<BTreeMap<String, Header>>,
        #[block]
        limit: Vec<Limit>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        #[block]
        header: Vec<Header>,
        #[block]
        entry: BTreeMap<String, Header>,
        #[block]
        limit: Option<Limit>,
    }

    #[test]
    fn what_was_a_block_and_is_an_attribute_has_no_elements() {
        same_of_nothing::<Thing>(
            "header",
            "[]",
            "",
            r#"{"entries":{},"header":[],"limit":[]} []"#,
        );
        same_of_nothing::<Thing>(
            "entry",
            "{}",
            "",
            r#"{"entries":{},"header":[],"limit":[]} []"#,
        );
        same_of_nothing::<Thing>(
            "limit",
            "null",
            "",
            r#"{"entries":{},"header":[],"limit":[]} []"#,
        );
    }
}

mod dropped {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, drop(header, "nobody reads them"))]
    pub struct Thing {
        #[block]
        limit: Vec<Small>,
    }

    #[derive(Debug, Object)]
    #[upgrade_from(model = Limit, drop(header, "nor these"))]
    pub struct Small {
        cpu: Option<i64>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        #[block]
        header: Vec<Header>,
        #[block]
        limit: Vec<Limit>,
    }

    #[test]
    fn a_block_without_elements_is_not_said_to_be_lost() {
        same_of_nothing::<Thing>("header", "[]", "", r#"{"limit":[]} []"#);
        let inner = r#"{"limit":[{"cpu":null}]} []"#;
        assert_eq!(
            upgraded::<Thing>(r#"{"limit":[{"header":[]}]}"#).as_deref(),
            Ok(inner)
        );
        assert_eq!(upgraded::<Thing>(r#"{"limit":[{}]}"#).as_deref(), Ok(inner));
        assert!(
            upgraded::<Thing>(r#"{"header":[{"name":"a"}]}"#)
                .unwrap()
                .ends_with(r#"["header"]"#)
        );
    }
}

mod kit {
    use upstate::testing::Hostile;
    use upstate::{Diagnostics, UpgradeContext};

    use super::*;

    #[test]
    fn hostile_states_hold_every_way_to_store_no_block() {
        Hostile::new::<function::Thing>().check();
        Hostile::new::<unwrap::Thing>().check();
        Hostile::new::<conditions::Thing>().check();
        Hostile::new::<existing::Keep>().check();
        Hostile::new::<existing::Refuse>().check();
        Hostile::new::<carried::Thing>().check();
        Hostile::new::<dropped::Thing>().check();
    }

    /// An upgrade that tells what means one thing apart.
    #[derive(Debug, Resource)]
    #[resource(type_name = "example_picky", version = 1)]
    #[upgrade_from(0, model = PickyV0, with = upgrade)]
    pub struct Picky {
        stored: bool,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_picky", version = 0)]
    pub struct PickyV0 {
        #[block]
        header: Vec<Header>,
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the signature that upgraders have"
    )]
    fn upgrade(_: PickyV0, context: &mut UpgradeContext<'_>) -> Result<Picky, Diagnostics> {
        let json = context.raw_state().json().unwrap_or_default();
        Ok(Picky {
            stored: String::from_utf8_lossy(json).contains("header"),
        })
    }

    #[test]
    fn an_upgrade_that_tells_them_apart_is_found() {
        let report = Hostile::new::<Picky>().run();
        assert!(
            report.problems().iter().any(|problem| problem.starts_with(
                "version 0 of example_picky, header is null: it ends otherwise than where header is not there, which means the same"
            )),
            "{report}"
        );
    }
}
