//! Writing documents.

use upstate::__internal::{Layout, Undefined, encode_object, indented, write_string};
use upstate::codec::Encoding;
use upstate::{
    AttributePath, CurrentModel, Diagnostic, Diagnostics, EncodeError, ResourceDefinition,
};

use super::edits::lost_null;
use super::format::Format;
use super::locate::first_of;
use super::syntax::Syntax;
use super::text;

/// The room for the attributes of a model, which most settings and rows fit into.
const ROOM: usize = 384;

impl Format<'_> {
    /// Writes a document: type and version, then every attribute, their names sorted.
    ///
    /// # Errors
    /// The model has an attribute that is called as a member of a flat format is, or holds a number
    /// that is not finite, or null where the syntax has none.
    pub fn to_vec<T: CurrentModel>(&self, model: &T) -> Result<Vec<u8>, Diagnostics> {
        let edits = || self.edits(T::DEFINITION, None, &Undefined::default());
        let written = self
            .syntax
            .write(T::DEFINITION, self.json(model)?, None, edits)?;
        if self.syntax.facts().without_null.is_some()
            && T::DEFINITION.schema().flattened().next().is_some()
        {
            // Not read at all, perhaps, because it lacks a variant that holds nothing.
            let again = self.read::<T>(&written.bytes)?;
            self.check_nulls(model, again.model())?;
        }
        Ok(written.bytes)
    }

    /// Refuses a model with a null that the one that was read again lacks, because its syntax has
    /// none.
    pub(super) fn check_nulls<T: CurrentModel>(
        &self,
        model: &T,
        again: &T,
    ) -> Result<(), Diagnostics> {
        let Some(syntax) = self.syntax.facts().without_null else {
            return Ok(());
        };
        match lost_null(&self.json(model)?, &self.json(again)?, syntax) {
            Some(refusal) => Err(refusal.into()),
            None => Ok(()),
        }
    }

    /// The document as JSON, whatever the format's syntax.
    pub(super) fn json<T: CurrentModel>(&self, model: &T) -> Result<Vec<u8>, Diagnostics> {
        self.check_model::<T>(None)?;
        let typed = (T::DEFINITION, T::TYPE_NAME);
        document_of(self, typed, T::VERSION, ROOM, |out| {
            encode_object(model, Encoding::Json, out).map_err(|error| unwritable(&error).into())
        })
    }

    /// A rewritten document, in lines if that is the format and it was made in the order of the
    /// stored one.
    pub(super) fn laid_out(&self, new: Vec<u8>, stored: &[u8], in_order: bool) -> Vec<u8> {
        match std::str::from_utf8(&new) {
            Ok(compact) if in_order && self.pretty && self.syntax == Syntax::Json => {
                let mut lines = Vec::with_capacity(new.len() * 2);
                let layout = layout_of(stored);
                indented(compact, layout, &mut lines);
                if stored.ends_with(b"\n") {
                    lines.extend_from_slice(layout.newline.as_bytes());
                }
                lines
            }
            Ok(_) | Err(_) => new,
        }
    }

    /// Writes a document as a string.
    ///
    /// # Errors
    /// See [`Format::to_vec`]; also if the format is binary.
    pub fn to_string<T: CurrentModel>(&self, model: &T) -> Result<String, Diagnostics> {
        let bytes = self.to_vec(model)?;
        String::from_utf8(bytes).map_err(|_| {
            text::unwritable("The document format is binary, so a document is not a string.")
                .with_remedy("This is a mistake in the program: it must call `Format::to_vec`.")
                .into()
        })
    }
}

/// The layout of the lines of a document: their ends, and the indentation of the first member, if
/// that begins a line.
fn layout_of(document: &[u8]) -> Layout<'_> {
    /// The most blanks of one level, because each line of the new document has them.
    const MOST: usize = 16;
    let text = std::str::from_utf8(document).unwrap_or_default();
    let mut lines = text.trim_start().lines();
    let opens = lines.next().is_some_and(|line| line.trim_end() == "{");
    let member = lines.next().unwrap_or_default();
    let blanks = member.len() - member.trim_start_matches([' ', '\t']).len();
    let unit = member.get(..blanks).unwrap_or_default();
    Layout {
        newline: line_end(document),
        unit: if opens && (1..=MOST).contains(&unit.len()) {
            unit
        } else {
            Layout::TERRAFORM.unit
        },
        ..Layout::TERRAFORM
    }
}

