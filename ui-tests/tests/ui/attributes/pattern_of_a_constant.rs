use upstate::Resource;

const WORD: &str = "^[a-z]+$";

#[derive(Resource)]
struct Thing {
    #[attribute(pattern = WORD)]
    label: String,
}

fn main() {}
