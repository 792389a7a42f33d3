//! The messages of the compiler, one JSON object a line, taken apart and put together again.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use annotate_snippets::Renderer;
use serde_json::{Map, Value, json};

use super::problem::{Change, Problem};
use super::render::rendered;
use crate::rust_file::RustFile;

/// A message of the compiler, translated.
#[derive(Debug)]
pub(crate) struct Translated {
    pub(crate) problem: Problem,
    /// The file of the error, as this program finds it.
    pub(crate) file: PathBuf,
    /// The file as the compiler names it.
    name: String,
    text: Rc<str>,
    at: Range<usize>,
    span: Map<String, Value>,
    /// Further places of one mistake.
    also: Vec<(String, Map<String, Value>)>,
}

impl Translated {
    /// The place, `src/lib.rs:7:3`.
    pub(crate) fn place(&self) -> String {
        let (line, column) = position(&self.text, self.at.start);
        format!("{}:{line}:{column}", self.name)
    }

    /// The line, from 1.
    pub(crate) fn line(&self) -> usize {
        position(&self.text, self.at.start).0
    }

    /// The text of the file, as the compiler read it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// True if it is the mistake that the other is: there, or one without a change of its own
    /// elsewhere.
    fn is_again(&self, other: &Self) -> bool {
        let has_changes = |translated: &Self| {
            translated
                .problem
                .helps
                .iter()
                .any(|help| !help.changes.is_empty())
        };
        let is_there = self.file == other.file && self.at == other.at;
        self.problem.summary == other.problem.summary
            && (is_there || !has_changes(self) && !has_changes(other))
    }

    /// The message as the terminal shows it.
    pub(crate) fn rendered(&self, renderer: Renderer) -> String {
        let also: Vec<String> = self.also.iter().map(|(place, _)| place.clone()).collect();
        rendered(
            &self.problem,
            (&self.name, &self.text),
            &self.at,
            &also,
            renderer,
        )
    }

    /// The message in the compiler's form.
    pub(crate) fn message(&self) -> Value {
        message_of(self)
    }
}

/// Each mistake once, with the further places of those that are in several.
pub(crate) fn folded(all: Vec<Translated>) -> Vec<Translated> {
    let mut folded: Vec<Translated> = Vec::new();
    for translated in all {
        match folded.iter_mut().find(|known| known.is_again(&translated)) {
            Some(known) => {
                let place = translated.place();
                // A library is compiled again for its tests.
                if place != known.place() && known.also.iter().all(|(known, _)| *known != place) {
                    known.also.push((place, translated.span));
                }
            }
            None => folded.push(translated),
        }
    }
    folded
}

/// The mistakes of a message about a model, each translated; `None` for a message of another kind.
///
/// `folder` is where the compiler ran: names of files are relative to it.
pub(crate) fn translate(
    message: &Value,
    folder: &Path,
    files: &mut BTreeMap<PathBuf, Rc<str>>,
) -> Option<Vec<Translated>> {
    if message.get("level")?.as_str()? != "error" {
        return None;
    }
    let text = message.get("message")?.as_str()?;
    let rustc = message.pointer("/code/code").and_then(Value::as_str);
    let has_code = Problem::all(text)
        .iter()
        .any(|problem| problem.code.is_some());
    // Structs inside one another, because the compiler finds them where it evaluates their tables.
    let is_cycle = rustc == Some("E0391") && text.contains(TABLE);
    let is_ours = match rustc {
        Some("E0391") => is_cycle,
        // Any trait's, because the derives are seen in the source alone.
        Some("E0119") => true,
        Some("E0412" | "E0425") => text.starts_with("cannot find type `"),
        // `compile_error!` of any macro has no code; those of these derives end with a help or a
        // note, or have one.
        None | Some("E0277") => {
            has_code
                || text.contains("\nhelp: ")
                || text.contains("\nnote: ")
                || text.ends_with("` has no plan")
        }
        Some("E0080") => {
            text.starts_with("evaluation panicked: ") && (has_code || text.contains("\nhelp: "))
        }
        Some(_) => false,
    };
    if !is_ours {
        return None;
    }
    let spans = message.get("spans")?.as_array()?;
    let span = spans
        .iter()
        .find(|span| span.get("is_primary") == Some(&Value::Bool(true)))?;
    let name = span.get("file_name")?.as_str()?;
    let at = offset(span, "byte_start")?..offset(span, "byte_end")?;
    let path = found(folder, name)?;
    let source = if let Some(source) = files.get(&path) {
        Rc::clone(source)
    } else {
        let source: Rc<str> = std::fs::read_to_string(&path).ok()?.into();
        files.insert(path.clone(), Rc::clone(&source));
        source
    };
    if !is_as_read(&source, span) {
        return None;
    }
    let parsed = RustFile::parse(&source).ok();
    let children = message
        .get("children")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let in_other_words = match rustc {
        Some("E0391") => Some(cycle(source.get(at.clone())?, children)),
        Some("E0119") => Some(two_derives(&source, spans)?),
        Some("E0412" | "E0425") => Some(without_plan(&source, &at, text)?),
        _ => None,
    };
    let mut problems = Problem::all(in_other_words.as_deref().unwrap_or(text));
    let also = if is_cycle {
        fields_of_cycle(children)
    } else {
        Vec::new()
    };
    // Notes of an unimplemented trait are children. Those that list other types are left out,
    // because they say nothing of this one.
    if let ([problem], None) = (problems.as_mut_slice(), &in_other_words) {
        for child in children {
            let text = child
                .get("message")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let is_note = child.get("level").and_then(Value::as_str) == Some("note");
            if is_note
                && !is_about_traits(text)
                && child
                    .get("spans")
                    .and_then(Value::as_array)
                    .is_some_and(Vec::is_empty)
            {
                problem.notes.push(text.to_owned());
            }
        }
    }
    let translated = problems.into_iter().map(|mut problem| {
        if let Some(parsed) = &parsed {
            problem.locate(parsed, &at);
        }
        let span = span.as_object().cloned().unwrap_or_default();
        let (name, text) = (name.to_owned(), Rc::clone(&source));
        Translated {
            problem,
            file: path.clone(),
            name,
            text,
            at: at.clone(),
            span,
            also: also.clone(),
        }
    });
    Some(translated.collect())
}

