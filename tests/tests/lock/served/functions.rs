//! Functions: calls give arguments by position.

use upstate::{Object, Resource};

use crate::served::{findings, function, guide};

#[derive(Resource)]
#[resource(type_name = "fits", stateless)]
struct Fits {
    berth: f64,
    ships: Vec<f64>,
}

#[derive(Resource)]
#[resource(type_name = "fits", stateless)]
struct Renamed {
    /// In metres.
    length: f64,
    ships: Vec<f64>,
}

#[derive(Resource)]
#[resource(type_name = "fits", stateless)]
struct Text {
    berth: String,
    ships: Option<Vec<f64>>,
}

#[derive(Resource)]
#[resource(type_name = "fits", stateless)]
struct More {
    berth: f64,
    ships: Vec<f64>,
    others: Vec<f64>,
}

#[derive(Object)]
struct Answer {
    fits: bool,
}

#[derive(Object)]
struct LongAnswer {
    fits: bool,
    rest: f64,
}

#[test]
fn a_parameter_may_have_another_name_but_no_other_place() {
    let old = function::<Fits, bool>(&["berth", "ships"], false);
    let renamed = function::<Renamed, bool>(&["length", "ships"], false);
    let expected = [
        "safe function-parameter-renamed patch function.fits.berth",
        "safe description-changed patch function.fits.length",
    ];
    assert_eq!(findings(&old, &renamed), expected);
    let swapped = function::<Fits, bool>(&["ships", "berth"], false);
    let found = findings(&old, &swapped);
    assert!(
        found.contains(&"breaking scalar-collection-changed major function.fits.ships".to_owned()),
        "{found:#?}"
    );
    assert_eq!(findings(&old, &old), [""; 0]);
}

#[test]
fn the_number_of_arguments_is_part_of_every_call() {
    let old = function::<Fits, bool>(&["berth", "ships"], false);
    let more = function::<More, bool>(&["berth", "ships", "others"], false);
    assert_eq!(
        findings(&old, &more),
        ["breaking function-parameters-changed major function.fits"]
    );
    assert_eq!(
        findings(&more, &old),
        ["breaking function-parameters-changed major function.fits"]
    );
    let guide = guide(&old, &more);
    assert!(
        guide.contains("## Function: `fits`")
            && guide
                .contains("Write `fits(berth, ships, others)` in place of `fits(berth, ships)`.")
    );
    // Calls with none of the new arguments go on working.
    let any_number = function::<More, bool>(&["berth", "ships", "others"], true);
    assert_eq!(
        findings(&old, &any_number),
        ["safe function-parameter-added minor function.fits"]
    );
    assert_eq!(
        findings(&any_number, &old),
        ["breaking function-parameters-changed major function.fits"]
    );
    let elements = function::<Fits, bool>(&["berth", "ships"], true);
    assert_eq!(
        findings(&old, &elements),
        ["breaking function-parameters-changed major function.fits"]
    );
}

#[test]
fn types_of_parameters_and_null() {
    let old = function::<Fits, bool>(&["berth", "ships"], false);
    let text = function::<Text, bool>(&["berth", "ships"], false);
    // Terraform converts a number that a call gives.
    let expected = [
        "potential type-changed minor function.fits.berth",
        "safe function-null-taken minor function.fits.ships",
    ];
    assert_eq!(findings(&old, &text), expected);
    let expected = [
        "breaking type-changed major function.fits.berth",
        "breaking function-null-refused major function.fits.ships",
    ];
    assert_eq!(findings(&text, &old), expected);
}

#[test]
fn the_result_is_read() {
    let of = |parameters| function::<Fits, Answer>(parameters, false);
    let (old, longer) = (
        of(&["berth", "ships"]),
        function::<Fits, LongAnswer>(&["berth", "ships"], false),
    );
    assert_eq!(
        findings(&old, &longer),
        ["safe object-member-added minor function.fits.return.rest"]
    );
    assert_eq!(
        findings(&longer, &old),
        ["breaking object-member-removed major function.fits.return.rest"]
    );
    let plain = function::<Fits, bool>(&["berth", "ships"], false);
    assert_eq!(
        findings(&old, &plain),
        ["breaking scalar-collection-changed major function.fits.return"]
    );
}
