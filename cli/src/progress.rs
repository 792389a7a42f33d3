//! A bar for long work, on a terminal and nowhere else.

use std::io::IsTerminal as _;

use std::time::Duration;

use indicatif::{BinaryBytes, ProgressBar, ProgressStyle};

/// Work on fewer instances is over before anybody looks.
const WORTH_IT: usize = 5_000;

/// A smaller file is read before anybody looks.
const SOME_BYTES: usize = 4 << 20;

/// A sign of life while a file of so many bytes is read; hidden in pipes, in CI and for small
/// files.
pub(crate) fn reading(bytes: usize) -> ProgressBar {
    let watched =
        std::io::stderr().is_terminal() && std::env::var_os("CI").is_none() && bytes >= SOME_BYTES;
    if !watched {
        return ProgressBar::hidden();
    }
    let spinner =
        ProgressBar::new_spinner().with_message(format!("reading {}", BinaryBytes(bytes as u64)));
    spinner.tick();
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

/// A bar over `instances`; hidden in pipes, in CI and for short work.
pub(crate) fn bar(instances: usize, verb: &'static str) -> ProgressBar {
    let watched = std::io::stderr().is_terminal()
        && std::env::var_os("CI").is_none()
        && instances >= WORTH_IT;
    if !watched {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(instances as u64).with_message(verb);
    // A bar that waits for the first instance would leave the terminal empty until then.
    bar.tick();
    match ProgressStyle::with_template(
        "{msg} [{bar:30}] {human_pos} of {human_len} instances, {eta} left",
    ) {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}
