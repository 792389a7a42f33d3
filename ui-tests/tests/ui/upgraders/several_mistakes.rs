use upstate::Resource;

#[derive(Resource)]
#[resource(version = 3)]
#[upgrade_from(0, model = ThingV0, renmae(a => b), drop(c))]
#[upgrade_from(2..=1, raw = read)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
