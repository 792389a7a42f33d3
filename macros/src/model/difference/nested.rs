//! Differences inside of nested objects. The derive does not see their fields: each that an
//! operator names is taken to be there, and const evaluation proves it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Ident;
use syn::ext::IdentExt;

use super::super::Member;
use super::super::declared::{Made, Prior, declared};
use super::edits::edits;
use super::prior::{Aside, Later, PriorObject, Target};
use super::shape::{Blocks, FactsOf, Field, Info, Row, Secrecy, Shape, StoredAs};
use crate::attr::operators::{Condition, Entry, FieldPath, Operators, name_of};
use crate::errors::Errors;
use crate::model::Derive;

/// The collections to which nested differences are added.
pub(super) struct Nested<'a> {
    pub(super) derive: Derive,
    pub(super) ident: &'a Ident,
    pub(super) prior: u64,
    pub(super) objects: &'a mut Vec<PriorObject>,
    pub(super) written: &'a mut Vec<Member>,
}

/// Operators taken apart: those of the shape itself, and those of the objects in one of its fields,
/// which leave out its name.
pub(super) fn split(operators: Operators) -> (Operators, Vec<(Ident, Operators)>) {
    let aliases = aliases(&operators);
    let Operators {
        entries,
        conditions,
        carry,
    } = operators;
    let homes: Vec<Option<String>> = entries
        .iter()
        .map(|entry| home(entry, &conditions, &aliases))
        .collect();
    // An operator that reaches into an object from outside needs all operators of that object in
    // one list.
    let mut mixed: BTreeSet<String> = BTreeSet::new();
    for (entry, home) in entries.iter().zip(&homes) {
        if home.is_none() {
            mixed.extend(
                reached(entry, &conditions)
                    .into_iter()
                    .map(|first| aliases.get(&first).cloned().unwrap_or(first)),
            );
        }
    }
    let mut own = Operators {
        entries: Vec::new(),
        conditions,
        carry,
    };
    let mut inner: Vec<(Ident, Operators)> = Vec::new();
    for (mut entry, home) in entries.into_iter().zip(homes) {
        let Some(name) = home.filter(|name| !mixed.contains(name)) else {
            own.entries.push(entry);
            continue;
        };
        let position = inner.iter().position(|(field, _)| name_of(field) == name);
        let position = position.unwrap_or_else(|| {
            let first = first_of(&entry)
                .unwrap_or_else(|| Ident::new(&name, proc_macro2::Span::call_site()));
            inner.push((first, Operators::default()));
            inner.len() - 1
        });
        let Some((_, operators)) = inner.get_mut(position) else {
            continue;
        };
        if let Some(mut condition) = entry
            .only_if()
            .and_then(|place| own.conditions.get(place).cloned())
        {
            condition.for_each(&mut FieldPath::without_first);
            entry.depend_on(operators.conditions.len());
            operators.conditions.push(condition);
        }
        entry.for_each(&mut FieldPath::without_first);
        operators.entries.push(entry);
    }
    (own, inner)
}

