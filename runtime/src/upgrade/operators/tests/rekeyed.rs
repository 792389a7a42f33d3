//! Objects that `rekey` takes out of a list or out of a map, and that are upgraded themselves:
//! their key is lost on neither side.

use std::collections::{BTreeMap, BTreeSet};

use crate::schema::Schema;
use crate::upgrade::verdict::{Verdict, Verdicts};
use crate::upgrade::{DowngradeRequest, ResourceDefinition, UpgradeRequest, dropped, renames};
use crate::{CurrentModel, Object, Registry, Resource};

/// A set of objects is a map of them, which have another member each.
#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths: BTreeSet<BerthV0>, by = number))]
struct Dock {
    berths: BTreeMap<String, Berth>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = BerthV0, rename(deep => depth))]
struct Berth {
    depth: Option<String>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Object)]
struct BerthV0 {
    deep: Option<String>,
    number: u16,
}

/// As [`Dock`], with a `drop` as it had to be written once.
#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths: BTreeSet<BerthV0>, by = number))]
struct DockThatDrops {
    berths: BTreeMap<String, BerthThatDrops>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = BerthV0, rename(deep => depth), drop(number, "it is the key now"))]
struct BerthThatDrops {
    depth: Option<String>,
}

/// As [`Dock`], without structs of the prior version.
#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths, by = number: u16), rename(berths.deep => berths.depth))]
struct DockByPaths {
    berths: BTreeMap<String, BerthOfPaths>,
}

#[derive(Debug, Object)]
struct BerthOfPaths {
    depth: Option<String>,
}

/// The key is a member under another name as well.
#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths: BTreeSet<BerthV0>, by = number))]
struct DockThatKeeps {
    berths: BTreeMap<String, BerthThatKeeps>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = BerthV0, rename(deep => depth, number => nr))]
struct BerthThatKeeps {
    depth: Option<String>,
    nr: Option<u16>,
}

/// A map of objects is a list of them, which have another member each.
#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths: BTreeMap<String, NamedV0>, by = name))]
struct Listed {
    berths: BTreeSet<Named>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Object)]
#[upgrade_from(model = NamedV0, rename(deep => depth))]
struct Named {
    depth: Option<String>,
    name: String,
}

#[derive(Debug, Object)]
struct NamedV0 {
    deep: Option<String>,
}

/// As [`Listed`], without structs of the prior version.
#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths, by = name), rename(berths.deep => berths.depth))]
struct ListedByPaths {
    berths: BTreeSet<NamedOfPaths>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Object)]
struct NamedOfPaths {
    depth: Option<String>,
    name: String,
}

const LIST: &str = r#"{"berths":[{"deep":"4.5","number":7},{"deep":null,"number":8}]}"#;
const MAP: &str = r#"{"berths":{"7":{"depth":"4.5"},"8":{"depth":null}}}"#;
const NAMES: &str = r#"{"berths":{"7":{"deep":"4.5"},"8":{"deep":null}}}"#;
/// A set, in the order of such values.
const NAMED: &str = r#"{"berths":[{"depth":null,"name":"8"},{"depth":"4.5","name":"7"}]}"#;

/// The upgraded state; nothing of it is reported as dropped, and going back gives the stored state
/// again.
fn upgraded<T: CurrentModel>(stored: &str) -> String {
    let registry = Registry::new().with::<T>();
    let response = registry.upgrade(&UpgradeRequest::json("example_dock", 0, stored.as_bytes()));
    assert_eq!(response.dropped(), &[], "{stored}");
    let text = |state: Option<&[u8]>, why: String| {
        String::from_utf8(state.unwrap_or_else(|| panic!("{why}")).to_vec()).unwrap()
    };
    let current = text(response.state(), response.diagnostics().to_string());
    let back = registry.downgrade(&DowngradeRequest::json(
        "example_dock",
        1,
        0,
        current.as_bytes(),
    ));
    let again = text(
        back.state(),
        format!("{}, {:?}", back.diagnostics(), back.losses()),
    );
    assert_eq!(again, stored, "there and back");
    current
}

fn verdicts<T: CurrentModel>() -> Verdicts {
    T::HISTORY.verdicts(&T::HISTORY.steps()[0])
}

#[test]
fn the_key_of_upgraded_elements_is_the_key_of_the_map_and_nothing_else_of_them_is() {
    assert_eq!(upgraded::<Dock>(LIST), MAP);
    assert_eq!(upgraded::<DockThatDrops>(LIST), MAP);
    assert_eq!(upgraded::<DockByPaths>(LIST), MAP);
}

#[test]
fn an_operator_may_take_the_key_as_well() {
    assert_eq!(
        upgraded::<DockThatKeeps>(LIST),
        r#"{"berths":{"7":{"depth":"4.5","nr":7},"8":{"depth":null,"nr":8}}}"#
    );
}

#[test]
fn the_key_of_a_map_is_a_member_of_upgraded_elements() {
    assert_eq!(upgraded::<Listed>(NAMES), NAMED);
    assert_eq!(upgraded::<ListedByPaths>(NAMES), NAMED);
}

