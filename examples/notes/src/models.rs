//! A note, as three releases stored it.

use std::collections::BTreeSet;

use upstate::Resource;
use upstate_state::document::Format;
use upstate_state::store::StoredFormat;

/// The rows that an earlier release left: the number of the note, the release, the document.
pub(crate) const STORED: [(i64, &str, &str); 4] = [
    (1, "1.0", r#"{"text":"Milk\ntwo bottles"}"#),
    (
        2,
        "1.4",
        r#"{"type":"note","schema_version":1,"title":"Call","body":"","tags":"work, urgent"}"#,
    ),
    (
        3,
        "2.0",
        r#"{"type":"note","schema_version":2,"title":"Rest","body":null,"tags":["home"]}"#,
    ),
    (4, "1.0", r#"{"text":""}"#),
];

/// Notes are flat JSON that says its version since 1.4. Those without a version are of 1.0.
#[derive(Debug)]
pub(crate) struct NotesFormat;

impl StoredFormat for NotesFormat {
    const FORMAT: Format<'static> = Format::new().unversioned(0);
}

/// A note, as release 2.0 stores it.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "note", version = 2)]
#[upgrade_from(0, model = NoteV0)]
#[upgrade_from(1, model = NoteV1)]
pub(crate) struct Note {
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) tags: BTreeSet<String>,
}

/// Release 1.4 kept the title and the body apart, and the tags in one string.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "note", version = 1, prior)]
pub(crate) struct NoteV1 {
    title: String,
    body: String,
    tags: String,
}

/// Release 1.0 had one string only, and wrote no version.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "note", version = 0)]
pub(crate) struct NoteV0 {
    text: String,
}

fn unless_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

impl From<NoteV1> for Note {
    fn from(prior: NoteV1) -> Self {
        let tags = prior
            .tags
            .split(',')
            .map(str::trim)
            .filter_map(unless_empty)
            .collect();
        Self {
            title: prior.title,
            body: unless_empty(&prior.body),
            tags,
        }
    }
}

impl TryFrom<NoteV0> for Note {
    type Error = &'static str;

    fn try_from(prior: NoteV0) -> Result<Self, Self::Error> {
        let (title, body) = prior.text.split_once('\n').unwrap_or((&prior.text, ""));
        if title.trim().is_empty() {
            return Err("the note has no first line that could be its title");
        }
        Ok(Self {
            title: title.to_owned(),
            body: unless_empty(body),
            tags: BTreeSet::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use upstate::testing::{Fixtures, Hostile, assert_upgrade};

    use super::*;

    /// What each release stored, in `fixtures/note`, becomes what it became before.
    #[test]
    fn fixtures() {
        Fixtures::new("fixtures").check::<Note>();
    }

    /// What no release stored ends in a note or in one error.
    #[test]
    fn hostile_states() {
        Hostile::new::<Note>().samples_in("fixtures").check();
    }

    #[test]
    fn tags_are_split_and_trimmed() {
        assert_upgrade!(Note, 1, r#"{"title":"Call","body":"","tags":" b,a,"}"# => json r#"{"title":"Call","body":null,"tags":["a","b"]}"#);
        assert_upgrade!(Note, 0, r#"{"text":"\n"}"# => error "no first line");
    }

    #[test]
    fn each_release_is_read() {
        let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect();
        let note = |body: Option<&str>, names| Note {
            title: "Milk".to_owned(),
            body: body.map(str::to_owned),
            tags: tags(names),
        };
        for (json, expected) in [
            (r#"{"text":"Milk\ntwo"}"#, note(Some("two"), &[])),
            (
                r#"{"type":"note","schema_version":1,"title":"Milk","body":"","tags":"shop, home"}"#,
                note(None, &["home", "shop"]),
            ),
            (
                r#"{"type":"note","schema_version":2,"title":"Milk","body":"two","tags":["shop"]}"#,
                note(Some("two"), &["shop"]),
            ),
        ] {
            assert_eq!(
                NotesFormat::FORMAT
                    .from_slice::<Note>(json.as_bytes())
                    .unwrap(),
                expected
            );
        }
    }
}
