//! Counts and measures of a store.

use super::{Shared, at};

pub(crate) async fn size_and_backups_are_known(store: Shared) {
    assert!(store.size().await.expect("a store") > 4096);
    assert!(store.locked_since().await.expect("a store").is_empty());
    let used = store.pool_use();
    assert!(used.most > 0 && used.used <= used.most, "{used:?}");
    assert_eq!(store.last_backup().await.expect("a store"), None);
    for millis in [2000, 5000, 3000] {
        store.note_backup(at(millis)).await.expect("a store");
        store.note_backup(at(millis)).await.expect("a store");
    }
    assert_eq!(store.last_backup().await.expect("a store"), Some(at(5000)));
}
