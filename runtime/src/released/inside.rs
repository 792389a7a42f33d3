//! Null, keys and scalars inside of other values: under a released version, none that was stored
//! may go.
//!
//! The lock has a fact for each, by its path. Where it has none, nothing is known, but of keys: the
//! derive adds an empty fact about those of each map that took any string.

// Indexing is allowed, because everything here runs in the compiler, which reports a wrong index
// itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use upstate_words::lock::{OWN, is_plain, is_within};

use super::locked::{Locked, entries, up_to};
use super::text::{contains, equal, starts_with};
use super::values;
use crate::message::{Message, iterate, same};
use crate::schema::table::{Stored, Table, UnionTable, Unlisted, VariantRow};
use crate::schema::{Holds, IntegerRange, Takes};

/// One of the lock's facts.
#[derive(Clone, Copy)]
struct Fact<'l> {
    locked: &'l Locked,
    path: &'l [u8],
    took: &'l [u8],
}

/// The first fact whose values the model does not read, as a sentence; of one field, or of any.
pub(super) const fn difference(
    table: &'static Table,
    locked: &Locked,
    field: Option<&str>,
) -> Option<Message> {
    entries!(path, took in locked.inside => {
        let fact = Fact { locked, path, took };
        // First, because the check of each field comes here.
        if let Some(field) = field
            && after(path, field).is_none()
        {
            continue;
        }
        let lost = lost(table, locked, fact);
        if lost.is_some() {
            return lost;
        }
    });
    None
}

/// The number of facts whose values the model does not read.
pub(super) const fn count(table: &'static Table, locked: &Locked) -> usize {
    let mut count = 0;
    entries!(path, took in locked.inside => {
        if lost(table, locked, Fact { locked, path, took }).is_some() {
            count += 1;
        }
    });
    count
}

/// The sentence about the values of a fact, if the model does not read them.
const fn lost(table: &'static Table, locked: &Locked, fact: Fact<'_>) -> Option<Message> {
    let found = if is_flattened(fact.path) {
        flattened(table, locked, fact)
    } else {
        members(table, fact.path, fact, true)
    };
    found.lost
}

/// True if a path leads through a flattened enum or map.
const fn is_flattened(path: &[u8]) -> bool {
    let (mut index, mut quoted, mut begins) = (0, false, true);
    while index < path.len() {
        match path[index] {
            b'*' if begins => return true,
            b'\\' if quoted => index += 1,
            b'"' => quoted = !quoted,
            _ => {}
        }
        begins = !quoted && index < path.len() && path[index] == b'.';
        index += 1;
    }
    false
}

/// The answer of values of today to a fact.
struct Answer {
    /// True if they are there.
    is_known: bool,
    /// The sentence about values that they do not take; nothing, too, where it is not known what
    /// they take.
    lost: Option<Message>,
}

impl Answer {
    const UNKNOWN: Self = Self {
        is_known: false,
        lost: None,
    };

    const fn known(lost: Option<Message>) -> Self {
        Self {
            is_known: true,
            lost,
        }
    }
}

/// The answer of flattened enums and maps. Several enums of an object may have a variant of one
/// name, and the lock does not say of which of them a fact is, so that as many have to take the
/// values as there are facts of these values and of more.
const fn flattened(table: &'static Table, locked: &Locked, fact: Fact<'_>) -> Answer {
    let (mut index, mut answer) = (0, Answer::UNKNOWN);
    let mut missing = of_as_many(locked, fact);
    while let Some(one) = table.unlisted(index) {
        index += 1;
        let Unlisted::Flattened { path, values, .. } = one else {
            continue;
        };
        let path = path.step_into_flattened();
        if starts_with(fact.path, path.bytes()) {
            let rest = fact.path.split_at(path.len()).1;
            let found = part(Values::of(&values.stored, &values.holds), rest, fact);
            if found.is_known && found.lost.is_none() {
                missing -= 1;
                if missing == 0 {
                    return found;
                }
            } else if !answer.is_known {
                answer = found;
            }
        }
    }
    answer
}

