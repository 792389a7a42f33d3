//! Workspaces and their tags.

use std::fmt::Write as _;

use deadpool_postgres::{GenericClient, Transaction};
use tokio_postgres::types::ToSql;

use super::sql::{Done, Text, Values, all, count, int, json, maybe, run, text};
use super::{history, rows};
use crate::model::{AuditEntry, Lock, OrganizationId, Place, Timestamp, Workspace, WorkspaceId};
use crate::store::{Committed, Listed, Page, WorkspaceFilter, days};

pub(super) async fn add(t: &Transaction<'_>, workspace: &Workspace, audit: &AuditEntry) -> Done<bool> {
    let sql =
        "INSERT INTO workspace (id, organization, name, revision, description, terraform_version, retention_days, created_at,
            updated_at, project)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (organization, name) WHERE deleted_at IS NULL DO NOTHING";
    let values: Values<'_> = &[
        &Text(workspace.id.as_str()),
        &Text(workspace.organization.as_str()),
        &Text(&workspace.name),
        &workspace.revision,
        &Text(&workspace.description),
        &Text(&workspace.terraform_version),
        &days::write(workspace.retention),
        &workspace.created_at.as_millis(),
        &workspace.updated_at.as_millis(),
        &Text(workspace.project.as_str()),
    ];
    let added = run(t, sql, values).await? > 0;
    if added {
        set_tags(t, &workspace.id, &workspace.tags).await?;
        history::record(t, audit).await?;
    }
    Ok(added)
}

/// Replaces a workspace's tags.
pub(super) async fn set_tags(t: &Transaction<'_>, workspace: &WorkspaceId, tags: &[(String, Option<String>)]) -> Done<()> {
    run(t, "DELETE FROM tag WHERE workspace = $1", &[&Text(workspace.as_str())]).await?;
    for (key, value) in tags {
        let values: Values<'_> = &[&Text(workspace.as_str()), &Text(key), &value.as_deref().map(Text)];
        run(t, "INSERT INTO tag (workspace, key, value) VALUES ($1, $2, $3)", values).await?;
    }
    Ok(())
}

pub(super) async fn by_id(client: &impl GenericClient, id: &WorkspaceId) -> Done<Option<Workspace>> {
    let sql = format!("SELECT {} FROM workspace WHERE id = $1 AND deleted_at IS NULL", rows::WORKSPACE);
    maybe(client, &sql, &[&Text(id.as_str())]).await?.as_ref().map(rows::workspace).transpose()
}

pub(super) async fn named(client: &impl GenericClient, organization: &OrganizationId, name: &str) -> Done<Option<Workspace>> {
    let sql = format!("SELECT {} FROM workspace WHERE organization = $1 AND name = $2 AND deleted_at IS NULL", rows::WORKSPACE);
    maybe(client, &sql, &[&Text(organization.as_str()), &Text(name)]).await?.as_ref().map(rows::workspace).transpose()
}

pub(super) async fn ended_locks(client: &impl GenericClient, now: Timestamp) -> Done<Vec<WorkspaceId>> {
    let mut ended = Vec::new();
    for row in all(client, "SELECT id, lock FROM workspace WHERE lock IS NOT NULL AND deleted_at IS NULL", &[]).await? {
        if json::<Lock>(&row, 1)?.is_some_and(|lock| lock.has_ended(now)) {
            ended.push(WorkspaceId::from_text(text(&row, 0)?));
        }
    }
    Ok(ended)
}

pub(super) async fn list(
    t: &Transaction<'_>,
    organization: &OrganizationId,
    filter: &WorkspaceFilter,
    page: Page,
) -> Done<Listed<Workspace>> {
    let mut which = "FROM workspace WHERE organization = $1 AND deleted_at IS NULL".to_owned();
    let mut texts = vec![Text(organization.as_str())];
    let mut next = |text| {
        texts.push(Text(text));
        format!("${}", texts.len())
    };
    if let Some(name) = &filter.name {
        // Letters beyond ASCII have one case in every store.
        let _ = write!(which, r#" AND strpos(lower(name), lower({}::text COLLATE "C")) > 0"#, next(name));
    }
    for (key, value) in &filter.tags {
        let _ = write!(which, " AND EXISTS (SELECT 1 FROM tag WHERE tag.workspace = workspace.id AND tag.key = {}", next(key));
        if let Some(value) = value {
            let _ = write!(which, " AND tag.value = {}", next(value));
        }
        which.push(')');
    }
    for key in &filter.without_tags {
        let _ =
            write!(which, " AND NOT EXISTS (SELECT 1 FROM tag WHERE tag.workspace = workspace.id AND tag.key = {})", next(key));
    }
    if let Some(project) = &filter.project {
        let _ = write!(which, " AND project = {}", next(project.as_str()));
    }
    if let Some(places) = &filter.within {
        let any: Vec<String> = places
            .iter()
            .map(|place| match place {
                Place::Organization => "true".to_owned(),
                Place::Project(id) => format!("project = {}", next(id.as_str())),
                Place::Workspace(id) => format!("id = {}", next(id.as_str())),
            })
            .collect();
        let _ = write!(which, " AND ({})", if any.is_empty() { "false".to_owned() } else { any.join(" OR ") });
    }
    let mut values: Vec<&(dyn ToSql + Sync)> = texts.iter().map(|text| text as &(dyn ToSql + Sync)).collect();
    let total = count(t, &format!("SELECT count(*) {which}"), &values).await?;
    let (size, offset) = (int(page.size), int(page.offset()));
    let place = values.len();
    values.extend([&size as &(dyn ToSql + Sync), &offset]);
    let sql = format!("SELECT {} {which} ORDER BY name LIMIT ${} OFFSET ${}", rows::WORKSPACE, place + 1, place + 2);
    let items = all(t, &sql, &values).await?.iter().map(rows::workspace).collect::<Done<_>>()?;
    Ok(Listed { items, total })
}

pub(super) async fn deleted(client: &impl GenericClient) -> Done<Vec<(Workspace, Timestamp)>> {
    let sql = format!(
        "SELECT {}, deleted_at FROM workspace WHERE deleted_at IS NOT NULL ORDER BY deleted_at DESC, id",
        rows::WORKSPACE
    );
    let found = all(client, &sql, &[]).await?;
    found.iter().map(|row| Ok((rows::workspace(row)?, Timestamp::from_millis(row.try_get("deleted_at")?)))).collect()
}

pub(super) async fn restore(t: &Transaction<'_>, id: &WorkspaceId, name: &str, audit: &AuditEntry) -> Done<Committed> {
    let sql = "UPDATE workspace SET deleted_at = NULL, name = $2, revision = revision + 1, updated_at = $3
        WHERE id = $1 AND deleted_at IS NOT NULL";
    match run(t, sql, &[&Text(id.as_str()), &Text(name), &audit.at.as_millis()]).await {
        Err(fault) if fault.is_duplicate_in("workspace_name") => return Ok(Committed::NameTaken),
        Ok(0) => return Ok(Committed::Gone),
        done => done?,
    };
    history::record(t, audit).await?;
    Ok(Committed::Done)
}
