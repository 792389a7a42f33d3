use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(rename(title => name))]
struct Thing {
    name: String,
}

fn main() {}
