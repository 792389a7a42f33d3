use upstate::Document;

/// `MachineHealthCheckSpec`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "cluster.machine_health_check", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1,
    set(checks = null),
    set(remediation = null),
    drop(maxUnhealthy: serde_json::Value, "it was in v1beta1 only"),
    drop(nodeStartupTimeout: Option<String>, "it was in v1beta1 only"),
    drop(remediationTemplate: Option<{ apiVersion: Option<String>, fieldPath: Option<String>, kind: Option<String>, name: Option<String>, namespace: Option<String>, resourceVersion: Option<String>, uid: Option<String> }>, "it was in v1beta1 only"),
    drop(unhealthyConditions: Option<Vec<{ status: String, timeout: String, r#type: String }>>, "it was in v1beta1 only"),
    drop(unhealthyMachineConditions: Option<Vec<{ status: String, timeout: String, r#type: String }>>, "it was in v1beta1 only"),
    drop(unhealthyRange: Option<String>, "it was in v1beta1 only"),
)]
#[kube(
    group = "cluster.x-k8s.io",
    kind = "MachineHealthCheck",
    plural = "machinehealthchecks",
    short_names("mhc", "mhcs"),
    categories("cluster-api"),
    status = MachineHealthCheckStatus,
    // version(0 = "v1beta1", deprecated),
    version(1 = "v1beta2", storage),
    column(name = "Cluster", path = ".spec.clusterName", type = "string"),
    column(name = "Replicas", path = ".status.expectedMachines", type = "integer"),
    column(name = "Healthy", path = ".status.currentHealthy", type = "integer"),
    column(name = "Paused", path = ".status.conditions[?(@.type==\"Paused\")].status", type = "string", priority = 10),
    column(name = "Age", path = ".metadata.creationTimestamp", type = "date"),
)]
pub struct MachineHealthCheckSpec {
    // No model has `minProperties: 1`.
    pub checks: Option<MachineHealthCheckChecks>,
    #[kube(length = 1..=63)]
    pub cluster_name: String,
    // No model has `minProperties: 1`.
    pub remediation: Option<MachineHealthCheckRemediation>,
    #[kube(map_type = "atomic")]
    pub selector: MachineHealthCheckSelector,
}

/// `MachineHealthCheckChecks`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckChecks {
    #[kube(range = 0..)]
    pub node_startup_timeout_seconds: Option<i32>,
    #[kube(length = 1..=100, list_type = "atomic")]
    pub unhealthy_machine_conditions: Option<Vec<MachineHealthCheckChecksUnhealthyMachineConditions>>,
    #[kube(length = 1..=100, list_type = "atomic")]
    pub unhealthy_node_conditions: Option<Vec<MachineHealthCheckChecksUnhealthyNodeConditions>>,
}

/// `MachineHealthCheckChecksUnhealthyMachineConditions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckChecksUnhealthyMachineConditions {
    #[kube(one_of("True", "False", "Unknown"))]
    pub status: String,
    #[kube(range = 0..)]
    pub timeout_seconds: i32,
    #[kube(length = 1..=316, pattern = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$", rule("!(self in ['Ready','Available','HealthCheckSucceeded','OwnerRemediated','ExternallyRemediated'])", message = "type must not be one of: Ready, Available, HealthCheckSucceeded, OwnerRemediated, ExternallyRemediated"))]
    pub r#type: String,
}

/// `MachineHealthCheckChecksUnhealthyNodeConditions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckChecksUnhealthyNodeConditions {
    #[kube(length = 1..)]
    pub status: String,
    #[kube(range = 0..)]
    pub timeout_seconds: i32,
    #[kube(length = 1..)]
    pub r#type: String,
}

/// `MachineHealthCheckRemediation`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckRemediation {
    pub template_ref: Option<MachineHealthCheckRemediationTemplateRef>,
    // No model has `minProperties: 1`.
    pub trigger_if: Option<MachineHealthCheckRemediationTriggerIf>,
}

/// `MachineHealthCheckRemediationTemplateRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckRemediationTemplateRef {
    #[kube(length = 1..=317, pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[a-z]([-a-z0-9]*[a-z0-9])?$")]
    pub api_version: String,
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
    #[kube(length = 1..=253, pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub name: String,
}

