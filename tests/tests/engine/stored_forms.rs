//! Fields whose Rust form is not their stored form, strict decoding, and typed `MessagePack`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use upstate::codec::DecodeErrorKind;
use upstate::schema::Type;
use upstate::{
    AsString, Dynamic, Number, Object, Resource, SingleBlock, StoredForm, StringEnum, With,
    ZeroAsNull, from_json, from_json_strict, from_msgpack, to_json, to_msgpack,
};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Limits {
    cpu: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, StringEnum)]
enum Mode {
    ReadOnly,
    #[value(name = "rw")]
    ReadWrite,
}

/// Stored as seconds with their unit.
mod seconds {
    pub(crate) fn read(stored: String) -> Result<u64, &'static str> {
        stored
            .strip_suffix('s')
            .and_then(|digits| digits.parse().ok())
            .ok_or("expected seconds such as \"30s\"")
    }

    pub(crate) fn write(value: &u64) -> String {
        format!("{value}s")
    }
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(version = 1, oldest = 1)]
struct Forms {
    #[attribute(as_string)]
    address: Option<IpAddr>,
    #[attribute(as_string)]
    gateway: IpAddr,
    limits: SingleBlock<Limits>,
    mode: Option<Mode>,
    pair: Option<(String, i64)>,
    #[attribute(write_only)]
    password: Option<String>,
    #[attribute(set)]
    ports: Vec<i64>,
    #[attribute(set)]
    quotas: Vec<Limits>,
    size: ZeroAsNull<i64>,
    #[attribute(with = seconds)]
    timeout: u64,
}

const STORED: &str = r#"{"address":"10.0.0.1","gateway":"::1","limits":[{"cpu":2}],"mode":"rw","pair":["a",1],"password":null,"ports":[22,80],"quotas":[],"size":7,"timeout":"30s"}"#;

fn with(from: &str, to: &str) -> String {
    let changed = STORED.replace(from, to);
    assert_ne!(changed, STORED, "{from}");
    changed
}

fn refused(json: &str) -> String {
    from_json::<Forms>(json).unwrap_err().to_string()
}

#[test]
fn every_form_is_read_and_written_back() {
    let forms: Forms = from_json(STORED).unwrap();
    assert_eq!(forms.address, Some("10.0.0.1".parse().unwrap()));
    assert_eq!(
        (forms.mode, forms.timeout, *forms.size),
        (Some(Mode::ReadWrite), 30, Some(7))
    );
    assert_eq!(String::from_utf8(to_json(&forms).unwrap()).unwrap(), STORED);
    assert_eq!(Mode::ReadOnly.text(), "read_only");
    assert_eq!(
        from_msgpack::<Forms>(&to_msgpack(&forms).unwrap()).unwrap(),
        forms
    );
}

/// Elements that are stored as strings.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_lease", version = 1)]
#[upgrade_from(0 => 1, rename(hosts => addresses))]
struct Lease {
    addresses: Vec<AsString<IpAddr>>,
    owners: BTreeMap<String, AsString<u128>>,
    range: (AsString<IpAddr>, i64),
}

#[test]
fn elements_are_stored_as_strings() {
    let stored = |addresses: &str, address: &str| {
        format!(
            r#"{{"{addresses}":["{address}"],"owners":{{"a":"340282366920938463463374607431768211455"}},"range":["::1",64]}}"#
        )
    };
    let current = stored("addresses", "10.0.0.1");
    let lease: Lease = from_json(&current).unwrap();
    assert_eq!(
        (lease.addresses[0], *lease.owners["a"]),
        (AsString("10.0.0.1".parse().unwrap()), u128::MAX)
    );
    assert_eq!(
        String::from_utf8(to_json(&lease).unwrap()).unwrap(),
        current
    );
    assert_eq!(
        from_msgpack::<Lease>(&to_msgpack(&lease).unwrap()).unwrap(),
        lease
    );
    assert_eq!(
        upstate::upgrade_json::<Lease>(0, stored("hosts", "10.0.0.1")).unwrap(),
        lease
    );
    for json in [
        stored("addresses", "10.0.0.256"),
        stored("hosts", "10.0.0.256"),
    ] {
        let version = u64::from(json.contains("addresses"));
        let refused = upstate::upgrade_json::<Lease>(version, &json)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("IP address"), "{refused}");
    }
}

/// The form that the functions of `seconds` read and write.
enum Seconds {}

