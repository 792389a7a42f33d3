//! The shape of a version as Kubernetes needs it: a tree that is written as a structural schema,
//! and by which values are judged.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Map, Value};
use upstate::__internal::{Form, MemberForm, ObjectForm, UnionForm, Values};
use upstate::schema::Tagging;

use crate::declared::{Declared, Limits, ListType, Of};
use crate::own_schema;

/// Values at one place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) description: &'static str,
    /// The reason why clients should no longer use it, if there is one; empty if nobody wrote it.
    pub(crate) deprecated: Option<&'static str>,
    /// True if null is a value of its own, as it is for elements: a member that is null is absent,
    /// unless it is declared to be nullable.
    pub(crate) nullable: bool,
    /// The value where there is none.
    pub(crate) default: Option<Value>,
    pub(crate) sensitive: bool,
    /// True if there is a default here or below; see [`note_defaults`](Self::note_defaults).
    pub(crate) has_defaults: bool,
    pub(crate) declared: Declared,
}

/// The values of a [`Node`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Boolean,
    String,
    OneOf(Vec<&'static str>),
    Integer {
        min: i64,
        max: i64,
    },
    Number,
    /// Elements; `len` of a tuple.
    List {
        items: Box<Node>,
        len: Option<usize>,
    },
    /// Elements, each once.
    Set(Box<Node>),
    Map(Box<Node>),
    Object(Object),
    /// Any JSON.
    Any,
    /// A number without a fraction, or a string.
    IntOrString,
}

/// Objects with members.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Object {
    pub(crate) members: BTreeMap<&'static str, Member>,
    /// Flattened structs that may be absent.
    pub(crate) parts: Vec<Part>,
    /// True if members that are not named are kept.
    pub(crate) is_open: bool,
    /// True if these are secrets.
    pub(crate) hides_others: bool,
    /// The variants, if it is an enum with data or has one beside its own members.
    pub(crate) variants: Vec<Variant>,
}

/// Members that may be absent together. None of them has a default without the others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    pub(crate) members: BTreeSet<&'static str>,
    /// Those that must be there if one of them is.
    pub(crate) required: BTreeSet<&'static str>,
}

impl Object {
    /// True if each part has all that it must have, or nothing.
    pub(crate) fn has_whole_parts(&self, has: &dyn Fn(&str) -> bool) -> bool {
        let is_absent = |part: &Part| !part.members.iter().any(|name| has(name));
        self.parts
            .iter()
            .all(|part| part.required.iter().all(|name| has(name)) || is_absent(part))
    }

    /// True if a part must have the member when it has one for which `has` is true.
    pub(crate) fn is_needed_with(&self, name: &str, has: &dyn Fn(&str) -> bool) -> bool {
        self.parts.iter().any(|part| {
            part.required.contains(name) && part.members.iter().any(|member| has(member))
        })
    }

    /// True if the member is one that no field names, and a secret.
    pub(crate) fn hides(&self, name: &str) -> bool {
        self.hides_others && !self.members.contains_key(name)
    }

    /// The variant that the tag of an object names.
    pub(crate) fn variant(&self, tagged: &Map<String, Value>) -> Option<&Variant> {
        self.variants.iter().find(|variant| {
            let name = variant.tag.as_ref().and_then(|tag| tagged.get(tag));
            name.is_some_and(|name| name == variant.name)
        })
    }

    /// True if the member belongs to no variant.
    pub(crate) fn is_own(&self, name: &str) -> bool {
        !self
            .variants
            .iter()
            .any(|variant| variant.tag.as_deref() == Some(name) || variant.members.contains(name))
    }
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) node: Node,
    pub(crate) required: bool,
}

/// A variant of an enum with data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    /// The member that has the variant's name; without it, the variant is the one member of the
    /// object.
    pub(crate) tag: Option<String>,
    /// Members of this variant, without the tag.
    pub(crate) members: BTreeSet<&'static str>,
    /// Those of them that it must have.
    pub(crate) required: BTreeSet<&'static str>,
    /// Its content, where contents of several variants are in one member.
    pub(crate) content: Option<Content>,
    /// Limits of its members that other variants do not have for members of the same names.
    pub(crate) limits: OwnLimits,
}

/// The content of a variant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Content {
    /// The member that holds it.
    pub(crate) name: &'static str,
    pub(crate) members: BTreeSet<&'static str>,
    /// Those of them that it must have.
    pub(crate) required: BTreeSet<&'static str>,
    /// As those of a variant.
    pub(crate) limits: OwnLimits,
}

