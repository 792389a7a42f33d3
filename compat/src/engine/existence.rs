//! Added, removed and renamed parts.

use std::collections::BTreeSet;

use super::resource::tier;
use super::tree::{Members, Node, Paths, join, parent};
use super::{Context, behaviour, deprecations, documents, flags, shape};
use crate::finding::DROPPED;
use crate::kind::Kind;
use crate::release::Semver;
use crate::rule::{Bump, Level, Rule};
use crate::rules as R;
use crate::snapshot::{AttributeSnapshot, ResourceSnapshot};

/// The whole resources that are compared.
pub(super) type Both<'a> = (&'a ResourceSnapshot, &'a ResourceSnapshot);

/// Compares the members at `prefix`.
pub(super) fn members<'a>(
    cx: &mut Context<'_>,
    paths: &Paths<'a>,
    prefix: &str,
    (old, new): (Members<'a>, Members<'a>),
    both: Both<'a>,
) {
    // The key of the objects is a member on one side only.
    let is_key = |name: &str| paths.key_of(prefix) == Some(name);
    for name in old.names() {
        let path = join(prefix, name);
        let Some(before) = old.get(name) else {
            continue;
        };
        match new.get(name) {
            Some(after) => pair(cx, paths, &path, (before, after), both),
            None if is_key(name) => {}
            None => gone(cx, paths, &path, before, both),
        }
    }
    for name in new
        .names()
        .filter(|name| old.get(name).is_none() && !is_key(name))
    {
        let path = join(prefix, name);
        let Some(node) = new.get(name) else { continue };
        arrived(cx, paths, &path, node, both);
    }
}

/// Something is where nothing was. What was elsewhere is judged there.
fn arrived<'a>(
    cx: &mut Context<'_>,
    paths: &Paths<'a>,
    path: &str,
    node: Node<'a>,
    both: Both<'a>,
) {
    if paths.sources.contains_key(path) {
        return;
    }
    if !paths.moved_into(path) {
        return added(cx, paths, path, node, both);
    }
    // A place for what was elsewhere may have something new beside it.
    for name in node.members().names() {
        if let Some(inside) = node.members().get(name) {
            arrived(cx, paths, &join(path, name), inside, both);
        }
    }
}

fn pair<'a>(
    cx: &mut Context<'_>,
    paths: &Paths<'a>,
    path: &str,
    (old, new): (Node<'a>, Node<'a>),
    both: Both<'a>,
) {
    if old != new || cx.rewrites(path) {
        contents(cx, paths, path, (old, new), both);
        deprecations::compare(cx, paths, path, old, new);
    }
}

/// Compares what was at a path, or was called something else, with what is at `path` now.
fn contents<'a>(
    cx: &mut Context<'_>,
    paths: &Paths<'a>,
    path: &str,
    (old, new): (Node<'a>, Node<'a>),
    both: Both<'a>,
) {
    shape::compare(cx, path, (old, new), paths.key_of(path));
    flags::compare(cx, path, old, new);
    if old.mode().is_some() && new.mode().is_some() {
        members(cx, paths, path, (old.members(), new.members()), both);
    }
}

fn gone<'a>(cx: &mut Context<'_>, paths: &Paths<'a>, path: &str, node: Node<'a>, both: Both<'a>) {
    if let Some(targets) = paths.targets.get(path) {
        renamed(cx, paths, path, targets, node, both);
        return;
    }
    let moved: Vec<_> = paths.moved_out_of(path).collect();
    for (from, targets) in &moved {
        if let Some(node) = paths.old.get(*from) {
            renamed(cx, paths, from, targets, *node, both);
        }
    }
    let everything_moved = !moved.is_empty()
        && paths
            .leaves(path)
            .all(|leaf| paths.targets.contains_key(leaf));
    if everything_moved {
        return;
    }
    let reason = both
        .1
        .dropped
        .get(&both.0.version)
        .and_then(|dropped| dropped.get(path));
    let finding = cx.report(&R::ATTRIBUTE_REMOVED, path);
    finding.was(node.words());
    if let Some(reason) = reason {
        finding.note(format!("{DROPPED}{reason}"));
    }
    if tier(both.0) > 0 {
        finding.graded(Level::Potential, Semver::Minor);
    } else {
        removal(cx, paths, path, node);
    }
}