impl StoredForm<u64> for Seconds {
    type Stored = String;

    fn read(stored: String) -> Result<u64, String> {
        seconds::read(stored).map_err(str::to_owned)
    }

    fn write(value: &u64) -> String {
        seconds::write(value)
    }
}

/// Elements in a form of their author's.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_retries", version = 1)]
#[upgrade_from(0 => 1, rename(waits => pauses))]
struct Retries {
    by_host: BTreeMap<String, With<u64, Seconds>>,
    first: (With<u64, Seconds>, bool),
    last: Option<With<u64, Seconds>>,
    pauses: Vec<With<u64, Seconds>>,
    seen: BTreeSet<With<u64, Seconds>>,
}

#[test]
fn elements_are_stored_in_forms_of_their_authors() {
    let stored = |pauses: &str, pause: &str| {
        format!(
            r#"{{"by_host":{{"a":"1s"}},"first":["2s",true],"last":null,"{pauses}":["{pause}","4s"],"seen":["10s","5s"]}}"#
        )
    };
    let current = stored("pauses", "3s");
    let retries: Retries = from_json(&current).unwrap();
    assert_eq!(
        (
            *retries.by_host["a"],
            *retries.first.0,
            *retries.pauses[1],
            retries.last
        ),
        (1, 2, 4, None)
    );
    assert_eq!(
        retries.seen,
        BTreeSet::from([With::from(5), With::from(10)])
    );
    assert_eq!(
        String::from_utf8(to_json(&retries).unwrap()).unwrap(),
        current
    );
    assert_eq!(
        from_msgpack::<Retries>(&to_msgpack(&retries).unwrap()).unwrap(),
        retries
    );
    assert_eq!(
        upstate::upgrade_json::<Retries>(0, stored("waits", "3s")).unwrap(),
        retries
    );
    for json in [stored("pauses", "3m"), stored("waits", "3m")] {
        let version = u64::from(json.contains("pauses"));
        let refused = upstate::upgrade_json::<Retries>(version, &json)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("expected seconds such as"), "{refused}");
    }
    assert_eq!(
        Type::of::<Vec<With<u64, Seconds>>>(),
        Type::list(Type::String)
    );
}

