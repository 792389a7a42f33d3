//! Reading a value by a type known at run time.

use std::collections::BTreeMap;

use super::Value;
use super::repeated::{self, refuse_repeated};
use crate::codec::Problem;
use crate::codec::json::{Kind, Reader};
use crate::codec::{
    AttributeType, DecodeError, DecodeErrorKind, Encoding, UnknownAttributes, Writer, scalar,
};
use crate::path::Container;
use crate::schema::table::{DocumentTable, Stored, Table, TypeInfo};
use crate::schema::{Field, Nesting, Type};

type Result<T> = std::result::Result<T, DecodeError>;

impl Value {
    /// Reads a JSON document as a value of type `ty`, by Terraform's rules.
    ///
    /// # Errors
    /// Says at which attribute and byte the document does not fit the type.
    pub fn from_json(json: &[u8], ty: &Type, undefined: UnknownAttributes) -> Result<Self> {
        Self::read(&mut Reader::from_bytes(json)?, ty, undefined)
    }

    /// Reads the value a reader is at, refusing names that the type does not define.
    pub(crate) fn read_nested(reader: &mut Reader<'_>, ty: &Type) -> Result<Self> {
        read(reader, ty, UnknownAttributes::Deny)
    }

    /// Reads the whole document of a reader.
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        ty: &Type,
        undefined: UnknownAttributes,
    ) -> Result<Self> {
        let result = read(reader, ty, undefined).and_then(|value| reader.end().map(|()| value));
        result.map_err(|error| error.located_in(reader.text(), &|steps| ty.container_at(steps)))
    }

    /// Reads the whole document of a reader as a shape stores it: each field as its Rust type does.
    pub(crate) fn read_shape(
        reader: &mut Reader<'_>,
        table: &'static Table,
        undefined: UnknownAttributes,
    ) -> Result<Self> {
        let kind = reader.peek();
        let result = kind.and_then(|kind| {
            if kind == Kind::Null {
                reader.null().map(|()| Self::Null)
            } else {
                read_rows(reader, table, undefined)
            }
        });
        let result = result.and_then(|value| reader.end().map(|()| value));
        result.map_err(|error| {
            error.located_in(reader.text(), &|steps| {
                table.object_type().container_at(steps)
            })
        })
    }

    /// Reads what the Rust type `T` reads, as the value that it is then.
    pub(crate) fn read_as<T: AttributeType>(reader: &mut Reader<'_>) -> Result<Self> {
        let start = reader.position();
        let value = T::decode(reader)?;
        let mut json = Vec::new();
        value.encode(&mut Writer::new(&mut json, Encoding::Json));
        let read = Self::from_json(&json, &T::INFO.stored.to_type(), UnknownAttributes::Deny);
        read.map_err(|_| {
            DecodeError::new(
                Problem::Content(
                    DecodeErrorKind::WrongKind,
                    "the value cannot be written back",
                ),
                start,
            )
        })
    }

    /// Reads a JSON document as it is: objects as maps, arrays as lists, numbers digit for digit.
    ///
    /// # Errors
    /// Says at which byte the document is not JSON.
    pub fn from_untyped_json(json: &[u8]) -> Result<Self> {
        let mut reader = Reader::from_bytes(json)?;
        let result = read_untyped(&mut reader, false, &mut false)
            .and_then(|value| reader.end().map(|()| value));
        result.map_err(|error| error.located_in(reader.text(), &|_| Container::Other))
    }

    /// True if an object in a JSON document has a key more than once.
    pub(crate) fn repeats_key(json: &[u8]) -> bool {
        let mut repeats = false;
        let read = Reader::from_bytes(json)
            .and_then(|mut reader| read_untyped(&mut reader, true, &mut repeats));
        read.is_ok() && repeats
    }

    /// Reads a JSON document as [`from_untyped_json`](Self::from_untyped_json) does, and numbers
    /// that no [`Number`](crate::Number) can hold as their text. For tools that look for what a
    /// document holds: one odd number must not hide the rest of it from them.
    ///
    /// # Errors
    /// Says at which byte the document is not JSON.
    #[doc(hidden)]
    pub fn from_any_json(json: &[u8]) -> Result<Self> {
        let mut reader = Reader::from_bytes(json)?;
        read_untyped(&mut reader, true, &mut false).and_then(|value| reader.end().map(|()| value))
    }
}

