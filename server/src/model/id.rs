//! Ids, one type for each kind of thing, so that one is never passed where another is meant.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The letters and digits of ids: clients accept no others after the prefix.
const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The number of letters and digits after the prefix.
const LENGTH: usize = 16;

/// True of the letters and digits that follow the prefix of an id.
pub(crate) fn is_after_prefix(text: &str) -> bool {
    text.len() == LENGTH && text.bytes().all(|byte| ALPHABET.contains(&byte))
}

/// Random letters and digits.
fn random() -> String {
    let mut text = String::with_capacity(LENGTH);
    while text.len() < LENGTH {
        let mut bytes = [0u8; 32];
        crate::random::fill(&mut bytes);
        // 62 does not divide 256: what would make some letters likelier is thrown away.
        let letters = bytes
            .iter()
            .filter_map(|byte| ALPHABET.get(usize::from(byte >> 2)));
        text.extend(
            letters
                .take(LENGTH - text.len())
                .map(|letter| char::from(*letter)),
        );
    }
    text
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(String);

        impl $name {
            #[doc = concat!("What every such id begins with: `", $prefix, "`.")]
            pub const PREFIX: &'static str = $prefix;

            /// A new id, which nothing else has.
            pub fn new() -> Self {
                Self(format!("{}{}", Self::PREFIX, random()))
            }

            /// The id that a client or a row of the store named: any text, which may turn out to
            /// name nothing.
            pub fn from_text(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// Its text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// The id of an organization. Clients name organizations by name.
    OrganizationId = "org-";
    /// The id of a user.
    UserId = "user-";
    /// The id of a project.
    ProjectId = "prj-";
    /// The id of what a team may do in a project or a workspace.
    AccessId = "access-";
    /// The id of a team.
    TeamId = "team-";
    /// The id of a trust.
    TrustId = "trust-";
    /// The id of a token. It is public; the token is a secret.
    TokenId = "at-";
    /// The id of a workspace.
    WorkspaceId = "ws-";
    /// The id of a state version.
    VersionId = "sv-";
    /// The id of an output of a state version.
    OutputId = "wsout-";
    /// The id of a late upload that was kept aside.
    QuarantineId = "quar-";
    /// The id of a job.
    JobId = "job-";
    /// The id of a lock that the service takes for work of its own.
    LockId = "lock-";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_take_every_id_for_one() {
        for _ in 0..200 {
            let id = WorkspaceId::new();
            let rest = id.as_str().strip_prefix("ws-").expect("the prefix");
            assert_eq!(rest.len(), LENGTH);
            assert!(
                rest.bytes().all(|byte| byte.is_ascii_alphanumeric()),
                "{id}"
            );
        }
        assert_ne!(VersionId::new(), VersionId::new());
    }
}
