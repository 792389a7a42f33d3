//! Differences of values as they are shown: one home for the command line and the page.
//!
//! [`rows`] makes one row of a value that moves from one attribute to another, converted or not;
//! [`lines`] draws nested values, of which the lines that differ are marked; [`windows`] cuts long
//! values around the place where they first differ, and [`line_windows`] long lines.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use serde_json::value::RawValue;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use upstate::ResourceDefinition;
use upstate::path::Printable;

/// A value at one side of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side<'a> {
    /// The value, as compact JSON.
    Json(&'a str),
    /// A value that is not shown because it is sensitive.
    Hidden,
    /// A value that is not shown because no schema knows it.
    Undefined,
}

impl<'a> Side<'a> {
    const fn json(self) -> Option<&'a str> {
        match self {
            Self::Json(json) => Some(json),
            Self::Hidden | Self::Undefined => None,
        }
    }
}

impl<'a> From<&'a crate::Shown> for Side<'a> {
    fn from(shown: &'a crate::Shown) -> Self {
        match shown {
            crate::Shown::Json(json) => Self::Json(json),
            crate::Shown::Hidden => Self::Hidden,
            crate::Shown::Undefined => Self::Undefined,
        }
    }
}

/// The values of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The path.
    pub path: String,
    /// The value before, if there was one.
    pub before: Option<Side<'a>>,
    /// The value after, if there is one.
    pub after: Option<Side<'a>>,
}

