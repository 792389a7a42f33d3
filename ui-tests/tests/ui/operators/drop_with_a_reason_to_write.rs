use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1, drop(size: i64, "…"), drop(colour: String, "not needed"))]
struct Thing {
    id: String,
}

fn main() {}
