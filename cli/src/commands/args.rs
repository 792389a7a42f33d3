//! The commands: one variant a command, whose own file has its options.

use std::fmt::Write as _;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};

use super::{
    adopt, completions, downgrade, explain, fix, import, inspect, lint, man, next, plan, schema,
    upgrade,
};
use crate::outcome::Outcome;
use crate::program::Program;
use crate::terminal;

#[derive(Debug, Parser)]
#[command(
    version,
    about = "Upgrade stored resource state to the current schema versions",
    long_about = "Upgrade stored resource state to the current schema versions.\n\n\
        Reads Terraform state files of format 4. Only the attributes and schema version of upgraded instances and the file's \
        serial change. Nothing is written unless every instance of a known type can be upgraded.",
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
pub(crate) struct Args<C: Subcommand> {
    /// When to use colors; respects `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(long, global = true, display_order = 900, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
    #[command(subcommand)]
    pub(crate) command: C,
}

/// The commands by who needs them.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Stored state",
        &[
            "plan",
            "upgrade",
            "downgrade",
            "inspect",
            "explain",
            "schema",
        ],
    ),
    (
        "Releases",
        &[
            "lock",
            "check",
            "changelog",
            "guide",
            "rules",
            "accept",
            "known",
        ],
    ),
    ("Source", &["next", "lint", "fix", "import", "adopt"]),
    ("This program", &["completions", "man"]),
];

/// The widest help: longer lines are hard to read.
const WIDEST: usize = 100;

/// The help of the whole program: the commands below a heading for each group, since clap lists
/// them all below one.
fn grouped(command: clap::Command) -> clap::Command {
    let header = *command.get_styles().get_header();
    let name_style = *command.get_styles().get_literal();
    let columns =
        terminal::columns(&std::io::stdout()).map_or(WIDEST, |columns| columns.min(WIDEST));
    let width = command
        .get_subcommands()
        .map(|one| one.get_name().len())
        .max()
        .unwrap_or_default();
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n\n".to_owned();
    for (heading, names) in GROUPS {
        let commands: Vec<_> = names
            .iter()
            .filter_map(|name| command.find_subcommand(name))
            .collect();
        if commands.is_empty() {
            continue;
        }
        let _ = writeln!(template, "{header}{heading}:{header:#}");
        for one in commands {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            let line = format!(
                "  {name_style}{:width$}{name_style:#}  {about}\n",
                one.get_name()
            );
            template.push_str(&terminal::broken(&line, columns, width + 4));
        }
        template.push('\n');
    }
    let _ = write!(
        template,
        "{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

/// The command line of a program that is called `name`. In the examples, the name replaces
/// `{program}`.
pub(crate) fn called<C: Commands>(name: &str) -> clap::Command {
    fn named(command: clap::Command, name: &str) -> clap::Command {
        let examples = command
            .get_after_help()
            .map(|help| help.to_string().replace("{program}", name));
        let command = match examples {
            Some(examples) => command.after_help(examples),
            None => command,
        };
        command.mut_subcommands(|command| named(command, name))
    }
    grouped(named(C::adapted(Args::<C>::command()), name))
}

/// A set of commands that a program has.
pub(crate) trait Commands: Subcommand {
    /// The command line, where a command is described in another way than in other sets.
    fn adapted(command: clap::Command) -> clap::Command {
        command
    }

    fn run(self, program: &Program) -> Outcome;
}

/// The commands about stored state: all that people need who have no source of the models.
#[derive(Debug, Subcommand)]
pub(crate) enum Stored {
    Plan(plan::Plan),
    Upgrade(upgrade::Upgrade),
    Downgrade(downgrade::Downgrade),
    Inspect(inspect::Inspect),
    Explain(explain::Explain),
    Schema(schema::Schema),
}

impl Commands for Stored {
    /// Neither rules of releases nor what their `check` prints: this set has no such command, and
    /// people who look for one want to know if their state can be upgraded.
    fn adapted(command: clap::Command) -> clap::Command {
        command
            .mut_subcommand("plan", |plan| {
                let about = "Show what an upgrade of a state file, or a downgrade, would change, and what it cannot do; `check` is the same";
                plan.about(about).visible_alias("check")
            })
            .mut_subcommand("explain", |explain| {
                let examples =
                    "Examples:\n  {program} explain example_thing\n  {program} explain example_thing --format svg > route.svg";
                let explain =
                    explain.about("Show the history of a type: its versions, what each changed, and the route from each");
                explain.after_help(examples).mut_arg("type_name", |name| name.help("The type"))
            })
            .mut_subcommand("schema", |schema| {
                let examples = "Examples:\n  {program} schema\n  {program} schema example_thing --format json\n  \
                    {program} schema example_thing --format json-schema --version 0";
                schema.after_help(examples).mut_arg("type_name", |name| name.help("A type; all types unless given"))
            })
    }

    fn run(self, program: &Program) -> Outcome {
        let registry = program.registry();
        if matches!(self, Self::Plan(_) | Self::Upgrade(_) | Self::Downgrade(_))
            && registry.definitions().len() == 0
        {
            terminal::fail(
                "this program has no models, so there is no state that it could upgrade: run the program of your provider or application, \
                 whose `main` gives `upstate_cli` its models",
            );
            return Outcome::Usage;
        }
        match self {
            Self::Plan(plan) => plan.run(program),
            Self::Upgrade(upgrade) => upgrade.run(program),
            Self::Downgrade(downgrade) => downgrade.run(program),
            Self::Inspect(inspect) => inspect.run(registry),
            Self::Explain(explain) => explain.run(registry),
            Self::Schema(schema) => schema.run(registry),
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Stored(Box<Stored>),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_in_one_group_of_the_help() {
        let mut listed: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        listed.sort_unstable();
        let command = Args::<Command>::command();
        let mut all: Vec<&str> = command
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        all.sort_unstable();
        assert_eq!(listed, all);
    }
}
