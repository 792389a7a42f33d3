//! `aws_key_pair`: white space around a key is no part of it.

use upstate::Resource;

/// A public key known to the cloud.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_key_pair", version = 1)]
#[upgrade_from(0, model = KeyPairV0)]
pub struct KeyPair {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(computed)]
    pub fingerprint: Option<String>,
    #[attribute(optional, computed)]
    pub key_name: Option<String>,
    pub public_key: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_key_pair", version = 0)]
pub struct KeyPairV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(computed)]
    pub fingerprint: Option<String>,
    #[attribute(optional, computed)]
    pub key_name: Option<String>,
    pub public_key: String,
}

impl From<KeyPairV0> for KeyPair {
    fn from(prior: KeyPairV0) -> Self {
        Self {
            id: prior.id,
            fingerprint: prior.fingerprint,
            key_name: prior.key_name,
            public_key: prior.public_key.trim().to_owned(),
        }
    }
}
