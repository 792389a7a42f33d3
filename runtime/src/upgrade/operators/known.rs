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

impl<'k> Known<'k> {
    pub(super) fn elements(&self) -> Self {
        let inner = |ty: Option<&'k Type>| match ty {
            Some(Type::List(element) | Type::Set(element) | Type::Map(element)) => Some(&**element),
            Some(
                Type::Bool
                | Type::String
                | Type::Number
                | Type::Dynamic
                | Type::Tuple(_)
                | Type::Object(_)
                | Type::Json
                | Type::Union(_),
            )
            | None => None,
        };
        let (nullable, target_nullable) = self.null_elements;
        Self {
            ty: inner(self.ty),
            goal: inner(self.goal),
            nullable,
            target_nullable,
            null_elements: (true, true),
        }
    }
}
