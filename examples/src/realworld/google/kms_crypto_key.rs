//! `google_kms_crypto_key`: short ids of two lengths became full paths, the shorter with a project from the configuration.

use upstate::{Diagnostic, Resource, UpgradeContext};

use super::ProviderConfig;

/// A key of the key management service.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_kms_crypto_key", version = 1)]
#[upgrade_from(0 => 1, convert(key_ring: String, with = full_name, context))]
pub struct CryptoKey {
    #[attribute(computed)]
    pub id: Option<String>,
    pub key_ring: String,
}

fn full_name(key_ring: String, context: &UpgradeContext<'_>) -> Result<String, Diagnostic> {
    let configured = context
        .client::<ProviderConfig>()
        .and_then(|config| config.project.as_deref());
    let parts: Vec<&str> = key_ring.split('/').collect();
    let (project, location, ring) = match parts.as_slice() {
        ["projects", _, "locations", _, "keyRings", _] if !parts.contains(&"") => {
            return Ok(key_ring);
        }
        [project, location, ring] => (*project, *location, *ring),
        [location, ring] => (configured.ok_or_else(unknown_project)?, *location, *ring),
        _ => return Err(unreadable(&key_ring)),
    };
    if [project, location, ring].contains(&"") {
        return Err(unreadable(&key_ring));
    }
    Ok(format!(
        "projects/{project}/locations/{location}/keyRings/{ring}"
    ))
}

fn unknown_project() -> Diagnostic {
    let detail =
        "The stored key ring names no project, and the provider configuration has none either.";
    Diagnostic::error("Unknown Project", detail)
}

fn unreadable(key_ring: &str) -> Diagnostic {
    let detail = format!(
        "Expected projects/{{project}}/locations/{{location}}/keyRings/{{name}}, {{project}}/{{location}}/{{name}} or \
         {{location}}/{{name}}, found {key_ring:?}"
    );
    Diagnostic::error("Unreadable Key Ring", detail)
}
