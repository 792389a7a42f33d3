// The lock knows what it was.
use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    port: u16,
    source: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 2)]
#[upgrade_from(1 => 2, convert(size), convert(label, with = words))]
#[upgrade_from(0, unsupported = "upgrade with release 1.0.0 first")]
struct Firewall {
    #[attribute(computed)]
    id: String,
    #[block(min = 1)]
    rule: Vec<Rule>,
    label: Option<Vec<String>>,
    fallback: Option<Rule>,
    size: String,
}

fn words(label: String) -> Result<Vec<String>, String> {
    Ok(label.split(' ').map(str::to_owned).collect())
}

fn main() {}
