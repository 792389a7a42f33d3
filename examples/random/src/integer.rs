//! `random_integer`: a number of a range.

use upstate::{AttributePath, Diagnostic, Diagnostics, Resource};
use upstate_provider::{Context, ManagedResource};

use crate::keepers::{self, Keepers};
use crate::seeded::Seeded;

/// A random number of a range.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "random_integer", version = 0)]
pub struct Integer {
    /// Any values; a change of one makes a new number.
    #[attribute(requires_replace_if = keepers::changed)]
    pub keepers: Option<Keepers>,
    /// The smallest number that may come.
    #[attribute(requires_replace)]
    pub min: i64,
    /// The largest number that may come.
    #[attribute(requires_replace)]
    pub max: i64,
    /// Makes the same number each time.
    #[attribute(requires_replace)]
    pub seed: Option<String>,
    /// The number.
    #[attribute(computed)]
    pub result: i64,
    /// The number as a string.
    #[attribute(computed)]
    pub id: String,
}

impl ManagedResource for Integer {
    type Client = ();

    const STABLE: &'static [&'static str] = &["id", "result"];

    stays!();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        let (min, max) = (plan.min, plan.max);
        // The first overflows where all of 64 bits is asked for.
        let values = max
            .abs_diff(min)
            .checked_add(1)
            .filter(|&values| min <= max && values <= i64::MAX.cast_unsigned());
        let Some(values) = values else {
            let detail = format!(
                "min is {min} and max is {max}. `min` must not be above `max`, nor 2⁶³ or more below it."
            );
            return Err(Diagnostic::error("Invalid Range", detail)
                .at(AttributePath::from("min"))
                .into());
        };
        let result = min.wrapping_add_unsigned(Seeded::new(plan.seed.as_deref()).below(values));
        Ok(Self {
            result,
            id: result.to_string(),
            ..plan
        })
    }

    /// The id is the number, `min` and `max`, and the seed if there is one.
    async fn import(id: &str, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        let (result, min, max, seed) = match id.split(',').collect::<Vec<_>>()[..] {
            [result, min, max] => (result, min, max, None),
            [result, min, max, seed] => (result, min, max, Some(seed.to_owned())),
            _ => {
                return Err(Diagnostic::error(
                    "Invalid Import Id",
                    "The id is `RESULT,MIN,MAX` or `RESULT,MIN,MAX,SEED`.",
                )
                .into());
            }
        };
        let number = |text: &str| {
            text.parse::<i64>().map_err(|error| {
                Diagnostic::error(
                    "Invalid Import Id",
                    format!("{text:?} is not a number: {error}."),
                )
            })
        };
        Ok(Some(Self {
            keepers: None,
            min: number(min)?,
            max: number(max)?,
            seed,
            result: number(result)?,
            id: result.to_owned(),
        }))
    }
}
