//! The typed form of a struct: every rule checked, every name and version settled, nothing left to
//! read from attributes.

mod declared;
mod difference;
pub(crate) mod document;
mod facts;
mod members;
mod moves;
mod names;
mod placement;
mod plan;
mod shape;
mod stateless;
mod string_enum;
mod types;
pub(crate) mod union;
mod versions;

use proc_macro2::Ident;
use syn::{DeriveInput, Expr, LitInt, LitStr, Path, Type, Visibility};

pub(crate) use self::declared::{Declared, Dropped, Notice, Prior, Production};
pub(crate) use self::difference::{
    Blocks, Edit, FactsOf, Field as ShapeField, Info, PriorObject, PriorStruct, PriorVersion,
    Rekeyed, Row, Secret, StructField, Target, Unchanged, Upgraders, module,
};
pub(crate) use self::facts::{Check, Facts};
pub(crate) use self::moves::Move;
pub(crate) use self::plan::Nested;
pub(crate) use self::string_enum::{StringEnum, string_enum};
pub(crate) use self::types::{
    innermost, inside, is_container, is_stored_as, may_hold_objects, of_no_terraform, spelt,
};
use crate::attr::{
    self, DocumentOptions, ObjectOptions, RawKind, ResourceOptions, StringEnumOptions, Version,
    When, value_of,
};
use crate::errors::Errors;

/// The parts that both kinds of struct have.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) ident: Ident,
    /// The runtime crate; `None` for `::upstate`.
    pub(crate) crate_path: Option<Path>,
    /// In the byte order of their names.
    pub(crate) members: Vec<Member>,
    /// The upgraders of a nested object from its prior structs; a resource's upgraders have
    /// versions.
    pub(crate) upgraders: Vec<Declared>,
    /// The stored form of a struct of a document.
    pub(crate) document: Option<document::Shape>,
    /// The visibility of its plan, if it has one.
    pub(crate) plan: Option<Visibility>,
    /// The visibility of its paths, if it has them: all that has a plan does.
    pub(crate) paths: Option<Visibility>,
}

/// A struct that derives `Resource`.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) object: Object,
    pub(crate) visibility: Visibility,
    pub(crate) type_name: String,
    pub(crate) type_name_is_given: bool,
    pub(crate) description: String,
    pub(crate) deprecated: Option<LitStr>,
    pub(crate) facts: Facts,
    pub(crate) version: u64,
    /// The place of the version, for errors about the whole history, or that of the struct's name.
    pub(crate) version_literal: LitInt,
    /// A shape that only other models are upgraded from: no registry takes it.
    pub(crate) is_prior: bool,
    /// It is never stored, so no version of it is pinned.
    pub(crate) is_stateless: bool,
    pub(crate) oldest: u64,
    /// The function for flat state that is older than that.
    pub(crate) migrate_state: Option<Path>,
    pub(crate) upgraders: Upgraders,
    pub(crate) moves: Vec<Move>,
    /// The model of the resource's identity.
    pub(crate) identity: Option<Path>,
    /// Releases, by the version that they first wrote.
    pub(crate) since: Vec<(String, u64)>,
}

/// A field.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) deprecated: Option<LitStr>,
    pub(crate) facts: Facts,
    /// Its type has no end, or its values are a type's of serde: the schema shows any JSON.
    pub(crate) opaque: bool,
    pub(crate) role: Role,
    /// The struct that it holds, if that has paths.
    pub(crate) nested: Option<Nested>,
}

impl Member {
    pub(crate) fn is_sensitive(&self) -> bool {
        matches!(
            self.role,
            Role::Attribute {
                flags: Flags {
                    sensitive: true,
                    ..
                },
                ..
            }
        )
    }
}

