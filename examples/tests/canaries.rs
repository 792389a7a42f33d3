//! No secret is shown, whatever the state, the command and the format: values that schemas call sensitive and values that the
//! configuration marks are replaced by canaries, the rest of the file is spoiled, and everything that the program says is searched.
//!
//! It runs for 8 seconds, or as many as `UPSTATE_CANARY_SECONDS` says, with the files of one seed, so that a change is judged
//! by what it does; `.ci/full` takes a new `UPSTATE_CANARY_SEED` each time, and prints it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the test's own helpers may panic too"
)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use upstate::Registry;
use upstate::schema::{Attribute, Block, Shape};
use upstate_state::StateFile;

/// It holds no separator of any template, so that no piece of it is shorter.
const CANARY: &str = "Zq7316canary";
const NUMBER: u64 = 7_316_731_673_167;
/// No more files than these, however fast.
const MOST: usize = 20_000;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// A canary in place of a value, mostly of its kind.
fn canary(value: &Value, random: &mut Random) -> Value {
    match value {
        Value::String(text) => match random.below(6) {
            0 => json!(format!("{CANARY}_{text}")),
            1 => json!(format!("{text}/{CANARY}")),
            2 => json!(text.replace(['a', 'e', 'i'], CANARY)),
            3 => json!(format!("\"{CANARY}\\\n")),
            _ => json!(CANARY),
        },
        Value::Number(_) if !random.one_in(4) => json!(NUMBER),
        Value::Array(elements) if !elements.is_empty() => elements
            .iter()
            .map(|element| canary(element, random))
            .collect(),
        Value::Object(members) if !members.is_empty() => {
            let mut new: serde_json::Map<String, Value> = members
                .iter()
                .map(|(name, member)| (name.clone(), canary(member, random)))
                .collect();
            if random.one_in(4) {
                new.insert(CANARY.to_owned(), json!(1));
            }
            Value::Object(new)
        }
        _ => match random.below(5) {
            0 => json!({CANARY: [CANARY]}),
            1 => json!([CANARY, NUMBER]),
            2 => json!(NUMBER),
            _ => json!(CANARY),
        },
    }
}

/// Replaces what a schema calls sensitive.
fn plant(attributes: &mut Value, all: &[Attribute], blocks: &Block, random: &mut Random) {
    let Value::Object(members) = attributes else {
        return;
    };
    for attribute in all {
        if attribute.is_sensitive() {
            let value = members.get(attribute.name()).cloned().unwrap_or_default();
            members.insert(attribute.name().to_owned(), canary(&value, random));
        } else if let (Shape::Nested(nested), Some(inside)) =
            (attribute.shape(), members.get_mut(attribute.name()))
        {
            each_object(inside, &mut |object| {
                plant(object, nested.attributes(), &Block::new([]), random);
            });
        }
    }
    for block in blocks.blocks() {
        if let Some(inside) = members.get_mut(block.name()) {
            each_object(inside, &mut |object| {
                plant(object, block.block().attributes(), block.block(), random);
            });
        }
    }
}

fn each_object(value: &mut Value, each: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Array(elements) => elements
            .iter_mut()
            .for_each(|element| each_object(element, each)),
        Value::Object(_) => each(value),
        _ => {}
    }
}

/// Marks an attribute, or what is in a list of it, as the configuration does, and puts a canary there.
fn mark(instance: &mut Value, random: &mut Random) {
    let Some(members) = instance["attributes"]
        .as_object_mut()
        .filter(|members| !members.is_empty())
    else {
        return;
    };
    let names: Vec<String> = members.keys().cloned().collect();
    let name = random.of(&names);
    let mut value = &mut members[name];
    let mut path = vec![json!({"type": "get_attr", "value": name})];
    if let Value::Array(elements) = &*value
        && !elements.is_empty()
        && random.one_in(2)
    {
        let index = random.below(elements.len());
        path.push(json!({"type": "index", "value": {"value": index, "type": "number"}}));
        value = &mut value[index];
    }
    *value = canary(&*value, random);
    instance["sensitive_attributes"]
        .as_array_mut()
        .unwrap()
        .push(json!(path));
}

/// Something else in place of an attribute that is not a secret.
fn spoil(instance: &mut Value, random: &mut Random) {
    let marked = instance["sensitive_attributes"].to_string();
    let Some(members) = instance["attributes"]
        .as_object_mut()
        .filter(|members| !members.is_empty())
    else {
        return;
    };
    let names: Vec<String> = members.keys().cloned().collect();
    let name = random.of(&names);
    if marked.contains(&format!("{name:?}"))
        || members[name].to_string().contains("canary")
        || members[name].to_string().contains("7316")
    {
        return;
    }
    let junk = [
        json!(null),
        json!("x"),
        json!([]),
        json!([{}, {}]),
        json!({"a": 1}),
        json!(-1.5),
        json!(true),
        json!(["a", "a"]),
    ];
    members[name] = random.of(&junk).clone();
}

