//! Settings: by flag, by environment, or in `upstate-server.toml`, in this order.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use serde::Deserialize;

use super::copying::{BackupArgs, MigrateArgs, RestoreArgs};
use super::keys::InFile;
use super::open::{DatabaseUrl, StoreArgs};
use super::provider::ProviderArgs;
use super::webhook::{self, WebhookArgs};
use crate::model::Permissions;
use crate::service::Conduct;
use crate::traffic::{Network, TrustedProxies};

/// The settings file that is read if it is there and no other is named.
const FILE: &str = "upstate-server.toml";

/// Keeps Terraform state: the State Versions API and `backend "http"` with locks, history and
/// rollback.
///
/// Every setting can be given as a flag, as an environment variable, or in upstate-server.toml
/// under the name of the flag (`listen = "0.0.0.0:8080"`); a flag goes before the environment,
/// which goes before the file.
#[derive(Debug, Parser)]
#[command(name = "upstate-server", version, propagate_version = true)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the server
    Serve(Box<Serve>),
    /// Make, list and revoke tokens; also while a server runs
    Token(TokenArgs),
    /// List users, and take them out of organizations; also while a server runs
    User(UserArgs),
    /// Make, list and remove trusts in the jobs of CI systems; also while a server runs
    Trust(Box<TrustArgs>),
    /// List and bring back deleted workspaces; also while a server runs
    Workspace(WorkspaceArgs),
    /// List and read uploads that came too late; also while a server runs
    Quarantine(QuarantineArgs),
    /// Show the audit log of the whole server, with failed sign-ins; also while a server runs
    Audit(AuditArgs),
    /// Delete old versions by the retention policy
    Retention(RetentionArgs),
    /// Remove bytes that nothing refers to, such as those that a killed server left in a bucket
    Gc(GcArgs),
    /// Copy a whole store into another, and compare the two
    Migrate(MigrateArgs),
    /// Write a whole store into a file; also while servers run
    Backup(BackupArgs),
    /// Fill an empty store from a backup
    Restore(RestoreArgs),
    /// Write the states of all workspaces, with their history, into a folder; also while servers
    /// run
    Export(ExportArgs),
    /// Take states in from a folder, another server or a bucket, with their history where it is
    /// listed; also while servers run
    Import(Box<ImportArgs>),
    /// Encrypt plain data, and wrap its keys with the operator's newest one; also while servers run
    Encrypt(EncryptArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct Serve {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1:8080]
    #[arg(long, env = "UPSTATE_LISTEN", value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// URL under which clients reach the server, without a path [default: http:// and the address]
    #[arg(long, env = "UPSTATE_URL", value_name = "URL")]
    url: Option<String>,
    /// Certificates for TLS, a PEM file with the server's own first; needs --tls-key
    #[arg(long, env = "UPSTATE_TLS_CERT", value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// Private key for TLS, a PEM file; needs --tls-cert
    #[arg(long, env = "UPSTATE_TLS_KEY", value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Listen beyond this machine without TLS: tokens and states cross the network unencrypted
    #[arg(long, env = "UPSTATE_PLAIN_HTTP", value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    plain_http: Option<bool>,
    /// Address of another listener, with /metrics, /healthz and /readyz only, and without tokens
    #[arg(long, env = "UPSTATE_METRICS_LISTEN", value_name = "ADDR")]
    metrics_listen: Option<SocketAddr>,
    /// Proxies before the server, whose X-Forwarded-For says where requests come from: addresses or
    /// networks, separated by commas
    #[arg(
        long,
        env = "UPSTATE_TRUSTED_PROXIES",
        value_name = "LIST",
        value_delimiter = ','
    )]
    trusted_proxies: Option<Vec<Network>>,
    /// Organization that is made if it is missing [default: default]
    #[arg(long, env = "UPSTATE_INIT_ORG", value_name = "NAME")]
    init_org: Option<String>,
    /// Owner token of at least 16 characters, in place of a random one at the first start; made if
    /// no token had this secret before
    #[arg(
        long,
        env = "UPSTATE_INIT_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true
    )]
    init_token: Option<String>,
    /// Lock of the provider, with the shapes of its releases: the server can take states back to
    /// them
    #[arg(long, env = "UPSTATE_LOCK", value_name = "FILE")]
    lock: Option<PathBuf>,
    #[command(flatten)]
    conduct: ConductArgs,
    #[command(flatten)]
    provider: ProviderArgs,
    #[command(flatten)]
    webhook: WebhookArgs,
    /// Form of the log, on standard error
    #[arg(long, env = "UPSTATE_LOG_FORMAT", value_enum)]
    log_format: Option<LogFormat>,
    /// Level of the log, such as `debug` or `upstate_server=debug,warn` [default: info]
    #[arg(long, env = "UPSTATE_LOG", value_name = "FILTER")]
    log: Option<String>,
}

