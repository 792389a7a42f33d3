//! TOML edited in place: only what changed is rewritten.
//!
//! Members keep their order, comments and spacing; a renamed one keeps its place, and one that
//! moves to another table takes its comments along.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Bound;

use memchr::memchr;
use toml_edit::{
    Array, ArrayOfTables, Datetime, Decor, Document, InlineTable, Item, Key, RawString, Table,
    Value,
};
use upstate::Diagnostic;
use upstate::schema::Type;

use super::layout;
use super::read::{Source, digits};
use super::write::{self, Lines};
use crate::document::edits::{Edits, Extra, Written, goals_of};
use crate::document::pairs::{StoredKey, are_in_place};
use crate::document::place::{Names, Place, element_type, inside, is_set, member_type, split};
use crate::document::sets::{Held, in_stored_order, is_permutation};
use crate::document::text::MARK;
use crate::document::tree::{ByName, Numbers, Tree, equal_numbers};

type Members<'t> = [(Cow<'t, str>, Tree<'t>)];

/// The stored document with these values.
///
/// # Errors
/// A number is one that TOML does not have.
pub(in crate::document) fn edited(
    source: Source,
    new: &Tree<'_>,
    edits: &Edits,
) -> Result<Written, Diagnostic> {
    let Source {
        document,
        text: raw,
        mark,
    } = source;
    let lines = |end: &str| raw.matches(end).count();
    let windows = memchr(b'\r', raw.as_bytes()).is_some() && lines("\r\n") == lines("\n");
    // The line ends of a new string would become those of the file.
    let lines = if windows {
        Lines::Escaped
    } else {
        Lines::Written
    };
    let mut document = Document::into_mut(document);
    let written = layout::is_odd(&raw).then(|| document.to_string());
    // Before the first edit, because an upgrader reads the document as it was stored.
    let mut moved = BTreeMap::new();
    for (new, old) in edits.moves() {
        if let Some((key, item)) = entry(document.as_table(), old) {
            moved.insert(new.clone(), (old.clone(), key, item));
        }
    }
    for (new, old) in edits.merges() {
        for (key, item) in members(document.as_table(), old) {
            moved
                .entry(inside(new, key.get()))
                .or_insert((inside(old, key.get()), key, item));
        }
    }
    let Tree::Object(members) = new else {
        return write::written(new).map(Written::unsettled);
    };
    let was_empty = document.as_table().is_empty();
    let editor = Editor {
        edits,
        lines,
        moved,
        changed: Cell::new(false),
        is_settled: Cell::new(true),
        from_lines: RefCell::default(),
    };
    let place = Place::of(&edits.known.ty);
    editor.table(document.as_table_mut(), members, &place)?;
    if was_empty
        && let Some(comments) = document.trailing().as_str().map(str::to_owned)
        && begin(document.as_table_mut(), &comments)
    {
        document.set_trailing("");
    }
    let written_so = |text: String| Written {
        bytes: with_mark(text, mark),
        is_settled: editor.is_settled.get(),
    };
    if !editor.changed.get() {
        return Ok(written_so(raw.to_string()));
    }
    // `toml_edit` ends each line that has a value with a line feed alone.
    let ended = |text: String| {
        if windows {
            text.replace("\r\n", "\n").replace('\n', "\r\n")
        } else {
            text
        }
    };
    let edited = ended(document.to_string());
    Ok(written_so(layout::restored(
        &raw,
        written.map(ended),
        edited,
    )))
}

fn with_mark(mut text: String, mark: bool) -> Vec<u8> {
    if mark {
        text.insert_str(0, MARK);
    }
    text.into_bytes()
}

struct Editor<'e> {
    edits: &'e Edits,
    lines: Lines,
    changed: Cell<bool>,
    /// True until other [`Numbers`] would make another document.
    is_settled: Cell<bool>,
    /// Members that are in other tables now: by the new path, with the stored one.
    moved: BTreeMap<Names, (Names, Key, Item)>,
    /// Comments of what is in an inline table now, or was in an array. They go above that, because
    /// they would make the rest of its line part of them.
    from_lines: RefCell<String>,
}

/// An entry of a table, stored or new.
type Entry = (Key, Item);

