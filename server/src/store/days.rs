//! The time for which versions are kept, as a number of days.

use crate::model::Retention;

/// The number for "for ever".
const FOR_EVER: i64 = -1;

/// As a column has it.
pub(super) fn write(retention: Option<Retention>) -> Option<i64> {
    retention.map(|retention| match retention {
        Retention::Never => FOR_EVER,
        Retention::Days(days) => i64::from(days),
    })
}

/// Out of a column.
pub(super) fn read(days: Option<i64>) -> Option<Retention> {
    days.map(|days| u32::try_from(days).map_or(Retention::Never, Retention::Days))
}
