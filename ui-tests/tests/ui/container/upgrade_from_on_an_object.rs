use upstate::Object;

#[derive(Object)]
#[upgrade_from(0, model = RuleV0)]
struct Rule {
    name: String,
}

fn main() {}
