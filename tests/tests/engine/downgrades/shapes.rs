//! Downgrades to a version that stored several shapes.

use upstate::upgrade::DowngradeRequest;
use upstate::{Registry, Resource, UpgradeRequest};

/// Release 0.10 stored `zone`, release 0.11 `location`, under one version.
#[derive(Resource)]
#[resource(type_name = "example_site", version = 2)]
#[upgrade_from(1 => 2, rename(region => area), set(n = 1))]
#[upgrade_from(0 => 1, when = has("zone"), rename(zone => region))]
#[upgrade_from(0 => 1, when = has("location"), rename(location => region), drop(size: Option<i64>, "nobody set it"))]
struct Site {
    area: Option<String>,
    n: i64,
}

/// The first shape has no place for the number.
#[derive(Resource)]
#[resource(type_name = "example_pond", version = 1)]
#[upgrade_from(0 => 1, when = has("lake"), rename(lake => water), set(depth = 3))]
#[upgrade_from(0 => 1, when = lacks("lake"), rename(pool => water))]
struct Pond {
    water: String,
    depth: i64,
}

fn registry() -> Registry {
    Registry::new().with::<Site>().with::<Pond>()
}

/// The older state, or the first line of the first diagnostic.
fn answer(request: &DowngradeRequest<'_>) -> String {
    let response = registry().downgrade(request);
    match response.state() {
        Some(state) => String::from_utf8(state.to_vec()).unwrap(),
        None => response
            .diagnostics()
            .iter()
            .next()
            .unwrap()
            .detail()
            .lines()
            .next()
            .unwrap()
            .to_owned(),
    }
}

#[test]
fn a_state_that_several_shapes_hold_is_refused_until_one_is_named() {
    let request = DowngradeRequest::json("example_site", 2, 0, br#"{"area":"eu","n":1}"#);
    assert_eq!(
        answer(&request),
        "Version 0 stored several shapes, and more than one of them can hold this state: where it has `zone`; where it has `location`. A \
         release that stored another one would not read it. Say which is meant: `--shape example_site=ATTRIBUTE` on the command line, \
         `DowngradeRequest::shape` in a program."
    );
    assert_eq!(answer(&request.allow_loss(true)), answer(&request));
    assert_eq!(answer(&request.shape(0)), r#"{"zone":"eu"}"#);
    assert_eq!(
        answer(&request.shape(1)),
        r#"{"location":"eu","size":null}"#
    );
    assert_eq!(
        answer(&request.shape(2)),
        "Version 0 stored 2 shapes, so there is none at place 2, counted from 0."
    );
    // A shape is of the version that the state goes back to.
    let one = DowngradeRequest::json("example_site", 2, 1, br#"{"area":"eu","n":1}"#);
    assert_eq!(answer(&one), r#"{"region":"eu"}"#);
}

#[test]
fn the_schemas_are_in_the_order_of_the_shapes() {
    let registry = registry();
    let definition = registry.get("example_site").unwrap();
    let names = |block: &upstate::schema::Block| {
        block
            .attributes()
            .iter()
            .map(|attribute| attribute.name().to_owned())
            .collect()
    };
    let shapes: Vec<Vec<String>> = definition
        .prior_schemas_of(0)
        .into_iter()
        .map(names)
        .collect();
    assert_eq!(shapes, [vec!["zone"], vec!["location", "size"]]);
}

#[test]
fn a_null_goes_back_and_comes_up_again() {
    let request = DowngradeRequest::json("example_site", 2, 0, br#"{"area":null,"n":1}"#);
    for (shape, prior) in [
        (0, r#"{"zone":null}"#),
        (1, r#"{"location":null,"size":null}"#),
    ] {
        assert_eq!(answer(&request.shape(shape)), prior);
        let up = registry().upgrade(&UpgradeRequest::json("example_site", 0, prior.as_bytes()));
        assert_eq!(
            up.state(),
            Some(br#"{"area":null,"n":1}"#.as_slice()),
            "{}",
            up.diagnostics()
        );
    }
    let up = registry().upgrade(&UpgradeRequest::json(
        "example_site",
        0,
        br#"{"other":null}"#,
    ));
    assert!(up.state().is_none(), "it has neither");
}

#[test]
fn the_only_shape_that_holds_a_state_is_taken_wherever_it_is_written() {
    let down = |state: &str| {
        answer(&DowngradeRequest::json(
            "example_pond",
            1,
            0,
            state.as_bytes(),
        ))
    };
    assert_eq!(
        down(r#"{"water":"a","depth":7}"#),
        r#"{"depth":7,"pool":"a"}"#
    );
    assert!(down(r#"{"water":"a","depth":3}"#).starts_with("Version 0 stored several shapes"));
}

#[test]
fn the_goals_of_a_state_file_name_shapes_by_type() {
    let goals = upstate_state::DowngradeGoals::new([("example_site".to_owned(), 0)]);
    let request = UpgradeRequest::json("example_site", 2, br#"{"area":"eu","n":1}"#);
    assert!(goals.respond(&registry(), &request).state().is_none());
    let answered = goals
        .shapes([("example_site".to_owned(), 1)])
        .respond(&registry(), &request);
    assert_eq!(
        answered.state(),
        Some(br#"{"location":"eu","size":null}"#.as_slice())
    );
}
