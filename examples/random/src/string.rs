//! `random_string`: letters in a random order.

use upstate::{Diagnostics, Resource};
use upstate_provider::{Context, ManagedResource, Planned, ResourceConfig};

use crate::keepers::{self, Keepers};
use crate::letters::{self, letters};

/// Random letters and other characters, from a cryptographic generator. A unique name is better made by `random_id`, and a secret by
/// `random_password`.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "random_string", version = 2, oldest = 1)]
#[upgrade_from(1 => 2,
    copy(number => numeric), default((lower, number, numeric, special, upper) = true),
    default((min_lower, min_numeric, min_special, min_upper) = 0),
    only_if(lacks(length), copy(result => length), convert(length, length), default(length = 0)),
)]
pub struct RandomString {
    /// Any values; a change of one makes a new string.
    #[attribute(requires_replace_if = keepers::changed)]
    pub keepers: Option<Keepers>,
    /// The number of characters, at least the sum of `min_upper`, `min_lower`, `min_numeric` and `min_special`.
    #[attribute(range = 1.., requires_replace)]
    pub length: i64,
    /// Special characters may come: `!@#$%&*()-_=+[]{}<>:?`.
    #[attribute(default = true, requires_replace)]
    pub special: bool,
    /// Capital letters may come.
    #[attribute(default = true, requires_replace)]
    pub upper: bool,
    /// Small letters may come.
    #[attribute(default = true, requires_replace)]
    pub lower: bool,
    /// Digits may come. The default is true.
    #[attribute(optional, computed, requires_replace, deprecated = "Use `numeric`.")]
    pub number: Option<bool>,
    /// Digits may come. The default is true.
    #[attribute(optional, computed, requires_replace)]
    pub numeric: Option<bool>,
    /// The least number of digits.
    #[attribute(default = 0, requires_replace)]
    pub min_numeric: i64,
    /// The least number of capital letters.
    #[attribute(default = 0, requires_replace)]
    pub min_upper: i64,
    /// The least number of small letters.
    #[attribute(default = 0, requires_replace)]
    pub min_lower: i64,
    /// The least number of special characters.
    #[attribute(default = 0, requires_replace)]
    pub min_special: i64,
    /// Special characters in place of those that `special` names.
    #[attribute(requires_replace_if = letters::other_special)]
    pub override_special: Option<String>,
    /// The string.
    #[attribute(computed)]
    pub result: String,
    /// The string again.
    #[attribute(computed)]
    pub id: String,
}

impl ManagedResource for RandomString {
    type Client = ();

    const STABLE: &'static [&'static str] = &["id", "result"];

    stays!();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        let result = letters!(plan).draw()?;
        Ok(Self {
            id: result.clone(),
            result,
            ..plan
        })
    }

    async fn import(id: &str, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(Self {
            keepers: None,
            length: id.len().try_into()?,
            special: true,
            upper: true,
            lower: true,
            number: Some(true),
            numeric: Some(true),
            min_numeric: 0,
            min_upper: 0,
            min_lower: 0,
            min_special: 0,
            override_special: None,
            result: id.to_owned(),
            id: id.to_owned(),
        }))
    }

    async fn modify_plan(plan: &mut Planned<Self>, _: &mut Context<()>) -> Result<(), Diagnostics> {
        letters::plan(plan)
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        letters::validate(config, &["numeric", "number"])
    }
}
