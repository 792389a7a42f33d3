//! The places in a file that a help is about: what the code it names replaces, and where it is
//! added.

use std::ops::Range;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::Visit;

use super::advice::{Advice, Target, Verb};
use crate::rust_file::{Change, RustFile};

/// The changes that follow an advice whose error is at `at`; `None` where no place for it can be
/// found.
pub(super) fn changes(
    file: &RustFile<'_>,
    at: &Range<usize>,
    summary: &str,
    advice: &Advice,
) -> Option<Vec<Change>> {
    let holders = Holders::of(file);
    let holder = holders.around(at)?;
    let places = Places {
        file,
        holders: &holders,
        holder,
        at,
    };
    let changes = match advice.verb {
        Verb::Mean if places.is_at_a_derive() => return None,
        Verb::Mean => vec![places.meant(summary, &advice.code)],
        Verb::Write => places.written(advice)?,
        Verb::Add => places.added(advice)?,
        Verb::Remove => vec![places.removed(&advice.code)?],
        Verb::Mark => {
            let Target::Named(path) = &advice.target else {
                return None;
            };
            vec![(places.field(path)?.insertion(), format!("{} ", advice.code))]
        }
        Verb::Raise(version) => {
            let item = places.item()?;
            vec![
                Places::option_of(item, &format!("version = {version}"))?,
                places.before(item, &advice.code)?,
            ]
        }
    };
    // Left to the author, because a comment would be lost.
    let loses = |(range, _): &Change| file.text.get(range.clone()).is_some_and(has_comment);
    (!changes.iter().any(loses)).then_some(changes)
}

/// Something that attributes are written on: an item, a field or a variant.
struct Holder {
    /// The name of an item, or of a field behind that of its item.
    name: String,
    range: Range<usize>,
    /// The byte behind its attributes.
    begin: usize,
    attributes: Vec<Written>,
}

/// An attribute, from its `#` on.
struct Written {
    range: Range<usize>,
    word: String,
    arguments: Option<List>,
    /// True if it is in a `cfg_attr`, and without a `#`.
    is_inside: bool,
}

/// Arguments between two parentheses.
struct List {
    inside: Range<usize>,
    arguments: Vec<Argument>,
}

struct Argument {
    range: Range<usize>,
    /// Its first word: the operator's, or the option's.
    word: Option<String>,
    /// The lists in it.
    lists: Vec<List>,
    /// The calls in it, each with its word.
    calls: Vec<(String, Range<usize>)>,
}

impl Holder {
    fn insertion(&self) -> Range<usize> {
        self.begin..self.begin
    }
}

struct Holders(Vec<Holder>);

impl Holders {
    fn of(file: &RustFile<'_>) -> Self {
        struct Visitor<'f, 't> {
            file: &'f RustFile<'t>,
            item: String,
            found: Vec<Holder>,
        }
        impl Visitor<'_, '_> {
            fn add(
                &mut self,
                name: String,
                attributes: &[syn::Attribute],
                whole: Span,
                begin: Span,
            ) {
                let written = attributes
                    .iter()
                    .flat_map(|attribute| written(self.file, attribute))
                    .collect();
                let (range, begin) = (self.file.range(whole), self.file.range(begin).start);
                self.found.push(Holder {
                    name,
                    range,
                    begin,
                    attributes: written,
                });
            }
        }
        impl<'ast> Visit<'ast> for Visitor<'_, '_> {
            fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
                self.item = item.ident.to_string();
                let begin = begin(&item.vis, item.struct_token.span());
                self.add(self.item.clone(), &item.attrs, item.span(), begin);
                syn::visit::visit_item_struct(self, item);
            }
            fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
                self.item = item.ident.to_string();
                let begin = begin(&item.vis, item.enum_token.span());
                self.add(self.item.clone(), &item.attrs, item.span(), begin);
                syn::visit::visit_item_enum(self, item);
            }
            fn visit_variant(&mut self, variant: &'ast syn::Variant) {
                self.add(
                    format!("{}.{}", self.item, variant.ident),
                    &variant.attrs,
                    variant.span(),
                    variant.ident.span(),
                );
                syn::visit::visit_variant(self, variant);
            }
            fn visit_field(&mut self, field: &'ast syn::Field) {
                let name = field
                    .ident
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                let named = field.ident.as_ref().map(syn::Ident::span);
                let begin = begin(&field.vis, named.unwrap_or_else(|| field.ty.span()));
                self.add(
                    format!("{}.{name}", self.item),
                    &field.attrs,
                    field.span(),
                    begin,
                );
                syn::visit::visit_field(self, field);
            }
        }
        let mut visitor = Visitor {
            file,
            item: String::new(),
            found: Vec::new(),
        };
        visitor.visit_file(&file.syntax);
        Self(visitor.found)
    }

    /// The smallest one around bytes.
    fn around(&self, at: &Range<usize>) -> Option<&Holder> {
        let around = self.0.iter().filter(|holder| contains(&holder.range, at));
        around.min_by_key(|holder| holder.range.len())
    }

    /// The one of this name; `None` where several have it, such as structs of two modules or fields
    /// of two variants, because the change would be in the wrong one.
    fn named(&self, name: &str) -> Option<&Holder> {
        only(self.0.iter().filter(|holder| holder.name == name))
    }

    /// The one of this name in some bytes.
    fn named_in(&self, name: &str, range: &Range<usize>) -> Option<&Holder> {
        let inside = self
            .0
            .iter()
            .filter(|holder| contains(range, &holder.range));
        only(inside.filter(|holder| holder.name == name))
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|holder| holder.name == name)
    }

    /// The smallest item around bytes.
    fn item_around(&self, at: &Range<usize>) -> Option<&Holder> {
        let items = self.0.iter().filter(|holder| !holder.name.contains('.'));
        let around = items.filter(|holder| contains(&holder.range, at));
        around.min_by_key(|holder| holder.range.len())
    }
}

/// The one that there is; `None` if there are several.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// The begin of an item or a field behind its attributes: its visibility, if it has any.
fn begin(vis: &syn::Visibility, otherwise: Span) -> Span {
    match vis {
        syn::Visibility::Inherited => otherwise,
        syn::Visibility::Public(_) | syn::Visibility::Restricted(_) => vis.span(),
    }
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// An attribute, behind those in it if it is a `cfg_attr`.
fn written(file: &RustFile<'_>, attribute: &syn::Attribute) -> Vec<Written> {
    let range = file.range(attribute.span());
    let word = attribute
        .path()
        .get_ident()
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut arguments = match &attribute.meta {
        syn::Meta::List(meta) => {
            let span = meta.delimiter.span();
            let inside = file.range(span.open()).end..file.range(span.close()).start;
            Some(list(file, meta.tokens.clone(), inside))
        }
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => None,
    };
    let mut all = Vec::new();
    if word == "cfg_attr"
        && let Some(list) = arguments.take()
    {
        add_inside(list, &mut all);
    }
    all.push(Written {
        range,
        word,
        arguments,
        is_inside: false,
    });
    all
}

/// The attributes in a `cfg_attr`, also in one inside of it.
fn add_inside(list: List, all: &mut Vec<Written>) {
    // Without the first one, which is the condition.
    for argument in list.arguments.into_iter().skip(1) {
        let (word, list) = (
            argument.word.unwrap_or_default(),
            argument.lists.into_iter().next(),
        );
        match list {
            Some(list) if word == "cfg_attr" => add_inside(list, all),
            arguments => all.push(Written {
                range: argument.range,
                word,
                arguments,
                is_inside: true,
            }),
        }
    }
}

/// The arguments between two parentheses. A comma between `<` and `>` is a type's.
fn list(file: &RustFile<'_>, tokens: TokenStream, inside: Range<usize>) -> List {
    let mut arguments = Vec::new();
    let mut current: Vec<TokenTree> = Vec::new();
    let mut depth = 0_usize;
    let mut last = None;
    for token in tokens {
        if let TokenTree::Punct(sign) = &token {
            match sign.as_char() {
                '<' => depth += 1,
                '>' if !matches!(last, Some('=' | '-')) => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    arguments.extend(argument(file, &current));
                    current.clear();
                    last = Some(',');
                    continue;
                }
                _ => {}
            }
        }
        last = if let TokenTree::Punct(sign) = &token {
            Some(sign.as_char())
        } else {
            None
        };
        current.push(token);
    }
    arguments.extend(argument(file, &current));
    List { inside, arguments }
}

