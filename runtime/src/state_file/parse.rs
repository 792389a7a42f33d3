//! Reading format 4: what stands where, with the byte ranges that an upgrade replaces.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::ops::Range;

use super::address::{Address, InstanceKey};
use super::error::StateFileError;
use crate::codec::DecodeError;
use crate::codec::json::{Kind, Reader};

/// Whether Terraform manages an object or only reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A resource.
    Managed,
    /// A data source. Never upgraded: Terraform reads it anew.
    Data,
}

/// A state file of format 4, borrowed from its text.
pub struct StateFile<'t> {
    pub(super) text: &'t str,
    pub(super) serial: Option<(u64, Range<usize>)>,
    /// Behind the `version` member's value: where a missing serial goes.
    pub(super) version_end: usize,
    pub(super) instances: Vec<Instance<'t>>,
}

/// One instance of a resource or data source in a state file.
pub struct Instance<'t> {
    pub(super) address: Address<'t>,
    pub(super) schema_version: u64,
    pub(super) version_range: Option<Range<usize>>,
    pub(super) attributes: Attributes,
}

pub(super) enum Attributes {
    /// The value's byte range, and where the member's name begins.
    Json { name_at: usize, range: Range<usize> },
    /// The old flat form: the whole member's byte range, and what it holds.
    Flat { range: Range<usize>, map: BTreeMap<String, String> },
    /// Not there, which means an object without attributes: where they would stand, and whether other members follow.
    Missing { at: usize, alone: bool },
}

/// Says what there is, not what it holds: stored values may be secrets.
impl fmt::Debug for StateFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateFile").field("serial", &self.serial).field("instances", &self.instances).finish_non_exhaustive()
    }
}

impl fmt::Debug for Instance<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("address", &self.address)
            .field("schema_version", &self.schema_version)
            .finish_non_exhaustive()
    }
}

impl<'t> Instance<'t> {
    /// How a person names it.
    pub fn address(&self) -> &Address<'t> {
        &self.address
    }

    /// The resource's type name.
    pub fn type_name(&self) -> &str {
        &self.address.type_name
    }

    /// Whether it is a resource or a data source.
    pub fn mode(&self) -> Mode {
        self.address.mode
    }

    /// The schema version it was stored with.
    pub fn schema_version(&self) -> u64 {
        self.schema_version
    }
}

impl<'t> StateFile<'t> {
    /// Reads a state file.
    ///
    /// # Errors
    /// Everything that keeps it from being a state file of format 4, with line and column.
    pub fn parse(bytes: &'t [u8]) -> Result<Self, StateFileError> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(StateFileError::whole("the file is empty; there is no state to upgrade"));
        }
        if bytes.starts_with(b"tfstate") {
            return Err(StateFileError::whole(
                "this is the binary state format of Terraform before 0.3; upgrade it with a Terraform of that time first",
            ));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let text = std::str::from_utf8(valid).unwrap_or_default();
            StateFileError::at(text, [(valid.len(), "the file is not UTF-8 text, so it is not a state file".to_owned())])
        })?;
        let mut parser = Parser { reader: Reader::new(text), problems: Vec::new(), addresses: HashSet::new() };
        let result = parser.file();
        match result {
            Ok(state) if parser.problems.is_empty() => Ok(state),
            Ok(_) => Err(StateFileError::at(text, parser.problems)),
            Err(Stop::Problem(offset, message)) => Err(StateFileError::at(text, [(offset, message)])),
            Err(Stop::Json(error)) => {
                Err(StateFileError::at(text, [(error.offset(), format!("the file cannot be read: {}", error.problem()))]))
            }
        }
    }

    /// The instances, in file order.
    pub fn instances(&self) -> &[Instance<'t>] {
        &self.instances
    }

    /// The file's serial; 0 if it has none.
    pub fn serial(&self) -> u64 {
        self.serial.as_ref().map_or(0, |(serial, _)| *serial)
    }
}

/// Why reading stops at once. Problems that don't stop it are collected.
enum Stop {
    Json(DecodeError),
    Problem(usize, String),
}

impl From<DecodeError> for Stop {
    fn from(error: DecodeError) -> Self {
        Self::Json(error)
    }
}

type Parsed<T> = Result<T, Stop>;

struct Parser<'t> {
    reader: Reader<'t>,
    problems: Vec<(usize, String)>,
    /// Addresses met so far: one current object each, and every deposed key once.
    addresses: HashSet<Address<'t>>,
}

/// What an instance takes over from its resource.
#[derive(Default)]
struct Header<'t> {
    module: Cow<'t, str>,
    mode: Option<Mode>,
    type_name: Cow<'t, str>,
    name: Cow<'t, str>,
}

