//! Encryption at rest, by envelope.
//!
//! States, outputs and the server's own secrets are encrypted with a *data key*, of which there is
//! a new one each day. Data keys are in the store, wrapped by a key of the operator's, which never
//! is: a [`KeyService`] wraps and unwraps them. So another operator's key takes some rows to
//! rewrap, whatever the size of the store, and a copy or a backup is as encrypted as the store.
//! While the service cannot be reached, the data key of yesterday encrypts for one more day, and
//! what is encrypted with data keys that are at hand is read.
//!
//! The cipher is XChaCha20-Poly1305: its nonces are long enough to be random. What it seals is
//! bound to its place by associated data: bytes to what they are, an output to its version. Equal
//! bytes are kept once, so that which versions they are the state of is sealed apart, in each
//! version's row. A row that is moved, changed or put in place of another does not open.

mod aws_kms;
mod operator;
pub(super) mod rows;
mod transit;
mod work;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};
use tokio::time::Instant;
use zeroize::Zeroizing;

use super::error::StoreError;
use crate::authorities;
use crate::model::{Output, Quarantined, Timestamp};

pub use aws_kms::{AwsKms, AwsKmsSettings};
pub use operator::{KeyFile, KeyList};
pub use transit::{Transit, TransitSettings};
pub use work::{Encrypted, encrypt};

/// The time for which one data key is used for what is written.
const DAY: Duration = Duration::from_hours(24);

/// The time for which it is used while no other one can be made: a state that is refused may be the
/// only copy.
const LONGEST: Duration = Duration::from_hours(48);

/// The time after which another one is asked for again.
const PAUSE: Duration = Duration::from_mins(1);

/// The longest time of an answer of a service with the operator's key.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest time until it can be reached: one that is away often leaves everything unanswered.
const CONNECT: Duration = Duration::from_secs(3);

/// The bytes of a nonce, which come before what is sealed.
const NONCE: usize = 24;

/// A key as it may be stored: wrapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapped {
    /// The key of the operator's that wraps it, by a name that says nothing about it.
    pub by: String,
    /// The wrapped key.
    pub bytes: Vec<u8>,
}

/// A keeper of the operator's key.
#[async_trait]
pub trait KeyService: fmt::Debug + Send + Sync {
    /// A name for messages; without the key.
    fn describe(&self) -> String;
    /// Wraps the data key of this id.
    async fn wrap(&self, id: &str, key: &[u8; 32]) -> Result<Wrapped, StoreError>;
    /// The data key of this id.
    async fn unwrap(&self, id: &str, wrapped: &Wrapped) -> Result<Zeroizing<[u8; 32]>, StoreError>;
}

/// A client for a service with the operator's key.
fn client() -> reqwest::Result<reqwest::ClientBuilder> {
    // The client takes its cryptography from the process, where only the first choice counts, so
    // that a second one may fail.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .timeout(PATIENCE)
        .redirect(reqwest::redirect::Policy::none());
    authorities::added(client)
}

/// A data key as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// Its id.
    pub id: String,
    /// The key.
    pub wrapped: Wrapped,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A part of a store that is encrypted, and how much of it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// A name of the rows, for people.
    pub what: &'static str,
    /// The number of encrypted rows.
    pub encrypted: u64,
    /// The number of plain rows.
    pub plain: u64,
}

