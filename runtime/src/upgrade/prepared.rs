//! One way up, looked up once for many states.

use std::ops::ControlFlow;

use super::called::Called;
use super::context::{Clients, Notes, UpgradeContext};
use super::definition::ResourceDefinition;
use super::engine;
use super::history::{History, UpgraderKind};
use super::job::Job;
use super::operators::{Fused, Pass, fuse, fuse_laid_out};
use super::panics::guarded;
use super::request::{DroppedValue, More, UpgradeRequest};
use crate::codec::json::Layout;
use crate::codec::{Encoding, Written};
use crate::diagnostics::Diagnostics;
use crate::path::AttributePath;

/// A resource type and the version that many of its states are stored with, ready to upgrade one
/// after the other.
///
/// What depends on the two alone is found once: the definition, the route, and the plan of
/// upgraders written with operators. [`Registry::prepare`](crate::Registry::prepare) makes one.
#[derive(Clone, Copy)]
pub struct PreparedUpgrade<'r> {
    definition: &'r ResourceDefinition,
    clients: &'r Clients,
    version: u64,
    /// If the route is written with operators alone, and the state does not decide about it.
    plan: Option<PreparedPlan<'r>>,
}

#[derive(Clone, Copy)]
struct PreparedPlan<'r> {
    passes: &'r [Pass],
    /// True if the route calls a function of an author's, which may panic.
    guarded: bool,
}

impl<'r> PreparedUpgrade<'r> {
    pub(crate) fn new(
        definition: &'r ResourceDefinition,
        clients: &'r Clients,
        version: u64,
    ) -> Self {
        let passes = definition
            .fast_routes()
            .and_then(|routes| routes.taken_from(version));
        let plan = passes.map(|passes| PreparedPlan {
            passes,
            guarded: !passes.iter().all(Pass::is_ours_alone),
        });
        Self {
            definition,
            clients,
            version,
            plan,
        }
    }

    /// The definition of the resource type.
    pub fn definition(&self) -> &'r ResourceDefinition {
        self.definition
    }

    /// The schema version that states are stored with.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// True if the route is written with operators alone, and no state decides about it. Such a
    /// route never awaits.
    pub fn is_by_operators(&self) -> bool {
        self.plan.is_some()
    }

    /// True if an upgrade that succeeds has read all of the state, so that it was JSON.
    #[doc(hidden)]
    pub fn reads_all(&self) -> bool {
        self.plan.is_some()
            || self
                .definition
                .history()
                .is_some_and(|history| reads_all(history, self.version))
    }

    /// Brings one state to the current version and appends it to `out`, in this encoding. The
    /// answer is that of [`Registry::upgrade`](crate::Registry::upgrade) to the same state, with
    /// the same promises.
    ///
    /// # Errors
    /// The diagnostics, if the upgrade failed; warnings are among them. Then `out` is as it was.
    ///
    /// ```
    /// use upstate::codec::Encoding;
    /// use upstate::{Registry, Resource};
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 1)]
    /// #[upgrade_from(0 => 1, rename(name => title))]
    /// struct Note { title: String }
    ///
    /// let registry = Registry::new().with::<Note>();
    /// let upgrade = registry.prepare("example_note", 0).unwrap();
    /// let mut out = Vec::new();
    /// for state in [r#"{"name":"x"}"#, r#"{"name":"y"}"#] {
    ///     upgrade.upgrade_into(state, Encoding::Json, &mut out)?;
    ///     out.push(b'\n');
    /// }
    /// assert_eq!(out, b"{\"title\":\"x\"}\n{\"title\":\"y\"}\n");
    /// # Ok::<(), upstate::Diagnostics>(())
    /// ```
    pub fn upgrade_into(
        &self,
        json: &str,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> Result<UpgradeNotes, Diagnostics> {
        let request =
            UpgradeRequest::json(self.definition.type_name(), self.version, json.as_bytes())
                .with_encoding(encoding);
        let run = |passes: &[Pass], context: &mut UpgradeContext<'_>, out: &mut Vec<u8>| {
            fuse(passes, json, context, encoding, out)
        };
        match self.by_plan(&request, out, run) {
            ControlFlow::Break(answer) => answer,
            ControlFlow::Continue(called) => {
                self.by_engine(&request, called, Written::In(encoding), out)
            }
        }
    }

    /// Upgrades JSON that is laid out over lines, and appends it in the same layout.
    ///
    /// # Errors
    /// The diagnostics, if the upgrade failed. Then `out` is as it was.
    #[doc(hidden)]
    pub fn upgrade_laid_out(
        &self,
        json: &str,
        layout: Layout<'_>,
        out: &mut Vec<u8>,
    ) -> Result<UpgradeNotes, Diagnostics> {
        let request =
            UpgradeRequest::json(self.definition.type_name(), self.version, json.as_bytes());
        let run = |passes: &[Pass], context: &mut UpgradeContext<'_>, out: &mut Vec<u8>| {
            fuse_laid_out(passes, json, layout, context, out)
        };
        match self.by_plan(&request, out, run) {
            ControlFlow::Break(answer) => answer,
            ControlFlow::Continue(called) => {
                self.by_engine(&request, called, Written::LaidOut(layout), out)
            }
        }
    }

    /// Straight over the bytes, if there is such a way for this state. If not, the functions that
    /// were called for it.
    #[inline]
    fn by_plan(
        &self,
        request: &UpgradeRequest<'_>,
        out: &mut Vec<u8>,
        run: impl FnOnce(&[Pass], &mut UpgradeContext<'_>, &mut Vec<u8>) -> Option<Fused>,
    ) -> ControlFlow<Result<UpgradeNotes, Diagnostics>, Option<Box<Called>>> {
        let Some(plan) = self.plan else {
            return ControlFlow::Continue(None);
        };
        let start = out.len();
        let job = Job::new(self.definition, request, self.clients);
        let mut context = job.context();
        let outcome = if plan.guarded {
            match guarded(|| run(plan.passes, &mut context, out)) {
                Ok(outcome) => outcome,
                Err(payload) => {
                    out.truncate(start);
                    let refused = job.answer(Err(payload), context, Vec::new()).into_result();
                    return ControlFlow::Break(Err(refused.err().unwrap_or_default()));
                }
            }
        } else {
            run(plan.passes, &mut context, out)
        };
        if outcome != Some(Fused::Sure) {
            out.truncate(start);
            return ControlFlow::Continue(context.take_called());
        }
        if self.definition.writes_only() {
            context.note_unwritten(self.definition.unwritten(self.version, job.scope.raw()));
        }
        ControlFlow::Break(Ok(UpgradeNotes(match context.into_boxed_notes() {
            None => None,
            Some(notes) => job
                .answer_with(Ok(Ok(())), Some(notes), Vec::new())
                .into_more(),
        })))
    }

    #[inline(never)]
    fn by_engine(
        &self,
        request: &UpgradeRequest<'_>,
        called: Option<Box<Called>>,
        written: Written<'_>,
        out: &mut Vec<u8>,
    ) -> Result<UpgradeNotes, Diagnostics> {
        engine::run_into(self.definition, request, self.clients, called, written, out)
            .map(UpgradeNotes)
    }
}

