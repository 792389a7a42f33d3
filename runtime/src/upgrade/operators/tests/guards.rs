//! The work of taking back what guards decided, counted.

use super::super::inverse::steps;
use crate::upgrade::DowngradeRequest;
use crate::{Object, Registry, Resource};

/// Three levels of objects with these guards in each; what the guards ask either stays or is
/// dropped.
macro_rules! three_levels {
    ($module:ident, $type_name:literal, $($key:ident $value:ident),*; $($kept:ident)*; $($dropped:ident)*) => {
        mod $module {
            use super::*;

            #[derive(Debug, Object)]
            #[upgrade_from(model = Leaf0, $(only_if(is($key, "x"), values($value, "1" => "2", _ => keep)),)* $(drop($dropped, "it is known"),)* set(n = 1))]
            struct Leaf { $($kept: Option<String>,)* $($value: String,)* n: i64 }
            #[derive(Debug, Object)]
            struct Leaf0 { $($key: Option<String>, $value: String),* }
            #[derive(Debug, Object)]
            #[upgrade_from(model = Middle0, $(only_if(is($key, "x"), values($value, "1" => "2", _ => keep)),)* $(drop($dropped, "it is known"),)* set(n = 1))]
            struct Middle { $($kept: Option<String>,)* $($value: String,)* n: i64, below: Vec<Leaf> }
            #[derive(Debug, Object)]
            struct Middle0 { $($key: Option<String>, $value: String,)* below: Vec<Leaf0> }
            #[derive(Debug, Resource)]
            #[resource(type_name = $type_name, version = 1)]
            #[upgrade_from(0, model = Top0, $(only_if(is($key, "x"), values($value, "1" => "2", _ => keep)),)* $(drop($dropped, "it is known"),)* set(n = 1))]
            pub(super) struct Top { $($kept: Option<String>,)* $($value: String,)* n: i64, below: Vec<Middle> }
            #[derive(Debug, Resource)]
            #[resource(type_name = $type_name, version = 0, prior)]
            struct Top0 { $($key: Option<String>, $value: String,)* below: Vec<Middle0> }
        }
    };
}

three_levels! { stays, "guards_stay",
k0 v0, k1 v1, k2 v2, k3 v3, k4 v4, k5 v5, k6 v6, k7 v7, k8 v8, k9 v9,
l0 w0, l1 w1, l2 w2, l3 w3, l4 w4, l5 w5, l6 w6, l7 w7, l8 w8, l9 w9;
k0 k1 k2 k3 k4 k5 k6 k7 k8 k9 l0 l1 l2 l3 l4 l5 l6 l7 l8 l9; }
three_levels! { ends, "guards_end",
k0 v0, k1 v1, k2 v2, k3 v3, k4 v4, k5 v5, k6 v6, k7 v7, k8 v8, k9 v9,
l0 w0, l1 w1, l2 w2, l3 w3, l4 w4, l5 w5, l6 w6, l7 w7, l8 w8, l9 w9;
; k0 k1 k2 k3 k4 k5 k6 k7 k8 k9 l0 l1 l2 l3 l4 l5 l6 l7 l8 l9 }

/// A state of the current version with this many objects, half of them on the lowest level.
fn state(objects: usize, keys: bool, value: &str, number: u64) -> String {
    let members = |more: &str| {
        let names = ["k", "l"]
            .into_iter()
            .zip(["v", "w"])
            .flat_map(|(key, name)| (0..10).map(move |index| (key, name, index)));
        let member = |(key, name, index): (&str, &str, usize)| {
            let key = if keys {
                format!(r#""{key}{index}":"x","#)
            } else {
                String::new()
            };
            format!(r#"{key}"{name}{index}":"{value}""#)
        };
        format!(
            r#"{{"n":{number},{}{more}}}"#,
            names.map(member).collect::<Vec<_>>().join(",")
        )
    };
    let middle = members(&format!(r#","below":[{}]"#, members("")));
    members(&format!(
        r#","below":[{}]"#,
        vec![middle; objects / 2].join(",")
    ))
}

/// Counts the values that are looked at to take a state back, and says whether it goes back whole.
fn taken(type_name: &str, state: &str) -> (usize, bool) {
    let registry = Registry::new().with::<stays::Top>().with::<ends::Top>();
    steps::take();
    let response = registry
        .downgrade(&DowngradeRequest::json(type_name, 1, 0, state.as_bytes()).allow_loss(true));
    (
        steps::take(),
        response.state().is_some() && response.losses().is_empty(),
    )
}

#[test]
fn twenty_guards_on_three_levels_take_steps_by_the_number_of_objects() {
    for (type_name, keys, value, number, objects, passes, whole) in [
        // The attributes that the guards ask for stay, so nothing is guessed.
        ("guards_stay", true, "2", 1, 1_000, 1, true),
        ("guards_stay", true, "3", 1, 200, 1, true),
        ("guards_stay", true, "1", 1, 200, 2, false),
        ("guards_stay", true, "2", 5, 200, 2, false),
        // Nothing tells what they ask, and no guess gives back the whole.
        ("guards_end", false, "2", 1, 200, 2, true),
        ("guards_end", false, "2", 5, 20, 43, false),
    ] {
        let count = |objects| taken(type_name, &state(objects, keys, value, number));
        let [(half, _), (all, is_whole)] = [objects / 2, objects].map(count);
        assert_eq!(is_whole, whole, "{type_name} {value}");
        assert!(
            all < half * 21 / 10,
            "{type_name} {value}: {half} steps for half of the objects, {all} for all"
        );
        // Each pass upgrades an object and those in it, so a value counts up to 3 times: there are
        // three levels of objects.
        let values = objects * 42 * 3;
        assert!(
            all <= values * passes,
            "{type_name} {value}: {all} steps of {values} values"
        );
        println!(
            "{type_name} {value}: {all} steps, {} for each value",
            all / (objects * 42)
        );
    }
}
