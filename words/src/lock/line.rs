//! The lines of a lock, one after another.

use std::fmt;
use std::iter::Enumerate;
use std::ops::RangeInclusive;
use std::str;

/// The name of the file.
pub const FILE_NAME: &str = "upstate.lock";
/// The formats that are read; the last is the latest that is written. The second has entries
/// without versions, too: of what a provider serves and nothing stores. The third knows which
/// fields take only strings or numbers of one form.
pub const FORMATS: [u64; 3] = [1, 2, KNOWS_FORMS];
/// The first format whose entries know the forms, unless one says `@forms = false`.
pub const KNOWS_FORMS: u64 = 3;
/// The largest number of versions of one entry: as many as a model may support.
pub const MOST_VERSIONS: u64 = 65_536;
/// The problem of a file that is not a lock.
pub const BEGINNING: &str = "a lock begins with `upstate-lock 1`; restore it from the repository";

/// A line that says something.
#[derive(Debug)]
pub enum Line<'l> {
    /// A release, and what follows it: `1.4.0 2026-01-31`.
    Release(&'l str),
    /// The beginning of an entry.
    Header(Header<'l>),
    /// A fact of the entry as a whole, `@name`, as JSON.
    Fact(&'l str, &'l str),
    /// An attribute or block of the entry.
    Member {
        /// Its path.
        path: &'l str,
        /// Its stored form.
        stored: &'l str,
        /// Its facts, a JSON object; empty without any.
        facts: &'l str,
    },
    /// An enum or a map whose members are stored beside those of the object that holds it; only in
    /// documents.
    Flattened {
        /// The path of that object; empty for the document itself.
        path: &'l str,
        /// Its stored form, with null if nothing of it need be there.
        stored: &'l str,
        /// Its facts, a JSON object; empty without any.
        facts: &'l str,
    },
}

/// The last step of the path of a [`Line::Flattened`]. The name of a member would be between
/// quotation marks.
pub const FLATTENED: &str = "*";

/// Among the other names that are read, all names that an enum does not know: it has a variant for
/// them.
pub const OTHERS: &str = "*";

/// The first line of an entry.
#[derive(Debug)]
pub struct Header<'l> {
    /// The type name and versions between the brackets.
    pub key: &'l str,
    /// The type name.
    pub type_name: &'l str,
    /// True if it names versions: what nothing stores has none.
    pub has_version: bool,
    /// The versions that share the entry.
    pub versions: RangeInclusive<u64>,
    /// The fingerprint of its lines.
    pub fingerprint: u64,
    /// The place of the entry in the history of the program.
    pub status: Status<'l>,
}

/// The place of an entry in the history of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status<'l> {
    /// No release wrote it yet.
    Unreleased,
    /// Released; the first release, if it is known.
    Released(Option<&'l str>),
}

/// A line that a lock cannot have.
#[derive(Debug, PartialEq, Eq)]
pub enum Problem<'l> {
    /// The format is none of [`FORMATS`].
    Format(&'l str),
    /// The mark of a merge.
    Merge,
    /// A line before that of the format.
    Beginning,
    /// Not the header of an entry.
    Header(&'l str),
    /// The first version of an entry is above its last one.
    Order(u64, u64),
    /// More versions than [`MOST_VERSIONS`].
    Versions(u64, u64),
    /// A line of an entry without ` = `.
    Member(&'l str),
    /// A line before the first entry.
    Entry(&'l str),
}

impl fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(format) => {
                let [first, second, third] = FORMATS;
                let known = format_args!("{first}, {second} and {third}");
                write!(
                    f,
                    "the format of this lock is {format}, and this upstate reads {known}: update upstate"
                )
            }
            Self::Merge => f.write_str(
                "a merge was not finished here: `lock --resolve` puts both sides together",
            ),
            Self::Beginning => f.write_str(BEGINNING),
            Self::Header(line) => {
                write!(
                    f,
                    "expected `[type version] fingerprint released …`, found `{}`",
                    shortened(line)
                )
            }
            Self::Order(first, last) => write!(f, "there is no version from {first} to {last}"),
            Self::Versions(first, last) => write!(
                f,
                "versions {first} to {last} are more than {MOST_VERSIONS}"
            ),
            Self::Member(line) => write!(
                f,
                "expected `path = stored form`, found `{}`",
                shortened(line)
            ),
            Self::Entry(line) => write!(
                f,
                "expected an entry such as `[example_thing 2] …`, found `{}`",
                shortened(line)
            ),
        }
    }
}

/// The end of a stored form. Facts begin at the first ` {` that is not in a name, because names are
/// between quotation marks.
fn end_of_stored(rest: &str) -> usize {
    let (mut is_name, mut is_escaped) = (false, false);
    let mut bytes = rest.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_name,
            b'"' => is_name = !is_name,
            b' ' if !is_name && bytes.peek().is_some_and(|(_, next)| *next == b'{') => return at,
            _ => {}
        }
    }
    rest.len()
}

