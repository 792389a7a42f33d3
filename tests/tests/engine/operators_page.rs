//! The guide's page of operators: each form of its table upgrades a state here, and what the page
//! says of edges is so.

use std::collections::{BTreeMap, BTreeSet};

use upstate::{
    Diagnostics, Document, Number, Object, Registry, Resource, Union, UpgradeContext,
    UpgradeRequest,
};

/// Declares a model whose version 0 is what the operators say.
macro_rules! model {
    ($name:ident [$($operators:tt)*] { $($(#[$attribute:meta])* $field:ident: $type:ty),* $(,)? }) => {
        #[derive(Debug, Resource)]
        #[resource(type_name = "page_model", version = 1)]
        #[upgrade_from(0 => 1, $($operators)*)]
        struct $name { $($(#[$attribute])* $field: $type,)* }
    };
}

macro_rules! makes {
    ($model:ident, $($stored:expr => $json:expr),+ $(,)?) => {$(
        let model: $model = upstate::upgrade_json(0, $stored).unwrap_or_else(|problem| panic!("{}: {problem}", $stored));
        assert_eq!(String::from_utf8(upstate::to_json(&model).unwrap()).unwrap(), $json, "{}", $stored);
    )+};
}

macro_rules! refuses {
    ($model:ident, $($stored:expr => $message:expr),+ $(,)?) => {$(
        let refused = upstate::upgrade_json::<$model>(0, $stored).map(|model| format!("{model:?}")).unwrap_err().to_string();
        assert!(refused.contains($message), "{}: {refused}", $stored);
    )+};
}

#[derive(Debug, Object)]
struct Place {
    zone: Option<String>,
}

#[derive(Debug, Object)]
struct Port {
    port: Option<i64>,
}

#[test]
fn names_and_values() {
    model!(Renamed [rename(old => new)] { new: String });
    makes!(Renamed, r#"{"old":"a"}"# => r#"{"new":"a"}"#);
    model!(Kept [rename(old => new, existing = keep)] { new: Option<String> });
    makes!(Kept, r#"{"old":"a","new":"b"}"# => r#"{"new":"b"}"#, r#"{"old":"a","new":null}"# => r#"{"new":"a"}"#);
    model!(Replaced [rename(old => new, existing = replace)] { new: Option<String> });
    makes!(Replaced, r#"{"old":"a","new":"b"}"# => r#"{"new":"a"}"#);
    model!(Copied [copy(id => project_id)] { id: String, project_id: String });
    makes!(Copied, r#"{"id":"a"}"# => r#"{"id":"a","project_id":"a"}"#);
    model!(Dropped [drop(a: u8, "why")] { b: String });
    makes!(Dropped, r#"{"a":300,"b":"c"}"# => r#"{"b":"c"}"#);
    refuses!(Dropped, r#"{"a":[1],"b":"c"}"# => "(at a)");
    model!(Defaulted [default(x = 3, when = (null, 0))] { x: i64 });
    makes!(Defaulted, r#"{"x":null}"# => r#"{"x":3}"#, r#"{"x":0}"# => r#"{"x":3}"#, r#"{"x":1}"# => r#"{"x":1}"#);
    model!(Nulled [null_if((a, b), "")] { a: Option<String>, b: Option<String> });
    makes!(Nulled, r#"{"a":"","b":"c"}"# => r#"{"a":null,"b":"c"}"#);
    model!(Carried [carry] { a: String });
    makes!(Carried, r#"{"a":"b"}"# => r#"{"a":"b"}"#);
    model!(Listed [carry(x: BTreeSet<String>)] { x: Vec<String> });
    makes!(Listed, r#"{"x":["b","a"]}"# => r#"{"x":["a","b"]}"#);
    model!(Filtered [filter(x, "", null)] { x: Vec<String> });
    makes!(Filtered, r#"{"x":["a","",null]}"# => r#"{"x":["a"]}"#);
    model!(Tagged [filter(x, key = "aws:{_..}")] { x: BTreeMap<String, String> });
    makes!(Tagged, r#"{"x":{"aws:a":"1","b":"2"}}"# => r#"{"x":{"b":"2"}}"#);
}

#[test]
fn a_value_that_is_put_in_place_of_the_same_one_is_not_reported() {
    model!(Set [set(x = true), drop(x, "always on")] { x: bool });
    makes!(Set, r#"{"x":false}"# => r#"{"x":true}"#);
    let registry = Registry::new().with::<Set>();
    let dropped = |stored: &str| {
        registry
            .upgrade(&UpgradeRequest::json("page_model", 0, stored.as_bytes()))
            .dropped()
            .len()
    };
    assert_eq!(
        (dropped(r#"{"x":false}"#), dropped(r#"{"x":true}"#)),
        (1, 0)
    );
}

#[test]
fn scalars() {
    model!(Number7 [convert(x: Number)] { x: String });
    makes!(Number7, r#"{"x":7.10}"# => r#"{"x":"7.1"}"#, r#"{"x":1e3}"# => r#"{"x":"1000"}"#);
    model!(Narrow [convert(x: u8)] { x: String });
    makes!(Narrow, r#"{"x":1.5}"# => r#"{"x":"1.5"}"#);
    model!(Parsed [convert(x: String, empty = refuse)] { x: i64 });
    makes!(Parsed, r#"{"x":"007"}"# => r#"{"x":7}"#, r#"{"x":"+7"}"# => r#"{"x":7}"#, r#"{"x":"7."}"# => r#"{"x":7}"#,
        r#"{"x":"-0"}"# => r#"{"x":0}"#, r#"{"x":"1e2"}"# => r#"{"x":100}"#);
    refuses!(Parsed, r#"{"x":" 7"}"# => "(at x)", r#"{"x":"0x10"}"# => "(at x)", r#"{"x":"1_000"}"# => "(at x)", r#"{"x":""}"# => "(at x)");
    model!(Zero [convert(x: String, empty = zero)] { x: i64 });
    makes!(Zero, r#"{"x":""}"# => r#"{"x":0}"#);
    model!(Null [convert(x: Option<String>, empty = null)] { x: Option<i64> });
    makes!(Null, r#"{"x":""}"# => r#"{"x":null}"#);
    model!(Json [convert((a, b): Option<String>, json)] { a: Option<Vec<String>>, b: Option<Vec<String>> });
    makes!(Json, r#"{"a":"[\"x\"]","b":null}"# => r#"{"a":["x"],"b":null}"#);
    model!(Seconds [convert(x: String, seconds)] { x: i64 });
    makes!(Seconds, r#"{"x":"1h30m"}"# => r#"{"x":5400}"#, r#"{"x":"1m1h"}"# => r#"{"x":3660}"#, r#"{"x":"+1h"}"# => r#"{"x":3600}"#,
        r#"{"x":".5m"}"# => r#"{"x":30}"#, r#"{"x":"0"}"# => r#"{"x":0}"#, r#"{"x":"1d"}"# => r#"{"x":86400}"#);
    refuses!(Seconds, r#"{"x":"5"}"# => "(at x)", r#"{"x":"1ms"}"# => "(at x)");
    model!(Milliseconds [convert(x: String, milliseconds)] { x: i64 });
    makes!(Milliseconds, r#"{"x":"1.5s"}"# => r#"{"x":1500}"#);
    model!(Length [convert(x: String, length)] { x: i64 });
    makes!(Length, r#"{"x":"é"}"# => r#"{"x":2}"#);
    model!(Trimmed [convert(x, trimmed)] { x: String });
    makes!(Trimmed, "{\"x\":\"\u{a0}\u{2003}a \"}" => r#"{"x":"a"}"#, "{\"x\":\"\u{feff}a\u{200b}\"}" => "{\"x\":\"\u{feff}a\u{200b}\"}");
    model!(Lower [convert(x, lowercase)] { x: String });
    makes!(Lower, r#"{"x":"ÉΣ9"}"# => r#"{"x":"éσ9"}"#);
    model!(Each [each(convert(x: Vec<String>, empty = refuse))] { x: Vec<i64> });
    makes!(Each, r#"{"x":["1","2"]}"# => r#"{"x":[1,2]}"#);
    model!(Values [values(x, "a" => "b", _ => keep)] { x: String });
    makes!(Values, r#"{"x":"a"}"# => r#"{"x":"b"}"#, r#"{"x":"c"}"# => r#"{"x":"c"}"#);
    model!(Table [values(x, "a" => "b")] { x: String });
    refuses!(Table, r#"{"x":"c"}"# => "(at x)");
}

fn size(text: String) -> Result<u64, String> {
    text.trim_end_matches(" GB")
        .parse()
        .map_err(|_| "it is not a size".to_owned())
}

fn address(host: String, port: Option<u16>) -> Result<String, String> {
    Ok(port.map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
}

fn id_of(name: String, _context: &UpgradeContext<'_>) -> Result<i64, Diagnostics> {
    Ok(name.chars().map(|_| 1).sum())
}

#[test]
fn functions() {
    model!(With [convert(size: String, with = size)] { size: u64 });
    makes!(With, r#"{"size":"2 GB"}"# => r#"{"size":2}"#);
    model!(Several [convert(host: String, port: Option<u16> => address, with = address)] { address: Option<String> });
    makes!(Several, r#"{"host":"a","port":1}"# => r#"{"address":"a:1"}"#);
    model!(Filled [fill(name => id, with = id_of, context)] { name: String, id: i64 });
    makes!(Filled, r#"{"name":"abc"}"# => r#"{"id":3,"name":"abc"}"#);
}

#[test]
fn strings_with_a_form() {
    model!(Form [reformat(x, "{a}/{b}" => "as/{a}/bs/{b}")] { x: String });
    makes!(Form, r#"{"x":"1/2"}"# => r#"{"x":"as/1/bs/2"}"#);
    refuses!(Form, r#"{"x":"1"}"# => "(at x)");
    model!(Case [reformat(x, "/as/{a}", ignore_case)] { x: String });
    makes!(Case, r#"{"x":"/AS/B"}"# => r#"{"x":"/as/B"}"#);
    model!(Made [reformat(id = "{a}/{b:lower}"), drop(id, "it was the name")] { id: String, a: String, b: String });
    makes!(Made, r#"{"id":"x","a":"A","b":"B"}"# => r#"{"a":"A","b":"B","id":"A/b"}"#);
    model!(Parts [split(old: String, "{a}_{b}")] { a: String, b: String });
    makes!(Parts, r#"{"old":"1_2"}"# => r#"{"a":"1","b":"2"}"#);
    refuses!(Parts, r#"{"old":"1_2_3"}"# => "(at old)");
    model!(Letters [split(old: String, "{a}and{b}")] { a: String, b: String });
    makes!(Letters, r#"{"old":"xandyandz"}"# => r#"{"a":"x","b":"yandz"}"#);
    model!(Missing [split(old: String, "{a|https}://{b}")] { a: String, b: String });
    makes!(Missing, r#"{"old":"ftp://a:b"}"# => r#"{"a":"ftp","b":"a:b"}"#, r#"{"old":"h"}"# => r#"{"a":"https","b":"h"}"#);
    model!(Url [split(old: String, url(scheme, host, port | 443, path))] { scheme: String, host: String, port: u16, path: String });
    makes!(Url, r#"{"old":"https://A.b/c"}"# => r#"{"host":"a.b","path":"/c","port":443,"scheme":"https"}"#);
    model!(Cut [split(x: String, ",")] { x: Vec<String> });
    makes!(Cut, r#"{"x":"a,b"}"# => r#"{"x":["a","b"]}"#);
    model!(Joined [join(x: Vec<String>, ",")] { x: String });
    makes!(Joined, r#"{"x":["a","b"]}"# => r#"{"x":"a,b"}"#);
    refuses!(Joined, r#"{"x":["a,b"]}"# => "separator");
}

#[test]
fn collections() {
    model!(Merged [merge(a: Option<Vec<String>>, b: Option<Vec<String>> => x)] { x: Option<Vec<String>> });
    makes!(Merged, r#"{"a":["1"],"b":["2"]}"# => r#"{"x":["1","2"]}"#, r#"{"a":null,"b":["2"]}"# => r#"{"x":["2"]}"#,
        r#"{"a":null,"b":null}"# => r#"{"x":null}"#);
    model!(Entries [merge(x: Option<Vec<BTreeMap<String, String>>>)] { x: Option<BTreeMap<String, String>> });
    makes!(Entries, r#"{"x":[{"a":"1"},{"a":"1"}]}"# => r#"{"x":{"a":"1"}}"#);
    refuses!(Entries, r#"{"x":[{"a":"1"},{"a":"2"}]}"# => "(at x");
    #[derive(Debug, Object)]
    struct Pair {
        a: String,
        b: i64,
    }
    model!(Zipped [zip(a: Option<Vec<String>>, b: Option<Vec<i64>> => x)] { x: Option<Vec<Pair>> });
    makes!(Zipped, r#"{"a":["p"],"b":[1]}"# => r#"{"x":[{"a":"p","b":1}]}"#, r#"{"a":null,"b":null}"# => r#"{"x":null}"#,
        r#"{"a":[],"b":[]}"# => r#"{"x":[]}"#);
    refuses!(Zipped, r#"{"a":["p"],"b":[]}"# => "(at ", r#"{"a":[],"b":null}"# => "(at ");
    model!(Map [convert(x: Port)] { x: BTreeMap<String, Option<i64>> });
    makes!(Map, r#"{"x":{"port":null}}"# => r#"{"x":{}}"#, r#"{"x":{"port":1}}"# => r#"{"x":{"port":1}}"#);
    model!(Unwrapped [unwrap(x: Option<Vec<String>>)] { x: Option<String> });
    makes!(Unwrapped, r#"{"x":["a"]}"# => r#"{"x":"a"}"#, r#"{"x":[]}"# => r#"{"x":null}"#, r#"{"x":null}"# => r#"{"x":null}"#);
    refuses!(Unwrapped, r#"{"x":["a","b"]}"# => "(at x)");
    model!(Objects [unwrap(x: Option<Vec<Port>>, empty = object)] { x: Option<Port> });
    makes!(Objects, r#"{"x":[]}"# => r#"{"x":{"port":null}}"#, r#"{"x":null}"# => r#"{"x":null}"#);
    model!(Wrapped [wrap(x: String)] { x: Vec<String> });
    makes!(Wrapped, r#"{"x":"a"}"# => r#"{"x":["a"]}"#, r#"{"x":null}"# => r#"{"x":[]}"#);
    model!(Member [unwrap(x: Option<Place>, member = zone)] { x: Option<String> });
    makes!(Member, r#"{"x":{"zone":"z"}}"# => r#"{"x":"z"}"#);
    model!(Within [wrap(x: Option<String>, as = zone)] { x: Option<Place> });
    makes!(Within, r#"{"x":"z"}"# => r#"{"x":{"zone":"z"}}"#, r#"{"x":null}"# => r#"{"x":null}"#);
    #[derive(Debug, Object)]
    struct Named {
        name: String,
    }
    model!(Keyed [rekey(x: BTreeMap<String, Place>, by = name)] { x: Vec<Located> });
    #[derive(Debug, Object)]
    struct Located {
        name: String,
        zone: Option<String>,
    }
    makes!(Keyed, r#"{"x":{"b":{"zone":null},"a":{"zone":"z"}}}"# =>
        r#"{"x":[{"name":"a","zone":"z"},{"name":"b","zone":null}]}"#);
    model!(Nested [nest(zone => place)] { place: Option<Place> });
    makes!(Nested, r#"{"zone":"z"}"# => r#"{"place":{"zone":"z"}}"#, "{}" => r#"{"place":null}"#);
    model!(Unnested [unnest(place: Option<Place> => zone)] { zone: Option<String> });
    makes!(Unnested, r#"{"place":{"zone":"z"}}"# => r#"{"zone":"z"}"#);
    model!(Out [rename(x.port: i64 => port)] { port: i64, x: Named });
    makes!(Out, r#"{"x":{"name":"a","port":1}}"# => r#"{"port":1,"x":{"name":"a"}}"#);
    model!(Inside [within(place, rename(region => zone))] { place: Place });
    makes!(Inside, r#"{"place":{"region":"z"}}"# => r#"{"place":{"zone":"z"}}"#);
}

#[test]
fn conditions() {
    model!(Refused [only_if(is(mode, "old"), refuse("run 1.4 first")), warn(mode, "look at it")] { mode: String });
    makes!(Refused, r#"{"mode":"new"}"# => r#"{"mode":"new"}"#);
    refuses!(Refused, r#"{"mode":"old"}"# => "run 1.4 first");
}

#[test]
fn enums_with_data() {
    #[derive(Debug, Document)]
    #[document(type_name = "page.settings", version = 1)]
    #[upgrade_from(0 => 1, variants(theme, "tinted" => "custom", drop("sepia", "why", as = "plain"), add("named")))]
    struct Settings {
        theme: Theme,
    }
    #[derive(Debug, Union)]
    #[union(tag = "kind", rename_all = "camelCase")]
    enum Theme {
        Plain,
        Custom { accent: String },
        Named { name: String },
    }
    makes!(Settings, r#"{"theme":{"kind":"tinted","accent":"a"}}"# => r#"{"theme":{"kind":"custom","accent":"a"}}"#,
        r#"{"theme":{"kind":"sepia"}}"# => r#"{"theme":{"kind":"plain"}}"#);
}

#[test]
fn an_object_that_flat_state_does_not_have_is_null() {
    model!(Flat [rename(title => name)] { name: String, limits: Option<Limits> });
    #[derive(Debug, Object)]
    struct Limits {
        cpu: i64,
    }
    let flat = BTreeMap::from([("title".to_owned(), "a".to_owned())]);
    let response = Registry::new()
        .with::<Flat>()
        .upgrade(&UpgradeRequest::flatmap("page_model", 0, &flat));
    assert_eq!(
        response.state(),
        Some(br#"{"limits":null,"name":"a"}"#.as_slice()),
        "{response:?}"
    );
}

/// The forms of the page's table, with the words that tell them apart.
#[test]
fn every_form_of_the_table_is_above() {
    const TELLING: [&str; 14] = [
        "json",
        "seconds",
        "milliseconds",
        "length",
        "trimmed",
        "lowercase",
        "with",
        "ignore_case",
        "url",
        "member",
        "as",
        "key",
        "by",
        "existing",
    ];
    let page = include_str!("../../../docs/src/operators.md");
    let here: String = include_str!("operators_page.rs")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let (_, table) = page
        .split_once("<!-- From the rows in words/src/operators -->")
        .unwrap();
    let (table, _) = table.split_once("<!-- So far -->").unwrap();
    let mut seen = 0;
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let (forms, _) = line[2..].split_once("` | ").unwrap();
        for form in forms.split("`, `") {
            let form = form.trim_start_matches('`');
            let (word, arguments) = form.split_once('(').unwrap_or((form, ""));
            assert!(
                here.contains(&format!("{word}(")) || word == "carry",
                "no model above has {form}"
            );
            let names = arguments.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            for name in names.filter(|name| TELLING.contains(name)) {
                let has = here.match_indices(&format!("{word}(")).any(|(at, _)| {
                    let rest = &here[at..];
                    rest[..rest
                        .find("] {")
                        .or_else(|| rest.find("struct"))
                        .unwrap_or(rest.len())]
                        .contains(name)
                });
                assert!(has, "no model above has `{name}` of {form}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 40, "only {seen} forms were seen");
}
