//! What a downgrade makes of states, and what it refuses.

// What the structs hold is read by their upgrades alone.
#![allow(dead_code)]

mod identities;
mod shapes;

use std::collections::BTreeMap;

use upstate::upgrade::DowngradeRequest;
use upstate::{Object, Registry, Resource, UpgradeRequest};

/// The older state, the losses and the first line of each diagnostic.
#[track_caller]
fn down<T: upstate::CurrentModel>(to: u64, state: &str) -> String {
    let registry = Registry::new().with::<T>();
    let request = DowngradeRequest::json(T::TYPE_NAME, T::VERSION, to, state.as_bytes());
    let response = registry.downgrade(&request.allow_loss(true));
    let mut said: Vec<String> = response
        .losses()
        .iter()
        .map(|loss| format!("lost {loss}"))
        .collect();
    match response.state() {
        Some(state) => said.insert(0, String::from_utf8_lossy(state).into_owned()),
        None => {
            said.extend(
                response
                    .diagnostics()
                    .iter()
                    .map(|error| error.detail().lines().next().unwrap_or_default().to_owned()),
            );
        }
    }
    let strict = registry.downgrade(&request);
    assert_eq!(
        strict.state(),
        response.state().filter(|_| response.losses().is_empty()),
        "a loss is refused unless it is allowed"
    );
    said.join("\n")
}

#[derive(Resource)]
#[resource(type_name = "example_server", version = 3)]
#[upgrade_from(2 => 3, rename(title => name), set(retries = 3), convert(port: Option<String>, empty = null))]
#[upgrade_from(1 => 2, values(mode, "on" => "enabled", "off" => "disabled"), null_if(zone: String, ""))]
#[upgrade_from(0 => 1, drop(legacy: String, "the API no longer has it", back = "none"), drop(note: Option<String>, "nobody read it"))]
struct Server {
    name: String,
    retries: i64,
    port: Option<u16>,
    mode: String,
    zone: Option<String>,
}

#[test]
fn scalars_go_back_through_a_chain() {
    let now = r#"{"name":"a","retries":3,"port":80,"mode":"enabled","zone":null}"#;
    assert_eq!(
        down::<Server>(2, now),
        r#"{"mode":"enabled","port":"80","title":"a","zone":null}"#
    );
    assert_eq!(
        down::<Server>(1, now),
        r#"{"mode":"on","port":"80","title":"a","zone":""}"#
    );
    assert_eq!(
        down::<Server>(0, now),
        r#"{"legacy":"none","mode":"on","note":null,"port":"80","title":"a","zone":""}"#
    );
    assert_eq!(
        down::<Server>(3, now),
        r#"{"mode":"enabled","name":"a","port":80,"retries":3,"zone":null}"#
    );
}

#[test]
fn what_the_older_version_cannot_hold_is_named() {
    let now = r#"{"name":"a","retries":5,"port":null,"mode":"enabled","zone":""}"#;
    assert_eq!(
        down::<Server>(1, now),
        "{\"mode\":\"on\",\"port\":null,\"title\":\"a\",\"zone\":\"\"}\nlost retries: 5\nlost zone: \"\""
    );
    let now = r#"{"name":"a","retries":3,"port":null,"mode":"auto","zone":null}"#;
    assert_eq!(
        down::<Server>(1, now),
        "\"auto\" is not one of the values that have a predecessor (\"enabled\", \"disabled\") (at mode)."
    );
    let undefined =
        r#"{"name":"a","retries":3,"port":null,"mode":"enabled","zone":null,"other":1}"#;
    assert!(down::<Server>(2, undefined).ends_with("lost other: (not defined)"));
}

#[test]
fn a_request_that_cannot_be_met_says_why() {
    let registry = Registry::new().with::<Server>();
    let detail = |version, to| {
        let response = registry.downgrade(&DowngradeRequest::json(
            "example_server",
            version,
            to,
            b"{}",
        ));
        assert!(response.state().is_none());
        response
            .diagnostics()
            .iter()
            .map(|error| error.detail().lines().next().unwrap_or_default().to_owned())
            .collect::<String>()
    };
    assert_eq!(
        detail(2, 1),
        "The state was stored at schema version 2; a downgrade begins with state of the current version, which is 3. Upgrade it first."
    );
    assert_eq!(
        detail(7, 1),
        "A later release stored the state, at schema version 7; this release knows versions up to 3. Downgrade it with the release that stored \
         it, or a later one."
    );
    assert_eq!(
        detail(3, 4),
        "Version 4 is later than the current version 3."
    );
    assert!(
        detail(3, 1).starts_with("The stored state does not fit schema version 3"),
        "{}",
        detail(3, 1)
    );
}

