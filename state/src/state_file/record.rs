//! Everything that a state file holds about one instance.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::write::EncoderWriter;

use upstate::__internal::Kind;
use upstate::AttributePath;
use upstate::path::PathStep;

use super::address::InstanceKey;
use super::names::{self, Quoted};
use super::scan::{Scanned, Scanner, Slot};

/// An instance as it is in the file. Parts that upgrades don't need are kept as byte ranges, and
/// read when asked for.
#[derive(Debug)]
pub(super) struct Record<'t> {
    pub(super) range: Range<usize>,
    /// The number of members of the instance's object.
    pub(super) members: usize,
    pub(super) key: InstanceKey<'t>,
    pub(super) tainted: bool,
    pub(super) deposed: Cow<'t, str>,
    /// The provider that `OpenTofu` stores with the instance, and its place. Terraform passes it
    /// over.
    pub(super) provider: Option<(Cow<'t, str>, Range<usize>)>,
    pub(super) schema_version: u64,
    pub(super) version_range: Option<Range<usize>>,
    pub(super) attributes: Option<Slot>,
    pub(super) flat: Option<Slot>,
    /// The paths that are marked as sensitive, if there are any.
    pub(super) sensitive: Option<Range<usize>>,
    pub(super) identity: StoredIdentity,
    pub(super) private: Option<Range<usize>>,
    pub(super) dependencies: Option<Range<usize>>,
    pub(super) create_before_destroy: bool,
    /// The instances that `OpenTofu` lists beside the dependencies, as they are written. Terraform
    /// passes them over.
    pub(super) depends_on: Option<Range<usize>>,
    /// True if `OpenTofu` forgets the object where it would destroy it. Terraform passes it over.
    pub(super) skip_destroy: bool,
}

/// The identity that is stored beside the attributes.
#[derive(Debug, Default)]
pub(super) struct StoredIdentity {
    /// The version of its schema.
    pub(super) version: u64,
    pub(super) version_range: Option<Range<usize>>,
    pub(super) slot: Option<Slot>,
    /// True if the instance has two identities; the last one counts.
    pub(super) is_twice: bool,
}

impl StoredIdentity {
    /// The identity, if there is one; `null` means that there is none. `object` is the text of the
    /// instance.
    pub(super) fn json<'o>(&self, object: &'o str) -> Option<&'o str> {
        let json = object.get(self.slot.as_ref()?.range.clone())?;
        (json != "null").then_some(json)
    }
}

/// Members as the last instance had them that was read without a problem: most instances of a
/// resource have them in common.
#[derive(Default)]
pub(super) struct Known<'t> {
    dependencies: &'t str,
    private: &'t str,
    sensitive: &'t str,
    scratch: Vec<u8>,
}

/// Moves past `known`, an array or string, if that comes next: what begins with one is this one.
/// The scanner is at a value.
fn pass_known(scanner: &mut Scanner<'_>, known: &str) -> bool {
    let at = scanner.reader.position();
    let follows = !known.is_empty()
        && scanner
            .reader
            .text()
            .get(at..)
            .is_some_and(|rest| rest.starts_with(known));
    if follows {
        scanner.reader.jump(at + known.len());
    }
    follows
}

/// The text of what was read from `start` on, if it is an array or string and no problem was noted
/// since there were so many.
fn known<'t>(scanner: &Scanner<'t>, start: usize, problems: usize) -> &'t str {
    let text = scanner
        .reader
        .text()
        .get(start..scanner.reader.position())
        .unwrap_or_default();
    if scanner.problems.len() == problems && text.starts_with(['[', '"']) {
        text
    } else {
        ""
    }
}

impl<'t> Record<'t> {
    /// Reads the object that comes next, and checks every member of it.
    pub(super) fn read(scanner: &mut Scanner<'t>, known: &mut Known<'t>) -> Scanned<Option<Self>> {
        let start = scanner.start()?;
        let mut record = Self {
            range: start..start,
            members: 0,
            key: InstanceKey::None,
            tainted: false,
            deposed: Cow::Borrowed(""),
            provider: None,
            schema_version: 0,
            version_range: None,
            attributes: None,
            flat: None,
            sensitive: None,
            identity: StoredIdentity::default(),
            private: None,
            dependencies: None,
            create_before_destroy: false,
            depends_on: None,
            skip_destroy: false,
        };
        let is_object = scanner.members("an instance", |scanner, name| {
            record.members += 1;
            record.member(scanner, name, known)
        })?;
        record.range.end = scanner.reader.position();
        Ok(is_object.then_some(record))
    }

