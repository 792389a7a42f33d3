//! Zones and what is set for them.

use upstate::{Object, Resource};

/// A domain. `zone` became `name`, and the account an object.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zone", version = 500)]
#[upgrade_from(0, model = ZoneV0,
    rename(zone => name, account_id => account.id),
    drop(jump_start, "the API looks for records when a zone is made, not later"),
    drop(plan, "a plan belongs to a subscription"),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct Zone {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account: Option<Account>,
    pub name: String,
    pub paused: Option<bool>,
    #[attribute(computed)]
    pub status: Option<String>,
    pub r#type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Account {
    pub id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zone", version = 0)]
pub struct ZoneV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: Option<String>,
    pub jump_start: Option<bool>,
    pub paused: Option<bool>,
    pub plan: Option<String>,
    #[attribute(computed)]
    pub status: Option<String>,
    pub r#type: Option<String>,
    pub zone: String,
}

/// Whether requests take the fastest way. It was one half of `cloudflare_argo`, which had an id of its own.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_argo_smart_routing", version = 500)]
#[upgrade_from(0 => 500,
    copy(zone_id => id),
    rename(smart_routing => value),
    default(value = "off", when = empty),
    set(editable = true, modified_on = null),
    drop(id: Option<String>, "there is one for each zone, so it goes by the zone's id"),
    drop(tiered_caching: Option<String>, "it is a resource of its own: cloudflare_argo_tiered_caching"),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct ArgoSmartRouting {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed)]
    pub editable: Option<bool>,
    #[attribute(computed)]
    pub modified_on: Option<String>,
    pub value: String,
    pub zone_id: String,
}

/// Whether the upper tier of the cache asks the origin. Of three kinds only the smart one is left here.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_tiered_cache", version = 500)]
#[upgrade_from(0 => 500, rename(cache_type => value), values(value, "smart" => "on", "generic" => "off", "off" => "off"))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct TieredCache {
    #[attribute(computed)]
    pub id: Option<String>,
    pub value: String,
    pub zone_id: String,
}

/// What is done about robots. Nothing but the version changed.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_bot_management", version = 500)]
#[upgrade_from(0..=1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct BotManagement {
    #[attribute(computed)]
    pub id: Option<String>,
    pub enable_js: Option<bool>,
    pub fight_mode: Option<bool>,
    pub zone_id: String,
}

/// A page of one's own for an error. `state` says whether it is shown; a page with an address always was.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_custom_pages", version = 500)]
#[upgrade_from(0 => 500, rename(r#type => identifier), default(state = "default", when = empty))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct CustomPages {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: Option<String>,
    pub identifier: String,
    pub state: String,
    pub url: Option<String>,
    pub zone_id: Option<String>,
}

/// An address, network or country that is let in or kept out.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_access_rule", version = 500, oldest = 1)]
#[upgrade_from(1 => 500, unwrap(#[block(min = 1, max = 1)] configuration: Vec<AccessRuleConfiguration>))]
#[upgrade_from(2..=499, never_released)]
pub struct AccessRule {
    #[attribute(computed)]
    pub id: Option<String>,
    pub configuration: Option<AccessRuleConfiguration>,
    pub mode: String,
    pub notes: Option<String>,
    pub zone_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct AccessRuleConfiguration {
    pub target: String,
    pub value: String,
}

/// The proof that a destination of logs is one's own.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_logpush_ownership_challenge", version = 500)]
#[upgrade_from(0 => 500, drop(ownership_challenge_filename: Option<String>, "the API gives the file a new name at each challenge"))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct OwnershipChallenge {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: Option<String>,
    pub destination_conf: String,
    pub zone_id: Option<String>,
}
