//! The lock of the package that is being compiled: what was released of each version of each type.
//!
//! Only headers are understood here, and of the lines below them the stored form; the runtime reads the rest.

mod number;

use std::collections::HashMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::key;

/// The name of the file.
const FILE_NAME: &str = "upstate.lock";
/// The formats that are understood. The second has entries without versions, too: of what a provider serves and nothing stores.
const FORMATS: [&str; 2] = ["1", "2"];
const TWICE: &str =
    "this version is here twice; if two branches gave it different shapes, give the later one a version of its own";
const BEGINNING: &str = "a lock begins with `upstate-lock 1`; restore it from the repository";

/// What the lock says about one version of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) fingerprint: u64,
    /// The number for the values that fields take, where they do not take all of their type.
    pub(crate) values: u64,
    /// Of other shapes that were stored under the version.
    pub(crate) alternatives: Vec<u64>,
    /// A line for each attribute and block: path and stored form, and after a tabulator the values that are taken, if not all.
    pub(crate) lines: String,
    /// The paths that were sensitive.
    pub(crate) sensitive: Vec<String>,
    /// How many lines there are.
    count: u64,
}

impl Entry {
    /// The number of its lines; 0 if one of them has none.
    pub(crate) fn number(&self) -> u64 {
        number::of(&self.lines, &self.sensitive).unwrap_or_default()
    }
}

/// A lock that has been read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lock {
    /// In the order of the file, each with the versions that it is for.
    entries: HashMap<String, Vec<(RangeInclusive<u64>, Entry)>>,
}

/// A lock, or why it cannot be read.
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) lock: Result<Lock, String>,
    /// Whether the compiler has been asked to watch the file.
    watched: AtomicBool,
}

impl Found {
    /// Whether the compiler still has to be asked to watch the file: once for each compilation is enough, and it reads the file each time.
    pub(crate) fn is_to_be_watched(&self) -> bool {
        !self.watched.swap(true, Ordering::Relaxed)
    }
}

impl Lock {
    /// What was released of one version of a type.
    pub(crate) fn get(&self, type_name: &str, version: u64) -> Option<&Entry> {
        self.entries.get(type_name)?.iter().find(|(versions, _)| versions.contains(&version)).map(|(_, entry)| entry)
    }

    /// What was released of versions that share one shape, each with the versions that it is for.
    pub(crate) fn overlapping(
        &self,
        type_name: &str,
        versions: RangeInclusive<u64>,
    ) -> impl Iterator<Item = &(RangeInclusive<u64>, Entry)> {
        let overlaps = move |other: &RangeInclusive<u64>| other.start() <= versions.end() && versions.start() <= other.end();
        self.entries.get(type_name).into_iter().flatten().filter(move |(other, _)| overlaps(other))
    }

    /// Whether a later version of the type was released.
    pub(crate) fn has_later(&self, type_name: &str, version: u64) -> bool {
        self.entries.get(type_name).is_some_and(|entries| entries.iter().any(|(versions, _)| *versions.end() > version))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut lock = Self::default();
        let mut open: Option<&mut Entry> = None;
        let mut has_format = false;
        // Some editors put a mark before the first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(format) = line.strip_prefix("upstate-lock ") {
                if !FORMATS.contains(&format) {
                    return Err(format!(
                        "its format is {format}, and this upstate reads {}: update upstate",
                        FORMATS.join(" and ")
                    ));
                }
                has_format = true;
            } else if line.starts_with("<<<<<<<") || line.starts_with("=======") || line.starts_with(">>>>>>>") {
                return Err(format!("line {}: a merge was not finished there: keep the lines of both sides", index + 1));
            } else if !has_format {
                return Err(format!("line {}: {BEGINNING}", index + 1));
            } else if is_without_version(line) {
                open = None;
            } else if line.starts_with('[') {
                let refused = || format!("line {}: expected `[type version] fingerprint released …`", index + 1);
                let (type_name, versions, entry, released) = header(line).ok_or_else(refused)?;
                // What was not released may change as it likes.
                open = if released {
                    let entries = lock.entries.entry(type_name).or_default();
                    if entries.iter().any(|(others, _)| others.start() <= versions.end() && versions.start() <= others.end()) {
                        return Err(format!("line {}: {TWICE}", index + 1));
                    }
                    entries.push((versions, entry));
                    entries.last_mut().map(|(_, entry)| entry)
                } else {
                    None
                };
            } else if let (Some(entry), Some((path, rest))) = (&mut open, line.split_once(" = ")) {
                if path == "@alternatives" {
                    entry.alternatives = rest.split('"').filter_map(|text| u64::from_str_radix(text, 16).ok()).collect();
                }
                if path.starts_with('@') {
                    continue;
                }
                let (stored, facts) = rest.split_once(" {").unwrap_or((rest, ""));
                if facts.contains("\"sensitive\":true") {
                    entry.sensitive.push(path.to_owned());
                }
                entry.lines.push_str(path);
                entry.lines.push_str(" = ");
                entry.lines.push_str(stored);
                if let Some(values) = values(facts) {
                    entry.lines.push('\t');
                    entry.lines.push_str(values);
                    entry.values = mixed(entry.values, number(values) ^ entry.count);
                }
                entry.lines.push('\n');
                entry.count += 1;
            }
        }
        // What a failed write or merge has emptied remembers nothing, and would let everything pass.
        if has_format { Ok(lock) } else { Err(format!("it is empty: {BEGINNING}")) }
    }
}

