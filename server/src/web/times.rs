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
    let named = here.to_string();
    let body = html! {
        p .lead { "Pages show times in " strong { (named) } ": it is " (exactly(web.service.now())) " now." }
        form .panel method="post" {
            (proof(&visitor.session))
            label for="zone" { "Zone, by a place or by its difference from UTC" }
            div .row {
                select #zone name="zone" {
                    optgroup label="Difference from UTC" {
                        @for zone in Zone::offsets() { option value=(zone.to_string()) selected[zone == here] { (zone.to_string()) } }
                    }
                    optgroup label="Place" {
                        @for name in Zone::places() { option value=(name) selected[name == named] { (name) } }
                    }
                }
                button { "Show times in this zone" }
            }
            p .soft { "This browser keeps the choice for a year. In a place it is summer time when it is there; a difference stays. Files and the API have UTC." }
        }
    };
    Ok(page(&visitor, Above::Nothing, "Times", &body))
}

pub(super) async fn choose(State(web): Shared, Sent { form, .. }: Sent) -> Response {
    let zone = form.get("zone").and_then(Zone::named).unwrap_or_default();
    let to = [
        (header::LOCATION, "/ui/times".to_owned()),
        (header::SET_COOKIE, zone.cookie(web.secure)),
    ];
    (StatusCode::SEE_OTHER, to).into_response()
}