__debug_parts! {
    PreparedUpgrade<'_> |self| {
        definition: self.definition,
        version: self.version,
    }
}

/// True if state stored at `version` is read whole, by a model or by operators, on its way to the
/// model with this history.
fn reads_all(history: &History, version: u64) -> bool {
    if version == history.version() {
        return true;
    }
    let Some(step) = history
        .route(version)
        .and_then(|index| history.steps().get(index))
    else {
        return false;
    };
    match step.written_as() {
        UpgraderKind::Conversion
        | UpgraderKind::Function
        | UpgraderKind::Operators(_)
        | UpgraderKind::Unchanged => {
            // An upgrader with a condition does not count, because only the state says which of
            // several shapes it has.
            step.condition().is_none()
                && step
                    .prior()
                    .is_none_or(|prior| reads_all(prior, step.model_version(version)))
        }
        // Only the author knows the members that a function over the stored state reads.
        UpgraderKind::Raw | UpgraderKind::Unsupported | UpgraderKind::NeverReleased => false,
    }
}

/// The report of an upgrade that succeeded. Most report nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpgradeNotes(Option<Box<More>>);

impl UpgradeNotes {
    /// True if there is nothing to report.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Warnings.
    pub fn warnings(&self) -> &Diagnostics {
        static NONE: Diagnostics = Diagnostics::new();
        self.0.as_ref().map_or(&NONE, |more| &more.diagnostics)
    }

    /// Paths of stored attributes that the schema of the stored version does not define, as
    /// [`UpgradeResponse::undefined`](crate::UpgradeResponse::undefined) has them.
    pub fn undefined(&self) -> &[AttributePath] {
        self.0.as_ref().map_or(&[], |more| more.undefined.shown())
    }

    /// The number of those, also of what is not named.
    pub fn undefined_count(&self) -> usize {
        self.0.as_ref().map_or(0, |more| more.undefined.count())
    }

    /// The number of stored values that are kept only in part, as
    /// [`UpgradeResponse::loss_count`](crate::UpgradeResponse::loss_count) has it.
    pub fn loss_count(&self) -> usize {
        self.0.as_ref().map_or(0, |more| more.losses.count())
    }

    pub(crate) fn of(notes: Notes) -> Self {
        let Notes {
            warnings: diagnostics,
            undefined,
            losses,
            dropped,
            ..
        } = notes;
        let more = More {
            diagnostics,
            undefined,
            losses,
            dropped,
            ..More::default()
        };
        Self((more != More::default()).then(|| Box::new(more)))
    }

    /// Stored values that a `drop` operator removed, with the reason given there.
    pub fn dropped(&self) -> &[DroppedValue] {
        self.0.as_ref().map_or(&[], |more| &more.dropped)
    }
}
