use upstate::Object;

#[derive(Object)]
#[upgrade_from(model = RuleV0, carry)]
struct Rule {
    port: u16,
}

#[derive(Object)]
struct RuleV0 {
    port: u16,
    source: String,
    target: String,
}

#[derive(Object)]
#[upgrade_from(model = HostV0, carry)]
struct Host {
    port: u16,
}

#[derive(Object)]
struct HostV0 {
    port: u16,
    names: Vec<String>,
}

fn main() {}