/// A row of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row<'a> {
    /// A value that is new.
    Added(String, Side<'a>),
    /// A value that is gone.
    Removed(String, Side<'a>),
    /// A value that differs.
    Changed(String, Side<'a>, Side<'a>),
    /// A value that was at the first path, and is at the second.
    Moved(String, String, &'a str),
    /// A value that was at the first path, and is another one at the second, which is where an
    /// upgrader takes it.
    Converted(String, String, Side<'a>, Side<'a>),
}

/// The attributes of a type that have other paths in another version, as its upgraders declare.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moves {
    /// The path before and the one after: names with dots between them.
    pairs: Vec<(String, String)>,
}

impl Moves {
    /// The moves from one version to another, which is the earlier one where state goes back.
    pub fn between(definition: &ResourceDefinition, from: u64, to: u64) -> Self {
        if from == to {
            return Self::default();
        }
        let mut pairs = Vec::new();
        for route in definition.lanes() {
            let column = |version: u64| {
                route
                    .versions
                    .iter()
                    .position(|versions| versions.contains(&version))
            };
            let (Some(first), Some(last)) = (column(from), column(to)) else {
                continue;
            };
            for lane in &route.lanes {
                if let (Some(Some(before)), Some(Some(after))) =
                    (lane.places.get(first), lane.places.get(last))
                    && before != after
                {
                    pairs.push((before.clone(), after.clone()));
                }
            }
        }
        // Several routes may share an upgrader.
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs }
    }

    /// The entries, with the values that have moved as entries of their own; and the index of each
    /// of those that are gone, with that of the entry where its value is new.
    fn applied<'a>(&self, entries: Vec<Entry<'a>>) -> (Vec<Entry<'a>>, HashMap<usize, usize>) {
        if self.pairs.is_empty() {
            return (entries, HashMap::new());
        }
        let pieces: Vec<Vec<Entry<'a>>> = entries.iter().map(|entry| self.pieces(entry)).collect();
        let mut gone: Vec<(Place, (usize, usize), Side<'a>)> = Vec::new();
        let mut new: HashMap<Place, ((usize, usize), Side<'a>)> = HashMap::new();
        for (index, pieces) in pieces.iter().enumerate() {
            for (part, piece) in pieces.iter().enumerate() {
                match (piece.before, piece.after, place(&piece.path)) {
                    (Some(before), None, Some(place)) => gone.push((place, (index, part), before)),
                    (None, Some(after), Some(place)) => {
                        new.insert(place, ((index, part), after));
                    }
                    _ => {}
                }
            }
        }
        let mut goals: Vec<((usize, usize), (usize, usize))> = Vec::new();
        // Equal values first, so that none of them is taken for another one that was converted.
        for must_equal in [true, false] {
            let mut starts: HashMap<Place, usize> = HashMap::new();
            for ((names, indexes), ..) in &gone {
                for (_, end) in self.pairs.iter().filter(|(start, _)| start == names) {
                    *starts.entry((end.clone(), indexes.clone())).or_default() += 1;
                }
            }
            gone.retain(|((names, indexes), from, before)| {
                let ends = self.pairs.iter().filter(|(start, _)| start == names);
                let ends = ends.filter_map(|(_, end)| {
                    let place = (end.clone(), indexes.clone());
                    let (to, after) = new.get(&place).copied()?;
                    let is_equal = before.json().is_some_and(|json| after.json() == Some(json));
                    (is_equal || !must_equal).then_some((place, to))
                });
                let mut ends: Vec<(Place, (usize, usize))> = ends.collect();
                // Of several routes, an equal value says which one was taken; another one does not,
                // be it one of several starts or ends.
                if must_equal {
                    ends.truncate(1);
                }
                let goal = ends.pop().filter(|(place, _)| {
                    ends.is_empty() && (must_equal || starts.get(place) == Some(&1))
                });
                let Some((place, to)) = goal else { return true };
                new.remove(&place);
                goals.push((*from, to));
                false
            });
        }
        let opened: HashSet<usize> = goals.iter().flat_map(|(from, to)| [from.0, to.0]).collect();
        let mut all = Vec::with_capacity(entries.len());
        let mut places: HashMap<(usize, usize), usize> = HashMap::new();
        for (index, (entry, pieces)) in entries.into_iter().zip(pieces).enumerate() {
            if !opened.contains(&index) {
                all.push(entry);
                continue;
            }
            for (part, piece) in pieces.into_iter().enumerate() {
                places.insert((index, part), all.len());
                all.push(piece);
            }
        }
        let moved = goals
            .iter()
            .filter_map(|(from, to)| Some((*places.get(from)?, *places.get(to)?)))
            .collect();
        (all, moved)
    }

    /// The values in an entry that may have moved, and those beside them; the entry itself if there
    /// are none.
    fn pieces<'a>(&self, entry: &Entry<'a>) -> Vec<Entry<'a>> {
        let (json, is_new) = match (entry.before, entry.after) {
            (Some(Side::Json(json)), None) => (json, false),
            (None, Some(Side::Json(json))) => (json, true),
            _ => return vec![entry.clone()],
        };
        if depth(json) > DEEPEST {
            return vec![entry.clone()];
        }
        let mut found = Vec::new();
        self.open(entry.path.clone(), json, is_new, &mut found);
        let piece = |(path, json): (String, &'a str)| {
            let side = Some(Side::Json(json));
            if is_new {
                Entry {
                    path,
                    before: None,
                    after: side,
                }
            } else {
                Entry {
                    path,
                    before: side,
                    after: None,
                }
            }
        };
        found.into_iter().map(piece).collect()
    }

    fn open<'a>(
        &self,
        path: String,
        json: &'a str,
        is_new: bool,
        found: &mut Vec<(String, &'a str)>,
    ) {
        let values = if self.leads_into(&path, is_new) {
            inside(&path, json)
        } else {
            None
        };
        match values.filter(|values| !values.is_empty()) {
            Some(values) => {
                for (path, json) in values {
                    self.open(path, json, is_new, found);
                }
            }
            // Null is left out, because no difference shows it.
            None if json == "null" => {}
            None => found.push((path, json)),
        }
    }

    /// True if something inside the value at a path may have moved.
    fn leads_into(&self, path: &str, is_new: bool) -> bool {
        let Some((names, _)) = place(path) else {
            return false;
        };
        self.pairs.iter().any(|(before, after)| {
            let end = if is_new { after } else { before };
            end.strip_prefix(names.as_str())
                .is_some_and(|rest| rest.starts_with('.'))
        })
    }
}

/// The names on a path with dots between them, and the indexes on it without zeros at the end: a
/// single block is a list of one.
type Place = (String, Vec<usize>);

/// The place of a path; none if it leads through the key of a map or the element of a set.
fn place(path: &str) -> Option<Place> {
    let (mut names, mut indexes) = (Vec::new(), Vec::new());
    for step in path.split('.') {
        let mut parts = step.split('[');
        names.push(parts.next()?);
        for part in parts {
            indexes.push(part.strip_suffix(']')?.parse::<usize>().ok()?);
        }
    }
    while indexes.last() == Some(&0) {
        indexes.pop();
    }
    Some((names.join("."), indexes))
}

