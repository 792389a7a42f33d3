//! Values to the right of an option's `=`.

use std::fmt;

use darling::FromMeta;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    Expr, ExprLit, ExprUnary, Lit, LitBool, LitInt, LitStr, Meta, MetaList, MetaNameValue, Path,
    Token, UnOp,
};

use crate::errors::Errors;

/// An option that was given, with its key and what came of its value.
///
/// Reading never fails: darling keeps one span of an error and only the first of several, so the
/// error waits here until the caller that takes the value can record it whole.
#[derive(Debug)]
pub(crate) struct Given<T> {
    pub(crate) key: Path,
    pub(crate) value: syn::Result<T>,
}

impl<T: Value> FromMeta for Given<T> {
    fn from_meta(item: &Meta) -> darling::Result<Self> {
        let right = match item {
            Meta::Path(_) => Right::Nothing,
            Meta::List(list) => Right::Tokens(list.to_token_stream()),
            Meta::NameValue(MetaNameValue {
                value: Expr::Verbatim(tokens),
                ..
            }) => Right::Tokens(tokens.clone()),
            Meta::NameValue(pair) => Right::Expr(&pair.value),
        };
        Ok(Self {
            key: item.path().clone(),
            value: T::read(item.path(), right),
        })
    }
}

/// The value of an option that is given; a mistake in it is recorded.
pub(crate) fn value_of<T>(given: Option<Given<T>>, errors: &mut Errors) -> Option<T> {
    errors.take(given?.value)
}

/// The keys of those of some options that are given.
macro_rules! keys {
    ($options:ident: $($option:ident)+) => {
        [$($options.$option.as_ref().map(|given| &given.key)),+].into_iter().flatten()
    };
}
pub(crate) use keys;

/// The right-hand side of an option.
#[derive(Debug)]
pub(crate) enum Right<'a> {
    /// `key`
    Nothing,
    /// `key = expression`
    Expr(&'a Expr),
    /// `key(…)`, or `key =` and nothing, or something that is not an expression
    Tokens(TokenStream),
}

impl ToTokens for Right<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Nothing => {}
            Self::Expr(expr) => expr.to_tokens(tokens),
            Self::Tokens(other) => other.to_tokens(tokens),
        }
    }
}

/// A value that an option takes.
pub(crate) trait Value: Sized {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self>;
}

/// The expression that an option has; otherwise the error that it takes this, and has none or
/// something else.
pub(super) fn expression<'e>(
    key: &Path,
    right: &'e Right<'_>,
    takes: &str,
    help: &str,
) -> syn::Result<&'e Expr> {
    let word = spelt(key);
    match right {
        Right::Expr(expr) => Ok(expr),
        Right::Nothing => Err(error(key, format_args!("`{word}` has no value\n{help}"))),
        Right::Tokens(tokens) => Err(error(
            right,
            match in_parentheses(tokens) {
                Some(value) => {
                    format!("`{word}` takes its value behind `=`\nhelp: write `{word} = {value}`")
                }
                None => format!("`{word}` takes {takes}\n{help}"),
            },
        )),
    }
}

/// The value in `key(value)`, as it is written, if it is on one line.
fn in_parentheses(tokens: &TokenStream) -> Option<String> {
    let list: MetaList = syn::parse2(tokens.clone()).ok()?;
    let value = spelt_value(&list.parse_args::<Expr>().ok()?);
    Some(value).filter(|value| !value.contains('\n'))
}

/// A word that is alone.
#[derive(Debug)]
pub(crate) struct Flag;

impl Value for Flag {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        match right {
            Right::Nothing => Ok(Self),
            right => {
                let word = spelt(key);
                let is_off = matches!(
                    right,
                    Right::Expr(Expr::Lit(ExprLit {
                        lit: Lit::Bool(LitBool { value: false, .. }),
                        ..
                    }))
                );
                let message = if is_off {
                    format!(
                        "`{word}` takes no value\nhelp: remove `{word}`, which is off without the word"
                    )
                } else {
                    format!("`{word}` takes no value\nhelp: write just `{word}`")
                };
                Err(error(right, message))
            }
        }
    }
}

impl Value for LitStr {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        let help = format!("help: write `{word} = \"…\"`");
        let expr = expression(key, &right, "a string literal", &help)?;
        match ungrouped(expr) {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Ok(text.clone()),
            Expr::Path(path) if is_constant(&path.path) => Err(error(
                expr,
                format_args!(
                    "`{word}` takes a string literal, not a constant\nhelp: write the text itself: `{word} = \"…\"`\n{WHILE_THE_MACRO_RUNS}"
                ),
            )),
            Expr::Path(path) => Err(error(
                expr,
                format_args!(
                    "`{word}` takes a string literal, not a path\nhelp: write `{word} = \"{}\"`",
                    spelt(&path.path)
                ),
            )),
            other => Err(error(
                other,
                format_args!(
                    "`{word}` takes a string literal, not {}\n{help}",
                    described(other)
                ),
            )),
        }
    }
}

