//! Lists, bindings and values of `cloudflare`.

use serde_json::{Value, json};
use upstate::UpgradeRequest;
use upstate_examples::registry;

fn upgrade(type_name: &str, version: u64, before: &Value) -> Result<Value, String> {
    let response = registry().upgrade(&UpgradeRequest::json(
        type_name,
        version,
        before.to_string().as_bytes(),
    ));
    let state = response
        .state()
        .ok_or_else(|| response.diagnostics().to_string())?;
    Ok(serde_json::from_slice(state).unwrap())
}

/// The members of `after` that are set, at every depth.
fn set(after: Value) -> Value {
    match after {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name, set(value)))
                .collect(),
        ),
        Value::Array(elements) => Value::Array(elements.into_iter().map(set).collect()),
        other => other,
    }
}

fn load_balancer(region_pools: &Value) -> Value {
    json!({
        "zone_id": "z", "name": "n", "default_pool_ids": ["a"], "fallback_pool_id": "b", "region_pools": region_pools,
        "country_pools": [], "pop_pools": [{"pop": "LAX", "pool_ids": ["c"]}],
        "rules": [{"name": "r", "priority": 1, "fixed_response": [{"status_code": 200}]}],
    })
}

#[test]
fn pools_go_by_their_place() {
    let before = load_balancer(
        &json!([{"region": "WNAM", "pool_ids": ["a"]}, {"region": "ENAM", "pool_ids": ["a", "b"]}]),
    );
    let after = upgrade("cloudflare_load_balancer", 1, &before).unwrap();
    assert_eq!(
        after["region_pools"],
        json!({"ENAM": ["a", "b"], "WNAM": ["a"]})
    );
    assert_eq!(after["pop_pools"], json!({"LAX": ["c"]}));
    assert_eq!(after["country_pools"], Value::Null);
    assert_eq!(
        set(after["rules"].clone()),
        json!([{"name": "r", "priority": 1, "fixed_response": {"status_code": 200}}])
    );
}

#[test]
fn two_pools_for_one_place_are_refused() {
    let before = load_balancer(
        &json!([{"region": "WNAM", "pool_ids": ["a"]}, {"region": "WNAM", "pool_ids": ["b"]}]),
    );
    let refused = upgrade("cloudflare_load_balancer", 1, &before).unwrap_err();
    assert!(
        refused.contains("region_pools[1]") && refused.contains("\"WNAM\""),
        "{refused}"
    );
}

#[test]
fn actions_that_were_not_set_are_null() {
    let actions = json!({
        "always_use_https": false, "disable_apps": true, "browser_cache_ttl": "", "edge_cache_ttl": 0, "ssl": "",
        "cache_ttl_by_status": [{"codes": "200-299", "ttl": 300}, {"codes": "404", "ttl": -1}],
        "forwarding_url": [{"url": "https://example.com", "status_code": 301}],
        "cache_key_fields": [{"query_string": [{"ignore": true, "include": []}]}],
    });
    let before = json!({"zone_id": "z", "target": "t", "actions": [actions]});
    let after = set(upgrade("cloudflare_page_rule", 0, &before).unwrap());
    let actions = json!({
        "disable_apps": true, "cache_ttl_by_status": {"200-299": "300", "404": "-1"},
        "forwarding_url": {"url": "https://example.com", "status_code": 301},
        "cache_key_fields": {"query_string": {"include": []}},
    });
    assert_eq!(
        after,
        json!({"zone_id": "z", "target": "t", "status": "active", "actions": actions})
    );
}

#[test]
fn a_port_is_a_number_and_a_range_of_ports_a_text() {
    for (port, range, after) in [
        (
            Value::Null,
            json!([{"start": 1000, "end": 1005}]),
            json!({"type": "string", "value": "1000-1005"}),
        ),
        (json!(22), json!([]), json!({"type": "number", "value": 22})),
        (
            json!(22),
            Value::Null,
            json!({"type": "number", "value": 22}),
        ),
        (Value::Null, json!([]), Value::Null),
    ] {
        let before = json!({"protocol": "tcp/22", "zone_id": "z", "origin_port": port, "origin_port_range": range});
        assert_eq!(
            upgrade("cloudflare_spectrum_application", 0, &before).unwrap()["origin_port"],
            after,
            "{before}"
        );
    }
}

