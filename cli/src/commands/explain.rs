//! `explain`: how stored versions of a type get to the current one.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::RangeInclusive;

use clap::{Args as ClapArgs, ValueEnum};
use upstate::schema::{Block, Shape};
use upstate::upgrade::{History, Step, UpgraderKind};
use upstate::{Registry, ResourceDefinition};
use upstate_compat::lanes;

use super::schema::{block_text, object_text, type_text};
use crate::outcome::Outcome;
use crate::terminal::{self, BOLD, DIM, GREEN, RED, YELLOW};

/// Show the history of a type: its versions, what each changed, and the route from each; or the
/// meaning of a rule of `check` or of the code of a diagnostic or compile error
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  {program} explain example_thing\n  {program} explain example_thing --format svg > route.svg\n  {program} explain U0001"
)]
pub(crate) struct Explain {
    /// The type, the rule, or the code
    #[arg(value_name = "TYPE")]
    type_name: String,
    /// The format; dot and svg are pictures of a type's routes
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people, with each upgrader
    Text,
    /// A graph of the versions for Graphviz
    Dot,
    /// A picture of the route of each attribute
    Svg,
    /// The route of each attribute, for programs
    Json,
}

impl Explain {
    /// Explains also rules of `check` and codes of compile errors, which only authors meet.
    pub(crate) fn run_with_source(&self, registry: &Registry) -> Outcome {
        if self.format == Form::Text
            && let Some(outcome) = super::codes::explained(&self.type_name)
                .or_else(|| crate::lock::explain_rule(registry, &self.type_name))
        {
            return outcome;
        }
        self.run(registry)
    }

    /// Explains also codes of diagnostics, of which no type has the name.
    pub(crate) fn run(&self, registry: &Registry) -> Outcome {
        if registry.get(&self.type_name).is_none()
            && let Some(outcome) = super::codes::diagnostic(&self.type_name)
        {
            return outcome;
        }
        match super::definition::definition(registry, &self.type_name) {
            Ok(definition) => terminal::printed(match self.format {
                Form::Text => show(definition),
                Form::Dot => std::io::stdout().write_all(super::route::dot(definition).as_bytes()),
                Form::Svg => std::io::stdout().write_all(lanes::svg(definition).as_bytes()),
                Form::Json => writeln!(std::io::stdout(), "{:#}", lanes::json(definition)),
            }),
            Err(outcome) => outcome,
        }
    }
}

fn show(definition: &ResourceDefinition) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    versions(&mut out, definition, definition.type_name())?;
    if let Some(identity) = definition.identity() {
        writeln!(out)?;
        versions(
            &mut out,
            identity,
            &format!("identity of {}", definition.type_name()),
        )?;
    }
    out.flush()
}

/// The history of a type, or of its identity.
fn versions(
    out: &mut dyn Write,
    definition: &ResourceDefinition,
    name: &str,
) -> std::io::Result<()> {
    writeln!(
        out,
        "{BOLD}{name}{BOLD:#}, schema version {}",
        definition.version()
    )?;
    for line in definition.schema().description().lines() {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)?;
    let supported = definition.supported_ranges();
    // Ranges of stored versions by the version that their state comes to next, so that `branches`
    // can begin at the current one.
    let mut next: BTreeMap<u64, Vec<RangeInclusive<u64>>> = BTreeMap::new();
    for versions in &supported {
        if let Some(to) = definition.route(*versions.start()).get(1) {
            next.entry(*to).or_default().push(versions.clone());
        }
    }
    writeln!(
        out,
        "  {GREEN}{}{GREEN:#} {DIM}current{DIM:#}",
        definition.version()
    )?;
    branches(out, &next, definition.version(), "  ")?;
    writeln!(out)?;
    if supported.is_empty() {
        writeln!(
            out,
            "no earlier version is known; state of version {} is read unchanged",
            definition.version()
        )?;
    }
    for versions in &supported {
        let stored = stored(versions);
        let later = definition
            .route(*versions.start())
            .into_iter()
            .skip(1)
            .map(|version| version.to_string());
        let route: Vec<String> = std::iter::once(stored.clone()).chain(later).collect();
        writeln!(
            out,
            "  {DIM}stored at {stored}:{DIM:#} {}",
            route.join(" → ")
        )?;
    }
    if definition.oldest() > 0 {
        let (oldest, migrates) = (definition.oldest(), definition.reaches_flat(0));
        let fate = if migrates {
            "flat state is migrated, JSON is refused"
        } else {
            "refused, no longer supported"
        };
        writeln!(out, "  {DIM}stored before {oldest}:{DIM:#} {fate}")?;
    }
    writeln!(
        out,
        "  {DIM}stored after {}:{DIM:#} refused, a later release wrote it",
        definition.version()
    )?;
    for route in definition.lanes() {
        super::lanes::table(out, &route, terminal::columns(&std::io::stdout()))?;
    }
    match definition.history() {
        Some(history) => upgraders(out, definition, history),
        None => shapes(out, definition),
    }
}

