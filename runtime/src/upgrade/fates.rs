//! The fate of stored values in an upgrade: which of them become secret later, and which end
//! because a later version never stores them.
//!
//! Write-only attributes are stored as null, so what an earlier release stored there ends with the
//! upgrade. Nothing of this runs for types without such attributes.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::context::Destination;
use super::definition::{ByVersion, Known, Path, ResourceDefinition, Source};
use super::history::{History, Step, UpgraderKind};
use super::operators::{Operators, pairs};
use super::raw_state::RawState;
use super::renames::of_step;
use crate::codec::json::{Kind, Reader};
use crate::path::{AttributePath, Container, Names, PathStep};
use crate::schema::{Attribute, Block, Members, NestedBlock, Node, Shape};

/// The attribute that a stored value becomes, and its fate there.
#[derive(Clone)]
struct Flow {
    to: Names,
    /// True if an attribute that it goes through is secret.
    secret: bool,
    /// True if an attribute that it goes through is never stored.
    ends: bool,
}

/// The ways of everything that state of `version` has to the model that `history` belongs to.
fn flows(history: &History, version: u64) -> Vec<(Names, Flow)> {
    let members = history.schema().block().members();
    let arrived = |(from, to): (Names, Names)| {
        let (secret, ends) = (members.is_secret_at(&to), members.is_write_only_at(&to));
        (from, Flow { to, secret, ends })
    };
    if version == history.version() {
        return pairs(&Operators::CARRY, members, members)
            .into_iter()
            .map(arrived)
            .collect();
    }
    let Some(step) = history
        .route(version)
        .and_then(|index| history.steps().get(index))
    else {
        return Vec::new();
    };
    if step.contains(version) {
        let own = history.steps().iter().filter(|step| step.contains(version));
        return own
            .flat_map(|step| of_step(step, history))
            .map(arrived)
            .collect();
    }
    let Some(prior) = step.prior() else {
        return Vec::new();
    };
    let mut onward: BTreeMap<Names, Vec<Flow>> = BTreeMap::new();
    for (from, flow) in of_step(step, history).into_iter().map(arrived) {
        onward.entry(from).or_default().push(flow);
    }
    let mut joined = Vec::new();
    for (from, before) in flows(prior, version) {
        let later = onward.get(&before.to);
        // A value that goes no further counts all the same, because it was secret or write-only at
        // the prior version or on the way to it.
        if later.is_none() && (before.secret || before.ends) {
            joined.push((from.clone(), before.clone()));
        }
        for after in later.into_iter().flatten() {
            let flow = Flow {
                to: after.to.clone(),
                secret: before.secret || after.secret,
                ends: before.ends || after.ends,
            };
            joined.push((from.clone(), flow));
        }
    }
    joined
}

impl Destination for History {
    fn secret_sources(&self, version: u64) -> BTreeSet<Names> {
        flows(self, version)
            .into_iter()
            .filter(|(_, flow)| flow.secret)
            .map(|(from, _)| from)
            .collect()
    }

    fn later_secrets(&self, version: u64) -> Option<BTreeSet<Names>> {
        if version == self.version() {
            return Some(BTreeSet::new());
        }
        let step = self.steps().get(self.route(version)?)?;
        if step.contains(version) {
            let own = self.steps().iter().filter(|step| step.contains(version));
            let found: Option<Vec<_>> = own.map(|step| secrets_by(step, self)).collect();
            return Some(found?.into_iter().flatten().collect());
        }
        let (prior, onward) = (step.prior()?, secrets_by(step, self)?);
        let mut found = prior.later_secrets(version)?;
        let ways = flows(prior, version);
        let is_new = |path: &Names| !ways.iter().any(|(_, flow)| flow.to == *path);
        if onward.iter().any(is_new) && calls_function(prior, version) {
            return None;
        }
        let ways = ways.into_iter();
        found.extend(
            ways.filter(|(_, flow)| onward.contains(&flow.to))
                .map(|(from, _)| from),
        );
        Some(found)
    }

    fn oldest(&self) -> u64 {
        Self::oldest(self)
    }

    fn hides(&self, name: &str) -> bool {
        Self::hides(self, name)
    }

    fn is_of_document(&self) -> bool {
        self.table().is_read_exactly()
    }
}

