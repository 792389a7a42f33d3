use std::collections::BTreeMap;
use std::convert::Infallible;

use upstate::{Object, Resource};

#[derive(Object)]
struct Label {
    name: String,
    value: String,
}

#[derive(Object)]
struct Login {
    user: Option<String>,
    #[attribute(sensitive)]
    password: Option<String>,
}

#[derive(Object)]
struct Open {
    taken: Option<String>,
}

#[derive(Resource)]
struct TokenV0 {
    #[attribute(sensitive)]
    copied: String,
    #[attribute(sensitive)]
    converted: String,
    #[attribute(sensitive)]
    made: Option<String>,
    #[attribute(sensitive)]
    cut: String,
    #[attribute(sensitive)]
    one: BTreeMap<String, String>,
    two: BTreeMap<String, String>,
    #[attribute(sensitive)]
    formed: String,
    #[attribute(sensitive)]
    composed: String,
    #[attribute(sensitive)]
    taken: Option<String>,
    #[attribute(sensitive)]
    labels: BTreeMap<String, String>,
    login: Option<Login>,
    logins: Option<Login>,
}

fn made(value: Option<String>) -> Result<Option<String>, Infallible> {
    Ok(value)
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = TokenV0,
    copy(copied => copy),
    convert(converted, empty = refuse),
    convert(made, with = made),
    split(cut, "{first}/{second}"),
    merge(one, two => all),
    reformat(formed, "{a}/{b}" => "{b}/{a}"),
    reformat(whole = "x/{composed}"),
    nest(taken => open),
    rekey(labels, key = name, value = value),
    unnest(login => user, password),
    convert(logins, json),
)]
struct Token {
    #[attribute(sensitive)]
    copied: String,
    copy: String,
    converted: i64,
    made: Option<String>,
    first: String,
    #[attribute(sensitive)]
    second: String,
    all: BTreeMap<String, String>,
    formed: String,
    whole: String,
    open: Option<Open>,
    labels: Vec<Label>,
    user: Option<String>,
    password: Option<String>,
    logins: Option<String>,
}

fn main() {}
