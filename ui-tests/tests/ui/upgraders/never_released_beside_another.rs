use upstate::Resource;

#[derive(Resource)]
#[resource(version = 3)]
#[upgrade_from(2, never_released, model = ThingV2)]
#[upgrade_from(1, never_released, rename(name => id))]
#[upgrade_from(0, never_released, when = has("id"))]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 2, prior)]
struct ThingV2 {
    id: String,
}

fn main() {}
