use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
union Thing {
    one: u32,
    two: f32,
}

fn main() {
    let thing = upstate::upgrade_json::<Thing>(0, "{}");
    let _ = thing.map(|thing| upstate::to_json(&thing));
}
