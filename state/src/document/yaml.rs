//! Documents in YAML 1.2, by its core schema.
//!
//! The events of the parser are read, not values, because they have the digits of numbers, the
//! comments and the anchors.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use granit_parser::{Event, Parser, ScalarStyle, Span, Tag};
use upstate::__internal::write_string;
use upstate::{AttributePath, Diagnostic, DiagnosticCode, Diagnostics, ResourceDefinition};

use super::comment::Comment;
use super::edits::{Edits, is_same, merged, null_not_in};
use super::place::{Beside, parts, without_absent_but};
use super::text::{self, MARK, Text};
use super::transcode::{self, Wide};
use super::tree::{Serialized, Tree};

/// The kind of comments.
const COMMENTS: &str = "comments";

/// A kind of names that a rewritten document has, but in quotes.
const NOT_STRINGS: &str = "names that are not strings";

/// A document that was read.
#[derive(Debug, Clone)]
pub(super) struct Source {
    text: String,
    mark: bool,
    json: Vec<u8>,
    /// Comments and the like, which a rewritten document lacks: the kind and the line of each.
    loses: Vec<(&'static str, usize)>,
}

/// Reads YAML; gives its JSON, too.
pub(super) fn read(bytes: &[u8]) -> Result<(Vec<u8>, Source), Diagnostics> {
    let Text { text, mark } = text::decode(bytes, "YAML")?;
    let mut reader = Reader {
        // A limit, because a small document can name itself many times over.
        limit: text.len().saturating_mul(16).max(1 << 20),
        out: Vec::with_capacity(text.len()),
        anchors: BTreeMap::new(),
        loses: Vec::new(),
        open: Vec::new(),
        documents: 0,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let at = place(error.marker().line(), error.marker().col());
            // The reason alone, because a line may hold a secret.
            text::unreadable(&format!("not valid YAML: {}{at}", error.info()))
        })?;
        reader.event(event, &span)?;
    }
    let Reader { out, loses, .. } = reader;
    let json = if out.is_empty() {
        b"null".to_vec()
    } else {
        out
    };
    Ok((
        json.clone(),
        Source {
            text: text.to_owned(),
            mark,
            json,
            loses,
        },
    ))
}

/// The comments of a document; none if it cannot be read. They come without their words, because a document in
/// YAML that is edited has none of them.
pub(super) fn comments(bytes: &[u8]) -> Vec<Comment> {
    let Ok((_, source)) = read(bytes) else {
        return Vec::new();
    };
    source
        .loses
        .iter()
        .filter(|(kind, _)| *kind == COMMENTS)
        .map(|(_, line)| Comment {
            path: AttributePath::new(),
            text: String::new(),
            line: *line,
        })
        .collect()
}

impl Source {
    /// True if it has what a rewritten document would be without.
    pub(super) fn loses(&self) -> bool {
        !self.loses.is_empty()
    }
}

/// A document with these values, in the order of the stored one.
///
/// # Errors
/// The stored one has comments or the like, and the format does not allow to lose them.
pub(super) fn edited(
    source: &Source,
    new: &Tree<'_>,
    definition: &ResourceDefinition,
    edits: &Edits,
    discards: bool,
) -> Result<Vec<u8>, Diagnostic> {
    let stored = std::str::from_utf8(&source.json)
        .ok()
        .and_then(|json| Tree::parse(json).ok())
        .unwrap_or(Tree::Null);
    let mut new = new.clone();
    let parts = parts(definition.schema());
    let beside = edits.beside(&parts, true);
    // Before the merge, because a null that no schema defines stays.
    without_absent_but(&mut new, Some(&edits.known.ty), &beside);
    let new = merged(&stored, new, edits);
    let mark = if source.mark { MARK } else { "" };
    if is_stored(&stored, &new, edits, &beside) {
        return Ok(format!("{mark}{}", source.text).into_bytes());
    }
    if !discards && !source.loses.is_empty() {
        let (names, lost): (Vec<_>, Vec<_>) = source
            .loses
            .iter()
            .copied()
            .partition(|(kind, _)| *kind == NOT_STRINGS);
        let fates = [listed(&lost, "be lost"), listed(&names, "become strings")];
        let detail = format!(
            "The document has {}: YAML is not edited in place. Nothing was written.",
            fates
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(", and ")
        );
        return Err(Diagnostic::error("More Than Values Would Change", detail).coded(DiagnosticCode::Unwritable).with_remedy(
            "Change the document by hand, keep it in TOML, or let the program discard them (`Format::discard_comments`).",
        ));
    }
    let mut written = yaml_of(new, definition)?;
    let begins = source.text.strip_prefix("---");
    if begins.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r'])) {
        written.splice(..0, *b"---\n");
    }
    if source.text.contains("\r\n") {
        written = String::from_utf8_lossy(&written)
            .replace('\n', "\r\n")
            .into_bytes();
    }
    written.splice(..0, mark.bytes());
    Ok(written)
}

