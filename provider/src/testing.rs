//! Tests of a provider (feature `testing`): in a `#[test]` without Terraform, and with a real one.
//!
//! | | needs | takes |
//! |---|---|---|
//! | one function: [`context`], [`config`], [`creation`], [`change`] make its arguments, [`run`] awaits it | nothing | microseconds |
//! | the life of a resource by Terraform's own rules: [`Core`] | nothing | milliseconds |
//! | an acceptance test: [`Acceptance`] | a Terraform, `TF_ACC=1` | seconds |
//!
//! # Acceptance tests
//!
//! A real Terraform and your provider, configuration after configuration. The provider serves from inside the test; nothing is installed, and the network is not used. Each test has a folder of its own, so
//! tests run side by side.
//!
//! ```no_run
//! use upstate_provider::testing::{Acceptance, PlannedAction, Step, Terraform};
//! # use upstate_provider::Provider;
//! # #[derive(upstate::Object)]
//! # struct Config {}
//! # fn provider() -> Provider<()> { Provider::new("example.com/me/example", async |_: Config| Ok(())) }
//!
//! // Does nothing unless the environment has `TF_ACC=1`: `cargo test` alone makes nothing real.
//! Acceptance::of(&Terraform::find(), provider)
//!     .step(
//!         Step::apply("resource \"example_boat\" \"it\" {\n  name = \"Ada\"\n}\n")
//!             .plans("example_boat.it", PlannedAction::Create)
//!             .has("example_boat.it", "name", "Ada")
//!             .has_some("example_boat.it", "id"),
//!     )
//!     .step(Step::import("example_boat.it", "boat-1"))
//!     .step(Step::apply("resource \"example_boat\" \"it\" {\n  name = \"Bea\"\n}\n").plans("example_boat.it", PlannedAction::Update))
//!     .step(Step::refused("resource \"example_boat\" \"it\" {\n  name = \"\"\n}\n", "Invalid Name"))
//!     .run();
//! ```

mod check;
mod core;
#[cfg(test)]
mod core_tests;
#[cfg(test)]
mod plan_tests;
mod proposed;
mod rules;
mod unit;
mod values;
mod workspace;

use std::fmt;
use std::io::{self, Write as _};

use serde_json::Value;
use upstate::{Diagnostic, Diagnostics, Severity};

use self::check::Check;
use self::workspace::Workspace;
use crate::provider::Provider;
use crate::serve::Reattached;

pub use self::check::PlannedAction;
pub use self::core::{Applied, Core, Instance, Opened, Plan, Refusal};
pub use self::unit::{
    Listed, Messages, Stopper, change, config, configured, context, creation, deletion, list, progress, run, saved, stoppable,
};
pub use self::values::Values;
pub use self::workspace::Terraform;

/// The environment variable that lets acceptance tests run, as for those of Go providers.
const GATE: &str = "TF_ACC";

/// Starts a provider inside this process.
type Serve = Box<dyn Fn() -> io::Result<Reattached>>;

/// An acceptance test: steps that are taken one after the other, and everything destroyed at the end.
pub struct Acceptance {
    terraform: Terraform,
    address: String,
    serve: Serve,
    state: Option<String>,
    steps: Vec<Step>,
    always: bool,
}

/// One step of a test.
pub struct Step {
    kind: Kind,
    plans: Vec<(String, PlannedAction)>,
    checks: Vec<Check>,
    warnings: Vec<String>,
    changes_remain: bool,
    serve: Option<Serve>,
}

enum Kind {
    Apply { config: String },
    Refused { config: String, text: String },
    Import { address: String, id: String, ignored: Vec<String> },
    Destroy,
}

/// The reason why a test failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

/// Fails the test.
#[track_caller]
#[expect(clippy::panic, reason = "it fails a test")]
fn fail(message: &str) -> ! {
    panic!("{message}");
}

/// Diagnostics as a test shows them: a line for each.
fn shown(diagnostics: &Diagnostics) -> String {
    let line = |diagnostic: &Diagnostic| {
        let (summary, detail) = (diagnostic.summary(), diagnostic.detail());
        let kind = match diagnostic.severity() {
            Severity::Error => "",
            Severity::Warning => "warning: ",
        };
        format!("{kind}{summary}: {detail}")
    };
    diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn serving<C: Clone + Send + Sync + 'static>(provider: impl Fn() -> Provider<C> + 'static) -> Serve {
    Box::new(move || provider().reattached(6))
}

