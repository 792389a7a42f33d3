use upstate::Document;

/// `IPAddressClaimSpec`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ipam.ip_address_claim", version = 2, rename_all = "camelCase")]
// v1beta1 has other limits or another default for `pool_ref`; those of the current version hold in both.
// v1beta1 has other limits or another default for `pool_ref.api_group`; those of the current version hold in both.
// v1beta1 has other limits or another default for `pool_ref.kind`; those of the current version hold in both.
// v1beta1 has other limits or another default for `pool_ref.name`; those of the current version hold in both.
// No schema has the values that this upgrade needs; complete it, and remove `unsupported`:
//   `pool_ref.api_group` is required now: `default(pool_ref.api_group = …)` says what null was
// #[upgrade_from(1 => 2, carry)]
#[upgrade_from(1, unsupported = "version 1 lacks values that v1beta2 needs")]
// #[upgrade_from(0 => 1,
//     set(cluster_name = null),
// )]
#[upgrade_from(0, unsupported = "version 0 lacks values that v1beta2 needs")]
#[kube(
    group = "ipam.cluster.x-k8s.io",
    kind = "IPAddressClaim",
    plural = "ipaddressclaims",
    categories("cluster-api"),
    status = IPAddressClaimStatus,
    // version(0 = "v1alpha1"),
    // version(1 = "v1beta1", deprecated),
    version(2 = "v1beta2", storage),
    column(name = "Pool Name", path = ".spec.poolRef.name", type = "string"),
    column(name = "Pool Kind", path = ".spec.poolRef.kind", type = "string"),
    column(name = "Age", path = ".metadata.creationTimestamp", type = "date"),
)]
pub struct IPAddressClaimSpec {
    #[kube(length = 1..=63)]
    pub cluster_name: Option<String>,
    pub pool_ref: IPAddressClaimPoolRef,
}

/// `IPAddressClaimPoolRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct IPAddressClaimPoolRef {
    #[kube(length = 1..=253, pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub api_group: String,
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
    #[kube(length = 1..=253, pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub name: String,
}

/// `IPAddressClaimStatus`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(version = 2, rename_all = "camelCase")]
// v1beta1 has other limits or another default for `address_ref`; those of the current version hold in both.
// v1beta1 has other limits or another default for `address_ref.name`; those of the current version hold in both.
// v1beta1 has other limits or another default for `conditions`; those of the current version hold in both.
// v1beta1 has other limits or another default for `conditions.message`; those of the current version hold in both.
// v1beta1 has other limits or another default for `conditions.reason`; those of the current version hold in both.
// v1beta1 has other limits or another default for `conditions.status`; those of the current version hold in both.
// v1beta1 has other limits or another default for `conditions.r#type`; those of the current version hold in both.
// No schema has the values that this upgrade needs; complete it, and remove `unsupported`:
//   `conditions.message` is required now: `default(conditions.message = …)` says what null was
//   `conditions.reason` is required now: `default(conditions.reason = …)` says what null was
// #[upgrade_from(1 => 2,
//     set(deprecated = null),
//     drop(v1beta2: Option<{ conditions: Option<Vec<{ lastTransitionTime: String, message: String, observedGeneration: Option<i64>, reason: String, status: String, r#type: String }>> }>, "it was in v1beta1 only"),
//     set(conditions.observed_generation = null),
//     drop(conditions.severity: Option<String>, "it was in v1beta1 only"),
// )]
#[upgrade_from(1, unsupported = "version 1 lacks values that v1beta2 needs")]
// #[upgrade_from(0 => 1,
//     set(v1beta2 = null),
// )]
#[upgrade_from(0, unsupported = "version 0 lacks values that v1beta2 needs")]
pub struct IPAddressClaimStatus {
    pub address_ref: Option<IPAddressClaimStatusAddressRef>,
    #[kube(length = ..=32, list_type = "map", list_map_keys("type"))]
    pub conditions: Option<Vec<IPAddressClaimStatusConditions>>,
    pub deprecated: Option<IPAddressClaimStatusDeprecated>,
}

/// `IPAddressClaimStatusAddressRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct IPAddressClaimStatusAddressRef {
    #[kube(length = 1..=253, pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub name: String,
}

/// `IPAddressClaimStatusConditions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct IPAddressClaimStatusConditions {
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

/// `IPAddressClaimStatusDeprecated`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct IPAddressClaimStatusDeprecated {
    pub v1beta1: Option<IPAddressClaimStatusDeprecatedV1beta1>,
}

/// `IPAddressClaimStatusDeprecatedV1beta1`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct IPAddressClaimStatusDeprecatedV1beta1 {
    pub conditions: Option<Vec<IPAddressClaimStatusDeprecatedV1beta1Conditions>>,
}

/// `IPAddressClaimStatusDeprecatedV1beta1Conditions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct IPAddressClaimStatusDeprecatedV1beta1Conditions {
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
