//! The values that a field takes inside of its own: null, keys and scalars of which the type of an
//! attribute does not tell.

use std::collections::BTreeMap;

use upstate_words::lock::{OWN, step};

use super::table::{Stored, StoredRows};
use super::{Attribute, Holds, Taken, Takes};

/// The values that a field takes at a position inside of its own.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Inside {
    /// Null, besides others.
    Null,
    /// These, and not all of their type.
    Taken(Taken),
}

impl Attribute {
    /// The values that the attribute's field takes inside of its own, by position: `[*]` for
    /// elements, `[0]` for those of a tuple, names for members and variants. Null has `?` after its
    /// position, and keys of a map have `[key]`. It has no scalars that [`taken`](Self::taken)
    /// tells of, and nothing of objects whose members are attributes.
    #[doc(hidden)]
    pub fn taken_inside(&self) -> BTreeMap<String, Inside> {
        let mut walk = Walk {
            found: BTreeMap::new(),
            has_attributes: false,
        };
        if let Some(info) = self.aside().info {
            walk.has_attributes = info.objects().is_some();
            walk.values((&info.stored, &info.holds), "", (true, false));
        }
        walk.found
    }
}

struct Walk {
    found: BTreeMap<String, Inside>,
    /// True if the members of objects are attributes.
    has_attributes: bool,
}

impl Walk {
    /// Adds what is inside of values at a position. Those that are the field's own, or elements of
    /// it, are known by the attribute. Of those of an author's own type, only null is known: its
    /// function is given it.
    fn values(
        &mut self,
        (stored, holds): (&Stored, &Holds),
        at: &str,
        (is_known, is_own): (bool, bool),
    ) {
        let is_nullable = holds.nullable;
        let (mut holds, mut is_own) = (holds, is_own);
        while let Some(given) = holds.given {
            (holds, is_own) = (given, true);
        }
        // No fact, because null is among the values of such a type; beside dynamic ones, because
        // locks have none.
        let is_any = matches!(stored, Stored::Json | Stored::Dynamic | Stored::Tuple([]));
        if is_nullable && !at.is_empty() && !is_any {
            self.found.insert(format!("{at}?"), Inside::Null);
        }
        if let Some(taken) = holds.keys.and_then(limited).filter(|_| !is_own) {
            self.found
                .insert(format!("{at}[key]"), Inside::Taken(taken));
        }
        match stored {
            Stored::List(element) | Stored::Set(element) | Stored::Map(element) => {
                if let Some(elements) = holds.elements {
                    self.values((element, elements), &format!("{at}[*]"), (is_known, is_own));
                }
            }
            Stored::Tuple(elements) => {
                let Takes::Tuples(all) = holds.takes else {
                    return;
                };
                for (index, (element, holds)) in elements.iter().zip(all).enumerate() {
                    self.values((element, holds), &format!("{at}[{index}]"), (false, is_own));
                }
            }
            Stored::Object(table) => {
                if self.has_attributes {
                    return;
                }
                let mut rows = StoredRows::of(table);
                while let Some(row) = rows.next() {
                    self.values(
                        (&row.info.stored, &row.info.holds),
                        &step(at, row.name),
                        (false, false),
                    );
                }
            }
            Stored::Union(union) => {
                for variant in union.variants {
                    self.values(
                        (&variant.info.stored, &variant.info.holds),
                        &step(at, variant.name),
                        (false, false),
                    );
                }
            }
            Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic | Stored::Json => {
                if let Some(taken) = limited(holds).filter(|_| !is_known && !is_own) {
                    self.found.insert(at.to_owned(), Inside::Taken(taken));
                }
            }
        }
    }
}

/// The values that are taken, if not all; nothing of what only an author's own type knows.
fn limited(holds: &Holds) -> Option<Taken> {
    holds
        .taken()
        .filter(|taken| !matches!(taken, Taken::Format(OWN)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::Object as _;

    #[derive(Debug, upstate::Document)]
    #[allow(dead_code)]
    struct Boat {
        berths: Vec<Option<Berth>>,
        crew: BTreeMap<u16, Option<u8>>,
        hull: Hull,
        ids: BTreeMap<i128, bool>,
        marks: Vec<(i8, Option<f64>)>,
        names: Vec<Vec<Berth>>,
        notes: BTreeMap<String, serde_json::Value>,
        open: BTreeMap<bool, Vec<String>>,
        places: (i128, usize, std::num::NonZeroU8, Option<u128>),
        size: u8,
    }

    #[derive(Debug, upstate::Document)]
    struct Berth {
        depth: u32,
        code: Option<String>,
    }

    #[derive(Debug, upstate::Union)]
    #[allow(dead_code)]
    enum Hull {
        Steel,
        Wood { age: u8 },
    }

    #[test]
    fn null_keys_and_scalars_inside_of_others_are_found() {
        let found: Vec<String> = Boat::TABLE
            .schema()
            .block()
            .attributes()
            .iter()
            .flat_map(|attribute| {
                attribute
                    .taken_inside()
                    .into_keys()
                    .map(|at| format!("{} {at}", attribute.name()))
            })
            .collect();
        assert_eq!(
            found,
            [
                "berths [*]?",
                "crew [*]?",
                "crew [key]",
                "hull Wood.age",
                "ids [key]",
                "marks [*][0]",
                "marks [*][1]?",
                "names [*][*].code?",
                "names [*][*].depth",
                "open [key]",
                "places [0]",
                "places [1]",
                "places [2]",
                "places [3]",
                "places [3]?",
            ]
        );
    }
}
