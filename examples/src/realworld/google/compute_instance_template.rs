//! `google_compute_instance_template`: an attribute moved into a block that may have held it already.

use upstate::{Diagnostic, Object, Resource};

use crate::realworld::blocks::{at_most_one, path};

/// A template for virtual machines.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_instance_template", version = 1)]
#[upgrade_from(0, model = InstanceTemplateV0)]
pub struct InstanceTemplate {
    #[attribute(computed)]
    pub id: Option<String>,
    pub scheduling: Option<Vec<Scheduling>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Scheduling {
    pub automatic_restart: Option<bool>,
}

/// The template while restarting could be set in two places.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_instance_template", version = 0)]
pub struct InstanceTemplateV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub automatic_restart: Option<bool>,
    /// Not carried: the provider reads it again into the block.
    pub on_host_maintenance: Option<String>,
    pub scheduling: Option<Vec<Scheduling>>,
}

impl TryFrom<InstanceTemplateV0> for InstanceTemplate {
    type Error = Diagnostic;

    fn try_from(prior: InstanceTemplateV0) -> Result<Self, Self::Error> {
        let block = at_most_one("scheduling", prior.scheduling)?;
        let restart = match (prior.automatic_restart, block.as_ref().and_then(|block| block.automatic_restart)) {
            (Some(beside), Some(inside)) if beside != inside => return Err(differing_values(beside, inside)),
            (beside, inside) => inside.or(beside),
        };
        let scheduling = match (block, restart) {
            (None, None) => None,
            (_, automatic_restart) => Some(vec![Scheduling { automatic_restart }]),
        };
        Ok(Self { id: prior.id, scheduling })
    }
}

fn differing_values(beside: bool, inside: bool) -> Diagnostic {
    Diagnostic::error(
        "Differing Values",
        format!(
            "`automatic_restart` is stored twice, as {beside} beside the `scheduling` block and as {inside} in it. Apply the \
             configuration once with the provider release that wrote this state, so that both agree."
        ),
    )
    .at(path("scheduling").index(0).attribute("automatic_restart"))
}
