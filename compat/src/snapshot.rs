//! The data by which releases are compared: resources as data, whether they come from models, a
//! lock file or somebody's JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;
use upstate::__internal::Canonical;
use upstate_words::lock::{Form, Notation, Null, Stored};

use super::api::CustomResourceSnapshot;
use super::date::Date;
use super::finding::Waiver;
use super::release::Release;
use super::stored_type::StoredType;
use super::upgraders::Upgrader;
pub use upstate::schema::{GroupKind, Nesting};

/// Everything one release of a program serves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// The release; nothing if it has no number yet.
    pub release: Option<Release>,
    /// The resources, by type name; and what else is served, by its address: `data.example_thing`,
    /// `function.join`, `provider`.
    pub resources: BTreeMap<String, ResourceSnapshot>,
    /// The prior schemas that are known, by type name and version.
    pub priors: BTreeMap<String, BTreeMap<u64, ResourceSnapshot>>,
    /// Type names that are gone and what they are called now.
    pub renamed: BTreeMap<String, String>,
    /// The members of objects inside of a document's types that must be there, by type name, as
    /// paths of findings with `*` for each flattened enum or map. Only models know them: the types
    /// in a lock do not say it.
    pub required_inside: BTreeMap<String, BTreeSet<String>>,
    /// The waivers that the program itself declares, in addition to those of the options.
    pub waivers: Vec<Waiver>,
    /// True if some of it was never released, so that nothing can be judged against it.
    pub unreleased: bool,
    /// The day of the release.
    pub date: Option<Date>,
    /// The days of earlier releases, as far as the lock has them.
    pub dates: BTreeMap<Release, Date>,
}

impl Snapshot {
    /// A digest of all its resources, sixteen hexadecimal digits.
    ///
    /// # Errors
    /// A resource cannot be written as JSON: a digest without it would be that of another release.
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        let mut hash = upstate_words::Hash::new();
        for (type_name, resource) in &self.resources {
            // The outcome of a test, and the source of the snapshot, are not part of the resource,
            // so that they do not count.
            let resource = ResourceSnapshot {
                fixtures: BTreeMap::new(),
                knows_forms: false,
                ..resource.clone()
            };
            hash = hash
                .text(type_name)
                .text(&serde_json::to_string(&resource)?);
        }
        Ok(format!("{:016x}", hash.finish()))
    }
}

/// One resource at one schema version, with everything a rule reads.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ResourceSnapshot {
    /// The schema version.
    pub version: u64,
    /// The attributes, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, AttributeSnapshot>,
    /// The nested blocks, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub blocks: BTreeMap<String, BlockSnapshot>,
    /// The flattened enums and maps of a document, by the path of the object that holds them;
    /// nothing if that is not known, as of locks that are older than their lines. What need not be
    /// there is optional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flattened: Option<BTreeMap<String, Vec<AttributeSnapshot>>>,
    /// The other names that fields and variants of a document are read by, by the path of the field
    /// or variant.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub aliases: BTreeMap<String, BTreeSet<String>>,
    /// The variants that are stored without their names in enums of a document whose others have a
    /// tag, by the path of the enum, in the order in which they are tried.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub untagged: BTreeMap<String, Vec<String>>,
    /// True if each attribute that takes only strings or numbers of one form says which, and each
    /// map that takes only some keys. Nothing is known of them in what earlier releases of this
    /// library wrote, and in what was imported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub knows_forms: bool,
    /// The stored versions that have a way up.
    #[serde(
        default,
        with = "super::upgraders",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub upgraders: Vec<Upgrader>,
    /// The oldest stored version still supported.
    #[serde(
        default,
        alias = "min_supported_version",
        skip_serializing_if = "Option::is_none"
    )]
    pub oldest: Option<u64>,
    /// The fingerprint of each frozen version's schema.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub history: BTreeMap<u64, String>,
    /// The differences of earlier versions from what was released, as far as the lock knows both.
    #[serde(skip)]
    pub edited: BTreeMap<u64, Vec<String>>,
    /// The fingerprints of other shapes stored under this version; conditions of the upgraders
    /// choose between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// The other shapes themselves, where models have them.
    #[serde(skip)]
    pub other_shapes: Vec<ResourceSnapshot>,
    /// Attributes of frozen versions that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed_history: Vec<RemovedAttribute>,
    /// The present paths of attributes of an earlier version, by that version and path, as far as
    /// declared upgraders tell: one path, or several that it was split into. What has the same path
    /// is left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub renames: BTreeMap<u64, BTreeMap<String, Names>>,
    /// The reasons why attributes of an earlier version are gone, by that version and path, as far
    /// as declared upgraders tell.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped: BTreeMap<u64, BTreeMap<String, String>>,
    /// The forms that upgraders from an earlier version rewrite strings from and to, by that
    /// version and the path of today.
    #[serde(skip)]
    pub reformatted: BTreeMap<u64, BTreeMap<String, (String, String)>>,
    /// Ranges of version numbers left out on purpose, both ends included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<(u64, u64)>,
    /// Constraints between attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
    /// The composition of `id` from attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_format: Option<String>,
    /// The forms of id that can be imported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub import_formats: Vec<String>,
    /// `none` if nothing outside the state can be read, so that a value missing there stays
    /// missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// Its declared tier: `stable` unless given, `preview`, `experimental`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// Its kind: `managed` unless given, `provider`, `provider_meta`, `data`, `ephemeral`, `list`,
    /// `action`, `function`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its signature, if it is a function; its parameters are attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    /// The author's word for what destroying it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destroy: Option<String>,
    /// The changes of its behaviour since a release, which no schema shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behaviours: Vec<Behaviour>,
    /// The attributes that identify an object to the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<Box<IdentitySnapshot>>,
    /// The reason why it should no longer be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Deprecation>,
    /// Its names and versions as a custom resource of Kubernetes, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_resource: Option<CustomResourceSnapshot>,
    /// True if it was read from the schema of a running provider, which says nothing of defaults,
    /// replacement, checks and constraints.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// The description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The outcome of upgrading each version's recorded state.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fixtures: BTreeMap<u64, FixtureOutcome>,
    /// Facts for which this release of the library has no rule.
    #[serde(flatten, serialize_with = "canonical_members")]
    pub other: BTreeMap<String, Json>,
}

