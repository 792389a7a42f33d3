//! The difference between what was released and a shape of today, as the operators that an upgrader
//! writes.
//!
//! It is a proposal: removed and new fields are paired where their types are the same, those first
//! that are both sensitive or both not, of these the most similar names; and only the author knows
//! whether that was a rename. What was sensitive is never paired with what is not.

// Indexing is allowed, because everything here runs in the compiler, which reports a wrong index
// itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use upstate_words::KEYWORDS;

use super::flattened;
use super::inside;
use super::locked::Locked;
use super::notation::{
    LIST, SET, element, is_mark, is_nullable, is_set, is_type, mark_behind, without_mark,
    without_null,
};
use super::operator::{rearranged, retyped};
use super::rekeyed::Rekeyed;
use super::released_type::put_type;
use super::text::{ends_with, equal, find, line, starts_with};
use super::untagged;
use super::variants::Enum;
use super::{rust_type, values};
use crate::message::{Message, distance, iterate};
use crate::schema::table::{Row, Stored, Table};
use crate::schema::{Nesting, flags};

/// The number of members of one object whose pairing is remembered; for an object with more of
/// them, nothing is proposed.
const MOST: usize = 256;
/// The entry in the list of pairs for a member that is there before and after.
const THERE: usize = usize::MAX;
/// Room for operators in the compiler's error, and for what was otherwise: `next` asks again for
/// those that are left out.
const OPERATORS: usize = 1000;
const FACTS: usize = 400;

/// The text for the author: what was otherwise, and the operators that describe it.
pub(super) struct Proposal {
    /// Operators, one after another.
    pub(super) operators: Message,
    /// The number of operators that found no room.
    pub(super) left_out: usize,
    /// The facts about what was otherwise, one after another.
    pub(super) facts: Message,
    more_facts: usize,
    /// The offset in `operators` at which the latest one begins.
    latest: usize,
    /// The words to write for fields that an operator names already: how that operator has to name
    /// them.
    pub(super) operands: Message,
    /// True if no operator makes it: of members of a flattened field, and of variants that are
    /// tagged otherwise.
    pub(super) is_beyond: bool,
    /// The number of the lock's facts about what is inside of values that operators account for.
    pub(super) handled: usize,
}

/// One object of today beside what was released of it.
pub(super) struct Level {
    pub(super) table: &'static Table,
    /// Its path in state, and as an operator names it: empty for the resource itself.
    pub(super) path: Message,
    pub(super) named: Message,
    /// The member that `rekey` makes the key of a map, or of the keys; empty if there is none.
    pub(super) key: &'static [u8],
}

impl Level {
    /// True if `rekey` accounts for the member.
    const fn is_key(&self, name: &[u8]) -> bool {
        !self.key.is_empty() && equal(self.key, name)
    }

    /// The objects of a member.
    pub(super) const fn inside(
        &self,
        row: &'static Row,
        table: &'static Table,
        key: &'static [u8],
    ) -> Self {
        let named = if self.named.is_empty() {
            Message::new()
        } else {
            self.named.copied().text(".")
        };
        Self {
            table,
            path: path_of(self, row),
            named: named.text(row.field()),
            key,
        }
    }
}

impl Proposal {
    /// Proposes an upgrader from the released shape to `table`, in addition to operators that name
    /// some fields already.
    pub(super) const fn of(table: &'static Table, locked: &Locked) -> Self {
        let level = Level {
            table,
            path: Message::new(),
            named: Message::new(),
            key: b"",
        };
        let mut all = Self::none().level(&level, locked).settled();
        if let Some(what) = flattened::difference(table, locked) {
            all = all.fact_beyond(&what);
        }
        if inside::count(table, locked) > all.handled
            && let Some(what) = inside::difference(table, locked, None)
        {
            all = all.fact_beyond(&what);
        }
        if let Some(what) = untagged::difference(table, locked) {
            all = all.fact_beyond(&what);
        }
        if all.more_facts > 0 {
            all.facts = all
                .facts
                .text("; and ")
                .number(all.more_facts as u64)
                .text(" more");
        }
        all
    }