/// Limits by the names of members, whose kinds of places they are about.
pub(crate) type OwnLimits = BTreeMap<&'static str, (Of, Limits)>;

/// A place that no structural schema describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotStructural {
    pub(crate) path: String,
    pub(crate) why: &'static str,
}

impl fmt::Display for NotStructural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.why)
    }
}

type Result<T> = std::result::Result<T, NotStructural>;

/// The tags and names of variants live as long as the program, as all of a form does; those that
/// are parsed, and names of definitions, are leaked once.
pub(crate) fn leaked(text: &str) -> &'static str {
    use std::sync::{Mutex, OnceLock, PoisonError};
    static TEXTS: OnceLock<Mutex<BTreeSet<&'static str>>> = OnceLock::new();
    let mut texts = TEXTS
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
    texts.insert(text);
    text
}

impl Node {
    pub(crate) fn plain(kind: Kind) -> Self {
        Self {
            kind,
            description: "",
            deprecated: None,
            nullable: false,
            default: None,
            sensitive: false,
            has_defaults: false,
            declared: Declared::default(),
        }
    }

    /// The objects of a version; `path` is where they are.
    pub(crate) fn of_root(form: &ObjectForm, path: &str) -> Result<Self> {
        let mut node = Self::plain(Kind::Object(object(form, path)?));
        node.description = form.description;
        Ok(node)
    }

    fn of(form: &Form, path: &str) -> Result<Self> {
        let refuse = |why| {
            Err(NotStructural {
                path: path.to_owned(),
                why,
            })
        };
        let element = |element: &Form| {
            let mut node = Self::of(element, &format!("{path}[]"))?;
            node.nullable = element.nullable;
            Ok(Box::new(node))
        };
        let kind = match &form.values {
            Values::Bool => Kind::Boolean,
            Values::String => Kind::String,
            Values::OneOf(texts) => Kind::OneOf(texts.to_vec()),
            Values::Integer { min, max } => match (i64::try_from(*min), i64::try_from(*max)) {
                (Ok(min), Ok(max)) => Kind::Integer { min, max },
                _ => {
                    return refuse(
                        "the integer has more values than Kubernetes' 64 bits with a sign; `i64`, `u32` or a string has not",
                    );
                }
            },
            Values::Float => Kind::Number,
            Values::Number => {
                return refuse(
                    "a number of any size is not one of Kubernetes' integers or floats; `i64`, `f64` or a string is",
                );
            }
            Values::Dynamic => {
                return refuse(
                    "a `Dynamic` is for Terraform; `#[attribute(json)]` stores any JSON",
                );
            }
            Values::List(inner) => Kind::List {
                items: element(inner)?,
                len: None,
            },
            Values::Set(inner) => Kind::Set(element(inner)?),
            Values::Map(inner) => Kind::Map(element(inner)?),
            Values::Tuple(elements) => {
                let nodes = elements
                    .iter()
                    .map(|inner| Ok(*element(inner)?))
                    .collect::<Result<Vec<_>>>()?;
                match nodes.split_first() {
                    None => {
                        return refuse("nothing but null is stored here, which Kubernetes drops");
                    }
                    Some((first, others)) if others.iter().all(|other| other == first) => {
                        Kind::List {
                            items: Box::new(first.clone()),
                            len: Some(nodes.len()),
                        }
                    }
                    Some(_) => {
                        return refuse(
                            "the elements of an array have one type in Kubernetes; a struct has one for each name",
                        );
                    }
                }
            }
            Values::Object(form) => Kind::Object(object(form, path)?),
            Values::Json => Kind::Any,
            Values::Union {
                tagging, variants, ..
            } => union(tagging, variants, path)?,
        };
        Ok(Self::plain(kind))
    }

