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

pub(crate) use self::args::{Args, Command, Commands, Stored, called};
pub(crate) use self::completions::answered;
use crate::outcome::Outcome;
use crate::program::{Program, program_name};

impl Commands for Command {
    fn run(self, program: &Program) -> Outcome {
        let registry = program.registry();
        match self {
            Self::Stored(stored) => match *stored {
                Stored::Explain(explain) => explain.run_with_source(registry),
                Stored::Schema(schema) => schema.run_with_published(registry),
                stored @ (Stored::Plan(_)
                | Stored::Upgrade(_)
                | Stored::Downgrade(_)
                | Stored::Inspect(_)) => stored.run(program),
            },
            Self::Next(next) => next.run(),
            Self::Lint(lint) => lint.run(),
            Self::Fix(fix) => fix.run(),
            Self::Adopt(adopt) => adopt.run(),
            Self::Import(import) => import.run(),
            Self::Completions(completions) => completions.run(),
            Self::Man(man) => man.run(called::<Self>(&program_name())),
            Self::Memory(command) => crate::lock::run(program, &command),
        }
    }
}
