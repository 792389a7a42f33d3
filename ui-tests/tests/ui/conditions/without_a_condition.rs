use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, only_if(set(id = "a")))]
struct Thing {
    id: Option<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: Option<String>,
}

fn main() {}
