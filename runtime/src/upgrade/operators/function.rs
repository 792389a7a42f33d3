//! An author's function for one attribute.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::codec::json::{Reader, paths_at};
use crate::codec::{
    AttributeType, DecodeError, Encoding, NoForm, OtherForm, UnknownAttributes, Writer,
};
use crate::diagnostics::Diagnostics;
use crate::path::PathStep;
use crate::schema::Type;
use crate::upgrade::context::{UpgradeContext, ValueFunction};
use crate::upgrade::future::BoxFuture;
use crate::value::{ConformError, Unknown, Value};

/// A stored field, which gives its value to an author's function.
#[derive(Debug)]
pub struct StoredField;

/// The field gives an author's function such a value. The type is a parameter and not `Self`,
/// because the compiler would advise to borrow a function that takes a reference.
#[diagnostic::on_unimplemented(
    message = "a function of a field takes the stored value, and `{A}` is not one",
    label = "takes `{A}`",
    note = "it takes what a field of a model may be, by value: `String` in place of `&str`, `T` in place of `&T`, `Vec<T>` in place of a slice"
)]
pub trait Gives<A> {
    /// The value itself. A call of it is where the compiler reports a type that cannot be taken.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    fn given(value: A) -> A {
        value
    }
}

#[diagnostic::do_not_recommend]
impl<A: AttributeType> Gives<A> for StoredField {}

/// A type that an author's function of a field may make.
#[diagnostic::on_unimplemented(
    message = "a function of a field cannot return `{Self}`",
    label = "returns `{Self}`",
    note = "it returns the new value, or a `Result` of it: `String` in place of `&str`",
    note = "with an `async fn`, write `async` behind it: `with = …, async`"
)]
pub trait Makes: Sized {
    /// The value itself. A call of it is where the compiler reports a type that cannot be made.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    fn made(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<B: AttributeType> Makes for B {}

/// An error of an author's function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error that upstate can show",
    label = "fails with `{Self}`",
    note = "return a string or diagnostics as the error: `.map_err(|error| error.to_string())`"
)]
pub trait Refusal {
    /// The diagnostics of the error.
    fn into_diagnostics(self) -> Diagnostics;
}

#[diagnostic::do_not_recommend]
impl<E: Into<Diagnostics>> Refusal for E {
    #[inline]
    fn into_diagnostics(self) -> Diagnostics {
        self.into()
    }
}

/// The answer of an author's function: a value, or a `Result` of one. The method of a `Result` is
/// its own, and so comes before the trait's.
#[derive(Debug)]
pub struct Answer<R>(pub R);

// The error is of any type here, because the compiler would show a bound with these lines.
impl<B, E> Answer<Result<B, E>> {
    /// The value.
    ///
    /// # Errors
    /// The function refused.
    #[inline]
    pub fn value(self) -> Result<B, E> {
        self.0
    }
}

/// The answer of a function that cannot fail.
pub trait Infallible<B> {
    /// The value.
    ///
    /// # Errors
    /// None.
    fn value(self) -> Result<B, Diagnostics>;
}

impl<B> Infallible<B> for Answer<B> {
    #[inline]
    fn value(self) -> Result<B, Diagnostics> {
        Ok(self.0)
    }
}

/// A function of stored values, and of the context where it asks for that.
#[diagnostic::on_unimplemented(
    message = "`with` cannot call this function: its signature is another",
    label = "called as `name{Values}`",
    note = "write `fn name(value: A) -> Result<B, String>` with the types of the field that the operator reads and of the one that it makes; if it reads several, a parameter for each, in their order",
    note = "with `context` or `async` behind it, the last parameter is `context: &upstate::UpgradeContext<'_>`",
    note = "with an `async fn`, write `async` behind it: `with = …, async`"
)]
pub trait FieldFunction<Values, R, Form>: Sized {
    /// Calls it.
    fn call(self, values: Values) -> R;
}

#[diagnostic::do_not_recommend]
impl<Values, R, F: OtherForm> FieldFunction<Values, R, NoForm> for F {
    fn call(self, _: Values) -> R {
        self.never()
    }
}

/// Up to six values, and the context.
macro_rules! field_functions {
    ($($($name:ident $index:tt)+;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($name,)+ R, F: Fn($($name),+) -> R> FieldFunction<($($name,)+), R, ()> for F {
            #[inline]
            fn call(self, values: ($($name,)+)) -> R {
                self($(values.$index),+)
            }
        }
    )+};
}

field_functions! {
    T 0;
    T 0 U 1;
    T 0 U 1 V 2;
    T 0 U 1 V 2 W 3;
    T 0 U 1 V 2 W 3 X 4;
    T 0 U 1 V 2 W 3 X 4 Y 5;
    T 0 U 1 V 2 W 3 X 4 Y 5 Z 6;
}

