//! Smaller resources of the same release, most of them with one change.

use std::collections::BTreeSet;

use upstate::{Object, Resource};

/// A certificate that traffic is inspected with. For its validity the old default meant "not set".
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_gateway_certificate", version = 500)]
#[upgrade_from(0 => 500,
    null_if(validity_period_days, 1826),
    null_if((created_at, expires_on, uploaded_on), ""),
    drop(
        custom: Option<bool>,
        gateway_managed: Option<bool>,
        qs_pack_id: Option<String>,
        "the API tells them by the certificate's type"
    ),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct GatewayCertificate {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: String,
    pub activate: Option<bool>,
    #[attribute(computed)]
    pub binding_status: Option<String>,
    #[attribute(computed)]
    pub created_at: Option<String>,
    #[attribute(computed)]
    pub expires_on: Option<String>,
    #[attribute(computed)]
    pub in_use: Option<bool>,
    #[attribute(computed)]
    pub uploaded_on: Option<String>,
    pub validity_period_days: Option<i64>,
}

/// The organization. Flags that were not stored are off.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_organization", version = 500)]
#[upgrade_from(0 => 500,
    default(allow_authenticate_via_warp = false, auto_redirect_to_identity = false, is_ui_read_only = false),
    unwrap(login_design),
    drop(id: Option<String>, "there is one for each account or zone, so it needs no id"),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct Organization {
    pub account_id: Option<String>,
    pub allow_authenticate_via_warp: bool,
    pub auth_domain: String,
    pub auto_redirect_to_identity: bool,
    pub is_ui_read_only: bool,
    pub login_design: Option<LoginDesign>,
    pub name: Option<String>,
    pub zone_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct LoginDesign {
    pub background_color: Option<String>,
    pub header_text: Option<String>,
    pub logo_path: Option<String>,
}

/// A network that several tunnels may share.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(
    type_name = "cloudflare_zero_trust_tunnel_cloudflared_virtual_network",
    version = 500
)]
#[upgrade_from(0 => 500, default(comment = "", is_default_network = false))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct VirtualNetwork {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: String,
    pub comment: String,
    pub is_default_network: bool,
    pub name: String,
}

/// A token for programs. Its secret has a version, which makes a new one when it is raised.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(
    type_name = "cloudflare_zero_trust_access_service_token",
    version = 500
)]
#[upgrade_from(0 => 500,
    default(client_secret_version = 1),
    drop(min_days_for_renewal: Option<i64>, "tokens are renewed by the API"),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct ServiceToken {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: Option<String>,
    #[attribute(computed)]
    pub client_id: Option<String>,
    #[attribute(computed, sensitive)]
    pub client_secret: Option<String>,
    pub client_secret_version: i64,
    pub duration: Option<String>,
    #[attribute(computed)]
    pub expires_at: Option<String>,
    pub name: String,
    pub zone_id: Option<String>,
}

/// A sender whose mail is refused. The API's ids are numbers; an id in state is a string.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_email_security_block_sender", version = 500)]
#[upgrade_from(0 => 500, convert(id: i64))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct BlockSender {
    #[attribute(computed)]
    pub id: String,
    pub comments: Option<String>,
    pub is_regex: Option<bool>,
    pub pattern: Option<String>,
}

/// A check that somebody is not a robot. Its id is the site's key, and its domains, once a set, are a sorted list.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_turnstile_widget", version = 500)]
#[upgrade_from(0 => 500, copy(id => sitekey), carry(domains: BTreeSet<String>))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct TurnstileWidget {
    #[attribute(computed)]
    pub id: String,
    pub account_id: String,
    pub bot_fight_mode: Option<bool>,
    pub domains: Vec<String>,
    pub mode: String,
    pub name: String,
    pub offlabel: Option<bool>,
    pub region: Option<String>,
    #[attribute(computed, sensitive)]
    pub secret: Option<String>,
    #[attribute(computed)]
    pub sitekey: String,
}
