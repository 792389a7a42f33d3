//! The operators of an upgrader by the attribute that each makes, at every depth.

use super::provenance::inner;
use super::table::{Constant, Literal, Operation, Operators, Stage};
use crate::path::Names;
use crate::schema::Members;

/// An operator as a line of text, with the attribute that it makes.
pub(in crate::upgrade) struct Line {
    /// The attribute of the later version.
    pub(in crate::upgrade) target: Names,
    /// The prior attributes that it reads, apart from the one at the same place.
    pub(in crate::upgrade) reads: Vec<Names>,
    /// The word that it is called by.
    pub(in crate::upgrade) word: &'static str,
    /// The operator as its author would write it.
    pub(in crate::upgrade) text: String,
    /// True if the value is the same before and after it.
    pub(in crate::upgrade) passes: bool,
    /// True if it makes null of whatever was there.
    pub(in crate::upgrade) is_null: bool,
    /// True if it has a condition on a secret attribute, whose text may quote a value.
    pub(in crate::upgrade) reads_secret: bool,
}

/// All operators between two versions.
pub(in crate::upgrade) fn lines(
    operators: &Operators,
    prior: Members<'static>,
    current: Members<'static>,
) -> Vec<Line> {
    let mut all = Vec::new();
    for production in operators.productions {
        let texts = operators.lines_of(production);
        all.extend(production.stages.iter().zip(texts).map(|(stage, text)| {
            Line {
                target: production.target.to_vec(),
                reads: stage.operation.all_read().map(<[_]>::to_vec).collect(),
                word: stage.operation.row().keyword,
                text,
                passes: passes(stage),
                is_null: is_null(stage),
                reads_secret: stage
                    .only_if
                    .is_some_and(|only_if| only_if.all_read().any(|path| prior.is_secret_at(path))),
            }
        }));
    }
    for inner in inner(operators, prior, current) {
        let below = |at: &Names, path: Names| [at.clone(), path].concat();
        all.extend(
            lines(inner.operators, inner.prior, inner.current)
                .into_iter()
                .map(|line| Line {
                    target: below(&inner.to, line.target),
                    reads: line
                        .reads
                        .into_iter()
                        .map(|path| below(&inner.from, path))
                        .collect(),
                    ..line
                }),
        );
    }
    all
}

fn passes(stage: &Stage) -> bool {
    stage.only_if.is_none() && stage.operation.takes_as_is()
}

fn is_null(stage: &Stage) -> bool {
    stage.only_if.is_none()
        && matches!(
            stage.operation,
            Operation::Set(Constant::Literal(Literal::Null))
        )
}
