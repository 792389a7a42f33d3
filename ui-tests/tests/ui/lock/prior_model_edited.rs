use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 0)]
struct FirewallV0 {
    id: String,
    rules: Vec<String>,
    label: Option<String>,
}

fn main() {}
