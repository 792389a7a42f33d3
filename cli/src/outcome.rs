//! The outcome of a command, and its exit code.

/// The outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    Refused,
    Usage,
    Unreadable,
    /// There is something to do, and `--detailed-exitcode` asks for an exit code that says so.
    Changes,
    /// There is something to do, and it would lose stored values: `--detailed-exitcode` again.
    Losses,
    /// A recorded state could not be upgraded.
    FixtureFailed,
}

impl Outcome {
    /// This outcome, or the next step's if this is fine.
    pub(crate) fn and(self, next: Self) -> Self {
        if self == Self::Done { next } else { self }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Usage | Self::Changes => 2,
            Self::Unreadable => 3,
            Self::Losses | Self::FixtureFailed => 4,
        }
    }
}
