use upstate::Document;

/// `HelmReleaseSpec`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "helm.helm_release", version = 1, rename_all = "camelCase")]
// v2beta1 has other limits or another default for `chart.spec.chart`; those of the current version hold in both.
// v2beta1 has other limits or another default for `service_account_name`; those of the current version hold in both.
#[upgrade_from(0 => 1,
    set(test.filters = null),
)]
#[kube(
    group = "helm.toolkit.fluxcd.io",
    kind = "HelmRelease",
    plural = "helmreleases",
    short_names("hr"),
    status = HelmReleaseStatus,
    version(0 = "v2beta1", deprecated = "v2beta1 HelmRelease is deprecated, upgrade to v2beta2"),
    version(1 = "v2beta2", storage),
    column(name = "Age", path = ".metadata.creationTimestamp", type = "date"),
    column(name = "Ready", path = ".status.conditions[?(@.type==\"Ready\")].status", type = "string"),
    column(name = "Status", path = ".status.conditions[?(@.type==\"Ready\")].message", type = "string"),
)]
pub struct HelmReleaseSpec {
    pub chart: HelmReleaseChart,
    pub depends_on: Option<Vec<HelmReleaseDependsOn>>,
    pub drift_detection: Option<HelmReleaseDriftDetection>,
    pub install: Option<HelmReleaseInstall>,
    #[kube(pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    pub interval: String,
    pub kube_config: Option<HelmReleaseKubeConfig>,
    pub max_history: Option<i64>,
    pub persistent_client: Option<bool>,
    pub post_renderers: Option<Vec<HelmReleasePostRenderers>>,
    #[kube(length = 1..=53)]
    pub release_name: Option<String>,
    pub rollback: Option<HelmReleaseRollback>,
    #[kube(length = 1..=253)]
    pub service_account_name: Option<String>,
    #[kube(length = 1..=63)]
    pub storage_namespace: Option<String>,
    pub suspend: Option<bool>,
    #[kube(length = 1..=63)]
    pub target_namespace: Option<String>,
    pub test: Option<HelmReleaseTest>,
    #[kube(pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    pub timeout: Option<String>,
    pub uninstall: Option<HelmReleaseUninstall>,
    pub upgrade: Option<HelmReleaseUpgrade>,
    #[attribute(json)]
    pub values: Option<serde_json::Value>,
    pub values_from: Option<Vec<HelmReleaseValuesFrom>>,
}

/// `HelmReleaseChart`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseChart {
    pub metadata: Option<HelmReleaseChartMetadata>,
    pub spec: HelmReleaseChartSpec,
}

/// `HelmReleaseChartMetadata`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseChartMetadata {
    pub annotations: Option<std::collections::BTreeMap<String, String>>,
    pub labels: Option<std::collections::BTreeMap<String, String>>,
}

/// `HelmReleaseChartSpec`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseChartSpec {
    #[kube(length = 1..=2048)]
    pub chart: String,
    #[kube(pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    pub interval: Option<String>,
    #[attribute(default = "ChartVersion".to_owned())]
    #[kube(one_of("ChartVersion", "Revision"))]
    pub reconcile_strategy: String,
    pub source_ref: HelmReleaseChartSpecSourceRef,
    pub values_file: Option<String>,
    pub values_files: Option<Vec<String>>,
    pub verify: Option<HelmReleaseChartSpecVerify>,
    #[attribute(default = "*".to_owned())]
    pub version: String,
}

/// `HelmReleaseChartSpecSourceRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseChartSpecSourceRef {
    pub api_version: Option<String>,
    #[kube(one_of("HelmRepository", "GitRepository", "Bucket"))]
    pub kind: Option<String>,
    #[kube(length = 1..=253)]
    pub name: String,
    #[kube(length = 1..=63)]
    pub namespace: Option<String>,
}

/// `HelmReleaseChartSpecVerify`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseChartSpecVerify {
    #[attribute(default = "cosign".to_owned())]
    #[kube(one_of("cosign"))]
    pub provider: String,
    pub secret_ref: Option<HelmReleaseChartSpecVerifySecretRef>,
}

/// `HelmReleaseChartSpecVerifySecretRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseChartSpecVerifySecretRef {
    pub name: String,
}

/// `HelmReleaseDependsOn`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseDependsOn {
    pub name: String,
    pub namespace: Option<String>,
}

/// `HelmReleaseDriftDetection`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseDriftDetection {
    pub ignore: Option<Vec<HelmReleaseDriftDetectionIgnore>>,
    #[kube(one_of("enabled", "warn", "disabled"))]
    pub mode: Option<String>,
}

