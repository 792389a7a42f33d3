use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0, plan)]
struct Thing {
    min_upper: i64,
    #[attribute(plan)]
    rules: Vec<Rule>,
}

#[derive(Object)]
#[object(plan)]
struct Rule {
    port: u16,
}

fn main() {
    let _ = Thing::PATHS.min_uper;
    let _ = Thing::PATHS.rules.prot;
}