/// The kind of a field in the schema.
#[derive(Debug)]
pub(crate) enum Role {
    Attribute {
        flags: Flags,
        codec: Codec,
        default: Option<Box<Expr>>,
    },
    /// Nested blocks; 0 means no limit.
    Block {
        min: u64,
        max: u64,
        /// True if a `Vec` of them is stored as a set.
        set: bool,
    },
}

/// The marks of an attribute. Its type tells who sets it, unless one of the first three is given.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub(crate) struct Flags {
    pub(crate) required: bool,
    pub(crate) optional: bool,
    pub(crate) computed: bool,
    pub(crate) sensitive: bool,
    pub(crate) write_only: bool,
    pub(crate) requires_replace: bool,
    /// A document need not have it.
    pub(crate) filled_in: bool,
}

/// The codec of a field.
#[derive(Debug, Clone)]
pub(crate) enum Codec {
    /// As its type says.
    Own,
    /// A `Vec` that is a set.
    Set,
    /// A set inside an `Option`.
    OptionalSet,
    /// As text, through `Display` and `FromStr`.
    Text,
    /// As a string, of the type inside an `Option`.
    OptionalText,
    /// Through the functions of a module.
    Module(Path),
    /// As serde reads and writes its type.
    Serde,
    /// Through a module of functions for serde.
    SerdeModule(Path),
    /// Through two functions for serde.
    SerdeFunctions(Path, Path),
}

/// The way from some stored versions to the model.
#[derive(Debug)]
pub(crate) struct Upgrader {
    pub(crate) from: u64,
    /// The last of the versions; the same as `from` for a single one.
    pub(crate) through: u64,
    pub(crate) kind: UpgraderKind,
    /// The condition of the shape that it is for.
    pub(crate) when: Option<When>,
    /// The function for the way back.
    pub(crate) downgrade: Option<Path>,
    /// The reason for a separate version, or for a correction.
    pub(crate) reason: Option<LitStr>,
}

/// The kind of an upgrader. Paths are as the user wrote them, so that editors find them.
#[derive(Debug)]
pub(crate) enum UpgraderKind {
    /// `TryFrom`, and so `From`.
    Conversion {
        model: Path,
    },
    Function {
        model: Path,
        function: Path,
        is_async: bool,
    },
    Raw {
        function: Path,
        is_async: bool,
    },
    Declared(Declared),
    Unsupported {
        text: LitStr,
    },
    /// No release stored these versions.
    NeverReleased,
    /// There is nothing to make: the shape is this one.
    Unchanged,
}

impl UpgraderKind {
    /// The prior model.
    pub(crate) const fn model(&self) -> Option<&Path> {
        match self {
            Self::Conversion { model }
            | Self::Function { model, .. }
            | Self::Declared(Declared {
                prior: Prior::Model(model),
                ..
            }) => Some(model),
            Self::Declared(Declared {
                prior: Prior::Shape(_) | Prior::Object(_),
                ..
            })
            | Self::Raw { .. }
            | Self::Unsupported { .. }
            | Self::NeverReleased
            | Self::Unchanged => None,
        }
    }
}

/// The derive that is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Derive {
    Resource,
    Object,
    StringEnum,
    Document,
    Union,
}

impl Derive {
    /// The name of the macro.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Resource => "Resource",
            Self::Object => "Object",
            Self::StringEnum => "StringEnum",
            Self::Document => "Document",
            Self::Union => "Union",
        }
    }

    /// The start of a sentence about what the struct should be.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Resource => "a resource",
            Self::Object => "a nested object",
            Self::StringEnum => "a string enum",
            Self::Document => "a document",
            Self::Union => "an enum with data",
        }
    }
}

