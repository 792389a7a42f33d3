//! Prior versions without a struct, as they are worked out: where they lead to, and the nested
//! objects that were different.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use quote::ToTokens;

use super::super::Member;
use super::super::declared::Declared;
use super::shape::{Field, Info, Shape};
use crate::attr::Case;
use crate::errors::Errors;
use crate::model::Derive;

/// The end of an upgrader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Current,
    /// The version without a struct of this index.
    Shape(usize),
    /// The objects that the nested objects of this index become.
    Object(usize),
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
    /// Its objects had other members. If none are left, it was not there.
    Reshape {
        field: String,
        info: Info,
    },
    /// Its facts are about other values.
    Revalue {
        field: String,
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

/// Nested objects as a prior version stored them.
#[derive(Debug)]
pub(crate) struct PriorObject {
    /// Their name in messages.
    pub(crate) name: String,
    /// The type of the later ones.
    pub(crate) info: Info,
    /// The field that must hold them, where an operator names it.
    pub(crate) field: Option<Ident>,
    pub(crate) edits: Vec<Edit>,
    /// The operators of their own upgrader, if they have one.
    pub(crate) declared: Option<Declared>,
    /// The later version and the name of its field that holds them, where operators reach into it.
    pub(crate) holder: Option<(Target, String)>,
    /// The members that operators name and do not make: most are gone.
    pub(crate) gone: Vec<Ident>,
    /// The part that `rekey` has in them, where operators of their own change them besides.
    pub(crate) rekeyed: Option<Rekeyed>,
}

/// The part of `rekey` in nested objects.
#[derive(Debug)]
pub(crate) struct Rekeyed {
    /// The objects that operators describe, without the change of `rekey`.
    pub(crate) others: usize,
    pub(crate) key: String,
    /// True if the earlier objects have the key as a member.
    pub(crate) is_earlier: bool,
}

/// The later version of a difference.
#[derive(Clone, Copy)]
pub(super) struct Later<'a> {
    /// A document's names are any strings.
    pub(super) derive: Derive,
    /// The struct.
    pub(super) ident: &'a Ident,
    /// The end of the upgrader; none inside of objects.
    pub(super) to: Option<Target>,
    pub(super) shape: &'a Shape,
    pub(super) version: u64,
    /// The resource's type; nothing inside of its objects.
    pub(super) type_name: Option<&'a str>,
    /// The fields in whose objects something was different, and which prior objects those are.
    pub(super) around: &'a BTreeMap<String, (Ident, usize)>,
    /// The rule for the names of a document's fields; none inside of objects.
    pub(super) rename_all: Option<Case>,
}

impl Later<'_> {
    /// The type of a field before the operators on it as a whole.
    pub(super) fn info(&self, field: &Field) -> Info {
        match self.around.get(&field.rust_name) {
            Some((_, objects)) => Info::Around(Box::new(field.info.clone()), *objects),
            None => field.info.clone(),
        }
    }
}

/// The later version, and the places for what a prior one has of its own.
pub(super) struct Aside<'a, 'e> {
    pub(super) later: Later<'a>,
    pub(super) prior: u64,
    pub(super) written: &'e mut Vec<Member>,
    pub(super) objects: &'e mut Vec<PriorObject>,
    pub(super) errors: &'e mut Errors,
}

impl Aside<'_, '_> {
    /// Notes which later field holds what these objects become.
    pub(super) fn held(&mut self, object: usize, to: Target, field: &str) {
        if let Some(object) = self.objects.get_mut(object) {
            object.holder = Some((to, field.to_owned()));
        }
    }
}

/// True if nothing was done to the values.
pub(super) fn same(one: &Info, other: &Info) -> bool {
    match (one, other) {
        (Info::Type(one), Info::Type(other)) => {
            one.to_token_stream().to_string() == other.to_token_stream().to_string()
        }
        (Info::Field(one), Info::Field(other)) => one == other,
        (Info::Module(one), Info::Module(other)) => one == other,
        _ => false,
    }
}

/// A name that no other objects have, since objects of one name are taken for the same.
pub(super) fn unique(objects: &[PriorObject], name: String) -> String {
    match objects
        .iter()
        .filter(|other| other.name.starts_with(&name))
        .count()
    {
        0 => name,
        others => format!("{name}, {}", others + 1),
    }
}
