//! `cloudflare_zero_trust_list`: two releases stored two shapes under one version, which their items tell apart.

use std::convert::Infallible;

use serde_json::{Map, Value};
use upstate::{Object, RawState, Resource};

/// A list of hosts, addresses and the like. Items were strings, and others, with a description, objects in an attribute of their own.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_list", version = 500)]
#[upgrade_from(0 => 500,
    convert(items: Option<Vec<String>>, items_with_description: Option<Vec<ListItem>> => items, with = all_items, back = apart),
    when = is_of_release_4,
)]
#[upgrade_from(0 => 500, carry, when = is_of_release_5)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct List {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: Option<String>,
    pub description: Option<String>,
    pub items: Option<Vec<ListItem>>,
    pub name: String,
    pub r#type: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ListItem {
    pub description: Option<String>,
    pub value: Option<String>,
}

/// The items in both attributes of release 4.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the form that an operator asks for"
)]
fn all_items(
    plain: Option<Vec<String>>,
    described: Option<Vec<ListItem>>,
) -> Result<Option<Vec<ListItem>>, Infallible> {
    let plain = plain.into_iter().flatten().map(|value| ListItem {
        description: None,
        value: Some(value),
    });
    let items: Vec<ListItem> = plain.chain(described.into_iter().flatten()).collect();
    Ok((!items.is_empty()).then_some(items))
}

/// What release 4 has in each of them.
#[expect(clippy::type_complexity, reason = "the form that an operator asks for")]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the form that an operator asks for"
)]
fn apart(
    items: Option<Vec<ListItem>>,
) -> Result<(Option<Vec<String>>, Option<Vec<ListItem>>), Infallible> {
    let (mut plain, mut described) = (Vec::new(), Vec::new());
    for item in items.into_iter().flatten() {
        match item {
            ListItem {
                description: None,
                value: Some(value),
            } => plain.push(value),
            item => described.push(item),
        }
    }
    Ok((
        (!plain.is_empty()).then_some(plain),
        (!described.is_empty()).then_some(described),
    ))
}

/// Release 4 has strings for items, and writes the other attribute even if it is null.
fn is_of_release_4(raw: RawState<'_>) -> bool {
    let Some(Ok(stored)) = raw.json().map(serde_json::from_slice::<Map<String, Value>>) else {
        return false;
    };
    match stored
        .get("items")
        .and_then(Value::as_array)
        .and_then(|items| items.first())
    {
        Some(first) => first.is_string(),
        None => stored.contains_key("items_with_description"),
    }
}

fn is_of_release_5(raw: RawState<'_>) -> bool {
    !is_of_release_4(raw)
}
