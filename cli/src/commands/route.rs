//! A graph of a type's history: each stored version, and the upgraders that lead from one to the
//! next.

use std::fmt::Write as _;

use upstate::ResourceDefinition;
use upstate::upgrade::UpgraderKind;

use super::explain::{gather_upgraders, stored};

/// A stored version, or a range of them that share an upgrader.
struct Node {
    name: String,
    is_current: bool,
}

/// An upgrader from one node to a later one.
struct Arrow {
    from: usize,
    to: usize,
    label: &'static str,
}

/// The versions in order, and the upgraders between them.
struct Picture {
    title: String,
    nodes: Vec<Node>,
    arrows: Vec<Arrow>,
}

impl Picture {
    fn of(definition: &ResourceDefinition) -> Self {
        let supported = definition.supported_ranges();
        let mut nodes: Vec<Node> = supported
            .iter()
            .map(|versions| Node {
                name: stored(versions),
                is_current: false,
            })
            .collect();
        nodes.push(Node {
            name: definition.version().to_string(),
            is_current: true,
        });
        let node_of = |version: u64| {
            supported
                .iter()
                .position(|versions| versions.contains(&version))
                .unwrap_or(supported.len())
        };
        let mut upgraders = Vec::new();
        if let Some(history) = definition.history() {
            gather_upgraders(history, &mut upgraders);
        }
        let label = |from: u64, to: u64| {
            let step = upgraders.iter().find(|(target, step)| {
                target.version() == to && step.from() <= from && from <= step.last()
            });
            step.map_or("", |(_, step)| kind(step.written_as()))
        };
        let next = |(from, versions): (usize, &std::ops::RangeInclusive<u64>)| {
            let first = *versions.start();
            let to = *definition.route(first).get(1)?;
            Some(Arrow {
                from,
                to: node_of(to),
                label: label(first, to),
            })
        };
        let arrows = supported.iter().enumerate().filter_map(next).collect();
        Self {
            title: definition.type_name().to_owned(),
            nodes,
            arrows,
        }
    }
}

fn kind(kind: UpgraderKind) -> &'static str {
    match kind {
        UpgraderKind::Conversion => "conversion",
        UpgraderKind::Function | UpgraderKind::Raw => "function",
        UpgraderKind::Unchanged => "unchanged",
        UpgraderKind::NeverReleased => "never released",
        UpgraderKind::Unsupported => "unsupported",
        _ => "operators",
    }
}

/// The picture in the language of Graphviz.
pub(super) fn dot(definition: &ResourceDefinition) -> String {
    let picture = Picture::of(definition);
    let mut out = format!(
        "digraph {:?} {{\n  rankdir=LR\n  node [shape=box, style=rounded]\n",
        picture.title
    );
    for (index, node) in picture.nodes.iter().enumerate() {
        let current = if node.is_current { ", penwidth=2" } else { "" };
        let _ = writeln!(out, "  n{index} [label=\"{}\"{current}]", node.name);
    }
    for Arrow { from, to, label } in &picture.arrows {
        let _ = writeln!(out, "  n{from} -> n{to} [label=\"{label}\"]");
    }
    out.push_str("}\n");
    out
}
