//! Prior versions without a struct: what they stored is what a later version stores, but for what
//! operators name.

mod accounting;
mod edits;
mod infer;
mod made;
mod nested;
mod parts;
mod prior;
mod reader;
mod shape;
mod written;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenTree};
use syn::{Attribute, LitInt, Path};

use self::accounting::is_to_be_accounted;
use self::infer::prior_shape;
use self::made::{Known, no_type, prior_struct};
pub(crate) use self::made::{PriorStruct, StructField};
use self::nested::{Nested, split};
use self::prior::Later;
pub(crate) use self::prior::{Edit, PriorObject, Rekeyed, Target};
pub(crate) use self::shape::{Blocks, FactsOf, Field, Info, Row, Secret, Shape};
pub(crate) use self::written::module;
use super::Derive;
use super::declared::{Current, Made, Maker, Prior, declared};
use super::{Member, Upgrader, UpgraderKind};
use crate::attr::operators::{Entry, FieldPath, Operators, name_of};
use crate::attr::{RawKind, RawUpgrader, Version, Versions, spelt};
use crate::errors::{Errors, line};
use crate::lock;

/// The parts of a history.
#[derive(Debug, Default)]
pub(crate) struct Upgraders {
    /// Those to the current version, by the version they start at.
    pub(crate) current: Vec<Upgrader>,
    pub(crate) shapes: Vec<PriorVersion>,
    /// Versions that stored what the current one stores.
    pub(crate) unchanged: Vec<Unchanged>,
    /// The fields that operators write as in a struct.
    pub(crate) written: Vec<Member>,
    /// The nested objects of those versions that were different.
    pub(crate) objects: Vec<PriorObject>,
    /// The structs of versions that functions want one of.
    pub(crate) structs: Vec<PriorStruct>,
}

/// Versions that stored what the current one stores.
#[derive(Debug)]
pub(crate) struct Unchanged {
    pub(crate) versions: Versions,
    /// True if only some of their states did.
    pub(crate) is_conditional: bool,
    /// The place of `carry`.
    pub(crate) carry: Span,
}

/// A version without a struct.
#[derive(Debug)]
pub(crate) struct PriorVersion {
    pub(crate) version: u64,
    /// All versions that stored this, as written.
    pub(crate) versions: Versions,
    /// The place of `carry`, if it is in place of operators.
    pub(crate) carry: Option<Span>,
    /// The fields that operators name, as they are written there.
    pub(crate) operands: Vec<Ident>,
    /// True if it is one of several shapes under its version.
    pub(crate) is_conditional: bool,
    /// The version that it is a difference to.
    pub(crate) to: Target,
    pub(crate) shape: Shape,
    /// Those that lead to it.
    pub(crate) upgraders: Vec<Upgrader>,
    /// True if the field accounting of the difference may find something.
    pub(crate) is_to_be_accounted: bool,
}

/// The description of the version after an arrow.
#[derive(Clone, Copy)]
enum Found {
    Current,
    /// The difference of this index.
    Difference(usize),
}

/// The operators of a document, which may call a field by its stored name, with the names of the
/// fields.
fn by_field_names(mut operators: Operators, shape: &Shape) -> Operators {
    let mut visit = |path: &mut FieldPath| {
        let Some(first) = path.0.first_mut() else {
            return;
        };
        let name = name_of(first);
        if shape.field(&name).is_none()
            && let Some(field) = shape.fields.iter().find(|field| field.name == name)
            && let Ok(ident) = syn::parse_str::<Ident>(&field.rust_name)
        {
            *first = Ident::new(&ident.to_string(), first.span());
        }
    };
    operators
        .entries
        .iter_mut()
        .for_each(|entry| entry.for_each(&mut visit));
    operators
        .conditions
        .iter_mut()
        .for_each(|condition| condition.for_each(&mut visit));
    operators
}

/// The fields that operators name, the best place of each last: a prior field may have the name of
/// one that is made.
fn operands(operators: &mut Operators) -> Vec<Ident> {
    let mut found: Vec<((bool, bool), Ident)> = Vec::new();
    for entry in &mut operators.entries {
        // The target of a stage is visited before its other paths.
        let mut is_target = matches!(entry, Entry::Stage(_));
        entry.for_each(&mut |path: &mut FieldPath| {
            // Only a prior field has its type written, also one that is changed in its place.
            let rank = (path.1.is_some(), !std::mem::take(&mut is_target));
            found.extend(path.0.first().map(|field| (rank, field.clone())));
        });
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, field)| field).collect()
}

