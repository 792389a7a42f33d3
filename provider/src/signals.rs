//! Signals of the terminal, which all of its processes get.

use std::io;

/// The host gets an interrupt as well, and decides when to stop; a provider that just ended would
/// lose what it is doing.
#[cfg(unix)]
pub(crate) fn ignore_interrupts() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupts = signal(SignalKind::interrupt())?;
    tokio::spawn(async move { while interrupts.recv().await.is_some() {} });
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn ignore_interrupts() -> io::Result<()> {
    let mut interrupts = tokio::signal::windows::ctrl_c()?;
    tokio::spawn(async move { while interrupts.recv().await.is_some() {} });
    Ok(())
}
