//! Definitions of prior versions without a struct, as if each were the current one of its type.

use std::any::Any;

use super::definition::ResourceDefinition;
use super::dynamic::ClosureUpgrader;
use super::history::is_routed;
use super::prior_shape::PriorShape;
use crate::diagnostics::Diagnostics;
use crate::schema::Shared;

impl ResourceDefinition {
    /// The prior version `version` as a resource of its own, if it is written as a difference: what
    /// it stored is read with its schema, and state of earlier versions goes up to it and no
    /// further. For tests and tools; a prior model has a definition already.
    ///
    /// ```
    /// use upstate::upgrade::UpgradeRequest;
    /// use upstate::{Registry, Resource};
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 2)]
    /// #[upgrade_from(1 => 2, rename(name => title))]
    /// #[upgrade_from(0 => 1, default(name = "untitled"))]
    /// struct Note { title: String }
    ///
    /// let mut registry = Registry::new();
    /// registry.insert(Note::DEFINITION.prior(1).unwrap());
    /// let response = registry.upgrade(&UpgradeRequest::json("example_note", 0, br#"{"name":null}"#));
    /// assert_eq!(response.state(), Some(br#"{"name":"untitled"}"#.as_slice()));
    /// ```
    pub fn prior(&self, version: u64) -> Option<ResourceDefinition> {
        let shape: &dyn Any = self.history()?.shape(version)?;
        shape
            .downcast_ref::<PriorShape>()?
            .definition(self.shared_type_name())
            .ok()
    }
}

impl PriorShape {
    /// The shape as a resource of its own: state of earlier versions goes up to it and no further.
    fn definition(
        &'static self,
        type_name: Shared<str>,
    ) -> Result<ResourceDefinition, Diagnostics> {
        let (version, oldest) = (self.history().version(), self.history().oldest());
        let builder = ResourceDefinition::builder(type_name, self.schema().clone()).oldest(oldest);
        let earlier = (oldest..version).filter(|stored| is_routed(self.routes, oldest, *stored));
        let awaits = self.history().awaits();
        let upgrader = |stored| {
            if awaits {
                ClosureUpgrader::new_async(stored, move |_, context| {
                    self.value_async(stored, context.raw_state(), context)
                })
            } else {
                ClosureUpgrader::new(stored, move |_, context| {
                    self.value(stored, context.raw_state(), context)
                })
            }
        };
        earlier
            .fold(builder, |builder, stored| {
                builder.upgrader(upgrader(stored))
            })
            .build()
    }
}