/// True if a function is on the way from state of `version`, which may put any value into anything.
fn calls_function(history: &History, version: u64) -> bool {
    if version == history.version() {
        return false;
    }
    let step = history
        .route(version)
        .and_then(|index| history.steps().get(index));
    step.is_some_and(|step| {
        if step.contains(version) {
            let mut own = history.steps().iter().filter(|step| step.contains(version));
            return own.any(is_function);
        }
        is_function(step)
            || step
                .prior()
                .is_some_and(|prior| calls_function(prior, version))
    })
}

fn is_function(step: &Step) -> bool {
    match step.written_as() {
        UpgraderKind::Conversion | UpgraderKind::Function | UpgraderKind::Raw => true,
        UpgraderKind::Operators(_)
        | UpgraderKind::Unchanged
        | UpgraderKind::Unsupported
        | UpgraderKind::NeverReleased => false,
    }
}

/// The attributes of a prior version whose values become, in one step, secret or a part of what
/// holds a secret; nothing if a function makes secrets that the prior version has not.
fn secrets_by(step: &Step, history: &History) -> Option<BTreeSet<Names>> {
    let current = history.schema().block().members();
    let prior = step.prior().map(|prior| prior.schema().block().members());
    let has_other_sources = match step.written_as() {
        UpgraderKind::Conversion | UpgraderKind::Function => brings_secrets(current, prior),
        // Without the prior version, because not even equal names are taken for the same here.
        UpgraderKind::Raw => brings_secrets(current, None),
        UpgraderKind::Operators(_)
        | UpgraderKind::Unchanged
        | UpgraderKind::Unsupported
        | UpgraderKind::NeverReleased => false,
    };
    if has_other_sources {
        return None;
    }
    let before = prior.unwrap_or(current);
    let becomes_secret = |(from, to): &(Names, Names)| {
        let is_plain = before.at(from).is_some_and(|node| node.objects().is_none());
        current.is_secret_at(to) || is_plain && current.at(to).is_some_and(Node::has_secret)
    };
    let pairs = of_step(step, history).into_iter().filter(becomes_secret);
    Some(pairs.map(|(from, _)| from).collect())
}

/// True if an object has a secret where its prior version has nothing of the name.
fn brings_secrets(current: Members<'_>, prior: Option<Members<'_>>) -> bool {
    let is_new = |name: &str| {
        let Some(before) = prior.and_then(|prior| prior.get(name)) else {
            return current.hides_below(name);
        };
        let inner = current.get(name).and_then(Node::objects);
        inner.is_some_and(|(inner, ..)| {
            brings_secrets(inner, before.objects().map(|(before, ..)| before))
        })
    };
    current.hides_rest && !prior.is_some_and(|prior| prior.hides_rest)
        || current.names().any(is_new)
}

fn owned(path: &Names) -> Path {
    path.iter().map(|name| (*name).to_owned()).collect()
}

impl ResourceDefinition {
    /// The attributes of state of `version` whose values become those of secret attributes, in that
    /// version or a later one.
    #[doc(hidden)]
    pub fn secrets_of(&self, version: u64) -> Arc<BTreeSet<Vec<String>>> {
        self.once(
            version,
            |known| &known.secret,
            || match self.history() {
                Some(history) => history.secret_sources(version).iter().map(owned).collect(),
                None => BTreeSet::new(),
            },
        )
    }

    /// Finds something out once for all states of a version, if there is room to keep it.
    fn once(
        &self,
        version: u64,
        room: impl Fn(&Known) -> &ByVersion,
        find: impl FnOnce() -> BTreeSet<Path>,
    ) -> Arc<BTreeSet<Path>> {
        let room = self.known().map(room);
        if let Some(found) = room.and_then(|room| room.read().ok()?.get(&version).cloned()) {
            return found;
        }
        let found = Arc::new(find());
        if let Some(mut all) = room.and_then(|room| room.write().ok()) {
            all.insert(version, Arc::clone(&found));
        }
        found
    }

    /// True if the `id` of state of `version` must not be shown.
    pub(super) fn hides_id(&self, version: u64) -> bool {
        self.hides("id")
            || self
                .secrets_of(version)
                .contains(["id".to_owned()].as_slice())
    }

    /// True if a value that is stored may end because its attribute is write-only.
    #[inline]
    pub(super) fn writes_only(&self) -> bool {
        match self.known() {
            Some(known) => *known.writes_only.get_or_init(|| self.has_write_only()),
            None => self.has_write_only(),
        }
    }