/// The number of facts at the path of a fact that have all of its values: it, and others of as many
/// or more.
const fn of_as_many(locked: &Locked, fact: Fact<'_>) -> usize {
    let mut count = 0;
    entries!(path, took in locked.inside => {
        let has_all = match (
            IntegerRange::of_type(took),
            IntegerRange::of_type(fact.took),
        ) {
            (Some(these), Some(range)) => range.is_within(these),
            _ => took.is_empty() || equal(took, fact.took),
        };
        if has_all && equal(path, fact.path) {
            count += 1;
        }
    });
    count
}

/// The answer of the member that `rest` of the path begins with. Members of nested objects that
/// have lines are there without positions.
const fn members(table: &'static Table, rest: &[u8], fact: Fact<'_>, have_lines: bool) -> Answer {
    let (mut index, len) = (0, table.stored_len());
    while index < len {
        let (row, _) = table.any_row(index);
        index += 1;
        let Some(behind) = after(rest, row.name) else {
            continue;
        };
        return match (row.info.objects(), behind) {
            (Some((inner, _)), [b'.', behind @ ..]) if have_lines => {
                members(inner, behind, fact, true)
            }
            _ => part(Values::of(&row.info.stored, &row.info.holds), behind, fact),
        };
    }
    Answer::UNKNOWN
}

/// Values of today.
#[derive(Clone, Copy)]
struct Values {
    stored: &'static Stored,
    /// The values that are taken; where an author's own type takes them, those that its function is
    /// given.
    holds: &'static Holds,
    nullable: bool,
    /// True if an author's own type takes them, so that of all but null nothing is known.
    are_own: bool,
}

impl Values {
    const fn of(stored: &'static Stored, holds: &'static Holds) -> Self {
        Self {
            stored,
            holds,
            nullable: holds.nullable,
            are_own: false,
        }
        .given()
    }

    const fn of_variant(variant: &'static VariantRow) -> Self {
        Self::of(&variant.info.stored, &variant.info.holds)
    }

    /// Values inside of these.
    const fn inside(self, stored: &'static Stored, holds: &'static Holds) -> Self {
        Self {
            stored,
            holds,
            nullable: holds.nullable,
            ..self
        }
        .given()
    }

    const fn given(mut self) -> Self {
        while let Some(given) = self.holds.given {
            self.holds = given;
            self.are_own = true;
        }
        self
    }
}

/// The answer of values, from where `rest` of the path goes on. What is not there is reported
/// elsewhere.
const fn part(values: Values, rest: &[u8], fact: Fact<'_>) -> Answer {
    let Values {
        stored,
        holds,
        nullable,
        are_own,
    } = values;
    match rest {
        [] if are_own => Answer::known(None),
        [] => match stored {
            Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic | Stored::Json => {
                narrowed(holds, fact)
            }
            Stored::List(_)
            | Stored::Set(_)
            | Stored::Map(_)
            | Stored::Tuple(_)
            | Stored::Object(_)
            | Stored::Union(_) => Answer::UNKNOWN,
        },
        // Null is among the values of these; that they are of another type than they were is
        // reported elsewhere.
        [b'?'] if nullable || matches!(stored, Stored::Json | Stored::Dynamic) => {
            Answer::known(None)
        }
        [b'?'] => {
            let path = fact.path.split_at(fact.path.len() - 1).0;
            Answer::known(Some(
                Message::new()
                    .text("`")
                    .raw(path)
                    .text("` no longer takes null"),
            ))
        }
        [b'[', b'k', b'e', b'y', b']'] => match holds.keys {
            Some(keys) if !are_own => narrowed(keys, fact),
            // No range is known, because the keys are any strings or of an author's own type.
            Some(_) | None if matches!(stored, Stored::Map(_)) => Answer::known(None),
            Some(_) | None => Answer::UNKNOWN,
        },
        [b'[', b'*', b']', rest @ ..] => match (stored.element(), holds.elements) {
            (Some(element), Some(elements)) => part(values.inside(element, elements), rest, fact),
            (None, _) | (_, None) => Answer::UNKNOWN,
        },
        [b'[', rest @ ..] => {
            let (Stored::Tuple(elements), Takes::Tuples(all)) = (stored, holds.takes) else {
                return Answer::UNKNOWN;
            };
            let (digits, rest) = up_to(rest, b']');
            let index = number(digits);
            let is_there = index < elements.len() && index < all.len();
            if is_there {
                part(values.inside(elements[index], all[index]), rest, fact)
            } else {
                Answer::UNKNOWN
            }
        }
        [b'.', rest @ ..] => match stored {
            Stored::Object(table) => members(table, rest, fact, false),
            Stored::Union(union) => {
                iterate!((index, variant) in union.variants => {
                    if let Some(rest) = after(rest, variant.name) {
                        let answer = part(Values::of_variant(variant), rest, fact);
                        if answer.is_known
                            && answer.lost.is_none()
                            && let Some(later) = taken_over(union, index, rest, fact)
                        {
                            return Answer::known(Some(
                                Message::new()
                                    .text("`")
                                    .raw(fact.path)
                                    .text("` takes values now that were read as the variant ")
                                    .json(later),
                            ));
                        }
                        return answer;
                    }
                });
                Answer::UNKNOWN
            }
            Stored::Bool
            | Stored::String
            | Stored::Number
            | Stored::Dynamic
            | Stored::Json
            | Stored::List(_)
            | Stored::Set(_)
            | Stored::Map(_)
            | Stored::Tuple(_) => Answer::UNKNOWN,
        },
        _ => Answer::UNKNOWN,
    }
}

