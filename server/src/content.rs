//! Reads what the service knows of a state: its serial, lineage and outputs, and the resources that
//! it has.
//!
//! Bytes are kept as they came. What cannot be read (formats before 4, what `OpenTofu` encrypted)
//! is kept all the same, and says why there is nothing to show.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::thread;

use md5::Md5;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use upstate_state::{Mode, ResourceContents, StateFile, StoredType};

use crate::model::{Finalized, Output, OutputId, Summary, Timestamp, VersionId};

/// The most outputs that are kept for lists. A state with more is kept as any other, and its
/// outputs are in it.
pub const MOST_OUTPUTS: usize = 10_000;

/// The bytes that are read, packed or unpacked in a fraction of a millisecond: a thread that
/// answers requests does that itself, because to hand it to another one takes as long.
pub const AT_ONCE: usize = 32 << 10;

/// The bytes whose digests take several times as long as to start a thread that takes them while
/// another one reads the state.
pub(crate) const WORTH_A_THREAD: usize = 128 << 10;

/// The end of [`Summary::unreadable`] where a state has more outputs than are listed.
const NOT_LISTED: &str = "are the most that are listed";

/// True if the reason why there is nothing to show is that there are too many outputs.
pub fn are_not_listed(why: &str) -> bool {
    why.ends_with(NOT_LISTED)
}

fn too_many(outputs: usize) -> String {
    format!("there are {outputs} outputs, and {MOST_OUTPUTS} {NOT_LISTED}")
}

/// An upper bound of the memory that reading a state takes, in bytes. The numbers are measured by
/// `benches/tests/parsing.rs`, with states that make reading take the most; a state that Terraform
/// wrote takes about a seventh of it.
pub fn memory_to_read(bytes: &[u8]) -> usize {
    // Names that no other resource has are copied into each list and map of the summary.
    const BYTE: usize = 10;
    // An instance may be an object without members.
    const OBJECT: usize = 650;
    const MEMBER: usize = 80;
    // At most 255 at a time, so that a byte counts them and the processor compares many at once.
    let few = |some: &[u8], wanted| {
        some.iter()
            .fold(0_u8, |count, byte| count + u8::from(*byte == wanted))
    };
    let count = |wanted: u8| {
        bytes
            .chunks(usize::from(u8::MAX))
            .map(|some| usize::from(few(some, wanted)))
            .sum::<usize>()
    };
    let [objects, members] =
        [(b'{', OBJECT), (b':', MEMBER)].map(|(mark, each)| count(mark).saturating_mul(each));
    bytes
        .len()
        .saturating_mul(BYTE)
        .saturating_add(objects)
        .saturating_add(members)
}

/// The facts that were read out of a state.
#[derive(Debug, Clone)]
pub struct Content {
    /// The number of bytes of the state.
    pub size: u64,
    /// MD5, in lower-case hexadecimal digits.
    pub md5: String,
    /// SHA-256.
    pub sha256: [u8; 32],
    /// The serial: 0 if the state has none, `None` if that is not to be known.
    pub serial: Option<i64>,
    /// The lineage; empty if there is none.
    pub lineage: String,
    /// The format version.
    pub format_version: Option<i64>,
    /// The Terraform version that wrote it; empty if it does not say.
    pub terraform_version: String,
    /// Counts of modules, providers and resources.
    pub summary: Summary,
    /// The outputs of the root module.
    pub outputs: Vec<ReadOutput>,
    /// The types that the state holds and their schema versions, as JSON.
    pub types: String,
    /// Says whether the serial can be replaced, which a rollback has to know.
    pub rewriting: Rewriting,
}

/// Says whether the serial in the bytes can be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewriting {
    /// It can.
    Possible,
    /// A second serial is inside what is encrypted, and Terraform would believe that one.
    Encrypted,
    /// There is no serial to replace.
    NoSerial,
}

/// An output of the root module.
#[derive(Clone)]
pub struct ReadOutput {
    name: String,
    sensitive: bool,
    kind: &'static str,
    detailed_type: String,
    value: String,
}

/// Without the value, which may be secret.
impl std::fmt::Debug for ReadOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadOutput")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The digests of a state.
#[derive(Default)]
struct Digests {
    md5: String,
    sha256: [u8; 32],
}

