//! Enums with data whose variants another version changed: renamed, dropped, added, their members
//! called otherwise.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "functions of an upgrade have these types"
)]

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate::schema::Block;
use upstate::upgrade::{DowngradeRequest, ResourceDefinition};
use upstate::{Document, Registry, StringEnum, Union};

/// Settings, as release 2 writes them.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "app.settings", version = 2, rename_all = "camelCase")]
#[upgrade_from(1 => 2,
    rename(theme.Custom.colour => theme.Custom.accent_color),
    variants(theme, "simple" => "plain", drop("sepia", "nobody used it", as = "plain"), add("named")),
    rename(shapes.Circle.r => shapes.Circle.radius),
    variants(shapes, drop("Blob": (u8, u8), "it had no area", as = "Point"), "Rectangle" => "Rect")
)]
#[upgrade_from(0 => 1, rename(skin => theme))]
struct Settings {
    theme: Option<Theme>,
    shapes: Vec<Shape>,
    by_name: BTreeMap<String, Shape>,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum Theme {
    Plain,
    Custom { accent_color: String, width: u8 },
    Named(Named),
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Named {
    name: String,
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Shape {
    Rect(f64, f64),
    Point,
    Circle { radius: f64 },
}

/// The same release as it was, to compare with what is derived of the changes.
#[allow(unreachable_pub, reason = "a module of a test")]
mod release_1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Document)]
    #[document(
        type_name = "app.settings",
        version = 1,
        rename_all = "camelCase",
        prior
    )]
    pub struct Settings {
        pub theme: Option<Theme>,
        pub shapes: Vec<Shape>,
        pub by_name: BTreeMap<String, super::Shape>,
    }

    #[derive(Debug, Clone, PartialEq, Union)]
    #[union(tag = "kind", rename_all = "camelCase")]
    pub enum Theme {
        Simple,
        Sepia,
        Custom { colour: String, width: u8 },
    }

    #[derive(Debug, Clone, PartialEq, Union)]
    pub enum Shape {
        Point,
        Circle { r: f64 },
        Blob(u8, u8),
        Rectangle(f64, f64),
    }
}

fn upgraded(theme: &Value, shapes: &Value) -> (Settings, Vec<String>) {
    let stored =
        json!({"theme": theme, "shapes": shapes, "byName": {"a": {"Circle": {"radius": 1}}}});
    let (settings, notes) =
        upstate::upgrade_json_with_notes::<Settings>(1, stored.to_string()).unwrap();
    assert_eq!(notes.undefined(), []);
    (
        settings,
        notes
            .dropped()
            .iter()
            .map(|dropped| format!("{}: {}", dropped.path, dropped.reason))
            .collect(),
    )
}

#[test]
fn variants_and_their_members_are_found_under_their_new_names() {
    let shapes = json!([{"Circle": {"r": 2.5}}, "Point", {"Rectangle": [1, 2]}]);
    let (settings, dropped) = upgraded(
        &json!({"kind": "custom", "colour": "red", "width": 3}),
        &shapes,
    );
    assert_eq!(
        settings.theme,
        Some(Theme::Custom {
            accent_color: "red".into(),
            width: 3
        })
    );
    assert_eq!(
        settings.shapes,
        [
            Shape::Circle { radius: 2.5 },
            Shape::Point,
            Shape::Rect(1.0, 2.0)
        ]
    );
    assert_eq!(settings.by_name["a"], Shape::Circle { radius: 1.0 });
    assert!(dropped.is_empty());
    assert_eq!(
        upgraded(&json!({"kind": "simple"}), &json!([])).0.theme,
        Some(Theme::Plain)
    );
    assert_eq!(upgraded(&Value::Null, &json!([])).0.theme, None);
}

#[test]
fn a_dropped_variant_becomes_another_and_its_content_is_named() {
    let (settings, dropped) = upgraded(
        &json!({"kind": "sepia"}),
        &json!(["Point", {"Blob": [1, 2]}]),
    );
    assert_eq!(settings.theme, Some(Theme::Plain));
    assert_eq!(settings.shapes, [Shape::Point, Shape::Point]);
    assert_eq!(dropped, ["shapes[1]: it had no area"]);
}

#[test]
fn a_version_further_back_goes_through() {
    let stored = json!({"skin": {"kind": "simple"}, "shapes": [], "byName": {}});
    assert_eq!(
        upstate::upgrade_json::<Settings>(0, stored.to_string())
            .unwrap()
            .theme,
        Some(Theme::Plain)
    );
}

#[test]
fn what_is_no_variant_is_an_error_with_its_place() {
    for (theme, problem) in [
        (json!({"kind": "other"}), "theme"),
        (json!({"kind": 7}), "theme"),
        (json!({"colour": "red"}), "theme"),
        (json!({"kind": "custom", "colour": 1, "width": 2}), "theme"),
    ] {
        let stored = json!({"theme": theme, "shapes": [], "byName": {}});
        let error = upstate::upgrade_json::<Settings>(1, stored.to_string())
            .unwrap_err()
            .to_string();
        assert!(error.contains(problem), "{error}");
    }
}

