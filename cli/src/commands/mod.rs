//! The commands, each in a file with its options.

mod adopt;
mod args;
mod codes;
mod completions;
mod documents;
mod downgrade;
mod explain;
mod fix;
mod import;
mod inspect;
mod lint;
mod man;
mod ndjson;
mod next;
mod plan;
mod route;
mod schema;
mod upgrade;

use upstate::{Registry, ResourceDefinition};

use self::args::Command;
pub(crate) use self::args::{Args, called};
use crate::program::Program;
use crate::{Outcome, terminal};

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
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
        Command::Memory(command) => crate::lock::run(program, &command),
    }
}

/// The greatest number of types in a message.
const LISTED: usize = 12;

/// The definition of a type that was named, or a hint at what may have been meant.
fn definition<'r>(registry: &'r Registry, type_name: &str) -> Result<&'r ResourceDefinition, Outcome> {
    registry.get(type_name).ok_or_else(|| {
        let known: Vec<&str> = registry.definitions().map(ResourceDefinition::type_name).collect();
        let hint = match terminal::nearest(type_name, known.iter().copied()) {
            Some(nearest) => format!("did you mean {nearest:?}?"),
            None if known.is_empty() => "this program knows none".to_owned(),
            None if known.len() > LISTED => format!("`schema` lists the {} types that this program knows", known.len()),
            None => format!("known are: {}", known.join(", ")),
        };
        terminal::fail(&format!("no resource type is named {type_name:?}; {hint}"));
        Outcome::Usage
    })
}
