//! Reading format 4: the members of the file, with the byte ranges that an upgrade replaces.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use upstate::__internal::{Mark, is_utf16};

use super::address::{Address, Mode, Resource};
use super::checks;
use super::error::{Found, StateFileError};
use super::names::{self, Quoted, Short};
use super::objects::Objects;
use super::outputs;
use super::record::{Known, Record};
use super::scan::{Look, Scanned, Scanner, Slot};

/// A state file of format 4, borrowed from its text.
pub struct StateFile<'t> {
    pub(super) text: &'t str,
    pub(super) header: Header<'t>,
    /// Every resource, also those without instances, and its provider.
    pub(super) resources: Vec<(Arc<Resource<'t>>, Arc<str>)>,
    pub(super) instances: Vec<Instance<'t>>,
}

/// The members at the top of a state file.
#[derive(Debug, Default)]
pub(super) struct Header<'t> {
    pub(super) writer: Cow<'t, str>,
    pub(super) serial: Option<(u64, Range<usize>)>,
    pub(super) lineage: Cow<'t, str>,
    pub(super) outputs: Option<Range<usize>>,
    pub(super) check_results: Option<Range<usize>>,
    /// Behind the `version` member's value: where a missing serial goes.
    pub(super) version_end: usize,
}

/// One instance of a resource or data source in a state file.
pub struct Instance<'t> {
    pub(super) text: &'t str,
    pub(super) address: Address<'t>,
    pub(super) provider: Arc<str>,
    pub(super) range: Range<usize>,
    pub(super) schema_version: u64,
    pub(super) version_range: Option<Range<usize>>,
    pub(super) attributes: Attributes,
    /// The paths that are marked as sensitive. Boxed: most instances have none.
    pub(super) sensitive: Option<Box<Range<usize>>>,
    /// The version of the identity's schema.
    pub(super) identity_version: u64,
}

#[derive(Debug)]
pub(super) enum Attributes {
    Json(Slot),
    /// The old flat form.
    Flat(Slot),
    /// Not there, which means an object without attributes: whether the instance has no other
    /// members either.
    Missing {
        alone: bool,
    },
}

upstate::__debug_parts! {
    /// Says what there is, not what it holds: stored values may be secrets.
    StateFile<'_> |self| {
        serial: self.header.serial,
        instances: self.instances,
    }
}

upstate::__debug_parts! {
    Instance<'_> |self| {
        address: format_args!("{}", self.address),
        schema_version: self.schema_version,
    }
}

impl<'t> StateFile<'t> {
    /// Reads a state file.
    ///
    /// # Errors
    /// Everything that keeps it from being a state file of format 4, with line and column: what is
    /// not JSON alone, everything else together.
    pub fn parse(bytes: &'t [u8]) -> Result<Self, StateFileError> {
        Self::read(bytes, Look::Closely)
    }

    /// Reads a state file that is to be upgraded, in a fraction of the time of
    /// [`parse`](Self::parse): whether the attributes of an instance are JSON is found out when
    /// [`upgrade_to`](Self::upgrade_to) comes to it, which then ends with an error that holds what
    /// `parse` would have answered. Ask nothing else of the attributes before.
    ///
    /// # Errors
    /// Everything else that `parse` refuses.
    ///
    /// ```
    /// use upstate::Registry;
    /// use upstate_state::{StateFile, StateFileError, UpgradeOptions};
    ///
    /// let broken = "{\n  \"version\": 4,\n  \"resources\": [\n    {\n      \"mode\": \"managed\",\n      \"type\": \"t\",\n      \"name\": \"n\",
    ///   \"provider\": \"provider.p\",\n      \"instances\": [{\"attributes\": {\n \"a\": 01 \n}}]\n    }\n  ]\n}";
    /// let expected = StateFile::parse(broken.as_bytes()).unwrap_err();
    /// let state = StateFile::parse_to_upgrade(broken.as_bytes())?;
    /// let error = state.upgrade_to(&Registry::new(), &UpgradeOptions::new(), &mut Vec::new(), |_| Ok(())).unwrap_err();
    /// let found = error.get_ref().and_then(|error| error.downcast_ref::<StateFileError>()).unwrap();
    /// assert_eq!(found.to_string(), expected.to_string());
    /// # Ok::<(), StateFileError>(())
    /// ```
    pub fn parse_to_upgrade(bytes: &'t [u8]) -> Result<Self, StateFileError> {
        Self::read(bytes, Look::ForBraces)
    }

