//! The catalogue of rules.

mod attributes;
mod configuration;
mod documents;
mod functions;
mod kubernetes;
mod policy;
mod resources;
mod types;

pub(super) use attributes::*;
pub(super) use configuration::*;
pub(super) use documents::*;
pub(super) use functions::*;
pub(super) use kubernetes::*;
pub(super) use policy::*;
pub(super) use resources::*;
pub(super) use types::*;

use super::rule::Rule;

/// Declares rules as statics, and the list of them.
macro_rules! rules {
    ($list:ident: $($name:ident = $id:literal, $level:ident, $bump:ident, $semver:ident, [$($axis:ident)*], $title:literal, $why:literal, $fix:literal;)*) => {
        $(pub(crate) static $name: crate::rule::Rule = crate::rule::Rule {
            id: $id,
            level: crate::rule::Level::$level,
            bump: crate::rule::Bump::$bump,
            semver: crate::release::Semver::$semver,
            axes: &[$(crate::rule::Axis::$axis),*],
            waivable: upstate_words::rules::can_be_waived($id),
            title: $title,
            why: $why,
            fix: $fix,
        };)*
        pub(super) const $list: &[&crate::rule::Rule] = &[$(&$name),*];
    };
}
use rules;

/// Every rule, in the order of the catalogue.
pub static RULES: &[&Rule] = &joined();

impl Rule {
    /// The rule called `id`.
    pub fn find(id: &str) -> Option<&'static Self> {
        RULES.iter().copied().find(|rule| rule.id == id)
    }
}

const COUNT: usize = RESOURCES.len()
    + ATTRIBUTES.len()
    + TYPES.len()
    + CONFIGURATION.len()
    + FUNCTIONS.len()
    + POLICIES.len()
    + DOCUMENTS.len()
    + KUBERNETES.len();

#[expect(clippy::indexing_slicing, reason = "const evaluation")]
const fn joined() -> [&'static Rule; COUNT] {
    let lists: [&[&Rule]; 8] = [
        RESOURCES,
        ATTRIBUTES,
        TYPES,
        CONFIGURATION,
        FUNCTIONS,
        POLICIES,
        DOCUMENTS,
        KUBERNETES,
    ];
    let mut all: [&'static Rule; COUNT] = [&UNHANDLED_CHANGE; COUNT];
    let (mut list, mut next) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            all[next] = lists[list][index];
            next += 1;
            index += 1;
        }
        list += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_every_rule_has_its_reason_and_remedy() {
        let ids: BTreeSet<&str> = RULES.iter().map(|rule| rule.id()).collect();
        assert_eq!(ids.len(), RULES.len());
        for rule in RULES {
            assert!(
                rule.id()
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
                "{}",
                rule.id()
            );
            assert!(
                rule.why().ends_with('.')
                    && rule.fix().ends_with('.')
                    && !rule.title().ends_with('.'),
                "{}",
                rule.id()
            );
            assert_eq!(Rule::find(rule.id()), Some(*rule));
        }
    }

    #[test]
    fn models_may_name_each_rule_and_no_other() {
        let ids: Vec<&str> = RULES.iter().map(|rule| rule.id()).collect();
        assert_eq!(ids, upstate_words::rules::NAMES);
    }
}
