//! The values that an instance's upgrade changes, below its heading.

use std::fmt::Write as _;

use upstate::AttributePath;
use upstate::path::Printable;
use upstate_state::Change;
use upstate_state::difference::{
    Entry, Line, Mark, Moves, Row, Side, Window, line_windows, lines, rows, windows,
};

use crate::terminal::{DIM, GREEN, RED, YELLOW, plain, plural};

/// Longer values are cut where no terminal says how much fits.
const LONGEST: usize = 72;
/// Two values are below each other where less of each would fit beside the other one.
const SHORTEST: usize = 24;

/// The places of values that an upgrade leaves out, whether they are dropped or lost, and why.
pub(super) type Lines<'u> = Vec<(&'u AttributePath, &'static str, &'static str)>;

/// The room for values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// Values are shown whole.
    Full,
    /// A line has so many columns.
    Columns(usize),
    /// Nobody says how wide a line may be.
    Unknown,
}

impl Room {
    /// The longest part of a value beside so many columns; of one of two values, if there are two.
    fn beside(self, taken: usize, values: usize) -> usize {
        match self {
            Self::Full => usize::MAX,
            Self::Columns(columns) => columns.saturating_sub(taken) / values,
            Self::Unknown => LONGEST,
        }
    }
}

/// The rows of what changes, except for values that are `lost`, which have lines of their own.
pub(super) fn changed<'c>(changes: &'c [Change], lost: &Lines<'_>, moves: &Moves) -> Vec<Row<'c>> {
    let is_lost = |change: &&Change| {
        change.new_value().is_none() && lost.iter().any(|(path, ..)| *path == change.path())
    };
    let entries = changes
        .iter()
        .filter(|change| !is_lost(change))
        .map(|change| Entry {
            path: plain(&change.path().to_string()),
            before: change.old().map(Side::from),
            after: change.new_value().map(Side::from),
        });
    rows(entries, moves)
}

/// Writes what changes; says whether a value was cut.
pub(super) fn write_rows(out: &mut String, rows: &[Row<'_>], room: Room) -> bool {
    let path = |row: &Row<'_>| match row {
        Row::Added(path, _) | Row::Removed(path, _) | Row::Changed(path, ..) => path.clone(),
        Row::Moved(from, to, _) | Row::Converted(from, to, ..) => format!("{from} → {to}"),
    };
    let paths: Vec<String> = rows.iter().map(path).collect();
    let column = paths
        .iter()
        .map(|path| path.chars().count())
        .filter(|length| *length <= 40)
        .max()
        .unwrap_or(0);
    let mut cut = false;
    for (row, path) in rows.iter().zip(&paths) {
        let (style, mark) = match row {
            Row::Added(..) => (GREEN, "+"),
            Row::Removed(..) => (RED, "-"),
            Row::Changed(..) | Row::Moved(..) | Row::Converted(..) => (YELLOW, "~"),
        };
        let _ = write!(out, "  {style}{mark}{style:#} ");
        // A nested value needs no column, since its lines are below the path.
        let nested = match row {
            Row::Added(_, Side::Json(json)) => lines(None, Some(json)),
            Row::Removed(_, Side::Json(json)) => lines(Some(json), None),
            Row::Changed(_, Side::Json(old), Side::Json(new))
            | Row::Converted(_, _, Side::Json(old), Side::Json(new)) => lines(Some(old), Some(new)),
            Row::Added(..)
            | Row::Removed(..)
            | Row::Changed(..)
            | Row::Moved(..)
            | Row::Converted(..) => None,
        };
        if let Some(nested) = nested {
            let _ = writeln!(out, "{path}");
            cut |= write_lines(out, &nested, room.beside(8, 1));
            continue;
        }
        let taken = 6 + column.max(path.chars().count());
        match row {
            Row::Changed(_, Side::Json(old), Side::Json(new))
            | Row::Converted(_, _, Side::Json(old), Side::Json(new)) => {
                let longest = old.chars().count().max(new.chars().count());
                let beside = room.beside(taken + 3, 2);
                if longest > beside && beside < SHORTEST {
                    let (old, new) = windows(old, new, room.beside(8, 1));
                    let _ = writeln!(out, "{path}");
                    let _ = writeln!(out, "      {RED}-{RED:#} {}", windowed(&old, &mut cut));
                    let _ = writeln!(out, "      {GREEN}+{GREEN:#} {}", windowed(&new, &mut cut));
                    continue;
                }
                let (old, new) = windows(old, new, beside);
                let _ = writeln!(
                    out,
                    "{path:column$}  {} → {}",
                    windowed(&old, &mut cut),
                    windowed(&new, &mut cut)
                );
            }
            Row::Moved(_, _, json) => {
                let window = Window::of(json, room.beside(taken + "moved ".len(), 1).max(SHORTEST));
                let _ = writeln!(
                    out,
                    "{path:column$}  {DIM}moved{DIM:#} {}",
                    windowed(&window, &mut cut)
                );
            }
            Row::Added(_, one) | Row::Removed(_, one) => {
                let one = alone(*one, room.beside(taken, 1).max(SHORTEST), &mut cut);
                let _ = writeln!(out, "{path:column$}  {one}");
            }
            Row::Changed(_, old, new) | Row::Converted(_, _, old, new) => {
                let width = room.beside(taken + 3, 2).max(SHORTEST);
                let _ = writeln!(
                    out,
                    "{path:column$}  {} → {}",
                    alone(*old, width, &mut cut),
                    alone(*new, width, &mut cut)
                );
            }
        }
    }
    cut
}

/// A part of a value; says whether it is not the whole.
fn windowed(window: &Window, cut: &mut bool) -> String {
    *cut |= window.is_cut();
    let dots = |cut| if cut { "…" } else { "" };
    let text = format!(
        "{}{}{}",
        window.same_before, window.differs, window.same_after
    );
    format!(
        "{}{}{}",
        dots(window.cut_before),
        Printable(&text),
        dots(window.cut_after)
    )
}

/// A value that is not compared with another one, or the reason why it is not shown.
fn alone(side: Side<'_>, width: usize, cut: &mut bool) -> String {
    match side {
        Side::Json(json) => windowed(&Window::of(json, width), cut),
        Side::Hidden => format!("{DIM}(sensitive value){DIM:#}"),
        Side::Undefined => format!("{DIM}(not shown: not in the schema){DIM:#}"),
    }
}

/// Writes the lines of a nested value; says whether one was cut.
fn write_lines(out: &mut String, all: &[Line], width: usize) -> bool {
    let mut cut = false;
    for (line, (name, window)) in all.iter().zip(line_windows(all, width)) {
        let text = format!("{}{}", Printable(&name), windowed(&window, &mut cut));
        let _ = match line.mark {
            Mark::Same => writeln!(out, "        {text}"),
            Mark::Removed => writeln!(out, "      {RED}-{RED:#} {text}"),
            Mark::Added => writeln!(out, "      {GREEN}+{GREEN:#} {text}"),
            Mark::Skipped(number) => writeln!(
                out,
                "        {DIM}… {}{DIM:#}",
                plural(number, "equal line")
            ),
        };
    }
    cut
}
