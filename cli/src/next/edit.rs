//! A proposal written into a file of source: a few places change, every other byte stays.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::compiler::Found;
use super::proposal::{Kind, Proposal};
use crate::rust_file::{Change, RustFile};

/// A longer line has each operator on a line of its own.
const WIDEST: usize = 110;

/// The new contents of a file.
///
/// # Errors
/// A sentence without the place: the file does not have the struct as it is compiled, as where a
/// macro writes it.
pub(crate) fn edit(
    text: &str,
    Found {
        proposal,
        line,
        column,
        ..
    }: &Found,
) -> Result<String, String> {
    let source = Source::parse(text)?;
    let by_hand = || format!("; write it by hand: {}", proposal.operators.join(", "));
    let model = source.model_at(*line).ok_or_else(|| {
        format!(
            "no struct is written there, so a macro makes it{}",
            by_hand()
        )
    })?;
    let changes = match &proposal.kind {
        Kind::Changed { released } => {
            let next = released
                .checked_add(1)
                .ok_or("there is no higher version")?;
            let raised = source.raise(model, next);
            let raised = raised.ok_or_else(|| {
                format!(
                    "the struct has no `#[resource(…)]` or `#[document(…)]` for its version{}",
                    by_hand()
                )
            })?;
            vec![raised, source.upgrader(model, (*released, next), proposal)]
        }
        Kind::Incomplete { .. } => {
            let added = source.add(model, (*line, *column), proposal);
            added.ok_or_else(|| {
                format!(
                    "no upgrader is written there, so a macro makes it{}",
                    by_hand()
                )
            })?
        }
        Kind::Misnamed { version, instead } => {
            return Err(format!(
                "version {version} of {} was otherwise: write {instead}",
                proposal.type_name
            ));
        }
        Kind::Beyond { instead, .. } => {
            return Err(format!(
                "no operator describes what changed in {}: {instead}",
                proposal.type_name
            ));
        }
    };
    let edited = source.file.with(changes);
    // The compiler writes `…` for a type that it cannot name.
    Source::parse(&edited).map_err(|_| format!("its proposal is incomplete{}", by_hand()))?;
    Ok(edited)
}

/// A file, and the structs in it.
struct Source<'t> {
    file: RustFile<'t>,
    structs: Vec<syn::ItemStruct>,
}

impl<'t> Source<'t> {
    fn parse(text: &'t str) -> Result<Self, String> {
        let file = RustFile::parse(text)?;
        let mut structs = Structs(Vec::new());
        structs.visit_file(&file.syntax);
        Ok(Self {
            file,
            structs: structs.0,
        })
    }

    /// The struct one of whose lines this is, its attributes' too; the innermost.
    fn model_at(&self, line: usize) -> Option<&syn::ItemStruct> {
        // Lines that are not parsed are counted by the compiler.
        let line = line.checked_sub(self.file.skipped_lines())?;
        self.structs.iter().rev().find(|item| {
            let first = item
                .attrs
                .first()
                .map_or(item.struct_token.span, |attribute| {
                    attribute.pound_token.span
                });
            // Its fields too, because the compiler reports the one that changed.
            let last = item
                .fields
                .iter()
                .last()
                .map_or(item.ident.span(), Spanned::span);
            (first.start().line..=last.end().line).contains(&line)
        })
    }

    /// From `#` to `]`.
    fn attribute(&self, attribute: &syn::Attribute) -> Range<usize> {
        self.file.range(attribute.pound_token.span).start
            ..self.file.range(attribute.bracket_token.span.close()).end
    }

    /// `version = N` raised, or written where it was 0 by default.
    fn raise(&self, model: &syn::ItemStruct, next: u64) -> Option<Change> {
        let mut resources = named(model, "resource");
        resources.extend(named(model, "document"));
        for attribute in &resources {
            let tokens: Vec<TokenTree> = attribute
                .meta
                .require_list()
                .ok()?
                .tokens
                .clone()
                .into_iter()
                .collect();
            for three in tokens.windows(3) {
                if let [
                    TokenTree::Ident(word),
                    TokenTree::Punct(equals),
                    TokenTree::Literal(number),
                ] = three
                    && word == "version"
                    && equals.as_char() == '='
                {
                    return Some((self.file.range(number.span()), next.to_string()));
                }
            }
        }
        let list = resources.first()?.meta.require_list().ok()?;
        let end = self
            .last_token(&list.tokens)
            .map_or_else(
                || self.file.range(list.delimiter.span().open()),
                |last| last.0,
            )
            .end;
        let is_first = list.tokens.is_empty();
        let ends_with_comma = self
            .last_token(&list.tokens)
            .is_some_and(|(_, is_comma)| is_comma);
        let before = if is_first {
            ""
        } else if ends_with_comma {
            " "
        } else {
            ", "
        };
        Some((end..end, format!("{before}version = {next}")))
    }

