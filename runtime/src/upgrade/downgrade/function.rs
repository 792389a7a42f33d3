//! An author's function for the way back.

use crate::codec::{
    DecodeError, DecodeErrorKind, Encoding, NoForm, OtherForm, UnknownAttributes, encode_object,
};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::declared::PriorVersion;
use crate::upgrade::decode::{StoredText, decode_json};
use crate::upgrade::encode::not_encodable;
use crate::upgrade::functions::ModelAnswer;
use crate::upgrade::model::{Downgrade, Model, Upgrader};
use crate::upgrade::resource::Resource;

/// A function from the model `T` back to its prior model `P`.
#[diagnostic::on_unimplemented(
    message = "`downgrade` cannot call this function: its signature is another",
    label = "called with a `{T}`, for a `{P}`",
    note = "write `fn name(current: {T}) -> Result<{P}, String>`"
)]
pub trait DowngradeFunction<T, P, Form>: Sized {
    /// Calls it.
    ///
    /// # Errors
    /// The function refused.
    fn call(self, model: T) -> Result<P, Diagnostics>;
}

#[diagnostic::do_not_recommend]
impl<T, P, R: ModelAnswer<P>, F: Fn(T) -> R> DowngradeFunction<T, P, (R,)> for F {
    fn call(self, model: T) -> Result<P, Diagnostics> {
        self(model).into_model()
    }
}

#[diagnostic::do_not_recommend]
impl<T, P, F: OtherForm> DowngradeFunction<T, P, NoForm> for F {
    fn call(self, _: T) -> Result<P, Diagnostics> {
        self.never()
    }
}

/// Downgrades the model `T` to its prior model `P` through a function.
pub struct DowngradeWith<T, P>(pub fn(T) -> Result<P, Diagnostics>);

debug_by_name!(DowngradeWith<T, P>);

impl<T: Resource, P: Resource> Downgrade for DowngradeWith<T, P> {
    fn downgrade(
        &self,
        json: &[u8],
        context: &mut UpgradeContext<'_>,
    ) -> Result<Vec<u8>, Diagnostics> {
        context.check()?;
        let model: T = decode_json(json, UnknownAttributes::Ignore)
            .map_err(|error| not_taken(&error, json, T::VERSION, context))?;
        let prior = (self.0)(model)?;
        let mut out = Vec::new();
        encode_object(&prior, Encoding::Json, &mut out).map_err(not_encodable)?;
        Ok(out)
    }

    fn prior(&self) -> PriorVersion {
        PriorVersion::Model(Model::of::<P>())
    }
}

/// The diagnostic for what the model of this version does not take, though an upgrader undone made
/// it: a version on the way need not hold what a document has there.
#[cold]
fn not_taken(
    error: &DecodeError,
    json: &[u8],
    version: u64,
    context: &UpgradeContext<'_>,
) -> Diagnostic {
    let text = std::str::from_utf8(json).unwrap_or_default();
    let problem = if error.kind() == DecodeErrorKind::Null {
        error.problem_of_made()
    } else {
        StoredText::new(text, version, context).problem(error)
    };
    let path = error.path().filter(|path| !path.is_empty());
    let at = path.map_or_else(String::new, |path| {
        format!(" (at {path} of version {version})")
    });
    let noun = context.subject().noun();
    let detail = format!(
        "The function that takes the {noun} back from version {version} cannot read it: {problem}{at}."
    );
    let diagnostic = Diagnostic::error(super::SUMMARY, detail)
        .coded(error.kind().code())
        .with_kinds(error.kinds());
    match path {
        Some(path) => diagnostic.at(path.clone()),
        None => diagnostic,
    }
}

impl<T> Upgrader<T> {
    /// Adds the author's function for downgrades.
    #[must_use]
    pub const fn downgraded_by<P: Resource>(mut self, with: &'static DowngradeWith<T, P>) -> Self
    where
        T: Resource,
    {
        self.any.back = Some(with);
        self.any.step = self.any.step.with_downgrade();
        self
    }
}
