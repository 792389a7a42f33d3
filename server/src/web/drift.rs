//! The changes that a release makes to stored states, by type.

use std::collections::{BTreeMap, HashMap};

use axum::extract::{Path, State};
use maud::{Markup, html};
use upstate_compat::Level;

use super::frame::{
    Chip, Section, chips, counted, instances_at, pagination, section, shown, type_page,
    workspaces_at,
};
use super::visitor::{Requested, Visitor};
use super::{Answer, Shared, Web};
use crate::service::Drift;

/// A choice of findings: its name in URLs and in words, and those that it has.
type Choice = (&'static str, &'static str, fn(&Drift) -> bool);

/// The choices, the one first that says where something may be lost.
const CHOICES: [Choice; 6] = [
    ("values", "A value is stored there", has_value),
    ("error", "Error", |one| one.finding.level == Level::Error),
    ("breaking", "Breaking", |one| {
        one.finding.level == Level::Breaking
    }),
    ("warning", "Warning", |one| {
        one.finding.level == Level::Warning
    }),
    ("potential", "Potential", |one| {
        one.finding.level == Level::Potential
    }),
    ("info", "Info", |one| one.finding.level == Level::Info),
];

fn has_value(one: &Drift) -> bool {
    one.with_value.is_some_and(|holding| holding.instances > 0)
}

fn choices(all: &[Drift], chosen: Option<&str>) -> Markup {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let whole = Chip {
        label: "All",
        number: count(all.len()),
        link: "?".to_owned(),
        is_chosen: chosen.is_none(),
    };
    let some = CHOICES.into_iter().map(|(name, label, has)| Chip {
        label,
        number: count(all.iter().filter(|one| has(one)).count()),
        link: format!("?show={name}"),
        is_chosen: chosen == Some(name),
    });
    chips(
        "Findings by level",
        &std::iter::once(whole).chain(some).collect::<Vec<_>>(),
    )
}

pub(super) async fn show(
    State(web): Shared,
    Path(name): Path<String>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let (_, organization) =
        visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let drifts = visitor.reported(web.service.drift(&visitor.principal, &name).await)?;
    // Another word shows all, so that no page is empty for a link of another release.
    let chosen = CHOICES
        .into_iter()
        .find(|(choice, ..)| requested.get("show") == Some(*choice));
    let listed: Vec<&Drift> = drifts
        .findings
        .iter()
        .filter(|one| chosen.is_none_or(|(.., has)| has(one)))
        .collect();
    let by_type = by_type(&listed);
    // A release of a hundred types would be a heavy page.
    let page = requested.page();
    let on_page = page.of(&by_type);
    let with_values = drifts.findings.iter().filter(|one| has_value(one)).count();
    let body = html! {
        h2 { "Changes that this release of the server makes to stored states" }
        @if drifts.findings.is_empty() { p .lead { "It changes nothing that this organization stores." } }
        @else {
            p .lead {
                @if chosen.is_some() { (listed.len()) " of " }
                (counted(drifts.findings.len(), "finding", "findings")) " for the stored instances of "
                (counted(by_type.len(), "type", "types")) ", the worst first. "
                @if with_values > 0 { a href="?show=values" { strong { (with_values) } @if with_values == 1 { " is" } @else { " are" } " about attributes with stored values" } "." }
                @else { "None is about an attribute with stored values." }
            }
            (choices(&drifts.findings, chosen.map(|(choice, ..)| choice)))
            @for findings in on_page { (of_type(&web, &name, findings)) }
            (pagination(&requested, page, u64::try_from(by_type.len()).unwrap_or(u64::MAX)))
        }
        @if !drifts.undescribed.is_empty() {
            h2 { "Not described" }
            p { "Neither the server's types nor its lock describe these, so nothing is known of their changes." }
            ul {
                @for one in &drifts.undescribed {
                    li {
                        code { (shown(&one.type_name)) } " version " (one.version) ", "
                        a href=(workspaces_at(&name, &one.type_name, one.version)) { (counted(one.workspaces, "workspace", "workspaces")) }
                    }
                }
            }
        }
    };
    Ok(section(&visitor, &organization, Section::Changes, &body))
}

