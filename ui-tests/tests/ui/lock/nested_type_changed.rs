use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    port: String,
    source: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 1, oldest = 1)]
struct Firewall {
    #[attribute(computed)]
    id: String,
    #[block]
    rule: Vec<Rule>,
    label: Option<String>,
    fallback: Option<Rule>,
    size: i64,
}

fn main() {}
