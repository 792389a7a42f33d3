//! A folder that Terraform is run in, and nothing outside of it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex_lite::Regex;
use semver::Version;
use serde_json::Value;
use tempfile::TempDir;

use super::Failure;
use super::config::{Files, requires_providers};

/// The environment variable that says where Terraform is, as for tests of Go providers.
const VARIABLE: &str = "TF_ACC_TERRAFORM_PATH";

/// The file of the configuration's variables.
const VARIABLES: &str = "terraform.tfvars.json";

/// The file that says where providers are found, where the configuration does not.
const PROVIDERS: &str = "acceptance_providers.tf";

/// The file of the lists of a query.
const LISTS: &str = "acceptance.tfquery.hcl";

/// Providers that are programs, by their addresses, and the folders of these.
type External = BTreeMap<String, PathBuf>;

/// A Terraform program.
#[derive(Debug, Clone)]
pub struct Terraform {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Terraform {
    /// The one that `TF_ACC_TERRAFORM_PATH` names, the first of several, and otherwise the
    /// `terraform` of the `PATH`.
    pub fn find() -> Self {
        Self::each()
            .into_iter()
            .next()
            .unwrap_or_else(|| Self::program("terraform"))
    }

    /// All that `TF_ACC_TERRAFORM_PATH` names, separated as folders are in `PATH`, and otherwise
    /// the `terraform` of the `PATH`: for a test that runs with several releases.
    ///
    /// ```no_run
    /// # use upstate::Object;
    /// # use upstate_provider::Provider;
    /// # #[derive(Object)]
    /// # struct Config {}
    /// # fn provider() -> Provider<()> { Provider::new("example.com/me/example", async |_: Config| Ok(())) }
    /// use upstate_provider::testing::{Acceptance, Step, Terraform};
    ///
    /// for terraform in Terraform::each() {
    ///     Acceptance::of(&terraform, provider).step(Step::apply("…")).run();
    /// }
    /// ```
    pub fn each() -> Vec<Self> {
        Self::named(std::env::var_os(VARIABLE).as_deref())
    }

    fn named(variable: Option<&OsStr>) -> Vec<Self> {
        let paths = std::env::split_paths(variable.unwrap_or_default())
            .filter(|path| !path.as_os_str().is_empty());
        let named: Vec<Self> = paths.map(Self::program).collect();
        if named.is_empty() {
            vec![Self::program("terraform")]
        } else {
            named
        }
    }

    /// This program.
    pub fn program(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
        }
    }

    /// Gives the program this argument before all others.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }
}

/// A folder with a configuration and a state.
pub(super) struct Workspace {
    root: TempDir,
    terraform: Terraform,
    /// The addresses of the providers that run already.
    served: Vec<String>,
    external: External,
    config: RefCell<Files>,
}

/// The output of a command.
pub(super) struct Ran {
    what: String,
    success: bool,
    out: String,
    err: String,
}

impl Workspace {
    pub(super) fn new(
        terraform: &Terraform,
        served: &[String],
        external: &External,
    ) -> Result<Self, Failure> {
        let root = tempfile::tempdir()?;
        for folder in ["work", "home", "tmp"] {
            fs::create_dir(root.path().join(folder))?;
        }
        // No other provider is looked for anywhere: the one that is tested runs already.
        let mut overrides = String::new();
        for (address, folder) in external {
            // The program is looked for from the folder that Terraform runs in.
            let folder = folder
                .canonicalize()
                .map_err(|error| Failure(format!("{}: {error}", folder.display())))?;
            let folder = quoted(&folder.display().to_string());
            overrides.extend(["    ", &quoted(address), " = ", &folder, "\n"]);
        }
        let overrides = if overrides.is_empty() {
            overrides
        } else {
            format!("  dev_overrides {{\n{overrides}  }}\n")
        };
        fs::write(
            root.path().join("cli.tfrc"),
            format!("disable_checkpoint = true\nprovider_installation {{\n{overrides}}}\n"),
        )?;
        let (terraform, served, external) =
            (terraform.clone(), served.to_owned(), external.clone());
        let workspace = Self {
            root,
            terraform,
            served,
            external,
            config: RefCell::default(),
        };
        workspace.set_config(Files::new())?;
        Ok(workspace)
    }

    /// Another one with the same configuration and no state.
    pub(super) fn beside(&self) -> Result<Self, Failure> {
        let beside = Self::new(&self.terraform, &self.served, &self.external)?;
        beside.set_config(self.config.borrow().clone())?;
        if let Ok(variables) = self.read(VARIABLES) {
            beside.write(VARIABLES, &variables)?;
        }
        Ok(beside)
    }

