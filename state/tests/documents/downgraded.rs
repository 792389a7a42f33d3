//! Documents that go back to an earlier version, in their files.

use std::fs;

use upstate::{Document, Registry, Union};
use upstate_state::document::Format;
use upstate_state::{DowngradeGoals, Shown};

#[derive(Document)]
#[document(type_name = "app.look", version = 1)]
#[upgrade_from(0 => 1, rename(colour => theme), set(level = 3), drop(legacy: Option<String>, "nobody used it"))]
#[allow(dead_code, reason = "only its schema is used")]
struct Look {
    #[attribute(alias = "style")]
    theme: String,
    level: i64,
    zoom: Option<f64>,
}

/// One of which the earlier version had no copy.
#[derive(Document)]
#[document(type_name = "app.paint", version = 1)]
#[upgrade_from(0 => 1, copy(colour => shade))]
#[allow(dead_code, reason = "only its schema is used")]
struct Paint {
    colour: String,
    shade: String,
}

/// One of which a part had another name.
#[derive(Document)]
#[document(type_name = "app.view", version = 1)]
#[upgrade_from(0 => 1, rename(colour => theme), rename(window => frame))]
#[allow(dead_code, reason = "only its schema is used")]
struct View {
    theme: String,
    frame: Frame,
}

#[derive(Document)]
#[allow(dead_code, reason = "only its schema is used")]
struct Frame {
    width: i64,
}

/// One that a function made of its first version, and of which a part had another name.
#[derive(Document)]
#[document(type_name = "app.pane", version = 2)]
#[upgrade_from(1, model = PaneV1, rename(colour => theme), rename(window => frame))]
#[allow(dead_code, reason = "only its schema is used")]
struct Pane {
    theme: String,
    frame: Frame,
}

#[derive(Document)]
#[document(type_name = "app.pane", version = 1, prior)]
#[upgrade_from(0, model = PaneV0, downgrade = with_shade)]
struct PaneV1 {
    colour: String,
    window: Frame,
}

#[derive(Document)]
#[document(type_name = "app.pane", version = 0, prior)]
struct PaneV0 {
    shade: String,
    window: Frame,
}

impl From<PaneV0> for PaneV1 {
    fn from(PaneV0 { shade, window }: PaneV0) -> Self {
        let colour = shade;
        Self { colour, window }
    }
}

fn with_shade(PaneV1 { colour, window }: PaneV1) -> PaneV0 {
    let shade = colour;
    PaneV0 { shade, window }
}

/// One whose code was no secret.
#[derive(Document)]
#[document(type_name = "app.door", version = 1)]
#[upgrade_from(0, model = DoorV0, rename(digits => code))]
#[allow(dead_code, reason = "only its schema is used")]
struct Door {
    #[attribute(sensitive)]
    code: i64,
}

#[derive(Document)]
#[document(type_name = "app.door", version = 0, prior)]
#[allow(dead_code, reason = "only its schema is used")]
struct DoorV0 {
    digits: i64,
}

/// One of which a variant had another member.
#[derive(Document)]
#[document(type_name = "app.sign", version = 1)]
#[upgrade_from(0, model = SignV0, downgrade = with_size)]
struct Sign {
    shape: Shape,
}

#[derive(Union)]
#[union(tag = "kind")]
enum Shape {
    Round { width: i64 },
    Flat { width: i64 },
}

#[derive(Document)]
#[document(type_name = "app.sign", version = 0, prior)]
struct SignV0 {
    shape: ShapeV0,
}

#[derive(Union)]
#[union(tag = "kind")]
enum ShapeV0 {
    Round { width: i64, size: Option<i64> },
    Flat { width: i64 },
}

impl From<SignV0> for Sign {
    fn from(prior: SignV0) -> Self {
        let shape = match prior.shape {
            ShapeV0::Round { width, .. } => Shape::Round { width },
            ShapeV0::Flat { width } => Shape::Flat { width },
        };
        Self { shape }
    }
}