/// Any JSON; `repeats` becomes true if an object in it has a key more than once.
fn read_untyped(reader: &mut Reader<'_>, any_number: bool, repeats: &mut bool) -> Result<Value> {
    Ok(match reader.peek()? {
        Kind::Null => {
            reader.null()?;
            Value::Null
        }
        Kind::Bool => Value::Bool(reader.bool()?),
        Kind::Number if reader.is_exact() => {
            let start = reader.mark();
            let text = reader.number()?.to_owned();
            reader.rewind(start);
            Value::Number(scalar::number(reader)?.written_as(&text))
        }
        Kind::Number => {
            let start = reader.mark();
            match scalar::number(reader) {
                Ok(number) => Value::Number(number),
                Err(_) if any_number => {
                    reader.rewind(start);
                    Value::String(reader.number()?.to_owned())
                }
                Err(error) => return Err(error),
            }
        }
        Kind::String => Value::String(reader.string()?.into_owned()),
        Kind::Array => {
            reader.open_array()?;
            let mut list = Vec::new();
            while reader.next_element(list.is_empty())? {
                list.push(read_untyped(reader, any_number, repeats)?);
            }
            Value::List(list)
        }
        Kind::Object => {
            let start = reader.position();
            reader.open_object()?;
            let mut map = BTreeMap::new();
            let (mut first, mut repeated) = (true, false);
            while let Some(key) = reader.next_member(std::mem::take(&mut first))? {
                let value = read_untyped(reader, any_number, repeats)?;
                repeated |= map.insert(key.into_owned(), value).is_some();
            }
            *repeats |= repeated;
            if repeated && reader.is_exact() {
                reader.note_merged(start);
            }
            Value::Map(map)
        }
    })
}

pub(super) fn read(
    reader: &mut Reader<'_>,
    ty: &Type,
    undefined: UnknownAttributes,
) -> Result<Value> {
    let kind = reader.peek()?;
    if kind == Kind::Null {
        return reader.null().map(|()| Value::Null);
    }
    Ok(match ty {
        Type::Bool => Value::Bool(scalar::bool(reader)?),
        Type::String => Value::String(scalar::text(reader)?.into_owned()),
        Type::Number => Value::Number(scalar::number(reader)?),
        Type::List(element) | Type::Set(element) => {
            if kind != Kind::Array {
                return Err(reader.unexpected(ty.noun()));
            }
            let start = reader.position();
            reader.open_array()?;
            let mut list = Vec::new();
            while reader.next_element(list.is_empty())? {
                list.push(read(reader, element, undefined)?);
            }
            if **element == Type::Dynamic {
                one_type(list.iter()).map_err(|problem| DecodeError::new(problem, start))?;
            }
            if matches!(ty, Type::Set(_)) && super::set::normalize(&mut list) > 0 {
                reader.note_repeated(start);
            }
            Value::List(list)
        }
        Type::Tuple(types) => {
            let start = reader.position();
            if kind != Kind::Array {
                return Err(reader.unexpected("a tuple"));
            }
            reader.open_array()?;
            let mut list = Vec::new();
            while reader.next_element(list.is_empty())? {
                let Some(ty) = types.get(list.len()) else {
                    let problem = Problem::Text(
                        DecodeErrorKind::TupleLength,
                        format!(
                            "too many tuple elements (only have types for {})",
                            types.len()
                        ),
                    );
                    return Err(DecodeError::new(problem, start));
                };
                list.push(read(reader, ty, undefined)?);
            }
            if list.len() < types.len() {
                let problem = Problem::Text(
                    DecodeErrorKind::TupleLength,
                    format!(
                        "not enough tuple elements (only have {}, have types for {})",
                        list.len(),
                        types.len()
                    ),
                );
                return Err(DecodeError::new(problem, start));
            }
            Value::List(list)
        }
        Type::Map(element) => {
            if kind != Kind::Object {
                return Err(reader.unexpected("a map"));
            }
            let start = reader.position();
            reader.open_object()?;
            let mut map = BTreeMap::new();
            let mut first = true;
            while let Some(key) = reader.next_member(first)? {
                first = false;
                let key = key.into_owned();
                map.insert(key, read(reader, element, undefined)?);
            }
            if **element == Type::Dynamic {
                one_type(map.values()).map_err(|problem| DecodeError::new(problem, start))?;
            }
            Value::Map(map)
        }
        Type::Object(fields) => read_fields(reader, kind, fields, undefined)?,
        Type::Dynamic => read_dynamic(reader, kind, undefined)?,
        Type::Json | Type::Union(_) => read_untyped(reader, false, &mut false)?,
    })
}

