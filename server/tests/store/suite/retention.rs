//! Which versions a policy lets go.

use upstate_server::__internal::model::{Retention, Version, VersionId, Workspace};
use upstate_server::__internal::rules::{Expired, Expiry};
use upstate_server::__internal::store::{Change, Committed};

use super::{
    Shared, at, change, commit, entry, finalize, new_workspace, organization, snapshot, version,
};

/// Everything that the strictest policy lets go.
pub(crate) async fn all_expired(store: &Shared) -> Vec<Expired> {
    let strictest = Expiry {
        keep_last: 0,
        now: at(i64::MAX),
        before: Some(at(i64::MAX)),
    };
    store.expired(strictest, None, 1000).await.expect("a store")
}

/// A version as the rule of retention looks at it.
#[derive(Debug, Clone)]
struct Old {
    expired: Expired,
    is_head: bool,
    rollback_of: Option<VersionId>,
    upgraded_from: Option<VersionId>,
    own: Option<Retention>,
}

/// The rule, by looking at everything.
fn lets_go(all: &[Old], expiry: Expiry) -> Vec<Expired> {
    let mut newest_first: Vec<&Old> = all.iter().collect();
    newest_first.sort_by_key(|old| (old.expired.created_at, old.expired.id.clone()));
    newest_first.reverse();
    let goes = |(newer, old): (usize, &Old)| {
        let before = match old.own {
            None => expiry.before,
            Some(Retention::Never) => None,
            Some(Retention::Days(days)) => Some(
                expiry
                    .now
                    .before(std::time::Duration::from_secs(u64::from(days) * 86_400)),
            ),
        };
        newer >= expiry.keep_last
            && !old.is_head
            && before.is_some_and(|before| old.expired.created_at < before)
    };
    let goes: Vec<(&Old, bool)> = newest_first
        .iter()
        .enumerate()
        .map(|(newer, old)| (*old, goes((newer, old))))
        .collect();
    let is_source = |id: &VersionId| {
        goes.iter().any(|(old, goes)| {
            !goes
                && [&old.rollback_of, &old.upgraded_from]
                    .into_iter()
                    .flatten()
                    .any(|of| of == id)
        })
    };
    let mut going: Vec<Expired> = goes
        .iter()
        .filter(|(old, goes)| *goes && !is_source(&old.expired.id))
        .map(|(old, _)| old.expired.clone())
        .collect();
    going.reverse();
    going
}

pub(crate) async fn what_a_policy_lets_go_is_found(store: Shared) {
    const DAY: i64 = 86_400_000;
    let organization = organization(&store, "acme").await;
    let policies = [
        None,
        None,
        Some(Retention::Never),
        Some(Retention::Days(3)),
        Some(Retention::Days(30)),
        None,
    ];
    let mut all: Vec<Old> = Vec::new();
    for (number, own) in policies.iter().enumerate() {
        let workspace = new_workspace(&organization, &format!("w{number}"));
        assert!(
            store
                .add_workspace(
                    &Workspace {
                        retention: *own,
                        ..workspace.clone()
                    },
                    entry("x")
                )
                .await
                .expect("a store")
        );
        let mut here: Vec<Old> = Vec::new();
        for serial in 1..=9_i64 {
            let now = snapshot(&store, &workspace.id).await;
            // Some are made at the same moment, also in other workspaces; of three, one goes back
            // to an older one, and one is an upgrade of an older one.
            let created_at =
                at(i64::midpoint(serial * 7, i64::try_from(number).expect("small")) * DAY);
            let older = here.get(here.len() / 2).map(|old| old.expired.id.clone());
            let (rollback_of, upgraded_from) = match serial % 3 {
                0 => (older, None),
                1 => (None, older),
                _ => (None, None),
            };
            let version = Version {
                created_at,
                rollback_of,
                upgraded_from,
                ..version(&now, serial)
            };
            let changes = vec![
                Change::Insert(Box::new(version.clone())),
                finalize(&now, &version, b"state"),
            ];
            assert_eq!(
                store.commit(commit(&now, changes)).await.expect("a store"),
                Committed::Done
            );
            let Version {
                id,
                rollback_of,
                upgraded_from,
                ..
            } = version;
            let expired = Expired {
                created_at,
                id,
                workspace: workspace.id.clone(),
            };
            here.push(Old {
                expired,
                is_head: serial == 9,
                rollback_of,
                upgraded_from,
                own: *own,
            });
        }
        if number == 5 {
            change(&store, &workspace.id, vec![Change::Remove]).await;
        } else {
            let now = snapshot(&store, &workspace.id).await;
            change(
                &store,
                &workspace.id,
                vec![Change::Insert(Box::new(version(&now, 10)))],
            )
            .await;
            all.extend(here);
        }
    }
    let mut sizes = std::collections::BTreeSet::new();
    for keep_last in [0, 1, 2, 20, 44, 45, 46, 1000, usize::MAX] {
        for before in [None, Some(0), Some(9), Some(16), Some(30), Some(50)] {
            for now in [0, 20, 33, 70] {
                let expiry = Expiry {
                    keep_last,
                    now: at(now * DAY),
                    before: before.map(|day| at(day * DAY)),
                };
                let expected = lets_go(&all, expiry);
                assert_eq!(
                    store.expired(expiry, None, 1000).await.expect("a store"),
                    expected,
                    "{expiry:?}"
                );
                // Page by page for each number of versions once, because every page is five trips
                // to the database.
                if !sizes.insert(expected.len()) {
                    continue;
                }
                let mut found: Vec<Expired> = Vec::new();
                loop {
                    let some = store
                        .expired(expiry, found.last(), 4)
                        .await
                        .expect("a store");
                    assert!(some.len() <= 4);
                    if some.is_empty() {
                        break;
                    }
                    found.extend(some);
                }
                assert_eq!(found, expected, "{expiry:?}");
            }
        }
    }
    assert!(
        sizes.len() > 10,
        "the policies let go as many as each other: {sizes:?}"
    );
}
