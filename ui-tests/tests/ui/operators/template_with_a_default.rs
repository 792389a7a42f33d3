use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, reformat(id, "{host}:{port|443}" => "{host}/{port|443}"))]
struct Thing {
    id: String,
}

fn main() {}
