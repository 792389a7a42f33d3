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
//! A real Terraform and your provider, configuration after configuration. The provider serves from
//! inside the test; nothing is installed, and the network is not used. Each test has a folder of
//! its own, so tests run side by side.
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
mod config;
mod core;
#[cfg(test)]
mod core_tests;
mod echo;
mod known;
#[cfg(test)]
mod plan_tests;
mod rules;
mod step;
mod sweepers;
mod unit;
mod values;
mod workspace;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write as _};
use std::path::PathBuf;

use semver::{Version, VersionReq};
use serde_json::Value;
use upstate::{Diagnostic, Diagnostics, Severity};

use self::workspace::Workspace;
use crate::provider::Provider;
use crate::serve::Reattached;

pub use self::check::PlannedAction;
pub use self::config::Config;
pub use self::core::{Applied, Core, Instance, Opened, Plan, Refusal};
pub use self::known::{Comparison, Known};
pub use self::step::Step;
pub use self::sweepers::Sweepers;
pub use self::unit::{
    Listed, Messages, Stopper, change, config, configured, context, creation, deletion, list,
    progress, run, saved, stoppable,
};
pub use self::values::Values;
pub use self::workspace::Terraform;

/// The environment variable that lets acceptance tests run, as for those of Go providers.
const GATE: &str = "TF_ACC";

/// Starts a provider inside this process.
type Serve = Box<dyn Fn() -> io::Result<Reattached>>;

/// An acceptance test: steps that are taken one after the other, and everything destroyed at the
/// end.
#[doc = include_str!("../docs/acceptance.md")]
pub struct Acceptance {
    terraform: Terraform,
    address: String,
    serve: Serve,
    state: Option<String>,
    steps: Vec<Step>,
    always: bool,
    versions: Option<Versions>,
    destroyed: Option<Look>,
    external: BTreeMap<String, PathBuf>,
    echoes: bool,
}

/// The versions of Terraform that a test runs with.
#[derive(Debug)]
enum Versions {
    From(Version),
    In(VersionReq),
}

impl Versions {
    fn read(text: &str) -> Result<Self, semver::Error> {
        Version::parse(text)
            .map(Self::From)
            .or_else(|_| VersionReq::parse(text).map(Self::In))
    }

    fn have(&self, found: &Version) -> bool {
        match self {
            Self::From(least) => found >= least,
            // A range has no versions before a release, because it cannot name them.
            Self::In(range) => range.matches(&Version::new(found.major, found.minor, found.patch)),
        }
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From(least) => write!(f, "{least} or later"),
            Self::In(range) => write!(f, "{range}"),
        }
    }
}

/// Looks at a state as JSON.
type Look = Box<dyn Fn(&Value) -> Result<(), String>>;

/// The reason why a test failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

#[cfg(test)]
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

/// The providers that Terraform does not start, in one value of its environment variable.
fn reattach(own: Option<&str>, echoing: Option<&str>) -> Result<String, Failure> {
    let mut all = serde_json::Map::new();
    for one in own.into_iter().chain(echoing) {
        let one: serde_json::Map<String, Value> =
            serde_json::from_str(one).map_err(|error| Failure(error.to_string()))?;
        all.extend(one);
    }
    Ok(if all.is_empty() {
        String::new()
    } else {
        Value::Object(all).to_string()
    })
}

fn serving<C: Clone + Send + Sync + 'static>(
    provider: impl Fn() -> Provider<C> + 'static,
) -> Serve {
    Box::new(move || provider().reattached(6))
}

