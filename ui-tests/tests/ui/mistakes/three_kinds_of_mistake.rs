use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, renmae(title => name))]
struct Thing {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "thing")]
struct ThingV0 {
    title: Letter,
}

struct Letter;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = OtherV0, carry)]
struct Other {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "other")]
struct OtherV0 {
    title: String,
}

fn main() {}
