//! The picture of a type's lanes as SVG: versions from left to right, an attribute a row.

use std::fmt::Write as _;

use upstate::ResourceDefinition;
use upstate::path::Printable;
use upstate::upgrade::{Fate, Lane, LaneUpgrader, Lanes};

use super::versions;

/// The style of the picture, light and dark. A page whose policy of content allows no style in
/// itself puts this into its sheet.
pub const STYLE: &str = "\
.lanes { --lane-ground: #fff; --lane-ink: #1b1f24; --lane-soft: #505a66; --lane-kept: #8d97a3; --lane-moved: #0b57d0; --lane-new: #0a6b2d; \
--lane-changed: #a15c00; --lane-dropped: #b3261e; }
@media (prefers-color-scheme: dark) { .lanes { --lane-ground: #14171a; --lane-ink: #e8eaed; --lane-soft: #adb5bd; --lane-kept: #6c7680; \
--lane-moved: #8ab4f8; --lane-new: #7ed99a; --lane-changed: #f2c46d; --lane-dropped: #ff9c94; } }
.lanes text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: var(--lane-ink); }
.lanes .lane-head { font-weight: 700; }
.lanes .lane-note { font-size: 11px; fill: var(--lane-soft); }
.lanes .lane-ground { fill: var(--lane-ground); }
.lanes path { fill: none; stroke-width: 2; stroke: var(--lane-kept); }
.lanes .lane-moved path { stroke: var(--lane-moved); }
.lanes .lane-added path, .lanes .lane-split path { stroke: var(--lane-new); }
.lanes .lane-converted path { stroke: var(--lane-changed); }
.lanes .lane-merged path { stroke: var(--lane-changed); }
.lanes .lane-dropped path { stroke: var(--lane-dropped); }
.lanes circle { fill: var(--lane-ground); stroke-width: 2; stroke: var(--lane-changed); }
.lanes .lane-added circle, .lanes .lane-split circle { stroke: var(--lane-new); fill: var(--lane-new); }
.lanes .lane-dropped text { fill: var(--lane-dropped); }
";

const MARGIN: usize = 16;
/// The height of a lane, with the text above it.
const ROW: usize = 34;
/// The space between the names of two versions.
const GAP: usize = 190;
/// The place in it of what happens.
const MARK: usize = 28;
/// Three lines of heading.
const HEAD: usize = 66;
/// The longest name that is written out, in characters.
const NAME: usize = 40;
/// The number of attributes that stay and have lanes of their own; more of them are one line.
const UNCHANGED: usize = 6;

/// The width of text of 12 pixels: 0.6 of its height is what fonts of one width have.
const fn wide(characters: usize) -> usize {
    characters * 72 / 10
}

/// The picture as a file of its own.
///
/// ```
/// use upstate::Resource;
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 1)]
/// #[upgrade_from(0 => 1, rename(name => title))]
/// struct Note { title: String }
///
/// let picture = upstate_compat::lanes::svg(Note::DEFINITION);
/// assert!(picture.contains("<title>name becomes title</title>"));
/// ```
pub fn svg(definition: &ResourceDefinition) -> String {
    drawn(definition, &format!("<style>\n{STYLE}</style>\n"))
}

/// The picture as a part of a page that has the [`STYLE`].
pub fn svg_of_page(definition: &ResourceDefinition) -> String {
    drawn(definition, "")
}

fn drawn(definition: &ResourceDefinition, style: &str) -> String {
    let routes = definition.lanes();
    let (mut body, mut top, mut width) = (String::new(), MARGIN, 0);
    for route in &routes {
        let picture = Picture::of(route, top);
        picture.draw(&mut body);
        top = picture.bottom() + MARGIN;
        width = width.max(picture.width());
    }
    if routes.is_empty() {
        let text = format!("version {} is the only one", definition.version());
        width = wide(text.chars().count()) + 2 * MARGIN;
        text_at(&mut body, "", MARGIN, top + 12, &text);
        top += ROW;
    }
    let name = escaped(definition.type_name());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lanes\" viewBox=\"0 0 {width} {top}\" width=\"{width}\" height=\"{top}\" role=\"img\">\n\
         <title>The attributes of {name} through its versions</title>\n<desc>{}</desc>\n{style}\
         <rect class=\"lane-ground\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        escaped(&description(&routes)),
    )
}