fn with_size(Sign { shape }: Sign) -> SignV0 {
    let shape = match shape {
        Shape::Round { width } => ShapeV0::Round { width, size: None },
        Shape::Flat { width } => ShapeV0::Flat { width },
    };
    SignV0 { shape }
}

fn registry() -> Registry {
    Registry::new()
        .with::<Look>()
        .with::<Paint>()
        .with::<View>()
}

fn goals() -> DowngradeGoals {
    DowngradeGoals::new(["app.look", "app.paint", "app.view"].map(|name| (name.to_owned(), 0)))
}

#[test]
fn all_but_the_values_stays() {
    for (format, stored, earlier) in [
        (
            Format::toml(),
            "# Of ada.\ntype = \"app.look\"\nschema_version = 1\ntheme = 'dark' # at night\nlevel = 3\nodd = 1\n",
            "# Of ada.\ntype = \"app.look\"\nschema_version = 0\ncolour = 'dark' # at night\nodd = 1\n",
        ),
        (
            Format::toml(),
            "type = \"app.paint\"\nschema_version = 1\nshade = 'red'\ncolour = 'red' # itself\n",
            "type = \"app.paint\"\nschema_version = 0\ncolour = 'red' # itself\n",
        ),
        (
            Format::jsonc(),
            "{\n  // Ours.\n  \"type\": \"app.look\",\n  \"schema_version\": 1,\n  \"theme\": \"dark\", // at night\n  \"level\": 3,\n  \"odd\": 1,\n}\n",
            "{\n  // Ours.\n  \"type\": \"app.look\",\n  \"schema_version\": 0,\n  \"colour\": \"dark\", // at night\n  \"odd\": 1,\n}\n",
        ),
        (
            Format::yaml(),
            "type: app.look\nschema_version: 1\nodd: 1\ntheme: dark\nlevel: 3\n",
            "type: app.look\nschema_version: 0\nodd: 1\ncolour: dark\n",
        ),
        (
            Format::new(),
            r#"{"odd":1,"style":"dark","zoom":0.1000000000000000055,"level":3,"type":"app.look","schema_version":1}"#,
            r#"{"odd":1,"colour":"dark","zoom":0.1000000000000000055,"type":"app.look","schema_version":0}"#,
        ),
        (
            Format::new().attributes_member("data"),
            r#"{"id":7,"data":{"theme":"dark","level":3,"zoom":1.5,"odd":1},"type":"app.look","schema_version":1}"#,
            r#"{"id":7,"data":{"colour":"dark","zoom":1.5,"odd":1},"type":"app.look","schema_version":0}"#,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, stored).unwrap();
        let plan = format
            .plan_downgrade(&registry(), None, &goals(), &path)
            .unwrap()
            .unwrap();
        assert_eq!((plan.rewrite().from, plan.rewrite().to), (1, 0));
        assert_eq!(fs::read_to_string(&path).unwrap(), stored);
        let done = format
            .downgrade_file(&registry(), None, &goals(), &path)
            .unwrap()
            .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), earlier);
        assert_eq!(done.changes(), plan.changes());
        assert!(done.rewrite().warnings.is_empty(), "{:?}", done.rewrite());
        assert_eq!(done.backup_path(), folder.path().join("file.v1.backup"));
        assert_eq!(fs::read_to_string(done.backup_path()).unwrap(), stored);
        let again = format.downgrade_file(&registry(), None, &goals(), &path);
        assert!(again.unwrap().is_none(), "it is of that version");
    }
}

