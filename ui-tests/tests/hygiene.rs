//! Generated code fits into any program: no name of the user's can come between, and no lint has anything to say.

#![no_implicit_prelude]
#![deny(
    warnings,
    missing_docs,
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    unused_qualifications
)]
#![forbid(unsafe_code)]
#![expect(
    missing_debug_implementations,
    reason = "the models here are not printed"
)]

/// Names of the standard library, taken by the user.
pub mod shadowed {
    /// Not the `Option`.
    #[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Object)]
    pub struct Option {
        /// A member.
        pub value: ::std::string::String,
    }

    /// Not the `Result`.
    #[derive(::upstate::Object)]
    pub struct Result {
        /// A member.
        pub value: ::std::option::Option<bool>,
    }

    /// Not the `String`.
    #[derive(::upstate::Object)]
    pub struct String {}

    /// Not the `Vec`.
    #[derive(::upstate::Object)]
    pub struct Vec {
        /// A member.
        pub r#type: ::std::vec::Vec<i64>,
    }

    /// Names that generated code uses itself.
    #[derive(::upstate::Resource)]
    #[resource(version = 0)]
    pub struct Attribute {
        /// The argument of `decode` and `encode`.
        pub object: Option,
        /// The other types.
        pub reader: Result,
        /// The other types.
        pub writer: String,
        /// The other types.
        pub value: Vec,
    }

    /// Neither `Some` nor `None`.
    #[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::StringEnum)]
    pub enum Maybe {
        /// Not the `Some`.
        Some,
        /// Not the `None`.
        #[deprecated]
        None,
    }

    /// A function that is in scope is no trouble.
    #[must_use]
    #[allow(non_snake_case)]
    pub fn Ok() -> bool {
        true
    }

    /// A macro neither.
    #[macro_export]
    macro_rules! compile_error {
        () => {};
    }
}

/// A thing, as version 2 stores it.
#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Resource)]
#[resource(version = 2, oldest = 0, deprecated = "use another")]
#[upgrade_from(0, model = prior::ThingV0)]
#[upgrade_from(1, model = prior::ThingV1, with = prior::upgrade_v1)]
pub struct Thing {
    /// A keyword.
    #[attribute(computed)]
    pub r#type: ::std::string::String,
    /// Use `type`.
    #[deprecated]
    #[attribute(optional, computed, sensitive, deprecated = "use `type`")]
    pub kind: ::std::option::Option<::std::string::String>,
    /// Blocks.
    #[block(min = 1, max = 2, name = "rule")]
    pub rules: ::std::vec::Vec<Rule>,
}

/// A rule.
#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Object)]
pub struct Rule {
    /// A keyword.
    #[attribute(name = "in")]
    pub r#in: u16,
}

/// Nothing at all is a shape, too.
#[derive(::upstate::Resource)]
#[resource(version = 7, oldest = 7, crate = ::upstate)]
pub struct Empty {}

mod prior {
    /// Private to this file, and nobody should use it.
    #[deprecated]
    #[derive(::upstate::Resource)]
    #[resource(version = 0)]
    pub(super) struct ThingV0 {
        pub(super) r#type: ::std::string::String,
    }

    #[derive(::upstate::Resource)]
    #[resource(version = 1, prior)]
    pub(super) struct ThingV1 {
        r#type: ::std::option::Option<::std::string::String>,
    }

    #[allow(deprecated)]
    impl ::std::convert::From<ThingV0> for super::Thing {
        fn from(prior: ThingV0) -> Self {
            Self {
                r#type: prior.r#type,
                kind: ::std::option::Option::None,
                rules: ::std::vec::Vec::new(),
            }
        }
    }

    #[allow(deprecated)]
    pub(super) fn upgrade_v1(
        prior: ThingV1,
        _context: &mut ::upstate::UpgradeContext<'_>,
    ) -> ::std::result::Result<super::Thing, &'static str> {
        let r#type = prior.r#type.ok_or("there is no type")?;
        ::std::result::Result::Ok(super::Thing {
            r#type,
            kind: ::std::option::Option::None,
            rules: ::std::vec::Vec::new(),
        })
    }
}

