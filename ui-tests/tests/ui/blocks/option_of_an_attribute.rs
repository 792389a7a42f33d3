use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[block(computed)]
    rules: Vec<Rule>,
}

#[derive(Object)]
struct Rule {
    name: String,
}

fn main() {}
