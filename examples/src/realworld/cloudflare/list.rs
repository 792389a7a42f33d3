//! `cloudflare_zero_trust_list`: two releases stored two shapes under one version, which their items tell apart.

use serde_json::{Map, Value};
use upstate::{Object, RawState, Resource};

/// A list of hosts, addresses and the like. Items were strings, and others, with a description, objects in an attribute of their own.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_list", version = 500)]
#[upgrade_from(0, model = ListV0, when = is_of_release_4)]
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

/// As release 4 stored it.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_list", version = 0)]
pub struct ListV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: Option<String>,
    pub description: Option<String>,
    pub items: Option<Vec<String>>,
    pub items_with_description: Option<Vec<ListItem>>,
    pub name: String,
    pub r#type: String,
}

impl From<ListV0> for List {
    fn from(prior: ListV0) -> Self {
        let plain = prior.items.into_iter().flatten().map(|value| ListItem { description: None, value: Some(value) });
        let items: Vec<ListItem> = plain.chain(prior.items_with_description.into_iter().flatten()).collect();
        Self {
            id: prior.id,
            account_id: prior.account_id,
            description: prior.description,
            items: (!items.is_empty()).then_some(items),
            name: prior.name,
            r#type: prior.r#type,
        }
    }
}

/// Release 4 has strings for items, and writes the other attribute even if it is null.
fn is_of_release_4(raw: RawState<'_>) -> bool {
    let Some(Ok(stored)) = raw.json().map(serde_json::from_slice::<Map<String, Value>>) else { return false };
    match stored.get("items").and_then(Value::as_array).and_then(|items| items.first()) {
        Some(first) => first.is_string(),
        None => stored.contains_key("items_with_description"),
    }
}

fn is_of_release_5(raw: RawState<'_>) -> bool {
    !is_of_release_4(raw)
}
