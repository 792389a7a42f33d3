//! Decides what is known of the conditions under which operators act.

use super::super::table::{Condition, Literal, Match, Path, Pattern, Piece};
use super::same;
use crate::message::iterate;

/// True if something holds for each item. A macro, because constants have no closures.
macro_rules! all {
    ($item:ident in $slice:ident => $holds:expr) => {{
        let mut rest: &[_] = $slice;
        loop {
            let [$item, after @ ..] = rest else {
                break true;
            };
            if !$holds {
                break false;
            }
            rest = after;
        }
    }};
}

/// True if two slices are as long, and something holds for the items at each place of both.
macro_rules! pairwise {
    ($a:ident, $b:ident => $holds:expr) => {{
        let mut ours: &[_] = $a;
        let mut theirs: &[_] = $b;
        loop {
            match (ours, theirs) {
                ([], []) => break true,
                ([$a, more @ ..], [$b, rest @ ..]) if $holds => (ours, theirs) = (more, rest),
                _ => break false,
            }
        }
    }};
}

/// Conditions that are taken to hold, or not to, on the states that are looked at.
#[derive(Clone, Copy)]
pub(super) struct Assumed<'a> {
    pub(super) condition: &'static Condition,
    pub(super) holds: bool,
    pub(super) before: Option<&'a Assumed<'a>>,
}

/// Says whether a condition holds on the states that are looked at; `None` if that is open.
pub(super) const fn decided(
    condition: &'static Condition,
    assumed: Option<&Assumed<'_>>,
) -> Option<bool> {
    let mut assumed = assumed;
    while let Some(known) = assumed {
        if alike(condition, known.condition) {
            return Some(known.holds);
        }
        if are_opposite(condition, known.condition) {
            return Some(!known.holds);
        }
        if known.holds && exclude(condition, known.condition) {
            return Some(false);
        }
        assumed = known.before;
    }
    None
}

/// True if the prior value at a path is null on no state that is looked at, or on all of them.
pub(super) const fn is_known(path: Path, is_set: bool, assumed: Option<&Assumed<'_>>) -> bool {
    let mut assumed = assumed;
    while let Some(known) = assumed {
        if proves(known.condition, known.holds, path, is_set) {
            return true;
        }
        assumed = known.before;
    }
    false
}

/// True if a condition that holds, or does not, says that the value at a path is there, or is not.
const fn proves(condition: &'static Condition, holds: bool, path: Path, is_set: bool) -> bool {
    match (condition, holds) {
        (Condition::Has(about), _) => holds == is_set && paths_alike(about, path),
        (Condition::Lacks(about), _) => holds != is_set && paths_alike(about, path),
        (Condition::Fits(about, _), _) => holds && is_set && paths_alike(about, path),
        (Condition::Is(about, these), true) => {
            let agrees = if is_set {
                !include_null(these)
            } else {
                are_null(these)
            };
            agrees && paths_alike(about, path)
        }
        (Condition::Is(about, these), false) => {
            is_set && include_null(these) && paths_alike(about, path)
        }
        (Condition::Not(other), _) => proves(other, !holds, path, is_set),
        (Condition::All(several), true) | (Condition::Any(several), false) => {
            !all!(one in several => !proves(one, holds, path, is_set))
        }
        (Condition::All(several), false) | (Condition::Any(several), true) => {
            all!(one in several => proves(one, holds, path, is_set))
        }
    }
}

const fn include_null(these: &[Match]) -> bool {
    iterate!(one in these => {
        if matches!(one, Match::Empty | Match::Literal(Literal::Null)) {
            return true;
        }
    });
    false
}

const fn are_null(these: &[Match]) -> bool {
    iterate!(one in these => {
        if !matches!(one, Match::Literal(Literal::Null)) {
            return false;
        }
    });
    true
}

/// True if one condition holds just where the other does not.
pub(super) const fn are_opposite(a: &'static Condition, b: &'static Condition) -> bool {
    match (a, b) {
        (Condition::Not(a), Condition::Not(b)) => are_opposite(a, b),
        (Condition::Not(a), b) | (b, Condition::Not(a)) => alike(a, b),
        (Condition::Has(a), Condition::Lacks(b)) | (Condition::Lacks(a), Condition::Has(b)) => {
            paths_alike(a, b)
        }
        (Condition::Any(a), Condition::All(b)) | (Condition::All(b), Condition::Any(a)) => {
            pairwise!(a, b => are_opposite(a, b))
        }
        _ => false,
    }
}

/// True if no state meets both conditions, as far as that is seen.
pub(super) const fn cannot_both_hold(a: &'static Condition, b: &'static Condition) -> bool {
    excludes((a, true), (b, true))
}

/// True if every state that meets one condition meets another, as far as that is seen.
pub(super) const fn implies(one: &'static Condition, other: &'static Condition) -> bool {
    excludes((one, true), (other, false))
}

