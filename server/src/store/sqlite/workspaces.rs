//! Workspaces and their tags.

use rusqlite::types::Value;
use rusqlite::{ErrorCode, OptionalExtension as _, Transaction, params_from_iter};

use super::connections::Fault;
use super::{history, rows};
use crate::model::{AuditEntry, Lock, OrganizationId, Place, Timestamp, Workspace, WorkspaceId};
use crate::store::{Committed, Listed, Page, WorkspaceFilter, days};

type Done<T> = Result<T, Fault>;

pub(super) fn add(t: &Transaction<'_>, workspace: &Workspace, audit: &AuditEntry) -> Done<bool> {
    let added =
        t.prepare_cached(
            "INSERT INTO workspace (id, organization, name, revision, description, terraform_version, retention_days, created_at,
                updated_at, project)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (organization, name) WHERE deleted_at IS NULL DO NOTHING",
        )?
        .execute((
            workspace.id.as_str(),
            workspace.organization.as_str(),
            &workspace.name,
            workspace.revision,
            &workspace.description,
            &workspace.terraform_version,
            days::write(workspace.retention),
            workspace.created_at.as_millis(),
            workspace.updated_at.as_millis(),
            workspace.project.as_str(),
        ))? > 0;
    if added {
        set_tags(t, &workspace.id, &workspace.tags)?;
        history::record(t, audit)?;
    }
    Ok(added)
}

/// Replaces a workspace's tags.
pub(super) fn set_tags(t: &Transaction<'_>, workspace: &WorkspaceId, tags: &[(String, Option<String>)]) -> Done<()> {
    t.prepare_cached("DELETE FROM tag WHERE workspace = ?1")?.execute([workspace.as_str()])?;
    let mut insert = t.prepare_cached("INSERT INTO tag (workspace, key, value) VALUES (?1, ?2, ?3)")?;
    for (key, value) in tags {
        insert.execute((workspace.as_str(), key, value))?;
    }
    Ok(())
}

