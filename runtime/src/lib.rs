//! All of the crate `upstate` but its derives, which take longer to compile: schemas, codecs and
//! upgrades of versioned resource models.
//!
//! Programs depend on `upstate`, which has everything here and is documented as a whole. The crates
//! that need no derive depend on this one, so that they compile beside the derives.
#![cfg_attr(docsrs, feature(doc_cfg))]
// A `_` arm over an enum gives a warning, so that a new variant of an enum of ours is looked at in
// every match.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

// The tests derive. Programs take the derives from the crate `upstate`.
#[cfg(test)]
pub use upstate_macros::{AnyOf, Document, Object, Resource, StringEnum, Union};

// The derives write paths that begin with `::upstate`, which the crate's own tests can resolve only
// with this name for the crate.
#[cfg(test)]
extern crate self as upstate;

/// Shows a type by its name alone.
macro_rules! debug_by_name {
    ($($type:ident $(<$($parameter:ident),+>)?)+) => {$(
        impl $(<$($parameter),+>)? std::fmt::Debug for $type $(<$($parameter),+>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($type))
            }
        }
    )+};
}

/// Shows some parts of a type. The others may be secrets, or functions, or are many.
#[doc(hidden)]
#[macro_export]
macro_rules! __debug_parts {
    (
        $(#[$doc:meta])*
        $type:ident $(<$lifetime:lifetime>)? |$self:ident| { $($name:ident: $part:expr,)+ }
    ) => {
        $(#[$doc])*
        impl ::std::fmt::Debug for $type $(<$lifetime>)? {
            fn fmt(&$self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($name), &$part))+
                    .finish_non_exhaustive()
            }
        }
    };
}

/// Makes a type an error with this text.
#[doc(hidden)]
#[macro_export]
macro_rules! __error {
    ($type:ident |$self:ident| $($text:tt)+) => {
        impl ::std::fmt::Display for $type {
            fn fmt(&$self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, $($text)+)
            }
        }

        impl ::std::error::Error for $type {}
    };
}

mod anyof;
pub mod batch;
pub mod codec;
mod diagnostics;
pub mod document;
pub mod meaning;
mod message;
pub mod path;
mod paths;
mod plan;
pub mod registry;
mod released;
pub mod schema;
pub mod serde;
#[cfg(feature = "testing")]
pub mod testing;
pub mod upgrade;
pub mod value;

#[doc(inline)]
pub use anyof::AnyOf;
pub use codec::{
    AsString, AttributeType, DecodeError, EncodeError, Object, SingleBlock, StoredForm, StringEnum,
    With, ZeroAsNull,
};
pub use diagnostics::{Diagnostic, DiagnosticCode, Diagnostics, Severity};
#[doc(inline)]
pub use path::AttributePath;
pub use paths::{AttributeNames, Place, TypedPath};
pub use plan::{Computed, HasPlan};
pub use registry::Registry;
pub use upgrade::resource::{CurrentModel, Resource};
#[doc(inline)]
pub use upgrade::{RawState, ResourceDefinition, UpgradeContext, UpgradeRequest, UpgradeResponse};
#[doc(inline)]
pub use value::{Dynamic, Number, Value};

use codec::{Encoding, UnknownAttributes};

/// Proves that the types which programs hand from thread to thread are `Send` and `Sync`; otherwise
/// this does not compile.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Registry>();
    shared::<ResourceDefinition>();
    shared::<upgrade::DefinitionBuilder>();
    shared::<upgrade::CancellationToken>();
    shared::<UpgradeRequest<'_>>();
    shared::<UpgradeResponse>();
    shared::<upgrade::MoveRequest<'_>>();
    shared::<schema::Schema>();
    shared::<Value>();
    shared::<Diagnostics>();
    shared::<DecodeError>();
    shared::<EncodeError>();
};

/// Reads a model, or a nested object, from JSON of its own version.
///
/// Names that it does not define are skipped; missing ones are null.
///
/// # Errors
/// Says at which attribute and byte the document does not fit.
pub fn from_json<T: Object>(json: impl AsRef<[u8]>) -> Result<T, DecodeError> {
    upgrade::decode_json(json.as_ref(), UnknownAttributes::Ignore)
}

/// Reads a model, or a nested object, from JSON of its own version, and refuses names that it does
/// not define, at any depth.
///
/// # Errors
/// Says at which attribute and byte the document does not fit, or which name is not defined.
pub fn from_json_strict<T: Object>(json: impl AsRef<[u8]>) -> Result<T, DecodeError> {
    upgrade::decode_json(json.as_ref(), UnknownAttributes::Deny)
}

