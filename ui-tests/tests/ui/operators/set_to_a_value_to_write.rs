//! What `upstate next` leaves to the author.

#[derive(upstate::Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, set(port = todo!()), default(zone = todo!()))]
struct Thing {
    id: String,
    port: u16,
    zone: String,
}

#[derive(upstate::Resource)]
#[resource(type_name = "thing", version = 0)]
struct ThingV0 {
    id: String,
    zone: Option<String>,
}

fn main() {}