impl Digests {
    fn of(bytes: &[u8]) -> Self {
        Self {
            md5: hex(&Md5::digest(bytes)),
            sha256: Sha256::digest(bytes).into(),
        }
    }
}

impl Content {
    /// Reads a state; reading never fails, it only says less.
    pub fn read(bytes: &[u8]) -> Self {
        if bytes.len() < WORTH_A_THREAD {
            return Self::parsed(bytes).with(Digests::of(bytes));
        }
        thread::scope(|scope| {
            // The system may refuse a thread; then one does both.
            let digests = thread::Builder::new().spawn_scoped(scope, || Digests::of(bytes));
            let content = Self::parsed(bytes);
            let digests = digests.ok().and_then(|digests| digests.join().ok());
            content.with(digests.unwrap_or_else(|| Digests::of(bytes)))
        })
    }

    fn with(self, Digests { md5, sha256 }: Digests) -> Self {
        Self {
            md5,
            sha256,
            ..self
        }
    }

    /// The content of a state, without its digests.
    fn parsed(bytes: &[u8]) -> Self {
        let Digests { md5, sha256 } = Digests::default();
        let mut content = Self {
            size: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            md5,
            sha256,
            serial: None,
            lineage: String::new(),
            format_version: None,
            terraform_version: String::new(),
            summary: empty_summary(),
            outputs: Vec::new(),
            types: "[]".to_owned(),
            rewriting: Rewriting::NoSerial,
        };
        if let Err(why) = content.fill(bytes) {
            content.summary.unreadable = Some(why);
        }
        content
    }

    fn fill(&mut self, bytes: &[u8]) -> Result<(), String> {
        let problem = match StateFile::parse(bytes) {
            Ok(state) => {
                self.serial = i64::try_from(state.serial()).ok();
                state.lineage().clone_into(&mut self.lineage);
                self.format_version = Some(4);
                self.terraform_version = shortened(state.terraform_version());
                self.rewriting = Rewriting::Possible;
                self.summary = summary(&state.resources())?;
                self.types = types(&state)?;
                let outputs = state.outputs();
                if outputs.len() > MOST_OUTPUTS {
                    return Err(too_many(outputs.len()));
                }
                self.outputs = outputs.iter().map(ReadOutput::of_state).collect();
                return Ok(());
            }
            Err(error) => error
                .problems()
                .first()
                .map(ToString::to_string)
                .unwrap_or_default(),
        };
        let text = std::str::from_utf8(bytes).map_err(|_| "the state is not UTF-8")?;
        // Other formats have these members too.
        let header = Header::read(text)
            .map_err(|error| not_read("the state is not a JSON object", &error))?;
        self.serial = match header.serial {
            None => Some(0),
            Some(serial) => serial.get().parse().ok().filter(|serial| *serial >= 0),
        };
        self.lineage = header.lineage.unwrap_or_default().into_owned();
        self.format_version = header
            .version
            .and_then(|version| version.get().parse().ok());
        self.terraform_version = shortened(&header.terraform_version.unwrap_or_default());
        if header.encrypted_data.is_some() {
            self.rewriting = Rewriting::Encrypted;
            return Err("the state is encrypted by OpenTofu".to_owned());
        }
        if header.serial.is_some() {
            self.rewriting = Rewriting::Possible;
        }
        Err(match self.format_version {
            Some(4) => problem,
            Some(version) => {
                format!("the state has format version {version}; only version 4 is read")
            }
            None => "the state has no format version".to_owned(),
        })
    }

    /// The facts about a version that got these bytes at the time `at`.
    pub fn finalized(&self, at: Timestamp) -> Finalized {
        Finalized {
            size: self.size,
            sha256: self.sha256,
            format_version: self.format_version,
            terraform_version: self.terraform_version.clone(),
            at,
        }
    }

    /// The outputs as those of a version, with new ids.
    pub fn outputs_of(&self, version: &VersionId) -> Vec<Output> {
        self.outputs
            .iter()
            .map(|output| output.of(version))
            .collect()
    }
}

/// The longest Terraform version that is shown, in letters: each list of versions has those of all.
const LONGEST_VERSION: usize = 100;

fn shortened(terraform_version: &str) -> String {
    terraform_version.chars().take(LONGEST_VERSION).collect()
}

