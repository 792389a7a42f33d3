use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0, plan)]
struct Thing {
    #[block(plan)]
    rules: Vec<Rule>,
}

#[derive(Object)]
struct Rule {
    port: u16,
}

fn main() {}
