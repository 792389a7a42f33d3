//! Names of structs, fields and files.

use std::collections::BTreeSet;

use upstate_words::{KEYWORDS, case};

/// The names that a module of models imports, and the prelude: no struct may be called so.
const TAKEN: [&str; 21] = [
    "BTreeMap", "BTreeSet", "Box", "Clone", "Debug", "Default", "Document", "Dynamic", "Eq", "Err",
    "None", "Number", "Object", "Ok", "Option", "Ord", "Resource", "Result", "Some", "String",
    "Vec",
];

/// Keywords that cannot be written as raw identifiers.
const NEVER_RAW: [&str; 4] = ["Self", "crate", "self", "super"];

/// The names that Terraform keeps for itself at the root of a resource.
const RESERVED: [&str; 7] = [
    "connection",
    "count",
    "depends_on",
    "for_each",
    "lifecycle",
    "provider",
    "provisioner",
];

/// The reason why a model cannot have an attribute or block of this name; nothing if it can.
pub(super) fn refused(name: &str, is_root: bool) -> Option<String> {
    let first = |first: char| first.is_ascii_lowercase() || first == '_';
    // Rust has no field that is called `_`.
    let is_name = name != "_"
        && name.starts_with(first)
        && name
            .chars()
            .all(|letter| first(letter) || letter.is_ascii_digit());
    if !is_name {
        return Some(format!(
            "`{}` is not a name that a model can have: lower-case letters, digits and underscores, no digit first",
            name.escape_debug()
        ));
    }
    (is_root && RESERVED.contains(&name))
        .then(|| format!("`{name}` is reserved by Terraform at the root of a resource"))
}

/// The names of the structs of one module, each given once.
#[derive(Debug, Default)]
pub(super) struct Structs(BTreeSet<String>);

impl Structs {
    /// A name for a struct, as near to `wanted` as the others leave.
    pub(super) fn name(&mut self, wanted: &str) -> String {
        let wanted = if TAKEN.contains(&wanted) || wanted == "Self" || wanted.is_empty() {
            format!("{wanted}Model")
        } else {
            wanted.to_owned()
        };
        let mut name = wanted.clone();
        let mut number = 2;
        while !self.0.insert(name.clone()) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        name
    }
}

/// `load_balancer` as `LoadBalancer`.
pub(super) fn camel(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
            .unwrap_or_default()
    };
    let camel: String = name.split('_').map(word).collect();
    if camel.starts_with(|first: char| first.is_ascii_digit()) {
        format!("N{camel}")
    } else {
        camel
    }
}

/// The field of an attribute or block, and whether it is called otherwise in state.
pub(super) fn field(name: &str) -> (String, bool) {
    if NEVER_RAW.contains(&name) {
        return (format!("{name}_"), true);
    }
    if KEYWORDS.contains(&name) {
        return (format!("r#{name}"), false);
    }
    (name.to_owned(), false)
}

/// An attribute or block that the next version no longer has, as an operator names it: by its name
/// in state.
pub(super) fn prior(name: &str) -> String {
    if NEVER_RAW.contains(&name) {
        name.to_owned()
    } else {
        field(name).0
    }
}

/// `secretRef` as `secret_ref`, with an underscore for what no identifier has.
pub(super) fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (position, letter) in letters.iter().enumerate() {
        let is_lower = |at: Option<usize>| {
            at.and_then(|at| letters.get(at))
                .is_some_and(|near| !near.is_uppercase())
        };
        // The last capital of several begins the next word: `HTTPRoute` is `http_route`.
        let begins = is_lower(position.checked_sub(1)) || is_lower(Some(position + 1));
        if letter.is_uppercase() && begins && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        if letter.is_ascii_alphanumeric() || *letter == '_' {
            snake.push(letter.to_ascii_lowercase());
        } else {
            snake.push('_');
        }
    }
    if snake.starts_with(|first: char| first.is_ascii_digit()) {
        format!("n{snake}")
    } else {
        snake
    }
}

/// The field of a member of an object, and whether `rename_all = "camelCase"` gives it another
/// name.
pub(super) fn stored(name: &str) -> (String, bool) {
    let snake = snake(name);
    let (field, _) = field(if snake.trim_matches('_').is_empty() {
        "value"
    } else {
        &snake
    });
    let is_other = case::camel(field.trim_start_matches("r#")) != name;
    (field, is_other)
}

/// A name as an operator writes it where no field has it.
pub(super) fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_plain {
        prior(name)
    } else {
        format!("{name:?}")
    }
}

/// The module of a type.
pub(super) fn module(type_name: &str) -> String {
    let (name, _) = field(type_name);
    name.trim_start_matches("r#").to_owned() + if name.starts_with("r#") { "_" } else { "" }
}

/// The name of the struct of a type: without the provider's part.
pub(super) fn of_type(type_name: &str) -> String {
    camel(
        type_name
            .split_once('_')
            .map_or(type_name, |(_, rest)| rest),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_rust() {
        assert_eq!(
            [of_type("aws_s3_bucket"), of_type("vm"), camel("3_of")],
            ["S3Bucket", "Vm", "N3Of"]
        );
        assert_eq!(field("type"), ("r#type".to_owned(), false));
        // Reserved for later, and a keyword all the same.
        assert_eq!(field("yield"), ("r#yield".to_owned(), false));
        assert_eq!(field("self"), ("self_".to_owned(), true));
        assert_eq!(
            [refused("a_1", true), refused("count", false)],
            [None, None]
        );
        for name in ["3d", "aB", "a-b", "", "_"] {
            assert!(
                refused(name, false).is_some_and(|why| why.contains("is not a name")),
                "{name}"
            );
        }
        assert_eq!(
            refused("count", true).as_deref(),
            Some("`count` is reserved by Terraform at the root of a resource")
        );
        for (name, field, is_other) in [
            ("userName", "user_name", false),
            ("x3Axis", "x3_axis", false),
            ("type", "r#type", false),
            ("user_name", "user_name", true),
            ("Id", "id", true),
            ("3d", "n3d", true),
        ] {
            assert_eq!(stored(name), (field.to_owned(), is_other), "{name}");
        }
        let mut structs = Structs::default();
        assert_eq!(
            ["String", "Rule", "Rule"].map(|name| structs.name(name)),
            ["StringModel", "Rule", "Rule2"]
        );
    }
}