/// Reads a model, or a nested object, from `MessagePack` of Terraform's plugin protocol: every
/// attribute must be there, none may be unknown.
///
/// # Errors
/// Says at which attribute the bytes do not fit, and at which byte unless only the model's own type
/// refuses the value.
pub fn from_msgpack<T: Object>(bytes: &[u8]) -> Result<T, DecodeError> {
    let members = T::TABLE.schema().block().members();
    let ty = members.implied_type();
    let value = Value::from_known_msgpack(bytes, &ty)
        .map_err(|error| DecodeError::from(error).redacted(members))?;
    // The model's own decoder is the one for JSON: what is typed by the schema already passes
    // through it.
    let json = value
        .encode(&ty, Encoding::Json)
        .map_err(|error| DecodeError::from(error).redacted(members))?;
    from_json(json).map_err(DecodeError::without_offset)
}

/// Writes a model, or a nested object, as compact JSON: every attribute, names sorted.
///
/// # Errors
/// Names the attribute that holds a number which is not finite.
pub fn to_json<T: Object>(value: &T) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::with_capacity(128);
    codec::encode_object(value, Encoding::Json, &mut out)?;
    Ok(out)
}

/// Writes a model, or a nested object, as `MessagePack` of Terraform's plugin protocol.
///
/// # Errors
/// Names the attribute that holds a number which is not finite.
pub fn to_msgpack<T: Object>(value: &T) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::with_capacity(128);
    codec::encode_object(value, Encoding::Msgpack, &mut out)?;
    Ok(out)
}

/// Reads JSON that was stored at schema version `version` as the model `T`, through prior models if
/// need be.
///
/// Warnings are dropped, and so are the names of attributes that no schema defines: nobody learns
/// that they were not kept. [`upgrade_json_with_notes`] returns both, and what ended by a `drop`.
/// [`Registry::upgrade`] also survives upgrades that panic.
///
/// # Errors
/// The stored version has no way up, the document does not fit the model of its version, or an
/// upgrade refused it. The diagnostics are those of a [`Registry`].
///
/// ```
/// # use upstate::Resource;
/// # #[derive(Debug, Resource)]
/// # #[resource(type_name = "example_note", version = 0)]
/// # struct Note { title: String }
/// let newer = upstate::upgrade_json::<Note>(3, r#"{"title": "x"}"#).unwrap_err();
/// assert!(newer.to_string().contains("A later release stored this state of example_note, at schema version 3"));
/// ```
pub fn upgrade_json<T: Resource>(version: u64, json: impl AsRef<[u8]>) -> Result<T, Diagnostics> {
    upgrade::upgrade_stored(version, json.as_ref()).map(|(model, _)| model)
}

/// Reads JSON that was stored at schema version `version` as [`upgrade_json`] does, and returns
/// what the upgrade reports: warnings, the stored attributes that no schema defines, and those that
/// ended by a `drop`.
///
/// # Errors
/// Those of [`upgrade_json`].
///
/// ```
/// # use upstate::Resource;
/// # #[derive(Debug, Resource)]
/// # #[resource(type_name = "example_note", version = 0)]
/// # struct Note { title: String }
/// let (note, notes) = upstate::upgrade_json_with_notes::<Note>(0, r#"{"title": "x", "colour": "red"}"#)?;
/// assert_eq!(note.title, "x");
/// assert_eq!(notes.undefined()[0].to_string(), "colour");
/// # Ok::<(), upstate::Diagnostics>(())
/// ```
pub fn upgrade_json_with_notes<T: Resource>(
    version: u64,
    json: impl AsRef<[u8]>,
) -> Result<(T, upgrade::UpgradeNotes), Diagnostics> {
    upgrade::upgrade_stored(version, json.as_ref())
        .map(|(model, notes)| (model, upgrade::UpgradeNotes::of(notes)))
}

/// Items that the other crates of this project use. No part of the public interface: they change
/// without notice.
#[doc(hidden)]
pub mod __internal {
    pub use crate::codec::json::{
        Canonical, Kind, Layout, Mark, Reader, compact, indented, write_string,
    };
    pub use crate::codec::{encode_object, is_utf16};
    pub use crate::path::Container;
    pub use crate::schema::table::Row;
    pub use crate::schema::{
        About, Fact, Form, Inside, MemberForm, Members, ObjectForm, Taken, UnionForm, Values,
        parts, stated,
    };
    pub use crate::upgrade::resource::HasTerraformTypes;
    pub use crate::upgrade::{
        ANY_KEY, FoundMembers, Losses, REPEATED_ELEMENT, Undefined, aliases, dropped, joined,
        problem_in, read_document, renamed_contents, renamed_contents_back, renames, renames_back,
    };
    pub use upstate_words::custom_resource;
    pub use upstate_words::lock::fingerprint::flattened;
    pub use upstate_words::lock::step;
}

