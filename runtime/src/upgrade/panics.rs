//! Panics of user code: caught, and reported without secrets.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::subject::Subject;
use crate::diagnostics::Diagnostic;

thread_local! {
    static UPGRADING: Cell<u32> = const { Cell::new(0) };
}

/// True if this thread is inside an upgrade right now.
///
/// The engine turns a panic there into a diagnostic, without the panic's message if the resource
/// has secret attributes. The program's panic hook runs before, and the standard one prints the
/// message; a hook that asks this can stay silent:
///
/// ```
/// let usual = std::panic::take_hook();
/// std::panic::set_hook(Box::new(move |info| {
///     if !upstate::upgrade::upgrade_in_progress() {
///         usual(info);
///     }
/// }));
/// ```
pub fn upgrade_in_progress() -> bool {
    UPGRADING.get() > 0
}

/// The time during which [`upgrade_in_progress`].
struct Upgrading;

impl Upgrading {
    fn begin() -> Self {
        UPGRADING.set(UPGRADING.get() + 1);
        Self
    }
}

impl Drop for Upgrading {
    fn drop(&mut self) {
        UPGRADING.set(UPGRADING.get().saturating_sub(1));
    }
}

/// The value that a panic left.
pub(super) type Payload = Box<dyn Any + Send>;

/// Runs code of the user. What it was working on must be thrown away if it panics.
pub(super) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, Payload> {
    let _upgrading = Upgrading::begin();
    catch_unwind(AssertUnwindSafe(run))
}

/// The diagnostic for user code that panicked. Its message is left out if it might hold a sensitive
/// value.
#[cold]
pub(super) fn panicked(payload: Payload, has_secret: bool, subject: Subject) -> Diagnostic {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = match text {
        _ if has_secret => {
            "Its message is not shown, because the resource has sensitive attributes".to_owned()
        }
        Some(text) => format!("It said: {text}"),
        None => "It left no message".to_owned(),
    };
    // A payload may itself panic when it is dropped, and is then never dropped.
    if let Err(again) = guarded(move || drop(payload)) {
        std::mem::forget(again);
    }
    Diagnostic::bug(
        "Upgrade Panicked",
        format!(
            "The upgrader panicked. {message}. The stored {} is unchanged.",
            subject.noun()
        ),
    )
}
