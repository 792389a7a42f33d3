use upstate::Resource;

#[derive(Resource)]
struct Thing {
    #[attribute = "computed"]
    label: String,
}

fn main() {}
