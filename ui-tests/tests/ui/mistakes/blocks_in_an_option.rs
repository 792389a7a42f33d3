use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    port: i64,
}

#[derive(Resource)]
struct Thing {
    #[block]
    rules: Option<Vec<Rule>>,
}

fn main() {}
