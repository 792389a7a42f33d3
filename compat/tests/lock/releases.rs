//! Which schema version a type had in a release, as the lock knows it.

use upstate::{Registry, Resource};
use upstate_compat::lock::Lock;
use upstate_compat::{Release, Snapshot};

#[derive(Resource)]
#[resource(type_name = "example_note", version = 0)]
struct First {
    name: String,
}

/// Version 1 was in no release that froze the lock; its shape is known by the difference alone.
#[derive(Resource)]
#[resource(type_name = "example_note", version = 2)]
#[upgrade_from(1 => 2, set(pinned = false))]
#[upgrade_from(0 => 1, rename(name => title))]
struct Third {
    title: String,
    pinned: bool,
}

#[test]
fn a_version_of_an_unknown_release_is_not_put_before_one_that_is_on_record() {
    let release = |text: &str| -> Release { text.parse().expect("a release") };
    let mut lock = Lock::default();
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<First>()),
        release("1.0.0"),
    )
    .expect("a lock");
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<Third>()),
        release("2.0.0"),
    )
    .expect("a lock");
    assert_eq!(
        lock.versions_at(&release("1.0.0")).get("example_note"),
        Some(&0)
    );
    assert_eq!(
        lock.versions_at(&release("2.0.0")).get("example_note"),
        Some(&2)
    );
    // Before all releases that are known, what nobody knows the release of is all there is.
    let mut lock = Lock::default();
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<Third>()),
        release("2.0.0"),
    )
    .expect("a lock");
    assert_eq!(
        lock.versions_at(&release("1.0.0")).get("example_note"),
        Some(&1)
    );
}
