//! `random_uuid`, `random_uuid4` and `random_uuid7`: universally unique identifiers.

use upstate::{Diagnostic, Diagnostics, Resource};
use upstate_provider::{Context, ManagedResource};

use crate::keepers::{self, Keepers};

/// A resource for each way of making one.
macro_rules! uuids {
    ($($(#[doc = $doc:literal])+ $name:ident $type_name:literal $made:expr, $read:ident;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Resource)]
        #[resource(type_name = $type_name, version = 0)]
        pub struct $name {
            /// Any values; a change of one makes a new UUID.
            #[attribute(requires_replace_if = keepers::changed)]
            pub keepers: Option<Keepers>,
            /// The UUID, in small letters and with hyphens.
            #[attribute(computed)]
            pub result: String,
            /// The UUID again.
            #[attribute(computed)]
            pub id: String,
        }

        impl $name {
            fn of(uuid: uuid::Uuid, keepers: Option<Keepers>) -> Self {
                Self { keepers, result: uuid.to_string(), id: uuid.to_string() }
            }
        }

        impl ManagedResource for $name {
            type Client = ();

            const STABLE: &'static [&'static str] = &["id", "result"];

            stays!();

            async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
                Ok(Self::of($made, plan.keepers))
            }

            async fn import(id: &str, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
                let uuid = $read(id).map_err(|error| {
                    Diagnostic::error("Invalid Import Id", format!("{id:?} is not a UUID: {error}."))
                })?;
                Ok(Some(Self::of(uuid, None)))
            }
        }
    )+};
}

/// A UUID with its hyphens: in Go, `random_uuid` is read by another library than the others, which takes this form alone.
fn hyphenated(id: &str) -> Result<uuid::Uuid, uuid::Error> {
    id.parse::<uuid::fmt::Hyphenated>()
        .map(uuid::fmt::Hyphenated::into_uuid)
}

/// A UUID with its hyphens or without, in braces, or behind `urn:uuid:`.
fn any_form(id: &str) -> Result<uuid::Uuid, uuid::Error> {
    uuid::Uuid::try_parse(id)
}

uuids! {
    /// 16 random bytes in the form of a UUID, of no version.
    Uuid "random_uuid" uuid::Uuid::from_bytes(rand::random()), hyphenated;
    /// A random UUID of version 4.
    Uuid4 "random_uuid4" uuid::Uuid::new_v4(), any_form;
    /// A random UUID of version 7, which begins with the time.
    Uuid7 "random_uuid7" uuid::Uuid::now_v7(), any_form;
}
