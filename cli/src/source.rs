//! Where state comes from.

use std::io::Read as _;
use std::path::Path;

use upstate_state::{self as state_file, StateFile};

use crate::{Outcome, problem, terminal};

/// Whether a path means standard input or output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// How a source is called.
pub(crate) fn name(path: &Path) -> String {
    if is_dash(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads all of it.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Outcome> {
    let result = if is_dash(path) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        state_file::read(path)
    };
    result.map_err(|error| {
        terminal::fail(&format!("cannot read {}: {error}", name(path)));
        Outcome::Unreadable
    })
}

/// Takes it for a state file, and says why if it is none.
pub(crate) fn parse<'t>(path: &Path, bytes: &'t [u8]) -> Result<StateFile<'t>, Outcome> {
    StateFile::parse(bytes).map_err(|error| {
        problem::draw(&name(path), bytes, &error);
        Outcome::Unreadable
    })
}