fn downgraded(settings: &Settings, to: u64) -> Result<Value, String> {
    let registry = Registry::new().with::<Settings>();
    let stored = upstate::to_json(settings).unwrap();
    let response = registry.downgrade(&DowngradeRequest::json("app.settings", 2, to, &stored));
    match response.state() {
        Some(state) => Ok(serde_json::from_slice(state).unwrap()),
        None => Err(response.diagnostics().to_string()),
    }
}

#[test]
fn an_older_release_gets_the_names_that_it_knows() {
    let stored = json!({
        "theme": {"kind": "custom", "colour": "red", "width": 3},
        "shapes": [{"Circle": {"r": 2.5}}, "Point", {"Rectangle": [1.0, 2.0]}],
        "byName": {"a": {"Circle": {"radius": 1.0}}}
    });
    let settings = upstate::upgrade_json::<Settings>(1, stored.to_string()).unwrap();
    assert_eq!(downgraded(&settings, 1).unwrap(), stored);
    let mut older = stored;
    older["skin"] = older["theme"].take();
    older.as_object_mut().unwrap().remove("theme");
    assert_eq!(downgraded(&settings, 0).unwrap(), older);
    let new = Settings {
        theme: Some(Theme::Named(Named { name: "x".into() })),
        ..settings
    };
    let error = downgraded(&new, 1).unwrap_err();
    assert!(
        error.contains("the earlier version has no variant `named`"),
        "{error}"
    );
}

#[test]
fn the_earlier_schema_is_that_of_the_earlier_release() {
    let derived = ResourceDefinition::of::<Settings>();
    let derived = derived.prior_schemas_of(1);
    let released = <release_1::Settings as upstate::Resource>::schema();
    let types = |block: &Block| -> Vec<_> {
        block
            .attributes()
            .iter()
            .map(|one| (one.name().to_owned(), one.implied_type().to_string()))
            .collect()
    };
    assert_eq!(derived.len(), 1);
    assert_eq!(types(derived[0]), types(released.block()));
}

/// Enums inside of an object, under another name, and members that are new or no more.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "scene", version = 2)]
#[upgrade_from(1 => 2,
    rename(paint => fill),
    variants(fill, "Old" => "Solid"),
    set(fill.Solid.alpha = 1, fill.Solid.blend = "normal"),
    drop(fill.Solid.gamma: Option<f64>, "screens do that"),
    rename(view.mode.Zoom.by => view.mode.Zoom.factor),
    variants(view.mode, "Off" => "Plain")
)]
#[upgrade_from(0, model = scene_0::Scene)]
struct Scene {
    fill: BTreeMap<String, Fill>,
    view: View,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct View {
    mode: Mode,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "t", content = "c")]
enum Mode {
    Plain,
    Zoom { factor: f64 },
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Fill {
    None,
    Solid(Solid),
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
struct Solid {
    base_color: String,
    alpha: u8,
    #[attribute(name = "blend-mode")]
    blend: String,
}

#[allow(unreachable_pub, reason = "a module of a test")]
mod scene_0 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Document)]
    #[document(type_name = "scene", version = 0, prior)]
    pub struct Scene {
        pub mode: Mode,
    }

    #[derive(Debug, Clone, PartialEq, Union)]
    #[union(tag = "t", content = "c")]
    pub enum Mode {
        Simple,
        Zoom { factor: f64 },
    }

    impl From<Scene> for super::Scene {
        fn from(prior: Scene) -> Self {
            let mode = match prior.mode {
                Mode::Simple => super::Mode::Plain,
                Mode::Zoom { factor } => super::Mode::Zoom { factor },
            };
            Self {
                fill: BTreeMap::new(),
                view: View { mode },
            }
        }
    }
}

