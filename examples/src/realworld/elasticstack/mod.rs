//! `elastic/elasticstack`.

mod alerting_rule;
mod api_key;
mod dashboard;
mod detection_rule;
mod index_lifecycle;
mod index_template;
mod security_role;
mod slo;
mod transform;

use upstate::Object;

pub use alerting_rule::{AlertingRule, AlertingRuleV0, AlertsFilter, Frequency, RuleAction, RuleActionV0};
pub use api_key::{ApiKey, ApiKeyV0, ApiKeyV1};
pub use dashboard::{
    ByEsql, Dashboard, DashboardV0, DisplaySettings, OptionsListByField, OptionsListControl, OptionsSort, Panel, PanelV0,
    RangeSliderByField, RangeSliderControl,
};
pub use detection_rule::{DetectionAction, DetectionActionV1, DetectionRule, DetectionRuleV1};
pub use index_lifecycle::{
    Allocate, AllocateV0, Delete, DeletePhase, DeletePhaseV0, Downsample, Forcemerge, IndexLifecycle, IndexLifecycleV0, Phase,
    PhaseV0, Rollover, SearchableSnapshot, SetPriority, Shrink, Switch, WaitForSnapshot,
};
pub use index_template::{
    Alias, DataStream, DataStreamOptions, DataStreamOptionsV0, FailureStore, FailureStoreV0, IndexTemplate, IndexTemplateV0,
    Lifecycle, Template, TemplateV0,
};
pub use security_role::{FieldSecurity, RoleIndices, RoleIndicesV0, SecurityRole, SecurityRoleV0};
pub use slo::{Slo, SloSettings, SloV0, SloV1};
pub use transform::{
    Destination, DestinationAlias, RetentionPolicy, RetentionPolicyV0, RetentionTime, Source, Sync, SyncTime, SyncV0, Transform,
    TransformV0,
};

/// How to reach the cluster, where it isn't the provider's.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct Connection {
    #[attribute(sensitive)]
    pub password: Option<String>,
    pub username: Option<String>,
}
