//! Rewrites all objects of a custom resource in its storage version, so that the versions before
//! can be removed one day.
//!
//! Nothing in the API tells in which version an object is stored. The proof is that each object
//! which existed when the storage version changed was written after that: so every object is
//! written once, by an empty patch, and only then is the list of stored versions shortened. An
//! empty patch overwrites nothing of other clients, since the server applies it to whatever is
//! there.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hyper::StatusCode;
use serde_json::{Value, json};

use super::client::{ApiRequest, Client, ClientError};
use super::progress::{Definition, Saved};
use crate::facts::Facts;
use crate::resource::CustomResource;

/// The number of times that a request is made again where another client or the server was in the
/// way.
const TRIES: u32 = 8;
/// The number of objects that a message names.
const NAMED: usize = 5;

/// A migration of all objects to the storage version.
#[derive(Debug, Clone)]
pub struct Migration {
    facts: &'static Facts,
    page: u32,
    per_second: u32,
    wait: Duration,
    is_dry: bool,
    state: Option<PathBuf>,
    forget: Vec<String>,
}

/// The progress of a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The objects so far.
    pub done: u64,
    /// The objects in all, as far as the server tells.
    pub total: u64,
    /// Those of them that were not rewritten.
    pub failed: u64,
}

/// The outcome of a migration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Migrated {
    /// The objects that were written, or would be.
    pub rewritten: u64,
    /// The objects that somebody deleted meanwhile.
    pub gone: u64,
    /// The objects whose managed fields named a version that was to be forgotten.
    pub forgotten: u64,
    /// Requests that were made again, because another client or the server was in the way.
    pub retried: u64,
    /// The versions in which objects may be stored now.
    pub stored_versions: Vec<String>,
}

/// A migration that did not end; `status.storedVersions` is as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrateError {
    message: String,
    help: String,
}

impl MigrateError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: help.into(),
        }
    }
}

upstate::__error!(
    MigrateError | self | "{}\nhelp: {}",
    self.message,
    self.help
);

impl From<ClientError> for MigrateError {
    fn from(error: ClientError) -> Self {
        Self::new(
            error.to_string(),
            "rewritten objects are kept; start the migration again",
        )
    }
}

/// An object.
#[derive(Debug, Clone)]
struct Item {
    namespace: String,
    name: String,
    metadata: Value,
}

/// The outcome for one object.
enum Rewrite {
    Rewritten,
    Forgotten,
    Gone,
    Failed(String),
}

impl Migration {
    /// A migration of all objects of a custom resource.
    #[must_use]
    pub fn of<T: CustomResource>() -> Self {
        Self::new(T::FACTS)
    }

    pub(super) fn new(facts: &'static Facts) -> Self {
        Self {
            facts,
            page: 500,
            per_second: 50,
            wait: Duration::from_mins(1),
            is_dry: false,
            state: None,
            forget: Vec::new(),
        }
    }

    /// Asks for so many objects at once; the default is 500.
    #[must_use]
    pub fn page(mut self, objects: u32) -> Self {
        self.page = objects.max(1);
        self
    }

    /// Writes at most so many objects in a second; the default is 50.
    #[must_use]
    pub fn per_second(mut self, objects: u32) -> Self {
        self.per_second = objects.max(1);
        self
    }