/// A schema version.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    pub(crate) number: u64,
    pub(crate) literal: LitInt,
    /// True if the author wrote it.
    pub(crate) is_written: bool,
}

impl Version {
    /// Terraform keeps schema versions as signed 64-bit integers.
    const MAX: u64 = i64::MAX.unsigned_abs();

    /// The first argument of `#[upgrade_from]`.
    pub(crate) fn read_positional(expr: &Expr) -> syn::Result<Self> {
        Self::of(expr, &"a prior version", str::to_owned)
    }

    /// The version behind the arrow.
    pub(crate) fn read_target(expr: &Expr) -> syn::Result<Self> {
        Self::of(expr, &"the version behind an arrow", str::to_owned)
    }

    /// Two versions that are strings, with a sign between them: one mistake.
    pub(crate) fn refuse_strings(from: &Expr, sign: &str, to: &Expr) -> syn::Result<()> {
        let (
            Expr::Lit(ExprLit {
                lit: Lit::Str(first),
                ..
            }),
            Expr::Lit(ExprLit {
                lit: Lit::Str(last),
                ..
            }),
        ) = (from, to)
        else {
            return Ok(());
        };
        let (first_number, last_number) =
            (number_in(first).unwrap_or(0), number_in(last).unwrap_or(1));
        Err(error(
            quote!(#first #last),
            format_args!(
                "versions are bare integers, not strings\nhelp: write `{first_number}{sign}{last_number}`"
            ),
        ))
    }

    pub(super) fn of(
        expr: &Expr,
        what: &dyn fmt::Display,
        write: impl Fn(&str) -> String,
    ) -> syn::Result<Self> {
        let (number, literal) = whole_number(expr, what, write)?;
        if number > Self::MAX {
            return Err(error(
                literal,
                format_args!(
                    "{what} is at most {}\nhelp: count versions from 0, one for each shape that was stored\nnote: Terraform keeps it as a signed 64-bit integer",
                    Self::MAX
                ),
            ));
        }
        Ok(Self {
            number,
            literal,
            is_written: true,
        })
    }

    /// The version of a model that says none, with the place of its name.
    pub(crate) fn unsaid(ident: &Ident) -> Self {
        Self {
            number: 0,
            literal: LitInt::new("0", ident.span()),
            is_written: false,
        }
    }
}

impl Value for Version {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        Self::of(
            &number_expr(key, right)?,
            &format_args!("`{word}`"),
            |number| format!("{word} = {number}"),
        )
    }
}

/// A count.
#[derive(Debug, Clone)]
pub(crate) struct Count {
    pub(crate) number: u64,
    pub(crate) literal: LitInt,
}

impl Value for Count {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        let (number, literal) = whole_number(
            &number_expr(key, right)?,
            &format_args!("`{word}`"),
            |number| format!("{word} = {number}"),
        )?;
        Ok(Self { number, literal })
    }
}

fn number_expr(key: &Path, right: Right<'_>) -> syn::Result<Expr> {
    let word = spelt(key);
    match right {
        Right::Expr(expr) => Ok(expr.clone()),
        Right::Nothing => Err(error(
            key,
            format_args!("`{word}` has no value\nhelp: write a number: `{word} = 1`"),
        )),
        Right::Tokens(ref tokens) => {
            // The author's own number, which cannot be checked here.
            let written = syn::parse2::<MetaList>(tokens.clone())
                .map_or_else(|_| tokens.clone(), |list| list.tokens);
            let help = syn::parse2::<LitInt>(written).map_or_else(
                |_| format!("write a number: `{word} = 1`"),
                |number| format!("write `{word} = {number}`"),
            );
            Err(error(
                right,
                format_args!("`{word}` takes a number\nhelp: {help}"),
            ))
        }
    }
}

/// The version that a string holds, also behind a `v`.
fn number_in(text: &LitStr) -> Option<u64> {
    text.value()
        .trim()
        .trim_start_matches(['v', 'V'])
        .parse()
        .ok()
}

const WHILE_THE_MACRO_RUNS: &str =
    "note: it is needed while the macro runs, before constants have values";

/// True for a path to a constant, by its letters.
pub(super) fn is_constant(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        name.contains(char::is_uppercase) && !name.contains(char::is_lowercase)
    })
}