    fn read(bytes: &'t [u8], look: Look) -> Result<Self, StateFileError> {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if first.is_none() {
            return Err(StateFileError::no_state());
        }
        if bytes.starts_with(b"tfstate") {
            return Err(StateFileError::whole(
                "this is a state file in the binary format of Terraform before 0.3; Terraform 0.6.16 is the last that reads it: \
                 rewrite it with that one, then with 0.12 or later",
            ));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let text = std::str::from_utf8(valid).unwrap_or_default();
            let message = if is_utf16(bytes) {
                "the file is UTF-16, by its byte order mark; save it as UTF-8 without that mark"
            } else {
                "the file is not UTF-8, so it is not a state file"
            };
            let message = message.to_owned();
            StateFileError::at(
                text,
                vec![Found {
                    range: valid.len()..valid.len(),
                    message,
                    secret: true,
                }],
            )
        })?;
        if look == Look::ForBraces {
            let mut scanner = Scanner::looking(text, look);
            if let Ok(Some(state)) = Parser::default().file(&mut scanner)
                && scanner.problems.is_empty()
                && scanner.attributes == look
            {
                return Ok(state);
            }
        }
        Self::parse_closely(text)
    }

    /// Reads all of a state file.
    pub(super) fn parse_closely(text: &'t str) -> Result<Self, StateFileError> {
        let mut scanner = Scanner::new(text);
        match Parser::default().file(&mut scanner) {
            Ok(Some(state)) if scanner.problems.is_empty() => Ok(state),
            Ok(_) => Err(StateFileError::at(text, scanner.problems)),
            Err(error) => {
                let message = format!("the file cannot be read: {}", error.problem());
                Err(StateFileError::at(
                    text,
                    vec![Found {
                        range: error.offset()..error.offset(),
                        message,
                        secret: true,
                    }],
                ))
            }
        }
    }

    /// The instances, in file order.
    pub fn instances(&self) -> &[Instance<'t>] {
        &self.instances
    }

    /// The file's serial; 0 if it has none.
    pub fn serial(&self) -> u64 {
        self.header.serial.as_ref().map_or(0, |(serial, _)| *serial)
    }

    /// The lineage: what tells this state from those of other configurations. Empty if there is
    /// none.
    pub fn lineage(&self) -> &str {
        &self.header.lineage
    }

    /// The version of the Terraform that wrote it; empty if it does not say.
    pub fn terraform_version(&self) -> &str {
        &self.header.writer
    }
}

/// The values that are common to the instances of a resource, while it is read.
#[derive(Clone)]
struct Entry<'t> {
    resource: Arc<Resource<'t>>,
    /// The provider, if the resource names one.
    provider: Option<Arc<str>>,
}

/// The resources and instances that have been read so far.
#[derive(Default)]
pub(super) struct Parser<'t> {
    /// The objects met: a resource may stand twice, an object may not.
    pub(super) met: HashMap<Arc<Resource<'t>>, Objects<'t>>,
    providers: Providers<'t>,
    pub(super) resources: Vec<(Arc<Resource<'t>>, Arc<str>)>,
    pub(super) instances: Vec<Instance<'t>>,
    known: Known<'t>,
}

/// Provider addresses, which are few, by their text.
#[derive(Default)]
struct Providers<'t> {
    all: HashMap<Cow<'t, str>, Arc<str>>,
    /// The one that was asked for last: most resources have that of the resource before.
    last: Option<(Cow<'t, str>, Arc<str>)>,
    /// Those of single instances; none where the text is not an address.
    own: HashMap<Cow<'t, str>, Option<Arc<str>>>,
}