/// The name of the tables in generated code.
const TABLE: &str = "`_::__UPSTATE_TABLE`";

/// The text of a mistake that the compiler calls a cycle: the type of a field leads back to the
/// struct that has the field.
fn cycle(ty: &str, children: &[Value]) -> String {
    let texts = || {
        children
            .iter()
            .filter_map(|child| child.get("message").and_then(Value::as_str))
    };
    if texts().any(|text| {
        text.contains("the derive macro `Document`") || text.contains("the derive macro `Union`")
    }) {
        format!(
            "`{ty}` leads back to the type that it is in\nhelp: mark the field with `#[attribute(recursive)]`"
        )
    } else {
        format!(
            "`{ty}` leads back to the struct that it is in, and a schema has a fixed depth\nhelp: write a struct for each level, or store \
             the inner levels as a string of JSON"
        )
    }
}

/// The derives that a type has one of.
const DERIVES: [&str; 5] = ["Document", "Object", "Resource", "StringEnum", "Union"];

/// The text of a mistake that the compiler reports once for each trait: a type with two of the
/// derives.
fn two_derives(source: &str, spans: &[Value]) -> Option<String> {
    let derive = |is_primary: bool| {
        let span = spans
            .iter()
            .find(|span| span.get("is_primary") == Some(&Value::Bool(is_primary)))?;
        let path = source.get(offset(span, "byte_start")?..offset(span, "byte_end")?)?;
        path.rsplit(':')
            .next()
            .map(str::trim)
            .filter(|name| DERIVES.contains(name))
    };
    let (later, first) = (derive(true)?, derive(false)?);
    Some(format!(
        "`{later}` beside `{first}`: a type derives only one of them\nhelp: leave one of the two out"
    ))
}

/// The text of a mistake that the compiler reports by the names of structs that a derive would have
/// made: a nested struct without a plan.
fn without_plan(source: &str, at: &Range<usize>, text: &str) -> Option<String> {
    let (name, missing) = (source.get(at.clone())?, text.split('`').nth(1)?);
    if !["Plan", "Paths"].contains(&missing.strip_prefix(name)?) {
        return None;
    }
    // The option of the field decides, because a struct with a plan has paths, too, and both are
    // missing for one reason.
    let (_, field) = source.get(..at.start)?.rsplit_once("#[")?;
    // Without the name of the field, which may be `paths`.
    let (options, _) = field.rsplit_once(']')?;
    let option = if options.contains("paths") {
        "paths"
    } else {
        "plan"
    };
    Some(format!(
        "`{name}` has no {option}\nnote: add `{option}` to its `#[object(…)]`"
    ))
}