/// One attribute.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct AttributeSnapshot {
    /// The type of its values; nothing if they are nested objects.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<StoredType>,
    /// Its nested objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested: Option<NestedSnapshot>,
    /// The user must set it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The user may set it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The provider sets it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub computed: bool,
    /// True if stored null can be read; nothing if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nullable: Option<bool>,
    /// Its value is never shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
    /// Its value is never stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub write_only: bool,
    /// A changed value makes a new resource.
    #[serde(
        default,
        alias = "requires_replace",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub force_new: bool,
    /// The value if the user sets none.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "canonical"
    )]
    pub default: Option<Json>,
    /// The API's value if none is sent.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "canonical"
    )]
    pub api_default: Option<Json>,
    /// Its former name, or the names of several attributes that were merged.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub renamed_from: Names,
    /// It takes part in the id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub id_component: bool,
    /// The form of its values, as its author calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Other forms that configuration may still use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepts: Vec<String>,
    /// True if different strings count as equal, or by which Rust type.
    #[serde(
        default,
        skip_serializing_if = "is_unset",
        serialize_with = "canonical"
    )]
    pub diff_suppress: Json,
    /// The accepted values: lists of values, intervals (`min`, `max`), and others by a name.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        serialize_with = "canonical_members"
    )]
    pub validators: BTreeMap<String, Json>,
    /// The reason why it should no longer be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Deprecation>,
    /// The description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The release that added it to a version that was there already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Facts for which this release of the library has no rule.
    #[serde(flatten, serialize_with = "canonical_members")]
    pub other: BTreeMap<String, Json>,
}

/// Nested objects of an attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NestedSnapshot {
    /// Their arrangement.
    #[serde(with = "NestingJson")]
    pub mode: Nesting,
    /// Their attributes, by name.
    #[serde(default)]
    pub attributes: BTreeMap<String, AttributeSnapshot>,
}

/// Nested blocks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BlockSnapshot {
    /// Their arrangement.
    #[serde(with = "NestingJson")]
    pub mode: Nesting,
    /// The least number.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub min_items: u64,
    /// The greatest number; any if nothing or 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// The checks of what users write, as those of attributes.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        serialize_with = "canonical_members"
    )]
    pub validators: BTreeMap<String, Json>,
    /// The attributes of each, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, AttributeSnapshot>,
    /// The blocks inside each, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub blocks: BTreeMap<String, BlockSnapshot>,
    /// Their former names.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub renamed_from: Names,
    /// The reason why they should no longer be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Deprecation>,
    /// The description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The release that added them to a version that was there already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Facts for which this release of the library has no rule.
    #[serde(flatten, serialize_with = "canonical_members")]
    pub other: BTreeMap<String, Json>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Nesting", rename_all = "lowercase")]
enum NestingJson {
    #[serde(alias = "group")]
    Single,
    List,
    Set,
    Map,
}

