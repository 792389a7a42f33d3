//! Constraints between attributes, except sums.

use std::collections::BTreeSet;

use super::Context;
use super::tree::{Node, Paths, parent};
use crate::rules as R;
use crate::snapshot::{Group, GroupKind as Kind};

type Members = BTreeSet<String>;

pub(super) fn compare(cx: &mut Context<'_>, paths: &Paths<'_>, old: &[Group], new: &[Group]) {
    // Members by the names they have now; what is gone left out, since its removal says so.
    let before: Vec<(Kind, Members, &Group)> = old
        .iter()
        .filter(|group| !group.kind.is_sum())
        .map(|group| {
            (
                group.kind,
                group
                    .paths
                    .iter()
                    .filter_map(|path| paths.now(path))
                    .collect::<Members>(),
                group,
            )
        })
        .collect();
    let mut used = vec![false; before.len()];
    let mut open = Vec::new();
    for group in new.iter().filter(|group| !group.kind.is_sum()) {
        let members: Members = group.paths.iter().cloned().collect();
        let same = before
            .iter()
            .zip(&mut used)
            .find(|((kind, of, _), used)| !**used && *kind == group.kind && *of == members);
        match same {
            Some((_, used)) => *used = true,
            None => open.push((group, members)),
        }
    }
    for (group, members) in open {
        let related = before
            .iter()
            .enumerate()
            .filter(|(index, (kind, of, _))| {
                !used.get(*index).copied().unwrap_or(true)
                    && kin(*kind, group.kind)
                    && !of.is_disjoint(&members)
            })
            .max_by_key(|(_, (kind, of, _))| {
                (of.intersection(&members).count(), *kind == group.kind)
            });
        let Some((index, (kind, of, was))) = related else {
            if !excused(paths, group.kind, &members) {
                cx.report(&R::CONSTRAINT_ADDED, &at(&members))
                    .now(words(group));
            }
            continue;
        };
        if let Some(used) = used.get_mut(index) {
            *used = true;
        }
        match change(paths, (*kind, of), (group.kind, &members)) {
            Change::Nothing => {}
            Change::Tightened => {
                cx.report(&R::CONSTRAINT_ADDED, &at(&members))
                    .was(words(was))
                    .now(words(group));
            }
            Change::Relaxed => {
                cx.report(&R::CONSTRAINT_RELAXED, &at(&members))
                    .was(words(was))
                    .now(words(group));
            }
        }
    }
    for ((_, members, group), _) in before.iter().zip(used).filter(|(_, used)| !used) {
        // A group with fewer than 2 members left constrains no attributes against each other, so
        // its end relaxes nothing.
        if members.len() > 1 {
            cx.report(&R::CONSTRAINT_RELAXED, &at(members))
                .was(words(group));
        }
    }
}

enum Change {
    Nothing,
    Tightened,
    Relaxed,
}

/// True if a group of one kind can have become one of the other.
fn kin(old: Kind, new: Kind) -> bool {
    old == new || (old != Kind::RequiredWith && new != Kind::RequiredWith)
}

fn change(
    paths: &Paths<'_>,
    (old_kind, old): (Kind, &Members),
    (kind, new): (Kind, &Members),
) -> Change {
    let needs_one = |kind| matches!(kind, Kind::ExactlyOneOf | Kind::AtLeastOneOf);
    let allows_one_only = |kind| matches!(kind, Kind::ExactlyOneOf | Kind::ConflictsWith);
    let joined = |path: &&String| paths.old.contains_key(*path) && !old.contains(*path);
    let existing_joined = new.iter().any(|path| joined(&path));
    let freed = old.iter().any(|path| !new.contains(path));
    if old_kind == Kind::RequiredWith {
        return match (existing_joined, freed) {
            (true, _) => Change::Tightened,
            (false, true) => Change::Relaxed,
            (false, false) => Change::Nothing,
        };
    }
    // Tightened because one has to be set where none had to be, or because there are fewer to
    // choose that one from.
    let must = needs_one(kind) && (!needs_one(old_kind) || freed);
    // No two may be set together that might before.
    let may_not = allows_one_only(kind) && (!allows_one_only(old_kind) || existing_joined);
    if must || may_not {
        return Change::Tightened;
    }
    let none_needed = needs_one(old_kind) && (!needs_one(kind) || existing_joined);
    let more_allowed = allows_one_only(old_kind) && (!allows_one_only(kind) || freed);
    if none_needed || more_allowed {
        Change::Relaxed
    } else {
        Change::Nothing
    }
}

/// True if a group that is new breaks no configuration that was valid.
fn excused(paths: &Paths<'_>, kind: Kind, members: &Members) -> bool {
    let existed = members
        .iter()
        .filter(|path| paths.old.contains_key(*path))
        .count();
    let inside_new = members.iter().all(|path| {
        let mut above = parent(path);
        while !above.is_empty() {
            if paths.new.contains_key(above) && !paths.old.contains_key(above) {
                return true;
            }
            above = parent(above);
        }
        false
    });
    let relaxes = members.iter().any(|path| {
        let required = |node: Option<&Node<'_>>| matches!(node, Some(Node::Attribute(attribute)) if attribute.required);
        required(paths.old.get(path)) && !required(paths.new.get(path))
    });
    match kind {
        _ if inside_new => true,
        Kind::ExactlyOneOf | Kind::AtLeastOneOf => relaxes,
        Kind::ConflictsWith
        | Kind::RequiredWith
        | Kind::AtLeastSumOf
        | Kind::AtMostSumOf
        | Kind::EqualToSumOf => existed <= 1,
    }
}

fn at(members: &Members) -> String {
    members.iter().next().cloned().unwrap_or_default()
}

pub(super) fn words(group: &Group) -> String {
    format!("{} {}", group.kind.name(), group.paths.join(", "))
}