    fn member(
        &mut self,
        scanner: &mut Scanner<'t>,
        name: &str,
        last: &mut Known<'t>,
    ) -> Scanned<()> {
        let problems = scanner.problems.len();
        match name {
            "index_key" => self.key = index_key(scanner)?,
            "status" | "deposed" | "create_before_destroy" if scanner.passes_null()? => {}
            "schema_version" if self.version_range.is_some() && scanner.passes_null()? => {}
            "identity_schema_version"
                if self.identity.version_range.is_some() && scanner.passes_null()? => {}
            "status" => {
                let (status, range) = scanner.text("`status`")?;
                if !matches!(&*status, "" | "tainted") {
                    scanner.problem(
                        range,
                        format!(
                            "`status` is `tainted` or not there, not {}",
                            Quoted(&status)
                        ),
                    );
                }
                self.tainted = status == "tainted";
            }
            "deposed" => {
                let (key, range) = scanner.text("`deposed`")?;
                if !matches!(key.len(), 0 | 8) {
                    scanner.problem(
                        range,
                        format!(
                            "`deposed` must be a key of eight characters, found {}",
                            Quoted(&key)
                        ),
                    );
                }
                self.deposed = key;
            }
            "provider" if scanner.reader.peek()? == Kind::String => {
                self.provider = Some(scanner.text("`provider`")?);
            }
            "schema_version" => {
                if let Some((number, range)) = scanner.unsigned_or_null("`schema_version`")? {
                    self.schema_version = number;
                    self.version_range = Some(range);
                }
            }
            "attributes" => {
                if self.attributes.is_some() {
                    scanner.lose();
                }
                self.attributes = Some(attributes(scanner)?);
            }
            "attributes_flat" => {
                let name_at = scanner.reader.name_position();
                let start = scanner.start()?;
                let there = scanner.reader.peek()? != Kind::Null;
                flat_attributes(scanner, |_, _| {})?;
                self.flat = there.then(|| Slot {
                    name_at,
                    range: start..scanner.reader.position(),
                    is_json: true,
                });
            }
            "sensitive_attributes" => {
                let start = scanner.start()?;
                if !pass_known(scanner, last.sensitive) {
                    sensitive_paths(scanner, |_| {})?;
                    last.sensitive = known(scanner, start, problems);
                }
                let range = start..scanner.reader.position();
                let empty = || {
                    Some(
                        scanner
                            .reader
                            .text()
                            .get(range.clone())?
                            .strip_prefix('[')?
                            .trim_start()
                            .starts_with(']'),
                    )
                };
                self.sensitive = (empty() == Some(false)).then_some(range);
            }
            "identity_schema_version" => {
                if let Some((number, range)) =
                    scanner.unsigned_or_null("`identity_schema_version`")?
                {
                    (self.identity.version, self.identity.version_range) = (number, Some(range));
                }
            }
            "identity" => {
                self.identity.is_twice = self.identity.slot.is_some();
                self.identity.slot = Some(scanner.slot()?);
            }
            "private" => {
                let start = scanner.start()?;
                if pass_known(scanner, last.private) {
                    self.private = Some(start..scanner.reader.position());
                    return Ok(());
                }
                let (text, range) = scanner.text("`private`")?;
                if base64_decode(&text, &mut last.scratch).is_none() {
                    scanner.secret_problem(
                        range,
                        "`private` must be base64 with its padding, and is not",
                    );
                } else if !text.is_empty() {
                    self.private = Some(range);
                    last.private = known(scanner, start, problems);
                }
            }
            "dependencies" => {
                let start = scanner.start()?;
                if !pass_known(scanner, last.dependencies) {
                    dependencies(scanner, |_| {})?;
                    last.dependencies = known(scanner, start, problems);
                }
                self.dependencies = Some(start..scanner.reader.position());
            }
            "create_before_destroy" => {
                self.create_before_destroy = scanner.bool("`create_before_destroy`")?;
            }
            // Terraform reads the file whatever they are, so nothing in them is a problem.
            "depends_on" => self.depends_on = Some(scanner.skip()?),
            "skip_destroy" => {
                let range = scanner.skip()?;
                self.skip_destroy = scanner.reader.text().get(range) == Some("true");
            }
            _ => scanner.reader.skip()?,
        }
        Ok(())
    }
}

fn attributes(scanner: &mut Scanner<'_>) -> Scanned<Slot> {
    let found = scanner.reader.peek()?;
    let slot = scanner.attributes_slot()?;
    if !matches!(found, Kind::Object | Kind::Null) {
        scanner.secret_problem(
            slot.range.clone(),
            format!("`attributes` must be an object, found {}", found.noun()),
        );
    }
    Ok(slot)
}

/// Reads the attributes as Terraform 0.11 and before kept them: one text for every value.
pub(super) fn flat_attributes<'t>(
    scanner: &mut Scanner<'t>,
    mut each: impl FnMut(Cow<'t, str>, Cow<'t, str>),
) -> Scanned<()> {
    scanner.entries("`attributes_flat`", |scanner, key| {
        let (text, _) = scanner.text("a value of `attributes_flat`")?;
        each(key, text);
        Ok(())
    })
}

/// The flat attributes in `text`, the value of `attributes_flat`.
pub(super) fn flat_map(text: &str) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    // It was read before, without a problem.
    let _ = flat_attributes(&mut Scanner::new(text), |key, value| {
        map.insert(key.into_owned(), value.into_owned());
    });
    map
}