fn argument(file: &RustFile<'_>, tokens: &[TokenTree]) -> Option<Argument> {
    let range = file.range(tokens.first()?.span()).start..file.range(tokens.last()?.span()).end;
    let word = match tokens.first() {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        Some(TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) | None => None,
    };
    let lists = tokens.iter().filter_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
            let inside = file.range(group.span_open()).end..file.range(group.span_close()).start;
            Some(list(file, group.stream(), inside))
        }
        TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {
            None
        }
    });
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let calls = pairs.filter_map(|pair| match pair {
        (TokenTree::Ident(word), TokenTree::Group(group))
            if group.delimiter() == Delimiter::Parenthesis =>
        {
            Some((
                word.to_string(),
                file.range(word.span()).start..file.range(group.span()).end,
            ))
        }
        _ => None,
    });
    Some(Argument {
        range,
        word,
        lists: lists.collect(),
        calls: calls.collect(),
    })
}

impl List {
    /// The arguments around bytes, from the outermost to the innermost, each with its list.
    fn around<'l>(&'l self, at: &Range<usize>, found: &mut Vec<(&'l Self, &'l Argument)>) {
        if let Some(argument) = self
            .arguments
            .iter()
            .find(|argument| contains(&argument.range, at))
        {
            found.push((self, argument));
            for list in &argument.lists {
                list.around(at, found);
            }
        }
    }

    /// An argument more, behind the last one.
    fn appended(&self, code: &str) -> Change {
        match self.arguments.last() {
            Some(last) => (last.range.end..last.range.end, format!(", {code}")),
            None => (self.inside.start..self.inside.start, code.to_owned()),
        }
    }

    /// The change that takes an argument out, with the comma beside it.
    fn without(&self, argument: &Argument) -> Change {
        let index = self
            .arguments
            .iter()
            .position(|other| other.range == argument.range)
            .unwrap_or_default();
        let range = match (
            self.arguments.get(index + 1),
            index
                .checked_sub(1)
                .and_then(|index| self.arguments.get(index)),
        ) {
            (Some(next), _) => argument.range.start..next.range.start,
            (None, Some(last)) => last.range.end..argument.range.end,
            (None, None) => self.inside.clone(),
        };
        (range, String::new())
    }
}

struct Places<'a, 't> {
    file: &'a RustFile<'t>,
    holders: &'a Holders,
    holder: &'a Holder,
    at: &'a Range<usize>,
}

