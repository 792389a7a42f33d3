//! The layout of a file that `toml_edit` does not keep: dotted keys of one table with others
//! between them, blanks around their dots, the end of the last line.
//!
//! What it makes of the unchanged document is the base of two changes: the file's own text, and the
//! edited document. They are put together line by line, and the edited text is taken as it is where
//! that would not hold the same values and the same lines.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::{memchr, memchr_iter};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};
use toml_edit::DocumentMut;

use super::read::read;
use crate::document::edits::is_same;
use crate::document::tree::{Numbers, Tree};

/// A line by what `toml_edit` does with it where nothing is edited.
#[derive(PartialEq, Eq)]
enum Line {
    /// Nothing, a comment, or an entry whose key is one word and whose value begins there: it stays
    /// as it is.
    Entry,
    /// A header without blanks, or the rest of a value. It stays, too.
    Other,
    /// It may be written otherwise: dots in keys, blanks in headers, tables in one line.
    Odd,
}

impl Line {
    fn of(line: &[u8]) -> Self {
        let is_bare = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let line = line.trim_ascii_start();
        if let None | Some(b'#') = line.first() {
            return Self::Entry;
        }
        if line.first() == Some(&b'[') {
            let length = line
                .iter()
                .take_while(|byte| is_bare(byte) || matches!(byte, b'.' | b'[' | b']'))
                .count();
            let behind = line.get(length..).unwrap_or_default().trim_ascii_start();
            return if let None | Some(b'#') = behind.first() {
                Self::Other
            } else {
                Self::Odd
            };
        }
        let key = line.iter().take_while(|byte| is_bare(byte)).count();
        let behind = line.get(key..).unwrap_or_default().trim_ascii_start();
        match behind.split_first() {
            Some((b'=', value)) if key > 0 && !value.contains(&b'{') => Self::Entry,
            _ if line.iter().any(|byte| matches!(byte, b'=' | b'{' | b'[')) => Self::Odd,
            _ => Self::Other,
        }
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    let ends = memchr_iter(b'\n', text).chain([text.len()]);
    ends.map(move |end| {
        let line = text.get(start..end).unwrap_or_default();
        start = end + 1;
        line
    })
}

/// True for a document that `toml_edit` may write otherwise though nothing is edited.
pub(super) fn is_odd(text: &str) -> bool {
    memchr(b'\r', text.as_bytes()).is_some()
        || !text.ends_with('\n')
        || lines(text.as_bytes()).any(|line| Line::of(line) == Line::Odd)
}

/// True if the edited text is the stored one but for entries, which have no layout that is lost.
fn differs_in_entries(stored: &str, edited: &str) -> bool {
    // Not line by line, because most of a document is behind the last edit.
    const MANY: usize = 64;
    let [stored, edited] = [stored, edited].map(str::as_bytes);
    let same: usize = stored
        .rchunks(MANY)
        .zip(edited.rchunks(MANY))
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one.len())
        .sum();
    let [stored, edited] = [stored, edited].map(|text| {
        let (changed, rest) = text.split_at(text.len() - same);
        let line = memchr(b'\n', rest).unwrap_or(rest.len());
        let changed = text.get(..changed.len() + line).unwrap_or(text);
        lines(changed).filter(|line| Line::of(line) != Line::Entry)
    });
    stored.eq(edited)
}

/// The edited text in the layout of the `stored` one, which is `written` where nothing is edited;
/// for a plain document that is found out where it matters.
pub(super) fn restored(stored: &str, written: Option<String>, edited: String) -> String {
    let written = match written {
        Some(written) => written,
        None if differs_in_entries(stored, &edited) => return edited,
        None => stored.parse().map_or_else(
            |_| stored.to_owned(),
            |document: DocumentMut| document.to_string(),
        ),
    };
    if stored == written {
        return edited;
    }
    let end = if stored.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        // Otherwise what comes behind it would come into the last line.
        if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
            *last += end;
        }
        lines
    };
    let merged = merged(&lines(&written), &lines(stored), &lines(&edited));
    let merged = if is_sound(&merged, &edited) {
        merged
    } else {
        edited
    };
    // A line that `toml_edit` moved would stay there beside an edited one, because hunks that touch
    // are taken whole.
    let merged = in_order_of(&lines(stored), &lines(&written), &lines(&merged))
        .filter(|ordered| is_sound(ordered, &merged))
        .unwrap_or(merged);
    // A line beside an edited one may be as `toml_edit` writes it, for the same reason.
    let merged = spaced_as_stored(&lines(stored), &lines(&written), &lines(&merged))
        .filter(|spaced| is_sound(spaced, &merged))
        .unwrap_or(merged);
    match merged.strip_suffix('\n') {
        Some(text) if !stored.ends_with('\n') => text.strip_suffix('\r').unwrap_or(text).to_owned(),
        Some(_) | None => merged,
    }
}