impl<'t> Providers<'t> {
    /// A provider's address in its full form.
    fn of_resource(
        &mut self,
        scanner: &mut Scanner<'t>,
        (text, range): &(Cow<'t, str>, Range<usize>),
    ) -> Arc<str> {
        if let Some((known, provider)) = &self.last
            && known == text
        {
            return Arc::clone(provider);
        }
        let provider = if let Some(known) = self.all.get(text) {
            Arc::clone(known)
        } else {
            let Some(provider) = names::provider(text).map(Arc::<str>::from) else {
                scanner.problem(range.clone(), no_provider_address(text));
                return Arc::from("");
            };
            self.all.insert(text.clone(), Arc::clone(&provider));
            provider
        };
        self.last = Some((text.clone(), Arc::clone(&provider)));
        provider
    }

    /// The provider that an instance has of its own, if it is the address of one; if not, that is a
    /// problem only where the resource has none, because Terraform passes it over.
    fn of_instance(
        &mut self,
        scanner: &mut Scanner<'t>,
        (text, range): (Cow<'t, str>, Range<usize>),
        is_needed: bool,
    ) -> Option<Arc<str>> {
        let provider = match self.own.get(&text) {
            Some(known) => known.clone(),
            None => names::provider_instance(&text).map(Arc::<str>::from),
        };
        if provider.is_none() && is_needed {
            scanner.problem(range, no_provider_address(&text));
        }
        self.own.insert(text, provider.clone());
        provider
    }
}

impl<'t> Parser<'t> {
    fn file(mut self, scanner: &mut Scanner<'t>) -> Scanned<Option<StateFile<'t>>> {
        let mut version = None;
        let mut version_at = None;
        let mut differs = false;
        let mut header = Header::default();
        // Other formats have these members too, in another shape: they wait until the version is
        // known, which is at once in all files that Terraform writes.
        let mut waiting: Vec<(&'static str, Mark)> = Vec::new();
        let is_object = scanner.members("a state file", |scanner, name| {
            let start = scanner.start()?;
            match name {
                "version" => {
                    let before = version;
                    version = scanner
                        .unsigned("the format `version`")?
                        .map(|(version, _)| version);
                    differs |= before.is_some() && version.is_some() && before != version;
                    version_at = Some(start..scanner.reader.position());
                    // The last of a repeated name counts, so those that waited come before those
                    // that follow.
                    if version == Some(4) {
                        let here = scanner.reader.mark();
                        for (name, mark) in waiting.drain(..) {
                            scanner.reader.rewind(mark);
                            self.member(scanner, name, &mut header)?;
                        }
                        scanner.reader.rewind(here);
                    }
                    Ok(())
                }
                _ if version == Some(4) => self.member(scanner, name, &mut header),
                _ => {
                    if let Some(name) = MEMBERS.iter().find(|member| **member == name) {
                        waiting.push((name, scanner.reader.mark()));
                    }
                    scanner.reader.skip()
                }
            }
        })?;
        if !is_object {
            return Ok(None);
        }
        scanner.reader.end()?;
        let Some(range) = version_at else {
            scanner.problems.clear();
            scanner.problem(
                0..0,
                "there is no format `version`, so this is probably not a state file",
            );
            return Ok(None);
        };
        let Some(version) = version else {
            // The problem is noted; others would only be about other formats.
            scanner.problems.retain(|problem| problem.range == range);
            return Ok(None);
        };
        // Terraform takes the last one, and loses what is of the other when it writes the file.
        if differs {
            scanner.problems.clear();
            scanner.problem(
                range,
                "the file has several format `version`s, so it may be two state files in one; \
                 restore it from a backup, or remove what does not belong to it",
            );
            return Ok(None);
        }
        for (name, mark) in waiting {
            scanner.reader.rewind(mark);
            if name == "terraform_version" {
                self.member(scanner, name, &mut header)?;
            }
        }
        if version != 4 {
            scanner.problems.clear();
            scanner.problem(range, wrong_version(version, &header.writer));
            return Ok(None);
        }
        header.version_end = range.end;
        Ok(Some(StateFile {
            text: scanner.reader.text(),
            header,
            resources: self.resources,
            instances: self.instances,
        }))
    }

    /// Reads a member of a file of format 4.
    fn member(
        &mut self,
        scanner: &mut Scanner<'t>,
        name: &str,
        header: &mut Header<'t>,
    ) -> Scanned<()> {
        let start = scanner.start()?;
        match name {
            "terraform_version" | "lineage" if scanner.passes_null()? => {}
            "serial" if header.serial.is_some() && scanner.passes_null()? => {}
            "terraform_version" => {
                let (writer, range) = scanner.text("`terraform_version`")?;
                if !writer.is_empty() && !names::is_version(&writer) {
                    scanner.problem(
                        range,
                        format!(
                            "`terraform_version` must be a version such as 1.9.0, found {}",
                            Quoted(&writer)
                        ),
                    );
                }
                header.writer = writer;
            }
            "serial" => {
                if let Some(serial) = scanner.unsigned_or_null("`serial`")? {
                    header.serial = Some(serial);
                }
            }
            "lineage" => (header.lineage, _) = scanner.text("`lineage`")?,
            "outputs" => {
                outputs::read(scanner, |_, _| {})?;
                header.outputs = Some(start..scanner.reader.position());
            }
            "check_results" => {
                checks::read(scanner, |_| {})?;
                header.check_results = Some(start..scanner.reader.position());
            }
            "resources" => {
                // The last `resources` counts, so the instances of an earlier one are dropped, and
                // nothing looks at their attributes again.
                if !self.instances.is_empty() {
                    scanner.lose();
                }
                self.met.clear();
                self.resources.clear();
                self.instances.clear();
                self.resources(scanner)?;
            }
            _ => scanner.reader.skip()?,
        }
        Ok(())
    }

    pub(super) fn resource(&mut self, scanner: &mut Scanner<'t>) -> Scanned<()> {
        let start = scanner.start()?;
        let before = self.instances.len();
        let mut draft = Draft::default();
        // The place of the instances is kept, because they can be read only once the type is known;
        // and so is the name that they were read for.
        let mut instances_at = None;
        let mut read = None;
        let is_object = scanner.members("a resource", |scanner, name| {
            match name {
                "module" | "mode" | "type" | "name" | "provider" if scanner.passes_null()? => {
                    return Ok(());
                }
                "module" => {
                    let (module, range) = scanner.text("`module`")?;
                    if !module.is_empty() && !names::is_module_path(&module) {
                        let message = format!(
                            "`module` must be the path of a module such as module.a[0], found {}",
                            Quoted(&module)
                        );
                        scanner.problem(range, message);
                    }
                    draft.module = module;
                }
                "mode" => draft.mode = Some(scanner.text("`mode`")?),
                "type" => (draft.type_name, _) = scanner.text("`type`")?,
                "name" => (draft.name, _) = scanner.text("`name`")?,
                "each" => drop(scanner.text("`each`")?),
                "provider" => draft.provider = Some(scanner.text("`provider`")?),
                "instances" => {
                    self.forget(scanner, before, read.take());
                    scanner.reader.peek()?;
                    instances_at = Some(scanner.reader.mark());
                    // Terraform writes the members that distinguish the instances before them.
                    return if draft.is_complete() {
                        read = Some(self.instances_of(scanner, &draft, start)?);
                        Ok(())
                    } else {
                        scanner.reader.skip()
                    };
                }
                _ => return scanner.reader.skip(),
            }
            // If the instances were read already, it was under another name.
            self.forget(scanner, before, read.take());
            Ok(())
        })?;
        if !is_object {
            return Ok(());
        }
        let end = scanner.reader.mark();
        let entry = match (read, instances_at) {
            (Some(Read { entry, .. }), _) => entry,
            (None, Some(mark)) => {
                scanner.reader.rewind(mark);
                let Read { entry, .. } = self.instances_of(scanner, &draft, start)?;
                scanner.reader.rewind(end);
                entry
            }
            (None, None) => {
                let entry = draft.entry(&mut self.providers, scanner, start);
                if entry.provider.is_none() {
                    scanner.problem(start..start + 1, NO_PROVIDER);
                }
                entry
            }
        };
        self.resources
            .push((entry.resource, entry.provider.unwrap_or_default()));
        Ok(())
    }

    fn instances_of(
        &mut self,
        scanner: &mut Scanner<'t>,
        draft: &Draft<'t>,
        start: usize,
    ) -> Scanned<Read<'t>> {
        let problems = scanner.problems.len();
        let entry = draft.entry(&mut self.providers, scanner, start);
        let met = self.met.entry(Arc::clone(&entry.resource)).or_default();
        let text = scanner.reader.text();
        let (mut instances, mut with_own) = (0_usize, 0_usize);
        scanner.elements("`instances`", |scanner| {
            let Some(record) = Record::read(scanner, &mut self.known)? else {
                return Ok(());
            };
            let own = record.provider.filter(|(text, _)| !text.is_empty());
            instances += 1;
            with_own += usize::from(own.is_some());
            let is_needed = entry.provider.is_none();
            let own = own.and_then(|own| self.providers.of_instance(scanner, own, is_needed));
            let address = Address {
                resource: Arc::clone(&entry.resource),
                key: record.key.clone(),
                deposed: record.deposed.clone(),
            };
            if !met.insert((record.key, record.deposed)) {
                scanner.problem(
                    record.range.start..record.range.start + 1,
                    second_object(&address),
                );
            }
            let attributes = match (record.attributes, record.flat) {
                (Some(json), _) => Attributes::Json(json),
                (None, Some(flat)) => Attributes::Flat(flat),
                (None, None) => Attributes::Missing {
                    alone: record.members == 0,
                },
            };
            self.instances.push(Instance {
                text,
                address,
                provider: own.or_else(|| entry.provider.clone()).unwrap_or_default(),
                range: record.range,
                schema_version: record.schema_version,
                version_range: record.version_range,
                attributes,
                sensitive: record.sensitive.map(Box::new),
                identity_version: record.identity.version,
            });
            Ok(())
        })?;
        if entry.provider.is_none() && (instances == 0 || with_own < instances) {
            scanner.problem(start..start + 1, NO_PROVIDER);
        }
        Ok(Read {
            entry,
            problems: problems..scanner.problems.len(),
        })
    }

    /// Forgets the instances from `before` on, which were read too early.
    fn forget(&mut self, scanner: &mut Scanner<'t>, before: usize, read: Option<Read<'t>>) {
        let Some(Read { entry, problems }) = read else {
            return;
        };
        scanner.lose();
        scanner.problems.drain(problems);
        if let Some(met) = self.met.get_mut(&entry.resource) {
            for instance in self.instances.drain(before..) {
                met.remove(&(instance.address.key, instance.address.deposed));
            }
        }
    }
}

/// Instances that were read, under which name, and which of the problems are about them.
struct Read<'t> {
    entry: Entry<'t>,
    problems: Range<usize>,
}

/// A resource while its members are read.
#[derive(Default)]
struct Draft<'t> {
    module: Cow<'t, str>,
    mode: Option<(Cow<'t, str>, Range<usize>)>,
    type_name: Cow<'t, str>,
    name: Cow<'t, str>,
    provider: Option<(Cow<'t, str>, Range<usize>)>,
}

impl<'t> Draft<'t> {
    fn is_complete(&self) -> bool {
        self.mode.is_some()
            && !self.type_name.is_empty()
            && !self.name.is_empty()
            && self.provider.is_some()
    }

    /// The values that are common to the instances; what is wrong with them is noted.
    fn entry(
        &self,
        providers: &mut Providers<'t>,
        scanner: &mut Scanner<'t>,
        start: usize,
    ) -> Entry<'t> {
        let mode = match self.mode.as_ref().map(|(mode, range)| (&**mode, range)) {
            Some(("managed", _)) => Mode::Managed,
            Some(("data", _)) => Mode::Data,
            None | Some(("", _)) => {
                let message = "this resource has no `mode`, so its instances cannot be told apart";
                scanner.problem(start..start + 1, message);
                Mode::Managed
            }
            Some((other, range)) => {
                let message = format!(
                    "`mode` is `managed` or `data`, not {} (type {}, name {})",
                    Quoted(other),
                    Quoted(&self.type_name),
                    Quoted(&self.name)
                );
                scanner.problem(range.clone(), message);
                Mode::Managed
            }
        };
        for (missing, what) in [
            (self.type_name.is_empty(), "type"),
            (self.name.is_empty(), "name"),
        ] {
            if missing {
                let message =
                    format!("this resource has no `{what}`, so its instances cannot be told apart");
                scanner.problem(start..start + 1, message);
            }
        }
        let given = self.provider.as_ref().filter(|(text, _)| !text.is_empty());
        let provider = given.map(|given| providers.of_resource(scanner, given));
        let resource = Resource {
            module: self.module.clone(),
            mode,
            type_name: self.type_name.clone(),
            name: self.name.clone(),
        };
        Entry {
            resource: Arc::new(resource),
            provider,
        }
    }
}

/// The members of a file of format 4 beside its version.
const MEMBERS: [&str; 6] = [
    "terraform_version",
    "serial",
    "lineage",
    "outputs",
    "resources",
    "check_results",
];

const NO_PROVIDER: &str =
    "this resource has no `provider`, so the provider of its state is unknown";

fn no_provider_address(text: &str) -> String {
    format!(
        "`provider` must be an address such as provider[\"registry.terraform.io/hashicorp/aws\"], found {}",
        Quoted(text)
    )
}

/// Reports an object that is there twice.
pub(super) fn second_object(address: &Address<'_>) -> String {
    format!(
        "there is a second object for {}",
        Short(&address.to_string())
    )
}

fn wrong_version(version: u64, writer: &str) -> String {
    let by = if writer.is_empty() {
        String::new()
    } else {
        format!(", written by Terraform {}", Short(writer))
    };
    match version {
        0 => format!("format version 0 is not a state file{by}"),
        1..=3 => format!(
            "this state file has format version {version}{by}; only version 4 is upgraded. \
             Run `terraform state pull` or any apply with Terraform 0.12 or later first, which rewrites it"
        ),
        _ => format!(
            "this state file has format version {version}{by}, which is newer than version 4, the latest known here; \
             use a later release of this program"
        ),
    }
}
