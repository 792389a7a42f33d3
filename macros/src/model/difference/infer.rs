//! What a prior version stored, worked out from what operators do to get to the later one.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{GenericArgument, PathArguments, Type, parse_quote};

use super::super::declared::{Declared, Notice, Production};
use super::super::{Codec, Derive, Flags, Member, Role, members};
use super::nested::PriorObject;
use super::shape::{Field, Info, Row, Shape};
use crate::attr::operators::{
    Condition, EmptyText, Existing, FieldPath, Literal, Match, Operation, Otherwise, Segment, Stage, Written,
};
use crate::attr::spelt;
use crate::errors::{Errors, position};

/// The later version of a difference.
#[derive(Clone, Copy)]
pub(super) struct Later<'a> {
    /// The struct.
    pub(super) ident: &'a Ident,
    pub(super) shape: &'a Shape,
    pub(super) version: u64,
    /// The fields in whose objects something was different, and which prior objects those are.
    pub(super) around: &'a BTreeMap<String, (Ident, usize)>,
}

impl Later<'_> {
    /// What a field stored, but for what operators did to it as a whole.
    fn info(&self, field: &Field) -> Info {
        match self.around.get(&field.rust_name) {
            Some((_, objects)) => Info::Around(Box::new(field.info.clone()), *objects),
            None => field.info.clone(),
        }
    }
}

/// One change to the fields of nested objects, of which the derive knows no others.
#[derive(Debug)]
pub(crate) enum Edit {
    Remove(String),
    Rename {
        field: String,
        name: String,
    },
    Retype {
        field: String,
        info: Info,
    },
    /// A field of the later objects is written.
    Replace {
        field: String,
        with: Field,
    },
    /// A field that the later objects may have, too, is written.
    Put(Field),
    /// A field that the later objects may have, too.
    Add(Field),
}

/// What is known of a prior field besides what the later version says.
#[derive(Default)]
struct Mention<'a> {
    /// Where it is named first.
    place: Option<&'a Ident>,
    /// Its type, where it is written.
    written: Option<&'a Written>,
    /// What it must have stored, or the operator that wants the type written: by what is done to the later field of the same name.
    own: Option<Result<Info, &'a Stage>>,
    /// The same by the first field that is made of it.
    taken: Option<Result<Info, &'a Stage>>,
    sensitive: bool,
    /// The row of the later field that it is called now.
    renamed: Option<usize>,
    /// Whether something asks for the field; an operator on the later field of the same name does not.
    is_named: bool,
}

