//! Creating state versions.

use std::thread;
use std::time::Instant;

use bytes::Bytes;

use super::access::{self, WRITING};
use super::{Decided, Failure, Service, audit};
use crate::content::{self, Content, ReadOutput};
use crate::model::{
    Backing, Holder, Principal, Status, Timestamp, Version, VersionId, WorkspaceId,
};
use crate::rules::{self, Created, Proposal, Refusal, RefusalKind, Snapshot};
use crate::store::{Change, NewContent, Page, StoreError, compress};
use crate::traffic::{self, Room};

/// The longest lineage, in bytes; Terraform's have 36. Each look at a workspace and each list of its
/// versions has the whole of it.
const LONGEST_LINEAGE: usize = 1000;

/// Refuses a lineage that no client made up for a state, unless the workspace has it already.
pub(super) fn check_lineage(snapshot: &Snapshot, lineage: &str) -> Result<(), Refusal> {
    let bytes = lineage.len();
    let mut known = snapshot.head.iter().chain(&snapshot.pending);
    if bytes <= LONGEST_LINEAGE || known.any(|version| version.lineage == lineage) {
        return Ok(());
    }
    let detail =
        format!("The lineage has {bytes} bytes, and {LONGEST_LINEAGE} are the most that are taken");
    Err(Refusal::unprocessable("/data/attributes/lineage", detail))
}

/// A request to create a version.
#[derive(Clone, Default)]
pub struct CreateVersion {
    /// Its serial.
    pub serial: i64,
    /// MD5 of the state, in hexadecimal digits.
    pub md5: String,
    /// Its lineage; if it is empty, that of the file.
    pub lineage: String,
    /// The state; without it, the version waits for its bytes.
    pub state: Option<Bytes>,
    /// The JSON state.
    pub json_state: Option<Bytes>,
    /// Outputs, for a state that cannot be read.
    pub outputs: Option<Vec<ReadOutput>>,
    /// The run it belongs to.
    pub run: Option<String>,
    /// True if serial and lineage are not to be compared.
    pub force: bool,
    /// The version that must be current.
    pub if_match: Option<VersionId>,
}

impl std::fmt::Debug for CreateVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreateVersion")
            .field("serial", &self.serial)
            .field("md5", &self.md5)
            .finish_non_exhaustive()
    }
}

/// A workspace in which somebody may create a version, as it was when that was asked.
#[derive(Debug)]
pub struct Writable {
    snapshot: Snapshot,
    holder: Holder,
}

/// A state with what was read out of it.
#[derive(Debug)]
pub(super) struct Readied {
    pub(super) bytes: Bytes,
    pub(super) content: Content,
    /// The bytes as the store keeps them, of a large state.
    compressed: Option<Bytes>,
    _room: Room,
}

impl Readied {
    /// Refuses a file that is not what was said of it.
    pub(super) fn check(
        &self,
        serial: i64,
        lineage: &str,
        md5: &str,
        strict: bool,
    ) -> Result<(), Refusal> {
        let content = &self.content;
        if self.bytes.is_empty() {
            return Err(Refusal::unprocessable(
                "/data/attributes/state",
                "The state is empty",
            ));
        }
        if content.md5 != md5 {
            let detail = format!(
                "The MD5 of the state is {}, but md5 says {md5}",
                content.md5
            );
            return Err(Refusal::unprocessable("/data/attributes/md5", detail));
        }
        if !strict {
            return Ok(());
        }
        let Some(in_file) = content.serial else {
            let why = content
                .summary
                .unreadable
                .as_deref()
                .unwrap_or("its serial is not a whole number from 0 on");
            return Err(Refusal::unprocessable(
                "/data/attributes/state",
                format!("The state has no serial: {why}"),
            ));
        };
        if in_file != serial {
            let detail =
                format!("The serial {serial} is not that of the state, which has serial {in_file}");
            return Err(Refusal::unprocessable("/data/attributes/serial", detail));
        }
        if !lineage.is_empty() && !content.lineage.is_empty() && lineage != content.lineage {
            let detail = format!(
                "The lineage {lineage} is not that of the state, which has {}",
                content.lineage
            );
            return Err(Refusal::unprocessable("/data/attributes/lineage", detail));
        }
        Ok(())
    }

    /// The lineage of a version: what the client said, else what the file says.
    pub(super) fn lineage(&self, described: &str) -> String {
        if described.is_empty() {
            self.content.lineage.clone()
        } else {
            described.to_owned()
        }
    }

