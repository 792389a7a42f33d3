use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    port: i64,
}

#[derive(Resource)]
struct Thing {
    #[block(min_items = 1, max_items = 2)]
    rules: Vec<Rule>,
}

fn main() {}
