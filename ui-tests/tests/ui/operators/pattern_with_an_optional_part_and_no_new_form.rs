use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, reformat(id, "{host}:{port|443}", ignore_case))]
struct Thing {
    id: String,
}

fn main() {}