    const fn none() -> Self {
        let (operators, facts, operands) = (Message::new(), Message::new(), Message::new());
        Self {
            operators,
            left_out: 0,
            facts,
            more_facts: 0,
            latest: 0,
            operands,
            is_beyond: false,
            handled: 0,
        }
    }

    /// Takes the latest operator back if there is no room for it, unless it is the only one.
    const fn settled(mut self) -> Self {
        if self.latest > 0 && self.operators.len() > OPERATORS {
            self.operators = self.operators.back_to(self.latest);
            self.left_out += 1;
        }
        self.latest = self.operators.len();
        self
    }

    /// Ends a list of operators with how many more there are.
    pub(super) const fn and_more(&self, message: Message) -> Message {
        match self.left_out {
            0 => message,
            1 => message.text(", and 1 more operator"),
            count => message
                .text(", and ")
                .number(count as u64)
                .text(" more operators"),
        }
    }

    /// Appends the beginning of one more operator.
    pub(super) const fn operator(self, keyword: &str) -> Self {
        let mut settled = self.settled();
        settled.operators = next(settled.operators).text(keyword).text("(");
        settled
    }

    /// Appends one more fact about what is stored at a path.
    pub(super) const fn fact(mut self, path: &[u8], what: &str, how: &[u8]) -> Self {
        if !self.facts.is_empty() && self.facts.len() + path.len() + how.len() > FACTS {
            self.more_facts += 1;
            return self;
        }
        let facts = if self.facts.is_empty() {
            self.facts
        } else {
            self.facts.text("; ")
        };
        self.facts = facts.text("`").raw(path).text("` ").text(what).raw(how);
        self
    }

    /// Appends a sentence about what no operator makes.
    const fn fact_beyond(mut self, what: &Message) -> Self {
        let facts = if self.facts.is_empty() {
            self.facts
        } else {
            self.facts.text("; ")
        };
        self.facts = facts.raw(what.bytes());
        self.is_beyond = true;
        self
    }

    /// Appends the type of what is stored at a path.
    const fn fact_of_type(self, path: &[u8], what: &str, line: &[u8], locked: &Locked) -> Self {
        let was = rust_type::was(path, line, locked.inside);
        self.fact(
            path,
            what,
            Message::new().text("`").raw(was.bytes()).text("`").bytes(),
        )
    }

    /// True if the member is one of the resource itself and an operator names it.
    const fn is_named(level: &Level, name: &str, locked: &Locked) -> bool {
        level.path.is_empty() && locked.is_named(name)
    }

    pub(super) const fn raw(mut self, bytes: &[u8]) -> Self {
        self.operators = self.operators.raw(bytes);
        self
    }

    const fn level(mut self, level: &Level, locked: &Locked) -> Self {
        let table = level.table;
        if table.stored_len() > MOST {
            return self;
        }
        let lines = locked.lines;
        // For each row that is new, where the line begins of what it was called, plus one; for
        // others more than any line.
        let mut paired = [0; MOST];
        let mut index = 0;
        while index < table.stored_len() {
            if find_row(level, lines, table.stored_row(index)).is_some()
                || level.is_key(table.stored_row(index).name.as_bytes())
            {
                paired[index] = THERE;
            }
            index += 1;
        }
        pair(level, locked, &mut paired);
        let mut at = 0;
        while at < lines.len() {
            let (path, stored, next_line) = line(lines, at);
            if let Some(name) = child(path, level.path.bytes())
                && let Some(index) = position(&paired, at + 1)
            {
                self = self.fact(path, "was there", b"").fact(
                    path_of(level, table.stored_row(index)).bytes(),
                    "was not",
                    b"",
                );
                if Self::is_named(level, table.stored_row(index).name, locked) {
                    self.operands = next(self.operands)
                        .text("`")
                        .raw(name)
                        .text("` instead of `")
                        .text(table.stored_row(index).name)
                        .text("`");
                    at = next_line;
                    continue;
                }
                self = self.renamed(level, name, (path, stored), table.stored_row(index), locked);
            }
            at = next_line;
        }
        index = 0;
        while index < table.stored_len() {
            if paired[index] == THERE {
                self = self.changed(level, table.stored_row(index), locked);
            } else if paired[index] == 0 {
                self = self.fact(
                    path_of(level, table.stored_row(index)).bytes(),
                    "was not there",
                    b"",
                );
                if !table.has_own(table.stored_row(index)) {
                    self.is_beyond = true;
                    index += 1;
                    continue;
                }
                if Self::is_named(level, table.stored_row(index).name, locked) {
                    index += 1;
                    continue;
                }
                self = self
                    .operator("set")
                    .field(level, table.stored_row(index))
                    .raw(starting_with(table.stored_row(index)))
                    .raw(b")");
            }
            index += 1;
        }
        at = 0;
        while at < lines.len() {
            let (path, stored, next_line) = line(lines, at);
            if let Some(name) = child(path, level.path.bytes())
                && !has(level.table, name)
                && !level.is_key(name)
                && position(&paired, at + 1).is_none()
            {
                self = self.fact_of_type(path, "was there, as ", stored, locked);
                self = self
                    .operator("drop")
                    .typed(level, name, (path, stored), None, locked)
                    .raw(", \"…\")".as_bytes());
            }
            at = next_line;
        }
        self
    }

