//! `elasticstack_elasticsearch_index_template`: four lists of one inside each other collapsed into objects.

use upstate::{Diagnostic, Object, Resource};

use super::Connection;
use crate::realworld::blocks::{at_most_one, empty_as_null, unwrapped};

/// What new indices start with.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_index_template", version = 1)]
#[upgrade_from(0, model = IndexTemplateV0)]
pub struct IndexTemplate {
    #[attribute(computed)]
    pub id: String,
    pub data_stream: Option<DataStream>,
    pub elasticsearch_connection: Option<Vec<Connection>>,
    pub index_patterns: Vec<String>,
    pub name: String,
    pub template: Option<Template>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct DataStream {
    pub allow_custom_routing: Option<bool>,
    pub hidden: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Template {
    pub alias: Option<Vec<Alias>>,
    pub data_stream_options: Option<DataStreamOptions>,
    pub lifecycle: Option<Lifecycle>,
    pub mappings: Option<String>,
    pub settings: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Alias {
    pub name: String,
    pub routing: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Lifecycle {
    pub data_retention: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct DataStreamOptions {
    pub failure_store: Option<FailureStore>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct FailureStore {
    pub enabled: Option<bool>,
    pub lifecycle: Option<Lifecycle>,
}

/// The template while every block was a list.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_index_template", version = 0)]
pub struct IndexTemplateV0 {
    #[attribute(computed)]
    pub id: String,
    pub data_stream: Option<Vec<DataStream>>,
    pub elasticsearch_connection: Option<Vec<Connection>>,
    pub index_patterns: Vec<String>,
    pub name: String,
    pub template: Option<Vec<TemplateV0>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct TemplateV0 {
    pub alias: Option<Vec<Alias>>,
    pub data_stream_options: Option<Vec<DataStreamOptionsV0>>,
    pub lifecycle: Option<Vec<Lifecycle>>,
    pub mappings: Option<String>,
    pub settings: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct DataStreamOptionsV0 {
    pub failure_store: Option<Vec<FailureStoreV0>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct FailureStoreV0 {
    pub enabled: Option<bool>,
    pub lifecycle: Option<Vec<Lifecycle>>,
}

impl TryFrom<IndexTemplateV0> for IndexTemplate {
    type Error = Diagnostic;

    fn try_from(prior: IndexTemplateV0) -> Result<Self, Self::Error> {
        Ok(Self {
            id: prior.id,
            data_stream: at_most_one("data_stream", prior.data_stream)?,
            elasticsearch_connection: prior.elasticsearch_connection,
            index_patterns: prior.index_patterns,
            name: prior.name,
            template: unwrapped("template", prior.template)?,
        })
    }
}

impl TryFrom<TemplateV0> for Template {
    type Error = Diagnostic;

    fn try_from(prior: TemplateV0) -> Result<Self, Self::Error> {
        Ok(Self {
            alias: prior.alias,
            data_stream_options: unwrapped("data_stream_options", prior.data_stream_options)?,
            lifecycle: at_most_one("lifecycle", prior.lifecycle)?,
            mappings: empty_as_null(prior.mappings),
            settings: empty_as_null(prior.settings),
        })
    }
}

impl TryFrom<DataStreamOptionsV0> for DataStreamOptions {
    type Error = Diagnostic;

    fn try_from(prior: DataStreamOptionsV0) -> Result<Self, Self::Error> {
        Ok(Self { failure_store: unwrapped("failure_store", prior.failure_store)? })
    }
}

impl TryFrom<FailureStoreV0> for FailureStore {
    type Error = Diagnostic;

    fn try_from(prior: FailureStoreV0) -> Result<Self, Self::Error> {
        Ok(Self { enabled: prior.enabled, lifecycle: at_most_one("lifecycle", prior.lifecycle)? })
    }
}