/// True if both hold the same values, and the same lines but for blanks.
fn is_sound(merged: &str, edited: &str) -> bool {
    let counted = |text: &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for line in text
            .lines()
            .map(without_blanks)
            .filter(|line| !line.is_empty())
        {
            *counts.entry(line).or_default() += 1;
        }
        counts
    };
    let json = |text: &str| {
        read(text.as_bytes())
            .ok()
            .map(|(json, _)| String::from_utf8_lossy(&json).into_owned())
    };
    let (Some(one), Some(other)) = (json(merged), json(edited)) else {
        return false;
    };
    let (Ok(one), Ok(other)) = (Tree::parse(&one), Tree::parse(&other)) else {
        return false;
    };
    is_same(&one, &other, None, Numbers::Equal) && counted(merged) == counted(edited)
}

/// The lines with those that the edit left in place, in the order in which they are stored; `None`
/// if they are.
fn in_order_of(stored: &[String], written: &[String], lines: &[String]) -> Option<String> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, line) in stored
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        places.entry(line).or_default().push(place);
    }
    let operations = capture_diff_slices(Algorithm::Myers, written, lines);
    let left = operations
        .iter()
        .filter(|operation| operation.tag() == DiffTag::Equal)
        .flat_map(DiffOp::new_range);
    // A line that is stored twice has no place of its own.
    let kept = left.filter_map(
        |place| match places.get(lines.get(place)?.as_str())?.as_slice() {
            [at] => Some((*at, place)),
            _ => None,
        },
    );
    let mut kept: Vec<(usize, usize)> = kept.collect();
    let slots: Vec<usize> = kept.iter().map(|(_, place)| *place).collect();
    kept.sort_unstable();
    if kept.iter().map(|(_, place)| place).eq(&slots) {
        return None;
    }
    let mut ordered: Vec<&String> = lines.iter().collect();
    for (slot, (_, place)) in slots.iter().zip(&kept) {
        if let (Some(slot), Some(line)) = (ordered.get_mut(*slot), lines.get(*place)) {
            *slot = line;
        }
    }
    Some(ordered.into_iter().map(String::as_str).collect())
}

/// The lines, of which those that the edit left have the blanks of the stored ones; `None` if they
/// have these.
fn spaced_as_stored(stored: &[String], written: &[String], lines: &[String]) -> Option<String> {
    let (stored, written) = (single_lines(stored), single_lines(written));
    let mut text = String::new();
    for line in lines {
        let key = without_blanks(line);
        let own = match (stored.get(&key), written.get(&key)) {
            (Some(Some(own)), Some(Some(base))) if *base == line.as_str() => *own,
            (Some(_) | None, _) => line.as_str(),
        };
        text += own;
    }
    (text != lines.concat()).then_some(text)
}

/// The lines by what they are without blanks; nothing for one that is there more than once, which
/// has no place of its own.
fn single_lines(lines: &[String]) -> BTreeMap<String, Option<&str>> {
    let mut found = BTreeMap::new();
    for line in lines {
        found
            .entry(without_blanks(line))
            .and_modify(|single| *single = None)
            .or_insert(Some(line.as_str()));
    }
    found
}

fn without_blanks(line: &str) -> String {
    line.split_whitespace().collect()
}

/// A change of some lines of the base.
#[derive(Clone)]
struct Hunk {
    base: Range<usize>,
    new: Range<usize>,
}

fn hunks(base: &[String], new: &[String]) -> Vec<Hunk> {
    let operations = capture_diff_slices(Algorithm::Myers, base, new);
    let changed = operations
        .iter()
        .filter(|operation| operation.tag() != DiffTag::Equal);
    changed
        .map(|operation| Hunk {
            base: operation.old_range(),
            new: operation.new_range(),
        })
        .collect()
}

