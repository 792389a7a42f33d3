//! Fields that are lost beside fields that are new: what was renamed, in all likelihood.

use super::findings::{Findings, Members};
use super::fit::fits;
use super::form::Objects;
use super::{at, field_at};
use crate::message::{Message, distance};

/// The renames that would account for fields of both sides, as a sentence; nothing where no two go together.
///
/// Two fields go together if the value of one fits the other, and if their names have much in common or no others are left.
pub(super) const fn renames(findings: &Findings, prior: Objects, current: Objects) -> Message {
    let Findings { missing_members: missing, lost_members: lost, .. } = *findings;
    let only = missing.len == 1 && lost.len == 1;
    let mut taken = Members::new();
    let (mut message, mut first, mut pairs) = (Message::new(), (usize::MAX, usize::MAX), 0_usize);
    let mut index = 0;
    while index < missing.len {
        let target = missing.at[index];
        if let Some(source) = nearest(&lost, &taken, prior, (current, target), only) {
            taken.add(source);
            if pairs == 0 {
                first = (source, target);
            }
            message = message.text(if pairs == 0 { "" } else { ", " }).text(field_at(prior.members, source)).text(" => ");
            message = message.text(field_at(current.members, target));
            pairs += 1;
        }
        index += 1;
    }
    match pairs {
        0 => Message::new(),
        1 => {
            let (source, target) = first;
            let (old, new) = (field_at(prior.members, source), field_at(current.members, target));
            let sentence = Message::new().text("if `").text(old).text("` is called `").text(new).text("` now, add `rename(");
            sentence.raw(message.bytes()).text(")`")
        }
        _ => Message::new().text("if they only have other names now, add `rename(").raw(message.bytes()).text(")`"),
    }
}

/// The lost field that most likely is what `target` was.
const fn nearest(
    lost: &Members,
    taken: &Members,
    prior: Objects,
    (current, target): (Objects, usize),
    only: bool,
) -> Option<usize> {
    let (to, name) = (at(current.members, target), field_at(current.members, target));
    let (mut best, mut least) = (None, usize::MAX);
    let mut index = 0;
    while index < lost.len {
        let source = lost.at[index];
        let (from, old) = (at(prior.members, source), field_at(prior.members, source));
        if !is_among(taken, source) && fits(from.form, &from.holds, to.form, &to.holds).is_none() {
            let far = distance(old, name);
            let longest = if old.len() < name.len() { name.len() } else { old.len() };
            if far < least && (only || far * 2 <= longest || is_part(old, name) || is_part(name, old)) {
                (best, least) = (Some(source), far);
            }
        }
        index += 1;
    }
    best
}

const fn is_among(members: &Members, member: usize) -> bool {
    let mut index = 0;
    while index < members.len {
        if members.at[index] == member {
            return true;
        }
        index += 1;
    }
    false
}

/// Whether a name begins or ends with another.
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