/// The first variant behind another whose values that one takes now, and did not take: of those
/// without a tag the first that fits is read. Of one whose name the lock lacks nothing was stored.
const fn taken_over(
    union: &'static UnionTable,
    index: usize,
    rest: &[u8],
    fact: Fact<'_>,
) -> Option<&'static str> {
    let earlier = &union.variants[index];
    let has_no_tags = same(union.tagging, "untagged");
    if !has_no_tags && !earlier.is_untagged {
        return None;
    }
    let Some(mine) = scalar(Values::of_variant(earlier), rest) else {
        return None;
    };
    let mut next = index + 1;
    while next < union.variants.len() {
        let later = &union.variants[next];
        next += 1;
        if (has_no_tags || later.is_untagged)
            && let Some(theirs) = scalar(Values::of_variant(later), rest)
            && gains_from(mine, theirs, fact.took)
            && may_have_had(fact.locked, later.name)
            && !needs_more(&earlier.info.stored, &later.info.stored)
        {
            return Some(later.name);
        }
    }
    None
}

/// True if an object must have a member that no object of the other kind has.
const fn needs_more(mine: &'static Stored, theirs: &'static Stored) -> bool {
    let (Stored::Object(mine), Stored::Object(theirs)) = (mine, theirs) else {
        return false;
    };
    // A part may have kept any member, and another name may be one that the other kind has.
    let keeps_others = match theirs.document {
        Some(document) => document.has_parts,
        None => true,
    };
    if keeps_others || mine.has_aliases() {
        return false;
    }
    // Without those of flattened structs, which have other names of their own.
    iterate!(row in mine.rows => {
        if row.must_be_there() && !has_row(theirs, row.name) {
            return true;
        }
    });
    false
}

const fn has_row(table: &'static Table, name: &str) -> bool {
    let mut index = 0;
    while index < table.stored_len() {
        if same(table.any_row(index).0.name, name) {
            return true;
        }
        index += 1;
    }
    false
}

/// True unless no enum of the lock has a variant of this name.
const fn may_have_had(locked: &Locked, name: &str) -> bool {
    let variant = Message::new().text("[").json(name).text(",");
    match locked.flattened {
        Some(flattened) => {
            contains(locked.lines, variant.bytes()) || contains(flattened, variant.bytes())
        }
        None => true,
    }
}

