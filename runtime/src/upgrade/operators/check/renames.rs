//! Fields that are lost beside fields that are new: what was renamed, in all likelihood.

use super::findings::{Findings, Members};
use super::fit::fits;
use super::form::Objects;
use super::{at, field_at, row_at};
use crate::message::{Message, distance};

/// The renames that would account for fields of both sides, as a sentence; nothing where no two go
/// together.
///
/// Two fields go together if the value of one fits the other, and if their names have much in
/// common or no others are left. Those first that are both sensitive or both not, of these the most
/// similar names. What was sensitive never goes with what is not.
pub(super) const fn renames(findings: &Findings, prior: Objects, current: Objects) -> Message {
    let Findings {
        missing_members: missing,
        lost_members: lost,
        ..
    } = *findings;
    let only = missing.len == 1 && lost.len == 1;
    let (mut sources, mut targets) = (Members::new(), Members::new());
    while let Some((source, target)) = likeliest(
        (&lost, &sources),
        (&missing, &targets),
        (prior, current),
        only,
    ) {
        sources.add(source);
        targets.add(target);
    }
    let (mut message, mut pairs, mut index) = (Message::new(), 0_usize, 0);
    while index < missing.len {
        if let Some(nth) = position(&targets, missing.at[index]) {
            message = message
                .text(if pairs == 0 { "" } else { ", " })
                .text(field_at(prior.members, sources.at[nth]))
                .text(" => ");
            message = message.text(field_at(current.members, targets.at[nth]));
            pairs += 1;
        }
        index += 1;
    }
    match pairs {
        0 => Message::new(),
        1 => {
            let (old, new) = (
                field_at(prior.members, sources.at[0]),
                field_at(current.members, targets.at[0]),
            );
            let sentence =
                Message::new().format("if `{}` is called `{}` now, add `rename(", &[old, new]);
            sentence.raw(message.bytes()).text(")`")
        }
        _ => Message::new()
            .text("if they only have other names now, add `rename(")
            .raw(message.bytes())
            .text(")`"),
    }
}

/// More than any distance between two names.
const OTHERWISE_MARKED: usize = 1 << 16;

/// The lost field that most likely is a missing one, and which that is; of those that are not taken
/// yet.
const fn likeliest(
    (lost, sources): (&Members, &Members),
    (missing, targets): (&Members, &Members),
    (prior, current): (Objects, Objects),
    only: bool,
) -> Option<(usize, usize)> {
    let (mut best, mut least) = (None, usize::MAX);
    let mut pair = 0;
    while pair < lost.len * missing.len {
        let (source, target) = (lost.at[pair % lost.len], missing.at[pair / lost.len]);
        pair += 1;
        if position(sources, source).is_some() || position(targets, target).is_some() {
            continue;
        }
        let (from, to) = (at(prior.members, source), at(current.members, target));
        let (was_hidden, is_hidden) = (
            row_at(prior.members, source).is_hidden(),
            row_at(current.members, target).is_hidden(),
        );
        if was_hidden && !is_hidden || fits(from.form, &from.holds, to.form, &to.holds).is_some() {
            continue;
        }
        let (old, name) = (
            field_at(prior.members, source),
            field_at(current.members, target),
        );
        let far = distance(old, name);
        let longest = if old.len() < name.len() {
            name.len()
        } else {
            old.len()
        };
        let marked = far
            + if was_hidden == is_hidden {
                0
            } else {
                OTHERWISE_MARKED
            };
        if marked < least
            && (only || far * 2 <= longest || is_part(old, name) || is_part(name, old))
        {
            (best, least) = (Some((source, target)), marked);
        }
    }
    best
}

const fn position(members: &Members, member: usize) -> Option<usize> {
    let mut index = 0;
    while index < members.len {
        if members.at[index] == member {
            return Some(index);
        }
        index += 1;
    }
    None
}

/// True if a name begins or ends with another.
const fn is_part(part: &str, whole: &str) -> bool {
    let (part, whole) = (part.as_bytes(), whole.as_bytes());
    if part.len() > whole.len() {
        return false;
    }
    let (mut begins, mut ends) = (true, true);
    let mut index = 0;
    while index < part.len() {
        begins = begins && part[index] == whole[index];
        ends = ends && part[index] == whole[whole.len() - part.len() + index];
        index += 1;
    }
    begins || ends
}
