//! `cloudflare/cloudflare`: its fifth release rewrote all resources, and gave every one the schema version 500.

mod access_application;
mod access_group;
mod api;
mod devices;
mod list;
mod load_balancer;
mod page_rule;
mod posture_rule;
mod spectrum_application;
mod workers;
mod workers_script;
mod zero_trust;
mod zone;

pub use access_application::{
    AccessApplication, AccessApplicationV0, ClaimSource, CorsHeaders, CorsHeadersV0, CustomClaim,
    CustomClaimV0, HybridOptions, PolicyReference, RefreshTokenOptions, SaasApp, SaasAppV0,
};
pub use access_group::{
    AccessGroup, Anybody, CommonName, Email, EmailDomain, Geo, Id, Ip, Selector, SelectorsV0,
};
pub use api::{
    ApiShieldOperation, ApiToken, ApiTokenV0, Condition, ConditionV0, PermissionGroup, Policy,
    PolicyV0, RequestIp,
};
pub use devices::{
    DeviceCustomProfile, DeviceProfileV0, DexTest, DexTestData, IntegrationConfig,
    PostureIntegration, ServiceMode,
};
pub use list::{List, ListItem};
pub use load_balancer::{
    AdaptiveRouting, CountryPool, FixedResponse, Header, LoadBalancer, LoadShedding,
    LocationStrategy, Monitor, OriginSteering, Pool, PoolOrigin, PopPool, RandomSteering,
    RegionPool, Rule, SessionAffinityAttributes,
};
pub use page_rule::{
    Actions, ActionsV0, CacheKeyFields, CacheKeyFieldsV0, CacheTtlByStatus, CookieFields,
    ForwardingUrl, HeaderFields, HostFields, Minify, PageRule, QueryStringFields,
    QueryStringFieldsV0, UserFields,
};
pub use posture_rule::{PostureInput, PostureLocations, PostureMatch, PostureRule};
pub use spectrum_application::{EdgeIps, OriginDns, PortRange, SpectrumApplication, SpectrumDns};
pub use workers::{
    DispatchNamespace, Snippet, SnippetFile, SnippetMetadata, WorkersKv, WorkersRoute,
};
pub use workers_script::{
    AnalyticsEngineBinding, Binding, D1DatabaseBinding, HyperdriveConfigBinding,
    KvNamespaceBinding, Placement, QueueBinding, R2BucketBinding, SecretTextBinding,
    ServiceBinding, TextBinding, WebassemblyBinding, WorkersScript,
};
pub use zero_trust::{
    BlockSender, GatewayCertificate, LoginDesign, Organization, ServiceToken, TurnstileWidget,
    VirtualNetwork,
};
pub use zone::{
    AccessRule, AccessRuleConfiguration, Account, ArgoSmartRouting, BotManagement, CustomPages,
    OwnershipChallenge, TieredCache, Zone, ZoneV0,
};
