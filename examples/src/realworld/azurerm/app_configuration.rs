//! Keys and feature flags of an app configuration store: ids of the resource manager's kind became the store's own addresses.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use upstate::{Diagnostic, Resource, UpgradeContext};

use super::Environment;
use crate::realworld::blocks::path;

/// A setting.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_app_configuration_key", version = 2)]
#[upgrade_from(1 => 2, convert(id: String, with = key_address))]
#[upgrade_from(0 => 1, convert(id: String, with = decoded))]
pub struct AppConfigurationKey {
    #[attribute(computed)]
    pub id: String,
    pub configuration_store_id: Option<String>,
    pub key: Option<String>,
    pub label: Option<String>,
    pub value: Option<String>,
}

/// A feature flag: a setting whose key has a prefix.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_app_configuration_feature", version = 1)]
#[upgrade_from(0, model = AppConfigurationFeatureV0, with = feature_address)]
pub struct AppConfigurationFeature {
    #[attribute(computed)]
    pub id: String,
    pub configuration_store_id: Option<String>,
    pub name: Option<String>,
    pub label: Option<String>,
    pub enabled: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_app_configuration_feature", version = 0)]
pub struct AppConfigurationFeatureV0 {
    #[attribute(computed)]
    pub id: String,
    pub configuration_store_id: Option<String>,
    pub name: Option<String>,
    pub label: Option<String>,
    pub enabled: Option<bool>,
}

/// How "no label" was written, in three ways over time.
const NO_LABEL: [&str; 3] = ["", "\0", "%00"];

/// The characters of a path, and of a query, that are not encoded.
const IN_PATH: AsciiSet = IN_QUERY
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');
const IN_QUERY: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

#[expect(
    clippy::needless_pass_by_value,
    reason = "the operator hands the value over"
)]
fn decoded(id: String) -> Result<String, Diagnostic> {
    let (store, key, label) = parts(&id, "AppConfigurationKey")?;
    let (key, label) = (unescaped(key)?, unescaped(label)?);
    let base = format!("{store}/AppConfigurationKey/{key}/Label/{label}");
    // The release that wrote version 1 took an id without a label for its own store; version 2 undoes it.
    if label == "\0" {
        Ok(format!("{base}/AppConfigurationKey/{key}/Label/"))
    } else {
        Ok(base)
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the operator hands the value over"
)]
fn key_address(id: String) -> Result<String, Diagnostic> {
    let (store, key, label) = parts(&id, "AppConfigurationKey")?;
    let label = match label.split_once('\0') {
        Some(("", again)) if again == format!("/AppConfigurationKey/{key}/Label/") => "",
        _ => label,
    };
    address(store, "azconfig.io", key, label)
}

fn feature_address(
    prior: AppConfigurationFeatureV0,
    context: &mut UpgradeContext<'_>,
) -> Result<AppConfigurationFeature, Diagnostic> {
    let suffix = Environment::of(context).app_configuration_suffix;
    let (store, name, label) = parts(&prior.id, "AppConfigurationFeature")?;
    let id = address(
        store,
        &suffix,
        &format!(".appconfig.featureflag/{name}"),
        label,
    )?;
    let AppConfigurationFeatureV0 {
        configuration_store_id,
        name,
        label,
        enabled,
        ..
    } = prior;
    Ok(AppConfigurationFeature {
        id,
        configuration_store_id,
        name,
        label,
        enabled,
    })
}

/// Store, key and label of an id. The last two may hold slashes.
fn parts<'id>(id: &'id str, kind: &str) -> Result<(&'id str, &'id str, &'id str), Diagnostic> {
    let found = id
        .split_once(&format!("/{kind}/"))
        .and_then(|(store, rest)| {
            let (key, label) = rest.split_once("/Label/")?;
            (!key.is_empty()).then_some((store, key, label))
        });
    found.ok_or_else(|| {
        let detail = format!(
            "Expected an id of the form {{store}}/{kind}/{{key}}/Label/{{label}}, found {id:?}."
        );
        Diagnostic::error("Unreadable Resource ID", detail).at(path("id"))
    })
}

fn address(store: &str, suffix: &str, key: &str, label: &str) -> Result<String, Diagnostic> {
    let name = store
        .rsplit_once("/configurationStores/")
        .map(|(_, name)| name)
        .filter(|name| !name.is_empty());
    let Some(name) = name else {
        let detail = format!("Expected the id of a configuration store, found {store:?}.");
        return Err(Diagnostic::error("Unreadable Resource ID", detail).at(path("id")));
    };
    let key = utf8_percent_encode(key, &IN_PATH);
    let label = if NO_LABEL.contains(&label) { "" } else { label };
    // In a query a space is a plus sign.
    let label = utf8_percent_encode(label, &IN_QUERY)
        .to_string()
        .replace("%20", "+");
    Ok(format!("https://{name}.{suffix}/kv/{key}?label={label}"))
}

fn unescaped(text: &str) -> Result<String, Diagnostic> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    decoded.map(Into::into).map_err(|_| {
        let detail = format!("{text:?} is not UTF-8 once its percent signs are decoded.");
        Diagnostic::error("Unreadable Resource ID", detail).at(path("id"))
    })
}
