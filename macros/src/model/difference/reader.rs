//! Prior fields as operators imply them, read back from the later ones.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use syn::ext::IdentExt;
use upstate_words::operators::{Before, ReadAs, Replaces};

use super::super::declared::{Declared, Dropped, Notice, Production};
use super::parts::{self, Parts};
use super::prior::{Edit, Later, PriorObject, Rekeyed, same, unique};
use super::shape::{FactsOf, Field, Info, Secrecy, Secret};
use super::written::position_of;
use crate::attr::operators::{
    Condition, FieldPath, Literal, LiteralValue, Otherwise, Segment, Stage, Written, name_of,
};
use crate::errors::Errors;
use crate::model::Derive;

/// The facts about a prior field that the later version does not give.
#[derive(Default)]
pub(super) struct Mention<'a> {
    /// The place that names it first.
    pub(super) place: Option<&'a Ident>,
    /// Its type, where it is written.
    pub(super) written: Option<&'a Written>,
    /// Its type before the operators on the later field of the same name, or the operator that
    /// wants the type written.
    pub(super) own: Option<Result<Info, &'a Stage>>,
    /// Its type by the first field that is made of it.
    pub(super) taken: Option<Result<Info, &'a Stage>>,
    /// Secrets that it, or a part of it, became.
    pub(super) secrecy: Secrecy,
    /// The member of later objects that all of it is.
    pub(super) goes_into: Option<(Info, String)>,
    /// The row of the later field that it is called now.
    pub(super) renamed: Option<usize>,
    /// The facts of the place to which its values went as they were.
    pub(super) facts: Option<FactsOf>,
    /// True if the facts of what it became are about other values.
    pub(super) is_revalued: bool,
    /// True if an operator needs the field; an operator on the later field of the same name does
    /// not.
    pub(super) is_named: bool,
    /// True if it is named inside of a string, where no type can be written.
    pub(super) is_in_string: bool,
}

/// The facts that operators imply.
pub(super) struct Found<'a> {
    pub(super) mentions: BTreeMap<String, Mention<'a>>,
    /// The later fields that the prior version also has, unless it is named.
    pub(super) stays: Vec<bool>,
    /// Members of objects in prior fields, by the names of those.
    pub(super) members_before: Parts<'a>,
    /// Members of objects in later fields.
    pub(super) members_now: Parts<'a>,
}

/// The reader of one upgrader's operators.
pub(super) fn read<'a>(
    later: Later<'a>,
    prior: u64,
    declared: &'a Declared,
    path: &str,
    objects: &mut Vec<PriorObject>,
    errors: &mut Errors,
) -> Found<'a> {
    let name = |field: &str| {
        let dot = if path.is_empty() { "" } else { "." };
        format!(
            "{}.{path}{dot}{field} (of version {prior})",
            later.ident.unraw()
        )
    };
    let stays = vec![true; later.shape.fields.len()];
    let found = Found {
        mentions: BTreeMap::new(),
        stays,
        members_before: Parts::new(),
        members_now: Parts::new(),
    };
    let mut reader = Reader {
        later,
        found,
        name: &name,
        objects,
        errors,
    };
    reader.read(declared);
    reader.found
}

struct Reader<'a, 'e> {
    later: Later<'a>,
    found: Found<'a>,
    /// The name of the objects in a field.
    name: &'e dyn Fn(&str) -> String,
    objects: &'e mut Vec<PriorObject>,
    errors: &'e mut Errors,
}

/// The later value that a prior one became.
struct Now<'a> {
    info: Result<Info, &'a Stage>,
    /// The row of the later field, if it has just another name.
    renamed: Option<usize>,
    secret: Secret,
    /// With whether it is but a part.
    member: Option<(Info, String, bool)>,
    /// The member that it is all of, in objects of the later version.
    into: Option<(Info, String)>,
    /// True if it is nowhere else.
    is_moved: bool,
    /// The members that its keys or its elements are.
    parts: Vec<(Info, String, bool)>,
    /// The facts of the place to which its values went as they were.
    facts: Option<FactsOf>,
}

