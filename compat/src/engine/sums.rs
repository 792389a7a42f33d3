//! Constraints that compare an attribute with the sum of others.

use std::collections::BTreeSet;

use super::Context;
use super::constraints::words;
use super::tree::Paths;
use crate::rules as R;
use crate::snapshot::{Group, GroupKind as Kind};

/// A constraint, by the names that its attributes have now.
struct Sum<'g> {
    group: &'g Group,
    first: String,
    others: BTreeSet<String>,
}

impl<'g> Sum<'g> {
    /// Nothing if what is compared is gone, since its removal says so. What else is gone is left
    /// out.
    fn before(group: &'g Group, paths: &Paths<'_>) -> Option<Self> {
        let (first, others) = group.paths.split_first()?;
        let others = others.iter().filter_map(|path| paths.now(path)).collect();
        Some(Self {
            group,
            first: paths.now(first)?,
            others,
        })
    }

    fn now(group: &'g Group) -> Option<Self> {
        let (first, others) = group.paths.split_first()?;
        Some(Self {
            group,
            first: first.clone(),
            others: others.iter().cloned().collect(),
        })
    }

    fn is(&self, other: &Self) -> bool {
        self.first == other.first
            && self.others == other.others
            && self.group.kind == other.group.kind
    }
}

pub(super) fn compare(cx: &mut Context<'_>, paths: &Paths<'_>, old: &[Group], new: &[Group]) {
    let mut before: Vec<Sum<'_>> = old
        .iter()
        .filter(|group| group.kind.is_sum())
        .filter_map(|group| Sum::before(group, paths))
        .collect();
    let mut open = Vec::new();
    for sum in new
        .iter()
        .filter(|group| group.kind.is_sum())
        .filter_map(Sum::now)
    {
        match before.iter().position(|other| sum.is(other)) {
            Some(index) => drop(before.swap_remove(index)),
            None => open.push(sum),
        }
    }
    for now in open {
        let related = before
            .iter()
            .enumerate()
            .filter(|(_, was)| was.first == now.first);
        let nearest = related
            .max_by_key(|(_, was)| was.group.kind == now.group.kind)
            .map(|(index, _)| index);
        let Some(was) = nearest.map(|index| before.swap_remove(index)) else {
            if !excused(paths, &now) {
                cx.report(&R::CONSTRAINT_ADDED, &now.first)
                    .now(words(now.group));
            }
            continue;
        };
        // An amount may be below zero, so that one more and one less both refuse what was valid. A
        // new attribute is nowhere set.
        let existing = |path: &&String| paths.old.contains_key(*path) || was.others.contains(*path);
        let same_sum = now.others.iter().filter(existing).eq(&was.others);
        if same_sum && was.group.kind == now.group.kind {
            continue;
        }
        let rule = if same_sum && was.group.kind == Kind::EqualToSumOf {
            &R::CONSTRAINT_RELAXED
        } else {
            &R::CONSTRAINT_ADDED
        };
        cx.report(rule, &now.first)
            .was(words(was.group))
            .now(words(now.group));
    }
    for was in before {
        cx.report(&R::CONSTRAINT_RELAXED, &was.first)
            .was(words(was.group));
    }
}

/// True if a sum that is new breaks no configuration that was valid: what is compared is nowhere
/// set, or it is at least what is nowhere set.
fn excused(paths: &Paths<'_>, sum: &Sum<'_>) -> bool {
    let existed = |path: &String| paths.old.contains_key(path);
    !existed(&sum.first)
        || (sum.group.kind == Kind::AtLeastSumOf && !sum.others.iter().any(existed))
}