/// The values that `rest` of a path leads to from others; nothing for null and keys.
const fn scalar(values: Values, rest: &[u8]) -> Option<Values> {
    match rest {
        [] => Some(values),
        [b'[', b'k', b'e', b'y', b']'] => None,
        [b'[', b'*', b']', rest @ ..] => match (values.stored.element(), values.holds.elements) {
            (Some(element), Some(elements)) => scalar(values.inside(element, elements), rest),
            (None, _) | (_, None) => None,
        },
        [b'[', rest @ ..] => {
            let (Stored::Tuple(elements), Takes::Tuples(all)) = (values.stored, values.holds.takes)
            else {
                return None;
            };
            let (digits, rest) = up_to(rest, b']');
            let index = number(digits);
            if index < elements.len() && index < all.len() {
                scalar(values.inside(elements[index], all[index]), rest)
            } else {
                None
            }
        }
        [b'.', rest @ ..] => {
            if let Stored::Object(table) = values.stored {
                let mut index = 0;
                while index < table.stored_len() {
                    let (row, _) = table.any_row(index);
                    index += 1;
                    if let Some(rest) = after(rest, row.name) {
                        return scalar(Values::of(&row.info.stored, &row.info.holds), rest);
                    }
                }
            }
            if let Stored::Union(union) = values.stored {
                iterate!(variant in union.variants => {
                    if let Some(rest) = after(rest, variant.name) {
                        return scalar(Values::of_variant(variant), rest);
                    }
                });
            }
            None
        }
        _ => None,
    }
}

/// True if one takes scalars that were not taken, and that may be among those of another.
const fn gains_from(mine: Values, theirs: Values, took: &[u8]) -> bool {
    let is_any = matches!(theirs.stored, Stored::Json | Stored::Dynamic);
    let is_comparable = is_any
        || matches!(
            (mine.stored, theirs.stored),
            (Stored::Number, Stored::Number) | (Stored::String, Stored::String)
        );
    // Because nothing is known of what an author's own type reads.
    if mine.are_own || took.is_empty() || equal(took, OWN.as_bytes()) || !is_comparable {
        return false;
    }
    let is_any = is_any || theirs.are_own;
    let (mine, theirs) = (mine.holds, theirs.holds);
    if values::is_all_of(mine, took) || !is_any && values::is_all_of(theirs, took) {
        return false;
    }
    if is_any {
        return true;
    }
    if let (Some(now), Some(others)) = (mine.range(), theirs.range()) {
        return match IntegerRange::of_type(took) {
            Some(before) => now.meets_outside_of(others, before),
            None => true,
        };
    }
    if let (Takes::Texts(now), Takes::Texts(others)) = (mine.takes, theirs.takes) {
        iterate!(text in now => {
            if values::has(others, text.as_bytes()) && !values::has_text(took, text) {
                return true;
            }
        });
        return false;
    }
    let (format, other) = (mine.format.as_bytes(), theirs.format.as_bytes());
    // No form is known to have one of a few strings.
    if matches!(mine.takes, Takes::Texts(_)) {
        return other.is_empty();
    }
    if matches!(theirs.takes, Takes::Texts(_)) {
        return format.is_empty();
    }
    format.is_empty() || other.is_empty() || is_within(format, other) || is_within(other, format)
}

const fn narrowed(holds: &Holds, fact: Fact<'_>) -> Answer {
    let path = Message::new().text("`").raw(fact.path).text("`");
    let lost = match (holds.takes, fact.took) {
        // Keys, because only their facts are empty. Those of 128 bits are not among them, because
        // older locks have no fact of theirs.
        (Takes::Integers { min, max }, []) => Some(
            path.text(" is read as ")
                .text(IntegerRange::new(min, max).name())
                .text(" now, and any string was stored"),
        ),
        (_, took) => values::narrowed(path, holds, took, true),
    };
    Answer::known(lost)
}

