//! `hashicorp/kubernetes`.

use std::collections::BTreeMap;

use upstate::{Diagnostic, Object, Resource};

use super::blocks::{at_most_one, each};

/// A deployment, cut down to the way to its containers' resources.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "kubernetes_deployment", version = 1)]
#[upgrade_from(0, model = DeploymentV0)]
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

impl TryFrom<DeploymentV0> for Deployment {
    type Error = Diagnostic;

    fn try_from(prior: DeploymentV0) -> Result<Self, Self::Error> {
        Ok(Self { id: prior.id, spec: each("spec", prior.spec, DeploymentSpec::try_from)? })
    }
}

impl TryFrom<DeploymentSpecV0> for DeploymentSpec {
    type Error = Diagnostic;

    fn try_from(prior: DeploymentSpecV0) -> Result<Self, Self::Error> {
        Ok(Self { template: each("template", prior.template, PodTemplate::try_from)? })
    }
}

impl TryFrom<PodTemplateV0> for PodTemplate {
    type Error = Diagnostic;

    fn try_from(prior: PodTemplateV0) -> Result<Self, Self::Error> {
        Ok(Self { spec: each("spec", prior.spec, PodSpec::try_from)? })
    }
}

impl TryFrom<PodSpecV0> for PodSpec {
    type Error = Diagnostic;

    fn try_from(prior: PodSpecV0) -> Result<Self, Self::Error> {
        Ok(Self {
            container: each("container", prior.container, Container::try_from)?,
            init_container: each("init_container", prior.init_container, Container::try_from)?,
        })
    }
}

impl TryFrom<ContainerV0> for Container {
    type Error = Diagnostic;

    fn try_from(prior: ContainerV0) -> Result<Self, Self::Error> {
        Ok(Self { resources: each("resources", prior.resources, Resources::try_from)? })
    }
}

impl TryFrom<ResourcesV0> for Resources {
    type Error = Diagnostic;

    fn try_from(prior: ResourcesV0) -> Result<Self, Self::Error> {
        Ok(Self { limits: amounts("limits", prior.limits)?, requests: amounts("requests", prior.requests)? })
    }
}

/// An empty list becomes an empty map; null stays null.
fn amounts(name: &'static str, list: Option<Vec<Amounts>>) -> Result<Option<BTreeMap<String, String>>, Diagnostic> {
    if list.is_none() {
        return Ok(None);
    }
    let named = at_most_one(name, list)?.map(|amounts| [("cpu", amounts.cpu), ("memory", amounts.memory)]);
    let set = named.into_iter().flatten().filter_map(|(resource, amount)| Some((resource.to_owned(), amount?)));
    Ok(Some(set.collect()))
}