/// A few resources of the committed state, with canaries.
fn file(resources: &[Value], registry: &Registry, random: &mut Random) -> Value {
    let mut chosen = BTreeMap::new();
    for _ in 0..=random.below(4) {
        let at = random.below(resources.len());
        chosen.insert(at, resources[at].clone());
    }
    let mut chosen: Vec<Value> = chosen.into_values().collect();
    for resource in &mut chosen {
        let definition = registry
            .get(resource["type"].as_str().unwrap())
            .filter(|_| resource["mode"] == "managed")
            .cloned();
        for instance in resource["instances"].as_array_mut().unwrap() {
            instance["sensitive_attributes"] = json!([]);
            let version = instance["schema_version"].as_u64().unwrap_or(0);
            if let Some(definition) = &definition {
                let mut schemas = definition.prior_schemas_of(version);
                if version == definition.version() {
                    schemas.push(definition.schema().block());
                }
                for schema in schemas {
                    plant(
                        &mut instance["attributes"],
                        schema.attributes(),
                        schema,
                        random,
                    );
                }
            }
            for _ in 0..random.below(3) {
                mark(instance, random);
            }
            for _ in 0..random.below(3) {
                spoil(instance, random);
            }
        }
    }
    json!({
        "version": 4, "terraform_version": "1.9.0", "serial": 3, "lineage": "l",
        "outputs": {"secret": {"value": CANARY, "type": "string", "sensitive": true}},
        "resources": chosen, "check_results": null,
    })
}

/// Puts, takes and changes a few characters of a file, so that it is not a state file any more.
fn broken(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        if bytes.is_empty() {
            break;
        }
        // Most of what matters is between quotes and brackets.
        let structure: Vec<usize> = bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| b"{}[],:\"".contains(byte))
            .map(|(at, _)| at)
            .collect();
        let at = if random.one_in(4) || structure.is_empty() {
            random.below(bytes.len())
        } else {
            *random.of(&structure)
        };
        match random.below(5) {
            0 => drop(bytes.remove(at)),
            1 => bytes[at] = *random.of(b"{}[],:\"\\\n\xff1t"),
            2 => bytes.insert(at, *random.of(b"{}[],:\"\\\n\xff1t")),
            3 => bytes.truncate(at.max(1)),
            _ => {
                // The value goes on in brackets, as `jq -s` writes it.
                bytes.insert(0, b'[');
                bytes.push(b']');
            }
        }
    }
    bytes
}

/// That structure with values of the wrong kind where the format wants others.
fn misshapen(mut state: Value, random: &mut Random) -> Value {
    let wrapped = |value: &Value, random: &mut Random| {
        if random.one_in(2) {
            json!([value])
        } else {
            json!({"x": value})
        }
    };
    let resource = random.below(state["resources"].as_array().unwrap().len());
    let resource = &mut state["resources"][resource];
    let instance = &mut resource["instances"][0];
    match random.below(8) {
        0 => instance["attributes"] = json!([instance["attributes"].clone()]),
        1 => instance["private"] = json!(CANARY),
        2 => instance["private"] = json!({"x": CANARY}),
        3 => instance["index_key"] = json!({"p": CANARY}),
        4 => {
            // Some are in that form already.
            if let Some(attributes) = instance.as_object_mut().unwrap().remove("attributes") {
                instance["attributes_flat"] = attributes;
            }
        }
        5 => *instance = wrapped(instance, random),
        6 => resource["instances"] = json!({"attributes": {"password": CANARY}}),
        _ => {
            state["outputs"] = json!({"db": [state["outputs"]["secret"].clone()], "t": {"value": CANARY, "type": "number"}});
        }
    }
    state
}

/// What a run said: all of it but the state itself.
struct Said {
    code: i32,
    text: String,
}

fn run(arguments: &[&str], folder: &Path, input: &[u8], state_on_stdout: bool) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_realworld"));
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
    if !state_on_stdout {
        text.push_str(&String::from_utf8_lossy(&output.stdout));
    } else if arguments.contains(&"--ndjson") {
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let line: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            text.push_str(&line["error"].to_string());
        }
    }
    Said {
        code: output.status.code().unwrap_or(-1),
        text,
    }
}

