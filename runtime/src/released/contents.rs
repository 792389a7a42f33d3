//! Operators for members of variants, where a variant holds others than it held, by their paths:
//! `field.Variant.member`.

// Everything here runs in the compiler, so that a wrong index does not compile.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::locked::Locked;
use super::notation::{BOOL, NUMBER, OBJECT, STRING, UNION, is_type, member_at, object_members};
use super::proposal::{Level, Proposal, identifier, path_of, starting_with};
use super::released_type::{put_inside, taken_inside, was_null};
use super::text::{equal, starts_with};
use super::values;
use super::variants::Enum;
use crate::message::{Message, distance, iterate};
use crate::schema::flags;
use crate::schema::table::{Row, Stored, Table};

/// The most members of one variant that are compared.
const MOST: usize = 64;
/// The entry in the list of pairs for a member that is there before and after.
const THERE: usize = usize::MAX;

/// The objects that a variant of today holds.
struct Content<'l> {
    table: &'static Table,
    /// The members that it held, in the lock's notation.
    held: &'l [u8],
    /// Its path in the lock, and as an operator names it, with a dot behind.
    path: Message,
    named: Message,
}

impl Content<'_> {
    /// The type of a member that was there, by its name today.
    const fn type_of(&self, row: &Row) -> Option<&[u8]> {
        let wanted = Message::new().json(row.name);
        let mut at = 0;
        while let Some((name, ty, next)) = member_at(self.held, at) {
            if equal(name, wanted.bytes()) {
                return Some(ty);
            }
            at = next;
        }
        None
    }

    /// True if a member that was there, its name between quotation marks, still is.
    const fn has(&self, name: &[u8]) -> bool {
        let mut index = 0;
        while index < self.table.stored_len() {
            let row = self.table.stored_row(index);
            if equal(Message::new().json(row.name).bytes(), name) {
                return true;
            }
            index += 1;
        }
        false
    }

    /// The path in the lock of a member that was there.
    const fn path_to(&self, name: &[u8]) -> Message {
        match std::str::from_utf8(unquoted(name)) {
            Ok(name) => self.path.copied().step(name),
            Err(_) => Message::new(),
        }
    }

    /// The new member that most likely replaces one that is gone: of those that take its values,
    /// the one of the most similar name.
    const fn successor(
        &self,
        (name, ty): (&[u8], &[u8]),
        paired: &[usize; MOST],
        locked: &Locked,
    ) -> Option<usize> {
        let path = self.path_to(name);
        let was_null = was_null(path.bytes(), locked.inside);
        let Ok(name) = std::str::from_utf8(unquoted(name)) else {
            return None;
        };
        let (mut best, mut least, mut index) = (None, usize::MAX, 0);
        while index < self.table.stored_len() {
            let row = self.table.stored_row(index);
            if paired[index] == 0
                && self.table.has_own(row)
                && !row.is_hidden()
                && row.info.holds.nullable == was_null
                && is_type(ty, &row.info.stored)
                && !is_narrowed(row, path.bytes(), locked)
            {
                let far = distance(name, row.name);
                if far < least {
                    (best, least) = (Some(index), far);
                }
            }
            index += 1;
        }
        best
    }
}

impl Proposal {
    /// Proposes operators for the members of variants that are there before and after.
    pub(super) const fn contents(
        mut self,
        level: &Level,
        row: &'static Row,
        variants: &Enum<'_>,
        locked: &Locked,
    ) -> Self {
        let mut path = path_of(level, row);
        let mut stored = &row.info.stored;
        while let Stored::List(element) | Stored::Set(element) | Stored::Map(element) = stored {
            path = path.text("[*]");
            stored = *element;
        }
        let named = if level.named.is_empty() {
            Message::new()
        } else {
            level.named.copied().text(".")
        };
        let named = identifier(named, row.field().as_bytes()).text(".");
        let mut at = 0;
        while let Some((variant, held, next)) = variants.kept(at) {
            at = next;
            let Some(variant) = variant else { continue };
            let (Some(members), Stored::Object(table)) =
                (object_members(held), variant.info.stored)
            else {
                continue;
            };
            // Because a path into a variant has its name in Rust, whose capital tells it from a member.
            let is_reached = matches!(variant.rust_name.as_bytes(), [b'A'..=b'Z', ..])
                && table.stored_len() <= MOST;
            if !is_reached {
                if !is_type(held, &variant.info.stored) {
                    self = self.fact(path.bytes(), "held something else in a variant", b"");
                    self.is_beyond = true;
                }
                continue;
            }
            let named = identifier(named.copied(), variant.rust_name.as_bytes());
            let content = Content {
                table,
                held: members,
                path: path.copied().step(variant.name),
                named: named.text("."),
            };
            self = self.content(&content, locked);
        }
        self
    }