    /// Waits before the first object, until every API server has the storage version; the default
    /// is a minute.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Counts objects and changes nothing.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.is_dry = true;
        self
    }

    /// Keeps in a file how far it has come, and goes on from there.
    #[must_use]
    pub fn state(mut self, file: impl Into<PathBuf>) -> Self {
        self.state = Some(file.into());
        self
    }

    /// Also ends managed fields of a version that will be removed: server-side apply fails for an
    /// object with such fields once the version is gone.
    #[must_use]
    pub fn forget(mut self, version: impl Into<String>) -> Self {
        self.forget.push(version.into());
        self
    }

    /// Rewrites all objects, and then shortens `status.storedVersions` of the definition to the
    /// storage version.
    ///
    /// # Errors
    /// The definition in the cluster is not the program's, or changed meanwhile; an object could
    /// not be rewritten. The list of stored versions is then as it was.
    pub async fn run(
        &self,
        client: &Client,
        mut report: impl FnMut(Progress),
    ) -> Result<Migrated, MigrateError> {
        let storage = self.storage()?;
        let definition = self.definition(client).await?;
        let stored = stored_versions(&definition);
        let about = self.checked(&definition, storage)?;
        if stored == [storage] && self.forget.is_empty() {
            return Ok(Migrated {
                stored_versions: stored,
                ..Migrated::default()
            });
        }
        let unread = |error: std::io::Error| {
            MigrateError::new(
                format!("the file of the state cannot be used: {error}"),
                "name a new file, in a folder that can be written",
            )
        };
        let known =
            Saved::read(self.state.as_ref().filter(|_| !self.is_dry), &about).map_err(unread)?;
        let is_new = known.is_none();
        let mut saved = known.unwrap_or_else(|| Saved {
            definition: about.clone(),
            ..Saved::default()
        });
        if is_new && !self.is_dry {
            tokio::time::sleep(self.wait).await;
        }
        let mut pace = Pace::new(self.per_second);
        let mut expired = 0;
        while !saved.is_listed {
            let (status, list) = self.page_of(client, storage, saved.next.as_deref()).await?;
            if status == StatusCode::GONE {
                // The page is older than what the server remembers. Its other token goes on with
                // what is there now: objects made meanwhile are stored in the storage version
                // already. Without one, everything is written again.
                expired += 1;
                saved.next = at(&list, "/metadata/continue")
                    .as_str()
                    .map(str::to_owned)
                    .filter(|token| !token.is_empty());
                if expired > TRIES {
                    return Err(MigrateError::new(
                        "the server forgets each page before it is done",
                        "take smaller pages, with `--page`",
                    ));
                }
                continue;
            }
            let Some(items) = at(&list, "/items")
                .as_array()
                .filter(|_| status.is_success())
            else {
                return Err(self.unlisted(status, &list));
            };
            let left = at(&list, "/metadata/remainingItemCount")
                .as_u64()
                .unwrap_or(0);
            let total = saved.done() + items.len() as u64 + left;
            for item in items {
                let Some(found) = Item::of(item) else {
                    continue;
                };
                let rewrite = if self.is_dry {
                    self.dry(&found)
                } else {
                    self.rewrite(client, storage, &found, &mut pace, &mut saved.retried)
                        .await?
                };
                saved.note(&found, &rewrite);
                report(Progress {
                    done: saved.done(),
                    total,
                    failed: saved.failed.len() as u64,
                });
            }
            saved.next = at(&list, "/metadata/continue")
                .as_str()
                .map(str::to_owned)
                .filter(|token| !token.is_empty());
            saved.is_listed = saved.next.is_none();
            if !self.is_dry {
                saved.write(self.state.as_ref()).map_err(unread)?;
            }
        }
        if self.is_dry {
            return Ok(saved.migrated(stored));
        }
        self.again(client, storage, &mut saved, &mut pace).await?;
        self.shorten(client, &about).await?;
        if let Some(file) = &self.state {
            // Only so that the next migration begins anew; it would find out by itself.
            let _ = std::fs::remove_file(file);
        }
        Ok(saved.migrated(vec![storage.to_owned()]))
    }

    fn storage(&self) -> Result<&'static str, MigrateError> {
        let storage = self.facts.storage().map(|version| version.name);
        storage.ok_or_else(|| {
            MigrateError::new(
                format!("{} has no storage version", self.facts.crd_name()),
                "write `storage` at a version",
            )
        })
    }

    fn definition_path(&self) -> String {
        format!(
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}",
            self.facts.crd_name()
        )
    }

    async fn definition(&self, client: &Client) -> Result<Value, MigrateError> {
        let path = self.definition_path();
        let (status, definition) = patient(client, ApiRequest::get(&path), &mut 0).await?;
        if status.is_success() {
            return Ok(definition);
        }
        let why = message_of(status, &definition);
        Err(MigrateError::new(
            format!(
                "the definition of {} cannot be read: {why}",
                self.facts.crd_name()
            ),
            "apply the definition that `crd` prints, and let the account get `customresourcedefinitions`",
        ))
    }

    /// The definition's identity, if the migration may begin.
    fn checked(&self, definition: &Value, storage: &str) -> Result<Definition, MigrateError> {
        let name = self.facts.crd_name();
        let versions = at(definition, "/spec/versions").as_array();
        let in_cluster = versions
            .into_iter()
            .flatten()
            .find(|version| at(version, "/storage") == true);
        let in_cluster = in_cluster
            .and_then(|version| at(version, "/name").as_str())
            .unwrap_or_default();
        if in_cluster != storage {
            return Err(MigrateError::new(
                format!(
                    "the definition of {name} in the cluster stores objects in {in_cluster}, and this program in {storage}"
                ),
                "apply the definition that `crd` prints, and wait until the webhook of this program answers",
            ));
        }
        for version in &self.forget {
            if version == storage {
                return Err(MigrateError::new(
                    format!("objects of {name} are stored in {version}, so it cannot be forgotten"),
                    "name a version that will be removed",
                ));
            }
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(Definition {
            uid: text(at(definition, "/metadata/uid")),
            generation: at(definition, "/metadata/generation")
                .as_i64()
                .unwrap_or_default(),
            storage: storage.to_owned(),
            forget: self.forget.clone(),
        })
    }

    async fn page_of(
        &self,
        client: &Client,
        storage: &str,
        next: Option<&str>,
    ) -> Result<(StatusCode, Value), MigrateError> {
        let Facts { group, plural, .. } = self.facts;
        let next = next
            .map(|token| format!("&continue={}", escaped(token)))
            .unwrap_or_default();
        let path = format!("/apis/{group}/{storage}/{plural}?limit={}{next}", self.page);
        patient(client, ApiRequest::list(&path), &mut 0).await
    }

    fn unlisted(&self, status: StatusCode, answer: &Value) -> MigrateError {
        MigrateError::new(
            format!(
                "objects of {} cannot be listed: {}",
                self.facts.crd_name(),
                message_of(status, answer)
            ),
            "one object that the webhook cannot convert fails every list: its log names it. Otherwise let the account list and patch the objects",
        )
    }

    fn path(&self, storage: &str, namespace: &str, name: &str) -> String {
        let Facts { group, plural, .. } = self.facts;
        let namespace = if namespace.is_empty() {
            String::new()
        } else {
            format!("namespaces/{}/", escaped(namespace))
        };
        format!(
            "/apis/{group}/{storage}/{namespace}{plural}/{}",
            escaped(name)
        )
    }

    fn dry(&self, item: &Item) -> Rewrite {
        if self.without_forgotten(&item.metadata).is_some() {
            Rewrite::Forgotten
        } else {
            Rewrite::Rewritten
        }
    }

    /// The managed fields that stay, if any is of a version that is forgotten.
    fn without_forgotten(&self, metadata: &Value) -> Option<Value> {
        let fields = at(metadata, "/managedFields").as_array()?;
        let is_forgotten = |field: &Value| {
            let version = at(field, "/apiVersion")
                .as_str()
                .and_then(|text| text.strip_prefix(self.facts.group)?.strip_prefix('/'));
            version.is_some_and(|version| self.forget.iter().any(|forgotten| forgotten == version))
        };
        let kept: Vec<&Value> = fields.iter().filter(|field| !is_forgotten(field)).collect();
        if kept.len() == fields.len() {
            return None;
        }
        // An empty list would change nothing; one empty entry ends all of them.
        Some(if kept.is_empty() {
            json!([{}])
        } else {
            json!(kept)
        })
    }

    async fn rewrite(
        &self,
        client: &Client,
        storage: &str,
        item: &Item,
        pace: &mut Pace,
        retried: &mut u64,
    ) -> Result<Rewrite, MigrateError> {
        let path = self.path(storage, &item.namespace, &item.name);
        let mut metadata = item.metadata.clone();
        for attempt in 1..=TRIES {
            pace.next().await;
            let fields = self.without_forgotten(&metadata);
            let change = match &fields {
                // With the version that was read, because managed fields are replaced as a whole.
                Some(fields) => {
                    json!({"metadata": {"managedFields": fields, "resourceVersion": at(&metadata, "/resourceVersion")}})
                }
                None => json!({}),
            };
            let (status, answer) =
                patient(client, ApiRequest::merge(&path, &change), retried).await?;
            match status {
                StatusCode::NOT_FOUND => return Ok(Rewrite::Gone),
                StatusCode::CONFLICT if attempt == TRIES => break,
                StatusCode::CONFLICT => {
                    *retried += 1;
                    tokio::time::sleep(backoff(attempt)).await;
                    let (status, read) =
                        patient(client, ApiRequest::metadata(&path), retried).await?;
                    if status.is_success() {
                        metadata = at(&read, "/metadata").clone();
                    }
                }
                _ if status.is_success() => {
                    return Ok(if fields.is_some() {
                        Rewrite::Forgotten
                    } else {
                        Rewrite::Rewritten
                    });
                }
                _ => return Ok(Rewrite::Failed(message_of(status, &answer))),
            }
        }
        Ok(Rewrite::Failed(format!(
            "others wrote it before each of {TRIES} tries"
        )))
    }

    /// Tries those that failed once more; an error names those that fail again.
    async fn again(
        &self,
        client: &Client,
        storage: &str,
        saved: &mut Saved,
        pace: &mut Pace,
    ) -> Result<(), MigrateError> {
        let mut problems = Vec::new();
        for (namespace, name) in std::mem::take(&mut saved.failed) {
            let path = self.path(storage, &namespace, &name);
            let (status, read) =
                patient(client, ApiRequest::metadata(&path), &mut saved.retried).await?;
            let found = Item {
                namespace,
                name,
                metadata: at(&read, "/metadata").clone(),
            };
            // Managed fields that cannot be read would stay.
            let rewrite =
                if self.forget.is_empty() || status.is_success() || status == StatusCode::NOT_FOUND
                {
                    self.rewrite(client, storage, &found, pace, &mut saved.retried)
                        .await?
                } else {
                    Rewrite::Failed(message_of(status, &read))
                };
            if let Rewrite::Failed(why) = &rewrite {
                problems.push(format!("{}: {why}", found.shown()));
            }
            saved.note(&found, &rewrite);
        }
        if problems.is_empty() {
            return Ok(());
        }
        let count = problems.len();
        problems.truncate(NAMED);
        let more = if count > NAMED {
            format!("\n- and {} more", count - NAMED)
        } else {
            String::new()
        };
        // A later run tries them all again.
        let _ = saved.write(self.state.as_ref());
        Err(MigrateError::new(
            format!(
                "{count} of {} objects of {} were not rewritten, so they may still be stored in an older version:\n- {}{more}",
                saved.done(),
                self.facts.crd_name(),
                problems.join("\n- ")
            ),
            "mend them, in any version, and start the migration again",
        ))
    }

    /// Writes the list of stored versions, if the definition is the one that the migration began
    /// with.
    async fn shorten(&self, client: &Client, about: &Definition) -> Result<(), MigrateError> {
        let path = format!("{}/status", self.definition_path());
        for attempt in 1..=TRIES {
            let mut definition = self.definition(client).await?;
            // A definition of another generation may have stored objects in another version for a
            // while.
            if self.checked(&definition, &about.storage)? != *about {
                return Err(MigrateError::new(
                    format!(
                        "the definition of {} changed during the migration",
                        self.facts.crd_name()
                    ),
                    "start the migration again: objects may have been stored in another version meanwhile",
                ));
            }
            if stored_versions(&definition) == [about.storage.as_str()] {
                return Ok(());
            }
            let Some(Value::Object(status)) = definition.get_mut("status") else {
                break;
            };
            status.insert("storedVersions".to_owned(), json!([about.storage]));
            let (status, answer) =
                patient(client, ApiRequest::put(&path, &definition), &mut 0).await?;
            match status {
                StatusCode::CONFLICT => tokio::time::sleep(backoff(attempt)).await,
                _ if status.is_success() => return Ok(()),
                _ => {
                    return Err(MigrateError::new(
                        format!(
                            "all objects are rewritten, and the list of stored versions is unchanged: {}",
                            message_of(status, &answer)
                        ),
                        "let the account update `customresourcedefinitions/status`, and start the migration again",
                    ));
                }
            }
        }
        Err(MigrateError::new(
            "all objects are rewritten, and another client keeps writing the definition",
            "start the migration again",
        ))
    }
}