/// The findings of each type; types and findings in the order that the findings have, the worst
/// first.
fn by_type<'d>(all: &[&'d Drift]) -> Vec<Vec<&'d Drift>> {
    let mut types: Vec<Vec<&'d Drift>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for &one in all {
        let place = *places.entry(&one.type_name).or_insert(types.len());
        match types.get_mut(place) {
            Some(findings) => findings.push(one),
            None => types.push(vec![one]),
        }
    }
    types
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Safe | Level::Info => "tag",
        Level::Potential | Level::Warning => "tag warn",
        Level::Breaking | Level::Error => "tag bad",
    }
}

/// The findings of a type, folded, with how much of it is stored at which versions.
fn of_type(web: &Web, organization: &str, findings: &[&Drift]) -> Markup {
    let Some(worst) = findings.first() else {
        return html! {};
    };
    let stored: BTreeMap<u64, (usize, usize)> = findings
        .iter()
        .map(|one| (one.from, (one.instances, one.workspaces)))
        .collect();
    html! {
        details {
            summary {
                span class=(level(worst.finding.level)) { (worst.finding.level.name()) } " " code { (shown(&worst.type_name)) } ", "
                (counted(findings.len(), "finding", "findings")) ": "
                @for (index, (version, (instances, workspaces))) in stored.iter().enumerate() {
                    @if index > 0 { "; " }
                    (counted(*instances, "instance", "instances")) " in " (counted(*workspaces, "workspace", "workspaces")) " at version " (version)
                }
            }
            p { a href=(type_page(web.service.registry(), organization, &worst.type_name)) { "Its versions and attributes" } }
            ul {
                @for (version, (instances, workspaces)) in &stored {
                    li {
                        a href=(instances_at(organization, &worst.type_name, *version)) { (counted(*instances, "instance", "instances")) } " in "
                        a href=(workspaces_at(organization, &worst.type_name, *version)) { (counted(*workspaces, "workspace", "workspaces")) }
                        " at version " (version)
                    }
                }
            }
            (table(&worst.type_name, findings))
        }
    }
}

/// The findings of a type as a table, without the type.
pub(super) fn table(type_name: &str, findings: &[&Drift]) -> Markup {
    html! {
        div .scroll tabindex="0" role="group" aria-label=(format!("Findings of {}", shown(type_name))) { table {
            thead { tr { th scope="col" { "Level" } th scope="col" { "Version" } th scope="col" { "Attribute" } th scope="col" { "Change" } th scope="col" { "Where" } } }
            tbody { @for one in findings { (row(one)) } }
        } }
    }
}

fn row(one: &Drift) -> Markup {
    html! {
        tr {
            td { span class=(level(one.finding.level)) { (one.finding.level.name()) } }
            td { (one.from) @if let Some(to) = one.to { " → " (to) } }
            td { @if !one.finding.path.is_empty() { code { (shown(&one.finding.path)) } } }
            td { (shown(without_place(one))) @if let Some(note) = &one.finding.note { " " span .soft { (shown(note)) } } }
            td {
                @if let Some(holding) = one.with_value {
                    @if holding.instances == 0 { "no instance has a value there, of " (one.instances) } @else {
                        (counted(holding.instances, "instance has", "instances have")) " a value there, in "
                        (counted(holding.workspaces, "workspace", "workspaces")) ", of " (one.instances) " in " (one.workspaces)
                    }
                } @else {
                    (counted(one.instances, "instance", "instances")) " in " (counted(one.workspaces, "workspace", "workspaces"))
                }
            }
        }
    }
}

/// The message without the type and the path at its beginning, which the table has.
fn without_place(one: &Drift) -> &str {
    let message = one.finding.message.as_str();
    let Some(rest) = message.strip_prefix(one.type_name.as_str()) else {
        return message;
    };
    let rest = rest
        .strip_prefix('.')
        .and_then(|rest| rest.strip_prefix(one.finding.path.as_str()))
        .unwrap_or(rest);
    rest.trim_start_matches([':', ' '])
}
