//! Whose fault it is when declared upgraders make what does not fit: what they say is what
//! `TryFrom` would.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value as Json, json};
use upstate::path::PathStep;
use upstate::{AttributePath, CurrentModel, Diagnostic, Registry, UpgradeRequest};

mod declared {
    use upstate::{Object, Resource, StringEnum};

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 3)]
    #[upgrade_from(
        2,
        model = ServerV2,
        values(mode, "AUTO" => "auto", "OFF" => "off"),
        rename(lanes => tracks),
        default(label = "none")
    )]
    pub(super) struct Server {
        pub core: i64,
        pub label: String,
        pub mass: i64,
        pub mode: Mode,
        pub name: String,
        pub port: u16,
        pub tracks: Vec<Lane>,
    }

    #[derive(Debug, Object)]
    #[upgrade_from(model = LaneV0, rename(wide => width))]
    pub(super) struct Lane {
        pub note: Option<String>,
        pub width: u16,
    }

    #[derive(Debug, Clone, Copy, PartialEq, StringEnum)]
    pub(super) enum Mode {
        #[value(name = "auto")]
        Auto,
        #[value(name = "off")]
        Off,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 2)]
    #[upgrade_from(1, model = ServerV1, rename(weight => mass), set(mode = "AUTO"))]
    pub(super) struct ServerV2 {
        pub core: i64,
        pub label: Option<String>,
        pub lanes: Vec<Lane>,
        pub mass: i64,
        pub mode: ModeV2,
        pub name: String,
        pub port: u16,
    }

    #[derive(Debug, Clone, Copy, PartialEq, StringEnum)]
    pub(super) enum ModeV2 {
        #[value(name = "AUTO")]
        Auto,
        #[value(name = "OFF")]
        Off,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 1)]
    #[upgrade_from(0, model = ServerV0, rename(title => name), convert(weight, empty = refuse))]
    pub(super) struct ServerV1 {
        pub core: i64,
        pub label: Option<String>,
        pub lanes: Vec<LaneV0>,
        pub name: String,
        pub port: u16,
        pub weight: i64,
    }

    #[derive(Debug, Object)]
    pub(super) struct LaneV0 {
        pub note: Option<String>,
        pub wide: u16,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 0)]
    pub(super) struct ServerV0 {
        pub core: i64,
        pub label: Option<String>,
        pub lanes: Vec<LaneV0>,
        pub port: u16,
        pub title: String,
        pub weight: String,
    }
}

/// That, with an upgrader to each earlier model, in Rust.
mod typed {
    use super::declared::{Lane, LaneV0, Mode, ModeV2, ServerV0, ServerV1, ServerV2};
    use upstate::Resource;

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 3)]
    #[upgrade_from(0, model = ServerV0)]
    #[upgrade_from(1, model = ServerV1)]
    #[upgrade_from(2, model = ServerV2)]
    pub(super) struct Server {
        pub core: i64,
        pub label: String,
        pub mass: i64,
        pub mode: Mode,
        pub name: String,
        pub port: u16,
        pub tracks: Vec<Lane>,
    }

    fn lanes(lanes: Vec<LaneV0>) -> Vec<Lane> {
        lanes
            .into_iter()
            .map(|LaneV0 { note, wide: width }| Lane { note, width })
            .collect()
    }

    impl From<ServerV2> for Server {
        fn from(prior: ServerV2) -> Self {
            let ServerV2 {
                core,
                label,
                lanes: tracks,
                mass,
                mode,
                name,
                port,
            } = prior;
            let mode = if mode == ModeV2::Auto {
                Mode::Auto
            } else {
                Mode::Off
            };
            Self {
                core,
                label: label.unwrap_or_else(|| "none".to_owned()),
                mass,
                mode,
                name,
                port,
                tracks,
            }
        }
    }

    impl From<ServerV1> for Server {
        fn from(prior: ServerV1) -> Self {
            let ServerV1 {
                core,
                label,
                lanes: old,
                name,
                port,
                weight: mass,
            } = prior;
            ServerV2 {
                core,
                label,
                lanes: lanes(old),
                mass,
                mode: ModeV2::Auto,
                name,
                port,
            }
            .into()
        }
    }

    impl TryFrom<ServerV0> for Server {
        type Error = String;

        fn try_from(prior: ServerV0) -> Result<Self, String> {
            let ServerV0 {
                core,
                label,
                lanes,
                port,
                title: name,
                weight,
            } = prior;
            let weight = weight.parse().map_err(|error| format!("{error}"))?;
            Ok(ServerV1 {
                core,
                label,
                lanes,
                name,
                port,
                weight,
            }
            .into())
        }
    }
}