#[derive(Debug, Clone, Default, clap::Args)]
struct ConductArgs {
    /// Accept serials and lineages that differ from those in the file, as other implementations do
    #[arg(long, env = "UPSTATE_RELAX_METADATA", value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    relax_metadata: Option<bool>,
    /// Refuse writes of `backend "http"` without a lock
    #[arg(long, env = "UPSTATE_HTTP_NEEDS_LOCK", value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    http_needs_lock: Option<bool>,
    /// Largest state, in MiB [default: 64]
    #[arg(long, env = "UPSTATE_MAX_STATE_MIB", value_name = "MIB")]
    max_state_mib: Option<u32>,
    /// Memory for bodies that are being received, as much for states that are being read, and as
    /// much for answers that are being sent, in MiB; beyond it the server asks clients to try again
    /// [default: 512]
    #[arg(long, env = "UPSTATE_BODY_MEMORY_MIB", value_name = "MIB")]
    body_memory_mib: Option<u32>,
    /// The most connections at the same time; more wait until one ends [default: 1024]
    #[arg(long, env = "UPSTATE_MAX_CONNECTIONS", value_name = "NUMBER")]
    max_connections: Option<u32>,
    /// The most connections from one address, unless it is a trusted proxy; more are refused
    /// [default: a quarter of all]
    #[arg(long, env = "UPSTATE_CONNECTIONS_PER_ADDRESS", value_name = "NUMBER")]
    connections_per_address: Option<u32>,
    /// Write into the audit log who reads states and sensitive outputs [default: true]
    #[arg(long, env = "UPSTATE_AUDIT_READS", value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    audit_reads: Option<bool>,
    /// Days for which lines of the audit log are kept; without it, for ever
    #[arg(long, env = "UPSTATE_AUDIT_DAYS", value_name = "DAYS")]
    audit_days: Option<u32>,
    /// Issuers of ID tokens that may be at other addresses than public ones, such as your own
    /// GitLab: URLs, separated by commas
    #[arg(
        long,
        env = "UPSTATE_INTERNAL_ISSUERS",
        value_name = "LIST",
        value_delimiter = ','
    )]
    internal_issuers: Option<Vec<String>>,
    /// Seconds between the snapshots that Terraform writes during an apply; 0 for none
    /// [default: 20]
    #[arg(long, env = "UPSTATE_SNAPSHOT_INTERVAL", value_name = "SECONDS")]
    snapshot_interval: Option<u32>,
    /// Minutes after which a version whose state was not uploaded is discarded [default: 60]
    #[arg(long, env = "UPSTATE_PENDING_MINUTES", value_name = "MINUTES")]
    pending_minutes: Option<u32>,
    /// Minutes for which a download URL works [default: 15]
    #[arg(long, env = "UPSTATE_DOWNLOAD_MINUTES", value_name = "MINUTES")]
    download_minutes: Option<u32>,
    /// Seconds until the lock of a server that was killed while it upgraded a workspace ends
    /// [default: 60]
    #[arg(long, env = "UPSTATE_LEASE_SECONDS", value_name = "SECONDS")]
    lease_seconds: Option<u32>,
    /// Days after which old versions are deleted; without it, none ever is
    #[arg(long, env = "UPSTATE_KEEP_DAYS", value_name = "DAYS")]
    keep_days: Option<u32>,
    /// Newest versions on the whole server that are never deleted [default: 100]
    #[arg(long, env = "UPSTATE_KEEP_LAST", value_name = "COUNT")]
    keep_last: Option<u32>,
    /// Days for which a deleted workspace is kept [default: 30]
    #[arg(long, env = "UPSTATE_PURGE_DAYS", value_name = "DAYS")]
    purge_days: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogFormat {
    /// Lines for people
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

#[derive(Debug, clap::Args)]
pub(super) struct TokenArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    #[command(subcommand)]
    pub(super) command: TokenCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Make a token and show it, this once
    Create {
        /// User of the token, made if missing: the token allows what the user's teams allow, now
        /// and later; without a user it belongs to the organization and only reads
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
        /// Team of the organization that the user joins, made with the permissions of --can if it
        /// is missing
        #[arg(long, requires = "user", value_name = "NAME")]
        team: Option<String>,
        /// Workspace of the token: it reads, writes and locks this one, and reads those that are
        /// shared with it
        #[arg(long, conflicts_with = "user", value_name = "NAME")]
        workspace: Option<String>,
        /// Organization of the token, made if missing
        #[arg(long, value_name = "NAME", default_value = "default")]
        org: String,
        /// The part of it that the token keeps: read-state, write-state, read-outputs, lock,
        /// force-unlock, admin
        /// [default: all; of a new team read-state,write-state,read-outputs,lock]
        #[arg(long, value_name = "LIST", requires = "user")]
        can: Option<Permissions>,
        /// Days after which it expires
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
        /// Its purpose
        #[arg(long, value_name = "TEXT", default_value = "")]
        description: String,
    },
    /// List tokens, without their secrets
    List,
    /// Revoke a token by its id, at-…
    Revoke {
        /// Its id
        id: String,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct UserArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    #[command(subcommand)]
    pub(super) command: UserCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum UserCommand {
    /// List the users of an organization with their teams
    List {
        /// Organization
        #[arg(long, value_name = "NAME", default_value = "default")]
        org: String,
    },
    /// Take a user out of every team, and revoke every token; state versions that they made keep
    /// their name
    Remove {
        /// Name of the user
        name: String,
        /// Only in this organization
        #[arg(long, value_name = "NAME")]
        org: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct TrustArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Issuers that may be at other addresses than public ones, as for `serve`
    #[arg(
        long,
        global = true,
        env = "UPSTATE_INTERNAL_ISSUERS",
        value_name = "LIST",
        value_delimiter = ','
    )]
    pub(super) internal_issuers: Option<Vec<String>>,
    #[command(subcommand)]
    pub(super) command: TrustCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum TrustCommand {
    /// List the trusts of an organization
    List {
        /// Organization
        #[arg(long, value_name = "NAME", default_value = "default")]
        org: String,
    },
    /// Make a trust and show its id, which the jobs name when they exchange their ID token
    Add {
        /// Its name
        name: String,
        /// Organization
        #[arg(long, value_name = "NAME", default_value = "default")]
        org: String,
        /// Issuer of the ID tokens, such as `https://token.actions.githubusercontent.com`
        #[arg(long, value_name = "URL")]
        issuer: String,
        /// Audience of the ID tokens: the URL of the server, unless the jobs ask for another one
        #[arg(long, value_name = "TEXT")]
        audience: String,
        /// Claim that the ID tokens must have, such as `sub=repo:acme/infra:ref:refs/heads/main`; a
        /// `*` takes any characters but `:`; it can be given several times
        #[arg(long = "claim", value_name = "NAME=VALUE", required = true)]
        claims: Vec<String>,
        /// Workspace in which the jobs may do something
        #[arg(
            long,
            value_name = "NAME",
            required_unless_present = "project",
            conflicts_with = "project"
        )]
        workspace: Option<String>,
        /// Project in which they may
        #[arg(long, value_name = "NAME")]
        project: Option<String>,
        /// Permissions there: read-state, write-state, read-outputs, lock, force-unlock, admin
        #[arg(
            long,
            value_name = "LIST",
            default_value = "read-state,write-state,read-outputs,lock"
        )]
        can: Permissions,
    },
    /// Remove a trust by its id, trust-…, with the tokens that jobs got by it
    Remove {
        /// Its id
        id: String,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct WorkspaceArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    #[command(subcommand)]
    pub(super) command: WorkspaceCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum WorkspaceCommand {
    /// List deleted workspaces that can still be brought back
    Deleted,
    /// Bring a deleted workspace back by its id, ws-…, with every state version it had
    Restore {
        /// Its id
        id: String,
        /// New name, if its own is taken by now
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct QuarantineArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    #[command(subcommand)]
    pub(super) command: QuarantineCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum QuarantineCommand {
    /// List the late uploads of a workspace
    List {
        /// Organization of the workspace
        #[arg(long, value_name = "NAME", default_value = "default")]
        org: String,
        /// Workspace
        #[arg(long, value_name = "NAME")]
        workspace: String,
    },
    /// Write a late upload into a new file, by its id, quar-…
    Read {
        /// Its id
        id: String,
        /// New file; it may hold secrets, and only its owner can read it
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct AuditArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Only this action, such as sign-in.fail, or all that begin with a word, such as state
    #[arg(long, value_name = "NAME")]
    pub(super) action: Option<String>,
    /// Only lines whose author contains this: a name, a token's id, an address
    #[arg(long, value_name = "TEXT")]
    pub(super) actor: Option<String>,
    /// The greatest number of lines, the newest first
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    pub(super) last: u32,
    /// All lines as objects of JSON, one a line, the oldest first
    #[arg(long, conflicts_with_all = ["action", "actor", "last"])]
    pub(super) json: bool,
    /// Only lines behind this number, the seq of the last one that you have
    #[arg(long, value_name = "SEQ", requires = "json", default_value_t = 0)]
    pub(super) after: i64,
}

#[derive(Debug, clap::Args)]
pub(super) struct RetentionArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Days after which old versions are deleted
    #[arg(long, value_name = "DAYS")]
    pub(super) keep_days: Option<u32>,
    /// Newest versions on the whole server that are never deleted
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    pub(super) keep_last: usize,
    /// Delete nothing; list what would go
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct GcArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Hours for which an object of the bucket without a row is kept: a server may be about to
    /// write the row
    #[arg(long, value_name = "HOURS", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) min_age_hours: u32,
    /// Delete nothing; say how much would go
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// New or empty folder; it holds secrets, and only its owner can read it
    #[arg(long, value_name = "DIR")]
    pub(super) to: PathBuf,
    /// Only this organization [default: all]
    #[arg(long, value_name = "NAME")]
    pub(super) org: Option<String>,
    /// Only this workspace; it can be given several times [default: all]
    #[arg(long = "workspace", value_name = "NAME")]
    pub(super) workspaces: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct ImportArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Folder of an export, or of files NAME.tfstate or NAME/terraform.tfstate, each for the
    /// workspace NAME
    #[arg(
        long,
        value_name = "DIR",
        required_unless_present_any = ["from_server", "from_gitlab", "from_http", "from_bucket_url", "from_database_url"],
        conflicts_with_all = ["from_server", "from_gitlab"]
    )]
    pub(super) from: Option<PathBuf>,
    /// Server to read from, such as app.terraform.io; it needs a token that may read states, in
    /// `UPSTATE_FROM_TOKEN` or in a file
    #[arg(long, value_name = "URL", requires = "from_org")]
    pub(super) from_server: Option<String>,
    /// Organization of that server
    #[arg(long, value_name = "NAME", requires = "from_server")]
    pub(super) from_org: Option<String>,
    /// GitLab to read the states of a project from, such as gitlab.com; it needs a token with the
    /// scope `api`, as above
    #[arg(
        long,
        value_name = "URL",
        requires = "from_project",
        conflicts_with = "from_server"
    )]
    pub(super) from_gitlab: Option<String>,
    /// Path of that project, such as group/project
    #[arg(long, value_name = "PATH", requires = "from_gitlab")]
    pub(super) from_project: Option<String>,
    /// Address of a `backend "http"` to read the current state of each --workspace from, with
    /// `{workspace}` in place of the name
    #[arg(long, value_name = "URL", requires = "workspaces", conflicts_with_all = ["from", "from_server", "from_gitlab"])]
    pub(super) from_http: Option<String>,
    /// User of that address; the password is where the token is
    #[arg(long, value_name = "NAME", requires = "from_http")]
    pub(super) from_user: Option<String>,
    /// Bucket to read the states of the backends `s3`, `gcs` and `azurerm` from, as --bucket-url
    /// names it; with versioning, also their older versions
    #[arg(long, value_name = "URL", conflicts_with_all = ["from", "from_server", "from_gitlab", "from_http"])]
    pub(super) from_bucket_url: Option<String>,
    /// URL of its service, if it is not Amazon's, Google's or Azure's own
    #[arg(long, requires = "from_bucket_url", value_name = "URL")]
    pub(super) from_bucket_endpoint: Option<String>,
    /// `PostgreSQL` database to read the current states of a `backend "pg"` from:
    /// `postgresql://user:password@host/database`
    #[arg(
        long,
        env = "UPSTATE_FROM_DATABASE_URL",
        value_name = "URL",
        hide_env_values = true,
        conflicts_with_all = ["from", "from_server", "from_gitlab", "from_http", "from_bucket_url"]
    )]
    pub(super) from_database_url: Option<DatabaseUrl>,
    /// Schema of that backend [default: `terraform_remote_state`]
    #[arg(long, value_name = "NAME", requires = "from_database_url")]
    pub(super) from_schema: Option<String>,
    /// File with the token or the password for the source, in place of `UPSTATE_FROM_TOKEN`
    #[arg(long, value_name = "FILE")]
    pub(super) from_token_file: Option<PathBuf>,
    /// Organization to import into, made if need be
    /// [default: that of the export, otherwise "default"]
    #[arg(long, value_name = "NAME")]
    pub(super) org: Option<String>,
    /// Project for new workspaces, made if need be
    /// [default: that of the export or the server, otherwise the first]
    #[arg(long, value_name = "NAME")]
    pub(super) project: Option<String>,
    /// Only this workspace; it can be given several times [default: all]
    #[arg(long = "workspace", value_name = "NAME")]
    pub(super) workspaces: Vec<String>,
    /// Import the current state of each workspace alone, without those before it
    #[arg(long)]
    pub(super) current_only: bool,
    /// Read and check everything, and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// File for the result of each workspace, a line of JSON each
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Largest state, in MiB [default: 64]
    #[arg(long, env = "UPSTATE_MAX_STATE_MIB", value_name = "MIB")]
    pub(super) max_state_mib: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(super) struct EncryptArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Encrypt everything with a new data key, also encrypted data
    #[arg(long)]
    pub(super) renew: bool,
    /// Change nothing; say how much is encrypted, and with which key
    #[arg(long, conflicts_with = "renew")]
    pub(super) status: bool,
}

