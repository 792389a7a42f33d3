//! The fingerprint of a schema as data: the number that the compiler computes of the same schema as a constant.

use upstate::__internal::{Hash, code, key};

use crate::snapshot::{AttributeSnapshot, BlockSnapshot, Mode, ResourceSnapshot};
use crate::stored_type::StoredType;

/// The fingerprint of a resource's stored shape, as sixteen hexadecimal digits.
pub(crate) fn fingerprint_of(resource: &ResourceSnapshot) -> String {
    format!("{:016x}", members(Hash::new(), &resource.attributes, &resource.blocks).finish())
}

fn members<'s>(
    mut hash: Hash,
    attributes: impl IntoIterator<Item = (&'s String, &'s AttributeSnapshot)>,
    blocks: impl IntoIterator<Item = (&'s String, &'s BlockSnapshot)>,
) -> Hash {
    for (name, attribute) in attributes {
        let null = match attribute.nullable {
            Some(true) => code::NULL,
            Some(false) => 0,
            None => code::UNKNOWN_NULL,
        };
        let facts = code::MEMBER | null | if attribute.write_only { code::WRITE_ONLY } else { 0 };
        hash = match (&attribute.nested, &attribute.ty) {
            (Some(nested), _) => {
                let hash = hash.member(key(name), facts | code::NESTED, mode_code(nested.mode));
                members(hash, &nested.attributes, [])
            }
            (None, ty) => {
                let ty = ty.as_ref().unwrap_or(&StoredType::Dynamic);
                let own = code_of(ty);
                let hash = hash.member(key(name), facts, own);
                if own == 0 { whole(hash, ty) } else { hash }
            }
        };
    }
    for (name, block) in blocks {
        let start = hash.member(key(name), code::MEMBER | code::BLOCK, mode_code(block.mode));
        hash = members(start, &block.attributes, &block.blocks);
    }
    hash.word(code::END)
}

/// A type, whole.
fn whole(hash: Hash, ty: &StoredType) -> Hash {
    match ty {
        StoredType::Bool => hash.word(code::BOOL),
        StoredType::String => hash.word(code::STRING),
        StoredType::Number => hash.word(code::NUMBER),
        StoredType::Int64 => hash.word(code::INT64),
        StoredType::Float64 => hash.word(code::FLOAT64),
        StoredType::Dynamic => hash.word(code::DYNAMIC),
        StoredType::List(element) => whole(hash.word(code::LIST), element),
        StoredType::Set(element) => whole(hash.word(code::SET), element),
        StoredType::Map(element) => whole(hash.word(code::MAP), element),
        StoredType::Tuple(elements) => elements.iter().fold(hash.word(code::TUPLE).word(elements.len() as u64), whole),
        StoredType::Object(members, _) => {
            let start = hash.word(code::OBJECT).word(members.len() as u64);
            members.iter().fold(start, |hash, (name, ty)| whole(hash.word(key(name)), ty))
        }
    }
}

/// The code of a type, if it has one for itself; otherwise 0, and the type follows.
fn code_of(ty: &StoredType) -> u64 {
    match ty {
        StoredType::Bool => code::BOOL,
        StoredType::String => code::STRING,
        StoredType::Number => code::NUMBER,
        StoredType::Int64 => code::INT64,
        StoredType::Float64 => code::FLOAT64,
        StoredType::Dynamic => code::DYNAMIC,
        StoredType::List(element) if **element == StoredType::String => code::LIST_OF_STRINGS,
        StoredType::Set(element) if **element == StoredType::String => code::SET_OF_STRINGS,
        StoredType::Map(element) if **element == StoredType::String => code::MAP_OF_STRINGS,
        StoredType::List(_) | StoredType::Set(_) | StoredType::Map(_) | StoredType::Tuple(_) | StoredType::Object(..) => 0,
    }
}

fn mode_code(mode: Mode) -> u64 {
    match mode {
        Mode::Single => code::OBJECT,
        Mode::List => code::LIST,
        Mode::Set => code::SET,
        Mode::Map => code::MAP,
    }
}