    /// Proposes operators for the members of one variant.
    const fn content(mut self, of: &Content<'_>, locked: &Locked) -> Self {
        let mut paired = [0; MOST];
        let mut index = 0;
        while index < of.table.stored_len() {
            if of.type_of(of.table.stored_row(index)).is_some() {
                paired[index] = THERE;
            }
            index += 1;
        }
        let mut at = 0;
        while let Some((name, ty, next)) = member_at(of.held, at) {
            if !of.has(name)
                && let Some(index) = of.successor((name, ty), &paired, locked)
            {
                paired[index] = at + 1;
                let row = of.table.stored_row(index);
                let path = of.path_to(name);
                let now = of.path.copied().step(row.name);
                self = self
                    .fact(path.bytes(), "was there", b"")
                    .fact(now.bytes(), "was not", b"")
                    .operator("rename")
                    .member(of, unquoted(name))
                    .raw(b" => ")
                    .member(of, row.field().as_bytes())
                    .raw(b")");
            }
            at = next;
        }
        index = 0;
        while index < of.table.stored_len() {
            let row = of.table.stored_row(index);
            if paired[index] == THERE {
                self = self.changed_member(of, row, locked);
            } else if paired[index] == 0 {
                let path = of.path.copied().step(row.name);
                self = self.fact(path.bytes(), "was not there", b"");
                if of.table.has_own(row) {
                    self = self
                        .operator("set")
                        .member(of, row.field().as_bytes())
                        .raw(starting_with(row))
                        .raw(b")");
                } else {
                    self.is_beyond = true;
                }
            }
            index += 1;
        }
        at = 0;
        while let Some((name, ty, next)) = member_at(of.held, at) {
            if !of.has(name) && !is_one_of(&paired, at + 1) {
                let path = of.path_to(name);
                self = self.fact(path.bytes(), "was there", b"");
                if has_objects(ty) {
                    self.is_beyond = true;
                } else {
                    self = self.operator("drop").member(of, unquoted(name)).raw(b": ");
                    self.operators = put_inside(self.operators, path.bytes(), ty, locked.inside);
                    self = self.raw(", \"…\")".as_bytes());
                }
            }
            at = next;
        }
        self
    }

    /// A member of a variant that is there before and after.
    const fn changed_member(mut self, of: &Content<'_>, row: &Row, locked: &Locked) -> Self {
        let Some(ty) = of.type_of(row) else {
            return self;
        };
        let path = of.path.copied().step(row.name);
        let now = Message::new().of_type(&row.info.stored);
        let is_narrowed = is_narrowed(row, path.bytes(), locked);
        let is_converted = is_narrowed || !is_type(ty, &row.info.stored);
        let loses_null = !row.info.holds.nullable
            && !matches!(row.info.stored, Stored::Json | Stored::Dynamic)
            && was_null(path.bytes(), locked.inside);
        if !is_converted && !loses_null {
            return self;
        }
        let was = put_inside(Message::new().text("`"), path.bytes(), ty, locked.inside);
        let was = was.text("`");
        self = self.fact(path.bytes(), "was ", was.bytes());
        // `default` and `convert` look for a member by one name.
        if !of.table.has_own(row)
            || row.flags & flags::RENAMED != 0
            || of.table.other_name(row.name).is_some()
            || is_converted && !(is_scalar(ty) && is_scalar(now.bytes()))
        {
            self.is_beyond = true;
            return self;
        }
        if is_narrowed {
            self.handled += 1;
        }
        if is_converted {
            let end = if equal(ty, STRING) && !equal(now.bytes(), STRING) {
                ", empty = …)"
            } else {
                ")"
            };
            self = self
                .operator("convert")
                .member(of, row.field().as_bytes())
                .raw(b": ");
            self.operators = put_inside(self.operators, path.bytes(), ty, locked.inside);
            self = self.raw(end.as_bytes());
        }
        if loses_null {
            self.handled += 1;
            self = self
                .operator("default")
                .member(of, row.field().as_bytes())
                .raw(" = …)".as_bytes());
        }
        self
    }

    /// A member of a variant, as an operator names it.
    const fn member(mut self, of: &Content<'_>, name: &[u8]) -> Self {
        self.operators = identifier(self.operators.raw(of.named.bytes()), name);
        self
    }
}

/// True if a member took scalars that its type of today does not take.
const fn is_narrowed(row: &Row, path: &[u8], locked: &Locked) -> bool {
    // Because nothing is known of an author's own type.
    if row.info.holds.given.is_some() {
        return false;
    }
    let is_limited = matches!(
        row.info.stored,
        Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic | Stored::Json
    );
    match taken_inside(path, locked.inside) {
        Some(took) if is_limited => {
            values::narrowed(Message::new(), &row.info.holds, took, false).is_some()
        }
        Some(_) | None => false,
    }
}

