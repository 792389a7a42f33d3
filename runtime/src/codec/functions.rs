//! Functions of authors that belong to one field.
//!
//! Each kind is a trait with two forms of functions. With one, the compiler would say what that one
//! lacks, in the words of `Fn`; with two, it says what the attribute of the trait does.

use std::fmt::Display;
use std::ops::Deref;

use super::AttributeType;
use crate::diagnostics::Diagnostics;

/// A second form for functions that have one. Nothing has it.
pub trait OtherForm {
    /// Never called.
    fn never<R>(self) -> R;
}

/// The second form of functions that have one.
#[derive(Debug)]
pub struct NoForm;

/// A function of `validate`. It takes a reference to the value, or what that reference becomes: a
/// `&str` for a `String`. `Form` is what [`Checking`] finds.
#[diagnostic::on_unimplemented(
    message = "`validate` cannot call this function: its signature is another",
    label = "called with a `&{T}`",
    note = "write `fn name(value: &{T}) -> Result<(), String>`: `Ok(())`, or the problem with the value"
)]
pub trait CheckFunction<'a, T, R, Form>: Sized {
    /// Calls it.
    fn call(self, value: &'a T, form: Form) -> R;
}

#[diagnostic::do_not_recommend]
impl<'a, T: 'a, R, F: Fn(&'a T) -> R> CheckFunction<'a, T, R, OfValue> for F {
    fn call(self, value: &'a T, _: OfValue) -> R {
        self(value)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: Deref<Target: 'a> + 'a, R, F: Fn(&'a T::Target) -> R> CheckFunction<'a, T, R, OfTarget>
    for F
{
    fn call(self, value: &'a T, _: OfTarget) -> R {
        self(value)
    }
}

/// The form of functions that take a reference to the value.
#[derive(Debug)]
pub struct OfValue;

/// The form of functions that take what such a reference becomes.
#[derive(Debug)]
pub struct OfTarget;

/// A value and a function for it. Of the three methods `form` the compiler takes the first that it
/// can call on `&&Checking`: that of [`TakesValue`], that of [`TakesTarget`], and its own.
#[derive(Debug)]
pub struct Checking<'a, T, F>(pub &'a T, pub F);

impl<T, F> Checking<'_, T, F> {
    /// None of the others.
    pub fn form(self) -> NoForm {
        NoForm
    }
}

/// The functions that take a reference to the value.
pub trait TakesValue {
    /// Their form.
    fn form(&self) -> OfValue;
}

impl<'a, T, R, F: Fn(&'a T) -> R> TakesValue for &Checking<'a, T, F> {
    fn form(&self) -> OfValue {
        OfValue
    }
}

/// The functions that take what such a reference becomes.
pub trait TakesTarget {
    /// Their form.
    fn form(&self) -> OfTarget;
}

impl<'a, T: Deref, R, F: Fn(&'a T::Target) -> R> TakesTarget for Checking<'a, T, F> {
    fn form(&self) -> OfTarget {
        OfTarget
    }
}

/// The answer of a function that checks a value.
#[diagnostic::on_unimplemented(
    message = "this function returns `{Self}`, and the one of `validate` returns a `Result`",
    label = "called with a value of the field",
    note = "write `-> Result<(), String>`: `Ok(())`, or the problem with the value"
)]
pub trait CheckAnswer {
    /// The result, with what is wrong as diagnostics.
    ///
    /// # Errors
    /// The value is refused.
    fn checked(self) -> Result<(), Diagnostics>;
}

#[diagnostic::do_not_recommend]
impl<E: Into<Diagnostics>> CheckAnswer for Result<(), E> {
    fn checked(self) -> Result<(), Diagnostics> {
        self.map_err(Into::into)
    }
}

/// The functions `read` and `write` of a module, which put a form of the author's between the field
/// and what is stored: `A` is read, `B` is written.
#[diagnostic::on_unimplemented(
    message = "the functions of this module do not read and write `{T}`",
    label = "`read` makes `{T}` of a stored type, `write` makes that type of `&{T}`",
    note = "with `String` as the stored type, write `pub fn read(stored: String) -> Result<{T}, String>` and `pub fn write(value: &{T}) -> String` there"
)]
pub trait Module<T, A, B, Forms>: Sized {
    /// The value of what is stored.
    ///
    /// # Errors
    /// The function refused.
    fn read(self, stored: A) -> Result<T, String>;

    /// The stored form of a value.
    fn write(self, value: &T) -> B;
}

#[diagnostic::do_not_recommend]
impl<T, A, B, R, W, G, H> Module<T, A, B, (G, H)> for (R, W)
where
    R: Reads<T, A, G>,
    W: Writes<T, B, H>,
    A: AttributeType,
    B: AttributeType,
{
    #[inline]
    fn read(self, stored: A) -> Result<T, String> {
        self.0.call(stored)
    }

    #[inline]
    fn write(self, value: &T) -> B {
        self.1.call(value)
    }
}

#[diagnostic::do_not_recommend]
impl<T, A, B, R: OtherForm, W> Module<T, A, B, NoForm> for (R, W) {
    fn read(self, _: A) -> Result<T, String> {
        self.0.never()
    }

    fn write(self, _: &T) -> B {
        self.0.never()
    }
}

/// A function from what is stored to the value.
pub trait Reads<T, A, Form>: Sized {
    /// Calls it.
    ///
    /// # Errors
    /// The function refused.
    fn call(self, stored: A) -> Result<T, String>;
}

#[diagnostic::do_not_recommend]
impl<T, A, R: ReadAnswer<T>, F: Fn(A) -> R> Reads<T, A, (R,)> for F {
    #[inline]
    fn call(self, stored: A) -> Result<T, String> {
        self(stored).into_value()
    }
}

#[diagnostic::do_not_recommend]
impl<T, A, F: OtherForm> Reads<T, A, NoForm> for F {
    fn call(self, _: A) -> Result<T, String> {
        self.never()
    }
}

/// The answer of a function that reads: the value, or a `Result` of it.
pub trait ReadAnswer<T> {
    /// The value.
    ///
    /// # Errors
    /// The function refused.
    fn into_value(self) -> Result<T, String>;
}

#[diagnostic::do_not_recommend]
impl<T> ReadAnswer<T> for T {
    #[inline]
    fn into_value(self) -> Result<T, String> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, E: Display> ReadAnswer<T> for Result<T, E> {
    #[inline]
    fn into_value(self) -> Result<T, String> {
        self.map_err(|error| error.to_string())
    }
}

/// A function from the value to what is stored.
pub trait Writes<T, B, Form>: Sized {
    /// Calls it.
    fn call(self, value: &T) -> B;
}

#[diagnostic::do_not_recommend]
impl<T, B, F: Fn(&T) -> B> Writes<T, B, ()> for F {
    #[inline]
    fn call(self, value: &T) -> B {
        self(value)
    }
}

#[diagnostic::do_not_recommend]
impl<T, B, F: OtherForm> Writes<T, B, NoForm> for F {
    fn call(self, _: &T) -> B {
        self.never()
    }
}
