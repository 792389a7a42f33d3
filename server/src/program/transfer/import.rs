//! Reading states into a store.
//!
//! Each workspace is looked at as a whole first: all of its states are read and checked against
//! each other and against what the store has. Only then is anything written, one state after the
//! other, so that an import that is started again goes on where it was killed.

use std::fs::File;
use std::io::Write as _;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::bucket::Bucket;
use super::folder::Folder;
use super::found::{Found, History, Offered};
use super::gitlab::Gitlab;
use super::http::HttpBackend;
use super::pg_backend::{self, PgBackend};
use super::remote::Remote;
use super::source::Source;
use crate::content::hex;
use crate::model::{Version, VersionId};
use crate::program::commands::{self, WHO};
use crate::program::open::DatabaseUrl;
use crate::program::settings::ImportArgs;
use crate::rules::{Described, Following, follows};
use crate::service::{
    Failure, ImportedState, NewWorkspace, Service, check_project_name, check_workspace_name,
    is_imported,
};
use crate::store::{BucketSettings, StoreError};

/// The environment variable with the token of the other server.
const TOKEN: &str = "UPSTATE_FROM_TOKEN";

/// The number of workspaces that are read at the same time.
const AT_ONCE: usize = 4;

/// The most compressed bytes of a workspace that are kept between looking and writing; more are
/// read twice.
const KEPT: usize = 64 << 20;

/// Fast, since the bytes are kept for a moment only.
const LEVEL: i32 = 1;

impl ImportArgs {
    /// The source, whose states have at most so many bytes.
    fn source(&self, most: usize) -> Result<Source, String> {
        if let Some(path) = &self.from {
            return Ok(Source::Folder(Folder { path: path.clone() }));
        }
        if let (Some(address), Some(organization)) = (&self.from_server, &self.from_org) {
            return Ok(Source::Remote(Remote::new(
                address,
                organization,
                self.token()?,
            )?));
        }
        if let (Some(address), Some(project)) = (&self.from_gitlab, &self.from_project) {
            return Ok(Source::Gitlab(Gitlab::new(
                address,
                project,
                self.token()?,
                !self.current_only,
                most,
            )?));
        }
        if let Some(address) = &self.from_http {
            for name in &self.workspaces {
                check_workspace_name(name)
                    .map_err(|refusal| format!("--workspace {name:?}: {refusal}"))?;
            }
            let login = match &self.from_user {
                Some(user) => Some((user.clone(), self.token()?)),
                None => None,
            };
            return Ok(Source::Http(HttpBackend::new(
                address,
                &self.workspaces,
                login,
            )?));
        }
        if let Some(url) = &self.from_bucket_url {
            let endpoint = self.from_bucket_endpoint.clone();
            let settings = BucketSettings {
                url: url.clone(),
                endpoint,
                ..BucketSettings::default()
            };
            return Ok(Source::Bucket(Bucket::new(&settings, !self.current_only)?));
        }
        if let Some(DatabaseUrl(url)) = &self.from_database_url {
            let schema = self.from_schema.as_deref().unwrap_or(pg_backend::SCHEMA);
            return Ok(Source::Pg(PgBackend::new(url, schema)?));
        }
        Err("name a folder with --from, a server with --from-server and --from-org, GitLab with --from-gitlab and --from-project, an address of \
             backend \"http\" with --from-http, a bucket with --from-bucket-url, or the database of backend \"pg\" with --from-database-url"
            .to_owned())
    }

    fn token(&self) -> Result<String, String> {
        let token = match &self.from_token_file {
            Some(path) => std::fs::read_to_string(path)
                .map_err(|error| format!("{} cannot be read: {error}", path.display()))?,
            None => std::env::var(TOKEN).unwrap_or_default(),
        };
        let token = token.trim();
        if token.is_empty() {
            return Err(format!(
                "the token or the password for the source is missing: put it into {TOKEN}, or name its file with --from-token-file"
            ));
        }
        Ok(token.to_owned())
    }
}