/// The part of a store that its encryption needs.
#[async_trait]
pub trait Sealing {
    /// The keys it has at hand.
    fn keyring(&self) -> &Keyring;
    /// The secret of this name, made when it is first asked for; the same for every process on this
    /// store.
    async fn secret(&self, name: &str) -> Result<[u8; 32], StoreError>;
    /// All data keys, the newest first.
    async fn data_keys(&self) -> Result<Vec<StoredKey>, StoreError>;
    /// The data key of this id.
    async fn data_key(&self, id: &str) -> Result<Option<StoredKey>, StoreError>;
    /// Adds a data key. It is on disk before this ends: what it encrypts could not be read without
    /// it.
    async fn add_data_key(&self, key: &StoredKey) -> Result<(), StoreError>;
    /// Puts another wrapping of a data key in place of this one; whether it was this one.
    async fn rewrap_data_key(&self, key: &StoredKey, to: &Wrapped) -> Result<bool, StoreError>;
    /// The shares that are encrypted.
    async fn shares(&self) -> Result<Vec<Share>, StoreError>;
    /// Encrypts some rows of what is plain, and with `renew` of what another data key encrypts; how
    /// many. None are left where it is 0.
    async fn encrypt_some(&self, key: &Arc<DataKey>, renew: bool) -> Result<u64, StoreError>;
    /// Takes what was plain out of files where it is left over; the reason if some of it may still
    /// be there.
    async fn wipe(&self) -> Result<Option<String>, StoreError>;
}

/// A data key, unwrapped.
pub struct DataKey {
    id: String,
    cipher: XChaCha20Poly1305,
}

/// Without the key.
impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// A thing that is sealed, and its place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject<'a> {
    /// Compressed bytes.
    Bytes { sha256: &'a [u8; 32], size: i64 },
    /// That bytes are those of a version or a late upload. There is nothing to hide in it.
    Reference {
        workspace: &'a str,
        owner: &'a str,
        kind: &'a str,
        sha256: &'a [u8; 32],
    },
    /// The value of an output.
    Output {
        workspace: &'a str,
        version: &'a str,
        id: &'a str,
        name: &'a str,
        sensitive: bool,
    },
    /// A secret of the server's.
    Secret { name: &'a str },
}

impl Subject<'_> {
    /// The associated data: each part with its length, so that each subject has its own.
    fn associated(&self) -> Vec<u8> {
        let size;
        let parts: Vec<&[u8]> = match self {
            Self::Bytes { sha256, size: of } => {
                size = of.to_be_bytes();
                vec![b"bytes", sha256.as_slice(), &size]
            }
            Self::Reference {
                workspace,
                owner,
                kind,
                sha256,
            } => {
                vec![
                    b"reference",
                    workspace.as_bytes(),
                    owner.as_bytes(),
                    kind.as_bytes(),
                    sha256.as_slice(),
                ]
            }
            Self::Output {
                workspace,
                version,
                id,
                name,
                sensitive,
            } => {
                let sensitive: &[u8] = if *sensitive { b"sensitive" } else { b"" };
                vec![
                    b"output",
                    workspace.as_bytes(),
                    version.as_bytes(),
                    id.as_bytes(),
                    name.as_bytes(),
                    sensitive,
                ]
            }
            Self::Secret { name } => vec![b"secret", name.as_bytes()],
        };
        let mut all = b"upstate 1".to_vec();
        for part in parts {
            all.extend(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            all.extend(part);
        }
        all
    }
}

/// Without bytes and values.
impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes { .. } => f.write_str("the bytes of a state"),
            Self::Reference {
                workspace,
                owner,
                kind,
                ..
            } => write!(f, "the {kind} of {owner} in workspace {workspace}"),
            Self::Output { version, id, .. } => write!(f, "output {id} of state version {version}"),
            Self::Secret { name } => write!(f, "the server's secret {name}"),
        }
    }
}

/// Seals with a key: a nonce, and what the cipher makes of the rest.
fn seal_with(
    cipher: &XChaCha20Poly1305,
    plain: &[u8],
    associated: &[u8],
) -> Result<Vec<u8>, StoreError> {
    let mut nonce = [0; NONCE];
    crate::random::fill(&mut nonce);
    let sealed = cipher
        .encrypt(
            &nonce.into(),
            Payload {
                msg: plain,
                aad: associated,
            },
        )
        .map_err(|_| StoreError::new("bytes are too many to be encrypted"))?;
    let mut all = nonce.to_vec();
    all.extend(sealed);
    Ok(all)
}

