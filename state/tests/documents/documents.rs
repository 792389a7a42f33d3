//! Models that derive `Document`, in every syntax.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;
use upstate::{AnyOf, CurrentModel, Document, Registry, Resource, Union};
use upstate_state::document::Format;

/// Settings of an application, with an enum of each form.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "app.settings", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, rename(colour: String => accent_colour))]
struct Settings {
    accent_colour: String,
    #[attribute(default = 3)]
    retries: u32,
    theme: Theme,
    themes: Vec<Theme>,
    shape: Option<Shape>,
    labels: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum Theme {
    Plain,
    Custom {
        accent: Option<String>,
        weight: Option<u8>,
    },
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Shape {
    Nothing,
    Circle { radius: Option<u32> },
}

fn settings() -> Settings {
    Settings {
        accent_colour: "blue".to_owned(),
        retries: 3,
        theme: Theme::Custom {
            accent: None,
            weight: Some(1),
        },
        themes: vec![
            Theme::Plain,
            Theme::Custom {
                accent: Some("red".to_owned()),
                weight: None,
            },
        ],
        shape: Some(Shape::Circle { radius: None }),
        labels: [("a".to_owned(), "b".to_owned())].into(),
    }
}

const FORMATS: [Format<'static>; 6] = [
    Format::new(),
    Format::jsonc(),
    Format::toml(),
    Format::yaml(),
    Format::message_pack(),
    Format::cbor(),
];

#[test]
fn enums_are_written_and_read_in_every_syntax() {
    for format in FORMATS {
        let written = format
            .to_vec(&settings())
            .unwrap_or_else(|error| panic!("{format:?}: {error}"));
        let read = format
            .read::<Settings>(&written)
            .unwrap_or_else(|error| panic!("{format:?}: {error}"));
        assert_eq!(
            read.model(),
            &settings(),
            "{format:?}: {}",
            String::from_utf8_lossy(&written)
        );
        let mut changed = settings();
        changed.theme = Theme::Plain;
        changed.shape = Some(Shape::Nothing);
        changed.themes.remove(0);
        for new in [&changed, &settings()] {
            let edited = format
                .edit(&written, new)
                .unwrap_or_else(|error| panic!("{format:?}: {error}"));
            assert_eq!(
                &format.from_slice::<Settings>(&edited).unwrap(),
                new,
                "{format:?}: {}",
                String::from_utf8_lossy(&edited)
            );
        }
    }
}

#[test]
fn a_document_in_toml_is_edited_in_place() {
    let stored = "type = \"app.settings\"\nschema_version = 0\ncolour = 'blue' # as the sky\nretries = 4\nlabels = {}\nthemes = []\n\n# Ours.\n[theme]\nkind = \"custom\" # or plain\nweight = 1\n";
    let read = Format::toml().read::<Settings>(stored.as_bytes()).unwrap();
    assert_eq!(
        read.theme,
        Theme::Custom {
            accent: None,
            weight: Some(1)
        }
    );
    let edited = Format::toml()
        .edit(stored.as_bytes(), read.model())
        .unwrap();
    let expected = stored
        .replace("schema_version = 0", "schema_version = 1")
        .replace("colour = ", "accentColour = ");
    assert_eq!(String::from_utf8(edited).unwrap(), expected);
}

/// Members for which null is not the same as nothing.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "nulls")]
struct Nulls {
    #[serde(with = "own")]
    at: Option<u8>,
    #[attribute(default = Some(3))]
    count: Option<u32>,
    any: Value,
    wrapped: Wrapped,
    /// For this one it is.
    #[serde(default)]
    plain: Option<Box<u8>>,
    inside: Vec<Inside>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Wrapped(Option<u8>);

#[derive(Debug, Clone, PartialEq, Document)]
struct Inside {
    #[attribute(default = Some(3))]
    count: Option<u32>,
    plain: Option<u8>,
}

mod own {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub(super) fn serialize<S: Serializer>(
        value: &Option<u8>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<u8>, D::Error> {
        Option::deserialize(deserializer)
    }
}

fn nulls() -> Nulls {
    let inside = vec![Inside {
        count: None,
        plain: None,
    }];
    Nulls {
        at: None,
        count: None,
        any: Value::Null,
        wrapped: Wrapped(None),
        plain: None,
        inside,
    }
}

#[test]
fn null_stays_where_it_is_another_value_than_nothing() {
    let set = Nulls {
        at: Some(1),
        count: Some(1),
        any: 1.into(),
        wrapped: Wrapped(Some(1)),
        ..nulls()
    };
    for format in FORMATS
        .into_iter()
        .filter(|format| *format != Format::toml())
    {
        let written = format
            .to_vec(&nulls())
            .unwrap_or_else(|error| panic!("{format:?}: {error}"));
        let stored = format.to_vec(&set).unwrap();
        let edited = format.edit(&stored, &nulls()).unwrap();
        // Without them, as a file that is edited by hand may be.
        let filled_in = Nulls {
            count: Some(3),
            inside: vec![Inside {
                count: Some(3),
                plain: None,
            }],
            ..nulls()
        };
        let bare = br#"{"type":"nulls","schema_version":0,"at":null,"any":null,"wrapped":null,"inside":[{}]}"#;
        let is_json = matches!(format.from_slice::<Nulls>(bare), Ok(read) if read == filled_in);
        let added = is_json.then(|| format.edit(bare, &nulls()).unwrap());
        for document in [written, edited].into_iter().chain(added) {
            let text = String::from_utf8_lossy(&document).into_owned();
            let read = format
                .from_slice::<Nulls>(&document)
                .unwrap_or_else(|error| panic!("{format:?}: {error}\n{text}"));
            assert_eq!(read, nulls(), "{format:?}: {text}");
        }
    }
    let yaml = Format::yaml().to_string(&nulls()).unwrap();
    assert!(!yaml.contains("plain"), "{yaml}");
}

#[test]
fn nor_is_it_left_out_of_toml() {
    for (bad, path) in [
        (
            Nulls {
                count: Some(1),
                any: 1.into(),
                wrapped: Wrapped(Some(1)),
                inside: Vec::new(),
                ..nulls()
            },
            "at",
        ),
        (
            Nulls {
                at: Some(1),
                any: 1.into(),
                wrapped: Wrapped(Some(1)),
                inside: Vec::new(),
                ..nulls()
            },
            "count",
        ),
        (
            Nulls {
                at: Some(1),
                count: Some(1),
                wrapped: Wrapped(Some(1)),
                inside: Vec::new(),
                ..nulls()
            },
            "any",
        ),
        (
            Nulls {
                at: Some(1),
                count: Some(1),
                any: 1.into(),
                inside: Vec::new(),
                ..nulls()
            },
            "wrapped",
        ),
        (
            Nulls {
                at: Some(1),
                count: Some(1),
                any: 1.into(),
                wrapped: Wrapped(Some(1)),
                ..nulls()
            },
            "inside[0].count",
        ),
    ] {
        let error = Format::toml().to_vec(&bad).unwrap_err().to_string();
        assert!(
            error.contains(&format!("(at {path})")) && error.contains("TOML has no null"),
            "{path}: {error}"
        );
    }
}

/// Nothing says of its other members that null is the same as nothing.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "open")]
struct Open {
    name: Option<String>,
    size: f64,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

#[derive(AnyOf)]
enum Event {
    Open(Open),
}

#[test]
fn nor_is_a_null_of_a_flattened_map() {
    const TOML: Format<'static> = Format::toml();
    let open = |odd: Value| Open {
        name: None,
        size: 1.0,
        others: BTreeMap::from([("odd".to_owned(), odd)]),
    };
    let refused = TOML.to_vec(&open(Value::Null)).unwrap_err().to_string();
    assert_eq!(
        refused,
        "error: Unable to Write Document (at odd)\n\
         The document holds null in a list, a map, a value without a type or a member that has a default, and TOML has no null. \
         Nothing was written."
    );
    let event = |odd: Value| Event::Open(open(odd));
    let refused_event = TOML.any_to_vec(&event(Value::Null)).unwrap_err();
    assert_eq!(refused_event.to_string(), refused);
    let stored = TOML.to_vec(&open(1.into())).unwrap();
    assert_eq!(TOML.any_to_vec(&event(1.into())).unwrap(), stored);
    assert_eq!(TOML.from_slice::<Open>(&stored).unwrap(), open(1.into()));
    let edited = TOML.edit(&stored, &open(Value::Null));
    assert_eq!(edited.unwrap_err().to_string(), refused);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("open.toml");
    std::fs::write(&path, &stored).unwrap();
    let mut file = TOML.open::<Open>(&path).unwrap();
    *file = open(Value::Null);
    let error = file.save().unwrap_err().to_string();
    assert!(error.ends_with(&refused), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), stored);
}

#[derive(Debug, Document)]
#[document(type_name = "parcel")]
struct Parcel {
    inside: Open,
    #[attribute(flatten)]
    seal: Option<Seal>,
}

#[derive(Debug, Union)]
enum Seal {
    Wax,
    Tape { length: u8, glue: Option<String> },
}

#[test]
fn no_null_of_a_flattened_enum_or_inside_of_an_object_is_left_out() {
    const JSON: Format<'static> = Format::new();
    let parcel = |odd: Value, seal: Option<Seal>| Parcel {
        inside: Open {
            name: None,
            size: 1.0,
            others: BTreeMap::from([("odd".to_owned(), odd)]),
        },
        seal,
    };
    let tape = || {
        Some(Seal::Tape {
            length: 2,
            glue: None,
        })
    };
    for (bad, path) in [
        (parcel(Value::Null, tape()), "inside.odd"),
        (parcel(1.into(), Some(Seal::Wax)), "Wax"),
    ] {
        let refused = Format::toml().to_vec(&bad).unwrap_err().to_string();
        assert!(
            refused.contains(&format!("(at {path})")) && refused.contains("TOML has no null"),
            "{refused}"
        );
    }
    let stored = Format::toml().to_vec(&parcel(1.into(), tape())).unwrap();
    Format::toml().from_slice::<Parcel>(&stored).unwrap();
    // Nor is one of a document in JSON that becomes one in TOML.
    let stored = r#"{"type":"open","schema_version":0,"size":1.0,"odd":null}"#;
    let registry = Registry::new().with::<Open>();
    let rewritten = Format::toml().formerly(&JSON);
    let refused = rewritten.rewrite(&registry, None, stored.as_bytes());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("(at odd)"), "{refused}");
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "letter")]
struct Letter {
    #[attribute(flatten)]
    seal: Envelope,
    #[attribute(flatten)]
    way: Way,
    stamp: Stamp,
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Envelope {
    Sealed { by: Option<String>, wax: Wax },
    Glued { glue: u8 },
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Wax {
    colour: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "sent")]
enum Way {
    Air { inside: Wax },
    Sea { days: u8 },
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(untagged)]
enum Stamp {
    Price { cents: u32, note: Option<String> },
    Free { reason: String },
}

#[test]
fn what_a_variant_lacks_is_nothing_in_every_syntax() {
    let letter = Letter {
        seal: Envelope::Sealed {
            by: None,
            wax: Wax { colour: None },
        },
        way: Way::Air {
            inside: Wax { colour: None },
        },
        stamp: Stamp::Price {
            cents: 80,
            note: None,
        },
    };
    for format in [Format::toml(), Format::yaml()] {
        let written = format.to_string(&letter).unwrap();
        assert!(
            ["by", "colour", "note", "null"]
                .iter()
                .all(|name| !written.contains(name)),
            "{written}"
        );
        let stored = format!("# Ours.\n{written}");
        assert_eq!(
            format.from_slice::<Letter>(stored.as_bytes()).unwrap(),
            letter
        );
        let edited = format.edit(stored.as_bytes(), &letter).unwrap();
        assert_eq!(String::from_utf8(edited).unwrap(), stored);
    }
    let nulls = "# Ours.\ntype: letter\nschema_version: 0\nSealed:\n  by: null\n  wax: {}\nsent: Air\ninside:\n  colour: null\nstamp:\n  cents: 80\n  note: null\n";
    let edited = Format::yaml().edit(nulls.as_bytes(), &letter).unwrap();
    assert_eq!(String::from_utf8(edited).unwrap(), nulls);
}

#[test]
fn a_null_of_a_flattened_map_is_written_where_there_are_nulls() {
    let open = |others: &[(&str, Value)]| Open {
        name: None,
        size: 1.0,
        others: others
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    };
    for format in [Format::new(), Format::jsonc()] {
        let stored = format.to_vec(&open(&[("odd", 1.into())])).unwrap();
        let new = open(&[("odd", 1.into()), ("more", Value::Null)]);
        let edited = format.edit(&stored, &new).unwrap();
        assert_eq!(format.from_slice::<Open>(&edited).unwrap(), new);
        assert_eq!(format.edit(&edited, &new).unwrap(), edited);
    }
}

#[test]
fn a_number_that_is_not_finite_is_refused_in_every_format() {
    for format in FORMATS {
        let open = Open {
            name: None,
            size: f64::NAN,
            others: BTreeMap::new(),
        };
        assert_eq!(
            format.to_vec(&open).unwrap_err().to_string(),
            "error: Unable to Write Document (at size)\n\
             The document holds a number that is not finite (NaN or infinity), which documents of any format cannot. Nothing was written."
        );
    }
}

#[test]
fn a_new_file_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nulls.yaml");
    Format::yaml()
        .open_or_else(&path, nulls)
        .unwrap()
        .save()
        .unwrap();
    assert_eq!(*Format::yaml().open::<Nulls>(&path).unwrap(), nulls());
}

/// A type of serde whose members have another order each time.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Hashed {
    names: HashMap<String, f64>,
    numbers: HashSet<u16>,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "hashed")]