const COMMANDS: [(&[&str], bool); 12] = [
    (&["plan", "t"], false),
    (&["plan", "t", "--full", "--all"], false),
    (&["plan", "t", "--format", "json"], false),
    (&["plan", "-", "--partial", "--format", "json"], false),
    (&["upgrade", "t", "-o", "new"], false),
    (&["upgrade", "t", "-o", "new", "--format", "json"], false),
    (&["upgrade", "t", "--partial", "--format", "json"], false),
    (&["upgrade", "t", "--normalize", "--partial"], false),
    (&["upgrade", "-"], true),
    (&["upgrade", "-", "--partial", "--format", "json"], true),
    (&["inspect", "t"], false),
    (&["inspect", "t", "--format", "json"], false),
];

/// What was met, so that it is known that it was worth it.
#[derive(Debug, Default)]
struct Met {
    files: usize,
    runs: usize,
    hidden: usize,
    failed: usize,
    unreadable: usize,
}

fn check(said: &Said, about: &str) {
    let text = said.text.to_lowercase();
    let shown = text.contains("7316canary") || text.contains("73167316");
    assert!(
        !shown && (0..=3).contains(&said.code),
        "{about}, exit code {}:\n{}",
        said.code,
        said.text
    );
}

#[test]
fn no_canary_is_ever_seen() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let seed = number("UPSTATE_CANARY_SEED").unwrap_or(1);
    let time = Duration::from_secs(number("UPSTATE_CANARY_SECONDS").unwrap_or(8));
    println!("UPSTATE_CANARY_SEED={seed}");
    let state =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("state/terraform.tfstate"))
            .unwrap();
    let state: Value = serde_json::from_slice(&state).unwrap();
    let resources = state["resources"].as_array().unwrap();
    let registry = upstate_examples::registry();
    let (met, next) = (Mutex::new(Met::default()), Mutex::new(0));
    let begun = Instant::now();
    let work = || {
        let folder = tempfile::tempdir().unwrap();
        let mut mine = Met::default();
        loop {
            let index = {
                let mut next = next.lock().unwrap();
                *next += 1;
                *next
            };
            if index > MOST || begun.elapsed() > time {
                break;
            }
            let mut random = Random(
                seed.wrapping_add(index as u64)
                    .wrapping_mul(0x2545_F491_4F6C_DD1D),
            );
            let mut state = file(resources, &registry, &mut random);
            let lines = lines(&state);
            if random.one_in(3) {
                state = misshapen(state, &mut random);
            }
            let text = if random.one_in(2) {
                state.to_string()
            } else {
                serde_json::to_string_pretty(&state).unwrap()
            };
            let text = if random.one_in(3) {
                broken(&text, &mut random)
            } else {
                text.into_bytes()
            };
            // What was broken and can be read all the same may have its secrets where none is.
            let readable = StateFile::parse(&text).is_ok();
            mine.files += 1;
            let about = format!("UPSTATE_CANARY_SEED={seed}, file {index}");
            for _ in 0..3 {
                let (arguments, state_on_stdout) = random.of(&COMMANDS);
                std::fs::write(folder.path().join("t"), &text).unwrap();
                let said = run(arguments, folder.path(), &text, *state_on_stdout);
                let is_whole =
                    serde_json::from_slice::<Value>(&text).is_ok_and(|text| text == state);
                if !readable || is_whole {
                    check(
                        &said,
                        &format!("{about}, {arguments:?}\n{}", String::from_utf8_lossy(&text)),
                    );
                }
                mine.runs += 1;
                mine.hidden += usize::from(
                    said.text.contains("(sensitive value)")
                        || said.text.contains("_sensitive\": true"),
                );
                mine.failed += usize::from(said.code == 1);
                mine.unreadable += usize::from(said.code == 3);
            }
            let said = run(
                &["upgrade", "--ndjson"],
                folder.path(),
                lines.as_bytes(),
                true,
            );
            check(&said, &format!("{about}, lines\n{lines}"));
        }
        let mut met = met.lock().unwrap();
        met.files += mine.files;
        met.runs += mine.runs;
        met.hidden += mine.hidden;
        met.failed += mine.failed;
        met.unreadable += mine.unreadable;
    };
    let threads = std::thread::available_parallelism()
        .map_or(1, std::num::NonZeroUsize::get)
        .min(8);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let met = met.into_inner().unwrap();
    println!("{met:?}");
    assert!(
        met.hidden > 0 && met.failed > 0 && met.unreadable > 0,
        "{met:?}"
    );
}

/// The instances one a line. Lines have no marks, so only what schemas call sensitive is a secret there.
fn lines(state: &Value) -> String {
    let mut lines = String::new();
    for resource in state["resources"].as_array().unwrap() {
        for instance in resource["instances"].as_array().unwrap() {
            if instance["sensitive_attributes"] == json!([]) && instance["attributes"].is_object() {
                let line = json!({
                    "type_name": resource["type"], "schema_version": instance["schema_version"], "attributes": instance["attributes"],
                });
                lines.push_str(&line.to_string());
                lines.push('\n');
            }
        }
    }
    lines
}
