//! The attributes, their options, and what to say about an option that does not exist.

use syn::{Expr, ExprLit, Lit, Meta, MetaNameValue};

use super::case::Case;
use super::operators;
use super::options::{
    AllowOptions, AttributeOptions, BehaviourOptions, BlockOptions, CheckOptions,
    DeprecatedOptions, DocumentOptions, MoveFromOptions, ObjectOptions, OptionNames,
    ResourceOptions, StringEnumOptions, UpgradeFromOptions, ValueOptions,
};
use super::value::{spelt, spelt_value};
use crate::likeness::{self, likeness};

/// One helper attribute.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    /// In the order in which messages list them.
    pub(crate) options: &'static [&'static str],
    /// For each option, true if it may be given more than once.
    repeated: &'static [bool],
    /// True if operators may be beside them.
    pub(super) operators: bool,
    /// True if an arrow may follow the first value.
    pub(super) arrow: bool,
    /// True if it is itself an option, with more in parentheses.
    is_option: bool,
}

const fn spec<T: OptionNames>(name: &'static str) -> Spec {
    Spec {
        name,
        options: T::NAMES,
        repeated: T::REPEATED,
        operators: false,
        arrow: false,
        is_option: false,
    }
}

/// An option that has options of its own.
const fn inner<T: OptionNames>(name: &'static str) -> Spec {
    Spec {
        is_option: true,
        ..spec::<T>(name)
    }
}

pub(crate) const RESOURCE: Spec = spec::<ResourceOptions>("resource");
pub(crate) const UPGRADE_FROM: Spec = Spec {
    operators: true,
    arrow: true,
    ..spec::<UpgradeFromOptions>("upgrade_from")
};
pub(crate) const MOVE_FROM: Spec = Spec {
    operators: true,
    ..spec::<MoveFromOptions>("move_from")
};
pub(crate) const DOCUMENT: Spec = spec::<DocumentOptions>("document");
pub(crate) const OBJECT: Spec = spec::<ObjectOptions>("object");
pub(crate) const ATTRIBUTE: Spec = spec::<AttributeOptions>("attribute");
pub(crate) const BLOCK: Spec = spec::<BlockOptions>("block");
pub(crate) const EACH: Spec = inner::<CheckOptions>("each");
pub(crate) const KEYS: Spec = inner::<CheckOptions>("keys");
pub(crate) const DEPRECATED: Spec = inner::<DeprecatedOptions>("deprecated");
pub(crate) const BEHAVIOUR: Spec = inner::<BehaviourOptions>("behaviour");
pub(crate) const ALLOW: Spec = inner::<AllowOptions>("allow");
pub(crate) const STRING_ENUM: Spec = spec::<StringEnumOptions>("string_enum");
pub(crate) const VALUE: Spec = spec::<ValueOptions>("value");

/// Those of structs, where an option may have been written in the wrong one.
pub(super) const OF_STRUCTS: [&Spec; 6] = [
    &RESOURCE,
    &UPGRADE_FROM,
    &MOVE_FROM,
    &OBJECT,
    &ATTRIBUTE,
    &BLOCK,
];

/// Names that serde, the SDK and other tools have for options of a field, and the option here.
const ELSEWHERE: [(&str, &str); 18] = [
    ("rename", "name = \"…\""),
    ("read_only", "computed"),
    ("readonly", "computed"),
    ("force_new", "requires_replace"),
    ("forces_replacement", "requires_replace"),
    ("secret", "sensitive"),
    ("alias", "renamed_from = \"…\""),
    ("min_items", "min = …"),
    ("max_items", "max = …"),
    ("forcenew", "requires_replace"),
    ("immutable", "requires_replace"),
    ("regex", "pattern = \"…\""),
    ("enum", "one_of(\"…\", \"…\")"),
    ("max_length", "length = ..=64"),
    ("min_length", "length = 1.."),
    ("custom", "validate = path"),
    ("validators", "validate = path"),
    ("default_value", "default = …"),
];