    #[cold]
    fn has_write_only(&self) -> bool {
        // An attribute may be write-only in one version only, so that all are looked at.
        self.prior_schemas()
            .into_iter()
            .map(|prior| prior.block)
            .chain([self.schema().block()])
            .any(has_write_only)
    }

    /// The attributes of state of `version` whose values end because they are write-only, there or
    /// later, and go nowhere else.
    fn ended(&self, version: u64) -> Arc<BTreeSet<Path>> {
        self.once(version, |known| &known.ended, || self.find_ended(version))
    }

    fn find_ended(&self, version: u64) -> BTreeSet<Path> {
        match self.source() {
            Source::Model { history, .. } => {
                let flows = flows(history, version);
                let kept: BTreeSet<&Names> = flows
                    .iter()
                    .filter(|(_, flow)| !flow.ends)
                    .map(|(from, _)| from)
                    .collect();
                let ends = flows
                    .iter()
                    .filter(|(from, flow)| flow.ends && !kept.contains(from));
                ends.map(|(from, _)| owned(from)).collect()
            }
            // Functions do not tell where a value goes; what has the same name is taken for the
            // same.
            Source::Dynamic(_) => {
                let mut found = BTreeSet::new();
                write_only_in(self.schema().block().members(), &mut Vec::new(), &mut found);
                found
            }
        }
    }

    /// The places at which this state, stored at `version`, holds a value that ends because its
    /// attribute is write-only.
    #[cold]
    pub(super) fn unwritten(&self, version: u64, raw: RawState<'_>) -> Vec<AttributePath> {
        let (ended, mut found) = (self.ended(version), Places::default());
        if ended.is_empty() {
            return Vec::new();
        }
        let prior = self.prior_schemas_of(version);
        let blocks = if version == self.version() {
            vec![self.schema().block()]
        } else {
            prior
        };
        let paths: Vec<&[String]> = ended.iter().map(Vec::as_slice).collect();
        match raw {
            RawState::Json(json) => {
                for members in blocks.into_iter().map(Block::members) {
                    let Ok(reader) = Reader::from_bytes(json) else {
                        break;
                    };
                    // A state that cannot be read was not upgraded.
                    let _ = Search {
                        reader,
                        members,
                        found: &mut found,
                    }
                    .object(&paths, &mut Vec::new());
                }
            }
            RawState::Flatmap(map) => {
                for (key, text) in map {
                    let is_part =
                        |part: &&str| !matches!(*part, "#" | "%") && part.parse::<u64>().is_err();
                    let names: Vec<&str> = key.split('.').filter(is_part).collect();
                    let is_nothing = (key.ends_with(".#") || key.ends_with(".%")) && text == "0";
                    if let Some(path) = paths
                        .iter()
                        .find(|path| !is_nothing && begins(&names, path))
                    {
                        found.add(path.iter().fold(AttributePath::new(), |path, name| {
                            path.attribute(name.clone())
                        }));
                    }
                }
            }
            RawState::Empty => {}
        }
        found.paths
    }
}

fn begins(names: &[&str], path: &[String]) -> bool {
    names.len() >= path.len() && names.iter().zip(path).all(|(name, wanted)| name == wanted)
}

fn has_write_only(block: &Block) -> bool {
    fn attribute(of: &Attribute) -> bool {
        of.is_write_only()
            || match of.shape() {
                Shape::Plain(_) => false,
                Shape::Nested(nested) => nested.attributes().iter().any(attribute),
            }
    }
    block.attributes().iter().any(attribute)
        || block
            .blocks()
            .iter()
            .map(NestedBlock::block)
            .any(has_write_only)
}

fn write_only_in(members: Members<'_>, at: &mut Path, found: &mut BTreeSet<Path>) {
    for name in members.names() {
        at.push(name.to_owned());
        match members.get(name) {
            Some(Node::Attribute(attribute)) if attribute.is_write_only() => {
                found.insert(at.clone());
            }
            Some(node) => node
                .objects()
                .into_iter()
                .for_each(|(inner, ..)| write_only_in(inner, at, found)),
            None => {}
        }
        at.pop();
    }
}

/// A search for values of some attributes in one document.
struct Search<'s, 'j> {
    reader: Reader<'j>,
    /// The schema that the document is of.
    members: Members<'s>,
    found: &'s mut Places,
}

/// Places of a document, each once: elements of a set have no name of their own.
#[derive(Default)]
struct Places {
    paths: Vec<AttributePath>,
    known: HashSet<String>,
}

