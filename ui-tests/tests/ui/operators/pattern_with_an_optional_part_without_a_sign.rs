use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, split(address: String, "{host}p{port|443}"))]
struct Thing {
    host: String,
    port: String,
}

fn main() {}