/// `HelmReleaseDriftDetectionIgnore`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseDriftDetectionIgnore {
    pub paths: Vec<String>,
    pub target: Option<HelmReleaseDriftDetectionIgnoreTarget>,
}

/// `HelmReleaseDriftDetectionIgnoreTarget`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseDriftDetectionIgnoreTarget {
    pub annotation_selector: Option<String>,
    pub group: Option<String>,
    pub kind: Option<String>,
    pub label_selector: Option<String>,
    pub name: Option<String>,
    pub namespace: Option<String>,
    pub version: Option<String>,
}

/// `HelmReleaseInstall`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseInstall {
    #[kube(one_of("Skip", "Create", "CreateReplace"))]
    pub crds: Option<String>,
    pub create_namespace: Option<bool>,
    pub disable_hooks: Option<bool>,
    #[attribute(name = "disableOpenAPIValidation")]
    pub disable_open_api_validation: Option<bool>,
    pub disable_wait: Option<bool>,
    pub disable_wait_for_jobs: Option<bool>,
    pub remediation: Option<HelmReleaseInstallRemediation>,
    pub replace: Option<bool>,
    #[attribute(name = "skipCRDs")]
    pub skip_cr_ds: Option<bool>,
    #[kube(pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    pub timeout: Option<String>,
}

/// `HelmReleaseInstallRemediation`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseInstallRemediation {
    pub ignore_test_failures: Option<bool>,
    pub remediate_last_failure: Option<bool>,
    pub retries: Option<i64>,
}

/// `HelmReleaseKubeConfig`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseKubeConfig {
    pub secret_ref: HelmReleaseKubeConfigSecretRef,
}

/// `HelmReleaseKubeConfigSecretRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseKubeConfigSecretRef {
    pub key: Option<String>,
    pub name: String,
}

/// `HelmReleasePostRenderers`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleasePostRenderers {
    pub kustomize: Option<HelmReleasePostRenderersKustomize>,
}

/// `HelmReleasePostRenderersKustomize`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleasePostRenderersKustomize {
    pub images: Option<Vec<HelmReleasePostRenderersKustomizeImages>>,
    pub patches: Option<Vec<HelmReleasePostRenderersKustomizePatches>>,
    pub patches_json6902: Option<Vec<HelmReleasePostRenderersKustomizePatchesJson6902>>,
    pub patches_strategic_merge: Option<Vec<serde_json::Value>>,
}

/// `HelmReleasePostRenderersKustomizeImages`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleasePostRenderersKustomizeImages {
    pub digest: Option<String>,
    pub name: String,
    pub new_name: Option<String>,
    pub new_tag: Option<String>,
}

/// `HelmReleasePostRenderersKustomizePatches`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleasePostRenderersKustomizePatches {
    pub patch: String,
    pub target: Option<HelmReleasePostRenderersKustomizePatchesTarget>,
}

/// `HelmReleasePostRenderersKustomizePatchesTarget`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleasePostRenderersKustomizePatchesTarget {
    pub annotation_selector: Option<String>,
    pub group: Option<String>,
    pub kind: Option<String>,
    pub label_selector: Option<String>,
    pub name: Option<String>,
    pub namespace: Option<String>,
    pub version: Option<String>,
}

/// `HelmReleasePostRenderersKustomizePatchesJson6902`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleasePostRenderersKustomizePatchesJson6902 {
    pub patch: Vec<HelmReleasePostRenderersKustomizePatchesJson6902Patch>,
    pub target: HelmReleasePostRenderersKustomizePatchesJson6902Target,
}

/// `HelmReleasePostRenderersKustomizePatchesJson6902Patch`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleasePostRenderersKustomizePatchesJson6902Patch {
    pub from: Option<String>,
    #[kube(one_of("test", "remove", "add", "replace", "move", "copy"))]
    pub op: String,
    pub path: String,
    #[attribute(json)]
    pub value: Option<serde_json::Value>,
}

/// `HelmReleasePostRenderersKustomizePatchesJson6902Target`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleasePostRenderersKustomizePatchesJson6902Target {
    pub annotation_selector: Option<String>,
    pub group: Option<String>,
    pub kind: Option<String>,
    pub label_selector: Option<String>,
    pub name: Option<String>,
    pub namespace: Option<String>,
    pub version: Option<String>,
}

/// `HelmReleaseRollback`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseRollback {
    pub cleanup_on_fail: Option<bool>,
    pub disable_hooks: Option<bool>,
    pub disable_wait: Option<bool>,
    pub disable_wait_for_jobs: Option<bool>,
    pub force: Option<bool>,
    pub recreate: Option<bool>,
    #[kube(pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    pub timeout: Option<String>,
}

