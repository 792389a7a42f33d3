//! `grafana/grafana`.

use upstate::Resource;

/// A test of how much a service bears. Its ids are strings, as those of all other resources.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "grafana_k6_load_test", version = 1)]
#[upgrade_from(0 => 1, convert((id: i64, project_id: i64, baseline_test_run_id: Option<i64>)), set(k6_version = null))]
pub struct K6LoadTest {
    #[attribute(computed)]
    pub id: String,
    #[attribute(optional, computed)]
    pub baseline_test_run_id: Option<String>,
    #[attribute(optional, computed)]
    pub k6_version: Option<String>,
    pub name: String,
    pub project_id: String,
    pub script: String,
}
