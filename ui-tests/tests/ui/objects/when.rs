use upstate::Object;

#[derive(Object)]
#[upgrade_from(model = RuleV0, carry, when = has("port"))]
struct Rule {
    port: u16,
}

#[derive(Object)]
struct RuleV0 {
    from_port: u16,
}

fn main() {}