    /// A member that is there before and after.
    const fn changed(mut self, level: &Level, row: &'static Row, locked: &Locked) -> Self {
        let lines = locked.lines;
        let path = path_of(level, row);
        let Some((whole, _)) = find(lines, 0, path.bytes()) else {
            return self;
        };
        let was = values::split(whole).0;
        let nested = row.info.objects();
        // Blocks have a form of their own, without marks.
        let (mark, unknown) = if row.is_block() && nested.is_some() {
            (None, equal(was, stored(row).bytes()))
        } else {
            let mark = mark_behind(was, row.info, row.flags & flags::WRITE_ONLY != 0);
            (mark, is_mark(mark, " null?"))
        };
        let null = if row.info.holds.nullable { " null" } else { "" };
        let same = is_mark(mark, null) || unknown;
        let narrowed = !unknown
            && values::narrowed(
                Message::new(),
                &row.info.holds,
                values::split(whole).1,
                locked.knows_forms,
            )
            .is_some();
        let variants = Enum::of(&row.info.stored, without_null(was));
        let is_other_enum = variants.is_some() && !is_type(without_null(was), &row.info.stored);
        let changes = match &variants {
            Some(variants) if is_other_enum => variants.put_changes(Message::new()),
            Some(_) | None => Message::new(),
        };
        let is_beyond = match &variants {
            Some(variants) => is_other_enum && variants.is_beyond_operators(),
            None => false,
        };
        if is_other_enum && is_nullable(was) == row.info.holds.nullable {
            // Because the members of its variants are facts of their own.
            if is_beyond || !changes.is_empty() || !level.table.has_own(row) {
                self = self.fact(path.bytes(), "had other variants", b"");
            }
        } else if !same {
            let write_only = row.flags & flags::WRITE_ONLY != 0;
            // Types that are the same in Rust are named as the lock writes them, because nothing
            // else tells the two apart.
            let today = (row.info, row.is_block(), write_only);
            self = match rust_type::changed(
                Message::new(),
                (path.bytes(), whole, locked.inside),
                today,
            ) {
                Some(_) => self.fact_of_type(path.bytes(), "was ", whole, locked),
                None => self.fact(path.bytes(), "was ", was),
            };
        } else if locked.is_sensitive(path.bytes()) && !row.is_sensitive() {
            self = self.fact(path.bytes(), "was sensitive", b"");
        } else if narrowed {
            let took = values::split(whole).1;
            let was = if took.is_empty() {
                "took any value"
            } else {
                "was read as "
            };
            self = self.fact(path.bytes(), was, took);
        } else if let Some((table, _)) = nested {
            let inside = level.inside(row, table, b"");
            return if level.table.has_own(row) {
                self.level(&inside, locked)
            } else {
                self.facts_of(&inside, locked)
            };
        } else {
            return match &variants {
                Some(variants) if level.table.has_own(row) => {
                    self.contents(level, row, variants, locked)
                }
                Some(_) | None => self,
            };
        }
        if !level.table.has_own(row) {
            self.is_beyond = true;
            return self;
        }
        if let (Some(variants), true) = (&variants, is_other_enum) {
            if Self::is_named(level, row.name, locked) && !changes.is_empty() {
                let operand = next(self.operands)
                    .text("`variants(")
                    .text(row.name)
                    .raw(changes.bytes())
                    .text(")`");
                self.operands = operand;
                return self;
            }
            if is_beyond {
                self.is_beyond = true;
                return self;
            }
            if !changes.is_empty() {
                self = self
                    .operator("variants")
                    .field(level, row)
                    .raw(changes.bytes())
                    .raw(b")");
            }
            return self.contents(level, row, variants, locked);
        }
        if Self::is_named(level, row.name, locked) {
            let operand = attributes(
                next(self.operands).text("`"),
                (path.bytes(), whole),
                Some(row),
                locked,
            )
            .text(row.name)
            .text(": ");
            self.operands = put_type(operand, path.bytes(), whole, locked).text("`");
            return self;
        }
        let shows = is_hidden(path.bytes(), was, locked) && !row.is_hidden();
        let loses_null = !row.is_block() && !row.info.holds.nullable && is_nullable(was);
        let name = row.name.as_bytes();
        if let Some(objects) = Rekeyed::of(level, row, whole, locked) {
            return self.rekeyed(level, row, whole, &objects, locked);
        }
        if loses_null && !narrowed && mark.is_some() {
            let default = self.operator("default");
            let default = if differs(row, path.bytes(), was, locked) {
                default.typed(level, name, (path.bytes(), whole), Some(row), locked)
            } else {
                default.field(level, row)
            };
            return default.end(" = …)".as_bytes(), shows);
        }
        let successors =
            values::put_successors(Message::new(), &row.info.holds, values::split(whole).1);
        if narrowed && !successors.is_empty() {
            // The table keeps any string, so that `convert` has the last word about what is none of
            // today's.
            let table = self
                .operator("values")
                .typed(level, name, (path.bytes(), whole), Some(row), locked)
                .raw(successors.bytes());
            let table = table
                .end(b", _ => keep)", shows)
                .operator("convert")
                .field(level, row)
                .raw(b")");
            return if loses_null {
                table
                    .operator("default")
                    .field(level, row)
                    .raw(" = …)".as_bytes())
            } else {
                table
            };
        }
        let now = stored(row);
        let (keyword, end, may_be_null) = match row.info.objects() {
            _ if !narrowed && is_carried(was, now.bytes()) => ("carry", ")", loses_null),
            Some((_, nesting)) => {
                let (keyword, end) = rearranged(was, nesting);
                (keyword, end, false)
            }
            None => retyped(without_null(was), row, loses_null),
        };
        let proposed =
            self.operator(keyword)
                .typed(level, name, (path.bytes(), whole), Some(row), locked);
        let proposed = proposed.end(end.as_bytes(), shows);
        if may_be_null {
            proposed
                .operator("default")
                .field(level, row)
                .raw(" = …)".as_bytes())
        } else {
            proposed
        }
    }

