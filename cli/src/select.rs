//! The instances that a command is about.

use clap::Args;
use upstate_state::{Address, StateFile};

use crate::outcome::Outcome;
use crate::terminal;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Selection {
    /// Only these instances: a type or an address, where * and ? are wildcards; may be given several times
    ///
    /// The address of a module or resource includes everything in it.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Skip these instances; takes the patterns of --only
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
}

/// The characters behind the address of a module or resource in that of something inside of it.
const INSIDE: [&str; 3] = [".", " (", "["];

/// A selection ready to be asked.
#[derive(Debug)]
pub(crate) struct Patterns {
    only: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    text: String,
    /// Patterns of everything inside, or behind, what the pattern names.
    within: [String; INSIDE.len()],
}

impl Pattern {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), within: INSIDE.map(|next| format!("{text}{next}*")) }
    }

    fn matches(&self, address: &Address<'_>, text: &str) -> bool {
        fits(&self.text, address.type_name()) || fits(&self.text, text) || self.within.iter().any(|pattern| fits(pattern, text))
    }
}

/// True if a pattern describes a text whole. Of several places where the part between two `*` could be, only the first is tried, because it leaves most
/// room for the other parts.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = after(parts.next().unwrap_or_default(), text) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(found) = behind(part, rest) else { return false };
        rest = found;
    }
    let mut end = rest.chars().rev();
    last.chars().rev().all(|wanted| is_same(wanted, end.next()))
}

/// The rest of a text that begins with a part of a pattern.
fn after<'t>(part: &str, text: &'t str) -> Option<&'t str> {
    let mut rest = text.chars();
    part.chars().all(|wanted| is_same(wanted, rest.next())).then(|| rest.as_str())
}

/// The rest of a text behind the first place that a part of a pattern describes.
fn behind<'t>(part: &str, text: &'t str) -> Option<&'t str> {
    // Not tried at each character, because the standard library needs time that grows with the text only, whatever the part is.
    if !part.contains('?') {
        return text.split_once(part).map(|(_, rest)| rest);
    }
    let mut rest = text.chars();
    loop {
        if let Some(found) = after(part, rest.as_str()) {
            return Some(found);
        }
        rest.next()?;
    }
}

/// True if a character of a pattern describes one of a text.
fn is_same(wanted: char, found: Option<char>) -> bool {
    found.is_some_and(|found| wanted == '?' || wanted == found)
}

impl Selection {
    /// True if it selects all instances.
    pub(crate) fn is_empty(&self) -> bool {
        self.only.is_empty() && self.exclude.is_empty()
    }

    /// The patterns, each of which must match something: one that does not is a mistake.
    pub(crate) fn patterns(&self, state: &StateFile<'_>) -> Result<Patterns, Outcome> {
        let all = |patterns: &[String]| patterns.iter().map(|text| Pattern::new(text)).collect();
        let patterns = Patterns { only: all(&self.only), exclude: all(&self.exclude) };
        let mut unmatched: Vec<(&str, &Pattern)> = patterns
            .only
            .iter()
            .map(|only| ("--only", only))
            .chain(patterns.exclude.iter().map(|not| ("--exclude", not)))
            .collect();
        for instance in state.instances() {
            if unmatched.is_empty() {
                break;
            }
            let text = instance.address().to_string();
            unmatched.retain(|(_, pattern)| !pattern.matches(instance.address(), &text));
        }
        if unmatched.is_empty() {
            return Ok(patterns);
        }
        for (option, pattern) in unmatched {
            let types = state.instances().iter().map(upstate_state::Instance::type_name);
            let hint = terminal::nearest(&pattern.text, types).map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            terminal::fail(&format!("{option} {:?} matches no instance{hint}", pattern.text));
        }
        Err(Outcome::Usage)
    }
}

impl Patterns {
    pub(crate) fn is_empty(&self) -> bool {
        self.only.is_empty() && self.exclude.is_empty()
    }

    pub(crate) fn pick(&self, address: &Address<'_>) -> bool {
        if self.is_empty() {
            return true;
        }
        let text = address.to_string();
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(address, &text));
        (self.only.is_empty() || any(&self.only)) && !any(&self.exclude)
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_pattern_is_searched_for_in_its_parts() {
        for (pattern, text) in [
            ("", ""),
            ("*", ""),
            ("**", "a\nb"),
            ("a", "a"),
            ("a*", "a"),
            ("*a", "aa"),
            ("a*a", "aa"),
            ("a*b*c", "a1b2b3c"),
            ("*ab*b", "aabb"),
            ("a[?]", "a[0]"),
            ("?*?", "ab"),
            ("*?c*d", "cbcd"),
            ("*b?*", "bbé"),
            ("é?", "éü"),
            ("a.(b)+", "a.(b)+"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "a"),
            ("a", "ab"),
            ("a", "xa"),
            ("a*a", "a"),
            ("a*b*c", "a1c2b"),
            ("*ab*b", "aab"),
            ("?", ""),
            ("?*?", "a"),
            ("*?c*d", "cd"),
            ("a.b", "a1b"),
        ] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }
}
