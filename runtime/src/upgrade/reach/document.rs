//! Brings a document to a model, reading only those members as values that an operator looks at.
//!
//! Most members of a document are the same in every version. They stay the text that they are until
//! the model reads them, which judges them as it judges a document of its own version. This is the
//! fast way for documents that are as they should be: whatever is unusual (an error, members that
//! no field names, a function on the route) makes it give up, and the upgrade over values, which
//! says what is wrong, runs instead.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ptr;
use std::sync::{PoisonError, RwLock};

use crate::codec::json::{Kind, Reader};
use crate::codec::{Encoding, Writer};
use crate::schema::table::{DocumentTable, Row, Table};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::declared::{Behind, Declared, Prior, PriorModel};
use crate::upgrade::decode::{decode_found, decode_made};
use crate::upgrade::found::FoundMembers;
use crate::upgrade::model::{ModelPlace, Typed};
use crate::upgrade::operators::{DocumentWork, MemberOutcome};
use crate::upgrade::raw_state::RawState;
use crate::value::Value;

/// The members of a document, on their way to a later version.
struct Document<'a> {
    text: &'a str,
    /// Those that no operator has looked at, in the order of the text.
    stored: Vec<Member<'a>>,
    /// The others.
    made: BTreeMap<String, Value>,
    /// True if an operator has worked on the JSON of a member.
    is_changed: bool,
}

/// A member as it is stored.
struct Member<'a> {
    name: Cow<'a, str>,
    /// As it is in the document, or as operators have changed it.
    json: Cow<'a, str>,
    /// The offset of its JSON in the text that the model reads.
    start: usize,
}

/// A document as it is stored.
#[derive(Clone, Copy)]
struct Stored<'a> {
    raw: RawState<'a>,
    /// Its members, if they were found beforehand.
    found: Option<&'a FoundMembers<'a>>,
}

/// Brings a document stored at `version` to the model by way of this upgrader and puts that into
/// `place`; says whether it did. If not, nothing is noted of it.
pub(super) fn upgrade_document(
    declared: &Declared,
    version: u64,
    raw: RawState<'_>,
    to: &Typed,
    context: &mut UpgradeContext<'_>,
    place: &mut ModelPlace,
) -> bool {
    let (table, noted) = (to.model.table(), context.noted());
    let stored = Stored {
        raw,
        found: context.found_in(raw),
    };
    let brought = table.document.is_some()
        && declared.bring(version, stored, table, context).is_some_and(
            |mut document| match document.decode(to, place) {
                Some(true) => true,
                // Over values, because reports name places of the stored document, which only
                // values know.
                Some(false) if document.is_changed => false,
                // Members that are not part of the model are reported by their place in the
                // document that was made.
                Some(false) => document
                    .into_json(table, raw.room())
                    .is_some_and(|json| decode_made(to, &json, place, context).is_ok()),
                None => false,
            },
        );
    if !brought {
        context.forget(noted);
        context.start_over();
    }
    brought
}

impl Declared {
    /// Brings a document stored at `version` to the shape `to`, which this upgrader leads to.
    fn bring<'a>(
        &self,
        version: u64,
        stored: Stored<'a>,
        to: &'static Table,
        context: &mut UpgradeContext<'_>,
    ) -> Option<Document<'a>> {
        if self.awaits {
            return None;
        }
        let mut document = self.prior.document(version, stored, context)?;
        context.check().ok()?;
        document.upgrade(self, to, context)?;
        Some(document)
    }
}

impl Prior {
    /// Brings a document stored at `version` to this prior version.
    fn document<'a>(
        &self,
        version: u64,
        stored: Stored<'a>,
        context: &mut UpgradeContext<'_>,
    ) -> Option<Document<'a>> {
        if version == self.version() {
            return Document::read(stored, self.table());
        }
        let raw = stored.raw;
        let upgrader = match self.behind {
            Behind::Model(PriorModel { known, .. }) => {
                known().choose(version, raw, context).ok()?
            }
            Behind::Shape(shape) => shape.chosen(version, raw, context).ok()?.any(),
            Behind::Object => return None,
        };
        upgrader.operators()?.bring(
            upgrader.step().model_version(version),
            stored,
            self.table(),
            context,
        )
    }
}

