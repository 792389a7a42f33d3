//! The instances that a command is about.

use clap::Args;
use regex::{Regex, RegexBuilder};
use upstate_state::{Address, StateFile};

use crate::outcome::Outcome;
use crate::terminal;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Selection {
    /// Only these instances: a type or an address, where * and ? are wildcards; may be given
    /// several times
    ///
    /// The address of a module or resource includes everything in it.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Skip these instances; takes the patterns of --only
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
}

/// The memory for a long pattern: with less it would be matched step by step, in time that
/// multiplies with the address.
const ROOM: usize = 128 << 20;

/// A selection ready to be asked.
#[derive(Debug)]
pub(crate) struct Patterns {
    only: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    text: String,
    whole: Regex,
    /// Matches everything inside, or behind, what the pattern names.
    within: Regex,
}

impl Pattern {
    /// None if it is longer than can be searched for.
    fn new(text: &str) -> Option<Self> {
        let mut expression = String::new();
        for character in text.chars() {
            match character {
                // Several are as good as one.
                '*' if expression.ends_with(".*") => {}
                '*' => expression.push_str(".*"),
                '?' => expression.push('.'),
                _ => expression.push_str(&regex::escape(character.encode_utf8(&mut [0; 4]))),
            }
        }
        // Whatever they are, they are matched in time that grows with the address only.
        let build = |expression: &str| {
            RegexBuilder::new(expression)
                .dot_matches_new_line(true)
                .dfa_size_limit(ROOM)
                .build()
                .ok()
        };
        let whole = build(&format!("^(?:{expression})$"))?;
        Some(Self {
            text: text.to_owned(),
            whole,
            within: build(&format!(r"^(?:{expression})(?:\.| \(|\[)"))?,
        })
    }

    fn matches(&self, address: &Address<'_>, text: &str) -> bool {
        self.whole.is_match(address.type_name())
            || self.whole.is_match(text)
            || self.within.is_match(text)
    }
}

impl Selection {
    /// True if it selects all instances.
    pub(crate) fn is_empty(&self) -> bool {
        self.only.is_empty() && self.exclude.is_empty()
    }

    /// The patterns, each of which must match something: one that does not is a mistake.
    pub(crate) fn patterns(&self, state: &StateFile<'_>) -> Result<Patterns, Outcome> {
        let compile = |option: &str, texts: &[String]| {
            let pattern = |text: &String| {
                Pattern::new(text).ok_or_else(|| {
                    terminal::fail(&format!(
                        "a pattern of {option} is too long: it has {} bytes",
                        text.len()
                    ));
                    Outcome::Usage
                })
            };
            texts
                .iter()
                .map(pattern)
                .collect::<Result<Vec<_>, Outcome>>()
        };
        let patterns = Patterns {
            only: compile("--only", &self.only)?,
            exclude: compile("--exclude", &self.exclude)?,
        };
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
            let types = state
                .instances()
                .iter()
                .map(upstate_state::Instance::type_name);
            let hint = terminal::nearest(&pattern.text, types)
                .map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            terminal::fail(&format!(
                "{option} {:?} matches no instance{hint}",
                pattern.text
            ));
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
        let any = |patterns: &[Pattern]| {
            patterns
                .iter()
                .any(|pattern| pattern.matches(address, &text))
        };
        (self.only.is_empty() || any(&self.only)) && !any(&self.exclude)
    }
}