fn entries(raw: &RawUpgrader) -> &[Entry] {
    if let RawKind::Difference { operators } | RawKind::Declared { operators, .. } = &raw.kind {
        &operators.entries
    } else {
        &[]
    }
}

/// Refuses paths into enums with data that leave out the variant. Such an enum is a field that
/// `variants` changes in some version, and that no other operator makes in any.
fn variants_in_paths(raws: &[RawUpgrader], errors: &mut Errors) {
    let (mut enums, mut others) = (BTreeSet::new(), BTreeSet::new());
    for entry in raws.iter().flat_map(entries) {
        if let Entry::Stage(stage) = entry
            && let [field] = &stage.target.0[..]
        {
            let found = if stage.variants().is_some() {
                &mut enums
            } else {
                &mut others
            };
            found.insert(name_of(field));
        }
    }
    for entry in raws.iter().flat_map(entries) {
        let path = match entry {
            Entry::Stage(stage) => &stage.target,
            Entry::Drop { path, .. } | Entry::Carry { path, .. } => path,
            Entry::Notice { .. } => continue,
        };
        let [field, members @ ..] = &path.0[..] else {
            continue;
        };
        let name = name_of(field);
        let names_variant = members
            .iter()
            .any(|member| name_of(member).starts_with(char::is_uppercase));
        let is_enum = enums.contains(&name) && !others.contains(&name);
        if members.is_empty() || names_variant || !is_enum {
            continue;
        }
        let inside = FieldPath(members.to_vec(), None).spelt();
        errors.push(
            path,
            format_args!("`{name}` is an enum with data, by `variants`, and this path does not name the variant\nhelp: write `{name}.….{inside}` with the variant's name in Rust"),
        );
    }
}

/// The place of `carry` alone in an upgrader.
fn place_of_carry(attribute: &Attribute, from: &Versions) -> Span {
    let tokens = attribute
        .meta
        .require_list()
        .map(|list| list.tokens.clone())
        .unwrap_or_default();
    let carry = tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(word) if word == "carry" => Some(word.span()),
        TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {
            None
        }
    });
    carry.unwrap_or_else(|| from.last.literal.span())
}

