//! `aiven/aiven`.

use upstate::{Diagnostic, Object, Resource};

use super::blocks::{each, parse_or_zero};

/// A managed `PostgreSQL` service, its settings typed.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aiven_pg", version = 1)]
#[upgrade_from(0, model = PgV0)]
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

impl TryFrom<PgV0> for Pg {
    type Error = Diagnostic;

    fn try_from(prior: PgV0) -> Result<Self, Self::Error> {
        Ok(Self {
            id: prior.id,
            pg_user_config: each("pg_user_config", prior.pg_user_config, PgUserConfig::try_from)?,
            service_password: prior.service_password,
        })
    }
}

impl TryFrom<PgUserConfigV0> for PgUserConfig {
    type Error = Diagnostic;

    fn try_from(prior: PgUserConfigV0) -> Result<Self, Self::Error> {
        Ok(Self {
            backup_hour: parse_or_zero("backup_hour", prior.backup_hour)?,
            enable_ipv6: parse_or_zero("enable_ipv6", prior.enable_ipv6)?,
            pg: each("pg", prior.pg, PgSettings::try_from)?,
            public_access: each("public_access", prior.public_access, PublicAccess::try_from)?,
            shared_buffers_percentage: parse_or_zero("shared_buffers_percentage", prior.shared_buffers_percentage)?,
            static_ips: parse_or_zero("static_ips", prior.static_ips)?,
        })
    }
}

impl TryFrom<PgSettingsV0> for PgSettings {
    type Error = Diagnostic;

    fn try_from(prior: PgSettingsV0) -> Result<Self, Self::Error> {
        Ok(Self {
            autovacuum_vacuum_scale_factor: parse_or_zero(
                "autovacuum_vacuum_scale_factor",
                prior.autovacuum_vacuum_scale_factor,
            )?,
            jit: parse_or_zero("jit", prior.jit)?,
            log_min_duration_statement: parse_or_zero("log_min_duration_statement", prior.log_min_duration_statement)?,
        })
    }
}

impl TryFrom<PublicAccessV0> for PublicAccess {
    type Error = Diagnostic;

    fn try_from(prior: PublicAccessV0) -> Result<Self, Self::Error> {
        Ok(Self { pg: parse_or_zero("pg", prior.pg)?, pgbouncer: parse_or_zero("pgbouncer", prior.pgbouncer)? })
    }
}
