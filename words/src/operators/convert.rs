//! `convert`.

use super::word::{Argument, Before, Choice, Effect, Kind, ReadAs, Replaces, Row, Word};

/// The same value in another type, or what a function makes of it.
pub const WORD: Word = Word {
    name: "convert",
    form: "convert(field)",
    acts: true,
    moves: true,
    rows: &[
        Row {
            forms: &["convert(x)"],
            description: "the same scalar in the field's type, an object as a map, a list as a set; `empty = null`, `empty = zero` or `empty = refuse` says what the empty string becomes",
        },
        Row {
            forms: &["convert(x, json)"],
            description: "a string of JSON, parsed into the field's type; or, if the field is a string, the value written as JSON",
        },
        Row {
            forms: &["convert(x, seconds)", "convert(x, milliseconds)"],
            description: "a duration such as `\"1h30m\"` as a number, or, if the field is a string, a number as a duration in Go's form; also `d` and `w`, for days and weeks. Each number has its unit (`\"5400\"` is refused). Also refused: fractions, and more than 64 bits of nanoseconds, as in Go: 292 years",
        },
        Row {
            forms: &["convert(x, length)"],
            description: "how many bytes a string has",
        },
        Row {
            forms: &["convert(x, trimmed)"],
            description: "a string without the white space around it",
        },
        Row {
            forms: &["convert(x, lowercase)"],
            description: "a string in small letters, each letter by itself, as Go's `strings.ToLower` does",
        },
        Row {
            forms: &["convert(x, with = path)"],
            description: "`fn(A) -> Result<B, E>`: `A` accepts every value of the prior field; if `A` is not an `Option`, null stays null and the function is not called; `B` fits the field; with `, context` it also takes `&UpgradeContext<'_>`; with `, async` it is an `async fn` of both; `back = path` is `fn(B) -> Result<A, E>` for downgrades",
        },
        Row {
            forms: &["convert(a, b => x, with = path)"],
            description: "what the `fn(A, B) -> Result<X, E>` makes of the values of two to six prior fields. If one is null whose parameter is not an `Option`, a state whose field is required is refused; of an optional one the result is null, and the other values are reported as dropped. Options as above; `back = path` is `fn(X) -> Result<(A, B), E>`",
        },
    ],
};

/// The effect without an option, or with `empty`.
pub const CONVERT: Effect = Effect {
    arguments: &[Argument::new(Kind::Choice(&EMPTY_TEXT))],
    before: Before::Written,
    rule: "`convert` makes one scalar of another, a map of an object, a set of a list",
    ..Effect::of("convert", "Convert")
};

/// The effect of `json`.
pub const JSON: Effect = Effect {
    before: Before::Written,
    rule: "`convert(…, json)` reads a string as JSON or writes a value as a string of JSON",
    ..Effect::of("convert", "Json")
};

/// The effect of `length`.
pub const LENGTH: Effect = Effect {
    before: Before::String,
    rule: "`convert(…, length)` makes a number of a string",
    ..NAMED
};

/// The effect of `lowercase`.
pub const LOWERCASE: Effect = Effect {
    before: Before::Same,
    rule: "`convert(…, lowercase)` makes a string of a string",
    ..NAMED
};

/// The effect of `seconds`.
pub const SECONDS: Effect = Effect {
    rule: "`convert(…, seconds)` makes a number of a string that holds a duration, or such a string of a number",
    ..NAMED
};

/// The effect of `milliseconds`.
pub const MILLISECONDS: Effect = Effect {
    rule: "`convert(…, milliseconds)` makes a number of a string that holds a duration, or such a string of a number",
    ..NAMED
};

/// The effect of `trimmed`.
pub const TRIMMED: Effect = Effect {
    before: Before::Same,
    rule: "`convert(…, trimmed)` makes a string of a string",
    ..NAMED
};

/// The effect of a function of the value itself.
pub const FUNCTION: Effect = Effect {
    arguments: &[Argument::new(Kind::Function)],
    before: Before::Written,
    ..Effect::of("convert", "Function")
};

/// The effect of a function of several prior fields.
pub const COMBINE: Effect = Effect {
    arguments: &[
        Argument::blamed(Kind::Priors),
        Argument::new(Kind::Function),
    ],
    replaces: Replaces::Always,
    read_as: ReadAs::Parts,
    anew: true,
    before: Before::Written,
    ..Effect::of("convert", "Combine")
};

/// The effect of a conversion that has a name, but for the rule.
pub const NAMED: Effect = Effect {
    arguments: &[Argument::new(Kind::Choice(&CONVERSION))],
    before: Before::Written,
    ..Effect::of("convert", "Named")
};

/// The result for an empty string.
pub const EMPTY_TEXT: Choice = Choice {
    ty: "EmptyText",
    unsaid: "Unsaid",
    options: &[("null", "Null"), ("zero", "Zero"), ("refuse", "Refuse")],
};

/// Calls a macro with the conversions that have a name: of each, the module of its work in the
/// runtime, its variant there, its word and its effect.
#[macro_export]
macro_rules! conversions {
    ($then:ident) => {
        $then! {
            length Length "length" LENGTH;
            lowercase Lowercase "lowercase" LOWERCASE;
            milliseconds Milliseconds "milliseconds" MILLISECONDS;
            seconds Seconds "seconds" SECONDS;
            trimmed Trimmed "trimmed" TRIMMED;
        }
    };
}

macro_rules! options {
    ($($module:ident $variant:ident $word:literal $effect:ident;)*) => {
        /// The conversions that have a name.
        pub const CONVERSION: Choice =
            Choice { ty: "Conversion", unsaid: "", options: &[$(($word, stringify!($variant))),*] };

        /// The effect of each of them, in the same order.
        pub const EFFECTS: &[&Effect] = &[$(&$effect),*];
    };
}
conversions!(options);
