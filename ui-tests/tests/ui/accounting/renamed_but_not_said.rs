use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, carry)]
struct Thing {
    cidr_block: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    cidr: String,
}

fn main() {}
