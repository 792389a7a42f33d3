//! The word of each operator, which answers what it replaces, reads and is called: `upstate_words::operators` has one file each, for the derive,
//! too.
//!
//! No `match` over operators has a `_` arm, so that a new one does not compile until each has an arm for it.
//! What else depends on the operator has a `match` of the same kind elsewhere, one for each question: what the interpreter does
//! ([`run`](super::run)), what the compiled plan does ([`scalar`](super::scalar)), what the compiler knows of the result
//! ([`check`](super::check)), how it is printed and saved ([`show`](super::show)).
//!
//! The compiler asks the same, in const evaluation, where a call costs microseconds: each answer is one flat `match`.

use upstate_words::operators as words;
pub(in crate::upgrade) use upstate_words::operators::{Effect, ReadAs, Replaces};

use super::table::{Condition, Existing, Operation, Operators, Path, Pattern, Production, Segment, Stage, Structure, Template};

impl Operation {
    /// All that is known of it whatever it works on.
    pub(in crate::upgrade) const fn row(&self) -> &'static Effect {
        match self {
            Self::Take { existing: Existing::Unsaid, .. } => &words::rename::RENAME,
            Self::Take { existing: Existing::Keep | Existing::Replace, .. } => &words::rename::RENAME_OVER,
            Self::Take { existing: Existing::Refuse, .. } => &words::rename::RENAME_SAME,
            Self::Copy { .. } => &words::copy::COPY,
            Self::Set(_) => &words::set::SET,
            Self::Default { .. } => &words::default::DEFAULT,
            Self::NullIf(_) => &words::null_if::NULL_IF,
            Self::Convert { .. } => &words::convert::CONVERT,
            Self::Json => &words::convert::JSON,
            Self::Named(conversion) => conversion.effect(),
            Self::Function { .. } => &words::convert::FUNCTION,
            Self::Combine { .. } => &words::convert::COMBINE,
            Self::Values { .. } => &words::values::VALUES,
            Self::Reformat { .. } => &words::reformat::REFORMAT,
            Self::Compose(_) => &words::reformat::COMPOSE,
            Self::Extract { .. } => &words::split::EXTRACT,
            Self::Structure(structure) => structure.effect(),
        }
    }

    /// The prior attributes that it reads, counted through; the value on its way is not one of them.
    pub(in crate::upgrade) const fn reads(&self, nth: usize) -> Option<Path> {
        match self {
            Self::Take { from, .. } | Self::Copy { from } | Self::Extract { from, .. } if nth == 0 => Some(from),
            Self::Combine { from, .. } => nth_of(from, nth),
            Self::Structure(structure) => nth_of(structure.reads(), nth),
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
            | Self::Values { .. } => None,
        }
    }

    /// All of them.
    pub(in crate::upgrade) fn all_read(&self) -> impl Iterator<Item = Path> {
        (0..).map_while(|nth| self.reads(nth))
    }

    /// The prior attribute whose value it passes on as it is, if that is all that it does.
    pub(in crate::upgrade) const fn passes(&self) -> Option<Path> {
        match self.row() {
            Effect { replaces: Replaces::Always, read_as: ReadAs::Moved | ReadAs::Copied, .. } => self.reads(0),
            Effect { replaces: Replaces::Always | Replaces::Sometimes | Replaces::Never, .. } => None,
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

    /// The member of the objects in a list that `rekey` makes the keys of a map, or makes of them.
    pub(super) fn key(&self) -> Option<&'static str> {
        self.stages.iter().find_map(|stage| {
            let Operation::Structure(Structure::Rekey(key, None)) = stage.operation else { return None };
            Some(key)
        })
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
        if let (Operation::Structure(Structure::FilterKeys(keys)), false) = (self.operation, self.each) {
            Some(keys)
        } else {
            None
        }
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
