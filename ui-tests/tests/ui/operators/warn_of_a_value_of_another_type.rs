use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, only_if(is(port, "80"), warn("it is open")))]
struct Thing {
    port: u16,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    port: u16,
}

fn main() {}
