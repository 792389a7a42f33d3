//! Documents: what they read and write beside serde, their versions, their lock. One program,
//! because each is compiled and linked with all that documents need; only the recorded cases of
//! `cases.rs` have theirs, because they are as long as all of these.

mod both_paths;
mod both_ways;
mod flattened;
mod json_schema;
mod lenient;
mod lock;
mod repeated;
mod rest;
mod rows_from_serde;
mod settings_in_toml;
mod turns;
mod variants;
mod versions;
