//! Random bytes for ids, tokens and keys.

/// Fills `bytes` from the operating system's generator.
///
/// Without it nothing that must be secret can be made, so the process ends.
pub(crate) fn fill(bytes: &mut [u8]) {
    if let Err(error) = getrandom::fill(bytes) {
        tracing::error!(%error, "the operating system gives no random bytes");
        std::process::abort();
    }
}

/// A secret of 32 random bytes.
pub(crate) fn secret() -> [u8; 32] {
    let mut bytes = [0; 32];
    fill(&mut bytes);
    bytes
}
