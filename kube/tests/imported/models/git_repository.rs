use upstate::Document;

/// `GitRepositorySpec`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "source.git_repository", version = 2, rename_all = "camelCase")]
// v1beta2 has other limits or another default for `verify.mode`; those of the current version hold in both.
#[upgrade_from(1 => 2,
    set(proxy_secret_ref = null),
    drop(accessFrom: Option<{ namespaceSelectors: Vec<{ matchLabels: Option<std::collections::BTreeMap<String, String>> }> }>, "it was in v1beta2 only"),
    drop(gitImplementation: String, "it was in v1beta2 only", back = "go-git"),
)]
// v1beta1 has other limits or another default for `interval`; those of the current version hold in both.
// v1beta1 has other limits or another default for `timeout`; those of the current version hold in both.
// No schema has the values that this upgrade needs; complete it, and remove `unsupported`:
//   `verify.secret_ref` is required now: `default(verify.secret_ref = …)` says what null was
// #[upgrade_from(0 => 1,
//     set(r#ref.name = null),
// )]
#[upgrade_from(0, unsupported = "version 0 lacks values that v1beta2 needs")]
#[kube(
    group = "source.toolkit.fluxcd.io",
    kind = "GitRepository",
    plural = "gitrepositories",
    short_names("gitrepo"),
    status = GitRepositoryStatus,
    // version(0 = "v1beta1", deprecated = "v1beta1 GitRepository is deprecated, upgrade to v1"),
    version(1 = "v1beta2", deprecated = "v1beta2 GitRepository is deprecated, upgrade to v1"),
    version(2 = "v1", storage),
    column(name = "URL", path = ".spec.url", type = "string"),
    column(name = "Age", path = ".metadata.creationTimestamp", type = "date"),
    column(name = "Ready", path = ".status.conditions[?(@.type==\"Ready\")].status", type = "string"),
    column(name = "Status", path = ".status.conditions[?(@.type==\"Ready\")].message", type = "string"),
)]
pub struct GitRepositorySpec {
    pub ignore: Option<String>,
    pub include: Option<Vec<GitRepositoryInclude>>,
    #[kube(pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
    pub interval: String,
    pub proxy_secret_ref: Option<GitRepositoryProxySecretRef>,
    pub recurse_submodules: Option<bool>,
    pub r#ref: Option<GitRepositoryRef>,
    pub secret_ref: Option<GitRepositorySecretRef>,
    pub suspend: Option<bool>,
    #[attribute(default = "60s".to_owned())]
    #[kube(pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m))+$")]
    pub timeout: String,
    #[kube(pattern = "^(http|https|ssh)://.*$")]
    pub url: String,
    pub verify: Option<GitRepositoryVerify>,
}

/// `GitRepositoryInclude`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryInclude {
    pub from_path: Option<String>,
    pub repository: GitRepositoryIncludeRepository,
    pub to_path: Option<String>,
}

/// `GitRepositoryIncludeRepository`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryIncludeRepository {
    pub name: String,
}

/// `GitRepositoryProxySecretRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryProxySecretRef {
    pub name: String,
}

/// `GitRepositoryRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryRef {
    pub branch: Option<String>,
    pub commit: Option<String>,
    pub name: Option<String>,
    pub semver: Option<String>,
    pub tag: Option<String>,
}

/// `GitRepositorySecretRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositorySecretRef {
    pub name: String,
}

/// `GitRepositoryVerify`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryVerify {
    #[attribute(default = "HEAD".to_owned())]
    #[kube(one_of("head", "HEAD", "Tag", "TagAndHEAD"))]
    pub mode: String,
    pub secret_ref: GitRepositoryVerifySecretRef,
}

/// `GitRepositoryVerifySecretRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryVerifySecretRef {
    pub name: String,
}

/// `GitRepositoryStatus`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(version = 2, rename_all = "camelCase")]
#[upgrade_from(1 => 2,
    set(source_verification_mode = null),
    drop(contentConfigChecksum: Option<String>, "it was in v1beta2 only"),
    drop(url: Option<String>, "it was in v1beta2 only"),
)]
// No schema has the values that this upgrade needs; complete it, and remove `unsupported`:
//   `artifact.last_update_time` is required now: `default(artifact.last_update_time = …)` says what null was
//   `artifact.revision` is required now: `default(artifact.revision = …)` says what null was
//   `included_artifacts.last_update_time` is required now: `default(included_artifacts.last_update_time = …)` says what null was
//   `included_artifacts.revision` is required now: `default(included_artifacts.revision = …)` says what null was
// #[upgrade_from(0 => 1,
//     set(content_config_checksum = null),
//     set(observed_ignore = null),
//     set(observed_include = null),
//     set(observed_recurse_submodules = null),
//     set(artifact.digest = null),
//     set(artifact.metadata = null),
//     set(artifact.size = null),
//     drop(artifact.checksum: Option<String>, "it was in v1beta1 only"),
//     set(included_artifacts.digest = null),
//     set(included_artifacts.metadata = null),
//     set(included_artifacts.size = null),
//     drop(included_artifacts.checksum: Option<String>, "it was in v1beta1 only"),
// )]
#[upgrade_from(0, unsupported = "version 0 lacks values that v1beta2 needs")]
pub struct GitRepositoryStatus {
    pub artifact: Option<GitRepositoryStatusArtifact>,
    pub conditions: Option<Vec<GitRepositoryStatusConditions>>,
    pub included_artifacts: Option<Vec<GitRepositoryStatusIncludedArtifacts>>,
    pub last_handled_reconcile_at: Option<String>,
    pub observed_generation: Option<i64>,
    pub observed_ignore: Option<String>,
    pub observed_include: Option<Vec<GitRepositoryStatusObservedInclude>>,
    pub observed_recurse_submodules: Option<bool>,
    pub source_verification_mode: Option<String>,
}

/// `GitRepositoryStatusArtifact`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryStatusArtifact {
    #[kube(pattern = "^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$")]
    pub digest: Option<String>,
    // No model has `format: "date-time"`.
    pub last_update_time: String,
    pub metadata: Option<std::collections::BTreeMap<String, String>>,
    pub path: String,
    pub revision: String,
    pub size: Option<i64>,
    pub url: String,
}

/// `GitRepositoryStatusConditions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryStatusConditions {
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

/// `GitRepositoryStatusIncludedArtifacts`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryStatusIncludedArtifacts {
    #[kube(pattern = "^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$")]
    pub digest: Option<String>,
    // No model has `format: "date-time"`.
    pub last_update_time: String,
    pub metadata: Option<std::collections::BTreeMap<String, String>>,
    pub path: String,
    pub revision: String,
    pub size: Option<i64>,
    pub url: String,
}

/// `GitRepositoryStatusObservedInclude`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryStatusObservedInclude {
    pub from_path: Option<String>,
    pub repository: GitRepositoryStatusObservedIncludeRepository,
    pub to_path: Option<String>,
}

/// `GitRepositoryStatusObservedIncludeRepository`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GitRepositoryStatusObservedIncludeRepository {
    pub name: String,
}
