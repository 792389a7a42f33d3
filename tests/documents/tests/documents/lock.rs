//! The lock remembers everything that a document stores, and the rules judge it by what documents
//! need.

#![allow(clippy::unwrap_used, clippy::panic, dead_code, reason = "tests")]

use upstate::{CurrentModel, Document, Registry};
use upstate_compat::lock::Lock;
use upstate_compat::{Level, Options, Snapshot, compare};

fn lock_of(registry: &Registry) -> String {
    let mut lock = Lock::default();
    lock.freeze(&Snapshot::of(registry), "1.0.0".parse().unwrap())
        .unwrap();
    lock.to_string()
}

/// The rules that the change from one model to the other breaks, each with the level, the path and
/// the message.
fn findings(old: &Registry, new: &Registry) -> Vec<(Level, String)> {
    let old = Snapshot::of(old).at("1.0.0".parse().unwrap());
    let new = Snapshot::of(new).at("1.1.0".parse().unwrap());
    let report = compare(&old, &new, &Options::default());
    report
        .findings
        .iter()
        .map(|finding| {
            (
                finding.level,
                format!("{}: {}", finding.rule.id(), finding.message),
            )
        })
        .collect()
}

mod whole {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note", rename_all = "camelCase")]
    pub(super) struct Note {
        pub title: String,
        #[attribute(default = 3)]
        pub stars: u8,
        #[attribute(default)]
        pub tags: Vec<String>,
        #[attribute(flatten)]
        pub size: Size,
        #[attribute(flatten)]
        pub place: Option<Place>,
        pub inner: Inner,
        #[attribute(default = made())]
        pub identifier: u64,
    }

    /// Another one each time.
    fn made() -> u64 {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    }

    #[derive(Debug, Document)]
    #[document(rename_all = "camelCase")]
    pub(super) struct Size {
        pub max_width: u32,
        #[attribute(default = 4)]
        pub height: u32,
    }

    #[derive(Debug, Document)]
    pub(super) struct Place {
        pub x: i32,
    }

    #[derive(Debug, Document)]
    #[document(default)]
    pub(super) struct Inner {
        pub on: bool,
    }

    impl Default for Inner {
        fn default() -> Self {
            Self { on: true }
        }
    }
}

#[test]
fn flattened_members_and_defaults_are_lines_of_the_lock() {
    let lock = lock_of(&Registry::new().with::<whole::Note>());
    let (_, entry) = lock.split_once("\n[note 0] ").unwrap();
    let lines: Vec<&str> = entry
        .lines()
        .skip(1)
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(
        lines,
        [
            r#"@kind = "document""#,
            r#"@flattened = "none""#,
            r#"height = "number" {"default":4,"optional":true,"validators":{"stored integer":"u32"}}"#,
            // A default that is another each time is none for the lock.
            r#"identifier = "number" {"optional":true,"validators":{"stored integer":"u64"}}"#,
            r#"inner = nested single {"required":true}"#,
            r#"inner.on = "bool" {"default":true,"optional":true}"#,
            r#"maxWidth = "number" {"required":true,"validators":{"stored integer":"u32"}}"#,
            r#"stars = "number" {"default":3,"optional":true,"validators":{"stored integer":"u8"}}"#,
            r#"tags = ["list","string"] {"default":[],"optional":true}"#,
            r#"title = "string" {"required":true}"#,
            r#"x = "number" {"optional":true,"validators":{"stored integer":"i32"}}"#,
        ]
    );
}

mod flat {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note", rename_all = "camelCase")]
    pub(super) struct Note {
        pub title: String,
        pub max_width: u32,
    }

    #[derive(Debug, Document)]
    #[document(rename_all = "camelCase")]
    pub(super) struct Size {
        pub max_width: u32,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "note")]
    pub(super) struct Flattened {
        pub title: String,
        #[attribute(flatten)]
        pub size: Size,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "note", version = 1)]
    #[upgrade_from(0 => 1, rename(title => name))]
    pub(super) struct Renamed {
        pub name: String,
        #[attribute(flatten)]
        pub size: Size,
    }
}

#[test]
fn where_a_member_is_declared_is_not_part_of_the_shape() {
    let (own, flattened) = (
        Registry::new().with::<flat::Note>(),
        Registry::new().with::<flat::Flattened>(),
    );
    assert_eq!(lock_of(&own), lock_of(&flattened));
    assert_eq!(findings(&own, &flattened), []);
    // Nor is it for an earlier version that operators describe.
    let renamed = Registry::new().with::<flat::Renamed>();
    let prior = Snapshot::of(&renamed)
        .priors
        .remove("note")
        .unwrap()
        .remove(&0)
        .unwrap();
    assert_eq!(
        prior.attributes.keys().collect::<Vec<_>>(),
        ["maxWidth", "title"]
    );
    let mut lock = Lock::default();
    lock.freeze(&Snapshot::of(&flattened), "1.0.0".parse().unwrap())
        .unwrap();
    lock.freeze(&Snapshot::of(&renamed), "1.1.0".parse().unwrap())
        .unwrap();
}

mod first {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note")]
    pub(super) struct Note {
        pub title: String,
        #[attribute(default = 3)]
        pub stars: u8,
        #[attribute(default = 1)]
        pub size: u8,
        #[attribute(sensitive, default = "none")]
        pub password: String,
        pub author: Option<String>,
        pub page: u32,
    }
}

mod second {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note")]
    pub(super) struct Note {
        pub title: String,
        /// The last release filled in 3.
        #[attribute(default = 5)]
        pub stars: u8,
        pub size: u8,
        #[attribute(sensitive, default = "secret")]
        pub password: String,
        pub author: String,
        pub page: u16,
        #[attribute(default)]
        pub pinned: bool,
        pub shelf: String,
    }
}

#[test]
fn a_changed_document_is_judged_by_what_is_stored() {
    let found = findings(
        &Registry::new().with::<first::Note>(),
        &Registry::new().with::<second::Note>(),
    );
    let found: Vec<String> = found
        .iter()
        .map(|(level, message)| format!("{} {message}", level.name()))
        .collect();
    assert_eq!(
        found,
        [
            "error release-bump-insufficient: the release number promises less change than there is (1.0.0 -> 1.1.0, where major changes need 2.0.0 at least)",
            "error schema-version-not-bumped: note: the stored shape changed, and the version did not (was 0)",
            "breaking member-required: note.author must be there now",
            "breaking validator-tightened: note.page: fewer values are read: stored integer \"u32\" -> stored integer \"u16\"",
            "potential absent-value-changed: note.password: an absent member reads as another value: a value -> a value",
            "breaking member-required: note.shelf must be there now (string, required)",
            "breaking member-required: note.size must be there now",
            "potential absent-value-changed: note.stars: an absent member reads as another value: default 3 -> default 5",
            "safe description-changed: note.stars: the documentation says something else",
        ]
    );
}

mod upgraded {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note", version = 1)]
    #[upgrade_from(0 => 1, rename(title => name), drop(page: u32, "pages have no numbers"), set(shelf = "main"))]
    pub(super) struct Note {
        pub name: String,
        #[attribute(default = 3)]
        pub stars: u8,
        #[attribute(default = 1)]
        pub size: u8,
        #[attribute(sensitive, default = "none")]
        pub password: String,
        pub author: Option<String>,
        pub shelf: String,
    }
}

#[test]
fn nobody_has_to_do_anything_for_what_is_upgraded() {
    let report = {
        let old = Snapshot::of(&Registry::new().with::<first::Note>()).at("1.0.0".parse().unwrap());
        let new =
            Snapshot::of(&Registry::new().with::<upgraded::Note>()).at("1.1.0".parse().unwrap());
        compare(&old, &new, &Options::default())
    };
    assert!(report.ok, "{:#?}", report.findings);
    let found: Vec<_> = report
        .findings
        .iter()
        .map(|finding| {
            format!(
                "{} {}: {}",
                finding.level.name(),
                finding.message,
                finding.remediation
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "safe note.page is gone (was number, required): Nothing.",
            "safe note.shelf must be there now (string, required): Nothing.",
            "safe note.title has another name: title -> name: Nothing.",
        ]
    );
}

mod secret {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note", version = 1)]
    #[upgrade_from(0 => 1, rename(name => title))]
    pub(super) struct Note {
        pub title: String,
        #[attribute(flatten)]
        pub account: Option<Account>,
    }

    #[derive(Debug, Document)]
    pub(super) struct Account {
        pub user: String,
        #[attribute(sensitive)]
        pub tokens: std::collections::BTreeMap<String, u32>,
    }
}

#[test]
fn what_a_flattened_field_hides_is_in_no_message() {
    for (version, name) in [(0, "name"), (1, "title")] {
        let json =
            format!(r#"{{"{name}": "x", "user": "ada", "tokens": {{"hunter2": "hunter3"}}}}"#);
        let error = upstate::upgrade_json::<secret::Note>(version, json)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("tokens") && !error.contains("hunter"),
            "{error}"
        );
    }
}

#[test]
fn an_absent_member_reads_as_the_former_default_by_a_struct_of_the_earlier_version() {
    #[derive(Debug, Document)]
    #[document(type_name = "stars", version = 0, prior)]
    struct StarsV0 {
        #[attribute(default = 3)]
        stars: u8,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "stars", version = 1)]
    #[upgrade_from(0, model = StarsV0)]
    struct Stars {
        #[attribute(default = 5)]
        stars: u8,
    }

    impl From<StarsV0> for Stars {
        fn from(prior: StarsV0) -> Self {
            Self { stars: prior.stars }
        }
    }

    assert_eq!(upstate::upgrade_json::<Stars>(0, "{}").unwrap().stars, 3);
    assert_eq!(upstate::upgrade_json::<Stars>(1, "{}").unwrap().stars, 5);
}

mod open {
    use std::collections::BTreeMap;

    use serde_json::Value;
    use upstate::Union;

    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note")]
    pub(super) struct Note {
        pub title: String,
        #[attribute(flatten)]
        pub look: Look,
        #[attribute(flatten)]
        pub place: Option<Place>,
        pub inner: Inner,
        pub parts: Vec<Part>,
    }

