//! The check that every build makes: a model against what the lock says was released.

// Indexing is allowed, because everything here runs in the compiler, which reports a wrong index
// itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::aliases;
use super::exists::{exists, starts};
use super::fingerprint::of_table;
use super::flattened;
use super::inside;
use super::locked::{Locked, entries};
use super::notation::{is_mark, is_nullable, mark_behind, without_null};
use super::proposal::Proposal;
use super::text::{equal, find, last_segment, line, starts_with};
use super::untagged;
use super::variants::Enum;
use super::{rust_type, values};
use crate::message::Message;
use crate::schema::flags;
use crate::schema::table::{StoredRows, Table, TypeInfo};

/// True if a shape has the number of the lines that were released: then no check has anything to
/// say.
#[doc(hidden)]
#[must_use]
pub const fn is_numbered(table: &'static Table, number: u64) -> bool {
    table.released() == number && number != 0
}

/// Refuses, at compile time, a model whose stored shape is not the one that was released under its
/// version: `number` is that of the released lines, 0 if they have none, and `lock` is what
/// [`Locked::read`] reads.
///
/// The current model may gain attributes that are null in state without them, as a schema may
/// without a new version.
#[doc(hidden)]
#[track_caller]
pub const fn check_locked(table: &'static Table, number: u64, lock: &'static str) {
    if is_numbered(table, number) {
        return;
    }
    let locked = Locked::read(lock);
    if let Some(what) = change(table, &locked, None) {
        refuse(table, &locked, &what);
    }
    check_aliases(table, &locked, None);
}

/// As [`check_locked`], if what differs first is the field that is stored under this name, or is
/// inside of it: its place is the caller's.
#[doc(hidden)]
#[track_caller]
pub const fn check_field_locked(
    table: &'static Table,
    number: u64,
    lock: &'static str,
    name: &'static str,
) {
    if is_numbered(table, number) {
        return;
    }
    let locked = Locked::read(lock);
    if let Some(what) = change(table, &locked, Some(name))
        && is_about(&what, name)
    {
        refuse(table, &locked, &what);
    }
    check_aliases(table, &locked, Some(name));
}

/// Refuses that a name is no longer read, of this field and of what is inside of it, or of any.
#[track_caller]
const fn check_aliases(table: &'static Table, locked: &Locked, field: Option<&'static str>) {
    let Some(gone) = aliases::gone(table, locked, field) else {
        return;
    };
    let message = Message::new()
        .text("version ")
        .raw(locked.version)
        .text(" of `")
        .raw(locked.type_name)
        .text("` was released, and ");
    let message = message
        .raw(gone.sentence().bytes())
        .text(if locked.is_prior {
            " [U0018]"
        } else {
            " [U0017]"
        });
    let message = message.text("\nhelp: write ").raw(gone.attribute().bytes());
    let message = message
        .text(" there again, since stored values may have that name")
        .text(NOTE);
    message.panic();
}

/// True if a sentence begins with the path of a field, or of what is inside of it.
pub(super) const fn is_about(what: &Message, name: &str) -> bool {
    let step = Message::new()
        .text("`")
        .raw(Message::new().step(name).bytes());
    let (what, step) = (what.bytes(), step.bytes());
    starts_with(what, step)
        && what.len() > step.len()
        && matches!(what[step.len()], b'`' | b'.' | b'[')
}

/// The differences from what was released that matter, as sentences; the first of them is the first
/// of the model. Of values inside of others only those of the field count, if one is given.
const fn change(table: &'static Table, locked: &Locked, field: Option<&str>) -> Option<Message> {
    let (shape, values) = of_table(table);
    if locked.has_alternative(shape) {
        return None;
    }
    if shape == locked.fingerprint && values == locked.values {
        return aside(table, locked, field);
    }
    match (difference(table, locked), aside(table, locked, field)) {
        (Some(what), Some(other)) if what.len() + other.len() <= DIFFERENCES => {
            Some(what.text("; ").raw(other.bytes()))
        }
        (Some(what), _) => Some(what),
        (None, other) => other,
    }
}

/// The first difference of what has no line of its own.
const fn aside(table: &'static Table, locked: &Locked, field: Option<&str>) -> Option<Message> {
    match flattened::difference(table, locked) {
        Some(what) => Some(what),
        None => match inside::difference(table, locked, field) {
            Some(what) => Some(what),
            None => untagged::difference(table, locked),
        },
    }
}

