//! The stored versions that have a way up, and how they are written: one entry for versions in a
//! row that share an upgrader, and one for each upgrader of a version that has several.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The greatest number of versions of one entry: as many as a model may support.
const MOST_VERSIONS: u64 = 65_536;

/// A stored version that has a way up. One that was stored in several shapes has several, in the
/// order in which their conditions are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upgrader {
    /// The stored version.
    pub from: u64,
    /// The version it leads to; the current one unless given.
    pub to: Option<u64>,
    /// A fingerprint of its work, where it can be computed.
    pub digest: Option<String>,
    /// The kind of upgrader, where it is known.
    pub kind: Option<String>,
    /// The reason for a separate version although no stored shape changed.
    pub reason: Option<String>,
    /// The condition on the states that it is for, if it is not for all: `has zone`, `lacks zone`,
    /// or `function`. Locks that are older have none, and of several upgraders the first alone.
    pub when: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Version(u64),
    Full {
        from: u64,
        /// The last version, if there are several.
        #[serde(skip_serializing_if = "Option::is_none")]
        through: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        #[serde(alias = "note", skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
}

pub(super) fn serialize<S: Serializer>(
    upgraders: &[Upgrader],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let is_next = |a: &Upgrader, b: &Upgrader| {
        a.from.checked_add(1) == Some(b.from)
            && (a.to, &a.digest, &a.kind, &a.reason, &a.when)
                == (b.to, &b.digest, &b.kind, &b.reason, &b.when)
    };
    let form = |run: &[Upgrader]| {
        let (first, last) = (run.first()?, run.last()?);
        let Upgrader {
            from,
            to,
            digest,
            kind,
            reason,
            when,
        } = first.clone();
        Some(match (to, digest, kind, reason, when) {
            (None, None, None, None, None) if from == last.from => Form::Version(from),
            (to, digest, kind, reason, when) => Form::Full {
                from,
                through: Some(last.from).filter(|last| *last > from),
                to,
                digest,
                kind,
                reason,
                when,
            },
        })
    };
    serializer.collect_seq(upgraders.chunk_by(is_next).filter_map(form))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Upgrader>, D::Error> {
    let mut upgraders = Vec::new();
    for form in Vec::<Form>::deserialize(deserializer)? {
        match form {
            Form::Version(from) => {
                upgraders.push(Upgrader {
                    from,
                    to: None,
                    digest: None,
                    kind: None,
                    reason: None,
                    when: None,
                });
            }
            Form::Full {
                from,
                through,
                to,
                digest,
                kind,
                reason,
                when,
            } => {
                let last = through.unwrap_or(from);
                if last < from || last - from >= MOST_VERSIONS {
                    return Err(D::Error::custom(format_args!(
                        "there are no versions from {from} to {last}, or more than {MOST_VERSIONS}"
                    )));
                }
                let upgrader = Upgrader {
                    from,
                    to,
                    digest,
                    kind,
                    reason,
                    when,
                };
                upgraders.extend((from..=last).map(|from| Upgrader {
                    from,
                    ..upgrader.clone()
                }));
            }
        }
    }
    Ok(upgraders)
}
