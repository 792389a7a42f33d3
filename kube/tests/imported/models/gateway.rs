use upstate::Document;

/// `GatewaySpec`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "gateway.gateway", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, carry)]
#[kube(
    group = "gateway.networking.k8s.io",
    kind = "Gateway",
    plural = "gateways",
    short_names("gtw"),
    categories("gateway-api"),
    status = GatewayStatus,
    version(0 = "v1beta1"),
    version(1 = "v1", storage),
    column(name = "Class", path = ".spec.gatewayClassName", type = "string"),
    column(name = "Address", path = ".status.addresses[*].value", type = "string"),
    column(name = "Programmed", path = ".status.conditions[?(@.type==\"Programmed\")].status", type = "string"),
    column(name = "Age", path = ".metadata.creationTimestamp", type = "date"),
)]
pub struct GatewaySpec {
    // No model has `oneOf: [{"properties":{"type":{"enum":["IPAddress"]},"value":{"anyOf":[{"format":"ipv4"},{"format":"ipv6"}]}}},{"proper….
    // No model has of elements: `rule("self.type == 'Hostname' ? (!has(self.value) || self.value.matches(r\"\"\"^(\\*\\.)?[a-z0-9]([-a-z0-9….
    #[kube(length = ..=16, list_type = "atomic", rule("self.all(a1, a1.type == 'IPAddress' && has(a1.value) ? self.exists_one(a2, a2.type == a1.type && has(a2.value) && a2.value == a1.value) : true )", message = "IPAddress values must be unique"), rule("self.all(a1, a1.type == 'Hostname'  && has(a1.value) ? self.exists_one(a2, a2.type == a1.type && has(a2.value) && a2.value == a1.value) : true )", message = "Hostname values must be unique"))]
    pub addresses: Option<Vec<GatewayAddresses>>,
    pub allowed_listeners: Option<GatewayAllowedListeners>,
    #[kube(length = 1..=253)]
    pub gateway_class_name: String,
    pub infrastructure: Option<GatewayInfrastructure>,
    #[kube(length = 1..=64, list_type = "map", list_map_keys("name"), rule("self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)", message = "tls must not be specified for protocols ['HTTP', 'TCP', 'UDP']"), rule("self.all(l, (l.protocol == 'HTTPS' && has(l.tls)) ? (l.tls.mode == '' || l.tls.mode == 'Terminate') : true)", message = "tls mode must be Terminate for protocol HTTPS"), rule("self.all(l, (l.protocol == 'TLS' ? has(l.tls) && has(l.tls.mode) && l.tls.mode != '' : true))", message = "tls mode must be set for protocol TLS"), rule("self.all(l, l.protocol in ['TCP', 'UDP']  ? (!has(l.hostname) || l.hostname == '') : true)", message = "hostname must not be specified for protocols ['TCP', 'UDP']"), rule("self.all(l1, self.exists_one(l2, l1.name == l2.name))", message = "Listener name must be unique within the Gateway"), rule("self.all(l1, self.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))", message = "Combination of port, protocol and hostname must be unique for each listener"))]
    pub listeners: Vec<GatewayListeners>,
    pub tls: Option<GatewayTls>,
}

/// `GatewayAddresses`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayAddresses {
    #[attribute(default = "IPAddress".to_owned())]
    #[kube(length = 1..=253, pattern = r"^Hostname|IPAddress|NamedAddress|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$")]
    pub r#type: String,
    #[kube(length = ..=253)]
    pub value: Option<String>,
}

/// `GatewayAllowedListeners`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayAllowedListeners {
    // The default is `{"from":"None"}`: `#[attribute(default = …)]` and a type without `Option` say so.
    pub namespaces: Option<GatewayAllowedListenersNamespaces>,
}

/// `GatewayAllowedListenersNamespaces`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayAllowedListenersNamespaces {
    #[attribute(default = "None".to_owned())]
    #[kube(one_of("All", "Selector", "Same", "None"))]
    pub from: String,
    #[kube(map_type = "atomic")]
    pub selector: Option<GatewayAllowedListenersNamespacesSelector>,
}

/// `GatewayAllowedListenersNamespacesSelector`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayAllowedListenersNamespacesSelector {
    #[kube(list_type = "atomic")]
    pub match_expressions: Option<Vec<GatewayAllowedListenersNamespacesSelectorMatchExpressions>>,
    pub match_labels: Option<std::collections::BTreeMap<String, String>>,
}

/// `GatewayAllowedListenersNamespacesSelectorMatchExpressions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayAllowedListenersNamespacesSelectorMatchExpressions {
    pub key: String,
    pub operator: String,
    #[kube(list_type = "atomic")]
    pub values: Option<Vec<String>>,
}