/// Refuses, at compile time, a difference that does not describe what was released under its
/// version.
#[doc(hidden)]
#[track_caller]
pub const fn check_difference(table: &'static Table, number: u64, lock: &'static str) {
    compare(table, number, lock, None);
}

/// As [`check_difference`], if what differs first is the field that is stored under this name, or
/// is inside of it: an operator names it at the caller's place.
#[doc(hidden)]
#[track_caller]
pub const fn check_operand(
    table: &'static Table,
    number: u64,
    lock: &'static str,
    name: &'static str,
) {
    compare(table, number, lock, Some(name));
}

/// True if [`check_difference`] has something to say. It comes first where each operator of an
/// upgrader has a check of its own, so that one comparison is enough for what is as it was.
#[doc(hidden)]
#[must_use]
pub const fn differs(table: &'static Table, number: u64, lock: &'static str) -> bool {
    if is_numbered(table, number) {
        return false;
    }
    let locked = Locked::read(lock);
    !is_released(table, &locked) || aliases::gone(table, &locked, None).is_some()
}

/// True if a shape is what was released, but for its other names.
const fn is_released(table: &'static Table, locked: &Locked) -> bool {
    let (shape, values) = of_table(table);
    shape == locked.fingerprint
        && keeps_secrets(table, locked)
        && (values == locked.values || difference(table, locked).is_none())
        && aside(table, locked, None).is_none()
        || locked.has_alternative(shape)
}

#[track_caller]
const fn compare(
    table: &'static Table,
    number: u64,
    lock: &'static str,
    field: Option<&'static str>,
) {
    if is_numbered(table, number) {
        return;
    }
    let locked = Locked::read(lock);
    if is_released(table, &locked) {
        return check_aliases(table, &locked, field);
    }
    let proposal = Proposal::of(table, &locked);
    let Proposal {
        operators,
        facts,
        operands,
        is_beyond,
        ..
    } = &proposal;
    if let Some(name) = field
        && !is_about(facts, name)
    {
        return;
    }
    let was_otherwise = Message::new()
        .text("version ")
        .raw(locked.version)
        .text(" of `")
        .raw(locked.type_name)
        .text("` was released with another shape [U0018]: ");
    if facts.is_empty() {
        // An object may have more members than a proposal looks at; it is compared nevertheless.
        if let Some(what) = change(table, &locked, None) {
            let message = noted(was_otherwise.raw(what.bytes()), table, &locked);
            message.panic();
        }
        return check_aliases(table, &locked, None);
    }
    let mut message = was_otherwise.raw(facts.bytes());
    if !operands.is_empty() {
        message = message
            .text("\nhelp: write ")
            .raw(operands.bytes())
            .text(" where this upgrader names it");
    }
    if !operators.is_empty() && !*is_beyond {
        message = proposal.and_more(
            message
                .text("\nhelp: add `")
                .raw(operators.bytes())
                .text("` ")
                .raw(locked.place),
        );
        message = writes(message, &locked, "it");
    }
    if *is_beyond {
        message = beyond(message.text("\nhelp: "), table, locked.version);
    }
    let message = noted(message, table, &locked);
    message.panic();
}

/// True if all that was sensitive still is. The table must have just the members that were
/// released.
const fn keeps_secrets(table: &'static Table, locked: &Locked) -> bool {
    entries!(path in locked.sensitive() => {
        if !is_secret(table, path) {
            return false;
        }
    });
    true
}

const fn is_secret(table: &'static Table, path: &[u8]) -> bool {
    let mut index = 0;
    while index < table.stored_len() {
        let row = table.stored_row(index);
        let name = row.name.as_bytes();
        if equal(name, path) {
            return row.is_sensitive();
        }
        if let (true, Some((inner, _))) = (starts(path, name), row.info.objects()) {
            return is_secret(inner, path.split_at(name.len() + 1).1);
        }
        index += 1;
    }
    // A name that the path quotes is not found, so the answer is `false`: then the whole comparison
    // follows, which finds it.
    false
}

/// The fingerprint of a model's stored shape.
#[doc(hidden)]
#[must_use]
pub const fn fingerprint(table: &'static Table) -> u64 {
    of_table(table).0
}

