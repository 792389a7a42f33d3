//! The releases that state comes from.

use std::io::{self, Read as _};
use std::path::Path;

use upstate_state::{self as state_file, FileBytes, StateFile, StateFileError};

use crate::outcome::Outcome;
use crate::{problem, progress, terminal};

/// True if a path means standard input or output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of a source.
pub(crate) fn name(path: &Path) -> String {
    if is_dash(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Reads all of it.
pub(crate) fn read(path: &Path) -> Result<FileBytes, Outcome> {
    let result = if is_dash(path) {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map(|_| bytes.into())
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
    let reading = progress::reading(bytes.len());
    let parsed = StateFile::parse(bytes);
    reading.finish_and_clear();
    parsed.map_err(|error| refuse(path, bytes, &error))
}

/// Takes it for a state file that is upgraded at once; what the upgrade finds out then is
/// [`refused_later`].
pub(crate) fn parse_to_upgrade<'t>(path: &Path, bytes: &'t [u8]) -> Result<StateFile<'t>, Outcome> {
    let reading = progress::reading(bytes.len());
    let parsed = StateFile::parse_to_upgrade(bytes);
    reading.finish_and_clear();
    parsed.map_err(|error| refuse(path, bytes, &error))
}

/// Says why a file is not a state file, if that is what ended its upgrade.
pub(crate) fn refused_later(path: &Path, bytes: &[u8], error: &io::Error) -> Option<Outcome> {
    let found = error.get_ref()?.downcast_ref::<StateFileError>()?;
    Some(refuse(path, bytes, found))
}

fn refuse(path: &Path, bytes: &[u8], error: &StateFileError) -> Outcome {
    problem::draw(&name(path), bytes, error);
    Outcome::Unreadable
}
