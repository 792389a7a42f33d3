//! `aws_key_pair`: white space around a key is no part of it.

use upstate::{Diagnostic, Resource};

/// A public key known to the cloud.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_key_pair", version = 1)]
#[upgrade_from(0, model = KeyPairV0, convert(public_key, with = trimmed))]
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

fn trimmed(key: String) -> Result<String, Diagnostic> {
    Ok(key.trim().to_owned())
}