struct Hashes {
    #[attribute(json)]
    inside: Hashed,
}

#[test]
fn members_without_an_order_are_saved_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let names = (0..64)
        .map(|number| (format!("name {number}"), 5.0))
        .collect();
    let first = Hashes {
        inside: Hashed {
            names,
            numbers: (0..64).collect(),
        },
    };
    for (number, format) in FORMATS.into_iter().enumerate() {
        let path = folder.path().join(number.to_string());
        let mut file = format.open_or_else(&path, || first.clone()).unwrap();
        file.save()
            .unwrap_or_else(|error| panic!("{format:?}: {error}"));
        for number in 100..103 {
            file.inside.numbers.insert(number);
            file.save()
                .unwrap_or_else(|error| panic!("{format:?}: {error}"));
            assert_eq!(*format.open::<Hashes>(&path).unwrap(), *file, "{format:?}");
        }
    }
}

/// Numbers of which a document tells integers from floats.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "numbers")]
struct Numbers {
    kind: Number,
    kinds: Vec<Number>,
    float: f64,
    any: Value,
    #[attribute(rest)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(untagged)]
enum Number {
    Int(i64),
    Float(f64),
}

/// As text, because negative zero equals zero.
fn text(numbers: &Numbers) -> String {
    format!("{numbers:?}")
}

#[test]
fn floats_stay_floats_and_integers_integers() {
    let numbers = |kind, float: f64, any: f64| Numbers {
        kind,
        kinds: vec![Number::Int(1), Number::Float(1.0), Number::Float(1e17)],
        float,
        any: any.into(),
        rest: [("more".to_owned(), any.into())].into(),
    };
    let all = [
        numbers(Number::Float(1.0), -0.0, 1.0),
        numbers(Number::Int(1), 0.0, -0.0),
        numbers(Number::Float(-0.0), 1.0, 1e17),
        numbers(Number::Float(1e17), 1e300, 0.0),
        numbers(Number::Int(i64::MIN), 9_007_199_254_740_992.0, 1.5),
        Numbers {
            any: 1.into(),
            rest: [("more".to_owned(), 1.into())].into(),
            ..numbers(Number::Int(0), 1.0, 0.0)
        },
    ];
    for format in FORMATS {
        for (from, to) in all
            .iter()
            .flat_map(|from| all.iter().map(move |to| (from, to)))
        {
            let written = format
                .to_vec(from)
                .unwrap_or_else(|error| panic!("{format:?}: {error}"));
            let shown = String::from_utf8_lossy(&written).into_owned();
            assert_eq!(
                text(&format.from_slice(&written).unwrap()),
                text(from),
                "{format:?}: {shown}"
            );
            let edited = format
                .edit(&written, to)
                .unwrap_or_else(|error| panic!("{format:?}: {error}"));
            let shown = String::from_utf8_lossy(&edited).into_owned();
            assert_eq!(
                text(&format.from_slice(&edited).unwrap()),
                text(to),
                "{format:?}: {shown}"
            );
        }
    }
    let json = serde_json::to_string(&upstate_state::document::Versioned(all[0].clone())).unwrap();
    assert_eq!(
        text(&upstate_state::document::from_str(&json).unwrap()),
        text(&all[0]),
        "{json}"
    );
}

#[test]
fn a_number_stays_as_it_is_written_where_it_is_the_same() {
    let stored = "type: numbers\nschema_version: 0\nkind: 1\nkinds: []\nfloat: 1 # whole\nany: 1\n";
    let read = Format::yaml()
        .from_slice::<Numbers>(stored.as_bytes())
        .unwrap();
    assert_eq!(
        String::from_utf8(Format::yaml().edit(stored.as_bytes(), &read).unwrap()).unwrap(),
        stored
    );
}

mod before {
    use upstate::Document;