/// The shape of the version `prior`, and what it has of its own that a struct would have. What is wrong is recorded.
pub(super) fn prior_shape(
    later: Later<'_>,
    prior: u64,
    declared: &Declared,
    written: &mut Vec<Member>,
    objects: &mut Vec<PriorObject>,
    errors: &mut Errors,
) -> Shape {
    let Found { mentions, stays, parts } = read(later, prior, declared, "", objects, errors);
    let called = |field: &str| format!("{}.{field} (of version {prior})", later.ident.unraw());
    let mut fields: Vec<(Field, Option<&Ident>)> = Vec::new();
    for (index, (field, stays)) in later.shape.same().into_iter().zip(stays).enumerate() {
        let Some(mention) = mentions.get(&field.rust_name) else {
            if stays {
                fields.push((without(around(later, field, index), index, &parts, &called, objects), None));
            }
            continue;
        };
        if !stays && !mention.is_named && mention.written.is_none() {
            continue;
        }
        // What is made anew says nothing of what had its name before.
        let info = if stays { mention.own.as_ref() } else { mention.taken.as_ref().filter(|_| mention.renamed.is_some()) };
        let field = match (mention, info) {
            (Mention { written: Some(of), place: Some(place), .. }, _) => {
                written_field(of, place, Some(&field), &mut Aside { later, prior, written, objects, errors })
            }
            (Mention { place: Some(place), .. }, Some(Err(stage))) => wants_type(stage, place, prior, errors),
            (_, Some(Ok(info))) => Some(Field { info: info.clone(), ty: None, is_own: false, row: Row::Retyped(index), ..field }),
            _ => Some(around(later, field, index)),
        };
        let field = field.map(|field| without(field, index, &parts, &called, objects));
        fields.extend(field.map(|field| (field, mention.place)));
    }
    for (name, mention) in &mentions {
        let Some(place) = mention.place.filter(|_| later.shape.field(name).is_none()) else { continue };
        let now = mention.renamed.and_then(|row| Some((row, later.shape.fields.get(row)?)));
        let field = match (mention, &mention.taken) {
            (Mention { written: Some(of), .. }, _) => {
                written_field(of, place, now.map(|(_, now)| now), &mut Aside { later, prior, written, objects, errors })
            }
            (_, Some(Err(stage))) => wants_type(stage, place, prior, errors),
            (_, Some(Ok(info))) => Some(match now {
                Some((row, now)) => renamed(place, now, row, info),
                None => Field::inferred(place, info.clone(), mention.sensitive),
            }),
            (_, None) => match parts.taken.get(&place.unraw().to_string()) {
                // The objects whose members are fields now, and nothing else.
                Some(members) => {
                    let edits =
                        members.iter().map(|(name, info)| Edit::Put(Field::inferred(name, info.clone(), false))).collect();
                    let first = members.first().map_or(Info::Bool, |(_, info)| info.clone());
                    let object = Info::ObjectOf(objects.len()).null_as(&first);
                    let name = called(&place.unraw().to_string());
                    objects.push(PriorObject {
                        name: unique(objects, name),
                        info: Info::Bool,
                        field: None,
                        edits,
                        declared: None,
                    });
                    Some(Field::inferred(place, object, mention.sensitive))
                }
                None => unknown(place, prior, later, errors),
            },
        };
        fields.extend(field.map(|field| (field, Some(place))));
    }
    fields.sort_by(|(left, _), (right, _)| left.name.cmp(&right.name));
    for pair in fields.windows(2) {
        if let [(first, one), (second, other)] = pair
            && first.name == second.name
            && let Some(place) = one.or(*other)
        {
            errors.push(
                place,
                format_args!(
                    "version {prior} would store two fields as `{}`: what `{}` and `{}` are called here\nhelp: `{}` is the name in state; say with an operator what became of it",
                    first.name, first.rust_name, second.rust_name, first.name
                ),
            );
        }
    }
    Shape { fields: fields.into_iter().map(|(field, _)| field).collect() }
}

/// A field that no operator acts on as a whole.
fn around(later: Later<'_>, field: Field, index: usize) -> Field {
    if !later.around.contains_key(&field.rust_name) {
        return field;
    }
    Field { info: later.info(&field), ty: None, is_own: false, row: Row::Retyped(index), ..field }
}

/// The same field, whose objects did not have what operators put into them.
fn without(field: Field, index: usize, parts: &Parts, name: &dyn Fn(&str) -> String, objects: &mut Vec<PriorObject>) -> Field {
    let (Some(made), Row::Same(_) | Row::Retyped(_)) = (parts.made.get(&field.rust_name), &field.row) else { return field };
    let edits = made.iter().map(|member| Edit::Remove(member.clone())).collect();
    let object = objects.len();
    objects.push(PriorObject {
        name: unique(objects, name(&field.rust_name)),
        info: field.info.clone(),
        field: None,
        edits,
        declared: None,
    });
    let info = Info::Around(Box::new(field.info.clone()), object);
    Field { info, ty: None, is_own: false, row: Row::Retyped(index), ..field }
}