/// The picture in a sentence for each route, for those who do not see it.
fn description(routes: &[Lanes]) -> String {
    let of_route = |route: &Lanes| {
        let (first, last) = (route.versions.first(), route.versions.last());
        let ends = first
            .zip(last)
            .map(|(first, last)| format!("From {} to {}: ", versions(first), versions(last)));
        let changed = route.lanes.iter().filter(|lane| !lane.is_unchanged());
        let each = changed.map(|lane| {
            let paths: Vec<&str> = lane.places.iter().flatten().map(String::as_str).collect();
            let fates: Vec<&str> = lane
                .fates
                .iter()
                .map(Fate::name)
                .filter(|name| !matches!(*name, "absent" | "kept"))
                .collect();
            format!("{} {}", paths.last().unwrap_or(&""), fates.join(", then "))
        });
        let unchanged = route
            .lanes
            .iter()
            .filter(|lane| lane.is_unchanged())
            .count();
        let rest = (unchanged > 0).then(|| format!("{unchanged} unchanged"));
        format!(
            "{}{}.",
            ends.unwrap_or_default(),
            each.chain(rest).collect::<Vec<_>>().join("; ")
        )
    };
    routes.iter().map(of_route).collect::<Vec<_>>().join(" ")
}

/// A route with the places of its columns.
struct Picture<'l> {
    route: &'l Lanes,
    shown: Vec<&'l Lane>,
    folded: Vec<&'l Lane>,
    /// The left of each version's names.
    columns: Vec<usize>,
    /// The widths of them.
    widths: Vec<usize>,
    top: usize,
}

impl<'l> Picture<'l> {
    fn of(route: &'l Lanes, top: usize) -> Self {
        let (same, changed): (Vec<&Lane>, Vec<&Lane>) =
            route.lanes.iter().partition(|lane| lane.is_unchanged());
        let (shown, folded) = if same.len() <= UNCHANGED {
            (route.lanes.iter().collect(), Vec::new())
        } else {
            (changed, same)
        };
        let (mut columns, mut widths, mut left) = (Vec::new(), Vec::new(), MARGIN);
        for (index, range) in route.versions.iter().enumerate() {
            let names = shown
                .iter()
                .filter_map(|lane| name_at(lane, index))
                .map(|name| wide(name.chars().count()));
            let width = names
                .chain([wide(versions(range).chars().count() + 10)])
                .max()
                .unwrap_or(0);
            columns.push(left);
            widths.push(width);
            left += width + GAP;
        }
        Self {
            route,
            shown,
            folded,
            columns,
            widths,
            top,
        }
    }

    fn width(&self) -> usize {
        let end = self
            .columns
            .last()
            .zip(self.widths.last())
            .map_or(0, |(left, width)| left + width);
        end + MARGIN
    }

    fn bottom(&self) -> usize {
        self.row(self.shown.len()) + if self.folded.is_empty() { 0 } else { ROW }
    }

    /// The height of the line of a lane.
    const fn row(&self, index: usize) -> usize {
        self.top + HEAD + index * ROW
    }

    fn left(&self, column: usize) -> usize {
        self.columns.get(column).copied().unwrap_or_default()
    }

    /// The place at which something happens on the way to a column.
    fn mark(&self, column: usize) -> usize {
        (self.left(column) + MARK).saturating_sub(GAP)
    }

    fn draw(&self, out: &mut String) {
        let last = self.route.versions.len().saturating_sub(1);
        for (index, range) in self.route.versions.iter().enumerate() {
            let current = if index == last { " · current" } else { "" };
            text_at(
                out,
                "lane-head",
                self.left(index),
                self.top + 12,
                &format!("{}{current}", versions(range)),
            );
        }
        for (index, upgrader) in self.route.upgraders.iter().enumerate() {
            self.heading(out, index + 1, upgrader);
        }
        for (row, lane) in self.shown.iter().enumerate() {
            self.lane(out, row, lane);
        }
        if !self.folded.is_empty() {
            let names: Vec<&str> = self.folded.iter().map(|lane| lane.last_path()).collect();
            let room = self.width().saturating_sub(2 * MARGIN) * 10 / 66;
            let text = format!("{} unchanged: {}", names.len(), names.join(", "));
            let _ = writeln!(out, "<g><title>{}</title>", escaped(&names.join(", ")));
            text_at(
                out,
                "lane-note",
                MARGIN,
                self.row(self.shown.len()) + 4,
                &cut(&text, room),
            );
            out.push_str("</g>\n");
        }
    }

