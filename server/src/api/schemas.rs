//! Routes that need schemas: inventories, plans, upgrades, downgrades, comparisons, search.

use axum::extract::{Path, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use upstate_state::{Change, InstanceStatus, Mode, StoredType, UpgradeTotals};

use super::App;
use super::auth::Caller;
use super::body::Sent;
use super::document::{Document, Uploads, Written, answer, answer_data, paged, written};
use super::error::ApiResult;
use super::jobs::last_outcome;
use super::query::Query;
use super::state_versions::{if_match, show_version};
use crate::model::{Back, Head, Timestamp, Version, VersionId, WorkspaceId};
use crate::rules::{Refusal, RefusalKind};
use crate::service::{
    Compared, ComparisonFilter, Counted, Day, Days, Drift, Effect, Event, Failure, Hit, Loss,
    PlanFilter, PlannedInstance, ReleaseVersions, SearchFor, Upgraded, WorkspacePlan,
    WorkspaceTypes,
};
use crate::store::StoreError;

/// A resource whose attributes are written already, or write themselves.
#[derive(Serialize)]
struct Resource<'a, A> {
    id: &'a str,
    #[serde(rename = "type")]
    type_name: &'static str,
    attributes: A,
    #[serde(skip_serializing_if = "Value::is_null")]
    relationships: Value,
}

fn related(type_name: &str, id: &str) -> Value {
    json!({ "data": { "id": id, "type": type_name } })
}

/// The status of stored instances, as in the reports of the command line.
const fn status_name(status: InstanceStatus) -> &'static str {
    match status {
        InstanceStatus::Current => "current",
        InstanceStatus::NeedsUpgrade => "needs_upgrade",
        InstanceStatus::CannotUpgrade => "no_way",
        InstanceStatus::UnknownType => "unknown_type",
        InstanceStatus::Data => "data",
    }
}

const STATUSES: [InstanceStatus; 5] = [
    InstanceStatus::Current,
    InstanceStatus::NeedsUpgrade,
    InstanceStatus::CannotUpgrade,
    InstanceStatus::UnknownType,
    InstanceStatus::Data,
];

const fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Managed => "managed",
        Mode::Data => "data",
    }
}

fn stored(app: &App, stored: &StoredType) -> Value {
    json!({
        "mode": mode_name(stored.mode),
        "type": stored.type_name,
        "version": stored.version,
        "instances": stored.instances,
        "flat": stored.flat,
        "providers": stored.providers,
        "current": app.service.registry().get(&stored.type_name).map(upstate::ResourceDefinition::version),
        "status": status_name(stored.status(app.service.registry())),
    })
}

pub(super) async fn of_workspace(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
) -> ApiResult {
    let (version, known) = app.service.workspace_inventory(&principal, &id).await?;
    let outcome = app.service.last_outcome(&version.id).await?;
    let of = |wanted: InstanceStatus| -> usize {
        let status = known
            .types
            .iter()
            .filter(|one| one.status(app.service.registry()) == wanted);
        status.map(|one| one.instances).sum()
    };
    let data = json!({
        "id": id.as_str(),
        "type": "upstate-inventories",
        "attributes": {
            "serial": version.serial,
            "last-outcome": outcome.as_ref().map(last_outcome),
            "needs-upgrade": of(InstanceStatus::NeedsUpgrade),
            "cannot-upgrade": of(InstanceStatus::CannotUpgrade),
            "types": known.types.iter().map(|one| stored(&app, one)).collect::<Vec<_>>(),
        },
        "relationships": { "state-version": related("state-versions", version.id.as_str()) },
    });
    Ok(answer_data(data))
}

fn counted(counted: &Counted) -> Value {
    json!({
        "mode": mode_name(counted.mode),
        "type": counted.type_name,
        "version": counted.version,
        "instances": counted.instances,
        "workspaces": counted.workspaces,
        "current": counted.current,
        "status": status_name(counted.status),
    })
}

pub(super) async fn of_organization(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
) -> ApiResult {
    let inventory = app.service.organization_inventory(&principal, &org).await?;
    let data = json!({
        "id": org,
        "type": "upstate-inventories",
        "attributes": {
            "workspaces": inventory.workspaces,
            "workspaces-without-state": inventory.without_state,
            "workspaces-unreadable": inventory.unreadable,
            "workspaces-behind": inventory.behind,
            "workspaces-stuck": inventory.stuck,
            "types": inventory.types.iter().map(counted).collect::<Vec<_>>(),
        },
    });
    Ok(answer_data(data))
}

