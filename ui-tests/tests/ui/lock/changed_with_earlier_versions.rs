use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    port: u16,
    source: Option<String>,
}

// One error: what is read off the model for version 0 is wrong for the same reason.
#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 1)]
#[upgrade_from(0 => 1, drop(rules: Vec<String>, "they are blocks now"), set(rule = [], label = null, fallback = null, limit = 0))]
struct Firewall {
    #[attribute(computed)]
    id: String,
    #[block]
    rule: Vec<Rule>,
    label: Option<String>,
    fallback: Option<Rule>,
    zone: String,
    limit: i64,
}

fn main() {}
