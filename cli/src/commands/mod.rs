//! The commands, each in a file with its options.

mod adopt;
mod args;
mod codes;
mod completions;
mod definition;
mod documents;
mod downgrade;
mod explain;
mod fix;
mod import;
mod inspect;
mod lanes;
mod lint;
mod man;
mod ndjson;
mod next;
mod plan;
mod route;
mod schema;
mod upgrade;

use self::args::Command;
pub(crate) use self::args::{Args, called};
use crate::outcome::Outcome;
use crate::program::{Program, program_name};
use crate::terminal;

pub(crate) fn run(command: Command, program: &Program) -> Outcome {
    let registry = program.registry();
    if matches!(command, Command::Plan(_) | Command::Upgrade(_) | Command::Downgrade(_)) && registry.definitions().len() == 0 {
        terminal::fail(
            "this program has no models, so there is no state that it could upgrade: run the program of your provider or application, \
             whose `main` gives `upstate_cli` its models",
        );
        return Outcome::Usage;
    }
    match command {
        Command::Plan(plan) => plan.run(program),
        Command::Upgrade(upgrade) => upgrade.run(program),
        Command::Downgrade(downgrade) => downgrade.run(program),
        Command::Inspect(inspect) => inspect.run(registry),
        Command::Explain(explain) => explain.run(registry),
        Command::Schema(schema) => schema.run(registry),
        Command::Next(next) => next.run(),
        Command::Lint(lint) => lint.run(),
        Command::Fix(fix) => fix.run(),
        Command::Adopt(adopt) => adopt.run(),
        Command::Import(import) => import.run(),
        Command::Completions(completions) => completions.run(called(&program_name()), registry),
        Command::Man(man) => man.run(called(&program_name())),
        Command::Memory(command) => crate::lock::run(program, &command),
    }
}