#[test]
fn members_of_contents_are_set_and_dropped_by_path() {
    let stored = json!({
        "paint": {"a": {"Old": {"baseColor": "red", "gamma": 2.2}}, "b": "None"},
        "view": {"mode": {"t": "Zoom", "c": {"by": 2}}}
    });
    let (scene, notes) = upstate::upgrade_json_with_notes::<Scene>(1, stored.to_string()).unwrap();
    let solid = Solid {
        base_color: "red".into(),
        alpha: 1,
        blend: "normal".into(),
    };
    assert_eq!(
        scene.fill,
        BTreeMap::from([("a".into(), Fill::Solid(solid)), ("b".into(), Fill::None)])
    );
    assert_eq!(scene.view.mode, Mode::Zoom { factor: 2.0 });
    let dropped: Vec<_> = notes
        .dropped()
        .iter()
        .map(|one| format!("{}: {}", one.path, one.reason))
        .collect();
    assert_eq!(dropped, [r#"paint["a"].Old.gamma: screens do that"#]);
    let off = json!({"paint": {}, "view": {"mode": {"t": "Off"}}});
    assert_eq!(
        upstate::upgrade_json::<Scene>(1, off.to_string())
            .unwrap()
            .view
            .mode,
        Mode::Plain
    );
    let simple = json!({"mode": {"t": "Simple"}});
    assert_eq!(
        upstate::upgrade_json::<Scene>(0, simple.to_string())
            .unwrap()
            .view
            .mode,
        Mode::Plain
    );

    let registry = Registry::new().with::<Scene>();
    let current = upstate::to_json(&scene).unwrap();
    let response = registry.downgrade(&DowngradeRequest::json("scene", 2, 1, &current));
    let state = response
        .state()
        .unwrap_or_else(|| panic!("{}", response.diagnostics()));
    let older = json!({
        "paint": {"a": {"Old": {"baseColor": "red"}}, "b": "None"},
        "view": {"mode": {"t": "Zoom", "c": {"by": 2.0}}}
    });
    assert_eq!(serde_json::from_slice::<Value>(state).unwrap(), older);
}

#[test]
fn a_member_whose_name_another_takes_is_reported() {
    // The release of version 1 had no such members, so that something else wrote them.
    let stored = json!({
        "paint": {"a": {"Old": {"baseColor": "red", "alpha": 7, "gamma": null}}},
        "view": {"mode": {"t": "Zoom", "c": {"by": 2, "factor": 9}}}
    });
    let (scene, notes) = upstate::upgrade_json_with_notes::<Scene>(1, stored.to_string()).unwrap();
    assert_eq!(scene.view.mode, Mode::Zoom { factor: 2.0 });
    let mut lost: Vec<_> = notes.undefined().iter().map(ToString::to_string).collect();
    lost.sort();
    assert_eq!(
        (lost, notes.dropped()),
        (
            vec![
                r#"paint["a"].Old.alpha"#.to_owned(),
                "view.mode.c.factor".to_owned()
            ],
            &[][..]
        )
    );
}

/// A prior struct with an enum of its own.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "lamp", version = 1)]
#[upgrade_from(0 => 1, model = LampV0, variants(state, "Dim" => "Dimmed"), rename(state.Dimmed.to => state.Dimmed.level))]
struct Lamp {
    state: State,
}

#[derive(Debug, Clone, PartialEq, Union)]
enum State {
    On,
    Dimmed { level: u8 },
    Party,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "lamp", version = 0, prior)]
struct LampV0 {
    state: StateV0,
}

#[derive(Debug, Clone, PartialEq, Union)]
enum StateV0 {
    Dim { to: u8 },
    On,
}

#[test]
fn a_prior_enum_of_its_own_is_compared_with_the_later_one() {
    for (stored, state) in [
        (json!({"Dim": {"to": 3}}), State::Dimmed { level: 3 }),
        (json!("On"), State::On),
    ] {
        assert_eq!(
            upstate::upgrade_json::<Lamp>(0, json!({"state": stored}).to_string())
                .unwrap()
                .state,
            state
        );
    }
}

/// Any JSON, or none, in three versions.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "app.plugins", version = 2)]
#[upgrade_from(1 => 2, rename(plug => plugin))]
#[upgrade_from(0 => 1, rename(title => name))]
struct Plugins {
    name: String,
    #[attribute(json)]
    plugin: Option<Value>,
}

/// serde takes absence for `None` in an `Option`, and no less in one that holds any JSON.
#[test]
fn any_json_may_be_absent_in_an_option() {
    for (version, title, plugin) in [
        (0, "title", "plug"),
        (1, "name", "plug"),
        (2, "name", "plugin"),
    ] {
        for (stored, expected) in [
            (json!({title: "a"}), None),
            (json!({title: "a", plugin: null}), None),
            (
                json!({title: "a", plugin: {"b": [1, null]}}),
                Some(json!({"b": [1, null]})),
            ),
        ] {
            let read = upstate::upgrade_json::<Plugins>(version, stored.to_string()).unwrap();
            assert_eq!(
                read,
                Plugins {
                    name: "a".to_owned(),
                    plugin: expected
                },
                "{stored} of version {version}"
            );
        }
    }
}

/// Every option of a field beside a changed enum.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "app.whole", version = 2, rename_all = "camelCase")]
#[upgrade_from(1 => 2, rename(theme.Custom.colour => theme.Custom.accent), variants(theme, drop("Sepia", "nobody used it", as = "plain")))]
#[upgrade_from(0 => 1, convert(windowWidth: String, empty = refuse))]
struct Whole {
    window_width: u32,
    #[attribute(default = 3)]
    retries: u32,
    theme: Simple,
    owner: UserId,
    #[attribute(flatten)]
    window: Window,
    #[attribute(json)]
    plugin: Value,
    #[attribute(rest)]
    unknown: BTreeMap<String, Value>,
    #[attribute(skip)]
    cache: Cache,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum Simple {
    Plain,
    Custom { accent: String },
    Named { name: String },
}

#[derive(Debug, Clone, PartialEq, Document)]
struct UserId(u64);

#[derive(Debug, Clone, PartialEq, Document)]
struct Window {
    full: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Cache;

#[test]
fn an_enum_changes_beside_all_that_a_document_has() {
    let oldest = json!({
        "windowWidth": "80", "theme": {"kind": "custom", "colour": "red"}, "owner": 7, "full": true, "plugin": {"a": [1.0]}, "odd": [1]
    });
    let whole = upstate::upgrade_json::<Whole>(0, oldest.to_string()).unwrap();
    let expected = Whole {
        window_width: 80,
        retries: 3,
        theme: Simple::Custom {
            accent: "red".into(),
        },
        owner: UserId(7),
        window: Window { full: true },
        plugin: json!({"a": [1.0]}),
        unknown: BTreeMap::from([("odd".to_owned(), json!([1]))]),
        cache: Cache,
    };
    assert_eq!(whole, expected);
    let sepia = json!({"windowWidth": 80, "retries": 1, "theme": {"kind": "Sepia"}, "owner": 7, "full": true, "plugin": null});
    assert_eq!(
        upstate::upgrade_json::<Whole>(1, sepia.to_string())
            .unwrap()
            .theme,
        Simple::Plain
    );
}

/// An enum whose variant has a tag of its own and is dropped.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "fan", version = 1)]
#[upgrade_from(0 => 1, variants(speed, drop("Turbo", "it was too loud", as = "Slow")))]
struct Fan {
    speed: Speed,
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "t", content = "c")]
enum Speed {
    Slow,
    Fixed(u8),
}

#[test]
fn what_is_beside_the_tag_of_a_dropped_variant_is_reported() {
    for (speed, lost) in [
        (json!({"t": "Turbo"}), 0),
        (json!({"t": "Turbo", "since": 1}), 1),
        (json!({"t": "Turbo", "c": 1}), 1),
    ] {
        let (fan, notes) =
            upstate::upgrade_json_with_notes::<Fan>(0, json!({"speed": speed}).to_string())
                .unwrap();
        assert_eq!(
            (fan, notes.dropped().len()),
            (Fan { speed: Speed::Slow }, lost),
            "{speed}"
        );
    }
}

/// A variant that is gone, by whose name another one is read.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "quill", version = 1)]
#[upgrade_from(0 => 1, variants(ink, drop("Crimson": u8, "nobody used it", as = "Red")))]
struct Quill {
    ink: Ink,
}

#[derive(Debug, PartialEq, Union)]
enum Ink {
    #[attribute(alias = "Crimson")]
    Red,
    Blue,
}

#[test]
fn a_dropped_variant_is_not_another_one_that_is_read_by_its_name() {
    for (stored, ink, lost) in [
        (json!({"Crimson": 3}), Ink::Red, 1),
        (json!("Red"), Ink::Red, 0),
        (json!("Blue"), Ink::Blue, 0),
    ] {
        let stored = json!({"ink": stored}).to_string();
        let (quill, notes) = upstate::upgrade_json_with_notes::<Quill>(0, &stored).unwrap();
        assert_eq!(
            (quill, notes.dropped().len()),
            (Quill { ink }, lost),
            "{stored}"
        );
    }
}

/// Members of a variant that an earlier release could leave out.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "marker", version = 1)]
#[upgrade_from(0 => 1,
    default(tip.Round.width = 2, tip.Round.end = "flat"),
    rename(tip.Round.cap => tip.Round.end),
    default(spare.Round.width = 3)
)]
struct Marker {
    tip: Tip,
    spare: Vec<Tip>,
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "kind")]
enum Tip {
    Fine,
    Round { width: u8, end: String },
}