    #[derive(Debug, Document)]
    #[document(type_name = "depth")]
    pub(super) struct Depth {
        pub(super) metres: f64,
        pub(super) level: i32,
        pub(super) name: String,
    }
}

/// A float became an integer, and an integer a float.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "depth", version = 1)]
#[upgrade_from(0 => 1, convert(metres: f64, with = whole), convert(level: i32, with = part))]
struct Depth {
    metres: u8,
    level: Number,
    name: String,
}

fn whole(metres: f64) -> Result<u8, String> {
    metres
        .to_string()
        .parse()
        .map_err(|_| format!("{metres} is not a depth"))
}

fn part(level: i32) -> Number {
    Number::Float(f64::from(level))
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ruler", version = 1)]
#[upgrade_from(0 => 1, rename(length => size))]
struct Ruler {
    size: f64,
}

#[test]
fn an_upgraded_number_is_written_as_what_it_is_now() {
    let registry = Registry::new().with::<Depth>().with::<Ruler>();
    let stored = before::Depth {
        metres: 5.0,
        level: 1,
        name: "quay".to_owned(),
    };
    for format in FORMATS {
        let written = format
            .to_vec(&stored)
            .unwrap_or_else(|error| panic!("{format:?}: {error}"));
        let rewrite = format
            .rewrite(&registry, None, &written)
            .unwrap_or_else(|error| panic!("{format:?}: {error}"))
            .unwrap();
        let shown = String::from_utf8_lossy(&rewrite.bytes).into_owned();
        let read = format
            .from_slice::<Depth>(&rewrite.bytes)
            .unwrap_or_else(|error| panic!("{format:?}: {shown}: {error}"));
        assert_eq!(
            read,
            Depth {
                metres: 5,
                level: Number::Float(1.0),
                name: "quay".to_owned()
            },
            "{format:?}: {shown}"
        );
    }
    // Digits stay where they are the same number.
    let stored = br#"{"type":"ruler","schema_version":0,"length":2}"#;
    let rewrite = Format::new()
        .rewrite(&registry, None, stored)
        .unwrap()
        .unwrap();
    assert_eq!(
        String::from_utf8(rewrite.bytes).unwrap(),
        r#"{"type":"ruler","schema_version":1,"size":2}"#
    );
}

#[derive(Debug, Document)]
#[document(type_name = "gauge", version = 1)]
#[upgrade_from(0 => 1, convert(level: Number, with = kind_of))]
struct Gauge {
    level: String,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "a function of `convert` takes the value itself"
)]
fn kind_of(level: Number) -> String {
    match level {
        Number::Int(_) => "an integer".to_owned(),
        Number::Float(_) => "a float".to_owned(),
    }
}

#[test]
fn a_function_is_given_the_number_that_is_stored() {
    let registry = Registry::new().with::<Gauge>();
    for (level, kind) in [("1", "an integer"), ("1.0", "a float"), ("1.5", "a float")] {
        let stored = format!(r#"{{"type":"gauge","schema_version":0,"level":{level}}}"#);
        let rewrite = Format::new()
            .rewrite(&registry, None, stored.as_bytes())
            .unwrap()
            .unwrap();
        let expected = format!(r#"{{"type":"gauge","schema_version":1,"level":"{kind}"}}"#);
        assert_eq!(String::from_utf8(rewrite.bytes).unwrap(), expected);
    }
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "buoy", version = 1)]
#[upgrade_from(0 => 1, set(depth = Number::Float(1.0)))]
struct Buoy {
    name: String,
    depth: Number,
}

#[test]
fn a_constant_that_is_a_float_stays_one() {
    let registry = Registry::new().with::<Buoy>();
    let stored = br#"{"type":"buoy","schema_version":0,"name":"a"}"#;
    let rewrite = Format::new()
        .rewrite(&registry, None, stored)
        .unwrap()
        .unwrap();
    let expected = Buoy {
        name: "a".to_owned(),
        depth: Number::Float(1.0),
    };
    assert_eq!(
        Format::new().from_slice::<Buoy>(&rewrite.bytes).unwrap(),
        expected
    );
}

#[derive(Debug, Document)]
#[document(type_name = "keel", version = 0, prior)]
struct KeelV0 {
    metres: f64,
    marks: Vec<f64>,
}

/// All numbers became integers, and no upgrader says that one has another name.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "keel", version = 1)]
#[upgrade_from(0, model = KeelV0)]
struct Keel {
    depth: u8,
    marks: Vec<u8>,
}

impl From<KeelV0> for Keel {
    fn from(prior: KeelV0) -> Self {
        let marks = prior
            .marks
            .into_iter()
            .skip(1)
            .filter_map(|mark| whole(mark).ok())
            .collect();
        Self {
            depth: whole(prior.metres).unwrap_or_default(),
            marks,
        }
    }
}

#[test]
fn a_number_that_is_written_anew_keeps_its_place_and_comments() {
    let registry = Registry::new().with::<Keel>();
    for (format, stored, expected) in [
        (
            Format::toml(),
            "type = \"keel\"\nschema_version = 0\nmetres = 5.0 # below the water\nmarks = [\n  1.0, # the bow\n  2.0, # the mast\n]\n",
            "type = \"keel\"\nschema_version = 1\ndepth = 5 # below the water\nmarks = [\n  2, # the mast\n]\n",
        ),
        (
            Format::yaml(),
            "type: keel\nschema_version: 0\nmetres: 5.0\nmarks: [1.0, 2.0]\n",
            "type: keel\nschema_version: 1\ndepth: 5\nmarks:\n- 2\n",
        ),
        (
            Format::new(),
            r#"{"type":"keel","schema_version":0,"metres":5.0,"marks":[1.0,2.0]}"#,
            r#"{"type":"keel","schema_version":1,"depth":5,"marks":[2]}"#,
        ),
    ] {
        let rewrite = format
            .rewrite(&registry, None, stored.as_bytes())
            .unwrap_or_else(|error| panic!("{format:?}: {error}"))
            .unwrap();
        assert_eq!(
            String::from_utf8(rewrite.bytes).unwrap(),
            expected,
            "{format:?}"
        );
    }
    let stored = "{\n  \"type\": \"keel\",\n  \"schema_version\": 0,\n  \"metres\": 5.0, // below the water\n  \"marks\": [\n    // the bow\n    1.0,\n    // the mast\n    2.0\n  ]\n}\n";
    let rewrite = Format::jsonc()
        .rewrite(&registry, None, stored.as_bytes())
        .unwrap()
        .unwrap();
    let text = String::from_utf8(rewrite.bytes).unwrap();
    assert!(
        text.contains("\"depth\": 5, // below the water\n")
            && text.contains("// the mast\n    2\n"),
        "{text}"
    );
}

/// Tables in a list, of which an upgrade drops some.
#[derive(Debug, Document)]
#[document(type_name = "anchors", version = 0, prior)]
struct AnchorsV0 {
    anchors: Vec<AnchorV0>,
}

#[derive(Debug, Document)]
struct AnchorV0 {
    chain: f64,
}

#[derive(Debug, Document)]
#[document(type_name = "anchors", version = 1)]
#[upgrade_from(0, model = AnchorsV0)]
struct Anchors {
    anchors: Vec<Anchor>,
}

#[derive(Debug, Document)]
struct Anchor {
    chain: u8,
}

impl From<AnchorsV0> for Anchors {
    fn from(prior: AnchorsV0) -> Self {
        let anchor = |prior: AnchorV0| whole(prior.chain).ok().map(|chain| Anchor { chain });
        Self {
            anchors: prior
                .anchors
                .into_iter()
                .skip(1)
                .filter_map(anchor)
                .collect(),
        }
    }
}

#[test]
fn a_table_with_a_number_that_is_written_anew_keeps_its_comments() {
    let registry = Registry::new().with::<Anchors>();
    let stored = "type = \"anchors\"\nschema_version = 0\n\n# Lost.\n[[anchors]]\nchain = 1.0\n\n# Of steel.\n[[anchors]]\nchain = 2.0 # rusty\n";
    let rewrite = Format::toml()
        .rewrite(&registry, None, stored.as_bytes())
        .unwrap()
        .unwrap();
    let text = String::from_utf8(rewrite.bytes).unwrap();
    assert_eq!(
        text,
        "type = \"anchors\"\nschema_version = 1\n\n# Of steel.\n[[anchors]]\nchain = 2 # rusty\n"
    );
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "moment")]
struct Moment {
    at: String,
}

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "moment", version = 0)]
struct MomentOfResource {
    at: String,
}

