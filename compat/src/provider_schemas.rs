//! The output of `terraform providers schema -json`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use upstate::schema::Schema;

use crate::kind::Kind;
use crate::snapshot::{AttributeSnapshot, IdentitySnapshot, ResourceSnapshot, Signature};
use crate::stored_type::StoredType;

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    provider_schemas: BTreeMap<String, Provider>,
}

/// What is not a resource is kept as it is until somebody asks: older releases have none of it, and later ones may add to it.
#[derive(Deserialize)]
pub(crate) struct Provider {
    #[serde(default)]
    pub(crate) resource_schemas: BTreeMap<String, Schema>,
    #[serde(default, rename = "provider")]
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
    #[serde(default)]
    deprecation_message: Option<String>,
    return_type: StoredType,
    #[serde(default)]
    parameters: Vec<Parameter>,
    #[serde(default)]
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

/// One provider of a document. Of several the one called `provider`, by its whole address or the last part of it. The error is a sentence.
pub(crate) fn provider(json: &[u8], provider: Option<&str>) -> Result<Provider, String> {
    let document: Document =
        serde_json::from_slice(json).map_err(|error| format!("not the output of `terraform providers schema -json`: {error}"))?;
    let names: Vec<String> = document.provider_schemas.keys().cloned().collect();
    let fits = |name: &str| provider.is_none_or(|asked| asked == name || name.rsplit('/').next() == Some(asked));
    let mut found = document.provider_schemas.into_iter().filter(|(name, _)| fits(name));
    match (found.next(), found.next()) {
        (Some((_, schemas)), None) => Ok(schemas),
        _ => Err(format!("name one provider, of {}", names.join(", "))),
    }
}

impl Provider {
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
                let snapshot = snapshot(kind, schema).map_err(|error| format!("{address}: {error}"))?;
                served.insert(address, snapshot);
            }
        }
        // A provider that is not configured has a schema without a block.
        if let Some(schema) = self.configuration.as_ref().filter(|schema| schema.get("block").is_some()) {
            let snapshot = snapshot(Kind::Provider, schema).map_err(|error| format!("provider: {error}"))?;
            served.insert(Kind::Provider.name().to_owned(), snapshot);
        }
        for (name, function) in &self.functions {
            served.insert(format!("{}.{name}", Kind::Function.name()), function.into());
        }
        Ok(served)
    }

    /// The identity of a resource. No document says the type name of its model.
    pub(crate) fn identity(&self, type_name: &str) -> Option<IdentitySnapshot> {
        let Identity { version, attributes } = self.resource_identity_schemas.get(type_name)?;
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
        let schema = ResourceSnapshot { version: *version, attributes, ..ResourceSnapshot::default() };
        Some(IdentitySnapshot { type_name: String::new(), schema })
    }
}

fn snapshot(kind: Kind, schema: &Json) -> Result<ResourceSnapshot, String> {
    let mut schema = schema.clone();
    if let Json::Object(members) = &mut schema {
        // Nothing of it is stored under a version, which some of them leave out.
        members.insert("version".to_owned(), json!(0));
    }
    let schema: Schema = serde_json::from_value(schema).map_err(|error| error.to_string())?;
    Ok(ResourceSnapshot { kind: Some(kind.name().to_owned()), ..ResourceSnapshot::from(&schema) })
}

impl From<&Function> for ResourceSnapshot {
    fn from(function: &Function) -> Self {
        let parameters: Vec<(&Parameter, StoredType)> = function
            .parameters
            .iter()
            .map(|parameter| (parameter, parameter.ty.clone()))
            // A model has the arguments as a list.
            .chain(function.variadic_parameter.iter().map(|last| (last, StoredType::List(Box::new(last.ty.clone())))))
            .collect();
        let signature = Signature {
            parameters: parameters.iter().map(|(parameter, _)| parameter.name.clone()).collect(),
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
        let description = if function.description.is_empty() { &function.summary } else { &function.description };
        Self {
            kind: Some(Kind::Function.name().to_owned()),
            attributes: attributes.collect(),
            signature: Some(signature),
            description: description.clone(),
            deprecated: function
                .deprecation_message
                .as_ref()
                .map(|message| crate::Deprecation { message: message.clone(), ..crate::Deprecation::default() }),
            ..Self::default()
        }
    }
}