/// The kinds of what a document has, with their lines, and the fate of it in a rewritten one;
/// nothing if it has none.
fn listed(found: &[(&str, usize)], fate: &str) -> Option<String> {
    let mut kinds: Vec<&str> = found.iter().map(|(kind, _)| *kind).collect();
    kinds.dedup();
    let lines: BTreeSet<usize> = found.iter().map(|(_, line)| *line).collect();
    let shown: Vec<String> = lines.iter().take(LISTED).map(usize::to_string).collect();
    let more = if lines.len() > LISTED {
        format!(" and {} more", lines.len() - LISTED)
    } else {
        String::new()
    };
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    (!kinds.is_empty()).then(|| {
        format!(
            "{} ({noun} {}{more}), which would {fate}",
            kinds.join(", "),
            shown.join(", ")
        )
    })
}

/// A new document.
pub(super) fn written(
    tree: &Tree<'_>,
    definition: &ResourceDefinition,
    edits: &Edits,
) -> Result<Vec<u8>, Diagnostic> {
    let mut tree = tree.clone();
    let parts = parts(definition.schema());
    let beside = edits.beside(&parts, true);
    without_absent_but(&mut tree, Some(&edits.known.ty), &beside);
    yaml_of(tree, definition)
}

/// True if a stored document has the new values.
fn is_stored(stored: &Tree<'_>, new: &Tree<'_>, edits: &Edits, beside: &Beside<'_>) -> bool {
    let ty = Some(&edits.known.ty);
    let (mut was, mut is) = (stored.clone(), new.clone());
    without_absent_but(&mut was, ty, beside);
    without_absent_but(&mut is, ty, beside);
    // Because members of flattened enums and maps are compared as if null were nothing there.
    let has_same_nulls = || null_not_in(&was, new).is_none() && null_not_in(&is, stored).is_none();
    is_same(&was, &is, ty, edits.numbers) && (beside.is_empty() || has_same_nulls())
}

fn yaml_of(mut tree: Tree<'_>, definition: &ResourceDefinition) -> Result<Vec<u8>, Diagnostic> {
    let (mark, mut digits) = (unused(&tree), Vec::new());
    take_digits(&mut tree, &mark, &mut digits);
    let wide = Wide::of(definition, Wide::Integer);
    serde_saphyr::to_string(&Serialized(&tree, wide))
        .map(|yaml| with_digits(&yaml, &mark, &digits).into_bytes())
        .map_err(|error| {
            let detail =
                format!("The document holds what YAML cannot: {error}. Nothing was written.");
            text::unwritable(detail)
        })
}

/// A string that is in no name and no string of a document, and that YAML has without quotes. Since
/// no escape has a `z`, it is nowhere else in the YAML, either.
fn unused(tree: &Tree<'_>) -> String {
    let mut json = Vec::new();
    tree.write(&mut json);
    let json = String::from_utf8_lossy(&json);
    // All at once, because a document can hold so many of them that a search for each takes hours.
    let between: HashSet<usize> = json
        .split('z')
        .filter_map(|text| text.parse().ok())
        .collect();
    let free = (0..=between.len()).find(|number| !between.contains(number));
    format!("z{}z", free.unwrap_or_default())
}

/// Puts the mark in the place of each number that no float has all digits of, because the writer
/// takes nothing else, and adds its digits.
fn take_digits<'t>(tree: &mut Tree<'t>, mark: &str, digits: &mut Vec<Cow<'t, str>>) {
    match tree {
        Tree::Number(number) if transcode::float(number).is_none() => {
            digits.push(std::mem::take(number));
            *tree = Tree::String(Cow::Owned(mark.to_owned()));
        }
        Tree::Array(elements) => {
            for element in elements {
                take_digits(element, mark, digits);
            }
        }
        Tree::Object(members) => {
            for (_, value) in members {
                take_digits(value, mark, digits);
            }
        }
        Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::String(_) => {}
    }
}