/// `GatewayInfrastructure`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayInfrastructure {
    #[kube(length = ..=16, each(length = 0..=4096), rule("self.all(key, key.matches(r\"\"\"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$\"\"\"))", message = "Annotation keys must be in the form of an optional DNS subdomain prefix followed by a required name segment of up to 63 characters."), rule("self.all(key, key.split(\"/\")[0].size() < 253)", message = "If specified, the annotation key's prefix must be a DNS subdomain not longer than 253 characters in total."))]
    pub annotations: Option<std::collections::BTreeMap<String, String>>,
    #[kube(length = ..=8, each(length = 0..=63, pattern = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"), rule("self.all(key, key.matches(r\"\"\"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$\"\"\"))", message = "Label keys must be in the form of an optional DNS subdomain prefix followed by a required name segment of up to 63 characters."), rule("self.all(key, key.split(\"/\")[0].size() < 253)", message = "If specified, the label key's prefix must be a DNS subdomain not longer than 253 characters in total."))]
    pub labels: Option<std::collections::BTreeMap<String, String>>,
    pub parameters_ref: Option<GatewayInfrastructureParametersRef>,
}

/// `GatewayInfrastructureParametersRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayInfrastructureParametersRef {
    #[kube(length = ..=253, pattern = r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub group: String,
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
    #[kube(length = 1..=253)]
    pub name: String,
}

/// `GatewayListeners`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayListeners {
    // The default is `{"namespaces":{"from":"Same"}}`: `#[attribute(default = …)]` and a type without `Option` say so.
    pub allowed_routes: Option<GatewayListenersAllowedRoutes>,
    #[kube(length = 1..=253, pattern = r"^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub hostname: Option<String>,
    #[kube(length = 1..=253, pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub name: String,
    #[kube(range = 1..=65535)]
    pub port: i32,
    #[kube(length = 1..=255, pattern = r"^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9]+$")]
    pub protocol: String,
    #[kube(rule("self.mode == 'Terminate' ? size(self.certificateRefs) > 0 || size(self.options) > 0 : true", message = "certificateRefs or options must be specified when mode is Terminate"))]
    pub tls: Option<GatewayListenersTls>,
}

/// `GatewayListenersAllowedRoutes`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayListenersAllowedRoutes {
    #[kube(length = ..=8, list_type = "atomic")]
    pub kinds: Option<Vec<GatewayListenersAllowedRoutesKinds>>,
    // The default is `{"from":"Same"}`: `#[attribute(default = …)]` and a type without `Option` say so.
    pub namespaces: Option<GatewayListenersAllowedRoutesNamespaces>,
}

/// `GatewayListenersAllowedRoutesKinds`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayListenersAllowedRoutesKinds {
    #[attribute(default = "gateway.networking.k8s.io".to_owned())]
    #[kube(length = ..=253, pattern = r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub group: String,
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
}

/// `GatewayListenersAllowedRoutesNamespaces`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayListenersAllowedRoutesNamespaces {
    #[attribute(default = "Same".to_owned())]
    #[kube(one_of("All", "Selector", "Same"))]
    pub from: String,
    #[kube(map_type = "atomic")]
    pub selector: Option<GatewayListenersAllowedRoutesNamespacesSelector>,
}

/// `GatewayListenersAllowedRoutesNamespacesSelector`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayListenersAllowedRoutesNamespacesSelector {
    #[kube(list_type = "atomic")]
    pub match_expressions: Option<Vec<GatewayListenersAllowedRoutesNamespacesSelectorMatchExpressions>>,
    pub match_labels: Option<std::collections::BTreeMap<String, String>>,
}

/// `GatewayListenersAllowedRoutesNamespacesSelectorMatchExpressions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayListenersAllowedRoutesNamespacesSelectorMatchExpressions {
    pub key: String,
    pub operator: String,
    #[kube(list_type = "atomic")]
    pub values: Option<Vec<String>>,
}

/// `GatewayListenersTls`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayListenersTls {
    #[kube(length = ..=64, list_type = "atomic")]
    pub certificate_refs: Option<Vec<GatewayListenersTlsCertificateRefs>>,
    #[attribute(default = "Terminate".to_owned())]
    #[kube(one_of("Terminate", "Passthrough"))]
    pub mode: String,
    #[kube(length = ..=16, each(length = 0..=4096))]
    pub options: Option<std::collections::BTreeMap<String, String>>,
}

/// `GatewayListenersTlsCertificateRefs`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayListenersTlsCertificateRefs {
    #[attribute(default = String::new())]
    #[kube(length = ..=253, pattern = r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub group: String,
    #[attribute(default = "Secret".to_owned())]
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
    #[kube(length = 1..=253)]
    pub name: String,
    #[kube(length = 1..=63, pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    pub namespace: Option<String>,
}

/// `GatewayTls`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTls {
    pub backend: Option<GatewayTlsBackend>,
    pub frontend: Option<GatewayTlsFrontend>,
}

/// `GatewayTlsBackend`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTlsBackend {
    pub client_certificate_ref: Option<GatewayTlsBackendClientCertificateRef>,
}

/// `GatewayTlsBackendClientCertificateRef`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTlsBackendClientCertificateRef {
    #[attribute(default = String::new())]
    #[kube(length = ..=253, pattern = r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub group: String,
    #[attribute(default = "Secret".to_owned())]
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
    #[kube(length = 1..=253)]
    pub name: String,
    #[kube(length = 1..=63, pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    pub namespace: Option<String>,
}