    #[derive(Debug, Union)]
    #[union(tag = "look")]
    pub(super) enum Look {
        Plain,
        Sepia { tone: u8 },
    }

    #[derive(Debug, Union)]
    #[union(tag = "place")]
    pub(super) enum Place {
        Home,
        Away,
    }

    #[derive(Debug, Document)]
    pub(super) struct Inner {
        #[attribute(flatten)]
        pub counts: BTreeMap<String, u32>,
    }

    #[derive(Debug, Union)]
    pub(super) enum Part {
        Text(Text),
    }

    #[derive(Debug, Document)]
    pub(super) struct Text {
        pub text: String,
        #[attribute(rest)]
        pub rest: BTreeMap<String, Value>,
    }
}

mod closed {
    use std::collections::BTreeMap;

    use upstate::Union;

    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note")]
    pub(super) struct Note {
        #[attribute(flatten)]
        pub place: open::Place,
        pub title: String,
        #[attribute(flatten)]
        pub look: Look,
        pub inner: Inner,
        pub parts: Vec<Part>,
    }

    #[derive(Debug, Union)]
    #[union(tag = "look")]
    pub(super) enum Look {
        Plain,
        Green,
    }

    #[derive(Debug, Document)]
    pub(super) struct Inner {
        #[attribute(flatten)]
        pub counts: BTreeMap<String, u8>,
    }

    #[derive(Debug, Union)]
    pub(super) enum Part {
        Text(Text),
    }

    #[derive(Debug, Document)]
    pub(super) struct Text {
        pub text: String,
    }
}

#[test]
fn flattened_enums_and_maps_are_lines_of_the_lock() {
    let lock = lock_of(&Registry::new().with::<open::Note>());
    let (_, entry) = lock.split_once("\n[note 0] ").unwrap();
    let lines: Vec<&str> = entry
        .lines()
        .filter(|line| line.contains('*') || line.starts_with("@flattened"))
        .collect();
    assert_eq!(
        lines,
        [
            r#"@flattened = "b0da42810ce0dfdd""#,
            r#"* = ["union","internal look",[["Plain",["tuple",[]]],["Sepia",["object",{"tone":"number"}]]]] {"required":true,"validators":{"stored inside":{"Sepia.tone":"u8"}}}"#,
            r#"* = ["union","internal place",[["Away",["tuple",[]]],["Home",["tuple",[]]]]] null {"optional":true}"#,
            r#"inner.* = ["map","number"] {"optional":true,"validators":{"stored integer":"u32"}}"#,
            r#"parts.Text.* = ["map","json"] {"optional":true}"#,
        ]
    );
    assert_eq!(Lock::parse(&lock).unwrap().to_string(), lock);
    // Such a field has no name to remember, so that nothing else notices an edit of it.
    let edited = lock.replace("Sepia", "Green");
    let refused = Lock::parse(&edited).unwrap_err().to_string();
    assert!(
        refused.contains("the lines of flattened enums and maps of `[note 0]` were edited"),
        "{refused}"
    );
}

#[test]
fn a_released_version_keeps_its_flattened_enums_and_maps() {
    let changed = Snapshot::of(&Registry::new().with::<closed::Note>());
    let mut lock = Lock::parse(&lock_of(&Registry::new().with::<open::Note>())).unwrap();
    let refused = lock.freeze(&changed, "1.1.0".parse().unwrap()).unwrap_err();
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        [
            r#"note version 0: `*` no longer has the variant "Sepia""#,
            "note version 0: `*` has to be there now: it is not an `Option` any more",
            "note version 0: `inner.*` is read as u8 now, and was stored as u32",
            r#"note version 0: `parts.Text.*` is gone, which was ["map","json"]"#,
        ]
    );
}

#[test]
fn a_lock_that_is_older_than_these_lines_gets_them_at_the_next_release() {
    let registry = Registry::new().with::<open::Note>();
    let lines = |lock: &str| {
        lock.lines()
            .filter(|line| line.contains("* = ") || line.starts_with("@flattened"))
            .count()
    };
    let written = lock_of(&registry);
    let older: Vec<&str> = written
        .lines()
        .filter(|line| !line.contains("* = ") && !line.starts_with("@flattened"))
        .collect();
    let mut lock = Lock::parse(&older.join("\n")).unwrap();
    // Nothing is known of them, so that nothing is a difference.
    let changed = Snapshot::of(&Registry::new().with::<closed::Note>());
    lock.clone()
        .freeze(&changed, "1.1.0".parse().unwrap())
        .unwrap();
    let report = compare(
        &lock.baseline(),
        &changed.at("1.1.0".parse().unwrap()),
        &Options::default(),
    );
    assert!(
        report.ok && report.findings.is_empty(),
        "{:#?}",
        report.findings
    );
    lock.freeze(&Snapshot::of(&registry), "1.1.0".parse().unwrap())
        .unwrap();
    assert_eq!((lines(&older.join("\n")), lines(&lock.to_string())), (0, 5));
}

#[test]
fn rules_judge_flattened_enums_and_maps() {
    let (old, new) = (
        Registry::new().with::<open::Note>(),
        Registry::new().with::<closed::Note>(),
    );
    let found: Vec<String> = findings(&old, &new)
        .iter()
        .map(|(level, message)| format!("{} {message}", level.name()))
        .collect();
    assert_eq!(
        found,
        [
            "error release-bump-insufficient: the release number promises less change than there is (1.0.0 -> 1.1.0, where major changes need 2.0.0 at least)",
            "error schema-version-not-bumped: note: the stored shape changed, and the version did not (was 0)",
            "safe variant-added: note.*: an enum with data has one variant more (Green)",
            "breaking variant-removed: note.*: an enum with data has one variant less (was Sepia)",
            "breaking member-required: note.*2 must be there now",
            "breaking validator-tightened: note.inner.*: fewer values are read: stored integer \"u32\" -> stored integer \"u8\"",
            "breaking attribute-removed: note.parts.Text.* is gone (was map of json, optional)",
        ]
    );
    assert_eq!(findings(&old, &Registry::new().with::<open::Note>()), []);
}

/// Objects that no line of the lock has the members of.
mod held {
    use super::*;
    use upstate::Union;

    macro_rules! notes {
        ($($name:ident: { $($member:tt)* };)*) => {$(
            pub(super) mod $name {
                use super::*;

                #[derive(Debug, Document)]
                #[document(type_name = "note")]
                pub(in super::super) struct Note {
                    #[attribute(flatten)]
                    pub place: Place,
                    #[attribute(flatten)]
                    pub size: Size,
                    pub cells: Vec<Vec<Cell>>,
                    pub look: Look,
                    pub pair: (u8, Cell),
                }

                #[derive(Debug, Union)]
                #[union(tag = "place")]
                pub(in super::super) enum Place {
                    Home,
                    Away { distance: u32 },
                }

                #[derive(Debug, Union)]
                #[union(tag = "size")]
                pub(in super::super) enum Size {
                    Round { radius: u32, $($member)* },
                }

                #[derive(Debug, Document)]
                pub(in super::super) struct Cell {
                    pub x: u8,
                    $($member)*
                }

                #[derive(Debug, Union)]
                pub(in super::super) enum Look {
                    Plain,
                    Sepia { tone: u8, $($member)* },
                }
            }
        )*};
    }

    notes! {
        first: {};
        optional: { grain: Option<u8>, #[attribute(default = 3)] depth: u8 };
        required: { grain: u8 };
    }
}

#[test]
fn a_member_that_objects_inside_of_types_must_have_is_breaking() {
    let first = Registry::new().with::<held::first::Note>();
    let found = findings(&first, &Registry::new().with::<held::required::Note>());
    let found: Vec<String> = found
        .iter()
        .map(|(level, message)| format!("{} {message}", level.name()))
        .collect();
    assert_eq!(
        found,
        [
            "error release-bump-insufficient: the release number promises less change than there is (1.0.0 -> 1.1.0, where major changes need 2.0.0 at least)",
            "error schema-version-not-bumped: note: the stored shape changed, and the version did not (was 0)",
            "breaking member-required: note.*2.Round.grain must be there now (number)",
            "breaking member-required: note.cells[*][*].grain must be there now (number)",
            "breaking member-required: note.look.Sepia.grain must be there now (number)",
            "breaking member-required: note.pair[1].grain must be there now (number)",
        ]
    );
    // A member that may be absent is not a finding, as with members that have lines.
    let optional = Registry::new().with::<held::optional::Note>();
    assert_eq!(findings(&first, &optional), []);
    // The compiler takes it in a new version only, so that this one is not unneeded.
    let mut raised = Snapshot::of(&optional).at("1.1.0".parse().unwrap());
    raised.resources.get_mut("note").unwrap().version = 1;
    let report = compare(
        &Snapshot::of(&first).at("1.0.0".parse().unwrap()),
        &raised,
        &Options::default(),
    );
    let rules: Vec<&str> = report
        .findings
        .iter()
        .map(|finding| finding.rule.id())
        .collect();
    assert!(
        !rules.contains(&"schema-version-bump-unneeded"),
        "{rules:?}"
    );
}

/// One enum in four forms: what is stored is not read by another one.
mod tagged {
    use super::*;
    use upstate::Union;

