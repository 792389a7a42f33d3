//! The commands: one variant a command, whose own file has its options.

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};

use super::{adopt, completions, downgrade, explain, fix, import, inspect, lint, man, next, plan, schema, upgrade};

#[derive(Debug, Parser)]
#[command(
    version,
    about = "Upgrade stored resource state to the current schema versions",
    long_about = "Upgrade stored resource state to the current schema versions.\n\n\
        Reads Terraform state files of format 4. Only the attributes and schema version of upgraded instances and the file's \
        serial change; every other byte stays as it is. Nothing is written unless every instance of a known type can be upgraded.",
    after_help = "Examples:\n  \
        {program} plan terraform.tfstate                  what an upgrade would change\n  \
        {program} upgrade terraform.tfstate               in place; the old state is kept next to it\n  \
        terraform state pull | {program} upgrade - > new  any state that Terraform can reach\n  \
        {program} inspect terraform.tfstate               which types and versions there are\n  \
        {program} explain example_thing                   how each stored version gets to the current one\n  \
        {program} downgrade terraform.tfstate --to-release 1.4.0\n\n\
        Exit codes: 0 done, 1 an upgrade was refused, 2 wrong usage, 3 input unreadable or output unwritable.",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Args {
    /// True if to use colors; also respects `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The command line of a program that is called `name`. In the examples, the name replaces `{program}`.
pub(crate) fn called(name: &str) -> clap::Command {
    fn named(command: clap::Command, name: &str) -> clap::Command {
        let examples = command.get_after_help().map(|help| help.to_string().replace("{program}", name));
        let command = match examples {
            Some(examples) => command.after_help(examples),
            None => command,
        };
        command.mut_subcommands(|command| named(command, name))
    }
    named(Args::command(), name)
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Plan(plan::Plan),
    Upgrade(upgrade::Upgrade),
    Downgrade(downgrade::Downgrade),
    Inspect(inspect::Inspect),
    Explain(explain::Explain),
    Schema(schema::Schema),
    Next(next::Next),
    Lint(lint::Lint),
    Fix(fix::Fix),
    Import(import::Import),
    Adopt(adopt::Adopt),
    Completions(completions::Completions),
    Man(man::Man),
    #[command(flatten)]
    Memory(crate::lock::Command),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Colour {
    /// Applies it to everything that is printed from now on.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => {}
            Self::Always => anstream::ColorChoice::Always.write_global(),
            Self::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}