    /// The differences of objects that no operator reaches.
    const fn facts_of(self, level: &Level, locked: &Locked) -> Self {
        let Self {
            left_out,
            latest,
            is_beyond,
            ..
        } = self;
        let (operators, before) = (self.operators.copied(), self.facts.len());
        let all = self.level(level, locked);
        let is_beyond = is_beyond || all.is_beyond || all.facts.len() > before;
        Self {
            operators,
            left_out,
            latest,
            is_beyond,
            ..all
        }
    }

    /// Objects of a list that are in a map today, or back.
    const fn rekeyed(
        self,
        level: &Level,
        row: &'static Row,
        was: &'static [u8],
        objects: &Rekeyed,
        locked: &Locked,
    ) -> Self {
        let path = path_of(level, row);
        let stored = values::split(was).0;
        let shows =
            (objects.is_secret || is_hidden(path.bytes(), stored, locked)) && !row.is_hidden();
        let loses_null = !row.is_block() && !row.info.holds.nullable && is_nullable(stored);
        if objects.is_inferred {
            // Other differences inside of them are written by paths, because `rekey` tells the keys
            // only.
            let mut rekey = self.operator("rekey").field(level, row);
            rekey.operators = objects.by(rekey.operators, locked);
            return rekey.end(b")", shows).level(&objects.inside, locked);
        }
        // A type that is written is of all members, so that no path says more of them.
        let differ = !Self::none().level(&objects.inside, locked).facts.is_empty();
        let rekey = self.operator(if differ { "convert" } else { "rekey" });
        let mut rekey = rekey.typed(
            level,
            row.name.as_bytes(),
            (path.bytes(), was),
            Some(row),
            locked,
        );
        if differ {
            return rekey.end(", with = …)".as_bytes(), shows);
        }
        rekey.operators = objects.by(rekey.operators, locked);
        let rekey = rekey.end(b")", shows);
        if loses_null {
            rekey
                .operator("default")
                .field(level, row)
                .raw(" = …)".as_bytes())
        } else {
            rekey
        }
    }

