//! The engine from outside: how states are read, upgraded, taken back and refused, whatever is
//! stored.

#![allow(clippy::unwrap_used, reason = "tests")]

mod absent_blocks;
mod all_paths;
mod asynchronous;
mod asynchronous_command_line;
mod batch;
mod blame;
mod both_paths;
mod conformance;
mod dates;
mod decoding;
mod deep;
mod diagnostics;
mod differences;
mod document;
mod downgrades;
mod dropped;
mod fast_path;
mod flat_state;
mod flows;
mod functions_of_several_fields;
mod guards;
#[path = "../real/memory.rs"]
mod memory;
mod mistakes;
mod moves;
mod null_state;
mod operators;
mod operators_page;
mod properties;
mod ranges;
mod readme;
mod real_upgrades;
mod requests;
mod scalars_and_maps;
mod secrets;
mod sensitive;
mod source_places;
mod state_file;
mod stored_forms;
mod testing;
mod unforeseen_states;
mod upgraders;
mod with_serde;