fn refusals<T: CurrentModel>(version: u64, state: &str) -> Vec<Diagnostic> {
    let response = Registry::new().with::<T>().upgrade(&UpgradeRequest::json(
        "server",
        version,
        state.as_bytes(),
    ));
    assert_eq!(
        response.state().is_some(),
        response.diagnostics().is_empty(),
        "{}",
        response.diagnostics()
    );
    response.diagnostics().iter().cloned().collect()
}

fn refusal<T: CurrentModel>(version: u64, state: &str) -> Option<Diagnostic> {
    let found = refusals::<T>(version, state);
    assert!(found.len() <= 1, "{found:?}");
    found.into_iter().next()
}

/// A state of each version that is as it should be.
fn good(version: u64) -> Json {
    let lanes = |width: &str| json!([{ "note": "left", width: 3 }, { "note": null, width: 4 }]);
    match version {
        0 => {
            json!({ "core": 2, "label": "a", "lanes": lanes("wide"), "port": 80, "title": "t", "weight": "7" })
        }
        1 => {
            json!({ "core": 2, "label": "a", "lanes": lanes("wide"), "name": "t", "port": 80, "weight": 7 })
        }
        _ => {
            json!({ "core": 2, "label": "a", "lanes": lanes("width"), "mass": 7, "mode": "OFF", "name": "t", "port": 80 })
        }
    }
}

fn with(version: u64, name: &str, value: &Json) -> String {
    let mut state = good(version);
    state
        .as_object_mut()
        .unwrap()
        .insert(name.to_owned(), value.clone());
    state.to_string()
}

fn without(version: u64, name: &str) -> String {
    let mut state = good(version);
    state.as_object_mut().unwrap().remove(name).unwrap();
    state.to_string()
}

/// What both ways say first.
fn both(version: u64, state: &str) -> String {
    let (declared, typed) = (
        refusals::<declared::Server>(version, state),
        refusals::<typed::Server>(version, state),
    );
    assert!(
        typed.iter().all(|found| declared.contains(found)),
        "{state}: {declared:?}"
    );
    typed
        .first()
        .unwrap()
        .detail()
        .split("\n\n")
        .next()
        .unwrap()
        .to_owned()
}

#[test]
fn good_states_go_up_both_ways() {
    for version in 0..3 {
        assert_eq!(
            refusal::<declared::Server>(version, &good(version).to_string()),
            None
        );
        assert_eq!(
            refusal::<typed::Server>(version, &good(version).to_string()),
            None
        );
    }
}

