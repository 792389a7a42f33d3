//! Parts of a document's object: the members that a field with `flatten` holds are next to the
//! others.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use super::error::{DecodeError, Problem};
use super::key::{Key, not_a_key, note_left_out};
use super::object::{Object, ObjectReader, ObjectWriter, write_members_of};
use super::slot::AttributeType;
use super::writer::Writer;
use crate::schema::table::{Flattened, Names, Stored, Table, TypeInfo};

/// A type whose members can be next to those of the struct that holds it: a struct of a document,
/// an enum with data, a map.
///
/// This trait is sealed: the derives implement it.
// Impls of what few mean are not recommended, because the compiler would list nine of them.
#[diagnostic::on_unimplemented(
    message = "the members of `{Self}` cannot be next to others",
    label = "not an object",
    note = "`flatten` is for a struct that derives `Document`, an enum that derives `Union`, a map, or an `Option` or `Box` of one of them",
    note = "remove `flatten`, and the value is stored below the name of the field"
)]
pub trait Members: Sized {
    /// The rows of its members, where they are known.
    #[doc(hidden)]
    const TABLE: Option<&'static Table>;

    /// The enum or the map, whose members no rows tell of.
    #[doc(hidden)]
    const VALUES: Option<&'static TypeInfo> = None;

    /// True if none of its members need be there.
    #[doc(hidden)]
    const IS_OPTIONAL: bool = false;

    /// A flattened field of the type.
    #[doc(hidden)]
    const FLATTENED: Flattened = match Self::VALUES {
        Some(values) => Flattened::unknown(values, Self::IS_OPTIONAL),
        None => Flattened::new(Self::TABLE, Self::IS_OPTIONAL),
    };

    /// The names of its members.
    #[doc(hidden)]
    const NAMES: &'static Names;

    /// Takes its members out of the object.
    #[doc(hidden)]
    fn read_members(object: &mut ObjectReader<'_, '_>) -> Option<Self>;

    /// True if one of its members is there.
    #[doc(hidden)]
    fn is_there(object: &ObjectReader<'_, '_>) -> bool;

    /// Writes its members.
    #[doc(hidden)]
    fn write_members(&self, object: &mut ObjectWriter<'_, '_>);
}

/// Takes the members of a struct.
#[doc(hidden)]
pub fn read_part<T: Object>(object: &mut ObjectReader<'_, '_>) -> Option<T> {
    object.part(T::TABLE, T::decode)
}

/// True if a member of a struct, or of a part of it, is there.
#[doc(hidden)]
pub fn is_part_there<T: Members>(object: &ObjectReader<'_, '_>) -> bool {
    object.has_any(|found| T::NAMES.has(found))
}

/// True if a member is there that a variant without a tag has.
#[doc(hidden)]
pub fn is_variant_there(object: &ObjectReader<'_, '_>, names: &Names) -> bool {
    object.has_any_of(names)
}

/// Writes the members of a struct.
#[doc(hidden)]
pub fn write_part<T: Object>(value: &T, object: &mut ObjectWriter<'_, '_>) {
    object.part(T::TABLE, |object| value.encode(object));
}

/// Writes the fields of a variant as an object.
#[doc(hidden)]
pub fn write_fields(
    table: &'static Table,
    writer: &mut Writer<'_>,
    write: &dyn Fn(&mut ObjectWriter<'_, '_>),
) {
    write_members_of(Some(table), write, writer);
}

/// Writes the fields of a variant beside other members.
#[doc(hidden)]
pub fn write_fields_beside(
    table: &'static Table,
    object: &mut ObjectWriter<'_, '_>,
    write: impl FnOnce(&mut ObjectWriter<'_, '_>),
) {
    object.part(table, write);
}

/// Notes that a variant has no members that could be next to others.
#[doc(hidden)]
pub fn write_no_members(object: &mut ObjectWriter<'_, '_>) {
    object.unwritable("the variant holds no members that could be next to others");
}

/// Reads no members: the variant has none.
#[doc(hidden)]
pub fn no_members<T>(object: &mut ObjectReader<'_, '_>) -> Option<T> {
    object.fail_here(Problem::Variant(
        "the variant holds no members that could be next to others".to_owned(),
    ))
}

impl<T: Members> Members for Option<T> {
    const TABLE: Option<&'static Table> = T::TABLE;
    const VALUES: Option<&'static TypeInfo> = T::VALUES;
    const IS_OPTIONAL: bool = true;
    const NAMES: &'static Names = T::NAMES;

    fn read_members(object: &mut ObjectReader<'_, '_>) -> Option<Self> {
        // One member is there, so a mistake in it is an error and not an absence.
        if T::is_there(object) {
            T::read_members(object).map(Some)
        } else {
            Some(None)
        }
    }

    fn is_there(object: &ObjectReader<'_, '_>) -> bool {
        T::is_there(object)
    }

    fn write_members(&self, object: &mut ObjectWriter<'_, '_>) {
        if let Some(value) = self {
            value.write_members(object);
        }
    }
}

