use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0, plan)]
struct Thing {
    rules: Vec<Rule>,
}

#[derive(Object)]
struct Rule {
    port: u16,
    #[attribute(computed)]
    id: String,
}

fn main() {}
