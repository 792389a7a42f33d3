use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, plan, paths)]
struct Thing {
    name: String,
}

fn main() {}
