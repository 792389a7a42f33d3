//! The constructors that generated code calls: of upgraders, and of the prior versions that they
//! start from.

use super::declared::{Behind, Declared, Prior, PriorModel, ValueAsync};
use super::functions::{Awaits, Raw, RawAsync, With, WithAsync};
use super::history::{PriorHistory, Step, UpgraderKind};
use super::model::{AnyUpgrader, Apply, ApplyAsync, Model, Upgrader};
use super::operators::Operators;
use super::reach::upgrade_to_value_async;
use super::resource::{Resource, UpgradeFrom};
use super::when::When;

impl<T> Upgrader<T> {
    /// Through `TryFrom` (and so `From`).
    #[must_use]
    pub const fn convert<P>(from: u64) -> Self
    where
        P: Resource,
        T: Resource + UpgradeFrom<P>,
    {
        let mut upgrader = Self::with(from, With::<T, P>::CONVERSION);
        upgrader.any.step = upgrader.any.step.kind(UpgraderKind::Conversion);
        upgrader
    }

    /// Through a function.
    #[must_use]
    pub const fn with<P: Resource>(from: u64, with: &'static With<T, P>) -> Self
    where
        T: Resource,
    {
        let upgrader = Self::new::<P>(from, with);
        if P::HISTORY.awaits() {
            upgrader.awaiting(with)
        } else {
            upgrader
        }
    }

    /// Through an asynchronous function.
    #[must_use]
    pub const fn with_async<P: Resource>(from: u64, with: &'static WithAsync<T, P>) -> Self {
        let mut upgrader = Self::new::<P>(from, &Awaits).awaiting(with);
        upgrader.any.step = upgrader.any.step.asynchronous();
        upgrader
    }

    /// Through a function of what is stored, without a prior model.
    #[must_use]
    pub const fn raw(from: u64, raw: &'static Raw<T>) -> Self
    where
        T: Resource,
    {
        Self::of(Step::new(from, None)).applying(raw)
    }

    /// Through an asynchronous function of what is stored, without a prior model.
    #[must_use]
    pub const fn raw_async(from: u64, raw: &'static RawAsync<T>) -> Self {
        Self::of(Step::new(from, None).asynchronous())
            .applying(&Awaits)
            .awaiting(raw)
    }

    /// No way any more: `instead` tells what to do.
    #[must_use]
    pub const fn unsupported(from: u64, instead: &'static str) -> Self {
        Self::of(Step::new(from, None).unsupported_but(instead))
    }

    /// No release ever stored these versions, so there is nothing to upgrade.
    #[must_use]
    pub const fn never_released(from: u64) -> Self {
        Self::of(Step::new(from, None).kind(UpgraderKind::NeverReleased))
    }

    /// Without any change: what is stored has the current shape, only its version is another.
    #[must_use]
    pub const fn unchanged(from: u64) -> Self
    where
        T: Resource,
    {
        let step = Step::new(from, None)
            .kind(UpgraderKind::Unchanged)
            .with_pin(false);
        Self::of(step)
    }

    /// Through operators.
    #[must_use]
    pub const fn declared(from: u64, prior: &'static Prior, operators: &'static Operators) -> Self {
        let step = Step::new(from, prior.prior()).kind(UpgraderKind::Operators(operators));
        let mut upgrader = Self::of(step);
        upgrader.any.declared = Some(Declared {
            operators,
            prior,
            awaits: false,
        });
        upgrader
    }

    /// Through operators, of which one calls an `async fn`.
    #[must_use]
    pub const fn declared_async(
        from: u64,
        prior: &'static Prior,
        operators: &'static Operators,
    ) -> Self {
        let mut upgrader = Self::declared(from, prior, operators);
        upgrader.any.step = upgrader.any.step.asynchronous();
        if let Some(declared) = &mut upgrader.any.declared {
            declared.awaits = true;
        }
        upgrader
    }

    /// Through the prior model `P`, in a way of its own.
    const fn new<P: Resource>(from: u64, apply: &'static dyn Apply) -> Self {
        let step = Step::new(from, Some(PriorHistory::of::<P>())).kind(UpgraderKind::Function);
        Self::of(step).applying(apply)
    }

    const fn of(step: Step) -> Self {
        Self {
            any: AnyUpgrader {
                step,
                apply: None,
                declared: None,
                back: None,
            },
            awaiting: None,
        }
    }

    const fn applying(mut self, apply: &'static dyn Apply) -> Self {
        self.any.apply = Some(apply);
        self
    }

    /// Adds a function that awaits. Given only if an upgrader that leads to the prior model does
    /// (`P::HISTORY.awaits()`).
    const fn awaiting(mut self, apply: &'static dyn ApplyAsync<T>) -> Self {
        self.awaiting = Some(apply);
        self
    }

    /// Notes that the compiler has compared its versions with what `upstate.lock` says was
    /// released.
    #[must_use]
    pub const fn pinned(mut self) -> Self {
        self.any.step = self.any.step.with_pin(true);
        self
    }

    /// Notes why its author raised the version, or changed the upgrader after a release.
    #[must_use]
    pub const fn because(mut self, reason: &'static str) -> Self {
        self.any.step = self.any.step.because(reason);
        self
    }

    /// Makes it the upgrader of all versions up to this one.
    #[must_use]
    pub const fn through(mut self, last: u64) -> Self {
        self.any.step = self.any.step.through(last);
        self
    }

    /// Makes it the upgrader of some of the states stored at its versions.
    #[must_use]
    pub const fn when(mut self, when: When) -> Self {
        self.any.step = self.any.step.when(when);
        self
    }
}

impl Prior {
    /// The prior model `P`.
    #[must_use]
    pub const fn model<P: Resource>() -> Self {
        let value_async: Option<ValueAsync> = if P::HISTORY.awaits() {
            Some(upgrade_to_value_async::<P>)
        } else {
            None
        };
        let model = PriorModel {
            prior: PriorHistory::of::<P>(),
            known: Model::of::<P>,
            strict: !P::TABLE.reads_leniently(),
            value_async,
        };
        Self {
            table: P::TABLE,
            behind: Behind::Model(model),
        }
    }
}