/// True if no state decides two conditions so: each comes with whether it holds.
const fn excludes(
    (a, holds): (&'static Condition, bool),
    other: (&'static Condition, bool),
) -> bool {
    match (a, holds) {
        (Condition::Not(inner), _) => excludes((*inner, !holds), other),
        (Condition::All(several), true) | (Condition::Any(several), false) => {
            !all!(one in several => !excludes((one, holds), other))
        }
        (Condition::All(several), false) | (Condition::Any(several), true) => {
            all!(one in several => excludes((one, holds), other))
        }
        (Condition::Has(_) | Condition::Lacks(_) | Condition::Is(..) | Condition::Fits(..), _) => {
            match other {
                (Condition::Not(_) | Condition::All(_) | Condition::Any(_), _) => {
                    excludes(other, (a, holds))
                }
                (
                    b @ (Condition::Has(_)
                    | Condition::Lacks(_)
                    | Condition::Is(..)
                    | Condition::Fits(..)),
                    other,
                ) => match (holds, other) {
                    (true, true) => {
                        are_opposite(a, b)
                            || exclude(a, b)
                            || decides(a, b, false)
                            || decides(b, a, false)
                    }
                    (true, false) => alike(a, b) || decides(a, b, true),
                    (false, true) => alike(a, b) || decides(b, a, true),
                    (false, false) => are_opposite(a, b),
                },
            }
        }
    }
}

/// True if a condition that holds decides whether another `holds`, because a value is there, or is
/// not.
const fn decides(condition: &'static Condition, other: &'static Condition, holds: bool) -> bool {
    match (other, holds) {
        (Condition::Has(path), true) | (Condition::Lacks(path), false) => {
            proves(condition, true, path, true)
        }
        (Condition::Has(path), false) | (Condition::Lacks(path), true) => {
            proves(condition, true, path, false)
        }
        (
            Condition::Is(..)
            | Condition::Fits(..)
            | Condition::Not(_)
            | Condition::All(_)
            | Condition::Any(_),
            _,
        ) => false,
    }
}

/// True if no state meets both conditions.
const fn exclude(a: &'static Condition, b: &'static Condition) -> bool {
    match (a, b) {
        (Condition::Is(a, these), Condition::Is(b, others)) => {
            paths_alike(a, b) && are_apart(these, others)
        }
        (Condition::Is(a, these), Condition::Lacks(b))
        | (Condition::Lacks(b), Condition::Is(a, these)) => {
            paths_alike(a, b) && !include_null(these)
        }
        (Condition::Fits(a, _), Condition::Lacks(b))
        | (Condition::Lacks(b), Condition::Fits(a, _)) => paths_alike(a, b),
        _ => false,
    }
}

/// True if no value is in both lists. Numbers may be written in several ways, and empty strings be
/// meant in two.
const fn are_apart(these: &[Match], others: &[Match]) -> bool {
    iterate!(one in these => {
        iterate!(another in others => {
            let apart = match (one, another) {
                (Match::Literal(Literal::String(a)), Match::Literal(Literal::String(b))) => {
                    !same(a, b)
                }
                (Match::Literal(Literal::Bool(a)), Match::Literal(Literal::Bool(b))) => *a != *b,
                (Match::Literal(Literal::String(_)), Match::Literal(Literal::Null))
                | (Match::Literal(Literal::Null), Match::Literal(Literal::String(_))) => true,
                _ => false,
            };
            if !apart {
                return false;
            }
        });
    });
    true
}

/// True if two conditions are written in the same way.
pub(super) const fn alike(a: &'static Condition, b: &'static Condition) -> bool {
    match (a, b) {
        (Condition::Has(a), Condition::Has(b)) | (Condition::Lacks(a), Condition::Lacks(b)) => {
            paths_alike(a, b)
        }
        (Condition::Is(a, these), Condition::Is(b, others)) => {
            paths_alike(a, b) && matches_alike(these, others)
        }
        (Condition::Fits(a, pattern), Condition::Fits(b, other)) => {
            paths_alike(a, b) && patterns_alike(pattern, other)
        }
        (Condition::Not(a), Condition::Not(b)) => alike(a, b),
        (Condition::All(a), Condition::All(b)) | (Condition::Any(a), Condition::Any(b)) => {
            pairwise!(a, b => alike(a, b))
        }
        _ => false,
    }
}

const fn paths_alike(a: Path, b: Path) -> bool {
    pairwise!(a, b => same(a, b))
}

const fn matches_alike(a: &[Match], b: &[Match]) -> bool {
    pairwise!(a, b => match (a, b) {
        (Match::Empty, Match::Empty) => true,
        (Match::Literal(a), Match::Literal(b)) => literals_alike(a, b),
        (Match::Empty, Match::Literal(_)) | (Match::Literal(_), Match::Empty) => false,
    })
}

const fn literals_alike(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Null, Literal::Null)
        | (Literal::EmptyList, Literal::EmptyList)
        | (Literal::EmptyMap, Literal::EmptyMap) => true,
        (Literal::Bool(a), Literal::Bool(b)) => *a == *b,
        (Literal::Number(a), Literal::Number(b)) | (Literal::String(a), Literal::String(b)) => {
            same(a, b)
        }
        _ => false,
    }
}

const fn patterns_alike(a: &Pattern, b: &Pattern) -> bool {
    let (these, others) = (a.pieces, b.pieces);
    a.ignore_case == b.ignore_case
        && pairwise!(these, others => match (these, others) {
            (Piece::Text(a), Piece::Text(b)) => same(a, b),
            // The names of parts do not count in a condition, because it makes nothing of them.
            (Piece::Part(_), Piece::Part(_)) | (Piece::Rest(_), Piece::Rest(_)) => true,
            (Piece::Optional(a), Piece::Optional(b)) => {
                a.rest == b.rest && a.leads == b.leads && same(a.sign, b.sign)
            }
            _ => false,
        })
}
