//! The report of a job as a file with a line for each workspace: CSV for spreadsheets, JSON lines
//! for programs.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::IntoResponse as _;
use futures_util::stream;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;

use super::frame::{described, shown};
use super::job::end;
use super::visitor::{Requested, Visitor};
use super::{Answer, Shared, Web};
use crate::model::{ItemStatus, Job, JobId, JobItem, JobKind, JobStatus, VersionId};
use crate::rules::Refusal;
use crate::service::{Effect, ItemReport, StoredPlan};
use crate::store::{Page, StoreError};
use crate::traffic::allowed;

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

pub(super) async fn csv(
    state: Shared,
    Path(id): Path<String>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    file(state, id, &visitor, &requested, Form::Csv).await
}

pub(super) async fn json_lines(
    state: Shared,
    Path(id): Path<String>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    file(state, id, &visitor, &requested, Form::JsonLines).await
}

async fn file(
    State(web): Shared,
    id: String,
    visitor: &Visitor,
    requested: &Requested,
    form: Form,
) -> Answer {
    let id = JobId::from_text(id);
    let (job, _) = visitor.reported(web.service.job(&visitor.principal, &id).await)?;
    if job.status == JobStatus::Running {
        let why = format!(
            "The job {id} runs. Its report can be downloaded when it has ended, or is stopped."
        );
        return visitor.reported(Err(Refusal::conflict(why)));
    }
    let headers = [
        (header::CONTENT_TYPE, form.kind().to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}.{}\"", job.id, form.extension()),
        ),
    ];
    let effect = requested.get("status").and_then(Effect::named);
    let status = effect
        .map(|_| ItemStatus::Upgraded)
        .or_else(|| requested.get("status").and_then(ItemStatus::named));
    let statuses = status.into_iter().collect();
    let lines = Lines {
        web,
        job,
        form,
        statuses,
        effect,
        is_begun: false,
        page: 1,
        items: VecDeque::new(),
    };
    let (writer, sent) = mpsc::channel(1);
    tokio::spawn(
        make(
            lines,
            Client {
                lines: writer,
                bytes: 0,
                waited: Duration::ZERO,
            },
        )
        .in_current_span(),
    );
    Ok((headers, body(sent)).into_response())
}

/// Makes one line after the other, because a job may have more reports than there is memory for, as
/// long as the client takes them.
async fn make(mut lines: Lines, mut client: Client) {
    loop {
        let line = match lines.next_line().await {
            Ok(line) => line,
            Err(error) => {
                tracing::error!(%error, "a report of a job was not sent to its end");
                return;
            }
        };
        let is_end = line.is_none();
        if !client.takes(line).await || is_end {
            return;
        }
    }
}

/// The lines as a body. One that ends before the end of the lines is an error, because the file
/// must not look whole.
fn body(sent: mpsc::Receiver<Option<String>>) -> Body {
    Body::from_stream(stream::try_unfold(sent, |mut sent| async move {
        let line = sent
            .recv()
            .await
            .ok_or_else(|| io::Error::other("the report was not sent to its end"))?;
        Ok::<_, io::Error>(line.map(|line| (line, sent)))
    }))
}

/// The client that a file is sent to. A protocol that has no place for more does not ask, so its
/// time is watched here.
struct Client {
    /// The lines, and nothing after the last.
    lines: mpsc::Sender<Option<String>>,
    /// The number of bytes that it took.
    bytes: u64,
    /// The time for which it was waited for.
    waited: Duration,
}

impl Client {
    /// False if it is gone, or too slow.
    async fn takes(&mut self, line: Option<String>) -> bool {
        let size = line
            .as_ref()
            .map_or(0, |line| u64::try_from(line.len()).unwrap_or(u64::MAX));
        let began = Instant::now();
        let left = allowed(self.bytes).saturating_sub(self.waited);
        let is_taken = matches!(timeout(left, self.lines.send(line)).await, Ok(Ok(())));
        self.waited += began.elapsed();
        self.bytes = self.bytes.saturating_add(size);
        is_taken
    }
}

