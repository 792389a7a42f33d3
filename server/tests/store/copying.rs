//! From store to store, into archives and out of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use upstate_server::__internal::model::{
    AccessId, AuditFilter, Backing, ContentKind, OrganizationId, Permissions, Place, Project,
    ProjectId, QuarantineId, Quarantined, Team, TeamAccess, TeamId, Token, TokenId, TokenKind,
    User, UserId, Version, WorkspaceId,
};
use upstate_server::__internal::store::copy::{self, Copied, TABLES};
use upstate_server::__internal::store::sqlite::Sqlite;
use upstate_server::__internal::store::{Change, ConsumerChange, Details, Page, WorkspaceFilter};

use crate::suite::{self, Shared, at, entry};

/// What a filled store has.
pub(crate) struct Filled {
    organization: OrganizationId,
    workspace: WorkspaceId,
    /// Whose only token was revoked.
    left: UserId,
}

const ALL: Page = Page {
    number: 1,
    size: 1000,
};

/// A token that is revoked, under another id.
fn revoked(user: &UserId, organization: &OrganizationId) -> Token {
    Token {
        id: TokenId::new(),
        hash: [8; 32],
        kind: TokenKind::Member {
            user: user.clone(),
            organization: organization.clone(),
            within: Permissions::ALL,
        },
        description: String::new(),
        created_at: at(1),
        expires_at: None,
    }
}

/// Puts something of everything into a store.
pub(crate) async fn fill(store: &Shared) -> Filled {
    let organization = suite::organization(store, "acme").await;
    store.secret("url-key").await.expect("a secret");
    let user = User {
        id: UserId::new(),
        name: "ann".to_owned(),
        created_at: at(3),
    };
    assert!(store.add_user(&user, entry("user")).await.expect("a store"));
    let team = Team {
        id: TeamId::new(),
        organization: organization.clone(),
        name: "ops".to_owned(),
        permissions: Permissions::ALL,
    };
    assert!(store.add_team(&team, entry("team")).await.expect("a store"));
    store
        .set_member(&team.id, &user.id, true, entry("member"))
        .await
        .expect("a store");
    let kinds = [
        TokenKind::User(user.id.clone()),
        TokenKind::Member {
            user: user.id.clone(),
            organization: organization.clone(),
            within: Permissions::ALL,
        },
        TokenKind::Team(team.id.clone()),
        TokenKind::Organization(organization.clone()),
        TokenKind::Member {
            user: user.id.clone(),
            organization: organization.clone(),
            within: Permissions::READ,
        },
    ];
    for (number, kind) in (0u8..).zip(kinds) {
        let expires_at = (number == 0).then(|| at(77));
        let token = Token {
            id: TokenId::new(),
            hash: [number; 32],
            kind,
            description: "a\0b".to_owned(),
            created_at: at(1),
            expires_at,
        };
        assert!(
            store
                .add_token(&token, entry("token"))
                .await
                .expect("a store")
        );
    }
    let project = Project {
        id: ProjectId::new(),
        organization: organization.clone(),
        name: "prod".to_owned(),
        description: "d".to_owned(),
        created_at: at(2),
    };
    assert!(
        store
            .add_project(&project, entry("project"))
            .await
            .expect("a store")
    );
    let access = TeamAccess {
        id: AccessId::new(),
        team: team.id.clone(),
        place: Place::Project(project.id.clone()),
        permissions: Permissions::READ,
    };
    assert!(
        store
            .add_team_access(&access, None, entry("access"))
            .await
            .expect("a store")
    );
    let mut workspace = suite::new_workspace(&organization, "net");
    workspace.project = project.id;
    workspace.tags = vec![
        ("app".to_owned(), None),
        ("env".to_owned(), Some("prod".to_owned())),
    ];
    assert!(
        store
            .add_workspace(&workspace, entry("workspace"))
            .await
            .expect("a store")
    );
    let id = workspace.id;
    let reader = suite::new_workspace(&organization, "reader");
    assert!(
        store
            .add_workspace(&reader, entry("workspace"))
            .await
            .expect("a store")
    );
    let change = ConsumerChange {
        add: vec![reader.id.clone()],
        ..ConsumerChange::default()
    };
    // Only where the workspace is, because that says who administrates it.
    for (project, is_shared) in [(&ProjectId::new(), false), (&workspace.project, true)] {
        assert_eq!(
            store
                .change_consumers(&id, project, &change, entry("share"))
                .await
                .expect("a store"),
            is_shared
        );
    }
    let token = Token {
        id: TokenId::new(),
        hash: [9; 32],
        kind: TokenKind::Workspace {
            workspace: reader.id,
            organization: organization.clone(),
        },
        description: String::new(),
        created_at: at(1),
        expires_at: None,
    };
    assert!(
        store
            .add_token(&token, entry("token"))
            .await
            .expect("a store")
    );
    let left = User {
        id: UserId::new(),
        name: "left".to_owned(),
        created_at: at(3),
    };
    assert!(store.add_user(&left, entry("user")).await.expect("a store"));
    let token = revoked(&left.id, &organization);
    let made = store.add_token(&token, entry("token"));
    assert!(made.await.expect("a store"));
    let removed = store.remove_token(&token.id, entry("token"));
    assert!(removed.await.expect("a store"));
    assert!(store.use_up("code", at(9000)).await.expect("a store"));
    let mut versions = Vec::new();
    for serial in 1..=4 {
        versions.push(
            suite::write(
                store,
                &id,
                serial,
                format!("state {serial} {}", "x".repeat(5000)).as_bytes(),
            )
            .await,
        );
    }
    suite::change(store, &id, vec![Change::Delete(versions.remove(1))]).await;
    let hide = |to| {
        vec![Change::Backing {
            version: versions[0].clone(),
            to,
        }]
    };
    suite::change(store, &id, hide(Backing::SoftDeleted)).await;
    suite::change(store, &id, hide(Backing::PermanentlyDeleted)).await;
    suite::job(store, "with-a-job", 2, 2, true).await;
    let now = suite::snapshot(store, &id).await;
    let pending = Version {
        run: Some("run-1".to_owned()),
        ..suite::version(&now, 5)
    };
    let json = Change::JsonState {
        version: pending.id.clone(),
        bytes: Bytes::from_static(b"{\"json\":1}"),
    };
    let late = Quarantined {
        id: QuarantineId::new(),
        workspace: id.clone(),
        version: versions[0].clone(),
        at: at(5),
        reason: "late".to_owned(),
        size: 4,
        bytes: Bytes::from_static(b"late"),
    };
    let changes = vec![
        Change::Insert(Box::new(pending)),
        json,
        Change::Quarantine(Box::new(late)),
    ];
    suite::change(store, &id, changes).await;
    let gone = suite::new_workspace(&organization, "gone");
    assert!(
        store
            .add_workspace(&gone, entry("workspace"))
            .await
            .expect("a store")
    );
    suite::write(store, &gone.id, 1, b"of a deleted workspace").await;
    suite::change(store, &gone.id, vec![Change::Remove]).await;
    let renamed = suite::new_workspace(&organization, "before");
    assert!(suite::added(store, &renamed).await);
    let details = Details {
        name: "after".to_owned(),
        description: String::new(),
        terraform_version: String::new(),
        tags: Vec::new(),
        shared: false,
        project: Project::default_of(&organization),
        retention: None,
    };
    let details = Change::Details(Box::new(details));
    suite::change(store, &renamed.id, vec![details]).await;
    Filled {
        organization,
        workspace: id,
        left: left.id,
    }
}

