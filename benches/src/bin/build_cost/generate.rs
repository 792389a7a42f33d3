//! The source of generated crates.

use std::fmt::Write as _;
use std::path::Path;

use upstate::schema::{Attribute, Presence, Type};
use upstate_compat::lock::Lock;
use upstate_compat::{AttributeSnapshot, ResourceSnapshot, Snapshot};

/// How the structs of a crate are read and written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Derive {
    Upstate,
    /// Upstate, with a lock that has every model.
    Locked,
    /// Upstate, with upgraders of operators in place of conversions.
    Declared,
    /// Upstate, with prior versions as differences: one struct a model.
    Differences,
    /// That, with a lock that has every model.
    LockedDifferences,
    Serde,
    /// Not at all: structs and conversions only, which the others have too.
    None,
}

/// How much there is of everything.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub models: usize,
    pub versions: usize,
    pub fields: usize,
}

impl Derive {
    pub fn name(self) -> &'static str {
        match self {
            Self::Upstate => "upstate",
            Self::Locked => "locked",
            Self::Declared => "declared",
            Self::Differences => "differences",
            Self::LockedDifferences => "locked-differences",
            Self::Serde => "serde",
            Self::None => "none",
        }
    }

    /// Whether the crate has the lock.
    pub fn is_locked(self) -> bool {
        match self {
            Self::Locked | Self::LockedDifferences => true,
            Self::Upstate | Self::Declared | Self::Differences | Self::Serde | Self::None => false,
        }
    }

    /// Whether each version is made from the one before by a conversion.
    fn converts(self) -> bool {
        match self {
            Self::Upstate | Self::Locked | Self::Serde | Self::None => true,
            Self::Declared | Self::Differences | Self::LockedDifferences => false,
        }
    }

    /// The first version that has a struct.
    fn first_struct(self, size: Size) -> usize {
        match self {
            Self::Differences | Self::LockedDifferences => size.versions - 1,
            Self::Upstate | Self::Locked | Self::Declared | Self::Serde | Self::None => 0,
        }
    }

    /// The lines below `[dependencies]`.
    pub fn dependencies(self, upstate: &Path) -> String {
        match self {
            Self::Upstate
            | Self::Locked
            | Self::Declared
            | Self::Differences
            | Self::LockedDifferences => {
                format!("upstate = {{ path = {upstate:?} }}\n")
            }
            Self::Serde => {
                "serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"\n"
                    .to_owned()
            }
            Self::None => String::new(),
        }
    }
}

/// The types of fields, taken in turn.
const TYPES: [&str; 12] = [
    "String",
    "Option<String>",
    "bool",
    "i64",
    "Vec<String>",
    "BTreeMap<String, String>",
    "String",
    "Option<i64>",
    "f64",
    "Option<bool>",
    "String",
    "Option<Vec<String>>",
];

/// The module of one model: its struct in every version, and the conversion from each version to
/// the next.
pub fn file(derive: Derive, model: usize, size: Size) -> String {
    let current = size.versions - 1;
    let mut text = String::from("use std::collections::BTreeMap;\n\n");
    for version in derive.first_struct(size)..size.versions {
        match derive {
            Derive::Upstate | Derive::Locked | Derive::Declared => {
                text += "#[derive(upstate::Resource)]\n";
                let prior = if version < current { ", prior" } else { "" };
                let _ = writeln!(
                    text,
                    "#[resource(type_name = \"example_model_{model}\", version = {version}{prior})]"
                );
                if version > 0 {
                    let prior = version - 1;
                    let operators = match derive {
                        Derive::Declared => {
                            let renamed = prior % size.fields;
                            let [from, to] =
                                [prior, version].map(|version| field_name(renamed, version, size));
                            format!(", rename({from} => {to})")
                        }
                        _ => String::new(),
                    };
                    let _ = writeln!(
                        text,
                        "#[upgrade_from({prior}, model = V{prior}{operators})]"
                    );
                }
            }
            Derive::Differences | Derive::LockedDifferences => {
                text += "#[derive(upstate::Resource)]\n";
                let _ = writeln!(
                    text,
                    "#[resource(type_name = \"example_model_{model}\", version = {version})]"
                );
                for prior in (0..version).rev() {
                    let [from, to] = [prior, prior + 1]
                        .map(|version| field_name(prior % size.fields, version, size));
                    let _ = writeln!(
                        text,
                        "#[upgrade_from({prior} => {}, rename({from} => {to}))]",
                        prior + 1
                    );
                }
            }
            Derive::Serde => text += "#[derive(serde::Serialize, serde::Deserialize)]\n",
            Derive::None => {}
        }
        let _ = writeln!(text, "pub struct V{version} {{");
        for field in 0..size.fields {
            if field % 2 == 0 {
                let _ = writeln!(
                    text,
                    "    /// What field {field} holds, in a sentence of some length."
                );
            }
            let _ = writeln!(
                text,
                "    pub {}: {},",
                field_name(field, version, size),
                TYPES[field % TYPES.len()]
            );
        }
        text += "}\n\n";
    }
    for version in (1..size.versions).filter(|_| derive.converts()) {
        let _ = writeln!(
            text,
            "impl From<V{}> for V{version} {{\n    fn from(prior: V{}) -> Self {{\n        Self {{",
            version - 1,
            version - 1
        );
        for field in 0..size.fields {
            let _ = writeln!(
                text,
                "            {}: prior.{},",
                field_name(field, version, size),
                field_name(field, version - 1, size)
            );
        }
        text += "        }\n    }\n}\n\n";
    }
    if derive == Derive::Serde {
        text += "pub fn upgrade(version: u64, json: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {\n";
        let _ = writeln!(text, "    let current: V{current} = match version {{");
        for version in 0..size.versions {
            let mut value = format!("serde_json::from_slice::<V{version}>(json)?");
            for later in version + 1..size.versions {
                value = format!("V{later}::from({value})");
            }
            let _ = writeln!(text, "        {version} => {value},");
        }
        text += "        newer => return Err(format!(\"version {newer} is not known\").into()),\n    };\n";
        text += "    Ok(serde_json::to_vec(&current)?)\n}\n";
    }
    text
}

