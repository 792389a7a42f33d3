//! Trusts: the jobs of CI systems that get tokens of an organization.

use std::collections::BTreeMap;

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::frame::{Section, counted, proof, section, shown};
use super::members::{administrated, permission_boxes, ticked};
use super::visitor::{Sent, Visitor};
use super::{Answer, Refused, Shared, Web, on_to};
use crate::model::{Organization, Permissions, Place, Trust, TrustId};
use crate::rules::Refusal;
use crate::service::{Failure, NewTrust};
use crate::web::form::Form;

/// The number of claims for which the form has room.
const CLAIMS: usize = 3;

fn path_of(organization: &Organization) -> String {
    format!("/ui/organizations/{}/trusts", organization.name)
}

/// The place of a trust, by name.
async fn place(web: &Web, trust: &Trust) -> Result<String, Failure> {
    let name = web.service.place_name(&trust.place).await?;
    Ok(format!("{} {}", trust.place.name(), shown(&name)))
}

pub(super) async fn show(State(web): Shared, Path(name): Path<String>, visitor: Visitor) -> Answer {
    let organization = administrated(&web, &visitor, &name).await?;
    let trusts = visitor.reported(web.service.trusts(&visitor.principal, &name).await)?;
    let mut rows = Vec::with_capacity(trusts.len());
    for trust in &trusts {
        rows.push((trust, visitor.reported(place(&web, trust).await)?));
    }
    let path = path_of(&organization);
    let body = html! {
        h2 { "Trusts" }
        p .lead { @if rows.is_empty() { "There is no trust yet." } @else { strong { (counted(rows.len(), "trust", "trusts")) } " let jobs in without a kept token." } }
        p { "Jobs of a CI system exchange their ID token for a token of one hour, if a trust takes it: no secret is stored there." }
        @if !rows.is_empty() { div .scroll tabindex="0" role="group" aria-label="Trusts" { (table(&path, &rows)) } }
        h3 { "A new trust" }
        (form(&web, &visitor, &path))
    };
    Ok(section(&visitor, &organization, Section::Trusts, &body))
}

fn table(path: &str, rows: &[(&Trust, String)]) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "Name" } th scope="col" { "Id" } th scope="col" { "Jobs" } th scope="col" { "May" } th scope="col" { "Remove" }
                }
            }
            tbody {
                @for (trust, place) in rows {
                    tr {
                        th scope="row" { (shown(&trust.name)) } td { code { (trust.id) } } td { (jobs(trust)) }
                        td { (trust.permissions) " in " (place) }
                        td { a href=(format!("{path}/{}/remove", trust.id)) aria-label=(format!("Remove the trust {}", shown(&trust.name))) { "Remove…" } }
                    }
                }
            }
        }
    }
}

/// The jobs that a trust is about.
fn jobs(trust: &Trust) -> Markup {
    html! {
        "of " code { (shown(&trust.issuer)) } " for " code { (shown(&trust.audience)) }
        @for (name, pattern) in &trust.claims { div { code { (shown(name)) " = " (shown(pattern.as_str())) } } }
    }
}