/// What can be asked of a store, in words.
async fn everything(store: &Shared, filled: &Filled) -> String {
    let mut text = String::new();
    let mut say = |what: &dyn std::fmt::Debug| text.extend([format!("{what:?}\n")]);
    say(&store.organizations().await.expect("a store"));
    say(&store.teams(&filled.organization).await.expect("a store"));
    say(&store.tokens().await.expect("a store"));
    say(&store.projects(&filled.organization).await.expect("a store"));
    for number in [0, 1, 2, 3, 9] {
        say(&store.principal(&[number; 32]).await.expect("a store"));
    }
    say(&store.secret("url-key").await.expect("a store"));
    // A token that was revoked or used up is refused again, because the copy has its record.
    let (left, of) = (&filled.left, &filled.organization);
    let again = store.add_token(&revoked(left, of), entry("token")).await;
    say(&again.expect("a store"));
    say(&store.use_up("code", at(9000)).await.expect("a store"));
    say(&store.is_user_of(left, of).await.expect("a store"));
    say(&store
        .workspaces(&filled.organization, &WorkspaceFilter::default(), ALL)
        .await
        .expect("a store"));
    let renamed = store.named(&filled.organization, "before").await;
    say(&renamed.expect("a store").map(|(found, _)| found.name));
    say(&suite::snapshot(store, &filled.workspace).await);
    let versions = store
        .versions(&filled.workspace, &[], ALL)
        .await
        .expect("a store");
    for version in &versions.items {
        for kind in [ContentKind::State, ContentKind::JsonState] {
            say(&store.bytes(&version.id, kind).await.expect("a store"));
        }
        for output in store
            .outputs(&version.id, ALL)
            .await
            .expect("a store")
            .items
        {
            say(&(output.name, output.value, output.kind));
        }
    }
    for late in store.quarantined(&filled.workspace).await.expect("a store") {
        say(&store
            .quarantined_bytes(&late.id)
            .await
            .expect("a store")
            .expect("it is there")
            .bytes);
    }
    say(&store.pending_before(at(1000)).await.expect("a store"));
    say(&suite::all_expired(store).await);
    say(&store
        .audit(&AuditFilter::default(), ALL)
        .await
        .expect("a store"));
    text
}

