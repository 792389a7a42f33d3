//! `aws_key_pair`: white space around a key is not part of it.

use upstate::{Diagnostic, Resource};

/// A public key known to the cloud.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_key_pair", version = 1)]
#[upgrade_from(0 => 1, convert(public_key: String, with = trimmed))]
pub struct KeyPair {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(computed)]
    pub fingerprint: Option<String>,
    #[attribute(optional, computed)]
    pub key_name: Option<String>,
    pub public_key: String,
}

#[expect(clippy::needless_pass_by_value, reason = "upgrades take what they replace")]
fn trimmed(key: String) -> Result<String, Diagnostic> {
    let trimmed = key.trim();
    if trimmed.is_empty() {
        return Err(Diagnostic::error("Missing Key", "there is nothing but white space"));
    }
    Ok(trimmed.to_owned())
}
