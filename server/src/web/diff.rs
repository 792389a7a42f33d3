//! Differences: between two versions, or before and after an upgrade.

use std::collections::BTreeSet;

use axum::extract::{Path, State};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::value::RawValue;
use upstate::Registry;
use upstate::path::Printable;
use upstate_state::difference::{
    Entry, Line, Mark, Moves, Row, Side, Window, line_windows, lines, rows, windows,
};

use super::beside::{Instance, beside};
use super::frame::{
    Above, Chip, chips, counted, described as message, exactly, page, pagination, shown, unfolded,
};
use super::visitor::{Requested, Visitor};
use super::workspace::organization;
use super::{Answer, Shared, on_to};
use crate::model::{Status, Version, VersionId};
use crate::service::{
    Action, Compared, Comparison, ComparisonFilter, PlannedInstance, Shown as Listed,
};
use crate::store::Page;

/// The upgrade of an instance, in the form of the report of `plan --format json`.
#[derive(Deserialize)]
pub(super) struct Reported {
    #[serde(rename = "type", default)]
    type_name: String,
    from: u64,
    to: u64,
    changes: Vec<ReportedChange>,
    dropped: Vec<ReportedDropped>,
    diagnostics: Vec<ReportedDiagnostic>,
    identity: Option<ReportedIdentity>,
}

impl Reported {
    /// True if nothing but the schema version changes.
    fn is_bare(&self) -> bool {
        self.changes.is_empty()
            && self.dropped.is_empty()
            && self.diagnostics.is_empty()
            && self.identity.is_none()
    }
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
    /// The sentence of the detail that is for the authors of the provider.
    #[serde(default)]
    authors: Option<String>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Severity {
    Error,
    Warning,
}

/// The number of characters of a value that are shown at first.
const WIDTH: usize = 160;

/// The number of characters of a line of a nested value that are shown.
const LINE: usize = 300;

const fn class(action: Action) -> &'static str {
    match action {
        Action::Added => "add",
        Action::Removed => "remove",
        Action::Changed => "change",
    }
}

/// A part of a value, with what differs in it marked.
fn marked(part: &Window) -> Markup {
    html! {
        @if part.cut_before { "…" }
        (Printable(&part.same_before).to_string())
        @if !part.differs.is_empty() { mark { (Printable(&part.differs).to_string()) } }
        (Printable(&part.same_after).to_string())
        @if part.cut_after { "…" }
    }
}

/// A part of a value, of which the whole is unfolded by who wants it.
fn window(part: &Window, whole: &str) -> Markup {
    html! {
        code { (marked(part)) }
        @if part.is_cut() { (unfolded(whole)) }
    }
}

/// The cell of a value that is not compared with another one.
fn cell(side: Side<'_>, is_new: bool) -> Markup {
    match side {
        Side::Json(json) => match if is_new {
            lines(None, Some(json))
        } else {
            lines(Some(json), None)
        } {
            Some(lines) => nested(&lines),
            None => window(&Window::of(json, WIDTH), json),
        },
        Side::Hidden => html! { em { "(sensitive value)" } },
        Side::Undefined => html! { em { "(not shown)" } },
    }
}

/// A nested value, or two of them, a line for each value inside.
fn nested(all: &[Line]) -> Markup {
    html! {
        pre .nested {
            @for (line, (name, part)) in all.iter().zip(line_windows(all, LINE)) {
                @let text = html! { (Printable(&name).to_string()) (marked(&part)) };
                @match line.mark {
                    Mark::Same => span { "  " (text) "\n" },
                    Mark::Removed => span .remove { "- " (text) "\n" },
                    Mark::Added => span .add { "+ " (text) "\n" },
                    Mark::Skipped(number) => span .soft { "… " (counted(number, "equal line", "equal lines")) "\n" },
                }
            }
        }
    }
}

fn path_cell(path: &str) -> Markup {
    html! { @if path.is_empty() { "the whole" } @else { code { (shown(path)) } } }
}

