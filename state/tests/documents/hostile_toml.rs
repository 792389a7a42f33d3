//! TOML as odd as it may be: after an upgrade in place, the rest of the file is byte for byte what
//! it was.

use std::collections::BTreeMap;

use proptest::prelude::*;
use upstate::{Document, Registry};
use upstate_state::document::Format;

const TOML: Format<'static> = Format::toml();

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "odd", version = 1)]
#[upgrade_from(0 => 1,
    rename(title => name),
    convert(retries: String, empty = refuse),
    rename(window.zoom: f64 => window.scale),
    drop(legacy: Option<String>, "nobody read it"),
    set(level = 3))]
struct Odd {
    name: String,
    retries: u8,
    level: u8,
    window: Window,
    text: String,
    date: String,
    time: String,
    numbers: Vec<f64>,
    labels: BTreeMap<String, String>,
    servers: Vec<Server>,
    deep: Deep,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Window {
    scale: f64,
    width: i64,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Server {
    host: String,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Deep {
    one: Option<i64>,
    inner: Inner,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Inner {
    two: i64,
    most: Option<Most>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Most {
    three: i64,
}

/// A text in the making, and the pieces of it that an upgrade has to leave alone.
struct Writer {
    choices: std::vec::IntoIter<u8>,
    comments: usize,
    text: String,
    same: Vec<String>,
    /// Comments that end with a dropped member.
    gone: Vec<String>,
    undefined: usize,
}

impl Writer {
    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        let choice = self.choices.next().unwrap_or(0);
        from[usize::from(choice) % from.len()]
    }

    fn once_in(&mut self, times: u8) -> bool {
        self.choices
            .next()
            .is_some_and(|choice| choice % times == 1)
    }

    fn comment(&mut self) -> String {
        self.comments += 1;
        format!("#c{}.", self.comments)
    }

    /// What may stand above an entry.
    fn above(&mut self) -> String {
        match self.pick(&[
            "", "", "", "\n", "# ", "\n# ", "  # ", " \t\n", "# \n\n", "#=\n#[",
        ]) {
            blank if !blank.contains('#') => blank.to_owned(),
            before => {
                let comment = self.comment();
                before.replacen('#', &comment, 1) + "\n"
            }
        }
    }

    /// What may stand behind a value.
    fn behind(&mut self) -> String {
        match self.pick(&["", "", " ", "\t", " #", "#"]) {
            blank if !blank.contains('#') => blank.to_owned(),
            before => before.replacen('#', &self.comment(), 1) + " = [\"",
        }
    }

    /// An entry that no difference touches.
    fn same(&mut self, entry: &str) {
        let (above, behind) = (self.above(), self.behind());
        let indent = self.pick(&["", "", "  ", "\t"]);
        let line = format!("{indent}{entry}{behind}\n");
        self.text += &above;
        self.text += &line;
        self.same.extend(
            above
                .lines()
                .filter(|line| line.contains('#'))
                .map(|line| line.trim().to_owned()),
        );
        self.same.push(line.trim_end_matches('\n').to_owned());
    }

    /// An entry that one changes.
    fn touched(&mut self, entry: &str) {
        let (above, behind) = (self.above(), self.behind());
        self.text
            .extend([above.as_str(), entry, behind.as_str(), "\n"]);
    }

    fn dropped(&mut self, entry: &str) {
        let before = self.comments;
        self.touched(entry);
        self.gone
            .extend((before + 1..=self.comments).map(|number| format!("#c{number}.")));
    }

    fn key(&mut self, bare: &str) -> String {
        match self.pick(&["bare", "bare", "basic", "literal"]) {
            "basic" => format!("\"{bare}\""),
            "literal" => format!("'{bare}'"),
            _ => bare.to_owned(),
        }
    }

    fn equals(&mut self) -> &'static str {
        self.pick(&[" = ", "=", "  =  ", " =\t"])
    }

    fn undefined(&mut self) {
        if self.once_in(4) {
            self.undefined += 1;
            let name = format!("u{}", self.undefined);
            let value = self.pick(&[
                "1",
                "'''\nx\n'''",
                "{ a = { b = [1, {c=2}] } }",
                "1979-05-27",
                "[]",
                "{}",
                "0b101",
                "+1_0.5e3",
            ]);
            let (key, equals) = (self.key(&name), self.equals());
            self.same(&format!("{key}{equals}{value}"));
        }
    }

    fn header(&mut self, header: &str) {
        self.same(header);
    }

    fn shuffled(&mut self, mut all: Vec<&'static str>) -> Vec<&'static str> {
        let mut order = Vec::new();
        while !all.is_empty() {
            let next = usize::from(self.choices.next().unwrap_or(0)) % all.len();
            order.push(all.remove(next));
        }
        order
    }

    fn root(&mut self, styles: &BTreeMap<&str, &str>) {
        let entries = self.shuffled(vec![
            "type", "version", "title", "retries", "legacy", "level", "text", "date", "time",
            "numbers", "window", "labels", "servers", "deep",
        ]);
        for entry in entries {
            self.undefined();
            let equals = self.equals();
            match (entry, styles.get(entry).copied()) {
                ("type", _) => self.same(&format!("type{equals}\"odd\"")),
                ("version", _) => self.touched("schema_version = 0"),
                ("title", _) => {
                    let value =
                        self.pick(&["'x'", "\"x\"", "'''x'''", "\"\"\"\nx\"\"\"", "\"\\u0078\""]);
                    self.touched(&format!("title{equals}{value}"));
                }
                ("retries", _) => self.touched(&format!("retries{equals}'7'")),
                ("legacy", _) if self.once_in(2) => self.dropped("legacy = 'old'"),
                ("text", _) => {
                    let value = self.pick(&[
                        "\"a\"",
                        "'''\n# not a comment\n [x]\n'''",
                        "\"\"\"a \\\n   b\"\"\"",
                        "\"\\t\\\"#\"",
                    ]);
                    self.same(&format!("text{equals}{value}"));
                }
                ("date", _) => {
                    let value = self.pick(&[
                        "1979-05-27",
                        "1979-05-27T07:32:00Z",
                        "1979-05-27 07:32:00.5-07:00",
                        "'1979'",
                        "1979-05-27t07:32:00",
                    ]);
                    self.same(&format!("date{equals}{value}"));
                }
                ("time", _) => self.same(&format!("time{equals}07:32:00.999")),
                ("numbers", _) => {
                    let value = self.pick(&[
                        "[]",
                        "[ 1.0,2e1 , 3, ]",
                        "[\n  1_0.0, # one\n  # two\n  0x1F\n]",
                        "[\n]",
                        "[1,\n\n2]",
                    ]);
                    self.same(&format!("numbers{equals}{value}"));
                }
                ("window", Some("inline")) => {
                    let value = self.pick(&[
                        "{zoom=1.50,width=0x10}",
                        "{ width = 16 , zoom = 1.50 }",
                        "{ 'zoom' = 1.5, width = 1_6, x = [ 1 ] }",
                    ]);
                    self.undefined += usize::from(value.contains('x') && value.contains("x = ["));
                    self.touched(&format!("window{equals}{value}"));
                }
                ("window", Some("dotted")) => {
                    self.touched("window.zoom = 1.5");
                    self.same("window . width = 16");
                }
                ("labels", Some("inline")) => {
                    self.same("labels = { \"a.b\" = 'c', ' ' = \"d\", '' = 'e' }");
                }
                ("labels", Some("dotted")) => {
                    self.same("labels.\"a.b\" = 'c'");
                    self.same("labels . '#' = 'd'");
                }
                ("servers", Some("inline")) => {
                    let value = self.pick(&[
                        "[]",
                        "[{host='a'},{ host = 'b', port = 1 }]",
                        "[\n  { host = 'a' }, # first\n  # second\n  { host = 'b' },\n]",
                    ]);
                    self.same(&format!("servers{equals}{value}"));
                }
                ("deep", Some("inline")) => {
                    self.same("deep = { inner = { two = 2, most.three = 3 } }");
                }
                ("deep", Some("dotted")) => {
                    self.same("deep.inner.two = 2");
                    self.same("deep.one = 1");
                    self.same("deep.inner.most.three = 3");
                }
                _ => {}
            }
        }
        self.undefined();
    }

    fn sections(&mut self, styles: &BTreeMap<&str, &str>) {
        let sections = self.shuffled(vec!["window", "labels", "servers", "deep", "undefined"]);
        // Super-tables that come out of order are moved behind all others.
        let mut late = Vec::new();
        for section in sections {
            if styles.get(section).is_some_and(|style| *style != "section") {
                continue;
            }
            match section {
                "window" => {
                    let header = self.pick(&["[window]", "[ window ]", "[\"window\"]"]);
                    self.header(header);
                    for entry in self.shuffled(vec!["zoom", "width"]) {
                        if entry == "zoom" {
                            self.touched("zoom = 1.50");
                        } else {
                            self.same("width = +16");
                        }
                        self.undefined();
                    }
                }
                "labels" => {
                    self.header("[labels]");
                    self.same("\"a.b\" = 'c'");
                    self.same("'[x]' = \"\"\"\nd\"\"\"");
                }
                "servers" => {
                    for _ in 0..=(self.choices.next().unwrap_or(0) % 3) {
                        self.header("[[servers]]");
                        self.same("host = 'a'");
                        self.undefined();
                        if self.once_in(3) {
                            self.header("[servers.more]");
                            self.undefined += 1;
                            self.same("x = 1");
                        }
                    }
                }
                "deep" => match self.pick(&["whole", "outer", "late"]) {
                    "whole" => {
                        self.header("[deep]");
                        self.same("inner.two = 2");
                        self.same("inner.most = { three = 3 }");
                    }
                    "outer" => {
                        self.header("[deep]");
                        self.header("[deep.inner]");
                        self.same("two = 2");
                        self.header("[deep.inner.most]");
                        self.same("three = 3");
                    }
                    _ => {
                        self.header("[deep.inner.most]");
                        self.same("three = 3");
                        late.push(("[deep]", "one = 1"));
                        late.push(("[deep.inner]", "two = 2"));
                    }
                },
                _ => match self.pick(&["nothing", "table", "tables"]) {
                    "table" => {
                        self.undefined += 1;
                        self.header("[odd]");
                    }
                    "tables" => {
                        self.undefined += 1;
                        self.header("[[odd.\"a.b\".list]]");
                        self.same("x = [ ]");
                        self.header("[[odd.\"a.b\".list]]");
                    }
                    _ => {}
                },
            }
        }
        for (header, entry) in late {
            self.header(header);
            self.same(entry);
        }
        let end = self.above();
        self.same.extend(
            end.lines()
                .filter(|line| line.contains('#'))
                .map(|line| line.trim().to_owned()),
        );
        self.text += &end;
    }
}

fn check(choices: Vec<u8>) -> Result<(), TestCaseError> {
    let mut writer = Writer {
        choices: choices.into_iter(),
        comments: 0,
        text: String::new(),
        same: Vec::new(),
        gone: Vec::new(),
        undefined: 0,
    };
    let styles: BTreeMap<&str, &str> = ["window", "labels", "servers", "deep"]
        .map(|name| {
            (
                name,
                writer.pick(if name == "servers" {
                    &["section", "inline"]
                } else {
                    &["section", "inline", "dotted"]
                }),
            )
        })
        .into();
    let windows = writer.once_in(3);
    let ending = writer.pick(&["as it is", "as it is", "none", "mark"]);
    writer.root(&styles);
    writer.sections(&styles);
    let Writer {
        mut text,
        mut same,
        gone,
        undefined,
        comments,
        ..
    } = writer;
    if ending == "none" {
        text.truncate(text.trim_end_matches('\n').len());
    }
    if windows {
        text = text.replace('\n', "\r\n");
        same = same
            .into_iter()
            .map(|piece| piece.replace('\n', "\r\n"))
            .collect();
    }
    if ending == "mark" {
        text.insert(0, '\u{feff}');
    }
    let read = match TOML.read::<Odd>(text.as_bytes()) {
        Ok(read) => read,
        Err(error) => panic!("{error}\n{text}"),
    };
    prop_assert_eq!(
        read.undefined().len(),
        undefined,
        "{:?}\n{}",
        read.undefined(),
        text
    );
    let rewrite = TOML
        .rewrite(&Registry::new().with::<Odd>(), None, text.as_bytes())
        .unwrap()
        .unwrap();
    prop_assert_eq!(rewrite.lost, 0);
    let edited = TOML.edit(text.as_bytes(), read.model()).unwrap();
    let new = String::from_utf8(rewrite.bytes).unwrap();
    prop_assert_eq!(&new, &String::from_utf8(edited).unwrap());

    let again = TOML.read::<Odd>(new.as_bytes()).unwrap();
    prop_assert_eq!(again.model(), read.model(), "{}\n---\n{}", text, new);
    prop_assert_eq!(again.undefined().len(), undefined, "{}\n---\n{}", text, new);
    let at_rest = TOML.edit(new.as_bytes(), again.model()).unwrap();
    prop_assert_eq!(&String::from_utf8(at_rest).unwrap(), &new);

    prop_assert_eq!(new.starts_with('\u{feff}'), text.starts_with('\u{feff}'));
    prop_assert_eq!(
        new.ends_with('\n'),
        text.ends_with('\n'),
        "{}\n---\n{}",
        text,
        new
    );
    if windows {
        prop_assert!(!new.replace("\r\n", "").contains('\n'), "{:?}", new);
    } else {
        prop_assert!(!new.contains('\r'));
    }
    let mut from = 0;
    for piece in &same {
        let found = new.get(from..).and_then(|rest| rest.find(piece.as_str()));
        prop_assert!(
            found.is_some(),
            "{:?} is not there, or not in its place\n{}\n---\n{}",
            piece,
            text,
            new
        );
        from += found.unwrap_or(0) + piece.len();
    }
    for comment in (1..=comments).map(|number| format!("#c{number}.")) {
        let count = new.matches(&comment).count();
        // One above a dropped member may be the document's.
        prop_assert!(
            count == 1 || count == 0 && gone.contains(&comment),
            "{}\n{}\n---\n{}",
            comment,
            text,
            new
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn the_rest_of_a_file_stays_byte_for_byte(choices in proptest::collection::vec(any::<u8>(), 0..=400)) {
        check(choices)?;
    }
}
