//! The operators of a declarative upgrader, as they are written. Types of fields are not known
//! here.

mod acts;
mod calling;
mod condition;
mod fields;
mod literal;
mod operands;
mod operation;
mod paths;
mod pattern;
mod places;
mod read;
mod reading;
mod texts;
mod url;
mod variants;
mod words;
mod written;

use proc_macro2::{Group, Span, TokenStream};
use quote::ToTokens;
use syn::{Expr, Ident, LitStr};

pub(super) use self::fields::path as field_path;
pub(crate) use self::fields::{as_written, identifier, name_of, unquoted};
pub(crate) use self::operation::{
    Argument, FunctionKind, Member, MemberChange, Operation, VariantChange, starts_empty,
};
pub(super) use self::words::{is_operator, meant, meant_with, nearest, takes_parentheses};
pub(crate) use self::written::Written;
use crate::errors::Errors;
pub(super) use upstate_words::operators::{find, listed};

/// `word(…)`
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) word: Ident,
    pub(crate) group: Group,
}

impl ToTokens for Call {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.word.to_tokens(tokens);
        self.group.to_tokens(tokens);
    }
}

/// The operators of one upgrader.
#[derive(Debug, Default)]
pub(crate) struct Operators {
    /// In the order written.
    pub(crate) entries: Vec<Entry>,
    /// Those of each `only_if`, which entries name by their place here.
    pub(crate) conditions: Vec<Condition>,
    /// The place of the word `carry`, if it is there in place of operators.
    pub(crate) carry: Option<Span>,
}

/// One effect of an operator.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    Stage(Box<Stage>),
    /// `back` is what a downgrade puts there.
    Drop {
        path: FieldPath,
        reason: LitStr,
        back: Option<Literal>,
    },
    Notice {
        text: LitStr,
        at: Option<FieldPath>,
        refuse: bool,
        only_if: Option<usize>,
    },
    /// The type of a prior field, whose value is carried unchanged.
    Carry {
        path: FieldPath,
        declassified: Option<LitStr>,
    },
}

/// One operator on its way to one current field.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// The operator's name where it is written.
    pub(crate) word: Ident,
    pub(crate) target: FieldPath,
    pub(crate) operation: Operation,
    pub(crate) each: bool,
    pub(crate) only_if: Option<usize>,
    /// The reason for which a sensitive value may end in a field that is not sensitive.
    pub(crate) declassified: Option<LitStr>,
}

/// A field, or one inside nested objects: `settings.zone`. There is at least one name. Of a prior
/// field the type may be written, too.
#[derive(Debug, Clone)]
pub(crate) struct FieldPath(pub(crate) Vec<Ident>, pub(crate) Option<Box<Written>>);

/// A value that is written down, and where.
#[derive(Debug, Clone)]
pub(crate) struct Literal {
    pub(crate) value: LiteralValue,
    pub(crate) span: Span,
}

/// Two are the same if they are the same value, wherever they are written.
impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LiteralValue {
    Null,
    Bool(bool),
    /// Its digits as JSON has them.
    Number(String),
    String(String),
    EmptyList,
    EmptyMap,
}

/// The value of `set` and `default`.
#[derive(Debug, Clone)]
pub(crate) enum Constant {
    Literal(Literal),
    Expr(Expr),
}

/// A value that is looked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Match {
    Literal(Literal),
    Empty,
}

/// The result for a value that a table or pattern does not have.
#[derive(Debug, Clone)]
pub(crate) enum Otherwise {
    Refuse,
    Keep,
    Become(Literal),
}

/// A pattern of the parts of a string.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) ignore_case: bool,
    pub(crate) span: Span,
}

/// The parts of a string that become fields.
#[derive(Debug, Clone)]
pub(crate) enum Apart {
    Pattern(Pattern),
    /// As a URL of which these parts may be there.
    Url(Vec<UrlPart>),
}

/// A part of a URL.
#[derive(Debug, Clone)]
pub(crate) struct UrlPart {
    pub(crate) name: String,
    pub(crate) default: Option<Literal>,
    /// The field that takes it; none if it is not kept.
    pub(crate) field: Option<FieldPath>,
    pub(crate) span: Span,
}

/// A piece of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Part(String),
    Rest(String),
    /// A part that may be missing, with the fixed text before it, or behind it if it `leads`.
    Optional {
        name: String,
        rest: bool,
        sign: String,
        leads: bool,
        default: String,
    },
}

