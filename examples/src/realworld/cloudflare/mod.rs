//! `cloudflare/cloudflare`: its fifth release wrote all resources anew, and gave every one the schema version 500.

mod access_application;
mod access_group;
mod api;
mod devices;
mod list;
mod load_balancer;
mod page_rule;
mod posture_rule;
mod spectrum_application;
#[cfg(test)]
mod tests;
mod workers;
mod workers_script;
mod zero_trust;
mod zone;

pub use access_application::{
    AccessApplication, AccessApplicationV0, ClaimSource, CorsHeaders, CorsHeadersV0, CustomClaim, CustomClaimV0, HybridOptions,
    PolicyReference, RefreshTokenOptions, SaasApp, SaasAppV0,
};
pub use access_group::{AccessGroup, AccessGroupV0, Anybody, CommonName, Email, EmailDomain, Geo, Id, Ip, Selector, SelectorsV0};
pub use api::{
    ApiShieldOperation, ApiShieldOperationV0, ApiToken, ApiTokenV0, Condition, ConditionV0, PermissionGroup, Policy, PolicyV0,
    RequestIp,
};
pub use devices::{
    DeviceCustomProfile, DeviceProfileV0, DexTest, DexTestData, DexTestDataV0, DexTestV0, IntegrationConfig, IntegrationConfigV0,
    PostureIntegration, PostureIntegrationV0, ServiceMode,
};
pub use list::{List, ListItem, ListV0};
pub use load_balancer::{
    AdaptiveRouting, CountryPool, FixedResponse, Header, LoadBalancer, LoadBalancerV1, LoadShedding, LocationStrategy, Monitor,
    MonitorV0, OriginSteering, Pool, PoolOrigin, PoolOriginV0, PoolV0, PopPool, RandomSteering, RegionPool, Rule, RuleV1,
    SessionAffinityAttributes,
};
pub use page_rule::{
    Actions, ActionsV0, CacheKeyFields, CacheKeyFieldsV0, CacheTtlByStatus, CookieFields, ForwardingUrl, HeaderFields,
    HostFields, Minify, PageRule, PageRuleV0, QueryStringFields, QueryStringFieldsV0, UserFields,
};
pub use posture_rule::{PostureInput, PostureInputV0, PostureLocations, PostureMatch, PostureRule, PostureRuleV0};
pub use spectrum_application::{EdgeIps, OriginDns, PortRange, SpectrumApplication, SpectrumApplicationV0, SpectrumDns};
pub use workers::{
    DispatchNamespace, DispatchNamespaceV0, Snippet, SnippetFile, SnippetMetadata, SnippetV1, WorkersKv, WorkersKvV0,
    WorkersRoute, WorkersRouteV0,
};
pub use workers_script::{
    AnalyticsEngineBinding, Binding, D1DatabaseBinding, HyperdriveConfigBinding, KvNamespaceBinding, Placement, QueueBinding,
    R2BucketBinding, SecretTextBinding, ServiceBinding, TextBinding, WebassemblyBinding, WorkersScript, WorkersScriptV0,
};
pub use zero_trust::{
    BlockSender, BlockSenderV0, GatewayCertificate, GatewayCertificateV0, LoginDesign, Organization, OrganizationV0,
    ServiceToken, ServiceTokenV0, TurnstileWidget, TurnstileWidgetV0, VirtualNetwork, VirtualNetworkV0,
};
pub use zone::{
    AccessRule, AccessRuleConfiguration, AccessRuleV1, Account, ArgoSmartRouting, ArgoV0, BotManagement, CustomPages,
    CustomPagesV0, OwnershipChallenge, OwnershipChallengeV0, TieredCache, TieredCacheV0, Zone, ZoneV0,
};
