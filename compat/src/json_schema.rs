//! A schema version as JSON Schema, for editors and validators of stored state that know nothing of
//! upstate.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use upstate::__internal::{Inside, Taken};
use upstate::ResourceDefinition;
use upstate::schema::{
    Attribute, Block, Field, NestedBlock, Nesting, Shape, Tagging, Type, UnionType,
};
use upstate_words::lock::{integers, leaves_out_zero, step};

use crate::models::default_of;

/// The JSON Schema (2020-12) of state that a type stores under a version; `None` where the type has
/// no schema for it: the version is not supported, or its upgrader takes any stored state.
///
/// It describes the state as upstate and Terraform write it. upstate reads more: `"7"` as a number,
/// `"true"` as a bool. Names that the schema does not have are allowed, since a later release may
/// have added them; where fields are in Rust an `Option`, or are blocks, they may be missing.
/// Elements of a resource's collections may be null. A `default` is the value that a document
/// without the member is read with.
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
    let shapes = if version == definition.version() {
        vec![definition.schema().block()]
    } else {
        definition.prior_schemas_of(version)
    };
    let is_document = definition.schema().is_document();
    let mut shapes: Vec<Map<String, Json>> = shapes
        .into_iter()
        .map(|shape| block(shape, is_document))
        .collect();
    let mut schema = match shapes.len() {
        0 => return None,
        1 => shapes.remove(0),
        _ => made(json!({"anyOf": shapes})),
    };
    schema.extend(made(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{}, schema version {version}", definition.type_name()),
    })));
    Some(Json::Object(schema))
}

fn block(block: &Block, is_document: bool) -> Map<String, Json> {
    let mut schema = object(block.attributes(), block.blocks(), is_document);
    describe(&mut schema, block.description(), block.deprecated());
    schema
}

fn object(
    attributes: &[Attribute],
    blocks: &[NestedBlock],
    is_document: bool,
) -> Map<String, Json> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for attribute in attributes {
        if !attribute.is_nullable() && !attribute.is_write_only() && !attribute.is_filled_in() {
            required.push(attribute.name());
        }
        properties.insert(
            attribute.name().to_owned(),
            Json::Object(self::attribute(attribute, is_document)),
        );
    }
    for nested in blocks {
        properties.insert(
            nested.name().to_owned(),
            Json::Object(nested_block(nested, is_document)),
        );
    }
    let mut schema = with("object", "properties", properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn attribute(attribute: &Attribute, is_document: bool) -> Map<String, Json> {
    let inside = attribute.taken_inside();
    let position = Position {
        inside: &inside,
        at: String::new(),
        tags: Vec::new(),
        is_document,
    };
    let schema = match attribute.shape() {
        Shape::Plain(ty) => plain(ty, attribute.taken(), &position),
        Shape::Nested(nested) => {
            let object = object(nested.attributes(), &[], is_document);
            let schema = arranged(nested.nesting(), object, position.takes_null("[*]"));
            if nested.nesting() == Nesting::Map {
                position.with_keys(schema)
            } else {
                schema
            }
        }
    };
    let mut schema = if attribute.is_write_only() {
        typed("null")
    } else if attribute.is_nullable() {
        or_null(schema)
    } else {
        schema
    };
    describe(&mut schema, attribute.description(), attribute.deprecated());
    // Not for a resource, because its default is for configuration and says nothing about state.
    if attribute.is_filled_in() && !attribute.has_secret() {
        schema.extend(default_of(attribute).map(|default| ("default".to_owned(), default)));
    }
    schema
}

fn nested_block(nested: &NestedBlock, is_document: bool) -> Map<String, Json> {
    let object = object(
        nested.block().attributes(),
        nested.block().blocks(),
        is_document,
    );
    let mut schema = arranged(nested.nesting(), object, true);
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
    describe(
        &mut schema,
        nested.block().description(),
        nested.block().deprecated(),
    );
    schema
}

fn arranged(nesting: Nesting, object: Map<String, Json>, takes_null: bool) -> Map<String, Json> {
    let element = |object| if takes_null { or_null(object) } else { object };
    match nesting {
        Nesting::Single => object,
        Nesting::List => with("array", "items", element(object)),
        Nesting::Set => unique(with("array", "items", element(object))),
        Nesting::Map => with("object", "additionalProperties", element(object)),
    }
}

/// A position inside of a field's values.
struct Position<'i> {
    /// The values that the field takes inside of its own, by position.
    inside: &'i BTreeMap<String, Inside>,
    at: String,
    /// The tags of enums that hold the values, which have their members beside these.
    tags: Vec<String>,
    is_document: bool,
}

