//! A schema version as JSON Schema, for editors and validators of stored state that know nothing of upstate.

use serde_json::{Map, Value as Json, json};
use upstate::__internal::Taken;
use upstate::ResourceDefinition;
use upstate::schema::{Attribute, Block, Field, NestedBlock, Nesting, Shape, Tagging, Type};

/// The JSON Schema (2020-12) of state that a type stores under a version; `None` where the type has no schema for it: the version is not
/// supported, or its upgrader takes any stored state.
///
/// It describes the state as upstate and Terraform write it. upstate reads more: `"7"` as a number, `"true"` as a bool. Names that the schema
/// does not have are allowed, since a later release may have added them; where fields are in Rust an `Option`, or are blocks, they may be missing.
/// Elements of collections may be null.
///
/// ```
/// use serde_json::json;
/// use upstate::{Registry, Resource};
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 1)]
/// #[upgrade_from(0 => 1, rename(text => title))]
/// struct Note { title: String, stars: Option<u8> }
///
/// let registry = Registry::new().with::<Note>();
/// let schema = upstate_compat::json_schema(registry.get("example_note").unwrap(), 0).unwrap();
/// assert_eq!(schema["title"], "example_note, schema version 0");
/// assert_eq!(schema["required"], json!(["text"]));
/// assert_eq!(schema["properties"]["stars"], json!({"type": ["integer", "null"], "minimum": 0, "maximum": 255}));
/// ```
#[must_use]
pub fn json_schema(definition: &ResourceDefinition, version: u64) -> Option<Json> {
    let shapes =
        if version == definition.version() { vec![definition.schema().block()] } else { definition.prior_schemas_of(version) };
    let mut shapes: Vec<Map<String, Json>> = shapes.into_iter().map(block).collect();
    let mut schema = match shapes.len() {
        0 => return None,
        1 => shapes.remove(0),
        _ => Map::from_iter([("anyOf".to_owned(), json!(shapes))]),
    };
    schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title".to_owned(), json!(format!("{}, schema version {version}", definition.type_name())));
    Some(Json::Object(schema))
}

fn block(block: &Block) -> Map<String, Json> {
    let mut schema = object(block.attributes(), block.blocks());
    describe(&mut schema, block.description(), block.deprecated());
    schema
}