impl Value {
    /// Reads the whole document of a reader by the rules of documents: absent members stay absent,
    /// and those that no field names are kept where a struct may take them.
    pub(crate) fn read_document(reader: &mut Reader<'_>, table: &'static Table) -> Result<Self> {
        if !table.is_lenient() {
            reader.read_exactly();
        }
        let result = read_members(reader, table).and_then(|value| reader.end().map(|()| value));
        result.map_err(|error| {
            error.located_in(reader.text(), &|steps| {
                table.object_type().container_at(steps)
            })
        })
    }
}

impl Value {
    /// Reads a whole value of a document by what is stored of it. Flattened fields of structs may
    /// take other members than its type defines.
    pub(crate) fn read_in_document(reader: &mut Reader<'_>, stored: &Stored) -> Result<Self> {
        read_stored(reader, stored).and_then(|value| reader.end().map(|()| value))
    }

    /// Reads the JSON of the member `name` of a document by the same rules; `None` if it does not
    /// fit, or something of it is not kept.
    pub(crate) fn read_member(json: &str, table: &'static Table, name: &str) -> Option<Self> {
        let mut reader = Reader::new(json);
        if !table.is_lenient() {
            reader.read_exactly();
        }
        let value = match table.rows.iter().find(|row| row.name == name) {
            Some(row) => read_stored(&mut reader, &row.info.stored),
            None => read_untyped(&mut reader, false, &mut false),
        };
        value.ok().filter(|_| !reader.has_notes())
    }
}

/// The members of an object in a document.
fn read_members(reader: &mut Reader<'_>, table: &'static Table) -> Result<Value> {
    let document = table.document.copied().unwrap_or(DocumentTable::EMPTY);
    if reader.peek()? != Kind::Object {
        return Err(reader.unexpected("an object"));
    }
    reader.open_object()?;
    let mut map = BTreeMap::new();
    let mut first = true;
    while let Some(found) = reader.next_member(std::mem::take(&mut first))? {
        let name = table.aliased(&found).unwrap_or(&found);
        reader.peek()?;
        let start = reader.position();
        let value = match table.rows.iter().find(|row| row.name == name) {
            Some(row) => read_stored(reader, &row.info.stored)?,
            None if document.has_parts => read_any(reader, || repeated::member_of(table, name).1)?,
            None if document.denies_unknown => return Err(reader.undefined_error(name)),
            None => {
                reader.undefined(name)?;
                reader.skip()?;
                continue;
            }
        };
        if map.insert(name.to_owned(), value).is_some() {
            if repeated::member_of(table, name).0 {
                return Err(DecodeError::new(Problem::Repeated, start));
            }
            reader.note_merged(start);
        }
    }
    Ok(Value::Map(map))
}