/// A function from the new value back to the earlier one, or to one for each field that it was made
/// of.
#[diagnostic::on_unimplemented(
    message = "`back` cannot call this function: its signature is another",
    label = "called with a `{B}`, for a `{A}`",
    note = "write `fn name(value: {B}) -> Result<{A}, String>`"
)]
pub trait BackFunction<B, A, Form>: Sized {
    /// Calls it.
    ///
    /// # Errors
    /// The function refused.
    fn call(self, value: B) -> Result<A, Diagnostics>;
}

#[diagnostic::do_not_recommend]
impl<B, A, F: Fn(B) -> A> BackFunction<B, A, ()> for F {
    #[inline]
    fn call(self, value: B) -> Result<A, Diagnostics> {
        Ok(self(value))
    }
}

#[diagnostic::do_not_recommend]
impl<B, A, E: Refusal, F: Fn(B) -> Result<A, E>> BackFunction<B, A, (E,)> for F {
    #[inline]
    fn call(self, value: B) -> Result<A, Diagnostics> {
        self(value).map_err(Refusal::into_diagnostics)
    }
}

/// A function from the Rust type of the prior attribute to that of the current one.
pub struct Function<A, B> {
    function: fn(A) -> Result<B, Diagnostics>,
}

debug_by_name!(Function<A, B> ContextFunction<A, B> AsyncFunction<A, B>);

// Without bounds, because the compiler would show them with these lines: the derive calls `taken`
// and `made`.
impl<A, B> Function<A, B> {
    /// Wraps the function.
    #[must_use]
    pub const fn new(function: fn(A) -> Result<B, Diagnostics>) -> Self {
        Self { function }
    }
}

impl<A: AttributeType, B: AttributeType> ValueFunction for Function<A, B> {
    fn call(
        &self,
        prior: Value,
        prior_type: Option<&Type>,
        context: &UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        stored_of(
            &(self.function)(read::<A>(&prior, prior_type, context)?)?,
            context,
        )
    }

    fn not_taken(&self, prior: &Value, prior_type: Option<&Type>) -> Vec<(bool, Vec<PathStep>)> {
        not_taken::<A>(prior, prior_type)
    }
}

/// A function that also asks what the upgrade knows: the provider's client, say.
pub struct ContextFunction<A, B> {
    function: fn(A, &UpgradeContext<'_>) -> Result<B, Diagnostics>,
}

impl<A, B> ContextFunction<A, B> {
    /// Wraps the function.
    #[must_use]
    pub const fn new(function: fn(A, &UpgradeContext<'_>) -> Result<B, Diagnostics>) -> Self {
        Self { function }
    }
}

impl<A: AttributeType, B: AttributeType> ValueFunction for ContextFunction<A, B> {
    fn call(
        &self,
        prior: Value,
        prior_type: Option<&Type>,
        context: &UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        stored_of(
            &(self.function)(read::<A>(&prior, prior_type, context)?, context)?,
            context,
        )
    }

    fn not_taken(&self, prior: &Value, prior_type: Option<&Type>) -> Vec<(bool, Vec<PathStep>)> {
        not_taken::<A>(prior, prior_type)
    }
}

/// An `async fn` that also asks what the upgrade knows.
pub struct AsyncFunction<A, B> {
    function: for<'a, 'c> fn(A, &'a UpgradeContext<'c>) -> BoxFuture<'a, Result<B, Diagnostics>>,
}

impl<A, B: Makes> AsyncFunction<A, B> {
    /// Wraps the function.
    #[must_use]
    pub const fn new(
        function: for<'a, 'c> fn(
            A,
            &'a UpgradeContext<'c>,
        ) -> BoxFuture<'a, Result<B, Diagnostics>>,
    ) -> Self {
        Self { function }
    }
}

impl<A: AttributeType + 'static, B: AttributeType + 'static> ValueFunction for AsyncFunction<A, B> {
    fn call(
        &self,
        _prior: Value,
        _prior_type: Option<&Type>,
        context: &UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        Err(context.subject().asynchronous().into())
    }

    fn call_async<'a>(
        &self,
        prior: Value,
        prior_type: Option<&Type>,
        context: &'a UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<Value, Diagnostics>> {
        match read::<A>(&prior, prior_type, context) {
            Ok(prior) => {
                let answer = (self.function)(prior, context);
                Box::pin(async move { stored_of(&answer.await?, context) })
            }
            Err(unfit) => Box::pin(async move { Err(unfit) }),
        }
    }