fn row(row: &Row<'_>) -> Markup {
    let action = match row {
        Row::Added(..) => Action::Added,
        Row::Removed(..) => Action::Removed,
        Row::Changed(..) | Row::Moved(..) | Row::Converted(..) => Action::Changed,
    };
    html! {
        tr class=(class(action)) {
            @match row {
                Row::Added(path, after) => { td { (action.name()) } th scope="row" { (path_cell(path)) } td {} td { (cell(*after, true)) } },
                Row::Removed(path, before) => { td { (action.name()) } th scope="row" { (path_cell(path)) } td { (cell(*before, false)) } td {} },
                Row::Moved(from, to, json) => {
                    td { "moved" } th scope="row" { (path_cell(from)) " → " (path_cell(to)) } td colspan="2" { (window(&Window::of(json, WIDTH), json)) }
                },
                Row::Converted(from, to, before, after) => {
                    // A row does not say whether two hidden values are equal.
                    td { "moved" @if before != after { " and changed" } } th scope="row" { (path_cell(from)) " → " (path_cell(to)) } (changed(*before, *after))
                },
                Row::Changed(path, before, after) => { td { (action.name()) } th scope="row" { (path_cell(path)) } (changed(*before, *after)) },
            }
        }
    }
}

/// The cells of a value that differs: both sides around the difference, or one picture of nested
/// values.
fn changed(before: Side<'_>, after: Side<'_>) -> Markup {
    let (Side::Json(old), Side::Json(new)) = (before, after) else {
        return html! { td { (cell(before, false)) } td { (cell(after, true)) } };
    };
    if let Some(lines) = lines(Some(old), Some(new)) {
        return html! { td colspan="2" { (nested(&lines)) } };
    }
    let (before, after) = windows(old, new, WIDTH);
    html! { td { (window(&before, old)) } td { (window(&after, new)) } }
}

/// The attributes that move between two versions of a type, if it is known.
fn moves(registry: &Registry, type_name: &str, from: u64, to: u64) -> Moves {
    registry
        .get(type_name)
        .map_or_else(Moves::default, |definition| {
            Moves::between(definition, from, to)
        })
}

fn table<'a>(entries: impl IntoIterator<Item = Entry<'a>>, moves: &Moves) -> Markup {
    let rows = rows(entries, moves);
    html! {
        @if !rows.is_empty() {
            div .scroll tabindex="0" role="group" aria-label="Attributes that differ" { table .diff {
                thead { tr { th scope="col" { "Change" } th scope="col" { "Attribute" } th scope="col" { "Before" } th scope="col" { "After" } } }
                tbody { @for one in &rows { (row(one)) } }
            } }
        }
    }
}

/// An instance of which nothing but the schema version differs, folded: of hundreds of them,
/// somebody looks at the others.
fn bare(address: &str, from: u64, to: u64, text: &str) -> Markup {
    html! {
        section {
            details { summary { code { (shown(address)) } " " span .soft { (from) " → " (to) } } p .soft { (text) } }
        }
    }
}

/// An instance of a plan, with a word for the tree beside it.
pub(super) fn planned<'a>(registry: &Registry, one: &'a PlannedInstance) -> Instance<'a> {
    let outcome = match (one.has_failed, one.loses) {
        (true, _) => "fails",
        (false, true) => "loses values",
        (false, false) => "",
    };
    Instance {
        address: &one.address,
        outcome,
        part: instance(registry, &one.address, &one.upgrade),
    }
}

/// An instance of a plan.
pub(super) fn instance(registry: &Registry, address: &str, raw: &RawValue) -> Markup {
    let Ok(reported) = serde_json::from_str::<Reported>(raw.get()) else {
        return html! { section { h3 { code { (shown(address)) } } p .bad { "Its part of the plan cannot be read." } } };
    };
    if reported.is_bare() {
        // An upgrade to the same version rewrites attributes of Terraform 0.11.
        let is_flat = reported.from == reported.to;
        let text = if is_flat {
            "Only the form of its attributes changes."
        } else {
            "Only the schema version changes."
        };
        return bare(address, reported.from, reported.to, text);
    }
    let moves = moves(registry, &reported.type_name, reported.from, reported.to);
    html! {
        section {
            h3 { code { (shown(address)) } " " span .soft { (reported.from) " → " (reported.to) } }
            (diagnostics(&reported.diagnostics))
            @for dropped in &reported.dropped { p .warn { "Dropped: " code { (shown(&dropped.path)) } ", " (shown(&dropped.reason)) } }
            (table(reported.changes.iter().map(ReportedChange::entry), &moves))
            @if let Some(identity) = &reported.identity {
                p { "Its identity: " span .soft { (identity.from) " → " @if let Some(to) = identity.to { (to) } @else { "removed" } } }
                (diagnostics(&identity.diagnostics))
                (table(identity.changes.iter().map(ReportedChange::entry), &Moves::default()))
            }
        }
    }
}

