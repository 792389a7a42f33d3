//! The upgrades written with other crates.

use serde::{Deserialize, Serialize};
use version_migrate::{IntoDomain, MigratesTo, Migrator, Versioned};

use super::{Thing, ThingV0};
use crate::case::Case;
use crate::workloads::{BoxError, Document, by_hand, enveloped, magic};

pub(super) fn all(documents: &[Document], prior: &[Vec<u8>]) -> Vec<Case> {
    vec![
        Case::json("obake", prior.to_vec(), by_hand(with_obake::upgrade)),
        version_migrate(documents),
        native_model(prior),
        magic::case::<Thing>(prior.to_vec()),
        Case::json("serde_json::Value", prior.to_vec(), upgrade_value),
    ]
}

fn upgrade_value(json: &[u8]) -> Vec<u8> {
    let mut value: serde_json::Value = serde_json::from_slice(json).expect("the document is JSON");
    for name in ["optional_attribute", "required_attribute"] {
        if let Some(on) = value[name].as_bool() {
            value[name] = on.to_string().into();
        }
    }
    serde_json::to_vec(&value).expect("a value is JSON")
}

impl Versioned for ThingV0 {
    const VERSION: &'static str = "0.0.0";
}

impl Versioned for Thing {
    const VERSION: &'static str = "2.0.0";
}

impl MigratesTo<Thing> for ThingV0 {
    fn migrate(self) -> Thing {
        self.into()
    }
}

impl IntoDomain<Thing> for Thing {
    fn into_domain(self) -> Thing {
        self
    }
}

fn version_migrate(documents: &[Document]) -> Case {
    let mut migrator = Migrator::new();
    let path = Migrator::define("thing")
        .from::<ThingV0>()
        .step::<Thing>()
        .into::<Thing>();
    migrator.register(path).expect("the path is sound");
    let migrator = std::rc::Rc::new(migrator);
    Case::json("version-migrate", enveloped(documents), move |json| {
        let json = std::str::from_utf8(json).expect("the document is UTF-8");
        let thing: Thing = migrator.load("thing", json).expect("the document upgrades");
        serde_json::to_vec(&thing).expect("a model is JSON")
    })
}

/// The documents have a header of eight bytes.
fn native_model(prior: &[Vec<u8>]) -> Case {
    let with_header =
        |json: &Vec<u8>| native_model::wrapper::native_model_encode(&mut json.clone(), 1, 0);
    let files = prior.iter().map(with_header).collect();
    Case::json("native_model", files, |file| {
        let (thing, _) = native_model::decode::<with_native_model::NativeThing>(file.to_vec())
            .expect("the document upgrades");
        serde_json::to_vec(&thing).expect("a model is JSON")
    })
}

mod with_native_model {
    use native_model::native_model;

    use super::{Deserialize, Serialize};
    use crate::workloads::native::Json;

    #[native_model(id = 1, version = 0, with = Json)]
    #[derive(Serialize, Deserialize)]
    pub struct NativeThingV0 {
        pub id: String,
        pub optional_attribute: Option<bool>,
        pub required_attribute: bool,
    }

    #[native_model(id = 1, version = 2, with = Json, from = NativeThingV0)]
    #[derive(Serialize, Deserialize)]
    pub struct NativeThing {
        pub id: String,
        pub optional_attribute: Option<String>,
        pub required_attribute: String,
    }

    impl From<NativeThingV0> for NativeThing {
        fn from(prior: NativeThingV0) -> Self {
            Self {
                id: prior.id,
                optional_attribute: prior.optional_attribute.map(|on| on.to_string()),
                required_attribute: prior.required_attribute.to_string(),
            }
        }
    }

    // The crate asks for both directions, so that it can write older versions.
    impl From<NativeThing> for NativeThingV0 {
        fn from(next: NativeThing) -> Self {
            Self {
                id: next.id,
                optional_attribute: next.optional_attribute.map(|on| on == "true"),
                required_attribute: next.required_attribute == "true",
            }
        }
    }
}

mod with_obake {
    use super::*;

    #[obake::versioned]
    #[obake(version("0.0.0"))]
    #[obake(version("2.0.0"))]
    #[derive(Serialize, Deserialize)]
    pub struct ObakeThing {
        pub id: String,
        #[obake(cfg("0.0.0"))]
        pub optional_attribute: Option<bool>,
        #[obake(cfg("2.0.0"))]
        pub optional_attribute: Option<String>,
        #[obake(cfg("0.0.0"))]
        pub required_attribute: bool,
        #[obake(cfg("2.0.0"))]
        pub required_attribute: String,
    }

    impl From<ObakeThing!["0.0.0"]> for ObakeThing!["2.0.0"] {
        fn from(prior: ObakeThing!["0.0.0"]) -> Self {
            Self {
                id: prior.id,
                optional_attribute: prior.optional_attribute.map(|on| on.to_string()),
                required_attribute: prior.required_attribute.to_string(),
            }
        }
    }

    /// The version is matched by hand: obake's own way of reading any version tries one after the
    /// other.
    pub(super) fn upgrade(version: u64, json: &[u8]) -> Result<Vec<u8>, BoxError> {
        let any: obake::AnyVersion<ObakeThing> = match version {
            0 => serde_json::from_slice::<ObakeThing!["0.0.0"]>(json)?.into(),
            _ => serde_json::from_slice::<ObakeThing!["2.0.0"]>(json)?.into(),
        };
        let current: ObakeThing = any.into();
        Ok(serde_json::to_vec(&current)?)
    }
}
