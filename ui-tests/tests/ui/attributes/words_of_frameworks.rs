use upstate::Resource;

#[derive(Resource)]
struct Thing {
    #[attribute(plan_modifiers = [RequiresReplace])]
    region: String,
    #[attribute(elem = String)]
    tags: Vec<String>,
    #[attribute(title = "The size")]
    size: i64,
    #[attribute(use_state_for_unknown)]
    address: String,
}

fn main() {}
