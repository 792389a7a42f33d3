//! The layout of a file that `toml_edit` does not keep: dotted keys of one table with others between them, blanks around their dots, the end of
//! the last line.
//!
//! What it makes of the unchanged document is the base of two changes: the file's own text, and the edited document. They are put together
//! line by line, and the edited text is taken as it is where that would not hold the same values and the same lines.

use std::collections::BTreeMap;
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::read::read;
use crate::document::edits::is_same;
use crate::document::tree::Tree;

/// The edited text in the layout of the `stored` one, which is `written` where nothing is edited.
pub(super) fn restored(stored: &str, written: &str, edited: String) -> String {
    if stored == written {
        return edited;
    }
    let end = if stored.contains("\r\n") { "\r\n" } else { "\n" };
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        // Otherwise what comes behind it would come into the last line.
        if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
            *last += end;
        }
        lines
    };
    let merged = merged(&lines(written), &lines(stored), &lines(&edited));
    let merged = if is_sound(&merged, &edited) { merged } else { edited };
    match merged.strip_suffix('\n') {
        Some(text) if !stored.ends_with('\n') => text.strip_suffix('\r').unwrap_or(text).to_owned(),
        Some(_) | None => merged,
    }
}

/// True if both hold the same values, and the same lines but for blanks.
fn is_sound(merged: &str, edited: &str) -> bool {
    let counted = |text: &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for line in text.lines().map(|line| line.split_whitespace().collect::<String>()).filter(|line| !line.is_empty()) {
            *counts.entry(line).or_default() += 1;
        }
        counts
    };
    let json = |text: &str| read(text.as_bytes()).ok().map(|(json, _)| String::from_utf8_lossy(&json).into_owned());
    let (Some(one), Some(other)) = (json(merged), json(edited)) else { return false };
    let (Ok(one), Ok(other)) = (Tree::parse(&one), Tree::parse(&other)) else { return false };
    is_same(&one, &other, None) && counted(merged) == counted(edited)
}

/// A change of some lines of the base.
#[derive(Clone)]
struct Hunk {
    base: Range<usize>,
    new: Range<usize>,
}

fn hunks(base: &[String], new: &[String]) -> Vec<Hunk> {
    let operations = capture_diff_slices(Algorithm::Myers, base, new);
    let changed = operations.iter().filter(|operation| operation.tag() != DiffTag::Equal);
    changed.map(|operation| Hunk { base: operation.old_range(), new: operation.new_range() }).collect()
}

/// The base with both changes; where they are of the same lines, the edit counts.
fn merged(base: &[String], stored: &[String], edited: &[String]) -> String {
    let (own, edits) = (hunks(base, stored), hunks(base, edited));
    let (mut own, mut edits) = (own.into_iter().peekable(), edits.into_iter().peekable());
    let (mut text, mut at) = (String::new(), 0);
    let mut put = |lines: Option<&[String]>| lines.unwrap_or_default().iter().for_each(|line| text += line);
    loop {
        let start = match (own.peek(), edits.peek()) {
            (Some(one), Some(other)) => one.base.start.min(other.base.start),
            (Some(one), None) => one.base.start,
            (None, Some(other)) => other.base.start,
            (None, None) => break,
        };
        put(base.get(at..start));
        // All hunks that touch, because a part of one cannot be left out.
        let (mut mine, mut theirs, mut end) = (Vec::new(), Vec::new(), start);
        loop {
            if let Some(hunk) = own.next_if(|hunk| hunk.base.start < end || hunk.base.start == start) {
                end = end.max(hunk.base.end);
                mine.push(hunk);
            } else if let Some(hunk) = edits.next_if(|hunk| hunk.base.start < end || hunk.base.start == start) {
                end = end.max(hunk.base.end);
                theirs.push(hunk);
            } else {
                break;
            }
        }
        let is_added = |hunk: &Hunk| hunk.base.is_empty();
        let (side, hunks, others) = if theirs.is_empty() { (stored, &mine, &[][..]) } else { (edited, &theirs, &mine[..]) };
        for hunk in others.iter().filter(|hunk| is_added(hunk)) {
            put(stored.get(hunk.new.clone()));
        }
        let mut next = start;
        for hunk in hunks {
            put(base.get(next..hunk.base.start));
            put(side.get(hunk.new.clone()));
            next = hunk.base.end;
        }
        put(base.get(next..end));
        at = end;
    }
    put(base.get(at..));
    text
}