#[track_caller]
const fn refuse(table: &'static Table, locked: &Locked, what: &Message) {
    let version = table.version;
    let message = if locked.is_prior {
        Message::new()
            .text("`")
            .raw(last_segment(table.rust_name))
            .text("` differs from the released version ")
            .number(version)
            .text(" of `")
            .raw(locked.type_name)
            .text("` [U0017]: ")
            .raw(what.bytes())
            .text("\nhelp: restore it: state of that version still exists; put the change into a later version")
    } else {
        let proposal = Proposal::of(table, locked);
        let message = Message::new()
            .text("the stored shape of `")
            .raw(locked.type_name)
            .text("` changed, and version ")
            .number(version)
            .text(" was released [U0017]: ")
            .raw(what.bytes())
            .text("\nhelp: put it back as it was")
            .text("\nhelp: or make this version ")
            .number(version + 1);
        let message = if proposal.is_beyond {
            beyond(message.text("; "), table, locked.version)
        } else {
            let message = message
                .text(", and add here: `#[upgrade_from(")
                .number(version)
                .text(" => ")
                .number(version + 1)
                .text(", ")
                .raw(proposal.operators.bytes())
                .text(")]`");
            writes(proposal.and_more(message), locked, "both")
        };
        // A resource of a later version has upgraders, which such a model cannot have.
        if version == 0 && !locked.is_document {
            message.text("\nhelp: or, if this is the model of a data source, an action or a function, which nothing stores, write `stateless` and no `version`")
        } else {
            message
        }
    };
    let message = noted(message, table, locked);
    message.panic();
}

/// The file that the message speaks of.
const NOTE: &str = "\nnote: upstate.lock has the released shape";

/// Ends a message with the file that it speaks of, and with the line that an old one may lack.
const fn noted(message: Message, table: &'static Table, locked: &Locked) -> Message {
    let message = message.text(NOTE);
    match untagged::line_of_old_locks(table, locked) {
        Some(line) => message
            .text("\nnote: older locks do not say which variants have no tag; if these had none when that version was released, add `")
            .raw(line.bytes())
            .text("` below the first line of its entry"),
        None => message,
    }
}

/// Advice where operators cannot describe the difference.
const fn beyond(message: Message, table: &'static Table, version: &[u8]) -> Message {
    message
        .text("no operator does this: write the struct that version ")
        .raw(version)
        .text(" stored, and add `#[upgrade_from(")
        .raw(version)
        .text(", model = ")
        .raw(identifier(last_segment(table.rust_name)))
        .text("V")
        .raw(version)
        .text(")]`")
}

/// The identifier at the beginning of a name: that of a derived shape has its version behind it.
const fn identifier(name: &[u8]) -> &[u8] {
    let mut end = 0;
    while end < name.len()
        && (name[end].is_ascii_alphanumeric() || name[end] == b'_' || !name[end].is_ascii())
    {
        end += 1;
    }
    name.split_at(end).0
}

/// Names the command that does it.
const fn writes(message: Message, locked: &Locked, what: &str) -> Message {
    message
        .text(" (`upstate next ")
        .raw(locked.type_name)
        .text("` writes ")
        .text(what)
        .text(")")
}

/// Room for sentences about what differs: the message also has to hold operators.
const DIFFERENCES: usize = 400;

/// The progress of a comparison through the released lines.
struct Walk {
    /// The offset at which the next line is expected.
    cursor: usize,
    /// The number of lines that have been found.
    found: usize,
    /// A sentence for each difference, one after another.
    sentences: Message,
    /// The number of differences that found no room.
    more: usize,
}

impl Walk {
    /// Appends a sentence about one more difference.
    const fn differs(mut self, sentence: &Message) -> Self {
        let is_first = self.sentences.is_empty();
        if !is_first && self.sentences.len() + sentence.len() > DIFFERENCES {
            self.more += 1;
            return self;
        }
        let sentences = if is_first {
            self.sentences
        } else {
            self.sentences.text("; ")
        };
        self.sentences = sentences.raw(sentence.bytes());
        self
    }
}

