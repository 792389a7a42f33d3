//! The provider itself: schemas and capabilities.

use std::collections::BTreeMap;

use upstate::schema::{Attribute, Presence, Schema};
use upstate::{Diagnostics, ResourceDefinition};

use super::Service;
use crate::proto::schema::{v5, v6};
use crate::proto::{
    GetResourceIdentitySchemasResponse, IdentityAttribute, ResourceIdentitySchema,
    ServerCapabilities, TypeName,
};
use crate::wire::diagnostics::to_wire;
use crate::wire::schema::{p5, p6};

/// Plans of destructions are asked for, so that a resource can refuse one; schemas are asked for
/// once and not by each process.
const CAPABILITIES: ServerCapabilities = ServerCapabilities {
    plan_destroy: true,
    get_provider_schema_optional: true,
    move_resource_state: true,
    generate_resource_config: true,
};

/// Adds the answer for one protocol.
macro_rules! schema_answer {
    ($name:ident, $metadata:ident, $protocol:ident, $messages:ident) => {
        pub(super) fn $name(&self) -> $messages::GetProviderSchemaResponse {
            let parts = &self.0.parts;
            let mut problems = parts.problems();
            let provider = $protocol::configuration(parts.config_schema, &mut problems);
            let provider_meta = parts
                .meta_schema
                .map(|meta| $protocol::configuration(meta, &mut problems));
            let schema = |(name, definition): (&str, &ResourceDefinition)| {
                (
                    name.to_owned(),
                    $protocol::schema(definition.schema(), &mut problems),
                )
            };
            let resource_schemas = self.definitions().map(schema).collect();
            let written = |name: &str, schema: &Schema, problems: &mut _| {
                (name.to_owned(), $protocol::configuration(schema, problems))
            };
            let list_resource_schemas = parts
                .list_resources
                .iter()
                .map(|(name, it)| written(name, it.schema(), &mut problems))
                .collect();
            let action = |(name, schema)| {
                (
                    name,
                    $messages::ActionSchema {
                        schema: Some(schema),
                    },
                )
            };
            let action_schemas = parts
                .actions
                .iter()
                .map(|(name, it)| action(written(name, it.schema(), &mut problems)))
                .collect();
            let mut alone = |name: &str, schema: &Schema| {
                (name.to_owned(), $protocol::schema(schema, &mut problems))
            };
            let data_source_schemas = parts
                .data_sources
                .iter()
                .map(|(name, it)| alone(name, it.schema()))
                .collect();
            let ephemeral_resource_schemas = parts
                .ephemeral_resources
                .iter()
                .map(|(name, it)| alone(name, it.schema()))
                .collect();
            if !problems.is_empty() {
                // The response has no schema, because Terraform would add in its own words what it
                // finds wrong with that.
                let diagnostics = to_wire(problems);
                return $messages::GetProviderSchemaResponse {
                    diagnostics,
                    ..Default::default()
                };
            }
            $messages::GetProviderSchemaResponse {
                provider: Some(provider),
                resource_schemas,
                data_source_schemas,
                ephemeral_resource_schemas,
                list_resource_schemas,
                action_schemas,
                provider_meta,
                functions: self.described_functions(),
                diagnostics: Vec::new(),
                server_capabilities: Some(CAPABILITIES),
            }
        }

        pub(super) fn $metadata(&self) -> $messages::GetMetadataResponse {
            let parts = &self.0.parts;
            $messages::GetMetadataResponse {
                server_capabilities: Some(CAPABILITIES),
                diagnostics: to_wire(parts.problems()),
                data_sources: names(&parts.data_sources),
                resources: names(&parts.resources),
                functions: names(&parts.functions),
                ephemeral_resources: names(&parts.ephemeral_resources),
                list_resources: names(&parts.list_resources),
                actions: names(&parts.actions),
            }
        }
    };
}

impl Service {
    schema_answer!(schema_v5, metadata_v5, p5, v5);
    schema_answer!(schema_v6, metadata_v6, p6, v6);

    fn definitions(&self) -> impl Iterator<Item = (&'static str, &'static ResourceDefinition)> {
        self.0
            .parts
            .resources
            .iter()
            .map(|(name, resource)| (*name, resource.definition()))
    }

    pub(super) fn identity_schemas(&self) -> GetResourceIdentitySchemasResponse {
        let identities = self
            .0
            .parts
            .resources
            .iter()
            .filter_map(|(name, resource)| Some((*name, resource.identity()?)));
        let identity_schemas = identities
            .map(|(name, definition)| (name.to_owned(), identity_schema(definition)))
            .collect();
        GetResourceIdentitySchemasResponse {
            identity_schemas,
            diagnostics: to_wire(Diagnostics::new()),
        }
    }
}

fn names<T>(all: &BTreeMap<&'static str, T>) -> Vec<TypeName> {
    all.keys()
        .map(|name| TypeName {
            type_name: (*name).to_owned(),
        })
        .collect()
}

fn identity_schema(definition: &ResourceDefinition) -> ResourceIdentitySchema {
    let attribute = |attribute: &Attribute| IdentityAttribute {
        name: attribute.name().to_owned(),
        r#type: attribute.implied_type().to_string().into_bytes(),
        required_for_import: attribute.presence() == Presence::Required,
        optional_for_import: attribute.presence() != Presence::Required,
        description: attribute.description().to_owned(),
    };
    ResourceIdentitySchema {
        version: i64::try_from(definition.version()).unwrap_or(i64::MAX),
        identity_attributes: definition
            .schema()
            .block()
            .attributes()
            .iter()
            .map(attribute)
            .collect(),
    }
}