#[test]
fn a_document_goes_back_to_the_format_of_the_earlier_version() {
    const OLD: Format<'static> = Format::new().without_type().version_member("v");
    const UNTIL: Format<'static> = OLD.until(&[("app.look", 0)]);
    const OTHER: Format<'static> = OLD.until(&[("app.paint", 0)]);
    const JSON: Format<'static> = Format::new().until(&[("app.look", 0)]);
    let name = Some("app.look");
    let stored =
        r#"{"odd":1,"theme":"dark","zoom":1.50,"level":3,"type":"app.look","schema_version":1}"#;
    let today = r#"{"odd":1,"colour":"dark","zoom":1.50,"type":"app.look","schema_version":0}"#;
    let toml = "type = \"app.look\"\nschema_version = 1\ntheme = 'dark'\nlevel = 3\nzoom = 1.5\n";
    for (format, stored, earlier) in [
        (
            Format::new().formerly(&UNTIL),
            stored,
            r#"{"odd":1,"colour":"dark","zoom":1.50,"v":0}"#,
        ),
        (Format::new().formerly(&OTHER), stored, today),
        (Format::new().formerly(&OLD), stored, today),
        (
            Format::toml().formerly(&JSON),
            toml,
            r#"{"type":"app.look","schema_version":0,"colour":"dark","zoom":1.5}"#,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, stored).unwrap();
        format
            .downgrade_file(&registry(), name, &goals(), &path)
            .unwrap()
            .unwrap();
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let written = fs::read_to_string(&path).unwrap();
        // Because another syntax keeps no order, and writes a member that may be null.
        let mut written = value(&written);
        if let Some(members) = written.as_object_mut() {
            members.retain(|_, member| !member.is_null());
        }
        assert_eq!(written, value(earlier));
        let again = format.downgrade_file(&registry(), name, &goals(), &path);
        assert!(again.unwrap().is_none(), "it is of that version");
        format.upgrade_file(&registry(), name, &path).unwrap();
        let upgraded = fs::read(&path).unwrap();
        let parsed = format.parse(&upgraded).unwrap();
        assert_eq!((parsed.version(), parsed.type_name()), (1, name));
    }
}

#[test]
fn what_stays_in_an_earlier_format_is_found_by_the_names_there() {
    const OLD: Format<'static> = Format::new()
        .attributes_member("old")
        .version_member("v")
        .until(&[("app.view", 0)]);
    let format = Format::new().attributes_member("data").formerly(&OLD);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    // One that another member has the name of there, and one in a part with another name.
    let stored = r#"{"data":{"theme":"dark","colour":"red","frame":{"width":1,"odd":2}},"type":"app.view","schema_version":1}"#;
    fs::write(&path, stored).unwrap();
    let done = format
        .downgrade_file(&registry(), None, &goals().allow_loss(true), &path)
        .unwrap()
        .unwrap();
    let written: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(
        written,
        serde_json::json!({
            "old": {"colour": "dark", "window": {"width": 1, "odd": 2}},
            "type": "app.view",
            "v": 0
        })
    );
    assert_eq!(done.rewrite().undefined.len(), 1);
}

#[test]
fn a_document_goes_back_under_the_name_that_its_type_had() {
    const RENAMED: Format<'static> = Format::new().former_types(&[("app.style", "app.look")]);
    let stored = r#"{"type":"app.look","schema_version":1,"theme":"dark","level":3,"zoom":1.5}"#;
    let earlier = r#"{"type":"app.style","schema_version":0,"colour":"dark","zoom":1.5}"#;
    let former = DowngradeGoals::new([("app.style".to_owned(), 0)]);
    for (goals, earlier) in [
        (former.clone(), earlier.to_owned()),
        (former.of_release("1.0.0"), earlier.to_owned()),
        // Only its name was another one.
        (
            DowngradeGoals::new([("app.style".to_owned(), 1)]),
            stored.replace("look", "style"),
        ),
        (goals(), earlier.replace("style", "look")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, stored).unwrap();
        let done = RENAMED.downgrade_file(&registry(), None, &goals, &path);
        let done = done.unwrap().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), earlier);
        assert!(earlier.contains(&done.rewrite().type_name));
        let again = RENAMED.downgrade_file(&registry(), None, &goals, &path);
        assert!(again.unwrap().is_none(), "it is of that version");
        RENAMED.upgrade_file(&registry(), None, &path).unwrap();
        let upgraded = fs::read_to_string(&path).unwrap();
        assert!(upgraded.contains("app.look"), "{upgraded}");
    }
}

