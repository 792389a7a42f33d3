//! A program of release 2.5.0 whose lock remembers release 2.4.1, for tests of what is said about the step between them.

mod bucket;
mod rule;

use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::{Registry, ResourceDefinition};

fn registry() -> Registry {
    let schema = Schema::new(0, Block::new([Attribute::new("title", Type::String, Presence::Required)]));
    let note = ResourceDefinition::builder("acme_note", schema).build().unwrap();
    let mut registry = Registry::new().with::<bucket::Bucket>().with::<bucket::Topic>();
    registry.insert(note);
    registry
}

fn main() -> std::process::ExitCode {
    upstate_cli::main!(registry())
}
