//! The lanes of a type: each attribute through all versions of a route, as tables and pictures show
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::definition::{ResourceDefinition, Source};
use super::history::{History, Step, UpgraderKind};
use super::operators::{Line, ends, lines};
use super::renames::of_step;
use super::verdict::Verdicts;
use crate::schema::{Block, Members, Node, Shape};

type Names<'d> = Vec<&'d str>;

/// The attributes of a type through the versions of one route.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lanes {
    /// The versions on the route, the stored one first and the current one last; versions that
    /// share an upgrader are one range.
    pub versions: Vec<RangeInclusive<u64>>,
    /// The upgraders between them.
    pub upgraders: Vec<LaneUpgrader>,
    /// The attributes: first those of the current version in the order of its schema, then those
    /// that ended.
    pub lanes: Vec<Lane>,
}

/// An upgrader on a route.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneUpgrader {
    /// The way in which it is written, as the lock calls it.
    pub written_as: &'static str,
    /// The condition on the states that take it, if there are others.
    pub condition: Option<String>,
    /// The losses in both directions, as far as they are known.
    pub verdicts: Option<Verdicts>,
}

/// One attribute through the versions of a route. What lies in it has a lane of its own only where
/// its fate is another one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lane {
    /// Its path in each version, with dots between the names.
    pub places: Vec<Option<String>>,
    /// Its fate in each upgrader: one less than there are versions.
    pub fates: Vec<Fate>,
    /// True if it is sensitive or write-only in any version, so that no operator is quoted that
    /// could hold a value of it.
    pub is_secret: bool,
}

/// The effect of an upgrader on an attribute. Operators are as their author would write them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Neither version has it.
    Absent,
    /// It begins here as far as is known: the upgrader is a function over stored state of which no
    /// model says the shape.
    Unknown,
    /// It stays as it is.
    Kept,
    /// It goes on at another path.
    Moved,
    /// Its value or type becomes another one.
    Converted {
        /// The operators; none if a function does it.
        how: Vec<String>,
    },
    /// It is new.
    Added {
        /// The operators that give it a value; none if it starts as null or a function fills it.
        how: Vec<String>,
    },
    /// It is new and made of others.
    Split {
        /// The prior attributes.
        from: Vec<String>,
        /// The operators.
        how: Vec<String>,
    },
    /// Its value becomes a part of others, and it ends.
    Merged {
        /// The later attributes.
        into: Vec<String>,
    },
    /// It ends.
    Dropped {
        /// The author's reason; none if a function decides.
        reason: Option<String>,
    },
}

impl Fate {
    /// Its name: `absent`, `unknown`, `kept`, `moved`, `converted`, `added`, `split`, `merged`,
    /// `dropped`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Unknown => "unknown",
            Self::Kept => "kept",
            Self::Moved => "moved",
            Self::Converted { .. } => "converted",
            Self::Added { .. } => "added",
            Self::Split { .. } => "split",
            Self::Merged { .. } => "merged",
            Self::Dropped { .. } => "dropped",
        }
    }

    /// The operators that it names.
    pub fn how(&self) -> &[String] {
        match self {
            Self::Converted { how } | Self::Added { how } | Self::Split { how, .. } => how,
            Self::Absent
            | Self::Unknown
            | Self::Kept
            | Self::Moved
            | Self::Merged { .. }
            | Self::Dropped { .. } => &[],
        }
    }

    /// True if what lies in an attribute of that fate has the same one without saying so.
    const fn covers(&self, inner: &Self) -> bool {
        match (self, inner) {
            (Self::Absent, Self::Absent)
            | (Self::Unknown, Self::Unknown)
            | (Self::Kept | Self::Moved | Self::Converted { .. }, Self::Kept | Self::Moved)
            | (Self::Merged { .. } | Self::Dropped { .. }, Self::Dropped { reason: None }) => true,
            (Self::Added { .. } | Self::Split { .. }, Self::Added { how }) => how.is_empty(),
            (
                Self::Absent
                | Self::Unknown
                | Self::Kept
                | Self::Moved
                | Self::Converted { .. }
                | Self::Added { .. }
                | Self::Split { .. }
                | Self::Merged { .. }
                | Self::Dropped { .. },
                _,
            ) => false,
        }
    }
}

impl Lane {
    /// True if it is in every version at the same path with the same values.
    pub fn is_unchanged(&self) -> bool {
        self.fates.iter().all(|fate| *fate == Fate::Kept)
    }

