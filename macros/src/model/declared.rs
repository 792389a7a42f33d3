//! Declarative upgraders: operators put together by the field they are for.

mod types;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{Field, LitStr, Path, Token, Type};
use upstate_words::operators::Replaces;

use super::Derive;
use super::difference::Shape;
use super::document::EntryKind;
use super::{Codec, Member, Role, document};
use crate::attr::operators::{
    Condition, Constant, Entry, FieldPath, Literal, Operators, Stage, name_of, starts_empty,
};
use crate::attr::spelt;
use crate::errors::{Errors, line};
use crate::likeness::likeness;
use crate::lock;

/// A prior field that ends, why, and what a downgrade puts there.
#[derive(Debug)]
pub(crate) struct Dropped {
    pub(crate) path: FieldPath,
    pub(crate) reason: LitStr,
    pub(crate) back: Option<Literal>,
}

/// The changes that operators declare; all else is carried from the prior model.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) prior: Prior,
    pub(crate) productions: Vec<Production>,
    pub(crate) drops: Vec<Dropped>,
    pub(crate) notices: Vec<Notice>,
    /// Fields that are carried, and whose prior types are written.
    pub(crate) carried: Vec<FieldPath>,
    /// Fields that are carried although they were sensitive and are no longer: their names in
    /// state, and why.
    pub(crate) declassified: Vec<(FieldPath, String, LitStr)>,
    /// The first names of targets that a flattened field stores: their names in state are for the
    /// compiler to find.
    pub(crate) of_parts: BTreeSet<String>,
    /// The conditions of stages and notices.
    pub(crate) conditions: Vec<Condition>,
    /// The place of the word `carry`, if it is there in place of operators.
    pub(crate) carry: Option<Span>,
}

impl Declared {
    /// True if one of the operators calls an `async fn`.
    pub(crate) fn awaits(&self) -> bool {
        self.stages().any(|stage| stage.operation.awaits())
    }

    /// The stages of all productions.
    pub(crate) fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.productions
            .iter()
            .flat_map(|production| &production.stages)
    }
}

/// The version that an upgrader with operators starts from.
#[derive(Debug)]
pub(crate) enum Prior {
    /// A struct.
    Model(Path),
    /// A difference to a later version: the shape of this index.
    Shape(usize),
    /// The nested objects of this index of such a version.
    Object(usize),
}

/// The stages that make the value of one current field.
#[derive(Debug)]
pub(crate) struct Production {
    /// As the last of its operators writes it.
    pub(crate) target: FieldPath,
    /// The name in state of the field that it is, or is inside of.
    pub(crate) name: String,
    /// The type of the field, if it is not inside an object.
    pub(crate) ty: Option<Type>,
    pub(crate) stages: Vec<Stage>,
}

impl Declared {
    /// Notes a target that a flattened field stores.
    fn note(&mut self, place: &Ident, target: &Target) {
        if target.is_of_part {
            self.of_parts.insert(name_of(place));
        }
    }

    /// These operators with a struct as the prior version, which says the types of its fields.
    pub(super) fn of_model(self, model: Path) -> Self {
        Self {
            prior: Prior::Model(model),
            carried: Vec::new(),
            ..self
        }
    }
}

impl Production {
    /// True if the prior field of the target's name is not part of the result. The runtime asks the
    /// same of its table.
    pub(crate) fn starts_empty(&self) -> bool {
        starts_empty(&self.stages)
    }
}

/// A warning or error about some states.
#[derive(Debug)]
pub(crate) struct Notice {
    pub(crate) text: LitStr,
    /// The prior field it is about.
    pub(crate) at: Option<FieldPath>,
    pub(crate) refuse: bool,
    pub(crate) only_if: Option<usize>,
}