#[test]
fn bindings_of_all_kinds_come_into_one_list() {
    let before = json!({
        "account_id": "a", "name": "n", "module": true, "id": "n",
        "plain_text_binding": [{"name": "1", "text": "t"}],
        "secret_text_binding": [{"name": "2", "text": "s"}],
        "kv_namespace_binding": [{"name": "3", "namespace_id": "i"}],
        "webassembly_binding": [{"name": "4", "module": "m"}],
        "service_binding": [{"name": "5", "service": "s", "environment": "e"}],
        "r2_bucket_binding": [{"name": "6", "bucket_name": "b"}],
        "analytics_engine_binding": [{"name": "7", "dataset": "d"}],
        "queue_binding": [{"binding": "8", "queue": "q"}],
        "d1_database_binding": [{"name": "9", "database_id": "i"}],
        "hyperdrive_config_binding": [{"binding": "10", "id": "i"}],
    });
    let after = set(upgrade("cloudflare_workers_script", 0, &before).unwrap());
    let bindings = json!([
        {"type": "plain_text", "name": "1", "text": "t"},
        {"type": "secret_text", "name": "2", "text": "s"},
        {"type": "kv_namespace", "name": "3", "namespace_id": "i"},
        {"type": "wasm_module", "name": "4", "part": "m"},
        {"type": "service", "name": "5", "service": "s", "environment": "e"},
        {"type": "r2_bucket", "name": "6", "bucket_name": "b"},
        {"type": "analytics_engine", "name": "7", "dataset": "d"},
        {"type": "queue", "name": "8", "queue_name": "q"},
        {"type": "d1", "name": "9", "id": "i"},
        {"type": "hyperdrive", "name": "10", "id": "i"},
    ]);
    assert_eq!(
        after,
        json!({"account_id": "a", "script_name": "n", "main_module": "worker.js", "id": "n", "bindings": bindings})
    );
}

#[test]
fn a_script_that_says_nothing_says_nothing_afterwards() {
    let before = json!({"account_id": "a", "name": "n"});
    assert_eq!(
        set(upgrade("cloudflare_workers_script", 0, &before).unwrap()),
        json!({"account_id": "a", "script_name": "n"})
    );
}

#[test]
fn selectors_come_apart_value_by_value() {
    let include = json!([
        {"email": ["a@b.c", " ", "d@e.f"], "everyone": false, "common_name": "n"},
        {"any_valid_service_token": true, "common_names": ["m"]},
    ]);
    let before = json!({"name": "n", "include": include, "exclude": [{"email": []}]});
    let after = set(upgrade("cloudflare_zero_trust_access_group", 0, &before).unwrap());
    let include = json!([
        {"email": {"email": "a@b.c"}},
        {"email": {"email": "d@e.f"}},
        {"common_name": {"common_name": "n"}},
        {"common_name": {"common_name": "m"}},
        {"any_valid_service_token": {}},
    ]);
    assert_eq!(after, json!({"name": "n", "include": include}));
}

#[test]
fn both_shapes_of_a_list_are_told_apart_even_if_one_attribute_is_null() {
    let items = json!([{"value": "a", "description": null}, {"value": "b", "description": "d"}]);
    for before in [
        json!({"items": ["a"], "items_with_description": [{"value": "b", "description": "d"}]}),
        json!({"items": items}),
        json!({"items": items, "items_with_description": null}),
    ] {
        let mut before = before;
        before["name"] = json!("n");
        before["type"] = json!("IP");
        assert_eq!(
            upgrade("cloudflare_zero_trust_list", 0, &before).unwrap()["items"],
            items,
            "{before}"
        );
    }
    let texts = json!({"name": "n", "type": "IP", "items": ["a"], "items_with_description": null});
    assert_eq!(
        upgrade("cloudflare_zero_trust_list", 0, &texts).unwrap()["items"][0]["value"],
        "a"
    );
}

#[test]
fn a_condition_may_have_been_stored_with_a_list_around_it_or_without() {
    for request_ip in [json!([{"in": ["::/0"]}]), json!({"in": ["::/0"]})] {
        let before = json!({"name": "n", "condition": [{"request_ip": request_ip}]});
        let after = set(upgrade("cloudflare_api_token", 0, &before).unwrap());
        assert_eq!(
            after,
            json!({"name": "n", "condition": {"request_ip": {"in": ["::/0"]}}})
        );
    }
}

#[test]
fn a_certificate_keeps_a_validity_that_is_not_the_old_default() {
    for (before, after) in [(json!(1826), Value::Null), (json!(30), json!(30))] {
        let before = json!({"account_id": "a", "validity_period_days": before});
        assert_eq!(
            upgrade("cloudflare_zero_trust_gateway_certificate", 0, &before).unwrap()["validity_period_days"],
            after
        );
    }
}

#[test]
fn the_releases_between_change_nothing_and_versions_that_none_wrote_are_refused() {
    let before = json!({"id": "z", "zone_id": "z", "value": "on"});
    assert_eq!(
        upgrade("cloudflare_tiered_cache", 1, &before).unwrap(),
        before
    );
    let refused = upgrade("cloudflare_tiered_cache", 2, &before).unwrap_err();
    assert!(
        refused.contains("schema version 2, which no release ever stored"),
        "{refused}"
    );
    let refused = upgrade(
        "cloudflare_tiered_cache",
        0,
        &json!({"zone_id": "z", "cache_type": "sideways"}),
    )
    .unwrap_err();
    assert!(refused.contains("sideways"), "{refused}");
}

#[test]
fn an_id_without_two_halves_is_refused() {
    let before = json!({"id": "alone", "account_id": "a", "name": "n"});
    let refused = upgrade("cloudflare_zero_trust_device_custom_profile", 0, &before).unwrap_err();
    assert!(refused.contains("alone"), "{refused}");
}
