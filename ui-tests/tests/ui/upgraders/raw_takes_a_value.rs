use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, raw = read)]
struct Thing {
    id: String,
}

fn read(state: upstate::Value) -> Result<Thing, String> {
    Ok(Thing { id: format!("{state:?}") })
}

fn main() {}
