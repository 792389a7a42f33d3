use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    number: i64,
    zone: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_wall", version = 2)]
#[upgrade_from(0..=1 => 2, within(rule: Vec<Rule>, set(zone = null)))]
struct Wall {
    id: String,
    rule: Option<Vec<Rule>>,
    one: Option<Rule>,
}

fn main() {}