    macro_rules! looks {
        ($($name:ident: $(#[$attribute:meta])* { $($variant:ident),* };)*) => {$(
            pub(super) mod $name {
                use super::*;

                #[derive(Debug, Document)]
                #[document(type_name = "note")]
                pub(in super::super) struct Note {
                    pub look: Look,
                }

                #[derive(Debug, Union)]
                $(#[$attribute])*
                #[union(rename_all = "camelCase")]
                pub(in super::super) enum Look {
                    $($variant { tone: $variant }),*
                }

                use u8 as Number;
                use String as Text;
            }
        )*};
    }

    looks! {
        external: { Number, Text };
        internal: #[union(tag = "kind")] { Number, Text };
        renamed: #[union(tag = "type")] { Number, Text };
        adjacent: #[union(tag = "kind", content = "of")] { Number, Text };
        untagged: #[union(untagged)] { Number, Text };
        reordered: #[union(untagged)] { Text, Number };
    }
}

#[test]
fn another_tagging_of_an_enum_is_breaking() {
    fn judged<Old: CurrentModel, New: CurrentModel>() -> Vec<String> {
        let found = findings(
            &Registry::new().with::<Old>(),
            &Registry::new().with::<New>(),
        );
        let found = found.into_iter().filter(|(_, message)| {
            !message.contains("release-bump") && !message.contains("not-bumped")
        });
        found
            .map(|(level, message)| format!("{} {message}", level.name()))
            .collect()
    }
    let breaking = |was: &str, is: &str| {
        vec![format!(
            "breaking union-tagging-changed: note.look: the values of an enum with data name their variant in another way: {was} -> {is}"
        )]
    };
    assert_eq!(
        judged::<tagged::external::Note, tagged::internal::Note>(),
        breaking("external", "internal kind")
    );
    assert_eq!(
        judged::<tagged::internal::Note, tagged::renamed::Note>(),
        breaking("internal kind", "internal type")
    );
    assert_eq!(
        judged::<tagged::internal::Note, tagged::adjacent::Note>(),
        breaking("internal kind", "adjacent kind of")
    );
    assert_eq!(
        judged::<tagged::adjacent::Note, tagged::untagged::Note>(),
        breaking("adjacent kind of", "untagged")
    );
    // The first is read of untagged variants that fit equally well.
    assert_eq!(
        judged::<tagged::untagged::Note, tagged::reordered::Note>(),
        breaking("untagged (number, text)", "untagged (text, number)")
    );
    assert_eq!(
        judged::<tagged::untagged::Note, tagged::untagged::Note>(),
        [""; 0]
    );
}

/// Variants without tags, of which the first that takes a number is read.
mod sized {
    use super::*;
    use upstate::Union;

    macro_rules! sizes {
        ($($name:ident: $few:ident, $many:ident;)*) => {$(
            pub(super) mod $name {
                use super::*;

                #[derive(Debug, Document)]
                #[document(type_name = "note")]
                pub(in super::super) struct Note {
                    pub sizes: Vec<Size>,
                }

                #[derive(Debug, Union)]
                #[union(untagged)]
                pub(in super::super) enum Size {
                    Few { count: $few },
                    Many { count: $many },
                }
            }
        )*};
    }

    sizes! {
        small: u8, u64;
        wide: u16, u64;
        long: u8, u128;
        of_text: u8, String;
        wide_of_text: u16, String;
    }
}

#[test]
fn an_untagged_variant_may_not_take_the_values_of_a_later_one() {
    fn judged<Old: CurrentModel, New: CurrentModel>() -> (Vec<String>, Vec<String>) {
        let [old, new] = [Registry::new().with::<Old>(), Registry::new().with::<New>()];
        let mut lock = Lock::parse(&lock_of(&old)).unwrap();
        let refused = lock.freeze(&Snapshot::of(&new), "1.1.0".parse().unwrap());
        let refused = refused
            .err()
            .iter()
            .flat_map(|refused| refused.iter().map(ToString::to_string))
            .collect();
        let found = findings(&old, &new)
            .into_iter()
            .map(|(_, message)| message)
            .filter(|message| message.starts_with("union-tagging-changed"))
            .collect();
        (refused, found)
    }
    let (refused, found) = judged::<sized::small::Note, sized::wide::Note>();
    let sentence = "note version 0: `sizes[*]` reads values of the variant \"Many\" as \"Few\" now, which takes more than it did";
    assert_eq!(refused, [sentence]);
    assert!(
        matches!(&*found, [one] if one.ends_with(": Many -> Few")),
        "{found:?}"
    );
    for fine in [
        judged::<sized::small::Note, sized::small::Note>(),
        judged::<sized::small::Note, sized::long::Note>(),
        judged::<sized::of_text::Note, sized::wide_of_text::Note>(),
    ] {
        assert_eq!(fine, (Vec::new(), Vec::new()));
    }
}

/// Enums of which some variants have no tag.
mod partly {
    use upstate::Union;

    use super::*;

    macro_rules! notes {
        ($($name:ident: { $($(#[$own:meta])* $variant:ident { $member:ident }),* };)*) => {$(
            pub(super) mod $name {
                use super::*;

                #[derive(Debug, Document)]
                #[document(type_name = "note")]
                pub(in super::super) struct Note {
                    pub looks: Vec<Look>,
                    #[attribute(flatten)]
                    pub size: Size,
                }

                #[derive(Debug, Union)]
                pub(in super::super) enum Look {
                    Plain,
                    $($(#[$own])* $variant { $member: u8 }),*
                }

                #[derive(Debug, Union)]
                #[union(tag = "size")]
                pub(in super::super) enum Size {
                    Small,
                    $($(#[$own])* $variant { $member: u8 }),*
                }
            }
        )*};
    }

    notes! {
        tagged: { Toned { tone }, Named { name } };
        untagged: { #[attribute(untagged)] Toned { tone }, #[attribute(untagged)] Named { name } };
        reordered: { #[attribute(untagged)] Named { name }, #[attribute(untagged)] Toned { tone } };
        grown: {
            #[attribute(untagged)] Toned { tone },
            #[attribute(untagged)] Named { name },
            #[attribute(untagged)] Other { other }
        };
        zoned: { Zoned { zone } };
        bare: { #[attribute(untagged)] Bare { bare } };
        zoned_or_bare: { Zoned { zone }, #[attribute(untagged)] Bare { bare } };
    }
}

#[test]
fn the_variants_without_a_tag_are_a_fact_of_the_lock() {
    let lock = lock_of(&Registry::new().with::<partly::untagged::Note>());
    let line = r#"@untagged = {"*":["Toned","Named"],"looks":["Toned","Named"]}"#;
    assert!(lock.lines().any(|found| found == line), "{lock}");
    assert_eq!(Lock::parse(&lock).unwrap().to_string(), lock);
    // An entry of before there was such a line takes it by hand, as the compiler's message has it.
    let before = lock.replace(&format!("{line}\n"), "");
    assert_ne!(
        Lock::parse(&before).unwrap(),
        Lock::parse(&lock).unwrap(),
        "{before}"
    );
    let (first, rest) = before.split_once("[note 0] ").unwrap();
    let (header, rest) = rest.split_once('\n').unwrap();
    let by_hand = format!("{first}[note 0] {header}\n{line}\n{rest}");
    assert_eq!(Lock::parse(&by_hand).unwrap().to_string(), lock);
    // Without them there is no line, so that earlier locks are the same.
    let lock = lock_of(&Registry::new().with::<partly::tagged::Note>());
    assert!(!lock.contains("@untagged"), "{lock}");
}

#[test]
fn a_released_variant_keeps_or_lacks_its_tag() {
    fn refused<Old: CurrentModel, New: CurrentModel>() -> Vec<String> {
        let mut lock = Lock::parse(&lock_of(&Registry::new().with::<Old>())).unwrap();
        let refused = lock.freeze(
            &Snapshot::of(&Registry::new().with::<New>()),
            "1.1.0".parse().unwrap(),
        );
        refused
            .err()
            .iter()
            .flat_map(|refused| refused.iter().map(ToString::to_string))
            .collect()
    }
    fn judged<Old: CurrentModel, New: CurrentModel>() -> Vec<String> {
        let old = Lock::parse(&lock_of(&Registry::new().with::<Old>()))
            .unwrap()
            .baseline();
        let new = Snapshot::of(&Registry::new().with::<New>()).at("1.1.0".parse().unwrap());
        let report = compare(&old, &new, &Options::default());
        let found = report
            .findings
            .iter()
            .filter(|finding| finding.rule.id() == "union-tagging-changed");
        found
            .map(|finding| format!("{} {:?} {:?}", finding.path, finding.old, finding.new))
            .collect()
    }
    let each = |was: &str, is: &str| {
        let paths = ["*.Named", "*.Toned", "looks.Named", "looks.Toned"];
        let sentences =
            paths.map(|path| format!("note version 0: `{path}` is {is} now, and was {was}"));
        (
            sentences,
            paths.map(|path| format!("{path} Some({was:?}) Some({is:?})")),
        )
    };
    let (sentences, findings) = each("untagged", "tagged");
    assert_eq!(
        refused::<partly::untagged::Note, partly::tagged::Note>(),
        sentences
    );
    assert_eq!(
        judged::<partly::untagged::Note, partly::tagged::Note>(),
        findings
    );
    let (sentences, findings) = each("tagged", "untagged");
    assert_eq!(
        refused::<partly::tagged::Note, partly::untagged::Note>(),
        sentences
    );
    assert_eq!(
        judged::<partly::tagged::Note, partly::untagged::Note>(),
        findings
    );
    // Of those that fit equally well the first is read.
    let order = "is untagged (Named, Toned) now, and was untagged (Toned, Named)";
    assert_eq!(
        refused::<partly::untagged::Note, partly::reordered::Note>(),
        ["*", "looks"].map(|path| format!("note version 0: `{path}` {order}"))
    );
    assert_eq!(
        refused::<partly::untagged::Note, partly::untagged::Note>(),
        [""; 0]
    );
    assert_eq!(
        refused::<partly::untagged::Note, partly::grown::Note>(),
        [""; 0]
    );
    assert_eq!(
        judged::<partly::untagged::Note, partly::grown::Note>(),
        [""; 0]
    );
}

#[test]
fn a_merge_keeps_the_variants_without_a_tag_of_either_branch() {
    let [one, other, tagged] = [
        Registry::new().with::<partly::untagged::Note>(),
        Registry::new().with::<partly::grown::Note>(),
        Registry::new().with::<partly::tagged::Note>(),
    ]
    .map(|registry| Lock::parse(&lock_of(&registry)).unwrap());
    // Those that either branch added are where the derive writes them.
    let [zoned, bare, both] = [
        Registry::new().with::<partly::zoned::Note>(),
        Registry::new().with::<partly::bare::Note>(),
        Registry::new().with::<partly::zoned_or_bare::Note>(),
    ]
    .map(|registry| Lock::parse(&lock_of(&registry)).unwrap());
    let fingerprint = |lock: &Lock| lock.get("note", 0).unwrap().fingerprint();
    for (left, right, all) in [(&one, &other, &other), (&zoned, &bare, &both)] {
        for merged in [left.merged(right).unwrap(), right.merged(left).unwrap()] {
            assert_eq!(fingerprint(&merged), fingerprint(all));
        }
    }
    let merged = one.merged(&other).unwrap().to_string();
    let line = r#"@untagged = {"*":["Toned","Named","Other"],"looks":["Toned","Named","Other"]}"#;
    assert!(merged.contains(line), "{merged}");
    let refused = one.merged(&tagged).unwrap_err().to_string();
    assert!(
        refused.contains("`looks.Toned` is untagged now, and was tagged"),
        "{refused}"
    );
}

mod named {
    use upstate::Union;

    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note")]
    pub(super) struct Note {
        #[attribute(alias = "heading", alias = "a \"name\"")]
        pub title: String,
        #[attribute(flatten)]
        pub look: Look,
        #[attribute(flatten)]
        pub size: Size,
        pub parts: Vec<Size>,
        pub shape: Option<Shape>,
    }

    #[derive(Debug, Union)]
    #[union(tag = "look")]
    pub(super) enum Look {
        #[attribute(alias = "Bare")]
        Plain,
    }

    #[derive(Debug, Document)]
    pub(super) struct Size {
        #[attribute(alias = "w")]
        pub width: u32,
    }

    #[derive(Debug, Union)]
    pub(super) enum Shape {
        #[attribute(alias = "Circle")]
        Round {
            #[attribute(alias = "r")]
            radius: u32,
        },
    }
}

mod renamed {
    use upstate::Union;

    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note")]
    pub(super) struct Note {
        #[attribute(alias = "a \"name\"", alias = "caption")]
        pub title: String,
        #[attribute(flatten)]
        pub look: Look,
        #[attribute(flatten)]
        pub size: named::Size,
        pub parts: Vec<Size>,
        pub shape: Option<Shape>,
    }

    #[derive(Debug, Union)]
    #[union(tag = "look")]
    pub(super) enum Look {
        Plain,
    }

    #[derive(Debug, Document)]
    pub(super) struct Size {
        pub width: u32,
    }

    #[derive(Debug, Union)]
    pub(super) enum Shape {
        Round { radius: u32 },
    }
}

#[test]
fn the_other_names_of_fields_and_variants_are_a_fact_of_the_lock() {
    let lock = lock_of(&Registry::new().with::<named::Note>());
    let line = lock
        .lines()
        .find(|line| line.starts_with("@aliases"))
        .unwrap();
    let names = r#"{"*.Plain":["Bare"],"parts.width":["w"],"shape.Round":["Circle"],"shape.Round.radius":["r"],"title":["a \"name\"","heading"],"width":["w"]}"#;
    assert_eq!(line, format!("@aliases = {names}"));
    assert_eq!(Lock::parse(&lock).unwrap().to_string(), lock);
    // Without other names there is no line, so that earlier locks are the same.
    assert!(!lock_of(&Registry::new().with::<flat::Note>()).contains("@aliases"));
}

#[test]
fn a_released_version_keeps_the_names_that_it_reads() {
    let mut lock = Lock::parse(&lock_of(&Registry::new().with::<named::Note>())).unwrap();
    let changed = Snapshot::of(&Registry::new().with::<renamed::Note>());
    let refused = lock.freeze(&changed, "1.1.0".parse().unwrap()).unwrap_err();
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        [
            "note version 0: `*.Plain` is no longer read from `Bare`",
            "note version 0: `parts.width` is no longer read from `w`",
            "note version 0: `shape.Round` is no longer read from `Circle`",
            "note version 0: `shape.Round.radius` is no longer read from `r`",
            "note version 0: `title` is no longer read from `heading`",
        ]
    );
    let baseline = Lock::parse(&lock_of(&Registry::new().with::<named::Note>()))
        .unwrap()
        .baseline();
    let report = compare(
        &baseline,
        &changed.at("1.1.0".parse().unwrap()),
        &Options::default(),
    );
    let unread = report
        .findings
        .iter()
        .filter(|finding| finding.rule.id() == "alias-removed");
    let unread: Vec<String> = unread
        .map(|finding| format!("{} {:?}", finding.path, finding.old))
        .collect();
    assert_eq!(
        unread,
        [
            r#"*.Plain Some("Bare")"#,
            r#"parts.width Some("w")"#,
            r#"shape.Round Some("Circle")"#,
            r#"shape.Round.radius Some("r")"#,
            r#"title Some("heading")"#,
        ]
    );
    // Documents that have such a name do not read as before, so that a version of their own is
    // needed.
    assert!(
        report
            .findings
            .iter()
            .any(|finding| finding.rule.id() == "schema-version-not-bumped"),
        "{:#?}",
        report.findings
    );
    // The other way round nothing is lost.
    let mut lock = Lock::parse(&lock_of(&Registry::new().with::<renamed::Note>())).unwrap();
    let mut grown = named_and_renamed();
    grown.release = Some("1.1.0".parse().unwrap());
    lock.freeze(&grown, "1.1.0".parse().unwrap()).unwrap();
    assert!(
        lock.to_string()
            .contains(r#""title":["a \"name\"","caption","heading"]"#)
    );
}

mod others {
    use upstate::Union;

    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "wall")]
    pub(super) struct Wall {
        pub look: Option<Look>,
        pub looks: Vec<Look>,
    }

    #[derive(Debug, Union)]
    pub(super) enum Look {
        Bright,
        #[attribute(other)]
        Unknown,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "wall")]
    pub(super) struct Strict {
        pub look: Option<Known>,
        pub looks: Vec<Known>,
    }

    #[derive(Debug, Union)]
    pub(super) enum Known {
        Bright,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "pane")]
    pub(super) struct Pane {
        #[attribute(flatten)]
        pub kind: Kind,
    }

    #[derive(Debug, Union)]
    #[union(tag = "kind")]
    pub(super) enum Kind {
        Clear,
        #[attribute(other)]
        Unknown,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "pane")]
    pub(super) struct StrictPane {
        #[attribute(flatten)]
        pub kind: KnownKind,
    }

    #[derive(Debug, Union)]
    #[union(tag = "kind")]
    pub(super) enum KnownKind {
        Clear,
    }
}

#[test]
fn a_released_flattened_enum_keeps_reading_variants_of_other_names() {
    let lock = lock_of(&Registry::new().with::<others::Pane>());
    assert!(lock.contains(r#"@aliases = {"*":["*"]}"#), "{lock}");
    let strict = Snapshot::of(&Registry::new().with::<others::StrictPane>());
    let refused = Lock::parse(&lock)
        .unwrap()
        .freeze(&strict, "1.1.0".parse().unwrap())
        .unwrap_err();
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        ["pane version 0: the flattened enum no longer reads variants of other names"]
    );
}

#[test]
fn a_released_enum_keeps_reading_variants_of_other_names() {
    let lock = lock_of(&Registry::new().with::<others::Wall>());
    assert!(
        lock.contains(r#"@aliases = {"look":["*"],"looks":["*"]}"#),
        "{lock}"
    );
    assert_eq!(Lock::parse(&lock).unwrap().to_string(), lock);
    let strict = Snapshot::of(&Registry::new().with::<others::Strict>());
    let refused = Lock::parse(&lock)
        .unwrap()
        .freeze(&strict, "1.1.0".parse().unwrap())
        .unwrap_err();
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        [
            "wall version 0: `look` no longer reads variants of other names",
            "wall version 0: `looks` no longer reads variants of other names",
        ]
    );
    let found = findings(
        &Registry::new().with::<others::Wall>(),
        &Registry::new().with::<others::Strict>(),
    );
    assert_eq!(
        found
            .iter()
            .filter(|(_, message)| message.starts_with("alias-removed"))
            .count(),
        2,
        "{found:#?}"
    );
}

/// Documents whose other names went with what had them, or are read by the struct of an earlier
/// version.
mod relayed {
    use upstate::Union;

    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note")]
    pub(super) struct Note {
        #[attribute(alias = "heading")]
        pub title: String,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "note", version = 0, prior)]
    pub(super) struct NoteV0 {
        #[attribute(alias = "heading")]
        pub title: String,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "note", version = 1)]
    #[upgrade_from(0, model = NoteV0)]
    pub(super) struct Plain {
        pub title: String,
        pub size: u8,
    }

    impl From<NoteV0> for Plain {
        fn from(prior: NoteV0) -> Self {
            Self {
                title: prior.title,
                size: 1,
            }
        }
    }

    #[derive(Debug, Document)]
    #[document(type_name = "crew")]
    pub(super) struct Crew {
        #[attribute(alias = "early")]
        pub first: Vec<String>,
        pub others: Vec<String>,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "crew", version = 1)]
    #[upgrade_from(0 => 1, merge(first: Vec<String>, others: Vec<String> => all))]
    pub(super) struct Merged {
        pub all: Vec<String>,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "page")]
    pub(super) struct Page {
        #[attribute(alias = "border")]
        pub frame: Frame,
    }

    #[derive(Debug, Document)]
    pub(super) struct Frame {
        pub width: u8,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "page", version = 1)]
    #[upgrade_from(0 => 1, unnest(frame: Frame => width))]
    pub(super) struct Flat {
        pub width: u8,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "wall")]
    pub(super) struct Wall {
        pub look: Look,
    }

    #[derive(Debug, Union)]
    pub(super) enum Look {
        Bright {
            tone: u8,
        },
        #[attribute(name = "two words", alias = "both")]
        Dim,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "wall")]
    pub(super) struct Bright {
        pub look: OnlyBright,
    }

    #[derive(Debug, Union)]
    pub(super) enum OnlyBright {
        Bright { tone: u8 },
    }
}

#[test]
fn a_name_that_an_earlier_struct_reads_or_that_went_with_its_field_is_not_removed() {
    let old = Registry::new()
        .with::<relayed::Note>()
        .with::<relayed::Crew>()
        .with::<relayed::Page>()
        .with::<relayed::Wall>();
    let new = Registry::new()
        .with::<relayed::Plain>()
        .with::<relayed::Merged>()
        .with::<relayed::Flat>()
        .with::<relayed::Bright>();
    let found = findings(&old, &new);
    assert!(
        found
            .iter()
            .any(|(_, message)| message.contains("variant-removed: wall.look")),
        "{found:#?}"
    );
    assert!(
        !found
            .iter()
            .any(|(_, message)| message.starts_with("alias-removed")),
        "{found:#?}"
    );
}

/// The one model with the names of both.
fn named_and_renamed() -> Snapshot {
    let mut snapshot = Snapshot::of(&Registry::new().with::<named::Note>());
    let other = Snapshot::of(&Registry::new().with::<renamed::Note>());
    let aliases = &other.resources.get("note").unwrap().aliases;
    let all = &mut snapshot.resources.get_mut("note").unwrap().aliases;
    for (path, names) in aliases {
        all.entry(path.clone())
            .or_default()
            .extend(names.iter().cloned());
    }
    snapshot
}

mod formed {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "peer")]
    pub(super) struct Wide {
        pub address: IpAddr,
        pub name: String,
        pub others: Vec<IpAddr>,
        pub weight: f64,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "peer")]
    pub(super) struct Narrow {
        pub address: Ipv4Addr,
        pub name: char,
        pub others: Vec<Ipv4Addr>,
        pub weight: f32,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "peer", version = 1)]
    #[upgrade_from(0 => 1, rename(name => label))]
    pub(super) struct Renamed {
        pub address: IpAddr,
        pub label: String,
        pub others: Vec<IpAddr>,
        pub weight: f64,
    }
}