impl Position<'_> {
    /// The position of elements, `[*]` and the like.
    fn below(&self, elements: &str) -> Self {
        Self {
            at: format!("{}{elements}", self.at),
            tags: Vec::new(),
            ..*self
        }
    }

    /// The position of a member or a variant.
    fn member(&self, name: &str) -> Self {
        Self {
            at: step(&self.at, name),
            tags: Vec::new(),
            ..*self
        }
    }

    /// This position beside these tags.
    fn beside(&self, tags: Vec<String>) -> Self {
        Self {
            at: self.at.clone(),
            tags,
            ..*self
        }
    }

    /// True if the field takes null here.
    fn is_nullable(&self) -> bool {
        self.inside.contains_key(&format!("{}?", self.at))
    }

    /// The schema of values that have a place of their own.
    fn alone(&self, ty: &Type) -> Map<String, Json> {
        let schema = plain(ty, None, &self.beside(Vec::new()));
        if may_be_null(ty) || self.is_nullable() {
            or_null(schema)
        } else {
            schema
        }
    }

    /// The schema of values whose members are beside the tags. Null is none of these members.
    fn members(&self, ty: &Type) -> Map<String, Json> {
        let schema = plain(ty, None, self);
        if !self.is_nullable() {
            return schema;
        }
        let without = if let Type::Object(fields) = ty {
            let fields = fields
                .iter()
                .map(|field| (field.name().to_owned(), json!(false)));
            with("object", "properties", fields.collect())
        } else {
            typed("object")
        };
        made(json!({"anyOf": [schema, without]}))
    }

    /// True if null is taken at a position below this one. Elements of a resource's collections may
    /// always be null.
    fn takes_null(&self, elements: &str) -> bool {
        !self.is_document || self.inside.contains_key(&format!("{}{elements}?", self.at))
    }

    /// The elements of a list and the like.
    fn elements(&self, elements: &str, ty: &Type, taken: Option<Taken>) -> Map<String, Json> {
        let schema = plain(ty, taken, &self.below(elements));
        if may_be_null(ty) || self.takes_null(elements) {
            or_null(schema)
        } else {
            schema
        }
    }

    fn taken(&self, keys: &str) -> Option<Taken> {
        match self.inside.get(&format!("{}{keys}", self.at))? {
            Inside::Taken(taken) => Some(*taken),
            Inside::Null => None,
        }
    }

    /// A map whose keys are those that the field takes.
    fn with_keys(&self, mut map: Map<String, Json>) -> Map<String, Json> {
        let names = match self.taken("[key]") {
            Some(Taken::Integers { min, max }) => digits(min, max.unsigned_abs()),
            Some(Taken::Strings(strings)) => json!({"enum": strings}),
            Some(Taken::Format(CHAR)) => Json::Object(one_letter(Map::new())),
            Some(Taken::Format(form)) => match integers(form.as_bytes()) {
                Some((min, max)) => digits(min, max),
                None => return map,
            },
            None => return map,
        };
        map.insert("propertyNames".to_owned(), names);
        map
    }

    /// A map; the tags beside its entries are none of them.
    fn without_tags(&self, mut map: Map<String, Json>) -> Map<String, Json> {
        if self.tags.is_empty() {
            return map;
        }
        let tags = self.tags.iter().map(|tag| (tag.clone(), json!(true)));
        map.insert("properties".to_owned(), Json::Object(tags.collect()));
        if let Some(names) = map.remove("propertyNames") {
            map.insert(
                "propertyNames".to_owned(),
                json!({"anyOf": [{"enum": self.tags}, names]}),
            );
        }
        map
    }
}

