//! `random_pet`: the name of a pet.

use petname::Petnames;
use upstate::{Diagnostics, Resource};
use upstate_provider::{Context, ManagedResource};

use crate::keepers::{self, Keepers};

/// The name of a pet, as the unique part of another name. Beside `create_before_destroy`, the old and the new resource have different names.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "random_pet", version = 0)]
pub struct Pet {
    /// Any values; a change of one makes a new name.
    #[attribute(requires_replace_if = keepers::changed)]
    pub keepers: Option<Keepers>,
    /// The number of words in the name.
    #[attribute(default = 2, requires_replace)]
    pub length: i64,
    /// A string before the name, and a separator between them.
    #[attribute(requires_replace)]
    pub prefix: Option<String>,
    /// The text between the words.
    #[attribute(default = "-", requires_replace)]
    pub separator: String,
    /// The name.
    #[attribute(computed)]
    pub id: String,
}

impl ManagedResource for Pet {
    type Client = ();

    stays!();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        // Go makes one word of any length below one, and adverbs of all before the last two.
        let length = plan.length.clamp(1, u8::MAX.into()).try_into()?;
        let name = Petnames::default()
            .namer(length, &plan.separator)
            .iter(&mut rand::rng())
            .next()
            .unwrap_or_default();
        let prefix = plan.prefix.as_deref().filter(|prefix| !prefix.is_empty());
        let id = prefix.map_or_else(
            || name.clone(),
            |prefix| format!("{prefix}{}{name}", plan.separator),
        );
        Ok(Self { id, ..plan })
    }
}