    /// Puts the files of a configuration in place of those that were there, which it returns.
    pub(super) fn set_config(&self, files: Files) -> Result<Files, Failure> {
        let before = self.config.replace(files);
        for path in before.keys() {
            fs::remove_file(self.path(path))?;
        }
        let files = self.config.borrow();
        for (path, bytes) in files.iter() {
            let path = self.path(path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, bytes)?;
        }
        let addresses = self.served.iter().chain(
            self.external
                .keys()
                .filter(|address| !self.served.contains(*address)),
        );
        let required = addresses.map(|address| {
            let name = address.rsplit('/').next().unwrap_or_default();
            format!("    {name} = {{ source = {} }}\n", quoted(address))
        });
        let required = format!(
            "terraform {{\n  required_providers {{\n{}  }}\n}}\n",
            required.collect::<String>()
        );
        self.write(
            PROVIDERS,
            if requires_providers(&files) {
                ""
            } else {
                &required
            },
        )?;
        if files.keys().any(|path| path.components().count() > 1) {
            self.run("", &["get", "-no-color"])?.succeeded()?;
        }
        drop(files);
        Ok(before)
    }

    /// Sets the variables of the configuration, in place of those that were set before.
    pub(super) fn set_variables(&self, variables: &BTreeMap<String, Value>) -> Result<(), Failure> {
        let text = serde_json::to_string(variables).map_err(|error| Failure(error.to_string()))?;
        self.write(VARIABLES, &text)
    }

    /// The version of Terraform.
    pub(super) fn version(&self) -> Result<Version, Failure> {
        let version = self.run("", &["version", "-json"])?.json()?;
        let text = version
            .get("terraform_version")
            .and_then(Value::as_str)
            .unwrap_or_default();
        Version::parse(text).map_err(|error| {
            Failure(format!(
                "Terraform says that its version is {text:?}: {error}"
            ))
        })
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        Ok(fs::write(self.path(name), text)?)
    }

    pub(super) fn read(&self, name: &str) -> Result<String, Failure> {
        Ok(fs::read_to_string(self.path(name))?)
    }

    pub(super) fn run(&self, reattach: &str, arguments: &[&str]) -> Result<Ran, Failure> {
        let Terraform {
            program,
            arguments: first,
        } = &self.terraform;
        let root: &Path = self.root.path();
        let mut command = Command::new(program);
        let redirecting = std::env::vars_os().filter(|(name, _)| redirects(name));
        for (name, _) in redirecting {
            command.env_remove(name);
        }
        let output = command
            .args(first)
            .args(arguments)
            .current_dir(root.join("work"))
            .stdin(Stdio::null())
            .env("HOME", root.join("home"))
            .env("TMPDIR", root.join("tmp"))
            .env("TF_CLI_CONFIG_FILE", root.join("cli.tfrc"))
            .env("TF_REATTACH_PROVIDERS", reattach)
            .envs([
                ("TF_IN_AUTOMATION", "1"),
                ("TF_INPUT", "0"),
                ("CHECKPOINT_DISABLE", "1"),
            ])
            .output();
        let output = output.map_err(|error| {
            let program = program.display();
            Failure(format!("{program} could not be run: {error}. Install Terraform, or say where it is in {VARIABLE}"))
        })?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Ran {
            what: format!("terraform {}", arguments.join(" ")),
            success: output.status.success(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        })
    }

    /// A plan, which is kept in `plan.bin`: what was printed, and the plan as JSON.
    pub(super) fn planned(&self, reattach: &str) -> Result<(Ran, Value), Failure> {
        let printed = self
            .run(
                reattach,
                &["plan", "-no-color", "-input=false", "-out=plan.bin"],
            )?
            .succeeded()?;
        Ok((
            printed,
            self.run(reattach, &["show", "-json", "plan.bin"])?.json()?,
        ))
    }

    /// All that lists find: a JSON object for each, in the order found.
    pub(super) fn query(&self, reattach: &str, lists: &str) -> Result<Vec<Value>, Failure> {
        self.write(LISTS, lists)?;
        let events = self.events(reattach, &["query", "-json"]);
        fs::remove_file(self.path(LISTS))?;
        Ok(events?
            .into_iter()
            .filter_map(|mut event| event.get_mut("list_resource_found").map(Value::take))
            .collect())
    }

    /// The lines of JSON that a command prints.
    pub(super) fn events(&self, reattach: &str, arguments: &[&str]) -> Result<Vec<Value>, Failure> {
        let Ran { out, .. } = self.run(reattach, arguments)?.succeeded()?;
        Ok(out
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect())
    }

