//! `lock`, `check`, `changelog`, `guide`, `explain`, `rules`, `accept`, `known`: schema memory.

mod check;
mod consumers;
mod explain;
mod files;
mod formats;
mod freeze;
mod guide;
mod import;
mod known;
mod schemas;
mod settings;
mod sources;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use crate::outcome::Outcome;
use crate::program::Program;
use crate::terminal::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Record the shapes of this release in upstate.lock
    ///
    /// Released shapes never change, except that a current schema may gain attributes that state
    /// without them reads as null.
    #[command(after_help = "Examples:\n  \
            {program} lock --release 1.4.0                        at a release\n  \
            {program} lock --unreleased                           shapes that no release has shipped yet\n  \
            {program} lock --import schemas.json --release 1.4.0  from `terraform providers schema -json`\n  \
            {program} lock --import crd.yaml --release 1.4.0      from definitions of custom resources\n  \
            {program} lock --resolve                              after a merge that git could not finish")]
    Lock(Lock),
    /// Check the changes since the last release; fails if one must not be released
    #[command(
        after_help = "Examples:\n  {program} check\n  {program} check --release 2.0.0 --against v1.4.0 --format sarif\n  \
            {program} check --release 2.0.0 --consumers ../infrastructure\n\n\
            Exit codes: 0 all changes may be released, 1 one must not, 2 wrong usage or settings, 3 nothing to compare with, 4 recorded state failed to upgrade."
    )]
    Check {
        #[command(flatten)]
        args: Check,
        /// Show, instead, the places of the Terraform configurations below this folder that use
        /// what this release changes
        #[arg(long, value_name = "FOLDER", conflicts_with_all = ["quiet", "verbose"])]
        consumers: Option<PathBuf>,
    },
    /// Show all changes since the last release, safe or not
    #[command(
        after_help = "Examples:\n  {program} changelog\n  {program} changelog --against v1.4.0 --format markdown"
    )]
    Changelog(Check),
    /// Write the upgrade guide of the next major release
    #[command(
        after_help = "Examples:\n  {program} guide --release 2.0.0 --output docs/upgrade-2.md\n\n\
            Your notes, merged by fingerprint or path, are in guide/<major>.toml:\n\n  \
            [[note]]\n  path = \"acme_bucket.acl\"\n  why = \"The API has no such list any more.\""
    )]
    Guide(Guide),
    /// List all rules
    #[command(after_help = "Examples:\n  {program} rules\n  {program} rules --axis state")]
    Rules {
        /// List only the rules about this
        #[arg(long, value_enum)]
        axis: Option<Axis>,
        /// The format
        #[arg(long, value_enum, default_value_t = crate::format::Format::Text)]
        format: crate::format::Format,
    },
    /// Waive a finding, with a reason, until a release
    #[command(
        after_help = "Examples:\n  {program} accept 0123456789ab --reason api-removed --until 3.0.0"
    )]
    Accept(Accept),
    /// Record today's findings as known, so that only new ones fail; run it again to remove those
    /// that you mended
    ///
    /// Writes their fingerprints to upstate.known.json in the folder of the lock. The file only
    /// ever shrinks: later findings are not added.
    Known(Place),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Place {
    /// The lock; the settings are in `upstate.toml` in the same folder
    #[arg(long = "lock", value_name = "FILE")]
    lock: Option<PathBuf>,
    /// The number of this release; the version of the package unless given
    #[arg(long, value_name = "RELEASE")]
    release: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Lock {
    #[command(flatten)]
    place: Place,
    /// The day of this release; unless given, the day that the lock has, or today
    #[arg(long, value_name = "DAY", conflicts_with = "unreleased")]
    date: Option<upstate_compat::Date>,
    /// Record shapes that are not released yet, for others who work on them
    #[arg(long, conflicts_with = "import")]
    unreleased: bool,
    /// Take released shapes from the output of `terraform providers schema -json`, or from
    /// definitions of custom resources
    #[arg(long, value_name = "FILE")]
    import: Option<PathBuf>,
    /// The provider to take, if that output has several
    #[arg(long, value_name = "NAME", requires = "import")]
    provider: Option<String>,
    /// Only this kind of custom resource; may be given several times
    #[arg(long = "type", value_name = "KIND", requires = "import")]
    types: Vec<String>,
    /// Merge both sides of an unfinished merge; with a file, that lock and this one, as a merge
    /// driver of git calls it
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["import", "unreleased", "date", "release"])]
    #[expect(
        clippy::option_option,
        reason = "an option whose value may be left out"
    )]
    resolve: Option<Option<PathBuf>>,
}

#[derive(Debug, ClapArgs)]
// The variant `Check` has a group of that name.
#[group(skip)]
pub(crate) struct Check {
    #[command(flatten)]
    place: Place,
    /// Compare with another lock: a file; or a revision of the repository, `v1.4.0` or
    /// `git:v1.4.0`, for the lock as it was there; or `git:REVISION:PATH`
    #[arg(long, value_name = "LOCK")]
    against: Option<String>,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Show only the summary
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Show safe changes, too, the rules that found nothing, and how long it took
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Guide {
    #[command(flatten)]
    place: Place,
    /// Compare with another lock: a file, or a revision of the repository
    #[arg(long, value_name = "LOCK")]
    against: Option<String>,
    /// The format
    #[arg(long, value_enum, default_value_t = GuideFormat::Markdown)]
    format: GuideFormat,
    /// Write to this file instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Accept {
    /// The finding's fingerprint, as `check` shows it
    #[arg(value_name = "FINGERPRINT")]
    fingerprint: String,
    /// The reason: always-failed, security, never-released, api-removed, or in your words
    #[arg(long)]
    reason: String,
    /// The release from which the waiver no longer holds
    #[arg(long, value_name = "RELEASE")]
    until: String,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs: `format` counts up when it changes; `schema findings` prints its JSON Schema
    Json,
    /// For programs: one line per finding, and a last line with the summary
    Jsonl,
    /// For code scanning: SARIF 2.1.0
    Sarif,
    /// For test reports
    Junit,
    /// For annotations of a GitHub workflow, and outputs of its step
    Github,
    /// For GitLab's code quality report
    Gitlab,
    /// For a comment on a pull request, updated in place
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GuideFormat {
    /// For people
    Markdown,
    /// For programs: `schema guide` prints its JSON Schema
    Json,
    /// The lines for the changelog, by the sections that Terraform's own providers have
    Changelog,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Axis {
    /// Configurations
    Config,
    /// Plans
    Plan,
    /// Expressions that read attributes
    Reference,
    /// Stored state
    State,
    /// Versions, history, deprecation, releases
    Policy,
    /// Clients of Kubernetes
    Clients,
}

pub(crate) use explain::explain_rule;
pub(crate) use schemas::published;

pub(crate) fn run(program: &Program, command: &Command) -> Outcome {
    let result = match command {
        Command::Lock(args) => freeze::lock(program, args),
        Command::Check {
            args,
            consumers: None,
        } => check::check(program, args, false),
        Command::Check {
            args,
            consumers: Some(folder),
        } => consumers::check(program, args, folder),
        Command::Changelog(args) => check::check(program, args, true),
        Command::Guide(args) => guide::guide(program, args),
        Command::Rules { axis, format } => Ok(explain::rules(*axis, *format)),
        Command::Accept(args) => explain::accept(program, args),
        Command::Known(place) => known::known(program, place),
    };
    result.unwrap_or_else(Failure::say)
}
