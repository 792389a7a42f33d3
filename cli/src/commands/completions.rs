//! `completions`: for the shell.

use std::io::Write as _;

use clap::Args as ClapArgs;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use upstate::Registry;
use upstate_compat::RULES;

use crate::outcome::Outcome;
use crate::program::program_name;
use crate::terminal;

/// Print a script that lets a shell complete commands, options and the names of types
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  \
    {program} completions bash > /etc/bash_completion.d/{program}\n  \
    {program} completions fish > ~/.config/fish/completions/{program}.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, command: clap::Command, registry: &Registry) -> Outcome {
        let (mut script, mut command) = (Vec::new(), knowing(command, registry));
        let name = program_name();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        terminal::printed(std::io::stdout().write_all(&script))
    }
}

/// The command line with the types of this program and the rules as values: a script is made for one release of it.
fn knowing(command: clap::Command, registry: &Registry) -> clap::Command {
    // Values of a command must live as long as the program.
    let types: Vec<&'static str> = registry.definitions().map(|one| &*one.type_name().to_owned().leak()).collect();
    let explained: Vec<&'static str> = types.iter().copied().chain(RULES.iter().map(|rule| rule.id())).collect();
    let takes = |command: clap::Command, name: &str, argument: &str, values: &[&'static str]| {
        let values = PossibleValuesParser::new(values.to_vec());
        command.mut_subcommand(name, |command| command.mut_arg(argument, |argument| argument.value_parser(values)))
    };
    let command = takes(command, "explain", "type_name", &explained);
    let command = takes(command, "schema", "type_name", &types);
    let select = ["plan", "upgrade", "downgrade"].into_iter();
    let select = select.flat_map(|name| [(name, "only"), (name, "exclude")]);
    select.fold(command, |command, (name, argument)| takes(command, name, argument, &types))
}
