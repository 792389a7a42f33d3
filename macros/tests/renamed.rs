//! `crate = …`: this test knows the runtime under the name `renamed` only, so any other path in generated code would not compile.

use renamed::{Object, Resource};

/// The runtime, reached through this crate.
mod reexport {
    pub(crate) use renamed as runtime;
}

/// A path that starts at a crate.
#[derive(Debug, PartialEq, Resource)]
#[resource(version = 1, crate = ::renamed)]
#[upgrade_from(0, model = ThingV0)]
struct Thing {
    rule: Rule,
}

/// A path that starts at this crate.
#[derive(Resource)]
#[resource(version = 0, crate = crate::reexport::runtime)]
struct ThingV0 {
    name: String,
}

#[derive(Debug, PartialEq, Object)]
#[object(crate = ::renamed)]
struct Rule {
    name: String,
}

impl From<ThingV0> for Thing {
    fn from(prior: ThingV0) -> Self {
        Self { rule: Rule { name: prior.name } }
    }
}

#[test]
fn the_runtime_may_have_another_name() {
    let thing: Thing = renamed::upgrade_json(0, r#"{"name": "a"}"#).unwrap();
    assert_eq!(thing, Thing { rule: Rule { name: "a".into() } });
}
