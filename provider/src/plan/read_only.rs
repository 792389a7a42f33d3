//! Attributes that a configuration sets, and only the provider may.

use upstate::schema::{Block, Presence};
use upstate::{AttributePath, Diagnostics, Value};

use super::nested::{Members, elements, member};
use crate::diagnostics;

/// The diagnostics of computed attributes that a user set, known or not. Terraform itself lets them
/// pass.
pub(super) fn set_by_user(block: &Block, config: &Value) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    members(
        Members::Block(block),
        config,
        &AttributePath::new(),
        &mut diagnostics,
    );
    diagnostics
}

fn members(of: Members<'_>, config: &Value, at: &AttributePath, diagnostics: &mut Diagnostics) {
    for attribute in of
        .attributes()
        .iter()
        .filter(|attribute| attribute.presence() == Presence::Computed)
    {
        if !attribute.has_default() && !member(config, attribute.name()).is_null() {
            let path = at.clone().attribute(attribute.name().to_owned());
            diagnostics.push(diagnostics::read_only(path));
        }
    }
    for (name, nesting, inner) in of.nested() {
        let computed = of
            .attributes()
            .iter()
            .any(|it| it.name() == name && it.presence() == Presence::Computed);
        for (step, element) in elements(nesting, member(config, name))
            .into_iter()
            .filter(|_| !computed)
        {
            let at = at.clone().attribute(name.to_owned());
            members(
                inner,
                element,
                &step.into_iter().fold(at, AttributePath::step),
                diagnostics,
            );
        }
    }
}
