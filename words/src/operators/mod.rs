//! The words of operators, one file each: the name, the form, the row in the tables of the guide;
//! and the effects that a word has, each with its arguments, what it replaces and reads, and the
//! prior type that it implies.
//!
//! The derive reads and writes operators by these, and works out the fields of prior versions; the
//! runtime's table answers with the same.

mod word;

pub use word::{Argument, Before, Choice, Effect, Keeps, Kind, ReadAs, Replaces, Row, Word};

macro_rules! words {
    ($($word:ident)*) => {
        $(pub mod $word;)*

        /// All of them, in the order in which messages list them.
        pub static WORDS: &[Word] = &[$($word::WORD),*];
    };
}
words! {
    rename copy drop default set null_if convert fill values variants reformat
    split join merge zip unwrap wrap rekey nest unnest filter each
    within only_if warn refuse carry
}

/// Calls a macro with all effects, in two families: those that the interpreter and the compiled
/// plan do, and those whose work is in one file of the runtime, of which the module is first. Of
/// each, the variant with the name of each argument in the lock's hash and its kind; the file of
/// the word, and the effect. Of several effects, an argument decides which it is.
#[macro_export]
macro_rules! operators {
    ($then:ident) => {
        $then! {
            plain {
                Take(from: Prior, existing: Existing) rename[RENAME RENAME_OVER RENAME_SAME];
                Copy(from: Prior) copy[COPY];
                Set(value: Constant) set[SET];
                Default(value: Constant, when: Replaced) default[DEFAULT];
                NullIf(one_of: Matches) null_if[NULL_IF];
                Convert(empty: EmptyText) convert[CONVERT];
                Json() convert[JSON];
                Named(conversion: Conversion) convert[NAMED];
                Function(function: Called) convert[FUNCTION];
                Combine(from: Priors, function: Called) convert[COMBINE];
                Values(table: Table, other: Otherwise) values[VALUES];
                Reformat(forms: Forms, other: Otherwise) reformat[REFORMAT];
                Compose(template: Template) reformat[COMPOSE];
                Extract(from: Prior, apart: Apart, part: Part) split[EXTRACT];
            }
            structures {
                enclose Enclose(r#as: PutMember) wrap[ENCLOSE];
                entries Entries() merge[ENTRIES];
                filter Filter(one_of: Matches) filter[FILTER];
                filter_keys FilterKeys(keys: Patterns) filter[FILTER_KEYS];
                join Join(separator: Text) join[JOIN];
                member Member(member: TakenMember) unwrap[MEMBER];
                merge Merge(from: Priors) merge[MERGE];
                rekey Rekey(key: KeyMember, value: ValueMember) rekey[REKEY REKEY_VALUE];
                split Split(separator: Text) split[SPLIT];
                unwrap Unwrap(many: Many, empty: NoElement) unwrap[UNWRAP UNWRAP_FIRST];
                variants Variants(changes: Variants) variants[VARIANTS];
                wrap Wrap(keep_null: KeepsNull) wrap[WRAP];
                zip Zip(from: Priors) zip[ZIP];
            }
        }
    };
}

macro_rules! first {
    ($word:ident [$effect:ident $($other:ident)*]) => {
        &$word::$effect
    };
}

macro_rules! effects {
    (
        plain { $($variant:ident($($name:ident: $kind:ident),*) $word:ident $effect:tt;)* }
        structures { $($module:ident $structure:ident($($argument:ident: $of:ident),*) $file:ident $other:tt;)* }
    ) => {
        /// The effects whose work is in one file of the runtime.
        pub const STRUCTURES: &[&Effect] = &[$(first!($file $other)),*];

        /// One effect of each operator.
        #[cfg(test)]
        const EFFECTS: &[&Effect] = &[$(first!($word $effect),)* $(first!($file $other)),*];
    };
}
operators!(effects);

/// The word called `name`.
pub fn find(name: &str) -> Option<&'static Word> {
    WORDS.iter().find(|word| word.name == name)
}

/// The words that act on the value of a field, for a sentence.
pub fn acting() -> String {
    quoted(|word| word.acts)
}

/// All words that take parentheses, for a sentence.
pub fn listed() -> String {
    quoted(|word| word.name != "carry")
}

fn quoted(is_meant: impl Fn(&Word) -> bool) -> String {
    let quoted: Vec<String> = WORDS
        .iter()
        .filter(|word| is_meant(word))
        .map(|word| format!("`{}`", word.name))
        .collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words without an effect: grammar, and others that end as effects of another word.
    const WITHOUT_EFFECTS: [(&str, &str); 10] = [
        ("carry", "nothing is done"),
        ("drop", "a reason in addition to the effects"),
        ("each", "an effect for each element"),
        ("fill", "`copy`, and then `convert` with a function"),
        ("nest", "a `rename` for each member"),
        ("only_if", "a condition on effects"),
        ("refuse", "a notice"),
        ("unnest", "a `rename` for each member"),
        ("warn", "a notice"),
        ("within", "longer paths in effects"),
    ];

    #[test]
    fn every_effect_is_of_a_word_and_every_word_has_one_or_a_reason() {
        for effect in EFFECTS {
            assert!(find(effect.keyword).is_some(), "{effect:?}");
        }
        for word in WORDS {
            let has_effect = EFFECTS.iter().any(|effect| effect.keyword == word.name);
            assert_ne!(
                has_effect,
                WITHOUT_EFFECTS.iter().any(|(name, _)| *name == word.name),
                "{}",
                word.name
            );
        }
    }

    #[test]
    fn every_word_is_in_a_row() {
        for word in WORDS {
            let mut forms = WORDS
                .iter()
                .flat_map(|word| word.rows)
                .flat_map(|row| row.forms);
            let is_there =
                forms.any(|form| form.contains(&format!("{}(", word.name)) || *form == word.name);
            assert!(is_there, "`{}` has no row", word.name);
        }
    }
}
