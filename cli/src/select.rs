//! Which instances a command is about.

use clap::Args;
use upstate_state::{Address, StateFile};
use wildmatch::WildMatch;

use crate::{Outcome, terminal};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Selection {
    /// Only these instances: a type or an address, with * and ? for what may stand there; can be given more than once
    ///
    /// The address of a module or resource stands for all that is in it.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Not these instances, which are left as they are; the same patterns
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
}

/// A selection ready to be asked.
#[derive(Debug)]
pub(crate) struct Patterns {
    only: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    text: String,
    whole: WildMatch,
    /// The same with something inside, or behind, what it names.
    within: [WildMatch; 3],
}

impl Pattern {
    fn new(text: &str) -> Self {
        let within = [".*", "[*", " (*"].map(|rest| WildMatch::new(&format!("{text}{rest}")));
        Self { text: text.to_owned(), whole: WildMatch::new(text), within }
    }

    fn matches(&self, address: &Address<'_>, text: &str) -> bool {
        self.whole.matches(address.type_name())
            || self.whole.matches(text)
            || self.within.iter().any(|pattern| pattern.matches(text))
    }
}

impl Selection {
    /// The patterns, each of which must match something: one that does not is a mistake.
    pub(crate) fn patterns(&self, state: &StateFile<'_>) -> Result<Patterns, Outcome> {
        let compile = |texts: &[String]| texts.iter().map(|text| Pattern::new(text)).collect::<Vec<_>>();
        let patterns = Patterns { only: compile(&self.only), exclude: compile(&self.exclude) };
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
