//! The comments of members that are elsewhere in the edited document: the editor takes them away
//! with the place where they were.

use std::collections::HashMap;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::cst::{CstComment, CstNode, CstObjectProp, CstRootNode};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use upstate::AttributePath;
use upstate::path::PathStep;

use crate::document::comment::{self, LineEnds};
use crate::document::edits::Edits;

/// A comment, and the member that it is about: the next one, or the one before it in its line.
pub(super) struct Comment {
    path: AttributePath,
    text: String,
}

/// JSON with comments and trailing commas, and nothing else that is not JSON.
pub(super) fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// All comments of a document, with their lines; `plain` has blanks for them.
pub(super) fn in_lines(text: &str, plain: &[u8]) -> Vec<comment::Comment> {
    let Ok(root) = CstRootNode::parse(text, &options()) else {
        return Vec::new();
    };
    let ends = LineEnds::of(text);
    // In their order, because each is looked for behind the one before it.
    let mut all = Vec::new();
    for child in root.children() {
        if let Some(comment) = child.as_comment() {
            all.push(Comment {
                path: AttributePath::new(),
                text: comment.raw_value(),
            });
        } else if child.as_object().is_some() {
            all.append(&mut comments(&root));
        }
    }
    let mut from = 0;
    let located = |Comment { path, text: raw }: Comment| {
        let mut offset = from;
        while let Some(next) = text.get(offset..).and_then(|rest| rest.find(&*raw)) {
            offset += next;
            // Otherwise it is a part of a string.
            if plain.get(offset) == Some(&b' ') {
                from = offset + raw.len();
                break;
            }
            offset += 1;
        }
        comment::Comment {
            path,
            text: inside(&raw).to_owned(),
            line: ends.line(offset),
        }
    };
    all.into_iter().map(located).collect()
}

/// The text between the marks of a comment.
fn inside(raw: &str) -> &str {
    let block = || raw.strip_prefix("/*")?.strip_suffix("*/");
    raw.strip_prefix("//").or_else(block).unwrap_or(raw).trim()
}

/// All comments within the members of a document.
pub(super) fn comments(root: &CstRootNode) -> Vec<Comment> {
    let mut found = Vec::new();
    if let Some(object) = root.object_value() {
        collect(object.children(), &AttributePath::new(), &mut found);
    }
    found
}

fn collect(nodes: Vec<CstNode>, within: &AttributePath, found: &mut Vec<Comment>) {
    let mut above: Vec<String> = Vec::new();
    let (mut before, mut index) = (None::<AttributePath>, 0);
    for node in nodes {
        if let Some(comment) = node.as_comment() {
            match &before {
                Some(path) => found.push(Comment {
                    path: path.clone(),
                    text: comment.raw_value(),
                }),
                None => above.push(comment.raw_value()),
            }
        } else if node.is_newline() {
            before = None;
        } else if !node.is_trivia() && !node.is_token() {
            let property = node.as_object_prop();
            let path = match property.as_ref().and_then(CstObjectProp::decoded_name) {
                Some(name) => within.clone().attribute(name),
                None => within.clone().index(index),
            };
            index += 1;
            found.extend(above.drain(..).map(|text| Comment {
                path: path.clone(),
                text,
            }));
            let value = match &property {
                Some(property) => {
                    // Not among the nodes around the member, because it is between the name and the
                    // value.
                    let inside = property
                        .children()
                        .into_iter()
                        .filter_map(|node| node.as_comment());
                    found.extend(inside.map(|comment| Comment {
                        path: path.clone(),
                        text: comment.raw_value(),
                    }));
                    property.value()
                }
                None => Some(node),
            };
            let object = value
                .as_ref()
                .and_then(CstNode::as_object)
                .map(|object| object.children());
            let list = value
                .as_ref()
                .and_then(CstNode::as_array)
                .map(|array| array.children());
            collect(object.or(list).unwrap_or_default(), &path, found);
            before = Some(path);
        }
    }
    found.extend(above.into_iter().map(|text| Comment {
        path: within.clone(),
        text,
    }));
}

/// The comments in lines of their own before a member.
pub(super) fn comments_above(property: &CstObjectProp) -> Vec<CstComment> {
    let before: Vec<CstNode> = property
        .previous_siblings()
        .take_while(CstNode::is_trivia)
        .collect();
    // Behind the last line end, seen from the member, is what belongs to the one before.
    let end = before.iter().rposition(CstNode::is_newline).unwrap_or(0);
    before
        .into_iter()
        .take(end)
        .filter_map(|node| node.as_comment())
        .collect()
}