/// The values in a list or an object, with their paths.
fn inside<'a>(path: &str, json: &'a str) -> Option<Vec<(String, &'a str)>> {
    match json.as_bytes().first() {
        Some(b'[') => {
            let items: Vec<&'a RawValue> = serde_json::from_str(json).ok()?;
            Some(
                items
                    .into_iter()
                    .enumerate()
                    .map(|(index, item)| (format!("{path}[{index}]"), item.get()))
                    .collect(),
            )
        }
        Some(b'{') => {
            let members: BTreeMap<String, &'a RawValue> = serde_json::from_str(json).ok()?;
            Some(
                members
                    .into_iter()
                    .map(|(name, value)| (format!("{path}.{}", Printable(&name)), value.get()))
                    .collect(),
            )
        }
        Some(_) | None => None,
    }
}

/// The rows of a difference, in its order. A value has moved, however small it is, if it is gone at
/// one path and new at the one where `moves` take it; it is one row, too, if there is another value
/// there. Any other one has moved if it is gone at one path and new at one other, and nowhere else.
pub fn rows<'a>(entries: impl IntoIterator<Item = Entry<'a>>, moves: &Moves) -> Vec<Row<'a>> {
    let (entries, mut pairs) = moves.applied(entries.into_iter().collect());
    let known: HashSet<usize> = pairs.iter().flat_map(|(from, to)| [*from, *to]).collect();
    let mut gone: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut new: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, entry) in entries
        .iter()
        .enumerate()
        .filter(|(index, _)| !known.contains(index))
    {
        match (entry.before, entry.after) {
            (Some(Side::Json(json)), None) if is_distinct(json) => {
                gone.entry(json).or_default().push(index);
            }
            (None, Some(Side::Json(json))) if is_distinct(json) => {
                new.entry(json).or_default().push(index);
            }
            _ => {}
        }
    }
    for (json, from) in &gone {
        if let ([from], Some([to])) = (from.as_slice(), new.get(json).map(Vec::as_slice)) {
            pairs.insert(*from, *to);
        }
    }
    let arrived: HashSet<usize> = pairs.values().copied().collect();
    let mut rows = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let path = entry.path.clone();
        match (entry.before, entry.after) {
            (Some(before), Some(after)) => rows.push(Row::Changed(path, before, after)),
            (None, Some(_)) if arrived.contains(&index) => {}
            (None, Some(after)) => rows.push(Row::Added(path, after)),
            (Some(before), None) => {
                let goal = pairs
                    .get(&index)
                    .and_then(|to| entries.get(*to))
                    .and_then(|to| Some((to.path.clone(), to.after?)));
                rows.push(match (goal, before.json()) {
                    (Some((to, after)), Some(json)) if after == before => {
                        Row::Moved(path, to, json)
                    }
                    (Some((to, after)), _) => Row::Converted(path, to, before, after),
                    (None, _) => Row::Removed(path, before),
                });
            }
            (None, None) => {}
        }
    }
    rows
}

/// True for a value that two attributes do not have by chance, as they may have `true` or 0.
fn is_distinct(json: &str) -> bool {
    json.len() > 2 && !matches!(json, "true" | "false" | "null")
}

/// The mark of a line of a nested value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Both values have the line.
    Same,
    /// The value before has it.
    Removed,
    /// The value after has it.
    Added,
    /// Lines that both have are left out: their number.
    Skipped(usize),
}

/// A line of a nested value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The mark.
    pub mark: Mark,
    /// The text, indented.
    pub text: String,
}

/// The number of equal lines that are shown beside a line that differs.
const CONTEXT: usize = 2;

/// The lines of a value that is nested, or of two of which one is; nothing if a line says as much.
pub fn lines(before: Option<&str>, after: Option<&str>) -> Option<Vec<Line>> {
    let is_nested = |json: &str| json.len() > 30 && json.starts_with(['{', '[']);
    let both = || [before, after].into_iter().flatten();
    if !both().any(is_nested) || both().any(|json| depth(json) > DEEPEST) {
        return None;
    }
    let (before, after) = (before.map(Ordered::read), after.map(Ordered::read));
    // A list of one object beside an object differs by its brackets alone, where it does.
    let is_list = |value: &Option<Ordered<'_>>| matches!(value, Some(Ordered::List(items)) if items.len() == 1);
    let is_object = |value: &Option<Ordered<'_>>| matches!(value, Some(Ordered::Members(_)));
    let drawn = |value: &Option<Ordered<'_>>, depth: usize| {
        let mut lines = Vec::new();
        if let Some(value) = value {
            value.draw("", depth, &mut lines);
        }
        lines
    };
    let depths = (
        usize::from(is_object(&before) && is_list(&after)),
        usize::from(is_list(&before) && is_object(&after)),
    );
    let (before, after) = (drawn(&before, depths.0), drawn(&after, depths.1));
    let mut all = Vec::with_capacity(before.len().max(after.len()));
    let mut push = |mark: Mark, texts: &[String]| {
        all.extend(texts.iter().map(|text| Line {
            mark,
            text: text.clone(),
        }));
    };
    for step in capture_diff_slices(Algorithm::Myers, &before, &after) {
        let (tag, old, new) = step.as_tag_tuple();
        let (old, new) = (
            before.get(old).unwrap_or_default(),
            after.get(new).unwrap_or_default(),
        );
        match tag {
            DiffTag::Equal => push(Mark::Same, new),
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                push(Mark::Removed, old);
                push(Mark::Added, new);
            }
        }
    }
    Some(shortened(&all))
}

