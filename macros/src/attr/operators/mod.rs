//! The operators of a declarative edge, as they are written. What a field is, is not known here.

mod acts;
mod condition;
mod fields;
mod literal;
mod pattern;
mod places;
mod read;
mod reading;
mod texts;
mod words;

use proc_macro2::{Group, TokenStream};
use quote::ToTokens;
use syn::{Expr, Ident, LitStr, Path};

pub(super) use self::words::{find, is_operator, listed, nearest};
use crate::errors::Errors;

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

/// What the operators of one edge say.
#[derive(Debug, Default)]
pub(crate) struct Operators {
    /// In the order written.
    pub(crate) entries: Vec<Entry>,
    /// Those of each `only_if`, which entries name by their place here.
    pub(crate) conditions: Vec<Condition>,
}

/// One effect of an operator.
#[derive(Debug)]
pub(crate) enum Entry {
    Stage(Box<Stage>),
    Drop { path: FieldPath, reason: LitStr },
    Notice { text: LitStr, at: Option<FieldPath>, refuse: bool, only_if: Option<usize> },
}

/// One operator on its way to one current field.
#[derive(Debug)]
pub(crate) struct Stage {
    /// The operator's name where it is written.
    pub(crate) word: Ident,
    pub(crate) target: FieldPath,
    pub(crate) operation: Operation,
    pub(crate) each: bool,
    pub(crate) only_if: Option<usize>,
}

/// A field, or one inside nested objects: `settings.zone`. There is at least one name.
#[derive(Debug, Clone)]
pub(crate) struct FieldPath(pub(crate) Vec<Ident>);

/// What an operator does. The names and meanings are those of the runtime's table.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Take { from: FieldPath, existing: &'static str },
    Copy { from: FieldPath },
    Set(Constant),
    Default { value: Constant, when: Vec<Match> },
    NullIf(Vec<Match>),
    Convert { empty: &'static str },
    Json,
    Function { path: Path, context: bool },
    Values { table: Vec<(Literal, Literal)>, other: Otherwise },
    Reformat { forms: Vec<(Pattern, Template)>, other: Otherwise },
    Compose(Template),
    Extract { from: FieldPath, pattern: Pattern, name: String },
    Split(LitStr),
    Join(LitStr),
    Merge(Vec<FieldPath>),
    Unwrap { many: &'static str, empty: &'static str },
    Wrap { keep_null: bool },
    Enclose(String),
    Member(String),
    Rekey { key: String, value: Option<String> },
    Filter(Vec<Match>),
}

impl Operation {
    /// Whether it puts another value in place of the one on the way.
    pub(crate) fn is_source(&self) -> bool {
        matches!(
            self,
            Self::Take { .. } | Self::Copy { .. } | Self::Set(_) | Self::Compose(_) | Self::Extract { .. } | Self::Merge(_)
        )
    }
}

/// A value that is written down.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
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

/// Which values are meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Match {
    Literal(Literal),
    Empty,
}

/// What happens to a value that a table or pattern does not have.
#[derive(Debug, Clone)]
pub(crate) enum Otherwise {
    Refuse,
    Keep,
    Become(Literal),
}

/// How a text is taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) ignore_case: bool,
}

/// A piece of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Part(String),
    Rest(String),
}

/// How a text is put together.
pub(crate) type Template = Vec<Segment>;

/// A segment of a template.
#[derive(Debug, Clone)]
pub(crate) enum Segment {
    Text(String),
    Found(String, &'static str),
    Prior(FieldPath, &'static str),
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

/// Reads the operators of one edge, and says whether all were understood.
pub(super) fn read(calls: Vec<Call>, errors: &mut Errors) -> (Operators, bool) {
    let mut reader = read::Reader::new(errors);
    for call in calls {
        reader.operator(&call, read::Place::default());
    }
    reader.finish()
}
