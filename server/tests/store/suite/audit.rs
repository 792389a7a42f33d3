//! The audit log, and secrets.

use upstate_server::__internal::model::{AuditEntry, AuditFilter};
use upstate_server::__internal::store::{Listed, Page};

use super::{FIRST, Shared, entry, organization, snapshot, workspace};

pub(crate) async fn what_is_done_is_audited(store: Shared) {
    let id = workspace(&store).await;
    let organization = snapshot(&store, &id).await.workspace.organization;
    let here = AuditEntry {
        workspace: Some(id.clone()),
        organization: Some(organization.clone()),
        ..entry("here")
    };
    store.record(here.clone()).await.expect("a store");
    store.record(entry("elsewhere")).await.expect("a store");
    let all = store
        .audit(&AuditFilter::default(), FIRST)
        .await
        .expect("a store");
    let actions: Vec<_> = all.items.iter().map(|one| one.action.to_string()).collect();
    assert_eq!(
        (all.total, &actions[..2]),
        (4, &["elsewhere".to_owned(), "here".to_owned()][..])
    );
    let numbered = store.audit_after(None, 0, 9).await.expect("a store");
    let actions: Vec<_> = numbered
        .iter()
        .map(|(_, one)| one.action.to_string())
        .collect();
    assert_eq!(actions[2..], ["here", "elsewhere"]);
    let (second, last) = (numbered[1].0, numbered[3].0);
    assert_eq!(
        store
            .audit_after(Some(&organization), second, 9)
            .await
            .expect("a store"),
        [numbered[2].clone()]
    );
    assert_eq!(
        store.audit_after(None, second, 1).await.expect("a store"),
        [numbered[2].clone()]
    );
    assert!(
        store
            .audit_after(None, last, 9)
            .await
            .expect("a store")
            .is_empty()
    );
    let filter = AuditFilter {
        workspace: Some(id),
        organization: Some(organization),
        ..AuditFilter::default()
    };
    assert_eq!(
        store.audit(&filter, FIRST).await.expect("a store").items,
        [here]
    );
    assert_eq!(
        store
            .trim_audit(super::at(1), None, entry("trim"))
            .await
            .expect("a store"),
        0
    );
    // Lines that a receiver lacks stay, because they would be lost otherwise.
    assert_eq!(
        store
            .trim_audit(super::at(2), Some(0), entry("trim"))
            .await
            .expect("a store"),
        0
    );
    assert_eq!(
        store
            .trim_audit(super::at(2), None, entry("trim"))
            .await
            .expect("a store"),
        4
    );
    let left = store.audit_after(None, 0, 9).await.expect("a store");
    assert_eq!((left.len(), &*left[0].1.action), (1, "trim"));
    assert!(left[0].0 > last);
}

pub(crate) async fn lines_of_the_audit_log_are_filtered(store: Shared) {
    let organization = organization(&store, "acme").await;
    let lines = [
        ("user ann (at-1)", "workspace.lock"),
        ("user bob (at-2)", "workspace.unlock"),
        ("user ann (at-1) by job-7", "state-version.upgrade"),
        ("user bob (at-2) by job-8", "state-version.upgrade"),
        ("user a%n (at-3)", "workspaces.%"),
        ("user n_l (at-4)", "work_pace.lock"),
    ];
    for (who, action) in lines {
        let entry = AuditEntry {
            who: who.to_owned(),
            organization: Some(organization.clone()),
            ..entry(action)
        };
        store.record(entry.clone()).await.expect("a store");
        store
            .record(AuditEntry {
                organization: None,
                ..entry
            })
            .await
            .expect("a store");
    }
    // Counted by action, those of the organization alone; and said from when on, where there are
    // more than are looked at.
    let day = store
        .activity(&organization, super::at(0), 1000, 100)
        .await
        .expect("a store");
    assert_eq!(
        (
            day.complete_since,
            day.counts.iter().map(|(_, _, number)| number).sum::<u64>()
        ),
        (None, 6)
    );
    assert!(
        day.counts
            .iter()
            .any(|(action, _, number)| (&**action, *number) == ("state-version.upgrade", 2)),
        "{day:?}"
    );
    let newest = store
        .activity(&organization, super::at(0), 1000, 2)
        .await
        .expect("a store");
    assert_eq!(
        newest
            .counts
            .iter()
            .map(|(_, _, number)| number)
            .sum::<u64>(),
        2
    );
    assert!(newest.complete_since.is_some(), "{newest:?}");
    assert_eq!(
        store
            .activity(&organization, super::at(1_000_000), 1000, 100)
            .await
            .expect("a store")
            .counts,
        []
    );
    let found = async |filter: AuditFilter, page: Page| -> (u64, Vec<String>) {
        let filter = AuditFilter {
            organization: Some(organization.clone()),
            ..filter
        };
        let Listed { items, total } = store.audit(&filter, page).await.expect("a store");
        (
            total,
            items
                .into_iter()
                .map(|one| format!("{} {}", one.who, one.action))
                .collect(),
        )
    };
    let expected = |numbers: &[usize]| -> (u64, Vec<String>) {
        let all = numbers
            .iter()
            .map(|number| format!("{} {}", lines[*number].0, lines[*number].1))
            .collect();
        (numbers.len() as u64, all)
    };
    let by = |actor: &str| AuditFilter {
        actor: Some(actor.to_owned()),
        ..AuditFilter::default()
    };
    let of = |action: &str| AuditFilter {
        action: Some(action.to_owned()),
        ..AuditFilter::default()
    };
    assert_eq!(found(by("ANN"), FIRST).await, expected(&[2, 0]));
    assert_eq!(found(by("at-2"), FIRST).await, expected(&[3, 1]));
    assert_eq!(found(by("job-8"), FIRST).await, expected(&[3]));
    // A wildcard of SQL means itself.
    assert_eq!(found(by("a%n"), FIRST).await, expected(&[4]));
    assert_eq!(found(by("n_l"), FIRST).await, expected(&[5]));
    assert_eq!(found(of("workspace"), FIRST).await, expected(&[1, 0]));
    assert_eq!(found(of("workspace.lock"), FIRST).await, expected(&[0]));
    assert_eq!(found(of("work"), FIRST).await, expected(&[]));
    assert_eq!(found(of("%"), FIRST).await, expected(&[]));
    let without_jobs = AuditFilter {
        without_jobs: true,
        ..of("state-version")
    };
    assert_eq!(found(without_jobs, FIRST).await, expected(&[]));
    let without_jobs = AuditFilter {
        without_jobs: true,
        ..by("bob")
    };
    assert_eq!(found(without_jobs, FIRST).await, expected(&[1]));
    // Page by page.
    let (total, second) = found(of("workspace"), Page { number: 2, size: 1 }).await;
    assert_eq!((total, second), (2, expected(&[0]).1));
}

pub(crate) async fn secrets_stay_the_same(store: Shared) {
    store.ready().await.expect("ready");
    let first = store.secret("a").await.expect("a store");
    assert_eq!(store.secret("a").await.expect("a store"), first);
    assert_ne!(store.secret("b").await.expect("a store"), first);
    assert_ne!(first, [0; 32]);
    assert!(!store.describe().is_empty());
}