    /// The last path that it has.
    pub fn last_path(&self) -> &str {
        self.places
            .iter()
            .flatten()
            .next_back()
            .map_or("", String::as_str)
    }
}

impl ResourceDefinition {
    /// The attributes of the type through its versions: a table for each route, without those that
    /// are the end of a longer one. A type without a prior version has none.
    ///
    /// ```
    /// use upstate::Resource;
    /// use upstate::upgrade::Fate;
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 1)]
    /// #[upgrade_from(0 => 1, rename(name => title), drop(color: String, "all notes are yellow"))]
    /// struct Note { title: String }
    ///
    /// let routes = Note::DEFINITION.lanes();
    /// let [title, color] = &routes[0].lanes[..] else { panic!() };
    /// assert_eq!(title.places, [Some("name".to_owned()), Some("title".to_owned())]);
    /// assert_eq!(title.fates, [Fate::Moved]);
    /// assert_eq!(color.fates, [Fate::Dropped { reason: Some("all notes are yellow".to_owned()) }]);
    /// ```
    pub fn lanes(&self) -> Vec<Lanes> {
        match self.source() {
            Source::Model { history, .. } => {
                let first = self
                    .supported_ranges()
                    .into_iter()
                    .map(|range| *range.start());
                let chains: Vec<_> = first.flat_map(|version| chains(history, version)).collect();
                let is_end_of = |short: &Chain, long: &Chain| {
                    let same = |(a, b): (&Link, &Link)| std::ptr::eq(a.1, b.1);
                    short.len() < long.len() && short.iter().rev().zip(long.iter().rev()).all(same)
                };
                let whole = chains
                    .iter()
                    .filter(|chain| !chains.iter().any(|other| is_end_of(chain, other)));
                whole.map(of_chain).collect()
            }
            Source::Dynamic(_) => {
                let routes: Vec<Vec<u64>> = self
                    .supported_versions()
                    .iter()
                    .map(|stored| self.route(*stored))
                    .collect();
                let is_end_of = |short: &Vec<u64>, long: &Vec<u64>| {
                    short.len() < long.len() && long.ends_with(short)
                };
                let whole = routes
                    .iter()
                    .filter(|route| !routes.iter().any(|other| is_end_of(route, other)));
                whole.map(|route| self.of_schemas(route)).collect()
            }
        }
    }

    /// The lanes of a definition made at run time, whose upgraders are functions.
    fn of_schemas(&self, route: &[u64]) -> Lanes {
        let block = |version: &u64| {
            if *version == self.version() {
                Some(self.schema().block())
            } else {
                self.prior_schemas_of(*version).into_iter().next()
            }
        };
        let members: Vec<Option<Members<'_>>> = route
            .iter()
            .map(|version| block(version).map(Block::members))
            .collect();
        let between = members.windows(2).map(|pair| match pair {
            [Some(prior), Some(current)] => Between::of_functions(*prior, *current),
            [..] => Between::default(),
        });
        let upgrader = |_| LaneUpgrader {
            written_as: "function",
            condition: None,
            verdicts: None,
        };
        Lanes {
            versions: route.iter().map(|version| *version..=*version).collect(),
            upgraders: route.iter().skip(1).map(upgrader).collect(),
            lanes: lanes(&members, &between.collect::<Vec<_>>()),
        }
    }
}

/// An upgrader with the history that it leads to.
type Link = (&'static History, &'static Step);
/// The upgraders of a route, the first one first.
type Chain = Vec<Link>;

/// The routes of state of a version: several if the state decides between upgraders.
fn chains(history: &'static History, version: u64) -> Vec<Chain> {
    let own = history
        .steps()
        .iter()
        .filter(|step| step.contains(version) && !step.is_refused());
    let own: Vec<Chain> = own.map(|step| vec![(history, step)]).collect();
    if !own.is_empty() {
        return own;
    }
    let Some(step) = history
        .route(version)
        .and_then(|index| history.steps().get(index))
    else {
        return Vec::new();
    };
    let before = step
        .prior()
        .map(|prior| chains(prior, version))
        .unwrap_or_default();
    before
        .into_iter()
        .map(|chain| chain.into_iter().chain([(history, step)]).collect())
        .collect()
}

