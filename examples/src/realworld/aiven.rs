//! `aiven/aiven`.

use std::collections::BTreeMap;

use upstate::{Object, Resource};

/// No resource: what the provider tests its own table of types with. Only the attributes that the table names are converted.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "typeupgrader", version = 1)]
#[upgrade_from(0 => 1, convert((bool: Option<String>, int: Option<String>), empty = zero))]
pub struct TypeUpgrader {
    pub bool: Option<bool>,
    pub int: Option<i64>,
    pub map: Option<Vec<BTreeMap<String, String>>>,
}

/// A managed `PostgreSQL` service, its settings typed.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aiven_pg", version = 1)]
#[upgrade_from(0 => 1,
    within(pg_user_config,
        convert(
            (
                backup_hour: Option<String>, enable_ipv6: Option<String>, shared_buffers_percentage: Option<String>,
                static_ips: Option<String>
            ),
            empty = zero
        ),
        within(pg,
            convert(
                (autovacuum_vacuum_scale_factor: Option<String>, jit: Option<String>, log_min_duration_statement: Option<String>),
                empty = zero
            )
        ),
        within(public_access, convert((pg: Option<String>, pgbouncer: Option<String>), empty = zero))
    ),
)]
pub struct Pg {
    #[attribute(computed)]
    pub id: Option<String>,
    pub pg_user_config: Option<Vec<PgUserConfig>>,
    #[attribute(computed, sensitive)]
    pub service_password: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PgUserConfig {
    pub backup_hour: Option<i64>,
    pub enable_ipv6: Option<bool>,
    pub pg: Option<Vec<PgSettings>>,
    pub public_access: Option<Vec<PublicAccess>>,
    pub shared_buffers_percentage: Option<f64>,
    pub static_ips: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PgSettings {
    pub autovacuum_vacuum_scale_factor: Option<f64>,
    pub jit: Option<bool>,
    pub log_min_duration_statement: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PublicAccess {
    pub pg: Option<bool>,
    pub pgbouncer: Option<bool>,
}