/// The depth up to which values are drawn, since each level is read once more and takes some of the
/// stack.
const DEEPEST: usize = 64;

/// The depth of the lists and objects of a JSON text.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut in_text, mut is_escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The lines without those that are equal and far from any that differs.
fn shortened(all: &[Line]) -> Vec<Line> {
    let differs: Vec<usize> = all
        .iter()
        .enumerate()
        .filter(|(_, line)| line.mark != Mark::Same)
        .map(|(index, _)| index)
        .collect();
    let is_near = |index: usize| {
        let from = differs.partition_point(|other| other + CONTEXT < index);
        differs
            .get(from)
            .is_some_and(|other| other.abs_diff(index) <= CONTEXT)
    };
    let mut shown = Vec::with_capacity(all.len());
    let mut skipped = 0;
    let skip = |skipped: &mut usize, shown: &mut Vec<Line>| {
        if *skipped > 0 {
            shown.push(Line {
                mark: Mark::Skipped(*skipped),
                text: String::new(),
            });
            *skipped = 0;
        }
    };
    for (index, line) in all.iter().enumerate() {
        if is_near(index) {
            skip(&mut skipped, &mut shown);
            shown.push(line.clone());
        } else {
            skipped += 1;
        }
    }
    skip(&mut skipped, &mut shown);
    shown
}

/// A JSON value with its members in their order and its scalars as they are written.
enum Ordered<'j> {
    List(Vec<Ordered<'j>>),
    Members(Vec<(String, Ordered<'j>)>),
    Scalar(&'j str),
}

impl<'j> Ordered<'j> {
    fn read(json: &'j str) -> Self {
        serde_json::from_str(json).unwrap_or(Self::Scalar(json))
    }

    /// Adds a line for each value, without quotes around names and commas between values.
    fn draw(&self, name: &str, depth: usize, lines: &mut Vec<String>) {
        let indent = "  ".repeat(depth);
        match self {
            Self::Scalar(text) => lines.push(format!("{indent}{name}{text}")),
            Self::List(items) if items.is_empty() => lines.push(format!("{indent}{name}[]")),
            Self::Members(members) if members.is_empty() => {
                lines.push(format!("{indent}{name}{{}}"));
            }
            Self::List(items) => {
                lines.push(format!("{indent}{name}["));
                for item in items {
                    item.draw("", depth + 1, lines);
                }
                lines.push(format!("{indent}]"));
            }
            Self::Members(members) => {
                lines.push(format!("{indent}{name}{{"));
                for (name, value) in members {
                    value.draw(&format!("{name}: "), depth + 1, lines);
                }
                lines.push(format!("{indent}}}"));
            }
        }
    }
}

impl<'de: 'j, 'j> serde::Deserialize<'de> for Ordered<'j> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?.get();
        let parsed = match raw.as_bytes().first() {
            Some(b'[') => serde_json::from_str(raw).map(Self::List),
            Some(b'{') => serde_json::from_str(raw).map(|Members(members)| Self::Members(members)),
            _ => return Ok(Self::Scalar(raw)),
        };
        parsed.map_err(serde::de::Error::custom)
    }
}

/// The members of an object, in their order.
struct Members<'j>(Vec<(String, Ordered<'j>)>);

impl<'de: 'j, 'j> serde::Deserialize<'de> for Members<'j> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// A part of a value, with the stretch in it that the other value does not have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    /// True if the value begins before it.
    pub cut_before: bool,
    /// The part in front of the difference, which both values have.
    pub same_before: String,
    /// The difference; empty if the other value has more here, or there is no other one.
    pub differs: String,
    /// The part behind the difference, which both values have.
    pub same_after: String,
    /// True if the value goes on after it.
    pub cut_after: bool,
}

