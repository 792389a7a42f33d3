//! The operators' names, what each is written like, and what to say about one that does not exist.

/// The name of an operator and its shortest useful form.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) name: &'static str,
    pub(crate) form: &'static str,
    /// Whether it acts on a field's value, so that it can be done to each element.
    pub(super) acts: bool,
}

const fn source(name: &'static str, form: &'static str) -> Word {
    Word { name, form, acts: false }
}

const fn act(name: &'static str, form: &'static str) -> Word {
    Word { name, form, acts: true }
}

/// All of them, in the order in which messages list them.
pub(crate) const WORDS: [Word; 24] = [
    source("rename", "rename(old => new)"),
    source("copy", "copy(prior => current)"),
    source("drop", "drop(field, \"why\")"),
    act("default", "default(field = value)"),
    source("set", "set(field = value)"),
    act("null_if", "null_if(field, \"\")"),
    act("convert", "convert(field)"),
    act("values", "values(field, \"old\" => \"new\")"),
    act("reformat", "reformat(field, \"{project}/{name}\" => \"projects/{project}/things/{name}\")"),
    act("split", "split(field, \",\")"),
    act("join", "join(field, \",\")"),
    source("merge", "merge(a, b => field)"),
    act("unwrap", "unwrap(field)"),
    act("wrap", "wrap(field)"),
    source("rekey", "rekey(field, by = member)"),
    source("nest", "nest(a, b => object)"),
    source("unnest", "unnest(object => a, b)"),
    source("filter", "filter(field, \"\")"),
    source("each", "each(convert(field))"),
    source("within", "within(object, rename(old => new))"),
    source("only_if", "only_if(has(field), set(other = value))"),
    source("warn", "warn(\"text\")"),
    source("refuse", "only_if(has(field), refuse(\"what to do\"))"),
    source("carry", "carry"),
];

/// What authors of other tools would write, and what it is called here.
const SYNONYMS: [(&str, &str); 22] = [
    ("move", "rename"),
    ("renamed", "rename"),
    ("map", "values"),
    ("map_value", "values"),
    ("enum", "values"),
    ("remove", "drop"),
    ("delete", "drop"),
    ("ignore", "drop"),
    ("dropped", "drop"),
    ("unused", "drop"),
    ("format", "reformat"),
    ("compose", "reformat"),
    ("parse", "split"),
    ("explode", "split"),
    ("cast", "convert"),
    ("retype", "convert"),
    ("json", "convert"),
    ("first", "unwrap"),
    ("flatten", "unnest"),
    ("group", "nest"),
    ("concat", "merge"),
    ("when", "only_if"),
];

/// How alike two words must be for one to be a misspelling of the other; the threshold of rustc's own tools.
const ALIKE: f64 = 0.8;

pub(crate) fn find(name: &str) -> Option<&'static Word> {
    WORDS.iter().find(|word| word.name == name)
}

/// Whether `name` is an operator that takes parentheses.
pub(crate) fn is_operator(name: &str) -> bool {
    name != "carry" && find(name).is_some()
}

/// The operator that `name` may be meant to be.
pub(crate) fn nearest(name: &str) -> Option<&'static Word> {
    if let Some((_, meant)) = SYNONYMS.iter().find(|(other, _)| *other == name) {
        return find(meant);
    }
    WORDS
        .iter()
        .map(|word| (strsim::jaro_winkler(name, word.name), word))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, word)| word)
}

/// The operators that act on a field's value, for a sentence.
pub(super) fn acting() -> String {
    let quoted: Vec<String> = WORDS.iter().filter(|word| word.acts).map(|word| format!("`{}`", word.name)).collect();
    quoted.join(", ")
}

/// All operators that take parentheses, for a sentence.
pub(crate) fn listed() -> String {
    let quoted: Vec<String> = WORDS.iter().filter(|word| word.name != "carry").map(|word| format!("`{}`", word.name)).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_or_foreign_word_gets_the_nearest_one() {
        for (word, meant) in
            [("renmae", "rename"), ("move", "rename"), ("remove", "drop"), ("defualt", "default"), ("nullif", "null_if")]
        {
            assert_eq!(nearest(word).unwrap().name, meant, "{word}");
        }
        assert!(nearest("zone").is_none());
    }

    #[test]
    fn every_synonym_leads_to_an_operator() {
        for (other, meant) in SYNONYMS {
            assert!(find(other).is_none() && find(meant).is_some(), "{other}");
        }
    }
}
