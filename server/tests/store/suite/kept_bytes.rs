//! Bytes: of versions, and of late uploads.

use bytes::Bytes;
use upstate_server::__internal::model::{
    AuditFilter, Backing, ContentKind, OrganizationId, QuarantineId, Quarantined, Status,
    Timestamp, Version, VersionId,
};
use upstate_server::__internal::store::{Change, Committed, Garbage};

use super::{FIRST, Shared, at, change, commit, finalize, snapshot, version, workspace, write};

pub(crate) async fn bytes_come_back_as_they_went_in(store: Shared) {
    let id = workspace(&store).await;
    let mut large = vec![0u8; 3 << 20];
    for (index, byte) in large.iter_mut().enumerate() {
        *byte = u8::try_from((index * 2_654_435_761) >> 7 & 0xff).expect("a byte");
    }
    let contents: [&[u8]; 4] = [
        b"{}",
        b"\xff\x00 not text",
        &large,
        b"{\"a\":\"<>&\\u003c\"}\n",
    ];
    for (serial, bytes) in (1..).zip(contents) {
        let version = write(&store, &id, serial, bytes).await;
        let back = store
            .bytes(&version, ContentKind::State)
            .await
            .expect("a store")
            .expect("bytes");
        assert!(back == bytes, "{serial}");
        assert_eq!(
            store
                .bytes(&version, ContentKind::JsonState)
                .await
                .expect("a store"),
            None
        );
        let kept = store
            .version(&version)
            .await
            .expect("a store")
            .expect("a version");
        assert_eq!(
            kept.finalized.map(|finalized| finalized.size),
            u64::try_from(bytes.len()).ok()
        );
    }
    assert_eq!(
        store
            .bytes(&VersionId::new(), ContentKind::State)
            .await
            .expect("a store"),
        None
    );
}

pub(crate) async fn a_version_waits_for_its_bytes(store: Shared) {
    let id = workspace(&store).await;
    let before = snapshot(&store, &id).await;
    let waiting = Version {
        run: Some("run-1".to_owned()),
        forced: true,
        ..version(&before, 4)
    };
    change(&store, &id, vec![Change::Insert(Box::new(waiting.clone()))]).await;
    let pending = snapshot(&store, &id).await;
    assert_eq!(
        (pending.head.clone(), pending.pending.clone()),
        (None, Some(waiting.clone()))
    );
    assert_eq!(pending.workspace.last_seq, 1);
    assert_eq!(pending.workspace.max_serial, None);
    assert_eq!(
        store
            .bytes(&waiting.id, ContentKind::State)
            .await
            .expect("a store"),
        None
    );
    assert_eq!(store.pending_before(at(14)).await.expect("a store"), []);
    assert_eq!(
        store.pending_before(at(15)).await.expect("a store"),
        [(id.clone(), waiting.id.clone())]
    );

    // The JSON state may come first.
    let json = Change::JsonState {
        version: waiting.id.clone(),
        bytes: Bytes::from_static(b"{\"json\":1}"),
    };
    change(&store, &id, vec![json]).await;
    change(&store, &id, vec![finalize(&pending, &waiting, b"state")]).await;
    let after = snapshot(&store, &id).await;
    let head = after.head.expect("a head");
    assert_eq!(
        (head.id.clone(), head.status, head.has_json_state),
        (waiting.id.clone(), Status::Finalized, true)
    );
    assert_eq!(
        (head.run.as_deref(), head.forced, after.pending),
        (Some("run-1"), true, None)
    );
    assert_eq!(after.workspace.max_serial, Some(4));
    let json = store
        .bytes(&waiting.id, ContentKind::JsonState)
        .await
        .expect("a store");
    assert_eq!(json.as_deref(), Some(&b"{\"json\":1}"[..]));
    let here = [after.workspace.organization.clone(), OrganizationId::new()];
    assert_eq!(
        store
            .version_of_run("run-1", &here)
            .await
            .expect("a store")
            .map(|version| version.id),
        Some(waiting.id)
    );
    assert_eq!(
        store.version_of_run("run-2", &here).await.expect("a store"),
        None
    );
    assert_eq!(
        store
            .version_of_run("run-1", &here[1..])
            .await
            .expect("a store"),
        None
    );
    assert_eq!(
        store.version_of_run("run-1", &[]).await.expect("a store"),
        None
    );
}