/// The YAML with digits in the places of the marks.
fn with_digits(yaml: &str, mark: &str, digits: &[Cow<'_, str>]) -> String {
    let mut parts = yaml.split(mark);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for (number, part) in digits.iter().zip(parts) {
        written.push_str(number);
        written.push_str(part);
    }
    written
}

/// The number of lines that a message names.
const LISTED: usize = 10;

/// The number of collections inside one another, as in JSON.
const DEPTH: usize = 256;

fn place(line: usize, column: usize) -> String {
    format!(" (line {line}, column {})", column + 1)
}

struct Reader {
    limit: usize,
    out: Vec<u8>,
    anchors: BTreeMap<usize, Vec<u8>>,
    loses: Vec<(&'static str, usize)>,
    open: Vec<Open>,
    documents: usize,
}

/// A collection that has not ended.
struct Open {
    anchor: usize,
    begin: usize,
    /// The names of a mapping so far; none of a sequence.
    names: Option<BTreeSet<String>>,
    /// The number of keys and values, or of elements.
    count: usize,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), Diagnostic> {
        let line = span.start.line();
        match event {
            Event::DocumentStart(_, version) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(refused("expected one document, found another one", span));
                }
                if version.is_some() {
                    self.loses.push(("directives", line));
                }
            }
            Event::Comment(..) => self.loses.push((COMMENTS, line)),
            Event::Alias(id) => {
                self.loses.push(("aliases", line));
                self.before(None, span)?;
                let Some(json) = self.anchors.get(&id) else {
                    return Err(refused(
                        "expected a value, found an alias for the value that contains it",
                        span,
                    ));
                };
                if self.out.len() + json.len() > self.limit {
                    return Err(refused("the aliases make it too long", span));
                }
                self.out.extend_from_slice(json);
            }
            Event::Scalar(value, style, anchor, tag) => {
                let begin = self.out.len();
                let is_key = self.before(Some((&value, style)), span)?;
                if !is_key {
                    self.scalar(&value, style, tag.as_deref(), span)?;
                } else if tag.is_some() {
                    self.loses.push(("tags", line));
                } else if style == ScalarStyle::Plain && !matches!(plain(&value, span), Ok(None)) {
                    // A rewritten one is in quotes, and another name for every other reader.
                    self.loses.push((NOT_STRINGS, line));
                }
                self.anchored(anchor, begin, line);
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.begin(b'[', anchor, tag.as_deref(), span)?;
            }
            Event::MappingStart(_, anchor, tag) => {
                self.begin(b'{', anchor, tag.as_deref(), span)?;
            }
            Event::SequenceEnd => self.end(b']', line),
            Event::MappingEnd => self.end(b'}', line),
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            // The parser is not asked for these, so that they cannot come; and others do not exist
            // yet.
            Event::Anchor(..) | Event::UnresolvedAlias(_) | _ => {
                return Err(refused("something that this release does not know", span));
            }
        }
        Ok(())
    }

    /// Writes what separates the next value from the one before it. A key of a mapping is written
    /// itself, which this says.
    fn before(
        &mut self,
        scalar: Option<(&str, ScalarStyle)>,
        span: &Span,
    ) -> Result<bool, Diagnostic> {
        let Some(open) = self.open.last_mut() else {
            return Ok(false);
        };
        let index = open.count;
        open.count += 1;
        let Some(names) = &mut open.names else {
            if index > 0 {
                self.out.push(b',');
            }
            return Ok(false);
        };
        if index % 2 == 1 {
            self.out.push(b':');
            return Ok(false);
        }
        let Some((name, style)) = scalar else {
            return Err(refused(
                "expected a name, found a collection or an alias",
                span,
            ));
        };
        if name == "<<" && style == ScalarStyle::Plain {
            return Err(refused(
                "a merge key (`<<`) is not part of YAML 1.2; write out its members",
                span,
            ));
        }
        if !names.insert(name.to_owned()) {
            return Err(refused("a member is there twice", span));
        }
        if index > 0 {
            self.out.push(b',');
        }
        write_string(name, &mut self.out);
        Ok(true)
    }

    fn begin(
        &mut self,
        bracket: u8,
        anchor: usize,
        tag: Option<&Tag>,
        span: &Span,
    ) -> Result<(), Diagnostic> {
        if self.open.len() >= DEPTH {
            return Err(refused(
                &format!("more than {DEPTH} values inside one another"),
                span,
            ));
        }
        self.before(None, span)?;
        if let Some(tag) = tag {
            let expected = if bracket == b'[' { "seq" } else { "map" };
            if core(tag) != Some(expected) {
                return Err(refused("a tag that is not YAML's own", span));
            }
            self.loses.push(("tags", span.start.line()));
        }
        let names = (bracket == b'{').then(BTreeSet::new);
        self.open.push(Open {
            anchor,
            begin: self.out.len(),
            names,
            count: 0,
        });
        self.out.push(bracket);
        Ok(())
    }

    fn end(&mut self, bracket: u8, line: usize) {
        self.out.push(bracket);
        if let Some(Open { anchor, begin, .. }) = self.open.pop() {
            self.anchored(anchor, begin, line);
        }
    }

    fn anchored(&mut self, anchor: usize, begin: usize, line: usize) {
        if anchor > 0 {
            self.loses.push(("anchors", line));
            let json = self.out.get(begin..).unwrap_or_default();
            let value = json
                .iter()
                .position(|byte| !matches!(byte, b',' | b':'))
                .and_then(|start| json.get(start..));
            self.anchors
                .insert(anchor, value.unwrap_or_default().to_vec());
        }
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        span: &Span,
    ) -> Result<(), Diagnostic> {
        if tag.is_some() {
            self.loses.push(("tags", span.start.line()));
        }
        let written = match (tag.map(core), style) {
            (None, ScalarStyle::Plain) => plain(value, span)?,
            (None | Some(Some("str")), _) => None,
            (Some(Some(kind)), _) => match (kind, plain(value, span)?) {
                ("null", Some(json)) if json == "null" => Some(json),
                ("bool", Some(json)) if json == "true" || json == "false" => Some(json),
                ("int" | "float", Some(json))
                    if json.starts_with(|first: char| first == '-' || first.is_ascii_digit()) =>
                {
                    Some(json)
                }
                _ => return Err(refused("a value that is not what its tag says", span)),
            },
            (Some(None), _) => return Err(refused("a tag that is not YAML's own", span)),
        };
        match written {
            Some(json) => self.out.extend_from_slice(json.as_bytes()),
            None => write_string(value, &mut self.out),
        }
        Ok(())
    }
}

