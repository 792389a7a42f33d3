//! One row per operator: each question about an operator is answered here, once, in a `match` that names all of them.
//!
//! No such `match` has a `_` arm, so a new operator does not compile until it is said what it reads, what it replaces, what it is called.
//! What else depends on the operator has a `match` of the same kind elsewhere, one for each question: what the interpreter does
//! ([`run`](super::run)), what the compiled plan does ([`scalar`](super::scalar)), what the compiler knows of the result
//! ([`check`](super::check)), how it is printed and saved ([`show`](super::show)).
//!
//! The compiler asks the same, in const evaluation, where a call costs microseconds: each answer is one flat `match`.

use super::table::{Condition, Existing, Many, Operation, Operators, Path, Pattern, Production, Segment, Stage, Template};

/// What is known of an operator whatever it works on.
#[derive(Debug, Clone, Copy)]
pub(in crate::upgrade) struct Row {
    /// What the attribute that writes it calls it.
    pub(in crate::upgrade) keyword: &'static str,
    /// What becomes of the value that it meets at its target.
    pub(in crate::upgrade) replaces: Replaces,
    /// What it does with the prior attributes that it [reads](Operation::reads).
    pub(in crate::upgrade) read_as: ReadAs,
    /// Whether what it makes is nowhere in the prior state, so that messages name the target.
    pub(in crate::upgrade) anew: bool,
    /// Whether it may end a value and say so.
    pub(in crate::upgrade) drops: bool,
    /// The rule that a message of the compiler gives; empty for those that do not change the form of a value.
    pub(in crate::upgrade) rule: &'static str,
}

/// What becomes of the value that an operator meets at its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::upgrade) enum Replaces {
    /// Another value takes its place, whatever it is. Such an operator is a source.
    Always,
    /// It depends on the state which of the two counts.
    Sometimes,
    /// It is what the operator works on.
    Never,
}

/// What an operator does with the prior attributes that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::upgrade) enum ReadAs {
    /// It reads none.
    Nothing,
    /// The value of one goes by another path, and is not carried under its own name any more.
    Moved,
    /// The value of one goes by another path, too.
    Copied,
    /// They are part of what it makes.
    Parts,
    /// They are put into a string.
    Texts,
}

