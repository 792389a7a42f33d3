//! `elasticstack_elasticsearch_security_role`: a list of one became an object inside of every element, empty strings became null.

use std::collections::BTreeSet;

use upstate::{Object, Resource};

/// What somebody may read and do.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_security_role", version = 1)]
#[upgrade_from(0 => 1, null_if((global, metadata), ""), within(indices, unwrap(field_security), null_if(query, "")))]
pub struct SecurityRole {
    #[attribute(computed)]
    pub id: Option<String>,
    pub global: Option<String>,
    pub indices: Option<BTreeSet<RoleIndices>>,
    pub metadata: Option<String>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
pub struct RoleIndices {
    pub field_security: Option<FieldSecurity>,
    #[attribute(set)]
    pub names: Vec<String>,
    pub query: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
pub struct FieldSecurity {
    pub except: Option<Vec<String>>,
    pub grant: Option<Vec<String>>,
}
