use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, carry)]
struct Thing {
    rule: Option<Rule>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    rule: Vec<Rule>,
}

#[derive(Object)]
struct Rule {
    port: i64,
}

fn main() {}
