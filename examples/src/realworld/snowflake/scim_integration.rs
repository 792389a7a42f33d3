//! `snowflake_scim_integration`: a rename, a bool that had to tell "unset" apart, a default for some.

use upstate::Resource;

/// A link to a user directory. Version 0 goes through version 1, which knows its own past.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "snowflake_scim_integration", version = 2)]
#[upgrade_from(1 => 2,
    only_if(fits(scim_client, "AZURE", ignore_case), set(sync_password = "default")),
    drop(sync_password, "Azure does not support it"),
)]
#[upgrade_from(0 => 1, rename(provisioner_role => run_as_role), convert(enabled: bool), set(sync_password = null))]
pub struct ScimIntegration {
    #[attribute(computed)]
    pub id: Option<String>,
    pub enabled: String,
    pub run_as_role: String,
    pub scim_client: String,
    /// `true`, `false`, or `default` for what the server does unasked.
    pub sync_password: Option<String>,
}
