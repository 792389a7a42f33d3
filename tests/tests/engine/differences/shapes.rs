//! What the compiler proves upgraders with, what is printed as the shape of a version, and what the
//! engine reads state with are one shape.

use std::collections::BTreeMap;

use upstate::upgrade::History;
use upstate::{Object, Registry, UpgradeRequest};
use upstate_compat::lock::Lock;
use upstate_compat::{Release, Snapshot};

/// Compares the fingerprint of each version that const evaluation worked with and of the schema
/// that is made for the program, which `schema`, `explain` and the lock print. The number of
/// versions.
#[track_caller]
pub fn agree(registry: &Registry) -> usize {
    let mut lock = Lock::default();
    let release: Release = "1.0.0".parse().unwrap();
    lock.freeze(&Snapshot::of(registry).at(release.clone()), release)
        .unwrap();
    let histories = registry
        .definitions()
        .filter_map(|definition| Some((definition.type_name(), definition.history()?)));
    let compared: Vec<String> = histories
        .flat_map(|(type_name, history)| one(&lock, type_name, history))
        .collect();
    let problems: Vec<&String> = compared
        .iter()
        .filter(|problem| !problem.is_empty())
        .collect();
    assert!(problems.is_empty(), "{problems:#?}");
    compared.len()
}

/// What is wrong with each version; an empty string where nothing is.
fn one(lock: &Lock, type_name: &str, history: &'static History) -> Vec<String> {
    let mut compared = Vec::new();
    for prior in history.steps().iter().filter_map(|step| step.prior()) {
        let version = prior.version();
        let proven = format!("{:016x}", prior.fingerprint());
        let entry = lock.get(type_name, version);
        let printed = entry.map(upstate_compat::lock::Entry::fingerprint);
        // Of several shapes of one version, the lock holds the first, and the numbers of the
        // others.
        let is_one = printed.as_ref() == Some(&proven)
            || entry.is_some_and(|entry| entry.resource().alternatives.contains(&proven));
        compared.push(if is_one {
            String::new()
        } else {
            format!("{type_name} {version}: proven {proven}, printed {printed:?}")
        });
        compared.append(&mut one(lock, type_name, prior));
    }
    compared
}

#[derive(Debug, Object)]
pub struct Plain {
    name: String,
}

#[derive(Debug, Object)]
pub struct WithBlocks {
    name: Option<String>,
    #[block]
    inner: Vec<Plain>,
}

type Text = Option<String>;
type Texts = BTreeMap<String, String>;

/// For each thing that a field is now, models in which it was each of these before, at the top and
/// inside of blocks; with a stored value.
macro_rules! fields {
    ($($name:ident $now:tt)+) => {
        $(fields! { @priors $name $now
            optional_string [x: Option<String>] r#""a""#
            alias [x: Text] r#""a""#
            number [x: i64] "1"
            strings [x: Vec<String>] r#"["a"]"#
            map [x: Option<BTreeMap<String, String>>] r#"{"a": "b"}"#
            map_alias [x: Texts] r#"{"a": "b"}"#
            object [x: Plain] r#"{"name": "a"}"#
            objects [x: Vec<Plain>] r#"[{"name": "a"}]"#
            optional_object [x: Option<Plain>] r#"{"name": "a"}"#
            map_of_objects [x: BTreeMap<String, Plain>] r#"{"k": {"name": "a"}}"#
            in_place [x: Option<Vec<{ name: String, labels: Option<Texts> }>>] r#"[{"name": "a", "labels": {"a": "b"}}]"#
            blocks [#[block] x: Vec<WithBlocks>] r#"[{"name": "a", "inner": [{"name": "b"}]}]"#
            block [#[block(max = 1)] x: Option<WithBlocks>] r#"{"name": "a", "inner": [{"name": "b"}]}"#
            blocks_in_place [#[block] x: Vec<{ #[block] inner: Vec<Plain> }>] r#"[{"inner": [{"name": "b"}]}]"#
            attribute [#[attribute(computed)] x: Vec<Plain>] r#"[{"name": "a"}]"#
        })+

        /// All of them, with the stored value of the field.
        fn all() -> Vec<(Registry, &'static str)> {
            let mut all = Vec::new();
            $($name::all(&mut all);)+
            all
        }
    };
    (@priors $now_is:ident $now:tt $($was:ident [$($prior:tt)+] $stored:literal)+) => {
        mod $now_is {
            use super::Registry;

            $(mod $was {
                #[allow(unused_imports)]
                use super::super::{BTreeMap, Plain, Text, Texts, WithBlocks};

                #[derive(upstate::Resource)]
                #[resource(type_name = "at_the_top", version = 1)]
                #[upgrade_from(0 => 1, drop($($prior)+, "it was something else"), rename(y => x))]
                pub struct Top $now

                #[derive(upstate::Object)]
                pub struct Holder $now

                #[derive(upstate::Resource)]
                #[resource(type_name = "inside", version = 1)]
                #[upgrade_from(0 => 1, within(o, drop($($prior)+, "it was something else"), rename(y => x)))]
                pub struct Inside {
                    #[block]
                    o: Vec<Holder>,
                }
            })+

            pub fn all(all: &mut Vec<(Registry, &'static str)>) {
                $(all.push((Registry::new().with::<$was::Top>().with::<$was::Inside>(), $stored));)+
            }
        }
    };
}

fields! {
    blocks { #[block] x: Vec<Plain> }
    block { #[block(max = 1)] x: Option<Plain> }
    map_of_blocks { #[block] x: BTreeMap<String, Plain> }
    blocks_with_blocks { #[block] x: Vec<WithBlocks> }
    objects { x: Option<Vec<Plain>> }
    object { x: Option<Plain> }
    string { #[attribute(sensitive)] x: Option<String> }
    map { x: Option<BTreeMap<String, String>> }
}

#[test]
fn every_field_is_read_as_it_is_proven_and_printed() {
    for (registry, stored) in all() {
        assert_eq!(agree(&registry), 2);
        for (type_name, json) in [
            ("at_the_top", format!(r#"{{"x": {stored}}}"#)),
            ("inside", format!(r#"{{"o": [{{"x": {stored}}}]}}"#)),
        ] {
            let response = registry.upgrade(&UpgradeRequest::json(type_name, 0, json.as_bytes()));
            assert!(
                response.diagnostics().is_empty(),
                "{json}: {}",
                response.diagnostics()
            );
            // All of it is of the shape, and all of it ends.
            let undefined: Vec<String> = response
                .undefined()
                .iter()
                .map(ToString::to_string)
                .collect();
            assert!(undefined.is_empty(), "{type_name} {json}: {undefined:?}");
            assert_eq!(
                response.dropped().len(),
                1,
                "{type_name} {json}: {:?}",
                response.dropped()
            );
        }
    }
}

#[test]
fn the_real_histories_agree() {
    let compared = agree(&upstate_examples::registry());
    assert!(compared > 40, "{compared} prior versions");
}