impl<'a> Places<'a, '_> {
    fn text(&self, range: &Range<usize>) -> &str {
        self.file.text.get(range.clone()).unwrap_or_default()
    }

    /// The attribute that the error is in.
    fn attribute(&self) -> Option<&'a Written> {
        self.holder
            .attributes
            .iter()
            .find(|attribute| contains(&attribute.range, self.at))
    }

    /// True for an error at a derive, in whose place nothing is written, because all mistakes of
    /// the item would be gone with it.
    fn is_at_a_derive(&self) -> bool {
        self.attribute()
            .is_some_and(|attribute| attribute.word == "derive")
    }

    fn arguments(&self) -> Vec<(&'a List, &'a Argument)> {
        let mut found = Vec::new();
        if let Some(list) = self
            .attribute()
            .and_then(|attribute| attribute.arguments.as_ref())
        {
            list.around(self.at, &mut found);
        }
        found
    }

    /// A field by a path: of the item that the error is in, or through the types of its fields.
    fn field(&self, path: &str) -> Option<&'a Holder> {
        let own = self.item()?;
        let (mut item, mut found) = (own.name.clone(), None);
        for name in path.split('.') {
            let name = format!("{item}.{name}");
            let holder = match found {
                None => self.holders.named_in(&name, &own.range),
                Some(_) => self.holders.named(&name),
            }?;
            // The last word of the field's type that is an item, since that is the innermost type.
            let words = self
                .text(&holder.range)
                .split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
            let mut items = words.filter(|word| self.holders.has(word));
            items.next_back().unwrap_or_default().clone_into(&mut item);
            found = Some(holder);
        }
        found
    }

    fn written(&self, advice: &Advice) -> Option<Vec<Change>> {
        let code = &advice.code;
        if let Target::Named(name) = &advice.target {
            // The code is for another item than the one with the error, or for another attribute of
            // it.
            let holder = if name.starts_with('#') {
                self.item()
            } else {
                self.item_or_field(name)
            }?;
            return Some(vec![if code.starts_with('#') {
                self.onto(holder, code)?
            } else {
                Self::option_of(holder, code)?
            }]);
        }
        if advice.target == Target::Elsewhere {
            return None;
        }
        let is_attribute = code.starts_with('#') && code.ends_with(']');
        if is_attribute {
            return Some(vec![self.onto(self.holder, code)?]);
        }
        // Another place than that of the error, where an argument of that word would be lost.
        if advice.in_place_of.is_some() || advice.target != Target::Here {
            return self.added(advice);
        }
        // Left to the author, because a part of a string is only found by what is around it, and
        // all that is behind a comment would be in it.
        if code.starts_with(['{', '/']) {
            return None;
        }
        if let Some(next) = code.strip_prefix(',') {
            return Some(vec![self.comma_before(next)]);
        }
        let word = first_word(code);
        let is_upgrader = self
            .attribute()
            .is_some_and(|attribute| attribute.word == "upgrade_from");
        if ["oldest", "version", "type_name"].contains(&word) && is_upgrader {
            return Some(vec![Self::option_of(self.item()?, code)?]);
        }
        let around = self.arguments();
        let is_call = !word.is_empty()
            && code
                .get(word.len()..)
                .is_some_and(|rest| rest.starts_with('('));
        let is_option = code.get(word.len()..).is_some_and(|rest| {
            rest.trim_start().starts_with('=') && !rest.trim_start().starts_with("=>")
        });
        if self.is_at_a_derive() {
            return if is_call { self.added(advice) } else { None };
        }
        let same = around
            .iter()
            .rev()
            .find(|(_, argument)| !word.is_empty() && argument.word.as_deref() == Some(word));
        if let Some((_, argument)) = same {
            // Also not over the arguments of a word that takes none, such as the reason in a `carry`.
            let is_over_arguments = is_call || code == word;
            let is_kept = !is_over_arguments || self.keeps_others(code, argument.lists.first());
            // Left to the author at the begin of a path, whose rest would be lost.
            let behind = self.text(&(self.at.end..argument.range.end));
            if !is_call && !is_option && behind.trim_start().starts_with('.') {
                return None;
            }
            // Before an arrow, only the name or type there, because the field behind it stays.
            let range = if is_call || is_option || !self.has_arrow(argument, code) {
                &argument.range
            } else {
                self.at
            };
            return is_kept.then(|| vec![(range.clone(), code.clone())]);
        }
        let (list, argument) = *around.last()?;
        let call = around.iter().rev().find_map(|(_, argument)| {
            let mut calls = argument.calls.iter();
            let (_, range) =
                calls.find(|(called, range)| called == word && contains(range, self.at))?;
            Some((argument, range))
        });
        if is_call && let Some((argument, range)) = call {
            let mut lists = argument.lists.iter();
            let list = lists.find(|list| contains(range, &list.inside));
            return self
                .keeps_others(code, list)
                .then(|| vec![(range.clone(), code.clone())]);
        }
        if code_is_a_list(code) && !is_call {
            // Never over arguments that it does not have, because they would be lost.
            let range = if self.has_others(code, list, Some(argument)) {
                &list.inside
            } else if argument.range == *self.at {
                &argument.range
            } else {
                return None;
            };
            return Some(vec![(range.clone(), code.clone())]);
        }
        // In place of text where an operator belongs, such as SQL, since the text would stay a
        // mistake beside it.
        if is_call && argument.range == *self.at && self.text(self.at).starts_with('"') {
            return Some(vec![(argument.range.clone(), code.clone())]);
        }
        // A condition, because only a condition is written where one is.
        if is_call
            && ["has", "lacks", "is", "fits", "not", "all", "any"].contains(&word)
            && around.len() > 1
        {
            return Some(vec![(argument.range.clone(), code.clone())]);
        }
        if is_call {
            // In place of the operator with the error, or, since a model is not one, beside it.
            let Some(operator) = operator(&around) else {
                return self.added(advice);
            };
            // At a word that is none, the help has all arguments, in its own form.
            let is_word = self.at.start == operator.range.start;
            let is_kept = is_word || self.keeps_others(code, operator.lists.first());
            return is_kept.then(|| vec![(operator.range.clone(), code.clone())]);
        }
        if is_option {
            // The value of another option may be underlined, or a value where an option belongs, so
            // that the place alone does not tell.
            return (!self.has_arrow(argument, code))
                .then(|| vec![(argument.range.clone(), code.clone())]);
        }
        if argument.range == *self.at || code.contains("=>") || code.starts_with('#') {
            return Some(vec![(argument.range.clone(), code.clone())]);
        }
        Some(vec![(self.at.clone(), code.clone())])
    }

    /// True if code has all arguments of a call but the one with the error. Never is it written
    /// over others, because they would be lost.
    fn keeps_others(&self, code: &str, list: Option<&List>) -> bool {
        list.is_none_or(|list| {
            let mut arguments = list.arguments.iter();
            let here = arguments.find(|argument| contains(&argument.range, self.at));
            self.has_others(code, list, here)
        })
    }

    /// True for an argument with an arrow, which code does not have.
    fn has_arrow(&self, argument: &Argument, code: &str) -> bool {
        self.text(&argument.range).contains("=>") && !code.contains("=>")
    }

    /// True if code has all of these arguments, but for one.
    fn has_others(&self, code: &str, list: &List, one: Option<&Argument>) -> bool {
        let code = squeezed(code);
        list.arguments
            .iter()
            .filter(|other| one.is_none_or(|one| one.range != other.range))
            // Whole, because `version = 1` is not in `version = 10`.
            .all(|other| has_word(&code, &squeezed(self.text(&other.range))))
    }

    /// A comma between what is underlined and what is before it.
    fn comma_before(&self, next: &str) -> Change {
        let before = self.text(&(0..self.at.start)).trim_end();
        let line = before.rsplit('\n').next().unwrap_or_default();
        // Behind a comment, because a comma in it would be a part of it.
        if line.contains("//") || line.ends_with("*/") {
            (self.at.clone(), format!(",{next}"))
        } else {
            (before.len()..before.len(), ",".to_owned())
        }
    }

    /// An option of a struct: in place of the one with its word, or beside the others.
    fn option_of(holder: &Holder, code: &str) -> Option<Change> {
        let mut attributes = holder
            .attributes
            .iter()
            .filter(|attribute| CONTAINERS.contains(&attribute.word.as_str()));
        let word = first_word(code);
        let written: Vec<&Argument> = attributes
            .clone()
            .filter_map(|attribute| attribute.arguments.as_ref())
            .flat_map(|list| &list.arguments)
            .filter(|argument| argument.word.as_deref() == Some(word))
            .collect();
        match written.as_slice() {
            [] => {
                let first = attributes.next()?;
                // Left to the author, because each condition has its own.
                if first.is_inside && attributes.next().is_some() {
                    return None;
                }
                Some(first.arguments.as_ref()?.appended(code))
            }
            [argument] => Some((argument.range.clone(), code.to_owned())),
            [_, _, ..] => None,
        }
    }

    /// An attribute on a holder: in place of the one of its name, or of what the error is in, or
    /// before all others.
    fn onto(&self, holder: &Holder, code: &str) -> Option<Change> {
        let word = first_word(code.trim_start_matches(['#', '[', ' ']));
        let is_here = |attribute: &&Written| {
            attribute.word != "derive" && contains(&attribute.range, self.at)
        };
        let is_it = |attribute: &&Written| word != "upgrade_from" && attribute.word == word;
        let here = holder.attributes.iter().find(is_here);
        let Some(attribute) = here.or_else(|| holder.attributes.iter().find(is_it)) else {
            return self.before(holder, code);
        };
        // Left to the author, because it is written without a `#` there, and beside others, such as
        // the derive, which would be lost.
        if attribute.is_inside || attribute.word == "cfg_attr" {
            return None;
        }
        // The help may be for one of the options alone, so that the others would be lost.
        let is_kept = attribute.arguments.as_ref().is_none_or(|list| {
            if here.is_some() && attribute.word == word {
                self.keeps_others(code, Some(list))
            } else {
                here.is_some() && list.arguments.len() == 1 || self.has_others(code, list, None)
            }
        });
        is_kept.then(|| (attribute.range.clone(), code.to_owned()))
    }

    /// An attribute more, behind the others.
    fn before(&self, holder: &Holder, code: &str) -> Option<Change> {
        let line = self.file.text.get(..holder.begin)?.rsplit('\n').next()?;
        let indent: String = line
            .chars()
            .take_while(|sign| sign.is_whitespace())
            .collect();
        Some((
            holder.insertion(),
            format!("{code}{}{indent}", self.file.line_end),
        ))
    }

    /// Another name for the one in the summary that is underlined, also inside of a path or a
    /// string.
    fn meant(&self, summary: &str, code: &str) -> Change {
        let text = self.text(self.at);
        // The underlined field may have been called with the wrong name.
        let likeness = |name: &&str| strsim::jaro_winkler(name, code.trim_matches('"'));
        let wrong = summary
            .split('`')
            .skip(1)
            .step_by(2)
            .max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
        let wrong = wrong.unwrap_or_default();
        let is_bare = text
            .chars()
            .all(|sign| sign.is_alphanumeric() || sign == '_');
        if is_bare
            && text != wrong
            && let Some((_, operator)) = self
                .arguments()
                .iter()
                .rev()
                .find(|(_, argument)| !argument.lists.is_empty())
            && let Some(start) = has_part(self.text(&operator.range), wrong)
            && !wrong.is_empty()
        {
            let start = operator.range.start + start;
            return (start..start + wrong.len(), code.to_owned());
        }
        let names = summary.split('`').skip(1).step_by(2);
        let inside = names
            .filter(|name| !name.is_empty())
            .filter_map(|name| Some((has_part(text, name)?, name.len())))
            .last();
        match inside {
            Some((start, length)) if !(code.starts_with('"') && text.starts_with('"')) => {
                let start = self.at.start + start;
                // The name may be raw already.
                let code = if text.starts_with("r#") {
                    code.trim_start_matches("r#")
                } else {
                    code
                };
                (
                    start..start + length,
                    code.trim_matches(['{', '}']).to_owned(),
                )
            }
            _ if text.starts_with('"') && !code.starts_with('"') => {
                (self.at.clone(), format!("\"{code}\""))
            }
            _ => (self.at.clone(), code.to_owned()),
        }
    }

    fn added(&self, advice: &Advice) -> Option<Vec<Change>> {
        let code = &advice.code;
        let around = self.arguments();
        if code.starts_with('#') {
            let holder = match &advice.target {
                Target::Named(name) => self.item_or_field(name)?,
                Target::Here => self.holder,
                Target::Operator
                | Target::Upgrader
                | Target::Before
                | Target::Condition
                | Target::UpgraderOf(..)
                | Target::Elsewhere => return None,
            };
            return Some(vec![self.before(holder, code)?]);
        }
        let own = around
            .last()
            .and_then(|(_, argument)| argument.lists.first());
        let is_operator = code.ends_with(')') && !code.contains("=> _");
        let list = match &advice.target {
            Target::Elsewhere => return None,
            // Into the underlined call, because it is one of its parts.
            Target::Here if own.is_some() && (!is_operator || self.text(self.at) == "variants") => {
                own?
            }
            Target::Here if !is_operator && !around.is_empty() => around.last()?.0,
            Target::Condition => {
                // `only_if(c, …)` with a further condition is `only_if(all(c, further), …)`.
                let list = self.attribute()?.arguments.as_ref()?;
                let is_guard = |argument: &&Argument| argument.word.as_deref() == Some("only_if");
                let guard = around
                    .iter()
                    .map(|(_, argument)| *argument)
                    .find(is_guard)
                    .or_else(|| only(list.arguments.iter().filter(is_guard)))?;
                let condition = guard.lists.first()?.arguments.first()?;
                return Some(vec![(
                    condition.range.clone(),
                    format!("all({}, {code})", self.text(&condition.range)),
                )]);
            }
            Target::Operator => operator(&around)?.lists.first()?,
            Target::UpgraderOf(of, from) => {
                let holder = self.holders.named(of)?;
                let upgraders = || {
                    holder
                        .attributes
                        .iter()
                        .filter(|attribute| attribute.word == "upgrade_from")
                };
                let is_it = |attribute: &&Written| {
                    from.as_ref()
                        .is_none_or(|from| has_word(self.text(&attribute.range), from))
                };
                // Left to the author where there are several, because another's state would be
                // changed.
                only(upgraders().filter(is_it))
                    .or_else(|| only(upgraders()))?
                    .arguments
                    .as_ref()?
            }
            Target::Named(name) => {
                // "add `oldest = 1` to `#[resource(…)]`"
                let holder = if name.starts_with('#') {
                    self.item()?
                } else {
                    self.holders.named(name)?
                };
                let word = first_word(name.trim_start_matches(['#', '[', ' ']));
                let attribute = holder
                    .attributes
                    .iter()
                    .find(|attribute| attribute.word == word)?;
                attribute.arguments.as_ref()?
            }
            Target::Before => {
                let list = self.attribute()?.arguments.as_ref()?;
                let guard = list
                    .arguments
                    .iter()
                    .find(|argument| contains(&argument.range, self.at))?;
                return Some(vec![(
                    guard.range.start..guard.range.start,
                    format!("{code}, "),
                )]);
            }
            Target::Here | Target::Upgrader => match self.attribute() {
                Some(attribute) if attribute.word != "derive" => attribute.arguments.as_ref()?,
                Some(_) | None => {
                    let upgraders: Vec<&Written> = self
                        .item()?
                        .attributes
                        .iter()
                        .filter(|attribute| attribute.word == "upgrade_from")
                        .collect();
                    let [upgrader] = upgraders.as_slice() else {
                        return None;
                    };
                    upgrader.arguments.as_ref()?
                }
            },
        };
        if let Some(replaced) = &advice.in_place_of {
            let is_it = |argument: &&Argument| {
                squeezed(self.text(&argument.range)) == squeezed(replaced)
                    || argument.word.as_deref() == Some(replaced)
                        && self.keeps_others(code, argument.lists.first())
            };
            let argument = list.arguments.iter().find(is_it)?;
            return Some(vec![(argument.range.clone(), code.clone())]);
        }
        Some(vec![list.appended(code)])
    }

    fn item_or_field(&self, name: &str) -> Option<&'a Holder> {
        // Because a variant mostly has the name of the struct that it holds.
        if self
            .holder
            .name
            .rsplit_once('.')
            .is_some_and(|(_, own)| own == name)
        {
            Some(self.holder)
        } else if self.holders.has(name) {
            self.holders.named(name)
        } else {
            self.field(name)
        }
    }

    /// The item that the error is in.
    fn item(&self) -> Option<&'a Holder> {
        self.holders.item_around(&self.holder.range)
    }

    fn removed(&self, code: &str) -> Option<Change> {
        if code.starts_with('#') {
            let attributes = self.holder.attributes.iter();
            let word = first_word(code.trim_start_matches(['#', '[', ' ']));
            // Not in a `cfg_attr`, because others may be in it.
            // Nor with options that the help does not have, because they would be lost.
            let is_it = |attribute: &&Written| {
                squeezed(self.text(&attribute.range)) == squeezed(code)
                    || attribute.word == word
                        && !attribute.is_inside
                        && attribute.arguments.is_none()
                        && contains(&attribute.range, self.at)
            };
            return Some((
                attributes
                    .filter(is_it)
                    .map(|attribute| attribute.range.clone())
                    .next()?,
                String::new(),
            ));
        }
        let around = self.arguments();
        let is_it = |argument: &&Argument| {
            is_code(self.text(&argument.range), code) || argument.word.as_deref() == Some(code)
        };
        let list = around.iter().rev().map(|(list, _)| *list);
        list.into_iter().find_map(|list| {
            let all = list.arguments.iter().filter(is_it);
            // Another of that word may be right.
            let nearest = all.min_by_key(|argument| {
                let is_here = contains(&argument.range, self.at);
                (!is_here, !is_code(self.text(&argument.range), code))
            });
            Some(list.without(nearest?))
        })
    }
}