impl Acceptance {
    /// A test of a provider. Each step makes a new one.
    pub fn of<C: Clone + Send + Sync + 'static>(
        terraform: &Terraform,
        provider: impl Fn() -> Provider<C> + 'static,
    ) -> Self {
        let address = provider().address().to_owned();
        Self {
            terraform: terraform.clone(),
            address,
            serve: serving(provider),
            state: None,
            steps: Vec::new(),
            always: false,
            versions: None,
            destroyed: None,
            external: BTreeMap::new(),
            echoes: false,
        }
    }

    /// Begins with a state file that an earlier release wrote.
    #[must_use]
    pub fn from_state(mut self, state_file: impl Into<String>) -> Self {
        self.state = Some(state_file.into());
        self
    }

    /// Adds a step.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Runs the test whether or not `TF_ACC` is set: for a provider that makes nothing real.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.always = true;
        self
    }

    /// Runs the test only with this version of Terraform or a later one, `1.8.0`, or only with
    /// some, `>=1.8, <1.11`.
    ///
    /// # Panics
    /// `versions` is neither.
    #[must_use]
    #[track_caller]
    pub fn needs(self, versions: &str) -> Self {
        match Versions::read(versions) {
            Ok(versions) => Self {
                versions: Some(versions),
                ..self
            },
            Err(error) => fail(&format!(
                "{versions:?} is neither a version of Terraform nor a range of them: {error}"
            )),
        }
    }

    /// Lets configurations use a provider that is a program, by its address:
    /// `"registry.terraform.io/hashicorp/random"`, and the folder of its program,
    /// `terraform-provider-random`, which `terraform providers mirror` fetches. Nothing is
    /// installed, and the network is not used. A program with the address of the provider itself,
    /// such as an earlier release of it, is used in steps that are [`released`](Step::released).
    #[must_use]
    pub fn external(mut self, address: impl Into<String>, folder: impl Into<PathBuf>) -> Self {
        self.external.insert(address.into(), folder.into());
        self
    }

    /// Lets configurations use a provider `echo`, whose resource `echo` stores what the provider
    /// got when the resource was made: so that a test sees what an ephemeral resource answers.
    ///
    /// ```no_run
    /// # use upstate::Object;
    /// # use upstate_provider::Provider;
    /// # #[derive(Object)]
    /// # struct Config {}
    /// # fn provider() -> Provider<()> { Provider::new("example.com/me/example", async |_: Config| Ok(())) }
    /// use upstate_provider::testing::{Acceptance, Known, Step, Terraform};
    ///
    /// let config = "ephemeral \"example_pass\" \"it\" {}\n\n\
    ///     provider \"echo\" {\n  data = ephemeral.example_pass.it\n}\n\nresource \"echo\" \"it\" {}\n";
    /// Acceptance::of(&Terraform::find(), provider)
    ///     .echoing()
    ///     .step(Step::apply(config).has("echo.it", "data.number", Known::matching("^[0-9]{32}$")))
    ///     .run();
    /// ```
    #[must_use]
    pub fn echoing(mut self) -> Self {
        self.echoes = true;
        self
    }

    /// Runs a function after everything was destroyed: it looks whether all is gone. It gets the
    /// state from before, as `terraform show -json` has it.
    #[must_use]
    pub fn destroyed(mut self, check: impl Fn(&Value) -> Result<(), String> + 'static) -> Self {
        self.destroyed = Some(Box::new(check));
        self
    }

    /// Takes all steps, and destroys what is there then. Without the environment variable `TF_ACC`,
    /// nothing is done, and the test passes: who runs the tests of a provider need not want real
    /// things to be made with their credentials.
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
            let _ = writeln!(
                io::stderr(),
                "skipped: the acceptance test of {} runs with {GATE}=1",
                self.address
            );
            return Ok(());
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let echo = self.echoes.then_some(echo::ADDRESS);
        let addresses: Vec<String> = [&*self.address]
            .into_iter()
            .chain(echo)
            .map(str::to_owned)
            .collect();
        let workspace = Workspace::new(&self.terraform, &addresses, &self.external)?;
        if let Some(versions) = &self.versions
            && let found = workspace.version()?
            && !versions.have(&found)
        {
            let _ = writeln!(
                io::stderr(),
                "skipped: the acceptance test of {} needs Terraform {versions}, and this is {found}",
                self.address
            );
            return Ok(());
        }
        if let Some(state) = &self.state {
            workspace.write("terraform.tfstate", state)?;
        }
        let start = |serve: &Serve| {
            let _inside = runtime.enter();
            serve()
        };
        let echo = self
            .echoes
            .then(|| start(&serving(echo::provider)))
            .transpose()?;
        let echoing = echo.as_ref().map(Reattached::reattach);
        let mut last = Ok(());
        for (number, step) in (1..).zip(&self.steps) {
            let server = start(step.serve.as_ref().unwrap_or(&self.serve))?;
            let own = Some(server.reattach()).filter(|_| !step.released);
            last = step
                .take(&workspace, &reattach(own, echoing)?)
                .map_err(|failure| Failure(format!("step {number}: {failure}")));
            if last.is_err() {
                break;
            }
        }
        // Also after a failure: what was made is not left behind.
        let server = start(&self.serve)?;
        let reattach = reattach(Some(server.reattach()), echoing)?;
        let left = workspace.state(&reattach);
        let destroyed = workspace
            .run(
                &reattach,
                &["destroy", "-no-color", "-input=false", "-auto-approve"],
            )
            .and_then(workspace::Ran::succeeded);
        let gone = destroyed.and_then(|_| match &self.destroyed {
            Some(check) => check(&left?).map_err(Failure),
            None => Ok(()),
        });
        last.and(gone.map_err(|failure| Failure(format!("at the end: {failure}"))))
    }
}

impl fmt::Debug for Acceptance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acceptance")
            .field("address", &self.address)
            .field("steps", &self.steps.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_runs_from_a_version_on_or_with_a_range() {
        let runs = |versions: &str, found: &str| {
            Versions::read(versions)
                .unwrap()
                .have(&found.parse().unwrap())
        };
        assert!(
            runs("1.8.0", "1.8.0")
                && runs("1.8.0", "2.0.0")
                && !runs("1.8.0", "1.7.9")
                && !runs("1.8.0", "1.8.0-rc1")
        );
        assert!(
            runs(">=1.8, <1.11", "1.10.5")
                && !runs(">=1.8, <1.11", "1.11.0")
                && !runs(">=1.8, <1.11", "1.7.9")
        );
        assert!(runs(">=1.8", "1.16.0-alpha20260101"));
        assert!(Versions::read("new").is_err());
    }
}