/// Every version renames one field, in turn.
fn field_name(field: usize, version: usize, size: Size) -> String {
    match (version + size.fields - 1 - field) / size.fields {
        0 => format!("field_{field}"),
        times => format!("renamed_{field}_{times}"),
    }
}

/// The root of the crate, which puts every model to use.
pub fn library(derive: Derive, size: Size) -> String {
    let mut text = String::new();
    for model in 0..size.models {
        let _ = writeln!(text, "pub mod model_{model};");
    }
    let current = size.versions - 1;
    match derive {
        Derive::Upstate
        | Derive::Locked
        | Derive::Declared
        | Derive::Differences
        | Derive::LockedDifferences => {
            text += "\npub fn registry() -> upstate::Registry {\n    let mut registry = upstate::Registry::new();\n";
            for model in 0..size.models {
                let _ = writeln!(
                    text,
                    "    registry = registry.with::<model_{model}::V{current}>();"
                );
            }
            text += "    registry\n}\n";
        }
        Derive::Serde => {
            text += "\npub fn upgrade(type_name: &str, version: u64, json: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {\n";
            text += "    match type_name {\n";
            for model in 0..size.models {
                let _ = writeln!(
                    text,
                    "        \"example_model_{model}\" => model_{model}::upgrade(version, json),"
                );
            }
            text +=
                "        other => Err(format!(\"type {other} is not known\").into()),\n    }\n}\n";
        }
        Derive::None => {}
    }
    text
}

/// The lock that has every version of every model as released.
pub fn lock(size: Size) -> String {
    let version = |model: usize, version: usize| {
        let attribute = |field: usize| {
            let (ty, optional) = match TYPES[field % TYPES.len()] {
                "String" => (Type::String, false),
                "Option<String>" => (Type::String, true),
                "bool" => (Type::Bool, false),
                "Option<bool>" => (Type::Bool, true),
                "i64" | "f64" => (Type::Number, false),
                "Option<i64>" => (Type::Number, true),
                "Vec<String>" => (Type::list(Type::String), false),
                "Option<Vec<String>>" => (Type::list(Type::String), true),
                "BTreeMap<String, String>" => (Type::map(Type::String), false),
                other => panic!("{other} has no type here"),
            };
            let presence = if optional {
                Presence::Optional
            } else {
                Presence::Required
            };
            let mut attribute = AttributeSnapshot::from(&Attribute::new(
                field_name(field, version, size),
                ty,
                presence,
            ));
            attribute.nullable = Some(optional);
            if TYPES[field % TYPES.len()].contains("i64") {
                attribute
                    .validators
                    .insert("stored integer".to_owned(), "i64".into());
            }
            (field_name(field, version, size), attribute)
        };
        let attributes = (0..size.fields).map(attribute).collect();
        (
            format!("example_model_{model}"),
            ResourceSnapshot {
                version: version as u64,
                attributes,
                ..Default::default()
            },
        )
    };
    let mut lock = Lock::default();
    for at in 0..size.versions {
        let resources = (0..size.models).map(|model| version(model, at)).collect();
        let release = format!("1.{at}.0").parse().expect("a release number");
        lock.freeze(
            &Snapshot {
                resources,
                ..Snapshot::default()
            },
            release,
        )
        .expect("nothing that was released changes");
    }
    lock.to_string()
}
