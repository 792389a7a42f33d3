//! The facts about a value that verdicts ask for.

use crate::schema::Type;

/// The facts about a value before an operator.
pub(super) struct Known<'k> {
    /// Its type.
    pub(super) ty: Option<&'k Type>,
    /// The type of the target.
    pub(super) goal: Option<&'k Type>,
    /// True if it may be null.
    pub(super) nullable: bool,
    /// True if the target may be null.
    pub(super) target_nullable: bool,
    /// True if its elements may be null; and if those of the target may.
    pub(super) null_elements: (bool, bool),
}

impl Known<'_> {
    pub(super) fn elements(&self) -> Self {
        let (nullable, target_nullable) = self.null_elements;
        Self {
            ty: self.ty.and_then(Type::element),
            goal: self.goal.and_then(Type::element),
            nullable,
            target_nullable,
            null_elements: (true, true),
        }
    }
}
