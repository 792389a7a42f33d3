// The version was not raised, and an earlier upgrader names the field.
use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    port: u16,
    source: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 1)]
#[upgrade_from(0 => 1, drop(rules: Vec<String>, "rules are objects now"), set(rule = [], label = null, fallback = null, size = 0))]
struct Firewall {
    #[attribute(computed)]
    id: String,
    #[block(min = 1)]
    rule: Vec<Rule>,
    title: Option<String>,
    fallback: Option<Rule>,
    size: i64,
}

fn main() {}
