//! The lock that the cases in `tests/ui/lock` are compiled against is what the released models freeze to,
//! and what it allows compiles.

#![allow(
    dead_code,
    reason = "nothing makes the models of cases that only have to compile"
)]

#[path = "locked/pass/differences.rs"]
mod differences;
#[path = "locked/pass/made_by_macros.rs"]
mod made_by_macros;
#[path = "locked/pass/more_aliases.rs"]
mod more_aliases;
#[path = "locked/pass/more_flattened.rs"]
mod more_flattened;
#[path = "locked/pass/more_variants.rs"]
mod more_variants;
#[path = "locked/pass/moved_alias.rs"]
mod moved_alias;
#[path = "locked/pass/own_types.rs"]
mod own_types;
#[path = "locked/released.rs"]
mod released;
#[path = "locked/pass/same_stored_document.rs"]
mod same_stored_document;
#[path = "locked/pass/same_stored_shape.rs"]
mod same_stored_shape;
#[path = "locked/pass/wider_inside.rs"]
mod wider_inside;
#[path = "locked/pass/wider_values.rs"]
mod wider_values;

use upstate::Registry;
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

#[test]
fn the_lock_is_what_was_released() {
    let registry = Registry::new()
        .with::<released::Firewall>()
        .with::<released::Gate>()
        .with::<released::Lamp>()
        .with::<released::Page>()
        .with::<released::Peer>()
        .with::<released::Rack>()
        .with::<released::Radio>()
        .with::<released::Shelf>()
        .with::<released::Vault>()
        .with::<released::Window>();
    let mut lock = Lock::default();
    lock.freeze(&Snapshot::of(&registry), "1.0.0".parse().unwrap())
        .unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/upstate.lock");
    if std::env::var_os("UPSTATE_OVERWRITE").is_some() {
        std::fs::write(path, lock.to_string()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), lock.to_string());
}
