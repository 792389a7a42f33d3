//! `as = ThingV1`: a struct of the version that operators describe; `to = ThingV1`: which of
//! several; `carry(x: T)`: a type that is taken as it is.

use std::collections::BTreeSet;

use upstate::schema::Attribute;
use upstate::upgrade::UpgraderKind;
use upstate::{Diagnostic, Object, Resource, StringEnum, UpgradeContext, upgrade_json};

#[derive(Debug, Clone, PartialEq, Eq, StringEnum)]
pub enum Tier {
    Low,
    High,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Rule {
    port: u16,
}

mod seconds {
    pub fn read(text: String) -> Result<u64, String> {
        text.trim_end_matches('s')
            .parse()
            .map_err(|_| format!("`{text}` has no seconds"))
    }
    pub fn write(seconds: &u64) -> String {
        format!("{seconds}s")
    }
}

/// Every way in which a field can be stored.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_made", version = 3)]
#[upgrade_from(
    2 => 3,
    rename(title => name),
    default(retries = 3),
    convert(port: Option<String>, empty = null),
    drop(#[attribute(sensitive)] token: Option<String>, "it has moved"),
    unwrap(rule),
    as = MadeV2,
    derive(Debug, Clone, PartialEq)
)]
#[upgrade_from(1 => 2, model = MadeV1, with = split_title)]
pub struct Made {
    #[attribute(computed)]
    id: String,
    name: String,
    retries: i64,
    port: Option<u16>,
    #[attribute(set)]
    tags: Vec<String>,
    #[attribute(as_string, name = "addr")]
    address: std::net::IpAddr,
    #[attribute(with = seconds)]
    timeout: u64,
    #[attribute(sensitive)]
    password: Option<String>,
    tier: Tier,
    rule: Option<Rule>,
    #[block(max = 2)]
    rules: Vec<Rule>,
    r#type: String,
}

/// Version 1 has a struct of its own, which a function makes into the one that operators describe.
#[derive(Debug, Resource)]
#[resource(type_name = "example_made", version = 1, prior)]
#[upgrade_from(0 => 1, rename(caption => title))]
pub struct MadeV1 {
    id: String,
    title: String,
}

fn split_title(prior: MadeV1, _: &mut UpgradeContext<'_>) -> Result<MadeV2, Diagnostic> {
    Ok(MadeV2 {
        id: prior.id,
        title: prior.title,
        retries: None,
        port: Some(String::new()),
        tags: vec!["b".into(), "a".into()],
        address: [127, 0, 0, 1].into(),
        timeout: 5,
        password: None,
        tier: Tier::High,
        rule: Some(vec![Rule { port: 1 }]),
        rules: vec![],
        token: None,
        r#type: "x".into(),
    })
}

#[test]
fn a_version_that_operators_describe_is_a_struct() {
    let made: Made = upgrade_json(1, r#"{"id": "a", "title": "web"}"#).unwrap();
    let expected = Made {
        id: "a".into(),
        name: "web".into(),
        retries: 3,
        port: None,
        tags: vec!["a".into(), "b".into()],
        address: [127, 0, 0, 1].into(),
        timeout: 5,
        password: None,
        tier: Tier::High,
        rule: Some(Rule { port: 1 }),
        rules: vec![],
        r#type: "x".into(),
    };
    assert_eq!(made, expected);
    let named = MadeV2::schema()
        .block()
        .attributes()
        .iter()
        .map(Attribute::name)
        .collect::<Vec<_>>();
    assert_eq!(
        named,
        [
            "addr", "id", "password", "port", "retries", "rule", "tags", "tier", "timeout",
            "title", "token", "type"
        ]
    );
}

/// Two shapes under version 1, each with a struct, and one way to each of them.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_shapes", version = 2)]
#[upgrade_from(1 => 2, when = has("zone"), rename(zone => place), as = Zoned, derive(Debug))]
#[upgrade_from(1 => 2, when = lacks("zone"), rename(region => place), as = Regional)]
#[upgrade_from(0 => 1, to = Regional, rename(area => region))]
struct Shapes {
    id: String,
    place: String,
}

#[test]
fn a_difference_says_which_of_several_shapes_it_leads_to() {
    let shapes = |place: &str| Shapes {
        id: "a".into(),
        place: place.into(),
    };
    assert_eq!(
        upgrade_json::<Shapes>(1, r#"{"id": "a", "zone": "z"}"#).unwrap(),
        shapes("z")
    );
    assert_eq!(
        upgrade_json::<Shapes>(1, r#"{"id": "a", "region": "r"}"#).unwrap(),
        shapes("r")
    );
    assert_eq!(
        upgrade_json::<Shapes>(0, r#"{"id": "a", "area": "e"}"#).unwrap(),
        shapes("e")
    );
    let zoned = Zoned {
        id: "a".into(),
        zone: "z".into(),
    };
    assert_eq!(format!("{zoned:?}"), r#"Zoned { id: "a", zone: "z" }"#);
}

/// What was stored otherwise, and is taken as it is.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_carried", version = 1)]
#[upgrade_from(0 => 1, carry(tags: BTreeSet<String>), carry(#[attribute(sensitive)] note: String, declassified = "the API shows it"), as = CarriedV0, derive(Clone))]
struct Carried {
    tags: Vec<String>,
    note: Option<String>,
}

#[test]
fn a_type_that_is_taken_as_it_is_needs_no_operator() {
    let carried: Carried = upgrade_json(0, r#"{"tags": ["b", "a", "b"], "note": "x"}"#).unwrap();
    assert_eq!(
        carried,
        Carried {
            tags: vec!["a".into(), "b".into()],
            note: Some("x".into())
        }
    );
    let prior = CarriedV0 {
        tags: BTreeSet::new(),
        note: String::new(),
    };
    assert!(prior.clone().tags.is_empty() && prior.note.is_empty());
    let [note, tags] = CarriedV0::schema().block().attributes() else {
        panic!("two attributes")
    };
    assert!(note.is_sensitive() && !tags.is_sensitive());
    // Nothing was done, so the upgrader has no stages.
    let UpgraderKind::Operators(operators) = Carried::HISTORY.steps()[0].written_as() else {
        panic!("operators")
    };
    assert_eq!(
        operators.to_string(),
        r#"carry(note, declassified = "the API shows it")"#
    );
}