/// The upgraders, each put where it leads to; `all_read` unless some had mistakes and are not among
/// them.
pub(super) fn upgraders(
    raws: Vec<RawUpgrader>,
    all_read: bool,
    current: Current<'_>,
    version: Option<&Version>,
    errors: &mut Errors,
) -> Upgraders {
    variants_in_paths(&raws, errors);
    let targets: Vec<Option<Found>> = raws
        .iter()
        .map(|raw| target(raw, (&raws, all_read), current.ident, version, errors))
        .collect();
    let is_target = |index| {
        targets
            .iter()
            .any(|target| matches!(target, Some(Found::Difference(other)) if *other == index))
    };
    let named: Vec<bool> = (0..raws.len()).map(is_target).collect();
    // Not every field of a document is a member, and one with a mistake has ended the derive
    // before.
    let is_complete =
        current.derive == Derive::Document || current.fields.len() == current.members.len();
    // An upgrader to a version with a struct is not for here, because that struct has it.
    let mut of_structs: BTreeMap<usize, Vec<Attribute>> = BTreeMap::new();
    let owners: Vec<Option<usize>> = (0..raws.len())
        .map(|index| owner(index, &raws, &targets))
        .collect();
    for (raw, owner) in raws.iter().zip(&owners) {
        if let Some(owner) = owner {
            of_structs
                .entry(*owner)
                .or_default()
                .push(raw.attribute.clone());
        }
    }

    // A later version is looked at before those that are differences to it.
    let mut all: Vec<(usize, RawUpgrader)> = raws.into_iter().enumerate().collect();
    all.sort_by_key(|(index, raw)| (Reverse(raw.from.last.number), *index));
    let of_struct = Shape::of_struct(current.members);
    let mut upgraders = Upgraders::default();
    let mut shapes: Vec<Option<usize>> = vec![None; targets.len()];
    for (
        index,
        RawUpgrader {
            from,
            kind,
            when,
            made: made_struct,
            attribute,
            downgrade,
            reason,
            ..
        },
    ) in all
    {
        if owners.get(index).is_some_and(Option::is_some) {
            continue;
        }
        let to = match targets.get(index).copied().flatten() {
            Some(Found::Current) => Target::Current,
            Some(Found::Difference(other)) => match shapes.get(other).copied().flatten() {
                Some(shape) => Target::Shape(shape),
                // That one has a mistake, so that there is no shape.
                None => continue,
            },
            None => continue,
        };
        let (shape, later) = match to {
            Target::Current => (
                of_struct.clone(),
                version.map_or(0, |version| version.number),
            ),
            Target::Shape(shape) => match upgraders.shapes.get(shape) {
                Some(prior) => (prior.shape.clone(), prior.version),
                None => continue,
            },
            Target::Object(_) => continue,
        };
        let makers = upgraders.makers();
        let made = match to {
            Target::Current => Made::Current(current),
            Target::Shape(_) | Target::Object(_) => Made::Shape {
                ident: current.ident,
                version: later,
                shape: &shape,
                type_name: current.stored_as.map(|(type_name, _)| type_name),
                makers: &makers,
            },
        };
        let kind = match kind {
            RawKind::Unchanged
                if to == Target::Current && !named.get(index).is_some_and(|named| *named) =>
            {
                let carry = place_of_carry(&attribute, &from);
                upgraders.unchanged.push(Unchanged {
                    versions: from.clone(),
                    is_conditional: when.is_some(),
                    carry,
                });
                UpgraderKind::Unchanged
            }
            kind @ (RawKind::Difference { .. } | RawKind::Unchanged) => {
                let carry =
                    matches!(kind, RawKind::Unchanged).then(|| place_of_carry(&attribute, &from));
                let operators = if let RawKind::Difference { operators } = kind {
                    operators
                } else {
                    Operators::default()
                };
                let before = errors.len();
                let mut operators = if current.derive == Derive::Document {
                    by_field_names(operators, &shape)
                } else {
                    operators
                };
                let operands = operands(&mut operators);
                let (operators, inner) = split(operators);
                let declared = declared(
                    Prior::Shape(upgraders.shapes.len()),
                    operators,
                    made,
                    errors,
                );
                if !is_complete {
                    continue;
                }
                let number = from.last.number;
                if let (Some(made), Some((field, _))) = (&made_struct, inner.first()) {
                    no_type(made, number, &name_of(field), errors);
                    continue;
                }
                let Upgraders {
                    objects, written, ..
                } = &mut upgraders;
                let mut nested = Nested {
                    derive: current.derive,
                    ident: current.ident,
                    prior: number,
                    objects,
                    written,
                };
                let mut around = BTreeMap::new();
                for (place, operators) in inner {
                    let name = name_of(&place);
                    match shape.field(&name) {
                        Some(field) => {
                            let object =
                                nested.object(&name, &place, &field.info, operators, errors);
                            nested.held(object, to, &name);
                            around.insert(name, (place, object));
                        }
                        None => made.unknown(&place, &name, &declared.prior, errors),
                    }
                }
                let later = Later {
                    derive: current.derive,
                    ident: current.ident,
                    to: Some(to),
                    shape: &shape,
                    version: later,
                    type_name: current.stored_as.map(|(type_name, _)| type_name),
                    around: &around,
                    rename_all: current.document.and_then(|document| document.rename_all),
                };
                let shape = prior_shape(
                    later,
                    number,
                    &declared,
                    &mut upgraders.written,
                    &mut upgraders.objects,
                    errors,
                );
                if errors.len() > before {
                    continue;
                }
                if let Some(made) = &made_struct {
                    let known = Known {
                        members: current.members,
                        written: &upgraders.written,
                    };
                    let leading = of_structs.remove(&index).unwrap_or_default();
                    upgraders
                        .structs
                        .push(prior_struct(made, &from, &shape, known, leading, errors));
                    let kind = UpgraderKind::Declared(declared.of_model(made.ident.clone().into()));
                    upgraders.push(
                        to,
                        Upgrader {
                            from: from.first.number,
                            through: from.last.number,
                            kind,
                            when,
                            downgrade: None,
                            reason,
                        },
                    );
                    continue;
                }
                if let Some(place) = shapes.get_mut(index) {
                    *place = Some(upgraders.shapes.len());
                }
                let is_to_be_accounted = is_to_be_accounted(&declared, &shape, later.shape);
                let versions = from.clone();
                upgraders.shapes.push(PriorVersion {
                    version: number,
                    versions,
                    carry,
                    operands,
                    is_conditional: when.is_some(),
                    to,
                    shape,
                    upgraders: Vec::new(),
                    is_to_be_accounted,
                });
                UpgraderKind::Declared(declared)
            }
            kind @ (RawKind::Conversion { .. }
            | RawKind::Function { .. }
            | RawKind::Raw { .. }
            | RawKind::Declared { .. }
            | RawKind::Unsupported { .. }
            | RawKind::NeverReleased) => {
                if let (RawKind::NeverReleased, Some((type_name, _))) = (&kind, current.stored_as) {
                    was_released(type_name, &from, errors);
                }
                kind_of(kind, made, errors)
            }
        };
        upgraders.push(
            to,
            Upgrader {
                from: from.first.number,
                through: from.last.number,
                kind,
                when,
                downgrade,
                reason,
            },
        );
    }
    upgraders.sort();
    upgraders
}