/// Each upgrader: how it is written, and what becomes of the attributes.
fn upgraders(
    out: &mut dyn Write,
    definition: &ResourceDefinition,
    history: &'static History,
) -> std::io::Result<()> {
    let mut found = Vec::new();
    gather_upgraders(history, &mut found);
    found.sort_by_key(|(to, step)| (step.from(), step.last(), to.version()));
    for (to, step) in found {
        let stored = stored(&(step.from()..=step.last()));
        write!(out, "\n{BOLD}{stored} → {}{BOLD:#}", to.version())?;
        upgrader(out, definition, to, step)?;
        if !step.is_refused() {
            let verdicts = to.verdicts(step);
            writeln!(out, "  {DIM}up:{DIM:#}   {}", verdicts.up)?;
            writeln!(out, "  {DIM}back:{DIM:#} {}", verdicts.down)?;
        }
    }
    for source in definition.moves() {
        write!(
            out,
            "\n{BOLD}{source} {} → {}{BOLD:#}",
            source.step().from(),
            definition.version()
        )?;
        upgrader(out, definition, history, source.step())?;
    }
    Ok(())
}

/// The upgraders to a model, and those to the models they come from, each once.
pub(super) fn gather_upgraders(
    history: &'static History,
    found: &mut Vec<(&'static History, &'static Step)>,
) {
    for step in history.steps() {
        if found.iter().any(|(_, there)| std::ptr::eq(*there, step)) {
            continue;
        }
        found.push((history, step));
        if let Some(prior) = step.prior() {
            gather_upgraders(prior, found);
        }
    }
}

/// The rest of an upgrader's heading, and what is below it.
fn upgrader(
    out: &mut dyn Write,
    definition: &ResourceDefinition,
    to: &'static History,
    step: &Step,
) -> std::io::Result<()> {
    if let Some(condition) = step.condition() {
        write!(out, ", if {condition}")?;
    }
    let asynchronous = if step.is_asynchronous() {
        "an asynchronous function"
    } else {
        "a function"
    };
    let how = match step.written_as() {
        UpgraderKind::Conversion => "a conversion in Rust".to_owned(),
        UpgraderKind::Function => asynchronous.to_owned(),
        UpgraderKind::Raw => format!("{asynchronous} over the raw state"),
        UpgraderKind::Unchanged => "nothing changes".to_owned(),
        UpgraderKind::NeverReleased => "no release ever stored it".to_owned(),
        UpgraderKind::Unsupported => format!(
            "no longer supported: {}",
            step.unsupported().unwrap_or_default()
        ),
        _ => "operators".to_owned(),
    };
    writeln!(out, "  {DIM}{how}{DIM:#}")?;
    let whole = to.whole_upgrader(step);
    if let Some(whole) = &whole {
        for line in whole.redacted(&secrets(definition, to, step)).lines() {
            writeln!(out, "    {line}")?;
        }
    }
    let Some(prior) = step.prior() else {
        return Ok(());
    };
    let differs = changes(out, prior.schema().block(), to.schema().block())?;
    if !differs && whole.is_none() {
        writeln!(
            out,
            "  {DIM}the same attributes; their values may mean something else{DIM:#}"
        )?;
    }
    Ok(())
}