fn with_tags(t: &Transaction<'_>, mut workspace: Workspace) -> Done<Workspace> {
    let mut statement = t.prepare_cached("SELECT key, value FROM tag WHERE workspace = ?1 ORDER BY key")?;
    let tags = statement.query_map([workspace.id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    workspace.tags = tags.collect::<Result<_, _>>()?;
    Ok(workspace)
}

pub(super) fn by_id(t: &Transaction<'_>, id: &WorkspaceId) -> Done<Option<Workspace>> {
    let sql = format!("SELECT {} FROM workspace WHERE id = ?1 AND deleted_at IS NULL", rows::WORKSPACE);
    let found = t.prepare_cached(&sql)?.query_row([id.as_str()], rows::workspace).optional()?;
    found.map(|workspace| with_tags(t, workspace)).transpose()
}

pub(super) fn named(t: &Transaction<'_>, organization: &OrganizationId, name: &str) -> Done<Option<Workspace>> {
    let sql = format!("SELECT {} FROM workspace WHERE organization = ?1 AND name = ?2 AND deleted_at IS NULL", rows::WORKSPACE);
    let found = t.prepare_cached(&sql)?.query_row([organization.as_str(), name], rows::workspace).optional()?;
    found.map(|workspace| with_tags(t, workspace)).transpose()
}

pub(super) fn ended_locks(t: &Transaction<'_>, now: Timestamp) -> Done<Vec<WorkspaceId>> {
    let mut statement = t.prepare_cached("SELECT id, lock FROM workspace WHERE lock IS NOT NULL AND deleted_at IS NULL")?;
    let locks = statement.query_map((), |row| Ok((row.get::<_, String>(0)?, rows::json::<Lock>(row, 1)?)))?;
    let mut ended = Vec::new();
    for found in locks {
        let (id, lock) = found?;
        if lock.is_some_and(|lock| lock.has_ended(now)) {
            ended.push(WorkspaceId::from_text(id));
        }
    }
    Ok(ended)
}

pub(super) fn list(
    t: &Transaction<'_>,
    organization: &OrganizationId,
    filter: &WorkspaceFilter,
    page: Page,
) -> Done<Listed<Workspace>> {
    let mut which = "FROM workspace WHERE organization = ? AND deleted_at IS NULL".to_owned();
    let mut values = vec![Value::from(organization.as_str().to_owned())];
    if let Some(name) = &filter.name {
        which.push_str(" AND instr(lower(name), lower(?)) > 0");
        values.push(name.clone().into());
    }
    for (key, value) in &filter.tags {
        which.push_str(" AND EXISTS (SELECT 1 FROM tag WHERE tag.workspace = workspace.id AND tag.key = ?");
        values.push(key.clone().into());
        if let Some(value) = value {
            which.push_str(" AND tag.value = ?");
            values.push(value.clone().into());
        }
        which.push(')');
    }
    for key in &filter.without_tags {
        which.push_str(" AND NOT EXISTS (SELECT 1 FROM tag WHERE tag.workspace = workspace.id AND tag.key = ?)");
        values.push(key.clone().into());
    }
    if let Some(project) = &filter.project {
        which.push_str(" AND project = ?");
        values.push(project.as_str().to_owned().into());
    }
    if let Some(places) = &filter.within {
        let any: Vec<&str> = places
            .iter()
            .map(|place| match place {
                Place::Organization => "true",
                Place::Project(_) => "project = ?",
                Place::Workspace(_) => "id = ?",
            })
            .collect();
        values.extend(places.iter().filter_map(Place::id).map(|id| Value::from(id.to_owned())));
        let any = if any.is_empty() { "false".to_owned() } else { any.join(" OR ") };
        which.extend([" AND (", &any, ")"]);
    }
    let total = t.prepare_cached(&format!("SELECT count(*) {which}"))?.query_row(params_from_iter(&values), |row| row.get(0))?;
    values.push(i64::from(page.size).into());
    values.push(i64::try_from(page.offset()).unwrap_or(i64::MAX).into());
    let mut statement = t.prepare_cached(&format!("SELECT {} {which} ORDER BY name LIMIT ? OFFSET ?", rows::WORKSPACE))?;
    let found: Vec<Workspace> = statement.query_map(params_from_iter(&values), rows::workspace)?.collect::<Result<_, _>>()?;
    let items = found.into_iter().map(|workspace| with_tags(t, workspace)).collect::<Result<_, _>>()?;
    Ok(Listed { items, total })
}

pub(super) fn deleted(t: &Transaction<'_>) -> Done<Vec<(Workspace, Timestamp)>> {
    let sql = format!(
        "SELECT {}, deleted_at FROM workspace WHERE deleted_at IS NOT NULL ORDER BY deleted_at DESC, id",
        rows::WORKSPACE
    );
    let mut statement = t.prepare_cached(&sql)?;
    let found = statement.query_map((), |row| Ok((rows::workspace(row)?, Timestamp::from_millis(row.get("deleted_at")?))))?;
    let found: Vec<(Workspace, Timestamp)> = found.collect::<Result<_, _>>()?;
    found.into_iter().map(|(workspace, at)| Ok((with_tags(t, workspace)?, at))).collect()
}

pub(super) fn restore(t: &Transaction<'_>, id: &WorkspaceId, name: &str, audit: &AuditEntry) -> Done<Committed> {
    let sql = "UPDATE workspace SET deleted_at = NULL, name = ?2, revision = revision + 1, updated_at = ?3
        WHERE id = ?1 AND deleted_at IS NOT NULL";
    match t.prepare_cached(sql)?.execute((id.as_str(), name, audit.at.as_millis())) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => return Ok(Committed::NameTaken),
        Ok(0) => return Ok(Committed::Gone),
        done => done?,
    };
    history::record(t, audit)?;
    Ok(Committed::Done)
}
