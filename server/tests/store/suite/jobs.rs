//! The suite's part about whole organizations and jobs.

use upstate_server::__internal::model::{
    Head, Holder, HolderKind, ItemStatus, Job, JobCounts, JobId, JobItem, JobKind, JobStatus,
    NewItem, Selection, Timestamp, TokenId, Version, VersionId, VersionTypes, WorkspaceId,
};
use upstate_server::__internal::store::{Change, Claim, Page};

use super::{
    Shared, added, at, change, entry, finalize, holder, new_workspace, organization, snapshot,
    version, write,
};

const ALL: Page = Page {
    number: 1,
    size: 100,
};

pub(crate) async fn heads_are_listed_by_name(store: Shared) {
    let (acme, other) = (
        organization(&store, "acme").await,
        organization(&store, "other").await,
    );
    let mut ids = Vec::new();
    for (organization, name) in [
        (&acme, "c"),
        (&acme, "a"),
        (&acme, "b"),
        (&other, "z"),
        (&acme, "d"),
    ] {
        let workspace = new_workspace(organization, name);
        assert!(added(&store, &workspace).await);
        ids.push(workspace.id);
    }
    let (c, a, d) = (&ids[0], &ids[1], &ids[4]);
    write(&store, c, 1, b"old").await;
    let head = write(&store, c, 2, b"new").await;
    let lock = upstate_server::__internal::model::Lock {
        holder: holder(),
        reason: String::new(),
        at: at(3),
        client: String::new(),
        info: None,
        until: None,
    };
    change(&store, a, vec![Change::Lock(lock)]).await;
    change(&store, d, vec![Change::Remove]).await;
    let heads = store.heads(&acme, None, 100).await.expect("a store");
    let empty = |workspace: &WorkspaceId, name: &str, locked| Head {
        workspace: workspace.clone(),
        name: name.to_owned(),
        locked,
        version: None,
    };
    let full = Head {
        version: Some(head.clone()),
        ..empty(c, "c", false)
    };
    assert_eq!(
        heads,
        [
            empty(a, "a", true),
            empty(&ids[2], "b", false),
            full.clone()
        ]
    );
    assert_eq!(
        store.heads(&acme, Some("a"), 1).await.expect("a store"),
        heads[1..2]
    );
    assert_eq!(store.heads(&acme, Some("c"), 1).await.expect("a store"), []);
    // What is known is not replaced.
    let types = VersionTypes {
        version: head.clone(),
        types: Some(r#"[{"type":"example_thing"}]"#.to_owned()),
        unreadable: None,
    };
    let requested = [VersionId::from_text("sv-none"), head.clone()];
    assert_eq!(
        store.types(&requested).await.expect("a store"),
        std::slice::from_ref(&types)
    );
    store.keep_types(&head, "[]").await.expect("a store");
    assert_eq!(store.types(&requested).await.expect("a store"), [types]);
    assert_eq!(store.types(&[]).await.expect("a store"), []);
    assert_eq!(store.report(&head).await.expect("a store"), None);
}

/// A job over new workspaces of a new organization.
pub(crate) async fn job(
    store: &Shared,
    name: &str,
    workspaces: usize,
    concurrency: u32,
    stop: bool,
) -> (Job, Vec<WorkspaceId>) {
    let organization = organization(store, name).await;
    let mut ids = Vec::new();
    for number in 0..workspaces {
        let workspace = new_workspace(&organization, &format!("w{number}"));
        assert!(added(store, &workspace).await);
        ids.push(workspace.id);
    }
    let job = Job {
        id: JobId::new(),
        organization,
        requested_by: Holder {
            kind: HolderKind::User,
            id: "user-a".to_owned(),
            name: "a\u{0}".to_owned(),
            lock_id: None,
        },
        who: "user a".to_owned(),
        token: stop.then(TokenId::new),
        concurrency,
        stop_at_failure: stop,
        max_failures: if stop { 0 } else { 7 },
        status: JobStatus::Running,
        created_at: at(10),
        finished_at: None,
        back: None,
        worked_on_at: None,
        undoes: Some(JobId::new()),
        kind: if stop { JobKind::Plan } else { JobKind::Change },
        applies: stop.then(JobId::new),
    };
    let items: Vec<NewItem> = ids
        .iter()
        .map(|id| NewItem {
            workspace: id.clone(),
            expected: Some(expected(id)),
        })
        .collect();
    let selection = stop.then(|| selection(&ids));
    let added = store.add_job(None, &job, selection.as_ref(), &items, entry("job.create"));
    assert!(added.await.expect("a store"));
    (job, ids)
}

/// The selection that a plan over these workspaces is asked for.
fn selection(ids: &[WorkspaceId]) -> Selection {
    Selection {
        workspaces: Some(ids.to_vec()),
        names: Some("w*".to_owned()),
        tags: vec!["a=b".to_owned()],
    }
}

/// The version that has to be current still: each workspace has its own.
fn expected(workspace: &WorkspaceId) -> VersionId {
    VersionId::from_text(format!("sv-{workspace}"))
}

fn ended(workspace: &WorkspaceId, status: ItemStatus) -> JobItem {
    JobItem {
        workspace: workspace.clone(),
        status,
        version: None,
        detail: "d".to_owned(),
        planned: Some("{}".to_owned()),
        tried: Some(expected(workspace)),
    }
}

/// The work that is given to a process for the next 100 milliseconds.
async fn claim_of(store: &Shared, by: &str, now: i64) -> Claim {
    store
        .claim(by, at(now), at(now + 100))
        .await
        .expect("a store")
        .expect("a claim")
}

/// Ends such work; false if it is another process's by then.
async fn finished(store: &Shared, claim: &Claim, status: ItemStatus, now: i64) -> bool {
    store
        .finish(claim, &ended(&claim.workspace, status), at(now))
        .await
        .expect("a store")
}

async fn stopped(store: &Shared, id: &JobId) -> bool {
    store
        .stop_job(id, entry("job.stop"))
        .await
        .expect("a store")
}

/// Stops a job because of who requested it; false if that is somebody else by now.
async fn stopped_of(store: &Shared, job: &Job) -> bool {
    store
        .stop_job_of_requester(job, entry("job.stop"))
        .await
        .expect("a store")
}

/// Who resumes jobs that others began.
fn somebody() -> Holder {
    Holder {
        kind: HolderKind::Team,
        id: "team-b".to_owned(),
        ..holder()
    }
}

async fn resumed(store: &Shared, id: &JobId) -> bool {
    let token = TokenId::from_text("at-b");
    store
        .resume_job(id, &somebody(), Some(&token), entry("job.resume"))
        .await
        .expect("a store")
}

async fn counts(store: &Shared, id: &JobId) -> (JobStatus, Option<Timestamp>, JobCounts) {
    let (job, counts) = store.job(id).await.expect("a store").expect("a job");
    (job.status, job.finished_at, counts)
}

/// A copy takes as long as who takes its rows, and jobs must not wait for it.
pub(crate) async fn work_goes_on_while_the_store_is_copied(store: Shared) {
    job(&store, "acme", 1, 1, false).await;
    let (rows, mut taken) = tokio::sync::mpsc::channel(1);
    let from = Shared::clone(&store);
    let copy = tokio::spawn(async move { from.export(rows).await });
    assert!(taken.recv().await.is_some());
    assert!(
        store
            .claim("one", at(100), at(200))
            .await
            .expect("a store")
            .is_some()
    );
    while taken.recv().await.is_some() {}
    copy.await.expect("a task").expect("a copy");
}

/// More than one statement adds, and one left over.
pub(crate) async fn a_large_job_has_all_its_workspaces(store: Shared) {
    let (job, ids) = job(&store, "acme", 201, 1, false).await;
    let expected_ones = JobCounts {
        waiting: 201,
        ..JobCounts::default()
    };
    assert_eq!(
        store.job(&job.id).await.expect("a store"),
        Some((job.clone(), expected_ones))
    );
    let all = Page {
        number: 1,
        size: 500,
    };
    let found = store.job_items(&job.id, &[], all).await.expect("a store");
    let mut ids: Vec<&WorkspaceId> = ids.iter().collect();
    ids.sort();
    assert_eq!(
        found
            .items
            .iter()
            .map(|item| &item.workspace)
            .collect::<Vec<_>>(),
        ids
    );
    let claim = claim_of(&store, "one", 100).await;
    assert_eq!(claim.expected, Some(expected(&claim.workspace)));
}

pub(crate) async fn a_workspace_of_a_job_is_the_work_of_one_process(store: Shared) {
    let (job, ids) = job(&store, "acme", 3, 2, false).await;
    assert_eq!(
        store.job(&job.id).await.expect("a store"),
        Some((
            job.clone(),
            JobCounts {
                waiting: 3,
                ..JobCounts::default()
            }
        ))
    );
    let first = claim_of(&store, "one", 100).await;
    let second = claim_of(&store, "two", 100).await;
    assert_eq!(
        first.job,
        Job {
            worked_on_at: Some(at(100)),
            ..job.clone()
        }
    );
    assert_ne!(first.workspace, second.workspace);
    assert_eq!(
        (first.expected.as_ref(), second.expected.as_ref()),
        (
            Some(&expected(&first.workspace)),
            Some(&expected(&second.workspace))
        )
    );
    let claimed = async |now| {
        store
            .claimed_items(&job.id, at(now))
            .await
            .expect("a store")
    };
    assert_eq!((claimed(199).await, claimed(200).await), (2, 0));
    // No more than two at the same time.
    assert_eq!(
        store
            .claim("three", at(150), at(250))
            .await
            .expect("a store"),
        None
    );
    assert!(finished(&store, &first, ItemStatus::Upgraded, 151).await);
    assert!(
        !finished(&store, &first, ItemStatus::Failed, 152).await,
        "once"
    );
    let third = claim_of(&store, "three", 160).await;
    assert!(
        ids.contains(&third.workspace)
            && third.workspace != first.workspace
            && third.workspace != second.workspace
    );
    // Who still works on it says so; who has lost it does not get it back.
    assert!(
        store
            .prolong(&second, at(165), at(200))
            .await
            .expect("a store")
    );
    assert!(
        !store
            .prolong(&first, at(170), at(999))
            .await
            .expect("a store")
    );
    let worked_on = async || {
        store
            .job(&job.id)
            .await
            .expect("a store")
            .expect("a job")
            .0
            .worked_on_at
    };
    assert_eq!(
        worked_on().await,
        Some(at(165)),
        "who has lost it does not work on it"
    );
    let taken_over = async || {
        store
            .taken_over_by_step(&job.id, at(200), 1)
            .await
            .expect("a store")
    };
    assert_eq!(taken_over().await, []);
    // The second was killed; another process goes on, and the second comes back too late.
    let again = claim_of(&store, "four", 201).await;
    assert_eq!(again.workspace, second.workspace);
    assert_eq!(taken_over().await, [(1, 1)]);
    assert!(!finished(&store, &second, ItemStatus::Failed, 202).await);
    assert!(finished(&store, &again, ItemStatus::Current, 203).await);
    assert_eq!(counts(&store, &job.id).await.0, JobStatus::Running);
    assert!(finished(&store, &third, ItemStatus::Failed, 204).await);
    let expected = JobCounts {
        waiting: 0,
        upgraded: 1,
        current: 1,
        failed: 1,
    };
    assert_eq!(
        counts(&store, &job.id).await,
        (JobStatus::Done, Some(at(204)), expected)
    );
    assert_eq!(
        store
            .claim("five", at(999), at(1000))
            .await
            .expect("a store"),
        None
    );
    // Sums of an earlier end are not those of this one.
    store
        .keep_plan_sums(&job.id, at(203), "{}")
        .await
        .expect("a store");
    assert_eq!(store.plan_sums(&job.id).await.expect("a store"), None);
    store
        .keep_plan_sums(&job.id, at(204), "{}")
        .await
        .expect("a store");
    assert_eq!(
        store.plan_sums(&job.id).await.expect("a store").as_deref(),
        Some("{}")
    );
    assert_eq!(
        store.unchanged_items(&job.id).await.expect("a store"),
        (0, 0)
    );
    assert_eq!(store.unchanged_heads(&job.id).await.expect("a store"), []);
    assert_eq!(
        store.ended_since(&job.id, at(203)).await.expect("a store"),
        (2, Some(at(203)))
    );
    assert_eq!(
        store.ended_since(&job.id, at(205)).await.expect("a store"),
        (0, None)
    );
    assert_eq!(
        store
            .ended_by_step(&job.id, at(203), 1)
            .await
            .expect("a store"),
        [(0, 1, 0), (1, 1, 1)]
    );
    assert_eq!(
        store
            .ended_by_step(&job.id, at(203), 10)
            .await
            .expect("a store"),
        [(0, 2, 1)]
    );
    let failed = store
        .job_items(&job.id, &[ItemStatus::Failed], ALL)
        .await
        .expect("a store");
    assert_eq!(
        (failed.items, failed.total),
        (vec![ended(&third.workspace, ItemStatus::Failed)], 1)
    );
    let all = store
        .job_items(&job.id, &[], Page { number: 2, size: 2 })
        .await
        .expect("a store");
    assert_eq!((all.items.len(), all.total), (1, 3));
    let listed = store.jobs(&job.organization, ALL).await.expect("a store");
    assert_eq!((listed.items.len(), listed.total), (1, 1));
}

pub(crate) async fn a_job_stops_and_goes_on(store: Shared) {
    let (job, ids) = job(&store, "acme", 3, 1, true).await;
    let first = claim_of(&store, "one", 100).await;
    assert_eq!(
        first.job,
        Job {
            worked_on_at: Some(at(100)),
            ..job.clone()
        }
    );
    assert_eq!(
        store.plan_selection(&job.id).await.expect("a store"),
        Some(selection(&ids))
    );
    assert_eq!(
        store.plan_selection(&JobId::new()).await.expect("a store"),
        None
    );
    assert!(finished(&store, &first, ItemStatus::Failed, 101).await);
    assert_eq!(counts(&store, &job.id).await.0, JobStatus::Stopped);
    assert_eq!(
        store.claim("one", at(102), at(202)).await.expect("a store"),
        None
    );
    assert!(!stopped(&store, &job.id).await);
    assert!(resumed(&store, &job.id).await);
    // Not in the name of who began it.
    let found = store.job(&job.id).await.expect("a store");
    let (goes_on, _) = found.expect("a job");
    assert_eq!(
        (goes_on.requested_by, goes_on.who.as_str()),
        (somebody(), "test")
    );
    assert_eq!(goes_on.token, Some(TokenId::from_text("at-b")));
    assert!(!stopped_of(&store, &job).await, "they have it no longer");
    assert_eq!(counts(&store, &job.id).await.0, JobStatus::Running);
    assert!(!resumed(&store, &job.id).await);
    assert_eq!(
        counts(&store, &job.id).await.2,
        JobCounts {
            waiting: 3,
            ..JobCounts::default()
        }
    );
    assert_eq!(
        store.ended_since(&job.id, at(0)).await.expect("a store"),
        (0, None),
        "the failure is forgotten"
    );
    // What is being worked on when it is stopped is still finished.
    let next = claim_of(&store, "one", 103).await;
    assert!(stopped(&store, &job.id).await);
    assert!(finished(&store, &next, ItemStatus::Upgraded, 104).await);
    assert_eq!(counts(&store, &job.id).await.0, JobStatus::Stopped);
    assert!(resumed(&store, &job.id).await);
    let (theirs, _) = store.job(&job.id).await.expect("a store").expect("a job");
    for _ in 0..2 {
        assert!(stopped_of(&store, &theirs).await);
        assert_eq!(counts(&store, &job.id).await.0, JobStatus::Stopped);
    }
    assert!(resumed(&store, &job.id).await);
    while let Some(claim) = store.claim("one", at(105), at(205)).await.expect("a store") {
        assert!(finished(&store, &claim, ItemStatus::Upgraded, 106).await);
    }
    let expected = JobCounts {
        upgraded: 3,
        ..JobCounts::default()
    };
    assert_eq!(
        counts(&store, &job.id).await,
        (JobStatus::Done, Some(at(106)), expected)
    );
    assert!(!resumed(&store, &job.id).await);
}

/// A job stops above a number of failures, so that those of one that runs stay.
pub(crate) async fn a_job_that_runs_is_not_resumed(store: Shared) {
    let (job, _) = job(&store, "acme", 3, 1, false).await;
    let claim = claim_of(&store, "one", 100).await;
    let failed = ended(&claim.workspace, ItemStatus::Failed);
    assert!(
        store
            .finish(&claim, &failed, at(101))
            .await
            .expect("a store")
    );
    assert!(!resumed(&store, &job.id).await);
    let expected = JobCounts {
        waiting: 2,
        failed: 1,
        ..JobCounts::default()
    };
    assert_eq!(
        counts(&store, &job.id).await,
        (JobStatus::Running, None, expected)
    );
    assert_eq!(
        store
            .job_items(&job.id, &[ItemStatus::Failed], ALL)
            .await
            .expect("a store")
            .items,
        [failed]
    );
    // With nothing but failures left it is resumed.
    while let Some(claim) = store.claim("one", at(102), at(202)).await.expect("a store") {
        assert!(finished(&store, &claim, ItemStatus::Upgraded, 103).await);
    }
    assert_eq!(counts(&store, &job.id).await.0, JobStatus::Done);
    assert!(resumed(&store, &job.id).await);
    let expected = JobCounts {
        waiting: 1,
        upgraded: 2,
        ..JobCounts::default()
    };
    assert_eq!(
        counts(&store, &job.id).await,
        (JobStatus::Running, None, expected)
    );
}

/// With its last workspaces on their way, a job that is stopped ends all the same.
pub(crate) async fn a_stopped_job_ends_with_its_last_workspace(store: Shared) {
    let (job, _) = job(&store, "acme", 2, 2, false).await;
    let take = async |now| claim_of(&store, "one", now).await;
    let (first, second) = (take(100).await, take(100).await);
    assert!(stopped(&store, &job.id).await);
    assert!(finished(&store, &first, ItemStatus::Upgraded, 101).await);
    assert_eq!(counts(&store, &job.id).await.0, JobStatus::Stopped);
    // One that failed can be tried again, so that the job is not done.
    assert!(finished(&store, &second, ItemStatus::Failed, 102).await);
    let (status, finished_at, _) = counts(&store, &job.id).await;
    assert_eq!((status, finished_at), (JobStatus::Stopped, None));
    assert!(resumed(&store, &job.id).await);
    let again = take(103).await;
    assert!(stopped(&store, &job.id).await);
    assert!(finished(&store, &again, ItemStatus::Current, 104).await);
    let expected = JobCounts {
        upgraded: 1,
        current: 1,
        ..JobCounts::default()
    };
    assert_eq!(
        counts(&store, &job.id).await,
        (JobStatus::Done, Some(at(104)), expected)
    );
}

/// A process that is killed may have changed a workspace without recording it.
pub(crate) async fn workspaces_that_a_job_changed_are_found(store: Shared) {
    let (job, mut ids) = job(&store, "acme", 4, 4, false).await;
    ids.sort();
    let made = async |id: &WorkspaceId, by: &JobId, serial| {
        let snapshot = snapshot(&store, id).await;
        let version = Version {
            job: Some(by.clone()),
            ..version(&snapshot, serial)
        };
        let changes = vec![
            Change::Insert(Box::new(version.clone())),
            finalize(&snapshot, &version, b"state"),
        ];
        change(&store, id, changes).await;
    };
    let changed = async || store.changed_workspaces(&job.id).await.expect("a store");
    assert_eq!(changed().await, []);
    // One was made by another job, one is no longer current, and one is recorded.
    made(&ids[0], &job.id, 1).await;
    made(&ids[1], &JobId::new(), 1).await;
    made(&ids[2], &job.id, 1).await;
    write(&store, &ids[2], 2, b"later").await;
    while let Some(claim) = store.claim("one", at(100), at(200)).await.expect("a store") {
        if claim.workspace == ids[3] {
            assert!(finished(&store, &claim, ItemStatus::Upgraded, 101).await);
        }
    }
    assert_eq!(changed().await, [ids[0].clone(), ids[3].clone()]);
    assert_eq!(
        store
            .changed_workspaces(&JobId::new())
            .await
            .expect("a store"),
        []
    );
}

/// Workspaces that are purged while they wait are waited for by nobody.
pub(crate) async fn a_job_ends_without_its_workspaces(store: Shared) {
    let (job, ids) = job(&store, "acme", 2, 2, true).await;
    for id in &ids {
        change(&store, id, vec![Change::Remove]).await;
    }
    store
        .purge_workspaces(at(i64::MAX), entry("workspace.purge"))
        .await
        .expect("a store");
    assert_eq!(
        store.claim("one", at(100), at(200)).await.expect("a store"),
        None
    );
    assert_eq!(
        counts(&store, &job.id).await,
        (JobStatus::Done, Some(at(100)), JobCounts::default())
    );
}

/// Locks of clients have no end of their own.
pub(crate) async fn locks_that_end_by_themselves_are_found(store: Shared) {
    let acme = organization(&store, "acme").await;
    let lock = |until| upstate_server::__internal::model::Lock {
        holder: holder(),
        reason: String::new(),
        at: at(3),
        client: String::new(),
        info: None,
        until,
    };
    let mut ids = Vec::new();
    for (name, until) in [
        ("ended", Some(at(9))),
        ("at-work", Some(at(11))),
        ("client", None),
        ("gone", Some(at(9))),
    ] {
        let workspace = new_workspace(&acme, name);
        assert!(added(&store, &workspace).await);
        change(&store, &workspace.id, vec![Change::Lock(lock(until))]).await;
        ids.push(workspace.id);
    }
    change(&store, &ids[3], vec![Change::Remove]).await;
    assert_eq!(store.ended_locks(at(8)).await.expect("a store"), []);
    assert_eq!(store.ended_locks(at(10)).await.expect("a store"), ids[..1]);
    change(&store, &ids[0], vec![Change::Unlock(None)]).await;
    assert_eq!(store.ended_locks(at(10)).await.expect("a store"), []);
}

/// Processes that look for work at the same time: each workspace is found once, and no more are
/// worked on than the job allows.
pub(crate) async fn processes_that_look_for_work_share_it(store: Shared) {
    let (job, ids) = job(&store, "acme", 24, 3, false).await;
    let mut working = tokio::task::JoinSet::new();
    for process in 0..6 {
        let (store, id) = (Shared::clone(&store), job.id.clone());
        working.spawn(async move {
            let mut done = Vec::new();
            loop {
                match store
                    .claim(&format!("p{process}"), at(100), at(200))
                    .await
                    .expect("a store")
                {
                    Some(claim) => {
                        assert!(finished(&store, &claim, ItemStatus::Upgraded, 101).await);
                        done.push(claim.workspace);
                    }
                    None if counts(&store, &id).await.0 == JobStatus::Done => return done,
                    None => tokio::task::yield_now().await,
                }
            }
        });
    }
    let mut done: Vec<WorkspaceId> = working.join_all().await.into_iter().flatten().collect();
    done.sort();
    let mut expected = ids;
    expected.sort();
    assert_eq!(done, expected);
}

/// The outcome of the newest job or plan for a version, and the counts of a day.
pub(crate) async fn the_newest_outcome_of_a_version_is_found(store: Shared) {
    let (change, ids) = job(&store, "acme", 2, 2, false).await;
    let (version, other) = (expected(&ids[0]), expected(&ids[1]));
    assert_eq!(
        store
            .last_outcomes(&[version.clone(), other.clone()])
            .await
            .expect("a store"),
        []
    );
    for (now, status) in [(100, ItemStatus::Failed), (200, ItemStatus::Upgraded)] {
        let claim = store
            .claim("one", at(now), at(now + 50))
            .await
            .expect("a store")
            .expect("a claim");
        let item = JobItem {
            tried: Some(version.clone()),
            ..ended(&claim.workspace, status)
        };
        assert!(
            store
                .finish(&claim, &item, at(now + 1))
                .await
                .expect("a store")
        );
        let found = store
            .last_outcomes(&[version.clone(), other.clone()])
            .await
            .expect("a store");
        assert_eq!(found.len(), 1);
        let outcome = &found[0];
        assert_eq!(
            (&outcome.version, &outcome.job, outcome.kind),
            (&version, &change.id, JobKind::Change)
        );
        assert_eq!(
            (outcome.status, outcome.at, outcome.undoes, &*outcome.detail),
            (status, at(now + 1), true, "d")
        );
        assert_eq!(outcome.release, None);
    }
    let items = store
        .job_items(&change.id, &[ItemStatus::Failed], ALL)
        .await
        .expect("a store")
        .items;
    assert_eq!(items[0].tried, Some(version.clone()));
    // A failure is counted in its step, and not before the window.
    let failures = async |since| {
        store
            .failures_since(&change.organization, at(since), 10)
            .await
            .expect("a store")
    };
    assert_eq!(
        (failures(80).await, failures(150).await),
        (vec![(2, 1)], Vec::new())
    );
    // A new try forgets the failure.
    assert!(resumed(&store, &change.id).await);
    let found = store.last_outcomes(&[version]).await.expect("a store");
    assert_eq!(found[0].status, ItemStatus::Upgraded);
    assert_eq!(failures(80).await, []);
}
