use upstate::Document;

/// `ReferenceGrantSpec`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "gateway.reference_grant", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, carry)]
#[kube(
    group = "gateway.networking.k8s.io",
    kind = "ReferenceGrant",
    plural = "referencegrants",
    short_names("refgrant"),
    categories("gateway-api"),
    version(0 = "v1beta1", storage),
    version(1 = "v1"),
    column(name = "Age", path = ".metadata.creationTimestamp", type = "date"),
)]
pub struct ReferenceGrantSpec {
    #[kube(length = 1..=16, list_type = "atomic")]
    pub from: Vec<ReferenceGrantFrom>,
    #[kube(length = 1..=16, list_type = "atomic")]
    pub to: Vec<ReferenceGrantTo>,
}

/// `ReferenceGrantFrom`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct ReferenceGrantFrom {
    #[kube(length = ..=253, pattern = r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub group: String,
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
    #[kube(length = 1..=63, pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    pub namespace: String,
}

/// `ReferenceGrantTo`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct ReferenceGrantTo {
    #[kube(length = ..=253, pattern = r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub group: String,
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
    #[kube(length = 1..=253)]
    pub name: Option<String>,
}
