//! The lock of the package that is being compiled: what was released of each version of each type.
//!
//! This keeps the stored forms of an entry; the runtime reads the rest of its lines.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use upstate_words::lock::{
    BEGINNING, FILE_NAME, Form, Header, KNOWS_FORMS, Line, Lines, Nesting, Notation, Status,
    Stored, fingerprint, inside, integers, is_atomic, leaves_out_zero, limit, step, unfolded,
};
use upstate_words::{Hash, key, workspace};

/// The position of the keys of a map.
const KEYS: &str = "[key]";

const TWICE: &str =
    "is here twice; if two branches gave it different shapes, give the later one another version";

/// The entry of one version of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The line of its header, from 1.
    line: usize,
    /// The type name and versions between the brackets there.
    key: String,
    pub(crate) fingerprint: u64,
    values: Hash,
    /// True if a field without a form took any string or number.
    pub(crate) knows_forms: bool,
    /// The fingerprints of other shapes that were stored under the version.
    pub(crate) alternatives: Vec<u64>,
    /// A line for each attribute and block: path and stored form, and after a tabulator the values
    /// that are taken, if not all.
    lines: String,
    /// The paths that were sensitive.
    pub(crate) sensitive: Vec<String>,
    /// The number of lines.
    count: u64,
    /// The flattened enums and maps: the path of the object that holds each, its stored form, and
    /// the values that it takes, if not all.
    pub(crate) flattened: Vec<[String; 3]>,
    /// The fingerprint of these. Locks that are older have none, so that nothing is known of them.
    pub(crate) flattened_fingerprint: Option<String>,
    /// The other names that fields and variants were read by, each with the path of what it reads.
    pub(crate) aliases: Vec<[String; 2]>,
    /// The variants that were stored without their names though others of their enum had a tag,
    /// each with the path of the enum.
    pub(crate) untagged: Vec<[String; 2]>,
    /// The values that were taken inside of others, each with its path.
    pub(crate) inside: Vec<[String; 2]>,
}

impl Entry {
    /// The number for the values that fields take, where they do not take all of their type.
    pub(crate) fn values(&self) -> u64 {
        self.values.bits()
    }

    /// Its lines, with a line for each member of what was stored as an object type: a model has
    /// nested attributes there, which are stored in the same form.
    pub(crate) fn lines(&self) -> Cow<'_, str> {
        unfolded(&self.lines)
    }

    /// True if releases of a provider that was imported stored other shapes under the version.
    pub(crate) fn has_imported_alternatives(&self) -> bool {
        !self.alternatives.is_empty() && self.lines.contains(" null?")
    }

    /// The keys of maps, by their paths, of which no fact says that only some strings are keys. An
    /// entry that does not know the forms knows nothing of keys, either.
    pub(crate) fn any_keys(&self) -> Vec<[String; 2]> {
        if !self.knows_forms {
            return Vec::new();
        }
        let mut paths = Vec::new();
        for line in self.lines.lines() {
            if let Some((path, stored)) = line.split_once(" = ") {
                keys_of_line(path, stored, &mut paths);
            }
        }
        for [path, stored, _] in &self.flattened {
            keys_of_line(&fingerprint::flattened(path), stored, &mut paths);
        }
        // Several flattened enums may have a map at one path, so that each fact is for one of them.
        let mut known: Vec<&str> = self.inside.iter().map(|[path, _]| path.as_str()).collect();
        paths.retain(|path| match known.iter().position(|known| known == path) {
            Some(at) => {
                known.swap_remove(at);
                false
            }
            None => true,
        });
        paths
            .into_iter()
            .map(|path| [path, String::new()])
            .collect()
    }

    /// The number of its lines; 0 if one of them has none. The error is the sentence about an edit,
    /// if they are not those that its fingerprint was made of.
    ///
    /// Only the entries that a model reads are hashed: a lock may have thousands.
    pub(crate) fn number(&self) -> Result<u64, String> {
        let found = fingerprint::with_number(&self.lines, &self.sensitive);
        let number = match found {
            Ok((found, number)) if found == self.fingerprint => number.unwrap_or_default(),
            found => return Err(self.damage(found.map(|(found, _)| found))),
        };
        if let Some(damage) = self.damage_of_flattened() {
            return Err(damage);
        }
        Ok(if self.has_more() { 0 } else { number })
    }

    /// True if it says more than its lines, so that their number would not tell all.
    pub(crate) fn has_more(&self) -> bool {
        let more = [&self.aliases, &self.untagged, &self.inside];
        more.iter().any(|more| !more.is_empty()) || !self.flattened.is_empty()
    }

    /// The sentence about lines of another fingerprint.
    fn damage(&self, found: Result<u64, String>) -> String {
        let Self {
            line,
            key,
            fingerprint,
            ..
        } = self;
        if let Some(path) = fingerprint::twice(&self.lines) {
            return format!(
                "line {line}: `[{key}]` has `{path}` twice: restore it from the repository"
            );
        }
        match found {
            Ok(found) => format!(
                "line {line}: the lines of `[{key}]` give the fingerprint {found:016x}, not {fingerprint:016x}: they were edited; put them \
                 back, or let `lock` rewrite the entry if it was never released"
            ),
            Err(problem) => {
                format!(
                    "line {line}: `[{key}]` has {problem}; it was edited or cut off: restore it from the repository"
                )
            }
        }
    }

    fn damage_of_flattened(&self) -> Option<String> {
        let Self {
            line,
            key,
            flattened,
            flattened_fingerprint,
            ..
        } = self;
        let parts = flattened
            .iter()
            .map(|[path, stored, _]| (path.as_str(), stored.as_str()));
        match (fingerprint::of_flattened(parts), flattened_fingerprint) {
            (Ok(found), Some(fingerprint)) if found == *fingerprint => None,
            (Ok(_), None) if flattened.is_empty() => None,
            (Ok(_), Some(_) | None) => Some(format!(
                "line {line}: the lines of flattened enums and maps of `[{key}]` were edited: restore it from the repository"
            )),
            (Err(problem), Some(_) | None) => Some(format!(
                "line {line}: `[{key}]` has {problem}; it was edited or cut off: restore it from the repository"
            )),
        }
    }
}

