//! The values of their type that fields take, of two schemas as data: they may not narrow under a released version.

use serde_json::Value as Json;
use upstate_words::lock::integers;

use crate::snapshot::AttributeSnapshot;

/// The values that `was` took and `is` refuses, as the end of a sentence.
pub(super) fn narrowed_snapshot(was: &AttributeSnapshot, is: &AttributeSnapshot) -> Option<String> {
    // Of what was imported it is not known which values it took.
    was.nullable?;
    let of = |attribute: &AttributeSnapshot, name: &str| attribute.validators.get(name).cloned();
    if let Some(Json::String(now)) = of(is, "stored integer") {
        let took = of(was, "stored integer");
        let took = took.as_ref().and_then(Json::as_str);
        let (low, high) = integers(now.as_bytes())?;
        return match took.and_then(|took| integers(took.as_bytes())) {
            Some((min, max)) if low <= min && max <= high => None,
            _ => {
                let before = took.map_or_else(|| "any number was stored".to_owned(), |took| format!("was stored as {took}"));
                Some(format!("is read as {now} now, and {before}"))
            }
        };
    }
    let Some(Json::Array(now)) = of(is, "stored values") else { return None };
    match of(was, "stored values") {
        Some(Json::Array(took)) => took.iter().find(|text| !now.contains(text)).map(|text| format!("no longer takes {text}")),
        _ => Some("takes only a few strings now, and any string was stored".to_owned()),
    }
}
