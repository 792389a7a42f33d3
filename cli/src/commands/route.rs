//! A picture of a type's history: each stored version, and the upgraders that lead from one to the next.

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
        let mut nodes: Vec<Node> = supported.iter().map(|versions| Node { name: stored(versions), is_current: false }).collect();
        nodes.push(Node { name: definition.version().to_string(), is_current: true });
        let node_of = |version: u64| supported.iter().position(|versions| versions.contains(&version)).unwrap_or(supported.len());
        let mut upgraders = Vec::new();
        if let Some(history) = definition.history() {
            gather_upgraders(history, &mut upgraders);
        }
        let label = |from: u64, to: u64| {
            let step =
                upgraders.iter().find(|(target, step)| target.version() == to && step.from() <= from && from <= step.last());
            step.map_or("", |(_, step)| kind(step.written_as()))
        };
        let next = |(from, versions): (usize, &std::ops::RangeInclusive<u64>)| {
            let first = *versions.start();
            let to = *definition.route(first).get(1)?;
            Some(Arrow { from, to: node_of(to), label: label(first, to) })
        };
        let arrows = supported.iter().enumerate().filter_map(next).collect();
        let title = definition.type_name().replace('&', "&amp;").replace('<', "&lt;");
        Self { title, nodes, arrows }
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
    let mut out = format!("digraph {:?} {{\n  rankdir=LR\n  node [shape=box, style=rounded]\n", picture.title);
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

const WIDTH: usize = 96;
const HEIGHT: usize = 36;
const GAP: usize = 104;
const MARGIN: usize = 16;
/// The height that one more version adds to an arrow.
const RISE: usize = 26;

/// The picture as an SVG: versions from left to right; an upgrader that passes over versions is an arc above them.
pub(super) fn svg(definition: &ResourceDefinition) -> String {
    let picture = Picture::of(definition);
    let left = |node: usize| MARGIN + node * (WIDTH + GAP);
    let over = picture.arrows.iter().map(|arrow| arrow.to - arrow.from - 1).max().unwrap_or(0);
    let top = MARGIN + 24 + over * RISE + if over > 0 { 16 } else { 0 };
    let width = left(picture.nodes.len() - 1) + WIDTH + MARGIN;
    let height = top + HEIGHT + MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n  \
         <title>Routes of {title}</title>\n  \
         <style>text {{ font: 13px sans-serif; fill: #24292f }} .node {{ fill: #f6f8fa; stroke: #57606a }} .current {{ stroke-width: 2.5 }} \
         .arrow {{ fill: none; stroke: #57606a; marker-end: url(#head) }} .label {{ fill: #57606a; font-size: 12px }}</style>\n  \
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path d=\"M0 0 L8 4 L0 8 z\" fill=\"#57606a\"/></marker></defs>\n  \
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n  \
         <text x=\"{MARGIN}\" y=\"{y}\" font-weight=\"bold\">{title}</text>\n",
        title = picture.title,
        y = MARGIN + 6,
    );
    for (index, node) in picture.nodes.iter().enumerate() {
        let (x, class) = (left(index), if node.is_current { "node current" } else { "node" });
        let _ = writeln!(out, "  <rect class=\"{class}\" x=\"{x}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\"/>");
        let (middle, base) = (x + WIDTH / 2, top + HEIGHT / 2 + 5);
        let name = if node.is_current { format!("{} current", node.name) } else { node.name.clone() };
        let _ = writeln!(out, "  <text x=\"{middle}\" y=\"{base}\" text-anchor=\"middle\">{name}</text>");
    }
    for Arrow { from, to, label } in &picture.arrows {
        let (passed, y) = (to - from - 1, top + HEIGHT / 2);
        let (path, x, base) = if passed == 0 {
            let (begin, end) = (left(*from) + WIDTH, left(*to));
            (format!("M{begin} {y} L{end} {y}"), usize::midpoint(begin, end), y - 6)
        } else {
            let (begin, end, high) = (left(*from) + WIDTH / 2, left(*to) + WIDTH / 2, top - 8 - passed * RISE);
            let path = format!("M{begin} {top} C{begin} {high} {end} {high} {end} {top}");
            (path, usize::midpoint(begin, end), high + passed * RISE / 4 + 2)
        };
        let _ = writeln!(out, "  <path class=\"arrow\" d=\"{path}\"/>");
        let _ = writeln!(out, "  <text class=\"label\" x=\"{x}\" y=\"{base}\" text-anchor=\"middle\">{label}</text>");
    }
    out.push_str("</svg>\n");
    out
}
