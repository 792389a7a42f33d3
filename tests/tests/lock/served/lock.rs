//! How the lock has it.

use upstate::registry::ServedKind;
use upstate::{Registry, Resource};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

use crate::served::{function, locked, of};

#[derive(Resource)]
#[resource(type_name = "example_depth", stateless)]
struct Depth {
    quay: String,
    #[attribute(computed)]
    metres: Option<f64>,
}

#[derive(Resource)]
#[resource(type_name = "example_depth", stateless)]
struct Deeper {
    quay: String,
    #[attribute(computed)]
    metres: Option<String>,
    tide: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "fits", stateless)]
struct Fits {
    berth: f64,
    ships: Vec<f64>,
}

#[derive(Resource)]
#[resource(type_name = "example_boat", version = 0)]
struct Boat {
    name: String,
}

fn release(number: &str) -> upstate_compat::Release {
    number.parse().unwrap()
}

#[test]
fn what_nothing_stores_has_no_version_there() {
    let mut registry = of::<Depth>(ServedKind::DataSource);
    registry.insert(Boat::DEFINITION.clone());
    for served in function::<Fits, bool>(&["berth", "ships"], true).served() {
        registry.serve(served.clone());
    }
    let lock = locked(&registry);
    let print = |name: &str| lock.get(name, 0).unwrap().fingerprint();
    let expected = format!(
        r#"# Every stored shape that was ever released. Written by `lock`; what was released never changes.
upstate-lock 3
release 1.0.0

[data.example_depth] {} released 1.0.0
@kind = "data"
metres = "number" null {{"computed":true}}
quay = "string" {{"required":true}}

[example_boat 0] {} released 1.0.0
name = "string" {{"required":true}}

[function.fits] {} released 1.0.0
@kind = "function"
@signature = {{"parameters":["berth","ships"],"result":"bool","variadic":true}}
berth = "number" {{"required":true}}
ships = ["list","number"] {{"required":true}}
"#,
        print("data.example_depth"),
        print("example_boat"),
        print("function.fits"),
    );
    assert_eq!(lock.to_string(), expected);
    assert_eq!(Lock::parse(&expected).unwrap(), lock);
    // Its lines are held to the fingerprint, too.
    let edited = Lock::parse(&expected.replace("metres = \"number\"", "metres = \"string\""))
        .unwrap_err()
        .to_string();
    assert!(
        edited.contains("the lines of `[data.example_depth]` give the fingerprint"),
        "{edited}"
    );
}

#[test]
fn the_next_release_replaces_it() {
    let mut lock = locked(&of::<Depth>(ServedKind::DataSource));
    let deeper = Snapshot::of(&of::<Deeper>(ServedKind::DataSource));
    let before = lock.clone();
    assert_eq!(lock.relock(&deeper).unwrap(), []);
    assert_eq!(
        lock, before,
        "without a release, what the last one served stays"
    );
    let changes = lock.freeze(&deeper, release("1.1.0")).unwrap();
    assert_eq!(
        (changes[0].what, changes[0].version, changes.len()),
        ("changed", None, 1)
    );
    let text = lock.to_string();
    assert!(
        text.contains("tide = \"string\" null {\"optional\":true,\"since\":\"1.1.0\"}\n"),
        "{text}"
    );
    assert!(
        text.contains("metres = \"string\" null {\"computed\":true}\n"),
        "{text}"
    );
    assert_eq!(lock.freeze(&deeper, release("1.1.1")).unwrap(), []);

    let changes = lock.freeze(&Snapshot::default(), release("2.0.0")).unwrap();
    assert_eq!(changes[0].what, "removed");
    assert!(lock.baseline().resources.is_empty());
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
    lock.freeze(&deeper, release("2.1.0")).unwrap();
    assert!(lock.baseline().resources.contains_key("data.example_depth"));
}

#[test]
fn a_lock_stays_in_its_format_until_a_release_is_written() {
    let registry = Registry::new().with::<Boat>();
    let text = locked(&registry).to_string();
    for format in ["1", "2"] {
        let earlier = text.replace("upstate-lock 3", &format!("upstate-lock {format}"));
        assert_eq!(
            Lock::parse(&earlier).unwrap().to_string(),
            earlier.replace("upstate-lock 2", "upstate-lock 1")
        );
    }
    let mut lock = Lock::parse(&text.replace("upstate-lock 3", "upstate-lock 1")).unwrap();
    lock.freeze(&Snapshot::of(&registry), release("1.1.0"))
        .unwrap();
    assert!(lock.to_string().contains("\nupstate-lock 3\n"));
    let later = lock.to_string().replace("upstate-lock 3", "upstate-lock 4");
    let refused = Lock::parse(&later).unwrap_err().to_string();
    assert!(
        refused.contains("the format of this lock is 4, and this upstate reads 1, 2 and 3"),
        "{refused}"
    );
}

#[test]
fn a_version_is_where_one_belongs() {
    let text = locked(&of::<Depth>(ServedKind::DataSource)).to_string();
    let refused = Lock::parse(&text.replace("[data.example_depth]", "[data.example_depth 0]"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("`[data.example_depth 0]` has no versions"),
        "{refused}"
    );
    let text = locked(&Registry::new().with::<Boat>()).to_string();
    let refused = Lock::parse(&text.replace("[example_boat 0]", "[example_boat]"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("`[example_boat]` says no version"),
        "{refused}"
    );
}
