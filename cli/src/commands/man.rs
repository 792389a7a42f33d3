//! `man`: manual pages.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::called;
use crate::program::program_name;
use crate::{Outcome, terminal};

/// Print the manual page, or write the pages of all commands into a folder
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  {program} man | man -l -\n  {program} man --output-dir /usr/local/share/man/man1")]
pub(crate) struct Man {
    /// Write a page for each command here
    #[arg(long, value_name = "FOLDER")]
    output_dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self) -> Outcome {
        // A command's name must live as long as the program.
        let name: &'static str = program_name().leak();
        let command = called(name).name(name).bin_name(name);
        if let Some(folder) = &self.output_dir {
            return match clap_mangen::generate_to(command, folder) {
                Ok(()) => Outcome::Done,
                Err(error) => {
                    terminal::fail(&format!("cannot write into {}: {error}", folder.display()));
                    Outcome::Unreadable
                }
            };
        }
        let mut page = Vec::new();
        let rendered = clap_mangen::Man::new(command).render(&mut page);
        terminal::printed(rendered.and_then(|()| std::io::stdout().write_all(&page)))
    }
}