impl Editor<'_> {
    fn table(
        &self,
        table: &mut Table,
        new: &Members<'_>,
        place: &Place<'_>,
    ) -> Result<(), Diagnostic> {
        if self
            .edits
            .are_these(place, table.iter().map(|(name, _)| name), new)
        {
            let new = ByName::of(new);
            for (mut key, item) in table.iter_mut() {
                let name = key.get();
                if let Some(value) = new.get(name) {
                    let place = place.member(name, name);
                    if !self.item(item, value, &place)? {
                        self.changed.set(true);
                        let fresh = self.fresh_item(value, true, &place)?;
                        let old = std::mem::replace(item, fresh);
                        let above = comments_of(&old, item);
                        key.leaf_decor_mut().clear();
                        keep_above(&above, key.leaf_decor_mut(), item);
                    }
                }
                put_above(key.leaf_decor_mut(), &self.from_lines.take());
            }
            return Ok(());
        }
        self.changed.set(true);
        let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
        // From the end, since what is behind a removed entry moves up.
        let mut old: Vec<Entry> = names
            .iter()
            .rev()
            .filter_map(|name| table.remove_entry(name))
            .collect();
        old.reverse();
        for (key, item) in self.rearranged(old, new, place, true)? {
            table.insert_formatted(&key, item);
        }
        Ok(())
    }

    fn inline(
        &self,
        table: &mut InlineTable,
        new: &Members<'_>,
        place: &Place<'_>,
    ) -> Result<(), Diagnostic> {
        if self
            .edits
            .are_these(place, table.iter().map(|(name, _)| name), new)
        {
            let new = ByName::of(new);
            for (name, value) in table.iter_mut() {
                let name = name.get();
                if let Some(wanted) = new.get(name) {
                    self.value(value, wanted, &place.member(name, name))?;
                }
            }
            return Ok(());
        }
        self.changed.set(true);
        let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
        let mut old: Vec<Entry> = names
            .iter()
            .rev()
            .filter_map(|name| table.remove_entry(name))
            .map(|(key, value)| (key, Item::Value(value)))
            .collect();
        old.reverse();
        // The blank before the closing brace belongs to whichever is last.
        let end = old
            .last_mut()
            .and_then(|(_, item)| item.as_value_mut())
            .map(|value| take_suffix(value.decor_mut()));
        let mut entries = self.rearranged(old, new, place, false)?;
        if let (Some(end), Some((_, Item::Value(last)))) = (end, entries.last_mut()) {
            last.decor_mut().set_suffix(end);
        }
        for (key, item) in entries {
            if let Ok(value) = item.into_value() {
                table.insert_formatted(&key, value);
            }
        }
        Ok(())
    }

    /// The answer for the numbers of this edit, with a note if it is another one for others.
    fn stays(&self, compare: impl Fn(Numbers) -> bool) -> bool {
        let answer = compare(self.edits.numbers);
        let others = Numbers::ALL
            .iter()
            .filter(|numbers| **numbers != self.edits.numbers);
        if others.copied().any(|numbers| compare(numbers) != answer) {
            self.is_settled.set(false);
        }
        answer
    }

    /// That, where every member counts.
    fn is_same(&self, compare: impl Fn((Extra, Numbers)) -> bool) -> bool {
        self.stays(|numbers| compare((Extra::Differs, numbers)))
    }

    /// The entries of a table in their new order: stored ones where they were, new ones behind
    /// them.
    fn rearranged(
        &self,
        old: Vec<Entry>,
        new: &Members<'_>,
        place: &Place<'_>,
        in_table: bool,
    ) -> Result<Vec<Entry>, Diagnostic> {
        let mut old = old;
        // A comment that a blank line separates from the first member is the document's, so that it
        // stays with no member.
        let header = if place.is_root() {
            old.first_mut()
                .and_then(|(key, item)| take_header(key, item))
        } else {
            None
        };
        let names: Vec<&str> = old.iter().map(|(key, _)| key.get()).collect();
        // In whichever digits, because those of a number that stays may have to be others.
        let same = |index: usize, value: &Tree<'_>| {
            let by = (Extra::Differs, Numbers::Equal);
            old.get(index)
                .is_some_and(|(_, item)| compares_item(item, value, None, by))
        };
        let origins = self.edits.origins(place, &names, new, same);
        let mut entries = Vec::with_capacity(new.len());
        let (mut added, mut merged) = (Vec::new(), Vec::new());
        let goals = goals_of(&origins, old.len());
        for ((mut key, mut item), goal) in old.into_iter().zip(goals) {
            let Some((name, value)) = goal.and_then(|goal| new.get(goal)) else {
                let is_taken = || new.iter().any(|(name, _)| *name == key.get());
                if self.edits.keeps(place, key.get()) && !is_taken() {
                    entries.push((key, item));
                } else if let Some(goal) = self.edits.goal(place, key.get(), new) {
                    merged.push((goal, comments(&mut key, &mut item)));
                }
                continue;
            };
            let (old, key) = (key.get().to_owned(), renamed(key, name));
            let place = place.member(&old, name);
            let (mut key, mut item) = if self.item(&mut item, value, &place)? {
                (key, item)
            } else {
                replaced(&key, &item, self.fresh_item(value, in_table, &place)?)
            };
            if in_table {
                put_above(decor_above(&mut key, &mut item), &self.from_lines.take());
            }
            entries.push((key, item));
        }
        for ((name, value), _) in new
            .iter()
            .zip(&origins)
            .filter(|(_, origin)| origin.is_none())
        {
            added.push(self.added(name, value, place, in_table)?);
        }
        let mut entries = self.placed(entries, added, place);
        for (goal, comments) in merged.into_iter().rev() {
            match entries
                .iter_mut()
                .find(|(key, _)| in_table && key.get() == goal)
            {
                Some((key, item)) => put_above(decor_above(key, item), &comments),
                None => *self.from_lines.borrow_mut() += &comments,
            }
        }
        if let (Some(header), Some((key, item))) = (header, entries.first_mut()) {
            let decor = decor_above(key, item);
            let rest = text_of(decor.prefix()).to_owned();
            decor.set_prefix(header + &rest);
        }
        Ok(entries)
    }

    /// The entries with the new ones behind them; those that a document begins with before them.
    fn placed(&self, mut entries: Vec<Entry>, added: Vec<Entry>, place: &Place<'_>) -> Vec<Entry> {
        let leads = |(key, _): &Entry| {
            place.is_root() && self.edits.first.iter().any(|name| name == key.get())
        };
        let (mut lead, rest): (Vec<Entry>, Vec<Entry>) = added.into_iter().partition(leads);
        if !lead.is_empty() {
            lead.append(&mut entries);
            entries = lead;
        }
        entries.extend(rest);
        entries
    }

    /// A member that its object did not have: from another object, or new.
    fn added(
        &self,
        name: &str,
        value: &Tree<'_>,
        place: &Place<'_>,
        in_table: bool,
    ) -> Result<Entry, Diagnostic> {
        let member = place.member(name, name);
        if !self.moved.is_empty()
            && let new = member.new_path()
            && let Some((old, key, item)) = self.moved.get(&new)
            && (in_table || item.is_value())
        {
            let (mut key, mut item) = (renamed(key.clone(), name), item.clone());
            if !in_table {
                *self.from_lines.borrow_mut() += &comments(&mut key, &mut item);
                key.leaf_decor_mut().clear();
                item.as_value_mut().map(Value::decor_mut).map(Decor::clear);
            }
            let place = place.moved(old, &new);
            if self.item(&mut item, value, &place)? {
                return Ok((key, item));
            }
            return Ok(replaced(
                &key,
                &item,
                self.fresh_item(value, in_table, &place)?,
            ));
        }
        if in_table
            && let Tree::Object(members) = value
            && self.has_moved_into(&member)
        {
            let mut table = Table::new();
            for (name, value) in members {
                let (key, item) = self.added(name, value, &member, true)?;
                table.insert_formatted(&key, item);
            }
            return Ok((Key::new(name), Item::Table(write::with_header(table))));
        }
        Ok((Key::new(name), self.fresh_item(value, in_table, &member)?))
    }

    /// True if a member of another object is in this one now.
    fn has_moved_into(&self, place: &Place<'_>) -> bool {
        if self.moved.is_empty() {
            return false;
        }
        let path = place.new_path();
        // A path that begins with this one comes right after it, so that one look is enough.
        let after = (Bound::Excluded(path.as_slice()), Bound::Unbounded);
        self.moved
            .range::<[String], _>(after)
            .next()
            .is_some_and(|(new, _)| new.starts_with(&path))
    }

    fn fresh(&self, value: &Tree<'_>, place: &Place<'_>) -> Result<Value, Diagnostic> {
        write::value(value, place, self.lines)
    }

    fn fresh_item(
        &self,
        value: &Tree<'_>,
        in_table: bool,
        place: &Place<'_>,
    ) -> Result<Item, Diagnostic> {
        write::item(value, in_table, place, self.lines)
    }

    /// Makes an item hold a value; false if it is of another kind and must be replaced.
    fn item(&self, item: &mut Item, new: &Tree<'_>, place: &Place<'_>) -> Result<bool, Diagnostic> {
        if rewrapped(item, new) {
            self.changed.set(true);
        }
        match (item, new) {
            (Item::Table(table), Tree::Object(members)) => self.table(table, members, place)?,
            (Item::ArrayOfTables(tables), Tree::Array(elements)) if !elements.is_empty() => {
                return self.tables(tables, elements, place);
            }
            // A table of its own cannot be in one line, nor the other way round without a loss of
            // comments.
            (Item::Value(value), new) => self.value(value, new, place)?,
            (Item::None | Item::Table(_) | Item::ArrayOfTables(_), _) => return Ok(false),
        }
        Ok(true)
    }

    fn value(
        &self,
        value: &mut Value,
        new: &Tree<'_>,
        place: &Place<'_>,
    ) -> Result<(), Diagnostic> {
        match (&mut *value, new) {
            (Value::InlineTable(table), Tree::Object(members)) => {
                return self.inline(table, members, place);
            }
            (Value::Array(array), Tree::Array(elements)) => {
                return self.array(array, elements, place);
            }
            // Not for all numbers, because none of these is one.
            (Value::String(old), Tree::String(new)) if old.value() == new => return Ok(()),
            (Value::Boolean(old), Tree::Bool(new)) if old.value() == new => return Ok(()),
            (old, new) if self.is_same(|by| compares(old, new, place.ty, by)) => return Ok(()),
            _ => {}
        }
        self.changed.set(true);
        add_inside(value, &mut self.from_lines.borrow_mut());
        let decor = value.decor().clone();
        let mut replacement = match (&*value, new) {
            (Value::Datetime(_), Tree::String(string)) => match string.parse::<Datetime>() {
                // A date in another form than TOML's own is another string when it is read.
                Ok(date)
                    if self.stays(|numbers| {
                        numbers != Numbers::AndDates || date.to_string() == **string
                    }) =>
                {
                    Value::from(date)
                }
                Ok(_) | Err(_) => self.fresh(new, place)?,
            },
            (Value::Float(_), Tree::Number(digits))
                if self.stays(|numbers| numbers == Numbers::Equal) =>
            {
                match digits.parse::<f64>() {
                    Ok(float) if equal_numbers(&float.to_string(), digits) => Value::from(float),
                    _ => self.fresh(new, place)?,
                }
            }
            _ => self.fresh(new, place)?,
        };
        *replacement.decor_mut() = decor;
        *value = replacement;
        Ok(())
    }

    fn array(
        &self,
        array: &mut Array,
        new: &[Tree<'_>],
        place: &Place<'_>,
    ) -> Result<(), Diagnostic> {
        let ty = place.ty;
        if self.is_same(|by| compares_array(array, new, ty, by)) {
            return Ok(());
        }
        let alike = |index: usize, value: &Tree<'_>| {
            let passes = (Extra::Passes, Numbers::Equal);
            array
                .get(index)
                .is_some_and(|old| compares(old, value, element_type(ty, index), passes))
        };
        let held = |at: usize, member: Option<&str>| held_by(array.get(at)?, member);
        let new = in_stored_order(ty, array.len(), new, alike, held);
        let key = |at: usize, name: &str| {
            let table = array.get(at).and_then(Value::as_inline_table)?;
            key_of(table, name)
        };
        let matched = self.edits.elements(place, array.len(), &new, alike, key);
        if are_in_place(&matched, array.len()) && !is_set(ty) {
            // Each in its place, because what is around them stays so.
            for (index, (stored, value)) in array.iter_mut().zip(new).enumerate() {
                self.value(stored, value, &place.element(index))?;
            }
            return Ok(());
        }
        self.changed.set(true);
        let old = Elements::of(array);
        let style = old.list.last().map(|(last, _)| element_style(last.decor()));
        let mut left: Vec<Option<(Value, String)>> = old.list.into_iter().map(Some).collect();
        let mut elements = Vec::with_capacity(new.len());
        for (index, (value, origin)) in new.iter().zip(&matched).enumerate() {
            let place = place.element(index);
            let stored = origin.and_then(|origin| left.get_mut(origin).and_then(Option::take));
            if let Some((mut stored, after)) = stored {
                self.value(&mut stored, value, &place)?;
                elements.push((stored, after));
                continue;
            }
            let mut fresh = self.fresh(value, &place)?;
            if let Some(style) = &style {
                fresh.decor_mut().set_prefix(style.clone());
            }
            elements.push((fresh, String::new()));
        }
        Elements {
            list: elements,
            trailing: old.trailing,
            end: old.end,
        }
        .put(array);
        Ok(())
    }

    fn tables(
        &self,
        tables: &mut ArrayOfTables,
        new: &[Tree<'_>],
        place: &Place<'_>,
    ) -> Result<bool, Diagnostic> {
        if !new.iter().all(|one| matches!(one, Tree::Object(_))) {
            return Ok(false);
        }
        let ty = place.ty;
        let alike = |index: usize, value: &Tree<'_>| {
            let passes = (Extra::Passes, Numbers::Equal);
            tables
                .get(index)
                .is_some_and(|old| compares_table(old, value, element_type(ty, index), passes))
        };
        let held = |at: usize, member: Option<&str>| held_in(tables.get(at)?, member);
        let ordered = in_stored_order(ty, tables.len(), new, alike, held);
        let key = |at: usize, name: &str| tables.get(at).and_then(|table| key_of(table, name));
        let matched = self
            .edits
            .elements(place, tables.len(), &ordered, alike, key);
        if are_in_place(&matched, tables.len()) && !is_set(ty) {
            for (index, (stored, value)) in tables.iter_mut().zip(new).enumerate() {
                if let Tree::Object(members) = value {
                    self.table(stored, members, &place.element(index))?;
                }
            }
            return Ok(true);
        }
        let old: Vec<Table> = tables.iter().cloned().collect();
        if is_set(ty)
            && self.is_same(|by| {
                let same = |index: usize, value: &Tree<'_>| {
                    old.get(index)
                        .is_some_and(|old| compares_table(old, value, element_type(ty, 0), by))
                };
                let held = |at: usize, member: Option<&str>| held_in(old.get(at)?, member);
                is_permutation(old.len(), new, same, held)
            })
        {
            return Ok(true);
        }
        if !are_in_place(&matched, old.len()) {
            self.changed.set(true);
        }
        let mut left = old.into_iter().map(Some).collect::<Vec<_>>();
        let mut positions = Vec::new();
        let mut result = ArrayOfTables::new();
        for (index, (value, origin)) in ordered.into_iter().zip(&matched).enumerate() {
            let Tree::Object(members) = value else {
                continue;
            };
            let place = place.element(index);
            match origin.and_then(|origin| left.get_mut(origin).and_then(Option::take)) {
                Some(mut stored) => {
                    self.table(&mut stored, members, &place)?;
                    positions.extend(stored.position());
                    result.push(stored);
                }
                None => result.push(write::table(members, &place, self.lines)?),
            }
        }
        if !positions.is_sorted() {
            // Tables are written in the order of their positions in the file, and one that has none
            // behind the one before it.
            result.iter_mut().for_each(without_positions);
            if let Some(first) = result.get_mut(0) {
                first.set_position(positions.into_iter().min());
            }
        }
        *tables = result;
        Ok(true)
    }
}