/// Attributes with the options of a struct.
const CONTAINERS: [&str; 4] = ["resource", "document", "object", "union"];

/// The outermost operator around an error that is not there to hold others, unless it is the only
/// one.
fn operator<'a>(around: &[(&'a List, &'a Argument)]) -> Option<&'a Argument> {
    let operators = around.iter().map(|(_, argument)| *argument);
    let mut operators = operators.filter(|argument| !argument.lists.is_empty());
    let mut found = operators.next()?;
    while matches!(found.word.as_deref(), Some("only_if" | "within" | "each"))
        && let Some(inside) = operators.next()
    {
        found = inside;
    }
    Some(found)
}

/// True for several arguments in one piece of code. A comma in a string, or between `<` and `>`, is
/// of one argument.
fn code_is_a_list(code: &str) -> bool {
    let (mut depth, mut last) = (0_usize, None);
    for token in code.parse::<TokenStream>().unwrap_or_default() {
        let sign = match &token {
            TokenTree::Punct(sign) => Some(sign.as_char()),
            TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Literal(_) => None,
        };
        match sign {
            Some('<') => depth += 1,
            Some('>') if !matches!(last, Some('=' | '-')) => depth = depth.saturating_sub(1),
            Some(',') if depth == 0 => return true,
            _ => {}
        }
        last = sign;
    }
    false
}

