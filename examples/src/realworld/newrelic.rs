//! `newrelic/newrelic`.

use upstate::{Object, Resource};

use super::blocks::map_each;

/// A notification workflow.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "newrelic_workflow", version = 1)]
#[upgrade_from(0, model = WorkflowV0)]
pub struct Workflow {
    #[attribute(computed)]
    pub id: Option<String>,
    pub destination: Option<Vec<Destination>>,
    pub enabled: Option<bool>,
    pub enrichments: Option<Vec<Enrichments>>,
    pub issues_filter: Option<Vec<IssuesFilter>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Destination {
    pub channel_id: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Enrichments {
    pub nrql: Option<Vec<Nrql>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Nrql {
    pub configuration: Option<Vec<NrqlConfiguration>>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct NrqlConfiguration {
    pub query: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct IssuesFilter {
    pub name: String,
    pub predicate: Option<Vec<Predicate>>,
    #[attribute(name = "type")]
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Predicate {
    pub attribute: String,
    pub operator: String,
    pub values: Vec<String>,
}

/// The workflow while its blocks had plural or longer names.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "newrelic_workflow", version = 0)]
pub struct WorkflowV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub destination_configuration: Option<Vec<Destination>>,
    pub enrichments: Option<Vec<EnrichmentsV0>>,
    pub issues_filter: Option<Vec<IssuesFilterV0>>,
    pub workflow_enabled: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct EnrichmentsV0 {
    pub nrql: Option<Vec<NrqlV0>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct NrqlV0 {
    pub configurations: Option<Vec<NrqlConfiguration>>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct IssuesFilterV0 {
    pub name: String,
    pub predicates: Option<Vec<Predicate>>,
    #[attribute(name = "type")]
    pub kind: String,
}

impl From<WorkflowV0> for Workflow {
    fn from(prior: WorkflowV0) -> Self {
        Self {
            id: prior.id,
            destination: prior.destination_configuration,
            enabled: prior.workflow_enabled,
            enrichments: map_each(prior.enrichments),
            issues_filter: map_each(prior.issues_filter),
        }
    }
}

impl From<EnrichmentsV0> for Enrichments {
    fn from(prior: EnrichmentsV0) -> Self {
        Self { nrql: map_each(prior.nrql) }
    }
}

impl From<NrqlV0> for Nrql {
    fn from(prior: NrqlV0) -> Self {
        Self { configuration: prior.configurations, name: prior.name }
    }
}

impl From<IssuesFilterV0> for IssuesFilter {
    fn from(prior: IssuesFilterV0) -> Self {
        Self { name: prior.name, predicate: prior.predicates, kind: prior.kind }
    }
}
