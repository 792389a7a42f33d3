//! Prior versions written as differences: what they are, and that they are and do the same as a history written with structs.

use upstate::schema::Schema;
use upstate::{Registry, Resource, UpgradeRequest, upgrade_json};
use upstate_compat::lock::Lock;
use upstate_compat::{Release, Snapshot};

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_server", version = 2)]
#[upgrade_from(1 => 2, rename(title => name), default(retries = 3), convert(port: Option<String>, empty = null))]
#[upgrade_from(0 => 1, drop(legacy: Option<String>, "the API no longer has it"))]
struct Server {
    #[attribute(computed)]
    id: String,
    name: String,
    retries: i64,
    port: Option<u16>,
}

#[test]
fn a_chain_of_differences_reads_what_each_version_stored() {
    let server = |id: &str| Server { id: id.into(), name: "web".into(), retries: 3, port: Some(80) };
    let one: Server = upgrade_json(1, r#"{"id": "a", "title": "web", "retries": null, "port": "80"}"#).unwrap();
    assert_eq!(one, server("a"));
    let zero: Server = upgrade_json(0, r#"{"id": "a", "title": "web", "port": "80", "legacy": "x"}"#).unwrap();
    assert_eq!(zero, server("a"));
    let history = Server::HISTORY;
    let one = history.steps()[0].via().unwrap();
    assert_eq!((one.version(), one.steps().len(), one.is_prior()), (1, 1, true));
    assert_eq!(one.rust_name(), "Server (version 1)");
    let names =
        |schema: &'static Schema| schema.block().attributes().iter().map(upstate::schema::Attribute::name).collect::<Vec<_>>();
    assert_eq!(names(one.schema()), ["id", "port", "retries", "title"]);
    assert_eq!(names(one.steps()[0].via().unwrap().schema()), ["id", "legacy", "port", "retries", "title"]);
}

/// The lock of what a registry serves.
fn locked(registry: &Registry) -> String {
    let mut lock = Lock::default();
    let release: Release = "1.0.0".parse().unwrap();
    lock.freeze(&Snapshot::of(registry).at(release.clone()), release).unwrap();
    lock.to_string()
}

/// What becomes of a state: all that is told of it, too.
fn outcome(registry: &Registry, version: u64, json: &str) -> String {
    let response = registry.upgrade(&UpgradeRequest::json("example_thing", version, json.as_bytes()));
    let state = response.state().map(|state| String::from_utf8(state.to_vec()).unwrap());
    let told: Vec<String> = response
        .diagnostics()
        .iter()
        .map(|told| {
            format!("{:?} {}: {} {:?}", told.severity(), told.summary(), told.detail(), told.path().map(ToString::to_string))
        })
        .collect();
    format!("{state:?} {told:#?} {:?} {:?}", response.undefined(), response.dropped())
}

/// One history in both forms: what is stored under each version, and what becomes of it, must be the same.
macro_rules! same {
    (
        $name:ident, $version:literal,
        structs: { $($prior:item)* }
        upgraders: { $(#[$upgrader:meta])* }
        differences: { $(#[$difference:meta])* }
        now: { $($(#[$attribute:meta])* $field:ident: $ty:ty,)* }
        states: $states:expr $(, with: { $($item:item)* })?
    ) => {
        #[allow(dead_code)]
        mod $name {
            mod structs {
                $($($item)*)?
                $($prior)*
                #[derive(Debug, upstate::Resource)]
                #[resource(type_name = "example_thing", version = $version)]
                $(#[$upgrader])*
                pub struct Thing { $($(#[$attribute])* $field: $ty,)* }
            }

            mod differences {
                $($($item)*)?
                #[derive(Debug, upstate::Resource)]
                #[resource(type_name = "example_thing", version = $version)]
                $(#[$difference])*
                pub struct Thing { $($(#[$attribute])* $field: $ty,)* }
            }

            #[test]
            fn is_the_same_in_both_forms() {
                let with_structs = upstate::Registry::new().with::<structs::Thing>();
                let with_differences = upstate::Registry::new().with::<differences::Thing>();
                assert_eq!(super::locked(&with_structs), super::locked(&with_differences));
                let states: &[(u64, &str)] = &$states;
                let mut good = 0;
                for (version, json) in states {
                    let (one, other) =
                        (super::outcome(&with_structs, *version, json), super::outcome(&with_differences, *version, json));
                    good += usize::from(one.starts_with("Some"));
                    assert_eq!(one, other, "version {version}: {json}");
                }
                assert!(good > 0 && states.len() > good, "some states must be good, and some not: {good} of {}", states.len());
                super::tables(<structs::Thing as upstate::Resource>::HISTORY, <differences::Thing as upstate::Resource>::HISTORY);
            }
        }
    };
}

/// Compares what const evaluation and the engine see of each version.
fn tables(structs: &'static upstate::upgrade::History, differences: &'static upstate::upgrade::History) {
    assert_eq!(structs.steps().len(), differences.steps().len());
    for (one, other) in structs.steps().iter().zip(differences.steps()) {
        assert_eq!((one.from(), one.last()), (other.from(), other.last()));
        let shown =
            [structs.whole_upgrader(one), differences.whole_upgrader(other)].map(|upgrader| upgrader.map(|it| it.to_string()));
        assert_eq!(shown[0], shown[1]);
        let (Some(one), Some(other)) = (one.via(), other.via()) else { continue };
        let (one_schema, other_schema) = (one.schema(), other.schema());
        assert_eq!(one_schema.implied_type(), other_schema.implied_type());
        assert_eq!(one_schema.version(), other_schema.version());
        for (one, other) in one_schema.block().attributes().iter().zip(other_schema.block().attributes()) {
            assert_eq!(one.name(), other.name());
            assert_eq!(one.is_nullable(), other.is_nullable(), "{}", one.name());
            assert_eq!(one.is_sensitive(), other.is_sensitive(), "{}", one.name());
            assert_eq!(one.implied_type(), other.implied_type(), "{}", one.name());
        }
        let blocks = |schema: &'static Schema| {
            schema.block().blocks().iter().map(|block| (block.name(), block.nesting())).collect::<Vec<_>>()
        };
        assert_eq!(blocks(one_schema), blocks(other_schema));
        tables(one, other);
    }
}

same! {
    names_defaults_and_drops, 2,
    structs: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 1)]
        #[upgrade_from(0, model = ThingV0, drop(legacy, "gone"), set(zone = "eu"))]
        pub struct ThingV1 { id: String, title: String, retries: Option<i64>, #[attribute(sensitive)] token: Option<String>, zone: String }

        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct ThingV0 { id: String, title: String, retries: Option<i64>, #[attribute(sensitive)] token: Option<String>, legacy: Option<Vec<String>> }
    }
    upgraders: {
        #[upgrade_from(1, model = ThingV1, rename(title => name, token => secret), default(retries = 3), copy(id => uid), null_if(zone, ""))]
    }
    differences: {
        #[upgrade_from(1 => 2, rename(title => name, token => secret), default(retries = 3), copy(id => uid), null_if(zone: String, ""))]
        #[upgrade_from(0 => 1, drop(legacy: Option<Vec<String>>, "gone"), set(zone = "eu"))]
    }
    now: {
        #[attribute(computed)]
        id: String,
        uid: String,
        name: String,
        #[attribute(default = 3)]
        retries: i64,
        #[attribute(sensitive)]
        secret: Option<String>,
        zone: Option<String>,
    }
    states: [
        (1, r#"{"id": "a", "title": "t", "retries": 1, "token": "x", "zone": ""}"#),
        (1, r#"{"id": "a", "title": "t", "zone": "z"}"#),
        (1, r#"{"id": "a", "title": "t", "zone": "z", "other": 1}"#),
        (1, r#"{"id": "a", "title": null, "zone": "z"}"#),
        (1, r#"{"id": "a", "title": [], "zone": "z"}"#),
        (1, "[]"),
        (0, r#"{"id": "a", "title": "t", "legacy": ["x"], "token": "s"}"#),
        (0, r#"{"id": "a", "title": "t", "legacy": 1}"#),
        (0, r#"{"id": null, "title": "t"}"#),
        (0, r#"{"title": "t"}"#),
        (2, r#"{"title": "t"}"#),
    ]
}

same! {
    conversions, 1,
    structs: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct ThingV0 {
            id: String,
            port: Option<String>,
            on: String,
            tags: Option<String>,
            size: String,
            level: Option<String>,
            settings: Option<String>,
            days: Option<i64>,
            words: Option<Vec<String>>,
            codes: Option<Vec<String>>,
        }
    }
    upgraders: {
        #[upgrade_from(0, model = ThingV0,
            convert(port, empty = null), convert(on, empty = refuse), split(tags, ","), values(size, "S" => "small", "L" => "large"),
            values(level, "one" => 1, "two" => 2, _ => null), convert(settings, json), rename(days => hours), convert(hours, with = hours),
            join(words, " "), reformat(id, "{project}/{name}" => "projects/{project}/things/{name}"), each(values(codes, "a" => "A", _ => keep)),
        )]
    }
    differences: {
        #[upgrade_from(0 => 1,
            convert(port: Option<String>, empty = null), convert(on: String, empty = refuse), split(tags, ","), values(size, "S" => "small", "L" => "large"),
            values(level, "one" => 1, "two" => 2, _ => null), convert(settings: Option<String>, json), rename(days: Option<i64> => hours), convert(hours, with = hours),
            join(words, " "), reformat(id, "{project}/{name}" => "projects/{project}/things/{name}"), each(values(codes, "a" => "A", _ => keep)),
        )]
    }
    now: {
        id: String,
        port: Option<u16>,
        on: bool,
        tags: Option<Vec<String>>,
        size: Size,
        level: Option<i64>,
        settings: Option<std::collections::BTreeMap<String, i64>>,
        hours: Option<i64>,
        words: Option<String>,
        codes: Option<Vec<String>>,
    }
    states: [
        (0, r#"{"id": "p/n", "port": "80", "on": "true", "tags": "a,b", "size": "S", "level": "two", "settings": "{\"a\": 1}", "days": 2, "words": ["a", "b"], "codes": ["a", "b"]}"#),
        (0, r#"{"id": "p/n", "port": "", "on": "false", "size": "L"}"#),
        (0, r#"{"id": "p", "port": "", "on": "false", "size": "L"}"#),
        (0, r#"{"id": "p/n", "port": "x", "on": "false", "size": "L"}"#),
        (0, r#"{"id": "p/n", "on": "perhaps", "size": "L"}"#),
        (0, r#"{"id": "p/n", "on": "true", "size": "XL"}"#),
        (0, r#"{"id": "p/n", "on": "true", "size": "L", "settings": "{"}"#),
        (0, r#"{"id": "p/n", "on": "true", "size": "L", "level": "ten"}"#),
        (0, r#"{"id": "p/n", "on": "true", "size": "L", "days": "x"}"#),
    ],
    with: {
        #[derive(Debug, upstate::StringEnum)]
        pub enum Size { Small, Large }
        fn hours(days: Option<i64>) -> Result<Option<i64>, &'static str> { Ok(days.map(|days| days * 24)) }
    }
}

same! {
    collections_and_objects, 3,
    structs: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 2, prior)]
        #[upgrade_from(1, model = ThingV1, carry)]
        pub struct ThingV2 {
            id: String,
            rule: Option<Vec<Rule>>,
            #[block]
            disk: Vec<Rule>,
            tag: Option<String>,
            more: Option<Vec<String>>,
            others: Option<Vec<String>>,
            zone: Option<String>,
            #[attribute(set)]
            names: Vec<String>,
        }

        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 1, prior)]
        pub struct ThingV1 {
            id: String,
            rule: Option<Vec<Rule>>,
            #[block]
            disk: Vec<Rule>,
            tag: Option<String>,
            more: Option<Vec<String>>,
            others: Option<Vec<String>>,
            zone: Option<String>,
            #[attribute(set)]
            names: Vec<String>,
        }
    }
    upgraders: {
        #[upgrade_from(2, model = ThingV2, unwrap(rule), wrap(tag), merge(more, others => all), only_if(lacks(zone), set(zone = "eu")), filter(names, ""))]
        #[upgrade_from(0, never_released)]
    }
    differences: {
        #[upgrade_from(2 => 3, unwrap(rule), wrap(tag), merge(more, others => all), only_if(lacks(zone), set(zone = "eu")), filter(names, ""))]
        #[upgrade_from(1 => 2, carry)]
        #[upgrade_from(0, never_released)]
    }
    now: {
        id: String,
        rule: Option<Rule>,
        #[block]
        disk: Vec<Rule>,
        tag: Vec<String>,
        all: Option<Vec<String>>,
        zone: Option<String>,
        #[attribute(set)]
        names: Vec<String>,
    }
    states: [
        (2, r#"{"id": "a", "rule": [{"port": 1}], "disk": [], "tag": "t", "more": ["a"], "others": ["b"], "names": ["", "x"]}"#),
        (2, r#"{"id": "a", "rule": [], "tag": null, "zone": "us", "names": []}"#),
        (2, r#"{"id": "a", "rule": [{"port": 1}, {"port": 2}], "names": []}"#),
        (2, r#"{"id": "a", "rule": [{"port": "x"}], "names": []}"#),
        (1, r#"{"id": "a", "disk": [{"port": 1, "zone": "z"}], "names": ["a"]}"#),
        (1, r#"{"id": "a", "disk": [{"zone": "z"}], "names": ["a"]}"#),
    ],
    with: {
        #[derive(Debug, upstate::Object)]
        pub struct Rule { port: i64, zone: Option<String> }
    }
}