/// Lets a table and those in it be written behind the one before it.
fn without_positions(table: &mut Table) {
    table.set_position(None);
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(inner) => without_positions(inner),
            Item::ArrayOfTables(inner) => inner.iter_mut().for_each(without_positions),
            Item::Value(_) | Item::None => {}
        }
    }
}

/// Puts the comments of a document without members before those that it has now. True if there are
/// any.
fn begin(table: &mut Table, comments: &str) -> bool {
    let Some(first) = table.iter().next().map(|(name, _)| name.to_owned()) else {
        return false;
    };
    match table.key_mut(&first) {
        Some(mut key) if comments.contains('#') => {
            key.leaf_decor_mut().set_prefix(comments.to_owned());
            true
        }
        Some(_) | None => false,
    }
}

/// Puts a table that is in a list now there with its comments, or takes the only table of a list
/// out. True if it did.
fn rewrapped(item: &mut Item, new: &Tree<'_>) -> bool {
    match (&mut *item, new) {
        // A dotted key is in the table around it, which a list of tables cannot be.
        (Item::Table(table), Tree::Array(elements))
            if !table.is_dotted() && matches!(elements[..], [Tree::Object(_)]) =>
        {
            let mut table = std::mem::take(table);
            table.set_implicit(false);
            *item = Item::ArrayOfTables(ArrayOfTables::from_iter([table]));
            true
        }
        (Item::ArrayOfTables(tables), Tree::Object(_)) if tables.len() == 1 => {
            match tables.get_mut(0) {
                Some(table) => {
                    *item = Item::Table(std::mem::take(table));
                    true
                }
                None => false,
            }
        }
        (Item::Table(_) | Item::ArrayOfTables(_) | Item::Value(_) | Item::None, _) => false,
    }
}

