//! Differences: between two versions, or before and after an upgrade.

use axum::extract::{Path, State};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::value::RawValue;
use upstate::path::Printable;
use upstate_state::difference::{Window, windows};
use upstate_state::{Change, Shown};

use super::frame::{counted, described as message, page, pagination, shown, unfolded};
use super::visitor::{Requested, Visitor};
use super::workspace::{crumbs, organization};
use super::{Answer, Shared};
use crate::model::{Status, Version, VersionId};
use crate::service::{Action, Compared, Comparison, Shown as Listed};
use crate::store::Page;

/// The upgrade of an instance, in the form of the report of `plan --format json`.
#[derive(Deserialize)]
pub(super) struct Reported {
    from: u64,
    to: u64,
    changes: Vec<ReportedChange>,
    dropped: Vec<ReportedDropped>,
    diagnostics: Vec<ReportedDiagnostic>,
    identity: Option<ReportedIdentity>,
}

/// The identity after a downgrade.
#[derive(Deserialize)]
struct ReportedIdentity {
    from: u64,
    /// Nothing if it is removed.
    to: Option<u64>,
    changes: Vec<ReportedChange>,
    diagnostics: Vec<ReportedDiagnostic>,
}

#[derive(Deserialize)]
struct ReportedChange {
    path: String,
    action: Action,
    before: Option<Box<RawValue>>,
    after: Option<Box<RawValue>>,
    #[serde(default)]
    before_sensitive: bool,
    #[serde(default)]
    after_sensitive: bool,
}

#[derive(Deserialize)]
struct ReportedDropped {
    path: String,
    reason: String,
}

#[derive(Deserialize)]
struct ReportedDiagnostic {
    severity: Severity,
    summary: String,
    detail: String,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Severity {
    Error,
    Warning,
}

/// The number of characters of a value that are shown at first.
const WIDTH: usize = 160;

/// A value beside another.
enum Value<'a> {
    Json(&'a str),
    Sensitive,
    Unknown,
}

impl<'a> Value<'a> {
    fn of(raw: Option<&'a RawValue>, sensitive: bool) -> Self {
        match raw {
            _ if sensitive => Self::Sensitive,
            Some(raw) => Self::Json(raw.get()),
            None => Self::Unknown,
        }
    }

    fn of_shown(shown: &'a Shown) -> Self {
        match shown {
            Shown::Json(json) => Self::Json(json),
            Shown::Hidden => Self::Sensitive,
            Shown::Undefined => Self::Unknown,
        }
    }

    fn cell(&self) -> Markup {
        match self {
            Self::Json(json) => window(&Window::of(json, WIDTH), json),
            Self::Sensitive => html! { em { "(sensitive value)" } },
            Self::Unknown => html! { em { "(not shown)" } },
        }
    }
}

const fn class(action: Action) -> &'static str {
    match action {
        Action::Added => "add",
        Action::Removed => "remove",
        Action::Changed => "change",
    }
}

/// A part of a value, with what differs in it marked; the whole of it is unfolded by who wants it.
fn window(part: &Window, whole: &str) -> Markup {
    html! {
        code {
            @if part.cut_before { "…" }
            (Printable(&part.same_before).to_string())
            @if !part.differs.is_empty() { mark { (Printable(&part.differs).to_string()) } }
            (Printable(&part.same_after).to_string())
            @if part.cut_after { "…" }
        }
        @if part.is_cut() { (unfolded(whole)) }
    }
}

/// The cells before and after, of which the values are compared where both are shown.
fn cells(before: Option<Value<'_>>, after: Option<Value<'_>>) -> (Markup, Markup) {
    if let (Some(Value::Json(old)), Some(Value::Json(new))) = (&before, &after) {
        let (before, after) = windows(old, new, WIDTH);
        return (window(&before, old), window(&after, new));
    }
    let cell = |value: Option<Value<'_>>| value.map_or_else(Markup::default, |value| value.cell());
    (cell(before), cell(after))
}

fn row(action: Action, path: &str, before: Option<Value<'_>>, after: Option<Value<'_>>) -> Markup {
    let (before, after) = cells(before, after);
    html! {
        tr class=(class(action)) {
            td { (action.name()) }
            th scope="row" { @if path.is_empty() { "the whole" } @else { code { (shown(path)) } } }
            td { (before) }
            td { (after) }
        }
    }
}

fn table(rows: &[Markup]) -> Markup {
    html! {
        @if !rows.is_empty() {
            div .scroll tabindex="0" role="group" aria-label="Table" { table .diff {
                thead { tr { th scope="col" { "Change" } th scope="col" { "Attribute" } th scope="col" { "Before" } th scope="col" { "After" } } }
                tbody { @for row in rows { (row) } }
            } }
        }
    }
}