    /// The place of the last token, and whether it is a comma.
    fn last_token(&self, tokens: &TokenStream) -> Option<(Range<usize>, bool)> {
        let last = tokens.clone().into_iter().last()?;
        let is_comma = matches!(&last, TokenTree::Punct(punct) if punct.as_char() == ',');
        let span = match &last {
            TokenTree::Group(group) => group.span_close(),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => last.span(),
        };
        Some((self.file.range(span), is_comma))
    }

    /// A new upgrader, where the author has those of the latest versions.
    fn upgrader(
        &self,
        model: &syn::ItemStruct,
        (from, to): (u64, u64),
        proposal: &Proposal,
    ) -> Change {
        let upgraders = named(model, "upgrade_from");
        let firsts: Vec<u64> = upgraders
            .iter()
            .filter_map(|attribute| first_number(attribute))
            .collect();
        let ascends = firsts.len() > 1 && firsts.is_sorted();
        let anchor = match upgraders.last() {
            Some(last) if ascends => Some(*last),
            _ => named(model, "resource")
                .last()
                .copied()
                .or_else(|| named(model, "document").last().copied()),
        };
        let anchor = anchor.or_else(|| upgraders.last().copied());
        let after = anchor.map_or_else(
            || self.file.range(model.struct_token.span).start,
            |anchor| self.attribute(anchor).end,
        );
        // A comment behind an attribute stays with it, so the new attribute goes to the end of that
        // line.
        let line = self.rest_of_line(after);
        let at = if line.trim_start().is_empty() || line.trim_start().starts_with("//") {
            after + line.len()
        } else {
            after
        };
        let indent = anchor.map_or("", |anchor| self.indent(self.attribute(anchor).start));
        let operators = if proposal.operators.is_empty() {
            vec!["carry".to_owned()]
        } else {
            complete(&proposal.operators)
        };
        let written = self.list(
            &format!("#[upgrade_from({from} => {to}"),
            &operators,
            ")]",
            indent,
        );
        (at..at, format!("{}{indent}{written}", self.file.line_end))
    }

    /// Operators added to the upgrader that is written at a place: one of its versions.
    fn add(
        &self,
        model: &syn::ItemStruct,
        (line, column): (usize, usize),
        proposal: &Proposal,
    ) -> Option<Vec<Change>> {
        let at = self.position(line, column)?;
        let upgraders = named(model, "upgrade_from");
        let attribute = upgraders
            .into_iter()
            .find(|attribute| self.attribute(attribute).contains(&at))?;
        let tokens = &attribute.meta.require_list().ok()?.tokens;
        let all: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let operators = complete(&proposal.operators);
        let whole = self.attribute(attribute);
        let indent = self.indent(whole.start);
        let is_many_lines = self
            .file
            .text
            .get(whole)
            .is_some_and(|text| text.contains('\n'));
        let inner = format!("{indent}    ");
        let carry = all.iter().enumerate().find(|(index, token)| {
            matches!(token, TokenTree::Ident(word) if word == "carry")
                && !matches!(all.get(index + 1), Some(TokenTree::Group(_)))
        });
        if let Some((_, carry)) = carry {
            let range = self.file.range(carry.span());
            return Some(vec![(
                range,
                self.joined(&operators, is_many_lines, &inner, self.column(at)),
            )]);
        }
        let (last, is_comma) = self.last_token(tokens)?;
        let end = if is_comma { "," } else { "" };
        let line = self.rest_of_line(last.end);
        if line.trim_start().starts_with("//") {
            // The comment is about the operator before it, so the new ones go below it.
            let (comma, at) = (if is_comma { "" } else { "," }, last.end + line.len());
            let written = self.joined(&operators, true, &inner, 0);
            let below = format!("{}{inner}{written}{end}", self.file.line_end);
            return Some(vec![
                (last.end..last.end, comma.to_owned()),
                (at..at, below),
            ]);
        }
        let written = self.joined(&operators, is_many_lines, &inner, self.column(last.end));
        let begin = match (is_comma, is_many_lines || written.contains('\n')) {
            (true, false) => " ".to_owned(),
            (false, false) => ", ".to_owned(),
            (true, true) => format!("{}{inner}", self.file.line_end),
            (false, true) => format!(",{}{inner}", self.file.line_end),
        };
        Some(vec![(last.end..last.end, format!("{begin}{written}{end}"))])
    }

    /// Operators on one line, or one on each.
    fn joined(
        &self,
        operators: &[String],
        is_many_lines: bool,
        indent: &str,
        column: usize,
    ) -> String {
        let line = operators.join(", ");
        if !is_many_lines && column + line.chars().count() <= WIDEST {
            return line;
        }
        operators.join(&format!(",{}{indent}", self.file.line_end))
    }

