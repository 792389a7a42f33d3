//! Operators under conditions, and functions of the author: what the compiler follows through them,
//! and what comes of it.

use crate::both_paths::upgraded;
use std::collections::BTreeMap;

use upstate::{Object, Resource};

mod another_shape {
    use super::*;

    /// One text, where there was a list under another name.
    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(
        0,
        model = ThingV0,
        only_if(is(kind, "list"), rename(parts => text), convert(text, with = joined)),
        drop(parts, "only lists have parts"),
    )]
    pub struct Thing {
        kind: String,
        text: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        kind: String,
        parts: Vec<String>,
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the signature that operators ask for"
    )]
    fn joined(parts: Vec<String>) -> Result<String, String> {
        Ok(parts.concat())
    }

    #[test]
    fn operators_under_one_condition_act_together() {
        assert_eq!(
            upgraded::<Thing>(r#"{"kind":"list","parts":["a","b"]}"#).unwrap(),
            r#"{"kind":"list","text":"ab"}"#
        );
        assert_eq!(
            upgraded::<Thing>(r#"{"kind":"other","parts":["a"]}"#).unwrap(),
            r#"{"kind":"other","text":null} parts: only lists have parts"#
        );
    }
}

mod one_or_the_other {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(
        0,
        model = ThingV0,
        only_if(is(kind, "file"), rename(target => path)),
        only_if(not(is(kind, "file")), rename(target => url)),
        only_if(all(has(size), is(kind, "file")), convert(size, with = bytes)),
        only_if(any(lacks(size), not(is(kind, "file"))), set(size = null)),
        drop(size, "only files have one"),
    )]
    pub struct Thing {
        kind: String,
        path: Option<String>,
        url: Option<String>,
        size: Option<i64>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        kind: String,
        target: Option<String>,
        size: Option<String>,
    }

    fn bytes(size: String) -> Result<i64, String> {
        size.trim_end_matches('B')
            .parse()
            .map_err(|_| "it is not a number of bytes".to_owned())
    }

    #[test]
    fn what_one_of_two_opposite_conditions_moves_is_not_lost() {
        assert_eq!(
            upgraded::<Thing>(r#"{"kind":"file","target":"/a","size":"7B"}"#).unwrap(),
            r#"{"kind":"file","path":"/a","size":7,"url":null}"#
        );
        assert_eq!(
            upgraded::<Thing>(r#"{"kind":"web","target":"x","size":"7B"}"#).unwrap(),
            r#"{"kind":"web","path":null,"size":null,"url":"x"} size: only files have one"#
        );
    }
}

mod filled {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(
        0,
        model = ThingV0,
        only_if(lacks(length), set(length = 3)),
        only_if(has(width), rename(width => breadth)),
        only_if(lacks(width), set(breadth = 1)),
    )]
    pub struct Thing {
        length: i64,
        breadth: i64,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        length: Option<i64>,
        width: Option<i64>,
    }

    #[test]
    fn a_condition_tells_where_there_is_a_value() {
        assert_eq!(
            upgraded::<Thing>("{\"width\":null}").unwrap(),
            r#"{"breadth":1,"length":3}"#
        );
        assert_eq!(
            upgraded::<Thing>(r#"{"length":7,"width":8}"#).unwrap(),
            r#"{"breadth":8,"length":7}"#
        );
    }
}

mod rekeyed {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, rekey(headers, by = header), each(unwrap(headers, member = values)))]
    pub struct Thing {
        headers: BTreeMap<String, Vec<String>>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        headers: Vec<Header>,
    }

    #[derive(Debug, Object)]
    pub struct Header {
        header: String,
        values: Vec<String>,
    }

    #[test]
    fn the_key_is_not_lost_when_one_member_is_taken_out() {
        assert_eq!(
            upgraded::<Thing>(
                r#"{"headers":[{"header":"b","values":["1","2"]},{"header":"a","values":[]}]}"#
            )
            .unwrap(),
            r#"{"headers":{"a":[],"b":["1","2"]}}"#
        );
    }
}

mod functions {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(
        0,
        model = ThingV0,
        convert(port, with = number),
        each(convert(ports, with = number)),
        convert(rank, with = rank),
        only_if(is(kind, "x"), rename(old => size)),
        convert(size, with = number),
        convert(level, with = number),
        default(level = 1),
        drop(old, "only x has one"),
        drop(size, "x has another"),
    )]
    pub struct Thing {
        kind: Option<String>,
        port: Option<i64>,
        ports: Vec<Option<i64>>,
        rank: String,
        size: Option<i64>,
        level: i64,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        kind: Option<String>,
        port: Option<String>,
        ports: Vec<Option<String>>,
        rank: Option<i64>,
        size: Option<String>,
        old: Option<String>,
        level: Option<String>,
    }

    fn number(text: String) -> Result<i64, String> {
        text.parse().map_err(|_| "it is not a number".to_owned())
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the signature that operators ask for"
    )]
    fn rank(rank: Option<i64>) -> Result<String, String> {
        Ok(rank.map_or_else(|| "none".to_owned(), |rank| rank.to_string()))
    }

    #[test]
    fn null_passes_a_function_that_does_not_take_it() {
        assert_eq!(
            upgraded::<Thing>(r#"{"ports":["1",null],"size":null,"old":null,"kind":"x"}"#).unwrap(),
            r#"{"kind":"x","level":1,"port":null,"ports":[1,null],"rank":"none","size":null}"#
        );
        assert_eq!(
            upgraded::<Thing>(
                r#"{"port":"7","ports":[],"rank":2,"size":"8","kind":"y","level":"9"}"#
            )
            .unwrap(),
            r#"{"kind":"y","level":9,"port":7,"ports":[],"rank":"2","size":8}"#
        );
        let refused = upgraded::<Thing>(r#"{"ports":["1","x"]}"#).unwrap_err();
        assert!(
            refused.contains("it is not a number (at ports[1])"),
            "{refused}"
        );
    }
}