/// True if what is gone was announced, itself or with what it was in.
fn removal(cx: &mut Context<'_>, paths: &Paths<'_>, path: &str, node: Node<'_>) {
    let mut deprecated = node.deprecated();
    let mut above = parent(path);
    while deprecated.is_none() && !above.is_empty() {
        deprecated = paths.old.get(above).and_then(|node| node.deprecated());
        above = parent(above);
    }
    deprecations::removal(cx, path, deprecated);
}

fn renamed<'a>(
    cx: &mut Context<'_>,
    paths: &Paths<'a>,
    from: &str,
    targets: &BTreeSet<String>,
    node: Node<'a>,
    both: Both<'a>,
) {
    let mut all = targets.iter();
    let (Some(to), None) = (all.next(), all.next()) else {
        cx.report(&R::ATTRIBUTE_SPLIT, from)
            .was(from)
            .now(listed(targets));
        return overlap(cx, paths, from, targets, node, both);
    };
    let sources = paths.sources.get(to);
    if let Some(sources) = sources.filter(|sources| sources.len() > 1) {
        // Every source gets here, so only the first one reports the merge.
        if sources.iter().next().is_some_and(|first| first == from) {
            cx.report(&R::ATTRIBUTE_MERGED, to)
                .was(listed(sources))
                .now(to.as_str());
        }
        return overlap(cx, paths, from, targets, node, both);
    }
    let rule: &'static Rule = if parent(from) == parent(to) {
        &R::ATTRIBUTE_RENAMED
    } else {
        &R::ATTRIBUTE_MOVED
    };
    cx.report(rule, from).was(from).now(to.as_str());
    overlap(cx, paths, from, targets, node, both);
    if let Some(after) = paths.new.get(to)
        && !paths.old.contains_key(to)
    {
        contents(cx, paths, to, (node, *after), both);
    }
}

fn listed(paths: &BTreeSet<String>) -> String {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    paths.join(", ")
}

/// True if both names were served for a release, and the old one announced.
fn overlap(
    cx: &mut Context<'_>,
    paths: &Paths<'_>,
    from: &str,
    targets: &BTreeSet<String>,
    node: Node<'_>,
    both: Both<'_>,
) {
    if tier(both.0) > 0 {
        return;
    }
    removal(cx, paths, from, node);
    if targets.iter().any(|to| !paths.old.contains_key(to)) {
        cx.report(&R::RENAME_WITHOUT_OVERLAP, from);
    }
}

fn added(
    cx: &mut Context<'_>,
    paths: &Paths<'_>,
    path: &str,
    node: Node<'_>,
    (old, new): Both<'_>,
) {
    let ty = node.implied_type();
    let former = old
        .removed_history
        .iter()
        .find(|removed| removed.path == path && removed.ty != ty);
    if let Some(former) = former {
        cx.report(&R::ATTRIBUTE_NAME_REUSED, path)
            .was(former.ty.to_string())
            .now(ty.to_string());
    }
    guess(cx, paths, path, node);
    match node {
        Node::Block(block) if block.min_items > 0 => {
            cx.report(&R::BLOCK_ADDED_REQUIRED, path).now(node.words());
        }
        Node::Block(_) => {
            cx.report(&R::BLOCK_ADDED_OPTIONAL, path).now(node.words());
        }
        Node::Attribute(attribute) => {
            if cx.kind == Kind::Document {
                documents::added(cx, path, attribute, node.words(), old);
                return;
            }
            let index = cx.findings.len();
            attribute_added(cx, path, attribute, (old, new));
            if attribute.nullable == Some(false) && cx.kind.is_stored() {
                // State without it is refused, whatever configuration may do.
                for finding in cx.findings.iter_mut().skip(index) {
                    finding.needs(Bump::YES).note(
                        "the field is not an `Option`, so state without the attribute is refused",
                    );
                }
            }
        }
    }
    deprecations::added(cx, paths, path, node);
}