    /// The heading of an upgrader: how it is written, and what each direction keeps.
    fn heading(&self, out: &mut String, column: usize, upgrader: &LaneUpgrader) {
        let left = self.mark(column);
        let condition = upgrader
            .condition
            .as_ref()
            .map(|condition| format!(", if {condition}"))
            .unwrap_or_default();
        let verdicts = upgrader.verdicts.as_ref();
        let full = verdicts
            .map(|verdicts| format!("\nup: {}\nback: {}", verdicts.up, verdicts.down))
            .unwrap_or_default();
        let _ = writeln!(
            out,
            "<g><title>{}{}{}</title>",
            upgrader.written_as,
            escaped(&condition),
            escaped(&full)
        );
        text_at(
            out,
            "lane-note",
            left,
            self.top + 12,
            &cut(&format!("{}{condition}", upgrader.written_as), ROOM),
        );
        if let Some(verdicts) = verdicts {
            let text = format!(
                "up {}, back {}",
                verdicts.up.verdict(),
                verdicts.down.verdict()
            );
            text_at(out, "lane-note", left, self.top + 28, &text);
        }
        out.push_str("</g>\n");
    }

    fn lane(&self, out: &mut String, row: usize, lane: &Lane) {
        let y = self.row(row);
        for (index, fate) in lane.fates.iter().enumerate() {
            self.fate(out, y, lane, index, fate);
        }
        for column in 0..lane.places.len() {
            if let Some(name) = name_at(lane, column) {
                let full = lane
                    .places
                    .get(column)
                    .and_then(Option::as_deref)
                    .unwrap_or_default();
                let _ = writeln!(
                    out,
                    "<g><title>{}{}</title>",
                    escaped(full),
                    if lane.is_secret { ", sensitive" } else { "" }
                );
                text_at(out, "", self.left(column), y + 4, &name);
                out.push_str("</g>\n");
            }
        }
    }

    /// The line of a lane between two versions.
    fn fate(&self, out: &mut String, y: usize, lane: &Lane, index: usize, fate: &Fate) {
        let (start, end, mark) = (
            self.end_of_name(lane, index),
            self.start_of_name(lane, index + 1),
            self.mark(index + 1),
        );
        let at = |column: usize| {
            lane.places
                .get(column)
                .and_then(Option::as_deref)
                .unwrap_or_default()
        };
        let (before, after) = (at(index), at(index + 1));
        if *fate == Fate::Absent {
            return;
        }
        let how = if fate.how().is_empty() {
            String::new()
        } else {
            format!(": {}", fate.how().join(", "))
        };
        let title = match fate {
            Fate::Absent => String::new(),
            Fate::Unknown => format!("{after} is made by a function from stored values"),
            Fate::Kept => format!("{after} stays"),
            Fate::Moved => format!("{before} becomes {after}"),
            Fate::Converted { .. } => format!("{before} is converted to {after}{how}"),
            Fate::Added { .. } => format!("{after} is new{how}"),
            Fate::Split { from, .. } => format!("{after} is made of {}{how}", from.join(", ")),
            Fate::Merged { into } => format!("{before} becomes a part of {}", into.join(", ")),
            Fate::Dropped { reason } => {
                format!(
                    "{before} is dropped{}",
                    reason
                        .as_ref()
                        .map(|reason| format!(": {reason}"))
                        .unwrap_or_default()
                )
            }
        };
        let _ = writeln!(
            out,
            "<g class=\"lane-{}\"><title>{}</title>",
            fate.name(),
            escaped(&title)
        );
        let note = match fate {
            Fate::Absent => String::new(),
            Fate::Kept | Fate::Moved => {
                line(out, start, end, y);
                String::new()
            }
            Fate::Converted { how } => {
                line(out, start, end, y);
                let _ = writeln!(out, "<circle cx=\"{mark}\" cy=\"{y}\" r=\"5\"/>");
                if how.is_empty() {
                    "another type".to_owned()
                } else {
                    how.join(", ")
                }
            }
            Fate::Unknown => {
                line(out, mark, end, y);
                "a function".to_owned()
            }
            Fate::Added { how } | Fate::Split { how, .. } => {
                if let Fate::Split { from, .. } = fate {
                    self.branches(out, y, index, from, start.min(mark), mark);
                }
                line(out, mark, end, y);
                let _ = writeln!(out, "<circle cx=\"{mark}\" cy=\"{y}\" r=\"5\"/>");
                how.join(", ")
            }
            Fate::Merged { into } => {
                line(out, start, mark, y);
                for row in self.rows_of(index + 1, into) {
                    curve(
                        out,
                        (mark, y),
                        (end.max(mark + 60).min(mark + 120), self.row(row)),
                    );
                }
                format!("part of {}", into.join(", "))
            }
            Fate::Dropped { reason } => {
                line(out, start, mark, y);
                let (left, right, up, down) = (mark - 4, mark + 4, y - 4, y + 4);
                let _ = writeln!(
                    out,
                    "<path d=\"M{left} {up} L{right} {down} M{left} {down} L{right} {up}\"/>"
                );
                let text = format!(
                    "dropped{}",
                    reason
                        .as_ref()
                        .map(|reason| format!(": {reason}"))
                        .unwrap_or_default()
                );
                let room = self.width().saturating_sub(mark + 12 + MARGIN) * 10 / 66;
                text_at(out, "lane-note", mark + 12, y + 4, &cut(&text, room));
                String::new()
            }
        };
        if !note.is_empty() {
            text_at(out, "lane-note", mark + 9, y - 7, &cut(&note, ROOM));
        }
        out.push_str("</g>\n");
    }

