use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, only_if(is(kind, "x"), set(label = "new")))]
struct Thing {
    kind: String,
    label: Option<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    kind: String,
    label: Option<String>,
}

fn main() {}