#[test]
fn a_verdict_does_not_call_the_key_lost() {
    for (name, Verdicts { up, down }) in [
        ("Dock", verdicts::<Dock>()),
        ("DockThatDrops", verdicts::<DockThatDrops>()),
        ("Listed", verdicts::<Listed>()),
        ("ListedByPaths", verdicts::<ListedByPaths>()),
    ] {
        assert_eq!(up.verdict(), Verdict::Lossless, "{name}: {up}");
        let is_key = |path: &str| matches!(path, "berths.number" | "berths.name");
        let of_key: Vec<_> = up
            .remarks()
            .iter()
            .chain(down.remarks())
            .filter(|remark| is_key(&remark.path))
            .collect();
        assert!(of_key.is_empty(), "{name}: {of_key:?}");
    }
    assert_eq!(
        verdicts::<DockByPaths>().up.to_string(),
        "lossy: berths (the order of the elements)"
    );
    assert_eq!(verdicts::<Listed>().down.verdict(), Verdict::Lossless);
    let keeps = verdicts::<DockThatKeeps>().down.to_string();
    assert!(
        keeps.contains("berths.number (a key that differs from the member that is made of it)"),
        "{keeps}"
    );
}

#[test]
fn what_went_into_the_key_of_a_map_or_out_of_it_is_known() {
    for history in [Dock::HISTORY, DockThatDrops::HISTORY, DockByPaths::HISTORY] {
        let to = renames(history, 0);
        assert_eq!(
            to.get(&["berths", "number"][..]),
            Some(&BTreeSet::from([vec!["berths"]])),
            "{to:?}"
        );
        assert_eq!(
            to.get(&["berths", "deep"][..]),
            Some(&BTreeSet::from([vec!["berths", "depth"]])),
            "{to:?}"
        );
        assert_eq!(dropped(history, 0), BTreeMap::new());
    }
    for history in [Listed::HISTORY, ListedByPaths::HISTORY] {
        let to = renames(history, 0);
        assert_eq!(
            to.get(&["berths"][..]),
            Some(&BTreeSet::from([vec!["berths", "name"]])),
            "{to:?}"
        );
    }
}

#[test]
fn a_key_has_the_type_that_is_written_or_is_a_string() {
    let stored = |definition: &'static ResourceDefinition| {
        let [prior] = &definition.prior_schemas()[..] else {
            panic!("one version")
        };
        Schema::new(0, prior.block.clone())
            .implied_type()
            .to_string()
    };
    let expected =
        r#"["object",{"berths":["list",["object",{"deep":"string","number":"number"}]]}]"#;
    assert_eq!(stored(DockByPaths::DEFINITION), expected);
    assert_eq!(stored(Dock::DEFINITION), expected.replace("list", "set"));
    assert_eq!(
        stored(ListedByPaths::DEFINITION),
        r#"["object",{"berths":["map",["object",{"deep":"string"}]]}]"#
    );
}

/// The keys of the map were the names, which must not be shown.
#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths, by = name))]
struct Secret {
    berths: Vec<SecretlyNamed>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths, key = name, value = depth))]
struct SecretPairs {
    berths: Vec<SecretlyNamed>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rename(docks => berths), rekey(berths, by = name))]
struct SecretAndRenamed {
    berths: Vec<SecretlyNamed>,
}

#[derive(Debug, Object)]
struct SecretlyNamed {
    #[attribute(sensitive)]
    name: String,
    depth: Option<String>,
}

/// The map hides what the list hid.
#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths: Vec<SecretlyNamed>, by = name))]
struct SecretMap {
    #[attribute(sensitive)]
    berths: BTreeMap<String, BerthOfPaths>,
}

#[test]
fn keys_that_become_a_secret_member_were_secret() {
    for definition in [
        Secret::DEFINITION,
        SecretPairs::DEFINITION,
        SecretAndRenamed::DEFINITION,
    ] {
        let [prior] = &definition.prior_schemas()[..] else {
            panic!("one version")
        };
        let [berths] = prior.block.attributes() else {
            panic!("one attribute")
        };
        assert!(berths.is_secret(), "{berths:?}");
    }
    let registry = Registry::new().with::<Secret>();
    let response = registry.upgrade(&UpgradeRequest::json(
        "example_dock",
        0,
        br#"{"berths":{"hunter2":{"depth":[]}}}"#,
    ));
    let shown = response.diagnostics().to_string();
    assert!(
        response.state().is_none() && !shown.contains("hunter2"),
        "{shown}"
    );
}

/// A prior struct says nothing of the keys.
#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0, model = SecretModelV0, rekey(berths, by = name))]
struct SecretModel {
    berths: Vec<SecretlyNamed>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 0)]
struct SecretModelV0 {
    berths: BTreeMap<String, BerthWithName>,
}

#[derive(Debug, Object)]
struct BerthWithName {
    name: Option<String>,
    depth: Option<String>,
}

#[test]
fn keys_that_are_a_secret_now_are_in_no_path() {
    let registry = Registry::new().with::<SecretModel>();
    let stored = br#"{"berths":{"hunter2":{"name":"other","depth":null}}}"#;
    let response = registry.upgrade(&UpgradeRequest::json("example_dock", 0, stored));
    let shown = format!("{} {:?}", response.diagnostics(), response.diagnostics());
    assert!(
        shown.contains("has a \"name\" already") && !shown.contains("hunter2"),
        "{shown}"
    );
}

#[test]
fn a_secret_key_that_two_elements_have_is_not_shown() {
    let registry = Registry::new().with::<SecretMap>();
    let stored = br#"{"berths":[{"name":"hunter2","depth":null},{"name":"hunter2","depth":null}]}"#;
    let response = registry.upgrade(&UpgradeRequest::json("example_dock", 0, stored));
    let shown = response.diagnostics().to_string();
    assert!(
        shown.contains("two elements have a string (sensitive)") && !shown.contains("hunter2"),
        "{shown}"
    );
}