#[test]
fn what_a_type_of_the_library_reads_is_a_fact_of_the_lock() {
    let wide = Registry::new().with::<formed::Wide>();
    let narrow = Registry::new().with::<formed::Narrow>();
    let text = lock_of(&wide);
    assert!(
        text.contains(
            r#"others = ["list","string"] {"required":true,"validators":{"stored form":"ip"}}"#
        ),
        "{text}"
    );
    let mut lock = Lock::parse(&text).unwrap();
    let refused = lock
        .freeze(&Snapshot::of(&narrow), "1.1.0".parse().unwrap())
        .unwrap_err();
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        [
            "peer version 0: `address` takes only values of the form ipv4 now, and ip was stored",
            "peer version 0: `name` takes only values of the form char now, and anything of its type was stored",
            "peer version 0: `others` takes only values of the form ipv4 now, and ip was stored",
            "peer version 0: `weight` takes only values of the form f32 now, and anything of its type was stored",
        ]
    );
    // The other way round every value reads as before.
    let mut lock = Lock::parse(&lock_of(&narrow)).unwrap();
    lock.freeze(&Snapshot::of(&wide), "1.1.0".parse().unwrap())
        .unwrap();
    assert!(
        lock.to_string()
            .contains(r#"address = "string" {"required":true,"validators":{"stored form":"ip"}}"#)
    );
}

