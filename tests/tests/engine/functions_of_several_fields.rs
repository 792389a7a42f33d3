//! Functions of several fields: what they get, what becomes of null, and the way back.

use crate::both_paths::upgraded;
use upstate::testing::Hostile;
use upstate::upgrade::{DowngradeRequest, Verdicts};
use upstate::{CurrentModel, Diagnostic, Object, Registry, Resource, UpgradeContext};

/// The older state, or what is wrong, after what would be lost.
fn downgraded<T: Resource + CurrentModel>(json: &str) -> Result<String, String> {
    let registry = Registry::new().with::<T>().with_client("eu".to_owned());
    let response = registry
        .downgrade(&DowngradeRequest::json(T::TYPE_NAME, 1, 0, json.as_bytes()).allow_loss(true));
    let lost: Vec<String> = response
        .losses()
        .iter()
        .map(|loss| format!(" lost {loss}"))
        .collect();
    let state = response
        .state()
        .map(|state| String::from_utf8_lossy(state).into_owned());
    state
        .map(|state| state + &lost.concat())
        .ok_or_else(|| response.diagnostics().to_string())
}

fn verdicts<T: Resource + CurrentModel>() -> Verdicts {
    T::HISTORY.verdicts(&T::HISTORY.steps()[0])
}

/// An address, which was two fields, and one that has become of three.
#[derive(Debug, Resource)]
#[resource(type_name = "example_service", version = 1)]
#[upgrade_from(0 => 1,
    convert(host: String, port: Option<u16> => address, with = address, back = parts),
    convert(zone: Option<String>, name => label, with = label, context),
    fill(name, limits.least => note, with = note),
    only_if(has(token), convert(token, name => secret, with = secret)),
    drop(secret, "it is made of the token"))]
struct Service {
    name: Option<String>,
    address: String,
    label: Option<String>,
    limits: Limits,
    note: Option<String>,
    #[attribute(sensitive)]
    token: Option<u64>,
    #[attribute(sensitive)]
    secret: Option<String>,
}

#[derive(Debug, Object)]
struct Limits {
    least: i64,
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the signature that operators ask for"
)]
fn address(host: String, port: Option<u16>) -> Result<String, String> {
    Ok(port.map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
}

fn parts(address: String) -> Result<(String, Option<u16>), String> {
    let Some((host, port)) = address.split_once(':') else {
        return Ok((address, None));
    };
    let port = port
        .parse()
        .map_err(|_| format!("{port:?} is not a port"))?;
    Ok((host.to_owned(), Some(port)))
}

fn label(
    zone: String,
    name: Option<String>,
    context: &UpgradeContext<'_>,
) -> Result<Option<String>, Diagnostic> {
    let region: &String = context
        .client()
        .ok_or_else(|| Diagnostic::error("No Region", "No region was given."))?;
    Ok(name.map(|name| format!("{region}-{zone}-{name}")))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the signature that operators ask for"
)]
fn note(name: String, least: i64) -> Result<String, String> {
    Ok(format!("{name} has {least}"))
}

fn secret(token: u64, name: Option<String>) -> Result<String, String> {
    name.map(|name| format!("{name} {token}"))
        .ok_or_else(|| format!("{token} is nobody's"))
}

