//! The context of a resource's functions: their inputs, and their warnings.

use std::fmt;

use tokio::sync::watch;
use upstate::schema::Type;
use upstate::{Diagnostic, Diagnostics, EncodeError, Object, Value};

use crate::misnamed::Misnamed;
use crate::private::Private;

/// The context of a call: the provider's client, private data, and whether the user wants to stop.
pub struct Context<C> {
    client: C,
    private: Private,
    stop: Stop,
    warnings: Diagnostics,
    saved: Option<Result<Vec<u8>, EncodeError>>,
    meta: Option<Vec<u8>>,
    config: Option<(Value, Type)>,
    misnamed: Misnamed,
}

impl<C> Context<C> {
    pub(crate) fn new(client: C, private: Private, stop: Stop) -> Self {
        Self {
            client,
            private,
            stop,
            warnings: Diagnostics::new(),
            saved: None,
            meta: None,
            config: None,
            misnamed: Misnamed::default(),
        }
    }

    pub(crate) fn with_meta(self, meta: Option<Vec<u8>>) -> Self {
        Self { meta, ..self }
    }

    pub(crate) fn with_config(self, config: Option<(Value, Type)>) -> Self {
        Self { config, ..self }
    }

    /// The configuration of a resource that is created or updated, and its type.
    pub(crate) fn configured(&self) -> Option<&(Value, Type)> {
        self.config.as_ref()
    }

    pub(crate) fn misnamed(&self) -> &Misnamed {
        &self.misnamed
    }

    /// The `provider_meta` block of the module of the resource or data source; `None` if it has
    /// none. `M` is the model that the provider was given
    /// [`with_meta`](crate::Provider::with_meta).
    ///
    /// # Errors
    /// `M` is another model, which the block does not fit.
    pub fn meta<M: Object>(&self) -> Result<Option<M>, Diagnostics> {
        Ok(self
            .meta
            .as_deref()
            .map(upstate::from_msgpack)
            .transpose()?)
    }

    /// The client that the provider's configuration made.
    pub fn client(&self) -> &C {
        &self.client
    }

    /// The private data, which users never see.
    pub fn private(&self) -> &Private {
        &self.private
    }

    /// The private data, for changing it.
    pub fn private_mut(&mut self) -> &mut Private {
        &mut self.private
    }

    /// The warnings that the call left so far.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Leaves a warning.
    pub fn warn(&mut self, warning: Diagnostic) {
        self.warnings.push(warning);
    }

    /// Keeps `model` as the state if this call fails later on: what exists already is not
    /// forgotten. What a plan does not know yet is null there, unless `model` says what it is.
    ///
    /// After a creation that failed, Terraform marks it as tainted and replaces it next time.
    pub fn save<T: Object>(&mut self, model: &T) {
        self.saved = Some(upstate::to_msgpack(model));
    }

    /// The state that is kept, for a test that looks at it.
    #[cfg(feature = "testing")]
    pub(crate) fn saved(&self) -> Option<&Result<Vec<u8>, EncodeError>> {
        self.saved.as_ref()
    }

    /// Keeps an encoded state, as `save` does with a model.
    pub(crate) fn save_encoded(&mut self, state: Vec<u8>) {
        self.saved = Some(Ok(state));
    }

    /// True if the user asked Terraform to stop since the call began.
    pub fn is_stopping(&self) -> bool {
        self.stop.is_requested()
    }

    /// Waits until the user asks Terraform to stop.
    pub async fn stopping(&self) {
        self.stop.requested().await;
    }

    pub(crate) fn into_parts(
        mut self,
    ) -> (Private, Diagnostics, Option<Result<Vec<u8>, EncodeError>>) {
        if let Some(warning) = self.misnamed.warning() {
            self.warnings.push(warning);
        }
        (self.private, self.warnings, self.saved)
    }
}

/// Says neither the client nor what is private: both may hold secrets.
impl<C> fmt::Debug for Context<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("stopping", &self.is_stopping())
            .finish_non_exhaustive()
    }
}

/// A wish to stop, as one call sees it: wishes from before the call do not concern it.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    wishes: watch::Receiver<u64>,
    before: u64,
}

impl Stop {
    pub(crate) fn since_now(wishes: watch::Receiver<u64>) -> Self {
        let before = *wishes.borrow();
        Self { wishes, before }
    }

    fn is_requested(&self) -> bool {
        *self.wishes.borrow() != self.before
    }

    pub(crate) async fn requested(&self) {
        let mut wishes = self.wishes.clone();
        let before = self.before;
        if wishes.wait_for(|wishes| *wishes != before).await.is_err() {
            // The server is gone, and with it everybody who could wish.
            std::future::pending::<()>().await;
        }
    }
}