/// The places of the other fields of a cycle.
fn fields_of_cycle(children: &[Value]) -> Vec<(String, Map<String, Value>)> {
    let of_tables = children.iter().filter(|child| {
        child
            .get("message")
            .and_then(Value::as_str)
            .is_some_and(|text| text.contains(TABLE))
    });
    let places = of_tables.filter_map(|child| {
        let span = child.pointer("/spans/0")?.as_object()?;
        let name = span.get("file_name")?.as_str()?;
        let (line, column) = (
            span.get("line_start")?.as_u64()?,
            span.get("column_start")?.as_u64()?,
        );
        Some((format!("{name}:{line}:{column}"), span.clone()))
    });
    places.collect()
}

/// True if the lines of a message, and the bytes before them, are still as the compiler read them,
/// because an author may have saved the file since.
fn is_as_read(source: &str, span: &Value) -> bool {
    let Some(read) = span.get("text").and_then(Value::as_array) else {
        return true;
    };
    let Some(before) = offset(span, "line_start").and_then(|line| line.checked_sub(1)) else {
        return false;
    };
    let mut lines = source.lines().skip(before);
    let are_lines = read.iter().all(|line| {
        let now = lines.next().map(|line| line.trim_start_matches('\u{feff}'));
        now == line.get("text").and_then(Value::as_str)
    });
    let is_there = |edge: &&str| {
        let number = |of: &str| offset(span, &format!("{of}_{edge}"));
        match (number("byte"), number("line"), number("column")) {
            (Some(byte), Some(line), Some(column)) => position(source, byte) == (line, column),
            _ => true,
        }
    };
    are_lines && (read.is_empty() || ["start", "end"].iter().all(is_there))
}

/// True for a note about how the compiler came to ask for a trait.
fn is_about_traits(text: &str) -> bool {
    [
        "required for",
        "required by",
        "the trait ",
        "the full name",
        "consider using `--verbose`",
        "1 redundant",
        "because it appears",
    ]
    .iter()
    .any(|start| text.starts_with(start))
        || text.contains("redundant requirement")
        || text.contains("other types implement")
}

/// The file of this name in a message, by the folder that the compiler ran in or one around it.
pub(super) fn found(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut paths = folder.ancestors().map(|folder| folder.join(name));
    paths.find(|path| path.is_file())
}

pub(super) fn offset(span: &Value, name: &str) -> Option<usize> {
    usize::try_from(span.get(name)?.as_u64()?).ok()
}

fn message_of(translated: &Translated) -> Value {
    let Translated {
        problem,
        name,
        text,
        span,
        also,
        ..
    } = translated;
    let mut children: Vec<Value> = problem
        .notes
        .iter()
        .map(|note| child("note", note, &[]))
        .collect();
    for help in &problem.helps {
        if help.changes.is_empty() {
            children.push(child("help", &help.text, &[]));
        }
        let exact = problem.exact().map(|(_, change)| change);
        for change in &help.changes {
            let applicability = match change {
                change if change.is_open => "HasPlaceholders",
                change if exact == Some(change) => "MachineApplicable",
                _ => "MaybeIncorrect",
            };
            // Each of several changes has its own title, so that a menu shows them apart.
            let title = if help.changes.len() == 1 {
                help.text.clone()
            } else {
                title(change)
            };
            let spans = change
                .edits
                .iter()
                .map(|(range, with)| suggestion((name.as_str(), text), range, with, applicability));
            children.push(child("help", &title, &spans.collect::<Vec<_>>()));
        }
    }
    if let Some(code) = &problem.code {
        children.push(child(
            "note",
            &format!("`upstate explain {code}` says more"),
            &[],
        ));
    }
    if !also.is_empty() {
        children.push(child(
            "note",
            "also here",
            &also
                .iter()
                .map(|(_, span)| without_label(span))
                .collect::<Vec<_>>(),
        ));
    }
    let code = problem
        .code
        .as_ref()
        .map(|code| json!({ "code": format!("upstate::{code}"), "explanation": null }));
    json!({
        "$message_type": "diagnostic",
        "message": problem.summary,
        "code": code,
        "level": "error",
        "spans": [without_label(span)],
        "children": children,
        "rendered": translated.rendered(Renderer::plain()),
    })
}

/// A span without the name of the constant that the compiler evaluated.
fn without_label(span: &Map<String, Value>) -> Value {
    let mut span = span.clone();
    span.insert("label".to_owned(), Value::Null);
    Value::Object(span)
}

fn title(change: &Change) -> String {
    match change.edits.as_slice() {
        [(_, with)] if with.is_empty() => format!("remove `{}`", change.code),
        [(range, _)] if range.is_empty() => format!("add `{}`", change.code),
        _ => format!("write `{}`", change.code),
    }
}

fn child(level: &str, message: &str, spans: &[Value]) -> Value {
    json!({ "message": message, "code": null, "level": level, "spans": spans, "children": [], "rendered": null })
}