/// True if no fact says that values of a type are null: what holds nothing is stored as null, and
/// beside dynamic values there is never a fact.
fn may_be_null(ty: &Type) -> bool {
    matches!(ty, Type::Dynamic) || matches!(ty, Type::Tuple(elements) if elements.is_empty())
}

/// The format of strings of one character.
const CHAR: &str = "char";

fn one_letter(mut schema: Map<String, Json>) -> Map<String, Json> {
    schema.extend(made(json!({"minLength": 1, "maxLength": 1})));
    schema
}

/// The strings of whole numbers of a range.
fn digits(min: i128, max: u128) -> Json {
    // As many digits as the greatest has: a pattern cannot compare numbers.
    let more = min.unsigned_abs().max(max).max(1).ilog10();
    let sign = if min < 0 { "-?" } else { "" };
    json!({"pattern": format!("^(0|{sign}[1-9][0-9]{{0,{more}}})$")})
}

/// The whole numbers of a range.
fn whole_number((min, max): (i128, u128), without_zero: bool) -> Map<String, Json> {
    let mut schema = typed("integer");
    // No more than 64 bits, because that is what readers of a schema have.
    if let Ok(min) = i64::try_from(min) {
        schema.insert("minimum".to_owned(), json!(min));
    }
    if let Ok(max) = u64::try_from(max) {
        schema.insert("maximum".to_owned(), json!(max));
    }
    if without_zero && min < 0 {
        schema.insert("not".to_owned(), json!({"const": 0}));
    }
    schema
}

/// A type; `taken` are the values that a field takes, itself or as elements.
fn plain(ty: &Type, taken: Option<Taken>, position: &Position<'_>) -> Map<String, Json> {
    match ty {
        Type::Bool => typed("boolean"),
        Type::String => match taken.or_else(|| position.taken("")) {
            Some(Taken::Strings(strings)) => made(json!({"type": "string", "enum": strings})),
            Some(Taken::Format(CHAR)) => one_letter(typed("string")),
            Some(Taken::Integers { .. } | Taken::Format(_)) | None => typed("string"),
        },
        Type::Number => match taken.or_else(|| position.taken("")) {
            Some(Taken::Integers { min, max }) => whole_number((min, max.unsigned_abs()), false),
            Some(Taken::Format(form)) => match integers(form.as_bytes()) {
                Some(range) => whole_number(range, leaves_out_zero(form.as_bytes())),
                None => typed("number"),
            },
            Some(Taken::Strings(_)) | None => typed("number"),
        },
        // As Terraform stores it: the value beside its own type.
        Type::Dynamic => made(json!({
            "type": "object",
            "properties": {"type": {"type": ["string", "array"]}, "value": {}},
            "required": ["type", "value"],
        })),
        Type::List(element) => with("array", "items", position.elements("[*]", element, taken)),
        Type::Set(element) => unique(with(
            "array",
            "items",
            position.elements("[*]", element, taken),
        )),
        Type::Map(element) => {
            let map = with(
                "object",
                "additionalProperties",
                position.elements("[*]", element, taken),
            );
            position.without_tags(position.with_keys(map))
        }
        Type::Tuple(elements) => {
            let count = elements.len();
            let elements: Vec<_> = elements
                .iter()
                .enumerate()
                .map(|(index, element)| position.elements(&format!("[{index}]"), element, None))
                .collect();
            made(json!({
                "type": "array",
                "prefixItems": elements,
                "minItems": count,
                "maxItems": count,
            }))
        }
        Type::Object(fields) => {
            let members = fields.iter().map(|field| {
                let schema = plain(field.ty(), None, &position.member(field.name()));
                (
                    field.name().to_owned(),
                    Json::Object(if field.is_never_null() {
                        schema
                    } else {
                        or_null(schema)
                    }),
                )
            });
            let required: Vec<_> = fields
                .iter()
                .filter(|field| field.is_required())
                .map(Field::name)
                .collect();
            let mut schema = with("object", "properties", members.collect());
            if !required.is_empty() {
                schema.insert("required".to_owned(), json!(required));
            }
            schema
        }
        Type::Json => Map::new(),
        Type::Union(union) => {
            let (form, untagged) = (union.form(), Tagging::Untagged);
            let variants = union.variants().iter().map(|variant| {
                let tagging = if union.untagged().contains(&variant.name()) {
                    &untagged
                } else {
                    &form
                };
                of_variant(
                    tagging,
                    variant,
                    &position
                        .member(variant.name())
                        .beside(position.tags.clone()),
                )
            });
            let others = of_others(union, &form, position);
            let variants: Vec<_> = variants.chain(others).map(Json::Object).collect();
            // Not `oneOf`, because a value that several variants fit is the first of them.
            let has_untagged = matches!(form, Tagging::Untagged) || !union.untagged().is_empty();
            let junctor = if has_untagged { "anyOf" } else { "oneOf" };
            made(json!({junctor: variants}))
        }
    }
}