#[test]
fn legacy_shapes_read_every_way_they_were_stored() {
    for (stored, cpu) in [
        ("[]", None),
        ("null", None),
        (r#"{"cpu":3}"#, Some(3)),
        (r#"[{"cpu":3}]"#, Some(3)),
    ] {
        let forms: Forms = from_json(with(r#"[{"cpu":2}]"#, stored)).unwrap();
        assert_eq!(
            forms.limits.as_ref().map(|limits| limits.cpu),
            cpu,
            "{stored}"
        );
    }
    for (stored, size) in [
        ("0", None),
        (r#""""#, None),
        (r#""0""#, None),
        ("null", None),
        (r#""8""#, Some(8)),
    ] {
        let forms: Forms = from_json(with(r#""size":7"#, &format!(r#""size":{stored}"#))).unwrap();
        assert_eq!(*forms.size, size, "{stored}");
    }
    let missing: Forms =
        from_json(r#"{"gateway":"::1","ports":[],"quotas":[],"timeout":"1s"}"#).unwrap();
    assert_eq!(
        (missing.limits, missing.size, missing.mode, missing.pair),
        (SingleBlock(None), ZeroAsNull(None), None, None)
    );
}

#[test]
fn what_a_form_does_not_take_is_refused_without_quoting_it() {
    for (json, message) in [
        (
            with("10.0.0.1", "10.0.0.256"),
            "address: the stored string is not an IP address (byte 11)",
        ),
        (
            with(r#""rw""#, r#""rwx""#),
            r#"mode: expected one of "read_only", "rw", found another string (byte 66)"#,
        ),
        (
            with("30s", "30m"),
            r#"timeout: expected seconds such as "30s" (byte 149)"#,
        ),
        (
            with(r#"[{"cpu":2}]"#, r#"[{"cpu":2},{"cpu":3}]"#),
            "limits: expected at most one element, found more (byte 47)",
        ),
        (
            with(r#"["a",1]"#, r#"["a"]"#),
            "pair: expected a tuple of 2 elements, found 1 (byte 78)",
        ),
        (
            with(r#"["a",1]"#, r#"["a",1,2]"#),
            "pair: expected a tuple of 2 elements, found more (byte 78)",
        ),
        (
            with(r#""gateway":"::1","#, ""),
            "gateway: the stored state lacks this attribute, which must have a value",
        ),
        (
            with(r#""timeout":"30s""#, r#""timeout":null"#),
            "timeout: the stored value is null, but must not be (byte 149)",
        ),
    ] {
        assert_eq!(refused(&json), message, "{json}");
    }
}

#[test]
fn sets_in_vectors_are_folded_and_ordered() {
    let forms: Forms = from_json(with("[22,80]", "[80,22,80,9]")).unwrap();
    assert_eq!(forms.ports, [9, 22, 80]);
    let mut forms = forms;
    forms.ports = vec![3, 1, 3];
    forms.quotas = vec![Limits { cpu: 2 }, Limits { cpu: 1 }, Limits { cpu: 2 }];
    let json = String::from_utf8(to_json(&forms).unwrap()).unwrap();
    assert!(
        json.contains(r#""ports":[1,3],"quotas":[{"cpu":1},{"cpu":2}]"#),
        "{json}"
    );
    let ports = Forms::schema()
        .block()
        .attributes()
        .iter()
        .find(|attribute| attribute.name() == "ports")
        .unwrap();
    assert_eq!(ports.implied_type().to_string(), r#"["set","number"]"#);
}

#[test]
fn write_only_values_are_never_written() {
    let mut forms: Forms = from_json(STORED).unwrap();
    forms.password = Some("hunter2".to_owned());
    assert_eq!(String::from_utf8(to_json(&forms).unwrap()).unwrap(), STORED);
    let password = Forms::schema()
        .block()
        .attributes()
        .iter()
        .find(|attribute| attribute.name() == "password")
        .unwrap();
    assert!(password.is_write_only());
}

#[test]
fn strict_decoding_refuses_undefined_names_at_any_depth() {
    assert!(from_json_strict::<Forms>(STORED).is_ok());
    for (json, path) in [
        (with(r#""mode""#, r#""model":1,"mode""#), "model"),
        (
            with(r#""timeout":"30s""#, r#""timeout":"30s","zz":1"#),
            "zz",
        ),
        (
            with(r#"{"cpu":2}"#, r#"{"cpu":2,"gpu":1}"#),
            "limits[0].gpu",
        ),
        // Out of order, where members are found through an index.
        (
            r#"{"zz":1,"timeout":"1s","gateway":"::1","ports":[],"quotas":[]}"#.to_owned(),
            "zz",
        ),
    ] {
        let error = from_json_strict::<Forms>(&json).unwrap_err();
        assert_eq!(error.path().unwrap().to_string(), path, "{error}");
        assert!(
            error.to_string().contains("unsupported attribute"),
            "{error}"
        );
        assert!(from_json::<Forms>(&json).is_ok());
    }
}

#[test]
fn typed_msgpack_says_where_it_does_not_fit() {
    #[derive(Debug, PartialEq, Object)]
    struct Small {
        count: i64,
        exact: Number,
        tags: BTreeMap<String, Option<bool>>,
    }
    let small = Small {
        count: -5,
        exact: "0.1".parse().unwrap(),
        tags: BTreeMap::from([("a".to_owned(), Some(true)), ("b".to_owned(), None)]),
    };
    let bytes = to_msgpack(&small).unwrap();
    assert_eq!(from_msgpack::<Small>(&bytes).unwrap(), small);
    for cut in 0..bytes.len() {
        assert!(
            from_msgpack::<Small>(&bytes[..cut]).is_err(),
            "cut at {cut}"
        );
    }
    let error = from_msgpack::<Small>(b"\x83\xa5count\xa1x").unwrap_err();
    assert_eq!(
        (
            error.kind(),
            error.path().map(ToString::to_string).as_deref()
        ),
        (DecodeErrorKind::BadNumber, Some("count"))
    );
    assert!(
        error.to_string().starts_with("count: error parsing number")
            && error.to_string().ends_with("(byte 9)"),
        "{error}"
    );
    // An unknown value is one of the protocol, not of a model.
    let error = from_msgpack::<Small>(b"\x83\xa5count\xd4\x00\x00").unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::WrongKind);
    assert!(
        error
            .to_string()
            .starts_with("count: expected a number, found an unknown value"),
        "{error}"
    );
}

#[test]
fn an_optional_set_in_a_vector_may_be_null() {
    #[derive(Debug, PartialEq, Resource)]
    #[resource(version = 0)]
    struct Tagged {
        #[attribute(set)]
        tags: Option<Vec<String>>,
    }
    let tagged: Tagged = from_json(r#"{"tags": ["b", "a", "b"]}"#).unwrap();
    assert_eq!(
        tagged,
        Tagged {
            tags: Some(vec!["a".into(), "b".into()])
        }
    );
    assert_eq!(
        to_json(&Tagged {
            tags: Some(vec!["b".into(), "a".into()])
        })
        .unwrap(),
        br#"{"tags":["a","b"]}"#
    );
    for absent in ["{}", r#"{"tags": null}"#] {
        let tagged: Tagged = from_json(absent).unwrap();
        assert_eq!(tagged, Tagged { tags: None });
        assert_eq!(to_json(&tagged).unwrap(), br#"{"tags":null}"#);
    }
    assert_eq!(
        upstate::schema::Schema::of::<Tagged>().block().attributes()[0]
            .implied_type()
            .to_string(),
        r#"["set","string"]"#
    );
}

#[test]
fn sets_are_written_in_the_order_terraform_gives_them() {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, StringEnum)]
    enum Colour {
        Red,
        Blue,
        Amber,
    }
    #[derive(Debug, Object)]
    struct Sets {
        colours: BTreeSet<Colour>,
        flags: BTreeSet<Option<bool>>,
        names: BTreeSet<Option<String>>,
        #[attribute(set)]
        numbers: Vec<Option<Number>>,
    }
    let number = |text: &str| Some(text.parse::<Number>().unwrap());
    let sets = Sets {
        colours: BTreeSet::from([Colour::Red, Colour::Blue, Colour::Amber]),
        flags: BTreeSet::from([None, Some(true), Some(false)]),
        names: BTreeSet::from([None, Some("b".to_owned()), Some("B".to_owned())]),
        numbers: vec![number("10"), None, number("9"), number("9.0")],
    };
    let json = String::from_utf8(to_json(&sets).unwrap()).unwrap();
    let expected = r#"{"colours":["amber","blue","red"],"flags":[false,true,null],"names":["B","b",null],"numbers":[9,10,null]}"#;
    assert_eq!(json, expected);
    assert_eq!(
        from_msgpack::<Sets>(&to_msgpack(&sets).unwrap())
            .unwrap()
            .colours,
        sets.colours
    );
}

#[test]
fn dynamic_fields_keep_their_type() {
    #[derive(Debug, PartialEq, Object)]
    struct Setting {
        content: Option<Dynamic>,
    }
    for (json, ty) in [
        (
            r#"{"content":{"value":[1,2.50],"type":["list","number"]}}"#,
            Some(r#"["list","number"]"#),
        ),
        (
            r#"{"content":{"value":null,"type":"string"}}"#,
            Some("\"string\""),
        ),
        (r#"{"content":null}"#, None),
    ] {
        let setting: Setting = from_json(json).unwrap();
        assert_eq!(
            setting
                .content
                .as_ref()
                .map(|content| content.ty().to_string())
                .as_deref(),
            ty
        );
        assert_eq!(
            String::from_utf8(to_json(&setting).unwrap()).unwrap(),
            json.replace("2.50", "2.5")
        );
        assert_eq!(
            from_msgpack::<Setting>(&to_msgpack(&setting).unwrap()).unwrap(),
            setting
        );
    }
    let error = from_json::<Setting>(r#"{"content":7}"#).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("content: a dynamic value is an object with exactly the members"),
        "{error}"
    );
    assert!(Dynamic::new(Type::Bool, "x".into()).is_err());
}

#[test]
fn defaults_are_part_of_the_schema_and_never_of_stored_state() {
    #[derive(Debug, Resource)]
    #[resource(version = 0)]
    struct Server {
        #[attribute(default = 443)]
        port: Option<i64>,
        #[attribute(default = "eu")]
        region: Option<String>,
    }
    let defaults: Vec<Option<String>> = Server::schema()
        .block()
        .attributes()
        .iter()
        .map(upstate::schema::Attribute::default_json)
        .collect();
    assert_eq!(
        defaults,
        [Some("443".to_owned()), Some("\"eu\"".to_owned())]
    );
    let server: Server = from_json("{}").unwrap();
    assert_eq!((server.port, server.region), (None, None));
}
