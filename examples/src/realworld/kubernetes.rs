//! `hashicorp/kubernetes`.

use std::collections::BTreeMap;

use upstate::{Object, Resource};

/// A deployment, cut down to the way to its containers' resources.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "kubernetes_deployment", version = 1)]
#[upgrade_from(0, model = DeploymentV0, carry)]
pub struct Deployment {
    #[attribute(computed)]
    pub id: Option<String>,
    pub spec: Option<Vec<DeploymentSpec>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = DeploymentSpecV0, carry)]
pub struct DeploymentSpec {
    pub template: Option<Vec<PodTemplate>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = PodTemplateV0, carry)]
pub struct PodTemplate {
    pub spec: Option<Vec<PodSpec>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = PodSpecV0, carry)]
pub struct PodSpec {
    pub container: Option<Vec<Container>>,
    pub init_container: Option<Vec<Container>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = ContainerV0, carry)]
pub struct Container {
    pub resources: Option<Vec<Resources>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(
    model = ResourcesV0,
    unwrap(limits, requests, empty = object),
    // An object of texts becomes a map, without what is not set.
    convert((limits, requests))
)]
pub struct Resources {
    pub limits: Option<BTreeMap<String, String>>,
    pub requests: Option<BTreeMap<String, String>>,
}

/// The deployment while processor and memory were the only resources.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "kubernetes_deployment", version = 0)]
pub struct DeploymentV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub spec: Option<Vec<DeploymentSpecV0>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct DeploymentSpecV0 {
    pub template: Option<Vec<PodTemplateV0>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PodTemplateV0 {
    pub spec: Option<Vec<PodSpecV0>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PodSpecV0 {
    pub container: Option<Vec<ContainerV0>>,
    pub init_container: Option<Vec<ContainerV0>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ContainerV0 {
    pub resources: Option<Vec<ResourcesV0>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ResourcesV0 {
    pub limits: Option<Vec<Amounts>>,
    pub requests: Option<Vec<Amounts>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Amounts {
    pub cpu: Option<String>,
    pub memory: Option<String>,
}