/// True if there is a comment in this code, and not only its signs in a string.
fn has_comment(code: &str) -> bool {
    fn signs(text: &str) -> usize {
        text.matches("//").count() + text.matches("/*").count()
    }
    fn in_literals(tokens: TokenStream) -> usize {
        let of_one = |token: TokenTree| match token {
            TokenTree::Group(group) => in_literals(group.stream()),
            TokenTree::Literal(literal) => signs(&literal.to_string()),
            TokenTree::Ident(_) | TokenTree::Punct(_) => 0,
        };
        tokens.into_iter().map(of_one).sum()
    }
    signs(code) > in_literals(code.parse().unwrap_or_default())
}

/// True if text is this code, with or without the comma beside it.
fn is_code(text: &str, code: &str) -> bool {
    squeezed(text).trim_matches(',') == squeezed(code)
}

/// True if what changes write over is in what they write: its numbers in their order, its strings,
/// and all that is behind `=`, each as often as it was there. `removed` is the code that they may
/// remove.
pub(super) fn keep_values(text: &str, changes: &[Change], removed: &str) -> bool {
    let (mut written, mut code) = (Vec::new(), Vec::new());
    for (_, with) in changes {
        let tokens: TokenStream = with.parse().unwrap_or_default();
        add_values(tokens.clone(), None, &mut written);
        add_signs(tokens, &mut code);
    }
    // Behind the last number, since another order is another range.
    let mut behind = 0;
    let mut is_kept = |value: &Value| {
        let skipped = if value.is_number() { behind } else { 0 };
        let mut others = written.iter().skip(skipped);
        let place = others.position(|other| value.is_in(other));
        let place = place.map(|place| place + skipped);
        if let Some(place) = place {
            written.remove(place);
            if value.is_number() {
                behind = place;
            } else if place < behind {
                behind -= 1;
            }
        }
        place.is_some() || value.is_code_in(&code)
    };
    changes.iter().all(|(range, with)| {
        if with.is_empty() {
            return is_all_of(text.get(range.clone()).unwrap_or_default(), removed);
        }
        let old: Option<TokenStream> = text.get(range.clone()).and_then(|old| old.parse().ok());
        // Otherwise there may be values in it that are not seen.
        let Some(old) = old else {
            return false;
        };
        let mut values = Vec::new();
        add_values(old, Some(false), &mut values);
        values.iter().all(&mut is_kept)
    })
}

/// True if a help that removes this code names all that is removed, and that has no value, and no
/// argument that may be a function, but one which is off without the word.
fn is_all_of(old: &str, removed: &str) -> bool {
    is_code(old, removed) && !old.contains(['=', '('])
        || is_code(old, &format!("{removed} = false"))
}

/// True if changes write a number, a string or, behind `=`, a word that is not in what they write
/// over.
pub(super) fn invent_values(text: &str, changes: &[Change]) -> bool {
    let (mut known, mut inside) = (Vec::new(), Vec::new());
    for (range, _) in changes {
        let old = text.get(range.clone()).unwrap_or_default();
        add_values(old.parse().unwrap_or_default(), None, &mut known);
    }
    for string in known.iter().filter(|value| value.is_string) {
        add_signs(string.text.parse().unwrap_or_default(), &mut inside);
    }
    changes.iter().any(|(_, with)| {
        let mut written = Vec::new();
        add_values(with.parse().unwrap_or_default(), Some(false), &mut written);
        let is_new = |value: &Value| {
            !known.iter().any(|old| old.is_in(value)) && !inside.contains(&value.text)
        };
        written.iter().any(is_new)
    })
}

/// A number, a string or a word of code.
struct Value {
    /// Without the quotes of a string, or the suffix of a number.
    text: String,
    is_string: bool,
}

impl Value {
    fn of(literal: &str, is_negative: bool) -> Self {
        if let Ok(syn::Lit::Str(string)) = syn::parse_str::<syn::Lit>(literal) {
            let (text, is_string) = (string.value(), true);
            return Self { text, is_string };
        }
        let mut text = without_suffix(literal);
        if literal.starts_with(|sign: char| sign.is_ascii_digit()) {
            text.retain(|sign| sign != '_');
        }
        if is_negative {
            text.insert(0, '-');
        }
        let is_string = false;
        Self { text, is_string }
    }

    fn is_number(&self) -> bool {
        let mut signs = self.text.trim_start_matches('-').chars();
        !self.is_string && signs.next().is_some_and(|sign| sign.is_ascii_digit())
    }

    /// True if another one says this, too: with or without quotes, as the number of a version
    /// `"v1"`, or as a name in another case.
    fn is_in(&self, other: &Self) -> bool {
        let number = self.text.strip_prefix('v').filter(|_| self.is_string);
        self.text == other.text
            || !other.is_string && number.is_some_and(|number| number == other.text)
            || self.is_string
                && other.is_string
                && words(&self.text).is_some_and(|own| words(&other.text) == Some(own))
    }

    /// True for a string of code that is in this code, such as a type.
    fn is_code_in(&self, code: &[String]) -> bool {
        let mut own = Vec::new();
        if self.is_string {
            add_signs(self.text.parse().unwrap_or_default(), &mut own);
        }
        !own.is_empty() && code.windows(own.len()).any(|part| part == own)
    }
}

