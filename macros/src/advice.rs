//! Types what each error advises, and checks that the error is gone then.
//!
//! Every case of the compile-error tests that the derives themselves refuse is read; each `help:`
//! that has code in it is typed where its error points, and the derive runs again. The same message
//! must be gone, and no other may have come.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use proc_macro2::{LineColumn, Span};
use quote::ToTokens;
use syn::{DeriveInput, Item, Stmt};

use crate::errors::Errors;
use crate::model::{self, Derive};

/// Cases whose help is not typed where the error points: it is about another place, or names a form
/// and leaves the choice to the author.
const NOT_TYPED_THERE: [&str; 39] = [
    "container/state_upgraders",
    "container/stateless_with_upgraders",
    "attributes/write_only_not_an_option",
    "conditions/carry_inside",
    "conditions/fits_a_broken_pattern",
    "conditions/is_with_equals",
    "conditions/signs_of_rust",
    "container/type_name_cannot_be_made",
    "container/upgrade_from_on_an_object",
    "differences/a_struct_for_a_shape",
    "differences/an_object_in_place_without_types",
    "differences/no_target_after_the_arrow",
    "differences/two_arrows",
    "facts/conflict_lists_without_parentheses",
    "facts/id_format_of_unknown_field",
    "objects/version",
    "operators/merge_of_one",
    "operators/pattern_with_an_optional_part_alone",
    "operators/pattern_with_an_optional_part_and_no_new_form",
    "operators/pattern_with_an_optional_part_behind_text_only",
    "operators/pattern_with_an_optional_part_that_is_not_kept",
    "operators/pattern_with_an_optional_part_without_a_sign",
    "operators/reformat_in_place_that_loses_a_part",
    "operators/reformat_that_loses_a_part",
    "operators/reformat_with_a_brace_open",
    "operators/reformat_with_a_name_twice",
    "operators/reformat_with_an_empty_pattern",
    "operators/reformat_with_letters_in_the_pattern",
    "operators/reformat_with_names_side_by_side",
    "operators/split_of_a_url_that_keeps_nothing",
    "operators/split_that_keeps_nothing",
    "operators/template_with_a_default",
    "plan/struct_without_paths",
    "plan/struct_without_plan",
    "prior/option_of_another_attribute",
    "prior/two_versions",
    "shape/lifetime",
    "shape/object_enum",
    "string_enum/struct",
];

/// An error of one struct of a file.
#[derive(Debug, Clone)]
struct Reported {
    message: String,
    /// The bytes of the file that it points at.
    place: Range<usize>,
}