impl<'t> Parser<'t> {
    /// Goes through the members of the object that comes next. Names are matched without regard to letter case, as Go does.
    fn members(&mut self, what: &'static str, mut member: impl FnMut(&mut Self, &str) -> Parsed<()>) -> Parsed<()> {
        self.expect(Kind::Object, what)?;
        self.reader.open_object()?;
        let mut first = true;
        while let Some(name) = self.reader.next_member(first)? {
            first = false;
            member(self, &name.to_ascii_lowercase())?;
        }
        Ok(())
    }

    fn expect(&mut self, kind: Kind, what: &'static str) -> Parsed<()> {
        let found = self.reader.peek()?;
        if found == kind {
            return Ok(());
        }
        Err(Stop::Problem(self.reader.position(), format!("{what} must be {}, found {}", kind.noun(), found.noun())))
    }

    /// Goes through the elements of the array that comes next; null stands for an empty one.
    fn elements(&mut self, what: &'static str, mut element: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        if self.reader.peek()? == Kind::Null {
            return Ok(self.reader.null()?);
        }
        self.expect(Kind::Array, what)?;
        self.reader.open_array()?;
        let mut first = true;
        while self.reader.next_element(first)? {
            first = false;
            element(self)?;
        }
        Ok(())
    }

    fn text(&mut self, what: &'static str) -> Parsed<Cow<'t, str>> {
        if self.reader.peek()? == Kind::Null {
            self.reader.null()?;
            return Ok(Cow::Borrowed(""));
        }
        self.expect(Kind::String, what)?;
        Ok(self.reader.string()?)
    }

    /// A whole number that is not negative, and where it stands.
    fn unsigned(&mut self, what: &'static str) -> Parsed<(u64, Range<usize>)> {
        self.expect(Kind::Number, what)?;
        let start = self.reader.position();
        let digits = self.reader.number()?;
        match digits.parse() {
            Ok(number) => Ok((number, start..self.reader.position())),
            Err(_) => Err(Stop::Problem(start, format!("{what} must be a whole number of at most 64 bits, found {digits}"))),
        }
    }

    /// The same, null standing for 0.
    fn unsigned_or_null(&mut self, what: &'static str) -> Parsed<(u64, Range<usize>)> {
        if self.reader.peek()? != Kind::Null {
            return self.unsigned(what);
        }
        let start = self.reader.position();
        self.reader.null()?;
        Ok((0, start..self.reader.position()))
    }

    fn file(&mut self) -> Parsed<StateFile<'t>> {
        let text = self.reader.text();
        let mut version = None;
        let mut writer = Cow::Borrowed("");
        let mut serial = None;
        let mut resources_at = None;
        self.members("a state file", |parser, name| {
            match name {
                "version" => version = Some(parser.unsigned("the format version")?),
                "terraform_version" => writer = parser.text("`terraform_version`")?,
                // Other formats have these members too, in another shape: they wait until the version is known.
                "serial" => {
                    parser.reader.peek()?;
                    serial = Some(parser.reader.mark());
                    parser.reader.skip()?;
                }
                "resources" => {
                    parser.reader.peek()?;
                    resources_at = Some(parser.reader.mark());
                    parser.reader.skip()?;
                }
                _ => parser.reader.skip()?,
            }
            Ok(())
        })?;
        self.reader.end()?;
        let Some((version, range)) = version else {
            let message = "there is no format `version`, so this is probably not a state file";
            return Err(Stop::Problem(0, message.to_owned()));
        };
        if version != 4 {
            return Err(Stop::Problem(range.start, wrong_version(version, &writer)));
        }
        let serial = match serial {
            Some(mark) => {
                self.reader.rewind(mark);
                Some(self.unsigned_or_null("`serial`")?)
            }
            None => None,
        };
        let mut instances = Vec::new();
        if let Some(mark) = resources_at {
            self.reader.rewind(mark);
            self.elements("`resources`", |parser| parser.resource(&mut instances))?;
        }
        Ok(StateFile { text, serial, version_end: range.end, instances })
    }

    fn resource(&mut self, instances: &mut Vec<Instance<'t>>) -> Parsed<()> {
        let mut header = Header::default();
        let mut instances_at = None;
        self.reader.peek()?;
        let start = self.reader.position();
        self.members("a resource", |parser, name| {
            match name {
                "module" => header.module = parser.text("`module`")?,
                "mode" => header.mode = parser.mode()?,
                "type" => header.type_name = parser.text("`type`")?,
                "name" => header.name = parser.text("`name`")?,
                "instances" => {
                    parser.reader.peek()?;
                    instances_at = Some(parser.reader.mark());
                    parser.reader.skip()?;
                }
                _ => parser.reader.skip()?,
            }
            Ok(())
        })?;
        let end = self.reader.mark();
        for (missing, what) in
            [(header.mode.is_none(), "mode"), (header.type_name.is_empty(), "type"), (header.name.is_empty(), "name")]
        {
            if missing {
                self.problems.push((start, format!("this resource has no `{what}`, so its instances cannot be told apart")));
            }
        }
        if let Some(mark) = instances_at {
            self.reader.rewind(mark);
            self.elements("`instances`", |parser| parser.instance(&header, instances))?;
        }
        self.reader.rewind(end);
        Ok(())
    }

    fn mode(&mut self) -> Parsed<Option<Mode>> {
        self.reader.peek()?;
        let start = self.reader.position();
        Ok(match &*self.text("`mode`")? {
            "managed" => Some(Mode::Managed),
            "data" => Some(Mode::Data),
            "" => None,
            other => {
                self.problems.push((start, format!("`mode` is `managed` or `data`, not {other:?}")));
                // Reported; whether it is taken as one or the other no longer matters.
                Some(Mode::Managed)
            }
        })
    }

    fn instance(&mut self, header: &Header<'t>, instances: &mut Vec<Instance<'t>>) -> Parsed<()> {
        let mut version = (0, None);
        let mut json = None;
        let mut flat = None;
        let mut key = InstanceKey::None;
        let mut deposed = Cow::Borrowed("");
        self.reader.peek()?;
        let start = self.reader.position();
        let mut members = 0;
        self.members("an instance", |parser, name| {
            members += 1;
            match name {
                "schema_version" => {
                    let (number, range) = parser.unsigned_or_null("`schema_version`")?;
                    version = (number, Some(range));
                }
                "attributes" => json = Some(parser.attributes()?),
                "attributes_flat" => flat = parser.flat_attributes()?,
                "index_key" => key = parser.index_key()?,
                "deposed" => deposed = parser.text("`deposed`")?,
                "status" => parser.status()?,
                _ => parser.reader.skip()?,
            }
            Ok(())
        })?;
        let address = Address {
            module: header.module.clone(),
            mode: header.mode.unwrap_or(Mode::Managed),
            type_name: header.type_name.clone(),
            name: header.name.clone(),
            key,
            deposed,
        };
        if !self.addresses.insert(address.clone()) {
            self.problems.push((start, format!("there is a second object for {address}")));
        }
        let attributes = match (json, flat) {
            (Some(json), _) => json,
            (None, Some(flat)) => flat,
            (None, None) => Attributes::Missing { at: start + 1, alone: members == 0 },
        };
        let (schema_version, version_range) = version;
        instances.push(Instance { address, schema_version, version_range, attributes });
        Ok(())
    }

    fn attributes(&mut self) -> Parsed<Attributes> {
        let name_at = self.reader.name_position();
        let found = self.reader.peek()?;
        let start = self.reader.position();
        if !matches!(found, Kind::Object | Kind::Null) {
            self.problems.push((start, format!("`attributes` must be an object, found {}", found.noun())));
        }
        self.reader.skip()?;
        Ok(Attributes::Json { name_at, range: start..self.reader.position() })
    }

    fn flat_attributes(&mut self) -> Parsed<Option<Attributes>> {
        let name_at = self.reader.name_position();
        if self.reader.peek()? == Kind::Null {
            self.reader.null()?;
            return Ok(None);
        }
        let mut map = BTreeMap::new();
        self.expect(Kind::Object, "`attributes_flat`")?;
        self.reader.open_object()?;
        while let Some(key) = self.reader.next_member(map.is_empty())? {
            let text = self.text("a value of `attributes_flat`")?;
            map.insert(key.into_owned(), text.into_owned());
        }
        Ok(Some(Attributes::Flat { range: name_at..self.reader.position(), map }))
    }

    fn index_key(&mut self) -> Parsed<InstanceKey<'t>> {
        let found = self.reader.peek()?;
        let start = self.reader.position();
        Ok(match found {
            Kind::Null => {
                self.reader.null()?;
                InstanceKey::None
            }
            Kind::Number => InstanceKey::Int(Cow::Borrowed(self.reader.number()?)),
            Kind::String => InstanceKey::Text(self.reader.string()?),
            _ => {
                self.problems.push((start, format!("`index_key` must be a number or a string, found {}", found.noun())));
                self.reader.skip()?;
                InstanceKey::None
            }
        })
    }

    fn status(&mut self) -> Parsed<()> {
        self.reader.peek()?;
        let start = self.reader.position();
        let status = self.text("`status`")?;
        if !matches!(&*status, "" | "tainted") {
            self.problems.push((start, format!("`status` is `tainted` or not there, not {status:?}")));
        }
        Ok(())
    }
}

fn wrong_version(version: u64, writer: &str) -> String {
    let by = if writer.is_empty() { String::new() } else { format!(", written by Terraform {writer}") };
    match version {
        0 => format!("format version 0 is no state file{by}"),
        1..=3 => format!(
            "this state file has format version {version}{by}; only version 4 is upgraded. \
             Run `terraform state pull` or any apply with Terraform 0.12 or later first, which rewrites it"
        ),
        _ => format!("this state file has format version {version}{by}, which is newer than version 4, the latest known here"),
    }
}