/// The versions that entries are for, by the first of each: the last one, and the entry.
type Versions = BTreeMap<u64, (u64, Entry)>;

/// A lock that has been read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lock {
    entries: HashMap<String, Versions>,
}

/// A lock, or why it cannot be read.
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// That path as the package sees it, with `/`.
    pub(crate) shown: String,
    /// The number of the text: the program says later which lock it was compared with.
    pub(crate) digest: u64,
    pub(crate) lock: Result<Lock, String>,
    /// True if the compiler has been asked to watch the file.
    watched: AtomicBool,
}

impl Found {
    /// True if the compiler still has to be asked to watch the file: once for each compilation is
    /// enough, and it reads the file each time.
    pub(crate) fn is_to_be_watched(&self) -> bool {
        !self.watched.swap(true, Ordering::Relaxed)
    }
}

impl Lock {
    /// The released entry of one version of a type.
    pub(crate) fn get(&self, type_name: &str, version: u64) -> Option<&Entry> {
        let (_, (last, entry)) = self.entries.get(type_name)?.range(..=version).next_back()?;
        (version <= *last).then_some(entry)
    }

    /// The released entries of versions that share one shape, each with the versions that it is
    /// for.
    pub(crate) fn overlapping(
        &self,
        type_name: &str,
        versions: RangeInclusive<u64>,
    ) -> impl Iterator<Item = (RangeInclusive<u64>, &Entry)> {
        let (first, end) = versions.into_inner();
        let all = self
            .entries
            .get(type_name)
            .into_iter()
            .flat_map(move |versions| versions.range(..=end));
        all.filter(move |(_, (last, _))| first <= *last)
            .map(|(first, (last, entry))| (*first..=*last, entry))
    }

    /// True if a later version of the type was released.
    pub(crate) fn has_later(&self, type_name: &str, version: u64) -> bool {
        let last = self
            .entries
            .get(type_name)
            .and_then(|versions| versions.values().next_back());
        last.is_some_and(|(last, _)| *last > version)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut lock = Self::default();
        // The entry that lines belong to, if models are held to it.
        let mut open: Option<&mut Entry> = None;
        let mut lines = Lines::of(text);
        for (number, line) in lines.by_ref() {
            let refused = |problem: String| format!("line {number}: {problem}");
            match line.map_err(|problem| refused(problem.to_string()))? {
                Line::Release(release) => {
                    if !release
                        .strip_prefix('v')
                        .unwrap_or(release)
                        .starts_with(|first: char| first.is_ascii_digit())
                    {
                        let found = shortened(&format!("release {release}"));
                        return Err(refused(format!(
                            "expected `release 1.4.0`, found `{found}`"
                        )));
                    }
                }
                // An entry that was not released may change, and one that nothing stores has no
                // version.
                Line::Header(
                    Header {
                        has_version: false, ..
                    }
                    | Header {
                        status: Status::Unreleased,
                        ..
                    },
                ) => open = None,
                Line::Header(Header {
                    key,
                    type_name,
                    versions,
                    fingerprint,
                    ..
                }) => {
                    let (first, last) = versions.into_inner();
                    let versions = lock.entries.entry(type_name.to_owned()).or_default();
                    if versions
                        .range(..=last)
                        .next_back()
                        .is_some_and(|(_, (other, _))| first <= *other)
                    {
                        return Err(refused(format!("`[{key}]` {TWICE}")));
                    }
                    let entry = Entry {
                        line: number,
                        key: key.to_owned(),
                        fingerprint,
                        values: Hash::zero(),
                        knows_forms: true,
                        alternatives: Vec::new(),
                        lines: String::new(),
                        sensitive: Vec::new(),
                        count: 0,
                        flattened: Vec::new(),
                        flattened_fingerprint: None,
                        aliases: Vec::new(),
                        untagged: Vec::new(),
                        inside: Vec::new(),
                    };
                    let (_, entry) = versions.entry(first).or_insert((last, entry));
                    open = Some(entry);
                }
                Line::Fact(name, json) => {
                    if let Some(entry) = &mut open {
                        entry.fact(name, json);
                    }
                }
                Line::Member {
                    path,
                    stored,
                    facts,
                } => {
                    if let Some(entry) = &mut open {
                        entry.line(path, stored, facts);
                    }
                }
                Line::Flattened {
                    path,
                    stored,
                    facts,
                } => {
                    if let Some(entry) = &mut open {
                        let values = values(facts).unwrap_or_default();
                        entry.take_inside(&fingerprint::flattened(path), facts);
                        entry
                            .flattened
                            .push([path, stored, values].map(str::to_owned));
                    }
                }
            }
        }
        // A file that a failed write or merge has emptied remembers nothing, and would let
        // everything pass.
        let Some(format) = lines.format() else {
            return Err(format!("it is empty: {BEGINNING}"));
        };
        if format < KNOWS_FORMS {
            lock.entries
                .values_mut()
                .flat_map(Versions::values_mut)
                .for_each(|(_, entry)| entry.knows_forms = false);
        }
        Ok(lock)
    }
}

