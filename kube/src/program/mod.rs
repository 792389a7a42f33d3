//! The program that runs in the cluster: one line of `main`, and the subcommands `crd`, `serve` and
//! `migrate-storage`.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use upstate::Document;
//! use upstate_kube::program::Program;
//!
//! #[derive(Debug, Document)]
//! #[document(type_name = "ferry.boat", version = 1)]
//! #[upgrade_from(0 => 1, rename(colour => paint))]
//! #[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1alpha1"), version(1 = "v1", storage))]
//! struct Boat { paint: String }
//!
//! fn main() -> ExitCode {
//!     Program::new().with::<Boat>().main()
//! }
//! ```
//!
//! | subcommand | |
//! |---|---|
//! | `crd --service NAMESPACE/NAME` | prints the definitions; `--port` and `--path` if not 443 and `/convert`; `--url` for a webhook elsewhere, neither where all versions have one shape |
//! | `serve --certificate FILE --key FILE` | answers conversions |
//! | `migrate-storage` | rewrites all objects in the storage version, and shortens `status.storedVersions` |
//!
//! Operators that parse their own command line call [`webhook::serve`] and [`Migration::run`].

mod client;
mod kubeconfig;
mod migrate;
mod progress;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use client::{Client, ClientError};
pub use migrate::{MigrateError, Migrated, Migration, Progress};

use crate::crd::{CustomResourceDefinition, Webhook};
use crate::error::CrdError;
use crate::facts::Facts;
use crate::resource::CustomResource;
use crate::review::Converter;
use crate::webhook;

/// The custom resources of a program, and what its command line does with them.
#[derive(Debug, Default)]
pub struct Program {
    resources: Vec<Entry>,
    converter: Converter,
    refused: Option<CrdError>,
}

/// A custom resource.
#[derive(Debug, Clone, Copy)]
struct Entry {
    facts: &'static Facts,
    alone: fn() -> Result<CustomResourceDefinition, CrdError>,
    with: fn(&Webhook) -> Result<CustomResourceDefinition, CrdError>,
}

#[derive(Debug, Parser)]
#[command(
    about = "Custom resources in every version",
    subcommand_required = true
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the definitions of the custom resources
    Crd(Definitions),
    /// Answer the conversions that Kubernetes asks for
    Serve(Serving),
    /// Rewrite all objects in the storage version, so that older versions can be removed
    MigrateStorage(Migrating),
}

#[derive(Debug, Args)]
struct Definitions {
    /// The service of the webhook, as NAMESPACE/NAME
    #[arg(long, value_name = "NAMESPACE/NAME", conflicts_with = "url")]
    service: Option<String>,
    /// The port of the service; 443 otherwise
    #[arg(long, requires = "service", conflicts_with = "url", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// The path of the webhook at the service; `/convert` otherwise
    #[arg(long, requires = "service", conflicts_with = "url")]
    path: Option<String>,
    /// The URL of a webhook that is not a service of the cluster
    #[arg(long)]
    url: Option<String>,
    /// The certificates that Kubernetes trusts, in a file of PEM
    #[arg(long, value_name = "FILE")]
    ca_bundle: Option<PathBuf>,
    /// The form of the definitions
    #[arg(long, default_value = "yaml")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// YAML for `kubectl apply --server-side -f -`
    Yaml,
    /// JSON, one definition after the other
    Json,
}

#[derive(Debug, Args)]
struct Serving {
    /// The address to listen at
    #[arg(long, default_value = "0.0.0.0:8443")]
    listen: String,
    /// The certificate of the webhook, in a file of PEM that is read again when it changes
    #[arg(long, value_name = "FILE", default_value = "/tls/tls.crt")]
    certificate: PathBuf,
    /// Its key
    #[arg(long, value_name = "FILE", default_value = "/tls/tls.key")]
    key: PathBuf,
}

#[derive(Debug, Args)]
struct Migrating {
    /// The kind, or the name of its definition, if the program has several
    #[arg(long)]
    kind: Option<String>,
    /// The server of the API, such as `http://127.0.0.1:8001` for `kubectl proxy`; the cluster of
    /// the pod otherwise
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The certificates of a server at https://, in a file of PEM
    #[arg(long, value_name = "FILE", requires = "server")]
    ca: Option<PathBuf>,
    /// The token for a server at https://, in a file
    #[arg(long, value_name = "FILE", requires = "server")]
    token: Option<PathBuf>,
    /// The server and the account of a kubeconfig
    #[arg(long, value_name = "FILE", conflicts_with = "server")]
    kubeconfig: Option<PathBuf>,
    /// A context of the kubeconfig other than its current one
    #[arg(long, value_name = "NAME", requires = "kubeconfig")]
    context: Option<String>,
    /// Count objects and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Objects that are listed at once
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    page: u32,
    /// Objects that are written in a second, at most
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rate: u32,
    /// Seconds to wait first, until every API server has the storage version
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
    /// A file that remembers how far the migration has come
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// A version that will be removed, whose managed fields end
    #[arg(long, value_name = "VERSION")]
    forget: Vec<String>,
}

