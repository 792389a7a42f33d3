//! A bar for long work, on a terminal and nowhere else.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};

/// Work on fewer instances is over before anybody looks.
const WORTH_IT: usize = 5_000;

/// A bar over `instances`; hidden in pipes, in CI and for short work.
pub(crate) fn bar(instances: usize, verb: &'static str) -> ProgressBar {
    let watched = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none() && instances >= WORTH_IT;
    if !watched {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(instances as u64).with_message(verb);
    match ProgressStyle::with_template("{msg} [{bar:30}] {human_pos} of {human_len} instances, {eta} left") {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}
