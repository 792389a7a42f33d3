//! `newrelic/newrelic`.

use upstate::{Object, Resource};

/// A notification workflow.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "newrelic_workflow", version = 1)]
#[upgrade_from(0 => 1,
    rename(
        destination_configuration => destination,
        workflow_enabled => enabled,
        enrichments.nrql.configurations => enrichments.nrql.configuration,
        issues_filter.predicates => issues_filter.predicate
    ),
)]
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
