//! The ways by which a stored value of an enum with data tells its variant, and their text in locks
//! and schemas.

use std::borrow::Cow;
use std::fmt;

/// One of them.
///
/// ```
/// use upstate_words::Tagging;
///
/// let text = "adjacent event%20type content";
/// let tagging = Tagging::Adjacent("event type".into(), "content".into());
/// assert_eq!(Tagging::parse(text), Some(tagging.clone()));
/// assert_eq!(tagging.to_string(), text);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tagging<'t> {
    /// The variant's name is a string, or the one member of an object.
    External,
    /// The variant's name is the member of this name, beside the content's.
    Internal(Cow<'t, str>),
    /// The variant's name is a member, and its content another: their names.
    Adjacent(Cow<'t, str>, Cow<'t, str>),
    /// The first variant that loses nothing is read, else the first that fits.
    Untagged,
}

impl<'t> Tagging<'t> {
    /// Reads the text: `external`, `internal TAG`, `adjacent TAG CONTENT` or `untagged`. In names,
    /// `%20` is a blank and `%25` a percent sign.
    #[must_use]
    pub fn parse(text: &'t str) -> Option<Self> {
        if let Some(tag) = text.strip_prefix("internal ") {
            return (!has(tag, b' ')).then(|| Self::Internal(plain(tag)));
        }
        if let Some(names) = text.strip_prefix("adjacent ") {
            let (tag, content) = names.split_once(' ')?;
            return (!has(content, b' ')).then(|| Self::Adjacent(plain(tag), plain(content)));
        }
        match text {
            "external" => Some(Self::External),
            "untagged" => Some(Self::Untagged),
            _ => None,
        }
    }
}

/// True if a character of ASCII is in a text: names are so short that a search costs more than a
/// look at each byte.
fn has(text: &str, character: u8) -> bool {
    text.bytes().any(|byte| byte == character)
}

fn plain(word: &str) -> Cow<'_, str> {
    if has(word, b'%') {
        word.replace("%20", " ").replace("%25", "%").into()
    } else {
        word.into()
    }
}

fn one_word(name: &str) -> String {
    name.replace('%', "%25").replace(' ', "%20")
}

impl fmt::Display for Tagging<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::External => f.write_str("external"),
            Self::Internal(tag) => write!(f, "internal {}", one_word(tag)),
            Self::Adjacent(tag, content) => {
                write!(f, "adjacent {} {}", one_word(tag), one_word(content))
            }
            Self::Untagged => f.write_str("untagged"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tagging;

    #[test]
    fn names_round_trip() {
        for name in [
            "type",
            "event type",
            "",
            " ",
            "%",
            "%20",
            "100 %25 ",
            "ä\u{a0}b",
        ] {
            let all = [
                Tagging::Internal(name.into()),
                Tagging::Adjacent(name.into(), "c".into()),
                Tagging::Adjacent("t".into(), name.into()),
            ];
            for tagging in all {
                assert_eq!(
                    Tagging::parse(&tagging.to_string()),
                    Some(tagging.clone()),
                    "{tagging}"
                );
            }
        }
    }

    #[test]
    fn other_text_is_none() {
        for text in [
            "",
            "outside",
            "external x",
            "internal",
            "internal a b",
            "adjacent a",
            "adjacent a b c",
            "untagged ",
        ] {
            assert_eq!(Tagging::parse(text), None, "{text:?}");
        }
    }
}
