//! The comparison of a model with what the lock says was released.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;
use upstate_words::lock::step;

use super::difference::later_table;
use crate::attr::Versions;
use crate::lock::{self, Entry, Lock};
use crate::model::{
    Codec, Info, Member, Object, Resource, Role, Row, ShapeField, Target, Unchanged, is_stored_as,
};

/// Compares `resource` and its differences with the lock. Each check points at its version; without
/// a lock there are none.
///
/// The checks are statements of one constant, so the compiler stops at the first that fails. The
/// model comes first: if it changed under its version, everything that is derived from it changed,
/// too, and only the model's own message says what to do.
pub(super) fn check(resource: &Resource) -> TokenStream {
    let Some(found) = lock::find() else {
        return TokenStream::new();
    };
    let place = resource.version_literal.span();
    // A constant that is made of the file, so that the compiler watches it.
    let path = found.path.to_string_lossy();
    let watch = if found.is_to_be_watched() {
        quote!(
            const _: &[u8] = ::core::include_bytes!(#path);
        )
    } else {
        TokenStream::new()
    };
    let lock = match &found.lock {
        Ok(lock) => lock,
        Err(problem) => {
            let message = format!("{path} cannot be read: {problem}");
            return quote_spanned!(place=> ::core::compile_error!(#message););
        }
    };
    let Resource {
        type_name, version, ..
    } = resource;
    let upgraders = &resource.upgraders;
    // One of several shapes that is the same as that of a later version is held to what was
    // released as that version.
    let unchanged = upgraders
        .unchanged
        .iter()
        .filter(|unchanged| !unchanged.is_conditional);
    let unchanged = unchanged.map(
        |Unchanged {
             versions, carry, ..
         }| Difference {
            versions,
            table: later_table(Target::Current),
            named: Vec::new(),
            carry: Some(*carry),
            is_conditional: false,
        },
    );
    let shapes = upgraders
        .shapes
        .iter()
        .enumerate()
        .filter(|(_, prior)| !(prior.carry.is_some() && prior.is_conditional));
    let has_write_only = resource.object.members.iter().any(is_write_only);
    let shapes = shapes.map(|(index, prior)| {
        let named = prior
            .shape
            .fields
            .iter()
            .filter(|field| !matches!(field.row, Row::Same(_)));
        Difference {
            versions: &prior.versions,
            table: later_table(Target::Shape(index)),
            named: named
                .map(|field| Named {
                    name: &field.name,
                    place: prior.operand(&field.rust_name),
                    ty: plain_type(field).filter(|_| !has_write_only),
                })
                .collect(),
            carry: prior.carry,
            is_conditional: prior.is_conditional,
        }
    });
    let differences: TokenStream = unchanged
        .chain(shapes)
        .map(|difference| difference.checks(lock, type_name))
        .collect();
    let Some(entry) = lock.get(type_name, *version) else {
        return quote!(#watch #differences);
    };
    let status = match (
        lock.has_later(type_name, *version),
        &resource.object.document,
    ) {
        (true, _) => "prior",
        (false, Some(_)) => "document",
        (false, None) => "",
    };
    let check = match locked(type_name, *version, entry, status, ("", &[])) {
        Ok(locked) => check_of_fields(resource, entry, place, &locked),
        Err(problem) => damaged(place, &problem),
    };
    quote!(#watch #check #differences)
}

/// The check of a model: of each field at its place that may be stored otherwise than it was, and
/// of the whole at its version. One comparison of numbers comes before them, because each
/// statement that is evaluated would walk through the model.
///
/// The derive knows types by their tokens only. A field with the tokens of the released type needs
/// no statement of its own, and if they mean another type, the statement about the whole finds it.
fn check_of_fields(
    resource: &Resource,
    entry: &Entry,
    place: Span,
    locked: &TokenStream,
) -> TokenStream {
    let lines = entry.lines();
    let mut lines = lines
        .lines()
        .map_while(|line| line.split_once(" = "))
        .peekable();
    // Both are in the order of their names, and a line that is not is a field's that has a
    // statement.
    let mut released = |name: &str| {
        while lines.next_if(|(path, _)| *path < name).is_some() {}
        lines.next_if(|(path, _)| *path == name)
    };
    let more = || {
        entry
            .aliases
            .iter()
            .chain(&entry.untagged)
            .chain(&entry.inside)
    };
    let has_any = more().next().is_some();
    let has_more = |name: &str| {
        let step = step("", name);
        more().any(|[path, _]| path.starts_with(&step))
    };
    let held = variable();
    let Object { ident, members, .. } = &resource.object;
    let may_differ = members.iter().filter(|Member { name, ty, role, .. }| {
        let is_plain =
            matches!(role, Role::Attribute { codec: Codec::Own, flags, .. } if !flags.write_only);
        let is_stored = released(name).is_some_and(|(_, stored)| is_stored_as(stored, ty));
        !is_plain || !is_stored || has_any && has_more(name)
    });
    // The compiler looks for cells in what it borrows, and validates a constant that nothing else
    // evaluates, so that the cheaper way depends on whether the history is read for its upgraders.
    let table = if resource.upgraders.current.is_empty() {
        quote!(&__UPSTATE_TABLE)
    } else {
        quote!(<#ident as __upstate::Resource>::HISTORY.table())
    };
    let fields = may_differ.map(|Member { ident, name, .. }| {
        quote_spanned!(ident.span()=> __upstate::check_field_locked(#table, #held.0, #held.1, #name);)
    });
    let fields: TokenStream = fields.collect();
    if fields.is_empty() {
        return quote_spanned!(place=> __upstate::check_locked(#table, #locked););
    }
    let whole = quote_spanned!(place=> __upstate::check_locked(#table, #held.0, #held.1););
    quote! {
        let #held: (u64, &str) = (#locked);
        if !__upstate::is_numbered(#table, #held.0) { #fields #whole }
    }
}

/// The variable that holds an entry of the lock. Its name is the macro's own wherever it is
/// written, because a field whose name a `macro_rules!` was given sees no variable of the place
/// where the derive is.
fn variable() -> Ident {
    Ident::new("__upstate_locked", Span::mixed_site())
}

/// The path of the lock, for the program to report; nothing without one.
pub(super) fn compared_with() -> Option<TokenStream> {
    let found = lock::find()?;
    let (path, digest) = (&found.shown, Literal::u64_unsuffixed(found.digest));
    Some(quote!(.compared_with(#path, #digest)))
}

/// A field of a version without a struct that an operator names.
struct Named<'r> {
    /// Its name in state.
    name: &'r str,
    /// The place where an operator names it.
    place: Option<Span>,
    /// Its type, if the field is nothing but that.
    ty: Option<&'r Type>,
}

impl Named<'_> {
    /// True if it has the tokens of what was released. Then it needs no statement of its own: if
    /// they mean another type, the statement about the whole finds it.
    fn is_stored_in(&self, entry: &Entry) -> bool {
        let Some(ty) = self.ty else { return false };
        let is_secret = entry.sensitive.iter().any(|path| path == self.name);
        !is_secret
            && !entry.has_more()
            && entry
                .stored(self.name)
                .is_some_and(|stored| is_stored_as(stored, ty))
    }
}

/// The type of a field that is the current one under another name, if it is read as its type says.
fn plain_type(field: &ShapeField) -> Option<&Type> {
    let (Row::Renamed { retyped: false, .. }, Info::Type(ty)) = (&field.row, &field.info) else {
        return None;
    };
    Some(ty)
}

/// True if a field is in configuration only, which its type does not tell.
fn is_write_only(member: &Member) -> bool {
    match &member.role {
        Role::Attribute { flags, .. } => flags.write_only,
        Role::Block { .. } => false,
    }
}

/// Versions without a struct, beside what was released as them.
struct Difference<'r> {
    versions: &'r Versions,
    /// The table that is derived for them.
    table: TokenStream,
    /// The fields that operators name.
    named: Vec<Named<'r>>,
    /// The place of `carry`, if it is in place of operators.
    carry: Option<Span>,
    is_conditional: bool,
}

impl Difference<'_> {
    /// The checks against each shape that was released under one of the versions. Each is at the
    /// field of an operator that is written otherwise; at `carry`, if operators belong there; or
    /// else at its version.
    fn checks(&self, lock: &Lock, type_name: &str) -> TokenStream {
        let Self {
            versions: Versions { first, last },
            table,
            named,
            carry,
            is_conditional,
        } = self;
        let place_of_operators = if carry.is_some() {
            "in place of `carry`"
        } else {
            "to this upgrader"
        };
        let names: Vec<&str> = named.iter().map(|named| named.name).collect();
        let all = lock.overlapping(type_name, first.number..=last.number);
        // The lock does not know whether imported shapes read null, so that their numbers are those
        // of no model.
        let checked =
            all.filter(|(_, entry)| !(*is_conditional && entry.has_imported_alternatives()));
        let checks = checked.map(|(versions, entry)| {
            let version = if versions.contains(&last.number) {
                &last.literal
            } else {
                &first.literal
            };
            let place = carry.unwrap_or_else(|| version.span());
            let locked = match locked(
                type_name,
                last.number.min(*versions.end()),
                entry,
                "prior",
                (place_of_operators, &names),
            ) {
                Ok(locked) => locked,
                Err(problem) => return damaged(version.span(), &problem),
            };
            let held = variable();
            let operands = named.iter().filter(|named| !named.is_stored_in(entry));
            let operands = operands.filter_map(|named| Some((named.name, named.place?)));
            let operands = operands.map(|(name, place)| {
                quote_spanned!(place=> __upstate::check_operand(#table, #held.0, #held.1, #name);)
            });
            let operands: TokenStream = operands.collect();
            if operands.is_empty() {
                return quote_spanned!(place=> __upstate::check_difference(#table, #locked););
            }
            let whole =
                quote_spanned!(place=> __upstate::check_difference(#table, #held.0, #held.1););
            quote!({
                let #held: (u64, &str) = (#locked);
                if __upstate::differs(#table, #held.0, #held.1) { #operands #whole }
            })
        });
        checks.collect()
    }
}

/// True if these versions were released, so that the lock says what they are.
pub(super) fn is_pinned(type_name: &str, Versions { first, last }: &Versions) -> bool {
    let holds = |lock: &Lock| {
        [first, last]
            .iter()
            .all(|version| lock.get(type_name, version.number).is_some())
    };
    lock::find().is_some_and(|found| found.lock.as_ref().is_ok_and(holds))
}

/// The error where an entry of the lock is not what was written.
fn damaged(place: Span, problem: &str) -> TokenStream {
    let message = format!("upstate.lock, {problem}");
    quote_spanned!(place=> ::core::compile_error!(#message);)
}

/// The lock's entry of a version: the number of its lines, and all that the runtime reads where a
/// model has another (`released/locked.rs` there). The error is a sentence about an entry that was
/// edited.
fn locked(
    type_name: &str,
    version: u64,
    entry: &Entry,
    status: &str,
    (place, named): (&str, &[&str]),
) -> Result<TokenStream, String> {
    let number = Literal::u64_unsuffixed(entry.number()?);
    let (fingerprint, values) = (entry.fingerprint, entry.values());
    let forms = if entry.knows_forms { "forms" } else { "" };
    let mut text = format!(
        "{type_name}\t{version}\t{status}\t{fingerprint:x}\t{values:x}\t{forms}\t{place}\n"
    );
    list(&mut text, named);
    list(
        &mut text,
        entry
            .alternatives
            .iter()
            .map(|number| format!("{number:x}")),
    );
    list(&mut text, &entry.sensitive);
    match &entry.flattened_fingerprint {
        Some(_) => list(&mut text, entry.flattened.iter().flatten()),
        None => text.push_str("unknown\n"),
    }
    list(&mut text, entry.aliases.iter().flatten());
    list(&mut text, entry.untagged.iter().flatten());
    list(
        &mut text,
        entry.inside.iter().chain(&entry.any_keys()).flatten(),
    );
    text.push_str(&entry.lines());
    Ok(quote!(#number, #text))
}

/// A line of what runs to a tabulator each.
fn list(text: &mut String, entries: impl IntoIterator<Item: AsRef<str>>) {
    for entry in entries {
        text.push_str(entry.as_ref());
        text.push('\t');
    }
    text.push('\n');
}
