use std::collections::{BTreeMap, BTreeSet};

use super::derived::{
    Around, Edit, ElementOf, FieldOf, Info, ListOf, MapOf, NotNull, ObjectOf, OrNull, SetOf, Shape,
    edited, edited_len, has_field,
};
use super::{LazySchema, Row, Table, TypeInfo};
use crate::codec::Object;
use crate::released::fingerprint;
use crate::schema::Presence;
use crate::schema::{Nesting, Schema, flags};
use crate::{Dynamic, Number, SingleBlock};
use upstate_words::key;

/// The objects of a wall, as they are and as they were.
#[derive(crate::Object, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    number: u16,
    zone: Option<String>,
}

#[derive(crate::Object, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RuleBefore {
    port: String,
    zone: Option<String>,
}

#[derive(crate::Resource)]
#[resource(type_name = "example_wall", version = 1, oldest = 1)]
struct Wall {
    #[attribute(computed)]
    id: String,
    /// The items on it.
    #[attribute(name = "title", default = "none", deprecated = "no longer shown")]
    label: Option<String>,
    #[attribute(sensitive)]
    password: Option<String>,
    rules: Option<Vec<Rule>>,
    #[block(min = 1, max = 2)]
    gates: Vec<Rule>,
    tags: BTreeSet<String>,
}

/// The values that version 0 stored, as a struct.
#[derive(crate::Resource)]
#[resource(type_name = "example_wall", version = 0)]
struct Before {
    #[attribute(computed)]
    id: String,
    name: Option<String>,
    #[attribute(sensitive)]
    password: Option<String>,
    rules: Option<Vec<RuleBefore>>,
    #[block(min = 1, max = 2)]
    gates: Vec<RuleBefore>,
    tags: Vec<String>,
    zone: bool,
}

/// A shape without a struct.
const RULE_EDITS: &[Edit] = &[
    Edit::Rename {
        field: key("number"),
        name: "port",
        key: key("port"),
    },
    Edit::Retype {
        field: key("number"),
        info: <String as Info>::INFO,
    },
];
static RULE_ROWS: [Row; edited_len(Rule::TABLE, RULE_EDITS)] = edited(Rule::TABLE, RULE_EDITS);
static RULE_SCHEMA: LazySchema = LazySchema::new();
static RULE: Table = Table::shape("Rule (version 0)", 0, &RULE_ROWS, &RULE_SCHEMA);

struct RuleV0;

impl Shape for RuleV0 {
    const SHAPE: &'static Table = &RULE;
}

const RULES: u64 = key("rules");
const GATES: u64 = key("gates");
const EDITS: &[Edit] = &[
    // The field's name, not the one in state.
    Edit::Rename {
        field: key("label"),
        name: "name",
        key: key("name"),
    },
    Edit::Retype {
        field: RULES,
        info: <Around<FieldOf<Wall, RULES>, RuleV0> as Info>::INFO,
    },
    Edit::Retype {
        field: GATES,
        info: <Around<FieldOf<Wall, GATES>, RuleV0> as Info>::INFO,
    },
    Edit::Retype {
        field: key("tags"),
        info: <ListOf<ElementOf<FieldOf<Wall, { key("tags") }>>> as Info>::INFO,
    },
    Edit::Insert(Row {
        name: "zone",
        key: key("zone"),
        flags: 0,
        description: "",
        info: <bool as Info>::INFO,
        beside: None,
    }),
    Edit::Remove {
        field: key("nothing of that name"),
    },
];
static ROWS: [Row; edited_len(Wall::TABLE, EDITS)] = edited(Wall::TABLE, EDITS);
static SCHEMA: LazySchema = LazySchema::new();
static DERIVED: Table = Table::shape("Wall (version 0)", 0, &ROWS, &SCHEMA);