    /// A list on one line, or with one operator on each.
    fn list(&self, start: &str, operators: &[String], end: &str, indent: &str) -> String {
        let line = format!("{start}, {}{end}", operators.join(", "));
        if indent.len() + line.chars().count() <= WIDEST {
            return line;
        }
        let lines: Vec<String> = operators
            .iter()
            .map(|operator| format!("{}{indent}    {operator},", self.file.line_end))
            .collect();
        format!(
            "{start},{}{}{indent}{end}",
            lines.concat(),
            self.file.line_end
        )
    }

    /// The line of a byte from there on, without its end.
    fn rest_of_line(&self, at: usize) -> &'t str {
        let rest = self.file.text.get(at..).unwrap_or_default();
        rest.split('\n')
            .next()
            .unwrap_or_default()
            .trim_end_matches('\r')
    }

    /// The white space that the line of a byte begins with.
    fn indent(&self, at: usize) -> &'t str {
        let line = self.file.text.get(..at).unwrap_or_default();
        let line = line
            .get(line.rfind('\n').map_or(0, |end| end + 1)..)
            .unwrap_or_default();
        line.get(..line.len() - line.trim_start().len())
            .unwrap_or_default()
    }

    /// The distance of a byte from the beginning of its line, in characters.
    fn column(&self, at: usize) -> usize {
        let before = self.file.text.get(..at).unwrap_or_default();
        before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
    }

    /// The byte that the compiler calls this line and column.
    fn position(&self, line: usize, column: usize) -> Option<usize> {
        let start: usize = self
            .file
            .text
            .split_inclusive('\n')
            .take(line.checked_sub(1)?)
            .map(str::len)
            .sum();
        let text = self.file.text.get(start..)?;
        let text = if line == 1 {
            text.trim_start_matches('\u{feff}')
        } else {
            text
        };
        let start = self.file.text.len() - text.len();
        text.char_indices()
            .nth(column.checked_sub(1)?)
            .map(|(index, _)| start + index)
    }
}

/// Operators with something that does not compile where only the author knows the value; of a
/// reason the derive asks for one itself.
fn complete(operators: &[String]) -> Vec<String> {
    let written = |operator: &String| {
        operator
            .replace(" = …)", " = todo!())")
            .replace(" = …,", " = todo!(),")
            .replace("… => …", "todo!() => todo!()")
    };
    operators.iter().map(written).collect()
}

/// The attributes of a name, in the order of the file.
fn named<'m>(model: &'m syn::ItemStruct, name: &str) -> Vec<&'m syn::Attribute> {
    model
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident(name))
        .collect()
}

/// The first version that an upgrader is from.
fn first_number(attribute: &syn::Attribute) -> Option<u64> {
    let tokens = &attribute.meta.require_list().ok()?.tokens;
    tokens.clone().into_iter().next()?.to_string().parse().ok()
}

/// Gathers the structs of a file, wherever in it they are.
struct Structs(Vec<syn::ItemStruct>);

