use upstate::{Resource, UpgradeContext};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, fill(key => name, with = name_of, async))]
struct Thing {
    id: String,
    name: String,
}

async fn name_of(key: String, _: &UpgradeContext<'_>) -> Result<String, String> {
    Ok(key)
}

fn main() {}