/// The attributes on both sides of an upgrader that are secret in any version: no operator on them
/// is shown with its constants.
fn secrets(definition: &ResourceDefinition, to: &'static History, step: &Step) -> BTreeSet<String> {
    let mut secret = BTreeSet::new();
    for version in [step.from(), to.version()] {
        secret.extend(
            definition
                .secrets_of(version)
                .iter()
                .map(|path| path.join(".")),
        );
    }
    for route in definition.lanes() {
        let columns = route.versions.iter().zip(0..).filter(|(versions, _)| {
            versions.contains(&step.from()) || versions.contains(&to.version())
        });
        let columns: Vec<usize> = columns.map(|(_, column)| column).collect();
        let lanes = route.lanes.iter().filter(|lane| lane.is_secret);
        secret.extend(lanes.flat_map(|lane| {
            columns
                .iter()
                .filter_map(|column| lane.places.get(*column)?.clone())
        }));
    }
    for schema in [step.prior().map(History::schema), Some(to.schema())]
        .into_iter()
        .flatten()
    {
        gather_secrets(schema.block(), "", &mut secret);
    }
    secret
}

fn gather_secrets(block: &Block, prefix: &str, all: &mut BTreeSet<String>) {
    gather_secret_attributes(block.attributes(), prefix, all);
    for nested in block.blocks() {
        gather_secrets(nested.block(), &format!("{prefix}{}.", nested.name()), all);
    }
}

fn gather_secret_attributes(
    attributes: &[upstate::schema::Attribute],
    prefix: &str,
    all: &mut BTreeSet<String>,
) {
    for attribute in attributes {
        let name = format!("{prefix}{}", attribute.name());
        if let Shape::Nested(nested) = attribute.shape() {
            gather_secret_attributes(nested.attributes(), &format!("{name}."), all);
        }
        if attribute.is_sensitive() || attribute.is_write_only() {
            all.insert(name);
        }
    }
}

/// Definitions made at run time, which have schemas only.
fn shapes(out: &mut dyn Write, definition: &ResourceDefinition) -> std::io::Result<()> {
    let mut shapes: BTreeMap<u64, &Block> = definition
        .prior_schemas()
        .into_iter()
        .map(|prior| (prior.version, prior.block))
        .collect();
    shapes.insert(definition.version(), definition.schema().block());
    for ((from, before), (to, after)) in shapes.iter().zip(shapes.iter().skip(1)) {
        writeln!(out, "\n{BOLD}{from} → {to}{BOLD:#}")?;
        if !changes(out, before, after)? {
            writeln!(
                out,
                "  {DIM}the same attributes; their values may mean something else{DIM:#}"
            )?;
        }
    }
    Ok(())
}

/// One line for each attribute or block that is not the same; whether there is any.
fn changes(out: &mut dyn Write, before: &Block, after: &Block) -> std::io::Result<bool> {
    let (before, after) = (flat(before), flat(after));
    let mut differs = false;
    for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        differs |= before.get(name) != after.get(name);
        match (before.get(name), after.get(name)) {
            (Some(before), None) => writeln!(out, "  {RED}-{RED:#} {name}  {before}")?,
            (None, Some(after)) => writeln!(out, "  {GREEN}+{GREEN:#} {name}  {after}")?,
            (Some(before), Some(after)) if before != after => {
                writeln!(out, "  {YELLOW}~{YELLOW:#} {name}  {before} → {after}")?;
            }
            _ => {}
        }
    }
    Ok(differs)
}

