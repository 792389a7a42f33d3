//! Answers about an operator that follow from its effect and from the kinds of its arguments: what
//! it replaces and reads, and which members of objects it names.
//!
//! `upstate_words::operators` is the list of them. What else depends on the operator has a `match`
//! elsewhere that names all: what the interpreter does ([`run`](super::run)), what the compiled
//! plan does ([`scalar`](super::scalar)), what the compiler knows of the result
//! ([`check`](super::check)), and what a downgrade does ([`inverse`](super::inverse)).
//!
//! The compiler asks the same, in const evaluation, where a call costs microseconds: each answer is
//! one flat `match`.

use upstate_words::operators::{self as words, Keeps};
pub(in crate::upgrade) use upstate_words::operators::{Effect, ReadAs, Replaces};

use super::table::{
    Condition, Existing, Many, Operation, Operators, Path, Pattern, Patterns, Production, Segment,
    Stage, Structure, Template, Variants,
};
use crate::message::iterate;

/// Returns the effect that an argument decides for, where an operator has several.
macro_rules! decide {
    (Existing $argument:ident $word:ident [$unsaid:ident $over:ident $same:ident]) => {
        match $argument {
            Existing::Unsaid => {}
            Existing::Keep | Existing::Replace => return &words::$word::$over,
            Existing::Refuse => return &words::$word::$same,
        }
    };
    (Many $argument:ident $word:ident [$refuse:ident $first:ident]) => {
        match $argument {
            Many::Refuse => {}
            Many::First => return &words::$word::$first,
        }
    };
    (ValueMember $argument:ident $word:ident [$objects:ident $values:ident]) => {
        if $argument.is_some() {
            return &words::$word::$values;
        }
    };
    (Conversion $argument:ident $word:ident $effects:tt) => {
        return $argument.effect()
    };
    ($other:ident $argument:ident $word:ident $effects:tt) => {};
}

macro_rules! first {
    ($word:ident [$effect:ident $($other:ident)*]) => {
        &words::$word::$effect
    };
}

/// Returns a prior attribute in an argument; those before it are counted.
macro_rules! reads {
    (Prior $argument:ident $nth:ident) => {
        return if $nth == 0 { Some($argument) } else { None }
    };
    (Priors $argument:ident $nth:ident) => {
        return nth_of($argument, $nth)
    };
    (Template $argument:ident $nth:ident) => {
        return found(in_template($argument, $nth))
    };
    (Forms $argument:ident $nth:ident) => {
        return found(in_forms($argument, $nth))
    };
    ($other:ident $argument:ident $nth:ident) => {};
}

/// Returns the member in an argument that the value is taken out of, and the one that it is put
/// into.
macro_rules! members {
    (TakenMember $argument:ident _) => {
        return (Some($argument), None)
    };
    (PutMember $argument:ident _) => {
        return (None, Some($argument))
    };
    // Both are this member, because one side has objects with it and the other the values alone.
    (ValueMember $argument:ident _) => {
        return ($argument, $argument)
    };
    ($other:ident $argument:ident _) => {};
}

/// Returns the member in an argument that is the key of a map.
macro_rules! key {
    (KeyMember $argument:ident _) => {
        return Some($argument)
    };
    ($other:ident $argument:ident _) => {};
}

/// Returns the patterns of keys in an argument.
macro_rules! key_patterns {
    (Patterns $argument:ident _) => {
        return Some($argument)
    };
    ($other:ident $argument:ident _) => {};
}

/// Returns the changes of variants in an argument.
macro_rules! variant_changes {
    (Variants $argument:ident _) => {
        return Some($argument)
    };
    ($other:ident $argument:ident _) => {};
}

macro_rules! answers {
    (
        plain { $($variant:ident($($name:ident: $kind:ident),*) $word:ident $effect:tt;)* }
        structures { $($module:ident $structure:ident($($argument:ident: $of:ident),*) $file:ident $other:tt;)* }
    ) => {
        #[allow(unused_variables, unreachable_code, reason = "most arguments say nothing of it")]
        impl Operation {
            /// All that is known of it whatever it works on.
            pub(in crate::upgrade) const fn row(&self) -> &'static Effect {
                match *self {
                    $(Self::$variant($($name),*) => {
                        $(decide!($kind $name $word $effect);)*
                        first!($word $effect)
                    })*
                    $(Self::Structure(Structure::$structure($($argument),*)) => {
                        $(decide!($of $argument $file $other);)*
                        first!($file $other)
                    })*
                }
            }
        }
    };
}
upstate_words::operators!(answers);

