use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, rename(rules.port => port))]
struct Thing {
    port: Option<i64>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    rules: std::collections::BTreeMap<String, Rule>,
}

#[derive(Object)]
struct Rule {
    port: Option<i64>,
}

fn main() {}