fn workspace(app: &App, one: &WorkspaceTypes) -> Value {
    let Head {
        workspace,
        name,
        locked,
        version,
    } = &one.head;
    let unreadable = &one.known.unreadable;
    json!({
        "id": workspace.as_str(),
        "type": "upstate-workspaces",
        "attributes": {
            "name": name,
            "locked": locked,
            "unreadable": unreadable,
            "last-outcome": one.outcome.as_ref().map(last_outcome),
            "statuses": one.known.statuses.iter().map(|status| status_name(*status)).collect::<Vec<_>>(),
            "types": one.known.types.iter().map(|one| stored(app, one)).collect::<Vec<_>>(),
        },
        "relationships": {
            "workspace": related("workspaces", workspace.as_str()),
            "state-version": version.as_ref().map(|version| related("state-versions", version.as_str())),
        },
    })
}

pub(super) async fn workspaces(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let page = query.page()?;
    let status = query.get("filter[status]").map(|name| {
        STATUSES
            .into_iter()
            .find(|status| status_name(*status) == name)
            .ok_or_else(|| {
                let known = STATUSES.map(status_name).join(", ");
                Refusal::new(
                    RefusalKind::BadRequest,
                    format!("filter[status] must be one of {known}, found {name:?}"),
                )
            })
    });
    let listed = app
        .service
        .workspaces_with_status(&principal, &org, status.transpose()?, page)
        .await?;
    let data: Vec<Value> = listed
        .items
        .iter()
        .map(|one| workspace(&app, one))
        .collect();
    Ok(paged(data, query.pagination(&app, page, listed.total)))
}

/// The goal of a plan for a downgrade.
fn back(query: &Query) -> Result<Option<Back>, Refusal> {
    let bad = |detail: String| Refusal::new(RefusalKind::BadRequest, detail);
    let is_set = |name| Ok::<_, Refusal>(query.one_of(name, &["true", "false"])? == Some("true"));
    let (allow_loss, strict) = (is_set("allow-loss")?, is_set("strict")?);
    match query.get("to-release") {
        Some(release) => Ok(Some(Back {
            release: release.to_owned(),
            allow_loss,
            strict,
        })),
        None if allow_loss || strict => {
            let flag = if strict { "strict" } else { "allow-loss" };
            Err(bad(format!(
                "{flag} is for a plan of going back to a release: say which with to-release"
            )))
        }
        None => Ok(None),
    }
}

/// A release that is unknown was named in the URL, not in a body.
fn of_query(failure: Failure) -> Failure {
    match failure {
        Failure::Refused(refusal) if refusal.kind == RefusalKind::Unprocessable => {
            Refusal::new(RefusalKind::BadRequest, refusal.detail).into()
        }
        Failure::Refused(_) | Failure::Store(_) => failure,
    }
}

fn drifted(one: &Drift) -> Value {
    let finding = &one.finding;
    json!({
        "id": format!("{}/{}/{}", one.type_name, one.from, finding.fingerprint),
        "type": "upstate-drifts",
        "attributes": {
            "type": one.type_name,
            "from": one.from,
            "to": one.to,
            "path": finding.path,
            "rule": finding.rule.id(),
            "level": finding.level.name(),
            "axes": finding.axes.iter().map(|axis| axis.name()).collect::<Vec<_>>(),
            "message": finding.message,
            "note": finding.note,
            "instances": one.instances,
            "workspaces": one.workspaces,
            "instances-with-value": one.with_value.map(|holding| holding.instances),
            "workspaces-with-value": one.with_value.map(|holding| holding.workspaces),
        },
    })
}

pub(super) async fn drift(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let page = query.page()?;
    let drifts = app.service.drift(&principal, &org).await?;
    let total = u64::try_from(drifts.findings.len()).unwrap_or(u64::MAX);
    let data: Vec<Value> = page.of(&drifts.findings).map(drifted).collect();
    let (links, mut meta) = query.pagination(&app, page, total);
    if let Some(members) = meta.as_object_mut() {
        members.insert(
            "undescribed".to_owned(),
            drifts.undescribed.iter().map(counted).collect(),
        );
    }
    Ok(paged(data, (links, meta)))
}

