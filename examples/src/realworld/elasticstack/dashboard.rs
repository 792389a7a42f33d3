//! `elasticstack_kibana_dashboard`: what a control shows can come from a field or from a query, so the members of the first
//! moved one level down.

use upstate::{Object, Resource};

/// Panels on a page.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_kibana_dashboard", version = 1)]
#[upgrade_from(0 => 1, within(panels, wrap(options_list_control_config, range_slider_control_config, as = by_field)))]
pub struct Dashboard {
    #[attribute(computed)]
    pub id: Option<String>,
    pub panels: Option<Vec<Panel>>,
    pub title: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Panel {
    pub id: Option<String>,
    pub options_list_control_config: Option<OptionsListControl>,
    pub range_slider_control_config: Option<RangeSliderControl>,
    #[attribute(name = "type")]
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct OptionsListControl {
    pub by_esql: Option<ByEsql>,
    pub by_field: Option<OptionsListByField>,
}

/// The whole control in version 0, and what a field shows in version 1.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct OptionsListByField {
    pub data_view_id: String,
    pub display_settings: Option<DisplaySettings>,
    pub exclude: Option<bool>,
    pub exists_selected: Option<bool>,
    pub field_name: String,
    pub ignore_validations: Option<bool>,
    pub run_past_timeout: Option<bool>,
    pub search_technique: Option<String>,
    pub selected_options: Option<Vec<String>>,
    pub single_select: Option<bool>,
    pub sort: Option<OptionsSort>,
    pub title: Option<String>,
    pub use_global_filters: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RangeSliderControl {
    pub by_esql: Option<ByEsql>,
    pub by_field: Option<RangeSliderByField>,
}

/// The whole control in version 0, and what a field shows in version 1.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct RangeSliderByField {
    pub data_view_id: String,
    pub field_name: String,
    pub ignore_validations: Option<bool>,
    pub step: Option<f64>,
    pub title: Option<String>,
    pub use_global_filters: Option<bool>,
    pub value: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ByEsql {
    pub esql_query: String,
    pub title: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct DisplaySettings {
    pub hide_action_bar: Option<bool>,
    pub hide_exclude: Option<bool>,
    pub hide_exists: Option<bool>,
    pub hide_sort: Option<bool>,
    pub placeholder: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct OptionsSort {
    pub by: String,
    pub direction: String,
}
