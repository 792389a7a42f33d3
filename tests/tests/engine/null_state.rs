//! A stored state that is null, where an object should be.

use upstate::{Registry, Resource, UpgradeRequest};

#[derive(Debug, Resource)]
#[resource(type_name = "example_lamp", version = 2)]
#[upgrade_from(1, model = LampV1, rename(colour => color))]
#[upgrade_from(0, model = LampV0)]
struct Lamp {
    color: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lamp", version = 1, prior)]
struct LampV1 {
    colour: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lamp", version = 0)]
struct LampV0 {
    colour: String,
}

impl From<LampV0> for Lamp {
    fn from(prior: LampV0) -> Self {
        Self {
            color: prior.colour,
        }
    }
}

#[test]
fn null_is_told_of_as_what_is_stored_whatever_the_upgrader() {
    let registry = Registry::new().with::<Lamp>();
    let said = |version| {
        let response = registry.upgrade(&UpgradeRequest::json("example_lamp", version, b" null "));
        response.into_result().unwrap_err().to_string()
    };
    for version in 0..=2 {
        let begins = format!(
            "error: Unable to Read Previously Saved State\nThe stored state does not fit schema version {version}: "
        );
        let said = said(version);
        assert!(said.starts_with(&begins), "{said}");
    }
    assert!(
        said(1).contains("schema version 1: it is null, not an object."),
        "{}",
        said(1)
    );
}
