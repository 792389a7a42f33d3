//! Versions in lists, with what is beside them.

use upstate_server::__internal::model::{Holder, OutputId, Status, UserId, Version, VersionId};
use upstate_server::__internal::store::{Change, Page};

use super::{
    FIRST, Shared, all_expired, change, finalize, holder, snapshot, version, workspace, write,
};

pub(crate) async fn versions_are_listed_newest_first(store: Shared) {
    let id = workspace(&store).await;
    for serial in 1..=25 {
        write(&store, &id, serial, format!("{serial}").as_bytes()).await;
    }
    let now = snapshot(&store, &id).await;
    change(
        &store,
        &id,
        vec![Change::Insert(Box::new(version(&now, 26)))],
    )
    .await;
    let page = store
        .versions(
            &id,
            &[],
            Page {
                number: 2,
                size: 20,
            },
        )
        .await
        .expect("a store");
    assert_eq!(
        (
            page.total,
            page.items.iter().map(|one| one.serial).collect::<Vec<_>>()
        ),
        (26, vec![6, 5, 4, 3, 2, 1])
    );
    let page = store
        .versions(
            &id,
            &[],
            Page {
                number: 999,
                size: 20,
            },
        )
        .await
        .expect("a store");
    assert_eq!((page.total, page.items.len()), (26, 0));
    let pending = store
        .versions(&id, &[Status::Pending], FIRST)
        .await
        .expect("a store");
    assert_eq!((pending.total, pending.items[0].serial), (1, 26));
    let some = store
        .versions(&id, &[Status::Finalized, Status::Discarded], FIRST)
        .await
        .expect("a store");
    assert_eq!((some.total, some.items[0].serial), (25, 25));
    // Its current version never goes.
    assert_eq!(all_expired(&store).await.len(), 24);

    // With versions gone in between, at either end, or nowhere: the same pages.
    let mut serials: Vec<i64> = (1..=26).rev().collect();
    for gone in [1, 2, 9, 17, 18] {
        let all = store
            .versions(
                &id,
                &[],
                Page {
                    number: 1,
                    size: 100,
                },
            )
            .await
            .expect("a store")
            .items;
        let gone = all
            .iter()
            .find(|version| version.serial == gone)
            .expect("it is there");
        change(&store, &id, vec![Change::Delete(gone.id.clone())]).await;
        serials.retain(|serial| *serial != gone.serial);
        for size in [1, 4, 7, 50] {
            let mut found = Vec::new();
            for number in 1..=30 {
                let page = store
                    .versions(&id, &[], Page { number, size })
                    .await
                    .expect("a store");
                assert_eq!(page.total, serials.len() as u64);
                found.extend(page.items.iter().map(|one| one.serial));
            }
            assert_eq!(found, serials, "pages of {size}");
        }
    }
}

pub(crate) async fn neighbours_are_finalized_versions(store: Shared) {
    let id = workspace(&store).await;
    let first = write(&store, &id, 1, b"1").await;
    let now = snapshot(&store, &id).await;
    let discarded = version(&now, 2);
    change(
        &store,
        &id,
        vec![
            Change::Insert(Box::new(discarded.clone())),
            Change::Discard(discarded.id.clone()),
        ],
    )
    .await;
    let second = write(&store, &id, 2, b"2").await;
    let third = write(&store, &id, 3, &vec![b'3'; 300_000]).await;
    let mut versions = Vec::new();
    for id in [&first, &second, &third] {
        versions.push(
            store
                .version(id)
                .await
                .expect("a store")
                .expect("a version"),
        );
    }
    let beside = store.beside(&versions).await.expect("a store");
    let links: Vec<_> = beside
        .iter()
        .map(|one| (one.previous.clone(), one.next.clone()))
        .collect();
    assert_eq!(
        links,
        [
            (None, Some(second.clone())),
            (Some(first.clone()), Some(third.clone())),
            (Some(second.clone()), None)
        ]
    );
    assert!(beside.iter().all(|one| one.outputs.len() == 1));
    // At one moment with the version; a large state's comes by itself, because it takes long.
    for (version, beside) in versions.iter().zip(beside) {
        let found = store.version_beside(&version.id).await.expect("a store");
        let (found, workspace, with) = found.expect("a version");
        assert_eq!((&found, &workspace.id), (version, &id));
        assert_eq!(with, (version.id != third).then_some(beside));
    }
    let unknown = VersionId::new();
    assert_eq!(store.version_beside(&unknown).await.expect("a store"), None);
    change(&store, &id, vec![Change::Delete(first)]).await;
    let beside = store.beside(&versions[1..2]).await.expect("a store");
    assert_eq!(
        (beside[0].previous.clone(), beside[0].next.clone()),
        (None, Some(third))
    );
}

pub(crate) async fn outputs_are_kept_with_their_version(store: Shared) {
    let id = workspace(&store).await;
    let version = write(&store, &id, 1, b"1").await;
    let listed = store.outputs(&version, FIRST).await.expect("a store");
    assert_eq!(
        (
            listed.total,
            &*listed.items[0].value,
            listed.items[0].sensitive
        ),
        (1, "\"s3cret\"", true)
    );
    let one = store.output(&listed.items[0].id).await.expect("a store");
    assert_eq!(one.as_ref(), Some(&listed.items[0]));
    assert!(!format!("{one:?}").contains("s3cret"));
    assert_eq!(store.output(&OutputId::new()).await.expect("a store"), None);
}

/// A user may have the id of another one as their name.
pub(crate) async fn who_made_a_version_is_known_by_their_id(store: Shared) {
    let id = workspace(&store).await;
    let (maker, other) = (UserId::new(), UserId::new());
    let before = snapshot(&store, &id).await;
    let made = Version {
        creator: Holder {
            id: maker.to_string(),
            name: other.to_string(),
            ..holder()
        },
        ..version(&before, 1)
    };
    let bytes = finalize(&before, &made, b"state");
    change(&store, &id, vec![Change::Insert(Box::new(made)), bytes]).await;
    let organization = &before.workspace.organization;
    for (user, is_known) in [(&maker, true), (&other, false)] {
        let found = store.is_user_of(user, organization).await;
        assert_eq!(found.expect("a store"), is_known, "{user}");
    }
}
