//! What every store must do: one suite, run on each.
//!
//! A store of another kind is one more module with a `fresh` function and `suite!(fresh)`.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail by a panic"
)]

#[allow(
    dead_code,
    unreachable_pub,
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::panic,
    reason = "other tests share it, and a test may fail by a panic"
)]
#[path = "../../../tests/tests/service/bucket.rs"]
mod bucket_server;
mod copying;
#[allow(
    dead_code,
    unreachable_pub,
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::panic,
    reason = "other tests share it, and a test may fail by a panic"
)]
#[path = "../../../tests/tests/real/memory.rs"]
mod memory;
#[allow(
    dead_code,
    unreachable_pub,
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::panic,
    reason = "other tests share it, and a test may fail by a panic"
)]
#[path = "../../../tests/tests/real/packages.rs"]
mod packages;
#[allow(
    dead_code,
    unreachable_pub,
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::panic,
    reason = "other tests share it, and a test may fail by a panic"
)]
#[path = "../../../tests/tests/real/postgres.rs"]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod postgres_server;
mod suite;

/// Runs each test of the suite on a fresh store. `$fresh` is an async function that gives a store
/// and what must outlive it.
macro_rules! suite {
    ($fresh:path: $($test:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $test() {
            let (store, guard) = $fresh().await;
            crate::suite::$test(store).await;
            drop(guard);
        }
    )*};
    ($fresh:path) => {
        suite! { $fresh:
            names_are_taken_once
            tokens_grant_what_their_owners_may
            a_commit_is_written_whole_or_not_at_all
            of_racing_commits_one_is_written
            a_head_moves_only_from_where_it_is_expected
            bytes_come_back_as_they_went_in
            a_version_waits_for_its_bytes
            discarded_bytes_are_gone_and_shared_ones_stay
            what_is_gone_is_deleted_once
            any_text_is_kept
            what_is_used_is_no_garbage
            versions_are_listed_newest_first
            neighbours_are_finalized_versions
            outputs_are_kept_with_their_version
            who_made_a_version_is_known_by_their_id
            details_change_and_names_stay_unique
            workspaces_are_found_by_name_and_tags
            deleted_workspaces_free_their_name_until_they_are_purged
            names_lead_to_who_had_them_last
            a_restored_workspace_takes_no_former_name_back
            no_name_is_taken_from_a_lock_of_http
            a_deleted_workspace_keeps_its_name_for_what_it_manages
            late_bytes_are_kept_aside
            what_is_done_is_audited
            lines_of_the_audit_log_are_filtered
            secrets_stay_the_same
            the_first_token_is_added_once
            what_a_policy_lets_go_is_found
            heads_are_listed_by_name
            the_newest_outcome_of_a_version_is_found
            a_large_job_has_all_its_workspaces
            work_goes_on_while_the_store_is_copied
            a_workspace_of_a_job_is_the_work_of_one_process
            a_job_stops_and_goes_on
            a_job_that_runs_is_not_resumed
            a_stopped_job_ends_with_its_last_workspace
            workspaces_that_a_job_changed_are_found
            a_job_ends_without_its_workspaces
            processes_that_look_for_work_share_it
            locks_that_end_by_themselves_are_found
            projects_hold_workspaces
            teams_may_something_in_a_part
            nothing_refers_to_what_is_gone
            who_leaves_loses_everything
            who_lost_something_has_no_new_job
            a_job_may_what_its_requester_may_now
            jobs_may_what_their_trust_grants
            subjects_and_sessions_are_of_users
            what_is_of_use_once_is_used_once
            one_process_delivers_to_a_receiver
            size_and_backups_are_known
        }
    };
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../certified/mod.rs"]
mod certified;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod encrypted;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod lost_answers;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod on_postgres;

mod sealed;

mod sqlite {
    use std::sync::Arc;

    use tempfile::TempDir;
    use upstate_server::__internal::store::encryption::Sealing as _;
    use upstate_server::__internal::store::sqlite::Sqlite;
    use upstate_server::__internal::store::{Accounts as _, Places as _, Store, Workspaces as _};

    async fn fresh() -> (Arc<dyn Store>, TempDir) {
        let folder = crate::memory::folder();
        let store = Sqlite::open(folder.path()).await.expect("a store");
        (Arc::new(store), folder)
    }

    suite!(fresh);

    #[tokio::test]
    async fn a_store_is_opened_again_with_all_it_has() {
        let folder = tempfile::tempdir().expect("a folder");
        let store: Arc<dyn Store> = Arc::new(Sqlite::open(folder.path()).await.expect("a store"));
        let secret = store.secret("x").await.expect("a secret");
        drop(store);
        let store = Sqlite::open(folder.path()).await.expect("a store");
        assert_eq!(store.secret("x").await.expect("a secret"), secret);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn nobody_else_reads_the_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("new/data");
        drop(Sqlite::open(&data).await.expect("a store"));
        let mode = |path: &std::path::Path| {
            std::fs::metadata(path)
                .expect("metadata")
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(
            (mode(&data), mode(&data.join("upstate.db"))),
            (0o700, 0o600)
        );
    }

    #[tokio::test]
    async fn bytes_that_nothing_needs_are_gone_from_the_file() {
        let (store, folder) = fresh().await;
        super::suite::discarded_bytes_are_gone_and_shared_ones_stay(store).await;
        let connection =
            rusqlite::Connection::open(folder.path().join("upstate.db")).expect("a connection");
        // What is left is the state of the newest version.
        let kept: i64 = connection
            .query_row("SELECT count(*) FROM blob", (), |row| row.get(0))
            .expect("a count");
        assert_eq!(kept, 1);
    }

    #[tokio::test]
    async fn tables_of_a_newer_program_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(Sqlite::open(folder.path()).await.expect("a store"));
        let connection =
            rusqlite::Connection::open(folder.path().join("upstate.db")).expect("a connection");
        connection
            .pragma_update(None, "user_version", 99)
            .expect("an update");
        drop(connection);
        let error = Sqlite::open(folder.path()).await.expect_err("refused");
        let expected = "upstate.db cannot be opened: the store has tables of version 99, newer than 22: a newer upstate-server wrote it";
        assert!(error.to_string().ends_with(expected), "{error}");
    }

    /// The filter by status neither reads the versions nor sorts them.
    #[tokio::test]
    async fn the_status_filter_has_an_index() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(Sqlite::open(folder.path()).await.expect("a store"));
        let connection =
            rusqlite::Connection::open(folder.path().join("upstate.db")).expect("a connection");
        let plan = |sql: &str| -> String {
            let mut statement = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
                .expect("a statement");
            let found = statement
                .query_map((), |row| row.get::<_, String>(3))
                .expect("rows");
            found
                .map(|row| row.expect("a text"))
                .collect::<Vec<_>>()
                .join("; ")
        };
        let which = "FROM state_version WHERE workspace = 'w' AND status IN ('finalized')";
        let counted = plan(&format!("SELECT count(*), min(seq), max(seq) {which}"));
        assert!(
            counted.contains("COVERING INDEX state_version_status"),
            "{counted}"
        );
        let listed = plan(&format!(
            "SELECT * {which} ORDER BY seq DESC LIMIT 20 OFFSET 40"
        ));
        assert!(
            listed.contains("INDEX state_version_status") && !listed.contains("TEMP B-TREE"),
            "{listed}"
        );
    }

    /// Tokens that had permissions of their own keep them, by a team of their user's own.
    #[tokio::test]
    async fn tokens_of_an_older_program_keep_what_they_allow() {
        use upstate_server::__internal::model::{
            OrganizationId, Permission, Permissions, Project, TokenKind, WorkspaceId,
        };
        let folder = tempfile::tempdir().expect("a folder");
        let connection =
            rusqlite::Connection::open(folder.path().join("upstate.db")).expect("a connection");
        for sql in [
            include_str!("../../src/store/sqlite/migrations/0001.sql"),
            include_str!("../../src/store/sqlite/migrations/0002.sql"),
            include_str!("../../src/store/sqlite/migrations/0003.sql"),
            include_str!("../../src/store/sqlite/migrations/0004.sql"),
            include_str!("../../src/store/sqlite/migrations/0005.sql"),
            "INSERT INTO organization VALUES ('org-a', 'acme', 1), ('org-b', 'other', 1);
             INSERT INTO user VALUES ('user-ann', 'ann', 1), ('user-bob', 'bob', 1);
             INSERT INTO team VALUES ('team-1', 'org-a', 'ops', 'lock');
             INSERT INTO team_member VALUES ('team-1', 'user-bob');
             INSERT INTO token VALUES
               ('at-1', CAST(zeroblob(31) || x'01' AS BLOB), 'user-ann', NULL, 'org-a', 'read-state,lock', '', 1, NULL),
               ('at-2', CAST(zeroblob(31) || x'02' AS BLOB), 'user-ann', NULL, 'org-a', 'admin', '', 1, NULL),
               ('at-3', CAST(zeroblob(31) || x'03' AS BLOB), 'user-ann', NULL, 'org-b', 'write-state', '', 1, NULL),
               ('at-4', CAST(zeroblob(31) || x'04' AS BLOB), 'user-bob', NULL, 'org-a', 'teams:read-state,lock', '', 1, NULL);
             INSERT INTO workspace (id, organization, name, description, terraform_version, created_at, updated_at)
               VALUES ('ws-1', 'org-a', 'net', '', '', 1, 1);",
        ] {
            connection.execute_batch(sql).expect("tables");
        }
        connection
            .pragma_update(None, "user_version", 5)
            .expect("an update");
        drop(connection);
        let store = Sqlite::open(folder.path()).await.expect("a store");
        let (acme, other) = (
            OrganizationId::from_text("org-a"),
            OrganizationId::from_text("org-b"),
        );
        let hash = |last: u8| {
            let mut hash = [0; 32];
            hash[31] = last;
            hash
        };
        let allowed = async |last: u8, organization: &OrganizationId| {
            store
                .principal(&hash(last))
                .await
                .expect("a store")
                .expect("a principal")
                .permissions(organization)
                .to_string()
        };
        assert_eq!(allowed(1, &acme).await, "read-state,lock");
        assert_eq!(allowed(2, &acme).await, "admin");
        assert_eq!(
            (allowed(3, &other).await, allowed(3, &acme).await),
            ("write-state".to_owned(), String::new())
        );
        assert_eq!(allowed(4, &acme).await, "lock");
        let teams = store.teams(&acme).await.expect("a store");
        let own = teams
            .iter()
            .find(|team| team.name == "ann (own)")
            .expect("a team");
        assert_eq!(
            own.permissions,
            "read-state,lock,admin"
                .parse::<Permissions>()
                .expect("permissions")
        );
        assert!(
            store
                .tokens()
                .await
                .expect("a store")
                .iter()
                .all(|token| matches!(token.kind, TokenKind::Member { .. }))
        );
        let workspace = store
            .snapshot(&WorkspaceId::from_text("ws-1"))
            .await
            .expect("a store")
            .expect("a workspace")
            .workspace;
        assert_eq!(workspace.project, Project::default_of(&acme));
        assert_eq!(
            store
                .project(&workspace.project)
                .await
                .expect("a store")
                .expect("a project")
                .name,
            "Default Project"
        );
        // Without the team there is nothing left.
        store
            .remove_team(&own.id, super::suite::entry("x"))
            .await
            .expect("a store");
        let principal = store
            .principal(&hash(2))
            .await
            .expect("a store")
            .expect("a principal");
        assert!(!principal.permissions(&acme).allow(Permission::Admin));
    }

    /// A server goes on with what the first one made.
    #[tokio::test]
    async fn tables_of_an_older_program_are_brought_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let connection =
            rusqlite::Connection::open(folder.path().join("upstate.db")).expect("a connection");
        connection
            .execute_batch(include_str!("../../src/store/sqlite/migrations/0001.sql"))
            .expect("tables");
        connection
            .pragma_update(None, "user_version", 1)
            .expect("an update");
        let columns = |connection: &rusqlite::Connection| -> Vec<String> {
            let mut statement = connection
                .prepare("SELECT type || ' ' || name || ' ' || sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY 1")
                .expect("a statement");
            let found = statement.query_map((), |row| row.get(0)).expect("rows");
            found.collect::<Result<_, _>>().expect("texts")
        };
        drop(connection);
        let store: Arc<dyn Store> = Arc::new(Sqlite::open(folder.path()).await.expect("a store"));
        super::suite::what_is_used_is_no_garbage(Arc::clone(&store)).await;
        let other = tempfile::tempdir().expect("a folder");
        drop(Sqlite::open(other.path()).await.expect("a store"));
        let of = |folder: &TempDir| {
            columns(
                &rusqlite::Connection::open(folder.path().join("upstate.db"))
                    .expect("a connection"),
            )
        };
        assert_eq!(of(&folder), of(&other));
    }
}
