//! All resource types a program knows.

mod served;

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::schema::Shared;
use crate::upgrade::resource::CurrentModel;
use crate::upgrade::{
    self, DowngradeRequest, DowngradeResponse, MoveRequest, PreparedUpgrade, ResourceDefinition,
    UpgradeRequest, UpgradeResponse,
};

pub use served::{Served, ServedKind, Signature};

/// Answers a request by the definition of its type. A macro, because some answers are awaited.
macro_rules! answer {
    ($registry:ident.$run:ident($request:ident) -> $response:ident $($wait:tt)*) => {
        match $registry.get($request.type_name()) {
            Some(definition) => upgrade::$run(definition, $request, &$registry.clients)$($wait)*,
            None => $response::failed($registry.unknown_type($request.type_name())),
        }
    };
}

/// The resource types a program knows, by type name.
///
/// ```
/// use upstate::{Registry, Resource, UpgradeRequest};
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 1)]
/// #[upgrade_from(0, model = NoteV0)]
/// struct Note { title: String }
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 0)]
/// struct NoteV0 { name: String }
///
/// impl From<NoteV0> for Note {
///     fn from(prior: NoteV0) -> Self {
///         Note { title: prior.name }
///     }
/// }
///
/// let registry = Registry::new().with::<Note>();
/// let response = registry.upgrade(&UpgradeRequest::json("example_note", 0, br#"{"name":"x"}"#));
/// assert_eq!(response.state(), Some(br#"{"title":"x"}"#.as_slice()));
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    definitions: HashMap<Shared<str>, ResourceDefinition, FxBuildHasher>,
    clients: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
    /// The provider, data sources, functions and others that a provider serves besides resources,
    /// by their addresses.
    served: BTreeMap<String, Served>,
}

