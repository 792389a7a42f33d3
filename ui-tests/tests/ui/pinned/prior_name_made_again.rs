use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    port: u16,
    source: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 2, oldest = 1)]
#[upgrade_from(1 => 2, rename(size => limit), set(size = "small"))]
struct Firewall {
    #[attribute(computed)]
    id: String,
    #[block(min = 1)]
    rule: Vec<Rule>,
    label: Option<String>,
    fallback: Option<Rule>,
    limit: String,
    size: String,
}

fn main() {}
