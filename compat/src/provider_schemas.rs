//! The output of `terraform providers schema -json`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use upstate::schema::Schema;

use crate::kind::Kind;
use crate::snapshot::{AttributeSnapshot, IdentitySnapshot, ResourceSnapshot, Signature};
use crate::stored_type::StoredType;

/// Schemas are kept as they are until somebody asks: later releases may add what this one cannot
/// read, and that concerns one of them.
#[derive(Deserialize)]
pub(crate) struct Provider {
    #[serde(default)]
    resource_schemas: BTreeMap<String, Json>,
    #[serde(rename = "provider")]
    configuration: Option<Json>,
    #[serde(default)]
    data_source_schemas: BTreeMap<String, Json>,
    #[serde(default)]
    ephemeral_resource_schemas: BTreeMap<String, Json>,
    #[serde(default)]
    list_resource_schemas: BTreeMap<String, Json>,
    #[serde(default)]
    action_schemas: BTreeMap<String, Json>,
    #[serde(default)]
    functions: BTreeMap<String, Function>,
    #[serde(default)]
    resource_identity_schemas: BTreeMap<String, Identity>,
}

#[derive(Deserialize)]
struct Function {
    #[serde(default)]
    summary: String,
    #[serde(default)]
    description: String,
    deprecation_message: Option<String>,
    return_type: StoredType,
    #[serde(default)]
    parameters: Vec<Parameter>,
    variadic_parameter: Option<Parameter>,
}

#[derive(Deserialize)]
struct Parameter {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    is_nullable: bool,
    #[serde(rename = "type")]
    ty: StoredType,
}

#[derive(Deserialize)]
struct Identity {
    #[serde(default)]
    version: u64,
    #[serde(default)]
    attributes: BTreeMap<String, IdentityAttribute>,
}

#[derive(Deserialize)]
struct IdentityAttribute {
    #[serde(rename = "type")]
    ty: StoredType,
    #[serde(default)]
    description: String,
    #[serde(default)]
    required_for_import: bool,
    #[serde(default)]
    optional_for_import: bool,
}