/// An instance of a plan.
pub(super) fn instance(address: &str, raw: &RawValue) -> Markup {
    let Ok(reported) = serde_json::from_str::<Reported>(raw.get()) else {
        return html! { section { h3 { code { (shown(address)) } } p .bad { "Its part of the plan cannot be read." } } };
    };
    let rows: Vec<Markup> = reported.changes.iter().map(reported_row).collect();
    html! {
        section {
            h3 { code { (shown(address)) } " " span .soft { (reported.from) " → " (reported.to) } }
            (diagnostics(&reported.diagnostics))
            @for dropped in &reported.dropped { p .warn { "Dropped: " code { (shown(&dropped.path)) } ", " (shown(&dropped.reason)) } }
            (table(&rows))
            @if let Some(identity) = &reported.identity {
                @let rows = identity.changes.iter().map(reported_row).collect::<Vec<_>>();
                p { "Its identity: " span .soft { (identity.from) " → " @if let Some(to) = identity.to { (to) } @else { "removed" } } }
                (diagnostics(&identity.diagnostics))
                (table(&rows))
            }
        }
    }
}

fn diagnostics(all: &[ReportedDiagnostic]) -> Markup {
    html! {
        @for described in all {
            @let class = match described.severity { Severity::Error => "bad", Severity::Warning => "warn" };
            p class=(class) { strong { (shown(&described.summary)) } " " (message(&described.detail)) }
        }
    }
}

fn reported_row(change: &ReportedChange) -> Markup {
    let before = || Value::of(change.before.as_deref(), change.before_sensitive);
    let after = || Value::of(change.after.as_deref(), change.after_sensitive);
    match change.action {
        Action::Added => row(change.action, &change.path, None, Some(after())),
        Action::Removed => row(change.action, &change.path, Some(before()), None),
        Action::Changed => row(change.action, &change.path, Some(before()), Some(after())),
    }
}

fn compared_row(change: &Change) -> Markup {
    let (before, after) = (change.old().map(Value::of_shown), change.new_value().map(Value::of_shown));
    let action = match (&before, &after) {
        (None, _) => Action::Added,
        (_, None) => Action::Removed,
        (Some(_), Some(_)) => Action::Changed,
    };
    row(action, &change.path().to_string(), before, after)
}

fn compared(one: &Compared) -> Markup {
    let rows: Vec<Markup> = if one.type_name.is_empty() {
        let (before, after) = match &one.values {
            Some((before, after)) => (before.as_deref().map(Value::Json), after.as_deref().map(Value::Json)),
            None => (Some(Value::Sensitive), Some(Value::Sensitive)),
        };
        vec![row(one.action, "value", before, after)]
    } else {
        one.changes.iter().map(compared_row).collect()
    };
    html! {
        section {
            h3 {
                code { (shown(&one.address)) } " " span .tag { (one.action.name()) }
                @if let (Some(from), Some(to)) = (one.from, one.to) { @if from != to { " " span .soft { (from) " → " (to) } } }
            }
            (table(&rows))
        }
    }
}

/// The version to compare with: one of the newest, or the one that the URL names.
fn choice(others: &[Listed], found: &Comparison) -> Markup {
    let named = found.before.iter().filter(|before| others.iter().all(|one| one.version.id != before.id));
    let all = others.iter().map(|one| &one.version).chain(named).filter(|one| one.id != found.after.id);
    let all: Vec<&Version> = all.collect();
    if all.is_empty() {
        return html! {};
    }
    html! {
        form method="get" {
            label for="from" { "Compare serial " (found.after.serial) " with" }
            div .row {
                select #from name="from" {
                    @for one in all {
                        option value=(one.id.as_str()) selected[found.before.as_ref().is_some_and(|before| before.id == one.id)] {
                            "serial " (one.serial) ", " (one.created_at)
                        }
                    }
                }
                button .quiet { "Compare" }
            }
        }
    }
}

/// Two versions beside each other.
pub(super) async fn show(State(web): Shared, Path(id): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    let at = requested.page();
    let before = requested.get("from").map(VersionId::from_text);
    let found =
        visitor.reported(web.service.compare(&visitor.principal, &VersionId::from_text(id), before.as_ref(), at).await)?;
    let (_, snapshot) = visitor.reported(web.service.workspace(&visitor.principal, &found.after.workspace).await)?;
    let organization = visitor.reported(organization(&web, &snapshot.workspace).await)?;
    let named = (organization.name.as_str(), snapshot.workspace.name.as_str());
    let newest = Page { number: 1, ..at };
    let others = visitor.reported(web.service.versions(&visitor.principal, named, &[Status::Finalized], newest).await)?;
    let title = match &found.before {
        Some(before) => format!("{}: serial {} → {}", shown(&snapshot.workspace.name), before.serial, found.after.serial),
        None => format!("{}: serial {}", shown(&snapshot.workspace.name), found.after.serial),
    };
    let body = html! {
        (crumbs(&organization, Some(&snapshot.workspace)))
        (choice(&others.items, &found))
        p { (counted(found.differences.total, "difference", "differences")) " in outputs and instances. Sensitive values are hidden." }
        @for one in &found.differences.items { (compared(one)) }
        (pagination(&requested, at, found.differences.total))
    };
    Ok(page(&visitor, &title, &body))
}
