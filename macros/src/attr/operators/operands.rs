//! Where the operands stand that the compiler may blame.

use proc_macro2::Span;

use super::{Condition, Constant, Literal, LiteralValue, Match, Member, Operation, Otherwise};

impl Operation {
    /// The operands that can be wrong by themselves, by the numbers that the runtime's check gives them. An expression is none: the
    /// compiler looks at its type.
    pub(crate) fn operands(&self) -> Vec<(usize, Span)> {
        match self {
            Self::Set(constant) => of_constant(constant).collect(),
            Self::Default { value, when } => of_constant(value).chain(of_matches(when, 1)).collect(),
            Self::NullIf(these) | Self::Filter(these) => of_matches(these, 0).collect(),
            Self::FilterKeys(keys) => keys.iter().enumerate().map(|(nth, key)| (nth, key.span)).collect(),
            Self::Values { table, other } => {
                let rows = table.iter().flat_map(|(old, new)| [old, new]);
                let other = match other {
                    Otherwise::Refuse | Otherwise::Keep => None,
                    Otherwise::Become(literal) => Some(literal),
                };
                rows.chain(other).enumerate().map(|(nth, Literal { span, .. })| (nth, *span)).collect()
            }
            Self::Rekey { key, value } => [Some(key), value.as_ref()]
                .into_iter()
                .flatten()
                .enumerate()
                .map(|(nth, Member { span, .. })| (nth, *span))
                .collect(),
            // What a function takes is refused at the field that gives something else.
            Self::Combine { from, .. } => {
                from.iter().enumerate().filter_map(|(nth, field)| Some((nth, field.0.last()?.span()))).collect()
            }
            Self::Take { .. }
            | Self::Copy { .. }
            | Self::Convert { .. }
            | Self::Json
            | Self::Named(_)
            | Self::Function { .. }
            | Self::Reformat { .. }
            | Self::Compose(_)
            | Self::Extract { .. }
            | Self::Split(_)
            | Self::Join(_)
            | Self::Merge(_)
            | Self::Entries
            | Self::Unwrap { .. }
            | Self::Wrap { .. }
            | Self::Enclose(_)
            | Self::Member(_) => Vec::new(),
        }
    }
}

impl Condition {
    /// The values that a condition looks for, and its patterns, numbered as they are written.
    pub(crate) fn operands(&self) -> Vec<(usize, Span)> {
        let mut spans = Vec::new();
        self.collect(&mut spans);
        spans.into_iter().enumerate().filter_map(|(nth, span)| Some((nth, span?))).collect()
    }

    fn collect(&self, spans: &mut Vec<Option<Span>>) {
        match self {
            Self::Has(_) | Self::Lacks(_) => {}
            Self::Is(_, these) => spans.extend(these.iter().map(|this| match this {
                Match::Literal(Literal { span, .. }) => Some(*span),
                Match::Empty => None,
            })),
            Self::Fits(_, pattern) => spans.push(Some(pattern.span)),
            Self::Not(other) => other.collect(spans),
            Self::All(several) | Self::Any(several) => several.iter().for_each(|one| one.collect(spans)),
        }
    }
}

fn of_constant(constant: &Constant) -> impl Iterator<Item = (usize, Span)> {
    match constant {
        Constant::Literal(Literal { span, .. }) => Some((0, *span)),
        Constant::Expr(_) => None,
    }
    .into_iter()
}

fn of_matches(these: &[Match], from: usize) -> impl Iterator<Item = (usize, Span)> {
    these.iter().enumerate().filter_map(move |(nth, this)| match this {
        // Null may be looked for anywhere.
        Match::Literal(Literal { value: LiteralValue::Null, .. }) | Match::Empty => None,
        Match::Literal(Literal { span, .. }) => Some((from + nth, *span)),
    })
}
