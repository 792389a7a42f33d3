//! JSON with comments and trailing commas, as editors write settings; edited in place.

mod comments;

use std::borrow::Cow;

use jsonc_parser::cst::{
    CstArray, CstComment, CstInputValue, CstNewlineKind, CstNode, CstObject, CstObjectProp,
    CstRootNode,
};
use upstate::__internal::write_string;
use upstate::schema::{Schema, Type};
use upstate::{Diagnostic, Diagnostics};

use comments::{comments, comments_above, in_lines, options, restored};

use crate::document::comment::Comment;
use crate::document::edits::{Edits, goals_of, is_alike, is_same, merged_elements, merged_member};
use crate::document::pairs::{left, stored_key};
use crate::document::place::{
    Content, Place, absent_is_null, absent_is_null_beside, content, element_type, member_type,
};
use crate::document::sets::{held_in, in_stored_order};
use crate::document::text::{self, MARK, Text};
use crate::document::tree::Tree;
use crate::state_file::string_length;

/// A document that was read.
#[derive(Debug, Clone)]
pub(in crate::document) struct Source {
    text: String,
    mark: bool,
}

/// Reads it; gives JSON in which each byte is where it was.
pub(in crate::document) fn read(bytes: &[u8]) -> Result<(Vec<u8>, Source), Diagnostics> {
    let Text { text, mark } = text::decode(bytes, "JSON")?;
    let mut json = plain(text)?;
    if mark {
        json.splice(..0, *b"   ");
    }
    Ok((
        json,
        Source {
            text: text.to_owned(),
            mark,
        },
    ))
}

/// Its bytes, with blanks for comments and trailing commas. The reader of JSON refuses all else
/// that is not JSON.
fn plain(text: &str) -> Result<Vec<u8>, Diagnostic> {
    let mut json = text.as_bytes().to_vec();
    let byte = |index: usize| text.as_bytes().get(index).copied();
    // A comma that no value precedes is not a trailing one, so that `[,]` stays invalid.
    let (mut comma, mut after_value) = (None, false);
    let mut index = 0;
    while let Some(current) = byte(index) {
        let rest = text.get(index..).unwrap_or_default();
        let length = match (current, byte(index + 1)) {
            (b'/', Some(b'/')) => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            (b'/', Some(b'*')) => {
                let Some(end) = rest.get(2..).and_then(|rest| rest.find("*/")) else {
                    let at = text::place(text, index);
                    return Err(text::unreadable(&format!(
                        "not valid JSON: a comment without its end{at}"
                    )));
                };
                end + 4
            }
            (b'"', _) => string_length(rest),
            (b' ' | b'\n' | b'\r' | b'\t', _) => {
                index += 1;
                continue;
            }
            _ => 1,
        };
        if current == b'/' && length > 1 {
            for blank in json.get_mut(index..index + length).into_iter().flatten() {
                if !matches!(blank, b'\n' | b'\r') {
                    *blank = b' ';
                }
            }
        } else {
            if matches!(current, b']' | b'}')
                && let Some(comma) = comma.and_then(|comma: usize| json.get_mut(comma))
            {
                *comma = b' ';
            }
            comma = (current == b',' && after_value).then_some(index);
            after_value = !matches!(current, b',' | b'[' | b'{' | b':');
        }
        index += length;
    }
    Ok(json)
}

/// The stored document with these values.
pub(in crate::document) fn edited(
    source: Source,
    new: &Tree<'_>,
    schema: &Schema,
    edits: &Edits,
) -> Result<Vec<u8>, Diagnostic> {
    let Source { text, mark } = source;
    let json = plain(&text)?;
    let document =
        Tree::parse(std::str::from_utf8(&json).unwrap_or_default()).map_err(|_| different())?;
    let root = CstRootNode::parse(&text, &options()).map_err(|_| different())?;
    let (Tree::Object(stored), Tree::Object(new), Some(object)) =
        (&document, new, root.object_value())
    else {
        return Err(different());
    };
    let is_lead = |(name, _): &&(Cow<'_, str>, Tree<'_>)| {
        edits.first.iter().any(|lead| lead == name)
            && !stored.iter().any(|(stored, _)| {
                let goals = edits.known.renames.get([stored.to_string()].as_slice());
                stored == name
                    || goals.is_some_and(|goals| goals.contains([name.to_string()].as_slice()))
            })
    };
    let lead: Vec<_> = new.iter().filter(is_lead).collect();
    let rest: Vec<_> = new
        .iter()
        .filter(|member| !is_lead(member))
        .cloned()
        .collect();
    // Without an upgrade, no member is elsewhere.
    let before = if edits.pairs_values {
        comments(&root)
    } else {
        Vec::new()
    };
    let place = Place::of(&edits.known.ty);
    let editor = Editor {
        edits,
        schema,
        stored: &document,
        keeps_unknown: true,
    };
    editor.object(&object, stored, &rest, &place)?;
    let mut text = root.to_string();
    let line_end = match root.newline_kind() {
        CstNewlineKind::LineFeed => "\n",
        CstNewlineKind::CarriageReturnLineFeed => "\r\n",
        CstNewlineKind::CarriageReturn => "\r",
    };
    if !lead.is_empty() {
        // By hand, because the library puts them behind the comments of the first member.
        let before: usize = root
            .children()
            .iter()
            .take_while(|child| child.as_object().is_none())
            .map(|child| child.to_string().len())
            .sum();
        let is_last = object.properties().is_empty();
        let lines = object
            .to_string()
            .contains(['\n', '\r'])
            .then_some(line_end);
        let indent = root.single_indent_text().unwrap_or_else(|| "  ".to_owned());
        let mut members = String::new();
        for (index, (name, value)) in lead.iter().enumerate() {
            let mut json = Vec::new();
            write_string(name, &mut json);
            json.extend_from_slice(b": ");
            value.write(&mut json);
            members += &lines.map_or_else(|| " ".to_owned(), |line| format!("{line}{indent}"));
            members += &String::from_utf8_lossy(&json);
            members += if is_last && index + 1 == lead.len() {
                ""
            } else {
                ","
            };
        }
        text.insert_str(before + 1, &members);
    }
    if !before.is_empty() {
        text = restored(text, &before, &comments(&root), edits, line_end);
    }
    if mark {
        text.insert_str(0, MARK);
    }
    Ok(text.into_bytes())
}

