use upstate::Resource;

#[derive(Resource)]
struct Thing {
    id: String,
}

fn main() {
    let thing = upstate::upgrade_json::<Thing>(0, "{}");
    let _ = thing.map(|thing| upstate::to_json(&thing));
}