impl Acceptance {
    /// A test of a provider. Each step makes a new one.
    pub fn of<C: Clone + Send + Sync + 'static>(terraform: &Terraform, provider: impl Fn() -> Provider<C> + 'static) -> Self {
        let address = provider().address().to_owned();
        Self { terraform: terraform.clone(), address, serve: serving(provider), state: None, steps: Vec::new(), always: false }
    }

    /// Begins with a state file that an earlier release wrote.
    #[must_use]
    pub fn from_state(self, state_file: impl Into<String>) -> Self {
        Self { state: Some(state_file.into()), ..self }
    }

    /// Adds a step.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Runs the test whether or not `TF_ACC` is set: for a provider that makes nothing real.
    #[must_use]
    pub fn always(self) -> Self {
        Self { always: true, ..self }
    }

    /// Takes all steps, and destroys what is there then. Without the environment variable `TF_ACC`, nothing is done, and the test passes:
    /// who runs the tests of a provider need not want real things to be made with their credentials.
    ///
    /// # Panics
    ///
    /// A step fails; the message says which, and what Terraform printed.
    #[track_caller]
    pub fn run(self) {
        if let Err(failure) = self.try_run() {
            fail(&failure.to_string());
        }
    }

    /// Runs the test and answers with the failure, for a test that looks at it.
    ///
    /// # Errors
    /// A step fails.
    pub fn try_run(self) -> Result<(), Failure> {
        if !self.always && std::env::var_os(GATE).is_none_or(|value| value.is_empty()) {
            let _ = writeln!(io::stderr(), "skipped: the acceptance test of {} runs with {GATE}=1", self.address);
            return Ok(());
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let workspace = Workspace::new(&self.terraform, &self.address)?;
        if let Some(state) = &self.state {
            workspace.write("terraform.tfstate", state)?;
        }
        let start = |serve: &Serve| {
            let _inside = runtime.enter();
            serve()
        };
        let mut last = Ok(());
        for (number, step) in (1..).zip(&self.steps) {
            let server = start(step.serve.as_ref().unwrap_or(&self.serve))?;
            last = step.take(&workspace, server.reattach()).map_err(|failure| Failure(format!("step {number}: {failure}")));
            if last.is_err() {
                break;
            }
        }
        // Also after a failure: what was made is not left behind.
        let server = start(&self.serve)?;
        let destroyed = workspace
            .run(server.reattach(), &["destroy", "-no-color", "-input=false", "-auto-approve"])
            .and_then(workspace::Ran::succeeded);
        last.and(destroyed.map(drop).map_err(|failure| Failure(format!("at the end: {failure}"))))
    }
}

impl Step {
    fn new(kind: Kind) -> Self {
        Self { kind, plans: Vec::new(), checks: Vec::new(), warnings: Vec::new(), changes_remain: false, serve: None }
    }

    /// Applies a configuration. A plan made right after it has to be empty.
    pub fn apply(config: impl Into<String>) -> Self {
        Self::new(Kind::Apply { config: config.into() })
    }