    /// The contents of a new version.
    pub(super) fn for_version(
        &self,
        version: &VersionId,
        json_state: Option<Bytes>,
        at: Timestamp,
    ) -> NewContent {
        NewContent {
            state: self.bytes.clone(),
            compressed: self.compressed.clone(),
            json_state,
            finalized: self.content.finalized(at),
            summary: self.content.summary.clone(),
            outputs: self.content.outputs_of(version),
            types: self.content.types.clone(),
            report: None,
        }
    }
}

/// The contents of a state, and, of a large one, its bytes as the store keeps them: they are
/// compressed while it is read.
fn read_and_compressed(bytes: &Bytes) -> (Content, Option<Bytes>) {
    if bytes.len() < content::WORTH_A_THREAD {
        return (Content::read(bytes), None);
    }
    thread::scope(|scope| {
        // The system may refuse a thread; then the store compresses it.
        let compressing = thread::Builder::new().spawn_scoped(scope, || compress(bytes));
        let content = Content::read(bytes);
        let compressed = compressing.ok().and_then(|thread| thread.join().ok());
        (content, compressed.and_then(Result::ok).map(Bytes::from))
    })
}

/// The next version of a workspace, waiting for its bytes.
pub(super) fn next_version(snapshot: &Snapshot, creator: &Holder, at: Timestamp) -> Version {
    Version {
        id: VersionId::new(),
        workspace: snapshot.workspace.id.clone(),
        seq: snapshot.workspace.last_seq.saturating_add(1),
        serial: 0,
        lineage: String::new(),
        md5: String::new(),
        status: Status::Pending,
        backing: Backing::Available,
        has_json_state: false,
        finalized: None,
        forced: false,
        creator: creator.clone(),
        created_at: at,
        run: None,
        rollback_of: None,
        upgraded_from: None,
        downgraded_to: None,
        job: None,
    }
}

/// The change that gives a version its bytes and makes it current.
pub(super) fn finalize(
    snapshot: &Snapshot,
    version: &VersionId,
    lineage: String,
    state: &Readied,
    json_state: Option<Bytes>,
    at: Timestamp,
) -> Change {
    let content = Box::new(state.for_version(version, json_state, at));
    Change::Finalize {
        version: version.clone(),
        from: snapshot.workspace.head.clone(),
        lineage,
        content,
    }
}

impl Service {
    /// Charges the memory that reading some states takes.
    pub(super) async fn room_to_read(&self, states: &[Bytes]) -> Result<Room, Refusal> {
        let memory = states
            .iter()
            .map(|bytes| content::memory_to_read(bytes))
            .fold(0, usize::saturating_add);
        self.parsing.room_soon(memory).await
    }

    /// Reads a state; a large one away from the threads that answer requests.
    pub(super) async fn read_state(&self, bytes: Bytes) -> Result<Readied, Failure> {
        self.read_state_beside(bytes, 0).await
    }

    /// Reads a state, and charges the memory of so many further bytes, which are kept as long as it.
    pub(super) async fn read_state_beside(
        &self,
        bytes: Bytes,
        further: usize,
    ) -> Result<Readied, Failure> {
        let memory = content::memory_to_read(&bytes).saturating_add(further);
        let room = self.parsing.room_soon(memory).await?;
        if bytes.len() <= content::AT_ONCE {
            return Ok(Readied {
                content: Content::read(&bytes),
                compressed: None,
                bytes,
                _room: room,
            });
        }
        let read = tokio::task::spawn_blocking(move || {
            let (content, compressed) = read_and_compressed(&bytes);
            Readied {
                content,
                compressed,
                bytes,
                _room: room,
            }
        });
        Ok(read
            .await
            .map_err(|error| StoreError::new("a state was not read").because(error))?)
    }

    /// Reads a state that a principal sent. It may wait for memory, so that a principal who lost
    /// something meanwhile is refused.
    pub(super) async fn read_sent(&self, by: &Principal, bytes: Bytes) -> Result<Readied, Failure> {
        let began = Instant::now();
        let state = self.read_state(bytes).await?;
        if began.elapsed() > traffic::AT_ONCE {
            self.still_may(by).await?;
        }
        Ok(state)
    }

    /// Refuses a workspace in which the principal cannot create a version, before its body is
    /// looked at.
    pub async fn may_create(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
    ) -> Result<Writable, Failure> {
        let (snapshot, holder) = self.writable(principal, id, None).await?;
        rules::holds_lock(&snapshot, &holder)?;
        Ok(Writable { snapshot, holder })
    }

