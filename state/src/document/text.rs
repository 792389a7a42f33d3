//! The text of documents in syntaxes that people write.

use upstate::__internal::is_utf16;
use upstate::{DecodeError, Diagnostic, DiagnosticCode, Diagnostics};

/// Decoded text, and what stood before it.
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    /// True if it began with a byte order mark, which is written back.
    pub(super) mark: bool,
}

pub(super) const MARK: &str = "\u{feff}";

/// Takes bytes for text; a byte order mark is allowed.
pub(super) fn decode<'a>(bytes: &'a [u8], syntax: &str) -> Result<Text<'a>, Diagnostics> {
    match std::str::from_utf8(bytes) {
        Ok(text) => match text.strip_prefix(MARK) {
            Some(text) => Ok(Text { text, mark: true }),
            None => Ok(Text { text, mark: false }),
        },
        Err(_) if is_utf16(bytes) => {
            Err(unreadable("not UTF-8 but UTF-16, by its byte order mark; save it as UTF-8").into())
        }
        Err(error) => Err(unreadable(&format!(
            "not valid {syntax}: not valid UTF-8 (byte {})",
            error.valid_up_to()
        ))
        .into()),
    }
}

/// The line and column of an offset, for the end of a message.
pub(super) fn place(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    format!(" (line {line}, column {column})")
}

/// The diagnostic for a document that cannot be read.
pub(super) fn unreadable(problem: &str) -> Diagnostic {
    Diagnostic::error(
        "Unable to Read Document",
        format!("The document can't be read: {problem}."),
    )
    .coded(DiagnosticCode::Syntax)
}

/// The diagnostic for a decoder's error in other words, with its code and the kinds of value that
/// were expected and found.
pub(super) fn of_decoder(error: &DecodeError, summary: &str, detail: String) -> Diagnostic {
    match Diagnostics::from(error.clone()).iter().next() {
        Some(read) => read
            .with_texts(summary, detail, str::to_owned)
            .without_path(),
        None => Diagnostic::error(summary, detail),
    }
}

/// The diagnostic for a document that its format cannot hold.
pub(super) fn unwritable(detail: impl Into<String>) -> Diagnostic {
    Diagnostic::error("Unable to Write Document", detail).coded(DiagnosticCode::Unwritable)
}

/// The advice where a check of upstate's own work fails.
pub(super) const BUG: &str = "This is a bug in upstate; please report it.";

/// The diagnostic for a new document in which another model is read: `is_ours` if the model is read
/// in its own JSON.
#[cold]
pub(super) fn not_held(is_ours: bool) -> Diagnostic {
    let remedy = if is_ours {
        BUG
    } else {
        "This is a mistake in the program: a function of the model, such as that of `with`, must read the value that it writes."
    };
    unwritable("The new document does not hold the values that it was given.").with_remedy(remedy)
}