/// The later names of prior fields that go by another name as a whole.
fn aliases(operators: &Operators) -> BTreeMap<String, String> {
    let entries = operators.entries.iter().filter_map(|entry| match entry {
        Entry::Stage(stage) => {
            match (stage.operation.moved(), &stage.target.0[..], stage.only_if) {
                (Some(FieldPath(from, _)), [to], None) => match &from[..] {
                    [from] => Some((name_of(from), name_of(to))),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    });
    entries.collect()
}

fn first_of(entry: &Entry) -> Option<Ident> {
    match entry {
        Entry::Stage(stage) => stage.target.0.first().cloned(),
        Entry::Drop { path, .. } | Entry::Carry { path, .. } => path.0.first().cloned(),
        Entry::Notice { at, .. } => at.as_ref()?.0.first().cloned(),
    }
}

/// All paths of an operator, also those of its condition.
fn paths(entry: &Entry, conditions: &[Condition]) -> Vec<FieldPath> {
    let mut found = Vec::new();
    match entry {
        Entry::Stage(stage) => {
            found.push(stage.target.clone());
            found.extend(stage.operation.reads().into_iter().cloned());
        }
        Entry::Drop { path, .. } | Entry::Carry { path, .. } => found.push(path.clone()),
        Entry::Notice { at, .. } => found.extend(at.clone()),
    }
    if let Some(mut condition) = entry
        .only_if()
        .and_then(|place| conditions.get(place).cloned())
    {
        condition.for_each(&mut |path| found.push(path.clone()));
    }
    found
}

/// The later field in whose objects all of it happens.
fn home(
    entry: &Entry,
    conditions: &[Condition],
    aliases: &BTreeMap<String, String>,
) -> Option<String> {
    let mut home: Option<String> = None;
    let all = paths(entry, conditions);
    for path in &all {
        let first = path.0.first().filter(|_| path.0.len() > 1).map(name_of)?;
        let later = aliases.get(&first).cloned().unwrap_or(first);
        if home.as_ref().is_some_and(|home| *home != later) {
            return None;
        }
        home = Some(later);
    }
    home
}

/// The fields into which an operator reaches.
fn reached(entry: &Entry, conditions: &[Condition]) -> Vec<String> {
    let inside = |path: &FieldPath| path.0.first().filter(|_| path.0.len() > 1).map(name_of);
    paths(entry, conditions).iter().filter_map(inside).collect()
}

impl Nested<'_> {
    /// The objects in a field, which `info` holds now, as they were; the place among all of them.
    pub(super) fn object(
        &mut self,
        path: &str,
        place: &Ident,
        info: &Info,
        operators: Operators,
        errors: &mut Errors,
    ) -> usize {
        let (own, inner) = split(operators);
        let made = Made::Objects;
        // The place is known only after those inside have theirs.
        let mut around = BTreeMap::new();
        for (field, operators) in inner {
            let name = name_of(&field);
            let member = info.clone().member(name.clone());
            let inside = self.object(
                &format!("{path}.{name}"),
                &field,
                &member,
                operators,
                errors,
            );
            around.insert(name, (field, inside));
        }
        let mut declared = declared(Prior::Object(0), own, made, errors);
        let targets = declared
            .productions
            .iter()
            .filter_map(|production| production.target.0.first());
        let mut names: BTreeSet<String> = targets.map(name_of).collect();
        names.extend(around.keys().cloned());
        let fields = names.into_iter().map(|name| Field {
            info: info.clone().member(name.clone()),
            rust_name: name.clone(),
            name: name.clone(),
            ty: None,
            is_own: false,
            sensitive: false,
            secrecy: Secrecy::default(),
            blocks: Blocks::As(name.clone()),
            items: (0, 0),
            set: false,
            write_only: false,
            stored: StoredAs::Own,
            row: Row::Same(0),
            typed: None,
            facts: FactsOf::Row,
            other_values: false,
            has_facts: true,
        });
        let shape = Shape {
            fields: fields.collect(),
        };
        let later = Later {
            derive: self.derive,
            ident: self.ident,
            to: None,
            shape: &shape,
            version: 0,
            type_name: None,
            around: &around,
            rename_all: None,
        };
        let mut aside = Aside {
            later,
            prior: self.prior,
            written: self.written,
            objects: self.objects,
            errors,
        };
        let (edits, held, gone) = edits(info, &declared, path, &mut aside);
        let name = format!("{}.{path} (version {})", self.ident.unraw(), self.prior);
        let number = self.objects.len();
        declared.prior = Prior::Object(number);
        let (info, field) = (info.clone(), Some(place.clone()));
        self.objects.push(PriorObject {
            name,
            info,
            field,
            edits,
            declared: Some(declared),
            holder: None,
            gone,
            rekeyed: None,
        });
        let around = around
            .iter()
            .map(|(name, (_, inside))| (*inside, name.clone()));
        for (inside, name) in around.chain(held) {
            self.held(inside, Target::Object(number), &name);
        }
        number
    }

    /// Says which later field holds what these objects become.
    pub(super) fn held(&mut self, object: usize, to: Target, field: &str) {
        if let Some(object) = self.objects.get_mut(object) {
            object.holder = Some((to, field.to_owned()));
        }
    }
}
