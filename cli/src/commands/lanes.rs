//! The lanes of a type as a table: a column for each version, an attribute a row.

use std::fmt::Write as _;
use std::io::Write;
use std::ops::Range;

use anstyle::Style;
use upstate::upgrade::{Fate, Lane, Lanes};

use super::explain::stored;
use crate::terminal::{self, BOLD, DIM, GREEN, RED, YELLOW, middle};

/// The least width of a column, in characters: less would cut most names.
const NARROW: usize = 14;
/// The space between two columns.
const GAP: usize = 2;

/// One version of a lane.
struct Cell {
    mark: char,
    style: Style,
    name: Option<String>,
}

/// Writes the table of a route; columns that the terminal has no room for go on below.
pub(super) fn table(
    out: &mut dyn Write,
    route: &Lanes,
    columns: Option<usize>,
) -> std::io::Result<()> {
    let (same, changed): (Vec<&Lane>, Vec<&Lane>) =
        route.lanes.iter().partition(|lane| lane.is_unchanged());
    writeln!(out)?;
    for condition in route
        .upgraders
        .iter()
        .filter_map(|upgrader| upgrader.condition.as_deref())
    {
        writeln!(out, "  {DIM}if {condition}{DIM:#}")?;
    }
    if !changed.is_empty() {
        let rows: Vec<Vec<Cell>> = changed.iter().map(|lane| cells(lane)).collect();
        let heads = heads(route);
        let widths = widths(&heads, &rows, columns);
        let bands = bands(&widths, columns);
        let is_one = bands.len() == 1;
        for (index, band) in bands.into_iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            let in_band = |row: &&Vec<Cell>| {
                is_one
                    || row
                        .get(band.start + 1..band.end)
                        .is_some_and(|cells| cells.iter().any(has_news))
            };
            print(out, &heads, rows.iter().filter(in_band), &widths, &band)?;
        }
        let legend: Vec<String> = LEGEND
            .iter()
            .filter(|(mark, _)| rows.iter().flatten().any(|cell| cell.mark == *mark))
            .map(|(mark, meaning)| format!("{mark} {meaning}"))
            .collect();
        wrapped(out, &legend.join(", "), columns)?;
    }
    if !same.is_empty() {
        let names: Vec<&str> = same.iter().map(|lane| lane.last_path()).collect();
        wrapped(out, &format!("unchanged: {}", names.join(", ")), columns)?;
    }
    Ok(())
}

const LEGEND: [(char, &str); 7] = [
    ('→', "moved"),
    ('○', "converted"),
    ('+', "new"),
    ('├', "made of others"),
    ('┘', "becomes a part of others"),
    ('✕', "dropped"),
    ('?', "made by a function from stored values"),
];

fn heads(route: &Lanes) -> Vec<String> {
    let last = route.versions.len().saturating_sub(1);
    let head = |(index, versions)| {
        if index == last {
            format!("{} current", stored(versions))
        } else {
            stored(versions)
        }
    };
    route.versions.iter().enumerate().map(head).collect()
}

fn cells(lane: &Lane) -> Vec<Cell> {
    let before = [None].into_iter().chain(lane.fates.iter().map(Some));
    let cell = |(index, (place, fate)): (usize, (&Option<String>, Option<&Fate>))| {
        let (mark, style) = fate.map_or((' ', DIM), mark);
        let is_last = index + 1 == lane.places.len();
        let name = place
            .clone()
            .filter(|_| is_last || !matches!(fate, Some(Fate::Kept)));
        Cell { mark, style, name }
    };
    lane.places
        .iter()
        .zip(before)
        .enumerate()
        .map(cell)
        .collect()
}

const fn mark(fate: &Fate) -> (char, Style) {
    match fate {
        Fate::Absent => (' ', DIM),
        Fate::Unknown => ('?', DIM),
        Fate::Kept => ('─', DIM),
        Fate::Moved => ('→', BOLD),
        Fate::Converted { .. } => ('○', YELLOW),
        Fate::Added { .. } => ('+', GREEN),
        Fate::Split { .. } => ('├', GREEN),
        Fate::Merged { .. } => ('┘', YELLOW),
        Fate::Dropped { .. } => ('✕', RED),
    }
}

