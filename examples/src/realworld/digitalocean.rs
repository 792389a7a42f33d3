//! `digitalocean/digitalocean`.

use upstate::Resource;

/// A TLS certificate. Its id is its name, since the API's own id changes at each renewal.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "digitalocean_certificate", version = 1)]
#[upgrade_from(0 => 1, copy(id => uuid, name => id))]
pub struct Certificate {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    #[attribute(sensitive)]
    pub private_key: Option<String>,
    #[attribute(computed)]
    pub uuid: String,
}
