use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    port: i64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[block(keys(pattern = "^[a-z]+$"))]
    rule: Vec<Rule>,
}

fn main() {}