#[derive(Resource)]
#[resource(type_name = "example_mast", version = 3, oldest = 2)]
#[upgrade_from(2 => 3, rename(height => length))]
struct Mast {
    length: i64,
}

#[test]
fn a_version_without_an_upgrade_is_refused_with_those_that_have_one() {
    let said = down::<Mast>(1, r#"{"length":7}"#);
    assert!(
        said.ends_with(
            " of version 1 has no upgrade to version 3, so there is none to undo; there are upgraders from version 2. Restore a copy from \
             before the upgrade, if nothing has changed since then."
        ),
        "{said}"
    );
}

#[derive(Resource)]
#[resource(type_name = "example_site", version = 1)]
#[upgrade_from(0 => 1, unnest(settings => zone), drop(settings.legacy: String, "unused", back = "none"))]
struct Site {
    zone: String,
}

#[derive(Resource)]
#[resource(type_name = "example_hall", version = 1)]
#[upgrade_from(0, model = HallV0,
    unnest(place => zone), drop(place.size, "unused", back = 7),
    drop(limits.cpu, "there are none", back = 1), drop(limits.memory, "there are none"))]
struct Hall {
    zone: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_hall", version = 0)]
struct HallV0 {
    place: Option<PlaceOfHall>,
    limits: Limits,
}

#[derive(Object)]
struct PlaceOfHall {
    zone: Option<String>,
    size: i64,
}

#[derive(Object)]
struct Limits {
    cpu: i64,
    memory: Option<i64>,
}

#[test]
fn a_dropped_member_of_an_object_gets_its_value_back() {
    assert_eq!(
        down::<Site>(0, r#"{"zone":"z"}"#),
        r#"{"settings":{"legacy":"none","zone":"z"}}"#
    );
    assert_eq!(
        down::<Hall>(0, r#"{"zone":"z"}"#),
        r#"{"limits":{"cpu":1,"memory":null},"place":{"size":7,"zone":"z"}}"#
    );
    // No object appears where there need not be one.
    assert_eq!(
        down::<Hall>(0, r#"{"zone":null}"#),
        r#"{"limits":{"cpu":1,"memory":null},"place":null}"#
    );
}

#[derive(Object)]
struct Rule {
    number: u16,
    note: Option<String>,
}

#[derive(Object)]
struct Pool {
    region: String,
    ids: Vec<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_wall", version = 1)]
#[upgrade_from(0 => 1,
    rename(rules.port => rules.number),
    unwrap(last: Vec<Rule>),
    rekey(pools, key = region, value = ids),
    split(path: String, "{project}/{name}"),
    convert(size: String, with = parse, back = print))]
struct Wall {
    rules: Vec<Rule>,
    last: Option<Rule>,
    pools: BTreeMap<String, Vec<String>>,
    project: String,
    name: String,
    size: u64,
}

fn parse(text: String) -> Result<u64, String> {
    text.trim_end_matches(" GB")
        .parse()
        .map_err(|_| "it is not a size".to_owned())
}

fn print(size: u64) -> Result<String, std::convert::Infallible> {
    Ok(format!("{size} GB"))
}

#[test]
fn collections_and_nested_objects_go_back() {
    let now = r#"{"rules":[{"number":80,"note":null},{"number":81,"note":"x"}],"last":{"number":1,"note":null},
        "pools":{"eu":["a"],"us":["b","c"]},"project":"p","name":"n","size":7}"#;
    assert_eq!(
        down::<Wall>(0, now),
        r#"{"last":[{"note":null,"number":1}],"path":"p/n","pools":[{"ids":["a"],"region":"eu"},{"ids":["b","c"],"region":"us"}],"rules":[{"note":null,"port":80},{"note":"x","port":81}],"size":"7 GB"}"#
    );
    let now = r#"{"rules":[],"last":null,"pools":{},"project":"p","name":"a/b","size":7}"#;
    assert_eq!(
        down::<Wall>(0, now),
        "Version 0 cannot hold this state: what would be stored there cannot be upgraded again. \"p/a/b\" does not have the form \
         \"{project}/{name}\" (at path)."
    );
}

#[derive(Resource)]
#[resource(type_name = "example_vault", version = 1)]
#[upgrade_from(0 => 1, set(pin = "0000"), drop(#[attribute(sensitive)] old_pin: Option<String>, "it was never used"))]
struct Vault {
    id: String,
    #[attribute(sensitive)]
    pin: String,
}

#[test]
fn a_sensitive_value_is_named_and_not_shown() {
    let now = r#"{"id":"a","pin":"4711"}"#;
    assert_eq!(
        down::<Vault>(0, now),
        "{\"id\":\"a\",\"old_pin\":null}\nlost pin: (sensitive)"
    );
    let response = Registry::new()
        .with::<Vault>()
        .downgrade(&DowngradeRequest::json(
            "example_vault",
            1,
            0,
            now.as_bytes(),
        ));
    let said = format!("{response:?} {}", response.diagnostics());
    assert!(
        said.contains("the value, which is sensitive (at pin)") && !said.contains("4711"),
        "{said}"
    );
}

#[derive(Object)]
struct Place {
    zone: Option<String>,
    rack: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1)]
#[upgrade_from(0, model = DiskV0,
    nest(zone, rack => place),
    only_if(is(kind, "old"), set(label = "none")), drop(label, "old disks had none"),
    drop(old_key, "the service makes its own"))]