/// The comments of a document; none if it cannot be read.
pub(in crate::document) fn comments_of(bytes: &[u8]) -> Vec<Comment> {
    let Ok(text) = text::decode(bytes, "JSON").map(|decoded| decoded.text) else {
        return Vec::new();
    };
    match plain(text) {
        Ok(json) if json != text.as_bytes() => in_lines(text, &json),
        Ok(_) | Err(_) => Vec::new(),
    }
}

/// The error for a document that two parsers read differently.
#[cold]
fn different() -> Diagnostic {
    let detail = "The stored document cannot be edited in place, though it can be read. Nothing was written.";
    text::unwritable(detail).with_remedy(text::BUG)
}

type Members<'t> = [(Cow<'t, str>, Tree<'t>)];

struct Editor<'e> {
    edits: &'e Edits,
    schema: &'e Schema,
    /// The whole document as it was.
    stored: &'e Tree<'e>,
    /// False if the new values have the members that no schema defines.
    keeps_unknown: bool,
}

impl Editor<'_> {
    fn object(
        &self,
        object: &CstObject,
        stored: &Members<'_>,
        new: &Members<'_>,
        place: &Place<'_>,
    ) -> Result<(), Diagnostic> {
        let properties = object.properties();
        if properties.len() != stored.len() {
            return Err(different());
        }
        let origins = self.edits.origins_in(place, stored, new);
        let goals = goals_of(&origins, stored.len());
        let held = if let Some(Type::Union(union)) = place.ty.or(place.in_enum) {
            Some(content(union, new))
        } else {
            None
        };
        for ((property, (name, old)), goal) in properties.into_iter().zip(stored).zip(goals) {
            match goal.and_then(|goal| new.get(goal)) {
                Some((goal, value)) => {
                    if goal != name {
                        rename(&property, goal)?;
                    }
                    let mut member = place.member(name, goal);
                    if let Some(held) = &held {
                        member.in_enum = held.member(goal);
                    }
                    self.property(&property, old, value, &member)?;
                }
                None if self.keeps_unknown
                    && self.edits.keeps(place, name)
                    && !new.iter().any(|(new, _)| new == name) => {}
                None => {
                    // Otherwise the comments of the last member stay, behind the others.
                    if self.edits.moves_away(place, name) {
                        comments_above(&property)
                            .into_iter()
                            .for_each(CstComment::remove);
                    }
                    property.remove();
                }
            }
        }
        for ((name, value), _) in new
            .iter()
            .zip(&origins)
            .filter(|(_, origin)| origin.is_none())
        {
            if *value == Tree::Null && self.may_be_absent(place, held.as_ref(), name) {
                continue;
            }
            let value = merged_member(self.stored, (name, value.clone()), self.edits, place);
            object.append(name, input(&value));
        }
        Ok(())
    }

    /// True if a new member that is null is read in an object without it. One of the rest is not.
    fn may_be_absent(&self, place: &Place<'_>, held: Option<&Content<'_>>, name: &str) -> bool {
        let ty = match held {
            Some(Content::Members(ty)) => Some(*ty),
            // Because the null may say which variant it is.
            Some(Content::External(_) | Content::Adjacent(..) | Content::Unknown) => None,
            None => place.ty.or(place.in_enum),
        };
        if member_type(ty, name).is_some() {
            return absent_is_null(ty, name);
        }
        let path = place.new_path();
        let around = usize::from(self.edits.attributes.is_some()).min(path.len());
        let path = path.get(around..).unwrap_or_default();
        absent_is_null_beside(self.schema, path, name)
    }

    fn property(
        &self,
        property: &CstObjectProp,
        old: &Tree<'_>,
        new: &Tree<'_>,
        place: &Place<'_>,
    ) -> Result<(), Diagnostic> {
        if !self.inside(property.value().as_ref(), old, new, place)? {
            property.set_value(input(new));
        }
        Ok(())
    }

    /// Edits what is inside of a value; false if another one has to take its place.
    fn inside(
        &self,
        value: Option<&CstNode>,
        old: &Tree<'_>,
        new: &Tree<'_>,
        place: &Place<'_>,
    ) -> Result<bool, Diagnostic> {
        match (old, new) {
            (Tree::Object(old), Tree::Object(new)) => {
                let object = value.and_then(CstNode::as_object).ok_or_else(different)?;
                self.object(&object, old, new, place)?;
            }
            (Tree::Array(old), Tree::Array(new)) => {
                let array = value.and_then(CstNode::as_array).ok_or_else(different)?;
                self.array(&array, old, new, place)?;
            }
            (old, new) => return Ok(is_same(old, new, place.ty, self.edits.numbers)),
        }
        Ok(true)
    }

    fn array(
        &self,
        array: &CstArray,
        old: &[Tree<'_>],
        new: &[Tree<'_>],
        place: &Place<'_>,
    ) -> Result<(), Diagnostic> {
        let (ty, elements) = (place.ty, array.elements());
        if elements.len() != old.len() {
            return Err(different());
        }
        let alike = |index: usize, value: &Tree<'_>| {
            old.get(index)
                .is_some_and(|old| is_alike(old, value, element_type(ty, index)))
        };
        let ordered = in_stored_order(ty, old.len(), new, alike, held_in(old));
        let key = |at: usize, name: &str| old.get(at).and_then(|old| stored_key(old, name));
        let origins = self.edits.elements(place, old.len(), &ordered, alike, key);
        let is_sorted = origins.iter().flatten().is_sorted();
        if self.keeps_unknown && !is_sorted {
            let Tree::Array(whole) = merged_elements(old, new, self.edits, place) else {
                return Err(different());
            };
            let over = Editor {
                keeps_unknown: false,
                ..*self
            };
            return over.array(array, old, &whole, place);
        }
        let origins = if is_sorted {
            origins
        } else {
            // Each is written over another one that stays, because the library moves none.
            let mut places: Vec<usize> = origins.iter().copied().flatten().collect();
            places.sort_unstable();
            let mut places = places.into_iter();
            origins
                .into_iter()
                .map(|origin| origin.and_then(|_| places.next()))
                .collect()
        };
        for (element, is_left) in elements.iter().zip(left(&origins, elements.len())) {
            if is_left {
                element.clone().remove();
            }
        }
        for (index, (value, origin)) in ordered.into_iter().zip(&origins).enumerate() {
            match origin.and_then(|origin| old.get(origin).zip(elements.get(origin))) {
                Some((old, element)) => {
                    self.element(element, old, value, &place.element(index))?;
                }
                None => {
                    array.insert(index, input(value));
                }
            }
        }
        Ok(())
    }

    fn element(
        &self,
        element: &CstNode,
        old: &Tree<'_>,
        new: &Tree<'_>,
        place: &Place<'_>,
    ) -> Result<(), Diagnostic> {
        if self.inside(Some(element), old, new, place)? {
            return Ok(());
        }
        let new = input(new);
        // A macro, because each kind of node has its own method, and no trait has it.
        macro_rules! replaced {
            ($($kind:ident)*) => {
                None$(.or_else(|| Some(element.$kind()?.replace_with(new.clone()))))*
            };
        }
        let replaced = replaced!(
            as_object as_array as_string_lit as_number_lit as_boolean_lit as_null_keyword
        );
        replaced.map(drop).ok_or_else(different)
    }
}

fn rename(property: &CstObjectProp, name: &str) -> Result<(), Diagnostic> {
    let key = property
        .name()
        .and_then(|name| name.as_string_lit())
        .ok_or_else(different)?;
    let mut quoted = Vec::new();
    write_string(name, &mut quoted);
    key.set_raw_value(String::from_utf8_lossy(&quoted).into_owned());
    Ok(())
}

fn input(tree: &Tree<'_>) -> CstInputValue {
    match tree {
        Tree::Null => CstInputValue::Null,
        Tree::Bool(bool) => CstInputValue::Bool(*bool),
        Tree::Number(digits) => CstInputValue::Number(digits.clone().into_owned()),
        Tree::String(string) => CstInputValue::String(string.clone().into_owned()),
        Tree::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Tree::Object(members) => CstInputValue::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone().into_owned(), input(value)))
                .collect(),
        ),
    }
}
