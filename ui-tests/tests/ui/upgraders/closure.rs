use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, with = |prior, _| Ok(Thing { size: prior.size }))]
struct Thing {
    size: i64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: i64,
}

fn main() {}