/// As much of a line as a message quotes.
fn shortened(line: &str) -> String {
    line.chars().take(40).collect()
}

/// The lines of a lock, each with its number from 1.
#[derive(Debug)]
pub struct Lines<'l> {
    rest: Enumerate<str::Lines<'l>>,
    format: Option<u64>,
    has_entry: bool,
}

impl<'l> Lines<'l> {
    /// The lines of this text.
    pub fn of(text: &'l str) -> Self {
        // Some editors put a mark before the first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            rest: text.lines().enumerate(),
            format: None,
            has_entry: false,
        }
    }

    /// The format, once its line was read. A lock that a failed write or merge has emptied has
    /// none.
    pub fn format(&self) -> Option<u64> {
        self.format
    }

    fn line(&mut self, line: &'l str) -> Result<Option<Line<'l>>, Problem<'l>> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        if line.starts_with("<<<<<<<") || line.starts_with("=======") || line.starts_with(">>>>>>>")
        {
            return Err(Problem::Merge);
        }
        // Attributes may have these names, so that what follows decides.
        let after = |word: &str| {
            line.strip_prefix(word)
                .filter(|rest| !rest.starts_with("= "))
        };
        if let Some(format) = after("upstate-lock ") {
            let is_it = |known: &u64| format == known.to_string();
            self.format = Some(
                FORMATS
                    .into_iter()
                    .find(is_it)
                    .ok_or(Problem::Format(format))?,
            );
            return Ok(None);
        }
        if self.format.is_none() {
            return Err(Problem::Beginning);
        }
        if let Some(release) = after("release ") {
            return Ok(Some(Line::Release(release)));
        }
        if line.starts_with('[') {
            self.has_entry = true;
            return Header::read(line).map(|header| Some(Line::Header(header)));
        }
        if !self.has_entry {
            return Err(Problem::Entry(line));
        }
        let (path, rest) = line.split_once(" = ").ok_or(Problem::Member(line))?;
        if let Some(name) = path.strip_prefix('@') {
            return Ok(Some(Line::Fact(name, rest)));
        }
        let (stored, facts) = rest
            .split_at_checked(end_of_stored(rest))
            .unwrap_or((rest, ""));
        let facts = facts.trim_start();
        Ok(Some(match path.strip_suffix(FLATTENED) {
            Some("") => Line::Flattened {
                path: "",
                stored,
                facts,
            },
            Some(above) if above.ends_with('.') => Line::Flattened {
                path: above.trim_end_matches('.'),
                stored,
                facts,
            },
            Some(_) | None => Line::Member {
                path,
                stored,
                facts,
            },
        }))
    }
}

impl<'l> Iterator for Lines<'l> {
    type Item = (usize, Result<Line<'l>, Problem<'l>>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (index, line) = self.rest.next()?;
            if let Some(line) = self.line(line.trim_end()).transpose() {
                return Some((index + 1, line));
            }
        }
    }
}

