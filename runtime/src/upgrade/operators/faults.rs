//! Faults: what the fields of a model do not take in a document, though its schema does. Looked for
//! only once an upgrade has failed.

use std::collections::BTreeMap;

use crate::codec::json::{Kind, Mark, Reader};
use crate::codec::{AttributeType, DecodeError, DecodeErrorKind, Problem, scalar};
use crate::message::iterate;
use crate::schema::table::Table;
use crate::schema::{
    Attribute, Holds, Members, NestedBlock, Nesting, Presence, Schema, Shape, Takes, Type,
};

type Result<T> = std::result::Result<T, DecodeError>;

/// All of it, in the order in which the model would read; each with its path, as far as that may be
/// shown. `exact` for numbers and kinds as strict documents have them. A path is found as its fault
/// is asked for, because that reads the text from its beginning.
pub(in crate::upgrade) fn faults(
    text: &str,
    schema: &Schema,
    exact: bool,
) -> impl ExactSizeIterator<Item = DecodeError> {
    let members = schema.block().members();
    let mut faults = Faults {
        in_document: schema.is_document(),
        found: Vec::new(),
    };
    let mut reader = Reader::new(text);
    if exact {
        reader.read_exactly();
    }
    // A document that cannot be read as JSON of the schema is refused before.
    let _ = object(&mut reader, members, &mut faults);
    faults.found.into_iter().map(move |error| {
        error
            .located_in(text, &|steps| members.container_at(steps))
            .redacted(members)
    })
}

/// The faults found so far.
struct Faults {
    /// A document's members may be absent by other rules than a state's.
    in_document: bool,
    found: Vec<DecodeError>,
}

fn object(reader: &mut Reader<'_>, members: Members<'_>, faults: &mut Faults) -> Result<()> {
    if reader.peek()? != Kind::Object {
        return Ok(());
    }
    let begins = reader.position();
    let starts = starts(reader)?;
    let attributes = members
        .attributes
        .iter()
        .filter(|attribute| !attribute.is_write_only());
    let wanted: BTreeMap<&str, &Attribute> = attributes
        .map(|attribute| (attribute.name(), attribute))
        .collect();
    let mut names: Vec<&str> = wanted
        .keys()
        .copied()
        .chain(members.blocks.iter().map(NestedBlock::name))
        .collect();
    names.sort_unstable();
    for name in names {
        let start = starts.get(name);
        if let Some(start) = start {
            reader.rewind(*start);
        }
        match (wanted.get(name), start) {
            (Some(attribute), _) if attribute.aside().holds.lenient => {}
            (Some(attribute), Some(_)) => {
                let holds = &attribute.aside().holds;
                match attribute.shape() {
                    Shape::Plain(ty) => plain(reader, holds, ty, faults)?,
                    Shape::Nested(nested) => {
                        arranged(reader, holds, nested.members(), nested.nesting(), faults)?;
                    }
                }
            }
            (Some(attribute), None) if is_needed(attribute, faults.in_document) => {
                faults.found.push(DecodeError::missing(name, begins));
            }
            (Some(_), None) => {}
            (None, start) => {
                let block = members
                    .blocks
                    .iter()
                    .find(|block| block.name() == name)
                    .filter(|_| start.is_some());
                if let Some(block) = block.filter(|block| !block.aside().holds.lenient) {
                    let (members, any) = (block.block().members(), Holds::ANYTHING.or_null());
                    arranged(reader, &any, members, block.nesting(), faults)?;
                }
            }
        }
    }
    Ok(())
}

/// True if an object without this member does not fit. In a document, a member may be absent if it
/// has a default, or is of a part that may be.
pub(in crate::upgrade) fn is_needed(attribute: &Attribute, in_document: bool) -> bool {
    let may_be_absent =
        in_document && (attribute.presence() != Presence::Required || attribute.is_filled_in());
    !attribute.is_nullable() && !may_be_absent
}

/// The mark at which the value of each member begins; of a repeated name the last one counts.
fn starts(reader: &mut Reader<'_>) -> Result<BTreeMap<String, Mark>> {
    let mut starts = BTreeMap::new();
    reader.open_object()?;
    while let Some(name) = reader.next_member(starts.is_empty())? {
        let name = name.into_owned();
        reader.peek()?;
        starts.insert(name, reader.mark());
        reader.skip()?;
    }
    Ok(starts)
}

