//! `newrelic/newrelic`.

use upstate::{Object, Resource};

/// A notification workflow.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "newrelic_workflow", version = 1)]
#[upgrade_from(0, model = WorkflowV0, rename(destination_configuration => destination, workflow_enabled => enabled))]
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
#[upgrade_from(model = EnrichmentsV0, carry)]
pub struct Enrichments {
    pub nrql: Option<Vec<Nrql>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = NrqlV0, rename(configurations => configuration))]
pub struct Nrql {
    pub configuration: Option<Vec<NrqlConfiguration>>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct NrqlConfiguration {
    pub query: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = IssuesFilterV0, rename(predicates => predicate))]
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