impl Entry {
    fn fact(&mut self, name: &str, json: &str) {
        match name {
            "alternatives" => {
                self.alternatives = json
                    .split('"')
                    .filter_map(|text| u64::from_str_radix(text, 16).ok())
                    .collect();
            }
            "forms" => self.knows_forms = json != "false",
            "aliases" => self.aliases = names(json),
            "untagged" => self.untagged = names(json),
            "flattened" => self.flattened_fingerprint = Some(json.trim_matches('"').to_owned()),
            _ => {}
        }
    }

    fn line(&mut self, path: &str, stored: &str, facts: &str) {
        if facts.contains("\"sensitive\":true") {
            self.sensitive.push(path.to_owned());
        }
        self.lines.push_str(path);
        self.lines.push_str(" = ");
        self.lines.push_str(stored);
        // One search comes first, because most lines say nothing of values.
        let has_values = facts.contains("\"stored ");
        if has_values && let Some(values) = values(facts) {
            self.lines.push('\t');
            self.lines.push_str(values);
            self.values = self.values.word(limit(values) ^ self.count);
        }
        self.lines.push('\n');
        self.count += 1;
        if has_values {
            self.take_inside(path, facts);
        }
    }

    /// The stored form of an attribute or block at its root.
    pub(crate) fn stored(&self, name: &str) -> Option<&str> {
        self.lines
            .lines()
            .filter_map(|line| line.split_once(" = "))
            .find(|(path, _)| *path == name)
            .map(|(_, form)| form)
    }

    /// True if nested objects had a member of this name.
    fn stores_inside(&self, name: &str) -> bool {
        self.lines
            .lines()
            .filter_map(|line| line.split_once(" = "))
            .filter_map(|(path, _)| path.rsplit_once('.'))
            .any(|(_, last)| last == name)
    }

    /// The positions inside of an attribute at which null was stored.
    fn null_inside(&self, name: &str) -> Vec<&str> {
        self.inside
            .iter()
            .filter_map(|[path, _]| path.strip_prefix(name)?.strip_suffix('?'))
            .collect()
    }

    fn take_inside(&mut self, path: &str, facts: &str) {
        let found = values_inside(facts).into_iter();
        self.inside
            .extend(found.map(|(position, took)| [inside(path, &position), took.to_owned()]));
    }
}

/// Adds the paths of the keys of all maps in what a line stores.
fn keys_of_line(path: &str, stored: &str, found: &mut Vec<String>) {
    let (stored, _) = stored.split_once('\t').unwrap_or((stored, ""));
    // A line that cannot be read is reported with the fingerprint.
    match Stored::read(stored).map(|stored| stored.form) {
        Ok(Form::Nested(Nesting::Map)) => found.push(inside(path, KEYS)),
        Ok(Form::Type(ty)) => keys_in(&ty, path, found),
        Ok(Form::Nested(_) | Form::Block(_)) | Err(_) => {}
    }
}

/// Adds the paths of the keys of all maps in values of a type.
fn keys_in(ty: &Notation<'_>, at: &str, found: &mut Vec<String>) {
    match ty {
        Notation::Map(element) => {
            found.push(inside(at, KEYS));
            keys_in(element, &inside(at, "[*]"), found);
        }
        Notation::List(element) | Notation::Set(element) => {
            keys_in(element, &inside(at, "[*]"), found);
        }
        Notation::Tuple(elements) => {
            for (index, element) in elements.iter().enumerate() {
                keys_in(element, &inside(at, &format!("[{index}]")), found);
            }
        }
        Notation::Object(members, _) | Notation::Union(_, members) => {
            for (name, held) in members {
                keys_in(held, &step(at, name), found);
            }
        }
        Notation::Bool
        | Notation::String
        | Notation::Number
        | Notation::Int64
        | Notation::Float64
        | Notation::Dynamic
        | Notation::Json => {}
    }
}

