//! Declarative upgraders, which are data.
//!
//! Everything is read from the **prior** state, so no operator sees what another one made. A
//! current attribute has one
//! [`Production`]: where its value comes from, then what is done to it, in the order written.

use std::fmt;

use upstate_words::operators::Effect;

use super::function::{AsyncFunction, ContextFunction, Function};
use crate::codec::AttributeType;
use crate::schema::table::TypeInfo;
use crate::upgrade::context::ValueFunction;

/// The place of an attribute: its names in state, from the outside in. On the way through a list or
/// set it is the only element.
pub type Path = &'static [&'static str];

/// A declarative upgrader: how the attributes of the current schema come from those of the prior
/// one.
///
/// An attribute that is not mentioned is carried: it has the same name and a type that fits.
#[derive(Debug, Clone, Copy)]
pub struct Operators {
    /// The productions of the attributes that are not simply carried.
    pub productions: &'static [Production],
    /// The prior attributes that end here.
    pub drops: &'static [Dropped],
    /// The messages that are reported, or with which a state is refused.
    pub notices: &'static [Notice],
    /// The sensitive values that end in attributes which show them, on purpose.
    pub declassified: &'static [Declassified],
}

impl Operators {
    /// The operators of an upgrader that has none: everything is carried.
    #[doc(hidden)]
    pub const CARRY: Self = Self {
        productions: &[],
        drops: &[],
        notices: &[],
        declassified: &[],
    };
}

/// The rule by which one current attribute gets its value.
#[derive(Debug, Clone, Copy)]
pub struct Production {
    /// The current attribute.
    pub target: Path,
    /// The stages, in the order in which they are done. Before the first stage the value is that of
    /// the prior attribute at the same path, if there is one and the first stage is not a
    /// [source](Operation) that is in any case; otherwise it is null.
    pub stages: &'static [Stage],
}

/// One operator on its way to one target.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    /// The operation that is done.
    pub operation: Operation,
    /// True if the operation is done to each element of the collection instead of to the value.
    pub each: bool,
    /// On which prior states it is done; on others the value passes unchanged.
    pub only_if: Option<&'static Condition>,
}

/// An author's function.
#[derive(Debug, Clone, Copy)]
pub struct Called {
    /// The function.
    pub function: &'static dyn ValueFunction,
    /// True if it is an `async fn`.
    pub awaits: bool,
    /// The author's function for the way back, if there is one.
    pub back: Option<&'static dyn ValueFunction>,
    /// The type that it takes: a tuple if it is of several values.
    pub takes: &'static TypeInfo,
    /// The type that it makes.
    pub makes: &'static TypeInfo,
}

impl Operation {
    const fn called<A: AttributeType, B: AttributeType>(
        function: &'static dyn ValueFunction,
        awaits: bool,
        back: Option<&'static dyn ValueFunction>,
    ) -> Self {
        Self::Function(Called {
            function,
            awaits,
            back,
            takes: A::INFO,
            makes: B::INFO,
        })
    }

    /// An author's function over the value.
    #[must_use]
    pub const fn function<A: AttributeType, B: AttributeType>(
        function: &'static Function<A, B>,
    ) -> Self {
        Self::called::<A, B>(function, false, None)
    }

    /// An author's function over the value and what the upgrade knows.
    #[must_use]
    pub const fn context_function<A: AttributeType, B: AttributeType>(
        function: &'static ContextFunction<A, B>,
    ) -> Self {
        Self::called::<A, B>(function, false, None)
    }

    /// An author's function over the value, and another one for the way back.
    #[must_use]
    pub const fn function_and_back<A: AttributeType, B: AttributeType>(
        function: &'static Function<A, B>,
        back: &'static Function<B, A>,
    ) -> Self {
        Self::called::<A, B>(function, false, Some(back))
    }

    /// An author's function over the value and what the upgrade knows, and another one for the way
    /// back.
    #[must_use]
    pub const fn context_function_and_back<A: AttributeType, B: AttributeType>(
        function: &'static ContextFunction<A, B>,
        back: &'static Function<B, A>,
    ) -> Self {
        Self::called::<A, B>(function, false, Some(back))
    }

    /// An author's `async fn` over the value and what the upgrade knows.
    #[must_use]
    pub const fn async_function<A: AttributeType + 'static, B: AttributeType + 'static>(
        function: &'static AsyncFunction<A, B>,
    ) -> Self {
        Self::called::<A, B>(function, true, None)
    }

    /// An `async fn`, and a function for the way back.
    #[must_use]
    pub const fn async_function_and_back<A: AttributeType + 'static, B: AttributeType + 'static>(
        function: &'static AsyncFunction<A, B>,
        back: &'static Function<B, A>,
    ) -> Self {
        Self::called::<A, B>(function, true, Some(back))
    }