/// Does something at each element of an array, or entry of an object.
fn each(
    reader: &mut Reader<'_>,
    mut look: impl FnMut(&mut Reader<'_>, usize) -> Result<()>,
) -> Result<()> {
    let kind = reader.peek()?;
    let starts: Vec<Mark> = match kind {
        Kind::Object => starts(reader)?.into_values().collect(),
        Kind::Array => {
            let mut starts = Vec::new();
            reader.open_array()?;
            while reader.next_element(starts.is_empty())? {
                reader.peek()?;
                starts.push(reader.mark());
                reader.skip()?;
            }
            starts
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => Vec::new(),
    };
    for (index, start) in starts.into_iter().enumerate() {
        reader.rewind(start);
        look(reader, index)?;
    }
    Ok(())
}

/// True if null is there; notes it if that is not taken.
fn is_null(reader: &mut Reader<'_>, holds: &Holds, faults: &mut Faults) -> Result<bool> {
    let null = reader.peek()? == Kind::Null;
    if null && !holds.nullable {
        faults.found.push(reader.error(Problem::Null));
    }
    Ok(null)
}

fn arranged(
    reader: &mut Reader<'_>,
    holds: &Holds,
    members: Members<'_>,
    nesting: Nesting,
    faults: &mut Faults,
) -> Result<()> {
    if is_null(reader, holds, faults)? {
        return Ok(());
    }
    if nesting == Nesting::Single {
        return object(reader, members, faults);
    }
    let element = holds.elements.unwrap_or(&Holds::ANYTHING);
    each(reader, |reader, _| {
        if is_null(reader, element, faults)? {
            Ok(())
        } else {
            object(reader, members, faults)
        }
    })
}

fn plain(reader: &mut Reader<'_>, holds: &Holds, ty: &Type, faults: &mut Faults) -> Result<()> {
    if holds.lenient || is_null(reader, holds, faults)? {
        return Ok(());
    }
    match (ty, holds.takes, holds.elements) {
        (Type::List(ty) | Type::Set(ty) | Type::Map(ty), _, Some(element)) => {
            each(reader, |reader, _| plain(reader, element, ty, faults))
        }
        (Type::Tuple(types), Takes::Tuples(elements), _) => each(reader, |reader, index| {
            let (Some(ty), Some(element)) = (types.get(index), elements.get(index)) else {
                return Ok(());
            };
            plain(reader, element, ty, faults)
        }),
        (Type::Number | Type::String, ..) => {
            faults.found.extend(scalar_taken(reader, holds.takes).err());
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Checks that a scalar is one of those that are taken, by the decoders of the Rust types behind
/// it.
pub(in crate::upgrade) fn scalar_taken(reader: &mut Reader<'_>, takes: Takes) -> Result<()> {
    fn int<T: AttributeType>(reader: &mut Reader<'_>) -> Result<()> {
        T::decode(reader).map(drop)
    }
    match takes {
        Takes::Floats => int::<f64>(reader),
        Takes::Texts(texts) => {
            let start = reader.position();
            let text = scalar::text(reader)?;
            if texts.contains(&&*text) {
                return Ok(());
            }
            let problem = Problem::Text(DecodeErrorKind::BadText, crate::codec::none_of(texts));
            Err(DecodeError::new(problem, start))
        }
        Takes::Integers { min, max } => {
            let range = |low: i128, high: i128| min == low && max == high;
            match () {
                () if range(i8::MIN.into(), i8::MAX.into()) => int::<i8>(reader),
                () if range(i16::MIN.into(), i16::MAX.into()) => int::<i16>(reader),
                () if range(i32::MIN.into(), i32::MAX.into()) => int::<i32>(reader),
                () if range(0, u8::MAX.into()) => int::<u8>(reader),
                () if range(0, u16::MAX.into()) => int::<u16>(reader),
                () if range(0, u32::MAX.into()) => int::<u32>(reader),
                () if range(0, u64::MAX.into()) => int::<u64>(reader),
                () => int::<i64>(reader),
            }
        }
        Takes::Anything | Takes::OwnType | Takes::Objects(_) | Takes::Tuples(_) => Ok(()),
    }
}

/// True if only the model's own code can say which values some of its fields take.
pub(in crate::upgrade) const fn has_own_types(table: &'static Table) -> bool {
    iterate!(row in table.rows => {
        let inner = match row.info.objects() {
            Some((inner, _)) => has_own_types(inner),
            None => false,
        };
        if inner || is_own(&row.info.holds) {
            return true;
        }
    });
    false
}

const fn is_own(holds: &Holds) -> bool {
    if matches!(holds.takes, Takes::OwnType) {
        return true;
    }
    match holds.elements {
        Some(elements) => is_own(elements),
        None => false,
    }
}
