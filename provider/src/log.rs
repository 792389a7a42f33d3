//! The provider's log, as Terraform reads it: a line of JSON for each event, on the standard error.
//!
//! Terraform shows such a line in its own log, with its level, its module and its fields, if
//! `TF_LOG` asks for that level. Any other line it shows too, but as text that nothing is known of.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::FormatItem;
use time::macros::format_description;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::filter::{FilterFn, LevelFilter};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

use crate::secrets::Secrets;

/// Terraform's form of the time of a line; it reads no other.
const TIMESTAMP: &[FormatItem<'static>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:6]Z");

/// Terraform takes lines of up to 64 KiB: a longer string is cut to this length.
const LONGEST: usize = 8 << 10;

/// The transport of the calls. It logs every frame at the finest level, which says nothing about a
/// provider.
const PLUMBING: [&str; 7] = [
    "h2",
    "hyper",
    "hyper_util",
    "mio",
    "rustls",
    "tokio_rustls",
    "tonic",
];

/// Writes a line where the host, or a person who started the process by hand, reads it.
pub(crate) fn print_line(text: &str) {
    // There may be nobody left to read it; that must not panic.
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}

/// The string without what no line may hold at the moment.
pub(crate) fn redacted(text: &str) -> Option<String> {
    let hidden = HIDDEN.read().unwrap_or_else(PoisonError::into_inner);
    let mut redacted = None;
    for (_, secrets) in hidden.iter() {
        redacted = secrets
            .blotted(redacted.as_deref().unwrap_or(text))
            .or(redacted);
    }
    redacted
}

/// Logs as the environment asks for. Does nothing if a log is not asked for, or if the author set
/// up another.
pub(crate) fn install(address: &str, write: fn(&str)) {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let levels = Levels::read(address, &variables.collect());
    if levels.most() != LevelFilter::OFF {
        let _ = tracing::subscriber::set_global_default(subscriber(levels, write));
    }
}

fn subscriber(levels: Levels, write: fn(&str)) -> impl Subscriber + Send + Sync {
    let most = levels.most();
    // Asked once for each place in the code that logs, because the answer never changes.
    let shown = move |metadata: &Metadata<'_>| *metadata.level() <= levels.of(metadata.target());
    Registry::default()
        .with(Lines { write }.with_filter(FilterFn::new(shown).with_max_level_hint(most)))
}

/// The levels that the environment asks for.
#[derive(Debug, PartialEq)]
struct Levels {
    all: LevelFilter,
    /// The levels of subsystems by their names in upper case, the longest first.
    subsystems: Vec<(String, LevelFilter)>,
}

impl Levels {
    fn read(address: &str, variables: &BTreeMap<String, String>) -> Self {
        let own = format!(
            "TF_LOG_PROVIDER_{}",
            in_variables(address.rsplit('/').next().unwrap_or_default())
        );
        let set = |name: &str| variables.get(name).filter(|value| !value.is_empty());
        let all = [&*own, "TF_LOG_PROVIDER", "TF_LOG"]
            .into_iter()
            .find_map(set)
            .map_or(LevelFilter::OFF, |level| level_of(level));
        let below = format!("{own}_");
        let named = variables.iter().filter(|(_, value)| !value.is_empty());
        let mut subsystems: Vec<(String, LevelFilter)> = named
            .filter_map(|(name, level)| {
                Some((name.strip_prefix(&below)?.to_owned(), level_of(level)))
            })
            .collect();
        subsystems.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self { all, subsystems }
    }

    /// The finest level of all.
    fn most(&self) -> LevelFilter {
        self.subsystems
            .iter()
            .map(|(_, level)| *level)
            .fold(self.all, LevelFilter::max)
    }

    /// The level of a target: of the subsystem that has the longest name of its parts, or of
    /// everything.
    fn of(&self, target: &str) -> LevelFilter {
        let parts = format!(
            "_{}_",
            target
                .split("::")
                .map(in_variables)
                .collect::<Vec<_>>()
                .join("_")
        );
        let subsystem = self
            .subsystems
            .iter()
            .find(|(name, _)| parts.contains(&format!("_{name}_")));
        let module = target.split("::").next().unwrap_or_default();
        match subsystem {
            Some((_, level)) => *level,
            None if PLUMBING.contains(&module) => LevelFilter::OFF,
            None => self.all,
        }
    }
}

/// A name as a part of the name of a variable.
fn in_variables(name: &str) -> String {
    name.to_uppercase().replace(['-', '.'], "_")
}

fn level_of(word: &str) -> LevelFilter {
    match word.to_uppercase().as_str() {
        "OFF" => LevelFilter::OFF,
        "ERROR" => LevelFilter::ERROR,
        "WARN" => LevelFilter::WARN,
        "INFO" => LevelFilter::INFO,
        "DEBUG" => LevelFilter::DEBUG,
        // Terraform takes a word that it does not know for this one.
        _ => LevelFilter::TRACE,
    }
}

/// True if anything is logged at all.
pub(crate) fn is_on() -> bool {
    LevelFilter::current() != LevelFilter::OFF
}

/// Strings that no line may hold at the moment: those of each call that runs, and of the
/// configuration.
static HIDDEN: RwLock<Vec<(u64, Arc<Secrets>)>> = RwLock::new(Vec::new());

/// Keeps strings out of the log for as long as it lives.
#[derive(Debug)]
pub(crate) struct Hidden(u64);

impl Hidden {
    pub(crate) fn new(secrets: Arc<Secrets>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        HIDDEN
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push((number, secrets));
        Self(number)
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        HIDDEN
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|(number, _)| *number != self.0);
    }
}

/// Writes events as lines.
struct Lines {
    write: fn(&str),
}

/// The fields of a span or an event.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Lines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut line = Fields::default();
        for span in context
            .event_scope(event)
            .into_iter()
            .flat_map(tracing_subscriber::registry::Scope::from_root)
        {
            if let Some(fields) = span.extensions().get::<Fields>() {
                line.0.extend(
                    fields
                        .0
                        .iter()
                        .map(|(name, value)| (name.clone(), value.clone())),
                );
            }
        }
        event.record(&mut line);
        line.hide();
        let message = line.0.remove("message").unwrap_or_default();
        let metadata = event.metadata();
        line.0.insert(
            "@level".to_owned(),
            metadata.level().as_str().to_lowercase().into(),
        );
        line.0.insert("@message".to_owned(), message);
        line.0
            .insert("@module".to_owned(), metadata.target().into());
        line.0.insert(
            "@timestamp".to_owned(),
            OffsetDateTime::now_utc()
                .format(TIMESTAMP)
                .unwrap_or_default()
                .into(),
        );
        (self.write)(&Value::Object(line.0).to_string());
    }
}

impl Fields {
    fn text(&mut self, field: &Field, mut text: String) {
        // Before it is cut, because a piece of a secret is not found to be one.
        if text.len() > LONGEST
            && let Some(redacted) = redacted(&text)
        {
            text = redacted;
        }
        if text.len() > LONGEST {
            let end = (0..=LONGEST)
                .rev()
                .find(|end| text.is_char_boundary(*end))
                .unwrap_or_default();
            text.truncate(end);
            text.push('…');
        }
        self.0.insert(field.name().to_owned(), text.into());
    }

    /// Takes out what must not be shown.
    fn hide(&mut self) {
        for value in self.0.values_mut() {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            if let Some(redacted) = redacted(&text) {
                *value = redacted.into();
            }
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.text(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value.to_owned());
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.text(field, value.to_string());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests;