    /// Plans a configuration that is refused with an error which holds this text, whatever lines Terraform breaks it into.
    pub fn refused(config: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Kind::Refused { config: config.into(), text: text.into() })
    }

    /// Imports a resource of the last configuration by its id into an empty state, where it has to have the attributes that it has in the
    /// state of the test.
    pub fn import(address: impl Into<String>, id: impl Into<String>) -> Self {
        Self::new(Kind::Import { address: address.into(), id: id.into(), ignored: Vec::new() })
    }

    /// Destroys everything.
    pub fn destroy() -> Self {
        Self::new(Kind::Destroy)
    }

    /// Uses another provider of the same address in this step: an earlier release, or one that behaves differently.
    #[must_use]
    pub fn with<C: Clone + Send + Sync + 'static>(self, provider: impl Fn() -> Provider<C> + 'static) -> Self {
        Self { serve: Some(serving(provider)), ..self }
    }

    /// Expects that the plan does this with a resource.
    #[must_use]
    pub fn plans(mut self, address: impl Into<String>, action: PlannedAction) -> Self {
        self.plans.push((address.into(), action));
        self
    }

    /// Expects that an attribute has this value after the step. Names and indexes lead to it, with dots between them: `rules.0.name`.
    #[must_use]
    pub fn has(mut self, address: impl Into<String>, attribute: impl Into<String>, value: impl Into<Value>) -> Self {
        self.checks.push(Check::Equals { address: address.into(), attribute: attribute.into(), value: value.into() });
        self
    }

    /// Expects that an attribute is set after the step.
    #[must_use]
    pub fn has_some(mut self, address: impl Into<String>, attribute: impl Into<String>) -> Self {
        self.checks.push(Check::Set { address: address.into(), attribute: attribute.into() });
        self
    }

    /// Expects that a resource is not in the state after the step.
    #[must_use]
    pub fn lacks(mut self, address: impl Into<String>) -> Self {
        self.checks.push(Check::Absent { address: address.into() });
        self
    }

    /// Expects that an output has this value after the step.
    #[must_use]
    pub fn outputs(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.checks.push(Check::Output { name: name.into(), value: value.into() });
        self
    }

    /// Expects that this holds after the step. It gets the state as `terraform show -json` has it.
    #[must_use]
    pub fn holds(mut self, check: impl Fn(&Value) -> Result<(), String> + 'static) -> Self {
        self.checks.push(Check::Function(Box::new(check)));
        self
    }

    /// Expects that the plan warns with this text, whatever lines Terraform breaks it into.
    #[must_use]
    pub fn warns(mut self, text: impl Into<String>) -> Self {
        self.warnings.push(text.into());
        self
    }

    /// Expects that another plan after the step is not empty.
    #[must_use]
    pub fn changes_remain(self) -> Self {
        Self { changes_remain: true, ..self }
    }

    /// Lets these attributes differ after the import: those that cannot be read back.
    #[must_use]
    pub fn ignoring<A: Into<String>>(mut self, attributes: impl IntoIterator<Item = A>) -> Self {
        if let Kind::Import { ignored, .. } = &mut self.kind {
            ignored.extend(attributes.into_iter().map(Into::into));
        }
        self
    }

    fn take(&self, workspace: &Workspace, reattach: &str) -> Result<(), Failure> {
        match &self.kind {
            Kind::Apply { config } => {
                workspace.write("main.tf", config)?;
                let (printed, plan) = workspace.planned(reattach)?;
                self.warnings.iter().try_for_each(|text| printed.warned(text))?;
                for (address, action) in &self.plans {
                    action.check(&plan, address)?;
                }
                workspace.run(reattach, &["apply", "-no-color", "-input=false", "plan.bin"])?.succeeded()?;
                let (_, after) = workspace.planned(reattach)?;
                match (check::changed(&after), self.changes_remain) {
                    (changed, false) if !changed.is_empty() => {
                        let changed = changed.join(", ");
                        return Err(Failure(format!(
                            "a plan right after the apply is not empty: it changes {changed}. If that is meant, say `changes_remain()`"
                        )));
                    }
                    (changed, true) if changed.is_empty() => {
                        return Err(Failure::new(
                            "a plan right after the apply is empty, and `changes_remain()` says that it is not",
                        ));
                    }
                    _ => {}
                }
            }
            Kind::Refused { config, text } => {
                let before = workspace.read("main.tf").ok();
                workspace.write("main.tf", config)?;
                let planned = workspace.run(reattach, &["plan", "-no-color", "-input=false"]);
                // The next step, and the end, begin with what was there before.
                workspace.write("main.tf", &before.unwrap_or_default())?;
                let planned = planned?;
                planned.failed_with(text)?;
                self.warnings.iter().try_for_each(|text| planned.warned(text))?;
            }
            Kind::Import { address, id, ignored } => {
                let before = workspace.state(reattach)?;
                let beside = workspace.beside()?;
                beside.run(reattach, &["import", "-no-color", "-input=false", address, id])?.succeeded()?;
                check::same(address, &before, &beside.state(reattach)?, ignored)?;
            }
            Kind::Destroy => {
                workspace.run(reattach, &["destroy", "-no-color", "-input=false", "-auto-approve"])?.succeeded()?;
            }
        }
        let state = workspace.state(reattach)?;
        self.checks.iter().try_for_each(|check| check.look(&state))
    }
}

impl fmt::Debug for Acceptance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acceptance").field("address", &self.address).field("steps", &self.steps.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Apply { .. } => "apply",
            Kind::Refused { .. } => "refused",
            Kind::Import { .. } => "import",
            Kind::Destroy => "destroy",
        };
        f.debug_struct("Step").field("kind", &kind).field("checks", &self.checks.len()).finish_non_exhaustive()
    }
}