/// The document with this model in it, which is read again.
fn read_again<T: CurrentModel + PartialEq + std::fmt::Debug>(stored: &str, model: &T) -> String {
    let edited = Format::toml().edit(stored.as_bytes(), model).unwrap();
    assert_eq!(
        &Format::toml().from_slice::<T>(&edited).unwrap(),
        model,
        "{}",
        String::from_utf8_lossy(&edited)
    );
    String::from_utf8(edited).unwrap()
}

/// TOML has one form of each date, and a string may have another.
#[test]
fn a_string_in_place_of_a_date_is_read_as_it_was_written() {
    let stored = "type = \"moment\"\nschema_version = 0\nat = 2020-01-01T00:00:00Z # first\n";
    let edited = |at: &str| {
        let edited = read_again(stored, &Moment { at: at.to_owned() });
        assert_eq!(
            read_again(stored, &MomentOfResource { at: at.to_owned() }),
            edited
        );
        edited
    };
    for at in [
        "2021-05-05 10:00:00",
        "2021-05-05t10:00:00z",
        "2020-01-01 00:00:00Z",
        "2021-05-05T10:00:00.500Z",
    ] {
        edited(at);
    }
    assert_eq!(edited("2020-01-01T00:00:00Z"), stored);
    assert_eq!(
        edited("2021-05-05T10:00:00Z"),
        stored.replace("2020-01-01T00", "2021-05-05T10")
    );
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "wide")]
struct WideNumbers {
    big: u128,
    small: i128,
}

