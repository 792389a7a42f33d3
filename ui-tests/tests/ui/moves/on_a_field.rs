use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[move_from(type_name = "other", model = Other)]
    id: String,
}

fn main() {}