/// What the prior version had of its own inside of nested objects.
pub(super) fn edits(
    later: Later<'_>,
    prior: u64,
    declared: &Declared,
    path: &str,
    written: &mut Vec<Member>,
    objects: &mut Vec<PriorObject>,
    errors: &mut Errors,
) -> Vec<Edit> {
    let Found { mentions, stays, .. } = read(later, prior, declared, path, objects, errors);
    let mut edits = Vec::new();
    let by_row = |row| mentions.iter().find(|(_, mention)| mention.renamed == Some(row) && mention.written.is_none());
    for (row, (field, stays)) in later.shape.fields.iter().zip(stays).enumerate() {
        let name = field.rust_name.clone();
        let mention = mentions.get(&name);
        if !stays && !mention.is_some_and(|mention| mention.is_named || mention.written.is_some()) {
            // It goes by the name that it had.
            match by_row(row) {
                Some((before, Mention { taken: Some(Ok(info)), .. })) => {
                    edits.push(Edit::Rename { field: name.clone(), name: before.clone() });
                    if !same(info, &field.info) {
                        edits.push(Edit::Retype { field: name, info: info.clone() });
                    }
                }
                _ => edits.push(Edit::Remove(name)),
            }
            continue;
        }
        let info = mention.and_then(|mention| match stays {
            true => mention.own.as_ref(),
            false => mention.taken.as_ref().filter(|_| mention.renamed.is_some()),
        });
        match (mention, info) {
            (Some(Mention { written: Some(of), place: Some(place), .. }), _) => {
                if let Some(with) = written_field(of, place, None, &mut Aside { later, prior, written, objects, errors }) {
                    edits.push(Edit::Replace { field: name, with });
                }
            }
            (Some(Mention { place: Some(place), .. }), Some(Err(stage))) => {
                wants_type(stage, place, prior, errors);
            }
            (_, Some(Ok(info))) => edits.push(Edit::Retype { field: name, info: info.clone() }),
            _ if later.around.contains_key(&name) => edits.push(Edit::Retype { field: name, info: later.info(field) }),
            _ => {}
        }
    }
    for (name, mention) in &mentions {
        let Some(place) = mention.place.filter(|_| later.shape.field(name).is_none()) else { continue };
        let is_renamed = mention.renamed.is_some_and(|row| {
            let now = later.shape.fields.get(row);
            now.is_some_and(|now| !mentions.get(&now.rust_name).is_some_and(|mention| mention.is_named))
        });
        match (mention, &mention.taken) {
            (Mention { written: Some(of), .. }, _) => {
                if let Some(field) = written_field(of, place, None, &mut Aside { later, prior, written, objects, errors }) {
                    edits.push(Edit::Put(field));
                }
            }
            (_, Some(Err(stage))) => {
                wants_type(stage, place, prior, errors);
            }
            (_, Some(Ok(info))) if !is_renamed => {
                edits.push(Edit::Add(Field::inferred(place, info.clone(), mention.sensitive)));
            }
            _ => {}
        }
    }
    edits
}

/// What operators tell.
struct Found<'a> {
    mentions: BTreeMap<String, Mention<'a>>,
    /// Which of the later fields the prior version has, too, unless it is named.
    stays: Vec<bool>,
    parts: Parts,
}

/// What operators tell of the insides of fields, by the fields.
#[derive(Default)]
struct Parts {
    /// Members of prior objects that are fields of the later version.
    taken: BTreeMap<String, Vec<(Ident, Info)>>,
    /// Members of later objects that the prior ones did not have.
    made: BTreeMap<String, Vec<String>>,
}

/// What operators tell of prior fields.
fn read<'a>(
    later: Later<'a>,
    prior: u64,
    declared: &'a Declared,
    path: &str,
    objects: &mut Vec<PriorObject>,
    errors: &mut Errors,
) -> Found<'a> {
    let name = |field: &str| {
        let dot = if path.is_empty() { "" } else { "." };
        format!("{}.{path}{dot}{field} (of version {prior})", later.ident.unraw())
    };
    let stays = vec![true; later.shape.fields.len()];
    let found = Found { mentions: BTreeMap::new(), stays, parts: Parts::default() };
    let mut reader = Reader { later, found, name: &name, objects, errors };
    reader.read(declared);
    reader.found
}

