//! `launchdarkly_metric`: a rename, and what was empty is null.

use std::collections::BTreeSet;

use upstate::{Object, Resource};

/// What an experiment measures.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "launchdarkly_metric", version = 2)]
#[upgrade_from(0..=1 => 2, rename(randomization_units => analysis_units), null_if(description, ""), null_if(urls, []))]
pub struct Metric {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(optional, computed)]
    pub analysis_units: Option<BTreeSet<String>>,
    pub description: Option<String>,
    pub key: String,
    pub urls: Option<Vec<MetricUrl>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct MetricUrl {
    pub kind: String,
    pub url: Option<String>,
}
