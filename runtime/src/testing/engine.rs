//! The engine that upgrades the states of tests.

use std::fmt;
use std::rc::Rc;

use crate::registry::Registry;
use crate::upgrade::{UpgradeRequest, UpgradeResponse};

type Upgrade = dyn Fn(&Registry, &UpgradeRequest<'_>) -> UpgradeResponse;

/// The registry itself, or a function of the test that asks it in another way.
#[derive(Clone, Default)]
pub(super) struct Engine(Option<Rc<Upgrade>>);

impl Engine {
    pub(super) fn new(
        upgrade: impl Fn(&Registry, &UpgradeRequest<'_>) -> UpgradeResponse + 'static,
    ) -> Self {
        Self(Some(Rc::new(upgrade)))
    }

    pub(super) fn upgrade(
        &self,
        registry: &Registry,
        request: &UpgradeRequest<'_>,
    ) -> UpgradeResponse {
        match &self.0 {
            Some(upgrade) => upgrade(registry, request),
            None => registry.upgrade(request),
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "a function"
        } else {
            "the registry"
        })
    }
}
