use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    port: u16,
    source: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 2, oldest = 1)]
#[upgrade_from(1 => 2, carry)]
struct Firewall {
    #[attribute(computed)]
    id: String,
    #[block(min = 1)]
    rule: Vec<Rule>,
    title: Option<String>,
    #[attribute(set)]
    zones: Vec<String>,
    fallback: Option<Rule>,
    limit: i64,
}

fn main() {}