#[test]
fn a_lock_that_is_older_than_forms_knows_nothing_of_them_until_the_next_release() {
    let narrow = Snapshot::of(&Registry::new().with::<formed::Narrow>());
    let older: Vec<String> = lock_of(&Registry::new().with::<formed::Wide>())
        .lines()
        .map(|line| {
            line.replace(r#","validators":{"stored form":"ip"}"#, "")
                .replace("upstate-lock 3", "upstate-lock 1")
        })
        .collect();
    let older = older.join("\n") + "\n";
    assert_eq!(Lock::parse(&older).unwrap().to_string(), older);
    let mut lock = Lock::parse(&older).unwrap();
    lock.freeze(&narrow, "1.1.0".parse().unwrap()).unwrap();
    assert!(
        lock.to_string()
            .contains(r#"name = "string" {"required":true,"validators":{"stored form":"char"}}"#)
    );
    // An earlier version is as it was.
    let mut lock = Lock::parse(&older).unwrap();
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<formed::Renamed>()),
        "1.1.0".parse().unwrap(),
    )
    .unwrap();
    let text = lock.to_string();
    let (earlier, later) = (
        text.find("[peer 0]").unwrap(),
        text.find("[peer 1]").unwrap(),
    );
    assert!(
        text[earlier..later].contains("\n@forms = false\n") && !text[later..].contains("@forms"),
        "{text}"
    );
    assert_eq!(Lock::parse(&text).unwrap(), lock);
}

mod few {
    use std::net::Ipv4Addr;

    use upstate::StringEnum;

    use super::*;

    #[derive(Debug, StringEnum)]
    pub(super) enum Near {
        Home,
        Here,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "peer")]
    pub(super) struct Named {
        pub place: Near,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "peer")]
    pub(super) struct Numbered {
        pub place: Ipv4Addr,
    }
}

#[test]
fn strings_that_a_lock_of_any_format_knows_are_held_to_their_form() {
    let numbered =
        Snapshot::of(&Registry::new().with::<few::Numbered>()).at("1.1.0".parse().unwrap());
    let written = lock_of(&Registry::new().with::<few::Named>());
    for text in [written.replace("upstate-lock 3", "upstate-lock 1"), written] {
        let mut lock = Lock::parse(&text).unwrap();
        let report = compare(&lock.baseline(), &numbered, &Options::default());
        let found: Vec<&str> = report
            .findings
            .iter()
            .map(|finding| finding.rule.id())
            .collect();
        assert!(found.contains(&"validator-added"), "{found:?}");
        assert!(lock.freeze(&numbered, "1.1.0".parse().unwrap()).is_err());
    }
}

mod counted {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "peer")]
    pub(super) struct Whole {
        pub hops: u16,
        pub bytes: u32,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "peer")]
    pub(super) struct Float {
        pub hops: f32,
        pub bytes: f32,
    }
}

#[test]
fn whole_numbers_that_a_float_holds_stay_readable() {
    let (whole, float) = (
        Registry::new().with::<counted::Whole>(),
        Registry::new().with::<counted::Float>(),
    );
    let refused = Lock::parse(&lock_of(&whole))
        .unwrap()
        .freeze(&Snapshot::of(&float), "1.1.0".parse().unwrap())
        .unwrap_err();
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        ["peer version 0: `bytes` takes only values of the form f32 now, and u32 was stored"]
    );
    let found = findings(&whole, &float);
    assert!(
        found
            .iter()
            .any(|(level, message)| *level == Level::Breaking && message.contains("peer.bytes")),
        "{found:#?}"
    );
    assert!(
        !found
            .iter()
            .any(|(_, message)| message.contains("peer.hops")),
        "{found:#?}"
    );
}

#[test]
fn a_form_that_narrows_is_judged() {
    let (wide, narrow) = (
        Registry::new().with::<formed::Wide>(),
        Registry::new().with::<formed::Narrow>(),
    );
    let found: Vec<String> = findings(&wide, &narrow)
        .into_iter()
        .map(|(level, message)| format!("{} {message}", level.name()))
        .collect();
    let rules = [
        "validator-tightened: peer.address",
        "validator-added: peer.name",
        "validator-added: peer.weight",
    ];
    for rule in rules {
        assert!(
            found.iter().any(|found| found.contains(rule)),
            "{rule}: {found:#?}"
        );
    }
    let loosened = findings(&narrow, &wide);
    assert!(
        loosened.iter().all(|(level, _)| *level < Level::Breaking),
        "{loosened:#?}"
    );
}

mod dropped {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "radio")]
    pub(super) struct Radio {
        #[attribute(alias = "station")]
        pub band: String,
        #[attribute(alias = "loudness")]
        pub volume: u8,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "radio", version = 1)]
    #[upgrade_from(0 => 1, rename(band => channel), drop(volume: u8, "the radio remembers it"))]
    pub(super) struct Later {
        pub channel: String,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "radio")]
    pub(super) struct Elsewhere {
        #[attribute(alias = "programme")]
        pub band: String,
        pub volume: u8,
    }
}

#[test]
fn an_operator_decides_what_becomes_of_the_names_of_its_field() {
    let mut lock = Lock::parse(&lock_of(&Registry::new().with::<dropped::Radio>())).unwrap();
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<dropped::Later>()),
        "2.0.0".parse().unwrap(),
    )
    .unwrap();
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
}

