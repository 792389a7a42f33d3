//! Decides what is known of the conditions under which operators act.

use super::super::table::{Condition, Literal, Match, Path, Pattern, Piece};
use super::same;

/// Conditions that are taken to hold, or not to, on the states that are looked at.
#[derive(Clone, Copy)]
pub(super) struct Assumed<'a> {
    pub(super) condition: &'static Condition,
    pub(super) holds: bool,
    pub(super) before: Option<&'a Assumed<'a>>,
}

/// Says whether a condition holds on the states that are looked at; `None` if that is open.
pub(super) const fn decided(condition: &'static Condition, assumed: Option<&Assumed<'_>>) -> Option<bool> {
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

/// True if the prior value at a path is not null on any state that is looked at.
pub(super) const fn has_value(path: Path, assumed: Option<&Assumed<'_>>) -> bool {
    let mut assumed = assumed;
    while let Some(known) = assumed {
        if means_set(known.condition, known.holds, path) {
            return true;
        }
        assumed = known.before;
    }
    false
}

/// True if the prior value at a path is null on all states that are looked at.
pub(super) const fn has_no_value(path: Path, assumed: Option<&Assumed<'_>>) -> bool {
    let mut assumed = assumed;
    while let Some(known) = assumed {
        if means_unset(known.condition, known.holds, path) {
            return true;
        }
        assumed = known.before;
    }
    false
}

const fn means_set(condition: &'static Condition, holds: bool, path: Path) -> bool {
    match (condition, holds) {
        (Condition::Has(about) | Condition::Fits(about, _), true) | (Condition::Lacks(about), false) => paths_alike(about, path),
        (Condition::Is(about, these), true) => paths_alike(about, path) && !include_null(these),
        (Condition::Is(about, these), false) => paths_alike(about, path) && include_null(these),
        (Condition::Has(_) | Condition::Fits(..), false) | (Condition::Lacks(_), true) => false,
        (Condition::Not(other), _) => means_set(other, !holds, path),
        (Condition::All(several), true) | (Condition::Any(several), false) => {
            let mut index = 0;
            while index < several.len() && !means_set(&several[index], holds, path) {
                index += 1;
            }
            index < several.len()
        }
        (Condition::All(several), false) | (Condition::Any(several), true) => {
            let mut index = 0;
            while index < several.len() && means_set(&several[index], holds, path) {
                index += 1;
            }
            index == several.len()
        }
    }
}

const fn means_unset(condition: &'static Condition, holds: bool, path: Path) -> bool {
    match (condition, holds) {
        (Condition::Lacks(about), true) | (Condition::Has(about), false) => paths_alike(about, path),
        (Condition::Is(about, these), true) => paths_alike(about, path) && are_null(these),
        (Condition::Lacks(_) | Condition::Is(..), false) | (Condition::Has(_), true) | (Condition::Fits(..), _) => false,
        (Condition::Not(other), _) => means_unset(other, !holds, path),
        (Condition::All(several), true) | (Condition::Any(several), false) => {
            let mut index = 0;
            while index < several.len() && !means_unset(&several[index], holds, path) {
                index += 1;
            }
            index < several.len()
        }
        (Condition::All(several), false) | (Condition::Any(several), true) => {
            let mut index = 0;
            while index < several.len() && means_unset(&several[index], holds, path) {
                index += 1;
            }
            index == several.len()
        }
    }
}

const fn include_null(these: &[Match]) -> bool {
    let mut index = 0;
    while index < these.len() {
        if matches!(these[index], Match::Empty | Match::Literal(Literal::Null)) {
            return true;
        }
        index += 1;
    }
    false
}

const fn are_null(these: &[Match]) -> bool {
    let mut index = 0;
    while index < these.len() {
        if !matches!(these[index], Match::Literal(Literal::Null)) {
            return false;
        }
        index += 1;
    }
    true
}

/// True if one condition holds just where the other does not.
pub(super) const fn are_opposite(a: &'static Condition, b: &'static Condition) -> bool {
    match (a, b) {
        (Condition::Not(a), Condition::Not(b)) => are_opposite(a, b),
        (Condition::Not(a), b) | (b, Condition::Not(a)) => alike(a, b),
        (Condition::Has(a), Condition::Lacks(b)) | (Condition::Lacks(a), Condition::Has(b)) => paths_alike(a, b),
        (Condition::Any(a), Condition::All(b)) | (Condition::All(b), Condition::Any(a)) => {
            let mut index = 0;
            while index < a.len() && index < b.len() && are_opposite(&a[index], &b[index]) {
                index += 1;
            }
            a.len() == b.len() && index == a.len()
        }
        _ => false,
    }
}

/// True if no state meets both conditions.
const fn exclude(a: &'static Condition, b: &'static Condition) -> bool {
    match (a, b) {
        (Condition::Is(a, these), Condition::Is(b, others)) => paths_alike(a, b) && are_apart(these, others),
        (Condition::Is(a, these), Condition::Lacks(b)) | (Condition::Lacks(b), Condition::Is(a, these)) => {
            paths_alike(a, b) && !include_null(these)
        }
        (Condition::Fits(a, _), Condition::Lacks(b)) | (Condition::Lacks(b), Condition::Fits(a, _)) => paths_alike(a, b),
        _ => false,
    }
}

/// True if no value is in both lists. Numbers may be written in several ways, and empty strings be meant in two.
const fn are_apart(these: &[Match], others: &[Match]) -> bool {
    let mut index = 0;
    while index < these.len() {
        let mut other = 0;
        while other < others.len() {
            let apart = match (&these[index], &others[other]) {
                (Match::Literal(Literal::String(a)), Match::Literal(Literal::String(b))) => !same(a, b),
                (Match::Literal(Literal::Bool(a)), Match::Literal(Literal::Bool(b))) => *a != *b,
                (Match::Literal(Literal::String(_)), Match::Literal(Literal::Null))
                | (Match::Literal(Literal::Null), Match::Literal(Literal::String(_))) => true,
                _ => false,
            };
            if !apart {
                return false;
            }
            other += 1;
        }
        index += 1;
    }
    true
}

/// True if two conditions are written in the same way.
pub(super) const fn alike(a: &'static Condition, b: &'static Condition) -> bool {
    match (a, b) {
        (Condition::Has(a), Condition::Has(b)) | (Condition::Lacks(a), Condition::Lacks(b)) => paths_alike(a, b),
        (Condition::Is(a, these), Condition::Is(b, others)) => paths_alike(a, b) && matches_alike(these, others),
        (Condition::Fits(a, pattern), Condition::Fits(b, other)) => paths_alike(a, b) && patterns_alike(pattern, other),
        (Condition::Not(a), Condition::Not(b)) => alike(a, b),
        (Condition::All(a), Condition::All(b)) | (Condition::Any(a), Condition::Any(b)) => {
            let mut index = 0;
            while index < a.len() && index < b.len() && alike(&a[index], &b[index]) {
                index += 1;
            }
            a.len() == b.len() && index == a.len()
        }
        _ => false,
    }
}

const fn paths_alike(a: Path, b: Path) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() && same(a[index], b[index]) {
        index += 1;
    }
    a.len() == b.len() && index == a.len()
}

