use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
#[move_from]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 3, prior)]
struct Other {
    id: String,
}

fn main() {}
