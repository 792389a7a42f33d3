use upstate::Object;

#[derive(Object)]
#[upgrade_from(0, rename(from_port => port))]
struct Rule {
    port: u16,
}

#[derive(Object)]
struct RuleV0 {
    from_port: u16,
}

fn main() {}
