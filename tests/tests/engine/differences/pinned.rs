//! Without a lock nothing holds a difference to what was released, and that is said.

use std::panic::{AssertUnwindSafe, catch_unwind};

use upstate::testing::assert_history_is_pinned;
use upstate::{Registry, Resource};

#[derive(Resource)]
#[resource(type_name = "unpinned_server", version = 4)]
#[upgrade_from(3 => 4, carry)]
#[upgrade_from(1..=2 => 4, rename(title => name))]
#[upgrade_from(0 => 2, drop(legacy: Option<String>, "the API no longer has it"))]
struct Server {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "unpinned_disk", version = 1)]
#[upgrade_from(0, model = DiskV0, rename(bytes => size))]
struct Disk {
    size: u64,
}

#[derive(Resource)]
#[resource(type_name = "unpinned_disk", version = 0, prior)]
struct DiskV0 {
    bytes: u64,
}

#[test]
fn each_difference_that_no_lock_has_is_named() {
    let registry = Registry::new().with::<Server>().with::<Disk>();
    let panic = catch_unwind(AssertUnwindSafe(|| assert_history_is_pinned(&registry))).unwrap_err();
    let help = "help: write the lock with your program's `lock` command, commit it, and compile again; from then on the compiler compares";
    let expected = [
        "version 0 is a difference",
        "versions 1 to 2 are a difference",
        "version 3 is a difference",
    ]
    .map(|what| format!("unpinned_server: {what}, and no `upstate.lock` has it\n{help}"));
    assert_eq!(panic.downcast_ref::<String>(), Some(&expected.join("\n")));
}

#[test]
fn structs_need_no_lock() {
    assert_history_is_pinned(&Registry::new().with::<Disk>());
}