#[test]
fn a_default_replaces_null_and_absence_in_a_variant() {
    let round = |width, end: &str| Tip::Round {
        width,
        end: end.to_owned(),
    };
    let registry = Registry::new().with::<Marker>();
    for (stored, tip) in [
        (json!({"kind": "Fine"}), Tip::Fine),
        (json!({"kind": "Round"}), round(2, "flat")),
        (
            json!({"kind": "Round", "width": null, "cap": null}),
            round(2, "flat"),
        ),
        (json!({"kind": "Round", "width": 7}), round(7, "flat")),
        (json!({"kind": "Round", "cap": "round"}), round(2, "round")),
    ] {
        let spare = json!([{"kind": "Round", "end": "flat"}, {"kind": "Fine"}]);
        let stored = json!({"tip": stored, "spare": spare});
        let (marker, notes) =
            upstate::upgrade_json_with_notes::<Marker>(0, stored.to_string()).unwrap();
        assert!(notes.dropped().is_empty() && notes.undefined().is_empty());
        let expected = Marker {
            tip,
            spare: vec![round(3, "flat"), Tip::Fine],
        };
        assert_eq!(marker, expected, "{stored}");
        let current = upstate::to_json(&marker).unwrap();
        let response = registry.downgrade(&DowngradeRequest::json("marker", 1, 0, &current));
        let older = response
            .state()
            .unwrap_or_else(|| panic!("{}", response.diagnostics()));
        let again = upstate::upgrade_json::<Marker>(0, older).unwrap();
        assert_eq!(again, marker, "{stored}");
    }
}