/// Opens what was sealed, if nobody changed it.
fn open_with(cipher: &XChaCha20Poly1305, sealed: &[u8], associated: &[u8]) -> Option<Vec<u8>> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
    cipher
        .decrypt(
            &(*nonce).into(),
            Payload {
                msg: sealed,
                aad: associated,
            },
        )
        .ok()
}

impl DataKey {
    fn new(id: String, key: &[u8; 32]) -> Self {
        Self {
            id,
            cipher: XChaCha20Poly1305::new(key.into()),
        }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn seal(&self, plain: &[u8], subject: &Subject<'_>) -> Result<Vec<u8>, StoreError> {
        seal_with(&self.cipher, plain, &subject.associated())
    }

    /// Seals a string; as a string.
    pub(super) fn seal_text(
        &self,
        plain: &str,
        subject: &Subject<'_>,
    ) -> Result<String, StoreError> {
        Ok(STANDARD.encode(self.seal(plain.as_bytes(), subject)?))
    }

    /// Seals that something belongs where it is: the id of this key, and the seal.
    pub(super) fn vouch(&self, subject: &Subject<'_>) -> Result<String, StoreError> {
        Ok(format!("{}:{}", self.id, self.seal_text("", subject)?))
    }
}

/// The keys that a process has at hand.
#[derive(Debug, Default)]
pub struct Keyring {
    service: Option<Arc<dyn KeyService>>,
    refuses_plain: bool,
    known: Mutex<HashMap<String, Arc<DataKey>>>,
    current: tokio::sync::Mutex<Option<Current>>,
    unreached: Unreached,
}

/// The data key for what is written.
#[derive(Debug)]
struct Current {
    key: Arc<DataKey>,
    made: Timestamp,
    /// When another one was asked for, after its day.
    tried: Option<Instant>,
}

/// The keys of the operator's that could not be reached a moment ago, by their names: until when
/// they are not asked for, and why. Of those that were reached, when.
#[derive(Debug, Default)]
struct Unreached(Mutex<HashMap<String, (Instant, Option<String>)>>);

impl Unreached {
    /// Refuses at once what would only wait.
    fn check(&self, name: &str) -> Result<(), StoreError> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((until, Some(why))) = all.get(name)
            && Instant::now() < *until
        {
            return Err(StoreError::passing(format!(
                "{why}; it is asked again in a moment"
            )));
        }
        Ok(())
    }

    /// Notes an answer. A key that took a while to fail, and answered nothing meanwhile, is not
    /// asked for as long again, so that requests do not wait for it one after the other.
    fn note<R>(&self, name: &str, start: Instant, answer: &Result<R, StoreError>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let noted = match answer {
            Err(error) if error.is_passing() => {
                if matches!(all.get(name), Some((reached, None)) if *reached >= start) {
                    return;
                }
                (now + start.elapsed(), Some(error.to_string()))
            }
            Ok(_) | Err(_) => (now, None),
        };
        all.insert(name.to_owned(), noted);
    }
}

fn warn_of_spare(error: &StoreError) {
    tracing::warn!(%error, "no data key of today can be made, so that yesterday's is used");
}

/// The settings to name.
const NAME_ONE: &str = "name the key with --encryption-key-file FILE, UPSTATE_ENCRYPTION_KEY, --encryption-transit URL, or --encryption-aws-kms ARN";

impl Keyring {
    /// Encrypts what is written with keys that a service wraps. With `refuses_plain` what is plain
    /// is refused: nobody can put plain rows in place of encrypted ones.
    pub fn new(service: Arc<dyn KeyService>, refuses_plain: bool) -> Self {
        Self {
            service: Some(service),
            refuses_plain,
            ..Self::default()
        }
    }

    /// The service with the operator's key, if there is one.
    pub fn service(&self) -> Option<&Arc<dyn KeyService>> {
        self.service.as_ref()
    }