/// A variant of an enum with data, as a stored value has it.
fn of_variant(
    tagging: &Tagging<'_>,
    variant: &Field,
    position: &Position<'_>,
) -> Map<String, Json> {
    let is_unit = matches!(variant.ty(), Type::Tuple(elements) if elements.is_empty());
    let is_beside = !position.tags.is_empty();
    let content = || Json::Object(position.alone(variant.ty()));
    let name = json!({"const": variant.name()});
    match tagging {
        Tagging::External if is_unit && !is_beside => made(name),
        // A name alone has no place beside a tag.
        Tagging::External if is_unit => {
            with_members(vec![(variant.name(), json!({"type": "null"}))])
        }
        Tagging::External => {
            let mut schema = with_members(vec![(variant.name(), content())]);
            // Because the one member is the variant, unless it is beside a tag.
            if !is_beside {
                schema.insert("maxProperties".to_owned(), json!(1));
            }
            schema
        }
        Tagging::Internal(tag) if is_unit => with_members(vec![(tag, name)]),
        Tagging::Internal(tag) => {
            let tags = position
                .tags
                .iter()
                .cloned()
                .chain([tag.to_string()])
                .collect();
            let content = position.beside(tags).members(variant.ty());
            made(json!({"allOf": [with_members(vec![(tag, name)]), content]}))
        }
        Tagging::Adjacent(tag, _) if is_unit => with_members(vec![(tag, name)]),
        Tagging::Adjacent(tag, member) => with_members(vec![(tag, name), (member, content())]),
        Tagging::Untagged if is_unit => typed("null"),
        Tagging::Untagged if is_beside => position.members(variant.ty()),
        Tagging::Untagged => position.alone(variant.ty()),
    }
}

/// The values that the variant for other names is read from, if there is one: any name but those of
/// variants with a tag.
fn of_others(
    union: &UnionType,
    tagging: &Tagging<'_>,
    position: &Position<'_>,
) -> Option<Map<String, Json>> {
    let own = union.other()?;
    let tagged = union
        .variants()
        .iter()
        .map(Field::name)
        .filter(|name| !union.untagged().contains(name));
    let name = json!({"type": "string", "not": {"enum": tagged.collect::<Vec<_>>()}});
    match tagging {
        Tagging::External if position.tags.is_empty() => Some(made(name)),
        // Beside a tag, a member of another name may be anyone's.
        Tagging::External => Some(with_members(vec![(own, json!({"type": "null"}))])),
        Tagging::Internal(tag) | Tagging::Adjacent(tag, _) => Some(with_members(vec![(tag, name)])),
        // No such enum compiles.
        Tagging::Untagged => None,
    }
}

/// An object that has these members.
fn with_members(members: Vec<(&str, Json)>) -> Map<String, Json> {
    let required = json!(members.iter().map(|(name, _)| name).collect::<Vec<_>>());
    let members = members
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema));
    let mut schema = with("object", "properties", members.collect());
    schema.insert("required".to_owned(), required);
    schema
}

/// The members of JSON that is written down as an object.
fn made(json: Json) -> Map<String, Json> {
    match json {
        Json::Object(members) => members,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            Map::new()
        }
    }
}

fn typed(name: &str) -> Map<String, Json> {
    made(json!({"type": name}))
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
        return made(json!({"anyOf": [schema, typed("null")]}));
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
