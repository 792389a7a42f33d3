//! Outputs of state versions.

use axum::extract::Path;

use super::App;
use super::auth::Caller;
use super::document::{self, answer_data, paged};
use super::error::ApiResult;
use super::query::Query;
use crate::model::{Output, OutputId, VersionId, WorkspaceId};
use crate::rules::Refusal;
use crate::store::{Listed, Page};
use crate::traffic::{BLOCK, Room};

/// Room for outputs until their answer is written. Few need none, as small answers do, which large
/// ones must not keep from a client.
pub(super) fn room(app: &App, outputs: &[Output]) -> Result<Option<Room>, Refusal> {
    let bytes = outputs
        .iter()
        .map(|output| {
            output
                .value
                .len()
                .saturating_add(output.detailed_type.len())
        })
        .fold(0, usize::saturating_add);
    (bytes > BLOCK).then(|| app.going.room(bytes)).transpose()
}

fn list(app: &App, query: &Query, page: Page, listed: &Listed<Output>) -> ApiResult {
    let _room = room(app, &listed.items)?;
    let data: Vec<_> = listed
        .items
        .iter()
        .map(|output| document::output(output, true))
        .collect::<Result<_, _>>()?;
    Ok(paged(data, query.pagination(app, page, listed.total)))
}

pub(super) async fn of_version(
    Caller(app, principal): Caller,
    Path(id): Path<VersionId>,
    query: Query,
) -> ApiResult {
    let page = query.page()?;
    let listed = app.service.outputs(&principal, &id, page).await?;
    list(&app, &query, page, &listed)
}

/// Terraform does not ask for pages here, so a client that asks for none gets all.
pub(super) async fn current(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    query: Query,
) -> ApiResult {
    let page = query.page_or_all()?;
    let listed = app.service.current_outputs(&principal, &id, page).await?;
    list(&app, &query, page, &listed)
}

pub(super) async fn show(Caller(app, principal): Caller, Path(id): Path<OutputId>) -> ApiResult {
    let output = app.service.output(&principal, &id).await?;
    let _room = room(&app, std::slice::from_ref(&output))?;
    Ok(answer_data(document::output(&output, false)?))
}
