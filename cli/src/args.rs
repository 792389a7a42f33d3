//! What can be asked for on the command line.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

#[derive(Debug, Parser)]
#[command(
    version,
    about = "Upgrade stored resource state to the current schema versions",
    long_about = "Upgrade stored resource state to the current schema versions.\n\n\
        Reads Terraform state files of format 4. Only the attributes and schema version of upgraded instances and the file's \
        serial change; every other byte stays as it is. Nothing is written unless every instance of a known type can be upgraded.",
    after_help = "Exit codes: 0 done, 1 an upgrade was refused (nothing was written), 2 wrong usage, 3 input unreadable or output unwritable.",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what an upgrade of a state file would do, without writing anything
    #[command(after_help = "Example:\n  plan terraform.tfstate")]
    Plan(Plan),
    /// Upgrade a state file, in place or into another file
    ///
    /// In place, the old content is kept in a file with `.backup` behind its name, which takes the place of an earlier backup.
    #[command(after_help = "Examples:\n  \
            upgrade terraform.tfstate                        in place, old content kept in terraform.tfstate.backup\n  \
            upgrade terraform.tfstate --output new.tfstate   the original is not touched")]
    Upgrade(Upgrade),
    /// Show the current schema of the known types, or of one
    #[command(after_help = "Examples:\n  schema\n  schema example_thing --format json")]
    Schema(Schema),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Plan {
    /// The state file
    #[arg(value_name = "STATE")]
    pub(crate) state: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Upgrade {
    /// The state file
    #[arg(value_name = "STATE")]
    pub(crate) state: PathBuf,
    /// Write here instead of in place; a file that is there is replaced, without a backup
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Schema {
    /// One type; all if not given
    #[arg(value_name = "TYPE")]
    pub(crate) type_name: Option<String>,
    /// How to print; json is the form of `terraform providers schema -json`, by type name
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}