/// The paths and names of `{"path":["name"]}`.
fn names(json: &str) -> Vec<[String; 2]> {
    let (mut found, mut path) = (Vec::new(), None);
    let mut rest = json;
    while let Some((string, after)) = first_string(rest) {
        if after.starts_with(':') {
            path = unescaped(string);
        } else if let (Some(path), Some(name)) = (&path, unescaped(string)) {
            found.push([path.clone(), name]);
        }
        rest = after;
    }
    found
}

/// The first string in a JSON text, without its quotation marks, and what follows it.
fn first_string(json: &str) -> Option<(&str, &str)> {
    let (_, inside) = json.split_once('"')?;
    let mut escaped = false;
    let end = inside.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    let (string, after) = inside.split_at_checked(end)?;
    Some((string, after.strip_prefix('"')?))
}

/// A string of JSON; nothing if it has control characters, which no name is worth that is compared.
fn unescaped(json: &str) -> Option<String> {
    let mut text = String::new();
    let mut letters = json.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => letters
                .next()
                .filter(|letter| matches!(letter, '"' | '\\'))?,
            letter => letter,
        });
    }
    Some(text)
}

/// As much of a line as a message quotes.
fn shortened(line: &str) -> String {
    line.chars().take(40).collect()
}

/// The stored values that a field takes, from the facts of its line: the name of an integer type or
/// of a form, or a JSON array of strings.
fn values(facts: &str) -> Option<&str> {
    let named = |fact: &str| {
        facts
            .split_once(fact)?
            .1
            .split_once('"')
            .map(|(name, _)| name)
    };
    if let Some(name) = named("\"stored integer\":\"").or_else(|| named("\"stored form\":\"")) {
        return Some(name);
    }
    let (_, rest) = facts.split_once("\"stored values\":")?;
    array(rest)
}

/// The positions and values of `"stored inside":{"[key]":"u8","[*][0]":["a"]}`, strings without
/// their quotation marks.
fn values_inside(facts: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let Some((_, mut rest)) = facts.split_once("\"stored inside\":{") else {
        return found;
    };
    while let Some((position, after)) = first_string(rest) {
        let Some(after) = after.strip_prefix(':') else {
            break;
        };
        let value = if after.starts_with('[') {
            array(after)
        } else {
            first_string(after).map(|(string, _)| string)
        };
        let Some(value) = value else { break };
        found.extend(unescaped(position).map(|position| (position, value)));
        let quotes = if after.starts_with('[') { 0 } else { 2 };
        match after
            .get(value.len() + quotes..)
            .and_then(|next| next.strip_prefix(','))
        {
            Some(next) => rest = next,
            None => break,
        }
    }
    found
}

/// The array of strings that a JSON text begins with.
fn array(rest: &str) -> Option<&str> {
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

/// When a file was written, and how long it is.
type Stamp = (SystemTime, u64);

/// The text of a lock. A pipe would be waited for, and a link to nowhere would pass for no lock at
/// all.
fn text(path: &Path) -> Result<String, String> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "it is a link to a file that is not there".to_owned(),
        _ => error.to_string(),
    })?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    fs::read_to_string(path).map_err(|error| unreadable(&error))
}

/// The stamp of what has this name; nothing if nothing has.
fn stamp(path: &Path) -> Option<Stamp> {
    let link = fs::symlink_metadata(path).ok()?;
    let metadata = fs::metadata(path).unwrap_or(link);
    Some((
        metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        metadata.len(),
    ))
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
        stale => stale.insert(Cache {
            folders: workspace::folders(&package),
            package,
            read: None,
        }),
    };
    let (path, stamp) = cache
        .folders
        .iter()
        .map(|folder| folder.join(FILE_NAME))
        .find_map(|path| {
            let stamp = stamp(&path)?;
            Some((path, stamp))
        })?;
    if let Some((read, found)) = &cache.read
        && *read == stamp
        && found.path == path
    {
        return Some(Arc::clone(found));
    }
    let text = text(&path);
    let digest = text.as_deref().map(key).unwrap_or_default();
    let shown = relative(&cache.package, &path);
    let lock = text.and_then(|text| Lock::parse(&text));
    let found = Arc::new(Found {
        path,
        shown,
        digest,
        lock,
        watched: AtomicBool::new(false),
    });
    cache.read = Some((stamp, Arc::clone(&found)));
    Some(found)
}

