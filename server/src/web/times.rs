//! The page to choose the zone of all times.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use maud::html;

use super::frame::{Above, exactly, page, proof};
use super::visitor::{Sent, Visitor};
use super::zone::Zone;
use super::{Answer, Shared};

pub(super) async fn show(State(web): Shared, visitor: Visitor) -> Answer {
    let here = Zone::here();
    let body = html! {
        p .lead { "Pages show times in " strong { (here.to_string()) } ": it is " (exactly(web.service.now())) " now." }
        form .panel method="post" {
            (proof(&visitor.session))
            label for="zone" { "Zone, by its difference from UTC" }
            div .row {
                select #zone name="zone" {
                    @for zone in Zone::all() { option value=(zone.to_string()) selected[zone == here] { (zone.to_string()) } }
                }
                button { "Show times in this zone" }
            }
            p .soft { "This browser keeps the choice for a year. Summer time is a zone of its own. Files and the API have UTC." }
        }
    };
    Ok(page(&visitor, Above::Nothing, "Times", &body))
}

pub(super) async fn choose(State(web): Shared, Sent { form, .. }: Sent) -> Response {
    let zone = form.get("zone").and_then(Zone::named).unwrap_or_default();
    let to = [(header::LOCATION, "/ui/times".to_owned()), (header::SET_COOKIE, zone.cookie(web.secure))];
    (StatusCode::SEE_OTHER, to).into_response()
}