fn of_chain(chain: &Chain) -> Lanes {
    let prior = |(to, step): &Link| match (step.prior(), step.written_as()) {
        (Some(prior), _) => Some(prior.schema().block().members()),
        (None, UpgraderKind::Unchanged) => Some(to.schema().block().members()),
        (None, _) => None,
    };
    let current = chain.last().map(|(to, _)| to.schema().block().members());
    let members: Vec<Option<Members<'static>>> = chain.iter().map(prior).chain([current]).collect();
    let between: Vec<Between<'static>> = chain
        .iter()
        .zip(&members)
        .map(|(link, prior)| Between::of_link(link, *prior))
        .collect();
    let upgrader = |(to, step): &Link| LaneUpgrader {
        written_as: step.written_as().name(),
        condition: step.condition().map(|condition| condition.to_string()),
        verdicts: Some(to.verdicts(step)),
    };
    let last = chain.last().map(|(to, _)| to.version()..=to.version());
    Lanes {
        versions: chain
            .iter()
            .map(|(_, step)| step.from()..=step.last())
            .chain(last)
            .collect(),
        upgraders: chain.iter().map(upgrader).collect(),
        lanes: lanes(&members, &between),
    }
}

/// The attributes between two versions, as far as their upgrader declares them.
#[derive(Default)]
struct Between<'d> {
    pairs: BTreeSet<(Names<'d>, Names<'d>)>,
    lines: Vec<Line>,
    ends: BTreeMap<Names<'d>, &'static str>,
}

impl Between<'static> {
    fn of_link((to, step): &Link, prior: Option<Members<'static>>) -> Self {
        let current = to.schema().block().members();
        let pairs = of_step(step, to);
        let (UpgraderKind::Operators(operators), Some(prior)) = (step.written_as(), prior) else {
            return Self {
                pairs,
                ..Self::default()
            };
        };
        Self {
            pairs,
            lines: lines(operators, prior, current),
            ends: ends(operators, prior, current).into_iter().collect(),
        }
    }
}

impl<'d> Between<'d> {
    /// A function tells nothing, so that what has the same path counts as the same.
    fn of_functions(prior: Members<'d>, current: Members<'d>) -> Self {
        let there = paths(prior);
        let same = paths(current)
            .into_iter()
            .filter(|path| there.contains(path));
        Self {
            pairs: same.map(|path| (path.clone(), path)).collect(),
            ..Self::default()
        }
    }

    /// The operators that make an attribute, apart from those that only bring its value there; what
    /// is new is null unless they say otherwise.
    fn how(&self, target: &Names<'_>, is_new: bool) -> Vec<String> {
        let is_news =
            |line: &&Line| line.target == *target && !line.passes && !(is_new && line.is_null);
        let own = self.lines.iter().filter(is_news);
        own.map(|line| {
            if line.reads_secret {
                line.word.to_owned()
            } else {
                line.text.clone()
            }
        })
        .collect()
    }

    /// The place to which each attribute goes on, one for each: of several, the one with the same
    /// path.
    fn goals(&self) -> BTreeMap<&Names<'d>, &Names<'d>> {
        let (mut goals, mut taken) = (BTreeMap::new(), BTreeSet::new());
        let (same, other): (Vec<_>, Vec<_>) = self.pairs.iter().partition(|(from, to)| from == to);
        for (from, to) in same.into_iter().chain(other) {
            if !goals.contains_key(from) && taken.insert(to) {
                goals.insert(from, to);
            }
        }
        goals
    }
}

/// All paths of an object, each before those in it.
fn paths<'d>(members: Members<'d>) -> Vec<Names<'d>> {
    let mut all = Vec::new();
    for name in members.names() {
        all.push(vec![name]);
        let inner = members
            .get(name)
            .and_then(Node::objects)
            .map(|(inner, ..)| paths(inner))
            .unwrap_or_default();
        all.extend(
            inner
                .into_iter()
                .map(|path| std::iter::once(name).chain(path).collect::<Names<'d>>()),
        );
    }
    all
}

/// The form of a value: nested objects are compared by their own attributes.
fn form(node: Node<'_>) -> String {
    match node {
        Node::Attribute(attribute) => match attribute.shape() {
            Shape::Plain(ty) => ty.to_string(),
            Shape::Nested(nested) => format!("{:?}", nested.nesting()),
        },
        Node::Block(block) => format!("{:?}", block.nesting()),
    }
}

/// A lane that is still drawn.
#[derive(Clone)]
struct Draft<'d> {
    places: Vec<Option<Names<'d>>>,
    fates: Vec<Fate>,
}