impl Saved {
    fn done(&self) -> u64 {
        self.rewritten + self.gone + self.forgotten + self.failed.len() as u64
    }

    fn note(&mut self, item: &Item, rewrite: &Rewrite) {
        match rewrite {
            Rewrite::Rewritten => self.rewritten += 1,
            Rewrite::Forgotten => self.forgotten += 1,
            Rewrite::Gone => self.gone += 1,
            Rewrite::Failed(_) => drop(
                self.failed
                    .insert((item.namespace.clone(), item.name.clone())),
            ),
        }
    }

    fn migrated(self, stored_versions: Vec<String>) -> Migrated {
        let Self {
            rewritten,
            gone,
            forgotten,
            retried,
            ..
        } = self;
        Migrated {
            rewritten: rewritten + forgotten,
            gone,
            forgotten,
            retried,
            stored_versions,
        }
    }
}

impl Item {
    fn of(item: &Value) -> Option<Self> {
        let text = |name: &str| {
            at(item, "/metadata")
                .get(name)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        Some(Self {
            namespace: text("namespace").unwrap_or_default(),
            name: text("name")?,
            metadata: at(item, "/metadata").clone(),
        })
    }

    fn shown(&self) -> String {
        if self.namespace.is_empty() {
            self.name.clone()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }
}

fn stored_versions(definition: &Value) -> Vec<String> {
    let versions = at(definition, "/status/storedVersions").as_array();
    versions
        .into_iter()
        .flatten()
        .filter_map(|version| version.as_str().map(str::to_owned))
        .collect()
}

/// A part of an answer; null where it is not there.
fn at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// Makes a request again where the server is busy or away.
async fn patient(
    client: &Client,
    request: ApiRequest<'_>,
    retried: &mut u64,
) -> Result<(StatusCode, Value), MigrateError> {
    let mut attempt = 1;
    loop {
        match client.send(request).await {
            Ok((status, _))
                if attempt < TRIES
                    && (status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()) => {}
            Err(_) if attempt < TRIES => {}
            Ok(answer) => return Ok(answer),
            Err(error) => return Err(error.into()),
        }
        *retried += 1;
        tokio::time::sleep(backoff(attempt)).await;
        attempt += 1;
    }
}

/// 50 ms, and twice as much each time.
fn backoff(attempt: u32) -> Duration {
    Duration::from_millis(50) * 2_u32.saturating_pow(attempt.min(7) - 1)
}

/// The server's message, which is for people; it may quote a value that it refuses, and of secret
/// ones nothing is known here.
fn message_of(status: StatusCode, answer: &Value) -> String {
    let message = at(answer, "/message").as_str().unwrap_or_default();
    if message.is_empty() {
        status.to_string()
    } else {
        format!("{} {message}", status.as_u16())
    }
}

/// A text within a path or a query.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                escaped.push(char::from(byte));
            }
            // Writing to a string never fails.
            _ => drop(write!(escaped, "%{byte:02X}")),
        }
    }
    escaped
}

/// Keeps to a number of objects in a second.
struct Pace {
    every: Duration,
    next: Instant,
}

impl Pace {
    fn new(per_second: u32) -> Self {
        Self {
            every: Duration::from_secs(1) / per_second,
            next: Instant::now(),
        }
    }

    async fn next(&mut self) {
        let now = Instant::now();
        if let Some(early) = self.next.checked_duration_since(now) {
            tokio::time::sleep(early).await;
        }
        self.next = self.next.max(now) + self.every;
    }
}