    /// Curves from the lanes that a new one is made of.
    fn branches(
        &self,
        out: &mut String,
        y: usize,
        index: usize,
        from: &[String],
        start: usize,
        mark: usize,
    ) {
        let begin = self.left(index) + self.widths.get(index).copied().unwrap_or_default();
        for row in self.rows_of(index, from) {
            curve(out, (begin.max(start).min(mark), self.row(row)), (mark, y));
        }
    }

    /// The rows of the lanes that have these paths in a version.
    fn rows_of(&self, column: usize, paths: &[String]) -> Vec<usize> {
        let has = |lane: &Lane| {
            lane.places
                .get(column)
                .and_then(Option::as_ref)
                .is_some_and(|path| paths.contains(path))
        };
        self.shown
            .iter()
            .enumerate()
            .filter(|(_, lane)| has(lane))
            .map(|(row, _)| row)
            .collect()
    }

    fn end_of_name(&self, lane: &Lane, column: usize) -> usize {
        self.left(column) + name_at(lane, column).map_or(0, |name| wide(name.chars().count()) + 8)
    }

    fn start_of_name(&self, lane: &Lane, column: usize) -> usize {
        let before = if name_at(lane, column).is_some() {
            8
        } else {
            0
        };
        self.left(column).saturating_sub(before)
    }
}

/// The characters of a note that fit between two versions.
const ROOM: usize = (GAP - MARK - 12) * 10 / 66;

/// The name that is written in a version: where the lane begins, where it has another one, and at
/// the end.
fn name_at(lane: &Lane, column: usize) -> Option<String> {
    let place = lane.places.get(column)?.as_deref()?;
    let before = column
        .checked_sub(1)
        .and_then(|column| lane.places.get(column)?.as_deref());
    let is_last = column + 1 == lane.places.len();
    (is_last || before != Some(place)).then(|| middle(place))
}

/// A name that is cut in its middle, since its beginning and its end say most.
fn middle(name: &str) -> String {
    let length = name.chars().count();
    if length <= NAME {
        return name.to_owned();
    }
    let begin: String = name.chars().take(NAME / 2).collect();
    let end: String = name.chars().skip(length + 1 - NAME / 2).collect();
    format!("{begin}…{end}")
}

fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars()
        .take(room.saturating_sub(1))
        .chain(['…'])
        .collect()
}

fn line(out: &mut String, start: usize, end: usize, y: usize) {
    let _ = writeln!(out, "<path d=\"M{start} {y} H{end}\"/>");
}

fn curve(out: &mut String, (x, y): (usize, usize), (to_x, to_y): (usize, usize)) {
    let middle = usize::midpoint(x, to_x);
    let _ = writeln!(
        out,
        "<path d=\"M{x} {y} C{middle} {y} {middle} {to_y} {to_x} {to_y}\"/>"
    );
}

fn text_at(out: &mut String, class: &str, x: usize, y: usize, text: &str) {
    let class = if class.is_empty() {
        String::new()
    } else {
        format!(" class=\"{class}\"")
    };
    let _ = writeln!(
        out,
        "<text{class} x=\"{x}\" y=\"{y}\">{}</text>",
        escaped(text)
    );
}

/// Text that is safe in a document: names of a definition made at run time may hold anything.
fn escaped(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| Printable(line).to_string())
        .collect();
    lines
        .join("\n")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
