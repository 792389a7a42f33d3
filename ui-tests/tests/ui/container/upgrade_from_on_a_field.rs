use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
struct Thing {
    #[upgrade_from(0, model = ThingV0)]
    id: String,
}

fn main() {}
