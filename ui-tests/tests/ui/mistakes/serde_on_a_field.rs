use upstate::Resource;

#[derive(Resource)]
struct Thing {
    #[serde(rename = "title")]
    name: String,
}

fn main() {}