/// The members of a stored table or object.
fn members(table: &Table, path: &[String]) -> Vec<Entry> {
    let Some((_, item)) = entry(table, path) else {
        return Vec::new();
    };
    let Some(table) = item.as_table_like() else {
        return Vec::new();
    };
    table
        .iter()
        .filter_map(|(name, item)| Some((table.key(name)?.clone(), item.clone())))
        .collect()
}

/// A stored entry, by its path through tables.
fn entry(table: &Table, path: &[String]) -> Option<Entry> {
    let (parent, name) = split(path);
    let mut table: &dyn toml_edit::TableLike = table;
    for step in parent {
        table = table.get(step)?.as_table_like()?;
    }
    Some((table.key(name)?.clone(), table.get(name)?.clone()))
}

/// The elements of an array, each with the comment behind it in its line.
struct Elements {
    list: Vec<(Value, String)>,
    /// Blanks and comments before the closing bracket.
    trailing: String,
    /// Blanks behind the last element, if that has no comma.
    end: String,
}

impl Elements {
    fn of(array: &Array) -> Self {
        let mut list: Vec<(Value, String)> = array
            .iter()
            .map(|value| (value.clone(), String::new()))
            .collect();
        // The parser takes a comment behind a comma for one before the next element.
        for index in 1..list.len() {
            let Some(comment) = list
                .get_mut(index)
                .and_then(|(value, _)| take_first_line(value.decor_mut()))
            else {
                continue;
            };
            if let Some((_, after)) = list.get_mut(index - 1) {
                *after = comment;
            }
        }
        let mut trailing = array.trailing().as_str().unwrap_or_default().to_owned();
        let mut end = String::new();
        if let Some((last, after)) = list.last_mut() {
            if array.trailing_comma()
                && let Some((line, rest)) = first_line(&trailing)
            {
                (*after, trailing) = (line, rest);
            }
            if !last.decor().suffix().is_some_and(has_comment) {
                take_suffix(last.decor_mut())
                    .as_str()
                    .unwrap_or_default()
                    .clone_into(&mut end);
            }
        }
        Self {
            list,
            trailing,
            end,
        }
    }

