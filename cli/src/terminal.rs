//! The output on the terminal, and its look.

use std::fmt::Write as _;
use std::io::Write as _;

use anstyle::{AnsiColor, Style};

use crate::outcome::Outcome;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();

/// Says on standard error why a command could not do its work.
pub(crate) fn fail(message: &str) {
    let _ = writeln!(anstream::stderr(), "{RED}error{RED:#}: {message}");
}

/// Says on standard error what is odd, and no failure.
pub(crate) fn warn(message: &str) {
    let _ = writeln!(anstream::stderr(), "{YELLOW}warning{YELLOW:#}: {message}");
}

/// Says on standard error what somebody asked to know.
pub(crate) fn note(message: &str) {
    let _ = writeln!(anstream::stderr(), "{BOLD}note{BOLD:#}: {message}");
}

/// The reason why a command could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    outcome: Outcome,
    message: String,
}

impl Failure {
    fn of(outcome: Outcome, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { outcome, message }
    }

    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::of(Outcome::Refused, message)
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::of(Outcome::Usage, message)
    }

    pub(crate) fn unreadable(message: impl Into<String>) -> Self {
        Self::of(Outcome::Unreadable, message)
    }

    /// Without the end of its last line, since another program may have written that.
    pub(crate) fn trimmed(mut self) -> Self {
        self.message.truncate(self.message.trim_end().len());
        self
    }

    /// Says it on standard error; the outcome of the command.
    pub(crate) fn say(self) -> Outcome {
        fail(&self.message);
        self.outcome
    }
}

/// The outcome of printing. If nobody reads any more, that is not a failure; if the output can't be
/// written, it is.
pub(crate) fn printed(result: std::io::Result<()>) -> Outcome {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            fail(&format!("cannot write to standard output: {error}"));
            Outcome::Unreadable
        }
        _ => Outcome::Done,
    }
}

pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The width of the terminal that a stream goes to, or of `COLUMNS`; none in a pipe.
pub(crate) fn columns(stream: &impl std::io::IsTerminal) -> Option<usize> {
    let wanted = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    let size = || terminal_size::terminal_size().filter(|_| stream.is_terminal());
    let columns = wanted.or_else(|| size().map(|(width, _)| usize::from(width.0)))?;
    // On less there would be no space beside a path, so that every line would break.
    Some(columns.max(40))
}

/// A name that is cut in its middle, since its beginning and its end say most.
pub(crate) fn middle(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    let left = width.saturating_sub(1);
    let begin: String = name.chars().take(left.div_ceil(2)).collect();
    let end: String = name.chars().skip(length - left / 2).collect();
    format!("{begin}…{end}")
}

/// Lines that are broken at spaces where the terminal ends, and go on four columns further in.
pub(crate) fn wrapped(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else {
        return text.to_owned();
    };
    let indent = |line: &str| line.chars().take_while(|letter| *letter == ' ').count() + 4;
    text.split_inclusive('\n')
        .map(|line| broken(line, columns, indent(line)))
        .collect()
}

/// A line that is broken at spaces where the terminal ends, and goes on at a column.
pub(crate) fn broken(line: &str, columns: usize, indent: usize) -> String {
    if seen(line.trim_end()) <= columns {
        return line.to_owned();
    }
    let words = line.trim_start_matches(' ');
    let mut out = " ".repeat(line.len() - words.len());
    let (mut taken, mut is_first) = (out.len(), true);
    for word in words.trim_end_matches('\n').split_inclusive(' ') {
        if !is_first && taken + seen(word.trim_end()) > columns {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            taken = indent;
        }
        out.push_str(word);
        taken += seen(word);
        is_first = false;
    }
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
    out
}

/// The columns that a line takes: escapes for color take none.
fn seen(text: &str) -> usize {
    let mut is_escape = false;
    let counts = |letter: char| {
        let counted = !is_escape && letter != '\u{1b}' && letter != '\n';
        is_escape = if is_escape {
            letter != 'm'
        } else {
            letter == '\u{1b}'
        };
        counted
    };
    text.chars().map(counts).filter(|counted| *counted).count()
}

/// The name that was most likely meant, if one is near enough.
pub(crate) fn nearest<'n>(given: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let scored = known.map(|name| (strsim::jaro(given, name), name));
    scored
        .filter(|(score, _)| *score > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

/// JSON that means the same, with all that is not seen or would steer a terminal escaped.
pub(crate) fn visible_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        let mut buffer = [0; 4];
        let shown = upstate::path::Printable(character.encode_utf8(&mut buffer)).to_string();
        // A line break is kept, because JSON has it only between values: in strings it is escaped
        // already.
        if character == '\n' || shown.chars().eq([character]) {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// Markdown with strings of a program in it, made safe: it neither controls a terminal nor brings
/// elements into a page. Code between backquotes stays as it is, and so do links.
pub(crate) fn visible_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let line = upstate::path::Printable(line).to_string();
        let mut rest = line.as_str();
        let mut is_code = false;
        while let Some(at) = rest.find(['<', '`']) {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let mut characters = from.chars();
            let sign = characters.next();
            is_code ^= sign == Some('`');
            let begins = |next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?');
            let is_element = sign == Some('<')
                && characters.clone().next().is_some_and(begins)
                && !from.starts_with("<http");
            out.push_str(if is_element && !is_code {
                "&lt;"
            } else {
                from.get(..1).unwrap_or_default()
            });
            rest = characters.as_str();
        }
        out.push_str(rest);
    }
    out
}

/// A longer text is cut: nobody reads on.
const LONGEST: usize = 1_000;

/// A string of the file, made safe for the terminal: it can neither control it nor fill it.
pub(crate) fn plain(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!(
            "{}…",
            upstate::path::Printable(text.get(..end).unwrap_or_default())
        ),
        None => upstate::path::Printable(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces_and_names_cut_in_the_middle() {
        let text = format!("  {RED}error{RED:#}: one two three four\nshort\n");
        assert_eq!(
            wrapped(&text, Some(18)),
            format!("  {RED}error{RED:#}: one two\n      three four\nshort\n")
        );
        assert_eq!(wrapped(&text, None), text);
        assert_eq!(middle("azurerm_storage_account", 11), "azure…count");
        assert_eq!(middle("azurerm", 7), "azurerm");
    }

    #[test]
    fn strings_in_a_guide_steer_no_terminal_and_make_no_elements() {
        let text = "- `Vec<u8>` <https://example.com>\n  a\u{1b}[2J\u{0}\u{202e}b <script>x</script> 1 < 2";
        let expected = "- `Vec<u8>` <https://example.com>\n  a\\u{1b}[2J\\u{0}\\u{202e}b &lt;script>x&lt;/script> 1 < 2";
        assert_eq!(visible_markdown(text), expected);
    }
}
