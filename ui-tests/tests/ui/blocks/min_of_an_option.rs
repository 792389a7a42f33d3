use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[block(min = 2)]
    rule: Option<Rule>,
}

#[derive(Object)]
struct Rule {
    port: u16,
}

fn main() {}