/// A value in a document, as it is stored: what does not fit is found by the struct that it becomes
/// part of.
fn read_stored(reader: &mut Reader<'_>, stored: &Stored) -> Result<Value> {
    match (stored, reader.peek()?) {
        (Stored::Object(table), Kind::Object) => read_members(reader, table),
        (Stored::List(element) | Stored::Set(element), Kind::Array) => {
            reader.open_array()?;
            let mut list = Vec::new();
            while reader.next_element(list.is_empty())? {
                list.push(read_stored(reader, element)?);
            }
            Ok(Value::List(list))
        }
        (Stored::Map(element), Kind::Object) => {
            let start = reader.position();
            reader.open_object()?;
            let mut map = BTreeMap::new();
            let mut repeated = false;
            let mut first = true;
            while let Some(key) = reader.next_member(std::mem::take(&mut first))? {
                let key = key.into_owned();
                repeated |= map.insert(key, read_stored(reader, element)?).is_some();
            }
            if repeated {
                reader.note_merged(start);
            }
            Ok(Value::Map(map))
        }
        (Stored::Bool | Stored::String | Stored::Number, _) => {
            read(reader, &stored.to_type(), UnknownAttributes::Ignore)
        }
        (
            Stored::Object(_)
            | Stored::List(_)
            | Stored::Set(_)
            | Stored::Map(_)
            | Stored::Tuple(_)
            | Stored::Dynamic
            | Stored::Json
            | Stored::Union(_),
            _,
        ) => read_any(reader, || Some(stored)),
    }
}

/// Any JSON in a document. The reader of the type may refuse what comes twice in it.
fn read_any<'s>(
    reader: &mut Reader<'_>,
    stored: impl FnOnce() -> Option<&'s Stored>,
) -> Result<Value> {
    let (start, mut repeats) = (reader.mark(), false);
    let value = read_untyped(reader, false, &mut repeats)?;
    if repeats {
        let end = reader.mark();
        reader.rewind(start);
        refuse_repeated(reader, stored())?;
        reader.rewind(end);
    }
    Ok(value)
}

/// The fields of a shape, those that read more than their types tell of as they do.
fn read_rows(
    reader: &mut Reader<'_>,
    table: &'static Table,
    undefined: UnknownAttributes,
) -> Result<Value> {
    if reader.peek()? != Kind::Object {
        return Err(reader.unexpected("an object"));
    }
    reader.open_object()?;
    let mut map: BTreeMap<String, Value> = table
        .rows
        .iter()
        .map(|row| (row.name.to_owned(), Value::Null))
        .collect();
    let mut first = true;
    while let Some(name) = reader.next_member(first)? {
        first = false;
        match table.rows.iter().find(|row| row.name == name) {
            Some(row) => {
                let value = read_info(reader, row.info, undefined)?;
                map.insert(name.into_owned(), value);
            }
            None if undefined == UnknownAttributes::Ignore => {
                reader.undefined(&name)?;
                reader.skip()?;
            }
            None => return Err(reader.undefined_error(&name)),
        }
    }
    Ok(Value::Map(map))
}

fn read_info(
    reader: &mut Reader<'_>,
    info: &'static TypeInfo,
    undefined: UnknownAttributes,
) -> Result<Value> {
    let ty = info.stored.to_type();
    let kind = reader.peek()?;
    match (info.holds.lenient, info.reads, info.objects()) {
        (true, Some(read), _) => read(reader),
        (true, None, Some((table, nesting))) if kind != Kind::Null => match nesting {
            Nesting::Single => read_rows(reader, table, undefined),
            Nesting::List | Nesting::Set => {
                if kind != Kind::Array {
                    return Err(reader.unexpected(ty.noun()));
                }
                let start = reader.position();
                reader.open_array()?;
                let mut list = Vec::new();
                while reader.next_element(list.is_empty())? {
                    list.push(read_element(reader, table, undefined)?);
                }
                if nesting == Nesting::Set && super::set::normalize(&mut list) > 0 {
                    reader.note_repeated(start);
                }
                Ok(Value::List(list))
            }
            Nesting::Map => {
                if kind != Kind::Object {
                    return Err(reader.unexpected("a map"));
                }
                reader.open_object()?;
                let (mut map, mut first) = (BTreeMap::new(), true);
                while let Some(key) = reader.next_member(first)? {
                    first = false;
                    let key = key.into_owned();
                    map.insert(key, read_element(reader, table, undefined)?);
                }
                Ok(Value::Map(map))
            }
        },
        _ => read(reader, &ty, undefined),
    }
}