impl Program {
    /// A program without custom resources yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a custom resource. One that Kubernetes cannot have is reported by [`run`](Self::run).
    #[must_use]
    pub fn with<T: CustomResource>(mut self) -> Self {
        match std::mem::take(&mut self.converter).with::<T>() {
            Ok(converter) => self.converter = converter,
            Err(error) => drop(self.refused.get_or_insert(error)),
        }
        self.resources.push(Entry {
            facts: T::FACTS,
            alone: T::crd,
            with: T::crd_with,
        });
        self
    }

    /// Does what the command line of the process says, on a runtime of its own.
    #[must_use]
    pub fn main(self) -> ExitCode {
        match tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
        {
            Ok(runtime) => runtime.block_on(self.run(std::env::args_os())),
            Err(error) => failed(&format!("the runtime cannot begin: {error}")),
        }
    }

    /// Does what a command line says; its first argument is the name of the program.
    pub async fn run(self, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        let command = match CommandLine::try_parse_from(arguments) {
            Ok(line) => line.command,
            Err(error) => {
                // Help goes to the standard output; nothing can be done if that is closed.
                let _ = error.print();
                return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
            }
        };
        if let Some(error) = &self.refused {
            return failed(error);
        }
        match command {
            Command::Crd(options) => match self.definitions(&options) {
                Ok((text, warnings)) => {
                    for warning in warnings {
                        report_line(&format!("warning: {warning}"));
                    }
                    match io::stdout().write_all(text.as_bytes()) {
                        Ok(()) => ExitCode::SUCCESS,
                        Err(error) => {
                            failed(&format!("the definitions cannot be printed: {error}"))
                        }
                    }
                }
                Err(problem) => failed(&problem),
            },
            Command::Serve(Serving {
                listen,
                certificate,
                key,
            }) => match webhook::serve(self.converter, listen, certificate, key).await {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => failed(&error),
            },
            Command::MigrateStorage(options) => self.migrate(options).await,
        }
    }

    /// The definitions as text, and sentences for the person who applies them.
    fn definitions(&self, options: &Definitions) -> Result<(String, Vec<String>), String> {
        let webhook = options.webhook()?;
        let (mut text, mut warnings) = (String::new(), Vec::new());
        for entry in &self.resources {
            let made = webhook
                .as_ref()
                .map_or_else(|| (entry.alone)(), |webhook| (entry.with)(webhook));
            let definition = made.map_err(|error| error.to_string())?;
            warnings.extend(definition.warning());
            match options.format {
                Format::Yaml => {
                    if !text.is_empty() {
                        text.push_str("---\n");
                    }
                    text.push_str(&definition.to_yaml());
                }
                Format::Json => text.push_str(&definition.to_json()),
            }
        }
        Ok((text, warnings))
    }

    /// The custom resource of this kind, or of a definition of this name; kinds of several groups
    /// may have one name.
    fn wanted(&self, kind: Option<&str>) -> Result<&Entry, String> {
        let is_named =
            |facts: &Facts| kind.is_none_or(|kind| kind == facts.kind || kind == facts.crd_name());
        let (mut found, mut others): (Vec<&Entry>, Vec<&Entry>) = self
            .resources
            .iter()
            .partition(|entry| is_named(entry.facts));
        match (found.pop(), found.is_empty()) {
            (Some(entry), true) => Ok(entry),
            (last, _) => {
                // The kinds of which it may be one, or all where it is none of them.
                found.extend(last);
                let known = if found.is_empty() {
                    &mut others
                } else {
                    &mut found
                };
                let is_once = |facts: &Facts| {
                    known
                        .iter()
                        .filter(|other| other.facts.kind == facts.kind)
                        .count()
                        == 1
                };
                let name = |facts: &Facts| {
                    if is_once(facts) {
                        facts.kind.to_owned()
                    } else {
                        facts.crd_name()
                    }
                };
                let names: Vec<String> = known.iter().map(|entry| name(entry.facts)).collect();
                Err(format!(
                    "one kind is migrated at a time\nhelp: write `--kind` with one of {}",
                    names.join(", ")
                ))
            }
        }
    }