/// `MachineHealthCheckRemediationTriggerIf`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckRemediationTriggerIf {
    #[kube(length = 1..=32, pattern = r"^\[[0-9]+-[0-9]+\]$")]
    pub unhealthy_in_range: Option<String>,
    #[attribute(json)]
    #[kube(int_or_string)]
    pub unhealthy_less_than_or_equal_to: Option<serde_json::Value>,
}

/// `MachineHealthCheckSelector`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckSelector {
    #[kube(list_type = "atomic")]
    pub match_expressions: Option<Vec<MachineHealthCheckSelectorMatchExpressions>>,
    pub match_labels: Option<std::collections::BTreeMap<String, String>>,
}

/// `MachineHealthCheckSelectorMatchExpressions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckSelectorMatchExpressions {
    pub key: String,
    pub operator: String,
    #[kube(list_type = "atomic")]
    pub values: Option<Vec<String>>,
}

/// `MachineHealthCheckStatus`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(version = 1, rename_all = "camelCase")]
// v1beta1 has other limits or another default for `conditions`; those of the current version hold in both.
// v1beta1 has other limits or another default for `conditions.message`; those of the current version hold in both.
// v1beta1 has other limits or another default for `conditions.reason`; those of the current version hold in both.
// v1beta1 has other limits or another default for `conditions.status`; those of the current version hold in both.
// v1beta1 has other limits or another default for `conditions.r#type`; those of the current version hold in both.
// v1beta1 has other limits or another default for `observed_generation`; those of the current version hold in both.
// v1beta1 has other limits or another default for `targets`; those of the current version hold in both.
// No schema has the values that this upgrade needs; complete it, and remove `unsupported`:
//   `conditions.message` is required now: `default(conditions.message = …)` says what null was
//   `conditions.reason` is required now: `default(conditions.reason = …)` says what null was
// #[upgrade_from(0 => 1,
//     set(deprecated = null),
//     drop(v1beta2: Option<{ conditions: Option<Vec<{ lastTransitionTime: String, message: String, observedGeneration: Option<i64>, reason: String, status: String, r#type: String }>> }>, "it was in v1beta1 only"),
//     set(conditions.observed_generation = null),
//     drop(conditions.severity: Option<String>, "it was in v1beta1 only"),
// )]
#[upgrade_from(0, unsupported = "version 0 lacks values that v1beta2 needs")]
pub struct MachineHealthCheckStatus {
    #[kube(length = ..=32, list_type = "map", list_map_keys("type"))]
    pub conditions: Option<Vec<MachineHealthCheckStatusConditions>>,
    #[kube(range = 0..)]
    pub current_healthy: Option<i32>,
    pub deprecated: Option<MachineHealthCheckStatusDeprecated>,
    #[kube(range = 0..)]
    pub expected_machines: Option<i32>,
    #[kube(range = 1..)]
    pub observed_generation: Option<i64>,
    #[kube(range = 0..)]
    pub remediations_allowed: Option<i32>,
    #[kube(length = ..=10000, each(length = 1..=253), list_type = "atomic")]
    pub targets: Option<Vec<String>>,
}

/// `MachineHealthCheckStatusConditions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckStatusConditions {
    // No model has `format: "date-time"`.
    pub last_transition_time: String,
    #[kube(length = ..=32768)]
    pub message: String,
    #[kube(range = 0..)]
    pub observed_generation: Option<i64>,
    #[kube(length = 1..=1024, pattern = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")]
    pub reason: String,
    #[kube(one_of("True", "False", "Unknown"))]
    pub status: String,
    #[kube(length = ..=316, pattern = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$")]
    pub r#type: String,
}

/// `MachineHealthCheckStatusDeprecated`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckStatusDeprecated {
    pub v1beta1: Option<MachineHealthCheckStatusDeprecatedV1beta1>,
}

/// `MachineHealthCheckStatusDeprecatedV1beta1`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckStatusDeprecatedV1beta1 {
    pub conditions: Option<Vec<MachineHealthCheckStatusDeprecatedV1beta1Conditions>>,
}

/// `MachineHealthCheckStatusDeprecatedV1beta1Conditions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineHealthCheckStatusDeprecatedV1beta1Conditions {
    // No model has `format: "date-time"`.
    pub last_transition_time: String,
    #[kube(length = 1..=10240)]
    pub message: Option<String>,
    #[kube(length = 1..=256)]
    pub reason: Option<String>,
    #[kube(length = ..=32)]
    pub severity: Option<String>,
    pub status: String,
    #[kube(length = 1..=256)]
    pub r#type: String,
}
