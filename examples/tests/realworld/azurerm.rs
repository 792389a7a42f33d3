//! Addresses and ids of `azurerm`.

use serde_json::{Value, json};
use upstate::{Registry, UpgradeRequest};
use upstate_examples::realworld::azurerm::Environment;
use upstate_examples::registry;

fn upgrade(
    registry: &Registry,
    type_name: &str,
    version: u64,
    before: &Value,
) -> Result<(Value, usize), String> {
    let response = registry.upgrade(&UpgradeRequest::json(
        type_name,
        version,
        before.to_string().as_bytes(),
    ));
    let warnings = response.diagnostics().iter().count();
    match response.state() {
        Some(state) => Ok((serde_json::from_slice(state).unwrap(), warnings)),
        None => Err(response.diagnostics().to_string()),
    }
}

fn id_of(type_name: &str, version: u64, id: &str) -> Result<String, String> {
    let before = json!({"id": id, "name": "n"});
    let (after, _) = upgrade(&registry(), type_name, version, &before)?;
    Ok(after["id"].as_str().unwrap().to_owned())
}

const STORE: &str = "/subscriptions/s/resourceGroups/g/providers/Microsoft.AppConfiguration/configurationStores/store";

#[test]
fn a_key_without_a_label_survives_the_release_that_doubled_its_id() {
    let stored = format!("{STORE}/AppConfigurationKey/a%2Fb/Label/%00");
    let doubled =
        format!("{STORE}/AppConfigurationKey/a/b/Label/\0/AppConfigurationKey/a/b/Label/");
    for (version, id) in [(0, stored), (1, doubled)] {
        assert_eq!(
            id_of("azurerm_app_configuration_key", version, &id).unwrap(),
            "https://store.azconfig.io/kv/a%2Fb?label=",
            "version {version}"
        );
    }
}

#[test]
fn what_an_address_cannot_hold_is_encoded() {
    let id = format!("{STORE}/AppConfigurationKey/a b&ü/Label/c d+e");
    let address = id_of("azurerm_app_configuration_key", 1, &id).unwrap();
    assert_eq!(
        address,
        "https://store.azconfig.io/kv/a%20b&%C3%BC?label=c+d%2Be"
    );
}

#[test]
fn ids_of_another_form_are_refused() {
    let unreadable = format!("{STORE}/AppConfigurationKey/%FF/Label/");
    for (type_name, version, id) in [
        ("azurerm_app_configuration_key", 0, unreadable.as_str()),
        ("azurerm_app_configuration_key", 1, STORE),
        (
            "azurerm_app_configuration_key",
            1,
            "/AppConfigurationKey/k/Label/",
        ),
        (
            "azurerm_app_configuration_feature",
            0,
            "/configurationStores/store/AppConfigurationFeature//Label/",
        ),
        ("azurerm_data_factory", 1, "factory"),
        (
            "azurerm_dev_test_policy",
            0,
            "/subscriptions/s/resourceGroups/g/providers/Microsoft.DevTestLab/labs/l/policies/p",
        ),
        ("azurerm_monitor_action_group", 0, ""),
        (
            "azurerm_monitor_action_group",
            0,
            "/subscriptions/s/resourceGroups//providers/Microsoft.Insights/actionGroups/n",
        ),
    ] {
        let refused = id_of(type_name, version, id).unwrap_err();
        assert!(refused.contains("id"), "{id}: {refused}");
    }
}

#[test]
fn addresses_are_those_of_the_configured_cloud() {
    let china = Environment {
        app_configuration_suffix: "azconfig.azure.cn".to_owned(),
        storage_suffix: "core.chinacloudapi.cn".to_owned(),
    };
    let configured = registry().with_client(china);
    let stored = json!({"id": "old", "name": "n", "storage_account_name": "a"});
    let feature = json!({"id": format!("{STORE}/AppConfigurationFeature/f/Label/")});
    for (type_name, before, there, here) in [
        (
            "azurerm_storage_container",
            &stored,
            "https://a.blob.core.chinacloudapi.cn/n",
            "https://a.blob.core.windows.net/n",
        ),
        (
            "azurerm_storage_table",
            &stored,
            "https://a.table.core.chinacloudapi.cn/Tables('n')",
            "https://a.table.core.windows.net/Tables('n')",
        ),
        (
            "azurerm_app_configuration_feature",
            &feature,
            "https://store.azconfig.azure.cn/kv/.appconfig.featureflag%2Ff?label=",
            "https://store.azconfig.io/kv/.appconfig.featureflag%2Ff?label=",
        ),
    ] {
        let (after, warnings) = upgrade(&configured, type_name, 0, before).unwrap();
        assert_eq!((after["id"].as_str(), warnings), (Some(there), 0));
        let (after, warnings) = upgrade(&registry(), type_name, 0, before).unwrap();
        assert_eq!(
            (after["id"].as_str(), warnings),
            (Some(here), 1),
            "the public cloud, with a warning"
        );
    }
}

#[test]
fn only_a_premium_namespace_keeps_its_capacity() {
    for (sku, capacity) in [
        ("Premium", json!(4)),
        ("premium", json!(4)),
        ("Basic", Value::Null),
        ("Premium2", Value::Null),
    ] {
        let before = json!({"sku": sku, "capacity": 4});
        let (after, _) = upgrade(&registry(), "azurerm_servicebus_namespace", 0, &before).unwrap();
        assert_eq!(after["capacity"], capacity, "{sku}");
    }
}

#[test]
fn a_language_that_nobody_knows_is_refused() {
    let before = json!({"language_extensions": ["R", "COBOL"]});
    let refused = upgrade(&registry(), "azurerm_kusto_cluster", 1, &before).unwrap_err();
    assert!(
        refused.contains("COBOL") && refused.contains("language_extensions[1]"),
        "{refused}"
    );
}
