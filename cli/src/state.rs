//! `plan` and `upgrade`: state files.

use std::fs;
use std::path::{Path, PathBuf};

use upstate::Registry;
use upstate::state_file::{StateFile, StateFileUpgrade, replace, write_new};

use crate::Outcome;
use crate::args::{Plan, Upgrade};
use crate::report::{self, Report, Written};

pub(crate) fn plan(registry: &Registry, args: &Plan) -> Outcome {
    with_upgrade(registry, &args.state, |_, upgrade| {
        let refused = upgrade.has_failures();
        let printed = Report::new(&args.state, registry, upgrade, None).print(args.format);
        printed.and(if refused { Outcome::Refused } else { Outcome::Done })
    })
}

pub(crate) fn upgrade(registry: &Registry, args: &Upgrade) -> Outcome {
    with_upgrade(registry, &args.state, |old, upgrade| {
        let Some(bytes) = upgrade.to_bytes() else {
            let printed = Report::new(&args.state, registry, upgrade, Some(Written::Nothing)).print(args.format);
            return printed.and(Outcome::Refused);
        };
        // Another name for the same file is still that file: it gets its backup.
        let elsewhere = args.output.as_ref().filter(|output| !same_file(output, &args.state));
        let written = match elsewhere {
            Some(output) => write_new(output, &bytes).map(|()| Written::To(output.clone())),
            None if !upgrade.has_changes() => Ok(Written::Nothing),
            None => replace(&args.state, old, &bytes).map(|backup| Written::InPlace { backup }),
        };
        match written {
            Ok(written) => Report::new(&args.state, registry, upgrade, Some(written)).print(args.format),
            Err(error) => {
                let target: &PathBuf = args.output.as_ref().unwrap_or(&args.state);
                report::fail(&format!("cannot write {}: {error}", target.display()));
                Outcome::Unreadable
            }
        }
    })
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// Reads and upgrades the state file at `path`, and says why if it can't be read.
fn with_upgrade(registry: &Registry, path: &Path, then: impl FnOnce(&[u8], &StateFileUpgrade<'_>) -> Outcome) -> Outcome {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            report::fail(&format!("cannot read {}: {error}", path.display()));
            return Outcome::Unreadable;
        }
    };
    match StateFile::parse(&bytes) {
        Ok(state) => then(&bytes, &state.upgrade(registry)),
        Err(error) => {
            for problem in error.problems() {
                let at = problem.line_and_column().map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
                report::fail(&format!("{}{at}: {}", path.display(), problem.message()));
            }
            Outcome::Unreadable
        }
    }
}