/// Whether a line begins an entry such as `[data.example_thing] …`.
fn is_without_version(line: &str) -> bool {
    line.strip_prefix('[').and_then(|line| line.split_once("] ")).is_some_and(|(key, _)| !key.contains(' '))
}

fn header(line: &str) -> Option<(String, RangeInclusive<u64>, Entry, bool)> {
    let (key, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let (type_name, version) = key.rsplit_once(' ')?;
    let (first, last) = version.split_once("..=").unwrap_or((version, version));
    let (fingerprint, standing) = rest.split_once(' ')?;
    let fingerprint = u64::from_str_radix(fingerprint, 16).ok()?;
    let released = match standing.split(' ').next()? {
        "released" => true,
        "unreleased" => false,
        _ => return None,
    };
    Some((
        type_name.to_owned(),
        first.parse().ok()?..=last.parse().ok()?,
        Entry { fingerprint, values: 0, alternatives: Vec::new(), lines: String::new(), sensitive: Vec::new(), count: 0 },
        released,
    ))
}

/// Which stored values a field takes, of what a line says of it: the name of an integer type, or a JSON array of strings.
fn values(facts: &str) -> Option<&str> {
    if let Some((_, name)) = facts.split_once("\"stored integer\":\"") {
        return name.split_once('"').map(|(name, _)| name);
    }
    let (_, rest) = facts.split_once("\"stored values\":")?;
    let mut in_text = false;
    let mut escaped = false;
    let end = rest.bytes().position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_text = !in_text,
            _ => {}
        }
        byte == b']' && !in_text
    })?;
    rest.get(..=end)
}

/// The number of such values. The runtime makes the same of the field's type.
fn number(values: &str) -> u64 {
    if let Some(texts) = values.strip_prefix('[') {
        // A string with an escape gives another number than the runtime's; then lines are compared.
        return key::of_texts(texts.split('"').skip(1).step_by(2));
    }
    let (sign, bits) = values.split_at_checked(1).unwrap_or_default();
    let signed = sign == "i";
    let bits = bits.parse::<u32>().unwrap_or_default().saturating_sub(u32::from(signed));
    let most = 1_u128.checked_shl(bits).unwrap_or_default().wrapping_sub(1);
    u64::try_from(most).unwrap_or_default() << 1 | u64::from(signed)
}

/// One step of the runtime's hash.
fn mixed(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// The folders in which the package's lock may lie: its own, and those above it up to the workspace's root.
fn folders(package: &Path) -> Vec<PathBuf> {
    let mut folders = vec![package.to_owned()];
    for above in package.ancestors() {
        if above != package {
            folders.push(above.to_owned());
        }
        let manifest = fs::read_to_string(above.join("Cargo.toml")).unwrap_or_default();
        if manifest.lines().any(|line| line.starts_with("[workspace]") || line.starts_with("[workspace.")) {
            return folders;
        }
    }
    // No workspace: what lies above is somebody else's.
    folders.truncate(1);
    folders
}

/// When a file was written, and how long it is.
type Stamp = (SystemTime, u64);

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len()))
}