impl Visit<'_> for Structs {
    fn visit_item_struct(&mut self, item: &syn::ItemStruct) {
        self.0.push(item.clone());
        visit::visit_item_struct(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` after a proposal that the compiler makes about the place marked with `§`.
    fn edited(text: &str, kind: Kind, operators: &[&str]) -> Result<String, String> {
        let (before, _) = text.split_once('§').unwrap();
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap()
            .trim_start_matches('\u{feff}')
            .chars()
            .count()
            + 1;
        let operators = operators
            .iter()
            .map(|&operator| operator.to_owned())
            .collect();
        let proposal = Proposal {
            type_name: "a".to_owned(),
            kind,
            operators,
            left_out: 0,
        };
        edit(
            &text.replace('§', ""),
            &Found {
                proposal,
                file: "a.rs".into(),
                line,
                column,
                read: None,
            },
        )
    }

    const NEXT: Kind = Kind::Changed { released: 2 };
    const MORE: Kind = Kind::Incomplete { version: 1 };

    #[test]
    fn upgraders_keep_the_order_that_their_author_chose() {
        let descending = "#[resource(type_name = \"a\", version = §2)]\n#[upgrade_from(1 => 2, carry)]\n#[upgrade_from(0 => 1, carry)]\nstruct A;\n";
        assert_eq!(
            edited(descending, NEXT, &["set(b = null)"]).unwrap(),
            "#[resource(type_name = \"a\", version = 3)]\n#[upgrade_from(2 => 3, set(b = null))]\n#[upgrade_from(1 => 2, carry)]\n#[upgrade_from(0 => 1, carry)]\nstruct A;\n"
        );
        let ascending = "#[resource(type_name = \"a\", version = §2)]\n#[upgrade_from(0 => 1, carry)]\n#[upgrade_from(1 => 2, carry)] // last\nstruct A;\n";
        assert_eq!(
            edited(ascending, NEXT, &["set(b = null)"]).unwrap(),
            "#[resource(type_name = \"a\", version = 3)]\n#[upgrade_from(0 => 1, carry)]\n#[upgrade_from(1 => 2, carry)] // last\n#[upgrade_from(2 => 3, set(b = null))]\nstruct A;\n"
        );
    }

    #[test]
    fn a_document_gets_its_upgrader_below_its_attribute() {
        let next = |text: &str| edited(text, NEXT, &["set(b = null)"]).unwrap();
        assert_eq!(
            next("#[document(type_name = \"a\", version = §2)]\npub struct A;\n"),
            "#[document(type_name = \"a\", version = 3)]\n#[upgrade_from(2 => 3, set(b = null))]\npub struct A;\n"
        );
        // As `adopt` writes it.
        assert_eq!(
            next(
                "#[document(§type_name = \"a\")]\n#[document(rename_all = \"camelCase\")]\n#[upgrade_from(1 => 2, carry)]\n#[upgrade_from(0 => 1, carry)]\npub(crate) struct A;\n"
            ),
            "#[document(type_name = \"a\", version = 3)]\n#[document(rename_all = \"camelCase\")]\n#[upgrade_from(2 => 3, set(b = null))]\n#[upgrade_from(1 => 2, carry)]\n#[upgrade_from(0 => 1, carry)]\npub(crate) struct A;\n"
        );
    }

    #[test]
    fn a_comment_stays_behind_its_operator() {
        for comma in ["", ","] {
            let text = format!(
                "#[upgrade_from(§1 => 2,\r\n    carry(b: u8){comma} // as it was\r\n)]\r\nstruct A;\r\n"
            );
            assert_eq!(
                edited(&text, MORE, &["set(d = null)", "set(e = null)"]).unwrap(),
                format!(
                    "#[upgrade_from(1 => 2,\r\n    carry(b: u8), // as it was\r\n    set(d = null),\r\n    set(e = null){comma}\r\n)]\r\nstruct A;\r\n"
                )
            );
        }
    }

    #[test]
    fn line_ends_byte_order_mark_and_wide_letters_stay() {
        let text =
            "\u{feff}/* ü */ #[resource(\r\n    §type_name = \"ä\",\r\n)] struct A { b: u8 }\r\n";
        assert_eq!(
            edited(text, NEXT, &["drop(b: u8, \"…\")"]).unwrap(),
            "\u{feff}/* ü */ #[resource(\r\n    type_name = \"ä\", version = 3\r\n)]\r\n#[upgrade_from(2 => 3, drop(b: u8, \"…\"))] struct A { b: u8 }\r\n"
        );
    }

    #[test]
    fn more_operators_go_into_the_upgrader_that_is_meant() {
        let text = "#[upgrade_from(2 => 3, carry)]\n#[upgrade_from(§1 => 2, carry)]\nstruct A;\n";
        assert_eq!(
            edited(text, MORE, &["rename(b => c)", "set(d = …)"]).unwrap(),
            "#[upgrade_from(2 => 3, carry)]\n#[upgrade_from(1 => 2, rename(b => c), set(d = todo!()))]\nstruct A;\n"
        );
        let text = "#[upgrade_from(§1 => 2, carry(b: u8),)]\nstruct A;\n";
        assert_eq!(
            edited(text, MORE, &["set(d = null)"]).unwrap(),
            "#[upgrade_from(1 => 2, carry(b: u8), set(d = null),)]\nstruct A;\n"
        );
        let text = "  #[upgrade_from(§1 => 2,\n    carry(b: u8)\n  )]\n  struct A;\n";
        assert_eq!(
            edited(text, MORE, &["set(d = null)", "set(e = null)"]).unwrap(),
            "  #[upgrade_from(1 => 2,\n    carry(b: u8),\n      set(d = null),\n      set(e = null)\n  )]\n  struct A;\n"
        );
    }

    #[test]
    fn what_a_macro_writes_is_left_to_its_author() {
        let text = "macro_rules! model { () => {\n    #[resource(version = §2)] struct A;\n} }\n";
        assert_eq!(
            edited(text, NEXT, &["set(b = null)"]).unwrap_err(),
            "no struct is written there, so a macro makes it; write it by hand: set(b = null)"
        );
        let text = "#[resource(version = §2)] struct A;\n";
        assert_eq!(
            edited(text, NEXT, &["drop(b: (…), \"…\")"]).unwrap_err(),
            "its proposal is incomplete; write it by hand: drop(b: (…), \"…\")"
        );
        let instead = "make this version 3, and write the struct of version 2".to_owned();
        assert_eq!(
            edited(
                text,
                Kind::Beyond {
                    version: 2,
                    instead: instead.clone()
                },
                &[]
            )
            .unwrap_err(),
            format!("no operator describes what changed in a: {instead}")
        );
    }
}