fn form(web: &Web, visitor: &Visitor, path: &str) -> Markup {
    html! {
        form .panel method="post" action=(path) {
            (proof(&visitor.session))
            div .row {
                div { label for="name" { "Name" } input #name name="name" required; }
                div { label for="issuer" { "Issuer" } input #issuer name="issuer" type="url" placeholder="https://token.actions.githubusercontent.com" required; }
                div { label for="audience" { "Audience" } input #audience name="audience" value=(web.origin) required; }
            }
            fieldset {
                legend { "Claims that the ID token must have; * is for a part between separators" }
                @for number in 0..CLAIMS {
                    @let (name, value) = (format!("claim-{number}"), format!("value-{number}"));
                    div .row {
                        div { label for=(name) { "Claim" } input id=(name) name="claim" value=[(number == 0).then_some("sub")]; }
                        div { label for=(value) { "Value" } input id=(value) name="value" placeholder=[(number == 0).then_some("repo:acme/infra:ref:refs/heads/main")]; }
                    }
                }
            }
            div .row {
                div { label for="kind" { "Where" } select #kind name="kind" { option value="workspace" { "workspace" } option value="project" { "project" } } }
                div { label for="place" { "Its name" } input #place name="place" required; }
            }
            (permission_boxes("trust", Permissions::CLIENT))
            button { "Trust these jobs" }
        }
    }
}

/// The place that a form names.
async fn named_place(
    web: &Web,
    visitor: &Visitor,
    organization: &str,
    form: &Form,
) -> Result<Place, Refused> {
    let name = form.filled("place").unwrap_or_default();
    if form.get("kind") == Some("project") {
        let (_, projects) =
            visitor.reported(web.service.projects(&visitor.principal, organization).await)?;
        let unknown = || Refusal::not_found(format!("project {name:?}"));
        let found = projects
            .into_iter()
            .find(|project| project.name == name)
            .ok_or_else(unknown);
        return Ok(Place::Project(visitor.reported(found)?.id));
    }
    let found = web
        .service
        .named_workspace(&visitor.principal, organization, name)
        .await;
    Ok(Place::Workspace(visitor.reported(found)?.1.id))
}

/// The claims of a form: rows without a value do not count.
fn claims(form: &Form) -> Result<BTreeMap<String, String>, Refusal> {
    let mut claims = BTreeMap::new();
    for (name, value) in form.all("claim").into_iter().zip(form.all("value")) {
        let (name, value) = (name.trim(), value.trim());
        if value.is_empty() {
            continue;
        }
        if name.is_empty() {
            return Err(Refusal::unprocessable(
                "/claims",
                format!("The value {value:?} has no claim: name it"),
            ));
        }
        if claims.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(Refusal::unprocessable(
                "/claims",
                format!("The claim {name:?} is there twice: a trust has one value for it"),
            ));
        }
    }
    Ok(claims)
}

pub(super) async fn create(
    State(web): Shared,
    Path(name): Path<String>,
    Sent { visitor, form }: Sent,
) -> Answer {
    let organization = administrated(&web, &visitor, &name).await?;
    let text = |field: &str| form.filled(field).unwrap_or_default().to_owned();
    let new = NewTrust {
        name: text("name"),
        issuer: text("issuer"),
        audience: text("audience"),
        claims: visitor.reported(claims(&form))?,
        place: named_place(&web, &visitor, &name, &form).await?,
        permissions: visitor.reported(ticked(&form))?,
    };
    visitor.reported(
        web.service
            .create_trust(&visitor.principal, &name, new)
            .await,
    )?;
    Ok(on_to(&path_of(&organization)))
}

/// The trust of an organization that a page names.
async fn found(
    web: &Web,
    visitor: &Visitor,
    organization: &Organization,
    id: &str,
) -> Result<Trust, Refused> {
    let trust = visitor.reported(
        web.service
            .trust(&visitor.principal, &TrustId::from_text(id))
            .await,
    )?;
    let unknown = || Refusal::not_found(format!("trust {id:?}"));
    visitor.reported(
        (trust.organization == organization.id)
            .then_some(trust)
            .ok_or_else(unknown),
    )
}

pub(super) async fn ask_remove(
    State(web): Shared,
    Path((name, id)): Path<(String, String)>,
    visitor: Visitor,
) -> Answer {
    let organization = administrated(&web, &visitor, &name).await?;
    let trust = found(&web, &visitor, &organization, &id).await?;
    let body = html! {
        h2 { "Remove the trust " (shown(&trust.name)) }
        p .lead { "Its jobs get no tokens any more." }
        div { "Jobs " (jobs(&trust)) }
        div .warn { p { "The tokens that they have end now. A Terraform that uses one cannot store its result, and writes it to " code { "errored.tfstate" } "." } }
        form method="post" { (proof(&visitor.session)) button .danger { "Remove it" } " " a href=(path_of(&organization)) { "Keep it" } }
    };
    Ok(section(&visitor, &organization, Section::Trusts, &body))
}

pub(super) async fn remove(
    State(web): Shared,
    Path((name, id)): Path<(String, String)>,
    Sent { visitor, .. }: Sent,
) -> Answer {
    let organization = administrated(&web, &visitor, &name).await?;
    let trust = found(&web, &visitor, &organization, &id).await?;
    visitor.reported(
        web.service
            .remove_trust(&visitor.principal, &trust.id)
            .await,
    )?;
    Ok(on_to(&path_of(&organization)))
}
