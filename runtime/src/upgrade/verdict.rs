//! Verdicts on upgraders: whether one keeps all that it meets, in both directions.

use std::fmt;

/// The effect of an upgrader on the states that it meets, up and back.
///
/// ```
/// use upstate::Resource;
/// use upstate::upgrade::Verdict;
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 1)]
/// #[upgrade_from(0 => 1, rename(name => title), set(pinned = false))]
/// struct Note { title: String, pinned: bool }
///
/// let history = Note::HISTORY;
/// let verdicts = history.verdicts(&history.steps()[0]);
/// assert_eq!(verdicts.up.verdict(), Verdict::Lossless);
/// assert_eq!(verdicts.down.verdict(), Verdict::Lossy);
/// assert_eq!(verdicts.down.to_string(), "lossy: pinned (any value but the constant)");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdicts {
    /// From the stored version to the later one.
    pub up: Direction,
    /// Back to the stored version.
    pub down: Direction,
}

/// One direction of an upgrader: what it does not keep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Direction {
    remarks: Vec<Remark>,
}

/// A remark on one attribute: what a direction does not keep of it, or refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// The attribute, by its names from the outside in with dots between them; empty for the whole
    /// state.
    pub path: String,
    /// The text of the remark: what of the attribute is not kept, or is refused.
    pub what: String,
    /// The weight of the remark: what happens to a state that it is about.
    pub weight: Weight,
}

/// The consequence for a state that a [`Remark`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It is refused, so nothing is lost.
    Refused,
    /// The attribute's value ends; going back, it is named.
    Lost,
    /// Every state with a value there is refused.
    Impossible,
}

/// The verdict on one direction of an upgrader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// All that goes through comes back the same.
    Lossless,
    /// Some states lose something.
    Lossy,
    /// No state gets through that has a value there.
    Impossible,
}

impl Direction {
    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        match self.remarks.iter().map(|remark| remark.weight).max() {
            Some(Weight::Impossible) => Verdict::Impossible,
            Some(Weight::Lost) => Verdict::Lossy,
            Some(Weight::Refused) | None => Verdict::Lossless,
        }
    }

    /// The remarks on what the direction does not keep, and on what it refuses.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Notes what is not kept, once.
    pub(super) fn note(&mut self, weight: Weight, path: &str, what: &str) {
        let remark = Remark {
            path: path.to_owned(),
            what: what.to_owned(),
            weight,
        };
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lossless => "lossless",
            Self::Lossy => "lossy",
            Self::Impossible => "impossible",
        })
    }
}

/// The verdict and what it is about: `lossy: pinned (any value but the constant)`. A lossless
/// direction names what it refuses.
impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = self.verdict();
        write!(f, "{verdict}")?;
        let weight = match verdict {
            Verdict::Lossless => Weight::Refused,
            Verdict::Lossy => Weight::Lost,
            Verdict::Impossible => Weight::Impossible,
        };
        let remarks = self.remarks.iter().filter(|remark| remark.weight == weight);
        for (index, Remark { path, what, .. }) in remarks.enumerate() {
            f.write_str(match (index, verdict) {
                (0, Verdict::Lossless) => "; refuses ",
                (0, Verdict::Lossy | Verdict::Impossible) => ": ",
                _ => ", ",
            })?;
            if path.is_empty() {
                f.write_str(what)?;
            } else {
                write!(f, "{path} ({what})")?;
            }
        }
        Ok(())
    }
}
