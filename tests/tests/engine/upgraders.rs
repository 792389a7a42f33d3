//! Every kind of upgrader: ranges, raw state, several shapes under one version, versions that were
//! given up.

use std::collections::BTreeMap;

use upstate::{
    Diagnostics, RawState, Registry, Resource, UpgradeContext, UpgradeRequest, UpgradeResponse,
    Value, upgrade_json,
};

/// Versions 0 to 2 share one shape; 3 had two; 4 was given up; 5 is read as it is stored.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_disk", version = 6, since("1.0.0" => 0, "2.0.0" => 4, "3.1.0" => 6))]
#[upgrade_from(0..=2, model = DiskV2)]
#[upgrade_from(3, model = ZonedDiskV3, when = has("zone"))]
#[upgrade_from(3, model = LocalDiskV3, when = local)]
#[upgrade_from(
    4,
    unsupported = "destroy the disk with release 2.0.0 and create it anew."
)]
#[upgrade_from(5, raw = from_stored)]
struct Disk {
    id: String,
    place: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_disk", version = 2, prior)]
struct DiskV2 {
    id: String,
    location: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_disk", version = 3, prior)]
struct ZonedDiskV3 {
    id: String,
    zone: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_disk", version = 3, prior)]
struct LocalDiskV3 {
    id: String,
    host: String,
}

impl From<DiskV2> for Disk {
    fn from(prior: DiskV2) -> Self {
        Self {
            id: prior.id,
            place: prior.location.unwrap_or_default(),
        }
    }
}

impl From<ZonedDiskV3> for Disk {
    fn from(prior: ZonedDiskV3) -> Self {
        Self {
            id: prior.id,
            place: format!("zone {}", prior.zone),
        }
    }
}

impl From<LocalDiskV3> for Disk {
    fn from(prior: LocalDiskV3) -> Self {
        Self {
            id: prior.id,
            place: format!("host {}", prior.host),
        }
    }
}

fn local(raw: RawState<'_>) -> bool {
    raw.json()
        .is_some_and(|json| json.windows(6).any(|bytes| bytes == b"\"host\""))
}

fn from_stored(raw: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<Disk, String> {
    let id = match raw {
        RawState::Json(json) => {
            let value = Value::from_untyped_json(json).map_err(|error| error.to_string())?;
            value
                .as_map()
                .and_then(|members| members.get("id")?.as_str())
                .ok_or("no id")?
                .to_owned()
        }
        RawState::Flatmap(map) => map.get("id").cloned().ok_or("no flat id")?,
        _ => "none".to_owned(),
    };
    assert_eq!(format!("{:?}", context.raw_state()), format!("{raw:?}"));
    Ok(Disk {
        id,
        place: format!("stored as {}", context.stored_version()),
    })
}

fn ask(version: u64, raw: RawState<'_>) -> UpgradeResponse {
    Registry::new()
        .with::<Disk>()
        .upgrade(&UpgradeRequest::new("example_disk", version, Some(raw)))
}

fn upgraded(version: u64, json: &str) -> Result<String, String> {
    let response = ask(version, RawState::Json(json.as_bytes()));
    match response.into_result() {
        Ok(state) => Ok(String::from_utf8(state).unwrap()),
        Err(diagnostics) => Err(diagnostics.to_string()),
    }
}

#[test]
fn a_range_reads_every_version_of_it_with_one_model() {
    for version in 0..=2 {
        assert_eq!(
            upgraded(version, r#"{"id":"a","location":"x"}"#).unwrap(),
            r#"{"id":"a","place":"x"}"#
        );
        assert_eq!(
            upgrade_json::<Disk>(version, r#"{"id":"a"}"#)
                .unwrap()
                .place,
            ""
        );
        assert_eq!(Disk::DEFINITION.route(version), [version, 6]);
    }
}

#[test]
fn of_several_shapes_of_one_version_the_declared_one_is_read() {
    assert_eq!(
        upgraded(3, r#"{"id":"a","zone":"z"}"#).unwrap(),
        r#"{"id":"a","place":"zone z"}"#
    );
    assert_eq!(
        upgraded(3, r#"{"host":"h","id":"a"}"#).unwrap(),
        r#"{"id":"a","place":"host h"}"#
    );
    // The first that fits counts, in the order written.
    assert_eq!(
        upgraded(3, r#"{"host":"h","id":"a","zone":"z"}"#).unwrap(),
        r#"{"id":"a","place":"zone z"}"#
    );
    // What is chosen is read strictly as that, and no other shape is tried after the chosen one
    // failed. A null counts where nothing else does.
    assert!(
        upgraded(3, r#"{"id":"a","zone":7,"host":"h"}"#)
            .unwrap()
            .contains("zone 7")
    );
    assert!(
        upgraded(3, r#"{"id":"a","zone":[],"host":"h"}"#)
            .unwrap_err()
            .contains("expected a string, found an array (at zone")
    );
    assert_eq!(
        upgraded(3, r#"{"host":"h","id":"a","zone":null}"#).unwrap(),
        r#"{"id":"a","place":"host h"}"#
    );
    assert!(
        upgraded(3, r#"{"id":"a","zone":null}"#)
            .unwrap_err()
            .contains("the stored value is null, but must not be (at zone")
    );
    assert_eq!(
        upgraded(3, r#"{"id":"a"}"#).unwrap_err(),
        "error: Unable to Upgrade Resource State\n\
         Several shapes were stored under version 3, and this state has none of them: `ZonedDiskV3` if it has `zone`; \
         `LocalDiskV3` if a function of the program says so. If nobody edited it, a release stored it so, and `Disk` lacks that shape: report this to the authors, with the names of its attributes.\n\n\
         Resource type example_disk, stored at schema version 3, current version 6, id \"a\"."
    );
    assert!(
        upgraded(3, r#"{"id":"a","zone":"#)
            .unwrap_err()
            .contains("not valid JSON")
    );
}

#[test]
fn a_version_that_was_given_up_says_what_to_do_instead() {
    assert_eq!(
        upgraded(4, r#"{"id":"a"}"#).unwrap_err(),
        "error: Unable to Upgrade Resource State\n\
         Version 4 is no longer supported: destroy the disk with release 2.0.0 and create it anew.\n\n\
         Resource type example_disk, stored at schema version 4, current version 6, id \"a\"."
    );
    assert!(Disk::DEFINITION.route(4).is_empty());
    assert_eq!(Disk::DEFINITION.supported_versions(), [0, 1, 2, 3, 5]);
}

#[test]
fn a_raw_upgrader_gets_what_is_stored_whatever_it_is() {
    assert_eq!(
        upgraded(5, r#"{"id":"a","anything":[1]}"#).unwrap(),
        r#"{"id":"a","place":"stored as 5"}"#
    );
    assert!(upgraded(5, "[]").unwrap_err().contains("no id"));
    let flat = BTreeMap::from([("id".to_owned(), "f".to_owned())]);
    let state =
        |response: UpgradeResponse| String::from_utf8(response.into_result().unwrap()).unwrap();
    assert_eq!(
        state(ask(5, RawState::Flatmap(&flat))),
        r#"{"id":"f","place":"stored as 5"}"#
    );
    assert_eq!(
        state(ask(5, RawState::Empty)),
        r#"{"id":"none","place":"stored as 5"}"#
    );
    // An upgrader with a model needs something to read.
    let nothing = ask(0, RawState::Empty)
        .into_result()
        .unwrap_err()
        .to_string();
    assert!(
        nothing
            .contains("There is no stored state: the request holds neither JSON nor a flat map."),
        "{nothing}"
    );
}

#[test]
fn nothing_at_all_is_refused_at_any_version() {
    for version in 0..8 {
        let response = Registry::new().with::<Disk>().upgrade(&UpgradeRequest::new(
            "example_disk",
            version,
            None,
        ));
        let text = response.into_result().unwrap_err().to_string();
        assert!(text.contains("The request holds no state at all"), "{text}");
    }
}

#[test]
fn releases_tell_where_state_comes_from() {
    assert!(
        upgraded(7, "{}")
            .unwrap_err()
            .contains("this release reads versions up to 6, which releases from 3.1.0 on write.")
    );
    let text = Registry::new()
        .with::<Kept>()
        .upgrade(&UpgradeRequest::json("example_kept", 1, b"{}"));
    assert_eq!(
        text.into_result().unwrap_err().to_string(),
        "error: Resource State Is Too Old\n\
         The state of example_kept was stored at schema version 1, by release 1.4.0 or later; this release upgrades from version 2 on. \
         Upgrade it first with an earlier release that still reads version 1, then with this one.\n\n\
         Resource type example_kept, stored at schema version 1, current version 2."
    );
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_kept", version = 2, oldest = 2, since("1.4.0" => 1, "2.0.0" => 2))]
struct Kept {
    id: Option<String>,
}

/// Reached through another model's range and operators.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_chain", version = 4)]
#[upgrade_from(3, model = ChainV3, rename(label => name))]
struct Chain {
    name: Option<String>,
}

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_chain", version = 3)]
#[upgrade_from(0..=1, model = ChainV1, carry)]
#[upgrade_from(2, raw = given_up, when = has("old"))]
#[upgrade_from(2, unsupported = "it never left the laboratory", when = lacks("old"))]
struct ChainV3 {
    label: Option<String>,
}

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_chain", version = 1, prior)]
struct ChainV1 {
    label: Option<String>,
}

fn given_up(_: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<ChainV3, Diagnostics> {
    Ok(ChainV3 {
        label: Some("raw".to_owned()),
    })
}

#[test]
fn kinds_of_upgraders_mix_in_one_chain() {
    for (version, json, name) in [
        (0, r#"{"label":"a"}"#, "a"),
        (1, r#"{"label":"b"}"#, "b"),
        (2, r#"{"old":1}"#, "raw"),
        (3, r#"{"label":"c"}"#, "c"),
    ] {
        assert_eq!(
            upgrade_json::<Chain>(version, json)
                .unwrap()
                .name
                .as_deref(),
            Some(name),
            "version {version}"
        );
    }
    assert_eq!(Chain::DEFINITION.route(0), [0, 3, 4]);
    let text = upgrade_json::<Chain>(2, "{}").unwrap_err().to_string();
    assert!(
        text.contains("Version 2 is no longer supported: it never left the laboratory"),
        "{text}"
    );
}
