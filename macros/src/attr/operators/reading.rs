//! One operator that is being read: what its parentheses may hold, piece by piece.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, LitStr, Token, token};

use upstate_words::operators::Word;

use super::read::Place;
use super::{Call, FieldPath, Literal, LiteralValue, Otherwise, fields};
use crate::attr::list::no_comma;
use crate::likeness;

/// An operator that is being read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'c> {
    pub(super) call: &'c Call,
    pub(super) word: &'static Word,
    pub(super) place: Place,
}

/// The first of what is in an operator's parentheses.
struct First {
    /// The attributes before a field, each with a blank behind it.
    attributes: String,
    /// The name of a field, a path, or the word of a condition.
    path: String,
    behind: Vec<TokenTree>,
}

impl Reading<'_> {
    /// A mistake at `tokens`, or at the operator itself if they are empty, with the operator's form
    /// as help.
    pub(super) fn misuse(
        &self,
        tokens: impl ToTokens,
        message: impl std::fmt::Display,
    ) -> syn::Error {
        self.at(
            tokens.to_token_stream(),
            format!("{message}\nhelp: write `{}`", self.form()),
        )
    }

    /// The operator's form, with the field or the condition that is written first in place of the
    /// form's own.
    pub(super) fn form(&self) -> String {
        self.form_with_first()
            .unwrap_or_else(|| self.word.form.to_owned())
    }

    /// Fills in the form where what follows the field is empty or known: all else may be what its
    /// author means.
    fn form_with_first(&self) -> Option<String> {
        let First {
            attributes,
            path,
            behind,
        } = self.first()?;
        let name = self.word.name;
        let has = |at: usize, sign: char| matches!(behind.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
        if name == "drop" {
            let is_without_type = match behind.len() {
                1 => has(0, ':'),
                2 => !attributes.is_empty() && has(0, ','),
                3 => has(0, ':') && has(1, ','),
                _ => false,
            };
            let reason = match behind.last() {
                Some(TokenTree::Literal(reason)) => reason.to_string(),
                Some(TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Punct(_)) | None => {
                    "\"why\"".to_owned()
                }
            };
            return is_without_type.then(|| format!("drop({attributes}{path}: …, {reason})"));
        }
        if !attributes.is_empty() {
            return None;
        }
        match (name, behind.as_slice()) {
            ("rename" | "copy", []) => Some(format!(
                "{name}({path} => {}",
                self.word.form.split_once(" => ")?.1
            )),
            ("rename" | "copy", [_, _]) if has(0, '=') && has(1, '>') => Some(format!(
                "{name}({path} => {}",
                self.word.form.split_once(" => ")?.1
            )),
            ("rename" | "copy", [_, _, TokenTree::Ident(to)]) if has(0, '=') && has(1, '>') => {
                Some(format!("{name}({path} => {to})"))
            }
            ("default" | "set", [] | [_]) if behind.is_empty() || has(0, '=') => {
                Some(format!("{name}({path} = value)"))
            }
            ("only_if", [TokenTree::Group(of), ..]) if behind.len() == 1 || has(1, ',') => {
                Some(format!("only_if({path}{of}, set(other = value))"))
            }
            // Any other sign is in place of the arrow, because two literals have nothing else
            // between them.
            (
                "values" | "variants" | "reformat",
                [
                    _,
                    old @ TokenTree::Literal(_),
                    signs @ ..,
                    new @ TokenTree::Literal(_),
                ],
            ) if has(0, ',') && is_another_sign(signs) => {
                Some(format!("{name}({path}, {old} => {new})"))
            }
            ("values" | "variants", [_, old @ TokenTree::Literal(_)]) if has(0, ',') => {
                Some(format!("{name}({path}, {old} => \"new\")"))
            }
            ("join" | "reformat" | "values" | "variants" | "within", _)
                if behind.is_empty() || has(0, ',') =>
            {
                Some(format!(
                    "{name}({path}, {}",
                    self.word.form.split_once(", ")?.1
                ))
            }
            _ => None,
        }
    }

    /// The field that is written first, if nothing makes another field of it; otherwise the one of
    /// the form.
    pub(super) fn field_or_any(&self) -> String {
        let signs = self
            .call
            .group
            .stream()
            .into_iter()
            .map(|token| match token {
                TokenTree::Punct(sign) => sign.as_char(),
                TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Literal(_) => ' ',
            });
        let makes_others = signs.collect::<String>().contains("=>");
        let first = self.first().filter(|first| {
            let is_end = match first.behind.first() {
                Some(TokenTree::Punct(sign)) => sign.as_char() == ',',
                Some(TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Literal(_)) => false,
                None => true,
            };
            is_end && first.attributes.is_empty() && !makes_others
        });
        first.map_or_else(|| "field".to_owned(), |first| first.path)
    }

    fn first(&self) -> Option<First> {
        let mut tokens = self.call.group.stream().into_iter().peekable();
        let is_sign = |token: Option<&TokenTree>, sign: char| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
        let (mut attributes, mut path) = (String::new(), String::new());
        while is_sign(tokens.peek(), '#') {
            tokens.next();
            attributes.extend(["#", &tokens.next()?.to_string(), " "]);
        }
        loop {
            let Some(TokenTree::Ident(name)) = tokens.next() else {
                return None;
            };
            path.push_str(&name.to_string());
            if !is_sign(tokens.peek(), '.') {
                break;
            }
            tokens.next();
            match tokens.peek() {
                Some(TokenTree::Ident(_)) => path.push('.'),
                // The dot is left out, because nothing is behind it.
                Some(TokenTree::Punct(sign)) if ['=', ','].contains(&sign.as_char()) => break,
                None => break,
                Some(TokenTree::Punct(_) | TokenTree::Group(_) | TokenTree::Literal(_)) => {
                    return None;
                }
            }
        }
        Some(First {
            attributes,
            path,
            behind: tokens.collect(),
        })
    }

    /// An error at `tokens`, or at the operator itself if they are empty.
    fn at(&self, tokens: TokenStream, message: String) -> syn::Error {
        if tokens.is_empty() {
            syn::Error::new_spanned(&self.call.word, message)
        } else {
            syn::Error::new_spanned(tokens, message)
        }
    }

    pub(super) fn field(&self, input: ParseStream<'_>) -> syn::Result<FieldPath> {
        fields::path(input).map_err(|wrong| {
            let message = wrong.message(&format!("write `{}`", self.form()));
            self.at(wrong.tokens, message)
        })
    }

    /// A field, or several in parentheses; the type behind these is that of each.
    pub(super) fn fields(&self, input: ParseStream<'_>) -> syn::Result<Vec<FieldPath>> {
        let ahead = input.fork();
        let attributes = Attribute::parse_outer(&ahead).unwrap_or_default();
        if !ahead.peek(token::Paren) && !ahead.peek(token::Bracket) {
            return Ok(vec![self.field(input)?]);
        }
        input.advance_to(&ahead);
        let group = input.parse::<Group>()?;
        if group.delimiter() == Delimiter::Bracket {
            let inside = group.stream();
            let message = format!("several fields need parentheses\nhelp: write `({inside})`");
            return Err(syn::Error::new_spanned(group, message));
        }
        let mut found = Ok(Vec::new());
        let read = |inside: ParseStream<'_>| {
            while let (false, Ok(fields)) = (inside.is_empty(), &mut found) {
                match self
                    .field(inside)
                    .and_then(|field| self.end(inside).map(|()| field))
                {
                    Ok(field) => fields.push(field),
                    Err(error) => found = Err(error),
                }
                inside.parse::<Option<Token![,]>>()?;
            }
            inside.parse::<TokenStream>().map(drop)
        };
        read.parse2(group.stream())?;
        match found {
            Ok(fields) if fields.is_empty() => {
                Err(self.misuse(group, "there is no field in these parentheses"))
            }
            found => {
                let mut fields = found?;
                self.type_of_each(&mut fields, attributes, input)?;
                Ok(fields)
            }
        }
    }

    /// Reads the type behind several fields, if there is one.
    fn type_of_each(
        &self,
        fields: &mut [FieldPath],
        attributes: Vec<Attribute>,
        input: ParseStream<'_>,
    ) -> syn::Result<()> {
        let written = fields::written(input, attributes, 1).map_err(|wrong| {
            let message = wrong.message(&format!("write `{}`", self.form()));
            self.at(wrong.tokens, message)
        })?;
        let Some(written) = written else {
            return Ok(());
        };
        for field in fields {
            if let Some(own) = &field.1 {
                let message = "the type of this field is written twice\nhelp: write it once, here or behind the parentheses";
                return Err(syn::Error::new_spanned(&own.ty, message));
            }
            let mut own = written.clone();
            own.depth = field.0.len();
            field.1 = Some(own);
        }
        Ok(())
    }

    /// `=>`, after which something must come. `before` is what it comes after.
    pub(super) fn arrow(
        &self,
        input: ParseStream<'_>,
        before: impl ToTokens,
        between: &str,
    ) -> syn::Result<()> {
        self.arrow_behind(input, before, None, between)
    }

    /// Reads the arrow in an operator of two fields; `from` is the first.
    pub(super) fn arrow_behind(
        &self,
        input: ParseStream<'_>,
        before: impl ToTokens,
        from: Option<&FieldPath>,
        between: &str,
    ) -> syn::Result<()> {
        if input.peek(Token![=>]) {
            let arrow = input.parse::<Token![=>]>()?;
            return if at_end(input) {
                Err(self.misuse(arrow, "there is nothing after this arrow"))
            } else {
                Ok(())
            };
        }
        let place = if at_end(input) {
            before.to_token_stream()
        } else {
            input.fork().parse::<TokenTree>()?.into()
        };
        if input.peek(token::Bracket) {
            let message =
                "a path goes through all elements by itself, without an index\nhelp: remove it";
            return Err(syn::Error::new_spanned(place, message));
        }
        if let Ok(sign) = input.fork().parse::<Token![::]>() {
            return Err(syn::Error::new_spanned(
                sign,
                "a path is names with dots between them\nhelp: write `.`",
            ));
        }
        if let Some(meant) = from.and_then(|from| self.without_arrow(input, from)) {
            let message = format!(
                "`{}` takes `=>` between {between}\nhelp: write `{meant}`",
                self.word.name
            );
            if input.peek(Token![,]) {
                // The other name is not a field of its own.
                input.parse::<TokenStream>()?;
            }
            return Err(syn::Error::new_spanned(place, message));
        }
        Err(self.misuse(
            place,
            format_args!("`{}` takes `=>` between {between}", self.word.name),
        ))
    }

    /// The operator with an arrow, of two names with another sign between them, which are all that
    /// there is.
    fn without_arrow(&self, input: ParseStream<'_>, from: &FieldPath) -> Option<String> {
        let mut signs = String::new();
        let rest = input.fork();
        while !rest.is_empty() && rest.fork().parse::<Ident>().is_err() {
            signs.push_str(&rest.parse::<TokenTree>().ok()?.to_string());
        }
        let mut to = rest.parse::<Ident>().ok()?;
        // `rename(a to b)`
        if signs.is_empty() && ["to", "into"].iter().any(|word| to == word) {
            signs.push_str("to");
            to = rest.parse::<Ident>().ok()?;
        }
        // `rename(a, b, c)` may mean anything.
        let is_all = rest.is_empty() || signs != "," && rest.peek(Token![,]);
        (is_all && [",", "->", ":", "=", "to"].contains(&signs.as_str()))
            .then(|| format!("{}({} => {to})", self.word.name, from.typed()))
    }

    /// A string in quotes.
    pub(super) fn text(&self, input: ParseStream<'_>, what: &str) -> syn::Result<LitStr> {
        if at_end(input) {
            return Err(self.misuse(
                TokenStream::new(),
                format_args!("`{}` is missing {what}", self.word.name),
            ));
        }
        let place = input.fork().parse::<TokenTree>()?;
        input
            .parse()
            .map_err(|_| self.misuse(place, format_args!("{what} is a string in quotes")))
    }

    /// An expression.
    pub(super) fn expr(&self, input: ParseStream<'_>, what: &str) -> syn::Result<syn::Expr> {
        if at_end(input) {
            return Err(self.misuse(
                TokenStream::new(),
                format_args!("`{}` is missing {what}", self.word.name),
            ));
        }
        let rest = rest_of_piece(&input.fork())?;
        input
            .parse()
            .map_err(|_| self.misuse(rest, format_args!("{what} cannot be read")))
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(
        input: ParseStream<'_>,
        option: &Ident,
        choices: &[(&str, T)],
    ) -> syn::Result<T> {
        let rest = rest_of_piece(input)?;
        let written = rest.to_string();
        if let Some((_, meant)) = choices.iter().find(|(choice, _)| *choice == written) {
            return Ok(*meant);
        }
        let near = likeness::nearest(&written, choices.iter().map(|(choice, _)| *choice));
        let help = match (near, choices) {
            (Some(near), _) => format!("help: did you mean `{near}`?"),
            (None, [(only, _)]) => format!("help: write `{option} = {only}`, or leave it out"),
            (None, several) => {
                let quoted: Vec<String> = several
                    .iter()
                    .map(|(choice, _)| format!("`{choice}`"))
                    .collect();
                format!("help: it is one of {}", quoted.join(", "))
            }
        };
        let message = if rest.is_empty() {
            format!("`{option}` has no value\n{help}")
        } else {
            format!("`{option}` cannot be `{written}`\n{help}")
        };
        let place = if rest.is_empty() {
            option.to_token_stream()
        } else {
            rest
        };
        Err(syn::Error::new_spanned(place, message))
    }

    /// Reads `name =` if one of `names` comes with a value; a raw identifier or an arrow makes it a
    /// field.
    pub(super) fn option(input: ParseStream<'_>, names: &[&str]) -> Option<Ident> {
        if !input.peek2(Token![=]) || input.peek2(Token![=>]) || input.peek2(Token![==]) {
            return None;
        }
        let ahead = input.fork();
        let ident = ahead.call(Ident::parse_any).ok()?;
        if !names.iter().any(|name| ident == name) {
            return None;
        }
        input.call(Ident::parse_any).ok()?;
        input.parse::<Token![=]>().ok()?;
        Some(ident)
    }

    /// There must be nothing left.
    pub(super) fn end(&self, input: ParseStream<'_>) -> syn::Result<()> {
        if at_end(input) {
            return Ok(());
        }
        let rest = rest_of_piece(input)?;
        let Some(next) = rest.clone().into_iter().next() else {
            return Ok(());
        };
        if matches!(next, TokenTree::Ident(_) | TokenTree::Literal(_)) {
            let message = no_comma(&next);
            return Err(syn::Error::new_spanned(next, message));
        }
        if input_is_joined(&next) && self.word.name == "only_if" {
            let (whole, help) = joined(self.call.group.stream()).unwrap_or_else(|| {
                (
                    rest,
                    "write `all(…, …)` in place of `&&`, `any(…, …)` in place of `||`".to_owned(),
                )
            });
            return Err(syn::Error::new_spanned(
                whole,
                format!("conditions are joined by words\nhelp: {help}"),
            ));
        }
        Err(self.misuse(
            rest,
            format_args!("`{}` does not take this", self.word.name),
        ))
    }
}