pub(in crate::program) async fn import(args: ImportArgs) -> Result<(), String> {
    let file = args.store.file()?;
    let mib = args
        .max_state_mib
        .or(file.max_state_mib)
        .unwrap_or(64)
        .max(1);
    let most = usize::try_from(mib)
        .unwrap_or(usize::MAX)
        .saturating_mul(1 << 20);
    let source = args.source(most)?;
    let mut found = source.workspaces().await?;
    if !args.workspaces.is_empty() {
        if let Some(name) = args
            .workspaces
            .iter()
            .find(|name| !found.iter().any(|one| one.name == **name))
        {
            return Err(format!("{} has no workspace {name:?}", source.describe()));
        }
        found.retain(|one| args.workspaces.contains(&one.name));
    }
    let service = commands::service(&args.store).await?;
    let mut lines = match &args.report {
        Some(path) => Some(
            File::create(path)
                .map_err(|error| format!("{} cannot be written: {error}", path.display()))?,
        ),
        None => None,
    };
    let verb = if args.dry_run {
        "to import"
    } else {
        "imported"
    };
    let import = Import {
        service,
        source,
        args,
        most,
    };
    let mut outcomes = stream::iter(found)
        .map(|found| {
            let import = &import;
            async move {
                (
                    import.organization(&found),
                    found.name.clone(),
                    import.workspace(&found).await,
                )
            }
        })
        .buffered(AT_ONCE);
    let (mut imported, mut there, mut refused, mut unwritten) = (0, 0, Vec::new(), None);
    while let Some((organization, name, outcome)) = outcomes.next().await {
        let (result, detail) = match outcome {
            Ok(Report { changed, text }) => {
                if changed {
                    imported += 1;
                } else {
                    there += 1;
                }
                println!("{organization}\t{name}\t{text}");
                (if changed { verb } else { "nothing to import" }, text)
            }
            Err(why) => {
                refused.push(format!("{organization}\t{name}\tnot imported: {why}"));
                ("not imported", why)
            }
        };
        if let Some(file) = &mut lines {
            let line = json!({ "organization": organization, "workspace": name, "result": result, "detail": detail });
            // The import goes on, because what it stopped in would stay locked.
            unwritten = writeln!(file, "{line}").err().or(unwritten);
        }
    }
    drop(outcomes);
    for line in &refused {
        println!("{line}");
    }
    println!(
        "{imported} {verb}, {there} with nothing to import, {} not imported.",
        refused.len()
    );
    if let Some(error) = unwritten {
        return Err(format!("the report is not whole: {error}"));
    }
    match refused.len() {
        0 => Ok(()),
        1 => Err("1 workspace was not imported".to_owned()),
        count => Err(format!("{count} workspaces were not imported")),
    }
}

/// An import that runs.
struct Import {
    service: Service,
    source: Source,
    args: ImportArgs,
    most: usize,
}

/// The outcome for a workspace.
struct Report {
    changed: bool,
    text: String,
}

/// A state that was read and checked.
struct Checked {
    offered: Offered,
    described: Described,
    sha256: [u8; 32],
    /// Its bytes, compressed, if there was room.
    kept: Option<Vec<u8>>,
}