/// The characters that end the lines of a document.
pub(super) fn line_end(document: &[u8]) -> &'static str {
    let is_windows = document.windows(2).any(|bytes| bytes == b"\r\n");
    if is_windows { "\r\n" } else { "\n" }
}

/// The diagnostic against a model with a value that has no form.
#[cold]
pub(super) fn unwritable(error: &EncodeError) -> Diagnostic {
    let detail = if error.is_not_finite() {
        "The document holds a number that is not finite (NaN or infinity), which documents of any format cannot. Nothing was written.".to_owned()
    } else {
        format!(
            "The document cannot be stored: {}. Nothing was written.",
            error.problem()
        )
    };
    text::unwritable(detail).at(error.path().clone())
}

/// A document of a version, under the name that its type had then, with these attributes, a compact
/// object.
///
/// # Errors
/// A key of a map of remaining members is the name of a member of the format.
pub(super) fn document(
    format: &Format<'_>,
    (definition, type_name): (&ResourceDefinition, &str),
    version: u64,
    attributes: &[u8],
) -> Result<Vec<u8>, Diagnostics> {
    let typed = (definition, type_name);
    document_of(format, typed, version, attributes.len(), |out| {
        out.extend_from_slice(attributes);
        Ok(())
    })
}

/// A document of a version with the attributes that `write` appends, a compact object of about so
/// many bytes.
fn document_of(
    format: &Format<'_>,
    (definition, type_name): (&ResourceDefinition, &str),
    version: u64,
    room: usize,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), Diagnostics>,
) -> Result<Vec<u8>, Diagnostics> {
    let mut out = Vec::with_capacity(room + type_name.len() + 64);
    out.push(b'{');
    if let Some(member) = format.type_name {
        write_string(member, &mut out);
        out.push(b':');
        write_string(type_name, &mut out);
        out.push(b',');
    }
    write_string(format.version, &mut out);
    out.push(b':');
    match u8::try_from(version) {
        // Nothing is allocated for one digit, which most versions have.
        Ok(digit @ 0..=9) => out.push(b'0' + digit),
        Ok(10..) | Err(_) => out.extend_from_slice(version.to_string().as_bytes()),
    }
    if let Some(member) = format.attributes {
        out.push(b',');
        write_string(member, &mut out);
        out.push(b':');
        write(&mut out)?;
        out.push(b'}');
    } else {
        let start = out.len();
        write(&mut out)?;
        if definition.stores_any_name(version)
            && let Some(name) = first_of(
                out.get(start..).unwrap_or_default(),
                &[Some(format.version), format.type_name],
            )
        {
            return Err(taken(name));
        }
        // The brace before the attributes becomes the comma before the first of them.
        match out.get_mut(start..) {
            Some([brace @ b'{', next, ..]) if *next != b'}' => *brace = b',',
            Some(_) | None => {
                out.truncate(start);
                out.push(b'}');
            }
        }
    }
    if !format.pretty || !format.syntax.facts().is_json {
        return Ok(out);
    }
    Ok(match std::str::from_utf8(&out) {
        Ok(compact) => {
            let mut lines = Vec::with_capacity(out.len() * 2);
            indented(compact, Layout::TERRAFORM, &mut lines);
            lines
        }
        Err(_) => out,
    })
}

/// The refusal of a key of the remaining members that is the name of a member of the format.
#[cold]
fn taken(name: &str) -> Diagnostics {
    let detail = format!(
        "A key of the remaining members is {name:?}, the name of a member of the document's format. Nothing was written."
    );
    text::unwritable(detail)
        .at(AttributePath::new().attribute(name.to_owned()))
        .into()
}
