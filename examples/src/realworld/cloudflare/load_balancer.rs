//! Load balancing: the blocks that may stand once became objects, the lists with a key maps.

use std::collections::BTreeMap;

use upstate::{Object, Resource};

/// A host name whose requests are spread over pools.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_load_balancer", version = 500, oldest = 1)]
#[upgrade_from(1 => 500,
    rename(default_pool_ids => default_pools, fallback_pool_id => fallback_pool),
    unwrap(adaptive_routing, location_strategy, random_steering, session_affinity_attributes, rules.fixed_response),
    rekey(country_pools: Option<Vec<CountryPool>>, key = country, value = pool_ids),
    rekey(pop_pools: Option<Vec<PopPool>>, key = pop, value = pool_ids),
    rekey(region_pools: Option<Vec<RegionPool>>, key = region, value = pool_ids),
    null_if((country_pools, pop_pools, region_pools), empty),
    carry(session_affinity_ttl: Option<i32>, ttl: Option<i32>),
)]
#[upgrade_from(2..=499, never_released)]
pub struct LoadBalancer {
    #[attribute(computed)]
    pub id: Option<String>,
    pub adaptive_routing: Option<AdaptiveRouting>,
    pub country_pools: Option<BTreeMap<String, Vec<String>>>,
    #[attribute(computed)]
    pub created_on: Option<String>,
    pub default_pools: Vec<String>,
    pub description: Option<String>,
    pub enabled: Option<bool>,
    pub fallback_pool: String,
    pub location_strategy: Option<LocationStrategy>,
    #[attribute(computed)]
    pub modified_on: Option<String>,
    pub name: String,
    pub pop_pools: Option<BTreeMap<String, Vec<String>>>,
    pub proxied: Option<bool>,
    pub random_steering: Option<RandomSteering>,
    pub region_pools: Option<BTreeMap<String, Vec<String>>>,
    pub rules: Option<Vec<Rule>>,
    pub session_affinity: Option<String>,
    pub session_affinity_attributes: Option<SessionAffinityAttributes>,
    pub session_affinity_ttl: Option<f64>,
    pub steering_policy: Option<String>,
    pub ttl: Option<f64>,
    pub zone_id: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct AdaptiveRouting {
    pub failover_across_pools: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct LocationStrategy {
    pub mode: Option<String>,
    pub prefer_ecs: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RandomSteering {
    pub default_weight: Option<f64>,
    pub pool_weights: Option<BTreeMap<String, f64>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SessionAffinityAttributes {
    pub drain_duration: Option<f64>,
    pub samesite: Option<String>,
    pub secure: Option<String>,
    pub zero_downtime_failover: Option<String>,
}

/// What is done with some requests before pools are considered.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct Rule {
    pub name: Option<String>,
    pub condition: Option<String>,
    pub fixed_response: Option<FixedResponse>,
    pub priority: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct FixedResponse {
    pub content_type: Option<String>,
    pub message_body: Option<String>,
    pub status_code: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct CountryPool {
    pub country: String,
    pub pool_ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PopPool {
    pub pop: String,
    pub pool_ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RegionPool {
    pub region: String,
    pub pool_ids: Vec<String>,
}

/// How a pool's origins are asked whether they are well. For the counts, 0 meant "not set".
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_load_balancer_monitor", version = 500)]
#[upgrade_from(0 => 500,
    rekey(header: Option<Vec<Header>>, key = header, value = values),
    null_if(header, empty),
    null_if((consecutive_down, consecutive_up), 0),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct Monitor {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: String,
    pub allow_insecure: Option<bool>,
    pub consecutive_down: Option<i64>,
    pub consecutive_up: Option<i64>,
    #[attribute(computed)]
    pub created_on: Option<String>,
    pub description: Option<String>,
    pub expected_body: Option<String>,
    pub expected_codes: Option<String>,
    pub header: Option<BTreeMap<String, Vec<String>>>,
    pub interval: Option<i64>,
    pub method: Option<String>,
    #[attribute(computed)]
    pub modified_on: Option<String>,
    pub path: Option<String>,
    pub retries: Option<i64>,
    pub timeout: Option<i64>,
    pub r#type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Header {
    pub header: Option<String>,
    pub values: Option<Vec<String>>,
}

/// Origins that requests are spread over.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_load_balancer_pool", version = 500)]
#[upgrade_from(0 => 500, unwrap(load_shedding, origin_steering), unwrap(origins.header, empty = object))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct Pool {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: String,
    pub check_regions: Option<Vec<String>>,
    #[attribute(computed)]
    pub created_on: Option<String>,
    pub description: Option<String>,
    pub enabled: Option<bool>,
    pub load_shedding: Option<LoadShedding>,
    pub minimum_origins: Option<i64>,
    #[attribute(computed)]
    pub modified_on: Option<String>,
    pub monitor: Option<String>,
    pub name: String,
    pub notification_email: Option<String>,
    pub origin_steering: Option<OriginSteering>,
    pub origins: Vec<PoolOrigin>,
}

/// An origin without headers of its own has an object without members.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct PoolOrigin {
    pub address: String,
    pub enabled: Option<bool>,
    pub header: Option<Header>,
    pub name: String,
    pub weight: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct LoadShedding {
    pub default_percent: Option<f64>,
    pub default_policy: Option<String>,
    pub session_percent: Option<f64>,
    pub session_policy: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct OriginSteering {
    pub policy: Option<String>,
}
