//! Models that derive `Document`, in every syntax.

use std::collections::BTreeMap;

use upstate::{Document, Union};
use upstate_state::document::Format;

/// Settings of an application, with an enum of each form.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "app.settings", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, rename(colour: String => accent_colour))]
struct Settings {
    accent_colour: String,
    #[attribute(default = 3)]
    retries: u32,
    theme: Theme,
    themes: Vec<Theme>,
    shape: Option<Shape>,
    labels: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum Theme {
    Plain,
    Custom { accent: Option<String>, weight: Option<u8> },
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Shape {
    Nothing,
    Circle { radius: Option<u32> },
}

fn settings() -> Settings {
    Settings {
        accent_colour: "blue".to_owned(),
        retries: 3,
        theme: Theme::Custom { accent: None, weight: Some(1) },
        themes: vec![Theme::Plain, Theme::Custom { accent: Some("red".to_owned()), weight: None }],
        shape: Some(Shape::Circle { radius: None }),
        labels: [("a".to_owned(), "b".to_owned())].into(),
    }
}

const FORMATS: [Format<'static>; 6] =
    [Format::new(), Format::jsonc(), Format::toml(), Format::yaml(), Format::message_pack(), Format::cbor()];

#[test]
fn enums_are_written_and_read_in_every_syntax() {
    for format in FORMATS {
        let written = format.to_vec(&settings()).unwrap_or_else(|error| panic!("{format:?}: {error}"));
        let read = format.read::<Settings>(&written).unwrap_or_else(|error| panic!("{format:?}: {error}"));
        assert_eq!(read.model(), &settings(), "{format:?}: {}", String::from_utf8_lossy(&written));
        let mut changed = settings();
        changed.theme = Theme::Plain;
        changed.shape = Some(Shape::Nothing);
        changed.themes.remove(0);
        for new in [&changed, &settings()] {
            let edited = format.edit(&written, new).unwrap_or_else(|error| panic!("{format:?}: {error}"));
            assert_eq!(&format.from_slice::<Settings>(&edited).unwrap(), new, "{format:?}: {}", String::from_utf8_lossy(&edited));
        }
    }
}

#[test]
fn a_document_in_toml_is_edited_in_place() {
    let stored = "type = \"app.settings\"\nschema_version = 0\ncolour = 'blue' # as the sky\nretries = 4\nlabels = {}\nthemes = []\n\n# Ours.\n[theme]\nkind = \"custom\" # or plain\nweight = 1\n";
    let read = Format::toml().read::<Settings>(stored.as_bytes()).unwrap();
    assert_eq!(read.theme, Theme::Custom { accent: None, weight: Some(1) });
    let edited = Format::toml().edit(stored.as_bytes(), read.model()).unwrap();
    let expected = stored.replace("schema_version = 0", "schema_version = 1").replace("colour = ", "accentColour = ");
    assert_eq!(String::from_utf8(edited).unwrap(), expected);
}