    /// This function of a tuple, called with the values of several prior attributes.
    ///
    /// # Panics
    /// The operator is not a function.
    #[must_use]
    #[expect(clippy::panic, reason = "const evaluation, of what the derive writes")]
    pub const fn of(self, from: &'static [Path]) -> Self {
        let Self::Function(function) = self else {
            panic!("only a function takes several values")
        };
        Self::Combine(from, function)
    }
}

impl Dropped {
    /// A prior attribute that ends, and why.
    #[must_use]
    pub const fn new(path: Path, reason: &'static str) -> Self {
        Self {
            path,
            reason,
            back: None,
        }
    }

    /// This drop, with the value that a downgrade puts there.
    #[must_use]
    pub const fn with_back(mut self, value: Constant) -> Self {
        self.back = Some(value);
        self
    }
}

impl Stage {
    /// An operator that is applied to the value on any prior state.
    #[must_use]
    pub const fn new(operation: Operation) -> Self {
        Self {
            operation,
            each: false,
            only_if: None,
        }
    }

    /// This stage, applied to each element.
    #[must_use]
    pub const fn each(mut self) -> Self {
        self.each = true;
        self
    }

    /// This stage, on prior states that meet the condition.
    #[must_use]
    pub const fn only_if(mut self, condition: &'static Condition) -> Self {
        self.only_if = Some(condition);
        self
    }
}

/// The choice that `rename` makes if the prior schema has an attribute at the target, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Nothing was said; then the prior schema must not have it, or use it elsewhere.
    Unsaid,
    /// The one at the target counts unless it is null.
    Keep,
    /// The renamed one counts unless it is null.
    Replace,
    /// If both have a value and they differ, the state is refused.
    Refuse,
}

macro_rules! conversion {
    ($($module:ident $variant:ident $word:literal $effect:ident;)*) => {
        /// A conversion of scalars that has a name. Null stays null.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Conversion {
            $(#[doc = concat!("`convert(…, ", $word, ")`.")] $variant,)*
        }

        impl Conversion {
            /// The word for it.
            pub(super) const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// All that is known of it whatever it works on.
            pub(super) const fn effect(self) -> &'static Effect {
                match self {
                    $(Self::$variant => &upstate_words::operators::convert::$effect,)*
                }
            }
        }
    };
}
upstate_words::conversions!(conversion);

/// The prior attribute.
pub(super) type Prior = Path;
/// Prior attributes.
pub(super) type Priors = &'static [Path];
/// Values that are looked for.
pub(super) type Matches = &'static [Match];
/// Values that another one takes the place of.
pub(super) type Replaced = Matches;
/// Old and new values.
pub(super) type Table = &'static [(Literal, Literal)];
/// Patterns of a string, with the template that it is put together by.
pub(super) type Forms = &'static [(Pattern, Template)];
/// Patterns of keys.
pub(super) type Patterns = &'static [Pattern];
/// The part of a string that is taken apart.
pub(super) type Part = &'static str;
/// The member that is the key of a map.
pub(super) type KeyMember = &'static str;
/// The member that is the whole value, unless the map's values are objects.
pub(super) type ValueMember = Option<&'static str>;
/// The member of an object whose value is taken out; others must be null.
pub(super) type TakenMember = &'static str;
/// The member of an object into which the value goes.
pub(super) type PutMember = &'static str;
/// A string.
pub(super) type Text = &'static str;
/// True if null stays null.
pub(super) type KeepsNull = bool;
/// Changes to the variants of an enum with data.
pub(super) type Variants = &'static [VariantChange];

/// One change of a variant from the prior version to the later one, by stored names.
#[derive(Debug, Clone, Copy)]
pub enum VariantChange {
    /// It has another name.
    Renamed {
        /// The name that it had.
        from: &'static str,
        /// The name that it has.
        to: &'static str,
    },
    /// It was dropped.
    Dropped {
        /// The name that it had.
        name: &'static str,
        /// Why.
        reason: &'static str,
        /// The variant that stored values become.
        becomes: &'static str,
    },
    /// The prior version did not have it.
    Added {
        /// The name that it has.
        name: &'static str,
    },
    /// A member of the object that it holds has changed.
    Member {
        /// The name that the variant has.
        variant: &'static str,
        /// The change.
        change: MemberChange,
    },
}

impl VariantChange {
    /// The later name of the variant `name`, if this is its new name.
    pub(super) fn renames(&self, name: &str) -> Option<&'static str> {
        if let Self::Renamed { from, to } = self
            && *from == name
        {
            Some(to)
        } else {
            None
        }
    }
}