/// `HelmReleaseTest`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseTest {
    pub enable: Option<bool>,
    pub filters: Option<Vec<HelmReleaseTestFilters>>,
    pub ignore_failures: Option<bool>,
    #[kube(pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    pub timeout: Option<String>,
}

/// `HelmReleaseTestFilters`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseTestFilters {
    pub exclude: Option<bool>,
    #[kube(length = 1..=253)]
    pub name: String,
}

/// `HelmReleaseUninstall`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseUninstall {
    #[attribute(default = "background".to_owned())]
    #[kube(one_of("background", "foreground", "orphan"))]
    pub deletion_propagation: String,
    pub disable_hooks: Option<bool>,
    pub disable_wait: Option<bool>,
    pub keep_history: Option<bool>,
    #[kube(pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    pub timeout: Option<String>,
}

/// `HelmReleaseUpgrade`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseUpgrade {
    pub cleanup_on_fail: Option<bool>,
    #[kube(one_of("Skip", "Create", "CreateReplace"))]
    pub crds: Option<String>,
    pub disable_hooks: Option<bool>,
    #[attribute(name = "disableOpenAPIValidation")]
    pub disable_open_api_validation: Option<bool>,
    pub disable_wait: Option<bool>,
    pub disable_wait_for_jobs: Option<bool>,
    pub force: Option<bool>,
    pub preserve_values: Option<bool>,
    pub remediation: Option<HelmReleaseUpgradeRemediation>,
    #[kube(pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    pub timeout: Option<String>,
}

/// `HelmReleaseUpgradeRemediation`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseUpgradeRemediation {
    pub ignore_test_failures: Option<bool>,
    pub remediate_last_failure: Option<bool>,
    pub retries: Option<i64>,
    #[kube(one_of("rollback", "uninstall"))]
    pub strategy: Option<String>,
}

/// `HelmReleaseValuesFrom`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseValuesFrom {
    #[kube(one_of("Secret", "ConfigMap"))]
    pub kind: String,
    #[kube(length = 1..=253)]
    pub name: String,
    pub optional: Option<bool>,
    #[kube(length = ..=250, pattern = r"^([a-zA-Z0-9_\-.\\\/]|\[[0-9]{1,5}\])+$")]
    pub target_path: Option<String>,
    #[kube(length = ..=253, pattern = r"^[\-._a-zA-Z0-9]+$")]
    pub values_key: Option<String>,
}

/// `HelmReleaseStatus`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(version = 1, rename_all = "camelCase")]
// v2beta1 has other limits or another default for `last_attempted_release_action`; those of the current version hold in both.
// v2beta1 has other limits or another default for `storage_namespace`; those of the current version hold in both.
#[upgrade_from(0 => 1, carry)]
pub struct HelmReleaseStatus {
    pub conditions: Option<Vec<HelmReleaseStatusConditions>>,
    pub failures: Option<i64>,
    pub helm_chart: Option<String>,
    pub history: Option<Vec<HelmReleaseStatusHistory>>,
    pub install_failures: Option<i64>,
    pub last_applied_revision: Option<String>,
    pub last_attempted_config_digest: Option<String>,
    pub last_attempted_generation: Option<i64>,
    #[kube(one_of("install", "upgrade"))]
    pub last_attempted_release_action: Option<String>,
    pub last_attempted_revision: Option<String>,
    pub last_attempted_values_checksum: Option<String>,
    pub last_handled_force_at: Option<String>,
    pub last_handled_reconcile_at: Option<String>,
    pub last_handled_reset_at: Option<String>,
    pub last_release_revision: Option<i64>,
    pub observed_generation: Option<i64>,
    #[kube(length = 1..=63)]
    pub storage_namespace: Option<String>,
    pub upgrade_failures: Option<i64>,
}

/// `HelmReleaseStatusConditions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseStatusConditions {
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

/// `HelmReleaseStatusHistory`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseStatusHistory {
    pub api_version: Option<String>,
    pub chart_name: String,
    pub chart_version: String,
    pub config_digest: String,
    // No model has `format: "date-time"`.
    pub deleted: Option<String>,
    pub digest: String,
    // No model has `format: "date-time"`.
    pub first_deployed: String,
    // No model has `format: "date-time"`.
    pub last_deployed: String,
    pub name: String,
    pub namespace: String,
    pub status: String,
    pub test_hooks: Option<std::collections::BTreeMap<String, HelmReleaseStatusHistoryTestHooks>>,
    pub version: i64,
}

/// `HelmReleaseStatusHistoryTestHooks`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct HelmReleaseStatusHistoryTestHooks {
    // No model has `format: "date-time"`.
    pub last_completed: Option<String>,
    // No model has `format: "date-time"`.
    pub last_started: Option<String>,
    pub phase: Option<String>,
}