pub(super) async fn day(Caller(app, principal): Caller, Path(org): Path<String>) -> ApiResult {
    let day = app.service.day(&principal, &org).await?;
    Ok(past(
        &org,
        (day.since, day.complete_since),
        Day::STEP,
        |event| day.of(event),
    ))
}

pub(super) async fn days(Caller(app, principal): Caller, Path(org): Path<String>) -> ApiResult {
    let days = app.service.days(&principal, &org).await?;
    Ok(past(
        &org,
        (days.since, days.complete_since),
        Days::STEP,
        |event| days.of(event),
    ))
}

/// The events of an organization since a moment, in steps of so many milliseconds.
fn past<'e>(
    org: &str,
    (since, complete_since): (Timestamp, Option<Timestamp>),
    step: i64,
    of: impl Fn(Event) -> &'e [u64],
) -> Response {
    let events: Map<String, Value> = Event::ALL
        .into_iter()
        .map(|event| (event.name().to_owned(), json!(of(event))))
        .collect();
    let data = json!({
        "id": org,
        "type": "upstate-days",
        "attributes": {
            "since": since.to_string(),
            "complete-since": complete_since.unwrap_or(since).to_string(),
            "step-seconds": step / 1000,
            "events": events,
        },
    });
    answer_data(data)
}

pub(super) async fn releases(Caller(app, _): Caller) -> ApiResult {
    let by_name = |versions: Vec<(String, u64)>| -> Value {
        versions
            .into_iter()
            .map(|(name, version)| (name, json!(version)))
            .collect()
    };
    let release = |ReleaseVersions {
                       release,
                       versions,
                       identities,
                   }: ReleaseVersions| {
        let attributes =
            json!({ "versions": by_name(versions), "identities": by_name(identities) });
        json!({ "id": release, "type": "upstate-releases", "attributes": attributes })
    };
    let data: Vec<Value> = app.service.releases().into_iter().map(release).collect();
    Ok(answer_data(data))
}

pub(super) async fn route(Caller(app, _): Caller, Path(name): Path<String>) -> ApiResult {
    let definition = app.service.known_type(&name)?;
    let data = json!({ "id": name, "type": "upstate-type-routes", "attributes": upstate_compat::lanes::json(definition) });
    Ok(answer_data(data))
}

fn totals(totals: &UpgradeTotals, back: Option<&Back>) -> Value {
    json!({
        "instances": totals.instances(),
        (if back.is_some() { "downgraded" } else { "upgraded" }): totals.upgraded(),
        "failed": totals.failed(),
        "current": totals.current(),
        "unknown_type": totals.unknown(),
        "data_sources": totals.data(),
    })
}

pub(super) async fn plan(
    Caller(app, principal): Caller,
    Path(id): Path<VersionId>,
    query: Query,
) -> ApiResult {
    let page = query.page()?;
    let effects = Effect::ALL.map(Effect::name);
    // The answer has one of the first two words by its direction, so both mean that it did not
    // fail.
    let outcome = query.one_of(
        "filter[outcome]",
        &[&["upgraded", "downgraded", "failed"][..], &effects[..]].concat(),
    )?;
    let effect = outcome.and_then(Effect::named);
    let failed = outcome
        .filter(|_| effect.is_none())
        .map(|outcome| outcome == "failed");
    let (type_name, version) = (
        query.get("filter[type]").map(str::to_owned),
        query.version("filter[version]")?,
    );
    let filter = PlanFilter {
        failed,
        effect,
        type_name,
        version,
    };
    let back = back(&query)?;
    let plan = app
        .service
        .plan(&principal, &id, back.as_ref(), filter, page)
        .await
        .map_err(of_query)?;
    let resource = |one: &PlannedInstance| {
        let (id, attributes) = (one.address.as_str(), &one.upgrade);
        written(&Resource {
            id,
            type_name: "upstate-instance-upgrades",
            attributes,
            relationships: Value::Null,
        })
    };
    let data: Vec<Written> = plan
        .instances
        .items
        .iter()
        .map(resource)
        .collect::<Result<_, StoreError>>()?;
    let (links, mut meta) = query.pagination(&app, page, plan.instances.total);
    if let Some(members) = meta.as_object_mut() {
        members.insert("serial".to_owned(), json!(plan.version.serial));
        members.insert("types".to_owned(), json!(plan.rows));
        members.insert("totals".to_owned(), totals(&plan.totals, back.as_ref()));
        members.extend(
            Effect::ALL.map(|effect| (effect.name().to_owned(), json!(plan.number(effect)))),
        );
    }
    Ok(paged(data, (links, meta)))
}

