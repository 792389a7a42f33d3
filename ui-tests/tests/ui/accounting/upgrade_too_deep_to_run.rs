use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, carry)]
struct Thing {
    groups: std::collections::BTreeMap<String, Vec<Rule>>,
    pair: (Rule, i64),
    range: (u8, i64),
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    groups: std::collections::BTreeMap<String, Vec<RuleV0>>,
    pair: (RuleV0, i64),
    range: (i64, i64),
}

#[derive(Object)]
#[upgrade_from(model = RuleV0, reformat(id, "{a}/{b}" => "{b}/{a}"))]
struct Rule {
    id: String,
}

#[derive(Object)]
struct RuleV0 {
    id: String,
}

fn main() {}
