//! `hashicorp/kubernetes`.

use std::collections::BTreeMap;

use upstate::{Object, Resource};

/// A deployment, cut down to the way to its containers' resources.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "kubernetes_deployment", version = 1)]
#[upgrade_from(0 => 1,
    // An object of strings becomes a map, without what is not set.
    within(spec.template.spec.container.resources,
        unwrap(limits: Option<Vec<Amounts>>, requests: Option<Vec<Amounts>>, empty = object),
        convert((limits, requests))
    ),
    within(spec.template.spec.init_container.resources,
        unwrap(limits: Option<Vec<Amounts>>, requests: Option<Vec<Amounts>>, empty = object),
        convert((limits, requests))
    ),
)]
pub struct Deployment {
    #[attribute(computed)]
    pub id: Option<String>,
    pub spec: Option<Vec<DeploymentSpec>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct DeploymentSpec {
    pub template: Option<Vec<PodTemplate>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PodTemplate {
    pub spec: Option<Vec<PodSpec>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PodSpec {
    pub container: Option<Vec<Container>>,
    pub init_container: Option<Vec<Container>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Container {
    pub resources: Option<Vec<Resources>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Resources {
    pub limits: Option<BTreeMap<String, String>>,
    pub requests: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Amounts {
    pub cpu: Option<String>,
    pub memory: Option<String>,
}