fn workspace_plan(one: &WorkspacePlan, back: Option<&Back>) -> Value {
    let Head {
        workspace,
        name,
        locked,
        version,
    } = &one.head;
    let loss = |(loss, instances): &(Loss, usize)| json!({ "type": loss.type_name, "from": loss.from, "path": loss.path, "reason": loss.reason, "instances": instances });
    json!({
        "id": workspace.as_str(),
        "type": "upstate-workspace-plans",
        "attributes": {
            "name": name,
            "locked": locked,
            "outcome": one.outcome(back),
            "failure": one.failure,
            "totals": one.totals.as_ref().map(|totals| self::totals(totals, back)),
            "types": one.rows,
            "losses": one.losses.iter().map(loss).collect::<Vec<_>>(),
            "losses-omitted": one.losses_omitted,
        },
        "relationships": {
            "workspace": related("workspaces", workspace.as_str()),
            "state-version": version.as_ref().map(|version| related("state-versions", version.as_str())),
        },
    })
}

pub(super) async fn organization_plan(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let (page, back) = (query.page()?, back(&query)?);
    let plan = app
        .service
        .organization_plan(&principal, &org, back.as_ref(), page)
        .await
        .map_err(of_query)?;
    let data: Vec<Value> = plan
        .workspaces
        .items
        .iter()
        .map(|one| workspace_plan(one, back.as_ref()))
        .collect();
    let (links, mut meta) = query.pagination(&app, page, plan.workspaces.total);
    if let Some(members) = meta.as_object_mut() {
        members.insert("locked".to_owned(), json!(plan.locked));
        members.insert("types".to_owned(), json!(plan.types));
    }
    Ok(paged(data, (links, meta)))
}

pub(super) async fn upgrade(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    headers: HeaderMap,
) -> ApiResult {
    let expected = if_match(&headers)?;
    let (status, version) = match app
        .service
        .upgrade(&principal, &id, expected.as_ref())
        .await?
    {
        Upgraded::New(version) => (StatusCode::CREATED, version),
        Upgraded::Current(version) => (StatusCode::OK, version),
    };
    if status == StatusCode::CREATED {
        metrics::counter!("upstate_upgrades_total").increment(1);
    }
    show_version(&app, &principal, &version, status, Uploads::WhereMissing).await
}

pub(super) async fn downgrade(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    app.service.may_write(&principal, &id).await?;
    let expected = if_match(request.headers())?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("upstate-downgrades")?;
    let missing = || {
        Refusal::unprocessable(
            "/data/attributes/to-release",
            "to-release is missing: the release to go back to",
        )
    };
    let back = super::jobs::back(&resource)?.ok_or_else(missing)?;
    let (status, version) = match app
        .service
        .downgrade(&principal, &id, &back, expected.as_ref())
        .await?
    {
        Upgraded::New(version) => (StatusCode::CREATED, version),
        Upgraded::Current(version) => (StatusCode::OK, version),
    };
    if status == StatusCode::CREATED {
        metrics::counter!("upstate_downgrades_total").increment(1);
    }
    show_version(&app, &principal, &version, status, Uploads::WhereMissing).await
}

pub(super) async fn report(Caller(app, principal): Caller, Path(id): Path<VersionId>) -> ApiResult {
    let (version, report) = app.service.upgrade_report(&principal, &id).await?;
    let from = version
        .upgraded_from
        .as_ref()
        .map(|from| related("state-versions", from.as_str()));
    let name = if version.downgraded_to.is_some() {
        "downgraded-from"
    } else {
        "upgraded-from"
    };
    let relationships =
        json!({ "state-version": related("state-versions", version.id.as_str()), name: from });
    let data = Resource {
        id: version.id.as_str(),
        type_name: "upstate-upgrade-reports",
        attributes: report,
        relationships,
    };
    Ok(answer_data(data))
}