#[test]
fn integers_of_more_than_64_bits_are_read_again_or_refused() {
    let numbers = |big, small| WideNumbers { big, small };
    for all in [
        numbers(10_000_000_000_000_000_000_000, 0),
        numbers(u128::MAX, i128::MIN),
        numbers(u128::from(u64::MAX) + 1, i128::from(i64::MIN) - 1),
    ] {
        for format in [
            Format::new(),
            Format::jsonc(),
            Format::yaml(),
            Format::cbor(),
        ] {
            let written = format
                .to_vec(&all)
                .unwrap_or_else(|error| panic!("{format:?}: {error}"));
            assert_eq!(
                format.from_slice::<WideNumbers>(&written).unwrap(),
                all,
                "{format:?}"
            );
        }
        for format in [Format::toml(), Format::message_pack()] {
            let error = format.to_vec(&all).unwrap_err().to_string();
            assert!(
                error.contains("more digits than 64 bits hold"),
                "{format:?}: {error}"
            );
        }
    }
    for format in FORMATS
        .into_iter()
        .filter(|format| *format != Format::toml())
    {
        let fits = numbers(u128::from(u64::MAX), i128::from(i64::MIN));
        assert_eq!(
            format
                .from_slice::<WideNumbers>(&format.to_vec(&fits).unwrap())
                .unwrap(),
            fits,
            "{format:?}"
        );
    }
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ledger", version = 1)]
#[upgrade_from(0 => 1, rename(sum => total))]
struct Ledger {
    total: upstate::Number,
}

#[test]
fn digits_of_numbers_stay_or_the_document_is_refused() {
    let registry = Registry::new().with::<Ledger>();
    let json = |name: &str, version: u8, digits: &str| {
        format!(
            r#"{{"type":"ledger","schema_version":{version},"{name}":{digits},"other":[{digits},1e400]}}"#
        )
    };
    let toml = |name: &str, version: u8, digits: &str| {
        format!(
            "type = \"ledger\"\nschema_version = {version}\n{name} = {digits}\nother = [{digits}]\n"
        )
    };
    for digits in ["1.10", "12345678901234567890123", "0.12345678901234567890"] {
        for format in [Format::new(), Format::jsonc(), Format::toml()] {
            if format == Format::toml() && !digits.contains('.') {
                continue;
            }
            let text = |name, version| {
                if format == Format::toml() {
                    toml(name, version, digits)
                } else {
                    json(name, version, digits)
                }
            };
            let rewritten = format
                .rewrite(&registry, None, text("sum", 0).as_bytes())
                .unwrap()
                .unwrap()
                .bytes;
            assert_eq!(
                String::from_utf8_lossy(&rewritten),
                text("total", 1),
                "{format:?}"
            );
            let ledger = format.from_slice::<Ledger>(&rewritten).unwrap();
            assert_eq!(
                ledger.total,
                digits.parse::<upstate::Number>().unwrap(),
                "{format:?}"
            );
            assert_eq!(
                String::from_utf8(format.edit(&rewritten, &ledger).unwrap()).unwrap(),
                text("total", 1),
                "{format:?}"
            );
        }
    }
    for digits in ["0.12345678901234567890", "-1e400"] {
        let yaml = |name: &str, version: u8| {
            format!("type: ledger\nschema_version: {version}\n{name}: {digits}\n")
        };
        let rewritten = Format::yaml()
            .rewrite(&registry, None, yaml("sum", 0).as_bytes())
            .unwrap()
            .unwrap()
            .bytes;
        assert_eq!(String::from_utf8_lossy(&rewritten), yaml("total", 1));
        let ledger = Format::yaml().from_slice::<Ledger>(&rewritten).unwrap();
        assert_eq!(ledger.total, digits.parse::<upstate::Number>().unwrap());
        for format in [Format::message_pack(), Format::cbor()] {
            let error = format.to_vec(&ledger).unwrap_err().to_string();
            let problem =
                "a number has more digits than serde's formats carry; write the document as JSON";
            assert!(
                error.contains(problem) && error.contains("or hold the number as a string"),
                "{format:?}: {error}"
            );
        }
    }
}

/// Numbers of which the stored ones have more digits than their types keep.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "survey", version = 1)]
#[upgrade_from(0 => 1, rename(ratio => share))]
struct Survey {
    share: f64,
    small: f32,
    #[attribute(json)]
    any: Value,
    list: Vec<f64>,
    exact: upstate::Number,
    name: String,
}

fn stored_survey(format: Format<'_>, version: u8, digits: &str, exact: &str, name: &str) -> String {
    let share = if version == 0 { "ratio" } else { "share" };
    if format == Format::toml() {
        format!(
            "type = \"survey\"\nschema_version = {version}\n{share} = {digits} # of all\nsmall = {digits}\n\
             any = {{ a = [{digits}] }}\nlist = [1.5, {digits}]\nexact = {exact}\nname = \"{name}\"\n"
        )
    } else {
        format!(
            r#"{{"type":"survey","schema_version":{version},"{share}":{digits},"small":{digits},"any":{{"a":[{digits}]}},"list":[1.5,{digits}],"exact":{exact},"name":"{name}"}}"#
        )
    }
}

proptest::proptest! {
    #[test]
    fn numbers_that_no_program_changed_keep_their_digits(
        digits in "(0|[1-9][0-9]{0,18})\\.[0-9]{1,24}",
        exact in "0\\.[0-9]{1,24}",
    ) {
        let registry = Registry::new().with::<Survey>();
        for format in [Format::new(), Format::jsonc(), Format::toml()] {
            for version in [0, 1] {
                let stored = stored_survey(format, version, &digits, &exact, "a");
                let mut survey = format.from_slice::<Survey>(stored.as_bytes()).unwrap();
                "b".clone_into(&mut survey.name);
                let edited = String::from_utf8(format.edit(stored.as_bytes(), &survey).unwrap()).unwrap();
                assert_eq!(edited, stored_survey(format, 1, &digits, &exact, "b"), "{format:?} from {version}");
            }
            let stored = stored_survey(format, 0, &digits, &exact, "a");
            let rewritten = format.rewrite(&registry, None, stored.as_bytes()).unwrap().unwrap().bytes;
            assert_eq!(String::from_utf8(rewritten).unwrap(), stored_survey(format, 1, &digits, &exact, "a"), "{format:?}");
        }
    }
}

/// A total that was a whole number and is a float's today, beside a float.
#[derive(Debug, Document)]
#[document(type_name = "account", version = 1)]
#[upgrade_from(0, model = AccountV0)]
struct Account {
    total: i64,
    share: f64,
}

#[derive(Debug, Document)]
#[document(type_name = "account", version = 0, prior)]
struct AccountV0 {
    total: i64,
    share: f64,
}

impl From<AccountV0> for Account {
    fn from(prior: AccountV0) -> Self {
        Self {
            total: prior.total - 1,
            share: prior.share,
        }
    }
}

#[test]
fn an_integer_that_became_the_one_of_its_float_leaves_others_their_digits() {
    let stored = |version: u8, total: &str| {
        format!(
            r#"{{"type":"account","schema_version":{version},"total":{total},"share":9007199254740993}}"#
        )
    };
    let registry = Registry::new().with::<Account>();
    for format in [Format::new(), Format::jsonc()] {
        let rewritten = format
            .rewrite(&registry, None, stored(0, "9007199254740993").as_bytes())
            .unwrap()
            .unwrap()
            .bytes;
        assert_eq!(
            String::from_utf8(rewritten).unwrap(),
            stored(1, "9007199254740992"),
            "{format:?}"
        );
    }
}

#[test]
fn a_number_that_a_program_changed_within_one_float_is_written() {
    let (tenth, whole) = ("0.1000000000000000055", "9007199254740993");
    for format in [Format::new(), Format::jsonc(), Format::toml()] {
        let stored = stored_survey(format, 1, whole, tenth, "a");
        let read = format.from_slice::<Survey>(stored.as_bytes()).unwrap();
        let edited =
            |new: &Survey| String::from_utf8(format.edit(stored.as_bytes(), new).unwrap()).unwrap();
        assert_eq!(edited(&read), stored);

        let exact = Survey {
            exact: "0.1".parse().unwrap(),
            ..read.clone()
        };
        assert_eq!(
            edited(&exact),
            stored_survey(format, 1, whole, "0.1", "a"),
            "{format:?}"
        );
        // The same float as that of the stored integer.
        let any = serde_json::json!({ "a": [9_007_199_254_740_992.0] });
        let text = edited(&Survey {
            any: any.clone(),
            ..read.clone()
        });
        let again = format.from_slice::<Survey>(text.as_bytes()).unwrap();
        assert_eq!(
            (again.any, text.matches(whole).count()),
            (any, 3),
            "{format:?}: {text}"
        );
        // Of a list that lost an element, the others are still those that were read.
        let shorter = edited(&Survey {
            list: vec![9_007_199_254_740_992.0],
            ..read.clone()
        });
        assert_eq!(shorter.matches(whole).count(), 4, "{format:?}: {shorter}");
        let share = edited(&Survey {
            share: 9_007_199_254_740_994.0,
            ..read
        });
        assert!(
            share.contains("9007199254740994.0") && share.matches(whole).count() == 3,
            "{format:?}: {share}"
        );
    }
}

#[test]
fn elements_that_change_places_take_their_digits_along() {
    let element = |name: &str, digits: &str| format!(r#"{{"n":"{name}","v":{digits}}}"#);
    let (x, y, z) = (
        element("x", "9007199254740993.0"),
        element("y", "9007199254740992.0"),
        element("z", "9007199254740992.0"),
    );
    let stored = |any: [&str; 2]| {
        let any = any.join(",");
        format!(
            r#"{{"type":"survey","schema_version":1,"share":1.5,"small":1.5,"any":[{any}],"list":[],"exact":1,"name":"a"}}"#
        )
    };
    let before = stored([&x, &y]);
    let edited = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut survey = Format::new()
            .from_slice::<Survey>(before.as_bytes())
            .unwrap();
        change(survey.any.as_array_mut().unwrap());
        String::from_utf8(Format::new().edit(before.as_bytes(), &survey).unwrap()).unwrap()
    };
    assert_eq!(edited(&|any| any.swap(0, 1)), stored([&y, &x]));
    // A new element has its own digits, though it is where another one was.
    let insert = |any: &mut Vec<Value>| {
        any.pop();
        any.insert(
            0,
            serde_json::json!({ "n": "z", "v": 9_007_199_254_740_992.0 }),
        );
    };
    assert_eq!(edited(&insert), stored([&z, &x]));
}

#[derive(Debug, Document)]
#[document(type_name = "ranking", version = 1)]
#[upgrade_from(0, model = RankingV0)]
struct Ranking {
    #[attribute(json)]
    entries: Vec<Value>,
}

#[derive(Debug, Document)]
#[document(type_name = "ranking", version = 0, prior)]
struct RankingV0 {
    #[attribute(json)]
    entries: Vec<Value>,
}

impl From<RankingV0> for Ranking {
    fn from(prior: RankingV0) -> Self {
        Self {
            entries: prior.entries.into_iter().rev().collect(),
        }
    }
}

#[test]
fn no_element_gets_the_digits_of_another_one_by_an_upgrade_that_sorts() {
    let element = |name: &str, digits: &str| format!(r#"{{"n":"{name}","v":{digits}}}"#);
    let stored = |version: u8, one: &str, other: &str| {
        format!(r#"{{"type":"ranking","schema_version":{version},"entries":[{one},{other}]}}"#)
    };
    let (x, y) = (
        element("x", "9007199254740993.0"),
        element("y", "9007199254740992.0"),
    );
    let registry = Registry::new().with::<Ranking>();
    let rewritten = Format::new()
        .rewrite(&registry, None, stored(0, &x, &y).as_bytes())
        .unwrap()
        .unwrap()
        .bytes;
    assert_eq!(
        String::from_utf8(rewritten).unwrap(),
        stored(1, &y, &element("x", "9007199254740992.0"))
    );
}

#[test]
fn a_strict_format_refuses_rounded_numbers_but_for_decimals_of_floats() {
    let strict = |share: &str, any: &str| {
        let stored = stored_survey(Format::new(), 1, share, "1", "a")
            .replace(&format!(r#"{{"a":[{share}]}}"#), any);
        Format::new()
            .strict()
            .from_slice::<Survey>(stored.as_bytes())
            .map(|survey| survey.share)
    };
    assert_eq!(
        strict("0.12345678901234567890", "1").unwrap().to_string(),
        "0.12345678901234568"
    );
    let refused = strict("0.5", "0.12345678901234567890")
        .unwrap_err()
        .to_string();
    assert!(refused.contains("Rounded Value (at any)"), "{refused}");
    let refused = strict("9007199254740993", "1").unwrap_err().to_string();
    assert!(refused.contains("Rounded Value (at share)"), "{refused}");
}

#[test]
fn yaml_keeps_digits_though_another_value_changes() {
    let yaml = |share: &str, name: &str| {
        format!(
            "type: survey\nschema_version: 1\nshare: {share}\nsmall: 1.5\nany: 1\nlist:\n  - 1.5\nexact: 1.5\nname: {name}\n"
        )
    };
    let edited = |stored: &str, name: &str| {
        let mut survey = Format::yaml()
            .from_slice::<Survey>(stored.as_bytes())
            .unwrap();
        name.clone_into(&mut survey.name);
        String::from_utf8(Format::yaml().edit(stored.as_bytes(), &survey).unwrap()).unwrap()
    };
    let (decimal, whole) = (
        yaml("0.1000000000000000055", "a"),
        yaml("9007199254740993", "a"),
    );
    assert_eq!(edited(&decimal, "a"), decimal);
    // Digits have such names while YAML is written, so that these take others.
    for name in ["b", "z0z", "z0z z1z"] {
        for (stored, share) in [
            (&decimal, "share: 0.1000000000000000055\n"),
            (&whole, "share: 9007199254740993\n"),
        ] {
            let text = edited(stored, name);
            assert!(
                text.contains(share) && text.contains(&format!("name: {name}\n")),
                "{text}"
            );
        }
    }
    let text = edited(
        &whole.replace("small: 1.5", "small: 0.1000000000000000055"),
        "b",
    );
    assert!(
        text.contains("share: 9007199254740993\n")
            && text.contains("small: 0.1000000000000000055\n"),
        "{text}"
    );
}

/// With a search of the document for each, this takes minutes.
#[test]
fn yaml_keeps_digits_though_a_string_has_many_names_of_digits() {
    let numbers: Vec<String> = (0..400_000).map(|number: u32| number.to_string()).collect();
    let survey = Survey {
        share: 0.5,
        small: 0.5,
        any: Value::Null,
        list: Vec::new(),
        exact: "0.1234567890123456789".parse().unwrap(),
        name: format!("z{}z", numbers.join("z")),
    };
    let yaml = String::from_utf8(Format::yaml().to_vec(&survey).unwrap()).unwrap();
    assert!(yaml.contains("exact: 0.1234567890123456789\n"));
    assert!(yaml.contains(&survey.name));
}

#[derive(Debug, Document)]
#[document(type_name = "visit", version = 1)]
#[upgrade_from(0, model = VisitV0)]
struct Visit {
    changed: u64,
    share: f64,
}

#[derive(Debug, Document)]
#[document(type_name = "visit", version = 0, prior)]
struct VisitV0 {
    changed: u64,
    share: f64,
}

impl From<VisitV0> for Visit {
    fn from(prior: VisitV0) -> Self {
        Self {
            changed: prior.changed + 1,
            share: prior.share,
        }
    }
}

#[test]
fn an_integer_that_an_upgrade_changes_takes_no_digits_from_a_float() {
    let stored = |version: u8, changed: u64| {
        format!(
            r#"{{"type":"visit","schema_version":{version},"changed":{changed},"share":9007199254740993}}"#
        )
    };
    let registry = Registry::new().with::<Visit>();
    let before = stored(0, 1_700_000_001);
    let rewritten = Format::new()
        .rewrite(&registry, None, before.as_bytes())
        .unwrap()
        .unwrap()
        .bytes;
    assert_eq!(
        String::from_utf8(rewritten).unwrap(),
        stored(1, 1_700_000_002)
    );
}

/// A document of which some members change.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "app.window", version = 2)]
#[upgrade_from(1 => 2, rename(title => caption), convert(retries: String, empty = refuse))]
#[upgrade_from(0 => 1, drop(legacy: bool, "the old layout is gone"))]
struct Window {
    caption: String,
    retries: u32,
    theme: Theme,
    #[attribute(flatten)]
    size: Size,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Size {
    width: u32,
    #[attribute(default)]
    height: u32,
}

/// Where they come first, the attributes are found by the upgrade and not with them.
#[test]
fn a_document_is_the_same_wherever_its_type_and_version_are() {
    const THEME: &str = r#""theme":{"kind":"custom","accent":"red","weight":null}"#;
    let attributes = [
        &[
            r#""title":"x""#,
            r#""retries":"5""#,
            r#""legacy":true"#,
            r#""width":1"#,
            THEME,
        ][..],
        &[r#""width":1"#, r#""title":"x""#, r#""retries":"5""#, THEME],
        &[r#""caption":"x""#, r#""retries":5"#, r#""width":1"#, THEME],
    ];
    let odd = [
        "",
        r#""height": 7 "#,
        r#""odd":[1, {"a":2}]"#,
        r#""title":"y""#,
        r#""ti\u0074le":"y""#,
        r#""heig\u0068t":7"#,
        r#""caption":"y""#,
        r#""width":"wide""#,
        r#""height":null"#,
        r#""height":[1,}"#,
        r#""height":"#,
        r#""type":"app.window""#,
        r#""schema_version":1"#,
        "odd",
    ];
    let mut read = 0;
    for (version, attributes) in attributes.into_iter().enumerate() {
        for (odd, place) in odd
            .iter()
            .flat_map(|odd| [0, 2, 9].map(|place| (odd, place)))
        {
            let mut attributes = attributes.to_vec();
            if !odd.is_empty() {
                attributes.insert(place.min(attributes.len()), odd);
            }
            let own = [
                r#""type":"app.window""#.to_owned(),
                format!(r#""schema_version":{version}"#),
            ];
            let found = |at: [usize; 2]| {
                let mut members = attributes.clone();
                for (own, at) in own.iter().zip(at) {
                    members.insert(at, own);
                }
                let json = format!("{{{}}}", members.join(","));
                let document = Format::new().read::<Window>(json.as_bytes()).ok()?;
                let undefined = document.undefined().to_vec();
                Some((document.is_outdated(), undefined, document.into_model()))
            };
            let first = found([0, 0]);
            read += usize::from(first.is_some());
            for (one, other) in (0..=attributes.len())
                .flat_map(|one| (0..=attributes.len() + 1).map(move |other| (one, other)))
            {
                assert_eq!(
                    found([one, other]),
                    first,
                    "{attributes:?} of version {version}, type and version at {one} and {other}"
                );
            }
        }
    }
    assert!(read > 20, "{read}");
}

/// In version 0, this has a member that documents of the usual format have beside it.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "app.label", version = 2)]
#[upgrade_from(1 => 2, rename(text => title))]
#[upgrade_from(0 => 1, rename(r#type => kind))]
struct Label {
    kind: String,
    title: String,
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "app.tag")]
struct Tag {
    title: String,
}

/// It is refused for that version, though the format fits documents that were read before.
#[test]
fn each_version_of_each_model_is_compared_with_its_format() {
    let format = Format::new();
    let label = |version| {
        let json = format!(
            r#"{{"type":"app.label","schema_version":{version},"kind":"x","{}":"y"}}"#,
            ["text", "text", "title"][version]
        );
        format.read::<Label>(json.as_bytes())
    };
    for before in [1, 2] {
        let read = label(before).unwrap();
        let refused = label(0).unwrap_err().to_string();
        assert!(refused.contains("\"type\", and so has"), "{refused}");
        let written = format.to_string(read.model()).unwrap();
        assert_eq!(
            written,
            r#"{"type":"app.label","schema_version":2,"kind":"x","title":"y"}"#
        );
        label(0).unwrap_err();
        let tag = r#"{"type":"app.tag","schema_version":0,"title":"z"}"#;
        let read = format.read::<Tag>(tag.as_bytes()).unwrap();
        assert_eq!(format.to_string(read.model()).unwrap(), tag);
        label(0).unwrap_err();
    }
    let renamed = format.type_member("kind");
    let tag = r#"{"kind":"app.tag","schema_version":0,"title":"z"}"#;
    renamed.read::<Tag>(tag.as_bytes()).unwrap();
    let json = r#"{"kind":"app.label","schema_version":2,"title":"y"}"#;
    label(2).unwrap();
    renamed.read::<Label>(json.as_bytes()).unwrap_err();
}
