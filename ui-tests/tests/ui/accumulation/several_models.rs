use upstate::Resource;

#[derive(Resource)]
#[resource(version = 3)]
#[upgrade_from(3, model = Thing)]
#[upgrade_from(1)]
struct Thing {
    #[attribute(name = "Size", optionl)]
    size: u32,
    #[upgrade_from(0)]
    #[attribute(compute)]
    #[attribute(sensitive, sensitive)]
    secret: String,
}

#[derive(Resource)]
#[resource(version = -1, oldest)]
struct ThingV0 {
    #[attribute(optional, required)]
    size: u32,
}

fn main() {
    let thing = upstate::upgrade_json::<Thing>(0, "{}");
    let _ = thing.map(|thing| upstate::to_json(&thing));
}