fn diagnostics(all: &[ReportedDiagnostic]) -> Markup {
    html! {
        @for described in all {
            @let class = match described.severity { Severity::Error => "bad", Severity::Warning => "warn" };
            @let (detail, authors) = (&described.detail, described.authors.as_deref());
            div class=(class) {
                strong { (shown(&described.summary)) } " "
                @if let Some(authors) = authors {
                    (message(&detail.replacen(authors, "", 1)))
                    details { summary .soft { "For the authors of the provider" } (message(authors)) }
                } @else { (message(detail)) }
            }
        }
    }
}

/// A value of a report.
fn side(raw: Option<&RawValue>, is_sensitive: bool) -> Side<'_> {
    match raw {
        _ if is_sensitive => Side::Hidden,
        Some(raw) => Side::Json(raw.get()),
        None => Side::Undefined,
    }
}

impl ReportedChange {
    fn entry(&self) -> Entry<'_> {
        let before = || Some(side(self.before.as_deref(), self.before_sensitive));
        let after = || Some(side(self.after.as_deref(), self.after_sensitive));
        let (before, after) = match self.action {
            Action::Added => (None, after()),
            Action::Removed => (before(), None),
            Action::Changed => (before(), after()),
        };
        Entry {
            path: self.path.clone(),
            before,
            after,
        }
    }
}

/// The difference of an instance or an output, with a word for the tree beside it.
fn differing<'a>(registry: &Registry, one: &'a Compared) -> Instance<'a> {
    let outcome = match one.action {
        Action::Added | Action::Removed => one.action.name(),
        Action::Changed => "",
    };
    Instance {
        address: &one.address,
        outcome,
        part: compared(registry, one),
    }
}

/// The difference of an instance, or of an output, which has one value.
fn compared(registry: &Registry, one: &Compared) -> Markup {
    let moves = match (one.from, one.to) {
        (Some(from), Some(to)) => moves(registry, &one.type_name, from, to),
        (None, _) | (_, None) => Moves::default(),
    };
    let entries: Vec<Entry<'_>> = if one.type_name.is_empty() {
        let (before, after) = match &one.values {
            Some((before, after)) => (
                before.as_deref().map(Side::Json),
                after.as_deref().map(Side::Json),
            ),
            None => (Some(Side::Hidden), Some(Side::Hidden)),
        };
        vec![Entry {
            path: "value".to_owned(),
            before,
            after,
        }]
    } else {
        one.changes
            .iter()
            .map(|change| Entry {
                path: change.path().to_string(),
                before: change.old().map(Side::from),
                after: change.new_value().map(Side::from),
            })
            .collect()
    };
    if let (Some(from), Some(to)) = (one.from, one.to)
        && from != to
        && entries.is_empty()
    {
        return bare(&one.address, from, to, "No attribute differs.");
    }
    html! {
        section {
            h3 {
                code { (shown(&one.address)) } " " span .tag { (one.action.name()) }
                @if let (Some(from), Some(to)) = (one.from, one.to) { @if from != to { " " span .soft { (from) " → " (to) } } }
            }
            // Otherwise there would be a heading alone: form and marks are compared, too, and no
            // page shows them.
            @if one.action == Action::Changed && entries.is_empty() { p .soft { "No attribute differs, only their form or which are sensitive." } }
            (table(entries, &moves))
        }
    }
}