    fn not_taken(&self, prior: &Value, prior_type: Option<&Type>) -> Vec<(bool, Vec<PathStep>)> {
        not_taken::<A>(prior, prior_type)
    }
}

/// The stored value as the function's Rust type.
fn read<A: AttributeType>(
    prior: &Value,
    prior_type: Option<&Type>,
    context: &UpgradeContext<'_>,
) -> Result<A, Diagnostics> {
    let unfit = |problem: String| {
        Diagnostics::from(format!(
            "the function cannot take the stored value: {problem}"
        ))
    };
    let ty = given_type::<A>(prior_type);
    let json = json_of(prior, &ty, context.is_of_document())
        .map_err(|error| unfit(error.problem().to_owned()))?;
    // First by the rules of documents, where `1.0` and `1` differ. By these alone, no function
    // takes a number as a string.
    if context.is_of_document()
        && let Ok(mut reader) = Reader::from_bytes(&json)
    {
        reader.read_exactly();
        let read = A::decode(&mut reader);
        if let (Ok(value), []) = (read, reader.rounded()) {
            return Ok(value);
        }
    }
    Reader::from_bytes(&json)
        .and_then(|mut reader| A::decode(&mut reader))
        .map_err(|error| unfit(error.problem()))
}

/// The type of a stored value that the function's Rust type takes.
fn given_type<A: AttributeType>(prior_type: Option<&Type>) -> Cow<'_, Type> {
    prior_type.map_or_else(|| Cow::Owned(A::INFO.stored.to_type()), Cow::Borrowed)
}

/// The places in a value of a document of what no schema defines and the function's Rust type does
/// not take, each with true if an edit can keep it. The value is read as [`read`] reads it.
fn not_taken<A: AttributeType>(
    prior: &Value,
    prior_type: Option<&Type>,
) -> Vec<(bool, Vec<PathStep>)> {
    let ty = given_type::<A>(prior_type);
    let (mut found, json) = (Vec::new(), json_of(prior, &ty, true));
    let Ok(json) = json else {
        return found;
    };
    for exact in [true, false] {
        let Ok(mut reader) = Reader::from_bytes(&json) else {
            break;
        };
        if exact {
            reader.read_exactly();
        }
        if A::decode(&mut reader).is_err() || exact && !reader.rounded().is_empty() {
            continue;
        }
        let once = |offsets: &[usize]| offsets.iter().copied().collect::<BTreeSet<usize>>();
        let (skipped, unkept) = (once(reader.skipped()), once(reader.unkept()));
        let is_whole = skipped.is_empty() || A::INFO.stored.to_type() == *ty;
        let mut note = |offset: usize, steps: &[PathStep]| {
            // Not one that the schema defines: the function takes others on purpose.
            if is_whole || !ty.has(steps) {
                found.push((!unkept.contains(&offset), steps.to_vec()));
            }
        };
        paths_at(
            reader.text(),
            &skipped,
            &|steps| ty.container_at(steps),
            &mut note,
        );
        break;
    }
    found
}

/// The JSON of a value of a type; `exact` if it is of a document, where what is absent is not null.
pub(super) fn json_of(value: &Value, ty: &Type, exact: bool) -> Result<Vec<u8>, ConformError> {
    if !exact {
        return value.encode(ty, Encoding::Json);
    }
    let mut value = value.clone();
    value.conform(ty, Unknown::LeaveAbsent)?;
    let mut json = Vec::new();
    value.write_untyped(&mut Writer::new(&mut json, Encoding::Json))?;
    Ok(json)
}

/// The result of the function, as a value.
fn stored_of<B: AttributeType>(
    made: &B,
    context: &UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, Encoding::Json);
    if context.is_of_document() {
        writer.write_exactly();
    }
    made.encode(&mut writer);
    let unstorable = |problem: &str| format!("the function made what cannot be stored: {problem}");
    writer
        .finish_alone()
        .map_err(|error| unstorable(error.problem()))?;
    let stored = &B::INFO.stored;
    let read = |mut reader: Reader<'_>| {
        if context.is_of_document() {
            reader.read_exactly();
        }
        Value::read(&mut reader, &stored.to_type(), UnknownAttributes::Deny)
    };
    let read_with_parts = |error: DecodeError| {
        if !context.is_of_document() {
            return Err(error);
        }
        let mut reader = Reader::from_bytes(&out)?;
        reader.read_exactly();
        let value = Value::read_in_document(&mut reader, stored);
        // Because nothing of what was made may be left out.
        value.ok().filter(|_| !reader.has_notes()).ok_or(error)
    };
    let made = Reader::from_bytes(&out).and_then(read);
    made.or_else(read_with_parts)
        .map_err(|error| unstorable(&error.problem()).into())
}