/// Where everything is in scope, no path that is spelt out is one too many for `unused_qualifications`.
pub mod imported {
    use ::std::prelude::rust_2024::*;
    use ::upstate::upgrade::UpgradeFrom;
    use ::upstate::{AttributeType, Diagnostics, Object, Resource, StringEnum, UpgradeContext};

    /// A thing.
    #[derive(Resource)]
    #[resource(version = 2)]
    #[upgrade_from(0, model = ThingV0)]
    #[upgrade_from(1, model = ThingV1, with = upgrade_v1)]
    pub struct Thing {
        /// Nested.
        pub rule: Option<Rule>,
    }

    /// A rule.
    #[derive(Object)]
    pub struct Rule {
        /// A member.
        #[attribute(default = "all", requires_replace)]
        pub name: Option<String>,
        /// A member.
        #[attribute(set)]
        pub zones: Vec<String>,
        /// A member.
        #[attribute(set)]
        pub tags: Option<Vec<String>>,
        /// A member.
        #[attribute(as_string)]
        pub address: ::std::net::IpAddr,
        /// A member.
        #[attribute(as_string, write_only)]
        pub gateway: Option<::std::net::IpAddr>,
        /// A member.
        #[attribute(with = port)]
        pub port: Port,
        /// A member.
        pub kind: Kind,
    }

    /// A kind.
    #[derive(StringEnum)]
    pub enum Kind {
        /// The only one.
        #[value(name = "only")]
        Only,
    }

    /// Stored in another form.
    pub struct Port(u16);

    mod port {
        use ::std::prelude::rust_2024::*;

        use super::Port;

        pub(super) fn read(stored: u64) -> Result<Port, ::std::num::TryFromIntError> {
            stored.try_into().map(Port)
        }

        pub(super) fn write(value: &Port) -> u64 {
            value.0.into()
        }
    }

    /// The traits are of use, too.
    pub const TEXTS: &[&str] = Kind::TEXTS;
    /// The traits are of use, too.
    pub const SET_ORDER: bool = Kind::SET_ORDER;

    /// A prior thing.
    #[derive(Resource)]
    #[resource(version = 0)]
    pub struct ThingV0 {}

    /// A prior thing.
    #[derive(Resource)]
    #[resource(version = 1, prior)]
    pub struct ThingV1 {}

    impl From<ThingV0> for Thing {
        fn from(_: ThingV0) -> Self {
            Self { rule: None }
        }
    }

    fn upgrade_v1(_: ThingV1, context: &mut UpgradeContext<'_>) -> Result<Thing, Diagnostics> {
        Thing::upgrade_from(ThingV0 {}, context)
    }
}

/// Makes a model: everything in it comes from a macro.
macro_rules! model {
    ($name:ident, $type_name:literal, $version:expr, $from:expr => $model:path, $with:path; $($field:ident as $stored:expr => $ty:ty),*) => {
        /// Made by a macro.
        #[derive(::upstate::Resource)]
        #[resource(version = $version, type_name = $type_name, oldest = $from)]
        #[upgrade_from($from, model = $model, with = $with)]
        pub struct $name {
            $(
                /// Made by a macro.
                #[attribute(name = $stored)]
                pub $field: $ty
            ),*
        }
    };
}

model!(Made, "made", 8, 7 => self::Empty, self::make; id as "name" => ::std::string::String, size as "size" => ::std::option::Option<u8>);

/// Makes a model whose fields and operators come from where it is used, and the derive from here.
macro_rules! model_of {
    ([$($upgrade:tt)*] $($fields:tt)*) => {
        /// Made by a macro.
        #[derive(::upstate::Resource)]
        #[resource(version = 1, type_name = "passed")]
        #[upgrade_from(0 => 1, $($upgrade)*)]
        pub struct Passed {
            $($fields)*
        }
    };
}

