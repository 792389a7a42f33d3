use std::convert::Infallible;

use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(policy.permissions, with = sorted), convert(names, with = sorted))]
struct Vault {
    policy: Option<Policy>,
    names: Option<Vec<String>>,
}

#[derive(Object)]
struct Policy {
    permissions: Option<Vec<String>>,
}

fn sorted(mut names: Vec<String>) -> Result<Vec<String>, Infallible> {
    names.sort();
    Ok(names)
}

fn main() {}
