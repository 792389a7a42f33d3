//! What generated code must not stumble over: upgraders, operators, moves and nested objects in a crate where nothing is in scope, where
//! names of the standard library mean something else, and where every lint is an error.

#![no_implicit_prelude]
#![deny(
    warnings,
    missing_docs,
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    unused_qualifications
)]
#![forbid(unsafe_code)]
#![expect(
    missing_debug_implementations,
    reason = "the models here are not printed"
)]

#[path = "pass/functions.rs"]
pub mod functions;
#[path = "pass/keywords.rs"]
pub mod keywords;
#[path = "pass/moves.rs"]
pub mod moves;
#[path = "pass/objects.rs"]
pub mod objects;
#[path = "pass/operators.rs"]
pub mod operators;
#[path = "pass/shadowed.rs"]
pub mod shadowed;
#[path = "pass/upgraders.rs"]
pub mod upgraders;
#[path = "pass/wide.rs"]
pub mod wide;

/// What `json` of version `version` becomes.
#[expect(clippy::panic, reason = "the test fails")]
fn upgraded<T: ::upstate::Resource>(version: u64, json: &str) -> T {
    match ::upstate::upgrade_json(version, json) {
        ::std::result::Result::Ok(model) => model,
        ::std::result::Result::Err(error) => ::std::panic!("{error:?}"),
    }
}
