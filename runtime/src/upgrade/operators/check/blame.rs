//! Names the value, member or condition of an operator that is wrong.
//!
//! The compiler reports a failed check where the derive calls it, and only the derive knows where
//! each operand is written. So these checks return what is wrong, and the derive calls
//! [`refuse_operand`] there.

use crate::message::Message;

/// An operand that is wrong, and why.
#[expect(
    missing_debug_implementations,
    reason = "only const evaluation has one"
)]
pub struct Blamed {
    /// The operator of its production and its own number in that operator, both from 0. In an
    /// account, 1 and the number of a `drop`, 2 and that of a production, or 0 where no operator is
    /// blamed.
    pub operand: (usize, usize),
    message: Message,
}

/// The subject of a finding of the accounting.
#[derive(Clone, Copy)]
pub(super) enum Accounted {
    /// A field that no operator names.
    Nowhere,
    Dropped(usize),
    Production(usize),
}

impl Blamed {
    pub(super) const fn of_account(place: Accounted, message: Message) -> Self {
        let operand = match place {
            Accounted::Nowhere => (0, 0),
            Accounted::Dropped(index) => (1, index),
            Accounted::Production(index) => (2, index),
        };
        Self { operand, message }
    }

    #[track_caller]
    pub(super) const fn refuse(&self) -> ! {
        self.message.panic()
    }
}

/// Stops the compiler where the operand is written. A function, so that its call begins with what
/// the derive puts there.
#[doc(hidden)]
#[track_caller]
pub const fn refuse_operand(blamed: &Blamed) -> ! {
    blamed.refuse()
}

/// Stops the compiler as [`refuse_operand`] does, at a `carry` that has the types of these fields:
/// operators in its place need them.
#[doc(hidden)]
#[track_caller]
pub const fn refuse_carried(blamed: &Blamed, types: &[(&str, &str)]) -> ! {
    let mut message = blamed.message.copied();
    let mut rest = types;
    while let [(field, ty), others @ ..] = rest {
        message = message.with_type(field, ty);
        rest = others;
    }
    message.panic()
}

/// The state of a walk through the operators of a production: the operator that it is at, and the
/// operand that it blames so far.
pub(in super::super) struct Blame {
    stage: usize,
    found: Option<Blamed>,
}

impl Blame {
    pub(super) const fn none() -> Self {
        Self {
            stage: 0,
            found: None,
        }
    }

    /// Goes on to another operator.
    pub(super) const fn at(&mut self, stage: usize) {
        self.stage = stage;
    }

    pub(in super::super) const fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// Blames an operand, unless another was wrong before it.
    pub(in super::super) const fn fall_on(&mut self, nth: usize, message: Message) {
        if self.found.is_none() {
            self.found = Some(Blamed {
                operand: (self.stage, nth),
                message,
            });
        }
    }

    pub(super) const fn into_found(self) -> Option<Blamed> {
        self.found
    }
}