/// True if something happened on the way to this version.
const fn has_news(cell: &Cell) -> bool {
    !matches!(cell.mark, ' ' | '─')
}

/// The widths of the columns, the widest of them cut so that all fit where that is possible.
fn widths(heads: &[String], rows: &[Vec<Cell>], columns: Option<usize>) -> Vec<usize> {
    let natural = |(index, head): (usize, &String)| {
        let names = rows.iter().filter_map(|row| row.get(index)?.name.as_ref());
        names
            .chain([head])
            .map(|name| name.chars().count() + 2)
            .max()
            .unwrap_or(0)
    };
    let natural: Vec<usize> = heads.iter().enumerate().map(natural).collect();
    let Some(columns) = columns else {
        return natural;
    };
    let total = |cap: usize| {
        natural
            .iter()
            .map(|width| (*width).min(cap) + GAP)
            .sum::<usize>()
    };
    let longest = natural.iter().copied().max().unwrap_or(0);
    let cap = (NARROW..=longest.max(NARROW))
        .rev()
        .find(|cap| total(*cap) <= columns)
        .unwrap_or(NARROW);
    natural.into_iter().map(|width| width.min(cap)).collect()
}

/// The columns that are beside each other: each part begins with the last column of the one before,
/// so that every upgrader is seen.
fn bands(widths: &[usize], columns: Option<usize>) -> Vec<Range<usize>> {
    let room = columns.unwrap_or(usize::MAX);
    let (mut bands, mut start) = (Vec::new(), 0);
    loop {
        let (mut taken, mut end) = (0, start);
        for width in widths.iter().skip(start) {
            taken += width + GAP;
            // Fewer than two columns would show no upgrader, so that they may be wider than the
            // terminal.
            if taken > room && end >= start + 2 {
                break;
            }
            end += 1;
        }
        bands.push(start..end);
        if end >= widths.len() {
            return bands;
        }
        start = end - 1;
    }
}

fn print<'r>(
    out: &mut dyn Write,
    heads: &[String],
    rows: impl Iterator<Item = &'r Vec<Cell>>,
    widths: &[usize],
    band: &Range<usize>,
) -> std::io::Result<()> {
    let mut line = String::new();
    for (head, width) in heads.iter().zip(widths).skip(band.start).take(band.len()) {
        let _ = write!(line, "  {head:<width$}");
    }
    writeln!(out, "  {BOLD}{}{BOLD:#}", line.trim())?;
    for row in rows {
        let mut line = String::new();
        let cells = row
            .iter()
            .zip(widths)
            .enumerate()
            .skip(band.start)
            .take(band.len());
        for (index, (cell, width)) in cells {
            let (style, room) = (cell.style, width - 2);
            // At the left of a part there is no upgrader that the mark could be of.
            let mark = if index == band.start { ' ' } else { cell.mark };
            match &cell.name {
                Some(name) => {
                    let name = middle(&terminal::plain(name), room);
                    // A style around nothing would keep the blanks at the end of a line.
                    let mark = if mark == ' ' {
                        mark.to_string()
                    } else {
                        format!("{style}{mark}{style:#}")
                    };
                    let _ = write!(
                        line,
                        "{mark} {name}{}",
                        " ".repeat(room - name.chars().count() + GAP)
                    );
                }
                None if mark == ' ' => line.push_str(&" ".repeat(width + GAP)),
                None => {
                    let rest = if mark == '─' { '─' } else { ' ' };
                    let _ = write!(line, "{style}{mark}{style:#}");
                    line.extend(std::iter::repeat_n(rest, width - 1 + GAP));
                }
            }
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn wrapped(out: &mut dyn Write, text: &str, columns: Option<usize>) -> std::io::Result<()> {
    let line = format!("  {DIM}{}{DIM:#}\n", terminal::plain(text));
    match columns {
        Some(columns) => write!(out, "{}", terminal::broken(&line, columns, 4)),
        None => write!(out, "{line}"),
    }
}
