//! Panics, as Terraform wants to hear of them.

use std::backtrace::Backtrace;
use std::panic;
use std::thread;

use crate::log::print_line;

/// The variable that shows the messages of panics, secrets and all, if it is `show`.
const SHOW: &str = "UPSTATE_PANICS";

/// Prints panics the way Terraform looks for them: it shows what follows a line that begins with
/// `panic: ` as the provider's stack trace, and nothing else that a provider prints.
///
/// A panic inside an upgrade is reported as a diagnostic; its message may hold a stored value, so
/// only its place is printed. Code that an author's function started on another thread can't be
/// distinguished from any other: `secrets` says whether any resource has some.
///
/// While a provider is developed, the environment variable [`SHOW`] lets all messages be seen: they
/// go into Terraform's output and log.
pub(super) fn install_hook(secrets: bool) {
    let shown = std::env::var_os(SHOW).is_some_and(|value| value == "show");
    panic::set_hook(Box::new(move |info| {
        let place = info
            .location()
            .map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        let message = if shown {
            message(info.payload())
        } else if upstate::upgrade::upgrade_in_progress() {
            "inside an upgrade"
        } else if crate::caught::sees_secrets() {
            "in a resource with sensitive attributes; the message is not shown"
        } else if secrets {
            "in a provider with sensitive attributes; the message is not shown"
        } else {
            message(info.payload())
        };
        let thread = thread::current();
        let name = thread.name().unwrap_or("unnamed");
        let backtrace = Backtrace::force_capture();
        print_line(&format!(
            "panic: {message}\n\nat {place}, thread {name}\n\n{backtrace}"
        ));
    }));
}

fn message(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
