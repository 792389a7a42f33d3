//! Runs declarative upgraders straight over the bytes: no model, and values only of what few
//! operators touch.
//!
//! This is the fast way for states that are as they should be. It answers only if it is sure:
//! whatever is unusual (an error, names that the schema does not define or that stand twice,
//! repeated elements of sets) makes it give up, and the interpreter over values, which says exactly
//! what is wrong, runs instead.

mod compile;
mod draft;
mod plan;
mod run;
mod scalar;
mod schedule;
mod trail;
mod value;

use std::borrow::Cow;

use self::plan::Plan;
use self::run::Run;
use self::value::Judged;
use super::form::Objects;
use super::table::Operators;
use crate::codec::Encoding;
use crate::codec::json::{Layout, Transfer, sorted};
use crate::schema::Origin;
use crate::schema::table::Table;
use crate::upgrade::context::{Noted, UpgradeContext};

/// One upgrader of a route: its table, and both schemas.
#[derive(Clone, Copy)]
pub(in crate::upgrade) struct Upgrader {
    operators: &'static Operators,
    from: Objects<'static>,
    to: Objects<'static>,
}

impl Upgrader {
    /// These operators, from one shape to the other.
    pub(in crate::upgrade) fn new(
        operators: &'static Operators,
        from: &'static Table,
        to: &'static Table,
    ) -> Self {
        let objects =
            |table: &'static Table| Objects::new(table.schema().block().members(), Origin::NONE);
        Self {
            operators,
            from: objects(from),
            to: objects(to),
        }
    }
}

/// One run over the bytes: an upgrader of a route, or all of them in one.
pub(in crate::upgrade) struct Pass {
    plan: Plan,
}

impl Pass {
    /// True if the run calls no function of an author's.
    pub(in crate::upgrade) fn is_ours_alone(&self) -> bool {
        self.plan.is_ours_alone()
    }
}

/// Compiles a route; `None` if the route cannot run so.
pub(in crate::upgrade) fn compile(route: &[Upgrader]) -> Option<Vec<Pass>> {
    if let Some(plan) = compile::whole(route) {
        return Some(vec![Pass { plan }]);
    }
    route
        .iter()
        .map(|upgrader| compile::plan(upgrader).map(|plan| Pass { plan }))
        .collect()
}

/// The outcome of a run that made an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::upgrade) enum Fused {
    /// The answer is what the current model would write.
    Sure,
    /// The current model would read this, if anything: it holds what only an author's own type can
    /// judge.
    ForModel,
}

/// Brings JSON along these upgraders, appended to `out`; `None` if that is not the way for this
/// state. Then there may be more in `out` and in the context's notes than there was.
#[inline]
pub(in crate::upgrade) fn fuse(
    passes: &[Pass],
    text: &str,
    context: &mut UpgradeContext<'_>,
    encoding: Encoding,
    out: &mut Vec<u8>,
) -> Option<Fused> {
    let (start, noted) = (out.len(), context.noted());
    along(passes, text, context, encoding, out)
        .or_else(|| in_order(passes, text, context, encoding, out, start, noted))
}

/// Runs over JSON that is laid out over lines, appended as it is laid out; `None` also if that is
/// not as a program lays it out.
pub(in crate::upgrade) fn fuse_laid_out(
    passes: &[Pass],
    text: &str,
    layout: Layout<'_>,
    context: &mut UpgradeContext<'_>,
    out: &mut Vec<u8>,
) -> Option<Fused> {
    let [pass] = passes else { return None };
    let judged =
        Run::new(Transfer::laid_out(text, layout, out), false, context).state(&pass.plan)?;
    Some(fused(judged))
}

/// Runs once more over sorted names: most that is odd is an order of names that is not Terraform's.
#[cold]
fn in_order(
    passes: &[Pass],
    text: &str,
    context: &mut UpgradeContext<'_>,
    encoding: Encoding,
    out: &mut Vec<u8>,
    start: usize,
    noted: Noted,
) -> Option<Fused> {
    let text = sorted(text)?;
    out.truncate(start);
    context.forget(noted);
    context.start_over();
    along(passes, &text, context, encoding, out)
}

fn along(
    passes: &[Pass],
    text: &str,
    context: &mut UpgradeContext<'_>,
    encoding: Encoding,
    out: &mut Vec<u8>,
) -> Option<Fused> {
    context.check().ok()?;
    let (last, before) = passes.split_last()?;
    if before.is_empty() {
        return pass(last, text, context, encoding, out);
    }
    let mut text = Cow::Borrowed(text);
    for pass in before {
        let mut next = Vec::with_capacity(text.len() + text.len() / 4);
        // An author's own type is asked at the end only, as it is when values are upgraded.
        Run::<true, false>::new(Transfer::new(&text, &mut next), true, context)
            .state(&pass.plan)?;
        text = Cow::Owned(String::from_utf8(next).ok()?);
        context.check().ok()?;
    }
    pass(last, &text, context, encoding, out)
}

/// The last run.
#[inline]
fn pass(
    pass: &Pass,
    text: &str,
    context: &mut UpgradeContext<'_>,
    encoding: Encoding,
    out: &mut Vec<u8>,
) -> Option<Fused> {
    let judged =
        match encoding {
            Encoding::Json => Run::<true, false>::new(Transfer::new(text, out), false, context)
                .state(&pass.plan)?,
            Encoding::Msgpack => Run::<false, false>::new(Transfer::new(text, out), false, context)
                .state(&pass.plan)?,
        };
    Some(fused(judged))
}

#[inline]
fn fused(judged: Judged) -> Fused {
    if judged == Judged::Takes {
        Fused::Sure
    } else {
        Fused::ForModel
    }
}
