//! Three resources of three versions each, and every way of upgrading them that is measured.
//!
//! The documents of all versions are built from the same parameters, and so is what is expected of
//! an upgrade: no code that migrates anything takes part in it.

pub mod chain;
pub mod documents;
pub mod generate;
pub mod large;
#[cfg(feature = "peers")]
mod magic;
pub mod medium;
#[cfg(feature = "peers")]
mod native;
pub mod nested;
#[cfg(test)]
mod rows;
pub mod settings;
pub mod small;
pub mod state_file;

use std::error::Error;

use serde_json::Value;
use upstate::codec::Encoding;
use upstate::{CurrentModel, Registry, UpgradeRequest};

use crate::case::Case;

/// What hand-written upgrades fail with.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// One resource as each version stores it.
#[derive(Debug, Clone)]
pub struct Document(pub [Value; 3]);

/// A resource and everything that upgrades it.
pub struct Workload {
    pub name: &'static str,
    pub documents: Vec<Document>,
    /// Version 0 to 2, JSON to JSON, by name of the type through the registry.
    pub upstate: Case,
    /// That, answered in MessagePack.
    pub upstate_msgpack: Case,
    /// That, through upgraders written with operators.
    pub declared: Declared,
    /// JSON to JSON with serde's derives and a `match` on the version.
    pub by_hand: Case,
    /// JSON to MessagePack with `rmp_serde`.
    pub by_hand_msgpack: Case,
    /// Version 2 into the struct.
    pub decode: Case,
    /// That, with `serde_json::from_slice`.
    pub decode_by_hand: Case,
    /// Version 0 to 2 by other means.
    pub peers: Vec<Case>,
}

/// Upgrades from version 0 to 2 through upgraders written with operators.
pub struct Declared {
    /// JSON to JSON, by name of the type through the registry.
    pub json: Case,
    /// That, answered in MessagePack.
    pub msgpack: Case,
    /// JSON to JSON with a prepared upgrade, appended to a buffer of the caller's.
    pub prepared: Case,
}

impl Declared {
    /// The upgrades of the model `T`.
    fn of<T: CurrentModel>(type_name: &'static str, stored: &[Vec<u8>]) -> Self {
        let registry: &'static Registry = Box::leak(Box::new(Registry::new().with::<T>()));
        let upgrade = registry
            .prepare(type_name, 0)
            .expect("the type is registered");
        let prepared = move |json: &str, out: &mut Vec<u8>| {
            upgrade
                .upgrade_into(json, Encoding::Json, out)
                .expect("the document upgrades");
        };
        Self {
            json: Case::json(
                "operators",
                stored.to_vec(),
                through(registry, type_name, Encoding::Json),
            ),
            msgpack: Case::msgpack(
                "operators, MessagePack",
                stored.to_vec(),
                through(registry, type_name, Encoding::Msgpack),
            ),
            prepared: Case::appending("operators, prepared", stored.to_vec(), prepared),
        }
    }

    /// All of them.
    pub fn cases(&self) -> [&Case; 3] {
        [&self.json, &self.msgpack, &self.prepared]
    }
}

impl Workload {
    /// All of them: the three sizes, the smallest first, then what is odd.
    pub fn all() -> [Self; 5] {
        [
            small::workload(),
            medium::workload(),
            large::workload(),
            chain::workload(),
            nested::workload(),
        ]
    }

    /// Compares what every case answers with what it should.
    ///
    /// # Panics
    /// If an answer is wrong.
    pub fn check(&self) {
        let expected: Vec<Value> = self
            .documents
            .iter()
            .map(|Document([_, _, current])| current.clone())
            .collect();
        let upstate = [&self.upstate, &self.upstate_msgpack, &self.decode];
        let by_hand = [&self.by_hand, &self.by_hand_msgpack, &self.decode_by_hand];
        for case in upstate
            .into_iter()
            .chain(self.declared.cases())
            .chain(by_hand)
            .chain(&self.peers)
        {
            case.check(self.name, &expected);
        }
    }
}

/// The documents as version `version` stores them: compact, names sorted.
pub fn stored(documents: &[Document], version: usize) -> Vec<Vec<u8>> {
    documents
        .iter()
        .map(|document| serde_json::to_vec(&document.0[version]).expect("a value is JSON"))
        .collect()
}

/// The lines of a program that are neither empty nor comments.
fn lines(source: &str) -> usize {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    source.lines().filter(is_code).count()
}

/// The stored version 0 as version-migrate wants it: its version inside the document, as a string.
#[cfg(feature = "peers")]
fn enveloped(documents: &[Document]) -> Vec<Vec<u8>> {
    let wrap = |document: &Document| {
        format!(r#"{{"version":"0.0.0","data":{}}}"#, document.0[0]).into_bytes()
    };
    documents.iter().map(wrap).collect()
}

/// An upgrade of version 0 through `registry`, as a program does that reads state of any type.
pub fn through(
    registry: &Registry,
    type_name: &'static str,
    encoding: Encoding,
) -> impl Fn(&[u8]) -> Vec<u8> + Clone + 'static {
    let registry = registry.clone();
    move |json| {
        let request = UpgradeRequest::json(type_name, 0, json).with_encoding(encoding);
        registry
            .upgrade(&request)
            .into_result()
            .expect("the document upgrades")
    }
}

/// An upgrade of version 0 by a function that takes the version at run time.
pub fn by_hand(
    upgrade: fn(u64, &[u8]) -> Result<Vec<u8>, BoxError>,
) -> impl Fn(&[u8]) -> Vec<u8> + Clone + 'static {
    move |json| upgrade(std::hint::black_box(0), json).expect("the document upgrades")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_answers_right() {
        for workload in Workload::all() {
            workload.check();
        }
    }

    #[test]
    fn documents_have_their_sizes() {
        let sizes = Workload::all().map(|workload| workload.upstate.mean_bytes());
        assert!(
            sizes[0] < 120
                && (3_500..4_500).contains(&sizes[1])
                && (38_000..43_000).contains(&sizes[2])
                && sizes[3] < 500
                && (4_000..6_500).contains(&sizes[4]),
            "{sizes:?}"
        );
    }

    #[test]
    fn version_1_upgrades_too() {
        fn check(
            workload: &Workload,
            registry: &Registry,
            type_name: &str,
            by_hand: fn(u64, &[u8]) -> Result<Vec<u8>, BoxError>,
        ) {
            for (json, Document([_, _, expected])) in stored(&workload.documents, 1)
                .iter()
                .zip(&workload.documents)
            {
                let ours = registry
                    .upgrade(&UpgradeRequest::json(type_name, 1, json))
                    .into_result()
                    .unwrap();
                assert!(crate::case::same(
                    &serde_json::from_slice(&ours).unwrap(),
                    expected
                ));
                assert!(crate::case::same(
                    &serde_json::from_slice(&by_hand(1, json).unwrap()).unwrap(),
                    expected
                ));
            }
        }
        let registry = Registry::new()
            .with::<small::Thing>()
            .with::<medium::Instance>()
            .with::<large::Policy>();
        check(
            &small::workload(),
            &registry,
            "example_thing",
            small::upgrade_by_hand,
        );
        check(
            &medium::workload(),
            &registry,
            "example_instance",
            medium::upgrade_by_hand,
        );
        check(
            &large::workload(),
            &registry,
            "example_policy",
            large::upgrade_by_hand,
        );
    }
}