#[test]
fn a_merge_keeps_the_names_that_either_branch_reads() {
    let [one, other] = [
        Registry::new().with::<dropped::Radio>(),
        Registry::new().with::<dropped::Elsewhere>(),
    ]
    .map(|registry| Lock::parse(&lock_of(&registry)).unwrap());
    let merged = one.merged(&other).unwrap();
    assert!(
        merged
            .to_string()
            .contains(r#"@aliases = {"band":["programme","station"],"volume":["loudness"]}"#),
        "{merged}"
    );
    // The merged entry knows no forms, because one of the two does not.
    let older = other
        .to_string()
        .replace("upstate-lock 3", "upstate-lock 1");
    let merged = one.merged(&Lock::parse(&older).unwrap()).unwrap();
    assert!(merged.to_string().contains("upstate-lock 1\n"), "{merged}");
}

/// An enum that gains a variant.
mod varied {
    use super::*;
    use upstate::Union;

    macro_rules! notes {
        ($($name:ident: $place:ty { $($variant:ident),* };)*) => {$(
            pub(super) mod $name {
                use super::*;

                #[derive(Debug, Document)]
                #[document(type_name = "note")]
                pub(in super::super) struct Note {
                    pub looks: Vec<Look>,
                    #[attribute(flatten)]
                    pub place: $place,
                }

                #[derive(Debug, Union)]
                pub(in super::super) enum Look {
                    Plain,
                    $($variant { tone: String }),*
                }

                #[derive(Debug, Union)]
                #[union(tag = "place")]
                pub(in super::super) enum Place {
                    Home,
                    $($variant { tone: String }),*
                }
            }
        )*};
    }

    notes! {
        few: Option<Place> { Sepia };
        more: Option<Place> { Sepia, Green };
        required: Place { Sepia, Green };
    }
}

#[test]
fn an_enum_with_data_gains_variants_under_a_released_version() {
    let [few, more, required] = [
        Snapshot::of(&Registry::new().with::<varied::few::Note>()),
        Snapshot::of(&Registry::new().with::<varied::more::Note>()),
        Snapshot::of(&Registry::new().with::<varied::required::Note>()),
    ];
    let mut lock = Lock::default();
    lock.freeze(&few, "1.0.0".parse().unwrap()).unwrap();
    let changes = lock.freeze(&more, "1.1.0".parse().unwrap()).unwrap();
    assert_eq!(
        changes.iter().map(|change| change.what).collect::<Vec<_>>(),
        ["grown"]
    );
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
    let refused = lock.freeze(&few, "1.2.0".parse().unwrap()).unwrap_err();
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        [
            r#"note version 0: `looks` no longer has the variant "Green""#,
            r#"note version 0: `*` no longer has the variant "Green""#
        ]
    );
    // Documents without one were written, whatever variants there are now.
    let mut lock = Lock::default();
    lock.freeze(&few, "1.0.0".parse().unwrap()).unwrap();
    let refused = lock
        .freeze(&required, "1.1.0".parse().unwrap())
        .unwrap_err();
    let has_to_be_there = "note version 0: `*` has to be there now: it is not an `Option` any more";
    assert_eq!(refused.iter().collect::<Vec<_>>(), [has_to_be_there]);
}

/// One document as two branches have widened it: their shapes have one fingerprint.
mod widened {
    use std::collections::BTreeMap;

    use super::*;

    macro_rules! notes {
        ($($name:ident: $size:ty, $weight:ty, $count:ty;)*) => {$(
            #[derive(Debug, Document)]
            #[document(type_name = "note")]
            pub(super) struct $name {
                pub size: $size,
                pub weight: $weight,
                #[attribute(flatten)]
                pub counts: BTreeMap<String, $count>,
            }
        )*};
    }

    notes! {
        Narrow: u8, u8, u8;
        Size: u16, u8, u8;
        Others: u8, u32, u32;
    }
}

#[test]
fn a_merge_keeps_the_values_that_either_branch_stored() {
    let lock_at = |snapshot: &Snapshot, release: &str| {
        let mut lock = Lock::parse(&lock_of(&Registry::new().with::<widened::Narrow>())).unwrap();
        lock.freeze(snapshot, release.parse().unwrap()).unwrap();
        lock
    };
    let size = Snapshot::of(&Registry::new().with::<widened::Size>());
    let others = Snapshot::of(&Registry::new().with::<widened::Others>());
    let (later, earlier) = (lock_at(&size, "2.0.0"), lock_at(&others, "1.0.1"));
    let merged = later.merged(&earlier).unwrap();
    assert_eq!(merged, earlier.merged(&later).unwrap());
    assert_eq!(Lock::parse(&merged.to_string()).unwrap(), merged);
    let refused = |snapshot: &Snapshot| {
        let refused = merged
            .clone()
            .freeze(snapshot, "2.1.0".parse().unwrap())
            .unwrap_err();
        refused.iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        refused(&size),
        [
            "note version 0: `weight` is read as u8 now, and was stored as u32",
            "note version 0: `*` is read as u8 now, and was stored as u32",
        ]
    );
    assert_eq!(
        refused(&others),
        ["note version 0: `size` is read as u8 now, and was stored as u16"]
    );
}

/// One document whose fields two branches have widened, each in another respect.
mod halved {
    use super::*;

    macro_rules! notes {
        ($($name:ident: $count:ty, $mark:ty, $other:ty, $pair:ty;)*) => {$(
            #[derive(Debug, Document)]
            #[document(type_name = "note")]
            pub(super) struct $name {
                pub count: $count,
                pub marks: Vec<$mark>,
                pub others: Vec<$other>,
                pub pair: $pair,
            }
        )*};
    }

    notes! {
        Base: u8, u8, u8, (u8, u8);
        Ours: Option<u8>, Option<u8>, u16, (u16, u8);
        Theirs: u16, u16, Option<u8>, (u8, u16);
    }
}

#[test]
fn a_merge_widens_a_field_in_all_respects_of_both_branches() {
    let lock_at = |snapshot: &Snapshot, release: &str| {
        let mut lock = Lock::parse(&lock_of(&Registry::new().with::<halved::Base>())).unwrap();
        lock.freeze(snapshot, release.parse().unwrap()).unwrap();
        lock
    };
    let ours = Snapshot::of(&Registry::new().with::<halved::Ours>());
    let theirs = Snapshot::of(&Registry::new().with::<halved::Theirs>());
    let (later, earlier) = (lock_at(&ours, "2.0.0"), lock_at(&theirs, "1.0.1"));
    let merged = later.merged(&earlier).unwrap();
    assert_eq!(merged, earlier.merged(&later).unwrap());
    assert_eq!(Lock::parse(&merged.to_string()).unwrap(), merged);
    let refused = |snapshot: &Snapshot| {
        let refused = merged
            .clone()
            .freeze(snapshot, "2.1.0".parse().unwrap())
            .unwrap_err();
        refused.iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        refused(&ours),
        [
            "note version 0: `count` is read as u8 now, and was stored as u16",
            "note version 0: `marks` is read as u8 now, and was stored as u16",
            "note version 0: `others[*]` no longer takes null",
            "note version 0: `pair[1]` is read as u8 now, and was stored as u16",
        ]
    );
    assert_eq!(
        refused(&theirs),
        [
            r#"note version 0: `count` is "number" now, and was "number" null"#,
            "note version 0: `marks[*]` no longer takes null",
            "note version 0: `others` is read as u8 now, and was stored as u16",
            "note version 0: `pair[0]` is read as u8 now, and was stored as u16",
        ]
    );
}

/// Values inside of others, of which types do not tell.
mod inside {
    use std::collections::BTreeMap;

    use upstate::Union;

    use super::*;

    macro_rules! notes {
        ($($name:ident: $key:ty, $element:ty, $number:ty;)*) => {$(
            pub(super) mod $name {
                use super::*;

                #[derive(Debug, Document)]
                #[document(type_name = "note")]
                pub(in super::super) struct Note {
                    pub labels: BTreeMap<$key, String>,
                    pub look: Look,
                    pub marks: Vec<$element>,
                    #[attribute(flatten)]
                    pub place: Place,
                    pub sizes: Vec<($number, String)>,
                }

                #[derive(Debug, Union)]
                pub(in super::super) enum Look {
                    Plain,
                    Dim { level: $number },
                }

                #[derive(Debug, Union)]
                #[union(tag = "place")]
                pub(in super::super) enum Place {
                    Home,
                    Away { distance: $number },
                }
            }
        )*};
    }

    notes! {
        wide: u32, Option<String>, u16;
        narrow: u8, String, u8;
        open: String, Option<String>, i64;
    }
}

#[test]
fn null_keys_and_integers_inside_of_types_are_facts_of_the_lock() {
    let text = lock_of(&Registry::new().with::<inside::wide::Note>());
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("stored inside"))
        .collect();
    assert_eq!(
        lines,
        [
            r#"* = ["union","internal place",[["Away",["object",{"distance":"number"}]],["Home",["tuple",[]]]]] {"required":true,"validators":{"stored inside":{"Away.distance":"u16"}}}"#,
            r#"labels = ["map","string"] {"required":true,"validators":{"stored inside":{"[key]":"u32"}}}"#,
            r#"look = ["union","external",[["Dim",["object",{"level":"number"}]],["Plain",["tuple",[]]]]] {"required":true,"validators":{"stored inside":{"Dim.level":"u16"}}}"#,
            r#"marks = ["list","string"] {"required":true,"validators":{"stored inside":{"[*]?":"null"}}}"#,
            r#"sizes = ["list",["tuple",["number","string"]]] {"required":true,"validators":{"stored inside":{"[*][0]":"u16"}}}"#,
        ]
    );
    let lock = Lock::parse(&text).unwrap();
    assert_eq!(lock.to_string(), text);
    let freeze = |registry: &Registry| {
        lock.clone()
            .freeze(&Snapshot::of(registry), "1.1.0".parse().unwrap())
    };
    let refused = freeze(&Registry::new().with::<inside::narrow::Note>()).unwrap_err();
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        [
            "note version 0: `labels[key]` is read as u8 now, and was stored as u32",
            "note version 0: `look.Dim.level` is read as u8 now, and was stored as u16",
            "note version 0: `marks[*]` no longer takes null",
            "note version 0: `sizes[*][0]` is read as u8 now, and was stored as u16",
            "note version 0: `*.Away.distance` is read as u8 now, and was stored as u16",
        ]
    );
    assert!(freeze(&Registry::new().with::<inside::open::Note>()).is_ok());
}

#[test]
fn rules_judge_null_keys_and_integers_inside_of_types() {
    let judged = |old: &Registry, new: &Registry| {
        let old = Snapshot::of(old).at("1.0.0".parse().unwrap());
        let new = Snapshot::of(new).at("1.1.0".parse().unwrap());
        let report = compare(&old, &new, &Options::default());
        report
            .findings
            .iter()
            .map(|finding| format!("{} {}", finding.rule.id(), finding.path))
            .collect::<Vec<_>>()
    };
    let wide = Registry::new().with::<inside::wide::Note>();
    assert_eq!(
        judged(&wide, &Registry::new().with::<inside::narrow::Note>()),
        [
            "release-bump-insufficient ",
            "schema-version-not-bumped ",
            "validator-tightened *.Away.distance",
            "validator-tightened labels[key]",
            "validator-tightened look.Dim.level",
            "null-refused marks[*]",
            "validator-tightened sizes[*][0]",
        ]
    );
    assert_eq!(
        judged(&wide, &Registry::new().with::<inside::open::Note>()),
        [""; 0]
    );
}