/// Asks the arguments of an operator: the first that has an answer gives it.
macro_rules! ask {
    (
        $operation:ident, $question:ident $with:tt, $otherwise:expr,
        { $($variant:ident($($name:ident: $kind:ident),*) $word:ident $effect:tt;)* }
        { $($module:ident $structure:ident($($argument:ident: $of:ident),*) $file:ident $other:tt;)* }
    ) => {
        match *$operation {
            $(Self::$variant($($name),*) => {
                $($question!($kind $name $with);)*
                $otherwise
            })*
            $(Self::Structure(Structure::$structure($($argument),*)) => {
                $($question!($of $argument $with);)*
                $otherwise
            })*
        }
    };
}

macro_rules! questions {
    (plain $plain:tt structures $structures:tt) => {
        #[allow(unused_variables, unreachable_code, reason = "most arguments say nothing of it")]
        impl Operation {
            /// The prior attributes that it reads, counted through; the value on its way is not one
            /// of them.
            pub(in crate::upgrade) const fn reads(&self, nth: usize) -> Option<Path> {
                ask!(self, reads nth, None, $plain $structures)
            }

            /// The member that it takes out of objects, and the one that it puts what is left into.
            pub(super) const fn members(&self) -> (Option<&'static str>, Option<&'static str>) {
                ask!(self, members _, (None, None), $plain $structures)
            }

            /// The member of the objects in a list that is the key of a map.
            pub(super) const fn key(&self) -> Option<&'static str> {
                ask!(self, key _, None, $plain $structures)
            }

            /// The patterns of the keys whose entries it leaves out of a map.
            const fn key_patterns(&self) -> Option<Patterns> {
                ask!(self, key_patterns _, None, $plain $structures)
            }

            /// The changes that it makes to the variants of an enum.
            pub(super) const fn variant_changes(&self) -> Option<Variants> {
                ask!(self, variant_changes _, None, $plain $structures)
            }
        }
    };
}
upstate_words::operators!(questions);

impl Operation {
    /// All of them.
    pub(in crate::upgrade) fn all_read(&self) -> impl Iterator<Item = Path> {
        (0..).map_while(|nth| self.reads(nth))
    }

    /// The prior attribute whose value it passes on as it is, if that is all that it does.
    pub(in crate::upgrade) const fn passes(&self) -> Option<Path> {
        match self.row() {
            Effect {
                replaces: Replaces::Always,
                read_as: ReadAs::Moved | ReadAs::Copied,
                ..
            } => self.reads(0),
            Effect {
                replaces: Replaces::Always | Replaces::Sometimes | Replaces::Never,
                ..
            } => None,
        }
    }

    /// True if it takes a prior value as it is.
    pub(super) const fn takes_as_is(&self) -> bool {
        matches!(self.row().read_as, ReadAs::Moved | ReadAs::Copied)
    }

    /// True if the operator puts another value in the place of the one on its way, whatever that
    /// is.
    pub(in crate::upgrade) const fn is_source(&self) -> bool {
        matches!(self.row().replaces, Replaces::Always)
    }

    /// True if the value behind it has the form of the one before it.
    pub(super) const fn keeps_form(&self) -> bool {
        matches!(self.row().keeps, Keeps::Form)
    }

    /// True if nested objects come out of it as they went in, or through an upgrader of their own.
    pub(super) const fn keeps_objects(&self) -> bool {
        // Objects end or begin here, because a member that is both taken and put was or becomes the
        // whole value.
        !matches!(self.members(), (Some(_), Some(_)))
            && matches!(self.row().keeps, Keeps::Form | Keeps::Objects)
    }
}

