//! `cloudflare_zero_trust_access_application`: blocks became objects, "off" became "not set", and policies have a precedence.

use std::convert::Infallible;

use upstate::{Object, Resource, SingleBlock};

/// An application that people sign in to.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_access_application", version = 500)]
#[upgrade_from(0, model = AccessApplicationV0,
    unwrap(cors_headers, saas_app),
    convert(policies, with = in_order),
    null_if((allowed_idps, policies), []),
    null_if((custom_deny_message, custom_deny_url, custom_non_identity_deny_url, logo_url, same_site_cookie_attribute), ""),
    null_if(
        (
            auto_redirect_to_identity, enable_binding_cookie, http_only_cookie_attribute, service_auth_401_redirect,
            skip_interstitial
        ),
        false
    ),
    default(r#type = "self_hosted", when = empty),
    drop(domain_type, "the domain says of which type it is"),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct AccessApplication {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: Option<String>,
    pub allowed_idps: Option<Vec<String>>,
    pub app_launcher_visible: Option<bool>,
    #[attribute(computed)]
    pub aud: Option<String>,
    pub auto_redirect_to_identity: Option<bool>,
    pub cors_headers: Option<CorsHeaders>,
    pub custom_deny_message: Option<String>,
    pub custom_deny_url: Option<String>,
    pub custom_non_identity_deny_url: Option<String>,
    pub domain: Option<String>,
    pub enable_binding_cookie: Option<bool>,
    pub http_only_cookie_attribute: Option<bool>,
    pub logo_url: Option<String>,
    pub name: Option<String>,
    pub policies: Option<Vec<PolicyReference>>,
    pub saas_app: Option<SaasApp>,
    pub same_site_cookie_attribute: Option<String>,
    pub service_auth_401_redirect: Option<bool>,
    pub session_duration: Option<String>,
    pub skip_interstitial: Option<bool>,
    pub r#type: String,
}

/// A policy, and the place it has among those of the application.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct PolicyReference {
    pub id: String,
    pub precedence: i64,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = CorsHeadersV0, null_if((allow_all_headers, allow_all_methods, allow_all_origins), false))]
pub struct CorsHeaders {
    pub allow_all_headers: Option<bool>,
    pub allow_all_methods: Option<bool>,
    pub allow_all_origins: Option<bool>,
    pub allow_credentials: Option<bool>,
    pub allowed_headers: Option<Vec<String>>,
    pub allowed_methods: Option<Vec<String>>,
    pub allowed_origins: Option<Vec<String>>,
    pub exposed_headers: Option<Vec<String>>,
    pub max_age: Option<f64>,
}

/// Somebody else's application.
#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = SaasAppV0,
    rename(custom_claim => custom_claims),
    null_if(custom_claims, []),
    unwrap(hybrid_and_implicit_options, refresh_token_options),
)]
pub struct SaasApp {
    pub app_launcher_url: Option<String>,
    pub auth_type: Option<String>,
    #[attribute(computed)]
    pub client_id: Option<String>,
    #[attribute(computed, sensitive)]
    pub client_secret: Option<String>,
    pub custom_claims: Option<Vec<CustomClaim>>,
    pub grant_types: Option<Vec<String>>,
    pub hybrid_and_implicit_options: Option<HybridOptions>,
    pub redirect_uris: Option<Vec<String>>,
    pub refresh_token_options: Option<RefreshTokenOptions>,
    pub scopes: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = CustomClaimV0, unwrap(source))]
pub struct CustomClaim {
    pub name: Option<String>,
    pub required: Option<bool>,
    pub scope: Option<String>,
    pub source: Option<ClaimSource>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ClaimSource {
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct HybridOptions {
    pub return_access_token_from_authorization_endpoint: Option<bool>,
    pub return_id_token_from_authorization_endpoint: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RefreshTokenOptions {
    pub lifetime: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_access_application", version = 0)]
pub struct AccessApplicationV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: Option<String>,
    pub allowed_idps: Option<Vec<String>>,
    pub app_launcher_visible: Option<bool>,
    #[attribute(computed)]
    pub aud: Option<String>,
    pub auto_redirect_to_identity: Option<bool>,
    pub cors_headers: Option<Vec<CorsHeadersV0>>,
    pub custom_deny_message: Option<String>,
    pub custom_deny_url: Option<String>,
    pub custom_non_identity_deny_url: Option<String>,
    pub domain: Option<String>,
    pub domain_type: Option<String>,
    pub enable_binding_cookie: Option<bool>,
    pub http_only_cookie_attribute: Option<bool>,
    pub logo_url: Option<String>,
    pub name: Option<String>,
    pub policies: Option<Vec<String>>,
    pub saas_app: Option<Vec<SaasAppV0>>,
    pub same_site_cookie_attribute: Option<String>,
    pub service_auth_401_redirect: Option<bool>,
    pub session_duration: Option<String>,
    pub skip_interstitial: Option<bool>,
    pub r#type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct CorsHeadersV0 {
    pub allow_all_headers: Option<bool>,
    pub allow_all_methods: Option<bool>,
    pub allow_all_origins: Option<bool>,
    pub allow_credentials: Option<bool>,
    pub allowed_headers: Option<Vec<String>>,
    pub allowed_methods: Option<Vec<String>>,
    pub allowed_origins: Option<Vec<String>>,
    pub exposed_headers: Option<Vec<String>>,
    pub max_age: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SaasAppV0 {
    pub app_launcher_url: Option<String>,
    pub auth_type: Option<String>,
    #[attribute(computed)]
    pub client_id: Option<String>,
    #[attribute(computed, sensitive)]
    pub client_secret: Option<String>,
    pub custom_claim: Option<Vec<CustomClaimV0>>,
    pub grant_types: Option<Vec<String>>,
    pub hybrid_and_implicit_options: Option<Vec<HybridOptions>>,
    pub redirect_uris: Option<Vec<String>>,
    pub refresh_token_options: Option<Vec<RefreshTokenOptions>>,
    pub scopes: Option<Vec<String>>,
}

/// Some releases stored the block without a list around it.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct CustomClaimV0 {
    pub name: Option<String>,
    pub required: Option<bool>,
    pub scope: Option<String>,
    pub source: SingleBlock<ClaimSource>,
}

/// Their order was their precedence.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the form that the operator asks for"
)]
fn in_order(policies: Option<Vec<String>>) -> Result<Option<Vec<PolicyReference>>, Infallible> {
    let referred = |policies: Vec<String>| {
        (1..)
            .zip(policies)
            .map(|(precedence, id)| PolicyReference { id, precedence })
            .collect()
    };
    Ok(policies.map(referred))
}