/// One change of a member of what a variant holds.
#[derive(Debug, Clone, Copy)]
pub enum MemberChange {
    /// It has another name.
    Renamed {
        /// The name that it had.
        from: &'static str,
        /// The name that it has.
        to: &'static str,
    },
    /// It was dropped.
    Dropped {
        /// The name that it had.
        name: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// It is new, and has this value.
    Set {
        /// The name that it has.
        name: &'static str,
        /// The value.
        value: Literal,
    },
    /// It has this value in place of null, or of none.
    Default {
        /// The name that it has.
        name: &'static str,
        /// The value.
        value: Literal,
    },
    /// It was a scalar of another type.
    Converted {
        /// The name that it has.
        name: &'static str,
        /// The values that it had.
        from: &'static TypeInfo,
        /// The values that it has.
        to: &'static TypeInfo,
        /// The value that an empty string becomes.
        empty: EmptyText,
    },
}

macro_rules! operators {
    (
        plain { $($variant:ident($($name:ident: $kind:ident),*) $word:ident $effect:tt;)* }
        structures { $($module:ident $structure:ident($($argument:ident: $of:ident),*) $file:ident $other:tt;)* }
    ) => {
        /// The work of an operator on a value, with the arguments in its parentheses. Those that
        /// put another value in its place are sources.
        #[derive(Debug, Clone, Copy)]
        pub enum Operation {
            $(#[doc = concat!("`", stringify!($word), "`.")] $variant($($kind),*),)*
            /// An operator on collections or objects whose work is in a file of its own.
            Structure(Structure),
        }

        /// An operator on collections or objects, with what is written in its parentheses.
        #[derive(Debug, Clone, Copy)]
        pub enum Structure {
            $(#[doc = concat!("`", stringify!($file), "`.")] $structure($($of),*),)*
        }
    };
}
upstate_words::operators!(operators);

/// The value that empty text becomes when it is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyText {
    /// Nothing was said; then it must not be possible.
    Unsaid,
    /// Null.
    Null,
    /// `0` or `false`. In the other direction, `0` or `false` becomes empty text.
    Zero,
    /// The state is refused.
    Refuse,
}

/// The fate of a value that a table or pattern does not have.
#[derive(Debug, Clone, Copy)]
pub enum Otherwise {
    /// The state is refused.
    Refuse,
    /// It stays.
    Keep,
    /// It becomes this.
    Become(Literal),
}

/// The way in which `unwrap` treats more than one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Many {
    /// The state is refused.
    Refuse,
    /// The first counts; the others are named as dropped.
    First,
}

/// The result that `unwrap` makes of no element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoElement {
    /// Null.
    Null,
    /// An object whose attributes are all null.
    Object,
    /// The state is refused.
    Refuse,
}

/// A value written in the source of the program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// No value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, in decimal digits as JSON has them.
    Number(&'static str),
    /// Text.
    String(&'static str),
    /// A list, set or tuple without elements.
    EmptyList,
    /// A map or object without entries.
    EmptyMap,
}

/// The value of `set` and `default`.
#[derive(Clone, Copy)]
pub enum Constant {
    /// A literal.
    Literal(Literal),
    /// A constant expression of the target's Rust type, written as JSON.
    Written(fn(&mut crate::codec::Writer<'_>)),
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Number(digits) => f.write_str(digits),
            Self::String(text) => write!(f, "{text:?}"),
            Self::EmptyList => f.write_str("[]"),
            Self::EmptyMap => f.write_str("{}"),
        }
    }
}

impl fmt::Debug for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(literal) => fmt::Debug::fmt(literal, f),
            Self::Written(_) => f.write_str("Written"),
        }
    }
}

/// The values that a match means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Match {
    /// Just this one.
    Literal(Literal),
    /// Null, empty text, and collections without elements.
    Empty,
}

/// The pattern by which a string is taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// Its pieces, which together are the whole string.
    pub pieces: &'static [Piece],
    /// True if letters of the fixed pieces match in either case.
    pub ignore_case: bool,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        let fixed = |text: &str| text.replace('{', "{{").replace('}', "}}");
        for piece in self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(&fixed(text))?,
                Piece::Part(name) => write!(f, "{{{name}}}")?,
                Piece::Rest(name) => write!(f, "{{{name}..}}")?,
                Piece::Optional(OptionalPart {
                    name,
                    rest,
                    sign,
                    leads,
                    default,
                }) => {
                    let (sign, dots) = (fixed(sign), if *rest { ".." } else { "" });
                    let [before, behind] = if *leads { ["", &sign] } else { [&*sign, ""] };
                    write!(f, "{before}{{{name}{dots}|{default}}}{behind}")?;
                }
            }
        }
        f.write_str("\"")
    }
}