impl Window {
    /// The beginning of a value that is compared with nothing.
    pub fn of(value: &str, width: usize) -> Self {
        let same_before: String = value.chars().take(width).collect();
        Self {
            cut_after: same_before.len() < value.len(),
            same_before,
            ..Self::default()
        }
    }

    /// True if a part of the value is not in it.
    pub const fn is_cut(&self) -> bool {
        self.cut_before || self.cut_after
    }

    /// The characters from `start` on, of which those in `from..to` differ.
    fn from(value: &[char], start: usize, (from, to): (usize, usize), width: usize) -> Self {
        let end = value.len().min(start.saturating_add(width));
        let piece = |from: usize, to: usize| {
            value
                .get(from.clamp(start, end)..to.clamp(start, end))
                .unwrap_or_default()
                .iter()
                .collect()
        };
        Self {
            cut_before: start > 0,
            same_before: piece(start, from),
            differs: piece(from, to),
            same_after: piece(to, end),
            cut_after: end < value.len(),
        }
    }
}

/// At most `width` characters of each of two values, around the place where they first differ.
/// Short values are whole.
pub fn windows(old: &str, new: &str, width: usize) -> (Window, Window) {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let before = old
        .iter()
        .zip(&new)
        .take_while(|(old, new)| old == new)
        .count();
    let rest = old.len().min(new.len()) - before;
    let after = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(old, new)| old == new)
        .count();
    let is_short = old.len() <= width && new.len() <= width;
    // From the beginning where the difference is near enough to it, so that the value is known by
    // its first words.
    let start = if is_short || before < width / 2 {
        0
    } else {
        before - width / 4
    };
    let window = |value: &[char]| Window::from(value, start, (before, value.len() - after), width);
    (window(&old), window(&new))
}

