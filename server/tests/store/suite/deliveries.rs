//! The progress of receivers of the audit log.

use super::{Shared, at};

pub(crate) async fn one_process_delivers_to_a_receiver(store: Shared) {
    let claim = async |target: &str, holder: &str, until: i64, now: i64| {
        store
            .claim_delivery(target, holder, at(until), at(now))
            .await
            .expect("a store")
    };
    let advance = async |holder: &str, to: i64| {
        store
            .advance_delivery("x", holder, to)
            .await
            .expect("a store")
    };
    assert_eq!(store.delivered("x").await.expect("a store"), 0);
    assert!(!advance("a", 1).await);
    assert_eq!(claim("x", "a", 10, 1).await, Some(0));
    assert_eq!(
        [claim("x", "b", 20, 9).await, claim("y", "b", 20, 9).await],
        [None, Some(0)]
    );
    assert_eq!(
        [advance("a", 5).await, advance("b", 6).await],
        [true, false]
    );
    // The time of the first one goes on if it says so, and ends if it does not.
    assert_eq!(claim("x", "a", 30, 9).await, Some(5));
    assert_eq!(
        [claim("x", "b", 40, 29).await, claim("x", "b", 40, 30).await],
        [None, Some(5)]
    );
    assert_eq!(
        [
            advance("a", 7).await,
            advance("b", 8).await,
            advance("b", 6).await
        ],
        [false, true, false]
    );
    store.release_delivery("x", "a").await.expect("a store");
    assert_eq!(claim("x", "a", 50, 31).await, None);
    store.release_delivery("x", "b").await.expect("a store");
    assert_eq!(claim("x", "a", 50, 31).await, Some(8));
    assert_eq!(
        [
            store.delivered("x").await.expect("a store"),
            store.delivered("y").await.expect("a store")
        ],
        [8, 0]
    );
}