/// The contents of the settings file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct File {
    pub(super) data: Option<PathBuf>,
    pub(super) database_url: Option<DatabaseUrl>,
    pub(super) database_ca: Option<PathBuf>,
    pub(super) database_connections: Option<u32>,
    pub(super) ca: Option<PathBuf>,
    pub(super) bucket_url: Option<String>,
    pub(super) bucket_endpoint: Option<String>,
    #[serde(rename = "encryption-key-file")]
    pub(super) encryption_keys: Option<PathBuf>,
    #[serde(rename = "encryption-transit")]
    pub(super) transit: Option<String>,
    #[serde(rename = "encryption-aws-kms")]
    pub(super) aws_kms: Option<Vec<String>>,
    pub(super) encrypted_only: Option<bool>,
    listen: Option<SocketAddr>,
    url: Option<String>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    plain_http: Option<bool>,
    metrics_listen: Option<SocketAddr>,
    trusted_proxies: Option<Vec<Network>>,
    init_org: Option<String>,
    lock: Option<PathBuf>,
    relax_metadata: Option<bool>,
    http_needs_lock: Option<bool>,
    pub(super) max_state_mib: Option<u32>,
    body_memory_mib: Option<u32>,
    max_connections: Option<u32>,
    connections_per_address: Option<u32>,
    audit_reads: Option<bool>,
    audit_days: Option<u32>,
    pub(super) internal_issuers: Option<Vec<String>>,
    pub(super) audit_webhook: Option<String>,
    #[serde(rename = "audit-webhook-key-file")]
    pub(super) audit_webhook_key: Option<PathBuf>,
    pub(super) audit_webhook_internal: Option<bool>,
    pub(super) oidc_issuer: Option<String>,
    pub(super) oidc_client_id: Option<String>,
    #[serde(rename = "oidc-client-secret-file")]
    pub(super) oidc_secret: Option<PathBuf>,
    pub(super) oidc_user_claim: Option<String>,
    pub(super) oidc_groups_claim: Option<String>,
    pub(super) oidc_scopes: Option<Vec<String>>,
    pub(super) oidc_teams: Option<Vec<String>>,
    snapshot_interval: Option<u32>,
    pending_minutes: Option<u32>,
    download_minutes: Option<u32>,
    lease_seconds: Option<u32>,
    keep_days: Option<u32>,
    keep_last: Option<u32>,
    purge_days: Option<u32>,
    log_format: Option<LogFormat>,
    log: Option<String>,
}