    async fn migrate(&self, options: Migrating) -> ExitCode {
        let entry = match self.wanted(options.kind.as_deref()) {
            Ok(entry) => entry,
            Err(problem) => return failed(&problem),
        };
        let client = match options.client() {
            Ok(client) => client,
            Err(error) => return failed(&error),
        };
        let mut migration = Migration::new(entry.facts)
            .page(options.page)
            .per_second(options.rate)
            .wait(Duration::from_secs(options.wait));
        if options.dry_run {
            migration = migration.dry_run();
        }
        if let Some(file) = options.state {
            migration = migration.state(file);
        }
        for version in options.forget {
            migration = migration.forget(version);
        }
        let mut reported = Instant::now();
        let report = |Progress {
                          done,
                          total,
                          failed,
                      }: Progress| {
            if reported.elapsed() > Duration::from_secs(5) {
                reported = Instant::now();
                report_line(&format!("{done} of {total} objects, {failed} failed"));
            }
        };
        match migration.run(&client, report).await {
            Ok(Migrated {
                rewritten,
                gone,
                forgotten,
                retried,
                stored_versions,
            }) => {
                let name = entry.facts.crd_name();
                let stored = stored_versions.join(", ");
                if options.dry_run {
                    report_line(&format!(
                        "{rewritten} objects of {name} would be rewritten, {forgotten} of them without the managed fields of forgotten versions; \
                         objects may be stored in {stored} now"
                    ));
                } else {
                    report_line(&format!(
                        "{rewritten} objects of {name} are rewritten, {gone} were deleted meanwhile, {retried} requests were made again; objects are \
                         stored in {stored}"
                    ));
                }
                ExitCode::SUCCESS
            }
            Err(error) => failed(&error),
        }
    }
}

impl Definitions {
    fn webhook(&self) -> Result<Option<Webhook>, String> {
        let webhook = match (&self.service, &self.url) {
            (Some(service), _) => {
                let names = service
                    .split_once('/')
                    .filter(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
                let (namespace, name) = names.ok_or_else(|| {
                    format!("{service:?} is not a service\nhelp: write its namespace and its name, `--service ferry/webhook`")
                })?;
                let mut webhook = Webhook::service(namespace, name);
                if let Some(port) = self.port {
                    webhook = webhook.port(port);
                }
                if let Some(path) = &self.path {
                    webhook = webhook.path(path);
                }
                webhook
            }
            (None, Some(url)) => Webhook::url(url),
            (None, None) => return Ok(None),
        };
        let Some(file) = &self.ca_bundle else {
            return Ok(Some(webhook));
        };
        let pem = std::fs::read_to_string(file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(Some(webhook.ca_bundle(pem)))
    }
}

impl Migrating {
    fn client(&self) -> Result<Client, ClientError> {
        if let Some(file) = &self.kubeconfig {
            return Client::kubeconfig(file, self.context.as_deref());
        }
        let Some(server) = &self.server else {
            return Client::in_cluster();
        };
        let mut client = Client::new(server)?;
        if let Some(file) = &self.ca {
            client = client.trusting(file)?;
        }
        match &self.token {
            Some(file) => client.token(file),
            None => Ok(client),
        }
    }
}

/// Writes a line for people, beside what other programs read.
fn report_line(line: &str) {
    // Nobody reads it if the standard error is closed.
    let _ = writeln!(io::stderr(), "{line}");
}

fn failed(problem: &dyn fmt::Display) -> ExitCode {
    report_line(&format!("error: {problem}"));
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};
    use upstate::Document;

    use super::{Command, CommandLine, Program};

    #[derive(Debug, Document)]
    #[document(type_name = "ferry.boat", version = 1)]
    #[upgrade_from(0 => 1, rename(colour => paint))]
    #[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1alpha1"), version(1 = "v1", storage), crate = crate)]
    struct Boat {
        paint: String,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "ferry.port", version = 0)]
    #[kube(group = "ferry.example.com", kind = "Port", version(0 = "v1", storage), crate = crate)]
    struct Port {
        name: String,
    }

    mod other {
        use upstate::Document;

        #[derive(Debug, Document)]
        #[document(type_name = "yard.boat", version = 0)]
        #[kube(group = "yard.example.org", kind = "Boat", version(0 = "v1", storage), crate = crate)]
        pub(super) struct Boat {
            keel: String,
        }
    }