fn object(attributes: &[Attribute], blocks: &[NestedBlock]) -> Map<String, Json> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for attribute in attributes {
        if !attribute.is_nullable() && !attribute.is_write_only() && !attribute.is_filled_in() {
            required.push(attribute.name());
        }
        properties.insert(attribute.name().to_owned(), Json::Object(self::attribute(attribute)));
    }
    for nested in blocks {
        properties.insert(nested.name().to_owned(), Json::Object(nested_block(nested)));
    }
    let mut schema = typed("object");
    schema.insert("properties".to_owned(), Json::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn attribute(attribute: &Attribute) -> Map<String, Json> {
    let schema = match attribute.shape() {
        Shape::Plain(ty) => plain(ty, attribute.taken()),
        Shape::Nested(nested) => arranged(nested.nesting(), object(nested.attributes(), &[])),
    };
    let mut schema = if attribute.is_write_only() {
        typed("null")
    } else if attribute.is_nullable() {
        or_null(schema)
    } else {
        schema
    };
    describe(&mut schema, attribute.description(), attribute.deprecated());
    schema
}

fn nested_block(nested: &NestedBlock) -> Map<String, Json> {
    let mut schema = arranged(nested.nesting(), object(nested.block().attributes(), nested.block().blocks()));
    // A state may be older than the block, and have fewer than a configuration must.
    if nested.max_items() > 0 {
        let limit = match nested.nesting() {
            Nesting::List | Nesting::Set => Some("maxItems"),
            Nesting::Map => Some("maxProperties"),
            Nesting::Single => None,
        };
        if let Some(limit) = limit {
            schema.insert(limit.to_owned(), json!(nested.max_items()));
        }
    }
    let mut schema = or_null(schema);
    describe(&mut schema, nested.block().description(), nested.block().deprecated());
    schema
}

fn arranged(nesting: Nesting, object: Map<String, Json>) -> Map<String, Json> {
    match nesting {
        Nesting::Single => object,
        Nesting::List => with("array", "items", or_null(object)),
        Nesting::Set => unique(with("array", "items", or_null(object))),
        Nesting::Map => with("object", "additionalProperties", or_null(object)),
    }
}

/// A type; `taken` are the values that a field takes, itself or as elements.
fn plain(ty: &Type, taken: Option<Taken>) -> Map<String, Json> {
    match ty {
        Type::Bool => typed("boolean"),
        Type::String => match taken {
            Some(Taken::Strings(strings)) => {
                let mut schema = typed("string");
                schema.insert("enum".to_owned(), json!(strings));
                schema
            }
            Some(Taken::Integers { .. } | Taken::Format(_)) | None => typed("string"),
        },
        Type::Number => match taken {
            Some(Taken::Integers { min, max }) => {
                let mut schema = typed("integer");
                // All integer types have at most 64 bits.
                if let (Ok(min), Ok(max)) = (i64::try_from(min), u64::try_from(max)) {
                    schema.insert("minimum".to_owned(), json!(min));
                    schema.insert("maximum".to_owned(), json!(max));
                }
                schema
            }
            Some(Taken::Strings(_) | Taken::Format(_)) | None => typed("number"),
        },
        // As Terraform stores it: the value beside its own type.
        Type::Dynamic => {
            let members = json!({"type": {"type": ["string", "array"]}, "value": {}});
            let mut schema = typed("object");
            schema.insert("properties".to_owned(), members);
            schema.insert("required".to_owned(), json!(["type", "value"]));
            schema
        }
        Type::List(element) => with("array", "items", or_null(plain(element, taken))),
        Type::Set(element) => unique(with("array", "items", or_null(plain(element, taken)))),
        Type::Map(element) => with("object", "additionalProperties", or_null(plain(element, taken))),
        Type::Tuple(elements) => {
            let count = elements.len();
            let elements: Vec<_> = elements.iter().map(|element| or_null(plain(element, None))).collect();
            let mut schema = typed("array");
            schema.insert("prefixItems".to_owned(), json!(elements));
            schema.insert("minItems".to_owned(), json!(count));
            schema.insert("maxItems".to_owned(), json!(count));
            schema
        }
        Type::Object(fields) => {
            let members = fields.iter().map(|field| {
                let schema = plain(field.ty(), None);
                (field.name().to_owned(), Json::Object(if field.is_never_null() { schema } else { or_null(schema) }))
            });
            let required: Vec<_> = fields.iter().filter(|field| field.is_required()).map(Field::name).collect();
            let mut schema = typed("object");
            schema.insert("properties".to_owned(), Json::Object(members.collect()));
            if !required.is_empty() {
                schema.insert("required".to_owned(), json!(required));
            }
            schema
        }
        Type::Json => Map::new(),
        Type::Union(union) => {
            let variants: Vec<_> =
                union.variants().iter().map(|variant| Json::Object(of_variant(&union.form(), variant))).collect();
            // Not `oneOf`, because a value that several variants fit is the first of them.
            let junctor = if matches!(union.form(), Tagging::Untagged) { "anyOf" } else { "oneOf" };
            Map::from_iter([(junctor.to_owned(), json!(variants))])
        }
    }
}

/// A variant of an enum with data, as a stored value has it.
fn of_variant(tagging: &Tagging<'_>, variant: &Field) -> Map<String, Json> {
    let is_unit = matches!(variant.ty(), Type::Tuple(elements) if elements.is_empty());
    let content = || Json::Object(plain(variant.ty(), None));
    let object = |members: Vec<(&str, Json)>| {
        let mut schema = typed("object");
        schema.insert("required".to_owned(), json!(members.iter().map(|(name, _)| name).collect::<Vec<_>>()));
        let members = members.into_iter().map(|(name, schema)| (name.to_owned(), schema));
        schema.insert("properties".to_owned(), Json::Object(members.collect()));
        schema
    };
    let name = json!({"const": variant.name()});
    match tagging {
        Tagging::External if is_unit => Map::from_iter([("const".to_owned(), json!(variant.name()))]),
        Tagging::External => object(vec![(variant.name(), content())]),
        Tagging::Internal(tag) if is_unit => object(vec![(tag, name)]),
        Tagging::Internal(tag) => Map::from_iter([("allOf".to_owned(), json!([object(vec![(tag, name)]), content()]))]),
        Tagging::Adjacent(tag, _) if is_unit => object(vec![(tag, name)]),
        Tagging::Adjacent(tag, member) => object(vec![(tag, name), (member, content())]),
        Tagging::Untagged if is_unit => typed("null"),
        Tagging::Untagged => plain(variant.ty(), None),
    }
}

fn typed(name: &str) -> Map<String, Json> {
    Map::from_iter([("type".to_owned(), json!(name))])
}

fn with(name: &str, member: &str, inside: Map<String, Json>) -> Map<String, Json> {
    let mut schema = typed(name);
    schema.insert(member.to_owned(), Json::Object(inside));
    schema
}

fn unique(mut schema: Map<String, Json>) -> Map<String, Json> {
    schema.insert("uniqueItems".to_owned(), json!(true));
    schema
}

fn or_null(mut schema: Map<String, Json>) -> Map<String, Json> {
    if schema.contains_key("oneOf") || schema.contains_key("anyOf") {
        return Map::from_iter([("anyOf".to_owned(), json!([schema, typed("null")]))]);
    }
    if let Some(Json::String(name)) = schema.get("type") {
        let both = json!([name, "null"]);
        schema.insert("type".to_owned(), both);
    }
    if let Some(Json::Array(values)) = schema.get_mut("enum") {
        values.push(Json::Null);
    }
    schema
}

fn describe(schema: &mut Map<String, Json>, description: &str, deprecated: Option<&str>) {
    if !description.is_empty() {
        schema.insert("description".to_owned(), json!(description));
    }
    if deprecated.is_some() {
        schema.insert("deprecated".to_owned(), json!(true));
    }
}