impl Places {
    fn add(&mut self, path: AttributePath) {
        if self.known.insert(path.to_string()) {
            self.paths.push(path);
        }
    }
}

impl Search<'_, '_> {
    /// Looks in the value that comes next: an object, or a collection of objects.
    fn object(
        &mut self,
        paths: &[&[String]],
        at: &mut Vec<PathStep>,
    ) -> Result<(), crate::codec::DecodeError> {
        let container = self.members.container_at(at);
        match self.reader.peek()? {
            Kind::Object => {
                self.reader.open_object()?;
                let mut first = true;
                while let Some(name) = self.reader.next_member(first)? {
                    first = false;
                    if container == Container::Map {
                        at.push(PathStep::Key(name.into_owned()));
                        self.object(paths, at)?;
                    } else {
                        let below: Vec<&[String]> =
                            paths.iter().filter_map(|path| below(path, &name)).collect();
                        at.push(PathStep::Attribute(name.into_owned().into()));
                        self.member(&below, at)?;
                    }
                    at.pop();
                }
            }
            Kind::Array => {
                self.reader.open_array()?;
                let mut index = 0;
                while self.reader.next_element(index == 0)? {
                    at.push(if container == Container::Set {
                        PathStep::Element(None)
                    } else {
                        PathStep::Index(index)
                    });
                    self.object(paths, at)?;
                    at.pop();
                    index += 1;
                }
            }
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => self.reader.skip()?,
        }
        Ok(())
    }

    /// Looks at the value of a member that begins these paths: their rests.
    fn member(
        &mut self,
        paths: &[&[String]],
        at: &mut Vec<PathStep>,
    ) -> Result<(), crate::codec::DecodeError> {
        if paths.is_empty() {
            return self.reader.skip();
        }
        if !paths.iter().any(|path| path.is_empty()) {
            return self.object(paths, at);
        }
        if self.reader.peek()? != Kind::Null {
            let visible = self.members.visible(at).len;
            self.found.add(at.iter().take(visible).cloned().collect());
        }
        self.reader.skip()
    }
}

