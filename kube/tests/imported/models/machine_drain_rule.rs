use upstate::Document;

/// `MachineDrainRuleSpec`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "cluster.machine_drain_rule", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, carry)]
#[kube(
    group = "cluster.x-k8s.io",
    kind = "MachineDrainRule",
    plural = "machinedrainrules",
    categories("cluster-api"),
    version(0 = "v1beta1", deprecated),
    version(1 = "v1beta2", storage),
    column(name = "Behavior", path = ".spec.drain.behavior", type = "string"),
    column(name = "Order", path = ".spec.drain.order", type = "string"),
    column(name = "Age", path = ".metadata.creationTimestamp", type = "date"),
)]
pub struct MachineDrainRuleSpec {
    pub drain: MachineDrainRuleDrain,
    // No model has `minProperties: 1`.
    #[kube(length = 1..=32, list_type = "atomic", rule("self.all(x, self.exists_one(y, x == y))", message = "entries in machines must be unique"))]
    pub machines: Option<Vec<MachineDrainRuleMachines>>,
    // No model has `minProperties: 1`.
    #[kube(length = 1..=32, list_type = "atomic", rule("self.all(x, self.exists_one(y, x == y))", message = "entries in pods must be unique"))]
    pub pods: Option<Vec<MachineDrainRulePods>>,
}

/// `MachineDrainRuleDrain`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRuleDrain {
    #[kube(one_of("Drain", "Skip", "WaitCompleted"))]
    pub behavior: String,
    pub order: Option<i32>,
}

/// `MachineDrainRuleMachines`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRuleMachines {
    #[kube(map_type = "atomic")]
    pub cluster_selector: Option<MachineDrainRuleMachinesClusterSelector>,
    #[kube(map_type = "atomic")]
    pub selector: Option<MachineDrainRuleMachinesSelector>,
}

/// `MachineDrainRuleMachinesClusterSelector`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRuleMachinesClusterSelector {
    #[kube(list_type = "atomic")]
    pub match_expressions: Option<Vec<MachineDrainRuleMachinesClusterSelectorMatchExpressions>>,
    pub match_labels: Option<std::collections::BTreeMap<String, String>>,
}

/// `MachineDrainRuleMachinesClusterSelectorMatchExpressions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRuleMachinesClusterSelectorMatchExpressions {
    pub key: String,
    pub operator: String,
    #[kube(list_type = "atomic")]
    pub values: Option<Vec<String>>,
}

/// `MachineDrainRuleMachinesSelector`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRuleMachinesSelector {
    #[kube(list_type = "atomic")]
    pub match_expressions: Option<Vec<MachineDrainRuleMachinesSelectorMatchExpressions>>,
    pub match_labels: Option<std::collections::BTreeMap<String, String>>,
}

/// `MachineDrainRuleMachinesSelectorMatchExpressions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRuleMachinesSelectorMatchExpressions {
    pub key: String,
    pub operator: String,
    #[kube(list_type = "atomic")]
    pub values: Option<Vec<String>>,
}

/// `MachineDrainRulePods`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRulePods {
    #[kube(map_type = "atomic")]
    pub namespace_selector: Option<MachineDrainRulePodsNamespaceSelector>,
    #[kube(map_type = "atomic")]
    pub selector: Option<MachineDrainRulePodsSelector>,
}

/// `MachineDrainRulePodsNamespaceSelector`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRulePodsNamespaceSelector {
    #[kube(list_type = "atomic")]
    pub match_expressions: Option<Vec<MachineDrainRulePodsNamespaceSelectorMatchExpressions>>,
    pub match_labels: Option<std::collections::BTreeMap<String, String>>,
}

/// `MachineDrainRulePodsNamespaceSelectorMatchExpressions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRulePodsNamespaceSelectorMatchExpressions {
    pub key: String,
    pub operator: String,
    #[kube(list_type = "atomic")]
    pub values: Option<Vec<String>>,
}

/// `MachineDrainRulePodsSelector`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRulePodsSelector {
    #[kube(list_type = "atomic")]
    pub match_expressions: Option<Vec<MachineDrainRulePodsSelectorMatchExpressions>>,
    pub match_labels: Option<std::collections::BTreeMap<String, String>>,
}

/// `MachineDrainRulePodsSelectorMatchExpressions`.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct MachineDrainRulePodsSelectorMatchExpressions {
    pub key: String,
    pub operator: String,
    #[kube(list_type = "atomic")]
    pub values: Option<Vec<String>>,
}