fn names(table: &'static Table) -> Vec<&'static str> {
    table.rows.iter().map(|row| row.name).collect()
}

#[test]
fn a_derived_shape_is_the_one_that_a_struct_would_have() {
    const DERIVED_PRINT: u64 = fingerprint(&DERIVED);
    const BEFORE_PRINT: u64 = fingerprint(Before::TABLE);
    assert_eq!(names(&DERIVED), names(Before::TABLE));
    assert_eq!(DERIVED_PRINT, BEFORE_PRINT);
    let (derived, before) = (DERIVED.schema(), Schema::of::<Before>());
    assert_eq!(derived.implied_type(), before.implied_type());
    for (derived, before) in derived
        .block()
        .attributes()
        .iter()
        .zip(before.block().attributes())
    {
        assert_eq!(
            derived.implied_type(),
            before.implied_type(),
            "{}",
            before.name()
        );
        assert_eq!(
            derived.is_sensitive(),
            before.is_sensitive(),
            "{}",
            before.name()
        );
        assert_eq!(
            derived.is_nullable(),
            before.is_nullable(),
            "{}",
            before.name()
        );
        assert_eq!(derived.field(), None, "{}", before.name());
    }
    let [derived, before] = [derived, before].map(|schema| &schema.block().blocks()[0]);
    assert_eq!(
        (derived.min_items(), derived.max_items()),
        (before.min_items(), before.max_items())
    );
    assert_eq!(
        (derived.nesting(), derived.implied_type()),
        (before.nesting(), before.implied_type())
    );
}

#[test]
fn facts_about_nothing_stored_are_not_inherited() {
    let current = Schema::of::<Wall>().block();
    let title = current
        .attributes()
        .iter()
        .find(|attribute| attribute.name() == "title")
        .unwrap();
    assert_eq!(
        (title.field(), title.default_json().as_deref()),
        (Some("label"), Some("\"none\""))
    );
    assert_eq!(
        (title.description(), title.deprecated()),
        ("The items on it.", Some("no longer shown"))
    );
    let derived = DERIVED.schema().block();
    let name = derived
        .attributes()
        .iter()
        .find(|attribute| attribute.name() == "name")
        .unwrap();
    assert_eq!(
        (
            name.field(),
            name.default_json(),
            name.deprecated(),
            name.description()
        ),
        (None, None, None, "")
    );
    assert_eq!(name.presence(), Presence::Optional);
    let id = derived
        .attributes()
        .iter()
        .find(|attribute| attribute.name() == "id")
        .unwrap();
    assert_eq!(id.presence(), Presence::Required);
}

#[test]
fn a_field_keeps_its_rust_name_unless_it_had_another_name_in_state() {
    const EDITS: &[Edit] = &[
        Edit::Remove {
            field: key("title"),
        },
        Edit::Remove { field: key("tags") },
    ];
    const NONE: &[Edit] = &[];
    // By its name in state, for no field is called so.
    assert_eq!(
        names_of(&edited::<{ edited_len(Wall::TABLE, EDITS) }>(
            Wall::TABLE,
            EDITS
        )),
        ["gates", "id", "password", "rules"]
    );
    let same = edited::<{ edited_len(Wall::TABLE, NONE) }>(Wall::TABLE, NONE);
    let title = same.iter().find(|row| row.name == "title").unwrap();
    assert_eq!((title.field(), title.field_key()), ("label", key("label")));
    let renamed = DERIVED.rows.iter().find(|row| row.name == "name").unwrap();
    assert_eq!(
        (renamed.field(), renamed.field_key()),
        ("name", key("name"))
    );
    assert!(
        has_field(Wall::TABLE, key("label"))
            && has_field(Wall::TABLE, key("title"))
            && !has_field(Wall::TABLE, key("name"))
    );
}

#[test]
fn a_renamed_field_that_is_not_there_leaves_the_name_that_it_had() {
    const EDITS: &[Edit] = &[
        Edit::Rename {
            field: key("nothing of that name"),
            name: "port",
            key: key("port"),
        },
        Edit::Rename {
            field: key("nothing of that name"),
            name: "tags",
            key: key("tags"),
        },
    ];
    let rows = edited::<{ edited_len(Wall::TABLE, EDITS) }>(Wall::TABLE, EDITS);
    assert_eq!(
        names_of(&rows),
        ["gates", "id", "password", "port", "rules", "tags", "title"]
    );
}

fn names_of(rows: &[Row]) -> Vec<&'static str> {
    rows.iter().map(|row| row.name).collect()
}

#[test]
fn a_replaced_field_is_what_it_is_replaced_with() {
    const EDITS: &[Edit] = &[Edit::Replace {
        field: key("password"),
        with: Row {
            name: "a",
            key: key("a"),
            flags: flags::WRITE_ONLY | flags::REQUIRES_REPLACE,
            description: "not inherited",
            info: <i64 as Info>::INFO,
            beside: None,
        },
    }];
    let rows = edited::<{ edited_len(Wall::TABLE, EDITS) }>(Wall::TABLE, EDITS);
    assert_eq!(
        names_of(&rows),
        ["a", "gates", "id", "rules", "tags", "title"]
    );
    assert_eq!(
        (
            rows[0].flags & flags::WRITE_ONLY,
            rows[0].flags & flags::REQUIRES_REPLACE
        ),
        (flags::WRITE_ONLY, 0)
    );
    assert_eq!(rows[0].description, "");
}

