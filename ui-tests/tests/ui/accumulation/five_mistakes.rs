use upstate::Resource;

#[derive(Resource)]
#[resource(version = "2", typename = "example_thing")]
#[upgrade_from(0, model = "ThingV0")]
struct Thing {
    #[attribute(required, computed)]
    id: String,
    provider: String,
}

fn main() {
    let thing = upstate::upgrade_json::<Thing>(0, "{}");
    let _ = thing.map(|thing| upstate::to_json(&thing));
}
