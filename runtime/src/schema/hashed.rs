//! Types as numbers.

// Everything here runs in the compiler, which reports a wrong index itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::{Type, constant};
use crate::hash::{Hash, code, key};

impl Hash {
    /// A type, whole.
    pub(crate) const fn ty(self, ty: &Type) -> Self {
        match ty {
            Type::Bool => self.word(code::BOOL),
            Type::String => self.word(code::STRING),
            Type::Number => self.word(code::NUMBER),
            Type::Dynamic => self.word(code::DYNAMIC),
            Type::List(element) => self.word(code::LIST).ty(constant(element)),
            Type::Set(element) => self.word(code::SET).ty(constant(element)),
            Type::Map(element) => self.word(code::MAP).ty(constant(element)),
            Type::Tuple(elements) => {
                let elements = constant(elements);
                let mut hash = self.word(code::TUPLE).word(elements.len() as u64);
                let mut index = 0;
                while index < elements.len() {
                    hash = hash.ty(constant(&elements[index]));
                    index += 1;
                }
                hash
            }
            Type::Object(fields) => {
                let fields = constant(fields);
                let mut hash = self.word(code::OBJECT).word(fields.len() as u64);
                let mut index = 0;
                while index < fields.len() {
                    let Some((name, ty)) = fields[index].constant_parts() else { return self };
                    hash = hash.word(key(name)).ty(ty);
                    index += 1;
                }
                hash
            }
        }
    }
}
