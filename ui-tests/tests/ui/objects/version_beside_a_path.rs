use upstate::Object;

#[derive(Object)]
#[upgrade_from(0, RuleV0)]
struct Rule {
    port: u16,
}

#[derive(Object)]
struct RuleV0 {
    port: u16,
}

fn main() {}