/// The path by which the generated code finds the runtime, also for a struct that is wrong in other
/// ways.
pub(crate) fn crate_path(derive: Derive, input: &DeriveInput) -> Option<Path> {
    let mut ignored = Errors::default();
    let (attributes, ignored) = (&input.attrs, &mut ignored);
    let given = match derive {
        Derive::Resource => {
            attr::options::<ResourceOptions>(&attr::RESOURCE, attributes, ignored)
                .given
                .crate_path
        }
        Derive::Object => {
            attr::options::<ObjectOptions>(&attr::OBJECT, attributes, ignored)
                .given
                .crate_path
        }
        Derive::StringEnum => {
            attr::options::<StringEnumOptions>(&attr::STRING_ENUM, attributes, ignored)
                .given
                .crate_path
        }
        Derive::Document | Derive::Union => {
            return attr::document::container(attributes, ignored).crate_path;
        }
    };
    Some(given?.value.ok()?.0)
}

/// The model of a struct that derives `Resource`. `None` if something is wrong, which is then
/// recorded.
pub(crate) fn resource(input: &DeriveInput, errors: &mut Errors) -> Option<Resource> {
    let fields = shape::fields(Derive::Resource, input, errors)?;
    placement::container(Derive::Resource, input, errors);
    let members = members::lower(Derive::Resource, &input.ident, fields, errors);
    facts::references(Derive::Resource, &input.ident, &members, errors);
    let read = attr::options::<ResourceOptions>(&attr::RESOURCE, &input.attrs, errors);
    versioned(Derive::Resource, input, fields, members, None, read, errors)
}

/// The model of a struct that derives `Document`, if it can be a root; otherwise what it is as a
/// part. `None` if something is wrong, which is then recorded.
pub(crate) fn document(input: &DeriveInput, errors: &mut Errors) -> Option<Document> {
    placement::document(input, errors);
    let structure = document::structure(input, errors)?;
    let (
        document::Structure {
            body: document::Body::Named(object),
            ..
        },
        syn::Data::Struct(data),
    ) = (&structure, &input.data)
    else {
        return Some(Document::Part(structure));
    };
    let syn::Fields::Named(fields) = &data.fields else {
        return Some(Document::Part(structure));
    };
    if !input.generics.params.is_empty() || object.document.is_none() {
        return Some(Document::Part(structure));
    }
    let document::Body::Named(Object {
        members, document, ..
    }) = structure.body
    else {
        return None;
    };
    let read = attr::options::<DocumentOptions>(&attr::DOCUMENT, &input.attrs, errors);
    let given = read.given;
    let options = ResourceOptions {
        version: given.version,
        prior: given.prior,
        type_name: given.type_name,
        oldest: given.oldest,
        since: given.since,
        deprecated: given.deprecated,
        crate_path: given.crate_path,
        ..ResourceOptions::default()
    };
    let read = attr::Options {
        given: options,
        path: read.path,
        complete: read.complete,
    };
    versioned(
        Derive::Document,
        input,
        &fields.named,
        members,
        document,
        read,
        errors,
    )
    .map(Box::new)
    .map(Document::Root)
}

/// A struct that derives `Document`.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each derive")]
pub(crate) enum Document {
    /// It has a type name and versions.
    Root(Box<Resource>),
    /// It is only part of others.
    Part(document::Structure),
}