    fn put(self, array: &mut Array) {
        array.clear();
        let last = self.list.len().saturating_sub(1);
        let mut comment = String::new();
        for (index, (mut value, after)) in self.list.into_iter().enumerate() {
            let prefix = value
                .decor()
                .prefix()
                .and_then(RawString::as_str)
                .unwrap_or(" ")
                .to_owned();
            let prefix = match (index, prefix.as_str()) {
                (0, " ") => String::new(),
                (1.., "") => " ".to_owned(),
                _ => prefix,
            };
            value
                .decor_mut()
                .set_prefix(std::mem::replace(&mut comment, after) + &prefix);
            if index == last {
                let suffix = text_of(value.decor().suffix()).to_owned();
                value.decor_mut().set_suffix(suffix + &self.end);
            }
            array.push_formatted(value);
        }
        let separator = if !comment.is_empty() && !self.trailing.starts_with(['\n', '\r']) {
            "\n"
        } else {
            ""
        };
        // A comment behind a comma needs one still, otherwise it would belong to the bracket.
        array.set_trailing_comma(array.trailing_comma() || !comment.is_empty());
        array.set_trailing(comment + separator + &self.trailing);
    }
}

/// The first line, if it holds a comment, and the rest with its line end.
fn first_line(text: &str) -> Option<(String, String)> {
    let (line, _) = text.split_once('\n')?;
    let line = line.strip_suffix('\r').unwrap_or(line);
    let rest = text.get(line.len()..)?;
    line.contains('#')
        .then(|| (line.to_owned(), rest.to_owned()))
}

fn take_first_line(decor: &mut Decor) -> Option<String> {
    let (line, rest) = first_line(decor.prefix()?.as_str()?)?;
    decor.set_prefix(rest);
    Some(line)
}