/// Integers of 128 bits inside of other values.
mod long {
    use std::collections::BTreeMap;

    use super::*;

    macro_rules! notes {
        ($($name:ident: $number:ty;)*) => {$(
            pub(super) mod $name {
                use super::*;

                #[derive(Debug, Document)]
                #[document(type_name = "note")]
                pub(in super::super) struct Note {
                    pub labels: BTreeMap<$number, String>,
                    pub pair: ($number, String),
                }
            }
        )*};
    }

    notes! {
        signed: i128;
        unsigned: u128;
        short: i64;
    }
}

#[test]
fn integers_of_128_bits_inside_of_types_are_facts_of_the_lock() {
    let [signed, unsigned, short] = [
        Registry::new().with::<long::signed::Note>(),
        Registry::new().with::<long::unsigned::Note>(),
        Registry::new().with::<long::short::Note>(),
    ];
    let text = lock_of(&signed);
    let facts = [
        r#","validators":{"stored inside":{"[key]":"i128"}}"#,
        r#","validators":{"stored inside":{"[0]":"i128"}}"#,
    ];
    for (start, fact) in ["labels = ", "pair = "].into_iter().zip(facts) {
        let line = text.lines().find(|line| line.starts_with(start));
        assert!(line.is_some_and(|line| line.contains(fact)), "{text}");
    }
    let freeze = |text: &str, registry: &Registry| -> Vec<String> {
        let frozen = Lock::parse(text)
            .unwrap()
            .freeze(&Snapshot::of(registry), "1.1.0".parse().unwrap());
        frozen.map_or_else(
            |refused| refused.iter().map(str::to_owned).collect(),
            |_| Vec::new(),
        )
    };
    for (registry, name) in [(&short, "i64"), (&unsigned, "u128")] {
        let refused = ["labels[key]", "pair[0]"].map(|path| {
            format!("note version 0: `{path}` is read as {name} now, and was stored as i128")
        });
        assert_eq!(freeze(&text, registry), refused);
    }
    assert_eq!(freeze(&text, &signed), [""; 0]);
    assert_eq!(freeze(&lock_of(&short), &signed), [""; 0]);
    assert_eq!(findings(&short, &signed), []);
    // Without these facts, as locks of before have them, such keys may have been there.
    let before = facts
        .iter()
        .fold(text.clone(), |text, fact| text.replace(fact, ""));
    assert!(!before.contains("stored inside"), "{before}");
    assert_eq!(freeze(&before, &signed), [""; 0]);
    assert_eq!(freeze(&before, &unsigned), [""; 0]);
}

/// Maps in all places that have some.
mod keyed {
    use std::collections::BTreeMap;

    use upstate::Union;

    use super::*;

    macro_rules! notes {
        ($($name:ident: $key:ty;)*) => {$(
            pub(super) mod $name {
                use super::*;

                #[derive(Debug, Document)]
                #[document(type_name = "note")]
                pub(in super::super) struct Note {
                    pub labels: BTreeMap<$key, String>,
                    pub levels: Vec<BTreeMap<$key, u8>>,
                    pub look: Look,
                    pub parts: BTreeMap<$key, Part>,
                    #[attribute(flatten)]
                    pub sizes: BTreeMap<$key, u8>,
                }

                #[derive(Debug, Document)]
                pub(in super::super) struct Part {
                    pub depth: u8,
                }

                #[derive(Debug, Union)]
                pub(in super::super) enum Look {
                    Plain,
                    Grid(BTreeMap<$key, bool>),
                }
            }
        )*};
    }

    notes! {
        strings: String;
        integers: u16;
    }
}

#[test]
fn keys_that_were_any_strings_may_not_become_a_few() {
    let strings = Registry::new().with::<keyed::strings::Note>();
    let integers = Registry::new().with::<keyed::integers::Note>();
    let freeze = |released: &Registry, now: &Registry| {
        Lock::parse(&lock_of(released))
            .unwrap()
            .freeze(&Snapshot::of(now), "1.1.0".parse().unwrap())
    };
    let refused = freeze(&strings, &integers).unwrap_err();
    let sentence = |map: &str| {
        format!("note version 0: `{map}[key]` is read as u16 now, and any string was stored")
    };
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        ["labels", "levels[*]", "look.Grid", "parts", "*"].map(sentence)
    );
    assert!(freeze(&integers, &strings).is_ok() && freeze(&strings, &strings).is_ok());

    let judged = |old: &Registry, new: &Registry| {
        let old = Lock::parse(&lock_of(old)).unwrap().baseline();
        let new = Snapshot::of(new).at("1.1.0".parse().unwrap());
        let report = compare(&old, &new, &Options::default());
        report
            .findings
            .iter()
            .map(|finding| format!("{} {}", finding.rule.id(), finding.path))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        judged(&strings, &integers),
        [
            "release-bump-insufficient ",
            "schema-version-not-bumped ",
            "validator-added *[key]",
            "validator-added labels[key]",
            "validator-added levels[*][key]",
            "validator-added look.Grid[key]",
            "validator-added parts[key]",
        ]
    );
    assert_eq!(judged(&integers, &strings), [""; 0]);

    // Any string stays a key, because documents of both branches must be read.
    let [ours, theirs] =
        [&strings, &integers].map(|registry| Lock::parse(&lock_of(registry)).unwrap());
    for (one, other) in [(&ours, &theirs), (&theirs, &ours)] {
        let merged = one.merged(other).unwrap().to_string();
        assert!(!merged.contains("[key]"), "{merged}");
    }
}

/// An author's own type whose function is given null.
mod own {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "note")]
    pub(super) struct Plain {
        pub marks: Vec<Option<String>>,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "note")]
    pub(super) struct Own {
        #[attribute(with = marks)]
        pub marks: Marks,
    }

    #[derive(Debug)]
    pub(super) struct Marks(Vec<Option<String>>);

    mod marks {
        use super::Marks;

        pub(super) fn read(stored: Vec<Option<String>>) -> Result<Marks, String> {
            if stored.len() > 9 {
                Err("there are too many".to_owned())
            } else {
                Ok(Marks(stored))
            }
        }

        pub(super) fn write(marks: &Marks) -> Vec<Option<String>> {
            marks.0.clone()
        }
    }
}

#[test]
fn null_that_the_function_of_an_own_type_is_given_is_a_fact_of_the_lock() {
    const FACT: &str = r#""stored inside":{"[*]?":"null"}"#;
    let (plain, own) = (
        Registry::new().with::<own::Plain>(),
        Registry::new().with::<own::Own>(),
    );
    assert!(lock_of(&plain).contains(FACT) && lock_of(&own).contains(FACT));
    assert_eq!(findings(&plain, &own), []);
    let mut lock = Lock::parse(&lock_of(&plain)).unwrap();
    lock.freeze(&Snapshot::of(&own), "1.1.0".parse().unwrap())
        .unwrap();
    assert!(lock.to_string().contains(FACT), "{lock}");
}