/// One provider of a document. Of several the one called `wanted`, by its whole address or the last
/// part of it. The error is a sentence.
pub(crate) fn provider(json: &[u8], wanted: Option<&str>) -> Result<Provider, String> {
    let wrong =
        |why: String| format!("not the output of `terraform providers schema -json`: {why}");
    let document: Json = serde_json::from_slice(json).map_err(|error| wrong(unreadable(&error)))?;
    let Json::Object(mut document) = document else {
        return Err(wrong("it is not a JSON object".to_owned()));
    };
    // The form was 0.1 and 0.2 before it was 1.0; only its first number says that readers have to
    // change.
    if let Some(format) = document.get("format_version").and_then(Json::as_str)
        && !matches!(format.split('.').next(), Some("0" | "1"))
    {
        return Err(format!(
            "its format is {format:?}, which this release of upstate cannot read: it reads 1.0"
        ));
    }
    // A program with upstate prints this for `schema --format json`: schemas by type name, with
    // nothing around them.
    let is_schema = |schema: &Json| schema.get("block").is_some_and(Json::is_object);
    if !document.contains_key("provider_schemas")
        && !document.is_empty()
        && document.values().all(is_schema)
    {
        return serde_json::from_value(json!({ "resource_schemas": document }))
            .map_err(|error| wrong(error.to_string()));
    }
    let schemas = document.remove("provider_schemas").unwrap_or_default();
    let schemas: BTreeMap<String, Json> = match schemas {
        Json::Null => BTreeMap::new(),
        Json::Object(schemas) => schemas.into_iter().collect(),
        Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            return Err(wrong("its `provider_schemas` is not an object".to_owned()));
        }
    };
    let fits = |name: &str| {
        wanted.is_none_or(|wanted| wanted == name || name.rsplit('/').next() == Some(wanted))
    };
    let found: Vec<&String> = schemas.keys().filter(|name| fits(name)).collect();
    let listed = |names: &[&String]| {
        names
            .iter()
            .map(|name| name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    match (&found[..], wanted) {
        ([name], _) => {
            let schema = schemas.get(*name).cloned().unwrap_or_default();
            serde_json::from_value(schema).map_err(|error| wrong(format!("{name}: {error}")))
        }
        ([], _) if schemas.is_empty() => Err(
            "it has no provider: run `terraform providers schema -json` in a folder whose configuration requires the provider, after `terraform init`"
                .to_owned(),
        ),
        ([], Some(wanted)) => Err(format!("it has no provider {wanted:?}, only {}", listed(&schemas.keys().collect::<Vec<_>>()))),
        (several, _) => Err(format!("it has several providers; say which one with `--provider`: {}", listed(several))),
    }
}

/// The reason why a document is not JSON, in plain words.
fn unreadable(error: &serde_json::Error) -> String {
    if error.is_eof() && error.column() == 0 {
        return "it is empty".to_owned();
    }
    if error.is_eof() {
        return format!(
            "it ends at line {}, column {}, in the middle: is the file complete?",
            error.line(),
            error.column()
        );
    }
    format!("it is not JSON: {error}")
}

impl Provider {
    /// The schemas of the resources, by type; for one that cannot be read, the sentence that says
    /// why.
    pub(crate) fn resources(&self) -> BTreeMap<&str, Result<Schema, String>> {
        self.resource_schemas
            .iter()
            .map(|(type_name, json)| (type_name.as_str(), read(json.clone())))
            .collect()
    }

    /// Everything but resources, by its address. The error is a sentence.
    pub(crate) fn served(&self) -> Result<BTreeMap<String, ResourceSnapshot>, String> {
        let mut served = BTreeMap::new();
        let kinds = [
            (Kind::Data, &self.data_source_schemas),
            (Kind::Ephemeral, &self.ephemeral_resource_schemas),
            (Kind::List, &self.list_resource_schemas),
            (Kind::Action, &self.action_schemas),
        ];
        for (kind, schemas) in kinds {
            for (name, schema) in schemas {
                let address = format!("{}.{name}", kind.name());
                let snapshot =
                    snapshot(kind, schema).map_err(|error| format!("{address}: {error}"))?;
                served.insert(address, snapshot);
            }
        }
        // A provider that is not configured has a schema without a block.
        if let Some(schema) = self
            .configuration
            .as_ref()
            .filter(|schema| schema.get("block").is_some())
        {
            let snapshot =
                snapshot(Kind::Provider, schema).map_err(|error| format!("provider: {error}"))?;
            served.insert(Kind::Provider.name().to_owned(), snapshot);
        }
        for (name, function) in &self.functions {
            served.insert(format!("{}.{name}", Kind::Function.name()), function.into());
        }
        Ok(served)
    }

    /// The identity of a resource. No document says the type name of its model.
    pub(crate) fn identity(&self, type_name: &str) -> Option<IdentitySnapshot> {
        let Identity {
            version,
            attributes,
        } = self.resource_identity_schemas.get(type_name)?;
        let attribute = |(name, attribute): (&String, &IdentityAttribute)| {
            let snapshot = AttributeSnapshot {
                ty: Some(attribute.ty.clone()),
                required: attribute.required_for_import,
                optional: attribute.optional_for_import,
                computed: !attribute.required_for_import && !attribute.optional_for_import,
                description: attribute.description.clone(),
                ..AttributeSnapshot::default()
            };
            (name.clone(), snapshot)
        };
        let attributes = attributes.iter().map(attribute).collect();
        let schema = ResourceSnapshot {
            version: *version,
            attributes,
            ..ResourceSnapshot::default()
        };
        Some(IdentitySnapshot {
            type_name: String::new(),
            schema,
        })
    }
}

/// A schema as a document has it.
fn read(schema: Json) -> Result<Schema, String> {
    serde_json::from_value(schema).map_err(|error| error.to_string())
}

fn snapshot(kind: Kind, schema: &Json) -> Result<ResourceSnapshot, String> {
    let mut schema = schema.clone();
    if let Json::Object(members) = &mut schema {
        // Nothing of these kinds is stored under a version, and some documents leave it out, so it
        // is always 0.
        members.insert("version".to_owned(), json!(0));
    }
    let schema = read(schema)?;
    Ok(ResourceSnapshot {
        kind: Some(kind.name().to_owned()),
        knows_forms: false,
        ..ResourceSnapshot::from(&schema)
    })
}

impl From<&Function> for ResourceSnapshot {
    fn from(function: &Function) -> Self {
        let parameters: Vec<(&Parameter, StoredType)> = function
            .parameters
            .iter()
            .map(|parameter| (parameter, parameter.ty.clone()))
            // A model has the arguments as a list.
            .chain(
                function
                    .variadic_parameter
                    .iter()
                    .map(|last| (last, StoredType::List(Box::new(last.ty.clone())))),
            )
            .collect();
        let signature = Signature {
            parameters: parameters
                .iter()
                .map(|(parameter, _)| parameter.name.clone())
                .collect(),
            variadic: function.variadic_parameter.is_some(),
            result: function.return_type.clone(),
        };
        let attributes = parameters.into_iter().map(|(parameter, ty)| {
            let snapshot = AttributeSnapshot {
                ty: Some(ty),
                required: !parameter.is_nullable,
                optional: parameter.is_nullable,
                nullable: Some(parameter.is_nullable),
                description: parameter.description.clone(),
                ..AttributeSnapshot::default()
            };
            (parameter.name.clone(), snapshot)
        });
        let description = if function.description.is_empty() {
            &function.summary
        } else {
            &function.description
        };
        Self {
            kind: Some(Kind::Function.name().to_owned()),
            attributes: attributes.collect(),
            signature: Some(signature),
            description: description.clone(),
            deprecated: function
                .deprecation_message
                .as_ref()
                .map(|message| crate::Deprecation {
                    message: message.clone(),
                    ..crate::Deprecation::default()
                }),
            ..Self::default()
        }
    }
}