/// Finds the members of a document, and gives its text.
fn find_members<'a>(json: &'a [u8], members: &mut Vec<Member<'a>>) -> Option<&'a str> {
    let mut reader = Reader::from_bytes(json).ok()?;
    reader.read_exactly();
    if reader.peek().ok()? != Kind::Object {
        return None;
    }
    reader.open_object().ok()?;
    while let Some(name) = reader.next_member(members.is_empty()).ok()? {
        reader.peek().ok()?;
        let start = reader.position();
        reader.skip().ok()?;
        members.push(Member {
            name,
            json: Cow::Borrowed(reader.text().get(start..reader.position())?),
            start,
        });
    }
    reader.end().ok()?;
    (!reader.has_notes()).then(|| reader.text())
}

/// True if every member is a field's or may be a part's, none by another name, and no name is there
/// twice.
fn are_known(members: &[Member<'_>], table: &'static Table, form: &DocumentTable) -> bool {
    // Few structs have more fields, so that nothing is allocated.
    let (mut few, mut many) = ([false; 64], Vec::new());
    let found = if let Some(few) = few.get_mut(..table.rows.len()) {
        few
    } else {
        many.resize(table.rows.len(), false);
        many.as_mut_slice()
    };
    let mut others = 0;
    let has_aliases = table.has_aliases();
    // The row that comes next, since names are often in byte order.
    let mut next = 0;
    for (at, Member { name, .. }) in members.iter().enumerate() {
        if has_aliases && table.aliased(name).is_some() {
            return false;
        }
        match row_of(table.rows, next, name) {
            Some(index) => match found.get_mut(index) {
                Some(found) if !*found => {
                    *found = true;
                    next = index + 1;
                }
                Some(_) | None => return false,
            },
            None if form.has_parts => {
                others += 1;
                let before = members.get(..at).unwrap_or_default();
                if others <= FEW && before.iter().any(|member| member.name == *name) {
                    return false;
                }
            }
            None => return false,
        }
    }
    others <= FEW || are_distinct(members)
}

/// The number of members, or of fields, up to which each is compared: names mostly differ in
/// length, which is sooner known than their order.
const FEW: usize = 8;

/// The row of this name, which is nearly always `next`.
fn row_of(rows: &[Row], next: usize, name: &str) -> Option<usize> {
    if rows.get(next).is_some_and(|row| row.name == name) {
        Some(next)
    } else if rows.len() <= FEW {
        rows.iter().position(|row| row.name == name)
    } else {
        rows.binary_search_by(|row| row.name.cmp(name)).ok()
    }
}

/// True if no name is there twice.
fn are_distinct(members: &[Member<'_>]) -> bool {
    let mut names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    names.sort_unstable();
    names
        .windows(2)
        .all(|pair| !matches!(pair, [one, other] if one == other))
}

impl<'a> Document<'a> {
    /// The members of a document of this shape.
    fn read(stored: Stored<'a>, table: &'static Table) -> Option<Self> {
        let form = table.document.filter(|_| !table.is_lenient())?;
        let flattened = if form.has_parts { 8 } else { 0 };
        let mut members = Vec::with_capacity(table.rows.len() + flattened);
        let text = match stored.found {
            Some(FoundMembers { text, all }) => {
                for (name, place) in all {
                    members.push(Member {
                        name: Cow::Borrowed(*name),
                        json: Cow::Borrowed(text.get(place.clone())?),
                        start: place.start,
                    });
                }
                *text
            }
            None => find_members(stored.raw.json()?, &mut members)?,
        };
        are_known(&members, table, form).then_some(Self {
            text,
            stored: members,
            made: BTreeMap::new(),
            is_changed: false,
        })
    }

    /// Brings the members to the shape `to`.
    fn upgrade(
        &mut self,
        declared: &Declared,
        to: &'static Table,
        context: &mut UpgradeContext<'_>,
    ) -> Option<()> {
        let (from, work) = (declared.prior.table(), work_of(declared, to));
        let mut unclear = false;
        for (index, (name, direct)) in work.direct.iter().enumerate() {
            let Some(member) = self
                .find(name, index)
                .and_then(|found| self.stored.get_mut(found))
            else {
                // Because an earlier upgrader looked at it.
                unclear |= self.made.contains_key(*name);
                continue;
            };
            self.is_changed = true;
            match direct.apply(name, &member.json, context) {
                MemberOutcome::Same => {}
                MemberOutcome::New(json) => member.json = Cow::Owned(json),
                MemberOutcome::Nothing => member.json = Cow::Borrowed(""),
                MemberOutcome::Unclear => {
                    let value = Value::read_member(&std::mem::take(&mut member.json), from, name)?;
                    self.made.insert((*name).to_owned(), value);
                    unclear = true;
                }
            }
        }
        for (index, name) in work.looked_at.iter().enumerate() {
            if let Some(found) = self.find(name, index) {
                let value = Value::read_member(&self.take(found)?, from, name)?;
                self.made.insert((*name).to_owned(), value);
            }
        }
        for (index, (name, renamed)) in work.renamed.iter().enumerate() {
            if self.find(renamed, index).is_some() || self.made.contains_key(*renamed) {
                return None;
            }
            match (self.made.remove(*name), self.find(name, index)) {
                (None, Some(found)) => self.stored.get_mut(found)?.name = Cow::Borrowed(renamed),
                (Some(value), _) => drop(self.made.insert((*renamed).to_owned(), value)),
                (None, None) => {}
            }
        }
        self.made = work.run(std::mem::take(&mut self.made), unclear, context)?;
        Some(())
    }

    /// Reads the members as the model, those that no operator has looked at from the text of the
    /// document. Says whether all of them are part of it as they are; `None` if one does not fit.
    fn decode(&mut self, to: &Typed, place: &mut ModelPlace) -> Option<bool> {
        // New members come behind a copy of the stored text, so that one reader reads all of them.
        let Self {
            text: whole,
            stored,
            made,
            is_changed: _,
        } = self;
        let mut text = String::new();
        let begin = |text: &mut String| {
            if text.is_empty() {
                text.reserve(whole.len() + 128);
                text.push_str(whole);
            }
            // Otherwise the digits of a number would go on in the next one.
            text.push(',');
            text.len()
        };
        stored.retain(|member| !member.json.is_empty());
        for member in &mut *stored {
            if let Cow::Owned(json) = &member.json {
                member.start = begin(&mut text);
                text.push_str(json);
            }
        }
        let (mut json, mut starts) = (Vec::new(), Vec::new());
        for value in made.values() {
            starts.push(begin(&mut text));
            json.clear();
            value
                .write_untyped(&mut Writer::new(&mut json, Encoding::Json))
                .ok()?;
            text.push_str(std::str::from_utf8(&json).ok()?);
        }
        let text = if text.is_empty() { *whole } else { &text };
        let members = stored
            .iter()
            .map(|member| (&*member.name, member.start))
            .chain(made.keys().map(String::as_str).zip(starts));
        decode_found(to, text, members, place)
    }

    /// JSON of the members, in the order in which a struct of this shape reads them.
    fn into_json(mut self, table: &'static Table, room: usize) -> Option<Vec<u8>> {
        let mut json = Vec::with_capacity(room);
        let mut writer = Writer::new(&mut json, Encoding::Json);
        let (mut written, mut next) = (0, 0);
        writer.open_object(self.stored.len() + self.made.len());
        for label in table.labels() {
            if let Some(value) = self.made.remove(label.name) {
                writer.name(written, label);
                value.write_untyped(&mut writer).ok()?;
            } else if let Some(found) = self.find(label.name, next) {
                writer.name(written, label);
                writer.raw_json(&self.take(found)?);
                next = found + 1;
            } else {
                continue;
            }
            written += 1;
        }
        // The members of flattened fields, and others, because only the struct knows if it keeps
        // them.
        for member in self.stored.iter().filter(|member| !member.json.is_empty()) {
            writer.key(written, &member.name);
            writer.raw_json(&member.json);
            written += 1;
        }
        for (name, value) in &self.made {
            writer.key(written, name);
            value.write_untyped(&mut writer).ok()?;
            written += 1;
        }
        writer.close_object();
        Some(json)
    }

    /// The position of a stored member, which is nearly always `next`: members are in the order of
    /// the fields.
    fn find(&self, name: &str, next: usize) -> Option<usize> {
        let is_it = |member: &Member<'_>| member.name == name && !member.json.is_empty();
        if self.stored.get(next).is_some_and(is_it) {
            Some(next)
        } else {
            self.stored.iter().position(is_it)
        }
    }

    /// Takes the JSON of a stored member, of which nothing stays.
    fn take(&mut self, position: usize) -> Option<Cow<'a, str>> {
        self.stored
            .get_mut(position)
            .map(|member| std::mem::take(&mut member.json))
    }
}

/// The work of an upgrader, found once: a program has so few upgraders that none is ever forgotten.
pub(in crate::upgrade) fn work_of(
    declared: &Declared,
    to: &'static Table,
) -> &'static DocumentWork {
    type Key = (usize, usize, usize);
    static KNOWN: RwLock<BTreeMap<Key, &'static DocumentWork>> = RwLock::new(BTreeMap::new());
    let from = declared.prior.table();
    let key = (
        ptr::from_ref(declared.operators).addr(),
        ptr::from_ref(from).addr(),
        ptr::from_ref(to).addr(),
    );
    // A map is whole also where a thread panicked that held it.
    if let Some(known) = KNOWN
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&key)
    {
        return known;
    }
    let work = Box::new(DocumentWork::new(
        declared.operators,
        declared.prior.members(),
        to.schema().block().members(),
    ));
    KNOWN
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .entry(key)
        .or_insert_with(|| Box::leak(work))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::upgrade::context::{Notes, Scope};
    use crate::upgrade::request::UpgradeRequest;
    use crate::upgrade::values::put_value;
    use crate::{Document as Derive, Resource, Union};

    #[derive(Debug, Clone, PartialEq, Derive)]
    #[document(type_name = "app.settings", version = 2, rename_all = "camelCase")]
    #[upgrade_from(1 => 2,
        rename(title => window_title, theme.Custom.colour => theme.Custom.accent),
        convert(retries: String, empty = refuse),
        set(level = 3))]
    #[upgrade_from(0 => 1, rename(lastOpen => last_opened), drop(legacy: bool, "the old layout is gone"))]
    struct Settings {
        window_title: String,
        #[attribute(flatten)]
        geometry: Geometry,
        theme: Theme,
        retries: u32,
        last_opened: Option<String>,
        level: u8,
        #[attribute(default = 7)]
        depth: u8,
        tags: Vec<String>,
        #[attribute(rest)]
        others: BTreeMap<String, serde_json::Value>,
    }

    #[derive(Debug, Clone, PartialEq, Derive)]
    #[document(rename_all = "camelCase")]
    struct Geometry {
        width: u32,
        #[attribute(default)]
        is_maximized: bool,
    }

    #[derive(Debug, Clone, PartialEq, Union)]
    #[union(tag = "kind")]
    enum Theme {
        Plain,
        Custom { accent: String },
    }

    /// The model and the notes of one way, and whether it went.
    fn upgraded(version: u64, json: &str, by_text: bool) -> Option<(Settings, Notes)> {
        let typed = Typed::of::<Settings>();
        let request = UpgradeRequest::json(Settings::TYPE_NAME, version, json.as_bytes());
        let scope = Scope {
            model: Some(Settings::HISTORY),
            ..Scope::new(&request, 2)
        };
        let mut context = UpgradeContext::new(&scope);
        let raw = scope.raw();
        let upgrader = typed.model.choose(version, raw, &context).unwrap();
        let declared = upgrader.operators().unwrap();
        let version = upgrader.step().model_version(version);
        let mut place = None::<Settings>;
        let went = if by_text {
            upgrade_document(declared, version, raw, typed, &mut context, &mut place)
        } else {
            let value = declared.upgrade(version, raw, typed.model.schema(), &mut context);
            value.is_ok_and(|value| put_value(typed, &value, &mut place, &mut context).is_ok())
        };
        went.then(|| (place.unwrap(), context.into_notes()))
    }

    #[test]
    fn text_and_values_make_the_same_model() {
        let members = [
            r#""title":"x""#,
            r#""width":640"#,
            r#""isMaximized":true"#,
            r#""theme":{"kind":"Custom","colour":"red"}"#,
            r#""retries":"5""#,
            r#""lastOpen":"now""#,
            r#""legacy":true"#,
            r#""depth":2"#,
            r#""tags":["a", "b"]"#,
            r#""odd":[1.0, {"b":1,"a":-0.0}]"#,
        ];
        let mut compared = 0;
        for (left_out, other) in (0..=members.len())
            .flat_map(|left_out| [None, Some(0), Some(3), Some(9)].map(|other| (left_out, other)))
        {
            let odd = [
                "",
                r#""windowTitle":"y""#,
                r#""retries":""#,
                r#""theme":{"kind":"Plain"}"#,
                r#""theme":{"kind":"None"}"#,
                r#""legacy":"yes""#,
                r#""legacy":null"#,
                r#""tags":null"#,
                r#""title":7"#,
                r#""last_opened":"x""#,
            ];
            for odd in odd {
                let mut chosen: Vec<&str> = members
                    .iter()
                    .copied()
                    .enumerate()
                    .filter(|(at, _)| *at != left_out)
                    .map(|(_, m)| m)
                    .collect();
                if let Some(other) = other {
                    chosen.rotate_left(other);
                }
                let name = odd.split(':').next().unwrap_or_default();
                if left_out % 2 == 0 {
                    chosen.retain(|member| odd.is_empty() || !member.starts_with(name));
                }
                chosen.extend((!odd.is_empty()).then_some(odd));
                let json = format!("{{ {} }}", chosen.join(", "));
                for version in [0, 1] {
                    let (text, values) = (
                        upgraded(version, &json, true),
                        upgraded(version, &json, false),
                    );
                    let is_whole = left_out == members.len() && odd.is_empty();
                    assert!(
                        text.is_some() || !is_whole,
                        "version {version} is not read from its text: {json}"
                    );
                    if let Some((model, notes)) = text {
                        let (expected, noted) = values
                            .unwrap_or_else(|| panic!("values refuse version {version}: {json}"));
                        assert_eq!(
                            (model, notes.dropped, notes.undefined),
                            (expected, noted.dropped, noted.undefined),
                            "{json}"
                        );
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 100, "{compared}");
    }

    #[test]
    fn a_name_that_is_there_twice_is_found_among_few_and_many() {
        let table = Typed::of::<Settings>().model.table();
        let form = table.document.unwrap();
        for count in [1, 7, 8, 9, 40] {
            let mut names: Vec<String> = (0..count).map(|number| format!("odd{number}")).collect();
            names.push("tags".to_owned());
            let are_known = |names: &[String]| {
                let member = |name: &String| Member {
                    name: Cow::Owned(name.clone()),
                    json: Cow::Borrowed("1"),
                    start: 0,
                };
                let members: Vec<_> = names.iter().map(member).collect();
                are_known(&members, table, form)
            };
            assert!(are_known(&names), "{names:?}");
            for twice in [0, count / 2, count - 1, count] {
                let mut names = names.clone();
                names.push(names[twice].clone());
                assert!(!are_known(&names), "{names:?}");
            }
        }
    }

    #[test]
    fn members_that_are_not_there_take_their_defaults() {
        #[derive(Debug, PartialEq, Derive)]
        #[document(type_name = "app.limits", version = 2)]
        #[upgrade_from(1 => 2, rename(tries => retries, window.wide => window.width))]
        #[upgrade_from(0 => 1, convert(tries: String, empty = refuse), convert(rate: String, empty = zero))]
        struct Limits {
            #[attribute(default = 3)]
            retries: u8,
            #[attribute(default = 5)]
            rate: u8,
            window: Window,
        }
        #[derive(Debug, PartialEq, Derive)]
        struct Window {
            #[attribute(default = 9)]
            width: u8,
        }
        let limits = |retries, rate, width| Limits {
            retries,
            rate,
            window: Window { width },
        };
        for (json, expected) in [
            (r#"{"window":{}}"#, limits(3, 5, 9)),
            (
                r#"{"tries":"4","rate":"6","window":{"wide":1}}"#,
                limits(4, 6, 1),
            ),
            (r#"{"rate":"6","window":{},"odd":1}"#, limits(3, 6, 9)),
        ] {
            assert_eq!(
                crate::upgrade_json::<Limits>(0, json).unwrap(),
                expected,
                "{json}"
            );
        }
    }

    #[test]
    fn a_field_of_a_prior_version_has_the_aliases_of_today() {
        #[derive(Debug, PartialEq, Derive)]
        #[document(type_name = "app.timer", version = 1)]
        #[upgrade_from(0 => 1, convert(timeout: String, milliseconds), rename(zone.kind => zone.form))]
        struct Timer {
            #[attribute(alias = "timeOut")]
            timeout: u64,
            zone: Zone,
        }
        #[derive(Debug, PartialEq, Derive)]
        struct Zone {
            #[attribute(alias = "f")]
            form: String,
            #[attribute(alias = "n")]
            name: String,
        }
        let expected = Timer {
            timeout: 5000,
            zone: Zone {
                form: "x".to_owned(),
                name: "y".to_owned(),
            },
        };
        for json in [
            r#"{"timeOut":"5s","zone":{"kind":"x","n":"y"}}"#,
            r#"{"timeout":"5s","zone":{"f":"x","name":"y"}}"#,
        ] {
            assert_eq!(
                crate::upgrade_json::<Timer>(0, json).unwrap(),
                expected,
                "{json}"
            );
        }
        crate::upgrade_json::<Timer>(
            0,
            r#"{"timeout":"5s","timeOut":"6s","zone":{"kind":"x","n":"y"}}"#,
        )
        .unwrap_err();
    }

    #[test]
    fn names_with_escapes_are_renamed_in_a_variant() {
        #[derive(Debug, PartialEq, Derive)]
        #[document(type_name = "app.shape", version = 1)]
        #[upgrade_from(0 => 1, rename(form.Round.wide => form.Round.radius, form.Flat.wide => form.Flat.width))]
        struct Shape {
            form: Form,
        }
        #[derive(Debug, PartialEq, Union)]
        #[union(tag = "kind")]
        enum Form {
            Round {
                radius: u8,
                #[attribute(default)]
                depth: u8,
            },
            Flat {
                width: u8,
                #[attribute(default)]
                depth: u8,
            },
        }
        for (json, form) in [
            (
                r#"{"form":{"wide":7,"kind":"Round","depth":1}}"#,
                Form::Round {
                    radius: 7,
                    depth: 1,
                },
            ),
            (
                r#"{"form":{"depth":1,"wid\u0065":7,"kind":"Round"}}"#,
                Form::Round {
                    radius: 7,
                    depth: 1,
                },
            ),
            (
                r#"{"form":{"kind":"Flat","w\u0069de":7}}"#,
                Form::Flat { width: 7, depth: 0 },
            ),
            (
                r#"{"form":{"wide":7,"kind":"Fl\u0061t"}}"#,
                Form::Flat { width: 7, depth: 0 },
            ),
            (
                r#"{"form":{"kind":"Flat","width":7}}"#,
                Form::Flat { width: 7, depth: 0 },
            ),
        ] {
            assert_eq!(
                crate::upgrade_json::<Shape>(0, json).unwrap(),
                Shape { form },
                "{json}"
            );
        }
    }

    #[test]
    fn a_member_whose_name_another_one_takes_is_reported() {
        #[derive(Debug, PartialEq, Derive)]
        #[document(type_name = "app.page", version = 1)]
        #[upgrade_from(0 => 1, rename(name => title), rename(window.wide => window.width))]
        struct Page {
            title: String,
            window: Window,
            #[attribute(rest)]
            others: BTreeMap<String, u8>,
        }
        #[derive(Debug, PartialEq, Derive)]
        struct Window {
            width: u8,
            #[attribute(rest)]
            others: BTreeMap<String, u8>,
        }
        let json = r#"{"name":"x","title":"y","odd":1,"window":{"wide":1,"width":7,"odd":2}}"#;
        let (page, notes) = crate::upgrade_json_with_notes::<Page>(0, json).unwrap();
        let odd = |value| BTreeMap::from([("odd".to_owned(), value)]);
        assert_eq!(
            page,
            Page {
                title: "x".to_owned(),
                window: Window {
                    width: 1,
                    others: odd(2)
                },
                others: odd(1)
            }
        );
        let mut lost: Vec<String> = notes.undefined().iter().map(ToString::to_string).collect();
        lost.sort();
        assert_eq!(
            (lost, notes.undefined_count(), notes.dropped()),
            (
                vec!["title".to_owned(), "window.width".to_owned()],
                2,
                &[][..]
            )
        );
    }
}