    /// A member that has another name today, with what it was where that differs otherwise, too.
    const fn renamed(
        self,
        level: &Level,
        name: &[u8],
        (path, stored): (&[u8], &[u8]),
        row: &Row,
        locked: &Locked,
    ) -> Self {
        let (was, took) = values::split(stored);
        let is_known = !ends_with(without_mark(was), b" null?");
        let narrowed = is_known
            && values::narrowed(Message::new(), &row.info.holds, took, locked.knows_forms)
                .is_some();
        let rename = self.operator("rename");
        let rename = if narrowed || differs(row, path, was, locked) {
            rename.typed(level, name, (path, stored), Some(row), locked)
        } else {
            rename.path(level, name)
        };
        let renamed = rename.raw(b" => ").field(level, row).raw(b")");
        if narrowed {
            renamed.operator("convert").field(level, row).raw(b")")
        } else {
            renamed
        }
    }

    /// Ends an operator. Where it `shows` what was hidden, its author gives the reason.
    const fn end(self, end: &[u8], shows: bool) -> Self {
        if !shows {
            return self.raw(end);
        }
        let mut open = end.len();
        while open > 0 && end[open - 1] == b')' {
            open -= 1;
        }
        let (before, brackets) = end.split_at(open);
        self.raw(before)
            .raw(", declassified = \"…\"".as_bytes())
            .raw(brackets)
    }

    /// A member by the name of its field today.
    const fn field(self, level: &Level, row: &Row) -> Self {
        self.path(level, row.field().as_bytes())
    }

    /// A member of what was released, or of today.
    const fn path(mut self, level: &Level, name: &[u8]) -> Self {
        if !level.named.is_empty() {
            self.operators = self.operators.raw(level.named.bytes()).text(".");
        }
        self.operators = identifier(self.operators, name);
        self
    }

    /// A member as it was released, with its type.
    const fn typed(
        mut self,
        level: &Level,
        name: &[u8],
        (path, stored): (&[u8], &[u8]),
        today: Option<&Row>,
        locked: &Locked,
    ) -> Self {
        self.operators = attributes(self.operators, (path, stored), today, locked);
        self = self.path(level, name);
        self.operators = put_type(self.operators.text(": "), path, stored, locked);
        self
    }
}

/// `#[attribute(…)]` and `#[block]` of a field as it was released.
pub(super) const fn attributes(
    mut out: Message,
    (path, stored): (&[u8], &[u8]),
    today: Option<&Row>,
    locked: &Locked,
) -> Message {
    let stored = values::split(stored).0;
    let is_block = starts_with(stored, b"block ");
    if is_block {
        out = out.text("#[block] ");
    }
    let facts = [
        (locked.is_sensitive(path), "sensitive"),
        (ends_with(stored, b" write_only"), "write_only"),
        (is_set(stored), "set"),
    ];
    let mut found = false;
    iterate!(fact in &facts => {
        let (holds, name) = *fact;
        if holds {
            out = out
                .text(if found { ", " } else { "#[attribute(" })
                .text(name);
            found = true;
        }
    });
    match today {
        _ if found => out.text(")] "),
        // A field that says nothing but its type takes this over from today's.
        Some(row) if !is_block && (row.is_block() || is_set_today(row)) => {
            out.text(if is_nullable(stored) {
                "#[attribute(optional)] "
            } else {
                "#[attribute(required)] "
            })
        }
        Some(_) | None => out,
    }
}

