//! Signing in and out, the organizations, and why a page is not shown.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use maud::html;

use super::cookies;
use super::frame::{Above, Top, copied, counted, described, page, shown, whole};
use super::session::Session;
use super::visitor::{Sent, Visitor, own_form};
use super::{Answer, Refused, Shared};
use crate::model::Permission;
use crate::rules::Refusal;
use crate::service::Failure;
use crate::traffic::Client;
use crate::web::form::Form;

/// For how many organizations the list says what is behind: each is looked through for it.
const COUNTED: usize = 20;

pub(super) async fn show(state: Shared, headers: HeaderMap, request: Request) -> Answer {
    if Session::of(&headers, state.0.secure).is_none() {
        return Ok(sign_in_page(state.0.has_provider(), None, None));
    }
    let (mut parts, _) = request.into_parts();
    let visitor =
        <Visitor as axum::extract::FromRequestParts<_>>::from_request_parts(&mut parts, &state.0)
            .await?;
    organizations(state, visitor).await
}

/// The organizations that somebody may see.
async fn organizations(State(web): Shared, visitor: Visitor) -> Answer {
    let all = visitor.reported(web.service.store().organizations().await)?;
    let mut rows = Vec::new();
    for one in all
        .into_iter()
        .filter(|one| visitor.principal.sees(&one.id))
    {
        let inventory = if visitor.may(&one.id, Permission::ReadState) && rows.len() < COUNTED {
            Some(
                visitor.reported(
                    web.service
                        .organization_inventory(&visitor.principal, &one.name)
                        .await,
                )?,
            )
        } else {
            None
        };
        rows.push((one, inventory));
    }
    let body = html! {
        p .soft { "Signed in as " (shown(&visitor.principal.name)) ". " a href="/ui/tokens" { "Your tokens and sessions" } }
        @if rows.is_empty() {
            p .lead { "This token opens no organization. Ask an administrator for permissions, or make a token on the server:" }
            (copied("upstate-server token create --data ./states --user NAME --org ORGANIZATION --team owners"))
        } @else {
            @let inventories = || rows.iter().filter_map(|(_, inventory)| inventory.as_ref());
            @let (behind, stuck): (usize, usize) = (inventories().map(|one| one.behind).sum(), inventories().map(|one| one.stuck).sum());
            p .lead {
                (counted(rows.len(), "organization", "organizations")) ": "
                @if behind + stuck == 0 { "nothing needs an upgrade." } @else {
                    strong { (counted(behind, "workspace needs", "workspaces need")) } " an upgrade"
                    @if stuck > 0 { ", " strong { (stuck) } " cannot be upgraded" } "."
                }
            }
            div .scroll tabindex="0" role="group" aria-label="Organizations and their workspaces" { table {
                thead { tr { th scope="col" { "Organization" } th scope="col" { "Workspaces" } th scope="col" { "Upgrades" } } }
                tbody {
                    @for (one, inventory) in &rows {
                        tr {
                            th scope="row" {
                                @if inventory.is_some() || visitor.may(&one.id, Permission::ReadState) { a href=(format!("/ui/organizations/{}", one.name)) { (shown(&one.name)) } }
                                @else { (shown(&one.name)) " " span .soft { "its overview needs " code { "read-state" } } }
                            }
                            @if let Some(inventory) = inventory {
                                @let list = |show: &str| format!("/ui/organizations/{}?show={show}", one.name);
                                td { (inventory.workspaces) }
                                td {
                                    @if inventory.stuck > 0 { a href=(list("stuck")) { span .tag .bad { (counted(inventory.stuck, "workspace", "workspaces")) " cannot be upgraded" } } " " }
                                    @if inventory.behind > 0 { a href=(list("behind")) { span .tag .warn { (counted(inventory.behind, "workspace", "workspaces")) " behind" } } }
                                    @else if inventory.stuck == 0 { span .tag .good { "nothing to do" } }
                                }
                            } @else { td {} td {} }
                        }
                    }
                }
            } }
        }
    };
    Ok(page(&visitor, Above::Nothing, "Organizations", &body))
}