/// Words for what no option says.
const WITHOUT_OPTION: [(&str, &str); 16] = [
    (
        "description",
        "write a documentation comment above the field: `/// …`",
    ),
    (
        "doc",
        "write a documentation comment above the field: `/// …`",
    ),
    ("nullable", "make the type an `Option`"),
    ("null", "make the type an `Option`"),
    (
        "skip",
        "leave the field out of the model; only a `Document` has fields that are not stored",
    ),
    (
        "ignore",
        "leave the field out of the model; only a `Document` has fields that are not stored",
    ),
    (
        "flatten",
        "write its fields here, or make it a nested object; only a `Document` flattens",
    ),
    (
        "type",
        "leave it out; the type of the attribute is that of the field",
    ),
    ("list", "make the type a `Vec`"),
    (
        "elem",
        "leave it out; the type of the elements is that of the field",
    ),
    (
        "title",
        "write a documentation comment above the field: `/// …`",
    ),
    (
        "example",
        "write it in the documentation comment above the field: `/// …`",
    ),
    (
        "max_items",
        "write `#[block(max = …)]` above a field of nested blocks",
    ),
    (
        "min_items",
        "write `#[block(min = …)]` above a field of nested blocks",
    ),
    (
        "plan_modifiers",
        "write `requires_replace` if it is `RequiresReplace`, `requires_replace_if = path` if it has a condition",
    ),
    (
        "use_state_for_unknown",
        "leave it out, and name the attribute in the `STABLE` of its provider's resource",
    ),
];

/// The name of an option, as it is written.
fn option_of(written: &str) -> &str {
    written.split([' ', '(']).next().unwrap_or(written)
}

