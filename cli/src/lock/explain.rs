//! `rules` and `accept`, and what `explain` says of a rule.

use std::io::{self, Write};

use upstate::{Registry, ResourceDefinition};
use upstate_compat::{self as compat, Kind, Release, Rule, Words};
use upstate_state::atomic_file::write_public;

use super::files::{Files, compared};
use super::freeze::turn;
use super::settings::waiver;
use super::{Accept, Axis, Failure};
use crate::format::Format;
use crate::outcome::Outcome;
use crate::program::Program;
use crate::terminal;

/// Prints the meaning of the rule `id` for the models of the program, or returns `None` if no rule
/// has this id. A rule cannot be mistaken for a type: its id has hyphens.
pub(crate) fn explain_rule(registry: &Registry, id: &str) -> Option<Outcome> {
    let Some(rule) = Rule::find(id) else {
        let nearest = terminal::nearest(id, compat::RULES.iter().map(|rule| rule.id()))
            .filter(|_| id.contains('-'))?;
        terminal::fail(&format!(
            "there is no rule `{id}`; did you mean `{nearest}`?"
        ));
        return Some(Outcome::Usage);
    };
    let print = || {
        let mut out = anstream::stdout().lock();
        write_rule(&mut out, registry, rule)?;
        out.flush()
    };
    Some(terminal::printed(print()))
}

fn write_rule(out: &mut dyn Write, registry: &Registry, rule: &Rule) -> io::Result<()> {
    let mut subject = format!("{}: ", rule.id());
    for Words {
        title, why, fix, ..
    } in words(registry, rule)
    {
        writeln!(out, "{subject}{title}\n\n{why}\n\nWhat to do: {fix}\n")?;
        "For documents: ".clone_into(&mut subject);
    }
    writeln!(out, "level    {}", rule.level().name())?;
    writeln!(out, "release  {}", rule.semver())?;
    writeln!(out, "version  {}", bump(rule))?;
    let axes: Vec<&str> = rule.axes().iter().map(|axis| axis.name()).collect();
    writeln!(out, "bears on {}", axes.join(", "))?;
    if !rule.can_be_waived() {
        writeln!(out, "cannot be waived")?;
    }
    Ok(())
}

/// The sentences for what the program stores; of one that stores documents beside resources, both
/// where they differ.
fn words(registry: &Registry, rule: &Rule) -> Vec<Words> {
    let is_document = |definition: &ResourceDefinition| definition.schema().is_document();
    let mut words = Vec::new();
    if !registry.definitions().all(is_document) || registry.definitions().len() == 0 {
        words.push(rule.words(Kind::Managed));
    }
    if registry.definitions().any(is_document) {
        words.push(rule.words(Kind::Document));
    }
    words.dedup();
    words
}

fn bump(rule: &Rule) -> &'static str {
    match (rule.bump().strict, rule.bump().wire) {
        (_, true) => "a new schema version is needed",
        (true, false) => "a new schema version is needed, unless `state-policy = \"wire\"`",
        (false, false) => "no new schema version is needed",
    }
}

pub(super) fn rules(axis: Option<Axis>, format: Format) -> Outcome {
    let wanted = axis.map(|axis| match axis {
        Axis::Config => compat::Axis::Config,
        Axis::Plan => compat::Axis::Plan,
        Axis::Reference => compat::Axis::Reference,
        Axis::State => compat::Axis::State,
        Axis::Policy => compat::Axis::Policy,
        Axis::Clients => compat::Axis::Clients,
    });
    let rules: Vec<&Rule> = compat::RULES
        .iter()
        .copied()
        .filter(|rule| wanted.is_none_or(|axis| rule.axes().contains(&axis)))
        .collect();
    let print = || {
        let mut out = io::stdout().lock();
        if format == Format::Json {
            serde_json::to_writer_pretty(&mut out, &rules)?;
            writeln!(out)?;
        } else {
            let width = rules.iter().map(|rule| rule.id().len()).max().unwrap_or(0);
            for rule in &rules {
                writeln!(
                    out,
                    "{:width$}  {:<9}  {:<5}  {}",
                    rule.id(),
                    rule.level().name(),
                    rule.semver(),
                    rule.title()
                )?;
            }
        }
        out.flush()
    };
    terminal::printed(print())
}

pub(super) fn accept(program: &Program, args: &Accept) -> Result<Outcome, Failure> {
    let until: Release = args
        .until
        .parse()
        .map_err(|error| Failure::usage(format!("--until: {error}")))?;
    if args.reason.trim().is_empty() {
        return Err(Failure::usage("--reason must say why"));
    }
    // Otherwise one of two that are accepted at once would be lost.
    let _turn = turn(Files::of(&args.place).folder())?;
    let compared = compared(program, &args.place, None)?;
    let Some(finding) = compared
        .report
        .findings
        .iter()
        .find(|finding| finding.fingerprint == args.fingerprint)
    else {
        return Err(Failure::usage(format!(
            "there is no finding {}; `changelog` lists them",
            args.fingerprint
        )));
    };
    if !finding.rule.can_be_waived() {
        return Err(Failure::usage(format!(
            "`{}` cannot be waived: {}",
            finding.rule.id(),
            finding.rule.fix()
        )));
    }
    if finding.waived.is_some() {
        return Err(Failure::usage(format!(
            "{} is waived already",
            args.fingerprint
        )));
    }
    if compared
        .report
        .current
        .as_ref()
        .is_some_and(|current| current.reaches(&until))
    {
        return Err(Failure::usage(format!("--until {until} is over already")));
    }
    let (path, table) = compared.settings.waivers(compared.files.folder());
    let path = path.strip_prefix("./").unwrap_or(&path);
    let before = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.map_err(|error| {
            Failure::unreadable(format!("cannot read {}: {error}", path.display()))
        })?,
    };
    let gap = if before.is_empty() || before.ends_with("\n\n") {
        ""
    } else {
        "\n"
    };
    let waiver = waiver(&table, finding, args.reason.trim(), &until.to_string());
    let text = before + gap + &waiver;
    // Otherwise the next command, or cargo itself, could not read the file.
    if text.parse::<toml::Table>().is_err() {
        return Err(Failure::usage(format!(
            "{} has its settings in brackets, so that no waiver can be put behind them; write it into them by hand:\n{}",
            path.display(),
            waiver.trim_end()
        )));
    }
    write_public(path, text.as_bytes()).map_err(|error| {
        Failure::unreadable(format!("cannot write {}: {error}", path.display()))
    })?;
    let print = || {
        let mut out = io::stdout().lock();
        writeln!(
            out,
            "{} is let through until {until}: {}",
            finding.fingerprint, finding.message
        )?;
        writeln!(out, "wrote {}", path.display())
    };
    Ok(terminal::printed(print()))
}
