//! `completions`: for the shell. Its script calls this program at each Tab, which knows its types,
//! the releases of the lock and the state that is named.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use upstate_compat::RULES;
use upstate_state::StateFile;

use crate::outcome::Outcome;
use crate::program::{Program, program_name};
use crate::releases::Releases;
use crate::terminal;

/// Print a script that lets a shell complete commands, options, types, releases, and addresses of
/// the named state
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  \
    {program} completions bash > /etc/bash_completion.d/{program}\n  \
    {program} completions fish > ~/.config/fish/completions/{program}.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// The variable by which a script asks, with the name of the shell.
const REQUEST: &str = "UPSTATE_COMPLETE";

/// The name of a state in the folder, where none is named.
const STATE: &str = "terraform.tfstate";

impl Completions {
    pub(crate) fn run(&self) -> Outcome {
        let (mut script, name) = (Vec::new(), program_name());
        let shells = Shells::builtins();
        let written = match shells.completer(&self.shell.to_string()) {
            Some(shell) => shell.write_registration(REQUEST, &name, &name, &name, &mut script),
            None => Err(std::io::Error::other(format!(
                "there are no completions for {}",
                self.shell
            ))),
        };
        terminal::printed(written.and_then(|()| std::io::stdout().write_all(&script)))
    }
}

/// Answers a shell that asks what may come next; false if none asks.
pub(crate) fn answered(
    command: &clap::Command,
    program: &Program,
    arguments: &[OsString],
) -> clap::error::Result<bool> {
    if std::env::var_os(REQUEST).is_none() {
        return Ok(false);
    }
    let here = std::env::current_dir().ok();
    let make = || knowing(command.clone(), program, arguments);
    CompleteEnv::with_factory(make)
        .var(REQUEST)
        .try_complete(arguments.iter().cloned(), here.as_deref())
}

/// The command line with what may be the value of its arguments.
fn knowing(command: clap::Command, program: &Program, arguments: &[OsString]) -> clap::Command {
    let types: Vec<String> = program
        .registry()
        .definitions()
        .map(|one| one.type_name().to_owned())
        .collect();
    let rules = RULES.iter().map(|rule| rule.id().to_owned());
    let explained = if command.find_subcommand("check").is_some() {
        types.iter().cloned().chain(rules).collect()
    } else {
        types.clone()
    };
    let releases = Releases::known(program.lock()).names();
    let selectable = {
        let (types, state) = (types.clone(), named_state(arguments));
        // Read when it is asked for, since most requests are about something else.
        move || {
            types
                .iter()
                .cloned()
                .chain(state.as_deref().map(addresses).unwrap_or_default())
                .collect()
        }
    };
    let commands = ["plan", "upgrade", "downgrade"];
    let command = takes(command, "explain", "type_name", move || explained.clone());
    let command = takes(command, "schema", "type_name", move || types.clone());
    commands.into_iter().fold(command, |command, name| {
        let (releases, selectable) = (releases.clone(), selectable.clone());
        let command = takes(command, name, "only", selectable.clone());
        let command = takes(command, name, "exclude", selectable);
        takes(command, name, "to_release", move || releases.clone())
    })
}

/// A command whose argument has these values, if both are there.
fn takes(
    command: clap::Command,
    name: &'static str,
    argument: &'static str,
    values: impl Fn() -> Vec<String> + Send + Sync + 'static,
) -> clap::Command {
    let has_it = |one: &clap::Command| one.get_arguments().any(|one| one.get_id() == argument);
    if !command.find_subcommand(name).is_some_and(has_it) {
        return command;
    }
    let fitting = move |part: &OsStr| {
        let part = part.to_string_lossy();
        values()
            .into_iter()
            .filter(|value| value.starts_with(&*part))
            .map(CompletionCandidate::new)
            .collect::<Vec<_>>()
    };
    command.mut_subcommand(name, |one| {
        one.mut_arg(argument, |one| one.add(ArgValueCompleter::new(fitting)))
    })
}

/// The state that the command line names, or the one of the folder.
fn named_state(arguments: &[OsString]) -> Option<PathBuf> {
    // Behind the first `--` is what somebody typed: the program, the command, and the rest.
    let typed = arguments
        .iter()
        .skip_while(|one| *one != "--")
        .skip(3)
        .map(PathBuf::from);
    typed
        .chain([PathBuf::from(STATE)])
        .find(|path| path.is_file())
}

/// The addresses of a state's resources and modules, as far as a shell takes them as they are: one
/// with a key is left out, and what contains it is there.
fn addresses(state: &Path) -> Vec<String> {
    let Ok(bytes) = std::fs::read(state) else {
        return Vec::new();
    };
    let Ok(state) = StateFile::parse(&bytes) else {
        return Vec::new();
    };
    let addresses: BTreeSet<String> = state
        .instances()
        .iter()
        .filter_map(|one| {
            one.address()
                .to_string()
                .split('[')
                .next()
                .map(str::to_owned)
        })
        .collect();
    addresses.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_that_a_shell_takes_as_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("x.tfstate");
        let resource = |module: &str, name: &str| {
            format!(
                r#"{{{module}"mode": "managed", "type": "t", "name": "{name}", "provider": "provider.x", "instances": [
                    {{"index_key": "a b", "schema_version": 0, "attributes": {{}}}}, {{"index_key": "c", "schema_version": 0, "attributes": {{}}}}]}}"#
            )
        };
        let resources = [
            resource("", "n"),
            resource(r#""module": "module.m[\"k\"]", "#, "n"),
        ]
        .join(", ");
        std::fs::write(
            &file,
            format!(r#"{{"version": 4, "serial": 1, "lineage": "l", "resources": [{resources}]}}"#),
        )
        .expect("a file");
        assert_eq!(addresses(&file), ["module.m", "t.n"]);
        assert!(addresses(folder.path()).is_empty());
    }
}