struct Disk {
    place: Option<Place>,
    kind: String,
    label: Option<String>,
    tags: Option<BTreeMap<String, String>>,
    #[attribute(sensitive)]
    secret: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 0)]
struct DiskV0 {
    zone: Option<String>,
    rack: Option<String>,
    kind: String,
    label: Option<String>,
    tags: Option<BTreeMap<String, String>>,
    #[attribute(sensitive)]
    secret: Option<String>,
    old_key: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_note", version = 2)]
#[upgrade_from(1, model = NoteV1, downgrade = plain_note)]
struct Note {
    title: String,
    words: u64,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_note", version = 1)]
#[upgrade_from(0 => 1, rename(name => title))]
struct NoteV1 {
    title: String,
    #[attribute(sensitive)]
    pin: Option<String>,
}

impl From<NoteV1> for Note {
    fn from(prior: NoteV1) -> Self {
        Self {
            words: prior.title.split_whitespace().count() as u64,
            title: prior.title,
        }
    }
}

fn plain_note(note: Note) -> Result<NoteV1, String> {
    match note.title.as_str() {
        "" => Err("a note without a title cannot go back".to_owned()),
        "panic" => panic!("the title is {:?}", note.title),
        _ => Ok(NoteV1 {
            title: note.title,
            pin: None,
        }),
    }
}

#[test]
fn functions_go_back_by_the_function_that_downgrade_names() {
    assert_eq!(
        down::<Note>(1, r#"{"title":"two words","words":2}"#),
        r#"{"pin":null,"title":"two words"}"#
    );
    assert_eq!(
        down::<Note>(0, r#"{"title":"two words","words":2}"#),
        r#"{"name":"two words","pin":null}"#
    );
    assert_eq!(
        down::<Note>(0, r#"{"title":"two words","words":9}"#),
        "{\"name\":\"two words\",\"pin\":null}\nlost words: 9"
    );
    assert_eq!(
        down::<Note>(0, r#"{"title":"","words":0}"#),
        "a note without a title cannot go back"
    );
    assert!(
        down::<Note>(0, r#"{"title":"panic","words":1}"#).contains("panicked"),
        "{}",
        down::<Note>(0, r#"{"title":"panic","words":1}"#)
    );
}

#[test]
fn what_the_older_version_needs_is_asked_for() {
    let now =
        r#"{"place":{"zone":"a","rack":null},"kind":"new","label":"x","tags":null,"secret":"s"}"#;
    assert_eq!(
        down::<Disk>(0, now),
        "`old_key` of version 0 always has a value, and nothing tells which. The upgrade drops it. Restore a copy from before the \
         upgrade, if nothing has changed since then. For the authors: `drop(…, back = value)` says what a downgrade puts there."
    );
}

#[test]
fn verdicts_say_what_is_not_kept() {
    let said = |history: &'static upstate::upgrade::History| {
        let mut lines = Vec::new();
        let mut histories = vec![history];
        while let Some(history) = histories.pop() {
            for step in history.steps() {
                let verdicts = history.verdicts(step);
                lines.push(format!(
                    "{} => {} up {}",
                    step.from(),
                    history.version(),
                    verdicts.up
                ));
                lines.push(format!(
                    "{} => {} down {}",
                    step.from(),
                    history.version(),
                    verdicts.down
                ));
                histories.extend(step.prior());
            }
        }
        lines.join("\n")
    };
    assert_eq!(
        said(Server::HISTORY),
        "2 => 3 up lossy: port (the spelling of the value), port (whether null or an empty string was stored)\n\
         2 => 3 down lossy: retries (any value but the constant)\n\
         1 => 2 up lossless; refuses mode (a value that is not in the table)\n\
         1 => 2 down lossy: zone (the value \"\", which becomes null)\n\
         0 => 1 up lossy: legacy (the value is dropped), note (the value is dropped)\n\
         0 => 1 down lossless"
    );
    assert_eq!(
        said(Wall::HISTORY),
        "0 => 1 up lossy: pools (the order of the elements), size (what the author's function does not keep)\n\
         0 => 1 down lossy: project (a part that holds what separates the parts), name (a part that holds what separates the parts), \
         size (what the author's functions do not keep)"
    );
    assert_eq!(
        said(Disk::HISTORY),
        "0 => 1 up lossy: place.zone (whether an object without values was there), place.rack (whether an object without values was \
         there), label (on which states the condition held), label (the value is dropped), old_key (the value is dropped)\n\
         0 => 1 down impossible: old_key (the older version needs a value, and it was dropped without `back`)"
    );
    assert_eq!(
        said(Note::HISTORY),
        "1 => 2 up lossy: what the author's function does not keep\n1 => 2 down lossy: what the author's functions do not keep\n\
         0 => 1 up lossless\n0 => 1 down lossless"
    );
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_address", version = 1)]
#[upgrade_from(0 => 1,
    split(address: String, "{host}:{port|443}/{path..|}"),
    convert(port, empty = refuse),
    reformat(id, "{project|main}/{name}:{_|}" => "projects/{project}/things/{name}"))]
struct Address {
    id: String,
    host: String,
    port: u16,
    path: String,
}

#[test]
fn a_part_that_may_be_missing_goes_back_without_its_default() {
    let up = |id: &str, address: &str| {
        let registry = Registry::new().with::<Address>();
        let state = format!(r#"{{"id":{id:?},"address":{address:?}}}"#);
        let response = registry.upgrade(&UpgradeRequest::json(
            "example_address",
            0,
            state.as_bytes(),
        ));
        response
            .into_result()
            .map(|state| String::from_utf8(state).unwrap())
            .map_err(|errors| errors.to_string())
    };
    let current = |id: &str, host: &str, port: u16, path: &str| {
        format!(r#"{{"host":{host:?},"id":"projects/{id}","path":{path:?},"port":{port}}}"#)
    };
    for (id, address, after, prior) in [
        (
            "p/n:x",
            "a:80/b/c",
            current("p/things/n", "a", 80, "b/c"),
            r#"{"address":"a:80/b/c","id":"p/n"}"#,
        ),
        (
            "n",
            "a",
            current("main/things/n", "a", 443, ""),
            r#"{"address":"a","id":"n"}"#,
        ),
        (
            "n:x",
            "a:443/",
            current("main/things/n", "a", 443, ""),
            r#"{"address":"a","id":"n"}"#,
        ),
    ] {
        assert_eq!(up(id, address).as_ref(), Ok(&after));
        assert_eq!(down::<Address>(0, &after), prior, "{after}");
    }
    assert!(
        up("n", "a:1:2")
            .unwrap_err()
            .contains(r#""a:1:2" does not have the form "{host}:{port|443}/{path..|}""#)
    );
    let history = Address::HISTORY;
    let verdicts = history.verdicts(&history.steps()[0]);
    assert_eq!(
        verdicts.up.to_string(),
        "lossy: port (the spelling of the value), id (the form that the string had), address (whether a part had its default or was missing)"
    );
    let whole = history.whole_upgrader(&history.steps()[0]).unwrap();
    assert!(
        whole
            .to_string()
            .contains(r#"split(address, "{host}:{port|443}/{path..|}"): port => port"#),
        "{whole}"
    );
    let json = serde_json::to_string(&whole).unwrap();
    assert!(
        json.contains(r#"{"before":":","default":"443","part":"port"}"#),
        "{json}"
    );
}