/// A field that is called otherwise now.
fn renamed(place: &Ident, now: &Field, row: usize, info: &Info) -> Field {
    let name = place.unraw().to_string();
    let retyped = !same(info, &now.info);
    let (ty, is_own) = if retyped { (None, false) } else { (now.ty.clone(), now.is_own) };
    Field { rust_name: name.clone(), name, info: info.clone(), ty, is_own, row: Row::Renamed { row, retyped }, ..now.clone() }
}

/// Whether nothing was done to the values.
fn same(one: &Info, other: &Info) -> bool {
    match (one, other) {
        (Info::Type(one), Info::Type(other)) => one.to_token_stream().to_string() == other.to_token_stream().to_string(),
        (Info::Field(one), Info::Field(other)) => one == other,
        (Info::Module(one), Info::Module(other)) => one == other,
        _ => false,
    }
}

/// Where what is written goes.
struct Aside<'a, 'e> {
    later: Later<'a>,
    prior: u64,
    written: &'e mut Vec<Member>,
    objects: &'e mut Vec<PriorObject>,
    errors: &'e mut Errors,
}

/// A field whose type is written. Where nothing else is, it takes over what its later self says of how it is stored.
fn written_field(of: &Written, place: &Ident, now: Option<&Field>, aside: &mut Aside<'_, '_>) -> Option<Field> {
    let Written { attributes, ty, .. } = of;
    let (ident, own) = (place.clone(), attributes.is_empty());
    let (set, block) = now.filter(|_| own).map_or((false, false), |now| now.takes_over(ty));
    let field: syn::Field = match (set, block) {
        (true, _) => parse_quote!(#[attribute(set)] #ident: #ty),
        (_, true) => parse_quote!(#[block] #ident: #ty),
        _ => parse_quote!(#(#attributes)* #ident: #ty),
    };
    let mut member = members::member(Derive::Resource, aside.later.ident, &ident, &field, aside.errors)?.0;
    no_state(&member, place, aside.errors);
    if let (Some(now), Role::Attribute { flags, .. }) = (now, &mut member.role) {
        flags.sensitive |= own && now.sensitive;
    }
    // A field that has the same name in Rust has the same name in state, too.
    if let Some(now) = now.filter(|now| now.rust_name == place.unraw().to_string() && member.name == now.rust_name) {
        member.name.clone_from(&now.name);
    }
    let info = if of.has_objects() { in_place(of, ty, place, aside)? } else { Info::Type(ty.clone()) };
    let field = Field::written(&member, aside.written.len(), info);
    aside.written.push(member);
    Some(field)
}

/// The values of a type in which objects are written.
fn in_place(of: &Written, ty: &Type, place: &Ident, aside: &mut Aside<'_, '_>) -> Option<Info> {
    let Type::Path(path) = ty else { return Some(Info::Type(ty.clone())) };
    let last = path.path.segments.last()?;
    if let Some(fields) = of.object(&last.ident) {
        let mut edits = Vec::new();
        for (name, written) in fields {
            edits.push(Edit::Put(written_field(written, name, None, aside)?));
        }
        let number = aside.objects.len();
        let name = format!("{}.{} (of version {})", aside.later.ident.unraw(), place.unraw(), aside.prior);
        aside.objects.push(PriorObject {
            name: unique(aside.objects, name),
            info: Info::Bool,
            field: None,
            edits,
            declared: None,
        });
        return Some(Info::ObjectOf(number));
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return Some(Info::Type(ty.clone())) };
    let inner = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    });
    let inner = in_place(of, inner.last()?, place, aside)?;
    match last.ident.to_string().as_str() {
        "Option" => Some(inner.or_null()),
        "Box" => Some(inner),
        "Vec" => Some(inner.list()),
        "BTreeSet" | "HashSet" => Some(Info::SetOf(Box::new(inner))),
        "BTreeMap" | "HashMap" => Some(Info::MapOf(Box::new(inner))),
        other => {
            aside.errors.push(
                &last.ident,
                format_args!("an object cannot be written inside of `{other}`\nhelp: it stands in an `Option`, `Vec`, `Box`, set or map; give it a struct that derives `Object` otherwise"),
            );
            None
        }
    }
}

/// Refuses what says nothing about state that is there already.
fn no_state(member: &Member, place: &Ident, errors: &mut Errors) {
    let told = match &member.role {
        Role::Attribute { default: Some(_), .. } => "default",
        Role::Attribute { flags: Flags { requires_replace: true, .. }, .. } => "requires_replace",
        _ if member.deprecated.is_some() => "deprecated",
        _ => return,
    };
    errors.push(
        place,
        format_args!("`{told}` says nothing about state that is there already\nhelp: remove it; a prior field has its type and how it is stored"),
    );
}

fn wants_type(stage: &Stage, place: &Ident, prior: u64, errors: &mut Errors) -> Option<Field> {
    let word = &stage.word;
    let name = place.unraw();
    let rest = if let Operation::Function { path, context } = &stage.operation {
        format!(", with = {}{}", spelt(path), if *context { ", context" } else { "" })
    } else if let Operation::Convert { empty } = &stage.operation {
        match empty {
            EmptyText::Unsaid => String::new(),
            EmptyText::Null => ", empty = null".to_owned(),
            EmptyText::Zero => ", empty = zero".to_owned(),
            EmptyText::Refuse => ", empty = refuse".to_owned(),
        }
    } else if matches!(stage.operation, Operation::Json) {
        ", json".to_owned()
    } else {
        ", …".to_owned()
    };
    let form = format!("{word}({name}: Option<String>{rest})");
    errors.push(
        place,
        format_args!("`{word}` does not say what version {prior} stored as `{name}`\nhelp: write its type: `{form}`"),
    );
    None
}

fn unknown(place: &Ident, prior: u64, later: Later<'_>, errors: &mut Errors) -> Option<Field> {
    let (name, ident, version) = (place.unraw().to_string(), later.ident, later.version);
    let nearest = later
        .shape
        .fields
        .iter()
        .map(|field| (strsim::jaro_winkler(&name, &field.rust_name), &field.rust_name))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|(left, _), (right, _)| left.total_cmp(right));
    let help = match nearest {
        Some((_, field)) => {
            format!("did you mean `{field}`? If version {prior} stored `{name}`, write its type: `{name}: Option<String>`")
        }
        None => format!("write what it stored: `{name}: Option<String>`"),
    };
    errors.push(
        place,
        format_args!("version {version} of `{ident}` has no field `{name}`, and nothing says what version {prior} stored under that name\nhelp: {help}"),
    );
    None
}