/// The current version here, as a state that the next one must follow.
fn of_head(head: &Version) -> Described {
    Described {
        serial: head.serial,
        lineage: head.lineage.clone(),
        md5: head.md5.clone(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn say(failure: Failure) -> String {
    failure.to_string()
}

impl Import {
    fn organization(&self, found: &Found) -> String {
        self.args
            .org
            .clone()
            .or_else(|| found.organization.clone())
            .unwrap_or_else(|| "default".to_owned())
    }

    /// The name of the project of a new workspace, unless it is the first of the organization.
    fn project<'a>(&'a self, found: &'a Found) -> Option<&'a str> {
        self.args.project.as_deref().or(found.project.as_deref())
    }

    async fn workspace(&self, found: &Found) -> Result<Report, String> {
        if let Some(why) = &found.wrong {
            return Err(why.clone());
        }
        check_workspace_name(&found.name).map_err(|refusal| refusal.to_string())?;
        match self.project(found) {
            Some(project) => check_project_name(project).map_err(|refusal| refusal.to_string())?,
            // Otherwise it would be in the first project, and shown to those who may read there.
            None if found.has_hidden_project => {
                return Err("its project is not among those that the token may see; name one with --project".to_owned());
            }
            None => {}
        }
        let mut history = self.source.history(found).await?;
        if self.args.current_only {
            history
                .states
                .drain(..history.states.len().saturating_sub(1));
            history.gone = 0;
        }
        if history.states.is_empty() {
            return Ok(Report {
                changed: false,
                text: "has no state".to_owned(),
            });
        }
        let organization = self.organization(found);
        let head = self.head(&organization, &found.name).await?;
        let next = self.next(head.as_ref(), &history).await?;
        let checked = self
            .checked(head.as_ref(), history.states.split_off(next))
            .await?;
        let Some(newest) = checked.last() else {
            return Ok(Report {
                changed: false,
                text: "is there already".to_owned(),
            });
        };
        let serial = newest.described.serial;
        let count = if checked.len() == 1 {
            "1 state".to_owned()
        } else {
            format!("{} states", checked.len())
        };
        let verb = if self.args.dry_run {
            "to import"
        } else {
            "imported"
        };
        let gone = match history.gone {
            0 => String::new(),
            gone => format!(", without {gone} whose bytes the source has no longer"),
        };
        let locked = if found.locked {
            "; it is locked at the source: import again once it is not"
        } else {
            ""
        };
        let text = format!("{count} {verb}, serial {serial}{gone}{locked}");
        if !self.args.dry_run {
            self.write(&organization, found, head.map(|head| head.id), checked)
                .await?;
        }
        Ok(Report {
            changed: true,
            text,
        })
    }

    /// The current version of the workspace that is imported into, which must not be locked by
    /// another holder, nor have another name by now: a second one would have the same resources.
    async fn head(&self, organization: &str, name: &str) -> Result<Option<Version>, String> {
        let store = self.service.store();
        let failed = |error: StoreError| error.to_string();
        let Some(organization) = store.organization(organization).await.map_err(failed)? else {
            return Ok(None);
        };
        let found = store.named(&organization.id, name).await.map_err(failed)?;
        // A deleted one is imported again, because an operator may want it back.
        let Some((workspace, None)) = found else {
            return Ok(None);
        };
        if workspace.name != name {
            return Err(format!(
                "workspace {name} is now {}: make another workspace {name} first if its states are to come twice",
                workspace.name
            ));
        }
        self.service
            .may_import(&workspace)
            .map_err(|refusal| refusal.to_string())?;
        match workspace.head {
            Some(head) => store.version(&head).await.map_err(failed),
            None => Ok(None),
        }
    }

    /// The position of the first state that the store does not have.
    async fn next(&self, head: Option<&Version>, history: &History) -> Result<usize, String> {
        let Some(head) = head else { return Ok(0) };
        let newest_first: Vec<(usize, &Offered)> =
            history.states.iter().enumerate().rev().collect();
        // First the one of its time, because a source may have the same bytes again as a newer
        // state.
        let of_its_time: Vec<(usize, &Offered)> = newest_first
            .iter()
            .filter(|(_, state)| state.created_at == Some(head.created_at))
            .copied()
            .collect();
        for (position, state) in of_its_time.into_iter().chain(newest_first) {
            if state.serial.is_some_and(|serial| serial != head.serial) {
                continue;
            }
            let md5 = match &state.md5 {
                Some(md5) => md5.clone(),
                None => self.read(state).await?.1.md5,
            };
            if md5 == head.md5 {
                return Ok(position + 1);
            }
        }
        let (_, newest) = match history.states.last() {
            Some(newest) => self.read(newest).await?,
            None => return Ok(0),
        };
        // A source that has its newest state alone goes on so, and nothing of here is in between.
        // Without lineages, it may be the state of another configuration.
        let is_next = !head.lineage.is_empty()
            && newest.lineage == head.lineage
            && newest.serial > head.serial;
        if history.states.len() == 1 && is_imported(head) && is_next {
            return Ok(0);
        }
        let lineages = if newest.lineage == head.lineage {
            String::new()
        } else {
            format!(
                ", and their lineages differ, {} here and {} there",
                head.lineage, newest.lineage
            )
        };
        Err(format!(
            "the workspace has another state, {} with serial {}, which the source does not have; the newest there has serial {}{lineages}. Delete or \
             rename the workspace, or name another organization with --org",
            head.id, head.serial, newest.serial
        ))
    }

    /// Reads a state and compares it with what the source says about it.
    async fn read(&self, state: &Offered) -> Result<(Bytes, Described), String> {
        let bytes = self.source.bytes(state, self.most).await?;
        let wrong =
            |what: &str, expected: &dyn std::fmt::Display, found: &dyn std::fmt::Display| {
                Err(format!(
                    "{} is damaged: its {what} is {found}, expected {expected}",
                    state.label
                ))
            };
        if let Some(expected) = &state.sha256 {
            let found = hex(&Sha256::digest(&bytes));
            if found != *expected {
                return wrong("SHA-256", expected, &found);
            }
        }
        let described = self.service.describe_state(bytes.clone()).await;
        let described =
            described.map_err(|failure| format!("{} is refused: {failure}", state.label))?;
        if let Some(expected) = state
            .md5
            .as_ref()
            .filter(|expected| **expected != described.md5)
        {
            return wrong("MD5", expected, &described.md5);
        }
        if let Some(expected) = state
            .serial
            .filter(|expected| *expected != described.serial && !self.args.current_only)
        {
            return wrong("serial", &expected, &described.serial);
        }
        Ok((bytes, described))
    }

    /// Reads the states that are missing, each of which must follow the one before it.
    async fn checked(
        &self,
        head: Option<&Version>,
        states: Vec<Offered>,
    ) -> Result<Vec<Checked>, String> {
        let mut before = head.map(of_head);
        let (mut checked, mut kept) = (Vec::new(), 0);
        for mut offered in states {
            let (bytes, described) = self.read(&offered).await?;
            let is_new = match follows(before.as_ref(), &described, offered.forced) {
                Ok(following) => following,
                // Nobody compared it there, so that it is one which was forced.
                Err(_) if !self.source.compares() => {
                    offered.forced = true;
                    Following::New
                }
                Err(why) => {
                    return Err(format!(
                        "the history of the source is not one: {why}. --current-only imports the newest state alone"
                    ));
                }
            };
            match is_new {
                Following::Same => continue,
                Following::New => {}
            }
            let packed = zstd::encode_all(&bytes[..], LEVEL)
                .map_err(|error| format!("a state is not kept: {error}"))?;
            let packed = Some(packed).filter(|packed| kept + packed.len() <= KEPT);
            kept += packed.as_ref().map_or(0, Vec::len);
            before = Some(described.clone());
            checked.push(Checked {
                offered,
                described,
                sha256: Sha256::digest(&bytes).into(),
                kept: packed,
            });
        }
        Ok(checked)
    }

    /// Writes what was checked.
    async fn write(
        &self,
        organization: &str,
        found: &Found,
        mut head: Option<VersionId>,
        checked: Vec<Checked>,
    ) -> Result<(), String> {
        let reason = format!("import from {}", self.source.describe());
        let importer = self.service.importer(WHO, reason).await.map_err(say)?;
        let (organization, _) = self
            .service
            .ensure_organization(WHO, organization)
            .await
            .map_err(say)?;
        let there = self
            .service
            .store()
            .workspace(&organization.id, &found.name)
            .await
            .map_err(|error| error.to_string())?;
        let project = match self.project(found) {
            Some(name) if there.is_none() => Some(
                self.service
                    .ensure_project(WHO, &organization.id, name)
                    .await
                    .map_err(say)?
                    .id,
            ),
            Some(_) | None => None,
        };
        let new = NewWorkspace {
            name: found.name.clone(),
            description: found.description.clone(),
            terraform_version: found.terraform_version.clone(),
            tags: found.tags.clone(),
            project,
            shared: false,
        };
        let workspace = self
            .service
            .begin_import(&importer, &organization.id, new)
            .await
            .map_err(say)?;
        let (count, source) = (checked.len(), self.source.describe());
        for (
            number,
            Checked {
                offered,
                sha256,
                kept,
                ..
            },
        ) in checked.into_iter().enumerate()
        {
            let unfinished = |why: String| {
                format!(
                    "{number} of {count} states are imported, and the workspace stays locked until an import of it ends: {why}"
                )
            };
            let bytes = match kept {
                Some(packed) => Bytes::from(
                    zstd::decode_all(&packed[..]).map_err(|error| unfinished(error.to_string()))?,
                ),
                None => self
                    .source
                    .bytes(&offered, self.most)
                    .await
                    .map_err(unfinished)?,
            };
            if Sha256::digest(&bytes)[..] != sha256 {
                return Err(unfinished(format!(
                    "{} changed at the source",
                    offered.label
                )));
            }
            let by = if offered.created_by.is_empty() {
                String::new()
            } else {
                format!(", made by {}", offered.created_by)
            };
            let state = ImportedState {
                bytes,
                created_at: offered.created_at,
                forced: offered.forced,
                origin: format!("{} of {source}{by}", offered.label),
                is_last: number + 1 == count,
            };
            let written = self
                .service
                .import_version(&importer, &workspace, head.as_ref(), state)
                .await;
            head = Some(written.map_err(|failure| unfinished(say(failure)))?);
        }
        Ok(())
    }
}
