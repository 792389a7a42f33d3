use upstate::{Resource, UpgradeContext};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, fill(id => name, with = name_of, async, async))]
struct Thing {
    id: String,
    name: String,
}

async fn name_of(id: String, _: &UpgradeContext<'_>) -> Result<String, String> {
    Ok(id)
}

fn main() {}