/// The rest of a path that begins with a name.
fn below<'p>(path: &'p [String], name: &str) -> Option<&'p [String]> {
    path.split_first()
        .filter(|(first, _)| *first == name)
        .map(|(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use crate::upgrade::{DowngradeRequest, UpgradeRequest, UpgradeResponse};
    use crate::{Object, Registry, Resource};

    const CANARY: &str = "CANARY-7-secret";

    /// Its password was stored before it became write-only.
    #[derive(Resource)]
    #[resource(type_name = "wo_carried", version = 1)]
    #[upgrade_from(0 => 1, carry)]
    struct Carried {
        id: String,
        #[attribute(write_only)]
        pw: Option<String>,
    }

    #[derive(Resource)]
    #[resource(type_name = "wo_renamed", version = 2)]
    #[upgrade_from(1, model = RenamedV1, rename(token => pw))]
    struct Renamed {
        id: String,
        #[attribute(write_only)]
        pw: Option<i64>,
    }

    #[derive(Resource)]
    #[resource(type_name = "wo_renamed", version = 1, prior)]
    #[upgrade_from(0, model = RenamedV0, rename(key => token), convert(token, empty = refuse))]
    struct RenamedV1 {
        id: String,
        token: Option<i64>,
    }

    #[derive(Resource)]
    #[resource(type_name = "wo_renamed", version = 0, prior)]
    struct RenamedV0 {
        id: String,
        key: Option<String>,
    }

    #[derive(Resource)]
    #[resource(type_name = "wo_nested", version = 1)]
    #[upgrade_from(0 => 1, drop(old: Option<String>, "the API no longer has it"))]
    struct Nested {
        id: String,
        #[block]
        rules: Vec<Rule>,
        #[attribute(set)]
        doors: Vec<Rule>,
    }

    #[derive(Object, PartialEq, Eq, PartialOrd, Ord)]
    struct Rule {
        name: String,
        #[attribute(write_only)]
        pin: Option<i64>,
    }

    /// The connection string holds a password, and no schema says so.
    #[derive(Resource)]
    #[resource(type_name = "wo_split", version = 1)]
    #[upgrade_from(0, model = SplitV0, split(conn, "{user}:{password}"))]
    struct Split {
        user: String,
        #[attribute(sensitive)]
        password: String,
    }

    #[derive(Resource)]
    #[resource(type_name = "wo_split", version = 0, prior)]
    struct SplitV0 {
        conn: String,
    }

    fn registry() -> Registry {
        Registry::new()
            .with::<Carried>()
            .with::<Renamed>()
            .with::<Nested>()
            .with::<Split>()
    }

    fn upgraded(type_name: &str, version: u64, state: &str) -> UpgradeResponse {
        registry().upgrade(&UpgradeRequest::json(type_name, version, state.as_bytes()))
    }

    fn dropped(response: &UpgradeResponse) -> Vec<String> {
        assert!(response.state().is_some(), "{}", response.diagnostics());
        response
            .dropped()
            .iter()
            .map(|dropped| format!("{}: {}", dropped.path, dropped.reason))
            .collect()
    }

    #[test]
    fn stored_values_of_write_only_attributes_are_reported_as_dropped() {
        let why = |path: &str| format!("{path}: {}", crate::upgrade::context::WRITE_ONLY);
        let state = format!(r#"{{"id": "a", "pw": "{CANARY}"}}"#);
        for version in [0, 1] {
            let response = upgraded("wo_carried", version, &state);
            assert_eq!(dropped(&response), [why("pw")], "version {version}");
            assert_eq!(
                response.state(),
                Some(br#"{"id":"a","pw":null}"#.as_slice())
            );
            assert_eq!(
                dropped(&upgraded(
                    "wo_carried",
                    version,
                    r#"{"id": "a", "pw": null}"#
                )),
                [""; 0]
            );
            assert_eq!(
                dropped(&upgraded("wo_carried", version, r#"{"id": "a"}"#)),
                [""; 0]
            );
            let registry = registry();
            let mut out = Vec::new();
            let prepared = registry.prepare("wo_carried", version).unwrap();
            let notes = prepared
                .upgrade_into(&state, crate::codec::Encoding::Json, &mut out)
                .unwrap();
            assert_eq!(notes.dropped(), response.dropped());
        }
        assert_eq!(
            dropped(&upgraded("wo_renamed", 1, r#"{"id": "a", "token": 7}"#)),
            [why("token")]
        );
        assert_eq!(
            dropped(&upgraded("wo_renamed", 0, r#"{"id": "a", "key": "7"}"#)),
            [why("key")]
        );
        let nested = r#"{"id": "a", "old": "x", "rules": [{"name": "n", "pin": null}, {"name": "n", "pin": 7}],
            "doors": [{"name": "m", "pin": 7}, {"name": "n", "pin": 8}]}"#;
        let expected = [
            "old: the API no longer has it".to_owned(),
            why("rules[1].pin"),
            why("doors[…].pin"),
        ];
        assert_eq!(dropped(&upgraded("wo_nested", 0, nested)), expected);
        let flat = [("id", "a"), ("pw", CANARY)]
            .map(|(key, text)| (key.to_owned(), text.to_owned()))
            .into();
        assert_eq!(
            dropped(&registry().upgrade(&UpgradeRequest::flatmap("wo_carried", 0, &flat))),
            [why("pw")]
        );
    }

    #[test]
    fn a_downgrade_names_the_stored_value_of_a_write_only_attribute_as_a_loss() {
        let state = format!(r#"{{"id": "a", "pw": "{CANARY}"}}"#);
        let request = DowngradeRequest::json("wo_carried", 1, 0, state.as_bytes());
        let response = registry().downgrade(&request);
        assert!(response.state().is_none());
        assert_eq!(
            response
                .losses()
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            ["pw: (sensitive)"]
        );
        assert!(!response.diagnostics().to_string().contains(CANARY));
    }

    #[test]
    fn no_message_quotes_what_becomes_secret() {
        for (type_name, state) in [
            ("wo_renamed", format!(r#"{{"id": "a", "key": "{CANARY}"}}"#)),
            ("wo_split", format!(r#"{{"conn": "{CANARY}"}}"#)),
            (
                "wo_carried",
                format!(r#"{{"id": "a", "pw": ["{CANARY}"]}}"#),
            ),
        ] {
            let response = upgraded(type_name, 0, &state);
            assert!(response.state().is_none(), "{type_name}");
            let message = response.diagnostics().to_string();
            assert!(
                !message.contains(CANARY) && message.contains("(at "),
                "{message}"
            );
        }
    }
}
