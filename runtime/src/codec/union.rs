//! Enums with data: how a stored value tells its variant, as serde does it.

use std::borrow::Cow;

use super::error::{DecodeError, Problem};
use super::json::{Kind, Reader, Settled, Tried};
use super::object::{ObjectReader, ObjectWriter, write_members_of};
use super::writer::Writer;
use crate::schema::table::Names;

type Result<T> = std::result::Result<T, DecodeError>;

/// A variant, as it is read.
#[derive(Debug)]
pub struct Variant<T: 'static> {
    /// Its stored name.
    pub name: &'static str,
    /// Other names that it is read by.
    pub aliases: &'static [&'static str],
    /// True if it holds nothing.
    pub is_unit: bool,
    /// Reads what it holds.
    pub decode: fn(&mut Reader<'_>) -> Result<T>,
    /// Reads what it holds where that is next to the tag.
    pub members: fn(&mut ObjectReader<'_, '_>) -> Option<T>,
    /// The variant without a stored content; `None` if it must have one.
    pub absent: fn() -> Option<T>,
}

/// The variant for names that are not known, which holds nothing.
#[derive(Debug)]
pub struct Other<T> {
    /// Its stored name.
    pub name: &'static str,
    /// Other names that are its own.
    pub aliases: &'static [&'static str],
    /// Makes it.
    pub make: fn() -> T,
}

/// The variants of an enum, and the one for names that are not known.
#[derive(Debug)]
pub struct Variants<T: 'static> {
    /// In their order.
    pub all: &'static [Variant<T>],
    /// The variant for any other name.
    pub other: Option<Other<T>>,
    /// Variants without a tag, which are tried where none of the others fits.
    pub untagged: &'static [Variant<T>],
}

impl<T> Variants<T> {
    /// Reads a variant with a tag, and where no tag fits one without.
    fn or_untagged(
        &self,
        reader: &mut Reader<'_>,
        tag: Option<&str>,
        tagged: impl FnOnce(&mut Reader<'_>) -> Result<T>,
    ) -> Result<T> {
        if self.untagged.is_empty() {
            return tagged(reader);
        }
        reader.peek()?;
        let (start, mark) = (reader.position(), reader.mark());
        match self.is_tagged(reader, tag) {
            // A tag tells the variant, so a mistake in it is an error and no reason to try another
            // one.
            Ok(true) => return tagged(reader),
            Ok(false) => {}
            // It is not JSON, but a part of it may be, which must not be read as the whole.
            Err(_) => reader.rewind(mark),
        }
        if let Some(value) = read_settled(reader, start, self.untagged) {
            return value;
        }
        reader.begin_trial();
        let value = match reader.attempt(tagged) {
            Ok(value) => Ok(value),
            // An array may have been read as a tag and its content, so that the first variant is
            // not the first attempt.
            Err(error) => read_best(reader, self.untagged, 1, |_| error),
        };
        reader.end_trial();
        value
    }
}

impl<T> Variants<T> {
    /// True if the value that comes next tells one of the variants by its tag. Stays where it is.
    fn is_tagged(&self, reader: &mut Reader<'_>, tag: Option<&str>) -> Result<bool> {
        let (start, from) = (reader.mark(), reader.position());
        let mut known = false;
        match (reader.peek()?, tag) {
            (Kind::String, None) => known = self.find(&reader.string()?).is_some(),
            (Kind::Object, _) => {
                reader.open_object()?;
                let mut first = true;
                while let Some(name) = reader.next_member(std::mem::take(&mut first))? {
                    match tag {
                        None => known |= self.find(&name).is_some(),
                        Some(tag) if tag == name && reader.peek()? == Kind::String => {
                            known |= self.find(&reader.string()?).is_some();
                            continue;
                        }
                        Some(_) => {}
                    }
                    reader.skip()?;
                }
            }
            (Kind::Null | Kind::Bool | Kind::Number | Kind::Array | Kind::String, _) => {}
        }
        reader.waste_tried_since(from);
        reader.rewind(start);
        Ok(known)
    }
}

/// A variant that a name was found to mean.
enum Named<T: 'static> {
    One(&'static Variant<T>),
    /// The variant for other names, and whether the name is its own, which is kept.
    Other {
        make: fn() -> T,
        is_own: bool,
    },
}

impl<T> Variants<T> {
    fn find(&self, name: &str) -> Option<&'static Variant<T>> {
        self.all.iter().find(|variant| variant.is(name))
    }