impl Spec {
    pub(crate) fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }

    /// True if `option` may be given more than once.
    pub(super) fn repeats(&self, option: &str) -> bool {
        self.options
            .iter()
            .zip(self.repeated)
            .any(|(name, &repeated)| repeated && *name == option)
    }

    /// Itself as a message names it.
    pub(super) fn shown(&self) -> String {
        if self.is_option {
            format!("`{}(…)`", self.name)
        } else {
            format!("`#[{}]`", self.name)
        }
    }

    /// True if `key` is a misspelling of an option or an operator.
    pub(super) fn is_near(&self, key: &str) -> bool {
        likeness::nearest(key, self.options).is_some()
            || self.operators && operators::nearest(key).is_some()
    }

    /// The message about an option in place of which there is an attribute, with the values that
    /// are written.
    pub(super) fn of_another_attribute(&self, key: &str, item: &Meta) -> Option<String> {
        let Meta::NameValue(MetaNameValue { value, .. }) = item else {
            return None;
        };
        match (key, value) {
            (
                key,
                Expr::Lit(ExprLit {
                    lit: Lit::Int(number),
                    ..
                }),
            ) if self.is_version(key) => {
                let help = format!("write `{}`", number.base10_digits());
                Some(version_with_a_key(key, &help))
            }
            (
                "renamed_from",
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }),
            ) if self.name == RESOURCE.name => {
                let name = text.value();
                let model = Case::Pascal.of_field(&name);
                Some(format!(
                    "`renamed_from` is for a field: a resource with another type name is moved\nhelp: write `#[move_from(type_name = \"{name}\", model = {model})]` below, with the model of that type"
                ))
            }
            ("state_upgraders" | "state_upgrader" | "upgraders", Expr::Array(array))
                if self.name == RESOURCE.name =>
            {
                let Expr::Path(function) = array.elems.first()? else {
                    return None;
                };
                let function = spelt(&function.path);
                Some(format!(
                    "{} has no option `{key}` [U0010]\nhelp: each upgrader is a separate attribute, below: `#[upgrade_from(0, model = ThingV0, with = {function})]`",
                    self.shown()
                ))
            }
            (
                "example" | "examples",
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }),
            ) if self.name == ATTRIBUTE.name => Some(format!(
                "{} has no option `{key}` [U0010]\nhelp: write `/// Example: {}` above the field",
                self.shown(),
                text.value()
            )),
            (
                "conflicts_with" | "exactly_one_of" | "at_least_one_of" | "required_with",
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }),
            ) if self.name == ATTRIBUTE.name => Some(format!(
                "`{key}` belongs in `#[resource(…)]`, not in `#[attribute(…)]`\nhelp: write `#[resource({key}(…, {}))]` above the struct, with this field in place of `…`",
                text.value()
            )),
            (
                "min" | "max" | "min_length" | "max_length",
                Expr::Lit(ExprLit {
                    lit: Lit::Int(number),
                    ..
                }),
            ) if self.name == ATTRIBUTE.name => {
                let limits = if key.starts_with("min") {
                    format!("{number}..")
                } else {
                    format!("..={number}")
                };
                let help = if key.ends_with("_length") {
                    format!("write `length = {limits}`")
                } else {
                    format!(
                        "for a number, `range = {limits}`; for the length of a string, list, set or map, `length = {limits}`"
                    )
                };
                Some(format!(
                    "{} has no option `{key}` [U0010]\nhelp: {help}",
                    self.shown()
                ))
            }
            (
                "alias",
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }),
            ) if self.name == VALUE.name => Some(format!(
                "{} has no option `alias` [U0010]\nhelp: remove it\nnote: an upgrader of the struct that holds the enum reads the stored value: `values(field, {} => \"…\")`",
                self.shown(),
                text.token()
            )),
            (_, Expr::Lit(ExprLit { lit, .. })) => {
                let value = spelt_value(value);
                if let Some(inner) = self.option_around(key) {
                    return Some(format!(
                        "`{key}` belongs inside of `{inner}(…)`\nhelp: write `{inner}(\"…\", {key} = {value})`"
                    ));
                }
                let (option, open) = self.meant_elsewhere(key)?.split_once(" = ")?;
                let is_open = match lit {
                    Lit::Str(_) => open == "\"…\"" || option == "default",
                    _ => open == "…",
                };
                is_open.then(|| {
                    format!(
                        "{} has no option `{key}` [U0010]\nhelp: write `{option} = {value}`",
                        self.shown()
                    )
                })
            }
            _ => None,
        }
    }

    /// True for a word that authors may write before the prior version.
    pub(super) fn is_version(&self, key: &str) -> bool {
        self.arrow && ["version", "from", "prior", "source"].contains(&key)
    }

    /// The option that takes `key` in its parentheses.
    fn option_around(&self, key: &str) -> Option<&'static str> {
        [&DEPRECATED, &ALLOW]
            .into_iter()
            .find(|inner| self.has(inner.name) && inner.has(key))
            .map(|inner| inner.name)
    }

    /// The option that other tools call `key`, as it is written here.
    fn meant_elsewhere(&self, key: &str) -> Option<&'static str> {
        ELSEWHERE
            .iter()
            .find(|(word, meant)| *word == key && self.has(option_of(meant)))
            .map(|(_, meant)| *meant)
    }

    /// The message about `key`, which is not one of the options; `foreign` is the operator that it
    /// is elsewhere, with its arguments.
    pub(super) fn unknown_option(&self, key: &str, foreign: Option<&str>) -> String {
        if self.is_version(key) {
            return version_with_a_key(key, "write the number alone, such as `0`");
        }
        let (name, shown) = (self.name, self.shown());
        if let Some(foreign) = foreign {
            return format!("{shown} has no option `{key}` [U0010]\nhelp: write `{foreign}`");
        }
        if let Some(word) =
            operators::find(key).filter(|word| self.operators && word.name != "carry")
        {
            return format!(
                "`{key}` takes its arguments in parentheses\nhelp: write `{}`",
                word.form
            );
        }
        if let Some(inner) = self.option_around(key) {
            return format!(
                "`{key}` belongs inside of `{inner}(…)`\nhelp: write `{inner}(\"…\", {key} = \"…\")`"
            );
        }
        if name == RESOURCE.name
            && ["state_upgraders", "state_upgrader", "upgraders"].contains(&key)
        {
            return format!(
                "{shown} has no option `{key}` [U0010]\nhelp: each upgrader is a separate attribute, below: `#[upgrade_from(0, model = ThingV0, with = …)]`"
            );
        }
        // `name` instead of `type_name`.
        if let Some(longer) = self
            .options
            .iter()
            .find(|option| option.split('_').any(|word| word == key))
        {
            return format!(
                "{shown} has no option `{key}` [U0010]\nhelp: did you mean `{longer}`?"
            );
        }
        if let Some(meant) = self.meant_elsewhere(key) {
            return format!("{shown} has no option `{key}` [U0010]\nhelp: write `{meant}`");
        }
        if let Some((_, help)) = WITHOUT_OPTION
            .iter()
            .find(|(word, _)| *word == key && name == ATTRIBUTE.name)
        {
            return format!("{shown} has no option `{key}` [U0010]\nhelp: {help}");
        }
        if name == VALUE.name && key == "other" {
            return format!(
                "{shown} has no option `{key}`: a string enum lists all of its strings [U0010]\nhelp: make the attribute a `String`, which holds any"
            );
        }
        if name == DOCUMENT.name && ["tag", "content", "untagged"].contains(&key) {
            return format!(
                "{shown} has no option `{key}` above a struct: it is for an enum that derives `Union` [U0010]\nhelp: remove it"
            );
        }
        if name == MOVE_FROM.name && key == "raw" {
            return "`raw` belongs in `#[upgrade_from(…)]`, not in `#[move_from(…)]`\nhelp: a move reads the other type's state by its model: write `model = OtherThing, with = path`".to_owned();
        }
        let of_structs = OF_STRUCTS.iter().any(|spec| spec.name == name);
        let elsewhere: &[&Self] = if of_structs { &OF_STRUCTS } else { &[] };
        let mut homes: Vec<&str> = elsewhere
            .iter()
            .filter(|spec| spec.has(key))
            .map(|spec| spec.name)
            .collect();
        // Most of what a move takes, an upgrader takes, too; and upgraders are what is nearly
        // always meant.
        if homes.len() > 1 {
            homes.retain(|home| *home != MOVE_FROM.name);
        }
        if of_structs && !self.operators && homes.is_empty() && operators::is_operator(key) {
            homes.push(UPGRADE_FROM.name);
        }
        // Not there on the same field, because that has blocks or an attribute.
        let help = if name == BLOCK.name && homes == [ATTRIBUTE.name] {
            "\nhelp: write it above fields of the nested struct; or make this an attribute that holds objects, without `#[block]`"
        } else if homes == [UPGRADE_FROM.name] && [RESOURCE.name, OBJECT.name].contains(&name) {
            "\nhelp: an upgrader is an attribute of its own, below this one"
        } else {
            ""
        };
        if !homes.is_empty() {
            let homes: Vec<String> = homes.iter().map(|home| format!("`#[{home}(…)]`")).collect();
            return format!(
                "`{key}` belongs in {}, not in `#[{name}(…)]`{help}",
                homes.join(" or ")
            );
        }
        let nearest = likeness::nearest(key, self.options);
        let operator =
            operators::nearest(key).filter(|word| self.operators && word.name != "carry");
        // The word of another tool is what it says, however much it looks like one of the options.
        let nearest = nearest.filter(|_| !(self.operators && operators::meant(key).is_some()));
        let help = match (nearest, operator) {
            (Some(option), word)
                if word.is_none_or(|word| likeness(key, word.name) < likeness(key, option)) =>
            {
                format!("did you mean `{option}`?")
            }
            (_, Some(word)) => format!(
                "did you mean `{}`? It is written `{}`",
                word.name, word.form
            ),
            (None, None) if self.operators => {
                format!(
                    "its options are {}; the operators are {}",
                    self.listed(),
                    operators::listed()
                )
            }
            (None, None) if self.options.len() == 1 => {
                format!("remove it; its only option is {}", self.listed())
            }
            (_, None) => format!("remove it; its options are {}", self.listed()),
        };
        format!("{shown} has no option `{key}` [U0010]\nhelp: {help}")
    }

    /// The options, for a sentence.
    pub(super) fn listed(&self) -> String {
        let quoted: Vec<String> = self
            .options
            .iter()
            .map(|option| format!("`{option}`"))
            .collect();
        quoted.join(", ")
    }
}

