//! The page on which somebody agrees that Terraform gets a token of theirs.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use maud::html;

use super::frame::{Above, page, proof, shown, whole};
use super::visitor::{Requested, Sent, Visitor};
use super::{Answer, Shared};
use crate::service::Login;

/// Asks somebody.
pub(super) async fn ask(visitor: Visitor, requested: Requested) -> Answer {
    let login = visitor.reported(Login::read(|name| requested.get(name)))?;
    let body = html! {
        p .lead { "Terraform gets a token with which it may do what you may, " (shown(&visitor.principal.name)) ", for 30 days." }
        p { "Agree only if you have just run " code { "terraform login" } " on this machine." }
        form method="post" action="/oauth/authorization" {
            (proof(&visitor.session))
            @for (name, value) in login.parameters() { input type="hidden" name=(name) value=(value); }
            p { button { "Agree" } " " a href=(login.answered("error", "access_denied")) { "Refuse" } }
        }
    };
    Ok(page(&visitor, Above::Nothing, "Log in to Terraform", &body))
}

/// Sends the code to Terraform. By `Refresh`, because the policy keeps forms from leading to
/// another site.
pub(super) async fn agree(State(web): Shared, Sent { visitor, form }: Sent) -> Answer {
    let login = visitor.reported(Login::read(|name| form.get(name)))?;
    let code = visitor.reported(web.service.agree(&visitor.principal, &login))?;
    let to = login.answered("code", &code);
    let body =
        html! { h1 { "Log in to Terraform" } p { a #go href=(to) { "Go back to Terraform" } } };
    let shown = whole(
        StatusCode::OK,
        "Log in to Terraform",
        Some(visitor.top(None, None)),
        &body,
    );
    Ok(([(header::REFRESH, format!("0; url={to}"))], shown).into_response())
}
