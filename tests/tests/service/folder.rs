//! A folder that Terraform is run in, with its state in the service.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::real::program;
use super::real::ran::Ran;
use super::real::terraform::{Release, V1_15, folders};
use super::service::{ORGANIZATION, TOKEN};

/// The name that the service has in configurations: there is no such host.
pub const HOST: &str = "upstate.local";

/// How Terraform reaches the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Cloud,
    Remote,
    Http,
}

pub struct Folder {
    root: TempDir,
    release: Release,
    url: String,
}

/// One resource whose value is a variable, and what it says.
const CONFIGURATION: &str = "\
variable \"value\" {
  default = \"one\"
}
resource \"terraform_data\" \"it\" {
  input = var.value
}
output \"value\" {
  value = terraform_data.it.output
}
output \"secret\" {
  value     = \"s3cret-${terraform_data.it.output}\"
  sensitive = true
}
";

impl Folder {
    /// One for Terraform 1.15 and the service at this address.
    pub fn new(url: &str) -> Self {
        Self::with(V1_15, url)
    }

    /// That, for another release.
    pub fn with(release: Release, url: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        folders(root.path());
        let folder = Self {
            root,
            release,
            url: url.to_owned(),
        };
        folder.write_settings(TOKEN);
        folder.write("main.tf", CONFIGURATION);
        folder
    }

    /// Writes the settings of the command line, with another token.
    pub fn write_settings(&self, token: &str) {
        self.write_installation(token, "");
    }

    /// Lets Terraform use a release of the provider `ferry`: `old` or `new`.
    pub fn uses_ferry(&self, release: &str) {
        let folder = self.root.path().join(release);
        let binary = folder.join("terraform-provider-ferry");
        if !binary.exists() {
            fs::create_dir_all(&folder).unwrap();
            program::put(env!("CARGO_BIN_EXE_ferry"), &binary);
        }
        self.write_installation(
            TOKEN,
            &format!("dev_overrides {{\n \"example.com/upstate/ferry\" = {folder:?}\n}}\n"),
        );
    }

    fn write_installation(&self, token: &str, providers: &str) {
        let url = &self.url;
        let settings = format!(
            "disable_checkpoint = true\nprovider_installation {{\n{providers}}}\nhost \"{HOST}\" {{\n  services = {{\n    \"tfe.v2\"   = \
             \"{url}/api/v2/\"\n    \"tfe.v2.1\" = \"{url}/api/v2/\"\n    \"state.v2\" = \"{url}/api/v2/\"\n  }}\n}}\ncredentials \
             \"{HOST}\" {{\n  token = \"{token}\"\n}}\n"
        );
        fs::write(self.root.path().join("cli.tfrc"), settings).unwrap();
    }

    /// Keeps the state in one workspace of the service.
    pub fn uses(&self, backend: Backend, name: &str) -> &Self {
        let text = match backend {
            Backend::Cloud => format!(
                "  cloud {{\n    hostname = \"{HOST}\"\n    organization = \"{ORGANIZATION}\"\n    workspaces {{\n      name = \"{name}\"\n    \
                 }}\n  }}\n"
            ),
            Backend::Remote => format!(
                "  backend \"remote\" {{\n    hostname = \"{HOST}\"\n    organization = \"{ORGANIZATION}\"\n    workspaces {{\n      name = \
                 \"{name}\"\n    }}\n  }}\n"
            ),
            Backend::Http => {
                let address = http_address(&self.url, name);
                format!(
                    "  backend \"http\" {{\n    address = \"{address}\"\n    lock_address = \"{address}\"\n    unlock_address = \
                     \"{address}\"\n    username = \"upstate\"\n    password = \"{TOKEN}\"\n  }}\n"
                )
            }
        };
        self.settings(&text)
    }

    /// Keeps the state where this text inside of `terraform { … }` says.
    pub fn settings(&self, text: &str) -> &Self {
        self.write("backend.tf", &format!("terraform {{\n{text}}}\n"));
        self
    }

    /// Keeps the state in a file of the folder.
    pub fn uses_a_file(&self) -> &Self {
        let _ = fs::remove_file(self.path("backend.tf"));
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Whether Terraform left a state that it could not store.
    pub fn left_a_state(&self) -> bool {
        self.path("errored.tfstate").exists()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.release.command(self.root.path());
        command.args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments), arguments)
    }

    /// Runs a command that asks, and is answered this.
    pub fn asked(&self, arguments: &[&str], answers: &str) -> Ran {
        let mut terraform = self.command(arguments);
        terraform
            .env("TF_INPUT", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut terraform = terraform.spawn().unwrap();
        terraform
            .stdin
            .take()
            .unwrap()
            .write_all(answers.as_bytes())
            .unwrap();
        Ran::ended(&terraform.wait_with_output().unwrap(), arguments)
    }

    /// Begins a command that is not waited for.
    pub fn begin(&self, arguments: &[&str]) -> Child {
        self.command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub fn init(&self) -> Ran {
        self.run(&["init", "-no-color", "-input=false"])
    }

    pub fn plan(&self) -> Ran {
        self.run(&["plan", "-json", "-input=false"])
    }

    pub fn apply(&self) -> Ran {
        self.run(&["apply", "-json", "-input=false", "-auto-approve"])
    }

    /// Applies with another value of the variable.
    pub fn apply_value(&self, value: &str) -> Ran {
        self.run(&[
            "apply",
            "-no-color",
            "-input=false",
            "-auto-approve",
            &format!("-var=value={value}"),
        ])
    }

    pub fn destroy(&self) -> Ran {
        self.run(&["destroy", "-json", "-input=false", "-auto-approve"])
    }

    /// The state as Terraform pulls it.
    #[track_caller]
    pub fn pull(&self) -> Value {
        self.run(&["state", "pull"]).json()
    }

    /// The value of the output of that name.
    #[track_caller]
    pub fn output(&self, name: &str) -> Value {
        self.run(&["output", "-json", name]).json()
    }
}

/// Where `backend "http"` finds a workspace.
pub fn http_address(url: &str, name: &str) -> String {
    format!("{url}/http/{ORGANIZATION}/{name}")
}