/// The current struct, as operators see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Current<'a> {
    pub(super) derive: Derive,
    pub(super) ident: &'a Ident,
    /// All fields, also those with mistakes.
    pub(super) fields: &'a Punctuated<Field, Token![,]>,
    /// Those without.
    pub(super) members: &'a [Member],
    /// The form of a document, whose flattened fields are not among the members.
    pub(super) document: Option<&'a document::Shape>,
    /// The resource's type and version, where they are known: the lock says what was released of
    /// them.
    pub(super) stored_as: Option<(&'a str, u64)>,
}

/// The later version, which operators make.
#[derive(Clone, Copy)]
pub(super) enum Made<'a> {
    Current(Current<'a>),
    /// A version without a struct, of this resource.
    Shape {
        ident: &'a Ident,
        version: u64,
        shape: &'a Shape,
        type_name: Option<&'a str>,
        makers: &'a [Maker],
    },
    /// Nested objects, whose fields are not seen here.
    Objects,
}

/// An operator of a later upgrader, which makes a field of nothing but prior ones.
pub(super) struct Maker {
    pub(super) field: String,
    /// The operator's name where it is written.
    pub(super) word: Ident,
    /// The field's former name, if nothing else changed.
    pub(super) from: Option<String>,
}

/// A field that operators make.
struct Target {
    name: String,
    ty: Option<Type>,
    /// True if it is stored as its type says.
    is_own: bool,
    /// True if a flattened field stores it.
    is_of_part: bool,
}

impl Made<'_> {
    /// Says that there is no field `name`, unless there is.
    pub(super) fn unknown(&self, place: &Ident, name: &str, prior: &Prior, errors: &mut Errors) {
        self.target(place, name, prior, errors);
    }

    /// The field `name`; `None` if there is none, which is then recorded. A model `prior` names
    /// what its flattened fields store.
    fn target(
        &self,
        place: &Ident,
        name: &str,
        prior: &Prior,
        errors: &mut Errors,
    ) -> Option<Target> {
        match self {
            Self::Current(current) => {
                let Some(member) = current.member(name) else {
                    return current.beside_members(place, name, prior, errors);
                };
                let is_own = !matches!(
                    member.role,
                    Role::Attribute {
                        codec: Codec::Text | Codec::OptionalText | Codec::Module(_),
                        ..
                    }
                );
                Some(Target {
                    name: member.name.clone(),
                    ty: Some(member.ty.clone()),
                    is_own,
                    is_of_part: false,
                })
            }
            Self::Shape {
                ident,
                version,
                shape,
                type_name,
                makers,
            } => {
                let Some(field) = shape.field(name) else {
                    if let Some(type_name) = type_name
                        && lock::has_released(type_name, *version, name)
                    {
                        let ty = lock::released_type(type_name, *version, name)
                            .unwrap_or_else(|| "…".to_owned());
                        errors.push(
                            place,
                            format_args!("nothing says what became of `{name}` after version {version} of `{ident}` [U0011]\nhelp: say it in the upgrader from version {version}: `rename({name} => …)`, or `drop({name}: {ty}, \"why\")` if its value may be lost\nnote: upstate.lock says that version {version} stored it, so keep this upgrader unchanged"),
                        );
                        return None;
                    }
                    if let Some(Maker { word, from, .. }) =
                        makers.iter().find(|maker| maker.field == name)
                    {
                        let there = line(word);
                        let help = match from {
                            Some(from) => {
                                format!("write `{from}`, which is its name in version {version}")
                            }
                            None => format!(
                                "if version {version} stored it, say there what becomes of that value: `default({name} = …)` in place of `set({name} = …)`, or `convert({name}: Option<String>)` with the type that it had"
                            ),
                        };
                        errors.push(
                            place,
                            format_args!("version {version} of `{ident}` has no field `{name}`: `{word}` on line {there} makes it later [U0011]\nhelp: {help}"),
                        );
                        return None;
                    }
                    let by_state_name = shape.fields.iter().find(|field| field.name == name);
                    let names = shape.fields.iter().map(|field| field.rust_name.clone());
                    let help = nearest(
                        name,
                        by_state_name.map(|field| field.rust_name.clone()),
                        names.collect(),
                    );
                    errors.push(
                        place,
                        format_args!(
                            "version {version} of `{ident}` has no field `{name}` [U0011]\n{help}"
                        ),
                    );
                    return None;
                };
                Some(Target {
                    name: field.name.clone(),
                    ty: field.ty.clone(),
                    is_own: field.is_own,
                    is_of_part: false,
                })
            }
            Self::Objects => Some(Target {
                name: name.to_owned(),
                ty: None,
                is_own: false,
                is_of_part: false,
            }),
        }
    }
}

