use std::collections::BTreeMap;

use upstate::{Object, Resource};

#[derive(Object)]
#[upgrade_from(model = RuleV0, carry)]
struct Rule {
    port: u16,
}

#[derive(Object)]
struct RuleV0 {
    port: u16,
    source: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, unwrap(rule: Vec<RuleV0>))]
struct Unwrapped {
    rule: Option<Rule>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rename(old: BTreeMap<String, RuleV0> => rules))]
struct Renamed {
    rules: BTreeMap<String, Rule>,
}

#[derive(Object)]
#[upgrade_from(model = GroupV0, carry)]
struct Group {
    rule: Rule,
}

#[derive(Object)]
struct GroupV0 {
    rule: RuleV0,
}

fn main() {}
