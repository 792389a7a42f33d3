//! The contents of a version, as a tree: modules, their resources, the instances of these with the
//! values of their attributes. And its outputs.

use maud::{Markup, html};
use upstate_state::{InstanceStatus, Shown};

use super::frame::{counted, folded, shown, tag};
use crate::model::Output;
use crate::service::Held;

/// The number of instances up to which values are shown at first.
const OPEN: usize = 3;

pub(super) fn tree(instances: &[Held]) -> Markup {
    let is_open = instances.len() <= OPEN;
    html! {
        @if instances.is_empty() { p .soft { "There are none." } }
        @for module in instances.chunk_by(|a, b| a.module == b.module) {
            @let resources: Vec<&[Held]> = module.chunk_by(|a, b| a.resource == b.resource).collect();
            details open {
                summary {
                    @match module.first().map(|one| one.module.as_str()) {
                        None | Some("") => "root module",
                        Some(path) => code { (shown(path)) },
                    }
                    ", " (counted(resources.len(), "resource", "resources"))
                }
                ul .tree { @for resource in resources { (branch(resource, is_open)) } }
            }
        }
    }
}

/// A resource: with one instance it is that, with several they are below it.
fn branch(instances: &[Held], is_open: bool) -> Markup {
    html! {
        @match instances {
            [] => {}
            [one] => li { (leaf(one, is_open)) " " span .soft { (shown(&one.provider)) } },
            [first, ..] => li {
                code { (shown(&first.resource)) } ", " (counted(instances.len(), "instance", "instances")) " " span .soft { (shown(&first.provider)) }
                ul .tree { @for one in instances { li { (leaf(one, is_open)) } } }
            }
        }
    }
}

fn leaf(one: &Held, is_open: bool) -> Markup {
    // The module is cut off because the tree names it above.
    let name = one
        .address
        .strip_prefix(&one.module)
        .map_or(one.address.as_str(), |name| name.trim_start_matches('.'));
    html! {
        details open[is_open] {
            summary {
                code { (shown(name)) } " " span .soft { "version " (one.schema_version) } " " (tag(one.status))
                @if one.is_tainted { " " span .tag .warn { "tainted" } }
            }
            (values(one))
        }
    }
}

fn values(one: &Held) -> Markup {
    if let [(path, Shown::Undefined)] = one.values.as_slice()
        && path.is_empty()
    {
        let why = match one.status {
            InstanceStatus::Data => {
                "Values of data sources are not shown: Terraform reads them again, and the server does not know which are sensitive."
            }
            InstanceStatus::UnknownType => {
                "Its values are not shown: the server does not have this type, so it does not know which are sensitive."
            }
            InstanceStatus::Current
            | InstanceStatus::NeedsUpgrade
            | InstanceStatus::CannotUpgrade => "Its values cannot be read.",
        };
        return html! { p .soft { (why) } };
    }
    html! {
        @if one.values.is_empty() { p .soft { "No attribute has a value." } } @else {
            div .scroll tabindex="0" role="group" aria-label=(format!("Attributes of {}", shown(&one.address))) {
                table .values {
                    thead { tr { th scope="col" { "Attribute" } th scope="col" { "Value" } } }
                    tbody {
                        @for (path, value) in &one.values {
                            tr { th scope="row" { code { (shown(path)) } } td { (cell(value)) } }
                        }
                    }
                }
            }
        }
    }
}

fn cell(value: &Shown) -> Markup {
    match value {
        Shown::Json(json) => folded(json),
        Shown::Hidden => html! { em { "(sensitive value)" } },
        Shown::Undefined => html! { em { "(not shown: no schema of the type has it)" } },
    }
}

pub(super) fn output_table(outputs: &[Output]) -> Markup {
    html! {
        div .scroll tabindex="0" role="group" aria-label="Outputs" {
            table .values {
                thead { tr { th scope="col" { "Output" } th scope="col" { "Type" } th scope="col" { "Value" } } }
                tbody {
                    @for output in outputs {
                        tr {
                            th scope="row" { code { (shown(&output.name)) } } td { (shown(&output.kind)) }
                            td { @if output.sensitive { em { "(sensitive value)" } } @else { (folded(&output.value)) } }
                        }
                    }
                }
            }
        }
    }
}
