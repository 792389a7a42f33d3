//! `random_password`, the resource and the ephemeral resource: a string that is a secret.

use upstate::{Diagnostics, Resource};
use upstate_provider::{
    Context, EphemeralResource, ManagedResource, Opened, Planned, ResourceConfig,
};

use crate::keepers::{self, Keepers};
use crate::letters::{self, letters};

/// A string as `random_string` makes it, as a secret: Terraform shows it nowhere, but stores it in the state. Where the password goes into a write-only attribute,
/// use the ephemeral resource of this name, which stores nothing.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "random_password", version = 3)]
#[upgrade_from(2 => 3,
    only_if(lacks(numeric), copy(number => numeric)), default((lower, number, numeric, special, upper) = true),
    default((min_lower, min_numeric, min_special, min_upper) = 0),
    only_if(lacks(length), copy(result => length, declassified = "the length is public"), convert(length, length), default(length = 0)),
    fill(result, bcrypt_hash: String => bcrypt_hash, with = verified),
)]
#[upgrade_from(1 => 3,
    copy(number => numeric), default((lower, number, numeric, special, upper) = true),
    default((min_lower, min_numeric, min_special, min_upper) = 0),
    only_if(lacks(length), copy(result => length, declassified = "the length is public"), convert(length, length), default(length = 0)),
)]
#[upgrade_from(0 => 1, fill(result => bcrypt_hash, with = hashed))]
pub struct Password {
    /// Any values; a change of one makes a new password.
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
    /// The password.
    #[attribute(computed, sensitive)]
    pub result: String,
    /// The bcrypt hash of the password's first 72 bytes.
    #[attribute(computed, sensitive)]
    pub bcrypt_hash: String,
    /// Always `none`; nothing needs it.
    #[attribute(computed)]
    pub id: String,
}

/// A password that no state holds, for a write-only attribute of another resource.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "random_password", stateless)]
pub struct EphemeralPassword {
    /// The number of characters, at least the sum of `min_upper`, `min_lower`, `min_numeric` and `min_special`.
    #[attribute(range = 1..)]
    pub length: i64,
    /// Special characters may come: `!@#$%&*()-_=+[]{}<>:?`.
    #[attribute(default = true)]
    pub special: bool,
    /// Capital letters may come.
    #[attribute(default = true)]
    pub upper: bool,
    /// Small letters may come.
    #[attribute(default = true)]
    pub lower: bool,
    /// Digits may come.
    #[attribute(default = true)]
    pub numeric: Option<bool>,
    /// The least number of digits.
    #[attribute(default = 0)]
    pub min_numeric: i64,
    /// The least number of capital letters.
    #[attribute(default = 0)]
    pub min_upper: i64,
    /// The least number of small letters.
    #[attribute(default = 0)]
    pub min_lower: i64,
    /// The least number of special characters.
    #[attribute(default = 0)]
    pub min_special: i64,
    /// Special characters in place of those that `special` names.
    pub override_special: Option<String>,
    /// The password.
    #[attribute(computed, sensitive)]
    pub result: String,
    /// The bcrypt hash of the password's first 72 bytes.
    #[attribute(computed, sensitive)]
    pub bcrypt_hash: String,
}

/// As Go hashes: its cost, and the version that it writes.
fn hashed(password: String) -> Result<String, String> {
    let hash = bcrypt::hash_with_result(password, 10)
        .map_err(|error| format!("The password cannot be hashed: {error}."))?;
    Ok(hash.format_for_version(bcrypt::Version::TwoA))
}

/// A release between 3.3.2 and 3.4.2 stored hashes of other passwords.
fn verified(password: String, hash: String) -> Result<String, String> {
    match bcrypt::verify(&password, &hash) {
        Ok(true) => Ok(hash),
        Ok(false) => hashed(password),
        Err(error) => Err(format!("The stored hash cannot be compared: {error}.")),
    }
}

impl ManagedResource for Password {
    type Client = ();

    const STABLE: &'static [&'static str] = &["id", "result", "bcrypt_hash"];

    stays!();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        let result = letters!(plan).draw()?;
        Ok(Self {
            id: "none".to_owned(),
            bcrypt_hash: hashed(result.clone())?,
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
            bcrypt_hash: hashed(id.to_owned())?,
            id: "none".to_owned(),
        }))
    }

    async fn modify_plan(plan: &mut Planned<Self>, _: &mut Context<()>) -> Result<(), Diagnostics> {
        letters::plan(plan)
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        letters::validate(config, &["numeric", "number"])
    }
}

impl EphemeralResource for EphemeralPassword {
    type Client = ();

    async fn open(config: Self, _: &mut Context<()>) -> Result<Opened<Self>, Diagnostics> {
        let result = letters!(config).draw()?;
        Ok(Opened::new(Self {
            bcrypt_hash: hashed(result.clone())?,
            result,
            ..config
        }))
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        letters::validate(config, &["numeric"])
    }
}