/// The name between quotation marks.
const fn unquoted(name: &[u8]) -> &[u8] {
    if let [b'"', inside @ .., b'"'] = name {
        inside
    } else {
        name
    }
}

/// True if `convert` takes it inside of a variant.
const fn is_scalar(ty: &[u8]) -> bool {
    equal(ty, BOOL) || equal(ty, NUMBER) || equal(ty, STRING)
}

/// True if objects are in a type, or enums: no type that is written here has them.
const fn has_objects(ty: &[u8]) -> bool {
    let mut rest = ty;
    while let [_, others @ ..] = rest {
        if starts_with(rest, OBJECT) || starts_with(rest, UNION) {
            return true;
        }
        rest = others;
    }
    false
}

const fn is_one_of(numbers: &[usize], number: usize) -> bool {
    iterate!(one in numbers => {
        if *one == number {
            return true;
        }
    });
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Object as _;
    use crate::{Document, Union};

    #[derive(Union, Debug)]
    #[union(tag = "kind", rename_all = "camelCase")]
    enum Tone {
        Off,
        LongBeep {
            #[attribute(alias = "tune")]
            air: String,
            #[attribute(default)]
            deep: bool,
            minutes: u8,
            times: Option<u8>,
        },
    }

    #[derive(Document, Debug)]
    #[document(rename_all = "camelCase")]
    struct Alarm {
        by_day: Vec<Tone>,
    }

    /// The operators for what the variant held, of which the lock has these facts, or nothing if
    /// no operators make it; and what was otherwise.
    fn proposed(held: &str, inside: &str) -> (Option<String>, String) {
        let variants = format!(r#"["longBeep",["object",{{{held}}}]],["off",["tuple",[]]]"#);
        let line = format!(r#"byDay = ["list",["union","internal kind",[{variants}]]]"#);
        let text = format!("alarm\t0\tdocument\t0\t0\tforms\t\n\n\n\n\n\n\n{inside}\n{line}\n");
        let proposal = Proposal::of(
            Alarm::TABLE,
            &Locked::read(Box::leak(text.into_boxed_str())),
        );
        let operators = proposal.operators.as_str().to_owned();
        let operators = (!proposal.is_beyond).then_some(operators);
        (operators, proposal.facts.as_str().to_owned())
    }

    #[test]
    fn each_change_of_a_member_of_a_variant_has_its_operator() {
        const NOW: &str = r#""air":"string","deep":"bool","minutes":"number","times":"number""#;
        for (held, inside, operators, fact) in [
            (NOW, "", Some(""), ""),
            (
                r#""air":"string","deep":"bool","hours":"number","times":"number""#,
                "",
                Some("rename(by_day.LongBeep.hours => by_day.LongBeep.minutes)"),
                "`byDay[*].longBeep.hours` was there; `byDay[*].longBeep.minutes` was not",
            ),
            (
                r#""air":"string","minutes":"string","times":"number""#,
                "",
                Some(
                    "set(by_day.LongBeep.deep = …), convert(by_day.LongBeep.minutes: String, empty = …)",
                ),
                "`byDay[*].longBeep.minutes` was `String`",
            ),
            (
                NOW,
                "byDay[*].longBeep.minutes\tu32\tbyDay[*].longBeep.minutes?\tnull\t",
                Some(
                    "convert(by_day.LongBeep.minutes: Option<u32>), default(by_day.LongBeep.minutes = …)",
                ),
                "`byDay[*].longBeep.minutes` was `Option<u32>`",
            ),
            (
                r#""air":"string","deep":"bool","minutes":"number","names":["list","string"],"times":"number""#,
                "byDay[*].longBeep.names?\tnull\tbyDay[*].longBeep.names[*]?\tnull\t",
                Some("drop(by_day.LongBeep.names: Option<Vec<Option<String>>>, \"…\")"),
                "`byDay[*].longBeep.names` was there",
            ),
            (
                NOW,
                "byDay[*].longBeep.air?\tnull\t",
                None,
                "`byDay[*].longBeep.air` was `Option<String>`",
            ),
            (
                r#""air":"string","deep":"bool","minutes":["list","number"],"times":"number""#,
                "",
                None,
                "`byDay[*].longBeep.minutes` was `Vec<upstate::Number>`",
            ),
        ] {
            let (proposed, facts) = proposed(held, inside);
            assert_eq!(proposed.as_deref(), operators, "{held}: {facts}");
            assert!(facts.contains(fact), "{held}: {facts}");
        }
    }
}