/// `GatewayTlsFrontend`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTlsFrontend {
    pub default: GatewayTlsFrontendDefault,
    #[kube(length = ..=64, list_type = "map", list_map_keys("port"), rule("self.all(t1, self.exists_one(t2, t1.port == t2.port))", message = "Port for TLS configuration must be unique within the Gateway"))]
    pub per_port: Option<Vec<GatewayTlsFrontendPerPort>>,
}

/// `GatewayTlsFrontendDefault`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTlsFrontendDefault {
    pub validation: Option<GatewayTlsFrontendDefaultValidation>,
}

/// `GatewayTlsFrontendDefaultValidation`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTlsFrontendDefaultValidation {
    #[kube(length = 1..=16, list_type = "atomic")]
    pub ca_certificate_refs: Vec<GatewayTlsFrontendDefaultValidationCaCertificateRefs>,
    #[attribute(default = "AllowValidOnly".to_owned())]
    #[kube(one_of("AllowValidOnly", "AllowInsecureFallback"))]
    pub mode: String,
}

/// `GatewayTlsFrontendDefaultValidationCaCertificateRefs`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTlsFrontendDefaultValidationCaCertificateRefs {
    #[kube(length = ..=253, pattern = r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub group: String,
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
    #[kube(length = 1..=253)]
    pub name: String,
    #[kube(length = 1..=63, pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    pub namespace: Option<String>,
}

/// `GatewayTlsFrontendPerPort`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTlsFrontendPerPort {
    #[kube(range = 1..=65535)]
    pub port: i32,
    pub tls: GatewayTlsFrontendPerPortTls,
}

/// `GatewayTlsFrontendPerPortTls`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTlsFrontendPerPortTls {
    pub validation: Option<GatewayTlsFrontendPerPortTlsValidation>,
}

/// `GatewayTlsFrontendPerPortTlsValidation`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTlsFrontendPerPortTlsValidation {
    #[kube(length = 1..=16, list_type = "atomic")]
    pub ca_certificate_refs: Vec<GatewayTlsFrontendPerPortTlsValidationCaCertificateRefs>,
    #[attribute(default = "AllowValidOnly".to_owned())]
    #[kube(one_of("AllowValidOnly", "AllowInsecureFallback"))]
    pub mode: String,
}

/// `GatewayTlsFrontendPerPortTlsValidationCaCertificateRefs`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayTlsFrontendPerPortTlsValidationCaCertificateRefs {
    #[kube(length = ..=253, pattern = r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub group: String,
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
    #[kube(length = 1..=253)]
    pub name: String,
    #[kube(length = 1..=63, pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    pub namespace: Option<String>,
}

/// `GatewayStatus`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayStatus {
    // No model has `oneOf: [{"properties":{"type":{"enum":["IPAddress"]},"value":{"anyOf":[{"format":"ipv4"},{"format":"ipv6"}]}}},{"proper….
    // No model has of elements: `rule("self.type == 'Hostname' ? self.value.matches(r\"\"\"^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0….
    #[kube(length = ..=16, list_type = "atomic")]
    pub addresses: Option<Vec<GatewayStatusAddresses>>,
    pub attached_listener_sets: Option<i32>,
    // The default is `[{"lastTransitionTime":"1970-01-01T00:00:00Z","message":"Waiting for controller","reason":"Pending","status":"Unknown","…`: `#[attribute(default = …)]` and a type without `Option` say so.
    #[kube(length = ..=8, list_type = "map", list_map_keys("type"))]
    pub conditions: Option<Vec<GatewayStatusConditions>>,
    #[kube(length = ..=64, list_type = "map", list_map_keys("name"))]
    pub listeners: Option<Vec<GatewayStatusListeners>>,
}

/// `GatewayStatusAddresses`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayStatusAddresses {
    #[attribute(default = "IPAddress".to_owned())]
    #[kube(length = 1..=253, pattern = r"^Hostname|IPAddress|NamedAddress|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$")]
    pub r#type: String,
    #[kube(length = 1..=253)]
    pub value: String,
}

/// `GatewayStatusConditions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayStatusConditions {
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

/// `GatewayStatusListeners`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayStatusListeners {
    pub attached_routes: i32,
    #[kube(length = ..=8, list_type = "map", list_map_keys("type"))]
    pub conditions: Vec<GatewayStatusListenersConditions>,
    #[kube(length = 1..=253, pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub name: String,
    #[kube(length = ..=8, list_type = "atomic")]
    pub supported_kinds: Option<Vec<GatewayStatusListenersSupportedKinds>>,
}

/// `GatewayStatusListenersConditions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayStatusListenersConditions {
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

/// `GatewayStatusListenersSupportedKinds`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct GatewayStatusListenersSupportedKinds {
    #[attribute(default = "gateway.networking.k8s.io".to_owned())]
    #[kube(length = ..=253, pattern = r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    pub group: String,
    #[kube(length = 1..=63, pattern = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")]
    pub kind: String,
}
