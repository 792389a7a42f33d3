//! The attributes, their options, and what to say about an option that does not exist.

/// One helper attribute.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    /// In the order in which messages list them.
    pub(crate) options: &'static [&'static str],
}

pub(crate) const RESOURCE: Spec = Spec { name: "resource", options: &["version", "type_name", "oldest", "deprecated", "crate"] };
pub(crate) const UPGRADE_FROM: Spec = Spec { name: "upgrade_from", options: &["model", "with"] };
pub(crate) const OBJECT: Spec = Spec { name: "object", options: &["crate"] };
pub(crate) const ATTRIBUTE: Spec = Spec {
    name: "attribute",
    options: &[
        "required",
        "optional",
        "computed",
        "sensitive",
        "write_only",
        "requires_replace",
        "name",
        "deprecated",
        "default",
        "set",
        "as_string",
        "with",
    ],
};
pub(crate) const BLOCK: Spec = Spec { name: "block", options: &["min", "max", "name", "deprecated"] };

pub(crate) const STRING_ENUM: Spec = Spec { name: "string_enum", options: &["crate"] };
pub(crate) const VALUE: Spec = Spec { name: "value", options: &["name"] };

/// Those of structs, where an option may have been written in the wrong one.
pub(super) const OF_STRUCTS: [&Spec; 5] = [&RESOURCE, &UPGRADE_FROM, &OBJECT, &ATTRIBUTE, &BLOCK];

/// How alike two words must be for one to be a misspelling of the other; the threshold of rustc's own tools.
const ALIKE: f64 = 0.8;

impl Spec {
    pub(crate) fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }

    /// The message about `key`, which is not one of the options.
    pub(super) fn unknown_option(&self, key: &str) -> String {
        let name = self.name;
        // `name` instead of `type_name`.
        if let Some(longer) = self.options.iter().find(|option| option.split('_').any(|word| word == key)) {
            return format!("`#[{name}]` has no option `{key}`\nhelp: did you mean `{longer}`?");
        }
        let of_structs = OF_STRUCTS.iter().any(|spec| spec.name == name);
        let elsewhere: &[&Self] = if of_structs { &OF_STRUCTS } else { &[] };
        let homes: Vec<String> =
            elsewhere.iter().filter(|spec| spec.has(key)).map(|spec| format!("`#[{}(…)]`", spec.name)).collect();
        if !homes.is_empty() {
            return format!("`{key}` belongs in {}, not in `#[{name}(…)]`", homes.join(" or "));
        }
        let nearest = self
            .options
            .iter()
            .map(|option| (strsim::jaro_winkler(key, option), option))
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .max_by(|(left, _), (right, _)| left.total_cmp(right));
        let help = match nearest {
            Some((_, option)) => format!("did you mean `{option}`?"),
            None if self.options.len() == 1 => format!("its only option is {}", self.listed()),
            None => format!("its options are {}", self.listed()),
        };
        format!("`#[{name}]` has no option `{key}`\nhelp: {help}")
    }

    /// The options, for a sentence.
    pub(super) fn listed(&self) -> String {
        let quoted: Vec<String> = self.options.iter().map(|option| format!("`{option}`")).collect();
        quoted.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_option_gets_the_nearest_one() {
        assert_eq!(RESOURCE.unknown_option("versoin"), "`#[resource]` has no option `versoin`\nhelp: did you mean `version`?");
        assert_eq!(ATTRIBUTE.unknown_option("compute"), "`#[attribute]` has no option `compute`\nhelp: did you mean `computed`?");
        assert_eq!(RESOURCE.unknown_option("name"), "`#[resource]` has no option `name`\nhelp: did you mean `type_name`?");
    }

    #[test]
    fn an_option_of_another_attribute_is_sent_there() {
        assert_eq!(RESOURCE.unknown_option("model"), "`model` belongs in `#[upgrade_from(…)]`, not in `#[resource(…)]`");
        assert_eq!(
            OBJECT.unknown_option("deprecated"),
            "`deprecated` belongs in `#[resource(…)]` or `#[attribute(…)]` or `#[block(…)]`, not in `#[object(…)]`"
        );
    }

    #[test]
    fn an_option_like_no_other_gets_the_list() {
        assert_eq!(
            UPGRADE_FROM.unknown_option("zone"),
            "`#[upgrade_from]` has no option `zone`\nhelp: its options are `model`, `with`"
        );
        assert_eq!(OBJECT.unknown_option("zone"), "`#[object]` has no option `zone`\nhelp: its only option is `crate`");
    }
}
