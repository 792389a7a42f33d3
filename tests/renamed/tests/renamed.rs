//! `crate = …`: this test knows the runtime under the name `renamed` only, so any other path in
//! generated code would not compile.

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
        Self {
            rule: Rule { name: prior.name },
        }
    }
}

/// Operators, moves and an `async fn`.
#[derive(Debug, PartialEq, Resource)]
#[resource(version = 2, crate = ::renamed, identity = ThingV0)]
#[upgrade_from(0, model = ThingV0, rename(name => label), set(size = SIZE), only_if(has(name), warn("it has a name")))]
#[upgrade_from(1, model = LabelV1, with = look_up, async)]
#[move_from(type_name = "thing", model = ThingV0, rename(name => label), default(size = 1))]
struct Label {
    label: String,
    size: i64,
}

const SIZE: i64 = 3;

#[derive(Resource)]
#[resource(version = 1, prior, crate = ::renamed)]
struct LabelV1 {
    id: String,
}

async fn look_up(
    prior: LabelV1,
    _context: &mut renamed::UpgradeContext<'_>,
) -> Result<Label, String> {
    std::future::ready(()).await;
    Ok(Label {
        label: prior.id,
        size: 0,
    })
}

#[test]
fn the_runtime_may_have_another_name() {
    let thing: Thing = renamed::upgrade_json(0, r#"{"name": "a"}"#).unwrap();
    assert_eq!(
        thing,
        Thing {
            rule: Rule { name: "a".into() }
        }
    );
    let label: Label = renamed::upgrade_json(0, r#"{"name": "a"}"#).unwrap();
    assert_eq!(
        label,
        Label {
            label: "a".into(),
            size: 3
        }
    );
}