impl File {
    /// The settings of the operator's key.
    pub(super) fn encryption(&self) -> InFile {
        let (keys, transit, aws_kms) = (
            self.encryption_keys.clone(),
            self.transit.clone(),
            self.aws_kms.clone(),
        );
        InFile {
            keys,
            transit,
            aws_kms,
            encrypted_only: self.encrypted_only,
        }
    }

    /// Reads the file that is named, or the usual one if it is there.
    pub(super) fn read(named: Option<&Path>) -> Result<Self, String> {
        let (path, must_be) = named.map_or((Path::new(FILE), false), |path| (path, true));
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).map_err(|error| format!("{}: {error}", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must_be => {
                Ok(Self::default())
            }
            Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
        }
    }

    /// Out of the text of a file. The line of a mistake is not quoted, because it may hold the
    /// password of a database.
    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            match before {
                Some(before) => format!("line {}: {}", before.split('\n').count(), error.message()),
                None => error.message().to_owned(),
            }
        })
    }
}

/// The settings of a server, from wherever they came.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) listen: SocketAddr,
    pub(super) url: Option<String>,
    /// The files of the certificates and the key.
    pub(super) tls: Option<(PathBuf, PathBuf)>,
    pub(super) metrics_listen: Option<SocketAddr>,
    pub(super) trusted_proxies: TrustedProxies,
    pub(super) init_org: String,
    pub(super) init_token: Option<String>,
    pub(super) lock: Option<PathBuf>,
    pub(super) conduct: Conduct,
    pub(super) body_budget: usize,
    pub(super) max_connections: usize,
    pub(super) connections_per_address: Option<usize>,
    pub(super) snapshot_interval: Option<u32>,
    pub(super) log_format: LogFormat,
    pub(super) log: String,
}

