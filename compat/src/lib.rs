//! Compatibility between releases: every change to a schema found, named and judged.
//!
//! [`compare`] takes two [`Snapshot`]s, what the last release served and what the next one will,
//! and answers with a [`Report`]: one [`Finding`] a change, each by a [`Rule`] with a stable name.
//! A change is judged on six [`Axis`]es, because they are independent: what breaks no configuration
//! may still make stored state unreadable.
//!
//! ```
//! use upstate_compat::{Options, Semver, Snapshot, compare};
//! use upstate::{Registry, Resource};
//!
//! #[derive(Resource)]
//! #[resource(type_name = "example_note", version = 0)]
//! struct Released { title: String, colour: Option<String> }
//!
//! #[derive(Resource)]
//! #[resource(type_name = "example_note", version = 0)]
//! struct Edited { title: String }
//!
//! let old = Snapshot::of(&Registry::new().with::<Released>()).at("1.4.0".parse()?);
//! let new = Snapshot::of(&Registry::new().with::<Edited>()).at("1.5.0".parse()?);
//! let report = compare(&old, &new, &Options::default());
//!
//! let rules: Vec<&str> = report.findings.iter().map(|finding| finding.rule.id()).collect();
//! let expected = ["release-bump-insufficient", "schema-version-not-bumped", "attribute-removed", "removed-without-deprecation"];
//! assert_eq!(rules, expected);
//! assert_eq!(report.required_bump, Semver::Major);
//! assert!(!report.ok);
//! # Ok::<(), upstate_compat::ReleaseError>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
// Without wildcards, the compiler points at every match where a new variant of our own enums must
// be handled.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

// By the name that it has for programs, since these depend on `upstate`, which has the derives. So do
// the tests.
#[cfg(not(test))]
extern crate upstate_runtime as upstate;

mod api;
mod date;
mod declared;
mod engine;
mod finding;
mod fingerprint;
mod fixtures;
mod forms;
mod guide;
mod impact;
pub mod import;
mod inside;
mod json_schema;
mod kind;
pub mod lanes;
pub mod lock;
mod models;
mod options;
mod provider_schemas;
mod release;
mod report;
mod rule;
mod rules;
mod snapshot;
mod stored_type;
mod untagged;
mod upgraders;
mod witness;

pub use api::{ApiVersionSnapshot, CustomResourceSnapshot};
pub use date::{Date, DateError};
pub use engine::compare;
pub use finding::{Finding, Waived, Waiver};
pub use guide::{Guide, GuideEntry, GuideNote};
pub use json_schema::json_schema;
pub use kind::Kind;
pub use options::{
    DeprecationWindow, FailOn, LevelSetting, Options, Preset, RuleSetting, StatePolicy,
};
pub use release::{Release, ReleaseError, Semver};
pub use report::{Planned, Report, ResourceVerdict, Warns};
pub use rule::{Axis, Bump, Level, Rule, Words};
pub use rules::RULES;
pub use snapshot::{
    AttributeSnapshot, Behaviour, BlockSnapshot, Deprecation, FixtureOutcome, Group, GroupKind,
    IdentitySnapshot, Names, NestedSnapshot, Nesting, RemovedAttribute, ResourceSnapshot,
    Signature, Snapshot,
};
pub use stored_type::StoredType;
pub use upgraders::Upgrader;