/// Reads an integer literal. `what` is the subject of a message, `write` the code to type for a
/// number.
fn whole_number(
    expr: &Expr,
    what: &dyn fmt::Display,
    write: impl Fn(&str) -> String,
) -> syn::Result<(u64, LitInt)> {
    let plain = |number: &str| format!("help: write `{}`", write(number));
    match ungrouped(expr) {
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => {
            if !literal.suffix().is_empty() {
                let digits = literal.base10_digits();
                return Err(error(
                    literal,
                    format_args!("{what} takes no type suffix\n{}", plain(digits)),
                ));
            }
            if let Ok(number) = literal.base10_parse() {
                Ok((number, literal.clone()))
            } else {
                let most = i64::MAX;
                Err(error(
                    literal,
                    format_args!(
                        "{what} is at most {most}\nhelp: write a smaller number\nnote: Terraform keeps it as a signed 64-bit integer"
                    ),
                ))
            }
        }
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => {
            let number = number_in(text).unwrap_or(1).to_string();
            Err(error(
                text,
                format_args!("{what} is a bare integer, not a string\n{}", plain(&number)),
            ))
        }
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr: inner,
            ..
        }) if matches!(**inner, Expr::Lit(_)) => Err(error(
            expr,
            format_args!("{what} cannot be negative\n{}", plain("0")),
        )),
        other @ Expr::Lit(_) => Err(error(
            other,
            format_args!(
                "{what} is a whole number, not {}\n{}",
                described(other),
                plain("1")
            ),
        )),
        other => Err(error(
            other,
            format_args!(
                "{what} must be a literal number\nhelp: write the number itself\n{WHILE_THE_MACRO_RUNS}"
            ),
        )),
    }
}

/// Any expression; only the compiler can say whether it fits.
impl Value for Expr {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let help = format!("help: write `{} = …`", spelt(key));
        expression(key, &right, "an expression", &help).cloned()
    }
}

/// The path of a type or a function.
#[derive(Debug, Clone)]
pub(crate) struct ItemPath(pub(crate) Path);

impl Value for ItemPath {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        let example = match word.as_str() {
            "with" | "raw" | "validate" => "path",
            "identity" => "ThingIdentity",
            _ => "PriorModel",
        };
        let help = format!("help: write `{word} = {example}`");
        match ungrouped(expression(key, &right, "a path", &help)?) {
            Expr::Path(path) if path.qself.is_none() => Ok(Self(path.path.clone())),
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => {
                let written = text
                    .parse::<Path>()
                    .map_or_else(|_| example.to_owned(), |path| spelt(&path));
                // A type, as other tools have it there.
                if word == "with"
                    && written.starts_with(char::is_uppercase)
                    && !written.contains("::")
                {
                    return Err(error(
                        text,
                        format_args!(
                            "`with` takes a path, not the name of a type\nhelp: make `{written}` the type of the field; a module with `read` and `write` stores it in a form of yours: `with = module`"
                        ),
                    ));
                }
                Err(error(
                    text,
                    format_args!(
                        "`{word}` takes a path, not a string\nhelp: write `{word} = {written}`"
                    ),
                ))
            }
            closure @ Expr::Closure(_) => Err(error(closure, not_a_closure(&word))),
            other => Err(error(
                other,
                format_args!("`{word}` takes a path, not {}\n{help}", described(other)),
            )),
        }
    }
}

/// The name of a struct beside the model.
#[derive(Debug, Clone)]
pub(crate) struct StructName(pub(crate) Ident);

impl Value for StructName {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        let help = format!("help: write `{word} = ThingV1`");
        match ungrouped(expression(key, &right, "a name", &help)?) {
            Expr::Path(path) if path.qself.is_none() => {
                let last = || {
                    path.path
                        .segments
                        .last()
                        .map_or_else(String::new, |last| last.ident.to_string())
                };
                let a_path = || {
                    error(
                        path,
                        format_args!(
                            "`{word}` takes a name, not a path\nhelp: write `{word} = {}`",
                            last()
                        ),
                    )
                };
                path.path.get_ident().cloned().map(Self).ok_or_else(a_path)
            }
            other => Err(error(
                other,
                format_args!("`{word}` takes a name, not {}\n{help}", described(other)),
            )),
        }
    }
}

/// `derive(Debug, Clone)`: what is derived for a struct besides.
#[derive(Debug, Clone)]
pub(crate) struct Derives(pub(crate) Vec<Path>);

impl Value for Derives {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        const HELP: &str = "help: write `derive(Debug, Clone)`";
        let group = match &right {
            Right::Tokens(tokens) => tokens.clone().into_iter().find_map(|token| match token {
                TokenTree::Group(group) => Some(group.stream()),
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
            }),
            Right::Nothing | Right::Expr(_) => None,
        };
        let Some(inside) = group else {
            return Err(error(
                key,
                format_args!("`derive` takes what to derive in parentheses\n{HELP}"),
            ));
        };
        Punctuated::<Path, Token![,]>::parse_terminated
            .parse2(inside)
            .map(|paths| Self(paths.into_iter().collect()))
            .map_err(|_| {
                error(
                    right,
                    format_args!("`derive` takes the names of derives\n{HELP}"),
                )
            })
    }
}