/// The name of a tag of the core schema.
fn core(tag: &Tag) -> Option<&str> {
    tag.core_suffix()
}

/// The JSON of a plain scalar that is not a string.
///
/// A number with a leading zero is a string: it is more often an identifier than a number, and only
/// a string keeps the zero.
fn plain(value: &str, span: &Span) -> Result<Option<String>, Diagnostic> {
    let unsigned = value.strip_prefix(['+', '-']).unwrap_or(value);
    let sign = if value.starts_with('-') { "-" } else { "" };
    Ok(Some(match value {
        "" | "~" | "null" | "Null" | "NULL" => "null".to_owned(),
        "true" | "True" | "TRUE" => "true".to_owned(),
        "false" | "False" | "FALSE" => "false".to_owned(),
        _ if matches!(unsigned, ".inf" | ".Inf" | ".INF")
            || matches!(value, ".nan" | ".NaN" | ".NAN") =>
        {
            return Err(refused(
                "expected a finite number, found `.inf` or `.nan`",
                span,
            ));
        }
        _ if value.starts_with("0x") || value.starts_with("0o") => {
            let radix = if value.starts_with("0x") { 16 } else { 8 };
            let digits = value
                .get(2..)
                .filter(|digits| digits.chars().all(|digit| digit.is_digit(radix)));
            match digits.map(|digits| u128::from_str_radix(digits, radix)) {
                Some(Ok(number)) => number.to_string(),
                Some(Err(_)) | None => return Ok(None),
            }
        }
        _ => return Ok(decimal(unsigned).map(|digits| format!("{sign}{digits}"))),
    }))
}

/// The digits of an unsigned decimal number as JSON has them.
fn decimal(text: &str) -> Option<String> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (text.get(..at)?, text.get(at..)?),
        None => (text, ""),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_digits = exponent.get(1..).unwrap_or_default();
    let valid = (digits(whole)
        && fraction.is_none_or(|fraction| fraction.is_empty() || digits(fraction))
        || whole.is_empty() && fraction.is_some_and(digits))
        && (exponent.is_empty()
            || digits(
                exponent_digits
                    .strip_prefix(['+', '-'])
                    .unwrap_or(exponent_digits),
            ));
    if !valid || whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(match fraction {
        None => format!("{whole}{exponent}"),
        Some("") => format!("{whole}.0{exponent}"),
        Some(fraction) => format!("{whole}.{fraction}{exponent}"),
    })
}

#[cold]
fn refused(problem: &str, span: &Span) -> Diagnostic {
    text::unreadable(&format!(
        "{problem}{}",
        place(span.start.line(), span.start.col())
    ))
}