    /// Notes limits and options. An earlier version has them where its values are of the same kind.
    fn declare(&mut self, member: &MemberForm, path: &str) -> Result<()> {
        if member.texts.is_empty() && member.checks.is_empty() && member.own_schema.is_none() {
            return Ok(());
        }
        let mut declared = Declared::of(member);
        // An earlier version may have had fields of its own there.
        if self.kind != Kind::Any {
            declared.own_schema = None;
        }
        if let Some(schema) = &declared.own_schema {
            if let Some((path, why)) = own_schema::refused(schema, path) {
                return Err(NotStructural { path, why });
            }
            declared.int_or_string =
                schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true));
        }
        if declared.int_or_string && self.kind == Kind::Any {
            self.kind = Kind::IntOrString;
        }
        if let Kind::List { items, .. } | Kind::Set(items) | Kind::Map(items) = &mut self.kind {
            if let Some(each) = declared.each.take() {
                items.declared = Declared::limited(*each);
            }
            if let Some(ListType::Map(keys)) = &declared.list {
                let has = |key: &&str| matches!(&items.kind, Kind::Object(object) if object.members.contains_key(*key));
                if !keys.iter().all(has) {
                    return Err(NotStructural {
                        path: path.to_owned(),
                        why: "the elements have no field for a key in `list_map_keys`, so server-side apply cannot tell them apart; keep the name and the place of the key in all versions",
                    });
                }
            }
        }
        // An earlier version may have had an enum or any JSON there, beside which the server takes
        // no null.
        declared.nullable &= !matches!(self.kind, Kind::OneOf(_) | Kind::Any | Kind::IntOrString);
        self.declared = declared;
        Ok(())
    }

    /// The kind of limits that are about the place.
    pub(crate) fn limited_as(&self) -> Of {
        match &self.kind {
            Kind::String | Kind::OneOf(_) => Of::Strings,
            Kind::Integer { .. } | Kind::Number => Of::Numbers,
            Kind::List { .. } | Kind::Set(_) => Of::Lists,
            Kind::Map(_) | Kind::Object(_) => Of::Maps,
            Kind::Boolean | Kind::Any | Kind::IntOrString => Of::Others,
        }
    }

    /// The node at a path of members such as `spec.paint.colour`.
    pub(crate) fn at<'n>(&'n self, names: &mut dyn Iterator<Item = &str>) -> Option<&'n Self> {
        let Some(name) = names.next() else {
            return Some(self);
        };
        if self.kind == Kind::Any {
            return Some(self);
        }
        self.inner(Some(name))?.at(names)
    }

    /// Notes where defaults are, once all of them are known: most of an object has none.
    pub(crate) fn note_defaults(&mut self) -> bool {
        let own = self.default.is_some();
        self.has_defaults = self
            .below_mut()
            .fold(own, |any, node| node.note_defaults() | any);
        self.has_defaults
    }

    /// The rules here and below, each with the values that it is about.
    pub(crate) fn rules(&self) -> Vec<(&'static str, Kind)> {
        let mut rules: Vec<_> = self
            .declared
            .rules
            .iter()
            .map(|(rule, _)| (*rule, self.kind.clone()))
            .collect();
        rules.extend(self.below().flat_map(Self::rules));
        rules
    }

    /// Removes rules that the current version has as well, for values of another type: they may
    /// name what is not there, and the server refuses a definition with such a rule.
    pub(crate) fn retain_rules(&mut self, current: &[(&'static str, Kind)]) {
        let kind = &self.kind;
        self.declared.rules.retain(|(rule, _)| {
            let mut same = current.iter().filter(|(other, _)| other == rule).peekable();
            same.peek().is_none() || same.any(|(_, other)| kind.has_type_of(other))
        });
        for node in self.below_mut() {
            node.retain_rules(current);
        }
    }

    /// The nodes of members and elements.
    pub(crate) fn below(&self) -> impl Iterator<Item = &Self> {
        let members = if let Kind::Object(object) = &self.kind {
            Some(&object.members)
        } else {
            None
        };
        members
            .into_iter()
            .flatten()
            .map(|(_, member)| &member.node)
            .chain(self.kind.elements())
    }

    fn below_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let (members, elements) = match &mut self.kind {
            Kind::Object(object) => (Some(&mut object.members), None),
            Kind::List { items, .. } | Kind::Set(items) | Kind::Map(items) => {
                (None, Some(&mut **items))
            }
            Kind::Boolean
            | Kind::String
            | Kind::OneOf(_)
            | Kind::Integer { .. }
            | Kind::Number
            | Kind::Any
            | Kind::IntOrString => (None, None),
        };
        members
            .into_iter()
            .flatten()
            .map(|(_, member)| &mut member.node)
            .chain(elements)
    }

    /// The node of the member with this name, or of elements.
    pub(crate) fn inner(&self, name: Option<&str>) -> Option<&Self> {
        if let Kind::Object(object) = &self.kind {
            return object.members.get(name?).map(|member| &member.node);
        }
        let is_map = matches!(self.kind, Kind::Map(_));
        self.kind.elements().filter(|_| is_map == name.is_some())
    }

    /// True if null is kept here. Without a default, a member that is null is the same as one that
    /// is absent.
    pub(crate) fn keeps_null(&self) -> bool {
        self.nullable || self.declared.nullable && self.default.is_some()
    }

    /// True if clients may write null here.
    pub(crate) fn takes_null(&self) -> bool {
        self.nullable || self.declared.nullable
    }

    /// Lets members keep null wherever clients may write it: the defaults of a form are not known
    /// before they were tried.
    #[cfg(feature = "kube-rs")]
    pub(crate) fn keep_nulls(&mut self) {
        self.nullable |= self.declared.nullable;
        self.below_mut().for_each(Self::keep_nulls);
    }
}

