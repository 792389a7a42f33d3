use upstate::Resource;

#[derive(Resource)]
struct Thing {
    #[attribute(range(min = 1, max = 10))]
    size: i64,
    #[attribute(length(min = 3))]
    label: String,
}

fn main() {}
