//! Schemas as JSON, in the form of `terraform providers schema -json`.

use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::{
    Attribute, Block, Nested, NestedBlock, Nesting, Presence, Schema, Shape, Shared, Type,
};

#[derive(serde::Serialize, serde::Deserialize)]
struct SchemaJson {
    version: u64,
    block: BlockJson,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct BlockJson {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    attributes: BTreeMap<String, AttributeJson>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    block_types: BTreeMap<String, NestedBlockJson>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    description_kind: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation_message: Option<String>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct NestedBlockJson {
    #[serde(with = "NestingJson")]
    nesting_mode: Nesting,
    block: BlockJson,
    #[serde(default, skip_serializing_if = "is_zero")]
    min_items: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    max_items: u64,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the form is not ours")]
struct AttributeJson {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    ty: Option<Type>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nested_type: Option<NestedJson>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    description_kind: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation_message: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    required: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    optional: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    computed: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    sensitive: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    write_only: bool,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct NestedJson {
    attributes: BTreeMap<String, AttributeJson>,
    #[serde(with = "NestingJson")]
    nesting_mode: Nesting,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "Nesting", rename_all = "lowercase")]
enum NestingJson {
    /// A `group` is stored as one object too; it is there even where the user wrote none.
    #[serde(alias = "group")]
    Single,
    List,
    Set,
    Map,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The message, where a bare `deprecated: true` has none of its own.
fn deprecation(deprecated: bool, message: Option<String>) -> Option<Shared<str>> {
    match message {
        Some(message) => Some(message.into()),
        None => deprecated.then_some(Shared::Static("deprecated")),
    }
}

fn attributes_out(attributes: &[Attribute]) -> BTreeMap<String, AttributeJson> {
    attributes
        .iter()
        .map(|attribute| (attribute.name().to_owned(), attribute.into()))
        .collect()
}

fn attributes_in(attributes: BTreeMap<String, AttributeJson>) -> impl Iterator<Item = Attribute> {
    attributes
        .into_iter()
        .map(|(name, attribute)| attribute.named(name))
}

impl From<&Attribute> for AttributeJson {
    fn from(attribute: &Attribute) -> Self {
        let (ty, nested_type) = match attribute.shape() {
            Shape::Plain(ty) => (Some((**ty).clone()), None),
            Shape::Nested(nested) => (None, Some(nested.into())),
        };
        let presence = attribute.presence();
        Self {
            ty,
            nested_type,
            description: attribute.description().to_owned(),
            description_kind: Some("plain".to_owned()),
            deprecated: attribute.deprecated().is_some(),
            deprecation_message: attribute.deprecated().map(str::to_owned),
            required: presence == Presence::Required,
            optional: matches!(presence, Presence::Optional | Presence::OptionalComputed),
            computed: matches!(presence, Presence::Computed | Presence::OptionalComputed),
            sensitive: attribute.is_sensitive(),
            write_only: attribute.is_write_only(),
        }
    }
}

impl AttributeJson {
    fn named(self, name: String) -> Attribute {
        let presence = match (self.optional, self.computed) {
            (true, true) => Presence::OptionalComputed,
            (true, false) => Presence::Optional,
            (false, true) => Presence::Computed,
            (false, false) => Presence::Required,
        };
        let attribute = match (self.ty, self.nested_type) {
            (_, Some(nested)) => {
                let attributes: Vec<Attribute> = attributes_in(nested.attributes).collect();
                Attribute::nested(name, Nested::new(nested.nesting_mode, attributes), presence)
            }
            (ty, None) => Attribute::new(name, ty.unwrap_or(Type::Dynamic), presence),
        };
        let attribute = attribute.described(self.description);
        let attribute = if self.sensitive {
            attribute.sensitive()
        } else {
            attribute
        };
        let attribute = if self.write_only {
            attribute.write_only()
        } else {
            attribute
        };
        match deprecation(self.deprecated, self.deprecation_message) {
            Some(message) => attribute.deprecate(message),
            None => attribute,
        }
    }
}

impl From<&Nested> for NestedJson {
    fn from(nested: &Nested) -> Self {
        Self {
            attributes: attributes_out(nested.attributes()),
            nesting_mode: nested.nesting(),
        }
    }
}

impl From<&Block> for BlockJson {
    fn from(block: &Block) -> Self {
        let nested = |nested: &NestedBlock| NestedBlockJson {
            nesting_mode: nested.nesting(),
            block: nested.block().into(),
            min_items: nested.min_items(),
            max_items: nested.max_items(),
        };
        Self {
            attributes: attributes_out(block.attributes()),
            block_types: block
                .blocks()
                .iter()
                .map(|block| (block.name().to_owned(), nested(block)))
                .collect(),
            description: block.description().to_owned(),
            description_kind: Some("plain".to_owned()),
            deprecated: block.deprecated().is_some(),
            deprecation_message: block.deprecated().map(str::to_owned),
        }
    }
}

impl From<BlockJson> for Block {
    fn from(json: BlockJson) -> Self {
        let nested = |(name, nested): (String, NestedBlockJson)| {
            NestedBlock::new(name, nested.nesting_mode, nested.block.into())
                .items(nested.min_items, nested.max_items)
        };
        let block = Self::new(attributes_in(json.attributes))
            .with_blocks(json.block_types.into_iter().map(nested))
            .described(json.description);
        match deprecation(json.deprecated, json.deprecation_message) {
            Some(message) => block.deprecate(message),
            None => block,
        }
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SchemaJson {
            version: self.version(),
            block: self.block().into(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SchemaJson { version, block } = SchemaJson::deserialize(deserializer)?;
        Ok(Self::new(version, block.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_survives_json() {
        let rule = Nested::new(
            Nesting::List,
            vec![Attribute::new("port", Type::Number, Presence::Required)],
        );
        let schema = Schema::new(
            3,
            Block::new([
                Attribute::new("id", Type::String, Presence::Computed)
                    .described("Assigned by the API."),
                Attribute::new("token", Type::String, Presence::OptionalComputed)
                    .sensitive()
                    .deprecate("use key"),
                Attribute::new("tags", Type::map(Type::String), Presence::Optional),
                Attribute::nested("rule", rule, Presence::Optional),
            ])
            .with_blocks([
                NestedBlock::new("timeouts", Nesting::Single, Block::new([])).items(0, 1),
            ])
            .described("A thing."),
        );
        let mut json = serde_json::to_value(&schema).unwrap();
        assert_eq!(json["version"], 3);
        assert_eq!(
            json["block"]["attributes"]["tags"]["type"],
            serde_json::json!(["map", "string"])
        );
        assert_eq!(
            json["block"]["attributes"]["rule"]["nested_type"]["nesting_mode"],
            "list"
        );
        assert_eq!(json["block"]["block_types"]["timeouts"]["max_items"], 1);
        assert_eq!(
            json["block"]["attributes"]["token"]["deprecation_message"],
            "use key"
        );
        assert_eq!(Schema::deserialize(&json).unwrap(), schema);
        json["block"]["block_types"]["timeouts"]["nesting_mode"] = "group".into();
        assert_eq!(Schema::deserialize(json).unwrap(), schema);
    }
}