/// The key of this name that a stored element has.
fn key_of(element: &dyn toml_edit::TableLike, name: &str) -> Option<StoredKey> {
    let mut members = element.iter();
    let (_, key) = members.find(|(other, _)| other.eq_ignore_ascii_case(name))?;
    match key.as_value()? {
        Value::String(text) => Some((true, text.value().clone())),
        Value::Integer(number) => Some((false, number.value().to_string())),
        Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Array(_)
        | Value::InlineTable(_) => None,
    }
}

/// The scalar that a stored element of a set, or its member of this name, holds. Neither a date nor
/// a float of more digits than it keeps, because these are the same as two values.
fn held_by(element: &Value, member: Option<&str>) -> Option<Held> {
    let value = match member {
        Some(name) => element.as_inline_table()?.get(name)?,
        None => element,
    };
    match value {
        Value::String(text) => Some(Held::Text(text.value().clone())),
        Value::Integer(number) => Some(Held::number(&number.value().to_string())),
        Value::Float(number) => {
            let digits = digits(number, None)?;
            let kept = format!("{:?}", number.value());
            equal_numbers(&digits, &kept).then(|| Held::number(&digits))
        }
        Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::InlineTable(_) => None,
    }
}

/// That of a table.
fn held_in(element: &Table, member: Option<&str>) -> Option<Held> {
    held_by(element.get(member?)?.as_value()?, None)
}

/// True if a stored value is the new one, however it is written.
fn compares(old: &Value, new: &Tree<'_>, ty: Option<&Type>, by: (Extra, Numbers)) -> bool {
    let (_, numbers) = by;
    match (old, new) {
        (Value::String(old), Tree::String(new)) => old.value() == new,
        (Value::Integer(old), Tree::Number(new)) => {
            new.parse::<i64>().is_ok_and(|new| new == *old.value())
                || numbers.are_same(&old.value().to_string(), new)
        }
        (Value::Float(old), Tree::Number(new)) => match numbers {
            Numbers::Equal => digits(old, None).is_some_and(|old| equal_numbers(&old, new)),
            Numbers::OfOneKind | Numbers::AndDates => {
                digits(old, None).is_some_and(|old| old == *new)
                    || numbers.are_same(&format!("{:?}", old.value()), new)
            }
        },
        (Value::Boolean(old), Tree::Bool(new)) => old.value() == new,
        (Value::Datetime(old), Tree::String(new)) => {
            // Its string comes last, because it takes longer to make than a date to parse.
            numbers != Numbers::AndDates
                && new.parse::<Datetime>().is_ok_and(|new| new == *old.value())
                || old.value().to_string() == **new
        }
        (Value::Array(old), Tree::Array(new)) => compares_array(old, new, ty, by),
        (Value::InlineTable(old), new) => compares_table(old, new, ty, by),
        _ => false,
    }
}

fn compares_array(old: &Array, new: &[Tree<'_>], ty: Option<&Type>, by: (Extra, Numbers)) -> bool {
    let same = |index: usize, value: &Tree<'_>| {
        old.get(index)
            .is_some_and(|old| compares(old, value, element_type(ty, index), by))
    };
    if old.len() != new.len() {
        return false;
    }
    let held = |at: usize, member: Option<&str>| held_by(old.get(at)?, member);
    // A set has no order, so that of the file is as good.
    new.iter()
        .enumerate()
        .all(|(index, value)| same(index, value))
        || is_set(ty) && is_permutation(old.len(), new, same, held)
}

fn compares_table(
    old: &dyn toml_edit::TableLike,
    new: &Tree<'_>,
    ty: Option<&Type>,
    by: (Extra, Numbers),
) -> bool {
    /// The number of members up to which each is compared by its name, which takes less time than
    /// to hash that.
    const FEW: usize = 8;
    let Tree::Object(new) = new else { return false };
    let is_same = |name: &str, old: &Item, value: &Tree<'_>| {
        compares_item(old, value, member_type(ty, name), by)
    };
    if new.len() > FEW {
        let compared = |name: &str, value: &Tree<'_>| {
            old.get(name).is_some_and(|old| is_same(name, old, value))
        };
        return (by.0 == Extra::Passes || old.len() == new.len())
            && new.iter().all(|(name, value)| compared(name, value));
    }
    let mut found = 0;
    for (name, item) in old.iter() {
        match new.iter().find(|(wanted, _)| wanted == name) {
            Some((_, value)) if is_same(name, item, value) => found += 1,
            None if by.0 == Extra::Passes && !new.is_empty() => {}
            Some(_) | None => return false,
        }
    }
    found == new.len()
}

fn compares_item(old: &Item, new: &Tree<'_>, ty: Option<&Type>, by: (Extra, Numbers)) -> bool {
    match (old, new) {
        (Item::Value(old), new) => compares(old, new, ty, by),
        (Item::Table(old), new) => compares_table(old, new, ty, by),
        (Item::ArrayOfTables(old), Tree::Array(new)) => {
            old.len() == new.len()
                && old.iter().zip(new).enumerate().all(|(index, (old, new))| {
                    compares_table(old, new, element_type(ty, index), by)
                })
        }
        (Item::None | Item::ArrayOfTables(_), _) => false,
    }
}

/// A key with another name and what stood around it.
fn renamed(key: Key, name: &str) -> Key {
    if key.get() == name {
        return key;
    }
    Key::new(name)
        .with_leaf_decor(key.leaf_decor().clone())
        .with_dotted_decor(key.dotted_decor().clone())
}

