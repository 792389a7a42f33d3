//! The lock that a server is started with: what its provider's releases stored.

use std::path::Path;

use upstate_compat::lock::Lock;

/// Reads the lock; without one, no release is known.
pub(super) fn read(path: Option<&Path>) -> Result<Lock, String> {
    let Some(path) = path else {
        return Ok(Lock::default());
    };
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("--lock {shown} cannot be read: {error}"))?;
    Lock::parse(&text).map_err(|error| format!("--lock {shown}: {error}"))
}
