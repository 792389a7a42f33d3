//! A working directory with a state, a configuration and one provider.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::real::program;
use super::real::ran::Ran;
use super::real::terraform::{Release, V1_15, folders};

/// A folder that Terraform is run in.
pub struct Workspace {
    root: TempDir,
    source: String,
    release: Release,
    environment: BTreeMap<String, String>,
}

impl Workspace {
    /// One that uses the provider `harbor` or `quay`, as Terraform 1.15 starts it.
    pub fn new(name: &'static str) -> Self {
        Self::with(name, V1_15)
    }

    /// That, for another release of Terraform.
    pub fn with(name: &'static str, release: Release) -> Self {
        Self::built(
            &format!("example.com/upstate/{name}"),
            env!("CARGO_BIN_EXE_provider_under_test"),
            release,
        )
    }

    /// One that uses this program as the provider with this address.
    pub fn built(source: &str, built: &str, release: Release) -> Self {
        let workspace = Self::bare(source, release);
        let overrides = workspace.root.path().join("override");
        fs::create_dir(&overrides).unwrap();
        let binary = overrides.join(format!("terraform-provider-{}", workspace.name()));
        // Not a link: the name of the binary says which provider it is.
        program::put(built, &binary);
        workspace.installation(&format!(
            "dev_overrides {{\n {source:?} = {overrides:?}\n}}"
        ));
        workspace
    }

    /// One that installs its provider from the folder `mirror` of its working directory.
    pub fn mirrored(name: &'static str) -> Self {
        let workspace = Self::bare(&format!("example.com/upstate/{name}"), V1_15);
        workspace.installation(&format!(
            "filesystem_mirror {{\n path = {:?}\n}}",
            workspace.path("mirror")
        ));
        workspace
    }

    /// One that uses a provider which runs already.
    pub fn reattached(name: &'static str, reattach: &str) -> Self {
        let mut workspace = Self::bare(&format!("example.com/upstate/{name}"), V1_15);
        workspace.installation("");
        workspace.set("TF_REATTACH_PROVIDERS", reattach);
        workspace
    }

    fn bare(source: &str, release: Release) -> Self {
        let root = tempfile::tempdir().unwrap();
        folders(root.path());
        let workspace = Self {
            root,
            source: source.to_owned(),
            release,
            environment: BTreeMap::new(),
        };
        let name = workspace.name();
        let providers = format!(
            "terraform {{\n required_providers {{\n {name} = {{ source = \"{source}\" }}\n }}\n}}\n"
        );
        workspace.write("providers.tf", &providers);
        workspace
    }

    /// The provider's own program, as a person starts it.
    pub fn program(&self) -> Command {
        Command::new(
            self.root
                .path()
                .join("override")
                .join(format!("terraform-provider-{}", self.name())),
        )
    }

    /// Puts this program beside the provider's own.
    pub fn beside(&self, name: &str, built: &str) -> PathBuf {
        let place = self.root.path().join("override").join(name);
        program::put(built, &place);
        place
    }

    /// Puts a shell script beside the provider's own program.
    pub fn script(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let place = self.root.path().join("override").join(name);
        // One that is a link to a program stays what it is.
        let _ = fs::remove_file(&place);
        fs::write(&place, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Lets Terraform find providers here and nowhere else.
    fn installation(&self, how: &str) {
        let text = format!("disable_checkpoint = true\nprovider_installation {{\n{how}\n}}\n");
        fs::write(self.root.path().join("cli.tfrc"), text).unwrap();
    }

    fn name(&self) -> &str {
        self.source.rsplit('/').next().unwrap()
    }

    /// Sets an environment variable of the commands to come.
    pub fn set(&mut self, name: &str, value: &str) {
        self.environment.insert(name.to_owned(), value.to_owned());
    }

    /// Unsets an environment variable of the commands to come.
    pub fn unset(&mut self, name: &str) {
        self.environment.remove(name);
    }

    /// Where a file of the working directory is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    /// Writes a file of the working directory.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Reads a file of the working directory.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A resource with one instance, as a state file has it.
    pub fn stored(&self, ty: &str, version: u64, attributes: &Value) -> Value {
        self.resource(ty, &json!([{"schema_version": version, "attributes": attributes, "sensitive_attributes": []}]))
    }

    /// A resource called `it`, as a state file has it.
    pub fn resource(&self, ty: &str, instances: &Value) -> Value {
        let provider = format!("provider[\"{}\"]", self.source);
        json!({"mode": "managed", "type": ty, "name": "it", "provider": provider, "instances": instances})
    }

    /// Writes the state file, with serial 7.
    pub fn store(&self, resources: &[Value]) {
        let state = json!({"version": 4, "terraform_version": "1.5.0", "serial": 7, "lineage": "8a1f", "outputs": {},
            "resources": resources, "check_results": null});
        self.write(
            "terraform.tfstate",
            &serde_json::to_string_pretty(&state).unwrap(),
        );
    }

    /// The state file.
    pub fn state(&self) -> Value {
        serde_json::from_str(&self.read("terraform.tfstate")).unwrap()
    }

    /// The instances of the only resource of a type.
    pub fn instances(&self, ty: &str) -> Vec<Value> {
        let state = self.state();
        let resources = state["resources"].as_array().unwrap();
        let [resource]: [&Value; 1] = resources
            .iter()
            .filter(|resource| resource["type"] == ty)
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        resource["instances"].as_array().unwrap().clone()
    }

    /// The only instance of a type.
    pub fn instance(&self, ty: &str) -> Value {
        let [instance]: [Value; 1] = self.instances(ty).try_into().unwrap();
        instance
    }

    /// The command, not run yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.release.command(self.root.path());
        command.args(arguments).envs(&self.environment);
        command
    }

    /// Runs a command.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments), arguments)
    }

    pub fn plan(&self) -> Ran {
        self.run(&["plan", "-json", "-input=false"])
    }

    pub fn apply(&self) -> Ran {
        self.run(&["apply", "-json", "-input=false", "-auto-approve"])
    }

    pub fn destroy(&self) -> Ran {
        self.run(&["destroy", "-json", "-input=false", "-auto-approve"])
    }

    pub fn validate(&self) -> Ran {
        self.run(&["validate", "-json"])
    }

    /// Runs a plan that must succeed, and gives its whole description.
    pub fn planned(&self) -> Value {
        self.run(&["plan", "-json", "-input=false", "-out=plan.bin"])
            .succeeds();
        let shown = self.run(&["show", "-json", "plan.bin"]);
        shown.succeeds();
        serde_json::from_str(&shown.out).unwrap()
    }

    /// Runs a plan that finds nothing to do.
    #[track_caller]
    pub fn changes_nothing(&self) {
        let ran = self.run(&["plan", "-input=false", "-no-color"]);
        assert!(
            ran.succeeds()
                .out
                .contains("No changes. Your infrastructure matches the configuration."),
            "{}",
            ran.out
        );
    }
}