impl Settings {
    /// Puts flags and file together.
    pub(super) fn new(serve: Serve, file: File) -> Result<Self, String> {
        let init_org = serve
            .init_org
            .or_else(|| file.init_org.clone())
            .unwrap_or_else(|| "default".to_owned());
        let provider = serve.provider.people(&file, &init_org)?;
        let webhook = serve.webhook.webhook(webhook::InFile {
            url: file.audit_webhook.clone(),
            key_file: file.audit_webhook_key.clone(),
            internal: file.audit_webhook_internal,
        })?;
        let url = serve.url.or(file.url);
        if let Some(url) = &url {
            check_url(url)?;
        }
        let minutes = |minutes: u32| Duration::from_secs(u64::from(minutes) * 60);
        let mib = |mib: u32| {
            usize::try_from(mib)
                .unwrap_or(usize::MAX)
                .saturating_mul(1 << 20)
        };
        let given = serve.conduct;
        let mut conduct = Conduct::default();
        conduct.strict_metadata = !given
            .relax_metadata
            .or(file.relax_metadata)
            .unwrap_or(!conduct.strict_metadata);
        conduct.http_without_lock = !given
            .http_needs_lock
            .or(file.http_needs_lock)
            .unwrap_or(!conduct.http_without_lock);
        if let Some(given) = given.max_state_mib.or(file.max_state_mib) {
            conduct.max_state = mib(given.max(1));
        }
        if let Some(given) = given.pending_minutes.or(file.pending_minutes) {
            conduct.pending_expiry = minutes(given.max(1));
        }
        if let Some(given) = given.download_minutes.or(file.download_minutes) {
            conduct.download_expiry = minutes(given.max(1));
        }
        if let Some(given) = given.lease_seconds.or(file.lease_seconds) {
            conduct.lease = Duration::from_secs(u64::from(given.max(1)));
        }
        conduct.retention.keep_days = given.keep_days.or(file.keep_days);
        if let Some(given) = given.keep_last.or(file.keep_last) {
            conduct.retention.keep_last = usize::try_from(given).unwrap_or(usize::MAX);
        }
        if let Some(given) = given.purge_days.or(file.purge_days) {
            conduct.purge_after = minutes(given).saturating_mul(24 * 60);
        }
        conduct.audit_keep = given
            .audit_days
            .or(file.audit_days)
            .map(|days| minutes(days.max(1)).saturating_mul(24 * 60));
        conduct.provider = provider;
        conduct.webhook = webhook;
        conduct.internal_issuers = given
            .internal_issuers
            .or(file.internal_issuers)
            .unwrap_or_default();
        let tls = match (
            serve.tls_cert.or(file.tls_cert),
            serve.tls_key.or(file.tls_key),
        ) {
            (Some(certificates), Some(key)) => Some((certificates, key)),
            (None, None) => None,
            (Some(_), None) => return Err("--tls-cert needs --tls-key, too".to_owned()),
            (None, Some(_)) => return Err("--tls-key needs --tls-cert, too".to_owned()),
        };
        conduct.audit_reads = given
            .audit_reads
            .or(file.audit_reads)
            .unwrap_or(conduct.audit_reads);
        let listen = serve
            .listen
            .or(file.listen)
            .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080)));
        let plain_http = serve.plain_http.or(file.plain_http).unwrap_or_default();
        check_reach(listen.ip(), url.as_deref(), tls.is_some(), plain_http)?;
        if serve
            .init_token
            .as_ref()
            .is_some_and(|token| token.chars().count() < SHORTEST_TOKEN)
        {
            return Err(format!(
                "--init-token must have at least {SHORTEST_TOKEN} characters, because others could guess a shorter one; `openssl rand -hex 32` makes one"
            ));
        }
        let body_budget = mib(given
            .body_memory_mib
            .or(file.body_memory_mib)
            .unwrap_or(512));
        conduct.parsing_memory = body_budget;
        let interval = given
            .snapshot_interval
            .or(file.snapshot_interval)
            .unwrap_or(20);
        Ok(Self {
            listen,
            url,
            tls,
            metrics_listen: serve.metrics_listen.or(file.metrics_listen),
            trusted_proxies: TrustedProxies(
                serve
                    .trusted_proxies
                    .or(file.trusted_proxies)
                    .unwrap_or_default(),
            ),
            init_org,
            init_token: serve.init_token,
            lock: serve.lock.or(file.lock),
            conduct,
            body_budget,
            max_connections: given
                .max_connections
                .or(file.max_connections)
                .unwrap_or(1024)
                .max(1) as usize,
            connections_per_address: given
                .connections_per_address
                .or(file.connections_per_address)
                .map(|most| most as usize),
            snapshot_interval: (interval > 0).then_some(interval),
            log_format: serve.log_format.or(file.log_format).unwrap_or_default(),
            log: serve.log.or(file.log).unwrap_or_else(|| "info".to_owned()),
        })
    }
}

