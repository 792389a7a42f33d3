//! Rules for documents alone.

use std::collections::BTreeMap;

use upstate::{Document, Registry};
use upstate_compat::Report;

use crate::rules::{Case, between};

pub(crate) const CASES: &[Case] = &[
    ("member-required", required),
    ("absent-value-changed", filled_in),
    ("open-member-named", named),
    ("alias-removed", unread),
];

#[derive(Document)]
#[document(type_name = "app.settings")]
struct Settings {
    #[attribute(default = 3)]
    retries: u32,
    theme: Option<String>,
}

fn required() -> Report {
    #[derive(Document)]
    #[document(type_name = "app.settings")]
    struct Required {
        #[attribute(default = 3)]
        retries: u32,
        theme: Option<String>,
        owner: String,
    }
    between(
        Registry::new().with::<Settings>(),
        &Registry::new().with::<Required>(),
    )
}

fn filled_in() -> Report {
    #[derive(Document)]
    #[document(type_name = "app.settings")]
    struct FilledIn {
        #[attribute(default = 5)]
        retries: u32,
        theme: Option<String>,
    }
    between(
        Registry::new().with::<Settings>(),
        &Registry::new().with::<FilledIn>(),
    )
}

fn named() -> Report {
    #[derive(Document)]
    #[document(type_name = "app.settings")]
    struct Open {
        theme: Option<String>,
        #[attribute(rest)]
        rest: BTreeMap<String, serde_json::Value>,
    }
    #[derive(Document)]
    #[document(type_name = "app.settings")]
    struct Named {
        theme: Option<String>,
        width: Option<u32>,
        #[attribute(rest)]
        rest: BTreeMap<String, serde_json::Value>,
    }
    between(
        Registry::new().with::<Open>(),
        &Registry::new().with::<Named>(),
    )
}

fn unread() -> Report {
    #[derive(Document)]
    #[document(type_name = "app.settings")]
    struct Read {
        #[attribute(alias = "colour")]
        theme: Option<String>,
    }
    #[derive(Document)]
    #[document(type_name = "app.settings")]
    struct Unread {
        theme: Option<String>,
    }
    between(
        Registry::new().with::<Read>(),
        &Registry::new().with::<Unread>(),
    )
}