/// A member whose value is of another kind, with the comments of the old one.
fn replaced(key: &Key, old: &Item, new: Item) -> Entry {
    let above = match old {
        Item::Table(_) | Item::ArrayOfTables(_) => comments_of(old, &new),
        Item::Value(_) | Item::None => text_of(key.leaf_decor().prefix()).to_owned(),
    };
    let (mut key, mut new) = (Key::new(key.get()), new);
    keep_above(&above, key.leaf_decor_mut(), &mut new);
    (key, new)
}

/// Puts comments above a new item, whose key has this decor.
fn keep_above(comments: &str, key: &mut Decor, item: &mut Item) {
    if !comments.contains('#') {
        return;
    }
    let decor = match item {
        Item::Table(table) => table.decor_mut(),
        Item::ArrayOfTables(tables) => match tables.get_mut(0) {
            Some(first) => first.decor_mut(),
            None => key,
        },
        Item::Value(_) | Item::None => key,
    };
    decor.set_prefix(comments);
}

/// The comments of a table, or of a list of tables, and of what is in it. Where the new value is a
/// list without elements, only those above it, because the others are about elements.
fn comments_of(old: &Item, new: &Item) -> String {
    let mut lines = String::new();
    match old {
        Item::Table(table) => {
            lines.push_str(text_of(table.decor().prefix()));
            add_comments(table, &mut lines);
        }
        Item::ArrayOfTables(tables) => {
            let has_none = new.as_array().is_some_and(Array::is_empty);
            for (index, table) in tables.iter().enumerate() {
                if index == 0 {
                    lines.push_str(text_of(table.decor().prefix()));
                } else if !has_none {
                    add_lines(table.decor().prefix(), &mut lines);
                }
                if !has_none {
                    add_comments(table, &mut lines);
                }
            }
        }
        Item::Value(_) | Item::None => {}
    }
    lines
}

/// Adds the comments behind the header of a table, and of its members, a line each.
fn add_comments(table: &Table, lines: &mut String) {
    add_lines(table.decor().suffix(), lines);
    for (name, item) in table {
        let key = table.key(name);
        add_lines(key.and_then(|key| key.leaf_decor().prefix()), lines);
        match item {
            Item::Value(value) => add_value(value, lines),
            Item::Table(inner) => {
                add_lines(inner.decor().prefix(), lines);
                add_comments(inner, lines);
            }
            Item::ArrayOfTables(tables) => {
                for inner in tables {
                    add_lines(inner.decor().prefix(), lines);
                    add_comments(inner, lines);
                }
            }
            Item::None => {}
        }
    }
}

/// Adds the comments around a value and in it.
fn add_value(value: &Value, lines: &mut String) {
    add_lines(value.decor().prefix(), lines);
    add_inside(value, lines);
    add_lines(value.decor().suffix(), lines);
}

/// Adds the comments in an array or in an inline table.
fn add_inside(value: &Value, lines: &mut String) {
    match value {
        Value::Array(array) => {
            for element in array {
                add_value(element, lines);
            }
            add_lines(Some(array.trailing()), lines);
        }
        Value::InlineTable(table) => {
            for (name, value) in table {
                let key = table.key(name);
                add_lines(key.and_then(|key| key.leaf_decor().prefix()), lines);
                add_value(value, lines);
            }
            add_lines(Some(table.trailing()), lines);
        }
        Value::String(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_) => {}
    }
}

fn add_lines(text: Option<&RawString>, lines: &mut String) {
    let found = text_of(text).lines().map(str::trim);
    for line in found.filter(|line| !line.is_empty()) {
        lines.push_str(line);
        lines.push('\n');
    }
}

/// Takes the comments of the document from its first member: those that a blank line separates from
/// it.
fn take_header(key: &mut Key, item: &mut Item) -> Option<String> {
    let decor = decor_above(key, item);
    let above = decor.prefix()?.as_str()?.to_owned();
    let mut end = None;
    let mut offset = 0;
    for line in above.split_inclusive('\n') {
        offset += line.len();
        if line.trim().is_empty() && line.ends_with('\n') {
            end = Some(offset);
        }
    }
    let (header, rest) = above
        .split_at_checked(end?)
        .filter(|(header, _)| header.contains('#'))?;
    decor.set_prefix(rest);
    Some(header.to_owned())
}

/// Puts comments before those above a member, behind the blank lines there.
fn put_above(decor: &mut Decor, comments: &str) {
    if comments.is_empty() {
        return;
    }
    let above = text_of(decor.prefix()).to_owned();
    let text = above.trim_start_matches(['\n', '\r']);
    let blank = above.strip_suffix(text).unwrap_or_default();
    decor.set_prefix(format!("{blank}{comments}{text}"));
}

/// The comments above a member and behind it, a line each.
fn comments(key: &mut Key, item: &mut Item) -> String {
    let above = text_of(decor_above(key, item).prefix()).to_owned();
    let behind = match item {
        Item::Value(value) => value.decor().suffix(),
        Item::Table(table) => table.decor().suffix(),
        Item::ArrayOfTables(_) | Item::None => None,
    };
    let lines = above
        .lines()
        .chain(text_of(behind).lines())
        .map(str::trim)
        .filter(|line| !line.is_empty());
    lines.fold(String::new(), |lines, line| lines + line + "\n")
}

