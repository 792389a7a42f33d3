//! Documents that are made at random are upgraded twice, from their own text and over values: the
//! same model, losses and errors.
//!
//! A member that is stored under an alias is read over values only, so that one letter decides the
//! way.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use upstate::{CurrentModel, Document, Registry, Resource, Union};
use upstate_state::document::Format;

/// All kinds of enums, changed and not, beside members of every other kind.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "app.page", version = 3, rename_all = "camelCase")]
#[upgrade_from(2 => 3,
    rename(title => window_title, theme.Custom.colour => theme.Custom.accent),
    variants(theme, "simple" => "plain", drop("sepia", "nobody used it", as = "plain"), add("named")),
    rename(shapes.Circle.r => shapes.Circle.radius),
    variants(shapes, drop("Blob": (u8, u8), "it had no area", as = "Point"), "Rectangle" => "Rect"),
    convert(retries: String, empty = refuse))]
#[upgrade_from(1 => 2,
    rename(skin => theme, paint => fill),
    variants(fill, "Old" => "Solid"),
    set(fill.Solid.alpha = 1, fill.Solid.blend = "normal"),
    drop(fill.Solid.gamma: Option<f64>, "screens do that"),
    rename(view.mode.Zoom.by => view.mode.Zoom.factor),
    variants(view.mode, "Off" => "Plain"),
    rename(mode.Zoom.by => mode.Zoom.factor),
    variants(mode, "Off" => "Plain"),
    set(level = 3))]
#[upgrade_from(0 => 1,
    rename(lastOpen => last_opened),
    rename(skin.Custom.color => skin.Custom.colour),
    drop(legacy: bool, "the old layout is gone"))]