const fn matches_alike(a: &[Match], b: &[Match]) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() {
        let alike = match (&a[index], &b[index]) {
            (Match::Empty, Match::Empty) => true,
            (Match::Literal(a), Match::Literal(b)) => literals_alike(a, b),
            _ => false,
        };
        if !alike {
            return false;
        }
        index += 1;
    }
    a.len() == b.len()
}

const fn literals_alike(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Null, Literal::Null) | (Literal::EmptyList, Literal::EmptyList) | (Literal::EmptyMap, Literal::EmptyMap) => {
            true
        }
        (Literal::Bool(a), Literal::Bool(b)) => *a == *b,
        (Literal::Number(a), Literal::Number(b)) | (Literal::String(a), Literal::String(b)) => same(a, b),
        _ => false,
    }
}

const fn patterns_alike(a: &Pattern, b: &Pattern) -> bool {
    let mut index = 0;
    while index < a.pieces.len() && index < b.pieces.len() {
        let alike = match (&a.pieces[index], &b.pieces[index]) {
            (Piece::Text(a), Piece::Text(b)) => same(a, b),
            // What is found has no name in a condition.
            (Piece::Part(_), Piece::Part(_)) | (Piece::Rest(_), Piece::Rest(_)) => true,
            (Piece::Optional(a), Piece::Optional(b)) => a.rest == b.rest && a.leads == b.leads && same(a.sign, b.sign),
            _ => false,
        };
        if !alike {
            return false;
        }
        index += 1;
    }
    a.pieces.len() == b.pieces.len() && a.ignore_case == b.ignore_case
}