/// The kind of an upgrader that names all that it needs, as one that state of another type moves
/// through does.
pub(super) fn kind_of(kind: RawKind, made: Made<'_>, errors: &mut Errors) -> UpgraderKind {
    match kind {
        RawKind::Conversion { model } => UpgraderKind::Conversion { model },
        RawKind::Function {
            model,
            function,
            is_async,
        } => UpgraderKind::Function {
            model,
            function,
            is_async,
        },
        RawKind::Raw { function, is_async } => UpgraderKind::Raw { function, is_async },
        RawKind::Unsupported { text } => UpgraderKind::Unsupported { text },
        RawKind::NeverReleased => UpgraderKind::NeverReleased,
        // Neither is for here, because it depends on the versions around it.
        RawKind::Unchanged | RawKind::Difference { .. } => UpgraderKind::Unchanged,
        RawKind::Declared { model, operators } => {
            UpgraderKind::Declared(declared(Prior::Model(model), operators, made, errors))
        }
    }
}

/// Says which of the versions was released, if the lock says so of one.
fn was_released(type_name: &str, from: &Versions, errors: &mut Errors) {
    let versions = from.first.number..=from.last.number;
    let Some(found) = lock::find() else { return };
    let Ok(lock) = &found.lock else { return };
    let Some((released, _)) = lock
        .overlapping(type_name, versions)
        .min_by_key(|(released, _)| *released.start())
    else {
        return;
    };
    let number = from.first.number.max(*released.start());
    errors.push(
        &from.first.literal,
        format_args!("version {number} of `{type_name}` was released, so there may be state of it\nhelp: write how it is upgraded, `#[upgrade_from({number} => {}, …)]`; or say what its owners do instead: `unsupported = \"…\"`\nnote: upstate.lock says so; if no release ever stored version {number}, remove its entry there", number.saturating_add(1)),
    );
}

/// The difference with a struct of its own that an upgrader leads to, at last.
fn owner(index: usize, raws: &[RawUpgrader], targets: &[Option<Found>]) -> Option<usize> {
    let Some(Found::Difference(to)) = targets.get(index).copied().flatten() else {
        return None;
    };
    if raws.get(to)?.made.is_some() {
        Some(to)
    } else {
        owner(to, raws, targets)
    }
}

impl PriorVersion {
    /// The place where an operator names a field.
    pub(crate) fn operand(&self, rust_name: &str) -> Option<Span> {
        self.operands
            .iter()
            .rev()
            .find(|operand| name_of(operand) == rust_name)
            .map(Ident::span)
    }
}

impl Upgraders {
    fn push(&mut self, to: Target, upgrader: Upgrader) {
        match to {
            Target::Current => self.current.push(upgrader),
            Target::Shape(shape) => {
                if let Some(prior) = self.shapes.get_mut(shape) {
                    prior.upgraders.push(upgrader);
                }
            }
            Target::Object(_) => {}
        }
    }

