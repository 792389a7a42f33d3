// The version was raised, and its upgrader does not say that the field is called otherwise.
use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    port: u16,
    source: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 2)]
#[upgrade_from(1 => 2, carry)]
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
