//! `aiven/aiven`.

use std::collections::BTreeMap;

use upstate::{Object, Resource};

/// No resource: what the provider tests its own table of types with. Only the attributes that the table names are converted.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "typeupgrader", version = 1)]
#[upgrade_from(0, model = TypeUpgraderV0, convert((bool, int), empty = zero))]
pub struct TypeUpgrader {
    pub bool: Option<bool>,
    pub int: Option<i64>,
    pub map: Option<Vec<BTreeMap<String, String>>>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "typeupgrader", version = 0)]
pub struct TypeUpgraderV0 {
    pub bool: Option<String>,
    pub int: Option<String>,
    pub map: Option<Vec<BTreeMap<String, String>>>,
}

/// A managed `PostgreSQL` service, its settings typed.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aiven_pg", version = 1)]
#[upgrade_from(0, model = PgV0, carry)]
pub struct Pg {
    #[attribute(computed)]
    pub id: Option<String>,
    pub pg_user_config: Option<Vec<PgUserConfig>>,
    #[attribute(computed, sensitive)]
    pub service_password: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(
    model = PgUserConfigV0,
    convert((backup_hour, enable_ipv6, shared_buffers_percentage, static_ips), empty = zero)
)]
pub struct PgUserConfig {
    pub backup_hour: Option<i64>,
    pub enable_ipv6: Option<bool>,
    pub pg: Option<Vec<PgSettings>>,
    pub public_access: Option<Vec<PublicAccess>>,
    pub shared_buffers_percentage: Option<f64>,
    pub static_ips: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(
    model = PgSettingsV0,
    convert((autovacuum_vacuum_scale_factor, jit, log_min_duration_statement), empty = zero)
)]
pub struct PgSettings {
    pub autovacuum_vacuum_scale_factor: Option<f64>,
    pub jit: Option<bool>,
    pub log_min_duration_statement: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = PublicAccessV0, convert((pg, pgbouncer), empty = zero))]
pub struct PublicAccess {
    pub pg: Option<bool>,
    pub pgbouncer: Option<bool>,
}

/// The service while every setting was a text.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aiven_pg", version = 0)]
pub struct PgV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub pg_user_config: Option<Vec<PgUserConfigV0>>,
    #[attribute(computed, sensitive)]
    pub service_password: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PgUserConfigV0 {
    pub backup_hour: Option<String>,
    pub enable_ipv6: Option<String>,
    pub pg: Option<Vec<PgSettingsV0>>,
    pub public_access: Option<Vec<PublicAccessV0>>,
    pub shared_buffers_percentage: Option<String>,
    pub static_ips: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PgSettingsV0 {
    pub autovacuum_vacuum_scale_factor: Option<String>,
    pub jit: Option<String>,
    pub log_min_duration_statement: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PublicAccessV0 {
    pub pg: Option<String>,
    pub pgbouncer: Option<String>,
}
