use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, fill(id => name, with = name_of, await))]
struct Thing {
    id: String,
    name: String,
}

fn name_of(id: String) -> Result<String, String> {
    Ok(id)
}

fn main() {}
