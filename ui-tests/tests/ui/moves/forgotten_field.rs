use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
#[move_from(type_name = "other", model = Other, carry)]
struct Thing {
    id: String,
    size: i64,
}

#[derive(Resource)]
#[resource(version = 3, prior)]
struct Other {
    id: String,
}

fn main() {}