fn index_key<'t>(scanner: &mut Scanner<'t>) -> Scanned<InstanceKey<'t>> {
    let found = scanner.reader.peek()?;
    let start = scanner.reader.position();
    Ok(match found {
        Kind::Null => {
            scanner.reader.null()?;
            InstanceKey::None
        }
        Kind::Number => {
            let digits = scanner.reader.number()?;
            if let Some(index) = whole(digits) {
                InstanceKey::Int(index)
            } else {
                scanner.problem(
                    start..scanner.reader.position(),
                    "`index_key` is a number too large for an index",
                );
                InstanceKey::None
            }
        }
        Kind::String => InstanceKey::Text(scanner.reader.string()?),
        Kind::Bool | Kind::Array | Kind::Object => {
            let range = scanner.skip()?;
            scanner.secret_problem(
                range,
                format!(
                    "`index_key` must be a number or a string, found {}",
                    found.noun()
                ),
            );
            InstanceKey::None
        }
    })
}

/// A number as an index; a fraction is cut off, as in the reference.
fn whole(digits: &str) -> Option<i64> {
    if let Ok(index) = digits.parse() {
        return Some(index);
    }
    let float: f64 = digits.parse().ok()?;
    let whole = float.trunc();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole, and checked to be in range"
    )]
    (whole.abs() < 9e15).then_some(whole as i64)
}

/// The paths of the values that configuration marked as sensitive.
pub(super) fn sensitive_paths(
    scanner: &mut Scanner<'_>,
    mut each: impl FnMut(AttributePath),
) -> Scanned<()> {
    scanner.elements("`sensitive_attributes`", |scanner| {
        let mut path = Some(AttributePath::new());
        scanner.elements("a path of `sensitive_attributes`", |scanner| {
            let step = path_step(scanner)?;
            path = path.take().zip(step).map(|(path, step)| path.step(step));
            Ok(())
        })?;
        path.into_iter().for_each(&mut each);
        Ok(())
    })
}

fn path_step(scanner: &mut Scanner<'_>) -> Scanned<Option<PathStep>> {
    let start = scanner.start()?;
    let (mut ty, mut value) = (None, None);
    let is_object = scanner.members("a step of `sensitive_attributes`", |scanner, name| {
        match name {
            "type" => ty = Some(scanner.text("the `type` of a step of `sensitive_attributes`")?),
            "value" => value = Some(scanner.skip()?),
            _ => scanner.reader.skip()?,
        }
        Ok(())
    })?;
    if !is_object {
        return Ok(None);
    }
    let range = start..scanner.reader.position();
    let text = scanner.reader.text();
    let value = value.and_then(|range| text.get(range)).unwrap_or("null");
    let step = match ty.as_ref().map_or("", |(ty, _)| ty) {
        "get_attr" => serde_json::from_str::<String>(value)
            .ok()
            .map(|name| PathStep::Attribute(name.into())),
        "index" => index_step(value),
        other => {
            scanner.problem(
                range,
                format!(
                    "a step of `sensitive_attributes` is `get_attr` or `index`, not {}",
                    Quoted(other)
                ),
            );
            return Ok(None);
        }
    };
    if step.is_none() {
        scanner
            .secret_problem(range, "this step of `sensitive_attributes` does not say which attribute, element or key is meant");
    }
    Ok(step)
}

/// The key of an index step: a value beside its type.
fn index_step(json: &str) -> Option<PathStep> {
    let serde_json::Value::Object(typed) = serde_json::from_str(json).ok()? else {
        return None;
    };
    match (typed.get("type")?.as_str()?, typed.get("value")?) {
        ("string", serde_json::Value::String(key)) => Some(PathStep::Key(key.clone())),
        ("number", serde_json::Value::Number(number)) => Some(PathStep::Index(number.as_u64()?)),
        ("number", serde_json::Value::String(digits)) => {
            Some(PathStep::Index(digits.parse().ok()?))
        }
        _ => None,
    }
}

/// The resources that the object depends on, in their full form.
pub(super) fn dependencies(scanner: &mut Scanner<'_>, mut each: impl FnMut(String)) -> Scanned<()> {
    scanner.elements("`dependencies`", |scanner| {
        let (text, range) = scanner.text("an element of `dependencies`")?;
        match names::dependency(&text) {
            Some(address) => each(address),
            None => scanner.problem(
                range,
                format!("`dependencies` must hold addresses of resources without instance keys, found {}", Quoted(&text)),
            ),
        }
        Ok(())
    })
}

/// Standard base64 with padding; line breaks and bits left over are passed over, as Go does.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// The bytes that a base64 string encodes, left in `scratch`.
pub(super) fn base64_decode<'s>(text: &str, scratch: &'s mut Vec<u8>) -> Option<&'s [u8]> {
    scratch.clear();
    let done = if text.contains(['\r', '\n']) {
        BASE64.decode_vec(text.replace(['\r', '\n'], ""), scratch)
    } else {
        BASE64.decode_vec(text, scratch)
    };
    done.ok().map(|()| scratch.as_slice())
}

/// Writes bytes as standard base64 with padding.
pub(super) fn base64_writer<W: Write>(out: W) -> EncoderWriter<'static, GeneralPurpose, W> {
    EncoderWriter::new(out, &BASE64)
}

/// Bytes as standard base64 with padding.
pub(super) fn base64_encoded(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}
