//! Functions that authors write: which, how they are called, and of which fields they make another
//! one.

use proc_macro2::{Spacing, TokenTree};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Ident, Path, Token};
use upstate_words::operators as words;

use super::read::Reader;
use super::reading::{Reading, at_end, rest_of_piece};
use super::{Argument, FieldPath, FunctionKind, Operation};
use crate::attr::value::{not_a_closure, spelt};

/// The largest number of values that a function takes.
const MOST: usize = 6;

impl Reader<'_> {
    /// A field that a function makes of others: `convert(a, b => field, with = path)`,
    /// `fill(a => field, with = path)`.
    pub(super) fn made_of_others(&mut self, reading: Reading<'_>) {
        let (mut from, mut target, mut function) = (Vec::new(), None, None);
        let mut calling = Calling::default();
        let mut failed = false;
        self.pieces(reading, |_, input| {
            let mut read = || {
                if let Some(option) = Reading::option(input, &["with"]) {
                    let path = function_of(reading, &option, input)?;
                    return once(&mut function, path, &option);
                }
                if target.is_none() && Reading::option(&input.fork(), &["back"]).is_none() {
                    from.push(reading.field(input)?);
                    if !at_end(input) {
                        reading.arrow(input, from.last(), "the prior fields and the current one")?;
                        target = Some(reading.field(input)?);
                    }
                    return Ok(());
                }
                if calling.option(reading, input)? {
                    return Ok(());
                }
                let (name, rest) = (reading.word.name, rest_of_piece(input)?);
                let [here, there] = if name == "fill" { ["", ""] } else { [" where it makes a field of others", " there"] };
                let message = format!(
                    "`{name}` has no option `{rest}`{here} [U0010]\nhelp: its options{there} are `with = path`, `async`, `context` and `back = path`"
                );
                Err(syn::Error::new_spanned(rest, message))
            };
            read().inspect_err(|_| failed = true)
        });
        if failed {
            return;
        }
        match made(reading, from, target, function) {
            Ok(Made { from, target, path }) => match <[FieldPath; 1]>::try_from(from) {
                Ok([from]) => {
                    self.stage(
                        reading,
                        target.clone(),
                        Operation::new(&words::copy::COPY, [Argument::Prior(from)]),
                    );
                    self.stage(reading, target, calling.of_one(path));
                }
                Err(from) => self.stage(reading, target, calling.of_several(from, path)),
            },
            Err(mistake) => self.mistake(mistake),
        }
    }
}

/// A field, of which it is made, and by which function.
struct Made {
    from: Vec<FieldPath>,
    target: FieldPath,
    path: Path,
}

fn made(
    reading: Reading<'_>,
    from: Vec<FieldPath>,
    target: Option<FieldPath>,
    function: Option<Path>,
) -> syn::Result<Made> {
    let (name, of) = (reading.word.name, listed(&from));
    let Some(target) = target else {
        let itself = if let [only] = from.as_slice() {
            let only = only.spelt();
            format!(", or `convert({only}, with = path)` if `{only}` itself changes")
        } else {
            String::new()
        };
        let message = format!(
            "`{name}` does not say which field it fills\nhelp: write `{name}({of} => field, with = path)`{itself}"
        );
        return Err(syn::Error::new_spanned(from.last(), message));
    };
    let to = target.spelt();
    if reading.place.each {
        let message = format!(
            "a function of other fields makes one value, not elements\nhelp: write `{name}(…)` next to `each(…)`"
        );
        return Err(syn::Error::new_spanned(target, message));
    }
    if let [only] = from.as_slice() {
        if only.is_same(&target) {
            let path = function.as_ref().map_or_else(|| "path".to_owned(), spelt);
            let message = format!(
                "`{of}` is filled from itself\nhelp: write `convert({}, with = {path})`",
                only.typed()
            );
            return Err(syn::Error::new_spanned(target, message));
        }
        if name == "convert" {
            let message = format!(
                "`convert` with an arrow makes a field of several\nhelp: write `rename({of} => {to}), convert({to}, with = path)`, or `fill({of} => {to}, with = path)` if `{of}` stays"
            );
            return Err(syn::Error::new_spanned(only, message));
        }
    }
    if let Some(more) = from.get(MOST) {
        let message = format!(
            "a function takes {MOST} fields at most\nhelp: upgrade the whole struct with a function"
        );
        return Err(syn::Error::new_spanned(more, message));
    }
    if let Some(twice) = from.iter().enumerate().find_map(|(nth, field)| {
        let before = from.get(..nth)?;
        before
            .iter()
            .any(|other| other.is_same(field))
            .then_some(field)
    }) {
        let message = format!(
            "`{}` is there twice\nhelp: keep one of the two; the function may use a value twice",
            twice.spelt()
        );
        return Err(syn::Error::new_spanned(twice, message));
    }
    let Some(path) = function else {
        let otherwise = match from.as_slice() {
            [_] => format!(", or `copy({of} => {to})` for the value of `{of}`"),
            _ => String::new(),
        };
        let awaits = if name == "fill" { ", async" } else { "" };
        let message = format!(
            "`{name}` does not say which function makes `{to}`\nhelp: write `{name}({of} => {to}, with = path{awaits})`{otherwise}"
        );
        return Err(syn::Error::new_spanned(target, message));
    };
    Ok(Made { from, target, path })
}

