//! `hashicorp/vault`.

use upstate::Resource;

/// A way to log in. There may be several of one type, at different paths.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "vault_auth_backend", version = 1)]
#[upgrade_from(0 => 1,
    copy(path => id),
    only_if(is(path, empty), copy(kind => id), copy(kind => path)),
    reformat(id, "{path..}/" => "{path}", _ => keep),
    drop(id, "it was the type"),
)]
pub struct AuthBackend {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(optional, computed)]
    pub path: Option<String>,
    #[attribute(name = "type")]
    pub kind: String,
}

/// Who belongs together. What others manage of it is left alone only where that is said.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "vault_identity_group", version = 1)]
#[upgrade_from(0 => 1, default(external_member_group_ids = false))]
pub struct IdentityGroup {
    #[attribute(computed)]
    pub id: Option<String>,
    pub external_member_group_ids: Option<bool>,
    pub name: Option<String>,
}

/// The key that signs the keys of machines.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "vault_ssh_secret_backend_ca", version = 1)]
#[upgrade_from(0 => 1, default(key_type = "ssh-rsa"))]
pub struct SshSecretBackendCa {
    #[attribute(computed)]
    pub id: Option<String>,
    pub key_type: Option<String>,
    #[attribute(optional, computed, sensitive)]
    pub private_key: Option<String>,
    #[attribute(optional, computed)]
    pub public_key: Option<String>,
}
