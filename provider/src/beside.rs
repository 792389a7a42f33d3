//! Another provider, in whatever language, that serves what this one does not serve yet.

mod companion;
mod connection;
pub(crate) mod guard;
mod output;
mod process;
mod schema;

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) use self::companion::{Companion, Kind, Served};
pub(crate) use self::connection::{answered, collected, message_of};

/// The time that Terraform gives a provider to start.
const PATIENCE: Duration = Duration::from_mins(1);

/// The program of another provider, which serves all types that this one does not; for
/// [`Provider::beside`](crate::Provider::beside).
///
/// A name without a folder is a file beside this provider's own program, where a release has it.
///
/// ```
/// use std::time::Duration;
/// use upstate_provider::Beside;
///
/// let old = Beside::new("terraform-provider-acme-go").argument("-quiet").within(Duration::from_secs(20));
/// ```
#[derive(Debug, Clone)]
pub struct Beside {
    program: PathBuf,
    arguments: Vec<OsString>,
    patience: Duration,
    /// True if this process is the provider's own program, which can be its guard, too.
    guarded: bool,
}

impl Beside {
    /// The provider of this program. A path that is not absolute begins in the folder of this
    /// provider's own program.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            patience: PATIENCE,
            guarded: false,
        }
    }

    /// Adds an argument of its command line.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets how long it may take to start and to describe its schemas: a minute, unless set.
    #[must_use]
    pub fn within(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Lets this process's own program guard the other one, as [`guard`] says.
    pub(crate) fn guard(&mut self) {
        self.guarded = true;
    }

    /// The program's file, if this process is the program at `own`.
    pub(crate) fn file(&self, own: &Path) -> PathBuf {
        self.file_for(own, !EXE_SUFFIX.is_empty())
    }

    /// The program's file, for Windows or another system.
    pub(crate) fn file_for(&self, own: &Path, windows: bool) -> PathBuf {
        let path = own.parent().unwrap_or(own).join(&self.program);
        if !windows || path.extension().is_some() {
            return path;
        }
        let mut named = path.into_os_string();
        named.push(".exe");
        named.into()
    }

    /// The name of a program that lies beside this provider's own.
    ///
    /// # Errors
    /// It is to lie elsewhere, where no archive puts it.
    pub(crate) fn name(&self) -> Result<String, String> {
        match self.program.file_name() {
            Some(name) if self.program == Path::new(name) => {
                Ok(name.to_string_lossy().into_owned())
            }
            Some(_) | None => Err(format!(
                "{} is in another folder, and a release has all programs in one. Give `beside` a name without a folder.",
                self.program.display()
            )),
        }
    }
}

impl<P: Into<PathBuf>> From<P> for Beside {
    fn from(program: P) -> Self {
        Self::new(program)
    }
}

#[cfg(test)]
mod tests;