/// A span of the compiler's form with what replaces it.
fn suggestion(
    (name, text): (&str, &str),
    range: &Range<usize>,
    with: &str,
    applicability: &str,
) -> Value {
    let (start, end) = (position(text, range.start), position(text, range.end));
    let mut span = Map::new();
    for (key, value) in [
        ("file_name", json!(name)),
        ("byte_start", json!(range.start)),
        ("byte_end", json!(range.end)),
        ("line_start", json!(start.0)),
        ("line_end", json!(end.0)),
        ("column_start", json!(start.1)),
        ("column_end", json!(end.1)),
        ("is_primary", json!(true)),
        ("text", json!(lines(text, start, end))),
        ("label", Value::Null),
        ("suggested_replacement", json!(with)),
        ("suggestion_applicability", json!(applicability)),
        ("expansion", Value::Null),
    ] {
        span.insert(key.to_owned(), value);
    }
    Value::Object(span)
}

/// The lines between two positions, as the compiler shows them.
fn lines(text: &str, start: (usize, usize), end: (usize, usize)) -> Vec<Value> {
    let between = text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .lines()
        .enumerate()
        .skip(start.0 - 1)
        .take(end.0 + 1 - start.0);
    let shown = between.map(|(index, line)| {
        let first = if index + 1 == start.0 { start.1 } else { 1 };
        let last = if index + 1 == end.0 {
            end.1
        } else {
            line.chars().count() + 1
        };
        json!({ "text": line, "highlight_start": first, "highlight_end": last })
    });
    shown.collect()
}

