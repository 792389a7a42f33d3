//! Renames are declared once, where the upgrade is.

use upstate::{Object, Registry, Resource};

use crate::facts::findings;

#[derive(Resource)]
#[resource(type_name = "example_site", version = 0)]
struct SiteV0 {
    id: String,
    title: Option<String>,
    address: Option<String>,
    first: Option<Vec<String>>,
    second: Option<Vec<String>>,
    zone: Option<String>,
    limits: Option<LimitsV0>,
    part: Option<PartV0>,
}

#[derive(Object)]
struct LimitsV0 {
    cpu: Option<i64>,
}

#[derive(Object)]
struct PartV0 {
    from_port: Option<i64>,
}

#[derive(Resource)]
#[resource(type_name = "example_site", version = 1)]
#[upgrade_from(0, model = SiteV0,
    rename(title => label),
    split(address, "{host}:{port}"),
    merge(first, second => all),
    nest(zone => settings),
    unnest(limits => cpu),
    set(settings.kind = null),
)]
struct SiteV1 {
    id: String,
    label: Option<String>,
    host: Option<String>,
    port: Option<String>,
    all: Option<Vec<String>>,
    settings: Option<Settings>,
    cpu: Option<i64>,
    part: Option<Part>,
}

#[derive(Object)]
struct Settings {
    zone: Option<String>,
    kind: Option<String>,
}

#[derive(Object)]
#[upgrade_from(model = PartV0, rename(from_port => port))]
struct Part {
    port: Option<i64>,
}

#[test]
fn the_operators_of_an_edge_say_what_became_of_an_attribute() {
    let found = findings(
        Registry::new().with::<SiteV0>(),
        Registry::new().with::<SiteV1>(),
    );
    let rules: Vec<&str> = found
        .iter()
        .map(String::as_str)
        .filter(|rule| !is_policy(rule))
        .collect();
    let expected = [
        "attribute-split address",
        "attribute-merged all",
        "attribute-moved limits.cpu",
        "attribute-renamed part.from_port",
        "attribute-added-optional settings.kind",
        "attribute-renamed title",
        "attribute-moved zone",
    ];
    assert_eq!(rules, expected);
}

fn is_policy(rule: &str) -> bool {
    ["removed-without-deprecation ", "rename-without-overlap "]
        .iter()
        .any(|policy| rule.starts_with(policy))
}

#[derive(Resource)]
#[resource(type_name = "example_site", version = 3)]
#[upgrade_from(2, model = SiteV2, rename(config => options, caption => text), rename(part => piece))]
struct Site {
    id: String,
    text: Option<String>,
    host: Option<String>,
    port: Option<String>,
    all: Option<Vec<String>>,
    options: Option<Config>,
    cpu: Option<i64>,
    piece: Option<Part>,
}

#[derive(Resource)]
#[resource(type_name = "example_site", version = 2)]
#[upgrade_from(1, model = SiteV1, rename(label => caption, settings => config))]
struct SiteV2 {
    id: String,
    caption: Option<String>,
    host: Option<String>,
    port: Option<String>,
    all: Option<Vec<String>>,
    config: Option<Config>,
    cpu: Option<i64>,
    part: Option<Part>,
}

#[derive(Object)]
#[upgrade_from(model = Settings, rename(zone => area))]
struct Config {
    area: Option<String>,
    kind: Option<String>,
}

#[test]
fn a_chain_of_edges_is_one_rename() {
    let found = findings(
        Registry::new().with::<SiteV0>(),
        Registry::new().with::<Site>(),
    );
    let rules: Vec<&str> = found
        .iter()
        .map(String::as_str)
        .filter(|rule| !is_policy(rule))
        .collect();
    let expected = [
        "schema-version-skipped",
        "attribute-split address",
        "attribute-merged all",
        "attribute-moved limits.cpu",
        "attribute-added-optional options.kind",
        "attribute-renamed part",
        "attribute-renamed piece.from_port",
        "attribute-renamed title",
        "attribute-moved zone",
    ];
    assert_eq!(rules, expected);
    // From the version before only what the last edge says counts.
    let found = findings(
        Registry::new().with::<SiteV2>(),
        Registry::new().with::<Site>(),
    );
    let rules: Vec<&str> = found
        .iter()
        .map(String::as_str)
        .filter(|rule| !is_policy(rule))
        .collect();
    assert_eq!(
        rules,
        [
            "attribute-renamed caption",
            "attribute-renamed config",
            "attribute-renamed part"
        ]
    );
}

