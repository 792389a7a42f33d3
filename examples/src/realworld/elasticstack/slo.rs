//! `elasticstack_kibana_slo`: a text became a list, a list of one became an object, and both upgrades warn.

use upstate::{Diagnostic, Object, Resource, UpgradeContext};

use crate::realworld::blocks::{at_most_one, empty_as_null, path};

/// A service level objective.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_kibana_slo", version = 2)]
#[upgrade_from(0, model = SloV0, with = from_v0)]
#[upgrade_from(1, model = SloV1, with = from_v1)]
pub struct Slo {
    #[attribute(computed)]
    pub id: Option<String>,
    pub group_by: Option<Vec<String>>,
    pub settings: Option<SloSettings>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SloSettings {
    pub sync_delay: Option<String>,
}

/// The objective while its settings were a list.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_kibana_slo", version = 1)]
pub struct SloV1 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub group_by: Option<Vec<String>>,
    pub settings: Option<Vec<SloSettings>>,
}

/// The objective while it could be grouped by one field only.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_kibana_slo", version = 0)]
pub struct SloV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub group_by: Option<String>,
    pub settings: Option<Vec<SloSettings>>,
}

fn from_v0(prior: SloV0, context: &mut UpgradeContext<'_>) -> Result<Slo, Diagnostic> {
    let group_by = empty_as_null(prior.group_by).map(|field| vec![field]);
    if group_by.is_some() {
        context.warn(
            Diagnostic::warning("List Expected", "`group_by` is a list now; the configuration must be changed to match.")
                .at(path("group_by")),
        );
    }
    from_v1(SloV1 { id: prior.id, group_by, settings: prior.settings }, context)
}

fn from_v1(prior: SloV1, context: &mut UpgradeContext<'_>) -> Result<Slo, Diagnostic> {
    let settings = at_most_one("settings", prior.settings)?;
    if settings.is_some() {
        context.warn(
            Diagnostic::warning("Object Expected", "`settings` is a single object now, written `settings = { … }`.")
                .at(path("settings")),
        );
    }
    Ok(Slo { id: prior.id, group_by: prior.group_by, settings })
}