/// The decor that holds the comments above a member.
fn decor_above<'d>(key: &'d mut Key, item: &'d mut Item) -> &'d mut Decor {
    match item {
        Item::Table(table) => table.decor_mut(),
        Item::ArrayOfTables(tables) if !tables.is_empty() => match tables.get_mut(0) {
            Some(first) => first.decor_mut(),
            None => key.leaf_decor_mut(),
        },
        Item::ArrayOfTables(_) | Item::Value(_) | Item::None => key.leaf_decor_mut(),
    }
}

fn take_suffix(decor: &mut Decor) -> RawString {
    let suffix = decor.suffix().cloned().unwrap_or_default();
    decor.set_suffix("");
    suffix
}

/// The blanks before an element, without the comments.
fn element_style(decor: &Decor) -> String {
    let prefix = text_of(decor.prefix());
    match prefix.rfind('\n') {
        Some(line) => prefix.get(line..).unwrap_or_default().to_owned(),
        None if prefix.contains('#') || prefix.is_empty() => " ".to_owned(),
        None => prefix.to_owned(),
    }
}

/// The text around a value, empty where there is none.
fn text_of(around: Option<&RawString>) -> &str {
    around.and_then(RawString::as_str).unwrap_or_default()
}

fn has_comment(text: &RawString) -> bool {
    text.as_str().is_some_and(|text| text.contains('#'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::super::read::read;
    use super::*;
    use crate::document::edits::Known;

    fn edited_by(stored: &str, new: &str, numbers: Numbers) -> (String, bool) {
        let (_, source) = read(stored.as_bytes()).unwrap();
        let edits = Edits {
            known: Arc::new(Known::new(BTreeMap::new(), Type::Dynamic)),
            kept: BTreeSet::new(),
            pairs_values: false,
            pairs: None,
            first: Vec::new(),
            attributes: None,
            numbers,
        };
        let written = edited(source, &Tree::parse(new).unwrap(), &edits).unwrap();
        (
            String::from_utf8(written.bytes).unwrap(),
            written.is_settled,
        )
    }

    #[test]
    fn a_settled_document_is_the_same_for_all_numbers() {
        for (stored, new, expected) in [
            ("a = 1 # one\nb = 'x'\n", r#"{"a":2,"c":"x"}"#, true),
            ("a = 0x10\nb = [1_000]\n", r#"{"a":16,"b":[1000]}"#, true),
            ("a = 1.50\n", r#"{"a":1.50}"#, true),
            (
                "a = 1979-05-27 07:32:00Z\n",
                r#"{"a":"1979-05-27T07:32:00Z"}"#,
                true,
            ),
            (
                "a = 1979-05-27T07:32:00Z\n",
                r#"{"a":"1979-05-27t07:32:00z"}"#,
                false,
            ),
            ("a = 1979-05-27\n", r#"{"a":"1979-05-28"}"#, true),
            ("a = 1979-05-27\n", r#"{"a":"1979-05-28t00:00:00z"}"#, false),
            ("a = 1.0\n", r#"{"a":1}"#, false),
            ("a = 1\n", r#"{"a":1.0}"#, false),
            ("a = [[1], {b = 1.0}]\n", r#"{"a":[[1],{"b":1}]}"#, false),
            ("[[a]]\nb = 0.0\n", r#"{"a":[{"b":-0.0}]}"#, false),
            ("a = 1.5\n", r#"{"a":2}"#, false),
        ] {
            let (by_value, is_settled) = edited_by(stored, new, Numbers::Equal);
            assert_eq!(is_settled, expected, "{stored}{new}: {by_value}");
            let are_same = Numbers::ALL
                .iter()
                .all(|numbers| edited_by(stored, new, *numbers).0 == by_value);
            assert_eq!(are_same, expected, "{stored}{new}: {by_value}");
        }
    }

    #[test]
    fn tables_of_few_and_many_members_are_compared_by_one_rule() {
        let object = |count: usize, last: usize| {
            let value = |at: usize| if at + 1 == count { last } else { at };
            let members: Vec<String> = (0..count)
                .rev()
                .map(|at| format!("\"m{at}\":{}", value(at)))
                .collect();
            format!("{{{}}}", members.join(","))
        };
        for count in [0, 1, 2, 8, 9, 10, 20] {
            let members: Vec<String> = (0..count).map(|at| format!("m{at} = {at}\n")).collect();
            let (_, source) = read(members.concat().as_bytes()).unwrap();
            let compared = |new: &str| {
                [Extra::Differs, Extra::Passes].map(|extra| {
                    let by = (extra, Numbers::Equal);
                    compares_table(
                        source.document.as_table(),
                        &Tree::parse(new).unwrap(),
                        None,
                        by,
                    )
                })
            };
            assert_eq!(compared(&object(count, count.saturating_sub(1))), [true; 2]);
            assert_eq!(compared(&object(count + 1, count)), [false; 2], "{count}");
            if let Some(less) = count.checked_sub(1) {
                assert_eq!(
                    compared(&object(less, less.saturating_sub(1))),
                    [false, less > 0],
                    "{count}"
                );
                assert_eq!(compared(&object(count, 99)), [false; 2], "{count}");
            }
        }
    }
}