impl Current<'_> {
    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        self.members
            .iter()
            .find(|member| member.ident.unraw() == name)
    }

    /// The names of all fields.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.fields
            .iter()
            .filter_map(|field| Some(field.ident.as_ref()?.unraw().to_string()))
    }

    /// True if a field has this name, also one with mistakes.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names().any(|field| field == name)
    }

    /// A target that a flattened field stores; `None` if none does, which is then recorded.
    fn beside_members(
        &self,
        place: &Ident,
        name: &str,
        prior: &Prior,
        errors: &mut Errors,
    ) -> Option<Target> {
        let entries = self.document.map_or(&[][..], |document| &document.entries);
        match entries
            .iter()
            .find(|entry| entry.ident.unraw() == name)
            .map(|entry| &entry.kind)
        {
            Some(EntryKind::Flatten { .. }) => {
                let message = format!(
                    "`{name}` is not stored by its name: its members are next to the others\nhelp: write the name of a member of it in place of `{name}`"
                );
                errors.push(place, message);
            }
            Some(EntryKind::Skip { .. }) => {
                errors.push(
                    place,
                    format_args!("`{name}` is not stored, because it has `skip`\nhelp: remove `skip`, or this operator"),
                );
            }
            // A field with a mistake of its own is one of the struct's, too.
            Some(EntryKind::Member { .. } | EntryKind::Name { .. }) => {}
            None if self.has(name) => {}
            None => {
                let has_parts = entries
                    .iter()
                    .any(|entry| matches!(entry.kind, EntryKind::Flatten { .. }));
                if has_parts && matches!(prior, Prior::Model(_)) {
                    return Some(Target {
                        name: name.to_owned(),
                        ty: None,
                        is_own: false,
                        is_of_part: true,
                    });
                }
                self.unknown(place, name, errors);
            }
        }
        None
    }

    /// A line about the flattened fields, whose members no difference names.
    fn note_of_parts(&self) -> String {
        let entries = self.document.map_or(&[][..], |document| &document.entries);
        let parts = entries
            .iter()
            .filter(|entry| matches!(entry.kind, EntryKind::Flatten { .. }));
        let parts: Vec<String> = parts
            .map(|entry| format!("`{}`", entry.ident.unraw()))
            .collect();
        if parts.is_empty() {
            return String::new();
        }
        format!(
            "\nnote: for a member of {}, write the struct that the earlier version stored, and `model = …` before the operators",
            parts.join(" or ")
        )
    }

    /// Says that there is no field `name`, which is at `place`.
    pub(super) fn unknown(&self, place: &Ident, name: &str, errors: &mut Errors) {
        let owner = self.ident;
        let by_state_name = self
            .members
            .iter()
            .find(|member| member.name == name)
            .map(|member| member.ident.unraw().to_string());
        let help = nearest(name, by_state_name, self.names().collect());
        let help = match self.stored_as {
            Some((type_name, version)) if lock::has_released(type_name, version, name) => {
                let next = version + 1;
                let mut new = self
                    .names()
                    .filter(|field| !lock::has_released(type_name, version, field));
                // If only one field is new, it is probably that one.
                let new = new
                    .next()
                    .filter(|_| new.next().is_none())
                    .unwrap_or_else(|| "…".to_owned());
                format!(
                    "help: version {version} was released with `{name}`: put it back, or make this version {next} and add `#[upgrade_from({version} => {next}, rename({name} => {new}))]`\nnote: upstate.lock says so; keep this upgrader unchanged"
                )
            }
            _ => help + &self.note_of_parts(),
        };
        errors.push(
            place,
            format_args!("`{owner}` has no field `{name}` [U0011]\n{help}"),
        );
    }
}

