//! The tokens and sessions of the visitor.

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::frame::{Above, ago, page, proof, shown};
use super::members::token_of;
use super::visitor::{Sent, Visitor};
use super::{Answer, Refused, Shared, Web, on_to};
use crate::model::{Permissions, Timestamp, Token, TokenId, TokenKind};

/// The page.
const HERE: &str = "/ui/tokens";

/// The scope of a token, in words.
async fn scope(web: &Web, visitor: &Visitor, token: &Token) -> Result<String, Refused> {
    let TokenKind::Member {
        organization,
        within,
        ..
    } = &token.kind
    else {
        return Ok(if matches!(token.kind, TokenKind::Session(_)) {
            "the page, in a browser"
        } else {
            "all organizations"
        }
        .to_owned());
    };
    let found = visitor.reported(web.service.store().organization_by_id(organization).await)?;
    let name = found.map_or_else(|| organization.to_string(), |found| shown(&found.name));
    Ok(if *within == Permissions::ALL {
        name
    } else {
        format!("{name}, only {within}")
    })
}

pub(super) async fn show(State(web): Shared, visitor: Visitor) -> Answer {
    let tokens = visitor.reported(web.service.own_tokens(&visitor.principal).await)?;
    let mut rows = Vec::with_capacity(tokens.len());
    for token in &tokens {
        rows.push((token, scope(&web, &visitor, token).await?));
    }
    let body = html! {
        @if !rows.is_empty() {
            p .lead { "Each of these " strong { (rows.len()) } " allows what you may do, until it expires or you revoke it." }
        }
        @if rows.is_empty() { p .lead { "You are not signed in as a user, so there are none." } }
        @else { div .scroll tabindex="0" role="group" aria-label="Tokens and sessions" { (table(web.service.now(), &visitor, &rows)) } }
    };
    Ok(page(
        &visitor,
        Above::Nothing,
        "Your tokens and sessions",
        &body,
    ))
}

fn table(now: Timestamp, visitor: &Visitor, rows: &[(&Token, String)]) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "For" } th scope="col" { "Opens" } th scope="col" { "Made" } th scope="col" { "Expires" }
                    th scope="col" { "Revoke" }
                }
            }
            tbody {
                @for (token, scope) in rows {
                    tr {
                        th scope="row" { (named(token)) } td { (scope) } td { (ago(token.created_at, now)) }
                        td { @if let Some(at) = &token.expires_at { (ago(*at, now)) } @else { "never" } }
                        td {
                            @if token.id == visitor.principal.token { span .soft { "in use here" } }
                            @else {
                                a href=(format!("{HERE}/{}/revoke", token.id)) aria-label=(format!("Revoke {} of {}", named(token), token.created_at)) { "Revoke…" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The purpose of a token, or its id.
fn named(token: &Token) -> String {
    match (&token.kind, token.description.as_str()) {
        (TokenKind::Session(_), _) => "a session".to_owned(),
        (_, "") => token.id.to_string(),
        (_, description) => shown(description),
    }
}

pub(super) async fn ask_revoke(
    State(web): Shared,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Answer {
    let tokens = visitor.reported(web.service.own_tokens(&visitor.principal).await)?;
    let token = visitor.reported(token_of(&tokens, &id))?;
    let scope = scope(&web, &visitor, token).await?;
    let body = html! {
        p .lead { (named(token)) ", which opens " (scope) ", made " (ago(token.created_at, web.service.now())) "." }
        div .warn {
            p { "From the next request on, it allows nothing. It cannot be brought back." }
            @if !matches!(token.kind, TokenKind::Session(_)) {
                p { "A Terraform that uses it now cannot store its result, and writes it to " code { "errored.tfstate" } "." }
            }
        }
        form method="post" { (proof(&visitor.session)) button .danger { "Revoke it" } " " a href=(HERE) { "Keep it" } }
    };
    Ok(page(
        &visitor,
        Above::Nothing,
        "Revoke a token of yours",
        &body,
    ))
}

pub(super) async fn revoke(
    State(web): Shared,
    Path(id): Path<TokenId>,
    Sent { visitor, .. }: Sent,
) -> Answer {
    visitor.reported(web.service.remove_own_token(&visitor.principal, &id).await)?;
    Ok(on_to(HERE))
}
