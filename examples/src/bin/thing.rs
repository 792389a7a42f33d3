//! One resource, three versions: `cargo run -p upstate-examples --bin thing`.

use std::error::Error;

use upstate::Resource;

/// A thing, as version 2 stores it.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_thing", version = 2)]
#[upgrade_from(0, model = ThingV0)]
#[upgrade_from(1, model = ThingV1)]
struct Thing {
    /// Assigned by the API.
    #[attribute(computed)]
    id: String,
    optional_attribute: Option<String>,
    required_attribute: String,
}

/// Version 1 had made only the required attribute a string.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_thing", version = 1, prior)]
struct ThingV1 {
    #[attribute(computed)]
    id: String,
    optional_attribute: Option<bool>,
    required_attribute: String,
}

/// Version 0 knew on and off only.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_thing", version = 0)]
struct ThingV0 {
    #[attribute(computed)]
    id: String,
    optional_attribute: Option<bool>,
    required_attribute: bool,
}

impl From<ThingV0> for Thing {
    fn from(prior: ThingV0) -> Self {
        Self {
            id: prior.id,
            optional_attribute: prior.optional_attribute.map(|on| on.to_string()),
            required_attribute: prior.required_attribute.to_string(),
        }
    }
}

impl From<ThingV1> for Thing {
    fn from(prior: ThingV1) -> Self {
        Self {
            id: prior.id,
            optional_attribute: prior.optional_attribute.map(|on| on.to_string()),
            required_attribute: prior.required_attribute,
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let stored = [
        (
            0,
            r#"{"id":"thing-1","optional_attribute":true,"required_attribute":false}"#,
        ),
        (
            1,
            r#"{"id":"thing-2","optional_attribute":null,"required_attribute":"left"}"#,
        ),
        (
            2,
            r#"{"id":"thing-3","optional_attribute":"up","required_attribute":"right"}"#,
        ),
    ];
    for (version, before) in stored {
        let thing: Thing = upstate::upgrade_json(version, before)?;
        let after = upstate::to_json(&thing)?;
        println!("version {version}: {before}");
        println!("      now: {}\n", String::from_utf8_lossy(&after));
    }
    Ok(())
}