/// The path of the runtime crate.
#[derive(Debug, Clone)]
pub(crate) struct CratePath(pub(crate) Path);

impl Value for CratePath {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let path = match &right {
            Right::Expr(expr) => match ungrouped(expr) {
                Expr::Path(path) if path.qself.is_none() => Ok(path.path.clone()),
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) => {
                    let written = text.value();
                    let name = written.trim_start_matches(':');
                    Err(format!(
                        "`crate` takes a path, not a string\nhelp: write `crate = ::{name}`"
                    ))
                }
                other => Err(format!(
                    "`crate` takes a path, not {}\nhelp: write `crate = ::upstate`",
                    described(other)
                )),
            },
            Right::Tokens(_) => {
                Err("`crate` takes a path\nhelp: write `crate = ::upstate`".to_owned())
            }
            Right::Nothing => {
                return Err(error(
                    key,
                    "`crate` has no value\nhelp: write `crate = ::upstate`",
                ));
            }
        };
        let path = path.map_err(|message| error(right, message))?;
        let absolute = path.leading_colon.is_some()
            || path
                .segments
                .first()
                .is_some_and(|first| first.ident == "crate" || first.ident == "$crate");
        if absolute {
            return Ok(Self(path));
        }
        let written = spelt(&path);
        let help = if path
            .segments
            .first()
            .is_some_and(|first| first.ident == "self" || first.ident == "super")
        {
            "write the path from the root of its crate, such as `crate = ::upstate`".to_owned()
        } else {
            format!("write `crate = ::{written}`")
        };
        Err(error(
            &path,
            format_args!(
                "`{written}` is not an absolute path\nhelp: {help}\nnote: a relative one would mean something else in another module"
            ),
        ))
    }
}

/// `path` as its author would write it.
pub(crate) fn spelt(path: &Path) -> String {
    let mut text = String::new();
    for token in quote!(#path) {
        text.push_str(&token.to_string());
    }
    text
}

/// The word of an option.
pub(super) fn word(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.get_ident().map_or_else(
        || meta.path.to_token_stream().to_string(),
        ToString::to_string,
    )
}

/// The string that comes next, which is the value of an option.
pub(super) fn string(key: &str, input: ParseStream<'_>) -> syn::Result<LitStr> {
    if input.peek(LitStr) {
        return input.parse();
    }
    let other: Expr = input.parse()?;
    let written = match &other {
        Expr::Path(_) | Expr::Lit(_) => spelt_value(&other),
        _ => "…".to_owned(),
    };
    let kind = described(&other);
    let message = format!("`{key}` takes a string, not {kind}\nhelp: write `{key} = {written:?}`");
    Err(error(other, message))
}

/// The mistake of a closure where an option takes a function.
pub(super) fn not_a_closure(word: &str) -> String {
    format!(
        "`{word}` takes the path of a function, not a closure\nhelp: move it into a function next to the struct, and name that here: `{word} = name`"
    )
}

/// An option as it is written.
pub(super) fn spelt_option(option: &Meta) -> String {
    match option {
        Meta::Path(path) => spelt(path),
        Meta::List(list) => format!("{}({})", spelt(&list.path), list.tokens),
        Meta::NameValue(pair) => format!("{} = {}", spelt(&pair.path), spelt_value(&pair.value)),
    }
}

/// The value of an option as it is written.
pub(super) fn spelt_value(value: &Expr) -> String {
    match value {
        Expr::Path(path) => spelt(&path.path),
        value => value.to_token_stream().to_string(),
    }
}

/// The expression inside the invisible parentheses that a `macro_rules!` leaves.
pub(super) fn ungrouped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => ungrouped(&group.expr),
        expr => expr,
    }
}

/// The kind of the expression `expr`, with its article.
pub(super) fn described(expr: &Expr) -> &'static str {
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Str(_) => "a string",
            Lit::ByteStr(_) | Lit::CStr(_) => "a byte string",
            Lit::Byte(_) => "a byte",
            Lit::Char(_) => "a character",
            Lit::Int(_) => "an integer",
            Lit::Float(_) => "a float",
            Lit::Bool(_) => "a boolean",
            _ => "this literal",
        },
        Expr::Closure(_) => "a closure",
        Expr::Macro(_) => "a macro call",
        Expr::Path(_) => "a path",
        _ => "an expression",
    }
}

fn error(tokens: impl ToTokens, message: impl fmt::Display) -> syn::Error {
    syn::Error::new_spanned(tokens, message)
}
