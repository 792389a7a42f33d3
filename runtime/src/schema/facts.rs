//! The facts that are declared for the rules of compatibility, and for validation. None of them
//! says how anything is stored.

use std::fmt;

use upstate_words::custom_resource;
#[doc(hidden)]
pub use upstate_words::facts::About;
pub use upstate_words::facts::GroupKind;

use super::attribute::DefaultValue;
use super::{Attribute, Block, Check, NestedBlock, Node, Presence, Schema, Shared, Type};
use crate::codec::Writer;

/// One declared fact. What has none carries an empty list of them.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// Something that is said in a word or sentence.
    Stated(About, Shared<str>),
    /// The value that the API takes if nothing is sent.
    ApiDefault(DefaultValue),
    /// A constraint between attributes.
    Group(GroupKind, Paths),
    /// A check that a configured value has to pass.
    Check(Check),
    /// The schema of its type, which the type itself has.
    OwnSchema {
        /// The type, by which it is compared.
        of: Shared<str>,
        /// Makes the schema, as JSON.
        make: MakeSchema,
    },
    /// A function that says of a change whether it replaces the resource.
    ReplacesIf {
        /// Its name, by which it is compared.
        name: Shared<str>,
        /// Takes the prior and the planned value as JSON.
        decide: Decide,
    },
    /// Something that it does in another way since a release.
    Behaviour {
        /// The behaviour, as a verb and the rest: `restarts on resize`.
        text: Shared<str>,
        /// The release that brought it.
        since: Shared<str>,
        /// The attribute that switches it on; empty if nothing does.
        flag: Shared<str>,
    },
    /// A finding that is let through.
    Allowed {
        /// The rule's name.
        rule: Shared<str>,
        /// The path below the item that the fact is declared on; if empty, that item and all inside
        /// of it.
        path: Shared<str>,
        /// Why.
        reason: Shared<str>,
        /// The release from which on it no longer is.
        until: Shared<str>,
    },
    /// Its names and versions in Kubernetes.
    CustomResource(&'static custom_resource::Facts),
}

/// A function about two values, which is compared by the name beside it.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Decide(pub fn(&str, &str) -> bool);

