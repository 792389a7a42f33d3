use upstate::{Object, Resource, UpgradeContext};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, within(disks, fill(id: String => name, with = name_of, async)))]
struct Thing {
    disks: Vec<Disk>,
}

#[derive(Object)]
struct Disk {
    id: String,
    name: String,
}

async fn name_of(id: String, _: &UpgradeContext<'_>) -> Result<String, String> {
    Ok(id)
}

fn main() {}
