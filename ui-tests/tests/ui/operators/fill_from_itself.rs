use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, fill(id => id, with = name_of))]
struct Thing {
    id: String,
}

fn name_of(id: String) -> Result<String, String> {
    Ok(id)
}

fn main() {}