#[derive(Resource)]
#[resource(type_name = "example_swap", version = 1)]
#[upgrade_from(0, model = SwapV0, rename(left => middle), rename(right => left))]
struct Swap {
    id: String,
    left: Option<String>,
    middle: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_swap", version = 0)]
struct SwapV0 {
    id: String,
    left: Option<String>,
    right: Option<String>,
}

#[test]
fn a_name_that_means_something_else_now_is_no_carried_attribute() {
    let snapshot = upstate_compat::ResourceSnapshot::of(Swap::DEFINITION);
    let renames = &snapshot.renames[&0];
    let to = |from: &str| renames[from].only().unwrap().to_owned();
    assert_eq!(
        (to("left"), to("right")),
        ("middle".to_owned(), "left".to_owned())
    );
}

#[derive(Resource)]
#[resource(type_name = "example_pair", version = 1)]
#[upgrade_from(0, model = PairV0, rename(old => new, existing = keep))]
struct Pair {
    id: String,
    new: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_pair", version = 0)]
struct PairV0 {
    id: String,
    #[attribute(deprecated = "Use `new` instead.")]
    old: Option<String>,
    new: Option<String>,
}

#[test]
fn two_names_that_were_served_together_become_one() {
    let found = findings(
        Registry::new().with::<PairV0>(),
        Registry::new().with::<Pair>(),
    );
    assert_eq!(found, ["attribute-renamed old"]);
}

#[derive(Resource)]
#[resource(type_name = "example_old", version = 0)]
struct OldType {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "example_new", version = 0)]
#[move_from(type_name = "example_old", model = OldType, carry)]
struct NewType {
    id: String,
}

#[test]
fn a_type_whose_state_another_takes_was_renamed() {
    let found = findings(
        Registry::new().with::<OldType>(),
        Registry::new().with::<NewType>(),
    );
    assert_eq!(found, ["removed-without-deprecation", "resource-renamed"]);
}

/// Version 0 is renamed on the way to 1, and dropped on the way to 2; so is something in an object.
mod dropped {
    use super::*;
    use crate::facts::report;

    #[derive(Resource)]
    #[resource(type_name = "example_shelf", version = 0)]
    struct ShelfV0 {
        id: String,
        paint: Option<String>,
        board: Option<BoardV0>,
    }

    #[derive(Object)]
    struct BoardV0 {
        size: Option<i64>,
        glue: Option<String>,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_shelf", version = 1)]
    #[upgrade_from(0, model = ShelfV0, rename(paint => color))]
    struct ShelfV1 {
        id: String,
        color: Option<String>,
        board: Option<BoardV0>,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_shelf", version = 2)]
    #[upgrade_from(1, model = ShelfV1, drop(color, "shelves are sold unpainted"))]
    struct ShelfV2 {
        id: String,
        board: Option<Board>,
    }

    #[derive(Object)]
    #[upgrade_from(model = BoardV0, drop(glue, "boards are screwed now"))]
    struct Board {
        size: Option<i64>,
    }

    fn notes(old: &Registry) -> Vec<(String, Option<String>)> {
        let found = report(old, &Registry::new().with::<ShelfV2>()).findings;
        let removed = found
            .into_iter()
            .filter(|found| found.rule.id() == "attribute-removed");
        removed.map(|found| (found.path, found.note)).collect()
    }

    #[test]
    fn the_reason_of_a_drop_is_told_with_the_removal() {
        let [unpainted, screwed] = [
            "the upgrade drops it: shelves are sold unpainted",
            "the upgrade drops it: boards are screwed now",
        ];
        let both = |first: &str| {
            vec![
                ("board.glue".to_owned(), Some(screwed.to_owned())),
                (first.to_owned(), Some(unpainted.to_owned())),
            ]
        };
        assert_eq!(notes(&Registry::new().with::<ShelfV0>()), both("paint"));
        assert_eq!(notes(&Registry::new().with::<ShelfV1>()), both("color"));
        let report = report(
            &Registry::new().with::<ShelfV0>(),
            &Registry::new().with::<ShelfV2>(),
        );
        let guide = upstate_compat::Guide::new(&report, &[]).entries_markdown();
        assert!(
            guide.contains("The value in state is dropped: shelves are sold unpainted."),
            "{guide}"
        );
    }
}