/// Copies one store into another, both of which work on afterwards.
pub(crate) async fn copies(from: Shared, to: Shared) -> Copied {
    let filled = fill(&from).await;
    let before = everything(&from, &filled).await;
    let copied = copy::copy(&*from, &*to).await.expect("it is copied");
    assert_eq!(everything(&to, &filled).await, before);
    assert_eq!(everything(&from, &filled).await, before);
    // What is written next takes its place behind what was copied.
    store_goes_on(&to, &filled).await;
    // Deleted workspaces came along.
    assert_eq!(
        to.purge_workspaces(at(51), entry("workspace.purge"))
            .await
            .expect("a store"),
        1
    );
    let again = copy::copy(&*from, &*to)
        .await
        .expect_err("it is not empty")
        .to_string();
    assert!(again.contains("is not empty"), "{again}");
    copied
}

async fn store_goes_on(store: &Shared, filled: &Filled) {
    let pending = suite::snapshot(store, &filled.workspace)
        .await
        .workspace
        .pending
        .expect("a pending version");
    suite::change(store, &filled.workspace, vec![Change::Discard(pending)]).await;
    let version = suite::write(store, &filled.workspace, 9, b"next").await;
    let listed = store
        .versions(&filled.workspace, &[], ALL)
        .await
        .expect("a store")
        .items;
    assert_eq!(listed[0].id, version);
    assert_eq!(
        store
            .audit(&AuditFilter::default(), ALL)
            .await
            .expect("a store")
            .items[0]
            .action,
        "test.commit"
    );
}

/// Backs a store up while writers write, and restores it into another one.
pub(crate) async fn backs_up_and_restores(from: Shared, to: Shared) {
    let filled = fill(&from).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("backup.zst");
    let before = everything(&from, &filled).await;
    let copied = copy::back_up(&*from, &file).await.expect("a backup");
    let restored = copy::restore(&file, &*to).await.expect("it is restored");
    assert_eq!(restored, copied);
    assert_eq!(everything(&to, &filled).await, before);
    store_goes_on(&to, &filled).await;
    let again = copy::restore(&file, &*to)
        .await
        .expect_err("it is not empty")
        .to_string();
    assert!(again.contains("is not empty"), "{again}");
}