/// The lines of a file, as far as they are not sent yet.
struct Lines {
    web: Arc<Web>,
    job: Job,
    form: Form,
    statuses: Vec<ItemStatus>,
    /// Only those that a plan found would change with it.
    effect: Option<Effect>,
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
        let Some(item) = self.next_item().await? else {
            return Ok(None);
        };
        let report = self.web.service.item_report(&self.job, item).await?;
        let line = match self.form {
            Form::Csv => csv_line(&self.job, &report),
            Form::JsonLines => json_line(&self.job, &report)?,
        };
        Ok(Some(line))
    }

    /// The next workspace; nothing after the last.
    async fn next_item(&mut self) -> Result<Option<JobItem>, StoreError> {
        loop {
            if self.items.is_empty() {
                let page = Page {
                    number: self.page,
                    size: AT_ONCE,
                };
                self.page += 1;
                self.items = self
                    .web
                    .service
                    .store()
                    .job_items(&self.job.id, &self.statuses, page)
                    .await?
                    .items
                    .into();
            }
            let Some(item) = self.items.pop_front() else {
                return Ok(None);
            };
            let is_wanted =
                |effect: Effect| StoredPlan::read(&item).is_some_and(|plan| plan.has(effect));
            if self.effect.is_none_or(is_wanted) {
                return Ok(Some(item));
            }
        }
    }
}

/// The outcome for a workspace, in words.
const fn outcome(job: &Job, status: ItemStatus) -> &'static str {
    match (job.kind, status) {
        (JobKind::Plan, ItemStatus::Upgraded) => "would change",
        (JobKind::Plan, ItemStatus::Failed) => "would fail",
        (JobKind::Plan, ItemStatus::Waiting | ItemStatus::Current)
        | (
            JobKind::Change,
            ItemStatus::Waiting | ItemStatus::Upgraded | ItemStatus::Current | ItemStatus::Failed,
        ) => end(job, status),
    }
}

fn csv_line(job: &Job, report: &ItemReport) -> String {
    let ItemReport {
        item,
        name,
        numbers,
        report: _,
    } = report;
    let version = item
        .version
        .as_ref()
        .map(VersionId::as_str)
        .unwrap_or_default();
    let name = shown(name.as_deref().unwrap_or_default());
    let texts = [
        &*name,
        item.workspace.as_str(),
        outcome(job, item.status),
        version,
    ]
    .map(cell);
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

/// A cell with text. A spreadsheet would take what begins like a formula for one, so that it begins
/// with a quote there.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        "'"
    } else {
        ""
    };
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
    let ItemReport {
        item,
        name,
        numbers,
        report,
    } = report;
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
    let line = written.map_err(|error| {
        StoreError::new("a line of the report of a job cannot be written").because(error)
    })?;
    Ok(line + "\n")
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    fn channel() -> (Client, Body) {
        let (writer, sent) = mpsc::channel(1);
        (
            Client {
                lines: writer,
                bytes: 0,
                waited: Duration::ZERO,
            },
            body(sent),
        )
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_client_gets_a_whole_file() {
        let (mut client, mut body) = channel();
        let making = tokio::spawn(async move {
            for _ in 0..20 {
                assert!(client.takes(Some("x".repeat(64 << 10))).await);
            }
            assert!(client.takes(None).await);
        });
        let mut received = 0;
        while let Some(line) = body.frame().await {
            received += line.expect("a line").into_data().expect("bytes").len();
            tokio::time::sleep(Duration::from_secs(4)).await;
        }
        making.await.expect("it ends");
        assert_eq!(received, 20 * (64 << 10));
    }

    /// Lines that are not taken are not held, and a file without its last ones does not look whole.
    #[tokio::test(start_paused = true)]
    async fn a_file_that_is_not_taken_is_cut_off() {
        let (mut client, body) = channel();
        let began = Instant::now();
        assert!(
            client.takes(Some("a\n".to_owned())).await,
            "there is a place for one line"
        );
        assert!(!client.takes(Some("b\n".to_owned())).await);
        assert!(
            began.elapsed() < Duration::from_secs(40),
            "{:?}",
            began.elapsed()
        );
        drop(client);
        let error = body.collect().await.expect_err("cut off");
        assert!(error.to_string().contains("not sent to its end"), "{error}");
    }

    #[test]
    fn no_cell_is_a_formula_or_ends_early() {
        let cells = [
            ("net", "\"net\""),
            ("-1+2", "\"'-1+2\""),
            ("=A1", "\"'=A1\""),
            ("a \"b\", c", "\"a \"\"b\"\", c\""),
        ];
        for (text, written) in cells {
            assert_eq!(cell(text), written);
        }
    }
}