    /// The operators that make a field of nothing but prior ones.
    fn makers(&self) -> Vec<Maker> {
        let shapes = self.shapes.iter().flat_map(|prior| &prior.upgraders);
        let declared =
            self.current
                .iter()
                .chain(shapes)
                .filter_map(|upgrader| match &upgrader.kind {
                    UpgraderKind::Declared(declared) => Some(declared),
                    UpgraderKind::Conversion { .. }
                    | UpgraderKind::Function { .. }
                    | UpgraderKind::Raw { .. }
                    | UpgraderKind::Unsupported { .. }
                    | UpgraderKind::NeverReleased
                    | UpgraderKind::Unchanged => None,
                });
        let new = declared
            .flat_map(|declared| &declared.productions)
            .filter(|production| production.starts_empty());
        new.filter_map(|production| {
            let ([field], [first, ..]) = (&production.target.0[..], &production.stages[..]) else {
                return None;
            };
            let from = first
                .operation
                .moved()
                .filter(|from| from.0.len() == 1)
                .map(FieldPath::spelt);
            Some(Maker {
                field: name_of(field),
                word: first.word.clone(),
                from,
            })
        })
        .collect()
    }

    /// By the version they start at. Those of one version stay in the order in which they are
    /// tried.
    fn sort(&mut self) {
        let all = self.shapes.iter_mut().map(|prior| &mut prior.upgraders);
        for upgraders in all.chain([&mut self.current]) {
            upgraders.sort_by_key(|upgrader| upgrader.from);
        }
    }
}

/// The end of an upgrader; `None` after an error is recorded.
fn target(
    raw: &RawUpgrader,
    (raws, all_read): (&[RawUpgrader], bool),
    ident: &Ident,
    version: Option<&Version>,
    errors: &mut Errors,
) -> Option<Found> {
    let RawUpgrader { from, to, kind, .. } = raw;
    let is_difference = matches!(kind, RawKind::Difference { .. } | RawKind::Unchanged);
    let current = version.map(|version| version.number);
    let Some(to) = to else {
        if is_difference {
            let (spelt, behind, to) = (from.spelt(), raw.behind_versions(), current?);
            // One mistake, because an upgrader from the current version is an error of its own.
            if from.last.number < to {
                errors.push(
                    &from.last.literal,
                    format_args!(
                        "this does not say which version it is a difference to\nhelp: write `#[upgrade_from({spelt} => {to}, {behind})]`, so that it still means the same when a later version comes"
                    ),
                );
            }
            return None;
        }
        return Some(Found::Current);
    };
    let (number, place) = (to.number, &to.literal);
    if let RawKind::Unsupported { .. } | RawKind::NeverReleased = kind {
        errors.push(
            place,
            format_args!(
                "nothing is upgraded here, so there is no version that it leads to\nhelp: write `#[upgrade_from({}, {})]`",
                from.spelt(),
                raw.behind_versions()
            ),
        );
        return None;
    }
    if number <= from.last.number {
        if from.first.number < number {
            let last = number.saturating_sub(1);
            let versions = if from.first.number == last {
                last.to_string()
            } else {
                format!("{}..={last}", from.first.number)
            };
            errors.push(
                place,
                format_args!("version {number} is one of those that this upgrades\nhelp: write `{versions} => {number}`"),
            );
            return None;
        }
        let later = current
            .filter(|current| *current > from.last.number)
            .unwrap_or(from.last.number.saturating_add(1));
        errors.push(
            place,
            format_args!(
                "version {number} is not later than version {} [U0009]\nhelp: an upgrader leads to a later version: `{} => {later}`",
                from.last.number,
                from.spelt(),
            ),
        );
        return None;
    }
    let current = current?;
    if number > current {
        // One mistake, because an upgrader from the current version is an error of its own, which
        // raises the version.
        if from.last.number >= current {
            return None;
        }
        errors.push(
            place,
            format_args!("there is no version {number}: `{ident}` is at version {current}\nhelp: write `{} => {current}`, or raise `version`", from.spelt()),
        );
        return None;
    }
    if number == current {
        return is_named(raw, ident, number, errors).then_some(Found::Current);
    }
    let describing = raws
        .iter()
        .enumerate()
        .filter(|(_, other)| (other.from.first.number..=other.from.last.number).contains(&number));
    let mut found = None;
    let mut message = None;
    for (index, other) in describing {
        match &other.kind {
            RawKind::Difference { .. } | RawKind::Unchanged
                if raw.to_struct.is_some()
                    && raw.to_struct != other.made.as_ref().map(|made| made.ident.clone()) => {}
            RawKind::Difference { .. } | RawKind::Unchanged if found.is_some() => {
                let name = other.made.as_ref().map_or_else(
                    || format!("{ident}V{number}"),
                    |made| made.ident.to_string(),
                );
                errors.push(
                    place,
                    format_args!("version {number} has several shapes, and this does not say which of them it leads to\nhelp: give the shape a name where it is described, `as = {name}`, and write `to = {name}` here; or upgrade from version {} to {current}", from.spelt()),
                );
                return None;
            }
            RawKind::Difference { .. } | RawKind::Unchanged => found = Some(index),
            kind => {
                message = Some(described_otherwise(
                    kind,
                    number,
                    from,
                    &other.from.first.literal,
                ));
            }
        }
    }
    let Some(found) = found else {
        if let (Some(named), None) = (&raw.to_struct, &message) {
            no_such_struct(named, number, raws, errors);
            return None;
        }
        // One that has mistakes may be what describes it.
        if !all_read && message.is_none() {
            return None;
        }
        let message = message.unwrap_or_else(|| {
            format!(
                "nothing says what version {number} stored [U0008]\nhelp: add `#[upgrade_from({number} => {current}, …)]`; or write `{} => {current}` if no release ever stored version {number}",
                from.spelt()
            )
        });
        errors.push(place, message);
        return None;
    };
    if raws.get(found).is_some_and(|other| other.made.is_some()) {
        return Some(Found::Difference(found));
    }
    if let RawKind::Conversion { model } | RawKind::Function { model, .. } = kind {
        function_to_shape(place, (ident, number), model, errors);
        return None;
    }
    if let RawKind::Raw { .. } = kind {
        errors.push(
            place,
            format_args!(
                "version {number} has no struct that a function could make\nhelp: write `{} => {current}`, or `as = {ident}V{number}` in the difference of version {number}",
                from.spelt()
            ),
        );
        return None;
    }
    Some(Found::Difference(found))
}