/// The version to compare with: one of the newest, or the one that the URL names.
fn choice(requested: &Requested, others: &[Listed], found: &Comparison) -> Markup {
    let named = found
        .before
        .iter()
        .filter(|before| others.iter().all(|one| one.version.id != before.id));
    let all = others
        .iter()
        .map(|one| &one.version)
        .chain(named)
        .filter(|one| one.id != found.after.id);
    let all: Vec<&Version> = all.collect();
    if all.is_empty() {
        return html! {};
    }
    html! {
        form method="get" {
            // The choice stays beside another version, because a form begins a query of its own.
            @for kept in ["change", "type"] {
                @if let Some(value) = requested.get(kept) { input type="hidden" name=(kept) value=(value); }
            }
            label for="from" { "Compare serial " (found.after.serial) " with" }
            div .row {
                select #from name="from" {
                    @for one in all {
                        option value=(one.id.as_str()) selected[found.before.as_ref().is_some_and(|before| before.id == one.id)] {
                            "serial " (one.serial) ", " (exactly(one.created_at))
                        }
                    }
                }
                button .quiet { "Compare" }
            }
        }
    }
}

/// The changes of a comparison, as choices.
const ACTIONS: [(Action, &str); 3] = [
    (Action::Added, "Added"),
    (Action::Changed, "Changed"),
    (Action::Removed, "Removed"),
];

/// The number of differences that are wanted by type and change. The type name of outputs is empty.
fn number(found: &Comparison, wanted: impl Fn(&str, Action) -> bool) -> u64 {
    let counts = found
        .counts
        .iter()
        .filter(|((type_name, action), _)| wanted(type_name, *action));
    counts.map(|(_, number)| *number).sum()
}

/// The numbers of what differs, in a sentence.
fn sums(found: &Comparison) -> Markup {
    let [added, changed, removed] = ACTIONS.map(|(action, _)| {
        number(found, |type_name, one| {
            !type_name.is_empty() && one == action
        })
    });
    let outputs = number(found, |type_name, _| type_name.is_empty());
    html! {
        p .lead {
            @if added + changed + removed > 0 {
                strong {
                    (counted(added, "instance was added", "instances were added")) ", " (changed) " changed, " (removed) " removed"
                }
                ". "
            } @else { "No instance differs. " }
            @if outputs > 0 { (counted(outputs, "output differs", "outputs differ")) ". " }
            @if found.moved > 0 { (counted(found.moved, "value moved", "values moved")) " to another attribute. " }
            @if found.converted > 0 { (counted(found.converted, "value was", "values were")) " converted. " }
            // Of what an upgrade did not make, no number says that nothing was dropped.
            @if let Some(dropped) = found.dropped.filter(|dropped| dropped + found.dropped_omitted > 0) {
                @if found.dropped_omitted > 0 { "At least " }
                strong { (counted(dropped, "value was", "values were")) " dropped" } ". "
            }
            "Sensitive values are hidden."
        }
    }
}