    /// A data key that was unwrapped already; the error says which one to [load](Self::load).
    fn get(&self, id: &str) -> Result<Arc<DataKey>, StoreError> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .get(id)
            .cloned()
            .ok_or_else(|| StoreError::missing_key(id))
    }

    fn add(&self, key: DataKey) -> Arc<DataKey> {
        let key = Arc::new(key);
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key.id.clone(), Arc::clone(&key));
        key
    }

    /// Forgets which keys there are: the store has others now.
    pub(super) async fn forget(&self) {
        *self.current.lock().await = None;
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// Unwraps a data key of a store.
    pub(super) async fn load(
        &self,
        store: &(impl Sealing + ?Sized),
        id: &str,
    ) -> Result<Arc<DataKey>, StoreError> {
        if let Ok(key) = self.get(id) {
            return Ok(key);
        }
        let stored = store.data_key(id).await?;
        let stored = stored.ok_or_else(|| {
            StoreError::new(format!(
                "data key {id}, which encrypts something, is missing in the store"
            ))
        })?;
        self.unwrap(&stored).await
    }

    async fn unwrap(&self, stored: &StoredKey) -> Result<Arc<DataKey>, StoreError> {
        let Some(service) = &self.service else {
            return Err(StoreError::new(format!(
                "the store is encrypted with key {}, which was not given; {NAME_ONE}",
                stored.wrapped.by
            )));
        };
        let by = &stored.wrapped.by;
        self.unreached.check(by)?;
        let start = Instant::now();
        let key = service.unwrap(&stored.id, &stored.wrapped).await;
        self.unreached.note(by, start, &key);
        Ok(self.add(DataKey::new(stored.id.clone(), &*key?)))
    }

    /// The data key for what is written now; none without a key of the operator's.
    pub(super) async fn current(
        &self,
        store: &(impl Sealing + ?Sized),
    ) -> Result<Option<Arc<DataKey>>, StoreError> {
        self.current_at(store, Timestamp::now()).await
    }

    async fn current_at(
        &self,
        store: &(impl Sealing + ?Sized),
        now: Timestamp,
    ) -> Result<Option<Arc<DataKey>>, StoreError> {
        if self.service.is_none() {
            return Ok(None);
        }
        let mut current = self.current.lock().await;
        let mut spare = None;
        if let Some(it) = &mut *current {
            let is_spare = is_within(LONGEST, it.made, now);
            let was_tried = it.tried.is_some_and(|tried| tried.elapsed() < PAUSE);
            if is_within(DAY, it.made, now) || is_spare && was_tried {
                return Ok(Some(Arc::clone(&it.key)));
            }
            if is_spare {
                it.tried = Some(Instant::now());
                spare = Some(Arc::clone(&it.key));
            }
        }
        let Some(spare) = spare else {
            // Others wait, so that one key is made.
            let next = match self.next(store, now).await {
                Err(error) if error.is_passing() => {
                    let Some(known) = self.newest_known(store, now).await? else {
                        return Err(error);
                    };
                    warn_of_spare(&error);
                    known
                }
                next => next?,
            };
            let key = Arc::clone(&next.key);
            *current = Some(next);
            return Ok(Some(key));
        };
        // Others write with the spare one meanwhile, because a service may take long to fail.
        drop(current);
        match self.next(store, now).await {
            Ok(next) => {
                let key = Arc::clone(&next.key);
                let mut current = self.current.lock().await;
                // Otherwise the store has other keys by now.
                if current
                    .as_ref()
                    .is_some_and(|it| Arc::ptr_eq(&it.key, &spare))
                {
                    *current = Some(next);
                }
                Ok(Some(key))
            }
            Err(error) if error.is_passing() => {
                warn_of_spare(&error);
                Ok(Some(spare))
            }
            Err(error) => {
                // It will fail again, so that the next write does not go by it.
                if let Some(it) = &mut *self.current.lock().await {
                    it.tried = None;
                }
                Err(error)
            }
        }
    }

    /// The newest data key that was unwrapped already, if it may be used for one more day.
    async fn newest_known(
        &self,
        store: &(impl Sealing + ?Sized),
        now: Timestamp,
    ) -> Result<Option<Current>, StoreError> {
        let all = store.data_keys().await?;
        let mut usable = all
            .into_iter()
            .filter(|stored| is_within(LONGEST, stored.created_at, now));
        Ok(usable.find_map(|stored| {
            Some(Current {
                key: self.get(&stored.id).ok()?,
                made: stored.created_at,
                tried: Some(Instant::now()),
            })
        }))
    }

    /// The data key of today, made if there is none.
    async fn next(
        &self,
        store: &(impl Sealing + ?Sized),
        now: Timestamp,
    ) -> Result<Current, StoreError> {
        let newest = store.data_keys().await?.into_iter().next();
        let (key, made) = match newest.filter(|stored| is_within(DAY, stored.created_at, now)) {
            Some(stored) => {
                let key = match self.get(&stored.id) {
                    Ok(key) => key,
                    Err(_) => self.unwrap(&stored).await?,
                };
                (key, stored.created_at)
            }
            None => (self.make(store, now).await?, now),
        };
        Ok(Current {
            key,
            made,
            tried: None,
        })
    }

    /// Makes a data key.
    async fn make(
        &self,
        store: &(impl Sealing + ?Sized),
        now: Timestamp,
    ) -> Result<Arc<DataKey>, StoreError> {
        let Some(service) = &self.service else {
            return Err(StoreError::new(format!("no key was given; {NAME_ONE}")));
        };
        let mut random = [0; 8];
        crate::random::fill(&mut random);
        let id = random
            .iter()
            .fold("dk-".to_owned(), |text, byte| format!("{text}{byte:02x}"));
        let key = Zeroizing::new(crate::random::secret());
        let name = service.describe();
        self.unreached.check(&name)?;
        let start = Instant::now();
        let wrapped = service.wrap(&id, &key).await;
        self.unreached.note(&name, start, &wrapped);
        store
            .add_data_key(&StoredKey {
                id: id.clone(),
                wrapped: wrapped?,
                created_at: now,
            })
            .await?;
        Ok(self.add(DataKey::new(id, &key)))
    }

    /// Opens what was sealed with the data key of this id; without one it is plain.
    pub(super) fn open(
        &self,
        key: Option<&str>,
        sealed: Vec<u8>,
        subject: &Subject<'_>,
    ) -> Result<Vec<u8>, StoreError> {
        let Some(id) = key else {
            self.may_be_plain(subject)?;
            return Ok(sealed);
        };
        let opened = open_with(&self.get(id)?.cipher, &sealed, &subject.associated());
        opened.ok_or_else(|| {
            StoreError::new(format!(
                "{subject} does not open with data key {id}: it was changed, cut off, or put in place of another; take it from a backup"
            ))
        })
    }

    /// As above, a string.
    pub(super) fn open_text(
        &self,
        key: Option<&str>,
        sealed: String,
        subject: &Subject<'_>,
    ) -> Result<String, StoreError> {
        if key.is_none() {
            self.may_be_plain(subject)?;
            return Ok(sealed);
        }
        let damaged = || {
            StoreError::new(format!(
                "{subject} is encrypted, and is not the base64 of a string"
            ))
        };
        let sealed = STANDARD.decode(sealed).map_err(|_| damaged())?;
        String::from_utf8(self.open(key, sealed, subject)?).map_err(|_| damaged())
    }

    /// Refuses what was not written where it is. What nobody vouches for is from before the store
    /// was encrypted.
    pub(super) fn check(
        &self,
        seal: Option<&str>,
        subject: &Subject<'_>,
    ) -> Result<(), StoreError> {
        let Some(seal) = seal else {
            return self.may_be_plain(subject);
        };
        let (id, sealed) = seal.split_once(':').unwrap_or((seal, ""));
        let sealed = STANDARD.decode(sealed).unwrap_or_default();
        let is_whole = open_with(&self.get(id)?.cipher, &sealed, &subject.associated()).is_some();
        if is_whole {
            Ok(())
        } else {
            Err(StoreError::new(format!(
                "{subject} was changed since it was written; take it from a backup"
            )))
        }
    }

    fn may_be_plain(&self, subject: &Subject<'_>) -> Result<(), StoreError> {
        if self.refuses_plain {
            return Err(StoreError::new(format!(
                "{subject} is plain, and --encrypted-only refuses that; run `upstate-server encrypt` if it was written before"
            )));
        }
        Ok(())
    }
}

