use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    rule: Rule,
}

#[derive(Object)]
#[upgrade_from(model = RuleV0, carry, reason = "why not")]
struct Rule {
    id: String,
}

#[derive(Object)]
struct RuleV0 {
    id: String,
}

fn main() {}