/// `path` from `folder`, with `/`: a path that is the same on every machine that compiles the
/// package.
fn relative(folder: &Path, path: &Path) -> String {
    let shared = folder
        .components()
        .zip(path.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = folder
        .components()
        .skip(shared)
        .map(|_| Component::ParentDir);
    let steps = up
        .chain(path.components().skip(shared))
        .map(|step| step.as_os_str().to_string_lossy());
    steps.collect::<Vec<_>>().join("/")
}

/// The Rust type of an attribute that a release stored, at the root of a version of a type; nothing
/// if it has no short form.
pub(crate) fn released_type(type_name: &str, version: u64, name: &str) -> Option<String> {
    let found = find()?;
    let entry = found.lock.as_ref().ok()?.get(type_name, version)?;
    rust_type(entry.stored(name)?, &entry.null_inside(name))
}

/// True if a released version of the type stored an attribute of this name.
pub(crate) fn was_stored(type_name: &str, version: u64, name: &str) -> bool {
    let Some(found) = find() else { return false };
    let Ok(lock) = &found.lock else { return false };
    lock.get(type_name, version)
        .is_some_and(|entry| entry.stored(name).is_some())
}

/// True if nested objects of a released version of the type had a member of this name.
pub(crate) fn was_stored_inside(type_name: &str, version: u64, name: &str) -> bool {
    let Some(found) = find() else { return false };
    let Ok(lock) = &found.lock else { return false };
    lock.get(type_name, version)
        .is_some_and(|entry| entry.stores_inside(name))
}

/// The Rust type of what a line says of an attribute that had null at these positions inside of it;
/// nothing if it has no short form.
pub(crate) fn rust_type(stored: &str, null: &[&str]) -> Option<String> {
    let (stored, values) = stored.split_once('\t').unwrap_or((stored, ""));
    let (stored, may_be_null) = stored
        .strip_suffix(" null")
        .map_or((stored, false), |stored| (stored, true));
    let ty = in_rust((stored, values), "", null)?;
    Some(if may_be_null {
        format!("Option<{ty}>")
    } else {
        ty
    })
}

/// The type at a position, in Terraform's notation, without objects and tuples, by the values that
/// its scalars took.
fn in_rust((notation, values): (&str, &str), at: &str, null: &[&str]) -> Option<String> {
    let integer = values.as_bytes();
    Some(match notation {
        "\"bool\"" => "bool".to_owned(),
        "\"string\"" => "String".to_owned(),
        "\"number\"" if integers(integer).is_none() => "upstate::Number".to_owned(),
        "\"number\"" if leaves_out_zero(integer) => format!("std::num::{values}"),
        "\"number\"" if is_atomic(integer) => format!("std::sync::atomic::{values}"),
        "\"number\"" => values.to_owned(),
        "\"dynamic\"" => "upstate::Dynamic".to_owned(),
        _ => {
            let (word, element) = notation
                .strip_prefix("[\"")?
                .strip_suffix(']')?
                .split_once("\",")?;
            let at = format!("{at}[*]");
            let element = in_rust((element, values), &at, null)?;
            let element = if null.contains(&at.as_str()) {
                format!("Option<{element}>")
            } else {
                element
            };
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
        std::io::ErrorKind::InvalidData => {
            "it is not UTF-8; restore it from the repository".to_owned()
        }
        _ => error.to_string(),
    }
}

/// True if a release stored an attribute or block of this name, at the root of a version of a type.
pub(crate) fn has_released(type_name: &str, version: u64, name: &str) -> bool {
    let has = |lock: &Lock| {
        lock.get(type_name, version)
            .is_some_and(|entry| entry.stored(name).is_some())
    };
    find().is_some_and(|found| found.lock.as_ref().is_ok_and(has))
}

#[cfg(test)]
mod tests {
    use upstate_words::hash::key_of_set;

    use super::*;

    const TEXT: &str = "# A comment.\nupstate-lock 1\nrelease 1.0.0\n\n[example_thing 0] 00000000000000ff released 1.0.0\n@alternatives = [\"0a\"]\n\
        id = \"string\" {\"computed\":true}\nobject = [\"object\",{\"a\":\"string\"}] null\n\n[example_thing 1] 0000000000000001 unreleased\n";

    /// A lock with these entries.
    fn lock(entries: &str) -> Result<Lock, String> {
        Lock::parse(&format!("upstate-lock 1\n{entries}"))
    }

    #[test]
    fn the_other_names_of_each_path_are_read() {
        let found = names(r#"{"a":["b","c \"d\\"],"e.\"$f\"":["g\n","é"]}"#);
        assert_eq!(
            found,
            [["a", "b"], ["a", r#"c "d\"#], ["e.\"$f\"", "é"]].map(|pair| pair.map(str::to_owned))
        );
        assert!(
            names("{}").is_empty() && names("{\"a").is_empty() && names(r#"{"a":["b\"#).is_empty()
        );
    }

    #[test]
    fn members_of_nested_objects_are_found_by_their_names() {
        let lines = "zip = \"string\"\nwhere = nested list\nwhere.at = nested single\nwhere.at.zip_code = \"string\"\n";
        let lock = lock(&format!("[a 0] 00000000000000ff released\n{lines}")).unwrap();
        let entry = lock.get("a", 0).unwrap();
        let found =
            ["zip", "where", "at", "zip_code", "code"].map(|name| entry.stores_inside(name));
        assert_eq!(found, [false, false, true, true, false]);
    }

    #[test]
    fn the_variants_without_a_tag_are_read_in_their_order() {
        let fact = r#"@untagged = {"*":["Toned","Named"],"looks":["Own"]}"#;
        let lock = lock(&format!("[a 0] 00000000000000ff released\n{fact}\n")).unwrap();
        let entry = lock.get("a", 0).unwrap();
        let expected =
            [["*", "Toned"], ["*", "Named"], ["looks", "Own"]].map(|pair| pair.map(str::to_owned));
        assert_eq!(entry.untagged, expected);
        assert!(entry.has_more());
    }

    #[test]
    fn released_entries_are_read_with_their_stored_forms_only() {
        let lock = Lock::parse(TEXT).unwrap();
        let lines = "id = \"string\"\nobject = [\"object\",{\"a\":\"string\"}] null\n".to_owned();
        let entry = Entry {
            line: 5,
            key: "example_thing 0".to_owned(),
            fingerprint: 255,
            values: Hash::zero(),
            knows_forms: false,
            alternatives: vec![10],
            lines,
            sensitive: Vec::new(),
            count: 2,
            flattened: Vec::new(),
            flattened_fingerprint: None,
            aliases: Vec::new(),
            untagged: Vec::new(),
            inside: Vec::new(),
        };
        assert_eq!(lock.get("example_thing", 0), Some(&entry));
        assert_eq!(lock.get("example_thing", 1), None);
        assert!(!lock.has_later("example_thing", 0));
        assert_eq!(
            entry.lines(),
            "id = \"string\"\nobject = nested single null\nobject.a = \"string\" null?\n"
        );
    }

    #[test]
    fn lines_that_do_not_give_the_fingerprint_were_edited() {
        let text =
            |fingerprint: &str, lines: &str| format!("[a 0] {fingerprint} released\n{lines}");
        let damage = |fingerprint: &str, lines: &str| {
            lock(&text(fingerprint, lines))
                .unwrap()
                .get("a", 0)
                .unwrap()
                .number()
                .err()
        };
        let (whole, lines) = (
            "a8f7d79859b8ddad",
            "id = \"string\" {\"required\":true}\nword = \"string\" null write_only\n",
        );
        assert_eq!(damage(whole, lines), None);
        let edited = lines.replace("id = \"string\"", "id = \"number\"");
        let problem = damage(whole, &edited).unwrap();
        assert!(
            problem.starts_with("line 2: the lines of `[a 0]` give the fingerprint "),
            "{problem}"
        );
        assert!(
            problem.contains(", not a8f7d79859b8ddad: they were edited; put them back"),
            "{problem}"
        );
        assert!(damage(whole, "").is_some() && damage(whole, &format!("{lines}{lines}")).is_some());
        let twice = damage(whole, &format!("id = \"string\"\n{lines}")).unwrap();
        assert!(twice.contains("`[a 0]` has `id` twice"), "{twice}");
        let cut = damage(whole, "id = [\"list\"\n").unwrap();
        assert!(
            cut.contains("`[a 0]` has `id`, whose stored form cannot be read"),
            "{cut}"
        );
    }

    #[test]
    fn lines_of_flattened_enums_and_maps_have_a_fingerprint_of_their_own() {
        let map = "* = [\"map\",\"json\"] {\"optional\":true}\n";
        let entry = |lines: &str| {
            let text = format!("[a 0] 8d5a6f5d54a6c27c released\n{lines}");
            lock(&text).unwrap().get("a", 0).unwrap().clone()
        };
        let parts = [("", "[\"map\",\"json\"]")];
        let fact = format!(
            "@flattened = \"{}\"\n",
            fingerprint::of_flattened(parts).unwrap()
        );
        let whole = entry(&format!("{fact}{map}"));
        assert_eq!(
            (whole.damage_of_flattened(), whole.has_more()),
            (None, true)
        );
        assert_eq!(
            whole.flattened,
            [["", "[\"map\",\"json\"]", ""].map(str::to_owned)]
        );
        assert_eq!(entry("@flattened = \"none\"\n").damage_of_flattened(), None);
        // A lock from before these lines.
        assert_eq!(entry("").damage_of_flattened(), None);
        for edited in [
            fact.as_str(),
            map,
            "@flattened = \"none\"\n* = \"json\"\n",
            "* = thing\n",
        ] {
            assert!(entry(edited).damage_of_flattened().is_some(), "{edited}");
        }
    }

    #[test]
    fn values_that_are_taken_are_read_with_the_lines() {
        let text = r#"[example_thing 0] 00000000000000ff released 1.0.0
mode = "string" {"required":true,"validators":{"stored values":["a]","b"]}}
name = "string" {"required":true}
port = "number" null {"optional":true,"validators":{"stored integer":"u16"}}
"#;
        let lock = lock(text).unwrap();
        let entry = lock.get("example_thing", 0).unwrap();
        assert_eq!(
            entry.lines,
            "mode = \"string\"\t[\"a]\",\"b\"]\nname = \"string\"\nport = \"number\" null\tu16\n"
        );
        let expected = Hash::zero()
            .word(key_of_set(["b", "a]"]))
            .word((65_535 << 1) ^ 2);
        assert_eq!(entry.values(), expected.bits());
    }

    #[test]
    fn values_inside_of_others_are_read_by_their_paths() {
        let text = r#"[a 0] 8d5a6f5d54a6c27c released
@flattened = "none"
* = ["union","external",[["Dim",["object",{"level":"number"}]]]] {"validators":{"stored inside":{"Dim.level":"u8"}}}
labels = ["map",["tuple",["string","number"]]] {"description":"\"stored inside\":{","validators":{"stored inside":{"[*][0]":["a]","b"],"[*][1]":"u8","[*].\"a\\sb\"?":"null","[key]":"u16"},"stored integer":"u8"}}
"#;
        let lock = lock(text).unwrap();
        let entry = lock.get("a", 0).unwrap();
        let expected = [
            ["*.Dim.level", "u8"],
            ["labels[*][0]", r#"["a]","b"]"#],
            ["labels[*][1]", "u8"],
            [r#"labels[*]."a\sb"?"#, "null"],
            ["labels[key]", "u16"],
        ];
        assert_eq!(entry.inside, expected.map(|pair| pair.map(str::to_owned)));
        assert!(entry.has_more());
        assert!(
            values_inside("{\"stored inside\":{\"a").is_empty()
                && values_inside("{\"stored inside\":{\"a\":[\"b").is_empty()
        );
    }

    #[test]
    fn keys_without_a_fact_are_any_strings() {
        let entry = |forms: &str| {
            let text = format!(
                r#"upstate-lock 3
[a 0] 8d5a6f5d54a6c27c released
{forms}* = ["map","json"] {{"optional":true}}
* = ["union","external",[["Dim",["map","string"]],["Lit",["map","bool"]]]] {{"validators":{{"stored inside":{{"Dim[key]":"u8"}}}}}}
* = ["union","external",[["Dim",["map","string"]]]]
boxes = nested map null
boxes.sizes = ["list",["map",["tuple",[["map","number"]]]]] {{"validators":{{"stored inside":{{"[*][key]":["a","b"]}},"stored integer":"u8"}}}}
ids = ["map","string"] {{"validators":{{"stored inside":{{"[key]":"uuid"}}}}}}
name = "string"
rule = block map
"#
            );
            Lock::parse(&text).unwrap().get("a", 0).unwrap().clone()
        };
        let expected = [
            "boxes[key]",
            "boxes.sizes[*][*][0][key]",
            "*[key]",
            "*.Lit[key]",
            "*.Dim[key]",
        ]
        .map(|path| [path.to_owned(), String::new()]);
        assert_eq!(entry("").any_keys(), expected);
        assert!(entry("@forms = false\n").any_keys().is_empty());
    }

    #[test]
    fn an_entry_may_be_for_a_range_of_versions() {
        let entries = "[a 1..=499] 0000000000000002 released\nid = \"string\"\n[a 0] 0000000000000001 released\n";
        let lock = lock(entries).unwrap();
        let fingerprint = |version| lock.get("a", version).map(|entry| entry.fingerprint);
        assert_eq!(
            [0, 1, 499, 500].map(fingerprint),
            [Some(1), Some(2), Some(2), None]
        );
        assert!(lock.has_later("a", 498) && !lock.has_later("a", 499));
        let overlapping = |versions| {
            lock.overlapping("a", versions)
                .map(|(versions, _)| versions)
                .collect::<Vec<_>>()
        };
        assert_eq!(overlapping(0..=3), [0..=0, 1..=499]);
        assert_eq!(
            (overlapping(3..=700), overlapping(500..=501)),
            (vec![1..=499], vec![])
        );
    }

    #[test]
    fn many_versions_of_one_type_are_read_in_one_pass() {
        use std::fmt::Write as _;
        let mut entries = String::new();
        for version in (0..40_000).rev() {
            let _ = writeln!(entries, "[a {version}] 0000000000000001 released");
        }
        let begun = std::time::Instant::now();
        assert!(lock(&entries).unwrap().has_later("a", 39_998));
        assert!(
            begun.elapsed() < std::time::Duration::from_secs(5),
            "{:?}",
            begun.elapsed()
        );
    }

    #[test]
    fn a_path_is_shown_from_the_package() {
        let shown = |path: &str| relative(Path::new("/a/b/c"), Path::new(path));
        assert_eq!(
            ["/a/b/c/x", "/a/x", "/a/d/x"].map(shown),
            ["x", "../../x", "../../d/x"]
        );
    }

    #[test]
    fn what_nothing_stores_is_left_aside() {
        let text = "upstate-lock 2\n[a 0] 0000000000000001 released\nid = \"string\"\n[data.a] 0000000000000002 released 1.0.0\nsize = \"number\"\n[provider] 0000000000000003 released\n";
        let lock = Lock::parse(text).unwrap();
        assert_eq!(lock.entries.len(), 1);
        assert_eq!(lock.get("a", 0).unwrap().lines, "id = \"string\"\n");
    }

    #[test]
    fn types_are_written_as_in_rust() {
        for (notation, ty) in [
            (r#""string""#, Some("String")),
            (
                r#"["map",["list","number"]]"#,
                Some("std::collections::BTreeMap<String, Vec<upstate::Number>>"),
            ),
            (
                r#"["set","bool"]"#,
                Some("std::collections::BTreeSet<bool>"),
            ),
            (r#"["tuple",["string"]]"#, None),
            (r#"["object",{"a":"string"}]"#, None),
            ("nested single", None),
            ("block list", None),
        ] {
            let found = in_rust((notation, ""), "", &[]);
            assert_eq!(found.as_deref(), ty, "{notation}");
        }
        let text = r#"[a 0] 0000000000000001 released
count = "number" {"required":true,"validators":{"stored integer":"NonZeroU8"}}
depth = "number" null {"optional":true,"validators":{"stored integer":"usize"}}
marks = ["list",["map","string"]] null {"validators":{"stored inside":{"[*]?":"null","[*][*]?":"null"}}}
notes = ["list","string"]
seen = "number" {"required":true,"validators":{"stored integer":"AtomicU32"}}
sizes = ["list","number"] {"required":true,"validators":{"stored integer":"u8"}}
"#;
        let lock = lock(text).unwrap();
        let entry = lock.get("a", 0).unwrap();
        let typed = |name: &str| rust_type(entry.stored(name)?, &entry.null_inside(name));
        let of_marks = "Option<Vec<Option<std::collections::BTreeMap<String, Option<String>>>>>";
        assert_eq!(
            [typed("marks").as_deref(), typed("notes").as_deref()],
            [Some(of_marks), Some("Vec<String>")]
        );
        assert_eq!(
            ["count", "depth", "seen", "sizes"].map(|name| typed(name).unwrap()),
            [
                "std::num::NonZeroU8",
                "Option<usize>",
                "std::sync::atomic::AtomicU32",
                "Vec<u8>"
            ]
        );
    }

    #[test]
    fn a_lock_that_cannot_be_read_is_refused_with_a_reason() {
        assert!(
            Lock::parse("upstate-lock 4\n")
                .unwrap_err()
                .contains("the format of this lock is 4, and this upstate reads 1, 2 and 3")
        );
        assert!(Lock::parse("\u{feff}upstate-lock 1\n").is_ok());
        let released = "0000000000000001 released";
        for (entries, why) in [
            (
                "<<<<<<< HEAD".to_owned(),
                "line 2: a merge was not finished here: `lock --resolve`",
            ),
            (
                "[a 0]".to_owned(),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                format!("[a 1..=x] {released}"),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                format!("[a 0] {released} 1.0.0 2.0.0"),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                format!("[a 0] {released} soon"),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                "[a 0] 01 released".to_owned(),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                "[a 0] 000000000000000G released".to_owned(),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                "[data.a] 0000000000000001".to_owned(),
                "line 2: expected `[type version] fingerprint",
            ),
            (
                format!("[a 5..=0] {released}"),
                "line 2: there is no version from 5 to 0",
            ),
            (
                format!("[a 0..=70000] {released}"),
                "line 2: versions 0 to 70000 are more than 65536",
            ),
            (
                format!("[a 3] {released}\n[a 2..=3] {released}"),
                "line 3: `[a 2..=3]` is here twice",
            ),
            // Its lines would fall to the entry above, and nothing would pin the type.
            (
                format!("[a 0] {released}\nid = \"string\"\n{{b@1}} {released}"),
                "line 4: expected `path = stored form`, found `{b@1}",
            ),
            (
                format!("{{b@1}} {released}"),
                "line 2: expected an entry such as `[example_thing 2] …`, found `{b@1}",
            ),
            (
                "release soon".to_owned(),
                "line 2: expected `release 1.4.0`, found `release soon`",
            ),
        ] {
            let refused = lock(&entries).unwrap_err();
            assert!(refused.starts_with(why), "{entries}: {refused}");
        }
        // A lock without its beginning remembers nothing, and may not pass for one.
        for text in ["", "# A comment.\n\n"] {
            assert!(
                Lock::parse(text)
                    .unwrap_err()
                    .starts_with("it is empty: a lock begins with"),
                "{text:?}"
            );
        }
        for text in ["[example_thing 0] 00 released\n", "{}"] {
            assert!(
                Lock::parse(text)
                    .unwrap_err()
                    .starts_with("line 1: a lock begins with"),
                "{text:?}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused_and_not_waited_for() {
        let path = std::env::temp_dir().join(format!("upstate-lock-{}", std::process::id()));
        std::os::unix::fs::symlink("/nowhere/upstate.lock", &path).unwrap();
        let (stamped, refused) = (stamp(&path), text(&path).unwrap_err());
        fs::remove_file(&path).unwrap();
        assert_eq!(
            (stamped.is_some(), refused.as_str()),
            (true, "it is a link to a file that is not there")
        );
        assert_eq!(
            text(Path::new("/dev/null")).unwrap_err(),
            "it is not a regular file"
        );
        assert_eq!(stamp(&path), None);
    }
}
