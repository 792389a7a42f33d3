//! What upstate costs, beside the code and the crates one would use without it.
//!
//! - `cargo run --release -p upstate-benches --bin ratios`: every budget on run time, as ratios
//!   taken in one run.
//! - `cargo run --release -p upstate-benches --no-default-features --features peers --bin documents`:
//!   documents in JSON and TOML, beside the libraries that read them.
//! - `cargo run --release -p upstate-benches --no-default-features --features kube --bin kube`:
//!   conversions of a custom resource, beside serde_json.
//! - `cargo run --release -p upstate-benches --no-default-features --bin counts`: instructions,
//!   compared with those on record.
//! - `cargo run --release -p upstate-benches --bin engine`: what the engine, the registry and
//!   batches add to an upgrade.
//! - `cargo run --release -p upstate-benches --no-default-features --bin lines`: stored states one
//!   a line, through pipes.
//! - `cargo run --release -p upstate-benches --no-default-features --bin state_file_scale`: a state
//!   file of 100 000 instances.
//! - `cargo run --release -p upstate-benches --bin build_cost`: what a model costs to compile.
//! - `cargo run --release -p upstate-benches --bin service`: what the State Versions service adds
//!   to its store.
//! - `cargo bench -p upstate-benches`: the same upgrades under criterion, to compare two revisions
//!   of upstate.

pub mod allocations;
pub mod case;
pub mod chart;
pub mod measure;
pub mod table;
pub mod workloads;
