use upstate::{Object, Resource};

use upstate::AttributePath;

#[derive(Resource)]
#[resource(version = 0, plan)]
struct Thing {
    #[attribute(plan)]
    rules: Vec<Rule>,
}

#[derive(Object)]
#[object(plan)]
struct Rule {
    port: u16,
}

fn main() {
    let _: AttributePath = Thing::PATHS.rules.port.into();
}
