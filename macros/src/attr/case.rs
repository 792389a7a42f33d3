//! The cases of names, as serde has them.

use syn::LitStr;
use upstate_words::case::{camel, lower_first, pascal};

use crate::errors::Errors;

/// A way to write the names of fields and variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

/// Each case by its word, in the order in which messages list them.
const WORDS: [(&str, Case); 8] = [
    ("lowercase", Case::Lower),
    ("UPPERCASE", Case::Upper),
    ("PascalCase", Case::Pascal),
    ("camelCase", Case::Camel),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
    ("kebab-case", Case::Kebab),
    ("SCREAMING-KEBAB-CASE", Case::ScreamingKebab),
];

impl Case {
    /// The case that a word names.
    pub(crate) fn of(word: &LitStr, errors: &mut Errors) -> Option<Self> {
        let written = word.value();
        let found = WORDS.iter().find(|(word, _)| *word == written);
        if found.is_none() {
            let likeness = |known: &str| strsim::jaro_winkler(&written, known);
            let nearest = WORDS
                .iter()
                .map(|(known, _)| *known)
                .max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
            let listed: Vec<String> = WORDS.iter().map(|(word, _)| format!("`{word}`")).collect();
            errors.push(
                word,
                format_args!(
                    "`{written}` is not a case of names\nhelp: write `\"{}\"`; the cases are {}",
                    nearest.unwrap_or_default(),
                    listed.join(", ")
                ),
            );
        }
        found.map(|(_, case)| *case)
    }

    /// Its word.
    pub(crate) fn word(self) -> &'static str {
        let mut words = WORDS.iter().filter(|(_, case)| *case == self);
        words.next().map_or("", |(word, _)| *word)
    }

    /// The words of the cases that store a field of this name by another one, each with that.
    pub(crate) fn other_names(name: &str) -> Vec<(&'static str, String)> {
        WORDS
            .iter()
            .map(|(word, case)| (*word, case.of_field(name)))
            .filter(|(_, stored)| stored != name)
            .collect()
    }

    /// The name of a field, which is written in `snake_case`.
    pub(crate) fn of_field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(name),
            Self::Camel => camel(name),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// The name of a variant, which is written in `PascalCase`.
    pub(crate) fn of_variant(self, name: &str) -> String {
        match self {
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Pascal => name.to_owned(),
            Self::Camel => lower_first(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

/// An underscore before every capital letter but the first, as serde does it.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (index, letter) in name.char_indices() {
        if index > 0 && letter.is_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
