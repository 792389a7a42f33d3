use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[block]
    rules: Vec<String>,
}

#[derive(Object)]
struct Rule {
    name: String,
}

fn main() {}
