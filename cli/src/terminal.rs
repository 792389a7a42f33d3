//! What is written to the terminal, and how it looks.

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

/// A longer text is cut: nobody reads on.
const LONGEST: usize = 1_000;

/// A string of the file, made safe for the terminal: it can neither control it nor fill it.
pub(crate) fn plain(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", upstate::path::Printable(text.get(..end).unwrap_or_default())),
        None => upstate::path::Printable(text).to_string(),
    }
}