model_of!([convert(size: ::std::string::String, with = parsed), drop(#[attribute(with = text)] gone: u8, "why")]
    /// A size.
    pub size: u8,
    /// An amount.
    #[attribute(with = text)]
    pub amount: u8
);

fn parsed(size: ::std::string::String) -> ::std::result::Result<u8, ::std::string::String> {
    text::read(size)
}

/// Numbers as strings.
pub mod text {
    /// Reads one.
    ///
    /// # Errors
    /// If it is no number.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it reads the stored value itself"
    )]
    pub fn read(stored: ::std::string::String) -> ::std::result::Result<u8, ::std::string::String> {
        ::std::str::FromStr::from_str(&stored).map_err(|_| ::std::string::String::new())
    }

    /// Writes one.
    #[must_use]
    pub fn write(value: &u8) -> ::std::string::String {
        ::std::string::ToString::to_string(value)
    }
}

fn make(
    _: Empty,
    _: &mut ::upstate::UpgradeContext<'_>,
) -> ::std::result::Result<Made, ::std::string::String> {
    ::std::result::Result::Err(::std::string::String::new())
}

fn names<T: ::upstate::Object>() -> ::std::vec::Vec<&'static str> {
    let mut names = ::std::vec::Vec::new();
    for row in <T as ::upstate::Object>::TABLE.rows {
        names.push(row.name);
    }
    names
}

#[test]
fn generated_code_works_where_nothing_is_in_scope() {
    let thing: Thing = match ::upstate::upgrade_json(1, r#"{"type": "a"}"#) {
        ::std::result::Result::Ok(thing) => thing,
        ::std::result::Result::Err(error) => ::std::panic!("{error:?}"),
    };
    ::std::assert_eq!(thing.r#type, "a");
    ::std::assert_eq!(<Thing as ::upstate::Resource>::TYPE_NAME, "thing");
    ::std::assert_eq!(names::<Thing>(), ["kind", "rule", "type"]);
    ::std::assert_eq!(<Made as ::upstate::Resource>::VERSION, 8);
    ::std::assert_eq!(names::<Rule>(), ["in"]);
    ::std::assert!(names::<Empty>().is_empty());
}

#[test]
fn a_model_may_be_local_to_a_function() {
    #[derive(::upstate::Resource)]
    #[resource(version = 0)]
    struct Local {
        id: ::std::string::String,
    }
    let json = ::upstate::to_json(&Local {
        id: ::std::convert::Into::into("a"),
    });
    ::std::assert_eq!(
        json.ok().as_deref(),
        ::std::option::Option::Some(&br#"{"id":"a"}"#[..])
    );
}

/// Documents, among the same names.
pub mod documents {
    /// Shadows the standard library's.
    #[derive(::upstate::Document)]
    pub struct Vec<T> {
        /// A part.
        pub value: ::std::option::Option<T>,
    }

    /// Names that generated code uses itself, and some that lints look at.
    #[derive(::upstate::Document)]
    #[document(version = 1)]
    #[upgrade_from(0 => 1, rename(was => _reserved))]
    pub struct Some {
        _reserved: bool,
        /// Has the same letters.
        pub reserved: bool,
        /// The argument of `decode` and `encode`.
        pub object: Vec<::std::string::String>,
        /// A keyword.
        pub r#type: Err,
        /// Names of arguments.
        pub reader: (u8, ::std::string::String),
        /// Another one.
        #[deprecated = "use `reader`"]
        #[attribute(default = 3, skip_if = is_three)]
        pub writer: u8,
        /// What is left.
        #[deprecated]
        #[attribute(flatten)]
        pub name: ::std::collections::BTreeMap<::std::string::String, bool>,
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "conditions get references"
    )]
    fn is_three(value: &u8) -> bool {
        *value == 3
    }

    /// Variants named as those of the standard library.
    #[derive(::upstate::Union)]
    #[union(tag = "kind")]
    pub enum Err {
        /// Nothing.
        None,
        /// Names that generated code uses itself.
        Ok {
            /// An argument.
            #[deprecated(since = "1.0.0", note = "use nothing")]
            object: u8,
            /// Not used.
            _content: bool,
        },
    }

    /// A position for each.
    #[derive(::upstate::Document)]
    pub struct Option(u8, ::std::string::String);

    /// As it is.
    #[derive(::upstate::Document)]
    pub struct String(bool);

    /// In four forms.
    #[derive(::upstate::Union)]
    pub enum Result {
        /// A pair.
        Pair(u8, bool),
        /// One.
        One(String),
        /// Nothing.
        Nothing,
    }
}