struct Reader<'a, 'e> {
    later: Later<'a>,
    found: Found<'a>,
    /// What the objects in a field are called.
    name: &'e dyn Fn(&str) -> String,
    objects: &'e mut Vec<PriorObject>,
    errors: &'e mut Errors,
}

impl<'a> Reader<'a, '_> {
    fn read(&mut self, declared: &'a Declared) {
        let Declared { productions, drops, notices, conditions, .. } = declared;
        for production in productions {
            self.production(production);
        }
        for (path, _) in drops {
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

    /// What is known of the field that a path leads to, or through.
    fn mention(&mut self, path: &'a FieldPath) -> &mut Mention<'a> {
        let name = path.0.first().map(|first| first.unraw().to_string()).unwrap_or_default();
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
        mention
    }

    fn named(&mut self, path: &'a FieldPath) -> &mut Mention<'a> {
        let mention = self.mention(path);
        mention.is_named = true;
        mention
    }

    /// A prior field whose value is taken, and what it must have stored.
    fn taken(&mut self, path: &'a FieldPath, info: Result<Info, &'a Stage>, renamed: Option<usize>, sensitive: bool) {
        let is_whole = path.0.len() == 1;
        let mention = self.named(path);
        mention.sensitive |= sensitive;
        if let ([object, member], Ok(info)) = (&path.0[..], &info)
            && path.1.is_none()
        {
            let parts = self.found.parts.taken.entry(object.unraw().to_string()).or_default();
            if !parts.iter().any(|(other, _)| other == member) {
                parts.push((member.clone(), info.clone()));
            }
            return;
        }
        if is_whole && (mention.taken.is_none() || mention.renamed.is_none() && renamed.is_some()) {
            mention.taken = Some(info);
            mention.renamed = renamed;
        }
    }

    fn condition(&mut self, condition: &'a Condition) {
        match condition {
            Condition::Has(path) | Condition::Lacks(path) | Condition::Is(path, _) | Condition::Fits(path, _) => {
                self.named(path);
            }
            Condition::Not(other) => self.condition(other),
            Condition::All(several) | Condition::Any(several) => several.iter().for_each(|one| self.condition(one)),
        }
    }

    fn template(&mut self, template: &'a [Segment]) {
        for segment in template {
            if let Segment::Prior(path, _) = segment {
                self.named(path);
            }
        }
    }

    /// Goes back from the later field to what it was made of.
    fn production(&mut self, production: &'a Production) {
        let Production { target, stages, .. } = production;
        let (Some(first), shape) = (target.0.first(), self.later.shape) else { return };
        let Some(row) = shape.position(&first.unraw().to_string()) else { return };
        let Some(now) = shape.fields.get(row) else { return };
        let inside = target.0.iter().skip(1);
        let mut info = Ok(inside.fold(self.later.info(now), |info, name| info.member(name.unraw().to_string())));
        let whole = target.0.len() == 1;
        for stage in stages {
            if stage.target.1.is_some() {
                self.mention(&stage.target);
            }
            if let Operation::Reformat { forms, .. } = &stage.operation {
                forms.iter().for_each(|(_, template)| self.template(template));
            }
        }
        for stage in stages.iter().rev() {
            let always = stage.only_if.is_none();
            let sensitive = now.sensitive;
            let mut ends = always;
            match &stage.operation {
                Operation::Take { from, existing } => {
                    ends &= *existing == Existing::Unsaid;
                    self.taken(from, info.clone(), whole.then_some(row), sensitive);
                }
                Operation::Copy { from } => self.taken(from, info.clone(), None, sensitive),
                Operation::Merge(paths) => {
                    paths.iter().for_each(|from| self.taken(from, info.clone(), None, sensitive));
                }
                Operation::Extract { from, .. } => {
                    let text = info.clone().map(|info| Info::String.null_as(&info));
                    self.taken(from, text, None, sensitive);
                }
                Operation::Compose(template) => self.template(template),
                Operation::Set(_) => {}
                Operation::Default { .. }
                | Operation::NullIf(_)
                | Operation::Convert { .. }
                | Operation::Json
                | Operation::Function { .. }
                | Operation::Values { .. }
                | Operation::Reformat { .. }
                | Operation::Split(_)
                | Operation::Join(_)
                | Operation::Unwrap { .. }
                | Operation::Wrap { .. }
                | Operation::Enclose(_)
                | Operation::Member(_)
                | Operation::Rekey { .. }
                | Operation::Filter(_) => {
                    if always {
                        info = info.and_then(|info| self.before_act(stage, info, &now.rust_name));
                    }
                    continue;
                }
            }
            if ends {
                match target.0.get(1) {
                    Some(member) if stage.word != "nest" => {
                        self.found.parts.made.entry(now.rust_name.clone()).or_default().push(member.unraw().to_string());
                    }
                    _ => {
                        if let Some(stays) = self.found.stays.get_mut(row) {
                            *stays = false;
                        }
                    }
                }
                return;
            }
        }
        if !whole {
            return;
        }
        // The prior version has the field, and these values.
        let place = target.0.first();
        if !matches!(&info, Ok(info) if same(info, &now.info)) {
            let mention = self.found.mentions.entry(now.rust_name.clone()).or_default();
            mention.place = mention.place.or(place);
            mention.own = Some(info);
        }
    }

    /// What an operator acted on, if what it made is `info`; the operator itself, if only its author knows.
    fn before_act(&mut self, stage: &'a Stage, info: Info, field: &str) -> Result<Info, &'a Stage> {
        if stage.each {
            let element = self.before_one(stage, info.clone().element(), field)?;
            return Ok(Info::EachOf(Box::new(info), Box::new(element)));
        }
        self.before_one(stage, info, field)
    }

    fn before_one(&mut self, stage: &'a Stage, info: Info, field: &str) -> Result<Info, &'a Stage> {
        Ok(match &stage.operation {
            Operation::Default { when, .. } => {
                if matches_null(when) {
                    info.or_null()
                } else {
                    info
                }
            }
            Operation::NullIf(_) => info.or_null(),
            Operation::Values { table, other } => match (table_of(table), other) {
                (_, Otherwise::Keep) => info,
                (Some(of), _) => of.null_as(&info),
                (None, _) => return Err(stage),
            },
            Operation::Reformat { .. } | Operation::Split(_) => Info::String.null_as(&info),
            Operation::Join(_) => Info::String.list().null_as(&info),
            Operation::Unwrap { .. } => Info::NotNull(Box::new(info.clone())).list().null_as(&info),
            Operation::Wrap { .. } => info.element().or_null(),
            Operation::Enclose(name) => info.clone().member(name.clone()).null_as(&info),
            Operation::Filter(these) => {
                if matches_null(these) {
                    let element = info.clone().element().or_null();
                    Info::EachOf(Box::new(info), Box::new(element))
                } else {
                    info
                }
            }
            Operation::Member(name) => {
                let member = Ident::new(name, stage.word.span());
                let edits = vec![Edit::Put(Field::inferred(&member, info.clone(), false))];
                self.object(field, None, edits).null_as(&info)
            }
            Operation::Rekey { key, value } => {
                let (element, key) = (info.clone().element(), Ident::new(key, stage.word.span()));
                let text = Info::String.null_as(&element);
                let (list, map) = match value {
                    Some(value) => {
                        let value = Ident::new(value, stage.word.span());
                        let edits = [(&key, text), (&value, element)];
                        let edits = edits.into_iter().map(|(name, info)| Edit::Put(Field::inferred(name, info, false))).collect();
                        (self.object(field, None, edits), info.clone().member(value.to_string()))
                    }
                    None => {
                        let with = vec![Edit::Add(Field::inferred(&key, Info::String, false))];
                        let without = vec![Edit::Remove(key.to_string())];
                        (self.object(field, Some(&info), with), self.object(field, Some(&info), without))
                    }
                };
                Info::Rekeyed(Box::new([info, list.list(), Info::MapOf(Box::new(map))]))
            }
            Operation::Convert { .. } | Operation::Json | Operation::Function { .. } => return Err(stage),
            Operation::Take { .. }
            | Operation::Copy { .. }
            | Operation::Set(_)
            | Operation::Compose(_)
            | Operation::Extract { .. }
            | Operation::Merge(_) => info,
        })
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
        });
        Info::ObjectOf(number)
    }
}

/// A name that no other objects have: what has the same name is taken for the same.
fn unique(objects: &[PriorObject], name: String) -> String {
    match objects.iter().filter(|other| other.name.starts_with(&name)).count() {
        0 => name,
        others => format!("{name}, {}", others + 1),
    }
}

fn position_of(written: &Written) -> (usize, usize) {
    use syn::spanned::Spanned;
    position(written.ty.span())
}

fn matches_null(these: &[Match]) -> bool {
    these.iter().any(|this| matches!(this, Match::Empty | Match::Literal(Literal::Null)))
}

/// What the old values of a table are.
fn table_of(table: &[(Literal, Literal)]) -> Option<Info> {
    let (mut found, mut null) = (None, false);
    for (old, _) in table {
        let kind = match old {
            Literal::Null => {
                null = true;
                continue;
            }
            Literal::String(_) => 0,
            Literal::Bool(_) => 1,
            Literal::Number(_) => 2,
            Literal::EmptyList | Literal::EmptyMap => return None,
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

/// The codec of a written field that is stored by a module, which is a type of its own.
pub(crate) fn module(member: &Member) -> Option<&syn::Path> {
    match &member.role {
        Role::Attribute { codec: Codec::Module(module), .. } => Some(module),
        _ => None,
    }
}