fn read_element(
    reader: &mut Reader<'_>,
    table: &'static Table,
    undefined: UnknownAttributes,
) -> Result<Value> {
    if reader.peek()? == Kind::Null {
        reader.null().map(|()| Value::Null)
    } else {
        read_rows(reader, table, undefined)
    }
}

/// Dynamic elements of one collection must turn out to have one type; a bare null has none.
pub(super) fn one_type<'v>(
    mut elements: impl Iterator<Item = &'v Value>,
) -> std::result::Result<(), Problem> {
    fn type_of(value: &Value) -> Option<&Type> {
        let Value::Dynamic(dynamic) = value else {
            return None;
        };
        Some(&dynamic.0)
    }
    let Some(first) = elements.next().map(type_of) else {
        return Ok(());
    };
    if elements.all(|element| type_of(element) == first) {
        return Ok(());
    }
    Err(Problem::Content(
        DecodeErrorKind::MixedElements,
        "elements do not all have the same types",
    ))
}

fn read_fields(
    reader: &mut Reader<'_>,
    kind: Kind,
    fields: &[Field],
    undefined: UnknownAttributes,
) -> Result<Value> {
    if kind != Kind::Object {
        return Err(reader.unexpected("an object"));
    }
    reader.open_object()?;
    let mut map = BTreeMap::new();
    // In a document, what is absent is not null, but in a dynamic value, which ignores other
    // members, because it has a type of its own.
    if !reader.leaves_absent() || undefined == UnknownAttributes::Ignore {
        map.extend(
            fields
                .iter()
                .map(|field| (field.name().to_owned(), Value::Null)),
        );
    }
    let mut first = true;
    while let Some(name) = reader.next_member(first)? {
        first = false;
        match fields
            .binary_search_by(|field| field.name().cmp(&name))
            .ok()
            .and_then(|index| fields.get(index))
        {
            Some(field) => {
                let value = read(reader, field.ty(), undefined)?;
                map.insert(name.into_owned(), value);
            }
            None if undefined == UnknownAttributes::Ignore => {
                reader.undefined(&name)?;
                reader.skip()?;
            }
            None => return Err(reader.undefined_error(&name)),
        }
    }
    Ok(Value::Map(map))
}

/// An object with exactly `type` and `value`, in either order.
fn read_dynamic(
    reader: &mut Reader<'_>,
    kind: Kind,
    undefined: UnknownAttributes,
) -> Result<Value> {
    const WANTED: &str = "a dynamic value is an object with exactly the members `type` and `value`";
    let start = reader.position();
    let refuse = || DecodeError::new(Problem::Content(DecodeErrorKind::BadDynamic, WANTED), start);
    if kind != Kind::Object {
        return Err(refuse());
    }
    reader.open_object()?;
    let (mut ty, mut value_at, mut first) = (None, None, true);
    while let Some(name) = reader.next_member(first)? {
        first = false;
        reader.peek()?;
        let begins = reader.position();
        match &*name {
            "type" => {
                reader.skip()?;
                let notation = reader
                    .text()
                    .get(begins..reader.position())
                    .unwrap_or_default();
                // The notation's own error is not shown, because it quotes stored content.
                let problem = Problem::Content(
                    DecodeErrorKind::BadDynamic,
                    "the `type` of a dynamic value is not in the notation of types",
                );
                ty = Some(Type::parse(notation).map_err(|_| DecodeError::new(problem, begins))?);
            }
            "value" => {
                value_at = Some(reader.mark());
                reader.skip()?;
            }
            _ => return Err(refuse()),
        }
    }
    let (Some(ty), Some(value_at)) = (ty, value_at) else {
        return Err(refuse());
    };
    let end = reader.mark();
    reader.rewind(value_at);
    let value = read(reader, &ty, undefined)?;
    reader.rewind(end);
    Ok(Value::Dynamic(Box::new((ty, value))))
}
