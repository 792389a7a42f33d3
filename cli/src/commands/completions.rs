//! `completions`: for the shell.

use std::io::Write as _;

use clap::{Args as ClapArgs, CommandFactory as _};
use clap_complete::Shell;

use super::Args;
use crate::program::program_name;
use crate::{Outcome, terminal};

/// Print a script that lets a shell complete commands and options
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  \
    completions bash > /etc/bash_completion.d/NAME\n  \
    completions fish > ~/.config/fish/completions/NAME.fish")]
pub(crate) struct Completions {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Args::command(), program_name(), &mut script);
        terminal::printed(std::io::stdout().write_all(&script))
    }
}
