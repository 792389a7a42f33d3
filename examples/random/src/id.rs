//! `random_id`: a number that nothing else has.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use num_bigint::BigUint;
use upstate::{Diagnostic, Diagnostics, Resource};
use upstate_provider::{Context, ManagedResource};

use crate::bytes::{hex, random};
use crate::keepers::{self, Keepers};

/// A random number as the unique part of a name. It comes from a cryptographic generator; one of 16 bytes is as unique as a UUID. Beside
/// `create_before_destroy`, the old and the new resource have different names. What must not be shown is `random_bytes`.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "random_id", version = 0)]
pub struct Id {
    /// Any values; a change of one makes a new number.
    #[attribute(requires_replace_if = keepers::changed)]
    pub keepers: Option<Keepers>,
    /// The number of random bytes.
    #[attribute(requires_replace)]
    pub byte_length: i64,
    /// A string before each form of the number but `id`, as it is: it need not be fit for a URL.
    #[attribute(requires_replace)]
    pub prefix: Option<String>,
    /// The number in the base64 of URLs: letters, digits, `_` and `-`.
    #[attribute(computed)]
    pub b64_url: String,
    /// The number in base64.
    #[attribute(computed)]
    pub b64_std: String,
    /// The number in hexadecimal digits, two for each byte.
    #[attribute(computed)]
    pub hex: String,
    /// The number in decimal digits, without zeros before it.
    #[attribute(computed)]
    pub dec: String,
    /// The number in the base64 of URLs, without the prefix.
    #[attribute(computed)]
    pub id: String,
}

impl Id {
    fn of(
        bytes: &[u8],
        prefix: Option<String>,
        keepers: Option<Keepers>,
    ) -> Result<Self, Diagnostics> {
        let before = prefix.as_deref().unwrap_or_default();
        let id = URL_SAFE_NO_PAD.encode(bytes);
        Ok(Self {
            keepers,
            byte_length: bytes.len().try_into()?,
            b64_url: format!("{before}{id}"),
            b64_std: format!("{before}{}", STANDARD.encode(bytes)),
            hex: format!("{before}{}", hex(bytes)),
            dec: format!("{before}{}", BigUint::from_bytes_be(bytes)),
            prefix,
            id,
        })
    }
}

impl ManagedResource for Id {
    type Client = ();

    const STABLE: &'static [&'static str] = &["id", "b64_url", "b64_std", "hex", "dec"];

    stays!();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Self::of(&random(plan.byte_length)?, plan.prefix, plan.keepers)
    }

    /// The id is what `b64_url` is, with a comma after the prefix.
    async fn import(id: &str, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        let (prefix, id) = id.rsplit_once(',').unwrap_or(("", id));
        let bytes = URL_SAFE_NO_PAD.decode(id).map_err(|error| {
            let detail = format!(
                "{id:?} is not the base64 of URLs: {error}. The id is `ID`, or `PREFIX,ID`."
            );
            Diagnostic::error("Invalid Import Id", detail)
        })?;
        let prefix = (!prefix.is_empty()).then(|| prefix.to_owned());
        Self::of(&bytes, prefix, None).map(Some)
    }
}
