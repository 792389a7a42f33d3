//! `man`: manual pages.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;

use crate::outcome::Outcome;
use crate::program::program_name;
use crate::terminal;

/// Print the manual page, or write the pages of all commands into a folder
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  {program} man | man -l -\n  {program} man --output-dir /usr/local/share/man/man1"
)]
pub(crate) struct Man {
    /// Write a page for each command here
    #[arg(long, value_name = "FOLDER")]
    output_dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self, command: clap::Command) -> Outcome {
        // A command's name must live as long as the program.
        let name: &'static str = program_name().leak();
        let command = command.name(name).bin_name(name);
        if let Some(folder) = &self.output_dir {
            let mut command = command.disable_help_subcommand(true);
            command.build();
            return match pages(&command, folder) {
                Ok(()) => Outcome::Done,
                Err(error) => {
                    terminal::fail(&format!("cannot write into {}: {error}", folder.display()));
                    Outcome::Unreadable
                }
            };
        }
        terminal::printed(page(command).and_then(|page| io::stdout().write_all(&page)))
    }
}

/// Writes the pages of a command and of those below it.
fn pages(command: &clap::Command, folder: &Path) -> io::Result<()> {
    for below in command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
    {
        pages(below, folder)?;
    }
    let name = clap_mangen::Man::new(command.clone()).get_filename();
    fs::write(folder.join(name), page(command.clone())?)
}

/// A page whose examples and exit codes have sections of their own, as manual pages have them: the
/// library puts both into one called EXTRA.
fn page(command: clap::Command) -> io::Result<Vec<u8>> {
    let after = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let (has_commands, has_version) = (command.has_subcommands(), command.get_version().is_some());
    let man = clap_mangen::Man::new(command);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    // The library lists each option without its value.
    writeln!(
        page,
        ".SH SYNOPSIS\n.nf\n{}\n.fi",
        escaped(usage.trim_start_matches("Usage:").trim())
    )?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    let (examples, codes) = after.split_once("Exit codes: ").unwrap_or((&after, ""));
    let examples = examples.trim_start_matches("Examples:").trim_matches('\n');
    if !examples.is_empty() {
        writeln!(page, ".SH EXAMPLES\n.nf\n{}\n.fi", escaped(examples))?;
    }
    if !codes.is_empty() {
        writeln!(page, ".SH \"EXIT STATUS\"\n{}", escaped(codes.trim()))?;
    }
    if has_version {
        man.render_version_section(&mut page)?;
    }
    Ok(page)
}

/// Lines that roff prints as they are, without requests and escapes.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    text.lines()
        .map(|line| {
            if line.starts_with(['.', '\'']) {
                format!("\\&{line}")
            } else {
                line.to_owned()
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}
