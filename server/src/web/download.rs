//! The report of a job as a file with a line for each workspace: CSV for spreadsheets, JSON lines for programs.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::IntoResponse as _;
use futures_util::stream;
use serde::Serialize;
use serde_json::value::RawValue;

use super::frame::{described, shown};
use super::job::end;
use super::visitor::{Requested, Visitor};
use super::{Answer, Shared, Web};
use crate::model::{ItemStatus, Job, JobId, JobItem, JobKind, JobStatus, VersionId};
use crate::rules::Refusal;
use crate::service::ItemReport;
use crate::store::{Page, StoreError};

/// The number of workspaces that are looked up at a time. Their reports are read one by one.
const AT_ONCE: u32 = 100;

/// The first line of CSV.
const COLUMNS: &str = "workspace,workspace id,outcome,state version,instances,values dropped,warnings,without details,why\r\n";

/// The form of a file.
#[derive(Debug, Clone, Copy)]
enum Form {
    Csv,
    JsonLines,
}

impl Form {
    const fn kind(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::JsonLines => "application/jsonl",
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
        }
    }
}

pub(super) async fn csv(state: Shared, Path(id): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    file(state, id, &visitor, &requested, Form::Csv).await
}

pub(super) async fn json_lines(state: Shared, Path(id): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    file(state, id, &visitor, &requested, Form::JsonLines).await
}

async fn file(State(web): Shared, id: String, visitor: &Visitor, requested: &Requested, form: Form) -> Answer {
    let id = JobId::from_text(id);
    let (job, _) = visitor.reported(web.service.job(&visitor.principal, &id).await)?;
    if job.status == JobStatus::Running {
        let why = format!("The job {id} runs. Its report can be downloaded when it has ended, or is stopped.");
        return visitor.reported(Err(Refusal::conflict(why)));
    }
    let headers = [
        (header::CONTENT_TYPE, form.kind().to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}.{}\"", job.id, form.extension())),
    ];
    let statuses = requested.get("status").and_then(ItemStatus::named).into_iter().collect();
    let lines = Lines { web, job, form, statuses, is_begun: false, page: 1, items: VecDeque::new() };
    // One line after the other, because a job may have more reports than there is memory for.
    let body = stream::try_unfold(lines, |mut lines| async move {
        let line = lines.next_line().await;
        let line = line.inspect_err(|error| tracing::error!(%error, "a report of a job was not sent to its end"))?;
        Ok::<_, StoreError>(line.map(|line| (line, lines)))
    });
    Ok((headers, Body::from_stream(body)).into_response())
}

/// The lines of a file, as far as they are not sent yet.
struct Lines {
    web: Arc<Web>,
    job: Job,
    form: Form,
    statuses: Vec<ItemStatus>,
    /// True after the line before the first workspace.
    is_begun: bool,
    /// The number of the next page of workspaces.
    page: u32,
    items: VecDeque<JobItem>,
}

impl Lines {
    /// The next line; nothing after the last.
    async fn next_line(&mut self) -> Result<Option<String>, StoreError> {
        if !self.is_begun {
            self.is_begun = true;
            match self.form {
                Form::Csv => return Ok(Some(COLUMNS.to_owned())),
                Form::JsonLines => {}
            }
        }
        let service = &self.web.service;
        if self.items.is_empty() {
            let page = Page { number: self.page, size: AT_ONCE };
            self.page += 1;
            self.items = service.store().job_items(&self.job.id, &self.statuses, page).await?.items.into();
        }
        let Some(item) = self.items.pop_front() else { return Ok(None) };
        let report = service.item_report(&self.job, item).await?;
        let line = match self.form {
            Form::Csv => csv_line(&self.job, &report),
            Form::JsonLines => json_line(&self.job, &report)?,
        };
        Ok(Some(line))
    }
}

/// The outcome for a workspace, in words.
const fn outcome(job: &Job, status: ItemStatus) -> &'static str {
    match (job.kind, status) {
        (JobKind::Plan, ItemStatus::Upgraded) => "would change",
        (JobKind::Plan, ItemStatus::Failed) => "would fail",
        (JobKind::Plan, ItemStatus::Waiting | ItemStatus::Current)
        | (JobKind::Change, ItemStatus::Waiting | ItemStatus::Upgraded | ItemStatus::Current | ItemStatus::Failed) => {
            end(job, status)
        }
    }
}

fn csv_line(job: &Job, report: &ItemReport) -> String {
    let ItemReport { item, name, numbers, report: _ } = report;
    let version = item.version.as_ref().map(VersionId::as_str).unwrap_or_default();
    let name = shown(name.as_deref().unwrap_or_default());
    let texts = [&*name, item.workspace.as_str(), outcome(job, item.status), version].map(cell);
    format!(
        "{},{},{},{},{},{}\r\n",
        texts.join(","),
        numbers.instances,
        numbers.losses,
        numbers.warnings,
        numbers.omitted,
        cell(&described(&item.detail))
    )
}

/// A cell with text. A spreadsheet would take what begins like a formula for one, so that it begins with a quote there.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

/// A workspace as a line of JSON.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Line<'l> {
    workspace: Option<&'l str>,
    workspace_id: &'l str,
    outcome: &'static str,
    state_version: Option<&'l str>,
    instances: usize,
    values_dropped: usize,
    warnings: usize,
    without_details: usize,
    why: &'l str,
    report: Option<&'l RawValue>,
}

fn json_line(job: &Job, report: &ItemReport) -> Result<String, StoreError> {
    let ItemReport { item, name, numbers, report } = report;
    let line = Line {
        workspace: name.as_deref(),
        workspace_id: item.workspace.as_str(),
        outcome: outcome(job, item.status),
        state_version: item.version.as_ref().map(VersionId::as_str),
        instances: numbers.instances,
        values_dropped: numbers.losses,
        warnings: numbers.warnings,
        without_details: numbers.omitted,
        why: &item.detail,
        report: report.as_deref(),
    };
    let written = serde_json::to_string(&line);
    let line = written.map_err(|error| StoreError::new("a line of the report of a job cannot be written").because(error))?;
    Ok(line + "\n")
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn no_cell_is_a_formula_or_ends_early() {
        let cells = [("net", "\"net\""), ("-1+2", "\"'-1+2\""), ("=A1", "\"'=A1\""), ("a \"b\", c", "\"a \"\"b\"\", c\"")];
        for (text, written) in cells {
            assert_eq!(cell(text), written);
        }
    }
}