impl AttributeSnapshot {
    /// The stored form, as a line of the lock has it.
    pub(crate) fn stored(&self) -> Stored<'_> {
        let form = match (&self.nested, &self.ty) {
            (Some(nested), _) => Form::Nested(nested.mode),
            (None, Some(ty)) => Form::Type(ty.notation()),
            (None, None) => Form::Type(Notation::Dynamic),
        };
        let null = match self.nullable {
            Some(true) => Null::Read,
            Some(false) => Null::Refused,
            None => Null::Unknown,
        };
        Stored {
            form,
            null,
            write_only: self.write_only,
        }
    }

    /// The way by which the values of an enum tell their variant; nothing of a map.
    pub(crate) fn tagging(&self) -> Option<&str> {
        let StoredType::Union(tagging, _) = self.ty.as_ref()? else {
            return None;
        };
        Some(tagging)
    }
}

impl BlockSnapshot {
    /// The stored form, as a line of the lock has it.
    pub(crate) fn stored(&self) -> Stored<'static> {
        Stored {
            form: Form::Block(self.mode),
            null: Null::Refused,
            write_only: false,
        }
    }
}

/// A change of behaviour that its author declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Behaviour {
    /// The behaviour, as a verb and the rest: `restarts on resize`.
    pub text: String,
    /// The release that brought it.
    pub since: String,
    /// The attribute that switches it on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
}

/// The attributes that identify an object to the host, with a version of their own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct IdentitySnapshot {
    /// The type name of its model, under which the lock has it; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub type_name: String,
    /// The identity's version, attributes and history; `optional` attributes are optional for
    /// import.
    #[serde(flatten)]
    pub schema: ResourceSnapshot,
}

/// The name of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Signature {
    /// The attributes that are its parameters, in the order of a call.
    #[serde(default)]
    pub parameters: Vec<String>,
    /// True if the last parameter takes any number of arguments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub variadic: bool,
    /// The type of what it gives.
    pub result: StoredType,
}

/// `(berth, ships...)`.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "({}{})",
            self.parameters.join(", "),
            if self.variadic { "..." } else { "" }
        )
    }
}

/// The reason why something should no longer be used.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Deprecation {
    /// The message that users see.
    #[serde(default)]
    pub message: String,
    /// The replacement: one name, or several that it was split into.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub replaced_by: Names,
    /// The reason why nothing takes its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_replacement: Option<String>,
    /// The release that deprecated it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The release that will remove it.
    #[serde(alias = "remove_in", skip_serializing_if = "Option::is_none")]
    pub removal: Option<String>,
    /// `resource` where another type takes its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// No name, one, or several.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "OneOrMany", into = "OneOrMany")]
pub struct Names(pub Vec<String>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
    Nothing(()),
}

impl From<OneOrMany> for Names {
    fn from(names: OneOrMany) -> Self {
        match names {
            OneOrMany::One(name) => Self(vec![name]),
            OneOrMany::Many(names) => Self(names),
            OneOrMany::Nothing(()) => Self(Vec::new()),
        }
    }
}

impl From<Names> for OneOrMany {
    fn from(Names(mut names): Names) -> Self {
        match names.pop() {
            Some(name) if names.is_empty() => Self::One(name),
            Some(last) => {
                names.push(last);
                Self::Many(names)
            }
            None => Self::Nothing(()),
        }
    }
}

impl Names {
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name, if there is exactly one.
    pub fn only(&self) -> Option<&str> {
        match self.0.as_slice() {
            [name] => Some(name),
            _ => None,
        }
    }
}

/// An attribute that some frozen version had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemovedAttribute {
    /// Its former path.
    pub path: String,
    /// Its type then.
    #[serde(rename = "type")]
    pub ty: StoredType,
    /// The release that removed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_in: Option<String>,
}

/// A constraint between attributes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The kind of constraint.
    #[serde(with = "GroupKindJson")]
    pub kind: GroupKind,
    /// The attributes.
    pub paths: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "GroupKind", rename_all = "snake_case")]
enum GroupKindJson {
    ConflictsWith,
    ExactlyOneOf,
    AtLeastOneOf,
    RequiredWith,
    AtLeastSumOf,
    AtMostSumOf,
    EqualToSumOf,
}

/// The outcome of upgrading a version's recorded state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FixtureOutcome {
    /// There is none.
    Missing,
    /// The schema of its version does not read it.
    Unreadable(String),
    /// It was upgraded to something that the current schema does not have, or not at all.
    Mismatch(String),
    /// It was upgraded.
    Passed,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_unset(value: &Json) -> bool {
    matches!(value, Json::Null | Json::Bool(false))
}

// A snapshot is hashed as it is serialized.

fn canonical<'j, S: Serializer>(
    value: impl Into<Option<&'j Json>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.into().map(Canonical).serialize(serializer)
}

fn canonical_members<S: Serializer>(
    members: &BTreeMap<String, Json>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(members.iter().map(|(name, value)| (name, Canonical(value))))
}
