use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = FirewallV0, carry)]
struct Firewall {
    rules: Vec<Rule>,
}

#[derive(Object)]
struct Rule {
    port: u16,
}

#[derive(Resource)]
#[resource(version = 0)]
struct FirewallV0 {
    rules: Vec<RuleV0>,
}

#[derive(Object)]
struct RuleV0 {
    from_port: u16,
}

fn main() {}