    /// True if a variant with a tag is written by this name or read by it, also the one for other
    /// names.
    fn has(&self, name: &str) -> bool {
        self.find(name).is_some() || self.other.as_ref().is_some_and(|other| other.is(name))
    }

    fn named(&self, reader: &mut Reader<'_>, name: &str, start: usize) -> Result<Named<T>> {
        match (self.find(name), &self.other) {
            (Some(variant), _) => Ok(Named::One(variant)),
            (None, Some(other)) => {
                let is_own = other.is(name);
                // Any other name is not kept, which is reported.
                if !is_own {
                    reader.note_unkept_at(start);
                }
                Ok(Named::Other {
                    make: other.make,
                    is_own,
                })
            }
            (None, None) => Err(self.unknown(start)),
        }
    }

    #[cold]
    fn unknown(&self, start: usize) -> DecodeError {
        let names = self.all.iter().map(|variant| variant.name);
        DecodeError::new(Problem::no_variant(names), start)
    }
}

impl<T> Other<T> {
    fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Reads a stored content, which is null.
    fn content(&self, reader: &mut Reader<'_>) -> Result<T> {
        nothing(reader)?;
        Ok((self.make)())
    }
}

impl<T> Variant<T> {
    fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Reads a stored content: nothing is null.
    fn content(&self, reader: &mut Reader<'_>) -> Result<T> {
        if !self.is_unit {
            return (self.decode)(reader);
        }
        nothing(reader)?;
        self.unit(reader.position())
    }

    fn unit(&self, start: usize) -> Result<T> {
        (self.absent)().ok_or_else(|| {
            DecodeError::new(
                Problem::Kind("an object with the variant's content", "its name alone"),
                start,
            )
        })
    }
}

/// Reads the content of a variant that holds nothing.
fn nothing(reader: &mut Reader<'_>) -> Result<()> {
    if reader.peek()? != Kind::Null {
        return Err(reader.unexpected("null, since the variant holds nothing"));
    }
    reader.null()
}

/// Reads a name that tells a variant.
fn name<'a>(reader: &mut Reader<'a>) -> Result<(Cow<'a, str>, usize)> {
    let kind = reader.peek()?;
    let start = reader.position();
    if kind != Kind::String {
        return Err(reader.unexpected("the name of a variant"));
    }
    Ok((reader.string()?, start))
}

/// Reads a variant that is a string, or the one member of an object.
pub fn read_external<T>(reader: &mut Reader<'_>, variants: &Variants<T>) -> Result<T> {
    variants.or_untagged(reader, None, |reader| read_named(reader, variants))
}

