//! A program of release 2.5.0 whose lock remembers release 2.4.1, for tests of what is said about
//! the step between them.

mod bucket;
mod rule;

use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::{Registry, ResourceDefinition};

fn registry() -> Registry {
    let schema = Schema::new(
        0,
        Block::new([Attribute::new("title", Type::String, Presence::Required)]),
    );
    let note = ResourceDefinition::builder("acme_note", schema)
        .unsupported(0..=u64::MAX)
        .build()
        .unwrap();
    let mut registry = Registry::new()
        .with::<bucket::Bucket>()
        .with::<bucket::Topic>();
    registry.insert(note);
    registry
}

fn main() -> std::process::ExitCode {
    // As a program whose author does not use the macro: it knows no version of its own.
    if std::env::var_os("ACME_UNNUMBERED").is_some() {
        return upstate_cli::main(registry());
    }
    upstate_cli::main!(registry())
}
