use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, null_if(port, 65536))]
struct Thing {
    port: Option<u16>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    port: Option<u16>,
}

fn main() {}
