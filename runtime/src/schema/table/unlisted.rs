//! The parts of a document's form that rows do not show: flattened enums and maps, which have no
//! name, the other names that fields and variants are read by, and variants that are stored without
//! their names. The lock remembers them.
//!
//! Each has a number, because const evaluation has neither lists nor closures.

use upstate_words::lock::OTHERS;

use super::{Flattened, Stored, Table, TypeInfo};
use crate::message::{Message, iterate};

/// One of them, with a path as a lock writes it.
pub(crate) enum Unlisted {
    /// A flattened enum or map.
    Flattened {
        /// The object that holds it; empty for the document itself.
        path: Message,
        values: &'static TypeInfo,
        is_optional: bool,
        is_hidden: bool,
    },
    /// Another name.
    Alias {
        /// The field or variant that is read by it; of [`OTHERS`], what holds the enum.
        path: Message,
        name: &'static str,
    },
    /// A variant that is stored without its name in an enum whose others have a tag.
    Untagged {
        /// The field that holds the enum.
        path: Message,
        name: &'static str,
    },
}

/// The way down to an object. A path is made of it where one is asked for, so that going down costs
/// little.
struct Way<'w> {
    above: Option<&'w Way<'w>>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    Named(&'static str),
    /// Into the values of a flattened enum or map.
    Flattened,
}

impl Way<'_> {
    const fn path(&self) -> Message {
        let above = path_of(self.above);
        match self.step {
            Step::Named(name) => above.step(name),
            Step::Flattened => above.step_into_flattened(),
        }
    }
}

const fn path_of(way: Option<&Way<'_>>) -> Message {
    match way {
        Some(way) => way.path(),
        None => Message::new(),
    }
}

/// One of them, or how many are left to go past.
#[expect(clippy::large_enum_variant, reason = "const evaluation has no boxes")]
enum Search {
    Found(Unlisted),
    Left(usize),
}

impl Table {
    /// Those of a struct, and of all that is in it, one after another; nothing at a number that is
    /// too large.
    pub(crate) const fn unlisted(&'static self, index: usize) -> Option<Unlisted> {
        match of_table(self, None, false, index) {
            Search::Found(found) => Some(found),
            Search::Left(_) => None,
        }
    }
}

const fn of_table(
    table: &'static Table,
    way: Option<&Way<'_>>,
    is_optional: bool,
    left: usize,
) -> Search {
    let (mut left, mut index) = (left, 0);
    while let Some((name, field)) = table.alias(index) {
        index += 1;
        let Some(field) = field else { continue };
        if left == 0 {
            return Search::Found(Unlisted::Alias {
                path: path_of(way).step(field),
                name,
            });
        }
        left -= 1;
    }
    iterate!(field in table.flattened => {
        match of_field(field, way, is_optional, left) {
            Search::Left(others) => left = others,
            found @ Search::Found(_) => return found,
        }
    });
    iterate!(row in table.rows => {
        match inside(
            &row.info.stored,
            Some(&Way {
                above: way,
                step: Step::Named(row.name),
            }),
            left,
        ) {
            Search::Left(others) => left = others,
            found @ Search::Found(_) => return found,
        }
    });
    Search::Left(left)
}

const fn of_field(
    field: &'static Flattened,
    way: Option<&Way<'_>>,
    is_optional: bool,
    left: usize,
) -> Search {
    let is_optional = is_optional || field.is_optional();
    match (field.table(), field.values()) {
        (Some(table), _) => of_table(table, way, is_optional, left),
        (None, Some(values)) if left == 0 => {
            let is_hidden = field.hides_values();
            Search::Found(Unlisted::Flattened {
                path: path_of(way),
                values,
                is_optional,
                is_hidden,
            })
        }
        (None, Some(values)) => inside(
            &values.stored,
            Some(&Way {
                above: way,
                step: Step::Flattened,
            }),
            left - 1,
        ),
        (None, None) => Search::Left(left),
    }
}

/// Those of the objects that values are, or hold.
const fn inside(stored: &'static Stored, way: Option<&Way<'_>>, left: usize) -> Search {
    match stored {
        Stored::List(element) | Stored::Set(element) | Stored::Map(element) => {
            inside(element, way, left)
        }
        Stored::Object(table) => of_table(table, way, false, left),
        Stored::Tuple(elements) => {
            let mut left = left;
            iterate!(element in elements => {
                match inside(element, way, left) {
                    Search::Left(others) => left = others,
                    found @ Search::Found(_) => return found,
                }
            });
            Search::Left(left)
        }
        Stored::Union(union) => {
            let mut left = left;
            if union.other.is_some() {
                if left == 0 {
                    return Search::Found(Unlisted::Alias {
                        path: path_of(way),
                        name: OTHERS,
                    });
                }
                left -= 1;
            }
            iterate!(variant in union.variants => {
                if variant.is_untagged {
                    if left == 0 {
                        return Search::Found(Unlisted::Untagged {
                            path: path_of(way),
                            name: variant.name,
                        });
                    }
                    left -= 1;
                }
                let way = Way {
                    above: way,
                    step: Step::Named(variant.name),
                };
                iterate!(name in variant.aliases => {
                    if left == 0 {
                        return Search::Found(Unlisted::Alias {
                            path: way.path(),
                            name,
                        });
                    }
                    left -= 1;
                });
                match inside(&variant.info.stored, Some(&way), left) {
                    Search::Left(others) => left = others,
                    found @ Search::Found(_) => return found,
                }
            });
            Search::Left(left)
        }
        Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic | Stored::Json => {
            Search::Left(left)
        }
    }
}