/// The base with both changes; where they are of the same lines, the edit counts.
fn merged(base: &[String], stored: &[String], edited: &[String]) -> String {
    let (own, edits) = (hunks(base, stored), hunks(base, edited));
    let (mut own, mut edits) = (own.into_iter().peekable(), edits.into_iter().peekable());
    let (mut text, mut at) = (String::new(), 0);
    let mut put = |lines: Option<&[String]>| {
        lines
            .unwrap_or_default()
            .iter()
            .for_each(|line| text += line);
    };
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
            if let Some(hunk) =
                own.next_if(|hunk| hunk.base.start < end || hunk.base.start == start)
            {
                end = end.max(hunk.base.end);
                mine.push(hunk);
            } else if let Some(hunk) =
                edits.next_if(|hunk| hunk.base.start < end || hunk.base.start == start)
            {
                end = end.max(hunk.base.end);
                theirs.push(hunk);
            } else {
                break;
            }
        }
        let is_added = |hunk: &Hunk| hunk.base.is_empty();
        let (side, hunks, others) = if theirs.is_empty() {
            (stored, &mine, &[][..])
        } else {
            (edited, &theirs, &mine[..])
        };
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINES: [&str; 34] = [
        "",
        "  \t",
        "# a = {",
        "\t#",
        "a = 1",
        "b=0x1F # c",
        " c\t=  'it = is' ",
        "d = \"\"\"",
        "x = 1 \\",
        "\"\"\"",
        "'''",
        "e = '''y",
        "f = [",
        "  1, # one",
        "\t2",
        "  ,]",
        "]",
        "g = [ 1,2 , 3 ]",
        "[h]",
        "  [i]",
        "[h.j]",
        "[h.j.k] # l",
        "[[m]]",
        " [[m.n]]\t",
        "[o.p.q]",
        "[o]",
        "r = 1979-05-27T07:32:00Z",
        "s = +1_0.5e1",
        "t.u = 1",
        "v . w = 2",
        "[ x . y ]",
        "z = { a . b = 1 }",
        "\"k.l\" = 1",
        "t.z = 3",
    ];

    /// A quarter of those that `.ci/full` tries with a new seed.
    fn cases() -> u32 {
        std::env::var("PROPTEST_CASES")
            .ok()
            .and_then(|cases| cases.parse().ok())
            .unwrap_or(5_000)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases()))]

        #[test]
        fn a_text_that_is_not_odd_is_written_as_it_is(lines in proptest::collection::vec(0..LINES.len(), 0..9)) {
            let text = lines.iter().filter_map(|line| LINES.get(*line)).fold(String::new(), |text, line| text + line + "\n");
            if let Ok(document) = text.parse::<DocumentMut>() {
                prop_assert!(is_odd(&text) || document.to_string() == text, "{text}");
            }
        }
    }

    #[test]
    fn lines_that_an_edit_moves_beside_it_return() {
        let stored = "a.b.c = 1\n\na.d = 2\na.b.e = 3\nold = 1\nz = 1\n";
        let written = stored.parse::<DocumentMut>().unwrap().to_string();
        assert_ne!(stored, written);
        let edited = written.replace("old = 1\n", "");
        let restored = restored(stored, None, edited);
        assert_eq!(
            restored.replace('\n', " ").replace("  ", " "),
            "a.b.c = 1 a.d = 2 a.b.e = 3 z = 1 "
        );
    }

    #[test]
    fn a_comment_goes_with_the_member_that_an_edit_moves() {
        let stored = "a.b.c = 1\na.d = 2\na.b.e = 3\n# of x\nx = 1\n\n[new]\ny = 2\n";
        let written = stored.parse::<DocumentMut>().unwrap().to_string();
        let edited = written.replace("# of x\nx = 1\n", "") + "# of x\nz = 1\n";
        let restored = restored(stored, None, edited);
        assert!(
            restored.ends_with("[new]\ny = 2\n# of x\nz = 1\n"),
            "{restored}"
        );
    }

    #[test]
    fn blanks_around_a_dot_stay_beside_an_edit() {
        let stored = "labels.\"a.b\" = 'c'\nlabels . '#' = 'd'\n";
        let written = stored.parse::<DocumentMut>().unwrap().to_string();
        let (first, second) = written.split_once('\n').unwrap();
        assert_ne!(second, "labels . '#' = 'd'\n");
        let edited = format!("{first}\nlevel = 3\n{second}");
        assert_eq!(
            restored(stored, None, edited),
            "labels.\"a.b\" = 'c'\nlevel = 3\nlabels . '#' = 'd'\n"
        );
    }

    #[test]
    fn few_texts_are_odd() {
        let plain = "# c\n\na = 1 # d\nb = [\n  1,\n]\n\n[c]\nd = 'e'\n\n[[f.g]]\nh = \"\"\n";
        assert!(!is_odd(plain));
        for odd in [
            "a.b = 1\n",
            "[ a ]\n",
            "a = { b = 1 }\n",
            "a = 1",
            "a = 1\r\n",
            "\"a.b\" = 1\n",
            "a = [\n  { b = 1 }\n]\n",
        ] {
            assert!(is_odd(odd), "{odd}");
        }
        assert!(differs_in_entries(
            plain,
            &plain
                .replace("a = 1 # d", "z = 2")
                .replace("h = \"\"\n", "")
        ));
        assert!(!differs_in_entries(plain, &plain.replace("[c]", "[d]")));
        assert!(!differs_in_entries(plain, &(plain.to_owned() + "[i]\n")));
    }
}