/// The differences that matter.
const fn difference(table: &'static Table, locked: &Locked) -> Option<Message> {
    let start = Walk {
        cursor: 0,
        found: 0,
        sentences: Message::new(),
        more: 0,
    };
    let mut walk = members(start, &Message::new(), table, locked);
    let lines = locked.lines;
    let mut at = 0;
    let mut count = 0;
    while at < lines.len() {
        let (path, stored, next) = line(lines, at);
        // An object that is another or gone is reported once, and not each member that it had.
        let is_reported = !walk.sentences.is_empty() && !is_in_object(table, path);
        if !is_reported && !exists(&Message::new(), table, path) {
            let was = rust_type::was(path, stored, locked.inside);
            walk = walk.differs(
                &quoted(path)
                    .text(" is gone, which was `")
                    .raw(was.bytes())
                    .text("`"),
            );
        }
        at = next;
        count += 1;
    }
    if walk.sentences.is_empty() {
        assert!(count == walk.found, "upstate.lock has a line twice");
        return None;
    }
    Some(match walk.more {
        0 => walk.sentences,
        more => walk
            .sentences
            .text("; and ")
            .number(more as u64)
            .text(" more"),
    })
}

/// Compares attributes first, then blocks: that is the order of the lines.
const fn members(mut walk: Walk, prefix: &Message, table: &'static Table, locked: &Locked) -> Walk {
    let mut rows = StoredRows::of(table);
    while let Some((row, is_optional)) = rows.next_part() {
        if row.is_block() {
            continue;
        }
        let (info, write_only) = (row.info, row.flags & flags::WRITE_ONLY != 0);
        let nullable = info.holds.nullable;
        let path = prefix.copied().step(row.name);
        let lines = locked.lines;
        let problem = match find(lines, walk.cursor, path.bytes()) {
            None if locked.is_prior => Some(quoted(path.bytes()).text(" is new")),
            // A default fills it in, or the part that it is of need not be there.
            None if is_optional || row.flags & flags::FILLED_IN != 0 => continue,
            None if !nullable => {
                let why = if locked.is_document {
                    " is new, and documents without it cannot be read: its field has no default"
                } else {
                    " is new, and state without it cannot be read: its field is not an `Option`"
                };
                Some(quoted(path.bytes()).text(why))
            }
            // The members in it are skipped, too, because none of them is stored yet.
            None => continue,
            Some((line, next)) => {
                walk.cursor = next;
                walk.found += 1;
                let (was, took) = values::split(line);
                let null = if nullable { " null" } else { "" };
                let mark = mark_behind(was, info, write_only);
                let is_unknown = is_mark(mark, " null?");
                let same = is_mark(mark, null) || is_unknown;
                if !(same || nullable && !locked.is_prior && is_mark(mark, "")) {
                    let fits = nullable == is_nullable(was) || nullable && !locked.is_prior;
                    match Enum::of(&info.stored, without_null(was)) {
                        Some(variants) if fits => {
                            variants.difference(quoted(path.bytes()), locked.is_prior)
                        }
                        Some(_) | None => Some(changed(
                            &path,
                            (info, false, write_only),
                            (line, &Message::new().attribute(info, null, write_only)),
                            locked,
                        )),
                    }
                } else if is_unknown {
                    // An imported schema does not say which values it took.
                    None
                } else {
                    values::narrowed(quoted(path.bytes()), &info.holds, took, locked.knows_forms)
                }
            }
        };
        walk = match (problem, info.objects()) {
            (Some(what), _) => walk.differs(&what),
            (None, Some((inner, _))) => members(walk, &path, inner, locked),
            (None, None) => walk,
        };
    }
    let mut index = 0;
    while index < table.rows.len() {
        let row = &table.rows[index];
        index += 1;
        let (true, Some((inner, nesting))) = (row.is_block(), row.info.objects()) else {
            continue;
        };
        let path = prefix.copied().step(row.name);
        let now = Message::new().text("block ").text(nesting.name());
        match find(locked.lines, walk.cursor, path.bytes()) {
            None if locked.is_prior => walk = walk.differs(&quoted(path.bytes()).text(" is new")),
            None => {}
            Some((was, next)) => {
                walk.cursor = next;
                walk.found += 1;
                walk = if equal(was, now.bytes()) {
                    members(walk, &path, inner, locked)
                } else {
                    walk.differs(&changed(
                        &path,
                        (row.info, true, false),
                        (was, &now),
                        locked,
                    ))
                };
            }
        }
    }
    walk
}

/// True if the object that a released path was in is an object today as well.
const fn is_in_object(table: &'static Table, path: &[u8]) -> bool {
    let above = above(path);
    above.is_empty() || is_object(&Message::new(), table, above)
}

/// The path of the object that a path is in; empty for a member of the model itself.
const fn above(path: &[u8]) -> &[u8] {
    let (mut index, mut end, mut quoted) = (0, 0, false);
    while index < path.len() {
        match path[index] {
            b'\\' if quoted => index += 1,
            b'"' => quoted = !quoted,
            b'.' if !quoted => end = index,
            _ => {}
        }
        index += 1;
    }
    path.split_at(end).0
}