/// The message about a version with a key.
pub(super) fn version_with_a_key(key: &str, help: &str) -> String {
    format!("`{key}` is not an option: the prior version comes first, without a key\nhelp: {help}")
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn a_misspelt_option_gets_the_nearest_one() {
        assert_eq!(
            RESOURCE.unknown_option("versoin", None),
            "`#[resource]` has no option `versoin` [U0010]\nhelp: did you mean `version`?"
        );
        assert_eq!(
            ATTRIBUTE.unknown_option("compute", None),
            "`#[attribute]` has no option `compute` [U0010]\nhelp: did you mean `computed`?"
        );
        assert_eq!(
            RESOURCE.unknown_option("name", None),
            "`#[resource]` has no option `name` [U0010]\nhelp: did you mean `type_name`?"
        );
    }

    #[test]
    fn an_option_of_another_attribute_is_sent_there() {
        assert_eq!(
            RESOURCE.unknown_option("model", None),
            "`model` belongs in `#[upgrade_from(…)]`, not in `#[resource(…)]`\nhelp: an upgrader is an attribute of its own, below this one"
        );
        assert_eq!(
            OBJECT.unknown_option("deprecated", None),
            "`deprecated` belongs in `#[resource(…)]` or `#[attribute(…)]` or `#[block(…)]`, not in `#[object(…)]`"
        );
    }

    #[test]
    fn an_operator_is_found_from_a_misspelling_and_from_elsewhere() {
        assert_eq!(
            UPGRADE_FROM.unknown_option("renmae", None),
            "`#[upgrade_from]` has no option `renmae` [U0010]\nhelp: did you mean `rename`? It is written `rename(old => new)`"
        );
        assert_eq!(
            RESOURCE.unknown_option("rename", None),
            "`rename` belongs in `#[upgrade_from(…)]`, not in `#[resource(…)]`\nhelp: an upgrader is an attribute of its own, below this one"
        );
    }

    #[test]
    fn words_of_other_tools_are_known() {
        for (word, _) in ELSEWHERE {
            assert!(
                ATTRIBUTE
                    .unknown_option(word, None)
                    .contains("\nhelp: write `")
                    || BLOCK.unknown_option(word, None).contains("\nhelp: write `"),
                "{word}"
            );
        }
        assert_eq!(
            ATTRIBUTE.unknown_option("read_only", None),
            "`#[attribute]` has no option `read_only` [U0010]\nhelp: write `computed`"
        );
        assert_eq!(
            BLOCK.unknown_option("max_items", None),
            "`#[block]` has no option `max_items` [U0010]\nhelp: write `max = …`"
        );
    }

    #[test]
    fn words_of_other_tools_keep_their_values() {
        let cases: [(Meta, Option<&str>); 7] = [
            (parse_quote!(rename = "type"), Some("name = \"type\"")),
            (parse_quote!(default_value = 3), Some("default = 3")),
            (parse_quote!(min_length = 3), Some("length = 3..")),
            (parse_quote!(max_length = 9), Some("length = ..=9")),
            (parse_quote!(default_value = "a"), Some("default = \"a\"")),
            // The help keeps its own form, because these values cannot be written there.
            (parse_quote!(custom = "check"), None),
            (parse_quote!(regex = WORD), None),
        ];
        for (item, help) in cases {
            let key = spelt(item.path());
            let help = help.map(|help| {
                format!("`#[attribute]` has no option `{key}` [U0010]\nhelp: write `{help}`")
            });
            assert_eq!(ATTRIBUTE.of_another_attribute(&key, &item), help);
        }
        let item: Meta = parse_quote!(min_items = "1");
        assert_eq!(BLOCK.of_another_attribute("min_items", &item), None);
        let item: Meta = parse_quote!(from = 3);
        let message = UPGRADE_FROM.of_another_attribute("from", &item).unwrap();
        assert!(message.ends_with("\nhelp: write `3`"));
        let message = UPGRADE_FROM.unknown_option("from", None);
        assert!(message.ends_with("\nhelp: write the number alone, such as `0`"));
    }

    #[test]
    fn an_option_like_no_other_gets_the_list() {
        assert_eq!(
            BLOCK.unknown_option("zone", None),
            "`#[block]` has no option `zone` [U0010]\nhelp: remove it; its options are `min`, `max`, `each`, `keys`, `validate`, `set`, `plan`, `paths`, `name`, `renamed_from`, `deprecated`, `allow`"
        );
        assert!(
            UPGRADE_FROM
                .unknown_option("zone", None)
                .contains("the operators are `rename`, ")
        );
        assert_eq!(
            OBJECT.unknown_option("zone", None),
            "`#[object]` has no option `zone` [U0010]\nhelp: remove it; its options are `plan`, `paths`, `crate`"
        );
    }
}
