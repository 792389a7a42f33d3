//! What the fuzz targets share: a model with every kind of field, and the same shape as a type.

use std::collections::{BTreeMap, BTreeSet};

use upstate::schema::Type;
use upstate::{Number, Object, Registry, Resource, SingleBlock, ZeroAsNull};

/// A nested object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
pub struct Rule {
    pub port: Option<u16>,
    pub name: Option<String>,
}

/// Every kind of field, at its current version.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "shape", version = 1)]
#[upgrade_from(0, model = ShapeV0)]
pub struct Shape {
    pub flag: Option<bool>,
    pub float: Option<f64>,
    pub int: Option<i64>,
    pub name: Option<String>,
    pub number: Option<Number>,
    pub pair: Option<(String, i64)>,
    pub rules: Option<BTreeMap<String, Option<Rule>>>,
    pub single: SingleBlock<Rule>,
    pub tags: Option<BTreeSet<String>>,
    pub zero: ZeroAsNull<i64>,
    #[block]
    pub blocks: Vec<Rule>,
}

/// Before, there was only a name.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "shape", version = 0)]
pub struct ShapeV0 {
    pub name: String,
}

impl From<ShapeV0> for Shape {
    fn from(prior: ShapeV0) -> Self {
        Self {
            name: Some(prior.name),
            flag: None,
            float: None,
            int: None,
            number: None,
            pair: None,
            rules: None,
            single: SingleBlock(None),
            tags: None,
            zero: ZeroAsNull(None),
            blocks: Vec::new(),
        }
    }
}

/// The types that dynamic targets choose from by their first byte.
pub fn types() -> Vec<Type> {
    let notations = [
        r#""dynamic""#,
        r#"["list","dynamic"]"#,
        r#"["map",["set","number"]]"#,
        r#"["set",["object",{"a":"string","b":["tuple",["bool","dynamic"]]}]]"#,
        r#"["object",{"a":["map","bool"],"b":["list",["set","string"]],"c":"number","d":"string"}]"#,
        r#"["object",{"a":["set",["object",{"x":"number","y":["list","string"]}]],"b":["tuple",["string","number"]]}]"#,
    ];
    let mut types: Vec<Type> = notations
        .into_iter()
        .map(|notation| Type::parse(notation).unwrap())
        .collect();
    types.push(Shape::schema().implied_type());
    types
}

/// Takes a type off the front of the input.
pub fn take_type(data: &[u8]) -> Option<(Type, &[u8])> {
    let (first, rest) = data.split_first()?;
    let mut types = types();
    Some((types.swap_remove(usize::from(*first) % types.len()), rest))
}

/// A registry that knows the model.
pub fn registry() -> Registry {
    Registry::new().with::<Shape>()
}