/// True if a table, whose own path is `prefix`, has an object, or a collection of them, at `path`.
const fn is_object(prefix: &Message, table: &'static Table, path: &[u8]) -> bool {
    let mut rows = StoredRows::of(table);
    while let Some((row, _)) = rows.next_part() {
        let Some((inner, _)) = row.info.objects() else {
            continue;
        };
        let at = prefix.copied().step(row.name);
        if equal(at.bytes(), path) {
            return true;
        }
        if starts(path, at.bytes()) {
            return is_object(&at, inner, path);
        }
    }
    false
}

/// The sentence about a field of another type; `now` is how the lock would write it, for types that
/// are the same in Rust.
const fn changed(
    path: &Message,
    today: (&TypeInfo, bool, bool),
    (line, now): (&[u8], &Message),
    locked: &Locked,
) -> Message {
    match rust_type::changed(
        quoted(path.bytes()),
        (path.bytes(), line, locked.inside),
        today,
    ) {
        Some(sentence) => sentence,
        None => quoted(path.bytes())
            .text(" is ")
            .raw(now.bytes())
            .text(" now, and was ")
            .raw(values::split(line).0),
    }
}

const fn quoted(path: &[u8]) -> Message {
    Message::new().text("`").raw(path).text("`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resource;
    use crate::codec::Object as _;

    macro_rules! wide {
        ($($name:ident)*) => {
            /// More members than a proposal looks at.
            #[derive(Resource)]
            #[resource(type_name = "wide", version = 0)]
            struct Wide {
                $($name: bool,)*
            }
        };
    }

    #[rustfmt::skip]
    wide! {
        a000 a001 a002 a003 a004 a005 a006 a007 a008 a009 a010 a011 a012 a013 a014 a015 a016 a017 a018 a019 a020 a021 a022
        a023 a024 a025 a026 a027 a028 a029 a030 a031 a032 a033 a034 a035 a036 a037 a038 a039 a040 a041 a042 a043 a044 a045
        a046 a047 a048 a049 a050 a051 a052 a053 a054 a055 a056 a057 a058 a059 a060 a061 a062 a063 a064 a065 a066 a067 a068
        a069 a070 a071 a072 a073 a074 a075 a076 a077 a078 a079 a080 a081 a082 a083 a084 a085 a086 a087 a088 a089 a090 a091
        a092 a093 a094 a095 a096 a097 a098 a099 a100 a101 a102 a103 a104 a105 a106 a107 a108 a109 a110 a111 a112 a113 a114
        a115 a116 a117 a118 a119 a120 a121 a122 a123 a124 a125 a126 a127 a128 a129 a130 a131 a132 a133 a134 a135 a136 a137
        a138 a139 a140 a141 a142 a143 a144 a145 a146 a147 a148 a149 a150 a151 a152 a153 a154 a155 a156 a157 a158 a159 a160
        a161 a162 a163 a164 a165 a166 a167 a168 a169 a170 a171 a172 a173 a174 a175 a176 a177 a178 a179 a180 a181 a182 a183
        a184 a185 a186 a187 a188 a189 a190 a191 a192 a193 a194 a195 a196 a197 a198 a199 a200 a201 a202 a203 a204 a205 a206
        a207 a208 a209 a210 a211 a212 a213 a214 a215 a216 a217 a218 a219 a220 a221 a222 a223 a224 a225 a226 a227 a228 a229
        a230 a231 a232 a233 a234 a235 a236 a237 a238 a239 a240 a241 a242 a243 a244 a245 a246 a247 a248 a249 a250 a251 a252
        a253 a254 a255 a256
    }

    /// A model that differs in several ways from the lines that its test has released.
    #[derive(Resource)]
    #[resource(type_name = "small", version = 0)]
    struct Small {
        a: String,
        b: i64,
        inner: String,
    }

    /// The message about a released version 0 of [`Small`] with these lines.
    fn refusal_of_small(status: &str, lines: &str) -> Option<String> {
        let text = format!("small\t0\t{status}\t0\t0\tforms\t\n\n\n\nunknown\n\n\n\n{lines}");
        let text: &'static str = Box::leak(text.into_boxed_str());
        std::panic::catch_unwind(|| check_locked(Small::TABLE, 0, text))
            .err()
            .map(|panic| *panic.downcast().unwrap())
    }

    #[test]
    fn every_difference_is_in_the_first_sentence() {
        let lines = "a = \"number\"\tu8\nc = \"bool\"\ninner = nested single\ninner.x = \"bool\"\n";
        let message = refusal_of_small("", lines).expect("refused");
        let first = "the stored shape of `small` changed, and version 0 was released [U0017]: `a` is `String` now, and was `u8`; `b` is new, \
                     and state without it cannot be read: its field is not an `Option`; `inner` is `String` now, and was `{ … }`; `c` is gone, \
                     which was `bool`";
        assert_eq!(message.lines().next(), Some(first));
        let message = refusal_of_small("prior", lines).expect("refused");
        assert!(message.contains("`b` is new; `inner` is"), "{message}");
        let gone = (0..40)
            .map(|number| format!("d{number:02} = \"bool\"\n"))
            .collect::<Vec<_>>()
            .concat();
        let message = refusal_of_small("", &gone).expect("refused");
        assert!(
            message
                .lines()
                .next()
                .is_some_and(|line| line.ends_with(" more")),
            "{message}"
        );
        assert!(message.ends_with(NOTE), "{message}");
    }

    #[test]
    fn the_field_of_an_operator_is_refused_if_it_differs_first() {
        let text = "small\t0\tprior\t0\t0\tforms\tto this upgrader\na\t\n\n\nunknown\n\n\na = \"number\"\tu8\ninner = \"string\"\n";
        let refused = |name: &'static str| {
            std::panic::catch_unwind(|| check_operand(Small::TABLE, 0, text, name)).is_err()
        };
        assert!(refused("a"));
        assert!(!refused("inner") && !refused("b"));
    }

    #[test]
    fn what_is_as_it_was_released_does_not_differ() {
        let (shape, values) = of_table(Small::TABLE);
        let is_other = |shape: u64, aliases: &str| {
            let header = format!("small\t0\tprior\t{shape:x}\t{values:x}\tforms\tto this upgrader");
            let text = format!("{header}\n\n\n\nunknown\n{aliases}\n\n\n");
            differs(Small::TABLE, 0, Box::leak(text.into_boxed_str()))
        };
        assert!(!is_other(shape, ""));
        assert!(is_other(shape, "a\told\t") && is_other(shape ^ 1, ""));
        assert!(!differs(Small::TABLE, Small::TABLE.released(), ""));
    }

    #[derive(crate::Document)]
    #[document(type_name = "lamp")]
    #[allow(dead_code)]
    struct Lamp {
        state: State,
    }

    #[derive(crate::Union)]
    #[allow(dead_code)]
    enum State {
        Off,
        #[attribute(other)]
        Unknown,
    }

    #[derive(crate::Document)]
    #[document(type_name = "lamp")]
    #[allow(dead_code)]
    struct Strict {
        state: Known,
    }

    #[derive(crate::Union)]
    #[allow(dead_code)]
    enum Known {
        Off,
    }

    #[derive(crate::Document)]
    #[document(type_name = "lamp")]
    #[allow(dead_code)]
    struct Flat {
        #[attribute(flatten)]
        kind: Kind,
    }

    #[derive(crate::Union)]
    #[union(tag = "kind")]
    #[allow(dead_code)]
    enum Kind {
        Off,
        #[attribute(other)]
        Unknown,
    }

    #[derive(crate::Document)]
    #[document(type_name = "lamp")]
    #[allow(dead_code)]
    struct StrictFlat {
        #[attribute(flatten)]
        kind: KnownKind,
    }

    #[derive(crate::Union)]
    #[union(tag = "kind")]
    #[allow(dead_code)]
    enum KnownKind {
        Off,
    }

    #[test]
    fn an_enum_that_read_other_names_reads_them_still() {
        let refused = |table: &'static Table, path: &str| {
            let (shape, values) = of_table(table);
            let header = format!("lamp\t0\tdocument\t{shape:x}\t{values:x}\tforms\t");
            let text: &'static str =
                Box::leak(format!("{header}\n\n\n\nunknown\n{path}\t*\t\n\n\n").into_boxed_str());
            let check = std::panic::AssertUnwindSafe(|| check_locked(table, 0, text));
            std::panic::catch_unwind(check)
                .err()
                .map(|panic| *panic.downcast::<String>().unwrap())
        };
        for (lamp, strict, path, name) in [
            (Lamp::TABLE, Strict::TABLE, "state", "`state`"),
            (Flat::TABLE, StrictFlat::TABLE, "*", "the flattened enum"),
        ] {
            assert_eq!(refused(lamp, path), None);
            let message = refused(strict, path).expect("refused");
            let first = format!(
                "version 0 of `lamp` was released, and {name} no longer reads variants of other names [U0017]"
            );
            assert_eq!(message.lines().next(), Some(&*first));
            assert!(
                message.contains("help: write `other` above a variant there again"),
                "{message}"
            );
        }
    }

    #[derive(crate::Document)]
    #[document(type_name = "lamp")]
    #[allow(dead_code)]
    struct Partly {
        tones: Vec<Tone>,
    }

    #[derive(crate::Union)]
    #[allow(dead_code)]
    enum Tone {
        Dim {
            level: u8,
        },
        #[attribute(untagged)]
        Own {
            tone: u8,
        },
    }

    #[test]
    fn a_released_variant_keeps_or_lacks_its_tag() {
        let (shape, values) = of_table(Partly::TABLE);
        let refused = |untagged: &str, is_prior: bool| {
            let status = if is_prior { "prior" } else { "document" };
            let lines = r#"tones = ["list",["union","external",[["Dim",["object",{"level":"number"}]],["Own",["object",{"tone":"number"}]]]]]"#;
            let text = format!(
                "lamp\t0\t{status}\t{shape:x}\t{values:x}\tforms\t\n\n\n\nunknown\n\n{untagged}\n\n{lines}\n"
            );
            let text: &'static str = Box::leak(text.into_boxed_str());
            let check = std::panic::AssertUnwindSafe(|| check_locked(Partly::TABLE, 0, text));
            std::panic::catch_unwind(check)
                .err()
                .map(|panic| *panic.downcast::<String>().unwrap())
        };
        assert_eq!(refused("tones\tOwn\t", false), None);
        assert_eq!(refused("tones\tOwn\t", true), None);
        // One that is gone has no name either.
        assert_eq!(refused("tones\tOwn\ttones\tOld\t", false), None);
        let became = refused("", false).expect("refused");
        let changed = "the stored shape of `lamp` changed, and version 0 was released [U0017]";
        assert_eq!(
            became.lines().next(),
            Some(&*format!(
                "{changed}: `tones.Own` is `untagged` now, and was not"
            ))
        );
        assert!(became.contains("no operator does this"), "{became}");
        let line = r#"@untagged = {"tones":["Own"]}"#;
        let note = format!(
            "\nnote: older locks do not say which variants have no tag; if these had none when that version was released, add `{line}` below the first line of its entry"
        );
        assert!(became.ends_with(&format!("{NOTE}{note}")), "{became}");
        let ceased = refused("tones\tOwn\ttones\tDim\t", true).expect("refused");
        let differs = "`Partly` differs from the released version 0 of `lamp` [U0017]";
        assert_eq!(
            ceased.lines().next(),
            Some(&*format!("{differs}: `tones.Dim` is no longer `untagged`"))
        );
        assert!(ceased.ends_with(NOTE), "{ceased}");
    }

    type Four<T> = (T, T, T, T);

    #[derive(crate::Document)]
    #[document(type_name = "lamp")]
    #[allow(dead_code)]
    struct Large {
        #[attribute(flatten)]
        kind: LargeKind,
        sums: Four<Four<Four<Four<bool>>>>,
        #[attribute(default = 1)]
        tone: u8,
    }

    #[derive(crate::Union)]
    #[union(tag = "kind")]
    #[allow(dead_code, clippy::large_enum_variant)]
    enum LargeKind {
        Off,
        Own { parts: Four<Four<Four<Four<bool>>>> },
    }

    #[test]
    fn a_type_that_no_message_has_room_for_is_compared_to_its_end() {
        let four = |ty: &str| format!(r#"["tuple",[{ty},{ty},{ty},{ty}]]"#);
        let large = four(&four(&four(&four("\"bool\""))));
        let (start, end) = large.rsplit_once("\"bool\"").unwrap();
        let other = format!("{start}\"string\"{end}");
        let refused = |parts: &str, sums: &str| {
            let variants =
                format!(r#"["Off",["tuple",[]]],["Own",["object",{{"parts":{parts}}}]]"#);
            let flattened = format!("\t[\"union\",\"internal kind\",[{variants}]]\t\t");
            let header = "lamp\t0\tdocument\t0\t0\tforms\t";
            let text = format!("{header}\n\n\n\n{flattened}\n\n\n\nsums = {sums}\n");
            let text: &'static str = Box::leak(text.into_boxed_str());
            let check = std::panic::AssertUnwindSafe(|| check_locked(Large::TABLE, 0, text));
            std::panic::catch_unwind(check)
                .err()
                .map(|panic| *panic.downcast::<String>().unwrap())
        };
        assert_eq!(refused(&large, &large), None);
        assert!(refused(&large, &other).is_some());
        assert!(refused(&other, &large).is_some());
    }

    #[derive(crate::Document)]
    #[document(type_name = "lamp")]
    #[allow(dead_code)]
    struct PartlyFlat {
        #[attribute(flatten)]
        shade: Shade,
    }

    #[derive(crate::Union)]
    #[union(tag = "shade")]
    #[allow(dead_code)]
    enum Shade {
        Cloth {
            colour: String,
        },
        #[attribute(untagged)]
        Own {
            maker: String,
        },
        #[attribute(untagged)]
        Lent {
            owner: String,
        },
    }

    #[test]
    fn a_released_variant_of_a_flattened_enum_keeps_or_lacks_its_tag_and_its_place() {
        let (shape, values) = of_table(PartlyFlat::TABLE);
        let refused = |untagged: &str| {
            let variant = |name: &str, member: &str| {
                format!(r#"["{name}",["object",{{"{member}":"string"}}]]"#)
            };
            let variants = [
                variant("Cloth", "colour"),
                variant("Own", "maker"),
                variant("Lent", "owner"),
            ]
            .join(",");
            let flattened = format!("\t[\"union\",\"internal shade\",[{variants}]]\t\t");
            let text = format!(
                "lamp\t0\tdocument\t{shape:x}\t{values:x}\tforms\t\n\n\n\n{flattened}\n\n{untagged}\n\n"
            );
            let text: &'static str = Box::leak(text.into_boxed_str());
            let check = std::panic::AssertUnwindSafe(|| check_locked(PartlyFlat::TABLE, 0, text));
            std::panic::catch_unwind(check)
                .err()
                .map(|panic| *panic.downcast::<String>().unwrap())
        };
        assert_eq!(refused("*\tOwn\t*\tLent\t"), None);
        for (untagged, problem) in [
            ("", "`*.Own` is `untagged` now, and was not"),
            (
                "*\tOwn\t*\tLent\t*\tCloth\t",
                "`*.Cloth` is no longer `untagged`",
            ),
            (
                "*\tLent\t*\tOwn\t",
                "`*` has the variant \"Own\" elsewhere, and of those that fit equally well the first is read",
            ),
        ] {
            let message = refused(untagged).expect("refused");
            assert!(
                message.contains(&format!(" was released [U0017]: {problem}\n")),
                "{message}"
            );
            let line = r#"add `@untagged = {"*":["Own","Lent"]}` below"#;
            assert_eq!(message.contains(line), untagged.is_empty(), "{message}");
        }
    }

    /// The message about the lock's entry with these lines, which are sorted.
    fn refusal(lines: &[String]) -> Option<String> {
        let text = format!(
            "wide\t0\tprior\t0\t0\tforms\tto this upgrader\n\n\n\nunknown\n\n\n\n{}",
            lines.concat()
        );
        let text: &'static str = Box::leak(text.into_boxed_str());
        std::panic::catch_unwind(|| check_difference(Wide::TABLE, 0, text))
            .err()
            .map(|panic| *panic.downcast().unwrap())
    }

    #[test]
    fn a_difference_of_more_members_than_a_proposal_looks_at_is_refused() {
        let released: Vec<String> = (0..257)
            .map(|number| format!("a{number:03} = \"bool\"\n"))
            .collect();
        assert_eq!(refusal(&released), None);
        let mut other = released.clone();
        other[256] = "a256 = \"string\"\n".to_owned();
        let message = refusal(&other).expect("refused");
        assert!(
            message.contains("version 0 of `wide` was released with another shape [U0018]: `a256`"),
            "{message}"
        );
        other[256] = "a257 = \"bool\"\n".to_owned();
        let message = refusal(&other).expect("refused");
        assert!(
            message.contains("`a256`") || message.contains("`a257`"),
            "{message}"
        );
    }
}
