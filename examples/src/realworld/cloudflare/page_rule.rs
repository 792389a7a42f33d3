//! `cloudflare_page_rule`: blocks within blocks within a block became objects, and values that meant "not set" null.

use std::collections::BTreeMap;

use upstate::{Object, Resource};

/// What is done with requests to some addresses. A rule without a status was active.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_page_rule", version = 500)]
#[upgrade_from(0 => 500, unwrap(#[block(min = 1, max = 1)] actions: Vec<ActionsV0>), default(status = "active", when = empty))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct PageRule {
    #[attribute(computed)]
    pub id: Option<String>,
    pub actions: Option<Actions>,
    pub priority: Option<i64>,
    pub status: String,
    pub target: String,
    pub zone_id: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = ActionsV0,
    unwrap(cache_key_fields, forwarding_url),
    convert(browser_cache_ttl, empty = null),
    rekey(cache_ttl_by_status, key = codes, value = ttl),
    each(convert(cache_ttl_by_status)),
    null_if(cache_ttl_by_status, empty),
    null_if((always_use_https, disable_apps, disable_performance, disable_security, disable_zaraz), false),
    null_if((browser_check, cache_level, host_header_override, polish, rocket_loader, security_level, ssl), ""),
    null_if(edge_cache_ttl, 0),
    drop(disable_railgun, "Railgun is no more"),
    drop(minify, "the API no longer minifies"),
)]
pub struct Actions {
    pub always_use_https: Option<bool>,
    pub browser_cache_ttl: Option<i64>,
    pub browser_check: Option<String>,
    pub cache_key_fields: Option<CacheKeyFields>,
    pub cache_level: Option<String>,
    pub cache_ttl_by_status: Option<BTreeMap<String, String>>,
    pub disable_apps: Option<bool>,
    pub disable_performance: Option<bool>,
    pub disable_security: Option<bool>,
    pub disable_zaraz: Option<bool>,
    pub edge_cache_ttl: Option<i64>,
    pub forwarding_url: Option<ForwardingUrl>,
    pub host_header_override: Option<String>,
    pub polish: Option<String>,
    pub rocket_loader: Option<String>,
    pub security_level: Option<String>,
    pub ssl: Option<String>,
}

/// What tells two cached answers apart.
#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = CacheKeyFieldsV0, unwrap(cookie, header, host, query_string, user))]
pub struct CacheKeyFields {
    pub cookie: Option<CookieFields>,
    pub header: Option<HeaderFields>,
    pub host: Option<HostFields>,
    pub query_string: Option<QueryStringFields>,
    pub user: Option<UserFields>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct CookieFields {
    pub check_presence: Option<Vec<String>>,
    pub include: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct HeaderFields {
    pub check_presence: Option<Vec<String>>,
    pub exclude: Option<Vec<String>>,
    pub include: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct HostFields {
    pub resolved: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = QueryStringFieldsV0, drop(ignore, "an empty list of what to include says the same"))]
pub struct QueryStringFields {
    pub exclude: Option<Vec<String>>,
    pub include: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct UserFields {
    pub device_type: Option<bool>,
    pub geo: Option<bool>,
    pub lang: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ForwardingUrl {
    pub status_code: Option<i64>,
    pub url: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ActionsV0 {
    pub always_use_https: Option<bool>,
    pub browser_cache_ttl: Option<String>,
    pub browser_check: Option<String>,
    pub cache_key_fields: Option<Vec<CacheKeyFieldsV0>>,
    pub cache_level: Option<String>,
    pub cache_ttl_by_status: Option<Vec<CacheTtlByStatus>>,
    pub disable_apps: Option<bool>,
    pub disable_performance: Option<bool>,
    pub disable_railgun: Option<bool>,
    pub disable_security: Option<bool>,
    pub disable_zaraz: Option<bool>,
    pub edge_cache_ttl: Option<i64>,
    pub forwarding_url: Option<Vec<ForwardingUrl>>,
    pub host_header_override: Option<String>,
    pub minify: Option<Vec<Minify>>,
    pub polish: Option<String>,
    pub rocket_loader: Option<String>,
    pub security_level: Option<String>,
    pub ssl: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct CacheKeyFieldsV0 {
    pub cookie: Option<Vec<CookieFields>>,
    pub header: Option<Vec<HeaderFields>>,
    pub host: Option<Vec<HostFields>>,
    pub query_string: Option<Vec<QueryStringFieldsV0>>,
    pub user: Option<Vec<UserFields>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct QueryStringFieldsV0 {
    pub exclude: Option<Vec<String>>,
    pub ignore: Option<bool>,
    pub include: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct CacheTtlByStatus {
    pub codes: String,
    pub ttl: i64,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Minify {
    pub css: Option<String>,
    pub html: Option<String>,
    pub js: Option<String>,
}