impl Reported {
    fn first(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    fn help(&self) -> Option<&str> {
        self.message
            .lines()
            .find_map(|line| line.strip_prefix("help: "))
    }
}

/// Items that derive something of ours, also inside of modules and functions.
fn inputs(items: &[Item], found: &mut Vec<(Derive, DeriveInput)>) {
    for item in items {
        let input: DeriveInput = match item {
            Item::Struct(item) => item.clone().into(),
            Item::Enum(item) => item.clone().into(),
            Item::Mod(module) => {
                inputs(
                    module.content.as_ref().map_or(&[], |(_, items)| items),
                    found,
                );
                continue;
            }
            Item::Fn(function) => {
                let inner = function
                    .block
                    .stmts
                    .iter()
                    .filter_map(|statement| match statement {
                        Stmt::Item(item) => Some(item.clone()),
                        _ => None,
                    });
                inputs(&inner.collect::<Vec<_>>(), found);
                continue;
            }
            _ => continue,
        };
        let (derives, attrs): (Vec<_>, Vec<_>) = input
            .attrs
            .iter()
            .cloned()
            .partition(|attribute| attribute.path().is_ident("derive"));
        let words: Vec<String> = derives
            .iter()
            .flat_map(|attribute| {
                attribute
                    .to_token_stream()
                    .to_string()
                    .split(' ')
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .map(|word| {
                word.trim_matches(|letter: char| !letter.is_alphanumeric())
                    .to_owned()
            })
            .collect();
        let derive = [
            ("Resource", Derive::Resource),
            ("Object", Derive::Object),
            ("StringEnum", Derive::StringEnum),
        ]
        .into_iter()
        .find(|(name, _)| {
            words
                .iter()
                .any(|word| word.rsplit('(').any(|part| part == *name))
        });
        found.extend(derive.map(|(_, derive)| (derive, DeriveInput { attrs, ..input })));
    }
}

fn byte(text: &str, at: LineColumn) -> usize {
    let line: usize = text
        .split_inclusive('\n')
        .take(at.line - 1)
        .map(str::len)
        .sum();
    let rest = &text[line..];
    line + rest
        .char_indices()
        .nth(at.column)
        .map_or(rest.len(), |(byte, _)| byte)
}

fn bytes(text: &str, span: Span) -> Range<usize> {
    byte(text, span.start())..byte(text, span.end())
}

/// All errors of a file; `None` if it is not Rust.
fn errors(text: &str) -> Option<Vec<Reported>> {
    let file = syn::parse_file(text).ok()?;
    let mut found = Vec::new();
    inputs(&file.items, &mut found);
    let mut all = Vec::new();
    for (derive, input) in found {
        let mut errors = Errors::default();
        match derive {
            Derive::Resource => drop(model::resource(&input, &mut errors)),
            Derive::Object => drop(model::object(&input, &mut errors)),
            Derive::StringEnum => drop(model::string_enum(&input, &mut errors)),
            Derive::Document => drop(model::document(&input, &mut errors)),
            Derive::Union => drop(model::union::union(&input, &mut errors)),
        }
        for (message, start, end) in errors.places() {
            let place = bytes(text, start).start..bytes(text, end).end;
            all.push(Reported { message, place });
        }
    }
    Some(all)
}

/// Code between backticks, in its order.
fn codes(help: &str) -> Vec<&str> {
    help.split('`').skip(1).step_by(2).collect()
}

/// The piece between commas, in the innermost parentheses, that holds `place`.
fn piece(text: &str, place: &Range<usize>) -> Range<usize> {
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in text[..place.start].char_indices().rev() {
        match letter {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth == 0 => {
                start = at + letter.len_utf8();
                break;
            }
            '(' | '[' | '{' => depth -= 1,
            ',' if depth == 0 => {
                start = at + 1;
                break;
            }
            _ => {}
        }
    }
    let (mut depth, mut end) = (0, text.len());
    for (at, letter) in text[place.start..].char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' | ',' if depth == 0 => {
                end = place.start + at;
                break;
            }
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    let blank = text[start..end].len() - text[start..end].trim_start().len();
    start + blank..end
}

/// The ways to type what a help says.
fn typed(text: &str, error: &Reported) -> Vec<String> {
    let Some(help) = error.help() else {
        return Vec::new();
    };
    let replace = |range: &Range<usize>, with: &str| {
        format!("{}{with}{}", &text[..range.start], &text[range.end..])
    };
    let own = piece(text, &error.place);
    let before = own.start.saturating_sub(1);
    let outer = piece(
        text,
        &(text[..own.start].rfind(['(', '[', '{']).unwrap_or(before)..own.end),
    );
    let outermost = piece(
        text,
        &(text[..outer.start]
            .rfind(['(', '[', '{'])
            .unwrap_or(outer.start)..outer.end),
    );
    let attribute = text[..error.place.end.min(text.len())]
        .rfind("#[")
        .map(|start| {
            let mut depth = 0;
            let end = text[start..].char_indices().find_map(|(at, letter)| {
                match letter {
                    '[' | '(' | '{' => depth += 1,
                    ']' | ')' | '}' => depth -= 1,
                    _ => {}
                }
                (depth == 0 && letter == ']').then_some(start + at + 1)
            });
            start..end.unwrap_or(text.len())
        });
    let mut ways = Vec::new();
    for code in codes(help) {
        // Only the beginning of the list, so that the rest stays.
        if let Some((_, start)) = code
            .strip_suffix(", …)]")
            .and_then(|code| code.split_once('('))
        {
            ways.push(replace(&own, start));
            let list = attribute.as_ref().and_then(|attribute| {
                Some(attribute.start + text[attribute.start..].find('(')? + 1)
            });
            ways.extend(list.map(|list| replace(&(list..list), &format!("{start}, "))));
            let first = list.map(|list| piece(text, &(list..list)));
            ways.extend(first.map(|first| replace(&first, start)));
            continue;
        }
        if code == "{{" || code == "}}" {
            let brace =
                |(at, _)| replace(&(error.place.start + at..error.place.start + at + 1), code);
            ways.extend(
                text[error.place.clone()]
                    .match_indices(&code[1..])
                    .map(brace),
            );
            continue;
        }
        let code = code.replace("\"…\"", "\"why\"").replace(", …)", ")");
        if code.contains('…') {
            continue;
        }
        if code.starts_with("#[") {
            ways.extend(
                attribute
                    .as_ref()
                    .map(|attribute| replace(attribute, &code)),
            );
            ways.extend(attribute.as_ref().map(|attribute| {
                replace(&(attribute.start..attribute.start), &format!("{code}\n"))
            }));
            let line = text[..error.place.start].rfind('\n').map_or(0, |at| at + 1);
            ways.push(replace(&(line..line), &format!("{code}\n")));
            continue;
        }
        for range in [&error.place, &own, &outer, &outermost] {
            ways.push(replace(range, &code));
            ways.push(replace(&(range.end..range.end), &format!(", {code}")));
        }
        ways.push(replace(&(own.start..own.start), &format!("{code} => ")));
    }
    if ["remove", "leave", "keep one"]
        .iter()
        .any(|word| help.contains(word))
    {
        for range in [&error.place, &own, &outer] {
            ways.push(replace(range, ""));
            let comma = text[range.end..].starts_with(',');
            ways.push(replace(&(range.start..range.end + usize::from(comma)), ""));
        }
        ways.extend(attribute.as_ref().map(|attribute| replace(attribute, "")));
    }
    ways
}

fn counted(all: &[Reported]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for error in all {
        *counts.entry(error.first()).or_default() += 1;
    }
    counts
}

/// True if one message is gone and none is new.
fn is_better(before: &[Reported], after: &[Reported], error: &Reported) -> bool {
    let (before, after) = (counted(before), counted(after));
    let count = |of: &BTreeMap<&str, usize>, first: &str| of.get(first).copied().unwrap_or(0);
    count(&after, error.first()) < count(&before, error.first())
        && after
            .iter()
            .all(|(first, count_now)| *count_now <= count(&before, first))
}

fn cases(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            cases(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn the_help_of_an_error_makes_it_go_away() {
    let mut files = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui-tests/tests/ui");
    cases(&folder, &mut files);
    let (mut tried, mut wrong) = (0, Vec::new());
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        let Some(before) = errors(&text) else {
            continue;
        };
        for error in &before {
            let ways = typed(&text, error);
            if ways.is_empty() {
                continue;
            }
            let name = path.strip_prefix(&folder).unwrap().display().to_string();
            if NOT_TYPED_THERE.contains(&name.trim_end_matches(".rs")) {
                continue;
            }
            tried += 1;
            let fixed = ways
                .iter()
                .any(|way| errors(way).is_some_and(|after| is_better(&before, &after, error)));
            if !fixed {
                wrong.push(format!("{name}: {}", error.message.replace('\n', " | ")));
            }
        }
    }
    assert!(tried > 330, "only {tried} helps have code to type");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