/// One process compiles one package, or is an editor's that compiles many again and again.
struct Cache {
    package: PathBuf,
    folders: Vec<PathBuf>,
    read: Option<(Stamp, Arc<Found>)>,
}

static CACHE: Mutex<Option<Cache>> = Mutex::new(None);

/// The lock of the package that is being compiled, if there is one.
pub(crate) fn find() -> Option<Arc<Found>> {
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let cache = match &mut *cache {
        Some(cache) if cache.package == package => cache,
        stale => stale.insert(Cache { folders: folders(&package), package, read: None }),
    };
    let (path, stamp) = cache.folders.iter().map(|folder| folder.join(FILE_NAME)).find_map(|path| {
        let stamp = stamp(&path)?;
        Some((path, stamp))
    })?;
    if let Some((read, found)) = &cache.read
        && *read == stamp
        && found.path == path
    {
        return Some(Arc::clone(found));
    }
    let lock = fs::read_to_string(&path).map_err(|error| unreadable(&error)).and_then(|text| Lock::parse(&text));
    let found = Arc::new(Found { path, lock, watched: AtomicBool::new(false) });
    cache.read = Some((stamp, Arc::clone(&found)));
    Some(found)
}

/// The Rust type of an attribute that a release stored, at the root of a version of a type; nothing if it has no short form.
pub(crate) fn released_type(type_name: &str, version: u64, name: &str) -> Option<String> {
    let stored = released(type_name, version, name)?;
    let (stored, values) = stored.split_once('\t').unwrap_or((&stored, ""));
    let (stored, may_be_null) = stored.strip_suffix(" null").map_or((stored, false), |stored| (stored, true));
    let is_integer = stored == "\"number\"" && values.starts_with(['i', 'u']);
    let ty = if is_integer { values.to_owned() } else { in_rust(stored)? };
    Some(if may_be_null { format!("Option<{ty}>") } else { ty })
}

/// A type in Terraform's notation, without objects and tuples.
fn in_rust(notation: &str) -> Option<String> {
    Some(match notation {
        "\"bool\"" => "bool".to_owned(),
        "\"string\"" => "String".to_owned(),
        "\"number\"" => "upstate::Number".to_owned(),
        "\"dynamic\"" => "upstate::Dynamic".to_owned(),
        _ => {
            let (word, element) = notation.strip_prefix("[\"")?.strip_suffix(']')?.split_once("\",")?;
            let element = in_rust(element)?;
            match word {
                "list" => format!("Vec<{element}>"),
                "set" => format!("std::collections::BTreeSet<{element}>"),
                "map" => format!("std::collections::BTreeMap<String, {element}>"),
                _ => return None,
            }
        }
    })
}

fn unreadable(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::InvalidData => "it is not UTF-8; restore it from the repository".to_owned(),
        _ => error.to_string(),
    }
}

/// Whether a release stored an attribute or block of this name, at the root of a version of a type.
pub(crate) fn has_released(type_name: &str, version: u64, name: &str) -> bool {
    released(type_name, version, name).is_some()
}

