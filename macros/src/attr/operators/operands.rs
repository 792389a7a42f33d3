//! The places of the operands of conditions that the compiler may blame.

use proc_macro2::Span;

use super::{Condition, Literal, Match};

impl Condition {
    /// The values that a condition looks for, and its patterns, numbered as they are written.
    pub(crate) fn operands(&self) -> Vec<(usize, Span)> {
        let mut spans = Vec::new();
        self.collect(&mut spans);
        spans
            .into_iter()
            .enumerate()
            .filter_map(|(nth, span)| Some((nth, span?)))
            .collect()
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
            Self::All(several) | Self::Any(several) => {
                for one in several {
                    one.collect(spans);
                }
            }
        }
    }
}
