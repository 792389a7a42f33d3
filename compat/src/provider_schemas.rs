//! The output of `terraform providers schema -json`.

use std::collections::BTreeMap;

use serde::Deserialize;
use upstate::schema::Schema;

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    provider_schemas: BTreeMap<String, Provider>,
}

#[derive(Deserialize)]
struct Provider {
    #[serde(default)]
    resource_schemas: BTreeMap<String, Schema>,
}

/// The resources of one provider, by type name. Of several providers the one called `provider`, by its whole address or the last part
/// of it. The error is a sentence.
pub(crate) fn resources(json: &[u8], provider: Option<&str>) -> Result<BTreeMap<String, Schema>, String> {
    let document: Document =
        serde_json::from_slice(json).map_err(|error| format!("not the output of `terraform providers schema -json`: {error}"))?;
    let names: Vec<String> = document.provider_schemas.keys().cloned().collect();
    let fits = |name: &str| provider.is_none_or(|asked| asked == name || name.rsplit('/').next() == Some(asked));
    let mut found = document.provider_schemas.into_iter().filter(|(name, _)| fits(name));
    match (found.next(), found.next()) {
        (Some((_, schemas)), None) => Ok(schemas.resource_schemas),
        _ => Err(format!("name one provider, of {}", names.join(", "))),
    }
}