/// The part of a path behind its first step, if that is a name.
const fn after<'p>(path: &'p [u8], name: &str) -> Option<&'p [u8]> {
    let behind = if let [b'"', ..] = path {
        let step = Message::new().step(name);
        if !starts_with(path, step.bytes()) {
            return None;
        }
        path.split_at(step.len()).1
    } else {
        // The plain name is looked for last, because most names are other ones.
        if !starts_with(path, name.as_bytes()) || !is_plain(name.as_bytes()) {
            return None;
        }
        path.split_at(name.len()).1
    };
    match behind {
        [] | [b'.' | b'[' | b'?', ..] => Some(behind),
        _ => None,
    }
}

const fn number(digits: &[u8]) -> usize {
    let (mut number, mut rest) = (0, digits);
    while let [digit @ b'0'..=b'9', others @ ..] = rest {
        number = number * 10 + (*digit - b'0') as usize;
        rest = others;
    }
    number
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::codec::Object as _;
    use crate::{Document, Union};

    #[derive(Union, Debug)]
    enum Look {
        Plain,
        Dim { level: u8 },
    }

    #[derive(Document, Debug)]
    struct Side {
        depths: Vec<u16>,
        notes: Vec<String>,
    }

    /// A type whose function is given lists, of which some elements are null.
    #[derive(Debug)]
    struct Marks(Vec<Vec<Option<u8>>>);

    mod marks {
        use super::Marks;

        pub(super) fn read(stored: Vec<Vec<Option<u8>>>) -> Result<Marks, String> {
            if stored.len() > 9 {
                Err("there are too many".to_owned())
            } else {
                Ok(Marks(stored))
            }
        }

        pub(super) fn write(marks: &Marks) -> Vec<Vec<Option<u8>>> {
            marks.0.clone()
        }
    }

    #[derive(Document, Debug)]
    struct Shelf {
        boxes: BTreeMap<u16, Vec<String>>,
        ids: BTreeMap<i128, bool>,
        looks: Vec<Look>,
        #[attribute(with = marks)]
        marks: Marks,
        open: Vec<std::time::Duration>,
        pair: (u8, Option<String>),
        sides: Vec<Side>,
        sums: (i128, u128, usize, std::num::NonZeroU8),
        #[attribute(flatten)]
        sizes: BTreeMap<String, (i16, i16)>,
    }

    #[derive(Union, Debug)]
    #[union(tag = "place", content = "at")]
    enum Place {
        Away { far: Option<u16> },
        Back(BTreeMap<String, bool>),
    }

    #[derive(Union, Debug)]
    #[union(tag = "goal", content = "to")]
    enum Goal {
        Away { far: u8 },
        Back(BTreeMap<u8, bool>),
        Home { depth: u8 },
    }

    #[derive(Union, Debug)]
    #[union(untagged)]
    enum Size {
        Few { count: u16 },
        Many { count: u64 },
        Named { count: String },
    }

    #[derive(Union, Debug)]
    enum Part {
        Whole,
        #[attribute(untagged)]
        Few {
            parts: (bool, u16),
        },
        #[attribute(untagged)]
        Many {
            parts: (bool, u64),
        },
    }

    #[derive(Union, Debug)]
    #[union(untagged)]
    enum Pot {
        Owned {
            size: u16,
            owner: String,
        },
        Lent {
            size: u16,
            #[attribute(default)]
            until: String,
        },
        Many {
            size: u64,
        },
    }

    #[derive(Document, Debug)]
    struct Portion {
        #[attribute(alias = "amount")]
        share: u64,
    }

    #[derive(Document, Debug)]
    struct Sealed {
        size: u16,
        #[attribute(flatten)]
        portion: Portion,
    }

    #[derive(Union, Debug)]
    #[union(untagged)]
    enum Jar {
        Sealed(Sealed),
        Many { amount: u64, size: u64 },
    }

    #[derive(Document, Debug)]
    struct Kitchen {
        jars: Vec<Jar>,
        parts: Vec<Part>,
        pots: Vec<Pot>,
        sizes: Vec<Size>,
    }

    #[derive(Document, Debug)]
    struct Trip {
        #[attribute(flatten)]
        place: Place,
        #[attribute(flatten)]
        goal: Goal,
    }

    fn found_in(table: &'static Table, inside: &str, field: Option<&str>) -> Option<String> {
        found_beside("", table, inside, field)
    }

    /// The difference that is found where the lock has these lines.
    fn found_beside(
        lines: &str,
        table: &'static Table,
        inside: &str,
        field: Option<&str>,
    ) -> Option<String> {
        let text = format!("shelf\t0\tdocument\t0\t0\tforms\t\n\n\n\n\n\n\n{inside}\n{lines}");
        let found = difference(
            table,
            &Locked::read(Box::leak(text.into_boxed_str())),
            field,
        );
        found.map(|message| message.as_str().to_owned())
    }

    fn found(inside: &str, field: Option<&str>) -> Option<String> {
        found_in(Shelf::TABLE, inside, field)
    }

    #[test]
    fn each_value_inside_of_others_that_is_gone_is_a_sentence() {
        for (inside, expected) in [
            ("", None),
            (
                "boxes[key]\tu8\tlooks[*].Dim.level\tu8\tpair[0]\tu8\tpair[1]?\tnull\t*[*][1]\ti8\t",
                None,
            ),
            (
                "gone[*]?\tnull\tpair[7]\tu8\tlooks[*].Gone.level\ti8\t",
                None,
            ),
            ("marks[*][*]\tu32\tmarks[*][*]?\tnull\t", None),
            ("ids[key]\t\tids[key]\tu64\t", None),
            (
                "ids[key]\tuuid\t",
                Some("`ids[key]` is read as i128 now, and was stored as uuid"),
            ),
            ("ids[key]\ti128\tsums[0]\ti64\tsums[0]\tu64\t", None),
            ("sums[1]\tu64\tsums[2]\tu64\tsums[2]\t\tsums[3]\t\t", None),
            (
                "sums[1]\tNonZeroU8\tsums[2]\tusize\tsums[3]\tNonZeroU8\t",
                None,
            ),
            (
                "sums[3]\tNonZeroI8\t",
                Some("`sums[3]` is read as u8 other than 0 now, and was stored as NonZeroI8"),
            ),
            (
                "pair[0]\tusize\t",
                Some("`pair[0]` is read as u8 now, and was stored as usize"),
            ),
            (
                "ids[key]\tu128\t",
                Some("`ids[key]` is read as i128 now, and was stored as u128"),
            ),
            (
                "pair[0]\ti128\t",
                Some("`pair[0]` is read as u8 now, and was stored as i128"),
            ),
            (
                "sums[1]\ti64\t",
                Some("`sums[1]` is read as u128 now, and was stored as i64"),
            ),
            (
                "sums[2]\ti8\t",
                Some("`sums[2]` is read as u64 now, and was stored as i8"),
            ),
            (
                "sums[3]\tu8\t",
                Some("`sums[3]` is read as u8 other than 0 now, and was stored as u8"),
            ),
            ("open[*]?\tnull\t", None),
            (
                "boxes[key]\tu32\t",
                Some("`boxes[key]` is read as u16 now, and was stored as u32"),
            ),
            (
                "boxes[key]\t\t",
                Some("`boxes[key]` is read as u16 now, and any string was stored"),
            ),
            (
                "*[key]\t\tboxes[*]?\tnull\t",
                Some("`boxes[*]` no longer takes null"),
            ),
            (
                "boxes[*][*]?\tnull\t",
                Some("`boxes[*][*]` no longer takes null"),
            ),
            (
                "looks[*].Dim.level\ti8\t",
                Some("`looks[*].Dim.level` is read as u8 now, and was stored as i8"),
            ),
            ("marks[*]?\tnull\t", Some("`marks[*]` no longer takes null")),
            ("pair[0]?\tnull\t", Some("`pair[0]` no longer takes null")),
            ("sides[*]?\tnull\t", Some("`sides[*]` no longer takes null")),
            (
                "sides.notes[*]?\tnull\t",
                Some("`sides.notes[*]` no longer takes null"),
            ),
            (
                "*[*][1]\tu16\t",
                Some("`*[*][1]` is read as i16 now, and was stored as u16"),
            ),
        ] {
            assert_eq!(found(inside, None).as_deref(), expected, "{inside}");
        }
        let two = "boxes[key]\tu32\tpair[0]?\tnull\t";
        assert_eq!(
            found(two, Some("pair")).as_deref(),
            Some("`pair[0]` no longer takes null")
        );
        assert_eq!(found(two, Some("box")), None);
    }

    #[test]
    fn an_earlier_variant_without_a_tag_may_not_take_what_a_later_one_took() {
        let parts = r#"parts = ["list",["union","external",[["Few",["tuple",["bool","number"]]],["Many",["tuple",["bool","number"]]]]]]"#;
        let found = |inside: &str| found_beside(parts, Kitchen::TABLE, inside, None);
        let over = |path: &str| {
            Some(format!(
                "`{path}` takes values now that were read as the variant \"Many\""
            ))
        };
        let of_many = "sizes[*].Many.count\tu64\t";
        assert_eq!(
            found(&format!("sizes[*].Few.count\tu8\t{of_many}")),
            over("sizes[*].Few.count")
        );
        assert_eq!(
            found("parts[*].Few.parts[1]\tu8\t"),
            over("parts[*].Few.parts[1]")
        );
        for fine in [
            "sizes[*].Few.count\tu16\t",
            "sizes[*].Many.count\tu32\t",
            "parts[*].Few.parts[1]\tu16\tparts[*].Many.parts[1]\tu32\t",
        ] {
            assert_eq!(found(fine), None, "{fine}");
        }
        // One with a further member is known apart from the others by it, unless it may be absent.
        assert_eq!(found("pots[*].Owned.size\tu8\t"), None);
        assert_eq!(
            found("pots[*].Lent.size\tu8\t"),
            Some(
                "`pots[*].Lent.size` takes values now that were read as the variant \"Many\""
                    .to_owned()
            )
        );
        // A flattened struct may read the member of the later one by another name.
        assert_eq!(
            found("jars[*].Sealed.size\tu8\t"),
            over("jars[*].Sealed.size")
        );
        // Nothing was stored as a variant that the lock lacks.
        let without = parts.replace("Many", "Much");
        let wider = "sizes[*].Few.count\tu8\tparts[*].Few.parts[1]\tu8\t";
        assert_eq!(found_beside(&without, Kitchen::TABLE, wider, None), None);
    }

    #[test]
    fn a_variant_that_several_flattened_enums_have_is_kept_by_any_of_them() {
        let found = |inside| found_in(Trip::TABLE, inside, None);
        assert_eq!(
            found("*.Away.far\tu16\t*.Away.far\tu8\t*.Away.far?\tnull\t*.Home.depth\tu8\t"),
            None
        );
        // It takes all of them, because any string is a key of one of the enums.
        assert_eq!(found("*.Back[key]\tu16\t"), None);
        assert_eq!(found("*.Back[key]\t\t*.Back[key]\tu8\t"), None);
        assert_eq!(
            found("*.Back[key]\t\t*.Back[key]\t\t").as_deref(),
            Some("`*.Back[key]` is read as u8 now, and any string was stored")
        );
        // One enum is not enough, because two of them took these values.
        let one = Some("`*.Away.far` is read as u8 now, and was stored as u16");
        assert_eq!(found("*.Away.far\tu16\t*.Away.far\tu16\t").as_deref(), one);
        assert_eq!(
            found("*.Away.far\tu32\t").as_deref(),
            Some("`*.Away.far` is read as u16 now, and was stored as u32")
        );
        assert_eq!(
            found("*.Home.depth\tu16\t").as_deref(),
            Some("`*.Home.depth` is read as u8 now, and was stored as u16")
        );
    }

    #[test]
    fn a_star_in_a_name_is_no_flattened_step() {
        let found = |path: &str| is_flattened(path.as_bytes());
        assert!(found("*.Away") && found("a.\"b\\\\\".*[key]"));
        assert!(!found("a[*].b") && !found("\"a.*b\"[*]") && !found("\"a\\\".*\"") && !found(""));
    }
}