    #[test]
    fn kinds_of_one_name_are_named_by_their_definitions() {
        let program = Program::new()
            .with::<Boat>()
            .with::<other::Boat>()
            .with::<Port>();
        let wanted = |kind| program.wanted(kind).map(|entry| entry.facts.crd_name());
        let help = |names: &str| {
            Err(format!(
                "one kind is migrated at a time\nhelp: write `--kind` with one of {names}"
            ))
        };
        assert_eq!(
            wanted(Some("Port")),
            Ok("ports.ferry.example.com".to_owned())
        );
        assert_eq!(
            wanted(Some("boats.yard.example.org")),
            Ok("boats.yard.example.org".to_owned())
        );
        assert_eq!(
            wanted(Some("Boat")),
            help("boats.ferry.example.com, boats.yard.example.org")
        );
        for kind in [None, Some("Ship")] {
            assert_eq!(
                wanted(kind),
                help("boats.ferry.example.com, boats.yard.example.org, Port")
            );
        }
    }

    fn printed(arguments: &[&str]) -> Result<String, String> {
        let line = CommandLine::try_parse_from(["ferry", "crd"].iter().chain(arguments))
            .map_err(|error| error.to_string())?;
        let Command::Crd(options) = line.command else {
            return Err("another subcommand".to_owned());
        };
        Program::new()
            .with::<Boat>()
            .with::<Port>()
            .definitions(&options)
            .map(|(text, _)| text)
    }

    #[test]
    fn the_command_line_is_one_that_clap_takes() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn definitions_are_documents_of_yaml_with_their_webhook() {
        let yaml = printed(&["--service", "ferry/webhook"]).unwrap();
        let documents: Vec<&str> = yaml.split("---\n").collect();
        assert_eq!(documents.len(), 2);
        assert!(
            documents[0].contains("name: boats.ferry.example.com"),
            "{yaml}"
        );
        assert!(
            documents
                .iter()
                .all(|document| document.contains("namespace: ferry")),
            "{yaml}"
        );
        let json = printed(&[
            "--url",
            "https://ferry.example.com/convert",
            "--format",
            "json",
        ])
        .unwrap();
        let kinds: Vec<serde_json::Value> = serde_json::Deserializer::from_str(&json)
            .into_iter()
            .map(|definition| definition.unwrap())
            .collect();
        assert_eq!(kinds.len(), 2);
        assert_eq!(
            kinds[0]["spec"]["conversion"]["webhook"]["clientConfig"]["url"],
            "https://ferry.example.com/convert"
        );
    }

    #[test]
    fn a_service_has_a_port_and_a_path() {
        let service = |arguments: &[&str]| -> serde_json::Value {
            let json = printed(
                &[
                    &["--format", "json", "--service", "ferry/webhook"],
                    arguments,
                ]
                .concat(),
            )
            .unwrap();
            let definition = serde_json::Deserializer::from_str(&json)
                .into_iter::<serde_json::Value>()
                .next()
                .unwrap()
                .unwrap();
            definition["spec"]["conversion"]["webhook"]["clientConfig"]["service"].clone()
        };
        let expected = |path: &str, port: u16| serde_json::json!({"namespace": "ferry", "name": "webhook", "path": path, "port": port});
        assert_eq!(service(&[]), expected("/convert", 443));
        assert_eq!(service(&["--port", "8443"]), expected("/convert", 8443));
        assert_eq!(
            service(&["--path", "/ferry/convert"]),
            expected("/ferry/convert", 443)
        );
        assert_eq!(service(&["--port", "1", "--path", "/"]), expected("/", 1));
        // A conflict with `--url` is an error of its own, because clap asks for no `--service`
        // beside what excludes it.
        let of_url = printed(&["--url", "https://a", "--port", "8443"]).unwrap_err();
        assert!(
            of_url.contains("'--url <URL>'") && of_url.contains("'--port <PORT>'"),
            "{of_url}"
        );
        let alone = printed(&["--path", "/x"]).unwrap_err();
        assert!(alone.contains("--service <NAMESPACE/NAME>"), "{alone}");
        assert!(printed(&["--service", "ferry/webhook", "--port", "0"]).is_err());
        let refused = printed(&["--service", "ferry/webhook", "--path", "convert"]).unwrap_err();
        assert!(
            refused.starts_with("Boat: Kubernetes does not call the webhook's service at port 443 and path \"convert\""),
            "{refused}"
        );
    }

    #[test]
    fn a_service_without_a_namespace_is_refused() {
        for service in ["webhook", "/webhook", "ferry/"] {
            assert_eq!(
                printed(&["--service", service]).unwrap_err(),
                format!(
                    "{service:?} is not a service\nhelp: write its namespace and its name, `--service ferry/webhook`"
                )
            );
        }
        assert!(
            printed(&[])
                .unwrap_err()
                .starts_with("Boat: versions v1 and v1alpha1 differ")
        );
        assert!(
            printed(&["--ca-bundle", "/no/such/file", "--url", "https://a"])
                .unwrap_err()
                .starts_with("/no/such/file: ")
        );
    }
}
