use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rename(rules[0].port => rules.number), rename(rules::name => rules.label), rename(rules.*.from => rules.to))]
struct Thing {
    rules: Vec<Rule>,
}

#[derive(Object)]
struct Rule {
    number: i64,
    label: String,
    to: String,
}

fn main() {}