const fn is_set_today(row: &Row) -> bool {
    match row.info.objects() {
        Some((_, nesting)) => matches!(nesting, Nesting::Set),
        None => matches!(row.info.stored, Stored::Set(_)),
    }
}

/// True if the value that was stored at a path was not to be shown, because it was sensitive or
/// write-only.
const fn is_hidden(path: &[u8], was: &[u8], locked: &Locked) -> bool {
    locked.is_sensitive(path) || ends_with(was, b" write_only")
}

/// True if an operator has to write how a field was marked, because it takes what is not written to
/// be as today: the field was sensitive and is no longer, or is write-only in one of the two only.
const fn differs(row: &Row, path: &[u8], was: &[u8], locked: &Locked) -> bool {
    locked.is_sensitive(path) && !row.is_sensitive()
        || ends_with(was, b" write_only") != (row.flags & flags::WRITE_ONLY != 0)
}

/// A name as an operator writes it: an identifier, or else a string.
pub(super) const fn identifier(out: Message, name: &[u8]) -> Message {
    iterate!(keyword in &KEYWORDS => {
        if equal(keyword.as_bytes(), name) {
            return out.text("r#").raw(name);
        }
    });
    let mut index = 0;
    let mut plain = !name.is_empty() && !name[0].is_ascii_digit();
    while index < name.len() {
        plain = plain && (name[index].is_ascii_alphanumeric() || name[index] == b'_');
        index += 1;
    }
    if plain || (!name.is_empty() && name[0] == b'"') {
        out.raw(name)
    } else {
        out.text("\"").raw(name).text("\"")
    }
}

/// The end of `set` for a new attribute: an equals sign and the value that it starts with, `…` if
/// the author has to choose one.
pub(super) const fn starting_with(row: &Row) -> &'static [u8] {
    if row.info.holds.nullable && !row.is_block() {
        return b" = null";
    }
    match row.info.stored {
        Stored::List(_) | Stored::Set(_) => b" = []",
        Stored::Map(_) => b" = {}",
        Stored::Object(_) if row.is_block() => b" = null",
        Stored::Bool
        | Stored::String
        | Stored::Number
        | Stored::Dynamic
        | Stored::Tuple(_)
        | Stored::Object(_)
        | Stored::Json
        | Stored::Union(_) => " = …".as_bytes(),
    }
}

/// The highest measure of how unlikely it is that a new member replaces one that is gone: it
/// cannot.
const UNPAIRED: usize = usize::MAX;
/// More than any distance between two names.
const OTHERWISE_MARKED: usize = 1 << 16;

/// Pairs each member that is gone with the new one that most likely replaces it: the likeliest pair
/// of all first.
const fn pair(level: &Level, locked: &Locked, paired: &mut [usize; MOST]) {
    // The lines of members that are gone are counted from 1, so that 0 is none; beside each is the
    // likeliest new member.
    let (mut gone, mut count) = ([(0, (UNPAIRED, 0)); MOST], 0);
    let mut at = 0;
    while at < locked.lines.len() && count < MOST {
        let (path, _, next_line) = line(locked.lines, at);
        if let Some(name) = child(path, level.path.bytes())
            && !has(level.table, name)
            && !level.is_key(name)
        {
            gone[count] = (at + 1, likeliest(level, at, locked, paired));
            count += 1;
        }
        at = next_line;
    }
    loop {
        let (mut best, mut least, mut index) = (0, UNPAIRED, 0);
        while index < count {
            let (_, (unlikely, _)) = gone[index];
            if unlikely < least {
                (best, least) = (index, unlikely);
            }
            index += 1;
        }
        if least == UNPAIRED {
            return;
        }
        let (begin, (_, row)) = gone[best];
        if paired[row] == 0 {
            paired[row] = begin;
            gone[best].1 = (UNPAIRED, 0);
        } else {
            gone[best].1 = likeliest(level, begin - 1, locked, paired);
        }
    }
}

