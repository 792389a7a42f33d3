//! `aws_key_pair`: white space around a key is not part of it.

use upstate::Resource;

/// A public key known to the cloud.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_key_pair", version = 1)]
#[upgrade_from(0 => 1, convert(public_key, trimmed))]
pub struct KeyPair {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(computed)]
    pub fingerprint: Option<String>,
    #[attribute(optional, computed)]
    pub key_name: Option<String>,
    pub public_key: String,
}