/// The field that `name` most likely means.
fn nearest(name: &str, by_state_name: Option<String>, fields: Vec<String>) -> String {
    let in_order: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    let mut names: Vec<(f64, String)> = fields
        .into_iter()
        .map(|field| (strsim::jaro_winkler(name, &field), field))
        .collect();
    names.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    match (by_state_name, names.first()) {
        (Some(field), _) => format!(
            "help: `{name}` is its name in state; here fields have their names in Rust: `{field}`"
        ),
        (None, None) => "note: it has no fields at all".to_owned(),
        (None, Some((_, field))) if likeness(name, field) > 0.0 => {
            // A keyword is a name only with `r#`.
            let raw = if syn::parse_str::<Ident>(field).is_err() {
                "r#"
            } else {
                ""
            };
            format!("help: did you mean `{raw}{field}`?")
        }
        (None, Some(_)) if in_order.len() <= 12 => {
            format!("help: its fields are {}", in_order.join(", "))
        }
        (None, Some(_)) => {
            let nearest: Vec<String> = names
                .iter()
                .take(3)
                .map(|(_, field)| format!("`{field}`"))
                .collect();
            format!(
                "help: the nearest of its {} fields are {}",
                names.len(),
                nearest.join(", ")
            )
        }
    }
}

/// The table of the operators on the way from a prior model; what is wrong is recorded and left
/// out.
pub(super) fn declared(
    prior: Prior,
    operators: Operators,
    made: Made<'_>,
    errors: &mut Errors,
) -> Declared {
    let Operators {
        entries,
        conditions,
        carry,
    } = operators;
    let mut declared = Declared {
        prior,
        productions: Vec::new(),
        drops: Vec::new(),
        notices: Vec::new(),
        carried: Vec::new(),
        declassified: Vec::new(),
        of_parts: BTreeSet::new(),
        conditions,
        carry,
    };
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for entry in entries {
        match entry {
            Entry::Drop { path, reason, back } => {
                if let Some(Dropped { path: first, .. }) = declared
                    .drops
                    .iter()
                    .find(|other| other.path.is_same(&path))
                {
                    let (name, first) = (path.spelt(), line(&first));
                    errors.push(
                        path,
                        format_args!("`{name}` is dropped twice\nhelp: keep one of the two\nnote: first on line {first}"),
                    );
                } else {
                    declared.drops.push(Dropped { path, reason, back });
                }
            }
            Entry::Notice {
                text,
                at,
                refuse,
                only_if,
            } => declared.notices.push(Notice {
                text,
                at,
                refuse,
                only_if,
            }),
            Entry::Carry { path, declassified } => {
                let Some(first) = path.0.first() else {
                    continue;
                };
                let Some(target) = made.target(first, &name_of(first), &declared.prior, errors)
                else {
                    continue;
                };
                declared.note(first, &target);
                let is_typed = path.1.is_some();
                if !is_typed && !matches!(declared.prior, Prior::Model(_)) {
                    let name = path.spelt();
                    errors.push(
                        &path,
                        format_args!("`carry` does not say what `{name}` was\nhelp: write how it was marked, and its type: `carry(#[attribute(sensitive)] {name}: String, declassified = \"…\")`"),
                    );
                    continue;
                }
                if let Some(reason) = declassified {
                    declared
                        .declassified
                        .push((path.clone(), target.name, reason));
                }
                if is_typed {
                    declared.carried.push(path);
                }
            }
            Entry::Stage(stage) => stage_of(&mut declared, &mut places, *stage, made, errors),
        }
    }
    types::check(&declared, errors);
    declared
}

