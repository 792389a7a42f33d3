//! `plan`: what an upgrade would change.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use upstate::UpgradeRequest;
use upstate::upgrade::DowngradeRequest;
use upstate_state::{DowngradeGoals, Goal, StateFile, UpgradeOptions};

use super::documents::{DocumentOptions, Work};
use super::downgrade::Back;
use crate::format::Format;
use crate::outcome::Outcome;
use crate::program::Program;
use crate::report::{About, Reporter, Written};
use crate::select::Selection;
use crate::{progress, source, terminal};

/// Show what an upgrade of a state file, or a downgrade, would change, without writing anything
///
/// Sensitive values are not shown, nor are values that no schema defines.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  \
    {program} plan terraform.tfstate\n  \
    {program} plan terraform.tfstate --diff               what changes in each instance\n  \
    {program} plan terraform.tfstate --only 'module.eu' --only 'aws_*'\n  \
    terraform state pull | {program} plan - --format json\n  \
    {program} plan terraform.tfstate --to-release 1.4.0   what a downgrade would change\n  \
    {program} plan terraform.tfstate --detailed-exitcode  exits with 2 if there is something to do\n  \
    {program} plan settings.toml                          a document that carries its type and version")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Plan {
    /// The state file, or a document; - reads a state file from standard input
    #[arg(value_name = "STATE")]
    pub(crate) state: PathBuf,
    #[command(flatten)]
    pub(crate) documents: DocumentOptions,
    #[command(flatten)]
    pub(crate) back: Back,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Plan for `upgrade --partial`: skip instances that cannot be upgraded
    #[arg(long)]
    pub(crate) partial: bool,
    /// Show what changes in the instances, attribute by attribute, and not only a line a type
    #[arg(long)]
    pub(crate) diff: bool,
    /// With every instance, not only the first ten of each type and version; implies --diff
    #[arg(long)]
    pub(crate) all: bool,
    /// With values whole, not cut where they are long; implies --diff
    #[arg(long)]
    pub(crate) full: bool,
    /// Exit with 0 if nothing needs an upgrade, 2 if something does, 4 if the upgrade also loses
    /// stored values without a declared reason
    #[arg(long)]
    pub(crate) detailed_exitcode: bool,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

impl Plan {
    pub(crate) fn run(&self, program: &Program) -> Outcome {
        let are_documents = self.documents.are_meant(&self.state);
        if are_documents && (self.partial || !self.selection.is_empty()) {
            terminal::fail(
                "documents are planned whole: --partial, --only and --exclude are for state files",
            );
            return Outcome::Usage;
        }
        // Because --allow-loss is for an upgrade of documents, too.
        let goals = if are_documents && self.back.is_nowhere() {
            None
        } else {
            match self.back.goals(program) {
                Ok(goals) => goals,
                Err(outcome) => return outcome,
            }
        };
        if !are_documents {
            return self.run_to(program, goals.as_ref());
        }
        let work = Work {
            writes: false,
            // Because goals are strict themselves.
            strict: self.back.strict && goals.is_none(),
            allows_loss: self.back.allow_loss && goals.is_none(),
            detailed_exitcode: self.detailed_exitcode,
            format: self.format,
            back: goals.as_ref(),
        };
        self.documents.run(program, &self.state, work)
    }

    /// The plan of an upgrade, or of a downgrade to these versions.
    pub(super) fn run_to(&self, program: &Program, goals: Option<&DowngradeGoals>) -> Outcome {
        let planned = source::read(&self.state).and_then(|bytes| {
            let state = source::parse(&self.state, &bytes)?;
            self.show(program, &state, &bytes, goals)
        });
        planned.unwrap_or_else(|outcome| outcome)
    }

    fn show(
        &self,
        program: &Program,
        state: &StateFile<'_>,
        bytes: &[u8],
        goals: Option<&DowngradeGoals>,
    ) -> Result<Outcome, Outcome> {
        let patterns = self.selection.patterns(state)?;
        let pick = |address: &upstate_state::Address<'_>| patterns.pick(address);
        let upgrade = |request: &UpgradeRequest<'_>| match goals {
            Some(goals) => program.downgrade(goals, request),
            None => program.upgrade(request),
        };
        let goal = |type_name: &str| goals.map_or(Goal::Stay, |goals| goals.of(type_name));
        let identity = |request: &DowngradeRequest<'_>| program.downgrade_identity(request);
        let strict = self.back.strict && goals.is_none();
        let mut options = UpgradeOptions::new()
            .only(&pick)
            .partial(self.partial)
            .strict(strict)
            .changes(true)
            .upgraded_by(&upgrade);
        if let Some(goals) = goals {
            options = options.back_to(&goal).identities_back_to(goals, &identity);
        }
        let instances = state.instances().len();
        let about = About {
            command: "plan",
            state: &self.state,
            bytes,
            serial: state.serial(),
            instances,
            all: self.all,
            diff: self.diff || self.all || self.full,
            full: self.full,
            partial: self.partial,
            back: goals,
            lock: program.lock(),
        };
        let mut reporter = Reporter::new(about, program.registry(), self.format, false);
        let bar = progress::bar(instances, "planning");
        let totals = state.upgrade_to(
            program.registry(),
            &options,
            &mut std::io::sink(),
            |upgrade| {
                bar.inc(1);
                reporter.instance(&upgrade);
                Ok(())
            },
        );
        bar.finish_and_clear();
        let totals = totals.map_err(|error| {
            terminal::fail(&format!("{}: {error}", source::name(&self.state)));
            Outcome::Unreadable
        })?;
        let outcome = match (totals.failed(), totals.upgraded()) {
            (1.., _) => Outcome::Refused,
            (0, 1..) if self.detailed_exitcode && reporter.loses() => Outcome::Losses,
            (0, 1..) if self.detailed_exitcode => Outcome::Changes,
            _ => Outcome::Done,
        };
        program.say_what_it_lacks();
        Ok(reporter.finish(&totals, &Written::Planned, outcome))
    }
}
