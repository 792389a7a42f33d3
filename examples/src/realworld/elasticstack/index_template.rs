//! `elasticstack_elasticsearch_index_template`: four lists of one inside each other collapsed into objects.

use upstate::{Object, Resource};

use super::Connection;

/// What new indices start with.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_index_template", version = 1)]
#[upgrade_from(0, model = IndexTemplateV0, unwrap(data_stream, template))]
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
#[upgrade_from(
    model = TemplateV0,
    unwrap(data_stream_options, lifecycle),
    null_if((mappings, settings), "")
)]
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
#[upgrade_from(model = DataStreamOptionsV0, unwrap(failure_store))]
pub struct DataStreamOptions {
    pub failure_store: Option<FailureStore>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = FailureStoreV0, unwrap(lifecycle))]
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