fn versioned(
    derive: Derive,
    input: &DeriveInput,
    fields: &syn::punctuated::Punctuated<syn::Field, syn::Token![,]>,
    members: Vec<Member>,
    document: Option<document::Shape>,
    read: attr::Options<ResourceOptions>,
    errors: &mut Errors,
) -> Option<Resource> {
    let mut options = read.given;
    let is_stateless = stateless::stateless(&mut options, &input.attrs, errors);
    let (plan, paths) = plan::of_resource(input, &mut options, &members, errors);
    let mut facts = Facts::default();
    let crate_path = value_of(options.crate_path.take(), errors).map(|path| path.0);
    let type_name_is_given = options.type_name.is_some();
    let type_name = names::type_name(derive, &input.ident, options.type_name.take(), errors);
    let deprecated = facts.deprecation(options.deprecated.take(), None, errors);
    let current = declared::Current {
        derive,
        ident: &input.ident,
        fields,
        members: &members,
        document: document.as_ref(),
        stored_as: None,
    };
    facts::resource(&mut options, &mut facts, current, errors);
    let version = match options.version {
        Some(given) => errors.take(given.value),
        // An option that was not understood may have been the version.
        None => read.complete.then(|| Version::unsaid(&input.ident)),
    };
    let is_prior = value_of(options.prior, errors).is_some();
    let oldest = value_of(options.oldest, errors);
    let since = versions::since(options.since, version.as_ref(), errors);
    let identity = value_of(options.identity, errors).map(|path| path.0);
    if let Some(identity) = &identity
        && types::is_itself(&input.ident, identity)
    {
        let message = "a resource cannot be its own identity\nhelp: give the attributes that identify it another struct that derives `Resource`";
        errors.push(identity, message);
    }
    let stored_as = type_name
        .as_deref()
        .zip(version.as_ref().map(|version| version.number));
    let current = declared::Current {
        stored_as,
        ..current
    };
    let upgraders = versions::upgraders(
        &input.attrs,
        current,
        version.as_ref(),
        oldest.as_ref(),
        errors,
    );
    let migrate_state = options.migrate_state.and_then(|given| {
        versions::migration(
            &input.ident,
            &given.key,
            is_prior,
            (version.as_ref(), oldest.as_ref()),
            &upgraders,
            errors,
        );
        errors.take(given.value)
    });
    let moves = moves::moves(&input.ident, &input.attrs, current, errors);
    if let Some(version) = &version {
        versions::span_of_versions(version, oldest.as_ref(), is_prior, errors);
    }

    if !errors.is_empty() {
        return None;
    }
    let version = version?;
    Some(Resource {
        object: Object {
            ident: input.ident.clone(),
            crate_path,
            members,
            upgraders: Vec::new(),
            document,
            plan,
            paths,
        },
        visibility: input.vis.clone(),
        type_name: type_name?,
        type_name_is_given,
        description: attr::description(&input.attrs),
        deprecated,
        facts,
        version: version.number,
        version_literal: version.literal,
        is_prior,
        is_stateless,
        oldest: oldest.map_or(0, |oldest| oldest.number),
        migrate_state: migrate_state.map(|path| path.0),
        upgraders,
        moves,
        identity,
        since,
    })
}

/// The model of a struct that derives `Object`. `None` if something is wrong, which is then
/// recorded.
pub(crate) fn object(input: &DeriveInput, errors: &mut Errors) -> Option<Object> {
    let fields = shape::fields(Derive::Object, input, errors)?;
    placement::container(Derive::Object, input, errors);
    let members = members::lower(Derive::Object, &input.ident, fields, errors);
    facts::references(Derive::Object, &input.ident, &members, errors);
    let read = attr::options::<ObjectOptions>(&attr::OBJECT, &input.attrs, errors);
    let given_plan = plan::PlanOptions {
        plan: read.given.plan,
        paths: read.given.paths,
    };
    let (plan, paths) = plan::of(Derive::Object, input, given_plan, &members, errors);
    let crate_path = value_of(read.given.crate_path, errors).map(|path| path.0);
    let name = input.ident.to_string();
    let prior_model = format!("{}V0", names::base_name(&name));
    let upgraders = attr::object_upgraders(&input.attrs, &prior_model, errors)
        .into_iter()
        .flatten();
    let upgraders = upgraders.filter_map(|kind| match kind {
        RawKind::Declared { model, operators } => Some((model, operators)),
        _ => None,
    });
    let current = declared::Current {
        derive: Derive::Object,
        ident: &input.ident,
        fields,
        members: &members,
        document: None,
        stored_as: None,
    };
    let upgraders = declared::object_upgraders(upgraders.collect(), current, errors);
    errors.is_empty().then(|| Object {
        ident: input.ident.clone(),
        crate_path,
        members,
        upgraders,
        document: None,
        plan,
        paths,
    })
}