/// The condition of an `only_if`, and what it is with words in place of one of the signs between
/// its parts; `None` where there are both.
fn joined(arguments: TokenStream) -> Option<(TokenStream, String)> {
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == ',');
    let (mut parts, mut signs) = (vec![TokenStream::new()], Vec::new());
    let whole: TokenStream = arguments
        .into_iter()
        .take_while(|token| !is_comma(token))
        .collect();
    for token in whole.clone() {
        match token {
            TokenTree::Punct(sign) if ['&', '|'].contains(&sign.as_char()) => {
                // The first half alone, because each of them is two signs.
                if sign.spacing() == Spacing::Joint {
                    parts.push(TokenStream::new());
                }
                signs.push(sign.as_char());
            }
            token => parts.last_mut()?.extend([token]),
        }
    }
    let first = *signs.first()?;
    let are_conditions = parts
        .iter()
        .all(|part| syn::parse2::<syn::ExprCall>(part.clone()).is_ok());
    if !are_conditions || signs.iter().any(|sign| *sign != first) {
        return None;
    }
    let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
    Some((
        whole,
        format!(
            "write `{}({})`",
            if first == '&' { "all" } else { "any" },
            parts.join(", ")
        ),
    ))
}

/// True for one sign that is not `=>`.
fn is_another_sign(tokens: &[TokenTree]) -> bool {
    let signs: Option<String> = tokens
        .iter()
        .map(|token| match token {
            TokenTree::Punct(sign) => Some(sign.as_char()),
            TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Literal(_) => None,
        })
        .collect();
    signs.is_some_and(|signs| [",", "->", "=", ":"].contains(&signs.as_str()))
}