/// Members of a variant that were stored as other scalars.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "dial", version = 1)]
#[upgrade_from(0 => 1,
    convert(face.Round.hours: String, empty = zero),
    convert(face.Round.name: u32),
    rename(face.Round.label => face.Round.name)
)]
struct Dial {
    face: Option<Face>,
}

#[derive(Debug, PartialEq, Union)]
enum Face {
    Blank,
    Round { hours: u8, name: String },
}

#[test]
fn members_of_a_variant_become_other_scalars_and_come_back() {
    let registry = Registry::new().with::<Dial>();
    let round = |hours, name: &str| {
        Some(Face::Round {
            hours,
            name: name.to_owned(),
        })
    };
    for (stored, face) in [
        (json!(null), None),
        (json!("Blank"), Some(Face::Blank)),
        (
            json!({"Round": {"hours": "12", "label": 7}}),
            round(12, "7"),
        ),
        (json!({"Round": {"hours": "", "label": 0}}), round(0, "0")),
    ] {
        let stored = json!({"face": stored});
        let dial = upstate::upgrade_json::<Dial>(0, stored.to_string()).unwrap();
        assert_eq!(dial, Dial { face });
        let current = upstate::to_json(&dial).unwrap();
        let response = registry.downgrade(&DowngradeRequest::json("dial", 1, 0, &current));
        let older = response
            .state()
            .unwrap_or_else(|| panic!("{}", response.diagnostics()));
        assert_eq!(serde_json::from_slice::<Value>(older).unwrap(), stored);
    }
    let stored = json!({"face": {"Round": {"hours": "noon", "label": 7}}});
    let refused = upstate::upgrade_json::<Dial>(0, stored.to_string()).unwrap_err();
    assert!(
        refused.to_string().contains("face.Round.hours"),
        "{refused}"
    );
    let named = br#"{"face":{"Round":{"hours":1,"name":"east"}}}"#;
    let response = registry.downgrade(&DowngradeRequest::json("dial", 1, 0, named));
    assert!(response.state().is_none());
}

/// A member of a variant that was an empty string, and is null now.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "alarm", version = 1)]
#[upgrade_from(0 => 1, convert(tone.Beep.minutes: String, empty = null))]
struct Alarm {
    tone: Tone,
}

#[derive(Debug, PartialEq, Union)]
enum Tone {
    Beep { minutes: Option<u8> },
}

#[test]
fn null_in_a_variant_is_an_empty_string_for_an_earlier_release() {
    let registry = Registry::new().with::<Alarm>();
    for (stored, minutes) in [("", None), ("5", Some(5))] {
        let stored = json!({"tone": {"Beep": {"minutes": stored}}});
        let alarm = upstate::upgrade_json::<Alarm>(0, stored.to_string()).unwrap();
        let tone = Tone::Beep { minutes };
        assert_eq!(alarm, Alarm { tone });
        let current = upstate::to_json(&alarm).unwrap();
        let response = registry.downgrade(&DowngradeRequest::json("alarm", 1, 0, &current));
        let older = response
            .state()
            .unwrap_or_else(|| panic!("{}", response.diagnostics()));
        assert_eq!(serde_json::from_slice::<Value>(older).unwrap(), stored);
    }
}

/// A member of a variant that is converted, and has a default where it was null or empty.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "clock", version = 1)]
#[upgrade_from(0 => 1,
    convert(face.Round.marks: Option<String>, empty = null),
    default(face.Round.marks = 12)
)]
struct Clock {
    face: ClockFace,
}

#[derive(Debug, PartialEq, Union)]
enum ClockFace {
    Round { marks: u8 },
}

#[test]
fn a_converted_member_of_a_variant_has_a_default() {
    let registry = Registry::new().with::<Clock>();
    for (stored, marks) in [
        (json!("4"), 4),
        (json!(""), 12),
        (json!(null), 12),
        (json!("12"), 12),
    ] {
        let stored = json!({"face": {"Round": {"marks": stored}}});
        let clock = upstate::upgrade_json::<Clock>(0, stored.to_string()).unwrap();
        let face = ClockFace::Round { marks };
        assert_eq!(clock, Clock { face }, "{stored}");
        let current = upstate::to_json(&clock).unwrap();
        let response = registry.downgrade(&DowngradeRequest::json("clock", 1, 0, &current));
        let older = response
            .state()
            .unwrap_or_else(|| panic!("{}", response.diagnostics()));
        let expected = json!({"face": {"Round": {"marks": marks.to_string()}}});
        assert_eq!(serde_json::from_slice::<Value>(older).unwrap(), expected);
    }
}

