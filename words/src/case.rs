//! Cases of names, as serde's `rename_all` has them: the derives apply them, and the importer has
//! to know which names they give.

/// The name of a field, `window_width`, in `PascalCase`.
#[must_use]
pub fn pascal(name: &str) -> String {
    let mut pascal = String::new();
    let mut starts = true;
    for letter in name.chars() {
        if letter == '_' {
            starts = true;
        } else {
            pascal.push(if starts {
                letter.to_ascii_uppercase()
            } else {
                letter
            });
            starts = false;
        }
    }
    pascal
}

/// The name of a field in `camelCase`.
#[must_use]
pub fn camel(name: &str) -> String {
    lower_first(&pascal(name))
}

/// The name of a variant, `VeryLow`, with its first letter in lower case.
#[must_use]
pub fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_ascii_lowercase())
        .into_iter()
        .chain(letters)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_serde_gives() {
        for (field, in_pascal, in_camel) in [
            ("window_width", "WindowWidth", "windowWidth"),
            ("id", "Id", "id"),
            ("_id", "Id", "id"),
            ("a__b_", "AB", "aB"),
            ("a_3b", "A3b", "a3b"),
            ("userName", "UserName", "userName"),
            ("URL", "URL", "uRL"),
            ("öl_stand", "ölStand", "ölStand"),
            ("", "", ""),
        ] {
            assert_eq!((&*pascal(field), &*camel(field)), (in_pascal, in_camel));
        }
        assert_eq!(lower_first("VeryLow"), "veryLow");
    }
}