pub(crate) async fn discarded_bytes_are_gone_and_shared_ones_stay(store: Shared) {
    let id = workspace(&store).await;
    let before = snapshot(&store, &id).await;
    let waiting = version(&before, 1);
    let json = Change::JsonState {
        version: waiting.id.clone(),
        bytes: Bytes::from_static(b"{\"shared\":1}"),
    };
    change(
        &store,
        &id,
        vec![Change::Insert(Box::new(waiting.clone())), json],
    )
    .await;
    change(&store, &id, vec![Change::Discard(waiting.id.clone())]).await;
    let after = snapshot(&store, &id).await;
    assert_eq!(
        (after.pending, after.workspace.pending.clone(), after.head),
        (None, None, None)
    );
    let discarded = store
        .version(&waiting.id)
        .await
        .expect("a store")
        .expect("a version");
    assert_eq!(
        (discarded.status, discarded.has_json_state),
        (Status::Discarded, false)
    );

    // Equal bytes are in two versions: the one that goes does not take them along.
    let old = write(&store, &id, 2, b"same").await;
    let new = write(&store, &id, 3, b"same").await;
    change(&store, &id, vec![Change::Delete(old.clone())]).await;
    assert_eq!(store.version(&old).await.expect("a store"), None);
    assert_eq!(
        store
            .bytes(&new, ContentKind::State)
            .await
            .expect("a store")
            .as_deref(),
        Some(&b"same"[..])
    );

    let newest = write(&store, &id, 4, b"other").await;
    let to = |to| {
        vec![Change::Backing {
            version: new.clone(),
            to,
        }]
    };
    change(&store, &id, to(Backing::SoftDeleted)).await;
    assert!(
        store
            .bytes(&new, ContentKind::State)
            .await
            .expect("a store")
            .is_some()
    );
    change(&store, &id, to(Backing::Available)).await;
    change(&store, &id, to(Backing::PermanentlyDeleted)).await;
    assert_eq!(
        store
            .bytes(&new, ContentKind::State)
            .await
            .expect("a store"),
        None
    );
    assert_eq!(store.outputs(&new, FIRST).await.expect("a store").total, 0);
    assert_eq!(
        store
            .version(&new)
            .await
            .expect("a store")
            .expect("a version")
            .backing,
        Backing::PermanentlyDeleted
    );
    assert_eq!(
        store
            .bytes(&newest, ContentKind::State)
            .await
            .expect("a store")
            .as_deref(),
        Some(&b"other"[..])
    );
}

pub(crate) async fn what_is_gone_is_deleted_once(store: Shared) {
    let id = workspace(&store).await;
    let old = write(&store, &id, 1, b"1").await;
    write(&store, &id, 2, b"2").await;
    change(&store, &id, vec![Change::Delete(old.clone())]).await;
    // Another process is as far with its upkeep: the second delete changes nothing, and adds no
    // line to the audit log.
    let before = snapshot(&store, &id).await;
    let audited = store
        .audit(&AuditFilter::default(), FIRST)
        .await
        .expect("a store")
        .total;
    let again = store
        .commit(commit(&before, vec![Change::Delete(old)]))
        .await
        .expect("a store");
    assert_eq!(again, Committed::Gone);
    assert_eq!(snapshot(&store, &id).await, before);
    assert_eq!(
        store
            .audit(&AuditFilter::default(), FIRST)
            .await
            .expect("a store")
            .total,
        audited
    );
}

pub(crate) async fn what_is_used_is_no_garbage(store: Shared) {
    let id = workspace(&store).await;
    let version = write(&store, &id, 1, b"used").await;
    let late = Timestamp::now().after(std::time::Duration::from_hours(1000));
    assert_eq!(
        store.collect_garbage(late, true).await.expect("a store"),
        Garbage::default()
    );
    assert_eq!(
        store.collect_garbage(late, false).await.expect("a store"),
        Garbage::default()
    );
    assert_eq!(
        store
            .bytes(&version, ContentKind::State)
            .await
            .expect("a store")
            .as_deref(),
        Some(&b"used"[..])
    );
}

pub(crate) async fn late_bytes_are_kept_aside(store: Shared) {
    let id = workspace(&store).await;
    let version = VersionId::new();
    let late = |bytes: &'static [u8]| Quarantined {
        id: QuarantineId::new(),
        workspace: id.clone(),
        version: version.clone(),
        at: at(5),
        reason: "late".to_owned(),
        size: u64::try_from(bytes.len()).expect("a size"),
        bytes: Bytes::from_static(bytes),
    };
    change(
        &store,
        &id,
        vec![Change::Quarantine(Box::new(late(b"only copy")))],
    )
    .await;
    change(
        &store,
        &id,
        vec![Change::Quarantine(Box::new(late(b"only copy")))],
    )
    .await;
    let kept = store.quarantined(&id).await.expect("a store");
    assert_eq!((kept.len(), kept[0].size, kept[0].bytes.len()), (1, 9, 0));
    let whole = store
        .quarantined_bytes(&kept[0].id)
        .await
        .expect("a store")
        .expect("one");
    assert_eq!(
        (&whole.bytes[..], &whole.version, whole.reason.as_str()),
        (&b"only copy"[..], &version, "late")
    );
    assert_eq!(
        store
            .quarantined_bytes(&QuarantineId::new())
            .await
            .expect("a store"),
        None
    );
    // What else is swept does not take it along.
    let old = write(&store, &id, 1, b"1").await;
    write(&store, &id, 2, b"2").await;
    change(&store, &id, vec![Change::Delete(old)]).await;
    assert!(
        store
            .quarantined_bytes(&kept[0].id)
            .await
            .expect("a store")
            .is_some()
    );
}
