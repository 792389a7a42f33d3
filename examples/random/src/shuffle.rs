//! `random_shuffle`: a list in another order.

use upstate::{Diagnostics, Resource};
use upstate_provider::{Context, ManagedResource};

use crate::keepers::{self, Keepers};
use crate::seeded::Seeded;

/// The strings of a list, in a random order.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "random_shuffle", version = 0)]
pub struct Shuffle {
    /// Any values; a change of one makes a new order.
    #[attribute(requires_replace_if = keepers::changed)]
    pub keepers: Option<Keepers>,
    /// Makes the same order each time, in this release of the provider.
    #[attribute(requires_replace)]
    pub seed: Option<String>,
    /// The strings.
    #[attribute(requires_replace)]
    pub input: Vec<Option<String>>,
    /// The number of strings in the result: without it as many as there are. If it is less, some are left out. If it is more, they come again, but none twice more
    /// often than another.
    #[attribute(requires_replace)]
    pub result_count: Option<i64>,
    /// The strings in their new order.
    #[attribute(computed)]
    pub result: Vec<Option<String>>,
    /// Always `-`; nothing needs it.
    #[attribute(computed)]
    pub id: String,
}

impl ManagedResource for Shuffle {
    type Client = ();

    const STABLE: &'static [&'static str] = &["id", "result"];

    stays!();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        let count = plan
            .result_count
            .map_or(Ok(plan.input.len()), usize::try_from)?;
        let mut numbers = Seeded::new(plan.seed.as_deref());
        let mut result = Vec::with_capacity(count.min(plan.input.len()));
        while result.len() < count && !plan.input.is_empty() {
            let order = numbers.permutation(plan.input.len());
            result.extend(
                order
                    .into_iter()
                    .filter_map(|place| plan.input.get(place).cloned())
                    .take(count - result.len()),
            );
        }
        Ok(Self {
            result,
            id: "-".to_owned(),
            ..plan
        })
    }
}