/// At most `width` characters of each line, with the name in front of them where they are not from
/// its beginning. Of a line before and a line after whose first `width` characters are equal, they
/// are around the place where these first differ, because their beginnings would look the same.
pub fn line_windows(all: &[Line], width: usize) -> Vec<(String, Window)> {
    let beginning = |line: &Line| -> Option<String> {
        let part: String = line.text.chars().take(width).collect();
        (part.len() < line.text.len()).then_some(part)
    };
    let mut shown: Vec<(String, Window)> = all
        .iter()
        .map(|line| (String::new(), Window::of(&line.text, width)))
        .collect();
    let mut added: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (index, line) in all
        .iter()
        .enumerate()
        .filter(|(_, line)| line.mark == Mark::Added)
    {
        if let Some(part) = beginning(line) {
            added.entry(part).or_default().push_back(index);
        }
    }
    for (index, line) in all
        .iter()
        .enumerate()
        .filter(|(_, line)| line.mark == Mark::Removed)
    {
        let Some(other) = beginning(line).and_then(|part| added.get_mut(&part)?.pop_front()) else {
            continue;
        };
        let Some(new) = all.get(other).filter(|new| new.text != line.text) else {
            continue;
        };
        let name = line
            .text
            .split_inclusive(": ")
            .next()
            .filter(|name| name.chars().count() <= width / 2)
            .unwrap_or_default();
        let (Some(before), Some(after)) =
            (line.text.strip_prefix(name), new.text.strip_prefix(name))
        else {
            continue;
        };
        let (before, after) = windows(before, after, width - name.chars().count());
        for (place, window) in [(index, before), (other, after)] {
            if let Some(part) = shown.get_mut(place) {
                *part = (name.to_owned(), window);
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use upstate::{Object, Resource};

    use super::*;

    fn text(window: &Window) -> String {
        let dots = |cut| if cut { "…" } else { "" };
        format!(
            "{}{}[{}]{}{}",
            dots(window.cut_before),
            window.same_before,
            window.differs,
            window.same_after,
            dots(window.cut_after)
        )
    }

    #[test]
    fn a_difference_far_from_the_beginning_is_seen() {
        let key = "AAAAB3NzaC1yc2E".repeat(30);
        let (old, new) = windows(&format!("{key}\\n"), &key, 40);
        let same = &key[key.len() - 10..];
        assert_eq!(
            (text(&old), text(&new)),
            (format!("…{same}[\\n]"), format!("…{same}[]"))
        );
        assert!(old.is_cut() && new.is_cut());
    }

    #[test]
    fn short_values_are_whole_with_their_difference() {
        let (old, new) = windows("\"eu-west-1\"", "\"eu-central-1\"", 40);
        assert_eq!(
            (&*text(&old), &*text(&new)),
            ("\"eu-[west]-1\"", "\"eu-[central]-1\"")
        );
        assert!(!old.is_cut() && !new.is_cut());
    }

    #[test]
    fn a_difference_longer_than_the_window_is_cut_in_it() {
        let (old, new) = windows(&format!("ab{}yz", "c".repeat(100)), "abyz", 10);
        assert_eq!((&*text(&old), &*text(&new)), ("ab[cccccccc]…", "ab[]yz"));
    }

    #[test]
    fn what_begins_the_same_as_the_other_one_ends_is_counted_once() {
        for (old, new) in [
            ("aa", "aaa"),
            ("", "a"),
            ("a", ""),
            ("", ""),
            ("abab", "ab"),
            ("ä\u{1f980}b", "ä\u{1f980}\u{1f980}b"),
        ] {
            let (before, after) = windows(old, new, 50);
            let whole = |window: &Window| {
                format!(
                    "{}{}{}",
                    window.same_before, window.differs, window.same_after
                )
            };
            assert_eq!((&*whole(&before), &*whole(&after)), (old, new));
        }
    }

    fn entry<'a>(path: &str, before: Option<Side<'a>>, after: Option<Side<'a>>) -> Entry<'a> {
        Entry {
            path: path.to_owned(),
            before,
            after,
        }
    }

    #[test]
    fn a_value_that_is_at_another_path_has_moved() {
        let json = |text| Some(Side::Json(text));
        let entries = [
            entry("a", json("\"same\""), None),
            entry("b", json("80"), json("443")),
            entry("c", None, json("\"same\"")),
            entry("d", json("true"), None),
            entry("e", None, json("true")),
        ];
        let rows = rows(entries, &Moves::default());
        let side = Side::Json;
        assert_eq!(
            rows,
            [
                Row::Moved("a".to_owned(), "c".to_owned(), "\"same\""),
                Row::Changed("b".to_owned(), side("80"), side("443")),
                Row::Removed("d".to_owned(), side("true")),
                Row::Added("e".to_owned(), side("true")),
            ]
        );
    }

    #[test]
    fn what_may_have_moved_to_either_of_two_has_not() {
        let same = Some(Side::Json("\"same\""));
        let all = rows(
            [
                entry("a", same, None),
                entry("b", None, same),
                entry("c", None, same),
            ],
            &Moves::default(),
        );
        assert!(
            matches!(&*all, [Row::Removed(..), Row::Added(..), Row::Added(..)]),
            "{all:?}"
        );
        // Nobody may learn that two hidden values are equal.
        let all = rows(
            [
                entry("a", Some(Side::Hidden), None),
                entry("b", None, Some(Side::Hidden)),
            ],
            &Moves::default(),
        );
        assert!(
            matches!(&*all, [Row::Removed(..), Row::Added(..)]),
            "{all:?}"
        );
    }

    #[derive(Resource)]
    #[resource(type_name = "example_record", version = 1)]
    #[upgrade_from(0, model = RecordV0, rename(open => public, weight => policy.weight), null_if(policy.weight, -1))]
    struct Record {
        policy: Option<Vec<Policy>>,
        public: Option<bool>,
    }

    #[derive(Object)]
    struct Policy {
        weight: i64,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_record", version = 0, prior)]
    struct RecordV0 {
        open: Option<bool>,
        weight: Option<i64>,
    }

    #[test]
    fn an_empty_list_beside_a_moved_value_has_a_row() {
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        let moves = Moves {
            pairs: vec![pair("weight", "policy.weight"), pair("x", "policy.inner.x")],
        };
        let json = |text| Some(Side::Json(text));
        let block = r#"[{"inner":[],"weight":0}]"#;
        let all = rows(
            [
                entry("policy", None, json(block)),
                entry("weight", json("0"), None),
            ],
            &moves,
        );
        assert!(
            all.contains(&Row::Added("policy[0].inner".to_owned(), Side::Json("[]"))),
            "{all:?}"
        );
    }

    #[test]
    fn a_value_that_an_upgrader_moves_is_one_row_however_small_it_is() {
        let json = |text| Some(Side::Json(text));
        let up = [
            entry("open", json("true"), None),
            entry(
                "policy",
                None,
                json(r#"[{"name":"blue","note":null,"weight":0}]"#),
            ),
            entry("public", None, json("true")),
            entry("size", json("0"), None),
            entry("total", None, json("0")),
            entry("weight", json("0"), None),
        ];
        let back = up.clone().map(|one| Entry {
            before: one.after,
            after: one.before,
            ..one
        });
        let moved = |from: &str, to: &str, json| Row::Moved(from.to_owned(), to.to_owned(), json);
        assert_eq!(
            rows(up, &Moves::between(Record::DEFINITION, 0, 1)),
            [
                moved("open", "public", "true"),
                Row::Added("policy[0].name".to_owned(), Side::Json("\"blue\"")),
                Row::Removed("size".to_owned(), Side::Json("0")),
                Row::Added("total".to_owned(), Side::Json("0")),
                moved("weight", "policy[0].weight", "0"),
            ]
        );
        assert_eq!(
            rows(back, &Moves::between(Record::DEFINITION, 1, 0)),
            [
                Row::Removed("policy[0].name".to_owned(), Side::Json("\"blue\"")),
                moved("policy[0].weight", "weight", "0"),
                moved("public", "open", "true"),
                Row::Added("size".to_owned(), Side::Json("0")),
                Row::Removed("total".to_owned(), Side::Json("0")),
            ]
        );
    }

    #[test]
    fn a_value_that_an_upgrader_may_have_moved_stays_whole_where_it_has_not() {
        let deep = format!("{}0{}", "[".repeat(100_000), "]".repeat(100_000));
        let moves = Moves::between(Record::DEFINITION, 0, 1);
        let (json, hidden) = (|text| Some(Side::Json(text)), Some(Side::Hidden));
        for (before, after) in [
            (json("0"), json(r#"[{"name":0}]"#)),
            (json("0"), json(deep.as_str())),
            (json("0"), hidden),
            (hidden, hidden),
        ] {
            let all = rows(
                [entry("policy", None, after), entry("weight", before, None)],
                &moves,
            );
            let (Some(before), Some(after)) = (before, after) else {
                continue;
            };
            assert_eq!(
                all,
                [
                    Row::Added("policy".to_owned(), after),
                    Row::Removed("weight".to_owned(), before)
                ]
            );
        }
        assert_eq!(place("a.b[1].c[0]"), Some(("a.b.c".to_owned(), vec![1])));
        assert_eq!((place("a[\"b.c\"]"), place("a[…].b")), (None, None));
    }

    #[test]
    fn a_value_that_is_another_one_where_an_upgrader_takes_it_is_one_row() {
        let (json, side) = (|text| Some(Side::Json(text)), Side::Json);
        let converted = |from: &str, to: &str, before, after| {
            Row::Converted(from.to_owned(), to.to_owned(), before, after)
        };
        let up = [
            entry("open", json("true"), None),
            entry("policy", None, json(r#"[{"name":"blue","weight":7}]"#)),
            entry("public", None, Some(Side::Hidden)),
            entry("weight", json("0"), None),
        ];
        assert_eq!(
            rows(up, &Moves::between(Record::DEFINITION, 0, 1)),
            [
                converted("open", "public", side("true"), Side::Hidden),
                Row::Added("policy[0].name".to_owned(), side("\"blue\"")),
                converted("weight", "policy[0].weight", side("0"), side("7")),
            ]
        );
        // Of two values that may have come there, it is the equal one; of two places, it may be
        // either.
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        let moves = Moves {
            pairs: vec![pair("a", "c"), pair("b", "c")],
        };
        let all = rows(
            [
                entry("a", json("1"), None),
                entry("b", json("2"), None),
                entry("c", None, json("2")),
            ],
            &moves,
        );
        assert_eq!(
            all,
            [
                Row::Removed("a".to_owned(), side("1")),
                Row::Moved("b".to_owned(), "c".to_owned(), "2")
            ]
        );
        let all = rows(
            [
                entry("a", json("1"), None),
                entry("b", json("2"), None),
                entry("c", None, json("3")),
            ],
            &moves,
        );
        assert!(
            matches!(&*all, [Row::Removed(..), Row::Removed(..), Row::Added(..)]),
            "{all:?}"
        );
        let moves = Moves {
            pairs: vec![pair("a", "b"), pair("a", "c")],
        };
        let all = rows(
            [
                entry("a", json("1"), None),
                entry("b", None, json("2")),
                entry("c", None, json("3")),
            ],
            &moves,
        );
        assert!(
            matches!(&*all, [Row::Removed(..), Row::Added(..), Row::Added(..)]),
            "{all:?}"
        );
        // Nobody may learn whether two hidden values are equal.
        let moves = Moves {
            pairs: vec![pair("a", "b")],
        };
        let all = rows(
            [
                entry("a", Some(Side::Hidden), None),
                entry("b", None, Some(Side::Hidden)),
            ],
            &moves,
        );
        assert_eq!(all, [converted("a", "b", Side::Hidden, Side::Hidden)]);
    }

    fn drawn(before: Option<&str>, after: Option<&str>) -> Option<Vec<String>> {
        let lines = lines(before, after)?
            .into_iter()
            .map(|line| match line.mark {
                Mark::Same => format!("  {}", line.text),
                Mark::Removed => format!("- {}", line.text),
                Mark::Added => format!("+ {}", line.text),
                Mark::Skipped(number) => format!("… {number}"),
            });
        Some(lines.collect())
    }

    #[test]
    fn nested_values_are_lines_of_which_the_different_ones_are_marked() {
        let before = r#"{"name":"a","tags":{"b":1,"a":[]},"size":10,"one":1,"two":2,"three":3}"#;
        let after = r#"{"name":"a","tags":{"b":1.50,"a":[]},"size":10,"one":1,"two":2,"three":3}"#;
        assert_eq!(
            drawn(Some(before), Some(after)).unwrap(),
            [
                "… 1",
                "    name: \"a\"",
                "    tags: {",
                "-     b: 1",
                "+     b: 1.50",
                "      a: []",
                "    }",
                "… 5"
            ]
        );
        assert_eq!(
            drawn(None, Some(r#"[{"title":"x","text":"{not an object}"}]"#)).unwrap(),
            [
                "+ [",
                "+   {",
                "+     title: \"x\"",
                "+     text: \"{not an object}\"",
                "+   }",
                "+ ]"
            ]
        );
        assert_eq!(
            drawn(Some("\"long long long long long long long\""), Some("1")),
            None
        );
        let (object, list) = (
            r#"{"title":"x","text":"long enough to be drawn"}"#,
            r#"[{"title":"y","text":"long enough to be drawn"}]"#,
        );
        let unwrapped = [
            "- [",
            "    {",
            "-     title: \"y\"",
            "+     title: \"x\"",
            "      text: \"long enough to be drawn\"",
            "    }",
            "- ]",
        ];
        assert_eq!(drawn(Some(list), Some(object)).unwrap(), unwrapped);
        assert_eq!(drawn(Some("[1,2]"), Some("[1,2,3]")), None);
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(drawn(Some(&deep), None), None);
        assert_eq!(depth("[\"]\\\"[[[\",[{}]]"), 3);
    }

    #[test]
    fn long_lines_that_begin_alike_are_cut_around_their_difference() {
        let key = "AAAAB3NzaC1yc2E".repeat(30);
        let value = |name: &str, end: &str| {
            format!(r#"{{"size":1,"{name}":"{key}{end}","other":"{key}"}}"#)
        };
        let all = lines(Some(&value("key", "old")), Some(&value("key", "new"))).unwrap();
        let shown: Vec<String> = line_windows(&all, 40)
            .iter()
            .map(|(name, window)| format!("{name}{}", text(window)))
            .collect();
        let (same, beginning) = (&key[key.len() - 8..], &key[..30]);
        assert_eq!(
            shown,
            [
                "{[]".to_owned(),
                "  size: 1[]".to_owned(),
                format!("  key: …{same}[old]\""),
                format!("  key: …{same}[new]\""),
                format!("  other: \"{beginning}[]…"),
                "}[]".to_owned(),
            ]
        );
        // Lines whose beginnings differ are cut at their ends, because that is enough to tell them
        // apart.
        let all = lines(Some(&value("key", "")), Some(&value("name", ""))).unwrap();
        assert!(
            line_windows(&all, 40)
                .iter()
                .all(|(name, window)| name.is_empty() && !window.cut_before),
            "{all:?}"
        );
        // No line is without its window, at any width.
        for width in [0, 1, usize::MAX] {
            let all = lines(Some(&value("key", "old")), Some(&value("key", "new"))).unwrap();
            assert_eq!(line_windows(&all, width).len(), all.len(), "{width}");
        }
        let whole = line_windows(&all, usize::MAX);
        assert!(
            whole
                .iter()
                .all(|(name, window)| name.is_empty() && !window.is_cut()),
            "{whole:?}"
        );
    }

    #[test]
    fn a_value_alone_is_shown_from_its_beginning() {
        assert_eq!(text(&Window::of("abcdef", 4)), "abcd[]…");
        assert_eq!(text(&Window::of("abcd", 4)), "abcd[]");
    }
}