/// Puts a stage where the others of its target are.
fn stage_of(
    declared: &mut Declared,
    places: &mut BTreeMap<Vec<String>, usize>,
    stage: Stage,
    made: Made<'_>,
    errors: &mut Errors,
) {
    let names = stage.target.names();
    let (Some(first), Some(place)) = (names.first(), stage.target.0.first()) else {
        return;
    };
    let Some(target) = made.target(place, first, &declared.prior, errors) else {
        return;
    };
    declared.note(place, &target);
    constant(&stage, &target, errors);
    let Target { name, ty, .. } = target;
    let ty = ty.filter(|_| names.len() == 1);
    let Some(production) = places
        .get(&names)
        .and_then(|index| declared.productions.get_mut(*index))
    else {
        places.insert(names, declared.productions.len());
        let target = stage.target.clone();
        declared.productions.push(Production {
            target,
            name,
            ty,
            stages: vec![stage],
        });
        return;
    };
    if stage.only_if.is_none() && stage.operation.replaces() != Replaces::Never {
        let before = production
            .stages
            .iter()
            .find(|other| other.operation.replaces() != Replaces::Never);
        if let Some(before) = before {
            let (name, first) = (stage.target.spelt(), line(&before.word));
            let message = if before.only_if.is_none() {
                format!(
                    "`{name}` is produced twice\nhelp: keep one of the two, or say with `only_if(…)` when each of them counts\nnote: first on line {first}"
                )
            } else {
                format!(
                    "this replaces what `only_if` gives `{name}`\nhelp: write it before the `only_if(…)`, or give it a condition, too\nnote: that is on line {first}"
                )
            };
            errors.push(&stage.target, message);
            return;
        }
    }
    production.target = stage.target.clone();
    production.stages.push(stage);
}

/// Refuses an expression where its Rust type is not known or is not what is stored.
fn constant(stage: &Stage, made: &Target, errors: &mut Errors) {
    let Some(Constant::Expr(expr)) = stage.operation.constant() else {
        return;
    };
    let target = stage.target.spelt();
    if stage.target.0.len() > 1 || stage.each {
        errors.push(
            expr,
            format_args!(
                "the value inside another field is a literal\nhelp: write a string in quotes, a number, `true`, `false`, `null`, `[]` or `{{}}`\nnote: an expression takes its type from a field of the struct itself, which `{target}` is not"
            ),
        );
    } else if made.ty.is_none() {
        let message = format!(
            "the value of `{target}`, whose type no struct says, is a literal\nhelp: write a string in quotes, a number, `true`, `false`, `null`, `[]` or `{{}}`"
        );
        errors.push(expr, message);
    } else if !made.is_own {
        errors.push(
            expr,
            format_args!(
                "`{target}` is stored in another form than its type's own\nhelp: write the stored value as a literal, such as \"…\""
            ),
        );
    }
}

/// The declarative upgraders of a nested object.
pub(super) fn object_upgraders(
    upgraders: Vec<(Path, Operators)>,
    current: Current<'_>,
    errors: &mut Errors,
) -> Vec<Declared> {
    let mut first_lines: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for (model, operators) in upgraders {
        let name = spelt(&model);
        if super::types::is_itself(current.ident, &model) {
            errors.push(
                &model,
                format_args!(
                    "`{name}` cannot be its own prior struct\nhelp: copy the fields it had into another struct, such as `{}V0`",
                    current.ident
                ),
            );
        } else if let Some(first) = first_lines.get(&name) {
            errors.push(
                &model,
                format_args!(
                    "the upgrader from `{name}` is declared twice\nhelp: keep one of the two\nnote: first declared on line {first}"
                ),
            );
        } else {
            first_lines.insert(name, line(&model));
        }
        all.push(declared(
            Prior::Model(model),
            operators,
            Made::Current(current),
            errors,
        ));
    }
    all
}