/// The fewest characters of a token that is given from outside.
const SHORTEST_TOKEN: usize = 16;

/// Refuses what would be open to others without anybody having said so: clients elsewhere would
/// send states to an address of their own machine, or tokens through the network for all to read.
fn check_reach(
    listen: IpAddr,
    url: Option<&str>,
    has_tls: bool,
    plain_http: bool,
) -> Result<(), String> {
    if listen.is_loopback() {
        return Ok(());
    }
    let Some(url) = url else {
        return Err(format!(
            "--listen {listen} is open to other machines, so name the URL under which they reach the server with --url: upload and download URLs \
             begin with it"
        ));
    };
    if has_tls || url.starts_with("https://") || plain_http {
        return Ok(());
    }
    Err(format!(
        "--listen {listen} is open to other machines, and without TLS tokens and states cross the network unencrypted: give --tls-cert and --tls-key, \
         or an https:// --url of the proxy that has TLS, or allow it with --plain-http"
    ))
}

/// Some clients drop the path of an address, so the API is at the root of a host.
fn check_url(url: &str) -> Result<(), String> {
    let rest = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"));
    let host = rest.map(|rest| rest.trim_end_matches('/'));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']) => Ok(()),
        Some(_) | None => Err(format!(
            "--url must be http:// or https:// and a host, without a path, found {url:?}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    fn settings(flags: &[&str], file: &str) -> Result<Settings, String> {
        let line = ["upstate-server", "serve"].iter().chain(flags);
        let Command::Serve(serve) = Args::try_parse_from(line)
            .map_err(|error| error.to_string())?
            .command
        else {
            return Err("another command".to_owned());
        };
        Settings::new(*serve, File::parse(file)?)
    }

    #[test]
    fn a_flag_goes_before_the_file() {
        let settings = settings(
            &["--max-state-mib", "3"],
            "max-state-mib = 9\nkeep-days = 7",
        )
        .expect("settings");
        assert_eq!(
            (
                settings.conduct.max_state,
                settings.conduct.retention.keep_days
            ),
            (3 << 20, Some(7))
        );
        assert_eq!(
            (settings.listen.port(), settings.init_org.as_str()),
            (8080, "default")
        );
    }

    #[test]
    fn what_cannot_work_is_refused() {
        let error = |flags: &[&str], file: &str| settings(flags, file).expect_err("refused");
        assert!(error(&["--url", "https://example.com/upstate"], "").contains("without a path"));
        assert_eq!(
            error(&["--tls-cert", "x"], ""),
            "--tls-cert needs --tls-key, too"
        );
        // Not with the line, because it may hold a password.
        let unknown = error(
            &[],
            "keep-days = 7\ndatabase_url = \"postgres://up:s3cret@db/up\"",
        );
        assert!(
            unknown.starts_with("line 2: unknown field `database_url`, expected one of `data`, ")
                && !unknown.contains("s3cret"),
            "{unknown}"
        );
        assert!(error(&["--init-token", "123456789012345"], "").contains("at least 16 characters"));
        assert!(settings(&["--init-token", "1234567890123456"], "").is_ok());
    }

    #[test]
    fn a_provider_is_named_as_a_whole() {
        let error = |flags: &[&str]| settings(flags, "").expect_err("refused");
        let issuer = ["--oidc-issuer", "https://id.example.com"];
        assert!(error(&issuer).contains("--oidc-client-id"));
        let client = [issuer[0], issuer[1], "--oidc-client-id", "upstate"];
        assert!(error(&client).contains("--oidc-client-secret-file"));
        assert!(error(&client[2..]).contains("--oidc-issuer"));
        let whole = [
            &client[..],
            &["--oidc-client-secret", "hunter22", "--oidc-teams"],
        ]
        .concat();
        assert!(
            error(&[&whole[..], &["platform"]].concat())
                .contains("is not like platform=default/owners")
        );
        assert!(
            error(&[
                "--oidc-issuer",
                "http://id.example.com",
                "--oidc-client-id",
                "x",
                "--oidc-client-secret",
                "y"
            ])
            .contains("https://")
        );
        let made =
            settings(&[&whole[..], &["ou=x=acme/ops,y=acme/dev"]].concat(), "").expect("settings");
        assert!(!format!("{made:?}").contains("hunter22"));
        let people = made.conduct.provider.expect("a provider");
        assert_eq!(
            (
                people.user_claim.as_str(),
                people.teams.len(),
                people.teams[0].value.as_str()
            ),
            ("email", 2, "ou=x")
        );
        assert_eq!(people.scopes, None);
        let with = ["--oidc-scopes", "email,roles"];
        let made = settings(&[&whole[..], &["x=acme/ops"], &with].concat(), "");
        let people = made.expect("settings").conduct.provider;
        let scopes = people.expect("a provider").scopes.expect("scopes");
        assert_eq!(scopes, ["email", "roles"]);
    }

    #[test]
    fn a_receiver_of_the_audit_log_has_a_key() {
        let error = |flags: &[&str], file: &str| settings(flags, file).expect_err("refused");
        let url = "audit-webhook = \"https://siem.example.com/in?token=hunter22\"";
        assert!(error(&[], url).contains("--audit-webhook needs --audit-webhook-key-file"));
        assert!(
            error(&["--audit-webhook-key-file", "x"], "").contains("needs --audit-webhook, too")
        );
        let folder = tempfile::tempdir().expect("a folder");
        let key = folder.path().join("key").display().to_string();
        let given = ["--audit-webhook-key-file", key.as_str()];
        std::fs::write(&key, "c2hvcnQ=\n").expect("a file");
        assert!(error(&given, url).contains("24 to 64 bytes in base64"));
        std::fs::write(&key, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").expect("a file");
        let made = format!("{:?}", settings(&given, url).expect("settings"));
        assert!(
            made.contains("siem.example.com") && !made.contains("hunter22"),
            "{made}"
        );
        let within = "audit-webhook = \"https://10.0.0.1/in\"";
        assert!(error(&given, within).contains("--audit-webhook-internal"));
        assert!(settings(&[given[0], given[1], "--audit-webhook-internal"], within).is_ok());
    }

    #[test]
    fn nothing_is_open_to_others_unless_a_setting_opens_it() {
        let error = |flags: &[&str]| {
            settings(&[&["--listen", "0.0.0.0:8080"], flags].concat(), "").expect_err("refused")
        };
        assert!(error(&[]).contains("name the URL"), "{}", error(&[]));
        assert!(error(&["--plain-http"]).contains("name the URL"));
        let http = ["--url", "http://state.example.com:8080"];
        assert!(error(&http).contains("--plain-http"), "{}", error(&http));
        let ok = |flags: &[&str], file: &str| settings(flags, file).map(drop);
        assert_eq!(
            ok(
                &[
                    "--listen",
                    "[::]:8080",
                    "--url",
                    "https://state.example.com"
                ],
                ""
            ),
            Ok(())
        );
        assert_eq!(
            ok(
                &["--listen", "0.0.0.0:8080", http[0], http[1], "--plain-http"],
                ""
            ),
            Ok(())
        );
        assert_eq!(
            ok(
                &[
                    "--listen",
                    "0.0.0.0:8080",
                    http[0],
                    http[1],
                    "--tls-cert",
                    "c",
                    "--tls-key",
                    "k"
                ],
                ""
            ),
            Ok(())
        );
        let file = "listen = \"10.0.0.1:8080\"\nurl = \"http://state.example.com\"\nplain-http = true\ntrusted-proxies = [\"10.0.0.0/8\"]";
        assert_eq!(ok(&[], file), Ok(()));
        assert_eq!(ok(&["--listen", "[::1]:8080"], ""), Ok(()));
        assert!(
            ok(&["--trusted-proxies", "10.0.0.0/8,proxy"], "")
                .expect_err("refused")
                .contains("is not an address")
        );
    }
}
