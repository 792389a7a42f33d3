//! Pages for administrators: tokens, teams and their members.

use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse as _;
use maud::{Markup, html};

use super::frame::{Section, ago, copied, counted, proof, section, shown};
use super::notice::Made;
use super::visitor::{Sent, Visitor};
use super::{Answer, Refused, Shared, Web, on_to};
use crate::model::{
    Organization, Permission, Permissions, Team, TeamId, Timestamp, Token, TokenId, TokenKind, User,
};
use crate::rules::Refusal;
use crate::service::{Failure, TokenFor, who};
use crate::web::form::Form;

fn path_of(organization: &Organization) -> String {
    format!("/ui/organizations/{}/members", organization.name)
}

/// The token of this id, of several.
pub(super) fn token_of<'t>(tokens: &'t [Token], id: &str) -> Result<&'t Token, Refusal> {
    let unknown = || Refusal::not_found(format!("token {id:?}"));
    tokens
        .iter()
        .find(|token| token.id.as_str() == id)
        .ok_or_else(unknown)
}

/// An organization that somebody administrates.
pub(super) async fn administrated(
    web: &Web,
    visitor: &Visitor,
    name: &str,
) -> Result<Organization, Refused> {
    let (access, organization) =
        visitor.reported(web.service.organization(&visitor.principal, name).await)?;
    visitor.reported(access.require(Permission::Admin))?;
    Ok(organization)
}

