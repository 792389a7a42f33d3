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

// Nothing is wrong with the upgrader alone: `rekey` may make `source` the key of a map.
#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, carry(rules: Vec<RuleV0>))]
struct Thing {
    rules: Vec<Rule>,
}

fn main() {}