/// The types of a state, as JSON, with the number of instances that have a value in which
/// attribute.
fn types(state: &StateFile<'_>) -> Result<String, String> {
    #[derive(Serialize)]
    struct WithValues<'a> {
        #[serde(flatten)]
        stored: &'a StoredType,
        #[serde(skip_serializing_if = "Option::is_none")]
        values: Option<&'a BTreeMap<String, usize>>,
    }
    let (types, values) = (state.stored_types(), state.stored_values());
    let rows: Vec<WithValues<'_>> = types
        .iter()
        .map(|stored| {
            let of = || values.get(&(stored.type_name.as_str(), stored.version));
            WithValues {
                stored,
                values: if stored.mode == Mode::Managed {
                    of()
                } else {
                    None
                },
            }
        })
        .collect();
    written(&rows)
}

/// A state with another serial: nothing but its digits changes. `None` if it has no serial to
/// replace.
pub fn with_serial(bytes: &[u8], serial: i64) -> Option<Vec<u8>> {
    if let (Ok(state), Ok(serial)) = (StateFile::parse(bytes), u64::try_from(serial)) {
        return Some(state.with_serial(serial).into_bytes());
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let header = Header::read(text).ok()?;
    let digits = header.serial?.get();
    // The digits are borrowed from the text, so where they stand says which they are.
    let start = (digits.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let (before, rest) = text.split_at_checked(start)?;
    let after = rest.strip_prefix(digits)?;
    Some([before, &serial.to_string(), after].concat().into_bytes())
}

/// Outputs that a client sent beside a state; they count if that cannot be read.
pub fn sent_outputs(bytes: &[u8]) -> Result<Vec<ReadOutput>, String> {
    let outputs: BTreeMap<Cow<'_, str>, RawOutput<'_>> = serde_json::from_slice(bytes)
        .map_err(|error| not_read("the outputs are not those of Terraform", &error))?;
    // A state may have more than are listed, and clients send them beside each: they are no reason
    // to refuse it.
    if outputs.len() > MOST_OUTPUTS {
        return Ok(Vec::new());
    }
    Ok(outputs.into_iter().map(ReadOutput::new).collect())
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Says where, never what: a message of the JSON reader may quote what it found, and that may be
/// secret.
fn not_read(what: &str, error: &serde_json::Error) -> String {
    format!("{what} (line {}, column {})", error.line(), error.column())
}

fn empty_summary() -> Summary {
    Summary {
        modules: "{}".to_owned(),
        providers: "{}".to_owned(),
        resources: "[]".to_owned(),
        unreadable: None,
    }
}

#[derive(Deserialize, Default)]
struct Header<'t> {
    #[serde(borrow, default)]
    version: Option<&'t RawValue>,
    #[serde(borrow, default)]
    serial: Option<&'t RawValue>,
    #[serde(borrow, default)]
    lineage: Option<Cow<'t, str>>,
    #[serde(borrow, default)]
    terraform_version: Option<Cow<'t, str>>,
    #[serde(default)]
    encrypted_data: Option<IgnoredAny>,
}

impl<'t> Header<'t> {
    /// The reader takes a list for a struct; a state is none.
    fn read(text: &'t str) -> serde_json::Result<Self> {
        if text.trim_start().starts_with('[') {
            return serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text)
                .map(|_| Self::default());
        }
        serde_json::from_str(text)
    }
}

#[derive(Deserialize)]
struct RawOutput<'t> {
    #[serde(borrow)]
    value: &'t RawValue,
    #[serde(borrow, rename = "type")]
    ty: &'t RawValue,
    #[serde(default)]
    sensitive: bool,
}

impl ReadOutput {
    /// As one of a version, with a new id.
    pub(crate) fn of(&self, version: &VersionId) -> Output {
        Output {
            id: OutputId::new(),
            version: version.clone(),
            name: self.name.clone(),
            sensitive: self.sensitive,
            kind: self.kind.to_owned(),
            detailed_type: self.detailed_type.clone(),
            value: self.value.clone(),
        }
    }

    fn of_state(output: &upstate_state::Output<'_>) -> Self {
        let (ty, value) = (output.type_json(), output.value_json());
        Self {
            name: output.name().to_owned(),
            sensitive: output.is_sensitive(),
            kind: kind(ty, value),
            detailed_type: ty.to_owned(),
            value: value.to_owned(),
        }
    }