impl<'l> Header<'l> {
    fn read(line: &'l str) -> Result<Self, Problem<'l>> {
        Self::parts(line)
            .ok_or(Problem::Header(line))
            .and_then(
                |header| match (*header.versions.start(), *header.versions.end()) {
                    (first, last) if first > last => Err(Problem::Order(first, last)),
                    (first, last) if last - first >= MOST_VERSIONS => {
                        Err(Problem::Versions(first, last))
                    }
                    _ => Ok(header),
                },
            )
    }

    fn parts(line: &'l str) -> Option<Self> {
        // The last one, because a document's type name may be any string.
        let (key, rest) = line.strip_prefix('[')?.rsplit_once("] ")?;
        let (type_name, version) = key.rsplit_once(' ').unwrap_or((key, "0"));
        let (first, last) = version.split_once("..=").unwrap_or((version, version));
        let mut words = rest.split(' ');
        let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        let fingerprint = words
            .next()
            .filter(|word| word.len() == 16 && word.bytes().all(is_digit))?;
        let status = match (words.next()?, words.next(), words.next()) {
            ("unreleased", None, None) => Status::Unreleased,
            ("released", None, None) => Status::Released(None),
            ("released", Some(release), None) if is_release(release) => {
                Status::Released(Some(release))
            }
            _ => return None,
        };
        Some(Self {
            key,
            type_name,
            has_version: type_name != key,
            versions: first.parse().ok()?..=last.parse().ok()?,
            fingerprint: u64::from_str_radix(fingerprint, 16).ok()?,
            status,
        })
    }
}

/// True if this begins as a release number does; the library of the lock reads the whole.
fn is_release(text: &str) -> bool {
    text.strip_prefix('v')
        .unwrap_or(text)
        .starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_order_and_comments_are_not() {
        let text = "\u{feff}# A comment.\nupstate-lock 2\nrelease 1.0.0 2026-01-31\n\n[a 1..=3] 00000000000000ff released 1.0.0\n\
            @alternatives = [\"0a\"]\nid = \"string\" null {\"computed\":true}\nport = \"number\"\n\
            * = \"json\"\nid.* = \"json\" null {\"optional\":true}\n[data.a] 0000000000000001 unreleased\n";
        let mut lines = Lines::of(text);
        let shown: Vec<String> = lines
            .by_ref()
            .map(|(number, line)| format!("{number} {:?}", line.unwrap()))
            .collect();
        assert_eq!(shown[0], "3 Release(\"1.0.0 2026-01-31\")");
        assert!(
            shown[1].starts_with("5 Header(")
                && shown[1].contains("versions: 1..=3, fingerprint: 255"),
            "{}",
            shown[1]
        );
        assert_eq!(shown[2], "6 Fact(\"alternatives\", \"[\\\"0a\\\"]\")");
        let member = "Member { path: \"id\", stored: \"\\\"string\\\" null\", facts: \"{\\\"computed\\\":true}\" }";
        assert_eq!(shown[3], format!("7 {member}"));
        assert!(
            shown[4].ends_with("facts: \"\" }") && shown[7].contains("has_version: false"),
            "{shown:?}"
        );
        assert_eq!(
            shown[5],
            r#"9 Flattened { path: "", stored: "\"json\"", facts: "" }"#
        );
        assert_eq!(
            shown[6],
            r#"10 Flattened { path: "id", stored: "\"json\" null", facts: "{\"optional\":true}" }"#
        );
        assert_eq!(lines.format(), Some(2));
    }

    #[test]
    fn a_type_name_may_have_brackets() {
        let text = "upstate-lock 3\n[a] [b 3] 00000000000000ff released 1.0.0\n";
        let found = Lines::of(text).find_map(|(_, line)| match line.unwrap() {
            Line::Header(header) => Some((header.type_name, header.versions)),
            Line::Release(_) | Line::Fact(..) | Line::Member { .. } | Line::Flattened { .. } => {
                None
            }
        });
        assert_eq!(found, Some(("a] [b", 3..=3)));
    }

    #[test]
    fn a_name_may_be_a_word_of_the_lock_or_have_a_brace() {
        let text = "upstate-lock 3\n[a 0] 00000000000000ff released\nrelease = \"string\"\nupstate-lock = \"bool\"\n\
            look = [\"union\",\"external\",[[\"a \\\" {b\",[\"tuple\",[]]]]] null {\"optional\":true}\n";
        let members: Vec<_> = Lines::of(text)
            .filter_map(|(_, line)| match line.unwrap() {
                Line::Member {
                    path,
                    stored,
                    facts,
                } => Some((path, stored, facts)),
                Line::Release(_) | Line::Header(_) | Line::Fact(..) | Line::Flattened { .. } => {
                    None
                }
            })
            .collect();
        let look = (
            "look",
            "[\"union\",\"external\",[[\"a \\\" {b\",[\"tuple\",[]]]]] null",
            "{\"optional\":true}",
        );
        assert_eq!(
            members,
            [
                ("release", "\"string\"", ""),
                ("upstate-lock", "\"bool\"", ""),
                look
            ]
        );
    }

    #[test]
    fn each_line_that_a_lock_cannot_have_is_refused() {
        let refused = |lines: &str| {
            let text = format!("upstate-lock 1\n{lines}");
            let mut problems = Lines::of(&text)
                .filter_map(|(number, line)| Some(format!("line {number}: {}", line.err()?)));
            problems.next().unwrap_or_default()
        };
        let released = "0000000000000001 released";
        for (lines, problem) in [
            (
                "<<<<<<< HEAD".to_owned(),
                "line 2: a merge was not finished here: `lock --resolve`",
            ),
            (
                "[a 0]".to_owned(),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                format!("[a 1..=x] {released}"),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                format!("[a 0] {released} 1.0.0 2.0.0"),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                format!("[a 0] {released} soon"),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                "[a 0] 000000000000000G released".to_owned(),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                format!("[a 5..=0] {released}"),
                "line 2: there is no version from 5 to 0",
            ),
            (
                format!("[a 0..=65536] {released}"),
                "line 2: versions 0 to 65536 are more than 65536",
            ),
            (
                format!("[a 0] {released}\nid"),
                "line 3: expected `path = stored form`, found `id`",
            ),
            (
                "id = \"string\"".to_owned(),
                "line 2: expected an entry such as `[example_thing 2] …`, found `id = ",
            ),
            (
                "upstate-lock 4".to_owned(),
                "line 2: the format of this lock is 4, and this upstate reads 1, 2 and 3",
            ),
        ] {
            assert!(
                refused(&lines).starts_with(problem),
                "{lines}: {}",
                refused(&lines)
            );
        }
        assert_eq!(refused(&format!("[a 0..=65535] {released}")), "");
        let mut lines = Lines::of("# A comment.\n[a 0]");
        assert_eq!(lines.next().unwrap().1.unwrap_err(), Problem::Beginning);
        assert_eq!(lines.format(), None);
    }
}