fn listed(fields: &[FieldPath]) -> String {
    fields
        .iter()
        .map(FieldPath::spelt)
        .collect::<Vec<_>>()
        .join(", ")
}

/// True if an arrow is directly in an operator's parentheses.
pub(super) fn has_arrow(reading: Reading<'_>) -> bool {
    let mut is_open = false;
    reading.call.group.stream().into_iter().any(|token| {
        let TokenTree::Punct(punct) = token else {
            is_open = false;
            return false;
        };
        let is_arrow = is_open && punct.as_char() == '>';
        is_open = punct.as_char() == '=' && punct.spacing() == Spacing::Joint;
        is_arrow
    })
}

/// The options of a call of a function.
#[derive(Default)]
pub(super) struct Calling {
    context: Option<Ident>,
    awaits: Option<Token![async]>,
    back: Option<(Ident, Path)>,
}

impl Calling {
    /// Reads an option about it, if it is one.
    pub(super) fn option(
        &mut self,
        reading: Reading<'_>,
        input: ParseStream<'_>,
    ) -> syn::Result<bool> {
        if input.peek(Token![async]) {
            let awaits = input.parse()?;
            once(&mut self.awaits, awaits, awaits)?;
            return Ok(true);
        }
        if input.peek(Ident)
            && !input.peek2(Token![=])
            && input.fork().parse::<Ident>()? == "context"
        {
            let context: Ident = input.parse()?;
            once(&mut self.context, context.clone(), context)?;
            return Ok(true);
        }
        let Some(option) = Reading::option(input, &["back"]) else {
            return Ok(false);
        };
        let path = function_of(reading, &option, input)?;
        once(&mut self.back, (option.clone(), path), option)?;
        Ok(true)
    }

    /// The operator that calls it with the value on its way.
    pub(super) fn of_one(self, path: Path) -> Operation {
        Operation::new(&words::convert::FUNCTION, [self.function(path)])
    }

    /// The operator that calls it with the values of these fields.
    fn of_several(self, from: Vec<FieldPath>, path: Path) -> Operation {
        Operation::new(
            &words::convert::COMBINE,
            [Argument::Priors(from), self.function(path)],
        )
    }

    fn function(self, path: Path) -> Argument {
        let kind = match (&self.awaits, &self.context) {
            (Some(_), _) => FunctionKind::Async,
            (None, Some(_)) => FunctionKind::Context,
            (None, None) => FunctionKind::Plain,
        };
        Argument::Function {
            path,
            kind,
            back: self.back.map(|(_, path)| path),
        }
    }

    /// The mistake of options where no function is called, with the field that it would be called
    /// for.
    pub(super) fn without_function(self, targets: &[FieldPath]) -> Option<syn::Error> {
        let field = match targets {
            [only] => only.typed(),
            [] | [_, ..] => "field".to_owned(),
        };
        if let Some(context) = self.context {
            let message = format!(
                "`context` is for a function\nhelp: write `convert({field}, with = path, context)`, where `path` is `fn(A, &UpgradeContext<'_>) -> Result<B, E>`"
            );
            return Some(syn::Error::new_spanned(context, message));
        }
        if let Some(awaits) = self.awaits {
            let message = format!(
                "`async` is for a function\nhelp: write `convert({field}, with = path, async)`, where `path` is `async fn(A, &UpgradeContext<'_>) -> Result<B, E>`"
            );
            return Some(syn::Error::new_spanned(awaits, message));
        }
        let (option, back) = self.back?;
        let message = format!(
            "`back` is for a function; the other conversions have a known inverse\nhelp: remove it, or write `convert({field}, with = path, back = {})`",
            spelt(&back)
        );
        Some(syn::Error::new_spanned(option, message))
    }
}

/// Keeps what an option says.
fn once<T>(place: &mut Option<T>, value: T, option: impl ToTokens) -> syn::Result<()> {
    if place.replace(value).is_some() {
        let name = option.to_token_stream();
        return Err(syn::Error::new_spanned(
            option,
            format_args!("`{name}` is there twice\nhelp: keep one of the two"),
        ));
    }
    Ok(())
}

/// The path of a function behind `with =` or `back =`.
pub(super) fn function_of(
    reading: Reading<'_>,
    option: &Ident,
    input: ParseStream<'_>,
) -> syn::Result<Path> {
    let rest = rest_of_piece(&input.fork())?;
    let first = rest.clone().into_iter().next();
    let is_closure = matches!(&first, Some(TokenTree::Punct(sign)) if sign.as_char() == '|');
    if is_closure {
        let message = not_a_closure(&option.to_string());
        return Err(syn::Error::new_spanned(rest, message));
    }
    let place = if rest.is_empty() {
        reading.call.word.to_token_stream()
    } else {
        rest
    };
    let path = input.parse::<Path>().ok().filter(|_| at_end(input));
    path.ok_or_else(|| {
        let field = reading.field_or_any();
        let help = if option == "back" {
            format!("write `convert({field}, with = path, back = path)`, where the second is `fn(B) -> Result<A, E>`")
        } else {
            format!("write `convert({field}, with = path)`, where `path` is `fn(A) -> Result<B, E>`")
        };
        syn::Error::new_spanned(place, format_args!("`{option}` takes the path of a function\nhelp: {help}"))
    })
}