impl Operation {
    /// All that is known of it whatever it works on.
    #[rustfmt::skip]
    pub(in crate::upgrade) const fn row(&self) -> Row {
        use Existing::{Keep, Refuse, Replace, Unsaid};
        use Replaces::{Always, Never, Sometimes};
        use ReadAs::{Copied, Moved, Nothing, Parts, Texts};
        match self {
            Self::Take { existing: Unsaid, .. } => Row { keyword: "rename", replaces: Always, read_as: Moved, anew: false, drops: false, rule: "" },
            Self::Take { existing: Keep | Replace, .. } => Row { keyword: "rename", replaces: Sometimes, read_as: Moved, anew: false, drops: true, rule: "" },
            Self::Take { existing: Refuse, .. } => Row { keyword: "rename", replaces: Sometimes, read_as: Moved, anew: false, drops: false, rule: "" },
            Self::Copy { .. } => Row { keyword: "copy", replaces: Always, read_as: Copied, anew: false, drops: false, rule: "" },
            Self::Set(_) => Row { keyword: "set", replaces: Always, read_as: Nothing, anew: true, drops: false, rule: "" },
            Self::Default { .. } => Row { keyword: "default", replaces: Never, read_as: Nothing, anew: false, drops: false, rule: "" },
            Self::NullIf(_) => Row { keyword: "null_if", replaces: Never, read_as: Nothing, anew: false, drops: false, rule: "" },
            Self::Convert { .. } => Row {
                keyword: "convert", replaces: Never, read_as: Nothing, anew: false, drops: false,
                rule: "`convert` makes one scalar of another, a map of an object, a set of a list",
            },
            Self::Json => Row {
                keyword: "convert", replaces: Never, read_as: Nothing, anew: false, drops: false,
                rule: "`convert(…, json)` reads a string as JSON or writes a value as a string of JSON",
            },
            Self::Named(conversion) => Row { keyword: "convert", replaces: Never, read_as: Nothing, anew: false, drops: false, rule: conversion.rule() },
            Self::Function { .. } => Row { keyword: "convert", replaces: Never, read_as: Nothing, anew: false, drops: false, rule: "" },
            Self::Values { .. } => Row { keyword: "values", replaces: Never, read_as: Nothing, anew: false, drops: false, rule: "" },
            Self::Reformat { .. } => Row { keyword: "reformat", replaces: Never, read_as: Texts, anew: false, drops: false, rule: "" },
            Self::Compose(_) => Row { keyword: "reformat", replaces: Always, read_as: Texts, anew: true, drops: false, rule: "" },
            Self::Extract { .. } => Row { keyword: "split", replaces: Always, read_as: Parts, anew: false, drops: false, rule: "" },
            Self::Split(_) => Row {
                keyword: "split", replaces: Never, read_as: Nothing, anew: false, drops: false,
                rule: "`split` makes a list of strings of one string",
            },
            Self::Join(_) => Row { keyword: "join", replaces: Never, read_as: Nothing, anew: false, drops: false, rule: "" },
            Self::Merge(_) => Row {
                keyword: "merge", replaces: Always, read_as: Parts, anew: true, drops: false,
                rule: "`merge` puts lists together into a list, and maps or lists of maps into a map",
            },
            Self::Entries => Row {
                keyword: "merge", replaces: Never, read_as: Nothing, anew: false, drops: false,
                rule: "`merge` of one field makes a map of a list of maps",
            },
            Self::Combine { .. } => Row { keyword: "convert", replaces: Always, read_as: Parts, anew: true, drops: false, rule: "" },
            Self::Unwrap { many: Many::Refuse, .. } => Row {
                keyword: "unwrap", replaces: Never, read_as: Nothing, anew: false, drops: false,
                rule: "`unwrap` takes the only element out of a list or set",
            },
            Self::Unwrap { many: Many::First, .. } => Row {
                keyword: "unwrap", replaces: Never, read_as: Nothing, anew: false, drops: true,
                rule: "`unwrap` takes the only element out of a list or set",
            },
            Self::Wrap { .. } => Row {
                keyword: "wrap", replaces: Never, read_as: Nothing, anew: false, drops: false,
                rule: "`wrap` makes a list or set that holds just the value",
            },
            Self::Enclose(_) => Row {
                keyword: "wrap", replaces: Never, read_as: Nothing, anew: false, drops: false,
                rule: "`wrap(…, as = member)` makes an object that holds the value as this member",
            },
            Self::Member(_) => Row {
                keyword: "unwrap", replaces: Never, read_as: Nothing, anew: false, drops: false,
                rule: "`unwrap(…, member = member)` takes the member out of an object",
            },
            Self::Rekey { value: None, .. } => Row {
                keyword: "rekey", replaces: Never, read_as: Nothing, anew: false, drops: false,
                rule: "`rekey(…, by = member)` makes a map of objects of a list of objects, or such a list of a map of objects",
            },
            Self::Rekey { value: Some(_), .. } => Row {
                keyword: "rekey", replaces: Never, read_as: Nothing, anew: false, drops: false,
                rule: "`rekey(…, key = …, value = …)` makes a map of a list of objects with just these two members, or such a list of a map",
            },
            Self::Filter(_) => Row { keyword: "filter", replaces: Never, read_as: Nothing, anew: false, drops: false, rule: "" },
            Self::FilterKeys(_) => Row { keyword: "filter", replaces: Never, read_as: Nothing, anew: false, drops: true, rule: "" },
        }
    }

    /// The prior attributes that it reads, counted through; the value on its way is not one of them.
    pub(in crate::upgrade) const fn reads(&self, nth: usize) -> Option<Path> {
        match self {
            Self::Take { from, .. } | Self::Copy { from } | Self::Extract { from, .. } if nth == 0 => Some(from),
            Self::Merge(paths) | Self::Combine { from: paths, .. } => nth_of(paths, nth),
            Self::Compose(template) => found(in_template(template, nth)),
            Self::Reformat { forms, .. } => found(in_forms(forms, nth)),
            Self::Take { .. }
            | Self::Copy { .. }
            | Self::Extract { .. }
            | Self::Set(_)
            | Self::Default { .. }
            | Self::NullIf(_)
            | Self::Convert { .. }
            | Self::Json
            | Self::Named(_)
            | Self::Function { .. }
            | Self::Values { .. }
            | Self::Split(_)
            | Self::Join(_)
            | Self::Unwrap { .. }
            | Self::Wrap { .. }
            | Self::Enclose(_)
            | Self::Member(_)
            | Self::Rekey { .. }
            | Self::Filter(_)
            | Self::Entries
            | Self::FilterKeys(_) => None,
        }
    }

    /// All of them.
    pub(in crate::upgrade) fn all_read(&self) -> impl Iterator<Item = Path> {
        (0..).map_while(|nth| self.reads(nth))
    }

    /// The prior attribute whose value it passes on as it is, if that is all that it does.
    pub(in crate::upgrade) const fn passes(&self) -> Option<Path> {
        match self.row() {
            Row { replaces: Replaces::Always, read_as: ReadAs::Moved | ReadAs::Copied, .. } => self.reads(0),
            Row { replaces: Replaces::Always | Replaces::Sometimes | Replaces::Never, .. } => None,
        }
    }