fn attribute_added(
    cx: &mut Context<'_>,
    path: &str,
    attribute: &AttributeSnapshot,
    (old, new): Both<'_>,
) {
    let words = Node::Attribute(attribute).words();
    let default = attribute.default.as_ref();
    let settable = attribute.optional || attribute.required;
    let api_agrees = default.is_some() && attribute.api_default.as_ref() == default;
    if attribute.required {
        cx.report(&R::ATTRIBUTE_ADDED_REQUIRED, path)
            .now(words.clone());
    }
    if attribute.id_component {
        cx.report(&R::ATTRIBUTE_ADDED_ID_COMPONENT, path).now(words);
        return;
    }
    if !settable {
        let nothing_to_read = new.read.as_deref() == Some("none");
        let rule: &'static Rule = if nothing_to_read {
            &R::COMPUTED_BACKFILL_REQUIRED
        } else {
            &R::ATTRIBUTE_ADDED_COMPUTED
        };
        cx.report(rule, path).now(words);
        return;
    }
    if attribute.required {
        return;
    }
    let Some(default) = default else {
        cx.report(&R::ATTRIBUTE_ADDED_OPTIONAL, path).now(words);
        return;
    };
    let words = format!("{words}, {}", flags::default_words(attribute, default));
    if attribute.force_new {
        let filled = new.version > old.version
            && new
                .upgraders
                .iter()
                .any(|upgrader| upgrader.from == old.version);
        let finding = cx
            .report(&R::ATTRIBUTE_ADDED_FORCE_NEW_DEFAULT, path)
            .now(words);
        if api_agrees && filled {
            finding.graded(Level::Potential, Semver::Minor);
        }
        return;
    }
    let switched = behaviour::switched(cx.old_release, path, old, new);
    let finding = cx.report(&R::ATTRIBUTE_ADDED_DEFAULT, path).now(words);
    if let Some((behaviour, is_on)) = switched {
        let (level, semver) = if is_on {
            (Level::Breaking, Semver::Major)
        } else {
            (Level::Safe, Semver::Minor)
        };
        let on = if is_on { "on" } else { "off" };
        finding.graded(level, semver).note(format!(
            "it switches \"{}\", which is {on} where it is not set",
            behaviour.text
        ));
        return;
    }
    match &attribute.api_default {
        Some(_) if api_agrees => {
            finding.graded(Level::Safe, Semver::Minor);
        }
        Some(_) => {
            finding.graded(Level::Breaking, Semver::Major);
        }
        None => {
            finding.note(
                "declare `api_default`: whether existing objects plan a change depends on it",
            );
        }
    }
}

/// Says that what is new looks like something that is gone. Never changes a verdict.
fn guess(cx: &mut Context<'_>, paths: &Paths<'_>, path: &str, node: Node<'_>) {
    let gone = paths.old.iter().filter(|(from, before)| {
        !paths.new.contains_key(*from)
            && !paths.targets.contains_key(*from)
            && parent(from) == parent(path)
            && before.implied_type() == node.implied_type()
    });
    let alike = gone
        .map(|(from, _)| (likeness(from, path), from))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((likeness, from)) = alike.filter(|(likeness, _)| *likeness >= 0.85) {
        cx.report(&R::RENAME_GUESS, path)
            .was(from.as_str())
            .now(path)
            .note(format!("likeness {likeness:.2}"));
    }
}

/// The likeness of two names, from 0 to 1: twice the pairs of letters they have in common, of all
/// they have.
#[expect(clippy::cast_precision_loss, reason = "names are short")]
fn likeness(a: &str, b: &str) -> f64 {
    let pairs = |name: &str| {
        name.as_bytes()
            .windows(2)
            .map(<[u8]>::to_vec)
            .collect::<Vec<_>>()
    };
    let (of_a, mut of_b) = (pairs(a), pairs(b));
    let all = of_a.len() + of_b.len();
    let mut shared = 0_usize;
    for pair in &of_a {
        if let Some(position) = of_b.iter().position(|other| other == pair) {
            of_b.swap_remove(position);
            shared += 1;
        }
    }
    if all == 0 {
        0.0
    } else {
        2.0 * shared as f64 / all as f64
    }
}
