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
}

fn main() {}