/// The versions from which `version` is the next, below one another as a tree.
fn branches(
    out: &mut dyn Write,
    next: &BTreeMap<u64, Vec<RangeInclusive<u64>>>,
    version: u64,
    indent: &str,
) -> std::io::Result<()> {
    let Some(from) = next.get(&version) else {
        return Ok(());
    };
    for (position, below) in from.iter().rev().enumerate() {
        let last = position + 1 == from.len();
        writeln!(
            out,
            "{indent}{DIM}{}{DIM:#} {}",
            if last { "└─" } else { "├─" },
            stored(below)
        )?;
        let indent = format!("{indent}{}  ", if last { ' ' } else { '│' });
        // State of the other versions does not pass through the one that a range shares with a
        // model.
        for (to, _) in next.range(below.clone()) {
            branches(out, next, *to, &indent)?;
        }
    }
    Ok(())
}

/// Stored versions as a line names them.
pub(super) fn stored(versions: &RangeInclusive<u64>) -> String {
    let (first, last) = (versions.start(), versions.end());
    if first == last {
        first.to_string()
    } else {
        format!("{first} to {last}")
    }
}

/// Attributes and blocks by their path, with what they are.
fn flat(block: &Block) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    gather_block(block, "", &mut all);
    all
}

fn gather_block(block: &Block, prefix: &str, all: &mut BTreeMap<String, String>) {
    gather(block.attributes(), prefix, all);
    for nested in block.blocks() {
        let name = format!("{prefix}{}", nested.name());
        gather_block(nested.block(), &format!("{name}."), all);
        all.insert(name, block_text(nested.nesting()).to_owned());
    }
}

fn gather(
    attributes: &[upstate::schema::Attribute],
    prefix: &str,
    all: &mut BTreeMap<String, String>,
) {
    for attribute in attributes {
        let name = format!("{prefix}{}", attribute.name());
        let sensitive = if attribute.is_sensitive() {
            ", sensitive"
        } else {
            ""
        };
        let what = match attribute.shape() {
            Shape::Plain(ty) => type_text(ty),
            Shape::Nested(nested) => {
                gather(nested.attributes(), &format!("{name}."), all);
                object_text(nested.nesting()).to_owned()
            }
        };
        all.insert(name, format!("{what}{sensitive}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upstate::{Object, Resource};

    const CANARY: &str = "CANARY-9-secret";

    #[derive(Resource)]
    #[resource(type_name = "explained_secret", version = 3)]
    #[upgrade_from(2 => 3, rename(key => token), only_if(all(lacks(old), is(key, "CANARY-9-secret")), set(old = true)), default(lock.code = "CANARY-9-secret"))]
    #[upgrade_from(1 => 2, drop(#[attribute(sensitive)] pin: String, "unused", back = "CANARY-9-secret"))]
    #[upgrade_from(0 => 1, default(key = "CANARY-9-secret"), set(note = "plain"))]
    struct Secret {
        #[attribute(sensitive)]
        token: String,
        old: Option<bool>,
        note: String,
        lock: Lock,
    }

    #[derive(Object)]
    struct Lock {
        #[attribute(sensitive)]
        code: String,
    }

    #[test]
    fn no_constant_of_an_operator_on_a_secret_attribute_is_printed() {
        let mut out = Vec::new();
        versions(&mut out, Secret::DEFINITION, "explained_secret").expect("a buffer");
        let text = anstream::adapter::strip_str(&String::from_utf8(out).expect("text")).to_string();
        assert!(!text.contains(CANARY), "{text}");
        for line in [
            "default(key, (sensitive))",
            "set(note = \"plain\")",
            "drop(pin, \"unused\", back = (sensitive))",
            "only_if((sensitive), set(old = true))",
            "lock: default(code, (sensitive))",
            "rename(key => token)",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
