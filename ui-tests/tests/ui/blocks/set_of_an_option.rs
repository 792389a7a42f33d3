use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0)]
struct Server {
    #[block(set)]
    rule: Option<Rule>,
}

#[derive(Object)]
struct Rule {
    port: i64,
}

fn main() {}