impl<'a> Reader<'a, '_> {
    fn read(&mut self, declared: &'a Declared) {
        let Declared {
            productions,
            drops,
            notices,
            carried,
            conditions,
            ..
        } = declared;
        for path in carried {
            self.mention(path);
        }
        for production in productions {
            self.production(production);
        }
        for Dropped { path, .. } in drops {
            self.named(path);
        }
        for Notice { at, .. } in notices {
            if let Some(at) = at {
                self.named(at);
            }
        }
        for condition in conditions {
            self.condition(condition);
        }
    }

    /// The facts about the field that a path leads to, or through.
    fn mention(&mut self, path: &'a FieldPath) -> &mut Mention<'a> {
        let name = path.0.first().map(name_of).unwrap_or_default();
        let mention = self.found.mentions.entry(name).or_default();
        mention.place = mention.place.or(path.0.first());
        if let Some(written) = path.1.as_deref().filter(|written| written.depth == 1) {
            match mention.written {
                Some(before) if position_of(before) != position_of(written) => self
                    .errors
                    .push(&written.ty, "the type of this field is written twice\nhelp: write it once, at the first of them"),
                _ => {
                    mention.written = Some(written);
                    mention.place = path.0.first();
                }
            }
        }
        if let Some(written) = path.1.as_deref().filter(|written| written.depth > 1) {
            let path = path.0.get(..written.depth).unwrap_or(&path.0);
            parts::written(&mut self.found.members_before, path, written, self.errors);
        }
        mention
    }

    fn named(&mut self, path: &'a FieldPath) -> &mut Mention<'a> {
        let mention = self.mention(path);
        mention.is_named = true;
        mention
    }

    /// A prior field whose value is taken, and what it must have stored.
    fn taken(&mut self, path: &'a FieldPath, now: Now<'a>) {
        let Now {
            info,
            renamed,
            secret,
            member,
            into,
            is_moved,
            parts,
            facts,
        } = now;
        let is_whole = path.0.len() == 1;
        let mention = self.named(path);
        let secrecy = mention.secrecy.at(path.0.get(1..).unwrap_or_default());
        secrecy.add(secret, member);
        secrecy.members.extend(parts);
        if !is_whole {
            if let Ok(info) = info {
                parts::taken(
                    &mut self.found.members_before,
                    &path.0,
                    info,
                    is_moved,
                    facts,
                );
            }
            return;
        }
        if mention.taken.is_none() || mention.renamed.is_none() && renamed.is_some() {
            mention.taken = Some(info);
            mention.renamed = renamed;
            mention.is_revalued = facts.is_none();
            mention.facts = facts;
            mention.goes_into = into.filter(|_| is_moved);
        }
    }

    fn condition(&mut self, condition: &'a Condition) {
        match condition {
            Condition::Has(path)
            | Condition::Lacks(path)
            | Condition::Is(path, _)
            | Condition::Fits(path, _) => {
                self.named(path);
            }
            Condition::Not(other) => self.condition(other),
            Condition::All(several) | Condition::Any(several) => {
                for one in several {
                    self.condition(one);
                }
            }
        }
    }

    fn template(
        &mut self,
        template: &'a [Segment],
        secret: Secret,
        member: Option<&(Info, String)>,
    ) {
        for segment in template {
            if let Segment::Prior(path, _) = segment {
                let mention = self.named(path);
                mention.is_in_string = true;
                let member = member.map(|(info, name)| (info.clone(), name.clone(), true));
                mention
                    .secrecy
                    .at(path.0.get(1..).unwrap_or_default())
                    .add(secret, member);
            }
        }
    }

    /// Goes back from the later field to what it was made of.
    fn production(&mut self, production: &'a Production) {
        let Production { target, stages, .. } = production;
        let (Some(first), shape) = (target.0.first(), self.later.shape) else {
            return;
        };
        let Some(row) = shape.position(&name_of(first)) else {
            return;
        };
        let Some(now) = shape.fields.get(row) else {
            return;
        };
        let (mut info, mut member) = (self.later.info(now), None);
        for name in target.0.iter().skip(1) {
            member = Some((info.clone(), name_of(name)));
            info = info.member(name_of(name));
        }
        let goal = member.clone();
        // A map's keys are one member of the objects, and its values may be another.
        let keys = stages
            .iter()
            .filter(|stage| stage.operation.effect.before == Before::Rekeyed);
        let keys: Vec<_> = keys
            .map(|stage| (info.clone(), one(&stage.operation.members()), true))
            .collect();
        let objects = info.clone();
        let mut info = Ok(info);
        let whole = target.0.len() == 1;
        // Only those of documents are in the schemas of prior versions.
        let mut facts = match (&goal, &now.info) {
            _ if self.later.derive != Derive::Document => None,
            (Some((holder, name)), _) => Some(FactsOf::Member(holder.clone(), name.clone())),
            (None, Info::MemberOf(holder, name)) => {
                Some(FactsOf::Member(Info::clone(holder), name.clone()))
            }
            (None, _) => self
                .later
                .to
                .map(|to| FactsOf::Field(to, now.rust_name.clone())),
        };
        self.besides(stages, Secret::of(now.is_hidden(), true), member.as_ref());
        for stage in stages.iter().rev() {
            let always = stage.only_if.is_none();
            let effect = stage.operation.effect;
            facts = facts.filter(|_| stage.operation.keeps_values());
            if effect.replaces == Replaces::Never {
                member = member.or_else(|| {
                    Some((now.info.clone(), stage.operation.value_member()?.to_owned()))
                });
                if always {
                    info = info.and_then(|info| self.before_act(stage, info, &now.rust_name));
                }
                continue;
            }
            // A value that is taken apart, or put together with others, is more than its result.
            let is_part = effect.read_as == ReadAs::Parts && effect.before != Before::Same;
            for (nth, from) in stage.operation.names().into_iter().enumerate() {
                let before = match &info {
                    _ if effect.before == Before::Written => Err(stage),
                    Ok(info) if effect.before == Before::Zipped => Ok(zipped(info, nth, from)),
                    Ok(info) => self.before_one(stage, info.clone(), &now.rust_name),
                    Err(other) => Err(*other),
                };
                let renamed = match effect.read_as {
                    ReadAs::Moved => whole.then_some(row),
                    // The field of the prior version may have been of any type, because the
                    // operator also makes the field.
                    ReadAs::Parts if matches!(effect.before, Before::Written | Before::Zipped) => {
                        from.is_same(target).then_some(row)
                    }
                    ReadAs::Nothing | ReadAs::Copied | ReadAs::Parts | ReadAs::Texts => None,
                };
                let renamed_member = from
                    .0
                    .last()
                    .filter(|_| effect.members)
                    .map(|name| (objects.clone(), name_of(name), true));
                let taken = Now {
                    info: before,
                    renamed,
                    secret: Secret::of(now.is_hidden(), is_part),
                    member: member.clone().map(|(info, name)| (info, name, is_part)),
                    into: goal.clone(),
                    is_moved: effect.read_as == ReadAs::Moved,
                    parts: keys.iter().cloned().chain(renamed_member).collect(),
                    facts: facts
                        .clone()
                        .filter(|_| matches!(effect.read_as, ReadAs::Moved | ReadAs::Copied)),
                };
                self.taken(from, taken);
            }
            for template in stage.operation.templates() {
                self.template(template, Secret::of(now.is_hidden(), true), member.as_ref());
            }
            let ends = always && effect.replaces == Replaces::Always;
            if ends {
                if !whole && stage.word != "nest" {
                    parts::made(&mut self.found.members_now, &target.0);
                } else if let Some(stays) = self.found.stays.get_mut(row) {
                    *stays = false;
                }
                return;
            }
        }
        if !whole {
            return;
        }
        // Nothing replaced the value in any case, so that the prior version has the field.
        let place = target.0.first();
        if self.later.derive == Derive::Document && facts.is_none() {
            self.found
                .mentions
                .entry(now.rust_name.clone())
                .or_default()
                .is_revalued = true;
        }
        if !matches!(&info, Ok(info) if same(info, &now.info)) {
            let mention = self
                .found
                .mentions
                .entry(now.rust_name.clone())
                .or_default();
            mention.place = mention.place.or(place);
            mention.own = Some(info);
            let has_keys = !keys.is_empty();
            mention.secrecy.members.extend(keys);
            mention
                .secrecy
                .members
                .extend(member.map(|(info, name)| (info, name, has_keys)));
        }
    }

    /// Adds the fields that the operators of a field name and do not read.
    fn besides(&mut self, stages: &'a [Stage], secret: Secret, member: Option<&(Info, String)>) {
        for stage in stages {
            if stage.target.1.is_some() {
                self.mention(&stage.target);
            }
            if stage.operation.replaces() == Replaces::Never {
                for template in stage.operation.templates() {
                    self.template(template, secret, member);
                }
            }
        }
    }

    /// The type that an operator acted on, if its result is `info`; the operator itself, if only
    /// its author knows.
    fn before_act(&mut self, stage: &'a Stage, info: Info, field: &str) -> Result<Info, &'a Stage> {
        if stage.each {
            let element = self.before_one(stage, info.clone().element(), field)?;
            return Ok(Info::EachOf(Box::new(info), Box::new(element)));
        }
        self.before_one(stage, info, field)
    }

    fn before_one(&mut self, stage: &'a Stage, info: Info, field: &str) -> Result<Info, &'a Stage> {
        let operation = &stage.operation;
        let named = operation.members();
        Ok(match operation.effect.before {
            Before::Same => info,
            Before::Nullable => info.or_null(),
            Before::NullableIfMatched => {
                if operation.matches_null() {
                    info.or_null()
                } else {
                    info
                }
            }
            Before::ElementsNullableIfMatched => {
                if operation.matches_null() {
                    let element = info.clone().element().or_null();
                    Info::EachOf(Box::new(info), Box::new(element))
                } else {
                    info
                }
            }
            Before::Table => match operation
                .table()
                .map(|(table, other)| (table_of(table), other))
            {
                Some((_, Otherwise::Keep)) => info,
                Some((Some(of), _)) => of.null_as(&info),
                Some((None, _)) | None => return Err(stage),
            },
            Before::Variants => match stage.variants() {
                Some((_, name)) => Info::Variants(Box::new(info), name),
                None => info,
            },
            Before::String => Info::String.null_as(&info),
            Before::ListOfStrings => Info::String.list().null_as(&info),
            Before::ListOfTarget => Info::NotNull(Box::new(info.clone())).list().null_as(&info),
            Before::ElementOfTarget => info.element().or_null(),
            Before::MemberOfTarget => info.clone().member(one(&named)).null_as(&info),
            Before::ObjectOfTarget => {
                let member = Field::inferred(&one(&named), info.clone(), Secrecy::default());
                let edits = vec![Edit::Put(member.typed_at(Some(&stage.word)))];
                self.object(field, None, edits).null_as(&info)
            }
            Before::Rekeyed => {
                let (element, key) = (info.clone().element(), one(&named));
                let text = Info::String.null_as(&element);
                let (list, map) = if let Some(value) = operation.value_member() {
                    let edits = [(key.as_str(), text), (value, element)];
                    let edits = edits
                        .into_iter()
                        .map(|(name, info)| {
                            Field::inferred(name, info, Secrecy::default())
                                .typed_at(Some(&stage.word))
                        })
                        .map(Edit::Put)
                        .collect();
                    (
                        self.object(field, None, edits),
                        info.clone().member(value.to_owned()),
                    )
                } else {
                    let ty = operation
                        .typed_member()
                        .map_or(Info::String, |(_, ty)| Info::Type(Box::new(ty.clone())));
                    let with = vec![Edit::Add(Field::inferred(&key, ty, Secrecy::default()))];
                    let without = vec![Edit::Remove(key.clone())];
                    (
                        self.keyed(field, &info, with, (&key, true)),
                        self.keyed(field, &info, without, (&key, false)),
                    )
                };
                info.clone()
                    .if_map(list.list(), Info::MapOf(Box::new(map)))
                    .null_as(&info)
            }
            // One for each prior field.
            Before::Written | Before::Zipped => return Err(stage),
        })
    }

    /// Objects with the member that is the key of a map, or without it: where operators of their
    /// own change them besides, they go on from there.
    fn keyed(
        &mut self,
        field: &str,
        of: &Info,
        edits: Vec<Edit>,
        (key, is_earlier): (&str, bool),
    ) -> Info {
        let info = self.object(field, Some(of), edits);
        if let (Some((_, others)), Some(object)) =
            (self.later.around.get(field), self.objects.last_mut())
        {
            object.rekeyed = Some(Rekeyed {
                others: *others,
                key: key.to_owned(),
                is_earlier,
            });
        }
        info
    }

    /// Objects that no later version has: those that `of` holds, if any, with these changes.
    fn object(&mut self, field: &str, of: Option<&Info>, edits: Vec<Edit>) -> Info {
        let number = self.objects.len();
        let name = (self.name)(field);
        self.objects.push(PriorObject {
            name: unique(self.objects, name),
            info: of.cloned().unwrap_or(Info::Bool),
            edits,
            field: None,
            declared: None,
            holder: None,
            gone: Vec::new(),
            rekeyed: None,
        });
        Info::ObjectOf(number)
    }
}

/// The first member that an operator names.
fn one(members: &[&str]) -> String {
    members.first().copied().unwrap_or_default().to_owned()
}

/// The list, the `nth` of those that `zip` pairs, whose elements the members of its name are, or
/// the keys or values of a map.
fn zipped(info: &Info, nth: usize, from: &FieldPath) -> Info {
    let element = info.clone().element();
    let of_map = if nth == 0 {
        Info::String
    } else {
        element.clone()
    };
    let member = info
        .clone()
        .member(from.0.last().map(name_of).unwrap_or_default());
    let of_list = element.clone().if_map(element.element(), member);
    info.clone()
        .if_map(of_map.list(), of_list.list())
        .null_as(info)
}

/// The type of the old values of a table.
fn table_of(table: &[(Literal, Literal)]) -> Option<Info> {
    let (mut found, mut null) = (None, false);
    for (old, _) in table {
        let kind = match old.value {
            LiteralValue::Null => {
                null = true;
                continue;
            }
            LiteralValue::String(_) => 0,
            LiteralValue::Bool(_) => 1,
            LiteralValue::Number(_) => 2,
            LiteralValue::EmptyList | LiteralValue::EmptyMap => return None,
        };
        if found.is_some_and(|before| before != kind) {
            return None;
        }
        found = Some(kind);
    }
    let info = match found? {
        0 => Info::String,
        1 => Info::Bool,
        _ => Info::Number,
    };
    Some(if null { info.or_null() } else { info })
}
