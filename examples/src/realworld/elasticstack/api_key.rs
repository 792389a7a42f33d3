//! `elasticstack_elasticsearch_security_api_key`: empty strings became null, then every key got a type.

use upstate::Resource;

/// A key for the cluster's API.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_security_api_key", version = 2)]
#[upgrade_from(1 => 2, default(kind = "rest", when = empty))]
#[upgrade_from(0 => 1, null_if((expiration, metadata, role_descriptors), ""), set(kind = null))]
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