#[test]
fn what_the_earlier_version_cannot_hold_is_refused_or_named() {
    // A value, a member whose name another one has there, and one that would be read as another.
    for (stored, named, earlier) in [
        (
            r#"{"type":"app.look","schema_version":1,"theme":"dark","level":5,"zoom":1.5}"#,
            "Version 0 cannot hold the value 5 (at level).",
            r#"{"type":"app.look","schema_version":0,"colour":"dark","zoom":1.5}"#,
        ),
        (
            r#"{"type":"app.look","schema_version":1,"theme":"dark","level":3,"zoom":1.5,"colour":"red"}"#,
            "The document holds at `colour` what no schema defines, and version 0 cannot hold 1 of these values.",
            r#"{"type":"app.look","schema_version":0,"colour":"dark","zoom":1.5}"#,
        ),
        (
            r#"{"type":"app.look","schema_version":1,"theme":"dark","level":3,"zoom":1.5,"legacy":7,"odd":1}"#,
            "The document holds at `legacy`, `odd` what no schema defines, and version 0 cannot hold 1 of these values: `legacy`.",
            r#"{"type":"app.look","schema_version":0,"colour":"dark","zoom":1.5,"odd":1}"#,
        ),
        // Kept, because it is beside a renamed member and not beside the one that is lost.
        (
            r#"{"type":"app.view","schema_version":1,"theme":"dark","colour":"red","frame":{"width":1,"odd":2}}"#,
            "and version 0 cannot hold 1 of these values: `colour`.",
            r#"{"type":"app.view","schema_version":0,"colour":"dark","window":{"width":1,"odd":2}}"#,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, stored).unwrap();
        let refused = Format::new()
            .downgrade_file(&registry(), None, &goals(), &path)
            .unwrap_err()
            .to_string();
        for part in [
            "can't be downgraded; the file is unchanged.",
            "Downgrade Would Lose a Value",
            named,
        ] {
            assert!(refused.contains(part), "{part} in {refused}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), stored);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let goals = goals().allow_loss(true);
        let done = Format::new()
            .downgrade_file(&registry(), None, &goals, &path)
            .unwrap()
            .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), earlier);
        assert_eq!(fs::read_to_string(done.backup_path()).unwrap(), stored);
        let warnings = done.rewrite().warnings.to_string();
        assert!(warnings.contains(named), "{named} in {warnings}");
    }
}

#[test]
fn all_of_many_stay_but_the_one_that_the_earlier_version_cannot_hold() {
    let odd: Vec<String> = (0..9_000)
        .map(|index| format!(r#","odd{index}":1"#))
        .collect();
    let odd = odd.concat();
    let document = |version: u8, members: &str| {
        format!(r#"{{"type":"app.look","schema_version":{version},{members}{odd}}}"#)
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let stored = document(1, r#""theme":"dark","legacy":7,"level":3,"zoom":1.5"#);
    fs::write(&path, stored).unwrap();
    let goals = goals().allow_loss(true);
    let done = Format::new()
        .downgrade_file(&registry(), None, &goals, &path)
        .unwrap()
        .unwrap();
    assert_eq!(done.rewrite().undefined.len(), 9_000);
    assert!(fs::read_to_string(&path).unwrap() == document(0, r#""colour":"dark","zoom":1.5"#));
}

#[test]
fn what_stays_is_found_by_the_names_of_a_version_that_a_function_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    // One that another member has the name of there, and one in a part with another name.
    let stored = r#"{"type":"app.pane","schema_version":2,"theme":"dark","shade":"red","frame":{"width":1,"odd":2}}"#;
    fs::write(&path, stored).unwrap();
    let registry = Registry::new().with::<Pane>();
    let goals = DowngradeGoals::new([("app.pane".to_owned(), 0)]);
    let goals = goals.allow_loss(true);
    let done = Format::new()
        .downgrade_file(&registry, None, &goals, &path)
        .unwrap()
        .unwrap();
    let earlier = fs::read_to_string(&path).unwrap();
    for member in [r#""shade":"dark""#, r#""window":{"width":1,"odd":2}"#] {
        assert!(earlier.contains(member), "{member} in {earlier}");
    }
    let warnings = done.rewrite().warnings.to_string();
    let lost = "cannot hold 1 of these values: `shade`.";
    assert!(warnings.contains(lost), "{warnings}");
    assert_eq!(done.rewrite().undefined.len(), 1);
}

#[test]
fn what_would_be_a_member_of_a_variant_is_refused_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let registry = Registry::new().with::<Sign>();
    let goals = DowngradeGoals::new([("app.sign".to_owned(), 0)]);
    let document = |shape: &str| {
        let stored = format!(r#"{{"type":"app.sign","schema_version":1,"shape":{shape}}}"#);
        fs::write(&path, stored).unwrap();
    };
    document(r#"{"kind":"Round","width":1,"size":9}"#);
    let refused = Format::new().downgrade_file(&registry, None, &goals, &path);
    let refused = refused.unwrap_err().to_string();
    let named = "holds at `shape.size` what no schema defines, and version 0 cannot hold 1 of these values.";
    assert!(refused.contains(named), "{refused}");
    let loses = goals.clone().allow_loss(true);
    let done = Format::new().downgrade_file(&registry, None, &loses, &path);
    let warnings = done.unwrap().unwrap().rewrite().warnings.to_string();
    assert!(warnings.contains(named), "{warnings}");
    assert!(!fs::read_to_string(&path).unwrap().contains('9'));
    // The other variant had no such member.
    document(r#"{"kind":"Flat","width":1,"size":9}"#);
    let done = Format::new().downgrade_file(&registry, None, &goals, &path);
    assert_eq!(done.unwrap().unwrap().rewrite().undefined.len(), 1);
    assert!(fs::read_to_string(&path).unwrap().contains(r#""size":9"#));
}

#[test]
fn what_is_secret_today_is_not_shown_where_it_goes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let stored = r#"{"type":"app.door","schema_version":1,"code":12}"#;
    fs::write(&path, stored).unwrap();
    let registry = Registry::new().with::<Door>();
    let goals = DowngradeGoals::new([("app.door".to_owned(), 0)]);
    let plan = Format::new().plan_downgrade(&registry, None, &goals, &path);
    let plan = plan.unwrap().unwrap();
    assert_eq!(
        plan.rewrite().bytes,
        br#"{"type":"app.door","schema_version":0,"digits":12}"#
    );
    let changes = plan.changes().iter();
    let shown: Vec<&Shown> = changes
        .flat_map(|change| [change.old(), change.new_value()])
        .flatten()
        .collect();
    assert_eq!(shown, [&Shown::Hidden, &Shown::Hidden]);
}

#[test]
fn what_cannot_go_back_stays() {
    let look = r#"{"type":"app.look","schema_version":1,"theme":"dark","level":3}"#;
    let (of_release, none) = (goals().of_release("1.0.0"), DowngradeGoals::new([]));
    let without_type = none.clone().of_release("1.0.0");
    for (goals, stored, expected) in [
        (&none, look.to_owned(), None),
        (&of_release, look.replace(":1", ":0"), None),
        (
            &of_release,
            look.replace(":1", ":2"),
            Some("A later release stored the document, at schema version 2"),
        ),
        (
            &without_type,
            look.to_owned(),
            Some("Release 1.0.0 did not have app.look."),
        ),
        (
            &of_release,
            look.replace("app.look", "app.other"),
            Some("app.other"),
        ),
        (
            &of_release,
            look.replace('}', ""),
            Some("The stored document does not fit schema version 1: not valid JSON"),
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, &stored).unwrap();
        let done = Format::new().downgrade_file(&registry(), None, goals, &path);
        match (done, expected) {
            (Ok(done), None) => assert!(done.is_none(), "{stored}"),
            (Ok(_), Some(part)) => panic!("{stored} went back, though {part}"),
            (Err(error), None) => panic!("{stored}: {error}"),
            (Err(error), Some(part)) => assert!(error.to_string().contains(part), "{error}"),
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), stored);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
