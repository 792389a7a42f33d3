//! Two real histories that were four structs and twelve.

use std::collections::BTreeMap;
#[derive(Debug, upstate::Resource)]
#[resource(type_name = "azurerm_storage_account", version = 3)]
#[upgrade_from(2 => 3, rename(allow_blob_public_access => allow_nested_items_to_be_public))]
#[upgrade_from(1 => 2, set(account_encryption_source = "Microsoft.Storage"))]
#[upgrade_from(0 => 1, split(account_type: String, "{account_tier}_{account_replication_type}"))]
pub struct StorageAccount {
    name: String,
    account_tier: String,
    account_replication_type: String,
    account_encryption_source: String,
    allow_nested_items_to_be_public: Option<bool>,
}

#[derive(Debug, upstate::Object)]
pub struct Fixed {
    body: Option<String>,
}
#[derive(Debug, upstate::Object)]
pub struct Rule {
    name: Option<String>,
    fixed_response: Option<Fixed>,
}
#[derive(Debug, upstate::Resource)]
#[resource(type_name = "cloudflare_load_balancer", version = 500, oldest = 1)]
#[upgrade_from(1 => 500,
    rename(default_pool_ids => default_pools, fallback_pool_id => fallback_pool),
    unwrap(adaptive_routing, rules.fixed_response),
    rekey(country_pools, key = country, value = pool_ids),
    rekey(pop_pools, key = pop, value = pool_ids),
    null_if((country_pools, pop_pools), empty))]
#[upgrade_from(2..=499, never_released)]
pub struct LoadBalancer {
    id: String,
    default_pools: Vec<String>,
    fallback_pool: String,
    adaptive_routing: Option<Fixed>,
    rules: Option<Vec<Rule>>,
    country_pools: Option<BTreeMap<String, Vec<String>>>,
    pop_pools: Option<BTreeMap<String, Vec<String>>>,
}

#[test]
fn an_account_of_each_version() {
    let account: StorageAccount =
        upstate::upgrade_json(0, r#"{"name": "n", "account_type": "Standard_LRS"}"#).unwrap();
    assert_eq!(
        (
            &*account.name,
            &*account.account_tier,
            &*account.account_replication_type
        ),
        ("n", "Standard", "LRS")
    );
    assert_eq!(
        (
            &*account.account_encryption_source,
            account.allow_nested_items_to_be_public
        ),
        ("Microsoft.Storage", None)
    );
}

#[test]
fn a_load_balancer_of_release_4() {
    let state = r#"{
        "id": "i", "default_pool_ids": ["p"], "fallback_pool_id": "f", "adaptive_routing": [{"body": "b"}],
        "rules": [{"name": "r", "fixed_response": [{"body": "x"}]}],
        "country_pools": [{"country": "DE", "pool_ids": ["q"]}], "pop_pools": []
    }"#;
    let balancer: LoadBalancer = upstate::upgrade_json(1, state).unwrap();
    assert_eq!(
        (
            &*balancer.id,
            &*balancer.default_pools,
            &*balancer.fallback_pool
        ),
        ("i", &["p".to_owned()][..], "f")
    );
    assert_eq!(
        balancer.adaptive_routing.unwrap().body.as_deref(),
        Some("b")
    );
    let rule = balancer.rules.unwrap().remove(0);
    assert_eq!(
        (
            rule.name.as_deref(),
            rule.fixed_response.unwrap().body.as_deref()
        ),
        (Some("r"), Some("x"))
    );
    assert_eq!(balancer.country_pools.unwrap()["DE"], ["q"]);
    assert_eq!(balancer.pop_pools, None);
}