struct Page {
    window_title: String,
    #[attribute(flatten)]
    geometry: Geometry,
    theme: Theme,
    shapes: Vec<Shape>,
    fill: BTreeMap<String, Fill>,
    view: View,
    mode: Option<Mode>,
    loose: Vec<Loose>,
    calm: Option<Theme>,
    retries: u32,
    last_opened: Option<String>,
    level: u8,
    #[attribute(default = 7)]
    depth: u8,
    tags: Vec<String>,
    #[attribute(default, alias = "mork")]
    mark: u8,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
struct Geometry {
    width: u32,
    #[attribute(default)]
    is_maximized: bool,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum Theme {
    Plain,
    #[attribute(alias = "own")]
    Custom {
        accent: String,
        #[attribute(default)]
        opacity: f64,
        #[attribute(default)]
        plugin: Value,
    },
    Named(Named),
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(deny_unknown_fields)]
struct Named {
    name: String,
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Shape {
    Rect(f64, f64),
    Point,
    Circle {
        radius: f64,
        #[attribute(rest)]
        others: BTreeMap<String, Value>,
    },
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Fill {
    None,
    Solid(Solid),
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
struct Solid {
    base_color: String,
    alpha: u8,
    #[attribute(name = "blend-mode")]
    blend: String,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct View {
    mode: Mode,
    scale: f64,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "t", content = "c")]
enum Mode {
    Plain,
    Zoom { factor: f64 },
    List(Vec<i64>),
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(untagged)]
enum Loose {
    Number(u64),
    Text(String),
    Struct { list: Vec<u8> },
}

/// Without a place for members that no field names.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "app.lamp", version = 2)]
#[upgrade_from(1 => 2,
    rename(state.Dimmed.to => state.Dimmed.level),
    rename(mode.Zoom.by => mode.Zoom.factor),
    rename(theme.Custom.colour => theme.Custom.accent),
    variants(theme, "simple" => "plain", drop("sepia", "nobody used it", as = "plain")))]
#[upgrade_from(0 => 1, variants(state, "Dim" => "Dimmed", drop("Off": bool, "the switch does that", as = "On")))]
struct Lamp {
    state: State,
    mode: Mode,
    theme: Option<Theme>,
    #[attribute(default, alias = "mork")]
    mark: u8,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "is")]
enum State {
    On,
    Dimmed {
        level: u8,
        #[attribute(default)]
        warm: bool,
    },
}

/// A JSON value in the making.
#[derive(Debug, Clone)]
enum Node {
    Raw(&'static str),
    Array(Vec<Node>),
    Object(Vec<(&'static str, Node)>),
}

/// Choices that shrink to the first of each kind.
struct Choices(std::vec::IntoIter<u8>);

impl Choices {
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.0.next().unwrap_or(0)) % count
    }

    fn one_of(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    fn raw(&mut self, from: &[&'static str]) -> Node {
        Node::Raw(self.one_of(from))
    }

    fn many(&mut self, mut one: impl FnMut(&mut Self) -> Node) -> Vec<Node> {
        (0..self.below(4)).map(|_| one(self)).collect()
    }

    fn text(&mut self) -> Node {
        self.raw(&[
            r#""x""#,
            r#""""#,
            r#""now \u00e9\n""#,
            r#""red""#,
            r#""\ud83d\ude00""#,
        ])
    }

    /// No negative zero, because over values it is zero.
    fn float(&mut self) -> Node {
        self.raw(&[
            "0.5",
            "2",
            "1.0",
            "1e2",
            "2.50",
            "0.1234567890123456789",
            "9007199254740993",
        ])
    }

    fn any(&mut self) -> Node {
        self.raw(&[
            "null",
            "[1.0, {\"b\":1,\"a\":-0.0}]",
            "{\"x\": 1e1}",
            "true",
            "18446744073709551615",
            "\"s\"",
            "[]",
        ])
    }

    fn theme(&mut self, version: u64) -> Node {
        let kinds: &[_] = if version < 3 {
            &["simple", "custom", "sepia", "plain"]
        } else {
            &["plain", "custom", "named", "own"]
        };
        let kind = self.one_of(kinds);
        let mut members = vec![("kind", Node::Raw(quoted(kind)))];
        if matches!(kind, "custom" | "own") {
            members.push((
                ["color", "colour", "colour", "accent"][usize::try_from(version).unwrap()],
                self.text(),
            ));
            if self.below(3) > 0 {
                members.push(("opacity", self.float()));
            }
            if self.below(3) == 0 {
                members.push(("plugin", self.any()));
            }
        }
        if kind == "named" || kind == "sepia" && self.below(2) == 0 {
            members.push(("name", self.text()));
        }
        if self.below(2) == 0 {
            members.rotate_left(1);
        }
        Node::Object(members)
    }

    fn shape(&mut self, version: u64) -> Node {
        let pair = |choices: &mut Self| Node::Array(vec![choices.float(), choices.float()]);
        match (self.below(4), version < 3) {
            (0, _) => self.raw(&[r#""Point""#, r#"{"Point":null}"#]),
            (1, true) => Node::Object(vec![("Rectangle", pair(self))]),
            (1, false) => Node::Object(vec![("Rect", pair(self))]),
            (2, true) => Node::Object(vec![(
                "Blob",
                Node::Array(vec![Node::Raw("1"), Node::Raw("2")]),
            )]),
            (_, before) => {
                let mut circle = vec![(if before { "r" } else { "radius" }, self.float())];
                if self.below(3) == 0 {
                    circle.push(("odd", self.any()));
                }
                Node::Object(vec![("Circle", Node::Object(circle))])
            }
        }
    }

    fn fill(&mut self, version: u64) -> Node {
        if self.below(3) == 0 {
            return Node::Raw(r#""None""#);
        }
        let mut solid = vec![("baseColor", self.text())];
        if version < 2 {
            if self.below(2) == 0 {
                solid.push(("gamma", self.raw(&["2.2", "null"])));
            }
        } else {
            solid.extend([("alpha", Node::Raw("9")), ("blend-mode", self.text())]);
        }
        Node::Object(vec![(
            if version < 2 { "Old" } else { "Solid" },
            Node::Object(solid),
        )])
    }

    fn mode(&mut self, version: u64) -> Node {
        let (before, kind) = (version < 2, self.below(4));
        let tag = |name| ("t", Node::Raw(quoted(name)));
        let mut members = match kind {
            0 if before => vec![tag("Off")],
            0 => vec![tag("Plain")],
            1 => {
                let factor = (if before { "by" } else { "factor" }, self.float());
                vec![tag("Zoom"), ("c", Node::Object(vec![factor]))]
            }
            2 => {
                return Node::Array(vec![
                    Node::Raw(quoted("Zoom")),
                    Node::Object(vec![("factor", self.float())]),
                ]);
            }
            _ => vec![
                tag("List"),
                (
                    "c",
                    Node::Array(self.many(|choices| choices.raw(&["1", "-7", "9007199254740993"]))),
                ),
            ],
        };
        if self.below(3) == 0 {
            members.reverse();
        }
        Node::Object(members)
    }

    fn loose(&mut self) -> Node {
        match self.below(3) {
            0 => self.raw(&["7", "18446744073709551615"]),
            1 => self.text(),
            _ => Node::Object(vec![(
                "list",
                Node::Array(self.many(|choices| choices.raw(&["1", "2"]))),
            )]),
        }
    }

    fn page(&mut self, version: u64) -> Vec<(&'static str, Node)> {
        let named = |since: u64, before, after| if version < since { before } else { after };
        let fills = ["a", "b b", "é\\n"]
            .map(|key| (key, self.fill(version)))
            .into_iter()
            .take(self.below(4))
            .collect();
        let view = Node::Object(vec![("mode", self.mode(version)), ("scale", self.float())]);
        let mut members = vec![
            (named(3, "title", "windowTitle"), self.text()),
            ("width", Node::Raw("640")),
            (named(2, "skin", "theme"), self.theme(version)),
            (
                "shapes",
                Node::Array(self.many(|choices| choices.shape(version))),
            ),
            (named(2, "paint", "fill"), Node::Object(fills)),
            ("view", view),
            ("loose", Node::Array(self.many(Self::loose))),
            (
                "retries",
                if version < 3 {
                    self.raw(&[r#""5""#, r#""0""#, r#""""#, r#"" 5""#])
                } else {
                    Node::Raw("5")
                },
            ),
            ("tags", Node::Array(self.many(Self::text))),
        ];
        if version >= 2 {
            members.push(("level", Node::Raw("4")));
        }
        for (name, node) in [
            ("isMaximized", Node::Raw("true")),
            ("mode", self.mode(version)),
            ("calm", self.theme(3)),
            (named(1, "lastOpen", "lastOpened"), self.text()),
            ("depth", Node::Raw("2")),
            ("odd", self.any()),
            ("legacy", self.raw(&["true", "null", "{\"a\":1}"])),
        ] {
            if self.below(2) == 0 && (name != "legacy" || version == 0) {
                members.push((name, node));
            }
        }
        members
    }

    fn lamp(&mut self, version: u64) -> Vec<(&'static str, Node)> {
        let level = (
            if version < 2 { "to" } else { "level" },
            self.raw(&["3", "255", "256", "3.0"]),
        );
        let name = if version < 1 { "Dim" } else { "Dimmed" };
        let state = match self.below(4) {
            0 => vec![("is", Node::Raw(quoted("On")))],
            1 => vec![
                ("is", Node::Raw(quoted("Off"))),
                ("content", Node::Raw("true")),
            ],
            2 => vec![level, ("is", Node::Raw(quoted(name)))],
            _ => vec![
                ("is", Node::Raw(quoted(name))),
                level,
                ("warm", Node::Raw("true")),
            ],
        };
        let theme = if self.below(3) == 0 {
            Node::Raw("null")
        } else {
            self.theme(if version < 2 { 2 } else { 3 })
        };
        vec![
            ("state", Node::Object(state)),
            ("mode", self.mode(if version < 2 { 1 } else { 2 })),
            ("theme", theme),
        ]
    }
}

fn quoted(name: &str) -> &'static str {
    const NAMES: [&str; 16] = [
        r#""simple""#,
        r#""custom""#,
        r#""sepia""#,
        r#""plain""#,
        r#""named""#,
        r#""own""#,
        r#""Off""#,
        r#""Plain""#,
        r#""Zoom""#,
        r#""List""#,
        r#""On""#,
        r#""Dim""#,
        r#""Dimmed""#,
        r#""Rect""#,
        r#""Solid""#,
        r#""Old""#,
    ];
    NAMES
        .into_iter()
        .find(|known| known.trim_matches('"') == name)
        .unwrap_or("\"?\"")
}

/// Names of all versions, of variants and of nothing.
const NAMES: [&str; 40] = [
    "title",
    "windowTitle",
    "width",
    "skin",
    "theme",
    "shapes",
    "paint",
    "fill",
    "view",
    "mode",
    "loose",
    "retries",
    "tags",
    "level",
    "legacy",
    "kind",
    "colour",
    "color",
    "accent",
    "opacity",
    "plugin",
    "name",
    "r",
    "radius",
    "t",
    "c",
    "by",
    "factor",
    "gamma",
    "alpha",
    "is",
    "to",
    "state",
    "Circle",
    "Old",
    "Solid",
    "Zoom",
    "custom",
    "\\u0074heme",
    "zz",
];

const VALUES: [&str; 30] = [
    "null",
    "1",
    "\"x\"",
    "true",
    "[]",
    "{}",
    "\"plain\"",
    "\"simple\"",
    "\"sepia\"",
    "\"custom\"",
    "\"own\"",
    "\"Custom\"",
    "\"Zoom\"",
    "\"Off\"",
    "\"Dim\"",
    "\"\\u0063ustom\"",
    "{\"kind\":\"sepia\",\"a\":1}",
    "{\"kind\":\"custom\",\"colour\":\"r\",\"accent\":\"s\"}",
    "{\"Circle\":{\"r\":1,\"radius\":2}}",
    "{\"Circle\":{\"r\":1,\"r\":2}}",
    "{\"Old\":{\"baseColor\":\"b\",\"alpha\":null}}",
    "{\"t\":\"Zoom\",\"c\":{\"by\":1,\"factor\":2}}",
    "[\"Zoom\",{\"by\":1}]",
    "{\"a\":1,\"a\":2}",
    "1e999",
    "1.5",
    "-1",
    "[[]]",
    "{\"Rectangle\":null}",
    "\"\\ud800\"",
];

impl Node {
    fn count(&self) -> usize {
        1 + match self {
            Self::Raw(_) => 0,
            Self::Array(elements) => elements.iter().map(Self::count).sum(),
            Self::Object(members) => members.iter().map(|(_, node)| node.count()).sum(),
        }
    }

    /// Changes the node of this number, counted from the outside, in one way or another.
    fn change(&mut self, number: usize, how: u8, what: usize) {
        let (name, value) = (
            NAMES[what % NAMES.len()],
            Self::Raw(VALUES[what % VALUES.len()]),
        );
        let Some(mut left) = number.checked_sub(1) else {
            return match (self, how % 6) {
                (Self::Object(members), 0) if !members.is_empty() => {
                    drop(members.remove(what % members.len()));
                }
                (Self::Object(members), 1) => {
                    members.insert(what % (members.len() + 1), (name, value));
                }
                (Self::Object(members), 2) if !members.is_empty() => {
                    let again = members[what % members.len()].clone();
                    members.push(again);
                }
                (Self::Object(members), 3) if !members.is_empty() => {
                    let at = usize::from(how / 6) % members.len();
                    members[at].0 = name;
                }
                (Self::Object(members), 4) if !members.is_empty() => {
                    let by = what % members.len();
                    members.rotate_left(by);
                }
                (Self::Array(elements), 0 | 1) => elements.push(value),
                (node, _) => *node = value,
            };
        };
        let nodes: Vec<&mut Self> = match self {
            Self::Raw(_) => Vec::new(),
            Self::Array(elements) => elements.iter_mut().collect(),
            Self::Object(members) => members.iter_mut().map(|(_, node)| node).collect(),
        };
        for node in nodes {
            let count = node.count();
            if left < count {
                return node.change(left, how, what);
            }
            left -= count;
        }
    }

    fn write(&self, blank: &str, out: &mut String) {
        match self {
            Self::Raw(json) => *out += json,
            Self::Array(elements) => {
                *out += "[";
                for (index, element) in elements.iter().enumerate() {
                    *out += if index > 0 { "," } else { "" };
                    *out += blank;
                    element.write(blank, out);
                }
                *out += "]";
            }
            Self::Object(members) => {
                *out += "{";
                for (index, (name, value)) in members.iter().enumerate() {
                    write!(
                        out,
                        "{}{blank}\"{name}\"{blank}:{blank}",
                        if index > 0 { "," } else { "" }
                    )
                    .unwrap();
                    value.write(blank, out);
                }
                *out += blank;
                *out += "}";
            }
        }
    }
}

/// The model with all that is said beside it, what a registry makes of the document, and the
/// document as it is rewritten.
fn upgraded<T: Resource + CurrentModel + Debug>(
    version: u64,
    members: &[(&'static str, Node)],
    mark: &'static str,
    blank: &str,
) -> [String; 3] {
    let mut json = String::new();
    let with = |first: &[(&'static str, Node)]| {
        Node::Object([first, members, &[(mark, Node::Raw("1"))]].concat())
    };
    with(&[]).write(blank, &mut json);
    let said = |result: Result<(String, Vec<String>), String>| match result {
        Ok((value, mut notes)) => {
            // Over values it is also noted what no field names and has a key twice.
            let has_undefined = notes.iter().any(|note| note.starts_with("undefined "));
            notes.retain(|note| !has_undefined || !note.contains("Repeated Map Key"));
            // In the order of one text or the other.
            notes.sort();
            format!("{value}\n{}", notes.join("\n"))
        }
        Err(error) => format!("refused: {error}"),
    };
    let model = upstate::upgrade_json_with_notes::<T>(version, &json).map(|(model, notes)| {
        let undefined = notes
            .undefined()
            .iter()
            .map(|path| format!("undefined {path}"));
        let dropped = notes
            .dropped()
            .iter()
            .map(|dropped| format!("dropped {}: {}", dropped.path, dropped.reason));
        let warnings = notes.warnings().iter().map(ToString::to_string);
        let count = notes.undefined_count().to_string();
        (
            format!("{model:?}"),
            undefined
                .chain(dropped)
                .chain(warnings)
                .chain([count])
                .collect(),
        )
    });
    let registry = Registry::new().with::<T>();
    let response = registry.upgrade(&upstate::UpgradeRequest::json(
        T::TYPE_NAME,
        version,
        json.as_bytes(),
    ));
    let state = response
        .state()
        .map(|state| String::from_utf8_lossy(state).into_owned());
    let state = state
        .ok_or_else(|| response.diagnostics().to_string())
        .map(|state| {
            let dropped = response
                .dropped()
                .iter()
                .map(|dropped| format!("dropped {}: {}", dropped.path, dropped.reason));
            (state, dropped.collect())
        });
    let mut document = String::new();
    let versions = ["0", "1", "2", "3"];
    with(&[(
        "schema_version",
        Node::Raw(versions[usize::try_from(version).unwrap()]),
    )])
    .write(blank, &mut document);
    let rewritten = Format::new().rewrite(&registry, Some(T::TYPE_NAME), document.as_bytes());
    let rewritten = rewritten
        .map_err(|error| error.to_string())
        .map(|rewrite| match rewrite {
            Some(rewrite) => (
                String::from_utf8_lossy(&rewrite.bytes).into_owned(),
                vec![format!("{} lost", rewrite.lost)],
            ),
            None => ("current".to_owned(), Vec::new()),
        });
    [
        said(model.map_err(|error| error.to_string())),
        said(state),
        said(rewritten),
    ]
}

fn same_by_text_and_values<T: Resource + CurrentModel + Debug>(
    version: u64,
    members: Vec<(&'static str, Node)>,
    changes: &[Change],
    blank: &str,
) -> Result<(), TestCaseError> {
    let mut node = Node::Object(members);
    for (number, how, what) in changes {
        node.change(
            usize::from(*number) % node.count(),
            *how,
            usize::from(*what),
        );
    }
    let members = if let Node::Object(members) = node {
        members
    } else {
        Vec::new()
    };
    let [by_text, by_values] =
        ["mark", "mork"].map(|mark| upgraded::<T>(version, &members, mark, blank));
    for (by_text, by_values) in by_text.iter().zip(&by_values) {
        // A path may name the member that differs, and only values that were read as such have a
        // place in the stored text.
        let [by_text, by_values] =
            [by_text, by_values].map(|said| without_bytes(&said.replace("mork", "mark")));
        prop_assert_eq!(by_text, by_values, "version {}: {:?}", version, members);
    }
    Ok(())
}

/// Values of one kind each, of which every place takes some.
const SCALARS: [&str; 8] = [
    "null",
    "true",
    "-1",
    "1.5",
    "300",
    "\"x\"",
    "\"\"",
    "9007199254740993",
];

impl Node {
    /// Changes the scalar of this number, or takes the member of this number away.
    fn mistake(&mut self, number: usize, remove: bool, what: usize) {
        if remove {
            return self.change(number % self.count(), 0, what);
        }
        let mut scalars = Vec::new();
        self.scalars(&mut scalars);
        let count = scalars.len();
        if let Some(scalar) = scalars.into_iter().nth(number % count.max(1)) {
            *scalar = Self::Raw(SCALARS[what % SCALARS.len()]);
        }
    }

    fn scalars<'a>(&'a mut self, found: &mut Vec<&'a mut Self>) {
        match self {
            Self::Raw(_) => found.push(self),
            Self::Array(elements) => elements.iter_mut().for_each(|node| node.scalars(found)),
            Self::Object(members) => members.iter_mut().for_each(|(_, node)| node.scalars(found)),
        }
    }
}

/// The errors of the upgrade of a document.
fn errors<T: Resource + CurrentModel>(version: u64, node: &Node) -> Vec<String> {
    let mut json = String::new();
    node.write("", &mut json);
    let registry = Registry::new().with::<T>();
    let response = registry.upgrade(&upstate::UpgradeRequest::json(
        T::TYPE_NAME,
        version,
        json.as_bytes(),
    ));
    response
        .diagnostics()
        .iter()
        .filter(|one| one.severity() == upstate::Severity::Error)
        .map(ToString::to_string)
        .collect()
}

/// A document in which one value is wrong has one error.
fn one_error<T: Resource + CurrentModel>(
    version: u64,
    members: Vec<(&'static str, Node)>,
    (number, how, what): Change,
) -> Result<(), TestCaseError> {
    let mut node = Node::Object(members);
    // Values at random do not fit now and then.
    if !errors::<T>(version, &node).is_empty() {
        return Ok(());
    }
    node.mistake(usize::from(number), how % 3 == 0, usize::from(what));
    let errors = errors::<T>(version, &node);
    prop_assert!(
        errors.len() < 2,
        "version {}: {:?}\n{:?}",
        version,
        errors,
        node
    );
    Ok(())
}

fn without_bytes(text: &str) -> String {
    let mut parts = text.split(" (byte ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once(')').map_or(part, |(_, rest)| rest)
    })
}

/// A third of those that `.ci/full` tries with a new seed.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(1_000)
}

/// The node that is changed, how, and by what.
type Change = (u16, u8, u16);

/// Versions, choices and changes; most documents have few changes, so that many are as they should
/// be.
fn documents(latest: u64) -> impl Strategy<Value = (u64, Vec<u8>, Vec<Change>, &'static str)> {
    let changes = prop_oneof![
        2 => Just(Vec::new()),
        3 => vec(any::<Change>(), 1..2),
        1 => vec(any::<Change>(), 1..5),
    ];
    (
        0..=latest,
        vec(any::<u8>(), 0..100),
        changes,
        prop_oneof![Just(""), Just(" "), Just("\n\t")],
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn text_and_values_make_the_same_page((version, choices, changes, blank) in documents(3)) {
        let members = Choices(choices.into_iter()).page(version);
        same_by_text_and_values::<Page>(version, members, &changes, blank)?;
    }

    #[test]
    fn text_and_values_make_the_same_lamp((version, choices, changes, blank) in documents(2)) {
        let members = Choices(choices.into_iter()).lamp(version);
        same_by_text_and_values::<Lamp>(version, members, &changes, blank)?;
    }

    #[test]
    fn one_mistake_of_a_page_is_one_error((version, choices, _, _) in documents(3), change in any::<Change>()) {
        one_error::<Page>(version, Choices(choices.into_iter()).page(version), change)?;
    }

    #[test]
    fn one_mistake_of_a_lamp_is_one_error((version, choices, _, _) in documents(2), change in any::<Change>()) {
        one_error::<Lamp>(version, Choices(choices.into_iter()).lamp(version), change)?;
    }
}
