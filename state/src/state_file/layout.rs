//! The text that takes the place of an old instance's.

use std::ops::Range;

use upstate::__internal::{Layout, indented};

use super::parse::{Attributes, Instance};
use super::scan::Slot;

/// A piece of text and what takes its place: `text`, and the new attributes if they belong there.
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: Vec<u8>,
    attributes: Option<Slot>,
}

impl Edit {
    pub(super) fn new(range: Range<usize>, text: impl Into<Vec<u8>>) -> Self {
        Self {
            range,
            text: text.into(),
            attributes: None,
        }
    }

    fn attributes(range: Range<usize>, text: &[u8], slot: &Slot) -> Self {
        Self {
            range,
            text: text.to_vec(),
            attributes: Some(slot.clone()),
        }
    }

    /// Writes what takes the place of the range of `old`; `new` are the new attributes, compact.
    pub(super) fn write(&self, old: &str, new: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(&self.text);
        if let Some(slot) = &self.attributes {
            laid_out(old, slot, new, out);
        }
    }

    /// The place of the attributes, if new ones belong here.
    pub(super) fn slot(&self) -> Option<&Slot> {
        self.attributes.as_ref()
    }
}

/// The edits of an instance's text that give it these attributes and this schema version: in file
/// order, without overlap.
pub(super) fn edits(instance: &Instance<'_>, new: &[u8], to: u64) -> Vec<Edit> {
    let mut edits = Vec::with_capacity(2);
    let name_at = match &instance.attributes {
        Attributes::Json(slot) => {
            edits.push(Edit::attributes(slot.range.clone(), b"", slot));
            slot.name_at
        }
        // The name `attributes_flat` is replaced too, because the new attributes are JSON.
        Attributes::Flat(slot) => {
            edits.push(Edit::attributes(
                slot.name_at..slot.range.end,
                b"\"attributes\": ",
                slot,
            ));
            slot.name_at
        }
        Attributes::Missing { alone } => {
            let at = instance.range.start + 1;
            let mut member = b"\"attributes\": ".to_vec();
            member.extend_from_slice(new);
            if !alone || instance.version_range.is_none() {
                member.extend_from_slice(b", ");
            }
            if instance.version_range.is_none() {
                let comma = if *alone { "" } else { ", " };
                member.extend_from_slice(format!("\"schema_version\": {to}{comma}").as_bytes());
            }
            edits.push(Edit::new(at..at, member));
            at
        }
    };
    match &instance.version_range {
        Some(range) => edits.push(Edit::new(range.clone(), to.to_string())),
        None if matches!(instance.attributes, Attributes::Missing { .. }) => {}
        None => edits.push(Edit::new(
            name_at..name_at,
            format!("\"schema_version\": {to}, "),
        )),
    }
    // A version that is put in before its attributes has to come first, and would otherwise be
    // sorted by its end.
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits
}

/// The new attributes in the layout of the old ones: over lines, with the same line ends and
/// indentation, or compact.
pub(super) fn laid_out(text: &str, slot: &Slot, new: &[u8], out: &mut Vec<u8>) {
    match (layout(text, slot), std::str::from_utf8(new)) {
        (Some(layout), Ok(new)) => indented(new, layout, out),
        (None, _) | (_, Err(_)) => out.extend_from_slice(new),
    }
}

/// The layout of attributes over lines; `None` if they are not laid out so.
pub(super) fn layout<'t>(text: &'t str, slot: &Slot) -> Option<Layout<'t>> {
    let old = text.get(slot.range.clone()).unwrap_or_default();
    let before = text.get(..slot.name_at).unwrap_or_default();
    let indent_at = before.trim_end_matches([' ', '\t']).len();
    let (lines, indent) = before.split_at_checked(indent_at)?;
    let one_line = !old.contains('\n') && old != "{}";
    if !lines.ends_with('\n') || one_line {
        return None;
    }
    let newline = if lines.ends_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    // The first line inside shows what a level adds: its indentation less that of the member.
    // Otherwise a level adds 2 spaces.
    let inside = old.split_once('\n').map_or("", |(_, lines)| lines);
    let inner = inside
        .split_at_checked(inside.len() - inside.trim_start_matches([' ', '\t']).len())
        .map_or("", |(inner, _)| inner);
    let unit = inner
        .strip_prefix(indent)
        .filter(|unit| !unit.is_empty())
        .unwrap_or("  ");
    Some(Layout {
        newline,
        indent,
        unit,
    })
}