fn lanes(members: &[Option<Members<'_>>], between: &[Between<'_>]) -> Vec<Lane> {
    let mut drafts: Vec<Draft<'_>> = Vec::new();
    let first = members
        .first()
        .copied()
        .flatten()
        .map(paths)
        .unwrap_or_default();
    drafts.extend(first.into_iter().map(|path| Draft {
        places: vec![Some(path)],
        fates: Vec::new(),
    }));
    for (index, (pair, between)) in members.windows(2).zip(between).enumerate() {
        let [prior, current] = pair else { continue };
        step(&mut drafts, index, *prior, *current, between);
    }
    let is_secret = |draft: &Draft<'_>| {
        let secret = |(members, path): (&Option<Members<'_>>, &Option<Names<'_>>)| {
            members
                .zip(path.as_ref())
                .is_some_and(|(members, path)| members.is_secret_at(path))
        };
        members.iter().zip(&draft.places).any(secret)
    };
    let current = members
        .last()
        .copied()
        .flatten()
        .map(paths)
        .unwrap_or_default();
    let order: BTreeMap<&Names<'_>, usize> = current
        .iter()
        .enumerate()
        .map(|(index, path)| (path, index))
        .collect();
    let place = |draft: &Draft<'_>| {
        draft
            .places
            .last()
            .and_then(Option::as_ref)
            .and_then(|path| order.get(path).copied())
    };
    let mut shown: Vec<Draft<'_>> = drafts
        .iter()
        .filter(|draft| !goes_along(draft, &drafts))
        .cloned()
        .collect();
    shown.sort_by_key(|draft| place(draft).unwrap_or(usize::MAX));
    let finished = shown.into_iter().map(|draft| {
        let is_secret = is_secret(&draft);
        // An operator on it may quote a value, be it secret in that version or in another one.
        let fates = if is_secret {
            draft.fates.into_iter().map(words_only).collect()
        } else {
            draft.fates
        };
        let places = draft
            .places
            .into_iter()
            .map(|path| path.map(|path| path.join(".")))
            .collect();
        Lane {
            places,
            fates,
            is_secret,
        }
    });
    finished.collect()
}

fn words_only(fate: Fate) -> Fate {
    let words = |how: Vec<String>| {
        how.iter()
            .map(|text| text.split('(').next().unwrap_or_default().to_owned())
            .collect()
    };
    match fate {
        Fate::Converted { how } => Fate::Converted { how: words(how) },
        Fate::Added { how } => Fate::Added { how: words(how) },
        Fate::Split { from, how } => Fate::Split {
            from,
            how: words(how),
        },
        other @ (Fate::Absent
        | Fate::Unknown
        | Fate::Kept
        | Fate::Moved
        | Fate::Merged { .. }
        | Fate::Dropped { .. }) => other,
    }
}

/// Goes on with all lanes from one version to the next.
fn step<'d>(
    drafts: &mut Vec<Draft<'d>>,
    index: usize,
    prior: Option<Members<'d>>,
    current: Option<Members<'d>>,
    between: &Between<'d>,
) {
    let goals = between.goals();
    let current_paths = current.map(paths).unwrap_or_default();
    let at = |members: Option<Members<'d>>, path: &Names<'d>| {
        members.and_then(|members| members.at(path))
    };
    let mut claimed: BTreeSet<Names<'d>> = BTreeSet::new();
    for draft in drafts.iter_mut() {
        let Some(path) = draft.places.last().cloned().flatten() else {
            draft.places.push(None);
            draft.fates.push(Fate::Absent);
            continue;
        };
        let replaced =
            || current_paths.contains(&path) && !goals.values().any(|goal| **goal == path);
        let goal = goals
            .get(&path)
            .map(|goal| (*goal).clone())
            .or_else(|| replaced().then(|| path.clone()));
        let (place, fate) = match goal {
            Some(goal) => {
                let how = between.how(&goal, false);
                let (before, after) = (at(prior, &path).map(form), at(current, &goal).map(form));
                let fate = if !how.is_empty() || before != after || !goals.contains_key(&path) {
                    Fate::Converted { how }
                } else if goal == path {
                    Fate::Kept
                } else {
                    Fate::Moved
                };
                claimed.insert(goal.clone());
                (Some(goal), fate)
            }
            None => (None, ended(&path, between)),
        };
        draft.places.push(place);
        draft.fates.push(fate);
    }
    for path in current_paths
        .into_iter()
        .filter(|path| !claimed.contains(path))
    {
        let mut from: BTreeSet<String> = between
            .pairs
            .iter()
            .filter(|(_, to)| *to == path)
            .map(|(from, _)| from.join("."))
            .collect();
        let own = between.lines.iter().filter(|line| line.target == path);
        from.extend(own.flat_map(|line| line.reads.iter().map(|path| path.join("."))));
        let how = between.how(&path, true);
        let fate = match (prior, from.is_empty()) {
            (None, _) => Fate::Unknown,
            (Some(_), true) => Fate::Added { how },
            (Some(_), false) => Fate::Split {
                from: from.into_iter().collect(),
                how,
            },
        };
        let mut places = vec![None; index + 1];
        places.push(Some(path));
        let mut fates = vec![Fate::Absent; index];
        fates.push(fate);
        drafts.push(Draft { places, fates });
    }
}

