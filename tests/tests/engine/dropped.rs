//! Values that an upgrade reports as discarded: all that is lost, at the place where it is stored,
//! and the same on all paths.

use std::collections::BTreeMap;

use upstate::codec::Encoding;
use upstate::{CurrentModel, Object, Registry, Resource, UpgradeRequest, UpgradeResponse};

/// The answer, and what it says is discarded; the same straight over the bytes, prepared and over
/// values.
#[track_caller]
fn discarded<T: Resource + CurrentModel>(json: &str) -> (String, Vec<String>) {
    let registry = Registry::new().with::<T>();
    let upgrade =
        |json: &str| registry.upgrade(&UpgradeRequest::json(T::TYPE_NAME, 0, json.as_bytes()));
    let told = |response: &UpgradeResponse| -> Vec<String> {
        response
            .dropped()
            .iter()
            .map(|dropped| format!("{}: {}", dropped.path, dropped.reason))
            .collect()
    };
    let state = |response: &UpgradeResponse| {
        String::from_utf8_lossy(
            response
                .state()
                .unwrap_or_else(|| panic!("{json}: {}", response.diagnostics())),
        )
        .into_owned()
    };
    let (straight, interpreted) = (
        upgrade(json),
        upgrade(&json.replacen('{', r#"{"zzz":1,"#, 1)),
    );
    assert_eq!(state(&straight), state(&interpreted));
    assert_eq!(
        told(&straight),
        told(&interpreted),
        "straight, and by values"
    );
    let mut out = Vec::new();
    let prepared = registry
        .prepare(T::TYPE_NAME, 0)
        .expect("the type is registered");
    let notes = prepared
        .upgrade_into(json, Encoding::Json, &mut out)
        .unwrap_or_else(|errors| panic!("{json}: {errors}"));
    assert_eq!(String::from_utf8_lossy(&out), state(&interpreted));
    assert_eq!(
        crate::all_paths::told(notes.dropped()),
        told(&interpreted),
        "prepared, and by values"
    );
    (state(&straight), told(&straight))
}

#[derive(Debug, Object)]
#[upgrade_from(model = ConfigV0, drop(old, "nobody used it"), convert(port, empty = null))]
pub struct Config {
    port: Option<i64>,
}

#[derive(Debug, Object)]
pub struct ConfigV0 {
    old: Option<String>,
    port: Option<String>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = NamedV0, drop(old, "nobody used it"), convert(port, empty = null))]
pub struct Named {
    name: String,
    port: Option<i64>,
}

#[derive(Debug, Object)]
pub struct NamedV0 {
    name: String,
    old: Option<String>,
    port: Option<String>,
}

mod arranged {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(
        0,
        model = ThingV0,
        unwrap(list),
        wrap(object),
        rekey(listed, by = name),
        rekey(mapped, by = name),
        rename(before => after),
        rename(many => one),
        unwrap(one, many = first),
    )]
    pub struct Thing {
        list: Option<Config>,
        object: Vec<Config>,
        listed: BTreeMap<String, Named>,
        mapped: Vec<Named>,
        after: Vec<Config>,
        one: Option<Config>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        list: Vec<ConfigV0>,
        object: Option<ConfigV0>,
        listed: Vec<NamedV0>,
        mapped: BTreeMap<String, NamedV0>,
        before: Vec<ConfigV0>,
        many: Vec<ConfigV0>,
    }

    const NOTHING: &str = r#""before":[],"list":[],"listed":[],"many":[],"mapped":{}"#;

    fn state(name: &str, value: &str) -> String {
        let mut members: BTreeMap<&str, &str> = BTreeMap::from([
            ("before", "[]"),
            ("list", "[]"),
            ("listed", "[]"),
            ("many", "[]"),
            ("mapped", "{}"),
            ("object", "null"),
        ]);
        members.insert(name, value);
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("{name:?}:{value}"))
            .collect();
        format!("{{{}}}", members.join(","))
    }

    #[test]
    fn what_ends_inside_is_named_where_it_is_stored() {
        let named = |name: &str, value: &str| discarded::<Thing>(&state(name, value)).1;
        assert_eq!(
            named("before", r#"[{"old":"x"}]"#),
            ["before[0].old: nobody used it"]
        );
        assert_eq!(
            named("list", r#"[{"old":"x"}]"#),
            ["list[0].old: nobody used it"]
        );
        assert_eq!(
            named("object", r#"{"old":"x"}"#),
            ["object.old: nobody used it"]
        );
        assert_eq!(
            named("listed", r#"[{"name":"b"},{"name":"a","old":"x"}]"#),
            ["listed[1].old: nobody used it"]
        );
        assert_eq!(
            named(
                "mapped",
                r#"{"b":{"name":null},"c":{"name":null,"old":"x"}}"#
            ),
            [r#"mapped["c"].old: nobody used it"#]
        );
        assert_eq!(
            named("many", r#"[{"old":"x"},{"old":"y"}]"#),
            [
                "many[1]: only the first element counts",
                "many[0].old: nobody used it"
            ]
        );
        assert!(NOTHING.contains("mapped"));
    }

    #[test]
    fn an_error_inside_is_named_where_it_is_stored() {
        let registry = Registry::new().with::<Thing>();
        let refused = |name: &str, value: &str| {
            registry
                .upgrade(&UpgradeRequest::json(
                    "example_thing",
                    0,
                    state(name, value).as_bytes(),
                ))
                .diagnostics()
                .to_string()
        };
        for (name, value, at) in [
            ("list", r#"[{"port":"one"}]"#, "list[0].port"),
            ("object", r#"{"port":"one"}"#, "object.port"),
            (
                "listed",
                r#"[{"name":"b"},{"name":"a","port":"one"}]"#,
                "listed[1].port",
            ),
            (
                "mapped",
                r#"{"b":{},"c":{"port":"one"}}"#,
                r#"mapped["c"].port"#,
            ),
            ("before", r#"[{"port":"one"}]"#, "before[0].port"),
        ] {
            let refused = refused(name, value);
            assert!(refused.contains(&format!("(at {at})")), "{name}: {refused}");
        }
    }
}

mod filtered {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, filter(ports, ""), each(convert(ports, empty = refuse)))]
    pub struct Thing {
        ports: Vec<i64>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        ports: Vec<String>,
    }

    #[test]
    fn an_element_behind_others_that_are_left_out_keeps_its_stored_place() {
        let registry = Registry::new().with::<Thing>();
        let state = br#"{"ports":["","1","","one"]}"#;
        let refused = registry
            .upgrade(&UpgradeRequest::json("example_thing", 0, state))
            .diagnostics()
            .to_string();
        assert!(refused.contains("(at ports[3])"), "{refused}");
    }
}

mod kept {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, rename(old => new, existing = keep), rename(before => after, existing = replace))]
    pub struct Thing {
        new: Option<String>,
        after: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        old: Option<String>,
        new: Option<String>,
        before: Option<String>,
        after: Option<String>,
    }

    #[test]
    fn the_value_that_does_not_count_is_named() {
        let (state, told) = discarded::<Thing>(r#"{"old":"a","new":"b","before":"c","after":"d"}"#);
        assert_eq!(state, r#"{"after":"c","new":"b"}"#);
        assert_eq!(
            told,
            [
                "after: a value was moved to its place",
                "old: there was a value already where it was to move"
            ]
        );
        for same in [
            r#"{"old":"a","new":"a"}"#,
            r#"{"old":"a"}"#,
            r#"{"new":"a"}"#,
            r#"{"before":"a","after":"a"}"#,
        ] {
            assert!(discarded::<Thing>(same).1.is_empty(), "{same}");
        }
    }
}

mod reformatted {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, reformat(id, "{a}" => "{a}-{zone}"), drop(zone, "part of the id"))]
    pub struct Thing {
        id: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        id: Option<String>,
        zone: Option<String>,
    }

    #[test]
    fn what_goes_into_a_text_is_not_lost() {
        assert_eq!(
            discarded::<Thing>(r#"{"id":"a","zone":"z"}"#),
            (r#"{"id":"a-z"}"#.to_owned(), Vec::new())
        );
        // No text, no part of it.
        assert_eq!(
            discarded::<Thing>(r#"{"id":null,"zone":"z"}"#).1,
            ["zone: part of the id"]
        );
    }

    #[test]
    fn a_text_is_refused_where_a_part_of_its_new_form_is_null() {
        let registry = Registry::new().with::<Thing>();
        let state = br#"{"id":"a","zone":null}"#;
        let refused = registry
            .upgrade(&UpgradeRequest::json("example_thing", 0, state))
            .diagnostics()
            .to_string();
        assert!(
            refused.contains("it is null, and the new form of a string needs it (at zone)"),
            "{refused}"
        );
    }

    /// One that is never null, which gets its new form where there are all parts.
    #[derive(Debug, Resource)]
    #[resource(type_name = "example_zoned", version = 1)]
    #[upgrade_from(0, model = ZonedV0, only_if(has(zone), reformat(id, "{a}" => "{a}-{zone}")))]
    pub struct Zoned {
        id: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_zoned", version = 0)]
    pub struct ZonedV0 {
        id: String,
        zone: Option<String>,
    }

    #[test]
    fn a_text_stays_where_a_guard_says_so() {
        assert_eq!(
            discarded::<Zoned>(r#"{"id":"a","zone":"z"}"#),
            (r#"{"id":"a-z"}"#.to_owned(), Vec::new())
        );
        assert_eq!(
            discarded::<Zoned>(r#"{"id":"a","zone":null}"#),
            (r#"{"id":"a"}"#.to_owned(), Vec::new())
        );
    }
}

mod composed {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(
        0,
        model = ThingV0,
        reformat(place = "{region}/{zone}"),
        reformat(id, "{a}" => "{a}-{part}"),
        reformat(label = "{name}/{rank}"),
    )]
    pub struct Thing {
        id: Option<String>,
        label: Option<String>,
        name: Option<String>,
        place: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        id: Option<String>,
        name: Option<String>,
        part: String,
        rank: Option<i64>,
        region: Option<String>,
        zone: String,
    }

    #[test]
    fn what_no_text_is_made_of_is_named() {
        const UNCALLED: &str =
            "it goes together with a value that is null, so nothing is made of it";
        let all = r#"{"id":"i","name":"n","part":"p","rank":1,"region":"r","zone":"z"}"#;
        let whole = r#"{"id":"i-p","label":"n/1","name":"n","place":"r/z"}"#;
        assert_eq!(discarded::<Thing>(all), (whole.to_owned(), Vec::new()));
        let lost = |from: &str, to: &str| discarded::<Thing>(&all.replace(from, to)).1;
        assert_eq!(lost(r#""r""#, "null"), [format!("zone: {UNCALLED}")]);
        assert_eq!(lost(r#""i""#, "null"), [format!("part: {UNCALLED}")]);
        assert_eq!(lost(r#""n""#, "null"), [format!("rank: {UNCALLED}")]);
        // The name stays, so that nothing is lost.
        assert_eq!(lost(r#""rank":1"#, r#""rank":null"#), [""; 0]);
    }

    /// An object that goes along as it is, of which a string was to be made.
    #[derive(Debug, Resource)]
    #[resource(type_name = "example_moved", version = 1)]
    #[upgrade_from(0, model = MovedV0, rename(old => at), reformat(label = "{old.zone}/{row}"))]
    pub struct Moved {
        at: Place,
        label: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_moved", version = 0)]
    pub struct MovedV0 {
        old: Place,
        row: Option<String>,
    }

    #[derive(Debug, Object)]
    pub struct Place {
        zone: Option<String>,
    }

    #[test]
    fn what_goes_along_with_its_object_is_not_named() {
        assert_eq!(
            discarded::<Moved>(r#"{"old":{"zone":"z"},"row":null}"#),
            (r#"{"at":{"zone":"z"},"label":null}"#.to_owned(), Vec::new())
        );
    }
}

mod guarded {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, only_if(is(kind, "x"), set(label = "new")), drop(label, "x has one label"))]
    pub struct Thing {
        kind: Option<String>,
        label: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        kind: Option<String>,
        label: Option<String>,
    }

    /// Two fields that become one, of which the second counts.
    #[derive(Debug, Resource)]
    #[resource(type_name = "example_place", version = 1)]
    #[upgrade_from(
        0,
        model = PlaceV0,
        rename(region => place),
        only_if(has(zone), rename(zone => place)),
        drop(region, "the zone says more"),
        rename(low => level),
        only_if(all(has(high), lacks(low)), rename(high => level)),
        drop(high, "the low one counts"),
    )]
    pub struct Place {
        level: Option<i64>,
        place: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_place", version = 0)]
    pub struct PlaceV0 {
        high: Option<i64>,
        low: Option<i64>,
        region: Option<String>,
        zone: Option<String>,
    }

    #[test]
    fn what_a_later_rename_replaces_is_named_where_it_does() {
        let both = r#"{"zone":"z","region":"r"}"#;
        let named = vec!["region: the zone says more".to_owned()];
        assert_eq!(
            discarded::<Place>(both),
            (r#"{"level":null,"place":"z"}"#.to_owned(), named)
        );
        let one = r#"{"zone":null,"region":"r"}"#;
        assert_eq!(
            discarded::<Place>(one),
            (r#"{"level":null,"place":"r"}"#.to_owned(), Vec::new())
        );
        let levels = |json: &str| discarded::<Place>(json).1;
        assert_eq!(
            levels(r#"{"high":2,"low":1}"#),
            ["high: the low one counts"]
        );
        assert_eq!(levels(r#"{"high":2,"low":null}"#), [""; 0]);
        assert_eq!(levels(r#"{"high":null,"low":1}"#), [""; 0]);
    }

    /// Two fields for one, under conditions that exclude each other: one goes elsewhere where the
    /// other counts.
    #[derive(Debug, Resource)]
    #[resource(type_name = "example_choice", version = 1)]
    #[upgrade_from(
        0,
        model = ChoiceV0,
        only_if(is(kind, "file"), rename(target => path)),
        only_if(all(not(is(kind, "file")), has(other)), rename(other => path)),
        only_if(not(is(kind, "file")), rename(target => url)),
        drop(other, "a file has one path"),
    )]
    pub struct Choice {
        kind: String,
        path: Option<String>,
        url: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_choice", version = 0)]
    pub struct ChoiceV0 {
        kind: String,
        other: Option<String>,
        target: Option<String>,
    }

    #[test]
    fn what_goes_elsewhere_under_the_other_condition_is_not_lost() {
        assert_eq!(
            discarded::<Choice>(r#"{"kind":"file","other":"o","target":"t"}"#),
            (
                r#"{"kind":"file","path":"t","url":null}"#.to_owned(),
                vec!["other: a file has one path".to_owned()]
            )
        );
        assert_eq!(
            discarded::<Choice>(r#"{"kind":"web","other":"o","target":"t"}"#),
            (
                r#"{"kind":"web","path":"o","url":"t"}"#.to_owned(),
                Vec::new()
            )
        );
    }

    /// An object under another name, in which one member is new, and one that an upgrader of its
    /// own makes.
    #[derive(Debug, Resource)]
    #[resource(type_name = "example_frame", version = 1)]
    #[upgrade_from(
        0,
        model = FrameV0,
        rename(old => frame),
        set(frame.zone = "x"),
        drop(old.zone, "all are in one zone"),
        rename(before => after),
        set(after.zone = "y"),
    )]
    pub struct Frame {
        after: Site,
        frame: Spot,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_frame", version = 0)]
    pub struct FrameV0 {
        before: SiteV0,
        old: Spot,
    }

    #[derive(Debug, Object)]
    pub struct Spot {
        row: Option<String>,
        zone: Option<String>,
    }

    #[derive(Debug, Object)]
    #[upgrade_from(model = SiteV0, rename(zone => area), set(zone = null))]
    pub struct Site {
        area: Option<String>,
        zone: Option<String>,
    }

    #[derive(Debug, Object)]
    pub struct SiteV0 {
        zone: Option<String>,
    }

    #[test]
    fn what_a_set_replaces_in_an_object_that_moved_is_named() {
        assert_eq!(
            discarded::<Frame>(r#"{"before":{"zone":"b"},"old":{"row":"r","zone":"z"}}"#),
            (
                r#"{"after":{"area":"b","zone":"y"},"frame":{"row":"r","zone":"x"}}"#.to_owned(),
                vec!["old.zone: all are in one zone".to_owned()]
            )
        );
        assert!(
            discarded::<Frame>(r#"{"before":{},"old":{"row":"r","zone":null}}"#)
                .1
                .is_empty()
        );
    }

    #[test]
    fn what_a_set_replaces_is_named_where_it_does() {
        assert_eq!(
            discarded::<Thing>(r#"{"kind":"x","label":"old"}"#),
            (
                r#"{"kind":"x","label":"new"}"#.to_owned(),
                vec!["label: x has one label".to_owned()]
            )
        );
        assert_eq!(
            discarded::<Thing>(r#"{"kind":"y","label":"old"}"#),
            (r#"{"kind":"y","label":"old"}"#.to_owned(), Vec::new())
        );
        assert!(discarded::<Thing>(r#"{"kind":"x"}"#).1.is_empty());
    }
}

/// Two upgraders in one plan: what the later one drops is made of a member that stays, or is read
/// for another one.
mod used_elsewhere {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 2)]
    #[upgrade_from(1, model = ThingV1, drop(id, "the API makes it"), drop(copied, "nobody read it"))]
    pub struct Thing {
        name: String,
        original: Option<String>,
        region: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, split(id, "{region}/{_}"), copy(original => copied))]
    pub struct ThingV1 {
        copied: Option<String>,
        id: String,
        name: String,
        original: Option<String>,
        region: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        id: String,
        name: String,
        original: Option<String>,
    }

    #[test]
    fn what_a_later_upgrader_drops_is_named() {
        let (state, told) = discarded::<Thing>(r#"{"id":"eu/7","name":"n","original":"o"}"#);
        assert_eq!(state, r#"{"name":"n","original":"o","region":"eu"}"#);
        assert_eq!(told, ["id: the API makes it", "copied: nobody read it"]);
        assert_eq!(
            discarded::<Thing>(r#"{"id":"eu/7","name":"n","original":null}"#).1,
            ["id: the API makes it"]
        );
    }
}

mod read_in_part {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, unnest(place => zone), drop(place, "nobody used the rest"))]
    pub struct Thing {
        zone: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        place: Option<Place>,
    }

    #[derive(Debug, Object)]
    pub struct Place {
        rack: Option<String>,
        zone: Option<String>,
    }

    #[test]
    fn an_object_that_ends_is_named_though_a_member_goes_elsewhere() {
        let (state, told) = discarded::<Thing>(r#"{"place":{"rack":"r","zone":"z"}}"#);
        assert_eq!(state, r#"{"zone":"z"}"#);
        assert_eq!(told, ["place: nobody used the rest"]);
        assert!(discarded::<Thing>(r#"{"place":null}"#).1.is_empty());
    }
}
