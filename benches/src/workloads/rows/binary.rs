//! The rows of a program by revision, which itself writes only those of its current version.

use serde_json::{Value, json};

use super::revision::{self, Change};

/// The row that a release of `version` wrote for this JSON.
pub(super) fn row(version: u64, json: &str) -> Vec<u8> {
    let event: Value = serde_json::from_str(json).expect("the row is JSON");
    let change = &event["change"];
    let variants: &[&str] = match version {
        0 => &["opened", "sale", "coupon"],
        1 => &["opened", "sold", "refunded", "coupon"],
        _ => &["opened", "sold", "refunded"],
    };
    // An unknown one has the number after theirs.
    let kind = variants.iter().position(|kind| change["kind"] == **kind);
    let kind = kind.unwrap_or(variants.len());
    // Only a later release changed the struct; the enum has revisions of its own.
    let (of_event, of_change) = if version > 2 {
        (2, 3)
    } else {
        (1, version + 1)
    };
    let mut out = Vec::new();
    write(&json!(of_event), &mut out);
    write(&event["at"], &mut out);
    write(&json!(of_change), &mut out);
    write(&json!(kind), &mut out);
    for name in ["item", "cents", "amount", "code"] {
        write(&change[name], &mut out);
    }
    for name in ["note", "till"] {
        write(&event[name], &mut out);
    }
    out
}

/// A member, if there is one. Numbers up to 250 have one byte.
fn write(member: &Value, out: &mut Vec<u8>) {
    let byte = |number: u64| u8::try_from(number).expect("the rows have small numbers");
    if let Some(number) = member.as_u64() {
        out.push(byte(number));
    }
    if let Some(string) = member.as_str() {
        out.push(byte(string.len() as u64));
        out.extend(string.bytes());
    }
}

/// The JSON of a row of the current version.
pub(super) fn content(row: &[u8]) -> String {
    let event = revision::read(row).expect("the row is of the current version");
    let change = match event.change {
        Change::Opened => json!({ "kind": "opened" }),
        Change::Sold { item, amount } => json!({ "kind": "sold", "item": item, "amount": amount }),
        Change::Refunded { item } => json!({ "kind": "refunded", "item": item }),
    };
    json!({ "at": event.at, "change": change }).to_string()
}
