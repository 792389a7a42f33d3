use upstate::Resource;

#[derive(Resource)]
#[resource(identity = ThingIdentityV1)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 1, prior)]
struct ThingIdentityV1 {
    id: String,
}

fn main() {}
