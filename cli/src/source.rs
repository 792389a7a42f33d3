//! The releases that state comes from.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::Path;

use serde_json::value::RawValue;
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
    unless_document(path, bytes, parsed)
}

/// Takes it for a state file that is upgraded at once; what the upgrade finds out then is
/// [`refused_later`].
pub(crate) fn parse_to_upgrade<'t>(path: &Path, bytes: &'t [u8]) -> Result<StateFile<'t>, Outcome> {
    let reading = progress::reading(bytes.len());
    let parsed = StateFile::parse_to_upgrade(bytes);
    reading.finish_and_clear();
    unless_document(path, bytes, parsed)
}

/// The members of a state file beside its version, in any format of it.
const MEMBERS: [&str; 7] = [
    "check_results",
    "lineage",
    "modules",
    "outputs",
    "resources",
    "serial",
    "terraform_version",
];

/// The state file, unless the file is a document with a member `version`.
fn unless_document<'t>(
    path: &Path,
    bytes: &'t [u8],
    parsed: Result<StateFile<'t>, StateFileError>,
) -> Result<StateFile<'t>, Outcome> {
    // No other is read twice, because state files may be large.
    let may_be_document = match &parsed {
        Ok(state) => state.instances().is_empty() && state.lineage().is_empty(),
        Err(_) => true,
    };
    if may_be_document && is_document(bytes) {
        terminal::fail(&format!(
            "{} is not a state file: it has a `version`, but neither `resources` nor `lineage`; `plan` and `upgrade` read a document \
             with --file-format json --version-member version, and with --type TYPE if it does not say its type",
            name(path)
        ));
        return Err(Outcome::Unreadable);
    }
    parsed.map_err(|error| refuse(path, bytes, &error))
}

/// True for an object that has a `version` and other members, but none of a state file.
fn is_document(bytes: &[u8]) -> bool {
    serde_json::from_slice::<BTreeMap<String, &RawValue>>(bytes).is_ok_and(|members| {
        members.len() > 1
            && members.contains_key("version")
            && !MEMBERS.iter().any(|member| members.contains_key(*member))
    })
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