/// Items that generated code uses. No part of the public interface: they change without notice.
#[doc(hidden)]
pub mod __private {
    pub use core::marker::PhantomData;
    pub use core::option::Option::{self, None, Some};
    pub use core::result::Result::{self, Err, Ok};
    pub use std::string::String;
    pub use std::vec::Vec;

    pub use core::{concat, module_path};

    pub use crate::anyof::check_type_names;
    pub use crate::codec::json::Reader;
    pub use crate::codec::{
        Absent, AttributeType, BlockType, CheckAnswer, CheckFunction, Checking, DecidesReplacement,
        DecodeError, DefaultFrom, FieldType, FieldValue, IsObject, Module, Object, ObjectReader,
        ObjectWriter, Slot, StringEnum, StringForm, TakesTarget, TakesValue, Writer, absent_with,
        check_value, read_object, read_string_enum, read_with, replaces_if, write_object,
        write_string_enum, write_with,
    };
    pub use crate::codec::{
        Key, Members, check_conversion, check_hidden_part, check_one_null, check_part,
        check_positions, check_recursive, check_tag, is_part_there, is_variant_there, no_members,
        read_elements, read_part, read_serde, read_with_serde, refused_by_author, union,
        write_elements, write_fields, write_fields_beside, write_no_members, write_part,
        write_serde, write_with_serde,
    };
    pub use crate::diagnostics::Diagnostics;
    pub use crate::path::AttributePath;
    pub use crate::paths::{AttributeNames, Closed, OneValue, Open, TypedPath};
    pub use crate::plan::{HasPlan, PlanOf, Unknowns};
    pub use crate::released::{
        check_difference, check_field_locked, check_locked, check_operand, check_rule, differs,
        fingerprint, is_numbered,
    };
    pub use crate::schema::table::derived::{self, Edit, Info, Shape};
    pub use crate::schema::table::{
        Beside, ContentOf, DocumentTable, Edited, Edits, Flattened, LazySchema, Names, Row, Table,
        TypeInfo, UnionTable, VariantEdit, VariantEdits, VariantRow, Variants, check_attribute,
        check_attribute_of, check_planned, instance, member_info, stored_member, stored_variant,
    };
    pub use crate::schema::table::{
        check_bytes, check_length, check_numbers, check_pattern, check_range, check_strings,
    };
    pub use crate::schema::{About, Check, Fact, GroupKind, Shared};
    pub use crate::schema::{LeftOver, ObjectUpgrader, flags, here};
    #[cfg(feature = "kube")]
    pub use crate::schema::{
        check_int_or_string, check_list_type, check_map_type, check_nullable, check_own_schema,
        check_structural,
    };
    pub use crate::serde::{Deserializes, Serializes, WithoutSerde};
    pub use crate::upgrade::resource::{
        CurrentModel, DocumentValues, IsIdentity, IsModel, Resource, TerraformValues, UpgradeFrom,
    };
    pub use crate::upgrade::{
        Accounts, Answer, Apart, AsyncAnswer, AsyncFunction, AsyncModelFunction, BackFunction,
        Blamed, BoxFuture, Called, Condition, Constant, ContextFunction, Conversion, Declassified,
        DowngradeFunction, DowngradeWith, Dropped, EmptyText, Existing, FieldFunction, Function,
        Gives, History, Infallible, Letters, Literal, Makes, Many, Match, MemberChange,
        MigrateFunction, MigrateState, ModelFunction, Move, NoElement, NoModel, Notice, Operation,
        Operators, OptionalPart, Otherwise, Path, Pattern, Piece, Prior, PriorShape, Production,
        Raw, RawAnswer, RawAsync, RawFunction, RawState, Refusal, ResourceDefinition, Segment,
        Stage, StateTest, Step, StoredField, Structure, Template, UpgradeContext, Upgrader,
        UrlPart, VariantChange, When, With, WithAsync, boxed, check_accounting,
        check_accounting_to, check_back, check_condition, check_constrained,
        check_constrained_name, check_current_name, check_current_name_in,
        check_every_document_is_reached, check_every_version_is_reached, check_model_version,
        check_move_when, check_object_accounting, check_prior_name, check_production,
        check_production_to, check_summed, check_when, constrained_name, current_name,
        find_in_accounting, find_in_accounting_to, find_in_condition, find_in_object_accounting,
        find_operand, find_operand_to, key_left_over, left_over, name_in, prior_name,
        refuse_carried, refuse_operand, routes, steps,
    };
    pub use crate::value::Number;
    pub use std::borrow::Cow;
}