/// Values that were stored as types that take less.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "gauge", version = 1)]
#[upgrade_from(0 => 1,
    convert(needle.Round.name: u8),
    convert(needle.Round.note: u8),
    convert(ticks.Round.scale: Scale),
    convert(glass.Round.name: i8),
    drop(glass.Long.unit: String, "it was always the same"),
    convert(size: u8)
)]
struct Gauge {
    needle: Needle,
    ticks: Vec<Tick>,
    glass: Option<Glass>,
    size: String,
}

#[derive(Debug, PartialEq, Union)]
enum Needle {
    Round { name: String, note: Option<String> },
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "kind")]
enum Tick {
    Flat,
    Round { scale: u8 },
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "kind", content = "of")]
enum Glass {
    Round { name: String },
    Long { name: String },
}

#[derive(Debug, PartialEq, StringEnum)]
enum Scale {
    #[value(name = "1")]
    One,
    #[value(name = "2")]
    Two,
}

#[test]
fn an_earlier_release_gets_no_value_that_it_does_not_read() {
    let registry = Registry::new().with::<Gauge>();
    let down = |current: &Value| {
        let current = current.to_string();
        let request = DowngradeRequest::json("gauge", 1, 0, current.as_bytes());
        let response = registry.downgrade(&request);
        match response.state() {
            Some(state) => Ok(serde_json::from_slice::<Value>(state).unwrap()),
            None => Err(response.diagnostics().to_string()),
        }
    };
    let current = json!({
        "needle": {"Round": {"name": "255", "note": "7"}},
        "ticks": [{"kind": "Flat"}, {"kind": "Round", "scale": 2}],
        "glass": {"kind": "Round", "of": {"name": "-128"}},
        "size": "9"
    });
    let older = json!({
        "needle": {"Round": {"name": 255, "note": 7}},
        "ticks": [{"kind": "Flat"}, {"kind": "Round", "scale": "2"}],
        "glass": {"kind": "Round", "of": {"name": -128}},
        "size": 9
    });
    assert_eq!(down(&current), Ok(older));
    for (place, value, problem) in [
        (
            "/needle/Round/name",
            json!("256"),
            "expected a whole number from 0 to 255, found another number (at needle.Round.name of version 0)",
        ),
        (
            "/needle/Round/note",
            json!(null),
            "`needle.Round.note` of version 0 always has a value",
        ),
        (
            "/ticks/1/scale",
            json!(3),
            "(at ticks[1].scale of version 0)",
        ),
        (
            "/glass/of/name",
            json!("1.5"),
            "(at glass.of.name of version 0)",
        ),
        (
            "/glass/kind",
            json!("Long"),
            "`glass.of.unit` of version 0 always has a value",
        ),
        ("/size", json!("300"), "(at size of version 0)"),
    ] {
        let mut current = current.clone();
        *current.pointer_mut(place).unwrap() = value;
        let refused = down(&current).unwrap_err();
        assert!(refused.contains(problem), "{place}: {refused}");
    }
}

/// One variant became two: a function decides for each value, and another one goes back.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "canvas", version = 1)]
#[upgrade_from(0 => 1, convert(brush: Brush0, with = split, back = joined))]
struct Canvas {
    brush: Brush,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum Brush {
    None,
    Pen { width: u16 },
    Spray { width: u16 },
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum Brush0 {
    None,
    Stroke { width: u16 },
}

/// Wide strokes were always sprayed.
fn split(stored: Brush0) -> Result<Brush, String> {
    Ok(match stored {
        Brush0::None => Brush::None,
        Brush0::Stroke { width } if width > 9 => Brush::Spray { width },
        Brush0::Stroke { width } => Brush::Pen { width },
    })
}

fn joined(brush: Brush) -> Result<Brush0, String> {
    Ok(match brush {
        Brush::None => Brush0::None,
        Brush::Pen { width } | Brush::Spray { width } => Brush0::Stroke { width },
    })
}

#[test]
fn one_variant_becomes_two_by_a_function_and_one_again() {
    let registry = Registry::new().with::<Canvas>();
    for (stored, brush) in [
        (json!({"kind": "none"}), Brush::None),
        (
            json!({"kind": "stroke", "width": 3}),
            Brush::Pen { width: 3 },
        ),
        (
            json!({"kind": "stroke", "width": 10}),
            Brush::Spray { width: 10 },
        ),
    ] {
        let stored = json!({"brush": stored});
        let canvas = upstate::upgrade_json::<Canvas>(0, stored.to_string()).unwrap();
        assert_eq!(canvas.brush, brush);
        let current = upstate::to_json(&canvas).unwrap();
        let response = registry.downgrade(&DowngradeRequest::json("canvas", 1, 0, &current));
        let older = response
            .state()
            .unwrap_or_else(|| panic!("{}", response.diagnostics()));
        assert_eq!(serde_json::from_slice::<Value>(older).unwrap(), stored);
    }
}

/// Two brushes became the sum of their widths.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "easel", version = 1)]
#[upgrade_from(0 => 1, convert(broad: Brush0, fine: Vec<Brush0> => widths, with = added))]
struct Easel {
    widths: u16,
}

fn added(broad: Brush0, fine: Vec<Brush0>) -> u16 {
    let width = |brush: Brush0| match brush {
        Brush0::None => 0,
        Brush0::Stroke { width } => width,
    };
    fine.into_iter().map(width).sum::<u16>() + width(broad)
}

#[test]
fn a_member_of_a_variant_that_a_function_does_not_take_is_reported() {
    let named = |paths: &[upstate::AttributePath]| -> Vec<String> {
        paths.iter().map(ToString::to_string).collect()
    };
    let stored = r#"{"brush": {"kind": "stroke", "width": 3, "odd": 1}}"#;
    let (canvas, notes) = upstate::upgrade_json_with_notes::<Canvas>(0, stored).unwrap();
    assert_eq!(canvas.brush, Brush::Pen { width: 3 });
    assert_eq!(named(notes.undefined()), ["brush.odd"]);
    let stored = r#"{
        "broad": {"kind": "stroke", "width": 3, "odd": 1},
        "fine": [{"kind": "none"}, {"kind": "stroke", "odd": 2, "width": 4}]
    }"#;
    let (easel, notes) = upstate::upgrade_json_with_notes::<Easel>(0, stored).unwrap();
    assert_eq!(easel.widths, 7);
    assert_eq!(named(notes.undefined()), ["broad.odd", "fine[1].odd"]);
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "pot", version = 1)]
#[upgrade_from(0 => 1, variants(glaze, "Crimson" => "Red"))]
struct Pot {
    glaze: Glaze,
    #[attribute(default, alias = "mork")]
    mark: u8,
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "kind")]
enum Glaze {
    Red,
    #[attribute(other)]
    Plain,
}

