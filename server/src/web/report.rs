//! The report of the upgrade or downgrade that made a version: what it changed, dropped and warned
//! of.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::value::RawValue;
use upstate::Registry;

use super::diff::instance;
use super::frame::counted;
use super::picture::{Part, Tone, bar};

/// The number of instances whose details are not folded.
const OPEN: usize = 20;

/// The report, as the version keeps it.
#[derive(Deserialize)]
struct Report {
    to_release: Option<String>,
    instances: usize,
    upgraded: Option<usize>,
    downgraded: Option<usize>,
    current: usize,
    unknown_type: usize,
    data_sources: usize,
    notes: Vec<Box<RawValue>>,
    notes_omitted: usize,
}

/// An instance with a warning or a loss.
#[derive(Deserialize)]
struct Note<'n> {
    #[serde(borrow)]
    address: std::borrow::Cow<'n, str>,
}

/// A report, with the instances that somebody should look at.
pub(super) fn report(registry: &Registry, raw: &RawValue) -> Markup {
    let Ok(report) = serde_json::from_str::<Report>(raw.get()) else {
        return html! { p .bad { "The report of the upgrade cannot be read." } };
    };
    let changed = report.upgraded.or(report.downgraded).unwrap_or_default();
    let (noun, current) = if report.to_release.is_some() {
        ("downgrade", "as that release stores them")
    } else {
        ("upgrade", "current already")
    };
    let parts = [
        Part::new(Tone::Good, changed, format!("{changed} changed")),
        Part::new(
            Tone::Plain,
            report.current,
            format!("{} {current}", report.current),
        ),
        Part::new(
            Tone::Warn,
            report.unknown_type,
            format!("{} of an unknown type", report.unknown_type),
        ),
        Part::new(
            Tone::Faint,
            report.data_sources,
            counted(report.data_sources, "data source", "data sources"),
        ),
    ];
    let noted = report.notes.len() + report.notes_omitted;
    let (open, folded) = report.notes.split_at(report.notes.len().min(OPEN));
    html! {
        section {
            h2 { "Report of the " (noun) }
            p {
                "The " (noun) " changed " (changed) " of " (counted(report.instances, "instance", "instances")) ". "
                @if noted == 0 { "Nothing was dropped, and there is no warning." } @else {
                    (counted(noted, "instance has", "instances have")) " a warning or a value that was dropped: look whether the configuration must be changed."
                }
            }
            (bar("Instances by outcome", &parts))
            @for one in open { (note(registry, one)) }
            @if !folded.is_empty() { details { summary { (folded.len()) " more" } @for one in folded { (note(registry, one)) } } }
            @if report.notes_omitted > 0 { p .soft { (report.notes_omitted) " more are not kept; a comparison with the version before shows what changed in them." } }
        }
    }
}

fn note(registry: &Registry, raw: &RawValue) -> Markup {
    let address = serde_json::from_str::<Note<'_>>(raw.get())
        .map(|note| note.address)
        .unwrap_or_default();
    instance(registry, &address, raw)
}