fn read_named<T>(reader: &mut Reader<'_>, variants: &Variants<T>) -> Result<T> {
    match reader.peek()? {
        Kind::String => {
            let (name, start) = name(reader)?;
            match variants.named(reader, &name, start)? {
                Named::One(variant) if variant.is_unit => variant.unit(start),
                Named::One(_) => Err(DecodeError::new(
                    Problem::Kind("an object with the variant's content", "its name alone"),
                    start,
                )),
                Named::Other { make, .. } => Ok(make()),
            }
        }
        Kind::Object => {
            let start = reader.position();
            let wrong = || {
                DecodeError::new(
                    Problem::Kind(
                        "an object with one member, the variant",
                        "another number of members",
                    ),
                    start,
                )
            };
            reader.open_object()?;
            let Some(name) = reader.next_member(true)? else {
                return Err(wrong());
            };
            reader.peek()?;
            let at = reader.name_position();
            let value = match variants.named(reader, &name, at)? {
                Named::One(variant) => variant.content(reader)?,
                Named::Other { make, .. } => {
                    nothing(reader)?;
                    make()
                }
            };
            if reader.next_member(false)?.is_some() {
                Err(wrong())
            } else {
                Ok(value)
            }
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::Array => {
            Err(reader.unexpected("a string or an object with one member"))
        }
    }
}

/// Takes the member whose name is a variant out of an object.
pub fn take_external<T>(object: &mut ObjectReader<'_, '_>, variants: &Variants<T>) -> Option<T> {
    let is_variant = |name: &str| variants.has(name);
    let Some(name) = object.take_first(is_variant) else {
        return object.fail_here(Problem::Variant(
            "none of the members is a variant of the enum".to_owned(),
        ));
    };
    let value = match (variants.find(&name), &variants.other) {
        (Some(variant), _) => object.value(|reader| variant.content(reader)),
        (None, Some(other)) => object.value(|reader| other.content(reader)),
        (None, None) => None,
    };
    if value.is_some() && object.has_any(is_variant) {
        return object.fail_here(Problem::Repeated);
    }
    value
}

/// Takes the tag and the content beside it out of an object.
pub fn take_internal<T>(
    object: &mut ObjectReader<'_, '_>,
    tag: &'static str,
    variants: &Variants<T>,
) -> Option<T> {
    match take_tag(object, tag, variants)? {
        Named::One(variant) => (variant.members)(object),
        Named::Other { make, .. } => Some(make()),
    }
}

fn take_tag<T>(
    object: &mut ObjectReader<'_, '_>,
    tag: &'static str,
    variants: &Variants<T>,
) -> Option<Named<T>> {
    let found = object.take(tag);
    if !object.keep(found)? {
        return object.lacks_member(tag);
    }
    object.value(|reader| {
        let (name, start) = name(reader)?;
        variants.named(reader, &name, start)
    })
}

/// Takes the tag and the content in another member out of an object.
pub fn take_adjacent<T>(
    object: &mut ObjectReader<'_, '_>,
    tag: &'static str,
    content: &'static str,
    variants: &Variants<T>,
) -> Option<T> {
    let named = take_tag(object, tag, variants)?;
    let found = object.take(content);
    match (named, object.keep(found)?) {
        (Named::One(variant), true) => object.value(|reader| variant.content(reader)),
        (Named::One(variant), false) => match (variant.absent)() {
            Some(value) => Some(value),
            None => object.lacks_member(content),
        },
        (Named::Other { make, is_own }, true) => object.value(|reader| {
            // Null beside its own name is the content of a variant that holds nothing, so that
            // nothing is lost.
            if !is_own || reader.peek()? != Kind::Null {
                reader.undefined(content)?;
            }
            reader.skip()?;
            Ok(make())
        }),
        (Named::Other { make, .. }, false) => Some(make()),
    }
}

/// Reads a variant whose tag is the first member straight from the text: `read` reads what follows,
/// and gives `None` unless it is all there and as usual. Then the reader is where it was, for the
/// look at all members, which says what is wrong.
fn read_tag_first<T>(
    reader: &mut Reader<'_>,
    tag: &str,
    variants: &Variants<T>,
    read: impl FnOnce(&mut Reader<'_>, &Variant<T>) -> Option<T>,
) -> Option<T> {
    if !reader.expects_sorted() {
        return None;
    }
    let start = reader.mark();
    let Some(variant) = variants.first(reader, tag) else {
        reader.rewind(start);
        return None;
    };
    match reader.attempt_apart(|reader| read(reader, variant).ok_or(DecodeError::REORDERED)) {
        Ok((value, notes)) if notes.is_whole() => {
            reader.remember(notes);
            return Some(value);
        }
        // What is not kept of it is for the look at all members.
        Ok(_) => reader.waste_since(start.position()),
        Err(_) => {}
    }
    // Otherwise values inside one another are read twice at each depth.
    if reader.is_wasteful() {
        reader.stop_expecting_sorted();
    }
    reader.rewind(start);
    None
}

impl<T> Variants<T> {
    /// The variant of an object whose first member is the tag; the reader is behind that, or
    /// anywhere if there is none.
    fn first(&self, reader: &mut Reader<'_>, tag: &str) -> Option<&'static Variant<T>> {
        if reader.peek().ok()? != Kind::Object {
            return None;
        }
        reader.open_object().ok()?;
        if reader.next_member(true).ok()?? != tag || reader.peek().ok()? != Kind::String {
            return None;
        }
        self.find(&reader.string().ok()?)
    }
}

/// Reads a variant whose name is a member beside its content's.
pub fn read_internal<T>(
    reader: &mut Reader<'_>,
    denies_unknown: bool,
    tag: &'static str,
    variants: &Variants<T>,
) -> Result<T> {
    variants.or_untagged(reader, Some(tag), |reader| {
        let in_order = |reader: &mut Reader<'_>, variant: &Variant<T>| {
            ObjectReader::behind_tag(reader, tag, variant.members)
        };
        if let Some(value) = read_tag_first(reader, tag, variants, in_order) {
            return Ok(value);
        }
        ObjectReader::whole(reader, denies_unknown, |object| {
            take_internal(object, tag, variants)
        })
    })
}

/// Reads a variant whose name and content are the members of an object, or the elements of an
/// array.
pub fn read_adjacent<T>(
    reader: &mut Reader<'_>,
    denies_unknown: bool,
    (tag, content): (&'static str, &'static str),
    variants: &Variants<T>,
) -> Result<T> {
    variants.or_untagged(reader, Some(tag), |reader| {
        if reader.peek()? == Kind::Array {
            return read_pair(reader, variants);
        }
        let in_order = |reader: &mut Reader<'_>, variant: &Variant<T>| {
            let value = match reader.next_member(false).ok()? {
                None => return (variant.absent)(),
                Some(name) if name == content => variant.content(reader).ok()?,
                Some(_) => return None,
            };
            reader.take_end().then_some(value)
        };
        if let Some(value) = read_tag_first(reader, tag, variants, in_order) {
            return Ok(value);
        }
        ObjectReader::whole(reader, denies_unknown, |object| {
            take_adjacent(object, tag, content, variants)
        })
    })
}

/// Reads a variant as an array of its name and its content.
fn read_pair<T>(reader: &mut Reader<'_>, variants: &Variants<T>) -> Result<T> {
    let start = reader.position();
    let wrong = |found| DecodeError::new(Problem::Elements(2, found), start);
    reader.open_array()?;
    if !reader.next_element(true)? {
        return Err(wrong(Some(0)));
    }
    let (name, at) = name(reader)?;
    let named = variants.named(reader, &name, at)?;
    if !reader.next_element(false)? {
        return Err(wrong(Some(1)));
    }
    let value = match named {
        Named::One(variant) => variant.content(reader)?,
        Named::Other { make, is_own } => {
            // Another name is reported, and its content with it; beside its own name only the
            // content is lost.
            if is_own && reader.peek()? != Kind::Null {
                let at = reader.position();
                reader.note_unkept_at(at);
            }
            reader.skip()?;
            make()
        }
    };
    if reader.next_element(false)? {
        Err(wrong(None))
    } else {
        Ok(value)
    }
}

/// A variant that does not fit, and why.
type Misfit = (&'static str, DecodeError);

/// The beginning of the sentence about a value that is of no variant.
const NONE_FITS: &str = "none of the variants fits";
/// The bytes of a reason that is given in full, though it has reasons of its own. Those of values
/// inside one another would have no end.
const MAX_REASON: usize = 300;

/// Reads a value whose variants were tried before.
fn read_settled<T>(
    reader: &mut Reader<'_>,
    start: usize,
    variants: &[Variant<T>],
) -> Option<Result<T>> {
    match reader.settled(|| Tried::whole::<T>(start))? {
        Settled::Variant(index) => variants.get(index).map(|variant| variant.content(reader)),
        Settled::Misfit(error) => error.map(Err),
    }
}

/// Reads the first variant that keeps all of the value; where none does, the first that fits. Where
/// none fits, `misfit` makes the error of the reasons. `attempts` is the number of those that were
/// made before.
fn read_best<T>(
    reader: &mut Reader<'_>,
    variants: &[Variant<T>],
    attempts: usize,
    misfit: impl FnOnce(&[Misfit]) -> DecodeError,
) -> Result<T> {
    let (start, from) = (reader.mark(), reader.position());
    let value = || Tried::whole::<T>(from);
    let (mut first, mut misfits) = (None, Vec::new());
    for (index, variant) in variants.iter().enumerate() {
        match reader.attempt_apart(|reader| variant.content(reader)) {
            Ok((read, notes)) if notes.is_whole() => {
                // The first attempt of all needs no memory, because it is made first again.
                if attempts + index > 0 {
                    reader.settle(value, || Settled::Variant(index));
                }
                reader.remember(notes);
                return Ok(read);
            }
            Ok((read, notes)) => {
                let end = reader.mark();
                reader.waste_since(from);
                first.get_or_insert((read, notes, end, index));
                reader.rewind(start);
            }
            Err(error) => misfits.push((variant.name, error)),
        }
    }
    let Some((read, notes, end, index)) = first else {
        let error = misfit(&misfits);
        reader.settle(value, || Settled::Misfit(Some(error.clone())));
        return Err(error);
    };
    reader.settle(value, || Settled::Variant(index));
    reader.rewind(end);
    reader.remember(notes);
    Ok(read)
}

/// Reads the first variant that keeps all of the value; where none does, the first that fits.
pub fn read_untagged<T>(reader: &mut Reader<'_>, variants: &Variants<T>) -> Result<T> {
    reader.peek()?;
    let start = reader.position();
    if let Some(value) = read_settled(reader, start, variants.all) {
        return value;
    }
    reader.refuse_repeated_members()?;
    let misfit = |misfits: &[Misfit]| {
        let reasons: Vec<String> = misfits
            .iter()
            .map(|(name, error)| format!("{name:?}: {}", reason(error)))
            .collect();
        let sentence = format!("{NONE_FITS}: {}", reasons.join("; "));
        // As one in an author's words, because these may quote the value, also among the reasons.
        let problem = if misfits.iter().any(|(_, error)| error.is_authors()) {
            Problem::Author(sentence)
        } else {
            Problem::Variant(sentence)
        };
        DecodeError::new(problem, start)
    };
    reader.begin_trial();
    let value = read_best(reader, variants.all, 0, misfit);
    reader.end_trial();
    value
}

/// The reason why a variant does not fit.
fn reason(error: &DecodeError) -> String {
    let reason = error.problem();
    if reason.len() > MAX_REASON && reason.starts_with(NONE_FITS) {
        NONE_FITS.to_owned()
    } else {
        reason
    }
}

/// Takes the members of the first variant that keeps all of them out of an object; where none does,
/// of the first that fits.
pub fn take_untagged<T: 'static>(
    object: &mut ObjectReader<'_, '_>,
    names: &Names,
    variants: &[fn(&mut ObjectReader<'_, '_>) -> Option<T>],
) -> Option<T> {
    object
        .take_best(names, variants)
        .or_else(|| object.fail_here(Problem::Variant(NONE_FITS.to_owned())))
}

/// Takes the members of a variant with a tag out of an object, and where no tag fits those of one
/// without.
pub fn take_or_untagged<T>(
    object: &mut ObjectReader<'_, '_>,
    tag: Option<&'static str>,
    names: &Names,
    variants: &Variants<T>,
    tagged: impl FnOnce(&mut ObjectReader<'_, '_>) -> Option<T>,
    untagged: &[fn(&mut ObjectReader<'_, '_>) -> Option<T>],
) -> Option<T> {
    let is_known = |name: &str| variants.find(name).is_some();
    let is_tagged = match tag {
        Some(tag) => object.has_text(tag, is_known),
        None => object.has_any(is_known),
    };
    // A tag tells the variant, so a mistake in it is an error and no reason to try another one.
    if is_tagged {
        return tagged(object);
    }
    match object.attempt(tagged) {
        Ok(value) => Some(value),
        Err(error) => object
            .take_best(names, untagged)
            .or_else(|| object.fail(error)),
    }
}

/// Writes a variant as the one member of an object.
pub fn write_external(name: &str, writer: &mut Writer<'_>, write: impl FnOnce(&mut Writer<'_>)) {
    writer.open_object(1);
    writer.key(0, name);
    write(writer);
    writer.close_object();
}