/// The value of an output on its way into a store.
pub(super) fn sealed_value<'a>(
    output: &'a Output,
    workspace: &str,
    key: Option<&DataKey>,
) -> Result<Cow<'a, str>, StoreError> {
    Ok(match key {
        None => Cow::Borrowed(&output.value),
        Some(key) => Cow::Owned(key.seal_text(&output.value, &value_of(output, workspace))?),
    })
}

/// An output with its value as it was before it was sealed.
pub(super) fn opened_value(
    mut output: Output,
    workspace: &str,
    key: Option<&str>,
    keyring: &Keyring,
) -> Result<Output, StoreError> {
    let sealed = std::mem::take(&mut output.value);
    output.value = keyring.open_text(key, sealed, &value_of(&output, workspace))?;
    Ok(output)
}

/// The value of an output.
pub(super) fn value_of<'a>(output: &'a Output, workspace: &'a str) -> Subject<'a> {
    let Output {
        id,
        version,
        name,
        sensitive,
        ..
    } = output;
    Subject::Output {
        workspace,
        version: version.as_str(),
        id: id.as_str(),
        name,
        sensitive: *sensitive,
    }
}

/// The kind of bytes of late uploads.
pub(super) const LATE: &str = "late upload";

/// The rows of the server's own secrets. A bucket's id is none.
pub(super) const SECRETS: &str = "setting WHERE name LIKE 'secret/%' AND name <> 'secret/bucket'";

