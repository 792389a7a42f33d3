//! State versions that are accepted: lock owner, replay, `If-Match`, `force`, lineage, serial, in
//! this order.

use super::{Refusal, RefusalKind, Snapshot};
use crate::model::{Holder, Status, Version, VersionId};

/// The request for the next version.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    /// Its serial.
    pub serial: i64,
    /// Its lineage; empty if there is none, or if only the bytes that are still to come will tell.
    pub lineage: &'a str,
    /// MD5 of its bytes.
    pub md5: &'a str,
    /// True if serial and lineage are not to be compared.
    pub force: bool,
    /// The version that must be current.
    pub if_match: Option<&'a VersionId>,
}

/// Its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// It is the current version already: the answer to the first request was lost.
    Replay(VersionId),
    /// It waits for its bytes already.
    Pending(VersionId),
    /// A new version; one that waited for its bytes until now will not get them.
    New {
        /// That one.
        discard: Option<VersionId>,
    },
}

/// True if the workspace is locked by `holder`, as a writer of state must have it.
pub fn holds_lock(snapshot: &Snapshot, holder: &Holder) -> Result<(), Refusal> {
    let name = &snapshot.workspace.name;
    match &snapshot.workspace.lock {
        None => Err(Refusal::conflict(format!(
            "This workspace is not locked and will only accept state uploads when locked: lock {name} first, and write with the \
             token that locked it"
        ))),
        Some(lock) if lock.holder.is(holder) => Ok(()),
        Some(lock) => Err(Refusal::conflict(format!(
            "This workspace is locked by {} since {} and only accepts state uploads from the holder of the lock: wait until {name} is \
             unlocked",
            lock.holder, lock.at
        ))),
    }
}

/// True if a version may follow the current one.
pub fn create(snapshot: &Snapshot, proposal: &Proposal<'_>) -> Result<Created, Refusal> {
    if let Some(head) = snapshot
        .head
        .as_ref()
        .filter(|head| is_same(head, proposal))
    {
        return Ok(Created::Replay(head.id.clone()));
    }
    if let Some(expected) = proposal.if_match {
        let head = snapshot.workspace.head.as_ref();
        if head != Some(expected) {
            let head = head.map_or_else(
                || "the workspace has no state".to_owned(),
                |head| format!("{head} is current"),
            );
            return Err(Refusal::new(
                RefusalKind::PreconditionFailed,
                format!(
                    "If-Match demands that {expected} is the current state version, and {head}"
                ),
            ));
        }
    }
    if !proposal.force {
        succeeds(snapshot.head.as_ref(), proposal)?;
    }
    match &snapshot.pending {
        // Its bytes are compared as it was asked for, with force or without.
        Some(pending) if is_same(pending, proposal) && pending.forced == proposal.force => {
            Ok(Created::Pending(pending.id.clone()))
        }
        Some(pending) => Ok(Created::New {
            discard: Some(pending.id.clone()),
        }),
        None => Ok(Created::New { discard: None }),
    }
}

/// Equal bytes have an equal lineage, so one that is not known yet makes no difference.
fn is_same(version: &Version, proposal: &Proposal<'_>) -> bool {
    let lineage = version.lineage.is_empty()
        || proposal.lineage.is_empty()
        || version.lineage == proposal.lineage;
    version.serial == proposal.serial && version.md5 == proposal.md5 && lineage
}

/// True if lineage and serial follow those of the current version.
fn succeeds(head: Option<&Version>, proposal: &Proposal<'_>) -> Result<(), Refusal> {
    let Some(head) = head else { return Ok(()) };
    let (current, serial) = (&head.lineage, head.serial);
    // Very old states have no lineage, and then there is nothing to compare.
    if !current.is_empty() && !proposal.lineage.is_empty() && *current != proposal.lineage {
        return Err(Refusal::conflict(format!(
            "The lineage provided in the state file does not match the value currently known: the current state version {} has \
             lineage {current}, the upload has {}. It is the state of another configuration, or was started again from nothing; roll back, or \
             create with force to replace the current one",
            head.id, proposal.lineage
        )));
    }
    if proposal.serial == serial {
        return Err(Refusal::conflict(format!(
            "The MD5 hash of the state provided does not match what is currently known for the same serial number: serial {serial} is \
             {} with MD5 {}, the upload has MD5 {}. Another client wrote this serial; pull the state and apply again",
            head.id, head.md5, proposal.md5
        )));
    }
    if proposal.serial < serial {
        return Err(Refusal::conflict(format!(
            "The serial provided in the state file is not greater than the serial currently known remotely: the upload has serial {}, \
             the current state version {} has {serial}. Pull the state and apply again",
            proposal.serial, head.id
        )));
    }
    Ok(())
}

/// Bytes that came for a version.
#[derive(Debug, Clone, Copy)]
pub struct Upload<'a> {
    /// MD5 of the bytes.
    pub md5: &'a str,
    /// The lineage that the file has.
    pub lineage: &'a str,
}

/// The outcome for the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uploaded {
    /// The version becomes the current one.
    Finalize,
    /// It has these bytes already: the answer to the first request was lost.
    Replay,
}

/// The reason why the bytes of a version are refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadRefusal {
    /// The message for the client.
    pub refusal: Refusal,
    /// True if the bytes are what was declared, and are to be kept aside: nobody else may have
    /// them.
    pub keep: bool,
}

/// True if `version` gets these bytes now.
pub fn upload(
    snapshot: &Snapshot,
    version: &Version,
    upload: &Upload<'_>,
) -> Result<Uploaded, UploadRefusal> {
    if upload.md5 != version.md5 {
        let detail = format!(
            "The MD5 of the bytes is {}, but {} was declared with MD5 {}",
            upload.md5, version.id, version.md5
        );
        let refusal = match version.status {
            Status::Pending => Refusal::unprocessable(
                "/data/attributes/md5",
                format!("{detail}. Upload the state that was declared"),
            ),
            Status::Finalized | Status::Discarded => {
                Refusal::conflict(format!("{detail}, and it takes no bytes any more"))
            }
        };
        return Err(UploadRefusal {
            refusal,
            keep: false,
        });
    }
    match version.status {
        Status::Finalized => Ok(Uploaded::Replay),
        Status::Discarded => {
            let detail = format!(
                "State version {} was discarded: its lock was taken away, another version took its place, or its time ran out. The \
                 bytes are kept in quarantine, where an administrator finds them; push the state again under a lock",
                version.id
            );
            Err(UploadRefusal {
                refusal: Refusal::conflict(detail),
                keep: true,
            })
        }
        Status::Pending => {
            let refused = |refusal| UploadRefusal {
                refusal,
                keep: true,
            };
            holds_lock(snapshot, &version.creator).map_err(refused)?;
            if !version.forced {
                let lineage = upload.lineage;
                let proposal = Proposal {
                    serial: version.serial,
                    lineage,
                    md5: upload.md5,
                    force: false,
                    if_match: None,
                };
                succeeds(snapshot.head.as_ref(), &proposal).map_err(refused)?;
            }
            Ok(Uploaded::Finalize)
        }
    }
}