/// Line and column of a byte, both from 1; columns count characters, but for the mark that a file
/// can begin with, as for the compiler and for editors.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let before = before.strip_prefix('\u{feff}').unwrap_or(before);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "ui-tests/tests/ui/mistakes/objects_in_a_cycle.rs";

    /// The message about structs inside one another, as the compiler writes it about [`FILE`].
    fn cycle_of(derive: &str) -> Value {
        let source =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FILE))
                .unwrap();
        let start = source.find("Vec<File>").unwrap();
        let span = |line: u64, column: u64, start: usize, is_primary: bool| {
            json!({
                "file_name": FILE, "byte_start": start, "byte_end": start + "Vec<File>".len(), "line_start": line, "column_start": column,
                "is_primary": is_primary
            })
        };
        let note = |text: &str, spans: &[Value]| json!({ "level": "note", "message": text, "spans": spans });
        json!({
            "level": "error", "code": { "code": "E0391" },
            "message": "cycle detected when evaluating initializer of static `_::__UPSTATE_TABLE`",
            "spans": [span(5, 12, start, true)],
            "children": [
                note("...which requires evaluating initializer of static `_::__UPSTATE_TABLE`...", &[span(10, 13, 0, true)]),
                note("...which again requires evaluating initializer of static `_::__UPSTATE_TABLE`, completing the cycle", &[]),
                note(&format!("this error originates in the derive macro `{derive}` (in Nightly builds, …)"), &[]),
            ]
        })
    }

    #[test]
    fn structs_inside_one_another_are_a_mistake_with_a_help() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let all = translate(&cycle_of("Object"), folder, &mut BTreeMap::new()).unwrap();
        let [one] = all.as_slice() else {
            panic!("{all:?}")
        };
        assert_eq!(
            one.problem.summary,
            "`Vec<File>` leads back to the struct that it is in, and a schema has a fixed depth"
        );
        assert_eq!((one.problem.helps.len(), one.problem.notes.len()), (1, 0));
        assert_eq!(
            one.also
                .iter()
                .map(|(place, _)| place.as_str())
                .collect::<Vec<_>>(),
            [format!("{FILE}:10:13")]
        );
        let all = translate(&cycle_of("Document"), folder, &mut BTreeMap::new()).unwrap();
        let help = all
            .first()
            .and_then(|one| one.problem.helps.first())
            .unwrap();
        assert_eq!(help.text, "mark the field with `#[attribute(recursive)]`");
        assert!(help.changes.is_empty());
        let mut other = cycle_of("Object");
        other["message"] = json!("cycle detected when computing type of `A`");
        assert!(translate(&other, folder, &mut BTreeMap::new()).is_none());
    }

    #[test]
    fn a_file_that_was_saved_since_is_not_changed() {
        let source = "// größer\n#[resource(\n    plan\n)]\n";
        let start = source.find("resource").unwrap();
        let span = json!({
            "byte_start": start, "byte_end": source.find(")]").unwrap(),
            "line_start": 2, "line_end": 4, "column_start": 3, "column_end": 1,
            "text": [{ "text": "#[resource(" }, { "text": "    plan" }, { "text": ")]" }]
        });
        assert!(is_as_read(source, &span));
        // Although the line is there, because its bytes are elsewhere.
        assert!(!is_as_read(
            &source.replace("größer", "größte von allen"),
            &span
        ));
        assert!(!is_as_read(&source.replace("plan", "prior"), &span));
        let first = json!({
            "byte_start": 5, "byte_end": 13, "line_start": 1, "line_end": 1, "column_start": 3, "column_end": 11,
            "text": [{ "text": "#[resource]" }]
        });
        assert!(is_as_read("\u{feff}#[resource]\r\n", &first));
    }

    #[test]
    fn an_edit_of_the_first_line_does_not_count_the_mark_of_the_file() {
        let text = "\u{feff}#[resource(plän)]\n";
        let start = text.find("plän").unwrap();
        let range = start..start + "plän".len();
        let span = suggestion(("a.rs", text), &range, "plan", "MaybeIncorrect");
        assert_eq!(
            (
                span["byte_start"].as_u64(),
                span["column_start"].as_u64(),
                span["column_end"].as_u64()
            ),
            (Some(14), Some(12), Some(16))
        );
        assert_eq!(
            span["text"],
            json!([{ "text": "#[resource(plän)]", "highlight_start": 12, "highlight_end": 16 }])
        );
    }

    #[test]
    fn two_derives_of_one_type_are_one_mistake() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(folder.join("..").join(FILE)).unwrap();
        let span = |word: &str, is_primary: bool| {
            let start = source.find(word).unwrap();
            let end = start + word.len();
            json!({ "file_name": FILE, "byte_start": start, "byte_end": end, "line_start": 1, "column_start": 1, "is_primary": is_primary })
        };
        // Words of a line that imports the derives, because no file has two of them on one type.
        let conflict = |name: &str, first: &str| {
            let message = json!({
                "level": "error", "code": { "code": "E0119" },
                "message": format!("conflicting implementations of trait `{name}` for type `Disk`"),
                "spans": [span(first, false), span("Resource", true)],
                "children": [json!({ "level": "note", "message": "this error originates in the derive macro `Resource`", "spans": [] })]
            });
            translate(&message, folder, &mut BTreeMap::new())
        };
        let all = ["upstate::Object", "AttributeType"]
            .into_iter()
            .flat_map(|name| conflict(name, "Object").unwrap())
            .collect();
        let all = folded(all);
        let [one] = all.as_slice() else {
            panic!("{all:?}")
        };
        assert_eq!(
            one.problem.summary,
            "`Resource` beside `Object`: a type derives only one of them"
        );
        assert_eq!((one.problem.helps.len(), one.problem.notes.len()), (1, 0));
        assert!(conflict("Clone", "Folder").is_none());
    }

    #[test]
    fn a_nested_struct_without_a_plan_is_one_mistake() {
        const FILE: &str = "ui-tests/tests/ui/plan/nested_struct_without_plan.rs";
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(folder.join("..").join(FILE)).unwrap();
        let start = source.find("Rule>").unwrap();
        let missing = |name: &str| {
            let message = json!({
                "level": "error", "code": { "code": "E0425" }, "message": format!("cannot find type `{name}` in this scope"),
                "spans": [{ "file_name": FILE, "byte_start": start, "byte_end": start + "Rule".len(), "is_primary": true }]
            });
            translate(&message, folder, &mut BTreeMap::new())
        };
        let all = folded(
            ["RulePlan", "RulePaths"]
                .into_iter()
                .flat_map(|name| missing(name).unwrap())
                .collect(),
        );
        let [one] = all.as_slice() else {
            panic!("{all:?}")
        };
        assert_eq!(one.problem.summary, "`Rule` has no plan");
        assert_eq!(one.problem.notes, ["add `plan` to its `#[object(…)]`"]);
        assert!(missing("Rules").is_none() && missing("Rule").is_none());
    }

    #[test]
    fn the_option_of_a_field_is_missing_in_its_struct() {
        for (source, option) in [
            ("#[block(plan)]\n    paths: Vec<Rule>", "plan"),
            ("#[block(paths)]\n    rules: Vec<Rule>", "paths"),
            ("#[block(plan)]\n    pub paths: Option<Rule>", "plan"),
        ] {
            let start = source.find("Rule").unwrap();
            let at = start..start + "Rule".len();
            let text =
                without_plan(source, &at, "cannot find type `RulePaths` in this scope").unwrap();
            assert!(
                text.starts_with(&format!("`Rule` has no {option}\n")),
                "{source}: {text}"
            );
        }
    }
}
