//! Tests of what each operator makes of prior values, and of what it refuses.

mod guards;
mod matrix;
mod provenance;
mod rekeyed;
mod stored;
#[cfg(feature = "url")]
mod urls;
mod verdicts;
mod zipped;

use super::form::Objects;
use super::fused::{Fused, Upgrader, compile, fuse};
use super::place::Place;
use super::run::run;
use super::table::{
    Condition, Constant, Conversion, Declassified, Dropped, EmptyText, Existing, Letters, Literal,
    Many, Match, NoElement, Notice, Operation, Operators, Otherwise, Pattern, Piece, Production,
    Segment, Stage, Structure,
};
use crate::codec::{
    AttributeType, Encoding, Object, ObjectReader, ObjectWriter, UnknownAttributes,
};
use crate::schema::table::{LazySchema, Row, Table};
use crate::schema::{Attribute, Block, Nested, Nesting, Origin, Presence, Schema, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::{Unknown, Value};

/// A schema whose attributes have these types, in the JSON notation; a name with `!` is sensitive.
fn schema(attributes: &[(&str, &str)]) -> Schema {
    let attribute = |(name, ty): &(&str, &str)| {
        let plain = Attribute::new(
            name.trim_end_matches('!').to_owned(),
            Type::parse(ty).unwrap(),
            Presence::Optional,
        );
        if name.ends_with('!') {
            plain.sensitive()
        } else {
            plain
        }
    };
    Schema::new(0, Block::new(attributes.iter().map(attribute)))
}

fn upgrade_with(
    operators: &Operators,
    prior: &Schema,
    current: &Schema,
    json: &str,
) -> Result<String, String> {
    let value = Value::from_json(
        json.as_bytes(),
        &prior.implied_type(),
        UnknownAttributes::Deny,
    )
    .unwrap();
    let objects = |schema| Objects::new(Schema::block(schema).members(), Origin::NONE);
    let request = crate::upgrade::UpgradeRequest::new("example_thing", 0, None);
    let scope = crate::upgrade::context::Scope::new(&request, 1);
    let mut context = UpgradeContext::new(&scope);
    let result = run(
        operators,
        value,
        objects(prior),
        objects(current),
        &Place::default(),
        &mut context,
    );
    let mut value = result.map_err(|refused| {
        refused
            .errors
            .iter()
            .map(|error| error.detail().to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    })?;
    value
        .conform(&current.implied_type(), Unknown::Refuse)
        .unwrap();
    Ok(String::from_utf8(
        value
            .encode(&current.implied_type(), Encoding::Json)
            .unwrap(),
    )
    .unwrap())
}

/// Applies stages to the attribute `a` of one type, which has another type then.
fn apply(stages: &[Stage], types: (&str, &str), json: &str) -> Result<String, String> {
    let stages: &'static [Stage] = Box::leak(stages.to_vec().into_boxed_slice());
    let productions = Box::leak(Box::new([Production {
        target: &["a"],
        stages,
    }]));
    let operators = Operators {
        productions,
        drops: &[],
        notices: &[],
        declassified: &[],
    };
    let (prior, current) = (schema(&[("a", types.0)]), schema(&[("a", types.1)]));
    upgrade_with(&operators, &prior, &current, &format!(r#"{{"a":{json}}}"#))
        .map(|json| json[5..json.len() - 1].to_owned())
}

const TEXT: (&str, &str) = (r#""string""#, r#""string""#);
const NULL: Match = Match::Literal(Literal::Null);
const EMPTY_TEXT: Match = Match::Literal(Literal::String(""));

#[test]
fn absent_null_empty_and_zero_differ() {
    let default = |when| {
        Stage::new(Operation::Default(
            Constant::Literal(Literal::String("x")),
            when,
        ))
    };
    assert_eq!(
        apply(&[default(&[NULL])], TEXT, "null"),
        Ok(r#""x""#.into())
    );
    assert_eq!(
        apply(&[default(&[NULL])], TEXT, r#""""#),
        Ok(r#""""#.into())
    );
    assert_eq!(
        apply(&[default(&[Match::Empty])], TEXT, r#""""#),
        Ok(r#""x""#.into())
    );
    assert_eq!(
        apply(&[default(&[EMPTY_TEXT])], TEXT, "null"),
        Ok("null".into())
    );
    let number = (r#""number""#, r#""number""#);
    let null_if = |these| Stage::new(Operation::NullIf(these));
    assert_eq!(
        apply(
            &[null_if(&[Match::Literal(Literal::Number("0"))])],
            number,
            "0.0"
        ),
        Ok("null".into())
    );
    assert_eq!(
        apply(
            &[null_if(&[Match::Literal(Literal::Number("-1"))])],
            number,
            "0"
        ),
        Ok("0".into())
    );
    assert_eq!(
        apply(&[null_if(&[Match::Empty])], number, "0"),
        Ok("0".into()),
        "zero is not empty"
    );
    let list = (r#"["list","string"]"#, r#"["list","string"]"#);
    assert_eq!(
        apply(
            &[null_if(&[Match::Literal(Literal::EmptyList)])],
            list,
            "[]"
        ),
        Ok("null".into())
    );
    let filter = Stage::new(Operation::Structure(Structure::Filter(&[Match::Empty])));
    assert_eq!(
        apply(&[filter], list, r#"["", "x", null]"#),
        Ok(r#"["x"]"#.into())
    );
}

/// Every operator that looks at a dynamic value looks at what is in it.
#[test]
fn a_dynamic_value_is_seen_through() {
    const DYNAMIC: (&str, &str) = (r#""dynamic""#, r#""dynamic""#);
    const INTO_TEXT: (&str, &str) = (r#""dynamic""#, r#""string""#);
    let text = r#"{"type":"string","value":""}"#;
    let null_if = |these| Stage::new(Operation::NullIf(these));
    assert_eq!(
        apply(&[null_if(&[EMPTY_TEXT])], DYNAMIC, text),
        Ok("null".into())
    );
    assert_eq!(
        apply(&[null_if(&[Match::Empty])], DYNAMIC, text),
        Ok("null".into())
    );
    let pattern = Pattern {
        pieces: &[Piece::Part("a"), Piece::Text("/"), Piece::Part("b")],
        ignore_case: false,
    };
    let forms = Box::leak(Box::new([(
        pattern,
        &[Segment::Found("b", Letters::AsIs)] as &[Segment],
    )]));
    let reformat = Stage::new(Operation::Reformat(forms, Otherwise::Refuse));
    assert_eq!(
        apply(&[reformat], INTO_TEXT, r#"{"type":"string","value":"x/y"}"#),
        Ok(r#""y""#.into())
    );
}

#[test]
fn what_empty_text_becomes_is_chosen() {
    let convert = |empty| [Stage::new(Operation::Convert(empty))];
    let number = (r#""string""#, r#""number""#);
    assert_eq!(
        apply(&convert(EmptyText::Null), number, r#""""#),
        Ok("null".into())
    );
    assert_eq!(
        apply(&convert(EmptyText::Zero), number, r#""""#),
        Ok("0".into())
    );
    let refused = "an empty string cannot be converted to a number (at a).";
    assert_eq!(
        apply(&convert(EmptyText::Refuse), number, r#""""#),
        Err(refused.into())
    );
    assert_eq!(
        apply(
            &convert(EmptyText::Null),
            number,
            r#""12345678901234567890.5""#
        ),
        Ok("12345678901234567890.5".into())
    );
    assert_eq!(
        apply(&convert(EmptyText::Null), number, r#""x""#),
        Err("\"x\" cannot be converted to a number (at a).".into())
    );
    let back = (r#""number""#, r#""string""#);
    assert_eq!(
        apply(&convert(EmptyText::Unsaid), back, "0"),
        Ok(r#""0""#.into())
    );
    assert_eq!(
        apply(&convert(EmptyText::Zero), back, "0"),
        Ok(r#""""#.into())
    );
    assert_eq!(
        apply(&convert(EmptyText::Zero), back, "10"),
        Ok(r#""10""#.into())
    );
    let bool = (r#""string""#, r#""bool""#);
    assert_eq!(
        apply(&convert(EmptyText::Null), bool, r#""true""#),
        Ok("true".into())
    );
    assert_eq!(
        apply(&convert(EmptyText::Zero), bool, r#""""#),
        Ok("false".into())
    );
    assert_eq!(
        apply(
            &convert(EmptyText::Unsaid),
            (r#""bool""#, r#""string""#),
            "null"
        ),
        Ok("null".into())
    );
    assert_eq!(
        apply(
            &convert(EmptyText::Unsaid),
            (r#""number""#, r#""dynamic""#),
            "7"
        ),
        Ok(r#"{"value":7,"type":"number"}"#.into())
    );
    let each = Stage::new(Operation::Convert(EmptyText::Null)).each();
    assert_eq!(
        apply(
            &[each],
            (r#"["list","number"]"#, r#"["list","string"]"#),
            "[1,2]"
        ),
        Ok(r#"["1","2"]"#.into())
    );
}

#[test]
fn json_is_read_into_the_type_and_written_from_it() {
    let json = [Stage::new(Operation::Json())];
    let object = r#"["object",{"x":"number"}]"#;
    assert_eq!(
        apply(&json, (r#""string""#, object), r#""{\"x\": 1}""#),
        Ok(r#"{"x":1}"#.into())
    );
    assert_eq!(
        apply(&json, (object, r#""string""#), r#"{"x": 1}"#),
        Ok(r#""{\"x\":1}""#.into())
    );
    let unknown = apply(&json, (r#""string""#, object), r#""{\"y\": 1}""#).unwrap_err();
    assert!(
        unknown.contains("cannot be read") && unknown.contains("(at a)"),
        "{unknown}"
    );
    let dynamic = r#"{"value":{"y":[1]},"type":["object",{"y":["tuple",["number"]]}]}"#;
    assert_eq!(
        apply(&json, (r#""string""#, r#""dynamic""#), r#""{\"y\": [1]}""#),
        Ok(dynamic.into())
    );
}

#[test]
fn a_table_of_values_refuses_keeps_or_replaces_the_others() {
    let table: &[(Literal, Literal)] = &[
        (Literal::String("old"), Literal::String("new")),
        (Literal::String("gone"), Literal::Null),
    ];
    let values = |other| [Stage::new(Operation::Values(table, other))];
    assert_eq!(
        apply(&values(Otherwise::Refuse), TEXT, r#""old""#),
        Ok(r#""new""#.into())
    );
    assert_eq!(
        apply(&values(Otherwise::Refuse), TEXT, r#""gone""#),
        Ok("null".into())
    );
    assert_eq!(
        apply(&values(Otherwise::Refuse), TEXT, "null"),
        Ok("null".into())
    );
    let refused = r#""x" is not one of the known values ("old", "gone") (at a)."#;
    assert_eq!(
        apply(&values(Otherwise::Refuse), TEXT, r#""x""#),
        Err(refused.into())
    );
    assert_eq!(
        apply(&values(Otherwise::Keep), TEXT, r#""x""#),
        Ok(r#""x""#.into())
    );
    assert_eq!(
        apply(
            &values(Otherwise::Become(Literal::String("y"))),
            TEXT,
            r#""x""#
        ),
        Ok(r#""y""#.into())
    );
}

const ID: Pattern = Pattern {
    pieces: &[Piece::Part("p"), Piece::Text("/"), Piece::Rest("n")],
    ignore_case: false,
};

#[test]
fn texts_are_taken_apart_and_put_together() {
    let template: &[Segment] = &[
        Segment::Found("n", Letters::Upper),
        Segment::Text("@"),
        Segment::Found("p", Letters::AsIs),
    ];
    let forms: &'static [_] = Box::leak(Box::new([(ID, template)]));
    let reformat = |other| [Stage::new(Operation::Reformat(forms, other))];
    assert_eq!(
        apply(&reformat(Otherwise::Refuse), TEXT, r#""a/b/c""#),
        Ok(r#""B/C@a""#.into())
    );
    let refused = r#""abc" does not have the form "{p}/{n..}" (at a)."#;
    assert_eq!(
        apply(&reformat(Otherwise::Refuse), TEXT, r#""abc""#),
        Err(refused.into())
    );
    assert_eq!(
        apply(&reformat(Otherwise::Keep), TEXT, r#""abc""#),
        Ok(r#""abc""#.into())
    );
    let split = [Stage::new(Operation::Structure(Structure::Split(",")))];
    let list = (r#""string""#, r#"["list","string"]"#);
    assert_eq!(apply(&split, list, r#""a,b""#), Ok(r#"["a","b"]"#.into()));
    assert_eq!(apply(&split, list, r#""""#), Ok("[]".into()));
    assert_eq!(apply(&split, list, "null"), Ok("null".into()));
    let join = [Stage::new(Operation::Structure(Structure::Join(",")))];
    let text = (r#"["list","string"]"#, r#""string""#);
    assert_eq!(apply(&join, text, r#"["a","b"]"#), Ok(r#""a,b""#.into()));
    let ambiguous = r#""a,b" holds the separator ",", so `join` cannot be reversed (at a)."#;
    assert_eq!(apply(&join, text, r#"["a,b"]"#), Err(ambiguous.into()));
}

#[test]
fn one_of_a_list_and_a_list_of_one() {
    let unwrap = |many, empty| {
        [Stage::new(Operation::Structure(Structure::Unwrap(
            many, empty,
        )))]
    };
    let types = (
        r#"["list",["object",{"x":"number"}]]"#,
        r#"["object",{"x":"number"}]"#,
    );
    assert_eq!(
        apply(
            &unwrap(Many::Refuse, NoElement::Null),
            types,
            r#"[{"x":1}]"#
        ),
        Ok(r#"{"x":1}"#.into())
    );
    assert_eq!(
        apply(&unwrap(Many::Refuse, NoElement::Null), types, "[]"),
        Ok("null".into())
    );
    assert_eq!(
        apply(&unwrap(Many::Refuse, NoElement::Object), types, "[]"),
        Ok(r#"{"x":null}"#.into())
    );
    let two = r#"[{"x":1},{"x":2}]"#;
    let refused = "there are 2 elements where at most one was expected (at a).";
    assert_eq!(
        apply(&unwrap(Many::Refuse, NoElement::Null), types, two),
        Err(refused.into())
    );
    assert_eq!(
        apply(&unwrap(Many::First, NoElement::Null), types, two),
        Ok(r#"{"x":1}"#.into())
    );
    let wrap = [Stage::new(Operation::Structure(Structure::Wrap(false)))];
    assert_eq!(
        apply(&wrap, (types.1, types.0), r#"{"x":1}"#),
        Ok(r#"[{"x":1}]"#.into())
    );
    assert_eq!(apply(&wrap, (types.1, types.0), "null"), Ok("[]".into()));
}

#[test]
fn lists_become_maps_by_a_member_and_back() {
    let rekey = [Stage::new(Operation::Structure(Structure::Rekey(
        "k", None,
    )))];
    let list = r#"["list",["object",{"k":"string","x":"number"}]]"#;
    let map = r#"["map",["object",{"x":"number"}]]"#;
    assert_eq!(
        apply(&rekey, (list, map), r#"[{"k":"b","x":1},{"k":"a","x":2}]"#),
        Ok(r#"{"a":{"x":2},"b":{"x":1}}"#.into())
    );
    assert_eq!(
        apply(&rekey, (map, list), r#"{"b":{"x":1}}"#),
        Ok(r#"[{"k":"b","x":1}]"#.into())
    );
    let twice = r#""k" becomes the key, but two elements have "b" (at a[1])."#;
    assert_eq!(
        apply(&rekey, (list, map), r#"[{"k":"b","x":1},{"k":"b","x":2}]"#),
        Err(twice.into())
    );
    let none = r#""k", which becomes the key, has no value (at a[0])."#;
    assert_eq!(
        apply(&rekey, (list, map), r#"[{"k":null,"x":1}]"#),
        Err(none.into())
    );
    let pairs = [Stage::new(Operation::Structure(Structure::Rekey(
        "k",
        Some("x"),
    )))];
    assert_eq!(
        apply(
            &pairs,
            (list, r#"["map","number"]"#),
            r#"[{"k":"b","x":1}]"#
        ),
        Ok(r#"{"b":1}"#.into())
    );
    assert_eq!(
        apply(&pairs, (r#"["map","number"]"#, list), r#"{"b":1}"#),
        Ok(r#"[{"k":"b","x":1}]"#.into())
    );
}

fn rename(existing: Existing, json: &str) -> Result<String, String> {
    let stage = Stage::new(Operation::Take(&["old"], existing));
    let productions = Box::leak(Box::new([Production {
        target: &["new"],
        stages: Box::leak(Box::new([stage])),
    }]));
    let operators = Operators {
        productions,
        drops: &[],
        notices: &[],
        declassified: &[],
    };
    let text = r#""string""#;
    upgrade_with(
        &operators,
        &schema(&[("old", text), ("new", text)]),
        &schema(&[("new", text)]),
        json,
    )
}

#[test]
fn what_counts_if_the_target_has_a_value_too_is_chosen() {
    let (both, same) = (r#"{"old":"a","new":"b"}"#, r#"{"old":"a","new":"a"}"#);
    assert_eq!(rename(Existing::Unsaid, both), Ok(r#"{"new":"a"}"#.into()));
    assert_eq!(rename(Existing::Keep, both), Ok(r#"{"new":"b"}"#.into()));
    assert_eq!(rename(Existing::Replace, both), Ok(r#"{"new":"a"}"#.into()));
    assert_eq!(rename(Existing::Refuse, same), Ok(r#"{"new":"a"}"#.into()));
    assert_eq!(
        rename(Existing::Refuse, both),
        Err("both old and new have a value, and they differ (at old).".into())
    );
    for existing in [Existing::Keep, Existing::Refuse] {
        assert_eq!(
            rename(existing, r#"{"old":"a"}"#),
            Ok(r#"{"new":"a"}"#.into())
        );
        assert_eq!(
            rename(existing, r#"{"new":"b"}"#),
            Ok(r#"{"new":"b"}"#.into())
        );
    }
    assert_eq!(
        rename(Existing::Replace, r#"{"new":"b"}"#),
        Ok(r#"{"new":"b"}"#.into())
    );
}

#[test]
fn all_right_hand_sides_read_the_prior_state() {
    // `uuid` takes `id`, and `id` takes `name`: no order between them.
    const OPERATORS: Operators = Operators {
        productions: &[
            Production {
                target: &["id"],
                stages: &[Stage::new(Operation::Take(&["name"], Existing::Unsaid))],
            },
            Production {
                target: &["uuid"],
                stages: &[Stage::new(Operation::Copy(&["id"]))],
            },
        ],
        drops: &[],
        notices: &[],
        declassified: &[],
    };
    let text = r#""string""#;
    let (prior, current) = (
        schema(&[("id", text), ("name", text)]),
        schema(&[("id", text), ("uuid", text)]),
    );
    assert_eq!(
        upgrade_with(&OPERATORS, &prior, &current, r#"{"id":"1","name":"n"}"#),
        Ok(r#"{"id":"n","uuid":"1"}"#.into())
    );
}

#[test]
fn no_empty_object_appears_around_nothing() {
    const OPERATORS: Operators = Operators {
        productions: &[
            Production {
                target: &["options", "cores"],
                stages: &[Stage::new(Operation::Take(&["cores"], Existing::Unsaid))],
            },
            Production {
                target: &["zone"],
                stages: &[Stage::new(Operation::Take(
                    &["place", "zone"],
                    Existing::Unsaid,
                ))],
            },
        ],
        drops: &[],
        notices: &[],
        declassified: &[],
    };
    let cores = || Attribute::new("cores", Type::Number, Presence::Optional);
    let zone = || Attribute::new("zone", Type::String, Presence::Optional);
    let place = Attribute::nested(
        "place",
        Nested::new(Nesting::List, vec![zone()]),
        Presence::Optional,
    );
    let prior = Schema::new(0, Block::new([cores(), place]));
    for (nesting, some, none) in [
        (Nesting::Single, r#"{"cores":2}"#, "null"),
        (Nesting::List, r#"[{"cores":2}]"#, "null"),
    ] {
        let options = Attribute::nested(
            "options",
            Nested::new(nesting, vec![cores()]),
            Presence::Optional,
        );
        let current = Schema::new(1, Block::new([options, zone()]));
        let upgrade = |json: &str| upgrade_with(&OPERATORS, &prior, &current, json);
        let expected = format!(r#"{{"options":{some},"zone":"eu"}}"#);
        assert_eq!(
            upgrade(r#"{"cores":2,"place":[{"zone":"eu"}]}"#),
            Ok(expected)
        );
        assert_eq!(
            upgrade("{}"),
            Ok(format!(r#"{{"options":{none},"zone":null}}"#))
        );
        let two = upgrade(r#"{"place":[{"zone":"a"},{"zone":"b"}]}"#);
        assert_eq!(
            two,
            Err("there are 2 elements where one was expected (at place).".into())
        );
    }
}

#[test]
fn merged_maps_must_agree() {
    let merge = [Stage::new(Operation::Structure(Structure::Merge(&[&[
        "a",
    ]])))];
    let types = (r#"["list",["map","string"]]"#, r#"["map","string"]"#);
    assert_eq!(
        apply(&merge, types, r#"[{"x":"1"},{"with.dots":"2"},null]"#),
        Ok(r#"{"with.dots":"2","x":"1"}"#.into())
    );
    let refused = r#"two of the merged maps have different values for one key (at a[1]["x"])."#;
    assert_eq!(
        apply(&merge, types, r#"[{"x":"1"},{"x":"2"}]"#),
        Err(refused.into())
    );
    assert_eq!(apply(&merge, types, "[]"), Ok("{}".into()));
    assert_eq!(apply(&merge, types, "null"), Ok("null".into()));
}

#[test]
fn guards_notices_and_drops() {
    const NOTICES: Operators = Operators {
        productions: &[],
        drops: &[Dropped::new(&["gone"], "nobody used it")],
        notices: &[
            Notice {
                text: "mind the gap",
                at: &[],
                refuse: false,
                only_if: None,
            },
            Notice {
                text: "import it again",
                at: &["a"],
                refuse: true,
                only_if: Some(&Condition::Fits(&["a"], ID)),
            },
        ],
        declassified: &[],
    };
    const IF_A: Condition = Condition::All(&[
        Condition::Has(&["a"]),
        Condition::Not(&Condition::Is(&["a"], &[EMPTY_TEXT])),
    ]);
    const SET: [Stage; 1] =
        [Stage::new(Operation::Set(Constant::Literal(Literal::String("x")))).only_if(&IF_A)];
    assert_eq!(apply(&SET, TEXT, r#""b""#), Ok(r#""x""#.into()));
    assert_eq!(apply(&SET, TEXT, r#""""#), Ok(r#""""#.into()));
    assert_eq!(apply(&SET, TEXT, "null"), Ok("null".into()));
    let text = r#""string""#;
    let (prior, current) = (
        schema(&[("a", text), ("gone", text)]),
        schema(&[("a", text)]),
    );
    let upgrade = |json| upgrade_with(&NOTICES, &prior, &current, json);
    assert_eq!(
        upgrade(r#"{"a":"b","gone":"y"}"#),
        Ok(r#"{"a":"b"}"#.into())
    );
    assert_eq!(upgrade(r#"{"a":"b/c"}"#), Err("import it again".into()));
}

#[test]
fn everything_wrong_is_reported_at_once_and_no_secret_with_it() {
    const CONVERT: [Stage; 1] = [Stage::new(Operation::Convert(EmptyText::Null))];
    const OPERATORS: Operators = Operators {
        productions: &[
            Production {
                target: &["a"],
                stages: &CONVERT,
            },
            Production {
                target: &["b"],
                stages: &CONVERT,
            },
        ],
        drops: &[],
        notices: &[],
        declassified: &[],
    };
    let (text, number) = (r#""string""#, r#""number""#);
    let prior = schema(&[("a!", text), ("b", text)]);
    let json = r#"{"a":"hunter2","b":"x"}"#;
    let expected = "a string (sensitive) cannot be converted to a number (at a).\n\"x\" cannot be converted to a number (at b).";
    assert_eq!(
        upgrade_with(
            &OPERATORS,
            &prior,
            &schema(&[("a", number), ("b", number)]),
            json
        ),
        Err(expected.into())
    );
    // A value must not be shown if it is sensitive now, nor if it was so in the prior version.
    let prior = schema(&[("a", text), ("b", text)]);
    assert_eq!(
        upgrade_with(
            &OPERATORS,
            &prior,
            &schema(&[("a!", number), ("b", number)]),
            json
        ),
        Err(expected.into())
    );
}

#[test]
fn a_scalar_becomes_a_member_and_back() {
    let types = (
        r#"["list","string"]"#,
        r#"["list",["object",{"id":"string","name":"string"}]]"#,
    );
    let wrap = [Stage::new(Operation::Structure(Structure::Enclose("id"))).each()];
    assert_eq!(
        apply(&wrap, types, r#"["a"]"#),
        Ok(r#"[{"id":"a","name":null}]"#.into())
    );
    let unwrap = [Stage::new(Operation::Structure(Structure::Member("id"))).each()];
    assert_eq!(
        apply(&unwrap, (types.1, types.0), r#"[{"id":"a"}]"#),
        Ok(r#"["a"]"#.into())
    );
    let refused = "only \"id\" has a place (at a[0].name).";
    assert_eq!(
        apply(&unwrap, (types.1, types.0), r#"[{"id":"a","name":"b"}]"#),
        Err(refused.into())
    );
}

#[test]
fn an_object_becomes_a_map_without_what_is_not_set() {
    let convert = [Stage::new(Operation::Convert(EmptyText::Refuse))];
    let types = (
        r#"["object",{"cpu":"number","memory":"string"}]"#,
        r#"["map","string"]"#,
    );
    assert_eq!(
        apply(&convert, types, r#"{"cpu":1}"#),
        Ok(r#"{"cpu":"1"}"#.into())
    );
    assert_eq!(apply(&convert, types, "{}"), Ok("{}".into()));
}

/// Two structs as the derive would make them, as far as the tables go.
macro_rules! object {
    ($name:ident: $field:literal) => {
        struct $name;

        impl Object for $name {
            const TABLE: &'static Table = {
                static SCHEMA: LazySchema = LazySchema::new();
                static TABLE: Table = Table::shape(
                    stringify!($name),
                    0,
                    &[Row {
                        name: $field,
                        key: upstate_words::key($field),
                        flags: 0,
                        description: "",
                        info: String::INFO,
                        beside: None,
                    }],
                    &SCHEMA,
                );
                &TABLE
            };

            fn decode(_: &mut ObjectReader<'_, '_>) -> Option<Self> {
                Some(Self)
            }

            fn encode(&self, _: &mut ObjectWriter<'_, '_>) {}
        }
    };
}

object! { Old: "a" }
object! { New: "b" }
object! { Newest: "c" }

#[test]
fn a_state_as_it_should_be_goes_straight_over_the_bytes_and_no_other_does() {
    const OPERATORS: Operators = Operators {
        productions: &[Production {
            target: &["b"],
            stages: &[Stage::new(Operation::Take(&["a"], Existing::Unsaid))],
        }],
        drops: &[],
        notices: &[],
        declassified: &[],
    };
    let run = |json: &str| {
        let request = crate::upgrade::UpgradeRequest::json("example_thing", 0, json.as_bytes());
        let scope = crate::upgrade::context::Scope::new(&request, 1);
        let (mut context, mut out) = (UpgradeContext::new(&scope), Vec::new());
        let passes = compile(&[Upgrader::new(&OPERATORS, Old::TABLE, New::TABLE)]).unwrap();
        let fused = fuse(&passes, json, &mut context, Encoding::Json, &mut out)?;
        (fused == Fused::Sure).then(|| String::from_utf8(out).unwrap())
    };
    assert_eq!(run(r#"{"a": "x"}"#).as_deref(), Some(r#"{"b":"x"}"#));
    for odd in [
        r#"{"a": null}"#,
        "{}",
        r#"{"a": "x", "z": 1}"#,
        r#"{"a": []}"#,
        r#"{"a": "x"} 1"#,
        r#"{"a": "x""#,
        "null",
        "",
    ] {
        assert_eq!(run(odd), None, "{odd}");
    }
}

#[test]
fn a_route_is_run_as_one_unless_something_needs_what_is_between() {
    const fn rename(from: &'static [&'static str]) -> Stage {
        Stage::new(Operation::Take(from, Existing::Unsaid))
    }
    const FIRST: Operators = Operators {
        productions: &[Production {
            target: &["b"],
            stages: &[rename(&["a"])],
        }],
        drops: &[],
        notices: &[],
        declassified: &[],
    };
    const SECOND: Operators = Operators {
        productions: &[Production {
            target: &["c"],
            stages: &[rename(&["b"])],
        }],
        drops: &[],
        notices: &[],
        declassified: &[],
    };
    const LOWER: Stage = Stage::new(Operation::Values(&[], Otherwise::Keep));
    const BOTH: [Operators; 2] = [
        Operators {
            productions: &[Production {
                target: &["b"],
                stages: &[rename(&["a"]), LOWER],
            }],
            ..FIRST
        },
        Operators {
            productions: &[Production {
                target: &["c"],
                stages: &[rename(&["b"]), LOWER],
            }],
            ..SECOND
        },
    ];
    let runs = |first, second| {
        let route = [
            Upgrader::new(first, Old::TABLE, New::TABLE),
            Upgrader::new(second, New::TABLE, Newest::TABLE),
        ];
        let passes = compile(&route).unwrap();
        let json = r#"{"a":"x"}"#;
        let request = crate::upgrade::UpgradeRequest::json("example_thing", 0, json.as_bytes());
        let scope = crate::upgrade::context::Scope::new(&request, 1);
        let (mut context, mut out) = (UpgradeContext::new(&scope), Vec::new());
        assert_eq!(
            fuse(&passes, json, &mut context, Encoding::Json, &mut out),
            Some(Fused::Sure)
        );
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"c":"x"}"#);
        passes.len()
    };
    assert_eq!(runs(&FIRST, &SECOND), 1);
    assert_eq!(runs(&BOTH[0], &SECOND), 1);
    assert_eq!(runs(&FIRST, &BOTH[1]), 1);
    assert_eq!(runs(&BOTH[0], &BOTH[1]), 2);
}

#[test]
fn what_is_declassified_is_printed_and_saved_with_the_reason() {
    const SHOWN: Operators = Operators {
        productions: &[Production {
            target: &["name"],
            stages: &[
                Stage::new(Operation::Copy(&["key"])),
                Stage::new(Operation::Structure(Structure::Split(","))).each(),
            ],
        }],
        drops: &[],
        notices: &[],
        declassified: &[
            Declassified {
                path: &["name"],
                reason: "it is public",
            },
            Declassified {
                path: &["label"],
                reason: "so is this",
            },
        ],
    };
    let text = "copy(key => name)\neach(split(name, \",\", declassified = \"it is public\"))\ncarry(label, declassified = \"so is this\")";
    assert_eq!(SHOWN.to_string(), text);
    let json = serde_json::to_string(&SHOWN).unwrap();
    let shown = r#""declassified":[{"path":["name"],"reason":"it is public"},{"path":["label"],"reason":"so is this"}]"#;
    assert!(json.contains(shown), "{json}");
    // The JSON has no `declassified` where nothing is, so that a lock without that key keeps the
    // hash of this text.
    assert_eq!(
        serde_json::to_string(&Operators::CARRY).unwrap(),
        r#"{"productions":[],"drops":[],"notices":[]}"#
    );
}