#[test]
fn what_the_stored_version_never_allowed_is_found_in_the_stored_state() {
    assert_eq!(
        both(0, &with(0, "title", &Json::Null)),
        "The stored state does not fit schema version 0: the stored value is null, but must not be \
         (at title). If nobody edited it, a release stored it so: report this to the authors. For the authors: make the model's field an `Option`."
    );
    assert_eq!(
        both(0, &without(0, "title")),
        "The stored state does not fit schema version 0: the stored state lacks this attribute, which must have a value (at title). If nobody edited it, a release stored it so: report this to the authors. For the authors: make the model's field an `Option`."
    );
    assert_eq!(
        both(1, &with(1, "core", &json!("3.5"))),
        "The stored state does not fit schema version 1: expected a whole number from -9223372036854775808 to 9223372036854775807, found \"3.5\" \
         (at core)."
    );
    assert_eq!(
        both(2, &with(2, "mode", &json!("MANUAL"))),
        "The stored state does not fit schema version 2: expected one of \"AUTO\", \"OFF\", found \"MANUAL\" (at mode)."
    );
    assert_eq!(
        both(
            0,
            &with(0, "lanes", &json!([{ "wide": 1 }, { "wide": 70_000 }]))
        ),
        "The stored state does not fit schema version 0: expected a whole number from 0 to 65535, found 70000 \
         (at lanes[1].wide)."
    );
    assert_eq!(
        both(0, &with(0, "lanes", &json!([{ "wide": 1 }, {}]))),
        "The stored state does not fit schema version 0: the stored state lacks this attribute, which must have a value (at lanes[1].wide). If nobody edited it, a release stored it so: report this to the authors. For the authors: make the model's field an `Option`."
    );
    // An empty document.
    assert_eq!(both(0, "{}"), both(0, &json!({ "label": "a" }).to_string()));
    assert!(both(0, "{}").contains("schema version 0: the stored state lacks this attribute"));
}

#[test]
fn what_an_operator_accounts_for_is_no_error() {
    for version in 0..3 {
        assert_eq!(
            refusal::<declared::Server>(version, &with(version, "label", &Json::Null)),
            None
        );
        assert_eq!(
            refusal::<declared::Server>(version, &without(version, "label")),
            None
        );
    }
}

#[test]
fn the_first_upgrader_whose_answer_does_not_fit_is_named() {
    let found = refusal::<declared::Server>(0, &with(0, "weight", &json!("3.5"))).unwrap();
    assert_eq!(
        found.to_string().split("\n\n").next().unwrap(),
        "error: Unable to Upgrade Resource State (at weight)\n3.5 does not fit schema version 1: expected a \
         whole number from -9223372036854775808 to 9223372036854775807 (at weight)."
    );
}

mod renamed {
    use std::net::IpAddr;

