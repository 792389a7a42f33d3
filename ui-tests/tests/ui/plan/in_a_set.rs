use upstate::{Object, Resource};

use std::collections::BTreeSet;

#[derive(Resource)]
#[resource(version = 0, plan)]
struct Thing {
    #[attribute(plan)]
    rules: BTreeSet<Rule>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Object)]
#[object(plan)]
struct Rule {
    port: u16,
}

fn main() {}
