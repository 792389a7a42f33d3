//! Objects that a release makes a map of, by a member, and that are upgraded themselves: what the
//! command line says of that member.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use upstate::{Object, Registry, Resource};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

/// State of release 1.0.0.
#[derive(Resource)]
#[resource(type_name = "example_dock")]
struct DockV0 {
    berths: Vec<BerthV0>,
}

#[derive(Object)]
struct BerthV0 {
    depth: Option<String>,
    number: u16,
}

#[derive(Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths: Vec<BerthV0>, by = number))]
struct Dock {
    berths: BTreeMap<String, Berth>,
}

#[derive(Object)]
#[upgrade_from(model = BerthV0, convert(depth, empty = null))]
struct Berth {
    depth: Option<f64>,
}

/// The arguments of the run, one a line: this test runs itself as the program.
const ARGUMENTS: &str = "UPSTATE_TEST_ARGUMENTS";

/// The output of a command, in a folder with the lock of release 1.0.0.
fn printed(arguments: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("rekeyed")
        .join(arguments.first().unwrap());
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut lock = Lock::default();
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<DockV0>()),
        "1.0.0".parse().unwrap(),
    )
    .unwrap();
    fs::write(folder.join("upstate.lock"), lock.to_string()).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "rekeyed::the_program", "--nocapture", "--quiet"])
        .current_dir(&folder)
        .env(ARGUMENTS, [&["program"], arguments].concat().join("\n"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let begin = text.find("<<").unwrap() + 3;
    text.get(begin..text.find(">>").unwrap())
        .unwrap()
        .to_owned()
        + &String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_program() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else {
        return;
    };
    println!("<<");
    let code = upstate_cli::run(Registry::new().with::<Dock>(), arguments.split('\n'));
    println!(">> {code:?}");
}

#[test]
fn explain_does_not_call_the_key_lost() {
    let printed = printed(&["explain", "example_dock"]);
    let (_, upgrader) = printed.split_once("\n0 → 1  operators\n").unwrap();
    assert_eq!(
        upgrader,
        "    rekey(berths, by = number)
    berths: convert(depth, empty = null)
  ~ berths  list of objects → map of objects
  ~ berths.depth  string → number
  - berths.number  number
  up:   lossy: berths (the order of the elements), berths.depth (the spelling of the value), berths.depth (whether null or an empty string was stored)
  back: lossy: berths (another spelling of a key)
"
    );
}

#[test]
fn check_says_which_member_is_the_key_and_finds_nothing_else_about_it() {
    let printed = printed(&["check", "--release", "2.0.0"]);
    assert!(
        printed.contains("the key of each object is its member `number`"),
        "{printed}"
    );
    assert!(!printed.contains("berths.number"), "{printed}");
    assert!(
        printed.contains("2 breaking, 0 potential, 1 safe"),
        "{printed}"
    );
}

#[test]
fn the_guide_says_which_member_is_the_key() {
    let printed = printed(&["guide", "--release", "2.0.0"]);
    assert!(
        printed.contains("1. Write `berths` as a map: `number` of each object is its key.\n"),
        "{printed}"
    );
    assert!(
        !printed.contains("berths.number")
            && !printed.contains("removed")
            && !printed.contains("discarded"),
        "{printed}"
    );
}
