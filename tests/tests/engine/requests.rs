//! Routes, refusals and the safety of upgrades.

use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::upgrade::ClosureUpgrader;
use upstate::{
    AttributePath, Diagnostic, Diagnostics, Number, Registry, Resource, ResourceDefinition,
    Severity, UpgradeContext, UpgradeRequest, UpgradeResponse, Value, upgrade_json,
};

/// Direct upgraders from 0 and 2, and 1 only through 2.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_mixed", version = 3)]
#[upgrade_from(0, model = MixedV0)]
#[upgrade_from(2, model = MixedV2)]
struct Mixed {
    id: String,
    trail: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_mixed", version = 2, oldest = 1)]
#[upgrade_from(1, model = MixedV1, with = one_to_two)]
struct MixedV2 {
    id: String,
    trail: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_mixed", version = 1, prior)]
struct MixedV1 {
    id: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_mixed", version = 0)]
struct MixedV0 {
    id: String,
}

fn one_to_two(prior: MixedV1, context: &mut UpgradeContext<'_>) -> Result<MixedV2, Diagnostic> {
    context.warn(Diagnostic::warning(
        "Trail Guessed",
        "Version 1 kept no trail.",
    ));
    if prior.id == "bad" {
        return Err(Diagnostic::error("Unknown Trail", "No trail is known.")
            .at(AttributePath::new().attribute("id")));
    }
    Ok(MixedV2 {
        id: prior.id,
        trail: format!("1 of {}", context.stored_version()),
    })
}

impl From<MixedV0> for Mixed {
    fn from(prior: MixedV0) -> Self {
        Mixed {
            id: prior.id,
            trail: "0".to_owned(),
        }
    }
}

impl TryFrom<MixedV2> for Mixed {
    type Error = String;