/// What the lock says about an attribute or block at the root of a version of a type.
fn released(type_name: &str, version: u64, name: &str) -> Option<String> {
    let found = find()?;
    let entry = found.lock.as_ref().ok()?.get(type_name, version)?;
    entry.lines.lines().filter_map(|line| line.split_once(" = ")).find(|(path, _)| *path == name).map(|(_, form)| form.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A comment.\nupstate-lock 1\nrelease 1.0.0\n\n[example_thing 0] 00000000000000ff released 1.0.0\n@alternatives = [\"0a\"]\n\
        id = \"string\" {\"computed\":true}\nobject = [\"object\",{\"a\":\"string\"}] null\n\n[example_thing 1] 0000000000000001 unreleased\n";

    #[test]
    fn released_entries_are_read_with_their_stored_forms_only() {
        let lock = Lock::parse(TEXT).unwrap();
        let lines = "id = \"string\"\nobject = [\"object\",{\"a\":\"string\"}] null\n".to_owned();
        let entry = Entry { fingerprint: 255, values: 0, alternatives: vec![10], lines, sensitive: Vec::new(), count: 2 };
        assert_eq!(lock.get("example_thing", 0), Some(&entry));
        assert_eq!(lock.get("example_thing", 1), None);
        assert!(!lock.has_later("example_thing", 0));
    }

    #[test]
    fn values_that_are_taken_are_read_with_the_lines() {
        let text = r#"upstate-lock 1

[example_thing 0] 00000000000000ff released 1.0.0
mode = "string" {"required":true,"validators":{"stored values":["a]","b"]}}
name = "string" {"required":true}
port = "number" null {"optional":true,"validators":{"stored integer":"u16"}}
"#;
        let lock = Lock::parse(text).unwrap();
        let entry = lock.get("example_thing", 0).unwrap();
        assert_eq!(entry.lines, "mode = \"string\"\t[\"a]\",\"b\"]\nname = \"string\"\nport = \"number\" null\tu16\n");
        assert_eq!(entry.values, mixed(mixed(0, key::of_texts(["b", "a]"])), (65_535 << 1) ^ 2));
        assert_eq!(number("u64"), u64::MAX << 1);
        assert_eq!(number("i64"), u64::MAX);
        assert_eq!(number("i8"), 255);
    }

    #[test]
    fn an_entry_may_be_for_a_range_of_versions() {
        let lock = Lock::parse("upstate-lock 1\n[a 0] 01 released\n[a 1..=499] 02 released\nid = \"string\"\n").unwrap();
        let fingerprint = |version| lock.get("a", version).map(|entry| entry.fingerprint);
        assert_eq!([0, 1, 499, 500].map(fingerprint), [Some(1), Some(2), Some(2), None]);
        assert!(lock.has_later("a", 498) && !lock.has_later("a", 499));
        assert!(Lock::parse("upstate-lock 1\n[a 1..=x] 02 released\n").is_err());
    }

    #[test]
    fn what_nothing_stores_is_left_aside() {
        let text = "upstate-lock 2\n[a 0] 01 released\nid = \"string\"\n[data.a] 02 released 1.0.0\nsize = \"number\"\n[provider] 03 released\n";
        let lock = Lock::parse(text).unwrap();
        assert_eq!(lock.entries.len(), 1);
        assert_eq!(lock.get("a", 0).unwrap().lines, "id = \"string\"\n");
    }

    #[test]
    fn types_are_written_as_in_rust() {
        for (notation, ty) in [
            (r#""string""#, Some("String")),
            (r#"["map",["list","number"]]"#, Some("std::collections::BTreeMap<String, Vec<upstate::Number>>")),
            (r#"["set","bool"]"#, Some("std::collections::BTreeSet<bool>")),
            (r#"["tuple",["string"]]"#, None),
            (r#"["object",{"a":"string"}]"#, None),
            ("nested single", None),
            ("block list", None),
        ] {
            assert_eq!(in_rust(notation).as_deref(), ty, "{notation}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        assert!(Lock::parse("upstate-lock 3\n").unwrap_err().contains("its format is 3, and this upstate reads 1 and 2"));
        assert!(Lock::parse("upstate-lock 1\n[a 0]\n").unwrap_err().contains("line 2: expected"));
        assert!(Lock::parse("upstate-lock 1\n<<<<<<< HEAD\n").unwrap_err().contains("line 2: a merge"));
        assert!(Lock::parse("\u{feff}upstate-lock 1\n").is_ok());
        let twice = "upstate-lock 1\n[a 3] 01 released\n[a 2..=3] 02 released\n";
        assert!(Lock::parse(twice).unwrap_err().starts_with("line 3: this version is here twice"));
        // A lock without its beginning remembers nothing, and may not pass for one.
        for text in ["", "# A comment.\n\n"] {
            assert!(Lock::parse(text).unwrap_err().starts_with("it is empty: a lock begins with"), "{text:?}");
        }
        for text in ["[example_thing 0] 00 released\n", "{}"] {
            assert!(Lock::parse(text).unwrap_err().starts_with("line 1: a lock begins with"), "{text:?}");
        }
    }
}
