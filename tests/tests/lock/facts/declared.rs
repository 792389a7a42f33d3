//! One fact, one rule that reads it.

use std::collections::BTreeMap;

use upstate::{Object, Registry, Resource};

use crate::facts::{findings, locked};

/// Two releases of a resource, as bodies of structs, and the findings of the step between them.
macro_rules! step {
    ($(#[$old:meta])* { $($old_body:tt)* } => $(#[$new:meta])* { $($new_body:tt)* }) => {{
        mod old {
            #[allow(unused_imports)]
            use super::*;
            #[derive(Resource)]
            #[resource(type_name = "example_thing", version = 0)]
            $(#[$old])*
            pub struct Thing { $($old_body)* }
        }
        mod new {
            #[allow(unused_imports)]
            use super::*;
            #[derive(Resource)]
            #[resource(type_name = "example_thing", version = 0)]
            $(#[$new])*
            pub struct Thing { $($new_body)* }
        }
        findings(Registry::new().with::<old::Thing>(), Registry::new().with::<new::Thing>())
    }};
}

const RETRIES: i64 = 3;

#[derive(Object)]
pub struct Settings {
    zone: Option<String>,
    region: Option<String>,
}

#[test]
fn a_deprecation_says_what_takes_the_place() {
    let found = step! { { size: Option<i64>, other: Option<i64> } => {
        #[attribute(deprecated("Use `width` instead.", replaced_by = "width", since = "1.9.0", remove_in = "3.0.0"), optional, computed)]
        size: Option<i64>,
        width: Option<i64>,
        #[attribute(deprecated(message = "Remove it.", no_replacement = "the API ignores it"))]
        other: Option<i64>,
    } };
    assert_eq!(
        found,
        [
            "deprecation-added other",
            "attribute-computed-added size",
            "deprecation-added size",
            "attribute-added-optional width"
        ]
    );
    let found = step! { { size: Option<i64> } => { #[attribute(deprecated = "Remove it.")] size: Option<i64> } };
    assert_eq!(
        found,
        ["deprecation-added size", "deprecation-no-replacement size"]
    );
}

#[test]
fn what_was_announced_for_later_is_gone_too_early() {
    let found = step! { {
        #[attribute(deprecated("Remove it.", no_replacement = "unused", since = "1.0.0", remove_in = "3.0.0"))]
        size: Option<i64>,
        id: String,
    } => { id: String } };
    assert_eq!(
        found,
        [
            "schema-version-not-bumped",
            "attribute-removed size",
            "removed-before-window size"
        ]
    );
    let found = step! { {
        #[attribute(deprecated("Remove it.", no_replacement = "unused", remove_in = "4.0.0"))]
        size: Option<i64>,
    } => {
        #[attribute(deprecated("Remove it.", no_replacement = "unused", remove_in = "3.0.0"))]
        size: Option<i64>,
    } };
    assert_eq!(
        found,
        ["deprecation-window-shortened size", "removal-planned size"]
    );
}

#[test]
fn a_successor_that_was_deprecated_with_it_is_a_rename() {
    let found = step! { {
        #[attribute(deprecated("Use `width` instead.", replaced_by = "width"))]
        size: Option<i64>,
        width: Option<i64>,
    } => #[resource(allow("schema-version-not-bumped", reason = "a test of renames", until = "3.0.0"))] { width: Option<i64> } };
    assert_eq!(
        found,
        ["schema-version-not-bumped", "attribute-renamed size"]
    );
}

#[test]
fn blocks_and_resources_are_deprecated_alike() {
    let found = step! { { #[block] rule: Vec<Settings> } => #[resource(deprecated("Use `example_other` instead.", replaced_by = "example_other"))] {
        #[block(deprecated("Use `policy` instead.", replaced_by = "policy"))]
        rule: Vec<Settings>,
        #[block]
        policy: Vec<Settings>,
    } };
    assert_eq!(
        found,
        [
            "resource-deprecated",
            "block-added-optional policy",
            "deprecation-added rule"
        ]
    );
}

#[test]
fn a_former_name_is_said_where_a_function_upgrades() {
    let found = step! { { size: Option<i64>, height: Option<i64>, #[block] rule: Vec<Settings> } => {
        #[attribute(renamed_from = "size")]
        width: Option<i64>,
        #[attribute(renamed_from("depth", "height"))]
        length: Option<i64>,
        #[block(renamed_from = "rule")]
        policy: Vec<Settings>,
    } };
    let renames: Vec<&String> = found
        .iter()
        .filter(|found| found.starts_with("attribute-"))
        .collect();
    assert_eq!(
        renames,
        [
            "attribute-renamed height",
            "attribute-renamed rule",
            "attribute-renamed size"
        ]
    );
}

#[derive(Resource)]
#[resource(type_name = "example_chain", version = 2)]
#[upgrade_from(1, model = ChainV1, rename(caption => text))]
struct Chain {
    text: String,
}

#[derive(Resource)]
#[resource(type_name = "example_chain", version = 1)]
#[upgrade_from(0, model = ChainV0)]
struct ChainV1 {
    #[attribute(renamed_from = "title")]
    caption: String,
}

#[derive(Resource)]
#[resource(type_name = "example_chain", version = 0)]
struct ChainV0 {
    title: String,
}

impl From<ChainV0> for ChainV1 {
    fn from(prior: ChainV0) -> Self {
        Self {
            caption: prior.title,
        }
    }
}

#[test]
fn a_former_name_on_a_prior_model_is_part_of_the_chain() {
    let found = findings(
        Registry::new().with::<ChainV0>(),
        Registry::new().with::<Chain>(),
    );
    let renames: Vec<&String> = found
        .iter()
        .filter(|found| found.starts_with("attribute-"))
        .collect();
    assert_eq!(renames, ["attribute-renamed title"]);
}

#[test]
fn the_form_of_values_has_a_name() {
    let found = step! { { #[attribute(format = "uri")] link: Option<String> } => { #[attribute(format = "path")] link: Option<String> } };
    assert_eq!(
        found,
        ["schema-version-not-bumped", "state-format-changed link"]
    );
    let found = step! { { #[attribute(format = "uri", accepts("path", "id"))] link: Option<String> } => {
        #[attribute(format = "uri", accepts = "path")]
        link: Option<String>,
    } };
    assert_eq!(found, ["validator-tightened link"]);
    // A form that is declared for the first time was there before.
    let found =
        step! { { link: Option<String> } => { #[attribute(format = "uri")] link: Option<String> } };
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn what_the_api_takes_decides_about_a_default() {
    let found = step! { { id: String, retries: Option<i64> } => {
        id: String,
        #[attribute(default = RETRIES, api_default = RETRIES)]
        retries: Option<i64>,
        #[attribute(default = "a", api_default = "b")]
        mode: Option<String>,
    } };
    assert_eq!(
        found,
        ["attribute-added-default mode", "default-added retries"]
    );
    let old = Registry::new().with::<Empty>();
    let safe = crate::facts::report(&old, &Registry::new().with::<ApiAgrees>());
    let breaking = crate::facts::report(&old, &Registry::new().with::<ApiDiffers>());
    let levels = |report: &upstate_compat::Report| {
        report
            .findings
            .iter()
            .map(|finding| finding.level.name())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (levels(&safe), levels(&breaking)),
        (vec!["safe"], vec!["breaking"])
    );
}

#[derive(Resource)]
#[resource(type_name = "example_api", version = 0)]
struct Empty {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "example_api", version = 0)]
struct ApiAgrees {
    id: String,
    #[attribute(default = 3, api_default = 3)]
    retries: Option<i64>,
}

#[derive(Resource)]
#[resource(type_name = "example_api", version = 0)]
struct ApiDiffers {
    id: String,
    #[attribute(default = 3, api_default = 4)]
    retries: Option<i64>,
}

#[test]
fn constraints_come_and_go() {
    let found = step! { { left: Option<i64>, right: Option<i64>, settings: Option<Settings> } =>
        #[resource(conflicts_with((left, right), (left, settings)), required_with(settings.zone, settings.region))]
        #[resource(at_least_one_of(left, right))]
        { left: Option<i64>, right: Option<i64>, settings: Option<Settings> }
    };
    assert_eq!(
        found,
        [
            "constraint-added left",
            "constraint-added left",
            "constraint-added left",
            "constraint-added settings.region"
        ]
    );
    let found = step! { #[resource(exactly_one_of(left, settings.zone))] { left: Option<i64>, settings: Option<Settings> } =>
        { left: Option<i64>, settings: Option<Settings> }
    };
    assert_eq!(found, ["constraint-relaxed left"]);
}

#[test]
fn sums_come_and_go() {
    let found = step! { { all: i64, left: Option<i64>, right: Option<i64> } =>
    #[resource(at_least_sum_of(all, left), at_most_sum_of(left, all, right))] { all: i64, left: Option<i64>, right: Option<i64> } };
    assert_eq!(found, ["constraint-added all", "constraint-added left"]);
    // The order of those that are added up is nothing; a new one is nowhere set.
    let found = step! { #[resource(equal_to_sum_of(all, left, right))] { all: i64, left: Option<i64>, right: Option<i64> } =>
    #[resource(equal_to_sum_of(all, new, right, left))]
    { all: i64, left: Option<i64>, right: Option<i64>, new: Option<i64> } };
    assert_eq!(found, ["attribute-added-optional new"]);
    let found = step! { #[resource(equal_to_sum_of(all, left, right))] { all: i64, left: Option<i64>, right: Option<i64> } =>
    #[resource(at_most_sum_of(all, left, right))] { all: i64, left: Option<i64>, right: Option<i64> } };
    assert_eq!(found, ["constraint-relaxed all"]);
    let found = step! { #[resource(at_most_sum_of(all, left, right))] { all: i64, left: Option<i64>, right: Option<i64> } =>
    #[resource(at_most_sum_of(all, left))] { all: i64, left: Option<i64>, right: Option<i64> } };
    assert_eq!(found, ["constraint-added all"]);
    let found = step! { #[resource(at_least_sum_of(all, left, right))] { all: i64, left: Option<i64>, right: Option<i64> } =>
    { all: i64, left: Option<i64>, right: Option<i64> } };
    assert_eq!(found, ["constraint-relaxed all"]);
    // Another attribute is compared: one constraint goes, and one comes.
    let found = step! { #[resource(at_least_sum_of(left, all, right))] { all: i64, left: Option<i64>, right: Option<i64> } =>
    #[resource(at_least_sum_of(all, left, right))] { all: i64, left: Option<i64>, right: Option<i64> } };
    assert_eq!(found, ["constraint-added all", "constraint-relaxed left"]);
    // At least what nobody sets, and what nobody sets at least.
    let found = step! { { all: i64 } =>
    #[resource(at_least_sum_of((all, new), (new, all)))] { all: i64, new: Option<i64> } };
    assert_eq!(found, ["attribute-added-optional new"]);
}

#[test]
fn the_id_is_made_of_attributes() {
    let found = step! { #[resource(id_format = "{name}", import_format = "{name}")] { id: String, name: String, r#type: String } =>
        #[resource(id_format = "{type}/{name}", import_format = "{type}/{name}", import_format = "{type}:{name}")]
        { id: String, name: String, r#type: String }
    };
    let expected = [
        "import-format-added",
        "import-format-added",
        "import-format-removed",
        "resource-id-format-changed",
        "schema-version-not-bumped",
    ];
    assert_eq!(found, expected);
    let found = step! { #[resource(id_format = "{name}")] { id: String, name: String } =>
        #[resource(id_format = "{name}/{zone}")] { id: String, name: String, zone: Option<String> }
    };
    assert_eq!(
        found,
        [
            "resource-id-format-changed",
            "schema-version-not-bumped",
            "attribute-added-id-component zone"
        ]
    );
}

#[test]
fn what_is_never_read_needs_an_upgrade_to_fill_it() {
    let found = step! { #[resource(read = none)] { id: String } => #[resource(read = none)] { id: String, #[attribute(computed)] hash: Option<String> } };
    assert_eq!(
        found,
        [
            "schema-version-not-bumped",
            "computed-backfill-required hash"
        ]
    );
}

#[test]
fn a_preview_promises_less() {
    let found = step! { #[resource(tier = preview)] { id: String, size: Option<i64> } => #[resource(tier = experimental)] { id: String } };
    assert_eq!(
        found,
        [
            "resource-tier-lowered",
            "schema-version-not-bumped",
            "attribute-removed size"
        ]
    );
    let found = step! { #[resource(tier = preview)] { id: String } => #[resource(tier = stable)] { id: String } };
    assert_eq!(found, ["resource-tier-raised"]);
}

#[test]
fn destroying_does_something_else() {
    let found = step! { #[resource(destroy = "deletes")] { id: String } => #[resource(destroy = "abandons")] { id: String } };
    assert_eq!(found, ["destroy-behaviour-changed"]);
}

#[test]
fn a_change_of_behaviour_is_judged_by_its_flag_and_its_release() {
    let found = step! { { id: String } => #[resource(behaviour("restarts on resize", since = "2.0.0"))] { id: String } };
    assert_eq!(found, ["behaviour-changed"]);
    // What 1.0.0 did before anybody declared it, and what was declared then.
    let found = step! { { id: String } => #[resource(behaviour("restarts on resize", since = "1.0.0"))] { id: String } };
    assert_eq!(found, <[&str; 0]>::default());
    let found = step! {
        #[resource(behaviour("restarts on resize", since = "2.0.0"))] { id: String } =>
        #[resource(behaviour("restarts on resize", since = "2.0.0"))] { id: String }
    };
    assert_eq!(found, <[&str; 0]>::default());
    let found = step! {
        { id: String } =>
        #[resource(behaviour("restarts on resize", since = "2.0.0", flag = restart))]
        { id: String, #[attribute(default = false)] restart: Option<bool> }
    };
    assert_eq!(
        found,
        ["behaviour-behind-flag", "attribute-added-default restart"]
    );
    let found = step! {
        { id: String, #[attribute(default = false)] restart: Option<bool> } =>
        #[resource(behaviour("restarts on resize", since = "2.0.0", flag = restart))]
        { id: String, #[attribute(default = true)] restart: Option<bool> }
    };
    assert_eq!(found, ["behaviour-changed", "default-changed restart"]);
}

#[derive(Resource)]
#[resource(type_name = "example_all", version = 0)]
#[resource(exactly_one_of(left, right, settings.zone), id_format = "{left}", import_format = "{left}", tier = preview, read = none, destroy = "d")]
#[resource(behaviour("restarts on resize", since = "1.0.0", flag = on))]
#[resource(deprecated(
    "Use `example_other` instead.",
    replaced_by = "example_other",
    since = "1.0.0",
    remove_in = "2.0.0"
))]
struct All {
    #[attribute(
        renamed_from("a", "b"),
        format = "uri",
        accepts = "path",
        api_default = "x",
        name = "left_side"
    )]
    left: Option<String>,
    #[attribute(deprecated("Use `left_side` instead.", replaced_by = "left_side"))]
    right: Option<String>,
    on: Option<bool>,
    settings: Option<Settings>,
    #[block(
        renamed_from = "rules",
        deprecated("Remove it.", no_replacement = "unused")
    )]
    rule: Vec<Settings>,
}

#[derive(Resource)]
#[resource(type_name = "example_all", version = 0)]
struct Bare {
    #[attribute(name = "left_side")]
    left: Option<String>,
    right: Option<String>,
    on: Option<bool>,
    settings: Option<Settings>,
    #[block]
    rule: Vec<Settings>,
}

const LOCKED: &str = r#"@behaviours = [{"flag":"on","since":"1.0.0","text":"restarts on resize"}]
@deprecated = {"message":"Use `example_other` instead.","removal":"2.0.0","replaced_by":"example_other","since":"1.0.0"}
@destroy = "d"
@groups = [{"kind":"exactly_one_of","paths":["left_side","right","settings.zone"]}]
@id_format = "{left_side}"
@import_formats = ["{left_side}"]
@read = "none"
@tier = "preview"
left_side = "string" null {"accepts":["path"],"api_default":"x","format":"uri","id_component":true,"optional":true,"renamed_from":["a","b"]}
on = "bool" null {"optional":true}
right = "string" null {"deprecated":{"message":"Use `left_side` instead.","replaced_by":"left_side","since":"1.0.0"},"optional":true}
settings = nested single null {"optional":true}
settings.region = "string" null {"optional":true}
settings.zone = "string" null {"optional":true}
rule = block list {"deprecated":{"message":"Remove it.","no_replacement":"unused","since":"1.0.0"},"renamed_from":"rules"}
rule.region = "string" null {"optional":true}
rule.zone = "string" null {"optional":true}
"#;

#[test]
fn the_lock_keeps_facts_and_its_fingerprint_none_of_them() {
    let text = locked(&Registry::new().with::<All>()).to_string();
    let (head, facts) = text.split_once(" released 1.0.0\n").unwrap();
    assert_eq!(facts, LOCKED);
    let bare = locked(&Registry::new().with::<Bare>()).to_string();
    assert_eq!(bare.split_once(" released 1.0.0\n").unwrap().0, head);
    assert_eq!(
        upstate::__private::fingerprint(<All as upstate::Object>::TABLE),
        upstate::__private::fingerprint(<Bare as upstate::Object>::TABLE)
    );
    assert_eq!(
        upstate_compat::lock::Lock::parse(&text).unwrap(),
        locked(&Registry::new().with::<All>())
    );
}

#[test]
fn a_definition_made_at_run_time_has_the_same_facts() {
    use upstate::ResourceDefinition;
    use upstate::schema::{
        Attribute, Block, Deprecated, GroupKind, Nested, NestedBlock, Nesting, Presence, Schema,
        Tier, Type,
    };
    use upstate_compat::ResourceSnapshot;

    let text = |name: &'static str| Attribute::new(name, Type::String, Presence::Optional);
    let left = text("left_side")
        .renamed_from("a")
        .renamed_from("b")
        .with_format("uri")
        .accepting("path")
        .with_api_default("\"x\"");
    let right = text("right")
        .deprecate(Deprecated::new("Use `left_side` instead.").replaced_by("left_side"));
    let settings = Nested::new(Nesting::Single, vec![text("region"), text("zone")]);
    let rule = Block::new([text("region"), text("zone")])
        .renamed_from("rules")
        .deprecate(Deprecated::new("Remove it.").no_replacement("unused"));
    let on = Attribute::new("on", Type::Bool, Presence::Optional);
    let block = Block::new([
        left,
        right,
        on,
        Attribute::nested("settings", settings, Presence::Optional),
    ])
    .with_blocks([NestedBlock::new("rule", Nesting::List, rule)])
    .deprecate(
        Deprecated::new("Use `example_other` instead.")
            .replaced_by("example_other")
            .since("1.0.0")
            .remove_in("2.0.0"),
    );
    let schema = Schema::new(0, block)
        .constrained(
            GroupKind::ExactlyOneOf,
            ["left_side", "right", "settings.zone"],
        )
        .id_format("{left_side}")
        .import_format("{left_side}")
        .tier(Tier::Preview)
        .never_read()
        .behaves("restarts on resize", "1.0.0", Some("on".into()))
        .destroys_by("d");
    let definition = ResourceDefinition::builder("example_all", schema)
        .unsupported(0..=u64::MAX)
        .build()
        .unwrap();
    assert_eq!(
        ResourceSnapshot::of(&definition),
        ResourceSnapshot::of(All::DEFINITION)
    );
}

#[test]
fn a_definition_is_not_built_on_facts_that_cannot_be() {
    use upstate::ResourceDefinition;
    use upstate::schema::{Attribute, Block, GroupKind, Presence, Schema, Type};

    let name = Attribute::new("name", Type::String, Presence::Required);
    let size = Attribute::new("size", Type::Number, Presence::Computed);
    let schema = Schema::new(0, Block::new([name, size]))
        .constrained(GroupKind::ConflictsWith, ["name", "size", "zone"])
        .constrained(GroupKind::RequiredWith, ["other.name"])
        .constrained(GroupKind::AtLeastSumOf, ["name", "size"])
        .id_format("{project}/{name}");
    let refused = ResourceDefinition::builder("example_thing", schema)
        .unsupported(0..=u64::MAX)
        .build()
        .unwrap_err();
    let details: Vec<&str> = refused.iter().map(upstate::Diagnostic::detail).collect();
    let expected = [
        "Resource type example_thing: conflicts_with names name, which is always set.",
        "Resource type example_thing: conflicts_with names size, which only the provider sets.",
        "Resource type example_thing: conflicts_with names zone, which the schema does not have.",
        "Resource type example_thing: required_with has fewer than two attributes.",
        "Resource type example_thing: required_with names other.name, which the schema does not have.",
        "Resource type example_thing: at_least_sum_of names name, which is not a number.",
        "Resource type example_thing: at_least_sum_of names size, which only the provider sets.",
        "Resource type example_thing: the id format {project}/{name} has {project}, which the schema does not have.",
    ];
    assert_eq!(details, expected);
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    reason = "as the derive calls it"
)]
fn even(_: &i64) -> Result<(), String> {
    Ok(())
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    reason = "as the derive calls it"
)]
fn odd(_: &i64) -> Result<(), String> {
    Ok(())
}

#[test]
fn what_may_be_configured_is_compared_check_by_check() {
    let found = step! { {
        #[attribute(length = 1..=64, pattern = "^a")]
        name: Option<String>,
        #[attribute(range = 1..=8)]
        size: Option<i64>,
        #[attribute(one_of("a", "b"))]
        side: Option<String>,
        #[attribute(validate = even)]
        legs: Option<i64>,
        free: Option<String>,
    } => {
        #[attribute(length = 1..=32, pattern = "^b")]
        name: Option<String>,
        #[attribute(range = 0..)]
        size: Option<i64>,
        #[attribute(one_of("a", "c"))]
        side: Option<String>,
        #[attribute(validate = odd)]
        legs: Option<i64>,
        #[attribute(length = 1..)]
        free: Option<String>,
    } };
    assert_eq!(
        found,
        [
            "validator-added free",
            "validator-changed-opaque legs",
            "validator-changed-opaque name",
            "validator-tightened name",
            "enum-value-added side",
            "enum-value-removed side",
            "validator-loosened size",
        ]
    );
}

#[expect(clippy::unnecessary_wraps, reason = "as the derive calls it")]
fn few(_: &[Settings]) -> Result<(), String> {
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "as the derive calls it")]
fn near(_: &Settings) -> Result<(), String> {
    Ok(())
}

#[test]
fn checks_of_blocks_are_compared_as_those_of_attributes() {
    let found = step! { {
        #[block]
        free: Vec<Settings>,
        #[block(validate = few)]
        rule: Vec<Settings>,
        #[block(keys(length = 1..=8))]
        zone: BTreeMap<String, Settings>,
    } => {
        #[block(each(validate = near))]
        free: Vec<Settings>,
        #[block]
        rule: Vec<Settings>,
        #[block(keys(length = 1..=4))]
        zone: BTreeMap<String, Settings>,
    } };
    assert_eq!(
        found,
        [
            "validator-added free",
            "validator-removed rule",
            "validator-tightened zone"
        ]
    );
}

#[test]
fn a_check_is_in_the_lock_and_the_shape_is_what_it_was() {
    mod with {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub(super) struct Thing {
            #[attribute(length = 1..=64, pattern = "^[a-z]+$")]
            name: String,
        }
    }
    mod without {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub(super) struct Thing {
            name: String,
        }
    }
    let with = locked(&Registry::new().with::<with::Thing>()).to_string();
    let without = locked(&Registry::new().with::<without::Thing>()).to_string();
    let fingerprint = |text: &str| {
        text.lines()
            .find(|line| line.starts_with("[example_thing 0]"))
            .map(str::to_owned)
    };
    assert_eq!(fingerprint(&with), fingerprint(&without));
    assert!(
        with.contains(r#""validators":{"length":{"max":64,"min":1},"pattern":"^[a-z]+$"}"#),
        "{with}"
    );
    assert!(!without.contains("validators"), "{without}");
}