/// The parts that are encrypted: in words, their rows, and the column that is null where they are
/// plain.
pub(super) const SHARES: [(&str, &str, &str); 6] = [
    ("states", "blob", "data_key"),
    ("outputs", "output", "data_key"),
    ("secrets of the server", SECRETS, "data_key"),
    (
        "references to states",
        "state_version WHERE state IS NOT NULL",
        "state_seal",
    ),
    (
        "references to JSON states",
        "state_version WHERE json_state IS NOT NULL",
        "json_state_seal",
    ),
    ("references to late uploads", "quarantine", "seal"),
];

/// The bytes of a late upload.
pub(super) fn late<'a>(quarantined: &'a Quarantined, sha256: &'a [u8; 32]) -> Subject<'a> {
    Subject::Reference {
        workspace: quarantined.workspace.as_str(),
        owner: quarantined.id.as_str(),
        kind: LATE,
        sha256,
    }
}

fn is_within(time: Duration, made: Timestamp, now: Timestamp) -> bool {
    // A clock that went back only makes another key, since there may be any number.
    made <= now && made > now.before(time)
}

/// Runs work that reads, again with each data key that it misses. (A function that takes an async
/// closure is not `Send` enough.)
macro_rules! with_keys {
    ($store:expr, $work:expr) => {
        loop {
            let done: Result<_, $crate::store::error::StoreError> = async { $work }.await;
            match $crate::store::encryption::needed(&done) {
                Some(id) => $crate::store::encryption::Sealing::keyring($store)
                    .load($store, id)
                    .await
                    .map(drop)?,
                None => break done,
            }
        }
    };
}
pub(super) use with_keys;

/// The data key that work needs which was not done.
pub(super) fn needed<R>(done: &Result<R, StoreError>) -> Option<&str> {
    done.as_ref().err().and_then(StoreError::needs_key)
}