    /// An output as it was read before.
    pub(crate) fn of_version(output: Output) -> Self {
        let Output {
            id: _,
            version: _,
            name,
            sensitive,
            kind: _,
            detailed_type,
            value,
        } = output;
        Self {
            name,
            sensitive,
            kind: kind(&detailed_type, &value),
            detailed_type,
            value,
        }
    }

    fn new((name, raw): (Cow<'_, str>, RawOutput<'_>)) -> Self {
        let ty = raw.ty.get();
        Self {
            name: name.into_owned(),
            sensitive: raw.sensitive,
            kind: kind(ty, raw.value.get()),
            detailed_type: ty.to_owned(),
            value: raw.value.get().to_owned(),
        }
    }
}

/// The name that the page has for a type: the element types are left out.
fn kind(ty: &str, value: &str) -> &'static str {
    let word = ty
        .trim_start_matches(['[', ' ', '\n', '\r', '\t'])
        .trim_start_matches('"');
    let is = |name: &str| {
        word.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('"'))
    };
    match value.bytes().next() {
        _ if is("number") => "number",
        _ if is("bool") => "bool",
        _ if is("string") => "string",
        _ if is("list") || is("set") || is("tuple") => "array",
        _ if is("map") || is("object") => "object",
        // A type that only the value tells.
        Some(b'[') => "array",
        Some(b'{') => "object",
        Some(b't' | b'f') => "bool",
        Some(b'0'..=b'9' | b'-') => "number",
        _ => "string",
    }
}

/// Counts by module or provider, then by type, whose name is written with dashes.
type Counts<'a> = BTreeMap<&'a str, BTreeMap<String, usize>>;

/// A resource as the list of a version's resources has it.
#[derive(Serialize)]
struct ListedResource<'a> {
    count: usize,
    module: &'a str,
    name: &'a str,
    provider: &'a str,
    #[serde(rename = "type")]
    type_name: Cow<'a, str>,
}

