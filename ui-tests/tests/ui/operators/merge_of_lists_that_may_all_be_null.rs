use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1, merge(first: Option<Vec<String>>, others: Option<Vec<String>> => all))]
pub struct Thing {
    all: Vec<String>,
}

fn main() {}