/// The way in which a string is taken apart into attributes.
#[derive(Debug, Clone, Copy)]
pub enum Apart {
    /// By the names of a pattern.
    Pattern(Pattern),
    /// As a URL: these parts of it may be there.
    Url(&'static [UrlPart]),
}

impl Apart {
    /// As a URL of which these parts may be there.
    ///
    /// # Panics
    /// The feature `url` is off.
    #[must_use]
    #[expect(clippy::panic, reason = "const evaluation, of what the derive writes")]
    pub const fn url(parts: &'static [UrlPart]) -> Self {
        if cfg!(feature = "url") {
            Self::Url(parts)
        } else {
            panic!(
                "`split(…, url(…))` needs the feature `url` of `upstate`, which is off\nhelp: add it in Cargo.toml: `upstate = {{ version = \"…\", features = [\"url\"] }}`"
            )
        }
    }
}

/// A part of a URL that an attribute takes, or that is not kept.
#[derive(Debug, Clone, Copy)]
pub struct UrlPart {
    /// `scheme`, `username`, `password`, `host`, `port`, `path`, `query` or `fragment`.
    pub name: &'static str,
    /// The part of a URL that does not have it.
    pub default: Option<Literal>,
    /// True if an attribute takes the part.
    pub kept: bool,
}

/// A piece of a [`Pattern`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// This text.
    Text(&'static str),
    /// `{name}`: at least one character, none of them `/` or a sign that the pattern has right
    /// before or behind it; as few as possible.
    Part(&'static str),
    /// `{name..}`: any characters, also none; as few as possible.
    Rest(&'static str),
    /// `{name|default}`, `{name..|default}`: a part that may be missing, and its sign with it.
    Optional(OptionalPart),
}

/// A part of a [`Pattern`] that may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionalPart {
    /// Its name.
    pub name: &'static str,
    /// True if the part is `{name..}`.
    pub rest: bool,
    /// The fixed text that is missing with it. A part of a pattern that is next to it does not hold
    /// its first character.
    pub sign: &'static str,
    /// True if the sign is behind the part, which then begins the pattern; otherwise it is before
    /// it.
    pub leads: bool,
    /// The part of a string that does not have it.
    pub default: &'static str,
}

impl OptionalPart {
    /// The part by itself.
    pub(super) const fn part(&self) -> Piece {
        if self.rest {
            Piece::Rest(self.name)
        } else {
            Piece::Part(self.name)
        }
    }

    /// Appends what a string of the pattern has for this part; nothing for the default, which a
    /// string need not have.
    pub(super) fn put(&self, out: &mut String, part: &str) {
        if part == self.default {
            return;
        }
        let [first, second] = if self.leads {
            [part, self.sign]
        } else {
            [self.sign, part]
        };
        out.push_str(first);
        out.push_str(second);
    }
}

/// The segments of which a string is put together.
pub type Template = &'static [Segment];

/// A segment of a [`Template`].
#[derive(Debug, Clone, Copy)]
pub enum Segment {
    /// This text.
    Text(&'static str),
    /// `{name}`: what the pattern found there.
    Found(&'static str, Letters),
    /// `{attribute}`: the text, number or bool of a prior attribute.
    Prior(Path, Letters),
}

/// The case of letters that are put into a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letters {
    /// As they are.
    AsIs,
    /// `{name:lower}`.
    Lower,
    /// `{name:upper}`.
    Upper,
}

/// A condition on the prior state.
#[derive(Debug, Clone, Copy)]
pub enum Condition {
    /// The attribute is not null.
    Has(Path),
    /// The attribute is null.
    Lacks(Path),
    /// The attribute matches.
    Is(Path, &'static [Match]),
    /// The attribute's text fits the pattern.
    Fits(Path, Pattern),
    /// The other way round.
    Not(&'static Condition),
    /// All of them.
    All(&'static [Condition]),
    /// One of them at least.
    Any(&'static [Condition]),
}

/// A prior attribute that has no place in the current schema.
#[derive(Debug, Clone, Copy)]
pub struct Dropped {
    /// The prior attribute.
    pub path: Path,
    /// The reason that the attribute is dropped, for the people whose state it was.
    pub reason: &'static str,
    /// The value that a downgrade puts there.
    pub back: Option<Constant>,
}

/// A current attribute that is not sensitive, although what it is made of was.
#[derive(Debug, Clone, Copy)]
pub struct Declassified {
    /// The current attribute.
    pub path: Path,
    /// The reason that showing it is right, for those who review the upgrade.
    pub reason: &'static str,
}

/// A message for the people whose state it is, on some prior states.
#[derive(Debug, Clone, Copy)]
pub struct Notice {
    /// What.
    pub text: &'static str,
    /// The prior attribute that it is about, if it is about one.
    pub at: Path,
    /// True if the state is refused, too.
    pub refuse: bool,
    /// On which prior states; `None` is on all.
    pub only_if: Option<&'static Condition>,
}