impl std::ops::Deref for Decide {
    type Target = fn(&str, &str) -> bool;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl PartialEq for Decide {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

debug_by_name!(Decide);

/// A function that makes a schema, which is compared by the type beside it.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct MakeSchema(pub fn() -> String);

impl PartialEq for MakeSchema {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

debug_by_name!(MakeSchema);

/// The members of a constraint, as paths of names in state.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub enum Paths {
    /// Part of the program.
    Static(&'static [&'static [&'static str]]),
    /// Built while the program runs, with dots between the names.
    Dotted(Vec<Shared<str>>),
}

impl Paths {
    /// The paths, name by name.
    pub(crate) fn names(&self) -> Vec<Vec<&str>> {
        match self {
            Self::Static(paths) => paths.iter().map(|path| path.to_vec()).collect(),
            Self::Dotted(paths) => paths.iter().map(|path| path.split('.').collect()).collect(),
        }
    }
}

impl Fact {
    #[doc(hidden)]
    #[must_use]
    pub const fn stated(about: About, text: &'static str) -> Self {
        Self::Stated(about, Shared::Static(text))
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn api_default(write: fn(&mut Writer<'_>)) -> Self {
        Self::ApiDefault(DefaultValue::Constant(write))
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn group(kind: GroupKind, paths: &'static [&'static [&'static str]]) -> Self {
        Self::Group(kind, Paths::Static(paths))
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn replaces_if(name: &'static str, decide: fn(&str, &str) -> bool) -> Self {
        Self::ReplacesIf {
            name: Shared::Static(name),
            decide: Decide(decide),
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn own_schema(of: &'static str, make: fn() -> String) -> Self {
        Self::OwnSchema {
            of: Shared::Static(of),
            make: MakeSchema(make),
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn behaviour(text: &'static str, since: &'static str, flag: &'static str) -> Self {
        Self::Behaviour {
            text: Shared::Static(text),
            since: Shared::Static(since),
            flag: Shared::Static(flag),
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn allowed(
        rule: &'static str,
        path: &'static str,
        reason: &'static str,
        until: &'static str,
    ) -> Self {
        Self::Allowed {
            rule: Shared::Static(rule),
            path: Shared::Static(path),
            reason: Shared::Static(reason),
            until: Shared::Static(until),
        }
    }
}

impl Fact {
    /// A word or sentence, and its subject.
    pub(crate) fn text(&self) -> Option<(About, &str)> {
        let Self::Stated(about, text) = self else {
            return None;
        };
        Some((*about, text))
    }

    /// True if it is about which values there are, and not about how lists and objects of them are
    /// merged, or whether null is one.
    pub(crate) fn is_about_values(&self) -> bool {
        let is_of_values = |about: About| match about {
            About::IntOrString | About::Rule | About::RuleMessage => true,
            About::RenamedFrom
            | About::ReplacedBy
            | About::NoReplacement
            | About::DeprecatedSince
            | About::RemoveIn
            | About::Format
            | About::Accepts
            | About::IdFormat
            | About::ImportFormat
            | About::Read
            | About::Tier
            | About::Destroy
            | About::ReadAs
            | About::Nullable
            | About::ListType
            | About::ListMapKey
            | About::MapType => false,
        };
        let is_word = self.text().is_some_and(|(about, _)| is_of_values(about));
        is_word || self.check().is_some() || self.made_schema().is_some()
    }

    /// A check.
    pub(crate) fn check(&self) -> Option<&Check> {
        let Self::Check(check) = self else {
            return None;
        };
        Some(check)
    }

    /// The function that makes the schema of its type.
    pub(crate) fn made_schema(&self) -> Option<fn() -> String> {
        let Self::OwnSchema { make, .. } = self else {
            return None;
        };
        Some(make.0)
    }
}

/// The words and sentences about `about`, in the order declared.
pub fn stated(facts: &[Fact], about: About) -> impl Iterator<Item = &str> {
    facts
        .iter()
        .filter_map(Fact::text)
        .filter_map(move |(what, text)| (what == about).then_some(text))
}

/// The stability that a resource is declared to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tier {
    /// Every change is announced.
    #[default]
    Stable,
    /// It may change, and is likely to stay.
    Preview,
    /// It may change or go at any time.
    Experimental,
}

impl Tier {
    /// Its name: `stable`, `preview`, `experimental`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Preview => "preview",
            Self::Experimental => "experimental",
        }
    }
}

/// The reason why something should no longer be used, and the release until which it can be.
///
/// A plain string also converts into it: the message that users see.
///
/// ```
/// use upstate::schema::{Attribute, Deprecated, Presence, Type};
///
/// let acl = Attribute::new("legacy_acl", Type::String, Presence::Optional)
///     .deprecate(Deprecated::new("Use `acl` instead.").replaced_by("acl").since("2.2.0").remove_in("3.0.0"));
/// assert_eq!(acl.deprecated(), Some("Use `acl` instead."));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Deprecated {
    pub(super) message: Shared<str>,
    pub(super) facts: Vec<Fact>,
}

impl Deprecated {
    /// With this message, which says what to do.
    pub fn new(message: impl Into<Shared<str>>) -> Self {
        Self {
            message: message.into(),
            facts: Vec::new(),
        }
    }

    fn saying(mut self, about: About, text: impl Into<Shared<str>>) -> Self {
        self.facts.push(Fact::Stated(about, text.into()));
        self
    }

    /// Adds a replacement: an attribute of the same object, or one by its path from the root; of a
    /// resource, another type. Several if it is split.
    #[must_use]
    pub fn replaced_by(self, name: impl Into<Shared<str>>) -> Self {
        self.saying(About::ReplacedBy, name)
    }

    /// Adds the reason why nothing takes its place.
    #[must_use]
    pub fn no_replacement(self, why: impl Into<Shared<str>>) -> Self {
        self.saying(About::NoReplacement, why)
    }

    /// The release that deprecated it.
    #[must_use]
    pub fn since(self, release: impl Into<Shared<str>>) -> Self {
        self.saying(About::DeprecatedSince, release)
    }

    /// The release that will remove it.
    #[must_use]
    pub fn remove_in(self, release: impl Into<Shared<str>>) -> Self {
        self.saying(About::RemoveIn, release)
    }
}

impl<T: Into<Shared<str>>> From<T> for Deprecated {
    fn from(message: T) -> Self {
        Self::new(message)
    }
}

/// Adds to a list that may be part of the program.
pub(super) fn add(facts: &mut Shared<[Fact]>, more: impl IntoIterator<Item = Fact>) {
    *facts = facts.iter().cloned().chain(more).collect();
}

/// Takes the place of what was declared about a deprecation before.
pub(super) fn replace_deprecation(facts: &mut Shared<[Fact]>, deprecated: Vec<Fact>) {
    use About::{DeprecatedSince, NoReplacement, RemoveIn, ReplacedBy};
    let stays = |fact: &&Fact| {
        !matches!(
            fact,
            Fact::Stated(ReplacedBy | NoReplacement | DeprecatedSince | RemoveIn, _)
        )
    };
    *facts = facts
        .iter()
        .filter(stays)
        .cloned()
        .chain(deprecated)
        .collect();
}

impl Attribute {
    #[doc(hidden)]
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// Sets the declared facts of the attribute.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_facts(mut self, facts: &'static [Fact]) -> Self {
        // In const evaluation nothing can be dropped, and there is nothing that would have to be.
        std::mem::forget(std::mem::replace(&mut self.facts, Shared::Static(facts)));
        self
    }

    fn stating(mut self, fact: Fact) -> Self {
        add(&mut self.facts, [fact]);
        self
    }

    /// Adds a former name; a path from the root if the attribute was elsewhere. Several names mean
    /// that several attributes were merged.
    #[must_use]
    pub fn renamed_from(self, name: impl Into<Shared<str>>) -> Self {
        self.stating(Fact::Stated(About::RenamedFrom, name.into()))
    }

    /// Names the form of its values: `uri`, `lower-case`, `epoch`.
    #[must_use]
    pub fn with_format(self, name: impl Into<Shared<str>>) -> Self {
        self.stating(Fact::Stated(About::Format, name.into()))
    }

    /// Adds another form of values that a configuration may use.
    #[must_use]
    pub fn accepting(self, form: impl Into<Shared<str>>) -> Self {
        self.stating(Fact::Stated(About::Accepts, form.into()))
    }

    /// Sets the API's value if none is sent, as JSON.
    #[must_use]
    pub fn with_api_default(self, json: impl Into<Shared<str>>) -> Self {
        self.stating(Fact::ApiDefault(DefaultValue::Json(json.into())))
    }

    /// The API's value if none is sent, as JSON, where it was declared.
    pub fn api_default_json(&self) -> Option<String> {
        self.facts.iter().find_map(|fact| {
            let Fact::ApiDefault(value) = fact else {
                return None;
            };
            Some(value.json())
        })
    }
}

impl Block {
    #[doc(hidden)]
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    pub(crate) fn with_facts_of(mut self, other: &Self) -> Self {
        self.facts = other.facts.clone();
        self
    }

    /// Adds a former name; a path from the root if the block was elsewhere.
    #[must_use]
    pub fn renamed_from(mut self, name: impl Into<Shared<str>>) -> Self {
        add(
            &mut self.facts,
            [Fact::Stated(About::RenamedFrom, name.into())],
        );
        self
    }
}

impl NestedBlock {
    /// Sets the declared facts of the blocks.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_facts(mut self, facts: &'static [Fact]) -> Self {
        std::mem::forget(std::mem::replace(
            &mut self.block.facts,
            Shared::Static(facts),
        ));
        self
    }
}

impl Schema {
    /// Sets the declared facts of the resource.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_facts(mut self, facts: &'static [Fact]) -> Self {
        std::mem::forget(std::mem::replace(
            &mut self.block.facts,
            Shared::Static(facts),
        ));
        self
    }

    fn stating(mut self, fact: Fact) -> Self {
        add(&mut self.block.facts, [fact]);
        self
    }

    /// Adds a constraint between attributes, given by name or path: `zone`, `settings.zone`.
    #[must_use]
    pub fn constrained<P: Into<Shared<str>>>(
        self,
        kind: GroupKind,
        members: impl IntoIterator<Item = P>,
    ) -> Self {
        let members = members.into_iter().map(Into::into).collect();
        self.stating(Fact::Group(kind, Paths::Dotted(members)))
    }

    /// Says how `id` is made from attributes: `{project}/{name}`.
    #[must_use]
    pub fn id_format(self, format: impl Into<Shared<str>>) -> Self {
        self.stating(Fact::Stated(About::IdFormat, format.into()))
    }

    /// Adds a form of id by which a resource can be imported.
    #[must_use]
    pub fn import_format(self, format: impl Into<Shared<str>>) -> Self {
        self.stating(Fact::Stated(About::ImportFormat, format.into()))
    }

    /// Says that outside the state there is nothing to read.
    #[must_use]
    pub fn never_read(self) -> Self {
        self.stating(Fact::stated(About::Read, "none"))
    }

    /// Sets how stable the resource is.
    #[must_use]
    pub fn tier(self, tier: Tier) -> Self {
        self.stating(Fact::stated(About::Tier, tier.name()))
    }

    /// Sets a word for what destroying the resource does, for example `abandons`.
    #[must_use]
    pub fn destroys_by(self, behaviour: impl Into<Shared<str>>) -> Self {
        self.stating(Fact::Stated(About::Destroy, behaviour.into()))
    }

    /// Says what the resource does in another way since a release, as a verb and the rest:
    /// `restarts on resize`. The flag is the attribute that switches it on, if one does.
    #[must_use]
    pub fn behaves(
        self,
        text: impl Into<Shared<str>>,
        since: impl Into<Shared<str>>,
        flag: Option<Shared<str>>,
    ) -> Self {
        self.stating(Fact::Behaviour {
            text: text.into(),
            since: since.into(),
            flag: flag.unwrap_or_else(|| "".into()),
        })
    }

    /// The constraints between attributes: the kind of each, and the paths of its members.
    pub fn constraints(&self) -> Vec<(GroupKind, Vec<Vec<&str>>)> {
        let groups = self.block.facts.iter().filter_map(|fact| {
            let Fact::Group(kind, paths) = fact else {
                return None;
            };
            Some((*kind, paths.names()))
        });
        groups.collect()
    }

    /// The problems of declared facts that cannot be, as sentences.
    pub(crate) fn mistaken_facts(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let members = self.block.members();
        for (kind, paths) in self.constraints() {
            let (is_sum, kind) = (kind.is_sum(), kind.name());
            if paths.len() < 2 {
                problems.push(format!("{kind} has fewer than two attributes"));
            }
            for path in paths {
                let shown = path.join(".");
                let node = members.at(&path);
                if is_sum && node.is_some_and(|node| !is_number(node)) {
                    problems.push(format!("{kind} names {shown}, which is not a number"));
                    continue;
                }
                match node.map(presence) {
                    None => problems.push(format!(
                        "{kind} names {shown}, which the schema does not have"
                    )),
                    Some(Some(Presence::Required)) if !is_sum => {
                        problems.push(format!("{kind} names {shown}, which is always set"));
                    }
                    Some(Some(Presence::Computed)) => {
                        problems.push(format!(
                            "{kind} names {shown}, which only the provider sets"
                        ));
                    }
                    Some(
                        Some(Presence::Required | Presence::Optional | Presence::OptionalComputed)
                        | None,
                    ) => {}
                }
            }
        }
        let formats = stated(&self.block.facts, About::IdFormat)
            .chain(stated(&self.block.facts, About::ImportFormat));
        for (format, name) in
            formats.flat_map(|format| parts(format).map(move |name| (format, name)))
        {
            if members.at(&name.split('.').collect::<Vec<_>>()).is_none() {
                problems.push(format!(
                    "the id format {format} has {{{name}}}, which the schema does not have"
                ));
            }
        }
        problems
    }
}

/// The names between the braces of an id format.
pub fn parts(format: &str) -> impl Iterator<Item = &str> {
    format
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
        .filter(|name| !name.is_empty())
}

fn is_number(node: Node<'_>) -> bool {
    match node {
        Node::Attribute(attribute) => attribute.implied_type() == Type::Number,
        Node::Block(_) => false,
    }
}

/// The presence of the node, if it is an attribute: it says who sets it.
fn presence(node: Node<'_>) -> Option<Presence> {
    match node {
        Node::Attribute(attribute) => Some(attribute.presence()),
        Node::Block(_) => None,
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