    /// Creates a version; with its bytes it becomes current at once.
    pub async fn create(
        &self,
        principal: &Principal,
        Writable { snapshot, holder }: Writable,
        request: CreateVersion,
    ) -> Result<VersionId, Failure> {
        let state = match request.state.clone() {
            None => None,
            Some(bytes) => {
                let mut state = self.read_sent(principal, bytes).await?;
                state.check(
                    request.serial,
                    &request.lineage,
                    &request.md5,
                    self.conduct.strict_metadata,
                )?;
                if state.content.summary.unreadable.is_some() {
                    state.content.outputs = request.outputs.clone().unwrap_or_default();
                }
                Some(state)
            }
        };
        self.write_version(
            principal,
            snapshot,
            &holder,
            &request,
            state.as_ref(),
            |snapshot| rules::holds_lock(snapshot, &holder),
        )
        .await
    }

    /// Writes a version that was checked against its own file, while `may_write` says so.
    pub(super) async fn write_version(
        &self,
        principal: &Principal,
        snapshot: Snapshot,
        holder: &Holder,
        request: &CreateVersion,
        state: Option<&Readied>,
        may_write: impl Fn(&Snapshot) -> Result<(), Refusal>,
    ) -> Result<VersionId, Failure> {
        let lineage = state.map_or_else(
            || request.lineage.clone(),
            |state| state.lineage(&request.lineage),
        );
        self.change_from(snapshot, |snapshot, at| {
            // The workspace may have been moved out of reach while the body came.
            access::on(principal, &snapshot.workspace)?.require_all(&WRITING)?;
            may_write(snapshot)?;
            check_lineage(snapshot, &lineage)?;
            let proposal = Proposal {
                serial: request.serial,
                lineage: &lineage,
                md5: &request.md5,
                force: request.force,
                if_match: request.if_match.as_ref(),
            };
            let mut changes = Vec::new();
            let version = match (rules::create(snapshot, &proposal)?, state) {
                (Created::Replay(version), _) | (Created::Pending(version), None) => {
                    return Ok(Decided::Nothing(version));
                }
                (Created::Pending(version), Some(_)) => version,
                (Created::New { discard }, _) => {
                    changes.extend(discard.map(Change::Discard));
                    let version = Version {
                        serial: request.serial,
                        lineage: lineage.clone(),
                        md5: request.md5.clone(),
                        forced: request.force,
                        run: request.run.clone(),
                        ..next_version(snapshot, holder, at)
                    };
                    let id = version.id.clone();
                    changes.push(Change::Insert(Box::new(version)));
                    id
                }
            };
            if let Some(state) = state {
                changes.push(finalize(
                    snapshot,
                    &version,
                    lineage.clone(),
                    state,
                    request.json_state.clone(),
                    at,
                ));
            } else {
                let json_state = request.json_state.clone();
                changes.extend(json_state.map(|bytes| Change::JsonState {
                    version: version.clone(),
                    bytes,
                }));
                // They count if the bytes that come cannot be read.
                let outputs = request
                    .outputs
                    .as_ref()
                    .map(|all| all.iter().map(|output| output.of(&version)).collect());
                changes.extend(outputs.map(|outputs| Change::Outputs {
                    version: version.clone(),
                    outputs,
                }));
            }
            let forced = if request.force {
                ", forced: serial and lineage not compared"
            } else {
                ""
            };
            let detail = format!(
                "serial {}, {}{forced}",
                request.serial,
                if state.is_some() {
                    "finalized"
                } else {
                    "pending"
                }
            );
            let entry = audit(
                principal,
                snapshot,
                at,
                "state-version.create",
                &version,
                detail,
            );
            Ok(Decided::Write {
                changes,
                audit: vec![entry],
                result: version,
            })
        })
        .await
    }

    /// The outputs that a version has by now, for a version whose bytes do not tell them.
    pub(super) async fn kept_outputs(
        &self,
        version: &VersionId,
    ) -> Result<Vec<ReadOutput>, Failure> {
        let all = Page::first(u32::MAX);
        Ok(self
            .store
            .outputs(version, all)
            .await?
            .items
            .into_iter()
            .map(ReadOutput::of_version)
            .collect())
    }

    /// Reads outputs that a client sent.
    pub fn read_outputs(bytes: &[u8]) -> Result<Vec<ReadOutput>, Refusal> {
        content::sent_outputs(bytes).map_err(|why| Refusal {
            kind: RefusalKind::Unprocessable,
            detail: format!("json-state-outputs cannot be read: {why}"),
            pointer: Some("/data/attributes/json-state-outputs"),
        })
    }
}