/// The edited document, with the comments that it lacks above their members, if it has these.
pub(super) fn restored(
    text: String,
    before: &[Comment],
    after: &[Comment],
    edits: &Edits,
    line_end: &str,
) -> String {
    let mut there: HashMap<&str, usize> = HashMap::new();
    for Comment { text, .. } in after {
        *there.entry(text).or_default() += 1;
    }
    let mut is_lost = |comment: &&Comment| match there.get_mut(&*comment.text) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        Some(_) | None => true,
    };
    let lost: Vec<&Comment> = before.iter().filter(|comment| is_lost(comment)).collect();
    if lost.is_empty() {
        return text;
    }
    let parsed = parse_to_ast(&text, &CollectOptions::default(), &ParseOptions::default());
    let Some(root) = parsed.ok().and_then(|parsed| parsed.value) else {
        return text;
    };
    let mut insertions: Vec<(usize, String)> = lost
        .into_iter()
        .filter_map(|comment| insertion(&text, &root, comment, edits, line_end))
        .collect();
    // From the end, so that the other places stay where they are.
    insertions.sort_by_key(|(offset, _)| *offset);
    let mut text = text;
    for (offset, inserted) in insertions.iter().rev() {
        text.insert_str(*offset, inserted);
    }
    text
}

/// The place of a comment, and its text there.
fn insertion(
    text: &str,
    root: &Value<'_>,
    comment: &Comment,
    edits: &Edits,
    line_end: &str,
) -> Option<(usize, String)> {
    let offset = offset(root, &edits.steps_today(&comment.path), None)?;
    let line = text
        .get(..offset)?
        .rfind(['\n', '\r'])
        .map_or(0, |end| end + 1);
    let indent = text.get(line..offset)?;
    if indent.trim().is_empty() {
        return Some((line, format!("{indent}{}{line_end}", comment.text)));
    }
    // The member is not the first of its line, the rest of which must not become a part of the
    // comment.
    let inside = match comment.text.strip_prefix("//") {
        // A block would end within it, so that the rest gets a line of its own.
        Some(inside) if inside.contains("*/") => {
            let blanks = indent.len() - indent.trim_start().len();
            let blanks = indent.get(..blanks).unwrap_or_default();
            format!("{}{line_end}{blanks}", comment.text)
        }
        Some(inside) => format!("/*{inside} */ "),
        None => format!("{} ", comment.text),
    };
    Some((offset, inside))
}

/// The offset of a member. An object that has become the only element of a list is found, and the
/// other way round.
fn offset(value: &Value<'_>, steps: &[PathStep], found: Option<usize>) -> Option<usize> {
    let Some((step, rest)) = steps.split_first() else {
        return found;
    };
    match step {
        PathStep::Attribute(name) => match (value.as_object(), value.as_array()) {
            (Some(object), _) => {
                let property = object
                    .properties
                    .iter()
                    .find(|property| property.name.as_str() == &**name)?;
                offset(&property.value, rest, Some(property.range.start))
            }
            (None, Some(array)) => match &array.elements[..] {
                [element] => offset(element, steps, Some(element.range().start)),
                _ => None,
            },
            // Because what was in an object is about the value that became of it.
            (None, None) => found,
        },
        // Only that of a list which has become its element, or a scalar: others may have come and
        // gone, so that this index may be another one's.
        PathStep::Index(index) => match (value.as_object(), value.as_array()) {
            (Some(_), _) if *index == 0 => offset(value, rest, found),
            (None, None) => found,
            (Some(_), _) | (None, Some(_)) => None,
        },
        PathStep::Key(_) | PathStep::Element(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::Arc;

    use upstate::schema::Type;

    use super::*;
    use crate::document::edits::Known;
    use crate::document::tree::Numbers;

    #[test]
    fn a_comment_within_a_line_is_a_block_or_ends_that_line() {
        let edits = Edits {
            known: Arc::new(Known::new(BTreeMap::new(), Type::Dynamic)),
            kept: BTreeSet::new(),
            pairs_values: true,
            pairs: None,
            first: Vec::new(),
            attributes: None,
            numbers: Numbers::Equal,
        };
        for (comment, expected) in [
            ("// x", "{\n  \"a\": 1, /* x */ \"b\": 2\n}"),
            ("/* x */", "{\n  \"a\": 1, /* x */ \"b\": 2\n}"),
            ("// x */ y", "{\n  \"a\": 1, // x */ y\n  \"b\": 2\n}"),
        ] {
            let lost = Comment {
                path: AttributePath::new().attribute("b"),
                text: comment.to_owned(),
            };
            let text = "{\n  \"a\": 1, \"b\": 2\n}".to_owned();
            assert_eq!(restored(text, &[lost], &[], &edits, "\n"), expected);
        }
    }
}