#[test]
fn types_that_no_struct_has_are_those_that_one_would_have() {
    #[track_caller]
    fn same<X: Info, T: Info>() {
        let (made, wanted) = (X::INFO, T::INFO);
        assert_eq!(made.word, wanted.word);
        assert_eq!(made.stored.to_type(), wanted.stored.to_type());
        assert_eq!(format!("{:?}", made.holds), format!("{:?}", wanted.holds));
    }
    same::<OrNull<String>, Option<String>>();
    same::<OrNull<Option<u16>>, Option<u16>>();
    same::<NotNull<Option<Number>>, Number>();
    same::<ListOf<u8>, Vec<u8>>();
    same::<SetOf<String>, BTreeSet<String>>();
    same::<MapOf<Option<f64>>, BTreeMap<String, Option<f64>>>();
    same::<ListOf<MapOf<Rule>>, Vec<BTreeMap<String, Rule>>>();
    same::<ElementOf<Vec<Option<i32>>>, Option<i32>>();
    same::<ElementOf<BTreeMap<String, Rule>>, Rule>();
    same::<ElementOf<OrNull<ListOf<Rule>>>, Rule>();
    same::<ElementOf<Option<Vec<Vec<bool>>>>, Vec<bool>>();
    same::<ObjectOf<Rule>, Rule>();
    same::<Around<Option<Vec<Rule>>, RuleBefore>, Option<Vec<RuleBefore>>>();
    same::<Around<BTreeMap<String, Rule>, RuleBefore>, BTreeMap<String, RuleBefore>>();
    same::<Around<Option<Rule>, RuleBefore>, Option<RuleBefore>>();
    same::<Around<SingleBlock<Rule>, RuleBefore>, SingleBlock<RuleBefore>>();
    same::<FieldOf<Wall, RULES>, Option<Vec<Rule>>>();
    // Neither collections nor fields: anything, until what is wrong is reported.
    same::<ElementOf<String>, Option<Dynamic>>();
    same::<FieldOf<Wall, 0>, Option<Dynamic>>();
}

#[test]
fn two_types_carry_each_other_only_if_they_take_the_same_values() {
    struct Derived;
    impl Shape for Derived {
        const SHAPE: &'static Table = &DERIVED;
    }
    let word = |info: &TypeInfo| info.word;
    let all = [
        word(<String as Info>::INFO),
        word(<Option<String> as Info>::INFO),
        word(<Vec<String> as Info>::INFO),
        word(<BTreeSet<String> as Info>::INFO),
        word(<Vec<Option<String>> as Info>::INFO),
        word(<i32 as Info>::INFO),
        word(<i64 as Info>::INFO),
        word(<u32 as Info>::INFO),
        word(<f64 as Info>::INFO),
        word(<Number as Info>::INFO),
        word(<Rule as Info>::INFO),
        word(<RuleBefore as Info>::INFO),
        word(<Vec<Rule> as Info>::INFO),
        // Without a struct it is the members that tell two shapes from each other.
        word(<ObjectOf<RuleV0> as Info>::INFO),
        word(<ObjectOf<Derived> as Info>::INFO),
        word(<SingleBlock<Rule> as Info>::INFO),
        word(<(String, i64) as Info>::INFO),
        word(<(i64, String) as Info>::INFO),
    ];
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert_eq!(
        word(<Box<String> as Info>::INFO),
        word(<String as Info>::INFO)
    );
}

#[test]
fn nested_objects_are_found_in_one_collection_and_no_deeper() {
    let objects = |info: &TypeInfo| {
        info.objects()
            .map(|(table, nesting)| (table.rows.len(), nesting))
    };
    assert_eq!(objects(<Rule as Info>::INFO), Some((2, Nesting::Single)));
    assert_eq!(
        objects(<Option<BTreeMap<String, Rule>> as Info>::INFO),
        Some((2, Nesting::Map))
    );
    assert_eq!(objects(<Vec<Vec<Rule>> as Info>::INFO), None);
    assert_eq!(objects(<(Rule,) as Info>::INFO), None);
    assert_eq!(objects(<String as Info>::INFO), None);
}

#[test]
fn a_schema_is_made_once() {
    assert!(std::ptr::eq(Schema::of::<Wall>(), Wall::TABLE.schema()));
    assert!(std::ptr::eq(DERIVED.schema(), DERIVED.schema()));
}

#[derive(crate::StringEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    A,

    B,
}

/// The wall whose lines the macros' tests have.
#[derive(crate::Object, Debug)]
struct ReleasedWall {
    id: String,
    labels: BTreeMap<String, Label>,
    #[attribute(sensitive)]
    password: Option<String>,
    rules: Option<Vec<Rule>>,
    #[attribute(write_only)]
    token: Option<String>,
    #[block]
    gates: Option<Rule>,
}

#[test]
fn a_table_has_the_number_that_the_derive_computes_of_its_lines() {
    assert_eq!(ReleasedWall::TABLE.released(), 4_524_308_263_014_620_049);
}

#[test]
fn maps_that_do_not_take_every_key_have_the_number_of_no_line() {
    for [strings, integers] in [
        [
            <BTreeMap<String, bool> as Info>::INFO,
            <BTreeMap<u8, bool> as Info>::INFO,
        ],
        [
            <BTreeMap<String, Rule> as Info>::INFO,
            <BTreeMap<u8, Rule> as Info>::INFO,
        ],
        [
            <Option<Vec<BTreeMap<String, bool>>> as Info>::INFO,
            <Option<Vec<BTreeMap<u8, bool>>> as Info>::INFO,
        ],
    ] {
        assert_ne!(strings.released, integers.released);
        assert_ne!(strings.word, integers.word);
    }
    let word = |info: &TypeInfo| info.word;
    assert_ne!(
        word(<BTreeMap<u8, bool> as Info>::INFO),
        word(<BTreeMap<u16, bool> as Info>::INFO)
    );
}