    /// The state as JSON.
    pub(super) fn state(&self, reattach: &str) -> Result<Value, Failure> {
        self.run(reattach, &["show", "-json"])?.json()
    }
}

impl Ran {
    pub(super) fn succeeded(self) -> Result<Self, Failure> {
        if self.success {
            Ok(self)
        } else {
            Err(Failure(format!(
                "{} failed:\n{}",
                self.what,
                self.printed()
            )))
        }
    }

    fn printed(&self) -> String {
        format!("{}\n{}", self.out, self.err).trim().to_owned()
    }

    /// True if it failed and printed what is expected, whatever lines and frames Terraform broke it
    /// into.
    pub(super) fn failed_with(&self, expected: &Expected) -> Result<(), Failure> {
        let (what, printed) = (&self.what, self.printed());
        if self.success {
            return Err(Failure(format!(
                "{what} succeeded, expected an error with {expected}:\n{printed}"
            )));
        }
        let flat = flat(&printed);
        if expected.is_in(&flat) {
            Ok(())
        } else {
            Err(Failure(format!(
                "{what} failed without {expected}:\n{printed}"
            )))
        }
    }

    /// True if it printed a warning with these words.
    pub(super) fn warned(&self, text: &str) -> Result<(), Failure> {
        let (what, printed) = (&self.what, self.printed());
        let flat = flat(&printed);
        let mut warnings = flat
            .split("Warning: ")
            .skip(1)
            .map(|warning| warning.split("Error: ").next().unwrap_or_default());
        if warnings.any(|warning| warning.contains(text)) {
            return Ok(());
        }
        Err(Failure(format!(
            "{what} did not warn with {text:?}:\n{printed}"
        )))
    }

    fn json(self) -> Result<Value, Failure> {
        let Self { what, out, .. } = self.succeeded()?;
        serde_json::from_str(&out)
            .map_err(|error| Failure(format!("{what} printed no JSON: {error}")))
    }
}

/// The words that a test expects of an error.
pub(super) enum Expected {
    Text(String),
    Matching(Regex),
}

impl Expected {
    #[track_caller]
    pub(super) fn matching(pattern: &str) -> Self {
        match Regex::new(pattern) {
            Ok(regex) => Self::Matching(regex),
            Err(error) => super::fail(&format!("{pattern:?} is not a regular expression: {error}")),
        }
    }

    fn is_in(&self, words: &str) -> bool {
        match self {
            Self::Text(text) => words.contains(text),
            Self::Matching(regex) => regex.is_match(words),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Matching(regex) => write!(f, "what matches {:?}", regex.as_str()),
        }
    }
}

/// True for a variable by which the environment of a developer would have Terraform look at another
/// state or take other arguments.
fn redirects(variable: &OsStr) -> bool {
    let name = variable.to_string_lossy();
    matches!(&*name, "TF_WORKSPACE" | "TF_DATA_DIR") || name.starts_with("TF_CLI_ARGS")
}

/// A string as Terraform reads it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The words of an output, without the lines and frames that Terraform broke them into.
fn flat(printed: &str) -> String {
    let words =
        printed.split(|letter: char| letter.is_whitespace() || matches!(letter, '│' | '╷' | '╵'));
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_a_developer_is_not_that_of_a_test() {
        for variable in [
            "TF_WORKSPACE",
            "TF_DATA_DIR",
            "TF_CLI_ARGS",
            "TF_CLI_ARGS_plan",
        ] {
            assert!(redirects(OsStr::new(variable)), "{variable}");
        }
        for variable in ["PATH", "TF_LOG", "TF_VAR_region", "AWS_REGION"] {
            assert!(!redirects(OsStr::new(variable)), "{variable}");
        }
    }

    #[test]
    fn a_variable_names_one_terraform_or_several() {
        let named = |variable: Option<&OsStr>| -> Vec<PathBuf> {
            Terraform::named(variable)
                .into_iter()
                .map(|terraform| terraform.program)
                .collect()
        };
        assert_eq!(named(None), [Path::new("terraform")]);
        assert_eq!(named(Some(OsStr::new(""))), [Path::new("terraform")]);
        assert_eq!(
            named(Some(OsStr::new("/a/terraform"))),
            [Path::new("/a/terraform")]
        );
        let two = std::env::join_paths(["/a/terraform", "/b/terraform"]).unwrap();
        assert_eq!(
            named(Some(&two)),
            [Path::new("/a/terraform"), Path::new("/b/terraform")]
        );
    }
}