/// Backs a store up while its versions come and go: a backup is of one moment.
pub(crate) async fn backs_up_under_load(from: Shared) {
    let filled = fill(&from).await;
    let pending = suite::snapshot(&from, &filled.workspace)
        .await
        .workspace
        .pending
        .expect("a pending version");
    suite::change(&from, &filled.workspace, vec![Change::Discard(pending)]).await;
    let (store, workspace) = (Arc::clone(&from), filled.workspace.clone());
    let writer = tokio::spawn(async move {
        for serial in 10.. {
            let old = suite::snapshot(&store, &workspace)
                .await
                .workspace
                .head
                .expect("a head");
            suite::write(
                &store,
                &workspace,
                serial,
                format!("state {serial}").as_bytes(),
            )
            .await;
            suite::change(&store, &workspace, vec![Change::Delete(old)]).await;
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..5 {
        let file = folder.path().join(format!("{number}.zst"));
        copy::back_up(&*from, &file).await.expect("a backup");
        let (to, _guard) = sqlite().await;
        copy::restore(&file, &*to).await.expect("it is restored");
        let head = suite::snapshot(&to, &filled.workspace)
            .await
            .head
            .expect("a head");
        let bytes = to
            .bytes(&head.id, ContentKind::State)
            .await
            .expect("a store")
            .expect("the head has its bytes");
        assert!(
            head.serial == 4 || bytes == format!("state {}", head.serial),
            "{}",
            head.serial
        );
    }
    writer.abort();
}

pub(crate) async fn sqlite() -> (Shared, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Sqlite::open(folder.path()).await.expect("a store");
    (Arc::new(store), folder)
}

#[tokio::test]
async fn from_a_folder_to_a_folder() {
    let ((from, _from), (to, _to)) = (sqlite().await, sqlite().await);
    let copied = copies(from, to).await;
    assert!(copied.rows > 20 && copied.bytes > 10_000, "{copied:?}");
}

#[tokio::test]
async fn a_folder_is_backed_up_and_restored() {
    let ((from, _from), (to, _to)) = (sqlite().await, sqlite().await);
    backs_up_and_restores(from, to).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_backed_up_under_load() {
    let (store, _folder) = sqlite().await;
    backs_up_under_load(store).await;
}

/// Every column that a store has is copied: the next one that is added cannot be forgotten.
#[tokio::test]
async fn every_column_of_a_folder_is_copied() {
    let (_store, folder) = sqlite().await;
    let connection =
        rusqlite::Connection::open(folder.path().join("upstate.db")).expect("a connection");
    let sql = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, 2";
    let mut statement = connection.prepare(sql).expect("a statement");
    let rows = statement
        .query_map((), |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("rows");
    assert_eq!(
        by_table(rows.map(|row| row.expect("a row"))),
        columns_that_are_copied()
    );
}

pub(crate) fn by_table(
    columns: impl Iterator<Item = (String, String)>,
) -> BTreeMap<String, Vec<String>> {
    let mut tables = BTreeMap::<String, Vec<String>>::new();
    for (table, column) in columns {
        tables.entry(table).or_default().push(column);
    }
    tables
}

pub(crate) fn columns_that_are_copied() -> BTreeMap<String, Vec<String>> {
    let columns = TABLES.iter().flat_map(|table| {
        table
            .columns
            .iter()
            .map(|(column, _)| (table.name.to_owned(), (*column).to_owned()))
    });
    let mut tables = by_table(columns);
    for columns in tables.values_mut() {
        columns.sort();
    }
    tables
}

async fn refused(file: &Path) -> String {
    let (to, _folder) = sqlite().await;
    let error = copy::restore(file, &*to)
        .await
        .expect_err("it is refused")
        .to_string();
    assert_eq!(
        to.organizations().await.expect("a store"),
        [],
        "nothing is kept"
    );
    assert_eq!(
        to.audit(&AuditFilter::default(), ALL)
            .await
            .expect("a store")
            .total,
        0
    );
    error
}

#[tokio::test]
async fn archives_that_are_not_whole_are_refused() {
    let (from, _folder) = sqlite().await;
    fill(&from).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("backup.zst");
    copy::back_up(&*from, &file).await.expect("a backup");
    let error = copy::back_up(&*from, &file)
        .await
        .expect_err("it is there")
        .to_string();
    assert!(
        error.ends_with("is there already; name a new file"),
        "{error}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            fs::metadata(&file).expect("metadata").permissions().mode() & 0o777,
            0o600
        );
    }

    let whole = fs::read(&file).expect("a file");
    let damaged = folder.path().join("damaged.zst");
    let lines = String::from_utf8(zstd::decode_all(&*whole).expect("zstd")).expect("text");
    let refuses = async |text: &[u8], expected: &str| {
        fs::write(&damaged, text).expect("a file");
        let error = refused(&damaged).await;
        assert!(error.contains(expected), "{error}");
    };
    let packed = |text: &str| zstd::encode_all(text.as_bytes(), 0).expect("zstd");
    refuses(&whole[..whole.len() - 9], "cannot be unpacked").await;
    refuses(b"", "is not a backup, or is damaged").await;
    refuses(b"not zstd", "is not a backup, or is damaged").await;
    let (but_the_end, _) = lines.trim_end().rsplit_once('\n').expect("lines");
    refuses(&packed(but_the_end), "is cut off").await;
    refuses(
        &packed(&lines.replace("\"acme\"", "\"evil\"")),
        "not those that were written",
    )
    .await;
    refuses(
        &packed(&lines.replacen("\"table\":\"token\"", "\"table\":\"wish\"", 1)),
        "table \"wish\" is unknown",
    )
    .await;
    refuses(
        &packed(&lines.replacen("\"upstate-backup\":1", "\"upstate-backup\":2", 1)),
        "a newer upstate-server",
    )
    .await;
    refuses(
        &packed(&format!("{lines}{{}}\n")),
        "something follows its end",
    )
    .await;
    refuses(&packed("{}\n"), "its first line is another").await;
    let blob = lines
        .lines()
        .find(|line| line.contains("\"table\":\"blob\""))
        .expect("a line of bytes");
    let mut row: serde_json::Value = serde_json::from_str(blob).expect("JSON");
    row["row"][0] = serde_json::json!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    refuses(
        &packed(&lines.replace(blob, &row.to_string())),
        "stored bytes are damaged",
    )
    .await;
}

/// A line of an archive, as a release wrote it that did not know the last column of jobs.
fn without_the_last_column_of_jobs(line: &str) -> String {
    let mut line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    if line["table"] == "job" {
        line["row"].as_array_mut().expect("values").pop();
    }
    format!("{line}\n")
}

#[tokio::test]
async fn a_backup_of_an_older_release_is_restored() {
    let (from, _from) = sqlite().await;
    let filled = fill(&from).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("backup.zst");
    let copied = copy::back_up(&*from, &file).await.expect("a backup");
    let archive = fs::read(&file).expect("a file");
    let lines = String::from_utf8(zstd::decode_all(&*archive).expect("zstd")).expect("text");
    let (head, rows) = lines.split_once('\n').expect("lines");
    let (rows, _end) = rows.trim_end().rsplit_once('\n').expect("lines");
    let older: String = rows.lines().map(without_the_last_column_of_jobs).collect();
    assert_ne!(older.trim_end(), rows, "there is a job");
    let sum = Sha256::digest(&older)
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    let end = serde_json::json!({"end": {"rows": copied.rows, "sha256": sum}});
    let packed = |rows: &str| {
        zstd::encode_all(format!("{head}\n{rows}{end}\n").as_bytes(), 0).expect("zstd")
    };
    let damaged = folder.path().join("damaged.zst");
    fs::write(&damaged, packed(&older.replace("\"acme\"", "\"evil\""))).expect("a file");
    let error = refused(&damaged).await;
    assert!(error.contains("not those that were written"), "{error}");
    let before = folder.path().join("before.zst");
    fs::write(&before, packed(&older)).expect("a file");
    let (to, _to) = sqlite().await;
    let restored = copy::restore(&before, &*to).await.expect("it is restored");
    assert_eq!((restored.rows, restored.bytes), (copied.rows, copied.bytes));
    assert_eq!(
        everything(&to, &filled).await,
        everything(&from, &filled).await
    );
}

/// An archive as the service wrote it before it knew projects: with fewer tables, shorter rows, and
/// tokens before workspaces.
const BEFORE_PROJECTS: &[u8] = include_bytes!("backup-before-projects.jsonl");

#[tokio::test]
async fn a_backup_from_before_projects_is_restored() {
    let (to, _to) = sqlite().await;
    restores_what_was_before_projects(to).await;
}

/// The store adds to the rows, which does not count as a difference from the archive.
pub(crate) async fn restores_what_was_before_projects(to: Shared) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("backup.zst");
    fs::write(&file, zstd::encode_all(BEFORE_PROJECTS, 0).expect("zstd")).expect("a file");
    let restored = copy::restore(&file, &*to).await.expect("it is restored");
    assert_eq!((restored.rows, restored.bytes), (16, 179));
    let organization = to.organizations().await.expect("a store").remove(0);
    let projects = to.projects(&organization.id).await.expect("a store");
    assert_eq!(
        projects
            .iter()
            .map(|project| project.name.as_str())
            .collect::<Vec<_>>(),
        [Project::DEFAULT_NAME]
    );
    let workspace = to
        .workspace(&organization.id, "net")
        .await
        .expect("a store")
        .expect("a workspace");
    assert_eq!(workspace.project, projects[0].id);
    let head = workspace.head.expect("a version");
    let bytes = to
        .bytes(&head, ContentKind::State)
        .await
        .expect("a store")
        .expect("its bytes");
    assert!(bytes.starts_with(b"{\n  \"version\": 4,"), "{bytes:?}");
    for number in 1..=3 {
        assert!(
            to.principal(&[number; 32])
                .await
                .expect("a store")
                .is_some(),
            "{number}"
        );
    }
}

#[tokio::test]
async fn damaged_bytes_are_not_copied() {
    let (from, folder) = sqlite().await;
    fill(&from).await;
    let connection =
        rusqlite::Connection::open(folder.path().join("upstate.db")).expect("a connection");
    connection
        .execute("UPDATE blob SET bytes = zeroblob(length(bytes))", ())
        .expect("an update");
    let (to, _to) = sqlite().await;
    let error = copy::copy(&*from, &*to)
        .await
        .expect_err("it is damaged")
        .to_string();
    assert!(error.starts_with("stored bytes are damaged"), "{error}");
    assert_eq!(to.organizations().await.expect("a store"), []);
    let file = folder.path().join("backup.zst");
    copy::back_up(&*from, &file)
        .await
        .expect_err("it is damaged");
    assert!(!file.exists());
}
