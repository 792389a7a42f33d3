//! By upstate.

use upstate::upgrade::DowngradeRequest;
use upstate::{Document, Registry, Union};

#[derive(Debug, Document)]
#[document(type_name = "till.event", version = 2)]
#[upgrade_from(1 => 2,
    variants(change, drop("coupon": Coupon, "they are not taken any more", as = "opened")),
    rename(change.Sold.cents => change.Sold.amount))]
#[upgrade_from(0 => 1, variants(change, "sale" => "sold", add("refunded")))]
pub struct Event {
    pub at: u64,
    pub change: Change,
}

#[derive(Debug, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
pub enum Change {
    Opened,
    Sold { item: String, amount: u64 },
    Refunded { item: String },
}

#[derive(Debug, Document)]
pub struct Coupon {
    pub code: String,
}

pub fn read(version: u64, json: &str) -> Result<(Event, Vec<String>), String> {
    let (event, notes) = upstate::upgrade_json_with_notes::<Event>(version, json)
        .map_err(|error| error.to_string())?;
    let dropped = notes.dropped().iter().map(|one| one.path.to_string());
    let undefined = notes.undefined().iter().map(ToString::to_string);
    Ok((event, dropped.chain(undefined).collect()))
}

pub fn write(event: &Event) -> String {
    String::from_utf8(upstate::to_json(event).expect("an event is JSON")).expect("JSON is UTF-8")
}

pub fn back(json: &str) -> Result<String, String> {
    let registry = Registry::new().with::<Event>();
    let request = DowngradeRequest::json("till.event", 2, 1, json.as_bytes());
    let response = registry.downgrade(&request);
    match response.state() {
        Some(older) => Ok(String::from_utf8_lossy(older).into_owned()),
        None => Err(response.diagnostics().to_string()),
    }
}
