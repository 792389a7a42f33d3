use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, "ALTER TABLE things ADD COLUMN zone text")]
struct Thing {
    zone: Option<String>,
}

fn main() {}
