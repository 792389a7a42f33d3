//! What is saved in a lock, as recorded bytes: names and numbers that no renaming in this program
//! may change.

use upstate::upgrade::UpgraderKind;
use upstate::{Object, Registry, Resource, StringEnum};
use upstate_compat::lock::Lock;
use upstate_compat::{ResourceSnapshot, Snapshot};

#[derive(StringEnum)]
enum Size {
    Small,
    Large,
}

#[derive(Object)]
struct Disk {
    name: String,
    gigabytes: Option<u16>,
}

/// With an option of each kind that an operator has.
#[derive(Resource)]
#[resource(type_name = "example_server", version = 1)]
#[upgrade_from(0, model = ServerV0,
    rename(title => name, existing = keep),
    rename(region => zone, existing = replace),
    rename(owner => contact, existing = refuse),
    rename(old => new),
    convert(port, empty = zero),
    convert(weight, empty = null),
    convert(depth, empty = refuse),
    unwrap(disk, many = first, empty = object),
    unwrap(spare),
    reformat(path, "{a}/{b}" => "{b:lower}/{a:upper}"),
    values(size, "s" => "small", "l" => "large"))]
struct Server {
    name: String,
    zone: Option<String>,
    contact: Option<String>,
    new: Option<String>,
    port: i64,
    weight: Option<f64>,
    depth: i64,
    disk: Option<Disk>,
    spare: Option<Disk>,
    path: String,
    size: Size,
}

#[derive(Resource)]
#[resource(type_name = "example_server", version = 0)]
struct ServerV0 {
    title: Option<String>,
    name: String,
    region: Option<String>,
    zone: Option<String>,
    owner: Option<String>,
    contact: Option<String>,
    old: Option<String>,
    port: String,
    weight: Option<String>,
    depth: String,
    disk: Option<Vec<Disk>>,
    spare: Option<Vec<Disk>>,
    path: String,
    size: String,
}

#[test]
fn an_operator_is_saved_by_its_own_name_and_options() {
    let history = Server::DEFINITION.history().unwrap();
    let UpgraderKind::Operators(operators) = history.steps()[0].written_as() else {
        panic!("it has operators")
    };
    let json: serde_json::Value = serde_json::to_value(operators).unwrap();
    let recorded: serde_json::Value =
        serde_json::from_str(include_str!("digests/operators.json")).unwrap();
    assert_eq!(json, recorded, "{json:#}");
}

#[test]
fn the_numbers_in_a_lock_stay() {
    let resource = ResourceSnapshot::of(Server::DEFINITION);
    let digest = resource.upgraders[0].digest.as_deref();
    assert_eq!(
        (resource.upgraders[0].kind.as_deref(), digest),
        (Some("operators"), Some("5d1e53daa7a0fafb"))
    );
    let snapshot = Snapshot::of(&Registry::new().with::<Server>());
    assert_eq!(snapshot.digest().unwrap(), "51d8d6c1612d55e2");
    let mut lock = Lock::default();
    lock.freeze(&snapshot, "1.0.0".parse().unwrap()).unwrap();
    let fingerprints: Vec<String> = lock
        .entries()
        .map(|(_, version, entry)| format!("{version} {}", entry.fingerprint()))
        .collect();
    assert_eq!(fingerprints, ["0 1516ae4afef8567e", "1 6bf4aeb9dbdb12d7"]);
}