/// The words of a name in lower case: `diskSize`, `disk-size` and `disk_size` have the same ones;
/// `None` for letters that are not a name.
fn words(name: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    for sign in name.chars() {
        if matches!(sign, '_' | '-') {
            // Otherwise `_id` would be `id`.
            last.take()?;
            continue;
        }
        if !sign.is_alphanumeric() {
            return None;
        }
        if last.is_none_or(|last: char| sign.is_uppercase() && !last.is_uppercase()) {
            words.push(String::new());
        }
        words.last_mut()?.extend(sign.to_lowercase());
        last = Some(sign);
    }
    last.map(|_| words)
}

/// The numbers and strings of code, and of its words those that are behind `=`; with `None`, all.
fn add_values(tokens: TokenStream, mut is_behind: Option<bool>, values: &mut Vec<Value>) {
    let mut last: Option<char> = None;
    for token in tokens {
        let before = last.take();
        match token {
            TokenTree::Group(group) => add_values(group.stream(), is_behind, values),
            TokenTree::Literal(literal) => {
                values.push(Value::of(&literal.to_string(), before == Some('-')));
            }
            // An option with `true` is the option.
            TokenTree::Ident(name) if is_behind != Some(false) && name != "true" => {
                let (text, is_string) = (name.to_string(), false);
                values.push(Value { text, is_string });
            }
            TokenTree::Ident(_) => {}
            TokenTree::Punct(sign) => {
                last = Some(sign.as_char());
                is_behind = is_behind.map(|is_behind| match (before, sign.as_char()) {
                    (Some('='), '>') | (_, ',') => false,
                    (_, sign) => is_behind || sign == '=',
                });
            }
        }
    }
}

/// The words, signs and literals of code one after the other, with the ends of its brackets.
fn add_signs(tokens: TokenStream, signs: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let bracket = format!("{:?}", group.delimiter());
                signs.push(bracket.clone() + " begins");
                add_signs(group.stream(), signs);
                signs.push(bracket + " ends");
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {
                signs.push(token.to_string());
            }
        }
    }
}

/// A literal, without the type behind a decimal number.
fn without_suffix(literal: &str) -> String {
    let is_decimal =
        literal.starts_with(|sign: char| sign.is_ascii_digit()) && !literal.starts_with("0x");
    let suffix = literal.find(['u', 'i', 'f']).filter(|_| is_decimal);
    let end = suffix.unwrap_or(literal.len());
    literal.get(..end).unwrap_or_default().to_owned()
}