/// The new member that most likely replaces what the line at `at` tells of, and how unlikely that
/// is.
const fn likeliest(
    level: &Level,
    at: usize,
    locked: &Locked,
    paired: &[usize; MOST],
) -> (usize, usize) {
    let (path, stored, _) = line(locked.lines, at);
    let was = values::split(stored).0;
    let was_hidden = is_hidden(path, was, locked);
    let Some(name) = child(path, level.path.bytes()) else {
        return (UNPAIRED, 0);
    };
    let Ok(name) = std::str::from_utf8(name) else {
        return (UNPAIRED, 0);
    };
    let (mut best, mut least) = (0, UNPAIRED);
    let mut index = 0;
    while index < level.table.stored_len() {
        let row = level.table.stored_row(index);
        if paired[index] == 0
            && level.table.has_own(row)
            && (row.is_hidden() || !was_hidden)
            && is_nullable(was) == row.info.holds.nullable
            && row.info.objects().is_none()
            && equal(without_null(was), stored_with(row, "").bytes())
        {
            let far = distance(name, row.name)
                + if row.is_hidden() == was_hidden {
                    0
                } else {
                    OTHERWISE_MARKED
                };
            if far < least {
                (best, least) = (index, far);
            }
        }
        index += 1;
    }
    (least, best)
}

pub(super) const fn path_of(level: &Level, row: &Row) -> Message {
    level.path.copied().step(row.name)
}

/// A copy of the list, ready for one more.
const fn next(list: Message) -> Message {
    if list.is_empty() {
        list
    } else {
        list.text(", ")
    }
}

/// The stored form of a member in the released lines; nothing if they do not have it.
const fn find_row<'l>(level: &Level, lines: &'l [u8], row: &Row) -> Option<&'l [u8]> {
    match find(lines, 0, path_of(level, row).bytes()) {
        Some((stored, _)) => Some(stored),
        None => None,
    }
}

/// The form in which a member is stored today, as the lock writes it.
const fn stored(row: &Row) -> Message {
    stored_with(row, if row.info.holds.nullable { " null" } else { "" })
}

const fn stored_with(row: &Row, null: &str) -> Message {
    match row.info.objects() {
        Some((_, nesting)) if row.is_block() => Message::new().text("block ").text(nesting.name()),
        _ => Message::new().attribute(row.info, null, row.flags & flags::WRITE_ONLY != 0),
    }
}

/// True if what was stored, in the form `was`, can be taken as it is where the form of today is
/// `now`.
const fn is_carried(was: &[u8], now: &[u8]) -> bool {
    if is_nullable(was) && !is_nullable(now) {
        return false;
    }
    let (was, now) = (without_null(was), without_null(now));
    equal(was, now)
        || equal(was, b"nested set") && equal(now, b"nested list")
        || starts_with(was, SET) && starts_with(now, LIST) && equal(element(was), element(now))
}

/// The name of a member, if `path` is one of the object at `above`.
pub(super) const fn child<'p>(path: &'p [u8], above: &[u8]) -> Option<&'p [u8]> {
    let name = if above.is_empty() {
        path
    } else if path.len() > above.len() + 1 && path[above.len()] == b'.' && starts_with(path, above)
    {
        path.split_at(above.len() + 1).1
    } else {
        return None;
    };
    let mut quoted = false;
    let mut index = 0;
    while index < name.len() {
        match name[index] {
            b'\\' if quoted => index += 1,
            b'"' => quoted = !quoted,
            b'.' if !quoted => return None,
            _ => {}
        }
        index += 1;
    }
    if name.is_empty() { None } else { Some(name) }
}

/// True if an object of today has the member `name`, which is written as a step of a path.
pub(super) const fn has(table: &'static Table, name: &[u8]) -> bool {
    let mut index = 0;
    while index < table.stored_len() {
        let row = table.stored_row(index).name;
        // Only a name that is quoted is another as a step of a path.
        if equal(row.as_bytes(), name)
            || (name[0] == b'"' && equal(Message::new().step(row).bytes(), name))
        {
            return true;
        }
        index += 1;
    }
    false
}

const fn position(numbers: &[usize], number: usize) -> Option<usize> {
    let mut index = 0;
    while index < numbers.len() {
        if numbers[index] == number {
            return Some(index);
        }
        index += 1;
    }
    None
}
