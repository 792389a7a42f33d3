use upstate::Resource;

type Name = Option<String>;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    name: Option<Name>,
}

fn main() {}
