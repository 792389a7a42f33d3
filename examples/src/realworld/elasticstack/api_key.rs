//! `elasticstack_elasticsearch_security_api_key`: empty texts became null, then every key got a type.

use upstate::Resource;

use crate::realworld::blocks::empty_as_null;

/// A key for the cluster's API.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_security_api_key", version = 2)]
#[upgrade_from(1, model = ApiKeyV1)]
pub struct ApiKey {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed, sensitive)]
    pub api_key: Option<String>,
    pub expiration: Option<String>,
    #[attribute(computed)]
    pub key_id: String,
    #[attribute(optional, computed)]
    pub metadata: Option<String>,
    pub name: String,
    pub role_descriptors: Option<String>,
    #[attribute(name = "type")]
    pub kind: Option<String>,
}

/// Late releases of version 1 could name the type already.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_security_api_key", version = 1)]
#[upgrade_from(0, model = ApiKeyV0)]
pub struct ApiKeyV1 {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed, sensitive)]
    pub api_key: Option<String>,
    pub expiration: Option<String>,
    #[attribute(computed)]
    pub key_id: String,
    #[attribute(optional, computed)]
    pub metadata: Option<String>,
    pub name: String,
    pub role_descriptors: Option<String>,
    #[attribute(name = "type")]
    pub kind: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_security_api_key", version = 0)]
pub struct ApiKeyV0 {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed, sensitive)]
    pub api_key: Option<String>,
    pub expiration: Option<String>,
    #[attribute(computed)]
    pub key_id: String,
    #[attribute(optional, computed)]
    pub metadata: Option<String>,
    pub name: String,
    pub role_descriptors: Option<String>,
}

impl From<ApiKeyV0> for ApiKeyV1 {
    fn from(prior: ApiKeyV0) -> Self {
        Self {
            id: prior.id,
            api_key: prior.api_key,
            expiration: empty_as_null(prior.expiration),
            key_id: prior.key_id,
            metadata: empty_as_null(prior.metadata),
            name: prior.name,
            role_descriptors: empty_as_null(prior.role_descriptors),
            kind: None,
        }
    }
}

impl From<ApiKeyV1> for ApiKey {
    fn from(prior: ApiKeyV1) -> Self {
        Self {
            id: prior.id,
            api_key: prior.api_key,
            expiration: prior.expiration,
            key_id: prior.key_id,
            metadata: prior.metadata,
            name: prior.name,
            role_descriptors: prior.role_descriptors,
            kind: empty_as_null(prior.kind).or_else(|| Some("rest".to_owned())),
        }
    }
}
