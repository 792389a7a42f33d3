//! `Scalr/scalr`.

use std::collections::BTreeSet;

use upstate::{Diagnostic, Resource};

/// What may be done. A permission of version 0 was split in two: who had it has both.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "scalr_role", version = 1)]
#[upgrade_from(0 => 1, convert(permissions: BTreeSet<String>, with = with_quotas))]
pub struct Role {
    #[attribute(computed)]
    pub id: Option<String>,
    pub name: Option<String>,
    pub permissions: BTreeSet<String>,
}

#[expect(clippy::unnecessary_wraps, reason = "what `convert` calls may fail")]
fn with_quotas(mut permissions: BTreeSet<String>) -> Result<BTreeSet<String>, Diagnostic> {
    if permissions.contains("accounts:update") && permissions.contains("global-scope:read") {
        permissions.insert("accounts:set-quotas".to_owned());
    }
    Ok(permissions)
}

/// Where the source of a workspace is.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "scalr_vcs_provider", version = 1)]
#[upgrade_from(0 => 1, set(username = ""))]
pub struct VcsProvider {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    #[attribute(sensitive)]
    pub token: String,
    pub url: Option<String>,
    pub username: Option<String>,
    pub vcs_type: String,
}
