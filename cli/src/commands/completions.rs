//! `completions`: for the shell.

use std::io::Write as _;

use clap::Args as ClapArgs;
use clap_complete::Shell;

use crate::outcome::Outcome;
use crate::program::program_name;
use crate::terminal;

/// Print a script that lets a shell complete commands and options
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
    pub(crate) fn run(&self, mut command: clap::Command) -> Outcome {
        let mut script = Vec::new();
        let name = program_name();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        terminal::printed(std::io::stdout().write_all(&script))
    }
}