#[derive(Serialize)]
struct Difference<'a> {
    address: &'a str,
    #[serde(rename = "type", skip_serializing_if = "str::is_empty")]
    type_name: &'a str,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
    #[serde(skip_serializing_if = "<[Change]>::is_empty")]
    changes: &'a [Change],
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Box<RawValue>>,
    /// The document of an output: its values are hidden.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    sensitive: bool,
}

fn difference(one: &Compared) -> Result<Written, StoreError> {
    let raw = |text: &Option<String>| {
        text.clone()
            .and_then(|text| RawValue::from_string(text).ok())
    };
    let (before, after) = one
        .values
        .as_ref()
        .map_or((None, None), |(before, after)| (raw(before), raw(after)));
    let is_output = one.type_name.is_empty();
    let attributes = Difference {
        address: &one.address,
        type_name: &one.type_name,
        action: one.action.name(),
        from: one.from,
        to: one.to,
        changes: &one.changes,
        before,
        after,
        sensitive: is_output && one.values.is_none(),
    };
    let type_name = if is_output {
        "upstate-output-differences"
    } else {
        "upstate-instance-differences"
    };
    written(&Resource {
        id: &one.address,
        type_name,
        attributes,
        relationships: Value::Null,
    })
}

pub(super) async fn compare(
    Caller(app, principal): Caller,
    Path(id): Path<VersionId>,
    query: Query,
) -> ApiResult {
    let page = query.page()?;
    let before = query.get("from").map(VersionId::from_text);
    let all = ComparisonFilter::default();
    let compared = app
        .service
        .compare(&principal, &id, before.as_ref(), all, page)
        .await?;
    let data: Vec<Written> = compared
        .differences
        .items
        .iter()
        .map(difference)
        .collect::<Result<_, StoreError>>()?;
    let (links, mut meta) = query.pagination(&app, page, compared.differences.total);
    let reported =
        |version: &Version| json!({ "id": version.id.as_str(), "serial": version.serial });
    if let Some(members) = meta.as_object_mut() {
        members.insert(
            "from".to_owned(),
            json!(compared.before.as_ref().map(reported)),
        );
        members.insert("to".to_owned(), reported(&compared.after));
        members.insert(
            "values".to_owned(),
            json!({
                "moved": compared.moved,
                "converted": compared.converted,
                "dropped": compared.dropped,
                "dropped-omitted": compared.dropped_omitted,
            }),
        );
    }
    Ok(paged(data, (links, meta)))
}

fn hit(one: &Hit) -> Value {
    json!({
        "id": format!("{}/{}", one.workspace, one.address),
        "type": "upstate-instances",
        "attributes": {
            "workspace": one.workspace_name,
            "address": one.address,
            "type": one.type_name,
            "version": one.schema_version,
            "paths": one.paths,
            "values": one.values,
        },
        "relationships": {
            "workspace": related("workspaces", one.workspace.as_str()),
            "state-version": related("state-versions", one.version.as_str()),
        },
    })
}

pub(super) async fn search(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let given = |key: &str| query.get(key).map(str::to_owned);
    let bad = |detail: String| Refusal::new(RefusalKind::BadRequest, detail);
    let wanted = SearchFor {
        type_name: given("filter[type]"),
        version: query.version("filter[version]")?,
        address: given("filter[address]"),
        value: given("filter[value]"),
        attribute: given("filter[attribute]"),
    };
    if wanted == SearchFor::default() {
        let filters =
            "filter[type], filter[version], filter[address], filter[value], or filter[attribute]";
        return Err(bad(format!("Say what to look for: {filters}")).into());
    }
    let limit = usize::try_from(query.page()?.size).unwrap_or(20);
    let found = app
        .service
        .search(&principal, &org, &wanted, query.get("page[after]"), limit)
        .await?;
    let data: Vec<Value> = found.hits.iter().map(hit).collect();
    let meta = json!({ "next": found.next });
    let document = Document {
        meta: Some(meta),
        ..Document::of(data)
    };
    Ok(answer(StatusCode::OK, &document))
}
