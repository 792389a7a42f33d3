//! What is different at the root.

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

same! {
    written_and_lenient, 1,
    structs: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct ThingV0 {
            id: String,
            limits: upstate::SingleBlock<Limits>,
            rules: Vec<Rule>,
            old_size: upstate::ZeroAsNull<i64>,
            mode: Option<Vec<Mode>>,
            #[block(min = 1, max = 1)]
            configuration: Vec<Limits>,
            #[attribute(as_string)]
            address: std::net::IpAddr,
            #[attribute(sensitive)]
            password: Option<String>,
            #[attribute(set)]
            zones: Vec<String>,
            #[attribute(with = hex)]
            code: u64,
            #[attribute(name = "kind")]
            type_: String,
            keys: upstate::ZeroAsNull<String>,
        }

        #[derive(Debug, upstate::Object)]
        pub struct Mode { groups: Option<i64>, inner: Inner }

        #[derive(Debug, upstate::Object)]
        pub struct Inner { names: std::collections::BTreeMap<String, String> }
    }
    upgraders: {
        #[upgrade_from(0, model = ThingV0, rename(old_size => size), drop(mode, "gone"), unwrap(configuration), drop(address, password, zones, code, type_, keys, "gone"))]
    }
    differences: {
        #[upgrade_from(0 => 1,
            rename(old_size => size),
            drop(mode: Option<Vec<{ groups: Option<i64>, inner: { names: std::collections::BTreeMap<String, String> } }>>, "gone"),
            unwrap(#[block(min = 1, max = 1)] configuration: Vec<Limits>),
            drop(#[attribute(as_string)] address: std::net::IpAddr, #[attribute(sensitive)] password: Option<String>, #[attribute(set)] zones: Vec<String>,
                #[attribute(with = hex)] code: u64, #[attribute(name = "kind")] type_: String, keys: upstate::ZeroAsNull<String>, "gone"),
        )]
    }
    now: {
        id: String,
        limits: upstate::SingleBlock<Limits>,
        rules: Vec<Rule>,
        size: upstate::ZeroAsNull<i64>,
        configuration: Option<Limits>,
    }
    states: [
        (0, r#"{"id": "a", "limits": {"cpu": 2}, "rules": [{"size": 0}, {"size": 3}], "old_size": "", "configuration": [{"cpu": 1}], "address": "::1", "password": "p", "zones": ["a"], "code": "ff", "kind": "k"}"#),
        (0, r#"{"id": "a", "limits": [{"cpu": 2}], "rules": [], "old_size": 4, "mode": [{"groups": 1, "inner": {"names": {"a": "b"}}}], "configuration": [], "address": "::1", "zones": [], "code": "ff", "kind": "k", "keys": ""}"#),
        (0, r#"{"id": "a", "limits": [], "rules": [], "configuration": [], "address": "::1", "zones": [], "code": "ff", "kind": "k", "mode": 1}"#),
        (0, r#"{"id": "a", "limits": [], "rules": [{"size": "x"}], "configuration": [], "address": "::1", "zones": [], "code": "ff", "kind": "k"}"#),
        (0, r#"{"id": "a", "limits": [{"cpu": 1}, {"cpu": 2}], "rules": [], "configuration": [], "address": "::1", "zones": [], "code": "ff", "kind": "k"}"#),
    ],
    with: {
        #[derive(Debug, upstate::Object)]
        pub struct Limits { cpu: i64 }
        #[derive(Debug, upstate::Object)]
        pub struct Rule { size: upstate::ZeroAsNull<i64> }
        mod hex {
            pub fn read(text: String) -> Result<u64, std::num::ParseIntError> { u64::from_str_radix(&text, 16) }
            pub fn write(value: &u64) -> String { format!("{value:x}") }
        }
    }
}
