//! Members whose names others have in the upgraded document.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use upstate::{Document, Registry, Union};
use upstate_state::document::Format;
use upstate_state::store::{Stored, StoredFormat};

/// It keeps what no field names, and version 1 has fields that version 0 had not.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "page", version = 1)]
#[upgrade_from(0 => 1, rename(name => title), default(level = 3), rename(shape.Round.size => shape.Round.width))]
struct Page {
    title: String,
    level: u8,
    shape: Shape,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

/// The same without a field for the rest.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "page", version = 1)]
#[upgrade_from(0 => 1, rename(name => title), default(level = 3), rename(shape.Round.size => shape.Round.width))]
struct Sheet {
    title: String,
    level: u8,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind")]
enum Shape {
    Round { width: u8 },
    Flat,
}

const STORED: &str = r#"{
  "type": "page",
  "schema_version": 0,
  "title": "the old one",
  "name": "x",
  "level": 9,
  "odd": 1,
  "shape": {"kind": "Round", "width": 7, "size": 1}
}"#;

const STORED_AS_TOML: &str = r#"type = "page"
schema_version = 0
title = "the old one"
name = "x"
level = 9
odd = 1
shape = { kind = "Round", width = 7, size = 1 }
"#;

fn formats() -> [(Format<'static>, &'static str); 4] {
    [
        (Format::new(), STORED),
        (Format::jsonc(), STORED),
        (Format::yaml(), STORED),
        (Format::toml(), STORED_AS_TOML),
    ]
}

#[derive(Debug)]
struct Rows;

impl StoredFormat for Rows {
    const FORMAT: Format<'static> = Format::new();
}

#[test]
fn a_member_whose_name_another_one_has_is_lost_for_every_reader() {
    let names = |paths: &[upstate::AttributePath]| {
        let mut names: Vec<String> = paths.iter().map(ToString::to_string).collect();
        names.sort();
        names
    };
    // A default is for members that are not there, so that the new field takes that one.
    let lost = ["shape.width", "title"];
    for (format, text) in formats() {
        let page = format.read::<Page>(text.as_bytes()).unwrap();
        assert_eq!(names(page.undefined()), lost);
        let sheet = format.read::<Sheet>(text.as_bytes()).unwrap();
        assert_eq!(names(sheet.undefined()), ["odd", "shape.width", "title"]);
        format.strict().read::<Page>(text.as_bytes()).unwrap_err();

        let pages = Registry::new().with::<Page>();
        let rewrites = [&pages, &Registry::new().with::<Sheet>()].map(|registry| {
            format
                .rewrite(registry, None, text.as_bytes())
                .unwrap()
                .unwrap()
        });
        let edits = [
            format.edit(text.as_bytes(), page.model()).unwrap(),
            format.edit(text.as_bytes(), sheet.model()).unwrap(),
        ];
        for (rewrite, edited) in rewrites.into_iter().zip(edits) {
            assert_eq!(rewrite.lost, 2);
            for bytes in [rewrite.bytes, edited] {
                let text = String::from_utf8(bytes).unwrap();
                let parsed = format.parse(text.as_bytes()).unwrap();
                let attributes: Value = serde_json::from_slice(parsed.attributes()).unwrap();
                let expected = json!({"title": "x", "level": 9, "odd": 1, "shape": {"kind": "Round", "width": 1}});
                assert_eq!(attributes, expected, "{text}");
                assert_eq!(
                    (text.matches("title").count(), text.matches("width").count()),
                    (1, 1),
                    "{text}"
                );
            }
        }

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page");
        std::fs::write(&path, text).unwrap();
        let refused = format.upgrade_file(&pages, None, &path).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("2 of these values would be lost"),
            "{refused}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        let mut page = format.open::<Page>(&path).unwrap();
        page.level = 4;
        let refused = page.save().unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("2 of these values would be lost"),
            "{refused}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        page.allow_loss();
        page.save().unwrap();
        assert_eq!(
            std::fs::read_to_string(folder.path().join("page.v0.backup")).unwrap(),
            text
        );
    }
    let mut row = Stored::<Page, Rows>::parse(STORED).unwrap();
    assert_eq!(
        (names(row.undefined()), row.rewrite().unwrap().unwrap().lost),
        (lost.map(str::to_owned).to_vec(), 2)
    );
    let refused = row.to_text().unwrap_err().to_string();
    assert!(
        refused.contains("`title`") && refused.contains("what the new document would lack"),
        "{refused}"
    );
    row.allow_loss();
    assert_eq!(row.to_text().unwrap().matches("title").count(), 1);
}

#[derive(Debug, Document)]
#[document(type_name = "tally")]
struct Tally {
    marks: BTreeMap<String, u8>,
}

#[test]
fn the_text_of_a_row_does_not_lack_a_key_that_was_there_twice() {
    let text = r#"{"type":"tally","schema_version":0,"marks":{"a":1,"a":2}}"#;
    let mut row = Stored::<Tally, Rows>::parse(text).unwrap();
    assert_eq!(
        row.to_text().unwrap_err().to_string(),
        "error: Unable to Write Document\nThe row holds at `marks` what the new document would lack: a value that no schema defines, digits that its type does not hold, \
         or all but the last of repeated keys. Correct the row, or call `Stored::allow_loss` in the program, which leaves them out."
    );
    row.allow_loss();
    let written = row.to_text().unwrap();
    let tally: Tally = Format::new().from_slice(written.as_bytes()).unwrap();
    assert_eq!(tally.marks["a"], 2);
}

#[derive(Debug, Document)]
#[document(type_name = "person", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, rename(userName => displayName), drop(nick: Option<String>, "nobody has one"))]
struct Person {
    display_name: String,
    #[attribute(alias = "mail")]
    address: Option<String>,
    tags: Vec<Tag>,
}

#[derive(Debug, Document)]
struct Tag {
    text: String,
}

#[test]
fn a_file_is_not_saved_where_its_upgrade_loses_a_member() {
    let stored = [
        (
            "json",
            Format::new(),
            r#"{"type":"person","schema_version":0,"userName":"Ann","displayName":"Bob","tags":[]}"#,
        ),
        (
            "toml",
            Format::toml(),
            "type = \"person\"\nschema_version = 0\nuserName = \"Ann\"\ndisplayName = \"Bob\"\ntags = []\n",
        ),
    ];
    for (name, format, text) in stored {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("person").with_extension(name);
        std::fs::write(&path, text).unwrap();
        let mut person = format.open::<Person>(&path).unwrap();
        let refused = person.save().unwrap_err().to_string();
        assert_eq!(
            refused.replace(path.to_str().unwrap(), "…"),
            "… can't be written; the file is unchanged.\n\n\
             error: Undefined Values\nThe document holds at `displayName` what no schema of its version defines, and 1 of these values would be lost. \
             Remove them, or call `DocumentFile::allow_loss` in the program, which keeps a backup."
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        person.allow_loss();
        person.save().unwrap();
        let backup = std::fs::read_to_string(person.backup_path()).unwrap();
        assert_eq!(backup, text);
        assert_eq!(format.open::<Person>(&path).unwrap().display_name, "Ann");
    }
}

/// The upgrade loses no member that an upgrader drops, that has an alias or that stays, and no
/// element that the program removes.
#[test]
fn an_upgrade_that_keeps_all_is_saved() {
    let stored = r#"{"type":"person","schema_version":0,"userName":"Ann","nick":"A","mail":"a@b","odd":1,"tags":[{"text":"x","odd":2}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("person.json");
    for removes in [false, true] {
        std::fs::write(&path, stored).unwrap();
        let mut person = Format::new().open::<Person>(&path).unwrap();
        if removes {
            person.tags.clear();
        }
        person.save().unwrap();
        let saved = std::fs::read_to_string(&path).unwrap();
        assert!(
            saved.contains(r#""odd":1"#) && saved.contains(r#""odd":2"#) != removes,
            "{saved}"
        );
        assert_eq!(
            std::fs::read_to_string(person.backup_path()).unwrap(),
            stored
        );
    }
}

/// It keeps what no field names, and the model of version 0 did not.
#[derive(Debug, Document)]
#[document(type_name = "shelf", version = 1)]
#[upgrade_from(0, model = ShelfV0)]
struct Shelf {
    name: String,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

#[derive(Debug, Document)]
#[document(type_name = "shelf", version = 0, prior)]
struct ShelfV0 {
    name: String,
}

impl From<ShelfV0> for Shelf {
    fn from(prior: ShelfV0) -> Self {
        Self {
            name: prior.name,
            others: BTreeMap::new(),
        }
    }
}

#[test]
fn a_file_is_not_saved_where_the_model_would_read_an_undefined_member_as_its_own() {
    let formats = [
        (
            Format::new(),
            r#"{"type":"shelf","schema_version":0,"name":"x","odd":1}"#,
            "odd",
        ),
        (
            Format::toml(),
            "type = \"shelf\"\nschema_version = 0\nname = \"x\"\nodd = 1\n",
            "odd",
        ),
        (
            Format::new().attributes_member("data"),
            r#"{"id":7,"data":{"name":"x","odd":1},"type":"shelf","schema_version":0}"#,
            "data.odd",
        ),
    ];
    for (format, text, odd) in formats {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shelf");
        std::fs::write(&path, text).unwrap();
        let mut shelf = format.open::<Shelf>(&path).unwrap();
        assert!(shelf.others.is_empty());
        let refused = shelf.save().unwrap_err().to_string();
        assert_eq!(
            refused.replace(path.to_str().unwrap(), "…"),
            format!(
                "… can't be written; the file is unchanged.\n\n\
                 error: Undefined Values\nThe document holds at `{odd}` what no schema of its version defines, and the current model would read these values as its own. \
                 Add a field with `#[attribute(rest)]` to the model of version 0 and take it over in the upgrade, or call `DocumentFile::allow_loss` in the program, which leaves them out and keeps a backup."
            )
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        shelf.allow_loss();
        shelf.save().unwrap();
        let backup = std::fs::read_to_string(shelf.backup_path()).unwrap();
        assert_eq!(backup, text);
        let saved = std::fs::read_to_string(&path).unwrap();
        assert!(!saved.contains("odd"), "{saved}");
        // It stays, because the model does not read it as its own.
        assert_eq!(saved.contains("id"), text.contains("id"), "{saved}");
        let again = format.open::<Shelf>(&path).unwrap();
        assert_eq!((&*again.name, again.others.len()), ("x", 0));
    }
}

#[derive(Debug, Document)]
#[document(type_name = "rack", version = 1)]
#[upgrade_from(0, model = RackV0)]
struct Rack {
    tags: Vec<Tag>,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

#[derive(Debug, Document)]
#[document(type_name = "rack", version = 0, prior)]
struct RackV0 {
    tags: Vec<Tag>,
}

impl From<RackV0> for Rack {
    fn from(prior: RackV0) -> Self {
        Self {
            tags: prior.tags,
            others: BTreeMap::new(),
        }
    }
}

#[test]
fn a_member_that_stays_is_no_member_that_the_model_reads_though_its_element_moved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rack.json");
    let text =
        r#"{"type":"rack","schema_version":0,"tags":[{"text":"x"},{"text":"y","mark":1}],"odd":2}"#;
    std::fs::write(&path, text).unwrap();
    let mut rack = Format::new().open::<Rack>(&path).unwrap();
    assert!(rack.others.is_empty());
    rack.tags.remove(0);
    let refused = rack.save().unwrap_err().to_string();
    assert!(refused.contains("holds at `odd` what"), "{refused}");
    rack.allow_loss();
    rack.save().unwrap();
    let saved = std::fs::read_to_string(&path).unwrap();
    assert!(
        saved.contains(r#""mark":1"#) && !saved.contains("odd"),
        "{saved}"
    );
}

#[test]
fn no_edit_forgets_members_that_are_too_many_to_be_named() {
    let odd: Vec<String> = (0..10_001)
        .map(|index| format!(r#""odd{index}":1"#))
        .collect();
    let text = format!(
        r#"{{"type":"person","schema_version":1,"displayName":"Ann","tags":[],{}}}"#,
        odd.join(",")
    );
    let person: Person = Format::new().from_slice(text.as_bytes()).unwrap();
    let refused = Format::new().edit(text.as_bytes(), &person).unwrap_err();
    let detail = "error: Undefined Values\nThe document holds 10001 values that no schema defines, and their names are more than an edit keeps. \
                  The value at `odd10000` would be lost. Nothing was written. Remove some";
    assert_eq!(refused.to_string(), format!("{detail}."));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("person.json");
    std::fs::write(&path, &text).unwrap();
    let mut file = Format::new().open::<Person>(&path).unwrap();
    file.display_name = "Bob".to_owned();
    let refused = file.save().unwrap_err().to_string();
    assert!(
        refused.contains(&format!(
            "{detail}, or call `DocumentFile::allow_loss` in the program"
        )),
        "{refused}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    // Those of one name are kept, however many elements have it.
    let tags: Vec<String> = (0..10_001)
        .map(|index| format!(r#"{{"text":"{index}","odd":1}}"#))
        .collect();
    let text = format!(
        r#"{{"type":"person","schema_version":1,"displayName":"Ann","tags":[{}]}}"#,
        tags.join(",")
    );
    let mut person: Person = Format::new().from_slice(text.as_bytes()).unwrap();
    person.display_name = "Bob".to_owned();
    let edited = Format::new().edit(text.as_bytes(), &person).unwrap();
    let edited = String::from_utf8(edited).unwrap();
    assert_eq!(edited.matches(r#""odd":1"#).count(), 10_001);
}

#[test]
fn the_one_that_is_lost_is_named_beside_many_that_stay() {
    let tags = vec![r#"{"text":"x","odd":1}"#; 10_001].join(",");
    let text = format!(
        r#"{{"type":"person","schema_version":0,"userName":"Ann","tags":[{tags}],"displayName":"Bob"}}"#
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("person.json");
    std::fs::write(&path, &text).unwrap();
    let registry = Registry::new().with::<Person>();
    let refused = Format::new().upgrade_file(&registry, None, &path);
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("holds at `displayName`, `tags[0].odd`, ")
            && refused.contains("1 of these values would be lost: `displayName`."),
        "{refused}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let done = Format::new().upgrade_file_with_loss(&registry, None, &path);
    assert_eq!(done.unwrap().unwrap().rewrite().lost, 1);
    let saved = std::fs::read_to_string(&path).unwrap();
    assert_eq!(saved.matches(r#""odd":1"#).count(), 10_001);
    assert!(!saved.contains("Bob"));
}

/// It keeps what no field names, and has no longer its first tag.
#[derive(Debug, Document)]
#[document(type_name = "bin", version = 1)]
#[upgrade_from(0, model = BinV0)]
struct Bin {
    tags: Vec<Tag>,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

#[derive(Debug, Document)]
#[document(type_name = "bin", version = 0, prior)]
struct BinV0 {
    tags: Vec<Tag>,
}

impl From<BinV0> for Bin {
    fn from(prior: BinV0) -> Self {
        Self {
            tags: prior.tags.into_iter().skip(1).collect(),
            others: BTreeMap::new(),
        }
    }
}

#[test]
fn a_member_of_the_rest_is_not_named_as_the_one_that_is_lost() {
    let registry = Registry::new().with::<Bin>();
    let text = r#"{"type":"bin","schema_version":0,"tags":[{"text":"x","mark":1},{"text":"y","mark":2}],"odd":1}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bin.json");
    std::fs::write(&path, text).unwrap();
    let refused = Format::new().upgrade_file(&registry, None, &path);
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("and 1 of these values would be lost."),
        "{refused}"
    );
    let done = Format::new().upgrade_file_with_loss(&registry, None, &path);
    assert_eq!(done.unwrap().unwrap().rewrite().lost, 1);
    let saved = std::fs::read_to_string(&path).unwrap();
    let expected = r#"{"type":"bin","schema_version":1,"tags":[{"text":"y","mark":2}],"odd":1}"#;
    assert_eq!(saved, expected);
}

/// A type whose function writes another value than the one that it reads.
#[derive(Debug)]
struct Level(u8);

mod level {
    use super::Level;

    pub(super) fn read(stored: u8) -> Result<Level, String> {
        if stored > 200 {
            return Err("it is too high".to_owned());
        }
        Ok(Level(stored / 2))
    }

    pub(super) fn write(level: &Level) -> u8 {
        level.0
    }
}

#[derive(Debug, Document)]
#[document(type_name = "valve")]
struct Valve {
    #[attribute(with = level)]
    level: Level,
}

#[test]
fn an_edit_is_refused_where_another_model_is_read_in_it() {
    let text = r#"{"type":"valve","schema_version":0,"level":8,"odd":1}"#;
    let detail = "Unable to Write Document\nThe new document does not hold the values that it was given. \
         This is a mistake in the program: a function of the model";
    let valve = Valve { level: Level(6) };
    let refused = Format::new().edit(text.as_bytes(), &valve).unwrap_err();
    assert!(refused.to_string().contains(detail), "{refused}");
    let mut row = Stored::<Valve, Rows>::parse(text).unwrap();
    row.level = Level(6);
    let refused = row.to_text().unwrap_err();
    assert!(refused.to_string().contains(detail), "{refused}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("valve.json");
    std::fs::write(&path, text).unwrap();
    let mut file = Format::new().open::<Valve>(&path).unwrap();
    file.level = Level(6);
    let refused = file.save().unwrap_err();
    assert!(refused.to_string().contains(detail), "{refused}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

fn refuses(size: u8) -> Result<u8, String> {
    CALLS.fetch_add(1, Ordering::Relaxed);
    if size > 5 {
        Err("too big".to_owned())
    } else {
        Ok(size)
    }
}

#[derive(Debug, Document)]
#[document(type_name = "counted", version = 1)]
#[upgrade_from(0 => 1, convert(size: u8, with = refuses))]
struct Counted {
    size: u8,
}

#[test]
fn a_document_that_is_refused_is_explained_without_another_upgrade() {
    let calls = |stored: &[u8], expected: &str| {
        let before = CALLS.load(Ordering::Relaxed);
        let read = Format::new()
            .read::<Counted>(stored)
            .map(|counted| counted.size);
        let by_engine = Registry::new().with::<Counted>();
        let calls = CALLS.load(Ordering::Relaxed) - before;
        // What the engine says of it.
        let expected_texts = Format::new()
            .read_with::<Counted>(&by_engine, stored)
            .map(|counted| counted.size);
        assert_eq!(
            read.as_ref().map_err(ToString::to_string),
            expected_texts.as_ref().map_err(ToString::to_string)
        );
        let text = read.map_or_else(|errors| errors.to_string(), |size| size.to_string());
        assert!(text.contains(expected), "{text}");
        calls
    };
    assert_eq!(
        calls(
            br#"{"type":"counted","schema_version":0,"size":7}"#,
            "too big"
        ),
        1
    );
    assert_eq!(
        calls(br#"{"type":"counted","schema_version":0,"size":5}"#, "5"),
        1
    );
    assert_eq!(
        calls(
            br#"{"type":"counted","schema_version":0,"size":"x"}"#,
            "size"
        ),
        0
    );
    assert_eq!(
        calls(
            br#"{"type":"counted","schema_version":1,"size":"x"}"#,
            "size"
        ),
        0
    );
    assert_eq!(
        calls(
            br#"{"type":"counted","schema_version":2,"size":1}"#,
            "Newer"
        ),
        0
    );
}

/// It keeps what no field names, and the model of version 0 did not.
#[derive(Debug, Document)]
#[document(type_name = "cabinet", version = 1)]
#[upgrade_from(0, model = CabinetV0)]
struct Cabinet {
    made: String,
    doors: Option<u8>,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

#[derive(Debug, Document)]
#[document(type_name = "cabinet", version = 0, prior)]
struct CabinetV0 {
    made: String,
}

impl From<CabinetV0> for Cabinet {
    fn from(prior: CabinetV0) -> Self {
        Self {
            made: prior.made,
            doors: None,
            others: BTreeMap::new(),
        }
    }
}

#[test]
fn a_member_that_the_rest_takes_is_not_lost() {
    let registry = Registry::new().with::<Cabinet>();
    for (format, text, made) in [
        (
            Format::new(),
            r#"{"type":"cabinet","schema_version":0,"made":"1979-05-27","odd":1}"#,
            r#""made":"1979-05-27""#,
        ),
        (
            Format::toml(),
            "type = \"cabinet\"\nschema_version = 0\nmade = 1979-05-27\nodd = 1\n",
            // Not a string.
            "\nmade = 1979-05-27\n",
        ),
        (
            Format::new().attributes_member("data"),
            r#"{"data":{"made":"1979-05-27","odd":1},"type":"cabinet","schema_version":0}"#,
            r#""made":"1979-05-27""#,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cabinet");
        std::fs::write(&path, text).unwrap();
        let upgrade = format.upgrade_file(&registry, None, &path).unwrap();
        assert_eq!(upgrade.unwrap().rewrite().lost, 0);
        let saved = std::fs::read_to_string(&path).unwrap();
        assert!(saved.contains(made), "{saved}");
        let cabinet: Cabinet = format.from_slice(saved.as_bytes()).unwrap();
        let others = BTreeMap::from([("odd".to_owned(), json!(1))]);
        assert_eq!((&*cabinet.made, cabinet.others), ("1979-05-27", others));

        // A field of version 1 has another meaning, so that it must not take what was undefined.
        let text = text.replace("odd", "doors");
        std::fs::write(&path, &text).unwrap();
        let refused = format.upgrade_file(&registry, None, &path).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("1 of these values would be lost"),
            "{refused}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        // Nor where that is allowed.
        let rewrite = format.rewrite(&registry, None, text.as_bytes());
        let rewrite = rewrite.unwrap().unwrap();
        assert_eq!(rewrite.lost, 1);
        let cabinet: Cabinet = format.from_slice(&rewrite.bytes).unwrap();
        assert_eq!((&*cabinet.made, cabinet.doors), ("1979-05-27", None));
    }
}

/// Its papers have its owner, too.
#[derive(Debug, Document)]
#[document(type_name = "ship", version = 1)]
#[upgrade_from(0 => 1, copy(owner => papers.owner), rename(berth => place))]
struct Ship {
    owner: Owner,
    papers: Papers,
    place: String,
}

#[derive(Debug, Document)]
struct Papers {
    owner: Owner,
    pages: u8,
}

#[derive(Debug, Document)]
struct Owner {
    name: String,
}

#[test]
fn a_copy_of_what_stays_hides_nothing_that_is_lost() {
    let owner = r#"{"name":"Ann","odd":1}"#;
    let stored = format!(
        r#"{{"type":"ship","schema_version":0,"berth":"x","place":"y","owner":{owner},"papers":{{"pages":2}}}}"#
    );
    let registry = Registry::new().with::<Ship>();
    for format in [Format::new(), Format::jsonc(), Format::yaml()] {
        let rewrite = format.rewrite(&registry, None, stored.as_bytes());
        let rewrite = rewrite.unwrap().unwrap();
        assert_eq!((rewrite.lost, rewrite.undefined.len()), (1, 2));
        assert_eq!(rewrite.undefined[0].to_string(), "place");
        assert_eq!(rewrite.lost_paths(), rewrite.undefined.get(..1));
        let ship: Ship = format.from_slice(&rewrite.bytes).unwrap();
        let names = (&*ship.owner.name, &*ship.papers.owner.name, &*ship.place);
        assert_eq!((names, ship.papers.pages), (("Ann", "Ann", "x"), 2));
    }
    let without = stored.replace(r#""place":"y","#, "");
    let rewrite = Format::new().rewrite(&registry, None, without.as_bytes());
    assert_eq!(rewrite.unwrap().unwrap().lost, 0);
}

/// It has a part that the model of version 0 had not.
#[derive(Debug, Document)]
#[document(type_name = "bundle", version = 1)]
#[upgrade_from(0, model = BundleV0)]
struct Bundle {
    name: String,
    #[attribute(skip_if = Option::is_none)]
    cord: Option<Cord>,
}

#[derive(Debug, Document)]
struct Cord {
    length: u8,
}

#[derive(Debug, Document)]
#[document(type_name = "bundle", version = 0, prior)]
struct BundleV0 {
    name: String,
}

impl From<BundleV0> for Bundle {
    fn from(prior: BundleV0) -> Self {
        Self {
            name: prior.name,
            cord: None,
        }
    }
}

#[test]
fn a_member_takes_no_undefined_value_in_which_another_one_is_left() {
    let registry = Registry::new().with::<Bundle>();
    let json = r#"{"type":"bundle","schema_version":0,"name":"x","cord":{"length":1,"odd":2}}"#;
    for (format, text) in [
        (Format::new(), json),
        (Format::jsonc(), json),
        (Format::yaml(), json),
        (
            Format::toml(),
            "type = \"bundle\"\nschema_version = 0\nname = \"x\"\n\n[cord]\nlength = 1\nodd = 2\n",
        ),
    ] {
        let rewrite = format.rewrite(&registry, None, text.as_bytes());
        let rewrite = rewrite.unwrap().unwrap();
        assert_eq!(rewrite.lost, 1, "{text}");
        let bundle = format.read::<Bundle>(&rewrite.bytes).unwrap();
        assert!(bundle.cord.is_none() && bundle.undefined().is_empty());
        assert_eq!(bundle.name, "x");
        let upgraded = format.upgrade(&registry, text.as_bytes()).unwrap();
        let bundle: Bundle = format.from_slice(&upgraded.bytes).unwrap();
        assert!(bundle.cord.is_none(), "{text}");
    }
}

/// Its book was a struct, and only serde knows what it holds now; its label has another member.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "bookcase", version = 1)]
#[upgrade_from(0, model = BookcaseV0)]
struct Bookcase {
    #[attribute(json)]
    book: BTreeMap<String, String>,
    label: Label,
}

#[derive(Debug, Document)]
#[document(type_name = "bookcase", version = 0, prior)]
struct BookcaseV0 {
    book: Book,
    label: LabelV0,
}

#[derive(Debug, Document)]
struct Book {
    title: String,
}

#[derive(Debug, PartialEq, Union)]
enum Label {
    Printed { text: String, size: Option<u8> },
}

#[derive(Debug, Union)]
enum LabelV0 {
    Printed { text: String },
}

impl From<BookcaseV0> for Bookcase {
    fn from(prior: BookcaseV0) -> Self {
        let LabelV0::Printed { text } = prior.label;
        Self {
            book: BTreeMap::from([("title".to_owned(), prior.book.title)]),
            label: Label::Printed { text, size: None },
        }
    }
}

#[test]
fn what_is_lost_becomes_no_part_of_a_value() {
    let registry = Registry::new().with::<Bookcase>();
    let document = |version: u8, book: &str, label: &str| {
        let label = format!(r#"{{"Printed":{{"text":"t"{label}}}}}"#);
        format!(
            r#"{{"type":"bookcase","schema_version":{version},"book":{{"title":"x"{book}}},"label":{label}}}"#
        )
    };
    for (book, label) in [(r#","odd":"y""#, ""), ("", r#","size":1"#)] {
        let stored = document(0, book, label);
        let rewrite = Format::new().rewrite(&registry, None, stored.as_bytes());
        let rewrite = rewrite.unwrap().unwrap();
        assert_eq!(rewrite.lost, 1, "{stored}");
        let bookcase: Bookcase = Format::new().from_slice(&rewrite.bytes).unwrap();
        let Label::Printed { size, .. } = bookcase.label;
        assert_eq!((bookcase.book.len(), size), (1, None), "{stored}");
    }
}

/// One variant of its lamps has another member, and so has it.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "hall", version = 1)]
#[upgrade_from(0, model = HallV0)]
struct Hall {
    name: Option<String>,
    lamps: Vec<Lamp>,
}

#[derive(Debug, Document)]
#[document(type_name = "hall", version = 0, prior)]
struct HallV0 {
    lamps: Vec<LampV0>,
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "kind")]
enum Lamp {
    Round { width: u8, size: Option<u8> },
    Flat { width: u8 },
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum LampV0 {
    Round { width: u8 },
    Flat { width: u8 },
}

impl From<LampV0> for Lamp {
    fn from(prior: LampV0) -> Self {
        match prior {
            LampV0::Round { width } => Self::Round { width, size: None },
            LampV0::Flat { width } => Self::Flat { width },
        }
    }
}

impl From<HallV0> for Hall {
    fn from(prior: HallV0) -> Self {
        Self {
            name: None,
            lamps: prior.lamps.into_iter().map(Lamp::from).collect(),
        }
    }
}

/// The members of its lamp are beside its name.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "nook", version = 1)]
#[upgrade_from(0, model = NookV0)]
struct Nook {
    name: String,
    #[attribute(flatten)]
    lamp: Lamp,
}

#[derive(Debug, Document)]
#[document(type_name = "nook", version = 0, prior)]
struct NookV0 {
    name: String,
    #[attribute(flatten)]
    lamp: LampV0,
}

impl From<NookV0> for Nook {
    fn from(prior: NookV0) -> Self {
        Self {
            name: prior.name,
            lamp: prior.lamp.into(),
        }
    }
}

#[test]
fn what_is_lost_becomes_no_part_of_a_variant() {
    let registry = Registry::new().with::<Hall>();
    let round = r#"{"kind":"Round","width":1,"size":9}"#;
    let flat = r#"{"kind":"Flat","width":2,"size":8}"#;
    // A value that no variant can have is lost, too, and not read as one.
    let wide = r#"{"kind":"Round","width":1,"size":"wide"}"#;
    for (name, lamps, lost, sizes) in [
        ("", format!("[{round}]"), 1, 0),
        ("", format!("[{wide}]"), 1, 0),
        // The other variant has no such member.
        ("", format!("[{flat}]"), 0, 1),
        (r#""name":"x","#, format!("[{flat}]"), 1, 1),
        // Because a name that is a member in one element counts as one in all.
        ("", format!("[{round},{flat}]"), 2, 0),
    ] {
        let json = format!(r#"{{"type":"hall","schema_version":0,{name}"lamps":{lamps}}}"#);
        let toml = |json: &str| json.replace("\":", "\" = ");
        let in_lines = toml(name).replace(',', "\n");
        let in_lines = format!(
            "type = \"hall\"\nschema_version = 0\n{in_lines}lamps = {}\n",
            toml(&lamps)
        );
        for (format, stored) in [(Format::new(), json), (Format::toml(), in_lines)] {
            let rewrite = format.rewrite(&registry, None, stored.as_bytes());
            let rewrite = rewrite.unwrap().unwrap();
            assert_eq!(rewrite.lost, lost, "{stored}");
            let hall = format.read::<Hall>(&rewrite.bytes).unwrap();
            let has_size = |lamp: &Lamp| matches!(lamp, Lamp::Round { size: Some(_), .. });
            assert!(!hall.lamps.iter().any(has_size), "{stored}");
            assert_eq!((&hall.name, hall.undefined().len()), (&None, sizes));
            // A message names the first ones.
            let expected = if name.is_empty() {
                "lamps[0].size"
            } else {
                "name"
            };
            assert_eq!(rewrite.undefined[0].to_string(), expected, "{stored}");
        }
    }
}

/// Of its alcoves only the first one stays.
#[derive(Debug, Document)]
#[document(type_name = "corridor", version = 1)]
#[upgrade_from(0, model = CorridorV0)]
struct Corridor {
    alcoves: Vec<Alcove>,
}

#[derive(Debug, Document)]
struct Alcove {
    name: String,
    #[attribute(flatten)]
    lamp: Lamp,
}

#[derive(Debug, Document)]
#[document(type_name = "corridor", version = 0, prior)]
struct CorridorV0 {
    alcoves: Vec<AlcoveV0>,
}

#[derive(Debug, Document)]
struct AlcoveV0 {
    name: String,
    #[attribute(flatten)]
    lamp: LampV0,
}

impl From<AlcoveV0> for Alcove {
    fn from(prior: AlcoveV0) -> Self {
        Self {
            name: prior.name,
            lamp: prior.lamp.into(),
        }
    }
}

impl From<CorridorV0> for Corridor {
    fn from(prior: CorridorV0) -> Self {
        let alcoves = prior.alcoves.into_iter().take(1).map(Alcove::from);
        Self {
            alcoves: alcoves.collect(),
        }
    }
}

/// Its alcoves have keys.
#[derive(Debug, Document)]
#[document(type_name = "gallery", version = 1)]
#[upgrade_from(0, model = GalleryV0)]
struct Gallery {
    alcoves: BTreeMap<String, Alcove>,
}

#[derive(Debug, Document)]
#[document(type_name = "gallery", version = 0, prior)]
struct GalleryV0 {
    alcoves: BTreeMap<String, AlcoveV0>,
}

impl From<GalleryV0> for Gallery {
    fn from(prior: GalleryV0) -> Self {
        let alcoves = prior.alcoves.into_iter();
        let alcoves = alcoves.map(|(key, alcove)| (key, alcove.into()));
        Self {
            alcoves: alcoves.collect(),
        }
    }
}

#[test]
fn what_another_variant_of_an_element_has_stays_beside_what_is_lost() {
    let stored = r#"{"type":"corridor","schema_version":0,"alcoves":[{"name":"x","kind":"Flat","width":1,"size":8},{"name":"y","kind":"Flat","width":2,"odd":1}]}"#;
    let registry = Registry::new().with::<Corridor>();
    let rewrite = Format::new().rewrite(&registry, None, stored.as_bytes());
    let rewrite = rewrite.unwrap().unwrap();
    assert_eq!(rewrite.lost, 1);
    let expected = r#"{"type":"corridor","schema_version":1,"alcoves":[{"name":"x","kind":"Flat","width":1,"size":8}]}"#;
    assert_eq!(String::from_utf8(rewrite.bytes).unwrap(), expected);
}

#[test]
fn what_is_lost_becomes_no_part_of_a_flattened_variant() {
    let registry = Registry::new().with::<Nook>();
    for (lamp, lost) in [
        (r#""kind":"Round","width":1,"size":9"#, 1),
        (r#""kind":"Round","width":1,"size":"wide""#, 1),
        // The other variant has no such member.
        (r#""kind":"Flat","width":2,"size":8"#, 0),
    ] {
        let json = format!(r#"{{"type":"nook","schema_version":0,"name":"x",{lamp}}}"#);
        let lines = lamp.replace("\":", "\" = ").replace(',', "\n");
        let toml = format!("type = \"nook\"\nschema_version = 0\nname = \"x\"\n{lines}\n");
        for (format, stored) in [(Format::new(), json), (Format::toml(), toml)] {
            let rewrite = format.rewrite(&registry, None, stored.as_bytes());
            let rewrite = rewrite.unwrap().unwrap();
            assert_eq!(rewrite.lost, lost, "{stored}");
            let nook = format.read::<Nook>(&rewrite.bytes).unwrap();
            let has_size = matches!(nook.lamp, Lamp::Round { size: Some(_), .. });
            assert!(!has_size, "{stored}");
            assert_eq!(nook.undefined().len(), 1 - lost, "{stored}");
        }
    }
}

#[test]
fn what_is_lost_becomes_no_part_of_a_flattened_variant_in_a_map() {
    let registry = Registry::new().with::<Gallery>();
    for (lamp, lost) in [
        (r#""kind":"Round","width":1,"size":9"#, 1),
        (r#""kind":"Round","width":1,"size":"wide""#, 1),
        (r#""kind":"Flat","width":2,"size":8"#, 0),
    ] {
        let alcoves = format!(r#"{{"a":{{"name":"x",{lamp}}}}}"#);
        let stored = format!(r#"{{"type":"gallery","schema_version":0,"alcoves":{alcoves}}}"#);
        let rewrite = Format::new().rewrite(&registry, None, stored.as_bytes());
        let rewrite = rewrite.unwrap().unwrap();
        assert_eq!(rewrite.lost, lost, "{stored}");
        let gallery = Format::new().read::<Gallery>(&rewrite.bytes).unwrap();
        let has_size = |alcove: &Alcove| matches!(alcove.lamp, Lamp::Round { size: Some(_), .. });
        assert!(!gallery.alcoves.values().any(has_size), "{stored}");
        assert_eq!(gallery.undefined().len(), 1 - lost, "{stored}");
    }
}

#[test]
fn an_edit_does_not_make_what_was_undefined_a_part_of_the_model() {
    let text = r#"{"type":"cabinet","schema_version":0,"made":"x","odd":1}"#;
    let detail = "error: Undefined Values\nThe document holds at `odd` what no schema of its version defines, and the current model would read these values as its own. \
                  Add a field with `#[attribute(rest)]` to the model of version 0 and take it over in the upgrade";
    let cabinet: Cabinet = Format::new().from_slice(text.as_bytes()).unwrap();
    assert!(cabinet.others.is_empty());
    let refused = Format::new().edit(text.as_bytes(), &cabinet).unwrap_err();
    assert_eq!(refused.to_string(), format!("{detail}."));

    let mut row = Stored::<Cabinet, Rows>::parse(text).unwrap();
    assert_eq!(
        row.to_text().unwrap_err().to_string(),
        format!("{detail}, or call `Stored::allow_loss` in the program, which leaves them out.")
    );
    row.allow_loss();
    let written = row.to_text().unwrap();
    assert!(!written.contains("odd"), "{written}");
    let again: Cabinet = Format::new().from_slice(written.as_bytes()).unwrap();
    assert!(again.others.is_empty());
}

/// It keeps what no field names, if that is a number.
#[derive(Debug, Document)]
#[document(type_name = "drawer", version = 1)]
#[upgrade_from(0, model = DrawerV0)]
struct Drawer {
    made: String,
    #[attribute(rest)]
    sizes: BTreeMap<String, u8>,
}

#[derive(Debug, Document)]
#[document(type_name = "drawer", version = 0, prior)]
struct DrawerV0 {
    made: String,
}

impl From<DrawerV0> for Drawer {
    fn from(prior: DrawerV0) -> Self {
        Self {
            made: prior.made,
            sizes: BTreeMap::new(),
        }
    }
}

#[test]
fn an_edit_leaves_no_undefined_member_where_the_model_cannot_read_it() {
    for (text, format) in [
        (
            r#"{"type":"drawer","schema_version":0,"made":"x","odd":"wide"}"#,
            Format::new(),
        ),
        (
            r#"{"id":7,"data":{"made":"x","odd":"wide"},"type":"drawer","schema_version":0}"#,
            Format::new().attributes_member("data"),
        ),
    ] {
        let drawer: Drawer = format.from_slice(text.as_bytes()).unwrap();
        assert!(drawer.sizes.is_empty());
        let refused = format.edit(text.as_bytes(), &drawer).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("odd` what no schema"), "{refused}");
        assert!(!refused.contains("`id`"), "{refused}");
    }
    let text = r#"{"type":"drawer","schema_version":0,"made":"x","odd":"wide"}"#;
    let mut row = Stored::<Drawer, Rows>::parse(text).unwrap();
    row.allow_loss();
    let written = row.to_text().unwrap();
    let drawer: Drawer = Format::new().from_slice(written.as_bytes()).unwrap();
    assert_eq!((&*drawer.made, drawer.sizes.len()), ("x", 0));
}