pub(super) fn first_word(code: &str) -> &str {
    let end = code
        .find(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
        .unwrap_or(code.len());
    code.get(..end).unwrap_or_default()
}

fn squeezed(code: &str) -> String {
    code.chars().filter(|sign| !sign.is_whitespace()).collect()
}

fn has_word(text: &str, word: &str) -> bool {
    has_part(text, word).is_some()
}

/// The byte at which a word begins in a string.
fn has_part(text: &str, word: &str) -> Option<usize> {
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
    let found = text.match_indices(word).find(|(at, _)| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let after = text
            .get(at + word.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    });
    found.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::super::advice::{Words, advice};
    use super::*;

    #[test]
    fn an_attribute_more_ends_its_line_as_the_file_does() {
        for end in ["\n", "\r\n"] {
            let text = format!(
                "mod a {{{end}    #[derive(Resource)]{end}    pub struct A {{ b: u8 }}{end}}}{end}"
            );
            let file = RustFile::parse(&text).unwrap();
            let at = text.find("A {").unwrap();
            let advice = advice("write `#[resource(version = 0)]`", &Words::of(&text)).remove(0);
            let changes = changes(&file, &(at..at + 1), "", &advice).unwrap();
            let expected = text.replace(
                "pub struct",
                &format!("#[resource(version = 0)]{end}    pub struct"),
            );
            assert_eq!(file.with(changes), expected);
        }
    }

    /// The attribute above a struct as the first change of a help at these words makes it.
    fn changed(attribute: &str, at: &str, help: &str) -> Option<String> {
        let text = format!("{attribute}\nstruct Shop {{ b: u8 }}\n");
        let file = RustFile::parse(&text).unwrap();
        let start = text.find(at).unwrap();
        let advice = advice(help, &Words::of(&text)).remove(0);
        let changes = changes(&file, &(start..start + at.len()), "", &advice)?;
        file.with(changes).lines().next().map(str::to_owned)
    }

    /// The text with the changes of a help at the last place of some words.
    fn changed_file(text: &str, at: &str, help: &str) -> Option<String> {
        let file = RustFile::parse(text).unwrap();
        let start = text.rfind(at).unwrap();
        let advice = advice(help, &Words::of(text)).remove(0);
        let changes = changes(&file, &(start..start + at.len()), "", &advice)?;
        Some(file.with(changes))
    }

    #[test]
    fn nothing_is_written_onto_another_of_the_name() {
        let module = |name: &str, version: u8| {
            format!(
                "mod {name} {{\n#[resource(version = {version})]\n#[upgrade_from(0 => {version}, carry)]\nstruct Thing {{ size: Size }}\nstruct Size {{ value: u8 }}\n}}\n"
            )
        };
        let text = module("a", 1) + &module("b", 2);
        let written = |help: &str| changed_file(&text, "carry", help);
        let second = |old: &str, new: &str| {
            let (before, last) = text.rsplit_once(old).unwrap();
            Some(format!("{before}{new}{last}"))
        };
        assert_eq!(
            written("add `oldest = 1` to `#[resource(…)]`"),
            second("version = 2)", "version = 2, oldest = 1)")
        );
        assert_eq!(
            written("mark `size` as `#[attribute(sensitive)]`"),
            second("size:", "#[attribute(sensitive)] size:")
        );
        // Nothing says which of the two is meant, so that none is changed.
        for help in [
            "mark `size.value` as `#[attribute(sensitive)]`",
            "add `#[object(plan)]` to `Size`",
            "add `set(size = null)` to the upgrader of `Thing`",
        ] {
            assert_eq!(written(help), None, "{help}");
        }

        let upgraders = "#[upgrade_from(0, model = ThingV0, carry)]\n#[upgrade_from(1, model = ThingV1, carry)]\nstruct Thing { size: u8 }\n";
        let written = |from: &str| {
            let help = format!("add `set(size = 1)` to the upgrader of `Thing` from `{from}`");
            changed_file(upgraders, "size", &help)
        };
        assert_eq!(
            written("ThingV1"),
            Some(upgraders.replace("V1, carry", "V1, carry, set(size = 1)"))
        );
        assert_eq!(written("ThingV2"), None);

        let variants = "#[union(version = 0)]\nenum Load { Car { size: u8 }, Van { size: u8 } }\n";
        let help = "mark `size` as `#[attribute(sensitive)]`";
        assert_eq!(changed_file(variants, "union", help), None);
    }

    #[test]
    fn a_comma_in_a_string_is_of_one_argument() {
        assert_eq!(
            changed(
                r#"#[kube(rule("self > 2", massage = "three, or more"))]"#,
                "massage",
                r#"write `message = "three, or more"`"#,
            )
            .as_deref(),
            Some(r#"#[kube(rule("self > 2", message = "three, or more"))]"#)
        );
    }

    #[test]
    fn a_list_is_not_written_over_others() {
        let named = "write `type_name = \"shop_b\", model = ShopB`";
        let same = "if they are the same, write `1 => 2, carry`";
        for (attribute, at, help, expected) in [
            (
                r#"#[move_from("shop_b")]"#,
                "\"shop_b\"",
                named,
                Some(r#"#[move_from(type_name = "shop_b", model = ShopB)]"#),
            ),
            (
                r#"#[move_from("shop_b", with = up)]"#,
                "\"shop_b\"",
                named,
                Some(r#"#[move_from(type_name = "shop_b", model = ShopB, with = up)]"#),
            ),
            (
                "#[upgrade_from(1, model = Shop)]",
                "Shop",
                same,
                Some("#[upgrade_from(1 => 2, carry)]"),
            ),
            (
                "#[upgrade_from(1, model = Shop, with = up)]",
                "Shop",
                same,
                None,
            ),
            (
                "#[upgrade_from(0 => 1, rename(title -> name))]",
                "->",
                "write `rename(title => name)`",
                Some("#[upgrade_from(0 => 1, rename(title => name))]"),
            ),
            (
                "#[upgrade_from(0 => 1, rename(title -> name, size => width))]",
                "->",
                "write `rename(title => name)`",
                None,
            ),
            (
                "#[upgrade_from(0 => 1, carry(size))]",
                "size",
                "write `convert(size, with = valid)`",
                Some("#[upgrade_from(0 => 1, convert(size, with = valid))]"),
            ),
            (
                "#[upgrade_from(0 => 1, changed(region, from_name = \"place\"))]",
                "changed",
                "write `rename(place => region)`",
                Some("#[upgrade_from(0 => 1, rename(place => region))]"),
            ),
            (
                "#[upgrade_from(0 => 1, carry(size, id))]",
                "size",
                "write `convert(size, with = valid)`",
                None,
            ),
            (
                "#[upgrade_from(0 => 1, merge(a, size => tags))]",
                "size",
                "write its type: `size: Option<String>`",
                Some("#[upgrade_from(0 => 1, merge(a, size: Option<String> => tags))]"),
            ),
            (
                "#[upgrade_from(0 => 1, drop(size.width, \"gone\"))]",
                "size",
                "write its type: `size: Option<String>`",
                None,
            ),
            (
                "#[upgrade_from(0, model = ShopV0, carry(id))]",
                "id",
                "write `carry`",
                Some("#[upgrade_from(0, model = ShopV0, carry)]"),
            ),
            (
                "#[upgrade_from(0, model = ShopV0, carry(id, declassified = \"no secret\"))]",
                "id",
                "write `carry`",
                None,
            ),
            (
                "#[upgrade_from(0 => 1, carry)]",
                "0 => 1",
                "add `rename(size => width)` in place of `carry`",
                Some("#[upgrade_from(0 => 1, rename(size => width))]"),
            ),
            (
                "#[upgrade_from(0 => 1, carry(size: i64, id: String))]",
                "0 => 1",
                "add `rename(size => width)` in place of `carry`",
                None,
            ),
        ] {
            assert_eq!(changed(attribute, at, help).as_deref(), expected);
        }
    }

    #[test]
    fn an_attribute_is_not_written_over_other_options() {
        let moved = "write `#[move_from(type_name = \"shop_b\", model = ShopB)]` below";
        for (attribute, at, help, expected) in [
            (
                r#"#[resource(type_name = "shop_a", renamed_from = "shop_b")]"#,
                "renamed_from",
                moved,
                None,
            ),
            (
                "#[document(version = 0, prior)]",
                "document",
                "write `#[resource(version = 0, prior)]`",
                Some("#[resource(version = 0, prior)]"),
            ),
            (
                r#"#[serde(rename = "b")]"#,
                "serde",
                "write `#[object(name = \"b\")]`",
                Some(r#"#[object(name = "b")]"#),
            ),
            (
                r#"#[resource(type_name = "shop_a")]"#,
                "Shop",
                "write `#[resource(version = 0)]`",
                None,
            ),
            (
                r#"#[resource(type_name = "shop_a", version = 1)]"#,
                "1",
                "if `Shop` is only a shape, write `#[resource(version = 1, prior)]`",
                None,
            ),
            (
                "#[resource(version = 1)]",
                "1",
                "if `Shop` is only a shape, write `#[resource(version = 1, prior)]`",
                Some("#[resource(version = 1, prior)]"),
            ),
            (
                "#[derive(Resource)]",
                "Resource",
                "write `#[resource(version = 0)]`",
                Some("#[derive(Resource)]"),
            ),
            (
                "#[derive(Union)]",
                "Union",
                "write `Plain {}` for the variants without data",
                None,
            ),
        ] {
            assert_eq!(changed(attribute, at, help).as_deref(), expected);
        }
    }

    #[test]
    fn an_attribute_is_removed_without_others() {
        let block = "remove `#[block]`";
        for (attribute, at, help, expected) in [
            ("#[block]", "block", block, Some("")),
            ("#[block(name = \"b\")]", "block", block, None),
            (
                "#[downgrade_to(0)]",
                "downgrade_to",
                "remove `#[downgrade_to(0)]`",
                Some(""),
            ),
            ("#[cfg_attr(test, block, must_use)]", "block", block, None),
            (
                "#[cfg_attr(test, resource(version = 0, plan))]",
                "plan",
                "remove `plan`",
                Some("#[cfg_attr(test, resource(version = 0))]"),
            ),
        ] {
            assert_eq!(changed(attribute, at, help).as_deref(), expected);
        }
    }

    #[test]
    fn another_argument_of_that_word_is_not_removed() {
        let text = "#[upgrade_from(0 => 1, carry(size: i64), carry)]\nstruct Shop { b: u8 }\n";
        assert_eq!(
            changed_file(text, "carry", "remove `carry`"),
            Some(text.replace(", carry)", ")"))
        );
    }

    #[test]
    fn an_operator_before_another_is_not_written_over_one_in_it() {
        let help = "if it is new, write `set(size = null)` before the `only_if`; otherwise add `lacks(size)` to the condition";
        assert_eq!(
            changed(
                "#[upgrade_from(0 => 1, only_if(has(old), set(size = 3)))]",
                "size",
                help
            )
            .as_deref(),
            Some("#[upgrade_from(0 => 1, set(size = null), only_if(has(old), set(size = 3)))]")
        );
    }

    #[test]
    fn an_option_is_added_to_the_operator_that_moves_the_value() {
        let help = "add `declassified = \"why it may be shown\"` to the operator";
        for (attribute, expected) in [
            (
                "#[upgrade_from(0 => 1, only_if(has(b), copy(secret => open)))]",
                "#[upgrade_from(0 => 1, only_if(has(b), copy(secret => open, declassified = \"why it may be shown\")))]",
            ),
            (
                "#[upgrade_from(0 => 1, copy(secret => open))]",
                "#[upgrade_from(0 => 1, copy(secret => open, declassified = \"why it may be shown\"))]",
            ),
        ] {
            assert_eq!(changed(attribute, "open", help).as_deref(), Some(expected));
        }
    }

    #[test]
    fn one_of_several_attributes_is_not_chosen() {
        let oldest = "write `oldest = 1` in `#[resource(…)]`";
        let condition = "add `lacks(size)` to the condition";
        let of_shop = "add `rename(size => width)` to the upgrader of `Shop` from `ShopV0`";
        for (attributes, help, expected) in [
            (
                "#[resource(plan)] #[resource(oldest = 0)]",
                oldest,
                Some("#[resource(plan)] #[resource(oldest = 1)]"),
            ),
            (
                "#[resource(plan)] #[resource(paths)]",
                oldest,
                Some("#[resource(plan, oldest = 1)] #[resource(paths)]"),
            ),
            (
                "#[cfg_attr(a, resource(oldest = 0))] #[cfg_attr(b, resource(oldest = 0))]",
                oldest,
                None,
            ),
            (
                "#[cfg_attr(a, resource(plan))] #[cfg_attr(b, resource(paths))]",
                oldest,
                None,
            ),
            (
                "#[upgrade_from(0, model = ShopV0)] #[upgrade_from(1, model = ShopV1)]",
                of_shop,
                Some(
                    "#[upgrade_from(0, model = ShopV0, rename(size => width))] #[upgrade_from(1, model = ShopV1)]",
                ),
            ),
            (
                "#[upgrade_from(0, model = First)] #[upgrade_from(1, model = ShopV1)]",
                of_shop,
                None,
            ),
            (
                "#[upgrade_from(0 => 1, set(b = 1), only_if(has(a), set(c = 1)))]",
                condition,
                Some(
                    "#[upgrade_from(0 => 1, set(b = 1), only_if(all(has(a), lacks(size)), set(c = 1)))]",
                ),
            ),
            (
                "#[upgrade_from(0 => 1, set(b = 1), only_if(has(a), set(c = 1)), only_if(lacks(a), set(c = 2)))]",
                condition,
                None,
            ),
        ] {
            let at = if help == condition { "b" } else { "Shop {" };
            assert_eq!(changed(attributes, at, help).as_deref(), expected, "{help}");
        }
    }

    #[test]
    fn another_item_of_that_name_is_not_changed() {
        let text = "mod v0 {\n    #[resource(version = 0)]\n    #[upgrade_from(model = Old)]\n    struct Shop { b: u8 }\n}\n#[resource(version = 1)]\nstruct Shop { b: u8, c: u8 }\n";
        let file = RustFile::parse(text).unwrap();
        for (at, help, expected) in [
            (
                "c: u8",
                "write `oldest = 1` in `#[resource(…)]`",
                Some("#[resource(version = 1, oldest = 1)]"),
            ),
            (
                "c: u8",
                "or make this version 2, and add here: `#[upgrade_from(1 => 2, set(c = 1))]`",
                Some("#[resource(version = 2)]\n#[upgrade_from(1 => 2, set(c = 1))]"),
            ),
            (
                "c: u8",
                "mark `b` as `#[attribute(sensitive)]`",
                Some("Shop { #[attribute(sensitive)] b: u8, c: u8 }"),
            ),
            // Only the compiler knows which of the two it is.
            (
                "c: u8",
                "add `rename(a => b)` to the upgrader of `Shop`",
                None,
            ),
            (
                "c: u8",
                "write `type_name = \"shop\"` in the options of `Shop`",
                None,
            ),
        ] {
            let start = text.find(at).unwrap();
            let advice = advice(help, &Words::of(text)).remove(0);
            let typed = changes(&file, &(start..start + at.len()), "", &advice)
                .map(|changes| file.with(changes));
            assert_eq!(typed.is_some(), expected.is_some(), "{help}");
            if let (Some(typed), Some(expected)) = (typed, expected) {
                let (earlier, later) = typed.split_once("}\n}\n").unwrap();
                assert!(later.contains(expected), "{help}: {typed}");
                assert!(text.starts_with(earlier), "{help}: {typed}");
            }
        }
    }

    #[test]
    fn a_variant_is_not_taken_for_the_struct_in_it() {
        let text = "struct List { b: u8 }\nenum Shown {\n    Pair(u8),\n    List(List),\n}\n";
        let file = RustFile::parse(text).unwrap();
        let at = text.find("List(").unwrap();
        let help = "add a `tag`; or write `#[union(shadowed)]` on `List` if that loses nothing";
        let advice = advice(help, &Words::of(text)).remove(1);
        let changes = changes(&file, &(at..at + 4), "", &advice).unwrap();
        assert_eq!(
            file.with(changes),
            text.replace("    List(", "    #[union(shadowed)]\n    List(")
        );
    }

    #[test]
    fn an_attribute_in_another_is_changed_there() {
        for (attribute, at, help, expected) in [
            (
                "#[cfg_attr(test, upgrade_from(0 => 1, carry))]",
                "carry",
                "add `as = ShopV0` to this upgrader",
                Some("#[cfg_attr(test, upgrade_from(0 => 1, carry, as = ShopV0))]"),
            ),
            (
                "#[cfg_attr(test, cfg_attr(unix, upgrade_from(0 => 1, carry)))]",
                "carry",
                "add `as = ShopV0` to this upgrader",
                Some("#[cfg_attr(test, cfg_attr(unix, upgrade_from(0 => 1, carry, as = ShopV0)))]"),
            ),
            (
                "#[cfg_attr(test, resource(plan), must_use)]",
                "plan",
                "write `#[object(plan)]`",
                None,
            ),
            (
                "#[cfg_attr(test, derive(Resource))]",
                "Resource",
                "write `#[resource(version = 0)]`",
                None,
            ),
        ] {
            assert_eq!(changed(attribute, at, help).as_deref(), expected);
        }
    }

    #[test]
    fn no_comment_is_written_into_an_attribute() {
        let help = "write `/// Example: eu` above the field";
        let text = "#[attribute(example = \"eu\")]";
        assert_eq!(changed(text, "example", help), None);
    }

    #[test]
    fn no_comment_is_written_over() {
        for (attribute, help, expected) in [
            (
                "#[upgrade_from(model = Shop, /* as in 2.0 */ carry)]",
                "write `#[upgrade_from(0, model = Shop, carry)]`",
                None,
            ),
            (
                r#"#[upgrade_from(model = Shop, split(url, "://"))]"#,
                "write `#[upgrade_from(0, model = Shop, split(url, \"://\"))]`",
                Some(r#"#[upgrade_from(0, model = Shop, split(url, "://"))]"#),
            ),
        ] {
            assert_eq!(
                changed(attribute, "upgrade_from", help).as_deref(),
                expected
            );
        }
    }

    #[test]
    fn a_comma_is_behind_what_is_before_it() {
        for (list, expected) in [
            ("version = 0 prior", "version = 0, prior"),
            ("version = 0\n    prior", "version = 0,\n    prior"),
            (
                "version = 0 // a\n    prior",
                "version = 0 // a\n    , prior",
            ),
            ("version = 0 /* a */ prior", "version = 0 /* a */ , prior"),
        ] {
            let text = format!("#[derive(Resource)]\n#[resource({list})]\nstruct A {{ b: u8 }}\n");
            let file = RustFile::parse(&text).unwrap();
            let at = text.find("prior").unwrap();
            let advice = advice("write `, prior`", &Words::of(&text)).remove(0);
            let changes = changes(&file, &(at..at + 5), "", &advice).unwrap();
            assert_eq!(file.with(changes), text.replace(list, expected));
        }
    }
}
