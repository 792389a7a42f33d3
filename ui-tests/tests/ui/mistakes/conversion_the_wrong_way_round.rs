use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0)]
struct Thing {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "thing")]
struct ThingV0 {
    title: String,
}

impl From<Thing> for ThingV0 {
    fn from(thing: Thing) -> Self {
        Self { title: thing.name }
    }
}

fn main() {}
