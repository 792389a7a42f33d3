//! Boxes for some of the workspaces of a table, and the form that they belong to.

use maud::{Markup, html};

use super::frame::proof;
use super::visitor::Visitor;
use crate::model::WorkspaceId;

/// The button that plans the upgrade of the workspaces that are ticked in a table: each box names
/// the form, so that it may be elsewhere.
pub(super) fn ticked_plan(visitor: &Visitor, organization: &str) -> Markup {
    html! {
        form #ticked method="post" action=(format!("/ui/organizations/{organization}/plans")) {
            (proof(&visitor.session))
            input type="hidden" name="ticked" value="only";
            button .quiet { "Plan the upgrade of those that are ticked" }
        }
    }
}

/// The box of a workspace in a table.
pub(super) fn tick(form: &str, workspace: &WorkspaceId, name: &str) -> Markup {
    html! { input type="checkbox" form=(form) name="workspace" value=(workspace.as_str()) aria-label=(format!("Tick {name}")); }
}