/// The segments that a string is put together from.
pub(crate) type Template = Vec<Segment>;

/// The letters of a part: `{name}`, `{name:lower}`, `{name:upper}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letters {
    AsIs,
    Lower,
    Upper,
}

/// A segment of a template.
#[derive(Debug, Clone)]
pub(crate) enum Segment {
    Text(String),
    Found(String, Letters),
    Prior(FieldPath, Letters),
}

/// A condition on the prior state.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    Has(FieldPath),
    Lacks(FieldPath),
    Is(FieldPath, Vec<Match>),
    Fits(FieldPath, Pattern),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

/// Reads the operators of one upgrader, which may have a model, and says whether all were
/// understood.
pub(super) fn read(calls: Vec<Call>, has_model: bool, errors: &mut Errors) -> (Operators, bool) {
    let mut reader = read::Reader::new(has_model, errors);
    for call in calls {
        reader.operator(&call, read::Place::default());
    }
    reader.finish()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proc_macro2::TokenStream;
    use syn::parse::Parser;
    use upstate_words::operators::{Row, WORDS, acting};

    use super::*;

    /// Reads operators as they stand in an attribute.
    fn read_all(text: &str) -> (Operators, Vec<String>) {
        let tokens: TokenStream = text.parse().unwrap();
        let calls = |input: syn::parse::ParseStream<'_>| {
            let mut calls = Vec::new();
            while !input.is_empty() {
                calls.push(Call {
                    word: input.parse()?,
                    group: input.parse()?,
                });
                input.parse::<Option<syn::Token![,]>>()?;
            }
            Ok(calls)
        };
        let mut errors = Errors::default();
        let (operators, complete) = read(calls.parse2(tokens).unwrap(), false, &mut errors);
        let messages = errors.messages();
        assert_eq!(complete, messages.is_empty());
        (operators, messages)
    }

    fn stages(text: &str) -> Vec<(String, Operation)> {
        let (operators, messages) = read_all(text);
        assert!(messages.is_empty(), "{messages:?}");
        let stages = operators
            .entries
            .into_iter()
            .filter_map(|entry| match entry {
                Entry::Stage(stage) => Some((stage.target.spelt(), stage.operation)),
                _ => None,
            });
        stages.collect()
    }

    #[test]
    fn forms_in_messages_can_be_written() {
        for word in WORDS.iter().filter(|word| word.name != "carry") {
            let (operators, messages) = read_all(word.form);
            assert!(messages.is_empty(), "`{}`: {messages:?}", word.form);
            assert!(!operators.entries.is_empty(), "`{}`", word.form);
        }
    }

    #[test]
    fn a_condition_in_other_words_loses_nothing() {
        for (written, help, is_there) in [
            ("size == 3", "write `is(size, 3)`", true),
            ("size == 3 && has(id)", "write `is(size, 3)`", false),
            ("size == 3 && has(id)", "write `all(is(size, 3), …)`", true),
            ("exists(id)", "write `has(id)`", true),
            ("exists(id) && size == 3", "write `has(id)`", false),
            ("exists(id, zone)", "write `has(id)`", false),
            ("eq(zone, \"a b\")", "write `is(zone, \"a b\")`", true),
            ("!is(zone, \"a (b ,c)\")", "\"a (b ,c)\"", true),
            ("is(zone, \"a (b ,c)\") && has(id)", "\"a (b ,c)\"", true),
        ] {
            let (_, messages) = read_all(&format!("only_if({written}, set(size = 1))"));
            assert!(!messages.is_empty(), "{written}");
            let found = messages.iter().any(|message| message.contains(help));
            assert_eq!(found, is_there, "{written}: {messages:?}");
        }
    }

    #[test]
    fn a_form_has_the_field_that_is_written() {
        for (written, help) in [
            ("rename(name =>)", "write `rename(name => new)`"),
            ("rename(name. => id)", "write `rename(name => id)`"),
            ("rename(a.*.b => c)", "help: remove it"),
            ("copy()", "write `copy(prior => current)`"),
            ("set(size =)", "write `set(size = value)`"),
            (
                "drop(legacy:, \"gone\")",
                "write `drop(legacy: …, \"gone\")`",
            ),
            (
                "only_if(has(id))",
                "write `only_if(has(id), set(other = value))`",
            ),
            (
                "convert(id: String, async)",
                "write `convert(id: String, with = path, async)`",
            ),
            (
                "convert(size, with = |size| size)",
                "name that here: `with = name`",
            ),
            (
                "convert(a, b => c, with = |a| a)",
                "name that here: `with = name`",
            ),
            ("join(tags, \"\")", "write `join(tags, \",\")`"),
            (
                "values(size, \"s\", \"small\")",
                "write `values(size, \"s\" => \"small\")`",
            ),
            (
                "reformat(id, \"{a}\" -> \"x{a}\")",
                "write `reformat(id, \"{a}\" => \"x{a}\")`",
            ),
            (
                "rename(a => b, existing = refus)",
                "help: did you mean `refuse`?",
            ),
            (
                "variants(theme, \"Old\")",
                "write `variants(theme, \"Old\" => \"new\")`",
            ),
            ("default(size => 7)", "write `default(size = 7)`"),
            ("default(size => 7, zone = \"a\")", "write `size = 7`"),
            ("default(size: i64, 3)", "write `default(size: i64 = 3)`"),
            (
                "default(size: Option<i64> => 7)",
                "write `default(size: Option<i64> = 7)`",
            ),
            (
                "default(size: i64 => 7, zone = \"a\")",
                "write `size: i64 = 7`",
            ),
            (
                "default((size, width): i64, 3)",
                "write `default((size: i64, width: i64) = 3)`",
            ),
            // Left open, because the attribute makes the field sensitive.
            (
                "default(#[attribute(sensitive)] pin: i64, 3)",
                "write `default(pin: … = 3)`",
            ),
            ("null_if(size: i64)", "write `null_if(size: i64, empty)`"),
            (
                "null_if((size, width))",
                "write `null_if((size, width), empty)`",
            ),
            (
                "drop(#[attribute(sensitive)] pin: i64)",
                "`drop(pin: …, \"…\")`",
            ),
            (
                "rename(title: Option<String>, name)",
                "write `rename(title: Option<String> => name)`",
            ),
            (
                "rename(#[attribute(sensitive)] key: String, name)",
                "write `rename(key: … => name)`",
            ),
            (
                "copy(\"zip-code\", zip)",
                "write `copy(\"zip-code\" => zip)`",
            ),
            (
                "fill(size: i64 => size, with = f)",
                "write `convert(size: i64, with = f)`",
            ),
            (
                "carry(size, zone: String)",
                "such as `size: Option<String>`",
            ),
            (
                "default(zone = \"a\", size, 7)",
                "write `default(size = …)`",
            ),
            ("set(id -> f())", "write `set(id = …)`"),
            (
                "drop(\"gone\", size: i64)",
                "write `drop(size: i64, \"gone\")`",
            ),
            (
                "drop(\"gone\", #[attribute(sensitive)] pin: String)",
                "help: put it behind the others",
            ),
            (
                "drop(\"gone\", back = 1, size: i64)",
                "help: put it behind the others",
            ),
            ("nest(zone, size)", "write `nest(zone, size => object)`"),
            ("unnest(settings)", "write `unnest(settings => field)`"),
            (
                "convert(size, width)",
                "in parentheses: `convert((size, width))`",
            ),
            (
                "only_if(is(id = \"a\"), set(id = \"b\"))",
                "write `is(id, \"a\")`",
            ),
            (
                "only_if(set(id = \"b\"))",
                "such as `only_if(has(field), set(id = \"b\"))`",
            ),
            ("within(rule)", "write `within(rule, rename(old => new))`"),
            (
                "only_if(fits(id), set(id = \"b\"))",
                "write `fits(id, \"{project}/{name}\")`",
            ),
            (
                "only_if(is(id), set(id = \"b\"))",
                "write `is(id, \"value\")`",
            ),
        ] {
            let (_, messages) = read_all(written);
            assert!(
                messages.iter().any(|message| message.contains(help)),
                "{written}: {messages:?}"
            );
        }
    }

    #[test]
    fn every_effect_has_the_word_that_writes_it() {
        for text in [
            "rename(a => b), rename(a => b, existing = keep), copy(a => b), set(a = 1), default(a = 1), null_if(a, 0)",
            "convert(a), convert(a, json), convert(a, length), convert(a, with = f), convert(a, b => c, with = f)",
            "values(a, 1 => 2), reformat(a, \"{b}\" => \"x{b}\"), reformat(a = \"{b}\"), split(a, \",\"), split(a, \"{b}-{c}\")",
            "join(a, \",\"), merge(a, b => c), merge(a), unwrap(a, many = first), unwrap(a, member = b), wrap(a), wrap(a, as = b)",
            "rekey(a, by = b), rekey(a, key = b, value = c), filter(a, 0), filter(a, key = \"b\"), variants(a, \"b\" => \"c\")",
        ] {
            let (operators, messages) = read_all(text);
            assert!(messages.is_empty(), "{text}: {messages:?}");
            for entry in &operators.entries {
                let Entry::Stage(stage) = entry else { continue };
                assert_eq!(stage.word, stage.operation.effect.keyword);
            }
        }
    }

    /// The table between the marks of a page, written from the rows. `UPDATE=1` writes it.
    #[track_caller]
    fn check_table(page: &str) {
        const MARKS: [&str; 2] = [
            "<!-- From the rows in words/src/operators -->\n",
            "<!-- So far -->\n",
        ];
        let mut table = "| operator | |\n|---|---|\n".to_owned();
        for Row { forms, description } in WORDS.iter().flat_map(|word| word.rows) {
            // A cell of a table ends at `|`, also inside of backticks.
            let forms: Vec<String> = forms
                .iter()
                .map(|form| format!("`{}`", form.replace('|', r"\|")))
                .collect();
            writeln!(
                table,
                "| {} | {} |",
                forms.join(", "),
                description.replace("ACTING", &acting())
            )
            .unwrap();
        }
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = text.split_once(MARKS[0]).unwrap();
        let (now, after) = rest.split_once(MARKS[1]).unwrap();
        if std::env::var("UPDATE").is_ok_and(|update| update == "1") {
            std::fs::write(&path, [before, MARKS[0], &table, MARKS[1], after].concat()).unwrap();
        } else {
            assert_eq!(
                now, table,
                "{page}: `UPDATE=1 cargo test -p upstate-macros` writes it"
            );
        }
    }

    #[test]
    fn the_tables_of_operators_are_those_of_the_words() {
        check_table("docs/operators.md");
        check_table("../docs/src/operators.md");
    }

    #[test]
    fn several_fields_are_a_stage_each() {
        let targets: Vec<String> = stages("null_if((a, b.c), 0), set((d, e) = null)")
            .into_iter()
            .map(|(target, _)| target)
            .collect();
        assert_eq!(targets, ["a", "b.c", "d", "e"]);
    }

    #[test]
    fn objects_are_nested_by_the_last_name() {
        let stages = stages("nest(a, b.c => d), unnest(e.f => g)");
        let moves: Vec<String> = stages
            .iter()
            .map(|(target, operation)| {
                format!("{} => {target}", operation.moved().unwrap().spelt())
            })
            .collect();
        assert_eq!(moves, ["a => d.a", "b.c => d.c", "e.f.g => g"]);
    }

    #[test]
    fn conditions_inside_conditions_hold_together() {
        let (operators, _) = read_all("only_if(has(a), set(b = 1), only_if(lacks(c), set(d = 2)))");
        let conditions: Vec<Option<usize>> = operators
            .entries
            .iter()
            .map(|entry| match entry {
                Entry::Stage(stage) => stage.only_if,
                _ => None,
            })
            .collect();
        assert_eq!(conditions, [Some(0), Some(1)]);
        assert!(matches!(&operators.conditions[1], Condition::All(all) if all.len() == 2));
    }

    #[test]
    fn one_mistake_hides_no_other() {
        let (_, messages) = read_all(
            "rename(a -> b, c => d, \"e\" => f), drop(g), values(h, X => 1, \"a\" => 2, \"a\" => 3)",
        );
        let firsts: Vec<&str> = messages
            .iter()
            .filter_map(|message| message.lines().next())
            .collect();
        assert_eq!(
            firsts,
            [
                "`rename` takes `=>` between the prior field and the current one",
                "a field is named as in Rust, without quotes: `e`",
                "`drop` does not say why",
                "`X` is not a literal",
                "`\"a\"` is in the table twice",
            ]
        );
    }
}