pub(super) async fn show(
    State(web): Shared,
    Path(name): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Answer {
    let organization = administrated(&web, &visitor, &name).await?;
    let made = Made::of(&headers);
    let mut page = members_page(
        &web,
        &visitor,
        &organization,
        made.as_ref().map(Made::secret),
    )
    .await?;
    if made.is_some()
        && let Ok(cookie) = HeaderValue::from_str(&Made::no_cookie(&visitor.path, web.secure))
    {
        page.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(page)
}

/// The tokens and teams; with the secret of a token that was just made, this once.
async fn members_page(
    web: &Web,
    visitor: &Visitor,
    organization: &Organization,
    secret: Option<&str>,
) -> Answer {
    let tokens = visitor.reported(web.service.tokens_of(&organization.id).await)?;
    let mut owners = Vec::with_capacity(tokens.len());
    let mut teams = Vec::new();
    for team in visitor.reported(web.service.store().teams(&organization.id).await)? {
        let members = visitor.reported(web.service.store().members(&team.id).await)?;
        teams.push((team, members));
    }
    for token in &tokens {
        owners.push(visitor.reported(owner(web, token, &teams).await)?);
    }
    let path = format!("/ui/organizations/{}", organization.name);
    let body = html! {
        @if let Some(secret) = secret {
            div .good role="status" { p { "The new token, shown this once:" } (copied(secret)) }
        }
        p .lead {
            strong { (counted(tokens.len(), "token opens", "tokens open")) } " this organization, and "
            @if teams.is_empty() { "there is no team yet." } @else { (counted(teams.len(), "team says", "teams say")) " what users may do." }
        }
        h2 { "Tokens" }
        div .scroll tabindex="0" role="group" aria-label="Tokens" { (token_rows(web.service.now(), visitor, &path, &tokens, &owners)) }
        h3 { "A new token" }
        form .panel method="post" action=(format!("{path}/tokens")) {
            (proof(&visitor.session))
            div .row {
                div { label for="user" { "User" } input #user name="user" required; }
                div { label for="description" { "Purpose" } input #description name="description"; }
                div { label for="days" { "Days until it expires" } input #days name="days" type="number" min="1" max="3650"; }
            }
            p { "It allows what the user's teams may, now and later. Boxes narrow that." }
            (permission_boxes("token", Permissions::NONE))
            button { "Make a token" }
        }
        h2 { "Teams" }
        @if teams.is_empty() { p { "A team gives its members permissions in this organization." } }
        @for (team, members) in &teams { (team_panel(visitor, &path, team, members)) }
        h3 { "A new team" }
        form .panel method="post" action=(format!("{path}/teams")) {
            (proof(&visitor.session))
            label for="team" { "Name" } input #team name="name" required;
            (permission_boxes("team", Permissions::NONE.with(Permission::ReadState)))
            button { "Make a team" }
        }
    };
    Ok(section(visitor, organization, Section::Members, &body))
}

/// For whom a token speaks.
async fn owner(web: &Web, token: &Token, teams: &[(Team, Vec<User>)]) -> Result<String, Failure> {
    Ok(match &token.kind {
        TokenKind::User(user) | TokenKind::Session(user) | TokenKind::Member { user, .. } => {
            let found = web.service.store().user_by_id(user).await?;
            found.map_or_else(|| user.to_string(), |user| user.name)
        }
        TokenKind::Team(id) => {
            let found = teams.iter().find(|(team, _)| team.id == *id);
            found.map_or_else(|| id.to_string(), |(team, _)| format!("team {}", team.name))
        }
        TokenKind::Organization(_) => "the organization".to_owned(),
        TokenKind::Workspace { workspace, .. } => {
            let found = web.service.store().snapshot(workspace).await?;
            found.map_or_else(
                || workspace.to_string(),
                |found| format!("workspace {}", found.workspace.name),
            )
        }
        TokenKind::Workload { trust, .. } => {
            let found = web.service.store().trust(trust).await?;
            found.map_or_else(
                || trust.to_string(),
                |found| format!("a job, by the trust {}", found.name),
            )
        }
    })
}

fn token_rows(
    now: Timestamp,
    visitor: &Visitor,
    path: &str,
    tokens: &[Token],
    owners: &[String],
) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "Of" } th scope="col" { "For" } th scope="col" { "May" } th scope="col" { "Made" } th scope="col" { "Expires" }
                    th scope="col" { "Revoke" }
                }
            }
            tbody {
                @for (token, owner) in tokens.iter().zip(owners) {
                    tr {
                        th scope="row" { (shown(owner)) } td { (shown(&token.description)) }
                        td {
                            @match &token.kind {
                                TokenKind::User(_) | TokenKind::Session(_) => "what the user's teams may",
                                TokenKind::Member { within, .. } => {
                                    "what the user's teams may"
                                    @if *within != Permissions::ALL { ", of that " (within) }
                                }
                                TokenKind::Team(_) => "what the team may",
                                TokenKind::Organization(_) => "read",
                                TokenKind::Workspace { .. } => "what the workspace needs",
                                TokenKind::Workload { .. } => "what the trust says",
                            }
                        }
                        td { (ago(token.created_at, now)) }
                        td { @if let Some(at) = &token.expires_at { (ago(*at, now)) } @else { "never" } }
                        td {
                            @if token.id == visitor.principal.token { span .soft { "in use here" } }
                            @else {
                                a href=(format!("{path}/tokens/{}/revoke", token.id)) aria-label=(format!("Revoke the token of {} for {}", shown(owner), shown(&token.description))) { "Revoke…" }
                            }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn permission_boxes(of: &str, ticked: Permissions) -> Markup {
    html! {
        fieldset {
            legend { "May" }
            @for permission in Permission::ALL {
                @let id = format!("{of}-{}", permission.name());
                label .check for=(id) {
                    input id=(id) type="checkbox" name="can" value=(permission.name()) checked[ticked.allow(permission)];
                    (permission.name())
                }
            }
        }
    }
}

fn team_panel(visitor: &Visitor, path: &str, team: &Team, members: &[User]) -> Markup {
    let action = format!("{path}/teams/{}", team.id);
    let field = format!("add-{}", team.id);
    html! {
        section .panel {
            h3 { (shown(&team.name)) }
            @if members.is_empty() { p { "It has no members yet." } }
            @for user in members {
                form .inline method="post" action=(action) {
                    (proof(&visitor.session))
                    input type="hidden" name="remove" value=(user.name);
                    (shown(&user.name)) " "
                    button .quiet aria-label=(format!("Remove {} from {}", shown(&user.name), shown(&team.name))) { "Remove" }
                }
            }
            form method="post" action=(action) {
                (proof(&visitor.session))
                label for=(field) { "Add a user" }
                div .row { input id=(field) name="add" required; button .quiet { "Add" } }
            }
            form method="post" action=(action) {
                (proof(&visitor.session))
                input type="hidden" name="permissions" value="set";
                (permission_boxes(team.id.as_str(), team.permissions))
                button .quiet { "Change its permissions" }
            }
        }
    }
}

/// The permissions that are ticked.
pub(super) fn ticked(form: &Form) -> Result<Permissions, Refusal> {
    form.all("can")
        .join(",")
        .parse()
        .map_err(|why: String| Refusal::unprocessable("/can", why))
}

pub(super) async fn create_token(
    State(web): Shared,
    Path(name): Path<String>,
    Sent { visitor, form }: Sent,
) -> Answer {
    let organization = administrated(&web, &visitor, &name).await?;
    let permissions = visitor.reported(ticked(&form))?;
    let user = form.filled("user").unwrap_or_default().to_owned();
    let lasts = match form.filled("days").map(str::parse::<u32>) {
        None => None,
        Some(Ok(days)) if days > 0 => Some(Duration::from_secs(u64::from(days) * 86_400)),
        Some(_) => {
            return visitor.reported(Err(Refusal::unprocessable(
                "/days",
                "The days until it expires must be a whole number above 0",
            )));
        }
    };
    // Boxes make it less; without any it keeps all, so that nobody makes a token for nothing.
    let within = if permissions.is_empty() {
        Permissions::ALL
    } else {
        permissions
    };
    let owner = TokenFor::Member {
        name: user,
        organization: organization.id.clone(),
        within,
    };
    let description = form.filled("description").unwrap_or_default();
    let made = visitor.reported(
        web.service
            .create_token(&who(&visitor.principal), owner, description, lasts, None)
            .await,
    )?;
    let page = path_of(&organization);
    let to = [
        (header::LOCATION, page.clone()),
        (
            header::SET_COOKIE,
            Made::new(made.secret).cookie(&page, web.secure),
        ),
    ];
    Ok((StatusCode::SEE_OTHER, to).into_response())
}

pub(super) async fn ask_revoke(
    State(web): Shared,
    Path((name, id)): Path<(String, String)>,
    visitor: Visitor,
) -> Answer {
    let organization = administrated(&web, &visitor, &name).await?;
    let tokens = visitor.reported(web.service.tokens_of(&organization.id).await)?;
    let token = visitor.reported(token_of(&tokens, &id))?;
    let teams = visitor.reported(web.service.store().teams(&organization.id).await)?;
    let teams: Vec<_> = teams.into_iter().map(|team| (team, Vec::new())).collect();
    let owner = visitor.reported(owner(&web, token, &teams).await)?;
    let body = html! {
        h2 { "Revoke the token of " (shown(&owner)) }
        p .lead { "From the next request on, it allows nothing." }
        @if !token.description.is_empty() { p { (shown(&token.description)) } }
        div .warn {
            p { "If you revoke it:" }
            ul {
                li { "It cannot be brought back; you can make another one." }
                li { "A Terraform that uses it now cannot store its result. It writes it to " code { "errored.tfstate" } " on its machine; " code { "terraform state push errored.tfstate" } " brings it here with another token." }
                li { "The audit log says that you did it." }
            }
        }
        form method="post" {
            (proof(&visitor.session))
            button .danger { "Revoke it" }
            " " a href=(path_of(&organization)) { "Keep it" }
        }
    };
    Ok(section(&visitor, &organization, Section::Members, &body))
}

pub(super) async fn revoke(
    State(web): Shared,
    Path((name, id)): Path<(String, String)>,
    Sent { visitor, .. }: Sent,
) -> Answer {
    let organization = administrated(&web, &visitor, &name).await?;
    visitor.reported(
        web.service
            .remove_token(&visitor.principal, &TokenId::from_text(id))
            .await,
    )?;
    Ok(on_to(&path_of(&organization)))
}

pub(super) async fn create_team(
    State(web): Shared,
    Path(name): Path<String>,
    Sent { visitor, form }: Sent,
) -> Answer {
    let organization = administrated(&web, &visitor, &name).await?;
    let permissions = visitor.reported(ticked(&form))?;
    let team = form.filled("name").unwrap_or_default();
    visitor.reported(
        web.service
            .create_team(&visitor.principal, &organization.id, team, permissions)
            .await,
    )?;
    Ok(on_to(&path_of(&organization)))
}

/// Adds a member, removes one, or changes the permissions.
pub(super) async fn change_team(
    State(web): Shared,
    Path((name, id)): Path<(String, String)>,
    Sent { visitor, form }: Sent,
) -> Answer {
    let organization = administrated(&web, &visitor, &name).await?;
    let unknown = || Refusal::not_found(format!("team {id:?}"));
    let team = visitor.reported(
        web.service
            .store()
            .team_by_id(&TeamId::from_text(id.as_str()))
            .await,
    )?;
    let team = visitor.reported(
        team.filter(|team| team.organization == organization.id)
            .ok_or_else(unknown),
    )?;
    for (field, member) in [("add", true), ("remove", false)] {
        let Some(user) = form.filled(field) else {
            continue;
        };
        let found = visitor.reported(web.service.user_of(&organization.id, user).await)?;
        visitor.reported(
            web.service
                .set_member(&visitor.principal, &team, &found, member)
                .await,
        )?;
    }
    if form.get("permissions").is_some() {
        let permissions = visitor.reported(ticked(&form))?;
        visitor.reported(
            web.service
                .change_team(&visitor.principal, &team, permissions)
                .await,
        )?;
    }
    Ok(on_to(&path_of(&organization)))
}