#[test]
fn a_lock_that_is_older_than_the_facts_about_the_inside_knows_nothing_of_it() {
    let narrow =
        Snapshot::of(&Registry::new().with::<inside::narrow::Note>()).at("1.1.0".parse().unwrap());
    let written = lock_of(&Registry::new().with::<inside::wide::Note>());
    let without_facts = |line: &str| match line.split_once(r#","validators":{"stored inside":"#) {
        Some((before, _)) => format!("{before}}}\n"),
        None => format!("{line}\n"),
    };
    // Of format 1, because one of format 3 says without a fact that any string is a key.
    let older: String = written
        .replace("upstate-lock 3", "upstate-lock 1")
        .lines()
        .map(without_facts)
        .collect();
    assert!(!older.contains("stored inside"), "{older}");
    let lock = Lock::parse(&older).unwrap();
    assert_eq!(lock.to_string(), older);
    let report = compare(&lock.baseline(), &narrow, &Options::default());
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    lock.clone()
        .freeze(&narrow, "1.1.0".parse().unwrap())
        .unwrap();
    // A merge keeps them, because one of the branches knows them.
    let merged = lock
        .merged(&Lock::parse(&written).unwrap())
        .unwrap()
        .to_string();
    assert!(
        merged.contains(r#"marks = ["list","string"] {"required":true,"validators":{"stored inside":{"[*]?":"null"}}}"#),
        "{merged}"
    );
}

/// Enums to which two branches have added something each.
mod branched {
    use upstate::{StringEnum, Union};

    use super::*;

    macro_rules! notes {
        ($($name:ident: $($more:ident),*;)*) => {$(
            pub(super) mod $name {
                use super::*;

                #[derive(Debug, Document)]
                #[document(type_name = "note")]
                pub(in super::super) struct Note {
                    pub looks: Vec<Look>,
                    pub mode: Mode,
                    #[attribute(flatten)]
                    pub place: Place,
                }

                #[derive(Debug, Union)]
                pub(in super::super) enum Look {
                    Plain,
                    $($more { tone: u8 }),*
                }

                #[derive(Debug, StringEnum)]
                pub(in super::super) enum Mode {
                    Open,
                    $($more),*
                }

                #[derive(Debug, Union)]
                #[union(tag = "place")]
                pub(in super::super) enum Place {
                    Home,
                    $($more { tone: u8 }),*
                }
            }
        )*};
    }

    notes! {
        base: Red;
        ours: Red, Green;
        theirs: Blue, Red;
    }
}

#[test]
fn a_merge_has_what_either_branch_added_to_an_enum() {
    let lock_at = |snapshot: &Snapshot, release: &str| {
        let mut lock =
            Lock::parse(&lock_of(&Registry::new().with::<branched::base::Note>())).unwrap();
        lock.freeze(snapshot, release.parse().unwrap()).unwrap();
        lock
    };
    let ours = Snapshot::of(&Registry::new().with::<branched::ours::Note>());
    let theirs = Snapshot::of(&Registry::new().with::<branched::theirs::Note>());
    let (later, earlier) = (lock_at(&ours, "2.0.0"), lock_at(&theirs, "1.0.1"));
    let merged = later.merged(&earlier).unwrap();
    assert_eq!(merged, earlier.merged(&later).unwrap());
    assert_eq!(Lock::parse(&merged.to_string()).unwrap(), merged);
    assert!(
        merged
            .to_string()
            .contains(r#""stored inside":{"Blue.tone":"u8","Green.tone":"u8","Red.tone":"u8"}"#),
        "{merged}"
    );
    let refused = merged
        .clone()
        .freeze(&ours, "2.1.0".parse().unwrap())
        .unwrap_err();
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        [
            r#"note version 0: `looks` no longer has the variant "Blue""#,
            r#"note version 0: `mode` no longer takes "blue""#,
            r#"note version 0: `*` no longer has the variant "Blue""#,
        ]
    );
}

/// Two flattened enums whose values name their variant in the same form, beside a field that one
/// branch widens.
mod paired {
    use upstate::Union;

    use super::*;

    macro_rules! notes {
        ($($name:ident: $size:ty, $look:ty, $place:ty;)*) => {$(
            #[derive(Debug, Document)]
            #[document(type_name = "note")]
            pub(super) struct $name {
                pub size: $size,
                #[attribute(flatten)]
                pub look: $look,
                #[attribute(flatten)]
                pub place: $place,
            }
        )*};
    }

    notes! {
        Narrow: u8, Look, Place;
        Wide: u16, Look, Place;
        Grown: u8, MoreLooks, MorePlaces;
    }

    #[derive(Debug, Union)]
    pub(super) enum Look {
        Bright { tone: u8 },
        Dim { level: u8 },
    }

    #[derive(Debug, Union)]
    pub(super) enum Place {
        Away { distance: u8 },
        Home { floor: u8 },
    }

    // In a lock it is before `MorePlaces`, and `Look` is behind `Place`, so that the order does not
    // say which enum is which.
    #[derive(Debug, Union)]
    pub(super) enum MoreLooks {
        Airy { tone: u8 },
        Bright { tone: u8 },
        Dim { level: u8 },
    }

    #[derive(Debug, Union)]
    pub(super) enum MorePlaces {
        Away { distance: u8 },
        Home { floor: u8 },
        Zone { floor: u8 },
    }
}

#[test]
fn a_merge_keeps_flattened_enums_apart() {
    let narrow = Snapshot::of(&Registry::new().with::<paired::Narrow>());
    let wide = Snapshot::of(&Registry::new().with::<paired::Wide>());
    let lock_at = |snapshot: &Snapshot, release: &str| {
        let mut lock = Lock::parse(&lock_of(&Registry::new().with::<paired::Narrow>())).unwrap();
        lock.freeze(snapshot, release.parse().unwrap()).unwrap();
        lock
    };
    let (later, earlier) = (lock_at(&wide, "2.0.0"), lock_at(&narrow, "1.0.1"));
    let merged = later.merged(&earlier).unwrap();
    assert_eq!(merged, earlier.merged(&later).unwrap());
    let lines = |lock: &Lock| -> Vec<String> {
        lock.to_string()
            .lines()
            .filter(|line| line.starts_with("* = "))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!((lines(&merged).len(), lines(&merged)), (2, lines(&later)));
    merged
        .clone()
        .freeze(&wide, "2.1.0".parse().unwrap())
        .unwrap();
}

#[test]
fn rules_compare_a_flattened_enum_with_the_one_that_it_was() {
    let found = findings(
        &Registry::new().with::<paired::Narrow>(),
        &Registry::new().with::<paired::Grown>(),
    );
    let rules: Vec<&str> = found
        .iter()
        .filter_map(|(_, message)| message.split_once(':'))
        .map(|(rule, _)| rule)
        .collect();
    assert_eq!(rules, ["variant-added"; 2], "{found:#?}");
}

/// A flattened map that two branches have added with other values each.
mod mapped {
    use std::collections::BTreeMap;

    use super::*;

    macro_rules! notes {
        ($($name:ident: $value:ty;)*) => {$(
            #[derive(Debug, Document)]
            #[document(type_name = "note")]
            pub(super) struct $name {
                pub title: String,
                #[attribute(flatten)]
                pub rest: BTreeMap<String, $value>,
            }
        )*};
    }

    notes! {
        Numbers: u8;
        Texts: String;
    }
}

#[test]
fn a_merge_refuses_two_flattened_maps_of_an_object() {
    let [numbers, texts] = [
        Registry::new().with::<mapped::Numbers>(),
        Registry::new().with::<mapped::Texts>(),
    ]
    .map(|registry| Lock::parse(&lock_of(&registry)).unwrap());
    let refused = numbers.merged(&texts).unwrap_err();
    assert_eq!(
        refused.iter().collect::<Vec<_>>(),
        [
            r#"note version 0: `*` is ["map","number"] now, and was ["map","string"]"#,
            "note version 0: both branches released it, so give the later one another version",
        ]
    );
}

/// An earlier version whose field takes less once the later one does.
mod tallied {
    use super::*;

    macro_rules! tallies {
        ($($name:ident: $total:ty;)*) => {$(
            #[derive(Debug, Document)]
            #[document(type_name = "tally", version = 1)]
            #[upgrade_from(0 => 1, rename(sum => total))]
            pub(super) struct $name {
                pub total: $total,
            }
        )*};
    }

    tallies! {
        Wide: u32;
        Narrow: u16;
    }
}

#[test]
fn a_prior_shape_that_takes_fewer_values_was_edited() {
    let lock = Lock::parse(&lock_of(&Registry::new().with::<tallied::Wide>())).unwrap();
    let judged = |registry: &Registry| {
        let current = lock
            .completed(Snapshot::of(registry))
            .at("1.1.0".parse().unwrap());
        let report = compare(&lock.baseline(), &current, &Options::default());
        report
            .findings
            .into_iter()
            .find(|finding| finding.rule.id() == "prior-schema-edited")
            .map(|finding| finding.note)
    };
    assert_eq!(judged(&Registry::new().with::<tallied::Wide>()), None);
    let note = judged(&Registry::new().with::<tallied::Narrow>())
        .unwrap()
        .unwrap();
    assert!(
        note.contains("in version 0, `sum` is read as u16 now, and was stored as u32"),
        "{note}"
    );
}

/// Integers that only documents have, as fields and as elements, and some that others have, too.
mod numbered {
    use super::*;

    macro_rules! counts {
        ($($name:ident: $number:ty;)*) => {$(
            pub(super) mod $name {
                use super::*;

                #[derive(Debug, Document)]
                #[document(type_name = "count")]
                pub(in super::super) struct Count {
                    pub all: Vec<$number>,
                    pub total: $number,
                }
            }
        )*};
    }

    counts! {
        any: upstate::Number;
        few: std::num::NonZeroU8;
        float: f32;
        long: u64;
        short: u8;
        signed: i128;
        size: usize;
        unsigned: u128;
    }
}

#[test]
fn integers_that_only_documents_have_are_facts_of_the_lock() {
    let [any, few, float, long, short, signed, size, unsigned] = [
        Registry::new().with::<numbered::any::Count>(),
        Registry::new().with::<numbered::few::Count>(),
        Registry::new().with::<numbered::float::Count>(),
        Registry::new().with::<numbered::long::Count>(),
        Registry::new().with::<numbered::short::Count>(),
        Registry::new().with::<numbered::signed::Count>(),
        Registry::new().with::<numbered::size::Count>(),
        Registry::new().with::<numbered::unsigned::Count>(),
    ];
    for (registry, name) in [(&few, "NonZeroU8"), (&size, "usize"), (&unsigned, "u128")] {
        let text = lock_of(registry);
        for start in [r#"all = ["list","number"]"#, r#"total = "number""#] {
            let line = format!(
                r#"{start} {{"required":true,"validators":{{"stored integer":"{name}"}}}}"#
            );
            assert!(text.contains(&line), "{line}: {text}");
        }
    }
    let refused = |was: &str, is: &Registry| -> Vec<String> {
        let frozen = Lock::parse(was)
            .unwrap()
            .freeze(&Snapshot::of(is), "1.1.0".parse().unwrap());
        frozen.map_or_else(
            |refused| refused.iter().map(str::to_owned).collect(),
            |_| Vec::new(),
        )
    };
    for (was, is, before, now) in [
        (&unsigned, &signed, "u128", "i128"),
        (&unsigned, &long, "u128", "u64"),
        (&size, &short, "usize", "u8"),
        (&short, &few, "u8", "NonZeroU8"),
    ] {
        let sentences = ["all", "total"].map(|path| {
            format!("count version 0: `{path}` is read as {now} now, and was stored as {before}")
        });
        assert_eq!(refused(&lock_of(was), is), sentences);
        let found = findings(was, is);
        for path in ["all", "total"] {
            let start = format!("validator-tightened: count.{path}: ");
            let is_found = |(level, message): &(Level, String)| {
                *level == Level::Breaking && message.starts_with(&start)
            };
            assert!(found.iter().any(is_found), "{start}: {found:?}");
        }
    }
    // Floats of 32 bits have a fact, so that these were no integers.
    let sentences = ["all", "total"].map(|path| {
        format!("count version 0: `{path}` is read as u128 now, and any number was stored")
    });
    assert_eq!(refused(&lock_of(&float), &unsigned), sentences);
    let found = findings(&float, &unsigned);
    for path in ["all", "total"] {
        let start = format!("type-narrowed: count.{path}: ");
        let is_found = |(level, message): &(Level, String)| {
            *level == Level::Breaking && message.starts_with(&start)
        };
        assert!(found.iter().any(is_found), "{start}: {found:?}");
    }
    for (was, is) in [
        (&few, &short),
        (&long, &size),
        (&size, &long),
        (&unsigned, &any),
        // Nothing is known of a field without a fact, because older locks have none of these.
        (&any, &unsigned),
        (&any, &few),
    ] {
        assert_eq!(refused(&lock_of(was), is), [""; 0]);
        let found = findings(was, is);
        assert!(
            found.iter().all(|(level, _)| *level != Level::Breaking),
            "{found:?}"
        );
    }
}
