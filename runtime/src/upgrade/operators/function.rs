//! An author's function for one attribute.

use std::fmt;
use std::marker::PhantomData;

use crate::codec::{AttributeType, Encoding, UnknownAttributes, Writer, json::Reader};
use crate::diagnostics::Diagnostics;
use crate::schema::Type;
use crate::upgrade::context::{UpgradeContext, ValueFunction};
use crate::upgrade::future::BoxFuture;
use crate::value::Value;

/// A function from the Rust type of the prior attribute to that of the current one.
pub struct Function<A, B, E> {
    function: fn(A) -> Result<B, E>,
    types: PhantomData<fn(A) -> B>,
}

impl<A, B, E> fmt::Debug for Function<A, B, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

impl<A: AttributeType, B: AttributeType, E: Into<Diagnostics>> Function<A, B, E> {
    /// Wraps the function.
    #[must_use]
    pub const fn new(function: fn(A) -> Result<B, E>) -> Self {
        Self { function, types: PhantomData }
    }
}

impl<A: AttributeType, B: AttributeType, E: Into<Diagnostics>> ValueFunction for Function<A, B, E> {
    fn call(&self, prior: Value, prior_type: Option<&Type>, _context: &UpgradeContext<'_>) -> Result<Value, Diagnostics> {
        stored_of(&(self.function)(read::<A>(&prior, prior_type)?).map_err(Into::into)?)
    }
}

/// A function that also asks what the upgrade knows: the provider's client, say.
pub struct ContextFunction<A, B, E> {
    function: fn(A, &UpgradeContext<'_>) -> Result<B, E>,
    types: PhantomData<fn(A) -> B>,
}

impl<A, B, E> fmt::Debug for ContextFunction<A, B, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContextFunction")
    }
}

impl<A: AttributeType, B: AttributeType, E: Into<Diagnostics>> ContextFunction<A, B, E> {
    /// Wraps the function.
    #[must_use]
    pub const fn new(function: fn(A, &UpgradeContext<'_>) -> Result<B, E>) -> Self {
        Self { function, types: PhantomData }
    }
}

impl<A: AttributeType, B: AttributeType, E: Into<Diagnostics>> ValueFunction for ContextFunction<A, B, E> {
    fn call(&self, prior: Value, prior_type: Option<&Type>, context: &UpgradeContext<'_>) -> Result<Value, Diagnostics> {
        stored_of(&(self.function)(read::<A>(&prior, prior_type)?, context).map_err(Into::into)?)
    }
}

/// An `async fn` that also asks what the upgrade knows.
pub struct AsyncFunction<A, B> {
    function: for<'a, 'c> fn(A, &'a UpgradeContext<'c>) -> BoxFuture<'a, Result<B, Diagnostics>>,
}

impl<A, B> fmt::Debug for AsyncFunction<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AsyncFunction")
    }
}

impl<A: AttributeType, B: AttributeType> AsyncFunction<A, B> {
    /// Wraps the function.
    #[must_use]
    pub const fn new(function: for<'a, 'c> fn(A, &'a UpgradeContext<'c>) -> BoxFuture<'a, Result<B, Diagnostics>>) -> Self {
        Self { function }
    }
}

impl<A: AttributeType + 'static, B: AttributeType + 'static> ValueFunction for AsyncFunction<A, B> {
    fn call(&self, _prior: Value, _prior_type: Option<&Type>, context: &UpgradeContext<'_>) -> Result<Value, Diagnostics> {
        Err(context.subject().asynchronous().into())
    }

    fn call_async<'a>(
        &self,
        prior: Value,
        prior_type: Option<&Type>,
        context: &'a UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<Value, Diagnostics>> {
        match read::<A>(&prior, prior_type) {
            Ok(prior) => {
                let answer = (self.function)(prior, context);
                Box::pin(async move { stored_of(&answer.await?) })
            }
            Err(unfit) => Box::pin(async move { Err(unfit) }),
        }
    }
}

/// The stored value as the function's Rust type.
fn read<A: AttributeType>(prior: &Value, prior_type: Option<&Type>) -> Result<A, Diagnostics> {
    let unfit = |problem: String| Diagnostics::from(format!("the function cannot take the stored value: {problem}"));
    let json = prior
        .encode(prior_type.unwrap_or(&A::INFO.stored.to_type()), Encoding::Json)
        .map_err(|error| unfit(error.problem().to_owned()))?;
    Reader::from_bytes(&json).and_then(|mut reader| A::decode(&mut reader)).map_err(|error| unfit(error.problem()))
}

/// What the function made, as a value.
fn stored_of<B: AttributeType>(made: &B) -> Result<Value, Diagnostics> {
    let mut out = Vec::new();
    made.encode(&mut Writer::new(&mut out, Encoding::Json));
    Value::from_json(&out, &B::INFO.stored.to_type(), UnknownAttributes::Deny)
        .map_err(|error| format!("the function made what cannot be stored: {}", error.problem()).into())
}