/// Writes the name of a variant.
pub fn write_name(name: &str, writer: &mut Writer<'_>) {
    writer.string(name);
}

/// Writes an object whose members `write` writes.
pub fn write_object_of(writer: &mut Writer<'_>, write: &dyn Fn(&mut ObjectWriter<'_, '_>)) {
    write_members_of(None, write, writer);
}

/// Writes the member that tells a variant.
pub fn write_tag(tag: &'static str, name: &str, object: &mut ObjectWriter<'_, '_>) {
    object.member_of_enum(tag, |writer| writer.string(name));
    object.reserve(tag);
}

/// Writes the member that tells a variant without a content, which no other member may be taken
/// for.
pub fn write_tag_alone(
    (tag, content): (&'static str, &'static str),
    name: &str,
    object: &mut ObjectWriter<'_, '_>,
) {
    write_tag(tag, name, object);
    object.take_for_enum(content);
}

/// Writes a member of a variant.
pub fn write_content(
    name: &'static str,
    object: &mut ObjectWriter<'_, '_>,
    write: impl FnOnce(&mut Writer<'_>),
) {
    object.member_of_enum(name, write);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use super::*;
    use crate::codec::{AttributeType, Members};
    use crate::{Document, Union};

    #[derive(Debug, Union)]
    #[union(tag = "kind")]
    enum Inside {
        Plain,
        Custom {
            #[attribute(alias = "color")]
            colour: String,
            opacity: Option<f64>,
            #[attribute(default = 3)]
            depth: u8,
        },
        Of(Size),
        Open(Open),
        Any(BTreeMap<String, serde_json::Value>),
    }

    #[derive(Debug, Document)]
    struct Size {
        wide: u8,
        opacity: Option<f64>,
    }

    #[derive(Debug, Document)]
    struct Open {
        wide: u8,
        #[attribute(flatten)]
        part: Part,
        #[attribute(rest)]
        others: BTreeMap<String, serde_json::Value>,
    }

    #[derive(Debug, Document)]
    struct Part {
        #[attribute(default = 1)]
        depth: u8,
    }

    #[derive(Debug, Union)]
    #[union(tag = "kind", content = "of")]
    enum Beside {
        Plain,
        Number(u8),
        Maybe(Option<u8>),
        Inside(Inside),
        Custom { wide: u8 },
    }

    #[derive(Debug, Union)]
    #[union(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
    enum Renamed {
        #[attribute(alias = "counted")]
        OfNumbers { count: u64, ratio: Option<f64> },
        #[attribute(other)]
        Others,
    }

    #[derive(Debug, Union)]
    #[union(tag = "kind")]
    enum Deep {
        Leaf,
        Nest {
            #[attribute(recursive)]
            next: Box<Deep>,
            last: u8,
        },
    }

    /// The value that JSON is read as, and what is noted of it; otherwise the error and its place.
    fn read<T: AttributeType + Debug>(json: &str, in_order: bool) -> Result<String> {
        let mut reader = Reader::new(json);
        reader.read_exactly();
        if !in_order {
            reader.stop_expecting_sorted();
        }
        let value = T::decode(&mut reader)?;
        reader.end()?;
        let mut skipped = reader.skipped().to_vec();
        skipped.sort_unstable();
        Ok(format!(
            "{value:?} {skipped:?} {:?} {:?} {:?}",
            reader.unkept(),
            reader.merged(),
            reader.rounded()
        ))
    }

    /// Reads each variant, whose names are JSON, with up to three of the members, in any order,
    /// before and behind its tag.
    fn agree<T: AttributeType + Debug>(kinds: &[&str], members: &[&str]) {
        let (mut chosen, mut from) = (vec![Vec::new()], 0);
        for _ in 0..3 {
            let until = chosen.len();
            for before in from..until {
                let before = chosen[before].clone();
                chosen.extend(
                    members
                        .iter()
                        .filter(|member| !before.contains(*member))
                        .map(|member| [&before[..], &[*member]].concat()),
                );
            }
            from = until;
        }
        let mut read_by_both = 0;
        for (kind, chosen) in kinds
            .iter()
            .flat_map(|kind| chosen.iter().map(move |chosen| (kind, chosen)))
        {
            let tag = format!(r#""kind":{kind}"#);
            let first = [&[&*tag], &chosen[..]].concat();
            let last = [&chosen[..], &[&*tag]].concat();
            for json in [first.join(","), last.join(","), first.join(" , ")]
                .map(|members| format!("{{{members}}}"))
            {
                let value = read::<T>(&json, true);
                assert_eq!(value, read::<T>(&json, false), "{json}");
                read_by_both += usize::from(value.is_ok());
            }
        }
        assert!(read_by_both > 20, "{read_by_both}");
    }

    #[test]
    fn a_variant_is_the_same_wherever_its_tag_is() {
        agree::<Inside>(
            &[
                r#""Plain""#,
                r#""Custom""#,
                r#""\u0043ustom""#,
                r#""Of""#,
                r#""Open""#,
                r#""Any""#,
                r#""Other""#,
                "7",
                "null",
            ],
            &[
                r#""colour":"red""#,
                r#""color":"b\"lue""#,
                r#""opacity":0.5"#,
                r#""depth":7"#,
                r#""depth":700"#,
                r#""wide":1"#,
                r#""odd":[{"a":1}]"#,
                r#""kind":"Plain""#,
            ],
        );
        agree::<Renamed>(
            &[
                r#""of_numbers""#,
                r#""counted""#,
                r#""OfNumbers""#,
                r#""others""#,
                "true",
            ],
            &[
                r#""count":18446744073709551615"#,
                r#""count":18446744073709551616"#,
                r#""ratio":0.12345678901234567891"#,
                r#""ratio":null"#,
                r#""odd":1"#,
                r#""kind":"counted""#,
            ],
        );
        agree::<Beside>(
            &[
                r#""Plain""#,
                r#""Number""#,
                r#""Maybe""#,
                r#""Inside""#,
                r#""Custom""#,
                r#""Other""#,
                "[]",
            ],
            &[
                r#""of":1"#,
                r#""of":null"#,
                r#""of":{"wide":1}"#,
                r#""of":{"kind":"Custom","colour":"x","odd":1}"#,
                r#""odd":1"#,
                r#""kind":"Plain""#,
            ],
        );
    }

    /// As a repeated tag, a field of the tag's name is left to the look at all members.
    #[test]
    fn no_field_is_read_for_the_tag() {
        let behind = |tag: &str| {
            let mut reader = Reader::new(r#"{"kind":"Of","wide":1}"#);
            reader.read_exactly();
            reader.open_object().unwrap();
            reader.next_member(true).unwrap();
            reader.skip().unwrap();
            ObjectReader::behind_tag(&mut reader, tag, Size::read_members)
        };
        assert!(behind("kind").is_some());
        assert!(behind("wide").is_none());
    }

    /// Each value is read straight from the text and then among all members; without an end of that
    /// every depth would double the time.
    #[test]
    fn values_inside_one_another_are_read_a_bounded_number_of_times() {
        for last in [r#""last":1,"odd":1"#, r#""last":"x""#] {
            let before = r#"{"kind":"Nest","next":"#.repeat(60);
            let behind = format!(",{last}}}").repeat(60);
            let json = format!(r#"{before}{{"kind":"Leaf"}}{behind}"#);
            assert_eq!(read::<Deep>(&json, true), read::<Deep>(&json, false));
        }
    }
}