/// True for the first half of `&&` or `||`.
fn input_is_joined(next: &TokenTree) -> bool {
    matches!(next, TokenTree::Punct(sign) if ['&', '|'].contains(&sign.as_char()))
}

pub(super) fn at_end(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,])
}

/// The tokens before the next comma.
pub(super) fn rest_of_piece(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut rest = TokenStream::new();
    while !at_end(input) {
        rest.extend([input.parse::<TokenTree>()?]);
    }
    Ok(rest)
}

/// `_ => …`
pub(super) fn otherwise(
    reading: Reading<'_>,
    input: ParseStream<'_>,
) -> syn::Result<(Token![_], Otherwise)> {
    let underscore = input.parse::<Token![_]>()?;
    reading.arrow(input, underscore, "`_` and what happens to other values")?;
    let word = input.fork().parse::<Ident>().ok();
    let other = match word {
        Some(word) if word == "keep" => Some(Otherwise::Keep),
        Some(word) if word == "refuse" => Some(Otherwise::Refuse),
        _ => None,
    };
    if let Some(other) = other {
        input.parse::<Ident>()?;
        return Ok((underscore, other));
    }
    let expr = reading.expr(input, "what other values become")?;
    let literal = Literal::read(&expr).map_err(|_| {
        syn::Error::new_spanned(
            &expr,
            "this is not what other values can become\nhelp: write `_ => keep`, `_ => refuse` or a literal such as `_ => null`",
        )
    })?;
    if reading.word.name == "reformat"
        && !matches!(literal.value, LiteralValue::Null | LiteralValue::String(_))
    {
        let message = "other strings cannot become this\nhelp: write `_ => keep`, `_ => refuse`, `_ => null` or a string";
        return Err(syn::Error::new_spanned(expr, message));
    }
    Ok((underscore, Otherwise::Become(literal)))
}

/// Keeps what `_` becomes.
pub(super) fn once(
    place: &mut Option<(Token![_], Otherwise)>,
    found: (Token![_], Otherwise),
) -> syn::Result<()> {
    if place.is_some() {
        return Err(syn::Error::new_spanned(
            found.0,
            "`_` is there twice\nhelp: keep one of the two",
        ));
    }
    *place = Some(found);
    Ok(())
}
