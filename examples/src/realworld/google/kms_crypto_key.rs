//! `google_kms_crypto_key`: short ids of two lengths became full paths, the shorter with a project from the configuration.

use upstate::{Diagnostic, Resource, UpgradeContext};

use super::ProviderConfig;
use crate::realworld::blocks::path;

/// A key of the key management service.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_kms_crypto_key", version = 1)]
#[upgrade_from(0, model = CryptoKeyV0, with = from_v0)]
pub struct CryptoKey {
    #[attribute(computed)]
    pub id: Option<String>,
    pub key_ring: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_kms_crypto_key", version = 0)]
pub struct CryptoKeyV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub key_ring: String,
}

fn from_v0(prior: CryptoKeyV0, context: &mut UpgradeContext<'_>) -> Result<CryptoKey, Diagnostic> {
    let configured = context.client::<ProviderConfig>().and_then(|config| config.project.as_deref());
    let parts: Vec<&str> = prior.key_ring.split('/').collect();
    let (project, location, ring) = match parts.as_slice() {
        ["projects", project, "locations", location, "keyRings", ring] | [project, location, ring] => {
            (*project, *location, *ring)
        }
        [location, ring] => (configured.ok_or_else(unknown_project)?, *location, *ring),
        _ => return Err(unreadable(&prior.key_ring)),
    };
    if [project, location, ring].contains(&"") {
        return Err(unreadable(&prior.key_ring));
    }
    Ok(CryptoKey { id: prior.id, key_ring: format!("projects/{project}/locations/{location}/keyRings/{ring}") })
}

fn unknown_project() -> Diagnostic {
    let detail = "The stored key ring names no project, and the provider configuration has none either.";
    Diagnostic::error("Unknown Project", detail).at(path("key_ring"))
}

fn unreadable(key_ring: &str) -> Diagnostic {
    let detail = format!(
        "Expected projects/{{project}}/locations/{{location}}/keyRings/{{name}}, {{project}}/{{location}}/{{name}} or \
         {{location}}/{{name}}, found {key_ring:?}."
    );
    Diagnostic::error("Unreadable Key Ring", detail).at(path("key_ring"))
}
