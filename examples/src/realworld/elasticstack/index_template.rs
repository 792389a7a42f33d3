//! `elasticstack_elasticsearch_index_template`: four lists of one inside each other collapsed into objects.

use upstate::{Object, Resource};

use super::Connection;

/// What new indices start with.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_index_template", version = 1)]
#[upgrade_from(0 => 1,
    unwrap(data_stream, template),
    within(template,
        unwrap(data_stream_options, data_stream_options.failure_store, data_stream_options.failure_store.lifecycle, lifecycle),
        null_if((mappings, settings), "")
    ),
)]
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
