use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[block(paths)]
    rules: Vec<Rule>,
}

#[derive(Object)]
#[object(paths)]
struct Rule {
    port: u16,
}

fn main() {}
