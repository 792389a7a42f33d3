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

pub use alerting_rule::{AlertingRule, AlertsFilter, Frequency, RuleAction};
pub use api_key::ApiKey;
pub use dashboard::{
    ByEsql, Dashboard, DisplaySettings, OptionsListByField, OptionsListControl, OptionsSort, Panel,
    RangeSliderByField, RangeSliderControl,
};
pub use detection_rule::{DetectionAction, DetectionActionV1, DetectionRule, DetectionRuleV1};
pub use index_lifecycle::{
    Allocate, AllocateV0, Delete, DeletePhase, DeletePhaseV0, Downsample, Forcemerge,
    IndexLifecycle, Phase, PhaseV0, Rollover, SearchableSnapshot, SetPriority, Shrink, Switch,
    WaitForSnapshot,
};
pub use index_template::{
    Alias, DataStream, DataStreamOptions, FailureStore, IndexTemplate, Lifecycle, Template,
};
pub use security_role::{FieldSecurity, RoleIndices, SecurityRole};
pub use slo::{Slo, SloSettings};
pub use transform::{
    Destination, DestinationAlias, RetentionPolicy, RetentionTime, Source, Sync, SyncTime,
    Transform,
};

/// How to reach the cluster, where it isn't the provider's.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct Connection {
    #[attribute(sensitive)]
    pub password: Option<String>,
    pub username: Option<String>,
}