#[test]
fn a_function_gets_the_values_in_order() {
    assert_eq!(
        upgraded::<Service>(r#"{"name":"a","host":"h","port":80,"zone":"z","limits":{"least":2},"token":7,"secret":"old"}"#)
            .unwrap(),
        r#"{"address":"h:80","label":"eu-z-a","limits":{"least":2},"name":"a","note":"a has 2","secret":"a 7","token":7} secret: it is made of the token"#
    );
}

#[test]
fn null_stays_null_where_a_parameter_is_not_an_option() {
    assert_eq!(
        upgraded::<Service>(r#"{"name":null,"host":"h","zone":"z","limits":{"least":2}}"#).unwrap(),
        r#"{"address":"h","label":null,"limits":{"least":2},"name":null,"note":null,"secret":null,"token":null}"#
    );
}

#[test]
fn what_a_function_refuses_names_the_fields_and_no_secret() {
    let refused = upgraded::<Service>(
        r#"{"name":null,"host":"h","zone":"z","limits":{"least":2},"token":7}"#,
    )
    .unwrap_err();
    assert_eq!(
        refused,
        "error: Unable to Upgrade Resource State (at secret)\nthe value cannot be converted: its message is not shown (sensitive) (at \
         secret, as the upgrade makes it).\n\nResource type example_service, stored at schema version 0, current version 1."
    );
    // A value that the parameter does not take is found where it is stored.
    let refused =
        upgraded::<Service>(r#"{"host":"h","port":99999,"limits":{"least":2}}"#).unwrap_err();
    assert!(
        refused.contains("expected a whole number from 0 to 65535, found 99999 (at port)"),
        "{refused}"
    );
}

#[test]
fn the_way_back_makes_a_value_for_each_field() {
    let current = r#"{"address":"h:80","label":null,"limits":{"least":2},"name":"a","note":"a has 2","secret":null,"token":null}"#;
    assert_eq!(
        downgraded::<Service>(current).unwrap_err(),
        "error: Unable to Downgrade Resource State (at label)\na function made this value, and nothing tells of what (at label). Restore \
         a copy from before the upgrade, if nothing has changed since then. For the authors: `convert(…, with = f, back = g)` says of \
         what.\n\nResource type example_service, stored at schema version 1, to be downgraded to version 0."
    );
    let other = current.replace("h:80", "h:x");
    assert!(
        downgraded::<Service>(&other)
            .unwrap_err()
            .contains("cannot be converted back: \"x\" is not a port")
    );
    let Verdicts { up, down, .. } = verdicts::<Service>();
    assert_eq!(
        format!("{up}\n{down}"),
        "lossy: address (what the author's function does not keep), label (what the author's function does not keep), secret (the value is \
         dropped)\nimpossible: label (a function makes the value, and it has no `back`)"
    );
}

#[test]
fn it_is_listed_with_its_fields() {
    let listed = Service::HISTORY
        .whole_upgrader(&Service::HISTORY.steps()[0])
        .unwrap();
    assert_eq!(
        listed.to_string(),
        "convert(host, port => address, with = a function, back = a function)\nconvert(zone, name => label, with = a \
         function)\nconvert(name, limits.least => note, with = a function)\nonly_if(has(token), convert(token, name => secret, with = a \
         function))\ndrop(secret, \"it is made of the token\")"
    );
    let exported = serde_json::to_value(&listed).unwrap();
    let first = exported.pointer("/productions/0/stages/0").unwrap();
    assert_eq!(
        first.to_string(),
        r#"{"back":true,"from":[["host"],["port"]],"function":true,"operator":"convert"}"#
    );
}

/// What is made goes back to fields that are gone, or that stay.
#[derive(Debug, Resource)]
#[resource(type_name = "example_pair", version = 1)]
#[upgrade_from(0 => 1,
    convert(left: Option<i64>, right: Option<i64> => sum, with = sum, back = halves),
    fill(a, b => ab, with = both))]
struct Pair {
    sum: Option<i64>,
    a: String,
    b: String,
    ab: String,
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the signature that operators ask for"
)]
fn sum(left: i64, right: i64) -> Result<i64, String> {
    Ok(left + right)
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the signature that operators ask for"
)]
fn halves(sum: i64) -> Result<(i64, i64), String> {
    Ok((sum / 2, sum - sum / 2))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the signature that operators ask for"
)]
fn both(a: String, b: String) -> Result<String, String> {
    Ok(a + &b)
}