fn summary(resources: &[ResourceContents<'_>]) -> Result<Summary, String> {
    let (mut modules, mut providers) = (Counts::new(), Counts::new());
    let mut listed = Vec::with_capacity(resources.len());
    for resource in resources {
        let module = if resource.module().is_empty() {
            "root"
        } else {
            resource.module()
        };
        let type_name = match resource.mode() {
            Mode::Data => Cow::Owned(format!("data.{}", resource.type_name())),
            Mode::Managed => Cow::Borrowed(resource.type_name()),
        };
        let (dashed, count) = (type_name.replace('_', "-"), resource.instances());
        for (counts, name) in [
            (&mut modules, module),
            (&mut providers, resource.provider()),
        ] {
            let counts = counts.entry(name).or_default();
            match counts.get_mut(&dashed) {
                Some(counted) => *counted += count,
                None => drop(counts.insert(dashed.clone(), count)),
            }
        }
        listed.push(ListedResource {
            count,
            module,
            name: resource.name(),
            provider: resource.provider(),
            type_name,
        });
    }
    Ok(Summary {
        modules: written(&modules)?,
        providers: written(&providers)?,
        resources: written(&listed)?,
        unreadable: None,
    })
}

/// A part of the summary as JSON.
fn written(part: &impl Serialize) -> Result<String, String> {
    let mut text = serde_json::to_string(part)
        .map_err(|error| format!("the summary of the state cannot be written: {error}"))?;
    // It is kept while the version is written, and half of its room may be empty.
    text.shrink_to_fit();
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{
  "version": 4, "terraform_version": "1.15.5", "serial": 7, "lineage": "a<b>&c",
  "outputs": {"big": {"value": 123456789012345678901234567890, "type": "number"},
              "list": {"value": [1], "type": ["tuple", ["number"]], "sensitive": true}},
  "resources": [
    {"mode": "managed", "type": "null_resource", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/null\"]",
     "instances": [{"schema_version": 0, "attributes": {"serial": 5}}, {"deposed": "0000abcd", "schema_version": 0, "attributes": {}}]},
    {"module": "module.m", "mode": "data", "type": "http_get_it", "name": "b", "provider": "provider[\"registry.terraform.io/hashicorp/http\"]", "instances": []}
  ]
}"#;

    #[test]
    fn the_facts_of_a_state_are_read() {
        let content = Content::read(STATE.as_bytes());
        assert_eq!(
            (content.serial, &*content.lineage, content.format_version),
            (Some(7), "a<b>&c", Some(4))
        );
        assert_eq!(content.summary.unreadable, None);
        assert_eq!(
            content.summary.modules,
            r#"{"module.m":{"data.http-get-it":0},"root":{"null-resource":1}}"#
        );
        assert_eq!(
            content.summary.resources,
            r#"[{"count":1,"module":"root","name":"a","provider":"provider[\"registry.terraform.io/hashicorp/null\"]","type":"null_resource"},{"count":0,"module":"module.m","name":"b","provider":"provider[\"registry.terraform.io/hashicorp/http\"]","type":"data.http_get_it"}]"#
        );
        assert_eq!(
            content.summary.providers,
            r#"{"provider[\"registry.terraform.io/hashicorp/http\"]":{"data.http-get-it":0},"provider[\"registry.terraform.io/hashicorp/null\"]":{"null-resource":1}}"#
        );
        let version = VersionId::new();
        let outputs = content.outputs_of(&version);
        let shown: Vec<_> = outputs
            .iter()
            .map(|output| {
                (
                    &*output.name,
                    &*output.kind,
                    &*output.value,
                    output.sensitive,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("big", "number", "123456789012345678901234567890", false),
                ("list", "array", "[1]", true)
            ]
        );
    }

    #[test]
    fn a_large_state_is_read_as_a_small_one() {
        let large = STATE.replace("a<b>&c", &"l".repeat(WORTH_A_THREAD));
        let content = Content::read(large.as_bytes());
        assert_eq!(
            (content.serial, content.lineage.len()),
            (Some(7), WORTH_A_THREAD)
        );
        assert_eq!(content.md5, hex(&Md5::digest(&large)));
        assert_eq!(content.sha256, <[u8; 32]>::from(Sha256::digest(&large)));
        let (objects, members) = (large.matches('{').count(), large.matches(':').count());
        assert_eq!(
            memory_to_read(large.as_bytes()),
            large.len() * 10 + objects * 650 + members * 80
        );
        assert_eq!(memory_to_read(&[b'{'; 1000]), 1000 * 660);
    }

    #[test]
    fn only_the_digits_of_the_serial_change() {
        let changed = with_serial(STATE.as_bytes(), 12).expect("a serial");
        assert_eq!(
            String::from_utf8(changed).expect("text"),
            STATE.replace("\"serial\": 7", "\"serial\": 12")
        );
        assert_eq!(
            with_serial(b"{\"version\":4}", 3).as_deref(),
            Some(&b"{\"version\":4, \"serial\": 3}"[..])
        );
        assert_eq!(
            with_serial(b"{\"version\":3, \"serial\": 1}", 3).as_deref(),
            Some(&b"{\"version\":3, \"serial\": 3}"[..])
        );
        assert_eq!(with_serial(b"{\"version\":3}", 3), None);
    }

    #[test]
    fn a_summary_that_cannot_be_written_is_an_error() {
        struct Refusing;
        impl Serialize for Refusing {
            fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(serde::ser::Error::custom("no"))
            }
        }
        assert_eq!(
            written(&Refusing),
            Err("the summary of the state cannot be written: no".to_owned())
        );
        assert_eq!(written(&[1]), Ok("[1]".to_owned()));
    }

    #[test]
    fn an_unreadable_state_has_a_reason() {
        let why = |text: &str| Content::read(text.as_bytes()).summary.unreadable;
        assert_eq!(
            why("{\"version\":3,\"serial\":2}").as_deref(),
            Some("the state has format version 3; only version 4 is read")
        );
        assert_eq!(
            why("{\"serial\":2}").as_deref(),
            Some("the state has no format version")
        );
        assert_eq!(
            why("[s3cret]").as_deref(),
            Some("the state is not a JSON object (line 1, column 0)")
        );
        let encrypted = Content::read(br#"{"serial":3,"lineage":"l","encrypted_data":"x"}"#);
        assert_eq!(
            (encrypted.serial, encrypted.rewriting),
            (Some(3), Rewriting::Encrypted)
        );
        assert_eq!(
            Content::read(b"\xff").summary.unreadable.as_deref(),
            Some("the state is not UTF-8")
        );
    }
}