impl<T: Members> Members for Box<T> {
    const TABLE: Option<&'static Table> = T::TABLE;
    const VALUES: Option<&'static TypeInfo> = T::VALUES;
    const IS_OPTIONAL: bool = T::IS_OPTIONAL;
    const NAMES: &'static Names = T::NAMES;

    fn read_members(object: &mut ObjectReader<'_, '_>) -> Option<Self> {
        T::read_members(object).map(Self::new)
    }

    fn is_there(object: &ObjectReader<'_, '_>) -> bool {
        T::is_there(object)
    }

    fn write_members(&self, object: &mut ObjectWriter<'_, '_>) {
        (**self).write_members(object);
    }
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> Members for std::marker::PhantomData<T> {
    const TABLE: Option<&'static Table> = None;
    const NAMES: &'static Names = &Names::NONE;

    fn read_members(_: &mut ObjectReader<'_, '_>) -> Option<Self> {
        Some(Self)
    }

    fn is_there(_: &ObjectReader<'_, '_>) -> bool {
        false
    }

    fn write_members(&self, _: &mut ObjectWriter<'_, '_>) {}
}

#[diagnostic::do_not_recommend]
impl Members for () {
    const TABLE: Option<&'static Table> = None;
    const NAMES: &'static Names = &Names::NONE;

    fn read_members(_: &mut ObjectReader<'_, '_>) -> Option<Self> {
        Some(())
    }

    fn is_there(_: &ObjectReader<'_, '_>) -> bool {
        false
    }

    fn write_members(&self, _: &mut ObjectWriter<'_, '_>) {}
}

/// Takes every member that nothing else took as an entry of a map.
fn read_rest<K: Key, T: AttributeType>(
    object: &mut ObjectReader<'_, '_>,
    mut insert: impl FnMut(K, T) -> bool,
) -> Option<()> {
    object.rest(|name, reader| {
        let start = reader.position();
        let problem = || DecodeError::new(not_a_key::<K>(), start);
        let key = K::read(name.into()).ok_or_else(problem)?;
        if K::leaves_out(name) {
            note_left_out::<K>(reader, start);
        }
        Ok(insert(key, T::decode(reader)?))
    })
}

/// The part that all types which take members of any name have in common.
macro_rules! takes_rest {
    ($values:expr) => {
        const TABLE: Option<&'static Table> = None;
        const VALUES: Option<&'static TypeInfo> = Some($values);
        const NAMES: &'static Names = &Names::REST;

        fn is_there(_: &ObjectReader<'_, '_>) -> bool {
            true
        }
    };
}

impl<K: Key + Ord, T: AttributeType> Members for BTreeMap<K, T> {
    takes_rest!(<Self as AttributeType>::INFO);

    fn read_members(object: &mut ObjectReader<'_, '_>) -> Option<Self> {
        let mut map = Self::new();
        read_rest(object, |key, value| map.insert(key, value).is_none())?;
        Some(map)
    }

    fn write_members(&self, object: &mut ObjectWriter<'_, '_>) {
        for (key, value) in self {
            object.member(key.written().as_str(), |writer| value.encode(writer));
        }
    }
}

impl<K: Key + Eq + Hash, T: AttributeType, S: BuildHasher + Default> Members for HashMap<K, T, S> {
    takes_rest!(<Self as AttributeType>::INFO);

    fn read_members(object: &mut ObjectReader<'_, '_>) -> Option<Self> {
        let mut map = Self::default();
        read_rest(object, |key, value| map.insert(key, value).is_none())?;
        Some(map)
    }

    fn write_members(&self, object: &mut ObjectWriter<'_, '_>) {
        let mut sorted: Vec<_> = self
            .iter()
            .map(|(key, value)| (key.written(), value))
            .collect();
        sorted.sort_unstable_by(|(one, _), (other, _)| one.as_bytes().cmp(other.as_bytes()));
        for (key, value) in sorted {
            object.member(key.as_str(), |writer| value.encode(writer));
        }
    }
}

/// Members of any kind.
const ANY_MEMBERS: &TypeInfo = &TypeInfo::of(Stored::Map(&Stored::Json));

#[diagnostic::do_not_recommend]
impl Members for serde_json::Map<String, serde_json::Value> {
    takes_rest!(ANY_MEMBERS);

    fn read_members(object: &mut ObjectReader<'_, '_>) -> Option<Self> {
        let mut map = Self::new();
        read_rest(object, |key: String, value| {
            map.insert(key, value).is_none()
        })?;
        Some(map)
    }

    fn write_members(&self, object: &mut ObjectWriter<'_, '_>) {
        for (key, value) in self {
            object.member(key, |writer| value.encode(writer));
        }
    }
}

#[diagnostic::do_not_recommend]
impl Members for serde_json::Value {
    takes_rest!(ANY_MEMBERS);

    fn read_members(object: &mut ObjectReader<'_, '_>) -> Option<Self> {
        serde_json::Map::read_members(object).map(Self::Object)
    }

    fn write_members(&self, object: &mut ObjectWriter<'_, '_>) {
        match self {
            Self::Object(map) => map.write_members(object),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Array(_) => {
                object.unwritable(
                    "a value that is not an object has no members to be next to others",
                );
            }
        }
    }
}
