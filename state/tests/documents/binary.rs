//! `MessagePack` and CBOR: as serde writes them.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use upstate_state::document::Format;

use crate::models::{self, Settings};

/// The settings as another program with serde has them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Plain {
    r#type: String,
    schema_version: u64,
    theme: Option<String>,
    zoom: Option<f64>,
    tags: Vec<String>,
}

fn plain() -> Plain {
    Plain {
        r#type: "app_settings".to_owned(),
        schema_version: 3,
        theme: Some("dark".to_owned()),
        zoom: Some(1e300),
        tags: vec!["a".to_owned()],
    }
}

fn settings() -> Settings {
    let Plain {
        theme, zoom, tags, ..
    } = plain();
    Settings {
        theme,
        zoom,
        tags: Some(tags.into_iter().collect()),
        ..Settings::default()
    }
}

const FORMATS: [Format<'static>; 2] = [Format::message_pack(), Format::cbor()];

/// What other programs write.
fn written() -> [Vec<u8>; 2] {
    let mut cbor = Vec::new();
    ciborium::into_writer(&plain(), &mut cbor).unwrap();
    [rmp_serde::to_vec_named(&plain()).unwrap(), cbor]
}

#[test]
fn what_serde_writes_is_read_and_the_other_way_round() {
    for (format, written) in FORMATS.into_iter().zip(written()) {
        let read = format.read::<Settings>(&written).unwrap();
        assert_eq!((read.model(), read.is_outdated()), (&settings(), false));
        // In the stored order, and what no schema defines stays.
        let edited = format
            .edit(
                &written,
                &Settings {
                    zoom: Some(2.0),
                    ..settings()
                },
            )
            .unwrap();
        assert_eq!(format.read::<Settings>(&edited).unwrap().zoom, Some(2.0));
    }
    for zoom in [
        12_961_881_854_642_141_000.0,
        9_007_199_254_740_994.0,
        36_893_488_147_419_103_232.0,
        -1e18,
        0.1,
    ] {
        let mut written = Vec::new();
        ciborium::into_writer(
            &Plain {
                zoom: Some(zoom),
                ..plain()
            },
            &mut written,
        )
        .unwrap();
        let message_pack = rmp_serde::to_vec_named(&Plain {
            zoom: Some(zoom),
            ..plain()
        })
        .unwrap();
        for (format, written) in FORMATS.into_iter().zip([message_pack, written]) {
            assert_eq!(
                format.from_slice::<Settings>(&written).unwrap().zoom,
                Some(zoom)
            );
        }
    }
    let [message_pack, cbor] = FORMATS.map(|format| format.to_vec(&settings()).unwrap());
    assert_eq!(
        rmp_serde::from_slice::<Plain>(&message_pack).unwrap(),
        plain()
    );
    assert_eq!(
        ciborium::from_reader::<Plain, _>(cbor.as_slice()).unwrap(),
        plain()
    );
    assert_eq!(
        message_pack.first(),
        Some(&0x8b),
        "a map of eleven members, its length before them"
    );
    assert_eq!(cbor.first(), Some(&0xab));
    assert!(
        FORMATS[0]
            .to_string(&settings())
            .unwrap_err()
            .to_string()
            .contains("The document format is binary")
    );
}

#[test]
fn what_cannot_be_read_is_refused() {
    for (format, written) in FORMATS.into_iter().zip(written()) {
        for end in 0..written.len() {
            assert!(format.read::<Settings>(&written[..end]).is_err(), "{end}");
        }
        let followed = [written.as_slice(), b"\0"].concat();
        let message = format.read::<Settings>(&followed).unwrap_err().to_string();
        assert!(
            message.contains("1 more bytes follow the document"),
            "{message}"
        );
    }
    // Bytes, an extension, a key that is a number, and a date with its tag.
    for (format, bytes) in [
        (
            FORMATS[0],
            b"\x82\xaeschema_version\x03\xa1x\xc4\x01\0".as_slice(),
        ),
        (FORMATS[0], b"\x82\xaeschema_version\x03\xa1x\xd4\x01\0"),
        (FORMATS[0], b"\x82\xaeschema_version\x03\x01\x01"),
        (
            FORMATS[0],
            b"\x82\xaeschema_version\x03\xa4zoom\xcb\x7f\xf0\0\0\0\0\0\0",
        ),
        (FORMATS[1], b"\xa2\x6eschema_version\x03\x61x\x41\0"),
        (
            FORMATS[1],
            b"\xa2\x6eschema_version\x03\x61x\xc0\x6a2024-01-02",
        ),
        (FORMATS[1], b"\xa2\x6eschema_version\x03\x01\x01"),
        (
            FORMATS[1],
            b"\xa2\x6eschema_version\x03\x64zoom\xfb\x7f\xf0\0\0\0\0\0\0",
        ),
    ] {
        let message = format.read::<Settings>(bytes).unwrap_err().to_string();
        assert!(
            message.starts_with(
                "error: Unable to Read Document\nThe document can't be read: not valid "
            ),
            "{message}"
        );
    }
    for (format, deep) in [(FORMATS[0], [0x91_u8]), (FORMATS[1], [0x81])] {
        assert!(format.read::<Settings>(&deep.repeat(100_000)).is_err());
    }
}

proptest! {
    #[test]
    fn any_document_becomes_any_other(old in models::settings(), new in models::settings(), any in proptest::collection::vec(any::<u8>(), 0..60)) {
        for format in FORMATS {
            let written = format.to_vec(&old).unwrap();
            prop_assert_eq!(&format.from_slice::<Settings>(&written).unwrap(), &old);
            let edited = format.edit(&written, &new).unwrap();
            prop_assert_eq!(&format.from_slice::<Settings>(&edited).unwrap(), &new);
            let _ = format.read::<Settings>(&any);
        }
    }
}