#[test]
fn down_and_up_again_is_what_it_was_or_is_said_to_be_lost() {
    assert_eq!(
        upgraded::<Pair>(r#"{"left":1,"right":4,"a":"x","b":"y"}"#).unwrap(),
        r#"{"a":"x","ab":"xy","b":"y","sum":5}"#
    );
    assert_eq!(
        upgraded::<Pair>(r#"{"left":1,"a":"x","b":"y"}"#).unwrap(),
        r#"{"a":"x","ab":"xy","b":"y","sum":null} left: it goes together with a value that is null, so nothing is made of it"#
    );
    let down = |json| downgraded::<Pair>(json).unwrap();
    assert_eq!(
        down(r#"{"a":"x","ab":"xy","b":"y","sum":5}"#),
        r#"{"a":"x","b":"y","left":2,"right":3}"#
    );
    assert_eq!(
        down(r#"{"a":"x","ab":"xy","b":"y","sum":null}"#),
        r#"{"a":"x","b":"y","left":null,"right":null}"#
    );
    assert_eq!(
        down(r#"{"a":"x","ab":"mine","b":"y","sum":0}"#),
        r#"{"a":"x","b":"y","left":0,"right":0} lost ab: "mine""#
    );
    let Verdicts { up, down, .. } = verdicts::<Pair>();
    assert_eq!(
        up.to_string(),
        "lossy: sum (what the author's function does not keep)"
    );
    assert_eq!(
        down.to_string(),
        "lossy: sum (what the author's functions do not keep), ab (any value but the one that the function makes)"
    );
}

/// Nested objects, and a field that one of the values was.
#[derive(Debug, Resource)]
#[resource(type_name = "example_route", version = 1)]
#[upgrade_from(0, model = RouteV0, convert(cost, weight => cost, with = sum), drop(weight, "it is in the cost"))]
struct Route {
    cost: i64,
    hops: Vec<Hop>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_route", version = 0)]
struct RouteV0 {
    cost: i64,
    weight: i64,
    hops: Vec<HopV0>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = HopV0, convert(host, port => address, with = address))]
struct Hop {
    address: String,
}

#[derive(Debug, Object)]
struct HopV0 {
    host: String,
    port: Option<u16>,
}

#[test]
fn nested_objects_have_functions_of_several_fields_too() {
    assert_eq!(
        upgraded::<Route>(
            r#"{"cost":1,"weight":2,"hops":[{"host":"h","port":1},{"host":"i","port":null}]}"#
        )
        .unwrap(),
        r#"{"cost":3,"hops":[{"address":"h:1"},{"address":"i"}]}"#
    );
    let refused = downgraded::<Route>(r#"{"cost":3,"hops":[]}"#).unwrap_err();
    assert!(
        refused.contains("a function made this value, and nothing tells of what"),
        "{refused}"
    );
}

/// Where a condition says that there are values, what is made of them is one, too.
#[derive(Debug, Resource)]
#[resource(type_name = "example_sure", version = 1)]
#[upgrade_from(0 => 1,
    set(full = ""),
    only_if(all(has(first), has(last)), convert(first: Option<String>, last: Option<String> => full, with = both)),
    drop(first, last, "both are in the full name, or none"))]
struct Sure {
    full: String,
}

#[test]
fn a_condition_tells_that_values_are_there() {
    assert_eq!(
        upgraded::<Sure>(r#"{"first":"a","last":"b"}"#).unwrap(),
        r#"{"full":"ab"}"#
    );
    assert_eq!(
        upgraded::<Sure>(r#"{"first":"a"}"#).unwrap(),
        r#"{"full":""} first: both are in the full name, or none"#
    );
}

/// What operators read: a function of several fields, one that fills a field, and patterns whose
/// parts may be missing.
#[test]
fn hostile_states_are_refused_or_upgraded() {
    Hostile::new::<Pair>()
        .several_errors()
        .sample(0, r#"{"left":1,"right":4,"a":"x","b":"y"}"#)
        .check();
    Hostile::new::<Site>()
        .several_errors()
        .sample(0, r#"{"url":"http://h:80/p"}"#)
        .sample(0, r#"{"url":"h"}"#)
        .check();
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_site", version = 1)]
#[upgrade_from(0 => 1,
    split(url: String, "{scheme|https}://{host}:{port|443}/{path..|}"),
    fill(url => length, with = length))]
struct Site {
    scheme: String,
    host: String,
    port: String,
    path: String,
    length: u32,
}

fn length(url: String) -> Result<u32, String> {
    u32::try_from(url.len()).map_err(|error| error.to_string())
}

/// As many fields as a function takes, and the context behind them.
#[derive(Debug, Resource)]
#[resource(type_name = "example_sum", version = 1)]
#[upgrade_from(0 => 1, fill(one, two, three, four, five, six => sum, with = sum_of_six, context))]
struct Six {
    one: i64,
    two: i64,
    three: i64,
    four: i64,
    five: i64,
    six: i64,
    sum: i64,
}

fn sum_of_six(
    one: i64,
    two: i64,
    three: i64,
    four: i64,
    five: i64,
    six: i64,
    _: &UpgradeContext<'_>,
) -> i64 {
    one + two + three + four + five + six
}

#[test]
fn a_function_takes_six_values_and_the_context() {
    assert_eq!(
        upgraded::<Six>(r#"{"one":1,"two":2,"three":3,"four":4,"five":5,"six":6}"#).unwrap(),
        r#"{"five":5,"four":4,"one":1,"six":6,"sum":21,"three":3,"two":2}"#
    );
}