pub(super) async fn sign_in(State(web): Shared, request: Request) -> Answer {
    // Nobody has a session yet, so no number in the form tells; another site could sign somebody in
    // under its own name.
    let provider = web.has_provider();
    let refused = |refusal: Refusal| Refused {
        from: None,
        failure: refusal.into(),
        next: None,
        provider,
    };
    let (parts, body) = request.into_parts();
    own_form(&web, &parts.headers).map_err(refused)?;
    let form = Form::read(&web.forms, &parts.headers, body)
        .await
        .map_err(refused)?;
    let session = Session::new(form.filled("token").unwrap_or_default());
    match web
        .service
        .sign_in(session.token(), Client::of(&parts.extensions))
        .await
    {
        Ok(_) => {
            let to = form
                .filled("next")
                .filter(|path| is_page(path))
                .unwrap_or("/");
            Ok((
                StatusCode::SEE_OTHER,
                [
                    (header::LOCATION, to.to_owned()),
                    (header::SET_COOKIE, session.cookie(web.secure)),
                ],
            )
                .into_response())
        }
        Err(Failure::Refused(refusal)) => Ok(sign_in_page(
            provider,
            Some(&refusal.detail),
            form.filled("next"),
        )),
        Err(failure) => Err(Refused {
            from: None,
            failure,
            next: None,
            provider,
        }),
    }
}

/// True for a path of a page of this server: signing in leads nowhere else.
pub(super) fn is_page(path: &str) -> bool {
    (path == "/" || path.starts_with("/ui/") || path.starts_with("/oauth/authorization?"))
        && path
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

pub(super) async fn sign_out(
    State(web): Shared,
    headers: HeaderMap,
    Sent { visitor, .. }: Sent,
) -> Answer {
    visitor.reported(web.service.end_session(&visitor.principal).await)?;
    let gone = AppendHeaders([
        (header::SET_COOKIE, Session::no_cookie(web.secure)),
        (header::SET_COOKIE, cookies::with_id_token(web.secure, "")),
    ]);
    let id_token = cookies::id_token(&headers, web.secure);
    let Some(page) = web
        .service
        .sign_out_page(&visitor.principal, &web.back(), id_token)
        .await
    else {
        let to = [(header::LOCATION, "/".to_owned())];
        return Ok((StatusCode::SEE_OTHER, gone, to).into_response());
    };
    // A link, because the policy keeps forms from leading to another site.
    let body = html! {
        h1 { "Signed out" }
        p .lead { "Your session here has ended. Your organization may still know this browser, and sign the next person in as you." }
        p { a .button href=(page) { "Sign out of your organization" } }
        p { a href="/" { "Sign in again" } }
    };
    let shown = whole(StatusCode::OK, "Signed out", None, &body);
    Ok((gone, shown).into_response())
}

/// The page to sign in, why nobody is, and the page to go on to.
pub(super) fn sign_in_page(provider: bool, why: Option<&str>, next: Option<&str>) -> Response {
    let next = next.filter(|path| is_page(path));
    let begin = next.map_or_else(String::new, |next| {
        form_urlencoded::Serializer::for_suffix("?".to_owned(), 1)
            .append_pair("next", next)
            .finish()
    });
    let body = html! {
        h1 { "Sign in" }
        @if let Some(why) = why { p .bad role="alert" { (described(why)) } }
        // A link, because the policy keeps forms from leading to another site.
        @if provider { p { a .button href=(format!("/ui/sign-in/provider{begin}")) { "Sign in with your organization" } } p .soft { "Or with a token:" } }
        form method="post" action="/ui/sign-in" {
            @if let Some(next) = next { input type="hidden" name="next" value=(next); }
            label for="token" { "Token" }
            input #token type="password" name="token" autocomplete="current-password" required autofocus;
            p { button { "Sign in" } }
        }
        p .soft { "The first start of the server printed a token; " code { "upstate-server token create" } " makes another one." }
    };
    whole(
        if why.is_some() {
            StatusCode::UNAUTHORIZED
        } else {
            StatusCode::OK
        },
        "Sign in",
        None,
        &body,
    )
}

/// A page that there is not.
pub(super) async fn missing(visitor: Result<Visitor, Refused>) -> Response {
    let top = visitor.as_ref().ok().map(|visitor| visitor.top(None, None));
    refused(top, StatusCode::NOT_FOUND, "There is no such page.")
}

/// The reason why a page is not shown.
pub(super) fn refused(top: Option<Top<'_>>, status: StatusCode, why: &str) -> Response {
    let body = html! { h1 { "That did not work" } p .bad role="alert" { (described(why)) } p { a href="/" { "All organizations" } } };
    whole(status, "That did not work", top, &body)
}