/// A member that is stored under an alias is read over values only.
#[test]
fn the_variant_for_other_names_keeps_its_own_and_no_other() {
    for mark in ["mark", "mork"] {
        for (kind, glaze, lost) in [
            ("Crimson", Glaze::Red, 0),
            ("Plain", Glaze::Plain, 0),
            ("Blue", Glaze::Plain, 1),
        ] {
            let stored = format!(r#"{{"glaze":{{"kind":"{kind}"}},"{mark}":5}}"#);
            let (pot, notes) = upstate::upgrade_json_with_notes::<Pot>(0, &stored).unwrap();
            assert_eq!(
                (pot, notes.undefined().len()),
                (Pot { glaze, mark: 5 }, lost),
                "{stored}"
            );
        }
    }
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "vase", version = 1)]
#[upgrade_from(0 => 1, model = VaseV0, carry)]
struct Vase {
    #[attribute(flatten)]
    glaze: Glaze,
}

#[derive(Debug, Document)]
#[document(type_name = "vase", version = 0, prior)]
struct VaseV0 {
    #[attribute(flatten)]
    glaze: GlazeV0,
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum GlazeV0 {
    Red,
    #[attribute(other)]
    Plain,
}

#[test]
fn a_flattened_enum_that_reads_other_names_goes_to_one_that_does() {
    for (kind, glaze) in [("Red", Glaze::Red), ("Plain", Glaze::Plain)] {
        let vase = upstate::upgrade_json::<Vase>(0, format!(r#"{{"kind":"{kind}"}}"#)).unwrap();
        assert_eq!(vase, Vase { glaze }, "{kind}");
    }
}

#[derive(Debug, Document)]
#[document(type_name = "kiln", version = 1)]
#[upgrade_from(0 => 1, variants(glaze, "Mat" => "Matte", add("Green")))]
struct Kiln {
    glaze: Mixed,
}

#[derive(Debug, Union)]
enum Mixed {
    Green,
    Matte,
    #[attribute(untagged)]
    Layers(Vec<u8>),
    #[attribute(untagged)]
    Amounts(BTreeMap<String, u8>),
}

#[allow(unreachable_pub, reason = "a module of a test")]
mod kiln_0 {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "kiln")]
    pub struct Kiln {
        pub glaze: Mixed,
    }

    #[derive(Debug, Union)]
    pub enum Mixed {
        Mat,
        #[attribute(untagged)]
        Layers(Vec<u8>),
        #[attribute(untagged)]
        Amounts(BTreeMap<String, u8>),
    }
}

#[test]
fn variants_without_a_tag_stay_behind_the_others_in_the_order_in_which_they_are_tried() {
    let glaze = |block: &Block| block.attributes()[0].implied_type().to_string();
    let registry = Registry::new().with::<Kiln>();
    let derived = glaze(registry.get("kiln").unwrap().prior_schemas_of(0)[0]);
    let registry = Registry::new().with::<kiln_0::Kiln>();
    assert_eq!(
        derived,
        glaze(registry.get("kiln").unwrap().schema().block())
    );
    let kiln = upstate::upgrade_json::<Kiln>(0, r#"{"glaze":[1,2]}"#).unwrap();
    assert_eq!(format!("{kiln:?}"), "Kiln { glaze: Layers([1, 2]) }");
}

/// An enum of which one variant is read by an author's function that quotes the value.
mod quoted {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "locker")]
    struct Locker {
        #[attribute(sensitive)]
        code: Code,
        spare: Code,
    }