/// True if `to = …` names the struct of the current version, if it names one.
fn is_named(raw: &RawUpgrader, ident: &Ident, number: u64, errors: &mut Errors) -> bool {
    match &raw.to_struct {
        Some(named) if named != ident => {
            errors.push(
                named,
                format_args!("version {number} is `{ident}`\nhelp: remove `to = {named}`"),
            );
            false
        }
        Some(_) | None => true,
    }
}

fn no_such_struct(named: &Ident, number: u64, raws: &[RawUpgrader], errors: &mut Errors) {
    let made = |raw: &RawUpgrader| {
        let made = raw.made.as_ref()?;
        (raw.from.first.number..=raw.from.last.number)
            .contains(&number)
            .then(|| format!("`{}`", made.ident))
    };
    let all: Vec<String> = raws.iter().filter_map(made).collect();
    let help = if all.is_empty() {
        format!("write `as = {named}` in the difference of version {number}")
    } else {
        format!("its structs are {}", all.join(", "))
    };
    errors.push(
        named,
        format_args!("version {number} has no struct `{named}`\nhelp: {help}"),
    );
}

fn function_to_shape(
    place: &LitInt,
    (ident, number): (&Ident, u64),
    model: &Path,
    errors: &mut Errors,
) {
    let model = spelt(model);
    errors.push(
        place,
        format_args!(
            "version {number} has no struct that `{model}` could be converted to\nhelp: write operators, or `as = {ident}V{number}` in the difference of version {number}, which makes one"
        ),
    );
}

/// The reason why an upgrader cannot lead to a version that something else describes.
fn described_otherwise(kind: &RawKind, number: u64, from: &Versions, first: &LitInt) -> String {
    let first = line(first);
    match kind {
        RawKind::Conversion { model }
        | RawKind::Function { model, .. }
        | RawKind::Declared { model, .. } => {
            let model = spelt(model);
            format!(
                "version {number} is the struct `{model}`, and this is a difference to it\nhelp: write `#[upgrade_from({} => {number}, …)]` on `{model}`\nnote: it is named on line {first}",
                from.spelt()
            )
        }
        RawKind::Raw { .. } => format!(
            "a function reads what version {number} stored, so nothing says what that is\nhelp: write an upgrader to the current version\nnote: that is on line {first}"
        ),
        RawKind::Unsupported { .. } => {
            format!(
                "version {number} is no longer supported, so nothing can lead to it\nhelp: write an upgrader to a version that is\nnote: that is on line {first}"
            )
        }
        RawKind::NeverReleased => {
            format!(
                "version {number} was never released\nhelp: write an upgrader to a version that was\nnote: that is on line {first}"
            )
        }
        RawKind::Difference { .. } | RawKind::Unchanged => String::new(),
    }
}
