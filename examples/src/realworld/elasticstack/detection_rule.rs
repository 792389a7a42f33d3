//! `elasticstack_kibana_security_detection_rule`: parameters became a string of JSON, of any shape; then a filter that never
//! worked went.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde_json::Value;
use upstate::{Diagnostic, Object, RawState, Resource, UpgradeContext};

/// A rule that looks for what should not be there.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_kibana_security_detection_rule", version = 2)]
#[upgrade_from(1, model = DetectionRuleV1, carry)]
pub struct DetectionRule {
    #[attribute(computed)]
    pub id: Option<String>,
    pub actions: Option<Vec<DetectionAction>>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = DetectionActionV1, drop(alerts_filter, "the API takes no filter in a detection rule"))]
pub struct DetectionAction {
    pub action_type_id: Option<String>,
    pub id: String,
    pub params: Option<String>,
}

/// The rule while an action could have a filter.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_kibana_security_detection_rule", version = 1)]
#[upgrade_from(0, raw = with_params_as_text)]
pub struct DetectionRuleV1 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub actions: Option<Vec<DetectionActionV1>>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct DetectionActionV1 {
    pub action_type_id: Option<String>,
    pub alerts_filter: Option<BTreeMap<String, String>>,
    pub id: String,
    pub params: Option<String>,
}

/// Late releases of version 0 wrote the parameters of one action as a string and those of another as a map, so no model reads both.
fn with_params_as_text(
    raw: RawState<'_>,
    _: &mut UpgradeContext<'_>,
) -> Result<DetectionRuleV1, Diagnostic> {
    let RawState::Json(json) = raw else {
        return Err(unreadable("JSON was expected"));
    };
    let mut rule: Value = serde_json::from_slice(json).map_err(unreadable)?;
    let actions = rule.get_mut("actions").and_then(Value::as_array_mut);
    for params in actions
        .into_iter()
        .flatten()
        .filter_map(|action| action.get_mut("params"))
    {
        if params.is_object() {
            *params = Value::String(params.to_string());
        }
    }
    upstate::from_json(rule.to_string().as_bytes()).map_err(unreadable)
}

fn unreadable(why: impl Display) -> Diagnostic {
    Diagnostic::error("Unreadable State", format!("{why}."))
}