/// Refuses a store whose keys cannot be unwrapped, before anything is asked of it.
///
/// # Errors
/// If the store is encrypted and the key was not given, or is another one.
pub async fn check(store: &(impl Sealing + ?Sized)) -> Result<(), StoreError> {
    let mut opened = BTreeSet::new();
    // One of each key of the operator's, because those of one key open or fail together.
    for stored in store.data_keys().await? {
        if opened.insert(stored.wrapped.by.clone()) {
            store.keyring().load(store, &stored.id).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    /// A service that may be away.
    #[derive(Debug)]
    struct Far {
        keys: KeyList,
        is_away: AtomicBool,
        requests: AtomicUsize,
    }

    impl Far {
        fn new() -> Arc<Self> {
            Arc::new(Self {
                keys: KeyList::parse("the test's key", &STANDARD.encode([1; 32])).expect("a key"),
                is_away: AtomicBool::new(false),
                requests: AtomicUsize::new(0),
            })
        }

        async fn answers(&self) -> Result<(), StoreError> {
            self.requests.fetch_add(1, Ordering::Relaxed);
            if self.is_away.load(Ordering::Relaxed) {
                tokio::time::sleep(PATIENCE).await;
                return Err(StoreError::passing("the key is far away"));
            }
            Ok(())
        }
    }

    #[async_trait]
    impl KeyService for Far {
        fn describe(&self) -> String {
            self.keys.describe()
        }

        async fn wrap(&self, id: &str, key: &[u8; 32]) -> Result<Wrapped, StoreError> {
            self.answers().await?;
            self.keys.wrap(id, key).await
        }

        async fn unwrap(
            &self,
            id: &str,
            wrapped: &Wrapped,
        ) -> Result<Zeroizing<[u8; 32]>, StoreError> {
            self.answers().await?;
            self.keys.unwrap(id, wrapped).await
        }
    }

    /// A store that has nothing but data keys, the oldest first.
    struct Rows {
        keyring: Keyring,
        keys: Mutex<Vec<StoredKey>>,
    }

    impl Rows {
        fn new(service: &Arc<Far>, keys: Vec<StoredKey>) -> Self {
            let service: Arc<dyn KeyService> = service.clone();
            Self {
                keyring: Keyring::new(service, false),
                keys: Mutex::new(keys),
            }
        }

        fn all(&self) -> Vec<StoredKey> {
            self.keys.lock().expect("no panic").clone()
        }

        /// The id of the data key that is used at a time.
        async fn at(&self, now: Timestamp) -> Result<String, StoreError> {
            let key = self.keyring.current_at(self, now).await?;
            Ok(key.expect("a key").id().to_owned())
        }
    }

    #[async_trait]
    impl Sealing for Rows {
        fn keyring(&self) -> &Keyring {
            &self.keyring
        }

        async fn secret(&self, _: &str) -> Result<[u8; 32], StoreError> {
            Err(StoreError::new("there is no secret"))
        }

        async fn data_keys(&self) -> Result<Vec<StoredKey>, StoreError> {
            Ok(self.all().into_iter().rev().collect())
        }

        async fn data_key(&self, id: &str) -> Result<Option<StoredKey>, StoreError> {
            Ok(self.all().into_iter().find(|key| key.id == id))
        }

        async fn add_data_key(&self, key: &StoredKey) -> Result<(), StoreError> {
            self.keys.lock().expect("no panic").push(key.clone());
            Ok(())
        }

        async fn rewrap_data_key(&self, _: &StoredKey, _: &Wrapped) -> Result<bool, StoreError> {
            Ok(false)
        }

        async fn shares(&self) -> Result<Vec<Share>, StoreError> {
            Ok(Vec::new())
        }

        async fn encrypt_some(&self, _: &Arc<DataKey>, _: bool) -> Result<u64, StoreError> {
            Ok(0)
        }

        async fn wipe(&self) -> Result<Option<String>, StoreError> {
            Ok(None)
        }
    }

    fn hours_after(start: Timestamp, hours: i64) -> Timestamp {
        Timestamp::from_millis(start.as_millis() + hours * 3_600_000)
    }

    #[tokio::test(start_paused = true)]
    async fn the_key_of_yesterday_is_used_while_the_service_is_away() {
        let service = Far::new();
        let store = Rows::new(&service, Vec::new());
        let start = Timestamp::now();
        let (next_day, day_after) = (hours_after(start, 25), hours_after(start, 49));
        let first = store.at(start).await.expect("a key is made");
        service.is_away.store(true, Ordering::Relaxed);
        assert_eq!(store.at(next_day).await.expect("the first"), first);
        assert_eq!(service.requests.load(Ordering::Relaxed), 2);
        // Nobody waits for the service again so soon.
        let begin = Instant::now();
        assert_eq!(store.at(next_day).await.expect("the first"), first);
        assert!(begin.elapsed() < PATIENCE);
        assert_eq!(service.requests.load(Ordering::Relaxed), 2);
        tokio::time::advance(PAUSE).await;
        let error = store.at(day_after).await.expect_err("it is too old");
        assert!(error.is_passing(), "{error}");
        service.is_away.store(false, Ordering::Relaxed);
        tokio::time::advance(PAUSE).await;
        let second = store.at(next_day).await.expect("a key is made");
        assert_ne!(second, first);
        assert_eq!(store.at(next_day).await.expect("the second"), second);
        assert_eq!(store.all().len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_wrote_nothing_yet_uses_the_key_of_yesterday_too() {
        let service = Far::new();
        let earlier = Rows::new(&service, Vec::new());
        let start = Timestamp::now();
        let (next_day, day_after) = (hours_after(start, 25), hours_after(start, 49));
        let first = earlier.at(start).await.expect("a key is made");
        let store = Rows::new(&service, earlier.all());
        check(&store).await.expect("its key opens");
        service.is_away.store(true, Ordering::Relaxed);
        assert_eq!(store.at(next_day).await.expect("the first"), first);
        let begin = Instant::now();
        assert_eq!(store.at(next_day).await.expect("the first"), first);
        assert!(begin.elapsed() < PATIENCE);
        let error = store.at(day_after).await.expect_err("it is too old");
        assert!(error.is_passing(), "{error}");
        // One that does not have it at hand cannot use it.
        let store = Rows::new(&service, earlier.all());
        store.at(next_day).await.expect_err("it is not known");
    }

    #[tokio::test(start_paused = true)]
    async fn one_request_waits_for_the_key_that_the_next_ones_need() {
        let service = Far::new();
        let earlier = Rows::new(&service, Vec::new());
        let id = earlier.at(Timestamp::now()).await.expect("a key is made");
        // A server that never read what it encrypts.
        let store = Rows::new(&service, earlier.all());
        service.is_away.store(true, Ordering::Relaxed);
        let load = async || store.keyring.load(&store, &id).await.map(drop);
        assert!(load().await.expect_err("away").is_passing());
        let begin = Instant::now();
        let error = load().await.expect_err("away");
        assert!(error.is_passing() && begin.elapsed() < PATIENCE, "{error}");
        assert_eq!(
            error.to_string(),
            "the key is far away; it is asked again in a moment"
        );
        tokio::time::advance(PATIENCE * 2).await;
        service.is_away.store(false, Ordering::Relaxed);
        load().await.expect("it is unwrapped");
        // A known key needs no service, because it is unwrapped already.
        service.is_away.store(true, Ordering::Relaxed);
        load().await.expect("it is known");
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_gets_stuck_holds_no_others_up() {
        let service = Far::new();
        let earlier = Rows::new(&service, Vec::new());
        let mut ids = Vec::new();
        for hours in [0, 25, 50] {
            let now = hours_after(Timestamp::from_millis(0), hours);
            ids.push(earlier.at(now).await.expect("a key is made"));
        }
        let store = Rows::new(&service, earlier.all());
        let load = async |at: usize| {
            let id = ids.get(at).expect("three keys");
            store.keyring.load(&store, id).await.map(drop)
        };
        service.is_away.store(true, Ordering::Relaxed);
        let (stuck, other) = tokio::join!(load(0), async {
            tokio::time::sleep(PATIENCE / 2).await;
            service.is_away.store(false, Ordering::Relaxed);
            load(1).await
        });
        assert!(stuck.expect_err("away").is_passing());
        other.expect("it is unwrapped");
        load(2).await.expect("it is unwrapped");
    }
}