impl Kind {
    /// The node of the elements of a list, set or map.
    pub(crate) fn elements(&self) -> Option<&Node> {
        match self {
            Self::List { items, .. } | Self::Set(items) | Self::Map(items) => Some(items),
            Self::Object(_)
            | Self::Boolean
            | Self::String
            | Self::OneOf(_)
            | Self::Integer { .. }
            | Self::Number
            | Self::Any
            | Self::IntOrString => None,
        }
    }

    /// True if rules see the same type: members of the same names, and no matter which values.
    fn has_type_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Object(one), Self::Object(other)) => {
                one.members.len() == other.members.len()
                    && one.members.iter().all(|(name, member)| {
                        other
                            .members
                            .get(name)
                            .is_some_and(|other| member.node.kind.has_type_of(&other.node.kind))
                    })
            }
            (
                Self::List { items: one, .. } | Self::Set(one),
                Self::List { items: other, .. } | Self::Set(other),
            )
            | (Self::Map(one), Self::Map(other)) => one.kind.has_type_of(&other.kind),
            (Self::String | Self::OneOf(_), Self::String | Self::OneOf(_))
            | (Self::Integer { .. }, Self::Integer { .. })
            | (Self::Number, Self::Number)
            | (Self::Boolean, Self::Boolean)
            | (Self::Any, Self::Any)
            | (Self::IntOrString, Self::IntOrString) => true,
            (
                Self::Object(_)
                | Self::List { .. }
                | Self::Set(_)
                | Self::Map(_)
                | Self::String
                | Self::OneOf(_)
                | Self::Integer { .. }
                | Self::Number
                | Self::Boolean
                | Self::Any
                | Self::IntOrString,
                _,
            ) => false,
        }
    }
}

fn object(form: &ObjectForm, path: &str) -> Result<Object> {
    let mut members = BTreeMap::new();
    for member in &form.members {
        let path = format!("{path}.{}", member.name);
        let mut node = Node::of(&member.form, &path)?;
        node.description = member.description;
        node.deprecated = member.deprecated;
        node.sensitive = member.sensitive;
        node.declare(member, &path)?;
        let is_of_part = form.parts.iter().any(|(all, _)| all.contains(&member.name));
        members.insert(
            member.name,
            Member {
                node,
                required: !(member.form.nullable || is_of_part),
            },
        );
    }
    let part = |(all, required): &(Vec<&'static str>, Vec<&'static str>)| Part {
        members: all.iter().copied().collect(),
        required: required.iter().copied().collect(),
    };
    let parts = form.parts.iter().map(part).collect();
    let mut made = Object {
        members,
        parts,
        is_open: form.is_open,
        hides_others: form.hides_others,
        variants: Vec::new(),
    };
    for union in &form.unions {
        beside(&mut made, union, path)?;
    }
    Ok(made)
}

/// Adds the variants of a flattened enum.
fn beside(made: &mut Object, union: &UnionForm, path: &str) -> Result<()> {
    let Values::Union {
        tagging, variants, ..
    } = &union.form.values
    else {
        return Ok(());
    };
    if union.is_optional {
        return refuse(
            path,
            "the enum that is flattened into it may be absent, which is a variant without a name; make it a variant of the enum",
        );
    }
    if !made.variants.is_empty() {
        return refuse(
            path,
            "two enums are flattened into it, and it can tell the variants of one",
        );
    }
    let Kind::Object(mut own) = self::union(tagging, variants, path)? else {
        return refuse(
            path,
            "the variants of the enum that is flattened into it hold nothing that could be next to others",
        );
    };
    if own
        .members
        .keys()
        .any(|name| made.members.contains_key(name))
    {
        return refuse(
            path,
            "the enum that is flattened into it has a member with the name of another one",
        );
    }
    own.members
        .values_mut()
        .for_each(|member| member.node.sensitive |= union.sensitive);
    made.members.extend(own.members);
    made.variants = own.variants;
    Ok(())
}