/// The end of an attribute that goes on nowhere.
fn ended(path: &Names<'_>, between: &Between<'_>) -> Fate {
    if let Some(reason) = between.ends.get(path) {
        return Fate::Dropped {
            reason: Some((*reason).to_owned()),
        };
    }
    let mut into: BTreeSet<String> = between
        .pairs
        .iter()
        .filter(|(from, _)| from == path)
        .map(|(_, to)| to.join("."))
        .collect();
    let readers = between
        .lines
        .iter()
        .filter(|line| line.reads.contains(path));
    into.extend(readers.map(|line| line.target.join(".")));
    if into.is_empty() {
        Fate::Dropped { reason: None }
    } else {
        Fate::Merged {
            into: into.into_iter().collect(),
        }
    }
}

/// True if a lane lies at one place of another lane in every version and has the same fates.
fn goes_along(draft: &Draft<'_>, drafts: &[Draft<'_>]) -> bool {
    drafts.iter().any(|outer| {
        let mut inside = draft
            .places
            .iter()
            .zip(&outer.places)
            .filter_map(|pair| match pair {
                (Some(inner), Some(outer)) => Some(
                    inner
                        .strip_prefix(outer.as_slice())
                        .filter(|rest| !rest.is_empty()),
                ),
                (None, None) => None,
                (None, Some(_)) | (Some(_), None) => Some(None),
            });
        let first = inside.next().flatten();
        first.is_some()
            && inside.all(|rest| rest == first)
            && outer
                .fates
                .iter()
                .zip(&draft.fates)
                .all(|(outer, inner)| outer.covers(inner))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Presence, Schema, Type};
    use crate::upgrade::ClosureUpgrader;
    use crate::{Diagnostics, Object, Resource, Value};

    #[derive(Resource)]
    #[resource(type_name = "lane_host", version = 2)]
    #[upgrade_from(1 => 2, rename(title => name), default(retries = 3), convert(port: Option<String>, empty = null))]
    #[upgrade_from(0 => 1, drop(legacy: Option<String>, "the API no longer has it"), split(place: String, "{region}-{zone}"))]
    struct Host {
        name: String,
        retries: i64,
        port: Option<i64>,
        region: String,
        zone: String,
    }

    fn line(lane: &Lane) -> String {
        let paths = lane
            .places
            .iter()
            .map(|path| path.as_deref().unwrap_or("-"))
            .collect::<Vec<_>>();
        let fates = lane.fates.iter().map(Fate::name).collect::<Vec<_>>();
        format!("{}: {}", paths.join(" "), fates.join(" "))
    }

    fn lines_of(definition: &ResourceDefinition) -> Vec<Vec<String>> {
        definition
            .lanes()
            .iter()
            .map(|route| route.lanes.iter().map(line).collect())
            .collect()
    }

    #[test]
    fn each_attribute_has_a_lane_through_all_versions() {
        let expected = [
            "title title name: kept moved",
            "port port port: kept converted",
            "place region region: converted kept",
            "retries retries retries: kept converted",
            "- zone zone: split kept",
            "legacy - -: dropped absent",
        ];
        let routes = Host::DEFINITION.lanes();
        assert_eq!(lines_of(Host::DEFINITION), [expected]);
        assert_eq!(routes[0].versions, [0..=0, 1..=1, 2..=2]);
        assert_eq!(
            routes[0].lanes[3].fates[1],
            Fate::Converted {
                how: vec!["default(retries = 3)".to_owned()]
            }
        );
        let how = vec!["split(place, \"{region}-{zone}\"): zone => zone".to_owned()];
        assert_eq!(
            routes[0].lanes[4].fates[0],
            Fate::Split {
                from: vec!["place".to_owned()],
                how
            }
        );
        assert_eq!(
            routes[0].lanes[5].fates[0],
            Fate::Dropped {
                reason: Some("the API no longer has it".to_owned())
            }
        );
    }

    #[derive(Resource)]
    #[resource(type_name = "lane_nest", version = 2)]
    #[upgrade_from(1, model = NestV1)]
    #[upgrade_from(0, model = NestV0, rename(port => rule.port), set(rule.name = null), set(rule.note = null), set(doors = []))]
    struct Nest {
        id: String,
        rule: Rule,
        #[attribute(set)]
        doors: Vec<Door>,
    }

    #[derive(Object)]
    struct Rule {
        port: Option<i64>,
        name: Option<String>,
        note: Option<String>,
    }

    #[derive(Object, PartialEq, Eq, PartialOrd, Ord)]
    struct Door {
        color: String,
    }

    #[derive(Resource)]
    #[resource(type_name = "lane_nest", version = 1, prior)]
    struct NestV1 {
        id: String,
        rule: Rule,
    }

    impl From<NestV1> for Nest {
        fn from(prior: NestV1) -> Self {
            Self {
                id: prior.id,
                rule: prior.rule,
                doors: Vec::new(),
            }
        }
    }

    #[derive(Resource)]
    #[resource(type_name = "lane_nest", version = 0, prior)]
    struct NestV0 {
        id: String,
        port: Option<i64>,
    }

    #[test]
    fn nested_attributes_have_a_lane_only_where_their_fate_is_their_own() {
        let direct = [
            "- doors: added",
            "id id: kept",
            "- rule: added",
            "port rule.port: moved",
        ];
        let function = ["- doors: added", "id id: kept", "rule rule: kept"];
        assert_eq!(
            lines_of(Nest::DEFINITION),
            [direct.as_slice(), function.as_slice()]
        );
        assert_eq!(
            Nest::DEFINITION.lanes()[1].upgraders[0].written_as,
            "conversion"
        );
    }

    const CANARY: &str = "CANARY-9-secret";

    #[derive(Resource)]
    #[resource(type_name = "lane_secret", version = 2)]
    #[upgrade_from(1 => 2, rename(key => token), only_if(all(lacks(old), is(key, "CANARY-9-secret")), set(old = true)))]
    #[upgrade_from(0 => 1, default(key = "CANARY-9-secret"))]
    struct Secret {
        #[attribute(sensitive)]
        token: String,
        old: Option<bool>,
    }

    #[test]
    fn no_operator_quotes_a_value_of_a_secret_attribute() {
        let routes = Secret::DEFINITION.lanes();
        assert_eq!(
            lines_of(Secret::DEFINITION),
            [[
                "old old old: kept converted",
                "key key token: converted moved"
            ]]
        );
        assert!(routes[0].lanes[1].is_secret && !routes[0].lanes[0].is_secret);
        assert_eq!(routes[0].lanes[1].fates[0].how(), ["default"]);
        assert_eq!(routes[0].lanes[0].fates[1].how(), ["set"]);
        assert!(!format!("{routes:?}").contains(CANARY));
    }

    #[derive(Resource)]
    #[resource(type_name = "lane_range", version = 500)]
    #[upgrade_from(0 => 1, rename(name => title))]
    #[upgrade_from(1..=499 => 500, carry)]
    struct Range {
        title: String,
    }

    #[test]
    fn versions_that_share_an_upgrader_are_one_column() {
        assert_eq!(
            Range::DEFINITION.lanes()[0].versions,
            [0..=0, 1..=499, 500..=500]
        );
        assert_eq!(
            lines_of(Range::DEFINITION),
            [["name title title: moved kept"]]
        );
    }

    #[test]
    fn a_definition_made_at_run_time_is_compared_by_its_schemas() {
        let schema = |version, names: [&'static str; 2]| {
            let text = |name| Attribute::new(name, Type::String, Presence::Optional);
            Schema::new(version, Block::new(names.map(text)))
        };
        let carry = ClosureUpgrader::new(0, |value: Value, _| Ok::<_, Diagnostics>(value))
            .prior_schema(&schema(0, ["a", "b"]));
        let builder = ResourceDefinition::builder("lane_closure", schema(1, ["b", "c"]));
        let definition = builder.upgrader(carry).build().unwrap();
        assert_eq!(
            lines_of(&definition),
            [["b b: kept", "- c: added", "a -: dropped"]]
        );
    }
}