    /// Whether it puts another value in the place of the one on its way, whatever that is.
    pub(in crate::upgrade) const fn is_source(&self) -> bool {
        matches!(self.row().replaces, Replaces::Always)
    }
}

impl Stage {
    /// The prior attributes that the operator and its condition read.
    pub(in crate::upgrade) fn all_read(&self) -> impl Iterator<Item = Path> {
        self.operation.all_read().chain(self.only_if.into_iter().flat_map(Condition::all_read))
    }
}

/// Whether a production begins with a source that is in any case, so that what was at the target before does not count.
pub(in crate::upgrade) const fn starts_empty(stages: &[Stage]) -> bool {
    match stages.first() {
        Some(Stage { only_if: None, operation, .. }) => operation.is_source(),
        Some(Stage { only_if: Some(_), .. }) | None => false,
    }
}

impl Production {
    /// The prior map whose entries it leaves out by their keys, if it does nothing else with the value.
    pub(super) fn filtered(&self) -> Option<Path> {
        let (source, stages) = match self.stages {
            [
                Stage { operation: Operation::Take { from, existing: Existing::Unsaid }, each: false, only_if: None },
                stages @ ..,
            ] => (*from, stages),
            stages => (self.target, stages),
        };
        (!stages.is_empty() && stages.iter().all(|stage| stage.filtered_keys().is_some())).then_some(source)
    }
}

impl Operators {
    /// Whether the entries that a production leaves out by their keys are in another attribute, which gets the whole map.
    pub(super) fn keep_filtered(&self, production: &Production) -> bool {
        production.filtered().is_some_and(|source| self.copy_of(source).is_some())
    }

    /// Where the value of a prior attribute goes as it is, beside its own place.
    pub(super) fn copy_of(&self, source: Path) -> Option<Path> {
        let is_copy = |production: &&Production| matches!(production.stages, [Stage { operation: Operation::Copy { from }, each: false, only_if: None }] if *from == source);
        self.productions.iter().find(is_copy).map(|copy| copy.target)
    }
}

impl Stage {
    /// The keys whose entries it leaves out.
    pub(super) const fn filtered_keys(&self) -> Option<&'static [Pattern]> {
        if let (Operation::FilterKeys(keys), false) = (self.operation, self.each) { Some(keys) } else { None }
    }
}

impl Condition {
    /// The prior attributes that it asks about, counted through.
    pub(in crate::upgrade) const fn reads(&self, nth: usize) -> Option<Path> {
        found(in_condition(self, nth))
    }

    /// All of them.
    pub(in crate::upgrade) fn all_read(&self) -> impl Iterator<Item = Path> {
        (0..).map_while(|nth| self.reads(nth))
    }
}

/// What was looked for, or how many are still to be counted.
type Counted = Result<Path, usize>;

const fn found(counted: Counted) -> Option<Path> {
    match counted {
        Ok(path) => Some(path),
        Err(_) => None,
    }
}

const fn nth_of(mut paths: &[Path], mut nth: usize) -> Option<Path> {
    while let [path, after @ ..] = paths {
        if nth == 0 {
            return Some(path);
        }
        nth -= 1;
        paths = after;
    }
    None
}

/// The prior attributes in a string that is put together.
pub(super) const fn in_template(mut template: Template, mut nth: usize) -> Counted {
    while let [segment, after @ ..] = template {
        match segment {
            Segment::Prior(path, _) => {
                if nth == 0 {
                    return Ok(path);
                }
                nth -= 1;
            }
            Segment::Text(_) | Segment::Found(..) => {}
        }
        template = after;
    }
    Err(nth)
}

const fn in_forms(mut forms: &[(Pattern, Template)], mut nth: usize) -> Counted {
    while let [(_, template), after @ ..] = forms {
        match in_template(template, nth) {
            Ok(path) => return Ok(path),
            Err(left) => nth = left,
        }
        forms = after;
    }
    Err(nth)
}

const fn in_condition(condition: &Condition, mut nth: usize) -> Counted {
    match condition {
        Condition::Has(path) | Condition::Lacks(path) | Condition::Is(path, _) | Condition::Fits(path, _) => {
            if nth == 0 {
                Ok(path)
            } else {
                Err(nth - 1)
            }
        }
        Condition::Not(other) => in_condition(other, nth),
        Condition::All(several) | Condition::Any(several) => {
            let mut several: &[Condition] = several;
            while let [one, after @ ..] = several {
                match in_condition(one, nth) {
                    Ok(path) => return Ok(path),
                    Err(left) => nth = left,
                }
                several = after;
            }
            Err(nth)
        }
    }
}