fn is_unit(form: &Form) -> bool {
    matches!(&form.values, Values::Tuple(elements) if elements.is_empty())
}

fn refuse<T>(path: &str, why: &'static str) -> Result<T> {
    Err(NotStructural {
        path: path.to_owned(),
        why,
    })
}

fn union(
    tagging: &Tagging<'static>,
    variants: &[(&'static str, Form)],
    path: &str,
) -> Result<Kind> {
    let units = variants.iter().filter(|(_, form)| is_unit(form)).count();
    match tagging {
        Tagging::External if units == variants.len() => Ok(Kind::OneOf(
            variants.iter().map(|(name, _)| *name).collect(),
        )),
        Tagging::External if units > 0 => refuse(
            path,
            "a value is a string for one variant and an object for another, which a structural schema cannot say",
        ),
        Tagging::External => {
            let mut made = Object::default();
            for (name, form) in variants {
                let node = Node::of(form, &format!("{path}.{name}"))?;
                made.members.insert(
                    name,
                    Member {
                        node,
                        required: false,
                    },
                );
                made.variants
                    .push(Variant::of(name, None, BTreeSet::from([*name])));
            }
            Ok(Kind::Object(made))
        }
        Tagging::Internal(tag) => internal(tag, variants, path).map(Kind::Object),
        Tagging::Adjacent(tag, content) => {
            adjacent(tag, leaked(content), variants, path).map(Kind::Object)
        }
        Tagging::Untagged => refuse(
            path,
            "an untagged enum has several types at one place, which a structural schema cannot say",
        ),
    }
}

/// An enum with the members of each variant beside the tag.
fn internal(tag: &str, variants: &[(&'static str, Form)], path: &str) -> Result<Object> {
    let mut made = Object::default();
    insert_tag(&mut made, tag, variants);
    let mut owns = Vec::new();
    for (name, form) in variants {
        let own = if is_unit(form) {
            Object::default()
        } else if let Values::Object(form) = &form.values {
            object(form, path)?
        } else {
            return refuse(
                path,
                "a variant that is not an object cannot be stored next to its tag",
            );
        };
        if !own.variants.is_empty() {
            return refuse(
                path,
                "a variant has a flattened enum, whose variants it cannot tell",
            );
        }
        if !join(&mut made, own.clone()) {
            return refuse(path, TWO_TYPES);
        }
        let members = own.members.keys().copied().collect();
        made.variants.push(Variant {
            required: required(&own),
            ..Variant::of(name, Some(tag.to_owned()), members)
        });
        owns.push(own);
    }
    let Some(limits) = own_limits(&mut made, &owns) else {
        return refuse(path, TWO_OPTIONS);
    };
    for (variant, limits) in made.variants.iter_mut().zip(limits) {
        variant.limits = limits;
    }
    Ok(made)
}

/// An enum with what each variant holds in one member.
fn adjacent(
    tag: &str,
    content: &'static str,
    variants: &[(&'static str, Form)],
    path: &str,
) -> Result<Object> {
    let mut made = Object::default();
    insert_tag(&mut made, tag, variants);
    let (mut joined, mut owns) = (None, Vec::new());
    for (name, form) in variants {
        let tag = Some(tag.to_owned());
        if is_unit(form) {
            made.variants.push(Variant::of(name, tag, BTreeSet::new()));
            owns.push(Object::default());
            continue;
        }
        let node = Node::of(form, &format!("{path}.{content}"))?;
        let inner = if let Kind::Object(object) = &node.kind {
            Some(object)
        } else {
            None
        };
        let inner = inner.filter(|object| object.variants.is_empty()).cloned();
        let inside = inner.as_ref().map(|object| Content {
            name: content,
            members: object.members.keys().copied().collect(),
            required: required(object),
            limits: OwnLimits::new(),
        });
        made.variants.push(Variant {
            content: inside,
            ..Variant::of(name, tag, BTreeSet::from([content]))
        });
        owns.push(inner.unwrap_or_default());
        joined = match joined {
            None => Some(node),
            Some(before) => match joined_content(before, node) {
                None => {
                    return refuse(
                        path,
                        "the content has several types, which a structural schema cannot say",
                    );
                }
                both => both,
            },
        };
    }
    let Some(mut node) = joined else {
        return Ok(made);
    };
    if let Kind::Object(object) = &mut node.kind
        && object.variants.is_empty()
    {
        object
            .members
            .values_mut()
            .for_each(|member| member.required = false);
        let Some(limits) = own_limits(object, &owns) else {
            return refuse(path, TWO_OPTIONS);
        };
        for (variant, limits) in made.variants.iter_mut().zip(limits) {
            if let Some(content) = &mut variant.content {
                content.limits = limits;
            }
        }
    }
    made.members.insert(
        content,
        Member {
            node,
            required: false,
        },
    );
    Ok(made)
}

impl Variant {
    /// A variant that must have all of its members.
    fn of(name: &'static str, tag: Option<String>, members: BTreeSet<&'static str>) -> Self {
        Self {
            name,
            tag,
            required: members.clone(),
            members,
            content: None,
            limits: OwnLimits::new(),
        }
    }
}

fn insert_tag(made: &mut Object, tag: &str, variants: &[(&'static str, Form)]) {
    let names = variants.iter().map(|(name, _)| *name).collect();
    made.members.insert(
        leaked(tag),
        Member {
            node: Node::plain(Kind::OneOf(names)),
            required: true,
        },
    );
}

const TWO_TYPES: &str = "two variants have a member of one name with two types, or with other limits inside, which a structural schema cannot say";
const TWO_OPTIONS: &str = "two variants have a member of one name with different options apart from its limits, which a structural schema cannot say";

fn required(object: &Object) -> BTreeSet<&'static str> {
    object
        .members
        .iter()
        .filter(|(_, member)| member.required)
        .map(|(name, _)| *name)
        .collect()
}

/// Moves limits in which variants differ from the members of all of them to each one that has the
/// member; `None` if they differ in more. A member that is sensitive in one of them is so in all.
fn own_limits(all: &mut Object, owns: &[Object]) -> Option<Vec<OwnLimits>> {
    let mut limits = vec![OwnLimits::new(); owns.len()];
    for (name, Member { node, .. }) in &mut all.members {
        let of = node.limited_as();
        let own = owns
            .iter()
            .zip(&mut limits)
            .filter_map(|(own, limits)| Some((&own.members.get(name)?.node, limits)));
        let own: Vec<(&Node, &mut OwnLimits)> = own.collect();
        node.sensitive |= own.iter().any(|(own, _)| own.sensitive);
        if own.iter().all(|(own, _)| own.declared == node.declared) {
            continue;
        }
        node.declared.limits = Limits::default();
        for (own, limits) in own {
            if (Declared {
                limits: Limits::default(),
                ..own.declared.clone()
            }) != node.declared
            {
                return None;
            }
            limits.insert(name, (of, own.declared.limits.clone()));
        }
    }
    Some(limits)
}

/// Adds the members of a variant, none of which is required of all; false if one is there with
/// another type.
fn join(made: &mut Object, own: Object) -> bool {
    made.is_open |= own.is_open;
    made.hides_others |= own.hides_others;
    made.parts.extend(own.parts);
    for (name, mut member) in own.members {
        member.required = false;
        match made.members.get(name) {
            Some(known) if known.node.kind != member.node.kind => return false,
            Some(_) => {}
            None => drop(made.members.insert(name, member)),
        }
    }
    true
}

fn joined_content(before: Node, node: Node) -> Option<Node> {
    if before.kind == node.kind {
        return Some(before);
    }
    match (before.kind, node.kind) {
        (Kind::Object(mut all), Kind::Object(own))
            if all.variants.is_empty() && own.variants.is_empty() =>
        {
            join(&mut all, own).then(|| Node::plain(Kind::Object(all)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Member, Node, Object, join, own_limits};

    #[test]
    fn what_is_secret_in_one_variant_is_so_in_all() {
        let own = |sensitive| Object {
            members: [(
                "key",
                Member {
                    node: Node {
                        sensitive,
                        ..Node::plain(Kind::String)
                    },
                    required: true,
                },
            )]
            .into(),
            ..Object::default()
        };
        let owns = [own(false), own(true)];
        let mut all = Object::default();
        assert!(owns.iter().all(|own| join(&mut all, own.clone())));
        assert!(own_limits(&mut all, &owns).is_some());
        assert!(all.members.values().all(|member| member.node.sensitive));
    }
}