    #[derive(Debug, Union)]
    #[union(untagged)]
    enum Code {
        Number(u8),
        Word(Word),
    }

    #[derive(Debug, Clone, Document)]
    #[serde(try_from = "String", into = "String")]
    struct Word(String);

    impl TryFrom<String> for Word {
        type Error = String;

        fn try_from(text: String) -> Result<Self, String> {
            if text.len() == 4 {
                Ok(Self(text))
            } else {
                Err(format!("{text} has not 4 letters"))
            }
        }
    }

    impl From<Word> for String {
        fn from(word: Word) -> Self {
            word.0
        }
    }

    #[test]
    fn the_words_of_an_author_about_a_variant_are_shown_unless_it_is_sensitive() {
        for (member, is_shown) in [("code", false), ("spare", true)] {
            let mut stored = json!({"code": 1, "spare": "abcd"});
            stored[member] = json!("hush-hush");
            let error = upstate::upgrade_json::<Locker>(0, stored.to_string())
                .unwrap_err()
                .to_string();
            assert_eq!(error.contains("hush-hush"), is_shown, "{error}");
            assert!(error.contains(&format!("(at {member})")), "{error}");
        }
    }
}

/// An enum that was stored by the names in Rust, and a member that is new two versions later.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "panel", version = 2)]
#[upgrade_from(0 => 1, variants(theme, "Plain" => "plain", "Tinted" => "custom"))]
#[upgrade_from(1 => 2, set(theme.Custom.border_width = 1))]
struct Panel {
    theme: Frame,
}

#[derive(Debug, PartialEq, Union)]
#[union(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum Frame {
    Plain,
    Custom { accent: String, border_width: u8 },
}

#[test]
fn variants_that_were_stored_by_their_names_in_rust_have_other_ones() {
    for (stored, theme) in [
        (json!({"kind": "Plain"}), Frame::Plain),
        (
            json!({"kind": "Tinted", "accent": "red"}),
            Frame::Custom {
                accent: "red".into(),
                border_width: 1,
            },
        ),
    ] {
        let stored = json!({"theme": stored});
        let panel: Panel = upstate::upgrade_json(0, stored.to_string()).unwrap();
        assert_eq!(panel, Panel { theme });
    }
}

/// A variant that is read by its name in Rust, too, by which an earlier release stored it.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "nib", version = 1)]
#[upgrade_from(0 => 1, model = NibV0, variants(point, "Fine" => "thin"))]
struct Nib {
    point: Point,
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum Point {
    Thin,
    #[attribute(alias = "Broad")]
    Broad,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "nib", version = 0, prior)]
struct NibV0 {
    point: PointV0,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind")]
enum PointV0 {
    Fine,
    Broad,
}

#[test]
fn a_variant_with_an_alias_needs_no_change() {
    for (stored, point) in [("Fine", Point::Thin), ("Broad", Point::Broad)] {
        let stored = json!({"point": {"kind": stored}});
        let nib: Nib = upstate::upgrade_json(0, stored.to_string()).unwrap();
        assert_eq!(nib, Nib { point });
    }
}

/// Names that a rule makes, that an earlier release stored without it, and that no rule makes.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "app.lantern", version = 1)]
#[upgrade_from(0 => 1,
    rename(glow.Lit.oldColour => glow.Lit.colour, glow.Lit.r#how_bright => glow.Lit.bright),
    drop(glow.Lit."odd-one": Option<u8>, "nobody read it"),
    rename(stand.footHeight => stand.height, stand.r#foot_width => stand.width),
)]
struct Lantern {
    glow: Glow,
    stand: Stand,
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "kind", rename_all_fields = "camelCase")]
enum Glow {
    Out,
    Lit { colour: String, bright: u8 },
}

#[derive(Debug, PartialEq, Document)]
#[document(rename_all = "camelCase")]
struct Stand {
    height: u8,
    width: u8,
}

#[test]
fn members_that_are_gone_are_named_as_they_were_stored() {
    let stand = json!({"footHeight": 2, "foot_width": 4});
    for (glow, expected) in [
        (json!({"kind": "Out"}), Glow::Out),
        (
            json!({"kind": "Lit", "oldColour": "red", "how_bright": 3, "odd-one": 1}),
            Glow::Lit {
                colour: "red".to_owned(),
                bright: 3,
            },
        ),
    ] {
        let stored = json!({"glow": glow, "stand": stand}).to_string();
        let lantern: Lantern = upstate::upgrade_json(0, stored).unwrap();
        let stand = Stand {
            height: 2,
            width: 4,
        };
        let expected = Lantern {
            glow: expected,
            stand,
        };
        assert_eq!(lantern, expected);
    }
}
