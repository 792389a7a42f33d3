//! The options of each attribute, as darling fills them in.

#![expect(clippy::unreachable, reason = "in the code that darling derives")]

use darling::FromMeta;
use syn::{Expr, LitStr};

use super::checks::{Checks, Length, Range, Values};
use super::facts::{Allow, Behaviour, Deprecated, Fields, Texts, Word};
use super::since::Since;
use super::upgraders::When;
use super::value::{Count, CratePath, Derives, Flag, Given, ItemPath, StructName, Version};

/// Names for messages what darling reads, so that neither has an option that the other lacks.
pub(super) trait OptionNames {
    /// In the order in which messages list them.
    const NAMES: &'static [&'static str];
    /// For each name, true if it may be given more than once.
    const REPEATED: &'static [bool];
}

// Token by token, because darling's names are those of the place that the type's tokens are from.
macro_rules! options {
    (@name (rename = $name:literal) $field:ident) => {
        $name
    };
    (@name $((multiple))? $field:ident) => {
        stringify!($field)
    };
    (@repeated (multiple)) => {
        true
    };
    (@repeated $($attribute:tt)?) => {
        false
    };
    ($(
        $(#[$outer:meta])*
        $visibility:vis struct $options:ident {
            $(
                $(#[darling $attribute:tt])?
                $access:vis $field:ident: $holder:tt $less:tt $given:tt $less_inside:tt $value:tt $ends:tt,
            )*
        }
    )*) => {$(
        $(#[$outer])*
        $visibility struct $options {
            $(
                $(#[darling $attribute])?
                $access $field: $holder $less $given $less_inside $value $ends,
            )*
        }

        impl OptionNames for $options {
            const NAMES: &'static [&'static str] =
                &[$(options!(@name $($attribute)? $field)),*];
            const REPEATED: &'static [bool] = &[$(options!(@repeated $($attribute)?)),*];
        }
    )*};
}

options! {
    /// `#[resource(…)]`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(crate) struct ResourceOptions {
        pub(crate) version: Option<Given<Version>>,
        pub(crate) prior: Option<Given<Flag>>,
        pub(crate) stateless: Option<Given<Flag>>,
        pub(crate) type_name: Option<Given<LitStr>>,
        pub(crate) oldest: Option<Given<Version>>,
        pub(crate) migrate_state: Option<Given<ItemPath>>,
        pub(crate) since: Option<Given<Since>>,
        pub(crate) identity: Option<Given<ItemPath>>,
        pub(crate) plan: Option<Given<Flag>>,
        pub(crate) paths: Option<Given<Flag>>,
        pub(crate) deprecated: Option<Given<Deprecated>>,
        #[darling(multiple)]
        pub(crate) conflicts_with: Vec<Given<Fields>>,
        #[darling(multiple)]
        pub(crate) exactly_one_of: Vec<Given<Fields>>,
        #[darling(multiple)]
        pub(crate) at_least_one_of: Vec<Given<Fields>>,
        #[darling(multiple)]
        pub(crate) required_with: Vec<Given<Fields>>,
        #[darling(multiple)]
        pub(crate) at_least_sum_of: Vec<Given<Fields>>,
        #[darling(multiple)]
        pub(crate) at_most_sum_of: Vec<Given<Fields>>,
        #[darling(multiple)]
        pub(crate) equal_to_sum_of: Vec<Given<Fields>>,
        pub(crate) id_format: Option<Given<LitStr>>,
        #[darling(multiple)]
        pub(crate) import_format: Vec<Given<LitStr>>,
        pub(crate) read: Option<Given<Word>>,
        pub(crate) tier: Option<Given<Word>>,
        pub(crate) destroy: Option<Given<LitStr>>,
        #[darling(multiple)]
        pub(crate) behaviour: Vec<Given<Behaviour>>,
        #[darling(multiple)]
        pub(crate) allow: Vec<Given<Allow>>,
        #[darling(rename = "crate")]
        pub(crate) crate_path: Option<Given<CratePath>>,
    }

    /// `#[document(…)]`; from `rename_all` to `transparent`, they are read with serde's words.
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(crate) struct DocumentOptions {
        pub(crate) version: Option<Given<Version>>,
        pub(crate) prior: Option<Given<Flag>>,
        pub(crate) type_name: Option<Given<LitStr>>,
        pub(crate) oldest: Option<Given<Version>>,
        pub(crate) since: Option<Given<Since>>,
        pub(crate) deprecated: Option<Given<Deprecated>>,
        rename_all: Option<Given<LitStr>>,
        deny_unknown_fields: Option<Given<Flag>>,
        default: Option<Given<Expr>>,
        lenient: Option<Given<Flag>>,
        transparent: Option<Given<Flag>>,
        #[darling(rename = "crate")]
        pub(crate) crate_path: Option<Given<CratePath>>,
    }

    /// `#[object(…)]`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(crate) struct ObjectOptions {
        pub(crate) plan: Option<Given<Flag>>,
        pub(crate) paths: Option<Given<Flag>>,
        #[darling(rename = "crate")]
        pub(crate) crate_path: Option<Given<CratePath>>,
    }

    /// `#[attribute(…)]`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(crate) struct AttributeOptions {
        pub(crate) required: Option<Given<Flag>>,
        pub(crate) optional: Option<Given<Flag>>,
        pub(crate) computed: Option<Given<Flag>>,
        pub(crate) sensitive: Option<Given<Flag>>,
        pub(crate) write_only: Option<Given<Flag>>,
        pub(crate) requires_replace: Option<Given<Flag>>,
        pub(crate) requires_replace_if: Option<Given<ItemPath>>,
        pub(crate) name: Option<Given<LitStr>>,
        pub(crate) renamed_from: Option<Given<Texts>>,
        pub(crate) deprecated: Option<Given<Deprecated>>,
        pub(crate) default: Option<Given<Expr>>,
        pub(crate) api_default: Option<Given<Expr>>,
        pub(crate) format: Option<Given<LitStr>>,
        pub(crate) accepts: Option<Given<Texts>>,
        pub(crate) length: Option<Given<Length>>,
        pub(crate) bytes: Option<Given<Length>>,
        pub(crate) range: Option<Given<Range>>,
        pub(crate) pattern: Option<Given<LitStr>>,
        pub(crate) pattern_message: Option<Given<LitStr>>,
        pub(crate) one_of: Option<Given<Values>>,
        pub(crate) none_of: Option<Given<Values>>,
        pub(crate) each: Option<Given<Checks>>,
        pub(crate) keys: Option<Given<Checks>>,
        pub(crate) validate: Option<Given<ItemPath>>,
        pub(crate) set: Option<Given<Flag>>,
        pub(crate) as_string: Option<Given<Flag>>,
        pub(crate) with: Option<Given<ItemPath>>,
        pub(crate) plan: Option<Given<Flag>>,
        pub(crate) paths: Option<Given<Flag>>,
        #[darling(multiple)]
        pub(crate) allow: Vec<Given<Allow>>,
    }

    /// `each(…)` and `keys(…)`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(crate) struct CheckOptions {
        pub(crate) length: Option<Given<Length>>,
        pub(crate) bytes: Option<Given<Length>>,
        pub(crate) range: Option<Given<Range>>,
        pub(crate) pattern: Option<Given<LitStr>>,
        pub(crate) pattern_message: Option<Given<LitStr>>,
        pub(crate) one_of: Option<Given<Values>>,
        pub(crate) none_of: Option<Given<Values>>,
        pub(crate) validate: Option<Given<ItemPath>>,
    }

    /// `#[block(…)]`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(crate) struct BlockOptions {
        pub(crate) min: Option<Given<Count>>,
        pub(crate) max: Option<Given<Count>>,
        pub(crate) each: Option<Given<Checks>>,
        pub(crate) keys: Option<Given<Checks>>,
        pub(crate) validate: Option<Given<ItemPath>>,
        pub(crate) set: Option<Given<Flag>>,
        pub(crate) plan: Option<Given<Flag>>,
        pub(crate) paths: Option<Given<Flag>>,
        pub(crate) name: Option<Given<LitStr>>,
        pub(crate) renamed_from: Option<Given<Texts>>,
        pub(crate) deprecated: Option<Given<Deprecated>>,
        #[darling(multiple)]
        pub(crate) allow: Vec<Given<Allow>>,
    }

    /// `deprecated(…)`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(super) struct DeprecatedOptions {
        pub(super) message: Option<Given<LitStr>>,
        pub(super) replaced_by: Option<Given<Texts>>,
        pub(super) no_replacement: Option<Given<LitStr>>,
        pub(super) since: Option<Given<LitStr>>,
        pub(super) remove_in: Option<Given<LitStr>>,
    }

    /// `behaviour(…)`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(super) struct BehaviourOptions {
        pub(super) since: Option<Given<LitStr>>,
        pub(super) flag: Option<Given<Word>>,
    }

    /// `allow(…)`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(super) struct AllowOptions {
        pub(super) reason: Option<Given<LitStr>>,
        pub(super) until: Option<Given<LitStr>>,
        pub(super) path: Option<Given<LitStr>>,
    }

    /// The options of `#[upgrade_from(…)]` that have a key.
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(super) struct UpgradeFromOptions {
        pub(super) model: Option<Given<ItemPath>>,
        pub(super) carry: Option<Given<Flag>>,
        pub(super) with: Option<Given<ItemPath>>,
        #[darling(rename = "async")]
        pub(super) is_async: Option<Given<Flag>>,
        pub(super) raw: Option<Given<ItemPath>>,
        pub(super) unsupported: Option<Given<LitStr>>,
        pub(super) never_released: Option<Given<Flag>>,
        pub(super) when: Option<Given<When>>,
        #[darling(rename = "as")]
        pub(super) as_struct: Option<Given<StructName>>,
        pub(super) derive: Option<Given<Derives>>,
        pub(super) to: Option<Given<StructName>>,
        pub(super) downgrade: Option<Given<ItemPath>>,
        pub(super) reason: Option<Given<LitStr>>,
    }

    /// `#[move_from(…)]`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(super) struct MoveFromOptions {
        pub(super) type_name: Option<Given<LitStr>>,
        pub(super) provider: Option<Given<LitStr>>,
        pub(super) model: Option<Given<ItemPath>>,
        pub(super) carry: Option<Given<Flag>>,
        pub(super) with: Option<Given<ItemPath>>,
        #[darling(rename = "async")]
        pub(super) is_async: Option<Given<Flag>>,
        pub(super) when: Option<Given<When>>,
    }

    /// `#[string_enum(…)]`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(crate) struct StringEnumOptions {
        #[darling(rename = "crate")]
        pub(crate) crate_path: Option<Given<CratePath>>,
    }

    /// `#[value(…)]`
    #[derive(Debug, Default, FromMeta)]
    #[darling(default)]
    pub(crate) struct ValueOptions {
        pub(crate) name: Option<Given<LitStr>>,
    }
}

impl UpgradeFromOptions {
    /// True if `carry` is alone, or with what says which shape is meant.
    pub(super) const fn is_only_carry(&self) -> bool {
        let (no_other_way, _) = self.lacks();
        self.carry.is_some() && no_other_way
    }

    /// True if nothing is given.
    pub(super) const fn is_empty(&self) -> bool {
        let (no_other_way, nothing_else) = self.lacks();
        self.carry.is_none() && no_other_way && nothing_else
    }

    /// Beside `carry`: true if nothing says how, and true if nothing else is given.
    const fn lacks(&self) -> (bool, bool) {
        let Self {
            model,
            carry: _,
            with,
            is_async,
            raw,
            unsupported,
            never_released,
            when,
            as_struct,
            derive,
            to,
            downgrade,
            reason,
        } = self;
        let no_other_way = model.is_none()
            && with.is_none()
            && is_async.is_none()
            && raw.is_none()
            && unsupported.is_none()
            && never_released.is_none()
            && as_struct.is_none();
        let nothing_else = when.is_none()
            && derive.is_none()
            && to.is_none()
            && downgrade.is_none()
            && reason.is_none();
        (no_other_way, nothing_else)
    }
}
