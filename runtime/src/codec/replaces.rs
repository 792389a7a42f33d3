//! An author's function that says if a change replaces the resource.

use std::borrow::Borrow;
use std::marker::PhantomData;

use super::AttributeType;
use super::json::Reader;

/// A function of the prior and the planned value of a field of type `T`, in one of the forms that
/// Rust users write.
///
/// `Form` tells the forms apart, so that the compiler finds the one implementation of each
/// function.
#[diagnostic::on_unimplemented(
    message = "`requires_replace_if` of a field of type `{T}` takes a function of two such values that returns `bool`",
    label = "has another type",
    note = "for a field of type `T`, write `fn(&T, &T) -> bool` or `fn(T, T) -> bool`; for an `Option<T>` also `fn(Option<&T>, Option<&T>) -> bool`"
)]
pub trait DecidesReplacement<T, Form> {
    /// True if the change replaces.
    fn replaces(self, prior: T, planned: T) -> bool;
}

/// The form `fn(&T, &T) -> bool`.
#[derive(Debug)]
pub struct ByReference;

/// The form `fn(T, T) -> bool`.
#[derive(Debug)]
pub struct ByValue;

/// The form `fn(Option<&T>, Option<&T>) -> bool`, also with `&str` for a `String`.
#[derive(Debug)]
pub struct Inside<U: ?Sized>(PhantomData<U>);

#[diagnostic::do_not_recommend]
impl<T, F: FnOnce(&T, &T) -> bool> DecidesReplacement<T, ByReference> for F {
    fn replaces(self, prior: T, planned: T) -> bool {
        self(&prior, &planned)
    }
}

#[diagnostic::do_not_recommend]
impl<T, F: FnOnce(T, T) -> bool> DecidesReplacement<T, ByValue> for F {
    fn replaces(self, prior: T, planned: T) -> bool {
        self(prior, planned)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Borrow<U>, U: ?Sized, F: FnOnce(Option<&U>, Option<&U>) -> bool>
    DecidesReplacement<Option<T>, Inside<U>> for F
{
    fn replaces(self, prior: Option<T>, planned: Option<T>) -> bool {
        self(
            prior.as_ref().map(Borrow::borrow),
            planned.as_ref().map(Borrow::borrow),
        )
    }
}

/// Asks an author's function if a change replaces the resource. Values are decoded as a field of
/// their type is; a value that does not fit it replaces.
#[doc(hidden)]
pub fn replaces_if<T: AttributeType>(
    prior: &str,
    planned: &str,
    decide: impl FnOnce(T, T) -> bool,
) -> bool {
    let read = |json: &str| T::decode(&mut Reader::new(json)).ok();
    match (read(prior), read(planned)) {
        (Some(prior), Some(planned)) => decide(prior, planned),
        (None, _) | (_, None) => true,
    }
}