    fn try_from(prior: MixedV2) -> Result<Self, String> {
        match prior.id.as_str() {
            "panics" => panic!("met {}", prior.id),
            "fails" => Err("the id is not wanted".to_owned()),
            _ => Ok(Mixed {
                id: prior.id,
                trail: format!("{}, then 2", prior.trail),
            }),
        }
    }
}

fn upgrade(type_name: &str, version: u64, json: &str) -> UpgradeResponse {
    registry().upgrade(&UpgradeRequest::json(type_name, version, json.as_bytes()))
}

fn registry() -> Registry {
    Registry::new().with::<Mixed>().with::<Secret>()
}

fn state(response: &UpgradeResponse) -> &str {
    std::str::from_utf8(
        response
            .state()
            .unwrap_or_else(|| panic!("{}", response.diagnostics())),
    )
    .unwrap()
}

fn refused(response: &UpgradeResponse) -> String {
    assert_eq!(response.state(), None);
    assert!(response.diagnostics().has_errors());
    response.diagnostics().to_string()
}

#[test]
fn every_version_takes_its_own_upgrader_or_the_nearest_later_one() {
    for (version, route, trail) in [
        (0, vec![0, 3], "0"),
        (1, vec![1, 2, 3], "1 of 1, then 2"),
        (2, vec![2, 3], "x, then 2"),
        (3, vec![3], "x"),
    ] {
        assert_eq!(Mixed::DEFINITION.route(version), route);
        let response = upgrade(
            "example_mixed",
            version,
            r#"{"id":"a","trail":"x","old":[]}"#,
        );
        assert_eq!(
            state(&response),
            format!(r#"{{"id":"a","trail":"{trail}"}}"#)
        );
        assert_eq!(
            upgrade_json::<Mixed>(version, r#"{"id":"a","trail":"x"}"#)
                .unwrap()
                .trail,
            trail
        );
    }
    assert!(Mixed::DEFINITION.route(4).is_empty());
    assert_eq!(Mixed::DEFINITION.supported_versions(), [0, 1, 2]);
}

#[test]
fn warnings_survive_success_and_failure() {
    let response = upgrade("example_mixed", 1, r#"{"id":"a"}"#);
    assert_eq!(
        response.diagnostics().to_string(),
        "warning: Trail Guessed\nVersion 1 kept no trail.\n\n\
         Resource type example_mixed, stored at schema version 1, current version 3, id \"a\"."
    );
    let response = upgrade("example_mixed", 1, r#"{"id":"bad"}"#);
    let severities: Vec<Severity> = response
        .diagnostics()
        .iter()
        .map(Diagnostic::severity)
        .collect();
    assert_eq!(severities, [Severity::Warning, Severity::Error]);
    assert!(refused(&response).contains("error: Unknown Trail (at id)"));
}

#[test]
fn refusals_say_what_was_found_and_what_to_do() {
    for (response, text) in [
        (
            upgrade("example_mixed", 4, "{}"),
            "error: Resource State Is Newer\nA later release stored this state of example_mixed, at schema version 4; this release reads versions up to 3. \
             Use the release that stored it, or a later one.\n\n\
             Resource type example_mixed, stored at schema version 4, current version 3.",
        ),
        (
            upgrade("example_none", 0, "{}"),
            "error: Resource Type Not Found\nNo resource type is named \"example_none\"; 2 are known. \
             Register its model, or use a release that has it.",
        ),
        (
            upgrade("example_mixed", 2, r#"{"id":"fails","trail":""}"#),
            "error: Unable to Upgrade Resource State\nThe upgrade from schema version 2 refused this state: the id is not wanted.\n\n\
             Resource type example_mixed, stored at schema version 2, current version 3, id \"fails\".",
        ),
        (
            upgrade("example_mixed", 2, r#"{"id":"a","trail":["x"]}"#),
            "error: Unable to Read Previously Saved State (at trail)\n\
             The stored state does not fit schema version 2: expected a string, found an array (at trail).\n\n\
             Resource type example_mixed, stored at schema version 2, current version 3, id \"a\".",
        ),
        (
            upgrade("example_mixed", 0, "null"),
            "error: Unable to Read Previously Saved State\n\
             The stored state does not fit schema version 0: the stored value is null, but must not be \
             (at byte 0). If nobody edited it, a release stored it so: report this to the authors. For the authors: make the model's field an `Option`.\n\n\
             Resource type example_mixed, stored at schema version 0, current version 3.",
        ),
    ] {
        assert_eq!(refused(&response), text);
    }
    let response = registry().upgrade(&UpgradeRequest::json(
        "example_mixed",
        0,
        b"{\"id\": \"\xff\"}",
    ));
    assert!(refused(&response).contains("not valid UTF-8 (at byte 8)"));
}

#[test]
fn a_panic_in_an_upgrade_is_a_diagnostic() {
    let response = upgrade("example_mixed", 2, r#"{"id":"panics","trail":""}"#);
    assert!(
        refused(&response)
            .contains("error: Upgrade Panicked\nThe upgrader panicked. It said: met panics.")
    );
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_secret", version = 1, oldest = 1)]
struct Newer {
    id: String,
}

/// Its prior model has a secret.
#[derive(Debug, Resource)]
#[resource(type_name = "example_secret", version = 1)]
#[upgrade_from(0, model = SecretV0)]
struct Secret {
    id: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_secret", version = 0)]
struct SecretV0 {
    id: String,
    #[attribute(sensitive)]
    token: i64,
}

impl From<SecretV0> for Secret {
    fn from(prior: SecretV0) -> Self {
        assert!(prior.token < 0, "the token {} is not negative", prior.token);
        Secret { id: prior.id }
    }
}

#[test]
fn sensitive_values_never_appear() {
    let response = upgrade("example_secret", 0, r#"{"id":"a","token":424242}"#);
    assert!(
        refused(&response)
            .contains("Its message is not shown, because the resource has sensitive attributes.")
    );
    let response = upgrade("example_secret", 0, r#"{"id":"a","token":"424242hunter"}"#);
    for response in [
        &response,
        &upgrade("example_secret", 0, r#"{"id":"a","token":424242.5}"#),
    ] {
        assert!(!format!("{response:?}{}", refused(response)).contains("424242"));
    }
}

#[test]
fn versions_below_the_oldest_are_refused() {
    assert_eq!(Newer::DEFINITION.oldest(), 1);
    let response = Registry::new()
        .with::<Newer>()
        .upgrade(&UpgradeRequest::json("example_secret", 0, b"{}"));
    assert!(refused(&response).contains("error: Resource State Is Too Old"));
    assert_eq!(upgrade_json::<Newer>(1, r#"{"id":"a"}"#).unwrap().id, "a");
}

fn note(version: u64, names: &[&str]) -> Schema {
    Schema::new(
        version,
        Block::new(
            names
                .iter()
                .map(|name| Attribute::new(*name, Type::String, Presence::Optional)),
        ),
    )
}

fn rename(
    from: &'static str,
    to: &'static str,
) -> impl Fn(Value, &mut UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    move |mut value, _| {
        let members = value.as_map_mut().ok_or("not an object")?;
        let moved = members.remove(from).unwrap_or_default();
        members.insert(to.to_owned(), moved);
        Ok(value)
    }
}

#[test]
fn definitions_made_at_run_time_upgrade_directly_and_in_chains() {
    let definition = ResourceDefinition::builder("example_note", note(3, &["body", "title"]))
        .unsupported(0..=u64::MAX)
        .upgrader(
            ClosureUpgrader::new(0, rename("name", "head"))
                .prior_schema(&note(0, &["name"]))
                .to(1),
        )
        .upgrader(
            ClosureUpgrader::new(1, rename("head", "title")).prior_schema(&note(1, &["head"])),
        )
        .upgrader(ClosureUpgrader::new(2, |_, _| Err::<Value, _>("no longer")))
        .build()
        .unwrap();
    assert_eq!(definition.route(0), [0, 1, 3]);
    let mut registry = Registry::new();
    registry.insert(definition);
    let run = |version, json: &str| {
        registry.upgrade(&UpgradeRequest::json(
            "example_note",
            version,
            json.as_bytes(),
        ))
    };
    assert_eq!(
        state(&run(0, r#"{"name": 1.50, "other": {}}"#)),
        r#"{"body":null,"title":"1.50"}"#
    );
    assert_eq!(
        state(&run(1, r#"{"head": "x"}"#)),
        r#"{"body":null,"title":"x"}"#
    );
    assert_eq!(
        state(&run(3, r#"{"title": "x", "gone": 1}"#)),
        r#"{"body":null,"title":"x"}"#
    );
    assert!(refused(&run(2, "{}")).contains("no longer"));
    assert!(
        refused(&run(0, r#"{"name": []}"#)).contains("expected a string, found an array (at name)")
    );
    assert!(refused(&run(0, "{")).contains("not valid JSON"));
}

#[test]
fn an_answer_that_is_not_complete_and_known_never_leaves() {
    let answers: [(Value, &str); 5] = [
        (
            Value::Null,
            "The upgrader returned null in place of an object",
        ),
        (
            Value::Unknown,
            "The upgrader returned an unknown value in place of an object",
        ),
        (
            Value::from_iter([("title".to_owned(), Value::Unknown)]),
            "the upgrade left an unknown value, which cannot be stored (at title)",
        ),
        (
            Value::from_iter([("tilte".to_owned(), Value::Null)]),
            "the schema defines no such attribute (at tilte)",
        ),
        (
            Value::from_iter([("title".to_owned(), Number::from(1_i64).into())]),
            "expected a string, found a number (at title)",
        ),
    ];
    for (answer, text) in answers {
        let definition = ResourceDefinition::builder("example_note", note(1, &["title"]))
            .unsupported(0..=u64::MAX)
            .upgrader(ClosureUpgrader::new(0, move |_, _| {
                Ok::<_, Diagnostics>(answer.clone())
            }))
            .build()
            .unwrap();
        let mut registry = Registry::new();
        registry.insert(definition);
        let response = registry.upgrade(&UpgradeRequest::json("example_note", 0, b"{}"));
        assert!(
            refused(&response).contains(text),
            "{text}: {}",
            response.diagnostics()
        );
    }
}

#[test]
fn mistakes_in_a_definition_are_reported_together() {
    let same = |from| ClosureUpgrader::new(from, |value, _| Ok::<_, Diagnostics>(value));
    let errors = ResourceDefinition::builder("", note(3, &[]))
        .unsupported(0..=u64::MAX)
        .oldest(9)
        .upgrader(same(0).to(1))
        .upgrader(same(2).to(2))
        .upgrader(same(2))
        .upgrader(same(3))
        .build()
        .unwrap_err();
    let details: Vec<&str> = errors.iter().map(Diagnostic::detail).collect();
    assert_eq!(
        details,
        [
            "Resource type : the type name is empty.",
            "Resource type : the oldest supported version 9 is above the current version 3.",
            "Resource type : the upgrade from version 0 ends at version 1, from which no upgrade goes on.",
            "Resource type : the upgrade from version 2 must end above it and at most at 3, not at 2.",
            "Resource type : there are two upgrades from version 2.",
            "Resource type : the upgrade from version 3 never runs: the current version is 3.",
        ]
    );
}

#[test]
fn an_upgrade_cannot_store_what_could_not_be_read_again() {
    let schema = Schema::new(
        1,
        Block::new([Attribute::new(
            "any",
            Type::list(Type::Dynamic),
            Presence::Optional,
        )]),
    );
    let element = |ty: Type, value: Value| Value::Dynamic(Box::new((ty, value)));
    let definition = ResourceDefinition::builder("example_any", schema)
        .unsupported(0..=u64::MAX)
        .upgrader(ClosureUpgrader::new(0, move |_, _| {
            let mixed = vec![
                element(Type::String, "a".into()),
                element(Type::Number, 1_i64.into()),
            ];
            Ok::<_, Diagnostics>(Value::from_iter([("any".to_owned(), mixed.into())]))
        }))
        .build()
        .unwrap();
    let mut registry = Registry::new();
    registry.insert(definition);
    let response = registry.upgrade(&UpgradeRequest::json("example_any", 0, b"{}"));
    assert!(
        refused(&response).contains("elements do not all have the same types (at any)"),
        "{}",
        response.diagnostics()
    );
}

#[test]
fn lengths_and_counts_are_only_claims() {
    // A MessagePack array that says it has four thousand million elements, inside many of its like.
    let bytes = [0xdd, 0xff, 0xff, 0xff, 0xff].repeat(64);
    let ty = (0..64).fold(Type::String, |ty, _| Type::list(ty));
    assert!(Value::from_msgpack(&bytes, &ty).is_err());
    let fields =
        (0..20).map(|index| upstate::schema::Field::new(format!("f{index}"), Type::String));
    let ty = Type::object([upstate::schema::Field::new(
        "l",
        Type::list(Type::object(fields)),
    )]);
    let flat = std::collections::BTreeMap::from([("l.#".to_owned(), "1000000".to_owned())]);
    let error = Value::from_flatmap(&flat, &ty).unwrap_err().to_string();
    assert!(
        error.contains(
            "invalid count value for \"l.\" in state: far more elements than there are keys"
        ),
        "{error}"
    );
    // Found by fuzzing: five digits that took seconds.
    let flat = std::collections::BTreeMap::from([("l.#".to_owned(), "112020".to_owned())]);
    assert!(Value::from_flatmap(&flat, &ty).is_err());
}

#[test]
fn what_no_schema_defines_is_named_when_it_is_dropped() {
    let response = upgrade(
        "example_mixed",
        0,
        r#"{"extra":{"deep":1},"id":"a","zz":[1]}"#,
    );
    let dropped: Vec<String> = response
        .undefined()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        (state(&response), dropped),
        (
            r#"{"id":"a","trail":"0"}"#,
            vec!["extra".to_owned(), "zz".to_owned()]
        )
    );
    assert!(response.diagnostics().is_empty());
    // Also where names come in another order, and each only once.
    let response = upgrade(
        "example_mixed",
        3,
        r#"{"zz":1,"trail":"x","extra":2,"id":"a"}"#,
    );
    assert_eq!(response.undefined().len(), 2);
    assert!(
        upgrade("example_mixed", 3, r#"{"id":"a","trail":"x"}"#)
            .undefined()
            .is_empty()
    );
}
