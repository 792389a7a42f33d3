use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_token", version = 1)]
#[upgrade_from(0 => 1, rename(#[attribute(sensitive)] key: String => name))]
pub struct Token {
    pub name: String,
}

fn main() {}