/// The choices of differences by change, and by type where there are several.
fn choices(requested: &Requested, found: &Comparison, filter: &ComparisonFilter) -> Markup {
    let (change, chosen) = (filter.action, filter.type_name.as_deref());
    let link = |change: Option<Action>, of_type: Option<&str>| -> String {
        let mut query = form_urlencoded::Serializer::for_suffix("?".to_owned(), 1);
        let parameters = [
            ("from", requested.get("from")),
            ("change", change.map(Action::name)),
            ("type", of_type),
        ];
        for (name, value) in parameters {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        query.finish()
    };
    let is_of_type = |type_name: &str| chosen.is_none_or(|chosen| chosen == type_name);
    let whole = Chip {
        label: "All",
        number: number(found, |type_name, _| is_of_type(type_name)),
        link: link(None, chosen),
        is_chosen: change.is_none(),
    };
    let some = ACTIONS.into_iter().map(|(action, label)| Chip {
        label,
        number: number(found, |type_name, one| {
            one == action && is_of_type(type_name)
        }),
        link: link(Some(action), chosen),
        is_chosen: change == Some(action),
    });
    let by_change: Vec<Chip<'_>> = std::iter::once(whole).chain(some).collect();
    let names: BTreeSet<&str> = found
        .counts
        .keys()
        .map(|(name, _)| name.as_str())
        .filter(|name| !name.is_empty())
        .collect();
    let labels: Vec<(&str, String)> = names.into_iter().map(|name| (name, shown(name))).collect();
    let by_type: Vec<Chip<'_>> = labels
        .iter()
        .map(|(name, label)| {
            let is_chosen = chosen == Some(*name);
            let number = number(found, |type_name, one| {
                type_name == *name && change.is_none_or(|change| change == one)
            });
            // The chosen one leads back to all types.
            Chip {
                label,
                number,
                link: link(change, if is_chosen { None } else { Some(*name) }),
                is_chosen,
            }
        })
        .collect();
    html! {
        (chips("Differences by change", &by_change))
        @if by_type.len() > 1 || chosen.is_some() {
            details open[chosen.is_some()] {
                summary { "By type: " (counted(by_type.len(), "type", "types")) }
                (chips("Differences by type", &by_type))
            }
        }
        @if change.is_some() || chosen.is_some() {
            p role="status" {
                (counted(found.differences.total, "difference", "differences"))
                @if let Some(type_name) = chosen { " of " code { (shown(type_name)) } }
                @if let Some(action) = change { ", " (action.name()) }
                ". " a href=(link(None, None)) { "All differences" }
            }
        }
    }
}

/// Leads from the two marks in the list of versions to their comparison.
pub(super) async fn choose(
    Path(id): Path<String>,
    _: Visitor,
    requested: Requested,
) -> axum::response::Response {
    let part = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let path = match (requested.get("from"), requested.get("to")) {
        (Some(from), Some(to)) => format!(
            "/ui/state-versions/{}/comparison?from={}",
            part(to),
            part(from)
        ),
        (None, _) | (_, None) => format!("/ui/workspaces/{}", part(&id)),
    };
    on_to(&path)
}

/// Two versions beside each other.
pub(super) async fn show(
    State(web): Shared,
    Path(id): Path<VersionId>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let at = requested.page();
    let before = requested.get("from").map(VersionId::from_text);
    // Another word shows all, so that no page is empty for a link of another release.
    let action = ACTIONS
        .into_iter()
        .map(|(action, _)| action)
        .find(|action| requested.get("change") == Some(action.name()));
    let filter = ComparisonFilter {
        action,
        type_name: requested.get("type").map(str::to_owned),
    };
    let found = visitor.reported(
        web.service
            .compare(&visitor.principal, &id, before.as_ref(), filter.clone(), at)
            .await,
    )?;
    let (_, snapshot) = visitor.reported(
        web.service
            .workspace(&visitor.principal, &found.after.workspace)
            .await,
    )?;
    let organization =
        visitor.reported(organization(&web, &snapshot.workspace.organization).await)?;
    let named = (organization.name.as_str(), snapshot.workspace.name.as_str());
    let newest = Page { number: 1, ..at };
    let others = visitor.reported(
        web.service
            .versions(&visitor.principal, named, &[Status::Finalized], newest)
            .await,
    )?;
    let title = match &found.before {
        Some(before) => format!(
            "{}: serial {} → {}",
            shown(&snapshot.workspace.name),
            before.serial,
            found.after.serial
        ),
        None => format!(
            "{}: serial {}",
            shown(&snapshot.workspace.name),
            found.after.serial
        ),
    };
    let body = html! {
        (sums(&found))
        (choice(&requested, &others.items, &found))
        @if !found.counts.is_empty() { h2 { "Differences" } (choices(&requested, &found, &filter)) }
        (beside(&found.differences.items.iter().map(|one| differing(web.service.registry(), one)).collect::<Vec<_>>()))
        (pagination(&requested, at, found.differences.total))
    };
    Ok(page(
        &visitor,
        Above::Workspace(&organization, &snapshot.workspace),
        &title,
        &body,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_values_that_move_are_not_shown_as_different() {
        let moved = |before, after| {
            row(&Row::Converted(
                "a".to_owned(),
                "b".to_owned(),
                before,
                after,
            ))
            .into_string()
        };
        let hidden = moved(Side::Hidden, Side::Hidden);
        assert!(
            hidden.contains("<td>moved</td>") && hidden.contains("(sensitive value)"),
            "{hidden}"
        );
        for all in [
            moved(Side::Json("1"), Side::Hidden),
            moved(Side::Json("1"), Side::Json("2")),
        ] {
            assert!(all.contains("<td>moved and changed</td>"), "{all}");
        }
    }
}