impl Registry {
    /// A registry that knows no types.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the model `T`. [`insert`](Self::insert) replaces a definition.
    ///
    /// # Panics
    /// Another model has the same type name: one of the two would be gone, and its state read as
    /// the other's.
    ///
    /// ```should_panic
    /// use upstate::{Registry, Resource};
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 0)]
    /// struct Note { title: String }
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 0)]
    /// struct Memo { text: String }
    ///
    /// Registry::new().with::<Note>().with::<Memo>();
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with<T: CurrentModel>(mut self) -> Self {
        const {
            assert!(
                !T::STATELESS,
                "the model is `stateless`, and what a registry upgrades is stored: remove `stateless` from its `#[resource(…)]`"
            );
        }
        let before = self.insert(T::DEFINITION.clone());
        assert!(
            before.is_none_or(|before| before.is_of_same_model(T::DEFINITION)),
            "two models have the type name {:?}, and a registry has one: rename one of them, or use `insert` to replace the first",
            T::TYPE_NAME
        );
        self
    }

    /// Adds a client that upgrades can ask for by its type
    /// ([`UpgradeContext::client`](crate::UpgradeContext::client)). It replaces a client of the
    /// same type.
    #[must_use]
    pub fn with_client<C: Any + Send + Sync>(mut self, client: C) -> Self {
        let id = TypeId::of::<C>();
        self.clients.retain(|(known, _)| *known != id);
        self.clients.push((id, Arc::new(client)));
        self
    }

    /// Adds a definition, and returns the one that had its type name.
    pub fn insert(&mut self, definition: ResourceDefinition) -> Option<ResourceDefinition> {
        self.definitions
            .insert(definition.shared_type_name(), definition.ready())
    }

    /// The definition of a type.
    pub fn get(&self, type_name: &str) -> Option<&ResourceDefinition> {
        self.definitions.get(type_name)
    }

    /// All definitions, by type name.
    pub fn definitions(&self) -> impl ExactSizeIterator<Item = &ResourceDefinition> {
        let mut sorted: Vec<_> = self.definitions.values().collect();
        sorted.sort_unstable_by_key(|definition| definition.type_name());
        sorted.into_iter()
    }

    /// Notes what is served besides resources, so that the lock has it and releases can be
    /// compared. It replaces what had its address.
    pub fn serve(&mut self, served: Served) {
        self.served.insert(served.address(), served);
    }

    /// The provider, data sources, functions and others that are served besides resources, in order
    /// of their addresses.
    pub fn served(&self) -> impl Iterator<Item = &Served> {
        self.served.values()
    }

    /// Upgrades a stored state to the current version of its type.
    ///
    /// Never panics, and always answers with a state or an error, for every stored state and every
    /// upgrader.
    pub fn upgrade(&self, request: &UpgradeRequest<'_>) -> UpgradeResponse {
        answer!(self.run(request) -> UpgradeResponse)
    }

    /// Prepares to upgrade many states of one type that are stored at one version: the type and its
    /// route are looked up once. `None` if the type is not known.
    pub fn prepare(&self, type_name: &str, version: u64) -> Option<PreparedUpgrade<'_>> {
        self.get(type_name)
            .map(|definition| PreparedUpgrade::new(definition, &self.clients, version))
    }

    /// True if a type has an upgrader that may have to be awaited: then
    /// [`upgrade_async`](Self::upgrade_async) is for it.
    pub fn awaits(&self) -> bool {
        self.definitions.values().any(ResourceDefinition::awaits)
    }

    /// Upgrades stored state, also through asynchronous upgraders, which [`upgrade`](Self::upgrade)
    /// refuses.
    ///
    /// Runs on any async runtime. A panic in an upgrade becomes a diagnostic. Dropping the future
    /// cancels the upgrade. The request's cancellation and deadline are checked before each
    /// upgrader and each time the future is polled. Nothing polls a future when its deadline
    /// passes, so also set a timeout in your runtime.
    pub async fn upgrade_async(&self, request: &UpgradeRequest<'_>) -> UpgradeResponse {
        answer!(self.run_async(request) -> UpgradeResponse .await)
    }

    /// Upgrades a stored identity to the current version of its type's identity.
    ///
    /// An identity of the current version is refused, as in the reference: Terraform never asks for
    /// it.
    pub fn upgrade_identity(&self, request: &UpgradeRequest<'_>) -> UpgradeResponse {
        answer!(self.run_identity(request) -> UpgradeResponse)
    }

    /// Upgrades a stored identity, also through asynchronous upgraders.
    pub async fn upgrade_identity_async(&self, request: &UpgradeRequest<'_>) -> UpgradeResponse {
        answer!(self.run_identity_async(request) -> UpgradeResponse .await)
    }

    /// Takes a stored state of the current version back to what an earlier version stores.
    ///
    /// The upgraders between the two are gone through backwards: those of operators by their
    /// inverses, functions by the function that `downgrade = path` names. What comes out is
    /// upgraded again and compared, so whatever the older version cannot hold is found and named
    /// ([`DowngradeResponse::losses`]); unless the request allows that, such a state is refused.
    /// Never panics.
    ///
    /// ```
    /// use upstate::upgrade::DowngradeRequest;
    /// use upstate::{Registry, Resource};
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 1)]
    /// #[upgrade_from(0 => 1, rename(name => title), set(pinned = false))]
    /// struct Note { title: String, pinned: bool }
    ///
    /// let registry = Registry::new().with::<Note>();
    /// let response = registry.downgrade(&DowngradeRequest::json("example_note", 1, 0, br#"{"title":"x","pinned":false}"#));
    /// assert_eq!(response.state(), Some(br#"{"name":"x"}"#.as_slice()));
    ///
    /// let pinned = DowngradeRequest::json("example_note", 1, 0, br#"{"title":"x","pinned":true}"#);
    /// let response = registry.downgrade(&pinned);
    /// assert_eq!(response.state(), None);
    /// assert_eq!(response.losses()[0].to_string(), "pinned: true");
    /// assert!(registry.downgrade(&pinned.allow_loss(true)).state().is_some());
    /// ```
    pub fn downgrade(&self, request: &DowngradeRequest<'_>) -> DowngradeResponse {
        answer!(self.run_down(request) -> DowngradeResponse)
    }

    /// Takes state back to an earlier version, also where the upgrade that checks the result
    /// awaits.
    pub async fn downgrade_async(&self, request: &DowngradeRequest<'_>) -> DowngradeResponse {
        answer!(self.run_down_async(request) -> DowngradeResponse .await)
    }

    /// Takes a stored identity of the current version back to what an earlier version of it stores,
    /// as [`downgrade`](Self::downgrade) does with state.
    ///
    /// The request names the resource's type, and the versions are those of its identity's schema.
    ///
    /// ```
    /// use upstate::upgrade::DowngradeRequest;
    /// use upstate::{Registry, Resource};
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 0, identity = NoteIdentity)]
    /// struct Note { title: String }
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note_identity", version = 1)]
    /// #[upgrade_from(0 => 1, rename(name => id))]
    /// struct NoteIdentity { id: String }
    ///
    /// let registry = Registry::new().with::<Note>();
    /// let response = registry.downgrade_identity(&DowngradeRequest::json("example_note", 1, 0, br#"{"id":"x"}"#));
    /// assert_eq!(response.state(), Some(br#"{"name":"x"}"#.as_slice()));
    /// ```
    pub fn downgrade_identity(&self, request: &DowngradeRequest<'_>) -> DowngradeResponse {
        answer!(self.run_down_identity(request) -> DowngradeResponse)
    }

    /// Takes an identity back to an earlier version, also where the upgrade that checks the result
    /// awaits.
    pub async fn downgrade_identity_async(
        &self,
        request: &DowngradeRequest<'_>,
    ) -> DowngradeResponse {
        answer!(self.run_down_identity_async(request) -> DowngradeResponse .await)
    }

    /// Turns state of one type into state of another, which declares that it accepts it.
    ///
    /// The source state is first upgraded to the version of the model that the move names, through
    /// that model's own upgrades. Private data of the source is never moved.
    pub fn move_state(&self, request: &MoveRequest<'_>) -> UpgradeResponse {
        answer!(self.run_move(request) -> UpgradeResponse)
    }

    /// Moves state of another type to one of this registry, also through asynchronous upgraders.
    pub async fn move_state_async(&self, request: &MoveRequest<'_>) -> UpgradeResponse {
        answer!(self.run_move_async(request) -> UpgradeResponse .await)
    }

    #[cold]
    fn unknown_type(&self, type_name: &str) -> Diagnostics {
        Diagnostic::error(
            "Resource Type Not Found",
            format!(
                "No resource type is named {type_name:?}; {} are known.",
                self.definitions.len()
            ),
        )
        .coded(DiagnosticCode::UnknownType)
        .with_remedy("Register its model, or use a release that has it.")
        .into()
    }
}

__debug_parts! {
    Registry |self| {
        definitions: self.definitions().collect::<Vec<_>>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upgrades_that_await_can_move_between_threads() {
        fn sendable<T: Send>(_: T) {}
        let registry = Registry::new();
        let request = UpgradeRequest::json("example_note", 0, b"{}");
        sendable(registry.upgrade_async(&request));
        sendable(registry.upgrade_identity_async(&request));
        let back = DowngradeRequest::json("example_note", 1, 0, b"{}");
        sendable(registry.downgrade_async(&back));
        sendable(registry.downgrade_identity_async(&back));
        sendable(registry.move_state_async(&MoveRequest::new("example_note", request)));
    }
}
