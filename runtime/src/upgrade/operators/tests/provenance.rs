//! Tests of the reports of where attributes went, where the rows of several operators meet.

use crate::upgrade::{dropped, renames};
use crate::{Object, Resource};

#[derive(Debug, Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0, model = ThingV0, rename(old => new), reformat(new, "{a}" => "{a}-{zone}"), reformat(id, "{a}" => "{a}-{part}"))]
struct Thing {
    new: String,
    id: String,
    outer: Vec<Outer>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_thing", version = 0)]
struct ThingV0 {
    old: String,
    zone: String,
    id: String,
    part: String,
    outer: Vec<OuterV0>,
}

/// Carried: it has no upgrader of its own, but what is in it has.
#[derive(Debug, Object)]
struct Outer {
    inner: Option<Inner>,
}

#[derive(Debug, Object)]
struct OuterV0 {
    inner: Option<InnerV0>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = InnerV0, drop(gone, "nobody used it"))]
struct Inner {
    stays: Option<String>,
}

#[derive(Debug, Object)]
struct InnerV0 {
    stays: Option<String>,
    gone: Option<String>,
}

#[test]
fn what_goes_into_a_new_text_has_gone_there() {
    let found = renames(Thing::HISTORY, 0);
    let to = |from| {
        found
            .get([from].as_slice())
            .map(|to| to.iter().map(|to| to.join(".")).collect::<Vec<_>>())
    };
    assert_eq!(to("old"), Some(vec!["new".to_owned()]));
    assert_eq!(
        to("zone"),
        Some(vec!["new".to_owned()]),
        "as if the whole string were put together from prior fields"
    );
    assert_eq!(
        to("part"),
        None,
        "a string that is put together at its own place has not come from elsewhere"
    );
}

#[test]
fn what_ends_in_objects_inside_carried_ones_is_reported() {
    let found = dropped(Thing::HISTORY, 0);
    assert_eq!(
        found.get(["outer", "inner", "gone"].as_slice()).copied(),
        Some("nobody used it"),
        "{found:?}"
    );
}
