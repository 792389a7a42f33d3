use upstate::{Object, Resource};

#[derive(Object)]
struct Actions {
    ssl: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_page_rule", version = 1)]
#[upgrade_from(0 => 1,
    unwrap(#[block(min = 1, max = 1)] actions: Vec<Actions>),
    within(actions, drop(railgun: Option<bool>, "the API no longer has it")))]
struct PageRule {
    actions: Option<Actions>,
}

fn main() {}
