//! The output on the terminal, and its look.

use std::fmt::Write as _;
use std::io::Write as _;

use anstyle::{AnsiColor, Style};

use crate::Outcome;

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

/// The outcome of printing. If nobody reads any more, that is not a failure; if the output can't be written, it is.
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

/// The name that was most likely meant, if one is near enough.
pub(crate) fn nearest<'n>(given: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let scored = known.map(|name| (strsim::jaro(given, name), name));
    scored.filter(|(score, _)| *score > 0.8).max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, name)| name)
}

/// JSON that means the same, with all that is not seen or would steer a terminal escaped.
pub(crate) fn visible_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        let mut buffer = [0; 4];
        let shown = upstate::path::Printable(character.encode_utf8(&mut buffer)).to_string();
        // Line breaks stand between the values.
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

/// Markdown with strings of a program in it, made safe: it neither controls a terminal nor brings elements into a page. Code between backquotes stays
/// as it is, and so do links.
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
            let is_element = sign == Some('<') && characters.clone().next().is_some_and(begins) && !from.starts_with("<http");
            out.push_str(if is_element && !is_code { "&lt;" } else { from.get(..1).unwrap_or_default() });
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
        Some((end, _)) => format!("{}…", upstate::path::Printable(text.get(..end).unwrap_or_default())),
        None => upstate::path::Printable(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_in_a_guide_steer_no_terminal_and_make_no_elements() {
        let text = "- `Vec<u8>` <https://example.com>\n  a\u{1b}[2J\u{0}\u{202e}b <script>x</script> 1 < 2";
        let expected = "- `Vec<u8>` <https://example.com>\n  a\\u{1b}[2J\\u{0}\\u{202e}b &lt;script>x&lt;/script> 1 < 2";
        assert_eq!(visible_markdown(text), expected);
    }
}