impl Stage {
    /// The prior attributes that the operator and its condition read.
    pub(in crate::upgrade) fn all_read(&self) -> impl Iterator<Item = Path> {
        self.operation
            .all_read()
            .chain(self.only_if.into_iter().flat_map(Condition::all_read))
    }
}

/// True if a production begins with a source that has no condition, so that the value that was at
/// the target before does not count.
pub(in crate::upgrade) const fn starts_empty(stages: &[Stage]) -> bool {
    match stages.first() {
        Some(Stage {
            only_if: None,
            operation,
            ..
        }) => operation.is_source(),
        Some(Stage {
            only_if: Some(_), ..
        })
        | None => false,
    }
}

impl Production {
    /// The prior map whose entries it leaves out by their keys, if it does nothing else with the
    /// value.
    pub(super) fn filtered(&self) -> Option<Path> {
        let (source, stages) = match self.stages {
            [
                Stage {
                    operation: Operation::Take(from, Existing::Unsaid),
                    each: false,
                    only_if: None,
                },
                stages @ ..,
            ] => (*from, stages),
            stages => (self.target, stages),
        };
        (!stages.is_empty() && stages.iter().all(|stage| stage.filtered_keys().is_some()))
            .then_some(source)
    }

    /// The member of the objects in a list that `rekey` makes the keys of a map, or makes of them.
    pub(super) fn key(&self) -> Option<&'static str> {
        self.stages.iter().find_map(|stage| {
            // With a member for the values, they are no objects on one side.
            stage
                .operation
                .key()
                .filter(|_| stage.operation.members() == (None, None))
        })
    }
}

impl Operators {
    /// True if the entries that a production leaves out by their keys are in another attribute,
    /// which gets the whole map.
    pub(super) fn keep_filtered(&self, production: &Production) -> bool {
        production
            .filtered()
            .is_some_and(|source| self.copy_of(source).is_some())
    }

    /// The attribute to which the value of a prior attribute goes as it is, besides its own place.
    pub(super) fn copy_of(&self, source: Path) -> Option<Path> {
        let is_copy = |production: &&Production| matches!(production.stages, [Stage { operation: Operation::Copy(from), each: false, only_if: None }] if *from == source);
        self.productions
            .iter()
            .find(is_copy)
            .map(|copy| copy.target)
    }
}

impl Stage {
    /// The keys whose entries it leaves out.
    pub(super) const fn filtered_keys(&self) -> Option<&'static [Pattern]> {
        if self.each {
            None
        } else {
            self.operation.key_patterns()
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

/// The path that was looked for, or the number of paths that are still to be counted.
type Counted = Result<Path, usize>;

const fn found(counted: Counted) -> Option<Path> {
    match counted {
        Ok(path) => Some(path),
        Err(_) => None,
    }
}

const fn nth_of(paths: &[Path], nth: usize) -> Option<Path> {
    iterate!((index, path) in paths => {
        if index == nth {
            return Some(path);
        }
    });
    None
}

/// The prior attributes in a string that is put together.
pub(super) const fn in_template(template: Template, mut nth: usize) -> Counted {
    iterate!(segment in template => {
        match segment {
            Segment::Prior(path, _) => {
                if nth == 0 {
                    return Ok(path);
                }
                nth -= 1;
            }
            Segment::Text(_) | Segment::Found(..) => {}
        }
    });
    Err(nth)
}

const fn in_forms(forms: &[(Pattern, Template)], mut nth: usize) -> Counted {
    iterate!(form in forms => {
        match in_template(form.1, nth) {
            Ok(path) => return Ok(path),
            Err(left) => nth = left,
        }
    });
    Err(nth)
}

const fn in_condition(condition: &Condition, mut nth: usize) -> Counted {
    match condition {
        Condition::Has(path)
        | Condition::Lacks(path)
        | Condition::Is(path, _)
        | Condition::Fits(path, _) => {
            if nth == 0 {
                Ok(path)
            } else {
                Err(nth - 1)
            }
        }
        Condition::Not(other) => in_condition(other, nth),
        Condition::All(several) | Condition::Any(several) => {
            iterate!(one in several => {
                match in_condition(one, nth) {
                    Ok(path) => return Ok(path),
                    Err(left) => nth = left,
                }
            });
            Err(nth)
        }
    }
}
