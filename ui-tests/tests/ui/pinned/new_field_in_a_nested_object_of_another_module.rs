mod rules {
    use upstate::Object;

    #[derive(Object)]
    pub struct Rule {
        pub port: u16,
        pub source: Option<String>,
        pub protocol: Option<String>,
    }
}

use rules::Rule;
use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 2, oldest = 1)]
#[upgrade_from(1 => 2, rename(size => limit))]
struct Firewall {
    #[attribute(computed)]
    id: String,
    #[block(min = 1)]
    rule: Vec<Rule>,
    label: Option<String>,
    fallback: Option<Rule>,
    limit: i64,
}

fn main() {}