    use super::refusal;
    use upstate::Resource;

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 2)]
    #[upgrade_from(1, model = HostV1, rename(kind => family), values(family, "a" => "b"), rename(secret => text, declassified = "the text is shown"), convert(text), rename(site => at), convert(at))]
    struct Host {
        #[attribute(as_string)]
        at: IpAddr,
        family: String,
        #[attribute(with = even)]
        text: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 1)]
    #[upgrade_from(0, model = HostV0, rename(sort => kind), rename(address => site))]
    struct HostV1 {
        kind: String,
        #[attribute(sensitive)]
        secret: String,
        site: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 0)]
    struct HostV0 {
        address: String,
        #[attribute(sensitive)]
        secret: String,
        sort: String,
    }

    mod even {
        pub(super) fn read(text: String) -> Result<String, String> {
            if text.len().is_multiple_of(2) {
                Ok(text)
            } else {
                Err(format!("{text:?} is odd"))
            }
        }

        #[expect(clippy::ptr_arg, reason = "it writes the field's own type")]
        pub(super) fn write(text: &String) -> String {
            text.clone()
        }
    }

    fn said(version: u64, state: &str) -> String {
        let found = refusal::<Host>(version, state).unwrap().to_string();
        found.split("\n\n").next().unwrap().to_owned()
    }

    #[test]
    fn an_operator_that_refuses_names_the_stored_path() {
        assert_eq!(
            said(0, r#"{"address":"::1","secret":"ab","sort":"z"}"#),
            "error: Unable to Upgrade Resource State (at sort)\n\"z\" is not one of the known values (\"a\") (at kind). \
             That is in the upgrade from schema version 1 to 2; kind is made from `sort` of version 0."
        );
        assert_eq!(
            said(1, r#"{"kind":"z","secret":"ab","site":"::1"}"#),
            "error: Unable to Upgrade Resource State (at kind)\n\"z\" is not one of the known values (\"a\") (at kind)."
        );
    }

    #[test]
    fn an_upgrader_whose_answer_does_not_fit_names_the_stored_path() {
        assert_eq!(
            said(0, r#"{"address":"home","secret":"ab","sort":"a"}"#),
            "error: Unable to Upgrade Resource State (at address)\n\"home\" does not fit schema version 2: the \
             string is not an IP address (at at). That is in the upgrade from schema version 1 to 2; at is made from `address` of \
             version 0."
        );
    }

    #[test]
    fn an_author_s_words_about_what_was_sensitive_are_not_shown() {
        assert_eq!(
            said(0, r#"{"address":"::1","secret":"hunter7","sort":"a"}"#),
            "error: Unable to Upgrade Resource State (at secret)\na string (sensitive) does not fit schema version \
             2: the value is not one that the attribute's reader takes (at text). That is in the upgrade from schema version 1 to 2; \
             text is made from `secret` of version 0."
        );
    }
}

mod made {
    use std::collections::BTreeMap;

    use super::refusal;
    use upstate::{Object, Resource};

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 2)]
    #[upgrade_from(
        1,
        model = DeskV1,
        reformat(login = "{user}@{realm}"),
        values(login, "a@b" => "ab"),
        merge(near, far => all),
        each(values(all, "x" => "y")),
        only_if(is(level, "old"), set(level = "top")),
        values(level, "low" => "lower"),
    )]
    struct Desk {
        all: BTreeMap<String, String>,
        level: String,
        login: String,
        parts: Vec<Part>,
    }

    #[derive(Debug, Object)]
    #[upgrade_from(model = PartV0, reformat(label = "{name}-{size}"), values(label, "a-1" => "one"))]
    struct Part {
        label: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 1)]
    #[upgrade_from(0, model = DeskV0, rename(name => user), rename(domain => realm))]
    struct DeskV1 {
        far: BTreeMap<String, String>,
        level: String,
        near: BTreeMap<String, String>,
        parts: Vec<PartV0>,
        realm: String,
        user: String,
    }

    #[derive(Debug, Object)]
    struct PartV0 {
        name: String,
        size: u8,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "server", version = 0)]
    struct DeskV0 {
        domain: String,
        far: BTreeMap<String, String>,
        level: String,
        name: String,
        near: BTreeMap<String, String>,
        parts: Vec<PartV0>,
    }

    const GOOD: &str = r#"{"far":{},"level":"low","near":{"k":"x"},"parts":[{"name":"a","size":1}],"realm":"b","user":"a"}"#;

    fn said(version: u64, from: &str, to: &str) -> String {
        let state = GOOD.replace(from, to);
        assert_ne!(state, GOOD);
        let state = if version == 0 {
            state.replace("realm", "domain").replace("user", "name")
        } else {
            state
        };
        let found = refusal::<Desk>(version, &state).unwrap().to_string();
        found.split("\n\n").next().unwrap().replacen(
            "error: Unable to Upgrade Resource State (at ",
            "(",
            1,
        )
    }

    #[test]
    fn what_operators_made_is_named_by_its_own_path() {
        assert!(refusal::<Desk>(1, GOOD).is_none());
        assert_eq!(
            said(1, r#""b""#, r#""c""#),
            "(login)\n\"a@c\" is not one of the known values (\"a@b\") (at login, as the upgrade makes it). \
             login is made from `user`, `realm` of version 1."
        );
        assert_eq!(
            said(0, r#""b""#, r#""c""#),
            "(login)\n\"a@c\" is not one of the known values (\"a@b\") (at login, as the upgrade makes it). \
             That is in the upgrade from schema version 1 to 2; login is made from `name`, `domain` of version 0."
        );
        assert_eq!(
            said(1, r#""x""#, r#""z""#),
            "(all[\"k\"])\n\"z\" is not one of the known values (\"x\") (at all[\"k\"], as the upgrade makes it). \
             all[\"k\"] is made from `near`, `far` of version 1."
        );
        assert_eq!(
            said(1, "low", "old").split(". ").next().unwrap(),
            "(level)\n\"top\" is not one of the known values (\"low\") (at level, as the upgrade makes it)."
        );
        assert_eq!(
            said(1, r#""size":1"#, r#""size":2"#),
            "(parts[0].label)\n\"a-2\" is not one of the known values (\"a-1\") (at parts[0].label, as the upgrade \
             makes it). parts[0].label is made from `parts[0].name`, `parts[0].size` of version 1."
        );
    }

    #[test]
    fn the_stored_state_is_at_fault_where_what_was_read_of_it_does_not_fit() {
        assert!(
            said(1, r#""b""#, "null")
                .contains("does not fit schema version 1: the stored value is null")
        );
    }
}

/// Where something can be broken.
fn places(version: u64) -> Vec<Vec<&'static str>> {
    let wide = if version < 2 { "wide" } else { "width" };
    let tops = [
        "core", "label", "lanes", "mass", "mode", "name", "port", "title", "weight",
    ];
    let tops = tops
        .into_iter()
        .filter(|name| good(version).get(name).is_some())
        .map(|name| vec![name]);
    tops.chain([
        vec!["lanes", "0", wide],
        vec!["lanes", "1", "note"],
        vec!["lanes", "1", wide],
        vec!["lanes", "1"],
    ])
    .collect()
}

fn broken(version: u64, breaks: &[(Index, Option<Json>)]) -> Json {
    let places = places(version);
    let mut state = good(version);
    for (place, value) in breaks {
        let (last, way) = place.get(&places).split_last().unwrap();
        let within = way.iter().try_fold(&mut state, |at, name| match at {
            Json::Array(list) => list.get_mut(name.parse::<usize>().ok()?),
            at => at.get_mut(*name),
        });
        match (within, value) {
            (Some(Json::Object(object)), Some(value)) => {
                drop(object.insert((*last).to_owned(), value.clone()))
            }
            (Some(Json::Object(object)), None) => drop(object.remove(*last)),
            (Some(Json::Array(list)), Some(value)) => {
                if let Some(element) = last
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| list.get_mut(index))
                {
                    *element = value.clone();
                }
            }
            _ => {}
        }
    }
    state
}

/// Whether the path leads to something in the state, or to a name that an object there lacks.
fn exists(state: &Json, path: &AttributePath) -> bool {
    let mut at = state;
    for (index, step) in path.steps().iter().enumerate() {
        let next = match step {
            PathStep::Attribute(name) => at.get(name.as_ref()),
            PathStep::Index(index) => at.get(usize::try_from(*index).unwrap()),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return index + 1 == path.steps().len() && at.is_object(),
        }
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn both_ways_blame_the_same_place_of_the_stored_state(
        version in 0..3_u64,
        breaks in prop::collection::vec((any::<Index>(), prop::option::of(select(vec![
            json!(null), json!("3.5"), json!("x"), json!(-1), json!(1e300), json!([]), json!({}), json!([null]), json!(true),
        ]))), 1..3),
    ) {
        let state = broken(version, &breaks);
        let text = state.to_string();
        let (declared, typed) = (refusals::<declared::Server>(version, &text), refusals::<typed::Server>(version, &text));
        // What a conversion refuses is found once all that is stored can be read.
        let alone = |one| refusals::<typed::Server>(version, &broken(version, std::slice::from_ref(one)).to_string());
        let all: Vec<Diagnostic> = breaks.iter().flat_map(alone).chain(typed.clone()).collect();
        for found in &declared {
            let Some(path) = found.path().filter(|path| !path.is_empty()) else { continue };
            prop_assert!(exists(&state, path), "{found}\n{text}");
            // What only the upgrader refuses is reported in its own words.
            if all.iter().all(|typed| typed.path().is_some()) {
                let same = |typed: &Diagnostic| (typed.path(), typed.summary()) == (found.path(), found.summary());
                prop_assert!(all.iter().any(same), "{:?}\n{}\n{}", all, found, text);
            }
        }
        prop_assert_eq!(declared.is_empty(), typed.is_empty(), "{:?}\n{:?}\n{}", declared, typed, text);
    }
}
